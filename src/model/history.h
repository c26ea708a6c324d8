/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The past of selected numbers, for graphs and for sentences about the last minutes. */
#ifndef PANETOP_MODEL_HISTORY_H
#define PANETOP_MODEL_HISTORY_H

#include "core/buffer.h"
#include "model/frame.h"

/*
 * What graphs, marks and ages need of the topic sleep: mono_ns of frames does not count the time asleep, and
 * wall_ns moves when the clock is set.
 */

#define SLEEP_TOPIC "sleep"     /* its rows have the columns kind, seconds, from_time and time */
#define SLEEP_SUSPEND "suspend" /* kinds: the machine slept … */
#define SLEEP_CLOCK "clock"     /* … or its clock was set */

/* Of a frame: what happened since the one before it. */
struct sleep_span {
	uint64_t mono_ns;  /* of the frame */
	uint64_t slept_ns; /* 0: it did not sleep, or that is not known */
	int64_t set_ns;    /* above 0: the clock was set forward */
};
struct sleep_span sleep_of_frame(const struct frame *frame);

#define SLEEP_SPANS_MAX 64

/* The latest; where there is no room, the sum of two is at the place of the later one. All zero: none. */
struct sleep_past {
	struct sleep_span spans[SLEEP_SPANS_MAX];
	unsigned n;
};

/* Adds those of a frame, unless it is not newer than the last one. */
void sleep_past_take(struct sleep_past *past, const struct frame *frame);

/* Drops those of frames after mono_ns. */
void sleep_past_rewind(struct sleep_past *past, uint64_t mono_ns);

/* Time from from_ns to to_ns, two mono_ns in their order, with the time asleep between. */
uint64_t sleep_past_between_ns(const struct sleep_past *past, uint64_t from_ns, uint64_t to_ns);

/* What the clock said this long before the frame, time asleep not counted. */
uint64_t sleep_past_wall_ns(const struct sleep_past *past, const struct frame *frame, uint64_t awake_ns);

#define HISTORY_MARKS_MAX 16

/* A number: of the row with this first KEY column, or of the first row if row is NULL. */
struct series {
	const char *topic, *row, *column;
	bool while_shown; /* of a pane: its topic is not sampled for it while the pane is hidden */
};

/* A marked moment, such as "caches dropped": one letter on the graph. */
struct history_mark {
	uint64_t mono_ns;
	char letter;
};

/* A ring buffer of samples. */
struct history {
	struct series *series; /* owned; the texts of those given to history_open() are borrowed */
	unsigned n_series, n_borrowed;
	size_t capacity, first, count;
	uint64_t *mono_ns;           /* of each sample */
	double *values;              /* capacity × n_series; NaN: unknown */
	struct history_mark marks[HISTORY_MARKS_MAX];
	unsigned n_marks;
	struct sleep_past slept; /* when the machine slept: gaps of a graph */
};

void history_open(struct history *history, const struct series *series, unsigned n_series, size_t capacity);
void history_close(struct history *history);
void history_clear(struct history *history);

/*
 * Index of the series with this name; if it is new, it is recorded from frame (the newest) on, and its past
 * is unknown. The texts are copied.
 */
unsigned history_follow(struct history *history, const struct series *wanted, const struct frame *frame);

/* Adds the numbers of this frame; ignores a frame that is not newer than the last one. */
void history_add(struct history *history, const struct frame *frame);

/* Replaces a value of the newest sample if that is of this frame: by a number derived from it. */
void history_set(struct history *history, unsigned series, const struct frame *frame, double value);

/* Drops what is newer than mono_ns. */
void history_rewind(struct history *history, uint64_t mono_ns);

/* Makes the past of all numbers of this topic unknown: they meant something else. */
void history_forget_topic(struct history *history, const char *topic);
void history_mark(struct history *history, uint64_t mono_ns, char letter);

/* Index 0 is the oldest sample. A series that it does not have is unknown. */
uint64_t history_time(const struct history *history, size_t index);
double history_value(const struct history *history, unsigned series, size_t index);

/* A moment on a clock that counts the time asleep, too: the axis of a graph. */
uint64_t history_clock(const struct history *history, uint64_t mono_ns);

/* Index of the newest sample at or before mono_ns; -1: none. */
long history_find(const struct history *history, uint64_t mono_ns);

/* A sample is valid for this many times the usual time between samples. */
#define HISTORY_HOLD_STEPS 1.5

/*
 * The values of a series at count moments step_ns apart, the last one at end_ns: each from the newest sample
 * before it, NaN if that is more than hold_ns old.
 */
void history_resample(const struct history *history, unsigned series, uint64_t end_ns, uint64_t step_ns,
		      uint64_t hold_ns, double *values, size_t count);

/*
 * The oldest and the newest known value of a series within [from_ns, to_ns] and the time between them. False
 * when there are not two.
 */
struct history_span {
	double first, last;
	double seconds;
};
bool history_between(const struct history *history, unsigned series, uint64_t from_ns, uint64_t to_ns,
		     struct history_span *span);

struct summary_column {
	struct series series; /* which number */
	const char *title;    /* N_(); NULL: the title of its column */
	int width;            /* minimum width in cells */
	unsigned rows; /* above 0: at most this many rows of the table, each headed by its label */
};

#define REPORTED_LINES_MAX 4

/* All lines have the unit of the first one's column. */
struct reported_chart {
	const char *title; /* N_() */
	struct {
		const char *name; /* N_() */
		struct series series;
	} lines[REPORTED_LINES_MAX]; /* ended by one without name */
	struct series whole;         /* its highest value is the end of the axis; without topic: round, … */
	double least_end;            /* … and at least this */
};

struct reported_table {
	const char *title; /* N_() */
	const char *topic;
	const char *columns, *sort; /* as of a pane's table */
	const char *with_names;     /* its columns with --report-names; NULL: the same */
	const char *threshold;      /* only rows in which this column, by key, has … */
	double least;               /* … at least this; NULL: all rows */
	size_t rows;                /* at most */
};

/* The lists end with an entry without a title, those of names with NULL. */
struct reported {
	const struct reported_chart *charts;
	const struct reported_table *tables;
	const char *const *also; /* more topics to read: of lines and machine */
	const char *const
		*strained;      /* rows of pressure: of equally bad samples the one where most tasks wait */
	struct series pressure; /* … which has those rows; row NULL */
	struct series own_cpu;  /* what panetop itself used */
	/* The machine in a few lines. */
	void (*lines)(const struct frame *frame, bool ascii, struct buffer *out);
};

#define MARKS_MAX 64

enum mark_kind { MARK_USER, MARK_FINDING, MARK_SLEEP, MARK_CLOCK };

/*
 * A marked moment: of the user, or one in which a finding begins, a rule of the user fires, the machine
 * sleeps or its clock is set.
 */
struct mark {
	uint64_t wall_ns;
	enum mark_kind kind;
	uint64_t finding; /* which one begins, or which rule fires; else 0 */
	bool is_critical; /* the finding was, then or later */
};

#define MARKS_STRETCHES_MAX 32

/* In the order in which they were made; the oldest ones make room, those of the user last. */
struct marks {
	struct mark list[MARKS_MAX];
	unsigned n;
	uint64_t first_ns; /* mono_ns of frames with findings and rates, without a gap; 0: none yet … */
	uint64_t last_ns;  /* … and the last one of them */
	struct stretch_judged {
		uint64_t from_ns, to_ns; /* CLOCK_REALTIME */
	} stretches[MARKS_STRETCHES_MAX]; /* whose findings are known; the oldest one makes room */
	unsigned n_stretches, stretch;    /* the one that grows */
	struct sleep_past slept;
};

void marks_add(struct marks *marks, uint64_t wall_ns);

/*
 * Marks the moments in which the findings of this frame began to hold, its rules fired, and a sleep began,
 * each once. What held in the first frame, or in the first one after a gap, began at a moment that is not
 * known.
 */
void marks_take(struct marks *marks, const struct frame *frame);

/* Would a finding that began then (CLOCK_REALTIME) be marked? */
bool marks_know(const struct marks *marks, uint64_t wall_ns);

#endif
