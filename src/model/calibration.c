/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The progress of a calibration, sample by sample. */
#include <config.h>

#include "model/calibration.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

bool calibration_feed(struct calibration *calibration, const struct calibration_sample *sample)
{
	double seconds = (double)sample->interval_ns / 1e9;
	uint64_t settled_ns;

	if (calibration->state != CALIBRATION_RUNS)
		return false;
	if (calibration->step_ns == 0)
		begin_step(calibration, sample->end_ns);
	calibration->unknown = isnan(sample->watts) ? calibration->unknown + 1 : 0;
	if (calibration->unknown > UNKNOWN_MAX) {
		calibration->state = CALIBRATION_FAILED;
		return true;
	}
	settled_ns = calibration->step_ns + (uint64_t)(calibration->plan.settle_seconds * 1e9);
	if (sample->interval_ns > 0 && sample->end_ns - sample->interval_ns >= settled_ns) {
		statistics_add(&calibration->watts, sample->watts, seconds);
		for (unsigned i = 0; i < N_CALIBRATION_MEASURES; i++)
			statistics_add(&calibration->measures[i], sample->measures[i], seconds);
	}
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

static void clear(struct power_fit *fit)
{
	fit->cpus = 0;
	for (int i = 0; i < N_CALIBRATION_MEASURES; i++)
		fit->lines[i] = (struct power_fit_line){ NAN, NAN, NAN, U64_UNKNOWN };
}

void power_fit_take(struct power_fit *fit, const struct calibration_fit *from)
{
	fit->cpus = from->cpus;
	for (int i = 0; i < N_CALIBRATION_MEASURES; i++)
		fit->lines[i] = (struct power_fit_line){
			.slope = regression_slope(&from->lines[i]),
			.intercept_watts = regression_intercept(&from->lines[i]),
			.r_squared = regression_r_squared(&from->lines[i]),
			.points = from->lines[i].count,
		};
}

bool power_fit_line_is_known(const struct power_fit_line *line)
{
	return isfinite(line->slope) && isfinite(line->intercept_watts) && isfinite(line->r_squared);
}

void power_fit_write(const struct power_fit *fit, struct buffer *out)
{
	const char *before = "[";

	for (int i = 0; i < N_CALIBRATION_MEASURES; i++) {
		const struct power_fit_line *line = &fit->lines[i];

		if (!power_fit_line_is_known(line))
			continue;
		buffer_print(out, "%s{\"cpus\":%u,\"measure\":\"%s\",\"slope\":", before, fit->cpus,
			     calibration_name((enum calibration_measure)i));
		buffer_f64(out, line->slope);
		buffer_text(out, ",\"intercept_watts\":");
		buffer_f64(out, line->intercept_watts);
		buffer_text(out, ",\"r_squared\":");
		buffer_f64(out, line->r_squared);
		if (line->points != U64_UNKNOWN)
			buffer_print(out, ",\"points\":%" PRIu64, line->points);
		buffer_char(out, '}');
		before = ",";
	}
	buffer_char(out, ']');
}

static bool is_letter(char byte)
{
	return (byte >= 'a' && byte <= 'z') || byte == '_';
}

static void skip(struct span *rest, const char *bytes)
{
	for (const char *byte = bytes; rest->at < rest->end && *byte;)
		if (*rest->at == *byte) {
			rest->at++;
			byte = bytes;
		} else {
			byte++;
		}
}

/* The next key whose value is not a list; false at the end. */
static bool next_pair(struct span *rest, struct span *key, struct span *value)
{
	while (rest->at < rest->end) {
		if (!is_letter(*rest->at)) {
			rest->at++;
			continue;
		}
		key->at = rest->at;
		while (rest->at < rest->end && is_letter(*rest->at))
			rest->at++;
		key->end = rest->at;
		skip(rest, "\"");
		if (!span_char(rest, ':'))
			continue;
		skip(rest, " \t\"");
		value->at = rest->at;
		while (rest->at < rest->end && *rest->at != ',' && *rest->at != '}' && *rest->at != '"' &&
		       *rest->at != '[' && *rest->at != '\n')
			rest->at++;
		value->end = rest->at;
		if (span_length(*value) > 0)
			return true;
	}
	return false;
}

static double number_of(struct span text)
{
	double number;

	return span_real(&text, &number) ? number : NAN;
}

static struct power_fit_line *line_of(struct power_fit *fit, struct span measure)
{
	for (int i = 0; i < N_CALIBRATION_MEASURES; i++)
		if (span_is(measure, calibration_name((enum calibration_measure)i)))
			return &fit->lines[i];
	return NULL;
}

/* Lines of fewer CPUs are ignored. */
static bool take_cpus(struct power_fit *fit, struct span value)
{
	uint64_t cpus;

	if (!span_u64(&value, &cpus) || cpus > UINT16_MAX || cpus < fit->cpus)
		return false;
	if (cpus > fit->cpus)
		clear(fit);
	fit->cpus = (unsigned)cpus;
	return true;
}

bool power_fit_parse(struct power_fit *fit, struct span text)
{
	struct power_fit_line *line = NULL;
	struct span key, value;
	bool wanted = false;

	clear(fit);
	while (next_pair(&text, &key, &value)) {
		if (span_is(key, "cpus")) {
			wanted = take_cpus(fit, value);
			line = NULL;
		} else if (span_is(key, "measure")) {
			line = wanted ? line_of(fit, value) : NULL;
		} else if (line && span_is(key, "slope")) {
			line->slope = number_of(value);
		} else if (line && span_is(key, "intercept_watts")) {
			line->intercept_watts = number_of(value);
		} else if (line && span_is(key, "r_squared")) {
			line->r_squared = number_of(value);
		} else if (line && span_is(key, "points") && !span_is_u64(value, &line->points)) {
			line->points = U64_UNKNOWN;
		}
	}
	return fit->cpus > 0 && power_fit_line_is_known(&fit->lines[CALIBRATION_LOAD]);
}

bool power_fit_is_same(const struct power_fit *one, const struct power_fit *other)
{
	return one->cpus == other->cpus && memcmp(one->lines, other->lines, sizeof(one->lines)) == 0;
}
