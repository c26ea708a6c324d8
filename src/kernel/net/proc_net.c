/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of /proc/net, some of which have numbers as this machine stores them. */
#include <config.h>

#include "kernel/net/proc_net.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"

/* bytes packets errs drop fifo frame compressed multicast; sent: … fifo colls carrier compressed */
static bool parse_traffic(struct span *line, bool sent, union net_traffic *traffic)
{
	uint64_t rest[2];

	for (size_t i = 0; i + 1 < N_NET_COUNTS; i++)
		if (!span_u64(line, &traffic->counts[i]))
			return false;
	if (!span_u64(line, &rest[0]) || !span_u64(line, &rest[1]))
		return false;
	traffic->carrier = sent ? rest[0] : 0;
	return true;
}

/* A name may hold a colon, as eth0:1 does: the last one before the numbers ends it. */
static bool take_name(struct span *line, struct span *name)
{
	const char *colon = NULL;

	while (line->at < line->end && *line->at == ' ')
		line->at++;
	for (const char *at = line->at; at < line->end && *at != ' '; at++)
		if (*at == ':')
			colon = at;
	if (!colon || colon == line->at)
		return false;
	*name = (struct span){ line->at, colon };
	line->at = colon + 1;
	return true;
}

bool net_interface_next(struct span *text, struct net_interface *interface)
{
	struct span line;

	while (span_line(text, &line))
		if (take_name(&line, &interface->name) && parse_traffic(&line, false, &interface->received) &&
		    parse_traffic(&line, true, &interface->sent))
			return true;
	return false;
}

/* Finds a number by the place of its name in the line of names; in snmp6 both are in one line. */
static bool is_of(struct span *line, const char *protocol)
{
	struct span name;

	return span_until(line, ':', &name) && span_is(name, protocol);
}

/* Numbers may be negative: MaxConn of TCP. */
uint64_t net_snmp_find(struct span text, const char *protocol, const char *name)
{
	struct span names, numbers, word;

	while (span_line(&text, &names)) {
		if (!is_of(&names, protocol))
			continue;
		if (!span_line(&text, &numbers) || !is_of(&numbers, protocol))
			return U64_UNKNOWN;
		while (span_word(&names, &word)) {
			struct span number;
			uint64_t value;

			if (!span_word(&numbers, &number))
				return U64_UNKNOWN;
			if (span_is(word, name))
				return span_is_u64(number, &value) ? value : U64_UNKNOWN;
		}
		return U64_UNKNOWN;
	}
	return U64_UNKNOWN;
}

uint64_t net_snmp6_find(struct span text, const char *name)
{
	struct span line, word, number;
	uint64_t value;

	while (span_line(&text, &line))
		if (span_word(&line, &word) && span_is(word, name))
			return span_word(&line, &number) && span_is_u64(number, &value) ? value : U64_UNKNOWN;
	return U64_UNKNOWN;
}

#define UNIX_LISTENS UINT64_C(0x10000) /* __SO_ACCEPTCON of its flags */
#define UNIX_CONNECTED 3

const char *tcp_state_name(uint64_t state)
{
	static const char *const states[] = { "",
					      N_("established"),
					      N_("syn-sent"),
					      N_("syn-recv"),
					      N_("fin-wait-1"),
					      N_("fin-wait-2"),
					      N_("time-wait"),
					      N_("closed"),
					      N_("close-wait"),
					      N_("last-ack"),
					      N_("listening"),
					      N_("closing"),
					      N_("syn-recv") };

	return state < sizeof(states) / sizeof(states[0]) ? states[state] : "";
}

/* Eight hexadecimal digits: 32 bits as this machine stores them. */
static bool take_word(struct span *text, uint32_t *word)
{
	struct span digits;
	uint64_t value;

	if (span_length(*text) < 8)
		return false;
	digits = span_of(text->at, 8);
	if (!span_hex(&digits, &value) || digits.at != digits.end)
		return false;
	text->at += 8;
	*word = (uint32_t)value;
	return true;
}

/* "0100007F:1F90"; port 0 is any. */
static bool parse_address(struct span text, char out[NET_ADDRESS_MAX], uint64_t *port)
{
	char address[INET6_ADDRSTRLEN];
	uint32_t words[4];
	size_t n_words = 0;

	while (n_words < 4 && take_word(&text, &words[n_words]))
		n_words++;
	if ((n_words != 1 && n_words != 4) || !span_char(&text, ':') || !span_hex(&text, port))
		return false;
	inet_ntop(n_words == 1 ? AF_INET : AF_INET6, words, address, sizeof(address));
	snprintf(out, NET_ADDRESS_MAX, n_words == 1 ? "%s:%u" : "[%s]:%u", address, (unsigned)*port);
	return true;
}

static bool skip_words(struct span *line, unsigned n)
{
	struct span word;

	while (n-- > 0)
		if (!span_word(line, &word))
			return false;
	return true;
}

static bool parse_socket(struct span line, bool tcp, struct net_socket *socket)
{
	uint64_t state, local_port, remote_port;
	struct span local, remote, word;

	if (!skip_words(&line, 1) || !span_word(&line, &local) || !span_word(&line, &remote) ||
	    !span_word(&line, &word) || !span_hex(&word, &state) || !skip_words(&line, 5) ||
	    !span_u64(&line, &socket->inode) || !parse_address(local, socket->local, &local_port) ||
	    !parse_address(remote, socket->remote, &remote_port))
		return false;
	if (remote_port == 0)
		socket->remote[0] = '\0';
	socket->state = tcp || state == 1 ? tcp_state_name(state) : "";
	return true;
}

bool net_socket_next(struct span *text, bool tcp, struct net_socket *socket)
{
	struct span line;

	while (span_line(text, &line))
		if (parse_socket(line, tcp, socket))
			return true;
	return false;
}

static bool parse_unix(struct span line, struct net_unix *socket)
{
	struct span flags, state;
	uint64_t bits, number;

	if (!skip_words(&line, 3) || !span_word(&line, &flags) || !span_hex(&flags, &bits) ||
	    !skip_words(&line, 1) || !span_word(&line, &state) || !span_hex(&state, &number) ||
	    !span_u64(&line, &socket->inode))
		return false;
	span_char(&line, ' ');
	socket->path = line;
	socket->state = bits & UNIX_LISTENS        ? N_("listening")
			: number == UNIX_CONNECTED ? N_("connected")
						   : "";
	return true;
}

bool net_unix_next(struct span *text, struct net_unix *socket)
{
	struct span line;

	while (span_line(text, &line))
		if (parse_unix(line, socket))
			return true;
	return false;
}

/* Lines such as "TCP: inuse 9 orphan 0 tw 2 alloc 12 mem 1" and "TCP6: inuse 3". */
uint64_t sockstat_tcp(struct span text)
{
	struct span line, word;
	uint64_t in_use;

	while (span_line(&text, &line))
		if (span_word(&line, &word) && (span_is(word, "TCP:") || span_is(word, "TCP6:")) &&
		    span_word(&line, &word) && span_is(word, "inuse") && span_u64(&line, &in_use))
			return in_use;
	return 0;
}

#define COLUMNS 13

static bool parse_softnet(struct span rest, struct softnet_line *line)
{
	uint64_t values[COLUMNS];
	struct span word;
	unsigned n = 0;

	for (; n < COLUMNS && span_word(&rest, &word); n++)
		if (!span_hex(&word, &values[n]) || span_length(word) > 0 || values[n] > UINT32_MAX)
			return false;
	if (n < 3)
		return false;
	*line = (struct softnet_line){
		.processed = (uint32_t)values[0],
		.dropped = (uint32_t)values[1],
		.squeezed = (uint32_t)values[2],
		.steered = n > 9 ? values[9] : U64_UNKNOWN,
		.limited = n > 10 ? values[10] : U64_UNKNOWN,
		.waiting = n > 12 ? values[11] : U64_UNKNOWN,
		.cpu = n > 12 ? values[12] : U64_UNKNOWN,
	};
	return true;
}

bool softnet_next(struct span *text, struct softnet_line *line)
{
	struct span rest;

	while (span_line(text, &rest))
		if (parse_softnet(rest, line))
			return true;
	return false;
}
