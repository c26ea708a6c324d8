/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "distribution": a histogram of the CPU use of processes in the last interval. */
#include <config.h>

#include "core/i18n.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

#define RANGES 20

struct distribution_row {
	double from_ratio, to_ratio;
	uint64_t processes;
	double cpu_ratio;
};

#define ROW(field, ...) COLUMN(struct distribution_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(from_ratio, .kind = COLUMN_KEY, .unit = UNIT_RATIO, .title = N_("%from"), .width = 6,
	    .help = N_("lower bound of CPU use, of one CPU"), .source = "panetop"),
	ROW(to_ratio, .kind = COLUMN_LABEL, .unit = UNIT_RATIO, .title = N_("%to"), .width = 6,
	    .help = N_("upper bound of CPU use; the last range has none"), .source = "panetop"),
	ROW(processes, A_GAUGE(COUNT, N_("processes"), 9),
	    .help = N_("processes with this CPU use in the last interval; idle ones are left out"),
	    .source = "CPU clocks of the processes"),
	ROW(cpu_ratio, A_GAUGE(RATIO, N_("%CPU"), 8), .help = N_("CPU use of all of them; 100 is one CPU"),
	    .source = "CPU clocks of the processes"),
};

static const struct schema schema = {
	.name = "distribution",
	.is_public = true,
	.help = N_("number of processes by CPU use"),
	.over_interval = true,
	SCHEMA_ROWS(struct distribution_row, columns),
};

struct state {
	struct process_list *processes;
	uint64_t mono_ns; /* of the previous sample */
};

static void add_process(struct table *table, const struct process *process, double seconds)
{
	double share = (double)process->used_ns / 1e9 / seconds;
	size_t range = share * RANGES < RANGES - 1 ? (size_t)(share * RANGES) : RANGES - 1;
	struct distribution_row *row = table_row(table, range);

	row->processes++;
	row->cpu_ratio += share;
}

static int sample(struct sample *sample)
{
	struct table *table = sample->table;
	struct state *state = sample->state;
	double seconds;

	table->mono_ns = state->processes->mono_ns;
	seconds = (double)(table->mono_ns - state->mono_ns) / 1e9;
	for (unsigned i = 0; i < RANGES; i++) {
		struct distribution_row *row = table_add(table);

		row->from_ratio = (double)i / RANGES;
		row->to_ratio = i + 1 < RANGES ? (double)(i + 1) / RANGES : row->to_ratio;
		row->processes = state->mono_ns ? 0 : U64_UNKNOWN;
		row->cpu_ratio = state->mono_ns ? 0 : row->cpu_ratio;
	}
	for (size_t i = 0; i < state->processes->n_all && state->mono_ns; i++)
		if (state->processes->all[i]->used_ns != U64_UNKNOWN &&
		    state->processes->all[i]->used_ns > 0 && !state->processes->all[i]->outside)
			add_process(table, state->processes->all[i], seconds);
	state->mono_ns = table->mono_ns;
	return 0;
}

const struct topic topic_distribution = {
	.schema = &schema,
	.sources = no_source,
	.state_size = sizeof(struct state),
	.uses = PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.reads = READINGS(READING(struct state, processes, &process_reader)),
	.sample = sample,
};
