/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the exit messages of taskstats from a generic netlink socket. */
#include <config.h>

#include "topic/exit_reader.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/taskstats.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/alloc.h"

#define POSSIBLE_CPUS "sys/devices/system/cpu/possible"
#define CPUS_BYTES 1024
#define SOCKET_BYTES (32 * 1024 * 1024) /* the kernel doubles it; an exit takes 1280 bytes in Linux 6.18 */
#define ANSWER_NS UINT64_C(1000000000)
#define BATCH 64
#define DATAGRAM_BYTES 4096 /* 1172 in Linux 6.18, for the last thread of several */

struct exit_reader {
	int fd;
	uint16_t family;
	bool counts_drops; /* SO_MEMINFO works */
	uint32_t drops;    /* as SO_MEMINFO told last */
	uint64_t lost;
	struct mmsghdr datagrams[BATCH];
	struct iovec pieces[BATCH];
	struct sockaddr_nl senders[BATCH];
	char bytes[BATCH][DATAGRAM_BYTES];
};

struct request {
	struct nlmsghdr header;
	struct genlmsghdr generic;
	struct nlattr attribute;
	char text[CPUS_BYTES];
};

/* The one attribute of the requests we make is a text. */
static int send_request(const struct exit_reader *reader, struct request *request, struct span text)
{
	size_t length = span_length(text) + 1;

	if (length > sizeof(request->text))
		return -E2BIG;
	memcpy(request->text, text.at, span_length(text));
	request->generic.version = TASKSTATS_GENL_VERSION;
	request->attribute.nla_len = (uint16_t)(sizeof(request->attribute) + length);
	request->header.nlmsg_flags |= NLM_F_REQUEST;
	request->header.nlmsg_len = (uint32_t)(offsetof(struct request, text) + NLMSG_ALIGN(length));
	return send(reader->fd, request, request->header.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* The kernel has no port number; programs that write to ours need CAP_NET_ADMIN, and are not heard. */
static struct span from_kernel(const char *bytes, size_t length, const struct sockaddr_nl *sender)
{
	return span_of(bytes, sender->nl_pid == 0 ? length : 0);
}

/* Of one datagram; 0 or -errno. */
static int receive(struct exit_reader *reader, struct span *datagram)
{
	struct sockaddr_nl *sender = &reader->senders[0];
	socklen_t sender_bytes = sizeof(*sender);
	ssize_t length = recvfrom(reader->fd, reader->bytes[0], DATAGRAM_BYTES, MSG_DONTWAIT,
				  (struct sockaddr *)sender, &sender_bytes);

	if (length < 0)
		return -errno;
	*datagram = from_kernel(reader->bytes[0], (size_t)length, sender);
	return 0;
}

static int wait_readable(const struct exit_reader *reader, uint64_t ns)
{
	struct pollfd readable = { .fd = reader->fd, .events = POLLIN };

	return poll(&readable, 1, (int)(ns / 1000000) + 1) < 0 ? -errno : 0;
}

/* Whether datagram has the answer: 0 or an error, or the family, which is noted. */
static bool is_answer(struct exit_reader *reader, struct span datagram, uint32_t sequence, int *error)
{
	struct netlink_message message;

	*error = 0;
	while (netlink_next(&datagram, &message))
		if (message.sequence == sequence &&
		    (netlink_ack(&message, error) || taskstats_family(&message, &reader->family)))
			return true;
	return false;
}

static int await_answer(struct exit_reader *reader, uint32_t sequence)
{
	uint64_t start = env_mono_ns(), waited;

	while ((waited = env_mono_ns() - start) < ANSWER_NS) {
		struct span datagram;
		int answer, error = receive(reader, &datagram);

		if (error == -EAGAIN)
			error = wait_readable(reader, ANSWER_NS - waited);
		else if (!error && is_answer(reader, datagram, sequence, &answer))
			return answer;
		if (error && error != -EINTR && error != -ENOBUFS)
			return error;
	}
	return -ETIMEDOUT;
}

static int find_family(struct exit_reader *reader)
{
	struct request request = {
		.header = { .nlmsg_type = GENL_ID_CTRL, .nlmsg_seq = 1 },
		.generic = { .cmd = CTRL_CMD_GETFAMILY },
		.attribute = { .nla_type = CTRL_ATTR_FAMILY_NAME },
	};
	int error = send_request(reader, &request, span_text(TASKSTATS_GENL_NAME));

	return error ? error : await_answer(reader, request.header.nlmsg_seq);
}

/* The kernel forgets it when the socket is closed. */
static int register_cpus(struct exit_reader *reader, struct env *env)
{
	struct request request = {
		.header = { .nlmsg_type = reader->family, .nlmsg_flags = NLM_F_ACK, .nlmsg_seq = 2 },
		.generic = { .cmd = TASKSTATS_CMD_GET },
		.attribute = { .nla_type = TASKSTATS_CMD_ATTR_REGISTER_CPUMASK },
	};
	struct span text, cpus;
	int error = env_read(env, env_file(env, POSSIBLE_CPUS), &text);

	if (error)
		return error;
	if (!span_line(&text, &cpus))
		return -ENODATA;
	error = send_request(reader, &request, cpus);
	return error ? error : await_answer(reader, request.header.nlmsg_seq);
}

static bool read_drops(const struct exit_reader *reader, uint32_t *drops)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t bytes = sizeof(info);

	if (getsockopt(reader->fd, SOL_SOCKET, SO_MEMINFO, info, &bytes) < 0 ||
	    bytes < (SK_MEMINFO_DROPS + 1) * sizeof(info[0]))
		return false;
	*drops = info[SK_MEMINFO_DROPS];
	return true;
}

/*
 * After a full buffer the kernel drops everything until all is read, and fails a read with ENOBUFS. Where
 * drops are counted anyway both are turned off.
 */
static int prepare_socket(struct exit_reader *reader)
{
	int bytes = SOCKET_BYTES, yes = 1;

	if (setsockopt(reader->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0 &&
	    setsockopt(reader->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)) < 0)
		return -errno;
	reader->counts_drops =
		read_drops(reader, &reader->drops) &&
		setsockopt(reader->fd, SOL_NETLINK, NETLINK_NO_ENOBUFS, &yes, sizeof(yes)) == 0;
	return 0;
}

static void prepare_datagrams(struct exit_reader *reader)
{
	for (size_t i = 0; i < BATCH; i++) {
		reader->pieces[i] = (struct iovec){ .iov_base = reader->bytes[i], .iov_len = DATAGRAM_BYTES };
		reader->datagrams[i].msg_hdr = (struct msghdr){
			.msg_name = &reader->senders[i],
			.msg_iov = &reader->pieces[i],
			.msg_iovlen = 1,
		};
	}
}

static void *end_at_once(void *argument)
{
	return argument;
}

/*
 * In another network namespace than the first the kernel takes the registration, and then tells nothing. So
 * a thread ends, which must have been told when it is joined.
 */
static int try_out(struct exit_reader *reader)
{
	struct span datagram;
	pthread_t thread;
	int error = -pthread_create(&thread, NULL, end_at_once, NULL);

	if (error)
		return error;
	pthread_join(thread, NULL);
	do
		error = receive(reader, &datagram);
	while (error == -EINTR);
	return error == -EAGAIN ? -ENETUNREACH : error;
}

struct exit_reader *exit_reader_open(struct env *env, int *error)
{
	struct exit_reader *reader;
	int fd =
		env->live ? socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_GENERIC) : -1;

	if (fd < 0) {
		*error = env->live ? -errno : -ENOTSUP;
		return NULL;
	}
	reader = alloc_zeroed(1, sizeof(*reader));
	reader->fd = fd;
	prepare_datagrams(reader);
	*error = prepare_socket(reader);
	if (!*error)
		*error = find_family(reader);
	if (!*error)
		*error = register_cpus(reader, env);
	if (!*error)
		*error = try_out(reader);
	if (!*error)
		return reader;
	exit_reader_close(reader);
	return NULL;
}

void exit_reader_close(struct exit_reader *reader)
{
	if (!reader)
		return;
	close(reader->fd);
	free(reader);
}

static void take_datagram(struct exit_reader *reader, struct span datagram,
			  void (*each)(void *context, const struct exit_record *record), void *context)
{
	struct netlink_message message;
	struct exit_record record;

	while (netlink_next(&datagram, &message)) {
		if (taskstats_exit(&message, reader->family, &record))
			each(context, &record);
		else
			reader->lost += message.type == reader->family;
	}
	reader->lost += span_length(datagram) > 0;
}

/* How many datagrams came; 0 when there are no more. */
static size_t receive_batch(struct exit_reader *reader)
{
	for (size_t i = 0; i < BATCH; i++)
		reader->datagrams[i].msg_hdr.msg_namelen = sizeof(reader->senders[i]);
	for (;;) {
		int count = recvmmsg(reader->fd, reader->datagrams, BATCH, MSG_DONTWAIT, NULL);

		if (count >= 0)
			return (size_t)count;
		if (errno == ENOBUFS)
			reader->lost += !reader->counts_drops;
		else if (errno != EINTR)
			return 0;
	}
}

void exit_reader_drain(struct exit_reader *reader,
		       void (*each)(void *context, const struct exit_record *record), void *context)
{
	uint32_t drops;
	size_t count;

	while ((count = receive_batch(reader)) > 0)
		for (size_t i = 0; i < count; i++)
			take_datagram(reader,
				      from_kernel(reader->bytes[i], reader->datagrams[i].msg_len,
						  &reader->senders[i]),
				      each, context);
	if (reader->counts_drops && read_drops(reader, &drops)) {
		reader->lost += (uint32_t)(drops - reader->drops);
		reader->drops = drops;
	}
}

uint64_t exit_reader_lost(const struct exit_reader *reader)
{
	return reader->lost;
}
