/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "opened": files that were opened since the last sample, one per row, and those that could not be. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/error_name.h"
#include "core/i18n.h"
#include "core/span.h"
#include "core/vector.h"
#include "kernel/cpu_list.h"
#include "kernel/perf_record.h"
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
		.sample_id_all = 1,
		.use_clockid = 1,
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

static void opened_rings_close(struct opened_rings *rings)
{
	close_rings(rings);
	free(rings->rings);
	free(rings->files);
	*rings = (struct opened_rings){ 0 };
}

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
	.shape = SHAPE_EVENTS,
	.over_interval = true,
	SCHEMA_ROWS(struct opened_row, columns),
};

static const struct bpf_program programs[] = {
	{ .name = N_("a file is opened, and sent"), .tracepoint = CALL_RETURNS, .does = &bpf_open_record },
	{ .name = N_("a process of the scope forks"),
	  .tracepoint = "sched_process_fork",
	  .does = &bpf_follow },
};

const struct trace_plan trace_plan_opened = {
	.topic = "opened", .programs = programs, .n_programs = 1, .by_pid = true
};
const struct trace_plan trace_plan_opened_of_scope = {
	.topic = "opened", .programs = programs, .n_programs = 2, .by_pid = true, .of_wanted = true
};

struct state {
	struct process_list *processes;
	struct call_target target;
	struct trace_set trace;
	struct wait_scope scope;
	struct opened_rings rings;
	struct trace_cost cost;
	double stopped_at; /* part of a CPU that it took when it stopped; 0: it has not */
	uint64_t number;   /* of the last row */
};

static void close_programs(struct state *state)
{
	trace_close(&state->trace);
	opened_rings_close(&state->rings);
	wait_scope_free(&state->scope);
	state->cost = (struct trace_cost){ 0 };
	state->stopped_at = 0;
}

static void close_opened(struct sample *sample)
{
	close_programs(sample->state);
}

static void prepare(struct sample *sample)
{
	struct state *state = sample->state;

	if (!call_target_update(&state->target, sample->request))
		return;
	close_programs(state);
	trace_open_process(&state->trace, sample->env, sample->request,
			   state->target.of_scope ? &trace_plan_opened_of_scope : &trace_plan_opened,
			   state->target.process);
}

static const char *copy(struct sample *sample, struct span text)
{
	return arena_copy(&sample->frame->arena, text.at, span_length(text));
}

static void add_row(struct sample *sample, const struct opened_file *file, uint64_t to_wall_ns)
{
	struct state *state = sample->state;
	struct opened_row *row = table_add(sample->table);
	char name[ERROR_NAME_BYTES];

	row->number = ++state->number;
	row->time = file->time_ns + to_wall_ns;
	row->pid = file->pid;
	row->tid = file->tid;
	row->command = copy(sample, file->command);
	row->descriptor = file->result < 0 ? U64_BLANK : (uint64_t)file->result;
	row->path = file->is_unread ? OPENED_UNREAD : copy(sample, file->path);
	row->result = OPENED_OK;
	if (file->result >= 0)
		return;
	error_name(-file->result, name);
	row->result = copy(sample, span_text(name));
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
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_RINGS) | PRIVILEGE_BIT(PRIVILEGE_PERF),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, processes, &process_reader)),
	.prepare = prepare,
	.sample = sample_opened,
	.close = close_opened,
};
