/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that losses are counted to the message, and that nothing is told twice where descriptors run out. */
#include "suite.h"

#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include "topic/event/event_source.h"

#define CHILDREN 1000
#define TOLD (2 * CHILDREN) /* a fork and an exit of each */
#define TINY_BYTES ((size_t)8 * 1024)
#define LARGE_BYTES ((size_t)16 * 1024 * 1024)
#define STACKS_BYTES ((size_t)256 * 1024) /* holds what an exec tells */

static struct env env;
static struct event_source *connector; /* the large one of these */
static struct event_source *perf;
static struct raw_events all; /* that it told */

static void drain_large(void)
{
	if (connector)
		connector->drain(connector, &all, true);
	if (perf)
		perf->drain(perf, &all, true);
}

/* Of the children of this process. */
static uint64_t count_ours(const struct raw_events *events)
{
	uint64_t ours = 0;

	for (size_t i = 0; i < events->count; i++) {
		const struct raw_event *event = &events->list[i];
		ours += (event->kind == EVENT_FORK || event->kind == EVENT_EXIT) &&
			event->parent_pid == (uint32_t)getpid();
	}
	return ours;
}

/*
 * The large one is emptied now and then: others may start many more. The last end may come a moment late.
 * The children stay zombies until then: their pids are not used again, and their exits have their parent.
 */
static void make_children(void)
{
	for (unsigned i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		ck_assert_int_ge(pid, 0);
		if (pid == 0)
			_exit(0);
		ck_assert_int_eq(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0);
		if (i % 50 == 0)
			drain_large();
	}
	for (unsigned i = 0; i < 100 && count_ours(&all) < TOLD; i++) {
		drain_large();
		poll(NULL, 0, 20);
	}
	for (unsigned i = 0; i < CHILDREN; i++)
		ck_assert_int_gt(wait(NULL), 0);
}

/*
 * Both were told the same of our children; what the tiny one lost of others is in the large one. Where nobody
 * else started a process meanwhile the loss is exactly what is missing.
 */
static void compare(const struct raw_events *told, uint64_t tiny_lost, uint64_t received, uint64_t large_lost)
{
	uint64_t ours = count_ours(told), others = received - count_ours(&all);

	if (large_lost > 0 && others > TOLD)
		skip_test("others start too many processes");
	ck_assert_uint_eq(large_lost, 0);
	ck_assert_uint_eq(count_ours(&all), TOLD);
	ck_assert_uint_gt(tiny_lost, TOLD / 2);
	ck_assert_uint_ge(ours + tiny_lost, TOLD);
	ck_assert_uint_le(ours + tiny_lost, TOLD + others);
}

static void close_env(void)
{
	raw_events_free(&all);
	if (perf)
		event_source_close(perf);
	env_close(&env);
}

START_LIVE_TEST(the_connector_counts_its_losses)
{
	struct raw_events told = { 0 };
	struct event_source *tiny;
	uint64_t tiny_lost;
	int error;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	connector = event_connector_open(&env, EVENT_CONNECTOR_ALL, LARGE_BYTES, &error);
	tiny = connector ? event_connector_open(&env, EVENT_CONNECTOR_ALL, TINY_BYTES, &error) : NULL;
	if (!tiny)
		skip_test("proc connector: %s", strerror(-error));
	make_children();
	tiny->drain(tiny, &told, true);
	tiny_lost = tiny->lost(tiny);
	drain_large(); /* what the tiny one missed of others just now */
	compare(&told, tiny_lost, connector->received, connector->lost(connector));
	raw_events_free(&told);
	event_source_close(tiny);
	event_source_close(connector);
	close_env();
}

/* All that happens here happens on one CPU. */
static void stay_here(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((unsigned)sched_getcpu(), &cpus);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

static void open_perf(size_t bytes, const struct trace_set *arguments)
{
	int error;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	perf = event_perf_open(&env, bytes, arguments, &error);
	if (!perf)
		skip_test("perf events: %s", strerror(-error));
}

START_LIVE_TEST(the_rings_count_their_losses)
{
	struct raw_events told = { 0 };
	struct event_source *tiny;
	uint64_t tiny_lost;
	int error;

	stay_here();
	open_perf(LARGE_BYTES, NULL);
	tiny = event_perf_open(&env, TINY_BYTES, NULL, &error);
	if (!tiny)
		skip_test("perf events: %s", strerror(-error));
	make_children();
	tiny->drain(tiny, &told, true);
	tiny_lost = tiny->lost(tiny);
	drain_large();
	compare(&told, tiny_lost, perf->received, perf->lost(perf));
	raw_events_free(&told);
	event_source_close(tiny);
	close_env();
}

/* Do the rings report a process that starts now? */
static bool report_a_child(void)
{
	bool reported;

	drain_large();
	raw_events_drop(&all, all.count);
	if (fork() == 0)
		_exit(0);
	wait(NULL);
	drain_large();
	reported = count_ours(&all) > 0;
	raw_events_drop(&all, all.count);
	return reported;
}

/* Stops its events, as a short time offline between two looks does. */
START_LIVE_TEST(a_cpu_that_was_away_is_watched_again)
{
	int fds[1024];

	open_perf(STACKS_BYTES, NULL);
	perf->follow_cpus(perf);
	perf->follow_cpus(perf);
	ck_assert(report_a_child());
	for (unsigned i = perf->descriptors(perf, fds, 1024); i-- > 0;)
		ck_assert_int_eq(ioctl(fds[i], PERF_EVENT_IOC_DISABLE, 0), 0);
	perf->follow_cpus(perf);
	ck_assert(!report_a_child());
	perf->follow_cpus(perf);
	ck_assert(report_a_child());
	close_env();
}

/* What is told of a program that starts with these arguments; a copy of an event that is in all. */
static struct raw_event exec_of(char *const *arguments)
{
	struct raw_event told = { 0 };
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		execv("/bin/true", arguments);
		_exit(127);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	perf->drain(perf, &all, false);
	for (size_t i = 0; i < all.count; i++)
		if (all.list[i].kind == EVENT_EXEC && all.list[i].pid == (uint32_t)pid)
			told = all.list[i];
	ck_assert_uint_eq(told.pid, (uint32_t)pid);
	return told;
}

#define EXEC_OF(...) exec_of((char *const[]){ __VA_ARGS__, NULL })

/* Where its stack is not in memory just then, or registers do not lead there: fewer, or only the file. */
START_LIVE_TEST(without_bpf_the_tracepoint_tells_arguments_or_the_file)
{
	struct raw_event told;
	int error;

	open_perf(STACKS_BYTES, NULL);
	error = perf->exec_error;
	if (error == -EACCES || error == -EPERM || error == -ENOENT)
		skip_test("tracepoints: %s", strerror(-error));
	ck_assert_int_eq(error, 0);
	told = EXEC_OF("true", "a", "b c");
	ck_assert_ptr_nonnull(told.text);
	if (told.is_command || strncmp(told.text, "true a b c", strlen(told.text)) != 0)
		ck_assert_str_eq(told.text, told.is_command ? "true a b c" : "/bin/true");
	ck_assert_uint_eq(told.program_length, strlen(*told.text == 't' ? "true" : "/bin/true"));
	close_env();
}

/* So that all CPUs have their rings, and some no tracepoint; false where that cannot be. */
static bool open_without_room(void)
{
	struct rlimit limit;
	int error = -EMFILE;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	for (limit.rlim_cur = 4; !perf && error == -EMFILE && limit.rlim_cur < 1024; limit.rlim_cur++) {
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
		perf = event_perf_open(&env, STACKS_BYTES, NULL, &error);
		if (perf && perf->exec_error == -EMFILE && perf->n_cpus > 1)
			return true;
		event_source_close(perf);
		perf = NULL;
		error = error ? error : -EMFILE;
	}
	return false;
}

/* A program that starts on one CPU of those we may use. */
static pid_t exec_on(unsigned cpu)
{
	cpu_set_t cpus;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid != 0)
		return pid;
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) == 0)
		execl("/bin/true", "true", NULL);
	_exit(127);
}

START_LIVE_TEST(an_exec_is_told_once_where_not_all_cpus_have_the_tracepoint)
{
	unsigned n_cpus = (unsigned)sysconf(_SC_NPROCESSORS_CONF);
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(env_open(&env, "/"), 0);
	if (!open_without_room())
		skip_test("no perf events, or one CPU");
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (unsigned cpu = 0; cpu < n_cpus; cpu++) {
		unsigned told = 0;
		pid_t pid = exec_on(cpu);
		int status;

		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		perf->drain(perf, &all, false);
		for (size_t i = 0; i < all.count; i++)
			told += all.list[i].kind == EVENT_EXEC && all.list[i].pid == (uint32_t)pid;
		ck_assert_uint_eq(told, status == 0);
	}
	close_env();
}
