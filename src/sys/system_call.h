/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls that a filter (seccomp) may forbid by ending the process, as some do to what is newer. */
#ifndef PANETOP_SYS_SYSTEM_CALL_H
#define PANETOP_SYS_SYSTEM_CALL_H

#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

/* To be called first, before there is a second thread: under a filter a child finds out what it survives. */
void system_calls_try(void);

/* Is there a filter? It may also refuse what capabilities allow. */
bool system_calls_filtered(void);

/* Does this one end the process? Only of those that system_call.c lists. */
bool system_call_kills(long number);

/* A call by its function in the C library; where it would end the process -1, and EPERM in errno. */
#define system_call_by(number, function_call)                                                                \
	(system_call_kills(number) ? (errno = EPERM, -1) : (function_call))

/* The same by syscall(2). */
#define system_call(number, ...) system_call_by(number, syscall(number, __VA_ARGS__))

#endif
