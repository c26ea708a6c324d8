/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences and conditions over names of columns, and the facts that the names stand for. */
#ifndef PANETOP_MODEL_SENTENCE_H
#define PANETOP_MODEL_SENTENCE_H

#include "model/units.h"

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

/*
 * How a sentence writes what it names: "-" if it is not known, a text as it is or translated, a number by its
 * format: ".2" with two decimal places; "0.2" the same, but whole numbers without; "100.2" its hundredfold;
 * ".2%" as percents, "%" as whole ones; "cpus" with one place, below 0.1 with two; "rate" as rate_short() and
 * "time" as duration_text() have it; "short" as in a table, by its unit; "C" with a degree sign; "clock" the
 * time of day, "date" with its date. Without a format it is written as amount_text() does, by its unit, or
 * whole without one.
 */

#define FACT_TEXT_MAX CLOCK_TEXT_MAX

/* The text of the fact, or out, which has FACT_TEXT_MAX bytes. */
const char *fact_text(char *out, const struct fact *fact, struct span format);

/*
 * Sentences with numbers in them, and the conditions under which they are true, both as text over names:
 * of columns, and of what a pane adds to them.
 *
 * A sentence: "It uses {used} of {limit:.2} CPUs[, {cache} of it cache]." What is between brackets is left
 * out where something that it names is not known. Behind a colon stands how a number is written, as
 * fact_text() has it.
 *
 * A condition: "state == S|D, cpu_ratio < 0.05, not disk_ratio > 4 * wait_ratio, hot_function". All of it
 * must hold. A number is compared (== != < <= > >=) with a number, a name, a number times a name, or a name
 * less a number ("limit - 5"); a text (== !=) with words. A name alone holds if it is known. No comparison
 * with what is unknown holds.
 */
void sentence_add(struct buffer *out, const char *text, const struct facts *facts);

/* The same into TEXT_MAX bytes; returns out. */
char *sentence_text(char *out, const char *text, const struct facts *facts);

/* Is the text one of WORD|WORD…? */
bool text_is_one_of(const char *text, struct span words);

bool sentence_holds(const char *condition, const struct facts *facts);

/* A sentence with its condition. */
struct remark {
	const char *when; /* NULL: always */
	const char *text; /* N_(), or with the next PN_() */
	const char *many;  /* for more than one; NULL: text is for any number … */
	const char *count; /* … and the name of that number */
	int level;         /* as whoever asks means it */
	bool more;         /* added to the one before */
	const char *stays; /* once it held, this counts in place of when; NULL: when does */
	const char *rules; /* "NAME|NAME": their findings are the same fact, and say how bad it is */
};

#define REMARKS(list) (list), sizeof(list) / sizeof((list)[0]) /* and how many there are */

/* Is it true? Then it is added, translated. */
bool remark_say(struct buffer *out, const struct remark *remark, const struct facts *facts);

/* The first that holds, a text without names, translated; "": none holds. */
const char *remarks_first(const struct remark *remarks, size_t n_remarks, const struct facts *facts);

/* The index of the first that holds; held: of the one that held before. n_remarks: none. */
size_t remarks_find(const struct remark *remarks, size_t n_remarks, const struct facts *facts, size_t held);

/* Says the one with this index, with its own more, translated. Its level; -1: there is none. */
int remarks_say_at(struct buffer *out, const struct remark *remarks, size_t n_remarks,
		   const struct facts *facts, size_t index);

/* Says the first that holds, with its own more, translated. Its level; -1: none holds. */
int remarks_say(struct buffer *out, const struct remark *remarks, size_t n_remarks,
		const struct facts *facts);

#endif
