/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rounds shares to levels so that in a bar each part that is there shows. */
#include <config.h>

#include "screen/levels.h"

#include <math.h>
#include <stdbool.h>

#define RANGE_LEAST (1.0 / 256) /* of the whole */
#define STEADY 0.9              /* the least is at least this share of the most: it begins to be constant */
#define STEPS_IN_RANGE 4        /* the ends of a range are multiples of a step */

double levels_top(double least, double most)
{
	double steady = (least / most - STEADY) / (1 - STEADY);

	if (!(most > 0))
		return 1;
	return most * (1 + fmin(fmax(steady, 0), 1));
}

int level_of(double value, double least, double most, int levels)
{
	double share = most > least ? (value - least) / (most - least) : 0;

	if (isnan(value) || levels <= 0)
		return LEVEL_UNKNOWN;
	return 1 + (int)lround(fmin(fmax(share, 0), 1) * (levels - 1));
}

static bool is_part(double share)
{
	return share > 0;
}

void levels_stack(const double *shares, unsigned n_parts, int levels, int *ends)
{
	double sum = 0;

	for (unsigned i = 0; i < n_parts; i++) {
		sum += is_part(shares[i]) ? shares[i] : 0;
		ends[i] = (int)lround(fmin(sum, 1) * levels);
		if (ends[i] == 0 && sum > 0 && i + 1 == n_parts)
			ends[i] = 1;
	}
}

/* The last level at which the part before one that ends here may end, when at most two share a cell. */
static int latest_start(int end, int per_cell)
{
	return end % per_cell == 0 ? end - 1 : (end - 1) / per_cell * per_cell;
}

void levels_bar(const double *shares, unsigned n_parts, int cells, int per_cell, int *ends)
{
	int before = 0, latest = cells * per_cell;
	double sum = 0;

	for (unsigned i = 0; i < n_parts; before = ends[i++]) {
		int cell_end = (before / per_cell + 1) * per_cell, wanted;

		ends[i] = before;
		if (!is_part(shares[i]))
			continue;
		sum += shares[i];
		wanted = (int)lround(fmin(sum, 1) * cells * per_cell);
		ends[i] = wanted > before ? wanted : before + 1;
		if (before % per_cell > 0 && ends[i] < cell_end)
			ends[i] = cell_end;
	}
	for (unsigned i = n_parts; i-- > 0;) {
		ends[i] = ends[i] < latest ? ends[i] : latest > 0 ? latest : 0;
		latest = is_part(shares[i]) ? latest_start(ends[i], per_cell) : ends[i];
	}
}

static int overlap(const int *ends, unsigned part, int from, int to)
{
	int begin = part > 0 ? ends[part - 1] : 0, end = ends[part];

	begin = begin > from ? begin : from;
	end = end < to ? end : to;
	return end > begin ? end - begin : 0;
}

struct levels_cell levels_cell(const int *ends, unsigned n_parts, int cell, int per_cell)
{
	struct levels_cell found = { LEVELS_NO_PART, LEVELS_NO_PART, 0 };
	int from = cell * per_cell, most = 0, second = 0, sum = 0;

	for (unsigned i = 0; i < n_parts; i++) {
		int here = overlap(ends, i, from, from + per_cell);

		sum += here;
		if (here > most) {
			second = most;
			found.other = found.part;
			most = here;
			found.part = (int)i;
		} else if (here > second) {
			second = here;
			found.other = (int)i;
		}
	}
	found.filled = sum;
	if (sum < per_cell)
		found.other = LEVELS_NO_PART;
	if (found.other == LEVELS_NO_PART)
		return found;
	if (found.other < found.part) {
		int larger = found.part;

		found.part = found.other;
		found.other = larger;
	}
	found.filled =
		overlap(ends, (unsigned)found.part, from, from + per_cell) * per_cell / (most + second);
	found.filled = found.filled > 0 ? found.filled : 1;
	return found;
}

struct levels_range levels_fit(double least, double most, double whole)
{
	double range = fmax(most - least, whole * RANGE_LEAST), middle = (least + most) / 2, step;
	struct levels_range fit = { 0, whole };

	if (isnan(middle) || !(range > 0))
		return fit;
	least = fmax(middle - range / 2, 0);
	most = middle + range / 2;
	if (least < range)
		range = most;
	step = exp2(floor(log2(range))) / STEPS_IN_RANGE;
	fit.bottom = least < range ? 0 : floor(least / step) * step;
	fit.top = ceil(most / step) * step;
	if (whole > 0 && fit.top > whole && middle <= whole)
		fit.top = whole;
	return fit;
}
