/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A netlink socket with a large buffer, which is read in batches and counts its losses. */
#ifndef PANETOP_SYS_NETLINK_SOCKET_H
#define PANETOP_SYS_NETLINK_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

#define NETLINK_BATCH ((size_t)64)

struct netlink_socket;

/*
 * groups: multicast groups to join. buffer_bytes: requested size, without CAP_NET_ADMIN limited to
 * net.core.rmem_max. datagram_bytes: longer datagrams are cut. NULL and *error, or owned by the caller.
 */
struct netlink_socket *netlink_socket_open(int protocol, uint32_t groups, size_t buffer_bytes,
					   size_t datagram_bytes, int *error);
void netlink_socket_close(struct netlink_socket *netlink); /* accepts NULL */

/*
 * The same in another network namespace: that of a descriptor of /proc/PID/ns/net. It takes CAP_SYS_ADMIN.
 */
struct netlink_socket *netlink_socket_open_in(int namespace, int protocol, uint32_t groups,
					      size_t buffer_bytes, size_t datagram_bytes, int *error);

int netlink_socket_fd(const struct netlink_socket *netlink);                           /* for poll(2) */
int netlink_socket_send(struct netlink_socket *netlink, const void *bytes, size_t length); /* 0 or -errno */

/* From now on the kernel drops what this classic BPF program does not accept, uncounted. 0 or -errno. */
struct sock_fprog;
int netlink_socket_filter(struct netlink_socket *netlink, const struct sock_fprog *filter);

/* Receives the datagrams that are there, at most most and NETLINK_BATCH, without blocking; their number. */
size_t netlink_socket_receive(struct netlink_socket *netlink, size_t most);

/*
 * Waits for the datagram in which is_answer finds the answer: its error, 0 or -errno; or -ETIMEDOUT. Drops
 * earlier datagrams; later ones can still be received.
 */
int netlink_socket_await(struct netlink_socket *netlink, uint64_t ns,
			 bool (*is_answer)(void *context, struct span datagram, int *error), void *context);

/*
 * A datagram of the last batch. Empty when its sender is not the kernel, which has port number 0: messages of
 * programs, which need CAP_NET_ADMIN to send to others, are ignored.
 */
struct span netlink_socket_datagram(const struct netlink_socket *netlink, size_t index);

/* Datagrams lost to a full buffer since the opening: exact since Linux 4.12, else a lower bound. */
uint64_t netlink_socket_lost(struct netlink_socket *netlink);

#endif
