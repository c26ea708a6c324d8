/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches the process that unwinds: whether it still goes on, and over whose files and stacks it did not. */
#ifndef PANETOP_TOPIC_PROFILE_PROFILE_WATCH_H
#define PANETOP_TOPIC_PROFILE_PROFILE_WATCH_H

#include "topic/profile/profile_child.h"

#define PROFILE_CULPRITS_MAX 64
#define PROFILE_STUCK_MAX 8

/* What the process that unwinds could not cope with. */
struct profile_culprit {
	uint32_t pid;
	uint64_t file;               /* key; 0: none */
	char path[PROFILE_NAME_MAX]; /* of it, as clean text; empty: none */
	char command[16];
	unsigned times;
	uint64_t last_ns, until_ns; /* until then it is left alone */
};

struct profile_watch { /* all zero is empty */
	struct profile_culprit list[PROFILE_CULPRITS_MAX];
	size_t n;
	uint32_t works; /* the one that is seen, since … */
	uint64_t since_ns, cpu_ns;
	char command[16]; /* whose it is */
	pid_t stuck[PROFILE_STUCK_MAX];
	size_t n_stuck;
};

/* Does it take too long over one stack? Asked several times a second. */
bool profile_watch_is_late(struct profile_watch *watch, const struct profile_shared *shared, pid_t child,
			   uint64_t now_ns);

/* After its end: what it was working on is left alone for a time, longer each time. */
void profile_watch_blame(struct profile_watch *watch, const struct profile_shared *shared, uint64_t now_ns);

/* What is left alone now: how many. */
size_t profile_watch_shunned(const struct profile_watch *watch,
			     struct code_shunned list[PROFILE_CULPRITS_MAX], uint64_t now_ns);

/* The last one of those minutes in which ends are counted, and how many ends there were; NULL: none. */
const struct profile_culprit *profile_watch_last(const struct profile_watch *watch, uint64_t now_ns,
						 unsigned *n_ended);

/* The kernel does not let it end: it is reaped when it does. */
void profile_watch_leave(struct profile_watch *watch, pid_t child);

/* Is there room for another one that does not end? */
bool profile_watch_reap(struct profile_watch *watch);

#endif
