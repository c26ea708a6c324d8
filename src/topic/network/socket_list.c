/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dumps sockets of each network namespace, and looks for the owners of new ones within a budget of time. */
#include <config.h>

#include "topic/network/socket_list.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/vector.h"
#include "kernel/net/netlink.h"
#include "sys/pids.h"
#include "topic/topic.h"

#define BATCH 4
#define WAIT_MS 1000 /* the kernel answers at once */

/* 1: the dump goes on; 0: it is complete; or -errno. */
static int take_datagram(struct span datagram, uint32_t sequence,
			 void (*each)(void *context, struct span payload), void *context)
{
	struct netlink_message message;
	int error;

	while (netlink_next(&datagram, &message)) {
		if (message.sequence != sequence)
			continue;
		if (message.type == NLMSG_DONE)
			return 0;
		if (netlink_ack(&message, &error))
			return error;
		each(context, message.payload);
	}
	return 1;
}

/* Skips answers to earlier requests, and gives up a second after the last datagram. */
int netlink_dump(struct netlink_socket *netlink, const void *request, size_t length, uint32_t sequence,
		 void (*each)(void *context, struct span payload), void *context)
{
	struct pollfd readable = { .fd = netlink_socket_fd(netlink), .events = POLLIN };
	int state = netlink_socket_send(netlink, request, length);

	for (state = state < 0 ? state : 1; state == 1;) {
		size_t n_datagrams = netlink_socket_receive(netlink, BATCH);

		if (n_datagrams == 0 && poll(&readable, 1, WAIT_MS) <= 0)
			return -ETIMEDOUT;
		for (size_t i = 0; i < n_datagrams && state == 1; i++)
			state = take_datagram(netlink_socket_datagram(netlink, i), sequence, each, context);
	}
	return state;
}

#define DATAGRAM_BYTES 32768
#define BUFFER_BYTES (1 << 20)
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
#define NAMESPACES_NS UINT64_C(20000000) /* of CPU time, for sockets of other namespaces in a tick */
#define NAMESPACE_FILES 2
#define NAMESPACES_AT_ONCE 64 /* processes whose namespace is looked at again in a tick … */
#define NEW_LOOKS 2           /* … and how often of a new one, which may still go elsewhere */
#define NEW_AT_ONCE 1024      /* new ones in a tick */
#define CLOSING_GROUPS (1U << (SKNLGRP_INET_TCP_DESTROY - 1) | 1U << (SKNLGRP_INET6_TCP_DESTROY - 1))

/* Before Linux 5.10 each namespace has cookies of its own. */
static uint64_t hash_cookie(uint64_t namespace, uint64_t cookie)
{
	return hash_u64(cookie ^ namespace << 32);
}

static bool is_socket(const struct socket *socket, uint64_t namespace, uint64_t cookie)
{
	return socket->diag.cookie == cookie && socket->namespace == namespace;
}

/* Of the namespace that is being read. The kernel mostly gives them in the order of the last time. */
static struct socket *socket_of(struct socket_list *list, const struct sock_diag *diag)
{
	uint64_t namespace = list->reading->number, hash = hash_cookie(namespace, diag->cookie);
	struct socket *socket;
	uint32_t at;

	if (list->next < list->n_all && is_socket(&list->all[list->next], namespace, diag->cookie))
		return &list->all[list->next++];
	HASH_FIND(at, &list->by_cookie, hash, is_socket(&list->all[at], namespace, diag->cookie));
	if (at != HASH_NONE) {
		list->next = at + 1;
		return &list->all[at];
	}
	hash_add(&list->by_cookie, hash, (uint32_t)list->n_all);
	socket = VECTOR_ADD(list->all, list->n_all, list->capacity);
	*socket = (struct socket){ .diag = *diag,
				   .namespace = namespace,
				   .is_older = !list->reading->was_read };
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

	return netlink_dump(list->reading->netlink, request, length, list->sequence, take_message, &dumped);
}

/* A kernel without IPv6, or without the module for UDP, has no such sockets. */
static int dump_if_any(struct socket_list *list, uint8_t family, enum sock_diag_kind kind)
{
	int error = dump(list, family, kind);

	return error == -ENOENT || error == -EINVAL ? 0 : error;
}

static int dump_tcp(struct socket_list *list, enum sock_diag_kind kind)
{
	struct socket_namespace *reading = list->reading;
	int error = reading->by_family ? 0 : dump(list, AF_UNSPEC, kind);

	if (error == -ETIMEDOUT)
		return error;
	reading->by_family |= error != 0;
	if (!reading->by_family)
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
	struct netlink_socket *closing = list->reading->closing;
	size_t n_datagrams;

	while (closing && (n_datagrams = netlink_socket_receive(closing, BATCH)) > 0)
		for (size_t i = 0; i < n_datagrams; i++) {
			struct span datagram = netlink_socket_datagram(closing, i);
			struct netlink_message message;
			struct sock_diag diag;

			while (netlink_next(&datagram, &message))
				if (message.type == SOCK_DIAG_BY_FAMILY &&
				    sock_diag_parse(message.payload, &diag) && diag.sent_bytes != U64_UNKNOWN)
					take_closed(list, &diag);
		}
}

/* NULL: there is no such process any more. */
static struct socket_holder *holder_of(const struct socket_list *list, uint32_t pid)
{
	size_t at;

	VECTOR_BOUND(at, list->n_holders, list->holders[at].pid < pid);
	return at < list->n_holders && list->holders[at].pid == pid ? &list->holders[at] : NULL;
}

/* Where one closed another may have its descriptor, so that their number is as before. */
static void look_again(struct socket_list *list, uint32_t pid)
{
	struct socket_holder *holder = holder_of(list, pid);

	if (!holder)
		return;
	holder->n_files = U64_UNKNOWN;
	holder->has_closed = true;
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
		hash_add(&list->by_cookie, hash_cookie(list->all[i].namespace, list->all[i].diag.cookie),
			 (uint32_t)i);
}

static void seek_owners(struct socket_list *list)
{
	list->n_sought = 0;
	hash_clear(&list->by_inode);
	for (size_t i = 0; i < list->n_all; i++) {
		struct socket *socket = &list->all[i];

		if (socket->owner != 0 && !socket->closed && !holder_of(list, socket->owner)) {
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

/* False: the time is up, and it goes on in the next tick. */
static bool look_into(struct socket_list *list, uint32_t pid, uint64_t *place, uint64_t until_ns)
{
	struct look look = { list, pid };
	long n_read;

	do {
		n_read = open_files_sockets(list->env, pid, place, FILES_AT_ONCE, found, &look);
		list->denied_now += *place == 0 && (n_read == -EACCES || n_read == -EPERM);
	} while (n_read > 0 && *place != 0 && list->n_sought > 0 && env_self_cpu_ns(list->env) < until_ns);
	return n_read < 0 || *place == 0 || list->n_sought == 0;
}

/* How many of its descriptors are known. */
static uint64_t find_known(struct socket_list *list, uint32_t pid)
{
	uint64_t n_known = 0;

	list->n_known_words = 0;
	for (size_t i = 0; i < list->n_all; i++)
		if (list->all[i].owner == pid && !list->all[i].closed) {
			uint32_t fd = list->all[i].fd;

			while (list->n_known_words <= fd / 64)
				*VECTOR_ADD(list->known, list->n_known_words, list->known_capacity) = 0;
			list->known[fd / 64] |= UINT64_C(1) << fd % 64;
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

static void look_if_files_changed(struct socket_list *list, struct socket_holder *holder, uint64_t until_ns)
{
	uint64_t n_files = open_files_count(list->env, holder->pid), place = 0;

	if (n_files == U64_UNKNOWN || n_files == holder->n_files)
		return;
	if (n_files < MANY_FILES ? look_into(list, holder->pid, &place, until_ns)
				 : look_for_new(list, holder->pid, n_files, until_ns)) {
		holder->n_files = n_files;
		holder->has_closed = false;
	}
}

/*
 * First the processes that closed a socket: they often have a new one. Others mostly have more files then.
 * Goes on where the time was up.
 */
static void look_where_files_changed(struct socket_list *list, uint64_t until_ns)
{
	size_t at;

	for (size_t i = 0; i < list->n_holders && list->n_sought > 0; i++)
		if (list->holders[i].has_closed && env_self_cpu_ns(list->env) < until_ns)
			look_if_files_changed(list, &list->holders[i], until_ns);
	VECTOR_BOUND(at, list->n_holders, list->holders[at].pid < list->next_changed);
	for (size_t i = 0; i < list->n_holders && list->n_sought > 0; i++) {
		if (env_self_cpu_ns(list->env) >= until_ns)
			break;
		at = at < list->n_holders ? at : 0;
		look_if_files_changed(list, &list->holders[at++], until_ns);
	}
	list->next_changed = at < list->n_holders ? list->holders[at].pid : 0;
}

/* All processes in turns. */
static void look_on(struct socket_list *list, uint64_t until_ns)
{
	size_t at;

	VECTOR_BOUND(at, list->n_holders, list->holders[at].pid < list->next_pid);
	if (at == list->n_holders || list->holders[at].pid != list->next_pid)
		list->next_place = 0;
	for (; at < list->n_holders && list->n_sought > 0 && env_self_cpu_ns(list->env) < until_ns; at++) {
		list->next_pid = list->holders[at].pid;
		if (!look_into(list, list->next_pid, &list->next_place, until_ns))
			return;
		list->next_place = 0;
		list->next_pid++;
	}
	if (at < list->n_holders)
		return;
	for (size_t i = 0; i < list->n_all; i++)
		list->all[i].looks += list->all[i].owner == 0;
	list->n_denied = list->denied_now;
	list->denied_now = list->next_pid = 0;
}

static void find_owners(struct socket_list *list)
{
	uint64_t begin_ns = env_self_cpu_ns(list->env), until_ns;

	seek_owners(list);
	if (list->n_sought == 0)
		return;
	until_ns = LOOK_NS + list->n_sought * LOOK_EACH_NS;
	until_ns = begin_ns + (until_ns < LOOK_MOST_NS ? until_ns : LOOK_MOST_NS);
	look_where_files_changed(list, until_ns - LOOK_NS / 2);
	if (list->n_sought > 0)
		look_on(list, until_ns);
}

static void update_holders(struct socket_list *list, const uint32_t *pids, size_t n_pids)
{
	struct socket_holder *before = list->holders;
	size_t n_before = list->n_holders, capacity = list->holders_capacity, at = 0;

	list->holders = list->holders_before;
	list->holders_capacity = list->before_capacity;
	list->holders_before = before;
	list->before_capacity = capacity;
	VECTOR_RESERVE(list->holders, n_pids, list->holders_capacity);
	for (size_t i = 0; i < n_pids; i++) {
		while (at < n_before && before[at].pid < pids[i])
			at++;
		list->holders[i] =
			at < n_before && before[at].pid == pids[i]
				? before[at]
				: (struct socket_holder){ .pid = pids[i], .n_files = U64_UNKNOWN };
	}
	list->n_holders = n_pids;
}

/* "net:[4026531840]" */
uint64_t socket_list_namespace(struct env *env, uint32_t pid)
{
	static const char prefix[] = "net:[";
	char target[64];
	long length = pids_read_link(env, pid, "ns/net", target, sizeof(target));
	struct span text = span_of(target, length > 0 ? (size_t)length : 0);
	uint64_t number;

	if (!span_starts(text, prefix))
		return 0;
	text.at += sizeof(prefix) - 1;
	return span_u64(&text, &number) ? number : 0;
}

static void look_at_namespace(struct socket_list *list, struct socket_holder *holder)
{
	holder->namespace = socket_list_namespace(list->env, holder->pid);
	holder->looks += holder->looks < NEW_LOOKS;
}

/* In turns, as at the start all of them are new. */
static void look_at_new(struct socket_list *list)
{
	size_t left = NEW_AT_ONCE, at;

	VECTOR_BOUND(at, list->n_holders, list->holders[at].pid < list->next_new);
	for (size_t i = 0; i < list->n_holders && left > 0; i++, at++) {
		at = at < list->n_holders ? at : 0;
		if (list->holders[at].looks >= NEW_LOOKS)
			continue;
		look_at_namespace(list, &list->holders[at]);
		left--;
	}
	list->next_new = at < list->n_holders ? list->holders[at].pid : 0;
}

/* New processes first; the others in turns, as few ever change. */
static void look_at_namespaces(struct socket_list *list)
{
	size_t n = list->n_holders < NAMESPACES_AT_ONCE ? list->n_holders : NAMESPACES_AT_ONCE, at;

	look_at_new(list);
	VECTOR_BOUND(at, list->n_holders, list->holders[at].pid < list->next_namespace);
	for (; n > 0; n--) {
		at = at < list->n_holders ? at : 0;
		look_at_namespace(list, &list->holders[at++]);
	}
	list->next_namespace = at < list->n_holders ? list->holders[at].pid : 0;
}

static bool is_own(const struct socket_list *list, const struct socket_namespace *namespace)
{
	return namespace == list->namespaces;
}

static void close_namespace(struct socket_list *list, struct socket_namespace *namespace)
{
	if (namespace->netlink && !is_own(list, namespace))
		list->env->pids.n_kept -= NAMESPACE_FILES;
	netlink_socket_close(namespace->netlink);
	netlink_socket_close(namespace->closing);
	namespace->netlink = namespace->closing = NULL;
	namespace->was_read = false;
}

/* At this descriptor; -1: ours. */
static struct netlink_socket *open_at(int place, uint32_t groups, size_t buffer_bytes, size_t datagram_bytes,
				      int *error)
{
	if (place < 0)
		return netlink_socket_open(NETLINK_SOCK_DIAG, groups, buffer_bytes, datagram_bytes, error);
	return netlink_socket_open_in(place, NETLINK_SOCK_DIAG, groups, buffer_bytes, datagram_bytes, error);
}

static int open_both(struct socket_namespace *namespace, int place)
{
	int error;

	/* before the first look, so that none is missed */
	namespace->closing = open_at(place, CLOSING_GROUPS, CLOSING_BYTES, CLOSING_DATAGRAM_BYTES, &error);
	if (error != -EPERM)
		namespace->netlink = open_at(place, 0, BUFFER_BYTES, DATAGRAM_BYTES, &error);
	return error;
}

/* By a process that is in it; not if that has left it since. */
static int open_other(struct socket_list *list, struct socket_namespace *namespace)
{
	struct env_pids *pids = &list->env->pids;
	struct stat status;
	int place, error;

	if (pids->n_kept + NAMESPACE_FILES > pids->kept_max)
		return -EMFILE;
	place = pids_open(list->env, namespace->pid, "ns/net", O_RDONLY | O_CLOEXEC);
	if (place < 0)
		return place;
	error = fstat(place, &status) < 0 ? -errno : 0;
	if (!error)
		error = status.st_ino == namespace->number ? open_both(namespace, place) : -ESRCH;
	close(place);
	if (namespace->netlink)
		pids->n_kept += NAMESPACE_FILES;
	return error;
}

static int read_namespace(struct socket_list *list, struct socket_namespace *namespace)
{
	int error = 0;

	if (!namespace->netlink)
		error = is_own(list, namespace) ? open_both(namespace, -1) : open_other(list, namespace);
	list->reading = namespace;
	if (!error)
		error = dump_all(list);
	if (error) {
		close_namespace(list, namespace);
		return error;
	}
	read_closed(list);
	namespace->was_read = true;
	return 0;
}

static struct socket_namespace *namespace_of(struct socket_list *list, uint64_t number)
{
	struct socket_namespace *namespace;

	for (size_t i = 0; i < list->n_namespaces; i++)
		if (list->namespaces[i].number == number)
			return &list->namespaces[i];
	namespace = VECTOR_ADD(list->namespaces, list->n_namespaces, list->namespaces_capacity);
	*namespace = (struct socket_namespace){ .number = number };
	return namespace;
}

/* By the processes in them; none as long as we do not know which is our own. */
static void find_namespaces(struct socket_list *list)
{
	uint64_t own = list->namespaces[0].number;
	struct socket_namespace *namespace = NULL;
	size_t n_kept = 1;

	for (size_t i = 1; i < list->n_namespaces; i++)
		list->namespaces[i].pid = 0;
	for (size_t i = 0; i < list->n_holders && own != 0; i++) {
		const struct socket_holder *holder = &list->holders[i];

		if (holder->namespace == 0 || holder->namespace == own)
			continue;
		if (!namespace || namespace->number != holder->namespace)
			namespace = namespace_of(list, holder->namespace);
		namespace->pid = holder->pid;
	}
	for (size_t i = 1; i < list->n_namespaces; i++)
		if (list->namespaces[i].pid == 0)
			close_namespace(list, &list->namespaces[i]);
		else
			list->namespaces[n_kept++] = list->namespaces[i];
	list->n_namespaces = n_kept;
}

/* A bound of its own for those that were read before, so that few alternate. */
static void read_others(struct socket_list *list)
{
	bool wanted = list->others_tick == list->env->tick;
	uint64_t begin_ns = env_self_cpu_ns(list->env);

	for (size_t i = 1; i < list->n_namespaces; i++) {
		struct socket_namespace *namespace = &list->namespaces[i];
		uint64_t most_ns = namespace->was_read ? 2 * NAMESPACES_NS : NAMESPACES_NS;

		if (!wanted || env_self_cpu_ns(list->env) - begin_ns >= most_ns) {
			close_namespace(list, namespace);
			namespace->error = wanted ? -EBUSY : 0;
		} else if (namespace->error != -EPERM) {
			namespace->error = read_namespace(list, namespace);
		}
	}
}

static int update(void *state, const struct sample *sample)
{
	struct socket_list *list = state;
	const uint32_t *pids;
	size_t n_pids;
	int error;

	if (!sample->env->live)
		return -ENOTSUP;
	if (list->n_namespaces == 0)
		*VECTOR_ADD(list->namespaces, list->n_namespaces, list->namespaces_capacity) =
			(struct socket_namespace){
				.number = socket_list_namespace(list->env, list->env->own_pid)
			};
	list->mono_ns = env_mono_ns(sample->env);
	list->next = 0;
	error = read_namespace(list, &list->namespaces[0]);
	if (error)
		return error;
	if (pids_list(list->env, &pids, &n_pids) < 0)
		n_pids = 0;
	update_holders(list, pids, n_pids);
	look_at_namespaces(list);
	find_namespaces(list);
	read_others(list);
	drop_closed(list);
	find_owners(list);
	return 0;
}

void socket_list_want_all(struct socket_list *list)
{
	list->others_tick = list->env->tick;
}

void socket_list_notice(const struct socket_list *list, struct frame *frame, const char *topic)
{
	size_t n = 0;
	int error = 0;

	for (size_t i = 1; i < list->n_namespaces; i++) {
		const struct socket_namespace *namespace = &list->namespaces[i];

		if (namespace->error == 0 || namespace->error == -ENOENT || namespace->error == -ESRCH)
			continue; /* or the process by which it was to be read has just ended */
		error = n++ == 0 || namespace->error == -EPERM ? namespace->error : error;
	}
	if (n == 0)
		return;
	frame_notice(frame, topic,
		     error == -EPERM ? remedy_for_user(N_("run it as root, or give it the capabilities "
							  "cap_sys_admin and cap_sys_ptrace"))
				     : source_remedy(list->env, NULL, -error),
		     P_("sockets in %zu other network namespace are not read: %s",
			"sockets in %zu other network namespaces are not read: %s", n),
		     n, error == -EBUSY ? _("reading them would take too long") : env_error_text(-error));
}

void socket_list_reads(const struct socket_list *list, uint32_t pid, bool *known)
{
	const struct socket_holder *holder = holder_of(list, pid);

	if (!holder)
		return;
	/* a kernel without them has no such link, not even of ourselves */
	*known = list->env->own_pid != 0 && list->namespaces[0].number == 0;
	for (size_t i = 0; i < list->n_namespaces && holder->namespace != 0; i++)
		if (list->namespaces[i].number == holder->namespace)
			*known = list->namespaces[i].netlink != NULL;
}

static int open_list(void *state, const struct sample *sample)
{
	struct socket_list *list = state;

	list->env = sample->env;
	list->others_tick = ENV_NEVER;
	return 0;
}

static void close_list(void *state)
{
	struct socket_list *list = state;

	for (size_t i = 0; i < list->n_namespaces; i++)
		close_namespace(list, &list->namespaces[i]);
	free(list->namespaces);
	free(list->holders_before);
	hash_free(&list->by_cookie);
	hash_free(&list->by_inode);
	free(list->holders);
	free(list->known);
	free(list->all);
}

const struct reader socket_reader = {
	.name = "sockets",
	.state_size = sizeof(struct socket_list),
	.open = open_list,
	.update = update,
	.close = close_list,
	.source = SOCKET_LIST_SOURCE,
};

int socket_list_test(struct env *env)
{
	struct netlink_socket *netlink;
	int error;

	(void)env;
	netlink = netlink_socket_open(NETLINK_SOCK_DIAG, 0, BUFFER_BYTES, DATAGRAM_BYTES, &error);
	netlink_socket_close(netlink);
	return error;
}
