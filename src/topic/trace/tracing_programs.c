/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "tracing": the programs that panetop runs in the kernel, their cost and their losses. */
#include <config.h>

#include "core/i18n.h"
#include "topic/topic.h"
#include "topic/trace/trace.h"

struct tracing_row {
	const char *topic, *program, *tracepoint;
	uint64_t runs, lost, entries, entries_max;
	double mean_seconds, used_seconds;
	double runs_per_second, cpu_ratio, lost_per_second;
};

#define ROW(field, ...) COLUMN(struct tracing_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(topic, A_KEY(N_("topic"), 10), .help = N_("the table that it counts for"), .source = "panetop"),
	ROW(program, A_KEY(N_("program"), 22), .words = true, .help = N_("what it does"),
	    .source = "panetop"),
	ROW(tracepoint, A_LABEL(N_("tracepoint"), 20), .rank = 3, .help = N_("where in the kernel it runs"),
	    .source = "panetop"),
	ROW(runs, A_COUNTER(COUNT, N_("runs"), 10), .hidden = true,
	    .help = N_("since it was loaded, on all CPUs"), .source = "counted by the program"),
	ROW(runs_per_second, A_RATE(PER_SECOND, N_("runs/s"), 8),
	    .rate_of = offsetof(struct tracing_row, runs), .help = N_("runs per second"),
	    .source = "growth of runs / time"),
	ROW(mean_seconds, A_GAUGE(SECONDS, N_("time each"), 9), .rank = 1,
	    .help = N_("mean time of a run, without the tracepoint itself; every 64th is measured"),
	    .source = "bpf_ktime_get_ns() at its start and end"),
	ROW(used_seconds, A_COUNTER(SECONDS, N_("used"), 8), .hidden = true,
	    .help = N_("CPU time that it used, estimated"), .source = "measured time of every 64th run x 64"),
	ROW(cpu_ratio, A_RATE(RATIO, N_("%CPU"), 7), .of_cpu = true,
	    .rate_of = offsetof(struct tracing_row, used_seconds),
	    .help = N_("CPU time that it used, estimated; 1 is one CPU"),
	    .source = "growth of used_seconds / time"),
	ROW(entries, A_GAUGE(COUNT, N_("entries"), 8), .rank = 2,
	    .help = N_("keys that it counts by, shared by the programs of a topic"),
	    .source = "BPF map, at its last read"),
	ROW(entries_max, A_GAUGE(COUNT, N_("at most"), 8), .rank = 4,
	    .help = N_("room for entries; what comes when it is full is lost"), .source = "panetop"),
	ROW(lost, A_COUNTER(COUNT, N_("lost"), 6), .alarming = 1,
	    .help = N_("not counted, because a map was full, a start was missed, or the program was running "
		       "already"),
	    .source = "counted by the program"),
	ROW(lost_per_second, A_RATE(PER_SECOND, N_("lost/s"), 7), .hidden = true, .alarming = 1,
	    .rate_of = offsetof(struct tracing_row, lost), .help = N_("losses per second"),
	    .source = "growth of lost / time"),
};

static const struct schema schema = {
	.name = "tracing",
	.is_public = true,
	.help = N_("panetop's own programs in the kernel: runs, cost, losses"),
	.none = N_("no program is loaded: nothing that is shown is counted in the kernel"),
	.of_run = true,
	SCHEMA_ROWS(struct tracing_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = TRACE_SOURCE,
	  .gives = N_("times and causes that only the kernel can count"),
	  .optional = true,
	  .test = trace_test,
	  .remedies = { TRACE_REMEDIES } },
	{ 0 },
};

/* The frame may outlive programs that the user names. */
static void add_row(struct sample *sample, struct trace_set *set, unsigned running)
{
	const struct bpf_program *program = set->running[running].program;
	struct bpf_self self = trace_self(set, running);
	struct tracing_row *row = table_add(sample->table);

	row->topic = set->plan->topic;
	row->program = sample_text(sample, program->name);
	row->tracepoint = sample_text(sample, program->tracepoint);
	row->entries = set->n_entries;
	row->entries_max = set->plan->n_entries_max;
	row->runs = self.runs;
	row->lost = self.lost;
	if (self.timed_runs == U64_UNKNOWN || self.timed_runs == 0)
		return;
	row->mean_seconds = (double)self.timed_ns / (double)self.timed_runs / 1e9;
	row->used_seconds = (double)self.timed_ns * (program->does->is_run ? 1 : BPF_TIMED_RUNS) / 1e9;
}

static int sample(struct sample *sample)
{
	const struct trace_sets *sets = trace_opened(sample->env);

	for (unsigned s = 0; s < sets->n; s++)
		for (unsigned i = 0; i < sets->list[s]->n_running; i++)
			add_row(sample, sets->list[s], i);
	return 0;
}

const struct topic topic_tracing = {
	.schema = &schema, .sources = sources, .uses = PRIVILEGE_BIT(PRIVILEGE_BPF), .sample = sample
};
