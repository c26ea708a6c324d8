/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "topic/process/traffic_list.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "sys/pids.h"

#define ENTRIES_MAX 32768
#define ABSENT_TICKS 2 /* without growth, until the counter of a process that ended is removed */

/* The words of a key. */
enum word { WORD_PID, WORD_FAMILY, WORD_PROTOCOL, WORD_SENT, N_WORDS };

#define SOCKET_KEYS(sent_or_not)                                                                             \
	.keys = { [WORD_PID] = { .is = BPF_PART_PROCESS },                                                   \
		  [WORD_FAMILY] = { .is = BPF_PART_MEMBER, .name = "sock.__sk_common.skc_family" },          \
		  [WORD_PROTOCOL] = { .is = BPF_PART_MEMBER, .name = "sock.sk_protocol" },                   \
		  [WORD_SENT] = { .is = BPF_PART_CONSTANT, .constant = sent_or_not } },                      \
	.n_keys = N_WORDS, .value = { .is = BPF_PART_ARGUMENT, .argument = 1, .bytes = 4 }, .positive = true

/* Their arguments: the socket, bytes or an error, flags. What is only looked at is received again later. */
static const struct trace_program programs[] = {
	{ .name = N_("bytes sent by sockets"),
	  .tracepoint = "sock_send_length",
	  .does = BPF_COUNT,
	  SOCKET_KEYS(1) },
	{ .name = N_("bytes received by sockets"),
	  .tracepoint = "sock_recv_length",
	  .does = BPF_COUNT,
	  .unless = { .is = BPF_PART_ARGUMENT, .argument = 2, .bytes = 4 },
	  .unless_bits = MSG_PEEK | MSG_ERRQUEUE,
	  SOCKET_KEYS(0) },
};

static const struct trace_plan plan = {
	.topic = "traffic",
	.programs = programs,
	.n_programs = sizeof(programs) / sizeof(programs[0]),
	.n_words = N_WORDS,
	.n_entries_max = ENTRIES_MAX,
};

static enum traffic_kind kind_of(const uint64_t *key)
{
	if (key[WORD_FAMILY] == AF_UNIX)
		return TRAFFIC_UNIX;
	if (key[WORD_FAMILY] != AF_INET && key[WORD_FAMILY] != AF_INET6)
		return N_TRAFFIC_KINDS;
	switch (key[WORD_PROTOCOL]) {
	case IPPROTO_TCP:
		return TRAFFIC_TCP;
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE:
		return TRAFFIC_UDP;
	default:
		return TRAFFIC_OTHER;
	}
}

static uint64_t hash_key(const uint64_t *key)
{
	return hash_bytes(HASH_SEED, span_of((const char *)key, N_WORDS * sizeof(*key)));
}

static bool same_key(const struct traffic_entry *entry, const uint64_t *key)
{
	return memcmp(entry->key, key, N_WORDS * sizeof(*key)) == 0;
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

static struct traffic_entry *entry_of(struct traffic_list *list, const uint64_t *key)
{
	struct traffic_entry *entry;
	uint32_t at;

	HASH_FIND(at, &list->by_key, hash_key(key), same_key(&list->entries[at], key));
	if (at != HASH_NONE)
		return &list->entries[at];
	hash_add(&list->by_key, hash_key(key), (uint32_t)list->n_entries);
	entry = VECTOR_ADD(list->entries, list->n_entries, list->entries_capacity);
	*entry = (struct traffic_entry){ .tick = list->env->tick };
	memcpy(entry->key, key, N_WORDS * sizeof(*key));
	return entry;
}

static void grow(struct traffic_list *list, const uint64_t *key, uint64_t bytes)
{
	enum traffic_kind kind = kind_of(key);
	struct traffic *traffic;

	if (kind == N_TRAFFIC_KINDS)
		return;
	traffic = traffic_of(list, (uint32_t)key[WORD_PID]);
	traffic->tick = list->env->tick;
	if (key[WORD_SENT])
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

static void take_entries(struct traffic_list *list, const uint32_t *pids, size_t n_pids)
{
	for (size_t i = 0; i < list->trace.n_entries; i++) {
		const uint64_t *key = trace_key(&list->trace, i);
		struct traffic_entry *entry = entry_of(list, key);
		uint64_t sum = list->trace.values[i].sum;

		if (sum != entry->sum) {
			grow(list, key, sum - entry->sum);
			entry->sum = sum;
			entry->tick = list->env->tick;
		} else if (list->env->tick - entry->tick >= ABSENT_TICKS &&
			   !is_alive(pids, n_pids, key[WORD_PID])) {
			trace_forget(&list->trace, i);
			entry->tick = 0;
		}
	}
}

/* Those of processes that ended, once their last bytes were shown. */
static void forget_ended(struct traffic_list *list, const uint32_t *pids, size_t n_pids)
{
	size_t n_entries = 0, n_all = 0;

	for (size_t i = 0; i < list->n_entries; i++)
		if (list->entries[i].tick != 0)
			list->entries[n_entries++] = list->entries[i];
	for (size_t i = 0; i < list->n_all; i++)
		if (list->env->tick - list->all[i].tick < ABSENT_TICKS ||
		    is_alive(pids, n_pids, list->all[i].pid))
			list->all[n_all++] = list->all[i];
	if (n_entries < list->n_entries) {
		list->n_entries = n_entries;
		hash_clear(&list->by_key);
		for (size_t i = 0; i < n_entries; i++)
			hash_add(&list->by_key, hash_key(list->entries[i].key), (uint32_t)i);
	}
	if (n_all < list->n_all) {
		list->n_all = n_all;
		hash_clear(&list->by_pid);
		for (size_t i = 0; i < n_all; i++)
			hash_add(&list->by_pid, hash_u64(list->all[i].pid), (uint32_t)i);
	}
}

static bool update(struct traffic_list *list)
{
	const uint32_t *pids;
	size_t n_pids;

	for (size_t i = 0; i < list->n_all; i++)
		list->all[i].before = list->all[i].total;
	list->mono_ns = env_mono_ns();
	if (!trace_read(&list->trace))
		return false;
	if (pids_list(list->env, &pids, &n_pids) < 0)
		n_pids = 0;
	take_entries(list, pids, n_pids);
	if (n_pids > 0)
		forget_ended(list, pids, n_pids);
	return true;
}

bool traffic_list_update(struct traffic_list *list)
{
	if (!list->opened) {
		list->opened = true;
		trace_open(&list->trace, list->env, list->request, &plan);
	}
	if (list->tick != list->env->tick) {
		list->tick = list->env->tick;
		list->traced = update(list);
	}
	return list->traced;
}

static struct traffic *find(const struct traffic_list *list, uint32_t pid)
{
	uint32_t at;

	HASH_FIND(at, &list->by_pid, hash_u64(pid), list->all[at].pid == pid);
	return at == HASH_NONE ? NULL : &list->all[at];
}

/* When the pid has another process than before, what it had belongs to that one. */
bool traffic_of_process(struct traffic_list *list, uint32_t pid, uint64_t start_ticks,
			struct traffic_bytes *bytes)
{
	struct traffic *traffic = find(list, pid);

	if (!traffic)
		return false;
	if (traffic->start_ticks != 0 && traffic->start_ticks != start_ticks)
		traffic->base = traffic->before;
	traffic->start_ticks = start_ticks;
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

static void *open_list(struct env *env)
{
	struct traffic_list *list = alloc_zeroed(1, sizeof(*list));

	list->env = env;
	list->tick = ENV_NEVER;
	return list;
}

static void close_list(void *state)
{
	struct traffic_list *list = state;

	trace_close(&list->trace);
	hash_free(&list->by_pid);
	hash_free(&list->by_key);
	free(list->all);
	free(list->entries);
	free(list);
}

struct traffic_list *traffic_list_open(struct env *env, const struct sample_request *request)
{
	struct traffic_list *list = env_share(env, open_list, open_list, close_list);

	list->request = request;
	return list;
}

void traffic_list_close(struct env *env)
{
	env_unshare(env, open_list);
}
