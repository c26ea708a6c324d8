/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "network_account": whose bytes the interfaces received and sent; the parts add up to the wire; and
 * "packet_loss": what protocols and sockets dropped, by cause; interfaces have losses of their own.
 */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/net/proc_net.h"
#include "topic/network/traffic_list.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

#define SNMP "proc/net/snmp"
#define SNMP6 "proc/net/snmp6"
#define HEADER_ETHERNET 14
#define HEADER_IPV4 20
#define HEADER_IPV6 40
#define HEADER_TCP 32 /* with time stamps, as Linux sends it */
#define HEADER_UDP 8

struct account_row {
	const char *interface, *part;
	double received_bytes_per_second, sent_bytes_per_second, received_bytes, sent_bytes;
	const char *from;
};

#define ROW(field, ...) COLUMN(struct account_row, field, __VA_ARGS__)
#define RATE(field, of, heading, what)                                                                       \
	ROW(field, .kind = COLUMN_RATE, .unit = UNIT_BYTES_PER_SECOND, .title = heading, .width = 9,         \
	    .rate_of = offsetof(struct account_row, of), .help = what, .source = "change of " #of " / time")
#define BYTES(field, heading, what)                                                                          \
	ROW(field, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = heading, .width = 9, .rank = 2,        \
	    .help = what, .source = "see the column from")

#define COL(field, ...) COLUMN_OF(struct account_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(interface, KEY, NONE, N_("interface"), 9,
	    N_("all: those that lead out of the machine, and lo, as programs also send there; of a single "
	       "one only what is known to go through it"), "/proc/net/dev"),
	COL(part, KEY, NONE, N_("part"), 13,
	    N_("programs: payload that they sent and received; headers: of the packets that were counted, "
	       "estimated; retransmitted: payload that TCP sent again, not known of what is received; "
	       "kernel: payload of its own threads, such as NFS, and what it forwards, known with BPF; "
	       "unexplained: the rest, also what is not known, or on its way in a buffer, so it may be "
	       "negative; wire: the sum of what is known, as the interface counts it"), "panetop",
	    .words = true),
	RATE(received_bytes_per_second, received_bytes, N_("recv B/s"), N_("received in the last interval")),
	RATE(sent_bytes_per_second, sent_bytes, N_("sent B/s"), N_("sent in the last interval")),
	BYTES(received_bytes, N_("received"), N_("received since the first sample")),
	BYTES(sent_bytes, N_("sent"), N_("sent since the first sample")),
	COL(from, LABEL, NONE, N_("from"), 24, N_("source of the bytes"), "panetop", .rank = 4,
	    .words = true),
};

static const struct schema schema = {
	.name = "network_account",
	.is_public = true,
	.help = N_("whose bytes the interfaces received and sent"),
	SCHEMA_ROWS(struct account_row, columns),
};

struct bytes {
	double received, sent;
};

/* Since the first sample; of all, or of one interface. */
struct parts {
	struct bytes wire, programs, kernel;
	struct bytes headers; /* estimated, also where payload leaves less room for them at present */
	double again; /* payload that TCP sent again */
};

struct state {
	struct interface_list *interfaces;
	struct traffic_list *traffic;
	struct process_list *processes;
	struct parts all;
	struct link {
		char name[INTERFACE_NAME_MAX];
		uint64_t tick;
		union interface_counts last;
		struct traffic_link last_link;
		struct parts parts;
	} * links; /* owned */
	size_t n_links, capacity;
	struct hash by_name;
	struct traffic_link last_all, last_unknown; /* unknown: through which interface */
	uint64_t last_forwarded;
	bool forwarded; /* in the last sample: what its bytes were read too early for is in this one */
	bool begun;
};

static struct link *link_of(struct state *state, const struct interface *interface)
{
	uint64_t hash = hash_bytes(HASH_SEED, span_text(interface->name));
	struct link *link;
	uint32_t at;

	HASH_FIND(at, &state->by_name, hash, strcmp(state->links[at].name, interface->name) == 0);
	if (at != HASH_NONE)
		return &state->links[at];
	hash_add(&state->by_name, hash, (uint32_t)state->n_links);
	link = VECTOR_ADD(state->links, state->n_links, state->capacity);
	*link = (struct link){ .last = interface->total };
	memcpy(link->name, interface->name, sizeof(link->name));
	if (traffic_list_link(state->traffic, interface->index))
		link->last_link = *traffic_list_link(state->traffic, interface->index);
	return link;
}

static double less(uint64_t now, uint64_t before)
{
	return now >= before ? (double)(now - before) : 0;
}

/* Headers of packets, of which some are datagrams. */
static double headers_of(double packets, double datagrams, double frame, double ip)
{
	if (datagrams > packets)
		datagrams = packets;
	return datagrams * (frame + ip + HEADER_UDP) + (packets - datagrams) * (frame + ip + HEADER_TCP);
}

/* At most what payload leaves. */
static double within(double headers, double room)
{
	return room <= 0 ? 0 : headers < room ? headers : room;
}

struct grown {
	struct bytes wire, packets, programs, kernel, datagrams;
	double again, frame, ip;
};

static void add_headers(struct parts *parts, const struct grown *grown)
{
	parts->headers.received +=
		headers_of(grown->packets.received, grown->datagrams.received, grown->frame, grown->ip);
	parts->headers.sent +=
		headers_of(grown->packets.sent, grown->datagrams.sent, grown->frame, grown->ip);
}

static void add_parts(struct parts *parts, const struct grown *grown)
{
	parts->wire.received += grown->wire.received;
	parts->wire.sent += grown->wire.sent;
	parts->programs.received += grown->programs.received;
	parts->programs.sent += grown->programs.sent;
	parts->kernel.received += grown->kernel.received;
	parts->kernel.sent += grown->kernel.sent;
	parts->again += grown->again;
}

static void take_link(struct grown *grown, const struct traffic_link *now, const struct traffic_link *before)
{
	double old = less(now->old_bytes, before->old_bytes), all;

	grown->programs =
		(struct bytes){ less(now->received, before->received), less(now->sent, before->sent) };
	grown->kernel = (struct bytes){ less(now->kernel_received, before->kernel_received),
					less(now->kernel_sent, before->kernel_sent) };
	grown->again = less(now->again, before->again);
	grown->datagrams = (struct bytes){ less(now->datagrams_received, before->datagrams_received),
					   less(now->datagrams_sent, before->datagrams_sent) };
	all = grown->programs.received + grown->programs.sent + grown->kernel.received + grown->kernel.sent;
	grown->ip = all == 0 || 2 * old >= all ? HEADER_IPV4 : HEADER_IPV6;
}

/* What an interface did since the last sample. */
static struct grown grow(struct state *state, const struct interface *interface, struct link *link)
{
	const struct traffic_link *traffic = traffic_list_link(state->traffic, interface->index);
	const union interface_counts *now = &interface->total, *before = &link->last;
	struct grown grown = {
		.wire = { less(now->received.bytes, before->received.bytes),
			  less(now->sent.bytes, before->sent.bytes) },
		.packets = { less(now->received.packets, before->received.packets),
			     less(now->sent.packets, before->sent.packets) },
		.frame = strcmp(interface->name, "lo") == 0 ? 0 : HEADER_ETHERNET,
		.ip = HEADER_IPV4,
	};

	if (traffic) {
		take_link(&grown, traffic, &link->last_link);
		link->last_link = *traffic;
	}
	link->last = *now;
	return grown;
}

/* Packets of IPv4 and IPv6, of which a kernel may lack one. */
static uint64_t forwarded(struct env *env)
{
	uint64_t old = U64_UNKNOWN, new = U64_UNKNOWN;
	struct span text;

	if (env_read(env, env_file(env, SNMP), &text) == 0)
		old = net_snmp_find(text, "Ip", "ForwDatagrams");
	if (env_read(env, env_file(env, SNMP6), &text) == 0)
		new = net_snmp6_find(text, "Ip6OutForwDatagrams");
	return u64_sum_known(old, new);
}

static bool counts(const struct state *state, const struct interface *interface)
{
	return interface_list_counts(state->interfaces, interface) || strcmp(interface->name, "lo") == 0;
}

/* Where packets are forwarded, what is left is theirs: the kernel counts no bytes of them. */
static void add_forwarded(struct parts *parts, const struct grown *grown, const struct bytes *headers)
{
	double received =
		grown->wire.received - grown->programs.received - grown->kernel.received - headers->received;
	double sent = grown->wire.sent - grown->programs.sent - grown->kernel.sent - headers->sent;

	parts->kernel.received += received > 0 ? received : 0;
	parts->kernel.sent += sent > 0 ? sent : 0;
}

/* Of datagrams whose interface is not known, the headers were taken for those of TCP. */
static void correct_headers(struct state *state)
{
	const struct traffic_link *now = traffic_list_link(state->traffic, 0);
	struct bytes *headers = &state->all.headers;

	if (!now)
		return;
	headers->received -= less(now->datagrams_received, state->last_unknown.datagrams_received) *
			     (HEADER_TCP - HEADER_UDP);
	headers->sent -=
		less(now->datagrams_sent, state->last_unknown.datagrams_sent) * (HEADER_TCP - HEADER_UDP);
	headers->received = headers->received > 0 ? headers->received : 0;
	headers->sent = headers->sent > 0 ? headers->sent : 0;
	state->last_unknown = *now;
}

static void update(struct state *state, struct env *env)
{
	const struct traffic_link *traffic = &state->traffic->all_links;
	uint64_t forwards = forwarded(env);
	struct bytes before = state->all.headers, headers;
	struct grown all = { .ip = HEADER_IPV4 };

	for (size_t i = 0; i < state->interfaces->n_all; i++) {
		const struct interface *interface = &state->interfaces->all[i];
		struct link *link = link_of(state, interface);
		struct grown grown = grow(state, interface, link);

		link->tick = env->tick;
		add_parts(&link->parts, &grown);
		add_headers(&link->parts, &grown);
		if (!counts(state, interface))
			continue;
		all.wire.received += grown.wire.received;
		all.wire.sent += grown.wire.sent;
		add_headers(&state->all, &grown);
	}
	correct_headers(state);
	take_link(&all, traffic, &state->last_all);
	state->last_all = *traffic;
	headers = (struct bytes){ state->all.headers.received - before.received,
				  state->all.headers.sent - before.sent };
	if (state->begun) {
		bool more = forwards != U64_UNKNOWN && forwards > state->last_forwarded;

		if (more || state->forwarded)
			add_forwarded(&state->all, &all, &headers);
		state->forwarded = more;
		add_parts(&state->all, &all);
	}
	state->last_forwarded = forwards;
	state->begun = true;
}

static void add(struct sample *sample, const char *interface, const char *part, double received, double sent,
		const char *from)
{
	struct account_row *row = table_add(sample->table);

	row->interface = interface;
	row->part = part;
	row->received_bytes = received;
	row->sent_bytes = sent;
	row->from = from;
}

/* What is known of the parts of an interface, or of all; the rest is in what is unexplained. */
struct known {
	const char *programs, *again, *kernel; /* N_(): from where; NULL: not known */
};

static const struct bytes none_known = { NAN, NAN };

static struct bytes less_known(struct bytes bytes, struct bytes part)
{
	return (struct bytes){ bytes.received - (isnan(part.received) ? 0 : part.received),
			       bytes.sent - (isnan(part.sent) ? 0 : part.sent) };
}

static void add_rows(struct sample *sample, const char *name, const struct parts *parts,
		     const struct known *known)
{
	struct bytes programs = known->programs ? parts->programs : none_known;
	struct bytes kernel = known->kernel ? parts->kernel : none_known;
	struct bytes again = { NAN, known->again ? parts->again : NAN };
	struct bytes rest = less_known(less_known(parts->wire, programs), kernel);
	struct bytes headers = { within(parts->headers.received, rest.received),
				 within(parts->headers.sent, rest.sent) };

	rest = less_known(less_known(rest, headers), again);
	add(sample, name, N_("programs"), programs.received, programs.sent,
	    known->programs ? known->programs : N_("not known"));
	add(sample, name, N_("headers"), headers.received, headers.sent, N_("packets x headers"));
	add(sample, name, N_("retransmitted"), again.received, again.sent,
	    known->again ? known->again : N_("not known by interface"));
	add(sample, name, N_("kernel"), kernel.received, kernel.sent,
	    known->kernel ? known->kernel : N_("not known"));
	add(sample, name, N_("unexplained"), rest.received, rest.sent, N_("the rest"));
	add(sample, name, N_("wire"), parts->wire.received, parts->wire.sent, "/proc/net/dev");
}

static void drop_absent(struct state *state, uint64_t tick)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < state->n_links; i++)
		if (state->links[i].tick == tick)
			state->links[n_kept++] = state->links[i];
	if (n_kept == state->n_links)
		return;
	state->n_links = n_kept;
	hash_clear(&state->by_name);
	for (size_t i = 0; i < n_kept; i++)
		hash_add(&state->by_name, hash_bytes(HASH_SEED, span_text(state->links[i].name)),
			 (uint32_t)i);
}

static void add_all_rows(struct sample *sample, bool by_sockets)
{
	struct state *state = sample->state;
	bool traced = state->traffic->links_traced, again_traced = state->traffic->again_traced;
	struct known known = { .programs = traced       ? N_("BPF at sockets")
					   : by_sockets ? N_("TCP sockets")
							: NULL,
			       .kernel = traced ? N_("BPF at sockets, forwarded packets") : NULL,
			       .again = again_traced ? N_("BPF at retransmissions")
					: by_sockets ? N_("TCP sockets")
						     : NULL };

	if (state->interfaces->sum_known)
		add_rows(sample, "all", &state->all, &known);
	else
		frame_notice(sample->frame, schema.name, NULL, "%s",
			     _("which interfaces lead out of this machine is not known: /sys is not of this "
			       "network namespace"));
	if (!again_traced)
		known.again = NULL;
	for (size_t i = 0; traced && i < state->n_links; i++) {
		const struct link *link = &state->links[i];

		if (link->parts.wire.received + link->parts.wire.sent > 0)
			add_rows(sample, frame_text(sample->frame, link->name), &link->parts, &known);
	}
}

static int sample_account(struct sample *sample)
{
	struct state *state = sample->state;
	bool by_sockets = state->traffic->sockets_error == 0;

	if (!by_sockets && !state->traffic->links_traced)
		frame_notice(sample->frame, schema.name, NULL, "%s",
			     _("neither BPF nor sock_diag works here: whose the bytes are is not known"));
	trace_notice(&state->traffic->interfaces.trace, sample->frame,
		     _("only TCP is counted, by its sockets"));
	update(state, sample->env);
	drop_absent(state, sample->env->tick);
	add_all_rows(sample, by_sockets);
	return 0;
}

static void prepare(struct sample *sample)
{
	const struct state *state = sample->state;

	traffic_list_want(state->traffic, TRAFFIC_LINKS | TRAFFIC_SOCKETS);
}

static void close_account(struct sample *sample)
{
	struct state *state = sample->state;

	hash_free(&state->by_name);
	free(state->links);
}

const struct topic topic_network_account = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/net/dev",
		  .gives = N_("data and packets of network interfaces"),
		  .remedies = { { ENOENT, N_("this kernel is built without networking") } } },
		TRACE_GIVES(TRAFFIC_GIVES, TRACE_REMEDIES,
			    { ENOENT, N_("this kernel has no tracepoints of sockets: they came with 6.3") }),
		{ .path = SNMP, .gives = N_("packets that the kernel forwards"), .optional = true },
		{ .path = SNMP6, .gives = N_("packets of IPv6 that the kernel forwards"), .optional = true }),
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, processes, &process_reader),
			  READING(struct state, traffic, &traffic_reader),
			  READING(struct state, interfaces, &interface_reader)),
	.prepare = prepare,
	.sample = sample_account,
	.close = close_account,
};

#define NETSTAT "proc/net/netstat"

struct loss_row {
	const char *protocol, *cause;
	double per_second;
	uint64_t lost;
	const char *counters;
};

#define LOSS_COL(field, ...) COLUMN_OF(struct loss_row, field, __VA_ARGS__)

static const struct column loss_columns[] = {
	LOSS_COL(protocol, KEY, NONE, N_("proto"), 5,
		 N_("ip, tcp or udp, of IPv4 and IPv6; all: what sockets dropped, of both"), "panetop"),
	LOSS_COL(cause, KEY, NONE, N_("cause"), 34,
		 N_("why they were lost; of them: they count in the line above, too"), "the counter",
		 .words = true),
	LOSS_COL(per_second, RATE, PER_SECOND, N_("per s"), 8,
		 N_("lost in the last interval: packets, datagrams, segments, requests for connections"),
		 "growth of lost / time", .trend = true, .rate_of = offsetof(struct loss_row, lost),
		 .high = 1),
	LOSS_COL(lost, COUNTER, COUNT, N_("lost"), 9,
		 N_("since boot, or since the network namespace was made"), "the counter"),
	LOSS_COL(counters, LABEL, NONE, N_("counter"), 32,
		 N_("the kernel's name of it, as nstat(8) lists them"), "/" SNMP ", " NETSTAT ", " SNMP6,
		 .rank = 4),
};

static const struct schema loss_schema = {
	.name = "packet_loss",
	.is_public = true,
	.help = N_("what protocols and sockets dropped, by cause"),
	.from_zero = true,
	.sum_row = "all",
	SCHEMA_ROWS(struct loss_row, loss_columns),
};

struct texts {
	struct span snmp, netstat, snmp6;
};

/* Where a cause is counted; what IPv6 counts is added. */
static const struct cause {
	const char *protocol, *text;
	const char *section, *name; /* of /proc/net/snmp, or where it is an extension of netstat */
	const char *name6;          /* NULL: none */
	bool by_socket;             /* sockets dropped it: it is part of the sum */
} causes[] = {
	{ "udp", N_("receive buffer full"), "Udp", "RcvbufErrors", "Udp6RcvbufErrors", .by_socket = true },
	{ "udp", N_("no memory"), "Udp", "MemErrors", "Udp6MemErrors", .by_socket = true },
	{ "udp", N_("send buffer full"), "Udp", "SndbufErrors", "Udp6SndbufErrors" },
	{ "udp", N_("no socket has the port"), "Udp", "NoPorts", "Udp6NoPorts" },
	{ "udp", N_("wrong checksum"), "Udp", "InCsumErrors", "Udp6InCsumErrors" },
	{ "tcp", N_("connection requests dropped"), "TcpExt", "ListenDrops", .by_socket = true },
	{ "tcp", N_("of them: accept queue full"), "TcpExt", "ListenOverflows" },
	{ "tcp", N_("of them: request queue full"), "TcpExt", "TCPReqQFullDrop" },
	{ "tcp", N_("backlog of the socket full"), "TcpExt", "TCPBacklogDrop", .by_socket = true },
	{ "tcp", N_("receive buffer full"), "TcpExt", "TCPRcvQDrop", .by_socket = true },
	{ "tcp", N_("pruned for lack of memory"), "TcpExt", "RcvPruned", .by_socket = true },
	{ "tcp", N_("no room for out-of-order data"), "TcpExt", "TCPOFODrop", .by_socket = true },
	{ "tcp", N_("window closed"), "TcpExt", "TCPZeroWindowDrop", .by_socket = true },
	{ "tcp", N_("wrong checksum"), "Tcp", "InCsumErrors" },
	{ "tcp", N_("sent again"), "Tcp", "RetransSegs" },
	{ "ip", N_("no route"), "Ip", "OutNoRoutes", "Ip6OutNoRoutes" },
	{ "ip", N_("no memory to receive"), "Ip", "InDiscards", "Ip6InDiscards" },
	{ "ip", N_("no room to send"), "Ip", "OutDiscards", "Ip6OutDiscards" },
	{ "ip", N_("bad header"), "Ip", "InHdrErrors", "Ip6InHdrErrors" },
	{ "ip", N_("fragments missing"), "Ip", "ReasmFails", "Ip6ReasmFails" },
	{ "ip", N_("reverse path filter"), "TcpExt", "IPReversePathFilter" },
};

#define N_CAUSES (sizeof(causes) / sizeof(causes[0]))

/* U64_UNKNOWN: this kernel does not count it. */
static uint64_t count_of(const struct texts *texts, const struct cause *cause)
{
	bool extended = strcmp(cause->section, "TcpExt") == 0;
	uint64_t old = net_snmp_find(extended ? texts->netstat : texts->snmp, cause->section, cause->name);
	uint64_t new = cause->name6 ? net_snmp6_find(texts->snmp6, cause->name6) : U64_UNKNOWN;

	return u64_sum_known(old, new);
}

static int sample_losses(struct sample *sample)
{
	struct texts texts = { 0 };
	struct loss_row *row = table_add(sample->table);
	uint64_t sum = U64_UNKNOWN;
	int error = env_read(sample->env, env_file(sample->env, SNMP), &texts.snmp);

	if (error)
		return error;
	env_read(sample->env, env_file(sample->env, NETSTAT), &texts.netstat);
	env_read(sample->env, env_file(sample->env, SNMP6), &texts.snmp6);
	row->protocol = "all";
	row->cause = N_("dropped by sockets");
	row->counters = "";
	for (size_t i = 0; i < N_CAUSES; i++) {
		const struct cause *cause = &causes[i];
		uint64_t lost = count_of(&texts, cause);

		if (lost == U64_UNKNOWN)
			continue;
		row = table_add(sample->table);
		row->protocol = cause->protocol;
		row->cause = cause->text;
		row->lost = lost;
		row->counters = arena_print(&sample->frame->arena, "%s%s%s%s", cause->section, cause->name,
					    cause->name6 ? " + " : "", cause->name6 ? cause->name6 : "");
		if (cause->by_socket)
			sum = u64_sum_known(sum, lost);
	}
	if (sample->table->n_rows == 1)
		return -ENODATA;
	row = table_row(sample->table, 0);
	row->lost = sum;
	return 0;
}

const struct topic topic_packet_loss = {
	.schema = &loss_schema,
	.sources = SOURCES(
		{ .path = SNMP,
		  .gives = N_("losses of IP, TCP and UDP"),
		  .remedies = { { ENOENT, N_("this kernel is built without networking") } } },
		{ .path = NETSTAT, .gives = N_("losses of TCP by cause"), .optional = true },
		{ .path = SNMP6, .gives = N_("losses of IPv6"), .optional = true }),
	.sample = sample_losses,
};
