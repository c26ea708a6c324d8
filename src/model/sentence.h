/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sentences with numbers in them, and the conditions under which they are true, both as text over names:
 * of columns, and of what a pane adds to them.
 *
 * A sentence: "It uses {used} of {limit:.2} CPUs[, {cache} of it cache]." What is between brackets is left
 * out where something that it names is not known. Behind a colon stands how a number is written: ".2" with so
 * many decimal places; "cpus" with one, below 0.1 with two; else as amount_text() does, by its unit, or
 * whole without one.
 *
 * A condition: "state == S|D, cpu_ratio < 0.05, not disk_ratio > 4 * wait_ratio, hot_function". All of it
 * must hold. A number is compared (== != < <= > >=) with a number, a name, or a number times a name; a text
 * (== !=) with words. A name alone holds if it is known. No comparison with what is unknown holds.
 */
#ifndef PANETOP_MODEL_SENTENCE_H
#define PANETOP_MODEL_SENTENCE_H

#include "core/buffer.h"
#include "model/frame.h"

/* What a name stands for: a text, or a number. Not known: an empty text, NaN. */
struct fact {
	const char *text; /* NULL: it is a number */
	double number;
	enum unit unit;   /* of the number */
};

/* Where names are looked up: the first member of what knows them. */
struct facts {
	struct fact (*find)(const struct facts *facts, struct span name);
};

/* That of a name which nothing has. */
#define FACT_UNKNOWN ((struct fact){ .number = NAN })

/* The columns of a row. */
struct row_facts {
	struct facts facts; /* whose find is row_fact */
	const struct table *table;
	const void *row;
};

struct fact row_fact(const struct facts *facts, struct span name);

void sentence_add(struct buffer *out, const char *text, const struct facts *facts);
bool sentence_holds(const char *condition, const struct facts *facts);

/* A sentence with its condition. */
struct remark {
	const char *when; /* NULL: always */
	const char *text; /* N_() */
	const char *many;  /* N_(): for more than one; NULL: text is for any number … */
	const char *count; /* … and the name of that number */
	int level;         /* as whoever asks means it */
	bool more;         /* added to the one before */
};

/*
 * Adds the first that holds, with its own more, translated, each behind a blank unless out is empty. Its
 * level; -1: none holds.
 */
int remarks_say(struct buffer *out, const struct remark *remarks, size_t n_remarks,
		const struct facts *facts);

#endif
