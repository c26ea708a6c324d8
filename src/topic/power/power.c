/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "power": power and energy of each domain, and the total of the machine. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/power/energy.h"

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
		return arena_copy(&frame->arena, parent, strlen(parent));
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

	row->domain = arena_copy(&frame->arena, domain->name, strlen(domain->name));
	row->joules = domain->joules;
	row->counted_in = counted_in(energy, domain, frame);
	row->source = arena_copy(&frame->arena, domain->place, strlen(domain->place));
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
