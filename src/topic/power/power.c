/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "power": power and energy of each domain, and the total of the machine; "power_account": splits it
 * by a calibration, and shows what is unexplained; "calibration": its fitted lines; "program_power": watts
 * of programs, fitted to the measured power while they run.
 */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/program_power.h"
#include "topic/cpu/proc_stat.h"
#include "topic/event/event_reader.h"
#include "topic/power/energy.h"
#include "topic/process/exit_ledger.h"

#define RAPL_ENERGY POWERCAP "/intel-rapl:0/energy_uj"

struct power_row {
	const char *domain;
	double watts, joules, mean_watts, geometric_mean_watts, min_watts, max_watts, stddev_watts;
	double run_seconds;
	const char *counted_in, *source;
};

#define OVER_RUN(field, heading, place, hide, what, from)                                                    \
	COLUMN(struct power_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_WATTS, .title = heading,          \
	       .width = 8, .rank = place, .hidden = (hide), .help = what, .source = from)

#define COL(field, ...) COLUMN_OF(struct power_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(domain, KEY, NONE, N_("domain"), 18,
	    N_("total: the machine, as far as it is measured; others: parts of it"),
	    "name of the zone below that of its parent"),
	COL(watts, RATE, WATTS, N_("watts"), 8, N_("mean power in the last interval"),
	    "growth of joules / time", .rate_of = offsetof(struct power_row, joules)),
	COL(joules, COUNTER, JOULES, N_("joules"), 9, N_("energy counter, wraps added"),
	    "energy_uj + max_energy_range_uj * wraps, or count of the perf event * its scale; of a power "
	    "meter: sum of watts * time", .rank = 3),
	OVER_RUN(mean_watts, N_("mean"), 1, false, N_("mean over the run or since reset"),
		 "sum of watts * time / time"),
	OVER_RUN(geometric_mean_watts, N_("geomean"), 4, true, N_("geometric mean over the run"),
		 "exp(sum of log(watts) * time / time)"),
	OVER_RUN(min_watts, N_("min"), 2, false, N_("lowest interval mean in the run"), "smallest watts"),
	OVER_RUN(max_watts, N_("max"), 2, false, N_("highest interval mean in the run"), "greatest watts"),
	OVER_RUN(stddev_watts, N_("stddev"), 2, false, N_("standard deviation over the run"),
		 "sqrt(sum of (watts - mean_watts)^2 * time / time)"),
	COL(run_seconds, GAUGE, SECONDS, N_("over"), 9, N_("time that mean, min, max and stddev cover"),
	    "sum of the intervals", .rank = 3, .whole = true),
	COL(counted_in, LABEL, NONE, N_("counted in"), 10,
	    N_("domain that includes it: the two must not be added"), "tree of the zones", .rank = 1),
	COL(source, LABEL, NONE, N_("source"), 12, N_("where it is read from"), "panetop", .rank = 3,
	    .words = true),
};

static const struct schema schema = {
	.name = "power",
	.is_public = true,
	.help = N_("power and energy by domain"),
	SCHEMA_ROWS(struct power_row, columns),
};

static int test_perf(struct env *env)
{
	const struct sample here = { .env = env };
	struct energy *energy;
	int error;

	if (!env_exists(env, POWER_PMU))
		return -ENOENT;
	energy = reader_open(&energy_reader, &here, NULL);
	energy_find(energy);
	error = energy->count > 0 && energy->list[0].source == ENERGY_PERF ? 0
		: energy->perf_error                                       ? energy->perf_error
									   : -ENODATA;
	reader_close(&energy_reader, env);
	return error;
}

static int test_core_pmu(struct env *env)
{
	return env_exists(env, CORE_PMU) ? 0 : -ENOENT;
}

static const char *counted_in(const struct energy *energy, const struct energy_domain *domain,
			      struct frame *frame)
{
	const char *parent = domain->parent >= 0 ? energy->list[domain->parent].name : "";

	if (domain->in_total)
		return "total";
	if (domain->part == ENERGY_IN_PARENT)
		return frame_text(frame, parent);
	if (energy->total == TOTAL_PLATFORM &&
	    (domain->part == ENERGY_PACKAGE || domain->part == ENERGY_DRAM))
		return "psys";
	return "";
}

static void set_run(struct power_row *row, const struct statistics *run)
{
	row->mean_watts = statistics_mean(run);
	row->geometric_mean_watts = statistics_geometric_mean(run);
	row->min_watts = statistics_minimum(run);
	row->max_watts = statistics_maximum(run);
	row->stddev_watts = statistics_deviation(run);
	row->run_seconds = run->weight;
}

static void add_domain(const struct energy *energy, size_t index, struct frame *frame, struct table *table)
{
	const struct energy_domain *domain = &energy->list[index];
	struct power_row *row = table_add(table);

	row->domain = frame_text(frame, domain->name);
	row->joules = domain->joules;
	row->counted_in = counted_in(energy, domain, frame);
	row->source = frame_text(frame, domain->place);
	set_run(row, &domain->run);
	for (size_t i = 0; i < energy->count; i++)
		if (energy->list[i].parent == (int)index)
			add_domain(energy, i, frame, table);
}

static bool is_refusal(int error)
{
	return error == -EACCES || error == -EPERM;
}

/* Is there a counter that only lacks a privilege? */
static bool is_refused(const struct energy *energy)
{
	bool refused = is_refusal(energy->perf_error);

	for (size_t i = 0; i < energy->count; i++)
		refused |= is_refusal(energy->list[i].error);
	return refused;
}

static void add_total(const struct energy *energy, struct table *table)
{
	static const char *const made_of[] = {
		[TOTAL_NONE] = N_("nothing here measures it"), [TOTAL_PLATFORM] = N_("psys"),
		[TOTAL_PACKAGES] = N_("packages + DRAM"),      [TOTAL_METERS] = N_("meter of the machine"),
		[TOTAL_BATTERIES] = N_("batteries"),
	};
	struct power_row *row = table_add(table);

	row->domain = "total";
	row->joules = energy->joules;
	row->counted_in = "";
	row->source = energy->total == TOTAL_NONE && is_refused(energy) ? N_("not permitted to read")
									: made_of[energy->total];
	set_run(row, &energy->run);
}

/* Reports why domains cannot be read; the first failure stands for all. */
static void explain(const struct energy *energy, struct env *env, struct frame *frame)
{
	const struct energy_domain *failed = NULL;
	const struct source_spec *source;
	int error;

	for (size_t i = 0; i < energy->count && !failed; i++)
		if (energy->list[i].error && energy->list[i].source == ENERGY_POWERCAP)
			failed = &energy->list[i];
	if (failed) {
		source = topic_source(&topic_power, RAPL_ENERGY);
		frame_notice(frame, schema.name, source_remedy(env, source, -failed->error), "/%s: %s",
			     failed->file.path, strerror(-failed->error));
	} else if (energy->perf_error && energy->count == 0) {
		source = topic_source(&topic_power, POWER_PMU);
		frame_notice(frame, schema.name, source_remedy(env, source, -energy->perf_error),
			     "/" POWER_PMU ": %s", strerror(-energy->perf_error));
	} else if (energy->total == TOTAL_NONE && !env_lacking_path(env, &error) && !energy->is_virtual) {
		const char *mount = mount_remedy(env);

		frame_notice(
			frame, schema.name,
			mount ? mount :
			_("a virtual machine has no energy counters, and a battery measures only while it "
			  "discharges; otherwise load a driver: modprobe intel_rapl_msr"),
			_("no power meter of the whole machine found"));
	}
}

static void report_standstill(struct energy *energy, struct frame *frame)
{
	if (energy->still)
		frame_notice(
			frame, schema.name, _("compare it with panetop -t battery"),
			_("the counter of %s stands still while a battery delivers %.2f W: the batteries "
			  "are the total"),
			energy->still->name, energy->delivered_watts);
}

static void report_wrap(struct energy *energy, struct frame *frame)
{
	if (!energy->maybe_wrapped)
		return;
	frame_notice(frame, schema.name, _("do not suspend panetop, or use a shorter delay"),
		     _("%s was not read for %.0f s, and its counter may have wrapped unnoticed: the watts "
		       "may be too low"),
		     energy->maybe_wrapped->name, energy->unread_seconds);
	energy->maybe_wrapped = NULL;
}

static int sample(struct sample *sample)
{
	struct frame *frame = sample->frame;
	struct table *table = sample->table;
	struct energy *energy = sample->state;

	table->mono_ns = energy->sample_ns;
	add_total(energy, table);
	for (size_t i = 0; i < energy->count; i++)
		if (energy->list[i].parent < 0)
			add_domain(energy, i, frame, table);
	explain(energy, sample->env, frame);
	report_standstill(energy, frame);
	report_wrap(energy, frame);
	return 0;
}

static void restart(struct sample *sample)
{
	energy_restart(sample->state);
}

static void poll(struct sample *sample, uint64_t mono_ns)
{
	energy_poll(sample->state, mono_ns);
}

const struct topic topic_power = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = POWER_PMU,
		  .gives = N_("energy counters as perf events, which do not wrap"),
		  .optional = true,
		  .test = test_perf,
		  .remedies = { { ENOENT, N_("none in a virtual machine; otherwise: modprobe rapl") },
				{ EACCES, N_("run it as root, or give it the capability cap_perfmon") },
				{ EPERM, N_("run it as root, or give it the capability cap_perfmon") },
				{ ENODATA, N_("not used here (this processor has no energy events)"),
				  .unused = true } } },
		{ .path = CORE_PMU,
		  .gives = N_("energy of each core of AMD processors, as perf events"),
		  .optional = true,
		  .test = test_core_pmu,
		  .remedies = { { ENOENT, N_("not used here (only AMD processors, since Linux 6.15)"),
				  .unused = true } } },
		{ .path = RAPL_ENERGY,
		  .gives = N_("energy counters of Intel and AMD processors"),
		  .optional = true,
		  .remedies = { { ENOENT, N_("none in a virtual machine; otherwise: "
					     "modprobe intel_rapl_msr") },
				{ EACCES,
				  N_("only root can read it since Linux 5.10: run it as root, or give it the "
				     "capability cap_dac_read_search") } } },
		{ .path = SENSOR_CHIPS,
		  .gives = N_("power and energy meters on chips"),
		  .optional = true,
		  .test = sensors_test_chips,
		  .remedies = { { ENOENT, N_("no sensors found (normal in a virtual machine); otherwise load "
					     "the driver: sensors-detect") } } }),
	.uses = ENERGY_USES,
	.reads = READING_ONE(&energy_reader),
	.sample = sample,
	.restart = restart,
	.poll = poll,
};

struct power_account_row {
	const char *part;
	double watts, joules, r_squared;
	const char *fit, *from;
};

#define ACCOUNT_COL(field, ...) COLUMN_OF(struct power_account_row, field, __VA_ARGS__)

static const struct column account_columns[] = {
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

static const struct schema account_schema = {
	.name = "power_account",
	.is_public = true,
	.help = N_("where the power of the machine goes, by a calibration"),
	SCHEMA_ROWS(struct power_account_row, account_columns),
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
			frame, account_schema.name,
			_("calibrate: K in the pane power, or panetop --calibrate -o json power >FILE, then "
			  "--calibration=FILE"),
			_("no power of processes: there is no calibration"));
	else if (isnan(state->estimate.energy->joules))
		frame_notice(frame, account_schema.name, _("panetop --probe power shows why"),
			     _("no power of processes: nothing measures the power of the machine"));
	else if (line->r_squared < CALIBRATION_FAIR)
		frame_notice(
			frame, account_schema.name,
			_("calibrate again with longer steps while nothing else runs"),
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

static int sample_account(struct sample *sample)
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

static void poll_account(struct sample *sample, uint64_t mono_ns)
{
	const struct state *state = sample->state;

	if (state->estimate.energy)
		energy_poll(state->estimate.energy, mono_ns);
}

const struct topic topic_power_account = {
	.schema = &account_schema,
	.sources = SOURCES({ .path = "proc/stat", .gives = N_("CPU time of the machine") }),
	.state_size = sizeof(struct state),
	.uses = EVENT_USES | ENERGY_USES,
	.opening_uses = EVENT_OPENING_USES,
	/* On demand, since without a calibration nothing is read. */
	.reads = READINGS(READING_ON_DEMAND(struct state, ledger, &exit_ledger_reader)),
	.prepare = prepare,
	.sample = sample_account,
	.poll = poll_account,
	.close = close_account,
};

struct calibration_row {
	uint64_t cpus, points;
	const char *measure, *slope_unit, *fit;
	double slope, intercept_watts, r_squared;
};

#define FITTED "linear regression"
#define LINE_COL(field, ...) COLUMN_OF(struct calibration_row, field, __VA_ARGS__)

static const struct column calibration_columns[] = {
	LINE_COL(cpus, KEY, NONE, N_("CPUs"), 4, N_("number of loaded CPUs"), "panetop"),
	LINE_COL(measure, KEY, NONE, N_("measure"), 12,
		 N_("what watts are fitted to: load, operations, cycles or instructions"), "panetop",
		 .rank = 2),
	LINE_COL(slope, GAUGE, NONE, N_("slope"), 12, N_("cost of one unit of the measure"), FITTED,
		 .tiny = true),
	LINE_COL(slope_unit, LABEL, NONE, N_("slope is"), 22, N_("unit of the slope"), "panetop",
		 .words = true),
	LINE_COL(intercept_watts, GAUGE, WATTS, N_("intercept W"), 11,
		 N_("watts at no load, where the line starts"), FITTED),
	LINE_COL(r_squared, GAUGE, NONE, N_("R squared"), 9,
		 N_("share of the variation of watts that the measure explains, 0 to 1"), FITTED),
	LINE_COL(fit, LABEL, NONE, N_("fit"), 9, N_("how well the line fits: excellent, good, fair or poor"),
		 "R squared", .words = true),
	LINE_COL(points, GAUGE, COUNT, N_("points"), 6, N_("number of load steps the line was fitted to"),
		 FITTED, .rank = 1),
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

#define PROGRAM_FITTED "power of the machine, fitted to the CPU time of its programs"
#define PROGRAM_COL(field, ...) COLUMN_OF(struct program_power_row, field, __VA_ARGS__)

static const struct column program_columns[] = {
	PROGRAM_COL(command, KEY, NONE, N_("program"), 16,
		    N_("process name, of all processes that have it; (idle): what the machine draws "
		       "without them; (kernel): threads of the kernel; (others): programs that use least, "
		       "together"), "/proc/PID/stat, exit records"),
	PROGRAM_COL(watts, GAUGE, WATTS, N_("~watts"), 7,
		    N_("power of the program in the last interval: an estimate, without what it lets "
		       "devices draw later; unknown until its error is small"), "per_cpu_watts * cpu_ratio"),
	PROGRAM_COL(error_watts, GAUGE, WATTS, N_("+/- W"), 7,
		    N_("standard error of watts: the true value is within it in two of three cases"),
		    "per_cpu_error_watts * cpu_ratio"),
	PROGRAM_COL(per_cpu_watts, GAUGE, WATTS, N_("~W/CPU"), 7,
		    N_("power of the program while it keeps one CPU busy, or joules for each second of CPU "
		       "time: an estimate, unknown until its error is at most a quarter of it or 0.25 W"),
		    PROGRAM_FITTED, .rank = 1),
	PROGRAM_COL(per_cpu_error_watts, GAUGE, WATTS, N_("+/- W/CPU"), 9,
		    N_("standard error of per_cpu_watts; it stays large while programs run only together"),
		    PROGRAM_FITTED, .rank = 1),
	PROGRAM_COL(cpu_ratio, GAUGE, RATIO, N_("%CPU"), 6,
		    N_("CPU time of the program in the last interval; 100 is one CPU"),
		    "CPU clocks of its processes, and exit records", .of_cpu = true),
	PROGRAM_COL(cpu_seconds, GAUGE, SECONDS, N_("time"), 9,
		    N_("CPU time of the program since it was first seen"),
		    "CPU clocks of its processes, and exit records", .rank = 3),
	PROGRAM_COL(along_with, LABEL, NONE, N_("only runs with"), 16,
		    N_("program that only runs along with it: how their power is split is unknown; (idle): "
		       "it never pauses"), "correlation of their errors, 0.9 or more", .rank = 2,
		    .optional = true),
	PROGRAM_COL(fitted_seconds, GAUGE, SECONDS, N_("over"), 9,
		    N_("time that was fitted; what is older than some minutes counts less"),
		    "sum of the intervals", .rank = 4, .hidden = true, .whole = true, .of_interval = true),
};

static const struct schema program_schema = {
	.name = "program_power",
	.is_public = true,
	.help = N_("watts of programs: an estimate from how power follows what runs"),
	.none = N_("nothing here measures the power of the machine, or no interval has passed yet"),
	.over_interval = true,
	SCHEMA_ROWS(struct program_power_row, program_columns),
};

struct program_state {
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
static void end_sample(struct program_state *state)
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

static void add_rows(const struct program_state *state, struct frame *frame, struct table *table)
{
	struct program_watts list[POWER_TERMS];
	unsigned n = program_power_list(&state->power, list);

	for (unsigned i = 0; i < n; i++) {
		const struct program_watts *watts = &list[i];
		struct program_power_row *row = table_add(table);

		row->command = frame_text(frame, name_of(list, n, watts->term));
		row->per_cpu_watts = watts->per_cpu_watts;
		row->per_cpu_error_watts = watts->error_watts;
		row->watts = watts->per_cpu_watts * watts->ratio;
		row->error_watts = watts->error_watts * watts->ratio;
		row->cpu_seconds = watts->total_seconds;
		row->cpu_ratio = watts->term == POWER_OF_IDLE ? NAN : watts->ratio;
		row->along_with =
			watts->like == watts->term ? "" : frame_text(frame, name_of(list, n, watts->like));
		row->fitted_seconds = state->power.fitted_seconds;
	}
}

static int sample_program(struct sample *sample)
{
	struct program_state *state = sample->state;
	int error;

	if (state->energy->total == TOTAL_NONE) {
		frame_notice(sample->frame, program_schema.name, _("panetop --probe power shows why"),
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

static void restart_program(struct sample *sample)
{
	struct program_state *state = sample->state;

	memset(&state->power, 0, sizeof(state->power));
}

static void poll_program(struct sample *sample, uint64_t mono_ns)
{
	const struct program_state *state = sample->state;

	energy_poll(state->energy, mono_ns);
}

const struct topic topic_program_power = {
	.schema = &program_schema,
	.sources = no_source,
	.state_size = sizeof(struct program_state),
	.uses = EVENT_USES | ENERGY_USES,
	.opening_uses = EVENT_OPENING_USES,
	/* The energy first: processes are listed on demand, and then their clocks are read at once. */
	.reads = READINGS(READING(struct program_state, energy, &energy_reader),
			  READING_ON_DEMAND(struct program_state, ledger, &exit_ledger_reader)),
	.sample = sample_program,
	.restart = restart_program,
	.poll = poll_program,
};
