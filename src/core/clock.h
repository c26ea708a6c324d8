/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wall clock times as text. */
#ifndef PANETOP_CORE_CLOCK_H
#define PANETOP_CORE_CLOCK_H

#include <stdint.h>

#define CLOCK_TEXT_MAX 48

/* RFC 3339 in UTC with nanoseconds, for programs. text has CLOCK_TEXT_MAX bytes and is returned. */
char *clock_utc(char *text, uint64_t wall_ns);

/* Local time in a format of strftime(3), for people; empty when it is unknown. */
char *clock_local(char *text, uint64_t wall_ns, const char *format)
	__attribute__((format(strftime, 3, 0)));

#endif
