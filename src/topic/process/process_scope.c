/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of processes for the scope; and what options name that does not exist. */
#include <config.h>

#include "topic/process/process_scope.h"

#include <stdio.h>

#include "core/i18n.h"
#include "core/typed_name.h"
#include "topic/cgroup.h"
#include "topic/process/command_reader.h"
#include "topic/process/process_list.h"
#include "topic/process/scope_members.h"

/* Tells an absent target from one without processes, and suggests a name that is near. */

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

/* A number or name of --pid that no process has. */
static void find_processes(struct frame *frame, const struct sample_request *request, const char *topic,
			   const struct process_list *processes)
{
	const char *list = request->processes;
	struct span rest = span_text(list ? list : ""), wanted;
	bool noticed = false;

	while (span_item(&rest, &wanted)) {
		if (exists(processes, wanted)) {
			frame->named_there = true;
		} else if (!noticed && (command_lines_are_read(processes->commands) ||
					!process_pattern_has_name(wanted))) {
			missing_targets_add_process(
				frame, request, topic,
				arena_copy(&frame->arena, wanted.at, span_length(wanted)));
			noticed = true;
		}
	}
}

/* "did you mean web?", of the first term that names a group; NULL: nothing is near. */
static const char *suggestion(const struct scope *scope, const struct process_list *processes, char *text,
			      size_t room)
{
	char near[SCOPE_TEXT_MAX];

	for (unsigned i = 0; i < scope->n_terms; i++) {
		const struct scope_term *term = &scope->terms[i];

		if (scope_term_is_of_group(term) &&
		    scope_containers_near(processes->containers, term, processes->all, processes->n_all,
					  near)) {
			snprintf(text, room, _("did you mean %s?"), near);
			return text;
		}
	}
	return NULL;
}

static void add_scope(struct frame *frame, const struct sample_request *request, const char *topic,
		      const struct process_list *processes)
{
	char text[TEXT_MAX], near[SCOPE_TEXT_MAX + TEXT_MAX];

	scope_describe(request->scope, text, sizeof(text));
	frame_notice(frame, topic, suggestion(request->scope, processes, near, sizeof(near)),
		     waits(request) ? _("no process is in %s; waiting for one") : _("no process is in %s"),
		     text);
}

static void add_missing_cgroup(struct frame *frame, const struct sample_request *request, const char *topic,
			       const struct process_list *processes, const char *path)
{
	char near[SCOPE_TEXT_MAX + TEXT_MAX];
	const char *remedy = suggestion(request->scope, processes, near, sizeof(near));

	frame->named_absent = true;
	frame_notice(frame, topic, remedy ? remedy : _("the path is in /proc/PID/cgroup"),
		     waits(request) ? _("there is no control group %s; waiting for it")
				    : _("there is no control group %s"),
		     path);
}

/* Something that is not there at all fails a run; a user or a group may have no process. */
void missing_targets_find(struct frame *frame, const struct sample_request *request, const char *topic,
			  const struct process_list *processes)
{
	const struct scope *scope = request->scope;
	const struct scope_term *tree = scope_find(scope, SCOPE_TREE),
				*group = scope_find(scope, SCOPE_GROUP);

	find_processes(frame, request, topic, processes);
	if (!scope_is_set(scope) || !scope->has_looked)
		return;
	if (scope->n_members > 0 || scope->n_past > 0)
		frame->named_there = true;
	else if (tree && !process_list_find(processes, (uint32_t)tree->pid))
		missing_targets_add_process(frame, request, topic, tree->text);
	else if (group && !cgroup_may_exist(processes->env, group->text))
		add_missing_cgroup(frame, request, topic, processes, group->text);
	else if (!request->processes)
		add_scope(frame, request, topic, processes);
	frame->named_absent |= scope_find(scope, SCOPE_SERVICE) || scope_find(scope, SCOPE_CONTAINER);
}

void process_scope_find(struct sample *sample)
{
	const struct sample_request *request = sample->request;
	struct process_list *list = reader_state(&process_reader, sample->env);
	bool wanted = sample->frame && scope_is_set(request->scope);

	if (wanted && !(list && list->of_scope)) {
		list = reader_open(&process_reader, sample, NULL);
		list->of_scope = true;
	}
	if (wanted) {
		missing_targets_want_programs(list, request);
		if (reader_update(&process_reader, sample) == 0)
			missing_targets_find(sample->frame, request, "scope", list);
	} else if (list && list->of_scope) {
		list->of_scope = false;
		reader_close(&process_reader, sample->env);
	}
}
