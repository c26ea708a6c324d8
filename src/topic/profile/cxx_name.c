/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jumps out of libiberty where the name is long enough, or a timer of CPU time has expired. The functions
 * with a callback keep all that they need on the stack.
 */
#include <config.h>

#include "topic/profile/cxx_name.h"

#include <string.h>

#ifdef HAVE_IBERTY

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#define SYMBOL_MAX ((size_t)1024)
#define TIME_US 10000 /* of CPU time; a usual name takes 5 */

enum way_out { NAME_LONG = 1, NAME_LATE };

static sigjmp_buf way_out;
static volatile sig_atomic_t is_timed;

static void on_timer(int number)
{
	(void)number;
	if (is_timed)
		siglongjmp(way_out, NAME_LATE);
}

void cxx_names_open(void)
{
	const struct sigaction action = { .sa_handler = on_timer, .sa_flags = SA_NODEFER };
	sigset_t set;

	sigaction(SIGVTALRM, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGVTALRM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void set_timer(long us)
{
	const struct itimerval times = { .it_value.tv_usec = us };

	setitimer(ITIMER_VIRTUAL, &times, NULL);
}

static void take(const char *text, size_t length, void *context)
{
	struct buffer *name = context;
	size_t room = CXX_NAME_MAX - name->length;

	buffer_add(name, text, length < room ? length : room);
	if (length > room)
		siglongjmp(way_out, NAME_LONG);
}

bool cxx_name(const char *symbol, struct buffer *name)
{
	int done;

	buffer_empty(name);
	if (strncmp(symbol, "_Z", 2) != 0 || strlen(symbol) > SYMBOL_MAX)
		return false;
	buffer_reserve(name, CXX_NAME_MAX + 1); /* nothing is allocated, where it is jumped out of */
	switch (sigsetjmp(way_out, 0)) {
	case 0:
		set_timer(TIME_US);
		is_timed = 1;
		done = cplus_demangle_v3_callback(symbol, DMGL_PARAMS | DMGL_TYPES, take, name);
		break;
	case NAME_LONG:
		done = 1;
		break;
	default:
		done = 0;
	}
	is_timed = 0;
	set_timer(0);
	return done;
}

#else

void cxx_names_open(void)
{
}

bool cxx_name(const char *symbol, struct buffer *name)
{
	(void)symbol;
	buffer_empty(name);
	return false;
}

#endif
