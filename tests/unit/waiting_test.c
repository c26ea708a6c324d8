/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what processes wait for, and of who wakes whom: of children that know what they do. */
#include "rig.h"

#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include "topic/topic.h"

#define POINTS 0.02
#define SAMPLED_POINTS 0.5 /* causes of waits that no look met, as the machine is busy */
#define ROUNDS 25
#define PAUSE_NS 8000000L
#define BLOCK ((size_t)4096)
#define FILE_BLOCKS 2048
#define THREADS 3

static const char *const waiting_topic[] = { "waiting", NULL };
static const char *const wake_topic[] = { "wake", NULL };

static struct rig rig;
static bool without_bpf;
static struct scope scope;

enum kind { SLEEP, POLL, LOCK, PIPE, NETWORK, CHILD, DISK, N_KINDS };
static const char *const causes[N_KINDS] = { "sleep", "poll", "lock", "pipe", "network", "child", "disk" };

/* Part of the name of the function that it waits in, of the kernel or of the system call. */
static const char *const functions[N_KINDS] = { "nanosleep", "poll", "futex", NULL, NULL, "wait", NULL };

/* What a child found by its own clocks and counters, and how far it and its parent are. */
struct child {
	struct known {
		double seconds;
		long waits;
	} known[N_KINDS];
	_Atomic uint32_t step, word;
};

static void reach(struct child *child, uint32_t step)
{
	atomic_store(&child->step, step);
}

static void await(struct child *child, uint32_t step)
{
	while (atomic_load(&child->step) < step)
		rest_ns(1000000);
}

/* Of a child: it waits for a signal, which no test of a kind does. */
static void await_signal(void)
{
	sigset_t set;
	int which;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &which);
}

static pid_t begin_waiter(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return begin_child();
}

/* What is not CPU time was spent waiting, and voluntary switches are the waits. */
struct stretch {
	double wall, cpu;
	long waits;
};

static struct stretch begin(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (struct stretch){ clock_seconds(CLOCK_MONOTONIC), clock_seconds(CLOCK_THREAD_CPUTIME_ID),
				 usage.ru_nvcsw };
}

static void end(struct child *child, struct stretch start, enum kind kind)
{
	struct stretch stop = begin();

	child->known[kind].seconds += stop.wall - start.wall - (stop.cpu - start.cpu);
	child->known[kind].waits += stop.waits - start.waits;
}

/* A process that writes a byte to the file of each number that it gets here, after a while. */
static void begin_writer(int orders)
{
	unsigned char file;

	if (begin_child() != 0)
		return;
	while (read(orders, &file, 1) == 1) {
		rest_ns(PAUSE_NS);
		if (write(file, "x", 1) != 1)
			_exit(1);
	}
	_exit(0);
}

/* Files of a child, to read from and to write to; numbers of files to write to go to orders. */
struct files {
	int from[N_KINDS], orders;
	unsigned char to[N_KINDS];
};

static void wait_for_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		rest_ns(PAUSE_NS);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void wait_once(struct child *child, enum kind kind, const struct files *files, unsigned round)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	static _Alignas(4096) char block[BLOCK];
	struct stretch start;

	if ((kind == PIPE || kind == NETWORK) && write(files->orders, &files->to[kind], 1) != 1)
		_exit(1);
	start = begin();
	switch (kind) {
	case SLEEP:
		rest_ns(PAUSE_NS);
		break;
	case POLL:
		poll(NULL, 0, (int)(PAUSE_NS / 1000000));
		break;
	case LOCK:
		syscall(SYS_futex, &child->word, FUTEX_WAIT, 0, &pause, NULL, 0);
		break;
	case PIPE:
	case NETWORK:
		if (read(files->from[kind], block, 1) != 1)
			_exit(2);
		break;
	case CHILD:
		wait_for_child();
		break;
	case DISK:
		if (files->from[DISK] >= 0 &&
		    pread(files->from[DISK], block, BLOCK, (off_t)(round * 61 % FILE_BLOCKS * BLOCK)) < 0)
			_exit(3);
		break;
	case N_KINDS:
		break;
	}
	end(child, start, kind);
}

static void live(struct child *child, int disk)
{
	int orders[2], pipe_ends[2], sockets[2];
	struct files files = { .from = { [DISK] = disk } };

	if (pipe(orders) < 0 || pipe(pipe_ends) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) < 0)
		_exit(4);
	files.from[PIPE] = pipe_ends[0];
	files.to[PIPE] = (unsigned char)pipe_ends[1];
	files.from[NETWORK] = sockets[0];
	files.to[NETWORK] = (unsigned char)sockets[1];
	files.orders = orders[1];
	begin_writer(orders[0]);
	reach(child, 1);
	await_signal();
	for (unsigned round = 0; round < ROUNDS; round++)
		for (enum kind kind = 0; kind < N_KINDS; kind++)
			for (unsigned times = kind == DISK ? 40 : 1; times > 0; times--)
				wait_once(child, kind, &files, round * 40 + times);
	reach(child, 2);
	for (;;)
		await_signal();
}

/* Opens it, each tick of the time since the one before, or skips the test where that is not permitted. */
static void open_counting(const char *const *names, const char *in)
{
	scope_free(&scope);
	scope = (struct scope){ 0 };
	rig_open_live(&rig, names);
	rig.request.batch = true;
	rig.request.no_bpf = without_bpf;
	if (in)
		rig_set_scope(&rig, &scope, in);
	rig_next(&rig);
}

static void skip_without_bpf(const char *topic)
{
	const struct table *table = frame_table(rig.now, topic);

	ck_assert_ptr_nonnull(table);
	if (table->n_rows > 0 &&
	    (strcmp(topic, "wake") == 0 || strcmp(table_text(table, table_row(table, 0), "how"), "bpf") == 0))
		return;
	rig_close(&rig);
	skip_test("BPF is not permitted, or this kernel is too old");
}

/* Sums of the rows of a process, 0: of all, with this cause, NULL: any. */
static struct known sum_of(pid_t pid, const char *cause)
{
	const struct table *table = frame_table(rig.now, "waiting");
	struct known sum = { 0 };

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double waits = table_number(table, row, "waits");

		if ((pid && table_number(table, row, "pid") != pid) ||
		    (cause && strcmp(table_text(table, row, "cause"), cause) != 0))
			continue;
		sum.seconds += table_number(table, row, "seconds");
		sum.waits += isnan(waits) ? 0 : (long)waits;
	}
	return sum;
}

static double ratio_of(pid_t pid)
{
	const struct table *table = frame_table(rig.now, "waiting");
	double sum = 0;

	for (size_t i = 0; i < table->n_rows; i++)
		if (table_number(table, table_row(table, i), "pid") == pid)
			sum += table_number(table, table_row(table, i), "ratio");
	return sum;
}

/* The row with the most waits: on a busy machine one for a lock of the kernel may be the longest. */
static const char *function_of(pid_t pid, const char *cause)
{
	const struct table *table = frame_table(rig.now, "waiting");
	const char *function = "";
	double most = -1;

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (table_number(table, row, "pid") != pid ||
		    strcmp(table_text(table, row, "cause"), cause) != 0 ||
		    table_number(table, row, "waits") <= most)
			continue;
		most = table_number(table, row, "waits");
		function = table_text(table, row, "function");
	}
	return function;
}

static const char *scope_of(pid_t pid)
{
	static char text[32];

	snprintf(text, sizeof(text), "pid=%d", (int)pid);
	return text;
}

/* On a busy machine it waits for locks of the kernel, too, for moments … */
#define MORE_LOCKS 4
/* … and one of these children has ended before it is waited for. */
#define CHILDREN_SEEN 4

/* by: the part of its time by which both may differ. */
static void check_kind(const struct child *child, pid_t pid, enum kind kind, double by)
{
	struct known found = sum_of(pid, causes[kind]), want = child->known[kind];
	const char *function = function_of(pid, causes[kind]);
	double ready = sum_of(pid, "ready").seconds, margin = by * want.seconds + ready + 0.001;
	long more = 1 + (long)((by < SAMPLED_POINTS ? 0.01 : by) * (double)want.waits);
	long more_locks = strcmp(causes[kind], "lock") == 0 ? MORE_LOCKS : 0;
	long fewer = strcmp(causes[kind], "child") == 0 ? want.waits / CHILDREN_SEEN : 0;

	ck_assert_msg(fabs(found.seconds - want.seconds) <= margin, "%s: %.4f s, not %.4f; ready %.4f",
		      causes[kind], found.seconds, want.seconds, ready);
	ck_assert_msg(found.waits >= want.waits - more - fewer &&
			      found.waits <= want.waits + more + more_locks,
		      "%s: %ld waits, not %ld", causes[kind], found.waits, want.waits);
	if (functions[kind])
		ck_assert_msg(strstr(function, functions[kind]) != NULL, "%s waits in %s", causes[kind],
			      function);
	ck_assert_str_ne(function, "");
}

START_LIVE_TEST(a_process_that_knows_what_it_waits_for)
{
	struct child *child = shared_memory(sizeof(*child));
	int disk = open_uncached(FILE_BLOCKS);
	pid_t pid = begin_waiter();

	if (pid == 0)
		live(child, disk);
	await(child, 1);
	open_counting(waiting_topic, scope_of(pid));
	skip_without_bpf("waiting");
	rig_next(&rig);
	kill(pid, SIGUSR1);
	await(child, 2);
	rig_next(&rig);
	for (enum kind kind = 0; kind < N_KINDS; kind++)
		if (kind != DISK || disk >= 0)
			check_kind(child, pid, kind, POINTS);
	ck_assert_double_eq_tol(ratio_of(pid), 1, 1e-6);
	end_child(pid);
	rig_close(&rig);
}

/* As an ordinary user: all times together are exact, and so are causes, except where a look comes late. */
START_LIVE_TEST(without_bpf_switches_are_counted)
{
	struct child *child = shared_memory(sizeof(*child));
	struct known all = { 0 }, found = { 0 };
	pid_t pid = begin_waiter();
	const struct table *table;

	if (pid == 0)
		live(child, -1);
	await(child, 1);
	without_bpf = true;
	open_counting(waiting_topic, scope_of(pid));
	rig_next(&rig);
	kill(pid, SIGUSR1);
	await(child, 2);
	rig_next(&rig);
	without_bpf = false;
	table = frame_table(rig.now, "waiting");
	ck_assert_uint_gt(table->n_rows, 0);
	ck_assert_double_eq_tol(ratio_of(pid), 1, 1e-6);
	for (enum kind kind = 0; kind < DISK; kind++) {
		all.seconds += child->known[kind].seconds;
		all.waits += child->known[kind].waits;
		found.seconds += sum_of(pid, causes[kind]).seconds;
		found.waits += sum_of(pid, causes[kind]).waits;
	}
	if (strcmp(table_text(table, table_row(table, 0), "how"), "switches") != 0) {
		end_child(pid);
		rig_close(&rig);
		skip_test("perf events are not permitted");
	}
	ck_assert_double_eq_tol(found.seconds, all.seconds,
				POINTS * all.seconds + sum_of(pid, "ready").seconds +
					sum_of(pid, "other").seconds);
	ck_assert_double_eq_tol((double)found.waits, (double)all.waits,
				2 + POINTS * (double)all.waits + (double)sum_of(pid, "other").waits);
	for (enum kind kind = 0; kind < DISK; kind++)
		check_kind(child, pid, kind, SAMPLED_POINTS);
	end_child(pid);
	rig_close(&rig);
}

/* As on the screen, where a process is chosen; then another one. */
START_LIVE_TEST(the_selected_process)
{
	struct child *child = shared_memory(sizeof(*child));
	pid_t pid = begin_waiter(), other;

	if (pid == 0)
		live(child, -1);
	await(child, 1);
	other = begin_waiter();
	if (other == 0)
		for (;;)
			rest_ns(PAUSE_NS);
	open_counting(waiting_topic, NULL);
	ck_assert_uint_eq(frame_table(rig.now, "waiting")->n_rows, 0); /* nothing is chosen */
	rig.request.mapped = (struct process_choice){ .is_set = true, .pid = (uint32_t)pid };
	rig_next(&rig);
	skip_without_bpf("waiting");
	kill(pid, SIGUSR1);
	await(child, 2);
	rig_next(&rig);
	for (enum kind kind = 0; kind < DISK; kind++)
		check_kind(child, pid, kind, POINTS);
	ck_assert_double_eq_tol(sum_of(0, NULL).seconds, sum_of(pid, NULL).seconds, 1e-9);
	rig.request.mapped.pid = (uint32_t)other;
	rig_next(&rig);
	rest_ns(5 * PAUSE_NS);
	rig_next(&rig);
	ck_assert_double_eq_tol(ratio_of(other), 1, 1e-6);
	ck_assert_double_eq(ratio_of(pid), 0);
	end_child(other);
	end_child(pid);
	rig_close(&rig);
}

/* One that waits since before it was looked at, and does not end. */
START_LIVE_TEST(a_wait_that_neither_begins_nor_ends)
{
	pid_t pid = begin_waiter();

	if (pid == 0)
		for (;;)
			poll(NULL, 0, 1000000);
	rest_ns(20000000);
	open_counting(waiting_topic, scope_of(pid));
	skip_without_bpf("waiting");
	for (unsigned tick = 0; tick < 3; tick++) {
		rest_ns(10000000);
		rig_next(&rig);
		ck_assert_uint_eq(frame_table(rig.now, "waiting")->n_rows, 1);
		ck_assert_double_eq_tol(ratio_of(pid), 1, 1e-6);
		ck_assert_ptr_nonnull(strstr(function_of(pid, "poll"), "poll"));
		ck_assert_int_eq(sum_of(pid, "poll").waits, 0);
	}
	end_child(pid);
	rig_close(&rig);
}

static void *switch_often(void *nothing)
{
	for (;;)
		rest_ns(20000);
	return nothing;
}

/* Of threads of which none begins or ends meanwhile. */
START_LIVE_TEST(ratios_add_up_to_threads)
{
	struct child *child = shared_memory(sizeof(*child));
	long waits = 0;
	pthread_t thread;
	pid_t pid = begin_waiter();

	if (pid == 0) {
		for (unsigned i = 0; i < THREADS; i++)
			if (pthread_create(&thread, NULL, switch_often, NULL) != 0)
				_exit(1);
		reach(child, 1);
		switch_often(NULL);
	}
	await(child, 1);
	open_counting(waiting_topic, scope_of(pid));
	skip_without_bpf("waiting");
	for (unsigned tick = 0; tick < 20; tick++) {
		rest_ns(10000000);
		rig_next(&rig);
		ck_assert_double_eq_tol(ratio_of(pid), 1 + THREADS, 1e-6);
		waits += sum_of(pid, "sleep").waits;
	}
	ck_assert_int_ge(waits, 20);
	end_child(pid);
	rig_close(&rig);
}

/* -1: it may not, or the kernel has none. */
static int open_faults(void *memory, size_t bytes)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { (uintptr_t)memory, bytes },
					 .mode = UFFDIO_REGISTER_MODE_MISSING };
	int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);

	if (faults >= 0 && ioctl(faults, UFFDIO_API, &api) == 0 &&
	    ioctl(faults, UFFDIO_REGISTER, &range) == 0)
		return faults;
	return -1;
}

/* Each page comes after a while. */
static void *serve_faults(void *of)
{
	int faults = *(int *)of;
	static _Alignas(4096) char page[BLOCK];
	struct uffd_msg message;

	while (read(faults, &message, sizeof(message)) == (ssize_t)sizeof(message)) {
		struct uffdio_copy copy = { .dst = message.arg.pagefault.address & ~(uint64_t)(BLOCK - 1),
					    .src = (uintptr_t)page,
					    .len = BLOCK };

		rest_ns(PAUSE_NS);
		ioctl(faults, UFFDIO_COPY, &copy);
	}
	return NULL;
}

/* A thread gives the other one its pages; it waits where that is not tested. */
static void fault(struct child *child)
{
	char *memory = mmap(NULL, ROUNDS * BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int faults = open_faults(memory, ROUNDS * BLOCK);
	pthread_t server;
	struct stretch start;

	atomic_store(&child->word, faults < 0);
	if (faults >= 0 && pthread_create(&server, NULL, serve_faults, &faults) != 0)
		_exit(1);
	reach(child, 1);
	await_signal();
	start = begin();
	for (size_t i = 0; faults >= 0 && i < ROUNDS; i++)
		((volatile char *)memory)[i * BLOCK] = 1;
	end(child, start, SLEEP);
	reach(child, 2);
	for (;;)
		await_signal();
}

START_LIVE_TEST(page_faults_that_wait)
{
	struct child *child = shared_memory(sizeof(*child));
	pid_t pid = begin_waiter();
	struct known found, want;

	if (pid == 0)
		fault(child);
	await(child, 1);
	if (atomic_load(&child->word)) {
		end_child(pid);
		skip_test("userfaultfd(2) is not permitted, or not there");
	}
	open_counting(waiting_topic, scope_of(pid));
	skip_without_bpf("waiting");
	rig_next(&rig);
	kill(pid, SIGUSR1);
	await(child, 2);
	rig_next(&rig);
	found = sum_of(pid, "memory");
	want = child->known[SLEEP];
	ck_assert_double_eq_tol(found.seconds, want.seconds,
				POINTS * want.seconds + sum_of(pid, "ready").seconds + 0.001);
	ck_assert_int_ge(found.waits, want.waits - 1);
	ck_assert_int_le(found.waits, want.waits + 1);
	ck_assert_double_eq_tol(ratio_of(pid), 2, 1e-6);
	end_child(pid);
	rig_close(&rig);
}

/* Processes that begin and end between two ticks, one of which executes another program. */
START_LIVE_TEST(processes_that_come_and_go)
{
	struct child *child = shared_memory(sizeof(*child));
	pid_t pid = begin_waiter();
	char tree[32];
	struct known sleeps;

	if (pid == 0) {
		reach(child, 1);
		await_signal();
		for (unsigned i = 0; i < ROUNDS; i++)
			wait_for_child();
		if (fork() == 0)
			execlp("sleep", "sleep", "0.1", (char *)NULL);
		wait(NULL);
		reach(child, 2);
		for (;;)
			await_signal();
	}
	await(child, 1);
	snprintf(tree, sizeof(tree), "tree=%d", (int)pid);
	open_counting(waiting_topic, tree);
	skip_without_bpf("waiting");
	rig_next(&rig);
	kill(pid, SIGUSR1);
	await(child, 2);
	rig_next(&rig);
	sleeps = sum_of(0, "sleep");
	ck_assert_int_eq(sleeps.waits, ROUNDS + 1);
	ck_assert_double_ge(sleeps.seconds, ROUNDS * (double)PAUSE_NS / 1e9 + 0.1);
	ck_assert_int_eq(sum_of(pid, "child").waits, ROUNDS + 1);
	ck_assert_double_eq_tol(ratio_of(pid), 1, 1e-6);
	rig_next(&rig);
	ck_assert_int_eq(sum_of(0, "sleep").waits, 0); /* they are gone */
	ck_assert_double_eq_tol(sum_of(0, NULL).seconds, sum_of(pid, NULL).seconds, 1e-9);
	end_child(pid);
	rig_close(&rig);
}

static void read_byte(int file)
{
	char byte;

	if (read(file, &byte, 1) != 1)
		_exit(1);
}

static long waits_so_far(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

/* chain-c sleeps and writes to chain-b, which writes to chain-a. */
static pid_t begin_link(const char *name, int from, int to, struct child *child, unsigned link)
{
	pid_t pid = begin_waiter();
	long before;

	if (pid != 0)
		return pid;
	prctl(PR_SET_NAME, name);
	atomic_fetch_add(&child->word, 1);
	await_signal();
	before = waits_so_far();
	for (unsigned round = 0; round < 4 * ROUNDS; round++) {
		if (from < 0)
			rest_ns(2000000);
		else
			read_byte(from);
		if (to >= 0 && write(to, "x", 1) != 1)
			_exit(1);
	}
	child->known[link].waits = waits_so_far() - before;
	atomic_fetch_add(&child->step, 1);
	for (;;)
		await_signal();
}

static long wakes_of(const char *waker, const char *woken)
{
	const struct table *table = frame_table(rig.now, "wake");

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (strcmp(table_text(table, row, "waker"), waker) == 0 &&
		    strcmp(table_text(table, row, "woken"), woken) == 0)
			return (long)table_number(table, row, "wakes");
	}
	return 0;
}

static void check_chain(bool of_scope)
{
	struct child *child = shared_memory(sizeof(*child));
	int first[2], second[2];
	pid_t pids[3];

	ck_assert_int_eq(pipe(first), 0);
	ck_assert_int_eq(pipe(second), 0);
	pids[0] = begin_link("chain-a", first[0], -1, child, 0);
	pids[1] = begin_link("chain-b", second[0], first[1], child, 1);
	pids[2] = begin_link("chain-c", -1, second[1], child, 2);
	while (atomic_load(&child->word) < 3)
		rest_ns(1000000);
	open_counting(wake_topic, of_scope ? textf("pid=%d,%d,%d", (int)pids[0], (int)pids[1], (int)pids[2]) :
		      NULL);
	rest_ns(10000000);
	rig_next(&rig);
	for (unsigned i = 0; i < 3; i++)
		kill(pids[i], SIGUSR1);
	await(child, 3);
	rig_next(&rig);
	skip_without_bpf("wake");
	ck_assert_int_ge(wakes_of("chain-b", "chain-a"), child->known[0].waits - 1);
	ck_assert_int_le(wakes_of("chain-b", "chain-a"), 4 * ROUNDS);
	ck_assert_int_ge(wakes_of("chain-c", "chain-b"), child->known[1].waits - 1);
	ck_assert_int_le(wakes_of("chain-c", "chain-b"), 4 * ROUNDS);
	ck_assert_int_gt(wakes_of("(timer)", "chain-c"), 2 * ROUNDS);
	ck_assert_int_gt(child->known[0].waits, ROUNDS);
	ck_assert_int_eq(wakes_of("chain-a", "chain-b") + wakes_of("chain-b", "chain-c"), 0);
	for (unsigned i = 0; i < 3; i++)
		end_child(pids[i]);
	rig_close(&rig);
}

START_LIVE_TEST(a_chain_of_three_is_in_order)
{
	check_chain(true);
}

START_LIVE_TEST(a_chain_of_three_on_the_whole_machine)
{
	check_chain(false);
}
