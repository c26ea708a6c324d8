/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses are numbers: no name is looked up. */
#include <config.h>

#include "sys/listen_address.h"

#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/span.h"

#define UNIX_PREFIX "unix:"
#define HOST_MAX 128

/* Those of IPv6, without which the port may be part of the address. */
static bool take_brackets(struct span *address)
{
	if (!span_char(address, '['))
		return !memchr(address->at, ':', span_length(*address));
	if (address->at == address->end || address->end[-1] != ']')
		return false;
	address->end--;
	return true;
}

/* "ADDRESS:PORT", "[ADDRESS]:PORT" or "PORT". */
static bool split(struct span text, char host[HOST_MAX], struct span *port)
{
	const char *colon = memrchr(text.at, ':', span_length(text));
	struct span address = span_text("127.0.0.1");

	*port = text;
	if (colon) {
		address = span_of(text.at, (size_t)(colon - text.at));
		port->at = colon + 1;
		if (!take_brackets(&address))
			return false;
	}
	if (span_is(address, "localhost"))
		address = span_text("127.0.0.1");
	if (span_length(address) == 0 || span_length(address) >= HOST_MAX)
		return false;
	snprintf(host, HOST_MAX, "%.*s", (int)span_length(address), address.at);
	return true;
}

static bool parse_internet(struct listen_address *address, struct span text)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
				  .ai_socktype = SOCK_STREAM },
			*found;
	char host[HOST_MAX], service[8];
	struct span port;
	uint64_t number;

	if (!split(text, host, &port) || span_starts(port, " ") || !span_is_u64(port, &number) ||
	    number < 1 || number > UINT16_MAX)
		return false;
	snprintf(service, sizeof(service), "%u", (unsigned)number);
	if (getaddrinfo(host, service, &hints, &found) != 0)
		return false;
	memcpy(&address->socket, found->ai_addr, found->ai_addrlen);
	address->length = found->ai_addrlen;
	freeaddrinfo(found);
	return true;
}

bool listen_address_parse(struct listen_address *address, const char *text)
{
	const char *comma = strchr(text, ',');
	struct span first = span_of(text, comma ? (size_t)(comma - text) : strlen(text));

	*address = (struct listen_address){ .text = text, .names = comma ? comma + 1 : "" };
	if (strncmp(text, UNIX_PREFIX, strlen(UNIX_PREFIX)) == 0) {
		address->kind = LISTEN_UNIX;
		address->names = "";
		address->path = text + strlen(UNIX_PREFIX);
		return *address->path != '\0';
	}
	if (span_is(first, "systemd")) {
		address->kind = LISTEN_SYSTEMD;
		return true;
	}
	return parse_internet(address, first);
}
