/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notices about processes and control groups that were named and are not there. */
#include <config.h>

#include "topic/named.h"

#include "core/i18n.h"
#include "topic/tasks.h"

/* With a single sample nothing is waited for. */
static bool is_waited_for(const struct settings *settings)
{
	return !settings_get(settings, "run.once");
}

void named_absent_process(struct frame *frame, const struct settings *settings, const char *topic,
			  const char *name)
{
	frame->named_absent = true;
	frame_notice(frame, topic, NULL,
		     is_waited_for(settings) ? _("there is no process %s; it is waited for")
					     : _("there is no process %s"),
		     name);
}

void named_absent_cgroup(struct frame *frame, const struct settings *settings, const char *topic,
			 const char *path)
{
	frame->named_absent = true;
	frame_notice(frame, topic, _("/proc/PID/cgroup has the path of a process"),
		     is_waited_for(settings) ? _("there is no control group %s; it is waited for")
					     : _("there is no control group %s"),
		     path);
}

static bool is_there(const struct tasks *tasks, struct span wanted)
{
	uint64_t pid;

	if (span_is_u64(wanted, &pid) && pid <= UINT32_MAX && tasks_find(tasks, (uint32_t)pid))
		return true;
	for (size_t i = 0; i < tasks->n_all; i++)
		if (span_is(wanted, tasks->all[i]->name))
			return true;
	return false;
}

void named_tasks(struct frame *frame, const struct settings *settings, const char *topic,
		 const struct tasks *tasks)
{
	const char *list = settings_get(settings, "run.pid");
	struct span rest = span_text(list ? list : ""), wanted;
	bool told = false;

	while (span_item(&rest, &wanted)) {
		if (is_there(tasks, wanted)) {
			frame->named_there = true;
		} else if (!told) {
			named_absent_process(frame, settings, topic,
					     arena_copy(&frame->arena, wanted.at, span_length(wanted)));
			told = true;
		}
	}
}
