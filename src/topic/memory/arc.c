/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Read once a tick through env, for memory and for its account. */
#include <config.h>

#include "topic/memory/arc.h"

#include "topic/served_mounts.h"

bool arc_read(struct env *env, struct arcstats *arc)
{
	struct span text;

	return env_read(env, env_file(env, ARC_PATH), &text) == 0 && arcstats_parse(text, arc);
}

bool arc_is_in(struct env *env, const struct arcstats *arc, uint64_t used_bytes)
{
	return arc->size_bytes <= used_bytes && !served_mounts_of_host(env, ARC_PATH);
}
