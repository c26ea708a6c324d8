/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a calibration found, kept as text: the line through watts for each thing that they are a line of. */
#ifndef PANETOP_MODEL_POWER_FIT_H
#define PANETOP_MODEL_POWER_FIT_H

#include "core/buffer.h"
#include "core/span.h"
#include "model/calibration.h"

#define POWER_FIT_SETTING "cpu.calibration" /* its text, where there is a calibration */

struct power_fit {
	unsigned cpus; /* that were loaded */
	struct power_fit_line {
		double slope; /* watts per busy CPU, or joules per operation, cycle or instruction */
		double intercept_watts, r_squared;
	} lines[N_CALIBRATION_MEASURES]; /* NaN where there is no line */
};

/* Of a calibration that is done, the lines of the most CPUs. */
void power_fit_take(struct power_fit *fit, const struct calibration *calibration);

/* As JSON, in one line. */
void power_fit_write(const struct power_fit *fit, struct buffer *out);

/*
 * From what power_fit_write() made, or from what --calibrate prints as JSON or YAML; of several numbers of
 * CPUs the greatest counts. False when no line of watts over busy CPUs is in it.
 */
bool power_fit_parse(struct power_fit *fit, struct span text);

#endif
