/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reading thread: in each round it drains, reads commands, sorts, resolves and hands over. */
#include <config.h>

#include "topic/event/event_reader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/unknown.h"
#include "sys/machine_thread.h"
#include "sys/pids.h"
#include "sys/privilege.h"
#include "sys/process.h"
#include "topic/event/event_resolve.h"
#include "topic/event/event_source.h"
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
#define RINGS_BYTES ((size_t)64 * 1024 * 1024)   /* of all CPUs together */
#define RING_BYTES_MAX ((size_t)8 * 1024 * 1024) /* without BPF: room for 650 execs */
#define RING_BYTES_MIN ((size_t)256 * 1024)
#define POLLED_MAX 2050

struct event_reader {
	struct event_handed handed;
	struct env env; /* the thread's own */
	pthread_t thread;
	bool runs;                             /* the thread */
	int bell, stop;                        /* eventfds */
	struct trace_set arguments;            /* of execs */
	struct event_source *perf, *connector; /* used by the thread, like all members from here on */
	struct raw_events raw;
	struct command_reader *commands;
	struct event_resolver resolver;
	unsigned quiet_rounds;
	uint64_t rung_ns, followed_ns, losses_ns;
	uint64_t check_ns; /* of event_resolve_leaderless() */
	/* under the lock of what is handed, as what the resolver has counted and kept */
	bool wants_ended; /* a sampler collects who exited */
	bool decided;     /* all of the first sample are open: before, everything is kept for them */
	bool waiting;     /* the bell must be rung for ready events */
	struct event_filter filter;
	bool filter_changed;
};

bool event_reader_runs(const struct event_reader *reader)
{
	return reader->runs;
}

/* Locked memory may be limited: then try smaller rings. */
static void open_perf(struct event_reader *reader, const struct event_sources_of *by)
{
	size_t bytes = RINGS_BYTES / env_cpus();
	int *error = &reader->handed.sources.perf_error;

	bytes = bytes > RING_BYTES_MAX ? RING_BYTES_MAX : bytes < RING_BYTES_MIN ? RING_BYTES_MIN : bytes;
	do {
		reader->perf = by->perf(&reader->env, bytes, &reader->arguments, error);
		bytes /= 4;
	} while (!reader->perf && *error == -EPERM && bytes >= 16 * 1024);
	reader->handed.sources.exec_error = reader->perf ? reader->perf->exec_error : *error;
}

static void open_sources(struct event_reader *reader, const struct sample *sample)
{
	static const struct event_sources_of kernel = { event_perf_open, event_connector_open };
	const struct event_sources_of *by = sample->env->events ? sample->env->events : &kernel;

	if (!reader->env.live) {
		int error = reader->handed.error ? reader->handed.error : -ENOTSUP;

		reader->handed.sources = (struct event_sources){ .perf_error = error,
								 .exec_error = error,
								 .connector_error = error };
		return;
	}
	trace_open(&reader->arguments, sample->env, sample->request, &trace_plan_event);
	open_perf(reader, by);
	if (!reader->perf)
		trace_close(&reader->arguments);
	reader->connector =
		by->connector(&reader->env, reader->perf ? EVENT_CONNECTOR_BESIDE_PERF : EVENT_CONNECTOR_ALL,
			      SOCKET_BYTES, &reader->handed.sources.connector_error);
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
		reader->perf->drain(reader->perf, &reader->raw, !reader->connector);
	if (reader->connector)
		reader->connector->drain(reader->connector, &reader->raw, true);
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
	struct event_sources *sources = &reader->handed.sources;

	if (reader->perf) {
		sources->perf_received = reader->perf->received;
		if (now_ns - reader->losses_ns >= LOSSES_NS) {
			sources->perf_lost = reader->perf->lost(reader->perf);
			reader->losses_ns = now_ns;
		}
	}
	if (reader->connector) {
		sources->connector_received = reader->connector->received;
		sources->connector_lost = reader->connector->lost(reader->connector);
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
	struct event_sources *sources = &reader->handed.sources;
	size_t count = reader->resolver.ready.count;

	sources->queue_received += count;
	if (reader->handed.collectors == 0 && reader->decided) {
		event_batch_empty(&reader->resolver.ready);
	} else if (count > 0) {
		sources->queue_lost += event_batch_append(&reader->handed.ready, &reader->resolver.ready);
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

	pthread_mutex_lock(&reader->handed.lock);
	filter = reader->filter;
	changed = reader->filter_changed;
	reader->filter_changed = false;
	pthread_mutex_unlock(&reader->handed.lock);
	if (changed)
		event_resolve_set_filter(&reader->resolver, &filter);
}

/* Detecting that a CPU was offline takes two checks: after a long wait the second one follows soon. */
static void follow_cpus(struct event_reader *reader, uint64_t now_ns)
{
	uint64_t since_ns = now_ns - reader->followed_ns;

	if (!reader->perf || since_ns <= FOLLOW_NS)
		return;
	reader->perf->follow_cpus(reader->perf);
	reader->followed_ns = since_ns > 2 * FOLLOW_NS ? now_ns - FOLLOW_NS + FOLLOW_SOON_NS : now_ns;
}

static void round_once(struct event_reader *reader)
{
	uint64_t now_ns = env_mono_ns(&reader->env);

	follow_cpus(reader, now_ns);
	update_resolver(reader);
	drain(reader);
	pthread_mutex_lock(&reader->handed.lock);
	resolve_settled(reader, now_ns - SETTLED_NS);
	reader->check_ns = event_resolve_leaderless(&reader->resolver);
	hand_over(reader, now_ns);
	pthread_mutex_unlock(&reader->handed.lock);
}

/* Arms the alarms, then drains once more: earlier events do not trigger them. */
static bool is_quiet(struct event_reader *reader)
{
	unsigned rounds = QUIET_ROUNDS + (reader->perf ? reader->perf->n_cpus / 4 : 0);
	bool quiet;

	if (rounds > QUIET_ROUNDS_MAX) /* setting the alarm interrupts each CPU: with many it must pay off */
		rounds = QUIET_ROUNDS_MAX;
	pthread_mutex_lock(&reader->handed.lock);
	quiet = reader->quiet_rounds > rounds && reader->raw.count == 0 && !reader->waiting;
	pthread_mutex_unlock(&reader->handed.lock);
	if (reader->perf && !reader->perf->arm(reader->perf, quiet))
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
		n_fds = reader->perf->descriptors(reader->perf, fds, POLLED_MAX - 2);
	if (reader->connector && quiet)
		n_fds += reader->connector->descriptors(reader->connector, fds + n_fds, 1);
	for (unsigned i = 0; i < n_fds; i++)
		polled[n_polled++] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
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
		reader->handed.error = reader->handed.sources.connector_error;
	else if (!reader->handed.error)
		reader->handed.error = -pthread_create(&reader->thread, NULL, run, reader);
	reader->runs = !reader->handed.error;
	if (reader->runs && settings->event.real_time) {
		struct sched_param priority = { .sched_priority = 1 };
		uint64_t raised = privilege_raise(PRIVILEGE_REAL_TIME);

		reader->handed.sources.real_time_error =
			-pthread_setschedparam(reader->thread, SCHED_FIFO, &priority);
		privilege_lower(raised);
	}
}

static int open_reader(void *state, const struct sample *sample)
{
	struct event_reader *reader = state;
	struct env *env = sample->env;

	reader->handed.error = env_open(&reader->env, "/");
	reader->env.clock = env->clock;
	reader->env.live &= env->live && !reader->handed.error;
	pthread_mutex_init(&reader->handed.lock, NULL);
	reader->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	reader->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	reader->env.worker = env->worker;
	if (!reader->handed.error && (reader->bell < 0 || reader->stop < 0))
		reader->handed.error = -errno;
	reader->commands = command_reader_open(&reader->env, COMMAND_READER_LINES);
	event_resolve_open(&reader->resolver, &reader->env);
	reader->handed.statistics = &reader->resolver.statistics;
	reader->resolver.keeps_ended = true;
	event_filter_read(&reader->filter, sample->settings, sample->request->scope);
	reader->filter_changed = true;
	open_sources(reader, sample);
	reader->handed.start_ns = env_mono_ns(env);
	start(reader, sample->settings);
	return 0;
}

static void close_reader(void *state)
{
	struct event_reader *reader = state;
	uint64_t one = 1;

	while (reader->runs && write(reader->stop, &one, sizeof(one)) < 0 && errno == EINTR) {
	}
	if (reader->runs && !patience_join(reader->thread)) {
		reader_leave();
		return;
	}
	event_source_close(reader->perf);
	trace_close(&reader->arguments);
	event_source_close(reader->connector);
	command_reader_close(reader->commands);
	raw_events_free(&reader->raw);
	event_resolve_free(&reader->resolver);
	event_batch_free(&reader->handed.ready);
	pthread_mutex_destroy(&reader->handed.lock);
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
	pthread_mutex_lock(&reader->handed.lock);
	if (filter.n_terms != reader->filter.n_terms ||
	    memcmp(filter.terms, reader->filter.terms, sizeof(filter.terms)) != 0)
		reader->handed.start_ns = env_mono_ns(sample->env);
	reader->filter = filter;
	reader->filter_changed = true;
	pthread_mutex_unlock(&reader->handed.lock);
}

/* Topics are opened before the first is updated; under the lock. */
static void decide(struct event_reader *reader)
{
	struct event_ended_list *ended = &reader->resolver.ended;

	if (reader->decided)
		return;
	reader->decided = true;
	if (reader->handed.collectors == 0) {
		event_batch_empty(&reader->handed.ready);
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
	pthread_mutex_lock(&reader->handed.lock);
	decide(reader);
	pthread_mutex_unlock(&reader->handed.lock);
	if (reader->handed.error)
		env_note_failure(sample->env, reader->perf || reader->connector ? EVENT_THREAD : "connector",
				 reader->handed.error);
	return reader->handed.error;
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
	pthread_mutex_lock(&reader->handed.lock);
	reader->handed.collectors += (unsigned)change;
	pthread_mutex_unlock(&reader->handed.lock);
}

void event_reader_keep_ended(struct event_reader *reader)
{
	pthread_mutex_lock(&reader->handed.lock);
	reader->wants_ended = reader->resolver.keeps_ended = true;
	pthread_mutex_unlock(&reader->handed.lock);
}

void event_reader_collect(struct event_reader *reader, struct event_batch *taken)
{
	struct event_batch swapped = *taken;
	uint64_t rung;

	event_batch_empty(&swapped);
	pthread_mutex_lock(&reader->handed.lock);
	*taken = reader->handed.ready;
	reader->handed.ready = swapped;
	reader->waiting = false;
	if (read(reader->bell, &rung, sizeof(rung)) < 0)
		rung = 0; /* it was not rung; under the lock, since it is rung for what comes next */
	pthread_mutex_unlock(&reader->handed.lock);
}

void event_reader_collect_ended(struct event_reader *reader, struct event_ended_list *taken)
{
	struct event_ended_list swapped = *taken;

	VECTOR_EMPTY(swapped.list, swapped.count, swapped.capacity, &swapped.recent);
	pthread_mutex_lock(&reader->handed.lock);
	*taken = reader->resolver.ended;
	reader->resolver.ended = swapped;
	decide(reader);
	pthread_mutex_unlock(&reader->handed.lock);
}

void event_reader_read_statistics(struct event_reader *reader,
				  void (*read)(void *context, const struct event_statistics *statistics,
					       uint64_t since_ns),
				  void *context)
{
	pthread_mutex_lock(&reader->handed.lock);
	read(context, reader->handed.statistics, env_mono_ns(&reader->env) - reader->handed.start_ns);
	pthread_mutex_unlock(&reader->handed.lock);
}

void event_reader_sources(struct event_reader *reader, struct event_sources *sources)
{
	pthread_mutex_lock(&reader->handed.lock);
	*sources = reader->handed.sources;
	pthread_mutex_unlock(&reader->handed.lock);
}

const struct trace_set *event_reader_arguments(const struct event_reader *reader)
{
	return &reader->arguments;
}

int event_reader_bell(const struct event_reader *reader)
{
	return reader->bell;
}

#define TEST_BYTES ((size_t)16 * 1024)
#define TRACEPOINT "sched:sched_process_exec"

static int test_perf(struct env *env)
{
	int error = -ENOTSUP;

	if (env->live)
		event_source_close(event_perf_open(env, TEST_BYTES, NULL, &error));
	return error;
}

static int test_tracepoint(struct env *env)
{
	int error = -ENOTSUP;
	struct event_source *perf = env->live ? event_perf_open(env, TEST_BYTES, NULL, &error) : NULL;

	if (perf)
		error = perf->exec_error;
	event_source_close(perf);
	return error;
}

static int test_connector(struct env *env)
{
	int error = 0;

	event_source_close(event_connector_open(env, EVENT_CONNECTOR_ALL, TEST_BYTES, &error));
	return error;
}

static int test_thread(struct env *env)
{
	return env->live ? worker_try_thread() : -ENOTSUP;
}

const struct source_spec event_source_specs[] = {
	{ .path = "perf",
	  .gives = N_("forks, execs, names and exits at the lowest cost"),
	  .optional = true,
	  .test = test_perf,
	  .remedies = { { EACCES, N_("run it as root, give it the capability cap_perfmon, or: sysctl "
				     "kernel.perf_event_paranoid=0") },
			{ EPERM,
			  N_("run it as root, or give it the capabilities cap_perfmon and cap_ipc_lock") },
			{ ENOENT, N_("this kernel has no perf events (CONFIG_PERF_EVENTS)") } } },
	{ .path = TRACEPOINT,
	  .gives = N_("file and arguments of execs, without BPF"),
	  .optional = true,
	  .test = test_tracepoint,
	  .remedies = { { EACCES, N_("run it as root, or give it the capabilities cap_perfmon and "
				     "cap_dac_read_search") },
			{ EPERM, N_("run it as root, or give it the capabilities cap_perfmon and "
				    "cap_dac_read_search") },
			{ ENOENT, N_("mount it: mount -t tracefs tracefs /sys/kernel/tracing") } } },
	{ .path = TRACE_SOURCE,
	  .gives = N_("every argument of programs that exit at once"),
	  .optional = true,
	  .test = trace_test,
	  .remedies = { TRACE_REMEDIES } },
	{ .path = "connector",
	  .is_socket = true,
	  .gives = N_("exit codes, core dumps, tracers, users and sessions; without perf, everything"),
	  .test = test_connector,
	  .remedies = { { EPERM, N_("before Linux 6.6 this needs root or the capability cap_net_admin") },
			{ ECONNREFUSED, N_("not available in a container (network namespace)") },
			{ ETIMEDOUT, N_("not available in a container (pid or user namespace)") },
			{ EPROTONOSUPPORT, N_("this kernel was built without CONFIG_PROC_EVENTS") },
			{ ENOTSUP, N_("process events exist only for the running machine: omit --root") } } },
	{ .path = EVENT_THREAD,
	  .gives = N_("reads events as they arrive"),
	  .test = test_thread,
	  .remedies = { { EAGAIN, N_("raise the limit of processes and threads: ulimit -u, or pids.max of "
				     "the control group") } } },
	{ 0 },
};

/* For error (positive errno) of the source with this name; may be NULL. */
static const char *remedy(const struct env *env, const char *source, int error)
{
	for (const struct source_spec *spec = event_source_specs; spec->path; spec++)
		if (strcmp(spec->path, source) == 0)
			return source_remedy(env, spec, error);
	return NULL;
}

static void notice_lost(const struct event_sources *sources, struct frame *frame, const char *topic)
{
	uint64_t lost = sources->perf_lost + sources->connector_lost;

	if (lost > 0)
		frame_notice(frame, topic, _("--real-time or a less busy machine reduces losses"),
			     P_("%lu event was lost before it could be read",
				"%lu events were lost before they could be read", (unsigned long)lost),
			     (unsigned long)lost);
	if (sources->queue_lost > 0)
		frame_notice(frame, topic, _("a shorter delay reduces losses"),
			     P_("%lu event was lost: too many arrived between two samples",
				"%lu events were lost: too many arrived between two samples",
				(unsigned long)sources->queue_lost),
			     (unsigned long)sources->queue_lost);
}

static void notice_missing(const struct event_sources *sources, const struct env *env, struct frame *frame,
			   const char *topic)
{
	if (sources->connector_error && !sources->perf_error)
		frame_notice(frame, topic, remedy(env, "connector", -sources->connector_error),
			     _("no exit codes, tracers, users and sessions: proc connector: %s"),
			     strerror(-sources->connector_error));
	if (sources->perf_error && sources->connector_error && sources->perf_error != -ENOTSUP)
		frame_notice(frame, topic, remedy(env, "perf", -sources->perf_error),
			     _("no process events from perf: %s"), strerror(-sources->perf_error));
	if (sources->perf_error && !sources->connector_error)
		frame_notice(frame, topic, remedy(env, "perf", -sources->perf_error),
			     _("short-lived processes may lack their command line: perf events: %s"),
			     strerror(-sources->perf_error));
	else if (sources->exec_error && !sources->perf_error)
		frame_notice(frame, topic, remedy(env, TRACEPOINT, -sources->exec_error),
			     _("short-lived processes may lack their arguments: %s: %s"), TRACEPOINT,
			     strerror(-sources->exec_error));
}

void event_notices(struct event_reader *reader, const struct env *env, struct frame *frame, const char *topic)
{
	struct event_sources sources;

	event_reader_sources(reader, &sources);
	notice_missing(&sources, env, frame, topic);
	if (!sources.perf_error && !sources.exec_error)
		trace_notice(&reader->arguments, frame,
			     _("some programs that exit at once lack their arguments"));
	notice_lost(&sources, frame, topic);
	if (env->foreign_pids)
		frame_notice(frame, topic, source_remedy(env, NULL, EXDEV),
			     _("processes are not looked up in /proc: %s"), env_error_text(EXDEV));
	if (sources.real_time_error)
		frame_notice(frame, topic,
			     remedy_for_user(N_("run it as root, or give it the capability cap_sys_nice")),
			     _("the event reader does not run at real-time priority: %s"),
			     strerror(-sources.real_time_error));
	if (sources.stuck_pid)
		frame_notice(frame, topic, NULL,
			     _("process %u is stuck: reading its command line blocks, others wait"),
			     sources.stuck_pid);
}
