/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does the last number of a series depart from what it usually was? */
#ifndef PANETOP_MODEL_DEPARTURE_H
#define PANETOP_MODEL_DEPARTURE_H

#include <stddef.h>

#define DEPARTURE_SAMPLES_MIN 10

enum departure_verdict {
	DEPARTURE_NONE,
	DEPARTURE_ROSE,
	DEPARTURE_FELL,
	DEPARTURE_UNKNOWN, /* the last number is not known */
	DEPARTURE_TOO_FEW, /* … or too few of those before */
};

struct departure {
	double now, usual; /* usual: the median of those before */
	double spread;     /* their median distance from it, times 1.4826: a standard deviation of noise */
	double extreme;    /* of them: the highest if it rose, the lowest if it fell */
	size_t n_usual;    /* how many of them are known */
	size_t n_since;    /* the last numbers that are away from the usual, this one included */
};

/*
 * Values in the order of time, NaN where one is not known; the last one is judged. It departs if it is at
 * least least away from the median of those before it, four times their spread, and if at most 2 % of them
 * were half as far away in that direction: what comes again and again is usual. The last numbers that are
 * away together are one departure, and the ones before it are what is usual.
 */
enum departure_verdict departure_judge(const double *values, size_t count, double least,
				       struct departure *departure);

#endif
