/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the counters of a process: children that tell what they did, and what becomes of them. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/derive.h"
#include "suite.h"
#include "topic/counter/counter_threads.h"
#include "topic/process/process_find.h"
#include "topic/topic.h"

#define NOBODY 65534

/* A child that does one thing for each byte that it is given, and tells what it cost by its own account. */
struct child {
	pid_t pid;
	int orders, answers;
};

struct answer {
	uint64_t faults, switches;
};

static void touch_pages(size_t n_pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), length = n_pages * page;
	char *pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(pages, length, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < length; at += page)
		*(volatile char *)(pages + at) = 1;
	munmap(pages, length);
}

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
	_exit(0);
}

static struct child start(void)
{
	int orders[2], answers[2];
	struct answer answer;
	struct child child;

	ck_assert(pipe(orders) == 0 && pipe(answers) == 0);
	child.pid = fork();
	if (child.pid == 0) {
		close(orders[1]);
		live(orders[0], answers[1]);
	}
	close(orders[0]);
	child.orders = orders[1];
	child.answers = answers[0];
	ck_assert_int_eq(read(child.answers, &answer, sizeof(answer)), sizeof(answer));
	return child;
}

static struct answer order(const struct child *child, char what)
{
	struct answer answer = { 0 };

	ck_assert_int_eq(write(child->orders, &what, 1), 1);
	if (what != 'x')
		ck_assert_int_eq(read(child->answers, &answer, sizeof(answer)), sizeof(answer));
	return answer;
}

static void end(const struct child *child)
{
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	close(child->orders);
	close(child->answers);
}

/* The topic on this machine. */
struct session {
	struct env env;
	struct settings settings;
	struct sample_request request;
	char pid[16];
	struct sample sample;
	struct frame frame;
};

/* False, with the reason, where this machine does not let us count. */
static void session_open(struct session *session, const char *names)
{
	int error;

	*session = (struct session){ .sample = { .topic = &topic_counter_process,
						 .env = &session->env,
						 .settings = &session->settings.topic,
						 .request = &session->request } };
	ck_assert_int_eq(env_open(&session->env, "/"), 0);
	error = topic_counter_process.sources[0].test(&session->env);
	if (error)
		skip_test("perf_event_open: %s", strerror(-error));
	settings_open(&session->settings);
	if (names)
		ck_assert(settings_set(&session->settings, "cpu.perf", names, 0));
	frame_open(&session->frame, topic_schemas(), n_topics);
	ck_assert_int_eq(topic_open(&session->sample), 0);
}

static void session_sample(struct session *session)
{
	struct table *table = frame_slot(&session->frame, "counter_process");

	frame_clear(&session->frame);
	session->env.tick++;
	ck_assert_int_eq(
		topic_sample(&session->sample, &session->frame, table), 0);
}

static void session_close(struct session *session)
{
	topic_close(&session->sample);
	ck_assert_uint_eq(session->env.counters.n_open, 0);
	frame_close(&session->frame);
	settings_close(&session->settings);
	env_close(&session->env);
}

static void choose(struct session *session, pid_t pid)
{
	snprintf(session->pid, sizeof(session->pid), "%d", (int)pid);
	session->request.processes = session->pid;
}

/* U64_UNKNOWN when there is no such row. */
static uint64_t value_of(const struct session *session, pid_t pid, const char *event, const char *column)
{
	const struct table *table = frame_table(&session->frame, "counter_process");

	for (size_t i = 0; i < table->n_rows; i++)
		if (table_number(table, table_row(table, i), "pid") == (double)pid &&
		    strcmp(table_text(table, table_row(table, i), "event"), event) == 0)
			return row_u64(table_row(table, i), schema_find(table->schema, column));
	return U64_UNKNOWN;
}

static uint64_t total_of(const struct session *session, pid_t pid, const char *event)
{
	return value_of(session, pid, event, "total");
}

static const struct notice *find_notice(const struct session *session, const char *part)
{
	for (unsigned i = 0; i < session->frame.n_notices; i++)
		if (strstr(session->frame.notices[i].text, part))
			return &session->frame.notices[i];
	return NULL;
}

START_LIVE_TEST(a_child_is_counted_as_it_counts_itself)
{
	struct session session;
	struct child child;
	struct answer faults, switches;
	uint64_t counted;

	session_open(&session, "page-faults,context-switches,task-clock");
	child = start();
	choose(&session, child.pid);
	session_sample(&session);
	faults = order(&child, 'f');
	session_sample(&session);
	if (find_notice(&session, "only user mode")) {
		end(&child);
		skip_test("what the kernel does for a process may not be counted");
	}
	counted = total_of(&session, child.pid, "page-faults");
	ck_assert_uint_ge(faults.faults, 3000);
	ck_assert_msg(counted >= faults.faults && counted <= faults.faults + 20, "%lu of %lu faults",
		      (unsigned long)counted, (unsigned long)faults.faults);
	counted = total_of(&session, child.pid, "context-switches");
	switches = order(&child, 's');
	session_sample(&session);
	counted = total_of(&session, child.pid, "context-switches") - counted;
	ck_assert_uint_ge(switches.switches, 200);
	/* one that is under way while the counters are read may be missed, and be in the next sample */
	ck_assert_msg(counted + 3 >= switches.switches && counted <= switches.switches + 20,
		      "%lu of %lu switches", (unsigned long)counted, (unsigned long)switches.switches);
	ck_assert_uint_gt(total_of(&session, child.pid, "task-clock"), 100000);
	ck_assert_uint_eq(session.frame.n_notices, 0);
	end(&child);
	session_close(&session);
}

/* With the kernel's inheritance and without, as before Linux 5.13. */
static void count_threads(bool inherits)
{
	struct counter_threads threads = { 0 };
	struct counter_plan plan = { .inherits = inherits };
	struct session session;
	struct child child;
	struct pid_stat stat;
	uint64_t total;

	session_open(&session, NULL);
	child = start();
	counter_events_thread(&plan.events);
	threads.pid = (uint32_t)child.pid;
	ck_assert_int_eq(process_find(&session.env, threads.pid, 0, &stat), -ESRCH);
	counter_threads_open(&threads, &session.env, &plan);
	ck_assert_int_eq(threads.error, -ESRCH); /* another one that had its pid */
	threads.start_seconds = process_start_seconds(&session.env, stat.start_ticks);
	counter_threads_open(&threads, &session.env, &plan);
	ck_assert_int_eq(threads.error, 0);
	ck_assert_uint_eq(threads.n_threads, 2);
	order(&child, 'T');
	order(&child, 'c');
	counter_threads_read(&threads, &session.env, &plan);
	total = threads.sums[1].total;
	ck_assert_str_eq(plan.events.list[1].name, "page-faults");
	ck_assert_msg(total >= 1000 && total < 2000, "%lu faults", (unsigned long)total);
	order(&child, 't');
	counter_threads_read(&threads, &session.env, &plan);
	total = threads.sums[1].total - total;
	ck_assert_msg(inherits ? total >= 1000 && total < 1200 : total < 200, "%lu faults",
		      (unsigned long)total);
	ck_assert(!threads.restarted && threads.lost_error == 0 && threads.sums[1].known);
	end(&child);
	counter_threads_close(&threads);
	counter_events_free(&plan.events);
	session_close(&session);
}

START_LIVE_TEST(threads_of_before_and_after_are_counted)
{
	count_threads(true);
}

START_LIVE_TEST(old_kernels_count_the_threads_that_are_seen)
{
	count_threads(false);
}

START_LIVE_TEST(too_few_descriptors_make_it_unknown)
{
	struct counter_threads threads = { 0 };
	struct counter_plan plan = { .inherits = true };
	struct session session;
	struct child child;
	struct pid_stat stat;
	unsigned short_of = 0;

	session_open(&session, NULL);
	child = start();
	counter_events_thread(&plan.events);
	threads.pid = (uint32_t)child.pid;
	process_find(&session.env, threads.pid, 0, &stat);
	threads.start_seconds = process_start_seconds(&session.env, stat.start_ticks);
	session.env.counters.max = plan.events.count + 1;
	counter_threads_open(&threads, &session.env, &plan);
	counter_threads_read(&threads, &session.env, &plan);
	ck_assert_int_eq(threads.lost_error, -EMFILE);
	ck_assert(threads.sums[0].known);
	for (unsigned e = 0; e < plan.events.count; e++)
		short_of += !threads.sums[e].known && threads.sums[e].error == -EMFILE;
	ck_assert_uint_gt(short_of, 0);
	end(&child);
	counter_threads_close(&threads);
	counter_events_free(&plan.events);
	session_close(&session);
}

START_LIVE_TEST(the_last_counts_of_one_that_ended_are_told)
{
	struct session session;
	struct child child;

	session_open(&session, "page-faults");
	child = start();
	choose(&session, child.pid);
	session_sample(&session);
	order(&child, 'f');
	order(&child, 'x');
	waitpid(child.pid, NULL, 0);
	session_sample(&session);
	ck_assert_uint_ge(total_of(&session, child.pid, "page-faults"), 3000);
	ck_assert_uint_ne(total_of(&session, child.pid, "page-faults"), U64_UNKNOWN);
	ck_assert_ptr_nonnull(find_notice(&session, "it has exited"));
	session_sample(&session);
	ck_assert_uint_eq(total_of(&session, child.pid, "page-faults"), U64_UNKNOWN);
	ck_assert_ptr_nonnull(find_notice(&session, "there is no process"));
	session_close(&session);
}

START_LIVE_TEST(the_cursor_chooses_at_once)
{
	struct session session;
	struct child one, other;
	struct pid_stat stat;

	session_open(&session, "page-faults");
	session_sample(&session);
	ck_assert_ptr_nonnull(find_notice(&session, "no process is selected"));
	one = start();
	other = start();
	choose(&session, one.pid);
	session_sample(&session);
	ck_assert_uint_ne(total_of(&session, one.pid, "page-faults"), U64_UNKNOWN);
	process_find(&session.env, (uint32_t)other.pid, 0, &stat);
	session.request.selected = (struct process_choice){
		.is_set = true,
		.pid = (uint32_t)other.pid,
		.start_seconds = process_start_seconds(&session.env, stat.start_ticks),
	};
	session_sample(&session);
	ck_assert_uint_eq(total_of(&session, one.pid, "page-faults"), U64_UNKNOWN);
	ck_assert_uint_ne(total_of(&session, other.pid, "page-faults"), U64_UNKNOWN);
	session.request.selected.pid = (uint32_t)one.pid; /* of another process, as the start time says */
	session.request.selected.start_seconds = 1.5;
	session_sample(&session);
	ck_assert_uint_eq(frame_table(&session.frame, "counter_process")->n_rows, 0);
	ck_assert_ptr_nonnull(find_notice(&session, "it has exited"));
	end(&one);
	end(&other);
	session_close(&session);
}

static void copy_program(const char *from, const char *to)
{
	ck_assert_int_eq(system(textf("cp %s %s && chmod 4755 %s", from, to, to)), 0);
}

/* It belongs to root and is executed by nobody, so that the kernel takes the counters away. */
START_LIVE_TEST(a_program_with_other_rights_is_counted_anew)
{
	char path[SCRATCH_PATH_MAX];
	struct session session;
	uint64_t counted = U64_UNKNOWN;
	int pipe_fds[2], fd;
	bool told = false;
	pid_t pid;

	if (!is_root())
		skip_test("only root can make a program that runs with the rights of root");
	session_open(&session, "task-clock");
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
	choose(&session, pid);
	session.env.counters.max = 1; /* that it has already is enough to begin anew */
	session_sample(&session);
	ck_assert_int_eq(write(pipe_fds[1], "", 1), 1);
	for (int i = 0; i < 20 && !told; i++) {
		usleep(50000);
		session_sample(&session);
		told = find_notice(&session, "counters start again") != NULL;
	}
	ck_assert(told);
	ck_assert_uint_eq(value_of(&session, pid, "task-clock", "whole_total"), U64_UNKNOWN);
	for (int i = 0; i < 20 && (counted == U64_UNKNOWN || counted < 1000000); i++) {
		usleep(50000);
		session_sample(&session);
		ck_assert_ptr_null(find_notice(&session, "counters start again"));
		counted = total_of(&session, pid, "task-clock");
	}
	ck_assert_uint_ge(counted, 1000000);
	ck_assert_uint_ne(counted, U64_UNKNOWN);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	session_close(&session);
}

START_LIVE_TEST(what_may_not_be_counted_is_told)
{
	struct session session;
	const struct notice *notice;
	struct stat first;

	if (is_root() &&
	    (setresgid(NOBODY, NOBODY, NOBODY) < 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0))
		skip_test("the user cannot be changed: %s", strerror(errno));
	if (stat("/proc/1", &first) == 0 && first.st_uid == geteuid())
		skip_test("the first process is of this user, as in a PID namespace of its own");
	session_open(&session, "page-faults");
	choose(&session, 1);
	session_sample(&session);
	if (find_notice(&session, "there is no process"))
		skip_test("the first process is hidden (hidepid)");
	notice = find_notice(&session, "counting is not permitted: Permission denied");
	ck_assert_ptr_nonnull(notice);
	ck_assert_ptr_nonnull(strstr(notice->remedy, "cap_perfmon"));
	ck_assert_uint_eq(frame_table(&session.frame, "counter_process")->n_rows, 0);
	session_close(&session);
}

static const struct counter_event *event_called(const struct counter_events *events, const char *name)
{
	for (unsigned i = 0; i < events->count; i++)
		if (strcmp(events->list[i].name, name) == 0)
			return &events->list[i];
	ck_abort_msg("no event %s", name);
	return NULL;
}

START_TEST(a_trial_leaves_nothing_open)
{
	struct counter_plan plan = { .inherits = false };
	const struct counter_place place = { .tid = (uint32_t)getpid(), .user_only = true };
	const struct counter_event *faults, *switches;
	int before, fd;

	counter_events_thread(&plan.events);
	faults = event_called(&plan.events, "page-faults");
	switches = event_called(&plan.events, "context-switches");
	fd = counter_open(faults, &plan.pmus, &place, -1);
	if (fd < 0)
		skip_test("perf_event_open: %s", strerror(-fd));
	close(fd);
	before = lowest_free_descriptor();
	ck_assert_int_eq(counter_threads_try(faults, &plan, place.tid, true), 0);
	ck_assert_int_eq(lowest_free_descriptor(), before);
	ck_assert_int_eq(counter_threads_try(faults, &plan, INT32_MAX, true), -ESRCH); /* beyond all PIDs */
	ck_assert_int_eq(counter_threads_try(switches, &plan, place.tid, true), -EACCES); /* of the kernel */
	counter_events_free(&plan.events);
}

START_TEST(another_root_has_no_counters)
{
	const struct sample_request request = { 0 };
	struct frame frame;
	struct env env;
	struct sample sample = { .topic = &topic_counter_process,
				 .env = &env,
				 .settings = usual_settings(),
				 .request = &request };

	ck_assert_int_eq(env_open(&env, fixture_root("linux-6.1", 0)), 0);
	frame_open(&frame, &topic_counter_process.schema, 1);
	ck_assert_int_eq(topic_open(&sample), 0);
	ck_assert_int_eq(topic_sample(&sample, &frame, &frame.tables[0]), -ENOTSUP);
	ck_assert_str_eq(env_failed_path(&env, -ENOTSUP), "perf_event_open");
	topic_close(&sample);
	frame_close(&frame);
	env_close(&env);
}
