/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "program_power": watts of programs, fitted to the measured power while they run. */
#include <config.h>

#include "model/program_power.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/event/event_reader.h"
#include "topic/power/energy.h"
#include "topic/process/exit_ledger.h"

#define IDLE "(idle)"
#define KERNEL "(kernel)"
#define QUOTED_MAX (PROCESS_NAME_MAX + sizeof(PROCESS_NOT_A_SUM))
#define LEAST_SECONDS 1          /* of one interval that is fitted */
#define LEAST_BATTERY_SECONDS 30 /* the same where power is that of batteries, which follows late */

struct program_power_row {
	const char *command, *along_with;
	double watts, error_watts, per_cpu_watts, per_cpu_error_watts;
	double cpu_ratio, cpu_seconds, fitted_seconds;
};

#define FITTED "power of the machine, fitted to the CPU time of its programs"
#define COL(field, ...) COLUMN_OF(struct program_power_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(command, KEY, NONE, N_("program"), 16,
	    N_("process name, of all processes that have it; (idle): what the machine draws without them; "
	       "(kernel): threads of the kernel; (others): programs that use least, together"),
	    "/proc/PID/stat, exit records"),
	COL(watts, GAUGE, WATTS, N_("~watts"), 7,
	    N_("power of the program in the last interval: an estimate, without what it lets devices draw "
	       "later; unknown until its error is small"), "per_cpu_watts * cpu_ratio"),
	COL(error_watts, GAUGE, WATTS, N_("+/- W"), 7,
	    N_("standard error of watts: the true value is within it in two of three cases"),
	    "per_cpu_error_watts * cpu_ratio"),
	COL(per_cpu_watts, GAUGE, WATTS, N_("~W/CPU"), 7,
	    N_("power of the program while it keeps one CPU busy, or joules for each second of CPU time: "
	       "an estimate, unknown until its error is at most a quarter of it or 0.25 W"), FITTED,
	    .rank = 1),
	COL(per_cpu_error_watts, GAUGE, WATTS, N_("+/- W/CPU"), 9,
	    N_("standard error of per_cpu_watts; it stays large while programs run only together"), FITTED,
	    .rank = 1),
	COL(cpu_ratio, GAUGE, RATIO, N_("%CPU"), 6,
	    N_("CPU time of the program in the last interval; 100 is one CPU"),
	    "CPU clocks of its processes, and exit records", .of_cpu = true),
	COL(cpu_seconds, GAUGE, SECONDS, N_("time"), 9, N_("CPU time of the program since it was first seen"),
	    "CPU clocks of its processes, and exit records", .rank = 3),
	COL(along_with, LABEL, NONE, N_("only runs with"), 16,
	    N_("program that only runs along with it: how their power is split is unknown; (idle): it "
	       "never pauses"), "correlation of their errors, 0.9 or more", .rank = 2, .optional = true),
	COL(fitted_seconds, GAUGE, SECONDS, N_("over"), 9,
	    N_("time that was fitted; what is older than some minutes counts less"), "sum of the intervals",
	    .rank = 4, .hidden = true, .whole = true, .of_interval = true),
};

static const struct schema schema = {
	.name = "program_power",
	.is_public = true,
	.help = N_("watts of programs: an estimate from how power follows what runs"),
	.none = N_("nothing here measures the power of the machine, or no interval has passed yet"),
	.over_interval = true,
	SCHEMA_ROWS(struct program_power_row, columns),
};

struct state {
	struct energy *energy;
	struct exit_ledger *ledger;
	uint64_t energy_ns, list_ns; /* of the last sample; 0: none */
	double joules;               /* of the machine then */
	struct program_power power;
};

/* Rows that are no program keep their names. */
static const char *program_name(const struct process *process, char room[static QUOTED_MAX])
{
	if (process_is_kernel_thread(process))
		return KERNEL;
	if (strcmp(process->name, IDLE) != 0 && strcmp(process->name, KERNEL) != 0 &&
	    strcmp(process->name, ROW_OF_OTHERS) != 0)
		return process->name;
	snprintf(room, QUOTED_MAX, PROCESS_NOT_A_SUM, process->name);
	return room;
}

/* What the living ran in this tick, by name. */
static void use_living(struct program_power *power, const struct process_list *processes)
{
	char room[QUOTED_MAX];

	for (size_t i = 0; i < processes->n_all; i++) {
		const struct process *process = processes->all[i];

		if (process->used_ns > 0 && process->used_ns != U64_UNKNOWN)
			program_power_use(power, program_name(process, room), (double)process->used_ns / 1e9);
	}
}

static void use_ended(struct program_power *power, const struct exit_ledger *ledger)
{
	for (size_t i = 0; i < ledger->n_commands; i++) {
		const char *name = ledger->commands[i].name;

		if (ledger->commands[i].grown_ns > 0)
			program_power_use(power, strcmp(name, ROW_OF_OTHERS) == 0 ? NULL : name,
					  (double)ledger->commands[i].grown_ns / 1e9);
	}
	if (ledger->outside.grown_ns > 0)
		program_power_use(power, OUTSIDE_SCOPE, (double)ledger->outside.grown_ns / 1e9);
}

/*
 * Ends the sample with the watts since the last one, over the time between two reads of the clocks. After a
 * gap, in which not all CPU time was seen, they are not known.
 */
static void end_sample(struct state *state)
{
	const struct process_list *processes = state->ledger->processes;
	const struct energy *energy = state->energy;
	bool joins = state->list_ns > 0 && processes->last_ns == state->list_ns;
	double watts =
		(energy->joules - state->joules) / ((double)(energy->sample_ns - state->energy_ns) / 1e9);
	double seconds = (double)(processes->mono_ns - processes->last_ns) / 1e9;

	program_power_end(&state->power, joins ? watts * seconds : NAN, joins ? seconds : NAN,
			  energy->total == TOTAL_BATTERIES ? LEAST_BATTERY_SECONDS : LEAST_SECONDS);
	state->energy_ns = energy->sample_ns;
	state->list_ns = processes->mono_ns;
	state->joules = energy->joules;
}

static const char *name_of(const struct program_watts *list, unsigned n, unsigned term)
{
	for (unsigned i = 0; i < n; i++)
		if (list[i].term == term && list[i].name)
			return list[i].name;
	return term == POWER_OF_IDLE ? IDLE : ROW_OF_OTHERS;
}

static const char *copy(struct frame *frame, const char *text)
{
	return arena_copy(&frame->arena, text, strlen(text));
}

static void add_rows(const struct state *state, struct frame *frame, struct table *table)
{
	struct program_watts list[POWER_TERMS];
	unsigned n = program_power_list(&state->power, list);

	for (unsigned i = 0; i < n; i++) {
		const struct program_watts *watts = &list[i];
		struct program_power_row *row = table_add(table);

		row->command = copy(frame, name_of(list, n, watts->term));
		row->per_cpu_watts = watts->per_cpu_watts;
		row->per_cpu_error_watts = watts->error_watts;
		row->watts = watts->per_cpu_watts * watts->ratio;
		row->error_watts = watts->error_watts * watts->ratio;
		row->cpu_seconds = watts->total_seconds;
		row->cpu_ratio = watts->term == POWER_OF_IDLE ? NAN : watts->ratio;
		row->along_with =
			watts->like == watts->term ? "" : copy(frame, name_of(list, n, watts->like));
		row->fitted_seconds = state->power.fitted_seconds;
	}
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;
	int error;

	if (state->energy->total == TOTAL_NONE) {
		frame_notice(sample->frame, schema.name, _("panetop --probe power shows why"),
			     _("no watts of programs: nothing measures the power of the machine"));
		return 0;
	}
	error = reader_update(&exit_ledger_reader, sample);
	if (error)
		return error;
	sample->table->mono_ns = state->ledger->processes->mono_ns;
	use_living(&state->power, state->ledger->processes);
	use_ended(&state->power, state->ledger);
	end_sample(state);
	add_rows(state, sample->frame, sample->table);
	return 0;
}

static void restart(struct sample *sample)
{
	struct state *state = sample->state;

	memset(&state->power, 0, sizeof(state->power));
}

static void poll(struct sample *sample, uint64_t mono_ns)
{
	const struct state *state = sample->state;

	energy_poll(state->energy, mono_ns);
}

const struct topic topic_program_power = {
	.schema = &schema,
	.sources = no_source,
	.state_size = sizeof(struct state),
	.uses = EVENT_USES | ENERGY_USES,
	.opening_uses = EVENT_OPENING_USES,
	/* The energy first: processes are listed on demand, and then their clocks are read at once. */
	.reads = READINGS(READING(struct state, energy, &energy_reader),
			  READING_ON_DEMAND(struct state, ledger, &exit_ledger_reader)),
	.sample = sample,
	.restart = restart,
	.poll = poll,
};
