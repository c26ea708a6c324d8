/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a calibration found, kept as text: the line through watts over each measure. */
#ifndef PANETOP_MODEL_POWER_FIT_H
#define PANETOP_MODEL_POWER_FIT_H

#include "core/buffer.h"
#include "core/span.h"
#include "core/unknown.h"
#include "model/calibration.h"

#define POWER_FIT_SETTING "cpu.calibration" /* its text, where there is a calibration */

struct power_fit {
	unsigned cpus; /* that were loaded */
	struct power_fit_line {
		double slope; /* watts per busy CPU, or joules per operation, cycle or instruction */
		double intercept_watts, r_squared;
		uint64_t points; /* that the line was fitted to; U64_UNKNOWN */
	} lines[N_CALIBRATION_MEASURES]; /* NaN where there is no line */
};

bool power_fit_line_is_known(const struct power_fit_line *line);

/* The lines of one number of CPUs, as they were calibrated. */
void power_fit_take(struct power_fit *fit, const struct calibration_fit *from);

/* As JSON, in one line. */
void power_fit_write(const struct power_fit *fit, struct buffer *out);

/*
 * From what power_fit_write() made, or from what --calibrate prints as JSON; of several numbers of CPUs the
 * greatest counts. False when it has no line of watts over busy CPUs.
 */
bool power_fit_parse(struct power_fit *fit, struct span text);

#endif
