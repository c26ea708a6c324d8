/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes of this machine, and of a proc of our own where files of rows cannot say it. */
#include "rig.h"

#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "sys/helper.h"
#include "sys/machine_thread.h"
#include "topic/process/process_ends.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

static struct rig rig;

/* A copy of nothing, for processes. */
static void open_own(const char *const *names)
{
	rig_open(&rig, "empty", names);
	rig_put(&rig, "proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n");
}

static void write_process(int pid, const char *name, unsigned ticks)
{
	rig_put(&rig, textf("proc/%d/stat", pid),
		"%d (%s) S 1 1 1 0 -1 4 100 0 9 0 %u 0 40 0 20 -5 3 0 500 1000 25 0\n", pid, name, ticks);
}

static const void *row_of(int pid)
{
	return find_number(rig.now, "process", "pid", pid);
}

static double number_of(int pid, const char *column)
{
	return table_number(frame_table(rig.now, "process"), row_of(pid), column);
}

static const char *command_of(int pid)
{
	return table_text(frame_table(rig.now, "process"), row_of(pid), "command");
}

START_TEST(growth_in_steps_is_even)
{
	struct pool pool = { .size = sizeof(struct process) };
	struct process *process = process_new(&pool, 7);
	uint64_t second = UINT64_C(1000000000), start = 5 * second;
	double growth;

	/* a MiB every two seconds */
	for (uint64_t i = 0; i <= 60; i++) {
		growth = process_growth(process, (100 + i / 2) << 20, start + i * second);
		ck_assert(i >= 3 || isnan(growth)); /* programs grow when they start */
		if (i >= 10)
			ck_assert_double_eq_tol(growth / (1 << 20), 0.5, 0.051);
	}
	ck_assert(isnan(process_growth(process, U64_UNKNOWN, start + 61 * second)));
	/* what stands still no longer grows 20 s later; what shrinks is negative */
	for (uint64_t i = 61; i <= 81; i++)
		growth = process_growth(process, UINT64_C(130) << 20, start + i * second);
	ck_assert_double_eq(growth, 0);
	ck_assert_double_lt(process_growth(process, UINT64_C(90) << 20, start + 82 * second), 0);
	process_free(&pool, process);
	pool_free(&pool);
}

static const char *const account_topics[] = { "account", "exited", NULL };

#define MOVED 300 /* the last of more processes than have their turn in a tick */

/* Its children are of the scope from then on. */
START_TEST(a_process_that_runs_is_moved)
{
	struct scope scope = { 0 };
	struct process_list *list;

	open_own(TOPICS("process"));
	for (int pid = 7; pid <= MOVED; pid++) {
		write_process(pid, "make", 100);
		rig_put(&rig, textf("proc/%d/cgroup", pid), "0::/\n");
	}
	rig_set_scope(&rig, &scope, "cgroup=/g");
	rig_next(&rig);
	list = reader_state(&process_reader, &rig.env);
	ck_assert(process_list_find(list, MOVED)->outside);
	rig_put(&rig, textf("proc/%d/cgroup", MOVED), "0::/g\n");
	write_process(MOVED, "make", 105);
	rig_next(&rig);
	ck_assert(!process_list_find(list, MOVED)->outside);
	ck_assert(process_list_find(list, MOVED - 1)->outside);
	rig_close(&rig);
	scope_free(&scope);
}

#define PROGRAMS 600 /* more that run than the helper takes command lines of at a time */

/* Only once all command lines are read is a program known to be missing. */
START_TEST(a_program_is_found_among_many_that_run)
{
	struct scope scope = { 0 };

	open_own(TOPICS("process"));
	for (int pid = 7; pid <= PROGRAMS; pid++) {
		write_process(pid, "sh", 100);
		rig_put(&rig, textf("proc/%d/cmdline", pid), "/bin/program-%d", pid);
	}
	for (int pid = 7; pid <= PROGRAMS; pid++)
		write_process(pid, "sh", 105);
	rig.request.processes = "program-600";
	rig_set_scope(&rig, &scope, "pid=program-600");
	rig_next(&rig);
	ck_assert(rig.now->named_there);
	ck_assert(!rig.now->named_absent);
	ck_assert(!has_notice(rig.now, "there is no process"));
	rig_close(&rig);
	scope_free(&scope);
}

/* Of seconds 8251.33 - 3.47 - 0.12 is less than it was by a rounding error: then nothing was known. */
START_TEST(an_idle_machine_is_known_to_be_idle)
{
	open_own(TOPICS("cpu"));
	for (unsigned i = 0; i < 600; i++) {
		unsigned user = 71311 + i / 100, idle = 825133 + 97 * i, waits = 347 + i % 7 * (i / 7);

		rig_put(&rig, "proc/stat",
			"cpu  %u 12 4201 %u %u 0 31 7 0 0\ncpu0 %u 12 4201 %u %u 0 31 7 0 0\n", user, idle,
			waits, user, idle, waits);
		rig_next(&rig);
		if (i > 0) {
			ck_assert_double_ge(cell_f64(rig.now, "cpu", "0", "busy_ratio"), 0);
			ck_assert_double_ge(cell_f64(rig.now, "cpu", "all", "busy_ratio"), 0);
			ck_assert_double_ge(cell_f64(rig.now, "cpu", "all", "idle_ratio"), 0);
		}
	}
	rig_close(&rig);
}

static uint64_t own_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void burn(uint64_t ns)
{
	uint64_t until = own_cpu_ns() + ns;

	while (own_cpu_ns() < until)
		;
}

static void *burn_in_thread(void *context)
{
	struct timespec now;

	(void)context;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec == 0 && now.tv_nsec < 30000000);
	return NULL;
}

/* Burns when it is told to, in its own thread and two more, and tells its own clock. */
static void serve(int order, int answer)
{
	uint64_t ns;
	pthread_t threads[2];

	while (read(order, &ns, sizeof(ns)) == (ssize_t)sizeof(ns)) {
		for (int i = 0; i < 2 && ns > 0; i++)
			pthread_create(&threads[i], NULL, burn_in_thread, NULL);
		for (int i = 0; i < 2 && ns > 0; i++)
			pthread_join(threads[i], NULL);
		burn(ns);
		ns = own_cpu_ns();
		if (write(answer, &ns, sizeof(ns)) < 0)
			break;
	}
}

static struct ordered_child start_burner(void)
{
	return start_ordered_child(serve, NULL, 0);
}

static double burn_child(const struct ordered_child *child, uint64_t ns)
{
	give_order(child, &ns, sizeof(ns));
	take_answer(child, &ns, sizeof(ns));
	return (double)ns * 1e-9;
}

/* The time of a process of several threads is what its own clock says, and its rate is that over the
 * interval. */
START_TOLERANCE_TEST(times_are_those_of_the_process)
{
	struct ordered_child child = start_burner();
	double first, second, seconds;

	rig_open_live(&rig, TOPICS("process"));
	first = burn_child(&child, 10000000);
	rig_next(&rig);
	ck_assert_double_eq_tol(number_of(child.pid, "cpu_seconds"), first, 0.002);
	seconds = (double)frame_table(rig.now, "process")->mono_ns * 1e-9;
	second = burn_child(&child, 50000000);
	rig_next(&rig);
	seconds = (double)frame_table(rig.now, "process")->mono_ns * 1e-9 - seconds;
	ck_assert_double_eq_tol(number_of(child.pid, "cpu_ratio") * seconds, second - first, 0.003);
	ck_assert_double_ge(second - first, 0.1);
	end_ordered_child(&child);
	rig_next(&rig);
	ck_assert_ptr_null(row_of(child.pid));
	rig_close(&rig);
}

#define SLEEPERS 200

/* Which of the sleepers have an age of 0; each then has the new priority. None is older than the test. */
static int count_read(const struct ordered_child sleepers[], int nice, uint64_t begin_ns)
{
	double oldest = (double)(real_mono_ns() - begin_ns) / 1e9;
	int count = 0;

	for (int i = 0; i < SLEEPERS; i++) {
		double age = number_of(sleepers[i].pid, "stat_age_seconds");

		ck_assert_double_ge(age, 0);
		ck_assert_double_le(age, oldest);
		ck_assert(age > 0 || number_of(sleepers[i].pid, "nice") == nice);
		count += age == 0;
	}
	return count;
}

static int by_number(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return (one > other) - (one < other);
}

/* A process that does not run is read in turn, while the screen shows it, or after 15 seconds. */
START_LIVE_TEST(what_is_known_of_a_sleeper_has_an_age)
{
	static struct ordered_child sleepers[SLEEPERS];
	int nice = getpriority(PRIO_PROCESS, 0) + 1; /* an ordinary user can only raise it */
	uint64_t begin_ns = real_mono_ns();
	struct process_list *list;

	if (nice > 19)
		skip_test("it runs with the lowest priority");
	for (int i = 0; i < SLEEPERS; i++)
		sleepers[i] = start_burner();
	rig_open_live(&rig, TOPICS("process"));
	rig.request.no_bpf = true; /* where it walks over all tasks it reads those that have changed */
	rig_next(&rig);
	for (int i = 0; i < SLEEPERS; i++)
		burn_child(&sleepers[i], 0); /* it has begun, and waits for more */
	rig_next(&rig);
	for (int i = 0; i < SLEEPERS; i++)
		ck_assert_int_eq(setpriority(PRIO_PROCESS, (id_t)sleepers[i].pid, nice), 0);
	rig_next(&rig);
	count_read(sleepers, nice, begin_ns);
	for (int i = 0; i < 10; i++)
		rig.request.visible[i] = (uint32_t)sleepers[i * SLEEPERS / 10].pid;
	qsort(rig.request.visible, 10, sizeof(rig.request.visible[0]),
	      by_number); /* pids may begin again */
	rig.request.n_visible = 10;
	for (int tick = 0; tick < 3; tick++) {
		rig_next(&rig);
		for (int i = 0; i < 10; i++)
			ck_assert_double_eq(
				number_of((int)rig.request.visible[i], "stat_age_seconds"), 0);
		count_read(sleepers, nice, begin_ns);
	}
	list = reader_state(&process_reader, &rig.env);
	list->mono_ns -= UINT64_C(20000000000);
	rig_next(&rig);
	ck_assert_int_eq(count_read(sleepers, nice, begin_ns), SLEEPERS);
	rig_close(&rig);
	for (int i = SLEEPERS - 1; i >= 0; i--)
		end_ordered_child(&sleepers[i]);
}

/* A child with this pid, which burns so long and stays; -errno. */
static pid_t start_with_pid(pid_t pid, uint64_t burn_ns)
{
	struct clone_args how = { .exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = 1 };
	int burnt[2];
	long child;
	char byte;

	ck_assert_int_eq(pipe(burnt), 0);
	child = syscall(SYS_clone3, &how, sizeof(how));
	if (child == 0) {
		burn(burn_ns);
		if (write(burnt[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	if (child < 0)
		child = -errno;
	else
		ck_assert_int_eq(read(burnt[0], &byte, 1), 1);
	close(burnt[0]);
	close(burnt[1]);
	return (pid_t)child;
}

/*
 * A child that does not run has another parent as soon as its own has ended, reaped or not: also in the tick
 * in which their number is first so large that the kernel walks over them.
 */
START_LIVE_TEST(orphans_have_another_parent)
{
	static const struct {
		int children, options;
	} cases[] = { { 1, WEXITED | WNOWAIT }, { 1, WEXITED }, { 600, WEXITED } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char bytes[PROCESS_STAT_MAX];
		struct pid_stat stat;
		siginfo_t info;
		pid_t parent, child;
		int pids[2];

		ck_assert_int_eq(pipe(pids), 0);
		parent = fork();
		if (parent == 0) {
			setpgid(0, 0);
			for (int n = 0; n < cases[i].children && (child = fork()) > 0; n++)
				;
			if (child > 0 && write(pids[1], &child, sizeof(child)) != sizeof(child))
				_exit(1);
			for (;;)
				pause();
		}
		ck_assert_int_eq(read(pids[0], &child, sizeof(child)), sizeof(child));
		close(pids[0]);
		close(pids[1]);
		rig_open_live(&rig, TOPICS("process"));
		rig_next(&rig);
		ck_assert_double_eq(number_of(child, "ppid"), parent);
		kill(parent, SIGKILL);
		waitid(P_PID, (id_t)parent, &info, cases[i].options);
		rig_next(&rig);
		ck_assert(process_read_stat(&rig.env, (uint32_t)child, bytes, &stat));
		ck_assert_double_eq(number_of(child, "ppid"), (double)stat.parent_pid);
		ck_assert_double_ne(number_of(child, "ppid"), parent);
		kill(-parent, SIGKILL);
		waitpid(parent, NULL, 0);
		rig_close(&rig);
	}
}

/* Its clock does not go back, so that only the open file shows that it is another process. */
START_LIVE_TEST(a_pid_reused_by_one_that_ran_longer)
{
	struct ordered_child old = start_burner();
	double start, ran;
	pid_t young;

	rig_open_live(&rig, TOPICS("process", "account"));
	burn_child(&old, 1000000);
	rig_next(&rig);
	burn_child(&old, 1000000);
	rig_next(&rig); /* its file is open now */
	start = number_of(old.pid, "start_seconds");
	ran = number_of(old.pid, "cpu_seconds");
	end_ordered_child(&old);
	usleep(20000); /* the start is known to a hundredth of a second */
	young = start_with_pid(old.pid, (uint64_t)((ran + 0.1) * 1e9));
	if (young == -EPERM || young == -ENOSYS || young == -EEXIST)
		skip_test("no child with a chosen pid: %s", strerror(-young));
	ck_assert_int_eq(young, old.pid);
	rig_next(&rig);
	ck_assert_ptr_nonnull(row_of(young));
	ck_assert_double_gt(number_of(young, "start_seconds"), start);
	ck_assert_double_ge(number_of(young, "cpu_seconds"), ran + 0.1);
	ck_assert_double_gt(number_of(young, "cpu_ratio"), 0);
	rig_next(&rig);
	ck_assert_double_ge(number_of(young, "cpu_ratio"), 0);
	end_child(young);
	rig_close(&rig);
}

static double resident_by_status(pid_t pid)
{
	char line[128];
	double kib = NAN;
	FILE *file;

	file = fopen(textf("/proc/%d/status", (int)pid), "r");
	ck_assert_ptr_nonnull(file);
	while (isnan(kib) && fgets(line, sizeof(line), file))
		if (strncmp(line, "VmRSS:", 6) == 0)
			kib = strtod(line + 6, NULL);
	fclose(file);
	return kib * 1024;
}

/* It touched a few pages, which the CPU it ran on may not have added to the sum in its stat file. */
START_LIVE_TEST(resident_memory_is_exact)
{
	struct ordered_child child = start_burner();
	double before, now, after;

	rig_open_live(&rig, TOPICS("process"));
	rig_next(&rig);
	burn_child(&child, 1000000);
	rig.request.visible[0] = (uint32_t)child.pid;
	rig.request.n_visible = 1;
	do { /* memory is taken from it when the machine is short of it */
		before = resident_by_status(child.pid);
		rig_next(&rig);
		now = number_of(child.pid, "resident_bytes");
		after = resident_by_status(child.pid);
	} while (before != after);
	ck_assert_double_gt(now, 0);
	ck_assert_double_eq(now, after);
	end_ordered_child(&child);
	rig_close(&rig);
}

struct burner {
	pid_t tid;
	sem_t burnt, end;
};

static void *burn_and_stay(void *context)
{
	struct burner *burner = context;

	burner->tid = gettid();
	burn_in_thread(NULL);
	sem_post(&burner->burnt);
	sem_wait(&burner->end);
	return NULL;
}

/* A thread that was born since the last sample has its time, and its process all of them. */
START_LIVE_TEST(threads_are_told_apart)
{
	struct burner burner;
	const struct table *threads;
	pthread_t thread;
	const void *row;
	size_t own = 0;

	sem_init(&burner.burnt, 0, 0);
	sem_init(&burner.end, 0, 0);
	rig_open_live(&rig, TOPICS("process", "thread"));
	rig_next(&rig);
	pthread_create(&thread, NULL, burn_and_stay, &burner);
	sem_wait(&burner.burnt);
	rig_next(&rig);
	threads = frame_table(rig.now, "thread");
	for (size_t i = 0; i < threads->n_rows; i++)
		own += table_number(threads, table_row(threads, i), "pid") == getpid();
	ck_assert_uint_eq(own, 2);
	row = find_number(rig.now, "thread", "tid", burner.tid);
	ck_assert_double_eq_tol(table_number(threads, row, "cpu_seconds"), 0.03, 0.003);
	ck_assert_double_gt(table_number(threads, row, "cpu_ratio"), 0);
	ck_assert_double_eq(number_of(getpid(), "threads"), 2);
	sem_post(&burner.end);
	pthread_join(thread, NULL);
	rig_close(&rig);
}

/* Children that go by name, and how many then are counted in this row; NaN where nobody tells of them. */
static double run_brief_children(const char *name, const char *row, int n_children)
{
	double exits;

	for (int i = 0; i < n_children; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			pthread_setname_np(pthread_self(), name);
			burn(3000000);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	}
	rig_next(&rig);
	exits = frame_number(rig.now, "exited", row, "exits");
	for (int wait = 0; !(exits >= n_children) && wait < 100; wait++) { /* events take a moment */
		usleep(20000);
		rig_next(&rig);
		exits = frame_number(rig.now, "exited", row, "exits");
	}
	return exits;
}

/* Children that come and go between two samples are counted by name, each once, with all that they ran. */
START_LIVE_TEST(children_between_samples_are_counted)
{
	struct rusage usage;
	char name[16];
	double own, exits;
	uint64_t begun_ns;

	snprintf(name, sizeof(name), "brief-%d", getpid()); /* the table counts those of the whole machine */
	rig_open_live(&rig, account_topics);
	rig_next(&rig);
	begun_ns = frame_table(rig.now, "exited")->mono_ns;
	exits = run_brief_children(name, name, 40);
	if (isnan(exits))
		skip_test("neither exit records nor events");
	ck_assert_double_eq(exits, 40);
	ck_assert_double_eq(frame_number(rig.now, "exited", name, "recent_exits"), 40);
	ck_assert_double_eq_tol(frame_number(rig.now, "exited", name, "recent_seconds"),
				(double)(frame_table(rig.now, "exited")->mono_ns - begun_ns) / 1e9, 1e-6);
	getrusage(RUSAGE_CHILDREN, &usage);
	own = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	      (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	if (!strstr(cell_text(rig.now, "account", "exited", "from"), "- tasks"))
		skip_test("no sum of what all tasks ran");
	ck_assert_double_ge(frame_number(rig.now, "account", "exited", "cpu_seconds"), 0.9 * own);
	rig_close(&rig);
}

START_LIVE_TEST(no_process_passes_for_a_sum)
{
	rig_open_live(&rig, account_topics);
	rig_next(&rig);
	if (!isnan(run_brief_children("brief-child", "brief-child", 3))) {
		for (int i = 0; i < 2; i++) {
			const char *name = i == 0 ? "(others)" : "(no record)";
			const char *row = textf("%s (process name)", name);

			ck_assert_double_ge(run_brief_children(name, row, 3), 3);
		}
	}
	rig_close(&rig);
}

/* With hardly any descriptors nothing is kept open, and nothing is missing. */
START_LIVE_TEST(few_descriptors_are_enough)
{
	struct rlimit limit = { 64, 64 };

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	rig_open_live(&rig, TOPICS("process", "account"));
	rig_next(&rig);
	burn(20000000);
	rig_next(&rig);
	ck_assert_double_ge(number_of(getpid(), "cpu_ratio") * (double)rig.now->interval_ns, 10000000);
	ck_assert_uint_eq(rig.env.pids.n_kept, 0);
	rig_close(&rig);
}

/* Room for so many files, and then none: what stands in the way is opened first. Their number. */
static int take_all_files(int files[], int room, rlim_t limit)
{
	int n_files = 0;

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ limit, limit }), 0);
	while (n_files < room && (files[n_files] = dup(STDERR_FILENO)) >= 0)
		n_files++;
	ck_assert_int_eq(errno, EMFILE);
	return n_files;
}

static void give_back(const int files[], int n_files)
{
	while (n_files > 0)
		close(files[--n_files]);
}

/* Those whose clock is asked stay on the list, and make room for what there is to be read. */
START_LIVE_TEST(at_the_limit_of_files_processes_stay)
{
	struct ordered_child children[8];
	double before[8], used[8], mono;
	int files[100], n_files;
	unsigned n_notices;

	for (int i = 0; i < 8; i++)
		children[i] = start_burner();
	rig_open_live(&rig, TOPICS("process", "account"));
	for (int i = 0; i < 3; i++)
		rig_next(&rig);
	n_notices = rig.now->n_notices;
	n_files = take_all_files(files, 100, 100);
	for (int i = 0; i < 8; i++) {
		before[i] = number_of(children[i].pid, "cpu_seconds");
		used[i] = burn_child(&children[i], 5000000) - before[i];
	}
	mono = (double)frame_table(rig.now, "process")->mono_ns * 1e-9;
	rig_next(&rig);
	mono = (double)frame_table(rig.now, "process")->mono_ns * 1e-9 - mono;
	ck_assert_uint_eq(rig.now->n_notices, n_notices);
	for (int i = 0; i < 8; i++)
		ck_assert_double_eq_tol(number_of(children[i].pid, "cpu_ratio") * mono, used[i], 0.003);
	give_back(files, n_files);
	rig_next(&rig);
	for (int i = 7; i >= 0; i--) { /* each has the pipes of those before it */
		ck_assert_double_le(number_of(children[i].pid, "cpu_ratio"), 0.5);
		end_ordered_child(&children[i]);
	}
	rig_close(&rig);
}

static double of_thread(pid_t tid, const char *column)
{
	const void *row = find_number(rig.now, "thread", "tid", tid);

	return row ? table_number(frame_table(rig.now, "thread"), row, column) : INFINITY;
}

/* One that could not be read when it began, or for a while, has no rate made of its whole life. */
START_LIVE_TEST(who_lived_unseen_has_no_rate_at_first)
{
	struct ordered_child old = start_burner(), new;
	int files[100], n_files;

	rig_open_live(&rig, TOPICS("process", "account", "thread"));
	rig.env.pids.kept_max = 0;
	rig_next(&rig);
	new = start_burner();
	burn_child(&old, 50000000);
	burn_child(&new, 50000000);
	n_files = take_all_files(files, 100, 100);
	rig_next(&rig);
	ck_assert_ptr_null(row_of(new.pid));
	ck_assert(isinf(of_thread(new.pid, "cpu_seconds")));
	ck_assert(isnan(of_thread(old.pid, "cpu_seconds")));
	ck_assert(isnan(of_thread(old.pid, "processor")));
	ck_assert(has_notice(rig.now, "could not be read: Too many open files"));
	ck_assert_double_ge(number_of(getpid(), "cpu_seconds"), 0);
	ck_assert(isnan(number_of(getpid(), "minor_faults"))); /* its clock is no file */
	ck_assert(isnan(number_of(getpid(), "resident_bytes")));
	usleep(100000);
	give_back(files, n_files);
	rig_next(&rig);
	ck_assert_ptr_nonnull(row_of(new.pid));
	ck_assert(isnan(number_of(new.pid, "cpu_ratio")));
	ck_assert(isnan(number_of(new.pid, "minor_faults_per_second")));
	ck_assert(isnan(number_of(getpid(), "minor_faults_per_second")));
	ck_assert_double_gt(number_of(getpid(), "minor_faults"), 0);
	ck_assert_double_ge(of_thread(old.pid, "cpu_seconds"), 0.05);
	ck_assert_double_ge(of_thread(old.pid, "processor"), 0);
	ck_assert(isnan(of_thread(old.pid, "cpu_ratio")));
	ck_assert(isnan(of_thread(new.pid, "cpu_ratio")));
	rig_next(&rig);
	ck_assert_double_ge(number_of(new.pid, "cpu_seconds"), 0.05);
	burn_child(&new, 50000000);
	rig_next(&rig);
	ck_assert_double_ge(number_of(new.pid, "cpu_ratio") * (double)rig.now->interval_ns, 25000000);
	ck_assert_double_ge(of_thread(new.pid, "cpu_seconds"), 0.05);
	end_ordered_child(&new);
	end_ordered_child(&old);
	rig_close(&rig);
}

/* Where only files tell the times they are unknown, not zero, and a new one is told to be missing. */
START_TEST(what_cannot_be_read_is_not_hidden)
{
	int files[100], n_files;

	open_own(TOPICS("process", "system"));
	rig_remove(&rig, "proc/meminfo");
	rig_remove(&rig, "proc/loadavg");
	write_process(7, "old", 100);
	rig.env.pids.kept_max = 0;
	rig_next(&rig);
	write_process(7, "old", 130);
	write_process(8, "new", 20);
	n_files = take_all_files(files, 100, 100);
	rig_next(&rig);
	ck_assert_ptr_nonnull(row_of(7));
	ck_assert(isnan(number_of(7, "cpu_seconds")));
	ck_assert_ptr_null(row_of(8));
	ck_assert_double_eq(frame_number(rig.now, "system", NULL, "tasks"), 2);
	ck_assert_uint_eq(rig.now->n_notices, 3);
	ck_assert_str_eq(rig.now->notices[0].text,
			 "2 processes could not be read: Too many open files");
	ck_assert_str_eq(rig.now->notices[1].text, "/proc/meminfo: Too many open files");
	ck_assert_str_eq(rig.now->notices[2].text, "/proc/loadavg: Too many open files");
	ck_assert_ptr_nonnull(strstr(rig.now->notices[0].remedy, "ulimit -n"));
	give_back(files, n_files);
	rig_next(&rig);
	ck_assert_double_eq(number_of(7, "cpu_seconds"), 1.3);
	ck_assert(isnan(number_of(7, "cpu_ratio")));
	ck_assert_uint_eq(rig.now->n_notices, 0);
	rig_close(&rig);
}

/* Opens the FIFO late: longer than a sample waits for what it does not need. */
static void *answer_late(void *path)
{
	const struct timespec pause = { .tv_nsec = 300000000 };
	int fifo;

	nanosleep(&pause, NULL);
	fifo = open(path, O_WRONLY);
	ck_assert_int_eq(write(fifo, "/bin/late\0", 10), 10);
	close(fifo);
	return NULL;
}

/* Whether a process that --pid names by its program is there must not depend on how busy the machine is. */
START_TEST(programs_that_are_named_are_waited_for)
{
	struct scope scope = { 0 };
	pthread_t thread;
	char path[160];

	open_own(TOPICS("process"));
	write_process(7, "python3", 100);
	snprintf(path, sizeof(path), "%s/proc/7/cmdline", rig.root);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	rig.env.clock = &real_clock; /* helpers take their time */
	rig_set_scope(&rig, &scope, "pid=late");
	rig.request.processes = "late";
	rig.env.worker = worker_open();
	ck_assert_int_eq(pthread_create(&thread, NULL, answer_late, path), 0);
	rig_next(&rig);
	pthread_join(thread, NULL);
	ck_assert_str_eq(command_of(7), "/bin/late");
	ck_assert(rig.now->named_there);
	rig_close(&rig);
	worker_close(rig.env.worker);
	scope_free(&scope);
}

/* More processes sleep than are asked at once: those on the screen and those that --pid names come first. */
START_TEST(what_is_shown_has_its_command_line)
{
	enum { SLEEPING = 300, FIRST = 1000, LAST = FIRST + SLEEPING - 1 };
	struct scope scope = { 0 };

	open_own(TOPICS("process"));
	for (int pid = FIRST; pid <= LAST; pid++) {
		write_process(pid, "sleep", 100);
		rig_put(&rig, textf("proc/%d/cmdline", pid), "sleep%c%d%c", '\0', pid, '\0');
	}
	for (int tick = 0; tick < 3; tick++)
		rig_next(&rig);
	ck_assert_str_eq(command_of(FIRST), "sleep 1000");
	ck_assert_str_eq(command_of(LAST - 1), "sleep");
	rig.request.visible[rig.request.n_visible++] = LAST - 1;
	rig_next(&rig);
	ck_assert_str_eq(command_of(LAST - 1), "sleep 1298");
	ck_assert_str_eq(command_of(LAST), "sleep");
	rig_set_scope(&rig, &scope, "pid=1299");
	rig.request.processes = "1299";
	rig_next(&rig); /* finds out who is in the scope */
	rig_next(&rig);
	ck_assert_str_eq(command_of(LAST), "sleep 1299");
	ck_assert_str_eq(command_of(LAST - 2), "sleep");
	rig_close(&rig);
	scope_free(&scope);
}

/* A command line that cannot be read keeps a helper, not the sampler. */
START_TEST(a_stuck_command_line_stops_nobody)
{
	char path[160];
	int fifo;

	open_own(TOPICS("process"));
	write_process(7, "stuck", 100);
	write_process(8, "behind", 100);
	snprintf(path, sizeof(path), "%s/proc/7/cmdline", rig.root);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	rig_put(&rig, "proc/8/cmdline", "/bin/behind%c-x%c", '\0', '\0');
	rig.env.clock = &real_clock; /* helpers take their time */
	rig.request.idle_shown = true;
	ck_assert_int_eq(helper_start(rig.root), 0);
	for (unsigned i = 1; i <= 3; i++) {
		write_process(7, "stuck", 100 + i);
		rig_next(&rig);
		ck_assert_str_eq(command_of(7), "stuck");
	}
	fifo = open(path, O_WRONLY);
	ck_assert_int_eq(write(fifo, "/bin/free\0", 10), 10);
	close(fifo);
	for (int i = 0; i < 500 && strcmp(command_of(8), "/bin/behind -x") != 0; i++) {
		struct timespec pause = { .tv_nsec = 10000000 };

		nanosleep(&pause, NULL);
		rig_next(&rig);
	}
	ck_assert_str_eq(command_of(8), "/bin/behind -x");
	ck_assert_str_eq(table_text(frame_table(rig.now, "process"), row_of(8), "program"),
			 "/bin/behind");
	ck_assert_str_eq(table_text(frame_table(rig.now, "process"), row_of(8), "command_base"),
			 "behind -x");
	ck_assert_str_eq(command_of(7), "/bin/free");
	rig_close(&rig);
	helper_stop();
}

static void note_error(void *context, int error)
{
	*(int *)context = error;
}

static int act(const char *verb, int number, uint32_t pid, double start, const char **remedy)
{
	const char *action = textf("%s %d %u %.6f", verb, number, pid, start);
	int answer = 1;

	return rig.source.act(rig.source.state, "process", action, note_error, &answer, remedy);
}

/* The process that was meant gets the signal; another one with its pid never does. */
START_TEST(signals_hit_only_the_one_that_was_meant)
{
	const char *remedy = NULL, *kill_it;
	struct ordered_child child;
	uint32_t pid;
	int status, error, own;
	double start;

	signal(SIGHUP, SIG_DFL); /* which nohup ignores: a signal too many ends the child */
	child = start_burner();
	pid = (uint32_t)child.pid;
	rig_open_live(&rig, TOPICS("process"));
	rig_next(&rig);
	start = number_of(child.pid, "start_seconds");
	kill_it = textf("signal %d %u %.6f", SIGKILL, pid, start);
	ck_assert_int_eq(act("signal", SIGKILL, pid, start - 0.01, &remedy), -ESRCH);
	ck_assert_int_eq(waitpid(child.pid, &status, WNOHANG), 0);
	error = rig.source.act(rig.source.state, "process", kill_it, NULL, NULL, &remedy);
	ck_assert_int_eq(error, 0);
	ck_assert_int_eq(waitpid(child.pid, &status, WNOHANG), 0); /* that was only a question */
	ck_assert_int_eq(act("nice", 3, pid, start, &remedy), 0);
	own = getpriority(PRIO_PROCESS, 0);
	ck_assert_int_eq(getpriority(PRIO_PROCESS, pid), own + 3 < 19 ? own + 3 : 19);
	rig.request.read_only = true;
	ck_assert_int_eq(act("signal", SIGKILL, pid, start, &remedy), -EPERM);
	ck_assert_ptr_nonnull(remedy);
	rig.request.read_only = false;
	ck_assert_int_eq(act("signal", SIGKILL, pid, start, &remedy), 0);
	ck_assert_int_eq(waitpid(child.pid, &status, 0), child.pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	close(child.orders);
	close(child.answers);
	rig_close(&rig);
}

/* As the first process of a pid namespace, with the proc of the one outside. */
static void act_inside(const struct ordered_child *outside)
{
	struct ordered_child child = start_burner();
	const char *remedy = NULL;
	double start, outside_start;
	const void *row;
	uint32_t shown; /* the pid of the child there */
	int status;

	rig_open_live(&rig, TOPICS("process"));
	rig_next(&rig);
	ck_assert(rig.env.foreign_pids && rig.env.own_pid != 1);
	ck_assert(!env_has_process_clocks(&rig.env));
	row = find_number(rig.now, "process", "ppid", rig.env.own_pid);
	ck_assert_ptr_nonnull(row);
	shown = (uint32_t)table_number(frame_table(rig.now, "process"), row, "pid");
	start = number_of((int)shown, "start_seconds");
	outside_start = number_of(outside->pid, "start_seconds");
	ck_assert_int_eq(act("signal", SIGKILL, (uint32_t)outside->pid, outside_start, &remedy), -EXDEV);
	ck_assert_ptr_nonnull(remedy);
	if (row_of(child.pid)) /* another one outside has this number */
		ck_assert_int_eq(act("signal", SIGKILL, (uint32_t)child.pid,
				     number_of(child.pid, "start_seconds"), &remedy), -EXDEV);
	ck_assert_int_eq(act("nice", 3, shown, start, &remedy), -EXDEV);
	ck_assert_int_eq(getpriority(PRIO_PROCESS, (id_t)child.pid), getpriority(PRIO_PROCESS, 0));
	ck_assert_int_eq(waitpid(child.pid, &status, WNOHANG), 0);
	ck_assert_int_eq(act("signal", SIGKILL, shown, start - 0.01, &remedy), -ESRCH);
	ck_assert_int_eq(act("signal", SIGKILL, shown, start, &remedy), 0);
	ck_assert_int_eq(waitpid(child.pid, &status, 0), child.pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	rig_close(&rig);
}

/* In a child, which can start no other process once the first one of its namespace has ended. */
static _Noreturn void enter_namespace(const struct ordered_child *outside)
{
	int status;
	pid_t first;

	if (unshare(CLONE_NEWPID) < 0)
		_exit(errno);
	first = fork();
	if (first == 0) {
		act_inside(outside);
		_exit(0);
	}
	_exit(waitpid(first, &status, 0) == first && status == 0 ? 0 : 255);
}

START_TEST(pids_of_another_namespace_hit_nobody_else)
{
	struct ordered_child outside;
	int status;
	pid_t inside;

	outside = start_burner();
	inside = fork();
	if (inside == 0)
		enter_namespace(&outside);
	ck_assert_int_eq(waitpid(inside, &status, 0), inside);
	if (WIFEXITED(status) && WEXITSTATUS(status) == EPERM) {
		end_ordered_child(&outside);
		skip_test("a pid namespace takes root");
	}
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(waitpid(outside.pid, &status, WNOHANG), 0);
	end_ordered_child(&outside);
}

/* Nothing is done: they are only asked whether they could be. */
START_TEST(orders_are_taken_word_by_word)
{
	static const struct {
		int error;
		const char *orders[12]; /* P: the pid and the start time */
	} cases[] = {
		{ 0, { "signal 0 P", "signal 64 P", "nice -64 P", "nice 64 P", "affinity 0 P",
		    "policy fifo 99 P", "policy other 0 P", "io 0 0 P", "io 3 7 P" } },
		{ -EINVAL,
		  { "signal 65 P", "signal -1 P", "nice -65 P", "nice 65 P", "nice x P", "affinity , P",
		    "policy fifo 100 P", "policy fifo x P", "policy x 1 P", "io 4 7 P", "io 3 8 P" } },
		{ -EINVAL, { "affinity x P", "affinity 3-1 P", "affinity 0, P", "affinity 8192 P",
		    "affinity 0-99999999999 P", "policy P", "policy best 0 P", "policy fifo P",
		    "policy rr -1 P", "io 1 P", "signal P" } },
		{ -EINVAL, { "io x 1 P", "io 1 x P", "signal 0 P ", "signal 0 P 1", "stop 0 P", " P" } },
		{ -EINVAL,
		  { "signal 0", "signal 0 0 1.5", "signal 0 x 1.5", "signal 0 1", "signal 0 2147483648 1.5",
		    "signal 0 -1 1.5", "signal 0 1 soon" } },
	};
	const char *remedy;
	char own[48];

	rig_open_live(&rig, TOPICS("process"));
	rig_next(&rig);
	snprintf(own, sizeof(own), "%u %.6f", rig.env.own_pid,
		 number_of((int)rig.env.own_pid, "start_seconds"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (const char *const *order = cases[i].orders; *order; order++) {
			int before = (int)strcspn(*order, "P");
			const char *action = (*order)[before] ? textf("%.*s%s%s", before, *order, own,
								      *order + before + 1)
							      : *order;
			int error = rig.source.act(rig.source.state, "process", action, NULL, NULL,
						       &remedy);

			ck_assert_msg(error == cases[i].error, "\"%s\": %d", action, error);
		}
	}
	rig_close(&rig);
}

#define ENDS_MAX 8
#define FIRST_THREAD_CODE 77

/* What process_ends_read() told. */
struct ends {
	struct process_end list[ENDS_MAX];
	size_t n;
};

static void note_end(void *context, const struct process_end *end)
{
	struct ends *ends = context;

	ck_assert_uint_lt(ends->n, ENDS_MAX);
	ends->list[ends->n++] = *end;
}

static void *exit_after_the_first(void *argument)
{
	usleep(10000);
	_exit(*(int *)argument);
}

/* A child with this name: it ends with code when what it reads ends, with a thread after its first one. */
static pid_t start_named(const char *name, int order, bool with_thread, int code)
{
	char byte = 'x';
	int ready[2];
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		pthread_t thread;

		prctl(PR_SET_NAME, name);
		if (write(ready[1], &byte, 1) != 1 || (order >= 0 && read(order, &byte, 1) != 0))
			_exit(99);
		if (with_thread && pthread_create(&thread, NULL, exit_after_the_first, &code) == 0)
			syscall(SYS_exit, FIRST_THREAD_CODE);
		_exit(code);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void wait_for_end(struct process_ends *ends)
{
	struct pollfd ready = { .fd = process_ends_fd(ends), .events = POLLIN };

	ck_assert_int_eq(poll(&ready, 1, 30000), 1);
}

static void check_end(const struct ends *told, size_t at, pid_t pid, size_t name, int status)
{
	ck_assert_uint_lt(at, told->n);
	ck_assert_uint_eq(told->list[at].pid, (uint32_t)pid);
	ck_assert_uint_eq(told->list[at].name, name);
	ck_assert(told->list[at].status == status || told->list[at].status == PROCESS_ENDS_STATUS_UNKNOWN);
}

static bool waits_for_end(pid_t pid)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0;
}

/* Without exit records those that have a name are looked for, and each is told once. */
START_TEST(ends_of_programs_that_are_looked_for)
{
	struct program_names names = { 0 };
	struct process_ends *ends;
	struct ends told = { 0 };
	struct env env;
	char name[16], other[16];
	pid_t before, held, longer, zombie;
	int error = 0, order[2];

	snprintf(name, sizeof(name), "end-%d", (int)getpid());
	snprintf(other, sizeof(other), "ens-%d", (int)getpid());
	program_names_add(&names, "a-program-that-is-not-there");
	program_names_add(&names, name);
	ck_assert_int_eq(env_open(&env, "/"), 0);
	env.live = false; /* there are no records then */
	ends = process_ends_open(&env, &names, &error);
	ck_assert_int_eq(error, -ENOTSUP);
	ck_assert_int_eq(pipe2(order, O_CLOEXEC), 0);
	before = start_named(name, -1, false, 4);
	ck_assert(waits_for_end(before));
	held = start_named(name, order[0], false, 5);
	longer = start_named(other, order[0], false, 6);
	ck_assert_int_eq(process_ends_look(ends), 0);
	process_ends_read(ends, note_end, &told);
	ck_assert_uint_eq(told.n, 0); /* the zombie ended before */
	zombie = start_named(name, -1, false, 7);
	ck_assert(waits_for_end(zombie));
	ck_assert_int_eq(process_ends_look(ends), 0);
	process_ends_read(ends, note_end, &told);
	ck_assert_uint_eq(told.n, 1);
	check_end(&told, 0, zombie, 1, 7 << 8);
	ck_assert_int_eq(process_ends_look(ends), 0);
	process_ends_read(ends, note_end, &told);
	ck_assert_uint_eq(told.n, 1);
	kill(held, SIGKILL);
	kill(longer, SIGKILL);
	wait_for_end(ends);
	process_ends_read(ends, note_end, &told);
	ck_assert_uint_eq(told.n, 2);
	check_end(&told, 1, held, 1, SIGKILL);
	ck_assert_int_eq(waitpid(before, NULL, 0), before);
	ck_assert_int_eq(waitpid(held, NULL, 0), held);
	ck_assert_int_eq(waitpid(longer, NULL, 0), longer);
	ck_assert_int_eq(waitpid(zombie, NULL, 0), zombie);
	ck_assert_int_eq(process_ends_look(ends), 0);
	process_ends_read(ends, note_end, &told);
	ck_assert_uint_eq(told.n, 2);
	ck_assert_uint_eq(process_ends_lost(ends), 0);
	process_ends_close(ends);
	process_ends_close(NULL);
	close(order[0]);
	close(order[1]);
	env_close(&env);
}

/* With them nothing is looked for; a process ends with its last thread. */
START_TEST(ends_of_programs_by_their_records)
{
	struct program_names names = { 0 };
	struct process_ends *ends;
	struct ends told = { 0 };
	struct env env;
	char name[16];
	pid_t pids[2];
	int error = 0;

	snprintf(name, sizeof(name), "end-%d", (int)getpid());
	program_names_add(&names, "a-program-that-is-not-there");
	program_names_add(&names, name);
	ck_assert_int_eq(env_open(&env, "/"), 0);
	ends = process_ends_open(&env, &names, &error);
	if (error) {
		process_ends_close(ends);
		env_close(&env);
		skip_test("no exit records: %s", strerror(-error));
	}
	for (unsigned i = 0; i < 2; i++) {
		pids[i] = start_named(name, -1, i, 3 + (int)i);
		ck_assert_int_eq(process_ends_look(ends), 0);
		while (told.n <= i) {
			wait_for_end(ends);
			process_ends_read(ends, note_end, &told);
		}
		if (i == 0 || told.list[i].status != FIRST_THREAD_CODE << 8) /* before Linux 6.15 */
			check_end(&told, i, pids[i], 1, (3 + (int)i) << 8);
		ck_assert_int_eq(waitpid(pids[i], NULL, 0), pids[i]);
	}
	process_ends_read(ends, note_end, &told);
	ck_assert_uint_eq(told.n, 2);
	process_ends_close(ends);
	env_close(&env);
}

START_TEST(ranges_hold_every_process_once)
{
	const struct table *ranges;
	double counted = 0, used = 0;
	const void *last;

	open_own(TOPICS("process", "distribution", "process_total"));
	for (int pid = 1; pid <= 30; pid++)
		write_process(pid, "p", 0);
	rig_next(&rig);
	for (int pid = 1; pid <= 30; pid++)
		write_process(pid, "p", pid % 3 == 0 ? 0 : (unsigned)pid * 5);
	rig_next(&rig);
	ranges = frame_table(rig.now, "distribution");
	ck_assert_uint_eq(ranges->n_rows, 20);
	for (size_t i = 0; i < ranges->n_rows; i++) {
		counted += table_number(ranges, table_row(ranges, i), "processes");
		used += table_number(ranges, table_row(ranges, i), "cpu_ratio");
	}
	ck_assert_double_eq(counted, 20); /* ten did nothing */
	ck_assert_double_gt(used, 0);
	last = table_row(ranges, 19);
	ck_assert_double_eq_tol(table_number(ranges, last, "from_ratio"), 0.95, 1e-9);
	ck_assert(isnan(table_number(ranges, last, "to_ratio")));
	ck_assert_uint_eq(frame_table(rig.now, "process_total")->n_rows, 20);
	rig_close(&rig);
}
