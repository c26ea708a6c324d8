/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "opened_total": files that were opened, and those that could not be, by path and result. The kernel
 * counts by path, result and name of the process, in a table of bounded size. When it fills up, what does not
 * grow leaves it, and is summed by directory.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error_name.h"
#include "core/vector.h"
#include "topic/call/call_counts.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"
#include "topic/trace/trace_scope.h"

#define ENTRIES_MAX 8192
#define ENTRIES_KEPT (ENTRIES_MAX / 2) /* once there are more, those that do not grow go */
#define FOLDED_MAX 4096                /* sums by directory */
#define FOLDED_NAME "…"                /* of all that is in a directory */
#define FOLDED UINT64_C(0x20000)       /* in the word of the error */

struct opened_total_row {
	const char *path, *result;
	double opens_per_second;
	uint64_t opens, counted, commands;
	const char *command;
};

#define ROW(field, ...) COLUMN(struct opened_total_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(path, A_KEY(N_("path"), 28), .fleeting = true, .help = OPENED_PATH_HELP,
	    .source = "memory of the process at sys_exit, the first 119 bytes"),
	ROW(result, A_KEY(N_("result"), 8), .fleeting = true, .words = true,
	    .help = N_("opened, or the error"), .source = "BPF at sys_exit"),
	ROW(opens_per_second, A_RATE(PER_SECOND, N_("per s"), 8), .additive = true,
	    .rate_of = offsetof(struct opened_total_row, counted),
	    .help = N_("how often it was tried in the last interval"), .source = "growth of counted / time"),
	ROW(opens, A_COUNTER(COUNT, N_("opens"), 8), .rank = 1,
	    .help = N_("how often it was tried since counting began"), .source = "BPF at sys_exit"),
	ROW(counted, A_COUNTER(COUNT, N_("counted"), 8), .hidden = true,
	    .help = N_("the same, without those that were in rows of their own before: DIRECTORY/... has "
		       "what is no longer tried"),
	    .source = "BPF at sys_exit"),
	ROW(commands, A_GAUGE(COUNT, N_("names"), 5), .rank = 3,
	    .help = N_("names of processes that tried it"), .source = "BPF at sys_exit"),
	ROW(command, A_LABEL(N_("command"), 16), .grouping = "command",
	    .help = N_("name of the process that tried it most often"),
	    .source = "task_struct.group_leader.comm"),
};

static const struct schema schema = {
	.name = "opened_total",
	.help = N_("opened files by path and result"),
	.none = N_("no file was opened yet"),
	.from_zero = true,
	.of_run = true,
	SCHEMA_ROWS(struct opened_total_row, columns),
};

static const struct bpf_program programs[] = {
	{ .name = N_("a file is opened"), .tracepoint = CALL_RETURNS, .does = &bpf_open_count },
	{ .name = N_("a process of the scope forks"),
	  .tracepoint = "sched_process_fork",
	  .does = &bpf_follow },
};

#define PLAN(...)                                                                                            \
	{                                                                                                    \
		.topic = "opened_total", .programs = programs, .n_words = N_BPF_OPENED_WORDS,                \
		.n_entries_max = ENTRIES_MAX, .by_pid = true, __VA_ARGS__                                    \
	}

const struct trace_plan trace_plan_opened_total = PLAN(.n_programs = 1);
const struct trace_plan trace_plan_opened_total_of_scope = PLAN(.n_programs = 2, .of_wanted = true);

/* What the kernel has under one key. */
struct opened_count {
	uint64_t words[N_BPF_OPENED_WORDS];
	uint64_t count;
};

struct state {
	struct process_list *processes;
	struct call_target target;
	struct trace_set trace;
	struct wait_scope scope;
	struct opened_count *now, *before; /* in order; the same capacity; before: in the last tick */
	size_t n_now, n_before, capacity, before_capacity;
	struct opened_count *folded; /* what has left the table, in order */
	size_t n_folded, folded_capacity;
	struct opened_count *rows; /* both of them, in order */
	size_t rows_capacity;
	uint64_t others; /* opens that had a place, but no longer have */
	struct trace_cost cost;
	double stopped_at; /* part of a CPU that it took when it stopped; 0: it has not */
	bool counted;
	uint64_t read_ns;
};

static void close_programs(struct state *state)
{
	trace_close(&state->trace);
	wait_scope_free(&state->scope);
	state->n_now = state->n_before = state->n_folded = 0;
	state->others = 0;
	state->cost = (struct trace_cost){ 0 };
	state->stopped_at = 0;
}

static void close_total(struct sample *sample)
{
	struct state *state = sample->state;

	close_programs(state);
	free(state->now);
	free(state->before);
	free(state->folded);
	free(state->rows);
}

static void prepare(struct sample *sample)
{
	struct state *state = sample->state;

	if (call_target_update(&state->target, sample->request)) {
		close_programs(state);
		trace_open_process(&state->trace, sample->env, sample->request,
				   state->target.of_scope ? &trace_plan_opened_total_of_scope
							  : &trace_plan_opened_total,
				   state->target.process);
	}
	state->read_ns = env_mono_ns(sample->env);
	state->counted = trace_read(&state->trace);
}

static uint32_t error_of(const struct opened_count *count)
{
	return count->words[BPF_OPENED_ERROR] & BPF_CALL_ERROR_MAX;
}

static bool is_cut(const struct opened_count *count)
{
	return count->words[BPF_OPENED_ERROR] & BPF_OPENED_CUT;
}

static const char *path_of(const struct opened_count *count)
{
	return count->words[BPF_OPENED_ERROR] & BPF_OPENED_UNREAD
		       ? OPENED_UNREAD
		       : (const char *)&count->words[BPF_OPENED_PATH];
}

static int by_row(const struct opened_count *one, const struct opened_count *other)
{
	int order = strncmp(path_of(one), path_of(other), BPF_OPENED_PATH_BYTES);

	if (order != 0)
		return order;
	if (error_of(one) != error_of(other))
		return error_of(one) > error_of(other) ? 1 : -1;
	return (int)is_cut(one) - (int)is_cut(other);
}

static int by_key(const void *a, const void *b)
{
	const struct opened_count *one = a, *other = b;
	int order = by_row(one, other);

	if (order == 0)
		order = memcmp(&one->words[BPF_OPENED_COMMAND], &other->words[BPF_OPENED_COMMAND],
			       BPF_COMMAND_BYTES);
	return order ? order : memcmp(one->words, other->words, sizeof(one->words));
}

/* What has not grown since the last tick goes, once they are many. */
static bool is_kept(const struct state *state, const struct opened_count *count)
{
	const struct opened_count *shown =
		state->n_before > 0 ? bsearch(count, state->before, state->n_before, sizeof(*count), by_key)
				    : NULL;

	return state->trace.n_entries <= ENTRIES_KEPT || !shown || shown->count != count->count;
}

/* "/etc/ssl/cert.pem" becomes "/etc/ssl/…". */
static void fold_path(struct opened_count *count)
{
	char *path = (char *)&count->words[BPF_OPENED_PATH];
	const char *slash;
	size_t length;

	if (count->words[BPF_OPENED_ERROR] & BPF_OPENED_UNREAD)
		return;
	path[BPF_OPENED_PATH_BYTES - sizeof(FOLDED_NAME)] = '\0'; /* so that the name has room */
	slash = strrchr(path, '/');
	length = slash ? (size_t)(slash + 1 - path) : 0;
	memset(path + length, 0, BPF_OPENED_PATH_BYTES - length);
	memcpy(path + length, FOLDED_NAME, strlen(FOLDED_NAME));
	count->words[BPF_OPENED_ERROR] &= ~(uint64_t)BPF_OPENED_CUT;
	count->words[BPF_OPENED_ERROR] |= FOLDED;
}

/* Adds up those with the same key: how many there are then. */
static size_t sum_equal(struct opened_count *counts, size_t n)
{
	size_t n_sums = 0;

	for (size_t i = 0; i < n; i++)
		if (n_sums > 0 && by_key(&counts[n_sums - 1], &counts[i]) == 0)
			counts[n_sums - 1].count += counts[i].count;
		else
			counts[n_sums++] = counts[i];
	return n_sums;
}

static void sort_folded(struct state *state)
{
	if (state->n_folded > 0)
		qsort(state->folded, state->n_folded, sizeof(*state->folded), by_key);
	state->n_folded = sum_equal(state->folded, state->n_folded);
	while (state->n_folded > FOLDED_MAX)
		state->others += state->folded[--state->n_folded].count;
}

static void take_entries(struct state *state)
{
	struct opened_count *before = state->before;
	size_t capacity = state->before_capacity;

	state->before = state->now;
	state->n_before = state->n_now;
	state->before_capacity = state->capacity;
	state->now = before;
	state->capacity = capacity;
	state->n_now = 0;
	for (size_t i = 0; i < state->trace.n_entries; i++) {
		struct opened_count count = { .count = state->trace.values[i].count };

		memcpy(count.words, trace_key(&state->trace, i), sizeof(count.words));
		if (is_kept(state, &count)) {
			*VECTOR_ADD(state->now, state->n_now, state->capacity) = count;
			continue;
		}
		fold_path(&count);
		*VECTOR_ADD(state->folded, state->n_folded, state->folded_capacity) = count;
		trace_forget(&state->trace, i);
	}
	sort_folded(state);
	if (state->n_now > 0)
		qsort(state->now, state->n_now, sizeof(*state->now), by_key);
}

static const char *copy(struct sample *sample, const char *text, size_t room)
{
	return arena_copy(&sample->frame->arena, text, strnlen(text, room));
}

static bool has_same_command(const struct opened_count *one, const struct opened_count *other)
{
	return memcmp(&one->words[BPF_OPENED_COMMAND], &other->words[BPF_OPENED_COMMAND],
		      BPF_COMMAND_BYTES) == 0;
}

/* Of these, which have the same path and result. */
static void add_row(struct sample *sample, const struct opened_count *counts, size_t n)
{
	struct opened_total_row *row = table_add(sample->table);
	const struct opened_count *most = counts;
	char name[ERROR_NAME_BYTES], path[BPF_OPENED_PATH_BYTES + sizeof("…")];
	int length = snprintf(path, sizeof(path), "%.*s", BPF_OPENED_PATH_BYTES - 1, path_of(counts));

	if (is_cut(counts))
		strcpy(path + length, "…");
	row->opens = row->counted = row->commands = 0;
	for (size_t i = 0; i < n; i++) {
		row->opens += counts[i].count;
		row->counted += (counts[i].words[BPF_OPENED_ERROR] & FOLDED) ? 0 : counts[i].count;
		row->commands += i == 0 || !has_same_command(&counts[i - 1], &counts[i]);
		most = counts[i].count > most->count ? &counts[i] : most;
	}
	row->path = copy(sample, path, sizeof(path));
	row->command = copy(sample, (const char *)&most->words[BPF_OPENED_COMMAND], BPF_COMMAND_BYTES);
	row->result = OPENED_OK;
	if (error_of(counts) == 0)
		return;
	error_name((int)error_of(counts), name);
	row->result = copy(sample, name, sizeof(name));
}

/* Neighbours with the same path and result are a row. */
static void add_rows(struct sample *sample)
{
	struct state *state = sample->state;
	size_t n_counts = state->n_now + state->n_folded;
	const struct opened_count *counts = state->now;

	if (state->n_folded > 0) {
		VECTOR_RESERVE(state->rows, n_counts, state->rows_capacity);
		memcpy(state->rows, state->folded, state->n_folded * sizeof(*state->rows));
		if (state->n_now > 0)
			memcpy(state->rows + state->n_folded, state->now,
			       state->n_now * sizeof(*state->rows));
		qsort(state->rows, n_counts, sizeof(*state->rows), by_key);
		counts = state->rows;
	}
	for (size_t i = 0, n; i < n_counts; i += n) {
		for (n = 1; i + n < n_counts && by_row(&counts[i], &counts[i + n]) == 0; n++)
			;
		add_row(sample, &counts[i], n);
	}
}

static void add_others(struct sample *sample)
{
	struct state *state = sample->state;
	uint64_t refused = trace_refused(&state->trace, CALL_RETURNS), others = state->others + refused;
	uint64_t skipped = trace_lost(&state->trace, CALL_RETURNS) - refused;
	struct opened_total_row *row;

	if (skipped > 0)
		frame_notice(sample->frame, "opened_total", NULL,
			     P_("%llu opened file at most is not counted",
				"%llu opened files at most are not counted", skipped),
			     (unsigned long long)skipped);
	if (others == 0)
		return;
	row = table_add(sample->table);
	row->path = _("(others)");
	row->result = row->command = "";
	row->opens = others;
	row->counted = refused;
}

static int sample_total(struct sample *sample)
{
	struct state *state = sample->state;

	if (state->stopped_at > 0)
		frame_notice(sample->frame, "opened_total", CALL_TARGET_REMEDY,
			     _("Stopped: counting opened files cost %.0f %% of a CPU"),
			     100 * state->stopped_at);
	if (!state->counted)
		return state->trace.error == -ENOTSUP || state->stopped_at > 0 ? 0 : state->trace.error;
	if (state->target.of_scope)
		wait_scope_update(&state->scope, &state->trace, state->processes);
	sample->table->mono_ns = state->read_ns;
	take_entries(state);
	add_rows(sample);
	add_others(sample);
	state->stopped_at = trace_cost_end(&state->cost, &state->trace, state->read_ns);
	return 0;
}

static const struct source_spec sources[] = {
	{ .path = TRACE_SOURCE,
	  .gives = N_("which files are opened"),
	  .test = trace_test,
	  .remedies = { CALL_REMEDIES } },
	{ 0 },
};

const struct topic topic_opened_total = {
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, processes, &process_reader)),
	.prepare = prepare,
	.sample = sample_total,
	.close = close_total,
};
