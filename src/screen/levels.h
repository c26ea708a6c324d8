/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From values to levels: the eighths of a cell, its dots, or whole cells. */
#ifndef PANETOP_SCREEN_LEVELS_H
#define PANETOP_SCREEN_LEVELS_H

#define LEVEL_UNKNOWN (-1)
#define LEVELS_NO_PART (-1)

/*
 * The upper end of an axis from 0 for values from least to most: what hardly changes stands in its middle,
 * not along its edge. 1 if there is no value above 0.
 */
double levels_top(double least, double most);

/* What a known value fills of the levels between least and most: 1 to levels. */
int level_of(double value, double least, double most, int levels);

/* Where each part of a stack of shares ends, in levels; the parts that are known and not 0 fill at least one.
 */
void levels_stack(const double *shares, unsigned n_parts, int levels, int *ends);

/*
 * The same for a bar, in which no part that is not 0 vanishes: it fills at least one level, and where two
 * others share its cell, it takes the rest of the cell.
 */
void levels_bar(const double *shares, unsigned n_parts, int cells, int per_cell, int *ends);

/* What stands in a cell of a stack or bar. */
struct levels_cell {
	int part;   /* the one with the largest share of it, or the first of two; LEVELS_NO_PART: empty */
	int other;  /* fills the rest of a full cell; LEVELS_NO_PART: none */
	int filled; /* levels up to the end of part */
};
struct levels_cell levels_cell(const int *ends, unsigned n_parts, int cell, int per_cell);

/*
 * The range of an axis for values from least to most of whole: rounded, and not so small that noise fills it.
 * It begins at 0 unless that would waste half of it.
 */
struct levels_range {
	double bottom, top;
};
struct levels_range levels_fit(double least, double most, double whole);

#endif
