/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Process filters are decided from what is already known: nothing is read from /proc here. */
#include <config.h>

#include "topic/event/event_filter.h"

#include <string.h>

#include "core/process_pattern.h"
#include "kernel/cgroup.h"
#include "topic/process/missing_targets.h"
#include "topic/process/process_find.h"

#define SEARCH_NS UINT64_C(1000000000)
#define USUAL \
	(EVENT_BIT(EVENT_FORK) | EVENT_BIT(EVENT_EXEC) | EVENT_BIT(EVENT_EXIT) | EVENT_BIT(EVENT_CORE) | \
	 EVENT_BIT(EVENT_PTRACE) | EVENT_BIT(EVENT_UID) | EVENT_BIT(EVENT_GID) | EVENT_BIT(EVENT_SID))

static const struct {
	const char *word;
	unsigned kinds;
} words[] = {
	{ "fork", EVENT_BIT(EVENT_FORK) },
	{ "exec", EVENT_BIT(EVENT_EXEC) },
	{ "exit", EVENT_BIT(EVENT_EXIT) },
	{ "core", EVENT_BIT(EVENT_CORE) },
	{ "comm", EVENT_BIT(EVENT_COMM) },
	{ "clone", EVENT_BIT(EVENT_CLONE) },
	{ "ptrace", EVENT_BIT(EVENT_PTRACE) },
	{ "uid", EVENT_BIT(EVENT_UID) | EVENT_BIT(EVENT_GID) },
	{ "sid", EVENT_BIT(EVENT_SID) },
	{ "all", EVENT_BIT(N_EVENT_KINDS) - 1 },
};

bool event_kinds_parse(const char *list, unsigned *kinds, bool *failures_only)
{
	struct span rest = span_text(list), item;
	bool all_exits = false;

	*kinds = 0;
	*failures_only = false;
	while (span_item(&rest, &item)) {
		unsigned found = 0;

		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (span_is(item, words[i].word))
				found = words[i].kinds;
		all_exits |= found & EVENT_BIT(EVENT_EXIT);
		if (span_is(item, "exitnonzero")) {
			*failures_only = true;
			found = EVENT_BIT(EVENT_EXIT);
		}
		if (!found)
			return false;
		*kinds |= found;
	}
	*failures_only &= !all_exits;
	return *kinds != 0;
}

static uint32_t number_of(const struct settings *settings, const char *name)
{
	const char *text = settings_get(settings, name);
	struct span span = span_text(text ? text : "");
	uint64_t number;

	return span_u64(&span, &number) && number <= UINT32_MAX ? (uint32_t)number : 0;
}

void event_filter_read(struct event_filter *filter, const struct settings *settings,
		       const struct scope *scope)
{
	const char *kinds = settings_get(settings, "events.events");

	memset(filter, 0, sizeof(*filter));
	if (!kinds || !event_kinds_parse(kinds, &filter->kinds, &filter->failures_only)) {
		filter->kinds = USUAL;
		filter->failures_only = false;
	}
	filter->group = number_of(settings, "events.group");
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
	memcpy(text, path.at, span_length(path));
	text[span_length(path)] = '\0';
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
	const char *group = settings_get(sample->settings, "events.group");
	uint64_t now_ns = env_mono_ns();

	if (!group || any_event ||
	    sample->env->foreign_pids) /* PIDs in /proc are those of another namespace */
		targets->group = true;
	if (!targets->group && (targets->searched_ns == 0 || now_ns - targets->searched_ns >= SEARCH_NS)) {
		targets->searched_ns = now_ns;
		targets->group = process_any_in_group(sample->env, group);
	}
	if (!targets->group)
		missing_targets_add_group(sample->frame, sample->request, sample->topic->schema->name, group);
	sample->frame->named_there |= targets->group && (group || any_event);
}
