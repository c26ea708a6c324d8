/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of running code of all processes, with their stacks, over a sliding time; and the process that
 * reads the rings of samples, unwinds stacks and finds names, without any right: what it parses is of all
 * users. It may crash; panetop starts it again.
 */
#ifndef PANETOP_TOPIC_PROFILE_PROFILER_H
#define PANETOP_TOPIC_PROFILE_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "topic/profile/code_files.h"
#include "topic/profile/profile_tables.h"
#include "topic/reader.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer)
#define PROFILE_SANITIZED 1 /* sanitizers are slow, and reserve terabytes of addresses */
#else
#define PROFILE_SANITIZED 0
#endif

/* First words of messages; others ask for a file. */
#define PROFILE_RESULTS UINT32_MAX
#define PROFILE_FAILED (UINT32_MAX - 1) /* -errno follows: it cannot start */

#define PROFILE_FAMILIAR_MAX 4096

/* What both processes see; it survives the one that unwinds. */
struct profile_shared {
	_Atomic uint32_t pid;   /* whose stack is being unwound; 0: none */
	_Atomic uint32_t works; /* counts them: one that does not end is seen */
	_Atomic uint64_t read_ns; /* results of all samples until then were sent */
	struct code_work work;
	_Atomic bool wants_lines;
	uint32_t familiar[PROFILE_FAMILIAR_MAX]; /* processes whose stacks cost little; by pid */
};

struct profile_child_plan {
	const struct machine_clock *clock;
	const int *events; /* descriptors, one for each CPU */
	size_t n_events;
	size_t ring_bytes; /* of each */
	int channel;       /* a socket, for files and results; it ends when the other side is closed */
	struct profile_shared *shared;
	const struct code_shunned *shunned;
	size_t n_shunned;
};

/* Forks it. Its pid, or -errno. */
pid_t profile_child_start(const struct profile_child_plan *plan);

#define PROFILE_CULPRITS_MAX 64
#define PROFILE_STUCK_MAX 8

/* What the process that unwinds could not cope with. */
struct profile_culprit {
	uint32_t pid;
	uint64_t file;               /* key; 0: none */
	char path[PROFILE_NAME_MAX]; /* of it, as clean text; empty: none */
	char command[16];
	unsigned times;
	uint64_t last_ns, until_ns; /* until then it is left alone */
};

struct profile_watch { /* all zero is empty */
	struct profile_culprit list[PROFILE_CULPRITS_MAX];
	size_t n;
	uint32_t works; /* the one that is seen, since … */
	uint64_t since_ns, cpu_ns;
	char command[16]; /* whose it is */
	uint64_t read_ns; /* as of the last look … */
	unsigned n_still; /* … and how often it has neither run nor read since */
	pid_t stuck[PROFILE_STUCK_MAX];
	size_t n_stuck;
};

/* Does it take too long over one stack, or has something stopped it? Asked several times a second. */
bool profile_watch_is_late(struct profile_watch *watch, const struct profile_shared *shared, pid_t child,
			   uint64_t now_ns);

/* After its end: what it was working on is left alone for a time, longer each time. */
void profile_watch_blame(struct profile_watch *watch, const struct profile_shared *shared, uint64_t now_ns);

/* What is left alone now: how many. */
size_t profile_watch_shunned(const struct profile_watch *watch,
			     struct code_shunned list[PROFILE_CULPRITS_MAX], uint64_t now_ns);

/* The last one of those minutes in which ends are counted, and how many ends there were; NULL: none. */
const struct profile_culprit *profile_watch_last(const struct profile_watch *watch, uint64_t now_ns,
						 unsigned *n_ended);

/* The kernel does not let it end: it is reaped when it does. */
void profile_watch_leave(struct profile_watch *watch, pid_t child);

/* Is there room for another one that does not end? */
bool profile_watch_reap(struct profile_watch *watch);

struct profiler;
extern const struct reader profiler_reader;

struct profile_sum {
	uint64_t samples, weight; /* weight: what they stand for, ns or cycles: shares are of it */
};

/* Samples in the window; a stack is a node, with its parents. */
struct profile_window {
	const struct profile_function *functions;
	const struct profile_call *nodes;
	const struct profile_line *lines; /* only after profiler_want_lines() */
	size_t n_functions, n_nodes, n_lines;
	const struct profile_sum *sums;      /* of each node: samples in which it was innermost */
	const struct profile_sum *line_sums; /* of each line: those in which its function was at it */
	struct profile_sum all;              /* of all nodes … */
	struct profile_sum with_lines;       /* … since lines are wanted: their shares are of these */
	double n_effective;                  /* samples of one weight that have the same error as these */
	double seconds;                      /* that they are of */
	struct profile_state state;
	double cost_ratio;                     /* of one CPU: unwinding, measured, and sampling, estimated */
	unsigned rate;                         /* samples a second */
	bool by_cycles;                        /* shares are of cycles of the CPU; else of time on it */
	bool own_only;                         /* of the user's own processes, without the kernel */
	size_t n_left_out, n_missed;           /* of them that run and are not sampled: as they are too … */
	int missed_error;                      /* … many; for this reason, see struct profile_events */
	bool is_known;                         /* "all" is what ran: samples were read, and none lack */
	double unread_seconds;                 /* since samples were read last */
	bool was_read;                         /* … at some time: "state" is known */
	double unfollowed_ratio;               /* of samples: their stacks would have cost too much */
	unsigned n_ended;                      /* ends of the process that unwinds, in the last minutes … */
	const struct profile_culprit *culprit; /* … the last time over this; NULL: none */
	size_t n_stuck;                        /* of these processes: the kernel does not let them end */
};

/* True once a tick: for who reports what lacks. */
bool profiler_is_first(struct profiler *profiler);

/* From now on samples are of lines, too, or no longer. */
void profiler_want_lines(struct profiler *profiler, bool wanted);

/* Of the processes in the scope of the request. Valid until the next tick. */
const struct profile_window *profiler_window(struct profiler *profiler, const struct sample *sample);

#endif
