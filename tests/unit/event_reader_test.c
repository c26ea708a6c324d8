/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the reader of events on the kernel that runs them; what it may not read they say, and pass. */
#include "suite.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "core/unknown.h"
#include "topic/event/event_batch.h"
#include "topic/event/event_reader.h"

#define CHILDREN 2000
#define PROGRAMS 2000

#define NOBODY 65534
#define PATIENCE_MS 60000

static struct env env;
static struct settings settings;
static struct scope scope;
static const struct sample_request request = { .scope = &scope };
static const struct sample sample = { .env = &env, .settings = &settings.topic, .request = &request };
static struct event_reader *reader;
static struct event_batch all; /* what came so far, of this process and its children */
static struct event_sources sources;

static bool reads_programs(void)
{
	return !sources.perf_error && !sources.exec_error;
}

static void close_reader(void)
{
	reader_close(&process_event_reader, &env);
	env_close(&env);
	settings_close(&settings);
	event_batch_free(&all);
}

/* Of this process and its children; false where no source, or not all that is needed, can be read. */
static void open_reader(const char *kinds, bool needs_connector, bool needs_programs)
{
	struct scope_term term;

	scope_clear(&scope);
	scope_term_choose(&term, SCOPE_TREE, (uint64_t)getpid(), 0);
	scope_add(&scope, &term);
	settings_open(&settings);
	ck_assert(settings_set(&settings, "events.events", kinds, 0));
	ck_assert_int_eq(env_open(&env, "/"), 0);
	reader = reader_open(&process_event_reader, &sample, NULL);
	event_reader_add_collector(reader, 1);
	event_reader_sources(reader, &sources);
	if ((sources.perf_error && sources.connector_error) || (needs_connector && sources.connector_error) ||
	    (needs_programs && !reads_programs()))
		skip_test("perf %s, tracepoint %s, connector %s", strerror(-sources.perf_error),
			  strerror(-sources.exec_error), strerror(-sources.connector_error));
}

static void take_more(void)
{
	struct event_batch taken = { 0 };
	struct pollfd rung = { .fd = event_reader_bell(reader), .events = POLLIN };

	poll(&rung, 1, 100);
	event_reader_collect(reader, &taken);
	ck_assert_uint_eq(event_batch_append(&all, &taken), 0);
	event_batch_free(&taken);
}

static size_t count(enum event_kind kind)
{
	size_t found = 0;

	for (size_t i = 0; i < all.count; i++)
		found += all.list[i].kind == kind;
	return found;
}

/*
 * Waits until as many have come, and then whether there are more. Nothing may be lost, but by the connector
 * of an ordinary user, whose buffer is no larger than net.core.rmem_max.
 */
static void expect(enum event_kind kind, size_t expected)
{
	uint64_t start = real_mono_ns();

	while (count(kind) < expected && real_mono_ns() - start < PATIENCE_MS * UINT64_C(1000000)) {
		take_more();
		event_reader_sources(reader, &sources);
		if (geteuid() != 0 && sources.connector_lost > 0)
			skip_test("the buffer of the connector was too small");
	}
	for (unsigned i = 0; i < 3; i++)
		take_more();
	ck_assert_uint_eq(count(kind), expected);
	event_reader_sources(reader, &sources);
	ck_assert_uint_eq(sources.perf_lost + sources.connector_lost + sources.queue_lost, 0);
	if (!sources.perf_error) /* which has the names of programs that exit at once */
		ck_assert_uint_eq(sources.unnamed, 0);
}

/* The only event of this kind of this process, or of its thread that is not its first. */
static const struct event *event_of(enum event_kind kind, pid_t pid, bool of_thread)
{
	const struct event *found = NULL;

	for (size_t i = 0; i < all.count; i++) {
		const struct event *event = &all.list[i];

		if (event->kind != kind || event->pid != (uint32_t)pid ||
		    of_thread != (event->tid != event->pid))
			continue;
		ck_assert_msg(!found, "%s of %d is told twice", event_kind_text(kind), pid);
		found = event;
	}
	ck_assert_msg(found != NULL, "%s of %d is not told", event_kind_text(kind), pid);
	return found;
}

static const char *text_at(size_t at)
{
	return all.texts + at;
}

static int reap(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

/* A child that runs what follows, and is not seen here. */
#define CHILD(pid)                                                                                           \
	pid_t pid = fork();                                                                                  \
	ck_assert_int_ge(pid, 0);                                                                            \
	if (pid == 0)

/* Ends in one of many ways: code 0, 3 and 255, and two signals. */
static _Noreturn void end(unsigned way)
{
	if (way % 5 == 3)
		raise(SIGKILL);
	if (way % 5 == 4)
		raise(SIGUSR1);
	_exit(way % 5 == 0 ? 0 : way % 5 == 1 ? 3 : 255);
}

START_LIVE_TEST(every_fork_and_exit_is_told_once)
{
	static pid_t pids[CHILDREN];
	static int statuses[CHILDREN];
	static uint64_t began_ns[CHILDREN];
	uint64_t told_ns;

	open_reader("fork,exit", false, false);
	for (unsigned i = 0; i < CHILDREN; i++) {
		began_ns[i] = real_mono_ns();
		CHILD(pid)
		end(i);
		pids[i] = pid;
		ck_assert_int_eq(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0);
	}
	for (unsigned i = 0; i < CHILDREN; i++) /* as zombies they kept their pids from being used again */
		statuses[i] = reap(pids[i]);
	expect(EVENT_FORK, CHILDREN);
	expect(EVENT_EXIT, CHILDREN);
	told_ns = real_mono_ns(); /* the kernel may tell of an end after a parent was told */
	ck_assert_uint_eq(all.count, 2 * CHILDREN);
	for (unsigned i = 0; i < CHILDREN; i++) {
		const struct event *forked = event_of(EVENT_FORK, pids[i], false);
		const struct event *exited = event_of(EVENT_EXIT, pids[i], false);

		ck_assert_int_eq(forked->parent_pid, getpid());
		ck_assert_int_eq(exited->parent_pid, getpid());
		ck_assert_uint_eq(forked->effective_uid, geteuid());
		ck_assert_uint_eq(exited->exit_code,
				  sources.connector_error ? UINT32_MAX : (uint32_t)statuses[i]);
		ck_assert(exited->duration_ns > 0 && exited->duration_ns <= told_ns - began_ns[i]);
	}
	for (size_t i = 0; i < all.count; i++)
		ck_assert_uint_eq(all.list[i].number, i + 1);
	close_reader();
}

/* A program of the tests, beside the directory of this one. */
static void find_nothing(char *path)
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 32);
	char *slash;

	ck_assert_int_gt(length, 0);
	path[length] = '\0';
	slash = strrchr(path, '/');
	ck_assert_ptr_nonnull(slash);
	strcpy(slash, "/../nothing");
	ck_assert_msg(access(path, X_OK) == 0, "%s: make check builds it", path);
}

static pid_t start_program(const char *path, char *const *arguments)
{
	char *const environment[] = { "PATH=/usr/bin:/bin", NULL };
	pid_t pid;

	ck_assert_int_eq(posix_spawn(&pid, path, NULL, NULL, arguments, environment), 0);
	return pid;
}

/*
 * By BPF all are whole. Without, arguments are whole or not there: between them and the stack's end lie up
 * to two pages, and where the kernel did not touch the middle one it does not copy beyond it.
 */
START_LIVE_TEST(programs_that_end_at_once_have_their_names)
{
	char path[PATH_MAX], argument[16], command[PATH_MAX + 64];
	static pid_t pids[PROGRAMS];
	unsigned named = 0, whole = 0;

	find_nothing(path);
	open_reader("exec,exit", false, true);
	for (unsigned i = 0; i < PROGRAMS; i++) {
		snprintf(argument, sizeof(argument), "%u", i);
		pids[i] = start_program(path, (char *[]){ path, "-v", argument, NULL });
		reap(pids[i]);
	}
	expect(EVENT_EXEC, PROGRAMS);
	expect(EVENT_EXIT, PROGRAMS);
	for (unsigned i = 0; i < PROGRAMS; i++) {
		const struct event *event = event_of(EVENT_EXEC, pids[i], false);

		ck_assert_str_eq(text_at(event_of(EVENT_EXIT, pids[i], false)->comm), text_at(event->comm));
		snprintf(command, sizeof(command), "%s -v %u", path, i);
		named += strcmp(text_at(event->comm), "nothing") == 0 &&
			 strncmp(text_at(event->command), path, strlen(path)) == 0;
		if (strcmp(text_at(event->command), path) == 0)
			continue;
		ck_assert_str_eq(text_at(event->command), command);
		whole++;
	}
	ck_assert_uint_ge(named * 1000, PROGRAMS * 999);
	ck_assert_uint_ge(whole * 4, PROGRAMS * (event_reader_arguments(reader)->error ? 3 : 4));
	close_reader();
}

/* What /proc/PID/cmdline has, with blanks for NULs; cut as those of events are. */
static void read_command(pid_t pid, char command[BPF_TEXT_MAX + 8])
{
	const char *more = "";
	ssize_t length;
	int fd;

	fd = open(textf("/proc/%d/cmdline", pid), O_RDONLY);
	ck_assert_int_ge(fd, 0);
	length = read(fd, command, BPF_TEXT_MAX + 1);
	ck_assert_int_gt(length, 0);
	close(fd);
	if (length > BPF_TEXT_MAX) {
		length = BPF_TEXT_MAX;
		more = "…";
	}
	while (length > 0 && command[length - 1] == '\0')
		length--;
	for (ssize_t i = 0; i < length; i++)
		if (command[i] == '\0')
			command[i] = ' ';
	strcpy(command + length, more);
}

/* A script that waits for its input to end. */
static void write_script(char *path)
{
	static const char text[] = "#!/bin/sh -e\nread -r line\n";
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	ck_assert_int_eq(fchmod(fd, 0700), 0);
	close(fd);
}

/* All wait for the end of their input. The first exec fails: it must not be seen. */
static pid_t start_waiting(char *const *arguments, int input)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid != 0)
		return pid;
	dup2(input, 0);
	close(2); /* some have no such file */
	execv("/nonexistent/program", (char *[]){ "none", "of", "these", NULL });
	execv(arguments[0], arguments);
	_exit(127);
}

START_LIVE_TEST(arguments_by_bpf_are_those_of_proc)
{
	char script[] = "/tmp/panetop-script-XXXXXX", command[BPF_TEXT_MAX + 8];
	static char hostile[] = "a\nb\t\033[31m\xff\xfe \xc3\xa4", long_one[3 * BPF_TEXT_MAX];
	char *fits = long_one + sizeof(long_one) - (BPF_TEXT_MAX - sizeof("/bin/cat") - sizeof("-"));
	char *const lines[][6] = {
		{ "/bin/cat", "-", NULL },       { "/bin/sh", "-c", "read -r a", hostile, "", NULL },
		{ script, "one", "", "two", NULL }, { "/bin/cat", "-", long_one, NULL },
		{ "/bin/cat", "-", fits, NULL },    { "/bin/cat", "-", fits - 1, NULL },
	};
	pid_t pids[sizeof(lines) / sizeof(*lines)];
	int pipes[2];

	open_reader("exec", false, true);
	if (event_reader_arguments(reader)->error)
		skip_test("BPF: %s", strerror(-event_reader_arguments(reader)->error));
	write_script(script);
	memset(long_one, 'x', sizeof(long_one) - 1);
	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	for (size_t i = 0; i < sizeof(pids) / sizeof(*pids); i++)
		pids[i] = start_waiting(lines[i], pipes[0]);
	expect(EVENT_EXEC, sizeof(pids) / sizeof(*pids));
	for (size_t i = 0; i < sizeof(pids) / sizeof(*pids); i++) {
		read_command(pids[i], command);
		ck_assert_str_eq(text_at(event_of(EVENT_EXEC, pids[i], false)->command), command);
	}
	ck_assert_uint_eq(trace_self((struct trace_set *)event_reader_arguments(reader), 0).lost, 0);
	close(pipes[1]);
	close(pipes[0]);
	for (size_t i = 0; i < sizeof(pids) / sizeof(*pids); i++)
		reap(pids[i]);
	unlink(script);
	close_reader();
}

START_LIVE_TEST(who_traces_whom_is_told)
{
	const struct event *attached, *detached;

	open_reader("ptrace", true, false);
	CHILD(pid)
	{
		for (;;)
			pause();
	}
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
	ck_assert_int_eq(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL), 0);
	ck_assert(WIFSTOPPED(reap(pid)));
	ck_assert_int_eq(ptrace(PTRACE_DETACH, pid, NULL, NULL), 0);
	kill(pid, SIGKILL);
	reap(pid);
	expect(EVENT_PTRACE, 2);
	attached = &all.list[all.list[0].attached ? 0 : 1];
	detached = &all.list[all.list[0].attached ? 1 : 0];
	ck_assert(attached->attached && !detached->attached);
	ck_assert(attached->pid == (uint32_t)getpid() && attached->other_pid == (uint32_t)pid);
	ck_assert(detached->pid == (uint32_t)getpid() && detached->other_pid == (uint32_t)pid);
	close_reader();
}

START_LIVE_TEST(sessions_and_users_are_told)
{
	if (!is_root())
		skip_test("only root can become another user");
	open_reader("uid,sid", true, false);
	CHILD(pid)
	{
		if (setsid() < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
			_exit(1);
		_exit(0);
	}
	ck_assert_int_eq(reap(pid), 0);
	expect(EVENT_SID, 1);
	ck_assert_int_eq(event_of(EVENT_SID, pid, false)->terminal, 0);
	expect(EVENT_UID, 1);
	expect(EVENT_GID, 1);
	ck_assert_uint_eq(event_of(EVENT_UID, pid, false)->real_id, NOBODY);
	ck_assert_uint_eq(event_of(EVENT_UID, pid, false)->effective_uid, NOBODY);
	ck_assert_uint_eq(event_of(EVENT_GID, pid, false)->effective_id, NOBODY);
	ck_assert_uint_eq(event_of(EVENT_GID, pid, false)->effective_uid, 0);
	close_reader();
}

static void *thread_main(void *argument)
{
	return argument;
}

START_LIVE_TEST(a_thread_is_no_process)
{
	open_reader("fork,exit,clone", false, false);
	CHILD(pid)
	{
		pthread_t thread;

		if (pthread_create(&thread, NULL, thread_main, NULL) != 0)
			_exit(1);
		pthread_join(thread, NULL);
		_exit(0);
	}
	ck_assert_int_eq(reap(pid), 0);
	expect(EVENT_EXIT, 2);
	expect(EVENT_FORK, 1);
	ck_assert_uint_eq(event_of(EVENT_CLONE, pid, true)->tid, event_of(EVENT_EXIT, pid, true)->tid);
	ck_assert_int_eq(event_of(EVENT_EXIT, pid, false)->parent_pid, getpid());
	close_reader();
}

static void *exit_later(void *argument)
{
	usleep(70000);
	_exit(9);
	return argument;
}

START_LIVE_TEST(a_process_ends_with_its_last_thread)
{
	const struct event *event;

	open_reader("exit", false, false);
	CHILD(pid)
	{
		pthread_t thread;

		if (pthread_create(&thread, NULL, exit_later, NULL) != 0)
			_exit(1);
		syscall(SYS_exit, 3); /* of this thread only */
	}
	ck_assert_int_eq(reap(pid), 9 << 8);
	expect(EVENT_EXIT, 1);
	event = event_of(EVENT_EXIT, pid, false);
	ck_assert_uint_eq(event->exit_code, sources.connector_error ? UINT32_MAX : 9 << 8);
	ck_assert_uint_ge(event->duration_ns, 70000000);
	close_reader();
}

static void *crash(void *argument)
{
	raise(SIGSEGV);
	return argument;
}

static _Noreturn void crash_with(unsigned cores, bool in_thread, const char *directory)
{
	const struct rlimit limit = { cores ? RLIM_INFINITY : 0, cores ? RLIM_INFINITY : 0 };
	pthread_t thread;

	signal(SIGSEGV, SIG_DFL); /* the address sanitizer has a handler */
	if (chdir(directory) < 0 || setrlimit(RLIMIT_CORE, &limit) < 0)
		_exit(1);
	if (in_thread && pthread_create(&thread, NULL, crash, NULL) == 0)
		pthread_join(thread, NULL);
	crash(NULL);
	_exit(1);
}

/* As wait() has it: the kernel tells of a core before it looks whether it may dump one. */
START_LIVE_TEST(cores_are_told_where_they_were_dumped)
{
	char directory[SCRATCH_PATH_MAX];
	pid_t pids[4];
	int statuses[4];
	size_t dumped = 0;

	open_reader("core,exit", true, false);
	scratch_directory(directory, "cores");
	for (unsigned i = 0; i < 4; i++) {
		CHILD(pid)
		crash_with(i & 1, i & 2, directory);
		pids[i] = pid;
		statuses[i] = reap(pid);
		ck_assert(WIFSIGNALED(statuses[i]));
		dumped += WCOREDUMP(statuses[i]) != 0;
	}
	expect(EVENT_EXIT, 4);
	expect(EVENT_CORE, dumped);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(event_of(EVENT_EXIT, pids[i], false)->exit_code, (uint32_t)statuses[i]);
		if (WCOREDUMP(statuses[i]))
			event_of(EVENT_CORE, pids[i], i & 2);
	}
	close_reader();
}

START_LIVE_TEST(a_thread_that_cannot_be_started_is_told)
{
	pthread_attr_t attributes;

	ck_assert_int_eq(pthread_attr_init(&attributes), 0);
	ck_assert_int_eq(pthread_attr_setstacksize(&attributes, SIZE_MAX - SIZE_MAX / 16), 0);
	ck_assert_int_eq(pthread_setattr_default_np(&attributes), 0);
	open_reader("fork", false, false);
	ck_assert_int_eq(reader_update(&process_event_reader, &sample), -EAGAIN);
	ck_assert_str_eq(env_failed_path(&env, -EAGAIN), EVENT_THREAD);
	close_reader();
}
