/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "opened": files that were opened since the last sample, one per row, and those that could not be;
 * and "opened_total": both by path and result. For that the kernel counts by path, result and name of the
 * process, in a table of bounded size. When it fills up, what does not grow leaves it, and is summed by
 * directory.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/error_name.h"
#include "core/i18n.h"
#include "core/span.h"
#include "core/vector.h"
#include "kernel/perf_record.h"
#include "kernel/system.h"
#include "sys/perf_ring.h"
#include "topic/call/call_counts.h"
#include "topic/kernel_clock.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"
#include "topic/trace/trace.h"
#include "topic/trace/trace_scope.h"

/*
 * A perf event for each CPU that is online; where others come, all are opened again. All zero: none is open.
 */
struct opened_rings {
	struct opened_ring {
		int event;
		struct perf_ring ring;
	} * rings;
	size_t n, capacity, bytes; /* bytes: of each ring */
	char *room;                /* for what all rings hold */
	char *online;              /* the CPUs that they are of */
	struct opened_file *files; /* in the order of time, until the next call */
	size_t n_files, files_capacity;
	uint64_t malformed;
};

#define ONLINE_CPUS "sys/devices/system/cpu/online"
#define ALL_BYTES ((size_t)16 << 20)
#define RING_BYTES_MIN ((size_t)64 << 10)
#define RING_BYTES_MAX ((size_t)2 << 20)

bool opened_file_parse(struct span raw, struct opened_file *file)
{
	uint32_t copied;

	if (!span_peek(raw, offsetof(struct bpf_opened, result), &file->result, sizeof(file->result)) ||
	    !span_peek(raw, offsetof(struct bpf_opened, copied_bytes), &copied, sizeof(copied)) ||
	    span_length(raw) < BPF_OPENED_HEAD || copied > span_length(raw) - BPF_OPENED_HEAD)
		return false;
	file->command = span_of(raw.at + offsetof(struct bpf_opened, command), BPF_COMMAND_BYTES);
	file->command.end = file->command.at + strnlen(file->command.at, BPF_COMMAND_BYTES);
	file->path = span_of(raw.at + BPF_OPENED_HEAD, copied);
	file->path.end = file->path.at + strnlen(file->path.at, copied);
	file->is_unread = copied == 0;
	return true;
}

static int open_ring(struct opened_rings *rings, const struct trace_set *set, uint32_t cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
		.sample_type = PERF_EXEC_SAMPLE_TYPE_BARE,
		.sample_id_all = 1, .use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX,
	};
	struct opened_ring *ring = VECTOR_ADD(rings->rings, rings->n, rings->capacity);
	int error;

	*ring = (struct opened_ring){ .event = perf_open(set->env->perf, &attr, -1, (int)cpu, -1) };
	if (ring->event < 0) {
		rings->n--;
		return ring->event;
	}
	error = perf_ring_open(&ring->ring, ring->event, rings->bytes);
	return error ? error : trace_direct(set, cpu, ring->event);
}

static size_t bytes_of_each(struct span online)
{
	uint32_t first, last;
	size_t n = 0, bytes;

	while (cpu_list_next(&online, &first, &last))
		n += last - first + 1;
	bytes = n > 0 ? ALL_BYTES / n : RING_BYTES_MAX;
	return bytes < RING_BYTES_MIN ? RING_BYTES_MIN : bytes > RING_BYTES_MAX ? RING_BYTES_MAX : bytes;
}

static void close_rings(struct opened_rings *rings)
{
	for (size_t i = 0; i < rings->n; i++) {
		perf_ring_close(&rings->rings[i].ring);
		close(rings->rings[i].event);
	}
	free(rings->room);
	free(rings->online);
	rings->room = rings->online = NULL;
	rings->n = rings->n_files = 0;
}

static int open_rings(struct opened_rings *rings, const struct trace_set *set, struct span online)
{
	size_t length = span_length(online);
	uint32_t first, last;
	int error = 0;

	rings->online = alloc_zeroed(length + 1, 1);
	memcpy(rings->online, online.at, length);
	rings->bytes = bytes_of_each(online);
	while (!error && cpu_list_next(&online, &first, &last))
		for (uint32_t cpu = first; cpu <= last && !error; cpu++)
			error = open_ring(rings, set, cpu);
	if (error || rings->n == 0) {
		close_rings(rings);
		return error ? error : -ENODEV;
	}
	rings->room = alloc_zeroed(rings->n, rings->rings[0].ring.bytes);
	return 0;
}

static void parse_samples(struct opened_rings *rings, struct span bytes)
{
	struct perf_record record;

	while (perf_record_next(&bytes, &record)) {
		struct opened_file file = { .time_ns = record.time_ns, .pid = record.pid, .tid = record.tid };

		if (record.kind != PERF_RECORD_KIND_SAMPLE)
			continue;
		if (opened_file_parse(record.raw, &file))
			*VECTOR_ADD(rings->files, rings->n_files, rings->files_capacity) = file;
		else
			rings->malformed++;
	}
	rings->malformed += span_length(bytes) > 0;
}

static int by_time(const void *a, const void *b)
{
	const struct opened_file *one = a, *other = b;

	return (one->time_ns > other->time_ns) - (one->time_ns < other->time_ns);
}

/* Reads what came since the last call, in files. The first call opens them. 0 or -errno. */
static int opened_rings_read(struct opened_rings *rings, struct trace_set *set)
{
	struct span online;
	int error = env_read(set->env, env_file(set->env, ONLINE_CPUS), &online);

	if (error)
		return error;
	if (rings->online && !span_is(online, rings->online))
		close_rings(rings);
	if (!rings->online)
		error = open_rings(rings, set, online);
	rings->n_files = 0;
	for (size_t i = 0; i < rings->n; i++)
		parse_samples(rings, perf_ring_take(&rings->rings[i].ring,
						    rings->room + i * rings->rings[0].ring.bytes));
	if (rings->n_files > 0)
		qsort(rings->files, rings->n_files, sizeof(*rings->files), by_time);
	return error;
}

#define OPENED_OK N_("opened") /* the result; else the name of the error */
#define OPENED_UNREAD "(unreadable)"
#define OPENED_PATH_HELP                                                                                     \
	N_("path as the program gave it: a relative one begins in its directory, or in that of a "           \
	   "descriptor; (unreadable): it was not in memory")

struct opened_row {
	uint64_t number, time, pid, tid, descriptor;
	const char *command, *result, *path;
};

#define ROW(field, ...) COLUMN(struct opened_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(number, A_KEY(N_("number"), 8), .hidden = true, .help = N_("serial number"), .source = "panetop"),
	ROW(time, A_LABEL(N_("time"), 12), .unit = UNIT_TIME, .rank = 2,
	    .help = N_("time at which the call returned"), .source = "clock of the kernel"),
	ROW(pid, A_LABEL(N_("PID"), 7), .rank = 1, .help = N_("process"), .source = "perf sample"),
	ROW(tid, A_LABEL(N_("TID"), 7), .hidden = true, .help = N_("thread"), .source = "perf sample"),
	ROW(command, A_LABEL(N_("command"), 16), .help = N_("name of the process at that time"),
	    .source = "task_struct.group_leader.comm"),
	ROW(result, A_LABEL(N_("result"), 8), .words = true, .help = N_("opened, or the error"),
	    .source = "BPF at sys_exit"),
	ROW(descriptor, A_LABEL(N_("fd"), 4), .rank = 3, .help = N_("the file descriptor that it has then"),
	    .source = "BPF at sys_exit"),
	ROW(path, A_LABEL(N_("path"), 24), .help = OPENED_PATH_HELP,
	    .source = "memory of the process at sys_exit"),
};

static const struct schema schema = {
	.name = "opened",
	.help = N_("files that processes open, and those that they cannot"),
	.none = N_("no file was opened yet"),
	.shape = SHAPE_EVENTS, .over_interval = true,
	SCHEMA_ROWS(struct opened_row, columns),
};

static const struct bpf_program programs[] = {
	{ .name = N_("a file is opened, and sent"), .tracepoint = CALL_RETURNS, .does = &bpf_open_record },
	TRACE_SCOPE_FORKS,
};

const struct trace_plan trace_plan_opened = {
	.topic = "opened", .programs = programs, .n_programs = 1, .by_pid = true
};
const struct trace_plan trace_plan_opened_of_scope = {
	.topic = "opened", .programs = programs, .n_programs = 2, .by_pid = true, .of_wanted = true
};

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
	struct trace_cost cost;
	double stopped_at; /* part of a CPU that it took when it stopped; 0: it has not */

	/* Of topic "opened". */
	struct opened_rings rings;
	uint64_t number; /* of the last row */

	/* Of "opened_total". */
	struct opened_count *now, *before; /* in order; the same capacity; before: in the last tick */
	size_t n_now, n_before, capacity, before_capacity;
	struct opened_count *folded; /* what has left the table, in order */
	size_t n_folded, folded_capacity;
	struct opened_count *rows; /* both of them, in order */
	size_t rows_capacity;
	uint64_t others; /* opens that had a place, but no longer have */
	bool counted;
	uint64_t read_ns;
};

static void close_programs(struct state *state)
{
	trace_close(&state->trace);
	close_rings(&state->rings);
	free(state->rings.rings);
	free(state->rings.files);
	state->rings = (struct opened_rings){ 0 };
	wait_scope_free(&state->scope);
	state->n_now = state->n_before = state->n_folded = 0;
	state->others = 0;
	state->cost = (struct trace_cost){ 0 };
	state->stopped_at = 0;
}

static void close_state(struct sample *sample)
{
	struct state *state = sample->state;

	close_programs(state);
	free(state->now);
	free(state->before);
	free(state->folded);
	free(state->rows);
}

static void open_programs(struct sample *sample, const struct trace_plan *of_scope,
			  const struct trace_plan *of_all)
{
	struct state *state = sample->state;

	if (!call_target_update(&state->target, sample->request))
		return;
	close_programs(state);
	trace_open_process(&state->trace, sample->env, sample->request,
			   state->target.of_scope ? of_scope : of_all, state->target.process);
}

static void prepare(struct sample *sample)
{
	open_programs(sample, &trace_plan_opened_of_scope, &trace_plan_opened);
}

static const char *copy(struct sample *sample, struct span text)
{
	return arena_copy(&sample->frame->arena, text.at, span_length(text));
}

static const char *result_of(struct sample *sample, int error)
{
	char name[ERROR_NAME_BYTES];

	if (error == 0)
		return OPENED_OK;
	error_name(error, name);
	return sample_text(sample, name);
}

static void add_row(struct sample *sample, const struct opened_file *file, uint64_t to_wall_ns)
{
	struct state *state = sample->state;
	struct opened_row *row = table_add(sample->table);

	row->number = ++state->number;
	row->time = file->time_ns + to_wall_ns;
	row->pid = file->pid;
	row->tid = file->tid;
	row->command = copy(sample, file->command);
	row->descriptor = file->result < 0 ? U64_BLANK : (uint64_t)file->result;
	row->path = file->is_unread ? OPENED_UNREAD : copy(sample, file->path);
	row->result = result_of(sample, file->result < 0 ? -file->result : 0);
}

/* The path and the result of what was lost are not known; opened_total has counts of all. */
static void add_notices(struct sample *sample)
{
	struct state *state = sample->state;
	uint64_t lost = u64_sum_known(trace_lost(&state->trace, CALL_RETURNS), state->rings.malformed);

	if (state->stopped_at > 0)
		frame_notice(sample->frame, "opened", CALL_TARGET_REMEDY,
			     _("opened files are not listed any more: that took %.0f %% of a CPU"),
			     100 * state->stopped_at);
	if (lost > 0)
		frame_notice(sample->frame, "opened", CALL_TARGET_REMEDY,
			     P_("%llu opened file at most is not in the list: they came too fast",
				"%llu opened files at most are not in the list: they came too fast", lost),
			     (unsigned long long)lost);
}

static int sample_opened(struct sample *sample)
{
	struct state *state = sample->state;
	const struct env *env = sample->env;
	uint64_t to_wall_ns = env_wall_ns(env) - env_mono_ns(env) + kernel_clock_lag_ns(sample->env);
	int error;

	if (state->trace.error || !state->trace.plan) {
		add_notices(sample);
		return state->trace.error == -ENOTSUP ? 0 : state->trace.error;
	}
	if (state->target.of_scope)
		wait_scope_update(&state->scope, &state->trace, state->processes);
	error = opened_rings_read(&state->rings, &state->trace);
	if (error)
		return error;
	for (size_t i = 0; i < state->rings.n_files; i++)
		add_row(sample, &state->rings.files[i], to_wall_ns);
	add_notices(sample);
	state->stopped_at = trace_cost_end(&state->cost, &state->trace, env_mono_ns(env));
	return 0;
}

static const struct source_spec sources[] = {
	{ .path = TRACE_SOURCE,
	  .gives = N_("files that are opened"),
	  .test = trace_test,
	  .remedies = { CALL_REMEDIES } },
	{ 0 },
};

const struct topic topic_opened = {
	.schema = &schema, .sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_RINGS) | PRIVILEGE_BIT(PRIVILEGE_PERF),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, processes, &process_reader)), .prepare = prepare,
	.sample = sample_opened, .close = close_state
};

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

#define TOTAL(field, ...) COLUMN(struct opened_total_row, field, __VA_ARGS__)

static const struct column total_columns[] = {
	TOTAL(path, A_KEY(N_("path"), 28), .fleeting = true, .help = OPENED_PATH_HELP,
	    .source = "memory of the process at sys_exit, the first 119 bytes"),
	TOTAL(result, A_KEY(N_("result"), 8), .fleeting = true, .words = true,
	    .help = N_("opened, or the error"), .source = "BPF at sys_exit"),
	TOTAL(opens_per_second, A_RATE(PER_SECOND, N_("per s"), 8), .additive = true,
	    .rate_of = offsetof(struct opened_total_row, counted),
	    .help = N_("how often it was tried in the last interval"), .source = "growth of counted / time"),
	TOTAL(opens, A_COUNTER(COUNT, N_("opens"), 8), .rank = 1,
	    .help = N_("how often it was tried since counting began"), .source = "BPF at sys_exit"),
	TOTAL(counted, A_COUNTER(COUNT, N_("counted"), 8), .hidden = true,
	    .help = N_("the same, without those that were in rows of their own before: DIRECTORY/... has "
		       "what is no longer tried"),
	    .source = "BPF at sys_exit"),
	TOTAL(commands, A_GAUGE(COUNT, N_("names"), 5), .rank = 3,
	    .help = N_("names of processes that tried it"), .source = "BPF at sys_exit"),
	TOTAL(command, A_LABEL(N_("command"), 16), .grouping = "command",
	    .help = N_("name of the process that tried it most often"),
	    .source = "task_struct.group_leader.comm"),
};

static const struct schema total_schema = {
	.name = "opened_total",
	.help = N_("opened files by path and result"),
	.none = N_("no file was opened yet"),
	.from_zero = true, .of_run = true,
	SCHEMA_ROWS(struct opened_total_row, total_columns),
};

static const struct bpf_program counting[] = {
	{ .name = N_("a file is opened"), .tracepoint = CALL_RETURNS, .does = &bpf_open_count },
	TRACE_SCOPE_FORKS,
};

#define PLAN(...)                                                                                            \
	{                                                                                                    \
		.topic = "opened_total", .programs = counting, .n_words = N_BPF_OPENED_WORDS,                \
		.n_entries_max = ENTRIES_MAX, .by_pid = true, __VA_ARGS__                                    \
	}

const struct trace_plan trace_plan_opened_total = PLAN(.n_programs = 1);
const struct trace_plan trace_plan_opened_total_of_scope = PLAN(.n_programs = 2, .of_wanted = true);

static void prepare_total(struct sample *sample)
{
	struct state *state = sample->state;

	open_programs(sample, &trace_plan_opened_total_of_scope, &trace_plan_opened_total);
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

static int by_command(const struct opened_count *one, const struct opened_count *other)
{
	return memcmp(&one->words[BPF_OPENED_COMMAND], &other->words[BPF_OPENED_COMMAND], BPF_COMMAND_BYTES);
}

static int by_key(const void *a, const void *b)
{
	const struct opened_count *one = a, *other = b;
	int order = by_row(one, other);

	if (order == 0)
		order = by_command(one, other);
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
	if (state->n_folded > 0)
		qsort(state->folded, state->n_folded, sizeof(*state->folded), by_key);
	state->n_folded = sum_equal(state->folded, state->n_folded);
	while (state->n_folded > FOLDED_MAX)
		state->others += state->folded[--state->n_folded].count;
	if (state->n_now > 0)
		qsort(state->now, state->n_now, sizeof(*state->now), by_key);
}

static const char *copy_bytes(struct sample *sample, const char *text, size_t room)
{
	return arena_copy(&sample->frame->arena, text, strnlen(text, room));
}

/* Of these, which have the same path and result. */
static void add_total(struct sample *sample, const struct opened_count *counts, size_t n)
{
	struct opened_total_row *row = table_add(sample->table);
	const struct opened_count *most = counts;
	char path[BPF_OPENED_PATH_BYTES + sizeof("…")];
	int length = snprintf(path, sizeof(path), "%.*s", BPF_OPENED_PATH_BYTES - 1, path_of(counts));

	if (is_cut(counts))
		strcpy(path + length, "…");
	row->opens = row->counted = row->commands = 0;
	for (size_t i = 0; i < n; i++) {
		row->opens += counts[i].count;
		row->counted += (counts[i].words[BPF_OPENED_ERROR] & FOLDED) ? 0 : counts[i].count;
		row->commands += i == 0 || by_command(&counts[i - 1], &counts[i]) != 0;
		most = counts[i].count > most->count ? &counts[i] : most;
	}
	row->path = copy_bytes(sample, path, sizeof(path));
	row->command = copy_bytes(sample, (const char *)&most->words[BPF_OPENED_COMMAND], BPF_COMMAND_BYTES);
	row->result = result_of(sample, (int)error_of(counts));
}

/* Neighbours with the same path and result are a row. */
static void add_totals(struct sample *sample)
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
		add_total(sample, &counts[i], n);
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
	add_totals(sample);
	add_others(sample);
	state->stopped_at = trace_cost_end(&state->cost, &state->trace, state->read_ns);
	return 0;
}

static const struct source_spec total_sources[] = {
	{ .path = TRACE_SOURCE,
	  .gives = N_("which files are opened"),
	  .test = trace_test,
	  .remedies = { CALL_REMEDIES } },
	{ 0 },
};

const struct topic topic_opened_total = {
	.schema = &total_schema, .sources = total_sources, .uses = PRIVILEGE_BIT(PRIVILEGE_BPF),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, processes, &process_reader)), .prepare = prepare_total,
	.sample = sample_total, .close = close_state
};
