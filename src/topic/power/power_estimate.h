/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joules per CPU time from a calibration: known only together with a measured total. */
#ifndef PANETOP_TOPIC_POWER_POWER_ESTIMATE_H
#define PANETOP_TOPIC_POWER_POWER_ESTIMATE_H

#include "model/calibration.h"
#include "model/settings.h"
#include "topic/power/energy.h"

struct power_estimate {
	struct energy *energy; /* NULL while there is no calibration */
	struct power_fit fit;
	bool known; /* there is a calibration and a measured total now */
};

void power_estimate_close(struct power_estimate *estimate);

/*
 * Call in each sample before CPU times are read: follows the calibration of the settings and samples the
 * energy. In the sample in which the calibration changes, nothing is known.
 */
void power_estimate_update(struct power_estimate *estimate, const struct sample *sample);

/* The energy of this CPU time; NaN: not known. */
static inline double power_estimate_joules(const struct power_estimate *estimate, double cpu_seconds)
{
	return estimate->known ? estimate->fit.lines[CALIBRATION_LOAD].slope * cpu_seconds : NAN;
}

/*
 * The energy of this count of cycles or instructions, if the calibration counted them; NaN for other events.
 */
double power_estimate_counted(const struct power_estimate *estimate, const char *event, double count);

#endif
