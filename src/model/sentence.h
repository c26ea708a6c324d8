/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sentences with numbers in them, and the conditions under which they are true, both as text over names:
 * of columns, and of what a pane adds to them.
 *
 * A sentence: "It uses {used} of {limit:.2} CPUs[, {cache} of it cache]." What is between brackets is left
 * out where something that it names is not known. Behind a colon stands how a number is written, as
 * fact_text.h has it.
 *
 * A condition: "state == S|D, cpu_ratio < 0.05, not disk_ratio > 4 * wait_ratio, hot_function". All of it
 * must hold. A number is compared (== != < <= > >=) with a number, a name, a number times a name, or a name
 * less a number ("limit - 5"); a text (== !=) with words. A name alone holds if it is known. No comparison
 * with what is unknown holds.
 */
#ifndef PANETOP_MODEL_SENTENCE_H
#define PANETOP_MODEL_SENTENCE_H

#include "core/buffer.h"
#include "model/facts.h"

void sentence_add(struct buffer *out, const char *text, const struct facts *facts);

/* The same into TEXT_MAX bytes; returns out. */
char *sentence_text(char *out, const char *text, const struct facts *facts);

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

/* Each that holds of a row of the table (NULL: none) from this one on, as a line: by remark, then by row. */
void remarks_say_rows(struct buffer *out, const struct remark *remarks, size_t n_remarks,
		      struct row_facts *facts, size_t first);

#endif
