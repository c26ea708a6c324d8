/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks for the processes and the control group that were named, until they were there. */
#include <config.h>

#include "topic/event_named.h"

#include "topic/named.h"
#include "topic/own_cgroup.h"
#include "topic/process_find.h"

#define LOOK_NS UINT64_C(1000000000)

static void look(struct event_named *named, struct env *env, const char *pids, const char *tree,
		 const char *cgroup)
{
	uint64_t now_ns = env_mono_ns();

	if (named->looked_ns > 0 && now_ns - named->looked_ns < LOOK_NS)
		return;
	named->looked_ns = now_ns;
	named->processes = named->processes || !pids || process_any_listed(env, pids);
	named->tree = named->tree || !tree || process_any_listed(env, tree);
	named->cgroup = named->cgroup || !cgroup || cgroup_may_exist(env, cgroup);
}

void event_named_tell(struct event_named *named, struct env *env, const struct settings *settings,
		      struct frame *frame, const char *topic, bool any_event)
{
	const char *pids = settings_get(settings, "run.pid");
	const char *tree = settings_get(settings, "events.tree");
	const char *cgroup = settings_get(settings, "events.cgroup");

	if (any_event)
		named->processes = named->tree = named->cgroup = true;
	if (!named->processes || !named->tree || !named->cgroup)
		look(named, env, pids, tree, cgroup);
	if (!named->processes)
		named_absent_process(frame, settings, topic, pids);
	if (!named->tree)
		named_absent_process(frame, settings, topic, tree);
	if (!named->cgroup)
		named_absent_cgroup(frame, settings, topic, cgroup);
	frame->named_there |= named->processes && named->tree && named->cgroup;
}
