/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns raw events of all sources into complete ones: adds names, users and parents of the processes, applies
 * the filter and counts. Reads stat, status and cgroup of single processes, only a few per round.
 */
#ifndef PANETOP_TOPIC_EVENT_EVENT_RESOLVE_H
#define PANETOP_TOPIC_EVENT_EVENT_RESOLVE_H

#include "topic/event/event_batch.h"
#include "topic/event/event_process.h"

struct event_resolver {
	struct env *env; /* borrowed, of the thread that resolves */
	struct event_processes *processes;
	struct event_filter filter;
	struct event_statistics statistics;
	struct event_batch ready;      /* the events of this round */
	struct event_ended_list ended; /* all that exited, also those that the filter rejects */
	bool keeps_ended;
	uint64_t number;       /* of the last event */
	uint64_t unnamed;      /* events of processes without a known name */
	int64_t wall_ahead_ns; /* CLOCK_REALTIME less CLOCK_MONOTONIC */
	int64_t boot_ahead_ns; /* CLOCK_BOOTTIME less CLOCK_MONOTONIC */
	bool reports_users;    /* a source reports changes of users */
	unsigned reads_left;   /* processes that may still be read in this round */
	uint32_t *leaderless;  /* PIDs of processes whose first thread ended before others; owned */
	size_t n_leaderless, leaderless_capacity;
};

void event_resolve_open(struct event_resolver *resolver, struct env *env);
void event_resolve_free(struct event_resolver *resolver);

/* Adds all processes that exist now with their names, but without their command lines. */
void event_resolve_existing(struct event_resolver *resolver);

/* Replaces the filter; looks up tree and control group of all processes again where they changed. */
void event_resolve_set_filter(struct event_resolver *resolver, const struct event_filter *filter);

/* Starts a round: reads the clocks and allows further reads from /proc. */
void event_resolve_begin(struct event_resolver *resolver);
void event_resolve(struct event_resolver *resolver, const struct raw_event *raw);

/*
 * Looks whether processes without their first thread still live, as exits may be lost. Returns when to call
 * it again; U64_UNKNOWN: not needed before the next event.
 */
uint64_t event_resolve_leaderless(struct event_resolver *resolver);

#endif
