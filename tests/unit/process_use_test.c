/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what is read of processes on request, and of what is done to them. */
#include "rig.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

#include "kernel/pid/maps.h"
#include "kernel/pid/pid_stat.h"
#include "sys/process.h"
#include "topic/process/process_list.h"
#include "topic/process/process_scope.h"
#include "topic/reader.h"

#define TMPFS 0x01021994
#define OVERLAYFS 0x794c7630

static const char *const process_alone[] = { "process", NULL };

static struct rig rig;

static double number_of(const char *topic, const char *key, double wanted, const char *column)
{
	const void *row = find_number(rig.now, topic, key, wanted);

	ck_assert_msg(row != NULL, "%s has no %s %.0f", topic, key, wanted);
	return table_number(frame_table(rig.now, topic), row, column);
}

static double of_process(int pid, const char *column)
{
	return number_of("process", "pid", pid, column);
}

/* What --pid names and is not there is told once, by the first of them; the others may be there. */
START_TEST(processes_that_are_named_and_missing)
{
	static const struct {
		const char *list;
		bool once, there, absent;
		const char *notice; /* NULL: none */
	} cases[] = {
		{ NULL, false, false, false, NULL },
		{ "7", false, true, false, NULL },
		{ "8,7", false, true, false, NULL },
		{ "9", false, false, true, "there is no process 9; waiting for it" },
		{ "9", true, false, true, "there is no process 9" },
		{ "9,10", true, false, true, "there is no process 9" },
		{ "8,10,9", false, true, true, "there is no process 10; waiting for it" },
		{ "9,8", true, true, true, "there is no process 9" },
		{ "none", true, false, true, "there is no process none" },
		{ "p7", true, true, false, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame;

		rig_open(&rig, "empty", process_alone);
		for (int pid = 7; pid <= 8; pid++) {
			rig_make(&rig, textf("proc/%d", pid));
			rig_put(&rig, textf("proc/%d/stat", pid),
				"%d (p%d) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 10 0 0\n", pid, pid);
		}
		rig.request.processes = cases[i].list;
		rig.request.once = cases[i].once;
		rig_sample(&rig, 1);
		missing_targets_want_programs(reader_state(&process_reader, &rig.env), &rig.request);
		frame = rig_sample(&rig, 1);
		missing_targets_find(rig.now, &rig.request, "process",
				     reader_state(&process_reader, &rig.env));
		ck_assert_msg(frame->named_there == cases[i].there, "case %zu", i);
		ck_assert_msg(frame->named_absent == cases[i].absent, "case %zu", i);
		ck_assert_uint_eq(frame->n_notices, cases[i].notice != NULL);
		if (cases[i].notice)
			ck_assert_str_eq(frame->notices[0].text, cases[i].notice);
		rig_close(&rig);
	}
}

/* The row of all has their sums; topics that are not sampled have none. */
START_TEST(what_topics_cost_adds_up)
{
	static const struct env_cost costs[] = {
		{ .name = "first", .cpu_ns = 1500000000, .reads = 30, .lost = 2, .active = true },
		{ .name = "none", .cpu_ns = 100000000000, .reads = 9000, .lost = 500 },
		{ .name = "last", .cpu_ns = 250000000, .reads = 7, .lost = 40, .active = true },
	};
	const struct frame *frame;

	rig_open(&rig, "empty", TOPICS("self"));
	rig.env.costs = costs;
	rig.env.n_costs = 3;
	rig.env.reads = 12345;
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "self")->n_rows, 3);
	check_row(frame, "self", "topic=first sample_seconds=1.5 reads=30 lost=2");
	check_row(frame, "self", "topic=last sample_seconds=0.25 reads=7 lost=40");
	ck_assert_double_eq(cell_f64(frame, "self", "all", "sample_seconds"), 1.75);
	ck_assert_uint_eq(cell_u64(frame, "self", "all", "lost"), 42);
	ck_assert_uint_ge(cell_u64(frame, "self", "all", "reads"), 12345);
	ck_assert_double_gt(cell_f64(frame, "self", "all", "cpu_seconds"), 0);
	ck_assert_uint_eq(cell_u64(frame, "self", "first", "resident_bytes"), U64_BLANK);
	rig_close(&rig);
}

/* On this machine. */
static void open_live(const char *const *topic_names)
{
	rig_open_live(&rig, topic_names);
	sample_request_add(&rig.request, topic_find("process")->schema, ~0UL);
}

static void note_error(void *context, int error)
{
	*(int *)context = error;
}

static pid_t start(void (*run)(const int *pipe), int pipe_fd[2])
{
	pid_t pid;

	ck_assert_int_eq(pipe(pipe_fd), 0);
	pid = begin_child();
	if (pid == 0) {
		run(pipe_fd);
		_exit(0);
	}
	return pid;
}

#define PIECE ((size_t)65536)
#define PIECES 40

/* Reads and writes past the page cache. */
static int open_direct(char path[SCRATCH_PATH_MAX])
{
	static char zeros[PIECE];
	struct statfs fs;
	int fd;

	scratch_template(path, "bytes");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	for (int i = 0; i < PIECES; i++)
		ck_assert_int_eq(write(fd, zeros, PIECE), (ssize_t)PIECE);
	ck_assert_int_eq(fsync(fd), 0);
	ck_assert_int_eq(fstatfs(fd, &fs), 0);
	close(fd);
	if (fs.f_type == TMPFS || fs.f_type == OVERLAYFS)
		skip_test("/tmp has no storage of its own");
	fd = open(path, O_RDWR | O_DIRECT);
	if (fd < 0)
		skip_test("/tmp does not support O_DIRECT");
	return fd;
}

static struct pid_io kernel_io(void)
{
	struct pid_io io;
	char bytes[512];
	int fd = open("/proc/self/io", O_RDONLY);
	ssize_t length = read(fd, bytes, sizeof(bytes));

	close(fd);
	ck_assert(length > 0 && pid_io_parse(span_of(bytes, (size_t)length), &io));
	return io;
}

START_LIVE_TEST(bytes_are_exact)
{
	char path[SCRATCH_PATH_MAX], *bytes;
	int fd = open_direct(path), pid = (int)getpid();
	double reads, writes;
	uint64_t writes_before;

	ck_assert_int_eq(posix_memalign((void **)&bytes, PIECE, PIECE), 0);
	memset(bytes, 'x', PIECE);
	open_live(process_alone);
	rig_next(&rig);
	reads = of_process(pid, "read_bytes");
	writes = of_process(pid, "write_bytes");
	if (isnan(reads))
		skip_test("/proc/PID/io is not readable");
	for (int i = 0; i < PIECES; i++)
		ck_assert_int_eq(pwrite(fd, bytes, PIECE, (off_t)i * (off_t)PIECE), (ssize_t)PIECE);
	for (int i = 0; i < PIECES / 4; i++)
		ck_assert_int_eq(pread(fd, bytes, PIECE, (off_t)i * (off_t)PIECE), (ssize_t)PIECE);
	writes_before = kernel_io().write_bytes;
	rig_next(&rig);
	ck_assert_double_ge(of_process(pid, "write_bytes"), (double)writes_before);
	ck_assert_double_le(of_process(pid, "write_bytes"), (double)kernel_io().write_bytes);
	ck_assert_double_ge(of_process(pid, "write_bytes") - writes, (double)(PIECE * PIECES));
	ck_assert_double_le(of_process(pid, "write_bytes") - writes,
			    (double)(PIECE * PIECES + PIECE)); /* and the inode of the file */
	reads = of_process(pid, "read_bytes") - reads;
	ck_assert_double_ge(reads, (double)(PIECE * PIECES / 4));
	ck_assert_double_lt(reads, (double)(PIECE * PIECES / 4 + PIECE)); /* and a block of metadata */
	ck_assert_double_gt(of_process(pid, "disk_bytes_per_second"), 0);
	rig_close(&rig);
	free(bytes);
	close(fd);
}

static char written_path[SCRATCH_PATH_MAX];

static void write_when_told(const int *pipe_fd)
{
	int fd = open(written_path, O_RDWR | O_DIRECT);
	char *bytes, byte;

	if (fd < 0 || posix_memalign((void **)&bytes, PIECE, PIECE) != 0)
		_exit(1);
	while (read(pipe_fd[0], &byte, 1) == 1)
		for (int i = 0; i < PIECES; i++)
			if (pwrite(fd, bytes, PIECE, (off_t)i * (off_t)PIECE) < 0)
				_exit(1);
}

/* What it wrote is not written again by its parent, who waited for it. */
START_LIVE_TEST(a_child_is_not_counted_in_its_parent)
{
	int pipe_fd[2], fd = open_direct(written_path);
	double own, written = 0;
	pid_t child;

	close(fd);
	child = start(write_when_told, pipe_fd);
	open_live(process_alone);
	rig_next(&rig);
	if (isnan(of_process((int)getpid(), "write_bytes")))
		skip_test("/proc/PID/io is not readable");
	ck_assert_int_eq(write(pipe_fd[1], "x", 1), 1);
	for (int i = 0; i < 1000 && written < (double)(PIECE * PIECES); i++) {
		usleep(10000);
		rig_next(&rig);
		written = of_process(child, "write_bytes");
	}
	ck_assert_double_ge(written, (double)(PIECE * PIECES));
	own = of_process((int)getpid(), "write_bytes");
	end_child(child);
	rig_next(&rig);
	own = of_process((int)getpid(), "write_bytes") - own;
	ck_assert_double_ge(own, 0);
	ck_assert_double_lt(own, (double)PIECE); /* an inode that it wrote last, which no sample saw */
	rig_close(&rig);
}

START_TEST(what_may_not_be_read_has_one_notice)
{
	unsigned n_notices = 0;

	if (!is_root())
		skip_test("needs root");
	ck_assert_int_eq(seteuid(65534), 0);
	open_live(process_alone);
	do /* each tick looks at some of the processes */
		rig_next(&rig);
	while (!has_notice(rig.now, "I/O of"));
	ck_assert(isnan(of_process(1, "disk_bytes")));
	ck_assert(isnan(of_process(1, "disk_bytes_per_second")));
	for (unsigned i = 0; i < rig.now->n_notices; i++)
		n_notices += strstr(rig.now->notices[i].text, "I/O of") != NULL;
	ck_assert_uint_eq(n_notices, 1);
	ck_assert(has_notice(rig.now, "cap_sys_ptrace"));
	rig_close(&rig);
	ck_assert_int_eq(seteuid(0), 0);
}

static void run_on_cpu_0(const int *pipe_fd)
{
	cpu_set_t cpu;

	(void)pipe_fd;
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	for (;;)
		;
}

static uint64_t kernel_wait_ns(pid_t pid)
{
	struct pid_schedstat schedstat;
	char bytes[128];
	ssize_t length;
	int fd = open(textf("/proc/%d/schedstat", (int)pid), O_RDONLY);

	if (fd < 0)
		skip_test("no schedstat of processes");
	length = read(fd, bytes, sizeof(bytes));
	close(fd);
	ck_assert(length > 0 && pid_schedstat_parse(span_of(bytes, (size_t)length), &schedstat));
	return schedstat.wait_ns;
}

static void until_waited(pid_t pid, uint64_t ns)
{
	while (kernel_wait_ns(pid) < ns)
		usleep(10000);
}

static void *wait_on_cpu(void *argument)
{
	run_on_cpu_0(argument);
	return NULL;
}

static void run_threads(const int *pipe_fd)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_on_cpu, (void *)(uintptr_t)pipe_fd);
	wait_on_cpu((void *)(uintptr_t)pipe_fd);
}

static double waits_of_threads(pid_t pid)
{
	const struct dirent *entry;
	uint64_t sum_ns = 0;
	DIR *tasks;

	tasks = opendir(textf("/proc/%d/task", (int)pid));
	ck_assert_ptr_nonnull(tasks);
	while ((entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			sum_ns += kernel_wait_ns((pid_t)strtol(entry->d_name, NULL, 10));
	closedir(tasks);
	return (double)sum_ns / 1e9;
}

/* The file of the process has only what its first thread waited. */
START_LIVE_TEST(threads_that_wait_for_each_other)
{
	int pipe_fd[2];
	pid_t pid = start(run_threads, pipe_fd);
	double least, all;

	until_waited(pid, 100000000);
	open_live(TOPICS("process", "thread"));
	rig_next(&rig);
	until_waited(pid, 400000000);
	least = waits_of_threads(pid);
	rig_next(&rig);
	ck_assert_double_eq(of_process(pid, "threads"), 2);
	all = of_process(pid, "wait_seconds");
	ck_assert_double_ge(all, least);
	ck_assert_double_le(all, waits_of_threads(pid));
	ck_assert_double_gt(all, number_of("thread", "tid", pid, "wait_seconds"));
	ck_assert_double_gt(of_process(pid, "wait_ratio"), 0);
	ck_assert_double_gt(number_of("thread", "tid", pid, "switches_per_second"), 0);
	rig_close(&rig);
	end_child(pid);
}

static void *sleep_on(void *nothing)
{
	for (;;)
		pause();
	return nothing;
}

static void two_threads(const int *pipe_fd)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleep_on, NULL);
	ck_assert_int_eq(write(pipe_fd[1], "x", 1), 1);
	sleep_on(NULL);
}

static int act(const char *order, pid_t pid, double start_seconds)
{
	const char *remedy;
	int answer = 1, error;

	error = rig.source.act(rig.source.state, "process", textf("%s %d %.6f", order, (int)pid,
				    start_seconds), note_error, &answer, &remedy);
	return error ? error : answer;
}

/* Of how many threads it is so. */
static unsigned each_thread(pid_t pid, bool (*is_so)(pid_t tid))
{
	unsigned n = 0;
	DIR *directory;

	directory = opendir(textf("/proc/%d/task", (int)pid));
	ck_assert_ptr_nonnull(directory);
	for (struct dirent *entry; (entry = readdir(directory));)
		n += *entry->d_name != '.' && is_so((pid_t)atoi(entry->d_name));
	closedir(directory);
	return n;
}

static unsigned last_cpu;

static bool is_on_last_cpu(pid_t tid)
{
	cpu_set_t cpus;

	return sched_getaffinity(tid, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) == 1 &&
	       CPU_ISSET(last_cpu, &cpus);
}

static bool is_batch(pid_t tid)
{
	return sched_getscheduler(tid) == SCHED_BATCH;
}

static bool is_nicer(pid_t tid)
{
	int wanted = getpriority(PRIO_PROCESS, 0) + 3;

	return getpriority(PRIO_PROCESS, (id_t)tid) == (wanted < 19 ? wanted : 19);
}

static bool is_best_effort_6(pid_t tid)
{
	return syscall(SYS_ioprio_get, 1, tid) == (2 << 13 | 6);
}

START_TEST(orders_reach_every_thread)
{
	static const struct {
		const char *order;
		int error;
		bool (*is_so)(pid_t tid);
	} cases[] = {
		{ "affinity LAST", 0, is_on_last_cpu }, { "affinity 8191", -EINVAL, is_on_last_cpu },
		{ "policy batch 0", 0, is_batch },	{ "policy batch 3", -EINVAL, is_batch },
		{ "io 2 6", 0, is_best_effort_6 },	{ "nice 3", 0, is_nicer },
	};
	int pipe_fd[2];
	pid_t pid = start(two_threads, pipe_fd);
	cpu_set_t allowed;
	double started;
	char byte;

	ck_assert_int_eq(read(pipe_fd[0], &byte, 1), 1);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		last_cpu = CPU_ISSET(cpu, &allowed) ? cpu : last_cpu;
	open_live(process_alone);
	rig_next(&rig);
	started = of_process(pid, "start_seconds");
	ck_assert_int_eq(act("nice 3", pid, started - 0.02), -ESRCH);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *order = i == 0 ? textf("affinity %u", last_cpu) : cases[i].order;

		ck_assert_msg(act(order, pid, started) == cases[i].error, "%s", order);
		ck_assert_msg(each_thread(pid, cases[i].is_so) == 2, "%s", order);
	}
	rig_close(&rig);
	end_child(pid);
}

/* As the kernel has it, of a process that does nothing. */
START_LIVE_TEST(proportional_memory_is_read_on_request)
{
	char bytes[4096];
	uint64_t expected;
	int pipe_fd[2];
	pid_t pid = start(two_threads, pipe_fd);
	ssize_t length;
	int fd;

	ck_assert_int_eq(read(pipe_fd[0], bytes, 1), 1);
	fd = open(textf("/proc/%d/smaps_rollup", (int)pid), O_RDONLY);
	if (fd < 0)
		skip_test("no smaps_rollup");
	rig_open_live(&rig, process_alone);
	sample_request_add(&rig.request, topic_find("process")->schema, ~0UL);
	rig.request.visible[rig.request.n_visible++] = (uint32_t)pid;
	for (int i = 0; i < 500; i++) {
		rig_next(&rig);
		if (!isnan(of_process(pid, "proportional_bytes")))
			break;
		usleep(10000);
	}
	length = read(fd, bytes, sizeof(bytes));
	ck_assert(length > 0 && smaps_rollup_parse(span_of(bytes, (size_t)length), &expected));
	ck_assert_double_eq_tol(of_process(pid, "proportional_bytes"), (double)expected, 65536);
	ck_assert(isnan(of_process(1, "proportional_bytes"))); /* it is not on the screen */
	close(fd);
	rig_close(&rig);
	end_child(pid);
}

#define CROWD 700      /* more than have their first turn in one tick */
#define TURNS_MAX 100  /* until all have had theirs, with those of a large machine */
#define CALM_SECONDS 3 /* after which their start is a small part of their lives */

static int unknown_in(const pid_t *crowd, const char *column)
{
	int unknown = 0;

	for (int i = 0; i < CROWD; i++)
		unknown += isnan(of_process(crowd[i], column)) != 0;
	return unknown;
}

static void spin(const int *pipe_fd)
{
	(void)pipe_fd;
	for (;;)
		;
}

static void sleep_only(const int *pipe_fd)
{
	(void)pipe_fd;
	sleep_on(NULL);
}

static void sample_crowd(bool batch)
{
	rig_open_live(&rig, process_alone);
	rig.request.batch = batch;
	sample_request_add(&rig.request, topic_find("process")->schema, ~0UL);
	rig_next(&rig);
}

/* What is not read yet is unknown, never 0; in the end, and in batch, all is; those that work come first. */
START_LIVE_TEST(many_processes_are_read_in_turns_on_the_screen)
{
	pid_t pids[CROWD], busy[2];
	int pipe_fd[2];

	busy[0] = start(spin, pipe_fd);
	for (int i = 0; i < CROWD; i++) {
		pids[i] = start(sleep_only, pipe_fd);
		close(pipe_fd[0]);
		close(pipe_fd[1]);
	}
	sleep(CALM_SECONDS);
	busy[1] = start(spin, pipe_fd);
	sample_crowd(true);
	ck_assert_int_eq(unknown_in(pids, "read_bytes"), 0);
	rig_close(&rig);
	sample_crowd(false);
	for (int i = 0; i < 2; i++) {
		ck_assert(!isnan(of_process(busy[i], "read_bytes")));
		ck_assert(!isnan(of_process(busy[i], "wait_seconds")) ||
			  access("/proc/self/schedstat", R_OK) != 0);
	}
	ck_assert_int_gt(unknown_in(pids, "read_bytes"), 0);
	ck_assert_int_gt(unknown_in(pids, "wait_seconds"), 0);
	for (int i = 0; i < TURNS_MAX && unknown_in(pids, "read_bytes") > 0; i++)
		rig_next(&rig);
	ck_assert_int_eq(unknown_in(pids, "read_bytes"), 0);
	rig_close(&rig);
	for (int i = 0; i < CROWD; i++)
		end_child(pids[i]);
	end_child(busy[0]);
	end_child(busy[1]);
}
