/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of what is set of a process: lists of CPUs as people write them; a child against /proc; how it is
 * started, confined, and ends; and of what tells others of this one.
 */
#include "suite.h"

#include <sched.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "core/buffer.h"
#include "kernel/pid/pid_stat.h"
#include "sys/descriptor.h"
#include "sys/file_changes.h"
#include "sys/privilege.h"
#include "sys/process.h"

START_TEST(lists_of_cpus_are_read_and_written)
{
	static const char *const cases[][2] = { /* what is written; NULL: it is no list */
		{ "0", "0" },		 { "0-1", "0-1" },
		{ "2,0,1", "0-2" },	 { "63,64,65,127,128", "63-65,127-128" },
		{ "1-3,2-5,9", "1-5,9" }, { "0,8191", "0,8191" },
		{ "8190-8191", "8190-8191" }, { "8192", NULL },
		{ "", NULL }, { "x", NULL }, { "1,", NULL }, { "1-", NULL }, { "3-2", NULL },
		{ "1 ", NULL }, { "-1", NULL }, { "1-2-3", NULL }, { "1;2", NULL },
	};
	char text[CONTROL_LIST_MAX];
	struct control_cpus cpus;
	unsigned last;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool read = control_cpus_parse(span_text(cases[i][0]), &cpus);

		ck_assert_msg(read == (cases[i][1] != NULL), "%s", cases[i][0]);
		if (read) {
			control_cpus_text(&cpus, text);
			ck_assert_str_eq(text, cases[i][1]);
		}
	}
	/* a long list is cut where there is no room: behind a number */
	memset(&cpus, 0x55, sizeof(cpus));
	control_cpus_text(&cpus, text);
	ck_assert_uint_ge(strlen(text), CONTROL_LIST_MAX - 6);
	ck_assert_int_eq(sscanf(strrchr(text, ','), ",%u", &last), 1);
	ck_assert_uint_eq(last % 2, 0);
}

START_TEST(policies_have_names)
{
	static const struct {
		const char *name;
		int policy;
	} policies[] = { { "other", SCHED_OTHER }, { "fifo", SCHED_FIFO }, { "rr", SCHED_RR },
			 { "batch", SCHED_BATCH }, { "idle", SCHED_IDLE }, { "deadline", 6 },
			 { "ext", 7 } };
	int policy;

	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		ck_assert_str_eq(control_policy_name(policies[i].policy), policies[i].name);
		ck_assert(control_policy_find(span_text(policies[i].name), &policy));
		ck_assert_int_eq(policy, policies[i].policy);
	}
	ck_assert_str_eq(control_policy_name(4), "?");
	ck_assert(!control_policy_find(span_text("othe"), &policy));
	ck_assert(!control_policy_find(span_text(""), &policy));
}

static pid_t start_child(void)
{
	pid_t child = begin_child();

	if (child == 0) {
		pause();
		_exit(0);
	}
	return child;
}

/* What the kernel says of it. */
static void assert_status(pid_t child, const char *line)
{
	char text[256];
	bool found = false;
	FILE *file;

	file = fopen(textf("/proc/%d/status", (int)child), "r");
	ck_assert_ptr_nonnull(file);
	while (fgets(text, sizeof(text), file))
		found |= strcmp(text, line) == 0;
	fclose(file);
	ck_assert_msg(found, "no line %s", line);
}

START_TEST(a_child_gets_cpus_a_policy_and_a_class)
{
	const struct control_policy batch = { .policy = SCHED_BATCH };
	const struct control_policy wrong = { .policy = SCHED_BATCH, .priority = 5 };
	const struct control_io low = { .class = 2, .level = 6 };
	struct control_cpus before, one = { 0 }, now;
	struct control_policy policy = { .policy = 99 };
	char text[CONTROL_LIST_MAX];
	uint32_t pid = (uint32_t)start_child();
	struct control_io io;
	unsigned cpu = 0;

	ck_assert_int_eq(control_get_cpus(pid, &before), 0);
	control_cpus_text(&before, text);
	assert_status((pid_t)pid, textf("Cpus_allowed_list:\t%s\n", text));
	ck_assert_int_eq(sscanf(text, "%u", &cpu), 1);
	one.bits[cpu / (8 * sizeof(unsigned long))] = 1UL << cpu % (8 * sizeof(unsigned long));
	ck_assert_int_eq(control_set_cpus(pid, &one), 0);
	assert_status((pid_t)pid, textf("Cpus_allowed_list:\t%u\n", cpu));
	ck_assert_int_eq(control_get_cpus(pid, &now), 0);
	ck_assert_mem_eq(&now, &one, sizeof(now));
	ck_assert_int_eq(control_set_cpus(pid, &(struct control_cpus){ 0 }), -EINVAL);
	ck_assert_int_eq(control_get_policy(pid, &policy), 0);
	ck_assert_int_eq(policy.policy, sched_getscheduler(0) & ~SCHED_RESET_ON_FORK);
	ck_assert_int_eq(control_set_policy(pid, &batch), 0);
	ck_assert_int_eq(control_get_policy(pid, &policy), 0);
	ck_assert(policy.policy == SCHED_BATCH && policy.priority == 0);
	ck_assert_int_eq(control_set_policy(pid, &wrong), -EINVAL);
	ck_assert_int_eq(control_set_io(pid, &low), 0);
	ck_assert_int_eq(control_get_io(pid, &io), 0);
	ck_assert(io.class == 2 && io.level == 6);
	end_child((pid_t)pid);
	ck_assert_int_eq(control_get_cpus(pid, &now), -ESRCH);
	ck_assert_int_eq(control_set_cpus(pid, &one), -ESRCH);
	ck_assert_int_eq(control_get_policy(pid, &policy), -ESRCH);
	ck_assert_int_eq(control_set_policy(pid, &batch), -ESRCH);
	ck_assert_int_eq(control_get_io(pid, &io), -ESRCH);
	ck_assert_int_eq(control_set_io(pid, &low), -ESRCH);
}

/* It ends, is a zombie, and is gone; only then is its number free. */
START_TEST(the_end_of_a_process_is_seen)
{
	pid_t child = fork();
	siginfo_t info;
	int watch, status = 7, waited;

	if (child == 0) {
		pause();
		_exit(1);
	}
	ck_assert_int_gt(child, 0);
	watch = exit_watch_open((uint32_t)child);
	if (watch == -ENOSYS)
		skip_test("this kernel has no descriptors of processes");
	ck_assert_int_ge(watch, 0);
	ck_assert(!exit_watch_ended(watch) && !exit_watch_reaped(watch));
	ck_assert(!exit_watch_status(watch, &status) && status == 7);
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	ck_assert(exit_watch_ended(watch) && !exit_watch_reaped(watch));
	ck_assert_int_eq(waitpid(child, &waited, 0), child);
	ck_assert(exit_watch_ended(watch) && exit_watch_reaped(watch));
	if (exit_watch_status(watch, &status)) /* since Linux 6.15 */
		ck_assert_int_eq(status, waited);
	else
		ck_assert_int_eq(status, 7);
	close(watch);
	ck_assert(!exit_watch_status(-1, &status));
	ck_assert_int_eq(exit_watch_open((uint32_t)child), -ESRCH);
}

static char *read_all(int fd)
{
	struct buffer text = { 0 };

	ck_assert_int_eq(buffer_read(&text, fd, 65536), 0);
	buffer_char(&text, '\0');
	close(fd);
	return text.bytes;
}

/* What a shell started so writes; it goes on only when it has read something. */
static char *output_of(struct spawn_plan plan, const char *script, const char *variable)
{
	char *words[] = { (char *)"sh", (char *)"-c", (char *)(uintptr_t)script, NULL };
	char *variables[] = { (char *)(uintptr_t)variable, NULL };
	int in[2], out[2];
	pid_t pid = 0;

	ck_assert(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
	ck_assert_int_eq(write(in[1], "typed\n", 6), 6);
	plan.words = words;
	plan.variables = variables;
	plan.in = in[0];
	plan.out = plan.err = out[1];
	ck_assert_int_eq(spawn_command(&plan, &pid), 0);
	close(in[0]);
	close(in[1]);
	close(out[1]);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	return read_all(out[0]);
}

START_TEST(a_command_has_its_own_input_output_and_variables)
{
	char *text = output_of((struct spawn_plan){ 0 }, "read x; echo \"$x $V\"; echo e >&2", "V=value");

	ck_assert_str_eq(text, "typed value\ne\n");
	free(text);
}

/* Blocked and ignored signals are ours alone. */
START_TEST(a_command_has_the_usual_signals)
{
	struct pid_signals signals;
	sigset_t all;
	char *text;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	text = output_of((struct spawn_plan){ 0 }, "exec cat /proc/self/status", "V=1");
	ck_assert(pid_status_signals(span_text(text), &signals));
	ck_assert_uint_eq(signals.blocked, 0);
	ck_assert_uint_eq(signals.ignored >> (SIGPIPE - 1) & 1, 0);
	ck_assert_uint_eq(signals.ignored >> (SIGXFSZ - 1) & 1, 0);
	free(text);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
}

START_TEST(a_command_leads_a_group_or_a_session)
{
	for (int own = 0; own < 3; own++) {
		const struct spawn_plan plan = { .own_group = own >= 1, .own_session = own == 2 };
		char *text = output_of(plan, "exec cat /proc/self/stat", "V=1");
		struct span rest = span_text(text);
		struct pid_stat stat;
		uint64_t pid;

		ck_assert(span_u64(&rest, &pid) && pid_stat_parse(span_text(text), &stat));
		ck_assert_int_eq(stat.process_group == (int)pid, own >= 1);
		ck_assert_int_eq(stat.session == (int)pid, own == 2);
		ck_assert(own == 2 || stat.session == getsid(0));
		free(text);
	}
}

START_TEST(a_command_has_a_limit_of_open_files)
{
	struct rlimit before, after;
	char wanted[32], *text;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	text = output_of((struct spawn_plan){ .files = 123 }, "ulimit -n", "V=1");
	ck_assert_str_eq(text, "123\n");
	free(text);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &after), 0);
	ck_assert(after.rlim_cur == before.rlim_cur && after.rlim_max == before.rlim_max);
	text = output_of((struct spawn_plan){ 0 }, "ulimit -n", "V=1");
	snprintf(wanted, sizeof(wanted), "%llu\n", (unsigned long long)before.rlim_cur);
	if (before.rlim_cur != RLIM_INFINITY)
		ck_assert_str_eq(text, wanted);
	free(text);
}

START_TEST(a_command_that_is_not_there)
{
	char *words[] = { (char *)"/none/at/all", NULL }, *variables[] = { NULL };
	const struct spawn_plan plan = { .words = words, .variables = variables, .out = 1, .err = 2 };
	pid_t pid;

	ck_assert_int_eq(spawn_command(&plan, &pid), ENOENT);
}

static ssize_t output_within(const char *script, uint64_t ns, char *bytes, size_t room, int *status)
{
	const char *const words[] = { "/bin/sh", "-c", script, NULL };

	*status = -1;
	return program_output(words, 0, ns, bytes, room, status);
}

START_TEST(a_program_is_read_without_variables)
{
	const uint64_t long_ns = UINT64_C(60000000000);
	const char *const none[] = { "/none/at/all", NULL };
	char bytes[64];
	int status;

	ck_assert_int_eq(output_within("read x || printf '[%s]' \"$HOME$x\"; echo e >&2; exit 3", long_ns,
				       bytes, sizeof(bytes), &status), 2);
	ck_assert_mem_eq(bytes, "[]", 2);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	ck_assert_int_eq(output_within("", long_ns, bytes, sizeof(bytes), &status), 0);
	ck_assert_int_eq(output_within("printf 123456", long_ns, bytes, 7, &status), 6);
	ck_assert_int_eq(output_within("printf 1234567", long_ns, bytes, 7, &status), -EFBIG);
	ck_assert_int_eq(program_output(none, 0, long_ns, bytes, sizeof(bytes), &status), -ENOENT);
}

/* It is killed, also when only its output has ended. */
START_TEST(a_program_that_takes_too_long)
{
	char bytes[64];
	int status;

	ck_assert_int_eq(output_within("echo $$; exec sleep 1000", 50000000, bytes, sizeof(bytes), &status),
			 -ETIMEDOUT);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ck_assert(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	ck_assert_int_eq(output_within("exec >&-; exec sleep 1000", 50000000, bytes, sizeof(bytes), &status),
			 -ETIMEDOUT);
	ck_assert(WIFSIGNALED(status));
}

/* It can use what is open, and opens nothing. */
START_TEST(a_confined_process_has_memory_and_descriptors)
{
	int fds[2], status;
	pid_t child;
	char byte;

	ck_assert_int_eq(pipe(fds), 0);
	child = fork();
	if (child == 0) {
		bool right;

		if (confine_process() == -ENOTSUP)
			_exit(2);
		right = write(fds[1], "x", 1) == 1 && read(fds[0], &byte, 1) == 1 && byte == 'x' &&
			open("/", O_RDONLY) == -1 && errno == EPERM &&
			socket(AF_UNIX, SOCK_STREAM, 0) == -1 && errno == EPERM && fork() == -1 &&
			errno == EPERM && kill(getpid(), 0) == -1 && errno == EPERM;
		syscall(SYS_exit_group, !right); /* sanitizers do more in _exit() than is allowed */
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		skip_test("processes of this architecture are not confined");
	ck_assert_int_eq(status, 0);
	close(fds[0]);
	close(fds[1]);
}

/* What the manager hears at this socket; "": nothing. */
static const char *heard(const char *name, const char *told)
{
	static char text[64];
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	ssize_t got;

	memcpy(address.sun_path, name, strlen(name));
	if (*name == '@')
		address.sun_path[0] = '\0';
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, length), 0);
	if (told)
		setenv("NOTIFY_SOCKET", told, 1);
	else
		unsetenv("NOTIFY_SOCKET");
	service_notify("READY=1");
	got = recv(fd, text, sizeof(text) - 1, 0);
	text[got > 0 ? got : 0] = '\0';
	close(fd);
	unlink(name);
	return text;
}

START_TEST(a_manager_hears_at_the_socket_that_it_names)
{
	char directory[SCRATCH_PATH_MAX];
	const char *path, *abstract;

	scratch_directory(directory, "notify");
	path = textf("%s/s", directory);
	abstract = textf("@%s", directory);
	ck_assert_int_eq(chdir(directory), 0);
	ck_assert_str_eq(heard(path, path), "READY=1");
	ck_assert_str_eq(heard(abstract, abstract), "READY=1");
	ck_assert_str_eq(heard(path, NULL), "");
	ck_assert_str_eq(heard(path, ""), "");
	ck_assert_str_eq(heard(path, "s"), ""); /* no path from the root */
	ck_assert_str_eq(heard(path, "/"), "");
	ck_assert_str_eq(heard(path, textf("/%0200d", 0)), ""); /* too long */
}

/* Of a resource that no kernel has: rounded up to steps of 2 s, which users without rights may have. */
START_TEST(windows_of_pressure_have_bounds)
{
	static const double windows[][2] = { { 0.1, 2 }, { 0.5, 2 }, { 1, 2 },    { 2, 2 },
					     { 3, 4 },   { 4, 4 },   { 9.5, 10 }, { 50, 10 } };

	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		double seconds = windows[i][0];

		ck_assert_int_eq(pressure_trigger_open("none", false, 0.5, &seconds), -ENOENT);
		ck_assert_double_eq(seconds, windows[i][1]);
	}
}
