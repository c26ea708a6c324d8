/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes as the reader of events knows them: who they are, also when they are long gone. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_PROCESS_H
#define PANETOP_TOPIC_EVENT_EVENT_PROCESS_H

#include "sys/env.h"
#include "topic/event/event_raw.h"

#define EVENT_PROCESSES_EXITED ((size_t)4096) /* kept, for what is told of them late */

/* How a process is called; shared by those that inherited it. */
struct event_name {
	unsigned users;
	size_t program_length;  /* of its first argument, which command starts with */
	bool known;             /* false: it stands for a process of which unnamed_process told anything */
	enum event_name_from {
		EVENT_NAME_COMM,    /* command is only comm, of a thread of the kernel in brackets */
		EVENT_NAME_FILE,    /* … the file that was started */
		EVENT_NAME_COMMAND, /* … the command line */
	} from;
	bool kernel;            /* it is a thread of the kernel */
	char comm[EVENT_COMM_BYTES + 1];
	char command[];         /* NUL-terminated */
};

struct event_process {
	uint32_t pid, parent_pid;
	uint64_t start_ns;      /* CLOCK_MONOTONIC; U64_UNKNOWN */
	uint64_t start_ticks;   /* since boot, in USER_HZ; U64_UNKNOWN: unnamed_process asked yet */
	uint64_t end_ns;        /* 0 while it lives */
	uint32_t real_uid, effective_uid; /* UINT32_MAX: not known */
	int64_t terminal;       /* as of struct pid_stat; -1: not known */
	int64_t group, session; /* -1: not known */
	bool called;            /* comm is of a program whose exec is still to be told */
	uint32_t tracer_pid;    /* 0: none that we saw */
	bool in_tree;           /* it is, or descends from, the process of --tree */
	bool in_cgroup;         /* as of the cgroup filter, found out when it was started or changed */
	uint64_t read_ns;       /* when its memory was read last */
	uint64_t resident_bytes, page_table_bytes; /* then; U64_UNKNOWN */
	struct event_name *name; /* never NULL */
	struct event_process *next; /* in its bucket, or among the free ones */
};

struct event_processes;

struct event_processes *event_processes_open(void);
void event_processes_close(struct event_processes *processes);

/* NULL when nothing is known of it. */
struct event_process *event_processes_find(struct event_processes *processes, uint32_t pid);

/* Makes it known; what was known of an earlier one with this pid is forgotten. All is unknown in it. */
struct event_process *event_processes_add(struct event_processes *processes, uint32_t pid);

/* It ended; it stays known until many others have. */
void event_processes_exit(struct event_processes *processes, struct event_process *process, uint64_t time_ns);

/* The child is called as its parent, and has its users, terminal and groups. */
void event_process_inherit(struct event_process *child, const struct event_process *parent);

/* It is another program now, and unnamed_process told which. */
void event_processes_unname(struct event_processes *processes, struct event_process *process);

/* It is another program now: command is its file or command line, or NULL when only comm is known. */
void event_process_call(struct event_process *process, const char *comm, const char *command,
			size_t program_length, enum event_name_from from);

/* Only comm changes; a command line stays what it was. kernel: it is a thread of the kernel. */
void event_process_rename(struct event_process *process, const char *comm, bool kernel);

/* The last user of a name frees it. */
void event_name_drop(struct event_name *name);

#endif
