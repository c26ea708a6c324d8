/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks names up in a list of words. */
#include <config.h>

#include "given_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct span value_in(const char *list, struct span name)
{
	struct span rest = span_text(list), word, key;

	while (span_word(&rest, &word))
		if (span_until(&word, '=', &key) && span_length(key) == span_length(name) &&
		    memcmp(key.at, name.at, span_length(key)) == 0)
			return word;
	return span_text("");
}

static enum unit unit_by(struct span name)
{
	static const struct {
		const char *end;
		enum unit unit;
	} units[] = { { "ratio", UNIT_RATIO },     { "bytes", UNIT_BYTES }, { "per_second", UNIT_PER_SECOND },
		      { "seconds", UNIT_SECONDS }, { "watts", UNIT_WATTS }, { "celsius", UNIT_CELSIUS } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (span_is(name, units[i].end) || span_take_end(&name, units[i].end))
			return units[i].unit;
	return UNIT_NONE;
}

struct fact given_fact(const struct facts *facts, struct span name)
{
	const struct given_facts *given = (const struct given_facts *)facts;
	static char texts[8][64];
	static unsigned at;
	struct span value = value_in(given->list, name), rest;
	struct fact fact;

	if (span_length(value) == 0)
		value = value_in(given->otherwise, name);
	fact = (struct fact){ .unit = unit_by(name) };
	rest = value;
	if (span_real(&rest, &fact.number) && span_length(rest) == 0)
		return fact;
	fact.number = NAN;
	if (span_length(value) == 0 || span_is(value, "-"))
		return fact;
	at = (at + 1) % 8;
	snprintf(texts[at], sizeof(texts[at]), "%.*s", (int)span_length(value), value.at);
	fact.text = texts[at];
	return fact;
}
