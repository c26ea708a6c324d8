/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules: the words around their conditions. */
#include <config.h>

#include "model/rule.h"

#include <math.h>
#include <stdio.h>

static void skip_blanks(struct span *rest)
{
	while (span_char(rest, ' ') || span_char(rest, '\t'))
		;
}

/* Takes these words, however many blanks are between them. */
static bool take_words(struct span *rest, const char *words)
{
	struct span from = *rest, wanted = span_text(words), word, next;

	while (span_word(&wanted, &word)) {
		char text[16];

		snprintf(text, sizeof(text), "%.*s", (int)span_length(word), word.at);
		if (!span_word(rest, &next) || !span_is(next, text)) {
			*rest = from;
			return false;
		}
	}
	return true;
}

static enum rule_error take_duration(struct span *rest, bool *given, double *seconds)
{
	struct span from = *rest, word;
	char text[32];

	if (*given)
		return RULE_TWICE;
	*given = true;
	if (span_word(rest, &word) && span_length(word) < sizeof(text)) {
		snprintf(text, sizeof(text), "%.*s", (int)span_length(word), word.at);
		if (span_whole_seconds(text, 0, HUGE_VAL, seconds))
			return RULE_GOOD;
	}
	*rest = from;
	return RULE_NO_DURATION;
}

static enum rule_error take_until(struct span *rest, struct rule *rule, struct span *wrong)
{
	if (rule->has_until)
		return RULE_TWICE;
	rule->has_until = true;
	return (enum rule_error)condition_parse(rest, &rule->until, wrong);
}

static bool is_end_of_condition(struct span rest)
{
	return rest.at == rest.end || take_words(&rest, "for") || take_words(&rest, "until") ||
	       take_words(&rest, "at most");
}

static enum rule_error take_condition(struct span *rest, struct rule *rule, struct span *wrong)
{
	enum condition_error error = condition_parse(rest, &rule->when, wrong);

	if (error != CONDITION_NO_COMPARISON || !is_end_of_condition(*rest))
		return (enum rule_error)error;
	rule->of_rows = true;
	return RULE_GOOD;
}

enum rule_error rule_parse(struct span text, struct rule *rule, struct span *wrong)
{
	struct span rest = text;
	enum rule_error error;

	*rule = (struct rule){ 0 };
	skip_blanks(&rest);
	rule->text.at = rest.at;
	error = take_condition(&rest, rule, wrong);
	skip_blanks(&rest);
	while (!error && rest.at < rest.end) {
		rule->text.end = rest.at;
		*wrong = rest;
		if (take_words(&rest, "for"))
			error = take_duration(&rest, &rule->has_hold, &rule->hold_seconds);
		else if (take_words(&rest, "at most once per"))
			error = take_duration(&rest, &rule->has_rest, &rule->rest_seconds);
		else if (take_words(&rest, "until"))
			error = take_until(&rest, rule, wrong);
		else
			error = RULE_UNEXPECTED;
		skip_blanks(&rest);
		if (error == RULE_NO_DURATION)
			*wrong = rest;
	}
	rule->text.end = rest.at;
	while (rule->text.end > rule->text.at && (rule->text.end[-1] == ' ' || rule->text.end[-1] == '\t'))
		rule->text.end--;
	return error;
}

bool rule_holds_of(const struct rule *rule, const void *row)
{
	if (!condition_selects(&rule->when, row))
		return false;
	return rule->of_rows ||
	       (rule->when.measured && condition_compares(&rule->when, row_number(row, rule->when.measured)));
}
