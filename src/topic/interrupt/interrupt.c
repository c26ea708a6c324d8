/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "interrupt": how often each interrupt came on each CPU, the time it took, and where it may go. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "sys/attribute.h"
#include "topic/interrupt/counts.h"
#include "topic/topic.h"
#include "topic/trace/trace.h"

#define PATH "proc/interrupts"
#define PLACES_PER_SAMPLE 8
#define LIST_BYTES 64

struct interrupt_row {
	const char *irq, *cpu;
	const char *device;
	double per_second, cpu_ratio, mean_seconds;
	uint64_t interrupts;
	double seconds;
	const char *affinity, *effective;
	uint64_t node;
	const char *how;
};

static const struct column columns[] = {
	COLUMN(struct interrupt_row, irq, .kind = COLUMN_KEY, .title = N_("irq"), .width = 5,
	       .help = N_("number of the interrupt, or what the kernel calls it"), .source = "/" PATH),
	COLUMN(struct interrupt_row, cpu, .kind = COLUMN_KEY, .title = N_("CPU"), .width = 5,
	       .help = N_(
		       "CPU that served it; all: the sum, of those that were offline what they had before"),
	       .source = "/" PATH),
	COLUMN(struct interrupt_row, per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,
	       .title = N_("per s"), .width = 8, .trend = true,
	       .rate_of = offsetof(struct interrupt_row, interrupts), .help = N_("in the last interval"),
	       .source = "growth of interrupts / time"),
	COLUMN(struct interrupt_row, cpu_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO, .title = N_("%CPU"),
	       .width = 7, .of_cpu = true, .optional = true,
	       .rate_of = offsetof(struct interrupt_row, seconds),
	       .help = N_("time in its handlers; 1 is one CPU"), .source = "growth of seconds / time"),
	COLUMN(struct interrupt_row, mean_seconds, .kind = COLUMN_RATE, .unit = UNIT_SECONDS,
	       .title = N_("time each"), .width = 9, .rank = 1, .optional = true,
	       .rate_of = offsetof(struct interrupt_row, seconds),
	       .rate_over = offsetof(struct interrupt_row, interrupts),
	       .help = N_("mean time in its handlers"), .source = "growth of seconds / growth of interrupts"),
	COLUMN(struct interrupt_row, interrupts, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT,
	       .title = N_("count"), .width = 10, .hidden = true,
	       .help = N_("since boot; of a CPU that came online later, since then"), .source = "/" PATH),
	COLUMN(struct interrupt_row, seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS,
	       .title = N_("time"), .width = 8, .hidden = true, .optional = true,
	       .help = N_(
		       "time in its handlers, since panetop began to count; without the kernel's own entry "
		       "and exit, and without threads that handle the rest"),
	       .source = "BPF at irq_handler_entry and irq_handler_exit"),
	COLUMN(struct interrupt_row, affinity, .kind = COLUMN_LABEL, .title = N_("affinity"), .width = 8,
	       .rank = 2, .optional = true, .fleeting = true, .help = N_("CPUs that it may be sent to"),
	       .source = "/proc/irq/N/smp_affinity_list, in turns"),
	COLUMN(struct interrupt_row, effective, .kind = COLUMN_LABEL, .title = N_("on CPU"), .width = 6,
	       .rank = 2, .optional = true, .fleeting = true, .help = N_("CPUs that it is sent to"),
	       .source = "/proc/irq/N/effective_affinity_list, in turns"),
	COLUMN(struct interrupt_row, node, .kind = COLUMN_GAUGE, .title = N_("node"), .width = 4, .rank = 3,
	       .optional = true, .help = N_("NUMA node of its device"), .source = "/proc/irq/N/node"),
	COLUMN(struct interrupt_row, how, .kind = COLUMN_LABEL, .title = N_("how"), .width = 5, .rank = 4,
	       .help = N_("bpf: with the time, counted in the kernel; proc: from files, without"),
	       .source = "panetop"),
	COLUMN(struct interrupt_row, device, .kind = COLUMN_LABEL, .title = N_("device"), .width = 22,
	       .help = N_("who asked for it: a device and its queue, or what the interrupt is for"),
	       .source = "/sys/kernel/irq/N/actions, /" PATH),
};

static const struct schema schema = {
	.name = "interrupt",
	.is_public = true,
	.help = N_("interrupts by CPU: rate, time, where they may go"),
	.from_zero = true,
	.goes_on = true,
	.sum_row = "all",
	.row_size = sizeof(struct interrupt_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = PATH, .gives = N_("interrupts by CPU") },
	{ .path = TRACE_SOURCE,
	  .gives = N_("time in interrupts"),
	  .optional = true,
	  .test = trace_test,
	  .remedies = { TRACE_REMEDIES } },
	{ 0 },
};

#define IRQ_KEYS                                                                                             \
	.keys = { { .is = BPF_PART_ARGUMENT, .argument = 0, .bytes = 4 }, { .is = BPF_PART_CPU } },          \
	.n_keys = 2

/* Handlers run with interrupts off, and not within each other. */
static const struct bpf_program programs[] = {
	{ .name = N_("start of a handler"), .tracepoint = "irq_handler_entry", .does = &bpf_start, IRQ_KEYS },
	{ .name = N_("end of a handler"), .tracepoint = "irq_handler_exit", .does = &bpf_stop, IRQ_KEYS },
};

const struct trace_plan trace_plan_interrupt = {
	.topic = "interrupt",
	.programs = programs,
	.n_programs = sizeof(programs) / sizeof(programs[0]),
	.n_words = 2,
	.n_entries_max = 8192,
};

/* Where an interrupt may go; by line. */
struct place {
	bool read;
	char actions[COUNTS_NAME_BYTES], affinity[LIST_BYTES], effective[LIST_BYTES];
	uint64_t node;
};

struct state {
	struct counts counts;
	struct trace_set trace;
	struct place *places;
	size_t n_places, capacity, next;
};

static int open_interrupts(struct sample *sample)
{
	struct state *state = sample->state;

	counts_open(&state->counts, sample->env, PATH);
	trace_open(&state->trace, sample->env, sample->request, &trace_plan_interrupt);
	return 0;
}

static void close_interrupts(struct sample *sample)
{
	struct state *state = sample->state;

	trace_close(&state->trace);
	counts_close(&state->counts);
	free(state->places);
}

static void read_text(struct env *env, const char *folder, const struct count_line *line, const char *name,
		      char *text, size_t room)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%s/%s", folder, line->label, name);
	if (attribute_once(env, path, text, room) <= 0)
		*text = '\0';
}

/* The node is -1 where the device belongs to none. */
static void read_place(struct env *env, const struct count_line *line, struct place *place)
{
	char node[24];
	struct span text;

	read_text(env, "sys/kernel/irq", line, "actions", place->actions, sizeof(place->actions));
	read_text(env, "proc/irq", line, "smp_affinity_list", place->affinity, sizeof(place->affinity));
	read_text(env, "proc/irq", line, "effective_affinity_list", place->effective,
		  sizeof(place->effective));
	read_text(env, "proc/irq", line, "node", node, sizeof(node));
	text = span_text(node);
	if (!span_u64(&text, &place->node))
		place->node = U64_UNKNOWN;
	place->read = true;
}

/* New ones at once, the others in turns: they seldom change. */
static void update_places(struct state *state)
{
	const struct counts *counts = &state->counts;
	size_t n_lines = counts->n_lines;

	VECTOR_RESERVE(state->places, n_lines, state->capacity);
	while (state->n_places < n_lines)
		state->places[state->n_places++] = (struct place){ .node = U64_UNKNOWN };
	for (size_t i = 0; i < n_lines; i++) {
		size_t turn = (i + n_lines - state->next) % n_lines;
		const struct count_line *line = &counts->lines[i];

		if (line->number != U64_UNKNOWN && line->present &&
		    (!state->places[i].read || line->renamed || turn < PLACES_PER_SAMPLE))
			read_place(counts->env, line, &state->places[i]);
	}
	state->next = (state->next + PLACES_PER_SAMPLE) % n_lines;
}

static bool take_times(struct state *state)
{
	if (!trace_read(&state->trace))
		return false;
	for (size_t i = 0; i < state->trace.n_entries; i++) {
		const uint64_t *key = trace_key(&state->trace, i);
		struct count_line *line = counts_numbered(&state->counts, key[0]);
		size_t cpu = counts_cpu(&state->counts, (uint32_t)key[1]);

		if (line && cpu < line->n_cells)
			line->cells[cpu].ns = state->trace.values[i].sum;
	}
	return true;
}

static const char *copy_text(struct arena *arena, const char *text)
{
	return *text ? arena_copy(arena, text, strlen(text)) : NULL;
}

static void set_time(struct interrupt_row *row, uint64_t ns, bool timed)
{
	row->how = timed ? "bpf" : "proc";
	if (timed)
		row->seconds = (double)ns / 1e9;
}

static void add_line(struct sample *sample, const struct count_line *line, const struct place *place,
		     bool timed)
{
	const struct state *state = sample->state;
	struct arena *arena = &sample->frame->arena;
	struct interrupt_row *row = table_add(sample->table), sum;

	row->irq = copy_text(arena, line->label);
	row->cpu = "all";
	row->device = copy_text(arena, *place->actions ? place->actions : line->name);
	row->interrupts = counts_total(line);
	row->affinity = copy_text(arena, place->affinity);
	row->effective = copy_text(arena, place->effective);
	row->node = place->node;
	set_time(row, counts_total_ns(line), timed);
	sum = *row;
	for (size_t i = 0; i < line->n_cells && !line->whole; i++) {
		if (line->cells[i].count.total == 0)
			continue;
		row = table_add(sample->table);
		*row = sum;
		row->cpu = arena_print(arena, "%u", state->counts.cpus[i]);
		row->interrupts = wrapping_count_total(&line->cells[i].count);
		set_time(row, line->cells[i].ns, timed);
	}
}

static int sample_interrupts(struct sample *sample)
{
	struct state *state = sample->state;
	struct counts *counts = &state->counts;
	int error = counts_update(counts);
	bool timed;

	if (error)
		return error;
	update_places(state);
	timed = take_times(state);
	trace_notice(&state->trace, sample->frame, _("the time in interrupts is not known"));
	for (size_t i = 0; i < counts->n_lines; i++)
		if (counts->lines[i].present)
			add_line(sample, &counts->lines[i], &state->places[i],
				 timed && counts->lines[i].number != U64_UNKNOWN);
	return 0;
}

const struct topic topic_interrupt = {
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF),
	.state_size = sizeof(struct state),
	.open = open_interrupts,
	.sample = sample_interrupts,
	.close = close_interrupts,
};
