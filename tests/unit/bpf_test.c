/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of counting in the kernel: against loads of known size, without rights, full, and killed. */
#include <config.h>

#include <errno.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/histogram.h"
#include "core/unknown.h"
#include "suite.h"
#include "sys/bpf/syscall.h"
#include "topic/trace/kernel_types.h"
#include "topic/trace/trace.h"

#define FORKS 20
#define PAUSE_NS 20000000 /* has 25 bits */

static const struct sample_request request;

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

/* Opens it, or skips the test where that is not permitted. */
static void open_set(struct trace_set *set, struct env *env, const struct trace_plan *plan)
{
	ck_assert_int_eq(env_open(env, "/"), 0);
	trace_open(set, env, &request, plan);
	if (set->error == -EPERM || set->error == -ENOSYS || set->error == -ENOENT ||
	    set->error == -ENOEXEC || (needs_new_kernel(plan->programs) && set->error == -ENODATA)) {
		int error = set->error;

		env_close(env);
		skip_test("BPF: %s", strerror(-error));
	}
	ck_assert_int_eq(set->error, 0);
}

static void close_set(struct trace_set *set, struct env *env)
{
	trace_close(set);
	ck_assert_uint_eq(trace_opened(env)->n, 0);
	env_close(env);
}

/* Of the entry whose first word this is; count U64_UNKNOWN: there is none. */
static struct bpf_entry entry_of(const struct trace_set *set, uint64_t first)
{
	struct bpf_entry sum = { .count = U64_UNKNOWN };

	for (size_t i = 0; i < set->n_entries; i++) {
		if (trace_key(set, i)[0] != first)
			continue;
		sum.count =
			sum.count == U64_UNKNOWN ? set->values[i].count : sum.count + set->values[i].count;
		sum.sum += set->values[i].sum;
		sum.most = sum.most > set->values[i].most ? sum.most : set->values[i].most;
	}
	return sum;
}

static uint64_t counted_forks(const struct bpf_program *program)
{
	const struct trace_plan plan = {
		.topic = "tracing",
		.programs = program,
		.n_programs = 1,
		.n_words = 1,
		.n_entries_max = 4096,
	};
	struct trace_set set;
	struct env env;
	uint64_t count;

	open_set(&set, &env, &plan);
	fork_children(FORKS, 0);
	ck_assert(trace_read(&set));
	count = entry_of(&set, (uint64_t)getpid()).count;
	ck_assert_uint_ge(trace_self(&set, 0).runs, FORKS);
	ck_assert_uint_eq(trace_self(&set, 0).lost, 0);
	close_set(&set, &env);
	return count;
}

START_LIVE_TEST(forks_are_counted_by_the_process_that_runs)
{
	const struct bpf_program program = { .name = "forks",
					       .tracepoint = "sched_process_fork",
					       .does = &bpf_count,
					       .keys = { { .is = BPF_PART_PROCESS } },
					       .n_keys = 1 };

	ck_assert_uint_eq(counted_forks(&program), FORKS);
}

START_LIVE_TEST(forks_are_counted_by_a_member_of_the_task)
{
	const struct bpf_program program = { .name = "forks",
					       .tracepoint = "sched_process_fork",
					       .does = &bpf_count,
					       .keys = { { .is = BPF_PART_MEMBER,
							   .name = "task_struct.group_leader.tgid" } },
					       .n_keys = 1 };

	ck_assert_uint_eq(counted_forks(&program), FORKS);
}

START_LIVE_TEST(parts_of_a_key_share_a_word)
{
	const struct bpf_program program = {
		.name = "forks",
		.tracepoint = "sched_process_fork",
		.does = &bpf_count,
		.keys = { { .is = BPF_PART_CONSTANT, .constant = 7 },
			  { .is = BPF_PART_CONSTANT, .constant = 3, .joins = true, .shift = 61 },
			  { .is = BPF_PART_PROCESS, .joins = true, .shift = 8 } },
		.n_keys = 3,
	};
	const struct trace_plan plan = {
		.topic = "tracing",
		.programs = &program,
		.n_programs = 1,
		.n_words = 1,
		.n_entries_max = 4096,
	};
	struct trace_set set;
	struct env env;

	open_set(&set, &env, &plan);
	fork_children(FORKS, 0);
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(entry_of(&set, 7 | (uint64_t)getpid() << 8 | UINT64_C(3) << 61).count, FORKS);
	close_set(&set, &env);
}

static int find_member(void *types, const char *way, struct bpf_place *place)
{
	return kernel_types_member(&((struct kernel_types *)types)->btf, way, place);
}

/* Our forks, counted by a member of the parent. */
static uint64_t forks_by_member(struct kernel_types *types, bool typed)
{
	const struct bpf_program forks = { .does = &bpf_count,
					   .n_keys = 1,
					   .keys = { { .is = BPF_PART_MEMBER,
						       .name = "task_struct.group_leader.tgid" } } };
	const struct bpf_kernel kernel = { .state = types, .member = find_member };
	struct bpf_target target = { .kernel = &kernel, .typed = typed };
	uint32_t type = btf_typedef(&types->btf, "btf_trace_sched_process_fork");
	uint64_t key = (uint64_t)getpid();
	struct bpf_entry entry = { 0 };
	static struct bpf_code code;
	int program, attached;

	memset(target.maps, -1, sizeof(target.maps));
	target.maps[BPF_MAP_ENTRIES] = bpf_map_open(BPF_MAP_TYPE_HASH, sizeof(key), sizeof(entry), 4096);
	target.maps[BPF_MAP_SELF] = bpf_map_open(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t),
						 sizeof(struct bpf_self), 1);
	ck_assert_int_eq(bpf_assemble(&code, &forks, &target), 0);
	program = typed ? bpf_typed_program_open(&code, "panetop", type, false)
			: bpf_program_open(BPF_PROG_TYPE_RAW_TRACEPOINT, &code, "panetop");
	ck_assert_int_ge(program, 0);
	attached = bpf_attach_raw(program, typed ? NULL : "sched_process_fork");
	ck_assert_int_ge(attached, 0);
	fork_children(FORKS, 0);
	ck_assert_int_eq(bpf_map_value(target.maps[BPF_MAP_ENTRIES], &key, &entry), 0);
	close(attached);
	close(program);
	close(target.maps[BPF_MAP_SELF]);
	close(target.maps[BPF_MAP_ENTRIES]);
	return entry.count;
}

START_LIVE_TEST(members_are_the_same_with_types_and_without)
{
	struct kernel_types types;
	struct env env;
	int error;

	if (!is_root())
		skip_test("not root");
	ck_assert_int_eq(env_open(&env, "/"), 0);
	error = trace_test(&env);
	if (!error)
		error = kernel_types_open(&types, &env);
	env_close(&env);
	if (error)
		skip_test("BPF: %s", strerror(-error));
	ck_assert_uint_eq(forks_by_member(&types, true), FORKS);
	ck_assert_uint_eq(forks_by_member(&types, false), FORKS);
	kernel_types_close(&types);
}

START_LIVE_TEST(forks_are_counted_by_a_field_of_the_tracepoint)
{
	const struct bpf_program program = { .name = "forks",
					       .tracepoint = "sched:sched_process_fork",
					       .does = &bpf_count,
					       .keys = { { .is = BPF_PART_FIELD, .name = "parent_pid" } },
					       .n_keys = 1 };

	ck_assert_uint_eq(counted_forks(&program), FORKS);
}

/* From a fork to the wait for the child, with a pause between; the second word is the number of bits. */
START_LIVE_TEST(pairs_measure_time_and_its_histogram)
{
	static const struct bpf_program programs[] = {
		{ .name = "start",
		  .tracepoint = "sched_process_fork",
		  .does = &bpf_start,
		  .keys = { { .is = BPF_PART_PROCESS } },
		  .n_keys = 1 },
		{ .name = "stop",
		  .tracepoint = "sched_process_wait",
		  .does = &bpf_stop,
		  .by_log2 = true,
		  .keys = { { .is = BPF_PART_PROCESS } },
		  .n_keys = 1 },
	};
	static const struct trace_plan plan = {
		.topic = "tracing",
		.programs = programs,
		.n_programs = 2,
		.n_words = 2,
		.n_entries_max = 4096,
	};
	struct bpf_entry entry;
	struct trace_set set;
	struct env env;

	open_set(&set, &env, &plan);
	fork_children(5, PAUSE_NS);
	ck_assert(trace_read(&set));
	entry = entry_of(&set, (uint64_t)getpid());
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
	close_set(&set, &env);
}

#define TASK_PID(argument_number)                                                                            \
	{                                                                                                    \
		.is = BPF_PART_MEMBER, .argument = argument_number, .name = "task_struct.pid"                \
	}

/* From the fork to the exit of each child; the start has a key of its own. */
START_LIVE_TEST(starts_may_have_another_key_than_stops)
{
	static const struct bpf_program programs[] = {
		{ .name = "start",
		  .tracepoint = "sched_process_fork",
		  .does = &bpf_start,
		  .typed = true,
		  .keys = { TASK_PID(1) },
		  .n_keys = 1 },
		{ .name = "stop",
		  .tracepoint = "sched_process_exit",
		  .does = &bpf_stop,
		  .typed = true,
		  .begins_elsewhere = true,
		  .begun = TASK_PID(0),
		  .keys = { { .is = BPF_PART_MEMBER, .name = "task_struct.real_parent.pid" } },
		  .n_keys = 1 },
	};
	static const struct trace_plan plan = {
		.topic = "tracing",
		.programs = programs,
		.n_programs = 2,
		.n_words = 1,
		.n_entries_max = 4096,
	};
	struct trace_set set;
	struct env env;

	open_set(&set, &env, &plan);
	fork_children(FORKS, 0);
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(entry_of(&set, (uint64_t)getpid()).count, FORKS);
	ck_assert_uint_eq(trace_self(&set, 1).lost, 0);
	close_set(&set, &env);
}

/* Of the entry with this key; NULL: there is none. */
static const struct bpf_phases *phases_of(const struct trace_set *set, uint64_t key)
{
	for (size_t i = 0; i < set->n_entries; i++)
		if (*trace_key(set, i) == key)
			return trace_phases(set, i);
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
	static const struct bpf_program begins = { .name = "start",
						     .tracepoint = "sched_process_fork",
						     .does = &bpf_start_phases,
						     .typed = true,
						     .keys = { TASK_PID(1) },
						     .n_keys = 1 };
	static const struct bpf_part age = { .is = BPF_PART_MEMBER, .name = "task_struct.start_time" };
	static const struct {
		bool starts, has_age, has_middle;
		unsigned done, firsts, seconds;
		bool newer;
	} ways[] = {
		{ true, true, true, 8, FORKS, FORKS, true },
		{ false, true, true, 8, 0, 0, true },
		{ true, true, false, 8, FORKS, FORKS },
		{ false, true, true, 8, FORKS, FORKS },
		{ true, false, false, 9, 0, FORKS },
		{ false, true, false, 8, 0, 0 },
		{ false, true, true, 7, 0, 0 },
	};

	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const struct bpf_program ends = {
			.name = "stop",
			.tracepoint = "sched_process_exit",
			.does = &bpf_stop_phases,
			.typed = true,
			.begun = TASK_PID(0),
			.value = ways[i].has_age ? age : (struct bpf_part){ 0 },
			.middle = ways[i].newer        ? unless_newer
				  : ways[i].has_middle ? age
						       : (struct bpf_part){ 0 },
			.done = { .is = BPF_PART_CONSTANT, .constant = ways[i].done },
			.whole = { .is = BPF_PART_CONSTANT, .constant = 8 },
			.keys = { { .is = BPF_PART_MEMBER, .name = "task_struct.real_parent.pid" } },
			.n_keys = 1,
		};
		const struct trace_plan plan = {
			.topic = "tracing",
			.programs = &ends,
			.n_programs = 1,
			.n_words = 1,
			.n_entries_max = 1024,
		};
		const struct bpf_phases *phases;
		struct trace_set set;
		struct env env;
		uint64_t began, took;

		open_set(&set, &env, &plan);
		if (ways[i].starts)
			ck_assert_int_eq(trace_add(&set, &begins), 0);
		began = monotonic_ns();
		fork_children(FORKS, 0);
		took = monotonic_ns() - began;
		ck_assert(trace_read(&set));
		phases = phases_of(&set, (uint64_t)getpid());
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
		close_set(&set, &env);
	}
}

/* Of times of all lengths. */
START_LIVE_TEST(buckets_are_those_of_the_histogram)
{
	static const uint64_t values[] = { 0,         1,          127,         128,         129,
					   255,       256,        257,         1000,        65535,
					   123456789, 4294967296, 59999999999, 60000000000, INT64_MAX - 1 };

	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const struct bpf_program program = {
			.name = "count",
			.tracepoint = "sched_process_fork",
			.does = &bpf_stop_phases,
			.begun = { .is = BPF_PART_THREAD },
			.keys = { { .is = BPF_PART_PROCESS } },
			.n_keys = 1,
			.value = { .is = BPF_PART_CONSTANT, .constant = 1 },
			.middle = { .is = BPF_PART_CONSTANT, .constant = values[i] + 1 },
		};
		const struct trace_plan plan = {
			.topic = "tracing",
			.programs = &program,
			.n_programs = 1,
			.n_words = 1,
			.n_entries_max = 1024,
		};
		const struct bpf_phases *phases;
		struct trace_set set;
		struct env env;

		open_set(&set, &env, &plan);
		fork_children(1, 0);
		ck_assert(trace_read(&set));
		phases = phases_of(&set, (uint64_t)getpid());
		ck_assert_ptr_nonnull(phases);
		ck_assert_uint_eq(phases->buckets[BPF_PHASE_FIRST][histogram_index(0, values[i])], 1);
		ck_assert_uint_eq(phases->sum[BPF_PHASE_FIRST], values[i]);
		close_set(&set, &env);
	}
}

/* Their ends are of two clocks: a time below 0 is 0, not one of centuries. */
START_LIVE_TEST(no_phase_goes_back)
{
	static const struct bpf_program program = {
		.name = "count",
		.tracepoint = "sched_process_fork",
		.does = &bpf_stop_phases,
		.begun = { .is = BPF_PART_THREAD },
		.keys = { { .is = BPF_PART_PROCESS } },
		.n_keys = 1,
		.value = { .is = BPF_PART_CONSTANT, .constant = INT64_MAX },
		.middle = { .is = BPF_PART_CONSTANT, .constant = INT64_MAX - 1 },
	};
	static const struct trace_plan plan = {
		.topic = "tracing",
		.programs = &program,
		.n_programs = 1,
		.n_words = 1,
		.n_entries_max = 1024,
	};
	const struct bpf_phases *phases;
	struct trace_set set;
	struct env env;

	open_set(&set, &env, &plan);
	fork_children(FORKS, 0);
	ck_assert(trace_read(&set));
	phases = phases_of(&set, (uint64_t)getpid());
	ck_assert_ptr_nonnull(phases);
	for (unsigned phase = 0; phase < N_BPF_PHASES; phase++) {
		ck_assert_uint_eq(phases->buckets[phase][0], FORKS);
		ck_assert_uint_eq(phases->sum[phase], 0);
		ck_assert_uint_eq(phases->most[phase], 0);
	}
	close_set(&set, &env);
}

/* There is room for the histograms of one key; what the other has is lost, and counted as that. */
START_LIVE_TEST(histograms_without_room_are_lost)
{
#define KEY(number)                                                                                          \
	{                                                                                                    \
		.name = "stop", .tracepoint = "sched_process_fork", .does = &bpf_stop_phases,                \
		.begun = { .is = BPF_PART_THREAD },                                                          \
		.keys = { { .is = BPF_PART_CONSTANT, .constant = number } }, .n_keys = 1, .middle = {        \
			.is = BPF_PART_CONSTANT,                                                             \
			.constant = 1                                                                        \
		}                                                                                            \
	}
	static const struct bpf_program programs[] = { KEY(1), KEY(2) };
	static const struct trace_plan plan = {
		.topic = "tracing",
		.programs = programs,
		.n_programs = 2,
		.n_words = 1,
		.n_entries_max = 1,
	};
	uint64_t counted, lost;
	struct trace_set set;
	struct env env;

	open_set(&set, &env, &plan);
	fork_children(FORKS, 0);
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(set.n_entries, 1);
	counted = times_in(trace_phases(&set, 0), BPF_PHASE_SECOND);
	lost = trace_self(&set, 0).lost + trace_self(&set, 1).lost;
	ck_assert_uint_ge(counted, FORKS);
	ck_assert_uint_ge(lost, FORKS);
	close_set(&set, &env);
}

/* The parent is noted at the fork: the exit, in which the child runs, counts for the parent. */
START_LIVE_TEST(notes_say_whom_to_count_for)
{
	static const struct bpf_program programs[] = {
		{ .name = "note",
		  .tracepoint = "sched_process_fork",
		  .does = &bpf_note,
		  .typed = true,
		  .keys = { TASK_PID(1) },
		  .n_keys = 1,
		  .value = { .is = BPF_PART_PROCESS } },
		{ .name = "count",
		  .tracepoint = "sched_process_exit",
		  .does = &bpf_count,
		  .typed = true,
		  .keys = { { .is = BPF_PART_MAKER, .name = "task_struct.pid" } },
		  .n_keys = 1,
		  .value = { .is = BPF_PART_CONSTANT, .constant = 3 } },
	};
	static const struct trace_plan plan = {
		.topic = "tracing",
		.programs = programs,
		.n_programs = 2,
		.n_words = 1,
		.n_entries_max = 1024,
	};
	struct bpf_entry entry;
	struct trace_set set;
	struct env env;

	open_set(&set, &env, &plan);
	fork_children(FORKS, 0);
	ck_assert(trace_read(&set));
	entry = entry_of(&set, (uint64_t)getpid());
	ck_assert_uint_eq(entry.count, FORKS);
	ck_assert_uint_eq(entry.sum, 3 * FORKS);
	close_set(&set, &env);
}

/* Behind a word that is 0 the process counts that runs, whatever was noted. */
START_LIVE_TEST(a_word_of_0_asks_for_no_note)
{
	for (unsigned asks = 0; asks < 2; asks++) {
		const struct bpf_program programs[] = {
			{ .name = "note",
			  .tracepoint = "sched_process_fork",
			  .does = &bpf_note,
			  .typed = true,
			  .keys = { TASK_PID(1) },
			  .n_keys = 1,
			  .value = { .is = BPF_PART_PROCESS } },
			{ .name = "count",
			  .tracepoint = "sched_process_exit",
			  .does = &bpf_count,
			  .typed = true,
			  .keys = { { .is = BPF_PART_CONSTANT, .constant = asks },
				    { .is = BPF_PART_MAKER, .name = "task_struct.pid" } },
			  .n_keys = 2 },
		};
		const struct trace_plan plan = {
			.topic = "tracing",
			.programs = programs,
			.n_programs = 2,
			.n_words = 2,
			.n_entries_max = 1024,
		};
		uint64_t ours = 0;
		struct trace_set set;
		struct env env;

		open_set(&set, &env, &plan);
		fork_children(FORKS, 0);
		ck_assert(trace_read(&set));
		for (size_t i = 0; i < set.n_entries; i++)
			if (trace_key(&set, i)[1] == (uint64_t)getpid())
				ours += set.values[i].count;
		ck_assert_uint_eq(ours, asks ? FORKS : 0);
		close_set(&set, &env);
	}
}

/* Children that nothing was noted of count for themselves. */
START_LIVE_TEST(without_a_note_the_process_counts_that_runs)
{
	static const struct bpf_program programs[] = {
		{ .name = "note of the parent",
		  .tracepoint = "sched_process_fork",
		  .does = &bpf_note,
		  .typed = true,
		  .keys = { TASK_PID(0) },
		  .n_keys = 1,
		  .value = { .is = BPF_PART_PROCESS } },
		{ .name = "count",
		  .tracepoint = "sched_process_exit",
		  .does = &bpf_count,
		  .typed = true,
		  .keys = { { .is = BPF_PART_MAKER, .name = "task_struct.pid" } },
		  .n_keys = 1 },
	};
	static const struct trace_plan plan = {
		.topic = "tracing",
		.programs = programs,
		.n_programs = 2,
		.n_words = 1,
		.n_entries_max = 4096,
	};
	struct trace_set set;
	struct env env;

	open_set(&set, &env, &plan);
	fork_children(FORKS, 0);
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(entry_of(&set, (uint64_t)getpid()).count, U64_UNKNOWN);
	ck_assert_uint_ge(set.n_entries, FORKS);
	close_set(&set, &env);
}

/* A mark holds on this CPU between two tracepoints; no run of the third program lies between them. */
START_LIVE_TEST(marks_are_seen_while_they_are_set)
{
	/* what clears a mark runs first: none is left from before */
	static const struct bpf_program programs[] = {
		{ .name = "unmark",
		  .tracepoint = "softirq_exit",
		  .does = &bpf_unmark,
		  .first_bit = 3,
		  .value = { .is = BPF_PART_CONSTANT, .constant = 2 } },
		{ .name = "mark",
		  .tracepoint = "softirq_entry",
		  .does = &bpf_mark,
		  .first_bit = 3,
		  .value = { .is = BPF_PART_CONSTANT, .constant = 2 } },
		{ .name = "forks",
		  .tracepoint = "sched_process_fork",
		  .does = &bpf_count,
		  .keys = { { .is = BPF_PART_PROCESS }, { .is = BPF_PART_MARKS } },
		  .n_keys = 2 },
		{ .name = "marked",
		  .tracepoint = "softirq_raise",
		  .does = &bpf_count,
		  .keys = { { .is = BPF_PART_CONSTANT, .constant = UINT64_MAX }, { .is = BPF_PART_MARKS } },
		  .n_keys = 2 },
	};
	static const struct trace_plan plan = {
		.topic = "tracing",
		.programs = programs,
		.n_programs = 4,
		.n_words = 2,
		.n_entries_max = 4096,
	};
	struct trace_set set;
	struct env env;

	open_set(&set, &env, &plan);
	fork_children(FORKS, 0);
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(entry_of(&set, (uint64_t)getpid()).count, FORKS);
	for (size_t i = 0; i < set.n_entries; i++) {
		uint64_t marks = trace_key(&set, i)[1];

		ck_assert(marks == 0 || marks == 1 << 5);
		if (trace_key(&set, i)[0] == (uint64_t)getpid())
			ck_assert_uint_eq(marks, 0);
	}
	close_set(&set, &env);
}

/* The parent notes its number under the child's task, and who reaps it counts by what was noted. */
START_LIVE_TEST(notes_are_found_by_another_program)
{
	static const struct bpf_program programs[] = {
		{ .name = "exits by the noted parent",
		  .tracepoint = "sched_process_exit",
		  .does = &bpf_count,
		  .keys = { { .is = BPF_PART_NOTED, .argument = 0 } },
		  .n_keys = 1 },
		{ .name = "note",
		  .tracepoint = "sched_process_fork",
		  .does = &bpf_note,
		  .unless = { .is = BPF_PART_MEMBER, .name = "task_struct.tgid" },
		  .unless_bits = UINT64_C(1) << 32, /* never */
		  .keys = { { .is = BPF_PART_ARGUMENT, .argument = 1, .bytes = 8 } },
		  .n_keys = 1,
		  .value = { .is = BPF_PART_PROCESS } },
	};
	static const struct trace_plan plan = {
		.topic = "tracing",
		.programs = programs,
		.n_programs = 2,
		.n_words = 1,
		.n_entries_max = 4096,
	};
	struct trace_set set;
	struct env env;

	open_set(&set, &env, &plan);
	fork_children(FORKS, 0);
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(entry_of(&set, (uint64_t)getpid()).count, FORKS);
	close_set(&set, &env);
}

START_LIVE_TEST(what_has_one_of_the_bits_does_nothing)
{
	struct bpf_program program = { .name = "forks",
					 .tracepoint = "sched_process_fork",
					 .does = &bpf_count,
					 .unless = { .is = BPF_PART_CONSTANT, .constant = UINT64_C(1) << 40 },
					 .unless_bits = UINT64_C(3) << 40,
					 .keys = { { .is = BPF_PART_PROCESS } },
					 .n_keys = 1 };

	ck_assert_uint_eq(counted_forks(&program), U64_UNKNOWN);
	program.unless_bits = UINT64_C(1) << 41;
	ck_assert_uint_eq(counted_forks(&program), FORKS);
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

static void check_signals(struct trace_set *set, uint64_t key, uint64_t count)
{
	struct bpf_entry entry;

	ck_assert(trace_read(set));
	entry = entry_of(set, key);
	ck_assert_uint_eq(entry.count, count);
	ck_assert_uint_eq(entry.sum, count * SIGURG);
	ck_assert_uint_eq(entry.most, SIGURG);
}

static uint64_t count_in_hash(const struct trace_set *set, uint64_t key)
{
	struct bpf_entry entry;

	ck_assert_int_eq(bpf_map_value(set->maps[BPF_MAP_ENTRIES], &key, &entry), 0);
	return entry.count;
}

static void forget(struct trace_set *set, uint64_t key)
{
	for (size_t i = 0; i < set->n_entries; i++)
		if (*trace_key(set, i) == key)
			trace_forget(set, i);
}

#define SIGNALS_BY(...)                                                                                      \
	{                                                                                                    \
		.name = "signals", .tracepoint = "signal_generate", .does = &bpf_count,                      \
		.keys = { __VA_ARGS__ }, .n_keys = 1, .value = { .is = BPF_PART_ARGUMENT, .bytes = 4 },      \
	}

/* Two keys that want the same slot: one has it, the other one stays in the hash. */
START_LIVE_TEST(keys_that_count_often_count_in_slots)
{
	uint64_t own = (uint64_t)getpid(), rival = rival_of(own);
	const struct bpf_program programs[] = {
		SIGNALS_BY({ .is = BPF_PART_PROCESS }),
		SIGNALS_BY({ .is = BPF_PART_CONSTANT, .constant = rival }),
	};
	const struct trace_plan plan = {
		.topic = "tracing",
		.programs = programs,
		.n_programs = 2,
		.n_words = 1,
		.n_entries_max = 4096,
		.slots = true,
	};
	struct trace_set set;
	struct env env;
	uint64_t here, there;

	open_set(&set, &env, &plan);
	if (set.maps[BPF_MAP_SLOTS] < 0)
		skip_test("the kernel has no arrays that programs share with others");
	signal(SIGURG, SIG_IGN);
	send_signals(1500);
	check_signals(&set, own, 1500);
	send_signals(500);
	check_signals(&set, own, 2000);
	here = count_in_hash(&set, own);
	there = count_in_hash(&set, rival);
	ck_assert((here < 2000) != (there < 2000));
	forget(&set, own);
	forget(&set, rival);
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(entry_of(&set, own).count, U64_UNKNOWN);
	send_signals(1200);
	check_signals(&set, own, 1200);
	send_signals(10);
	check_signals(&set, own, 1210);
	ck_assert_uint_eq(trace_self(&set, 0).lost, 0);
	close_set(&set, &env);
}

START_LIVE_TEST(what_a_full_map_does_not_take_is_counted)
{
	static const struct bpf_program program = { .name = "exits",
						      .tracepoint = "sched_process_exit",
						      .does = &bpf_count,
						      .keys = { { .is = BPF_PART_PROCESS } },
						      .n_keys = 1 };
	static const struct trace_plan plan = {
		.topic = "tracing",
		.programs = &program,
		.n_programs = 1,
		.n_words = 1,
		.n_entries_max = 4,
	};
	struct bpf_self before, after;
	struct trace_set set;
	struct env env;
	uint64_t counted = 0;

	open_set(&set, &env, &plan);
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
	close_set(&set, &env);
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

static struct bpf_walked walked(struct trace_set *set, pid_t pid)
{
	const struct bpf_walk *walk = trace_walk(set);
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

START_LIVE_TEST(a_walk_has_the_clocks_of_all_and_says_what_has_changed)
{
	const struct bpf_program walk = { .name = "walk",
					    .tracepoint = "bpf_iter_task_next",
					    .does = &bpf_walk };
	const struct trace_plan plan = { .topic = "tracing",
					 .programs = &walk,
					 .n_programs = 1,
					 .n_entries_max = BPF_WALK_MAX };
	struct bpf_walked first, second;
	struct trace_set set;
	struct env env;
	pid_t child;
	int nice;

	open_set(&set, &env, &plan);
	child = fork_sleeper();
	sleep_until_still(child);
	first = walked(&set, child);
	ck_assert_uint_eq(first.pid, (uint32_t)child);
	ck_assert_uint_eq(first.unseen, 0);
	ck_assert_uint_eq(first.run_ns, clock_of(child));
	ck_assert_uint_ge(first.run_ns, 3000000);
	second = walked(&set, child);
	ck_assert_uint_eq(second.run_ns, first.run_ns);
	ck_assert_uint_eq(second.mark, first.mark);
	nice = getpriority(PRIO_PROCESS, (id_t)child); /* the test itself may be run with any */
	ck_assert_int_eq(setpriority(PRIO_PROCESS, (id_t)child, nice < 19 ? nice + 1 : nice - 1), 0);
	second = walked(&set, child);
	ck_assert_uint_ne(second.mark, first.mark);
	ck_assert_uint_eq(second.run_ns, clock_of(child));
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_uint_eq(walked(&set, child).pid, 0);
	ck_assert_uint_eq(trace_self(&set, 0).runs, 4);
	ck_assert_uint_eq(trace_self(&set, 0).lost, 0);
	close_set(&set, &env);
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
static size_t wait_for_state(struct trace_set *set, pid_t thread, uint64_t state, uint64_t other)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (;;) {
		ck_assert(trace_read(set));
		for (size_t i = 0; i < set->n_entries; i++)
			if (trace_times_key(set, i)->thread == (uint64_t)thread &&
			    (set->times[i].state == state || set->times[i].state == other))
				return i;
		nanosleep(&pause, NULL);
	}
}

/* The clock of another CPU may be ahead: no time passes then, but a thread is in its new state. */
START_LIVE_TEST(a_thread_enters_its_state_although_the_clock_is_behind)
{
	static const struct bpf_program programs[] = {
		{ .name = "switch", .tracepoint = "sched_switch", .does = &bpf_enter_switch },
		{ .name = "wakeup", .tracepoint = "sched_wakeup", .does = &bpf_enter_ready },
		{ .name = "exist", .tracepoint = "bpf_iter_task", .does = &bpf_enter_exists },
	};
	static const struct trace_plan plan = {
		.topic = "tracing",
		.programs = programs,
		.n_programs = 3,
		.n_words = sizeof(struct bpf_times_key) / sizeof(uint64_t),
		.n_entries_max = 65536,
	};
	const uint64_t ahead_ns = UINT64_C(3600000000000);
	struct bpf_times asleep, woken;
	struct trace_set set;
	struct env env;
	size_t entry;
	pid_t child;
	int start;

	child = fork_worker(&start);
	open_set(&set, &env, &plan);
	entry = wait_for_state(&set, child, BPF_STATE_SLEEP, BPF_STATE_SLEEP);
	asleep = set.times[entry];
	asleep.begun_ns += ahead_ns;
	asleep.since_ns += ahead_ns;
	ck_assert_int_eq(bpf_map_set(set.maps[BPF_MAP_ENTRIES], trace_key(&set, entry), &asleep), 0);
	ck_assert_int_eq(write(start, "", 1), 1);
	woken = set.times[wait_for_state(&set, child, BPF_STATE_RUNNING, BPF_STATE_READY)];
	ck_assert_uint_eq(woken.since_ns, asleep.since_ns);
	ck_assert_int_eq(memcmp(woken.spent_ns, asleep.spent_ns, sizeof(woken.spent_ns)), 0);
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	close(start);
	close_set(&set, &env);
}

static const struct bpf_program exits = { .name = "exits",
					    .tracepoint = "sched_process_exit",
					    .does = &bpf_count,
					    .keys = { { .is = BPF_PART_CPU } },
					    .n_keys = 1 };
static const struct trace_plan exits_plan = {
	.topic = "tracing",
	.programs = &exits,
	.n_programs = 1,
	.n_words = 1,
	.n_entries_max = 1024,
};

START_LIVE_TEST(without_rights_nothing_is_counted)
{
	struct trace_set set;
	struct env env;

	if (!is_root())
		skip_test("not root");
	ck_assert_int_eq(env_open(&env, "/"), 0);
	ck_assert_int_eq(seteuid(65534), 0);
	trace_open(&set, &env, &request, &exits_plan);
	ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(set.error, -EPERM);
	ck_assert(!trace_read(&set));
	ck_assert_uint_eq(trace_opened(&env)->n, 0);
	trace_close(&set);
	env_close(&env);
}

START_LIVE_TEST(no_bpf_loads_nothing)
{
	const struct sample_request without = { .no_bpf = true };
	struct trace_set set;
	struct env env;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	trace_open(&set, &env, &without, &exits_plan);
	ck_assert_int_eq(set.error, -ENOTSUP);
	ck_assert(!trace_read(&set));
	trace_close(&set);
	env_close(&env);
}

START_LIVE_TEST(a_plan_that_fails_leaves_nothing)
{
	static const struct bpf_program programs[] = {
		{ .name = "exits",
		  .tracepoint = "sched_process_exit",
		  .does = &bpf_count,
		  .keys = { { .is = BPF_PART_CPU } },
		  .n_keys = 1 },
		{ .name = "absent",
		  .tracepoint = "panetop_absent",
		  .does = &bpf_count,
		  .keys = { { .is = BPF_PART_CPU } },
		  .n_keys = 1 },
	};
	static const struct trace_plan plan = {
		.topic = "tracing",
		.programs = programs,
		.n_programs = 2,
		.n_words = 1,
		.n_entries_max = 16,
	};
	struct trace_set set;
	struct env env;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	if (trace_test(&env)) {
		env_close(&env);
		skip_test("BPF is not permitted");
	}
	trace_open(&set, &env, &request, &plan);
	ck_assert_int_eq(set.error, -ENOENT);
	ck_assert_uint_eq(set.n_running, 0);
	trace_close(&set);
	env_close(&env);
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
	volatile uint32_t *id = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct trace_set set;
	struct env env;
	pid_t child;

	open_set(&set, &env, &exits_plan);
	if (!is_loaded(program_id(set.running[0].loaded)))
		skip_test("programs cannot be listed");
	close_set(&set, &env);
	child = fork();
	if (child == 0) {
		open_set(&set, &env, &exits_plan);
		*id = program_id(set.running[0].loaded);
		for (;;)
			nanosleep(&(const struct timespec){ .tv_sec = 1 }, NULL);
	}
	while (*id == 0)
		nanosleep(&pause, NULL);
	ck_assert(is_loaded(*id));
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	while (is_loaded(*id)) /* the kernel frees it soon; the time limit of the test ends this */
		nanosleep(&pause, NULL);
}
