/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of names; sigabbrev_np() and strerrorname_np() are not in every C library. */
#include <config.h>

#include "core/error_name.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>

/* All that the C library knows of this architecture; made by the Makefile. */
static const struct {
	int number;
	const char *name;
} errors[] = {
#include "core/error_names.h"
};

void error_name(int error, char name[ERROR_NAME_BYTES])
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].number == error) {
			snprintf(name, ERROR_NAME_BYTES, "%s", errors[i].name);
			return;
		}
	snprintf(name, ERROR_NAME_BYTES, "%d", error);
}

#define SIGNAL(name) [SIG##name] = #name

/* Where two names have one number, the one that sigabbrev_np(3) gives. */
static const char *const names[] = {
	SIGNAL(HUP),    SIGNAL(INT),  SIGNAL(QUIT),  SIGNAL(ILL),  SIGNAL(TRAP), SIGNAL(ABRT),
	SIGNAL(BUS),    SIGNAL(FPE),  SIGNAL(KILL),  SIGNAL(USR1), SIGNAL(SEGV), SIGNAL(USR2),
	SIGNAL(PIPE),   SIGNAL(ALRM), SIGNAL(TERM),  SIGNAL(CHLD), SIGNAL(CONT), SIGNAL(STOP),
	SIGNAL(TSTP),   SIGNAL(TTIN), SIGNAL(TTOU),  SIGNAL(URG),  SIGNAL(XCPU), SIGNAL(XFSZ),
	SIGNAL(VTALRM), SIGNAL(PROF), SIGNAL(WINCH), SIGNAL(POLL), SIGNAL(PWR),  SIGNAL(SYS),
#ifdef SIGSTKFLT /* not on every architecture */
	SIGNAL(STKFLT),
#endif
};

#define N_NAMES (sizeof(names) / sizeof(names[0]))

const char *signal_name(unsigned number)
{
	return number < N_NAMES ? names[number] : NULL;
}

char *signal_text(char text[SIGNAL_TEXT_MAX], int number)
{
	const char *name = number > 0 ? signal_name((unsigned)number) : NULL;

	if (name)
		snprintf(text, SIGNAL_TEXT_MAX, "SIG%s", name);
	else if (number == SIGRTMIN)
		snprintf(text, SIGNAL_TEXT_MAX, "SIGRTMIN");
	else if (number > SIGRTMIN && number <= SIGRTMAX)
		snprintf(text, SIGNAL_TEXT_MAX, "SIGRTMIN+%d", number - SIGRTMIN);
	else
		snprintf(text, SIGNAL_TEXT_MAX, "%d", number);
	return text;
}
