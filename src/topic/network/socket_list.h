/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TCP and UDP sockets, of our network namespace and of those of other processes, and who owns them. */
#ifndef PANETOP_TOPIC_NETWORK_SOCKET_LIST_H
#define PANETOP_TOPIC_NETWORK_SOCKET_LIST_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hash.h"
#include "core/i18n.h"
#include "kernel/net/netlink.h"
#include "model/frame.h"
#include "sys/netlink_socket.h"
#include "topic/reader.h"

/* Sends it, and calls each with the payload of every message of the answer. 0 or -errno. */
int netlink_dump(struct netlink_socket *netlink, const void *request, size_t length, uint32_t sequence,
		 void (*each)(void *context, struct span payload), void *context);

struct socket {
	struct sock_diag diag; /* as of the last update that had it */
	bool tcp;
	uint64_t tick; /* of that */
	bool closed;   /* it is shown no more, but its last bytes may still come */
	uint64_t namespace; /* its number; 0: our own, if that is not known */
	bool is_older;      /* than the first look at its namespace: its bytes are from before */
	uint64_t counted_sent, counted_received, counted_again; /* for traffic_list.c */
	uint64_t seen_sent, seen_received, seen_again;          /* the same */
	uint32_t owner;                                         /* pid; 0: not known … */
	uint32_t fd;                                            /* … and which of its descriptors */
	unsigned looks; /* at all processes, that did not find its owner */
};

struct socket_list {
	struct env *env;
	struct socket_namespace {
		uint64_t number; /* of the link /proc/PID/ns/net; 0: not known, only in the first */
		uint32_t pid;    /* a process in it; 0: there is none any more */
		int error;       /* -errno: why it is not read; -EBUSY: that would take too long; 0: it
				    is, or was not wanted */
		bool was_read;
		bool by_family; /* the kernel does not give TCP of both families at once */
		struct netlink_socket *netlink; /* NULL: it is not read */
		struct netlink_socket *closing; /* the kernel reports each that it closes; NULL: not */
	} * namespaces; /* owned; the first is ours */
	size_t n_namespaces, namespaces_capacity;
	struct socket_namespace *reading; /* the one whose sockets are being taken */
	uint64_t others_tick; /* when those of other namespaces were wanted last */
	uint32_t sequence;
	uint64_t mono_ns;
	struct socket *all; /* owned, as the others */
	size_t n_all, capacity, next; /* next: which is looked at first for the next one */
	struct hash by_cookie, by_inode; /* by_inode: those whose owner is looked for */
	size_t n_sought;
	struct socket_holder {
		uint32_t pid;
		uint64_t n_files;   /* when they were read last; U64_UNKNOWN */
		uint64_t namespace; /* number of its network namespace; 0: may not be read */
		unsigned looks;     /* at that, up to a few */
		bool has_closed;    /* one of its sockets since they were looked for in it */
	} * holders, *holders_before; /* all processes, by pid */
	size_t n_holders, holders_capacity, before_capacity;
	uint32_t next_namespace; /* where the look at namespaces goes on */
	uint32_t next_new;       /* … and that at new ones */
	uint32_t next_changed;   /* where the look for changed numbers of files goes on */
	uint32_t next_pid;       /* where the look at all goes on */
	uint64_t next_place;   /* … within its files */
	uint64_t *known;       /* descriptors of a process whose sockets are known, a bit for each */
	size_t n_known_words, known_capacity;
	size_t n_denied;     /* processes whose files may not be read, in the last look at all */
	size_t denied_now;
};

extern const struct reader socket_reader;

/*
 * In this tick with the sockets of other network namespaces, as far as privileges and CPU time allow;
 * socket_list_notice() says what is left out.
 */
void socket_list_want_all(struct socket_list *list);
void socket_list_notice(const struct socket_list *list, struct frame *frame, const char *topic);

static inline bool socket_list_is_own(const struct socket_list *list, const struct socket *socket)
{
	return socket->namespace == list->namespaces[0].number;
}

/* Are the sockets of the process among those that are read? *known stays as it is once it has ended. */
void socket_list_reads(const struct socket_list *list, uint32_t pid, bool *known);

/* The number of the network namespace of a process; 0: may not be read. */
uint64_t socket_list_namespace(struct env *env, uint32_t pid);

/* Its source in --probe and in notices, and what tries it. */
#define SOCKET_LIST_SOURCE "sock_diag"
#define SOCKET_LIST_REMEDIES                                                                                 \
	{ ENOTSUP, N_("only the live machine has connections, not the files of another root") },             \
	{                                                                                                    \
		ENOENT, N_("this kernel is built without CONFIG_INET_DIAG, or its module is not loaded: "    \
			   "modprobe tcp_diag")                                                              \
	}
int socket_list_test(struct env *env);

#endif
