/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocation that succeeds or ends the program cleanly. */
#include <config.h>

#include "core/alloc.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGE_BYTES (128 * 1024)
#define TIDY_CALLS 64 /* it looks at all free blocks: a millisecond where there are many */

static void (*restore_terminal)(void);

/* Otherwise the GNU library raises this limit when a larger block is freed, and keeps the next ones. */
void alloc_open(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
#endif
}

void alloc_tidy(void)
{
#ifdef M_TRIM_THRESHOLD
	static unsigned calls;

	if (++calls % TIDY_CALLS == 0)
		malloc_trim(0);
#endif
}

void alloc_on_failure(void (*restore)(void))
{
	restore_terminal = restore;
}

static void *checked(void *memory)
{
	static const char message[] = "panetop: out of memory\n";
	sigset_t none;

	if (memory)
		return memory;
	if (restore_terminal)
		restore_terminal();
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL); /* a signal ends a write that blocks */
	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(1);
	_exit(1);
}

void *alloc_zeroed(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *alloc_resize(void *old, size_t count, size_t size)
{
	return checked(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *alloc_text(const char *text)
{
	return checked(strdup(text));
}
