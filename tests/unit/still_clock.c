/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stands before the clocks of the system. */
#include <config.h>

#include "still_clock.h"

#include <time.h>

#define SECOND_NS UINT64_C(1000000000)

uint64_t still_clock_ns = 1000 * SECOND_NS;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	*time = (struct timespec){ (time_t)(still_clock_ns / SECOND_NS), (long)(still_clock_ns % SECOND_NS) };
	return 0;
}
