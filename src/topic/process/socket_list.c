/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "topic/process/socket_list.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/net/netlink.h"
#include "sys/netlink_socket.h"
#include "sys/open_files.h"
#include "sys/pids.h"
#include "topic/network/netlink_dump.h"

#define DATAGRAM_BYTES 32768
#define BUFFER_BYTES (1 << 20)
#define BATCH 4
#define LOOK_NS UINT64_C(8000000)   /* of CPU time, for owners in a tick … */
#define LOOK_EACH_NS UINT64_C(4000) /* … and for each that is looked for … */
#define LOOK_MOST_NS UINT64_C(50000000)
#define MANY_FILES 256            /* of which only those are read that are not known */
#define FREE_FILES 1024           /* numbers without a file, at most, below the last one */
#define LOOKS_MAX 2               /* the first one may have passed its process; then we may not see it */
#define FILES_AT_ONCE 256
#define CLOSING_DATAGRAM_BYTES 2048
#define CLOSED_TICKS 2
#define CLOSING_BYTES (8 << 20)
#define CLOSING_GROUPS (1U << (SKNLGRP_INET_TCP_DESTROY - 1) | 1U << (SKNLGRP_INET6_TCP_DESTROY - 1))

/* The kernel mostly gives them in the order of the last time. */
static struct socket *socket_of(struct socket_list *list, const struct sock_diag *diag)
{
	struct socket *socket;
	uint32_t at;

	if (list->next < list->n_all && list->all[list->next].diag.cookie == diag->cookie)
		return &list->all[list->next++];
	HASH_FIND(at, &list->by_cookie, hash_u64(diag->cookie), list->all[at].diag.cookie == diag->cookie);
	if (at != HASH_NONE) {
		list->next = at + 1;
		return &list->all[at];
	}
	hash_add(&list->by_cookie, hash_u64(diag->cookie), (uint32_t)list->n_all);
	socket = VECTOR_ADD(list->all, list->n_all, list->capacity);
	*socket = (struct socket){ .diag = *diag };
	return socket;
}

static void take(struct socket_list *list, const struct sock_diag *diag, bool tcp)
{
	struct socket *socket = socket_of(list, diag);

	if (socket->diag.inode != diag->inode) {
		socket->owner = 0;
		socket->looks = 0;
	}
	socket->diag = *diag;
	socket->tcp = tcp;
	socket->tick = list->env->tick;
}

struct dumped {
	struct socket_list *list;
	bool tcp;
};

static void take_message(void *context, struct span payload)
{
	const struct dumped *dumped = context;
	struct sock_diag diag;

	if (sock_diag_parse(payload, &diag))
		take(dumped->list, &diag, dumped->tcp);
}

static int dump(struct socket_list *list, uint8_t family, enum sock_diag_kind kind)
{
	struct dumped dumped = { list, kind != SOCK_DIAG_UDP };
	char request[SOCK_DIAG_REQUEST_BYTES];
	unsigned length = sock_diag_request(request, family, kind, ++list->sequence);

	return netlink_dump(list->netlink, request, length, list->sequence, take_message, &dumped);
}

/* A kernel without IPv6, or without the module for UDP, has no such sockets. */
static int dump_if_any(struct socket_list *list, uint8_t family, enum sock_diag_kind kind)
{
	int error = dump(list, family, kind);

	return error == -ENOENT || error == -EINVAL ? 0 : error;
}

static int dump_tcp(struct socket_list *list, enum sock_diag_kind kind)
{
	int error = list->by_family ? 0 : dump(list, AF_UNSPEC, kind);

	if (error == -ETIMEDOUT)
		return error;
	list->by_family |= error != 0;
	if (!list->by_family)
		return 0;
	error = dump(list, AF_INET, kind);
	return error ? error : dump_if_any(list, AF_INET6, kind);
}

static int dump_all(struct socket_list *list)
{
	int error = dump_tcp(list, SOCK_DIAG_TCP);

	if (!error)
		error = dump_tcp(list, SOCK_DIAG_TCP_LISTENING);
	if (!error)
		error = dump_if_any(list, AF_INET, SOCK_DIAG_UDP);
	return error ? error : dump_if_any(list, AF_INET6, SOCK_DIAG_UDP);
}

/* Its last counters. A socket that began and ended between two samples is new, without an owner. */
static void take_closed(struct socket_list *list, const struct sock_diag *diag)
{
	struct socket *socket = socket_of(list, diag);
	uint64_t inode = socket->diag.inode;

	socket->diag = *diag;
	socket->diag.inode = inode;
	socket->tcp = socket->closed = true;
	socket->tick = list->env->tick;
}

static void read_closed(struct socket_list *list)
{
	size_t n_datagrams;

	while (list->closing && (n_datagrams = netlink_socket_receive(list->closing, BATCH)) > 0)
		for (size_t i = 0; i < n_datagrams; i++) {
			struct span datagram = netlink_socket_datagram(list->closing, i);
			struct netlink_message message;
			struct sock_diag diag;

			while (netlink_next(&datagram, &message))
				if (message.type == SOCK_DIAG_BY_FAMILY &&
				    sock_diag_parse(message.payload, &diag) && diag.sent_bytes != U64_UNKNOWN)
					take_closed(list, &diag);
		}
}

/* Where one closed another may have its descriptor, so that their number is as before. */
static void look_again(struct socket_list *list, uint32_t pid)
{
	size_t at;

	VECTOR_BOUND(at, list->n_holders, list->holders[at].pid < pid);
	if (at < list->n_holders && list->holders[at].pid == pid)
		list->holders[at].n_files = U64_UNKNOWN;
}

/* The report of one that closed may come a little later. */
static void drop_closed(struct socket_list *list)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < list->n_all; i++) {
		struct socket *socket = &list->all[i];

		socket->closed |= socket->tick != list->env->tick;
		if (socket->closed && socket->owner != 0)
			look_again(list, socket->owner);
		if (list->env->tick - socket->tick >= CLOSED_TICKS)
			continue;
		if (n_kept != i)
			list->all[n_kept] = *socket;
		n_kept++;
	}
	if (n_kept == list->n_all)
		return;
	list->n_all = n_kept;
	hash_clear(&list->by_cookie);
	for (size_t i = 0; i < n_kept; i++)
		hash_add(&list->by_cookie, hash_u64(list->all[i].diag.cookie), (uint32_t)i);
}

static bool is_alive(const uint32_t *pids, size_t n_pids, uint32_t pid)
{
	size_t at;

	VECTOR_BOUND(at, n_pids, pids[at] < pid);
	return at < n_pids && pids[at] == pid;
}

static void seek_owners(struct socket_list *list, const uint32_t *pids, size_t n_pids)
{
	list->n_sought = 0;
	hash_clear(&list->by_inode);
	for (size_t i = 0; i < list->n_all; i++) {
		struct socket *socket = &list->all[i];

		if (socket->owner != 0 && !socket->closed && !is_alive(pids, n_pids, socket->owner)) {
			socket->owner = 0;
			socket->looks = 0;
		}
		if (socket->closed)
			continue;
		if (socket->owner == 0 && socket->diag.inode != 0 && socket->looks < LOOKS_MAX) {
			hash_add(&list->by_inode, hash_u64(socket->diag.inode), (uint32_t)i);
			list->n_sought++;
		}
	}
}

struct look {
	struct socket_list *list;
	uint32_t pid;
};

static bool found(void *context, uint32_t fd, uint64_t inode)
{
	const struct look *look = context;
	struct socket_list *list = look->list;
	uint32_t at;

	HASH_FIND(at, &list->by_inode, hash_u64(inode), list->all[at].diag.inode == inode);
	if (at != HASH_NONE && list->all[at].owner == 0) {
		list->all[at].owner = look->pid;
		list->all[at].fd = fd;
		list->n_sought--;
	}
	return list->n_sought > 0;
}

static struct socket_holder *holder_of(struct socket_list *list, uint32_t pid)
{
	size_t at;

	VECTOR_BOUND(at, list->n_holders, list->holders[at].pid < pid);
	if (at < list->n_holders && list->holders[at].pid == pid)
		return &list->holders[at];
	(void)VECTOR_ADD(list->holders, list->n_holders, list->holders_capacity);
	for (size_t i = list->n_holders - 1; i > at; i--)
		list->holders[i] = list->holders[i - 1];
	list->holders[at] = (struct socket_holder){ .pid = pid, .n_files = U64_UNKNOWN };
	return &list->holders[at];
}

static void forget_ended(struct socket_list *list, const uint32_t *pids, size_t n_pids)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < list->n_holders; i++)
		if (is_alive(pids, n_pids, list->holders[i].pid))
			list->holders[n_kept++] = list->holders[i];
	list->n_holders = n_kept;
}

/* False: the time is up, and it goes on in the next tick. */
static bool look_into(struct socket_list *list, uint32_t pid, uint64_t *place, uint64_t until_ns)
{
	struct look look = { list, pid };
	long n_read;

	do {
		n_read = open_files_sockets(list->env, pid, place, FILES_AT_ONCE, found, &look);
		list->denied_now += *place == 0 && (n_read == -EACCES || n_read == -EPERM);
	} while (n_read > 0 && *place != 0 && list->n_sought > 0 && env_self_cpu_ns() < until_ns);
	return n_read < 0 || *place == 0 || list->n_sought == 0;
}

static void add_known(struct socket_list *list, uint32_t fd)
{
	while (list->n_known_words <= fd / 64)
		*VECTOR_ADD(list->known, list->n_known_words, list->known_capacity) = 0;
	list->known[fd / 64] |= UINT64_C(1) << fd % 64;
}

/* How many of its descriptors are known. */
static uint64_t find_known(struct socket_list *list, uint32_t pid)
{
	uint64_t n_known = 0;

	list->n_known_words = 0;
	for (size_t i = 0; i < list->n_all; i++)
		if (list->all[i].owner == pid && !list->all[i].closed) {
			add_known(list, list->all[i].fd);
			n_known++;
		}
	return n_known;
}

/* A known one may be closed here, and open elsewhere: look_on() finds what came in its place. */
static bool look_for_new(struct socket_list *list, uint32_t pid, uint64_t n_files, uint64_t until_ns)
{
	uint64_t n_known = find_known(list, pid);
	struct look look = { list, pid };

	return n_known >= n_files ||
	       open_files_new_sockets(list->env, pid, list->known, (uint32_t)list->n_known_words * 64,
				      n_files - n_known, (uint32_t)n_files + FREE_FILES, until_ns, found,
				      &look);
}

static void look_if_files_changed(struct socket_list *list, uint32_t pid, uint64_t until_ns)
{
	struct socket_holder *holder = holder_of(list, pid);
	uint64_t n_files = open_files_count(list->env, pid), place = 0;

	if (n_files == U64_UNKNOWN || n_files == holder->n_files)
		return;
	if (n_files < MANY_FILES ? look_into(list, pid, &place, until_ns)
				 : look_for_new(list, pid, n_files, until_ns))
		holder->n_files = n_files;
}

/* A new socket mostly changes the number of files of its process. Goes on where the time was up. */
static void look_where_files_changed(struct socket_list *list, const uint32_t *pids, size_t n_pids,
				     uint64_t until_ns)
{
	size_t at;

	VECTOR_BOUND(at, n_pids, pids[at] < list->next_changed);
	for (size_t i = 0; i < n_pids && list->n_sought > 0 && env_self_cpu_ns() < until_ns; i++) {
		at = at < n_pids ? at : 0;
		look_if_files_changed(list, pids[at++], until_ns);
	}
	list->next_changed = at < n_pids ? pids[at] : 0;
}

static void count_looks(struct socket_list *list)
{
	for (size_t i = 0; i < list->n_all; i++)
		if (list->all[i].owner == 0)
			list->all[i].looks++;
	list->n_denied = list->denied_now;
	list->denied_now = 0;
}

/* All processes in turns. */
static void look_on(struct socket_list *list, const uint32_t *pids, size_t n_pids, uint64_t until_ns)
{
	size_t at;

	VECTOR_BOUND(at, n_pids, pids[at] < list->next_pid);
	if (at == n_pids || pids[at] != list->next_pid)
		list->next_place = 0;
	for (; at < n_pids && list->n_sought > 0 && env_self_cpu_ns() < until_ns; at++) {
		list->next_pid = pids[at];
		if (!look_into(list, pids[at], &list->next_place, until_ns))
			return;
		list->next_place = 0;
		list->next_pid = pids[at] + 1;
	}
	if (at < n_pids)
		return;
	count_looks(list);
	list->next_pid = 0;
}

static void find_owners(struct socket_list *list)
{
	uint64_t begin_ns = env_self_cpu_ns(), until_ns;
	const uint32_t *pids;
	size_t n_pids;

	if (pids_list(list->env, &pids, &n_pids) < 0)
		return;
	seek_owners(list, pids, n_pids);
	if (list->n_sought == 0)
		return;
	until_ns = LOOK_NS + list->n_sought * LOOK_EACH_NS;
	until_ns = begin_ns + (until_ns < LOOK_MOST_NS ? until_ns : LOOK_MOST_NS);
	forget_ended(list, pids, n_pids);
	look_where_files_changed(list, pids, n_pids, until_ns - LOOK_NS / 2);
	if (list->n_sought > 0)
		look_on(list, pids, n_pids, until_ns);
}

static int update(struct socket_list *list)
{
	int error = 0;

	if (!list->env->live)
		return -ENOTSUP;
	if (!list->closing && !list->netlink) /* before the first look, so that none is missed */
		list->closing = netlink_socket_open(NETLINK_SOCK_DIAG, CLOSING_GROUPS, CLOSING_BYTES,
						    CLOSING_DATAGRAM_BYTES, &error);
	if (!list->netlink)
		list->netlink =
			netlink_socket_open(NETLINK_SOCK_DIAG, 0, BUFFER_BYTES, DATAGRAM_BYTES, &error);
	list->mono_ns = env_mono_ns();
	list->next = 0;
	if (!error)
		error = dump_all(list);
	if (error) {
		netlink_socket_close(list->netlink);
		list->netlink = NULL;
		return error;
	}
	read_closed(list);
	drop_closed(list);
	find_owners(list);
	return 0;
}

int socket_list_update(struct socket_list *list)
{
	if (list->tick != list->env->tick) {
		list->tick = list->env->tick;
		list->error = update(list);
	}
	return list->error;
}

static void *open_list(struct env *env)
{
	struct socket_list *list = alloc_zeroed(1, sizeof(*list));

	list->env = env;
	list->tick = ENV_NEVER;
	return list;
}

static void close_list(void *state)
{
	struct socket_list *list = state;

	netlink_socket_close(list->netlink);
	netlink_socket_close(list->closing);
	hash_free(&list->by_cookie);
	hash_free(&list->by_inode);
	free(list->holders);
	free(list->known);
	free(list->all);
	free(list);
}

struct socket_list *socket_list_open(struct env *env)
{
	return env_share(env, open_list, open_list, close_list);
}

void socket_list_close(struct env *env)
{
	env_unshare(env, open_list);
}

int socket_list_test(struct env *env)
{
	struct netlink_socket *netlink;
	int error;

	(void)env;
	netlink = netlink_socket_open(NETLINK_SOCK_DIAG, 0, BUFFER_BYTES, DATAGRAM_BYTES, &error);
	netlink_socket_close(netlink);
	return error;
}
