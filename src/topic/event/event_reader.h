/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread that reads the sources of process events, and what samplers take from it. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_READER_H
#define PANETOP_TOPIC_EVENT_EVENT_READER_H

#include "topic/event/event_batch.h"
#include "topic/event/event_statistics.h"
#include "topic/topic.h"

/* The rights that the topics over it make use of: the connector has to be told to stop, too. */
#define EVENT_USES (PRIVILEGE_BIT(PRIVILEGE_NETLINK) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN))
#define EVENT_OPENING_USES                                                                                   \
	(PRIVILEGE_BIT(PRIVILEGE_PERF) | PRIVILEGE_BIT(PRIVILEGE_RINGS) | PRIVILEGE_BIT(PRIVILEGE_TRACING))

#define EVENT_THREAD "event thread" /* its name as a source: it may not be possible to start one */

struct event_reader;

/* How it is read, and what came; of the moment of the call. */
struct event_sources {
	int perf_error;      /* 0: it is read; else -errno */
	int exec_error;      /* of the tracepoint, likewise */
	int connector_error; /* likewise */
	int real_time_error; /* likewise; 0 also when it was not asked for */
	uint64_t perf_received, perf_lost;           /* records */
	uint64_t connector_received, connector_lost; /* messages */
	uint64_t queue_received, queue_lost; /* events that were chosen; those there was no room for */
	uint64_t unnamed;
	uint32_t stuck_pid;  /* whose command line has kept its reader for seconds; 0: none */
};

/*
 * Shared by all topics of sample->env; each that opens it closes it. The thread starts with the first, and no
 * event is missed from then on. Settings (those of the events pane) and request are borrowed.
 */
struct event_reader *event_reader_open(const struct sample *sample);
void event_reader_close(struct event_reader *reader, struct env *env);

/* Once per tick: lets the thread know when settings have changed. 0, or -errno when no source can be read. */
int event_reader_update(struct event_reader *reader, struct env *env);

/* One more (1), or less (-1), who takes events: while there is unnamed_process they are only counted. */
void event_reader_add_collector(struct event_reader *reader, int change);

/* The events since the last call; taken is emptied, and filled. */
void event_reader_collect(struct event_reader *reader, struct event_batch *taken);

/* The processes that ended since the last call, from the first call on; taken is emptied, and filled. */
void event_reader_collect_ended(struct event_reader *reader, struct event_ended_list *taken);

/* Calls look with the statistics, which the thread leaves alone meanwhile. since_ns: how long it counts. */
void event_reader_read_statistics(struct event_reader *reader,
				  void (*look)(void *context, const struct event_statistics *statistics,
					       uint64_t since_ns),
				  void *context);

void event_reader_sources(struct event_reader *reader, struct event_sources *sources);

/* An eventfd that becomes readable when there are events to take, at most ten times a second. */
int event_reader_bell(const struct event_reader *reader);

#endif
