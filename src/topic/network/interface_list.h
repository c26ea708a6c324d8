/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The network interfaces of the network namespace, updated once per tick for all topics that use them. */
#ifndef PANETOP_TOPIC_NETWORK_INTERFACE_LIST_H
#define PANETOP_TOPIC_NETWORK_INTERFACE_LIST_H

#include "core/hash.h"
#include "core/ledger.h"
#include "kernel/net/netlink.h"
#include "kernel/net/proc_net.h"
#include "topic/reader.h"

#define INTERFACE_NAME_MAX 64 /* the kernel allows 15 characters */
#define INTERFACE_WORD_MAX 20

/* Counters as struct net_interface has them, but they go on where the kernel's wrap or start again. */
#define INTERFACE_COUNTS (2 * N_NET_COUNTS)

union interface_counts {
	struct {
		union net_traffic received, sent;
	};
	uint64_t counts[INTERFACE_COUNTS];
};

struct interface {
	char name[INTERFACE_NAME_MAX];
	struct ledger ledger;
	union interface_counts total;
	uint64_t read_ns;                /* when the ledger took the last reading without a doubt */
	bool asked;                      /* sysfs answered: the following is known */
	bool has_device;                 /* hardware, also virtual one */
	bool is_bridge;
	bool is_end;                     /* it leads out of this namespace */
	bool is_below;                   /* both it and one above it have a device */
	uint64_t index;                  /* the kernel's number of it; U64_UNKNOWN */
	uint64_t tick;                   /* of the last update that had it */
	double used_bits, capacity_bits; /* since it was first seen: on the wire in the busier direction, and
					    what the link could carry */
	uint64_t link_tick;              /* when the following was read; 0: never */
	uint64_t speed_bits, mtu, type;  /* U64_UNKNOWN */
	uint64_t queue_drops;            /* since they were read first; U64_UNKNOWN … */
	uint64_t queue_tick;             /* … or as of this tick; 0: never */
	struct qdisc queue;              /* at its root, at that tick */
	char state[INTERFACE_WORD_MAX], duplex[INTERFACE_WORD_MAX]; /* empty: unknown */
};

struct interface_list {
	struct env *env;
	struct env_file *file;
	struct interface *all; /* in the order of the kernel; owned */
	size_t n_all, capacity;
	struct hash by_name, by_index;
	union interface_counts sum; /* of those that lead out of the machine, also of those that went */
	bool sum_known;              /* sysfs says which these are */
	bool doubtful;               /* one of these is: the sum is unknown in this tick */
	bool has_devices;            /* some of them is a device */
	uint64_t mono_ns;            /* of the last update */
	size_t turn;                 /* whose link is read next */
	uint64_t looked_tick;        /* when it was seen what lies on what */
	struct netlink_socket *netlink; /* NULL: no queue was read yet */
	uint32_t sequence;
	uint64_t queue_tick, queue_drops; /* drops: of those that lead out of the machine */
};

extern const struct reader interface_reader;

/* Reads state, speed and MTU: of all that are new, of others some in each tick. */
void interface_list_read_links(struct interface_list *list);

/* Reads what waits and was dropped in queues before the interfaces. 0 or -errno. */
int interface_list_read_queues(struct interface_list *list);

/* The source of queues in --probe and in notices, and what tries it. */
#define INTERFACE_QUEUES "rtnetlink"
int interface_list_test_queues(struct env *env);

/* Does it count in the sum: does its traffic leave or enter the machine (or container) there? */
bool interface_list_counts(const struct interface_list *list, const struct interface *interface);

/* A frame on a wire of Ethernet has this many bytes that its counters leave out: preamble, check, gap. */
#define ETHERNET_FRAME_BYTES 24
#define INTERFACE_ETHERNET 1 /* its type */

#endif
