/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which format a client prefers, by which host name it came, where to listen as a user writes it, and the
 * sockets for it.
 */
#include <config.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/http_header.h"
#include "suite.h"
#include "sys/error_message.h"
#include "sys/listen_address.h"
#include "sys/listen_socket.h"

static bool prefers(const char *accept)
{
	return http_prefers_openmetrics(span_text(accept));
}

START_TEST(who_names_openmetrics_gets_it)
{
	ck_assert(prefers("application/openmetrics-text"));
	ck_assert(prefers("application/openmetrics-text;version=1.0.0"));
	ck_assert(prefers(" application/openmetrics-text ; version=\"0.0.1\" "));
	ck_assert(prefers("Application/OpenMetrics-Text"));
	ck_assert(prefers("text/html,,application/openmetrics-text"));
	ck_assert(prefers("application/openmetrics-text;q=0.5,text/plain;q=0.5"));
	/* Prometheus 2.42 and 3.0 */
	ck_assert(prefers("application/openmetrics-text;version=1.0.0,"
			  "application/openmetrics-text;version=0.0.1;q=0.75,"
			  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
	ck_assert(prefers("application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
			  "application/openmetrics-text;version=0.0.1;q=0.4,"
			  "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,"
			  "text/plain;version=0.0.4;q=0.2,*/*;q=0.1"));
}

START_TEST(everyone_else_gets_text)
{
	ck_assert(!prefers(""));
	ck_assert(!prefers("*/*"));
	ck_assert(!prefers("text/plain"));
	ck_assert(!prefers("application/json"));
	ck_assert(!prefers("application/openmetrics-text;version=2.0.0"));
	ck_assert(!prefers("application/openmetrics-text;q=0"));
	ck_assert(!prefers("application/openmetrics-text;q=0.4, text/*;q=0.41"));
	ck_assert(!prefers("application/openmetrics-text;q=0.9, */*"));
	ck_assert(!prefers("application/openmetrics-textual"));
	/* a comma in quotes separates nothing */
	ck_assert(!prefers("text/plain;x=\",application/openmetrics-text,\""));
}

START_TEST(a_malformed_weight_is_none)
{
	ck_assert(!prefers("application/openmetrics-text;q=x, */*;q=0.1"));
	ck_assert(!prefers("application/openmetrics-text;q=1x"));
	ck_assert(!prefers(";;;q=1,;,=,"));
	ck_assert(!prefers("\""));
}

static void check_host(const char *field, const char *expected)
{
	struct span host;
	bool good = http_host(span_text(field), &host);

	ck_assert_msg(good == (expected != NULL), "%s", field);
	ck_assert_msg(!good || span_is(host, expected), "%s: %.*s", field, (int)span_length(host), host.at);
}

START_TEST(hosts_lose_port_and_brackets)
{
	check_host("example.org", "example.org");
	check_host("example.org:80", "example.org");
	check_host(" 127.0.0.1:9799\t", "127.0.0.1");
	check_host("[::1]", "::1");
	check_host("[::1]:9799", "::1");
	check_host("name:", "name");
	check_host("", NULL);
	check_host(":80", NULL);
	check_host("[]", NULL);
	check_host("[::1", NULL);
	check_host("[::1]x", NULL);
	check_host("::1", NULL);
	check_host("name:80x", NULL);
	check_host("a:1:2", NULL);
}

static bool is_known(const char *field, const char *names)
{
	return http_host_is_known(span_text(field), names);
}

START_TEST(addresses_and_own_names_are_known)
{
	ck_assert(is_known("127.0.0.1:9799", NULL));
	ck_assert(is_known("192.0.2.7", ""));
	ck_assert(is_known("[2001:db8::1]:1", ""));
	ck_assert(is_known("localhost", ""));
	ck_assert(is_known("LocalHost.:80", ""));
	ck_assert(is_known("web1", "web1,web1.example.org"));
	ck_assert(is_known("WEB1.example.org.", "web1,web1.example.org"));
}

START_TEST(other_names_are_not_known)
{
	ck_assert(!is_known("example.org", ""));
	ck_assert(!is_known("example.org", "www.example.org,org,example.or"));
	ck_assert(!is_known("localhost.example.org", ""));
	ck_assert(!is_known("127.0.0.1.example.org", ""));
	ck_assert(!is_known("127.0.0.256", ""));
	ck_assert(!is_known("127.1", ""));
	ck_assert(!is_known("2130706433", ""));
	ck_assert(!is_known(".", ",,"));
	ck_assert(!is_known("", ",,"));
	ck_assert(!is_known("0123456789012345678901234567890123456789012345678901234567890", ""));
}

static struct listen_address parsed(const char *text)
{
	struct listen_address address;

	ck_assert_msg(listen_address_parse(&address, text), "%s", text);
	ck_assert_str_eq(address.text, text);
	return address;
}

static void check_internet(const char *text, const char *expected, int port)
{
	struct listen_address address = parsed(text);
	char host[INET6_ADDRSTRLEN];
	const void *bytes = &((struct sockaddr_in *)&address.socket)->sin_addr;
	in_port_t found = ((struct sockaddr_in *)&address.socket)->sin_port; /* at the same place in IPv6 */

	if (address.socket.ss_family == AF_INET6)
		bytes = &((struct sockaddr_in6 *)&address.socket)->sin6_addr;
	ck_assert_ptr_nonnull(inet_ntop(address.socket.ss_family, bytes, host, sizeof(host)));
	ck_assert_str_eq(host, expected);
	ck_assert_int_eq(ntohs(found), port);
	ck_assert_int_eq(address.kind, LISTEN_INTERNET);
}

START_TEST(addresses_are_numbers)
{
	check_internet("127.0.0.1:9799", "127.0.0.1", 9799);
	check_internet("9799", "127.0.0.1", 9799);
	check_internet("localhost:1", "127.0.0.1", 1);
	check_internet("0.0.0.0:65535", "0.0.0.0", 65535);
	check_internet("[::1]:9799", "::1", 9799);
	check_internet("[::]:80,web1", "::", 80);
	ck_assert_str_eq(parsed("0.0.0.0:1").names, "");
	ck_assert_str_eq(parsed("0.0.0.0:1,web1,web1.example.org").names, "web1,web1.example.org");
}

START_TEST(other_places_have_their_words)
{
	struct listen_address address = parsed("unix:/run/panetop,x.sock");

	ck_assert_int_eq(address.kind, LISTEN_UNIX);
	ck_assert_str_eq(address.path, "/run/panetop,x.sock");
	ck_assert_str_eq(address.names, "");
	address = parsed("systemd,web1");
	ck_assert_int_eq(address.kind, LISTEN_SYSTEMD);
	ck_assert_str_eq(address.names, "web1");
}

START_TEST(what_is_no_address_is_refused)
{
	static const char *const wrong[] = {
		"",
		",",
		"x",
		"0",
		"65536",
		"-1",
		" 9799",
		"9799 ",
		":9799",
		"127.0.0.1",
		"127.0.0.1:",
		"127.0.0.1:x",
		"1:2:3",
		"::1:9799",
		"[::1]",
		"[::1:9799",
		"[]:9799",
		"[127.0.0.1:9799",
		"example.org:80",
		"unix:",
		"unix",
		"systemd:1",
		"999.0.0.1:80",
		"[::1]9799",
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

static struct listen_address unix_address(char text[SCRATCH_PATH_MAX + 32], const char *name)
{
	snprintf(text, SCRATCH_PATH_MAX + 32, "unix:%s/%s", place, name);
	return parsed(text);
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
	char text[SCRATCH_PATH_MAX + 32];
	struct listen_socket first, second;
	struct listen_address address;
	struct stat status;

	make_place();
	address = unix_address(text, "socket");
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
	ck_assert(second.fd == -1 && stat(address.path, &status) == 0);
	listen_socket_close(&first);
	ck_assert(first.fd == -1 && stat(address.path, &status) < 0);
	listen_socket_close(&first);
}

/* Of a program that was killed; what came in its place is left. */
START_TEST(a_socket_that_was_left_is_replaced)
{
	char text[SCRATCH_PATH_MAX + 32], other[SCRATCH_PATH_MAX + 32];
	struct listen_socket first, second;
	struct listen_address address;
	struct stat status;

	make_place();
	address = unix_address(text, "socket");
	ck_assert_int_eq(listen_socket_open(&first, 1, &address), 1);
	close(first.fd);
	first.fd = -1; /* given away */
	ck_assert_int_eq(listen_socket_open(&second, 1, &address), 1);
	check_listens(&second);
	ck_assert(was_told(""));
	listen_socket_close(&first); /* it is not its file any more */
	ck_assert_int_eq(stat(address.path, &status), 0);
	ck_assert_uint_eq(status.st_ino, second.inode);
	snprintf(other, sizeof(other), "%s/other", place);
	ck_assert_int_eq(rename(address.path, other), 0);
	listen_socket_close(&second);
	ck_assert_int_eq(stat(other, &status), 0);
}

START_TEST(what_is_no_socket_is_left)
{
	static const char *const words[] = { "not a socket", "not a socket", "there is no directory" };
	char text[SCRATCH_PATH_MAX + 32], path[SCRATCH_PATH_MAX + 32];
	struct listen_socket socket;
	struct stat status;

	make_place();
	for (int i = 0; i < 3; i++) {
		struct listen_address address = unix_address(text, i == 2 ? "none/x" : "x");

		snprintf(path, sizeof(path), "%s/x", place);
		if (i == 0)
			close(creat(path, 0600));
		else if (i == 1)
			ck_assert(unlink(path) == 0 && mkdir(path, 0700) == 0);
		ck_assert_int_eq(listen_socket_open(&socket, 1, &address), -1);
		ck_assert_msg(was_told(words[i]), "%d", i);
		ck_assert(socket.fd == -1 && !socket.file && stat(path, &status) == 0);
		ck_assert_int_eq(listen_socket_open(&socket, 0, &address), -1);
		ck_assert(was_told("too many"));
	}
}

/* On a port that the kernel chooses. */
START_TEST(a_port_is_of_one_program)
{
	struct listen_address address = parsed("127.0.0.1:1"), taken = address;
	struct sockaddr_in *place_of = (struct sockaddr_in *)&address.socket;
	struct listen_socket first, second;
	int client = socket(AF_INET, SOCK_STREAM, 0);

	make_place();
	place_of->sin_port = 0;
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
	char own[16];

	snprintf(own, sizeof(own), "%d", (int)getpid());
	first = fcntl(first, F_DUPFD, 10);
	second = fcntl(second, F_DUPFD, 10);
	dup2(first, 3);
	dup2(second, 4);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	if (pid)
		setenv("LISTEN_PID", *pid ? pid : own, 1);
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
		{ "", "0", { 0, 0 }, 5, -1, "no socket was handed over" },
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
