/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the thread that reads events, over sources of the test. */
#include "suite.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include "core/alloc.h"
#include "topic/event/event_reader.h"
#include "topic/event/event_source.h"

#define STRANGER 5000001 /* no process has so high a PID */
#define WAITING_MAX 8
#define TRIES_MAX 600 /* of up to 100 ms */

/* Its events wait for the thread. The lock is for all that follows. */
struct given_source {
	struct event_source source;
	struct raw_event waiting[WAITING_MAX];
	unsigned n_waiting;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int errors[16]; /* of opening it, one after the other; 0: it opens */
	size_t ring_bytes[16];
	unsigned n_opened, n_open, n_followed; /* n_open: of both */
	int alarm; /* its descriptor */
	bool cannot_arm, is_armed, gives_exits;
} perf;
static struct {
	int error;
	enum event_connector_kinds kinds;
} connector;

static bool is_perf(const struct event_source *source)
{
	return source->n_cpus > 0;
}

static void drain(struct event_source *source, struct raw_events *events, bool exits)
{
	struct given_source *given = (struct given_source *)source;
	eventfd_t rung;

	pthread_mutex_lock(&lock);
	if (is_perf(source))
		perf.gives_exits = exits;
	eventfd_read(perf.alarm, &rung);
	for (unsigned i = 0; i < given->n_waiting; i++)
		*raw_events_add(events) = given->waiting[i];
	source->received += given->n_waiting;
	given->n_waiting = 0;
	pthread_mutex_unlock(&lock);
}

static void count_closed(struct event_source *source)
{
	(void)source;
	perf.n_open--;
}

static unsigned descriptors(const struct event_source *source, int *fds, unsigned room)
{
	(void)source;
	ck_assert_uint_ge(room, 1);
	fds[0] = perf.alarm;
	return 1;
}

static uint64_t lost(const struct event_source *source)
{
	return is_perf(source) ? 3 : 5;
}

static void follow_cpus(struct event_source *source)
{
	(void)source;
	pthread_mutex_lock(&lock);
	perf.n_followed++;
	pthread_mutex_unlock(&lock);
}

static bool arm(struct event_source *source, bool armed)
{
	(void)source;
	pthread_mutex_lock(&lock);
	perf.is_armed = armed;
	pthread_mutex_unlock(&lock);
	return !perf.cannot_arm;
}

static struct given_source perf_source = {
	.source = { count_closed, drain, descriptors, lost, follow_cpus, arm, .n_cpus = 4 }
};
static struct given_source connector_source = { .source = { count_closed, drain, descriptors, lost } };

static struct event_source *open_perf(struct env *env, size_t ring_bytes, const struct trace_set *arguments,
				      int *error)
{
	(void)env;
	ck_assert_ptr_eq(arguments->plan, &trace_plan_event);
	ck_assert_uint_lt(perf.n_opened, 16);
	perf.ring_bytes[perf.n_opened] = ring_bytes;
	*error = perf.errors[perf.n_opened++];
	perf.n_open += !*error;
	return *error ? NULL : &perf_source.source;
}

static struct event_source *open_connector(struct env *env, enum event_connector_kinds kinds, size_t bytes,
					   int *error)
{
	(void)env;
	ck_assert_uint_eq(bytes, (size_t)64 << 20);
	connector.kinds = kinds;
	*error = connector.error;
	perf.n_open += !*error;
	return *error ? NULL : &connector_source.source;
}

static const struct event_sources_of given_sources = { open_perf, open_connector };

static struct env env;
static struct settings settings;
static struct scope scope;
static const struct sample_request request = { .no_bpf = true, .scope = &scope };
static const struct sample sample = { .env = &env, .settings = &settings.topic, .request = &request };
static struct event_reader *reader;
static struct event_batch all;

static void open_reader(const char *kinds)
{
	settings_open(&settings);
	ck_assert(settings_set(&settings, "events.events", kinds, 0));
	ck_assert_int_eq(env_open(&env, "/"), 0);
	env.events = &given_sources;
	perf.alarm = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	reader = reader_open(&process_event_reader, &sample, NULL);
	ck_assert_ptr_nonnull(reader);
}

static void close_reader(void)
{
	reader_close(&process_event_reader, &env);
	ck_assert_uint_eq(perf.n_open, 0);
	env_close(&env);
	settings_close(&settings);
	event_batch_free(&all);
	close(perf.alarm);
}

/* It is noticed in the next round; of a quiet thread that has an alarm, at once. */
static void give(struct given_source *source, struct raw_event event)
{
	event.time_ns = real_mono_ns();
	pthread_mutex_lock(&lock);
	ck_assert_uint_lt(source->n_waiting, WAITING_MAX);
	source->waiting[source->n_waiting++] = event;
	pthread_mutex_unlock(&lock);
	if (!perf.cannot_arm)
		ck_assert_int_eq(eventfd_write(perf.alarm, 1), 0);
}

static struct event_sources sources_now(void)
{
	struct event_sources sources;

	event_reader_sources(reader, &sources);
	return sources;
}

/* What has come in all, once this number has been selected. */
static void take(uint64_t n_selected)
{
	struct event_batch taken = { 0 };

	for (unsigned i = 0; i < TRIES_MAX && sources_now().queue_received < n_selected; i++)
		usleep(5000);
	ck_assert_uint_eq(sources_now().queue_received, n_selected);
	event_reader_collect(reader, &taken);
	ck_assert_uint_eq(event_batch_append(&all, &taken), 0);
	event_batch_free(&taken);
}

/* An event of a process that has begun or gone on. */
static struct raw_event event_of(enum event_kind kind, uint32_t pid)
{
	return (struct raw_event){ .kind = kind, .pid = pid, .tid = pid, .exit_code = UINT32_MAX };
}

static struct raw_event fork_of(uint32_t pid)
{
	struct raw_event event = event_of(EVENT_FORK, pid);

	event.parent_pid = (uint32_t)getpid();
	return event;
}

static struct raw_event exec_of(uint32_t pid, const char *text, bool is_command)
{
	struct raw_event event = event_of(EVENT_EXEC, pid);

	event.text = alloc_text(text);
	event.program_length = strcspn(text, " ");
	event.is_command = is_command;
	return event;
}

/* No ring is smaller than 16 KiB; another error than this one is final. */
START_TEST(without_rings_the_connector_gives_all)
{
	static const int errors[] = { -EPERM, -EACCES };

	for (unsigned i = 0; i < 2; i++) {
		unsigned n_opened = perf.n_opened;

		for (unsigned k = 0; k < 16; k++)
			perf.errors[k] = errors[i];
		open_reader("fork");
		ck_assert(sources_now().perf_error == errors[i] && sources_now().exec_error == errors[i]);
		ck_assert_int_eq(sources_now().connector_error, 0);
		ck_assert_int_eq(connector.kinds, EVENT_CONNECTOR_ALL);
		if (i == 0)
			ck_assert_uint_eq(perf.ring_bytes[perf.n_opened - 1] / (64 * 1024), 0);
		else
			ck_assert_uint_eq(perf.n_opened, n_opened + 1);
		event_reader_add_collector(reader, 1);
		give(&connector_source, fork_of(STRANGER));
		take(1);
		ck_assert_uint_eq(all.count, 1);
		ck_assert(sources_now().connector_received == i + 1 && sources_now().connector_lost == 5);
		ck_assert_uint_eq(sources_now().perf_received, 0);
		close_reader();
		all = (struct event_batch){ 0 };
	}
}

START_TEST(without_any_source_there_is_no_thread)
{
	perf.errors[0] = -EACCES;
	connector.error = -ECONNREFUSED;
	open_reader("fork");
	ck_assert_int_eq(reader_update(&process_event_reader, &sample), -ECONNREFUSED);
	ck_assert_str_eq(env_failed_path(&env, -ECONNREFUSED), "connector");
	close_reader();
}

/* Exits come from one source alone: from the rings without the other one, which knows more of them. */
START_TEST(exits_come_from_one_source)
{
	for (unsigned without = 0; without < 2; without++) {
		connector.error = without ? -EPERM : 0;
		open_reader("fork");
		give(&perf_source, fork_of(STRANGER));
		take(1);
		pthread_mutex_lock(&lock);
		ck_assert_int_eq(perf.gives_exits, without);
		pthread_mutex_unlock(&lock);
		ck_assert_int_eq(sources_now().connector_error, connector.error);
		ck_assert(sources_now().perf_received == without + 1 && sources_now().perf_lost == 3);
		ck_assert_uint_eq(sources_now().connector_lost, without ? 0 : 5);
		close_reader();
	}
}

/* Until the first update all is kept: topics that are opened say later that they collect. */
START_TEST(nothing_is_missed_before_the_first_update)
{
	struct event_ended_list ended = { 0 };

	for (unsigned wanted = 0; wanted < 2; wanted++) {
		open_reader("fork,exit");
		give(&connector_source, event_of(EVENT_EXIT, STRANGER));
		for (unsigned i = 0; i < TRIES_MAX && sources_now().queue_received < 1; i++)
			usleep(5000);
		event_reader_add_collector(reader, (int)wanted);
		if (wanted)
			event_reader_keep_ended(reader);
		ck_assert_int_eq(reader_update(&process_event_reader, &sample), 0);
		take(1);
		ck_assert_uint_eq(all.count, wanted);
		event_reader_collect_ended(reader, &ended);
		ck_assert_uint_eq(ended.count, wanted);
		close_reader();
	}
	event_ended_free(&ended);
}

/* They are counted from the start, and handed on from then on. */
START_TEST(events_are_handed_on_while_they_are_collected)
{
	struct pollfd rung;

	open_reader("fork");
	ck_assert_int_eq(reader_update(&process_event_reader, &sample), 0);
	rung = (struct pollfd){ .fd = event_reader_bell(reader), .events = POLLIN };
	give(&perf_source, fork_of(STRANGER));
	take(1);
	ck_assert_uint_eq(all.count, 0);
	ck_assert_int_eq(poll(&rung, 1, 0), 0);
	event_reader_add_collector(reader, 1);
	give(&perf_source, fork_of(STRANGER + 1));
	ck_assert_int_eq(poll(&rung, 1, TRIES_MAX * 100), 1);
	take(2);
	ck_assert_uint_eq(all.count, 1);
	ck_assert_uint_eq(all.list[0].pid, STRANGER + 1);
	ck_assert_uint_eq(all.list[0].parent_pid, (uint32_t)getpid());
	ck_assert_uint_eq(all.list[0].number, 2);
	ck_assert_int_eq(poll(&rung, 1, 0), 0);
	event_reader_add_collector(reader, -1);
	give(&perf_source, fork_of(STRANGER + 2));
	take(3);
	ck_assert_uint_eq(all.count, 1);
	close_reader();
}

/* Of an exec that came without it, while the process is there; what has come is kept. */
START_TEST(missing_command_lines_are_read)
{
	char own[4096] = "";
	FILE *file = fopen("/proc/self/cmdline", "r");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_gt(fread(own, 1, sizeof(own) - 1, file), 0); /* its first word */
	fclose(file);
	open_reader("exec");
	event_reader_add_collector(reader, 1);
	give(&perf_source, exec_of((uint32_t)getpid(), "/some/file", false));
	take(1);
	give(&perf_source, exec_of((uint32_t)getpid(), "make all", true));
	take(2);
	give(&perf_source, exec_of(STRANGER, "/bin/gone", false));
	take(3);
	ck_assert_uint_eq(all.count, 3);
	ck_assert_uint_eq(all.list[0].program_length, strlen(own));
	ck_assert_int_eq(strncmp(all.texts + all.list[0].command, own, strlen(own)), 0);
	ck_assert_str_eq(all.texts + all.list[1].command, "make all");
	ck_assert_uint_eq(all.list[1].program_length, 4);
	ck_assert_str_eq(all.texts + all.list[2].command, "/bin/gone");
	close_reader();
}

/* Where nobody tells of them they are read after each exec, as of a program with other rights. */
START_TEST(users_are_those_told_or_else_those_of_the_file)
{
	for (unsigned without = 0; without < 2; without++) {
		uint32_t own = (uint32_t)getpid();

		connector.error = without ? -EPERM : 0;
		open_reader("exec");
		event_reader_add_collector(reader, 1);
		struct raw_event told = event_of(EVENT_UID, own);

		told.real = 4242;
		told.effective = 4243;
		give(&perf_source, told);
		give(&perf_source, exec_of(own, "make all", true));
		take(1);
		ck_assert_uint_eq(all.count, 1);
		ck_assert_uint_eq(all.list[0].real_uid, without ? getuid() : 4242);
		ck_assert_uint_eq(all.list[0].effective_uid, without ? geteuid() : 4243);
		close_reader();
		all = (struct event_batch){ 0 };
	}
}

/* Each once. */
START_TEST(those_that_exited_are_kept_for_who_looks)
{
	struct event_ended_list ended = { 0 };

	open_reader("exit");
	event_reader_keep_ended(reader);
	give(&connector_source, event_of(EVENT_EXIT, STRANGER));
	take(1);
	event_reader_collect_ended(reader, &ended);
	ck_assert_uint_eq(ended.count, 1);
	give(&connector_source, fork_of(STRANGER + 1));
	give(&connector_source, event_of(EVENT_EXIT, STRANGER + 1));
	take(2);
	event_reader_collect_ended(reader, &ended);
	ck_assert_uint_eq(ended.count, 1);
	ck_assert(ended.list[0].pid == STRANGER + 1 && ended.list[0].parent_pid == (uint32_t)getpid());
	ck_assert_uint_gt(ended.list[0].end_ns, ended.list[0].start_ns);
	event_reader_collect_ended(reader, &ended);
	ck_assert_uint_eq(ended.count, 0);
	close_reader();
	event_ended_free(&ended);
}

static uint64_t since_ns;

static void note_since(void *context, const struct event_statistics *statistics, uint64_t since)
{
	(void)context;
	(void)statistics;
	since_ns = since;
}

/* Other kinds go on in the same sums; for other processes they begin again. */
START_TEST(other_settings_hold_from_the_next_update_on)
{
	struct scope_term term;
	uint64_t changed_ns;

	open_reader("fork");
	event_reader_add_collector(reader, 1);
	give(&perf_source, exec_of(STRANGER, "/bin/a", true));
	give(&perf_source, fork_of(STRANGER + 1));
	take(1);
	changed_ns = real_mono_ns();
	ck_assert(settings_set(&settings, "events.events", "exec", 0));
	ck_assert_int_eq(reader_update(&process_event_reader, &sample), 0);
	event_reader_read_statistics(reader, note_since, NULL);
	ck_assert_uint_gt(since_ns, real_mono_ns() - changed_ns);
	give(&perf_source, fork_of(STRANGER + 2));
	give(&perf_source, exec_of(STRANGER + 2, "/bin/b", true));
	take(2);
	ck_assert(all.count == 2 && all.list[0].kind == EVENT_FORK && all.list[1].kind == EVENT_EXEC);
	changed_ns = real_mono_ns();
	scope_term_choose(&term, SCOPE_TREE, STRANGER + 2, 0);
	scope_add(&scope, &term);
	env.tick++;
	ck_assert_int_eq(reader_update(&process_event_reader, &sample), 0);
	event_reader_read_statistics(reader, note_since, NULL);
	ck_assert_uint_le(since_ns, real_mono_ns() - changed_ns);
	close_reader();
}

/* It waits for an alarm once nothing comes, and looks itself where there is none. */
START_TEST(a_quiet_thread_is_woken)
{
	for (unsigned without = 0; without < 2; without++) {
		bool is_armed = false;

		perf.cannot_arm = without;
		open_reader("fork");
		for (unsigned i = 0; i < TRIES_MAX && !is_armed; i++, usleep(5000)) {
			pthread_mutex_lock(&lock);
			is_armed = perf.is_armed;
			pthread_mutex_unlock(&lock);
		}
		ck_assert(is_armed);
		give(&perf_source, fork_of(STRANGER));
		take(1);
		pthread_mutex_lock(&lock);
		ck_assert_uint_ge(perf.n_followed, 2);
		pthread_mutex_unlock(&lock);
		close_reader();
	}
}
