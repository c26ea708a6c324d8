/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Subscribes to the proc connector and converts its messages to raw events. */
#include <config.h>

#include "topic/event/event_source.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "kernel/net/netlink.h"
#include "sys/netlink_socket.h"
#include "topic/kernel_clock.h"

/* The kernel answers within sendto(); outside of the initial PID namespace it never does. */
#define ANSWER_NS UINT64_C(5000000)
#define DATAGRAM_BYTES 512 /* 76 in Linux 6.18 */

#define BESIDE_PERF                                                                                          \
	(1u << PROC_EVENT_KIND_EXIT | 1u << PROC_EVENT_KIND_CORE | 1u << PROC_EVENT_KIND_PTRACE |            \
	 1u << PROC_EVENT_KIND_UID | 1u << PROC_EVENT_KIND_GID | 1u << PROC_EVENT_KIND_SID)
#define EXECS (1u << PROC_EVENT_KIND_EXEC)

struct event_connector {
	struct event_source source;
	struct netlink_socket *netlink;
	uint64_t lag_ns; /* of the kernel's clock */
	uint32_t kinds;  /* bits of enum proc_event_kind; 0: all */
	bool subscribed;
	uint32_t request; /* number of the last request, which identifies its answer */
};

/* Answers go to all listeners; the request number identifies ours. */
static bool is_answer(void *context, struct span datagram, int *error)
{
	const struct event_connector *connector = context;
	struct proc_event event;

	while (proc_event_next(&datagram, &event))
		if (event.kind == PROC_EVENT_KIND_ACK && event.acknowledged == connector->request + 1) {
			*error = -(int)event.error;
			return true;
		}
	return false;
}

static int send_request(struct event_connector *connector, enum proc_request what)
{
	char bytes[PROC_REQUEST_BYTES_MAX];
	size_t length =
		proc_request_write(bytes, what, connector->kinds, ++connector->request, env_self_pid());

	connector->subscribed = true;
	return netlink_socket_send(connector->netlink, bytes, length);
}

/* Messages before the answer are dropped; those after it remain to be drained. */
static int request(struct event_connector *connector, enum proc_request what)
{
	int error = send_request(connector, what);

	return error ? error : netlink_socket_await(connector->netlink, ANSWER_NS, is_answer, connector);
}

/* Drops other kinds before they wake anyone, also before Linux 6.6. A datagram has one message. */
static int filter(struct event_connector *connector)
{
	struct sock_filter code[2 * PROC_EVENT_KIND_OTHER + 2];
	struct sock_fprog program = { .filter = code };

	program.filter[program.len++] =
		(struct sock_filter)BPF_STMT(BPF_LD | BPF_ABS | BPF_W, PROC_EVENT_CODE_AT);
	for (unsigned kind = 0; kind < PROC_EVENT_KIND_OTHER; kind++) {
		if (!(connector->kinds & 1u << kind))
			continue;
		program.filter[program.len++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, htonl(proc_event_code((enum proc_event_kind)kind)), 0, 1);
		program.filter[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, UINT32_MAX);
	}
	program.filter[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	return netlink_socket_filter(connector->netlink, &program);
}

/*
 * The kernel answers only a request for all events. A later request for some events replaces it since Linux
 * 6.6 and is ignored before.
 */
static int listen_to_kernel(struct event_connector *connector)
{
	int error = request(connector, PROC_REQUEST_LISTEN);

	if (error || !connector->kinds)
		return error;
	error = send_request(connector, PROC_REQUEST_LISTEN_SOME);
	return error ? error : filter(connector);
}

static void close_connector(struct event_source *source)
{
	struct event_connector *connector = (struct event_connector *)source;

	if (connector->subscribed)
		send_request(connector, PROC_REQUEST_IGNORE);
	netlink_socket_close(connector->netlink);
	free(connector);
}

/* N_EVENT_KINDS: of no use. */
static enum event_kind kind_of(const struct proc_event *event)
{
	static const enum event_kind kinds[] = {
		[PROC_EVENT_KIND_FORK] = EVENT_FORK,     [PROC_EVENT_KIND_EXEC] = EVENT_EXEC,
		[PROC_EVENT_KIND_UID] = EVENT_UID,       [PROC_EVENT_KIND_GID] = EVENT_GID,
		[PROC_EVENT_KIND_SID] = EVENT_SID,       [PROC_EVENT_KIND_PTRACE] = EVENT_PTRACE,
		[PROC_EVENT_KIND_COMM] = EVENT_COMM,     [PROC_EVENT_KIND_CORE] = EVENT_CORE,
		[PROC_EVENT_KIND_EXIT] = EVENT_EXIT,     [PROC_EVENT_KIND_ACK] = N_EVENT_KINDS,
		[PROC_EVENT_KIND_OTHER] = N_EVENT_KINDS,
	};

	return event->kind == PROC_EVENT_KIND_FORK && event->pid != event->tid ? EVENT_CLONE
									       : kinds[event->kind];
}

static void add_event(struct event_connector *connector, const struct proc_event *event,
		      struct raw_events *events)
{
	enum event_kind kind = kind_of(event);
	struct raw_event *raw;

	connector->source.received++;
	if (kind == N_EVENT_KINDS || (connector->kinds && !(connector->kinds & 1u << event->kind)))
		return;
	raw = raw_events_add(events);
	raw->kind = kind;
	raw->time_ns = event->time_ns + connector->lag_ns;
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

static void drain(struct event_source *source, struct raw_events *events, bool exits)
{
	struct event_connector *connector = (struct event_connector *)source;
	size_t count;

	(void)exits;
	while ((count = netlink_socket_receive(connector->netlink, NETLINK_BATCH)) > 0)
		for (size_t i = 0; i < count; i++) {
			struct span datagram = netlink_socket_datagram(connector->netlink, i);
			struct proc_event event;

			while (proc_event_next(&datagram, &event))
				add_event(connector, &event, events);
		}
}

static unsigned descriptors(const struct event_source *source, int *fds, unsigned room)
{
	fds[0] = netlink_socket_fd(((const struct event_connector *)source)->netlink);
	return room > 0;
}

static uint64_t lost(const struct event_source *source)
{
	return netlink_socket_lost(((const struct event_connector *)source)->netlink);
}

struct event_source *event_connector_open(struct env *env, enum event_connector_kinds kinds,
					  size_t buffer_bytes, int *error)
{
	struct netlink_socket *netlink = NULL;
	struct event_connector *connector;

	*error = -ENOTSUP;
	if (env->live)
		netlink = netlink_socket_open(NETLINK_CONNECTOR, CN_IDX_PROC, buffer_bytes, DATAGRAM_BYTES,
					      error);
	if (!netlink)
		return NULL;
	connector = alloc_zeroed(1, sizeof(*connector));
	connector->source = (struct event_source){
		.close = close_connector, .drain = drain, .descriptors = descriptors, .lost = lost
	};
	connector->netlink = netlink;
	connector->lag_ns = kernel_clock_lag_ns(env);
	connector->kinds = kinds == EVENT_CONNECTOR_EXECS         ? EXECS
			   : kinds == EVENT_CONNECTOR_BESIDE_PERF ? BESIDE_PERF
								  : 0;
	connector->request = (uint32_t)env_mono_ns(env);
	*error = listen_to_kernel(connector);
	if (!*error)
		return &connector->source;
	close_connector(&connector->source);
	return NULL;
}
