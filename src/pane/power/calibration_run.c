/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Feeds a calibration with samples: watts, busy CPUs, operations of the load, cycles and instructions. */
#include <config.h>

#include "pane/power/calibration_run.h"

#include <math.h>

#include "model/statistics.h"

static double busy_cpus(const struct frame *frame)
{
	const struct table *table = frame_table(frame, "cpu");
	double idle = frame_number(frame, "cpu", "all", "idle_ratio");
	double waiting = frame_number(frame, "cpu", "all", "iowait_ratio");
	size_t n_cpus = table && table->n_rows > 1 ? table->n_rows - 1 : 0;

	return cpu_busy_ratio(idle, waiting) * (double)n_cpus;
}

const char *calibration_event(const struct settings *settings, enum calibration_measure measure)
{
	const char *name =
		measure == CALIBRATION_CYCLES ? settings->power.cycles : settings->power.instructions;

	return name ? name : calibration_name(measure);
}

/* Of all CPUs; that table has a row for each CPU and event. */
static double counted(const struct frame *frame, const struct settings *settings,
		      enum calibration_measure measure)
{
	const struct table *table = frame_table(frame, "counter");

	return table ? table_number(table, table_find(table, "all", calibration_event(settings, measure)),
				    "per_second")
		     : NAN;
}

static struct calibration_sample sample_of(const struct frame *frame, const struct settings *settings,
					   uint64_t operations)
{
	double seconds = (double)frame->interval_ns / 1e9;

	return (struct calibration_sample){
		.end_ns = frame->mono_ns,
		.interval_ns = frame->interval_ns,
		.watts = frame_number(frame, "power", "total", "watts"),
		.measures = {
			[CALIBRATION_LOAD] = busy_cpus(frame),
			[CALIBRATION_OPERATIONS] = seconds > 0 ? (double)operations / seconds : NAN,
			[CALIBRATION_CYCLES] = counted(frame, settings, CALIBRATION_CYCLES),
			[CALIBRATION_INSTRUCTIONS] = counted(frame, settings, CALIBRATION_INSTRUCTIONS),
		},
	};
}

bool calibration_run_open(struct calibration_run *run, const struct calibration_plan *plan)
{
	*run = (struct calibration_run){ .load = cpu_load_open() };
	if (!run->load)
		return false;
	calibration_open(&run->calibration, plan);
	return true;
}

void calibration_run_close(struct calibration_run *run)
{
	cpu_load_close(run->load);
	calibration_close(&run->calibration);
}

bool calibration_run_feed(struct calibration_run *run, const struct frame *frame,
			  const struct settings *settings)
{
	struct calibration *calibration = &run->calibration;
	uint64_t operations = cpu_load_operations(run->load);
	struct calibration_sample sample = sample_of(frame, settings, operations - run->operations);
	bool changed = calibration_feed(calibration, &sample);

	run->operations = operations;
	cpu_load_set(run->load, calibration_cpus(calibration), calibration_share(calibration));
	return changed;
}
