/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a control group, and what is left of its counters when it goes. */
#include <config.h>

#include "topic/group/group_entry.h"

#include <math.h>
#include <stdlib.h>

#include "core/unknown.h"

void group_clear(struct group *group)
{
	const uint64_t none = U64_UNKNOWN;

	group->counters = (struct group_counters){ none, none, none, none, none };
	group->levels = (struct group_levels){ none, none, none, none, none };
	group->limits = (struct group_limits){ NAN, none, none, none, none, none };
	group->kills = (struct group_kills){ .failed = none,
					     .own_failed = none,
					     .last_kills = none,
					     .last_failed = none,
					     .last_own_failed = none };
	group->caches = group->swap = group->own_oom_kills = group->own_tasks = none;
	group->own = group->counters;
	group->own_levels = group->levels;
	for (unsigned i = 0; i < 3; i++)
		group->stalled[i] = NAN;
}

static void move(uint64_t *from, uint64_t *to)
{
	if (*from != U64_UNKNOWN)
		*to += *from;
	*from = U64_UNKNOWN;
}

void group_restart(struct group *group, enum group_controller what)
{
	struct group_counters *counters = &group->counters;
	struct group_counters *to = group->parent ? &group->parent->gone : &group->gone;

	switch (what) {
	case GROUP_CPUACCT:
		move(&counters->cpu_ns, &to->cpu_ns);
		group->gone.cpu_ns = 0;
		break;
	case GROUP_MEMORY:
		move(&counters->refaults, &to->refaults);
		move(&counters->oom_kills, &to->oom_kills);
		group->gone.refaults = group->gone.oom_kills = 0;
		group->kills.last_kills = group->kills.last_failed = group->kills.last_own_failed =
			U64_UNKNOWN;
		group->kills.counted_before = true;
		break;
	case GROUP_BLKIO:
		move(&counters->read_bytes, &to->read_bytes);
		move(&counters->write_bytes, &to->write_bytes);
		group->gone.read_bytes = group->gone.write_bytes = 0;
		break;
	default:
		break;
	}
	group->own =
		(struct group_counters){ U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN };
}

void group_free(struct group *group, struct env *env)
{
	attribute_close(&group->cpu_file, env);
	attribute_close(&group->memory_file, env);
	free(group->io);
	free(group->path);
	free(group->name);
	free(group);
}
