/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Process filters are decided from what is already known: nothing is read from /proc here. */
#include <config.h>

#include "topic/event/event_filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/typed_name.h"
#include "kernel/cgroup.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_scope.h"

#define SEARCH_NS UINT64_C(1000000000)

/* What each choice of the setting stands for. */
static const unsigned kinds_of[N_EVENT_CHOICES] = {
	[CHOSEN_FORK] = EVENT_BIT(EVENT_FORK),     [CHOSEN_EXEC] = EVENT_BIT(EVENT_EXEC),
	[CHOSEN_EXIT] = EVENT_BIT(EVENT_EXIT),     [CHOSEN_CORE] = EVENT_BIT(EVENT_CORE),
	[CHOSEN_PTRACE] = EVENT_BIT(EVENT_PTRACE), [CHOSEN_UID] = EVENT_BIT(EVENT_UID) | EVENT_BIT(EVENT_GID),
	[CHOSEN_SID] = EVENT_BIT(EVENT_SID),       [CHOSEN_EXITNONZERO] = EVENT_BIT(EVENT_EXIT),
	[CHOSEN_COMM] = EVENT_BIT(EVENT_COMM),     [CHOSEN_CLONE] = EVENT_BIT(EVENT_CLONE),
};

void event_filter_read(struct event_filter *filter, const struct topic_settings *settings,
		       const struct scope *scope)
{
	unsigned chosen = settings->event.kinds;

	memset(filter, 0, sizeof(*filter));
	for (unsigned i = 0; i < N_EVENT_CHOICES; i++)
		if (chosen >> i & 1)
			filter->kinds |= kinds_of[i];
	filter->failures_only = (chosen >> CHOSEN_EXITNONZERO & 1) && !(chosen >> CHOSEN_EXIT & 1);
	filter->group = (uint32_t)settings->event.group;
	filter->n_terms = scope ? scope->n_terms : 0;
	if (filter->n_terms > 0)
		memcpy(filter->terms, scope->terms, filter->n_terms * sizeof(filter->terms[0]));
}

bool event_filter_needs_groups(const struct event_filter *filter)
{
	for (unsigned i = 0; i < filter->n_terms; i++)
		if (scope_term_is_of_group(&filter->terms[i]))
			return true;
	return false;
}

unsigned event_filter_groups(const struct event_filter *filter, struct span path)
{
	char text[CGROUP_PATH_MAX];
	unsigned bits = 0;

	if (span_length(path) >= sizeof(text))
		return 0;
	span_copy(text, sizeof(text), path);
	for (unsigned i = 0; i < filter->n_terms; i++)
		if (scope_term_is_of_group(&filter->terms[i]) &&
		    scope_term_has_group(&filter->terms[i], text))
			bits |= 1U << i;
	return bits;
}

unsigned event_filter_trees(const struct event_filter *filter)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < filter->n_terms; i++)
		if (filter->terms[i].kind == SCOPE_TREE)
			bits |= 1U << i;
	return bits;
}

unsigned event_filter_roots(const struct event_filter *filter, uint32_t pid)
{
	unsigned bits = event_filter_trees(filter);

	for (unsigned i = 0; i < filter->n_terms; i++)
		if (filter->terms[i].pid != pid)
			bits &= ~(1U << i);
	return bits;
}

/* Everything except the list of processes. */
static bool matches_place(const struct event_filter *filter, const struct event_process *process)
{
	if (filter->group && process->group != (int64_t)filter->group)
		return false;
	for (unsigned i = 0; i < filter->n_terms; i++) {
		const struct scope_term *term = &filter->terms[i];
		uint64_t uid = process->effective_uid == UINT32_MAX ? U64_UNKNOWN : process->effective_uid;

		if (term->kind == SCOPE_USER ? !scope_term_has_user(term, uid, NULL)
					     : term->kind != SCOPE_PROCESSES && !(process->places >> i & 1))
			return false;
	}
	return true;
}

static bool is_listed(const struct event_filter *filter, uint32_t pid, struct span name, struct span program)
{
	for (unsigned i = 0; i < filter->n_terms; i++)
		if (filter->terms[i].kind == SCOPE_PROCESSES &&
		    !process_pattern_matches(span_text(filter->terms[i].text), pid, name, program))
			return false;
	return true;
}

bool event_filter_process(const struct event_filter *filter, const struct event_process *process)
{
	return matches_place(filter, process) &&
	       is_listed(filter, process->pid, span_text(process->name->comm),
			 span_of(process->name->command, process->name->program_length));
}

/* The comm that the kernel gives to a process that executes this file. */
static struct span comm_of_file(const char *file)
{
	const char *slash = strrchr(file, '/');
	struct span name = span_text(slash ? slash + 1 : file);

	if (span_length(name) > PROCESS_PATTERN_NAME_MAX)
		name.end = name.at + PROCESS_PATTERN_NAME_MAX;
	return name;
}

bool event_filter_start(const struct event_filter *filter, const struct event_process *process, uint32_t pid,
			const char *file)
{
	return filter->kinds & EVENT_BIT(EVENT_EXEC) && (!process || matches_place(filter, process)) &&
	       (!file || is_listed(filter, pid, comm_of_file(file), span_text(file)));
}

bool event_filter_kind(const struct event_filter *filter, enum event_kind kind, bool of_thread,
		       uint32_t exit_code)
{
	if (kind == EVENT_EXIT && of_thread)
		return filter->kinds & EVENT_BIT(EVENT_CLONE);
	return filter->kinds & EVENT_BIT(kind) &&
	       !(kind == EVENT_EXIT && filter->failures_only && exit_code == 0);
}

void event_targets_notices(struct event_targets *targets, struct sample *sample, bool any_event)
{
	uint64_t group = sample->settings->event.group, now_ns = env_mono_ns(sample->env);
	char text[24];

	if (!group || any_event ||
	    sample->env->foreign_pids) /* PIDs in /proc are those of another namespace */
		targets->group = true;
	if (!targets->group && (targets->searched_ns == 0 || now_ns - targets->searched_ns >= SEARCH_NS)) {
		targets->searched_ns = now_ns;
		targets->group = process_any_in_group(sample->env, group);
	}
	snprintf(text, sizeof(text), "%" PRIu64, group);
	if (!targets->group)
		missing_targets_add_group(sample->frame, sample->request, sample->topic->schema->name, text);
	sample->frame->named_there |= targets->group && (group || any_event);
}
