/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of system calls and opened files, as the kernel counts them: of children that know what they call. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/sched.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "suite.h"
#include "topic/topic.h"

#define CALLS 1000000L
#define FAILURES 1000
#define SLEEPS 20
#define SLEEP_NS 5000000L
#define FILES 10000
#define OTHER_ABI_CALLS 77
#define FORKS 10

static const char *const call_topic[] = { "call", NULL };
static const char *const opened_topics[] = { "opened", "opened_total", NULL };
static const char *const total_topic[] = { "opened_total", NULL };

static struct machine machine;
static struct scope scope;
static bool without_bpf;

/* Shared with a child. */
struct child {
	_Atomic uint32_t step;
	double slept;           /* seconds, by its own clock */
	uint64_t results[4096]; /* of FILES opens, by error */
};

static void rest(long nanoseconds)
{
	struct timespec pause = { .tv_nsec = nanoseconds };

	while (nanosleep(&pause, &pause) < 0 && errno == EINTR)
		;
}

static struct child *shared_child(void)
{
	void *memory =
		mmap(NULL, sizeof(struct child), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory;
}

/* A child spins on memory, so that it makes no call of which it does not know. */
static void await_quietly(const struct child *child, uint32_t step)
{
	while (atomic_load(&child->step) < step)
		;
}

static void await(const struct child *child, uint32_t step)
{
	while (atomic_load(&child->step) < step)
		rest(1000000);
}

static pid_t begin_child(void)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

/* in: NULL: the whole machine. The child does its work between this and the next tick. */
static void open_counting(const char *const *names, const char *in)
{
	machine.request.batch = true;
	machine.request.scope = NULL;
	scope_free(&scope);
	scope = (struct scope){ 0 };
	open_machine(&machine, names);
	machine.request.no_bpf = without_bpf;
	if (in)
		choose_scope(&machine, &scope, in);
	next_tick(&machine);
}

static const char *in_process(pid_t pid)
{
	static char text[32];

	snprintf(text, sizeof(text), "pid=%d", (int)pid);
	return text;
}

static const char *in_tree(pid_t pid)
{
	static char text[32];

	snprintf(text, sizeof(text), "tree=%d", (int)pid);
	return text;
}

static void skip_without_bpf(const char *topic, pid_t pid)
{
	bool fails = false;

	for (unsigned i = 0; i < machine.now->n_notices; i++)
		fails |= strcmp(machine.now->notices[i].topic, topic) == 0;
	if (!fails)
		return;
	end_child(pid);
	close_machine(&machine);
	skip_test("BPF is not permitted, or this kernel is too old");
}

#define EXITED 0

/* The row of this process and call, or of those that exited; NULL: there is none. */
static const void *row_of(pid_t pid, const char *call)
{
	const struct table *table = frame_table(machine.now, "call");

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		double of = table_number(table, row, "pid");

		if ((isnan(of) ? EXITED : of) == pid &&
		    strcmp(table_text(table, row, "call"), call) == 0)
			return row;
	}
	return NULL;
}

static double number_of(pid_t pid, const char *call, const char *column)
{
	const void *row = row_of(pid, call);

	return row ? table_number(frame_table(machine.now, "call"), row, column) : NAN;
}

static const char *text_of(pid_t pid, const char *call, const char *column)
{
	const void *row = row_of(pid, call);

	return row ? table_text(frame_table(machine.now, "call"), row, column) : "";
}

static bool is_noticed(const char *text)
{
	for (unsigned i = 0; i < machine.now->n_notices; i++)
		if (strstr(machine.now->notices[i].text, text))
			return true;
	return false;
}

static double now_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void sleep_by_the_clock(struct child *child)
{
	const struct timespec pause = { .tv_nsec = SLEEP_NS };
	double before = now_seconds();

	for (unsigned i = 0; i < SLEEPS; i++)
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
	child->slept = now_seconds() - before;
}

/* getpid of programs of 32 bits, which has another number there. */
static void call_as_32_bits(void)
{
#ifdef __x86_64__
	for (unsigned i = 0; i < OTHER_ABI_CALLS; i++) {
		long result = 20;

		__asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
	}
#endif
}

static void make_calls(struct child *child)
{
	char byte;
	int full;

	await_quietly(child, 2);
	for (long i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	full = (int)syscall(SYS_openat, AT_FDCWD, "/dev/full", O_WRONLY);
	for (unsigned i = 0; i < FAILURES; i++) {
		syscall(SYS_openat, AT_FDCWD, "/nowhere", O_RDONLY);
		syscall(SYS_read, -1, &byte, 1);
		if (i % 2 == 0)
			syscall(SYS_write, full, "x", 1);
	}
	for (unsigned i = 0; i < 3; i++)
		syscall(60000);
	call_as_32_bits();
	sleep_by_the_clock(child);
	atomic_store(&child->step, 3);
	for (;;)
		;
}

static void check_calls(pid_t pid)
{
	ck_assert_double_eq(number_of(pid, "getppid", "calls"), CALLS);
	ck_assert_double_eq(number_of(pid, "getppid", "errors"), 0);
	ck_assert_double_eq(number_of(pid, "openat", "calls"), FAILURES + 1);
	ck_assert_double_eq(number_of(pid, "openat", "errors"), FAILURES);
	ck_assert_str_eq(text_of(pid, "openat", "error_names"), "ENOENT 1000");
	ck_assert_double_eq(number_of(pid, "read", "errors"), FAILURES);
	ck_assert_str_eq(text_of(pid, "read", "error_names"), "EBADF 1000");
	ck_assert_str_eq(text_of(pid, "write", "error_names"), "ENOSPC 500");
	ck_assert_double_eq(number_of(pid, "(invalid)", "errors"), 3);
	ck_assert_double_eq(number_of(pid, "clock_nanosleep", "calls"), SLEEPS);
#ifdef __x86_64__
	if (row_of(pid, "i386:20")) /* a kernel may be built without */
		ck_assert_double_eq(number_of(pid, "i386:20", "calls"), OTHER_ABI_CALLS);
	ck_assert_ptr_null(row_of(pid, "writev")); /* 20 of 64 bits */
#endif
}

/* Begins, and leads to the tick with all of its calls. */
static pid_t run_calls(struct child *child, bool of_scope)
{
	pid_t pid = begin_child();

	if (pid == 0)
		make_calls(child);
	open_counting(call_topic, of_scope ? in_process(pid) : NULL);
	next_tick(&machine);
	skip_without_bpf("call", pid);
	atomic_store(&child->step, 2);
	await(child, 3);
	next_tick(&machine);
	return pid;
}

START_LIVE_TEST(calls_and_errors_of_all_are_exact)
{
	struct child *child = shared_child();
	pid_t pid = run_calls(child, false);

	check_calls(pid);
	ck_assert(isnan(number_of(pid, "getppid", "seconds"))); /* others are not timed */
	end_child(pid);
	close_machine(&machine);
}

START_LIVE_TEST(calls_of_a_process_are_timed)
{
	struct child *child = shared_child();
	pid_t pid = run_calls(child, true);
	double seconds = number_of(pid, "clock_nanosleep", "seconds");

	check_calls(pid);
	ck_assert_double_ge(seconds, SLEEPS * SLEEP_NS / 1e9);
	ck_assert_double_le(seconds, child->slept);
	ck_assert_double_ge(number_of(pid, "clock_nanosleep", "p50_seconds"), SLEEP_NS / 1e9);
	ck_assert_double_ge(number_of(pid, "clock_nanosleep", "p99_seconds"),
			    number_of(pid, "clock_nanosleep", "p50_seconds"));
	ck_assert_double_ge(number_of(pid, "clock_nanosleep", "max_seconds"),
			    number_of(pid, "clock_nanosleep", "p99_seconds"));
	ck_assert_double_ge(seconds, SLEEPS * number_of(pid, "clock_nanosleep", "p50_seconds") / 1.07 / 2);
	ck_assert_double_gt(number_of(pid, "getppid", "p50_seconds"), 0);
	ck_assert_double_ge(number_of(pid, "getppid", "max_seconds"),
			    number_of(pid, "getppid", "p50_seconds"));
	end_child(pid);
	close_machine(&machine);
}

/* What the child of begin_child() does from its step 2 to its step 3 is in one tick. */
static void count_child(struct child *child, pid_t pid, const char *in)
{
	open_counting(call_topic, in);
	next_tick(&machine);
	skip_without_bpf("call", pid);
	atomic_store(&child->step, 2);
	await(child, 3);
	next_tick(&machine);
}

/* A process of the tree that begins and ends between two ticks is in the rows of those that exited. */
static void beget(struct child *child)
{
	await_quietly(child, 2);
	for (unsigned i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			for (unsigned call = 0; call < 300; call++)
				syscall(SYS_getsid, 0);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	for (unsigned call = 0; call < 11; call++)
		syscall(SYS_getsid, 0);
	atomic_store(&child->step, 3);
	for (;;)
		;
}

START_LIVE_TEST(short_lived_processes_of_a_tree_are_counted)
{
	struct child *child = shared_child();
	pid_t pid = begin_child();

	if (pid == 0)
		beget(child);
	count_child(child, pid, in_tree(pid));
	ck_assert_double_eq(number_of(pid, "getsid", "calls"), 11);
	ck_assert_double_eq(number_of(EXITED, "getsid", "calls"), 5 * 300);
	ck_assert_double_gt(number_of(EXITED, "getsid", "seconds"), 0);
	ck_assert_str_eq(text_of(EXITED, "getsid", "command"), "(exited)");
	next_tick(&machine);
	ck_assert_double_eq(number_of(EXITED, "getsid", "calls"), 5 * 300); /* it stays */
	end_child(pid);
	next_tick(&machine);
	next_tick(&machine);
	ck_assert_double_eq(number_of(EXITED, "getsid", "calls"), 5 * 300); /* 11 were shown before */
	ck_assert_ptr_null(row_of(pid, "getsid"));
	close_machine(&machine);
}

/* It is the same process, by another name. */
START_LIVE_TEST(a_process_that_execs_goes_on)
{
	struct child *child = shared_child();
	pid_t pid = begin_child();

	if (pid == 0) {
		await_quietly(child, 2);
		for (unsigned i = 0; i < 40; i++)
			syscall(SYS_getsid, 0);
		execl("/nowhere/sleep", "sleep", "1000", NULL);
		execlp("sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	open_counting(call_topic, in_process(pid));
	next_tick(&machine);
	skip_without_bpf("call", pid);
	atomic_store(&child->step, 2);
	do {
		rest(1000000);
		next_tick(&machine);
	} while (!(number_of(pid, "execve", "calls") > number_of(pid, "execve", "errors")));
	next_tick(&machine); /* processes are listed before calls are read */
	ck_assert_double_eq(number_of(pid, "getsid", "calls"), 40);
	ck_assert_double_ge(number_of(pid, "execve", "calls"), 2);
	ck_assert_double_eq(number_of(pid, "execve", "calls") - number_of(pid, "execve", "errors"), 1);
	ck_assert_double_gt(number_of(pid, "execve", "max_seconds"), 0);
	ck_assert_str_eq(text_of(pid, "getsid", "command"), "sleep");
	end_child(pid);
	close_machine(&machine);
}

/* A loop of calls costs more than what is permitted: first times end, then counts. */
START_LIVE_TEST(counting_ends_before_it_costs_much)
{
	pid_t pid = begin_child();
	double calls;

	if (pid == 0)
		for (;;)
			syscall(SYS_getppid);
	open_counting(call_topic, in_process(pid));
	skip_without_bpf("call", pid);
	while (!is_noticed("not timed any more")) {
		rest(100000000);
		next_tick(&machine);
	}
	calls = number_of(pid, "getppid", "calls");
	do {
		rest(10000000);
		next_tick(&machine);
	} while (number_of(pid, "getppid", "calls") <= calls);
	while (!is_noticed("not counted any more")) {
		rest(100000000);
		next_tick(&machine);
	}
	next_tick(&machine);
	ck_assert_ptr_null(row_of(pid, "getppid"));
	end_child(pid);
	close_machine(&machine);
}

/* A child returns from these, too: it did not make the call. */
START_LIVE_TEST(calls_that_fork_are_counted_once)
{
	struct child *child = shared_child();
	pid_t pid = begin_child();

	if (pid == 0) {
		struct clone_args how = { .exit_signal = SIGCHLD };

		await_quietly(child, 2);
		for (unsigned i = 0; i < 3 * FORKS; i++) {
			long forked = i < FORKS       ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)
				      : i < 2 * FORKS ? syscall(SYS_clone3, &how, sizeof(how))
						      : syscall(SYS_clone3, &how, 0); /* too small */

			if (forked == 0)
				_exit(0);
			waitpid(-1, NULL, 0);
		}
		atomic_store(&child->step, 3);
		for (;;)
			rest(1000000);
	}
	count_child(child, pid, in_tree(pid));
	ck_assert_double_eq(number_of(pid, "clone", "calls"), FORKS);
	ck_assert_double_eq(number_of(pid, "clone3", "calls"), 2 * FORKS);
	ck_assert_double_eq(number_of(pid, "clone3", "errors"), FORKS);
	ck_assert_ptr_null(row_of(EXITED, "clone"));
	ck_assert_ptr_null(row_of(EXITED, "clone3"));
	end_child(pid);
	close_machine(&machine);
}

START_LIVE_TEST(without_rights_calls_are_looked_at)
{
	pid_t pid = begin_child();

	if (pid == 0)
		for (;;)
			syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &(struct timespec){ 1000, 0 }, NULL);
	without_bpf = true;
	open_counting(call_topic, in_process(pid));
	without_bpf = false;
	for (unsigned tries = 0; !row_of(pid, "clock_nanosleep") && tries < 1000; tries++) {
		rest(10000000);
		next_tick(&machine);
	}
	if (!row_of(pid, "clock_nanosleep")) {
		end_child(pid);
		close_machine(&machine);
		skip_test("/proc/PID/syscall of an own process may not be read");
	}
	ck_assert_str_eq(text_of(pid, "clock_nanosleep", "how"), "proc");
	ck_assert_double_gt(number_of(pid, "clock_nanosleep", "seconds"), 0);
	ck_assert(isnan(number_of(pid, "clock_nanosleep", "calls")));
	ck_assert(isnan(number_of(pid, "clock_nanosleep", "errors")));
	end_child(pid);
	next_tick(&machine);
	next_tick(&machine);
	ck_assert_ptr_null(row_of(pid, "clock_nanosleep"));
	close_machine(&machine);
}

/* Results of opens in a directory of its own: found, not there, a directory, there already. */
static void open_files(struct child *child, const char *directory)
{
	char path[SCRATCH_PATH_MAX + 32];

	await_quietly(child, 2);
	for (unsigned i = 0; i < FILES; i++) {
		static const int flags[] = { O_RDWR | O_CREAT, O_RDONLY, O_WRONLY,
					     O_WRONLY | O_CREAT | O_EXCL };
		long file;

		snprintf(path, sizeof(path), "%s/file-%u", directory, i % 4 == 3 ? i - 3 : i);
		file = syscall(SYS_openat, AT_FDCWD, i % 4 == 2 ? directory : path, flags[i % 4], 0600);
		child->results[file < 0 ? errno : 0]++;
		if (file >= 0)
			close((int)file);
		if (i % 4 == 3)
			unlink(path);
	}
	atomic_store(&child->step, 3);
	for (;;)
		;
}

static double lost_of_stream(void)
{
	double lost = 0;

	for (unsigned i = 0; i < machine.now->n_notices; i++)
		if (strcmp(machine.now->notices[i].topic, "opened") == 0)
			lost = strtod(machine.now->notices[i].text, NULL);
	return lost;
}

/* Rows of a topic with this result; value: the column that is summed, NULL: how many rows. */
static double sum_of(const char *topic, const char *result, const char *value)
{
	const struct table *table = frame_table(machine.now, topic);
	double sum = 0;

	for (size_t i = 0; i < table->n_rows; i++)
		if (!result || strcmp(table_text(table, table_row(table, i), "result"), result) == 0)
			sum += value ? table_number(table, table_row(table, i), value) : 1;
	return sum;
}

START_LIVE_TEST(every_open_is_in_the_list_or_lost)
{
	struct child *child = shared_child();
	char directory[SCRATCH_PATH_MAX];
	double sum = 0;
	pid_t pid;

	scratch_directory(directory, "opens");
	pid = begin_child();
	if (pid == 0)
		open_files(child, directory);
	open_counting(opened_topics, in_process(pid));
	next_tick(&machine);
	skip_without_bpf("opened", pid);
	atomic_store(&child->step, 2);
	for (;;) {
		bool done = atomic_load(&child->step) == 3;

		next_tick(&machine);
		sum += sum_of("opened", NULL, NULL);
		if (done)
			break;
	}
	ck_assert_double_eq(sum + lost_of_stream(), FILES);
	ck_assert_double_eq(sum_of("opened_total", NULL, "opens"), FILES);
	ck_assert_uint_eq(child->results[0] + child->results[ENOENT] + child->results[EISDIR] +
				  child->results[EEXIST],
			  FILES);
	end_child(pid);
	close_machine(&machine);
}

/* From its second step to its third. */
static void count_opens_of(struct child *child, pid_t pid)
{
	open_counting(total_topic, in_process(pid));
	next_tick(&machine);
	skip_without_bpf("opened_total", pid);
	atomic_store(&child->step, 2);
	await(child, 3);
}

/* Fewer paths than the table has room for: each result is exact. */
START_LIVE_TEST(opens_are_summed_by_path_and_result)
{
	struct child *child = shared_child();
	char directory[SCRATCH_PATH_MAX];
	pid_t pid;

	scratch_directory(directory, "opens");
	pid = begin_child();
	if (pid == 0)
		open_files(child, directory);
	count_opens_of(child, pid);
	next_tick(&machine);
	ck_assert_double_eq(sum_of("opened_total", "opened", "opens"), (double)child->results[0]);
	ck_assert_double_eq(sum_of("opened_total", "ENOENT", "opens"), (double)child->results[ENOENT]);
	ck_assert_double_eq(sum_of("opened_total", "EISDIR", "opens"), (double)child->results[EISDIR]);
	ck_assert_double_eq(sum_of("opened_total", "EEXIST", "opens"), (double)child->results[EEXIST]);
	ck_assert_double_eq(sum_of("opened_total", "EISDIR", NULL), 1);
	end_child(pid);
	close_machine(&machine);
}

static const char *path_at(size_t row)
{
	const struct table *table = frame_table(machine.now, "opened");

	return row < table->n_rows ? table_text(table, table_row(table, row), "path") : "";
}

/* As long as a path can be, longer, with escapes, empty, from nowhere. */
static void open_badly(struct child *child)
{
	static char path[5000];

	memset(path, 'x', sizeof(path) - 1);
	await_quietly(child, 2);
	path[4095] = '\0';
	syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	path[4095] = 'x';
	syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, "\033[2J\xff\xc3/../\n", O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, "", O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, (void *)1, O_RDONLY);
	atomic_store(&child->step, 3);
	for (;;)
		;
}

START_LIVE_TEST(paths_may_be_anything)
{
	struct child *child = shared_child();
	pid_t pid = begin_child();

	if (pid == 0)
		open_badly(child);
	open_counting(opened_topics, in_process(pid));
	next_tick(&machine);
	skip_without_bpf("opened", pid);
	atomic_store(&child->step, 2);
	await(child, 3);
	next_tick(&machine);
	ck_assert_uint_eq(frame_table(machine.now, "opened")->n_rows, 5);
	ck_assert_uint_eq(strlen(path_at(0)), 4095);
	ck_assert_uint_eq(strlen(path_at(1)), 4095); /* without its end */
	ck_assert_str_eq(path_at(2), "\033[2J\xff\xc3/../\n");
	ck_assert_str_eq(path_at(3), "");
	ck_assert_str_eq(path_at(4), "(unreadable)");
	ck_assert_double_eq(sum_of("opened", "ENAMETOOLONG", NULL), 2);
	ck_assert_double_eq(sum_of("opened", "ENOENT", NULL), 2);
	ck_assert_double_eq(sum_of("opened", "EFAULT", NULL), 1);
	ck_assert_double_eq(sum_of("opened_total", NULL, "opens"), 5);
	ck_assert_double_eq(sum_of("opened_total", "ENAMETOOLONG", NULL),
			    1); /* their beginning is the same */
	end_child(pid);
	close_machine(&machine);
}

static double opens_of(const char *path)
{
	const struct table *table = frame_table(machine.now, "opened_total");

	for (size_t i = 0; i < table->n_rows; i++)
		if (strcmp(table_text(table, table_row(table, i), "path"), path) == 0)
			return table_number(table, table_row(table, i), "opens");
	return 0;
}

/* 119 bytes are what a row has room for. */
START_LIVE_TEST(a_path_that_fits_is_whole)
{
	struct child *child = shared_child();
	pid_t pid = begin_child();
	char path[128];

	memset(path, 'x', sizeof(path));
	if (pid == 0) {
		await_quietly(child, 2);
		for (unsigned length = 118; length <= 121; length++) {
			path[length] = '\0';
			syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
			path[length] = 'x';
		}
		atomic_store(&child->step, 3);
		for (;;)
			;
	}
	count_opens_of(child, pid);
	next_tick(&machine);
	ck_assert_double_eq(sum_of("opened_total", NULL, NULL), 3);
	strcpy(path + 119, "…");
	ck_assert_double_eq(opens_of(path), 2);
	path[119] = '\0';
	ck_assert_double_eq(opens_of(path), 1);
	path[118] = '\0';
	ck_assert_double_eq(opens_of(path), 1);
	end_child(pid);
	close_machine(&machine);
}

/* More than there is room for: what is not in a row of its own is counted all the same. */
START_LIVE_TEST(any_number_of_paths_is_counted)
{
	struct child *child = shared_child();
	const unsigned n_paths = 30000;
	pid_t pid = begin_child();

	if (pid == 0) {
		await_quietly(child, 2);
		for (unsigned i = 0; i < n_paths; i++)
			syscall(SYS_openat, AT_FDCWD, textf("/nowhere/%u/%u", i % 7, i), O_RDONLY);
		atomic_store(&child->step, 3);
		for (;;)
			;
	}
	count_opens_of(child, pid);
	for (unsigned ticks = 0; ticks < 3; ticks++) {
		next_tick(&machine);
		ck_assert_double_eq(sum_of("opened_total", NULL, "opens"), n_paths);
		ck_assert_uint_le(frame_table(machine.now, "opened_total")->n_rows, 8192 + 1);
	}
	ck_assert_double_le(sum_of("opened_total", NULL, NULL), 8); /* directories, and others */
	end_child(pid);
	close_machine(&machine);
}

#define PROGRAMS_MAX 32

/* The numbers of the BPF programs of which a process has descriptors. */
static unsigned programs_of(pid_t pid, uint32_t ids[PROGRAMS_MAX])
{
	unsigned n = 0;

	for (unsigned fd = 0; fd < 256 && n < PROGRAMS_MAX; fd++) {
		char line[128];
		FILE *file;

		file = fopen(textf("/proc/%d/fdinfo/%u", (int)pid, fd), "r");
		while (file && fgets(line, sizeof(line), file))
			if (strncmp(line, "prog_id:", 8) == 0)
				ids[n++] = (uint32_t)strtoul(line + 8, NULL, 10);
		if (file)
			fclose(file);
	}
	return n;
}

static bool program_exists(uint32_t id)
{
	union bpf_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id;
	fd = syscall(SYS_bpf, BPF_PROG_GET_FD_BY_ID, &attr, sizeof(attr));
	if (fd >= 0)
		close((int)fd);
	return fd >= 0;
}

START_LIVE_TEST(nothing_stays_after_a_kill)
{
	static const char *const names[] = { "call", "opened", "opened_total", NULL };
	struct child *child = shared_child();
	uint32_t ids[PROGRAMS_MAX];
	pid_t pid = begin_child();
	unsigned n, n_alive;

	if (pid == 0) {
		open_counting(names, NULL);
		next_tick(&machine);
		atomic_store(&child->step, 1);
		for (;;)
			rest(1000000);
	}
	await(child, 1);
	n = programs_of(pid, ids);
	if (n == 0) {
		end_child(pid);
		skip_test("BPF is not permitted, or this kernel is too old");
	}
	ck_assert_uint_ge(n, 3);
	ck_assert(program_exists(ids[0]));
	end_child(pid);
	do { /* the kernel frees them a moment later */
		rest(1000000);
		n_alive = 0;
		for (unsigned i = 0; i < n; i++)
			n_alive += program_exists(ids[i]);
	} while (n_alive > 0);
}
