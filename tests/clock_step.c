/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets the clock of the program it is preloaded into back by 100 s while the file CLOCK_STEP exists, and lets
 * it have slept for a minute while the file CLOCK_SLEEP does.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool is_there(const char *name)
{
	const char *path = getenv(name);

	return path && access(path, F_OK) == 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int error = (int)syscall(SYS_clock_gettime, clock, now);

	if (error == 0 && clock == CLOCK_REALTIME && is_there("CLOCK_STEP"))
		now->tv_sec -= 100;
	if (error == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME) && is_there("CLOCK_SLEEP"))
		now->tv_sec += 60;
	return error;
}
