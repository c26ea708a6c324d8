/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "event_total": how many events of which kind there were, by command and all together. */
#include <config.h>

#include <string.h>

#include "core/i18n.h"
#include "topic/event/event_notices.h"
#include "topic/event/event_sampler.h"
#include "topic/process/process_list.h"

#define ALL "all"
#define OTHERS "(others)"

struct event_total_row {
	const char *command;
	uint64_t forks, execs, exits, failures, clones, core_dumps, renames, ptraces, user_changes, sessions;
	uint64_t total;
	double forks_per_second, execs_per_second, exits_per_second, failures_per_second, per_second;
	double mean_per_second;
};

#define ROW(field, ...) COLUMN(struct event_total_row, field, __VA_ARGS__)
#define NUMBER(field, heading, importance, what)                                                             \
	ROW(field, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = heading, .width = 7,                 \
	    .rank = importance, .help = what, .source = "events, counted since panetop began to watch")
#define SPEED(field, of, heading, importance, ...)                                                           \
	ROW(field, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND, .title = heading, .width = 9,               \
	    .rank = importance, .rate_of = offsetof(struct event_total_row, of),                             \
	    .help = N_("in the last interval"), .source = "growth of " #of " / time", __VA_ARGS__)

static const struct column columns[] = {
	ROW(command, .kind = COLUMN_KEY, .title = N_("name"), .width = 15,
	    .help = N_("what the processes are called, at most 15 bytes; all: of all together; (others): of "
		   "those there was no room for"),
	    .source = "perf COMM, /proc/PID/stat"),
	NUMBER(total, N_("total"), 0, N_("events of all kinds")),
	SPEED(per_second, total, N_("per s"), 1, .hidden = false),
	NUMBER(forks, N_("forks"), 1, N_("processes that it started")),
	NUMBER(execs, N_("execs"), 1, N_("programs that became this one")),
	NUMBER(exits, N_("exits"), 1, N_("processes that ended")),
	NUMBER(failures, N_("failed"), 2, N_("of these, with a code that is not 0, or by a signal")),
	NUMBER(clones, N_("threads"), 3, N_("threads that it started")),
	NUMBER(core_dumps, N_("cores"), 4, N_("core dumps")),
	NUMBER(renames, N_("renames"), 5, N_("processes and threads that changed their name")),
	NUMBER(ptraces, N_("ptraces"), 6, N_("processes it began or ended to trace")),
	NUMBER(user_changes, N_("users"), 6, N_("changes of users and groups")),
	NUMBER(sessions, N_("sids"), 6, N_("sessions that it started")),
	SPEED(forks_per_second, forks, N_("forks/s"), 0, .hidden = true),
	SPEED(execs_per_second, execs, N_("execs/s"), 0, .hidden = true),
	SPEED(exits_per_second, exits, N_("exits/s"), 0, .hidden = true),
	SPEED(failures_per_second, failures, N_("failed/s"), 0, .hidden = true),
	ROW(mean_per_second, .kind = COLUMN_GAUGE, .unit = UNIT_PER_SECOND, .title = N_("mean/s"), .width = 8,
	    .rank = 2, .help = N_("events per second since panetop began to watch"),
	    .source = "total / time since then"),
};

static const struct schema schema = {
	.name = "event_total",
	.help = N_("events by kind and command"),
	.from_zero = true,
	.row_size = sizeof(struct event_total_row),
	SCHEMA_COLUMNS(columns),
};

static void add_row(struct table *table, const char *command, const struct event_counts *counts,
		    double seconds)
{
	struct event_total_row *row = table_add(table);

	row->command = command;
	row->forks = counts->kinds[EVENT_FORK];
	row->execs = counts->kinds[EVENT_EXEC];
	row->exits = counts->kinds[EVENT_EXIT];
	row->failures = counts->failures;
	row->clones = counts->kinds[EVENT_CLONE];
	row->core_dumps = counts->kinds[EVENT_CORE];
	row->renames = counts->kinds[EVENT_COMM];
	row->ptraces = counts->kinds[EVENT_PTRACE];
	row->user_changes = counts->kinds[EVENT_UID] + counts->kinds[EVENT_GID];
	row->sessions = counts->kinds[EVENT_SID];
	row->total = 0;
	for (unsigned i = 0; i < N_EVENT_KINDS; i++)
		row->total += counts->kinds[i];
	row->mean_per_second = (double)row->total / seconds;
}

/* A process may go by the name of a sum, but by none as long as what it then gets here. */
static const char *row_name(struct arena *arena, const char *command)
{
	if (strcmp(command, ALL) == 0 || strcmp(command, OTHERS) == 0)
		return arena_print(arena, TASK_NOT_A_SUM, command);
	return arena_copy(arena, command, strlen(command));
}

static void look(void *context, const struct event_statistics *statistics, uint64_t since_ns)
{
	struct event_sampler *state = context;
	double seconds = (double)since_ns / 1e9;

	add_row(state->table, ALL, &statistics->all, seconds);
	for (size_t i = 0; i < statistics->n_commands; i++) {
		const struct event_counts *counts = &statistics->commands[i];

		add_row(state->table, row_name(&state->frame->arena, counts->command), counts, seconds);
	}
	if (statistics->n_commands == EVENT_COMMANDS_MAX)
		add_row(state->table, OTHERS, &statistics->others, seconds);
}

static int sample(struct sample *sample)
{
	return event_sampler_look(sample, look);
}

const struct topic topic_event_total = {
	.schema = &schema,
	EVENT_TOPIC,
	.state_size = sizeof(struct event_sampler),
	.open = event_sampler_open,
	.sample = sample,
	.close = event_sampler_close,
};
