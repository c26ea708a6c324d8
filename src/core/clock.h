/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wall clock times as text. */
#ifndef PANETOP_CORE_CLOCK_H
#define PANETOP_CORE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_TEXT_MAX 48

/* RFC 3339 in UTC with nanoseconds, for programs. text has CLOCK_TEXT_MAX bytes and is returned. */
char *clock_utc(char *text, uint64_t wall_ns);

/* Local time in a format of strftime(3), for people; empty when it is unknown. */
char *clock_local(char *text, uint64_t wall_ns, const char *format) __attribute__((format(strftime, 3, 0)));

/* A time as typed, and how long it lasts: 12:03 is a whole minute. */
struct clock_time {
	uint64_t from_ns, whole_ns;
	bool dated;
};

/*
 * "12:03", "12:03:07", "12:03:07.5" in local time, of the day of near_ns; or with a date before it, as in
 * "2026-11-22T12:03:07", and then a zone behind it: Z, +01:00.
 */
bool clock_parse(const char *text, uint64_t near_ns, struct clock_time *time);

#endif
