/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "interface": what each network interface receives and sends, and what of it is lost. Joins each
 * reading with the one before, so that interfaces come and go and the sum does not jump.
 */
#include <config.h>

#include "topic/network/interface_list.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/unknown.h"
#include "core/vector.h"
#include "sys/attribute.h"
#include "topic/network/socket_list.h"
#include "topic/topic.h"

#define PLACE "sys/class/net/"
#define PATH_ROOM (INTERFACE_NAME_MAX + sizeof(PLACE) + 16)
#define NEW_LINKS ((size_t)256) /* read in a tick; a machine may have thousands */
#define LINKS_AGAIN ((size_t)16)
#define LEVELS_MAX 4 /* of interfaces above a device */
#define LOOK_TICKS 16
#define MAINS 0x183 /* bytes and packets, which begin again together */
#define BUFFER_BYTES (1 << 18)
#define DATAGRAM_BYTES 32768

static char *path_of(char path[PATH_ROOM], const struct interface *interface, const char *attribute)
{
	snprintf(path, PATH_ROOM, PLACE "%s%s", interface->name, attribute);
	return path;
}

static uint64_t number_of(struct interface_list *list, const struct interface *interface,
			  const char *attribute)
{
	uint64_t value = U64_UNKNOWN;
	char path[PATH_ROOM];

	attribute_once_u64(list->env, path_of(path, interface, attribute), &value);
	return value;
}

static void word_of(struct interface_list *list, const struct interface *interface, const char *attribute,
		    char word[INTERFACE_WORD_MAX])
{
	char path[PATH_ROOM];

	if (attribute_once(list->env, path_of(path, interface, attribute), word, INTERFACE_WORD_MAX) < 0 ||
	    strcmp(word, "unknown") == 0)
		*word = '\0';
}

static struct interface *find(struct interface_list *list, struct span name, size_t hint)
{
	uint32_t at;

	if (hint < list->n_all && span_is(name, list->all[hint].name))
		return &list->all[hint];
	HASH_FIND(at, &list->by_name, hash_bytes(HASH_SEED, name), span_is(name, list->all[at].name));
	return at == HASH_NONE ? NULL : &list->all[at];
}

/* What its directory says of it. */
struct nature {
	bool has_device, is_stacked, is_bridge;
};

static void note_entry(void *context, const char *name)
{
	struct nature *nature = context;

	nature->has_device |= strcmp(name, "device") == 0;
	nature->is_bridge |= strcmp(name, "bridge") == 0;
	nature->is_stacked |= strncmp(name, "lower_", 6) == 0 || nature->is_bridge;
}

/*
 * The other end of a pair, or what it lies on, is another interface, which may be in another namespace and
 * then have the same number; but one that stands alone (dummy, ifb) has no speed.
 */
static bool is_linked(struct interface_list *list, const struct interface *interface)
{
	uint64_t link = number_of(list, interface, "/iflink");

	if (number_of(list, interface, "/speed") < UINT32_MAX)
		return true;
	return interface->index != U64_UNKNOWN && link != U64_UNKNOWN && interface->index != link;
}

/* A port of a switch within a network card that leads to a guest: "pf0vf1", "c1pf0sf88". */
static bool is_inner_port(struct interface_list *list, const struct interface *interface)
{
	char port[INTERFACE_WORD_MAX];
	struct span rest;
	uint64_t number;

	word_of(list, interface, "/phys_port_name", port);
	rest = span_text(port);
	if (span_char(&rest, 'c') && !span_u64(&rest, &number))
		return false;
	if (!span_starts(rest, "pf"))
		return false;
	rest.at += 2;
	return span_u64(&rest, &number) && (span_starts(rest, "vf") || span_starts(rest, "sf"));
}

/* Asked once for each name: an interface with the same name later is of the same kind. */
static void ask(struct interface_list *list, struct interface *interface)
{
	struct nature nature = { 0 };
	char path[PATH_ROOM];

	interface->asked =
		listing_each_directory(list->env, path_of(path, interface, ""), note_entry, &nature) == 0;
	interface->index = number_of(list, interface, "/ifindex");
	interface->has_device = nature.has_device;
	interface->is_bridge = nature.is_bridge;
	if (nature.has_device)
		interface->is_end = !is_inner_port(list, interface);
	else
		interface->is_end = !nature.is_stacked && is_linked(list, interface);
}

/* Of a device and one above or below it, which may have none. */
struct neighbours {
	struct interface_list *list;
	struct interface *interface;
};

static void note_neighbour(void *context, const char *name)
{
	const struct neighbours *around = context;
	struct interface *other;

	if (strcmp(name, "dsa") == 0)
		around->interface->is_below = true;
	if (strncmp(name, "lower_", 6) != 0 && strncmp(name, "upper_", 6) != 0)
		return;
	other = find(around->list, span_text(name + 6), SIZE_MAX);
	if (other && other->has_device)
		(*name == 'l' ? other : around->interface)->is_below = true;
}

/*
 * What passes a device is counted by a device above it, too: netvsc and failover above their virtual
 * functions, ports of a switch above the device between switch and CPU ("dsa"). The one above has all of it.
 */
static void look_around(struct interface_list *list)
{
	char path[PATH_ROOM];

	for (size_t i = 0; i < list->n_all; i++)
		list->all[i].is_below = false;
	for (size_t i = 0; i < list->n_all; i++)
		if (list->all[i].has_device)
			listing_each_directory(list->env, path_of(path, &list->all[i], ""), note_neighbour,
					       &(struct neighbours){ list, &list->all[i] });
	list->looked_tick = list->env->tick;
}

static struct interface *add(struct interface_list *list, struct span name, const union interface_counts *now)
{
	struct interface *added = VECTOR_ADD(list->all, list->n_all, list->capacity);

	*added = (struct interface){
		.speed_bits = U64_UNKNOWN,
		.mtu = U64_UNKNOWN,
		.type = U64_UNKNOWN,
		.queue_drops = U64_UNKNOWN,
	};
	snprintf(added->name, sizeof(added->name), "%.*s", (int)span_length(name), name.at);
	ledger_open(&added->ledger, now->counts, INTERFACE_COUNTS);
	hash_add(&list->by_name, hash_bytes(HASH_SEED, name), (uint32_t)(list->n_all - 1));
	ask(list, added);
	hash_add(&list->by_index, hash_u64(added->index), (uint32_t)(list->n_all - 1));
	return added;
}

static void add_counts(union interface_counts *sum, const union interface_counts *more)
{
	for (size_t i = 0; i < INTERFACE_COUNTS; i++)
		sum->counts[i] += more->counts[i];
}

static double wire_bits(const struct interface *interface, const union net_traffic *traffic)
{
	uint64_t more = interface->type == INTERFACE_ETHERNET ? ETHERNET_FRAME_BYTES : 0;

	return 8 * ((double)traffic->bytes + (double)(more * traffic->packets));
}

/* With half duplex both directions share the wire. */
static void add_use(struct interface *interface, const union interface_counts *grown, double seconds)
{
	double received = wire_bits(interface, &grown->received), sent = wire_bits(interface, &grown->sent);

	if (interface->speed_bits == U64_UNKNOWN)
		return;
	if (strcmp(interface->duplex, "half") == 0)
		interface->used_bits += received + sent;
	else
		interface->used_bits += received > sent ? received : sent;
	interface->capacity_bits += (double)interface->speed_bits * seconds;
}

bool interface_list_counts(const struct interface_list *list, const struct interface *interface)
{
	return interface->is_end && !interface->is_below && interface->has_device == list->has_devices;
}

/* Forgets those that went, so that names that come and go for years take no memory. */
static void drop_absent(struct interface_list *list)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < list->n_all; i++)
		if (list->all[i].tick == list->env->tick)
			list->all[n_kept++] = list->all[i];
	if (n_kept == list->n_all)
		return;
	list->n_all = n_kept;
	hash_clear(&list->by_name);
	hash_clear(&list->by_index);
	for (size_t i = 0; i < n_kept; i++) {
		hash_add(&list->by_name, hash_bytes(HASH_SEED, span_text(list->all[i].name)), (uint32_t)i);
		hash_add(&list->by_index, hash_u64(list->all[i].index), (uint32_t)i);
	}
}

/* What a new one counted so far is not growth: it may have been renamed. */
static void take(struct interface_list *list, const struct net_interface *seen, size_t index)
{
	const union interface_counts now = { .received = seen->received, .sent = seen->sent };
	struct interface *interface = find(list, seen->name, index);
	union interface_counts grown;

	if (interface && interface->tick == list->env->tick)
		return;
	if (interface)
		ledger_read(&interface->ledger, now.counts, INTERFACE_COUNTS, MAINS);
	else
		interface = add(list, seen->name, &now);
	memcpy(interface->total.counts, interface->ledger.total, sizeof(interface->total));
	memcpy(grown.counts, interface->ledger.grown, sizeof(grown));
	interface->tick = list->env->tick;
	list->sum_known &= interface->asked;
	if (interface_list_counts(list, interface)) {
		list->doubtful |= interface->ledger.doubtful;
		add_counts(&list->sum, &grown);
	}
	if (interface->ledger.doubtful)
		return;
	if (interface->read_ns)
		add_use(interface, &grown, (double)(list->mono_ns - interface->read_ns) / 1e9);
	interface->read_ns = list->mono_ns;
}

static int update(struct interface_list *list, uint64_t now_ns)
{
	uint64_t before_ns = list->mono_ns;
	struct net_interface seen;
	struct span text;
	size_t index = 0, n_before = list->n_all, n_seen;
	int error = env_read(list->env, list->file, &text);

	if (error)
		return error;
	list->mono_ns = now_ns;
	list->sum_known = true;
	list->doubtful = false;
	while (net_interface_next(&text, &seen))
		take(list, &seen, index++);
	n_seen = list->n_all;
	drop_absent(list);
	if (n_seen != n_before || n_seen != list->n_all || list->env->tick >= list->looked_tick + LOOK_TICKS)
		look_around(list);
	list->has_devices = false;
	for (size_t i = 0; i < list->n_all; i++)
		list->has_devices |= list->all[i].has_device;
	for (size_t i = 0; before_ns == 0 && i < list->n_all; i++)
		if (interface_list_counts(list, &list->all[i])) /* at first, what it has counted so far */
			add_counts(&list->sum, &list->all[i].total);
	return 0;
}

/* Of an interface without a device: what it lies on. */
struct foundation {
	struct interface_list *list;
	unsigned levels; /* below it, at most */
	bool is_limited;
};

static bool is_limited(struct interface_list *list, const struct interface *interface, unsigned levels);

static void note_lower(void *context, const char *name)
{
	struct foundation *below = context;
	const struct interface *lower;

	if (below->is_limited || below->levels == 0 || strncmp(name, "lower_", 6) != 0)
		return;
	lower = find(below->list, span_text(name + 6), SIZE_MAX);
	below->is_limited = lower && is_limited(below->list, lower, below->levels - 1);
}

/*
 * Whether its speed limits it: that of a device, or of one below it. Tunnels and pairs have one only in
 * name, and what stays within a bridge is not limited by its ports.
 */
static bool is_limited(struct interface_list *list, const struct interface *interface, unsigned levels)
{
	struct foundation below = { .list = list, .levels = levels };
	char path[PATH_ROOM];

	if (!interface->has_device && !interface->is_bridge)
		listing_each_directory(list->env, path_of(path, interface, ""), note_lower, &below);
	return interface->has_device || below.is_limited;
}

static void read_link(struct interface_list *list, struct interface *interface)
{
	uint64_t megabits = number_of(list, interface, "/speed");

	if (interface->link_tick == 0)
		interface->type = number_of(list, interface, "/type");
	interface->link_tick = list->env->tick;
	interface->speed_bits = U64_UNKNOWN;
	if (megabits > 0 && megabits < UINT32_MAX && is_limited(list, interface, LEVELS_MAX))
		interface->speed_bits = megabits * UINT64_C(1000000);
	interface->mtu = number_of(list, interface, "/mtu");
	word_of(list, interface, "/operstate", interface->state);
	word_of(list, interface, "/duplex", interface->duplex);
}

void interface_list_read_links(struct interface_list *list)
{
	size_t n_new = 0;

	for (size_t i = 0; i < list->n_all && n_new < NEW_LINKS; i++)
		if (list->all[i].link_tick == 0) {
			read_link(list, &list->all[i]);
			n_new++;
		}
	for (size_t i = 0; i < LINKS_AGAIN && i < list->n_all; i++) {
		struct interface *interface = &list->all[list->turn++ % list->n_all];

		if (interface->link_tick != 0 && interface->link_tick != list->env->tick)
			read_link(list, interface);
	}
}

static void take_queue(void *context, struct span payload)
{
	struct interface_list *list = context;
	struct interface *interface;
	struct qdisc qdisc;
	uint32_t at, dropped;

	if (!qdisc_parse(payload, &qdisc) || !qdisc.is_root)
		return;
	HASH_FIND(at, &list->by_index, hash_u64(qdisc.interface), list->all[at].index == qdisc.interface);
	if (at == HASH_NONE)
		return;
	interface = &list->all[at];
	dropped = interface->queue_tick == 0 ? 0 : qdisc_dropped(&interface->queue, &qdisc);
	interface->queue_drops =
		interface->queue_tick == 0 ? qdisc.drops : interface->queue_drops + dropped;
	if (interface_list_counts(list, interface))
		list->queue_drops += list->queue_tick == 0 ? qdisc.drops : dropped;
	interface->queue_tick = list->env->tick;
	interface->queue = qdisc;
}

static struct netlink_socket *open_netlink(int *error)
{
	return netlink_socket_open(NETLINK_ROUTE, 0, BUFFER_BYTES, DATAGRAM_BYTES, error);
}

int interface_list_read_queues(struct interface_list *list)
{
	char request[QDISC_REQUEST_BYTES];
	unsigned length = qdisc_request(request, ++list->sequence);
	int error = list->env->live ? 0 : -ENOTSUP;

	if (error || list->queue_tick == list->env->tick)
		return error;
	if (!list->netlink)
		list->netlink = open_netlink(&error);
	if (!list->netlink)
		return error;
	error = netlink_dump(list->netlink, request, length, list->sequence, take_queue, list);
	list->queue_tick = error ? list->queue_tick : list->env->tick;
	return error;
}

int interface_list_test_queues(struct env *env)
{
	struct netlink_socket *netlink;
	int error;

	(void)env;
	netlink = open_netlink(&error);
	netlink_socket_close(netlink);
	return error;
}

static int open_list(void *state, const struct sample *sample)
{
	struct interface_list *list = state;

	list->env = sample->env;
	list->file = env_file(list->env, "proc/net/dev");
	return 0;
}

static int update_list(void *state, const struct sample *sample)
{
	return update(state, sample_mono_ns(sample));
}

static void close_list(void *state)
{
	struct interface_list *list = state;

	netlink_socket_close(list->netlink);
	hash_free(&list->by_name);
	hash_free(&list->by_index);
	free(list->all);
}

const struct reader interface_reader = {
	.name = "network interfaces",
	.state_size = sizeof(struct interface_list),
	.open = open_list,
	.update = update_list,
	.close = close_list,
	.source = "proc/net/dev",
};

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
	RATE(of##_per_second, of, UNIT_PER_SECOND, 0, .title = heading, .width = 8, .help = what,            \
	     .source = "growth of " #of " / time", __VA_ARGS__)

#define FAULT(of, heading, what, ...) LOSS(of, heading, what, .alarming = 0.001, __VA_ARGS__)

#define COUNT(field, measure, from, ...)                                                                     \
	COLUMN(struct interface_row, field, .kind = COLUMN_COUNTER, .unit = measure, .hidden = true,         \
	       .source = "/proc/net/dev " from, __VA_ARGS__)

#define LINK(field, heading, cells, what, from, ...)                                                         \
	ROW(field, .on_request = REQUEST_LINK, .title = heading, .width = cells, .help = what,               \
	    .source = "/sys/class/net/NAME/" from, __VA_ARGS__)

#define COL(field, ...) COLUMN_OF(struct interface_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(name, KEY, NONE, N_("interface"), 9,
	    N_("interface of the network namespace of panetop; all: those with a device behind them, so "
	       "that bridges, tunnels and containers do not count twice; in a container, which has none, "
	       "those that lead out of it"), "/proc/net/dev"),
	LINK(state, N_("state"), 5, N_("state of the link: up, down; empty where there is none, as of lo"),
	     "operstate", .kind = COLUMN_LABEL, .rank = 2, .fleeting = true),
	LINK(speed_bits, N_("speed bit/s"), 11,
	     N_("speed of the link in bits per second, k = 1000; unknown while it is down, for bridges and "
		"for virtual ones that lie on no device: theirs limits nothing"),
	     "speed", .kind = COLUMN_GAUGE, .unit = UNIT_BITS, .rank = 1),
	LINK(duplex, N_("duplex"), 6, N_("full: both directions at once; half: one at a time"), "duplex",
	     .kind = COLUMN_LABEL, .rank = 6, .fleeting = true),
	LINK(mtu, N_("MTU"), 5, N_("bytes of a packet at most, with the headers of IP and TCP"), "mtu",
	     .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .rank = 5),
	COL(payload_ratio, GAUGE, RATIO, N_("%payload"), 8,
	    N_("share of the wire that is payload at most, for TCP over IPv4 without options in full "
	       "packets; Ethernet only"), "(mtu - 40) / (mtu + 38)", .on_request = REQUEST_LINK, .rank = 7),
	COL(used_ratio, RATE, RATIO, N_("%used"), 5,
	    N_("use of the link in the busier direction, with preambles and gaps between frames"),
	    "growth of used_bits / growth of capacity_bits", .on_request = REQUEST_LINK, .rank = 1,
	    .high = 0.7, .rate_of = offsetof(struct interface_row, used_bits),
	    .rate_over = offsetof(struct interface_row, capacity_bits)),
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
	FAULT(errors, N_("err/s"), N_("packets with errors, both directions"), .rank = 2),
	LOSS(drops, N_("drop/s"), N_("dropped packets, both directions"), .high = 1, .rank = 2),
	LOSS(received_drops, N_("r drop/s"),
	     N_("received packets that were dropped: no room, or no protocol wanted them"), .high = 1,
	     .hidden = true),
	LOSS(sent_drops, N_("s drop/s"), N_("packets dropped instead of sent: no room, or nowhere to send"),
	     .high = 1, .hidden = true),
	RATE(queue_drops_per_second, queue_drops, UNIT_PER_SECOND, 0, .on_request = REQUEST_QUEUE,
	     .title = N_("qdrop/s"), .width = 7, .high = 1, .hidden = true,
	     .help = N_("packets dropped by the queue before the interface: it is full, or slows TCP down; "
			"not among the other drops"), .source = "growth of queue_drops / time"),
	COL(queue_bytes, GAUGE, BYTES, N_("queued"), 7, N_("waited in that queue to be sent at the sample"),
	    INTERFACE_QUEUES " TCA_STATS_QUEUE backlog of the root queueing discipline",
	    .on_request = REQUEST_QUEUE, .rank = 3, .hidden = true),
	COL(queue_drops, COUNTER, COUNT, N_("q drops"), 7,
	    N_("packets dropped by that queue since it was set up, and by later ones"),
	    INTERFACE_QUEUES " TCA_STATS_QUEUE drops of the root queueing discipline",
	    .on_request = REQUEST_QUEUE, .hidden = true),
	FAULT(fifo_errors, N_("fifo/s"),
	      N_("packets lost as a queue of the device was full, or ran empty while it sent"),
	      .hidden = true),
	FAULT(frame_errors, N_("frame/s"),
	      N_("received frames that were malformed: length, checksum, border"), .hidden = true),
	FAULT(carrier_errors, N_("carr/s"), N_("packets not sent for lack of a carrier"), .hidden = true),
	FAULT(collisions, N_("coll/s"), N_("collisions while sending, on half duplex"), .hidden = true),
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
	COL(used_bits, COUNTER, BITS, N_("on wire"), 8,
	    N_("bits in the busier direction, with preambles and gaps; with half duplex of both"),
	    "received_bytes, sent_bytes, 24 bytes more for each packet of Ethernet",
	    .on_request = REQUEST_LINK, .hidden = true),
	COL(capacity_bits, COUNTER, BITS, N_("could be"), 8, N_("bits that its speed allowed"),
	    "speed_bits * time", .on_request = REQUEST_LINK, .hidden = true),
};

static const struct schema schema = {
	.name = "interface",
	.is_public = true,
	.help = N_("network interfaces: wire rates, state of the link, losses by cause"),
	.sum_row = "all",
	.goes_on = true,
	SCHEMA_ROWS(struct interface_row, columns),
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
	.sources = SOURCES(
		{ .path = "proc/net/dev",
		  .gives = N_("data and packets of network interfaces"),
		  .remedies = { { ENOENT, N_("this kernel is built without networking") } } },
		{ .path = "sys/class/net",
		  .gives = N_("which interfaces have a device; their state and speed"),
		  .optional = true },
		{ .path = INTERFACE_QUEUES,
		  .gives = N_("queues before network interfaces"),
		  .optional = true,
		  .test = interface_list_test_queues }),
	.reads = READING_ONE(&interface_reader),
	.sample = sample,
};
