/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts of programs, from the proc connector or from lists of processes. */
#include <config.h>

#include "topic/event/program_starts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/pid/pid_stat.h"
#include "sys/pids.h"
#include "topic/event/event_connector.h"
#include "topic/process/process_ends.h"

#define SOCKET_BYTES ((size_t)8 << 20)
#define STAT_BYTES 1024
#define BRIEF_MAX ((size_t)1024)

struct program_starts {
	struct env *env;
	struct program_names names;
	struct event_connector *connector; /* NULL: processes are looked for */
	struct raw_events events;
	struct process_ends *ends; /* with the names of processes that ended at once; NULL: there are none */
	int epoll_fd;              /* of both; -1: there is no connector */
	struct brief { /* processes that had ended when their names were to be read, and ends; the oldest go
			*/
		uint32_t pid;
		size_t name; /* of an end */
	} gone[BRIEF_MAX], ended[BRIEF_MAX];
	size_t n_gone, n_ended; /* so far */
	uint64_t unnamed;
	struct seen { /* processes with these names, in the order of their pids */
		uint32_t pid;
		uint64_t start_ticks;
	} * seen;
	size_t n_seen, capacity;
	bool looked;
};

static void watch(const struct program_starts *starts, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	epoll_ctl(starts->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static void open_ends(struct program_starts *starts)
{
	int error;

	starts->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	watch(starts, event_connector_descriptor(starts->connector));
	starts->ends = process_ends_open(starts->env, &starts->names, &error);
	if (!error) {
		watch(starts, process_ends_fd(starts->ends));
		return;
	}
	process_ends_close(starts->ends);
	starts->ends = NULL;
}

struct program_starts *program_starts_open(struct env *env, const struct program_names *names, int *error)
{
	struct program_starts *starts = alloc_zeroed(1, sizeof(*starts));

	starts->env = env;
	starts->names = *names;
	starts->epoll_fd = -1;
	starts->connector = event_connector_open(env, EVENT_CONNECTOR_EXECS, SOCKET_BYTES, error);
	if (starts->connector)
		open_ends(starts);
	return starts;
}

void program_starts_close(struct program_starts *starts)
{
	if (!starts)
		return;
	event_connector_close(starts->connector);
	process_ends_close(starts->ends);
	if (starts->epoll_fd >= 0)
		close(starts->epoll_fd);
	raw_events_free(&starts->events);
	free(starts->seen);
	free(starts);
}

int program_starts_fd(const struct program_starts *starts)
{
	return starts->epoll_fd;
}

static struct brief *find_brief(struct brief *list, size_t n, uint32_t pid)
{
	for (size_t i = 0; i < n && i < BRIEF_MAX; i++)
		if (list[i].pid == pid)
			return &list[i];
	return NULL;
}

static void add_brief(struct brief *list, size_t *n, uint32_t pid, size_t name)
{
	list[(*n)++ % BRIEF_MAX] = (struct brief){ pid, name };
}

/* Where its name could not be read: its end has it, which comes before or after that. */
static void take_gone(struct program_starts *starts, uint32_t pid, program_start_fn *each, void *context)
{
	struct brief *ended = find_brief(starts->ended, starts->n_ended, pid);

	if (!ended) {
		add_brief(starts->gone, &starts->n_gone, pid, 0);
		return;
	}
	each(context, &(struct program_start){ pid, ended->name });
	ended->pid = 0;
}

struct taking {
	struct program_starts *starts;
	program_start_fn *each;
	void *context;
};

static void take_end(void *of, const struct process_end *end)
{
	const struct taking *taking = of;
	struct program_starts *starts = taking->starts;
	struct brief *gone = find_brief(starts->gone, starts->n_gone, end->pid);

	if (!gone) {
		add_brief(starts->ended, &starts->n_ended, end->pid, end->name);
		return;
	}
	taking->each(taking->context, &(struct program_start){ end->pid, end->name });
	gone->pid = 0;
}

void program_starts_read(struct program_starts *starts, program_start_fn *each, void *context)
{
	struct taking taking = { starts, each, context };

	if (!starts->connector)
		return;
	event_connector_drain(starts->connector, &starts->events);
	for (size_t i = 0; i < starts->events.count; i++) {
		uint32_t pid = starts->events.list[i].pid;
		int error;
		size_t name = program_names_of(&starts->names, starts->env, pid, &error);

		if (name < starts->names.n)
			each(context, &(struct program_start){ pid, name });
		else if (error && starts->ends)
			take_gone(starts, pid, each, context);
		else if (error)
			starts->unnamed++;
	}
	raw_events_drop(&starts->events, starts->events.count);
	if (starts->ends)
		process_ends_read(starts->ends, take_end, &taking);
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
	memcpy(name, stat.comm.at,
	       span_length(stat.comm) < sizeof(name) ? span_length(stat.comm) : sizeof(name) - 1);
	return program_names_find(&starts->names, name);
}

int program_starts_look(struct program_starts *starts, program_start_fn *each, void *context)
{
	struct seen *before = starts->seen;
	size_t n_before = starts->n_seen, at = 0, n_pids;
	const uint32_t *pids;
	int error;

	if (starts->connector)
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
	return starts->unnamed + (starts->connector ? event_connector_lost(starts->connector) : 0) +
	       (starts->ends ? process_ends_lost(starts->ends) : 0);
}
