/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoder of the events and scales that a PMU names in sys. */
#include <config.h>

#include "kernel/pmu_event.h"

#include <math.h>

#define DIGITS_MAX 18
#define EXPONENT_MAX 300

static int hex_digit(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	if (byte >= 'a' && byte <= 'f')
		return byte - 'a' + 10;
	return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

bool pmu_event_parse(struct span text, uint64_t *event)
{
	struct span line, name;
	uint64_t number = 0;

	if (!span_line(&text, &line) || !span_until(&line, '=', &name) || !span_is(name, "event") ||
	    !span_char(&line, '0') || !span_char(&line, 'x') || line.at == line.end || span_length(line) > 15)
		return false;
	for (; line.at < line.end; line.at++) {
		int digit = hex_digit(*line.at);

		if (digit < 0)
			return false;
		number = number << 4 | (uint64_t)digit;
	}
	*event = number;
	return true;
}

/* The digits of "2.328" as a whole number, and how many of them stand behind the point. */
static bool take_digits(struct span *line, uint64_t *digits, int64_t *behind)
{
	bool point = false, any = false;
	unsigned taken = 0;

	*digits = 0;
	*behind = 0;
	for (; line->at < line->end; line->at++) {
		char byte = *line->at;

		if (byte == '.' && !point) {
			point = true;
			continue;
		}
		if (byte < '0' || byte > '9')
			break;
		any = true;
		if (taken < DIGITS_MAX)
			*digits = *digits * 10 + (uint64_t)(byte - '0');
		*behind += taken < DIGITS_MAX && point ? 1 : taken >= DIGITS_MAX && !point ? -1 : 0;
		taken += *digits > 0 ? 1 : 0; /* zeros in front count for nothing */
	}
	return any;
}

bool pmu_scale_parse(struct span text, double *scale)
{
	struct span line;
	int64_t behind, exponent = 0;
	uint64_t digits;

	if (!span_line(&text, &line) || !take_digits(&line, &digits, &behind) || digits == 0)
		return false;
	if ((span_char(&line, 'e') || span_char(&line, 'E')) && !span_i64(&line, &exponent))
		return false;
	if (line.at != line.end || exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX ||
	    behind > EXPONENT_MAX || behind < -EXPONENT_MAX)
		return false;
	exponent -= behind;
	*scale = exponent < 0 ? (double)((long double)digits / powl(10, (long double)-exponent))
			      : (double)((long double)digits * powl(10, (long double)exponent));
	return isfinite(*scale) && *scale > 0;
}
