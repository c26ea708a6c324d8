/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts of programs, from the proc connector or from lists of processes. */
#include <config.h>

#include "topic/event/program_starts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/pid/pid_stat.h"
#include "sys/pids.h"
#include "topic/event/event_connector.h"

#define SOCKET_BYTES ((size_t)8 << 20)
#define STAT_BYTES 1024

struct program_starts {
	struct env *env;
	struct program_names names;
	struct event_connector *connector; /* NULL: processes are looked for */
	struct raw_events events;
	uint64_t unnamed;
	struct seen { /* processes with these names, in the order of their pids */
		uint32_t pid;
		uint64_t start_ticks;
	} * seen;
	size_t n_seen, capacity;
	bool looked;
};

struct program_starts *program_starts_open(struct env *env, const struct program_names *names, int *error)
{
	struct program_starts *starts = alloc_zeroed(1, sizeof(*starts));

	starts->env = env;
	starts->names = *names;
	starts->connector = event_connector_open(env, EVENT_CONNECTOR_EXECS, SOCKET_BYTES, error);
	return starts;
}

void program_starts_close(struct program_starts *starts)
{
	if (!starts)
		return;
	event_connector_close(starts->connector);
	raw_events_free(&starts->events);
	free(starts->seen);
	free(starts);
}

int program_starts_fd(const struct program_starts *starts)
{
	return starts->connector ? event_connector_descriptor(starts->connector) : -1;
}

void program_starts_read(struct program_starts *starts, program_start_fn *each, void *context)
{
	if (!starts->connector)
		return;
	event_connector_drain(starts->connector, &starts->events);
	for (size_t i = 0; i < starts->events.count; i++) {
		uint32_t pid = starts->events.list[i].pid;
		int error;
		size_t name = program_names_of(&starts->names, starts->env, pid, &error);

		starts->unnamed += error != 0;
		if (name < starts->names.n)
			each(context, &(struct program_start){ pid, name });
	}
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
	return starts->unnamed + (starts->connector ? event_connector_lost(starts->connector) : 0);
}
