/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoder of the proc connector's messages, and writer of the requests that start and stop them. */
#include <config.h>

#include "kernel/proc_event.h"

#include <linux/connector.h>
#include <linux/netlink.h>
#include <string.h>

#include "kernel/net/netlink.h"

/*
 * From include/uapi/linux/cn_proc.h of Linux 6.18; the header of the build machine may be older. Since Linux
 * 3.2 words have only been added at the end.
 */
#define LISTEN 1
#define IGNORE 2
#define HEAD_BYTES ((size_t)16) /* what, cpu, time */
#define TIME_AT ((size_t)8)
#define WORDS_MAX 6

/* The code of each kind in a message, and how many 32-bit words at least follow its head. */
static const struct {
	uint32_t what;
	unsigned char n_words;
} layouts[PROC_EVENT_KIND_OTHER] = {
	[PROC_EVENT_KIND_ACK] = { 0, 1 },           [PROC_EVENT_KIND_FORK] = { 0x1, 4 },
	[PROC_EVENT_KIND_EXEC] = { 0x2, 2 },        [PROC_EVENT_KIND_UID] = { 0x4, 4 },
	[PROC_EVENT_KIND_GID] = { 0x40, 4 },        [PROC_EVENT_KIND_SID] = { 0x80, 2 },
	[PROC_EVENT_KIND_PTRACE] = { 0x100, 4 },    [PROC_EVENT_KIND_COMM] = { 0x200, 6 },
	[PROC_EVENT_KIND_CORE] = { 0x40000000, 2 }, [PROC_EVENT_KIND_EXIT] = { 0x80000000, 4 },
};

static enum proc_event_kind find_kind(uint32_t what)
{
	unsigned kind = 0;

	while (kind < PROC_EVENT_KIND_OTHER && layouts[kind].what != what)
		kind++;
	return (enum proc_event_kind)kind;
}

uint32_t proc_event_code(enum proc_event_kind kind)
{
	return layouts[kind].what;
}

/* The kernel calls the thread "pid" and its process "tgid". */
static void set_parent(struct proc_event *event, const uint32_t words[2])
{
	event->parent_tid = words[0];
	event->parent_pid = words[1];
}

static void fill(struct proc_event *event, const uint32_t words[WORDS_MAX])
{
	if (event->kind == PROC_EVENT_KIND_OTHER)
		return;
	if (event->kind == PROC_EVENT_KIND_ACK) {
		event->error = words[0];
		return;
	}
	event->tid = words[0];
	event->pid = words[1];
	switch (event->kind) {
	case PROC_EVENT_KIND_FORK:
		set_parent(event, words);
		event->tid = words[2];
		event->pid = words[3];
		break;
	case PROC_EVENT_KIND_UID:
	case PROC_EVENT_KIND_GID:
		event->real = words[2];
		event->effective = words[3];
		break;
	case PROC_EVENT_KIND_PTRACE:
		event->other_tid = words[2];
		event->other_pid = words[3];
		break;
	case PROC_EVENT_KIND_COMM:
		memcpy(event->comm, &words[2], PROC_COMM_BYTES);
		break;
	case PROC_EVENT_KIND_CORE:
		set_parent(event, &words[2]);
		break;
	case PROC_EVENT_KIND_EXIT:
		event->exit_code = words[2]; /* the next word is the signal to the parent */
		set_parent(event, &words[4]);
		break;
	case PROC_EVENT_KIND_EXEC:
	case PROC_EVENT_KIND_SID:
	case PROC_EVENT_KIND_ACK:
	case PROC_EVENT_KIND_OTHER:
		break;
	}
}

/* Words that an older kernel lacks stay 0. */
static bool decode(struct span message, const struct cn_msg *header, struct proc_event *event)
{
	struct proc_event decoded = { .sequence = header->seq, .acknowledged = header->ack };
	uint32_t what, words[WORDS_MAX] = { 0 };
	size_t n_words;

	message.at += sizeof(*header);
	if (header->len > span_length(message))
		return false;
	message.end = message.at + header->len;
	if (!span_peek(message, 0, &what, sizeof(what)) ||
	    !span_peek(message, sizeof(what), &decoded.cpu, sizeof(decoded.cpu)) ||
	    !span_peek(message, TIME_AT, &decoded.time_ns, sizeof(decoded.time_ns)))
		return false;
	decoded.kind = find_kind(what);
	message.at += HEAD_BYTES;
	n_words = span_length(message) / sizeof(words[0]);
	n_words = n_words < WORDS_MAX ? n_words : WORDS_MAX;
	if (decoded.kind != PROC_EVENT_KIND_OTHER && n_words < layouts[decoded.kind].n_words)
		return false;
	span_peek(message, 0, words, n_words * sizeof(words[0]));
	fill(&decoded, words);
	*event = decoded;
	return true;
}

bool proc_event_next(struct span *datagram, struct proc_event *event)
{
	struct span rest = *datagram;
	struct netlink_message message;
	struct cn_msg header;

	while (netlink_next(&rest, &message)) {
		bool is_event = message.type == NLMSG_DONE &&
				span_peek(message.payload, 0, &header, sizeof(header)) &&
				header.id.idx == CN_IDX_PROC && header.id.val == CN_VAL_PROC;

		if (is_event && !decode(message.payload, &header, event))
			return false;
		*datagram = rest;
		if (is_event)
			return true;
	}
	return false;
}

static uint32_t what_of(uint32_t kinds)
{
	uint32_t what = 0;

	for (unsigned kind = 0; kind < PROC_EVENT_KIND_OTHER; kind++)
		if (kinds >> kind & 1)
			what |= layouts[kind].what;
	return what;
}

size_t proc_request_write(char bytes[PROC_REQUEST_BYTES_MAX], enum proc_request request, uint32_t kinds,
			  uint32_t number, uint32_t own_pid)
{
	const uint32_t words[] = { request == PROC_REQUEST_IGNORE ? IGNORE : LISTEN, what_of(kinds) };
	size_t length = request == PROC_REQUEST_LISTEN_SOME ? sizeof(words) : sizeof(words[0]);
	struct cn_msg message = {
		.id = { .idx = CN_IDX_PROC, .val = CN_VAL_PROC },
		.seq = number,
		.ack = number,
		.len = (uint16_t)length,
	};
	struct nlmsghdr header = {
		.nlmsg_len = (uint32_t)(sizeof(header) + sizeof(message) + length),
		.nlmsg_type = NLMSG_DONE,
		.nlmsg_seq = number,
		.nlmsg_pid = own_pid,
	};

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), &message, sizeof(message));
	memcpy(bytes + sizeof(header) + sizeof(message), words, length);
	return header.nlmsg_len;
}
