/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The addresses of some sockets, found by their inodes among all sockets of the network namespace. */
#ifndef PANETOP_TOPIC_DETAIL_SOCKET_NAMES_H
#define PANETOP_TOPIC_DETAIL_SOCKET_NAMES_H

#include "core/buffer.h"
#include "kernel/net/proc_net.h"
#include "sys/env.h"

#define SOCKET_LOCAL_MAX 112 /* a path of a unix socket is at most 108 bytes long */

struct socket_name {
	uint64_t inode;
	const char *protocol; /* NULL: not found */
	const char *state;
	char local[SOCKET_LOCAL_MAX], remote[NET_ADDRESS_MAX];
};

/* All zero is an empty list. */
struct socket_names {
	struct socket_name *names, *before; /* by inode once read; owned, as the others */
	size_t n_names, capacity, n_before, before_capacity;
	uint64_t due_ns; /* not read before: reading costs time where there are many sockets */
	struct buffer text;
};

/* Begins a list of wanted sockets; what was known of them stays until they are read again. */
void socket_names_begin(struct socket_names *sockets);
void socket_names_want(struct socket_names *sockets, uint64_t inode);

/* Reads them, as process pid sees its network, if it is time. */
void socket_names_read(struct socket_names *sockets, struct env *env, uint32_t pid);

/* NULL: not wanted, or not found. */
const struct socket_name *socket_names_find(const struct socket_names *sockets, uint64_t inode);

void socket_names_forget(struct socket_names *sockets);
void socket_names_free(struct socket_names *sockets);

#endif
