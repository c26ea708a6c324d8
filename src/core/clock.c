/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats for people and for programs, and a parser that takes both, with a date, an offset, or less. */
#include <config.h>

#include "core/clock.h"

#include <stdio.h>
#include <time.h>

#include "core/span.h"

#define NS_PER_SECOND UINT64_C(1000000000)

char *clock_utc(char *text, uint64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / NS_PER_SECOND);
	struct tm tm;
	char date[32];

	if (!gmtime_r(&seconds, &tm) || strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
		snprintf(date, sizeof(date), "1970-01-01T00:00:00");
	snprintf(text, CLOCK_TEXT_MAX, "%s.%09uZ", date, (unsigned)(wall_ns % NS_PER_SECOND));
	return text;
}

char *clock_local(char *text, uint64_t wall_ns, const char *format)
{
	time_t seconds = (time_t)(wall_ns / NS_PER_SECOND);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || strftime(text, CLOCK_TEXT_MAX, format, &tm) == 0)
		*text = '\0';
	return text;
}

/* A number with this many digits. */
static bool take_digits(struct span *in, unsigned n_digits, int most, int *number)
{
	*number = 0;
	if (span_length(*in) < n_digits)
		return false;
	for (; n_digits > 0; n_digits--, in->at++) {
		if (*in->at < '0' || *in->at > '9')
			return false;
		*number = 10 * *number + (*in->at - '0');
	}
	return *number <= most;
}

/* Hours may have one digit. */
static bool take_hour(struct span *in, int *hour)
{
	return span_length(*in) > 1 && in->at[1] == ':' ? take_digits(in, 1, 9, hour)
							: take_digits(in, 2, 23, hour);
}

/* The digits behind the point of a second. */
static bool take_fraction(struct span *in, struct clock_time *time)
{
	uint64_t unit_ns = NS_PER_SECOND;
	int digit;

	if (!take_digits(in, 1, 9, &digit))
		return false;
	do {
		unit_ns /= 10;
		time->from_ns += (uint64_t)digit * unit_ns;
	} while (unit_ns > 0 && take_digits(in, 1, 9, &digit));
	time->whole_ns = unit_ns > 0 ? unit_ns : 1;
	return true;
}

static bool take_clock(struct span *in, struct tm *tm, struct clock_time *time)
{
	time->whole_ns = 60 * NS_PER_SECOND;
	tm->tm_sec = 0;
	if (!take_hour(in, &tm->tm_hour) || !span_char(in, ':') || !take_digits(in, 2, 59, &tm->tm_min))
		return false;
	if (!span_char(in, ':'))
		return true;
	time->whole_ns = NS_PER_SECOND;
	return take_digits(in, 2, 60, &tm->tm_sec) && (!span_char(in, '.') || take_fraction(in, time));
}

static bool take_date(struct span *in, struct tm *tm)
{
	if (!take_digits(in, 4, 9999, &tm->tm_year) || !span_char(in, '-') ||
	    !take_digits(in, 2, 12, &tm->tm_mon) || !span_char(in, '-') ||
	    !take_digits(in, 2, 31, &tm->tm_mday) || (!span_char(in, 'T') && !span_char(in, ' ')))
		return false;
	tm->tm_year -= 1900;
	tm->tm_mon -= 1;
	return true;
}

/* Seconds east of Greenwich; false: none is named. */
static bool take_zone(struct span *in, int *seconds)
{
	int sign = span_char(in, '+') ? 1 : span_char(in, '-') ? -1 : 0, hours, minutes;

	*seconds = 0;
	if (sign == 0)
		return span_char(in, 'Z');
	if (!take_digits(in, 2, 23, &hours) || !span_char(in, ':') || !take_digits(in, 2, 59, &minutes))
		return false;
	*seconds = sign * (3600 * hours + 60 * minutes);
	return true;
}

bool clock_parse(const char *text, uint64_t near_ns, struct clock_time *time)
{
	time_t seconds = (time_t)(near_ns / NS_PER_SECOND);
	struct span in = span_text(text), rest = in;
	int zone = 0;
	struct tm tm;

	*time = (struct clock_time){ 0 };
	if (!localtime_r(&seconds, &tm))
		return false;
	time->dated = take_date(&rest, &tm);
	if (time->dated)
		in = rest;
	else if (!localtime_r(&seconds, &tm))
		return false;
	if (!take_clock(&in, &tm, time))
		return false;
	tm.tm_isdst = -1;
	if (time->dated && take_zone(&in, &zone))
		seconds = timegm(&tm) - zone;
	else
		seconds = mktime(&tm);
	time->from_ns += (uint64_t)seconds * NS_PER_SECOND;
	return in.at == in.end && seconds >= 0;
}
