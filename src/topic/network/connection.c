/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "connection": TCP and UDP sockets, what they move, and whose they are. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"
#include "topic/network/socket_list.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"
#include "topic/users.h"

#define SERVICE_NAME_MAX 20

/* All zero: not read yet. */
struct service_names {
	bool read;
	struct service {
		uint32_t port; /* twice, and 1 more for TCP */
		char name[SERVICE_NAME_MAX];
	} * all; /* by port; owned */
	size_t n_all, capacity;
};

#define PATH "etc/services"

static int compare(const void *one, const void *other)
{
	const struct service *a = one, *b = other;

	return (a->port > b->port) - (a->port < b->port);
}

/* "https  443/tcp  # comment" */
static void take_line(struct service_names *names, struct span line)
{
	struct service *service;
	struct span name, protocol;
	uint64_t port;

	if (!span_word(&line, &name) || *name.at == '#' || !span_u64(&line, &port) || port > UINT16_MAX ||
	    !span_char(&line, '/') || !span_word(&line, &protocol) ||
	    (!span_is(protocol, "tcp") && !span_is(protocol, "udp")))
		return;
	service = VECTOR_ADD(names->all, names->n_all, names->capacity);
	service->port = (uint32_t)(2 * port) + span_is(protocol, "tcp");
	snprintf(service->name, sizeof(service->name), "%.*s", (int)span_length(name), name.at);
}

/* When a port is first looked up; sorted by port. */
static void read_names(struct service_names *names, struct env *env)
{
	struct span text, line;

	names->read = true;
	if (env_read(env, env_file(env, PATH), &text) < 0)
		return;
	while (span_line(&text, &line))
		take_line(names, line);
	if (names->n_all > 0)
		qsort(names->all, names->n_all, sizeof(*names->all), compare);
}

static const char *find(const struct service_names *names, bool tcp, uint16_t port)
{
	uint32_t wanted = 2 * (uint32_t)port + tcp;
	size_t at;

	VECTOR_BOUND(at, names->n_all, names->all[at].port < wanted);
	return at < names->n_all && names->all[at].port == wanted ? names->all[at].name : NULL;
}

/* Of the remote port, else of the own one; NULL: neither has a name. */
static const char *service_names_of(struct service_names *names, struct env *env, bool tcp, uint16_t local,
				    uint16_t remote)
{
	const char *name;

	if (!names->read)
		read_names(names, env);
	name = remote ? find(names, tcp, remote) : NULL;
	return name ? name : find(names, tcp, local);
}

struct connection_row {
	const char *protocol, *local, *remote;
	double received_bytes_per_second, sent_bytes_per_second, retransmits_per_second, drops_per_second;
	const char *state, *service;
	double rtt_seconds, busy_ratio, receiver_limited_ratio, buffer_limited_ratio, path_limited_ratio;
	uint64_t retransmits, window, receive_queue_bytes, send_queue_bytes;
	uint64_t received_bytes, sent_bytes, retransmitted_bytes, accept_queue, accept_queue_max, dropped;
	double busy_seconds, receiver_limited_seconds, buffer_limited_seconds, path_limited_seconds;
	uint64_t namespace, inode, pid;
	double start_seconds;
	const char *user, *name, *command, *group;
};

#define REQUEST_GROUP 1

#define ROW(field, ...) COLUMN(struct connection_row, field, __VA_ARGS__)
#define FROM "sock_diag "

#define RATE(field, of, measure, heading, cells, what, ...)                                                  \
	ROW(field, .kind = COLUMN_RATE, .unit = measure, .title = heading, .width = cells,                   \
	    .rate_of = offsetof(struct connection_row, of), .help = what,                                    \
	    .source = "growth of " #of " / time", __VA_ARGS__)

#define LIMIT(field, of, heading, what, ...)                                                                 \
	ROW(field, .kind = COLUMN_RATE, .unit = UNIT_RATIO, .title = heading, .width = 6,                    \
	    .rate_of = offsetof(struct connection_row, of),                                                  \
	    .rate_over = offsetof(struct connection_row, busy_seconds), .help = what,                        \
	    .source = "growth of " #of " / growth of busy_seconds", __VA_ARGS__)

#define HELD(field, heading, what, from)                                                                     \
	ROW(field, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS, .title = heading, .width = 8,               \
	    .hidden = true, .help = what, .source = FROM from)

#define COL(field, ...) COLUMN_OF(struct connection_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(protocol, KEY, NONE, N_("proto"), 5, N_("tcp or udp, of IPv4 and IPv6"), FROM "protocol"),
	COL(state, LABEL, NONE, N_("state"), 11,
	    N_("state of TCP, as ss(8) calls it; of UDP: connected, open; sockets in time-wait are left out"),
	    FROM "idiag_state", .fleeting = true, .words = true, .rank = 3),
	COL(local, KEY, NONE, N_("local"), 20, N_("own address and port"), FROM "idiag_src, idiag_sport",
	    .personal = true, .fleeting = true),
	COL(remote, KEY, NONE, N_("remote"), 21,
	    N_("address and port of the other side; never looked up in DNS; empty: none"),
	    FROM "idiag_dst, idiag_dport", .personal = true, .fleeting = true, .rank = 1),
	COL(service, LABEL, NONE, N_("service"), 8,
	    N_("what the port usually is for: the remote one, or the own one of a server"), "/etc/services",
	    .rank = 6),
	RATE(received_bytes_per_second, received_bytes, UNIT_BYTES_PER_SECOND, N_("payload r/s"), 11,
	     N_("payload received, without headers; TCP only"), .trend = true, .additive = true),
	RATE(sent_bytes_per_second, sent_bytes, UNIT_BYTES_PER_SECOND, N_("payload s/s"), 11,
	     N_("payload sent, without headers, what was sent again counted once; TCP only"),
	     .additive = true),
	COL(rtt_seconds, GAUGE, SECONDS, N_("rtt"), 8, N_("round trip time, smoothed"), FROM "tcpi_rtt",
	    .rank = 3),
	RATE(retransmits_per_second, retransmits, UNIT_PER_SECOND, N_("again/s"), 7,
	     N_("segments that were sent again"), .rank = 4, .high = 1, .additive = true),
	COL(retransmits, COUNTER, COUNT, N_("again"), 6, N_("segments that were sent again, since it began"),
	    FROM "tcpi_total_retrans", .rank = 5),
	COL(busy_ratio, RATE, RATIO, N_("%busy"), 5,
	    N_("share of the time in which data was to be sent, or not acknowledged yet; TCP only"),
	    "growth of busy_seconds / time", .rank = 8, .ceiling = 1,
	    .rate_of = offsetof(struct connection_row, busy_seconds)),
	LIMIT(receiver_limited_ratio, receiver_limited_seconds, N_("%recvr"),
	      N_("of that busy time: the receiver had no room, its window was full"), .rank = 8, .high = 0.5),
	LIMIT(buffer_limited_ratio, buffer_limited_seconds, N_("%sbuf"),
	      N_("of that busy time: the send buffer was too small for what may be in flight"), .rank = 8,
	      .high = 0.5),
	LIMIT(path_limited_ratio, path_limited_seconds, N_("%path"),
	      N_("the rest of that busy time: limited by congestion control, or data on its way"), .rank = 8),
	COL(window, GAUGE, COUNT, N_("cwnd"), 6, N_("segments that may be in flight, by congestion control"),
	    FROM "tcpi_snd_cwnd", .hidden = true),
	COL(accept_queue, GAUGE, COUNT, N_("queue"), 6,
	    N_("of a listening socket: connections that wait to be accepted"), FROM "idiag_rqueue",
	    .hidden = true),
	COL(accept_queue_max, GAUGE, COUNT, N_("room"), 6,
	    N_("of a listening socket: how many may wait; what comes then is dropped"), FROM "idiag_wqueue",
	    .rank = 5, .hidden = true),
	COL(receive_queue_bytes, GAUGE, BYTES, N_("r queue"), 7,
	    N_("received, and not read by the process yet"), FROM "idiag_rqueue", .rank = 7),
	COL(send_queue_bytes, GAUGE, BYTES, N_("s queue"), 7, N_("not sent, or not acknowledged yet"),
	    FROM "idiag_wqueue", .rank = 7),
	RATE(drops_per_second, dropped, UNIT_PER_SECOND, N_("drops/s"), 7,
	     N_("packets that the socket dropped, as its queue or buffer was full; of UDP and of listening "
		"sockets"), .high = 1, .hidden = true),
	COL(dropped, COUNTER, COUNT, N_("dropped"), 7, N_("packets that it dropped since it was made"),
	    FROM "SK_MEMINFO_DROPS", .rank = 4, .hidden = true),
	COL(received_bytes, COUNTER, BYTES, N_("received"), 8, N_("payload received since it began"),
	    FROM "tcpi_bytes_received, without the end (FIN)", .hidden = true),
	COL(sent_bytes, COUNTER, BYTES, N_("sent"), 8, N_("payload sent since it began"),
	    FROM "tcpi_bytes_sent - tcpi_bytes_retrans, before Linux 4.19 tcpi_bytes_acked", .hidden = true),
	COL(retransmitted_bytes, COUNTER, BYTES, N_("bytes again"), 11,
	    N_("payload that was sent again since it began"), FROM "tcpi_bytes_retrans", .hidden = true),
	HELD(busy_seconds, N_("busy"),
	     N_("time with data to be sent, or not acknowledged yet, since it began"), "tcpi_busy_time"),
	HELD(receiver_limited_seconds, N_("by recvr"), N_("of it: the receiver's window was full"),
	     "tcpi_rwnd_limited"),
	HELD(buffer_limited_seconds, N_("by sbuf"), N_("of it: the send buffer was too small"),
	     "tcpi_sndbuf_limited"),
	HELD(path_limited_seconds, N_("by path"),
	     N_("the rest of it: limited by congestion control, or data on its way"),
	     "tcpi_busy_time - tcpi_rwnd_limited - tcpi_sndbuf_limited"),
	COL(namespace, KEY, NONE, N_("netns"), 10, N_("number of its network namespace, as lsns(8) shows it"),
	    "link /proc/PID/ns/net", .hidden = true),
	COL(inode, LABEL, NONE, N_("inode"), 9, N_("number of the socket; 0: no process has it any more"),
	    FROM "idiag_inode", .hidden = true),
	COL(user, LABEL, NONE, N_("user"), 8, N_("user who made it"), FROM "idiag_uid, /etc/passwd",
	    .personal = true, .rank = 6),
	COL(pid, LABEL, NONE, N_("PID"), 7,
	    N_("process that has it, of several the first that was found; unknown of processes whose files "
	       "may not be read, and of sockets of the kernel"), "links of /proc/PID/fd", .rank = 1),
	COL(start_seconds, LABEL, SECONDS, N_("started"), 10, N_("start time of the process, after boot"),
	    "/proc/PID/stat starttime", .hidden = true),
	COL(name, LABEL, NONE, N_("name"), 15, N_("process name, as the kernel keeps it"),
	    "/proc/PID/stat comm", .grouping = "command", .hidden = true),
	COL(command, LABEL, NONE, N_("command"), 16, N_("its command line"), "/proc/PID/cmdline",
	    .personal = true, .rank = 2, .text = TEXT_COMMAND),
	COL(group, LABEL, NONE, N_("group"), 24, N_("control group of its process"), "/proc/PID/cgroup",
	    .rank = 4, .hidden = true, .on_request = REQUEST_GROUP, .fleeting = true),
};

static const struct schema schema = {
	.name = "connection",
	.help = N_("TCP and UDP sockets: what they move, and whose they are"),
	.none = N_("there is no socket"),
	SCHEMA_ROWS(struct connection_row, columns),
};

struct state {
	struct socket_list *sockets;
	struct process_list *processes;
	struct service_names services;
};

static void set_owner(struct connection_row *row, struct sample *sample, const struct process *process)
{
	struct arena *arena = &sample->frame->arena;

	row->pid = process->pid;
	row->start_seconds = process_start_seconds(sample->env, process->start_ticks);
	row->name = arena_copy(arena, process->name, strlen(process->name));
	row->command =
		process->command ? arena_copy(arena, process->command, strlen(process->command)) : row->name;
}

static double seconds_of(uint64_t us)
{
	return u64_number(us) / 1e6;
}

static void set_use(struct connection_row *row, const struct sock_diag *diag)
{
	row->busy_seconds = seconds_of(diag->busy_us);
	row->receiver_limited_seconds = seconds_of(diag->receiver_limited_us);
	row->buffer_limited_seconds = seconds_of(diag->buffer_limited_us);
	row->path_limited_seconds =
		row->busy_seconds - row->receiver_limited_seconds - row->buffer_limited_seconds;
	row->received_bytes = diag->received_bytes;
	row->sent_bytes = diag->sent_bytes;
	row->retransmitted_bytes = diag->retransmitted_bytes;
	row->retransmits = diag->retransmits;
	row->window = diag->window;
}

static void set_queues(struct connection_row *row, const struct socket *socket)
{
	bool listening = socket->tcp && !socket->diag.remote_port;

	row->accept_queue = listening ? socket->diag.receive_queue : U64_BLANK;
	row->accept_queue_max = listening ? socket->diag.send_queue : U64_BLANK;
	row->receive_queue_bytes = listening ? U64_BLANK : socket->diag.receive_queue;
	row->send_queue_bytes = listening ? U64_BLANK : socket->diag.send_queue;
	row->dropped = socket->diag.dropped;
}

static void set_group(struct connection_row *row, struct sample *sample, struct process *process)
{
	const struct state *state = sample->state;
	const char *group;

	if (!sample_request_wants(sample->request, &schema, REQUEST_GROUP))
		return;
	group = process_list_group(state->processes, process);
	row->group = frame_text(sample->frame, group);
}

static void add_socket(struct sample *sample, const struct socket *socket, struct process *process)
{
	struct state *state = sample->state;
	const struct sock_diag *diag = &socket->diag;
	struct connection_row *row = table_add(sample->table);
	struct arena *arena = &sample->frame->arena;
	char text[SOCK_DIAG_ADDRESS_MAX];
	const char *service;

	row->protocol = socket->tcp ? "tcp" : "udp";
	sock_diag_address(diag, false, text);
	row->local = arena_copy(arena, text, strlen(text));
	sock_diag_address(diag, true, text);
	row->remote = diag->remote_port ? arena_copy(arena, text, strlen(text)) : "";
	row->state = sock_diag_state(diag, socket->tcp);
	service = service_names_of(&state->services, sample->env, socket->tcp, diag->local_port,
				   diag->remote_port);
	row->service = service ? arena_copy(arena, service, strlen(service)) : NULL;
	if (socket->namespace != 0)
		row->namespace = socket->namespace;
	row->inode = diag->inode;
	row->user = users_name(sample->env, diag->uid);
	set_queues(row, socket);
	if (diag->remote_port)
		set_use(row, diag);
	else /* it waits for others, and moves nothing itself */
		row->received_bytes = row->sent_bytes = row->retransmitted_bytes = row->retransmits =
			row->window = U64_BLANK;
	if (diag->rtt_us != U64_UNKNOWN && diag->rtt_us > 0)
		row->rtt_seconds = (double)diag->rtt_us / 1e6;
	if (!process)
		return;
	set_owner(row, sample, process);
	set_group(row, sample, process);
}

static int sample_connections(struct sample *sample)
{
	struct state *state = sample->state;
	struct socket_list *sockets = state->sockets;
	bool scoped = scope_is_set(sample->request->scope);

	for (size_t i = 0; i < sockets->n_all; i++) {
		const struct socket *socket = &sockets->all[i];
		struct process *process =
			socket->owner ? process_list_find(state->processes, socket->owner) : NULL;

		if (!socket->closed && (!scoped || (process && !process->outside)))
			add_socket(sample, socket, process);
	}
	socket_list_notice(sockets, sample->frame, schema.name);
	if (sockets->n_denied > 0)
		frame_notice(
			sample->frame, schema.name,
			remedy_for_user(N_("run it as root, or give it the capabilities cap_sys_ptrace "
					   "and cap_dac_read_search")),
			P_("files of %zu process may not be read: whose sockets are its is not known",
			   "files of %zu processes may not be read: whose sockets are theirs is not known",
			   sockets->n_denied),
			sockets->n_denied);
	return 0;
}

static void prepare(struct sample *sample)
{
	const struct state *state = sample->state;

	socket_list_want_all(state->sockets);
}

static void close_connections(struct sample *sample)
{
	struct state *state = sample->state;

	free(state->services.all);
}

const struct topic topic_connection = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = SOCKET_LIST_SOURCE,
		  .is_socket = true,
		  .gives = N_("TCP and UDP sockets"),
		  .test = socket_list_test,
		  .remedies = { SOCKET_LIST_REMEDIES } }),
	.uses = PRIVILEGE_BIT(PRIVILEGE_DETAILS) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN) |
		PRIVILEGE_BIT(PRIVILEGE_NAMESPACES),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, processes, &process_reader),
			  READING(struct state, sockets, &socket_reader)),
	.prepare = prepare,
	.sample = sample_connections,
	.close = close_connections,
};
