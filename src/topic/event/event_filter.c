/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that choose events, and whether an event is among them. */
#include <config.h>

#include "topic/event/event_filter.h"

#include <stdio.h>
#include <string.h>

#include "core/process_pattern.h"
#include "topic/users.h"

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

void event_choice_read(struct event_choice *choice, const struct settings *settings)
{
	const char *kinds = settings_get(settings, "events.events");

	if (!kinds || !event_kinds_parse(kinds, &choice->kinds, &choice->failures_only)) {
		choice->kinds = USUAL;
		choice->failures_only = false;
	}
	copy(choice->processes, settings_get(settings, "run.pid"));
	copy(choice->cgroup, settings_get(settings, "events.cgroup"));
	choice->group = number_of(settings, "events.group");
	choice->tree = number_of(settings, "events.tree");
}

void event_choice_users(struct event_choice *choice, struct env *env, const struct settings *settings)
{
	const char *users = settings_get(settings, "run.user");
	struct span rest = span_text(users ? users : ""), item;

	choice->n_users = 0;
	while (choice->n_users < EVENT_USERS_MAX && span_item(&rest, &item))
		choice->n_users += users_number(env, item, &choice->users[choice->n_users]);
	if (users && choice->n_users == 0)
		choice->users[choice->n_users++] = UINT32_MAX; /* of nobody, then */
}

static bool is_of_user(const struct event_choice *choice, const struct event_process *process)
{
	for (unsigned i = 0; i < choice->n_users; i++)
		if (choice->users[i] == process->effective_uid && process->effective_uid != UINT32_MAX)
			return true;
	return false;
}

/* All but its name. */
static bool is_in_place(const struct event_choice *choice, const struct event_process *process)
{
	return (!choice->group || process->group == (int64_t)choice->group) &&
	       (!choice->tree || process->in_tree) && (!*choice->cgroup || process->in_cgroup) &&
	       (choice->n_users == 0 || is_of_user(choice, process));
}

bool event_choice_process(const struct event_choice *choice, const struct event_process *process)
{
	return is_in_place(choice, process) &&
	       (!*choice->processes ||
		listed_process(span_text(choice->processes), process->pid, span_text(process->name->comm),
			       span_of(process->name->command, process->name->program_length)));
}

/* What the kernel will call a process that starts this file. */
static struct span name_after(const char *file)
{
	const char *slash = strrchr(file, '/');
	struct span name = span_text(slash ? slash + 1 : file);

	if (span_length(name) > LISTED_NAME_MAX)
		name.end = name.at + LISTED_NAME_MAX;
	return name;
}

bool event_choice_start(const struct event_choice *choice, const struct event_process *process, uint32_t pid,
			const char *file)
{
	return choice->kinds & EVENT_BIT(EVENT_EXEC) && (!process || is_in_place(choice, process)) &&
	       (!*choice->processes || !file ||
		listed_process(span_text(choice->processes), pid, name_after(file), span_text(file)));
}

bool event_choice_kind(const struct event_choice *choice, enum event_kind kind, bool of_thread,
		       uint32_t exit_code)
{
	if (kind == EVENT_EXIT && of_thread)
		return choice->kinds & EVENT_BIT(EVENT_CLONE);
	return choice->kinds & EVENT_BIT(kind) &&
	       !(kind == EVENT_EXIT && choice->failures_only && exit_code == 0);
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
