/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "process_total": mean use of every process, ended ones too, since the topic was asked for. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "topic/account/exit_ledger.h"
#include "topic/event/event_reader.h"
#include "topic/process/process_find.h"
#include "topic/topic.h"

#define ENTRIES_MAX ((size_t)32768)

struct total_row {
	uint64_t pid;
	double start_seconds, mean_ratio, cpu_seconds;
	uint64_t processes;
	const char *state, *command;
};

static const struct column columns[] = {
	COLUMN(struct total_row, mean_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = N_("mean%"),
	       .width = 6, .help = N_("of one CPU, over the whole run"),
	       .source = "cpu_seconds / time of the run"),
	COLUMN(struct total_row, cpu_seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS,
	       .title = N_("time"), .width = 9, .help = N_("CPU time in this run"),
	       .source = "CPU clock of the process; exit records"),
	COLUMN(struct total_row, pid, .kind = COLUMN_KEY, .title = N_("PID"), .width = 7,
	       .help = N_("number of the process; unknown for those that no sample saw alive"),
	       .source = "/proc"),
	COLUMN(struct total_row, start_seconds, .kind = COLUMN_KEY, .unit = UNIT_SECONDS,
	       .title = N_("started"), .width = 10, .hidden = true,
	       .help = N_("when it was started, after boot"), .source = "/proc/PID/stat starttime"),
	COLUMN(struct total_row, state, .kind = COLUMN_LABEL, .fleeting = true,
	       .title = N_("now"), .width = 5, .rank = 1,
	       .words = true, .help = N_("alive, or ended"), .source = "/proc"),
	COLUMN(struct total_row, processes, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("of"),
	       .width = 6, .rank = 2, .help = N_("processes that this row stands for"), .source = "panetop"),
	COLUMN(struct total_row, command, .kind = COLUMN_KEY, .title = N_("command"), .width = 16,
	       .help = N_("name that it goes by"), .source = "/proc/PID/stat comm; taskstats ac_comm"),
};

static const struct schema schema = {
	.name = "process_total",
	.help = N_("mean use of every process over the whole run"),
	.over_interval = true,
	.row_size = sizeof(struct total_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = { { 0 } };

struct entry {
	uint32_t pid;
	bool ended;
	uint64_t start_ticks, used_ns;
	char name[PROCESS_NAME_MAX];
};

struct state {
	struct exit_ledger *ledger;
	uint64_t first_ns;        /* mono_ns of the first sample */
	struct entry *entries;    /* by pid and start, in the order in which they were seen */
	size_t n_entries, capacity;
	uint32_t *slots;          /* open addressing: index + 1 */
	size_t n_slots;
	struct exited_command *before; /* exited as they were at the first sample */
	size_t n_before;
	size_t refused;           /* processes beyond the room */
};

static size_t slot_of(const struct state *state, uint32_t pid, uint64_t start_ticks)
{
	size_t slot = (pid * UINT64_C(0x9e3779b97f4a7c15) ^ start_ticks * UINT64_C(0xc2b2ae3d27d4eb4f)) >> 20;

	for (slot &= state->n_slots - 1; state->slots[slot]; slot = (slot + 1) & (state->n_slots - 1)) {
		const struct entry *entry = &state->entries[state->slots[slot] - 1];

		if (entry->pid == pid && entry->start_ticks == start_ticks)
			break;
	}
	return slot;
}

static void grow(struct state *state)
{
	state->capacity = state->capacity ? 2 * state->capacity : 512;
	state->entries = alloc_resize(state->entries, state->capacity, sizeof(*state->entries));
	free(state->slots);
	state->n_slots = 2 * state->capacity;
	state->slots = alloc_zeroed(state->n_slots, sizeof(*state->slots));
	for (size_t i = 0; i < state->n_entries; i++)
		state->slots[slot_of(state, state->entries[i].pid, state->entries[i].start_ticks)] =
			(uint32_t)i + 1;
}

static void add_used(struct state *state, const struct process *process)
{
	struct entry *entry;
	size_t slot;

	if (state->n_entries == state->capacity && state->n_entries < ENTRIES_MAX)
		grow(state);
	slot = slot_of(state, process->pid, process->start_ticks);
	if (!state->slots[slot] && state->n_entries == state->capacity) {
		state->refused++;
		return;
	}
	if (!state->slots[slot]) {
		state->entries[state->n_entries] =
			(struct entry){ .pid = process->pid, .start_ticks = process->start_ticks };
		state->slots[slot] = (uint32_t)++state->n_entries;
	}
	entry = &state->entries[state->slots[slot] - 1];
	entry->used_ns += process->used_ns;
	memcpy(entry->name, process->name, sizeof(entry->name));
}

static void mark_exited(struct state *state)
{
	const struct process_list *processes = state->ledger->processes;

	for (size_t i = 0; i < processes->n_exited && state->n_slots > 0; i++) {
		size_t slot = slot_of(state, processes->exited[i]->pid, processes->exited[i]->start_ticks);

		if (state->slots[slot])
			state->entries[state->slots[slot] - 1].ended = true;
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

/* What ended between two samples has rows by name. The list of names only grows at its end. */
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

static int sample(struct sample *sample)
{
	struct frame *frame = sample->frame;
	struct table *table = sample->table;
	struct state *state = sample->state;
	const struct process_list *processes = state->ledger->processes;
	int error = exit_ledger_update(state->ledger);
	double seconds;

	if (error)
		return error;
	table->mono_ns = processes->mono_ns;
	if (state->first_ns == 0) {
		state->first_ns = table->mono_ns;
		remember_exited(state);
		return 0;
	}
	for (size_t i = 0; i < processes->n_all; i++)
		if (processes->all[i]->used_ns != U64_UNKNOWN && processes->all[i]->used_ns > 0)
			add_used(state, processes->all[i]);
	mark_exited(state);
	seconds = (double)(table->mono_ns - state->first_ns) / 1e9;
	add_rows(state, sample->env, frame, table, seconds);
	add_exited(state, frame, table, seconds);
	if (state->refused > 0)
		frame_notice(frame, schema.name, NULL,
			     P_("%zu sample of a process found no room in the totals",
				"%zu samples of processes found no room in the totals", state->refused),
			     state->refused);
	return 0;
}

static int open_total(struct sample *sample)
{
	struct state *state = sample->state;

	state->ledger = exit_ledger_open(sample->env, sample->settings);
	return 0;
}

static void close_total(struct sample *sample)
{
	struct state *state = sample->state;

	exit_ledger_close(state->ledger);
	free(state->before);
	free(state->entries);
	free(state->slots);
}

const struct topic topic_process_total = {
	.schema = &schema,
	.sources = sources,
	.state_size = sizeof(struct state),
	.uses = EVENT_USES,
	.opening_uses = EVENT_OPENING_USES,
	.open = open_total,
	.sample = sample,
	.close = close_total,
};
