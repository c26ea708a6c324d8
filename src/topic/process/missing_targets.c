/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notices about processes, their groups and control groups that were named and are not there. */
#include <config.h>

#include "topic/process/missing_targets.h"

#include "core/i18n.h"
#include "core/process_pattern.h"
#include "topic/process/process_list.h"

/* With a single sample nothing is waited for. */
static bool is_waited_for(const struct sample_request *request)
{
	return !request->once;
}

void missing_targets_add_process(struct frame *frame, const struct sample_request *request, const char *topic,
				 const char *name)
{
	frame->named_absent = true;
	frame_notice(frame, topic, NULL,
		     is_waited_for(request) ? _("there is no process %s; it is waited for")
					    : _("there is no process %s"),
		     name);
}

void missing_targets_add_group(struct frame *frame, const struct sample_request *request, const char *topic,
			       const char *group)
{
	frame->named_absent = true;
	frame_notice(frame, topic, NULL,
		     is_waited_for(request) ? _("there is no process group %s; it is waited for")
					    : _("there is no process group %s"),
		     group);
}

void missing_targets_add_cgroup(struct frame *frame, const struct sample_request *request, const char *topic,
				const char *path)
{
	frame->named_absent = true;
	frame_notice(frame, topic, _("/proc/PID/cgroup has the path of a process"),
		     is_waited_for(request) ? _("there is no control group %s; it is waited for")
					    : _("there is no control group %s"),
		     path);
}

static bool is_there(const struct process_list *processes, struct span wanted)
{
	for (size_t i = 0; i < processes->n_all; i++)
		if (process_matches(processes->all[i], wanted))
			return true;
	return false;
}

void missing_targets_want_programs(struct process_list *processes, const struct sample_request *request)
{
	const char *list = request->processes;

	processes->commands_now = list && process_pattern_has_name(span_text(list));
}

void missing_targets_find(struct frame *frame, const struct sample_request *request, const char *topic,
			  const struct process_list *processes)
{
	const char *list = request->processes;
	struct span rest = span_text(list ? list : ""), wanted;
	bool told = false;

	while (span_item(&rest, &wanted)) {
		if (is_there(processes, wanted)) {
			frame->named_there = true;
		} else if (!told) {
			missing_targets_add_process(
				frame, request, topic,
				arena_copy(&frame->arena, wanted.at, span_length(wanted)));
			told = true;
		}
	}
}
