/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of topics whose counts come from programs in the kernel: over entries that a test gives in the place
 * of those programs, without rights.
 */
#include <config.h>

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/histogram.h"
#include "core/unknown.h"
#include "rig.h"
#include "still_clock.h"
#include "model/trace_spec.h"
#include "topic/memory/allocations.h"
#include "topic/trace/trace.h"

#define MS UINT64_C(1000000)

/* What the programs of a topic count: of all its plans, or of one. */
struct counted {
	const char *topic;
	const struct trace_plan *plan;
	const void *keys, *entries;
	size_t n;
	struct bpf_phases *phases;
};

static struct counted counted, also_counted;
static size_t n_forgotten;
static struct trace_sets opened; /* for the topic tracing */
static struct bpf_self selves[3]; /* of the programs of the first one */
static uint64_t n_lost, n_refused; /* by each program of what is counted; refused: for want of room */
static struct trace_set *last_opened;
static int open_error = -EPERM; /* of what is not counted */
static unsigned n_opens, n_closes;

static bool counts(const struct counted *of, const struct trace_set *set)
{
	return set->plan && of->topic && strcmp(of->topic, set->plan->topic) == 0 &&
	       (!of->plan || of->plan == set->plan);
}

static const struct counted *counted_by(const struct trace_set *set)
{
	return counts(&counted, set) ? &counted : counts(&also_counted, set) ? &also_counted : NULL;
}

void trace_open_process(struct trace_set *set, struct env *env, const struct sample_request *request,
			const struct trace_plan *plan, uint32_t process)
{
	(void)request;
	*set = (struct trace_set){ .env = env, .plan = plan, .process = process };
	set->error = counted_by(set) ? 0 : open_error;
	last_opened = set;
	n_opens++;
	for (unsigned i = 0; i < plan->n_programs && !set->error; i++)
		set->running[set->n_running++].program = &plan->programs[i];
}

void trace_open(struct trace_set *set, struct env *env, const struct sample_request *request,
		const struct trace_plan *plan)
{
	trace_open_process(set, env, request, plan, 0);
}

bool trace_read(struct trace_set *set)
{
	const struct counted *of = counted_by(set);

	if (!of)
		return false;
	set->keys = (uint64_t *)of->keys;
	set->all = (void *)of->entries;
	set->n_entries = of->n;
	set->memory[BPF_MAP_HISTOGRAMS] = of->phases;
	return true;
}

void trace_forget(struct trace_set *set, size_t entry)
{
	ck_assert_uint_lt(entry, set->n_entries);
	n_forgotten++;
}

void trace_close(struct trace_set *set)
{
	n_closes += set->plan != NULL;
	*set = (struct trace_set){ 0 };
}

int trace_add(struct trace_set *set, const struct bpf_program *program)
{
	(void)set;
	(void)program;
	return 0;
}

void trace_stop(struct trace_set *set, const struct bpf_program *program)
{
	(void)set;
	(void)program;
}

int trace_direct(const struct trace_set *set, uint32_t cpu, int event)
{
	(void)set;
	(void)cpu;
	(void)event;
	return -ENOTSUP;
}

/* cppcheck-suppress constParameter */
bool trace_read_waiters(struct trace_set *set)
{
	(void)set;
	return false;
}

/* cppcheck-suppress constParameter */
void trace_forget_waiter(struct trace_set *set, size_t waiter)
{
	(void)set;
	(void)waiter;
}

/* cppcheck-suppress constParameter */
int trace_want(struct trace_set *set, uint64_t process, bool wanted)
{
	(void)set;
	(void)process;
	(void)wanted;
	return -ENOTSUP;
}

/* cppcheck-suppress constParameter */
int trace_iterate(struct trace_set *set)
{
	(void)set;
	return -ENOTSUP;
}

/* cppcheck-suppress constParameter */
bool trace_stack(const struct trace_set *set, uint32_t stack, uint64_t frames[BPF_STACK_FRAMES])
{
	(void)set;
	(void)stack;
	(void)frames;
	return false;
}

/* cppcheck-suppress constParameter */
bool trace_stack_before(const struct trace_set *set, uint64_t thread, uint64_t frames[BPF_STACK_FRAMES])
{
	(void)set;
	(void)thread;
	(void)frames;
	return false;
}

const struct bpf_walk *trace_walk(struct trace_set *set)
{
	(void)set;
	return NULL;
}

void trace_notice(const struct trace_set *set, struct frame *frame, const char *without)
{
	(void)set;
	(void)frame;
	(void)without;
}

/* cppcheck-suppress constParameter */
struct bpf_self trace_self(struct trace_set *set, unsigned running)
{
	if (opened.n > 0 && opened.list[0] == set)
		return selves[running];
	return (struct bpf_self){ .lost = counted_by(set) ? n_lost : 0 };
}

/* cppcheck-suppress constParameter */
struct bpf_self trace_own(struct trace_set *set, unsigned running)
{
	struct bpf_self self = trace_self(set, running);

	self.lost = counted_by(set) ? n_refused : self.lost;
	return self;
}

const struct trace_sets *trace_opened(const struct env *env)
{
	(void)env;
	return &opened;
}

static int test_error;

int trace_test(struct env *env)
{
	(void)env;
	return test_error;
}

START_TEST(time_in_interrupts_is_that_of_each_cpu)
{
	static const char *const names[] = { "interrupt", NULL };
	static const uint64_t keys[][2] = { { 36, 1 }, { 24, 0 }, { 41, 0 }, { 36, 7 } };
	static struct bpf_entry entries[4] = { [0].sum = 1500 * MS, [1].sum = 40, [2].sum = 250 * MS };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "interrupt", NULL, keys, entries, 4, NULL };
	rig_open(&rig, "interrupts", names);
	frame = rig_sample(&rig, 0);
	check_row(frame, "interrupt",
		  "irq=36 cpu=1 interrupts=7941997 seconds=1.5 affinity=0-1 effective=1 node=0 how=bpf "
		  "device=virtio1-req.0");
	check_row(frame, "interrupt",
		  "irq=24 cpu=all interrupts=1 seconds=4e-08 how=bpf device=ACPI:Ged");
	entries[0].sum += 410 * MS;
	entries[2].sum += 100 * MS;
	rig_tick(&rig, 1);
	frame = rig_sample(&rig, 2);
	check_row(frame, "interrupt",
		  "irq=36 cpu=all per_second=4100 cpu_ratio=0.205 mean_seconds=5e-05 interrupts=7950197 "
		  "seconds=1.91 affinity=0-1 effective=1 node=0 how=bpf device=virtio1-req.0");
	check_row(frame, "interrupt",
		  "irq=41 cpu=0 per_second=500 cpu_ratio=0.05 mean_seconds=0.0001 interrupts=4294968000 "
		  "seconds=0.35 affinity=0-1 how=bpf device=virtio3-rx, a name with spaces");
	check_row(frame, "interrupt",
		  "irq=LOC cpu=0 per_second=250 interrupts=12056007 how=proc device=Local timer interrupts");
	rig_close(&rig);
}

START_TEST(time_in_soft_interrupts_adds_up_and_the_longest_is_kept)
{
	static const char *const names[] = { "softirq", NULL };
	static const uint64_t keys[][2] = { { 3, 0 }, { 3, 1 }, { 4, 1 }, { 4, 0 } };
	static struct bpf_entry entries[4] = {
		{ .sum = 100 * MS, .most = 3 * MS },
		{ .sum = 900 * MS, .most = 2 * MS },
		{ .sum = 50 * MS, .most = 50 * MS },
		{ .sum = 7 * MS, .most = 7 * MS }, /* no run there yet, says the file */
	};
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "softirq", NULL, keys, entries, 4, NULL };
	rig_open(&rig, "interrupts", names);
	rig_sample(&rig, 0);
	entries[0].sum += 10 * MS;
	entries[1].sum += 190 * MS;
	rig_tick(&rig, 1);
	frame = rig_sample(&rig, 2);
	check_row(frame, "softirq",
		  "kind=NET_RX cpu=all per_second=10050 cpu_ratio=0.1 mean_seconds=9.950248756e-06 "
		  "max_seconds=0.003 runs=7614646 seconds=1.2 how=bpf");
	check_row(frame, "softirq",
		  "kind=NET_RX cpu=1 per_second=10000 cpu_ratio=0.095 mean_seconds=9.5e-06 "
		  "max_seconds=0.002 runs=4057080 seconds=1.09 how=bpf");
	check_row(frame, "softirq",
		  "kind=BLOCK cpu=all per_second=0 cpu_ratio=0 max_seconds=0.05 runs=7940917 seconds=0.05 "
		  "how=bpf");
	check_row(frame, "softirq",
		  "kind=RCU cpu=0 per_second=0 cpu_ratio=0 runs=8510234 seconds=0 how=bpf");
	rig_close(&rig);
}

/* Functions of the same name are one row; those of a process that is gone go when they grow no more. */
START_TEST(timers_are_by_process_and_function)
{
	static const char *const names[] = { "timer", NULL };
	static const uint64_t keys[][3] = {
		{ 7, 0xffffffff81000010, 0 },  { 7, 0xffffffff81000010, 1 }, { 7, 0xffffffff81000020, 0 },
		{ 42, 0xffffffff81000010, 1 }, { 0, 0xffffffff81000030, 1 }, { 7, 0xffffffff81000040, 1 },
		{ 5000, 0xffffffff81000010, 1 },
	};
	static struct bpf_entry entries[7] = {
		{ .count = 1 },	 { .count = 20 }, { .count = 4 },   { .count = 5 },
		{ .count = 11 }, { .count = 60 }, { .count = 700 },
	};
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "timer", NULL, keys, entries, 7, NULL };
	rig_open(&rig, "readers", names);
	rig_put(&rig, "proc/kallsyms",
		"ffffffff81000010 t hrtimer_wakeup\nffffffff81000020 T process_timeout\n"
		"ffffffff81000030 t tick_nohz_handler\nffffffff81000040 t process_timeout\n");
	rig.request.batch = true;
	n_forgotten = 0;
	rig_sample(&rig, 0);
	for (unsigned i = 0; i < 7; i++)
		entries[i].count += i < 6 ? 10u * (i + 1) : 0;
	still_clock_ns += 2000 * MS;
	frame = rig_sample(&rig, 2);
#define TIMER(pid, function, fired_rate, armed_rate, fired, armed, command)                                  \
	"pid=" pid " function=" function " fired_per_second=" fired_rate " armed_per_second=" armed_rate     \
	" fired=" fired " armed=" armed " command=" command
	check_row(frame, "timer", TIMER("7", "hrtimer_wakeup", "10", "5", "40", "11", "a) R (b"));
	check_row(frame, "timer", TIMER("7", "process_timeout", "30", "15", "120", "34", "a) R (b"));
	check_row(frame, "timer", TIMER("42", "hrtimer_wakeup", "20", "0", "45", "0", "cc1\n\033[31m"));
	check_row(frame, "timer", TIMER("0", "tick_nohz_handler", "25", "0", "61", "0", "(kernel)"));
	check_row(frame, "timer", TIMER("5000", "hrtimer_wakeup", "0", "0", "700", "0", "(exited)"));
	ck_assert_uint_eq(frame_table(frame, "timer")->n_rows, 5);
	ck_assert_uint_eq(n_forgotten, 0);
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(n_forgotten, 1);
	ck_assert_uint_eq(frame_table(frame, "timer")->n_rows, 4);
	rig_close(&rig);
}

#define SLICE_BYTES (40 * 65536) /* of the names of functions, in a sample */

/* What was counted until the name of a function was found is in no row. */
START_TEST(timers_whose_name_comes_late_begin_then)
{
	static const char *const names[] = { "timer", NULL };
	static const uint64_t keys[][3] = { { 7, 0xffffffff81000010, 0 }, { 7, 0xffffffff81000010, 1 } };
	static struct bpf_entry entries[2] = { { .count = 300 }, { .count = 50 } };
	static char others[SLICE_BYTES + 64];
	static const char other[] = "ffffffff81000020 t other\n";
	const struct frame *frame;
	struct rig rig;

	for (size_t at = 0; at < SLICE_BYTES; at += strlen(other))
		memcpy(others + at, other, sizeof(other));
	counted = (struct counted){ "timer", NULL, keys, entries, 2, NULL };
	rig_open(&rig, "readers", names);
	rig_put(&rig, "proc/kallsyms", "%sffffffff81000010 t it_real_fn\n", others);
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 0), "timer")->n_rows, 0);
	entries[0].count += 20;
	entries[1].count += 1;
	frame = rig_sample(&rig, 2);
	check_row(frame, "timer", "pid=7 function=it_real_fn fired=1 armed=20 command=a) R (b");
	rig_close(&rig);
}

/* Without a name they are of one function that is not known. */
START_TEST(timers_without_names)
{
	static const char *const names[] = { "timer", NULL };
	static const uint64_t keys[][3] = { { 7, 0xffffffff81000010, 1 }, { 7, 0xffffffff81000020, 1 } };
	static struct bpf_entry entries[2] = { { .count = 3 }, { .count = 40 } };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "timer", NULL, keys, entries, 2, NULL };
	rig_open(&rig, "readers", names);
	frame = rig_sample(&rig, 0);
	check_row(frame, "timer", "pid=7 function=(unknown function) fired=43 armed=0 command=a) R (b");
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert_str_eq(frame->notices[0].text, "/proc/kallsyms: the functions of timers have no names: "
						 "No such file or directory");
	rig_close(&rig);
}

static double part_seconds(const struct frame *frame, uint64_t pid, const char *part)
{
	const struct table *table = frame_table(frame, "time_account");

	for (size_t i = 0; i < table->n_rows; i++)
		if (table_u64(table, table_row(table, i), "pid") == pid &&
		    strcmp(table_text(table, table_row(table, i), "part"), part) == 0)
			return table_number(table, table_row(table, i), "seconds");
	return NAN;
}

#define NO_STATE N_BPF_STATES /* it grows by nothing while the test runs */

START_TEST(parts_of_time_are_sums_over_threads)
{
	static const char *const names[] = { "time_account", NULL };
	static const struct bpf_times_key keys[] = { { 7, 1 }, { 8, 2 }, { 9, 3 }, { 5000, 4 } };
	static struct bpf_times times[] = {
		{ .process = 7,
		  .state = NO_STATE,
		  .spent_ns = { 100 * MS, 200 * MS, 300 * MS, 400 * MS, 500 * MS, 600 * MS, 700 * MS } },
		{ .process = 7, .state = NO_STATE, .spent_ns = { 1, 0, 2000 * MS } },
		{ .process = 7, .state = BPF_STATE_GONE, .spent_ns = { [BPF_STATE_OTHER] = 7000 * MS } },
		{ .process = 5000, .state = BPF_STATE_GONE }, /* not there any more */
	};
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "time_account", NULL, keys, times, 4, NULL };
	rig_open(&rig, "readers", names);
	rig_sample(&rig, 0);
	ck_assert_uint_eq(n_forgotten, 2);
	counted.n = 2;
	times[1].spent_ns[BPF_STATE_LOCK] = 5500 * MS;
	still_clock_ns += 1000 * MS;
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "time_account")->n_rows, 4 * BPF_STATE_GONE);
#define ROW_OF_7(part, ratio, seconds)                                                                       \
	"pid=7 start_seconds=5 part=" part " ratio=" ratio " seconds=" seconds                               \
	" threads=2 how=bpf command=a) R (b"
	check_row(frame, "time_account", ROW_OF_7("running", "0", "0.100000001"));
	check_row(frame, "time_account", ROW_OF_7("ready", "0", "0.2"));
	check_row(frame, "time_account", ROW_OF_7("disk", "0", "2.3"));
	check_row(frame, "time_account", ROW_OF_7("memory", "0", "0.4"));
	check_row(frame, "time_account", ROW_OF_7("lock", "5.5", "6"));
	check_row(frame, "time_account", ROW_OF_7("sleep", "0", "0.6"));
	check_row(frame, "time_account", ROW_OF_7("other", "0", "7.7"));
	check_row(frame, "time_account",
		  "pid=99 start_seconds=0.77 part=lock ratio=0 seconds=0 threads=0 how=bpf "
		  "command=xxxxxxxxxxxxxxx");
	counted.n = 0;
	rig_put(&rig, "proc/7/stat", "7 (new) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 600 0 0\n");
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(part_seconds(frame, 7, "other"), 0); /* it is another process */
	rig_close(&rig);
}

/* What a thread does now grows until the sample; what came after the sample is taken off again. */
START_TEST(times_of_threads_are_those_of_the_sample)
{
	static const char *const names[] = { "time_account", NULL };
	static const struct bpf_times_key keys[] = { { 42, 1 }, { 7, 2 } };
	static struct bpf_times times[] = {
		{ .process = 42,
		  .state = BPF_STATE_DISK,
		  .spent_ns = { [BPF_STATE_RUNNING] = 50 * MS, [BPF_STATE_DISK] = 1000 * MS } },
		{ .process = 7, /* it ran for 5 s, after 20 s of sleep; that was 60 s later */
		  .state = BPF_STATE_RUNNING,
		  .before = BPF_STATE_SLEEP,
		  .spent_ns = { [BPF_STATE_RUNNING] = 5000 * MS,
				[BPF_STATE_SLEEP] = 20000 * MS,
				[BPF_STATE_OTHER] = 100000 * MS } },
	};
	const struct frame *frame;
	struct rig rig;

	times[0].since_ns = still_clock_ns - 3000 * MS;
	times[1].since_ns = still_clock_ns + 60000 * MS;
	counted = (struct counted){ "time_account", NULL, keys, times, 2, NULL };
	rig_open(&rig, "readers", names);
	frame = rig_sample(&rig, 0);
	ck_assert_double_eq(part_seconds(frame, 42, "disk"), 4);
	ck_assert_double_eq(part_seconds(frame, 42, "running"), 0.05);
	ck_assert_double_eq(part_seconds(frame, 7, "sleep"), 0);
	ck_assert_double_eq(part_seconds(frame, 7, "running"), 0);
	ck_assert_double_eq(part_seconds(frame, 7, "other"), 65);
	still_clock_ns += 2000 * MS;
	frame = rig_sample(&rig, 2);
	ck_assert_double_eq(part_seconds(frame, 42, "disk"), 6);
	ck_assert_double_eq(part_seconds(frame, 7, "other"), 67);
	rig_close(&rig);
}

/* What a part lacks of what was shown before comes from the part that has grown most. */
START_TEST(no_part_of_time_shrinks)
{
	static const char *const names[] = { "time_account", NULL };
	static const struct bpf_times_key keys[] = { { 7, 1 } };
	static struct bpf_times times[] = { { .process = 7,
				       .state = NO_STATE,
				       .spent_ns = { 100 * MS, 200 * MS, 0, 0, 0, 600 * MS, 10 * MS } } };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "time_account", NULL, keys, times, 1, NULL };
	rig_open(&rig, "readers", names);
	rig_sample(&rig, 0);
	times[0].spent_ns[BPF_STATE_RUNNING] -= 1 * MS;
	times[0].spent_ns[BPF_STATE_READY] += 50 * MS;
	times[0].spent_ns[BPF_STATE_SLEEP] += 20 * MS;
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(part_seconds(frame, 7, "running"), 0.1);
	ck_assert_double_eq(part_seconds(frame, 7, "ready"), 0.249);
	ck_assert_double_eq(part_seconds(frame, 7, "sleep"), 0.62);
	times[0].spent_ns[BPF_STATE_RUNNING] += 31 * MS;
	times[0].spent_ns[BPF_STATE_READY] += 20 * MS;
	times[0].spent_ns[BPF_STATE_OTHER] -= 2 * MS;
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(part_seconds(frame, 7, "running"), 0.128);
	ck_assert_double_eq(part_seconds(frame, 7, "ready"), 0.27);
	ck_assert_double_eq(part_seconds(frame, 7, "sleep"), 0.62);
	ck_assert_double_eq(part_seconds(frame, 7, "other"), 0.01);
	rig_close(&rig);
}

#define AFTER_BOOT(seconds) ((seconds)*1000 * MS)

START_TEST(wakeups_are_by_cause)
{
	static const char *const names[] = { "wakeup", NULL };
	static const uint64_t keys[][4] = {
		{ 7, AFTER_BOOT(5), 0, 0 },       /* by a task */
		{ 7, AFTER_BOOT(5), 1 << 17, 1 }, /* by a timer, while the CPU was idle */
		{ 7, AFTER_BOOT(5), 1 << 16, 0 }, /* by a device */
		{ 7, AFTER_BOOT(5), 1 << 3, 1 },  /* by the network */
		{ 7, AFTER_BOOT(5), 0, 1 },       /* by the kernel */
		{ 7, AFTER_BOOT(6), 0, 0 },       /* one that had this pid before */
	};
	static struct bpf_entry entries[6];
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 6; i++)
		entries[i] = (struct bpf_entry){ .count = 1u << i };
	counted = (struct counted){ "wakeup", NULL, keys, entries, 6, NULL };
	rig_open(&rig, "readers", names);
	rig_sample(&rig, 0);
	ck_assert_uint_eq(n_forgotten, 1);
	for (unsigned i = 0; i < 6; i++)
		entries[i].count += 100u << i;
	still_clock_ns += 2000 * MS;
	counted.n = 5;
	frame = rig_sample(&rig, 2);
	check_row(frame, "wakeup",
		  "pid=7 start_seconds=5 per_second=1550 timer_per_second=100 device_per_second=200 "
		  "network_per_second=400 task_per_second=50 kernel_per_second=800 "
		  "from_idle_per_second=1300 interval_seconds=0.0006451612903 wakeups=3131 by_timer=202 "
		  "by_device=404 by_network=808 by_task=101 by_kernel=1616 from_idle=2626 "
		  "observed_seconds=2 how=bpf command=a) R (b");
	check_row(frame, "wakeup",
		  "pid=0 start_seconds=0 per_second=0 timer_per_second=0 device_per_second=0 "
		  "network_per_second=0 task_per_second=0 kernel_per_second=0 from_idle_per_second=0 "
		  "wakeups=32 by_timer=0 by_device=0 by_network=0 by_task=32 by_kernel=0 from_idle=0 "
		  "observed_seconds=2 how=bpf command=(exited)");
	rig_close(&rig);
}

/* What was counted between their last sample and their end is in the row of those that exited. */
START_TEST(wakeups_of_those_that_exit_stay)
{
	static const char *const names[] = { "wakeup", NULL };
	static const uint64_t keys[][4] = { { 7, AFTER_BOOT(5), 0, 0 }, { 42, AFTER_BOOT(90), 0, 0 } };
	static struct bpf_entry entries[2] = { { .count = 10 }, { .count = 20 } };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "wakeup", NULL, keys, entries, 2, NULL };
	rig_open(&rig, "readers", names);
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(frame_table(frame, "wakeup")->n_rows, 2);
	entries[0].count = 15;
	entries[1].count = 27;
	rig_remove(&rig, "proc/7");
	rig_remove(&rig, "proc/42");
	n_forgotten = 0;
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(n_forgotten, 2);
	ck_assert_uint_eq(frame_table(frame, "wakeup")->n_rows, 1);
	ck_assert_double_eq(frame_number(frame, "wakeup", NULL, "by_task"), 5 + 7);
	ck_assert_double_eq(frame_number(frame, "wakeup", NULL, "wakeups"), 5 + 7);
	counted.n = 0;
	frame = rig_sample(&rig, 2);
	ck_assert_double_eq(frame_number(frame, "wakeup", NULL, "wakeups"), 5 + 7);
	rig_close(&rig);
}

#define SOCKET(pid, sent, family, protocol)                                                                  \
	((pid) | (uint64_t)(sent) << 32 | (uint64_t)(family) << 33 | (uint64_t)(protocol) << 48)

#define CALL(pid, number, error, bucket)                                                                     \
	((uint64_t)(pid) << BPF_CALL_PROCESS_SHIFT | (uint64_t)(number) << BPF_CALL_NUMBER_SHIFT |           \
	 (uint64_t)(error) << BPF_CALL_ERROR_SHIFT | (bucket))

/* Of those that exit what was not shown yet is in rows of their own, by call. */
START_TEST(calls_are_by_process_and_those_that_exit)
{
	static const char *const names[] = { "call", NULL };
	static const uint64_t keys[] = { CALL(7, SYS_close, 0, 0), CALL(7, SYS_close, EBADF, 0),
					 CALL(42, SYS_close, 0, 0), CALL(5000, SYS_close, EINTR, 0) };
	static struct bpf_entry entries[] = {
		{ .count = 10 }, { .count = 2 }, { .count = 5 }, { .count = 3 }
	};
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "call", NULL, keys, entries, 4, NULL };
	n_forgotten = 0;
	rig_open(&rig, "readers", names);
	rig_sample(&rig, 0);
	ck_assert_uint_eq(n_forgotten, 1);
	entries[0].count += 100;
	entries[1].count += 6;
	entries[2].count += 4;
	counted.n = 3;
	still_clock_ns += 2000 * MS;
	rig_remove(&rig, "proc/42");
	frame = rig_sample(&rig, 2);
	check_row(frame, "call",
		  "pid=7 start_seconds=5 call=close calls_per_second=53 errors_per_second=3 calls=118 "
		  "errors=8 how=bpf command=a) R (b error_names=EBADF 8");
	check_row(frame, "call",
		  "start_seconds=0 call=close calls_per_second=2 errors_per_second=0 calls=7 errors=3 "
		  "how=bpf command=(exited) error_names=EINTR 3");
	ck_assert_uint_eq(frame_table(frame, "call")->n_rows, 2);
	rig_close(&rig);
}

/* Of calls with times the bucket is in the word; those that had begun before have none. */
START_TEST(times_of_calls_are_of_those_that_have_one)
{
	static const char *const names[] = { "call", NULL };
	static const uint64_t keys[] = {
		CALL(7, SYS_close, 0, 0),	CALL(7, SYS_close, 0, 1),  CALL(7, SYS_close, 0, 2),
		CALL(7, SYS_close, EBADF, 3), CALL(42, SYS_close, 0, 1), CALL(42, SYS_close, 0, 2),
		CALL(42, SYS_close, 0, 3),
	};
	static struct bpf_entry entries[] = {
		{ .count = 5000 },
		{ .count = 50, .sum = 200, .most = 7 },
		{ .count = 49, .sum = 600, .most = 15 },
		{ .count = 1, .sum = 22, .most = 22 },
		{ .count = 49, .sum = 200 * MS, .most = 7 },
		{ .count = 49, .sum = 600 * MS, .most = 15 },
		{ .count = 2, .sum = 44 * MS, .most = 22 },
	};
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "call", NULL, keys, entries, 7, NULL };
	rig_open(&rig, "readers", names);
	frame = rig_sample(&rig, 0);
	check_row(frame, "call",
		  "pid=7 start_seconds=5 call=close p50_seconds=8e-09 p99_seconds=1.6e-08 "
		  "max_seconds=2.2e-08 calls=5100 errors=1 seconds=8.22e-07 how=bpf command=a) R (b "
		  "error_names=EBADF 1");
	check_row(frame, "call",
		  "pid=42 start_seconds=90 call=close p50_seconds=1.6e-08 p99_seconds=2.2e-08 "
		  "max_seconds=2.2e-08 calls=100 errors=0 seconds=0.844 how=bpf command=cc1\n\033[31m "
		  "error_names=");
	rig_close(&rig);
}

static bool has_notice_of(const struct frame *frame, const char *topic, const char *text)
{
	for (unsigned i = 0; i < frame->n_notices; i++)
		if (strcmp(frame->notices[i].topic, topic) == 0 &&
		    (!text || strcmp(frame->notices[i].text, text) == 0))
			return true;
	return false;
}

START_TEST(lost_calls_are_told)
{
	static const char *const names[] = { "call", NULL };
	static const uint64_t keys[] = { CALL(7, SYS_close, 0, 0) };
	static struct bpf_entry entries[] = { { .count = 10 } };
	struct rig rig;

	counted = (struct counted){ "call", NULL, keys, entries, 1, NULL };
	rig_open(&rig, "readers", names);
	ck_assert(!has_notice_of(rig_sample(&rig, 0), "call", NULL));
	n_lost = 1;
	ck_assert(has_notice_of(rig_sample(&rig, 1), "call", "1 system call at most is not counted"));
	n_lost = 20;
	ck_assert(has_notice_of(rig_sample(&rig, 1), "call", "20 system calls at most are not counted"));
	rig_close(&rig);
}

static void set_opened(uint64_t *key, uint64_t error, const char *command, const char *path)
{
	memset(key, 0, N_BPF_OPENED_WORDS * sizeof(*key));
	key[BPF_OPENED_ERROR] = error;
	snprintf((char *)&key[BPF_OPENED_COMMAND], BPF_COMMAND_BYTES, "%s", command);
	snprintf((char *)&key[BPF_OPENED_PATH], BPF_OPENED_PATH_BYTES, "%.*s", BPF_OPENED_PATH_BYTES - 1,
		 path);
}

START_TEST(opens_are_by_path_and_result)
{
	static const char *const names[] = { "opened_total", NULL };
	static uint64_t keys[5][N_BPF_OPENED_WORDS];
	static struct bpf_entry entries[5] = {
		{ .count = 1 }, { .count = 20 }, { .count = 4 }, { .count = 7 }, { .count = 9 }
	};
	char path[200];
	const struct frame *frame;
	struct rig rig;

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	set_opened(keys[0], 0, "cron", "/etc/passwd");
	set_opened(keys[1], 0, "sshd", "/etc/passwd");
	set_opened(keys[2], ENOENT, "sshd", "/etc/passwd");
	set_opened(keys[3], EFAULT | BPF_OPENED_UNREAD, "sh", "");
	set_opened(keys[4], 0, "sh", path);
	counted = (struct counted){ "opened_total", NULL, keys, entries, 5, NULL };
	rig_open(&rig, "readers", names);
	rig_sample(&rig, 0);
	entries[1].count += 30;
	still_clock_ns += 2000 * MS;
	frame = rig_sample(&rig, 2);
	check_row(frame, "opened_total",
		  "path=/etc/passwd result=opened opens_per_second=15 opens=51 counted=51 commands=2 "
		  "command=sshd");
	check_row(frame, "opened_total",
		  "path=/etc/passwd result=ENOENT opens_per_second=0 opens=4 counted=4 commands=1 "
		  "command=sshd");
	check_row(frame, "opened_total",
		  "path=(unreadable) result=EFAULT opens_per_second=0 opens=7 counted=7 commands=1 "
		  "command=sh");
	snprintf(path + BPF_OPENED_PATH_BYTES - 1, 4, "…");
	ck_assert_uint_eq(cell_u64(frame, "opened_total", path, "opens"), 9);
	rig_close(&rig);
}

/* Of equal ones the first in the alphabet is named. */
START_TEST(a_path_has_the_command_that_opened_it_most)
{
	static const char *const names[] = { "opened_total", NULL };
	static uint64_t keys[7][N_BPF_OPENED_WORDS];
	static struct bpf_entry entries[7] = {
		{ .count = 3 }, { .count = 3 }, { .count = 2 }, { .count = 1 },
		{ .count = 1 }, { .count = 2 }, { .count = 2 },
	};
	char path[BPF_OPENED_PATH_BYTES];
	const struct frame *frame;
	struct rig rig;

	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 2] = '\0'; /* the longest that is whole */
	set_opened(keys[0], 0, "sshd", "/a");
	set_opened(keys[1], 0, "cron", "/a");
	set_opened(keys[2], 0, "bash", "/a");
	set_opened(keys[3], EACCES, "bash", "/a");
	set_opened(keys[4], 0, "bash", "/b");
	set_opened(keys[5], 0, "cron", "/b");
	set_opened(keys[6], 0, "bash", path);
	counted = (struct counted){ "opened_total", NULL, keys, entries, 7, NULL };
	rig_open(&rig, "readers", names);
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(frame_table(frame, "opened_total")->n_rows, 4);
	check_row(frame, "opened_total", "path=/a result=opened opens=8 counted=8 commands=3 command=cron");
	check_row(frame, "opened_total", "path=/a result=EACCES opens=1 counted=1 commands=1 command=bash");
	check_row(frame, "opened_total", "path=/b result=opened opens=3 counted=3 commands=2 command=cron");
	ck_assert_uint_eq(cell_u64(frame, "opened_total", path, "opens"), 2);
	rig_close(&rig);
}

#define MANY 4200

/* Where they are many, those that do not grow are summed by directory, and have no rates. */
START_TEST(many_paths_are_summed_by_directory)
{
	static const char *const names[] = { "opened_total", NULL };
	static uint64_t keys[MANY][N_BPF_OPENED_WORDS];
	static struct bpf_entry entries[MANY];
	const struct frame *frame;
	struct rig rig;
	char path[64];

	for (unsigned i = 0; i < MANY; i++) {
		snprintf(path, sizeof(path), i == 0 ? "relative-%u" : i == 1 ? "/%u" : "/etc/ssl/%u", i);
		set_opened(keys[i], ENOENT, "sshd", path);
		entries[i].count = 2;
	}
	set_opened(keys[2], ENOENT, "cron", "/etc/ssl/…"); /* as its sum is called */
	counted = (struct counted){ "opened_total", NULL, keys, entries, MANY, NULL };
	n_forgotten = 0;
	rig_open(&rig, "readers", names);
	rig_sample(&rig, 0);
	ck_assert_uint_eq(n_forgotten, 0);
	for (unsigned i = 2; i < 12; i++)
		entries[i].count += 40;
	still_clock_ns += 2000 * MS;
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(n_forgotten, MANY - 10);
	ck_assert_uint_eq(frame_table(frame, "opened_total")->n_rows, 10 + 2);
	check_row(frame, "opened_total",
		  "path=/etc/ssl/… result=ENOENT opens_per_second=20 opens=8418 counted=42 commands=2 "
		  "command=sshd");
	check_row(frame, "opened_total",
		  "path=… result=ENOENT opens_per_second=0 opens=2 counted=0 commands=1 command=sshd");
	check_row(frame, "opened_total",
		  "path=/… result=ENOENT opens_per_second=0 opens=2 counted=0 commands=1 command=sshd");
	rig_close(&rig);
}

#define KEPT 4096 /* while they are no more than these, none goes */

static uint64_t path_keys[MANY][N_BPF_OPENED_WORDS];
static struct bpf_entry path_entries[MANY];

/* As many paths, each of a directory of its own, have been opened twice, and are sampled once. */
static void open_paths(struct rig *rig, unsigned n)
{
	static const char *const names[] = { "opened_total", NULL };
	char path[64];

	for (unsigned i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/%04u/file", i);
		set_opened(path_keys[i], 0, "sshd", path);
		path_entries[i].count = 2;
	}
	counted = (struct counted){ "opened_total", NULL, path_keys, path_entries, n, NULL };
	n_forgotten = 0;
	rig_open(rig, "readers", names);
	rig_sample(rig, 0);
	still_clock_ns += 2000 * MS;
}

START_TEST(as_many_paths_as_are_kept_stay)
{
	const struct frame *frame;
	struct rig rig;

	open_paths(&rig, KEPT);
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(n_forgotten, 0);
	ck_assert_uint_eq(frame_table(frame, "opened_total")->n_rows, KEPT);
	rig_close(&rig);
}

START_TEST(a_single_path_that_does_not_grow_goes)
{
	const struct frame *frame;
	struct rig rig;

	open_paths(&rig, KEPT + 1);
	for (unsigned i = 0; i < KEPT; i++)
		path_entries[i].count++;
	frame = rig_sample(&rig, 2);
	ck_assert(!has_notice_of(frame, "opened_total", NULL));
	ck_assert_uint_eq(n_forgotten, 1);
	ck_assert_uint_eq(frame_table(frame, "opened_total")->n_rows, KEPT + 1);
	check_row(frame, "opened_total",
		  "path=/4096/… result=opened opens_per_second=0 opens=2 counted=0 commands=1 "
		  "command=sshd");
	check_row(frame, "opened_total",
		  "path=/4095/file result=opened opens_per_second=0.5 opens=3 counted=3 commands=1 "
		  "command=sshd");
	rig_close(&rig);
}

/* Of the sums by directory 4,096 have rows; what the kernel had no room for is with the others. */
START_TEST(all_paths_go_and_the_last_directories_are_one_row)
{
	const struct frame *frame;
	struct rig rig;

	open_paths(&rig, MANY);
	n_refused = 3;
	n_lost = 10;
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(n_forgotten, MANY);
	ck_assert_uint_eq(frame_table(frame, "opened_total")->n_rows, 4096 + 1);
	ck_assert_uint_eq(cell_u64(frame, "opened_total", "/4095/…", "opens"), 2);
	ck_assert_uint_eq(cell_u64(frame, "opened_total", "(others)", "opens"), 2 * (MANY - 4096) + 3);
	ck_assert_uint_eq(cell_u64(frame, "opened_total", "(others)", "counted"), 3);
	ck_assert(has_notice_of(frame, "opened_total", "7 opened files at most are not counted"));
	rig_close(&rig);
}

START_TEST(traffic_is_by_protocol_and_direction)
{
	static const char *const names[] = { "traffic", NULL };
	static const uint64_t keys[] = {
		SOCKET(42, 0, AF_INET, IPPROTO_TCP),      SOCKET(42, 1, AF_INET6, IPPROTO_TCP),
		SOCKET(42, 0, AF_INET, IPPROTO_UDP),      SOCKET(42, 1, AF_INET, IPPROTO_UDPLITE),
		SOCKET(42, 0, AF_UNIX, 0),                SOCKET(42, 1, AF_UNIX, 0),
		SOCKET(42, 1, AF_INET, IPPROTO_ICMP),     SOCKET(42, 1, AF_NETLINK, 0),
		SOCKET(7, 0, AF_INET6, IPPROTO_UDP),
	};
	static struct bpf_entry entries[9];
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 9; i++)
		entries[i] = (struct bpf_entry){ .count = 1, .sum = 1u << i };
	counted = (struct counted){ "traffic", NULL, keys, entries, 9, NULL };
	rig_open(&rig, "readers", names);
	rig_sample(&rig, 0);
	for (unsigned i = 0; i < 9; i++)
		entries[i].sum += 1000u << i;
	frame = rig_sample(&rig, 2);
	check_row(frame, "traffic",
		  "received_bytes_per_second=10500 sent_bytes_per_second=53000 "
		  "tcp_received_bytes_per_second=500 tcp_sent_bytes_per_second=1000 "
		  "udp_received_bytes_per_second=2000 udp_sent_bytes_per_second=4000 "
		  "unix_received_bytes_per_second=8000 unix_sent_bytes_per_second=16000 "
		  "pid=42 start_seconds=90 how=bpf received_bytes=21021 sent_bytes=106106 "
		  "tcp_received_bytes=1001 tcp_sent_bytes=2002 udp_received_bytes=4004 "
		  "udp_sent_bytes=8008 unix_received_bytes=16016 unix_sent_bytes=32032 "
		  "name=cc1\n\033[31m command=cc1\n\033[31m");
	check_row(frame, "traffic",
		  "received_bytes_per_second=128000 sent_bytes_per_second=0 tcp_received_bytes_per_second=0 "
		  "tcp_sent_bytes_per_second=0 udp_received_bytes_per_second=128000 "
		  "udp_sent_bytes_per_second=0 unix_received_bytes_per_second=0 "
		  "unix_sent_bytes_per_second=0 pid=7 start_seconds=5 how=bpf received_bytes=256256 "
		  "sent_bytes=0 tcp_received_bytes=0 tcp_sent_bytes=0 udp_received_bytes=256256 "
		  "udp_sent_bytes=0 unix_received_bytes=0 unix_sent_bytes=0 name=a) R (b command=a) R (b");
	rig_close(&rig);
}

START_TEST(latencies_of_disks_by_operation_and_phase)
{
	static const char *const names[] = { "disk_latency", "disk_latency_bucket", NULL };
	static const uint64_t keys[] = { 8 << 20, 8 << 20 | UINT64_C(1) << 32, 8 << 20 | UINT64_C(77) << 32,
					 8 << 20 | UINT64_C(3) << 32 };
	static const uint64_t numbers[] = { 0, 1, 2, 99 /* no room for its times */ };
	static struct bpf_phases phases[3];
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "disk_latency", NULL, keys, numbers, 4, phases };
	rig_open(&rig, "linux-6.1", names);
	phases[0].sum[BPF_PHASE_FIRST] = 98 * MS + 7 * MS;
	phases[0].most[BPF_PHASE_FIRST] = 2 * MS;
	phases[0].buckets[BPF_PHASE_FIRST][histogram_index(0, 1 * MS)] = 98;
	phases[0].buckets[BPF_PHASE_FIRST][histogram_index(0, 2 * MS)] = 2;
	phases[1].sum[BPF_PHASE_SECOND] = phases[1].most[BPF_PHASE_SECOND] = 70000 * MS;
	phases[1].buckets[BPF_PHASE_SECOND][HISTOGRAM_BUCKETS - 1] = 1;
	phases[2].sum[BPF_PHASE_SECOND] = phases[2].most[BPF_PHASE_SECOND] = 5;
	phases[2].buckets[BPF_PHASE_SECOND][5] = 1;
	rig_sample(&rig, 0);
	phases[0].sum[BPF_PHASE_FIRST] += 20 * MS;
	phases[0].buckets[BPF_PHASE_FIRST][histogram_index(0, 1 * MS)] += 900;
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(frame_table(frame, "disk_latency")->n_rows, 3);
	check_row(frame, "disk_latency",
		  "device=sda operation=read phase=queued requests_per_second=450 "
		  "mean_seconds=2.222222222e-05 p50_seconds=0.001003519 p90_seconds=0.001003519 "
		  "p99_seconds=0.001003519 p99_9_seconds=0.002 max_seconds=0.002 requests=1000 "
		  "seconds=0.125 how=bpf");
	check_row(frame, "disk_latency",
		  "device=sda operation=write phase=device requests_per_second=0 p50_seconds=70 "
		  "p90_seconds=70 p99_seconds=70 p99_9_seconds=70 max_seconds=70 requests=1 seconds=70 "
		  "how=bpf");
	check_row(frame, "disk_latency",
		  "device=sda operation=other phase=device requests_per_second=0 p50_seconds=5e-09 "
		  "p90_seconds=5e-09 p99_seconds=5e-09 p99_9_seconds=5e-09 max_seconds=5e-09 requests=1 "
		  "seconds=5e-09 how=bpf");
	check_row(frame, "disk_latency_bucket",
		  "device=sda operation=read phase=queued from_seconds=0.000999424 to_seconds=0.00100352 "
		  "requests=998 requests_per_second=450");
	check_row(frame, "disk_latency_bucket",
		  "device=sda operation=write phase=device from_seconds=59.86110669 requests=1 "
		  "requests_per_second=0");
	check_row(frame, "disk_latency_bucket",
		  "device=sda operation=other phase=device from_seconds=5e-09 to_seconds=6e-09 requests=1 "
		  "requests_per_second=0");
	rig_close(&rig);
}

/* Each percentage is reached by the last of 1,000 requests that it needs; with one fewer it is not. */
START_TEST(percentages_of_requests_are_exact)
{
	static const char *const names[] = { "disk_latency", NULL };
	static const uint64_t keys[] = { 8 << 20 | UINT64_C(2) << 32, 8 << 20 | UINT64_C(3) << 32 };
	static const uint64_t numbers[] = { 0, 1 };
	static const uint64_t requests[2][5] = { { 500, 400, 90, 9, 1 }, { 499, 400, 90, 9, 2 } };
	static struct bpf_phases phases[2];
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 2; i++)
		for (unsigned time = 0; time < 5; time++)
			phases[i].buckets[BPF_PHASE_SECOND][10 * (time + 1)] = requests[i][time];
	phases[0].most[BPF_PHASE_SECOND] = phases[1].most[BPF_PHASE_SECOND] = 50;
	counted = (struct counted){ "disk_latency", NULL, keys, numbers, 2, phases };
	rig_open(&rig, "linux-6.1", names);
	frame = rig_sample(&rig, 0);
	check_row(frame, "disk_latency",
		  "device=sda operation=flush phase=device p50_seconds=1e-08 p90_seconds=2e-08 "
		  "p99_seconds=3e-08 p99_9_seconds=4e-08 max_seconds=5e-08 requests=1000 seconds=0 how=bpf");
	check_row(frame, "disk_latency",
		  "device=sda operation=discard phase=device p50_seconds=2e-08 p90_seconds=3e-08 "
		  "p99_seconds=4e-08 p99_9_seconds=5e-08 max_seconds=5e-08 requests=1000 seconds=0 how=bpf");
	rig_close(&rig);
}

/* Without BPF there are means of those operations of which there were some, and of no partition. */
START_TEST(without_bpf_disks_have_means)
{
	static const char *const names[] = { "disk_latency", NULL };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ 0 };
	rig_open(&rig, "linux-6.1", (const char *const[]){ NULL });
	rig_put(&rig, "proc/diskstats",
		"8 0 sda 100 3 999 250 40 5 999 1600 0 700 900 0 0 0 0 8 36\n"
		"8 1 sda1 90 3 999 250 40 5 999 1600 0 700 900 0 0 0 0 8 36\n");
	rig_add(&rig, *names);
	rig_sample(&rig, 0);
	rig_put(&rig, "proc/diskstats",
		"8 0 sda 150 3 999 350 40 5 999 1600 0 700 900 1 0 8 7 8 36\n"
		"8 1 sda1 90 3 999 250 40 5 999 1600 0 700 900 0 0 0 0 8 36\n");
	frame = rig_sample(&rig, 2);
	check_row(frame, "disk_latency",
		  "device=sda operation=read phase=both requests_per_second=25 mean_seconds=0.002 "
		  "requests=150 seconds=0.35 how=proc");
	check_row(frame, "disk_latency",
		  "device=sda operation=write phase=both requests_per_second=0 requests=40 seconds=1.6 "
		  "how=proc");
	check_row(frame, "disk_latency",
		  "device=sda operation=flush phase=both requests_per_second=0 requests=8 seconds=0.036 "
		  "how=proc");
	check_row(frame, "disk_latency",
		  "device=sda operation=discard phase=both requests_per_second=0.5 mean_seconds=0.007 "
		  "requests=1 seconds=0.007 how=proc");
	ck_assert_uint_eq(frame_table(frame, "disk_latency")->n_rows, 4);
	rig_close(&rig);
}

START_TEST(allocations_of_caches_and_who_makes_them)
{
	static const char *const names[] = { "slab", NULL };
	static const uint64_t keys[][2] = { { 0x1000, 7 }, { 0x1000, 42 }, { 0x2000, 42 }, { 0x3000, 99 },
					    { 0x4000, 0 } };
	static struct bpf_entry entries[5] = {
		{ .count = 100 }, { .count = 30 }, { .count = 5 }, { .count = 7 }, { .count = 9 },
	};
	static uint64_t cache_names[4][5] = { { 0x1000 }, { 0x2000 }, { 0x3000 }, { 0x4000 } };
	static struct bpf_entry named[4];
	const struct frame *frame;
	struct rig rig;

	strcpy((char *)&cache_names[0][1], "dentry");
	strcpy((char *)&cache_names[1][1], "dentry"); /* another one of this name */
	memcpy(&cache_names[2][1], "a_name_of_exactly_32_characters_", 32);
	strcpy((char *)&cache_names[3][1], "idle");
	counted = (struct counted){ "slab", &trace_plan_slab, keys, entries, 5, NULL };
	also_counted = (struct counted){ "slab", &trace_plan_slab_names, cache_names, named, 4, NULL };
	rig_open(&rig, "readers", names);
	rig.env.page_bytes = 4096;
	rig_put(&rig, "proc/7/comm", "find\n");
	rig_put(&rig, "proc/42/comm", "\n"); /* it has none */
	rig_put(&rig, "proc/meminfo", "Slab: 1000 kB\n");
	rig_put(&rig, "proc/slabinfo",
		"slabinfo - version: 2.1\n# name\n"
		"dentry 2000 2100 192 21 1 : tunables 0 0 0 : slabdata 100 100 0\n"
		"a_name_of_exactly_32_characters_and_more 3 4 8192 4 8 : tunables 0 0 0 : slabdata 1 1 0\n"
		"idle 0 0 64 64 1 : tunables 0 0 0 : slabdata 0 0 0\n"
		"kmalloc-8 0 0 8 512 1 : tunables 0 0 0 : slabdata 0 0 0\n");
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(cell_u64(frame, "slab", "dentry", "allocations"), U64_UNKNOWN); /* no names yet */
	entries[0].count += 60;
	entries[1].count += 10;
	entries[2].count += 40;
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(cell_u64(frame, "slab", "dentry", "allocations"), 245);
	ck_assert_str_eq(cell_text(frame, "slab", "dentry", "allocator"), "find (7)");
	ck_assert_uint_eq(cell_u64(frame, "slab", "a_name_of_exactly_32_characters_and_more", "allocations"),
			  7);
	ck_assert_ptr_null(cell_text(frame, "slab", "a_name_of_exactly_32_characters_and_more", "allocator"));
	ck_assert_uint_eq(cell_u64(frame, "slab", "idle", "allocations"), 9);
	ck_assert_uint_eq(cell_u64(frame, "slab", "kmalloc-8", "allocations"), U64_UNKNOWN);
	entries[1].count += 10;
	entries[2].count += 5;
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(cell_u64(frame, "slab", "dentry", "allocations"), 260);
	ck_assert_double_eq(cell_f64(frame, "slab", "dentry", "allocations_per_second"), 7.5);
	ck_assert_ptr_null(cell_text(frame, "slab", "dentry", "allocator"));
	also_counted = (struct counted){ 0 };
	rig_close(&rig);
}

#define NETWORK 4026531840
#define LINK(index) (NETWORK | UINT64_C(index) << 32)
#define SENT_AGAIN UINT16_MAX

/* Bytes and packets that eth0 received and sent; lo did half a percent of them. */
static void put_wire(struct rig *rig, unsigned received, unsigned packets, unsigned sent,
		     unsigned sent_packets)
{
	rig_put(rig, "proc/net/dev",
		"  eth0: %u %u 0 0 0 0 0 0 %u %u 0 0 0 0 0 0\n    lo: %u %u 0 0 0 0 0 0 %u %u 0 0 0 0 0 0\n",
		received, packets, sent, sent_packets, received / 200, packets / 40, sent / 200,
		sent_packets / 40);
}

static void put_forwarded(struct rig *rig, unsigned forwarded)
{
	rig_put(rig, "proc/net/snmp", "Ip: InReceives ForwDatagrams\nIp: 5 %u\n", forwarded);
}

START_TEST(bytes_on_the_wire_are_split)
{
	static const char *const none[] = { NULL };
	static const uint64_t keys[][2] = {
		{ SOCKET(42, 0, AF_INET, IPPROTO_TCP), LINK(2) },
		{ SOCKET(42, 1, AF_INET6, IPPROTO_UDP), LINK(2) },
		{ SOCKET(42, 1, AF_INET, IPPROTO_TCP), LINK(1) },
		{ SOCKET(42, 0, AF_INET, IPPROTO_TCP), LINK(1) },
		{ SOCKET(0, 0, 0, SENT_AGAIN), LINK(2) },
		{ SOCKET(9, 1, AF_INET, IPPROTO_TCP), LINK(2) },     /* a thread of the kernel */
		{ SOCKET(42, 0, AF_INET, IPPROTO_TCP), LINK(2) + 1 }, /* of another namespace */
		{ SOCKET(42, 1, AF_UNIX, 0), LINK(0) },
		{ SOCKET(42, 1, AF_NETLINK, 0), LINK(0) },
		{ SOCKET(42, 0, AF_INET, IPPROTO_UDP), LINK(0) },    /* through an interface not known */
	};
	static const struct bpf_entry more[10] = {
		{ .sum = 90000, .count = 10 }, { .sum = 30000, .count = 20 }, { .sum = 100, .count = 1 },
		{ .sum = 400, .count = 1 },    { .sum = 2000, .count = 3 },   { .sum = 5000, .count = 1 },
		{ .sum = 777777, .count = 5 }, { .sum = 888888, .count = 5 }, { .sum = 999999, .count = 5 },
		{ .sum = 800, .count = 4 },
	};
	static struct bpf_entry entries[10];
	const struct frame *frame;
	char path[SCRATCH_PATH_MAX + 32];
	struct rig rig;

	for (unsigned i = 0; i < 10; i++)
		entries[i] = (struct bpf_entry){ .sum = 1000 + i, .count = 7 };
	counted = (struct counted){ "network_account", NULL, keys, entries, 10, NULL };
	rig_open(&rig, "readers", none);
	rig.env.own_pid = 7;
	rig_make(&rig, "proc/7/ns");
	snprintf(path, sizeof(path), "%s/proc/7/ns/net", rig.root);
	ck_assert_int_eq(symlink("net:[4026531840]", path), 0);
	rig_make(&rig, "proc/9");
	rig_put(&rig, "proc/9/stat", "9 (nfsd) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 50 0 0\n");
	rig_make(&rig, "proc/net");
	rig_make(&rig, "sys/class/net/eth0/device");
	rig_make(&rig, "sys/class/net/lo");
	rig_put(&rig, "sys/class/net/eth0/ifindex", "2\n");
	rig_put(&rig, "sys/class/net/lo/ifindex", "1\n");
	put_wire(&rig, 1000000, 1000, 2000000, 2000);
	put_forwarded(&rig, 37);
	rig_add(&rig, "network_account");
	rig_sample(&rig, 0);
	for (unsigned i = 0; i < 10; i++) {
		entries[i].sum += more[i].sum;
		entries[i].count += more[i].count;
	}
	put_wire(&rig, 1100000, 1080, 2050000, 2080);
	frame = rig_sample(&rig, 2);
#define ROW_OF(name, part) "interface=" name " part=" part " "
	check_row(frame, "network_account",
		  ROW_OF("eth0", "programs") "received_bytes=90000 sent_bytes=30000 from=BPF at sockets");
	/* 80 packets of 14 + 20 + 32; 20 of the sent ones with 8 instead of 32 */
	check_row(frame, "network_account",
		  ROW_OF("eth0", "headers") "received_bytes=5280 sent_bytes=4800 from=packets x headers");
	check_row(frame, "network_account",
		  ROW_OF("eth0", "retransmitted") "sent_bytes=2000 from=BPF at retransmissions");
	check_row(frame, "network_account",
		  ROW_OF("eth0", "kernel") "received_bytes=0 sent_bytes=5000 from=BPF at sockets, forwarded "
					   "packets");
	check_row(frame, "network_account",
		  ROW_OF("eth0", "unexplained") "received_bytes=4720 sent_bytes=8200 from=the rest");
	check_row(frame, "network_account",
		  ROW_OF("eth0", "wire") "received_bytes=100000 sent_bytes=50000 from=/proc/net/dev");
	check_row(frame, "network_account",
		  ROW_OF("lo", "programs") "received_bytes=400 sent_bytes=100 from=BPF at sockets");
	/* two packets of 20 + 32: no frame; what is sent leaves room for all of them, too */
	check_row(frame, "network_account",
		  ROW_OF("lo", "headers") "received_bytes=100 sent_bytes=104 from=packets x headers");
	check_row(frame, "network_account",
		  ROW_OF("lo", "unexplained") "received_bytes=0 sent_bytes=46 from=the rest");
	check_row(frame, "network_account",
		  ROW_OF("all", "programs") "received_bytes_per_second=45600 sent_bytes_per_second=15050 "
					    "received_bytes=91200 sent_bytes=30100 from=BPF at sockets");
	/* four datagrams fewer of 32 */
	check_row(frame, "network_account",
		  ROW_OF("all", "headers") "received_bytes_per_second=2644 sent_bytes_per_second=2452 "
					   "received_bytes=5288 sent_bytes=4904 from=packets x headers");
	check_row(frame, "network_account",
		  ROW_OF("all", "retransmitted") "sent_bytes_per_second=1000 sent_bytes=2000 from=BPF at "
						 "retransmissions");
	check_row(frame, "network_account",
		  ROW_OF("all", "kernel") "received_bytes_per_second=0 sent_bytes_per_second=2500 "
					  "received_bytes=0 sent_bytes=5000 from=BPF at sockets, forwarded "
					  "packets");
	check_row(frame, "network_account",
		  ROW_OF("all", "unexplained") "received_bytes_per_second=2006 sent_bytes_per_second=4123 "
					       "received_bytes=4012 sent_bytes=8246 from=the rest");
	check_row(frame, "network_account",
		  ROW_OF("all", "wire") "received_bytes_per_second=50250 sent_bytes_per_second=25125 "
					"received_bytes=100500 sent_bytes=50250 from=/proc/net/dev");
	put_forwarded(&rig, 47); /* what is left is theirs, in this sample and in the next one */
	put_wire(&rig, 1110000, 1090, 2050000, 2080);
	rig_sample(&rig, 2);
	put_wire(&rig, 1111000, 1091, 2052000, 2082);
	rig_sample(&rig, 2);
	put_wire(&rig, 1211000, 1191, 2052000, 2082);
	frame = rig_sample(&rig, 2);
	check_row(frame, "network_account",
		  ROW_OF("all", "kernel") "received_bytes_per_second=0 sent_bytes_per_second=0 "
					  "received_bytes=10329 sent_bytes=6878 from=BPF at sockets, "
					  "forwarded packets");
	rig_close(&rig);
}

START_TEST(programs_show_what_they_cost)
{
	static const char *const names[] = { "tracing", NULL };
	static const struct bpf_shape once = { .is_run = true };
	static const struct bpf_program programs[] = {
		{ .name = "counts", .tracepoint = "at_a_point", .does = &bpf_count },
		{ .name = "walks", .tracepoint = "bpf_iter", .does = &once },
		{ .name = "waits", .tracepoint = "never", .does = &bpf_count },
	};
	static const struct trace_plan plan = { .topic = "x", .n_entries_max = 500 };
	static struct trace_set set = { .plan = &plan, .n_entries = 40, .n_running = 3 };
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 3; i++)
		set.running[i].program = &programs[i];
	opened = (struct trace_sets){ { &set }, 1 };
	selves[0] = (struct bpf_self){ .runs = 6400, .timed_runs = 100, .timed_ns = 50000 };
	selves[1] = (struct bpf_self){ .runs = 2, .lost = 5, .timed_runs = 2, .timed_ns = 3000000 };
	rig_open(&rig, "readers", names);
	rig_sample(&rig, 0);
	selves[0] = (struct bpf_self){ .runs = 12800, .lost = 6, .timed_runs = 200, .timed_ns = 80000 };
	selves[1] = (struct bpf_self){ .runs = 4, .lost = 5, .timed_runs = 4, .timed_ns = 7000000 };
	frame = rig_sample(&rig, 2);
	check_row(frame, "tracing",
		  "topic=x program=counts tracepoint=at_a_point runs=12800 runs_per_second=3200 "
		  "mean_seconds=4e-07 used_seconds=0.00512 cpu_ratio=0.00096 entries=40 entries_max=500 "
		  "lost=6 lost_per_second=3");
	check_row(frame, "tracing",
		  "topic=x program=walks tracepoint=bpf_iter runs=4 runs_per_second=1 mean_seconds=0.00175 "
		  "used_seconds=0.007 cpu_ratio=0.002 entries=40 entries_max=500 lost=5 lost_per_second=0");
	check_row(frame, "tracing",
		  "topic=x program=waits tracepoint=never runs=0 runs_per_second=0 entries=40 "
		  "entries_max=500 lost=0 lost_per_second=0");
	opened.n = 0;
	rig_close(&rig);
}

#define SDA ((uint64_t)8 << 20 << 32)

static void put_disk(struct rig *rig, unsigned read_sectors, unsigned write_sectors)
{
	rig_put(rig, "proc/diskstats", "8 0 sda 9 0 %u 9 9 0 %u 9 0 9 9\n", 1000 + read_sectors,
		2000 + write_sectors);
}

static void check_part(const struct frame *frame, const char *part, const char *values, const char *from)
{
	char row[256];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(row, sizeof(row), "device=%s part=%s %s from=%s", i ? "all" : "sda", part, values,
			 from);
		check_row(frame, "disk_account", row);
	}
}

/* A row for each process, and one for what was written back. */
START_TEST(users_of_a_device_have_rows)
{
	static const char *const names[] = { "disk_user", NULL };
	static const uint64_t keys[][2] = {
		{ 0, 42 | SDA }, { 1, 42 | SDA }, { 1, 7 | SDA }, { 1, 9 | SDA }
	};
	static const uint64_t more[] = { 51200, 81920, 4096, 16384 };
	static struct bpf_entry entries[4];
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 4; i++)
		entries[i] = (struct bpf_entry){ .sum = 512, .count = 1 };
	counted = (struct counted){ "disk_user", NULL, keys, entries, 4, NULL };
	rig_open(&rig, "readers", (const char *const[]){ NULL });
	rig_make(&rig, "proc/9");
	rig_put(&rig, "proc/9/stat", "9 (kworker/1) I 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 50 0 0\n");
	put_disk(&rig, 0, 0);
	rig_add(&rig, *names);
	rig_sample(&rig, 1);
	for (unsigned i = 0; i < 4; i++)
		entries[i] = (struct bpf_entry){ .sum = 512 + more[i], .count = 3 };
	put_disk(&rig, 108, 224);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "disk_user")->n_rows, 3);
	check_row(frame, "disk_user",
		  "read_bytes_per_second=51200 write_bytes_per_second=81920 bytes_per_second=133120 "
		  "requests_per_second=4 request_bytes=33280 device=sda pid=42 start_seconds=90 how=bpf "
		  "read_bytes=51712 write_bytes=82432 bytes=134144 requests=6 name=cc1\n\033[31m "
		  "command=cc1\n\033[31m");
	check_row(frame, "disk_user",
		  "read_bytes_per_second=0 write_bytes_per_second=4096 bytes_per_second=4096 "
		  "requests_per_second=2 request_bytes=2048 device=sda pid=7 start_seconds=5 how=bpf "
		  "read_bytes=0 write_bytes=4608 bytes=4608 requests=3 name=a) R (b command=a) R (b");
	check_row(frame, "disk_user",
		  "read_bytes_per_second=0 write_bytes_per_second=16384 bytes_per_second=16384 "
		  "requests_per_second=2 request_bytes=8192 device=sda pid=0 how=bpf read_bytes=0 "
		  "write_bytes=16896 bytes=16896 requests=3 name=written back command=(written back, not "
		  "known for whom)");
	rig_close(&rig);
}

/* What was sent to the device and is not done yet is left out, of each part alike. */
START_TEST(bytes_of_a_device_are_split)
{
	static const char *const names[] = { "disk_account", NULL };
	static const uint64_t keys[][2] = {
		{ 0, 42 | SDA },       /* reads */
		{ 1, 42 | SDA },       /* writes */
		{ 9, 42 | SDA },       /* zeros */
		{ 1, 9 | SDA },        /* of a worker */
		{ 1, 8 | SDA },        /* of a journal */
		{ 2, 42 | SDA },       /* flushes */
		{ 1, SDA },            /* while a CPU was idle */
		{ 1, 4711 | SDA },     /* of a process that ended unseen */
		{ 1, 42 | SDA << 1 },  /* on another device */
	};
	static const uint64_t more[] = { 51200, 81920, 4096, 16384, 4096, 999, 4096, 4096, 88888 };
	static struct bpf_entry entries[9];
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 9; i++)
		entries[i] = (struct bpf_entry){ .sum = 512 + i, .count = 1 };
	counted = (struct counted){ "disk_user", NULL, keys, entries, 9, NULL };
	rig_open(&rig, "readers", (const char *const[]){ NULL });
	rig_make(&rig, "proc/8");
	rig_make(&rig, "proc/9");
	rig_put(&rig, "proc/8/stat", "8 (jbd2/sda) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 50 0 0\n");
	rig_put(&rig, "proc/9/stat", "9 (kworker/1) I 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 50 0 0\n");
	put_disk(&rig, 0, 0);
	rig_add(&rig, *names);
	rig_sample(&rig, 1);
	for (unsigned i = 0; i < 9; i++)
		entries[i].sum += more[i];
	put_disk(&rig, 108, 112); /* half of what was written, and 4096 bytes that were not counted */
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "disk_account")->n_rows, 8);
	check_part(frame, "programs",
		   "read_bytes_per_second=51200 write_bytes_per_second=46724 read_bytes=51200 "
		   "write_bytes=46724",
		   "BPF at block_bio_queue");
	check_part(frame, "written back",
		   "read_bytes_per_second=0 write_bytes_per_second=10620 read_bytes=0 write_bytes=10620",
		   "BPF at block_bio_queue");
	check_part(frame, "kernel",
		   "read_bytes_per_second=4096 write_bytes_per_second=0 read_bytes=4096 write_bytes=0",
		   "the rest");
	check_part(frame, "device",
		   "read_bytes_per_second=55296 write_bytes_per_second=57344 read_bytes=55296 "
		   "write_bytes=57344",
		   "/proc/diskstats");
	put_disk(&rig, 108, 224);
	frame = rig_sample(&rig, 1);
	check_part(frame, "programs",
		   "read_bytes_per_second=0 write_bytes_per_second=43388 read_bytes=51200 write_bytes=90112",
		   "BPF at block_bio_queue");
	check_part(frame, "written back",
		   "read_bytes_per_second=0 write_bytes_per_second=9860 read_bytes=0 write_bytes=20480",
		   "BPF at block_bio_queue");
	check_part(frame, "kernel",
		   "read_bytes_per_second=0 write_bytes_per_second=4096 read_bytes=4096 write_bytes=4096",
		   "the rest");
	rig_close(&rig);
}

#define PAGES_OF(pid, what)                                                                                  \
	{                                                                                                    \
		[BPF_CACHE_PROCESS] = pid, [BPF_CACHE_DEVICE] = 8 << 20 | 1, [BPF_CACHE_INODE] = 77,         \
		[BPF_CACHE_EVENT] = what                                                                     \
	}

/* What was added to the cache before it was asked for is missed when it is. */
START_TEST(pages_of_the_cache_are_hit_or_missed)
{
	static const char *const names[] = { "cache_use", NULL };
	static const uint64_t keys[][N_BPF_CACHE_WORDS] = {
		PAGES_OF(42, BPF_CACHE_ASKED),  PAGES_OF(42, BPF_CACHE_ADDED),  PAGES_OF(7, BPF_CACHE_ASKED),
		PAGES_OF(7, BPF_CACHE_FAULTED), PAGES_OF(7, BPF_CACHE_DIRTIED),
		PAGES_OF(4711, BPF_CACHE_ASKED),
	};
	static struct bpf_entry entries[6] = { { .sum = 10 }, { .sum = 20 } };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "cache_use", NULL, keys, entries, 2, NULL };
	rig_open(&rig, "readers", names);
	frame = rig_sample(&rig, 0);
	check_row(frame, "cache_use",
		  "ahead_pages=10 pid=42 start_seconds=90 how=bpf note= asked_pages=10 hit_pages=0 "
		  "missed_pages=10 mapped_faults=0 dirtied_pages=0 command=cc1\n\033[31m");
	entries[0].sum += 16;
	entries[1].sum += 2;
	entries[2].sum = 5;
	entries[3].sum = 3;
	entries[4].sum = 4;
	entries[5].sum = 9;
	counted.n = 6;
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(frame_table(frame, "cache_use")->n_rows, 4);
	check_row(frame, "cache_use",
		  "asked_pages_per_second=15 hit_ratio=0.6 missed_pages_per_second=6 ahead_pages=0 "
		  "mapped_faults_per_second=1.5 dirtied_pages_per_second=2 pid=0 start_seconds=0 how=bpf "
		  "note= asked_pages=40 hit_pages=18 missed_pages=22 mapped_faults=3 dirtied_pages=4 "
		  "command=(all)");
	check_row(frame, "cache_use",
		  "asked_pages_per_second=8 hit_ratio=0.25 missed_pages_per_second=6 ahead_pages=0 "
		  "mapped_faults_per_second=0 dirtied_pages_per_second=0 pid=42 start_seconds=90 how=bpf "
		  "note= asked_pages=26 hit_pages=4 missed_pages=22 mapped_faults=0 dirtied_pages=0 "
		  "command=cc1\n\033[31m");
	check_row(frame, "cache_use",
		  "asked_pages_per_second=2.5 hit_ratio=1 missed_pages_per_second=0 ahead_pages=0 "
		  "mapped_faults_per_second=1.5 dirtied_pages_per_second=2 pid=7 start_seconds=5 how=bpf "
		  "note= asked_pages=5 hit_pages=5 missed_pages=0 mapped_faults=3 dirtied_pages=4 "
		  "command=a) R (b");
	check_row(frame, "cache_use",
		  "asked_pages_per_second=4.5 hit_ratio=1 missed_pages_per_second=0 ahead_pages=0 "
		  "mapped_faults_per_second=0 dirtied_pages_per_second=0 pid=4711 how=bpf note= "
		  "asked_pages=9 hit_pages=9 missed_pages=0 mapped_faults=0 dirtied_pages=0");
	frame = rig_sample(&rig, 2); /* the unseen one is shown in the sample in which it grew */
	ck_assert_uint_eq(frame_table(frame, "cache_use")->n_rows, 3);
	n_forgotten = 0;
	for (unsigned i = 0; i < 6; i++)
		rig_sample(&rig, 2);
	ck_assert_uint_eq(n_forgotten, 0);
	frame = rig_sample(&rig, 2); /* files that are idle for eight samples leave the map */
	ck_assert_uint_eq(n_forgotten, 6);
	ck_assert_uint_eq(frame_table(frame, "cache_use")->n_rows, 3);
	rig_close(&rig);
}

/* Without BPF from what is read and written, in whole pages. */
START_TEST(without_bpf_the_use_is_estimated)
{
	static const char *const names[] = { "cache_use", NULL };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ 0 };
	rig_open(&rig, "readers", names);
	rig.env.page_bytes = 4096;
	rig_put(&rig, "proc/7/io", "rchar: 45055\nread_bytes: 12288\nwrite_bytes: 8192\n");
	rig_put(&rig, "proc/42/io", "rchar: 8192\nread_bytes: 16384\nwrite_bytes: 0\n");
	rig_put(&rig, "proc/99/io", "rchar: 0\nread_bytes: 4096\nwrite_bytes: 4096\n");
	rig_put(&rig, "proc/1/io", NULL);
	frame = rig_sample(&rig, 0);
	check_row(frame, "cache_use",
		  "pid=7 start_seconds=5 how=proc note=estimate asked_pages=10 hit_pages=7 missed_pages=3 "
		  "dirtied_pages=2 command=a) R (b");
	check_row(frame, "cache_use",
		  "pid=42 start_seconds=90 how=proc note=estimate asked_pages=2 hit_pages=0 missed_pages=2 "
		  "dirtied_pages=0 command=cc1\n\033[31m");
	ck_assert_uint_eq(frame_table(frame, "cache_use")->n_rows, 2);
	rig_close(&rig);
}

/* --- Tracepoints that a user names. */

#define FIELD(declaration, offset, size, is_signed)                                                          \
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

static const char *const trace_topics[] = { "trace", "trace_bucket", NULL };
static struct trace_specs specs;

static void set_specs(const char *one, const char *other)
{
	const char *const texts[] = { one, other };
	char why[256];

	specs.n = 0;
	specs.epoch++;
	memset(specs.list, 0, sizeof(specs.list));
	for (unsigned i = 0; i < 2 && texts[i]; i++)
		ck_assert_msg(trace_spec_parse(&specs.list[specs.n++], texts[i], why, sizeof(why)), "%s",
			      why);
}

/* Has the tracepoint a:b, at which the user wants this counted. */
static void open_traces(struct rig *rig, const char *one, const char *other)
{
	rig_open(rig, "readers", trace_topics);
	rig->env.live = true;
	rig_make(rig, "sys/kernel/tracing/events/a/b");
	rig_put(rig, "sys/kernel/tracing/available_events", "a:b\n");
	rig_put(rig, "sys/kernel/tracing/events/a/b/format", "%s",
		FIELD("dev_t dev", 8, 4, 0) FIELD("int change", 12, 4, 1) FIELD("u64 sector", 16, 8, 0)
			FIELD("char rwbs[8]", 24, 8, 0) FIELD("__data_loc char[] path", 40, 4, 0)
				FIELD("void * where", 48, 8, 0));
	set_specs(one, other);
	rig->request.traces = &specs;
}

static const struct frame *later(struct rig *rig, unsigned seconds)
{
	still_clock_ns += seconds * 1000 * MS;
	return rig_sample(rig, seconds);
}

static size_t n_rows(const struct frame *frame, const char *topic)
{
	return frame_table(frame, topic)->n_rows;
}

#define ROWS_OF(keys_, entries_)                                                                             \
	(struct counted)                                                                                     \
	{                                                                                                    \
		"trace", NULL, keys_, entries_, sizeof(entries_) / sizeof((entries_)[0]), NULL               \
	}

START_TEST(keys_of_users_are_written_as_their_fields)
{
	static uint64_t keys[3][11] = {
		{ 8 << 20 | 17, 0xfffffc0012, UINT64_MAX },
		{ UINT64_C(4095) << 20 | 1048575, 0, 5 },
		{ 0, 16, 0 },
	};
	static struct bpf_entry entries[3] = { { .count = 3 }, { .count = 4 }, { .count = 5 } };
	const struct frame *frame;
	struct rig rig;

	snprintf((char *)&keys[0][3], 64, "%s", "/a");
	memset(&keys[1][3], 'x', 64); /* cut */
	counted = ROWS_OF(keys, entries);
	open_traces(&rig, "a:b by dev,where,change,path", NULL);
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(n_rows(frame, "trace"), 3);
	ck_assert_uint_eq(n_rows(frame, "trace_bucket"), 0);
	check_row(frame, "trace", "trace=a:b by dev,where,change,path keys=8:17,0xfffffc0012,-1,/a count=3");
	check_row(frame, "trace",
		  "trace=a:b by dev,where,change,path keys=4095:1048575,0x0,5,"
		  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… count=4");
	check_row(frame, "trace", "trace=a:b by dev,where,change,path keys=0:0,0x10,0, count=5");
	entries[0].count += 20;
	frame = later(&rig, 2);
	check_row(frame, "trace",
		  "trace=a:b by dev,where,change,path keys=8:17,0xfffffc0012,-1,/a per_second=10 "
		  "count=23");
	rig_close(&rig);
}

START_TEST(keys_without_a_field_are_numbers_and_names)
{
	static uint64_t keys[2][5] = { { UINT64_MAX, 77 }, { 7, 78 } };
	static struct bpf_entry entries[2] = { { .count = 3 }, { .count = 4 } };
	const struct frame *frame;
	struct rig rig;

	snprintf((char *)&keys[0][2], 16, "%s", "cat");
	memcpy((char *)&keys[1][2], "0123456789abcdef", 16);
	keys[0][4] = keys[1][4] = 3;
	counted = ROWS_OF(keys, entries);
	open_traces(&rig, "a:b by sector,cgroup,comm,cpu", NULL);
	rig_put(&rig, "proc/mounts", "none /nowhere tmpfs rw 0 0\n");
	frame = rig_sample(&rig, 0);
	check_row(frame, "trace",
		  "trace=a:b by sector,cgroup,comm,cpu keys=18446744073709551615,77,cat,3 count=3");
	check_row(frame, "trace", "trace=a:b by sector,cgroup,comm,cpu keys=7,78,0123456789abcdef,3 count=4");
	rig_close(&rig);
}

#define SIGNED_MOST(number) ((uint64_t)(int64_t)(number) ^ UINT64_C(1) << 63)

/* What follows the NUL of a text tells entries apart, but not rows. */
START_TEST(the_same_keys_are_one_row)
{
	static uint64_t keys[4][1];
	static struct bpf_entry entries[4] = {
		{ .count = 1, .sum = (uint64_t)-10, .most = SIGNED_MOST(-7) },
		{ .count = 2, .sum = 4, .most = SIGNED_MOST(-5) },
		{ .count = 4, .sum = (uint64_t)-1, .most = SIGNED_MOST(-9) },
		{ .count = 8, .sum = 100, .most = SIGNED_MOST(60) },
	};
	const struct frame *frame;
	struct rig rig;

	memcpy(keys[0], "W\0aaaaaa", 8);
	memcpy(keys[1], "W\0bbbbbb", 8);
	memcpy(keys[2], "W\0cccccc", 8);
	memcpy(keys[3], "WS\0aaaaa", 8);
	counted = ROWS_OF(keys, entries);
	open_traces(&rig, "a:b by rwbs sum(change) max(change)", NULL);
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(n_rows(frame, "trace"), 2);
	check_row(frame, "trace", "trace=a:b by rwbs sum(change) max(change) keys=W count=7 sum=-7 max=-5");
	check_row(frame, "trace", "trace=a:b by rwbs sum(change) max(change) keys=WS count=8 sum=100 max=60");
	entries[1].count += 6;
	entries[2].sum += 50;
	frame = later(&rig, 2);
	check_row(frame, "trace",
		  "trace=a:b by rwbs sum(change) max(change) keys=W per_second=3 count=13 "
		  "sum_per_second=25 sum=43 max=-5");
	rig_close(&rig);
}

START_TEST(sums_and_maxima_of_unsigned_fields)
{
	static uint64_t keys[2][1];
	static struct bpf_entry entries[2] = {
		{ .count = 1, .sum = UINT64_C(1) << 63, .most = UINT64_C(3) << 62 },
		{ .count = 1, .sum = 0, .most = 5 },
	};
	const struct frame *frame;
	struct rig rig;

	memcpy(keys[0], "W\0aaaaaa", 8);
	memcpy(keys[1], "W\0bbbbbb", 8);
	counted = ROWS_OF(keys, entries);
	open_traces(&rig, "a:b by rwbs sum(sector) max(sector)", NULL);
	frame = rig_sample(&rig, 0);
	check_row(frame, "trace",
		  "trace=a:b by rwbs sum(sector) max(sector) keys=W count=2 sum=9.223372037e+18 "
		  "max=1.383505806e+19");
	rig_close(&rig);
}

START_TEST(without_keys_there_is_one_row)
{
	static const uint64_t key;
	static struct bpf_entry entries[1] = { { .count = 9, .sum = 20, .most = SIGNED_MOST(6) } };
	const struct frame *frame;
	struct rig rig;

	counted = ROWS_OF(&key, entries);
	counted.n = 0;
	open_traces(&rig, "a:b sum(change) max(change)", NULL);
	frame = rig_sample(&rig, 0);
	check_row(frame, "trace", "trace=a:b sum(change) max(change) keys=all count=0 sum=0");
	counted.n = 1;
	frame = later(&rig, 2);
	check_row(frame, "trace",
		  "trace=a:b sum(change) max(change) keys=all per_second=4.5 count=9 sum_per_second=10 "
		  "sum=20 max=6");
	ck_assert_uint_eq(n_rows(frame, "trace"), 1);
	set_specs("a:b by dev", NULL);
	counted.n = 0;
	ck_assert_uint_eq(n_rows(later(&rig, 2), "trace"), 0);
	set_specs("a:b hist(change)", NULL);
	ck_assert_uint_eq(n_rows(later(&rig, 2), "trace"), 0);
	rig_close(&rig);
}

#define BUCKET(keys, limits, count) "trace=a:b by rwbs hist(change) keys=" keys " " limits " count=" count

/* Powers of two, and those below 0. */
START_TEST(histograms_have_buckets)
{
	static uint64_t keys[9][2] = {
		{ 0, (uint64_t)-3 }, { 0, 0 }, { 0, 1 }, { 0, (uint64_t)-1 }, { 0, 2 }, { 0, (uint64_t)-2 },
		{ 0, 32 },           { 0, 2 }, { 0, 2 },
	};
	static struct bpf_entry entries[9];
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 9; i++) {
		memcpy(keys[i], i == 7 ? "R\0aaaaaa" : i == 8 ? "W\0cccccc" : "W\0aaaaaa", 8);
		entries[i].count = 1u << i;
	}
	counted = ROWS_OF(keys, entries);
	open_traces(&rig, "a:b by rwbs hist(change)", NULL);
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(n_rows(frame, "trace_bucket"), 8);
	check_row(frame, "trace_bucket", BUCKET("W", "from=-7 to=-3", "1"));
	check_row(frame, "trace_bucket", BUCKET("W", "from=-3 to=-1", "32"));
	check_row(frame, "trace_bucket", BUCKET("W", "from=-1 to=0", "8"));
	check_row(frame, "trace_bucket", BUCKET("W", "from=0 to=1", "2"));
	check_row(frame, "trace_bucket", BUCKET("W", "from=1 to=2", "4"));
	check_row(frame, "trace_bucket", BUCKET("W", "from=2 to=4", "272"));
	check_row(frame, "trace_bucket", BUCKET("W", "from=2147483648 to=4294967296", "64"));
	check_row(frame, "trace_bucket", BUCKET("R", "from=2 to=4", "128"));
	check_row(frame, "trace", "trace=a:b by rwbs hist(change) keys=W count=383");
	check_row(frame, "trace", "trace=a:b by rwbs hist(change) keys=R count=128");
	ck_assert_uint_eq(n_rows(frame, "trace"), 2);
	rig_close(&rig);
}

START_TEST(without_a_wish_no_tracepoint_is_opened)
{
	static const uint64_t key;
	static struct bpf_entry entries[1] = { { .count = 9 } };
	struct rig rig;

	counted = ROWS_OF(&key, entries);
	open_traces(&rig, "a:b", NULL);
	n_opens = 0;
	rig.request.traces = NULL;
	ck_assert_uint_eq(n_rows(rig_sample(&rig, 0), "trace"), 0);
	rig.request.traces = &specs;
	rig.request.no_bpf = true;
	ck_assert_uint_eq(n_rows(rig_sample(&rig, 0), "trace"), 0);
	rig.request.no_bpf = false;
	rig.env.live = false;
	specs.epoch++;
	ck_assert_uint_eq(n_rows(rig_sample(&rig, 0), "trace"), 0);
	ck_assert_uint_eq(n_opens, 0);
	rig.env.live = true;
	ck_assert_uint_eq(n_rows(rig_sample(&rig, 0), "trace"), 0); /* the same wish */
	specs.epoch++;
	ck_assert_uint_eq(n_rows(rig_sample(&rig, 0), "trace"), 1);
	ck_assert_uint_eq(n_opens, 1);
	rig.request.traces = NULL;
	ck_assert_uint_eq(n_rows(rig_sample(&rig, 0), "trace"), 1); /* it goes on */
	rig_close(&rig);
}

/* Those that stay count on; the others are closed. */
START_TEST(tracepoints_follow_what_is_wished)
{
	static const uint64_t key;
	static struct bpf_entry entries[1] = { { .count = 9 } };
	const struct frame *frame;
	struct rig rig;

	counted = ROWS_OF(&key, entries);
	open_traces(&rig, "a:b", "a:b by dev");
	n_opens = n_closes = 0;
	ck_assert_uint_eq(n_rows(rig_sample(&rig, 0), "trace"), 2);
	ck_assert_uint_eq(n_opens, 2);
	set_specs("a:b by sector", "a:b");
	frame = later(&rig, 1);
	ck_assert_uint_eq(n_rows(frame, "trace"), 2);
	check_row(frame, "trace", "trace=a:b by sector keys=0 per_second=9 count=9");
	check_row(frame, "trace", "trace=a:b keys=all per_second=0 count=9");
	ck_assert_uint_eq(n_opens, 3);
	ck_assert_uint_eq(n_closes, 1);
	rig_put(&rig, "sys/kernel/tracing/events/a/b/format", NULL);
	frame = later(&rig, 1); /* it is not looked for again */
	ck_assert_uint_eq(n_rows(frame, "trace"), 2);
	ck_assert_uint_eq(frame->n_notices, 0);
	set_specs(NULL, NULL);
	ck_assert_uint_eq(n_rows(later(&rig, 1), "trace"), 0);
	ck_assert_uint_eq(n_closes, 3);
	ck_assert_uint_eq(n_opens, 3);
	rig_close(&rig);
}

static void set_scope(struct rig *rig, struct scope *scope, const char *text)
{
	struct scope_term term;
	char why[256];

	scope_clear(scope);
	scope->epoch++;
	if (text)
		ck_assert(scope_term_parse(&term, text, why, sizeof(why)) && scope_add(scope, &term));
	rig->request.scope = scope;
}

START_TEST(tracepoints_begin_again_with_another_scope)
{
	static const uint64_t key;
	static struct bpf_entry entries[1] = { { .count = 9 } };
	struct scope scope = { 0 };
	struct rig rig;

	counted = ROWS_OF(&key, entries);
	open_traces(&rig, "a:b", NULL);
	n_opens = n_closes = 0;
	rig_sample(&rig, 0);
	ck_assert(!last_opened->plan->of_wanted);
	set_scope(&rig, &scope, NULL); /* of all, too */
	later(&rig, 1);
	ck_assert_uint_eq(n_opens, 1);
	set_scope(&rig, &scope, "pid=7");
	ck_assert_uint_eq(n_rows(later(&rig, 1), "trace"), 1);
	ck_assert_uint_eq(n_opens, 2);
	ck_assert_uint_eq(n_closes, 1);
	ck_assert(last_opened->plan->of_wanted);
	later(&rig, 1);
	ck_assert_uint_eq(n_opens, 2);
	set_scope(&rig, &scope, "pid=42");
	later(&rig, 1);
	ck_assert_uint_eq(n_opens, 3);
	ck_assert_uint_eq(n_closes, 2);
	set_scope(&rig, &scope, NULL);
	later(&rig, 1);
	ck_assert_uint_eq(n_opens, 4);
	ck_assert(!last_opened->plan->of_wanted);
	rig_close(&rig);
	scope_free(&scope);
}

static void check_notice(const struct frame *frame, const char *text)
{
	for (unsigned i = 0; i < frame->n_notices; i++)
		if (strcmp(frame->notices[i].text, text) == 0)
			return;
	ck_abort_msg("no notice \"%s\", but \"%s\"", text, frame->n_notices ? frame->notices[0].text : "");
}

START_TEST(tracepoints_that_are_refused_say_why)
{
	static const struct {
		int error;
		const char *notice; /* NULL: none of the trace, but the topic fails */
	} cases[] = {
		{ -EINVAL, "'a:b by dev': the kernel runs no program at a:b: Invalid argument" },
		{ -EXDEV, "'a:b by dev': the kernel's PIDs are others than those of this PID namespace" },
		{ -EPERM, NULL },
		{ -ENOSYS, NULL },
	};
	struct rig rig;

	counted = (struct counted){ 0 };
	open_traces(&rig, "a:b by dev", "a:b by nosuch");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame;

		specs.epoch++;
		set_specs(NULL, NULL);
		later(&rig, 1);
		set_specs("a:b by dev", "a:b by nosuch");
		open_error = cases[i].error;
		frame = later(&rig, 1);
		if (cases[i].notice) {
			check_notice(frame, cases[i].notice);
			check_notice(frame, "'a:b by nosuch': no field nosuch; there are: dev change sector "
					    "where rwbs path comm pid tid cpu cgroup");
			ck_assert(!frame_table(frame, "trace")->failed);
		} else
			ck_assert(frame_table(frame, "trace")->failed);
		ck_assert_uint_eq(n_rows(frame, "trace"), 0);
	}
	open_error = -ENOTSUP;
	set_specs("a:b by change", NULL);
	ck_assert_uint_eq(later(&rig, 1)->n_notices, 0);
	open_error = -EPERM;
	rig_close(&rig);
}

START_TEST(events_without_room_are_named)
{
	static const uint64_t key;
	static struct bpf_entry entries[1] = { { .count = 9 } };
	struct rig rig;

	counted = ROWS_OF(&key, entries);
	open_traces(&rig, "a:b by dev", NULL);
	rig_sample(&rig, 0);
	opened = (struct trace_sets){ { last_opened }, 1 };
	selves[0] = (struct bpf_self){ .lost = 0 };
	ck_assert_uint_eq(later(&rig, 1)->n_notices, 0);
	selves[0].lost = U64_UNKNOWN;
	ck_assert_uint_eq(later(&rig, 1)->n_notices, 0);
	selves[0].lost = 1;
	check_notice(later(&rig, 1), "'a:b by dev': 1 event is not in the table, which has room for 8192");
	selves[0].lost = 2;
	check_notice(later(&rig, 1), "'a:b by dev': 2 events are not in the table, which has room for 8192");
	opened.n = 0;
	rig_close(&rig);
}

/* Without the rights to count it does not matter that the names cannot be read. */
START_TEST(tracepoints_that_cannot_be_listed)
{
	struct rig rig;

	counted = (struct counted){ 0 };
	open_traces(&rig, "a:b", NULL);
	rig_remove(&rig, "sys/kernel/tracing/events");
	rig_put(&rig, "sys/kernel/tracing/events", "no directory\n");
	ck_assert(frame_table(later(&rig, 1), "trace")->failed);
	ck_assert_str_eq(env_failed_path(&rig.env, -ENOTDIR), "sys/kernel/tracing/events");
	env_forget_failures(&rig.env);
	test_error = -EACCES; /* something else */
	specs.epoch++;
	ck_assert(frame_table(later(&rig, 1), "trace")->failed);
	ck_assert_str_eq(env_failed_path(&rig.env, -ENOTDIR), "sys/kernel/tracing/events");
	env_forget_failures(&rig.env);
	test_error = -EPERM;
	specs.epoch++;
	ck_assert(frame_table(later(&rig, 1), "trace")->failed);
	ck_assert_ptr_null(env_failed_path(&rig.env, -ENOTDIR));
	test_error = 0;
	rig_close(&rig);
}
