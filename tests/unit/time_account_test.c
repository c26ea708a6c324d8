/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the account of what processes wait for: of children that know what they do. */
#include "rig.h"

#include <linux/futex.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

#include "topic/process/time_account.h"

#define POINTS 0.02
#define PHASE_NS 300000000L
#define BLOCK ((size_t)4096)
#define FILE_BLOCKS 2048
#define THREADS 3

static const char *const topics_sampled[] = { "time_account", NULL };
static const char *const parts[] = { "running", "ready", "disk", "memory", "lock", "sleep", "other" };
enum { RUNNING, READY, DISK, MEMORY, LOCK, SLEEP, OTHER, N_PARTS };

static struct rig rig;

/* What a child found by its own clocks, and how far it and its parent are. */
struct child {
	double seconds[N_PARTS];
	bool reads_disk;
	_Atomic uint32_t step, lock;
};

static void wait_for_step(struct child *child, uint32_t step)
{
	while (atomic_load(&child->step) < step)
		rest_ns(1000000);
}

/* Time and CPU time since start; what is not CPU time was spent waiting. */
struct stretch {
	double wall, cpu;
};

static struct stretch begin(void)
{
	return (struct stretch){ clock_seconds(CLOCK_MONOTONIC), clock_seconds(CLOCK_PROCESS_CPUTIME_ID) };
}

static void end(struct child *child, struct stretch start, int part)
{
	double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - start.cpu;

	child->seconds[RUNNING] += cpu;
	child->seconds[part] += part == RUNNING ? 0 : clock_seconds(CLOCK_MONOTONIC) - start.wall - cpu;
}

static void compute(struct child *child)
{
	struct stretch start = begin();

	while (clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - start.cpu < (double)PHASE_NS / 1e9)
		;
	end(child, start, RUNNING);
}

static void doze(struct child *child)
{
	struct stretch start = begin();

	rest_ns(PHASE_NS);
	end(child, start, SLEEP);
}

static void wait_for_lock(struct child *child)
{
	struct stretch start = begin();

	while (atomic_load(&child->lock) == 0)
		syscall(SYS_futex, &child->lock, FUTEX_WAIT, 0, NULL, NULL, 0);
	end(child, start, LOCK);
}

/* Past the page cache. */
static void read_disk(struct child *child, int file)
{
	struct stretch start = begin();
	static _Alignas(4096) char block[BLOCK];

	for (unsigned i = 0; clock_seconds(CLOCK_MONOTONIC) - start.wall < (double)PHASE_NS / 1e9; i++)
		if (pread(file, block, BLOCK, (off_t)(i * 61 % FILE_BLOCKS * BLOCK)) != (ssize_t)BLOCK)
			_exit(1);
	end(child, start, DISK);
}

static void live(struct child *child, int file)
{
	atomic_store(&child->step, 1);
	wait_for_step(child, 2);
	for (unsigned round = 0; round < 2; round++) {
		compute(child);
		doze(child);
		if (file >= 0)
			read_disk(child, file);
	}
	atomic_store(&child->step, 3);
	wait_for_lock(child);
	atomic_store(&child->step, 4);
	for (;;)
		pause();
}

static double seconds_of(pid_t pid, const char *part)
{
	const struct table *table = frame_table(rig.now, "time_account");

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (table_number(table, row, "pid") == pid &&
		    strcmp(table_text(table, row, "part"), part) == 0)
			return table_number(table, row, "seconds");
	}
	return NAN;
}

static void read_parts(pid_t pid, double seconds[N_PARTS])
{
	for (unsigned part = 0; part < N_PARTS; part++)
		seconds[part] = seconds_of(pid, parts[part]);
}

/*
 * By the host, of all CPUs. Where the kernel knows it, CPU clocks leave it out, while accounts count it as
 * running: it may be in any of a child's numbers.
 */
static double stolen(void)
{
	unsigned long ticks = 0;
	FILE *file = fopen("/proc/stat", "re");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %lu", &ticks), 1);
	fclose(file);
	return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static double moment(void)
{
	return (double)frame_table(rig.now, "time_account")->mono_ns / 1e9;
}

/* Opens it, or skips the test where that is not permitted. */
static void open_counting(void)
{
	const struct table *table;

	rig_open_live(&rig, topics_sampled);
	rig_next(&rig);
	table = frame_table(rig.now, "time_account");
	ck_assert_ptr_nonnull(table);
	ck_assert_uint_gt(table->n_rows, 0);
	if (strcmp(table_text(table, table_row(table, 0), "how"), "bpf") != 0) {
		rig_close(&rig);
		skip_test("BPF is not permitted, or this kernel is too old");
	}
}

START_LIVE_TEST(a_process_that_knows_its_parts)
{
	struct child *child = shared_memory(sizeof(*child));
	double before[N_PARTS], after[N_PARTS], start, interval, steal;
	int file = open_uncached(FILE_BLOCKS);
	pid_t pid = begin_child();

	if (pid == 0)
		live(child, file);
	open_counting();
	wait_for_step(child, 1);
	rig_next(&rig);
	read_parts(pid, before);
	start = moment();
	steal = stolen();
	atomic_store(&child->step, 2);
	wait_for_step(child, 3);
	rest_ns(PHASE_NS);
	atomic_store(&child->lock, 1);
	syscall(SYS_futex, &child->lock, FUTEX_WAKE, 1, NULL, NULL, 0);
	wait_for_step(child, 4);
	rig_next(&rig);
	read_parts(pid, after);
	interval = moment() - start;
	steal = stolen() - steal;
	child->seconds[SLEEP] = interval; /* with the steps: what is left */
	for (unsigned part = 0; part < SLEEP; part++)
		child->seconds[SLEEP] -= child->seconds[part];
	/*
	 * The CPU clock of a task that is woken on an idle CPU begins when it is ready, as the scheduler
	 * reads the clock once for both: what was ready may be in its other parts.
	 */
	for (unsigned part = 0; part < N_PARTS; part++) {
		double found = after[part] - before[part], ready = after[READY] - before[READY];

		if (part != READY)
			ck_assert_msg(fabs(found - child->seconds[part]) <= POINTS * interval + ready + steal,
				      "%s: %.4f s, not %.4f, of %.4f; ready %.4f, steal %.2f", parts[part],
				      found, child->seconds[part], interval, ready, steal);
	}
	ck_assert_double_ge(after[LOCK] - before[LOCK], (double)PHASE_NS / 1e9 * 0.9);
	if (file >= 0)
		ck_assert_double_gt(after[DISK] - before[DISK], 0);
	end_child(pid);
	rig_close(&rig);
}

static void *switch_often(void *end)
{
	while (!atomic_load((_Atomic uint32_t *)end))
		rest_ns(20000);
	return NULL;
}

static double sum_of(const double seconds[N_PARTS])
{
	double sum = 0;

	for (unsigned part = 0; part < N_PARTS; part++)
		sum += seconds[part];
	return sum;
}

/* To wait for a ring of io_uring has the flag of a wait for a disk, whatever comes: here nothing does. */
START_LIVE_TEST(a_ring_waits_for_no_disk)
{
	struct io_uring_params params = { 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 1, &params);
	double before[N_PARTS], after[N_PARTS];
	pid_t pid;

	if (ring < 0)
		skip_test("no ring of io_uring can be made here");
	pid = begin_child();
	if (pid == 0)
		_exit((int)syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0));
	open_counting();
	do {
		rig_next(&rig);
		read_parts(pid, before);
	} while (!(before[SLEEP] > 0));
	rest_ns(PHASE_NS);
	rig_next(&rig);
	read_parts(pid, after);
	ck_assert_double_gt(after[SLEEP], before[SLEEP]);
	ck_assert_double_eq(after[DISK], before[DISK]);
	rig_close(&rig);
	end_child(pid);
	close(ring);
}

/* Those of this process, of which no thread begins or ends meanwhile. No part ever shrinks. */
START_LIVE_TEST(parts_add_up_to_threads_times_interval)
{
	_Atomic uint32_t over = 0;
	pthread_t threads[THREADS];
	double before[N_PARTS], after[N_PARTS], start;

	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, switch_often, &over), 0);
	open_counting();
	for (unsigned tick = 0; tick < 20; tick++) {
		read_parts(getpid(), before);
		start = moment();
		rest_ns(10000000);
		rig_next(&rig);
		read_parts(getpid(), after);
		ck_assert_double_eq_tol(sum_of(after) - sum_of(before), (1 + THREADS) * (moment() - start),
					1e-6);
		for (unsigned part = 0; part < N_PARTS; part++)
			ck_assert_double_ge(after[part], before[part]);
	}
	rig_close(&rig);
	atomic_store(&over, 1);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void *sleep_a_while(void *nothing)
{
	rest_ns(50000000);
	return nothing;
}

START_TOLERANCE_TEST(threads_that_begin_and_exit_count_for_their_part)
{
	double before[N_PARTS], after[N_PARTS], start, begun, ended, lives = 0;
	pthread_t thread;

	open_counting();
	rig_next(&rig);
	read_parts(getpid(), before);
	start = moment();
	for (unsigned i = 0; i < 5; i++) {
		begun = clock_seconds(CLOCK_MONOTONIC);
		ck_assert_int_eq(pthread_create(&thread, NULL, sleep_a_while, NULL), 0);
		pthread_join(thread, NULL);
		ended = clock_seconds(CLOCK_MONOTONIC);
		lives += ended - begun;
	}
	rig_next(&rig);
	read_parts(getpid(), after);
	ck_assert_double_ge(sum_of(after) - sum_of(before), moment() - start + 5 * 0.05);
	ck_assert_double_le(sum_of(after) - sum_of(before), moment() - start + lives + 0.001);
	rig_next(&rig);
	read_parts(getpid(), before); /* what the threads had stays */
	ck_assert_double_ge(sum_of(before), sum_of(after));
	rig_close(&rig);
}

START_LIVE_TEST(without_bpf_running_and_ready_alone_are_known)
{
	double seconds[N_PARTS];

	rig_open_live(&rig, topics_sampled);
	rig.request.no_bpf = true;
	rig_next(&rig);
	read_parts(getpid(), seconds);
	ck_assert_double_gt(seconds[RUNNING], 0);
	for (unsigned part = DISK; part < N_PARTS; part++)
		ck_assert(isnan(seconds[part]));
	rig_close(&rig);
}

/* A process whose switches are all seen runs as long as its clock, give or take interrupts and a host. */
START_TEST(an_account_grows_beyond_its_clock)
{
	ck_assert_uint_eq(time_account_excess(0, 0, 0), 0);
	ck_assert_uint_eq(time_account_excess(0, 1000, 1000), 0);
	ck_assert_uint_eq(time_account_excess(0, 2000, 1000), 0);
	ck_assert_uint_eq(time_account_excess(0, 2001, 1000), 1);
	ck_assert_uint_eq(time_account_excess(50, 100, 0), 150);
	ck_assert_uint_eq(time_account_excess(50, 0, 10), 30);
	ck_assert_uint_eq(time_account_excess(50, 0, 1000), 0);
}

#define GROUP_BYTES (16 << 20)
#define THRASH_BYTES ((size_t)20 << 20)

static char group[64]; /* of this test alone */

static bool write_group(const char *name, const char *text)
{
	bool written;
	int fd;

	fd = open(textf("%s/%s", group, name), O_WRONLY | O_CLOEXEC);
	written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return written;
}

/*
 * Reads a file again and again that its group has no room for, and knows how long it did not run. The kernel
 * decides which of these reads are for want of memory: only the sum with those of the disk is known.
 */
static void thrash(struct child *child, int file)
{
	static char page[BLOCK];
	struct stretch start;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (!write_group("cgroup.procs", pid))
		_exit(1);
	atomic_store(&child->step, 1);
	wait_for_step(child, 2);
	start = begin();
	while (clock_seconds(CLOCK_MONOTONIC) - start.wall < 6 * (double)PHASE_NS / 1e9)
		for (size_t at = 0; at < THRASH_BYTES; at += BLOCK)
			if (pread(file, page, BLOCK, (off_t)at) != (ssize_t)BLOCK)
				_exit(2);
	end(child, start, MEMORY);
	atomic_store(&child->step, 3);
	for (;;)
		pause();
}

/* -1: it cannot be made. */
static int thrash_file(void)
{
	char path[SCRATCH_PATH_MAX], bytes[32];
	int fd;

	snprintf(bytes, sizeof(bytes), "%d", GROUP_BYTES);
	snprintf(group, sizeof(group), "/sys/fs/cgroup/memory/panetop-test-%d", getpid());
	if (mkdir(group, 0755) < 0 || !write_group("memory.limit_in_bytes", bytes))
		return -1;
	scratch_template(path, "thrash");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	for (size_t at = 0; at < THRASH_BYTES; at += BLOCK) {
		static char page[BLOCK];

		ck_assert_int_eq(pwrite(fd, page, BLOCK, (off_t)at), (ssize_t)BLOCK);
	}
	ck_assert_int_eq(fsync(fd), 0);
	ck_assert_int_eq(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	return fd;
}

START_LIVE_TEST(what_a_process_without_enough_memory_waits_for_adds_up)
{
	struct child *child = shared_memory(sizeof(*child));
	double before[N_PARTS], after[N_PARTS], grown[N_PARTS], waited, steal;
	int file;
	pid_t pid;

	open_counting();
	file = thrash_file();
	if (file < 0) {
		rmdir(group);
		skip_test("no memory cgroup of version 1 can be made here");
	}
	pid = begin_child();
	if (pid == 0)
		thrash(child, file);
	wait_for_step(child, 1);
	rig_next(&rig);
	read_parts(pid, before);
	steal = stolen();
	atomic_store(&child->step, 2);
	wait_for_step(child, 3);
	rig_next(&rig);
	read_parts(pid, after);
	steal = stolen() - steal;
	end_child(pid);
	rmdir(group);
	for (unsigned part = 0; part < N_PARTS; part++)
		grown[part] = after[part] - before[part];
	waited = grown[MEMORY] + grown[DISK];
	ck_assert_double_gt(waited, 0);
	ck_assert_msg(fabs(waited - child->seconds[MEMORY]) <=
			      POINTS * 6 * (double)PHASE_NS / 1e9 + grown[READY] + steal,
		      "%.3f s, not %.3f; running %.3f of %.3f, ready %.3f, lock %.3f, other %.3f, steal %.2f",
		      waited, child->seconds[MEMORY], grown[RUNNING], child->seconds[RUNNING], grown[READY],
		      grown[LOCK], grown[OTHER], steal);
	rig_close(&rig);
}
