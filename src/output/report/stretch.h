/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a page is made of, and what it has of all samples of a recording: graphs, findings, the moment. */
#ifndef PANETOP_OUTPUT_REPORT_STRETCH_H
#define PANETOP_OUTPUT_REPORT_STRETCH_H

#include "model/explanation.h"
#include "model/finding.h"
#include "model/frame.h"
#include "model/history.h"
#include "model/scope.h"

/* What a page is made of, and why it cannot be made. */
#define REPORT_WORST SIZE_MAX /* the moment to explain: that of the worst finding, or of most pressure */
#define REPORT_TO_END SIZE_MAX

/* All borrowed. */
struct report_plan {
	const struct source *source; /* of a recording, which was read to its end */
	size_t first, last;          /* indexes of its samples; last may be REPORT_TO_END */
	size_t moment;               /* index of the sample to explain, or REPORT_WORST */
	size_t n_read;               /* samples to read at most, every second, third … of them; 0: all */
	const struct schema *const *schemas;
	unsigned n_schemas;
	const struct finding_rule *rules;
	unsigned n_rules;
	const struct settings *settings;          /* limits of the rules; NULL: none are set */
	const struct explained_series *explained; /* see explanation_take() */
	const struct reported *reported;
	struct scope *scope;       /* NULL: all processes */
	bool names;                /* with command lines, users and addresses */
	bool (*interrupted)(void); /* asked before each sample: true ends it; NULL: never */
};

enum report_fault {
	REPORT_FAULTLESS,
	REPORT_EMPTY,      /* the recording has no samples */
	REPORT_ONE_SAMPLE, /* … or a single one, which has no rates */
	REPORT_UNREADABLE, /* no sample can be read */
	REPORT_INTERRUPTED,
};

/* What a page has of all samples of a recording: the numbers of its graphs, findings, and the moment. */
#define STRETCH_POINTS_MAX 480 /* of a graph: about the cells of two screens, so that a page stays small */
#define STRETCH_FINDINGS_MAX 200

/* A finding about one subject, as long as it comes and goes. Its texts are in the arena of the stretch. */
struct stretch_finding {
	const char *rule, *subject;
	char text[TEXT_MAX];  /* at its worst, if it has ended; else at the moment, or when it told most */
	uint64_t text_ns;     /* CLOCK_REALTIME of the sample that it is of; 0: it was always the same */
	bool has_ended;
	bool happened; /* at since_ns, and last at until_ns */
	const char *severity; /* the worst, as the table has it */
	enum finding_severity level;
	uint64_t since_ns, until_ns; /* CLOCK_REALTIME: from when, and up to when, it was so */
	bool is_least;               /* it may have begun earlier */
	size_t n_samples, n_episodes; /* in which it held */
	size_t judged;               /* number of the last sample with it, of those with findings */
};

struct stretch {
	uint64_t first_ns, last_ns; /* CLOCK_REALTIME of the first and the last sample */
	size_t n_samples, n_gaps, n_boots;
	size_t step;         /* 1: all samples were read; 2: every second one, … */
	double step_seconds; /* usual time between two samples */
	size_t n_points;     /* of each line: the highest value of the samples about that time */
	double *values;      /* n_points of each line of each chart, in their order; NaN: unknown */
	bool *apart;         /* of each point: a gap lies before it, or in it */
	struct stretch_finding *findings; /* the worst first; of the same kind the longest */
	size_t n_findings, capacity;
	bool has_more_findings;    /* … than STRETCH_FINDINGS_MAX subjects */
	struct frame moment;       /* the sample that the page explains, with rates and findings … */
	size_t moment_index;       /* … in the source */
	bool has_findings; /* the moment: which are not over */
	bool waited_most;  /* … and no sample has more pressure */
	double own_mean, own_most; /* share of a CPU that panetop itself used; NaN: unknown */
	struct arena arena;
};

/* Reads the samples of the plan. stretch_free() in either case. */
enum report_fault stretch_read(struct stretch *stretch, const struct report_plan *plan);
void stretch_free(struct stretch *stretch);

/* The values of a line of a chart. */
const double *stretch_line(const struct stretch *stretch, const struct reported *reported, size_t chart,
			   size_t line);

/* Where a time is between the first and the last point, 0 to n_points - 1. */
size_t stretch_point(const struct stretch *stretch, uint64_t wall_ns);

/* The middle of the time of a point. */
uint64_t stretch_time(const struct stretch *stretch, size_t point);

#endif
