/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often a sample has the tables of kept panes that the shown pane does not need, by their cost. */
#ifndef PANETOP_SCREEN_KEPT_PACE_H
#define PANETOP_SCREEN_KEPT_PACE_H

#include <stdint.h>

#define KEPT_SHARE 0.015      /* of a CPU, for those tables */
#define KEPT_PERIOD_SECONDS 8 /* at most; the next sample comes when the delay permits, mostly within 10 */

enum kept_turn {
	KEPT_REST,  /* a sample without them */
	KEPT_FIRST, /* with them, but they have no rates yet */
	KEPT_RATES, /* with them; the sample before had them, too */
};

/* CPU time from a sample to the next one, smoothed: with what is drawn and what workers read. */
struct kept_cost {
	uint64_t ns;
	unsigned n_samples;
};

/* All zero is ready to use. */
struct kept_pace {
	struct kept_cost with, without; /* these tables */
	enum kept_turn turn;            /* of the last sample; … */
	uint64_t cpu_ns;                /* … the CPU time before it; 0: there was none */
	unsigned n_with;                /* samples in a row that had them */
	uint64_t rates_ns, rest_ns;     /* monotonic clock of the last KEPT_RATES and KEPT_REST; 0: none */
};

/*
 * What the sample that is taken now is to have, by the CPU time of the process so far. Rates need two samples
 * in a row, so these come in pairs.
 */
enum kept_turn kept_pace_next(struct kept_pace *pace, uint64_t now_ns, uint64_t cpu_ns, uint64_t delay_ns);

#endif
