/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "open_file": the file descriptors of the selected process. */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/net/proc_net.h"
#include "kernel/pid/pid_fd.h"
#include "sys/env.h"
#include "sys/pids.h"
#include "topic/detail/process_page.h"

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

/* Collects the inodes that are wanted, then reads the tables of sockets once for all of them. */

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

/* Begins a list of wanted sockets; what was known of them stays until they are read again. */
static void socket_names_begin(struct socket_names *sockets)
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

static void socket_names_want(struct socket_names *sockets, uint64_t inode)
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

/* Reads them, as process pid sees its network, if it is time. */
static void socket_names_read(struct socket_names *sockets, struct env *env, uint32_t pid)
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

#define TURN_MAX ((size_t)1000)  /* read in one sample */
#define KEPT_MAX ((size_t)10000) /* rows */

struct file_row {
	uint64_t pid;
	double start_seconds;
	uint64_t fd;
	const char *kind, *flags, *path, *file_state;
	const char *protocol, *local, *remote, *socket_state;
	uint64_t position_bytes, inode;
	double position_bytes_per_second, age_seconds;
};

#define ROW(field, ...) COLUMN(struct file_row, field, __VA_ARGS__)
#define LINK "/proc/PID/fd/FD"
#define INFO "/proc/PID/fdinfo/FD"
#define NET "/proc/PID/net/tcp, tcp6, udp, udp6, unix; by inode"

static const struct column columns[] = {
	ROW(pid, A_PROCESS_ID, .hidden = true, .help = N_("process")),
	ROW(start_seconds, A_PROCESS_START),
	ROW(fd, A_KEY(N_("FD"), 5), .fleeting = true, .help = N_("file descriptor"),
	    .source = "/proc/PID/fd"),
	ROW(kind, A_LABEL(N_("kind"), 9), .words = true,
	    .help = N_("file, directory, device, pipe, socket, memfd, or what the kernel calls it: "
		       "eventpoll, eventfd, timerfd, inotify ..."),
	    .source = LINK ", O_DIRECTORY of " INFO " flags"),
	ROW(flags, A_LABEL(N_("flags"), 11), .rank = 4,
	    .help = N_("how it was opened: r read, w write, append, nonblock, cloexec ..."),
	    .source = INFO " flags"),
	ROW(position_bytes, A_GAUGE(BYTES, N_("position"), 8), .rank = 2,
	    .help = N_("where the next read or write begins"), .source = INFO " pos"),
	ROW(position_bytes_per_second, A_RATE(BYTES_PER_SECOND, N_("moved/s"), 8), .rank = 3,
	    .rate_of = offsetof(struct file_row, position_bytes),
	    .help = N_("how fast the position moves; negative: back"),
	    .source = "change of position_bytes / time"),
	ROW(inode, A_LABEL(N_("inode"), 9), .rank = 6, .hidden = true,
	    .help = N_("inode of the file, pipe or socket"), .source = INFO " ino since Linux 5.14; " LINK),
	ROW(file_state, A_LABEL(N_("state"), 7), .rank = 5, .words = true, .optional = true,
	    .help = N_("deleted: it has no name any more"), .source = LINK),
	ROW(protocol, A_LABEL(N_("proto"), 5), .rank = 5, .optional = true,
	    .help = N_("of a socket: tcp, tcp6, udp, udp6 or unix; unknown for other families"),
	    .source = NET),
	ROW(socket_state, A_LABEL(N_("socket"), 11), .rank = 3, .optional = true, .words = true,
	    .fleeting = true, .help = N_("state of a socket: listening, established, close-wait ..."),
	    .source = NET),
	ROW(local, A_LABEL(N_("local"), 21), .personal = true, .rank = 5, .hidden = true,
	    .help = N_("local address of a socket; of a unix socket its path"), .source = NET),
	ROW(remote, A_LABEL(N_("remote"), 21), .personal = true, .rank = 5, .hidden = true, .fleeting = true,
	    .help = N_("address of the other side; empty: not connected"), .source = NET),
	ROW(age_seconds, A_GAUGE(SECONDS, N_("age"), 5), .hidden = true,
	    .help = N_("since it was read: of more than 1000 file descriptors, 1000 are read in each sample"),
	    .source = "CLOCK_MONOTONIC"),
	ROW(path, A_LABEL(N_("path"), 24), .personal = true,
	    .help = N_("path; of a socket its addresses; else what the kernel says"),
	    .source = LINK "; local -> remote"),
};

static const struct schema schema = {
	.name = "open_file", .help = N_("open files of the selected process"),
	SCHEMA_ROWS(struct file_row, columns),
};

struct file {
	uint32_t fd;
	unsigned pass; /* the last one in which it was seen */
	uint64_t read_ns, position, flags, inode;
	char *link; /* owned; NULL: not readable */
	size_t length;
	uint64_t socket; /* its inode; U64_UNKNOWN: none */
};

struct state {
	struct process_page *page;
	struct file *files; /* by fd */
	size_t n_files, capacity;
	size_t n_seen;   /* in this pass, also those without room */
	uint64_t cookie; /* where the next turn begins */
	unsigned pass;
	uint64_t generation, tick_ns;
	size_t n_all; /* of the last complete pass; 0: none yet */
	int error;    /* of the last turn: 0 or -errno */
	struct socket_names sockets;
};

static void forget(struct state *state)
{
	for (size_t i = 0; i < state->n_files; i++)
		free(state->files[i].link);
	state->n_files = state->n_seen = state->n_all = 0;
	state->cookie = 0;
	state->error = 0;
	state->sockets.n_names = state->sockets.n_before = 0;
	state->sockets.due_ns = 0;
}

/* The entry of this descriptor, new or known; NULL: there is no room. */
static struct file *entry_of(struct state *state, uint32_t fd)
{
	size_t at;

	VECTOR_BOUND(at, state->n_files, state->files[at].fd < fd);
	if (at < state->n_files && state->files[at].fd == fd)
		return &state->files[at];
	if (state->n_files == KEPT_MAX)
		return NULL;
	VECTOR_RESERVE(state->files, state->n_files + 1, state->capacity);
	memmove(&state->files[at + 1], &state->files[at], (state->n_files++ - at) * sizeof(*state->files));
	state->files[at] = (struct file){ .fd = fd };
	return &state->files[at];
}

static void set_link(struct file *file, struct span link, bool known)
{
	struct pid_fd_link parsed;

	if (known && file->link && file->length == span_length(link) &&
	    memcmp(file->link, link.at, file->length) == 0)
		return;
	free(file->link);
	file->length = known ? span_length(link) : 0;
	file->link = known ? memcpy(alloc_zeroed(1, file->length + 1), link.at, file->length) : NULL;
	pid_fd_link_parse(link, &parsed);
	file->socket =
		known && parsed.kind && strcmp(parsed.kind, "socket") == 0 ? parsed.inode : U64_UNKNOWN;
}

static void take(void *context, const struct open_file *found)
{
	struct state *state = context;
	struct file *file = entry_of(state, found->fd);
	struct pid_fd_info info;

	state->n_seen++;
	if (!file)
		return;
	pid_fd_info_parse(found->info, &info);
	file->pass = state->pass;
	file->read_ns = state->tick_ns;
	file->position = info.position;
	file->flags = info.flags;
	file->inode = info.inode;
	set_link(file, found->link, found->link_error == 0);
}

/* What a whole pass did not meet is closed. */
static void drop_closed(struct state *state)
{
	size_t kept = 0;

	for (size_t i = 0; i < state->n_files; i++) {
		if (state->files[i].pass == state->pass)
			state->files[kept++] = state->files[i];
		else
			free(state->files[i].link);
	}
	state->n_files = kept;
	state->n_all = state->n_seen;
	state->n_seen = 0;
	state->pass++;
}

static void read_turn(struct state *state)
{
	long n_read;

	state->tick_ns = env_mono_ns(state->page->env);
	n_read = open_files_read(state->page->env, state->page->target->memory_pid, &state->cookie, TURN_MAX,
				 take, state);
	if (n_read < 0) {
		state->error = (int)n_read;
		state->cookie = 0;
		return;
	}
	state->error = 0;
	if (state->cookie == 0)
		drop_closed(state);
}

static void read_sockets(struct state *state)
{
	socket_names_begin(&state->sockets);
	for (size_t i = 0; i < state->n_files; i++)
		if (state->files[i].socket != U64_UNKNOWN)
			socket_names_want(&state->sockets, state->files[i].socket);
	socket_names_read(&state->sockets, state->page->env, state->page->target->memory_pid);
}

static void set_link_columns(struct file_row *row, struct arena *arena, const struct file *file)
{
	struct pid_fd_link link;

	if (!file->link)
		return;
	pid_fd_link_parse(span_of(file->link, file->length), &link);
	row->kind = link.kind ? link.kind : arena_copy(arena, link.anonymous.at, span_length(link.anonymous));
	if (link.kind && strcmp(link.kind, "file") == 0 && pid_fd_is_directory(file->flags))
		row->kind = N_("directory");
	row->path = arena_copy(arena, link.path.at, span_length(link.path));
	row->file_state = link.deleted ? N_("deleted") : "";
	if (*file->link != '/') /* what has no path has no position */
		row->position_bytes = U64_BLANK;
	if (file->socket == U64_UNKNOWN)
		row->protocol = row->socket_state = row->local = row->remote = "";
	if (row->inode == U64_UNKNOWN)
		row->inode = link.inode;
}

/* Its addresses stand for the path, where they are known. */
static void set_socket(struct file_row *row, struct arena *arena, const struct socket_name *name)
{
	if (!name || !name->protocol) /* not wanted, or not found */
		return;
	row->protocol = name->protocol;
	row->socket_state = name->state;
	row->local = arena_copy(arena, name->local, strlen(name->local));
	row->remote = arena_copy(arena, name->remote, strlen(name->remote));
	if (*name->local)
		row->path = *name->remote ? arena_print(arena, "%s -> %s", name->local, name->remote)
					  : row->local;
}

static void add_row(struct sample *sample, const struct state *state, const struct file *file)
{
	struct arena *arena = &sample->frame->arena;
	struct file_row *row = table_add(sample->table);
	char flags[PID_FD_FLAGS_MAX];

	row->pid = state->page->target->pid;
	row->start_seconds = process_page_start(state->page);
	row->fd = file->fd;
	row->age_seconds = (double)(state->tick_ns - file->read_ns) / 1e9;
	row->inode = file->inode;
	row->position_bytes = file->position;
	if (file->flags != U64_UNKNOWN) {
		pid_fd_flags_text(file->flags, flags);
		row->flags = arena_copy(arena, flags, strlen(flags));
	}
	set_link_columns(row, arena, file);
	if (file->socket != U64_UNKNOWN)
		set_socket(row, arena, find(state->sockets.names, state->sockets.n_names, file->socket));
}

static void add_notices(struct sample *sample, const struct state *state)
{
	size_t n_all = state->n_all > state->n_seen ? state->n_all : state->n_seen;

	if (state->error == -EACCES || state->error == -EPERM)
		process_page_denied(state->page, sample);
	else if (state->n_all == 0 && state->n_seen > 0)
		frame_notice(sample->frame, schema.name, NULL,
			     _("%zu open files are read so far; the others follow in turn"), state->n_seen);
	else if (n_all > state->n_files)
		frame_notice(sample->frame, schema.name, NULL, _("%zu open files; here are %zu of them"),
			     n_all, state->n_files);
	else if (n_all > TURN_MAX)
		frame_notice(sample->frame, schema.name, NULL,
			     _("%zu open files: %zu are read in each sample, the others in turn"), n_all,
			     TURN_MAX);
}

static int sample_files(struct sample *sample)
{
	struct state *state = sample->state;

	if (!process_page_has_process(state->page))
		return 0;
	if (state->generation != state->page->generation)
		forget(state);
	state->generation = state->page->generation;
	if (process_page_is_alive(state->page)) {
		read_turn(state);
		read_sockets(state);
	}
	add_notices(sample, state);
	for (size_t i = 0; i < state->n_files; i++)
		add_row(sample, state, &state->files[i]);
	return 0;
}

static void close_files(struct sample *sample)
{
	struct state *state = sample->state;

	forget(state);
	free(state->sockets.names);
	free(state->sockets.before);
	buffer_free(&state->sockets.text);
	free(state->files);
}

const struct topic topic_open_file = {
	.schema = &schema, .sources = process_page_sources, .state_size = sizeof(struct state),
	.uses = PROCESS_PAGE_USES, .reads = READINGS(READING(struct state, page, &process_page_reader)),
	.sample = sample_files, .close = close_files,
};
