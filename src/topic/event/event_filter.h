/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events of which processes are wanted; decided before anything costly is looked up. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_FILTER_H
#define PANETOP_TOPIC_EVENT_EVENT_FILTER_H

#include "core/settings.h"
#include "topic/event/event_process.h"

#define EVENT_USERS_MAX 32
#define EVENT_TEXT_MAX 1024

struct event_choice {
	unsigned kinds;              /* of EVENT_BIT() */
	bool failures_only;          /* of the exits */
	char processes[EVENT_TEXT_MAX]; /* pids and names, with commas; "": all */
	uint32_t users[EVENT_USERS_MAX];
	unsigned n_users;            /* 0: all */
	uint32_t group, tree;        /* process group; root of a tree; 0: all */
	char cgroup[EVENT_TEXT_MAX]; /* path below the root of its hierarchy; "": all */
};

/* "fork,exec,exit,exitnonzero,core,comm,clone,ptrace,uid,sid" or "all"; false for any other word. */
bool event_kinds_parse(const char *list, unsigned *kinds, bool *failures_only);

/* From the options of the events pane and --pid: all but the users. */
void event_choice_read(struct event_choice *choice, const struct settings *settings);

/* From --user; waits for the name services. */
void event_choice_users(struct event_choice *choice, struct env *env, const struct settings *settings);

/* The process itself, whatever the event. */
bool event_choice_process(const struct event_choice *choice, const struct event_process *process);

/*
 * Could one that starts this file (NULL: not known) be wanted, as far as is known before anything is looked
 * up? process: as it was until then; NULL: not known.
 */
bool event_choice_start(const struct event_choice *choice, const struct event_process *process, uint32_t pid,
			const char *file);

/* An event of this kind; exit_code as wait() has it, UINT32_MAX: not known. */
bool event_choice_kind(const struct event_choice *choice, enum event_kind kind, bool of_thread,
		       uint32_t exit_code);

/* Does the text of /proc/PID/cgroup name a group below this one? */
bool event_cgroup_matches(struct span text, const char *cgroup);

#endif
