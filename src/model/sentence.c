/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences and conditions are read each time that they are needed: a pane has a few dozen of them. */
#include <config.h>

#include "model/sentence.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/condition.h"
#include "model/fact_text.h"

/* Adds what stands for NAME or NAME:FORMAT; false: it is not known. */
static bool add_fact(struct buffer *out, struct span format, const struct facts *facts)
{
	char number[FACT_TEXT_MAX];
	struct span name;
	struct fact fact;

	if (!span_until(&format, ':', &name)) {
		name = format;
		format.at = format.end;
	}
	fact = facts->find(facts, name);
	buffer_text(out, fact_text(number, &fact, format));
	fact_drawn(facts, &fact); /* "-", too: why it is not known */
	return fact_is_known(&fact);
}

void sentence_add(struct buffer *out, const char *text, const struct facts *facts)
{
	size_t begun = out->length, origins = origins_end();
	bool known = true;

	while (*text) {
		size_t plain = strcspn(text, "{[]"), length;

		buffer_add(out, text, plain);
		text += plain;
		if (*text == '{') {
			length = strcspn(++text, "}");
			known &= add_fact(out, span_of(text, length), facts);
			text += length;
		} else if (*text == '[') {
			begun = out->length;
			origins = origins_end();
			known = true;
		} else if (*text == ']' && !known) {
			out->length = begun;
			origins_drop(origins);
		}
		text += *text != '\0';
	}
}

char *sentence_text(char *out, const char *text, const struct facts *facts)
{
	struct buffer made = BUFFER_HERE;

	sentence_add(&made, text, facts);
	snprintf(out, TEXT_MAX, "%.*s", (int)made.length, made.length > 0 ? made.bytes : "");
	buffer_free(&made);
	return out;
}

/* Up to a blank or a comparison. */
static struct span take_name(struct span *rest)
{
	struct span name = *rest;

	while (rest->at < rest->end && !strchr(" =!<>", *rest->at))
		rest->at++;
	name.end = rest->at;
	return name;
}

/* NUMBER, NAME, or NUMBER * NAME; or a name less a number. */
static double right_side(struct span rest, const struct facts *facts)
{
	double number = 1, less = 0;
	bool counted = span_real(&rest, &number);
	struct span name;

	rest = span_trimmed(rest);
	if (counted && span_length(rest) == 0)
		return number;
	if (counted && span_char(&rest, '*'))
		rest = span_trimmed(rest);
	name = take_name(&rest);
	rest = span_trimmed(rest);
	if (span_char(&rest, '-')) {
		rest = span_trimmed(rest);
		span_real(&rest, &less);
	}
	return number * facts->find(facts, name).number - less;
}

/* Is the text one of WORD|WORD…? */
static bool is_word(const char *text, struct span words)
{
	struct span word;

	while (span_until(&words, '|', &word))
		if (span_is(word, text))
			return true;
	return span_is(words, text);
}

static bool text_compares(const char *text, enum relation relation, struct span words)
{
	return relation == (is_word(text, words) ? RELATION_EQUAL : RELATION_NOT_EQUAL);
}

static bool term_holds(struct span term, const struct facts *facts)
{
	bool negated = span_starts(term, "not ");
	enum relation relation;
	struct span name;
	struct fact left;
	bool holds;

	term.at += negated ? strlen("not ") : 0;
	name = take_name(&term);
	left = facts->find(facts, name);
	term = span_trimmed(term);
	if (!relation_parse(&term, &relation))
		holds = fact_is_known(&left);
	else if (left.text)
		holds = fact_is_known(&left) && text_compares(left.text, relation, span_trimmed(term));
	else
		holds = relation_holds(left.number, relation, right_side(span_trimmed(term), facts));
	return holds != negated;
}

bool sentence_holds(const char *condition, const struct facts *facts)
{
	struct span rest = span_text(condition ? condition : ""), term;

	while (span_item(&rest, &term))
		if (!term_holds(span_trimmed(term), facts))
			return false;
	return true;
}

/* Of "1.50 CPUs" it is the plural. */
static unsigned long plural_number(double count)
{
	return count >= 0 && count < (double)ULONG_MAX && count == floor(count) ? (unsigned long)count : 2;
}

static const char *text_of(const struct remark *remark, const struct facts *facts)
{
	if (!remark->many)
		return _(remark->text);
	return P_(remark->text, remark->many,
		  plural_number(facts->find(facts, span_text(remark->count)).number));
}

bool remark_say(struct buffer *out, const struct remark *remark, const struct facts *facts)
{
	if (!sentence_holds(remark->when, facts))
		return false;
	sentence_add(out, text_of(remark, facts), facts);
	return true;
}

const char *remarks_first(const struct remark *remarks, size_t n_remarks, const struct facts *facts)
{
	for (size_t i = 0; i < n_remarks; i++)
		if (sentence_holds(remarks[i].when, facts))
			return _(remarks[i].text);
	return "";
}

size_t remarks_find(const struct remark *remarks, size_t n_remarks, const struct facts *facts, size_t held)
{
	size_t i = 0;

	while (i < n_remarks &&
	       (remarks[i].more ||
		!sentence_holds(i == held && remarks[i].stays ? remarks[i].stays : remarks[i].when, facts)))
		i++;
	return i;
}

int remarks_say_at(struct buffer *out, const struct remark *remarks, size_t n_remarks,
		   const struct facts *facts, size_t index)
{
	if (index >= n_remarks)
		return -1;
	sentence_add(out, text_of(&remarks[index], facts), facts);
	for (size_t i = index + 1; i < n_remarks && remarks[i].more; i++)
		if (sentence_holds(remarks[i].when, facts)) {
			buffer_char(out, ' ');
			sentence_add(out, text_of(&remarks[i], facts), facts);
		}
	return remarks[index].level;
}

int remarks_say(struct buffer *out, const struct remark *remarks, size_t n_remarks,
		const struct facts *facts)
{
	return remarks_say_at(out, remarks, n_remarks, facts,
			      remarks_find(remarks, n_remarks, facts, n_remarks));
}

void remarks_say_rows(struct buffer *out, const struct remark *remarks, size_t n_remarks,
		      struct row_facts *facts, size_t first)
{
	for (const struct remark *remark = remarks; remark < remarks + n_remarks; remark++)
		for (size_t i = first; facts->table && i < facts->table->n_rows; i++) {
			facts->row = table_row(facts->table, i);
			if (remark_say(out, remark, &facts->facts))
				buffer_char(out, '\n');
		}
}
