/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows the calibration in the settings, and the measured total. */
#include <config.h>

#include "topic/power/power_estimate.h"

#include <math.h>
#include <string.h>

void power_estimate_close(struct power_estimate *estimate)
{
	if (estimate->energy)
		reader_close(&energy_reader, estimate->energy->env);
	estimate->energy = NULL;
}

/* True: another calibration was in use before, and their joules cannot be compared. */
static bool follow_settings(struct power_estimate *estimate, const struct sample *sample)
{
	const struct power_fit *wanted = &sample->settings->fit;
	bool had_one = estimate->fit.cpus > 0;

	if (power_fit_is_same(wanted, &estimate->fit))
		return false;
	power_estimate_close(estimate);
	estimate->fit = *wanted;
	if (wanted->cpus > 0)
		estimate->energy = reader_open(&energy_reader, sample, NULL);
	return had_one;
}

void power_estimate_update(struct power_estimate *estimate, const struct sample *sample)
{
	bool changed = follow_settings(estimate, sample);

	if (estimate->energy)
		reader_update(&energy_reader, sample);
	estimate->known = estimate->energy && !changed && !isnan(estimate->energy->joules);
}

double power_estimate_counted(const struct power_estimate *estimate, const char *event, double count)
{
	if (!estimate->known)
		return NAN;
	for (int i = CALIBRATION_CYCLES; i <= CALIBRATION_INSTRUCTIONS; i++)
		if (strcmp(event, calibration_name((enum calibration_measure)i)) == 0)
			return estimate->fit.lines[i].slope * count;
	return NAN;
}
