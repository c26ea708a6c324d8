/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What changed around a moment of a recording or of the past: numbers that departed from what they usually
 * were, processes that started, exited or use more, and events by command. It says what and when, never why.
 */
#ifndef PANETOP_MODEL_EXPLANATION_H
#define PANETOP_MODEL_EXPLANATION_H

#include "model/frame.h"

/* What is used up: a change of the machine, and those processes that made it, have the same one. */
enum explained_resource {
	EXPLAINED_ALONE, /* it stands for itself */
	EXPLAINED_CPU,
	EXPLAINED_MEMORY,
	EXPLAINED_DISK,
	EXPLAINED_NETWORK,
	EXPLAINED_STARTS, /* of processes */
	EXPLAINED_OTHER,  /* follows from others */
};

/* A number to look at. */
struct explained_series {
	const char *name; /* N_() */
	const char *topic;
	const char *row, *other; /* texts of its KEY columns; row "": the first row; NULL: all but the sum */
	const char *column;
	double least;            /* the smallest change that is worth a line */
	const char *pane, *view; /* which show it; view "": the home of the pane */
	enum explained_resource resource;
};

struct explained_line {
	const char *subject;     /* "CPU busy", "make 4711" */
	const char *change;      /* "98 %, usually 3.1 %" */
	const char *when;        /* "rose 6.0 s before" */
	const char *sentence;    /* all of it */
	const char *counted;     /* how it was compared, as a sentence; "": with nothing */
	const char *pane, *view; /* which show it … */
	const char *topic, *row; /* … in this row, by its first key; "": none */
	uint64_t pid;            /* … or this process; U64_UNKNOWN: none */
	double start_seconds;
	uint64_t wall_ns; /* … in this sample */
	double rank;
	double away_seconds; /* it changed so long before or after the moment */
	bool related;        /* to the resource of the first line; of other changes */
	bool below; /* it has a part in what the last line that is not below is about */
};

struct explanation {
	struct arena arena;
	struct explained_line *lines; /* causes, then other changes; what is near the moment first */
	size_t n_lines, capacity;
	size_t n_causes;     /* one a resource, with its processes below it; the rest follows */
	uint64_t wall_ns;    /* the explained moment */
	size_t n_samples;    /* before it that were compared … */
	double seconds;      /* … and the time that they cover, … */
	const char *span;    /* … which is "5 min" */
	const char *remarks; /* sentences: what could not be compared, and why; "": nothing */
};

/*
 * Explains the sample at this index; all zero is an empty explanation. The source is left at another place,
 * and wants other topics. The list of series ends with one without a topic.
 */
void explanation_take(struct explanation *explanation, const struct source *source, size_t index,
		      const struct schema *const *schemas, unsigned n_schemas,
		      const struct explained_series *series);
void explanation_free(struct explanation *explanation);

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
