/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The TCP and UDP sockets of the network namespace, and who owns them, updated once per tick. */
#ifndef PANETOP_TOPIC_PROCESS_SOCKET_LIST_H
#define PANETOP_TOPIC_PROCESS_SOCKET_LIST_H

#include "core/hash.h"
#include "kernel/net/sock_diag.h"
#include "sys/env.h"

struct socket {
	struct sock_diag diag; /* as of the last update that had it */
	bool tcp;
	uint64_t tick; /* of that */
	bool closed;   /* it is shown no more, but its last bytes may still come */
	uint64_t counted_sent, counted_received, counted_again; /* for traffic_list.c */
	uint64_t seen_sent, seen_received, seen_again;          /* the same */
	uint32_t owner;                                         /* pid; 0: not known … */
	uint32_t fd;                                            /* … and which of its descriptors */
	unsigned looks; /* at all processes, that did not find its owner */
};

struct socket_list {
	struct env *env;
	struct netlink_socket *netlink, *closing; /* closing: the kernel reports each that it closes; NULL:
						     it does not */
	uint32_t sequence;
	bool by_family; /* the kernel does not give TCP of both families at once */
	uint64_t tick, mono_ns;
	int error;
	struct socket *all; /* owned, as the others */
	size_t n_all, capacity, next; /* next: which is looked at first for the next one */
	struct hash by_cookie, by_inode; /* by_inode: those whose owner is looked for */
	size_t n_sought;
	struct socket_holder {
		uint32_t pid;
		uint64_t n_files; /* when they were read last; U64_UNKNOWN */
	} * holders; /* by pid */
	size_t n_holders, holders_capacity;
	uint32_t next_changed; /* where the look for changed numbers of files goes on */
	uint32_t next_pid;     /* where the look at all goes on */
	uint64_t next_place;   /* … within its files */
	uint64_t *known;       /* descriptors of a process whose sockets are known, a bit for each */
	size_t n_known_words, known_capacity;
	size_t n_denied;     /* processes whose files may not be read, in the last look at all */
	size_t denied_now;
};

/* Shared by all samplers of env; each that opens it closes it. */
struct socket_list *socket_list_open(struct env *env);
void socket_list_close(struct env *env);

/* Once per tick; more calls do nothing. 0 or -errno. */
int socket_list_update(struct socket_list *list);

/* Its source in --probe and in notices, and what tries it. */
#define SOCKET_LIST_SOURCE "sock_diag"
int socket_list_test(struct env *env);

#endif
