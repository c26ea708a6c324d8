/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A netlink socket of the proc connector with the largest buffer there may be, and its losses counted. */
#include <config.h>

#include "topic/event_connector.h"

#include <errno.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/alloc.h"
#include "kernel/proc_event.h"

#define ANSWER_NS UINT64_C(500000000)
#define BATCH 64
#define DATAGRAM_BYTES 512 /* 76 in Linux 6.18 */

/* What perf does not tell. */
#define KINDS \
	(1u << PROC_EVENT_KIND_EXIT | 1u << PROC_EVENT_KIND_CORE | 1u << PROC_EVENT_KIND_PTRACE | \
	 1u << PROC_EVENT_KIND_UID | 1u << PROC_EVENT_KIND_GID | 1u << PROC_EVENT_KIND_SID)

struct event_connector {
	int fd;
	bool some, counts_drops;
	bool asked;       /* the kernel, to tell */
	uint32_t request; /* number of the last one: not that of anybody else */
	uint32_t drops;
	uint64_t received, lost;
	struct mmsghdr datagrams[BATCH];
	struct iovec pieces[BATCH];
	struct sockaddr_nl senders[BATCH];
	char bytes[BATCH][DATAGRAM_BYTES];
};

static bool read_drops(const struct event_connector *connector, uint32_t *drops)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t bytes = sizeof(info);

	if (getsockopt(connector->fd, SOL_SOCKET, SO_MEMINFO, info, &bytes) < 0 ||
	    bytes < (SK_MEMINFO_DROPS + 1) * sizeof(info[0]))
		return false;
	*drops = info[SK_MEMINFO_DROPS];
	return true;
}

static int prepare_socket(struct event_connector *connector, size_t buffer_bytes)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	int bytes = (int)buffer_bytes, yes = 1;

	if (setsockopt(connector->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0 &&
	    setsockopt(connector->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)) < 0)
		return -errno;
	connector->counts_drops =
		read_drops(connector, &connector->drops) &&
		setsockopt(connector->fd, SOL_NETLINK, NETLINK_NO_ENOBUFS, &yes, sizeof(yes)) == 0;
	return bind(connector->fd, (struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
}

static void prepare_datagrams(struct event_connector *connector)
{
	for (size_t i = 0; i < BATCH; i++) {
		connector->pieces[i] = (struct iovec){ connector->bytes[i], DATAGRAM_BYTES };
		connector->datagrams[i].msg_hdr = (struct msghdr){
			.msg_name = &connector->senders[i],
			.msg_iov = &connector->pieces[i],
			.msg_iovlen = 1,
		};
	}
}

/* How many datagrams came; 0 when there are no more. */
static size_t receive(struct event_connector *connector)
{
	for (size_t i = 0; i < BATCH; i++)
		connector->datagrams[i].msg_hdr.msg_namelen = sizeof(connector->senders[i]);
	for (;;) {
		int count = recvmmsg(connector->fd, connector->datagrams, BATCH, MSG_DONTWAIT, NULL);

		if (count >= 0)
			return (size_t)count;
		if (errno == ENOBUFS)
			connector->lost += !connector->counts_drops;
		else if (errno != EINTR)
			return 0;
	}
}

/* Only the kernel, which has no port number, is heard. */
static struct span datagram_at(const struct event_connector *connector, size_t i)
{
	return span_of(connector->bytes[i],
		       connector->senders[i].nl_pid == 0 ? connector->datagrams[i].msg_len : 0);
}

/*
 * The answer goes to all who listen, and only its number tells whose it is. What else comes before it is not
 * lost on anybody, as we just began.
 */
static bool is_answered(struct event_connector *connector, int *error)
{
	size_t count;

	while ((count = receive(connector)) > 0)
		for (size_t i = 0; i < count; i++) {
			struct span datagram = datagram_at(connector, i);
			struct proc_event event;

			while (proc_event_next(&datagram, &event))
				if (event.kind == PROC_EVENT_KIND_ACK &&
				    event.acknowledged == connector->request + 1) {
					*error = -(int)event.error;
					return true;
				}
		}
	return false;
}

static int send_request(struct event_connector *connector, enum proc_request what)
{
	char bytes[PROC_REQUEST_BYTES_MAX];
	size_t length;

	connector->asked = true;
	length = proc_request_write(bytes, what, KINDS, ++connector->request, env_self_pid());

	return send(connector->fd, bytes, length, 0) < 0 ? -errno : 0;
}

static int request(struct event_connector *connector, enum proc_request what)
{
	uint64_t start = env_mono_ns(), waited;
	int error = send_request(connector, what);

	if (error)
		return error;
	while ((waited = env_mono_ns() - start) < ANSWER_NS) {
		struct pollfd readable = { .fd = connector->fd, .events = POLLIN };

		if (is_answered(connector, &error))
			return error;
		poll(&readable, 1, (int)((ANSWER_NS - waited) / 1000000) + 1);
	}
	return -ETIMEDOUT;
}

/*
 * Only who asks for everything is answered. What is then asked for in part replaces it since Linux 6.6, and
 * is ignored before.
 */
static int listen_to_kernel(struct event_connector *connector)
{
	int error = request(connector, PROC_REQUEST_LISTEN);

	return error || !connector->some ? error : send_request(connector, PROC_REQUEST_LISTEN_SOME);
}

struct event_connector *event_connector_open(struct env *env, bool some, size_t buffer_bytes, int *error)
{
	struct event_connector *connector;
	int fd = env->live ? socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
				    NETLINK_CONNECTOR)
			   : -1;

	if (fd < 0) {
		*error = env->live ? -errno : -ENOTSUP;
		return NULL;
	}
	connector = alloc_zeroed(1, sizeof(*connector));
	connector->fd = fd;
	connector->some = some;
	connector->request = (uint32_t)env_mono_ns();
	prepare_datagrams(connector);
	*error = prepare_socket(connector, buffer_bytes);
	if (!*error)
		*error = listen_to_kernel(connector);
	if (!*error)
		return connector;
	event_connector_close(connector);
	return NULL;
}

void event_connector_close(struct event_connector *connector)
{
	if (!connector)
		return;
	if (connector->asked)
		send_request(connector, PROC_REQUEST_IGNORE);
	close(connector->fd);
	free(connector);
}

static enum event_kind kind_of(const struct proc_event *event)
{
	switch (event->kind) {
	case PROC_EVENT_KIND_FORK:
		return event->pid == event->tid ? EVENT_FORK : EVENT_CLONE;
	case PROC_EVENT_KIND_EXEC:
		return EVENT_EXEC;
	case PROC_EVENT_KIND_UID:
		return EVENT_UID;
	case PROC_EVENT_KIND_GID:
		return EVENT_GID;
	case PROC_EVENT_KIND_SID:
		return EVENT_SID;
	case PROC_EVENT_KIND_PTRACE:
		return EVENT_PTRACE;
	case PROC_EVENT_KIND_COMM:
		return EVENT_COMM;
	case PROC_EVENT_KIND_CORE:
		return EVENT_CORE;
	case PROC_EVENT_KIND_EXIT:
		return EVENT_EXIT;
	case PROC_EVENT_KIND_ACK:
	case PROC_EVENT_KIND_OTHER:
		break;
	}
	return N_EVENT_KINDS;
}

static void take_event(struct event_connector *connector, const struct proc_event *event,
		       struct raw_events *events)
{
	enum event_kind kind = kind_of(event);
	struct raw_event *raw;

	if (kind == N_EVENT_KINDS)
		return;
	connector->received++;
	if (connector->some && !(KINDS & 1u << event->kind))
		return;
	raw = raw_events_add(events);
	raw->kind = kind;
	raw->time_ns = event->time_ns;
	raw->pid = event->pid;
	raw->tid = event->tid;
	raw->parent_pid = event->parent_pid;
	raw->other_pid = event->other_pid;
	raw->real = event->real;
	raw->effective = event->effective;
	memcpy(raw->comm, event->comm, sizeof(raw->comm));
	if (kind == EVENT_EXIT)
		raw->exit_code = event->exit_code;
}

void event_connector_drain(struct event_connector *connector, struct raw_events *events)
{
	uint32_t drops;
	size_t count;

	while ((count = receive(connector)) > 0)
		for (size_t i = 0; i < count; i++) {
			struct span datagram = datagram_at(connector, i);
			struct proc_event event;

			while (proc_event_next(&datagram, &event))
				take_event(connector, &event, events);
		}
	if (connector->counts_drops && read_drops(connector, &drops)) {
		connector->lost += (uint32_t)(drops - connector->drops);
		connector->drops = drops;
	}
}

int event_connector_descriptor(const struct event_connector *connector)
{
	return connector->fd;
}

uint64_t event_connector_received(const struct event_connector *connector)
{
	return connector->received;
}

uint64_t event_connector_lost(const struct event_connector *connector)
{
	return connector->lost;
}
