/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink: messages and attributes, queueing disciplines, sockets, and what happens to processes. */
#ifndef PANETOP_KERNEL_NET_NETLINK_H
#define PANETOP_KERNEL_NET_NETLINK_H

#include "core/span.h"
#include "core/unknown.h"

/* Netlink: the messages of a datagram, and the attributes of a message. */
struct netlink_message {
	uint16_t type;
	uint32_t sequence;
	struct span payload;
};

/* The next message of a datagram. False at its end, or with bytes left where the rest is malformed. */
bool netlink_next(struct span *datagram, struct netlink_message *message);

/* False when it is neither an acknowledgement nor an error; error is then 0 or -errno. */
bool netlink_ack(const struct netlink_message *message, int *error);

/* The value of the first attribute of this type; false when there is none before a malformed one. */
bool netlink_attribute(struct span attributes, uint16_t type, struct span *value);

/* Queueing disciplines of interfaces, as rtnetlink describes them. */
struct qdisc {
	uint32_t interface; /* the kernel's number of it */
	uint32_t handle;    /* another one has another, but all that the kernel chose itself have 0 */
	bool is_root;       /* counts for all below it; the others are part of one, or of what is received */
	uint32_t drops;     /* wraps */
	uint32_t waiting_bytes;
};

/* The payload of a message RTM_NEWQDISC; false when it is malformed, or has no numbers. */
bool qdisc_parse(struct span payload, struct qdisc *qdisc);

/* What it dropped since before, also where its counter wrapped or another one took its place meanwhile. */
uint32_t qdisc_dropped(const struct qdisc *before, const struct qdisc *now);

/* A request for those of all interfaces of the network namespace. */
#define QDISC_REQUEST_BYTES 64
unsigned qdisc_request(char request[QDISC_REQUEST_BYTES], uint32_t sequence);

/* Internet sockets as NETLINK_SOCK_DIAG describes them. */
struct sock_diag {
	uint8_t family, state; /* AF_INET or AF_INET6; TCP_ESTABLISHED … */
	uint16_t local_port, remote_port;
	unsigned char local[16], remote[16]; /* 4 of AF_INET */
	uint32_t uid, receive_queue, send_queue;
	uint64_t inode, cookie; /* inode 0: no process holds it any more */
	uint64_t dropped; /* packets, by the socket, as there was no room; U64_UNKNOWN: was not asked for */

	/* Of TCP; U64_UNKNOWN where the kernel does not give it. */
	uint64_t sent_bytes; /* payload, each byte once */
	uint64_t received_bytes, retransmitted_bytes, retransmits;
	uint64_t rtt_us, window; /* window: segments that may be in flight, by congestion control */
	uint64_t busy_us; /* data was sent and not acknowledged yet, or waited to be sent … */
	uint64_t receiver_limited_us, buffer_limited_us; /* … of it: held up by that */
};

/* The payload of a message SOCK_DIAG_BY_FAMILY; false when it is malformed. */
bool sock_diag_parse(struct span payload, struct sock_diag *diag);

/* Those of TCP that listen and those that do not are in tables of their own. */
enum sock_diag_kind { SOCK_DIAG_TCP, SOCK_DIAG_TCP_LISTENING, SOCK_DIAG_UDP };

/*
 * A request for all sockets of this family and kind. AF_UNSPEC: of TCP in both families, for which the
 * kernel walks its table once instead of twice.
 */
#define SOCK_DIAG_REQUEST_BYTES 80
unsigned sock_diag_request(char request[SOCK_DIAG_REQUEST_BYTES], uint8_t family, enum sock_diag_kind kind,
			   uint32_t sequence);

/* "10.0.0.1:443", "[::1]:8080"; an address of IPv4 within IPv6 as IPv4. */
#define SOCK_DIAG_ADDRESS_MAX 56
char *sock_diag_address(const struct sock_diag *diag, bool remote, char out[SOCK_DIAG_ADDRESS_MAX]);

/* As ss(8) calls it, N_(): "established", "listening"; "" for what is not connected. */
const char *sock_diag_state(const struct sock_diag *diag, bool tcp);

/* The proc connector: netlink messages of the kernel about forks, execs, changes and exits. */
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

/* taskstats, a generic netlink family of the kernel: the resources of a task, reported at its exit. */
#define U32_UNKNOWN UINT32_MAX
#define EXIT_COMM_BYTES 32 /* TS_COMM_LEN */

/* An exited thread. */
struct exit_record {
	uint32_t tid;
	uint32_t tgid;      /* its process; 0 before version 12 (Linux 5.19) */
	bool last;          /* its process ended with it; always false before version 12 */
	uint32_t uid;       /* real; U32_UNKNOWN */
	uint32_t parent_pid; /* of its process, when it exited; U32_UNKNOWN */
	/*
	 * Of this thread, as by wait(2); U32_UNKNOWN. Before version 12 the kernel reports 0 for all threads
	 * of a process but the first, so 0 is unknown there.
	 */
	uint32_t exit_code;
	/*
	 * U64_UNKNOWN; cpu_ns = user_ns + system_ns. A kernel that counts CPU time in ticks reports whole
	 * ticks: often 0 for short threads, correct in the sum over many, too little on a crowded CPU.
	 */
	uint64_t cpu_ns;
	/*
	 * By the scheduler's clock, in nanoseconds, but only up to its last update of the thread: up to a
	 * tick too little, so that short threads seem to have used almost nothing. U64_UNKNOWN.
	 */
	uint64_t run_ns;
	uint64_t user_ns, system_ns;
	uint64_t elapsed_ns; /* from start to exit; U64_UNKNOWN */
	uint64_t queued_ns;  /* part of it: runnable, waiting for a CPU; U64_UNKNOWN */
	uint64_t peak_kib;   /* peak resident memory of its process; 0: kernel thread; U64_UNKNOWN */
	uint64_t sleeps;     /* voluntary context switches; U64_UNKNOWN */
	uint64_t read_bytes, write_bytes; /* from and to storage, in whole KiB; U64_UNKNOWN */
	char comm[EXIT_COMM_BYTES + 1]; /* may contain any byte; "": unknown */
	uint16_t version;               /* of struct taskstats */
};

/* The answer to CTRL_CMD_GETFAMILY for TASKSTATS; false for other messages. */
bool taskstats_family(const struct netlink_message *message, uint16_t *family);

/*
 * The exited thread; false for other messages. Skips the sums of a process (TASKSTATS_TYPE_AGGR_TGID), which
 * may follow its last thread in the same message: they have no times.
 */
bool taskstats_exit(const struct netlink_message *message, uint16_t family, struct exit_record *record);

#endif
