/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last minutes of latency: samples per interval, CPU and bucket; the oldest are dropped. */
#ifndef PANETOP_PANE_LATENCY_LATENCY_PAST_H
#define PANETOP_PANE_LATENCY_LATENCY_PAST_H

#include "core/histogram.h"
#include "model/frame.h"

#define PAST_INTERVALS 4096
#define PAST_ENTRIES (1U << 18)
#define PAST_ALL_CPUS UINT16_MAX

struct past_interval {
	uint64_t mono_ns; /* end of the interval */
	uint64_t first;   /* of its entries, counted since the start */
	uint32_t n_entries;
};

struct latency_past {
	uint64_t width_ns;               /* of its buckets; 0: log-linear */
	uint64_t last_mono_ns;           /* of the previous frame */
	double measured_seconds;         /* as of that frame */
	uint64_t n_intervals, n_entries; /* since the start; only the last ones are kept */
	uint64_t oldest;                 /* oldest interval that is kept */
	struct past_interval intervals[PAST_INTERVALS];
	struct past_entry {
		uint16_t cpu, bucket;
		uint32_t count;
	} entries[PAST_ENTRIES];
};

/* The CPU of a row: its number, an unused number for "any", PAST_ALL_CPUS for "all". */
uint16_t past_cpu(const char *name);

/* Width of the linear buckets in this frame; 0: log-linear. */
uint64_t past_width_ns(const struct frame *frame);

/*
 * Adds the counts since the previous frame. Frames may be repeated, and the measurement may have restarted.
 */
void past_add(struct latency_past *past, const struct frame *frame);

/* Calls each for the samples of a CPU, or of all, in the intervals that ended in (from_ns, to_ns], newest
 * first. */
void past_visit(const struct latency_past *past, uint16_t cpu, uint64_t from_ns, uint64_t to_ns,
		void (*each)(void *context, uint64_t end_ns, const struct past_entry *entry), void *context);

/* Adds them to a histogram. */
void past_sum(const struct latency_past *past, uint16_t cpu, uint64_t from_ns, uint64_t to_ns,
	      struct histogram *histogram);

/* The same from the counters of a frame: since the start. */
void past_since_start(const struct frame *frame, const char *cpu, struct histogram *histogram);

#endif
