/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wall clock times as text. */
#include <config.h>

#include "core/clock.h"

#include <stdio.h>
#include <time.h>

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
