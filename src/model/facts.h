/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the names in sentences and conditions stand for: columns of rows, and what a pane adds to them. */
#ifndef PANETOP_MODEL_FACTS_H
#define PANETOP_MODEL_FACTS_H

#include "model/frame.h"
#include "model/origin.h"

/* What a name stands for: a text, or a number. Not known: an empty text, NaN. */
struct fact {
	const char *text; /* NULL: it is a number */
	double number;
	enum unit unit;   /* of the number */
	bool words;       /* the text is N_(): sentences have it translated, conditions do not */
	struct origin origin; /* without a column it was made; then from may be set */
};

/* Where names are looked up: the first member of what knows them. */
struct facts {
	struct fact (*find)(const struct facts *facts, struct span name);
};

/* That of a name which nothing has. */
#define FACT_UNKNOWN ((struct fact){ .number = NAN })

static inline struct fact number_fact(double number, enum unit unit)
{
	return (struct fact){ .number = number, .unit = unit };
}

/* NULL: not known. */
static inline struct fact text_fact(const char *text)
{
	return (struct fact){ .text = text ? text : "" };
}

/* Known if it is true. */
static inline struct fact yes_fact(bool is_true)
{
	return text_fact(is_true ? "yes" : NULL);
}

static inline bool fact_is_known(const struct fact *fact)
{
	return fact->text ? *fact->text != '\0' : !isnan(fact->number);
}

/* What no column has. */
struct made_fact {
	const char *name;
	struct fact fact;
	const char *from; /* what it is made of: names of facts, and what is done with them; may be NULL */
};

/* With what it is made of. */
struct fact made_fact_of(const struct made_fact *made);

/* A column of a row of this table, either may be NULL: then it is not known. */
struct fact column_fact(const struct table *table, const void *row, const char *column);

/* Adds the origins of the facts that are named here. */
void facts_drawn(const struct facts *facts, const char *names);

/* The same of one that is known: numbers, and what texts are made of. */
void fact_drawn(const struct facts *facts, const struct fact *fact);

/*
 * The columns of a row (NULL: none), and what is made of them, which hides a column of the same name; and, in
 * a frame, TOPIC.COLUMN of the first row, TOPIC.KEY.COLUMN, and TOPIC.KEY/OTHER.COLUMN of one with two keys.
 */
struct row_facts {
	struct facts facts; /* whose find is row_fact */
	const struct table *table;
	const void *row;
	const struct made_fact *made;
	size_t n_made;
	const struct frame *frame; /* NULL: none */
};

struct fact row_fact(const struct facts *facts, struct span name);

#endif
