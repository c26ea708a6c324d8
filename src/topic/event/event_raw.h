/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events as the sources deliver them, in one form, not yet resolved to names. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_RAW_H
#define PANETOP_TOPIC_EVENT_EVENT_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/vector.h"

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
	uint64_t time_ns;        /* CLOCK_MONOTONIC */
	enum event_kind kind;
	uint32_t pid, tid;
	uint32_t parent_pid;      /* FORK, CLONE: creator; EXIT: parent; 0: not known */
	uint32_t other_pid;       /* PTRACE: the tracer; 0: tracing ended */
	uint32_t real, effective; /* UID, GID */
	uint32_t exit_code;       /* EXIT: as in wait(); UINT32_MAX: not known */
	char comm[EVENT_COMM_BYTES + 1]; /* EXEC, COMM; "": not known */
	bool by_exec;            /* COMM: an EXEC of the same process follows */
	char *text;              /* EXEC: file or command line, owned by the list; NULL: not known */
	bool is_command;         /* text is a command line */
	size_t program_length;   /* of the first argument */
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

#endif
