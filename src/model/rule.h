/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of --when: CONDITION [for DURATION] [until CONDITION] [at most once per DURATION]. */
#ifndef PANETOP_MODEL_RULE_H
#define PANETOP_MODEL_RULE_H

#include "model/condition.h"

struct rule {
	struct span text; /* as written, without blanks around it; borrowed, as those of its conditions are */
	struct condition when;
	bool of_rows;   /* it has no comparison: it holds of each row that is there … */
	bool of_growth; /* … or, of a counter, it fires whenever that has grown */
	bool has_until;
	struct condition until;
	double hold_seconds; /* it fires after it has held for so long */
	bool has_hold, has_rest;
	double rest_seconds; /* it fires once in this time at most; 0: each time */
};

enum rule_error {
	RULE_GOOD = CONDITION_GOOD,
	/* those of enum condition_error, then: */
	RULE_NO_DURATION = CONDITION_OTHER_UNIT + 1,
	RULE_UNEXPECTED, /* none of the words that may follow a condition */
	RULE_TWICE,      /* a word that was there before */
};

/* After an error *wrong is what comes next, or, without a comparison, what is there. */
enum rule_error rule_parse(struct span text, struct rule *rule, struct span *wrong);

/* Does it hold of this row? Not where the value is not known. Of a condition on the number of rows: false. */
bool rule_holds_of(const struct rule *rule, const void *row);

/* Is it about the number of rows, rather than about each row? */
static inline bool rule_counts_rows(const struct rule *rule)
{
	return !rule->of_rows && !rule->when.measured;
}

#endif
