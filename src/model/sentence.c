/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences and conditions are read each time that they are needed: a pane has a few dozen of them. */
#include <config.h>

#include "model/sentence.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/rule.h"

static struct fact find_column(const struct table *table, const void *row, struct span name)
{
	const struct column *column = row ? schema_find_span(table->schema, name) : NULL;
	struct fact fact = FACT_UNKNOWN;

	if (!column)
		return fact;
	fact.origin = (struct origin){ .schema = table->schema, .row = row, .column = column };
	fact.words = column->words;
	if (column->type == VALUE_TEXT)
		fact.text = table_text(table, row, column->key);
	else
		fact.number = row_number(row, column);
	fact.unit = column->unit;
	return fact;
}

struct fact column_fact(const struct table *table, const void *row, const char *column)
{
	return find_column(table, row, span_text(column));
}

/* path is TOPIC.COLUMN, TOPIC.KEY.COLUMN or TOPIC.KEY/OTHER.COLUMN. */
static struct fact frame_fact(const struct frame *frame, struct span path)
{
	char names[128], *key, *column, *other = NULL;
	const struct table *table;

	snprintf(names, sizeof(names), "%.*s", (int)span_length(path), path.at);
	column = strrchr(names, '.');
	*column++ = '\0';
	key = strchr(names, '.');
	if (key) {
		*key++ = '\0';
		other = strchr(key, '/');
	}
	if (other)
		*other++ = '\0';
	table = frame_table(frame, names);
	if (!table || table->n_rows == 0)
		return FACT_UNKNOWN;
	return find_column(table, key ? table_find(table, key, other) : table_row(table, 0),
			   span_text(column));
}

struct fact made_fact_of(const struct made_fact *made)
{
	struct fact fact = made->fact;

	if (made->from)
		fact.origin = (struct origin){ .name = made->name, .from = made->from, .number = fact.number,
					       .unit = fact.unit };
	return fact;
}

struct fact row_fact(const struct facts *facts, struct span name)
{
	const struct row_facts *of = (const struct row_facts *)facts;

	for (size_t i = 0; i < of->n_made; i++)
		if (span_is(name, of->made[i].name))
			return made_fact_of(&of->made[i]);
	if (of->frame && memchr(name.at, '.', span_length(name)))
		return frame_fact(of->frame, name);
	return find_column(of->table, of->row, name);
}

void fact_drawn(const struct facts *facts, const struct fact *fact)
{
	const struct origin *origin = &fact->origin;

	if (origin->column && !fact->text && origin->column->kind != COLUMN_KEY)
		origin_add(origin);
	else if (origin->from && (fact->text || origin_add(origin)))
		facts_drawn(facts, origin->from);
}

void facts_drawn(const struct facts *facts, const char *names)
{
	while (*names) {
		size_t length = strcspn(names, " ,()");
		struct fact fact = length > 0 ? facts->find(facts, span_of(names, length)) : FACT_UNKNOWN;

		if (fact_is_known(&fact))
			fact_drawn(facts, &fact);
		names += length + (names[length] != '\0');
	}
}

/* Writes facts for people, in the formats of sentences. */

static char *short_text(char *out, double number, enum unit unit)
{
	switch (unit) {
	case UNIT_SECONDS:
		return duration_short(out, number, false);
	case UNIT_WATTS:
		return strcat(fixed_text(out, number, number < 99.95 ? 1 : 0), " W");
	case UNIT_PER_SECOND:
		return strcat(rate_short(out, number), "/s");
	case UNIT_BITS_PER_SECOND:
		return strcat(rate_short(out, number), "b/s");
	case UNIT_BYTES_PER_SECOND:
		return strcat(size_short(out, number), "/s");
	default:
		return size_short(out, number);
	}
}

/* ".2", "0.2", "100.2", ".2%", "%" */
static char *places_text(char *out, double number, struct span format)
{
	const char *point = memchr(format.at, '.', span_length(format));
	int places = point ? point[1] - '0' : 0;
	bool percents = format.end[-1] == '%';

	if (span_starts(format, "0.") && number == floor(number))
		places = 0;
	if (percents || span_starts(format, "100."))
		number *= 100;
	return strcat(fixed_text(out, number, places), percents ? " %" : "");
}

const char *fact_text(char *out, const struct fact *fact, struct span format)
{
	double number = fact->number;

	if (!fact_is_known(fact))
		return "-";
	if (fact->text)
		return fact->words ? _(fact->text) : fact->text;
	if (span_is(format, "rate"))
		return rate_short(out, number);
	if (span_is(format, "cpus"))
		return fixed_text(out, number, number < 0.1 ? 2 : 1);
	if (span_is(format, "time"))
		return duration_text(out, number, false);
	if (span_is(format, "C"))
		return celsius_text(out, number, false);
	if (span_is(format, "clock"))
		return clock_local(out, (uint64_t)number, "%H:%M:%S");
	if (span_is(format, "date"))
		return clock_local(out, (uint64_t)number, "%Y-%m-%d %H:%M:%S");
	if (span_is(format, "short"))
		return short_text(out, number, fact->unit);
	if (span_length(format) > 0)
		return places_text(out, number, format);
	return fact->unit == UNIT_NONE ? fixed_text(out, number, 0)
				       : amount_text(out, fact->unit, number);
}

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

bool text_is_one_of(const char *text, struct span words)
{
	struct span word;

	while (span_until(&words, '|', &word))
		if (span_is(word, text))
			return true;
	return span_is(words, text);
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
		holds = fact_is_known(&left) &&
			relation == (text_is_one_of(left.text, span_trimmed(term)) ? RELATION_EQUAL
										   : RELATION_NOT_EQUAL);
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
	bool whole = count >= 0 && count < (double)ULONG_MAX && count == floor(count);

	/* of "1.50 CPUs" it is the plural */
	return remark->many ? P_(remark->text, remark->many, whole ? (unsigned long)count : 2)
			    : _(remark->text);
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
