/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes facts for people, in the formats of sentences. */
#include <config.h>

#include "model/fact_text.h"

#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "model/units.h"

static char *cpus_text(char *out, double cpus)
{
	return fixed_text(out, cpus, cpus < 0.1 ? 2 : 1);
}

static char *time_text(char *out, double seconds)
{
	return duration_text(out, seconds, false);
}

static char *degrees_text(char *out, double celsius)
{
	return celsius_text(out, celsius, false);
}

static char *clock_text(char *out, double wall_ns)
{
	return clock_local(out, (uint64_t)wall_ns, "%H:%M:%S");
}

static char *date_text(char *out, double wall_ns)
{
	return clock_local(out, (uint64_t)wall_ns, "%Y-%m-%d %H:%M:%S");
}

static const struct {
	const char *name;
	char *(*text)(char *out, double number);
} formats[] = {
	{ "rate", rate_short },  { "cpus", cpus_text },   { "time", time_text },
	{ "C", degrees_text },   { "clock", clock_text }, { "date", date_text },
};

static char *short_text(char *out, double number, enum unit unit)
{
	switch (unit) {
	case UNIT_SECONDS:
		return duration_short(out, number, false);
	case UNIT_WATTS:
		return strcat(fixed_text(out, number, number < 99.95 ? 1 : 0), " W");
	case UNIT_PER_SECOND:
		return strcat(rate_short(out, number), "/s");
	case UNIT_BYTES_PER_SECOND:
		return strcat(size_short(out, number), "/s");
	default:
		return size_short(out, number);
	}
}

/* ".2", "0.2", "100.2", ".2%", "%" */
static char *places_text(char *out, double number, struct span format)
{
	const char *point = memchr(format.at, '.', span_length(format));
	int places = point ? point[1] - '0' : 0;
	bool percents = format.end[-1] == '%';

	if (span_starts(format, "0.") && number == floor(number))
		places = 0;
	if (percents || span_starts(format, "100."))
		number *= 100;
	return strcat(fixed_text(out, number, places), percents ? " %" : "");
}

const char *fact_text(char *out, const struct fact *fact, struct span format)
{
	if (!fact_is_known(fact))
		return "-";
	if (fact->text)
		return fact->words ? _(fact->text) : fact->text;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (span_is(format, formats[i].name))
			return formats[i].text(out, fact->number);
	if (span_is(format, "short"))
		return short_text(out, fact->number, fact->unit);
	if (span_length(format) > 0)
		return places_text(out, fact->number, format);
	return fact->unit == UNIT_NONE ? fixed_text(out, fact->number, 0)
				       : amount_text(out, fact->unit, fact->number);
}
