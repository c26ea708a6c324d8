/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "interface": what each network interface receives and sends, and what of it is lost. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/network/interface_list.h"
#include "topic/topic.h"

enum on_request {
	REQUEST_LINK = 1, /* columns that are read from sysfs */
	REQUEST_QUEUE
};

struct interface_row {
	const char *name, *state;
	uint64_t speed_bits;
	const char *duplex;
	uint64_t mtu;
	double payload_ratio, used_ratio;
	double received_bits_per_second, sent_bits_per_second, received_packets_per_second;
	double sent_packets_per_second, errors_per_second, drops_per_second;
	double received_drops_per_second, sent_drops_per_second, queue_drops_per_second,
		fifo_errors_per_second;
	double frame_errors_per_second, carrier_errors_per_second, collisions_per_second;
	uint64_t received_bytes, sent_bytes, received_packets, sent_packets, errors, drops;
	uint64_t queue_drops, queue_bytes;
	uint64_t received_drops, sent_drops, received_errors, sent_errors, fifo_errors, frame_errors,
		carrier_errors, collisions;
	double used_bits, capacity_bits;
};

#define ROW(field, ...) COLUMN(struct interface_row, field, __VA_ARGS__)

#define RATE(field, of, measure, factor, ...)                                                                \
	COLUMN(struct interface_row, field, .kind = COLUMN_RATE, .unit = measure, .scale = factor,           \
	       .rate_of = offsetof(struct interface_row, of), __VA_ARGS__)

#define LOSS(of, heading, what, ...)                                                                         \
	RATE(of##_per_second, of, UNIT_PER_SECOND, 0, .title = heading, .width = 8, .alarming = 0.001,       \
	     .help = what, .source = "growth of " #of " / time", __VA_ARGS__)

#define COUNT(field, measure, from, ...)                                                                     \
	COLUMN(struct interface_row, field, .kind = COLUMN_COUNTER, .unit = measure, .hidden = true,         \
	       .source = "/proc/net/dev " from, __VA_ARGS__)

#define LINK(field, heading, cells, what, from, ...)                                                         \
	ROW(field, .on_request = REQUEST_LINK, .title = heading, .width = cells, .help = what,               \
	    .source = "/sys/class/net/NAME/" from, __VA_ARGS__)

static const struct column columns[] = {
	ROW(name, .kind = COLUMN_KEY, .title = N_("interface"), .width = 9,
	    .help = N_(
		    "interface of the network namespace of panetop; all: those with a device behind them, so "
		    "that bridges, tunnels and containers do not count twice; in a container, which has "
		    "none, those that lead out of it"),
	    .source = "/proc/net/dev"),
	LINK(state, N_("state"), 5, N_("state of the link: up, down; empty where there is none, as of lo"),
	     "operstate", .kind = COLUMN_LABEL, .rank = 2, .fleeting = true),
	LINK(speed_bits, N_("speed bit/s"), 11,
	     N_("speed of the link in bits per second, k = 1000; unknown while it is down, and for most "
		"virtual ones"),
	     "speed", .kind = COLUMN_GAUGE, .unit = UNIT_BITS, .rank = 1),
	LINK(duplex, N_("duplex"), 6, N_("full: both directions at once; half: one at a time"), "duplex",
	     .kind = COLUMN_LABEL, .rank = 6, .fleeting = true),
	LINK(mtu, N_("MTU"), 5, N_("bytes of a packet at most, with the headers of IP and TCP"), "mtu",
	     .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .rank = 5),
	ROW(payload_ratio, .on_request = REQUEST_LINK, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO,
	    .title = N_("%payload"), .width = 8, .rank = 7,
	    .help = N_("share of the wire that is payload at most, for TCP over IPv4 without options in full "
		       "packets; Ethernet only"),
	    .source = "(mtu - 40) / (mtu + 38)"),
	ROW(used_ratio, .on_request = REQUEST_LINK, .kind = COLUMN_RATE, .unit = UNIT_RATIO,
	    .title = N_("%used"), .width = 5, .rank = 1, .high = 0.7, .alarming = 0.9,
	    .rate_of = offsetof(struct interface_row, used_bits),
	    .rate_over = offsetof(struct interface_row, capacity_bits),
	    .help = N_("use of the link in the busier direction, with preambles and gaps between frames"),
	    .source = "growth of used_bits / growth of capacity_bits"),
	RATE(received_bits_per_second, received_bytes, UNIT_BITS_PER_SECOND, 8, .title = N_("recv bit/s"),
	     .width = 10, .trend = true,
	     .help = N_("received on the wire, with headers, in bits per second, k = 1000"),
	     .source = "growth of received_bytes * 8 / time"),
	RATE(sent_bits_per_second, sent_bytes, UNIT_BITS_PER_SECOND, 8, .title = N_("sent bit/s"),
	     .width = 10, .help = N_("sent on the wire, with headers, in bits per second, k = 1000"),
	     .source = "growth of sent_bytes * 8 / time"),
	RATE(received_packets_per_second, received_packets, UNIT_PER_SECOND, 0, .title = N_("r pkt/s"),
	     .width = 8, .rank = 3, .help = N_("received packets"),
	     .source = "growth of received_packets / time"),
	RATE(sent_packets_per_second, sent_packets, UNIT_PER_SECOND, 0, .title = N_("s pkt/s"), .width = 8,
	     .rank = 3, .help = N_("sent packets"), .source = "growth of sent_packets / time"),
	LOSS(errors, N_("err/s"), N_("packets with errors, both directions"), .rank = 2),
	LOSS(drops, N_("drop/s"), N_("dropped packets, both directions"), .rank = 2),
	LOSS(received_drops, N_("r drop/s"),
	     N_("received packets that were dropped: no room, or no protocol wanted them"), .hidden = true),
	LOSS(sent_drops, N_("s drop/s"), N_("packets dropped instead of sent"), .hidden = true),
	RATE(queue_drops_per_second, queue_drops, UNIT_PER_SECOND, 0, .on_request = REQUEST_QUEUE,
	     .title = N_("qdrop/s"), .width = 7, .high = 1, .hidden = true,
	     .help = N_("packets dropped by the queue before the interface: it is full, or slows TCP down; "
			"not among the other drops"),
	     .source = "growth of queue_drops / time"),
	ROW(queue_bytes, .on_request = REQUEST_QUEUE, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES,
	    .title = N_("queued"), .width = 7, .rank = 3, .hidden = true,
	    .help = N_("waited in that queue to be sent at the sample"),
	    .source = INTERFACE_QUEUES " TCA_STATS_QUEUE backlog of the root queueing discipline"),
	ROW(queue_drops, .on_request = REQUEST_QUEUE, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT,
	    .title = N_("q drops"), .width = 7, .hidden = true,
	    .help = N_("packets dropped by that queue since it was set up, and by later ones"),
	    .source = INTERFACE_QUEUES " TCA_STATS_QUEUE drops of the root queueing discipline"),
	LOSS(fifo_errors, N_("fifo/s"),
	     N_("packets lost as a queue of the device was full, or ran empty while it sent"),
	     .hidden = true),
	LOSS(frame_errors, N_("frame/s"), N_("received frames that were malformed: length, checksum, border"),
	     .hidden = true),
	LOSS(carrier_errors, N_("carr/s"), N_("packets not sent for lack of a carrier"), .hidden = true),
	LOSS(collisions, N_("coll/s"), N_("collisions while sending, on half duplex"), .hidden = true),
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
	COUNT(received_drops, UNIT_COUNT, "receive drop", .title = N_("r drops"), .width = 7,
	      .help = N_("dropped received packets since the interface appeared")),
	COUNT(sent_drops, UNIT_COUNT, "transmit drop", .title = N_("s drops"), .width = 7,
	      .help = N_("packets dropped instead of sent since the interface appeared")),
	COUNT(received_errors, UNIT_COUNT, "receive errs", .title = N_("r errors"), .width = 8,
	      .help = N_("received packets with errors since the interface appeared")),
	COUNT(sent_errors, UNIT_COUNT, "transmit errs", .title = N_("s errors"), .width = 8,
	      .help = N_("packets that could not be sent since the interface appeared")),
	COUNT(fifo_errors, UNIT_COUNT, "receive fifo + transmit fifo", .title = N_("fifo"), .width = 7,
	      .help = N_("full and empty queues of the device since the interface appeared")),
	COUNT(frame_errors, UNIT_COUNT, "receive frame", .title = N_("frame"), .width = 7,
	      .help = N_("malformed frames since the interface appeared")),
	COUNT(carrier_errors, UNIT_COUNT, "transmit carrier", .title = N_("carrier"), .width = 7,
	      .help = N_("losses of the carrier while sending since the interface appeared")),
	COUNT(collisions, UNIT_COUNT, "transmit colls", .title = N_("colls"), .width = 7,
	      .help = N_("collisions since the interface appeared")),
	ROW(used_bits, .on_request = REQUEST_LINK, .kind = COLUMN_COUNTER, .unit = UNIT_BITS, .hidden = true,
	    .title = N_("on wire"), .width = 8,
	    .help = N_("bits in the busier direction, with preambles and gaps; with half duplex of both"),
	    .source = "received_bytes, sent_bytes, 24 bytes more for each packet of Ethernet"),
	ROW(capacity_bits, .on_request = REQUEST_LINK, .kind = COLUMN_COUNTER, .unit = UNIT_BITS,
	    .hidden = true, .title = N_("could be"), .width = 8, .help = N_("bits that its speed allowed"),
	    .source = "speed_bits * time"),
};

static const struct schema schema = {
	.name = "interface",
	.is_public = true,
	.help = N_("network interfaces: wire rates, state of the link, losses by cause"),
	.sum_row = "all",
	.goes_on = true,
	.row_size = sizeof(struct interface_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/net/dev",
	  .gives = N_("data and packets of network interfaces"),
	  .remedies = { { ENOENT, N_("this kernel is built without networking") } } },
	{ .path = "sys/class/net",
	  .gives = N_("which interfaces have a device; their state and speed"),
	  .optional = true },
	{ .path = INTERFACE_QUEUES,
	  .gives = N_("queues before network interfaces"),
	  .optional = true,
	  .test = interface_list_test_queues },
	{ 0 },
};

static struct interface_row *add_row(struct table *table, const char *name,
				     const union interface_counts *counts, bool doubtful)
{
	struct interface_row *row = table_add(table);
	const union net_traffic *received = &counts->received, *sent = &counts->sent;

	row->name = name;
	if (doubtful)
		return row;
	row->received_bytes = received->bytes;
	row->sent_bytes = sent->bytes;
	row->received_packets = received->packets;
	row->sent_packets = sent->packets;
	row->received_errors = received->errors;
	row->sent_errors = sent->errors;
	row->received_drops = received->drops;
	row->sent_drops = sent->drops;
	row->errors = received->errors + sent->errors;
	row->drops = received->drops + sent->drops;
	row->fifo_errors = received->fifo + sent->fifo;
	row->frame_errors = received->frame;
	row->collisions = sent->frame;
	row->carrier_errors = sent->carrier;
	return row;
}

static const char *word(struct arena *arena, const char *text)
{
	return *text ? arena_copy(arena, text, strlen(text)) : NULL;
}

static void add_link(struct interface_row *row, const struct interface *interface, struct arena *arena)
{
	if (interface->link_tick == 0)
		return;
	row->state = word(arena, interface->state);
	row->duplex = word(arena, interface->duplex);
	row->speed_bits = interface->speed_bits;
	row->mtu = interface->mtu;
	if (interface->type == INTERFACE_ETHERNET && interface->mtu != U64_UNKNOWN && interface->mtu > 40)
		row->payload_ratio = ((double)interface->mtu - 40) / ((double)interface->mtu + 38);
	if (interface->speed_bits != U64_UNKNOWN && !interface->ledger.doubtful) {
		row->used_bits = interface->used_bits;
		row->capacity_bits = interface->capacity_bits;
	}
}

static void add_queues(struct table *table, const struct interface_list *list)
{
	struct interface_row *row = table_row(table, 0);

	if (list->sum_known)
		row->queue_drops = list->queue_drops;
	for (size_t i = 0; i < list->n_all; i++) {
		const struct interface *interface = &list->all[i];

		row = table_row(table, i + 1);
		row->queue_drops = interface->queue_drops;
		if (interface->queue_tick == list->queue_tick)
			row->queue_bytes = interface->queue.waiting_bytes;
	}
}

static int sample(struct sample *sample)
{
	struct interface_list *list = sample->state;
	struct arena *arena = &sample->frame->arena;
	bool links = sample_request_wants(sample->request, &schema, REQUEST_LINK);

	sample->table->mono_ns = list->mono_ns ? list->mono_ns : sample->table->mono_ns;
	if (links)
		interface_list_read_links(list);
	add_row(sample->table, "all", &list->sum, !list->sum_known || list->doubtful);
	for (size_t i = 0; i < list->n_all; i++) {
		const struct interface *interface = &list->all[i];
		struct interface_row *row =
			add_row(sample->table, arena_copy(arena, interface->name, strlen(interface->name)),
				&interface->total, interface->ledger.doubtful);

		if (links)
			add_link(row, interface, arena);
	}
	if (sample_request_wants(sample->request, &schema, REQUEST_QUEUE) &&
	    interface_list_read_queues(list) == 0)
		add_queues(sample->table, list);
	return 0;
}

const struct topic topic_interface = {
	.schema = &schema,
	.sources = sources,
	.reads = READING_ONE(&interface_reader),
	.sample = sample,
};
