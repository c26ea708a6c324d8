/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers HTTP requests in the loop of its program, by libmicrohttpd, which is loaded for it. Nothing wakes
 * the program while no client is connected. A client that idles, or takes long, makes room for others.
 */
#ifndef PANETOP_SYS_HTTP_SERVER_H
#define PANETOP_SYS_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "core/buffer.h"
#include "core/span.h"
#include "sys/loop.h"
#include "sys/user_file.h"

/* Where --listen listens, as a user writes it. */

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

/* The sockets that clients connect to: opened here, or handed over by systemd. */

struct listen_socket {
	int fd;                               /* owned, until it is given away; -1: none */
	const struct listen_address *address; /* borrowed */
	struct user_file *file;               /* of a UNIX socket; owned; NULL: none */
	ino_t inode;                          /* of that file; 0: not made */
};

/*
 * Opens the sockets of this address, non-blocking and close-on-exec, at most room. How many, or -1 after an
 * error message. What a UNIX socket leaves behind when its program is killed is replaced.
 */
int listen_socket_open(struct listen_socket *sockets, unsigned room, const struct listen_address *address);

/* Closes it, if it was not given away, and removes the file of a UNIX socket. */
void listen_socket_close(struct listen_socket *socket);

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
	struct http_connected *oldest, *newest;
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

/* Answers of an HTTP server, by libcurl, which is loaded when it is wanted. */

/* Takes bytes of an answer as they come. 0; or -errno with *why, translated, which ends it. */
typedef int http_take(void *context, struct span bytes, const char **why);

/* libcurl, or a script of a test; the first member of what it needs. */
struct http_client {
	/*
	 * Asks for this http or https URL; take is given the answer, uncompressed, of at most most bytes. It
	 * waits for some seconds at most, and follows no redirect. 0; or -errno with *why, translated, valid
	 * until the next call: no connection, no or another status than 200, an answer that is too long or
	 * ends early, or what take has against it.
	 */
	int (*get)(struct http_client *client, const char *url, size_t most, http_take *take, void *context,
		   const char **why);
	void (*close)(struct http_client *client);
};

/* By libcurl; NULL: *why says, translated, what is missing. */
struct http_client *http_client_open(const char **why);

#endif
