/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internet sockets as NETLINK_SOCK_DIAG describes them. */
#ifndef PANETOP_KERNEL_SOCK_DIAG_H
#define PANETOP_KERNEL_SOCK_DIAG_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

struct sock_diag {
	uint8_t family, state; /* AF_INET or AF_INET6; TCP_ESTABLISHED … */
	uint16_t local_port, remote_port;
	unsigned char local[16], remote[16]; /* 4 of AF_INET */
	uint32_t uid, receive_queue, send_queue;
	uint64_t inode, cookie; /* inode 0: no process holds it any more */
	uint64_t dropped; /* packets, by the socket, as there was no room; U64_UNKNOWN: was not asked for */

	/* Of TCP; U64_UNKNOWN where the kernel does not give it. */
	uint64_t sent_bytes; /* payload, each byte once */
	uint64_t received_bytes, retransmitted_bytes, retransmits;
	uint64_t rtt_us, window; /* window: segments that may be in flight, by congestion control */
	uint64_t busy_us; /* data was sent and not acknowledged yet, or waited to be sent … */
	uint64_t receiver_limited_us, buffer_limited_us; /* … of it: held up by that */
};

/* The payload of a message SOCK_DIAG_BY_FAMILY; false when it is malformed. */
bool sock_diag_parse(struct span payload, struct sock_diag *diag);

/* Those of TCP that listen and those that do not are in tables of their own. */
enum sock_diag_kind { SOCK_DIAG_TCP, SOCK_DIAG_TCP_LISTENING, SOCK_DIAG_UDP };

/*
 * A request for all sockets of this family and kind. AF_UNSPEC: of TCP in both families, for which the
 * kernel walks its table once instead of twice.
 */
#define SOCK_DIAG_REQUEST_BYTES 80
unsigned sock_diag_request(char request[SOCK_DIAG_REQUEST_BYTES], uint8_t family, enum sock_diag_kind kind,
			   uint32_t sequence);

/* "10.0.0.1:443", "[::1]:8080"; an address of IPv4 within IPv6 as IPv4. */
#define SOCK_DIAG_ADDRESS_MAX 56
char *sock_diag_address(const struct sock_diag *diag, bool remote, char out[SOCK_DIAG_ADDRESS_MAX]);

/* As ss(8) calls it, N_(): "established", "listening"; "" for what is not connected. */
const char *sock_diag_state(const struct sock_diag *diag, bool tcp);

#endif
