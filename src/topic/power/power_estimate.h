/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What CPU time costs in joules, by a calibration: known only beside a total that is measured. */
#ifndef PANETOP_TOPIC_POWER_POWER_ESTIMATE_H
#define PANETOP_TOPIC_POWER_POWER_ESTIMATE_H

#include "core/settings.h"
#include "model/power_fit.h"
#include "topic/power/energy.h"

struct power_estimate {
	struct env *env;                 /* borrowed */
	const struct settings *settings; /* borrowed */
	struct energy *energy;           /* NULL while there is no calibration */
	char *text;                      /* of the calibration; owned; NULL: there is none */
	struct power_fit fit;
	bool known; /* now: there is a line, and a measured total */
};

void power_estimate_open(struct power_estimate *estimate, struct env *env, const struct settings *settings);
void power_estimate_close(struct power_estimate *estimate);

/*
 * In each sample, before the CPU time is read: takes the calibration that the settings have now, and samples
 * the energy. In the sample in which another calibration came nothing is known.
 */
void power_estimate_update(struct power_estimate *estimate, uint64_t mono_ns);

/* Of so much CPU time; NaN when it is not known. */
static inline double power_estimate_joules(const struct power_estimate *estimate, double cpu_seconds)
{
	return estimate->known ? estimate->fit.lines[CALIBRATION_LOAD].slope * cpu_seconds : NAN;
}

/* Of so many cycles or instructions, where the calibration counted them; NaN for all other events. */
double power_estimate_counted(const struct power_estimate *estimate, const char *event, double count);

#endif
