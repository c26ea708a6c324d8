/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A daemon of libmicrohttpd for each socket, without a thread: its epoll descriptor is watched by the loop.
 * Each answer closes its connection, so that none is left that has to time out between two scrapes.
 */
#include <config.h>

#include "sys/http_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "sys/error_message.h"
#include "sys/machine_clock.h"

#ifdef HAVE_MICROHTTPD
#include <dlfcn.h>
#include <microhttpd.h>

#define LIBRARY "libmicrohttpd.so.12"
#define NOT_LOADED _("libmicrohttpd is not installed; install it (in Debian libmicrohttpd12)")
#define REQUEST_BYTES_MAX 6144 /* of its head and that of the answer; a client cannot take more memory */
#define IDLE_SECONDS 5u        /* without a byte either way */
#define CLIENT_SECONDS 30      /* a client that takes longer ends when the next one comes */
#define FILES_SHARE 8          /* of open files: half of them are for samples */

/* The functions in use. */
struct http_library {
	void *library;
	struct MHD_Daemon *(*start)(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback policy,
				    void *policy_context, MHD_AccessHandlerCallback handler, void *context,
				    ...);
	void (*stop)(struct MHD_Daemon *daemon);
	enum MHD_Result (*run)(struct MHD_Daemon *daemon);
	enum MHD_Result (*timeout)(struct MHD_Daemon *daemon, MHD_UNSIGNED_LONG_LONG *ms);
	const union MHD_DaemonInfo *(*daemon_info)(struct MHD_Daemon *daemon, enum MHD_DaemonInfoType type,
						   ...);
	const union MHD_ConnectionInfo *(*connection_info)(struct MHD_Connection *connection,
							   enum MHD_ConnectionInfoType type, ...);
	const char *(*field)(struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *name);
	struct MHD_Response *(*response)(size_t size, void *bytes, enum MHD_ResponseMemoryMode mode);
	enum MHD_Result (*header)(struct MHD_Response *response, const char *name, const char *value);
	enum MHD_Result (*queue)(struct MHD_Connection *connection, unsigned status,
				 struct MHD_Response *response);
	void (*release)(struct MHD_Response *response);
};

/* In the order of their beginning. */
struct http_client {
	struct http_client *older, *newer;
	time_t began;
	int fd;
	bool listed; /* not shut down */
};

static bool load(struct http_library *library)
{
	void *opened = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	library->library = opened;
	if (!opened)
		return false;
	*(void **)&library->start = dlsym(opened, "MHD_start_daemon");
	*(void **)&library->stop = dlsym(opened, "MHD_stop_daemon");
	*(void **)&library->run = dlsym(opened, "MHD_run");
	*(void **)&library->timeout = dlsym(opened, "MHD_get_timeout");
	*(void **)&library->daemon_info = dlsym(opened, "MHD_get_daemon_info");
	*(void **)&library->connection_info = dlsym(opened, "MHD_get_connection_info");
	*(void **)&library->field = dlsym(opened, "MHD_lookup_connection_value");
	*(void **)&library->response = dlsym(opened, "MHD_create_response_from_buffer");
	*(void **)&library->header = dlsym(opened, "MHD_add_response_header");
	*(void **)&library->queue = dlsym(opened, "MHD_queue_response");
	*(void **)&library->release = dlsym(opened, "MHD_destroy_response");
	return library->start && library->stop && library->run && library->timeout && library->daemon_info &&
	       library->connection_info && library->field && library->response && library->header &&
	       library->queue && library->release;
}

static time_t now_seconds(void)
{
	return (time_t)(real_mono_ns() / 1000000000);
}

static void unlist(struct http_server *server, struct http_client *client)
{
	if (!client->listed)
		return;
	*(client->older ? &client->older->newer : &server->oldest) = client->newer;
	*(client->newer ? &client->newer->older : &server->newest) = client->older;
	client->listed = false;
	server->n_clients--;
}

/* The daemon closes the connection when it sees its end; until then it counts for the limit of the daemon. */
static void make_room(struct http_server *server, time_t now)
{
	struct http_client *oldest = server->oldest;

	while (oldest && (server->n_clients > server->clients_max || now - oldest->began > CLIENT_SECONDS)) {
		shutdown(oldest->fd, SHUT_RDWR);
		unlist(server, oldest);
		oldest = server->oldest;
	}
}

static void begin_client(struct http_server *server, struct http_client *client)
{
	client->began = now_seconds();
	client->listed = true;
	client->older = server->newest;
	*(client->older ? &client->older->newer : &server->oldest) = client;
	server->newest = client;
	server->n_clients++;
	make_room(server, client->began);
}

static void on_connection(void *context, struct MHD_Connection *connection, void **kept,
			  enum MHD_ConnectionNotificationCode code)
{
	struct http_server *server = ((struct http_listener *)context)->server;
	struct http_client *client = *kept;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*kept = client = alloc_zeroed(1, sizeof(*client));
		client->fd = server->library->connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
				     ->connect_fd;
		begin_client(server, client);
		return;
	}
	unlist(server, client);
	free(client);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *path,
				  const char *method, const char *version, const char *data, size_t *size,
				  void **kept)
{
	struct http_listener *listener = context;
	struct http_server *server = listener->server;
	struct http_request request = {
		.method = method,
		.path = path,
		.host = server->library->field(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST),
		.accept = server->library->field(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT),
		.address = listener->socket.address,
	};
	const struct http_page *page = server->answer(server->context, &request);

	(void)version;
	(void)data;
	(void)size;
	(void)kept;
	return page && page->response ? server->library->queue(connection, page->status, page->response)
				      : MHD_NO;
}

/* Until the next of the daemons has something to do by itself; 0: none has. */
static uint64_t next_wake_ns(const struct http_server *server)
{
	uint64_t least = 0;

	for (unsigned i = 0; i < server->n_listeners; i++) {
		MHD_UNSIGNED_LONG_LONG ms;
		uint64_t ns;

		if (server->library->timeout(server->listeners[i].daemon, &ms) != MHD_YES)
			continue;
		ns = ms == 0 ? 1 : (uint64_t)ms * 1000000;
		if (least == 0 || ns < least)
			least = ns;
	}
	return least;
}

void http_server_wake(struct http_server *server)
{
	for (unsigned i = 0; i < server->n_listeners; i++)
		server->library->run(server->listeners[i].daemon);
	loop_wake_in(server->loop, next_wake_ns(server));
}

static void on_ready(void *context, uint32_t events)
{
	struct http_listener *listener = context;
	struct http_server *server = listener->server;

	(void)events;
	server->library->run(listener->daemon);
	loop_wake_in(server->loop, next_wake_ns(server));
}

/* As many as the limit of open files leaves for them. */
static unsigned clients_max(void)
{
	struct rlimit files;
	unsigned most = HTTP_CLIENTS_MAX;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur / FILES_SHARE < most)
		most = (unsigned)(files.rlim_cur / FILES_SHARE);
	return most > 0 ? most : 1;
}

static int start_listener(struct http_server *server, struct http_listener *listener)
{
	const struct http_library *library = server->library;
	int error;

	listener->daemon =
		library->start(MHD_USE_EPOLL, 0, NULL, NULL, on_request, listener, MHD_OPTION_LISTEN_SOCKET,
			       listener->socket.fd, MHD_OPTION_CONNECTION_LIMIT, 2 * server->clients_max,
			       MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
			       MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES_MAX,
			       MHD_OPTION_NOTIFY_CONNECTION, on_connection, listener, MHD_OPTION_END);
	if (!listener->daemon) {
		error_message("--listen", _("'%s': libmicrohttpd could not be started"),
			      listener->socket.address->text);
		return 1;
	}
	listener->socket.fd = -1;
	error = loop_watch(server->loop,
			   library->daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
			   EPOLLIN, on_ready, listener);
	if (error)
		error_message("epoll", "%s", strerror(-error));
	return error ? 1 : 0;
}

int http_server_start(struct http_server *server, struct loop *loop)
{
	server->loop = loop;
	server->clients_max = clients_max();
	for (unsigned i = 0; i < server->n_listeners; i++)
		if (start_listener(server, &server->listeners[i]) != 0)
			return 1;
	return 0;
}

void http_page_open(const struct http_server *server, struct http_page *page, unsigned status,
		    const char *type, struct buffer *body)
{
	page->status = status;
	if (body->length > 0) /* it may stay for a while */
		body->bytes = alloc_resize(body->bytes, body->length, 1);
	page->response = server->library->response(body->length, body->bytes, MHD_RESPMEM_MUST_FREE);
	if (page->response)
		*body = (struct buffer){ 0 };
	else
		buffer_empty(body);
	http_page_header(server, page, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	http_page_header(server, page, MHD_HTTP_HEADER_CONNECTION, "close");
	http_page_header(server, page, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	http_page_header(server, page, "X-Content-Type-Options", "nosniff");
}

void http_page_header(const struct http_server *server, const struct http_page *page, const char *name,
		      const char *value)
{
	if (page->response)
		server->library->header(page->response, name, value);
}

void http_page_close(const struct http_server *server, struct http_page *page)
{
	if (page->response)
		server->library->release(page->response);
	*page = (struct http_page){ 0 };
}

static void stop_listener(struct http_server *server, struct http_listener *listener)
{
	if (listener->daemon)
		server->library->stop(listener->daemon);
	listener->daemon = NULL;
}

static void unload(struct http_library *library)
{
	if (library->library)
		dlclose(library->library);
}
#else
#define NOT_LOADED _("panetop was built without libmicrohttpd")

struct http_library {
	char none;
};

static bool load(struct http_library *library)
{
	(void)library;
	return false;
}

static void unload(struct http_library *library)
{
	(void)library;
}

static void stop_listener(struct http_server *server, struct http_listener *listener)
{
	(void)server;
	(void)listener;
}

int http_server_start(struct http_server *server, struct loop *loop)
{
	server->loop = loop;
	return 1;
}

void http_server_wake(struct http_server *server)
{
	(void)server;
}

void http_page_open(const struct http_server *server, struct http_page *page, unsigned status,
		    const char *type, struct buffer *body)
{
	(void)server;
	(void)page;
	(void)status;
	(void)type;
	buffer_empty(body);
}

void http_page_header(const struct http_server *server, const struct http_page *page, const char *name,
		      const char *value)
{
	(void)server;
	(void)page;
	(void)name;
	(void)value;
}

void http_page_close(const struct http_server *server, struct http_page *page)
{
	(void)server;
	(void)page;
}
#endif

static int open_sockets(struct http_server *server, const struct listen_address *address)
{
	struct listen_socket sockets[HTTP_SOCKETS_MAX];
	int count = listen_socket_open(sockets, HTTP_SOCKETS_MAX - server->n_listeners, address);

	for (int i = 0; i < count; i++)
		server->listeners[server->n_listeners++] =
			(struct http_listener){ .server = server, .socket = sockets[i] };
	return count < 0 ? 1 : 0;
}

int http_server_open(struct http_server *server, const struct listen_address *addresses, unsigned n_addresses)
{
	int status = 0;

	server->library = alloc_zeroed(1, sizeof(*server->library));
	if (!load(server->library)) {
		error_message("--listen", "%s", NOT_LOADED);
		return 1;
	}
	for (unsigned i = 0; i < n_addresses && status == 0; i++)
		status = open_sockets(server, &addresses[i]);
	return status;
}

void http_server_close(struct http_server *server)
{
	for (unsigned i = 0; i < server->n_listeners; i++) {
		stop_listener(server, &server->listeners[i]);
		listen_socket_close(&server->listeners[i].socket);
	}
	server->n_listeners = 0;
	if (server->library)
		unload(server->library);
	free(server->library);
	server->library = NULL;
}
