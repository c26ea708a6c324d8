/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets the clock of the program it is preloaded into back by 100 s while the file CLOCK_STEP exists. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
	const char *path = getenv("CLOCK_STEP");
	int error = (int)syscall(SYS_clock_gettime, clock, now);

	if (error == 0 && clock == CLOCK_REALTIME && path && access(path, F_OK) == 0)
		now->tv_sec -= 100;
	return error;
}
