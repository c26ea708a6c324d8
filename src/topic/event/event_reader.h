/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that reads the sources of process events, what it hands to samplers, and notices about sources.
 */
#ifndef PANETOP_TOPIC_EVENT_EVENT_READER_H
#define PANETOP_TOPIC_EVENT_EVENT_READER_H

#include <pthread.h>

#include "topic/event/event_batch.h"
#include "topic/reader.h"
#include "topic/topic.h"
#include "topic/trace/trace.h"

/* Privileges that the event topics use, also to unsubscribe from the connector. */
#define EVENT_USES (PRIVILEGE_BIT(PRIVILEGE_NETLINK) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN))
#define EVENT_OPENING_USES                                                                                   \
	(PRIVILEGE_BIT(PRIVILEGE_PERF) | PRIVILEGE_BIT(PRIVILEGE_RINGS) | PRIVILEGE_BIT(PRIVILEGE_TRACING) | \
	 PRIVILEGE_BIT(PRIVILEGE_BPF))

#define EVENT_THREAD "event thread" /* its name as a source: starting it may fail */

struct event_reader;

/* State and counters of the sources. */
struct event_sources {
	int perf_error;                              /* 0: it is read; else -errno */
	int exec_error;                              /* of the tracepoint, likewise */
	int connector_error;                         /* likewise */
	int real_time_error;                         /* likewise; 0 also if it was not requested */
	uint64_t perf_received, perf_lost;           /* records */
	uint64_t connector_received, connector_lost; /* messages */
	uint64_t queue_received, queue_lost;         /* selected events; those beyond the size of the queue */
	uint64_t unnamed;
	uint32_t stuck_pid; /* reading its command line has blocked for seconds; 0: none */
};

/* What the thread has for samplers: the first member of the reader. A test without sources puts it there. */
struct event_handed {
	pthread_mutex_t lock; /* of all members, and of what statistics have */
	struct event_batch ready;
	unsigned collectors; /* samplers that collect events; without any, events are only counted */
	struct event_sources sources;
	const struct event_statistics *statistics;
	uint64_t start_ns; /* since when they count, by CLOCK_MONOTONIC */
	int error;         /* -errno: why the thread does not run */
};

/*
 * The thread starts when it is opened, and no event is missed from then on: until the first update or
 * collection everything is kept for those who say meanwhile that they collect. An update passes changed
 * settings to the thread; it fails if no source can be read.
 */
extern const struct reader process_event_reader;

/* Adds (1) or removes (-1) a sampler that collects events; without any, events are only counted. */
void event_reader_add_collector(struct event_reader *reader, int change);

/* Replaces the contents of taken by the events since the last call. */
void event_reader_collect(struct event_reader *reader, struct event_batch *taken);

/* From then on processes that exit are kept to be collected. */
void event_reader_keep_ended(struct event_reader *reader);

/* Replaces the contents of taken by the processes that exited since the last call. */
void event_reader_collect_ended(struct event_reader *reader, struct event_ended_list *taken);

/* Calls read with the statistics while they are locked. since_ns: time since counting began. */
void event_reader_read_statistics(struct event_reader *reader,
				  void (*read)(void *context, const struct event_statistics *statistics,
					       uint64_t since_ns),
				  void *context);

void event_reader_sources(struct event_reader *reader, struct event_sources *sources);

/* The program that copies the arguments of execs; its error where there is none. */
const struct trace_set *event_reader_arguments(const struct event_reader *reader);

/* False: no source can be read, or there is no thread for it. */
bool event_reader_runs(const struct event_reader *reader);

/* An eventfd that becomes readable when events are ready, at most ten times a second. */
int event_reader_bell(const struct event_reader *reader);

extern const struct source_spec event_source_specs[]; /* "perf", "connector" … */

void event_notices(struct event_reader *reader, const struct env *env, struct frame *frame,
		   const char *topic);

/* Members that the event topics share. */
#define EVENT_TOPIC                                                                                          \
	.sources = event_source_specs, .uses = EVENT_USES, .opening_uses = EVENT_OPENING_USES,               \
	.setting = "events.real-time", .setting_uses = PRIVILEGE_BIT(PRIVILEGE_REAL_TIME)

#endif
