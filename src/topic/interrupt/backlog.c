/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "backlog": received packets of each CPU between driver and protocols, and what is thrown away. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/net/proc_net.h"
#include "topic/cpu/online_cpus.h"
#include "topic/interrupt/counts.h"
#include "topic/topic.h"

#define PATH "proc/net/softnet_stat"

struct backlog_row {
	const char *cpu;
	double processed_per_second, dropped_per_second, squeezed_per_second, steered_per_second,
		limited_per_second;
	uint64_t processed, dropped, squeezed, steered, limited, waiting;
};

#define RATE(field, of, ...)                                                                                 \
	COLUMN(struct backlog_row, field, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,                      \
	       .rate_of = offsetof(struct backlog_row, of), .source = "growth of " #of " / time",            \
	       __VA_ARGS__)

#define COUNT(field, from, ...)                                                                              \
	COLUMN(struct backlog_row, field, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .width = 10,           \
	       .source = "/" PATH " " from, __VA_ARGS__)

static const struct column columns[] = {
	COLUMN(struct backlog_row, cpu, .kind = COLUMN_KEY, .title = N_("CPU"), .width = 5,
	       .help = N_("CPU that received the packets; all: the sum"), .source = "/" PATH),
	RATE(processed_per_second, processed, .title = N_("packets/s"), .width = 9, .trend = true,
	     .help = N_("packets that it took from drivers and other CPUs")),
	RATE(dropped_per_second, dropped, .title = N_("drops/s"), .width = 8, .alarming = 0.001,
	     .help = N_("packets dropped because its backlog was full")),
	RATE(squeezed_per_second, squeezed, .title = N_("squeezed/s"), .width = 10, .high = 10,
	     .help = N_("polls that ended with packets left, as budget or time were used up")),
	RATE(steered_per_second, steered, .title = N_("steered/s"), .width = 9, .rank = 1,
	     .help = N_("times that another CPU woke it up for packets (RPS)")),
	RATE(limited_per_second, limited, .title = N_("limited/s"), .width = 9, .rank = 2, .alarming = 0.001,
	     .help = N_("packets of one flow dropped, so that others have room (flow limit)")),
	COLUMN(struct backlog_row, waiting, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("waiting"),
	       .width = 8, .rank = 1,
	       .help = N_("packets in its backlog at the sample; unknown while it is offline"),
	       .source = "/" PATH " column 12, since Linux 5.10"),
	COUNT(processed, "column 1", .title = N_("packets"), .hidden = true,
	      .help = N_("packets, since boot; of a CPU that came online later, since then")),
	COUNT(dropped, "column 2", .title = N_("dropped"), .rank = 3,
	      .help = N_("packets dropped because the backlog was full, since boot")),
	COUNT(squeezed, "column 3", .title = N_("squeezed"), .rank = 3,
	      .help = N_("polls that ended with packets left, since boot")),
	COUNT(steered, "column 10", .title = N_("steered"), .hidden = true,
	      .help = N_("times that another CPU woke it up for packets, since boot")),
	COUNT(limited, "column 11", .title = N_("limited"), .hidden = true,
	      .help = N_("packets dropped by the flow limit, since boot")),
};

static const struct schema schema = {
	.name = "backlog",
	.is_public = true,
	.help = N_("received packets by CPU: processed, dropped, squeezed"),
	.from_zero = true,
	.goes_on = true,
	.sum_row = "all",
	.row_size = sizeof(struct backlog_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = PATH,
	  .gives = N_("received packets by CPU"),
	  .remedies = { { ENOENT, N_("this kernel is built without networking") } } },
	{ 0 },
};

struct cpu_backlog {
	uint32_t cpu;
	struct wrapping_count processed, dropped, squeezed, steered, limited;
	uint64_t waiting; /* U64_UNKNOWN: it is offline, or an old kernel */
};

struct state {
	struct online_cpus *online;
	struct cpu_backlog *cpus;
	size_t n_cpus, capacity;
	bool begun;
};

static void close_backlog(struct sample *sample)
{
	struct state *state = sample->state;

	free(state->cpus);
}

static struct cpu_backlog *find(struct state *state, uint32_t cpu)
{
	struct cpu_backlog *added;

	for (size_t i = 0; i < state->n_cpus; i++)
		if (state->cpus[i].cpu == cpu)
			return &state->cpus[i];
	added = VECTOR_ADD(state->cpus, state->n_cpus, state->capacity);
	*added = (struct cpu_backlog){ .cpu = cpu };
	return added;
}

/* A CPU that comes online later starts from 0. */
static void update(struct state *state, struct cpu_backlog *cpu, const struct softnet_line *line)
{
	const struct {
		struct wrapping_count *count;
		uint64_t value;
	} counts[] = {
		{ &cpu->processed, line->processed }, { &cpu->dropped, line->dropped },
		{ &cpu->squeezed, line->squeezed },   { &cpu->steered, line->steered },
		{ &cpu->limited, line->limited },
	};

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (counts[i].value != U64_UNKNOWN)
			wrapping_count_update(counts[i].count, counts[i].value,
					      state->begun ? 0 : counts[i].value);
	cpu->waiting = line->waiting;
}

static void fill(struct backlog_row *row, const struct cpu_backlog *cpu)
{
	row->processed = wrapping_count_total(&cpu->processed);
	row->dropped = wrapping_count_total(&cpu->dropped);
	row->squeezed = wrapping_count_total(&cpu->squeezed);
	row->steered = wrapping_count_total(&cpu->steered);
	row->limited = wrapping_count_total(&cpu->limited);
	row->waiting = cpu->waiting;
}

static void add_to_sum(struct backlog_row *sum, const struct backlog_row *row)
{
	sum->processed = u64_sum(sum->processed, row->processed);
	sum->dropped = u64_sum(sum->dropped, row->dropped);
	sum->squeezed = u64_sum(sum->squeezed, row->squeezed);
	sum->steered = u64_sum(sum->steered, row->steered);
	sum->limited = u64_sum(sum->limited, row->limited);
	sum->waiting = u64_sum_known(sum->waiting, row->waiting);
}

/* Before Linux 5.10 lines are in the order of the online CPUs. */
static bool cpu_of(const struct state *state, const struct softnet_line *line, size_t index, uint32_t *cpu)
{
	if (line->cpu != U64_UNKNOWN)
		*cpu = (uint32_t)line->cpu;
	else if (index < state->online->count)
		*cpu = state->online->list[index];
	else
		return false;
	return *cpu < CPU_LIST_MAX;
}

static void add_rows(struct sample *sample, const struct state *state)
{
	struct backlog_row sum = { .waiting = U64_UNKNOWN }, *row = table_add(sample->table);

	row->cpu = "all";
	for (size_t i = 0; i < state->n_cpus; i++) {
		row = table_add(sample->table);
		row->cpu = arena_print(&sample->frame->arena, "%u", state->cpus[i].cpu);
		fill(row, &state->cpus[i]);
		add_to_sum(&sum, row);
	}
	row = table_row(sample->table, 0);
	sum.cpu = row->cpu;
	sum.processed_per_second = sum.dropped_per_second = sum.squeezed_per_second = sum.steered_per_second =
		sum.limited_per_second = NAN;
	*row = sum;
}

static int sample_backlog(struct sample *sample)
{
	struct state *state = sample->state;
	struct softnet_line line;
	struct span text;
	uint32_t cpu;
	size_t index = 0;
	int error = env_read(sample->env, env_file(sample->env, PATH), &text);

	if (error)
		return error;
	reader_update(&online_cpus_reader, sample);
	for (size_t i = 0; i < state->n_cpus; i++)
		state->cpus[i].waiting = U64_UNKNOWN;
	for (; softnet_next(&text, &line); index++)
		if (cpu_of(state, &line, index, &cpu))
			update(state, find(state, cpu), &line);
	if (state->n_cpus == 0)
		return -ENODATA;
	state->begun = true;
	add_rows(sample, state);
	return 0;
}

static const struct reading reads[] = {
	READING_ON_DEMAND(struct state, online, &online_cpus_reader),
	{ 0 },
};

const struct topic topic_backlog = {
	.schema = &schema,
	.sources = sources,
	.state_size = sizeof(struct state),
	.reads = reads,
	.sample = sample_backlog,
	.close = close_backlog,
};
