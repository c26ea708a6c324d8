/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Payload that processes send and receive through sockets, counted in the kernel, or of TCP by the sockets.
 */
#ifndef PANETOP_TOPIC_NETWORK_TRAFFIC_LIST_H
#define PANETOP_TOPIC_NETWORK_TRAFFIC_LIST_H

#include "model/settings.h"
#include "topic/network/interface_list.h"
#include "topic/network/socket_list.h"
#include "topic/trace/trace.h"

enum traffic_kind { TRAFFIC_TCP, TRAFFIC_UDP, TRAFFIC_UNIX, TRAFFIC_OTHER, N_TRAFFIC_KINDS };

struct traffic_bytes {
	uint64_t received[N_TRAFFIC_KINDS], sent[N_TRAFFIC_KINDS];
};

/* What the process with this pid did since counting began; a later one with its pid goes on in it. */
struct traffic {
	uint32_t pid;
	uint64_t tick;                      /* the last one in which it grew */
	uint64_t retransmitted, connections; /* of TCP, by its sockets; connections: at present … */
	bool knows_sockets;                  /* … if these are read, see socket_list_reads() */
	struct traffic_bytes total, before; /* before: at the end of the tick before */
	uint64_t start_ticks;               /* of the process, for traffic_of_process(); 0: not known yet */
	struct traffic_bytes base;          /* what processes had before it that had its pid */
};

/* What went through an interface, of our network namespace; since counting began. */
struct traffic_link {
	uint64_t index;                        /* of the interface; 0: not known through which */
	uint64_t received, sent;               /* by programs */
	uint64_t kernel_received, kernel_sent; /* by threads of the kernel */
	uint64_t datagrams_received, datagrams_sent;
	uint64_t old_bytes; /* of IPv4 */
	uint64_t again;     /* payload that TCP sent again; of one interface only with again_traced */
};

/* Counters of the kernel, and what they had in the last tick. */
struct traffic_counters {
	struct trace_set trace;
	bool opened;
	struct traffic_entry {
		uint64_t key[BPF_KEYS_MAX], sum, count, tick;
	} * entries; /* owned */
	size_t n_entries, capacity;
	struct hash by_key;
};

struct traffic_list {
	struct env *env;
	const struct sample_request *request;
	unsigned wanted; /* enum traffic_want, for the next update */
	struct traffic_counters processes, interfaces; /* interfaces: by process as well, for accounts */
	bool traced;        /* processes count, in this tick; false: see the error of their trace */
	bool knows_links;   /* interfaces were wanted once */
	bool links_traced;  /* all_links and links are counted, in this tick */
	bool again_traced;  /* so is what TCP sent again, else known by its sockets for all */
	struct socket_list *sockets;
	struct interface_list *wire; /* its counters are read next to those of links */
	int sockets_error;     /* -errno in this tick; 0 also if they were not wanted */
	uint64_t sockets_tick; /* in which they were read last */
	bool sockets_begun;
	struct traffic *all;    /* owned, as the others */
	size_t n_all, capacity;
	struct hash by_pid;
	uint64_t namespace; /* of our network; 0: unknown */
	struct traffic_link all_links, *links;
	size_t n_links, links_capacity;
};

/* The path of the source of TRACE_SOURCE in topics that use it. */
#define TRAFFIC_GIVES N_("payload of processes: TCP, UDP, UNIX")

extern const struct reader traffic_reader;

enum traffic_want {
	TRAFFIC_COUNTS = 1, /* what processes move, counted in the kernel */
	TRAFFIC_LINKS = 2,  /* the same by interface, by programs of their own, which cost more */

	/*
	 * Connections and what was sent again; and where the kernel does not count, payload of TCP. Bytes
	 * whose owner was not found before they closed are those of pid 0.
	 */
	TRAFFIC_SOCKETS = 4,
	TRAFFIC_ONLY_TCP = 8, /* for less: by what others want counted in the kernel, else by the sockets */
};

/* For the next update, of which the kernel ends what no topic wants any longer. */
void traffic_list_want(struct traffic_list *list, unsigned wanted);

/* With TRAFFIC_ONLY_TCP: is what it moved known, if only as nothing? */
bool traffic_list_knows_tcp(const struct traffic_list *list, uint32_t pid);

/* What the process did that began then. False: nothing. */
bool traffic_of_process(struct traffic_list *list, uint32_t pid, uint64_t start_ticks,
			struct traffic_bytes *bytes);

/* NULL: it has sent and received nothing, and has no connection. */
const struct traffic *traffic_list_find(const struct traffic_list *list, uint32_t pid);

/* NULL: nothing went through it. */
const struct traffic_link *traffic_list_link(const struct traffic_list *list, uint64_t index);

uint64_t traffic_received(const struct traffic_bytes *bytes);
uint64_t traffic_sent(const struct traffic_bytes *bytes);

#endif
