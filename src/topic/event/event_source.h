/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open source of process events: perf, the proc connector, or one of a test. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_SOURCE_H
#define PANETOP_TOPIC_EVENT_EVENT_SOURCE_H

#include "sys/env.h"
#include "topic/event/event_raw.h"
#include "topic/trace/trace.h"

/* The first member of what opened it. */
struct event_source {
	void (*close)(struct event_source *source);

	/* Adds the events that arrived; never blocks. exits: perf adds them only if requested. */
	void (*drain)(struct event_source *source, struct raw_events *events, bool exits);

	/* Writes at most room descriptors, which become readable with events; returns how many. */
	unsigned (*descriptors)(const struct event_source *source, int *fds, unsigned room);

	/* Lost records, before Linux 6.0 up to the last drain; lost messages, before 4.12 a lower bound. */
	uint64_t (*lost)(const struct event_source *source);

	/* Of perf: call it regularly, as CPUs go offline and come back. */
	void (*follow_cpus)(struct event_source *source);

	/*
	 * Of perf. Armed: descriptors become readable with the next event; otherwise when a ring is half
	 * full. False if some CPU has no alarm: its events are found only by draining.
	 */
	bool (*arm)(struct event_source *source, bool armed);

	uint64_t received; /* records or messages */
	unsigned n_cpus;   /* of perf: monitored ones */
	int exec_error;    /* of perf: of arguments; -ENOENT without BPF and tracefs, -EACCES, or -errno; 0 */
};

static inline void event_source_close(struct event_source *source) /* NULL is fine */
{
	if (source)
		source->close(source);
}

enum event_connector_kinds {
	EVENT_CONNECTOR_ALL,
	EVENT_CONNECTOR_BESIDE_PERF, /* those that perf does not provide */
	EVENT_CONNECTOR_EXECS,
};

/* What opens them: env->events, or the kernel's as of event_perf.h and event_connector.h. */
struct event_sources_of {
	struct event_source *(*perf)(struct env *env, size_t ring_bytes, const struct trace_set *arguments,
				     int *error);
	struct event_source *(*connector)(struct env *env, enum event_connector_kinds kinds,
					  size_t buffer_bytes, int *error);
};

#endif
