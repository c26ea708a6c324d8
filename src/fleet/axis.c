/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A moment is over when a member that is in it would come again. */
#include <config.h>

#include "fleet/axis.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"

static int compare(const void *left, const void *right)
{
	const struct axis_sample *one = left, *other = right;

	if (one->wall_ns != other->wall_ns)
		return one->wall_ns < other->wall_ns ? -1 : 1;
	return one->member < other->member ? -1 : one->member > other->member;
}

void axis_make(struct axis *axis, struct axis_sample *samples, size_t n_samples, unsigned n_members)
{
	size_t *moment_of =
		alloc_zeroed(n_members + 1, sizeof(*moment_of)); /* of the last sample, from 1 on */
	size_t moment = 1;

	if (n_samples > 1)
		qsort(samples, n_samples, sizeof(*samples), compare);
	for (size_t i = 0; i < n_samples; i++) {
		if (moment_of[samples[i].member] == moment) {
			axis_add(axis, samples[i - 1].wall_ns);
			moment++;
		}
		moment_of[samples[i].member] = moment;
	}
	if (n_samples > 0)
		axis_add(axis, samples[n_samples - 1].wall_ns);
	free(moment_of);
}

size_t axis_add(struct axis *axis, uint64_t wall_ns)
{
	uint64_t last = axis->n_moments > 0 ? axis->moments[axis->n_moments - 1] : 0;
	size_t n_gone = 0;

	if (axis->n_moments >= AXIS_MOMENTS_MAX) {
		n_gone = axis->n_moments / 2;
		axis->n_moments -= n_gone;
		memmove(axis->moments, axis->moments + n_gone, axis->n_moments * sizeof(*axis->moments));
	}
	*VECTOR_ADD(axis->moments, axis->n_moments, axis->capacity) = wall_ns > last ? wall_ns : last + 1;
	return n_gone;
}

size_t axis_find(const struct axis *axis, uint64_t wall_ns)
{
	size_t at;

	VECTOR_BOUND(at, axis->n_moments, axis->moments[at] <= wall_ns);
	return at > 0 ? at - 1 : 0;
}

void axis_free(struct axis *axis)
{
	free(axis->moments);
	*axis = (struct axis){ 0 };
}
