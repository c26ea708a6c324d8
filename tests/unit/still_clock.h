/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A clock that stands still until the test moves it, so that rates and ages are exact. It is defined here, in
 * the one file of a test program: from the library of all it would take the place of the clock in each.
 */
#ifndef PANETOP_TESTS_STILL_CLOCK_H
#define PANETOP_TESTS_STILL_CLOCK_H

#include <stdint.h>
#include <time.h>

#define STILL_SECOND_NS UINT64_C(1000000000)

static uint64_t still_clock_ns = 1000 * STILL_SECOND_NS; /* what every clock says */

/* In place of that of the C library. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	*time = (struct timespec){ (time_t)(still_clock_ns / STILL_SECOND_NS),
				   (long)(still_clock_ns % STILL_SECOND_NS) };
	return 0;
}

#endif
