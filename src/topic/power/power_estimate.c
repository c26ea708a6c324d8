/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows the calibration in the settings, and the measured total. */
#include <config.h>

#include "topic/power/power_estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

void power_estimate_open(struct power_estimate *estimate, struct env *env, const struct settings *settings)
{
	*estimate = (struct power_estimate){ .env = env, .settings = settings };
}

static void forget(struct power_estimate *estimate)
{
	if (estimate->energy)
		energy_close(estimate->energy);
	free(estimate->text);
	estimate->energy = NULL;
	estimate->text = NULL;
}

void power_estimate_close(struct power_estimate *estimate)
{
	forget(estimate);
}

/* True: another calibration was in use before, and their joules cannot be compared. */
static bool follow_settings(struct power_estimate *estimate)
{
	const char *text = settings_get(estimate->settings, POWER_FIT_SETTING);
	bool had_one = estimate->text != NULL;

	if (text && had_one && strcmp(text, estimate->text) == 0)
		return false;
	forget(estimate);
	if (text && power_fit_parse(&estimate->fit, span_text(text))) {
		estimate->text = alloc_text(text);
		estimate->energy = energy_open(estimate->env);
	}
	return had_one;
}

void power_estimate_update(struct power_estimate *estimate, uint64_t mono_ns)
{
	bool changed = follow_settings(estimate);

	if (estimate->energy)
		energy_sample(estimate->energy, mono_ns);
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
