/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process does with its time, in one sentence that holds only where its rule does. */
#ifndef PANETOP_PANE_PROCESS_PROCESS_STORY_H
#define PANETOP_PANE_PROCESS_PROCESS_STORY_H

#include <stdbool.h>
#include <stddef.h>

/* What the sentence follows from; NaN: unknown. Ratios are sums over its threads; 1 is one CPU. */
struct process_facts {
	char state; /* of its main thread, as in ps(1); 'X': exited; 0: unknown */
	bool main_ended; /* … which has ended, while others go on: then of the first that lives */
	double exit_code, exit_signal;
	bool frozen; /* its control group is */
	double tracer_pid, stop_signal;
	double threads, running_threads, waiting_threads;
	double cpu_ratio, user_ratio, system_ratio;
	double wait_ratio; /* ready to run, but not running */
	double nice; /* of a process without real-time priority; else NaN */
	const char *nice_within; /* "machine", "session", "group"; "": unknown */
	double disk_ratio; /* waiting for block devices */
	double memory_ratio, lock_ratio, other_ratio; /* parts of its time account */
	double throttled_ratio, group_limit_ratio;
	double major_faults_per_second;
	const char *system_call, *system_call_file, *wait_channel; /* of its main thread; "": unknown */
	const char *hot_function; /* which runs most of the time that it computes; "": unknown */
	double hot_ratio;         /* its share, less the statistical error */
	double lock_holder_pid;  /* who took the lock of a file that it waits for */
	const char *lock_holder; /* its name; "": it has ended */
};

enum process_level { PROCESS_SILENT, PROCESS_CALM, PROCESS_SLOW };

/* Writes a translated sentence, empty when silent. */
enum process_level process_story(const struct process_facts *facts, char *text, size_t room);

#endif
