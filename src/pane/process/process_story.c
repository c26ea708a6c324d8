/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first of the states that holds speaks: ended, stopped, throttled, ready, waiting, computing,
 * sleeping. Numbers are means of some seconds; what is true of them is entered at one limit, and left at a
 * lower one.
 */
#include <config.h>

#include "pane/process/process_story.h"

#include "core/i18n.h"

const char *process_waits_for(const struct facts *facts)
{
	static const struct remark waits[] = {
		{ "sleep_call == epoll_wait|epoll_pwait|epoll_pwait2|poll|ppoll|select|pselect6",
		  N_("for input or a timer") },
		{ "sleep_call == futex", N_("for a lock or another thread") },
		{ "sleep_call == nanosleep|clock_nanosleep", N_("on a timer") },
		{ "sleep_call == wait4|waitid", N_("until a child ends") },
		{ "sleep_call == accept|accept4", N_("for a connection") },
		{ "sleep_call == connect", N_("for an answer of the other side") },
		{ "sleep_call == flock|fcntl", N_("for a lock of a file") },
		{ "sleep_call == pause|rt_sigsuspend|rt_sigtimedwait", N_("for a signal") },
		{ "sleep_call == read|readv|recvfrom|recvmsg", N_("for data") },
		{ "sleep_call == write|writev|sendto|sendmsg", N_("until its data is taken") },
		{ "sleep_call == io_uring_enter", N_("for completions of io_uring") },
	};

	return remarks_first(REMARKS(waits), facts);
}

#define SLOW(condition, while_held, sentence)                                                                \
	{                                                                                                    \
		.when = condition, .stays = while_held, .text = (sentence), .level = PROCESS_SLOW            \
	}
#define STUCK(condition, while_held, sentence)                                                               \
	{                                                                                                    \
		.when = condition, .stays = while_held, .text = (sentence), .level = PROCESS_STUCK           \
	}
#define CALM(condition, while_held, sentence)                                                                \
	{                                                                                                    \
		.when = condition, .stays = while_held, .text = (sentence), .level = PROCESS_CALM            \
	}
#define ENDED "state == X|Z, not main_ended"
#define UNREAD                                                                                               \
	{                                                                                                    \
		.when = "state == Z", .text = N_("Its parent has not read its exit status yet (zombie)."),   \
		.more = true                                                                                 \
	}
#define NICE(where, sentence)                                                                                \
	{                                                                                                    \
		.when = "policy == other|batch, nice > 0, nice_within == " where, .text = (sentence),        \
		.more = true                                                                                 \
	}
#define HOT                                                                                                  \
	{                                                                                                    \
		.when = "hot_ratio > 0.5, hot_function", .text = N_("Over half of that in {hot_function}."), \
		.more = true                                                                                 \
	}
/* Less than this of a CPU counts as no work. */
#define SLEEPS "cpu_ratio < 0.05, waits_for"
#define SLEEPS_ON "cpu_ratio < 0.08, waits_for"

static const struct remark remarks[] = {
	SLOW(ENDED ", exit_name", NULL, N_("Killed by SIG{exit_name}[ at {ended_time:clock}].")),
	UNREAD,
	SLOW(ENDED ", exit_signal >= 0", NULL, N_("Killed by signal {exit_signal}[ at {ended_time:clock}].")),
	UNREAD,
	SLOW(ENDED ", exit_code >= 0", NULL, N_("Exited with code {exit_code}[ at {ended_time:clock}].")),
	UNREAD,
	SLOW(ENDED, NULL, N_("Exited[ at {ended_time:clock}].")),
	UNREAD,
	SLOW("frozen", NULL, N_("Frozen with its control group: it does not run.")),
	SLOW("state == t", NULL, N_("Stopped by its tracer, process {tracer_pid}.")),
	SLOW("state == T, tracer_pid > 0", NULL, N_("Stopped by its tracer, process {tracer_pid}.")),
	SLOW("state == T, stop_name", NULL, N_("Stopped by SIG{stop_name}; SIGCONT continues it.")),
	SLOW("state == T", NULL, N_("Stopped by a signal; SIGCONT continues it.")),
	SLOW("throttled_ratio >= 0.1, cpu_ratio >= 0.05", "throttled_ratio >= 0.07, cpu_ratio >= 0.03",
	     N_("CPU quota of its group, {group_limit_ratio:.2} CPUs: throttled in {throttled_ratio} of "
		"periods[ (last {mean_seconds:.0} s)].")),
	/* before the wait for a CPU, which such threads have, too; idle threads of a pool wait otherwise */
	SLOW("lock_threads >= 2, lock_threads >= 0.5 * threads, not lock_ratio < 0.4 * threads",
	     "lock_threads >= 1.5, lock_threads >= 0.4 * threads, not lock_ratio < 0.3 * threads",
	     N_("Lock contention: about {lock_threads:.0} of {threads:.0} threads wait for one lock, "
		"futex[ {lock_address}][ (last {mean_seconds:.0} s)].")),
	SLOW("wait_ratio >= 0.2, not cpu_ratio > 4 * wait_ratio, not disk_ratio > wait_ratio",
	     "wait_ratio >= 0.15, not cpu_ratio > 5 * wait_ratio, not disk_ratio > 1.25 * wait_ratio",
	     N_("Waiting for CPU: wants {wanted_ratio:.1} CPUs, gets {cpu_ratio:cpus}"
		"[ (last {mean_seconds:.0} s)].")),
	NICE("machine", N_("(nice {nice} lets others go first)")),
	NICE("session", N_("(nice {nice} only applies within its session: autogroup)")),
	NICE("group", N_("(nice {nice} only applies within its control group)")),
	SLOW("memory_ratio >= 0.2, not disk_ratio > memory_ratio",
	     "memory_ratio >= 0.15, not disk_ratio > 1.25 * memory_ratio",
	     N_("Waiting for memory {memory_ratio} of the time, for reclaim or evicted pages"
		"[ (last {mean_seconds:.0} s)].")),
	SLOW("disk_ratio >= 0.2, major_faults_per_second >= 20",
	     "disk_ratio >= 0.15, major_faults_per_second >= 15",
	     N_("Waiting for its own pages {disk_ratio} of the time: {major_faults_per_second} from storage"
		"[ (last {mean_seconds:.0} s)].")),
	SLOW("disk_ratio >= 0.2", "disk_ratio >= 0.15",
	     N_("Waiting for storage {disk_ratio} of the time[ (last {mean_seconds:.0} s)].")),
	STUCK("stuck_seconds >= 10", NULL,
	     N_("Stuck in uninterruptible sleep (D) for at least {stuck_seconds:.0} s[ in {system_call}]"
		"[: {wait_channel}].")),
	SLOW("other_ratio >= 0.2", "other_ratio >= 0.15",
	     N_("Waiting in the kernel {other_ratio} of the time, not for storage"
		"[ (last {mean_seconds:.0} s)].")),
	CALM("cpu_ratio >= 0.9, threads <= 1", "cpu_ratio >= 0.85, threads <= 1",
	     N_("Computing: {cpu_ratio} of one CPU, user {user_ratio}, system {system_ratio}"
		"[ (last {mean_seconds:.0} s)]; one thread cannot use more.")),
	HOT,
	CALM("cpu_ratio >= 0.9", "cpu_ratio >= 0.85",
	     N_("Computing: {cpu_ratio:.1} CPUs, user {user_ratio:.1}, system {system_ratio:.1}"
		"[ (last {mean_seconds:.0} s)].")),
	HOT,
	/* of several threads some may have no work */
	CALM("lock_ratio >= 0.5, threads <= 1", "lock_ratio >= 0.4, threads <= 1",
	     N_("Waiting for a lock or another process {lock_ratio} of the time"
		"[ (last {mean_seconds:.0} s)].")),
	CALM(SLEEPS ", lock_holder_pid > 0, not lock_holder",
	     SLEEPS_ON ", lock_holder_pid > 0, not lock_holder",
	     N_("Sleeping {waits_for} ({sleep_call}[ {system_call_file}]), taken by {lock_holder_pid}, which "
		"has ended: a child holds it.")),
	CALM(SLEEPS ", main_ended", SLEEPS_ON ", main_ended",
	     N_("Main thread ended; the first that lives sleeps {waits_for} ({sleep_call}"
		"[ {system_call_file}])[, held by {lock_holder} {lock_holder_pid}].")),
	CALM(SLEEPS ", threads > 1", SLEEPS_ON ", threads > 1",
	     N_("Main thread sleeping {waits_for} ({sleep_call}[ {system_call_file}])"
		"[, held by {lock_holder} {lock_holder_pid}].")),
	CALM(SLEEPS, SLEEPS_ON,
	     N_("Sleeping {waits_for} ({sleep_call}[ {system_call_file}])"
		"[, held by {lock_holder} {lock_holder_pid}].")),
	{ "main_ended, others >= 1",
	  PN_("Main thread ended; {others} thread goes on.", "Main thread ended; {others} threads go on."),
	  "others", .level = PROCESS_CALM },
	CALM("cpu_ratio", NULL, N_("no obvious cause")),
	CALM(NULL, NULL, N_("measuring ...")),
};

size_t process_story_held(const struct facts *facts, size_t held)
{
	return remarks_find(REMARKS(remarks), facts, held);
}

enum process_level process_story(struct buffer *out, const struct facts *facts, size_t held)
{
	return (enum process_level)remarks_say_at(out, REMARKS(remarks), facts,
						  process_story_held(facts, held));
}
