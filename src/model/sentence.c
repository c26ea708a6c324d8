/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences and conditions are read each time that they are needed: a pane has a few dozen of them. */
#include <config.h>

#include "model/sentence.h"

#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "model/condition.h"
#include "model/units.h"

struct fact row_fact(const struct facts *facts, struct span name)
{
	const struct row_facts *of = (const struct row_facts *)facts;
	const struct column *column = schema_find_span(of->table->schema, name);

	if (!column)
		return FACT_UNKNOWN;
	if (column->type == VALUE_TEXT)
		return (struct fact){ .text = table_text(of->table, of->row, column->key) };
	return (struct fact){ .number = row_number(of->row, column), .unit = column->unit };
}

static bool is_known(const struct fact *fact)
{
	return fact->text ? *fact->text != '\0' : !isnan(fact->number);
}

static void add_number(struct buffer *out, const struct fact *fact, struct span format)
{
	char text[VALUE_TEXT_MAX];

	if (span_is(format, "cpus"))
		fixed_text(text, fact->number, fact->number < 0.1 ? 2 : 1);
	else if (span_length(format) == 2 && *format.at == '.')
		fixed_text(text, fact->number, format.at[1] - '0');
	else if (fact->unit == UNIT_NONE)
		fixed_text(text, fact->number, 0);
	else
		amount_text(text, fact->unit, fact->number);
	buffer_text(out, text);
}

/* Adds what stands for NAME or NAME:FORMAT; false: it is not known. */
static bool add_fact(struct buffer *out, struct span format, const struct facts *facts)
{
	struct span name;
	struct fact fact;

	if (!span_until(&format, ':', &name)) {
		name = format;
		format.at = format.end;
	}
	fact = facts->find(facts, name);
	if (fact.text)
		buffer_text(out, fact.text);
	else
		add_number(out, &fact, format);
	return is_known(&fact);
}

void sentence_add(struct buffer *out, const char *text, const struct facts *facts)
{
	size_t begun = out->length;
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
			known = true;
		} else if (*text == ']' && !known) {
			out->length = begun;
		}
		text += *text != '\0';
	}
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

/* NUMBER, NAME, or NUMBER * NAME. */
static double right_side(struct span rest, const struct facts *facts)
{
	double number = 1;
	bool counted = span_f64(&rest, &number);

	rest = span_trimmed(rest);
	if (counted && span_length(rest) == 0)
		return number;
	if (counted && span_char(&rest, '*'))
		rest = span_trimmed(rest);
	return number * facts->find(facts, rest).number;
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
		holds = is_known(&left);
	else if (left.text)
		holds = is_known(&left) && text_compares(left.text, relation, span_trimmed(term));
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

static const char *text_of(const struct remark *remark, const struct facts *facts)
{
	double count = remark->many ? facts->find(facts, span_text(remark->count)).number : 1;

	return remark->many ? P_(remark->text, remark->many, (unsigned long)fmax(0, count))
			    : _(remark->text);
}

static bool say(struct buffer *out, const struct remark *remark, const struct facts *facts)
{
	if (!sentence_holds(remark->when, facts))
		return false;
	if (out->length > 0)
		buffer_char(out, ' ');
	sentence_add(out, text_of(remark, facts), facts);
	return true;
}

int remarks_say(struct buffer *out, const struct remark *remarks, size_t n_remarks,
		const struct facts *facts)
{
	size_t said = 0;

	while (said < n_remarks && (remarks[said].more || !say(out, &remarks[said], facts)))
		said++;
	for (size_t i = said + 1; i < n_remarks && remarks[i].more; i++)
		say(out, &remarks[i], facts);
	return said < n_remarks ? remarks[said].level : -1;
}
