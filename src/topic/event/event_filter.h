/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that select events, and notices about selected processes and groups that do not exist. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_FILTER_H
#define PANETOP_TOPIC_EVENT_EVENT_FILTER_H

#include "topic/event/event_process.h"
#include "topic/topic.h"

#define EVENT_USERS_MAX 32
#define EVENT_TEXT_MAX 1024

struct event_filter {
	unsigned kinds;              /* of EVENT_BIT() */
	bool failures_only;          /* of the exits */
	char processes[EVENT_TEXT_MAX]; /* pids and names, with commas; "": all */
	uint32_t users[EVENT_USERS_MAX];
	unsigned n_users;            /* 0: all */
	uint32_t group, tree;        /* process group; root of a tree; 0: all */
	char cgroup[EVENT_TEXT_MAX]; /* path below the root of its hierarchy; "": all */
};

/* Parses "fork,exec,exit,exitnonzero,core,comm,clone,ptrace,uid,sid" or "all"; false for any other word. */
bool event_kinds_parse(const char *list, unsigned *kinds, bool *failures_only);

/* processes: of --pid; NULL: all. Leaves the users as they are. */
void event_filter_read(struct event_filter *filter, const struct settings *settings, const char *processes);

/* users: of --user; NULL: all. May wait for name services. */
void event_filter_users(struct event_filter *filter, struct env *env, const char *users);

/* Does the filter select this process? */
bool event_filter_process(const struct event_filter *filter, const struct event_process *process);

/*
 * Could the filter select a process that executes this file (NULL: not known)? A cheap check before anything
 * is looked up. process: as it was before the exec; NULL: not known.
 */
bool event_filter_start(const struct event_filter *filter, const struct event_process *process, uint32_t pid,
			const char *file);

/* Does the filter select events of this kind? exit_code as in wait(); UINT32_MAX: not known. */
bool event_filter_kind(const struct event_filter *filter, enum event_kind kind, bool of_thread,
		       uint32_t exit_code);

/* Does the text of /proc/PID/cgroup name this control group or one below it? */
bool event_cgroup_matches(struct span text, const char *cgroup);

/*
 * Which of the processes and groups that the options name have been seen. All zero before the first sample.
 */
struct event_targets {
	bool processes, tree, group, cgroup; /* seen; they are not looked for again */
	uint64_t searched_ns;                /* CLOCK_MONOTONIC of the last look */
};

/* Adds a notice for each target that was never seen. any_event: an event passed the filter. */
void event_targets_notices(struct event_targets *targets, struct sample *sample, bool any_event);

#endif
