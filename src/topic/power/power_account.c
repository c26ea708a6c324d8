/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "power_account": splits the power of the machine by a calibration, and shows what is unexplained. */
#include <config.h>

#include <errno.h>

#include "core/i18n.h"
#include "topic/cpu/proc_stat.h"
#include "topic/event/event_reader.h"
#include "topic/power/energy.h"
#include "topic/process/exit_ledger.h"

struct power_account_row {
	const char *part;
	double watts, joules, r_squared;
	const char *fit, *from;
};

#define ACCOUNT_COL(field, ...) COLUMN_OF(struct power_account_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ACCOUNT_COL(part, KEY, NONE, N_("part"), 12,
		    N_("baseline: the idle machine; tasks: processes seen alive; exited: processes that "
		       "exited between samples; others: interrupts, and CPU time that the kernel counts "
		       "for no process or twice; unexplained: the rest, negative where the estimate is too "
		       "high; total: the sum, as measured"), "panetop", .words = true),
	ACCOUNT_COL(watts, RATE, WATTS, N_("watts"), 8,
		    N_("power in the last interval; all rows but total are estimates"),
		    "change of joules / time", .rate_of = offsetof(struct power_account_row, joules)),
	ACCOUNT_COL(joules, GAUGE, JOULES, N_("joules"), 9, N_("energy since the first sample"),
		    "see the column from", .rank = 2),
	ACCOUNT_COL(r_squared, GAUGE, NONE, N_("R squared"), 9,
		    N_("share of the variation of power that load explains, from the calibration: 0 to 1"),
		    "calibration"),
	ACCOUNT_COL(fit, LABEL, NONE, N_("fit"), 9,
		    N_("quality of the estimate: excellent, good, fair, poor; or measured"), "calibration",
		    .words = true),
	ACCOUNT_COL(from, LABEL, NONE, N_("from"), 24, N_("how it is computed"), "panetop", .rank = 1,
		    .words = true),
};

static const struct schema schema = {
	.name = "power_account",
	.is_public = true,
	.help = N_("where the power of the machine goes, by a calibration"),
	SCHEMA_ROWS(struct power_account_row, columns),
};

struct state {
	struct power_estimate estimate;
	struct exit_ledger *ledger;
	bool begun;
	uint64_t begun_ns;
	unsigned scope_epoch; /* of the scope that the sums are about */
	struct power_sums { /* CPU seconds, and joules as measured */
		double busy, processes, ended, total;
	} first; /* in the first sample */
};

static void add(struct table *table, const struct power_fit_line *line, const char *part, double joules,
		const char *from)
{
	struct power_account_row *row = table_add(table);

	row->part = part;
	row->joules = joules;
	row->r_squared = line ? line->r_squared : row->r_squared;
	row->fit = line ? calibration_word(line->r_squared) : N_("measured");
	row->from = from;
}

/* The rows after baseline split the busy time of the CPUs, multiplied by the slope. */
static void add_parts(const struct state *state, const struct power_sums *now, struct table *table)
{
	const struct power_estimate *estimate = &state->estimate;
	const struct power_fit_line *line = &estimate->fit.lines[CALIBRATION_LOAD];
	double busy = power_estimate_joules(estimate, now->busy - state->first.busy);
	double processes = power_estimate_joules(estimate, now->processes - state->first.processes);
	double ended = power_estimate_joules(estimate, now->ended - state->first.ended);
	double seconds = (double)(table->mono_ns - state->begun_ns) / 1e9;
	double baseline = line->intercept_watts * seconds, total = now->total - state->first.total;

	add(table, line, N_("baseline"), estimate->known ? baseline : NAN, N_("intercept of the line"));
	add(table, line, N_("tasks"), processes, N_("slope * CPU time of the processes"));
	add(table, line, N_("exited"), ended, N_("slope * CPU time of exited processes"));
	/* within a scope the processes outside are one part with what is of no process */
	add(table, line, exit_ledger_has_scope(state->ledger) ? OUTSIDE_SCOPE : N_("others"),
	    busy - processes - ended, N_("slope * (busy - tasks - exited)"));
	add(table, line, N_("unexplained"), total - baseline - busy, N_("total - all others"));
	add(table, NULL, N_("total"), estimate->known ? total : NAN, N_("the row total of the table power"));
}

static void notice(const struct state *state, struct frame *frame)
{
	const struct power_fit_line *line = &state->estimate.fit.lines[CALIBRATION_LOAD];

	if (!state->estimate.energy)
		frame_notice(
			frame, schema.name,
			_("calibrate: K in the pane power, or panetop --calibrate -o json power >FILE, then "
			  "--calibration=FILE"),
			_("no power of processes: there is no calibration"));
	else if (isnan(state->estimate.energy->joules))
		frame_notice(frame, schema.name, _("panetop --probe power shows why"),
			     _("no power of processes: nothing measures the power of the machine"));
	else if (line->r_squared < CALIBRATION_FAIR)
		frame_notice(
			frame, schema.name, _("calibrate again with longer steps while nothing else runs"),
			_("the power of processes is a poor estimate: R squared is %.2f"), line->r_squared);
}

static struct power_sums sums_of(const struct state *state, const struct cpu_times *times)
{
	const struct exit_ledger *ledger = state->ledger;
	bool scoped = exit_ledger_has_scope(ledger);

	return (struct power_sums){
		.busy = cpu_times_busy(times) / (double)ledger->processes->env->ticks_per_second,
		.processes = (double)(scoped ? ledger->scope_alive_ns : ledger->alive_ns) / 1e9,
		.ended = (double)(scoped ? ledger->scope_ended_ns : ledger->ended_ns) / 1e9,
		.total = state->estimate.energy->joules,
	};
}

static int sample(struct sample *sample)
{
	struct table *table = sample->table;
	struct state *state = sample->state;
	struct power_sums now;
	const struct proc_stat *stat;
	struct cpu_times times;
	int error;

	notice(state, sample->frame);
	if (!state->estimate.energy)
		return 0;
	error = reader_update(&exit_ledger_reader, sample);
	if (!error)
		error = proc_stat_read(sample->env, &stat);
	if (error)
		return error;
	if (!stat->has_all)
		return -ENODATA;
	times = stat->all;
	times.steal = 0; /* used by other guests */
	now = sums_of(state, &times);
	table->mono_ns = state->ledger->processes->mono_ns;
	if (!state->begun || state->scope_epoch != state->ledger->scope_epoch) {
		bool restarts = state->begun;

		state->scope_epoch = state->ledger->scope_epoch;
		state->begun = state->estimate.known;
		state->begun_ns = table->mono_ns;
		state->first = now;
		if (restarts) /* without rows there is no rate of two different parts */
			return 0;
	}
	add_parts(state, &now, table);
	return 0;
}

static void prepare(struct sample *sample)
{
	struct state *state = sample->state;

	power_estimate_update(&state->estimate, sample);
}

static void close_account(struct sample *sample)
{
	struct state *state = sample->state;

	power_estimate_close(&state->estimate);
}

static void poll(struct sample *sample, uint64_t mono_ns)
{
	const struct state *state = sample->state;

	if (state->estimate.energy)
		energy_poll(state->estimate.energy, mono_ns);
}

const struct topic topic_power_account = {
	.schema = &schema,
	.sources = SOURCES({ .path = "proc/stat", .gives = N_("CPU time of the machine") }),
	.state_size = sizeof(struct state),
	.uses = EVENT_USES | ENERGY_USES,
	.opening_uses = EVENT_OPENING_USES,
	/* On demand, since without a calibration nothing is read. */
	.reads = READINGS(READING_ON_DEMAND(struct state, ledger, &exit_ledger_reader)),
	.prepare = prepare,
	.sample = sample,
	.poll = poll,
	.close = close_account,
};

struct calibration_row {
	uint64_t cpus, points;
	const char *measure, *slope_unit, *fit;
	double slope, intercept_watts, r_squared;
};

#define FITTED "linear regression"
#define COL(field, ...) COLUMN_OF(struct calibration_row, field, __VA_ARGS__)

static const struct column calibration_columns[] = {
	COL(cpus, KEY, NONE, N_("CPUs"), 4, N_("number of loaded CPUs"), "panetop"),
	COL(measure, KEY, NONE, N_("measure"), 12,
	    N_("what watts are fitted to: load, operations, cycles or instructions"), "panetop", .rank = 2),
	COL(slope, GAUGE, NONE, N_("slope"), 12, N_("cost of one unit of the measure"), FITTED, .tiny = true),
	COL(slope_unit, LABEL, NONE, N_("slope is"), 22, N_("unit of the slope"), "panetop", .words = true),
	COL(intercept_watts, GAUGE, WATTS, N_("intercept W"), 11,
	    N_("watts at no load, where the line starts"), FITTED),
	COL(r_squared, GAUGE, NONE, N_("R squared"), 9,
	    N_("share of the variation of watts that the measure explains, 0 to 1"), FITTED),
	COL(fit, LABEL, NONE, N_("fit"), 9, N_("how well the line fits: excellent, good, fair or poor"),
	    "R squared", .words = true),
	COL(points, GAUGE, COUNT, N_("points"), 6, N_("number of load steps the line was fitted to"), FITTED,
	    .rank = 1),
};

static const struct schema calibration_schema = {
	.name = "calibration",
	.is_public = true,
	.help = N_("the calibration in use: lines fitted through watts over CPU load"),
	.none = N_("no calibration is in use: F9 measures one"),
	SCHEMA_ROWS(struct calibration_row, calibration_columns),
};

void calibration_add_rows(struct table *table, const struct power_fit *fit)
{
	for (int i = 0; i < N_CALIBRATION_MEASURES; i++) {
		const struct power_fit_line *line = &fit->lines[i];
		struct calibration_row *row;

		if (!power_fit_line_is_known(line))
			continue;
		row = table_add(table);
		row->cpus = fit->cpus;
		row->measure = calibration_name((enum calibration_measure)i);
		row->slope = line->slope;
		row->slope_unit = calibration_label((enum calibration_measure)i);
		row->intercept_watts = line->intercept_watts;
		row->r_squared = line->r_squared;
		row->fit = calibration_word(line->r_squared);
		row->points = line->points;
	}
}

static int sample_calibration(struct sample *sample)
{
	if (sample->settings->fit.cpus > 0)
		calibration_add_rows(sample->table, &sample->settings->fit);
	return 0;
}

const struct topic topic_calibration = {
	.schema = &calibration_schema,
	.sources = no_source,
	.sample = sample_calibration,
};
