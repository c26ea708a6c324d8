/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of where the CPU time of processes goes, over their files and exit records that a test gives. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"
#include "topic/process/exit_reader.h"

#define MS UINT64_C(1000000)

static const char *const names[] = { "exited", "process_total", "distribution", "account", NULL };

struct exit_reader {
	struct exit_record records[16];
	unsigned n, n_late; /* late: the last ones, which come after the clocks were read */
	uint64_t lost;
};

static struct exit_reader reader;
static int refusal; /* -errno: there are none */

struct exit_reader *exit_reader_open(struct env *env, int *error)
{
	(void)env;
	*error = refusal;
	return refusal ? NULL : &reader;
}

void exit_reader_close(struct exit_reader *opened)
{
	(void)opened;
}

void exit_reader_drain(struct exit_reader *opened,
		       void (*each)(void *context, const struct exit_record *record), void *context)
{
	unsigned n = opened->n - opened->n_late;

	for (unsigned i = 0; i < n; i++)
		each(context, &opened->records[i]);
	memmove(opened->records, opened->records + n, opened->n_late * sizeof(opened->records[0]));
	opened->n = opened->n_late;
	opened->n_late = 0;
}

uint64_t exit_record_cpu_ns(const struct exit_record *record, uint64_t tick_ns)
{
	(void)tick_ns;
	return record->cpu_ns;
}

uint64_t exit_reader_tick_ns(struct env *env)
{
	(void)env;
	return 4 * MS;
}

uint64_t exit_reader_lost(const struct exit_reader *opened)
{
	return opened->lost;
}

/* Its clock differs from what the scheduler knows. */
static struct exit_record *add_exit(const char *comm, uint32_t tgid, uint32_t tid, uint64_t milliseconds)
{
	struct exit_record *record = &reader.records[reader.n++];

	*record = (struct exit_record){ .tid = tid,
					.tgid = tgid,
					.last = true,
					.cpu_ns = milliseconds * MS,
					.run_ns = (milliseconds + 1) * MS,
					.peak_kib = 1000 };
	strcpy(record->comm, comm);
	return record;
}

static void put_process(struct rig *rig, unsigned pid, const char *name, unsigned centiseconds)
{
	char path[32];

	snprintf(path, sizeof(path), "proc/%u", pid);
	rig_make(rig, path);
	strcat(path, "/stat");
	rig_put(rig, path, "%u (%s) S 1 1 1 0 -1 0 0 0 0 0 %u 0 0 0 20 0 1 0 10 0 0\n", pid, name,
		centiseconds);
}

static void put_busy(struct rig *rig, unsigned centiseconds)
{
	rig_put(rig, "proc/stat", "cpu %u 0 0 0 0 0 0 0 0 0\ncpu0 %u 0 0 0 0 0 0 0 0 0\n", centiseconds,
		centiseconds);
}

static void open_three(struct rig *rig)
{
	rig_open(rig, "empty", names);
	put_busy(rig, 1000);
	put_process(rig, 7, "make", 100);
	put_process(rig, 8, "sh", 50);
	put_process(rig, 42, "seen", 9);
	rig_sample(rig, 0);
}

/* In two seconds make runs for 1.13, sh not at all, and these exit. */
static const struct frame *pass_two_seconds(struct rig *rig)
{
	add_exit("cc1", 100, 100, 300);
	add_exit("ld", 200, 200, 100)->last = false;
	add_exit("ld-worker", 200, 201, 50)->exit_code = 256;
	add_exit("old", 0, 300, 20)->exit_code = U32_UNKNOWN;
	reader.records[reader.n - 1].last = false;    /* before version 12 this is not known */
	add_exit("part", 400, 401, 10)->last = false; /* its process lives on, but is not listed */
	reader.records[reader.n - 1].exit_code = 1;
	add_exit("seen", 42, 42, 490)->exit_code = 9;
	add_exit("make", 7, 71, 30); /* a thread: the clock of make has its time */
	rig_remove(rig, "proc/42");
	put_process(rig, 7, "make", 213);
	put_busy(rig, 1221);
	return rig_sample(rig, 2);
}

START_TEST(exits_are_counted_by_the_name_of_the_first_thread)
{
	const struct frame *frame;
	struct rig rig;

	open_three(&rig);
	frame = pass_two_seconds(&rig);
	check_row(frame, "exited",
		  "cpu_ratio=0.15 exits_per_second=0.5 exits=1 failures=0 recent_exits=1 recent_failures=0 "
		  "recent_seconds=2 failures_per_second=0 cpu_seconds=0.3 command=cc1");
	check_row(frame, "exited",
		  "cpu_ratio=0.075 exits_per_second=0.5 exits=1 failures=1 recent_exits=1 recent_failures=1 "
		  "recent_seconds=2 failures_per_second=0.5 cpu_seconds=0.15 command=ld");
	check_row(frame, "exited",
		  "cpu_ratio=0.01 exits_per_second=0.5 exits=1 failures=0 recent_exits=1 recent_failures=0 "
		  "recent_seconds=2 failures_per_second=0 cpu_seconds=0.02 command=old");
	check_row(frame, "exited",
		  "cpu_ratio=0.005 exits_per_second=0 exits=0 failures=0 recent_exits=0 recent_failures=0 "
		  "recent_seconds=2 failures_per_second=0 cpu_seconds=0.01 command=part");
	check_row(frame, "exited",
		  "cpu_ratio=0.2005 exits_per_second=0.5 exits=1 failures=1 recent_exits=1 recent_failures=1 "
		  "recent_seconds=2 failures_per_second=0.5 cpu_seconds=0.401 command=seen");
	ck_assert_uint_eq(frame_table(frame, "exited")->n_rows, 5);
	rig_close(&rig);
}

START_TEST(totals_are_of_those_that_live_and_that_exited)
{
	const struct frame *frame;
	struct rig rig;

	open_three(&rig);
	frame = pass_two_seconds(&rig);
	check_row(frame, "process_total",
		  "mean_ratio=0.565 cpu_seconds=1.13 pid=7 start_seconds=0.1 state=alive processes=1 "
		  "command=make");
	check_row(frame, "process_total",
		  "mean_ratio=0.075 cpu_seconds=0.15 state=ended processes=1 command=ld");
	rig_close(&rig);
}

START_TEST(ranges_have_the_processes_with_that_use)
{
	const struct frame *frame;
	struct rig rig;

	open_three(&rig);
	check_row(&rig.frames[rig.present], "distribution", "from_ratio=0 to_ratio=0.05");
	put_process(&rig, 9, "dd", 0);
	put_process(&rig, 10, "dd", 0);
	frame = pass_two_seconds(&rig);
	check_row(frame, "distribution", "from_ratio=0.55 to_ratio=0.6 processes=1 cpu_ratio=0.565");
	check_row(frame, "distribution", "from_ratio=0 to_ratio=0.05 processes=0 cpu_ratio=0");
	put_process(&rig, 7, "make", 214);
	put_process(&rig, 8, "sh", 147);
	put_process(&rig, 9, "dd", 99);
	put_process(&rig, 10, "dd", 199);
	frame = rig_sample(&rig, 1);
	check_row(frame, "distribution", "from_ratio=0 to_ratio=0.05 processes=1 cpu_ratio=0.01");
	check_row(frame, "distribution", "from_ratio=0.95 processes=3 cpu_ratio=3.95");
	check_row(frame, "distribution", "from_ratio=0.9 to_ratio=0.95 processes=0 cpu_ratio=0");
	ck_assert_uint_eq(frame_table(frame, "distribution")->n_rows, 20);
	rig_close(&rig);
}

/* 1.13 s that make ran, 0.881 s that the records and the clock of seen name, of 2.21 s. */
START_TEST(the_account_adds_up)
{
	const struct frame *frame;
	struct rig rig;

	open_three(&rig);
	frame = pass_two_seconds(&rig);
	ck_assert_uint_eq(frame_table(frame, "account")->n_rows, 7);
	check_row(frame, "account",
		  "part=tasks cpu_ratio=0.565 cpu_seconds=1.13 from=/proc/PID/stat");
	check_row(frame, "account",
		  "part=exited cpu_ratio=0.4405 cpu_seconds=0.881 from=taskstats exit records");
	check_row(frame, "account",
		  "part=steal cpu_ratio=0 cpu_seconds=0 from=/proc/stat steal");
	check_row(frame, "account",
		  "part=unaccounted cpu_ratio=0.0995 cpu_seconds=0.199 from=busy - all others");
	check_row(frame, "account",
		  "part=busy cpu_ratio=1.105 cpu_seconds=2.21 from=/proc/stat, without idle and iowait");
	ck_assert_uint_eq(frame->n_notices, 0);
	rig_close(&rig);
}

/* Their CPU time has no part then, and the reader is told so. */
START_TEST(lost_records_have_a_notice)
{
	const struct frame *frame;
	struct rig rig;

	open_three(&rig);
	reader.lost = 3;
	frame = pass_two_seconds(&rig);
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert_ptr_nonnull(strstr(frame->notices[0].text, "3 exit records were lost"));
	rig_close(&rig);
}

/* What parents know of their children counts instead: none here. Where none are wanted there is no notice. */
START_TEST(refused_records_have_a_notice)
{
	static const struct {
		int error;
		unsigned n_notices;
	} cases[] = { { -EPERM, 1 }, { -ENOTSUP, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame;
		struct rig rig;

		refusal = cases[i].error;
		open_three(&rig);
		frame = &rig.frames[rig.present];
		ck_assert_uint_eq(frame->n_notices, cases[i].n_notices);
		if (frame->n_notices > 0)
			ck_assert_str_eq(frame->notices[0].text, "no exit records: Operation not permitted");
		check_row(frame, "account", "part=exited cpu_seconds=0 from=cutime, cstime of parents");
		rig_close(&rig);
	}
}

/* Of a parent that lives, and of one that nothing is known of. */
START_TEST(commands_that_fail_have_the_name_of_their_parent)
{
	static const char *const failing[] = { "failing", NULL };
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", failing);
	put_busy(&rig, 1000);
	put_process(&rig, 7, "make", 100);
	rig_sample(&rig, 0);
	for (unsigned i = 0; i < 3; i++) {
		struct exit_record *record = add_exit("cc1", 100 + i, 100 + i, 10);

		record->parent_pid = 7;
		record->exit_code = i < 2 ? 3 << 8 : 0;
	}
	*add_exit("bash", 200, 200, 10) = (struct exit_record){ .tid = 200, .tgid = 200, .last = true,
								.parent_pid = 4711, .exit_code = 11,
								.comm = "crash" };
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(frame_table(frame, "failing")->n_rows, 2);
	check_row(frame, "failing",
		  "failures_per_second=1 failures=2 exits=3 ended=code 3 parent_pid=7 command=cc1 "
		  "parent=make what=cc1 (make)");
	check_row(frame, "failing",
		  "failures_per_second=0.5 failures=1 exits=1 ended=SIGSEGV parent_pid=4711 command=crash "
		  "parent= what=crash");
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 50), "failing")->n_rows, 2);
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 20), "failing")->n_rows, 0);
	rig_close(&rig);
}

/* A sum of what all tasks ran, as version 1 of control groups has it, and the parent of kernel threads. */
static void put_sum(struct rig *rig, uint64_t milliseconds)
{
	rig_make(rig, "cg");
	rig_make(rig, "proc/self");
	rig_make(rig, "proc/2");
	rig_put(rig, "proc/2/stat", "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0\n");
	rig_put(rig, "proc/self/cgroup", "2:cpuacct:/\n");
	rig_put(rig, "proc/self/mountinfo", "9 1 0:9 / /cg rw - cgroup none rw,cpuacct\n");
	rig_put(rig, "cg/release_agent", "\n");
	rig_put(rig, "cg/cpuacct.usage", "%llu\n", (unsigned long long)(milliseconds * MS));
}

static void open_with_sum(struct rig *rig)
{
	static const char *const none[] = { NULL };

	rig_open(rig, "empty", none);
	rig->env.page_bytes = 4096;
	put_sum(rig, 7000);
	put_busy(rig, 1000);
	put_process(rig, 7, "make", 100);
	put_process(rig, 42, "seen", 9);
	rig_put(rig, "proc/42/statm", "900 192 0 5 0 100 0\n");
	for (size_t i = 0; names[i]; i++)
		rig_add(rig, names[i]);
	rig_sample(rig, 0);
}

/* Each counts as 256 KiB more than it had: seen 1024 KiB, cc1 2048 KiB, ld 1024 KiB. */
static const struct frame *exit_with_memory(struct rig *rig, uint64_t sum_ms)
{
	add_exit("cc1", 100, 100, 300)->peak_kib = 2048 - 256;
	add_exit("ld", 200, 200, 100)->peak_kib = 1024 - 256;
	add_exit("seen", 42, 42, 489);
	rig_remove(rig, "proc/42");
	put_process(rig, 7, "make", 200);
	put_sum(rig, 7000 + sum_ms);
	return rig_sample(rig, 2);
}

/* make ran for 1 s, and 0.8 s are in records: the rest was spent on giving memory back. */
START_TEST(what_exceeds_the_records_is_shared_by_memory)
{
	const struct frame *frame;
	struct rig rig;

	open_with_sum(&rig);
	frame = exit_with_memory(&rig, 1000 + 800 + 400);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "cc1", "cpu_seconds"), 0.3 + 0.2, 1e-6);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "ld", "cpu_seconds"), 0.1 + 0.1, 1e-6);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "seen", "cpu_seconds"), 0.4 + 0.1, 1e-6);
	ck_assert_uint_eq(frame_table(frame, "exited")->n_rows, 3);
	check_row(frame, "account", "part=exited cpu_ratio=0.6 cpu_seconds=1.2 from=cpuacct.usage - tasks");
	/* in the next tick none of it is counted again */
	add_exit("cc1", 101, 101, 50)->peak_kib = 10;
	put_sum(&rig, 7000 + 2200 + 70);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "cc1", "cpu_seconds"), 0.5 + 0.07, 1e-6);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "ld", "cpu_seconds"), 0.2, 1e-6);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "cc1", "cpu_ratio"), 0.07, 1e-6);
	rig_close(&rig);
}

START_TEST(records_that_exceed_the_sum_are_too_high)
{
	const struct frame *frame;
	struct rig rig;

	open_with_sum(&rig);
	frame = exit_with_memory(&rig, 1000 + 400);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "cc1", "cpu_seconds"), 0.15, 1e-6);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "ld", "cpu_seconds"), 0.05, 1e-6);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "seen", "cpu_seconds"), 0.2, 1e-6);
	ck_assert_double_eq_tol(cell_f64(frame, "account", "exited", "cpu_seconds"), 0.4, 1e-6);
	rig_close(&rig);
}

/* Where records were lost, or nobody exited, what exceeds them has no name; in later ticks it has one again.
 */
START_TEST(what_exceeds_lost_records_has_no_name)
{
	const struct frame *frame;
	struct rig rig;

	reader.lost = 5; /* before */
	open_with_sum(&rig);
	reader.lost = 6;
	frame = exit_with_memory(&rig, 1000 + 800 + 400);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "(no record)", "cpu_seconds"), 0.4, 1e-6);
	ck_assert_uint_eq(cell_u64(frame, "exited", "(no record)", "exits"), U64_UNKNOWN);
	ck_assert_uint_eq(cell_u64(frame, "exited", "(no record)", "failures"), U64_UNKNOWN);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "cc1", "cpu_seconds"), 0.3, 1e-6);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "seen", "cpu_seconds"), 0.4, 1e-6);
	add_exit("cc1", 101, 101, 50);
	put_sum(&rig, 7000 + 2200 + 70);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "cc1", "cpu_seconds"), 0.37, 1e-6);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "(no record)", "cpu_seconds"), 0.4, 1e-6);
	put_sum(&rig, 7000 + 2200 + 70 + 30); /* of nobody */
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "(no record)", "cpu_seconds"), 0.43, 1e-6);
	ck_assert_double_eq_tol(cell_f64(frame, "account", "exited", "cpu_seconds"), 1.3, 1e-6);
	rig_close(&rig);
}

/* The clocks are read a moment after the sum: what they are ahead of it is of the next tick. */
START_TEST(clocks_that_are_ahead_of_the_sum)
{
	static const struct {
		unsigned sum_ms, clock_ms;
		double exited; /* until then */
	} ticks[] = {
		{ 500, 560, 0 }, /* ahead by 60 ms */
		{ 550, 500, 0 }, /* by 10 ms */
		{ 300, 280, 0.01 }, { 300, 200, 0.11 }, { 200, 200, 0.11 },
	};
	unsigned sum_ms = 7000, clock_ms = 1000;
	struct rig rig;

	open_with_sum(&rig);
	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		sum_ms += ticks[i].sum_ms;
		clock_ms += ticks[i].clock_ms;
		put_sum(&rig, sum_ms);
		put_process(&rig, 7, "make", clock_ms / 10);
		ck_assert_double_eq_tol(cell_f64(rig_sample(&rig, 1), "account", "exited", "cpu_seconds"),
					ticks[i].exited, 1e-6);
	}
	rig_close(&rig);
}

#define NAMES_MAX 512 /* that are told apart, with (others) */

/* No name is lost: those that come when there are many already are counted together. */
START_TEST(many_names_have_a_row_of_others)
{
	const struct frame *frame = NULL;
	struct rig rig;

	open_three(&rig);
	for (unsigned i = 0; i < NAMES_MAX + 8; i++) {
		char name[16];

		snprintf(name, sizeof(name), "name%u", i);
		add_exit(name, 1000 + i, 1000 + i, 10);
		if (reader.n < 16 && i + 1 < NAMES_MAX + 8)
			continue;
		frame = rig_sample(&rig, 0.1);
	}
	ck_assert_uint_eq(frame_table(frame, "exited")->n_rows, NAMES_MAX);
	ck_assert_uint_eq(cell_u64(frame, "exited", "name0", "exits"), 1);
	ck_assert_uint_eq(cell_u64(frame, "exited", "name510", "exits"), 1);
	ck_assert_uint_eq(cell_u64(frame, "exited", "(others)", "exits"), 9);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "(others)", "cpu_seconds"), 0.09, 1e-6);
	add_exit("name3", 9000, 9000, 20);
	add_exit("(others)", 9001, 9001, 20); /* a process that calls itself so */
	add_exit("(no record)", 9002, 9002, 20);
	frame = rig_sample(&rig, 0.1);
	ck_assert_uint_eq(cell_u64(frame, "exited", "name3", "exits"), 2);
	ck_assert_uint_eq(cell_u64(frame, "exited", "(others)", "exits"), 11);
	rig_close(&rig);
}

START_TEST(names_of_sums_are_quoted)
{
	const struct frame *frame;
	struct rig rig;

	open_three(&rig);
	add_exit("(others)", 9001, 9001, 20);
	add_exit("(no record)", 9002, 9002, 30);
	frame = rig_sample(&rig, 0.1);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "(others) (process name)", "cpu_seconds"), 0.02,
				1e-6);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "(no record) (process name)", "cpu_seconds"), 0.03,
				1e-6);
	ck_assert_uint_eq(frame_table(frame, "exited")->n_rows, 2);
	rig_close(&rig);
}

/* The first thread that failed says how; one that fails after its process was seen to end is not forgotten.
 */
START_TEST(threads_of_one_process_are_one_exit)
{
	const struct frame *frame;
	struct rig rig;

	open_three(&rig);
	add_exit("many", 100, 102, 10)->last = false;
	add_exit("other", 300, 300, 40);
	add_exit("many", 100, 103, 20)->last = false;
	reader.records[reader.n - 1].exit_code = 9;
	add_exit("many", 100, 100, 30)->exit_code = 11;
	add_exit("thread", 100, 101, 5)->last = false;
	reader.records[0].peak_kib = 0;
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "exited")->n_rows, 2);
	check_row(frame, "exited",
		  "cpu_ratio=0.065 exits_per_second=1 exits=1 failures=1 recent_exits=1 recent_failures=1 "
		  "recent_seconds=1 failures_per_second=1 cpu_seconds=0.065 command=many");
	check_row(frame, "exited",
		  "cpu_ratio=0.04 exits_per_second=1 exits=1 failures=0 recent_exits=1 recent_failures=0 "
		  "recent_seconds=1 failures_per_second=0 cpu_seconds=0.04 command=other");
	rig_close(&rig);
}

/* Counts of the last minute, by steps of a few seconds. */
START_TEST(exits_of_the_last_minute)
{
	struct rig rig;

	open_three(&rig);
	for (unsigned second = 1; second <= 200; second++) {
		const struct frame *frame;
		double recent;

		add_exit("cc1", 1000 + second, 1000 + second, 10)->exit_code = second % 2 ? 1 << 8 : 0;
		frame = rig_sample(&rig, 1);
		recent = cell_f64(frame, "exited", "cc1", "recent_seconds");
		ck_assert_uint_eq(cell_u64(frame, "exited", "cc1", "exits"), second);
		ck_assert_double_eq((double)cell_u64(frame, "exited", "cc1", "recent_exits"), recent);
		ck_assert_double_eq_tol((double)cell_u64(frame, "exited", "cc1", "recent_failures"),
					recent / 2, 0.51);
		if (second <= 60)
			ck_assert_double_eq(recent, second);
		else
			ck_assert(recent > 54 && recent <= 60);
	}
	rig_close(&rig);
}

/* What ended before the first sample of the totals is in none; what is alive or not is told apart. */
START_TEST(totals_begin_with_their_first_sample)
{
	static const char *const exits_alone[] = { "exited", NULL };
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", exits_alone);
	put_busy(&rig, 1000);
	put_process(&rig, 7, "make", 100);
	put_process(&rig, 8, "sh", 50);
	put_process(&rig, 9, "idle", 50);
	rig_sample(&rig, 0);
	add_exit("cc1", 100, 100, 300);
	add_exit("ld", 101, 101, 200);
	rig_sample(&rig, 1);
	rig_add(&rig, "process_total");
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "process_total")->n_rows, 0);
	add_exit("cc1", 102, 102, 50);
	add_exit("as", 103, 103, 25);
	put_process(&rig, 7, "make", 150);
	put_process(&rig, 8, "sh", 51);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "process_total")->n_rows, 4);
	check_row(frame, "process_total",
		  "mean_ratio=0.05 cpu_seconds=0.05 state=ended processes=1 command=cc1");
	check_row(frame, "process_total",
		  "mean_ratio=0.025 cpu_seconds=0.025 state=ended processes=1 command=as");
	put_process(&rig, 7, "ninja", 200); /* it has executed another program */
	rig_remove(&rig, "proc/8");
	frame = rig_sample(&rig, 3);
	ck_assert_uint_eq(frame_table(frame, "process_total")->n_rows, 4);
	check_row(frame, "process_total",
		  "mean_ratio=0.25 cpu_seconds=1 pid=7 start_seconds=0.1 state=alive processes=1 "
		  "command=ninja");
	check_row(frame, "process_total",
		  "mean_ratio=0.0025 cpu_seconds=0.01 pid=8 start_seconds=0.1 state=ended processes=1 "
		  "command=sh");
	rig_close(&rig);
}

/* Exactly at a limit it is of the range above. */
START_TEST(ranges_end_below_their_limit)
{
	static const unsigned used[] = { 4, 5, 6, 94, 95, 100, 300 };
	const struct frame *frame;
	struct rig rig;

	open_three(&rig);
	for (unsigned i = 0; i < sizeof(used) / sizeof(used[0]); i++)
		put_process(&rig, 100 + i, "dd", 0);
	rig_sample(&rig, 1);
	for (unsigned i = 0; i < sizeof(used) / sizeof(used[0]); i++)
		put_process(&rig, 100 + i, "dd", used[i]);
	frame = rig_sample(&rig, 1);
	check_row(frame, "distribution", "from_ratio=0 to_ratio=0.05 processes=1 cpu_ratio=0.04");
	check_row(frame, "distribution", "from_ratio=0.05 to_ratio=0.1 processes=2 cpu_ratio=0.11");
	check_row(frame, "distribution", "from_ratio=0.1 to_ratio=0.15 processes=0 cpu_ratio=0");
	check_row(frame, "distribution", "from_ratio=0.9 to_ratio=0.95 processes=1 cpu_ratio=0.94");
	check_row(frame, "distribution", "from_ratio=0.95 processes=3 cpu_ratio=4.95");
	rig_close(&rig);
}

/* A parent that ended in the same tick still has its name; one that a record does not tell has none. */
START_TEST(parents_of_what_failed)
{
	static const char *const failing[] = { "failing", NULL };
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", failing);
	put_busy(&rig, 1000);
	put_process(&rig, 7, "make", 100);
	put_process(&rig, 8, "sh", 100);
	rig_sample(&rig, 0);
	ck_assert_uint_eq(rig.frames[rig.present].n_notices, 0);
	add_exit("cc1", 100, 100, 10)->parent_pid = 8;
	reader.records[0].exit_code = 255 << 8;
	add_exit("ld", 101, 101, 10)->parent_pid = U32_UNKNOWN;
	reader.records[1].exit_code = 1 << 8;
	add_exit("part", 102, 103, 10)->exit_code = 1 << 8; /* a thread alone */
	reader.records[2].last = false;
	rig_remove(&rig, "proc/8");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "failing")->n_rows, 2);
	check_row(frame, "failing",
		  "failures_per_second=1 failures=1 exits=1 ended=code 255 parent_pid=8 command=cc1 "
		  "parent=sh what=cc1 (sh)");
	check_row(frame, "failing",
		  "failures_per_second=1 failures=1 exits=1 ended=code 1 command=ld parent= what=ld");
	rig_close(&rig);
	refusal = -EPERM;
	rig_open(&rig, "empty", failing);
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert_str_eq(frame->notices[0].text, "without exit records it is not known which commands fail");
	rig_close(&rig);
}

/* The records of a process that samples saw, and of which every thread tells the same code. */
START_TEST(a_seen_process_fails_once)
{
	static const char *const failing[] = { "failing", "exited", NULL };
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", failing);
	put_busy(&rig, 1000);
	put_process(&rig, 1, "init", 1);
	put_process(&rig, 42, "seen", 9);
	rig_sample(&rig, 0);
	add_exit("seen", 42, 43, 40)->exit_code = 0; /* a thread, while it lives */
	put_process(&rig, 42, "seen", 13);
	rig_sample(&rig, 1);
	add_exit("seen", 42, 44, 10)->exit_code = 4 << 8;
	add_exit("seen", 42, 42, 110)->exit_code = 6 << 8;
	rig_remove(&rig, "proc/42");
	frame = rig_sample(&rig, 1);
	check_row(frame, "failing",
		  "failures_per_second=1 failures=1 exits=1 ended=code 4 parent_pid=1 command=seen "
		  "parent=init what=seen (init)");
	/* 41 + 11 + 111 ms of the scheduler, less 130 ms of its clock */
	check_row(frame, "exited",
		  "cpu_ratio=0.033 exits_per_second=1 exits=1 failures=1 recent_exits=1 recent_failures=1 "
		  "recent_seconds=2 failures_per_second=1 cpu_seconds=0.033 command=seen");
	rig_close(&rig);
}

/* By their parents: what nobody in it has started is outside, and all counts again for another one. */
START_TEST(exits_of_a_scope_are_apart)
{
	struct scope scope = { 0 };
	const struct frame *frame;
	struct rig rig;

	open_three(&rig);
	rig_set_scope(&rig, &scope, "tree=7");
	put_process(&rig, 7, "make", 150);
	put_busy(&rig, 1060);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "account")->n_rows, 0);
	add_exit("cc1", 100, 100, 300)->parent_pid = 7;
	add_exit("ld", 101, 101, 100)->parent_pid = 8;
	add_exit("as", 102, 102, 50)->parent_pid = U32_UNKNOWN;
	add_exit("seen", 42, 42, 89);
	rig_remove(&rig, "proc/42");
	put_process(&rig, 7, "make", 263);
	put_process(&rig, 8, "sh", 100);
	put_busy(&rig, 1060 + 250);
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(frame_table(frame, "exited")->n_rows, 1);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "cc1", "cpu_seconds"), 0.3, 1e-9);
	ck_assert_uint_eq(cell_u64(frame, "exited", "cc1", "exits"), 1);
	ck_assert_double_eq_tol(cell_f64(frame, "account", "tasks", "cpu_seconds"), 1.13 + 0.5, 1e-9);
	ck_assert_double_eq_tol(cell_f64(frame, "account", "exited", "cpu_seconds"), 0.3, 1e-9);
	ck_assert_double_eq_tol(cell_f64(frame, "account", "busy", "cpu_seconds"), 2.5, 1e-9);
	ck_assert_uint_eq(frame_table(frame, "account")->n_rows, 4);
	ck_assert_uint_eq(frame_table(frame, "process_total")->n_rows, 2);
	check_row(frame, "process_total",
		  "mean_ratio=0.565 cpu_seconds=1.13 pid=7 start_seconds=0.1 state=alive processes=1 "
		  "command=make");
	check_row(frame, "process_total",
		  "mean_ratio=0.15 cpu_seconds=0.3 state=ended processes=1 command=cc1");
	check_row(frame, "distribution", "from_ratio=0.55 to_ratio=0.6 processes=1 cpu_ratio=0.565");
	check_row(frame, "distribution", "from_ratio=0.25 to_ratio=0.3 processes=0 cpu_ratio=0");
	rig_set_scope(&rig, &scope, "tree=8");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "exited")->n_rows, 0);
	ck_assert_uint_eq(frame_table(frame, "process_total")->n_rows, 0);
	ck_assert_uint_eq(frame_table(frame, "account")->n_rows, 0);
	add_exit("ld", 103, 103, 100)->parent_pid = 8;
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "ld", "cpu_seconds"), 0.1, 1e-9);
	ck_assert_uint_eq(cell_u64(frame, "exited", "ld", "exits"), 1);
	ck_assert_double_eq_tol(cell_f64(frame, "account", "tasks", "cpu_seconds"), 0, 1e-9);
	ck_assert_double_eq_tol(cell_f64(frame, "account", "exited", "cpu_seconds"), 0.1, 1e-9);
	rig_set_scope(&rig, &scope, "tree=7"); /* it has as many commands at once */
	add_exit("cc1", 104, 104, 100)->parent_pid = 7;
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(cell_u64(frame, "exited", "cc1", "recent_exits"), 1);
	ck_assert(isnan(cell_f64(frame, "exited", "cc1", "recent_seconds")));
	rig_close(&rig);
	scope_free(&scope);
}

/* They are of the next tick, but for those of a process that this one has as exited. */
START_TEST(records_that_come_after_the_clocks)
{
	static const char *const failing[] = { "failing", "exited", NULL };
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", failing);
	put_busy(&rig, 1000);
	put_process(&rig, 7, "make", 100);
	put_process(&rig, 42, "seen", 9);
	rig_sample(&rig, 0);
	add_exit("early", 100, 100, 10);
	add_exit("pair", 60, 61, 20)->exit_code = 4 << 8;
	reader.records[1].last = false;
	add_exit("alone", 500, 500, 30);
	add_exit("pair", 60, 62, 40)->exit_code = 5 << 8;
	reader.records[3].last = false;
	add_exit("seen", 42, 42, 189)->exit_code = 1; /* SIGHUP */
	add_exit("lone", 50, 50, 50);
	reader.n_late = 5;
	rig_remove(&rig, "proc/42");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "exited")->n_rows, 2);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "early", "cpu_seconds"), 0.01, 1e-9);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "seen", "cpu_seconds"), 0.1, 1e-9);
	ck_assert_uint_eq(cell_u64(frame, "exited", "seen", "failures"), 1);
	ck_assert_uint_eq(frame_table(frame, "failing")->n_rows, 0);
	add_exit("pair", 60, 60, 60)->exit_code = 6 << 8;
	add_exit("next", 55, 55, 70);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "exited")->n_rows, 6);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "pair", "cpu_seconds"), 0.12, 1e-9);
	ck_assert_uint_eq(cell_u64(frame, "exited", "pair", "exits"), 1);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "alone", "cpu_seconds"), 0.03, 1e-9);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "lone", "cpu_seconds"), 0.05, 1e-9);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "next", "cpu_seconds"), 0.07, 1e-9);
	ck_assert_uint_eq(cell_u64(frame, "exited", "seen", "exits"), 1);
	ck_assert_uint_eq(frame_table(frame, "failing")->n_rows, 1);
	ck_assert_str_eq(table_text(frame_table(frame, "failing"),
				    table_row(frame_table(frame, "failing"), 0), "ended"),
			 "code 4");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(cell_u64(frame, "exited", "pair", "exits"), 1);
	ck_assert_uint_eq(cell_u64(frame, "exited", "early", "exits"), 1);
	rig_close(&rig);
}
