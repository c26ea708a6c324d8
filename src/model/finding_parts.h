/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What judging rules (finding_judge.c) and writing rows of findings (finding_rows.c) have in common. */
#ifndef PANETOP_MODEL_FINDING_PARTS_H
#define PANETOP_MODEL_FINDING_PARTS_H

#include <math.h>

#include "core/buffer.h"
#include "core/hash.h"
#include "core/i18n.h"
#include "model/finding.h"
#include "model/finding_past.h"

#define FINDING_OVER_SECONDS 300 /* for which a warning that has ended is shown as earlier */
#define FINDING_CULPRITS_MAX 4

struct finding_row {
	const char *rule, *subject;
	uint64_t number;
	const char *severity, *state, *text;
	double since_seconds;
	uint64_t since_time, until_time;
	const char *topic, *pane, *view, *row, *of;
};

/* A rule that holds for a row. */
struct candidate {
	unsigned rule;
	const void *row; /* NULL: of the machine */
	enum finding_severity severity;
	bool is_over, is_left; /* is_left: another rule has the same fact */
	uint64_t identity;
	double since_seconds, rank;
	uint64_t since_time, changed_ns; /* changed_ns: see struct finding_growth, of its first value */
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
	const struct table *left_to; /* of the rule that is judged the table that has its own; NULL: none */
	struct hash left;            /* of its rows by name */
	struct tally *tallies;
	size_t n_tallies, tally_capacity;
	struct buffer text, user_name;
};

#define FINDING_AGE_MAX 1e9 /* seconds: a recording may say anything */

static inline uint64_t finding_time_before(uint64_t wall_ns, double seconds)
{
	uint64_t ago_ns = (uint64_t)(fmax(0, fmin(seconds, FINDING_AGE_MAX)) * 1e9);

	return ago_ns < wall_ns ? wall_ns - ago_ns : 0;
}

/* A table with rates that cover an interval; NULL: it is not in the frame, or failed. */
const struct table *finding_table(const struct frame *frame, const char *topic);

bool finding_row_has(const void *row, const struct column *column, const char *wanted);
const struct column *finding_first_key(const struct schema *schema, bool is_text);

/* The row that a value is of; table is that of the rule, and becomes that of the value. */
const void *finding_value_row(const struct frame *frame, const struct finding_value *value,
			      const struct table **table, const void *row);

/* Which row a candidate is about; NULL: the machine. */
const char *finding_key(const struct findings *findings, const struct frame *frame,
			const struct candidate *candidate);

bool finding_yields(const struct finding_rule *rule, const struct finding_rule *to);
bool finding_is_same_key(const char *one, const char *other); /* NULL: the machine, of which all is a part */

/* NULL: no rule has this kind. */
struct culprits *finding_culprits(const struct findings *findings, const struct culprit_kind *kind);

/* Of each rule the worst rows, then those that are over, numbered. */
void finding_rows_add(struct findings *findings, struct frame *frame, struct table *table);

#endif
