/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins each reading with the one before, so that interfaces come and go and the sum does not jump. */
#include <config.h>

#include "topic/network/interface_list.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "sys/attribute.h"
#include "topic/network/netlink_dump.h"

#define PLACE "sys/class/net/"
#define PATH_ROOM (INTERFACE_NAME_MAX + sizeof(PLACE) + 16)
#define NEW_LINKS ((size_t)256) /* read in a tick; a machine may have thousands */
#define LINKS_AGAIN ((size_t)16)
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
	bool has_device, is_stacked;
};

static void note_entry(void *context, const char *name)
{
	struct nature *nature = context;

	nature->has_device |= strcmp(name, "device") == 0;
	nature->is_stacked |= strncmp(name, "lower_", 6) == 0 || strcmp(name, "bridge") == 0;
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

/* At first, what those that count have counted so far. */
static void begin_sum(struct interface_list *list)
{
	for (size_t i = 0; i < list->n_all; i++)
		if (interface_list_counts(list, &list->all[i]))
			add_counts(&list->sum, &list->all[i].total);
}

static bool any_device(const struct interface_list *list)
{
	for (size_t i = 0; i < list->n_all; i++)
		if (list->all[i].has_device)
			return true;
	return false;
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
	list->has_devices = any_device(list);
	if (before_ns == 0)
		begin_sum(list);
	return 0;
}

static void read_link(struct interface_list *list, struct interface *interface)
{
	uint64_t megabits = number_of(list, interface, "/speed");

	if (interface->link_tick == 0)
		interface->type = number_of(list, interface, "/type");
	interface->link_tick = list->env->tick;
	interface->speed_bits =
		megabits == 0 || megabits >= UINT32_MAX ? U64_UNKNOWN : megabits * UINT64_C(1000000);
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
