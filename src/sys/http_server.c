/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A daemon of libmicrohttpd for each socket, without a thread: its epoll descriptor is watched by the loop.
 * Each answer closes its connection, so that none is left that has to time out between two scrapes.
 */
#include <config.h>

#include "sys/http_server.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/span.h"
#include "sys/descriptor.h"
#include "sys/machine.h"

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
struct http_connected {
	struct http_connected *older, *newer;
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

static void unlist(struct http_server *server, struct http_connected *client)
{
	if (!client->listed)
		return;
	*(client->older ? &client->older->newer : &server->oldest) = client->newer;
	*(client->newer ? &client->newer->older : &server->newest) = client->older;
	client->listed = false;
	server->n_clients--;
}

/* A daemon closes a connection when it sees its end; until then it counts for the limit of the daemon. */
static void begin_client(struct http_server *server, struct http_connected *client)
{
	struct http_connected *oldest;

	client->began = (time_t)(real_mono_ns() / 1000000000);
	client->listed = true;
	client->older = server->newest;
	*(client->older ? &client->older->newer : &server->oldest) = client;
	server->newest = client;
	server->n_clients++;
	while ((oldest = server->oldest) && (server->n_clients > server->clients_max ||
					     client->began - oldest->began > CLIENT_SECONDS)) {
		shutdown(oldest->fd, SHUT_RDWR);
		unlist(server, oldest);
	}
}

static void on_connection(void *context, struct MHD_Connection *connection, void **kept,
			  enum MHD_ConnectionNotificationCode code)
{
	struct http_server *server = ((struct http_listener *)context)->server;
	struct http_connected *client = *kept;

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

/* Addresses are numbers: no name is looked up. */

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

/* Binds; takes what LISTEN_FDS of sd_listen_fds(3) says; removes its own files. */

#define OPTION "--listen"
#define BACKLOG 1024
#define FIRST_FD 3 /* SD_LISTEN_FDS_START */
#define NOT_A_SOCKET _("this is not a socket; remove it or choose another path")

static int refuse(const struct listen_address *address, const char *why)
{
	error_message(OPTION, "'%s': %s", address->text, why);
	return -1;
}

static const char *bind_error(int error)
{
	switch (error) {
	case EADDRINUSE:
		return _("another program listens there; stop it or choose another port");
	case EADDRNOTAVAIL:
		return _("this machine does not have this address; see ip address");
	case EACCES:
		return _("ports below 1024 need cap_net_bind_service; choose a higher one, "
			 "or a socket of systemd");
	default:
		return strerror(error);
	}
}

static int open_internet(struct listen_socket *opened, const struct listen_address *address)
{
	int family = address->socket.ss_family, yes = 1;
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return refuse(address, strerror(errno));
	opened->fd = fd;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (family == AF_INET6) /* 0.0.0.0 can be listened on beside [::] */
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
	if (bind(fd, (const struct sockaddr *)&address->socket, address->length) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return 1;
	return refuse(address, bind_error(errno));
}

/* Does a program listen at this socket? */
static bool is_in_use(const struct sockaddr_un *name)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool in_use = fd >= 0 &&
		      (connect(fd, (const struct sockaddr *)name, sizeof(*name)) == 0 || errno == EAGAIN);

	descriptor_close(fd);
	return in_use;
}

/* NULL: there is nothing, or there was a socket without a program. Else why it stays. */
static const char *clear_place(const struct user_file *file, const struct sockaddr_un *name)
{
	if (!file->has_access)
		return NULL;
	if (!S_ISSOCK(file->mode))
		return NOT_A_SOCKET;
	if (is_in_use(name))
		return _("another program listens there; stop it or choose another path");
	if (file->user != geteuid())
		return _("this socket belongs to another user; remove it or choose another path");
	user_file_remove(file);
	return NULL;
}

/* NULL, or why there is no socket. */
static const char *make_unix(struct listen_socket *made, const char *path, char *text, size_t room)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	struct stat status;
	const char *why;
	mode_t mask;
	int error = user_file_open(made->file, path, 0);

	/* By its directory, which stays the same whatever becomes of the path. */
	if (!error && snprintf(name.sun_path, sizeof(name.sun_path), "/proc/self/fd/%d/%s",
			       made->file->directory, made->file->name) >= (int)sizeof(name.sun_path))
		error = -ENAMETOOLONG;
	if (error == -EISDIR)
		return NOT_A_SOCKET;
	if (error) {
		user_file_error_text(made->file, error, text, room);
		return text;
	}
	why = clear_place(made->file, &name);
	if (why)
		return why;
	made->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	error = made->fd < 0 ? errno : 0;
	mask = umask(S_IXUSR | S_IRWXG | S_IRWXO); /* it is private */
	if (!error && bind(made->fd, (const struct sockaddr *)&name, sizeof(name)) < 0)
		error = errno;
	umask(mask);
	if (error)
		return strerror(error);
	if (fstatat(made->file->directory, made->file->name, &status, AT_SYMLINK_NOFOLLOW) == 0)
		made->inode = status.st_ino;
	return listen(made->fd, BACKLOG) == 0 ? NULL : strerror(errno);
}

static bool is_number(const char *text, uint64_t *number)
{
	return text && span_is_u64(span_text(text), number);
}

static bool listens(int fd)
{
	int listening = 0, type = 0;
	socklen_t length = sizeof(listening);

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) == 0 && listening &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
}

static int take_from_systemd(struct listen_socket *sockets, unsigned room,
			     const struct listen_address *address)
{
	uint64_t pid, count;

	if (!is_number(secure_getenv("LISTEN_PID"), &pid) || pid != (uint64_t)getpid() ||
	    !is_number(secure_getenv("LISTEN_FDS"), &count) || count == 0)
		return refuse(address, _("no socket was handed over; start panetop by a socket unit"));
	if (count > room)
		return refuse(address, _("there are too many sockets"));
	for (int i = 0; i < (int)count; i++) {
		int fd = FIRST_FD + i;

		if (!listens(fd))
			return refuse(address,
				      _("a handed over descriptor is not a listening stream socket"));
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
		sockets[i] = (struct listen_socket){ .fd = fd, .address = address };
	}
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	return (int)count;
}

int listen_socket_open(struct listen_socket *sockets, unsigned room, const struct listen_address *address)
{
	char text[TEXT_MAX];
	const char *why;
	int count = 1;

	if (room == 0)
		return refuse(address, _("there are too many sockets"));
	*sockets = (struct listen_socket){ .fd = -1, .address = address };
	if (address->kind == LISTEN_SYSTEMD)
		return take_from_systemd(sockets, room, address);
	if (address->kind == LISTEN_UNIX) {
		sockets->file = alloc_zeroed(1, sizeof(*sockets->file));
		why = make_unix(sockets, address->path, text, sizeof(text));
		if (why)
			count = refuse(address, why);
	} else {
		count = open_internet(sockets, address);
	}
	if (count < 0)
		listen_socket_close(sockets);
	return count;
}

void listen_socket_close(struct listen_socket *socket)
{
	struct stat status;

	descriptor_close(socket->fd);
	if (socket->file) {
		/* another program may have its socket there by now */
		if (socket->inode != 0 &&
		    fstatat(socket->file->directory, socket->file->name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    status.st_ino == socket->inode)
			user_file_remove(socket->file);
		user_file_close(socket->file);
		free(socket->file);
	}
	*socket = (struct listen_socket){ .fd = -1 };
}

/* One connection of libcurl, which is kept open between answers. */

#ifdef HAVE_CURL

#include <curl/curl.h>
#include <dlfcn.h>

#define CURL_NOT_LOADED _("libcurl is not installed; install it (in Debian libcurl4)")
#define CONNECT_MS 2000L
#define ANSWER_MS 5000L
#define STATUS_GOOD 200

#define CURL_LIBRARY "libcurl.so.4"

struct curl_client {
	struct http_client client;
	void *library;
	CURL *curl;
	char error[CURL_ERROR_SIZE];
	http_take *take;
	void *context;
	size_t left; /* bytes that may still come */
	int refused; /* -errno, with … */
	const char *why_refused;
	char why[CURL_ERROR_SIZE + 64];

	CURL *(*init)(void);
	void (*cleanup)(CURL *curl);
	CURLcode (*set)(CURL *curl, CURLoption option, ...);
	CURLcode (*perform)(CURL *curl);
	CURLcode (*info)(CURL *curl, CURLINFO info, ...);
	const char *(*text)(CURLcode code);
};

static bool load_curl(struct curl_client *client)
{
	client->library = dlopen(CURL_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	if (!client->library)
		return false;
	*(void **)&client->init = dlsym(client->library, "curl_easy_init");
	*(void **)&client->cleanup = dlsym(client->library, "curl_easy_cleanup");
	*(void **)&client->set = dlsym(client->library, "curl_easy_setopt");
	*(void **)&client->perform = dlsym(client->library, "curl_easy_perform");
	*(void **)&client->info = dlsym(client->library, "curl_easy_getinfo");
	*(void **)&client->text = dlsym(client->library, "curl_easy_strerror");
	return client->init && client->cleanup && client->set && client->perform && client->info &&
	       client->text;
}

/* Another number than that of the bytes ends the answer, as below. Those with another status are left out. */
static size_t take(char *bytes, size_t size, size_t n, void *context)
{
	struct curl_client *client = context;
	size_t length = size * n;
	long status = 0;

	client->info(client->curl, CURLINFO_RESPONSE_CODE, &status);
	if (length > client->left) {
		client->refused = -EMSGSIZE;
		client->why_refused = _("the answer is too long");
	} else if (status == STATUS_GOOD)
		client->refused = client->take(client->context, span_of(bytes, length), &client->why_refused);
	client->left -= client->refused ? 0 : length;
	return client->refused ? 0 : length;
}

/* In whatever case, of ASCII, and locale. */
static bool is_word(struct span text, const char *word)
{
	size_t length = strlen(word), i = 0;

	while (i < length && i < span_length(text) && (text.at[i] | ' ') == word[i])
		i++;
	return i == length && span_length(text) == length;
}

/* libcurl unpacks what it can, also what it did not accept: of other forms the window may have any size. */
static size_t take_header(char *bytes, size_t size, size_t n, void *context)
{
	struct curl_client *client = context;
	struct span value = span_of(bytes, size * n), name;

	if (!span_until(&value, ':', &name) || !is_word(name, "content-encoding"))
		return size * n;
	while (value.at < value.end && (unsigned char)value.end[-1] <= ' ')
		value.end--;
	value = span_trimmed(value);
	if (is_word(value, "gzip") || is_word(value, "identity"))
		return size * n;
	client->refused = -EPROTO;
	client->why_refused = _("the answer is compressed in another way than gzip");
	return 0;
}

static void set_up(struct curl_client *client)
{
	client->set(client->curl, CURLOPT_ERRORBUFFER, client->error);
	client->set(client->curl, CURLOPT_HEADERFUNCTION, take_header);
	client->set(client->curl, CURLOPT_HEADERDATA, (void *)client);
	client->set(client->curl, CURLOPT_WRITEFUNCTION, take);
	client->set(client->curl, CURLOPT_WRITEDATA, (void *)client);
	client->set(client->curl, CURLOPT_NOSIGNAL, 1L);
	client->set(client->curl, CURLOPT_FOLLOWLOCATION, 0L);
	client->set(client->curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	client->set(client->curl, CURLOPT_TIMEOUT_MS, ANSWER_MS);
	client->set(client->curl, CURLOPT_ACCEPT_ENCODING, "gzip");
	client->set(client->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	client->set(client->curl, CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
}

static void close_client(struct http_client *of)
{
	struct curl_client *client = (struct curl_client *)of;

	if (client->curl)
		client->cleanup(client->curl);
	free(client); /* the library stays: those of TLS do not like to go */
}

static int failed(struct curl_client *client, CURLcode code, const char **why)
{
	if (client->refused)
		*why = client->why_refused;
	else if (code == CURLE_OPERATION_TIMEDOUT)
		*why = _("no answer came in time");
	else {
		snprintf(client->why, sizeof(client->why),
			 code == CURLE_SSL_CONNECT_ERROR ? _("%s; without encryption it is http:") : "%s",
			 *client->error ? client->error : client->text(code));
		*why = client->why;
	}
	return client->refused ? client->refused : code == CURLE_OPERATION_TIMEDOUT ? -ETIMEDOUT : -EIO;
}

/* What to do about it, with the status. */
static const char *why_of_status(long status)
{
	if (status >= 300 && status < 400)
		return _("it answers with status %ld and another address, which is not followed: give that "
			 "one");
	if (status == 401 || status == 403)
		return _("it answers with status %ld: give a user and password, as in "
			 "http://USER:PASSWORD@HOST");
	if (status == 404)
		return _("it answers with status %ld: nothing is at this path");
	return _("it answers with status %ld");
}

static int get(struct http_client *of, const char *url, size_t most, http_take *take_bytes, void *context,
	       const char **why)
{
	struct curl_client *client = (struct curl_client *)of;
	long status = 0;
	CURLcode code;

	client->take = take_bytes;
	client->context = context;
	client->left = most;
	client->refused = 0;
	*client->error = '\0';
	client->set(client->curl, CURLOPT_URL, url);
	code = client->perform(client->curl);
	if (code != CURLE_OK)
		return failed(client, code, why);
	client->info(client->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status == STATUS_GOOD)
		return 0;
	snprintf(client->why, sizeof(client->why), why_of_status(status), status);
	*why = client->why;
	return -EPROTO;
}

struct http_client *http_client_open(const char **why)
{
	struct curl_client *client = alloc_zeroed(1, sizeof(*client));

	client->client = (struct http_client){ get, close_client };
	client->curl = load_curl(client) ? client->init() : NULL;
	if (!client->curl) {
		close_client(&client->client);
		*why = CURL_NOT_LOADED;
		return NULL;
	}
	set_up(client);
	return &client->client;
}

#else

struct http_client *http_client_open(const char **why)
{
	*why = _("panetop was built without libcurl");
	return NULL;
}

#endif
