/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes that the event reader knows, including exited ones; the options that select events, and
 * notices about selected processes and groups that do not exist.
 */
#ifndef PANETOP_TOPIC_EVENT_EVENT_PROCESS_H
#define PANETOP_TOPIC_EVENT_EVENT_PROCESS_H

#include "model/scope.h"
#include "sys/env.h"
#include "topic/event/event_source.h"
#include "topic/topic.h"

#define EVENT_PROCESSES_EXITED ((size_t)4096) /* kept for late events */

/* Names of a process; shared with processes that inherited them, and with a parent that has the same. */
struct event_name {
	unsigned users;
	size_t program_length; /* of the first argument, at the start of command */
	bool known;            /* false: no source gave a name */
	enum event_name_from {
		EVENT_NAME_COMM,    /* command is only comm, in brackets for kernel threads */
		EVENT_NAME_FILE,    /* … the executed file */
		EVENT_NAME_COMMAND, /* … the command line */
	} from;
	bool kernel; /* kernel thread */
	char comm[EVENT_COMM_BYTES + 1];
	char command[]; /* NUL-terminated */
};

/* Smallest last: there are thousands of them. */
struct event_process {
	uint64_t start_ns;    /* CLOCK_MONOTONIC; U64_UNKNOWN */
	uint64_t start_ticks; /* since boot, in USER_HZ; U64_UNKNOWN: not looked up yet */
	uint64_t end_ns;      /* 0 while it lives */
	uint64_t counted_ns;
	uint64_t exit_ns;  /* of the last thread that ended */
	uint64_t core_ns;  /* a core was announced by core_tid, which has not ended; 0: none */
	uint64_t check_ns; /* first_ended: when to look whether it still lives */
	uint64_t read_ns;  /* when its memory was last read */
	uint64_t resident_bytes, page_table_bytes; /* then; U64_UNKNOWN */
	struct event_name *name;                   /* never NULL */
	struct event_process *next;                /* in its bucket */
	uint32_t pid, parent_pid;
	uint32_t threads;   /* whose exit is still to come, by events after counted_ns */
	uint32_t exit_code; /* as of struct raw_event; set with first_ended */
	uint32_t core_tid;
	uint32_t core_code;               /* exit code of the thread that dumped a core; 0: none */
	uint32_t real_uid, effective_uid; /* UINT32_MAX: not known */
	int32_t terminal;                 /* as of struct pid_stat; -1: not known */
	int32_t group, session;           /* -1: not known */
	uint32_t tracer_pid;              /* 0: none known */
	unsigned places;  /* a bit for each term of the filter whose tree or control group it is in */
	bool first_ended; /* the thread whose TID is the PID, by an exit, not replaced by an exec */
	bool vanished;    /* it was gone at the last look */
	bool called;      /* comm was set by an exec whose event has not been resolved yet */
};

struct event_processes;

struct event_processes *event_processes_open(void);
void event_processes_close(struct event_processes *processes);

/* NULL if it is not known. */
struct event_process *event_processes_find(struct event_processes *processes, uint32_t pid);

/* Adds a process with unknown properties; replaces an earlier one with this PID. */
struct event_process *event_processes_add(struct event_processes *processes, uint32_t pid);

/* It exited; it is kept until EVENT_PROCESSES_EXITED others have exited. */
void event_processes_exit(struct event_processes *processes, struct event_process *process, uint64_t time_ns);

/* The child gets name, users, terminal and groups of its parent. */
void event_process_inherit(struct event_process *child, const struct event_process *parent);

/* It executed an unknown program. */
void event_processes_unname(struct event_processes *processes, struct event_process *process);

/* It executed a program. command: file or command line; NULL: only comm is known. */
void event_process_call(struct event_process *process, const char *comm, const char *command,
			size_t program_length, enum event_name_from from);

/* Changes only comm, not a command line. kernel: it is a kernel thread. */
void event_process_rename(struct event_process *process, const char *comm, bool kernel);

/* The process has the name of this one from now on, if both are the same. */
void event_process_share_name(struct event_process *process, const struct event_process *other);

/* Drops a reference; the last one frees the name. */
void event_name_drop(struct event_name *name);

struct event_filter {
	unsigned kinds;                           /* of EVENT_BIT() */
	bool failures_only;                       /* of the exits */
	uint32_t group;                           /* process group; 0: all */
	struct scope_term terms[SCOPE_TERMS_MAX]; /* a copy of the scope, as other threads read it */
	unsigned n_terms;
};

/* scope: NULL: all processes. */
void event_filter_read(struct event_filter *filter, const struct topic_settings *settings,
		       const struct scope *scope);

/* A bit for each term that this control group is in, among those of control groups. */
unsigned event_filter_groups(const struct event_filter *filter, struct span path);

/* A bit for each term of a tree; of those with this root. */
unsigned event_filter_trees(const struct event_filter *filter);
unsigned event_filter_roots(const struct event_filter *filter, uint32_t pid);
bool event_filter_needs_groups(const struct event_filter *filter);

/* Does the filter select this process? */
bool event_filter_process(const struct event_filter *filter, const struct event_process *process);

/*
 * Could the filter select a process that executes this file (NULL: not known)? A cheap check before anything
 * is looked up. process: as it was before the exec; NULL: not known.
 */
bool event_filter_start(const struct event_filter *filter, const struct event_process *process, uint32_t pid,
			const char *file);

/* Does the filter select events of this kind? exit_code as in wait(); UINT32_MAX: not known. */
bool event_filter_kind(const struct event_filter *filter, enum event_kind kind, bool of_thread,
		       uint32_t exit_code);

/* Was the process group of the options seen? All zero before the first sample. */
struct event_targets {
	bool group;           /* seen; it is not looked for again */
	uint64_t searched_ns; /* CLOCK_MONOTONIC of the last look */
};

/* Adds a notice if it was never seen. any_event: an event passed the filter. */
void event_targets_notices(struct event_targets *targets, struct sample *sample, bool any_event);

#endif
