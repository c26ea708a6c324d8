/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads proc files and the clock of a process, and never waits for it in the kernel. */
#include <config.h>

#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sys/loop.h"
#include "sys/privilege.h"

#define END_MS 100
#define PROC_PATH_MAX 64
#define STAT_BYTES 1024

size_t process_read(pid_t pid, const char *name, char *text, size_t room)
{
	char path[PROC_PATH_MAX];
	ssize_t length = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		length = read(fd, text, room - 1);
		close(fd);
	}
	text[length > 0 ? length : 0] = '\0';
	return length > 0 ? (size_t)length : 0;
}

uint64_t child_cpu_ns(pid_t child)
{
	clockid_t clock;

	return clock_getcpuclockid(child, &clock) == 0 ? clock_now_ns(&real_clock, clock) : 0;
}

static bool is_in_state(pid_t child, char wanted)
{
	char text[STAT_BYTES];
	const char *state = process_read(child, "stat", text, sizeof(text)) > 0 ? strrchr(text, ')') : NULL;

	return state && state[1] == ' ' && state[2] == wanted;
}

bool child_waits_for_disk(pid_t child)
{
	return is_in_state(child, 'D');
}

bool child_runs(pid_t child)
{
	return is_in_state(child, 'R');
}

void process_name(pid_t pid, char *name, size_t room)
{
	process_read(pid, "comm", name, room);
	name[strcspn(name, "\n")] = '\0';
}

bool child_has_ended(pid_t child)
{
	return waitpid(child, NULL, WNOHANG) != 0;
}

bool child_end(pid_t child)
{
	kill(child, SIGKILL);
	for (int i = 0; i < END_MS; i++) {
		if (child_has_ended(child))
			return true;
		poll(NULL, 0, 1);
	}
	return false;
}

/* Not by posix_spawn(3), which waits until the program is opened: its file may be on a mount that hangs. */

#define EARLY_MAX 1024
#define EXEC_MS 300 /* then its file does not answer, and it is on its own */

/* What is ignored by panetop alone is not, nor what it handles; nothing is blocked. */
static void restore_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) == 0 &&
		    (action.sa_handler != SIG_IGN || number == SIGPIPE || number == SIGXFSZ))
			signal(number, SIG_DFL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the new process: only what is safe between fork(2) and exec(3). Those above the limit stay open. */
static _Noreturn void become(const struct spawn_plan *plan, int report)
{
	struct rlimit ours;
	int error;

	if (plan->own_session)
		setsid();
	else if (plan->own_group)
		setpgid(0, 0);
	dup2(plan->in, STDIN_FILENO);
	dup2(plan->out, STDOUT_FILENO);
	dup2(plan->err, STDERR_FILENO);
	if (plan->files > 0 && getrlimit(RLIMIT_NOFILE, &ours) == 0)
		setrlimit(RLIMIT_NOFILE,
			  &(struct rlimit){ .rlim_cur = plan->files, .rlim_max = ours.rlim_max });
	restore_signals();
	/* What exec(3) would close, but for report: who hangs there must keep no pipe or address. */
	for (int fd = STDERR_FILENO + 1; fd < EARLY_MAX; fd++) {
		int flags = fcntl(fd, F_GETFD);

		if (flags >= 0 && (flags & FD_CLOEXEC) && fd != report)
			close(fd);
	}
	if (plan->ends_with_us)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	privilege_lend(plan->lends);
	execvpe(plan->words[0], plan->words, plan->variables);
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

int spawn_command(const struct spawn_plan *plan, pid_t *pid)
{
	struct pollfd ready = { .events = POLLIN };
	int report[2], error, status;
	sigset_t all, before;

	if (pipe2(report, O_CLOEXEC) < 0)
		return errno;
	ready.fd = report[0];
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	*pid = fork();
	if (*pid == 0)
		become(plan, report[1]);
	error = *pid < 0 ? errno : 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(report[1]);
	/* What the new process reports; nothing: its program runs, or does not answer. */
	if (!error &&
	    (poll(&ready, 1, EXEC_MS) <= 0 || read(report[0], &error, sizeof(error)) != sizeof(error)))
		error = 0;
	close(report[0]);
	if (error && *pid > 0)
		spawn_kill(*pid, &status);
	return error;
}

void spawn_signal(pid_t pid, int number)
{
	kill(-pid, number);
	if (getpgid(pid) != pid)
		kill(pid, number);
}

bool spawn_kill(pid_t pid, int *status)
{
	struct patience patience = { 0 };

	*status = SIGKILL;
	spawn_signal(pid, SIGKILL);
	while (waitpid(pid, status, WNOHANG) == 0)
		if (!patience_lasts(&patience))
			return false;
	return true;
}

/* What it writes until it closes its output; -ETIMEDOUT, -EFBIG. */
static ssize_t read_output(int fd, uint64_t until_ns, char *bytes, size_t room)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	size_t length = 0;
	ssize_t got;

	for (;;) {
		uint64_t now_ns = real_mono_ns();

		if (now_ns >= until_ns || poll(&ready, 1, (int)((until_ns - now_ns) / 1000000 + 1)) == 0)
			return -ETIMEDOUT;
		got = read(fd, bytes + length, room - length);
		if (got == 0)
			return length < room ? (ssize_t)length : -EFBIG;
		if (got < 0 && errno != EINTR)
			return -errno;
		length += got > 0 ? (size_t)got : 0;
	}
}

/* It has closed its output, and is about to end. */
static bool has_ended_by(pid_t pid, uint64_t until_ns, int *status)
{
	while (waitpid(pid, status, WNOHANG) == 0) {
		if (real_mono_ns() >= until_ns)
			return false;
		poll(NULL, 0, 1);
	}
	return true;
}

ssize_t program_output(const char *const *words, uint64_t lends, uint64_t ns, char *bytes, size_t room,
		       int *status)
{
	uint64_t until_ns = real_mono_ns() + ns;
	struct spawn_plan plan = { .words = (char *const *)words, .variables = (char *const[]){ NULL },
				   .own_session = true, .ends_with_us = true, .lends = lends };
	ssize_t length;
	int ends[2], error;
	pid_t pid;

	for (enum privilege_use use = PRIVILEGE_NONE; use < N_PRIVILEGE_USES; use++)
		if ((lends & PRIVILEGE_BIT(use)) && !privilege_may(use))
			return -EPERM;
	plan.in = plan.err = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (plan.in < 0)
		return -errno;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		error = errno;
		close(plan.in);
		return -error;
	}
	plan.out = ends[1];
	error = spawn_command(&plan, &pid);
	close(plan.in);
	close(ends[1]);
	length = error ? -error : read_output(ends[0], until_ns, bytes, room);
	close(ends[0]);
	if (!error && (length < 0 || !has_ended_by(pid, until_ns, status))) {
		spawn_kill(pid, status);
		length = length < 0 ? length : -ETIMEDOUT;
	}
	return length;
}

/* Waits by pauses: of a process that is traced, neither its pidfd nor SIGCHLD says when it can be reaped. */

#define LONG_NS UINT64_C(700000000)
#define SHORT_NS UINT64_C(30000000)    /* where another one has lasted its time … */
#define RECENT_NS UINT64_C(3000000000) /* … not long ago */
#define PAUSE_MIN_NS UINT64_C(50000)
#define PAUSE_MAX_NS UINT64_C(5000000)
#define AWAIT_NS UINT64_C(10000000000)
#define RUN_CPU_NS UINT64_C(5000000000)

static const struct machine_clock *clock_of(const struct machine_clock *clock)
{
	return clock ? clock : &real_clock;
}

bool patience_lasts(struct patience *patience)
{
	static _Atomic uint64_t lost_ns;
	const struct machine_clock *clock = clock_of(patience->clock);
	uint64_t now_ns = clock_mono_ns(clock), before_ns = atomic_load(&lost_ns);

	if (patience->until_ns == 0) {
		bool is_recent = before_ns > 0 && now_ns - before_ns < RECENT_NS;

		patience->until_ns = now_ns + (is_recent ? SHORT_NS : LONG_NS);
		patience->pause_ns = PAUSE_MIN_NS;
	}
	if (now_ns >= patience->until_ns) {
		atomic_store(&lost_ns, now_ns);
		return false;
	}
	clock->pause(clock, patience->pause_ns);
	if (patience->pause_ns < PAUSE_MAX_NS)
		patience->pause_ns *= 2;
	return true;
}

bool patience_join(pthread_t thread)
{
	struct patience patience = { 0 };
	clockid_t its;
	bool has_clock = pthread_getcpuclockid(thread, &its) == 0;
	uint64_t until_cpu_ns = has_clock ? clock_now_ns(&real_clock, its) + RUN_CPU_NS : 0;

	while (pthread_tryjoin_np(thread, NULL) != 0) {
		/* its clock has its TID: CPUCLOCK_PID of include/linux/posix-timers.h */
		if (patience.until_ns > 0 && has_clock && child_runs((pid_t) ~(its >> 3)) &&
		    clock_now_ns(&real_clock, its) < until_cpu_ns)
			patience.until_ns = clock_mono_ns(&real_clock) + LONG_NS;
		if (!patience_lasts(&patience)) {
			pthread_detach(thread);
			return false;
		}
	}
	return true;
}

bool patience_lock(pthread_mutex_t *lock)
{
	struct patience patience = { 0 };

	while (pthread_mutex_trylock(lock) != 0)
		if (!patience_lasts(&patience))
			return false;
	return true;
}

bool progress_goes_on(struct progress *progress)
{
	atomic_fetch_add_explicit(&progress->steps, 1, memory_order_relaxed);
	return !atomic_load_explicit(&progress->cancelled, memory_order_relaxed);
}

bool patience_await(struct progress *progress)
{
	const struct machine_clock *clock = clock_of(progress->clock);
	uint64_t until_ns = clock_mono_ns(clock) + AWAIT_NS;
	struct patience patience = { .clock = clock };
	unsigned before = 0;

	while (!atomic_load(&progress->ready)) {
		unsigned steps = atomic_load(&progress->steps);

		if (steps != before)
			patience.until_ns = 0;
		before = steps;
		if (loop_signal_waits() || clock_mono_ns(clock) >= until_ns || !patience_lasts(&patience))
			return false;
	}
	return true;
}

/* A pidfd, which since Linux 6.15 keeps the exit status of a process that its parent has reaped. */

/* As linux/pidfd.h has it since Linux 6.15. */
struct exit_info {
	__u64 mask, cgroup;
	__u32 ids[11]; /* of the process and its users */
	__s32 exit_code;
};

#define GET_INFO _IOWR(0xFF, 11, struct exit_info)
#define INFO_EXIT (UINT64_C(1) << 3)

int exit_watch_open(uint32_t pid)
{
	int fd = (int)system_call(SYS_pidfd_open, (pid_t)pid, 0);

	return fd < 0 ? -errno : fd;
}

bool exit_watch_ended(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	return poll(&ready, 1, 0) > 0;
}

bool exit_watch_reaped(int fd)
{
	return system_call(SYS_pidfd_send_signal, fd, 0, NULL, 0) < 0 && errno == ESRCH;
}

bool exit_watch_status(int fd, int *status)
{
	struct exit_info info = { .mask = INFO_EXIT };

	if (fd < 0 || ioctl(fd, GET_INFO, &info) < 0 || !(info.mask & INFO_EXIT))
		return false;
	*status = info.exit_code;
	return true;
}

void service_notify(const char *state)
{
	const char *path = secure_getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = path ? strlen(path) : 0;
	int fd;

	if (length < 2 || length >= sizeof(address.sun_path) || !strchr("/@", *path))
		return;
	memcpy(address.sun_path, path, length);
	if (*path == '@') /* not in the file system */
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
	close(fd);
}

/* Affinity, scheduling policy and I/O priority of threads. */

#define WORD_BITS (8 * sizeof(unsigned long))
#define IO_WHO_PROCESS 1 /* IOPRIO_WHO_PROCESS: a thread */
#define IO_CLASS_SHIFT 13
#define IO_LEVEL_MASK 7u /* newer kernels have hints above it */

static bool has_cpu(const struct control_cpus *cpus, uint32_t cpu)
{
	return cpus->bits[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1;
}

static void add_cpu(struct control_cpus *cpus, uint32_t cpu)
{
	cpus->bits[cpu / WORD_BITS] |= 1UL << (cpu % WORD_BITS);
}

bool control_cpus_parse(struct span list, struct control_cpus *cpus)
{
	uint64_t first, last;

	*cpus = (struct control_cpus){ 0 };
	do {
		if (!span_u64(&list, &first))
			return false;
		last = first;
		if (span_char(&list, '-') && !span_u64(&list, &last))
			return false;
		if (first > last || last >= CONTROL_CPUS_MAX)
			return false;
		for (uint64_t cpu = first; cpu <= last; cpu++)
			add_cpu(cpus, (uint32_t)cpu);
	} while (span_char(&list, ','));
	return span_length(list) == 0;
}

void control_cpus_text(const struct control_cpus *cpus, char text[CONTROL_LIST_MAX])
{
	char range[32];
	size_t used = 0;

	*text = '\0';
	for (unsigned cpu = 0; cpu < CONTROL_CPUS_MAX; cpu++) {
		unsigned first = cpu;
		int length;

		if (!has_cpu(cpus, cpu))
			continue;
		while (cpu + 1 < CONTROL_CPUS_MAX && has_cpu(cpus, cpu + 1))
			cpu++;
		length = snprintf(range, sizeof(range), first < cpu ? "%s%u-%u" : "%s%u", used > 0 ? "," : "",
				  first, cpu);
		if (used + (size_t)length >= CONTROL_LIST_MAX)
			return;
		memcpy(text + used, range, (size_t)length + 1);
		used += (size_t)length;
	}
}

/* The C library's functions have room for 1024 CPUs only. */
int control_get_cpus(uint32_t tid, struct control_cpus *cpus)
{
	*cpus = (struct control_cpus){ 0 };
	return syscall(SYS_sched_getaffinity, (pid_t)tid, sizeof(*cpus), cpus->bits) < 0 ? -errno : 0;
}

int control_set_cpus(uint32_t tid, const struct control_cpus *cpus)
{
	return system_call(SYS_sched_setaffinity, (pid_t)tid, sizeof(*cpus), cpus->bits) < 0 ? -errno : 0;
}

static const struct {
	const char *name;
	int policy;
} policies[] = {
	{ "other", SCHED_OTHER }, { "batch", SCHED_BATCH }, { "idle", SCHED_IDLE }, { "fifo", SCHED_FIFO },
	{ "rr", SCHED_RR },       { "deadline", 6 },        { "ext", 7 },
};

const char *control_policy_name(int policy)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
		if (policies[i].policy == policy)
			return policies[i].name;
	return "?";
}

bool control_policy_find(struct span name, int *policy)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		if (!span_is(name, policies[i].name))
			continue;
		*policy = policies[i].policy;
		return true;
	}
	return false;
}

int control_get_policy(uint32_t tid, struct control_policy *policy)
{
	struct sched_param parameters;
	int number = sched_getscheduler((pid_t)tid);

	if (number < 0 || sched_getparam((pid_t)tid, &parameters) < 0)
		return -errno;
	policy->policy = number & ~SCHED_RESET_ON_FORK;
	policy->priority = (unsigned)parameters.sched_priority;
	return 0;
}

int control_set_policy(uint32_t tid, const struct control_policy *policy)
{
	const struct sched_param parameters = { .sched_priority = (int)policy->priority };

	return system_call_by(SYS_sched_setscheduler,
			      sched_setscheduler((pid_t)tid, policy->policy, &parameters)) < 0
		       ? -errno
		       : 0;
}

int control_get_io(uint32_t tid, struct control_io *io)
{
	long value = system_call(SYS_ioprio_get, IO_WHO_PROCESS, (pid_t)tid);

	if (value < 0)
		return -errno;
	io->class = (unsigned)value >> IO_CLASS_SHIFT & 7;
	io->level = (unsigned)value & IO_LEVEL_MASK;
	return 0;
}

int control_set_io(uint32_t tid, const struct control_io *io)
{
	unsigned value = io->class << IO_CLASS_SHIFT | io->level;

	return system_call(SYS_ioprio_set, IO_WHO_PROCESS, (pid_t)tid, value) < 0 ? -errno : 0;
}

/*
 * Each translation is tagged with the number of its address space. On x86 Linux has six numbers on each CPU
 * (TLB_NR_DYN_ASIDS) and gives them in turn to what runs there; a number is flushed when it is given again.
 * After more address spaces than that have run on a CPU, no process has its former number there. A CPU
 * without numbers (PCID) flushes all at each switch. The numbers of AMD's INVLPGB, which are the same on all
 * CPUs, and those of ARM, of which there are more than processes, are not given again.
 */

#define N_COPIES 8 /* a few more than there are numbers */
#define STACK_BYTES 16384

/* In a copy. Ends it with the errno of a failure. */
static int visit_cpus(void *context)
{
	const struct control_cpus *allowed = context;

	for (uint32_t cpu = 0; cpu < CONTROL_CPUS_MAX; cpu++) {
		struct control_cpus one = { 0 };
		int error = 0;

		if (has_cpu(allowed, cpu)) {
			add_cpu(&one, cpu);
			error = control_set_cpus(0, &one);
		}
		if (error && error != -EINVAL) /* that is a CPU which went offline meanwhile */
			_exit(-error);
	}
	_exit(0);
}

static uint64_t nanoseconds(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

/* The errno of its failure. */
static int wait_for(pid_t copy, uint64_t *cpu_ns)
{
	struct rusage used = { 0 };
	int status = 0;

	while (wait4(copy, &status, __WALL, &used) < 0)
		if (errno != EINTR)
			return errno;
	*cpu_ns += nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

int tlb_drop(uint64_t *cpu_ns)
{
	_Alignas(16) char stack[STACK_BYTES]; /* each copy has its own */
	struct control_cpus allowed;
	pid_t copies[N_COPIES];
	int error = control_get_cpus(0, &allowed), n = 0;

	*cpu_ns = 0;
	/* no signal tells other parts of panetop that a copy ends */
	for (; !error && n < N_COPIES; n++) {
		copies[n] = clone(visit_cpus, stack + STACK_BYTES, 0, &allowed);
		if (copies[n] < 0) {
			error = -errno;
			break;
		}
	}
	while (n > 0) {
		int failure = wait_for(copies[--n], cpu_ns);

		if (failure)
			error = -failure;
	}
	return error;
}
