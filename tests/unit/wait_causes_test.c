/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what waits mean, of their sums over a sliding time, and of those whose cause is not known. */
#include "suite.h"

#include "topic/profile/wait_ledger.h"

#define FUNCTIONS_MAX 12
#define SECOND UINT64_C(1000000000)

#define SCHEDULER "bpf_prog_1234 bpf_trace_run4 __traceiter_sched_switch __schedule schedule "

/*
 * Functions are from the innermost on, ~: those of the scheduler. Without their names, or where they say no
 * more, the system call does.
 */
START_TEST(stacks_have_causes)
{
	enum {
		SLEEP = BPF_STATE_SLEEP,
		LOCK = BPF_STATE_LOCK,
		DISK = BPF_STATE_DISK,
		MEMORY = BPF_STATE_MEMORY,
		OTHER = BPF_STATE_OTHER
	};
	static const struct {
		const char *functions;
		unsigned state;
		const char *meaning, *call; /* meaning: its cause and function */
	} cases[] = {
		{ "~do_nanosleep hrtimer_nanosleep common_nsleep", SLEEP, "sleep hrtimer_nanosleep" },
		{ "~futex_do_wait __futex_wait futex_wait do_futex", LOCK, "lock futex_do_wait" },
		{ "~schedule_hrtimeout_range_clock poll_schedule_timeout.constprop.0 do_sys_poll", SLEEP,
		  "poll do_sys_poll" },
		{ "~schedule_hrtimeout_range ep_poll do_epoll_wait", SLEEP, "poll ep_poll" },
		{ "~anon_pipe_read vfs_read ksys_read", SLEEP, "pipe anon_pipe_read" },
		{ "~pipe_wait_readable pipe_read", SLEEP, "pipe pipe_wait_readable" },
		{ "~schedule_timeout wait_woken sk_wait_data tcp_recvmsg_locked tcp_recvmsg", SLEEP,
		  "network tcp_recvmsg_locked" },
		{ "~schedule_timeout unix_stream_data_wait unix_stream_read_generic", SLEEP,
		  "network unix_stream_read_generic" },
		{ "~io_schedule folio_wait_bit_common filemap_get_pages filemap_read", DISK,
		  "disk filemap_get_pages" },
		{ "~io_schedule blk_io_schedule __iomap_dio_rw iomap_dio_rw", DISK, "disk __iomap_dio_rw" },
		{ "~io_schedule folio_wait_bit_common filemap_fault __do_fault handle_mm_fault", DISK,
		  "disk filemap_fault" },
		{ "~io_schedule __folio_lock_or_retry do_swap_page handle_mm_fault", DISK,
		  "memory do_swap_page" },
		{ "~io_schedule folio_wait_bit_common filemap_get_pages", MEMORY,
		  "memory filemap_get_pages" },
		{ "~handle_userfault do_anonymous_page handle_mm_fault", SLEEP, "memory handle_userfault" },
		{ "~do_wait kernel_wait4", SLEEP, "child do_wait" },
		{ "~schedule_timeout __wait_for_common wait_for_completion_state kernel_clone "
		  "wait_for_vfork_done", OTHER, "child kernel_clone" },
		{ "~schedule_preempt_disabled __mutex_lock.constprop.0 pipe_write", OTHER,
		  "lock pipe_write" },
		{ "~rwsem_down_read_slowpath down_read do_user_addr_fault", OTHER,
		  "lock do_user_addr_fault" },
		{ "~do_sigtimedwait __x64_sys_rt_sigtimedwait", SLEEP, "other do_sigtimedwait" },
		{ "~worker_thread kthread", SLEEP, "other worker_thread" },
		{ "~do_wait_intr_irq eventfd_read vfs_read", SLEEP, "other eventfd_read" },
		{ "~do_wait_intr_irq timerfd_read_iter vfs_read", SLEEP, "sleep timerfd_read_iter" },
		{ "~something", DISK, "disk something" },
		{ "", SLEEP, "poll poll", "poll" },
		{ "", LOCK, "lock futex", "futex" },
		{ "", DISK, "disk read", "read" },
		{ "", SLEEP, "other " },
		{ "schedule io_schedule", DISK, "disk pread64", "pread64" },
		{ "io_schedule some", SLEEP, "disk some" },
		{ "handle_mm_fault", SLEEP, "memory handle_mm_fault" },
		{ "handle_mm_faul", SLEEP, "other handle_mm_faul" },
		{ "msleep", SLEEP, "sleep msleep" },
		{ "do_wait", SLEEP, "child do_wait" },
		{ "do_wai", SLEEP, "other do_wai" },
		{ "do_swap_page", DISK, "memory do_swap_page" },
		{ "wait_for_vfork_done", DISK, "child wait_for_vfork_done" },
		{ "submit_bio_wait", OTHER, "disk poll", "poll" },
		{ ".hidden", LOCK, "lock .hidden", "poll" },
		{ "timer.constprop.0 tcp_x", SLEEP, "network timer", "poll" },
		{ "some", MEMORY, "memory some", "poll" },
		{ "some", SLEEP, "poll some", "poll" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool inside = cases[i].functions[0] == '~';
		struct span list[FUNCTIONS_MAX];
		const char *names = textf("%s%s", inside ? SCHEDULER : "", cases[i].functions + inside);
		struct span text = span_text(names);
		struct wait_meaning meaning;
		size_t n = 0;

		while (n < FUNCTIONS_MAX && span_word(&text, &list[n]))
			n++;
		meaning = wait_meaning_of(list, n, cases[i].state, cases[i].call);
		ck_assert_str_eq(textf("%s: %s %.*s", cases[i].functions, wait_cause_words[meaning.cause],
				       (int)span_length(meaning.function),
				       span_length(meaning.function) ? meaning.function.at : ""),
				 textf("%s: %s", cases[i].functions, cases[i].meaning));
	}
}

START_TEST(calls_have_causes)
{
	static const char *const cases[][3] = {
		{ "read", "pipe:[123]", "pipe" }, { "read", "socket:[123]", "network" },
		{ "read", "/var/lib/file", "disk" }, { "read", "/dev/pts/3", "other" },
		{ "read", "anon_inode:[timerfd]", "sleep" }, { "read", NULL, "other" },
		{ "recvfrom", NULL, "network" }, { NULL, NULL, "other" },
		{ "nanosleep", "/var/file", "sleep" }, { "readahead", NULL, "disk" },
		{ "read", "/proc/1/stat", "other" }, { "read", "/procfs", "disk" },
		{ "read", "/device", "disk" }, { "read", "pipe", "other" }, { "read", "socket", "other" },
		{ NULL, "/var/file", "other" },
	};
	struct span list[] = { { 0 }, span_text("schedule"), { 0 }, span_text("some.part.0.cold") };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(strcmp(wait_cause_words[wait_cause_of_call(cases[i][0], cases[i][1])],
				     cases[i][2]) == 0,
			      "%s of %s", cases[i][0], cases[i][1]);
	/* functions without a name in between, and none */
	ck_assert(span_is(wait_meaning_of(list, 4, BPF_STATE_SLEEP, "read").function, "some"));
	ck_assert(span_is(wait_meaning_of(list, 3, BPF_STATE_SLEEP, "read").function, "read"));
}

static void tick(struct wait_ledger *ledger, uint64_t second, uint64_t ns, uint64_t waits)
{
	uint32_t process;

	wait_ledger_begin(ledger);
	process = wait_ledger_process(ledger, 7, 100);
	wait_ledger_add(ledger, wait_ledger_item(ledger, process, BPF_STATE_SLEEP, 1, 2), ns, waits);
	wait_ledger_end(ledger, second * SECOND, second < 3 ? 0 : (second - 3) * SECOND);
}

START_TEST(a_window_of_three_seconds_slides)
{
	struct wait_ledger ledger = { .last_ns = SECOND };

	tick(&ledger, 2, 10, 1);
	ck_assert_double_eq(wait_ledger_sum(&ledger), 1);
	ck_assert_int_eq(ledger.items[0].window_ns, 10);
	tick(&ledger, 3, 30, 2);
	tick(&ledger, 4, 60, 2);
	ck_assert_double_eq(wait_ledger_sum(&ledger), 3);
	ck_assert_int_eq(ledger.items[0].window_ns, 60);
	ck_assert_int_eq(ledger.items[0].window_waits, 2);
	tick(&ledger, 5, 100, 9);
	ck_assert_double_eq(wait_ledger_sum(&ledger), 3);
	ck_assert_int_eq(ledger.items[0].window_ns, 90);
	ck_assert_int_eq(ledger.items[0].window_waits, 8);
	wait_ledger_free(&ledger);
}

START_TEST(a_number_that_comes_back_is_another_process)
{
	struct wait_ledger ledger = { .last_ns = SECOND };
	uint32_t process, item;

	tick(&ledger, 2, 10, 1);
	wait_ledger_begin(&ledger);
	wait_ledger_end(&ledger, 3 * SECOND, 0); /* it was not seen */
	wait_ledger_sum(&ledger);
	ck_assert_int_eq(ledger.items[0].window_ns, 10);
	ck_assert_uint_eq(wait_ledger_find(&ledger, 7), HASH_NONE);
	wait_ledger_begin(&ledger);
	process = wait_ledger_process(&ledger, 7, 200);
	item = wait_ledger_item(&ledger, process, BPF_STATE_SLEEP, 1, 2);
	ck_assert_uint_ne(item, 0);
	wait_ledger_add(&ledger, item, 5, 1);
	wait_ledger_end(&ledger, 4 * SECOND, 0);
	wait_ledger_sum(&ledger);
	ck_assert_int_eq(ledger.items[item].window_ns, 5);
	ck_assert_int_eq(ledger.items[0].window_ns, 10);
	wait_ledger_free(&ledger);
}

/* Thousands of processes that come and go leave no more than the window has. */
START_TEST(what_is_over_is_left_out)
{
	struct wait_ledger ledger = { .last_ns = SECOND };

	for (uint32_t i = 0; i < 5000; i++) {
		uint32_t process;

		wait_ledger_begin(&ledger);
		process = wait_ledger_process(&ledger, 1, 1);
		wait_ledger_add(&ledger, wait_ledger_item(&ledger, process, BPF_STATE_LOCK, 1, 1), i, i);
		process = wait_ledger_process(&ledger, 10 + i, i);
		wait_ledger_add(&ledger, wait_ledger_item(&ledger, process, BPF_STATE_SLEEP, 1, 1), 3, 1);
		wait_ledger_end(&ledger, (i + 2) * SECOND, i < 10 ? 0 : (i - 8) * SECOND);
		ck_assert_uint_le(ledger.n_items, 600);
		ck_assert_uint_le(ledger.n_processes, 600);
		ck_assert_uint_eq(wait_ledger_process(&ledger, 1, 1), 0);
	}
	ck_assert_double_eq(wait_ledger_sum(&ledger), 10);
	ck_assert_int_eq(ledger.items[0].window_ns, 10);
	wait_ledger_free(&ledger);
}

static double sum_of(const struct wait_tally *tally)
{
	double sum = 0;

	for (unsigned i = 0; i < tally->n; i++)
		sum += tally->reasons[i].sum_ns;
	return sum;
}

/* 300 µs of which 2 of 3 are of a disk; 20 ms of a timer that were all seen. */
START_TEST(waits_that_no_look_met_are_like_those_that_took_as_long)
{
	struct wait_tally tally = { 0 };
	unsigned sleep = wait_tally_reason(&tally, WAIT_SLEEP, span_text("nanosleep"));
	unsigned disk = wait_tally_reason(&tally, WAIT_DISK, span_text("pread64"));
	unsigned pipe = wait_tally_reason(&tally, WAIT_PIPE, span_text("read"));

	ck_assert_uint_eq(wait_tally_reason(&tally, WAIT_DISK, span_text("pread64")), disk);
	for (unsigned i = 0; i < 10; i++)
		wait_tally_add(&tally, sleep, 20000000, true, 20000000);
	wait_tally_add(&tally, disk, 300000, true, 300000);
	wait_tally_add(&tally, disk, 300000, true, 300000);
	wait_tally_add(&tally, pipe, 300000, true, 300000);
	for (unsigned i = 0; i < 27; i++)
		wait_tally_add_unseen(&tally, 300000, true, 300000);
	wait_tally_end(&tally, 209000000);
	ck_assert_double_eq_tol(tally.reasons[sleep].sum_ns, 200000000, 1);
	ck_assert_double_eq_tol(tally.reasons[disk].sum_ns, 6000000, 1);
	ck_assert_double_eq_tol(tally.reasons[pipe].sum_ns, 3000000, 1);
	ck_assert_double_eq_tol(tally.reasons[disk].sum_waits, 20, 1e-9);
	wait_tally_end(&tally, 1000); /* nothing says what it was */
	ck_assert_double_eq_tol(tally.reasons[0].sum_ns, 1000, 1e-6);
	ck_assert_double_eq_tol(sum_of(&tally), 209001000, 1);
}

START_TEST(a_tally_has_room_for_some_reasons)
{
	struct wait_tally tally = { 0 };

	for (unsigned i = 0; i < 2 * WAIT_REASONS_MAX; i++) {
		wait_tally_add(&tally, wait_tally_reason(&tally, WAIT_OTHER, span_text(textf("call%u", i))),
			       10, true, 10);
	}
	wait_tally_end(&tally, 20 * WAIT_REASONS_MAX);
	ck_assert_uint_eq(tally.n, WAIT_REASONS_MAX);
	ck_assert_double_eq_tol(sum_of(&tally), 20 * WAIT_REASONS_MAX, 1e-6);
	ck_assert_double_eq_tol(tally.reasons[0].sum_ns, 10 * (WAIT_REASONS_MAX + 1), 1e-6);
}

/* Waits have ended without a time that is known, or go on without a new one. */
START_TEST(unseen_waits_and_unseen_time_are_spread_alike)
{
	struct wait_tally tally = { 0 };
	unsigned disk = wait_tally_reason(&tally, WAIT_DISK, span_text("read"));

	wait_tally_add(&tally, disk, 0, false, 5000);
	wait_tally_add_unseen(&tally, 0, true, 5000); /* only a wait */
	wait_tally_end(&tally, 100);
	ck_assert_double_eq_tol(tally.reasons[disk].sum_waits, 1, 1e-9);
	ck_assert_double_eq_tol(tally.reasons[0].sum_ns, 100, 1e-9); /* nothing says what it was */
	wait_tally_add_unseen(&tally, 5000, false, 0);               /* only time */
	wait_tally_end(&tally, 100);
	ck_assert_double_eq_tol(tally.reasons[disk].sum_waits, 1, 1e-9);
	ck_assert_double_eq_tol(tally.reasons[disk].sum_ns, 100, 1e-9);
	wait_tally_end(&tally, 100); /* both were spread, and are so once */
	ck_assert_double_eq_tol(tally.reasons[disk].sum_waits, 1, 1e-9);
	ck_assert_double_eq_tol(tally.reasons[disk].sum_ns, 100, 1e-9);
	ck_assert_double_eq_tol(tally.reasons[0].sum_ns, 200, 1e-9);
	ck_assert_double_eq(tally.reasons[0].sum_waits, 0);
}

/* Of two that are as near, the longer one. */
START_TEST(unseen_waits_are_like_those_of_the_nearest_length)
{
	static const uint64_t unseen_ns[] = { 500, 1000, 31999, 32000, 4095999, 4096000, UINT64_MAX / 2 };
	static const enum wait_cause causes[] = { WAIT_PIPE, WAIT_PIPE,  WAIT_PIPE, WAIT_DISK,
						  WAIT_DISK, WAIT_SLEEP, WAIT_SLEEP };

	for (size_t i = 0; i < sizeof(unseen_ns) / sizeof(unseen_ns[0]); i++) {
		struct wait_tally tally = { 0 };

		wait_tally_add(&tally, wait_tally_reason(&tally, WAIT_PIPE, span_text("a")), 0, false, 1000);
		wait_tally_add(&tally, wait_tally_reason(&tally, WAIT_DISK, span_text("b")), 0, false,
			       1500000);
		wait_tally_add(&tally, wait_tally_reason(&tally, WAIT_SLEEP, span_text("c")), 0, false,
			       30000000);
		wait_tally_add_unseen(&tally, 7, true, unseen_ns[i]);
		wait_tally_end(&tally, 1);
		for (unsigned reason = 0; reason < tally.n; reason++)
			ck_assert_msg(tally.reasons[reason].sum_waits ==
					      (tally.reasons[reason].cause == causes[i]),
				      "%zu: %u", i, reason);
	}
}

START_TEST(what_was_seen_fades)
{
	struct wait_tally tally = { 0 };
	unsigned disk = wait_tally_reason(&tally, WAIT_DISK, span_text("read"));

	wait_tally_add(&tally, disk, 10, true, 5000);
	wait_tally_add(&tally, disk, 10, false, 0); /* it goes on: it was not seen to end */
	ck_assert_double_eq(tally.reasons[disk].seen[3], 1);
	wait_tally_end(&tally, 50);
	ck_assert_double_eq_tol(tally.reasons[disk].seen[3], 0.8, 1e-12);
	wait_tally_end(&tally, 0);
	ck_assert_double_eq_tol(tally.reasons[disk].seen[3], 0.64, 1e-12);
	ck_assert_double_eq_tol(tally.reasons[disk].sum_ns, 50, 1e-12);
	ck_assert_double_eq(tally.reasons[disk].sum_waits, 1);
}

START_TEST(reasons_are_a_cause_and_a_function)
{
	static const char name[] = "a_function_with_a_name_of_more_than_48_characters";
	struct wait_tally tally = { 0 };

	ck_assert_uint_eq(wait_tally_reason(&tally, WAIT_OTHER, span_of(NULL, 0)), 0);
	ck_assert_uint_eq(wait_tally_reason(&tally, WAIT_DISK, span_text("read")), 1);
	ck_assert_uint_eq(wait_tally_reason(&tally, WAIT_PIPE, span_text("read")), 2);
	ck_assert_uint_eq(wait_tally_reason(&tally, WAIT_DISK, span_text("reads")), 3);
	ck_assert_uint_eq(wait_tally_reason(&tally, WAIT_DISK, span_text("read")), 1);
	ck_assert_uint_eq(wait_tally_reason(&tally, WAIT_DISK, span_text(name)), 4);
	ck_assert_uint_eq(wait_tally_reason(&tally, WAIT_DISK, span_text(name)), 4);
	ck_assert_uint_eq(strlen(tally.reasons[4].function), 47);
	ck_assert_uint_eq(tally.n, 5);
}

static void add_items(struct wait_ledger *ledger, uint32_t pid, uint32_t n_items, uint64_t ns)
{
	uint32_t process = wait_ledger_process(ledger, pid, 7);

	for (uint32_t stack = 0; stack < n_items; stack++)
		wait_ledger_add(ledger, wait_ledger_item(ledger, process, BPF_STATE_SLEEP, stack, -1), ns, 1);
}

/* Once no interval of the window has any of them, and there are twice as many as were in use. */
START_TEST(what_ended_processes_waited_for_is_left_out)
{
	struct wait_ledger ledger = { 0 };

	wait_ledger_begin(&ledger);
	add_items(&ledger, 100, 300, SECOND);
	add_items(&ledger, 200, 1, SECOND);
	wait_ledger_end(&ledger, 10 * SECOND, 0);
	ck_assert_uint_eq(ledger.n_items, 301);
	wait_ledger_begin(&ledger);
	add_items(&ledger, 300, 400, SECOND);
	add_items(&ledger, 200, 1, 3 * SECOND);
	wait_ledger_end(&ledger, 20 * SECOND, 0);
	ck_assert_uint_eq(ledger.n_items, 401);
	ck_assert_uint_eq(ledger.n_processes, 2);
	ck_assert_uint_eq(wait_ledger_find(&ledger, 100), HASH_NONE);
	ck_assert_uint_eq(wait_ledger_find(&ledger, 200), 0);
	ck_assert_uint_eq(wait_ledger_find(&ledger, 300), 1);
	ck_assert_uint_eq(wait_ledger_item(&ledger, 0, BPF_STATE_SLEEP, 0, -1), 0);
	ck_assert_uint_eq(wait_ledger_item(&ledger, 1, BPF_STATE_SLEEP, 399, -1), 400);
	ck_assert_double_eq(wait_ledger_sum(&ledger), 10);
	ck_assert_int_eq(ledger.items[0].window_ns, 2 * SECOND);
	ck_assert_int_eq(ledger.items[400].window_waits, 1);
	wait_ledger_free(&ledger);
}

/* Time on a CPU, or ready for one, is no wait. */
START_TEST(the_most_of_a_process_is_its_longest_wait)
{
	struct wait_ledger ledger = { .last_ns = SECOND };
	static const struct {
		uint32_t state, stack;
		uint64_t ns, waits;
		uint32_t most;
		uint64_t most_ns, counted_ns;
	} adds[] = {
		{ BPF_STATE_RUNNING, 0, 900, 0, HASH_NONE, 0, 0 },
		{ BPF_STATE_READY, 0, 800, 0, HASH_NONE, 0, 0 },
		{ BPF_STATE_DISK, 1, 0, 1, 2, 0, 0 },
		{ BPF_STATE_OTHER, 2, 20, 1, 3, 20, 20 },
		{ BPF_STATE_DISK, 1, 20, 1, 3, 20, 40 }, /* as much */
		{ BPF_STATE_DISK, 1, 1, 1, 2, 21, 41 },
		{ BPF_STATE_OTHER, 2, 5, 4, 3, 25, 46 },
	};
	uint32_t process, other;

	wait_ledger_begin(&ledger);
	process = wait_ledger_process(&ledger, 7, 100);
	other = wait_ledger_process(&ledger, 8, 100);
	for (size_t i = 0; i < sizeof(adds) / sizeof(adds[0]); i++) {
		wait_ledger_add(&ledger, wait_ledger_item(&ledger, process, adds[i].state, adds[i].stack, -1),
				adds[i].ns, adds[i].waits);
		ck_assert_msg(ledger.processes[process].most_item == adds[i].most &&
				      ledger.processes[process].most_ns == adds[i].most_ns &&
				      ledger.processes[process].counted_ns == adds[i].counted_ns,
			      "%zu: %u", i, ledger.processes[process].most_item);
	}
	ck_assert_uint_eq(ledger.processes[other].most_item, HASH_NONE);
	ck_assert_uint_eq(ledger.items[0].now_ns, 900);
	ck_assert_uint_eq(ledger.items[3].now_waits, 5);
	/* each part of what it was in makes it another item */
	ck_assert_uint_eq(wait_ledger_item(&ledger, other, BPF_STATE_DISK, 1, -1), 4);
	ck_assert_uint_eq(wait_ledger_item(&ledger, process, BPF_STATE_LOCK, 1, -1), 5);
	ck_assert_uint_eq(wait_ledger_item(&ledger, process, BPF_STATE_DISK, 3, -1), 6);
	ck_assert_uint_eq(wait_ledger_item(&ledger, process, BPF_STATE_DISK, 1, 0), 7);
	ck_assert_uint_eq(wait_ledger_item(&ledger, process, BPF_STATE_DISK, 1, -1), 2);
	wait_ledger_free(&ledger);
}

/* Sums of two items of a process in each tick, at its second; U64_UNKNOWN: the process is not seen. */
static void two_items(struct wait_ledger *ledger, uint64_t second, uint64_t keep_ns, uint64_t one,
		      uint64_t other)
{
	uint32_t process;

	wait_ledger_begin(ledger);
	if (one != U64_UNKNOWN) {
		process = wait_ledger_process(ledger, 7, 100);
		wait_ledger_add(ledger, wait_ledger_item(ledger, process, BPF_STATE_SLEEP, 1, 2), one,
				one / 10);
		wait_ledger_add(ledger, wait_ledger_item(ledger, process, BPF_STATE_LOCK, 1, 2), other,
				other / 10);
	}
	wait_ledger_end(ledger, second * SECOND, keep_ns);
}

static void check_window(struct wait_ledger *ledger, double seconds, int64_t one, int64_t one_waits,
			 int64_t other)
{
	ck_assert_double_eq(wait_ledger_sum(ledger), seconds);
	ck_assert_int_eq(ledger->items[0].window_ns, one);
	ck_assert_int_eq(ledger->items[0].window_waits, one_waits);
	ck_assert_int_eq(ledger->items[1].window_ns, other);
}

START_TEST(intervals_are_kept_as_long_as_they_end_later)
{
	static const struct {
		uint64_t keep_ns;
		double seconds;
		int64_t one, one_waits, other;
	} cases[] = {
		{ 0, 6, 145, 14, 231 },           { 2 * SECOND - 1, 6, 145, 14, 231 },
		{ 2 * SECOND, 5, 45, 4, 31 }, /* an interval of two items goes */
		{ 3 * SECOND, 4, 40, 4, 31 }, /* one of one item */
		{ 4 * SECOND - 1, 4, 40, 4, 31 }, { 4 * SECOND, 3, 10, 1, -9 }, /* which has shrunk */
		{ 6 * SECOND, 1, 0, 0, 0 },                                     /* the last one stays */
		{ 99 * SECOND, 1, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wait_ledger ledger = { .last_ns = SECOND };

		two_items(&ledger, 2, 0, 100, 200);
		two_items(&ledger, 3, 0, 105, 200);
		two_items(&ledger, 4, 0, 135, 240);
		two_items(&ledger, 6, 0, 145, 231);
		two_items(&ledger, 7, cases[i].keep_ns, 145, 231);
		check_window(&ledger, cases[i].seconds, cases[i].one, cases[i].one_waits, cases[i].other);
		wait_ledger_free(&ledger);
	}
}

/* Where nothing was counted before there is no interval, and nothing has grown. */
START_TEST(the_first_sums_are_no_growth)
{
	struct wait_ledger ledger = { 0 };

	two_items(&ledger, 2, 0, 100, 200);
	ck_assert_uint_eq(ledger.n_intervals, 0);
	check_window(&ledger, 0, 0, 0, 0);
	two_items(&ledger, 3, 0, 107, 215);
	check_window(&ledger, 1, 7, 0, 15);
	two_items(&ledger, 5, 0, 113, 215); /* 6 ns, and a wait that began */
	check_window(&ledger, 3, 13, 1, 15);
	two_items(&ledger, 6, 0, U64_UNKNOWN, 0); /* gone: it does not shrink */
	check_window(&ledger, 4, 13, 1, 15);
	wait_ledger_free(&ledger);
}

/* What the kernel gives anew is numbered anew: items, growth and processes keep together. */
START_TEST(what_is_left_is_numbered_anew)
{
	struct wait_ledger ledger = { .last_ns = SECOND };
	uint32_t last;

	wait_ledger_begin(&ledger);
	add_items(&ledger, 50, 1, 1);    /* ends, and is left out */
	add_items(&ledger, 100, 254, 1); /* the same */
	add_items(&ledger, 200, 1, 4);   /* lives: item 255 */
	wait_ledger_end(&ledger, 2 * SECOND, 0);
	ck_assert_uint_eq(ledger.n_items, 256);
	ck_assert_uint_eq(ledger.n_growth, 256);
	wait_ledger_begin(&ledger);
	add_items(&ledger, 200, 1, 10);
	add_items(&ledger, 300, 1, 77);
	wait_ledger_process(&ledger, 400, 7); /* without an item */
	wait_ledger_end(&ledger, 3 * SECOND, SECOND);
	ck_assert_uint_eq(ledger.n_items, 257); /* the first interval has them, and more were kept */
	wait_ledger_begin(&ledger);
	add_items(&ledger, 200, 1, 11);
	add_items(&ledger, 300, 257, 80);
	wait_ledger_process(&ledger, 400, 7);
	wait_ledger_end(&ledger, 4 * SECOND, 2 * SECOND);
	ck_assert_uint_eq(ledger.n_items, 258); /* all but those of the two that ended */
	ck_assert_uint_eq(ledger.n_processes, 3);
	ck_assert_uint_eq(wait_ledger_find(&ledger, 50), HASH_NONE);
	ck_assert_uint_eq(wait_ledger_find(&ledger, 100), HASH_NONE);
	ck_assert_uint_eq(wait_ledger_find(&ledger, 200), 0);
	ck_assert_uint_eq(wait_ledger_find(&ledger, 300), 1);
	ck_assert_uint_eq(wait_ledger_find(&ledger, 400), 2);
	ck_assert_uint_eq(ledger.processes[1].pid, 300);
	ck_assert_double_eq(wait_ledger_sum(&ledger), 2);
	ck_assert_int_eq(ledger.items[0].window_ns, 6 + 1);
	ck_assert_uint_eq(wait_ledger_item(&ledger, 0, BPF_STATE_SLEEP, 0, -1), 0);
	ck_assert_int_eq(ledger.items[1].window_ns, 77 + 3);
	ck_assert_uint_eq(wait_ledger_item(&ledger, 1, BPF_STATE_SLEEP, 0, -1), 1);
	last = wait_ledger_item(&ledger, 1, BPF_STATE_SLEEP, 256, -1);
	ck_assert_uint_eq(last, 257);
	ck_assert_int_eq(ledger.items[last].window_ns, 80);
	wait_ledger_free(&ledger);
}

/* The PID comes back in the same tick: nothing of the first one is in use any more. */
START_TEST(what_ends_within_a_tick_is_left_out)
{
	struct wait_ledger ledger = { 0 };

	wait_ledger_begin(&ledger);
	add_items(&ledger, 7, 300, 1);
	ck_assert_uint_eq(wait_ledger_process(&ledger, 7, 8), 1);
	wait_ledger_add(&ledger, wait_ledger_item(&ledger, 1, BPF_STATE_LOCK, 1, 1), 5, 1);
	wait_ledger_end(&ledger, SECOND, 0);
	ck_assert_uint_eq(ledger.n_items, 1);
	ck_assert_uint_eq(ledger.n_processes, 1);
	ck_assert_uint_eq(ledger.processes[0].start_ticks, 8);
	ck_assert_uint_eq(ledger.items[0].state, BPF_STATE_LOCK);
	ck_assert_uint_eq(ledger.items[0].process, 0);
	wait_ledger_free(&ledger);
}

