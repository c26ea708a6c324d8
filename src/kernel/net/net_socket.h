/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/net/tcp, tcp6, udp, udp6 and unix: sockets by inode. */
#ifndef PANETOP_KERNEL_NET_SOCKET_H
#define PANETOP_KERNEL_NET_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

#define NET_ADDRESS_MAX 56 /* "[ffff:…]:65535" */

struct net_socket {
	uint64_t inode;
	char local[NET_ADDRESS_MAX], remote[NET_ADDRESS_MAX]; /* remote is empty: not connected */
	const char *state; /* N_(): "established", "listening"; empty: of no interest */
};

/* As ss(8) calls the kernel's TCP_ESTABLISHED and so on: N_(); empty: not known. */
const char *tcp_state_name(uint64_t state);

/* The next line about an Internet socket, of a file of this byte order; false after the last. */
bool net_socket_next(struct span *text, bool tcp, struct net_socket *socket);

struct net_unix {
	uint64_t inode;
	struct span path;  /* of the file, or "@name"; empty: it has no name */
	const char *state; /* as above */
};

bool net_unix_next(struct span *text, struct net_unix *socket);

#endif
