/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the exit reader on the kernel that runs them; where it may not be asked they say so and pass. */
#include "suite.h"

#include <limits.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "topic/process/exit_ledger.h"
#include "topic/process/exit_reader.h"

#define CHILDREN 50
#define THREADS 3
#define MS_NS UINT64_C(1000000)
#define BURN_NS (5 * MS_NS)
#define TICKS_ERROR 0.2 /* a millisecond of each child */
#define CHILD_NAME "exit test) 7"

/* What was told of the children with these pids. */
struct told {
	pid_t pids[CHILDREN];
	size_t n_pids;
	uint64_t records, threads, named, cpu_ns;
	uint32_t exit_code;
	uint16_t version;
};

static void note(void *context, const struct exit_record *record)
{
	struct told *told = context;

	for (size_t i = 0; i < told->n_pids; i++) {
		if (record->tid != (uint32_t)told->pids[i] && record->tgid != (uint32_t)told->pids[i])
			continue;
		told->records += record->tid == (uint32_t)told->pids[i];
		told->threads += record->tgid == (uint32_t)told->pids[i];
		told->named += strcmp(record->comm, CHILD_NAME) == 0 && record->uid == getuid();
		told->cpu_ns += record->cpu_ns;
		told->exit_code = record->exit_code;
		told->version = record->version;
	}
}

static char told_names[256];

static void ignore(void *context, const struct exit_record *record)
{
	(void)context;
	(void)record;
}

static struct env env;
static struct exit_reader *reader;

static void open_reader(void)
{
	int error = 0;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	reader = exit_reader_open(&env, &error);
	if (!reader) {
		ck_assert(error == -EPERM || error == -ENOENT || error == -EINVAL || error == -ENETUNREACH ||
			  error == -EPROTONOSUPPORT);
		skip_test("no exit records: %s", strerror(-error));
	}
}

static void close_reader(void)
{
	exit_reader_close(reader);
	env_close(&env);
}

/* By the wall clock: who asks for CPU time makes the scheduler act between ticks, and ticks miss him then. */
static void burn(uint64_t ns)
{
	uint64_t start = real_mono_ns(), now;

	do
		now = real_mono_ns();
	while (now - start < ns);
}

static void *thread_main(void *argument)
{
	burn(MS_NS);
	return argument;
}

static _Noreturn void threaded_child(void)
{
	pthread_t threads[THREADS];

	prctl(PR_SET_NAME, CHILD_NAME);
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread_main, NULL) != 0)
			_exit(1);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(7);
}

/* CPU time of the child by wait4(). */
static uint64_t reap(pid_t pid, int status)
{
	struct rusage usage;
	int ended;

	ck_assert_int_eq(wait4(pid, &ended, 0, &usage), pid);
	ck_assert_int_eq(ended, status);
	return ((uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
		(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)) * 1000;
}

/* One after the other; their CPU time by wait4(). */
static uint64_t run_children(struct told *told)
{
	uint64_t used_ns = 0;

	for (; told->n_pids < CHILDREN; told->n_pids++) {
		pid_t pid = begin_child();

		if (pid == 0) {
			prctl(PR_SET_NAME, CHILD_NAME);
			burn(BURN_NS);
			_exit(3);
		}
		told->pids[told->n_pids] = pid;
		used_ns += reap(pid, 3 << 8);
	}
	return used_ns;
}

/* How far what is told of the children is from what wait4() says, as a part of that. */
static double run_and_compare(void)
{
	struct told told = { 0 };
	double used_ns = (double)run_children(&told);

	exit_reader_drain(reader, note, &told);
	ck_assert_uint_eq(told.records, CHILDREN);
	ck_assert_uint_eq(told.named, CHILDREN);
	ck_assert_uint_eq(told.exit_code, 3 << 8);
	ck_assert_uint_eq(exit_reader_lost(reader), 0);
	return fabs((double)told.cpu_ns - used_ns) / used_ns;
}

/*
 * The records count ticks, wait4() the scheduler's time. Ticks are no fair sample where others want the same
 * CPU, since these switch the tasks, too, and they are lost where a hypervisor takes the CPU away: then the
 * sum says only that the right field was read in its unit.
 */
START_LIVE_TEST(every_exit_is_told_with_its_cpu_time)
{
	double least = 1;

	open_reader();
	for (int attempt = 0; attempt < 8 && least > TICKS_ERROR; attempt++)
		least = fmin(least, run_and_compare());
	ck_assert_double_le(least, 0.9);
	if (least > TICKS_ERROR)
		skip_test("the machine is busy");
	close_reader();
}

START_LIVE_TEST(threads_carry_their_process)
{
	struct told told = { .n_pids = 1 };

	open_reader();
	told.pids[0] = fork();
	ck_assert_int_ge(told.pids[0], 0);
	if (told.pids[0] == 0)
		threaded_child();
	reap(told.pids[0], 7 << 8);
	exit_reader_drain(reader, note, &told);
	ck_assert_uint_eq(told.records, 1);
	ck_assert_uint_eq(exit_reader_lost(reader), 0);
	if (told.version < 12)
		skip_test("taskstats of version %u has no tgid", told.version);
	ck_assert_uint_eq(told.threads, THREADS + 1);
	close_reader();
}

static void end_named(struct told *told, const char *name)
{
	pid_t pid = begin_child();

	if (pid == 0) {
		prctl(PR_SET_NAME, name);
		_exit(0);
	}
	reap(pid, 0);
	told->pids[told->n_pids++] = pid;
}

static void note_name(void *context, const struct exit_record *record)
{
	const struct told *told = context;
	bool ours = false;

	for (size_t i = 0; i < told->n_pids; i++)
		ours |= record->tid == (uint32_t)told->pids[i];
	if (ours)
		strcat(strcat(told_names, record->comm), ";");
}

#define N_NAMES 100 /* of fourteen bytes, which take most instructions */

/* Another reader, which is opened when the filter is made, is told of all. */
START_LIVE_TEST(only_exits_of_these_names_are_told)
{
	static char names[N_NAMES][16];
	struct exit_reader *other;
	struct told told = { 0 };
	int error;

	for (unsigned i = 0; i < N_NAMES - 1; i++)
		snprintf(names[i], sizeof(names[i]), "narrow-name-%02u", i);
	strcpy(names[N_NAMES - 1], "sh");
	open_reader();
	error = exit_reader_narrow(reader, names, N_NAMES);
	if (error == -ENODATA)
		skip_test("records do not say which thread is the first one");
	ck_assert_int_eq(error, 0);
	other = exit_reader_open(&env, &error);
	ck_assert_ptr_nonnull(other);
	exit_reader_drain(reader, ignore, NULL); /* of before */
	end_named(&told, "narrow-name-00");
	end_named(&told, "narrow-name-99"); /* no such name */
	end_named(&told, "narrow-name-0");
	end_named(&told, "narrow-name-000");
	end_named(&told, "sh");
	end_named(&told, "s");
	end_named(&told, "shh");
	end_named(&told, "narrow-name-98");
	end_named(&told, "marrow-name-01");
	exit_reader_drain(reader, note_name, &told);
	ck_assert_str_eq(told_names, "narrow-name-00;sh;narrow-name-98;");
	told_names[0] = '\0';
	exit_reader_drain(other, note_name, &told);
	ck_assert_str_eq(told_names, "narrow-name-00;narrow-name-99;narrow-name-0;narrow-name-000;sh;s;shh;"
				     "narrow-name-98;marrow-name-01;");
	exit_reader_close(other);
	close_reader();
}

#define PHASES 100

static uint64_t coarse_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Wakes shortly before each tick, and sleeps again right after it. */
static _Noreturn void run_along_with_ticks(uint64_t tick_ns)
{
	for (int i = 0; i < PHASES; i++) {
		uint64_t last = coarse_ns(), next;
		struct timespec wake;

		while (coarse_ns() == last && i > 0)
			;
		next = real_mono_ns() + tick_ns - tick_ns / 8;
		wake = (struct timespec){ .tv_sec = (time_t)(next / 1000000000),
					  .tv_nsec = (long)(next % 1000000000) };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
	}
	_exit(3);
}

struct estimate {
	uint64_t pid, tick_ns, cpu_ns, ticks_ns;
};

static void add_estimate(void *context, const struct exit_record *record)
{
	struct estimate *estimate = context;

	if (record->tid != estimate->pid)
		return;
	estimate->cpu_ns = exit_record_cpu_ns(record, estimate->tick_ns);
	estimate->ticks_ns = record->cpu_ns;
}

/* wait4() is told the scheduler's time at the very end: at least that in the record. */
START_LIVE_TEST(a_thread_that_runs_along_with_ticks_ran_no_longer)
{
	struct estimate estimate = { .tick_ns = exit_reader_tick_ns(&env) };
	uint64_t used_ns;
	pid_t pid = fork();

	open_reader();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		run_along_with_ticks(estimate.tick_ns);
	estimate.pid = (uint64_t)pid;
	used_ns = reap(pid, 3 << 8);
	exit_reader_drain(reader, add_estimate, &estimate);
	ck_assert_uint_gt(estimate.cpu_ns, 0);
	ck_assert_uint_le(estimate.cpu_ns, used_ns + estimate.tick_ns + 1000);
	close_reader();
	if (estimate.ticks_ns < 2 * used_ns + estimate.tick_ns)
		skip_test("ticks counted %.3f s of %.3f s", (double)estimate.ticks_ns * 1e-9,
			  (double)used_ns * 1e-9);
}

START_TEST(ticks_are_bounded_by_the_scheduler)
{
	static const struct {
		struct exit_record record; /* in ms, as what comes of it */
		uint64_t cpu_ms;
	} cases[] = {
		{ { .cpu_ns = 1128, .run_ns = 300, .elapsed_ns = 4000, .queued_ns = 10, .sleeps = 300 },
		  304 },
		{ { .cpu_ns = 302, .run_ns = 300, .elapsed_ns = 4000, .queued_ns = 10, .sleeps = 300 }, 302 },
		{ { .cpu_ns = 0, .run_ns = 300, .elapsed_ns = 4000, .queued_ns = 10, .sleeps = 300 }, 300 },
		{ { .cpu_ns = 1128, .run_ns = U64_UNKNOWN, .elapsed_ns = 4000, .sleeps = 300 },
		  1128 }, /* ticks are all there is */
		{ { .cpu_ns = 0, .run_ns = 1, .elapsed_ns = 5, .queued_ns = 2 }, 3 }, /* it never slept */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct exit_record record = cases[i].record;

		record.cpu_ns *= MS_NS;
		record.run_ns = record.run_ns == U64_UNKNOWN ? U64_UNKNOWN : record.run_ns * MS_NS;
		record.elapsed_ns *= MS_NS;
		record.queued_ns *= MS_NS;
		ck_assert_uint_eq(exit_record_cpu_ns(&record, 4 * MS_NS), cases[i].cpu_ms * MS_NS);
	}
}

/* A ledger of this machine. */
static struct {
	struct env env;
	struct sample_request request;
	struct sample sample;
	struct exit_ledger *ledger;
} books;

static void open_books(bool need_records)
{
	ck_assert_int_eq(env_open(&books.env, "/"), 0);
	books.sample = (struct sample){ .env = &books.env,
					 .settings = usual_settings(), .request = &books.request };
	books.ledger = reader_open(&exit_ledger_reader, &books.sample, NULL);
	if (need_records && !books.ledger->reader)
		skip_test("no exit records: %s", strerror(-books.ledger->reader_error));
	ck_assert_int_eq(reader_update(&exit_ledger_reader, &books.sample), 0);
}

static void next_tick_of(void)
{
	books.env.tick++;
	ck_assert_int_eq(reader_update(&exit_ledger_reader, &books.sample), 0);
}

static void close_books(void)
{
	reader_close(&exit_ledger_reader, &books.env);
	env_close(&books.env);
}

static struct exited_command *command_of(const char *name)
{
	for (size_t i = 0; i < books.ledger->n_commands; i++)
		if (strcmp(books.ledger->commands[i].name, name) == 0)
			return &books.ledger->commands[i];
	return NULL;
}

static uint64_t exits_of(const char *name)
{
	const struct exited_command *command = command_of(name);

	return command ? command->exits : 0;
}

/* A child with this name, a thread that exits before it, and this code. */
static pid_t start_with_code(const char *name, int code)
{
	pthread_t thread;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_NAME, name);
	if (pthread_create(&thread, NULL, thread_main, NULL) != 0)
		_exit(1);
	pthread_join(thread, NULL);
	_exit(code);
}

/* A child of each name begins and exits, and the ledger is updated. */
static void exit_both(void)
{
	reap(start_with_code(CHILD_NAME, 0), 0);
	reap(start_with_code("other", 0), 0);
	usleep(20000);
	next_tick_of();
}

/* An unknown number stays unknown: a further exit does not make it known. */
START_LIVE_TEST(an_unknown_number_of_exits_stays_unknown)
{
	struct exited_command *other = NULL;
	uint64_t before;

	open_books(false);
	for (int wait = 0; !(other && command_of(CHILD_NAME)) && wait < 50; wait++) {
		exit_both();
		other = command_of("other");
	}
	if (!other || !command_of(CHILD_NAME) || other->exits == U64_UNKNOWN)
		skip_test("neither exit records nor events");
	before = other->exits;
	command_of(CHILD_NAME)->exits = U64_UNKNOWN;
	/* cppcheck-suppress knownConditionTrueFalse */
	for (int wait = 0; other->exits == before && wait < 50; wait++)
		exit_both();
	ck_assert_uint_gt(other->exits, before);
	ck_assert_uint_eq(command_of(CHILD_NAME)->exits, U64_UNKNOWN);
	close_books();
}

static void *exec_nothing(void *path)
{
	execl(path, path, NULL);
	_exit(127);
}

/* tests/nothing by a name of its own, as others run it, too. */
static void link_nothing(char *link, size_t room, char name[static 16])
{
	char path[PATH_MAX], directory[SCRATCH_PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 32);

	ck_assert_int_gt(length, 0);
	path[length] = '\0';
	strcpy(strrchr(path, '/'), "/../nothing");
	scratch_directory(directory, "exits");
	snprintf(name, 16, "once-%d", getpid());
	snprintf(link, room, "%s/%s", directory, name);
	ck_assert_int_eq(symlink(path, link), 0);
}

/* A child whose second thread executes this. */
static pid_t start_exec_of_thread(char *path)
{
	pthread_t thread;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (pthread_create(&thread, NULL, exec_nothing, path) != 0)
		_exit(1);
	for (;;)
		pause();
}

/* Such an exec ends the first thread, but not the process. */
START_LIVE_TEST(a_process_exits_once)
{
	char path[PATH_MAX], name[16];

	link_nothing(path, sizeof(path), name);
	open_books(true);
	for (int i = 0; i < CHILDREN; i++)
		reap(start_exec_of_thread(path), 0);
	next_tick_of();
	ck_assert_uint_eq(exits_of(name), CHILDREN);
	close_books();
}

START_LIVE_TEST(exits_with_a_code_are_failures)
{
	const char *name = textf("code-%d", getpid());

	open_books(true);
	for (int i = 0; i < CHILDREN; i++)
		reap(start_with_code(name, i % 5 == 0 ? 3 : 0), i % 5 == 0 ? 3 << 8 : 0);
	next_tick_of();
	ck_assert_uint_eq(exits_of(name), CHILDREN);
	ck_assert_uint_eq(command_of(name)->failures, CHILDREN / 5);
	close_books();
}

/* Between the clocks of the processes and the end of a sample a busy machine may lose a second. */
START_LIVE_TEST(what_ends_after_the_clocks_is_of_the_next_tick)
{
	const char *name = textf("late-%d", getpid()), *seen = textf("seen-%d", getpid());
	int hold[2], ready[2];
	char byte = 'x';
	pid_t pid;

	ck_assert_int_eq(pipe(hold) | pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_NAME, seen);
		close(hold[1]);
		_exit(write(ready[1], &byte, 1) == 1 && read(hold[0], &byte, 1) == 0 ? 0 : 1);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	open_books(true);
	books.env.tick++;
	reap(start_with_code(name, 0), 0);
	ck_assert_int_eq(reader_update(&process_reader, &books.sample), 0);
	reap(start_with_code(name, 0), 0);
	close(hold[1]); /* the list has it alive */
	reap(pid, 0);
	ck_assert_int_eq(reader_update(&exit_ledger_reader, &books.sample), 0);
	ck_assert_uint_eq(exits_of(name), 1);
	ck_assert_uint_eq(exits_of(seen), 0);
	for (int i = 0; i < 2; i++) {
		next_tick_of();
		ck_assert_uint_eq(exits_of(name), 2);
		ck_assert_uint_eq(exits_of(seen), 1);
	}
	close_books();
}

START_TEST(only_of_the_live_machine)
{
	int error = 0;

	ck_assert_int_eq(env_open(&env, fixture_root("linux-6.1", 0)), 0);
	ck_assert_ptr_null(exit_reader_open(&env, &error));
	ck_assert_int_eq(error, -ENOTSUP);
	exit_reader_close(NULL);
	env_close(&env);
}
