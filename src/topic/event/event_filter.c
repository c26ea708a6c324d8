/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Process filters are decided from what is already known: nothing is read from /proc here. */
#include <config.h>

#include "topic/event/event_filter.h"

#include <stdio.h>
#include <string.h>

#include "core/process_pattern.h"
#include "topic/cgroup.h"
#include "topic/process/missing_targets.h"
#include "topic/process/process_find.h"
#include "topic/users.h"

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

static void copy(char *to, const char *text)
{
	snprintf(to, EVENT_TEXT_MAX, "%s", text ? text : "");
}

void event_filter_read(struct event_filter *filter, const struct settings *settings, const char *processes)
{
	const char *kinds = settings_get(settings, "events.events");

	if (!kinds || !event_kinds_parse(kinds, &filter->kinds, &filter->failures_only)) {
		filter->kinds = USUAL;
		filter->failures_only = false;
	}
	copy(filter->processes, processes);
	copy(filter->cgroup, settings_get(settings, "events.cgroup"));
	filter->group = number_of(settings, "events.group");
	filter->tree = number_of(settings, "events.tree");
}

void event_filter_users(struct event_filter *filter, struct env *env, const char *users)
{
	struct span rest = span_text(users ? users : ""), item;

	filter->n_users = 0;
	while (filter->n_users < EVENT_USERS_MAX && span_item(&rest, &item))
		filter->n_users += users_number(env, item, &filter->users[filter->n_users]);
	if (users && filter->n_users == 0)
		filter->users[filter->n_users++] = UINT32_MAX; /* matches no process */
}

static bool matches_user(const struct event_filter *filter, const struct event_process *process)
{
	for (unsigned i = 0; i < filter->n_users; i++)
		if (filter->users[i] == process->effective_uid && process->effective_uid != UINT32_MAX)
			return true;
	return false;
}

/* Everything except the process list. */
static bool matches_place(const struct event_filter *filter, const struct event_process *process)
{
	return (!filter->group || process->group == (int64_t)filter->group) &&
	       (!filter->tree || process->in_tree) && (!*filter->cgroup || process->in_cgroup) &&
	       (filter->n_users == 0 || matches_user(filter, process));
}

bool event_filter_process(const struct event_filter *filter, const struct event_process *process)
{
	return matches_place(filter, process) &&
	       (!*filter->processes ||
		process_pattern_matches(span_text(filter->processes), process->pid,
					span_text(process->name->comm),
					span_of(process->name->command, process->name->program_length)));
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
	       (!*filter->processes || !file ||
		process_pattern_matches(span_text(filter->processes), pid, comm_of_file(file),
					span_text(file)));
}

bool event_filter_kind(const struct event_filter *filter, enum event_kind kind, bool of_thread,
		       uint32_t exit_code)
{
	if (kind == EVENT_EXIT && of_thread)
		return filter->kinds & EVENT_BIT(EVENT_CLONE);
	return filter->kinds & EVENT_BIT(kind) &&
	       !(kind == EVENT_EXIT && filter->failures_only && exit_code == 0);
}

bool event_cgroup_matches(struct span text, const char *cgroup)
{
	struct span line, number, controllers;
	size_t length = strlen(cgroup);

	while (length > 1 && cgroup[length - 1] == '/')
		length--;
	while (span_line(&text, &line)) {
		if (!span_until(&line, ':', &number) || !span_until(&line, ':', &controllers) ||
		    span_length(line) < length || memcmp(line.at, cgroup, length) != 0)
			continue;
		if (length == 1 || span_length(line) == length || line.at[length] == '/')
			return true;
	}
	return false;
}

/* Values of the options; NULL: not given. */
struct target_names {
	const char *processes, *tree, *group, *cgroup;
};

static void search(struct event_targets *targets, struct env *env, const struct target_names *names)
{
	uint64_t now_ns = env_mono_ns();

	if (targets->searched_ns > 0 && now_ns - targets->searched_ns < SEARCH_NS)
		return;
	targets->searched_ns = now_ns;
	targets->processes =
		targets->processes || !names->processes || process_any_matches(env, names->processes);
	targets->tree = targets->tree || !names->tree || process_any_matches(env, names->tree);
	targets->group = targets->group || !names->group || process_any_in_group(env, names->group);
	targets->cgroup = targets->cgroup || !names->cgroup || cgroup_may_exist(env, names->cgroup);
}

void event_targets_notices(struct event_targets *targets, struct sample *sample, bool any_event)
{
	const struct settings *settings = sample->settings;
	const struct sample_request *request = sample->request;
	const char *topic = sample->topic->schema->name;
	const struct target_names names = {
		.processes = request->processes,
		.tree = settings_get(settings, "events.tree"),
		.group = settings_get(settings, "events.group"),
		.cgroup = settings_get(settings, "events.cgroup"),
	};

	if (any_event || sample->env->foreign_pids) /* PIDs in /proc are those of another namespace */
		targets->processes = targets->tree = targets->group = targets->cgroup = true;
	if (!targets->processes || !targets->tree || !targets->group || !targets->cgroup)
		search(targets, sample->env, &names);
	if (!targets->processes)
		missing_targets_add_process(sample->frame, request, topic, names.processes);
	if (!targets->tree)
		missing_targets_add_process(sample->frame, request, topic, names.tree);
	if (!targets->group)
		missing_targets_add_group(sample->frame, request, topic, names.group);
	if (!targets->cgroup)
		missing_targets_add_cgroup(sample->frame, request, topic, names.cgroup);
	sample->frame->named_there |=
		targets->processes && targets->tree && targets->group && targets->cgroup;
}
