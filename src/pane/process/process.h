/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the process page. */
#ifndef PANETOP_PANE_PROCESS_PROCESS_H
#define PANETOP_PANE_PROCESS_PROCESS_H

#include <stdint.h>

#include "core/arena.h"
#include "model/sentence.h"
#include "pane/calls/calls.h"

enum process_level { PROCESS_CALM, PROCESS_SLOW, PROCESS_STUCK };

#define PROCESS_NOT_HELD SIZE_MAX

/*
 * Facts are columns of the tables process and process_detail, where they are rates as means of the last
 * seconds, and:
 *   mean_seconds                           the time of those means
 *   memory_ratio, lock_ratio, other_ratio  parts of its time account
 *   frozen, main_ended                     "yes" or not known
 *   wanted_ratio                           of CPUs: what it gets and what it waits for
 *   stuck_seconds                          for which it has been in uninterruptible sleep, at least;
 *   stuck_dated                            "yes" where that is known exactly
 *   sleep_call                             in which it sleeps most of the time
 *   waits_for                              what it waits for there, translated
 *   hot_function, hot_ratio                which runs most of the time that it computes; its share, less
 *                                          the error
 *   exit_name, stop_name                   of signals
 *   ended_time                             when it exited, as far as that is known
 *   quota                                  what a finding says of the CPU quota of its group
 *   convoy                                 what a finding says of the lock that its threads wait for
 *   throttled_limit                        from which on one does
 *   oom_limit                              at whose memory limit the OOM killer ended it; /: of the machine
 *   others                                 its threads without the main one
 *   rivals_within, rivals_elsewhere        CPUs that other processes use: of its session, of other ones
 * held: the sentence that held before, by the number that process_story_held() returns.
 */
enum process_level process_story(struct buffer *out, const struct facts *facts, size_t held);

/* When it ended and how long it lived, so that both add up with its start; NaN: not known. */
struct process_life {
	double end_ns;  /* CLOCK_REALTIME */
	double seconds; /* of a long one the difference of start and end in whole seconds */
	bool is_about;  /* by the sample that found it ended */
};

/*
 * By its start, its exit event and the first sample after its end, in ns of CLOCK_REALTIME, and by its life
 * in that event or in its exit record. NaN: not known.
 */
struct process_life process_life_of(double started_ns, double exit_ns, double seen_ns,
				    double lived_seconds);

#define PROCESS_GROUPS 3

struct process_subject {
	double pid;
	const char *groups[PROCESS_GROUPS]; /* in which it is, or whose limits it has; ended by NULL */
};

struct process_rows;

struct process_subject process_subject_of(const struct process_rows *rows);

/* Adds the finding about the CPU quota of its groups, and ends the text; "": none. */
void process_quota_finding(struct buffer *out, const struct frame *frame,
			   const struct process_subject *subject);

/* What a finding says of the lock that its threads wait for; "": there is none. */
const char *process_convoy_finding(const struct frame *frame, double pid);

/*
 * Adds the findings about it and its groups, but for those that its story has; returns how bad all are, with
 * the story.
 */
enum grade process_findings(struct buffer *out, const struct frame *frame,
			    const struct process_subject *subject, enum process_level level);
size_t process_story_held(const struct facts *facts, size_t held);

/* What the call in which it sleeps waits for, translated; "": not known. */
const char *process_waits_for(const struct facts *facts);

enum process_table {
	PROCESS_TABLE_DETAIL,
	PROCESS_TABLE_LIMIT,
	PROCESS_TABLE_FILE,
	PROCESS_TABLE_PROCESS, /* all processes: this one and its parent are among them */
	PROCESS_TABLE_THREAD,
	PROCESS_TABLE_REGION,
	PROCESS_TABLE_SIGNAL,
	PROCESS_TABLE_ENVIRONMENT,
	PROCESS_TABLE_MEMORY,
	PROCESS_TABLE_EVENT,
	PROCESS_TABLE_TIME,
	PROCESS_TABLE_CODE,
	PROCESS_TABLE_COST,
	PROCESS_TABLE_WAITS,
	PROCESS_TABLE_WALL,
	PROCESS_TABLE_CALLS,
	PROCESS_TABLE_FUNCTION,
	PROCESS_TABLE_KILL,
	PROCESS_TABLE_STUCK,
	PROCESS_TABLE_GROUP,
	PROCESS_TABLE_CONVOY,
	PROCESS_TABLE_PROBE,
	PROCESS_TABLE_ENDED,
};

enum process_series {
	PROCESS_SERIES_CPU,
	PROCESS_SERIES_MEMORY,
	PROCESS_SERIES_READ,
	PROCESS_SERIES_WRITE,
	/* for means */
	PROCESS_SERIES_CPU_SECONDS,
	PROCESS_SERIES_DISK_SECONDS,
	PROCESS_SERIES_PERIODS,
	PROCESS_SERIES_THROTTLED,
	PROCESS_SERIES_LOCK_THREADS,
	PROCESS_SERIES_USER_SECONDS,
	PROCESS_SERIES_SYSTEM_SECONDS,
	PROCESS_SERIES_WAIT_SECONDS,
	PROCESS_SERIES_MAJOR_FAULTS,
	PROCESS_SERIES_TIME_DISK,
	PROCESS_SERIES_TIME_MEMORY,
	PROCESS_SERIES_TIME_LOCK,
	PROCESS_SERIES_TIME_OTHER,
	PROCESS_SERIES_STATE, /* its letter */
	PROCESS_SERIES_CALL,  /* in which it sleeps, by its number in calls */
	N_PROCESS_SERIES,
};

struct process_state {
	struct probes_state probes;
	uint32_t pid; /* of the process that the history is of */
	double start_seconds;
	char pid_text[16];
	struct intern calls; /* system calls in which it slept */
	bool asks_for_code; /* its code is sampled for the summary */
};

/* The rows of the process in the shown frame; NULL: there is none. */
struct process_rows {
	const struct table *details, *processes, *ends;
	const void *detail, *process;
	const void *end; /* of its exit record; NULL also while it lives */
};

/* In any frame, without its end. */
struct process_rows process_rows_of(const struct pane_context *context, const struct frame *frame);
struct process_rows process_shown_rows(const struct pane_context *context);

/* Its parent, if that lives; NULL: it does not, or is not known. */
const void *process_parent(const struct pane_context *context, const struct process_rows *rows);

/* A number or text of it by a column of any of these tables; NaN or "": unknown. */
double process_number(const struct process_rows *rows, const char *column);
const char *process_text(const struct process_rows *rows, const char *column);

/* CPUs that other processes use: of its session, or of other ones; NaN: not known. */
double process_rivals(const struct process_rows *rows, bool within);

/*
 * Its exit among the events, if they are collected: the newest, and none from before its start; NULL: there
 * is none, or it lives.
 */
const void *process_exit_event(const struct pane_context *context, const struct process_rows *rows);

/* Its counters in this frame, which is the newest one of the history, for later means. */
void process_past_note(struct pane_context *context, const struct process_rows *rows,
		       const struct frame *frame);

/* process_draw.c */
void process_draw_summary(const struct pane_context *context, struct canvas *canvas);
void process_why(const struct pane_context *context, struct buffer *out);

#endif
