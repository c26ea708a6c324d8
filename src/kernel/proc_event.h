/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The proc connector: netlink messages of the kernel about forks, execs, changes and exits. */
#ifndef PANETOP_KERNEL_PROC_EVENT_H
#define PANETOP_KERNEL_PROC_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

#define PROC_COMM_BYTES 16

enum proc_event_kind {
	PROC_EVENT_KIND_ACK,   /* the answer to a request, also of another program: error, acknowledged */
	PROC_EVENT_KIND_FORK,  /* pid, tid: the new task; with the pid of its creator: a thread */
	PROC_EVENT_KIND_EXEC,
	PROC_EVENT_KIND_UID,   /* real, effective */
	PROC_EVENT_KIND_GID,   /* real, effective */
	PROC_EVENT_KIND_SID,
	PROC_EVENT_KIND_PTRACE, /* other_pid: the tracer; 0: none any longer */
	PROC_EVENT_KIND_COMM,  /* comm */
	PROC_EVENT_KIND_CORE,  /* a core is about to be dumped */
	PROC_EVENT_KIND_EXIT,  /* exit_code, parents on newer kernels */
	PROC_EVENT_KIND_OTHER, /* a kind newer than this program */
};

struct proc_event {
	enum proc_event_kind kind;
	uint64_t time_ns;         /* CLOCK_MONOTONIC */
	uint32_t cpu, sequence;   /* sequence: per CPU */
	uint32_t tid, pid;        /* the thread, and its process; pid == tid: the first thread */
	/*
	 * FORK: the parent process; for a new thread, the parent of its process. EXIT, CORE: since Linux
	 * 4.18. 0: unknown, as at the exit of a thread that is not the first.
	 */
	uint32_t parent_tid, parent_pid;
	uint32_t other_tid, other_pid;   /* PTRACE: the tracer */
	uint32_t real, effective; /* UID, GID */
	uint32_t exit_code;       /* EXIT: as by wait(2) */
	char comm[PROC_COMM_BYTES + 1]; /* COMM; may contain any byte but NUL */
	uint32_t acknowledged, error;   /* ACK: the request, and a positive errno, or 0 */
};

/*
 * The next event of a datagram; skips other messages. False at its end, or with bytes left where the rest is
 * malformed.
 */
bool proc_event_next(struct span *datagram, struct proc_event *event);

/* For filters: where a datagram has the code of its event, a word in the order of this machine. */
#define PROC_EVENT_CODE_AT 36
uint32_t proc_event_code(enum proc_event_kind kind); /* not of PROC_EVENT_KIND_OTHER */

#define PROC_REQUEST_BYTES_MAX 64

/*
 * Requests for events, as PROC_CN_MCAST_LISTEN. Only LISTEN is acknowledged to the requester: the new filter
 * removes the acknowledgements of the others (Linux 6.18). So listen to all kinds first.
 */
enum proc_request {
	PROC_REQUEST_LISTEN,      /* to all kinds; all kernels */
	PROC_REQUEST_LISTEN_SOME, /* only to these kinds; since Linux 6.6, ignored by older kernels */
	PROC_REQUEST_IGNORE,
};

/*
 * Writes a request into bytes and returns its length. kinds: bits 1 << enum proc_event_kind, for LISTEN_SOME
 * only; 0: all kinds. The answer has number + 1 as acknowledged.
 */
size_t proc_request_write(char bytes[PROC_REQUEST_BYTES_MAX], enum proc_request request, uint32_t kinds,
			  uint32_t number, uint32_t own_pid);

#endif
