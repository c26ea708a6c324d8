/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers HTTP requests in the loop of its program, by libmicrohttpd, which is loaded for it. Nothing wakes
 * the program while no client is connected. A client that idles, or takes long, makes room for others.
 */
#ifndef PANETOP_SYS_HTTP_SERVER_H
#define PANETOP_SYS_HTTP_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/buffer.h"
#include "sys/listen_socket.h"
#include "sys/loop.h"

#define HTTP_SOCKETS_MAX 8
#define HTTP_CLIENTS_MAX 1024 /* at a time, where files allow it; the oldest gives way to another */

struct http_request {
	const char *method, *path;
	const char *host, *accept;            /* fields; NULL: missing */
	const struct listen_address *address; /* that it came to */
};

/* An answer, for any number of clients. All zero is none. */
struct http_page {
	unsigned status;
	struct MHD_Response *response;
};

struct http_server {
	struct loop *loop; /* borrowed; its wake belongs to the server */
	/* The page is borrowed until the call returns; NULL closes the connection. */
	const struct http_page *(*answer)(void *context, const struct http_request *request);
	void *context;
	struct http_library *library; /* owned */
	struct http_listener {
		struct http_server *server;
		struct listen_socket socket; /* its descriptor goes to the daemon */
		struct MHD_Daemon *daemon;   /* NULL: not started */
	} listeners[HTTP_SOCKETS_MAX];
	unsigned n_listeners;
	struct http_client *oldest, *newest;
	unsigned n_clients, clients_max;
};

/* Loads the library and opens the sockets of these addresses. 0, or 1 after an error message. */
int http_server_open(struct http_server *server, const struct listen_address *addresses,
		     unsigned n_addresses);

/* From now on requests are answered. 0, or 1 after an error message. */
int http_server_start(struct http_server *server, struct loop *loop);

/* To be called by loop->wake. */
void http_server_wake(struct http_server *server);
void http_server_close(struct http_server *server);

/* Takes the bytes from body, which is empty afterwards. */
void http_page_open(const struct http_server *server, struct http_page *page, unsigned status,
		    const char *type, struct buffer *body);
void http_page_header(const struct http_server *server, const struct http_page *page, const char *name,
		      const char *value);

/* Clients that are being sent the page get all of it. */
void http_page_close(const struct http_server *server, struct http_page *page);

#endif
