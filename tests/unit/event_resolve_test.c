/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of joining what sources tell with the processes, and of choosing among it, on a machine made up here.
 */
#include <config.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/unknown.h"
#include "suite.h"
#include "topic/event/event_resolve.h"

#define KERNEL_THREAD 0x200000
#define MS_NS UINT64_C(1000000)
#define SECOND_NS (1000 * MS_NS)
#define START_NS (500000000 * SECOND_NS) /* of what is told here: longer than any machine is up */

static char root[SCRATCH_PATH_MAX];
static struct env env;
static struct event_resolver resolver;
static struct settings settings;

static void put(uint32_t pid, const char *name, const char *text)
{
	FILE *file;

	mkdir(textf("%s/proc/%u", root, pid), 0755);
	file = fopen(textf("%s/proc/%u/%s", root, pid, name), "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

/* A process of the machine, which began 90 s after it. */
static void put_process(uint32_t pid, uint32_t parent, const char *comm, unsigned flags, unsigned uid,
			uint32_t group, const char *cgroup)
{
	put(pid, "stat", textf("%u (%s) S %u %u %u 34819 %u %u 0 0 0 0 0 0 0 0 20 0 1 0 9000 1000000 300 "
	    "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0\n", pid, comm, parent, group, group,
	    group, flags));
	put(pid, "status",
	    textf("Name:\t%s\nUid:\t%u\t%u\t%u\t%u\nVmRSS:\t    1200 kB\nVmPTE:\t      48 kB\n", comm, uid,
	    uid, uid, uid));
	put(pid, "cgroup", textf("0::%s\n", cgroup));
}

/* Its processes: 300 is a shell of user 1000, 301 its child, 250 a child of that. */
static void build_machine(void)
{
	scratch_directory(root, "events");
	ck_assert_int_eq(mkdir(textf("%s/proc", root), 0755), 0);
	put_process(1, 0, "systemd", 0, 0, 1, "/init.scope");
	put_process(2, 0, "kthreadd", KERNEL_THREAD, 0, 0, "/");
	put_process(300, 1, "bash", 0, 1000, 300, "/user.slice/a.scope");
	put_process(301, 300, "make", 0, 1000, 301, "/user.slice/a.scope");
	put_process(250, 301, "sh) (x", 0, 1000, 301, "/user.slice/a.scope/deep");
	ck_assert_int_eq(env_open(&env, root), 0);
	env.ticks_per_second = 100;
	event_resolve_open(&resolver, &env);
}

/* in: a scope; NULL: all. pairs: names and values of settings, ended by NULL. */
static void choose(const char *in, const char *const *pairs)
{
	struct scope scope = { 0 };
	struct scope_term term;
	struct event_filter filter;
	char why[256];

	settings_close(&settings);
	for (; *pairs; pairs += 2)
		ck_assert(settings_set(&settings, pairs[0], pairs[1], 0));
	if (in)
		ck_assert(scope_term_parse(&term, in, why, sizeof(why)) && scope_add(&scope, &term));
	event_filter_read(&filter, &settings.topic, &scope);
	event_resolve_set_filter(&resolver, &filter);
	scope_free(&scope);
}

#define CHOOSE(...) choose(NULL, (const char *const[]){ __VA_ARGS__, NULL })
#define CHOOSE_IN(in) choose(in, (const char *const[]){ NULL })

static void open_all(void)
{
	build_machine();
	event_resolve_existing(&resolver);
	CHOOSE("events.events", "all");
}

static void close_all(void)
{
	event_resolve_free(&resolver);
	env_close(&env);
	settings_close(&settings);
}

/* What is told of this; the only event of its round, NULL when it is not wanted. Only exits tell a code. */
static const struct event *take(struct raw_event raw)
{
	event_batch_empty(&resolver.ready);
	event_resolve_begin(&resolver);
	raw.exit_code = raw.kind == EVENT_EXIT ? raw.exit_code : UINT32_MAX;
	raw.tid = raw.tid ? raw.tid : raw.pid;
	raw.time_ns = raw.time_ns ? raw.time_ns : START_NS;
	event_resolve(&resolver, &raw);
	ck_assert_uint_le(resolver.ready.count, 1);
	return resolver.ready.count > 0 ? &resolver.ready.list[0] : NULL;
}

#define TAKE(...) take((struct raw_event){ __VA_ARGS__ })

static const char *comm_of(const struct event *event)
{
	return resolver.ready.texts + event->comm;
}

static const char *parent_of(const struct event *event)
{
	return resolver.ready.texts + event->parent;
}

static const char *command_of(const struct event *event)
{
	return resolver.ready.texts + event->command;
}

START_TEST(a_life_is_told_from_fork_to_exit)
{
	static char arguments[] = "/usr/bin/cc -c a.c";
	const struct event *event;

	open_all();
	event = TAKE(.kind = EVENT_FORK, .pid = 400, .parent_pid = 301);
	ck_assert_uint_eq(event->number, 1);
	ck_assert(event->pid == 400 && event->parent_pid == 301 && event->named);
	ck_assert_str_eq(command_of(event), "make");
	ck_assert_str_eq(parent_of(event), "make");
	ck_assert(event->real_uid == 1000 && event->effective_uid == 1000 && event->terminal == 34819);
	ck_assert(event->duration_ns == U64_UNKNOWN && event->exit_code == UINT32_MAX);
	ck_assert_uint_eq(event->wall_ns, START_NS + (uint64_t)resolver.wall_ahead_ns);
	event = TAKE(.kind = EVENT_EXEC, .pid = 400, .comm = "cc", .text = arguments, .is_command = true,
		     .program_length = 11);
	ck_assert_str_eq(comm_of(event), "cc");
	ck_assert_str_eq(command_of(event), arguments);
	ck_assert_uint_eq(event->program_length, 11);
	event = TAKE(.kind = EVENT_EXIT, .pid = 400, .parent_pid = 301, .exit_code = 7 << 8,
		     .time_ns = START_NS + 3 * MS_NS);
	ck_assert_uint_eq(event->exit_code, 7 << 8);
	ck_assert_uint_eq(event->duration_ns, 3 * MS_NS);
	ck_assert_str_eq(command_of(event), arguments);
	ck_assert_str_eq(parent_of(event), "make");
	event = TAKE(.kind = EVENT_GID, .pid = 400, .time_ns = START_NS + 4 * MS_NS);
	ck_assert_str_eq(comm_of(event), "cc");
	ck_assert_uint_eq(resolver.number, 4);
	ck_assert_uint_eq(resolver.unnamed, 0);
	ck_assert_uint_eq(resolver.statistics.all.failures, 1);
	ck_assert_uint_eq(resolver.statistics.lifetimes[1], 1);
	ck_assert_uint_eq(resolver.statistics.all.lifetimes_ns, 3 * MS_NS);
	ck_assert_uint_eq(resolver.statistics.all.n_lifetimes, 1);
	ck_assert_uint_eq(resolver.statistics.parents[0].resident_bytes, 1200 * 1024);
	ck_assert_uint_eq(resolver.statistics.parents[0].page_table_bytes, 48 * 1024);
	close_all();
}

/* Its name is not that of its parent, which is gone. */
START_TEST(a_younger_process_is_no_parent)
{
	const struct event *event;

	open_all();
	TAKE(.kind = EVENT_FORK, .pid = 400, .parent_pid = 301);
	event = TAKE(.kind = EVENT_FORK, .pid = 401, .parent_pid = 400, .time_ns = START_NS + MS_NS);
	ck_assert_str_eq(parent_of(event), "make");
	TAKE(.kind = EVENT_EXIT, .pid = 400, .time_ns = START_NS + 2 * MS_NS);
	event = TAKE(.kind = EVENT_EXEC, .pid = 401, .comm = "cc", .time_ns = START_NS + 3 * MS_NS);
	ck_assert_str_eq(parent_of(event), "make");
	TAKE(.kind = EVENT_FORK, .pid = 400, .parent_pid = 300, .time_ns = START_NS + SECOND_NS);
	event = TAKE(.kind = EVENT_EXIT, .pid = 401, .time_ns = START_NS + SECOND_NS + MS_NS);
	ck_assert(event->parent_pid == 400 && event->parent == 0);
	close_all();
}

/* As the process topic has it, so that both tables join; by the fork alone when its file is gone. */
START_TEST(parents_are_told_apart_by_their_ticks)
{
	const struct event_parent *parents;

	open_all();
	parents = resolver.statistics.parents;
	TAKE(.kind = EVENT_FORK, .pid = 400, .parent_pid = 301);
	TAKE(.kind = EVENT_FORK, .pid = 401, .parent_pid = 301);
	put_process(401, 301, "sh", 0, 1000, 301, "/");
	TAKE(.kind = EVENT_FORK, .pid = 402, .parent_pid = 400);
	TAKE(.kind = EVENT_FORK, .pid = 403, .parent_pid = 401);
	ck_assert_uint_eq(parents[0].start_ticks, 9000);
	ck_assert_uint_eq(parents[1].start_ticks,
			  (START_NS + (uint64_t)resolver.boot_ahead_ns) / (10 * MS_NS));
	ck_assert_uint_eq(parents[2].start_ticks, 9000);
	put_process(400, 301, "sh", 0, 1000, 301, "/");
	TAKE(.kind = EVENT_FORK, .pid = 404, .parent_pid = 400);
	ck_assert_uint_eq(resolver.statistics.n_parents, 3);
	ck_assert_uint_eq(parents[1].forks, 2);
	close_all();
}

START_TEST(what_nobody_told_is_unknown)
{
	const struct event *event;

	open_all();
	event = TAKE(.kind = EVENT_EXIT, .pid = 999, .exit_code = SIGKILL);
	ck_assert(!event->named && event->comm == 0 && event->command == 0);
	ck_assert(event->duration_ns == U64_UNKNOWN && event->parent_pid == 0);
	ck_assert(event->real_uid == UINT32_MAX && event->effective_uid == UINT32_MAX &&
		  event->terminal == -1);
	ck_assert_uint_eq(event->exit_code, SIGKILL);
	ck_assert_uint_eq(resolver.unnamed, 1);
	ck_assert_uint_eq(resolver.statistics.lifetimes[EVENT_LIFETIMES], 1);
	event = TAKE(.kind = EVENT_FORK, .pid = 998, .parent_pid = 997);
	ck_assert(!event->named && event->parent_pid == 997);
	ck_assert_uint_eq(resolver.statistics.parents[0].resident_bytes, U64_UNKNOWN);
	event = TAKE(.kind = EVENT_EXIT, .pid = 998, .exit_code = UINT32_MAX, .time_ns = START_NS + MS_NS);
	ck_assert_uint_eq(event->duration_ns, MS_NS);
	ck_assert_uint_eq(event->exit_code, UINT32_MAX);
	ck_assert_uint_eq(resolver.statistics.all.failures, 1);
	close_all();
}

START_TEST(who_was_there_before_is_known_from_proc)
{
	const struct event *event;
	int64_t boot_ahead_ns;

	open_all();
	boot_ahead_ns = resolver.boot_ahead_ns;
	event = TAKE(.kind = EVENT_EXIT, .pid = 250, .exit_code = 0);
	ck_assert_str_eq(comm_of(event), "sh) (x");
	ck_assert(event->effective_uid == 1000 && event->parent_pid == 301);
	ck_assert_uint_eq(event->duration_ns, START_NS + (uint64_t)boot_ahead_ns - 90 * SECOND_NS);
	put_process(260, 301, "late", 0, 0, 301, "/");
	event = TAKE(.kind = EVENT_GID, .pid = 260);
	ck_assert_str_eq(comm_of(event), "late");
	ck_assert_uint_eq(event->effective_uid, 0);
	close_all();
}

START_TEST(nobody_is_looked_up_in_the_proc_of_another_pid_namespace)
{
	const struct event *event;

	build_machine();
	env.foreign_pids = true;
	event_resolve_existing(&resolver);
	CHOOSE("events.events", "all");
	event = TAKE(.kind = EVENT_EXIT, .pid = 250, .exit_code = 0);
	ck_assert(event && !event->named);
	ck_assert(event->effective_uid == UINT32_MAX && event->parent_pid == 0);
	ck_assert_uint_eq(event->duration_ns, U64_UNKNOWN);
	TAKE(.kind = EVENT_FORK, .pid = 998, .parent_pid = 300);
	ck_assert_uint_eq(resolver.statistics.parents[0].resident_bytes, U64_UNKNOWN);
	event = TAKE(.kind = EVENT_COMM, .pid = 301, .comm = "told");
	ck_assert_str_eq(comm_of(event), "told");
	close_all();
}

START_TEST(a_pid_is_another_process_long_after_its_end)
{
	const struct event *event;

	open_all();
	TAKE(.kind = EVENT_FORK, .pid = 400, .parent_pid = 301);
	TAKE(.kind = EVENT_EXIT, .pid = 400, .exit_code = 0);
	event = TAKE(.kind = EVENT_GID, .pid = 400, .time_ns = START_NS + 100 * MS_NS);
	ck_assert_str_eq(comm_of(event), "make");
	event = TAKE(.kind = EVENT_GID, .pid = 400, .time_ns = START_NS + 2 * SECOND_NS);
	ck_assert(!event->named);
	event = TAKE(.kind = EVENT_FORK, .pid = 400, .parent_pid = 1, .time_ns = START_NS + 2 * SECOND_NS);
	ck_assert_str_eq(comm_of(event), "systemd");
	event = TAKE(.kind = EVENT_EXIT, .pid = 400, .time_ns = START_NS + 2 * SECOND_NS + 5);
	ck_assert_uint_eq(event->duration_ns, 5);
	close_all();
}

START_TEST(threads_of_the_kernel_have_brackets)
{
	const struct event *event;

	open_all();
	event = TAKE(.kind = EVENT_FORK, .pid = 500, .parent_pid = 2);
	ck_assert_str_eq(command_of(event), "[kthreadd]");
	event = TAKE(.kind = EVENT_COMM, .pid = 500, .comm = "kworker/0:9");
	ck_assert_str_eq(command_of(event), "[kworker/0:9]");
	ck_assert_str_eq(comm_of(event), "kworker/0:9");
	ck_assert_str_eq(resolver.ready.texts + event->was, "kthreadd");
	event = TAKE(.kind = EVENT_EXEC, .pid = 500, .comm = "modprobe");
	ck_assert_str_eq(command_of(event), "modprobe");
	close_all();
}

START_TEST(threads_are_no_processes)
{
	const struct event *event;

	open_all();
	event = TAKE(.kind = EVENT_CLONE, .pid = 300, .tid = 310, .parent_pid = 300);
	ck_assert(event->pid == 300 && event->tid == 310 && event->kind == EVENT_CLONE);
	event = TAKE(.kind = EVENT_COMM, .pid = 300, .tid = 310, .comm = "helper");
	ck_assert_str_eq(comm_of(event), "bash");
	ck_assert_str_eq(resolver.ready.texts + event->was, "helper");
	event = TAKE(.kind = EVENT_EXIT, .pid = 300, .tid = 310, .exit_code = 256);
	ck_assert(event->pid == 300 && event->tid == 310 && event->duration_ns == U64_UNKNOWN);
	ck_assert_uint_eq(resolver.statistics.all.kinds[EVENT_FORK], 0);
	ck_assert_uint_eq(resolver.statistics.all.kinds[EVENT_CLONE], 1);
	ck_assert_uint_eq(resolver.statistics.all.kinds[EVENT_EXIT], 0);
	ck_assert_uint_eq(resolver.statistics.all.kinds[EVENT_EXIT], 0);
	ck_assert_uint_eq(resolver.statistics.all.failures, 0);
	CHOOSE("events.events", "fork,exec,exit");
	ck_assert_ptr_null(TAKE(.kind = EVENT_CLONE, .pid = 300, .tid = 311, .parent_pid = 300));
	ck_assert_ptr_null(TAKE(.kind = EVENT_EXIT, .pid = 300, .tid = 311, .exit_code = 0));
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_EXIT, .pid = 300, .exit_code = 0));
	close_all();
}

START_TEST(a_process_ends_with_its_last_thread)
{
	const struct event *event;

	open_all();
	CHOOSE("events.events", "fork,exec,exit");
	TAKE(.kind = EVENT_FORK, .pid = 400, .parent_pid = 301);
	TAKE(.kind = EVENT_CLONE, .pid = 400, .tid = 401, .parent_pid = 400);
	TAKE(.kind = EVENT_CLONE, .pid = 400, .tid = 402, .parent_pid = 400);
	ck_assert_ptr_null(TAKE(.kind = EVENT_EXIT, .pid = 400, .exit_code = 3 << 8));
	ck_assert_ptr_null(TAKE(.kind = EVENT_EXIT, .pid = 400, .tid = 402, .exit_code = 9 << 8));
	event = TAKE(.kind = EVENT_EXIT, .pid = 400, .tid = 401, .exit_code = 0, .time_ns = START_NS + MS_NS);
	ck_assert(event && event->tid == 400 && event->exit_code == 9 << 8 && event->parent_pid == 301);
	ck_assert_uint_eq(event->duration_ns, MS_NS);
	ck_assert_uint_eq(resolver.statistics.all.kinds[EVENT_EXIT], 1);
	ck_assert_uint_eq(resolver.statistics.all.failures, 1);
	close_all();
}

START_TEST(a_core_is_told_when_it_was_dumped)
{
	const struct event *event;

	open_all();
	CHOOSE("events.events", "core,exit");
	ck_assert_ptr_null(TAKE(.kind = EVENT_CORE, .pid = 250));
	event = TAKE(.kind = EVENT_EXIT, .pid = 250, .exit_code = SIGSEGV);
	ck_assert(event && event->kind == EVENT_EXIT && event->exit_code == SIGSEGV);
	ck_assert_uint_eq(resolver.statistics.all.kinds[EVENT_CORE], 0);
	TAKE(.kind = EVENT_CLONE, .pid = 301, .tid = 310, .parent_pid = 301);
	ck_assert_ptr_null(TAKE(.kind = EVENT_CORE, .pid = 301, .tid = 310));
	event = TAKE(.kind = EVENT_EXIT, .pid = 301, .tid = 310, .exit_code = SIGSEGV | 0x80,
		     .time_ns = START_NS + MS_NS);
	ck_assert(event && event->kind == EVENT_CORE && event->tid == 310);
	ck_assert_uint_eq(event->wall_ns, START_NS + (uint64_t)resolver.wall_ahead_ns);
	event = TAKE(.kind = EVENT_EXIT, .pid = 301, .exit_code = SIGSEGV, .time_ns = START_NS + MS_NS);
	ck_assert(event && event->kind == EVENT_EXIT && event->exit_code == (SIGSEGV | 0x80));
	ck_assert_uint_eq(resolver.statistics.all.kinds[EVENT_CORE], 1);
	close_all();
}

/* The bit without an announcement, an announcement that is used up, and an exit whose code is not known. */
START_TEST(a_core_that_was_not_announced_is_not_told)
{
	const struct event *event;

	open_all();
	CHOOSE("events.events", "core,exit");
	event = TAKE(.kind = EVENT_EXIT, .pid = 250, .exit_code = SIGSEGV | 0x80);
	ck_assert(event && event->kind == EVENT_EXIT && event->exit_code == (SIGSEGV | 0x80));
	ck_assert_uint_eq(resolver.statistics.all.kinds[EVENT_CORE], 0);
	for (uint32_t tid = 310; tid < 313; tid++)
		TAKE(.kind = EVENT_CLONE, .pid = 301, .tid = tid, .parent_pid = 301);
	ck_assert_ptr_null(TAKE(.kind = EVENT_CORE, .pid = 301, .tid = 310));
	ck_assert_ptr_null(TAKE(.kind = EVENT_EXIT, .pid = 301, .tid = 311, .exit_code = UINT32_MAX,
				.time_ns = START_NS + MS_NS));
	event = TAKE(.kind = EVENT_EXIT, .pid = 301, .tid = 310, .exit_code = SIGSEGV | 0x80,
		     .time_ns = START_NS + MS_NS);
	ck_assert(event && event->kind == EVENT_CORE && event->tid == 310);
	ck_assert_ptr_null(TAKE(.kind = EVENT_EXIT, .pid = 301, .tid = 312, .exit_code = SIGSEGV | 0x80,
				.time_ns = START_NS + MS_NS));
	ck_assert_uint_eq(resolver.statistics.all.kinds[EVENT_CORE], 1);
	close_all();
}

START_TEST(an_exec_of_a_thread_ends_no_process)
{
	const struct event *event;

	open_all();
	CHOOSE("events.events", "fork,exec,exit");
	TAKE(.kind = EVENT_FORK, .pid = 400, .parent_pid = 301);
	TAKE(.kind = EVENT_CLONE, .pid = 400, .tid = 401, .parent_pid = 400);
	ck_assert_ptr_null(TAKE(.kind = EVENT_EXIT, .pid = 400, .exit_code = 0));
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_EXEC, .pid = 400, .comm = "other"));
	event = TAKE(.kind = EVENT_EXIT, .pid = 400, .exit_code = 256);
	ck_assert(event && event->exit_code == 256);
	ck_assert_str_eq(comm_of(event), "other");
	ck_assert_uint_eq(resolver.statistics.all.kinds[EVENT_EXIT], 1);
	close_all();
}

static void put_stat(uint32_t pid, char state, unsigned threads)
{
	put(pid, "stat", textf("%u (many) %c 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 %u 0 9000 1000000 300 "
	    "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0\n", pid, state, threads));
}

static void look_until_ready(void)
{
	event_batch_empty(&resolver.ready);
	while (resolver.ready.count == 0 && event_resolve_leaderless(&resolver) != U64_UNKNOWN)
		usleep(1000);
}

START_TEST(a_process_whose_last_exit_was_lost_ends)
{
	const struct event *event;
	uint64_t ended_ns;

	open_all();
	CHOOSE("events.events", "fork,exec,exit");
	put_stat(600, 'S', 3);
	event_resolve_existing(&resolver);
	ended_ns = real_mono_ns();
	ck_assert_ptr_null(TAKE(.kind = EVENT_EXIT, .pid = 600, .exit_code = 256, .time_ns = ended_ns));
	put_stat(600, 'Z', 1);
	look_until_ready();
	ck_assert_uint_eq(resolver.ready.count, 1);
	event = resolver.ready.list;
	ck_assert(event->kind == EVENT_EXIT && event->pid == 600 && event->exit_code == 256);
	ck_assert_uint_eq(event->wall_ns, ended_ns + (uint64_t)resolver.wall_ahead_ns);
	ck_assert_uint_eq(event_resolve_leaderless(&resolver), U64_UNKNOWN);
	close_all();
}

/* Its PID has a new process: the last exit of the one before was lost. */
START_TEST(a_pid_that_is_used_again_ends_the_process_before)
{
	const struct event *event;

	open_all();
	CHOOSE("events.events", "exit");
	put_stat(600, 'S', 3);
	event_resolve_existing(&resolver);
	ck_assert_ptr_null(TAKE(.kind = EVENT_EXIT, .pid = 600, .exit_code = 256));
	event = TAKE(.kind = EVENT_FORK, .pid = 600, .parent_pid = 301, .time_ns = START_NS + 5);
	ck_assert_ptr_nonnull(event);
	ck_assert(event->kind == EVENT_EXIT && event->pid == 600 && event->exit_code == 256);
	close_all();
}

START_TEST(a_process_whose_exec_was_lost_lives_on)
{
	open_all();
	CHOOSE("events.events", "fork,exec,exit");
	put_stat(600, 'S', 3);
	event_resolve_existing(&resolver);
	ck_assert_ptr_null(TAKE(.kind = EVENT_EXIT, .pid = 600, .exit_code = 0, .time_ns = real_mono_ns()));
	put_stat(600, 'S', 1);
	look_until_ready();
	ck_assert_uint_eq(resolver.ready.count, 0);
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_EXIT, .pid = 600, .exit_code = 256));
	close_all();
}

START_TEST(threads_that_were_there_before_are_counted)
{
	open_all();
	CHOOSE("events.events", "fork,exec,exit");
	put_stat(600, 'Z', 3); /* its first thread has ended */
	event_resolve_existing(&resolver);
	ck_assert_ptr_null(TAKE(.kind = EVENT_EXIT, .pid = 600, .tid = 601, .exit_code = 0, .time_ns = 1));
	ck_assert_ptr_null(TAKE(.kind = EVENT_EXIT, .pid = 600, .tid = 602, .exit_code = 0));
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_EXIT, .pid = 600, .tid = 603, .exit_code = 0));
	close_all();
}

START_TEST(a_program_is_called_by_the_best_that_is_told)
{
	static char file[] = "/bin/true";
	const struct event *event;

	open_all();
	ck_assert_ptr_null(TAKE(.kind = EVENT_COMM, .pid = 301, .comm = "true", .by_exec = true));
	event = TAKE(.kind = EVENT_EXEC, .pid = 301, .text = file, .program_length = 9);
	ck_assert_str_eq(comm_of(event), "true");
	ck_assert_str_eq(command_of(event), "/bin/true");
	event = TAKE(.kind = EVENT_COMM, .pid = 301, .comm = "other");
	ck_assert_str_eq(resolver.ready.texts + event->was, "true");
	ck_assert_str_eq(command_of(event), "/bin/true");
	event = TAKE(.kind = EVENT_EXEC, .pid = 301, .comm = "sleep");
	ck_assert_str_eq(command_of(event), "sleep");
	ck_assert_uint_eq(resolver.statistics.all.kinds[EVENT_COMM], 1);
	close_all();
}

START_TEST(tracers_are_told_who_they_trace)
{
	const struct event *event;

	open_all();
	event = TAKE(.kind = EVENT_PTRACE, .pid = 301, .other_pid = 300);
	ck_assert(event->pid == 300 && event->tid == 300 && event->other_pid == 301 && event->attached);
	ck_assert_str_eq(comm_of(event), "bash");
	event = TAKE(.kind = EVENT_PTRACE, .pid = 301);
	ck_assert(event->pid == 300 && event->other_pid == 301 && !event->attached);
	event = TAKE(.kind = EVENT_PTRACE, .pid = 301);
	ck_assert(event->pid == 301 && event->other_pid == 301 && !event->attached);
	close_all();
}

START_TEST(users_and_sessions_change)
{
	const struct event *event;

	open_all();
	event = TAKE(.kind = EVENT_UID, .pid = 301, .real = 1000, .effective = 0);
	ck_assert(event->real_id == 1000 && event->effective_id == 0 && event->effective_uid == 0);
	event = TAKE(.kind = EVENT_GID, .pid = 301, .real = 7, .effective = 8);
	ck_assert(event->real_id == 7 && event->effective_id == 8 && event->real_uid == 1000);
	event = TAKE(.kind = EVENT_SID, .pid = 301);
	ck_assert_int_eq(event->terminal, 0);
	event = TAKE(.kind = EVENT_FORK, .pid = 400, .parent_pid = 301);
	ck_assert(event->effective_uid == 0 && event->terminal == 0);
	ck_assert_int_eq(event_processes_find(resolver.processes, 400)->group, 301);
	close_all();
}

START_TEST(processes_are_chosen_by_pid_and_name)
{
	static char command[] = "/opt/bin/python3 -m x";

	open_all();
	CHOOSE_IN("pid=301,4000");
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_GID, .pid = 301));
	ck_assert_ptr_null(TAKE(.kind = EVENT_GID, .pid = 300));
	CHOOSE_IN("pid=7,bash");
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_GID, .pid = 300));
	ck_assert_ptr_null(TAKE(.kind = EVENT_GID, .pid = 301));
	CHOOSE_IN("pid=python3");
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_EXEC, .pid = 301, .comm = "x", .text = command,
				   .is_command = true, .program_length = 16));
	CHOOSE_IN("pid=bin");
	ck_assert_ptr_null(TAKE(.kind = EVENT_GID, .pid = 301));
	CHOOSE_IN("pid=bas");
	ck_assert_ptr_null(TAKE(.kind = EVENT_GID, .pid = 300));
	close_all();
}

START_TEST(processes_are_chosen_by_user_and_group)
{
	open_all();
	CHOOSE_IN("user=1000,77");
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_GID, .pid = 300));
	ck_assert_ptr_null(TAKE(.kind = EVENT_GID, .pid = 1));
	ck_assert_ptr_null(TAKE(.kind = EVENT_GID, .pid = 999));
	CHOOSE_IN("user=0");
	ck_assert_ptr_null(TAKE(.kind = EVENT_GID, .pid = 300));
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_UID, .pid = 300, .real = 0, .effective = 0));
	CHOOSE_IN("user=nobody-has-this-name");
	ck_assert_ptr_null(TAKE(.kind = EVENT_GID, .pid = 1));
	ck_assert_ptr_null(TAKE(.kind = EVENT_GID, .pid = 999));
	CHOOSE("events.group", "301");
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_GID, .pid = 250));
	ck_assert_ptr_null(TAKE(.kind = EVENT_GID, .pid = 300));
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_FORK, .pid = 400, .parent_pid = 250));
	ck_assert_ptr_null(TAKE(.kind = EVENT_SID, .pid = 400));
	close_all();
}

START_TEST(processes_are_chosen_by_tree)
{
	open_all();
	CHOOSE_IN("tree=300");
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_GID, .pid = 300));
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_GID, .pid = 250));
	ck_assert_ptr_null(TAKE(.kind = EVENT_GID, .pid = 1));
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_FORK, .pid = 400, .parent_pid = 250));
	ck_assert_ptr_null(TAKE(.kind = EVENT_FORK, .pid = 401, .parent_pid = 1));
	TAKE(.kind = EVENT_EXIT, .pid = 250);
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_FORK, .pid = 402, .parent_pid = 400));
	CHOOSE_IN("tree=450");
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_FORK, .pid = 450, .parent_pid = 1));
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_FORK, .pid = 451, .parent_pid = 450));
	ck_assert_ptr_null(TAKE(.kind = EVENT_GID, .pid = 300));
	close_all();
}

START_TEST(processes_are_chosen_by_cgroup)
{
	open_all();
	CHOOSE_IN("cgroup=/user.slice/a.scope/");
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_GID, .pid = 300));
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_GID, .pid = 250));
	ck_assert_ptr_null(TAKE(.kind = EVENT_GID, .pid = 1));
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_FORK, .pid = 400, .parent_pid = 300));
	put_process(400, 300, "moved", 0, 1000, 300, "/other.slice");
	ck_assert_ptr_null(TAKE(.kind = EVENT_EXEC, .pid = 400, .comm = "moved"));
	CHOOSE_IN("cgroup=/other.slice");
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_GID, .pid = 400));
	ck_assert_ptr_null(TAKE(.kind = EVENT_GID, .pid = 300));
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_FORK, .pid = 401, .parent_pid = 400)); /* as its parent */
	CHOOSE_IN("cgroup=/");
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_GID, .pid = 1));
	close_all();
}

START_TEST(only_failures_are_chosen)
{
	open_all();
	CHOOSE("events.events", "exitnonzero");
	ck_assert_ptr_null(TAKE(.kind = EVENT_EXIT, .pid = 250, .exit_code = 0));
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_EXIT, .pid = 301, .exit_code = 256));
	ck_assert_ptr_nonnull(TAKE(.kind = EVENT_EXIT, .pid = 300, .exit_code = SIGTERM));
	ck_assert_ptr_null(TAKE(.kind = EVENT_FORK, .pid = 400, .parent_pid = 1));
	close_all();
}

START_TEST(kinds_are_words)
{
	static const struct {
		const char *list;
		unsigned kinds;
		bool failures_only;
	} good[] = {
		{ "fork", EVENT_BIT(EVENT_FORK), false },
		{ "uid", EVENT_BIT(EVENT_UID) | EVENT_BIT(EVENT_GID), false },
		{ "exec,exitnonzero", EVENT_BIT(EVENT_EXEC) | EVENT_BIT(EVENT_EXIT), true },
		{ "exit,exitnonzero", EVENT_BIT(EVENT_EXIT), false },
		{ "exitnonzero,all", EVENT_BIT(N_EVENT_KINDS) - 1, false },
		{ "core,comm,clone,ptrace,sid,fork,fork",
		  EVENT_BIT(EVENT_CORE) | EVENT_BIT(EVENT_COMM) | EVENT_BIT(EVENT_CLONE) |
			  EVENT_BIT(EVENT_PTRACE) | EVENT_BIT(EVENT_SID) | EVENT_BIT(EVENT_FORK),
		  false },
	};
	static const char *const bad[] = { "", ",", "forks", "fork,,exec", "fork exec", "Fork", "exit " };
	struct event_filter filter;

	settings_open(&settings);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ck_assert_msg(settings_set(&settings, "events.events", good[i].list, 0), "%s", good[i].list);
		event_filter_read(&filter, &settings.topic, NULL);
		ck_assert_uint_eq(filter.kinds, good[i].kinds);
		ck_assert_int_eq(filter.failures_only, good[i].failures_only);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!settings_set(&settings, "events.events", bad[i], 0), "'%s'", bad[i]);
	settings_close(&settings);
}

/* The same with so many reads of files left in its round. */
static const struct event *take_with_reads(unsigned reads, struct raw_event raw)
{
	event_batch_empty(&resolver.ready);
	event_resolve_begin(&resolver);
	resolver.reads_left = reads;
	raw.exit_code = UINT32_MAX;
	raw.tid = raw.tid ? raw.tid : raw.pid;
	raw.time_ns = raw.time_ns ? raw.time_ns : START_NS;
	event_resolve(&resolver, &raw);
	ck_assert_uint_eq(resolver.ready.count, 1);
	return resolver.ready.list;
}

#define TAKE_WITH_READS(reads, ...) take_with_reads(reads, (struct raw_event){ __VA_ARGS__ })

START_TEST(files_are_read_as_long_as_reads_are_left)
{
	const struct event *event;

	build_machine();
	CHOOSE("events.events", "all");
	event = TAKE_WITH_READS(0, .kind = EVENT_GID, .pid = 300);
	ck_assert(!event->named && event->real_uid == UINT32_MAX && event->parent_pid == 0);
	ck_assert_uint_eq(resolver.reads_left, 0);
	event = TAKE_WITH_READS(1, .kind = EVENT_GID, .pid = 301);
	ck_assert(event->named && event->real_uid == 1000 && event->parent_pid == 300);
	ck_assert_uint_eq(resolver.reads_left, 0);
	event = TAKE_WITH_READS(2, .kind = EVENT_GID, .pid = 999); /* it has exited */
	ck_assert(!event->named);
	ck_assert_uint_eq(resolver.reads_left, 1);
	TAKE_WITH_READS(2, .kind = EVENT_GID, .pid = 0); /* the kernel itself has none */
	ck_assert_uint_eq(resolver.reads_left, 2);
	put_process(301, 300, "other", 0, 2000, 77, "/");
	event = TAKE_WITH_READS(0, .kind = EVENT_EXEC, .pid = 301, .comm = "cc");
	ck_assert(event->real_uid == 1000 && event->terminal == 34819);
	ck_assert_str_eq(comm_of(event), "cc");
	event = TAKE_WITH_READS(1, .kind = EVENT_EXEC, .pid = 301, .comm = "cc");
	ck_assert(event->real_uid == 2000 && event->effective_uid == 2000);
	ck_assert_str_eq(comm_of(event), "cc"); /* the source knows best */
	ck_assert_uint_eq(resolver.reads_left, 0);
	event = TAKE_WITH_READS(1, .kind = EVENT_EXEC, .pid = 301);
	ck_assert_str_eq(comm_of(event), "other");
	resolver.reports_users = true; /* then changes are told by events */
	put_process(301, 300, "other", 0, 3000, 77, "/");
	event = TAKE_WITH_READS(1, .kind = EVENT_EXEC, .pid = 301, .comm = "cc");
	ck_assert_uint_eq(event->real_uid, 2000);
	CHOOSE("events.events", "all", "events.group", "78");
	put_process(301, 300, "other", 0, 3000, 78, "/");
	event = TAKE_WITH_READS(0, .kind = EVENT_EXEC, .pid = 301,
				.comm = "cc"); /* what chooses is always read */
	ck_assert_uint_eq(event->pid, 301);
	ck_assert_uint_eq(resolver.reads_left, 0);
	close_all();
}

static void put_memory(uint32_t pid, unsigned kib)
{
	put(pid, "status", textf("Name:\tmake\nVmRSS:\t %u kB\nVmPTE:\t %u kB\n", kib, kib / 10));
}

START_TEST(memory_of_who_forks_is_read_ten_times_a_second)
{
	static const struct {
		uint64_t after_ns;
		unsigned reads, kib; /* kib: that is known then */
	} forks[] = {
		{ 0, 1, 1000 },           { 100 * MS_NS - 1, 1, 1000 }, { 100 * MS_NS, 0, 1000 },
		{ 100 * MS_NS, 1, 1003 }, { 200 * MS_NS - 1, 1, 1003 }, { 201 * MS_NS, 1, 1005 },
		{ 300 * MS_NS, 1, 1005 }, { 301 * MS_NS, 1, 1007 },
	};
	const struct event_parent *parents;

	open_all();
	parents = resolver.statistics.parents;
	for (unsigned i = 0; i < sizeof(forks) / sizeof(forks[0]); i++) {
		put_memory(301, 1000 + i);
		TAKE_WITH_READS(forks[i].reads, .kind = EVENT_FORK, .pid = 400 + i, .parent_pid = 301,
				.time_ns = START_NS + forks[i].after_ns);
		ck_assert_msg(parents[0].resident_bytes == forks[i].kib * 1024, "%u: %lu", i,
			      (unsigned long)parents[0].resident_bytes);
		ck_assert_uint_eq(parents[0].page_table_bytes, forks[i].kib / 10 * 1024);
	}
	ck_assert_uint_eq(resolver.statistics.n_parents, 1);
	ck_assert_uint_eq(parents[0].forks, 8);
	close_all();
}

/* Half a second after its end; and a parent may begin within the same hundredth of a second. */
START_TEST(other_processes_are_told_by_their_times)
{
	const struct event *event;

	open_all();
	TAKE(.kind = EVENT_FORK, .pid = 400, .parent_pid = 301);
	TAKE(.kind = EVENT_EXIT, .pid = 400, .exit_code = 0);
	event = TAKE(.kind = EVENT_GID, .pid = 400, .time_ns = START_NS + 500 * MS_NS);
	ck_assert(event->named);
	event = TAKE(.kind = EVENT_GID, .pid = 400, .time_ns = START_NS + 500 * MS_NS + 1);
	ck_assert(!event->named);
	TAKE(.kind = EVENT_FORK, .pid = 500, .parent_pid = 301, .time_ns = START_NS + 10 * MS_NS);
	TAKE(.kind = EVENT_FORK, .pid = 501, .parent_pid = 301, .time_ns = START_NS + 10 * MS_NS + 1);
	event = TAKE(.kind = EVENT_FORK, .pid = 502, .parent_pid = 500);
	ck_assert_str_eq(parent_of(event), "make");
	event = TAKE(.kind = EVENT_FORK, .pid = 503, .parent_pid = 501);
	ck_assert_uint_eq(event->parent, 0);
	close_all();
}

/* A file of it is missing: it has ended, or is hidden, which a signal that is none tells. */
START_TEST(a_hidden_process_is_not_gone)
{
	const uint32_t own = (uint32_t)getpid(), stranger = 5000001;

	open_all();
	CHOOSE("events.events", "exit");
	env.live = true;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t pid = i ? stranger : own;

		put_stat(pid, 'S', 3);
		event_resolve_existing(&resolver);
		ck_assert_ptr_null(TAKE(.kind = EVENT_EXIT, .pid = pid, .time_ns = real_mono_ns()));
		put(pid, "stat", "");
	}
	ck_assert_uint_eq(resolver.n_leaderless, 2);
	for (unsigned look = 0; look < 3; look++) {
		for (unsigned i = 0; i < 2; i++)
			event_processes_find(resolver.processes, i ? stranger : own)->check_ns = 0;
		event_batch_empty(&resolver.ready);
		event_resolve_leaderless(&resolver);
		ck_assert_uint_eq(resolver.ready.count, look == 1); /* the second look ends it */
		ck_assert_uint_eq(resolver.n_leaderless, look == 0 ? 2 : 1);
		if (look == 1)
			ck_assert_uint_eq(resolver.ready.list[0].pid, stranger);
		ck_assert(!event_processes_find(resolver.processes, own)->vanished);
	}
	env.foreign_pids = true; /* then nobody is looked for */
	event_processes_find(resolver.processes, own)->check_ns = 0;
	event_resolve_leaderless(&resolver);
	ck_assert(!event_processes_find(resolver.processes, own)->vanished);
	env.foreign_pids = false;
	env.live = false; /* on another machine it is gone */
	event_processes_find(resolver.processes, own)->check_ns = 0;
	event_resolve_leaderless(&resolver);
	ck_assert(event_processes_find(resolver.processes, own)->vanished);
	close_all();
}
