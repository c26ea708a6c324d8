/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoder of inet_diag messages, with as much of struct tcp_info as the kernel has. */
#include <config.h>

#include "kernel/net/sock_diag.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <stddef.h>
#include <string.h>

#include "core/i18n.h"
#include "kernel/net/net_socket.h"
#include "kernel/net/netlink.h"

enum state {
	ESTABLISHED = 1,
	TIME_WAIT = 6,
	CLOSED = 7,
	CLOSE_WAIT = 8,
	LAST_ACK = 9,
	LISTENING = 10,
	CLOSING = 11,
	NEW_SYN_RECV = 12
};

static uint64_t tcp_u64(struct span info, size_t offset)
{
	uint64_t value;

	return span_peek(info, offset, &value, sizeof(value)) ? value : U64_UNKNOWN;
}

static uint64_t tcp_u32(struct span info, size_t offset)
{
	uint32_t value;

	return span_peek(info, offset, &value, sizeof(value)) ? value : U64_UNKNOWN;
}

#define TCP_U64(field) tcp_u64(info, offsetof(struct tcp_info, field))
#define TCP_U32(field) tcp_u32(info, offsetof(struct tcp_info, field))

/* The kernel counts the end of the other side (FIN) as a byte received. */
static bool has_ended(const struct sock_diag *diag)
{
	return diag->state == CLOSE_WAIT || diag->state == LAST_ACK || diag->state == CLOSING ||
	       diag->state == CLOSED;
}

/* Before Linux 4.19 what was acknowledged stands for what was sent. */
static void parse_tcp(struct span info, struct sock_diag *diag)
{
	uint64_t sent = TCP_U64(tcpi_bytes_sent), again = TCP_U64(tcpi_bytes_retrans);

	diag->received_bytes = TCP_U64(tcpi_bytes_received);
	if (has_ended(diag) && diag->received_bytes != U64_UNKNOWN && diag->received_bytes > 0)
		diag->received_bytes--;
	diag->sent_bytes = sent == U64_UNKNOWN || again == U64_UNKNOWN ? TCP_U64(tcpi_bytes_acked)
			   : sent >= again                             ? sent - again
								       : U64_UNKNOWN;
	diag->retransmitted_bytes = again;
	diag->retransmits = TCP_U32(tcpi_total_retrans);
	diag->rtt_us = TCP_U32(tcpi_rtt);
	diag->window = TCP_U32(tcpi_snd_cwnd);
	diag->busy_us = TCP_U64(tcpi_busy_time);
	diag->receiver_limited_us = TCP_U64(tcpi_rwnd_limited);
	diag->buffer_limited_us = TCP_U64(tcpi_sndbuf_limited);
}

bool sock_diag_parse(struct span payload, struct sock_diag *diag)
{
	struct inet_diag_msg message;
	struct span attributes, info;
	uint32_t dropped;

	if (!span_peek(payload, 0, &message, sizeof(message)) ||
	    (message.idiag_family != AF_INET && message.idiag_family != AF_INET6))
		return false;
	*diag = (struct sock_diag){
		.family = message.idiag_family,
		.state = message.idiag_state,
		.local_port = ntohs(message.id.idiag_sport),
		.remote_port = ntohs(message.id.idiag_dport),
		.uid = message.idiag_uid,
		.receive_queue = message.idiag_rqueue,
		.send_queue = message.idiag_wqueue,
		.inode = message.idiag_inode,
		.dropped = U64_UNKNOWN,
		.cookie = message.id.idiag_cookie[0] | (uint64_t)message.id.idiag_cookie[1] << 32,
		.sent_bytes = U64_UNKNOWN,
		.received_bytes = U64_UNKNOWN,
		.retransmitted_bytes = U64_UNKNOWN,
		.retransmits = U64_UNKNOWN,
		.rtt_us = U64_UNKNOWN,
		.window = U64_UNKNOWN,
		.busy_us = U64_UNKNOWN,
		.receiver_limited_us = U64_UNKNOWN,
		.buffer_limited_us = U64_UNKNOWN,
	};
	memcpy(diag->local, message.id.idiag_src, sizeof(diag->local));
	memcpy(diag->remote, message.id.idiag_dst, sizeof(diag->remote));
	attributes = span_of(payload.at + sizeof(message), span_length(payload) - sizeof(message));
	if (netlink_attribute(attributes, INET_DIAG_INFO, &info))
		parse_tcp(info, diag);
	if (netlink_attribute(attributes, INET_DIAG_SKMEMINFO, &info) &&
	    span_peek(info, SK_MEMINFO_DROPS * sizeof(dropped), &dropped, sizeof(dropped)))
		diag->dropped = dropped;
	return true;
}

/* As ss(8) lists them; not bound ones that do nothing, which are in a table of their own since Linux 6.8. */
#define STATES (((1U << (NEW_SYN_RECV + 1)) - 1) & ~(1U << TIME_WAIT))

static uint32_t states_of(enum sock_diag_kind kind)
{
	uint32_t listening = 1U << LISTENING;

	return kind == SOCK_DIAG_TCP ? STATES & ~listening : kind == SOCK_DIAG_UDP ? STATES : listening;
}

/* What a socket dropped is not asked of connections: there are many, and they seldom drop. */
static uint8_t extensions_of(enum sock_diag_kind kind)
{
	return (uint8_t)(1 << ((kind == SOCK_DIAG_TCP ? INET_DIAG_INFO : INET_DIAG_SKMEMINFO) - 1));
}

static unsigned request_all_tcp(char request[SOCK_DIAG_REQUEST_BYTES], enum sock_diag_kind kind,
				uint32_t sequence)
{
	const struct {
		struct nlmsghdr header;
		struct inet_diag_req body;
	} message = {
		.header = { .nlmsg_len = sizeof(message),
			    .nlmsg_type = TCPDIAG_GETSOCK,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
			    .nlmsg_seq = sequence },
		.body = { .idiag_ext = extensions_of(kind), .idiag_states = states_of(kind) },
	};

	_Static_assert(sizeof(message) <= SOCK_DIAG_REQUEST_BYTES, "it has room");
	memcpy(request, &message, sizeof(message));
	return sizeof(message);
}

unsigned sock_diag_request(char request[SOCK_DIAG_REQUEST_BYTES], uint8_t family, enum sock_diag_kind kind,
			   uint32_t sequence)
{
	const struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 body;
	} message = {
		.header = { .nlmsg_len = sizeof(message),
			    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
			    .nlmsg_seq = sequence },
		.body = { .sdiag_family = family,
			  .sdiag_protocol = kind == SOCK_DIAG_UDP ? IPPROTO_UDP : IPPROTO_TCP,
			  .idiag_ext = extensions_of(kind),
			  .idiag_states = states_of(kind) },
	};

	_Static_assert(sizeof(message) <= SOCK_DIAG_REQUEST_BYTES, "it has room");
	if (family == AF_UNSPEC)
		return request_all_tcp(request, kind, sequence);
	memcpy(request, &message, sizeof(message));
	return sizeof(message);
}

/* Up to 65535; printf(3) would take most of the time of a sample's own part. */
static char *put_number(char *out, unsigned number)
{
	char digits[5];
	unsigned n_digits = 0;

	do
		digits[n_digits++] = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	while (n_digits > 0)
		*out++ = digits[--n_digits];
	return out;
}

static char *put_ipv4(char *out, const unsigned char *bytes)
{
	for (unsigned i = 0; i < 4; i++) {
		out = put_number(out, bytes[i]);
		*out++ = i < 3 ? '.' : ':';
	}
	return out;
}

char *sock_diag_address(const struct sock_diag *diag, bool remote, char out[SOCK_DIAG_ADDRESS_MAX])
{
	static const unsigned char within[12] = { [10] = 0xff, [11] = 0xff };
	const unsigned char *bytes = remote ? diag->remote : diag->local;
	char *end = out;

	if (diag->family == AF_INET) {
		end = put_ipv4(out, bytes);
	} else if (memcmp(bytes, within, sizeof(within)) == 0) {
		end = put_ipv4(out, bytes + sizeof(within));
	} else {
		*end++ = '[';
		inet_ntop(AF_INET6, bytes, end, INET6_ADDRSTRLEN);
		end += strlen(end);
		*end++ = ']';
		*end++ = ':';
	}
	*put_number(end, remote ? diag->remote_port : diag->local_port) = '\0';
	return out;
}

const char *sock_diag_state(const struct sock_diag *diag, bool tcp)
{
	if (!tcp)
		return diag->state == ESTABLISHED ? N_("connected") : N_("open");
	return tcp_state_name(diag->state);
}
