/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "interrupt", "softirq" and "backlog": how often each kind came on each CPU and the time it took,
 * and received packets between driver and protocols. A CPU that comes online later starts from 0, and one
 * that goes offline keeps its counts, so that sums never jump. A new line starts from 0, too, since the
 * kernel lists all there are.
 */
#include <config.h>

#include "topic/interrupt/counts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/ledger.h"
#include "core/typed_name.h"
#include "core/vector.h"
#include "kernel/net/proc_net.h"
#include "kernel/system.h"
#include "sys/attribute.h"
#include "topic/cpu/proc_stat.h"
#include "topic/topic.h"
#include "topic/trace/trace.h"

void wrapping_count_update(struct wrapping_count *count, uint64_t now, uint64_t base)
{
	count->doubtful = count->known && !count->doubtful && ledger_fell(count->last, now);
	if (count->doubtful) {
		count->fallen = now;
		return;
	}
	count->total += count->known ? ledger_growth(count->last, now, count->fallen) : base;
	count->last = now;
	count->known = true;
}

uint64_t wrapping_count_total(const struct wrapping_count *count)
{
	return count->known && !count->doubtful ? count->total : U64_UNKNOWN;
}

void counts_open(struct counts *counts, struct env *env, const char *path)
{
	*counts = (struct counts){ .env = env, .file = env_file(env, path) };
}

void counts_close(struct counts *counts)
{
	for (size_t i = 0; i < counts->n_lines; i++)
		free(counts->lines[i].cells);
	free(counts->lines);
	free(counts->cpus);
	free(counts->columns);
	hash_free(&counts->by_label);
}

size_t counts_cpu(const struct counts *counts, uint32_t cpu)
{
	if (cpu < counts->n_cpus && counts->cpus[cpu] == cpu)
		return cpu;
	for (size_t i = 0; i < counts->n_cpus; i++)
		if (counts->cpus[i] == cpu)
			return i;
	return SIZE_MAX;
}

static void find_columns(struct counts *counts, struct span heading)
{
	uint32_t cpu;

	counts->n_columns = 0;
	while (interrupt_cpu_next(&heading, &cpu)) {
		size_t place = counts_cpu(counts, cpu);

		if (place == SIZE_MAX) {
			place = counts->n_cpus;
			*VECTOR_ADD(counts->cpus, counts->n_cpus, counts->cpus_capacity) = cpu;
		}
		*VECTOR_ADD(counts->columns, counts->n_columns, counts->columns_capacity) = place;
	}
}

static uint64_t hash_label(struct span label)
{
	return hash_bytes(HASH_SEED, label);
}

static struct count_line *find_line(struct counts *counts, struct span label)
{
	uint32_t at;

	HASH_FIND(at, &counts->by_label, hash_label(label), span_is(label, counts->lines[at].label));
	return at == HASH_NONE ? NULL : &counts->lines[at];
}

struct count_line *counts_numbered(struct counts *counts, uint64_t number)
{
	char label[COUNTS_LABEL_BYTES];

	snprintf(label, sizeof(label), "%" PRIu64, number);
	return find_line(counts, span_text(label));
}

static struct count_line *add_line(struct counts *counts, struct span label)
{
	struct count_line *line = VECTOR_ADD(counts->lines, counts->n_lines, counts->capacity);

	*line = (struct count_line){ .number = U64_UNKNOWN };
	snprintf(line->label, sizeof(line->label), "%.*s", (int)span_length(label), label.at);
	if (!span_is_u64(label, &line->number))
		line->number = U64_UNKNOWN;
	hash_add(&counts->by_label, hash_label(label), (uint32_t)(counts->n_lines - 1));
	return line;
}

/* What follows the counts; for a numbered one without the chip and what it calls the interrupt. */
static void set_name(struct count_line *line, struct interrupt_line *parsed)
{
	struct span name = parsed->counts;
	char text[COUNTS_NAME_BYTES];

	if (line->number != U64_UNKNOWN)
		name = interrupt_name(parsed);
	while (name.at < name.end && *name.at == ' ')
		name.at++;
	snprintf(text, sizeof(text), "%.*s", (int)span_length(name), name.at);
	line->renamed = strcmp(text, line->name) != 0;
	if (line->renamed)
		memcpy(line->name, text, sizeof(text));
}

/* is_new: the line was not there in the update before. */
static void update_line(struct counts *counts, struct count_line *line, struct interrupt_line *parsed,
			bool is_new)
{
	uint64_t value;

	if (line->n_cells < counts->n_cpus) {
		line->cells = alloc_resize(line->cells, counts->n_cpus, sizeof(*line->cells));
		memset(line->cells + line->n_cells, 0,
		       (counts->n_cpus - line->n_cells) * sizeof(*line->cells));
		line->n_cells = counts->n_cpus;
	}
	for (size_t column = 0; column < counts->n_columns && span_u64(&parsed->counts, &value); column++)
		wrapping_count_update(&line->cells[counts->columns[column]].count, value, is_new ? value : 0);
	line->present = true;
	line->whole = typed_is(span_text(line->label), "ERR") || strcmp(line->label, "MIS") == 0;
	set_name(line, parsed);
}

int counts_update(struct counts *counts)
{
	struct interrupt_line parsed;
	struct span text, heading;
	int error = env_read(counts->env, counts->file, &text);

	if (error)
		return error;
	if (!span_line(&text, &heading))
		return -ENODATA;
	find_columns(counts, heading);
	for (size_t i = 0; i < counts->n_lines; i++)
		counts->lines[i].present = false;
	while (interrupt_next(&text, &parsed)) {
		struct count_line *line = NULL;

		if (span_length(parsed.label) >= COUNTS_LABEL_BYTES)
			continue;
		line = find_line(counts, parsed.label);
		update_line(counts, line ? line : add_line(counts, parsed.label), &parsed, !line);
	}
	counts->updates++;
	return counts->n_columns > 0 && counts->n_lines > 0 ? 0 : -ENODATA;
}

uint64_t counts_total(const struct count_line *line)
{
	uint64_t total = 0;

	for (size_t i = 0; i < line->n_cells; i++) {
		if (line->cells[i].count.doubtful)
			return U64_UNKNOWN;
		total += line->cells[i].count.total;
	}
	return total;
}

uint64_t counts_total_ns(const struct count_line *line)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < line->n_cells; i++)
		ns += line->cells[i].ns;
	return ns;
}

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

#define COL(field, ...) COLUMN_OF(struct interrupt_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(irq, KEY, NONE, N_("irq"), 5, N_("number of the interrupt, or what the kernel calls it"),
	    "/" PATH),
	COL(cpu, KEY, NONE, N_("CPU"), 5,
	    N_("CPU that served it; all: the sum, of those that were offline what they had before"),
	    "/" PATH),
	COL(per_second, RATE, PER_SECOND, N_("per s"), 8, N_("in the last interval"),
	    "growth of interrupts / time", .trend = true,
	    .rate_of = offsetof(struct interrupt_row, interrupts)),
	COL(cpu_ratio, RATE, RATIO, N_("%CPU"), 7, N_("time in its handlers; 1 is one CPU"),
	    "growth of seconds / time", .of_cpu = true, .optional = true,
	    .rate_of = offsetof(struct interrupt_row, seconds)),
	COL(mean_seconds, RATE, SECONDS, N_("time each"), 9, N_("mean time in its handlers"),
	    "growth of seconds / growth of interrupts", .rank = 1, .optional = true,
	    .rate_of = offsetof(struct interrupt_row, seconds),
	    .rate_over = offsetof(struct interrupt_row, interrupts)),
	COL(interrupts, COUNTER, COUNT, N_("count"), 10,
	    N_("since boot; of a CPU that came online later, since then"), "/" PATH, .hidden = true),
	COL(seconds, COUNTER, SECONDS, N_("time"), 8,
	    N_("time in its handlers, since panetop began to count; without the kernel's own entry and "
	       "exit, and without threads that handle the rest"),
	    "BPF at irq_handler_entry and irq_handler_exit", .hidden = true, .optional = true),
	COL(affinity, LABEL, NONE, N_("affinity"), 8, N_("CPUs that it may be sent to"),
	    "/proc/irq/N/smp_affinity_list, in turns", .rank = 2, .optional = true, .fleeting = true),
	COL(effective, LABEL, NONE, N_("on CPU"), 6, N_("CPUs that it is sent to"),
	    "/proc/irq/N/effective_affinity_list, in turns", .rank = 2, .optional = true, .fleeting = true),
	COL(node, GAUGE, NONE, N_("node"), 4, N_("NUMA node of its device"), "/proc/irq/N/node", .rank = 3,
	    .optional = true),
	COL(how, LABEL, NONE, N_("how"), 5,
	    N_("bpf: with the time, counted in the kernel; proc: from files, without"), "panetop", .rank = 4),
	COL(device, LABEL, NONE, N_("device"), 22,
	    N_("who asked for it: a device and its queue, or what the interrupt is for"),
	    "/sys/kernel/irq/N/actions, /" PATH),
};

static const struct schema schema = {
	.name = "interrupt",
	.is_public = true,
	.help = N_("interrupts by CPU: rate, time, where they may go"),
	.from_zero = true,
	.goes_on = true,
	.sum_row = "all",
	SCHEMA_ROWS(struct interrupt_row, columns),
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
	TRACE_PROGRAMS(programs),
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

static void add_line_interrupt(struct sample *sample, const struct count_line *line,
			       const struct place *place, bool timed)
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
			add_line_interrupt(sample, &counts->lines[i], &state->places[i],
				 timed && counts->lines[i].number != U64_UNKNOWN);
	return 0;
}

const struct topic topic_interrupt = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = PATH, .gives = N_("interrupts by CPU") },
		TRACE_GIVES(N_("time in interrupts"), TRACE_REMEDIES)),
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF),
	.state_size = sizeof(struct state),
	.open = open_interrupts,
	.sample = sample_interrupts,
	.close = close_interrupts,
};

#define SOFTIRQ_PATH "proc/softirqs"

struct softirq_row {
	const char *kind, *cpu;
	double per_second, cpu_ratio, mean_seconds;
	uint64_t runs;
	double seconds, max_seconds;
	const char *how;
};

#define SOFTIRQ_COL(field, ...) COLUMN_OF(struct softirq_row, field, __VA_ARGS__)

static const struct column softirq_columns[] = {
	SOFTIRQ_COL(kind, KEY, NONE, N_("kind"), 8, N_("kind of soft interrupt, as the kernel spells it"),
		    "/" SOFTIRQ_PATH),
	SOFTIRQ_COL(cpu, KEY, NONE, N_("CPU"), 5,
		    N_("CPU that ran it; all: the sum, of those that were offline what they had before"),
		    "/" SOFTIRQ_PATH),
	SOFTIRQ_COL(per_second, RATE, PER_SECOND, N_("per s"), 8, N_("in the last interval"),
		    "growth of runs / time", .trend = true, .rate_of = offsetof(struct softirq_row, runs)),
	SOFTIRQ_COL(cpu_ratio, RATE, RATIO, N_("%CPU"), 7,
		    N_("time in it, with the interrupts that came meanwhile; 1 is one CPU"),
		    "growth of seconds / time", .of_cpu = true, .optional = true,
		    .rate_of = offsetof(struct softirq_row, seconds)),
	SOFTIRQ_COL(mean_seconds, RATE, SECONDS, N_("time each"), 9, N_("mean time of a run"),
		    "growth of seconds / growth of runs", .rank = 1, .optional = true,
		    .rate_of = offsetof(struct softirq_row, seconds),
		    .rate_over = offsetof(struct softirq_row, runs)),
	SOFTIRQ_COL(max_seconds, GAUGE, SECONDS, N_("longest"), 8,
		    N_("longest run since panetop began to count"), "BPF at softirq_entry and softirq_exit",
		    .rank = 2, .optional = true),
	SOFTIRQ_COL(runs, COUNTER, COUNT, N_("count"), 10,
		    N_("since boot; of a CPU that came online later, since then"), "/" SOFTIRQ_PATH,
		    .hidden = true),
	SOFTIRQ_COL(seconds, COUNTER, SECONDS, N_("time"), 8, N_("time in it, since panetop began to count"),
		    "BPF at softirq_entry and softirq_exit", .hidden = true, .optional = true),
	SOFTIRQ_COL(how, LABEL, NONE, N_("how"), 5,
		    N_("bpf: with the time, counted in the kernel; proc: from files, without"), "panetop",
		    .rank = 3),
};

static const struct schema softirq_schema = {
	.name = "softirq",
	.is_public = true,
	.help = N_("soft interrupts by CPU: rate and time"),
	.from_zero = true,
	.goes_on = true,
	.sum_row = "all",
	SCHEMA_ROWS(struct softirq_row, softirq_columns),
};

#define SOFTIRQ_KEYS                                                                                         \
	.keys = { { .is = BPF_PART_ARGUMENT, .argument = 0, .bytes = 4 }, { .is = BPF_PART_CPU } },          \
	.n_keys = 2

static const struct bpf_program programs_softirq[] = {
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
	TRACE_PROGRAMS(programs_softirq),
	.n_words = 2,
	.n_entries_max = 8192,
};

struct softirq_state {
	struct counts counts;
	struct trace_set trace;
};

static int open_softirqs(struct sample *sample)
{
	struct softirq_state *state = sample->state;

	counts_open(&state->counts, sample->env, SOFTIRQ_PATH);
	trace_open(&state->trace, sample->env, sample->request, &trace_plan_softirq);
	return 0;
}

static void close_softirqs(struct sample *sample)
{
	struct softirq_state *state = sample->state;

	trace_close(&state->trace);
	counts_close(&state->counts);
}

/* What the program found for the kind in this line; NULL: nothing yet. The lines are in the kernel's order.
 */
static const struct bpf_entry *entry_of(const struct softirq_state *state, size_t line, uint32_t cpu)
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

static void add_line_softirq(struct sample *sample, size_t index, bool timed)
{
	const struct softirq_state *state = sample->state;
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
	struct softirq_state *state = sample->state;
	int error = counts_update(&state->counts);
	bool timed;

	if (error)
		return error;
	timed = trace_read(&state->trace);
	trace_notice(&state->trace, sample->frame, _("the time in soft interrupts is not known"));
	for (size_t i = 0; i < state->counts.n_lines; i++)
		if (state->counts.lines[i].present)
			add_line_softirq(sample, i, timed);
	return 0;
}

const struct topic topic_softirq = {
	.schema = &softirq_schema,
	.sources = SOURCES(
		{ .path = SOFTIRQ_PATH, .gives = N_("soft interrupts by CPU") },
		TRACE_GIVES(N_("time in soft interrupts"), TRACE_REMEDIES)),
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF),
	.state_size = sizeof(struct softirq_state),
	.open = open_softirqs,
	.sample = sample_softirqs,
	.close = close_softirqs,
};

#define BACKLOG_PATH "proc/net/softnet_stat"

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
	       .source = "/" BACKLOG_PATH " " from, __VA_ARGS__)

#define BACKLOG_COL(field, ...) COLUMN_OF(struct backlog_row, field, __VA_ARGS__)

static const struct column backlog_columns[] = {
	BACKLOG_COL(cpu, KEY, NONE, N_("CPU"), 5, N_("CPU that received the packets; all: the sum"),
		    "/" BACKLOG_PATH),
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
	BACKLOG_COL(waiting, GAUGE, COUNT, N_("waiting"), 8,
		    N_("packets in its backlog at the sample; unknown while it is offline"),
		    "/" BACKLOG_PATH " column 12, since Linux 5.10", .rank = 1),
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

static const struct schema backlog_schema = {
	.name = "backlog",
	.is_public = true,
	.help = N_("received packets by CPU: processed, dropped, squeezed"),
	.from_zero = true,
	.goes_on = true,
	.sum_row = "all",
	SCHEMA_ROWS(struct backlog_row, backlog_columns),
};

struct cpu_backlog {
	uint32_t cpu;
	struct wrapping_count processed, dropped, squeezed, steered, limited;
	uint64_t waiting; /* U64_UNKNOWN: it is offline, or an old kernel */
};

struct backlog_state {
	struct online_cpus *online;
	struct cpu_backlog *cpus;
	size_t n_cpus, capacity;
	bool begun;
};

static void close_backlog(struct sample *sample)
{
	struct backlog_state *state = sample->state;

	free(state->cpus);
}

static struct cpu_backlog *find(struct backlog_state *state, uint32_t cpu)
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
static void update(struct backlog_state *state, struct cpu_backlog *cpu, const struct softnet_line *line)
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
static bool cpu_of(const struct backlog_state *state, const struct softnet_line *line, size_t index,
		   uint32_t *cpu)
{
	if (line->cpu != U64_UNKNOWN)
		*cpu = (uint32_t)line->cpu;
	else if (index < state->online->count)
		*cpu = state->online->list[index];
	else
		return false;
	return *cpu < CPU_LIST_MAX;
}

static void add_rows(struct sample *sample, const struct backlog_state *state)
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
	struct backlog_state *state = sample->state;
	struct softnet_line line;
	struct span text;
	uint32_t cpu;
	size_t index = 0;
	int error = env_read(sample->env, env_file(sample->env, BACKLOG_PATH), &text);

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

const struct topic topic_backlog = {
	.schema = &backlog_schema,
	.sources = SOURCES(
		{ .path = BACKLOG_PATH,
		  .gives = N_("received packets by CPU"),
		  .remedies = { { ENOENT, N_("this kernel is built without networking") } } }),
	.state_size = sizeof(struct backlog_state),
	.reads = READINGS(READING_ON_DEMAND(struct backlog_state, online, &online_cpus_reader)),
	.sample = sample_backlog,
	.close = close_backlog,
};
