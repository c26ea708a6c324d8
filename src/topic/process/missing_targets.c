/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "topic/process/missing_targets.h"

#include "core/i18n.h"
#include "core/process_pattern.h"
#include "topic/process/process_list.h"

static bool waits(const struct sample_request *request)
{
	return !request->once;
}

void missing_targets_add_process(struct frame *frame, const struct sample_request *request, const char *topic,
				 const char *name)
{
	frame->named_absent = true;
	frame_notice(frame, topic, NULL,
		     waits(request) ? _("there is no process %s; waiting for it")
				    : _("there is no process %s"),
		     name);
}

void missing_targets_add_group(struct frame *frame, const struct sample_request *request, const char *topic,
			       const char *group)
{
	frame->named_absent = true;
	frame_notice(frame, topic, NULL,
		     waits(request) ? _("there is no process group %s; waiting for it")
				    : _("there is no process group %s"),
		     group);
}

void missing_targets_add_cgroup(struct frame *frame, const struct sample_request *request, const char *topic,
				const char *path)
{
	frame->named_absent = true;
	frame_notice(frame, topic, _("the path is in /proc/PID/cgroup"),
		     waits(request) ? _("there is no control group %s; waiting for it")
				    : _("there is no control group %s"),
		     path);
}

static bool exists(const struct process_list *processes, struct span wanted)
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
	bool noticed = false;

	while (span_item(&rest, &wanted)) {
		if (exists(processes, wanted)) {
			frame->named_there = true;
		} else if (!noticed) {
			missing_targets_add_process(
				frame, request, topic,
				arena_copy(&frame->arena, wanted.at, span_length(wanted)));
			noticed = true;
		}
	}
}
