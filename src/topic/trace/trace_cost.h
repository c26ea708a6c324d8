/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs in the kernel cost from tick to tick, so that they end before that is much. */
#ifndef PANETOP_TOPIC_TRACE_TRACE_COST_H
#define PANETOP_TOPIC_TRACE_TRACE_COST_H

#include "topic/trace/trace.h"

#define TRACE_COST_MOST 0.05 /* of one CPU */

/* All zero: at first, and when another program begins or ends. */
struct trace_cost {
	uint64_t used_ns, at_ns;
};

/* Part of one CPU that its programs took in the last second or more; 0: that has not passed yet. */
double trace_cost_since(struct trace_cost *cost, struct trace_set *set, uint64_t now_ns);

/* Closes the set where that is more than TRACE_COST_MOST, and gives it; else 0. */
double trace_cost_end(struct trace_cost *cost, struct trace_set *set, uint64_t now_ns);

/* What its programs at this tracepoint lost at most; a set that is not open has lost nothing. */
uint64_t trace_lost(struct trace_set *set, const char *tracepoint);

/* That of it for which a map or a ring had no room: exact. */
uint64_t trace_refused(struct trace_set *set, const char *tracepoint);

#endif
