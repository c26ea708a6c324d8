/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "interface": what each network interface receives and sends. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/net_dev.h"
#include "sys/listing.h"
#include "topic/topic.h"

#define NAME_BYTES 64 /* of an interface: the kernel allows 15 characters */

struct interface_row {
	const char *name;
	double received_bits_per_second, sent_bits_per_second, received_packets_per_second;
	double sent_packets_per_second, errors_per_second, drops_per_second;
	uint64_t received_bytes, sent_bytes, received_packets, sent_packets, errors, drops;
};

#define RATE(field, of, measure, factor, ...)                                                                \
	COLUMN(struct interface_row, field, .kind = COLUMN_RATE, .unit = measure, .scale = factor,           \
	       .rate_of = offsetof(struct interface_row, of), __VA_ARGS__)

#define COUNT(field, measure, from, ...)                                                                     \
	COLUMN(struct interface_row, field, .kind = COLUMN_COUNTER, .unit = measure, .hidden = true,         \
	       .source = "/proc/net/dev " from, __VA_ARGS__)

static const struct column columns[] = {
	COLUMN(struct interface_row, name, .kind = COLUMN_KEY, .title = N_("interface"), .width = 10,
	       .help = N_(
		       "interface of the network namespace of panetop; all: those with a device behind them, "
		       "so that bridges, tunnels and containers do not count twice"),
	       .source = "/proc/net/dev"),
	RATE(received_bits_per_second, received_bytes, UNIT_BITS_PER_SECOND, 8, .title = N_("receive"),
	     .width = 9, .help = N_("received, with headers"),
	     .source = "growth of received_bytes * 8 / time"),
	RATE(sent_bits_per_second, sent_bytes, UNIT_BITS_PER_SECOND, 8, .title = N_("send"), .width = 9,
	     .help = N_("sent, with headers"), .source = "growth of sent_bytes * 8 / time"),
	RATE(received_packets_per_second, received_packets, UNIT_PER_SECOND, 0, .title = N_("r pkt/s"),
	     .width = 8, .rank = 1, .help = N_("received packets"),
	     .source = "growth of received_packets / time"),
	RATE(sent_packets_per_second, sent_packets, UNIT_PER_SECOND, 0, .title = N_("s pkt/s"), .width = 8,
	     .rank = 1, .help = N_("sent packets"), .source = "growth of sent_packets / time"),
	RATE(errors_per_second, errors, UNIT_PER_SECOND, 0, .title = N_("err/s"), .width = 6, .rank = 2,
	     .help = N_("packets with errors, both directions"), .source = "growth of errors / time"),
	RATE(drops_per_second, drops, UNIT_PER_SECOND, 0, .title = N_("drop/s"), .width = 6, .rank = 2,
	     .help = N_("dropped packets, both directions"), .source = "growth of drops / time"),
	COUNT(received_bytes, UNIT_BYTES, "receive bytes", .title = N_("received"), .width = 8,
	      .help = N_("received since the interface appeared")),
	COUNT(sent_bytes, UNIT_BYTES, "transmit bytes", .title = N_("sent"), .width = 8,
	      .help = N_("sent since the interface appeared")),
	COUNT(received_packets, UNIT_COUNT, "receive packets", .title = N_("r pkts"), .width = 8,
	      .help = N_("received packets since the interface appeared")),
	COUNT(sent_packets, UNIT_COUNT, "transmit packets", .title = N_("s pkts"), .width = 8,
	      .help = N_("sent packets since the interface appeared")),
	COUNT(errors, UNIT_COUNT, "receive errs + transmit errs", .title = N_("errors"), .width = 7,
	      .help = N_("packets with errors since the interface appeared")),
	COUNT(drops, UNIT_COUNT, "receive drop + transmit drop", .title = N_("drops"), .width = 7,
	      .help = N_("dropped packets since the interface appeared")),
};

static const struct schema schema = {
	.name = "interface",
	.help = N_("network interfaces: data, packets, errors"),
	.sum_row = "all",
	.row_size = sizeof(struct interface_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/net/dev", .gives = N_("data and packets of network interfaces") },
	{ .path = "sys/class/net", .gives = N_("which interfaces have a device"), .optional = true },
	{ 0 },
};

struct state {
	struct known {
		char name[NAME_BYTES];
		bool has_device;
		bool asked; /* and answered; else that is unknown */
	} * known;          /* owned */
	size_t n_known, capacity;
};

static void note_device(void *context, const char *name)
{
	if (strcmp(name, "device") == 0)
		*(bool *)context = true;
}

/* Asked once for each name: an interface with the same name later is of the same kind. */
static const struct known *find(struct state *state, struct env *env, struct span name)
{
	char path[NAME_BYTES + sizeof("sys/class/net/")];
	struct known *known;

	for (size_t i = 0; i < state->n_known; i++)
		if (span_is(name, state->known[i].name))
			return &state->known[i];
	known = VECTOR_ADD(state->known, state->n_known, state->capacity);
	*known = (struct known){ .asked = false };
	snprintf(known->name, sizeof(known->name), "%.*s", (int)span_length(name), name.at);
	snprintf(path, sizeof(path), "sys/class/net/%s", known->name);
	known->asked = listing_each_directory(env, path, note_device, &known->has_device) == 0;
	return known;
}

static void add(struct interface_row *row, const struct net_interface *interface)
{
	row->received_bytes += interface->received.bytes;
	row->sent_bytes += interface->sent.bytes;
	row->received_packets += interface->received.packets;
	row->sent_packets += interface->sent.packets;
	row->errors += interface->received.errors + interface->sent.errors;
	row->drops += interface->received.drops + interface->sent.drops;
}

/* Unknown fields become 0, to be added to. */
static struct interface_row *add_row(struct table *table, const char *name)
{
	struct interface_row *row = table_add(table);

	row->received_bytes = row->sent_bytes = row->received_packets = row->sent_packets = 0;
	row->errors = row->drops = 0;
	row->name = name;
	return row;
}

static void set_unknown(struct interface_row *row)
{
	row->received_bytes = row->sent_bytes = row->received_packets = row->sent_packets = U64_UNKNOWN;
	row->errors = row->drops = U64_UNKNOWN;
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;
	struct net_interface interface;
	bool all_asked = true;
	struct span text;
	int error = env_read(sample->env, env_file(sample->env, "proc/net/dev"), &text);

	if (error)
		return error;
	add_row(sample->table, "all");
	while (net_interface_next(&text, &interface)) {
		const struct known *known = find(state, sample->env, interface.name);
		const char *name =
			arena_copy(&sample->frame->arena, interface.name.at, span_length(interface.name));

		add(add_row(sample->table, name), &interface);
		all_asked &= known->asked;
		if (known->has_device)
			add(table_row(sample->table, 0), &interface);
	}
	if (!all_asked)
		set_unknown(table_row(sample->table, 0));
	return 0;
}

static void close_interface(struct sample *sample)
{
	free(((struct state *)sample->state)->known);
}

const struct topic topic_interface = {
	.schema = &schema,
	.sources = sources,
	.state_size = sizeof(struct state),
	.sample = sample,
	.close = close_interface,
};
