/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks for the processes and groups that were named, until they were there. */
#include <config.h>

#include "topic/event/event_named.h"

#include "topic/cgroup.h"
#include "topic/process/missing_targets.h"
#include "topic/process/process_find.h"

#define LOOK_NS UINT64_C(1000000000)

/* As the options have them; NULL: not given. */
struct event_names {
	const char *processes, *tree, *group, *cgroup;
};

static void look(struct event_named *named, struct env *env, const struct event_names *names)
{
	uint64_t now_ns = env_mono_ns();

	if (named->looked_ns > 0 && now_ns - named->looked_ns < LOOK_NS)
		return;
	named->looked_ns = now_ns;
	named->processes = named->processes || !names->processes || process_any_listed(env, names->processes);
	named->tree = named->tree || !names->tree || process_any_listed(env, names->tree);
	named->group = named->group || !names->group || process_any_in_group(env, names->group);
	named->cgroup = named->cgroup || !names->cgroup || cgroup_may_exist(env, names->cgroup);
}

void event_named_tell(struct event_named *named, struct env *env, const struct settings *settings,
		      struct frame *frame, const char *topic, bool any_event)
{
	const struct event_names names = {
		.processes = settings_get(settings, "run.pid"),
		.tree = settings_get(settings, "events.tree"),
		.group = settings_get(settings, "events.group"),
		.cgroup = settings_get(settings, "events.cgroup"),
	};

	if (any_event || env->foreign_pids) /* what proc calls so is another */
		named->processes = named->tree = named->group = named->cgroup = true;
	if (!named->processes || !named->tree || !named->group || !named->cgroup)
		look(named, env, &names);
	if (!named->processes)
		named_absent_process(frame, settings, topic, names.processes);
	if (!named->tree)
		named_absent_process(frame, settings, topic, names.tree);
	if (!named->group)
		named_absent_group(frame, settings, topic, names.group);
	if (!named->cgroup)
		named_absent_cgroup(frame, settings, topic, names.cgroup);
	frame->named_there |= named->processes && named->tree && named->group && named->cgroup;
}
