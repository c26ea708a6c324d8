/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "timer": which process arms which timers, by the function that runs when they expire. A timer belongs
 * to the process that armed it last; one that its own function or an interrupt arms again stays with it.
 */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"
#include "topic/interrupt/wakeup_cause.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"
#include "topic/trace/kernel_names.h"

#define ENTRIES_MAX 16384
#define ABSENT_TICKS 2 /* without growth, until the timers of a process that exited are removed */

struct timer_row {
	uint64_t pid;
	const char *function;
	double armed_per_second, fired_per_second;
	uint64_t armed, fired;
	const char *command;
};

#define COL(field, ...) COLUMN_OF(struct timer_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(pid, KEY, NONE, N_("PID"), 7,
	    N_("process that armed it last; 0: the kernel in an interrupt, or any before panetop began to "
	       "count"), "current task at hrtimer_start, timer_start", .fleeting = true),
	COL(function, KEY, NONE, N_("function"), 26, N_("function of the kernel that runs when it expires"),
	    "hrtimer.function, timer_list.function; /" FUNCTION_NAMES_SOURCE),
	COL(fired_per_second, RATE, PER_SECOND, N_("fired/s"), 8, N_("timers that expired, per second"),
	    "growth of fired / time", .additive = true, .trend = true,
	    .rate_of = offsetof(struct timer_row, fired)),
	COL(armed_per_second, RATE, PER_SECOND, N_("armed/s"), 8,
	    N_("timers that were armed, again as well, per second; many are cancelled before they expire"),
	    "growth of armed / time", .additive = true, .rate_of = offsetof(struct timer_row, armed)),
	COL(fired, COUNTER, COUNT, N_("fired"), 9, N_("timers that expired, since panetop began to count"),
	    "BPF at hrtimer_expire_entry, timer_expire_entry", .hidden = true),
	COL(armed, COUNTER, COUNT, N_("armed"), 9, N_("timers that were armed, since panetop began to count"),
	    "BPF at hrtimer_start, timer_start", .hidden = true),
	COL(command, LABEL, NONE, N_("command"), 16, N_("name of the process"), "/proc/PID/comm",
	    .grouping = "command"),
};

static const struct schema schema = {
	.name = "timer",
	.help = N_("timers by process and function"),
	.none = N_("no timer is counted yet"),
	.from_zero = true,
	.of_run = true,
	SCHEMA_ROWS(struct timer_row, columns),
};

enum word { WORD_PID, WORD_FUNCTION, WORD_FIRED, N_WORDS };

#define TIMER_WORDS(function_member, is_fired)                                                               \
	.does = &bpf_count,                                                                                  \
	.keys = { [WORD_PID] = { .is = BPF_PART_NOTED },                                                     \
		  [WORD_FUNCTION] = { .is = BPF_PART_MEMBER, .name = function_member },                      \
		  [WORD_FIRED] = { .is = BPF_PART_CONSTANT, .constant = is_fired } },                        \
	.n_keys = N_WORDS

/* Who arms it is not who runs while an interrupt does. */
#define NOTE_OWNER                                                                                           \
	.does = &bpf_note, .keys = { { .is = BPF_PART_ARGUMENT, .bytes = 8 } }, .n_keys = 1,                 \
	.value = { .is = BPF_PART_PROCESS }, .unless = { .is = BPF_PART_MARKS }, .unless_bits = UINT64_MAX

static const struct bpf_program programs[] = {
	CAUSE_MARKS,
	CAUSE_MARKS_OF_TICKS,
	{ .name = N_("owner of a precise timer"), .tracepoint = "hrtimer_start", NOTE_OWNER },
	{ .name = N_("owner of a timer"), .tracepoint = "timer_start", NOTE_OWNER },
	{ .name = N_("a precise timer is armed"),
	  .tracepoint = "hrtimer_start",
	  TIMER_WORDS("hrtimer.function", 0) },
	{ .name = N_("a timer is armed"),
	  .tracepoint = "timer_start",
	  TIMER_WORDS("timer_list.function", 0) },
	{ .name = N_("a precise timer expires"),
	  .tracepoint = "hrtimer_expire_entry",
	  TIMER_WORDS("hrtimer.function", 1) },
	{ .name = N_("a timer expires"),
	  .tracepoint = "timer_expire_entry",
	  TIMER_WORDS("timer_list.function", 1) },
};

const struct trace_plan trace_plan_timer = {
	.topic = "timer",
	TRACE_PROGRAMS(programs),
	.n_words = N_WORDS,
	.n_entries_max = ENTRIES_MAX,
	.by_pid = true,
};

struct timer {
	uint32_t pid;
	size_t function; /* in names */
	uint64_t armed, fired, tick;
	uint64_t unnamed_armed, unnamed_fired; /* until its name was known */
};

struct state {
	struct trace_set trace;
	bool opened;
	struct process_list *processes;
	struct function_names names;
	struct timer *list;
	size_t count, capacity;
	struct hash by_key;
	struct hash rows;
	uint64_t read_ns; /* when the kernel's counts were read, if … */
	bool counted;     /* … there are some */
};

static int open_timers(struct sample *sample)
{
	struct state *state = sample->state;

	function_names_open(&state->names, sample->env);
	return 0;
}

static void close_timers(struct sample *sample)
{
	struct state *state = sample->state;

	trace_close(&state->trace);
	function_names_close(&state->names);
	free(state->list);
	hash_free(&state->by_key);
	hash_free(&state->rows);
}

static uint64_t hash_of(uint32_t pid, size_t function)
{
	return hash_u64(pid ^ (uint64_t)function << 32);
}

static struct timer *timer_of(struct state *state, uint32_t pid, size_t function)
{
	uint32_t at;

	HASH_FIND(at, &state->by_key, hash_of(pid, function),
		  state->list[at].pid == pid && state->list[at].function == function);
	if (at != HASH_NONE)
		return &state->list[at];
	hash_add(&state->by_key, hash_of(pid, function), (uint32_t)state->count);
	*VECTOR_ADD(state->list, state->count, state->capacity) =
		(struct timer){ .pid = pid, .function = function };
	return &state->list[state->count - 1];
}

static bool is_gone(const struct state *state, uint64_t pid)
{
	return pid != 0 && !process_list_find(state->processes, (uint32_t)pid);
}

static void take_entries(struct state *state, uint64_t tick)
{
	for (size_t i = 0; i < state->trace.n_entries; i++) {
		const uint64_t *key = trace_key(&state->trace, i);
		size_t function = function_names_find(&state->names, key[WORD_FUNCTION]);
		struct timer *timer = timer_of(state, (uint32_t)key[WORD_PID], function);
		uint64_t *count = key[WORD_FIRED] ? &timer->fired : &timer->armed;

		if (state->trace.values[i].count != *count)
			timer->tick = tick;
		else if (tick - timer->tick >= ABSENT_TICKS && is_gone(state, key[WORD_PID]))
			trace_forget(&state->trace, i);
		*count = state->trace.values[i].count;
	}
}

static void forget_timers(struct state *state, uint64_t tick)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < state->count; i++)
		if (tick - state->list[i].tick < ABSENT_TICKS || !is_gone(state, state->list[i].pid))
			state->list[n_kept++] = state->list[i];
	if (n_kept == state->count)
		return;
	state->count = n_kept;
	hash_clear(&state->by_key);
	for (size_t i = 0; i < n_kept; i++)
		hash_add(&state->by_key, hash_of(state->list[i].pid, state->list[i].function), (uint32_t)i);
}

/* Functions may have the same name. */
static struct timer_row *row_of(struct sample *sample, uint32_t pid, const char *function)
{
	struct state *state = sample->state;
	uint64_t hash = hash_bytes(HASH_SEED ^ pid, span_text(function));
	const struct process *process = process_list_find(state->processes, pid);
	struct timer_row *row;
	uint32_t at;

	HASH_FIND(at, &state->rows, hash,
		  (row = table_row(sample->table, at))->pid == pid && strcmp(row->function, function) == 0);
	if (at != HASH_NONE)
		return table_row(sample->table, at);
	hash_add(&state->rows, hash, (uint32_t)sample->table->n_rows);
	row = table_add(sample->table);
	row->pid = pid;
	row->function = frame_text(sample->frame, function);
	row->armed = row->fired = 0;
	if (process)
		row->command = frame_text(sample->frame, process->name);
	else
		row->command = pid == 0 ? _("(kernel)") : _("(exited)");
	return row;
}

static void add_rows(struct sample *sample)
{
	struct state *state = sample->state;

	hash_clear(&state->rows);
	for (size_t i = 0; i < state->count; i++) {
		struct timer *timer = &state->list[i];
		const struct process *process = process_list_find(state->processes, timer->pid);
		const struct function_name *name = &state->names.list[timer->function];
		const char *function = name->state == FUNCTION_FOUND     ? name->name
				       : name->state == FUNCTION_UNKNOWN ? _("(unknown function)")
									 : NULL; /* it is being looked up */
		struct timer_row *row;

		if (!function) {
			timer->unnamed_armed = timer->armed;
			timer->unnamed_fired = timer->fired;
		}
		if (!function || (process ? process->outside : scope_is_set(sample->request->scope)))
			continue;
		row = row_of(sample, timer->pid, function);
		row->armed += timer->armed - timer->unnamed_armed;
		row->fired += timer->fired - timer->unnamed_fired;
	}
}

static void notice_names(struct sample *sample)
{
	const struct state *state = sample->state;
	int error = state->names.error;

	if (error)
		frame_notice(
			sample->frame, schema.name,
			source_remedy(sample->env, topic_source(&topic_timer, FUNCTION_NAMES_SOURCE), -error),
			"%s: %s: %s", "/" FUNCTION_NAMES_SOURCE, _("the functions of timers have no names"),
			strerror(-error));
}

static void prepare(struct sample *sample)
{
	struct state *state = sample->state;

	if (!state->opened)
		trace_open(&state->trace, sample->env, sample->request, &trace_plan_timer);
	state->opened = true;
	state->read_ns = env_mono_ns(sample->env);
	state->counted = trace_read(&state->trace);
}

static int sample_timers(struct sample *sample)
{
	struct state *state = sample->state;
	int error;

	trace_notice(&state->trace, sample->frame, _("timers are not counted"));
	if (!state->counted)
		return 0;
	error = reader_update(&process_reader, sample);
	if (error)
		return error;
	sample->table->mono_ns = state->read_ns;
	take_entries(state, sample->env->tick);
	forget_timers(state, sample->env->tick);
	function_names_update(&state->names, sample->request->batch);
	notice_names(sample);
	add_rows(sample);
	return 0;
}

const struct topic topic_timer = {
	.schema = &schema,
	.sources = SOURCES(
		TRACE_GIVES(N_("timers by process and function"), TRACE_REMEDIES, TRACE_REMEDY_TYPES,
			    TRACE_REMEDY_PIDS),
		{ .path = FUNCTION_NAMES_SOURCE,
		  .gives = N_("names of the functions of timers"),
		  .optional = true,
		  .test = function_names_test,
		  .remedies = { { EACCES, FUNCTION_NAMES_REMEDY },
				{ EPERM, FUNCTION_NAMES_REMEDY },
				{ ENOENT, N_("this kernel is built without CONFIG_KALLSYMS") } } }),
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_SYMBOLS),
	.state_size = sizeof(struct state),
	/* On demand, since what is not counted needs no process. */
	.reads = READINGS(READING_ON_DEMAND(struct state, processes, &process_reader)),
	.open = open_timers,
	.prepare = prepare,
	.sample = sample_timers,
	.close = close_timers,
};
