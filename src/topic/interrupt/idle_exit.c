/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "idle_exit": what breaks CPUs out of idle. A CPU is marked awake by what comes first after it became
 * idle, which is what counts.
 */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "sys/attribute.h"
#include "topic/topic.h"
#include "topic/trace/trace.h"

#define ENTRIES_MAX 8192
#define DEVICE_BYTES 96

struct idle_exit_row {
	const char *cpu, *cause;
	double per_second;
	uint64_t exits;
	const char *device;
};

#define COL(field, ...) COLUMN_OF(struct idle_exit_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(cpu, KEY, NONE, N_("CPU"), 5, N_("CPU that was idle; all: the sum"), "BPF"),
	COL(cause, KEY, NONE, N_("woken by"), 14,
	    N_("what came first after it became idle: its timer; a device, by the number of its interrupt; "
	       "call: another CPU that wants a function to run; reschedule: another CPU that has a task "
	       "for it; interrupt work: the kernel itself; other: what the kernel has no tracepoint for, "
	       "such as a message of the host, or a task while it polled"), "BPF", .words = true),
	COL(per_second, RATE, PER_SECOND, N_("per s"), 8, N_("in the last interval"),
	    "growth of exits / time", .trend = true, .rate_of = offsetof(struct idle_exit_row, exits)),
	COL(exits, COUNTER, COUNT, N_("count"), 9,
	    N_("how often it broke the CPU out of idle, since panetop began to count"),
	    "BPF at cpu_idle, and at what comes next", .hidden = true),
	COL(device, LABEL, NONE, N_("device"), 22, N_("who asked for the interrupt"),
	    "/sys/kernel/irq/N/actions"),
};

static const struct schema schema = {
	.name = "idle_exit",
	.is_public = true,
	.help = N_("what breaks which CPU out of idle"),
	.none = N_("no exit from idle is counted yet"),
	.from_zero = true,
	.of_run = true,
	.sum_row = "all",
	SCHEMA_ROWS(struct idle_exit_row, columns),
};

enum kind { BY_TIMER, BY_DEVICE, BY_CALL, BY_CALLS, BY_RESCHEDULE, BY_WORK, BY_OTHER, N_KINDS };
enum word { WORD_CPU, WORD_KIND, WORD_IRQ, N_WORDS };

#define AWAKE 1 /* the only mark: bit 0 */
#define IS_AWAKE .unless = { .is = BPF_PART_MARKS }, .unless_bits = AWAKE

#define CAUSE(count_name, mark_name, where, kind, ...)                                                       \
	{ .name = count_name,                                                                                \
	  .tracepoint = where,                                                                               \
	  .does = &bpf_count,                                                                                \
	  IS_AWAKE,                                                                                          \
	  .keys = { [WORD_CPU] = { .is = BPF_PART_CPU },                                                     \
		    [WORD_KIND] = { .is = BPF_PART_CONSTANT, .constant = kind },                             \
		    [WORD_IRQ] = { __VA_ARGS__ } },                                                          \
	  .n_keys = N_WORDS,                                                                                 \
	  .optional = true },                                                                                \
	{                                                                                                    \
		.name = mark_name, .tracepoint = where, .does = &bpf_mark, IS_AWAKE, .optional = true        \
	}

#define NUMBER .is = BPF_PART_ARGUMENT, .argument = 0, .bytes = 4
#define EXITS UINT32_MAX
#define NO_NUMBER .is = BPF_PART_CONSTANT

/*
 * Programs run in this order. cpu_idle has the state, or EXITS; what comes before the next state without a
 * cause that is known was something else.
 */
static const struct bpf_program programs[] = {
	CAUSE(N_("idle until a timer"), N_("awake by a timer"), "local_timer_entry", BY_TIMER, NO_NUMBER),
	CAUSE(N_("idle until a device"), N_("awake by a device"), "irq_handler_entry", BY_DEVICE, NUMBER),
	CAUSE(N_("idle until a call"), N_("awake by a call"), "call_function_single_entry", BY_CALL,
	      NO_NUMBER),
	CAUSE(N_("idle until calls"), N_("awake by calls"), "call_function_entry", BY_CALLS, NO_NUMBER),
	CAUSE(N_("idle until rescheduled"), N_("awake by rescheduling"), "reschedule_entry", BY_RESCHEDULE,
	      NO_NUMBER),
	CAUSE(N_("idle until interrupt work"), N_("awake by interrupt work"), "irq_work_entry", BY_WORK,
	      NO_NUMBER),
	{ .name = N_("idle until something else"),
	  .tracepoint = "cpu_idle",
	  .does = &bpf_count,
	  IS_AWAKE,
	  .keys = { [WORD_CPU] = { .is = BPF_PART_CPU },
		    [WORD_KIND] = { .is = BPF_PART_CONSTANT, .constant = BY_OTHER },
		    [WORD_IRQ] = { NUMBER } },
	  .n_keys = N_WORDS },
	{ .name = N_("a CPU becomes idle"),
	  .tracepoint = "cpu_idle",
	  .does = &bpf_unmark,
	  .unless = { .is = BPF_PART_ARGUMENT, .argument = 0, .bytes = 4 },
	  .unless_bits = UINT64_C(1) << 31 },
};

const struct trace_plan trace_plan_idle_exit = {
	.topic = "idle_exit",
	TRACE_PROGRAMS(programs),
	.n_words = N_WORDS,
	.n_entries_max = ENTRIES_MAX,
};

static const char *const kind_names[N_KINDS] = {
	[BY_TIMER] = N_("timer"),           [BY_CALL] = N_("call"),           [BY_CALLS] = N_("calls"),
	[BY_RESCHEDULE] = N_("reschedule"), [BY_WORK] = N_("interrupt work"), [BY_OTHER] = N_("other"),
};

struct state {
	struct trace_set trace;
	bool opened;
};

static void close_exits(struct sample *sample)
{
	struct state *state = sample->state;

	trace_close(&state->trace);
}

/* Its cause comes after it. */
static bool is_exit(const uint64_t *key)
{
	return key[WORD_KIND] == BY_OTHER && key[WORD_IRQ] == EXITS;
}

static const char *name_cause(struct arena *arena, const uint64_t *key)
{
	if (key[WORD_KIND] == BY_DEVICE)
		return arena_print(arena, "irq %" PRIu64, key[WORD_IRQ]);
	return key[WORD_KIND] < N_KINDS ? kind_names[key[WORD_KIND]] : "";
}

static struct idle_exit_row *add_row(struct sample *sample, const char *cpu, const char *cause)
{
	struct idle_exit_row *row = table_add(sample->table);

	row->cpu = cpu;
	row->cause = cause;
	row->exits = 0;
	return row;
}

/* The sums come first. */
static struct idle_exit_row *sum_of(struct sample *sample, const char *cause)
{
	for (size_t i = 0; i < sample->table->n_rows; i++) {
		struct idle_exit_row *row = table_row(sample->table, i);

		if (strcmp(row->cause, cause) == 0)
			return row;
	}
	return add_row(sample, "all", cause);
}

static void add_entry(struct sample *sample, struct idle_exit_row *row, const uint64_t *key, uint64_t count)
{
	char path[64], device[DEVICE_BYTES];

	row->exits += count;
	if (key[WORD_KIND] != BY_DEVICE || row->device)
		return;
	snprintf(path, sizeof(path), "sys/kernel/irq/%" PRIu64 "/actions", key[WORD_IRQ]);
	if (attribute_once(sample->env, path, device, sizeof(device)) > 0)
		row->device = frame_text(sample->frame, device);
}

static int sample_exits(struct sample *sample)
{
	struct state *state = sample->state;
	const struct trace_set *trace = &state->trace;
	struct arena *arena = &sample->frame->arena;

	if (!state->opened)
		trace_open(&state->trace, sample->env, sample->request, &trace_plan_idle_exit);
	state->opened = true;
	trace_notice(trace, sample->frame, _("what breaks CPUs out of idle is not known"));
	if (!trace_read(&state->trace))
		return 0;
	for (size_t i = 0; i < trace->n_entries; i++) {
		const uint64_t *key = trace_key(trace, i);

		if (is_exit(key))
			continue;
		add_entry(sample, sum_of(sample, name_cause(arena, key)), key, trace->values[i].count);
	}
	for (size_t i = 0; i < trace->n_entries; i++) {
		const uint64_t *key = trace_key(trace, i);
		const char *cpu = arena_print(arena, "%u", (unsigned)key[WORD_CPU]);

		if (!is_exit(key))
			add_entry(sample, add_row(sample, cpu, name_cause(arena, key)), key,
				  trace->values[i].count);
	}
	return 0;
}

const struct topic topic_idle_exit = {
	.schema = &schema,
	.sources = SOURCES(
		TRACE_GIVES(N_("what breaks CPUs out of idle"), TRACE_REMEDIES)),
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF),
	.state_size = sizeof(struct state),
	.sample = sample_exits,
	.close = close_exits,
};
