/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A netlink socket that is read many datagrams at a time, with a large buffer and its losses counted. */
#ifndef PANETOP_SYS_NETLINK_SOCKET_H
#define PANETOP_SYS_NETLINK_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

#define NETLINK_BATCH ((size_t)64)

struct netlink_socket;

/*
 * groups: those that are listened to. buffer_bytes: as much as is asked for; without CAP_NET_ADMIN it is no
 * more than net.core.rmem_max. datagram_bytes: what is longer is cut. NULL and *error, or owned by the
 * caller.
 */
struct netlink_socket *netlink_socket_open(int protocol, uint32_t groups, size_t buffer_bytes,
					   size_t datagram_bytes, int *error);
void netlink_socket_close(struct netlink_socket *netlink); /* NULL is fine */

int netlink_socket_fd(const struct netlink_socket *netlink);                           /* to wait for it */
int netlink_socket_send(struct netlink_socket *netlink, const void *bytes, size_t length); /* 0 or -errno */

/* Takes in as many datagrams as there are, at most most and NETLINK_BATCH; never blocks. Their number. */
size_t netlink_socket_receive(struct netlink_socket *netlink, size_t most);

/*
 * Waits at most so long for the datagram that is_answer finds the answer in: its error, 0 or -errno, or
 * -ETIMEDOUT. What comes before it is lost, what comes after it stays to be received.
 */
int netlink_socket_await(struct netlink_socket *netlink, uint64_t ns,
			 bool (*is_answer)(void *context, struct span datagram, int *error), void *context);

/*
 * One of those that were received last. Empty when it is not the kernel's, which has no port number: programs
 * that write to others need CAP_NET_ADMIN, and are not heard.
 */
struct span netlink_socket_datagram(const struct netlink_socket *netlink, size_t index);

/* Datagrams that found the buffer full since it was opened: exact since Linux 4.12, else a lower bound. */
uint64_t netlink_socket_lost(struct netlink_socket *netlink);

#endif
