/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events as the sources deliver them, in one form, not yet resolved to names; and an open source: perf, the
 * proc connector, or one of a test.
 */
#ifndef PANETOP_TOPIC_EVENT_EVENT_SOURCE_H
#define PANETOP_TOPIC_EVENT_EVENT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/vector.h"
#include "sys/env.h"
#include "topic/trace/trace.h"

#define EVENT_COMM_BYTES 16

enum event_kind {
	EVENT_FORK,
	EVENT_EXEC,
	EVENT_EXIT,
	EVENT_CORE,
	EVENT_COMM,
	EVENT_CLONE, /* a thread started; its end is an EVENT_EXIT whose tid differs from pid */
	EVENT_PTRACE,
	EVENT_UID,
	EVENT_GID,
	EVENT_SID,
	N_EVENT_KINDS,
};

#define EVENT_CORE_DUMPED 0x80 /* in exit codes */

#define EVENT_BIT(kind) (1u << (kind))

struct raw_event {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	enum event_kind kind;
	uint32_t pid, tid;
	uint32_t parent_pid;             /* FORK, CLONE: creator; EXIT: parent; 0: not known */
	uint32_t other_pid;              /* PTRACE: the tracer; 0: tracing ended */
	uint32_t real, effective;        /* UID, GID */
	uint32_t exit_code;              /* EXIT: as in wait(); UINT32_MAX: not known */
	char comm[EVENT_COMM_BYTES + 1]; /* EXEC, COMM; "": not known */
	bool by_exec;                    /* COMM: an EXEC of the same process follows */
	char *text;                      /* EXEC: file or command line, owned by the list; NULL: not known */
	bool is_command;                 /* text is a command line */
	size_t program_length;           /* of the first argument */
};

/* Events of all sources that are not resolved yet. */
struct raw_events {
	struct raw_event *list, *room; /* owned; room is for sorting */
	size_t count, capacity, room_capacity;
	struct recent_use recent;
};

/* Adds an event, all zero except its exit code; valid until the next call. */
struct raw_event *raw_events_add(struct raw_events *events);

/* By time; stable for events with the same time. */
void raw_events_sort(struct raw_events *events);

/* Drops the first count events and their texts. */
void raw_events_drop(struct raw_events *events, size_t count);
void raw_events_free(struct raw_events *events);

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

/* What opens them: env->events, or the kernel's: event_perf_open() and event_connector_open(). */
struct event_sources_of {
	struct event_source *(*perf)(struct env *env, size_t ring_bytes, const struct trace_set *arguments,
				     int *error);
	struct event_source *(*connector)(struct env *env, enum event_connector_kinds kinds,
					  size_t buffer_bytes, int *error);
};

/*
 * No event is missed after it returns. NULL and *error on failure: -EACCES or -EPERM where perf events of all
 * tasks are not permitted; -ENOENT or -ENOSYS without perf events; or another error. arguments: of
 * trace_plan_event, outlives it; where it is not open, or NULL, the tracepoint gives most of them.
 */
struct event_source *event_perf_open(struct env *env, size_t ring_bytes, const struct trace_set *arguments,
				     int *error);

/* Of execs alone, with their names; each makes a descriptor readable. */
struct event_source *event_perf_open_execs(struct env *env, size_t ring_bytes, int *error);

/*
 * No event of these kinds is missed after it returns, and the kernel drops others. NULL and *error on
 * failure: -ENOTSUP where env is not the live machine; -EPERM before Linux 6.6 without CAP_NET_ADMIN;
 * -ECONNREFUSED outside the initial network namespace; -ETIMEDOUT outside the initial pid or user namespace,
 * where the kernel accepts the request but never answers; -EPROTONOSUPPORT without CONFIG_PROC_EVENTS; or
 * another error. buffer_bytes: requested size of the socket buffer.
 */
struct event_source *event_connector_open(struct env *env, enum event_connector_kinds kinds,
					  size_t buffer_bytes, int *error);

#endif
