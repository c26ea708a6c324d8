/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "wall_time": running code and waits in one table, of all threads in the scope. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "topic/profile/profiler.h"
#include "topic/profile/wait_list.h"
#include "topic/profile/wait_switches.h"
#include "topic/trace/trace.h"

struct wall_row {
	const char *cause, *function, *file;
	double seconds, ratio, error_ratio;
};

#define ROW(field, ...) COLUMN(struct wall_row, field, __VA_ARGS__)
#define SOURCE "topics waiting and profile"

static const struct column columns[] = {
	ROW(ratio, A_GAUGE(RATIO, N_("%time"), 7), .additive = true,
	    .help = N_("part of the time of all threads; running, ready and waiting are all of it"),
	    .source = SOURCE),
	ROW(seconds, A_GAUGE(SECONDS, N_("time"), 9),
	    .help = N_("in the interval, of all threads together; of functions that run: the time that "
		       "threads ran, in the parts that samples have"),
	    .source = SOURCE),
	ROW(error_ratio, A_GAUGE(RATIO, N_("%error"), 6), .rank = 2,
	    .help = N_("statistical error of what was sampled; 0: the time is measured"),
	    .source = "2 sqrt(self * (1 - self) / samples) of topic profile"),
	ROW(cause, A_KEY(N_("cause"), 8), .words = true,
	    .help = N_("running on a CPU; ready: waiting for one; else what they wait for, as in topic "
		       "waiting"),
	    .source = SOURCE),
	ROW(file, A_KEY(N_("file"), 16), .fleeting = true, .rank = 1,
	    .help = N_("program or library of a function that runs"), .source = "topic profile"),
	ROW(function, A_KEY(N_("function"), 32), .fleeting = true,
	    .help = N_("function that runs itself, or that of the kernel that threads wait in"),
	    .source = SOURCE),
};

static const struct schema schema = {
	.name = "wall_time",
	.help = N_("running code and waits of the threads in the scope, as parts of all their time"),
	.none = N_("choose a process, or a scope with @"),
	.over_interval = true,
	SCHEMA_ROWS(struct wall_row, columns),
};

struct state {
	struct wait_list *waits;
	struct profiler *profiler;
	struct profile_sum *running; /* of each function: itself */
	size_t capacity;
};

static void prepare(struct sample *sample)
{
	struct state *state = sample->state;

	wait_list_prepare(state->waits, sample);
}

static struct wall_row *add_row(struct sample *sample, enum wait_cause cause, const char *function,
				const char *file)
{
	struct wall_row *row = table_add(sample->table);

	row->cause = wait_cause_words[cause];
	row->function = sample_text(sample, function);
	row->file = sample_text(sample, file);
	row->seconds = 0;
	row->error_ratio = 0;
	return row;
}

/* Rows of all processes with the same cause and function are one. */
static void add_waits(struct sample *sample, const struct wait_row *rows, size_t n)
{
	struct hash by_what = { 0 };

	for (size_t i = 0; i < n; i++) {
		uint64_t hash = hash_bytes(hash_u64(rows[i].cause), span_text(rows[i].function));
		struct wall_row *row;
		uint32_t at;

		if (rows[i].cause == WAIT_RUNNING)
			continue;
		HASH_FIND(at, &by_what, hash,
			  ((const struct wall_row *)table_row(sample->table, at))->cause ==
					  wait_cause_words[rows[i].cause] &&
				  strcmp(((const struct wall_row *)table_row(sample->table, at))->function,
					 rows[i].function) == 0);
		if (at == HASH_NONE) {
			hash_add(&by_what, hash, (uint32_t)sample->table->n_rows);
			row = add_row(sample, rows[i].cause, rows[i].function, "");
		} else {
			row = (struct wall_row *)table_row(sample->table, at);
		}
		row->seconds += rows[i].seconds;
	}
	hash_free(&by_what);
}

static void sum_running(struct state *state, const struct profile_window *window)
{
	VECTOR_RESERVE(state->running, window->n_functions + 1, state->capacity);
	memset(state->running, 0, window->n_functions * sizeof(*state->running));
	for (size_t i = 0; i < window->n_nodes; i++) {
		struct profile_sum *of = &state->running[window->nodes[i].function];

		of->samples += window->sums[i].samples;
		of->weight += window->sums[i].weight;
	}
}

/* The time that threads ran is measured; which part of it a function has, sampled. */
static void add_running(struct sample *sample, double seconds)
{
	struct state *state = sample->state;
	const struct profile_window *window = profiler_window(state->profiler, sample);

	if (window->all.samples == 0) {
		if (seconds > 0)
			add_row(sample, WAIT_RUNNING, "", "")->seconds = seconds;
		return;
	}
	sum_running(state, window);
	for (size_t i = 0; i < window->n_functions; i++) {
		double part = (double)state->running[i].weight / (double)window->all.weight;
		struct wall_row *row;

		if (state->running[i].samples == 0)
			continue;
		row = add_row(sample, WAIT_RUNNING, window->functions[i].name, window->functions[i].file);
		row->seconds = part * seconds;
		row->error_ratio = 2 * sqrt(part * (1 - part) / window->n_effective);
	}
}

static int sample_wall_time(struct sample *sample)
{
	struct state *state = sample->state;
	double running = 0, all = 0;
	uint64_t now_ns;
	size_t n;
	const struct wait_row *rows = wait_list_rows(state->waits, &n, &now_ns);

	if (now_ns == 0 || !wait_list_is_wanted(sample->request))
		return 0;
	sample->table->mono_ns = now_ns;
	for (size_t i = 0; i < n; i++) {
		all += rows[i].seconds;
		running += rows[i].cause == WAIT_RUNNING ? rows[i].seconds : 0;
	}
	add_running(sample, running);
	add_waits(sample, rows, n);
	for (size_t i = 0; i < sample->table->n_rows; i++) {
		struct wall_row *row = (struct wall_row *)table_row(sample->table, i);

		row->ratio = all > 0 ? row->seconds / all : NAN;
		row->error_ratio *= all > 0 ? running / all : NAN;
	}
	return 0;
}

static void close_state(struct sample *sample)
{
	struct state *state = sample->state;

	free(state->running);
}

const struct topic topic_wall_time = {
	.schema = &schema,
	.sources = no_source,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_SYMBOLS) |
		PRIVILEGE_BIT(PRIVILEGE_PERF) | PRIVILEGE_BIT(PRIVILEGE_RINGS) |
		PRIVILEGE_BIT(PRIVILEGE_DETAILS) | PRIVILEGE_BIT(PRIVILEGE_MAPS),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, waits, &wait_reader),
			  READING(struct state, profiler, &profiler_reader)),
	.prepare = prepare,
	.sample = sample_wall_time,
	.close = close_state,
};
