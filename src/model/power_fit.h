/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a calibration, stored as text: the line through watts over each measure. */
#ifndef PANETOP_MODEL_POWER_FIT_H
#define PANETOP_MODEL_POWER_FIT_H

#include "core/buffer.h"
#include "core/span.h"
#include "core/unknown.h"
#include "model/calibration.h"

#define POWER_FIT_SETTING "cpu.calibration"

struct power_fit {
	unsigned cpus; /* that were under load; 0: there is no calibration */
	struct power_fit_line {
		double slope; /* watts per busy CPU, or joules per operation, cycle or instruction */
		double intercept_watts, r_squared;
		uint64_t points; /* of the fit; U64_UNKNOWN */
	} lines[N_CALIBRATION_MEASURES]; /* NaN: no line */
};

bool power_fit_line_is_known(const struct power_fit_line *line);

/* The lines of one number of CPUs. */
void power_fit_take(struct power_fit *fit, const struct calibration_fit *from);

/* As JSON, in one line. */
void power_fit_write(const struct power_fit *fit, struct buffer *out);

/*
 * Reads what power_fit_write() writes, or what --calibrate prints as JSON; of several numbers of CPUs the
 * largest counts. False when it has no line of watts over busy CPUs.
 */
bool power_fit_parse(struct power_fit *fit, struct span text);

bool power_fit_is_same(const struct power_fit *one, const struct power_fit *other);

#endif
