/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "process_total": mean CPU use of every process since the first sample, exited ones included. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "topic/event/event_reader.h"
#include "topic/process/exit_ledger.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

#define ENTRIES_MAX ((size_t)32768)

struct total_row {
	uint64_t pid;
	double start_seconds, mean_ratio, cpu_seconds;
	uint64_t processes;
	const char *state, *command;
};

#define ROW(field, ...) COLUMN(struct total_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(mean_ratio, A_GAUGE(RATIO, N_("%mean"), 6), .additive = true, .high = 0.5, .alarming = 0.9,
	    .help = N_("mean share of one CPU over the whole run"),
	    .source = "cpu_seconds / time of the run"),
	ROW(cpu_seconds, A_COUNTER(SECONDS, N_("time"), 9), .help = N_("CPU time in this run"),
	    .source = "CPU clock of the process; exit records"),
	ROW(pid, A_PROCESS_ID, .help = N_("process ID; unknown for processes that no sample saw alive")),
	ROW(start_seconds, A_PROCESS_START),
	ROW(state, A_LABEL(N_("now"), 5), .fleeting = true, .rank = 1, .words = true,
	    .help = N_("alive or ended"), .source = "/proc"),
	ROW(processes, A_COUNTER(COUNT, N_("of"), 6), .rank = 2, .help = N_("processes in this row"),
	    .source = "panetop"),
	ROW(command, A_KEY(N_("command"), 16), .grouping = "command", .help = N_("name of the process"),
	    .source = "/proc/PID/stat comm; taskstats ac_comm"),
};

static const struct schema schema = {
	.name = "process_total", .help = N_("mean CPU use of every process over the whole run"),
	.over_interval = true, .of_run = true, SCHEMA_ROWS(struct total_row, columns),
};

struct entry {
	uint32_t pid;
	bool ended;
	uint64_t start_ticks, used_ns;
	char name[PROCESS_NAME_MAX];
};

struct state {
	struct exit_ledger *ledger;
	unsigned scope_epoch;     /* of the scope of the entries */
	uint64_t first_ns;        /* mono_ns of the first sample */
	struct entry *entries;    /* in the order of their first samples */
	size_t n_entries, capacity;
	struct hash by_process;   /* of entries */
	struct exited_command *before; /* of the ledger, at the first sample */
	size_t n_before;
	size_t refused;           /* samples of processes beyond ENTRIES_MAX */
};

static uint64_t hash_of(uint32_t pid, uint64_t start_ticks)
{
	return hash_u64(hash_u64(pid) ^ start_ticks);
}

static struct entry *find_entry(const struct state *state, const struct process *process)
{
	uint32_t at;

	HASH_FIND(at, &state->by_process, hash_of(process->pid, process->start_ticks),
		  state->entries[at].pid == process->pid &&
			  state->entries[at].start_ticks == process->start_ticks);
	return at == HASH_NONE ? NULL : &state->entries[at];
}

static struct entry *add_entry(struct state *state, const struct process *process)
{
	struct entry *entry;

	hash_add(&state->by_process, hash_of(process->pid, process->start_ticks), (uint32_t)state->n_entries);
	entry = VECTOR_ADD(state->entries, state->n_entries, state->capacity);
	*entry = (struct entry){ .pid = process->pid, .start_ticks = process->start_ticks };
	return entry;
}

static void add_used(struct state *state, const struct process *process)
{
	struct entry *entry = find_entry(state, process);

	if (!entry && state->n_entries == ENTRIES_MAX) {
		state->refused++;
		return;
	}
	if (!entry)
		entry = add_entry(state, process);
	entry->used_ns += process->used_ns;
	strcpy(entry->name, process->name);
}

static void mark_exited(struct state *state)
{
	const struct process_list *processes = state->ledger->processes;

	for (size_t i = 0; i < processes->n_exited; i++) {
		struct entry *entry = find_entry(state, processes->exited[i]);

		if (entry)
			entry->ended = true;
	}
}

static void remember_exited(struct state *state)
{
	const struct exit_ledger *ledger = state->ledger;

	state->n_before = ledger->n_commands;
	state->before = alloc_zeroed(ledger->n_commands + 1, sizeof(*state->before));
	if (ledger->n_commands > 0)
		memcpy(state->before, ledger->commands, ledger->n_commands * sizeof(*state->before));
}

static void add_rows(const struct state *state, const struct env *env, struct frame *frame,
		     struct table *table, double seconds)
{
	for (size_t i = 0; i < state->n_entries; i++) {
		const struct entry *entry = &state->entries[i];
		struct total_row *row = table_add(table);

		row->pid = entry->pid;
		row->start_seconds = process_start_seconds(env, entry->start_ticks);
		row->cpu_seconds = (double)entry->used_ns / 1e9;
		row->mean_ratio = seconds > 0 ? row->cpu_seconds / seconds : row->mean_ratio;
		row->processes = 1;
		row->state = entry->ended ? N_("ended") : N_("alive");
		row->command = arena_copy(&frame->arena, entry->name, strlen(entry->name));
	}
}

/* Processes that exited between samples have rows by name. New names are added at the end of the list. */
static void add_exited(const struct state *state, struct frame *frame, struct table *table, double seconds)
{
	const struct exit_ledger *ledger = state->ledger;

	for (size_t i = 0; i < ledger->n_commands; i++) {
		const struct exited_command *command = &ledger->commands[i];
		bool known = i < state->n_before;
		uint64_t cpu_ns = command->cpu_ns - (known ? state->before[i].cpu_ns : 0);
		struct total_row *row;

		if (cpu_ns == 0)
			continue;
		row = table_add(table);
		row->cpu_seconds = (double)cpu_ns / 1e9;
		row->mean_ratio = seconds > 0 ? row->cpu_seconds / seconds : row->mean_ratio;
		row->processes = u64_less(command->exits, known ? state->before[i].exits : 0);
		row->state = N_("ended");
		row->command = arena_copy(&frame->arena, command->name, strlen(command->name));
	}
}

/* Another one: the run begins again. */
static void follow_scope(struct state *state)
{
	if (state->scope_epoch == state->ledger->scope_epoch)
		return;
	state->scope_epoch = state->ledger->scope_epoch;
	state->first_ns = 0;
	state->n_entries = 0;
	hash_clear(&state->by_process);
	free(state->before);
	state->before = NULL;
}

static int sample(struct sample *sample)
{
	struct frame *frame = sample->frame;
	struct table *table = sample->table;
	struct state *state = sample->state;
	const struct process_list *processes = state->ledger->processes;
	double seconds;

	table->mono_ns = processes->mono_ns;
	follow_scope(state);
	if (state->first_ns == 0) {
		state->first_ns = table->mono_ns;
		remember_exited(state);
		return 0;
	}
	for (size_t i = 0; i < processes->n_all; i++)
		if (processes->all[i]->used_ns != U64_UNKNOWN && processes->all[i]->used_ns > 0 &&
		    !processes->all[i]->outside)
			add_used(state, processes->all[i]);
	mark_exited(state);
	seconds = (double)(table->mono_ns - state->first_ns) / 1e9;
	add_rows(state, sample->env, frame, table, seconds);
	add_exited(state, frame, table, seconds);
	if (state->refused > 0)
		frame_notice(frame, schema.name, NULL,
			     P_("%zu sample of a process is not in the totals: too many processes",
				"%zu samples of processes are not in the totals: too many processes",
				state->refused),
			     state->refused);
	return 0;
}

static void close_total(struct sample *sample)
{
	struct state *state = sample->state;

	free(state->before);
	free(state->entries);
	hash_free(&state->by_process);
}

const struct topic topic_process_total = {
	.schema = &schema, .sources = no_source, .state_size = sizeof(struct state), .uses = EVENT_USES,
	.opening_uses = EVENT_OPENING_USES,
	.reads = READINGS(READING(struct state, ledger, &exit_ledger_reader)), .sample = sample,
	.close = close_total,
};

/* Topic "distribution": a histogram of the CPU use of processes in the last interval. */

#define RANGES 20

struct distribution_row {
	double from_ratio, to_ratio;
	uint64_t processes;
	double cpu_ratio;
};

#define RANGE(field, ...) COLUMN(struct distribution_row, field, __VA_ARGS__)

static const struct column range_columns[] = {
	RANGE(from_ratio, .kind = COLUMN_KEY, .unit = UNIT_RATIO, .title = N_("%from"), .width = 6,
	      .help = N_("lower bound of CPU use, of one CPU"), .source = "panetop"),
	RANGE(to_ratio, .kind = COLUMN_LABEL, .unit = UNIT_RATIO, .title = N_("%to"), .width = 6,
	      .help = N_("upper bound of CPU use; the last range has none"), .source = "panetop"),
	RANGE(processes, A_GAUGE(COUNT, N_("processes"), 9),
	      .help = N_("processes with this CPU use in the last interval; idle ones are left out"),
	      .source = "CPU clocks of the processes"),
	RANGE(cpu_ratio, A_GAUGE(RATIO, N_("%CPU"), 8), .help = N_("CPU use of all of them; 100 is one CPU"),
	      .source = "CPU clocks of the processes"),
};

static const struct schema range_schema = {
	.name = "distribution", .is_public = true, .help = N_("number of processes by CPU use"),
	.over_interval = true, SCHEMA_ROWS(struct distribution_row, range_columns),
};

struct range_state {
	struct process_list *processes;
	uint64_t mono_ns; /* of the previous sample */
};

static void add_process(struct table *table, const struct process *process, double seconds)
{
	double share = (double)process->used_ns / 1e9 / seconds;
	size_t range = share * RANGES < RANGES - 1 ? (size_t)(share * RANGES) : RANGES - 1;
	struct distribution_row *row = table_row(table, range);

	row->processes++;
	row->cpu_ratio += share;
}

static int sample_range(struct sample *sample)
{
	struct table *table = sample->table;
	struct range_state *state = sample->state;
	double seconds;

	table->mono_ns = state->processes->mono_ns;
	seconds = (double)(table->mono_ns - state->mono_ns) / 1e9;
	for (unsigned i = 0; i < RANGES; i++) {
		struct distribution_row *row = table_add(table);

		row->from_ratio = (double)i / RANGES;
		row->to_ratio = i + 1 < RANGES ? (double)(i + 1) / RANGES : row->to_ratio;
		row->processes = state->mono_ns ? 0 : U64_UNKNOWN;
		row->cpu_ratio = state->mono_ns ? 0 : row->cpu_ratio;
	}
	for (size_t i = 0; i < state->processes->n_all && state->mono_ns; i++)
		if (state->processes->all[i]->used_ns != U64_UNKNOWN &&
		    state->processes->all[i]->used_ns > 0 && !state->processes->all[i]->outside)
			add_process(table, state->processes->all[i], seconds);
	state->mono_ns = table->mono_ns;
	return 0;
}

const struct topic topic_distribution = {
	.schema = &range_schema, .sources = no_source, .state_size = sizeof(struct range_state),
	.uses = PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.reads = READINGS(READING(struct range_state, processes, &process_reader)), .sample = sample_range,
};
