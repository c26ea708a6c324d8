/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watts, and what they are a line of, from the tables power, cpu and, where it is sampled, counter. */
#include <config.h>

#include "pane/power/power_sample.h"

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

const char *power_event(const struct settings *settings, enum calibration_measure measure)
{
	const char *name = settings_get(settings, measure == CALIBRATION_CYCLES ? "power.cycles"
										: "power.instructions");

	return name ? name : calibration_name(measure);
}

/* Of all CPUs; that table has a row for each CPU and event. */
static double counted(const struct frame *frame, const struct settings *settings,
		      enum calibration_measure measure)
{
	const struct table *table = frame_table(frame, "counter");

	return table ? table_number(table, table_find(table, "all", power_event(settings, measure)),
				    "per_second")
		     : NAN;
}

struct calibration_sample power_sample(const struct frame *frame, const struct settings *settings,
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
