/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notices about processes, their groups and control groups that were named and are not there. */
#include <config.h>

#include "topic/process/missing_targets.h"

#include "core/i18n.h"
#include "core/process_pattern.h"
#include "topic/process/process_list.h"

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

void named_absent_group(struct frame *frame, const struct settings *settings, const char *topic,
			const char *group)
{
	frame->named_absent = true;
	frame_notice(frame, topic, NULL,
		     is_waited_for(settings) ? _("there is no process group %s; it is waited for")
					     : _("there is no process group %s"),
		     group);
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
	for (size_t i = 0; i < tasks->n_all; i++)
		if (task_is_listed(tasks->all[i], wanted))
			return true;
	return false;
}

void named_want_programs(struct tasks *tasks, const struct settings *settings)
{
	const char *list = settings_get(settings, "run.pid");

	tasks->commands_now = list && process_pattern_has_name(span_text(list));
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
