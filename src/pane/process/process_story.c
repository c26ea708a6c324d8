/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first of the states that holds speaks: ended, stopped, throttled, ready, waiting, computing,
 * sleeping.
 */
#include <config.h>

#include "pane/process/process_story.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/signal_name.h"

#define THROTTLED 0.1 /* share of the periods */
#define READY 0.2     /* of one CPU, that its threads wanted and did not get */
#define DISK 0.2      /* share of the time in which threads waited for block devices */
#define MEMORY 0.2    /* share of the time in which threads waited for memory */
#define LOCK 0.5      /* … for a lock, of a process with one thread: those of others may have no work */
#define OTHER 0.2     /* … for the kernel */
#define FAULTS 20     /* per second, that waited for storage */
#define COMPUTES 0.9  /* of one CPU */
#define HOT 0.5       /* of the time that it computes */
#define SLEEPS 0.05   /* of one CPU: less does not count as work */

static bool say_exit(const struct process_facts *facts, char *text, size_t room)
{
	const char *name = facts->exit_signal >= 0 ? signal_name((unsigned)facts->exit_signal) : NULL;

	if ((facts->state != 'X' && facts->state != 'Z') || facts->main_ended)
		return false;
	if (name)
		snprintf(text, room, _("It was killed by SIG%s."), name);
	else if (facts->exit_signal >= 0)
		snprintf(text, room, _("It was killed by signal %.0f."), facts->exit_signal);
	else if (facts->exit_code >= 0)
		snprintf(text, room, _("It has exited with code %.0f."), facts->exit_code);
	else
		snprintf(text, room, "%s", _("It has exited."));
	if (facts->state == 'Z') {
		size_t length = strlen(text);

		snprintf(text + length, room - length, " %s",
			 _("Its parent has not read its exit status yet."));
	}
	return true;
}

static bool say_stopped(const struct process_facts *facts, char *text, size_t room)
{
	const char *name = facts->stop_signal > 0 ? signal_name((unsigned)facts->stop_signal) : NULL;

	if (facts->frozen)
		snprintf(text, room, "%s", _("Its control group is frozen: it does not run."));
	else if (facts->state == 't' || (facts->state == 'T' && facts->tracer_pid > 0))
		snprintf(text, room, _("Its tracer, process %.0f, has stopped it."), facts->tracer_pid);
	else if (facts->state == 'T' && name)
		snprintf(text, room, _("SIG%s has stopped it; SIGCONT continues it."), name);
	else if (facts->state == 'T')
		snprintf(text, room, "%s", _("A signal has stopped it; SIGCONT continues it."));
	else
		return false;
	return true;
}

static bool say_throttled(const struct process_facts *facts, char *text, size_t room)
{
	if (!(facts->throttled_ratio >= THROTTLED) || !(facts->cpu_ratio >= SLEEPS))
		return false;
	snprintf(text, room,
		 _("The CPU limit of its control group, %.2f CPUs, stopped that group in %.0f %% of the "
		   "periods."),
		 facts->group_limit_ratio, 100 * facts->throttled_ratio);
	return true;
}

/* Whether it lets go first those that it competes with depends on where they are. NULL: not known. */
static const char *of_nice(const char *within)
{
	if (strcmp(within, "machine") == 0)
		return _(" Its nice %.0f lets others go first.");
	if (strcmp(within, "session") == 0)
		return _(" Its nice %.0f counts only among the processes of its session (autogroup).");
	return strcmp(within, "group") == 0 ? _(" Its nice %.0f counts only within its control group.")
					    : NULL;
}

static bool say_ready(const struct process_facts *facts, char *text, size_t room)
{
	int digits = facts->cpu_ratio < 0.1 ? 2 : 1;
	size_t length;

	if (!(facts->wait_ratio >= READY) || facts->cpu_ratio > 4 * facts->wait_ratio ||
	    facts->disk_ratio > facts->wait_ratio)
		return false;
	snprintf(text, room, _("It waits for a CPU: it could use %.1f CPUs and gets %.*f."),
		 facts->cpu_ratio + facts->wait_ratio, digits, facts->cpu_ratio);
	length = strlen(text);
	if (facts->nice > 0 && of_nice(facts->nice_within))
		snprintf(text + length, room - length, of_nice(facts->nice_within), facts->nice);
	return true;
}

static bool say_disk(const struct process_facts *facts, char *text, size_t room)
{
	bool faults = facts->major_faults_per_second >= FAULTS;

	if (facts->disk_ratio >= DISK && faults)
		snprintf(text, room,
			 _("It waits for pages of its own memory: %.0f/s are read from storage, %.0f %% of "
			   "the time."),
			 facts->major_faults_per_second, 100 * facts->disk_ratio);
	else if (facts->disk_ratio >= DISK)
		snprintf(text, room, _("It waits for storage %.0f %% of the time."), 100 * facts->disk_ratio);
	else if (facts->state == 'D' && *facts->wait_channel)
		snprintf(text, room, _("It waits uninterruptibly, in %s of the kernel%s%s."),
			 facts->wait_channel, *facts->system_call ? ", " : "", facts->system_call);
	else if (facts->state == 'D')
		snprintf(text, room, "%s",
			 _("It waits uninterruptibly: for a device or a lock of the kernel."));
	else
		return false;
	return true;
}

static bool say_memory(const struct process_facts *facts, char *text, size_t room)
{
	if (!(facts->memory_ratio >= MEMORY) || facts->disk_ratio > facts->memory_ratio)
		return false;
	snprintf(
		text, room,
		_("It waits for memory %.0f %% of the time: the kernel makes room for it, or reads its pages "
		  "back."),
		100 * facts->memory_ratio);
	return true;
}

static bool say_lock(const struct process_facts *facts, char *text, size_t room)
{
	if (!(facts->lock_ratio >= LOCK) || !(facts->threads <= 1))
		return false;
	snprintf(text, room, _("It waits for a lock, or for another process, %.0f %% of the time."),
		 100 * facts->lock_ratio);
	return true;
}

static bool say_other(const struct process_facts *facts, char *text, size_t room)
{
	if (!(facts->other_ratio >= OTHER))
		return false;
	snprintf(text, room, _("It waits for the kernel %.0f %% of the time, not for storage."),
		 100 * facts->other_ratio);
	return true;
}

static bool say_computes(const struct process_facts *facts, char *text, size_t room)
{
	if (!(facts->cpu_ratio >= COMPUTES))
		return false;
	if (facts->threads <= 1)
		snprintf(text, room,
			 _("It computes: %.0f %% of one CPU (user %.0f, system %.0f); its one thread cannot "
			   "use more."),
			 100 * facts->cpu_ratio, 100 * facts->user_ratio, 100 * facts->system_ratio);
	else
		snprintf(text, room, _("It computes: %.1f CPUs (user %.1f, system %.1f)."), facts->cpu_ratio,
			 facts->user_ratio, facts->system_ratio);
	if (facts->hot_ratio > HOT && *facts->hot_function) {
		size_t length = strlen(text);

		snprintf(text + length, room - length, _(" More than half of that in %s."),
			 facts->hot_function);
	}
	return true;
}

/* What system calls wait for. */
static const char *what_for(const char *call)
{
	static const struct {
		const char *call, *what;
	} waits[] = {
		{ "epoll_wait", N_("for input or a timer") },
		{ "epoll_pwait", N_("for input or a timer") },
		{ "epoll_pwait2", N_("for input or a timer") },
		{ "poll", N_("for input or a timer") },
		{ "ppoll", N_("for input or a timer") },
		{ "select", N_("for input or a timer") },
		{ "pselect6", N_("for input or a timer") },
		{ "futex", N_("for a lock or another thread") },
		{ "nanosleep", N_("until a time has passed") },
		{ "clock_nanosleep", N_("until a time has passed") },
		{ "wait4", N_("for a child to end") },
		{ "waitid", N_("for a child to end") },
		{ "accept", N_("for a connection") },
		{ "accept4", N_("for a connection") },
		{ "connect", N_("for an answer of the other side") },
		{ "flock", N_("for a lock of a file") },
		{ "fcntl", N_("for a lock of a file") },
		{ "pause", N_("for a signal") },
		{ "rt_sigsuspend", N_("for a signal") },
		{ "rt_sigtimedwait", N_("for a signal") },
		{ "read", N_("for data") },
		{ "readv", N_("for data") },
		{ "recvfrom", N_("for data") },
		{ "recvmsg", N_("for data") },
		{ "write", N_("until its data is taken") },
		{ "writev", N_("until its data is taken") },
		{ "sendto", N_("until its data is taken") },
		{ "sendmsg", N_("until its data is taken") },
	};

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (strcmp(call, waits[i].call) == 0)
			return _(waits[i].what);
	return NULL;
}

/* ", held by rsync 4711": behind what a process waits for. */
static const char *held_by(const struct process_facts *facts, char *text, size_t room)
{
	if (!(facts->lock_holder_pid > 0))
		return "";
	if (*facts->lock_holder)
		snprintf(text, room, _(", held by %s %.0f"), facts->lock_holder, facts->lock_holder_pid);
	else
		snprintf(text, room, _(", taken by %.0f, which has ended: a child of it holds it"),
			 facts->lock_holder_pid);
	return text;
}

static bool say_sleeps(const struct process_facts *facts, char *text, size_t room)
{
	const char *what = what_for(facts->system_call);
	const char *who = facts->main_ended    ? _("Its main thread has ended; the first that lives sleeps")
			  : facts->threads > 1 ? _("Its main thread sleeps")
					       : _("It sleeps");
	bool file = *facts->system_call_file != '\0';
	char holder[128];

	if (facts->state != 'S' || !(facts->cpu_ratio < SLEEPS) || !what)
		return false;
	snprintf(text, room, "%s %s: %s%s%s%s.", who, what, facts->system_call, file ? " " : "",
		 facts->system_call_file, held_by(facts, holder, sizeof(holder)));
	return true;
}

/* The main thread is one of its threads until the last one ends. */
static bool say_goes_on(const struct process_facts *facts, char *text, size_t room)
{
	unsigned long others = facts->threads > 1 ? (unsigned long)facts->threads - 1 : 0;

	if (!facts->main_ended || others == 0)
		return false;
	snprintf(text, room,
		 P_("Its main thread has ended; %lu thread goes on.",
		    "Its main thread has ended; %lu threads go on.", others),
		 others);
	return true;
}

enum process_level process_story(const struct process_facts *facts, char *text, size_t room)
{
	*text = '\0';
	if (say_exit(facts, text, room) || say_stopped(facts, text, room) ||
	    say_throttled(facts, text, room) || say_ready(facts, text, room) ||
	    say_memory(facts, text, room) || say_disk(facts, text, room) || say_other(facts, text, room))
		return PROCESS_SLOW;
	if (say_computes(facts, text, room) || say_lock(facts, text, room) ||
	    say_sleeps(facts, text, room) || say_goes_on(facts, text, room))
		return PROCESS_CALM;
	return PROCESS_SILENT;
}
