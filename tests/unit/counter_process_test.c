/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the counters of a process: children that tell what they did, and what becomes of them. */
#include "rig.h"

#include <pthread.h>
#include <sys/resource.h>

#include "model/pipeline.h"
#include "topic/counter/counter_process.h"
#include "topic/process/process_entry.h"
#include "topic/topic.h"

#define NOBODY 65534

/* A child does one thing for each order, and tells what it cost by its own account. */
struct answer {
	uint64_t faults, switches;
};

static void *touch_in_thread(void *nothing)
{
	touch_pages(1000);
	return nothing;
}

static pthread_barrier_t barrier;

static void *touch_later(void *nothing)
{
	pthread_barrier_wait(&barrier); /* it has started */
	pthread_barrier_wait(&barrier);
	touch_pages(1000);
	pthread_barrier_wait(&barrier);
	return nothing;
}

static struct answer account(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (struct answer){ .faults = (uint64_t)(usage.ru_minflt + usage.ru_majflt),
				.switches = (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw) };
}

/* A sleep that ends at once takes no switch. */
static void switch_often(void)
{
	uint64_t before = account().switches;

	while (account().switches < before + 200)
		usleep(100);
}

static void obey(char order)
{
	pthread_t thread;

	switch (order) {
	case 'f': /* faults */
		touch_pages(3000);
		break;
	case 's':
		switch_often();
		break;
	case 't': /* a new thread */
		pthread_create(&thread, NULL, touch_in_thread, NULL);
		pthread_join(thread, NULL);
		break;
	case 'T': /* the thread that was there */
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
		break;
	case 'c': { /* a process of its own, which is another one */
		pid_t pid = fork();

		if (pid == 0) {
			touch_pages(5000);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		break;
	}
	default:
		_exit(0);
	}
}

static bool tell(int answers, const struct answer *answer)
{
	return write(answers, answer, sizeof(*answer)) == sizeof(*answer);
}

static void live(int orders, int answers)
{
	pthread_t thread;
	char what;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, touch_later, NULL);
	pthread_barrier_wait(&barrier);
	if (!tell(answers, &(struct answer){ 0 }))
		_exit(1);
	while (read(orders, &what, 1) == 1) {
		struct answer before = account(), after;

		obey(what);
		after = account();
		after.faults -= before.faults;
		after.switches -= before.switches;
		if (!tell(answers, &after))
			break;
	}
}

static struct ordered_child start(void)
{
	struct answer answer;

	return start_ordered_child(live, &answer, sizeof(answer));
}

static struct answer order(const struct ordered_child *of, char what)
{
	struct answer answer = { 0 };

	order_child(of, what, &answer, sizeof(answer));
	return answer;
}

static struct rig rig; /* that counts */
static char chosen[16];
static struct ordered_child child, other;

/* With a child; skips the test, with the reason, where this machine does not let us count. */
static void open_counters(const char *names)
{
	int error;

	rig_open_live(&rig, TOPICS("counter_process"));
	if (names)
		ck_assert(settings_set(&rig.settings, "cpu.perf", names, 0));
	error = topic_counter_process.sources[0].test(&rig.env);
	if (error)
		skip_test("perf_event_open: %s", strerror(-error));
	child = start();
}

static void close_counters(void)
{
	if (child.pid) /* one that was waited for is not there */
		end_ordered_child(&child);
	rig_close(&rig);
	ck_assert_uint_eq(rig.env.counters.n_open, 0);
}

static void choose(pid_t pid)
{
	snprintf(chosen, sizeof(chosen), "%d", (int)pid);
	rig.request.processes = chosen;
}

/* U64_UNKNOWN when there is no such row. */
static uint64_t value_of(pid_t pid, const char *event, const char *column)
{
	const struct table *table = frame_table(rig.now, "counter_process");

	for (size_t i = 0; table && i < table->n_rows; i++)
		if (table_number(table, table_row(table, i), "pid") == (double)pid &&
		    strcmp(table_text(table, table_row(table, i), "event"), event) == 0)
			return row_u64(table_row(table, i), schema_find(table->schema, column));
	return U64_UNKNOWN;
}

static uint64_t total_of(pid_t pid, const char *event)
{
	return value_of(pid, event, "total");
}

START_LIVE_TEST(a_child_is_counted_as_it_counts_itself)
{
	struct answer faults, switches;
	uint64_t counted;

	open_counters("page-faults,context-switches,task-clock");
	choose(child.pid);
	rig_next(&rig);
	faults = order(&child, 'f');
	rig_next(&rig);
	if (notice_with(rig.now, "only user mode")) {
		end_ordered_child(&child);
		skip_test("what the kernel does for a process may not be counted");
	}
	counted = total_of(child.pid, "page-faults");
	ck_assert_uint_ge(faults.faults, 3000);
	ck_assert_msg(counted >= faults.faults && counted <= faults.faults + 20, "%lu of %lu faults",
		      (unsigned long)counted, (unsigned long)faults.faults);
	counted = total_of(child.pid, "context-switches");
	switches = order(&child, 's');
	rig_next(&rig);
	counted = total_of(child.pid, "context-switches") - counted;
	ck_assert_uint_ge(switches.switches, 200);
	/* one that is under way while the counters are read may be missed, and be in the next sample */
	ck_assert_msg(counted + 3 >= switches.switches && counted <= switches.switches + 20,
		      "%lu of %lu switches", (unsigned long)counted, (unsigned long)switches.switches);
	ck_assert_uint_gt(total_of(child.pid, "task-clock"), 100000);
	ck_assert_uint_eq(rig.now->n_notices, 0);
	close_counters();
}

/* Of the child, which is another one until its start is set. */
static void open_threads(struct counter_threads *threads, struct counter_plan *plan)
{
	struct pid_stat stat;

	open_counters(NULL);
	counter_events_thread(&plan->events);
	*threads = (struct counter_threads){ .pid = (uint32_t)child.pid };
	ck_assert_int_eq(process_find(&rig.env, threads->pid, 0, &stat), -ESRCH);
	counter_threads_open(threads, &rig.env, plan);
	ck_assert_int_eq(threads->error, -ESRCH);
	threads->start_seconds = process_start_seconds(&rig.env, stat.start_ticks);
}

static void close_threads(struct counter_threads *threads, struct counter_plan *plan)
{
	counter_threads_close(threads);
	counter_events_free(&plan->events);
	close_counters();
}

/* With the kernel's inheritance and without, as before Linux 5.13. */
START_LIVE_TEST(threads_of_before_and_after_are_counted)
{
	for (int inherits = 0; inherits < 2; inherits++) {
		struct counter_plan plan = { .inherits = inherits };
		struct counter_threads threads;
		uint64_t total;

		open_threads(&threads, &plan);
		counter_threads_open(&threads, &rig.env, &plan);
		ck_assert(threads.error == 0 && threads.n_threads == 2);
		order(&child, 'T');
		order(&child, 'c');
		counter_threads_read(&threads, &rig.env, &plan);
		total = threads.sums[1].total;
		ck_assert_str_eq(plan.events.list[1].name, "page-faults");
		ck_assert_msg(total >= 1000 && total < 2000, "%lu faults", (unsigned long)total);
		order(&child, 't');
		counter_threads_read(&threads, &rig.env, &plan);
		total = threads.sums[1].total - total;
		ck_assert_msg(inherits ? total >= 1000 && total < 1200 : total < 200, "%lu faults",
			      (unsigned long)total);
		ck_assert(!threads.restarted && threads.lost_error == 0 && threads.sums[1].known);
		close_threads(&threads, &plan);
	}
}

START_LIVE_TEST(the_last_counts_of_one_that_ended_are_told)
{
	open_counters("page-faults");
	choose(child.pid);
	rig_next(&rig);
	order(&child, 'f');
	ck_assert_int_eq(write(child.orders, "x", 1), 1);
	waitpid(child.pid, NULL, 0);
	rig_next(&rig);
	ck_assert_uint_ge(total_of(child.pid, "page-faults"), 3000);
	ck_assert_uint_ne(total_of(child.pid, "page-faults"), U64_UNKNOWN);
	ck_assert_ptr_nonnull(notice_with(rig.now, "it has exited"));
	rig_next(&rig);
	ck_assert_uint_eq(total_of(child.pid, "page-faults"), U64_UNKNOWN);
	ck_assert_ptr_nonnull(notice_with(rig.now, "there is no process"));
	child.pid = 0;
	close_counters();
}

START_LIVE_TEST(the_cursor_chooses_at_once)
{
	struct pid_stat stat;

	open_counters("page-faults");
	rig_next(&rig);
	ck_assert_ptr_nonnull(notice_with(rig.now, "no process is selected"));
	other = start();
	choose(child.pid);
	rig_next(&rig);
	ck_assert_uint_ne(total_of(child.pid, "page-faults"), U64_UNKNOWN);
	process_find(&rig.env, (uint32_t)other.pid, 0, &stat);
	rig.request.selected = (struct process_choice){
		.is_set = true,
		.pid = (uint32_t)other.pid,
		.start_seconds = process_start_seconds(&rig.env, stat.start_ticks),
	};
	rig_next(&rig);
	ck_assert_uint_eq(total_of(child.pid, "page-faults"), U64_UNKNOWN);
	ck_assert_uint_ne(total_of(other.pid, "page-faults"), U64_UNKNOWN);
	rig.request.selected.pid = (uint32_t)child.pid; /* of another process, as the start time says */
	rig.request.selected.start_seconds = 1.5;
	rig_next(&rig);
	ck_assert_uint_eq(frame_table(rig.now, "counter_process")->n_rows, 0);
	ck_assert_ptr_nonnull(notice_with(rig.now, "it has exited"));
	end_ordered_child(&other);
	close_counters();
}

static void copy_program(const char *from, const char *to)
{
	ck_assert_int_eq(system(textf("cp %s %s && chmod 4755 %s", from, to, to)), 0);
}

/* It belongs to root and is executed by nobody, so that the kernel takes the counters away. */
START_LIVE_TEST(a_program_with_other_rights_is_counted_anew)
{
	char path[SCRATCH_PATH_MAX];
	uint64_t counted = U64_UNKNOWN;
	int pipe_fds[2], fd;
	bool told = false;
	pid_t pid;

	if (!is_root())
		skip_test("only root can make a program that runs with the rights of root");
	open_counters("task-clock");
	scratch_template(path, "suid");
	fd = mkstemp(path);
	close(fd);
	copy_program("/bin/sh", path);
	ck_assert_int_eq(pipe(pipe_fds), 0);
	pid = fork();
	if (pid == 0) {
		char byte;

		if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0 || read(pipe_fds[0], &byte, 1) != 1)
			_exit(1);
		execl(path, "sh", "-c", "while :; do :; done", NULL);
		_exit(1);
	}
	choose(pid);
	rig.env.counters.max = 1; /* that it has already is enough to begin anew */
	rig_next(&rig);
	ck_assert_int_eq(write(pipe_fds[1], "", 1), 1);
	for (int i = 0; i < 20 && !told; i++) {
		usleep(50000);
		rig_next(&rig);
		told = notice_with(rig.now, "counters start again") != NULL;
	}
	ck_assert(told);
	ck_assert_uint_eq(value_of(pid, "task-clock", "whole_total"), U64_UNKNOWN);
	for (int i = 0; i < 20 && (counted == U64_UNKNOWN || counted < 1000000); i++) {
		usleep(50000);
		rig_next(&rig);
		ck_assert_ptr_null(notice_with(rig.now, "counters start again"));
		counted = total_of(pid, "task-clock");
	}
	ck_assert_uint_ge(counted, 1000000);
	ck_assert_uint_ne(counted, U64_UNKNOWN);
	end_child(pid);
	close_counters();
}

START_LIVE_TEST(what_may_not_be_counted_is_told)
{
	const struct notice *notice;
	struct stat first;

	if (is_root() &&
	    (setresgid(NOBODY, NOBODY, NOBODY) < 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0))
		skip_test("the user cannot be changed: %s", strerror(errno));
	if (stat("/proc/1", &first) == 0 && first.st_uid == geteuid())
		skip_test("the first process is of this user, as in a PID namespace of its own");
	open_counters("page-faults");
	choose(1);
	rig_next(&rig);
	if (notice_with(rig.now, "there is no process"))
		skip_test("the first process is hidden (hidepid)");
	notice = notice_with(rig.now, "counting is not permitted: Permission denied");
	ck_assert_ptr_nonnull(notice);
	ck_assert_ptr_nonnull(strstr(notice->remedy, "cap_perfmon"));
	ck_assert_uint_eq(frame_table(rig.now, "counter_process")->n_rows, 0);
	close_counters();
}
