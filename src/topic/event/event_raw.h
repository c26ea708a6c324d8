/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a source of process events tells: the same form for all sources, not yet joined with names. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_RAW_H
#define PANETOP_TOPIC_EVENT_EVENT_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_COMM_BYTES 16

enum event_kind {
	EVENT_FORK,
	EVENT_EXEC,
	EVENT_EXIT,
	EVENT_CORE,
	EVENT_COMM,
	EVENT_CLONE, /* a thread began; its end is an EVENT_EXIT whose tid is not its pid */
	EVENT_PTRACE,
	EVENT_UID,
	EVENT_GID,
	EVENT_SID,
	N_EVENT_KINDS,
};

#define EVENT_BIT(kind) (1u << (kind))

struct raw_event {
	uint64_t time_ns;        /* CLOCK_MONOTONIC */
	enum event_kind kind;
	uint32_t pid, tid;
	uint32_t parent_pid;     /* FORK, CLONE: who made it; EXIT: of whom it is a child; 0: not told */
	uint32_t other_pid;      /* PTRACE: the tracer, 0 when unnamed_process traces any more */
	uint32_t real, effective; /* UID, GID */
	uint32_t exit_code;      /* EXIT: as wait() has it; UINT32_MAX: not told */
	char comm[EVENT_COMM_BYTES + 1]; /* EXEC, COMM: "" when not told */
	bool by_exec;            /* COMM: an EXEC of the same process follows */
	char *text;              /* EXEC: of the list: the file, or the command line; NULL: not told */
	bool is_command;         /* text is the command line */
	size_t program_length;   /* of its first argument */
};

/* What came and was not used yet, of all sources. */
struct raw_events {
	struct raw_event *list, *room; /* owned; room is for sorting */
	size_t count, capacity, room_capacity;
};

/* A new last one, all zero but its exit code, valid until the next one is added. */
struct raw_event *raw_events_add(struct raw_events *events);

/* By time; those of one source that were told in one moment stay in their order. */
void raw_events_sort(struct raw_events *events);

/* Drops the first ones with their texts: what they say was used. */
void raw_events_drop(struct raw_events *events, size_t count);
void raw_events_free(struct raw_events *events);

#endif
