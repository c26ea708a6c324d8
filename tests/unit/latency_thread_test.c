/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of a measuring thread and of reading its counts: pages of these are closed, so that a test acts in
 * the middle of a read or a write; CPUs go offline as the test says.
 */
#include "suite.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

#include "sys/env.h"
#include "sys/latency_thread.h"

#define READ_TRIES 20
#define TRIES_MAX 10000 /* of a ms */

/* Where the thread runs, and whether it can be moved back to its CPU. */
static atomic_int here;
static atomic_bool is_offline;
static atomic_uint n_asked, n_there, n_moves;

static int get_cpu(void)
{
	int cpu = here;

	n_asked++;
	n_there += cpu == 0;
	return cpu;
}

static int set_affinity(pid_t tid, size_t bytes, const cpu_set_t *set)
{
	ck_assert_int_eq(tid, 0);
	ck_assert(CPU_ISSET_S(0, bytes, set));
	n_moves++;
	errno = EINVAL;
	return is_offline ? -1 : 0;
}

static const struct machine_threads cpus = { .sched_getcpu = get_cpu, .sched_setaffinity = set_affinity };

/* Of the counts two pages, one of which is closed; a read comes to the first one before the second one. */
static struct {
	struct live_counts *counts;
	char *first, *second;
	size_t page_bytes;
	unsigned n_reads;
	void (*act)(void); /* at each read of the second page; or at a write to the first one */
	bool is_read;
} trap;

static const struct latency_plan plan = {
	.policy = LATENCY_OTHER, .period_ns = 1000000, .slack_ns = 1, .threads = &cpus, .n_phases = 1
};

static void close_page(char *page)
{
	mprotect(page, trap.page_bytes, PROT_NONE);
}

static bool open_page(char *page, const char *at)
{
	return at >= page && at < page + trap.page_bytes &&
	       mprotect(page, trap.page_bytes, PROT_READ | PROT_WRITE) == 0;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	const char *at = info->si_addr;

	(void)context;
	if (open_page(trap.second, at)) {
		trap.n_reads++;
		close_page(trap.first);
		trap.act();
	} else if (!open_page(trap.first, at)) {
		signal(number, SIG_DFL);
	} else if (trap.is_read) {
		close_page(trap.second);
	} else {
		trap.act();
	}
}

/* The last two pages: only very long times are counted there. */
static void set_trap(void (*act)(void), bool is_read)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), end;

	end = sizeof(struct live_counts) / page_bytes * page_bytes;
	if (end < offsetof(struct live_counts, times) + 3 * page_bytes)
		skip_test("pages are large");
	trap.counts = mmap(NULL, end + page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	ck_assert(trap.counts != MAP_FAILED);
	live_clear(trap.counts);
	trap.page_bytes = page_bytes;
	trap.second = (char *)trap.counts + end - page_bytes;
	trap.first = trap.second - page_bytes;
	trap.act = act;
	trap.is_read = is_read;
	ck_assert_int_eq(sigaction(SIGSEGV, &action, NULL), 0);
}

/* What is read while the trap is set; how often is in n_reads. */
static struct latency_counts *read_counts(void)
{
	static struct latency_counts counts;

	trap.n_reads = 0;
	close_page(trap.second);
	live_read(trap.counts, &plan, &counts);
	return &counts;
}

static void do_nothing(void)
{
}

static void count_another(void)
{
	if (trap.n_reads == 1)
		live_count(trap.counts, &plan, 2, 300);
}

/* So many times, of that sum, in so many reads. */
static void check_counts(unsigned count, unsigned sum_ns, unsigned n_reads)
{
	const struct latency_counts *counts = read_counts();

	ck_assert_str_eq(textf("%u %u %u", (unsigned)counts->times.count, (unsigned)counts->times.sum_ns,
			       trap.n_reads),
			 textf("%u %u %u", count, sum_ns, n_reads));
}

START_TEST(a_write_meanwhile_is_read_again)
{
	set_trap(do_nothing, true);
	live_count(trap.counts, &plan, 1, 100);
	check_counts(1, 100, 1);
	trap.act = count_another;
	check_counts(2, 400, 2);
}

/* It has begun before the first read, and ends within the second one. */
static void end_write(void)
{
	if (trap.n_reads != 2)
		return;
	live_store(&trap.counts->times[100], 1);
	live_store(&trap.counts->sequence, 4);
}

START_TEST(a_write_that_is_half_done_is_waited_for)
{
	set_trap(end_write, true);
	live_store(&trap.counts->sequence, 3);
	live_store(&trap.counts->sum_ns, 100);
	check_counts(1, 100, 3);
}

START_TEST(a_write_without_end_is_not_waited_for)
{
	set_trap(do_nothing, true);
	live_store(&trap.counts->sequence, 3);
	live_store(&trap.counts->times[100], 1);
	check_counts(1, 0, READ_TRIES);
}

static struct latency_control control;
static struct latency_thread thread = { .plan = &plan, .control = &control };
static struct live_counts own_counts;

static void start(struct live_counts *counts)
{
	static const struct thread_work work = { latency_thread_run };

	live_clear(counts);
	thread.counts[0] = counts;
	control.stop_fd = eventfd(0, EFD_CLOEXEC);
	ck_assert_int_ge(control.stop_fd, 0);
	ck_assert_int_eq(sem_init(&control.go, 0, 0), 0);
	live_store(&control.start_ns, real_mono_ns());
	thread.thread = thread_start(&real_threads, &work, &thread);
	ck_assert_ptr_nonnull(thread.thread);
	while (live_load(&thread.stage) == LATENCY_STARTS)
		sched_yield();
	ck_assert_int_eq(thread.error, 0);
	ck_assert_int_eq(sem_post(&control.go), 0);
}

static void stop(void)
{
	live_store(&control.stop, 1);
	ck_assert_int_eq(eventfd_write(control.stop_fd, 1), 0);
	ck_assert(thread_end(thread.thread, true));
	close(control.stop_fd);
}

static uint64_t n_counted(void)
{
	static struct latency_counts counts;

	live_read(thread.counts[0], &plan, &counts);
	return counts.times.count;
}

#define WAIT_UNTIL(condition)                                                                                \
	do {                                                                                                 \
		for (unsigned tries_ = 0; tries_ < TRIES_MAX && !(condition); tries_++)                      \
			usleep(1000);                                                                        \
		ck_assert(condition);                                                                        \
	} while (0)

static void wait_for_more(void)
{
	uint64_t before = n_counted();

	WAIT_UNTIL(n_counted() >= before + 3);
}

/* Offline, and back but for the thread, it counts nothing; nor the wake-up that shows that it was away. */
START_TEST(nothing_counts_away_from_its_cpu)
{
	unsigned before;
	uint64_t counted;

	start(&own_counts);
	wait_for_more();
	ck_assert_uint_eq(live_load(&thread.away), 0);
	before = n_moves;
	is_offline = true;
	here = 1;
	WAIT_UNTIL(live_load(&thread.away));
	counted = n_counted();
	WAIT_UNTIL(n_moves >= before + 3);
	before = n_asked;
	is_offline = false;
	WAIT_UNTIL(n_asked >= before + 2);
	ck_assert_uint_eq(live_load(&thread.away), 1);
	ck_assert_uint_eq(n_counted(), counted);
	here = 0;
	WAIT_UNTIL(!live_load(&thread.away));
	wait_for_more();
	stop();
	ck_assert_uint_eq(n_counted(), n_there - 1);
}

START_TEST(it_ends_away_from_its_cpu)
{
	start(&own_counts);
	is_offline = true;
	here = 1;
	WAIT_UNTIL(live_load(&thread.away));
	stop();
	ck_assert_uint_eq(live_load(&thread.away), 0);
}

START_TEST(of_any_cpu_it_is_never_away)
{
	thread.cpu = LATENCY_ANY_CPU;
	here = 1;
	start(&own_counts);
	wait_for_more();
	stop();
	ck_assert_uint_eq(n_asked, 0);
	ck_assert_uint_eq(n_moves, 0);
}

static live_u64 n_cleared, cleared_at; /* the sequence then */

static void note_clearing(void)
{
	live_store(&cleared_at, live_load(&trap.counts->sequence));
	live_store(&n_cleared, 1);
}

/* Whoever reads meanwhile sees that it is being written. */
START_TEST(a_restart_clears_as_a_write)
{
	uint64_t before;

	set_trap(note_clearing, false);
	start(trap.counts);
	wait_for_more();
	before = n_counted();
	close_page(trap.first);
	live_store(&control.restarts, 1);
	WAIT_UNTIL(live_load(&n_cleared));
	ck_assert_uint_eq(live_load(&cleared_at) % 2, 1);
	wait_for_more();
	stop();
	ck_assert_uint_le(n_counted(), n_there - before);
	ck_assert_uint_eq(live_load(&trap.counts->sequence), 2 * (uint64_t)(n_there + 1));
}

#define N_WAKEUPS 60

/* How late the n-th of them is: each another time, in no order. */
static uint64_t late_of(uint64_t n)
{
	return 100 + 700 * (n * 37 % N_WAKEUPS);
}

/* After each wake-up the worst so far, and what all of them are together. */
START_TEST(the_worst_wakeups_are_kept_with_their_moments)
{
	static const struct latency_plan counting = { .period_ns = 10000, .bucket_ns = 1000 };
	static live_u64 linear[HISTOGRAM_BUCKETS];
	static struct histogram histogram;
	static struct latency_counts counts;
	uint64_t sum = 0, missed = 0, squares = 0;

	counts.linear = &histogram;
	own_counts.linear = linear;
	live_clear(&own_counts);
	for (uint64_t n = 0; n < N_WAKEUPS; n++) {
		uint64_t late = late_of(n), least = UINT64_MAX, most = 0;

		live_count(&own_counts, &counting, 1000 + n, late);
		sum += late;
		squares += late * late;
		missed += late / 10000;
		live_read(&own_counts, &counting, &counts);
		ck_assert_uint_eq(counts.n_worst, n + 1 < LATENCY_WORST ? n + 1 : LATENCY_WORST);
		for (unsigned i = 0; i < counts.n_worst; i++) {
			uint64_t woken = counts.worst[i].woken_ns, n_larger = 0;

			ck_assert(woken >= 1000 && woken <= 1000 + n);
			ck_assert_uint_eq(counts.worst[i].late_ns, late_of(woken - 1000));
			for (uint64_t other = 0; other <= n; other++)
				n_larger += late_of(other) > counts.worst[i].late_ns;
			ck_assert_uint_lt(n_larger, LATENCY_WORST);
			for (unsigned k = 0; k < i; k++)
				ck_assert_uint_ne(counts.worst[k].woken_ns, woken);
		}
		for (uint64_t other = 0; other <= n; other++) {
			least = late_of(other) < least ? late_of(other) : least;
			most = late_of(other) > most ? late_of(other) : most;
		}
		ck_assert(counts.times.min_ns == least && counts.times.max_ns == most);
		ck_assert(counts.times.sum_ns == sum && counts.times.count == n + 1);
		ck_assert_double_eq(counts.times.squares, (double)squares);
		ck_assert_uint_eq(counts.missed, missed);
		ck_assert(histogram.count == n + 1 && histogram.sum_ns == sum && histogram.max_ns == most);
		ck_assert(histogram.width_ns == 1000 && counts.times.width_ns == 0);
		ck_assert_uint_eq(histogram.buckets[late / 1000],
				  live_load(&linear[histogram_index(1000, late)]));
	}
	ck_assert_uint_eq(histogram.buckets[0], 2); /* 100 and 800 */
	ck_assert_uint_eq(histogram.buckets[1], 1); /* 1500 */
	live_count(&own_counts, &counting, 1,
		   100 + 700 * (N_WAKEUPS - LATENCY_WORST)); /* as the least of them */
	live_read(&own_counts, &counting, &counts);
	for (unsigned i = 0; i < LATENCY_WORST; i++)
		ck_assert_uint_ge(counts.worst[i].woken_ns, 1000);
	live_clear(&own_counts);
	live_read(&own_counts, &counting, &counts);
	ck_assert(counts.n_worst == 0 && counts.missed == 0 && counts.times.count == 0 &&
		  histogram.count == 0);
	ck_assert(counts.times.sum_ns == 0 && counts.times.squares == 0);
	ck_assert(counts.times.min_ns == UINT64_MAX && counts.times.max_ns == 0);
	own_counts.linear = NULL;
}
