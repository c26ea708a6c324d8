/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "event_parent": who forks how often, and what memory each fork has to copy the tables of. */
#include <config.h>

#include <string.h>

#include "core/i18n.h"
#include "topic/event/event_notices.h"
#include "topic/event/event_sampler.h"
#include "topic/process/process_find.h"

struct event_parent_row {
	uint64_t pid;
	double start_seconds;
	uint64_t forks;
	double forks_per_second, mean_forks_per_second;
	uint64_t resident_bytes, page_table_bytes;
	const char *command;
};

#define ROW(field, ...) COLUMN(struct event_parent_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(pid, .kind = COLUMN_KEY, .title = N_("PID"), .width = 7, .help = N_("the process that forks"),
	    .source = "perf task records, proc connector"),
	ROW(start_seconds, .kind = COLUMN_KEY, .unit = UNIT_SECONDS, .title = N_("start"), .width = 9,
	    .hidden = true, .help = N_("when it was started, after boot"),
	    .source = "/proc/PID/stat starttime, else its own fork"),
	ROW(forks, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("forks"), .width = 8,
	    .help = N_("processes it started since panetop began to watch"), .source = "events, counted"),
	ROW(forks_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND, .title = N_("forks/s"),
	    .width = 8, .rate_of = offsetof(struct event_parent_row, forks),
	    .help = N_("in the last interval"), .source = "growth of forks / time"),
	ROW(mean_forks_per_second, .kind = COLUMN_GAUGE, .unit = UNIT_PER_SECOND, .title = N_("mean/s"),
	    .width = 8, .rank = 2, .help = N_("forks per second since panetop began to watch"),
	    .source = "forks / time since then"),
	ROW(resident_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = N_("resident"), .width = 8,
	    .help = N_("its memory when it forked, read at most ten times a second"),
	    .source = "/proc/PID/status VmRSS"),
	ROW(page_table_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = N_("tables"), .width = 8,
	    .rank = 1,
	    .help = N_("its page tables then: fork() copies them, so that it takes longer the larger they "
		       "are; vfork() and posix_spawn() do not"),
	    .source = "/proc/PID/status VmPTE"),
	ROW(command, .kind = COLUMN_LABEL, .title = N_("name"), .width = 15,
	    .help = N_("what it is called, at most 15 bytes"), .source = "perf COMM, /proc/PID/stat"),
};

static const struct schema schema = {
	.name = "event_parent",
	.help = N_("processes that start others"),
	.from_zero = true,
	.row_size = sizeof(struct event_parent_row),
	SCHEMA_COLUMNS(columns),
};

static void look(void *context, const struct event_statistics *statistics, uint64_t since_ns)
{
	struct event_sampler *state = context;

	for (size_t i = 0; i < statistics->n_parents; i++) {
		const struct event_parent *parent = &statistics->parents[i];
		struct event_parent_row *row = table_add(state->table);

		row->pid = parent->pid;
		if (parent->start_ticks != U64_UNKNOWN)
			row->start_seconds = process_start_seconds(state->env, parent->start_ticks);
		row->forks = parent->forks;
		row->mean_forks_per_second = (double)parent->forks / ((double)since_ns / 1e9);
		row->resident_bytes = parent->resident_bytes;
		row->page_table_bytes = parent->page_table_bytes;
		row->command =
			arena_copy(&state->frame->arena, parent->command, strlen(parent->command));
	}
}

static int sample(struct sample *sample)
{
	return event_sampler_look(sample, look);
}

const struct topic topic_event_parent = {
	.schema = &schema,
	EVENT_TOPIC,
	.state_size = sizeof(struct event_sampler),
	.open = event_sampler_open,
	.sample = sample,
	.close = event_sampler_close,
};
