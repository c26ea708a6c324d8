/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sources tell, joined with what is known of the processes: events as people want them. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_JOIN_H
#define PANETOP_TOPIC_EVENT_EVENT_JOIN_H

#include "topic/event/event_batch.h"
#include "topic/event/event_ended.h"
#include "topic/event/event_filter.h"
#include "topic/event/event_statistics.h"

struct event_join {
	struct env *env;       /* borrowed, of the thread that joins */
	struct event_processes *processes;
	struct event_choice choice;
	struct event_statistics statistics;
	struct event_batch ready; /* the events of this round */
	struct event_ended_list ended; /* chosen or not, if they are kept */
	bool keeps_ended;
	uint64_t number;       /* of the last event */
	uint64_t unnamed;      /* events of processes that nobody could name */
	int64_t wall_ahead_ns; /* CLOCK_REALTIME less CLOCK_MONOTONIC */
	int64_t boot_ahead_ns; /* CLOCK_BOOTTIME less CLOCK_MONOTONIC */
	bool told_users;       /* a source tells when users change */
	unsigned reads_left;   /* how many processes may still be looked at in this round */
};

void event_join_open(struct event_join *join, struct env *env);
void event_join_free(struct event_join *join);

/* To be called at the start of a round, for the clocks. */
void event_join_begin(struct event_join *join);
void event_join_take(struct event_join *join, const struct raw_event *raw);

#endif
