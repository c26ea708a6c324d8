/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kill belongs to the lowest group above it at whose own limit an allocation failed. Where one failed at
 * the limit of a group that is gone by now, the group above still has both, in version 2.
 */
#include <config.h>

#include "topic/group/group_kill.h"

#include "core/unknown.h"
#include "model/column.h"

/* Since the last sample; what it had counted before it was first seen is not growth. */
static uint64_t growth(const struct group_kills *kills, uint64_t *last, uint64_t now)
{
	uint64_t before = *last;

	if (now == U64_UNKNOWN)
		return 0;
	*last = now;
	if (before == U64_UNKNOWN)
		return kills->counted_before ? 0 : now;
	return now > before ? now - before : 0;
}

/* The kernel counts the failure before the kill, and a sample may be taken between the two. */
static uint64_t with_waiting(uint64_t *waiting, uint64_t failed, uint64_t killed)
{
	uint64_t before = *waiting;

	*waiting = killed > 0 ? 0 : failed;
	return failed + before;
}

static void count(struct group *group, bool is_first)
{
	struct group_kills *kills = &group->kills;
	uint64_t killed, failed, own_failed, at_limits = kills->below;

	kills->counted_before |= group->old || is_first;
	killed = growth(kills, &kills->last_kills, group->counters.oom_kills);
	failed = with_waiting(&kills->waiting, growth(kills, &kills->last_failed, kills->failed), killed);
	own_failed = with_waiting(&kills->own_waiting,
				  growth(kills, &kills->last_own_failed, kills->own_failed), killed);
	if (killed > kills->below && own_failed > 0)
		kills->at_own += killed - kills->below;
	if (killed > kills->below && (own_failed > 0 || failed > kills->failed_below))
		at_limits = killed;
	kills->at_any += at_limits;
	if (group->parent) {
		group->parent->kills.below += at_limits;
		group->parent->kills.failed_below += failed;
	}
}

void group_kill_count(struct group *const *groups, size_t n_groups, bool is_first)
{
	for (size_t i = 0; i < n_groups; i++)
		groups[i]->kills.below = groups[i]->kills.failed_below = 0;
	for (size_t i = n_groups; i-- > 0;)
		count(groups[i], is_first);
}
