/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches rules: by the kernel where it can wait for them, else in the frames of the run; runs their
 * commands. */
#ifndef PANETOP_APP_RULE_WATCH_H
#define PANETOP_APP_RULE_WATCH_H

#include "app/rule_list.h"
#include "model/frame.h"
#include "sys/env.h"
#include "sys/loop.h"

struct rule_watch;

/* How a run uses it. */
struct rule_watch_plan {
	const struct rule_list *rules; /* at most PROCESS_ENDS_NAMES_MAX about ends; borrowed */
	struct env *env;               /* of the live machine; borrowed */
	bool output;                   /* see rule_commands_open() */
	size_t files;
	struct firing_log *log;         /* gets what fired, when its command has ended; borrowed */
	void (*changed)(void *context); /* something fired, or woke up, between two samples; may be NULL */
	void *context;
	bool may_sleep; /* where the kernel waits, no topic is sampled meanwhile */
};

/* NULL after an error message. */
struct rule_watch *rule_watch_open(const struct rule_watch_plan *plan);
void rule_watch_close(struct rule_watch *watch); /* NULL is fine */

/* Has the loop wait for what the rules wait for. 0 or -errno. */
int rule_watch_join(struct rule_watch *watch, struct loop *loop);

/*
 * Marks the topics, by index, that have to be sampled now. False: there is nothing to do until the loop says
 * so.
 */
bool rule_watch_want(const struct rule_watch *watch, bool *wanted);

/* Marks all topics that some rule may want at some time. */
void rule_watch_want_all(const struct rule_watch *watch, bool *wanted);

/* How often rules have fired so far. */
uint64_t rule_watch_fired(const struct rule_watch *watch);

/*
 * Once each delay: judges what the frame has, and adds what holds to its findings. NULL: no topic was wanted.
 */
void rule_watch_take(struct rule_watch *watch, struct frame *frame);

#endif
