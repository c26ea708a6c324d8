/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an explanation looks at, and what it says. */
#ifndef PANETOP_MODEL_EXPLAINED_H
#define PANETOP_MODEL_EXPLAINED_H

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

#endif
