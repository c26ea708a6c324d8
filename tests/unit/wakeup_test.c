/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of wake-ups, timers and exits from idle, with processes that know how often they sleep. */
#include "rig.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "core/unknown.h"
#include "topic/interrupt/wakeup_cause.h"
#include "topic/trace/kernel_names.h"

#define EXITED 20

static const char *const topics_wanted[] = { "wakeup", "timer", "tracing", NULL };
static const char *const causes[] = { "by_timer", "by_device", "by_network", "by_task", "by_kernel" };
enum { TIMER, DEVICE, NETWORK, TASK, KERNEL, ALL, N_NUMBERS };

static struct rig rig;

struct order {
	long count, pause_ns;
};

/* A child that answers to an order how often it has slept since the one before. */
struct child {
	struct ordered_child process;
	void (*work)(const struct child *child, const struct order *order);
	int in, out; /* of its work */
};

static long sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

static const struct child *starting;

static void obey(int orders, int answers)
{
	struct order order;
	long before, slept;

	while (read(orders, &order, sizeof(order)) == sizeof(order)) {
		before = sleeps();
		starting->work(starting, &order);
		slept = sleeps() - before;
		if (write(answers, &slept, sizeof(slept)) != sizeof(slept))
			break;
	}
}

static void start(struct child *child)
{
	starting = child;
	child->process = start_ordered_child(obey, NULL, 0);
}

static void give(const struct child *child, long count, long pause_ns)
{
	const struct order order = { count, pause_ns };

	give_order(&child->process, &order, sizeof(order));
}

/* How often it slept. */
static long answer(const struct child *child)
{
	long slept;

	take_answer(&child->process, &slept, sizeof(slept));
	return slept;
}

static void sleep_often(const struct child *child, const struct order *order)
{
	const struct timespec pause = { .tv_sec = order->pause_ns / 1000000000,
					.tv_nsec = order->pause_ns % 1000000000 };

	(void)child;
	for (long i = 0; i < order->count; i++)
		nanosleep(&pause, NULL);
}

static void serve(const struct child *child, const struct order *order)
{
	char byte = 0;

	for (long i = 0; i < order->count; i++)
		if (read(child->in, &byte, 1) != 1 || write(child->out, &byte, 1) != 1)
			_exit(1);
}

static void ask(const struct child *child, const struct order *order)
{
	char byte = 0;

	for (long i = 0; i < order->count; i++)
		if (write(child->out, &byte, 1) != 1 || read(child->in, &byte, 1) != 1)
			_exit(1);
}

static const void *row_of(uint64_t pid)
{
	const struct table *table = frame_table(rig.now, "wakeup");

	for (size_t i = 0; table && i < table->n_rows; i++)
		if (table_u64(table, table_row(table, i), "pid") == pid)
			return table_row(table, i);
	return NULL;
}

/* 0 in all before it was woken up. */
static void read_numbers(uint64_t pid, uint64_t numbers[N_NUMBERS])
{
	const struct table *table = frame_table(rig.now, "wakeup");
	const void *row = row_of(pid);

	for (unsigned i = 0; i < N_NUMBERS; i++)
		numbers[i] = row ? table_u64(table, row, i == ALL ? "wakeups" : causes[i]) : 0;
}

static void read_growth(uint64_t pid, uint64_t numbers[N_NUMBERS])
{
	uint64_t before[N_NUMBERS];

	memcpy(before, numbers, sizeof(before));
	read_numbers(pid, numbers);
	for (unsigned i = 0; i < N_NUMBERS; i++)
		numbers[i] -= before[i];
}

/* What may not be counted: the kernel runs no program while this CPU is in another one, or in a map. */
struct uncounted {
	uint64_t lost;     /* what the programs of the topic know of */
	uint64_t first_ns; /* of the first process: a sandbox's kernel may run no programs meanwhile */
};

static struct uncounted uncounted_of(const char *topic)
{
	const struct table *table = frame_table(rig.now, "tracing");
	struct uncounted uncounted = { 0 };

	for (size_t i = 0; table && i < table->n_rows; i++)
		if (strcmp(table_text(table, table_row(table, i), "topic"), topic) == 0)
			uncounted.lost += table_u64(table, table_row(table, i), "lost");
	if (!clock_process_cpu_ns(&real_clock, 1, &uncounted.first_ns))
		uncounted.first_ns = 0;
	return uncounted;
}

/* Of this many, since then; the first process meets more timers than its time alone would let expect. */
static uint64_t missed_of(long count, struct uncounted before, const char *topic)
{
	struct uncounted now = uncounted_of(topic);

	return now.lost - before.lost + (now.first_ns > before.first_ns ? (uint64_t)count / 10 : 0);
}

/* All but one or two are of this cause, as an order wakes it up, too; missed: that may not be counted. */
static void check_cause(const uint64_t numbers[N_NUMBERS], unsigned cause, long count, uint64_t missed)
{
	ck_assert_msg(numbers[cause] + 1 + missed >= (uint64_t)count && numbers[ALL] <= (uint64_t)count + 2,
		      "of %ld: %d timer, %d device, %d network, %d task, %d kernel", count,
		      (int)numbers[TIMER], (int)numbers[DEVICE], (int)numbers[NETWORK], (int)numbers[TASK],
		      (int)numbers[KERNEL]);
}

/* Opens it, or skips the test where that is not permitted. */
static void open_counting(bool batch)
{
	const struct table *table;

	rig_open_live(&rig, topics_wanted);
	rig.request.batch = batch;
	rig_next(&rig);
	table = frame_table(rig.now, "wakeup");
	if (table && table->n_rows > 0 &&
	    strcmp(table_text(table, table_row(table, 0), "how"), "bpf") != 0) {
		rig_close(&rig);
		skip_test("BPF is not permitted, or this kernel is too old");
	}
}

START_LIVE_TEST(a_ticker_is_woken_up_by_timers_as_often_as_it_sleeps)
{
	static const struct order loads[] = { { 2, 1000000000 }, { 50, 10000000 }, { 400, 1000000 } };
	struct child ticker = { .work = sleep_often };
	uint64_t numbers[N_NUMBERS];

	start(&ticker);
	open_counting(false);
	for (unsigned i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) { /* of 1, 100, 1000 Hz */
		struct uncounted before = uncounted_of("wakeup");
		long slept;

		read_numbers((uint64_t)ticker.process.pid, numbers);
		give(&ticker, loads[i].count, loads[i].pause_ns);
		slept = answer(&ticker);
		rig_next(&rig);
		read_growth((uint64_t)ticker.process.pid, numbers);
		check_cause(numbers, TIMER, loads[i].count, missed_of(loads[i].count, before, "wakeup"));
		ck_assert_int_le(slept, loads[i].count + 2);
		ck_assert_uint_le(numbers[TASK], 1); /* by the order */
		ck_assert_uint_eq(numbers[DEVICE] + numbers[NETWORK] + numbers[KERNEL], 0);
	}
	end_ordered_child(&ticker.process);
	rig_close(&rig);
}

/* Two children of one CPU that wait for each other's bytes; one that is preempted need not sleep. */
static void check_pair(const int asks[2], const int serves[2], unsigned cause)
{
	const long count = 1000;
	long asking_slept, serving_slept;
	struct child asking = { .work = ask, .in = asks[0], .out = asks[1] };
	struct child serving = { .work = serve, .in = serves[0], .out = serves[1] };
	uint64_t of_asking[N_NUMBERS], of_serving[N_NUMBERS];
	cpu_set_t before, one;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	CPU_SET((unsigned)sched_getcpu(), &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	start(&serving);
	start(&asking);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(before), &before), 0);
	open_counting(false);
	read_numbers((uint64_t)asking.process.pid, of_asking);
	read_numbers((uint64_t)serving.process.pid, of_serving);
	give(&serving, count, 0);
	give(&asking, count, 0);
	asking_slept = answer(&asking);
	serving_slept = answer(&serving);
	rig_next(&rig);
	read_growth((uint64_t)asking.process.pid, of_asking);
	read_growth((uint64_t)serving.process.pid, of_serving);
	ck_assert_int_ge(asking_slept + serving_slept, count);
	check_cause(of_asking, cause, asking_slept, 0);
	check_cause(of_serving, cause, serving_slept, 0);
	close(asking.in);
	end_ordered_child(&asking.process);
	end_ordered_child(&serving.process);
	rig_close(&rig);
}

START_LIVE_TEST(a_pair_over_pipes_is_woken_up_by_tasks)
{
	int there[2], back[2];

	ck_assert_int_eq(pipe(there), 0);
	ck_assert_int_eq(pipe(back), 0);
	check_pair((int[]){ back[0], there[1] }, (int[]){ there[0], back[1] }, TASK);
}

/* A socket that sends to the other, and receives from it. */
static void connect_to(int socket, int other)
{
	struct sockaddr_in address;
	socklen_t length = sizeof(address);

	ck_assert_int_eq(getsockname(other, (struct sockaddr *)&address, &length), 0);
	ck_assert_int_eq(connect(socket, (struct sockaddr *)&address, length), 0);
}

START_LIVE_TEST(a_pair_over_loopback_is_woken_up_by_the_network)
{
	const struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int one = socket(AF_INET, SOCK_DGRAM, 0), other = socket(AF_INET, SOCK_DGRAM, 0);

	ck_assert_int_eq(bind(one, (const struct sockaddr *)&any, sizeof(any)), 0);
	ck_assert_int_eq(bind(other, (const struct sockaddr *)&any, sizeof(any)), 0);
	connect_to(one, other);
	connect_to(other, one);
	check_pair((int[]){ one, one }, (int[]){ other, other }, NETWORK);
	close(other);
}

/* Those that this process armed, of the function that wakes up who sleeps. */
static uint64_t timers_of(uint64_t pid, const char *column)
{
	const struct table *table = frame_table(rig.now, "timer");

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (table_u64(table, row, "pid") == pid &&
		    strcmp(table_text(table, row, "function"), "hrtimer_wakeup") == 0)
			return table_u64(table, row, column);
	}
	return 0;
}

START_LIVE_TEST(timers_belong_to_the_process_that_arms_them)
{
	struct child ticker = { .work = sleep_often };
	const struct table *table;
	struct uncounted before;
	uint64_t fired, armed;

	if (!is_root())
		skip_test("names of functions need root");
	start(&ticker);
	open_counting(true);
	before = uncounted_of("timer");
	give(&ticker, 200, 1000000);
	answer(&ticker);
	rig_next(&rig);
	rig_next(&rig);
	fired = timers_of((uint64_t)ticker.process.pid, "fired");
	armed = timers_of((uint64_t)ticker.process.pid, "armed");
	ck_assert_uint_ge(fired + missed_of(200, before, "timer"), 199);
	ck_assert_uint_le(fired, 200);
	ck_assert_uint_ge(armed + missed_of(200, before, "timer"), 200);
	ck_assert_uint_le(armed, 201);
	table = frame_table(rig.now, "timer");
	for (size_t i = 0; i < table->n_rows; i++) /* ticks interrupt it, and are not its own */
		ck_assert(table_u64(table, table_row(table, i), "pid") != (uint64_t)ticker.process.pid ||
			  !strstr(table_text(table, table_row(table, i), "function"), "tick"));
	end_ordered_child(&ticker.process);
	rig_close(&rig);
}

static uint64_t sum_of_idle(const char *topic, const char *column, bool of_all)
{
	const struct table *table = frame_table(rig.now, topic);
	uint64_t sum = 0;

	for (size_t i = 0; table && i < table->n_rows; i++)
		if ((strcmp(table_text(table, table_row(table, i), "cpu"), "all") == 0) == of_all)
			sum += table_u64(table, table_row(table, i), column);
	return sum;
}

/* The kernel counts how often it entered an idle state. */
#define IDLE_ROUNDS 8

static bool is_near(uint64_t exits, uint64_t entries)
{
	uint64_t margin = entries / 10 + 2 * env_cpus();

	return exits <= entries + margin && entries <= exits + margin;
}

/* The two are not read at one moment: on a busy machine a round may have some of one alone. */
START_LIVE_TEST(exits_from_idle_are_as_many_as_entries)
{
	const struct order naps = { 300, 1000000 };
	uint64_t entries = 0, exits = 0;

	rig_open_live(&rig, TOPICS("idle_exit", "idle_state"));
	rig_next(&rig);
	if (frame_table(rig.now, "idle_state")->n_rows == 0 ||
	    frame_table(rig.now, "idle_exit")->n_rows == 0) {
		rig_close(&rig);
		skip_test("no idle states, or BPF is not permitted");
	}
	for (int i = 0; i < IDLE_ROUNDS && (i == 0 || !is_near(exits, entries)); i++) {
		entries = sum_of_idle("idle_state", "entries", false);
		exits = sum_of_idle("idle_exit", "exits", false);
		sleep_often(NULL, &naps);
		rig_next(&rig);
		entries = sum_of_idle("idle_state", "entries", false) - entries;
		exits = sum_of_idle("idle_exit", "exits", false) - exits;
	}
	ck_assert_uint_eq(sum_of_idle("idle_exit", "exits", true), sum_of_idle("idle_exit", "exits", false));
	ck_assert_msg(is_near(exits, entries), "%llu exits, %llu entries", (unsigned long long)exits,
		      (unsigned long long)entries);
	rig_close(&rig);
}

/* More than is read at once, so that lines are cut between two reads. */
static void write_symbols(const char *root, unsigned count, uint64_t first)
{
	FILE *file;

	ck_assert(mkdir(textf("%s/proc", root), 0755) == 0 || errno == EEXIST);
	file = fopen(textf("%s/proc/kallsyms", root), "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "0000000000000000 A fixed_percpu_data\nnonsense\n%016llx D data_here\n",
		(unsigned long long)first);
	for (unsigned i = 0; i < count; i++)
		fprintf(file, "%016llx t function_%u%s\n", (unsigned long long)(first ? first + i * 16 : 0),
			i, i % 2 ? "\t[module]" : "");
	fclose(file);
}

START_TEST(functions_have_names_by_address)
{
	const uint64_t first = UINT64_C(0xffffffff81000000);
	char root[SCRATCH_PATH_MAX];
	struct function_names names;
	struct env env;
	size_t at[3];

	scratch_directory(root, "symbols");
	write_symbols(root, 9000, first);
	ck_assert_int_eq(env_open(&env, root), 0);
	ck_assert_int_eq(function_names_test(&env), 0);
	function_names_open(&names, &env);
	at[0] = function_names_find(&names, first);
	at[1] = function_names_find(&names, first + 8999 * 16);
	at[2] = function_names_find(&names, first + 8);
	function_names_update(&names, true);
	ck_assert_str_eq(names.list[at[0]].name, "function_0");
	ck_assert_str_eq(names.list[at[1]].name, "function_8999");
	ck_assert_int_eq(names.list[at[2]].state, FUNCTION_UNKNOWN);
	ck_assert_int_eq(names.error, 0);
	ck_assert_uint_eq(function_names_find(&names, first), at[0]);
	function_names_close(&names);
	write_symbols(root, 10, 0); /* as other users see them */
	ck_assert_int_eq(function_names_test(&env), -EACCES);
	function_names_open(&names, &env);
	at[0] = function_names_find(&names, first);
	function_names_update(&names, false);
	ck_assert_int_eq(names.list[at[0]].state, FUNCTION_UNKNOWN);
	ck_assert_int_eq(names.error, -EACCES);
	function_names_close(&names);
	env_close(&env);
}

/* A slice in each update; what is wanted meanwhile is found if it comes later, else in the next pass. */
START_TEST(functions_are_sought_in_slices_as_they_are_wanted)
{
	const uint64_t first = UINT64_C(0xffffffff81000000);
	char root[SCRATCH_PATH_MAX], path[SCRATCH_PATH_MAX + 32];
	struct function_names names;
	unsigned n_updates = 0;
	size_t at[5];
	struct env env;
	FILE *file;

	scratch_directory(root, "symbols");
	ck_assert_int_eq(env_open(&env, root), 0);
	function_names_open(&names, &env);
	function_names_update(&names, true); /* nothing is wanted */
	ck_assert_int_eq(names.error, 0);
	at[0] = function_names_find(&names, first + 16);
	function_names_update(&names, true);
	ck_assert_int_eq(names.error, -ENOENT);
	ck_assert_int_eq(names.list[at[0]].state, FUNCTION_UNKNOWN);
	ck_assert_uint_eq(names.n_new, 0);
	write_symbols(root, 100000, first); /* more than the 40 times 64 KiB of a slice */
	env.tick++;
	function_names_update(&names, true);
	ck_assert_int_eq(names.list[at[0]].state, FUNCTION_UNKNOWN); /* it was sought */
	at[1] = function_names_find(&names, first + 2 * 16);
	ck_assert_int_eq(names.list[at[1]].state, FUNCTION_NEW);
	ck_assert_uint_eq(names.n_new, 1);
	function_names_update(&names, false);
	ck_assert_int_ge(names.fd, 0);
	ck_assert_int_eq(names.error, 0);
	ck_assert_str_eq(names.list[at[1]].name, "function_2");
	ck_assert_str_eq(names.list[at[0]].name, "function_1"); /* by the way */
	at[2] = function_names_find(&names, first + 99999 * 16);
	at[3] = function_names_find(&names, first + 3 * 16); /* that was passed */
	at[4] = function_names_find(&names, first + 7);
	ck_assert_uint_eq(names.n_new, 3);
	while (names.fd >= 0 && n_updates++ < 100)
		function_names_update(&names, false);
	ck_assert_uint_le(n_updates, 2);
	ck_assert_str_eq(names.list[at[2]].name, "function_99999");
	ck_assert_int_eq(names.list[at[3]].state, FUNCTION_NEW);
	ck_assert_uint_eq(names.n_new, 2);
	function_names_update(&names, true);
	ck_assert_int_lt(names.fd, 0);
	ck_assert_str_eq(names.list[at[3]].name, "function_3");
	ck_assert_int_eq(names.list[at[4]].state, FUNCTION_UNKNOWN);
	ck_assert_str_eq(names.list[at[1]].name, "function_2");
	ck_assert_uint_eq(names.count, 5);
	for (size_t i = 0; i < 5; i++)
		ck_assert_uint_eq(function_names_find(&names, names.list[i].address), i);
	function_names_close(&names);

	snprintf(path, sizeof(path), "%s/proc/kallsyms", root);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file,
		"%016llx t first_of_two\n%016llx t second_of_two\n%016llx t %070d\n%070000d\n%016llx t "
		"never\n",
		(unsigned long long)first, (unsigned long long)first, (unsigned long long)first + 16, 0, 0,
		(unsigned long long)first + 32);
	fclose(file);
	function_names_open(&names, &env);
	for (unsigned i = 0; i < 3; i++)
		function_names_find(&names, first + (uint64_t)i * 16);
	function_names_update(&names, true);
	ck_assert_str_eq(names.list[0].name, "first_of_two");
	ck_assert_uint_eq(strlen(names.list[1].name), FUNCTION_NAME_BYTES - 1);
	ck_assert_int_eq(names.list[2].state, FUNCTION_UNKNOWN); /* behind a line that is none */
	function_names_close(&names);

	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "%016llx D data_only\n", (unsigned long long)first);
	fclose(file);
	ck_assert_int_eq(function_names_test(&env), -ENODATA);
	unlink(path);
	ck_assert_int_eq(function_names_test(&env), -ENOENT);
	env_close(&env);
}

START_LIVE_TEST(causes_add_up_to_wakeups)
{
	open_counting(false);
	for (unsigned tick = 0; tick < 5; tick++) {
		const struct table *table;

		nanosleep(&(const struct timespec){ .tv_nsec = 20000000 }, NULL);
		rig_next(&rig);
		table = frame_table(rig.now, "wakeup");
		ck_assert_uint_gt(table->n_rows, 0);
		for (size_t i = 0; i < table->n_rows; i++) {
			const void *row = table_row(table, i);
			uint64_t sum = 0, all = table_u64(table, row, "wakeups");

			for (unsigned cause = 0; cause < ALL; cause++)
				sum += table_u64(table, row, causes[cause]);
			ck_assert_uint_eq(sum, all);
			ck_assert_uint_le(table_u64(table, row, "from_idle"), all);
		}
	}
	rig_close(&rig);
}

START_LIVE_TEST(what_exited_processes_did_stays_in_a_row)
{
	const struct order naps = { 10, 1000000 };
	uint64_t numbers[N_NUMBERS];

	open_counting(false);
	read_numbers(0, numbers);
	for (unsigned i = 0; i < EXITED; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			sleep_often(NULL, &naps);
			_exit(0);
		}
		if (i == EXITED / 2)
			rig_next(&rig); /* this one was listed */
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	}
	rig_next(&rig);
	read_growth(0, numbers);
	ck_assert_uint_ge(numbers[TIMER], (EXITED - 1) * 10);
	rig_close(&rig);
}

START_LIVE_TEST(without_bpf_sleeps_are_counted_without_their_cause)
{
	struct child ticker = { .work = sleep_often };
	uint64_t before, after;
	long slept;

	start(&ticker);
	give(&ticker, 1, 1000000);
	answer(&ticker);
	rig_open_live(&rig, topics_wanted);
	rig.request.no_bpf = true;
	rig_next(&rig);
	ck_assert_str_eq(table_text(frame_table(rig.now, "wakeup"), row_of((uint64_t)ticker.process.pid),
				    "how"), "proc");
	before = table_u64(frame_table(rig.now, "wakeup"), row_of((uint64_t)ticker.process.pid), "wakeups");
	give(&ticker, 100, 1000000);
	slept = answer(&ticker);
	rig_next(&rig);
	after = table_u64(frame_table(rig.now, "wakeup"), row_of((uint64_t)ticker.process.pid), "wakeups");
	ck_assert_uint_ge(after, before + (uint64_t)slept);
	ck_assert_uint_le(after, before + (uint64_t)slept + 2);
	ck_assert_uint_eq(table_u64(frame_table(rig.now, "wakeup"), row_of((uint64_t)ticker.process.pid),
				    "by_timer"),
			  U64_UNKNOWN);
	end_ordered_child(&ticker.process);
	rig_close(&rig);
}

START_TEST(the_innermost_is_the_cause)
{
	enum { TIMERS = 1 << 1, NET_RX = 1 << 3, BLOCK = 1 << 4, RCU = 1 << 9 };
	const uint64_t irq = UINT64_C(1) << MARK_IRQ, hrtimer = UINT64_C(1) << MARK_HRTIMER;

	ck_assert_int_eq(wakeup_cause_of(0, false), CAUSE_TASK);
	ck_assert_int_eq(wakeup_cause_of(0, true), CAUSE_KERNEL);
	ck_assert_int_eq(wakeup_cause_of(hrtimer, true), CAUSE_TIMER);
	ck_assert_int_eq(wakeup_cause_of(TIMERS, true), CAUSE_TIMER);
	ck_assert_int_eq(wakeup_cause_of(TIMERS | irq, true), CAUSE_DEVICE);
	ck_assert_int_eq(wakeup_cause_of(NET_RX, false), CAUSE_NETWORK);
	ck_assert_int_eq(wakeup_cause_of(NET_RX | hrtimer, false), CAUSE_TIMER);
	ck_assert_int_eq(wakeup_cause_of(NET_RX | UINT64_C(1) << MARK_CALL, false), CAUSE_KERNEL);
	ck_assert_int_eq(wakeup_cause_of(BLOCK, false), CAUSE_DEVICE);
	ck_assert_int_eq(wakeup_cause_of(RCU, false), CAUSE_KERNEL);
}
