/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of counting in the kernel: against loads of known size, without rights, full, and killed. */
#include "suite.h"

#include <linux/bpf.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "core/histogram.h"
#include "core/unknown.h"
#include "sys/bpf/syscall.h"
#include "topic/trace/kernel_names.h"
#include "topic/trace/trace.h"

#define FORKS 20
#define PAUSE_NS 20000000 /* has 25 bits */

static const struct sample_request request;

/* What is loaded, and what it counts; each test has a process of its own. */
static struct trace_plan plan = { .topic = "tracing" };
static struct trace_set set;
static struct env env;

/* A program at a tracepoint, with the parts of its keys. */
#define N_PARTS(...) (sizeof((struct bpf_part[]){ __VA_ARGS__ }) / sizeof(struct bpf_part))
#define BY(...) .keys = { __VA_ARGS__ }, .n_keys = N_PARTS(__VA_ARGS__)
#define AT(point, work, ...) { .name = "test", .tracepoint = point, .does = &(work), __VA_ARGS__ }
#define AT_FORK(work, ...) AT("sched_process_fork", work, __VA_ARGS__)
#define AT_EXIT(work, ...) AT("sched_process_exit", work, __VA_ARGS__)
#define PROCESS { .is = BPF_PART_PROCESS }
#define MEMBER(way) { .is = BPF_PART_MEMBER, .name = way }
#define CONSTANT(number) { .is = BPF_PART_CONSTANT, .constant = number }
#define TASK_PID(number) { .is = BPF_PART_MEMBER, .argument = number, .name = "task_struct.pid" }

/* The children live until they are waited for. */
static void fork_children(unsigned count, long pause_ns)
{
	const struct timespec pause = { .tv_nsec = pause_ns };

	for (unsigned i = 0; i < count; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		ck_assert_int_gt(child, 0);
		nanosleep(&pause, NULL);
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
	}
}

static bool needs_new_kernel(const struct bpf_program *program)
{
	return program->does == &bpf_walk || program->does->needs_types;
}

/* Opens the plan with these, or skips the test where that is not permitted. */
static void open_set(const struct bpf_program *programs, unsigned n, unsigned n_words, unsigned n_entries)
{
	plan.programs = programs;
	plan.n_programs = n;
	plan.n_words = n_words;
	plan.n_entries_max = n_entries;
	ck_assert_int_eq(env_open(&env, "/"), 0);
	trace_open(&set, &env, &request, &plan);
	if (set.error == -EPERM || set.error == -ENOSYS || set.error == -ENOENT || set.error == -ENOEXEC ||
	    (needs_new_kernel(programs) && set.error == -ENODATA)) {
		int error = set.error;

		env_close(&env);
		skip_test("BPF: %s", strerror(-error));
	}
	ck_assert_int_eq(set.error, 0);
}

static void close_set(void)
{
	trace_close(&set);
	ck_assert_uint_eq(trace_opened(&env)->n, 0);
	env_close(&env);
}

/* Of the entries with this word of their key; count U64_UNKNOWN: there is none. */
static struct bpf_entry entry_with(unsigned word, uint64_t value)
{
	struct bpf_entry sum = { .count = U64_UNKNOWN };

	for (size_t i = 0; i < set.n_entries; i++) {
		if (trace_key(&set, i)[word] != value)
			continue;
		sum.count = sum.count == U64_UNKNOWN ? set.values[i].count : sum.count + set.values[i].count;
		sum.sum += set.values[i].sum;
		sum.most = sum.most > set.values[i].most ? sum.most : set.values[i].most;
	}
	return sum;
}

static struct bpf_entry entry_of(uint64_t first)
{
	return entry_with(0, first);
}

/* How often we forked, as these count it; the set stays open. */
static uint64_t counted_by(const struct bpf_program *programs, unsigned n, unsigned n_words)
{
	open_set(programs, n, n_words, 4096);
	fork_children(FORKS, 0);
	ck_assert(trace_read(&set));
	return entry_of((uint64_t)getpid()).count;
}

START_LIVE_TEST(forks_are_counted_by_what_a_key_may_be)
{
	const struct bpf_program programs[] = {
		AT_FORK(bpf_count, BY(PROCESS)),
		AT_FORK(bpf_count, BY(MEMBER("task_struct.group_leader.tgid"))),
		AT("sched:sched_process_fork", bpf_count, BY({ .is = BPF_PART_FIELD, .name = "parent_pid" })),
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		ck_assert_uint_eq(counted_by(&programs[i], 1, 1), FORKS);
		ck_assert_uint_ge(trace_self(&set, 0).runs, FORKS);
		ck_assert_uint_eq(trace_self(&set, 0).lost, 0);
		close_set();
	}
}

START_LIVE_TEST(parts_of_a_key_share_a_word)
{
	static const struct bpf_program program =
		AT_FORK(bpf_count, BY(CONSTANT(7),
				      { .is = BPF_PART_CONSTANT, .constant = 3, .joins = true, .shift = 61 },
				      { .is = BPF_PART_PROCESS, .joins = true, .shift = 8 }));

	counted_by(&program, 1, 1);
	ck_assert_uint_eq(entry_of(7 | (uint64_t)getpid() << 8 | UINT64_C(3) << 61).count, FORKS);
	close_set();
}

/* From a fork to the wait for the child, with a pause between; the second word is the number of bits. */
START_LIVE_TEST(pairs_measure_time_and_its_histogram)
{
	static const struct bpf_program programs[] = {
		AT_FORK(bpf_start, BY(PROCESS)),
		AT("sched_process_wait", bpf_stop, BY(PROCESS), .by_log2 = true),
	};
	struct bpf_entry entry;

	open_set(programs, 2, 2, 4096);
	fork_children(5, PAUSE_NS);
	ck_assert(trace_read(&set));
	entry = entry_of((uint64_t)getpid());
	ck_assert_uint_eq(entry.count, 5);
	ck_assert_uint_ge(entry.sum, UINT64_C(5) * PAUSE_NS);
	ck_assert_uint_ge(entry.most, PAUSE_NS);
	ck_assert_uint_le(entry.most, entry.sum);
	for (size_t i = 0; i < set.n_entries; i++) {
		uint64_t bits = trace_key(&set, i)[1], most = set.values[i].most;

		ck_assert_uint_lt(bits, 64);
		ck_assert_uint_lt(most, UINT64_C(1) << bits);
		ck_assert_uint_ge(most, bits > 0 ? UINT64_C(1) << (bits - 1) : 0);
	}
	close_set();
}

/* From the fork to the exit of each child; the start has a key of its own. */
START_LIVE_TEST(starts_may_have_another_key_than_stops)
{
	static const struct bpf_program programs[] = {
		AT_FORK(bpf_start, BY(TASK_PID(1)), .typed = true),
		AT_EXIT(bpf_stop, BY(MEMBER("task_struct.real_parent.pid")), .typed = true,
			.begins_elsewhere = true, .begun = TASK_PID(0)),
	};

	ck_assert_uint_eq(counted_by(programs, 2, 1), FORKS);
	ck_assert_uint_eq(trace_self(&set, 1).lost, 0);
	close_set();
}

/* Of the entry with this key; NULL: there is none. */
static const struct bpf_phases *phases_of(uint64_t key)
{
	for (size_t i = 0; i < set.n_entries; i++)
		if (*trace_key(&set, i) == key)
			return trace_phases(&set, i);
	return NULL;
}

static uint64_t times_in(const struct bpf_phases *phases, enum bpf_phase phase)
{
	uint64_t count = 0;

	for (unsigned i = 0; phases && i < HISTOGRAM_BUCKETS; i++) {
		count += phases->buckets[phase][i];
		if (i > histogram_index(0, phases->most[phase]))
			ck_assert_uint_eq(phases->buckets[phase][i], 0);
	}
	return count;
}

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * A child begins, is noted at its fork, and exits. Without the note, and without another time for the middle,
 * nothing is known of it; without a beginning there is the second phase alone. Work that is done
 * in part does not count.
 */
START_LIVE_TEST(two_phases_have_their_histograms)
{
	static const struct bpf_part unless_newer = { .is = BPF_PART_MEMBER,
						      .name = "task_struct.start_time",
						      .absent_with = "task_struct.pid" };
	static const struct bpf_part age = MEMBER("task_struct.start_time"), none = { 0 };
	static const struct bpf_program begins = AT_FORK(bpf_start_phases, BY(TASK_PID(1)), .typed = true);
	static const struct {
		bool starts, has_age, has_middle;
		unsigned done, firsts, seconds;
		bool newer;
	} ways[] = {
		{ true, true, true, 8, FORKS, FORKS, true }, { false, true, true, 8, 0, 0, true },
		{ true, true, false, 8, FORKS, FORKS },      { false, true, true, 8, FORKS, FORKS },
		{ true, false, false, 9, 0, FORKS },         { false, true, false, 8, 0, 0 },
		{ false, true, true, 7, 0, 0 },
	};

	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const struct bpf_program ends =
			AT_EXIT(bpf_stop_phases, BY(MEMBER("task_struct.real_parent.pid")), .typed = true,
				.begun = TASK_PID(0), .value = ways[i].has_age ? age : none,
				.middle = ways[i].newer ? unless_newer : ways[i].has_middle ? age : none,
				.done = CONSTANT(ways[i].done), .whole = CONSTANT(8));
		const struct bpf_phases *phases;
		uint64_t began, took;

		open_set(&ends, 1, 1, 1024);
		if (ways[i].starts)
			ck_assert_int_eq(trace_add(&set, &begins), 0);
		began = monotonic_ns();
		fork_children(FORKS, 0);
		took = monotonic_ns() - began;
		ck_assert(trace_read(&set));
		phases = phases_of((uint64_t)getpid());
		ck_assert_uint_eq(times_in(phases, BPF_PHASE_FIRST), ways[i].firsts);
		ck_assert_uint_eq(times_in(phases, BPF_PHASE_SECOND), ways[i].seconds);
		if (phases) {
			ck_assert_uint_le(phases->sum[0] + phases->sum[1], took);
			ck_assert_uint_le(phases->most[1], phases->sum[1]);
			ck_assert((phases->sum[0] > 0) ==
				  (ways[i].firsts > 0 && (!ways[i].has_middle || ways[i].newer)));
		}
		ck_assert_int_eq(set.lacks, ways[i].newer);
		ck_assert_uint_eq(trace_self(&set, 0).lost, 0);
		close_set();
	}
}

/* Of times of all lengths; the ends are of two clocks: a time below 0 is 0, not one of centuries. */
START_LIVE_TEST(buckets_are_those_of_the_histogram)
{
	static const struct {
		uint64_t begin, middle, ns;
	} cases[] = {
		{ 1, 1, 0 },         { 1, 2, 1 },          { 1, 128, 127 },
		{ 1, 129, 128 },     { 1, 257, 256 },      { 1, 1001, 1000 },
		{ 1, 65536, 65535 }, { 1, 123456790, 123456789 }, { 1, 60000000001, 60000000000 },
		{ 1, INT64_MAX, INT64_MAX - 1 }, { INT64_MAX, INT64_MAX - 1, 0 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct bpf_program program =
			AT_FORK(bpf_stop_phases, BY(PROCESS), .begun = { .is = BPF_PART_THREAD },
				.value = CONSTANT(cases[i].begin), .middle = CONSTANT(cases[i].middle));
		const struct bpf_phases *phases;

		open_set(&program, 1, 1, 1024);
		fork_children(1, 0);
		ck_assert(trace_read(&set));
		phases = phases_of((uint64_t)getpid());
		ck_assert_ptr_nonnull(phases);
		ck_assert_uint_eq(phases->buckets[BPF_PHASE_FIRST][histogram_index(0, cases[i].ns)], 1);
		ck_assert_uint_eq(phases->sum[BPF_PHASE_FIRST], cases[i].ns);
		if (cases[i].middle < cases[i].begin)
			ck_assert_uint_eq(phases->sum[BPF_PHASE_SECOND], 0);
		close_set();
	}
}

/* There is room for the histograms of one key; what the other has is lost, and counted as that. */
START_LIVE_TEST(histograms_without_room_are_lost)
{
#define STOP(key)                                                                                            \
	AT_FORK(bpf_stop_phases, BY(CONSTANT(key)), .begun = { .is = BPF_PART_THREAD }, .middle = CONSTANT(1))
	static const struct bpf_program programs[] = { STOP(1), STOP(2) };

	open_set(programs, 2, 1, 1);
	fork_children(FORKS, 0);
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(set.n_entries, 1);
	ck_assert_uint_ge(times_in(trace_phases(&set, 0), BPF_PHASE_SECOND), FORKS);
	ck_assert_uint_ge(trace_self(&set, 0).lost + trace_self(&set, 1).lost, FORKS);
	close_set();
}

/*
 * The parent is noted at the fork: the exit, in which the child runs, counts for the parent. Behind a word
 * that is 0 the process counts that runs, whatever was noted; so do children that nothing was noted of.
 */
START_LIVE_TEST(notes_say_whom_to_count_for)
{
	static const struct {
		uint64_t noted, asks; /* the argument that is the task; the word before the maker */
		uint64_t count;
	} cases[] = { { 1, 1, FORKS }, { 1, 0, U64_UNKNOWN }, { 0, 1, U64_UNKNOWN } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct bpf_program programs[] = {
			AT_FORK(bpf_note, BY(TASK_PID((uint8_t)cases[i].noted)), .typed = true,
				.value = PROCESS),
			AT_EXIT(bpf_count,
				BY(CONSTANT(cases[i].asks),
				   { .is = BPF_PART_MAKER, .name = "task_struct.pid" }),
				.typed = true, .value = CONSTANT(3)),
		};
		struct bpf_entry entry;

		counted_by(programs, 2, 2);
		entry = entry_with(1, (uint64_t)getpid());
		ck_assert_msg(entry.count == cases[i].count, "%zu: %lu", i, (unsigned long)entry.count);
		ck_assert_uint_eq(entry.sum, entry.count == U64_UNKNOWN ? 0 : 3 * entry.count);
		ck_assert_uint_ge(set.n_entries, entry.count == U64_UNKNOWN ? FORKS : 1);
		close_set();
	}
}

/* A mark holds on this CPU between two tracepoints; no run of the third program lies between them. */
START_LIVE_TEST(marks_are_seen_while_they_are_set)
{
	/* what clears a mark runs first: none is left from before */
	static const struct bpf_program programs[] = {
		AT("softirq_exit", bpf_unmark, .first_bit = 3, .value = CONSTANT(2)),
		AT("softirq_entry", bpf_mark, .first_bit = 3, .value = CONSTANT(2)),
		AT_FORK(bpf_count, BY(PROCESS, { .is = BPF_PART_MARKS })),
		AT("softirq_raise", bpf_count, BY(CONSTANT(UINT64_MAX), { .is = BPF_PART_MARKS })),
	};

	ck_assert_uint_eq(counted_by(programs, 4, 2), FORKS);
	for (size_t i = 0; i < set.n_entries; i++) {
		uint64_t marks = trace_key(&set, i)[1];

		ck_assert(marks == 0 || marks == 1 << 5);
		if (trace_key(&set, i)[0] == (uint64_t)getpid())
			ck_assert_uint_eq(marks, 0);
	}
	close_set();
}

/* The parent notes its number under the child's task, and who reaps it counts by what was noted. */
START_LIVE_TEST(notes_are_found_by_another_program)
{
	static const struct bpf_program programs[] = {
		AT_EXIT(bpf_count, BY({ .is = BPF_PART_NOTED, .argument = 0 })),
		AT_FORK(bpf_note, BY({ .is = BPF_PART_ARGUMENT, .argument = 1, .bytes = 8 }),
			.value = PROCESS,
			.unless = MEMBER("task_struct.tgid"), .unless_bits = UINT64_C(1) << 32), /* never */
	};

	ck_assert_uint_eq(counted_by(programs, 2, 1), FORKS);
	close_set();
}

START_LIVE_TEST(what_has_one_of_the_bits_does_nothing)
{
	struct bpf_program program = AT_FORK(bpf_count, BY(PROCESS), .unless = CONSTANT(UINT64_C(1) << 40),
					     .unless_bits = UINT64_C(3) << 40);

	ck_assert_uint_eq(counted_by(&program, 1, 1), U64_UNKNOWN);
	close_set();
	program.unless_bits = UINT64_C(1) << 41;
	ck_assert_uint_eq(counted_by(&program, 1, 1), FORKS);
	close_set();
}

static void send_signals(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		ck_assert_int_eq(kill(getpid(), SIGURG), 0); /* which is ignored */
}

/* Another number that has the same slot. */
static uint64_t rival_of(uint64_t key)
{
	uint64_t other = key;

	do
		other++;
	while (bpf_slot(&other, 1) != bpf_slot(&key, 1));
	return other;
}

/* So many more make so many since it was forgotten. */
static void check_signals(uint64_t key, unsigned more, uint64_t count)
{
	struct bpf_entry entry;

	send_signals(more);
	ck_assert(trace_read(&set));
	entry = entry_of(key);
	ck_assert_uint_eq(entry.count, count);
	ck_assert_uint_eq(entry.sum, count * SIGURG);
	ck_assert_uint_eq(entry.most, SIGURG);
}

static uint64_t count_in_hash(uint64_t key)
{
	struct bpf_entry entry;

	ck_assert_int_eq(bpf_map_value(NULL, set.maps[BPF_MAP_ENTRIES], &key, &entry), 0);
	return entry.count;
}

static void forget(uint64_t key)
{
	for (size_t i = 0; i < set.n_entries; i++)
		if (*trace_key(&set, i) == key)
			trace_forget(&set, i);
}

#define SIGNALS_BY(...)                                                                                      \
	AT("signal_generate", bpf_count, BY(__VA_ARGS__), .value = { .is = BPF_PART_ARGUMENT, .bytes = 4 })

/* Two keys that want the same slot: one has it, the other one stays in the hash. */
START_LIVE_TEST(keys_that_count_often_count_in_slots)
{
	uint64_t own = (uint64_t)getpid(), rival = rival_of(own);
	const struct bpf_program programs[] = { SIGNALS_BY(PROCESS), SIGNALS_BY(CONSTANT(rival)) };

	plan.slots = true;
	open_set(programs, 2, 1, 4096);
	if (set.maps[BPF_MAP_SLOTS] < 0)
		skip_test("the kernel has no arrays that programs share with others");
	signal(SIGURG, SIG_IGN);
	check_signals(own, 1500, 1500);
	check_signals(own, 500, 2000);
	ck_assert((count_in_hash(own) < 2000) != (count_in_hash(rival) < 2000));
	forget(own);
	forget(rival);
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(entry_of(own).count, U64_UNKNOWN);
	check_signals(own, 1200, 1200);
	check_signals(own, 10, 1210);
	ck_assert_uint_eq(trace_self(&set, 0).lost, 0);
	close_set();
}

START_LIVE_TEST(what_a_full_map_does_not_take_is_counted)
{
	static const struct bpf_program program = AT_EXIT(bpf_count, BY(PROCESS));
	struct bpf_self before, after;
	uint64_t counted = 0;

	open_set(&program, 1, 1, 4);
	fork_children(FORKS, 0);
	before = trace_self(&set, 0);
	ck_assert(trace_read(&set));
	after = trace_self(&set, 0);
	ck_assert_uint_eq(set.n_entries, 4);
	for (size_t i = 0; i < set.n_entries; i++)
		counted += set.values[i].count;
	ck_assert_uint_ge(after.lost, FORKS - 4);
	ck_assert_uint_ge(counted + after.lost, before.runs);
	ck_assert_uint_le(counted + before.lost, after.runs);
	close_set();
}

static void *wait_for_ever(void *nothing)
{
	(void)nothing;
	for (;;)
		pause();
	return NULL;
}

static void *work_and_end(void *nothing)
{
	struct timespec used;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	while (used.tv_nsec < 3000000);
	return nothing;
}

/* A process whose threads sleep, but for one that has ended. */
static pid_t fork_sleeper(void)
{
	int ready[2];
	char byte;
	pid_t child;

	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		pthread_t ended, sleeping;

		if (pthread_create(&ended, NULL, work_and_end, NULL) || pthread_join(ended, NULL) ||
		    pthread_create(&sleeping, NULL, wait_for_ever, NULL) || write(ready[1], "", 1) != 1)
			_exit(1);
		wait_for_ever(NULL);
	}
	ck_assert_int_gt(child, 0);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

static uint64_t clock_of(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	ck_assert_int_eq(clock_getcpuclockid(pid, &clock), 0);
	ck_assert_int_eq(clock_gettime(clock, &used), 0);
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

static struct bpf_walked walked(pid_t pid)
{
	const struct bpf_walk *walk = trace_walk(&set);
	struct bpf_walked found = { 0 };

	ck_assert_ptr_nonnull(walk);
	ck_assert_uint_ge(walk->n_tasks, walk->n_processes);
	for (uint64_t i = 0; i < walk->n_processes; i++)
		if (walk->processes[i].pid == (uint32_t)pid) {
			ck_assert_uint_eq(found.pid, 0);
			found = walk->processes[i];
		}
	return found;
}

/* The clock of a process that sleeps stands still. */
static void sleep_until_still(pid_t pid)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	uint64_t before;

	do {
		before = clock_of(pid);
		nanosleep(&pause, NULL);
	} while (clock_of(pid) != before);
}

static void kill_child(pid_t child)
{
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

START_LIVE_TEST(a_walk_has_the_clocks_of_all_and_says_what_has_changed)
{
	static const struct bpf_program walk = AT("bpf_iter_task_next", bpf_walk);
	struct bpf_walked first, second;
	pid_t child;
	int nice;

	open_set(&walk, 1, 0, BPF_WALK_MAX);
	child = fork_sleeper();
	sleep_until_still(child);
	first = walked(child);
	ck_assert_uint_eq(first.pid, (uint32_t)child);
	ck_assert_uint_eq(first.unseen, 0);
	ck_assert_uint_eq(first.run_ns, clock_of(child));
	ck_assert_uint_ge(first.run_ns, 3000000);
	second = walked(child);
	ck_assert(second.run_ns == first.run_ns && second.mark == first.mark);
	nice = getpriority(PRIO_PROCESS, (id_t)child); /* the test itself may be run with any */
	ck_assert_int_eq(setpriority(PRIO_PROCESS, (id_t)child, nice < 19 ? nice + 1 : nice - 1), 0);
	second = walked(child);
	ck_assert_uint_ne(second.mark, first.mark);
	ck_assert_uint_eq(second.run_ns, clock_of(child));
	kill_child(child);
	ck_assert_uint_eq(walked(child).pid, 0);
	ck_assert(trace_self(&set, 0).runs == 4 && trace_self(&set, 0).lost == 0);
	close_set();
}

/* Sleeps until it is written to, and works then. */
static pid_t fork_worker(int *start)
{
	int ends[2];
	char byte;
	pid_t child;

	ck_assert_int_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		if (read(ends[0], &byte, 1) != 1)
			_exit(1);
		for (;;)
			;
	}
	ck_assert_int_gt(child, 0);
	close(ends[0]);
	*start = ends[1];
	return child;
}

/* Reads until this thread is in a state, or in the other one. */
static size_t wait_for_state(pid_t thread, uint64_t state, uint64_t other)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (;;) {
		ck_assert(trace_read(&set));
		for (size_t i = 0; i < set.n_entries; i++)
			if (trace_times_key(&set, i)->thread == (uint64_t)thread &&
			    (set.times[i].state == state || set.times[i].state == other))
				return i;
		nanosleep(&pause, NULL);
	}
}

/* The clock of another CPU may be ahead: no time passes then, but a thread is in its new state. */
START_LIVE_TEST(a_thread_enters_its_state_although_the_clock_is_behind)
{
	static const struct bpf_program programs[] = {
		AT("sched_switch", bpf_enter_switch),
		AT("sched_wakeup", bpf_enter_ready),
		AT("bpf_iter_task", bpf_enter_exists),
	};
	const uint64_t ahead_ns = UINT64_C(3600000000000);
	struct bpf_times asleep, woken;
	size_t entry;
	pid_t child;
	int start;

	child = fork_worker(&start);
	open_set(programs, 3, sizeof(struct bpf_times_key) / sizeof(uint64_t), 65536);
	entry = wait_for_state(child, BPF_STATE_SLEEP, BPF_STATE_SLEEP);
	asleep = set.times[entry];
	asleep.begun_ns += ahead_ns;
	asleep.since_ns += ahead_ns;
	ck_assert_int_eq(bpf_map_set(NULL, set.maps[BPF_MAP_ENTRIES], trace_key(&set, entry), &asleep), 0);
	ck_assert_int_eq(write(start, "", 1), 1);
	woken = set.times[wait_for_state(child, BPF_STATE_RUNNING, BPF_STATE_READY)];
	ck_assert_uint_eq(woken.since_ns, asleep.since_ns);
	ck_assert_int_eq(memcmp(woken.spent_ns, asleep.spent_ns, sizeof(woken.spent_ns)), 0);
	kill_child(child);
	close(start);
	close_set();
}

/* Without rights, with --no-bpf, or with a tracepoint that is absent: all have nothing, and leave nothing. */
START_LIVE_TEST(what_cannot_be_opened_leaves_nothing)
{
	static const struct bpf_program programs[] = {
		AT_EXIT(bpf_count, BY({ .is = BPF_PART_CPU })),
		AT("panetop_absent", bpf_count, BY({ .is = BPF_PART_CPU })),
	};
	static const struct {
		struct sample_request request;
		bool drops_rights;
		unsigned n_programs;
		int error;
	} cases[] = {
		{ { .no_bpf = false }, true, 1, -EPERM },
		{ { .no_bpf = true }, false, 1, -ENOTSUP },
		{ { .no_bpf = false }, false, 2, -ENOENT },
	};

	plan.programs = programs;
	plan.n_words = 1;
	plan.n_entries_max = 16;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		plan.n_programs = cases[i].n_programs;
		ck_assert_int_eq(env_open(&env, "/"), 0);
		if ((!cases[i].drops_rights || is_root()) &&
		    (cases[i].error != -ENOENT || !trace_test(&env))) {
			ck_assert_int_eq(cases[i].drops_rights ? seteuid(65534) : 0, 0);
			trace_open(&set, &env, &cases[i].request, &plan);
			ck_assert_int_eq(cases[i].drops_rights ? seteuid(0) : 0, 0);
			ck_assert_int_eq(set.error, cases[i].error);
			ck_assert(set.n_running == 0 && !trace_read(&set));
			trace_close(&set);
			ck_assert_uint_eq(trace_opened(&env)->n, 0);
		}
		env_close(&env);
	}
}

static long call_kernel(enum bpf_cmd command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* The kernel's number of a program. */
static uint32_t program_id(int program)
{
	struct bpf_prog_info info = { 0 };
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)program;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uint64_t)(uintptr_t)&info;
	ck_assert_int_eq(call_kernel(BPF_OBJ_GET_INFO_BY_FD, &attr), 0);
	return info.id;
}

/* Is it loaded? All of them are listed. */
static bool is_loaded(uint32_t id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.start_id = id - 1;
	return call_kernel(BPF_PROG_GET_NEXT_ID, &attr) == 0 && attr.next_id == id;
}

START_LIVE_TEST(nothing_stays_in_the_kernel_after_sigkill)
{
	static const struct bpf_program exits = AT_EXIT(bpf_count, BY({ .is = BPF_PART_CPU }));
	volatile uint32_t *id = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct timespec pause = { .tv_nsec = 1000000 };
	pid_t child;

	open_set(&exits, 1, 1, 1024);
	if (!is_loaded(program_id(set.running[0].loaded)))
		skip_test("programs cannot be listed");
	close_set();
	child = fork();
	if (child == 0) {
		open_set(&exits, 1, 1, 1024);
		*id = program_id(set.running[0].loaded);
		for (;;)
			nanosleep(&(const struct timespec){ .tv_sec = 1 }, NULL);
	}
	while (*id == 0)
		nanosleep(&pause, NULL);
	ck_assert(is_loaded(*id));
	kill_child(child);
	while (is_loaded(*id)) /* the kernel frees it soon; the time limit of the test ends this */
		nanosleep(&pause, NULL);
}
