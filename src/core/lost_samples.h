/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples that could not be written: how many, and when a message says so, which is seldom. */
#ifndef PANETOP_CORE_LOST_SAMPLES_H
#define PANETOP_CORE_LOST_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is ready to use. */
struct lost_samples {
	unsigned long n_lost; /* in no message yet */
	bool last_lost;
	bool reported;        /* the last message was about a loss … */
	uint64_t reported_ns; /* … at this time; 0: there was none */
};

/*
 * Each counts, and true means that text is a message now: of a loss at most once a minute, and that it is
 * written again once after such a message. now_ns is a monotonic clock.
 */
bool lost_samples_add(struct lost_samples *lost, unsigned long n_samples, const char *why, uint64_t now_ns,
		      char *text, size_t room);
bool lost_samples_end(struct lost_samples *lost, char *text, size_t room);

/* At the very end: true, samples were lost that no message has counted. */
bool lost_samples_rest(const struct lost_samples *lost, char *text, size_t room);

#endif
