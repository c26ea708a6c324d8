/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of payload counted in the kernel, of a process that ends between two samples: to the byte. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"
#include "topic/network/traffic_list.h"

#define PIECE 65536
#define PIECES 640 /* 40 MiB */
#define DATAGRAMS 1000
#define DATAGRAM 500
#define UNIX_BYTES 12345

static char piece[PIECE];

static int bound(int type, struct sockaddr_in *address)
{
	socklen_t length = sizeof(*address);
	int fd = socket(AF_INET, type, 0);

	*address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (fd < 0 || bind(fd, (struct sockaddr *)address, length) < 0 ||
	    getsockname(fd, (struct sockaddr *)address, &length) < 0)
		_exit(1);
	return fd;
}

static void pass_on(int from, int to, size_t bytes)
{
	for (size_t sent = 0, received = 0; received < bytes;) {
		ssize_t more = sent < bytes ? send(from, piece, bytes - sent, MSG_DONTWAIT) : 0;

		if (more < 0 && errno != EAGAIN)
			_exit(2);
		sent += more > 0 ? (size_t)more : 0;
		more = recv(to, piece, sizeof(piece), MSG_DONTWAIT);
		if (more < 0 && errno != EAGAIN)
			_exit(3);
		received += more > 0 ? (size_t)more : 0;
	}
}

static void send_by_tcp(void)
{
	struct sockaddr_in address;
	int listening = bound(SOCK_STREAM, &address), from = socket(AF_INET, SOCK_STREAM, 0), to;

	if (listen(listening, 1) < 0 || connect(from, (struct sockaddr *)&address, sizeof(address)) < 0)
		_exit(4);
	to = accept(listening, NULL, NULL);
	recv(to, piece, 1, MSG_DONTWAIT); /* nothing is there: an error counts nothing */
	for (unsigned i = 0; i < PIECES; i++)
		pass_on(from, to, PIECE);
}

/* Each is looked at once before it is received: that counts nothing. */
static void send_by_udp(void)
{
	struct sockaddr_in address;
	int fd = bound(SOCK_DGRAM, &address);

	for (unsigned i = 0; i < DATAGRAMS; i++) {
		if (sendto(fd, piece, DATAGRAM, 0, (struct sockaddr *)&address, sizeof(address)) !=
			    DATAGRAM ||
		    recv(fd, piece, sizeof(piece), MSG_PEEK) != DATAGRAM ||
		    recv(fd, piece, sizeof(piece), 0) != DATAGRAM)
			_exit(5);
	}
}

static void send_by_unix(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		_exit(6);
	pass_on(ends[0], ends[1], UNIX_BYTES);
}

static pid_t run_child(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		send_by_tcp();
		send_by_udp();
		send_by_unix();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	return child;
}

static bool counts_at(struct traffic_list *list, const struct sample *sample, uint64_t tick)
{
	sample->env->tick = tick;
	traffic_list_want(list, TRAFFIC_COUNTS);
	ck_assert_int_eq(reader_update(&traffic_reader, sample), 0);
	return list->traced;
}

START_TEST(a_process_that_ended_keeps_its_bytes)
{
	static const struct sample_request request;
	const uint64_t expected[] = { [TRAFFIC_TCP] = (uint64_t)PIECE * PIECES,
				      [TRAFFIC_UDP] = (uint64_t)DATAGRAM * DATAGRAMS,
				      [TRAFFIC_UNIX] = UNIX_BYTES,
				      [TRAFFIC_OTHER] = 0 };
	struct traffic_bytes bytes;
	struct traffic_list *list;
	struct env env;
	const struct sample sample = { .env = &env, .request = &request };
	pid_t child;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	list = reader_open(&traffic_reader, &sample, NULL);
	if (!counts_at(list, &sample, 1)) {
		int error = list->processes.trace.error;

		reader_close(&traffic_reader, &env);
		env_close(&env);
		skip_test("BPF at sockets: %s", strerror(-error));
	}
	child = run_child();
	ck_assert(counts_at(list, &sample, 2));
	/* seen, but not read yet */
	ck_assert(traffic_of_process(list, (uint32_t)child, U64_UNKNOWN, &bytes));
	ck_assert(counts_at(list, &sample, 3));
	ck_assert(traffic_of_process(list, (uint32_t)child, 100, &bytes));
	for (unsigned kind = 0; kind < N_TRAFFIC_KINDS; kind++) {
		ck_assert_uint_eq(bytes.sent[kind], expected[kind]);
		ck_assert_uint_eq(bytes.received[kind], expected[kind]);
	}
	/* another process that gets the same number has nothing of it */
	ck_assert(traffic_of_process(list, (uint32_t)child, 200, &bytes));
	ck_assert_uint_eq(traffic_sent(&bytes) + traffic_received(&bytes), 0);
	ck_assert(counts_at(list, &sample, 4));
	ck_assert(counts_at(list, &sample, 5));
	ck_assert(!traffic_of_process(list, (uint32_t)child, 200, &bytes));
	for (size_t i = 0; i < list->processes.trace.n_entries; i++)
		ck_assert_uint_ne(trace_key(&list->processes.trace, i)[0], (uint64_t)child);
	ck_assert_uint_eq(
		trace_self(&list->processes.trace, 0).lost + trace_self(&list->processes.trace, 1).lost, 0);
	reader_close(&traffic_reader, &env);
	env_close(&env);
}
END_TEST

START_TEST(without_bpf_nothing_is_counted)
{
	static const struct sample_request request = { .no_bpf = true };
	struct traffic_list *list;
	struct env env;
	const struct sample sample = { .env = &env, .request = &request };

	ck_assert_int_eq(env_open(&env, "/"), 0);
	list = reader_open(&traffic_reader, &sample, NULL);
	ck_assert(!counts_at(list, &sample, 1));
	ck_assert_int_eq(list->processes.trace.error, -ENOTSUP);
	reader_close(&traffic_reader, &env);
	env_close(&env);
}
END_TEST

/* Without BPF one that has no socket moved nothing, if no owner is looked for and all files may be read. */
START_TEST(nothing_is_known_where_no_owner_is_missing)
{
	struct env env = { .own_pid = 1 };
	struct socket_namespace namespace = { 0 };
	struct socket_holder holder = { .pid = 7 };
	struct socket_list of = { .env = &env, .namespaces = &namespace, .n_namespaces = 1,
				  .holders = &holder, .n_holders = 1 };
	struct socket_list *sockets = &of;
	struct traffic_list list = { .env = &env, .sockets = sockets };

	ck_assert(traffic_list_knows_tcp(&list, 7));
	ck_assert(!traffic_list_knows_tcp(&list, 6));
	ck_assert(!traffic_list_knows_tcp(&list, 8));
	sockets->n_denied = 1;
	ck_assert(!traffic_list_knows_tcp(&list, 7));
	sockets->n_denied = 0;
	sockets->n_sought = 1;
	ck_assert(!traffic_list_knows_tcp(&list, 7));
	sockets->n_denied = 1;
	ck_assert(!traffic_list_knows_tcp(&list, 7));
	sockets->n_sought = sockets->n_denied = 0;
	sockets->namespaces->number = 4026531840; /* that of the process may not be read */
	ck_assert(!traffic_list_knows_tcp(&list, 7));
	list.traced = true;
	ck_assert(traffic_list_knows_tcp(&list, 7));
	ck_assert(traffic_list_knows_tcp(&list, 8));
}
END_TEST

/* Its own threads are counted by programs in the kernel alone: what they sent is in the rest. */
START_TEST(without_bpf_the_part_of_the_kernel_is_unknown)
{
	static const char *const names[] = { "network_account", NULL };
	struct machine machine = { .request = { .batch = true, .no_bpf = true } };
	const struct table *table;
	const void *row;

	open_machine(&machine, names);
	next_tick(&machine);
	next_tick(&machine);
	table = frame_table(machine.now, "network_account");
	if (table->n_rows == 0)
		skip_test("no interface leads out of here");
	row = table_find(table, "all", "kernel");
	ck_assert(isnan(table_number(table, row, "received_bytes")));
	ck_assert(isnan(table_number(table, row, "sent_bytes")));
	ck_assert_str_eq(table_text(table, row, "from"), "not known");
	ck_assert(!isnan(table_number(table, table_find(table, "all", "unexplained"), "sent_bytes")));
	close_machine(&machine);
}
END_TEST
