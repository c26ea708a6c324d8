/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "network_account": whose bytes the interfaces received and sent; the parts add up to the wire. */
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

static const struct column columns[] = {
	ROW(interface, .kind = COLUMN_KEY, .title = N_("interface"), .width = 9,
	    .help = N_("all: those that lead out of the machine, and lo, as programs also send there; of a "
		       "single one only what is known to go through it"),
	    .source = "/proc/net/dev"),
	ROW(part, .kind = COLUMN_KEY, .title = N_("part"), .width = 13, .words = true,
	    .help = N_(
		    "programs: payload that they sent and received; headers: of the packets that were "
		    "counted, estimated; retransmitted: payload that TCP sent again, not known of what is "
		    "received; kernel: payload of its own threads, such as NFS, and what it forwards, "
		    "known with BPF; unexplained: the rest, also what is not known, or on its way in a "
		    "buffer, so it may be negative; wire: the sum of what is known, as the interface counts "
		    "it"),
	    .source = "panetop"),
	RATE(received_bytes_per_second, received_bytes, N_("recv B/s"), N_("received in the last interval")),
	RATE(sent_bytes_per_second, sent_bytes, N_("sent B/s"), N_("sent in the last interval")),
	BYTES(received_bytes, N_("received"), N_("received since the first sample")),
	BYTES(sent_bytes, N_("sent"), N_("sent since the first sample")),
	ROW(from, .kind = COLUMN_LABEL, .title = N_("from"), .width = 24, .rank = 4, .words = true,
	    .help = N_("source of the bytes"), .source = "panetop"),
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
			add_rows(sample, arena_copy(&sample->frame->arena, link->name, strlen(link->name)),
				 &link->parts, &known);
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
