/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of where the CPU time of processes goes, over their files and exit records that a test gives. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"
#include "still_clock.h"
#include "topic/process/exit_reader.h"

#define MS UINT64_C(1000000)

static const char *const names[] = { "exited", "process_total", "distribution", "account", NULL };

struct exit_reader {
	struct exit_record records[16];
	unsigned n;
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
	for (unsigned i = 0; i < opened->n; i++)
		each(context, &opened->records[i]);
	opened->n = 0;
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
	add_exit("part", 400, 401, 10)->last = false; /* its process lives on, but is not listed */
	reader.records[reader.n - 1].exit_code = 1;
	add_exit("seen", 42, 42, 490)->exit_code = 9;
	add_exit("make", 7, 71, 30); /* a thread: the clock of make has its time */
	rig_remove(rig, "proc/42");
	put_process(rig, 7, "make", 213);
	put_busy(rig, 1221);
	still_clock_ns += 2000 * MS;
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
	still_clock_ns += 1000 * MS;
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
	still_clock_ns += 2000 * MS;
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(frame_table(frame, "failing")->n_rows, 2);
	check_row(frame, "failing",
		  "failures_per_second=1 failures=2 exits=3 ended=code 3 parent_pid=7 command=cc1 "
		  "parent=make what=cc1 (make)");
	check_row(frame, "failing",
		  "failures_per_second=0.5 failures=1 exits=1 ended=SIGSEGV parent_pid=4711 command=crash "
		  "parent= what=crash");
	still_clock_ns += 50000 * MS;
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 50), "failing")->n_rows, 2);
	still_clock_ns += 20000 * MS;
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 20), "failing")->n_rows, 0);
	rig_close(&rig);
}
