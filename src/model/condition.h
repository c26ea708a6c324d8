/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions on the tables of a frame, as users write them: TOPIC(SELECT).COLUMN OP NUMBER[UNIT]. */
#ifndef PANETOP_MODEL_CONDITION_H
#define PANETOP_MODEL_CONDITION_H

#include "model/frame.h"

#define CONDITION_SELECTS_MAX 8
#define CONDITION_VALUE_MAX 256

enum relation {
	RELATION_LESS,
	RELATION_LESS_EQUAL,
	RELATION_GREATER,
	RELATION_GREATER_EQUAL,
	RELATION_EQUAL,
	RELATION_NOT_EQUAL,
};

/* Takes one of < <= > >= == != from the front of rest; false: there is none. */
bool relation_parse(struct span *rest, enum relation *relation);

/* NaN is in no relation to a number. */
bool relation_holds(double value, enum relation relation, double limit);

/* Only rows with this value. */
struct condition_select {
	struct span column; /* empty: the KEY column at this place among them */
	char value[CONDITION_VALUE_MAX];
	const struct column *bound;
};

struct condition {
	struct span text;   /* as written; borrowed, as the other spans are */
	struct span topic;
	struct span column; /* empty: the number of rows */
	struct condition_select selects[CONDITION_SELECTS_MAX];
	unsigned n_selects;
	enum relation relation;
	double limit;
	enum unit unit;     /* of the limit as written: UNIT_SECONDS, UNIT_BYTES, UNIT_RATIO (%), UNIT_NONE */
	/* set by condition_bind() */
	const struct schema *schema;
	const struct column *measured; /* NULL: the number of rows */
};

enum condition_error {
	CONDITION_GOOD,
	CONDITION_NO_TOPIC,       /* it does not begin with a name */
	CONDITION_OPEN,           /* a bracket or quote is not closed */
	CONDITION_TOO_LONG,       /* more than CONDITION_SELECTS_MAX values, or a value is too long */
	CONDITION_NO_COMPARISON,
	CONDITION_NO_NUMBER,
	/* of condition_bind() */
	CONDITION_UNKNOWN_COLUMN,
	CONDITION_NOT_NUMERIC,
	CONDITION_TOO_MANY_KEYS,
	CONDITION_OTHER_UNIT,     /* of the number, than the column has */
};

/*
 * Takes one condition, with the blanks around it, from the front of rest. After an error *wrong is what comes
 * next, or, without a comparison, what is there.
 */
enum condition_error condition_parse(struct span *rest, struct condition *condition, struct span *wrong);

/* Finds its columns in the schema of its topic. */
enum condition_error condition_bind(struct condition *condition, const struct schema *schema,
				    struct span *wrong);

struct condition_result {
	bool holds;       /* of every row; never where something is not known */
	double value;     /* that does not hold, or the last one; NaN: not known, or no such row */
	const void *row;  /* with that value; NULL: none, or it is the number of rows */
};

/* A missing table or row, a table that failed and an unknown value hold no condition. */
struct condition_result condition_judge(const struct condition *condition, const struct frame *frame);

/* Is it one of the rows that the condition is about? */
bool condition_selects(const struct condition *condition, const void *row);

/* Does it hold of this number? NaN: no. */
bool condition_compares(const struct condition *condition, double value);

#endif
