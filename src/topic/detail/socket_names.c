/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the inodes that are wanted, then reads the tables of sockets once for all of them. */
#include <config.h>

#include "topic/detail/socket_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"
#include "sys/pids.h"

#define BYTES_MAX ((size_t)8 * 1024 * 1024) /* of each file */
#define REST_TIMES 50 /* reading takes at most 1/50 of the time */

static int compare(const void *one, const void *other)
{
	uint64_t a = ((const struct socket_name *)one)->inode, b = ((const struct socket_name *)other)->inode;

	return (a > b) - (a < b);
}

static struct socket_name *find(struct socket_name *names, size_t n_names, uint64_t inode)
{
	size_t at;

	VECTOR_BOUND(at, n_names, names[at].inode < inode);
	return at < n_names && names[at].inode == inode ? &names[at] : NULL;
}

void socket_names_begin(struct socket_names *sockets)
{
	struct socket_name *names = sockets->before;
	size_t capacity = sockets->before_capacity;

	sockets->before = sockets->names;
	sockets->n_before = sockets->n_names;
	sockets->before_capacity = sockets->capacity;
	sockets->names = names;
	sockets->capacity = capacity;
	sockets->n_names = 0;
}

void socket_names_want(struct socket_names *sockets, uint64_t inode)
{
	const struct socket_name *known = find(sockets->before, sockets->n_before, inode);

	*VECTOR_ADD(sockets->names, sockets->n_names, sockets->capacity) =
		known ? *known : (struct socket_name){ .inode = inode };
}

static void take_inet(struct socket_names *sockets, const char *protocol, bool tcp, struct span text)
{
	struct net_socket socket;

	while (net_socket_next(&text, tcp, &socket)) {
		struct socket_name *name = find(sockets->names, sockets->n_names, socket.inode);

		if (!name)
			continue;
		name->protocol = protocol;
		name->state = socket.state;
		snprintf(name->local, sizeof(name->local), "%s", socket.local);
		snprintf(name->remote, sizeof(name->remote), "%s", socket.remote);
	}
}

static void take_unix(struct socket_names *sockets, struct span text)
{
	struct net_unix socket;

	while (net_unix_next(&text, &socket)) {
		struct socket_name *name = find(sockets->names, sockets->n_names, socket.inode);

		if (!name)
			continue;
		name->protocol = "unix";
		name->state = socket.state;
		name->remote[0] = '\0';
		snprintf(name->local, sizeof(name->local), "%.*s", (int)span_length(socket.path),
			 socket.path.at);
	}
}

static void read_all(struct socket_names *sockets, struct env *env, uint32_t pid)
{
	static const char *const protocols[] = { "tcp", "tcp6", "udp", "udp6", "unix" };
	char name[16];

	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++) {
		struct span text;

		snprintf(name, sizeof(name), "net/%s", protocols[i]);
		if (pids_read_most(env, pid, name, BYTES_MAX, &sockets->text) < 0)
			continue;
		text = span_of(sockets->text.bytes, sockets->text.length);
		if (i < 4)
			take_inet(sockets, protocols[i], i < 2, text);
		else
			take_unix(sockets, text);
	}
}

void socket_names_read(struct socket_names *sockets, struct env *env, uint32_t pid)
{
	uint64_t now_ns = env_mono_ns(env);

	if (sockets->n_names == 0)
		return;
	qsort(sockets->names, sockets->n_names, sizeof(*sockets->names), compare);
	if (now_ns < sockets->due_ns)
		return;
	read_all(sockets, env, pid);
	sockets->due_ns = env_mono_ns(env) + REST_TIMES * (env_mono_ns(env) - now_ns);
}

const struct socket_name *socket_names_find(const struct socket_names *sockets, uint64_t inode)
{
	const struct socket_name *name = find(sockets->names, sockets->n_names, inode);

	return name && name->protocol ? name : NULL;
}

void socket_names_forget(struct socket_names *sockets)
{
	sockets->n_names = sockets->n_before = 0;
	sockets->due_ns = 0;
}

void socket_names_free(struct socket_names *sockets)
{
	free(sockets->names);
	free(sockets->before);
	buffer_free(&sockets->text);
	*sockets = (struct socket_names){ 0 };
}
