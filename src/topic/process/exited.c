/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics "exited", "failing", "process_total" and "distribution": what processes used, ended ones as well. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/net/netlink.h"
#include "topic/event/event_batch.h"
#include "topic/event/event_reader.h"
#include "topic/power/energy.h"
#include "topic/process/exit_ledger.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

struct exited_row {
	const char *command;
	double cpu_ratio, exits_per_second, cpu_seconds, watts, joules, disk_bytes_per_second;
	uint64_t exits, failures, disk_bytes;
	double failures_per_second;
	uint64_t recent_exits, recent_failures;
	double recent_seconds;
};

#define RECENT_NS (UINT64_C(60) * 1000000000)
#define STEP_NS (UINT64_C(5) * 1000000000)
#define STEPS 13

#define ROW(field, ...) COLUMN(struct exited_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(cpu_ratio, A_RATE(RATIO, N_("%CPU"), 6), .additive = true, .high = 0.5, .alarming = 0.9,
	    .rate_of = offsetof(struct exited_row, cpu_seconds),
	    .help = N_("share of one CPU in the last interval, by exited processes of this name, after they "
		       "were last seen"),
	    .source = "growth of cpu_seconds / time"),
	ROW(exits_per_second, A_RATE(PER_SECOND, N_("exits/s"), 8), .additive = true,
	    .rate_of = offsetof(struct exited_row, exits), .help = N_("exits of processes of this name"),
	    .source = "growth of exits / time"),
	ROW(exits, A_COUNTER(COUNT, N_("exits"), 8), .rank = 1,
	    .help = N_("exits of processes of this name since the first sample"),
	    .source = "taskstats exit records, else process events"),
	ROW(failures, A_COUNTER(COUNT, N_("failed"), 6), .rank = 1,
	    .help = N_("of these exits, those with a code other than 0 or by a signal; a process whose exit "
		       "record was lost is not counted"),
	    .source = "taskstats ac_exitcode of any of its threads"),
	ROW(recent_exits, A_GAUGE(COUNT, N_("exits"), 6), .hidden = true,
	    .help = N_("exits in the last 60 s, or since the previous sample"), .source = "growth of exits"),
	ROW(recent_failures, A_GAUGE(COUNT, N_("failed"), 6), .hidden = true, .high = 1,
	    .help = N_("of the exits in the last 60 s, those with a code other than 0 or by a signal"),
	    .source = "growth of failures"),
	ROW(recent_seconds, A_GAUGE(SECONDS, N_("over"), 6), .hidden = true,
	    .help = N_("time in which the recent exits were counted: 60 s, less at first"),
	    .source = "time since the oldest count of the last 60 s"),
	ROW(failures_per_second, A_RATE(PER_SECOND, N_("failed/s"), 8), .additive = true, .hidden = true,
	    .rate_of = offsetof(struct exited_row, failures), .help = N_("failed exits"),
	    .source = "growth of failures / time"),
	ROW(cpu_seconds, A_COUNTER(SECONDS, N_("time"), 9), .rank = 1,
	    .help = N_("CPU time that no sample saw while they were alive, since the first sample: an "
		       "estimate from exit records, and a share of the CPU time beyond these, in proportion "
		       "to their memory"),
	    .source = "taskstats: ac_etime - cpu_delay_total if nvcsw is 0, else the greater of "
		      "cpu_run_virtual_total and ac_utime + ac_stime, but at most a tick more than the "
		      "former; minus the clock when last seen; else cutime + cstime of parents, in "
		      "proportion to the lifetimes of children"),
	ROW(disk_bytes_per_second, A_RATE(BYTES_PER_SECOND, N_("I/O/s"), 7), .rank = 2, .hidden = true,
	    .rate_of = offsetof(struct exited_row, disk_bytes),
	    .help = N_("read from storage and written to it by exited processes of this name, after "
		       "they were last seen"),
	    .source = "growth of disk_bytes / time"),
	ROW(disk_bytes, A_COUNTER(BYTES, N_("I/O"), 8), .hidden = true,
	    .help = N_("read from storage and written to it, that no sample saw while they were alive, since "
		       "the first sample"),
	    .source = "taskstats read_bytes + write_bytes, less those of /proc/PID/io when last seen"),
	ROW(watts, A_RATE(WATTS, N_("~watts"), 7), .rank = 1, .optional = true,
	    .rate_of = offsetof(struct exited_row, joules),
	    .help = N_("power that this CPU time adds to an idle machine: an estimate from a calibration"),
	    .source = "growth of joules / time"),
	ROW(joules, A_COUNTER(JOULES, N_("~joules"), 8), .hidden = true,
	    .help = N_("energy for this CPU time, by the same estimate"),
	    .source = "cpu_seconds * slope of the calibration"),
	ROW(command, A_KEY(N_("command"), 16), .grouping = "command",
	    .help = N_("command name; if unknown, the parent's name; (no record): no exit record; (others): "
		       "commands beyond the table limit"),
	    .source = "taskstats ac_comm, else proc connector, perf task records"),
};

static const struct schema schema = {
	.name = "exited", .is_public = true,
	.help = N_("CPU time of processes that exited between two samples"), .from_zero = true,
	.of_run = true, SCHEMA_ROWS(struct exited_row, columns),
};

struct state {
	struct exit_ledger *ledger;
	struct power_estimate estimate;
	struct past { /* of each command of the ledger: its counts at the times of the steps; 0 before */
		uint64_t exits[STEPS], failures[STEPS];
	} * pasts;
	size_t n_pasts, capacity;
	uint64_t steps_ns[STEPS]; /* 0: none yet */
	unsigned newest;
	unsigned scope_epoch; /* of the ledger, when it was last read */
};

/* The oldest step of the last minute, or the newest one. */
static unsigned first_step(const struct state *state, uint64_t now_ns)
{
	unsigned found = state->newest;

	for (unsigned i = 0; i < STEPS; i++)
		if (state->steps_ns[i] > 0 && now_ns - state->steps_ns[i] <= RECENT_NS &&
		    state->steps_ns[i] < state->steps_ns[found])
			found = i;
	return found;
}

static void make_room(struct state *state)
{
	if (state->ledger->scope_epoch != state->scope_epoch) { /* it counts again from 0 */
		state->scope_epoch = state->ledger->scope_epoch;
		state->n_pasts = 0;
		memset(state->steps_ns, 0, sizeof(state->steps_ns));
	}
	VECTOR_RESERVE(state->pasts, state->ledger->n_commands, state->capacity);
	while (state->n_pasts < state->ledger->n_commands)
		state->pasts[state->n_pasts++] = (struct past){ 0 };
}

/* Every few seconds the counts become a step. */
static void add_step(struct state *state, uint64_t now_ns)
{
	if (state->steps_ns[state->newest] > 0) {
		if (now_ns < state->steps_ns[state->newest] + STEP_NS)
			return;
		state->newest = (state->newest + 1) % STEPS;
	}
	state->steps_ns[state->newest] = now_ns;
	for (size_t i = 0; i < state->n_pasts; i++) {
		state->pasts[i].exits[state->newest] = state->ledger->commands[i].exits;
		state->pasts[i].failures[state->newest] = state->ledger->commands[i].failures;
	}
}

static int sample(struct sample *sample)
{
	struct table *table = sample->table;
	struct state *state = sample->state;
	struct exit_ledger *ledger = state->ledger;
	double seconds;
	unsigned first;

	table->mono_ns = ledger->processes->mono_ns;
	make_room(state);
	first = first_step(state, table->mono_ns);
	seconds = state->steps_ns[first] > 0 ? (double)(table->mono_ns - state->steps_ns[first]) / 1e9 : NAN;
	for (size_t i = 0; i < ledger->n_commands; i++) {
		const struct exited_command *command = &ledger->commands[i];
		struct exited_row *row = table_add(table);

		row->command = arena_copy(&sample->frame->arena, command->name, strlen(command->name));
		row->exits = command->exits;
		row->failures = command->failures;
		if (ledger->counts_io)
			row->disk_bytes = command->disk_bytes;
		row->recent_exits = u64_less(command->exits, state->pasts[i].exits[first]);
		row->recent_failures = u64_less(command->failures, state->pasts[i].failures[first]);
		row->recent_seconds = seconds;
		row->cpu_seconds = (double)command->cpu_ns / 1e9;
		row->joules = power_estimate_joules(&state->estimate, row->cpu_seconds);
	}
	add_step(state, table->mono_ns);
	exit_ledger_notice(ledger, sample,
			   N_("without exit records it is not known which exits failed, and CPU time is an "
			      "estimate"),
			   N_("without exit records and process events it is not known which commands "
			      "exited; CPU time is listed by parent"));
	return 0;
}

static void prepare(struct sample *sample)
{
	struct state *state = sample->state;

	power_estimate_update(&state->estimate, sample);
}

static void close_exited(struct sample *sample)
{
	struct state *state = sample->state;

	free(state->pasts);
	power_estimate_close(&state->estimate);
}

const struct topic topic_exited = {
	.schema = &schema, .sources = no_source, .state_size = sizeof(struct state),
	.setting = POWER_FIT_SETTING, .setting_uses = ENERGY_USES, .uses = EVENT_USES,
	.opening_uses = EVENT_OPENING_USES,
	.reads = READINGS(READING(struct state, ledger, &exit_ledger_reader)), .prepare = prepare,
	.sample = sample, .close = close_exited,
};

/* Topic "failing": commands that have failed within a minute, and what started them. */

struct failing_row {
	const char *command, *parent, *what, *ended;
	uint64_t parent_pid, parents, exits, failures;
	double failures_per_second;
};

#define FAILING_ROW(field, ...) COLUMN(struct failing_row, field, __VA_ARGS__)

static const struct column failing_columns[] = {
	FAILING_ROW(failures_per_second, A_RATE(PER_SECOND, N_("failed/s"), 8), .rank = 2,
		    .rate_of = offsetof(struct failing_row, failures), .help = N_("failed exits"),
		    .source = "growth of failures / time"),
	FAILING_ROW(failures, A_COUNTER(COUNT, N_("failed"), 6),
		    .help = N_("exits with a code other than 0, and crashes; no signals from other "
			       "processes, and no codes of shells that stand for such a signal"),
		    .source = "taskstats ac_exitcode of any of its threads"),
	FAILING_ROW(exits, A_COUNTER(COUNT, N_("exits"), 6),
		    .help = N_("all exits of this command under parents of this name, since it began "
			       "to fail"),
		    .source = "taskstats exit records"),
	FAILING_ROW(ended, A_LABEL(N_("last"), 12), .rank = 1,
		    .help = N_("how the one that failed last ended: its code, or a signal"),
		    .source = "taskstats ac_exitcode"),
	FAILING_ROW(parent_pid, A_LABEL(N_("parent"), 7), .rank = 1,
		    .help = N_("PID of the parent, if nearly all of the last 16 failures are of one"),
		    .source = "taskstats ac_ppid"),
	FAILING_ROW(parents, A_GAUGE(COUNT, N_("parents"), 7), .rank = 3, .optional = true,
		    .help = N_("number of parents of the last 16 failures, if none has nearly all; unknown: "
			       "most have one of their own"),
		    .source = "taskstats ac_ppid"),
	FAILING_ROW(command, A_KEY(N_("command"), 16), .personal = true, .grouping = "command",
		    .help = N_("command name"), .source = "taskstats ac_comm"),
	FAILING_ROW(parent, A_KEY(N_("started by"), 16),
		    .help = N_("name of the parent; blank: not known"),
		    .source = "process list, taskstats ac_comm, or /proc/PID/comm"),
	FAILING_ROW(what, A_LABEL(N_("what"), 16), .personal = true, .hidden = true,
		    .help = N_("command, and in brackets the parent"), .source = "both"),
};

static const struct schema failing_schema = {
	.name = "failing", .help = N_("commands that failed within a minute, and what started them"),
	.none = N_("no command has failed within a minute"), .from_zero = true, .of_run = true,
	SCHEMA_ROWS(struct failing_row, failing_columns),
};

struct failing_state {
	struct exit_ledger *ledger;
};

static const char *copy(struct sample *sample, const char *text)
{
	return arena_copy(&sample->frame->arena, text, strlen(text));
}

static void add_row(struct sample *sample, const struct failing_command *command)
{
	struct failing_row *row = table_add(sample->table);
	struct arena *arena = &sample->frame->arena;

	row->command = copy(sample, command->name);
	row->parent = copy(sample, command->parent);
	row->what = !command->parent[0] ? row->command
					: arena_print(arena, "%s (%s)", command->name, command->parent);
	row->ended = event_exit_code(command->exit_code) == U64_UNKNOWN
			     ? event_status(arena, command->exit_code)
			     : arena_print(arena, "code %u", (unsigned)event_exit_code(command->exit_code));
	row->parent_pid = failing_command_parent(command, &row->parents);
	row->exits = command->exits;
	row->failures = command->failures;
}

static int sample_failing(struct sample *sample)
{
	static const char *const lacks = N_("without exit records failing commands are unknown");
	const struct failing_state *state = sample->state;
	const struct failing_commands *failing = &state->ledger->failing;

	sample->table->mono_ns = state->ledger->processes->mono_ns;
	exit_ledger_notice(state->ledger, sample, lacks, lacks);
	for (unsigned i = 0; i < FAILING_COMMANDS_MAX; i++)
		if (failing_command_is_recent(&failing->all[i], sample->table->mono_ns))
			add_row(sample, &failing->all[i]);
	if (failing->lost > 0)
		frame_notice(sample->frame, failing_schema.name, NULL,
			     _("%llu failed exits are not listed: too many commands fail"),
			     (unsigned long long)failing->lost);
	return 0;
}

const struct topic topic_failing = {
	.schema = &failing_schema, .sources = no_source, .state_size = sizeof(struct failing_state),
	.uses = EVENT_USES, .opening_uses = EVENT_OPENING_USES,
	.reads = READINGS(READING(struct failing_state, ledger, &exit_ledger_reader)),
	.sample = sample_failing,
};

/* Topic "process_total": mean CPU use of every process since the first sample, exited ones included. */

#define ENTRIES_MAX ((size_t)32768)

struct total_row {
	uint64_t pid;
	double start_seconds, mean_ratio, cpu_seconds;
	uint64_t processes;
	const char *state, *command;
};

#define TOTAL(field, ...) COLUMN(struct total_row, field, __VA_ARGS__)

static const struct column total_columns[] = {
	TOTAL(mean_ratio, A_GAUGE(RATIO, N_("%mean"), 6), .additive = true, .high = 0.5, .alarming = 0.9,
	      .help = N_("mean share of one CPU over the whole run"),
	      .source = "cpu_seconds / time of the run"),
	TOTAL(cpu_seconds, A_COUNTER(SECONDS, N_("time"), 9), .help = N_("CPU time in this run"),
	      .source = "CPU clock of the process; exit records"),
	TOTAL(pid, A_PROCESS_ID, .help = N_("process ID; unknown for processes that no sample saw alive")),
	TOTAL(start_seconds, A_PROCESS_START),
	TOTAL(state, A_LABEL(N_("now"), 5), .fleeting = true, .rank = 1, .words = true,
	      .help = N_("alive or ended"), .source = "/proc"),
	TOTAL(processes, A_COUNTER(COUNT, N_("of"), 6), .rank = 2, .help = N_("processes in this row"),
	      .source = "panetop"),
	TOTAL(command, A_KEY(N_("command"), 16), .grouping = "command", .help = N_("name of the process"),
	      .source = "/proc/PID/stat comm; taskstats ac_comm"),
};

static const struct schema total_schema = {
	.name = "process_total", .help = N_("mean CPU use of every process over the whole run"),
	.over_interval = true, .of_run = true, SCHEMA_ROWS(struct total_row, total_columns),
};

struct entry {
	uint32_t pid;
	bool ended;
	uint64_t start_ticks, used_ns;
	char name[PROCESS_NAME_MAX];
};

struct total_state {
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

static struct entry *find_entry(const struct total_state *state, const struct process *process)
{
	uint32_t at;

	HASH_FIND(at, &state->by_process, hash_of(process->pid, process->start_ticks),
		  state->entries[at].pid == process->pid &&
			  state->entries[at].start_ticks == process->start_ticks);
	return at == HASH_NONE ? NULL : &state->entries[at];
}

static struct entry *add_entry(struct total_state *state, const struct process *process)
{
	struct entry *entry;

	hash_add(&state->by_process, hash_of(process->pid, process->start_ticks), (uint32_t)state->n_entries);
	entry = VECTOR_ADD(state->entries, state->n_entries, state->capacity);
	*entry = (struct entry){ .pid = process->pid, .start_ticks = process->start_ticks };
	return entry;
}

static void add_used(struct total_state *state, const struct process *process)
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

static void mark_exited(struct total_state *state)
{
	const struct process_list *processes = state->ledger->processes;

	for (size_t i = 0; i < processes->n_exited; i++) {
		struct entry *entry = find_entry(state, processes->exited[i]);

		if (entry)
			entry->ended = true;
	}
}

static void remember_exited(struct total_state *state)
{
	const struct exit_ledger *ledger = state->ledger;

	state->n_before = ledger->n_commands;
	state->before = alloc_zeroed(ledger->n_commands + 1, sizeof(*state->before));
	if (ledger->n_commands > 0)
		memcpy(state->before, ledger->commands, ledger->n_commands * sizeof(*state->before));
}

static void add_rows(const struct total_state *state, const struct env *env, struct frame *frame,
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
static void add_exited(const struct total_state *state, struct frame *frame, struct table *table,
		       double seconds)
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
static void follow_scope(struct total_state *state)
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

static int sample_total(struct sample *sample)
{
	struct frame *frame = sample->frame;
	struct table *table = sample->table;
	struct total_state *state = sample->state;
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
		frame_notice(frame, total_schema.name, NULL,
			     P_("%zu sample of a process is not in the totals: too many processes",
				"%zu samples of processes are not in the totals: too many processes",
				state->refused),
			     state->refused);
	return 0;
}

static void close_total(struct sample *sample)
{
	struct total_state *state = sample->state;

	free(state->before);
	free(state->entries);
	hash_free(&state->by_process);
}

const struct topic topic_process_total = {
	.schema = &total_schema, .sources = no_source, .state_size = sizeof(struct total_state),
	.uses = EVENT_USES, .opening_uses = EVENT_OPENING_USES,
	.reads = READINGS(READING(struct total_state, ledger, &exit_ledger_reader)), .sample = sample_total,
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
