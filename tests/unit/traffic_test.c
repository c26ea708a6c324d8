/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of payload by process, counted in the kernel to the byte, else by sockets, and of who has these. */
#include "rig.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "topic/network/traffic_list.h"

static struct rig rig;

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
		ssize_t more = 0;

		if (sent < bytes)
			more = send(from, piece, bytes - sent < PIECE ? bytes - sent : PIECE, MSG_DONTWAIT);
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

/* What is counted on this machine. */
static struct sample_request live_request;
static struct env live_env;
static const struct sample live = { .env = &live_env, .request = &live_request };
static struct traffic_list *counted;

static void open_live(bool no_bpf)
{
	live_request.no_bpf = no_bpf;
	ck_assert_int_eq(env_open(&live_env, "/"), 0);
	counted = reader_open(&traffic_reader, &live, NULL);
}

static void close_live(void)
{
	reader_close(&traffic_reader, &live_env);
	env_close(&live_env);
}

static bool counts_next(void)
{
	live_env.tick++;
	traffic_list_want(counted, TRAFFIC_COUNTS);
	ck_assert_int_eq(reader_update(&traffic_reader, &live), 0);
	return counted->traced;
}

START_LIVE_TEST(a_process_that_ended_keeps_its_bytes)
{
	const uint64_t expected[] = { [TRAFFIC_TCP] = (uint64_t)PIECE * PIECES,
				      [TRAFFIC_UDP] = (uint64_t)DATAGRAM * DATAGRAMS,
				      [TRAFFIC_UNIX] = UNIX_BYTES,
				      [TRAFFIC_OTHER] = 0 };
	struct trace_set *trace;
	struct traffic_bytes bytes;
	pid_t child;

	open_live(false);
	trace = &counted->processes.trace;
	if (!counts_next())
		skip_test("BPF at sockets: %s", strerror(-trace->error));
	child = run_child();
	ck_assert(counts_next());
	/* seen, but not read yet */
	ck_assert(traffic_of_process(counted, (uint32_t)child, U64_UNKNOWN, &bytes));
	ck_assert(counts_next());
	ck_assert(traffic_of_process(counted, (uint32_t)child, 100, &bytes));
	for (unsigned kind = 0; kind < N_TRAFFIC_KINDS; kind++) {
		ck_assert_uint_eq(bytes.sent[kind], expected[kind]);
		ck_assert_uint_eq(bytes.received[kind], expected[kind]);
	}
	/* another process that gets the same number has nothing of it */
	ck_assert(traffic_of_process(counted, (uint32_t)child, 200, &bytes));
	ck_assert_uint_eq(traffic_sent(&bytes) + traffic_received(&bytes), 0);
	ck_assert(counts_next() && counts_next());
	ck_assert(!traffic_of_process(counted, (uint32_t)child, 200, &bytes));
	for (size_t i = 0; i < trace->n_entries; i++)
		ck_assert_uint_ne(trace_key(trace, i)[0], (uint64_t)child);
	ck_assert_uint_eq(trace_self(trace, 0).lost + trace_self(trace, 1).lost, 0);
	close_live();
}

START_LIVE_TEST(without_bpf_nothing_is_counted)
{
	open_live(true);
	ck_assert(!counts_next());
	ck_assert_int_eq(counted->processes.trace.error, -ENOTSUP);
	close_live();
}

/* Without BPF one that has no socket moved nothing, if no owner is looked for and all files may be read. */
START_TEST(nothing_is_known_where_no_owner_is_missing)
{
	static const struct {
		uint32_t pid;
		size_t n_denied, n_sought;
		uint64_t namespace; /* 0: that of the process */
		bool traced, known;
	} cases[] = {
		{ 7, 0, 0, 0, false, true },  { 6, 0, 0, 0, false, false },
		{ 8, 0, 0, 0, false, false }, { 7, 1, 0, 0, false, false },
		{ 7, 0, 1, 0, false, false }, { 7, 1, 1, 0, false, false },
		{ 7, 0, 0, 4026531840, false, false }, /* it may not be read */
		{ 7, 0, 0, 4026531840, true, true },   { 8, 0, 0, 4026531840, true, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct env env = { .own_pid = 1 };
		struct socket_namespace namespace = { .number = cases[i].namespace };
		struct socket_holder one = { .pid = 7 };
		struct socket_list sockets = {
			.env = &env,
			.namespaces = &namespace,
			.n_namespaces = 1,
			.holders = &one,
			.n_holders = 1,
			.n_denied = cases[i].n_denied,
			.n_sought = cases[i].n_sought,
		};
		struct traffic_list of = { .env = &env, .sockets = &sockets, .traced = cases[i].traced };

		ck_assert_msg(traffic_list_knows_tcp(&of, cases[i].pid) == cases[i].known, "case %zu", i);
	}
}

/* Its own threads are counted by programs in the kernel alone: what they sent is in the rest. */
START_LIVE_TEST(without_bpf_the_part_of_the_kernel_is_unknown)
{
	const struct table *table;
	const void *row;

	rig_open_live(&rig, TOPICS("network_account"));
	rig.request.batch = rig.request.no_bpf = true;
	rig_next(&rig);
	rig_next(&rig);
	table = frame_table(rig.now, "network_account");
	if (table->n_rows == 0)
		skip_test("no interface leads out of here");
	row = table_find(table, "all", "kernel");
	ck_assert(isnan(table_number(table, row, "received_bytes")));
	ck_assert(isnan(table_number(table, row, "sent_bytes")));
	ck_assert_str_eq(table_text(table, row, "from"), "not known");
	ck_assert(!isnan(table_number(table, table_find(table, "all", "unexplained"), "sent_bytes")));
	rig_close(&rig);
}

/* Of a pid that several processes have had, one after the other: bytes of each kind, in both directions. */
START_TEST(bytes_of_an_earlier_process_are_left_out)
{
	static const struct {
		uint64_t start_ticks, sent, received;
	} cases[] = {
		{ U64_UNKNOWN, 4321, 87650 }, { 50, 4321, 87650 },          { 50, 4321, 87650 },
		{ 60, 4210, 87206 },          { U64_UNKNOWN, 4210, 87206 }, { 60, 4210, 87206 },
	};
	struct traffic all[2] = { { .pid = 6, .total = { { 1 }, { 1 } } },
				  { .pid = 7,
				    .total = { { 80000, 7000, 600, 50 }, { 4000, 300, 20, 1 } },
				    .before = { { 400, 0, 40, 4 }, { 100, 10, 0, 1 } } } };
	struct traffic_list summed = { .all = all, .n_all = 2 };
	struct traffic_bytes bytes;

	hash_add(&summed.by_pid, hash_u64(6), 0);
	hash_add(&summed.by_pid, hash_u64(7), 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert(traffic_of_process(&summed, 7, cases[i].start_ticks, &bytes));
		ck_assert_uint_eq(traffic_sent(&bytes), cases[i].sent);
		ck_assert_uint_eq(traffic_received(&bytes), cases[i].received);
	}
	ck_assert_uint_eq(bytes.sent[TRAFFIC_OTHER], 0);
	ck_assert_uint_eq(bytes.sent[TRAFFIC_UDP], 290);
	ck_assert_uint_eq(bytes.received[TRAFFIC_TCP], 79600);
	ck_assert(!traffic_of_process(&summed, 8, 50, &bytes));
	hash_free(&summed.by_pid);
}

/* Both ends of a connection of TCP in this process. */
static void connect_both(int ends[2])
{
	struct sockaddr_in address;
	int listening = bound(SOCK_STREAM, &address);

	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(listen(listening, 1), 0);
	ck_assert_int_eq(connect(ends[0], (struct sockaddr *)&address, sizeof(address)), 0);
	ends[1] = accept(listening, NULL, NULL);
	ck_assert_int_ge(ends[1], 0);
	close(listening);
}

/* The byte that comes back acknowledges the others: kernels before 4.19 count only these. */
static void pass_both_ways(const int ends[2], size_t bytes)
{
	pass_on(ends[0], ends[1], bytes);
	pass_on(ends[1], ends[0], 1);
}

/* What this process has, once the owners of so many of its connections were found, which may take some looks.
 */
static const struct traffic *own_traffic(unsigned connections)
{
	const struct traffic *own = NULL;

	for (unsigned tries = 0; tries < 50 && (!own || own->connections != connections); tries++) {
		live_env.tick++;
		traffic_list_want(counted, TRAFFIC_ONLY_TCP);
		ck_assert_int_eq(reader_update(&traffic_reader, &live), 0);
		if (counted->sockets_error)
			skip_test("sock_diag: %s", strerror(-counted->sockets_error));
		ck_assert(counted->sockets_begun && !counted->traced);
		for (size_t i = 0; i < counted->n_all; i++) {
			bool known = counted->all[i].knows_sockets;

			socket_list_reads(counted->sockets, counted->all[i].pid, &known);
			ck_assert_int_eq(counted->all[i].knows_sockets, known);
		}
		own = traffic_list_find(counted, (uint32_t)getpid());
	}
	if (!own)
		skip_test("its own sockets are not seen");
	ck_assert_uint_eq(own->connections, connections);
	return own;
}

static void check_bytes(const struct traffic *own, uint64_t bytes)
{
	uint64_t sent = own->total.sent[TRAFFIC_TCP];

	ck_assert_uint_eq(traffic_received(&own->total), bytes);
	ck_assert_uint_eq(own->total.received[TRAFFIC_TCP], bytes);
	ck_assert_uint_eq(traffic_sent(&own->total), sent);
	ck_assert(sent <= bytes && bytes - sent <= 2); /* the last byte of each may not be acknowledged yet */
}

/* Those that were there at the first look begin then; bytes stay when their sockets are closed. */
START_LIVE_TEST(without_bpf_connections_count_by_their_sockets)
{
	const struct traffic *own, *of_child = NULL;
	unsigned tries = 0;
	int older[2], newer[2], ready[2];
	uint64_t grown_tick;
	pid_t child;
	char byte;

	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	if (child == 0) { /* another process that has connections */
		connect_both(older);
		close(ready[0]);
		close(ready[1]);
		pause();
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 0);
	close(ready[0]);
	connect_both(older);
	pass_both_ways(older, 70000);
	open_live(true);
	check_bytes(own_traffic(2), 0);
	pass_both_ways(older, 300);
	connect_both(newer);
	pass_both_ways(newer, 5000);
	check_bytes(own_traffic(4), 5302);
	pass_both_ways(older, 10);
	own = own_traffic(4);
	check_bytes(own, 5313);
	ck_assert_uint_eq(own->tick, live_env.tick);
	close(older[0]);
	close(older[1]);
	check_bytes(own_traffic(2), 5313);
	grown_tick = own_traffic(2)->tick;
	own = own_traffic(2);
	check_bytes(own, 5313);
	ck_assert_uint_eq(own->tick, grown_tick);
	ck_assert(traffic_list_knows_tcp(counted, (uint32_t)getpid()));
	while (!(of_child && of_child->connections == 2 && of_child->knows_sockets) && tries++ < 50) {
		own_traffic(2);
		of_child = traffic_list_find(counted, (uint32_t)child);
	}
	ck_assert_uint_le(tries, 50);
	end_child(child);
	close(newer[0]);
	close(newer[1]);
	close_live();
}

/* --- Sockets of this machine, which processes of a rig have. */

/* Processes of a machine in a directory, and the sockets of this one. */
static struct sample sample;
static struct socket_list *list;

static uint64_t inode_of(int fd)
{
	struct stat status;

	ck_assert_int_eq(fstat(fd, &status), 0);
	return status.st_ino;
}

/* NULL: it is not in the list. */
static const struct socket *socket_at(uint64_t inode)
{
	const struct socket *found = NULL;

	for (size_t i = 0; i < list->n_all; i++)
		if (list->all[i].diag.inode == inode) {
			ck_assert_ptr_null(found);
			found = &list->all[i];
		}
	return found;
}

static void put_socket(unsigned pid, unsigned fd, uint64_t inode)
{
	rig_link(&rig, textf("proc/%u/fd/%u", pid, fd), textf("socket:[%llu]", (unsigned long long)inode));
}

static void put_namespace(unsigned pid, const char *target)
{
	rig_link(&rig, textf("proc/%u/ns/net", pid), target);
}

static void open_list(void)
{
	sample = rig_sample_for(&rig, NULL);
	list = reader_open(&socket_reader, &sample, NULL);
}

static void open_sockets(void)
{
	rig_open(&rig, "empty", NULL);
	rig.env.live = true;
	rig.env.own_pid = 1;
	put_namespace(1, "net:[100]");
	open_list();
}

static void look(void)
{
	int error;

	rig.env.tick++;
	error = reader_update(&socket_reader, &sample);
	if (error)
		skip_test("sock_diag: %s", strerror(-error));
}

/* At those of all namespaces. */
static void look_at_all(void)
{
	rig.env.tick++;
	socket_list_want_all(list);
	rig.env.tick--;
	look();
}

static void close_sockets(void)
{
	reader_close(&socket_reader, &rig.env);
	rig.env.live = false;
	rig_close(&rig);
}

static void check_owner(uint64_t inode, uint32_t pid, uint32_t fd, bool tcp)
{
	const struct socket *socket = socket_at(inode);

	ck_assert_ptr_nonnull(socket);
	ck_assert_uint_eq(socket->owner, pid);
	ck_assert_uint_eq(socket->fd, fd);
	ck_assert_int_eq(socket->tcp, tcp);
	ck_assert(!socket->closed && socket_list_is_own(list, socket));
	ck_assert_uint_eq(socket->tick, list->env->tick);
}

START_TEST(owners_of_sockets_are_found_among_processes)
{
	struct sockaddr_in address;
	int ends[2], datagrams, listening, free_one, later;
	uint64_t of_datagrams;
	size_t n_without = 0;

	connect_both(ends);
	datagrams = bound(SOCK_DGRAM, &address);
	listening = bound(SOCK_STREAM, &address);
	free_one = bound(SOCK_DGRAM, &address);
	ck_assert_int_eq(listen(listening, 1), 0);
	of_datagrams = inode_of(datagrams);
	open_sockets();
	put_socket(7, 5, inode_of(ends[0]));
	put_socket(42, 9, inode_of(ends[1]));
	put_socket(42, 300, of_datagrams);
	put_socket(50, 0, inode_of(listening));
	rig_link(&rig, "proc/50/fd/1", "pipe:[77]");
	look();
	if (!socket_at(of_datagrams))
		skip_test("sock_diag: this kernel does not list UDP");
	check_owner(inode_of(ends[0]), 7, 5, true);
	check_owner(inode_of(ends[1]), 42, 9, true);
	check_owner(of_datagrams, 42, 300, false);
	check_owner(inode_of(listening), 50, 0, true);
	check_owner(inode_of(free_one), 0, 0, false);
	ck_assert(socket_at(inode_of(free_one))->looks == 1 && socket_at(inode_of(free_one))->is_older);
	ck_assert_uint_eq(socket_at(inode_of(ends[0]))->looks, 0);
	for (size_t i = 0; i < list->n_all; i++)
		n_without += list->all[i].owner == 0 && list->all[i].diag.inode != 0 && !list->all[i].closed;
	ck_assert(list->n_sought == n_without && list->n_denied == 0);
	look();
	ck_assert_uint_eq(socket_at(inode_of(free_one))->looks, 2);
	/* two looks are enough; a new one has its own */
	later = bound(SOCK_DGRAM, &address);
	put_socket(42, 301, inode_of(free_one));
	put_socket(7, 6, inode_of(later));
	look();
	check_owner(inode_of(free_one), 0, 0, false);
	check_owner(inode_of(later), 7, 6, false);
	ck_assert(!socket_at(inode_of(later))->is_older);
	rig_remove(&rig, "proc/7"); /* another one goes on with what it had */
	put_socket(50, 11, inode_of(ends[0]));
	look();
	check_owner(inode_of(later), 0, 6, false);
	close(datagrams);
	look();
	ck_assert(socket_at(of_datagrams)->closed && socket_at(of_datagrams)->owner == 42);
	for (unsigned i = 0; i < 2; i++) { /* all are still found where they are now */
		look();
		ck_assert_ptr_null(socket_at(of_datagrams));
		check_owner(inode_of(ends[0]), 50, 11, true);
		check_owner(inode_of(ends[1]), 42, 9, true);
		check_owner(inode_of(listening), 50, 0, true);
	}
	close_sockets();
}

static bool knows(uint32_t pid, bool before)
{
	socket_list_reads(list, pid, &before);
	return before;
}

static const struct socket_holder *holder(uint32_t pid)
{
	for (size_t i = 0; i < list->n_holders; i++)
		if (list->holders[i].pid == pid)
			return &list->holders[i];
	ck_abort_msg("no process %u", pid);
	return NULL;
}

/* "100 200(43)!": those that are known, but for the first with a process that is there; !: not read. */
static const char *namespaces(void)
{
	const char *text = textf("%llu", (unsigned long long)list->namespaces[0].number);

	for (size_t i = 1; i < list->n_namespaces; i++)
		text = textf("%s %llu(%u)%s", text, (unsigned long long)list->namespaces[i].number,
			     list->namespaces[i].pid, list->namespaces[i].error < 0 ? "!" : "");
	return text;
}

/* Those of a rig cannot be opened. */
START_TEST(namespaces_are_those_of_processes)
{
	static const struct {
		uint32_t pid;
		const char *target;
		uint64_t number;
	} cases[] = {
		{ 7, "net:[100]", 100 },  { 42, "net:[200]", 200 }, { 43, "net:[200]", 200 },
		{ 50, "net:[300]", 300 }, { 61, "net:[x]", 0 },     { 62, "pid:[5]", 0 },
	};

	open_sockets();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		put_namespace(cases[i].pid, cases[i].target);
	rig_make(&rig, "proc/60");
	look_at_all();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_uint_eq(socket_list_namespace(&rig.env, cases[i].pid), cases[i].number);
		ck_assert_uint_eq(holder(cases[i].pid)->namespace, cases[i].number);
		ck_assert_uint_eq(holder(cases[i].pid)->looks, 2);
	}
	ck_assert_str_eq(namespaces(), "100 200(43)! 300(50)!");
	ck_assert(knows(7, false) && !knows(42, true) && !knows(60, true));
	ck_assert(knows(999, true) && !knows(999, false));
	look(); /* others are not wanted */
	ck_assert_str_eq(namespaces(), "100 200(43) 300(50)");
	ck_assert(!knows(50, true));
	list->namespaces[1].error = -EPERM; /* which stays so */
	put_namespace(7, "net:[300]");
	look_at_all();
	ck_assert_int_eq(list->namespaces[1].error, -EPERM);
	ck_assert_int_lt(list->namespaces[2].error, 0);
	ck_assert_uint_eq(holder(7)->namespace, 300);
	rig_remove(&rig, "proc/42");
	rig_remove(&rig, "proc/43");
	look();
	ck_assert(list->n_namespaces == 2 && list->namespaces[1].number == 300);
	ck_assert_uint_eq(holder(50)->looks, 2); /* as before: those before it went */
	rig_remove(&rig, "proc/7");
	rig_remove(&rig, "proc/50");
	look();
	ck_assert_uint_eq(list->n_namespaces, 1);
	close_sockets();
}

/* A kernel without namespaces has no links: all processes are in ours. */
START_TEST(without_namespaces_all_sockets_are_ours)
{
	open_sockets();
	rig_remove(&rig, "proc/1/ns");
	rig_make(&rig, "proc/7");
	put_namespace(42, "net:[200]"); /* ours is not known to be another one */
	look();
	ck_assert_uint_eq(list->n_namespaces, 1);
	ck_assert_uint_eq(list->namespaces[0].number, 0);
	ck_assert(knows(7, false));
	rig.env.own_pid = 0;
	ck_assert(!knows(7, true));
	close_sockets();
}

START_TEST(what_is_left_out_of_other_namespaces)
{
#define NOT_PERMITTED "not read: Operation not permitted"
#define TOO_LONG "not read: reading them would take too long"
	static const struct {
		int errors[2];
		const char *text; /* NULL: nothing to tell */
		bool has_remedy;
	} cases[] = {
		{ { 0, 0 }, NULL, false },
		{ { -ENOENT, -ESRCH }, NULL, false },
		{ { -EBUSY, 0 }, "sockets in 1 other network namespace are " TOO_LONG, false },
		{ { -ESRCH, -EPERM }, "sockets in 1 other network namespace are " NOT_PERMITTED, true },
		{ { -EBUSY, -EPERM }, "sockets in 2 other network namespaces are " NOT_PERMITTED, true },
		{ { -EPERM, -EBUSY }, "sockets in 2 other network namespaces are " NOT_PERMITTED, true },
		{ { -EBUSY, -EMFILE }, "sockets in 2 other network namespaces are " TOO_LONG, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct env env = { 0 };
		struct socket_namespace spaces[3] = { { .error = -EPERM },
							  { .error = cases[i].errors[0] },
							  { .error = cases[i].errors[1] } };
		struct socket_list of = { .env = &env, .namespaces = spaces, .n_namespaces = 3 };
		struct frame frame;

		frame_open(&frame, NULL, 0);
		socket_list_notice(&of, &frame, "traffic");
		ck_assert_uint_eq(frame.n_notices, cases[i].text != NULL);
		if (cases[i].text) {
			ck_assert_str_eq(frame.notices[0].text, cases[i].text);
			ck_assert(!cases[i].has_remedy || frame.notices[0].remedy);
		}
		frame_close(&frame);
	}
}

/* These are those of the next sample. */
static void give_sockets(const struct socket *sockets, size_t n)
{
	rig.env.live = true;
	look();
	rig.env.live = false; /* processes are those of the rig alone */
	ck_assert_uint_ge(list->capacity, n);
	memcpy(list->all, sockets, n * sizeof(*sockets));
	list->n_all = n;
	list->n_denied = 2;
	rig.env.tick--; /* it is not looked again in it */
}

#define ADDRESS(last)                                                                                        \
	{                                                                                                    \
		10, 1, 2, last                                                                               \
	}

START_TEST(sockets_are_rows_of_their_processes)
{
	struct socket sockets[] = {
		{ .tcp = true, .owner = 42, .namespace = 4026531840,
		  .diag = { .family = AF_INET, .state = 1, .local_port = 40000, .remote_port = 443,
			    .local = ADDRESS(3), .remote = ADDRESS(4), .receive_queue = 11, .send_queue = 22,
			    .inode = 333, .sent_bytes = 4444, .received_bytes = 5555,
			    .retransmitted_bytes = 66, .retransmits = 7, .rtt_us = 8000, .window = 10,
			    .busy_us = 9000000, .receiver_limited_us = 2000000,
			    .buffer_limited_us = 1500000, .dropped = 3 } },
		{ .tcp = true, .owner = 7,
		  .diag = { .family = AF_INET, .state = 10, .local_port = 80, .local = ADDRESS(3),
			    .receive_queue = 4, .send_queue = 128, .inode = 334, .sent_bytes = 1,
			    .received_bytes = 1, .dropped = 2 } },
		{ .owner = 4711,
		  .diag = { .family = AF_INET, .state = 7, .local_port = 53, .receive_queue = 700,
			    .send_queue = 800, .inode = 335, .rtt_us = U64_UNKNOWN, .dropped = 5 } },
		{ .owner = 7, .closed = true, .diag = { .family = AF_INET, .inode = 336 } },
	};
	const struct frame *frame;
	int ends[2];

	connect_both(ends);
	rig_open(&rig, "readers", TOPICS("connection"));
	rig.env.own_pid = 1;
	rig_make(&rig, "etc");
	rig_put(&rig, "etc/passwd", "root:x:0:0::/root:/bin/sh\n");
	rig_put(&rig, "etc/services",
		"# http 1/tcp\nhttps\t443/tcp # secure\nwrong 40000/sctp\nhttps3 443/udp\ndomain 53/udp\n"
		"dns 53/tcp\nhttp 80/tcp\nlarge 65616/tcp\nlast 65535/udp\n");
	open_list();
	for (unsigned turn = 0; turn < 2; turn++) {
		give_sockets(sockets, 4);
		frame = rig_sample(&rig, 2);
		sockets[0].diag.received_bytes += 2000;
		sockets[0].diag.sent_bytes += 4000;
		sockets[0].diag.retransmits += 6;
		sockets[0].diag.busy_us += 1000000;
		sockets[0].diag.receiver_limited_us += 250000;
		sockets[0].diag.buffer_limited_us += 125000;
		sockets[1].diag.dropped += 8;
	}
	ck_assert_uint_eq(frame_table(frame, "connection")->n_rows, 3);
	check_row(frame, "connection",
		  "protocol=tcp state=established local=10.1.2.3:40000 remote=10.1.2.4:443 service=https "
		  "received_bytes_per_second=1000 sent_bytes_per_second=2000 rtt_seconds=0.008 "
		  "retransmits_per_second=3 retransmits=13 busy_ratio=0.5 receiver_limited_ratio=0.25 "
		  "buffer_limited_ratio=0.125 path_limited_ratio=0.625 window=10 receive_queue_bytes=11 "
		  "send_queue_bytes=22 drops_per_second=0 dropped=3 received_bytes=7555 sent_bytes=8444 "
		  "retransmitted_bytes=66 busy_seconds=10 receiver_limited_seconds=2.25 "
		  "buffer_limited_seconds=1.625 path_limited_seconds=6.125 namespace=4026531840 inode=333 "
		  "user=root pid=42 start_seconds=90 name=cc1\n\033[31m command=cc1\n\033[31m");
	check_row(frame, "connection",
		  "protocol=tcp state=listening local=10.1.2.3:80 remote= service=http accept_queue=4 "
		  "accept_queue_max=128 drops_per_second=4 dropped=10 inode=334 user=root pid=7 "
		  "start_seconds=5 name=a) R (b command=a) R (b");
	check_row(frame, "connection",
		  "protocol=udp state=open local=0.0.0.0:53 remote= service=domain receive_queue_bytes=700 "
		  "send_queue_bytes=800 drops_per_second=0 dropped=5 inode=335 user=root");
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert_str_eq(frame->notices[0].text,
			 "files of 2 processes may not be read: whose sockets are theirs is not known");
	close(ends[0]);
	close(ends[1]);
	close_sockets();
}
