/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Payload that processes send and receive through sockets, counted in the kernel. */
#ifndef PANETOP_TOPIC_PROCESS_TRAFFIC_LIST_H
#define PANETOP_TOPIC_PROCESS_TRAFFIC_LIST_H

#include "core/hash.h"
#include "model/sample_request.h"
#include "sys/env.h"
#include "topic/trace/trace.h"

enum traffic_kind { TRAFFIC_TCP, TRAFFIC_UDP, TRAFFIC_UNIX, TRAFFIC_OTHER, N_TRAFFIC_KINDS };

struct traffic_bytes {
	uint64_t received[N_TRAFFIC_KINDS], sent[N_TRAFFIC_KINDS];
};

/* What the process with this pid did since counting began; a later one with its pid goes on in it. */
struct traffic {
	uint32_t pid;
	uint64_t tick;                      /* the last one in which it grew */
	struct traffic_bytes total, before; /* before: at the end of the tick before */
	uint64_t start_ticks;               /* of the process, for traffic_of_process(); 0: not known yet */
	struct traffic_bytes base;          /* what processes had before it that had its pid */
};

struct traffic_list {
	struct env *env;
	const struct sample_request *request;
	struct trace_set trace;
	bool opened, traced;
	uint64_t tick, mono_ns; /* of the last update */
	struct traffic *all;    /* owned, as the others */
	size_t n_all, capacity;
	struct hash by_pid;
	struct traffic_entry { /* a counter of the kernel */
		uint64_t key[BPF_KEYS_MAX], sum, tick;
	} * entries;
	size_t n_entries, entries_capacity;
	struct hash by_key;
};

/* The path of the source of TRACE_SOURCE in topics that use it. */
#define TRAFFIC_GIVES N_("payload of processes: TCP, UDP, UNIX")

/* Shared by all samplers of env; each that opens it closes it. */
struct traffic_list *traffic_list_open(struct env *env, const struct sample_request *request);
void traffic_list_close(struct env *env);

/* Once per tick; more calls do nothing. False: nothing is counted, see list->trace.error. */
bool traffic_list_update(struct traffic_list *list);

/* What the process did that began then. False: nothing. */
bool traffic_of_process(struct traffic_list *list, uint32_t pid, uint64_t start_ticks,
			struct traffic_bytes *bytes);

uint64_t traffic_received(const struct traffic_bytes *bytes);
uint64_t traffic_sent(const struct traffic_bytes *bytes);

#endif
