/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The proc connector: netlink messages of the kernel about processes that start, change and end. */
#ifndef PANETOP_KERNEL_PROC_EVENT_H
#define PANETOP_KERNEL_PROC_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

#define PROC_COMM_BYTES 16

enum proc_event_kind {
	PROC_EVENT_KIND_ACK,   /* the answer to a request of somebody: error, acknowledged */
	PROC_EVENT_KIND_FORK,  /* pid, tid: the new one; of the same process: a thread */
	PROC_EVENT_KIND_EXEC,
	PROC_EVENT_KIND_UID,   /* real, effective */
	PROC_EVENT_KIND_GID,   /* real, effective */
	PROC_EVENT_KIND_SID,
	PROC_EVENT_KIND_PTRACE, /* other_pid: who traces now; 0: nobody any more */
	PROC_EVENT_KIND_COMM,  /* comm */
	PROC_EVENT_KIND_CORE,  /* a core is about to be dumped */
	PROC_EVENT_KIND_EXIT,  /* exit_code, parents where the kernel tells them */
	PROC_EVENT_KIND_OTHER, /* one that is newer than this program */
};

struct proc_event {
	enum proc_event_kind kind;
	uint64_t time_ns;         /* CLOCK_MONOTONIC */
	uint32_t cpu, sequence;   /* sequence: of the messages of that CPU */
	uint32_t tid, pid;        /* the thread, and its process; pid == tid: the first thread */
	/*
	 * FORK: of the process that is now the parent: of a new thread, the parent of its process. EXIT,
	 * CORE: since Linux 4.18. 0: not told, as when a thread ends that is not the first.
	 */
	uint32_t parent_tid, parent_pid;
	uint32_t other_tid, other_pid;   /* PTRACE: the tracer */
	uint32_t real, effective; /* UID, GID */
	uint32_t exit_code;       /* EXIT: as wait() has it */
	char comm[PROC_COMM_BYTES + 1]; /* COMM; may hold any byte but NUL */
	uint32_t acknowledged, error;   /* ACK: of the request, and a positive errno, 0 when it was granted */
};

/*
 * Eats the next event of a datagram; messages that are none are passed over. False at its end, and where
 * what is left is not well-formed: then some bytes are left.
 */
bool proc_event_next(struct span *datagram, struct proc_event *event);

#define PROC_REQUEST_BYTES_MAX 64

/*
 * What the kernel is to tell, as of PROC_CN_MCAST_LISTEN. Only LISTEN is acknowledged to who asks: the
 * acknowledgements of the others fall to their own filter (Linux 6.18). So listen to everything first.
 */
enum proc_request {
	PROC_REQUEST_LISTEN,      /* to everything; all kernels */
	PROC_REQUEST_LISTEN_SOME, /* only to what kinds says; since Linux 6.6, older ones pass over it */
	PROC_REQUEST_IGNORE,
};

/*
 * Writes a request into bytes: its length. kinds: bits 1 << enum proc_event_kind, read for LISTEN_SOME only;
 * none, and the kernel tells all. number comes back, plus one, as acknowledged.
 */
size_t proc_request_write(char bytes[PROC_REQUEST_BYTES_MAX], enum proc_request request, uint32_t kinds,
			  uint32_t number, uint32_t own_pid);

#endif
