/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which format a client prefers, by which host name it came, where to listen as a user writes it, and the
 * sockets for it.
 */
#include "suite.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "core/http_header.h"
#include "sys/descriptor.h"
#include "sys/http_server.h"

START_TEST(who_names_openmetrics_gets_it)
{
#define OPENMETRICS "application/openmetrics-text"
	static const struct {
		const char *accept;
		bool prefers;
	} cases[] = {
		{ OPENMETRICS, true },
		{ " " OPENMETRICS " ; version=\"0.0.1\" ", true },
		{ "Application/OpenMetrics-Text", true },
		{ "text/html,," OPENMETRICS, true },
		{ OPENMETRICS ";q=0.5,text/plain;q=0.5", true },
		/* Prometheus 2.42 and 3.0 */
		{ OPENMETRICS ";version=1.0.0," OPENMETRICS ";version=0.0.1;q=0.75,"
		  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", true },
		{ OPENMETRICS ";version=1.0.0;escaping=allow-utf-8;q=0.5," OPENMETRICS ";version=0.0.1;q=0.4,"
		  "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,"
		  "text/plain;version=0.0.4;q=0.2,*/*;q=0.1", true },
		{ "", false },
		{ "*/*", false },
		{ "text/plain", false },
		{ OPENMETRICS ";version=2.0.0", false },
		{ OPENMETRICS ";q=0", false },
		{ OPENMETRICS ";q=0.4, text/*;q=0.41", false },
		{ OPENMETRICS ";q=0.9, */*", false },
		{ OPENMETRICS "ual", false },
		{ "text/plain;x=\"," OPENMETRICS ",\"", false }, /* a comma in quotes separates nothing */
		{ OPENMETRICS ";q=x, */*;q=0.1", false }, /* a malformed weight is none */
		{ OPENMETRICS ";q=1x", false },
		{ ";;;q=1,;,=,", false },
		{ "\"", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(http_prefers_openmetrics(span_text(cases[i].accept)) == cases[i].prefers, "%s",
			      cases[i].accept);
}

START_TEST(hosts_lose_port_and_brackets)
{
	static const struct {
		const char *field, *host; /* NULL: it is malformed */
	} cases[] = {
		{ "example.org", "example.org" }, { "example.org:80", "example.org" },
		{ " 127.0.0.1:9799\t", "127.0.0.1" }, { "[::1]", "::1" },
		{ "[::1]:9799", "::1" }, { "name:", "name" },
		{ "", NULL }, { ":80", NULL }, { "[]", NULL }, { "[::1", NULL },
		{ "[::1]x", NULL }, { "::1", NULL }, { "name:80x", NULL }, { "a:1:2", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span host;
		bool good = http_host(span_text(cases[i].field), &host);

		ck_assert_msg(cases[i].host ? good && span_is(host, cases[i].host) : !good, "%s",
			      cases[i].field);
	}
}

START_TEST(addresses_and_own_names_are_known)
{
#define NAMES "web1,web1.example.org"
	static const struct {
		const char *field, *names;
		bool is_known;
	} cases[] = {
		{ "127.0.0.1:9799", NULL, true },
		{ "192.0.2.7", "", true },
		{ "[2001:db8::1]:1", "", true },
		{ "localhost", "", true },
		{ "LocalHost.:80", "", true },
		{ "web1", NAMES, true },
		{ "WEB1.example.org.", NAMES, true },
		{ "example.org", "", false },
		{ "example.org", "www.example.org,org,example.or", false },
		{ "localhost.example.org", "", false },
		{ "127.0.0.1.example.org", "", false },
		{ "127.0.0.256", "", false },
		{ "127.1", "", false },
		{ "2130706433", "", false },
		{ ".", ",,", false },
		{ "", ",,", false },
		{ "0123456789012345678901234567890123456789012345678901234567890", "", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(http_host_is_known(span_text(cases[i].field), cases[i].names) ==
				      cases[i].is_known, "%s", cases[i].field);
}

static struct listen_address parsed(const char *text)
{
	struct listen_address address;

	ck_assert_msg(listen_address_parse(&address, text), "%s", text);
	ck_assert_str_eq(address.text, text);
	return address;
}

/* "internet 127.0.0.1:80 (web1)": its kind, place and names. */
static const char *place_of(const char *text)
{
	const struct listen_address address = parsed(text);
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address.socket;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address.socket;
	char host[INET6_ADDRSTRLEN];
	bool is_v6 = address.socket.ss_family == AF_INET6;

	if (address.kind != LISTEN_INTERNET)
		return textf("%s (%s)", address.kind == LISTEN_UNIX ? address.path : "systemd",
			     address.names);
	inet_ntop(is_v6 ? AF_INET6 : AF_INET, is_v6 ? (const void *)&v6->sin6_addr : &v4->sin_addr, host,
		  sizeof(host));
	return textf("%s %u (%s)", host, ntohs(v4->sin_port), address.names); /* at the same place in IPv6 */
}

START_TEST(addresses_are_numbers)
{
	static const struct {
		const char *text, *place;
	} cases[] = {
		{ "127.0.0.1:9799", "127.0.0.1 9799 ()" },
		{ "9799", "127.0.0.1 9799 ()" },
		{ "localhost:1", "127.0.0.1 1 ()" },
		{ "0.0.0.0:65535,web1,web1.example.org", "0.0.0.0 65535 (web1,web1.example.org)" },
		{ "[::1]:9799", "::1 9799 ()" },
		{ "[::]:80,web1", ":: 80 (web1)" },
		{ "unix:/run/panetop,x.sock", "/run/panetop,x.sock ()" },
		{ "systemd,web1", "systemd (web1)" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_str_eq(place_of(cases[i].text), cases[i].place);
}

START_TEST(what_is_no_address_is_refused)
{
	static const char *const wrong[] = {
		"", ",", "x", "0", "65536", "-1", " 9799", "9799 ", ":9799", "127.0.0.1", "127.0.0.1:",
		"127.0.0.1:x", "1:2:3", "::1:9799", "[::1]", "[::1:9799", "[]:9799", "[127.0.0.1:9799",
		"example.org:80", "unix:", "unix", "systemd:1", "999.0.0.1:80", "[::1]9799",
	};
	struct listen_address address;
	char longest[300] = "";

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!listen_address_parse(&address, wrong[i]), "'%s'", wrong[i]);
	memset(longest, '1', sizeof(longest) - 6);
	memcpy(longest + sizeof(longest) - 6, ":9799", 6);
	ck_assert(!listen_address_parse(&address, longest));
}

/* A place for sockets, and what was told of the last one that could not be opened. */
static char place[SCRATCH_PATH_MAX];
static size_t told;

static void make_place(void)
{
	ck_assert_int_eq(dup2(open("/dev/null", O_WRONLY), STDERR_FILENO), STDERR_FILENO);
	scratch_directory(place, "listen");
}

static bool was_told(const char *why)
{
	const char *log = error_message_log() + told;

	told += strlen(log);
	return *why ? strstr(log, why) != NULL : *log == '\0';
}

static struct listen_address unix_address(const char *name)
{
	return parsed(textf("unix:%s/%s", place, name));
}

static bool exists(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0;
}

static void check_listens(const struct listen_socket *socket)
{
	int listening = 0;
	socklen_t length = sizeof(listening);

	ck_assert_int_eq(getsockopt(socket->fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length), 0);
	ck_assert_int_eq(listening, 1);
	ck_assert_int_eq(fcntl(socket->fd, F_GETFD), FD_CLOEXEC);
	ck_assert(fcntl(socket->fd, F_GETFL) & O_NONBLOCK);
}

START_TEST(a_socket_in_a_directory_is_of_its_owner_alone)
{
	struct listen_socket first, second;
	struct listen_address address;
	struct stat status;

	make_place();
	address = unix_address("socket");
	umask(0);
	ck_assert_int_eq(listen_socket_open(&first, 1, &address), 1);
	check_listens(&first);
	ck_assert_ptr_eq(first.address, &address);
	ck_assert_int_eq(stat(address.path, &status), 0);
	ck_assert(S_ISSOCK(status.st_mode) && (status.st_mode & 0777) == 0600);
	ck_assert_uint_eq(status.st_ino, first.inode);
	ck_assert_int_eq(umask(0), 0); /* as it was */
	ck_assert_int_eq(listen_socket_open(&second, 1, &address), -1);
	ck_assert(was_told("another program listens there"));
	ck_assert(second.fd == -1 && exists(address.path));
	listen_socket_close(&first);
	ck_assert(first.fd == -1 && !exists(address.path));
	listen_socket_close(&first);
}

/* Of a program that was killed; what came in its place is left. */
START_TEST(a_socket_that_was_left_is_replaced)
{
	struct listen_socket first, second;
	struct listen_address address;
	const char *other;

	make_place();
	address = unix_address("socket");
	ck_assert_int_eq(listen_socket_open(&first, 1, &address), 1);
	close(first.fd);
	first.fd = -1; /* given away */
	ck_assert_int_eq(listen_socket_open(&second, 1, &address), 1);
	check_listens(&second);
	ck_assert(was_told(""));
	listen_socket_close(&first); /* it is not its file any more */
	ck_assert(exists(address.path));
	other = textf("%s/other", place);
	ck_assert_int_eq(rename(address.path, other), 0);
	listen_socket_close(&second);
	ck_assert(exists(other));
}

START_TEST(what_is_no_socket_is_left)
{
	static const char *const words[] = { "not a socket", "not a socket", "there is no directory" };
	struct listen_socket socket;
	const char *path;

	make_place();
	path = textf("%s/x", place);
	for (int i = 0; i < 3; i++) {
		struct listen_address address = unix_address(i == 2 ? "none/x" : "x");

		if (i == 0)
			close(creat(path, 0600));
		else if (i == 1)
			ck_assert(unlink(path) == 0 && mkdir(path, 0700) == 0);
		ck_assert_int_eq(listen_socket_open(&socket, 1, &address), -1);
		ck_assert_msg(was_told(words[i]), "%d", i);
		ck_assert(socket.fd == -1 && !socket.file && exists(path));
		ck_assert_int_eq(listen_socket_open(&socket, 0, &address), -1);
		ck_assert(was_told("too many"));
	}
}

/* On a port that the kernel chooses. */
START_TEST(a_port_is_of_one_program)
{
	struct listen_address address = parsed("127.0.0.1:1"), taken = address;
	struct sockaddr_in *internet = (struct sockaddr_in *)&address.socket;
	struct listen_socket first, second;
	int client = socket(AF_INET, SOCK_STREAM, 0);

	make_place();
	internet->sin_port = 0;
	ck_assert_int_eq(listen_socket_open(&first, 1, &address), 1);
	check_listens(&first);
	ck_assert(!first.file && first.address == &address);
	taken.length = sizeof(taken.socket);
	ck_assert_int_eq(getsockname(first.fd, (struct sockaddr *)&taken.socket, &taken.length), 0);
	if (connect(client, (struct sockaddr *)&taken.socket, taken.length) < 0)
		skip_test("this machine does not reach itself: %s", strerror(errno));
	ck_assert_int_eq(listen_socket_open(&second, 1, &taken), -1);
	ck_assert(was_told("another program listens there") && second.fd == -1);
	listen_socket_close(&first);
	ck_assert_int_eq(first.fd, -1);
	ck_assert_int_eq(listen_socket_open(&second, 1, &taken), 1); /* although a connection is left */
	listen_socket_close(&second);
	close(client);
}

/* In a process of its own, which has these at 3 and 4. */
static int take_handed_over(const char *pid, const char *count, int first, int second, unsigned room,
			    struct listen_socket *sockets)
{
	struct listen_address address = parsed("systemd");

	first = fcntl(first, F_DUPFD, 10);
	second = fcntl(second, F_DUPFD, 10);
	dup2(first, 3);
	dup2(second, 4);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	if (pid)
		setenv("LISTEN_PID", *pid ? pid : textf("%d", (int)getpid()), 1);
	if (count)
		setenv("LISTEN_FDS", count, 1);
	return listen_socket_open(sockets, room, &address);
}

static int open_listening(int type)
{
	int fd = socket(AF_UNIX, type, 0);
	struct sockaddr_un none = { .sun_family = AF_UNIX };

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&none, sizeof(sa_family_t)), 0); /* a name is chosen */
	ck_assert_int_eq(listen(fd, 1), 0);
	return fd;
}

START_TEST(sockets_of_systemd_are_handed_over)
{
	static const struct {
		const char *pid, *count; /* "": our own; NULL: not set */
		int kinds[2];
		unsigned room;
		int opened;
		const char *why;
	} cases[] = {
		{ "", "2", { 0, 0 }, 2, 2, "" },
		{ "", "1", { 0, 1 }, 5, 1, "" },
		{ "", "2", { 0, 0 }, 1, -1, "too many sockets" },
		{ "", "2", { 0, 1 }, 5, -1, "not a listening stream socket" },
		{ "", "1", { 2, 0 }, 5, -1, "not a listening stream socket" },
		{ "", "1", { 3, 0 }, 5, -1, "not a listening stream socket" },
		{ "", NULL, { 0, 0 }, 5, -1, "no socket was handed over" },
		{ "", "x", { 0, 0 }, 5, -1, "no socket was handed over" },
		{ NULL, "1", { 0, 0 }, 5, -1, "no socket was handed over" },
		{ "1", "1", { 0, 0 }, 5, -1, "no socket was handed over" },
	};
	int kinds[4];

	make_place();
	kinds[0] = open_listening(SOCK_STREAM);
	kinds[1] = open("/dev/null", O_RDONLY);
	kinds[2] = socket(AF_UNIX, SOCK_STREAM, 0);
	kinds[3] = open_listening(SOCK_SEQPACKET);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			struct listen_socket sockets[2] = { { 0 } };
			int opened = take_handed_over(cases[i].pid, cases[i].count, kinds[cases[i].kinds[0]],
						      kinds[cases[i].kinds[1]], cases[i].room, sockets);
			bool right = opened == cases[i].opened && was_told(cases[i].why);

			for (int k = 0; k < opened; k++)
				right &= sockets[k].fd == 3 + k && fcntl(3 + k, F_GETFD) == FD_CLOEXEC &&
					 (fcntl(3 + k, F_GETFL) & O_NONBLOCK);
			if (opened > 0)
				right &= !getenv("LISTEN_PID") && !getenv("LISTEN_FDS");
			_exit(right ? 0 : 1);
		}
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert_msg(status == 0, "case %zu: %d", i, status);
	}
}
