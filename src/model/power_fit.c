/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of a calibration: the key-value pairs of its JSON, at any depth. */
#include <config.h>

#include "model/power_fit.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

static uint64_t count_of(struct span text)
{
	uint64_t number;

	return span_u64(&text, &number) && span_length(text) == 0 ? number : U64_UNKNOWN;
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
		} else if (line && span_is(key, "points")) {
			line->points = count_of(value);
		}
	}
	return fit->cpus > 0 && power_fit_line_is_known(&fit->lines[CALIBRATION_LOAD]);
}

bool power_fit_is_same(const struct power_fit *one, const struct power_fit *other)
{
	return one->cpus == other->cpus && memcmp(one->lines, other->lines, sizeof(one->lines)) == 0;
}
