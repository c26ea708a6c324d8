/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "traffic": payload that each process receives and sends. Keys of the counters in the kernel, what a
 * program adds to them, and how counts reach processes and links.
 */
#include <config.h>

#include "topic/network/traffic_list.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/i18n.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "sys/pids.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

#define ENTRIES_MAX 32768
#define ABSENT_TICKS 2 /* without growth, until the counter of a process that ended is removed */

/* The words of a key: few, as each costs at every send and receive. */
enum word { WORD_SOCKET, WORD_LINK, N_WORDS };

/* The parts of the first, and of the second. */
enum part { PART_PID, PART_SENT, PART_FAMILY, PART_PROTOCOL, PART_NAMESPACE, PART_INTERFACE, N_PARTS };
#define SENT_SHIFT 32
#define FAMILY_SHIFT 33
#define PROTOCOL_SHIFT 48
#define INTERFACE_SHIFT 32

#define TRACEPOINT_AGAIN "tcp_retransmit_skb"
#define PROTOCOL_AGAIN UINT16_MAX

static uint32_t pid_of(const uint64_t *key)
{
	return (uint32_t)key[WORD_SOCKET];
}

static bool is_sent(const uint64_t *key)
{
	return key[WORD_SOCKET] >> SENT_SHIFT & 1;
}

static unsigned family_of(const uint64_t *key)
{
	return key[WORD_SOCKET] >> FAMILY_SHIFT & 0x7fff;
}

static unsigned protocol_of(const uint64_t *key)
{
	return (unsigned)(key[WORD_SOCKET] >> PROTOCOL_SHIFT);
}

/* Their arguments: the socket, bytes or an error, flags. What is only looked at is received again later. */
#define PROGRAMS(parts, ...)                                                                                 \
	{                                                                                                    \
		.name = N_("bytes sent by sockets"),                                                         \
		.tracepoint = "sock_send_length",                                                            \
		.typed = true,                                                                               \
		.does = &bpf_count,                                                                          \
		.keys = { SOCKET_PARTS(1), __VA_ARGS__ },                                                    \
		.n_keys = parts,                                                                             \
		.value = { .is = BPF_PART_ARGUMENT, .argument = 1, .bytes = 4 },                             \
		.positive = true,                                                                            \
	},                                                                                                   \
	{                                                                                                    \
		.name = N_("bytes received by sockets"),                                                     \
		.tracepoint = "sock_recv_length",                                                            \
		.typed = true,                                                                               \
		.does = &bpf_count,                                                                          \
		.unless = { .is = BPF_PART_ARGUMENT, .argument = 2, .bytes = 4 },                            \
		.unless_bits = MSG_PEEK | MSG_ERRQUEUE,                                                      \
		.keys = { SOCKET_PARTS(0), __VA_ARGS__ },                                                    \
		.n_keys = parts,                                                                             \
		.value = { .is = BPF_PART_ARGUMENT, .argument = 1, .bytes = 4 },                             \
		.positive = true,                                                                            \
	}

#define SOCKET_PARTS(sent_or_not)                                                                            \
	[PART_PID] = { .is = BPF_PART_PROCESS },                                                             \
	[PART_SENT] = { .is = BPF_PART_CONSTANT,                                                             \
			.constant = sent_or_not,                                                             \
			.joins = true,                                                                       \
			.shift = SENT_SHIFT },                                                               \
	[PART_FAMILY] = { .is = BPF_PART_MEMBER,                                                             \
			  .name = "sock.__sk_common.skc_family",                                             \
			  .joins = true,                                                                     \
			  .shift = FAMILY_SHIFT },                                                           \
	[PART_PROTOCOL] = { .is = BPF_PART_MEMBER,                                                           \
			    .name = "sock.sk_protocol",                                                      \
			    .joins = true,                                                                   \
			    .shift = PROTOCOL_SHIFT }

#define LINK_PARTS                                                                                           \
	[PART_NAMESPACE] = { .is = BPF_PART_MEMBER, .name = "sock.__sk_common.skc_net.net.ns.inum" },        \
	[PART_INTERFACE] = { .is = BPF_PART_MEMBER,                                                          \
			     .name = "sock.sk_dst_cache.dev.ifindex",                                        \
			     .joins = true,                                                                  \
			     .shift = INTERFACE_SHIFT }

static const struct bpf_program process_programs[] = { PROGRAMS(PART_NAMESPACE, [PART_NAMESPACE] = { 0 }) };
static const struct bpf_program interface_programs[] = {
	PROGRAMS(N_PARTS, LINK_PARTS),
	/*
	 * Its arguments: the socket, and what is sent again: by no process, with its own protocol. Later
	 * kernels also tell attempts that failed, with why: the first copy may not have been sent yet.
	 */
	{ .name = N_("bytes that TCP sends again"),
	  .tracepoint = TRACEPOINT_AGAIN,
	  .optional = true,
	  .typed = true,
	  .does = &bpf_count,
	  .unless = { .is = BPF_PART_ARGUMENT, .argument = 2, .bytes = 4, .since_later = true },
	  .unless_bits = UINT32_MAX,
	  .keys = { [PART_PID] = { .is = BPF_PART_CONSTANT },
		    [PART_SENT] = { .is = BPF_PART_CONSTANT, .joins = true },
		    [PART_FAMILY] = { .is = BPF_PART_CONSTANT, .joins = true },
		    [PART_PROTOCOL] = { .is = BPF_PART_CONSTANT,
					.constant = PROTOCOL_AGAIN,
					.joins = true,
					.shift = PROTOCOL_SHIFT },
		    LINK_PARTS },
	  .n_keys = N_PARTS,
	  .value = { .is = BPF_PART_MEMBER, .argument = 1, .name = "sk_buff.len" } },
};

#define PLAN(table, of, words, pids)                                                                         \
	{                                                                                                    \
		.topic = table, .programs = of, .n_programs = sizeof(of) / sizeof((of)[0]),                  \
		.n_words = words, .n_entries_max = ENTRIES_MAX, .slots = true, .by_pid = pids,               \
	}

const struct trace_plan trace_plan_traffic = PLAN("traffic", process_programs, WORD_LINK, true);
const struct trace_plan trace_plan_network_account =
	PLAN("network_account", interface_programs, N_WORDS, false);

static enum traffic_kind kind_of(const uint64_t *key)
{
	if (family_of(key) == AF_UNIX)
		return TRAFFIC_UNIX;
	if (family_of(key) != AF_INET && family_of(key) != AF_INET6)
		return N_TRAFFIC_KINDS;
	switch (protocol_of(key)) {
	case IPPROTO_TCP:
		return TRAFFIC_TCP;
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE:
		return TRAFFIC_UDP;
	default:
		return TRAFFIC_OTHER;
	}
}

static uint64_t hash_key(const struct traffic_counters *counters, const uint64_t *key)
{
	return hash_bytes(HASH_SEED,
			  span_of((const char *)key, counters->trace.plan->n_words * sizeof(*key)));
}

static struct traffic *traffic_of(struct traffic_list *list, uint32_t pid)
{
	struct traffic *traffic;
	uint32_t at;

	HASH_FIND(at, &list->by_pid, hash_u64(pid), list->all[at].pid == pid);
	if (at != HASH_NONE)
		return &list->all[at];
	hash_add(&list->by_pid, hash_u64(pid), (uint32_t)list->n_all);
	traffic = VECTOR_ADD(list->all, list->n_all, list->capacity);
	*traffic = (struct traffic){ .pid = pid };
	return traffic;
}

static struct traffic_entry *entry_of(struct traffic_counters *counters, const uint64_t *key, uint64_t tick)
{
	size_t bytes = counters->trace.plan->n_words * sizeof(*key);
	uint64_t hash = hash_key(counters, key);
	struct traffic_entry *entry;
	uint32_t at;

	HASH_FIND(at, &counters->by_key, hash, memcmp(counters->entries[at].key, key, bytes) == 0);
	if (at != HASH_NONE)
		return &counters->entries[at];
	hash_add(&counters->by_key, hash, (uint32_t)counters->n_entries);
	entry = VECTOR_ADD(counters->entries, counters->n_entries, counters->capacity);
	*entry = (struct traffic_entry){ .tick = tick };
	memcpy(entry->key, key, bytes);
	return entry;
}

static struct traffic_link *find_link(const struct traffic_list *list, uint64_t index)
{
	for (size_t i = 0; i < list->n_links; i++)
		if (list->links[i].index == index)
			return &list->links[i];
	return NULL;
}

static struct traffic_link *link_of(struct traffic_list *list, uint64_t index)
{
	struct traffic_link *link = find_link(list, index);

	if (link)
		return link;
	link = VECTOR_ADD(list->links, list->n_links, list->links_capacity);
	*link = (struct traffic_link){ .index = index };
	return link;
}

const struct traffic_link *traffic_list_link(const struct traffic_list *list, uint64_t index)
{
	return find_link(list, index);
}

static bool is_of_kernel(const struct traffic_list *list, uint32_t pid)
{
	const struct process_list *processes = reader_state(&process_reader, list->env);
	const struct process *process = processes ? process_list_find(processes, pid) : NULL;

	return process && process_is_kernel_thread(process);
}

static void add_to_link(struct traffic_link *link, const uint64_t *key, uint64_t bytes, uint64_t calls,
			bool of_kernel)
{
	bool sent = is_sent(key), udp = kind_of(key) == TRAFFIC_UDP;

	if (of_kernel)
		*(sent ? &link->kernel_sent : &link->kernel_received) += bytes;
	else
		*(sent ? &link->sent : &link->received) += bytes;
	if (udp)
		*(sent ? &link->datagrams_sent : &link->datagrams_received) += calls;
	if (family_of(key) == AF_INET)
		link->old_bytes += bytes;
}

static void add_to_links(struct traffic_list *list, const uint64_t *key, uint64_t bytes, uint64_t calls)
{
	bool of_kernel;

	if ((uint32_t)key[WORD_LINK] != list->namespace)
		return;
	if (protocol_of(key) == PROTOCOL_AGAIN) {
		list->all_links.again += bytes;
		link_of(list, key[WORD_LINK] >> INTERFACE_SHIFT)->again += bytes;
		return;
	}
	if (kind_of(key) == TRAFFIC_UNIX || kind_of(key) == N_TRAFFIC_KINDS)
		return;
	of_kernel = is_of_kernel(list, pid_of(key));
	add_to_link(&list->all_links, key, bytes, calls, of_kernel);
	add_to_link(link_of(list, key[WORD_LINK] >> INTERFACE_SHIFT), key, bytes, calls, of_kernel);
}

static void add_to_process(struct traffic_list *list, const uint64_t *key, uint64_t bytes)
{
	enum traffic_kind kind = kind_of(key);
	struct traffic *traffic;

	if (kind == N_TRAFFIC_KINDS)
		return;
	traffic = traffic_of(list, pid_of(key));
	traffic->tick = list->env->tick;
	if (is_sent(key))
		traffic->total.sent[kind] += bytes;
	else
		traffic->total.received[kind] += bytes;
}

static bool is_alive(const uint32_t *pids, size_t n_pids, uint64_t pid)
{
	size_t at;

	VECTOR_BOUND(at, n_pids, pids[at] < pid);
	return pid == 0 || (at < n_pids && pids[at] == pid);
}

static void take_entries(struct traffic_list *list, struct traffic_counters *counters, const uint32_t *pids,
			 size_t n_pids)
{
	const struct trace_set *trace = &counters->trace;
	uint64_t tick = list->env->tick;

	for (size_t i = 0; i < trace->n_entries; i++) {
		const uint64_t *key = trace_key(trace, i);
		struct traffic_entry *entry = entry_of(counters, key, tick);
		const struct bpf_entry *now = &trace->values[i];

		if (now->sum != entry->sum) {
			if (counters == &list->processes)
				add_to_process(list, key, now->sum - entry->sum);
			else
				add_to_links(list, key, now->sum - entry->sum, now->count - entry->count);
			entry->sum = now->sum;
			entry->count = now->count;
			entry->tick = tick;
		} else if (tick - entry->tick >= ABSENT_TICKS && !is_alive(pids, n_pids, pid_of(key))) {
			trace_forget(&counters->trace, i);
			entry->tick = 0;
		}
	}
}

/* Once their last bytes were shown. */
static void forget_entries(struct traffic_counters *counters)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < counters->n_entries; i++)
		if (counters->entries[i].tick != 0)
			counters->entries[n_kept++] = counters->entries[i];
	if (n_kept == counters->n_entries)
		return;
	counters->n_entries = n_kept;
	hash_clear(&counters->by_key);
	for (size_t i = 0; i < n_kept; i++)
		hash_add(&counters->by_key, hash_key(counters, counters->entries[i].key), (uint32_t)i);
}

static void forget_ended(struct traffic_list *list, const uint32_t *pids, size_t n_pids)
{
	size_t n_all = 0;

	for (size_t i = 0; i < list->n_all; i++)
		if (list->env->tick - list->all[i].tick < ABSENT_TICKS ||
		    is_alive(pids, n_pids, list->all[i].pid))
			list->all[n_all++] = list->all[i];
	if (n_all == list->n_all)
		return;
	list->n_all = n_all;
	hash_clear(&list->by_pid);
	for (size_t i = 0; i < n_all; i++)
		hash_add(&list->by_pid, hash_u64(list->all[i].pid), (uint32_t)i);
}

static bool update_counters(struct traffic_list *list, struct traffic_counters *counters,
			    const struct trace_plan *plan, const uint32_t *pids, size_t n_pids)
{
	if (!counters->opened) {
		counters->opened = true;
		trace_open(&counters->trace, list->env, list->request, plan);
	}
	if (!trace_read(&counters->trace))
		return false;
	take_entries(list, counters, pids, n_pids);
	forget_entries(counters);
	return true;
}

/* An optional one may not be there. */
static bool has_program(const struct traffic_counters *counters, const char *tracepoint)
{
	for (unsigned i = 0; i < counters->trace.n_running; i++)
		if (strcmp(counters->trace.running[i].program->tracepoint, tracepoint) == 0)
			return true;
	return false;
}

static void stop_counters(struct traffic_counters *counters)
{
	trace_close(&counters->trace);
	hash_clear(&counters->by_key);
	counters->n_entries = 0;
	counters->opened = false;
}

static size_t list_pids(struct traffic_list *list, const uint32_t **pids)
{
	size_t n_pids;

	return pids_list(list->env, pids, &n_pids) < 0 ? 0 : n_pids;
}

static void count_processes(struct traffic_list *list, bool wanted)
{
	const uint32_t *pids;
	size_t n_pids = list_pids(list, &pids);

	for (size_t i = 0; i < list->n_all; i++)
		list->all[i].before = list->all[i].total;
	list->traced =
		wanted && update_counters(list, &list->processes, &trace_plan_traffic, pids, n_pids);
	if (!wanted && list->processes.opened)
		stop_counters(&list->processes);
	if (n_pids > 0)
		forget_ended(list, pids, n_pids);
}

/* Next to the counters of the interfaces: what is sent in between would be unexplained. */
static void count_links(struct traffic_list *list, const struct sample *sample)
{
	const uint32_t *pids;
	size_t n_pids = list_pids(list, &pids);

	reader_update(&interface_reader, sample);
	if (!list->knows_links)
		list->namespace = socket_list_namespace(list->env, list->env->own_pid);
	list->knows_links = true;
	list->links_traced =
		update_counters(list, &list->interfaces, &trace_plan_network_account, pids, n_pids);
	list->again_traced = list->links_traced && has_program(&list->interfaces, TRACEPOINT_AGAIN);
}

void traffic_list_want(struct traffic_list *list, unsigned wanted)
{
	list->wanted |= wanted;
}

bool traffic_list_knows_tcp(const struct traffic_list *list, uint32_t pid)
{
	bool read = false;

	if (list->traced)
		return true;
	socket_list_reads(list->sockets, pid, &read);
	return read && (traffic_list_find(list, pid) ||
			(list->sockets->n_sought == 0 && list->sockets->n_denied == 0));
}

static uint64_t growth(uint64_t *counted, uint64_t now)
{
	uint64_t grown = now != U64_UNKNOWN && now > *counted ? now - *counted : 0;

	*counted += grown;
	return grown;
}

/* What all of the namespace did, whoever owns them. */
static void count_socket(struct traffic_list *list, struct socket *socket)
{
	struct traffic_link *all = &list->all_links;
	uint64_t received = growth(&socket->seen_received, socket->diag.received_bytes);
	uint64_t sent = growth(&socket->seen_sent, socket->diag.sent_bytes);
	uint64_t again = growth(&socket->seen_again, socket->diag.retransmitted_bytes);

	if (!list->again_traced)
		all->again += again;
	if (list->links_traced)
		return;
	all->received += received;
	all->sent += sent;
	all->old_bytes += socket->diag.family == AF_INET ? received + sent : 0;
}

static void take_socket(struct traffic_list *list, struct socket *socket)
{
	struct traffic *traffic = traffic_of(list, socket->owner);
	uint64_t received = growth(&socket->counted_received, socket->diag.received_bytes);
	uint64_t sent = growth(&socket->counted_sent, socket->diag.sent_bytes);

	traffic->retransmitted += growth(&socket->counted_again, socket->diag.retransmitted_bytes);
	traffic->connections += !socket->closed;
	if (received + sent == 0 || list->traced)
		return;
	traffic->total.received[TRAFFIC_TCP] += received;
	traffic->total.sent[TRAFFIC_TCP] += sent;
	traffic->tick = list->env->tick;
}

/* What it has now is from before. */
static void begin_socket(struct socket *socket)
{
	growth(&socket->counted_received, socket->diag.received_bytes);
	growth(&socket->counted_sent, socket->diag.sent_bytes);
	growth(&socket->counted_again, socket->diag.retransmitted_bytes);
	growth(&socket->seen_received, socket->diag.received_bytes);
	growth(&socket->seen_sent, socket->diag.sent_bytes);
	growth(&socket->seen_again, socket->diag.retransmitted_bytes);
}

/* Of a socket without an owner the bytes wait until there is one, or until it is closed. */
static void take_sockets(struct traffic_list *list)
{
	struct socket_list *sockets = list->sockets;

	for (size_t i = 0; i < list->n_all; i++)
		list->all[i].connections = 0;
	for (size_t i = 0; i < sockets->n_all; i++) {
		struct socket *socket = &sockets->all[i];

		if (!socket->tcp || socket->diag.remote_port == 0)
			continue;
		if ((!list->sockets_begun || socket->is_older) && !socket->closed)
			begin_socket(socket);
		socket->is_older = false;
		if (socket_list_is_own(sockets, socket))
			count_socket(list, socket);
		if (socket->owner != 0 || socket->closed)
			take_socket(list, socket);
	}
	for (size_t i = 0; i < list->n_all; i++)
		socket_list_reads(sockets, list->all[i].pid, &list->all[i].knows_sockets);
	list->sockets_begun = true;
}

static int read_sockets(struct traffic_list *list, const struct sample *sample)
{
	uint64_t tick = sample->env->tick;
	int error = reader_update(&socket_reader, sample);

	if (error)
		return error;
	list->sockets_begun &= tick - list->sockets_tick <= 1;
	list->sockets_tick = tick;
	take_sockets(list);
	return 0;
}

static int update(void *state, const struct sample *sample)
{
	struct traffic_list *list = state;
	unsigned wanted = list->wanted;

	list->wanted = 0;
	list->links_traced = list->again_traced = false;
	if (wanted & TRAFFIC_LINKS)
		count_links(list, sample);
	else if (list->interfaces.opened)
		stop_counters(&list->interfaces);
	count_processes(list, wanted & TRAFFIC_COUNTS);
	list->sockets_error = 0;
	if (wanted & TRAFFIC_SOCKETS || (wanted & TRAFFIC_ONLY_TCP && !list->traced))
		list->sockets_error = read_sockets(list, sample);
	return 0;
}

static struct traffic *find(const struct traffic_list *list, uint32_t pid)
{
	uint32_t at;

	HASH_FIND(at, &list->by_pid, hash_u64(pid), list->all[at].pid == pid);
	return at == HASH_NONE ? NULL : &list->all[at];
}

const struct traffic *traffic_list_find(const struct traffic_list *list, uint32_t pid)
{
	return find(list, pid);
}

/* When the pid has another process than before, what it had belongs to that one. */
bool traffic_of_process(struct traffic_list *list, uint32_t pid, uint64_t start_ticks,
			struct traffic_bytes *bytes)
{
	struct traffic *traffic = find(list, pid);

	if (!traffic)
		return false;
	if (start_ticks != U64_UNKNOWN) {
		if (traffic->start_ticks != 0 && traffic->start_ticks != start_ticks)
			traffic->base = traffic->before;
		traffic->start_ticks = start_ticks;
	}
	for (unsigned i = 0; i < N_TRAFFIC_KINDS; i++) {
		bytes->received[i] = traffic->total.received[i] - traffic->base.received[i];
		bytes->sent[i] = traffic->total.sent[i] - traffic->base.sent[i];
	}
	return true;
}

static uint64_t sum(const uint64_t bytes[N_TRAFFIC_KINDS])
{
	uint64_t all = 0;

	for (unsigned i = 0; i < N_TRAFFIC_KINDS; i++)
		all += bytes[i];
	return all;
}

uint64_t traffic_received(const struct traffic_bytes *bytes)
{
	return sum(bytes->received);
}

uint64_t traffic_sent(const struct traffic_bytes *bytes)
{
	return sum(bytes->sent);
}

static int open_list(void *state, const struct sample *sample)
{
	struct traffic_list *list = state;

	list->env = sample->env;
	list->request = sample->request;
	return 0;
}

static void close_counters(struct traffic_counters *counters)
{
	trace_close(&counters->trace);
	hash_free(&counters->by_key);
	free(counters->entries);
}

static void close_list(void *state)
{
	struct traffic_list *list = state;

	close_counters(&list->processes);
	close_counters(&list->interfaces);
	hash_free(&list->by_pid);
	free(list->all);
	free(list->links);
}

const struct reader traffic_reader = {
	.name = "payload of processes",
	.state_size = sizeof(struct traffic_list),
	.reads = READINGS(READING_ON_DEMAND(struct traffic_list, wire, &interface_reader),
			  READING_ON_DEMAND(struct traffic_list, sockets, &socket_reader)),
	.open = open_list,
	.update = update,
	.close = close_list,
};

struct traffic_row {
	uint64_t pid;
	double start_seconds;
	double received_bytes_per_second, sent_bytes_per_second;
	double tcp_received_bytes_per_second, tcp_sent_bytes_per_second, udp_received_bytes_per_second;
	double udp_sent_bytes_per_second, unix_received_bytes_per_second, unix_sent_bytes_per_second;
	uint64_t received_bytes, sent_bytes, tcp_received_bytes, tcp_sent_bytes, udp_received_bytes;
	uint64_t udp_sent_bytes, unix_received_bytes, unix_sent_bytes;
	uint64_t connections, retransmitted_bytes;
	double retransmitted_ratio;
	const char *how, *name, *command;
};

#define ROW(field, ...) COLUMN(struct traffic_row, field, __VA_ARGS__)

#define PAYLOAD(of, heading, cells, what, ...)                                                               \
	ROW(of##_per_second, .kind = COLUMN_RATE, .unit = UNIT_BYTES_PER_SECOND, .title = heading,           \
	    .width = cells, .rate_of = offsetof(struct traffic_row, of), .help = what,                       \
	    .source = "growth of " #of " / time", __VA_ARGS__)

#define COUNT(field, heading, what)                                                                          \
	ROW(field, .kind = COLUMN_COUNTER, .unit = UNIT_BYTES, .hidden = true, .title = heading,             \
	    .width = 10, .help = what,                                                                       \
	    .source = "BPF at sock_recv_length and sock_send_length; of TCP else sock_diag")

#define COL(field, ...) COLUMN_OF(struct traffic_row, field, __VA_ARGS__)

static const struct column columns[] = {
	PAYLOAD(received_bytes, N_("payload recv/s"), 15,
		N_("payload that it received: bytes that its reads gave it, without headers"), .trend = true,
		.additive = true),
	PAYLOAD(sent_bytes, N_("payload sent/s"), 15, N_("payload that it sent: bytes that the kernel took"),
		.additive = true),
	PAYLOAD(tcp_received_bytes, N_("TCP r/s"), 8, N_("received by TCP, without headers"), .rank = 2),
	PAYLOAD(tcp_sent_bytes, N_("TCP s/s"), 8, N_("sent by TCP, without headers"), .rank = 2),
	PAYLOAD(udp_received_bytes, N_("UDP r/s"), 8, N_("received by UDP, without headers"), .rank = 3),
	PAYLOAD(udp_sent_bytes, N_("UDP s/s"), 8, N_("sent by UDP, without headers"), .rank = 3),
	PAYLOAD(unix_received_bytes, N_("UNIX r/s"), 8, N_("received from processes of this machine"),
		.rank = 4),
	PAYLOAD(unix_sent_bytes, N_("UNIX s/s"), 8, N_("sent to processes of this machine"), .rank = 4),
	COL(pid, KEY, NONE, N_("PID"), 7, N_("process ID"), "/proc", .fleeting = true),
	COL(start_seconds, KEY, SECONDS, N_("started"), 10,
	    N_("start time, after boot; unknown of a process that ended before it was seen"),
	    "/proc/PID/stat starttime", .fleeting = true, .hidden = true),
	COL(connections, GAUGE, COUNT, N_("conns"), 5,
	    N_("its TCP connections at present, as far as they are known to be its; unknown in a network "
	       "namespace that is not read"), SOCKET_LIST_SOURCE ", links of /proc/PID/fd", .additive = true,
	    .rank = 3),
	COL(retransmitted_ratio, RATE, RATIO, N_("%again"), 6,
	    N_("bytes that TCP sent again, as a share of what it sent"),
	    "growth of retransmitted_bytes / growth of tcp_sent_bytes", .rank = 4, .high = 0.01,
	    .rate_of = offsetof(struct traffic_row, retransmitted_bytes),
	    .rate_over = offsetof(struct traffic_row, tcp_sent_bytes)),
	COL(retransmitted_bytes, COUNTER, BYTES, N_("again"), 10,
	    N_("sent again by TCP since counting began"), SOCKET_LIST_SOURCE " tcpi_bytes_retrans",
	    .hidden = true),
	COL(how, LABEL, NONE, N_("how"), 4,
	    N_("bpf: counted in the kernel, to the byte; proc: by the counters of TCP sockets, with UDP "
	       "and UNIX unknown, and so the sums"), "panetop", .rank = 5),
	COUNT(received_bytes, N_("received"), N_("payload received since counting began")),
	COUNT(sent_bytes, N_("sent"), N_("payload sent since counting began")),
	COUNT(tcp_received_bytes, N_("TCP recv"), N_("received by TCP since counting began")),
	COUNT(tcp_sent_bytes, N_("TCP sent"), N_("sent by TCP since counting began")),
	COUNT(udp_received_bytes, N_("UDP recv"), N_("received by UDP since counting began")),
	COUNT(udp_sent_bytes, N_("UDP sent"), N_("sent by UDP since counting began")),
	COUNT(unix_received_bytes, N_("UNIX recv"), N_("received by UNIX sockets since counting began")),
	COUNT(unix_sent_bytes, N_("UNIX sent"), N_("sent by UNIX sockets since counting began")),
	COL(name, LABEL, NONE, N_("name"), 15, N_("process name, as the kernel keeps it"),
	    "/proc/PID/stat comm", .grouping = "command", .hidden = true),
	COL(command, LABEL, NONE, N_("command"), 22,
	    N_("command line; [name] of a kernel thread; empty where a process ended before it was seen"),
	    "/proc/PID/cmdline", .personal = true, .text = TEXT_COMMAND),
};

static const struct schema schema = {
	.name = "traffic",
	.help = N_("payload of processes by TCP, UDP and UNIX sockets"),
	.none = N_("no process has sent or received anything"),
	.from_zero = true,
	.of_run = true,
	SCHEMA_ROWS(struct traffic_row, columns),
};

struct state {
	struct traffic_list *traffic;
	struct process_list *processes;
};

static void fill(struct traffic_row *row, const struct traffic_list *list, const struct traffic_bytes *bytes,
		 uint32_t pid)
{
	const struct traffic *traffic = traffic_list_find(list, pid);

	if (list->sockets_begun && traffic && traffic->knows_sockets) {
		row->connections = traffic->connections;
		row->retransmitted_bytes = traffic->retransmitted;
	}
	row->tcp_received_bytes = bytes->received[TRAFFIC_TCP];
	row->tcp_sent_bytes = bytes->sent[TRAFFIC_TCP];
	row->how = list->traced ? "bpf" : "proc";
	if (!list->traced)
		return;
	row->received_bytes = traffic_received(bytes);
	row->sent_bytes = traffic_sent(bytes);
	row->udp_received_bytes = bytes->received[TRAFFIC_UDP];
	row->udp_sent_bytes = bytes->sent[TRAFFIC_UDP];
	row->unix_received_bytes = bytes->received[TRAFFIC_UNIX];
	row->unix_sent_bytes = bytes->sent[TRAFFIC_UNIX];
}

static const char *command_of(struct arena *arena, const struct process *process)
{
	if (process->command && *process->command)
		return arena_copy(arena, process->command, strlen(process->command));
	return process_is_kernel_thread(process) ? arena_print(arena, "[%s]", process->name)
						 : arena_copy(arena, process->name, strlen(process->name));
}

static void add_process(struct sample *sample, const struct process *process)
{
	struct state *state = sample->state;
	struct traffic_bytes bytes;
	struct traffic_row *row;

	if (process->outside || process->start_ticks == U64_UNKNOWN ||
	    !traffic_of_process(state->traffic, process->pid, process->start_ticks, &bytes))
		return;
	row = table_add(sample->table);
	row->pid = process->pid;
	row->start_seconds = process_start_seconds(sample->env, process->start_ticks);
	row->name = frame_text(sample->frame, process->name);
	row->command = command_of(&sample->frame->arena, process);
	fill(row, state->traffic, &bytes, process->pid);
}

/* It began and ended between two samples: no look at the processes saw it. */
static void add_unseen(struct sample *sample, const struct traffic *traffic)
{
	const struct state *state = sample->state;
	struct traffic_row *row;

	if (process_list_find(state->processes, traffic->pid))
		return; /* it is listed once its start is known */
	if (scope_is_set(sample->request->scope) && !scope_has(sample->request->scope, traffic->pid, NAN))
		return;
	row = table_add(sample->table);
	row->pid = traffic->pid;
	if (traffic->pid == 0)
		row->command = row->name = N_("(closed before its owner was found)");
	fill(row, state->traffic, &traffic->total, traffic->pid);
}

static int sample_traffic(struct sample *sample)
{
	struct state *state = sample->state;
	struct process_list *processes = state->processes;
	const struct traffic_list *traffic = state->traffic;
	int socket_error = traffic->sockets_error;

	if (traffic->traced || !socket_error)
		trace_notice(&traffic->processes.trace, sample->frame,
			     _("only TCP is counted, by its sockets"));
	if (!traffic->traced && socket_error) {
		env_note_failure(sample->env, SOCKET_LIST_SOURCE, socket_error);
		return socket_error;
	}
	if (!socket_error)
		socket_list_notice(traffic->sockets, sample->frame, schema.name);
	for (size_t i = 0; i < processes->n_all; i++)
		add_process(sample, processes->all[i]);
	for (size_t i = 0; i < processes->n_exited; i++)
		if (!process_list_find(processes, processes->exited[i]->pid))
			add_process(sample, processes->exited[i]);
	for (size_t i = 0; i < traffic->n_all; i++)
		if (traffic->all[i].tick == sample->env->tick && traffic->all[i].start_ticks == 0)
			add_unseen(sample, &traffic->all[i]);
	return 0;
}

static void prepare(struct sample *sample)
{
	const struct state *state = sample->state;

	traffic_list_want(state->traffic, TRAFFIC_COUNTS | TRAFFIC_SOCKETS);
	socket_list_want_all(state->traffic->sockets);
}

const struct topic topic_traffic = {
	.schema = &schema,
	.sources = SOURCES(
		TRACE_GIVES(TRAFFIC_GIVES, TRACE_REMEDIES, TRACE_REMEDY_PIDS,
			    { ENOENT, N_("this kernel has no tracepoints of sockets: they came with 6.3") }),
		{ .path = SOCKET_LIST_SOURCE,
		  .is_socket = true,
		  .gives = N_("payload of TCP connections, and what was sent again"),
		  .test = socket_list_test,
		  .remedies = { SOCKET_LIST_REMEDIES } }),
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN) |
		PRIVILEGE_BIT(PRIVILEGE_DETAILS) | PRIVILEGE_BIT(PRIVILEGE_NAMESPACES),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, traffic, &traffic_reader),
			  READING(struct state, processes, &process_reader)),
	.prepare = prepare,
	.sample = sample_traffic,
};
