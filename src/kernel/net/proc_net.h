/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of /proc/net: interfaces, protocols, sockets, and packets on their way. */
#ifndef PANETOP_KERNEL_NET_PROC_NET_H
#define PANETOP_KERNEL_NET_PROC_NET_H

#include "core/span.h"
#include "core/unknown.h"

/* /proc/net/dev: a line per network interface of a network namespace. */

/* One direction, since the interface appeared. */
union net_traffic {
	struct {
		uint64_t bytes, packets, errors, drops;
		uint64_t fifo;    /* errors: a queue of the device was full, or empty while it sent */
		uint64_t frame;   /* errors: malformed frames; when sending: collisions */
		uint64_t carrier; /* errors when sending: no carrier */
	};
	uint64_t counts[7];
};

#define N_NET_COUNTS (sizeof(union net_traffic) / sizeof(uint64_t))

struct net_interface {
	struct span name;
	union net_traffic received, sent;
};

/* The next interface; skips headings and malformed lines. */
bool net_interface_next(struct span *text, struct net_interface *interface);

/* /proc/net/snmp: counters of the protocols, a line of names and a line of numbers for each; and snmp6. */

/* The counter "Ip", "ForwDatagrams"; U64_UNKNOWN: there is none. */
uint64_t net_snmp_find(struct span text, const char *protocol, const char *name);

/* Of /proc/net/snmp6, which has a counter in a line: "Ip6OutForwDatagrams". */
uint64_t net_snmp6_find(struct span text, const char *name);

/* /proc/net/tcp, tcp6, udp, udp6 and unix: sockets by inode. */
#define NET_ADDRESS_MAX 56 /* "[ffff:…]:65535" */

struct net_socket {
	uint64_t inode;
	char local[NET_ADDRESS_MAX], remote[NET_ADDRESS_MAX]; /* remote is empty: not connected */
	const char *state; /* N_(): "established", "listening"; empty: of no interest */
};

/* As ss(8) calls the kernel's TCP_ESTABLISHED and so on: N_(); empty: not known. */
const char *tcp_state_name(uint64_t state);

/* The next line about an Internet socket, of a file of this byte order; false after the last. */
bool net_socket_next(struct span *text, bool tcp, struct net_socket *socket);

struct net_unix {
	uint64_t inode;
	struct span path;  /* of the file, or "@name"; empty: it has no name */
	const char *state; /* as above */
};

bool net_unix_next(struct span *text, struct net_unix *socket);

/* /proc/net/sockstat and sockstat6: how many sockets there are in this network namespace. */

/* TCP sockets "inuse": without those in TIME_WAIT. 0 where the text does not say. */
uint64_t sockstat_tcp(struct span text);

/* /proc/net/softnet_stat: received packets on their way from drivers to protocols, a line per CPU. */

/* Counters are of 32 bits and wrap. */
struct softnet_line {
	uint32_t processed; /* packets */
	uint32_t dropped;   /* … because the backlog was full */
	uint32_t squeezed;  /* polls that ended with packets left, for lack of budget or time */
	uint64_t steered;   /* interrupts sent by other CPUs (RPS); U64_UNKNOWN before Linux 2.6.35 */
	uint64_t limited;   /* packets dropped by the flow limit; U64_UNKNOWN before 3.11 */
	uint64_t waiting;   /* packets in the backlog; U64_UNKNOWN before 5.10 */
	uint64_t cpu;       /* U64_UNKNOWN before 5.10: lines are in the order of online CPUs */
};

/* The next CPU; skips malformed lines. */
bool softnet_next(struct span *text, struct softnet_line *line);

#endif
