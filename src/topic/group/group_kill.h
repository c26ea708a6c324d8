/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which kills are those of a group at its memory limit, and which those of a machine that ran out. */
#ifndef PANETOP_TOPIC_GROUP_GROUP_KILL_H
#define PANETOP_TOPIC_GROUP_GROUP_KILL_H

#include "topic/group/group_entry.h"

/*
 * Of all groups, each before those below it, whose sums are found: counts the kills since the last sample.
 * is_first: there was none.
 */
void group_kill_count(struct group *const *groups, size_t n_groups, bool is_first);

#endif
