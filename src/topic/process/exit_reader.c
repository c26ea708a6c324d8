/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads exit records of taskstats from a generic netlink socket. */
#include <config.h>

#include "topic/process/exit_reader.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/alloc.h"
#include "sys/attribute.h"
#include "sys/machine_thread.h"
#include "sys/netlink_socket.h"
#include "topic/cpu/proc_stat.h"

#define POSSIBLE_CPUS "sys/devices/system/cpu/possible"
#define TICKLESS_CPUS "sys/devices/system/cpu/nohz_full"
#define TICKLESS_NS UINT64_C(1000000000)
#define CPUS_BYTES 1024
#define SOCKET_BYTES (32 * 1024 * 1024) /* the kernel doubles it; an exit takes 1280 bytes in Linux 6.18 */
#define ANSWER_NS UINT64_C(1000000000)
#define FIRST_THREAD_VERSION 12 /* records say which thread is the first one */
#define FILTER_NAME_MAX 16      /* instructions: of three words, three bytes and the end, fifteen */
#define DATAGRAM_BYTES 4096 /* 1172 in Linux 6.18, for the last thread of several */

struct exit_reader {
	const struct exit_source *source; /* NULL: the kernel */
	struct netlink_socket *netlink;
	uint16_t family;
	uint32_t sequence; /* of the last request */
	uint16_t version;  /* of records; 0: not known */
	size_t name_at;    /* of the name in the datagram of a record */
	uint64_t undecoded; /* messages */
};

struct request {
	struct nlmsghdr header;
	struct genlmsghdr generic;
	struct nlattr attribute;
	char text[CPUS_BYTES];
};

/* True where datagram has the answer: an acknowledgement with its error, or the family. */
static bool is_answer(void *context, struct span datagram, int *error)
{
	struct exit_reader *reader = context;
	struct netlink_message message;

	*error = 0;
	while (netlink_next(&datagram, &message))
		if (message.sequence == reader->sequence &&
		    (netlink_ack(&message, error) || taskstats_family(&message, &reader->family)))
			return true;
	return false;
}

/* All requests have one attribute, a text. What follows the answer stays in the socket. */
static int ask(struct exit_reader *reader, struct request *request, struct span text)
{
	size_t length = span_length(text) + 1;
	int error;

	if (length > sizeof(request->text))
		return -E2BIG;
	memcpy(request->text, text.at, span_length(text));
	request->generic.version = TASKSTATS_GENL_VERSION;
	request->attribute.nla_len = (uint16_t)(sizeof(request->attribute) + length);
	request->header.nlmsg_flags |= NLM_F_REQUEST;
	request->header.nlmsg_len = (uint32_t)(offsetof(struct request, text) + NLMSG_ALIGN(length));
	request->header.nlmsg_seq = ++reader->sequence;
	error = netlink_socket_send(reader->netlink, request, request->header.nlmsg_len);
	return error ? error : netlink_socket_await(reader->netlink, ANSWER_NS, is_answer, reader);
}

static int find_family(struct exit_reader *reader)
{
	struct request request = {
		.header = { .nlmsg_type = GENL_ID_CTRL },
		.generic = { .cmd = CTRL_CMD_GETFAMILY },
		.attribute = { .nla_type = CTRL_ATTR_FAMILY_NAME },
	};

	return ask(reader, &request, span_text(TASKSTATS_GENL_NAME));
}

/* The registration ends when the socket is closed. */
static int register_cpus(struct exit_reader *reader, struct env *env)
{
	struct request request = {
		.header = { .nlmsg_type = reader->family, .nlmsg_flags = NLM_F_ACK },
		.generic = { .cmd = TASKSTATS_CMD_GET },
		.attribute = { .nla_type = TASKSTATS_CMD_ATTR_REGISTER_CPUMASK },
	};
	char all[32];
	struct span text, cpus;

	if (env_read(env, env_file(env, POSSIBLE_CPUS), &text) < 0) { /* without /sys */
		const struct proc_stat *stat;
		int error = proc_stat_read(env, &stat);

		if (error || stat->n_cpus == 0)
			return error ? error : -ENODATA;
		snprintf(all, sizeof(all), "0-%u\n", (unsigned)stat->cpus[stat->n_cpus - 1].cpu);
		text = span_text(all);
	}
	if (!span_line(&text, &cpus))
		return -ENODATA;
	return ask(reader, &request, cpus);
}

/* All records have the same form: where is the name in it? */
static void learn_form(struct exit_reader *reader, struct span datagram)
{
	struct span rest = datagram;
	struct netlink_message message;
	struct exit_record record;
	const char *name;

	while (netlink_next(&rest, &message)) {
		if (!taskstats_exit(&message, reader->family, &record) || !*record.comm)
			continue;
		name = memmem(datagram.at, span_length(datagram), record.comm, strlen(record.comm) + 1);
		reader->version = name ? record.version : 0;
		reader->name_at = name ? (size_t)(name - datagram.at) : 0;
		return;
	}
}

/*
 * Outside of the initial network namespace the kernel accepts the registration, but sends nothing. So this
 * ends a thread, whose record must be there when it is joined.
 */
static int check_delivery(struct exit_reader *reader)
{
	int error = worker_try_thread();

	if (error)
		return error;
	if (netlink_socket_receive(reader->netlink, 1) == 0)
		return -ENETUNREACH;
	learn_form(reader, netlink_socket_datagram(reader->netlink, 0));
	return 0;
}

static struct exit_reader *open_source(const struct exit_source *source, int *error)
{
	struct exit_reader *reader;

	*error = source->open(source);
	if (*error)
		return NULL;
	reader = alloc_zeroed(1, sizeof(*reader));
	reader->source = source;
	return reader;
}

struct exit_reader *exit_reader_open(struct env *env, int *error)
{
	struct netlink_socket *netlink = NULL;
	struct exit_reader *reader;

	if (env->exits)
		return open_source(env->exits, error);
	*error = env->foreign_pids ? -EXDEV : -ENOTSUP;
	if (env->live && !env->foreign_pids)
		netlink = netlink_socket_open(NETLINK_GENERIC, 0, SOCKET_BYTES, DATAGRAM_BYTES, error);
	if (!netlink)
		return NULL;
	reader = alloc_zeroed(1, sizeof(*reader));
	reader->netlink = netlink;
	*error = find_family(reader);
	if (!*error)
		*error = register_cpus(reader, env);
	if (!*error)
		*error = check_delivery(reader);
	if (!*error)
		return reader;
	exit_reader_close(reader);
	return NULL;
}

void exit_reader_close(struct exit_reader *reader)
{
	if (!reader)
		return;
	if (!reader->source)
		netlink_socket_close(reader->netlink);
	free(reader);
}

int exit_reader_fd(const struct exit_reader *reader)
{
	return netlink_socket_fd(reader->netlink);
}

/*
 * Accepts a datagram that has the name, with the NUL that ends it, where the others have theirs; else goes on
 * behind. Words are in the order of networks. Returns the number of instructions.
 */
static unsigned short filter_name(struct sock_filter *code, size_t at, const char *name)
{
	size_t bytes = strlen(name) + 1;
	unsigned short n = 0, n_tests = (unsigned short)(bytes / 4 + bytes % 4);

	for (size_t i = 0; i < bytes; n_tests--) {
		bool word = bytes - i >= 4;
		const unsigned char *next = (const unsigned char *)name + i;
		uint32_t value = word ? (uint32_t)next[0] << 24 | (uint32_t)next[1] << 16 |
						 (uint32_t)next[2] << 8 | next[3]
				      : next[0];

		code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_ABS | (word ? BPF_W : BPF_B),
							 (uint32_t)(at + i));
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0,
							 (unsigned char)(2 * n_tests - 1));
		i += word ? 4 : 1;
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, UINT32_MAX);
	return n;
}

int exit_reader_narrow(struct exit_reader *reader, const char (*names)[16], size_t n_names)
{
	struct sock_fprog filter = { 0 };
	int error;

	if (reader->version < FIRST_THREAD_VERSION)
		return -ENODATA;
	filter.filter = alloc_zeroed(n_names * FILTER_NAME_MAX + 1, sizeof(*filter.filter));
	for (size_t i = 0; i < n_names; i++)
		filter.len += filter_name(filter.filter + filter.len, reader->name_at, names[i]);
	filter.filter[filter.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	error = netlink_socket_filter(reader->netlink, &filter);
	free(filter.filter);
	return error;
}

static void decode_datagram(struct exit_reader *reader, struct span datagram, exit_each *each, void *context)
{
	struct netlink_message message;
	struct exit_record record;

	while (netlink_next(&datagram, &message)) {
		if (taskstats_exit(&message, reader->family, &record))
			each(context, &record);
		else
			reader->undecoded += message.type == reader->family;
	}
	reader->undecoded += span_length(datagram) > 0;
}

void exit_reader_drain(struct exit_reader *reader, exit_each *each, void *context)
{
	size_t count;

	if (reader->source) {
		reader->source->drain(reader->source, each, context);
		return;
	}
	while ((count = netlink_socket_receive(reader->netlink, NETLINK_BATCH)) > 0)
		for (size_t i = 0; i < count; i++)
			decode_datagram(reader, netlink_socket_datagram(reader->netlink, i), each, context);
}

uint64_t exit_record_cpu_ns(const struct exit_record *record, uint64_t tick_ns)
{
	uint64_t most_ns = U64_UNKNOWN, ns = record->cpu_ns == U64_UNKNOWN ? 0 : record->cpu_ns;

	if (record->queued_ns <= record->elapsed_ns && record->elapsed_ns != U64_UNKNOWN)
		most_ns = record->elapsed_ns - record->queued_ns;
	if (most_ns != U64_UNKNOWN && (record->sleeps == 0 || ns > most_ns))
		ns = most_ns;
	if (record->run_ns == U64_UNKNOWN)
		return ns;
	if (ns > record->run_ns + tick_ns)
		ns = record->run_ns + tick_ns;
	return record->run_ns > ns ? record->run_ns : ns;
}

/* CPUs without ticks are updated once per second. */
uint64_t exit_reader_tick_ns(struct env *env)
{
	struct timespec tick;
	char cpus[CPUS_BYTES];

	if (attribute_once(env, TICKLESS_CPUS, cpus, sizeof(cpus)) > 0 && *cpus >= '0' && *cpus <= '9')
		return TICKLESS_NS;
	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return (uint64_t)tick.tv_sec * 1000000000 + (uint64_t)tick.tv_nsec;
}

uint64_t exit_reader_lost(const struct exit_reader *reader)
{
	if (reader->source)
		return reader->source->lost(reader->source);
	return netlink_socket_lost(reader->netlink) + reader->undecoded;
}
