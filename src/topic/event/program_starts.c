/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts of programs, from perf records, the proc connector or lists of processes. */
#include <config.h>

#include "topic/event/program_starts.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/pid/pid_stat.h"
#include "sys/descriptor.h"
#include "sys/pids.h"
#include "topic/event/event_source.h"

#define SOCKET_BYTES ((size_t)8 << 20)
#define RING_BYTES ((size_t)64 << 10) /* of each CPU: a thousand execs */
#define FDS_MAX 2048
#define FOLLOW_NS UINT64_C(1000000000)
#define AHEAD_NS UINT64_C(20000000) /* an exec that goes on for so long has its name before its record */
#define NAMED_MAX 64
#define STAT_BYTES 1024

struct program_starts {
	struct env *env;
	struct program_names names;
	struct event_source *source; /* NULL: processes are looked for */
	bool by_perf;                /* its records have the names; those of the connector do not */
	int epoll_fd;                /* of its descriptors */
	uint64_t followed_ns;        /* when its list of CPUs was last updated */
	struct raw_events events;
	struct named { /* the last starts by the connector */
		uint32_t pid;
		size_t name;
		uint64_t read_ns;
	} named[NAMED_MAX];
	size_t n_named; /* so far */
	uint64_t unnamed;
	struct seen { /* processes with these names, in the order of their pids */
		uint32_t pid;
		uint64_t start_ticks;
	} *seen;
	size_t n_seen, capacity;
	bool looked;
};

/* Adds the rings of CPUs that came; the others stay. */
static void watch_source(const struct program_starts *starts)
{
	int fds[FDS_MAX];
	unsigned n_fds = starts->source->descriptors(starts->source, fds, FDS_MAX);

	for (unsigned i = 0; i < n_fds; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.fd = fds[i] };

		epoll_ctl(starts->epoll_fd, EPOLL_CTL_ADD, fds[i], &event);
	}
}

struct program_starts *program_starts_open(struct env *env, const struct program_names *names, int *error)
{
	struct program_starts *starts = alloc_zeroed(1, sizeof(*starts));

	starts->env = env;
	starts->names = *names;
	starts->epoll_fd = -1;
	*error = -ENOTSUP;
	if (env->live)
		starts->source = event_perf_open_execs(env, RING_BYTES, error);
	starts->by_perf = starts->source != NULL;
	if (!starts->by_perf)
		starts->source = event_connector_open(env, EVENT_CONNECTOR_EXECS, SOCKET_BYTES, error);
	if (!starts->source)
		return starts;
	starts->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	starts->followed_ns = env_mono_ns(env);
	watch_source(starts);
	return starts;
}

void program_starts_close(struct program_starts *starts)
{
	if (!starts)
		return;
	event_source_close(starts->source);
	descriptor_close(starts->epoll_fd);
	raw_events_free(&starts->events);
	free(starts->seen);
	free(starts);
}

int program_starts_fd(const struct program_starts *starts)
{
	return starts->epoll_fd;
}

static void read_rings(struct program_starts *starts, program_start_fn *each, void *context)
{
	uint64_t now_ns = env_mono_ns(starts->env);

	if (now_ns - starts->followed_ns > FOLLOW_NS) {
		starts->source->follow_cpus(starts->source);
		watch_source(starts);
		starts->followed_ns = now_ns;
	}
	starts->source->drain(starts->source, &starts->events, false);
	for (size_t i = 0; i < starts->events.count; i++) {
		const struct raw_event *exec = &starts->events.list[i];
		size_t name = program_names_find(&starts->names, exec->comm);

		if (exec->kind == EVENT_EXEC && name < starts->names.n)
			each(context, &(struct program_start){ exec->pid, name });
	}
}

static bool has_gone_on(const struct raw_events *events, size_t exec)
{
	for (size_t i = exec + 1; i < events->count; i++)
		if (events->list[i].pid == events->list[exec].pid)
			return true;
	return false;
}

/* A name that was read while the exec went on has been given to the one before. */
static bool is_named(struct program_starts *starts, const struct raw_event *exec, size_t name)
{
	for (size_t i = 0; i < starts->n_named && i < NAMED_MAX; i++) {
		const struct named *named = &starts->named[i];

		if (named->pid == exec->pid && named->name == name && exec->time_ns > named->read_ns &&
		    exec->time_ns - named->read_ns < AHEAD_NS)
			return true;
	}
	return false;
}

/* The name that the process has is that of its last exec. */
static void read_connector(struct program_starts *starts, program_start_fn *each, void *context)
{
	struct raw_events *events = &starts->events;

	starts->source->drain(starts->source, events, false);
	for (size_t i = 0; i < events->count; i++) {
		struct raw_event exec = events->list[i];
		int error;
		size_t name = program_names_of(&starts->names, starts->env, exec.pid, &error);
		uint64_t read_ns = env_mono_ns(starts->env);

		if (name < starts->names.n)
			starts->source->drain(starts->source, events, false);
		if (error || has_gone_on(events, i)) {
			starts->unnamed++;
		} else if (name < starts->names.n && !is_named(starts, &exec, name)) {
			starts->named[starts->n_named++ % NAMED_MAX] =
				(struct named){ exec.pid, name, read_ns };
			each(context, &(struct program_start){ exec.pid, name });
		}
	}
}

void program_starts_read(struct program_starts *starts, program_start_fn *each, void *context)
{
	if (starts->by_perf)
		read_rings(starts, each, context);
	else if (starts->source)
		read_connector(starts, each, context);
	raw_events_drop(&starts->events, starts->events.count);
}

/* The place of the name of this process; names.n: it has another one, or has ended. */
static size_t look_at(struct program_starts *starts, uint32_t pid, struct seen *found)
{
	char bytes[STAT_BYTES], name[PROGRAM_NAME_BYTES] = "";
	long length = pids_read(starts->env, pid, "stat", bytes, sizeof(bytes));
	struct pid_stat stat;

	if (length <= 0 || !pid_stat_parse(span_of(bytes, (size_t)length), &stat))
		return starts->names.n;
	*found = (struct seen){ pid, stat.start_ticks };
	span_copy(name, sizeof(name), stat.comm);
	return program_names_find(&starts->names, name);
}

int program_starts_look(struct program_starts *starts, program_start_fn *each, void *context)
{
	struct seen *before = starts->seen;
	size_t n_before = starts->n_seen, at = 0, n_pids;
	const uint32_t *pids;
	int error;

	if (starts->source)
		return 0;
	starts->env->tick++;
	error = pids_list(starts->env, &pids, &n_pids);
	if (error)
		return error;
	starts->seen = NULL;
	starts->n_seen = starts->capacity = 0;
	for (size_t i = 0; i < n_pids; i++) {
		struct seen found;
		size_t name = look_at(starts, pids[i], &found);

		if (name == starts->names.n)
			continue;
		*VECTOR_ADD(starts->seen, starts->n_seen, starts->capacity) = found;
		while (at < n_before && before[at].pid < found.pid)
			at++;
		if (starts->looked && (at == n_before || before[at].pid != found.pid ||
				       before[at].start_ticks != found.start_ticks))
			each(context, &(struct program_start){ found.pid, name });
	}
	starts->looked = true;
	free(before);
	return 0;
}

uint64_t program_starts_lost(const struct program_starts *starts)
{
	return starts->unnamed + (starts->source ? starts->source->lost(starts->source) : 0);
}
