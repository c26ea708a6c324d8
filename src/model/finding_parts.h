/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What judging rules (finding_judge.c) and writing rows of findings (finding_rows.c) have in common. */
#ifndef PANETOP_MODEL_FINDING_PARTS_H
#define PANETOP_MODEL_FINDING_PARTS_H

#include <math.h>

#include "core/hash.h"
#include "core/i18n.h"
#include "model/finding.h"
#include "model/history.h"

/* What findings remember of earlier frames: values, for their growth, and since when a rule has held. */
struct finding_trace; /* of one value */

/* The sentence of a rule that held, when it was worst: a copy. */
struct finding_told {
	const char *subject, *text, *row; /* row: NULL: it was about the machine */
	double rank;                /* a higher one is worse; NaN: all are alike */
	double worst;               /* the highest rank so far; a sentence of a longer time may have less */
	double covered;             /* seconds that its numbers are of */
	double since_seconds;       /* its age when it was so last */
	bool is_least;              /* … is the least */
	uint64_t until_ns;          /* CLOCK_MONOTONIC, up to which it was so */
	uint64_t since_wall_ns, until_wall_ns; /* CLOCK_REALTIME, from and up to which it was so */
};

/* In which a rule held for a row. */
struct finding_spell {
	uint64_t identity;
	unsigned rule;
	bool ended, was_found; /* was_found: it has held for the time of its rule */
	uint64_t begin_ns, end_ns; /* end: the last frame in which it held */
	uint64_t begin_wall_ns;    /* CLOCK_REALTIME then */
	double lead_seconds;       /* for which it was so before, by a share of the time before it held */
	bool is_early; /* its begin depends on what was before the first frame … */
	bool unseen;   /* … which it may have begun in, as far as is known */
	struct finding_told told;  /* subject NULL: nothing */
};

/* All zero is empty. Identities are those of the caller. */
struct finding_past {
	struct finding_trace *traces;
	size_t n_traces, trace_capacity, next_trace;
	struct finding_spell *spells;
	size_t n_spells, spell_capacity;
	uint64_t now_ns, before_ns; /* of frames; 0: none */
	uint64_t wall_ns;           /* CLOCK_REALTIME of now_ns */
	uint64_t first_ns;          /* of the first frame */
	struct sleep_past slept;
	uint64_t *unsure, *were_unsure; /* identities of what may hold in this frame, or the one before */
	size_t n_unsure, n_were_unsure, unsure_capacity, were_unsure_capacity;
	enum findings_begin begin;
};

/* The frame of these times follows. */
void finding_past_begin(struct finding_past *past, uint64_t mono_ns, uint64_t wall_ns);

/* These seconds awake, up to now, with the time asleep between. */
double finding_past_seconds(const struct finding_past *past, double awake_seconds);

/* What a value is compared with. */
struct finding_window {
	double seconds;
	bool counter;   /* one that shrank starts again */
	bool from_zero; /* unless it was in the frame before, it was 0 there, or what it was last */
	bool mean;      /* not its growth: its mean in the window, of all frames and now */
};

struct finding_growth {
	double number;       /* within the window, or since it was first seen; NaN: only now */
	double covered;      /* seconds that it is of */
	uint64_t changed_ns; /* when the value grew last, as far as that was seen; 0: not at all */
	uint64_t before_ns;  /* when it was seen before that */
};

struct finding_growth finding_past_growth(struct finding_past *past, uint64_t identity, double now,
					  const struct finding_window *window);

#define FINDING_BACK_SECONDS 10 /* a finding that is back within this time has not ended */

/* Did it hold in the frame before this one, or was it a finding a moment ago? */
bool finding_past_held(const struct finding_past *past, uint64_t identity);

/*
 * It holds now: since begin_ns of its spell. A time that was not observed is bridged if it is short. The
 * spell is there until the next call.
 */
struct finding_spell *finding_past_hold(struct finding_past *past, uint64_t identity, unsigned rule);

/* By numbers that are of less time than they should be it does not hold, but it may. */
void finding_past_be_unsure(struct finding_past *past, uint64_t identity);
bool finding_past_was_unsure(const struct finding_past *past, uint64_t identity);

/* All rows of this rule were judged: what did not hold has ended. */
void finding_past_end(struct finding_past *past, unsigned rule);

/*
 * The next spell that has ended less than that many seconds ago; the newest first. NULL: there is no more.
 * at: 0 at first.
 */
const struct finding_spell *finding_past_over(const struct finding_past *past, double seconds, size_t *at);

void finding_past_empty(struct finding_past *past);
void finding_past_free(struct finding_past *past);

struct culprits; /* of one kind */

struct culprits *culprits_open(const struct culprit_kind *kind);
void culprits_close(struct culprits *culprits);
void culprits_forget(struct culprits *culprits); /* earlier frames */

/* Would earlier frames name the same? */
bool culprits_are_settled(const struct culprits *culprits);

/* Adds what the sources have in this frame, whose rates are derived. */
void culprits_take(struct culprits *culprits, const struct frame *frame);

#define FINDING_WINDOW_MOST 1.2 /* of the time of a window: the frame at its start may be so much too early */
#define FINDING_OVER_SECONDS 300 /* for which a warning that has ended is shown as earlier */
#define FINDING_CULPRITS_MAX 4

struct finding_row {
	const char *rule, *subject;
	uint64_t number;
	const char *severity, *state, *begun, *text;
	double since_seconds, ended_seconds;
	uint64_t since_time, until_time;
	const char *topic, *pane, *view, *row, *of;
	uint64_t row_key; /* row_hash_key() of the row of the topic; no column; 0: there is none */
	bool of_group;    /* row is the path of a control group; no column */
};

/* A rule that holds for a row. */
struct candidate {
	unsigned rule;
	const void *row; /* NULL: of the machine */
	enum finding_severity severity;
	bool is_over, is_left; /* is_left: another rule has the same fact */
	bool is_least;         /* since_seconds may be more */
	uint64_t identity;
	double since_seconds, rank;
	double ago_seconds; /* of what happened: with the time asleep */
	uint64_t since_time, changed_ns, before_ns; /* see struct finding_growth, of its first value */
	double covered;      /* seconds that the growths of its values are of */
	bool is_young;       /* the value that was read last has no growth yet */
	double values[FINDING_VALUES_MAX];
};

/* What the settings make of a rule, and what frames had for it. */
struct rule_limits {
	bool off;
	const char *unless; /* of the settings; NULL: none */
	double hold, values[FINDING_VALUES_MAX], keeps[FINDING_VALUES_MAX];
	bool takes_off; /* some frame had what is taken off: without it, the rest says nothing */
	double window;  /* seconds, the longest of its values */
	struct judged_at {
		uint64_t first_ns, last_ns, before_ns; /* frames in which it was; 0: none */
		double most;      /* the key of the row that its with_column names … */
		uint64_t most_ns; /* … and since when */
	} judged;
};

#define FINDING_KEPT 128 /* frames of which the rows are kept */

/* The rows of a frame. */
struct kept_rows {
	uint64_t mono_ns;
	bool is_exact; /* … after all the frames that they depend on */
	bool present;
	struct finding_row *rows;
	size_t n_rows, capacity;
	struct buffer texts; /* their subjects, texts and keys */
};

/* How many rows name another one. */
struct tally {
	double key;
	size_t n;
};

struct findings {
	const struct finding_rule *rules;
	unsigned n_rules;
	struct rule_limits *limits; /* of each rule */
	struct finding_past past;
	struct culprits *culprits[FINDING_CULPRITS_MAX]; /* by the kind of rules */
	const struct culprit_kind *kinds[FINDING_CULPRITS_MAX];
	unsigned n_culprits;
	struct candidate *candidates;
	size_t n_candidates, capacity;
	const struct finding_row *stored; /* rows that the frame came with: Prometheus knows longer ago … */
	size_t n_stored;                  /* … since when they have held */
	struct tally *tallies;
	size_t n_tallies, tally_capacity;
	struct buffer text, user_name;
	struct kept_rows *kept; /* of the last frames, in a circle; NULL: none are kept */
	unsigned next_kept;
};

#define FINDING_AGE_MAX 1e9 /* seconds: a recording may say anything */

/* Below 0 it is after that: what happened while a sample was taken. */
static inline uint64_t finding_time_before(uint64_t wall_ns, double seconds)
{
	uint64_t ago_ns = (uint64_t)(fmin(fabs(seconds), FINDING_AGE_MAX) * 1e9);

	if (seconds < 0)
		return wall_ns + ago_ns;
	return ago_ns < wall_ns ? wall_ns - ago_ns : 0;
}

bool finding_row_has(const void *row, const struct column *column, const char *wanted);

/* The row that a value is of; table is that of the rule, and becomes that of the value. */
const void *finding_value_row(const struct frame *frame, const struct finding_value *value,
			      const struct table **table, const void *row);

/*
 * Does a candidate speak of the same fact as this rule of the row with this key (NULL: of the machine)? One
 * that is over does not speak of what holds.
 */
bool findings_say_it(const struct findings *findings, const struct frame *frame,
		     const struct finding_rule *rule, const char *key, bool is_over);

/* Has one that has ended spoken of it, within the time for which it is shown? */
bool findings_said_it(const struct findings *findings, const struct finding_rule *rule, const char *key);

/* Does the row say that it was so before it was seen? */
bool finding_began_before(const struct finding_rule *rule, const struct table *table, const void *row);

/* NULL: none are kept. */
const struct kept_rows *finding_rows_kept(const struct findings *findings, uint64_t mono_ns);

/* Fills the table from what is kept; false: nothing is. */
bool finding_rows_recall(const struct findings *findings, struct frame *frame, struct table *table);
void finding_rows_keep(struct findings *findings, const struct table *table);

/* NULL: no rule has this kind. */
struct culprits *finding_culprits(const struct findings *findings, const struct culprit_kind *kind);

/* Of each rule the worst rows, then those that are over, numbered. */
void finding_rows_add(struct findings *findings, struct frame *frame, struct table *table);

#endif
