/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The progress of a calibration, sample by sample. */
#include <config.h>

#include "model/calibration.h"

#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/i18n.h"

#define UNKNOWN_MAX 10 /* samples without watts after which it gives up */

static const struct {
	const char *name, *label;
} measures[N_CALIBRATION_MEASURES] = {
	[CALIBRATION_LOAD] = { "load", N_("watts per busy CPU") },
	[CALIBRATION_OPERATIONS] = { "operations", N_("joules per operation") },
	[CALIBRATION_CYCLES] = { "cycles", N_("joules per cycle") },
	[CALIBRATION_INSTRUCTIONS] = { "instructions", N_("joules per instruction") },
};

const char *calibration_name(enum calibration_measure measure)
{
	return measures[measure].name;
}

const char *calibration_label(enum calibration_measure measure)
{
	return measures[measure].label;
}

void calibration_open(struct calibration *calibration, const struct calibration_plan *plan)
{
	*calibration = (struct calibration){
		.plan = *plan,
		.cpus = plan->first_cpus,
		.last_watts = NAN,
	};
	calibration->n_fits = plan->last_cpus - plan->first_cpus + 1;
	calibration->fits = alloc_zeroed(calibration->n_fits, sizeof(*calibration->fits));
	for (unsigned i = 0; i < calibration->n_fits; i++)
		calibration->fits[i].cpus = plan->first_cpus + i;
}

void calibration_close(struct calibration *calibration)
{
	free(calibration->fits);
	*calibration = (struct calibration){ .state = CALIBRATION_FAILED };
}

unsigned calibration_cpus(const struct calibration *calibration)
{
	return calibration->state == CALIBRATION_RUNS ? calibration->cpus : 0;
}

double calibration_share(const struct calibration *calibration)
{
	return calibration->state == CALIBRATION_RUNS ? (double)calibration->step / CALIBRATION_STEPS : 0;
}

unsigned calibration_done(const struct calibration *calibration)
{
	return (calibration->cpus - calibration->plan.first_cpus) * (CALIBRATION_STEPS + 1) +
	       calibration->step;
}

unsigned calibration_total(const struct calibration *calibration)
{
	return calibration->n_fits * (CALIBRATION_STEPS + 1);
}

double calibration_seconds(const struct calibration *calibration)
{
	const struct calibration_plan *plan = &calibration->plan;

	return (calibration_total(calibration) - calibration_done(calibration)) *
	       (plan->step_seconds + plan->settle_seconds);
}

static void begin_step(struct calibration *calibration, uint64_t mono_ns)
{
	calibration->step_ns = mono_ns;
	calibration->watts = (struct statistics){ 0 };
	for (unsigned i = 0; i < N_CALIBRATION_MEASURES; i++)
		calibration->measures[i] = (struct statistics){ 0 };
}

/* Adds the point of this step to the lines of its number of CPUs. */
static void end_step(struct calibration *calibration, uint64_t mono_ns)
{
	struct calibration_fit *fit = &calibration->fits[calibration->cpus - calibration->plan.first_cpus];

	calibration->last_watts = statistics_mean(&calibration->watts);
	for (unsigned i = 0; i < N_CALIBRATION_MEASURES; i++)
		regression_add(&fit->lines[i], statistics_mean(&calibration->measures[i]),
			       calibration->last_watts);
	if (calibration->step++ == CALIBRATION_STEPS) {
		calibration->step = 0;
		if (calibration->cpus++ == calibration->plan.last_cpus)
			calibration->state = CALIBRATION_DONE;
	}
	begin_step(calibration, mono_ns);
}

static void add_sample(struct calibration *calibration, const struct calibration_sample *sample)
{
	double seconds = (double)sample->interval_ns / 1e9;

	statistics_add(&calibration->watts, sample->watts, seconds);
	for (unsigned i = 0; i < N_CALIBRATION_MEASURES; i++)
		statistics_add(&calibration->measures[i], sample->measures[i], seconds);
}

/* Without watts it gives up. */
static bool watch_watts(struct calibration *calibration, double watts)
{
	calibration->unknown = isnan(watts) ? calibration->unknown + 1 : 0;
	if (calibration->unknown > UNKNOWN_MAX)
		calibration->state = CALIBRATION_FAILED;
	return calibration->state == CALIBRATION_FAILED;
}

bool calibration_feed(struct calibration *calibration, const struct calibration_sample *sample)
{
	uint64_t settled_ns;

	if (calibration->state != CALIBRATION_RUNS)
		return false;
	if (calibration->step_ns == 0)
		begin_step(calibration, sample->end_ns);
	if (watch_watts(calibration, sample->watts))
		return true;
	settled_ns = calibration->step_ns + (uint64_t)(calibration->plan.settle_seconds * 1e9);
	if (sample->interval_ns > 0 && sample->end_ns - sample->interval_ns >= settled_ns)
		add_sample(calibration, sample);
	if (calibration->watts.weight + 1e-6 < calibration->plan.step_seconds)
		return false;
	end_step(calibration, sample->end_ns);
	return true;
}

const char *calibration_word(double r_squared)
{
	if (isnan(r_squared))
		return N_("none");
	return r_squared >= 0.95               ? N_("excellent")
	       : r_squared >= 0.85             ? N_("good")
	       : r_squared >= CALIBRATION_FAIR ? N_("fair")
					       : N_("poor");
}
