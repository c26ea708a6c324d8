/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reading thread: in each round it drains, reads commands, sorts, resolves and hands over. */
#include <config.h>

#include "topic/event/event_reader.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/unknown.h"
#include "sys/patience.h"
#include "sys/pids.h"
#include "sys/privilege.h"
#include "topic/event/event_connector.h"
#include "topic/event/event_perf.h"
#include "topic/event/event_resolve.h"
#include "topic/process/command_reader.h"

#define ROUND_MS 25
#define SETTLED_NS UINT64_C(2000000) /* older events are in their rings */
#define QUIET_ROUNDS 1u              /* then the thread waits for the next event */
#define QUIET_ROUNDS_MAX 40u
#define BELL_NS UINT64_C(100000000)
#define LOSSES_NS UINT64_C(100000000) /* reading the counters of losses interrupts each CPU */
#define FOLLOW_NS UINT64_C(1000000000)
#define FOLLOW_SOON_NS UINT64_C(20000000)
#define SOCKET_BYTES ((size_t)64 * 1024 * 1024)
#define RINGS_BYTES ((size_t)64 * 1024 * 1024) /* of all CPUs together */
#define RING_BYTES_MAX ((size_t)8 * 1024 * 1024) /* without BPF: room for 650 execs */
#define RING_BYTES_MIN ((size_t)256 * 1024)
#define POLLED_MAX 2050

struct event_reader {
	struct env env; /* the thread's own */
	pthread_t thread;
	int bell, stop; /* eventfds */
	int error;      /* -errno: why the thread does not run */
	struct trace_set arguments; /* of execs */
	struct event_perf *perf; /* used by the thread, like all members up to the lock */
	struct event_connector *connector;
	struct raw_events raw;
	struct command_reader *commands;
	struct event_resolver resolver;
	unsigned quiet_rounds;
	uint64_t rung_ns, followed_ns, losses_ns;
	uint64_t check_ns;    /* of event_resolve_leaderless() */
	pthread_mutex_t lock; /* of the members below, and of what the resolver has counted and kept */
	struct event_batch ready;
	unsigned collectors; /* samplers that collect events; without any, events are only counted */
	bool wants_ended;    /* a sampler collects who exited */
	bool decided;        /* all of the first sample are open: before, everything is kept for them */
	bool waiting;        /* the bell must be rung for ready events */
	struct event_sources sources;
	struct event_filter filter;
	bool filter_changed;
	uint64_t start_ns;
};

static size_t ring_bytes(void)
{
	size_t bytes = RINGS_BYTES / env_cpus();

	return bytes > RING_BYTES_MAX ? RING_BYTES_MAX : bytes < RING_BYTES_MIN ? RING_BYTES_MIN : bytes;
}

/* Locked memory may be limited: then try smaller rings. */
static void open_perf(struct event_reader *reader)
{
	size_t bytes = ring_bytes();
	int *error = &reader->sources.perf_error;

	do {
		reader->perf = event_perf_open(&reader->env, bytes, &reader->arguments, error);
		bytes /= 4;
	} while (!reader->perf && *error == -EPERM && bytes >= 16 * 1024);
	reader->sources.exec_error = reader->perf ? event_perf_exec_error(reader->perf) : *error;
}

static void open_sources(struct event_reader *reader, const struct sample *sample)
{
	if (!reader->env.live) {
		reader->sources.perf_error = reader->sources.exec_error = reader->sources.connector_error =
			reader->error ? reader->error : -ENOTSUP;
		return;
	}
	trace_open(&reader->arguments, sample->env, sample->request, &trace_plan_event);
	open_perf(reader);
	if (!reader->perf)
		trace_close(&reader->arguments);
	reader->connector = event_connector_open(
		&reader->env, reader->perf ? EVENT_CONNECTOR_BESIDE_PERF : EVENT_CONNECTOR_ALL, SOCKET_BYTES,
		&reader->sources.connector_error);
	reader->resolver.reports_users = reader->connector != NULL;
}

static bool may_be_selected(const struct event_reader *reader, const struct raw_event *raw)
{
	const struct event_process *process = event_processes_find(reader->resolver.processes, raw->pid);

	if (process && process->end_ns)
		process = NULL; /* PID reused */
	return event_filter_start(&reader->resolver.filter, process, raw->pid, raw->text);
}

/* Reads command lines that execs did not include, while the processes exist. */
static void read_missing_commands(struct event_reader *reader, size_t from)
{
	struct command_line line;

	if (reader->env.foreign_pids)
		return;
	while (command_reader_next(reader->commands, &line)) {
		/* too late to be of use */
	}
	for (size_t i = from; i < reader->raw.count; i++) {
		const struct raw_event *raw = &reader->raw.list[i];

		if (raw->kind == EVENT_EXEC && !raw->is_command && may_be_selected(reader, raw))
			command_reader_ask(reader->commands, raw->pid, "cmdline", raw->time_ns);
	}
	command_reader_submit(reader->commands);
	while (command_reader_next(reader->commands, &line))
		for (size_t i = from; i < reader->raw.count; i++) {
			struct raw_event *raw = &reader->raw.list[i];

			if (raw->kind != EVENT_EXEC || raw->pid != line.pid || raw->time_ns != line.tag ||
			    line.length == 0)
				continue;
			free(raw->text);
			raw->text = alloc_text(line.text);
			raw->program_length = line.program_length;
			raw->is_command = true;
		}
}

static void drain(struct event_reader *reader)
{
	size_t before = reader->raw.count;

	if (reader->perf)
		event_perf_drain(reader->perf, &reader->raw, !reader->connector);
	if (reader->connector)
		event_connector_drain(reader->connector, &reader->raw);
	if (reader->raw.count > before) {
		read_missing_commands(reader, before);
		raw_events_sort(&reader->raw);
		reader->quiet_rounds = 0;
	} else {
		reader->quiet_rounds++;
	}
}

static void note_sources(struct event_reader *reader, uint64_t now_ns)
{
	struct event_sources *sources = &reader->sources;

	if (reader->perf) {
		sources->perf_received = event_perf_received(reader->perf);
		if (now_ns - reader->losses_ns >= LOSSES_NS) {
			sources->perf_lost = event_perf_lost(reader->perf);
			reader->losses_ns = now_ns;
		}
	}
	if (reader->connector) {
		sources->connector_received = event_connector_received(reader->connector);
		sources->connector_lost = event_connector_lost(reader->connector);
	}
	sources->unnamed = reader->resolver.unnamed;
	sources->stuck_pid = command_reader_stuck(reader->commands);
}

static void ring_bell(struct event_reader *reader, uint64_t now_ns)
{
	uint64_t one = 1;

	if (!reader->waiting || now_ns - reader->rung_ns < BELL_NS)
		return;
	reader->waiting = false;
	reader->rung_ns = now_ns;
	if (write(reader->bell, &one, sizeof(one)) < 0)
		reader->waiting = true;
}

static void hand_over(struct event_reader *reader, uint64_t now_ns)
{
	struct event_sources *sources = &reader->sources;
	size_t count = reader->resolver.ready.count;

	sources->queue_received += count;
	if (reader->collectors == 0 && reader->decided) {
		event_batch_empty(&reader->resolver.ready);
	} else if (count > 0) {
		sources->queue_lost += event_batch_append(&reader->ready, &reader->resolver.ready);
		reader->waiting = true;
	}
	note_sources(reader, now_ns);
	ring_bell(reader, now_ns);
}

/* Newer events may still be preceded by events of other CPUs. */
static void resolve_settled(struct event_reader *reader, uint64_t settled_ns)
{
	struct raw_events *raw = &reader->raw;
	size_t count = 0;

	event_resolve_begin(&reader->resolver);
	while (count < raw->count && raw->list[count].time_ns <= settled_ns)
		event_resolve(&reader->resolver, &raw->list[count++]);
	raw_events_drop(raw, count);
}

/* Before anything is looked up with the new filter. */
static void update_resolver(struct event_reader *reader)
{
	struct event_filter filter;
	bool changed;

	pthread_mutex_lock(&reader->lock);
	filter = reader->filter;
	changed = reader->filter_changed;
	reader->filter_changed = false;
	pthread_mutex_unlock(&reader->lock);
	if (changed)
		event_resolve_set_filter(&reader->resolver, &filter);
}

/* Detecting that a CPU was offline takes two checks: after a long wait the second one follows soon. */
static void follow_cpus(struct event_reader *reader, uint64_t now_ns)
{
	uint64_t since_ns = now_ns - reader->followed_ns;

	if (!reader->perf || since_ns <= FOLLOW_NS)
		return;
	event_perf_follow_cpus(reader->perf);
	reader->followed_ns = since_ns > 2 * FOLLOW_NS ? now_ns - FOLLOW_NS + FOLLOW_SOON_NS : now_ns;
}

static void round_once(struct event_reader *reader)
{
	uint64_t now_ns = env_mono_ns(&reader->env);

	follow_cpus(reader, now_ns);
	update_resolver(reader);
	drain(reader);
	pthread_mutex_lock(&reader->lock);
	resolve_settled(reader, now_ns - SETTLED_NS);
	reader->check_ns = event_resolve_leaderless(&reader->resolver);
	hand_over(reader, now_ns);
	pthread_mutex_unlock(&reader->lock);
}

/* Setting the alarm interrupts each CPU: with many CPUs it must pay off. */
static unsigned quiet_rounds(const struct event_reader *reader)
{
	unsigned rounds = QUIET_ROUNDS + (reader->perf ? event_perf_cpus(reader->perf) / 4 : 0);

	return rounds < QUIET_ROUNDS_MAX ? rounds : QUIET_ROUNDS_MAX;
}

/* Arms the alarms, then drains once more: earlier events do not trigger them. */
static bool is_quiet(struct event_reader *reader)
{
	bool quiet;

	pthread_mutex_lock(&reader->lock);
	quiet = reader->quiet_rounds > quiet_rounds(reader) && reader->raw.count == 0 && !reader->waiting;
	pthread_mutex_unlock(&reader->lock);
	if (reader->perf && !event_perf_arm(reader->perf, quiet))
		return false;
	if (!quiet)
		return false;
	reader->losses_ns = 0; /* read them before a wait that may be long */
	round_once(reader);
	return reader->quiet_rounds > 0;
}

/* -1: until the next event. */
static int quiet_ms(const struct event_reader *reader)
{
	uint64_t now_ns = env_mono_ns(&reader->env);

	if (reader->check_ns == U64_UNKNOWN)
		return -1;
	return reader->check_ns > now_ns ? (int)((reader->check_ns - now_ns) / 1000000) + 1 : 0;
}

/* False: stop. */
static bool wait_for_more(struct event_reader *reader)
{
	bool quiet = is_quiet(reader);
	struct pollfd polled[POLLED_MAX] = { { .fd = reader->stop, .events = POLLIN } };
	int fds[POLLED_MAX];
	unsigned n_polled = 1, n_fds = 0;

	if (reader->perf)
		n_fds = event_perf_descriptors(reader->perf, fds, POLLED_MAX - 2);
	for (unsigned i = 0; i < n_fds; i++)
		polled[n_polled++] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	if (reader->connector && quiet)
		polled[n_polled++] = (struct pollfd){ .fd = event_connector_descriptor(reader->connector),
						      .events = POLLIN };
	poll(polled, n_polled, quiet ? quiet_ms(reader) : ROUND_MS);
	return !(polled[0].revents & POLLIN);
}

/* Most of the many processes of a service are children of one with the same command line. */
static void seed_name(struct event_processes *processes, const struct command_line *line)
{
	struct event_process *process = event_processes_find(processes, line->pid), *parent;

	if (!process || line->length == 0)
		return;
	event_process_call(process, process->name->comm, line->text, line->program_length,
			   EVENT_NAME_COMMAND);
	parent = event_processes_find(processes, process->parent_pid);
	if (parent)
		event_process_share_name(process, parent);
}

/* Reads command lines of existing processes, as many at a time as the command reader accepts. */
static void seed(struct event_reader *reader)
{
	const uint32_t *pids;
	size_t n_pids, at = 0;
	struct command_line line;

	event_resolve_existing(&reader->resolver);
	if (reader->env.foreign_pids || pids_list(&reader->env, &pids, &n_pids))
		return;
	while (at < n_pids && command_reader_is_free(reader->commands)) {
		while (at < n_pids && command_reader_ask(reader->commands, pids[at], "cmdline", 0))
			at++;
		command_reader_submit(reader->commands);
		while (command_reader_next(reader->commands, &line))
			seed_name(reader->resolver.processes, &line);
	}
}

static void *run(void *context)
{
	struct event_reader *reader = context;

	privilege_limit(PRIVILEGE_BIT(PRIVILEGE_PERF) | PRIVILEGE_BIT(PRIVILEGE_RINGS) |
		       PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN));
	seed(reader);
	do
		round_once(reader);
	while (wait_for_more(reader));
	return NULL;
}

static void start(struct event_reader *reader, const struct topic_settings *settings)
{
	if (!reader->perf && !reader->connector)
		reader->error = reader->sources.connector_error;
	else if (!reader->error)
		reader->error = -pthread_create(&reader->thread, NULL, run, reader);
	if (!reader->error && settings->event.real_time) {
		struct sched_param priority = { .sched_priority = 1 };
		uint64_t raised = privilege_raise(PRIVILEGE_REAL_TIME);

		reader->sources.real_time_error =
			-pthread_setschedparam(reader->thread, SCHED_FIFO, &priority);
		privilege_lower(raised);
	}
}

static int open_reader(void *state, const struct sample *sample)
{
	struct event_reader *reader = state;
	struct env *env = sample->env;

	reader->error = env_open(&reader->env, "/");
	reader->env.clock = env->clock;
	reader->env.live &= env->live && !reader->error;
	pthread_mutex_init(&reader->lock, NULL);
	reader->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	reader->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	reader->env.worker = env->worker;
	if (!reader->error && (reader->bell < 0 || reader->stop < 0))
		reader->error = -errno;
	reader->commands = command_reader_open(&reader->env);
	event_resolve_open(&reader->resolver, &reader->env);
	reader->resolver.keeps_ended = true;
	event_filter_read(&reader->filter, sample->settings, sample->request->scope);
	reader->filter_changed = true;
	open_sources(reader, sample);
	reader->start_ns = env_mono_ns(env);
	start(reader, sample->settings);
	return 0;
}

static void close_reader(void *state)
{
	struct event_reader *reader = state;
	uint64_t one = 1;

	while (!reader->error && write(reader->stop, &one, sizeof(one)) < 0 && errno == EINTR) {
	}
	if (!reader->error && !patience_join(reader->thread)) {
		reader_leave();
		return;
	}
	event_perf_close(reader->perf);
	trace_close(&reader->arguments);
	event_connector_close(reader->connector);
	command_reader_close(reader->commands);
	raw_events_free(&reader->raw);
	event_resolve_free(&reader->resolver);
	event_batch_free(&reader->ready);
	pthread_mutex_destroy(&reader->lock);
	close(reader->bell);
	close(reader->stop);
	env_close(&reader->env);
}

static void update_filter(struct event_reader *reader, const struct sample *sample)
{
	struct event_filter filter;

	event_filter_read(&filter, sample->settings, sample->request->scope);
	if (memcmp(&filter, &reader->filter, sizeof(filter)) == 0)
		return;
	pthread_mutex_lock(&reader->lock);
	if (filter.n_terms != reader->filter.n_terms ||
	    memcmp(filter.terms, reader->filter.terms, sizeof(filter.terms)) != 0)
		reader->start_ns = env_mono_ns(sample->env);
	reader->filter = filter;
	reader->filter_changed = true;
	pthread_mutex_unlock(&reader->lock);
}

/* Topics are opened before the first is updated; under the lock. */
static void decide(struct event_reader *reader)
{
	struct event_ended_list *ended = &reader->resolver.ended;

	if (reader->decided)
		return;
	reader->decided = true;
	if (reader->collectors == 0) {
		event_batch_empty(&reader->ready);
		reader->waiting = false;
	}
	reader->resolver.keeps_ended = reader->wants_ended;
	if (!reader->wants_ended)
		VECTOR_EMPTY(ended->list, ended->count, ended->capacity, &ended->recent);
}

static int update(void *state, const struct sample *sample)
{
	struct event_reader *reader = state;

	update_filter(reader, sample);
	pthread_mutex_lock(&reader->lock);
	decide(reader);
	pthread_mutex_unlock(&reader->lock);
	if (reader->error)
		env_note_failure(sample->env, reader->perf || reader->connector ? EVENT_THREAD : "connector",
				 reader->error);
	return reader->error;
}

const struct reader process_event_reader = {
	.name = "process events",
	.state_size = sizeof(struct event_reader),
	.open = open_reader,
	.update = update,
	.close = close_reader,
};

void event_reader_add_collector(struct event_reader *reader, int change)
{
	pthread_mutex_lock(&reader->lock);
	reader->collectors += (unsigned)change;
	pthread_mutex_unlock(&reader->lock);
}

void event_reader_keep_ended(struct event_reader *reader)
{
	pthread_mutex_lock(&reader->lock);
	reader->wants_ended = reader->resolver.keeps_ended = true;
	pthread_mutex_unlock(&reader->lock);
}

void event_reader_collect(struct event_reader *reader, struct event_batch *taken)
{
	struct event_batch swapped = *taken;
	uint64_t rung;

	event_batch_empty(&swapped);
	pthread_mutex_lock(&reader->lock);
	*taken = reader->ready;
	reader->ready = swapped;
	reader->waiting = false;
	if (read(reader->bell, &rung, sizeof(rung)) < 0)
		rung = 0; /* it was not rung; under the lock, since it is rung for what comes next */
	pthread_mutex_unlock(&reader->lock);
}

void event_reader_collect_ended(struct event_reader *reader, struct event_ended_list *taken)
{
	struct event_ended_list swapped = *taken;

	VECTOR_EMPTY(swapped.list, swapped.count, swapped.capacity, &swapped.recent);
	pthread_mutex_lock(&reader->lock);
	*taken = reader->resolver.ended;
	reader->resolver.ended = swapped;
	decide(reader);
	pthread_mutex_unlock(&reader->lock);
}

void event_reader_read_statistics(struct event_reader *reader,
				  void (*read)(void *context, const struct event_statistics *statistics,
					       uint64_t since_ns),
				  void *context)
{
	pthread_mutex_lock(&reader->lock);
	read(context, &reader->resolver.statistics, env_mono_ns(&reader->env) - reader->start_ns);
	pthread_mutex_unlock(&reader->lock);
}

void event_reader_sources(struct event_reader *reader, struct event_sources *sources)
{
	pthread_mutex_lock(&reader->lock);
	*sources = reader->sources;
	pthread_mutex_unlock(&reader->lock);
}

const struct trace_set *event_reader_arguments(const struct event_reader *reader)
{
	return &reader->arguments;
}

int event_reader_bell(const struct event_reader *reader)
{
	return reader->bell;
}
