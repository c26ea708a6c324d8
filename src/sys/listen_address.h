/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where --listen listens, as a user writes it. */
#ifndef PANETOP_SYS_LISTEN_ADDRESS_H
#define PANETOP_SYS_LISTEN_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

enum listen_kind {
	LISTEN_INTERNET,
	LISTEN_UNIX,    /* a socket that only its owner may use */
	LISTEN_SYSTEMD, /* sockets that were opened before panetop was started */
};

struct listen_address {
	enum listen_kind kind;
	const char *text;               /* as it was written; borrowed, as those below */
	const char *path;               /* UNIX */
	const char *names;              /* the names after it, separated by commas; may be empty */
	struct sockaddr_storage socket; /* INTERNET */
	socklen_t length;
};

/*
 * "127.0.0.1:9799", "[::1]:9799", "localhost:9799", "9799" (on 127.0.0.1), "unix:PATH" or "systemd"; behind
 * all but the path may be names that clients use for this host: "0.0.0.0:9799,web1,web1.example.org".
 */
bool listen_address_parse(struct listen_address *address, const char *text);

#endif
