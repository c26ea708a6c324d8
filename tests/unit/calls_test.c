/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of system calls and opened files, as the kernel counts them: of children that know what they call. */
#include "rig.h"

#include <linux/bpf.h>
#include <linux/sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

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

static struct rig rig;
static struct scope scope;
static bool without_bpf;

/* Shared with a child. */
struct child {
	_Atomic uint32_t step;
	double slept;           /* seconds, by its own clock */
	uint64_t results[4096]; /* of FILES opens, by error */
};

/* A child spins on memory, so that it makes no call of which it does not know. */
static void await_quietly(const struct child *child, uint32_t step)
{
	while (atomic_load(&child->step) < step)
		;
}

static void await(const struct child *child, uint32_t step)
{
	while (atomic_load(&child->step) < step)
		rest_ns(1000000);
}

/* One that does this in its step 2, and nothing more. */
static pid_t begin_work(struct child *child, void (*work)(struct child *child, const char *with),
			const char *with)
{
	pid_t pid = begin_child();

	if (pid > 0)
		return pid;
	await_quietly(child, 2);
	work(child, with);
	atomic_store(&child->step, 3);
	for (;;)
		;
}

static void end(pid_t pid)
{
	end_child(pid);
	rig_close(&rig);
}

/* in: NULL: the whole machine. The child does its work between this and the next tick. */
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

static void skip_without_bpf(const char *topic, pid_t pid)
{
	bool fails = false;

	for (unsigned i = 0; i < rig.now->n_notices; i++)
		fails |= strcmp(rig.now->notices[i].topic, topic) == 0;
	if (!fails)
		return;
	end(pid);
	skip_test("BPF is not permitted, or this kernel is too old");
}

/* Lets the child do its step 2; its calls are in the tick that follows. */
static void count_work(const char *const *names, const char *in, struct child *child, pid_t pid)
{
	open_counting(names, in);
	rig_next(&rig);
	skip_without_bpf(names[0], pid);
	atomic_store(&child->step, 2);
	await(child, 3);
	rig_next(&rig);
}

#define EXITED 0

/* The row of this process and call, or of those that exited; NULL: there is none. */
static const void *row_of(pid_t pid, const char *call)
{
	const struct table *table = frame_table(rig.now, "call");

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double of = table_number(table, row, "pid");

		if ((isnan(of) ? EXITED : of) == pid && strcmp(table_text(table, row, "call"), call) == 0)
			return row;
	}
	return NULL;
}

static double number_of(pid_t pid, const char *call, const char *column)
{
	const void *row = row_of(pid, call);

	return row ? table_number(frame_table(rig.now, "call"), row, column) : NAN;
}

/* As check_values() of "call=… calls=…". */
static void check_call(pid_t pid, const char *values)
{
	const void *row = row_of(pid, textf("%.*s", (int)strcspn(values + 5, " "), values + 5));
	char *found;

	ck_assert_msg(row != NULL, "there is no %s", values);
	found = row_values(frame_table(rig.now, "call")->schema, row, values);
	ck_assert_str_eq(found, values);
	free(found);
}

static bool is_noticed(const char *text)
{
	for (unsigned i = 0; i < rig.now->n_notices; i++)
		if (strstr(rig.now->notices[i].text, text))
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

static void make_calls(struct child *child, const char *nothing)
{
	char byte;
	int full;

	(void)nothing;
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
}

static void check_calls(pid_t pid)
{
	check_call(pid, "call=getppid calls=1000000 errors=0");
	check_call(pid, "call=openat calls=1001 errors=1000 error_names=ENOENT 1000");
	check_call(pid, "call=read errors=1000 error_names=EBADF 1000");
	check_call(pid, "call=write error_names=ENOSPC 500");
	check_call(pid, "call=(invalid) errors=3");
	check_call(pid, "call=clock_nanosleep calls=20");
#ifdef __x86_64__
	if (row_of(pid, "i386:20")) /* a kernel may be built without */
		check_call(pid, "call=i386:20 calls=77");
	ck_assert_ptr_null(row_of(pid, "writev")); /* 20 of 64 bits */
#endif
}

START_LIVE_TEST(calls_and_errors_of_all_are_exact)
{
	struct child *child = shared_memory(sizeof(struct child));
	pid_t pid = begin_work(child, make_calls, NULL);

	count_work(call_topic, NULL, child, pid);
	check_calls(pid);
	check_call(pid, "call=getppid seconds=?"); /* others are not timed */
	end(pid);
}

START_LIVE_TEST(calls_of_a_process_are_timed)
{
	struct child *child = shared_memory(sizeof(struct child));
	pid_t pid = begin_work(child, make_calls, NULL);
	double seconds, half, most, longest;

	count_work(call_topic, textf("pid=%d", (int)pid), child, pid);
	check_calls(pid);
	seconds = number_of(pid, "clock_nanosleep", "seconds");
	half = number_of(pid, "clock_nanosleep", "p50_seconds");
	most = number_of(pid, "clock_nanosleep", "p99_seconds");
	longest = number_of(pid, "clock_nanosleep", "max_seconds");
	ck_assert(seconds >= SLEEPS * SLEEP_NS / 1e9 && seconds <= child->slept);
	ck_assert(SLEEP_NS / 1e9 <= half && half <= most && most <= longest);
	ck_assert_double_ge(seconds, SLEEPS * half / 1.07 / 2);
	ck_assert_double_gt(number_of(pid, "getppid", "p50_seconds"), 0);
	ck_assert_double_ge(number_of(pid, "getppid", "max_seconds"),
			    number_of(pid, "getppid", "p50_seconds"));
	end(pid);
}

/* A process of the tree that begins and ends between two ticks is in the rows of those that exited. */
static void beget(struct child *child, const char *nothing)
{
	(void)child, (void)nothing;
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
}

START_LIVE_TEST(short_lived_processes_of_a_tree_are_counted)
{
	struct child *child = shared_memory(sizeof(struct child));
	pid_t pid = begin_work(child, beget, NULL);

	count_work(call_topic, textf("tree=%d", (int)pid), child, pid);
	check_call(pid, "call=getsid calls=11");
	check_call(EXITED, "call=getsid calls=1500 command=(exited)");
	ck_assert_double_gt(number_of(EXITED, "getsid", "seconds"), 0);
	rig_next(&rig);
	check_call(EXITED, "call=getsid calls=1500"); /* it stays */
	end_child(pid);
	rig_next(&rig);
	rig_next(&rig);
	check_call(EXITED, "call=getsid calls=1500"); /* 11 were shown before */
	ck_assert_ptr_null(row_of(pid, "getsid"));
	rig_close(&rig);
}

/* It is the same process, by another name. */
START_LIVE_TEST(a_process_that_execs_goes_on)
{
	struct child *child = shared_memory(sizeof(struct child));
	pid_t pid = begin_child();

	if (pid == 0) {
		await_quietly(child, 2);
		for (unsigned i = 0; i < 40; i++)
			syscall(SYS_getsid, 0);
		execl("/nowhere/sleep", "sleep", "1000", NULL);
		execlp("sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	open_counting(call_topic, textf("pid=%d", (int)pid));
	rig_next(&rig);
	skip_without_bpf("call", pid);
	atomic_store(&child->step, 2);
	do {
		rest_ns(1000000);
		rig_next(&rig);
	} while (!(number_of(pid, "execve", "calls") > number_of(pid, "execve", "errors")));
	rig_next(&rig); /* processes are listed before calls are read */
	check_call(pid, "call=getsid calls=40 command=sleep");
	ck_assert_double_ge(number_of(pid, "execve", "calls"), 2);
	ck_assert_double_eq(number_of(pid, "execve", "calls") - number_of(pid, "execve", "errors"), 1);
	ck_assert_double_gt(number_of(pid, "execve", "max_seconds"), 0);
	end(pid);
}

/* A loop of calls costs more than what is permitted: first times end, then it is counted in bursts. */
START_LIVE_TEST(calls_are_counted_in_bursts_before_that_costs_much)
{
	pid_t pid = begin_child();
	double calls;

	if (pid == 0)
		for (;;)
			syscall(SYS_getppid);
	open_counting(call_topic, textf("pid=%d", (int)pid));
	skip_without_bpf("call", pid);
	while (!is_noticed("no longer timed")) {
		rest_ns(100000000);
		rig_next(&rig);
	}
	calls = number_of(pid, "getppid", "calls");
	do {
		rest_ns(10000000);
		rig_next(&rig);
	} while (number_of(pid, "getppid", "calls") <= calls);
	while (!is_noticed("Estimates: ")) {
		rest_ns(100000000);
		rig_next(&rig);
	}
	calls = number_of(pid, "getppid", "calls");
	for (unsigned i = 0; i < 3; i++) {
		rest_ns(1000000);
		rig_next(&rig);
		ck_assert_double_gt(number_of(pid, "getppid", "calls_per_second"), 0);
		ck_assert_double_gt(number_of(pid, "getppid", "error_ratio"), 0);
		ck_assert_double_gt(number_of(pid, "getppid", "calls"), calls);
		calls = number_of(pid, "getppid", "calls");
	}
	end(pid);
}

static void fork_in_ways(struct child *child, const char *nothing)
{
	struct clone_args how = { .exit_signal = SIGCHLD };

	(void)child, (void)nothing;
	for (unsigned i = 0; i < 3 * FORKS; i++) {
		long forked = i < FORKS       ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)
			      : i < 2 * FORKS ? syscall(SYS_clone3, &how, sizeof(how))
					      : syscall(SYS_clone3, &how, 0); /* too small */

		if (forked == 0)
			_exit(0);
		waitpid(-1, NULL, 0);
	}
}

/* A child returns from these, too: it did not make the call. */
START_LIVE_TEST(calls_that_fork_are_counted_once)
{
	struct child *child = shared_memory(sizeof(struct child));
	pid_t pid = begin_work(child, fork_in_ways, NULL);

	count_work(call_topic, textf("tree=%d", (int)pid), child, pid);
	check_call(pid, "call=clone calls=10");
	check_call(pid, "call=clone3 calls=20 errors=10");
	ck_assert(!row_of(EXITED, "clone") && !row_of(EXITED, "clone3"));
	end(pid);
}

START_LIVE_TEST(without_rights_calls_are_looked_at)
{
	pid_t pid = begin_child();

	if (pid == 0)
		for (;;)
			syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &(struct timespec){ 1000, 0 }, NULL);
	without_bpf = true;
	open_counting(call_topic, textf("pid=%d", (int)pid));
	without_bpf = false;
	for (unsigned tries = 0; !row_of(pid, "clock_nanosleep") && tries < 1000; tries++) {
		rest_ns(10000000);
		rig_next(&rig);
	}
	if (!row_of(pid, "clock_nanosleep")) {
		end_child(pid);
		rig_close(&rig);
		skip_test("/proc/PID/syscall of an own process may not be read");
	}
	check_call(pid, "call=clock_nanosleep how=proc calls=? errors=?");
	ck_assert_double_gt(number_of(pid, "clock_nanosleep", "seconds"), 0);
	end_child(pid);
	rig_next(&rig);
	rig_next(&rig);
	ck_assert_ptr_null(row_of(pid, "clock_nanosleep"));
	rig_close(&rig);
}

/* Results of opens in a directory of its own: found, not there, a directory, there already. */
static void open_files(struct child *child, const char *directory)
{
	static const int flags[] = { O_RDWR | O_CREAT, O_RDONLY, O_WRONLY, O_WRONLY | O_CREAT | O_EXCL };

	for (unsigned i = 0; i < FILES; i++) {
		const char *path = textf("%s/file-%u", directory, i % 4 == 3 ? i - 3 : i);
		long file = syscall(SYS_openat, AT_FDCWD, i % 4 == 2 ? directory : path, flags[i % 4], 0600);

		child->results[file < 0 ? errno : 0]++;
		if (file >= 0)
			close((int)file);
		if (i % 4 == 3)
			unlink(path);
	}
}

static double lost_of(const char *topic)
{
	double lost = 0;

	for (unsigned i = 0; i < rig.now->n_notices; i++)
		if (strcmp(rig.now->notices[i].topic, topic) == 0)
			lost = strtod(rig.now->notices[i].text, NULL);
	return lost;
}

/* The kernel skips a program while its CPU is in another one: it counts that, at most. */
static void assert_all_opens(const char *topic, double found)
{
	ck_assert_double_le(found, FILES);
	ck_assert_double_ge(found + lost_of(topic), FILES);
}

/* Rows of a topic with this result; value: the column that is summed, NULL: how many rows. */
static double sum_of(const char *topic, const char *result, const char *value)
{
	const struct table *table = frame_table(rig.now, topic);
	double sum = 0;

	for (size_t i = 0; i < table->n_rows; i++)
		if (!result || strcmp(table_text(table, table_row(table, i), "result"), result) == 0)
			sum += value ? table_number(table, table_row(table, i), value) : 1;
	return sum;
}

START_LIVE_TEST(every_open_is_in_the_list_or_lost)
{
	struct child *child = shared_memory(sizeof(struct child));
	char directory[SCRATCH_PATH_MAX];
	double sum = 0;
	bool done;
	pid_t pid;

	scratch_directory(directory, "opens");
	pid = begin_work(child, open_files, directory);
	open_counting(opened_topics, textf("pid=%d", (int)pid));
	rig_next(&rig);
	skip_without_bpf("opened", pid);
	atomic_store(&child->step, 2);
	do {
		done = atomic_load(&child->step) == 3;
		rig_next(&rig);
		sum += sum_of("opened", NULL, NULL);
	} while (!done);
	assert_all_opens("opened", sum);
	assert_all_opens("opened_total", sum_of("opened_total", NULL, "opens"));
	end(pid);
}

/* Fewer paths than the table has room for: each result is exact. */
START_LIVE_TEST(opens_are_summed_by_path_and_result)
{
	struct child *child = shared_memory(sizeof(struct child));
	char directory[SCRATCH_PATH_MAX];
	pid_t pid;

	scratch_directory(directory, "opens");
	pid = begin_work(child, open_files, directory);
	count_work(total_topic, textf("pid=%d", (int)pid), child, pid);
	ck_assert_double_eq(sum_of("opened_total", "opened", "opens"), (double)child->results[0]);
	ck_assert_double_eq(sum_of("opened_total", "ENOENT", "opens"), (double)child->results[ENOENT]);
	ck_assert_double_eq(sum_of("opened_total", "EISDIR", "opens"), (double)child->results[EISDIR]);
	ck_assert_double_eq(sum_of("opened_total", "EEXIST", "opens"), (double)child->results[EEXIST]);
	ck_assert_double_eq(sum_of("opened_total", "EISDIR", NULL), 1);
	end(pid);
}

static const char *path_at(size_t row)
{
	const struct table *table = frame_table(rig.now, "opened");

	return row < table->n_rows ? table_text(table, table_row(table, row), "path") : "";
}

/* As long as a path can be, longer, with escapes, empty, from nowhere. */
static void open_badly(struct child *child, const char *nothing)
{
	static char path[5000];

	(void)child, (void)nothing;
	memset(path, 'x', sizeof(path) - 1);
	path[4095] = '\0';
	syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	path[4095] = 'x';
	syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, "\033[2J\xff\xc3/../\n", O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, "", O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, (void *)1, O_RDONLY);
}

START_LIVE_TEST(paths_may_be_anything)
{
	struct child *child = shared_memory(sizeof(struct child));
	pid_t pid = begin_work(child, open_badly, NULL);

	count_work(opened_topics, textf("pid=%d", (int)pid), child, pid);
	ck_assert_uint_eq(frame_table(rig.now, "opened")->n_rows, 5);
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
	end(pid);
}

static double opens_of(const char *path)
{
	const struct table *table = frame_table(rig.now, "opened_total");

	for (size_t i = 0; i < table->n_rows; i++)
		if (strcmp(table_text(table, table_row(table, i), "path"), path) == 0)
			return table_number(table, table_row(table, i), "opens");
	return 0;
}

/* 119 bytes are what a row has room for. */
static void open_long_paths(struct child *child, const char *nothing)
{
	(void)child, (void)nothing;
	for (int length = 118; length <= 121; length++)
		syscall(SYS_openat, AT_FDCWD, textf("%0*d", length, 0), O_RDONLY);
}

START_LIVE_TEST(a_path_that_fits_is_whole)
{
	struct child *child = shared_memory(sizeof(struct child));
	pid_t pid = begin_work(child, open_long_paths, NULL);

	count_work(total_topic, textf("pid=%d", (int)pid), child, pid);
	ck_assert_double_eq(sum_of("opened_total", NULL, NULL), 3);
	ck_assert_double_eq(opens_of(textf("%0*d", 118, 0)), 1);
	ck_assert_double_eq(opens_of(textf("%0*d", 119, 0)), 1);
	ck_assert_double_eq(opens_of(textf("%0*d…", 119, 0)), 2);
	end(pid);
}

#define PATHS 30000

static void open_many_paths(struct child *child, const char *nothing)
{
	(void)child, (void)nothing;
	for (unsigned i = 0; i < PATHS; i++)
		syscall(SYS_openat, AT_FDCWD, textf("/nowhere/%u/%u", i % 7, i), O_RDONLY);
}

/* More than there is room for: what is not in a row of its own is counted all the same. */
START_LIVE_TEST(any_number_of_paths_is_counted)
{
	struct child *child = shared_memory(sizeof(struct child));
	pid_t pid = begin_work(child, open_many_paths, NULL);

	count_work(total_topic, textf("pid=%d", (int)pid), child, pid);
	for (unsigned ticks = 0; ticks < 3; ticks++, rig_next(&rig)) {
		ck_assert_double_eq(sum_of("opened_total", NULL, "opens"), PATHS);
		ck_assert_uint_le(frame_table(rig.now, "opened_total")->n_rows, 8192 + 1);
	}
	ck_assert_double_le(sum_of("opened_total", NULL, NULL), 8); /* directories, and others */
	end(pid);
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
	struct child *child = shared_memory(sizeof(struct child));
	uint32_t ids[PROGRAMS_MAX];
	pid_t pid = begin_child();
	unsigned n, n_alive;

	if (pid == 0) {
		open_counting(names, NULL);
		rig_next(&rig);
		atomic_store(&child->step, 1);
		for (;;)
			rest_ns(1000000);
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
		rest_ns(1000000);
		n_alive = 0;
		for (unsigned i = 0; i < n; i++)
			n_alive += program_exists(ids[i]);
	} while (n_alive > 0);
}
