/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first of the states that holds speaks: ended, stopped, throttled, ready, waiting, computing,
 * sleeping.
 */
#include <config.h>

#include "pane/process/process_story.h"

#include "core/i18n.h"

const char *process_waits_for(const struct facts *facts)
{
	static const struct remark waits[] = {
		{ "system_call == epoll_wait|epoll_pwait|epoll_pwait2|poll|ppoll|select|pselect6",
		  N_("for input or a timer") },
		{ "system_call == futex", N_("for a lock or another thread") },
		{ "system_call == nanosleep|clock_nanosleep", N_("until a time has passed") },
		{ "system_call == wait4|waitid", N_("for a child to end") },
		{ "system_call == accept|accept4", N_("for a connection") },
		{ "system_call == connect", N_("for an answer of the other side") },
		{ "system_call == flock|fcntl", N_("for a lock of a file") },
		{ "system_call == pause|rt_sigsuspend|rt_sigtimedwait", N_("for a signal") },
		{ "system_call == read|readv|recvfrom|recvmsg", N_("for data") },
		{ "system_call == write|writev|sendto|sendmsg", N_("until its data is taken") },
	};

	return remarks_first(REMARKS(waits), facts);
}

/* Of a process that waits for a CPU. */
#define READY "wait_ratio >= 0.2, not cpu_ratio > 4 * wait_ratio, not disk_ratio > wait_ratio"
/* Less than this of a CPU counts as no work. */
#define SLEEPS "state == S, cpu_ratio < 0.05, waits_for"
#define ENDED "state == X|Z, not main_ended"
#define UNREAD                                                                                               \
	{                                                                                                    \
		.when = "state == Z", .text = N_("Its parent has not read its exit status yet."),            \
		.more = true                                                                                 \
	}
#define NICE(where, sentence)                                                                                \
	{                                                                                                    \
		.when = "policy == other|batch, nice > 0, nice_within == " where, .text = (sentence),        \
		.more = true                                                                                 \
	}
#define HOT                                                                                                  \
	{                                                                                                    \
		.when = "hot_ratio > 0.5, hot_function",                                                     \
		.text = N_("More than half of that in {hot_function}."), .more = true                        \
	}

static const struct remark remarks[] = {
	{ ENDED ", exit_name", N_("It was killed by SIG{exit_name}."), .level = PROCESS_SLOW },
	UNREAD,
	{ ENDED ", exit_signal >= 0", N_("It was killed by signal {exit_signal}."), .level = PROCESS_SLOW },
	UNREAD,
	{ ENDED ", exit_code >= 0", N_("It has exited with code {exit_code}."), .level = PROCESS_SLOW },
	UNREAD,
	{ ENDED, N_("It has exited."), .level = PROCESS_SLOW },
	UNREAD,
	{ "frozen", N_("Its control group is frozen: it does not run."), .level = PROCESS_SLOW },
	{ "state == t", N_("Its tracer, process {tracer_pid}, has stopped it."), .level = PROCESS_SLOW },
	{ "state == T, tracer_pid > 0", N_("Its tracer, process {tracer_pid}, has stopped it."),
	  .level = PROCESS_SLOW },
	{ "state == T, stop_name", N_("SIG{stop_name} has stopped it; SIGCONT continues it."),
	  .level = PROCESS_SLOW },
	{ "state == T", N_("A signal has stopped it; SIGCONT continues it."), .level = PROCESS_SLOW },
	{ "throttled_ratio >= 0.1, cpu_ratio >= 0.05",
	  N_("The CPU limit of its control group, {group_limit_ratio:.2} CPUs, stopped that group in "
	     "{throttled_ratio} of the periods."),
	  .level = PROCESS_SLOW },
	{ READY, N_("It waits for a CPU: it could use {wanted_ratio:.1} CPUs and gets {cpu_ratio:cpus}."),
	  .level = PROCESS_SLOW },
	NICE("machine", N_("Its nice {nice} lets others go first.")),
	NICE("session", N_("Its nice {nice} counts only among the processes of its session (autogroup).")),
	NICE("group", N_("Its nice {nice} counts only within its control group.")),
	{ "memory_ratio >= 0.2, not disk_ratio > memory_ratio",
	  N_("It waits for memory {memory_ratio} of the time: the kernel makes room for it, or reads its "
	     "pages back."),
	  .level = PROCESS_SLOW },
	{ "disk_ratio >= 0.2, major_faults_per_second >= 20",
	  N_("It waits for pages of its own memory: {major_faults_per_second} are read from storage, "
	     "{disk_ratio} of the time."),
	  .level = PROCESS_SLOW },
	{ "disk_ratio >= 0.2", N_("It waits for storage {disk_ratio} of the time."), .level = PROCESS_SLOW },
	{ "state == D, wait_channel",
	  N_("It waits uninterruptibly, in {wait_channel} of the kernel[, {system_call}]."),
	  .level = PROCESS_SLOW },
	{ "state == D", N_("It waits uninterruptibly: for a device or a lock of the kernel."),
	  .level = PROCESS_SLOW },
	{ "other_ratio >= 0.2", N_("It waits for the kernel {other_ratio} of the time, not for storage."),
	  .level = PROCESS_SLOW },
	{ "cpu_ratio >= 0.9, threads <= 1",
	  N_("It computes: {cpu_ratio} of one CPU (user {user_ratio}, system {system_ratio}); its one thread "
	     "cannot use more."),
	  .level = PROCESS_CALM },
	HOT,
	{ "cpu_ratio >= 0.9",
	  N_("It computes: {cpu_ratio:.1} CPUs (user {user_ratio:.1}, system {system_ratio:.1})."),
	  .level = PROCESS_CALM },
	HOT,
	/* of several threads some may have no work */
	{ "lock_ratio >= 0.5, threads <= 1",
	  N_("It waits for a lock, or for another process, {lock_ratio} of the time."),
	  .level = PROCESS_CALM },
	{ SLEEPS ", lock_holder_pid > 0, not lock_holder",
	  N_("It sleeps {waits_for}: {system_call}[ {system_call_file}], taken by {lock_holder_pid}, which "
	     "has ended: a child of it holds it."),
	  .level = PROCESS_CALM },
	{ SLEEPS ", main_ended",
	  N_("Its main thread has ended; the first that lives sleeps {waits_for}: {system_call}"
	     "[ {system_call_file}][, held by {lock_holder} {lock_holder_pid}]."),
	  .level = PROCESS_CALM },
	{ SLEEPS ", threads > 1",
	  N_("Its main thread sleeps {waits_for}: {system_call}[ {system_call_file}]"
	     "[, held by {lock_holder} {lock_holder_pid}]."),
	  .level = PROCESS_CALM },
	{ SLEEPS,
	  N_("It sleeps {waits_for}: {system_call}[ {system_call_file}]"
	     "[, held by {lock_holder} {lock_holder_pid}]."),
	  .level = PROCESS_CALM },
	{ "main_ended, others >= 1",
	  PN_("Its main thread has ended; {others} thread goes on.",
	      "Its main thread has ended; {others} threads go on."),
	  "others", .level = PROCESS_CALM },
};

enum process_level process_story(struct buffer *out, const struct facts *facts)
{
	return remarks_say(out, REMARKS(remarks), facts);
}
