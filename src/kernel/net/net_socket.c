/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of /proc/net/tcp and its like, whose addresses are words as this machine stores them. */
#include <config.h>

#include "kernel/net/net_socket.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"

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

static bool parse_line(struct span line, bool tcp, struct net_socket *socket)
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
		if (parse_line(line, tcp, socket))
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
