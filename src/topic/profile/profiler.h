/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of running code of all processes, with their stacks, over a sliding time. */
#ifndef PANETOP_TOPIC_PROFILE_PROFILER_H
#define PANETOP_TOPIC_PROFILE_PROFILER_H

#include "topic/profile/profile_results.h"
#include "topic/reader.h"

struct profiler;
extern const struct reader profiler_reader;

struct profile_function {
	const char *name, *file, *path; /* clean text, without control characters and ';' */
	enum profile_names names;
};

/* Samples in the window; a stack is a node, with its parents. */
struct profile_window {
	const struct profile_function *functions;
	const struct profile_call {
		uint32_t parent, function; /* parent: PROFILE_NO_NODE, or a smaller number than its own */
	} * nodes;
	size_t n_functions, n_nodes;
	const uint32_t *counts; /* of each node: samples in which it was innermost */
	uint64_t samples;       /* their sum */
	double seconds;         /* that they are of */
	struct profile_state state;
	double cost_ratio; /* of one CPU: unwinding, measured, and sampling, estimated */
	unsigned rate;     /* samples a second */
	bool own_only;     /* of the user's own processes, without the kernel */
	size_t n_left_out; /* of them that are not sampled, since they are too many */
	size_t n_crashes;  /* of the process that unwinds */
};

/* Of the processes in the scope of the request. Valid until the next tick. */
const struct profile_window *profiler_window(struct profiler *profiler, const struct sample *sample);

#endif
