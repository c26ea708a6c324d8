/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is left of a group's numbers without the groups below it: of its own tasks. */
#ifndef PANETOP_TOPIC_GROUP_GROUP_SUM_H
#define PANETOP_TOPIC_GROUP_GROUP_SUM_H

#include "topic/group/group_entry.h"

/*
 * Of all groups, each before those below it: sums what version 1 counts for each alone, and finds the own
 * numbers. The counters of the first are then those of the groups below it and its own together, to the last
 * digit.
 */
void group_sum(struct group *const *groups, size_t n_groups);

#endif
