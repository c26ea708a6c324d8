/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recvmmsg(2) into a block of memory, and the drops that SO_MEMINFO reports. */
#include <config.h>

#include "sys/netlink_socket.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/alloc.h"
#include "sys/env.h"
#include "sys/privilege.h"

struct netlink_socket {
	int fd;
	bool counts_drops; /* SO_MEMINFO works */
	uint32_t drops;    /* the last value of SO_MEMINFO */
	uint64_t lost;
	char *bytes;       /* of all datagrams in a batch */
	size_t datagram_bytes;
	struct mmsghdr datagrams[NETLINK_BATCH];
	struct iovec pieces[NETLINK_BATCH];
	struct sockaddr_nl senders[NETLINK_BATCH];
};

static bool read_drops(const struct netlink_socket *netlink, uint32_t *drops)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t bytes = sizeof(info);

	if (getsockopt(netlink->fd, SOL_SOCKET, SO_MEMINFO, info, &bytes) < 0 ||
	    bytes < (SK_MEMINFO_DROPS + 1) * sizeof(info[0]))
		return false;
	*drops = info[SK_MEMINFO_DROPS];
	return true;
}

/*
 * When the buffer was full, the kernel drops all datagrams until it is empty, and a read fails with ENOBUFS.
 * Turns both off where drops are counted.
 */
static int prepare_socket(struct netlink_socket *netlink, uint32_t groups, size_t buffer_bytes)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = groups };
	int bytes = (int)buffer_bytes, yes = 1;

	if (setsockopt(netlink->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0 &&
	    setsockopt(netlink->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)) < 0)
		return -errno;
	netlink->counts_drops =
		read_drops(netlink, &netlink->drops) &&
		setsockopt(netlink->fd, SOL_NETLINK, NETLINK_NO_ENOBUFS, &yes, sizeof(yes)) == 0;
	return bind(netlink->fd, (struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
}

static void prepare_datagrams(struct netlink_socket *netlink, size_t datagram_bytes)
{
	netlink->datagram_bytes = datagram_bytes;
	netlink->bytes = alloc_zeroed(NETLINK_BATCH, datagram_bytes);
	for (size_t i = 0; i < NETLINK_BATCH; i++) {
		netlink->pieces[i] = (struct iovec){ netlink->bytes + i * datagram_bytes, datagram_bytes };
		netlink->datagrams[i].msg_hdr = (struct msghdr){
			.msg_name = &netlink->senders[i],
			.msg_iov = &netlink->pieces[i],
			.msg_iovlen = 1,
		};
	}
}

struct netlink_socket *netlink_socket_open(int protocol, uint32_t groups, size_t buffer_bytes,
					   size_t datagram_bytes, int *error)
{
	uint64_t raised = privilege_raise(PRIVILEGE_NETLINK);
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
	struct netlink_socket *netlink;

	*error = fd < 0 ? -errno : 0;
	if (fd < 0) {
		privilege_lower(raised);
		return NULL;
	}
	netlink = alloc_zeroed(1, sizeof(*netlink));
	netlink->fd = fd;
	prepare_datagrams(netlink, datagram_bytes);
	*error = prepare_socket(netlink, groups, buffer_bytes);
	privilege_lower(raised);
	if (!*error)
		return netlink;
	netlink_socket_close(netlink);
	return NULL;
}

struct opening {
	int namespace, protocol;
	uint32_t groups;
	size_t buffer_bytes, datagram_bytes;
	struct netlink_socket *netlink;
	int error;
};

static void *open_in(void *context)
{
	struct opening *opening = context;
	uint64_t raised = privilege_raise(PRIVILEGE_NAMESPACES);

	opening->error = system_call_by(SYS_setns, setns(opening->namespace, CLONE_NEWNET)) < 0 ? -errno : 0;
	privilege_lower(raised);
	if (!opening->error)
		opening->netlink =
			netlink_socket_open(opening->protocol, opening->groups, opening->buffer_bytes,
					    opening->datagram_bytes, &opening->error);
	return NULL;
}

/* A socket stays in the namespace in which it was made; only the thread that makes it goes there. */
struct netlink_socket *netlink_socket_open_in(int namespace, int protocol, uint32_t groups,
					      size_t buffer_bytes, size_t datagram_bytes, int *error)
{
	struct opening opening = { namespace, protocol, groups, buffer_bytes, datagram_bytes, NULL, 0 };
	pthread_t thread;

	*error = -pthread_create(&thread, NULL, open_in, &opening);
	if (*error)
		return NULL;
	pthread_join(thread, NULL);
	*error = opening.error;
	return opening.netlink;
}

void netlink_socket_close(struct netlink_socket *netlink)
{
	if (!netlink)
		return;
	close(netlink->fd);
	free(netlink->bytes);
	free(netlink);
}

int netlink_socket_filter(struct netlink_socket *netlink, const struct sock_fprog *filter)
{
	return setsockopt(netlink->fd, SOL_SOCKET, SO_ATTACH_FILTER, filter, sizeof(*filter)) < 0 ? -errno
												  : 0;
}

int netlink_socket_fd(const struct netlink_socket *netlink)
{
	return netlink->fd;
}

int netlink_socket_send(struct netlink_socket *netlink, const void *bytes, size_t length)
{
	uint64_t raised =
		privilege_raise(PRIVILEGE_NETLINK); /* the kernel checks it again for each request */
	int error = send(netlink->fd, bytes, length, 0) < 0 ? -errno : 0;

	privilege_lower(raised);
	return error;
}

size_t netlink_socket_receive(struct netlink_socket *netlink, size_t most)
{
	if (most > NETLINK_BATCH)
		most = NETLINK_BATCH;
	for (size_t i = 0; i < most; i++)
		netlink->datagrams[i].msg_hdr.msg_namelen = sizeof(netlink->senders[i]);
	for (;;) {
		int count = recvmmsg(netlink->fd, netlink->datagrams, (unsigned)most, MSG_DONTWAIT, NULL);

		if (count >= 0)
			return (size_t)count;
		if (errno == ENOBUFS)
			netlink->lost += !netlink->counts_drops;
		else if (errno != EINTR)
			return 0;
	}
}

struct span netlink_socket_datagram(const struct netlink_socket *netlink, size_t index)
{
	return span_of(netlink->bytes + index * netlink->datagram_bytes,
		       netlink->senders[index].nl_pid == 0 ? netlink->datagrams[index].msg_len : 0);
}

int netlink_socket_await(struct netlink_socket *netlink, uint64_t ns,
			 bool (*is_answer)(void *context, struct span datagram, int *error), void *context)
{
	struct pollfd readable = { .fd = netlink->fd, .events = POLLIN };
	uint64_t start = real_mono_ns(), waited;
	int answer;

	while ((waited = real_mono_ns() - start) < ns) {
		while (netlink_socket_receive(netlink, 1) > 0)
			if (is_answer(context, netlink_socket_datagram(netlink, 0), &answer))
				return answer;
		poll(&readable, 1, (int)((ns - waited) / 1000000) + 1);
	}
	return -ETIMEDOUT;
}

uint64_t netlink_socket_lost(struct netlink_socket *netlink)
{
	uint32_t drops;

	if (netlink->counts_drops && read_drops(netlink, &drops)) {
		netlink->lost += (uint32_t)(drops - netlink->drops);
		netlink->drops = drops;
	}
	return netlink->lost;
}
