/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "softirq": how often each kind of soft interrupt ran on each CPU, and the time it took. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/interrupt/counts.h"
#include "topic/topic.h"
#include "topic/trace/trace.h"

#define PATH "proc/softirqs"

struct softirq_row {
	const char *kind, *cpu;
	double per_second, cpu_ratio, mean_seconds;
	uint64_t runs;
	double seconds, max_seconds;
	const char *how;
};

static const struct column columns[] = {
	COLUMN(struct softirq_row, kind, .kind = COLUMN_KEY, .title = N_("kind"), .width = 8,
	       .help = N_("kind of soft interrupt, as the kernel spells it"), .source = "/" PATH),
	COLUMN(struct softirq_row, cpu, .kind = COLUMN_KEY, .title = N_("CPU"), .width = 5,
	       .help = N_("CPU that ran it; all: the sum, of those that were offline what they had before"),
	       .source = "/" PATH),
	COLUMN(struct softirq_row, per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,
	       .title = N_("per s"), .width = 8, .trend = true, .rate_of = offsetof(struct softirq_row, runs),
	       .help = N_("in the last interval"), .source = "growth of runs / time"),
	COLUMN(struct softirq_row, cpu_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO, .title = N_("%CPU"),
	       .width = 7, .of_cpu = true, .optional = true, .rate_of = offsetof(struct softirq_row, seconds),
	       .help = N_("time in it, with the interrupts that came meanwhile; 1 is one CPU"),
	       .source = "growth of seconds / time"),
	COLUMN(struct softirq_row, mean_seconds, .kind = COLUMN_RATE, .unit = UNIT_SECONDS,
	       .title = N_("time each"), .width = 9, .rank = 1, .optional = true,
	       .rate_of = offsetof(struct softirq_row, seconds),
	       .rate_over = offsetof(struct softirq_row, runs), .help = N_("mean time of a run"),
	       .source = "growth of seconds / growth of runs"),
	COLUMN(struct softirq_row, max_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS,
	       .title = N_("longest"), .width = 8, .rank = 2, .optional = true,
	       .help = N_("longest run since panetop began to count"),
	       .source = "BPF at softirq_entry and softirq_exit"),
	COLUMN(struct softirq_row, runs, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("count"),
	       .width = 10, .hidden = true,
	       .help = N_("since boot; of a CPU that came online later, since then"), .source = "/" PATH),
	COLUMN(struct softirq_row, seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS, .title = N_("time"),
	       .width = 8, .hidden = true, .optional = true,
	       .help = N_("time in it, since panetop began to count"),
	       .source = "BPF at softirq_entry and softirq_exit"),
	COLUMN(struct softirq_row, how, .kind = COLUMN_LABEL, .title = N_("how"), .width = 5, .rank = 3,
	       .help = N_("bpf: with the time, counted in the kernel; proc: from files, without"),
	       .source = "panetop"),
};

static const struct schema schema = {
	.name = "softirq",
	.is_public = true,
	.help = N_("soft interrupts by CPU: rate and time"),
	.from_zero = true,
	.goes_on = true,
	.sum_row = "all",
	.row_size = sizeof(struct softirq_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = PATH, .gives = N_("soft interrupts by CPU") },
	{ .path = TRACE_SOURCE,
	  .gives = N_("time in soft interrupts"),
	  .optional = true,
	  .test = trace_test,
	  .remedies = { TRACE_REMEDIES } },
	{ 0 },
};

#define SOFTIRQ_KEYS                                                                                         \
	.keys = { { .is = BPF_PART_ARGUMENT, .argument = 0, .bytes = 4 }, { .is = BPF_PART_CPU } },          \
	.n_keys = 2

static const struct bpf_program programs[] = {
	{ .name = N_("start of a soft interrupt"),
	  .tracepoint = "softirq_entry",
	  .does = &bpf_start,
	  SOFTIRQ_KEYS },
	{ .name = N_("end of a soft interrupt"),
	  .tracepoint = "softirq_exit",
	  .does = &bpf_stop,
	  SOFTIRQ_KEYS },
};

const struct trace_plan trace_plan_softirq = {
	.topic = "softirq",
	.programs = programs,
	.n_programs = sizeof(programs) / sizeof(programs[0]),
	.n_words = 2,
	.n_entries_max = 8192,
};

struct state {
	struct counts counts;
	struct trace_set trace;
};

static int open_softirqs(struct sample *sample)
{
	struct state *state = sample->state;

	counts_open(&state->counts, sample->env, PATH);
	trace_open(&state->trace, sample->env, sample->request, &trace_plan_softirq);
	return 0;
}

static void close_softirqs(struct sample *sample)
{
	struct state *state = sample->state;

	trace_close(&state->trace);
	counts_close(&state->counts);
}

/* What the program found for the kind in this line; NULL: nothing yet. The lines are in the kernel's order.
 */
static const struct bpf_entry *entry_of(const struct state *state, size_t line, uint32_t cpu)
{
	for (size_t i = 0; i < state->trace.n_entries; i++)
		if (trace_key(&state->trace, i)[0] == line && trace_key(&state->trace, i)[1] == cpu)
			return &state->trace.values[i];
	return NULL;
}

static struct softirq_row *add_row(struct table *table, const char *kind, const char *cpu, uint64_t runs,
				   bool timed)
{
	struct softirq_row *row = table_add(table);

	row->kind = kind;
	row->cpu = cpu;
	row->runs = runs;
	row->how = timed ? "bpf" : "proc";
	if (timed)
		row->seconds = 0;
	return row;
}

static void add_time(struct softirq_row *row, const struct bpf_entry *entry)
{
	row->seconds += (double)entry->sum / 1e9;
	row->max_seconds = fmax(row->max_seconds, (double)entry->most / 1e9);
}

static void add_line(struct sample *sample, size_t index, bool timed)
{
	const struct state *state = sample->state;
	const struct count_line *line = &state->counts.lines[index];
	struct arena *arena = &sample->frame->arena;
	const char *kind = arena_copy(arena, line->label, strlen(line->label));
	size_t sum = sample->table->n_rows;

	add_row(sample->table, kind, "all", counts_total(line), timed);
	for (size_t i = 0; i < line->n_cells; i++) {
		uint32_t cpu = state->counts.cpus[i];
		const struct bpf_entry *entry = timed ? entry_of(state, index, cpu) : NULL;
		struct softirq_row *row;

		if (line->cells[i].count.total == 0)
			continue;
		row = add_row(sample->table, kind, arena_print(arena, "%u", cpu),
			      wrapping_count_total(&line->cells[i].count), timed);
		if (!entry)
			continue;
		add_time(row, entry);
		add_time(table_row(sample->table, sum), entry);
	}
}

static int sample_softirqs(struct sample *sample)
{
	struct state *state = sample->state;
	int error = counts_update(&state->counts);
	bool timed;

	if (error)
		return error;
	timed = trace_read(&state->trace);
	trace_notice(&state->trace, sample->frame, _("the time in soft interrupts is not known"));
	for (size_t i = 0; i < state->counts.n_lines; i++)
		if (state->counts.lines[i].present)
			add_line(sample, i, timed);
	return 0;
}

const struct topic topic_softirq = {
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF),
	.state_size = sizeof(struct state),
	.open = open_softirqs,
	.sample = sample_softirqs,
	.close = close_softirqs,
};
