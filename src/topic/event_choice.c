/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that choose events, and whether an event is among them. */
#include <config.h>

#include "topic/event_choice.h"

#include <stdio.h>
#include <string.h>

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

/* Is the program, the first word of a command, called so, its directory left aside? */
static bool is_program(const char *command, size_t length, struct span wanted)
{
	struct span program = span_of(command, length);

	for (const char *at = program.at; at < program.end; at++)
		if (*at == '/')
			program.at = at + 1;
	return span_length(wanted) == span_length(program) && span_length(program) > 0 &&
	       memcmp(wanted.at, program.at, span_length(program)) == 0;
}

/* By its pid, the name of the process or that of its program. */
static bool is_listed(const struct event_choice *choice, uint32_t pid, const char *comm, const char *command,
		      size_t program_length)
{
	struct span rest = span_text(choice->processes), item;

	while (span_item(&rest, &item)) {
		struct span digits = item;
		uint64_t number;

		if (span_u64(&digits, &number) && digits.at == digits.end
			    ? number == pid
			    : span_is(item, comm) || is_program(command, program_length, item))
			return true;
	}
	return false;
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
		is_listed(choice, process->pid, process->name->comm, process->name->command,
			  process->name->program_length));
}

bool event_choice_start(const struct event_choice *choice, const struct event_process *process, uint32_t pid,
			const char *file)
{
	return choice->kinds & EVENT_BIT(EVENT_EXEC) && (!process || is_in_place(choice, process)) &&
	       (!*choice->processes || !file || is_listed(choice, pid, "", file, strlen(file)));
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
