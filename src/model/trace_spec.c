/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses what is to be counted at a tracepoint. */
#include <config.h>

#include "model/trace_spec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/buffer.h"
#include "core/i18n.h"
#include "kernel/trace_format.h"

/* Where the parser is, and what to say if it cannot go on. */
struct parser {
	struct span rest;
	struct trace_spec *spec;
	bool bare_histogram; /* of the field that is summed, or whose maximum is kept */
	char *why;
	size_t room;
};

static bool __attribute__((format(printf, 2, 3))) refuse(struct parser *parser, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(parser->why, parser->room, format, arguments);
	va_end(arguments);
	return false;
}

static void skip_blanks(struct span *rest)
{
	while (span_char(rest, ' ') || span_char(rest, '\t'))
		;
}

static bool is_of_name(char byte, bool dashes)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
	       byte == '_' || (dashes && (byte == '-' || byte == '.'));
}

/* Takes a name; false: there is none, or it is too long. Those of groups and events may have dashes. */
static bool take_name(struct span *rest, bool dashes, char name[TRACE_NAME_MAX])
{
	size_t length = 0;

	while (length < span_length(*rest) && is_of_name(rest->at[length], dashes))
		length++;
	if (length == 0 || length >= TRACE_NAME_MAX || *rest->at == '.')
		return false;
	snprintf(name, TRACE_NAME_MAX, "%.*s", (int)length, rest->at);
	rest->at += length;
	return true;
}

/* The next word, to be shown. */
static int word_length(struct span rest)
{
	size_t length = 0;

	while (length < span_length(rest) && rest.at[length] != ' ' && length < TRACE_NAME_MAX)
		length++;
	return (int)length;
}

static bool take_event(struct parser *parser)
{
	struct trace_spec *spec = parser->spec;

	if (take_name(&parser->rest, true, spec->group) && span_char(&parser->rest, ':') &&
	    take_name(&parser->rest, true, spec->event) &&
	    (span_length(parser->rest) == 0 || strchr(" \t", *parser->rest.at)))
		return true;
	return refuse(parser, _("it begins with the group and name of a tracepoint, as in "
				"block:block_rq_issue"));
}

static bool take_keys(struct parser *parser)
{
	struct trace_spec *spec = parser->spec;

	do {
		skip_blanks(&parser->rest);
		if (spec->n_keys == TRACE_KEYS_MAX)
			return refuse(parser, _("there are at most %d keys"), TRACE_KEYS_MAX);
		if (!take_name(&parser->rest, false, spec->keys[spec->n_keys++]))
			return refuse(parser,
				      _("'%.*s' is not a key: by takes names with commas between "
					"them, as in by comm,pid"),
				      word_length(parser->rest), parser->rest.at);
		skip_blanks(&parser->rest);
	} while (span_char(&parser->rest, ','));
	return true;
}

/* "(FIELD)" behind its name. */
static bool take_field(struct parser *parser, const char *what, char field[TRACE_NAME_MAX])
{
	bool good = field[0] == '\0' && span_char(&parser->rest, '(');

	skip_blanks(&parser->rest);
	good = good && take_name(&parser->rest, false, field);
	skip_blanks(&parser->rest);
	return (good && span_char(&parser->rest, ')')) ||
	       refuse(parser, _("%s stands once, with the name of a field: %s(FIELD)"), what, what);
}

/* In quotes, or up to a blank. */
static bool take_value(struct span *rest, char value[TRACE_NAME_MAX])
{
	char quote = span_length(*rest) > 0 ? *rest->at : ' ';
	bool is_quoted = quote == '"' || quote == '\'';
	size_t length = 0;

	rest->at += is_quoted;
	while (length < span_length(*rest) &&
	       (is_quoted ? rest->at[length] != quote : !strchr(" \t", rest->at[length])))
		length++;
	if (length >= TRACE_NAME_MAX || (is_quoted ? length == span_length(*rest) : length == 0))
		return false;
	snprintf(value, TRACE_NAME_MAX, "%.*s", (int)length, rest->at);
	rest->at += length + is_quoted;
	return true;
}

static bool take_test(struct parser *parser)
{
	struct trace_spec *spec = parser->spec;
	struct trace_test *test = &spec->tests[spec->n_tests];

	if (spec->n_tests == TRACE_TESTS_MAX)
		return refuse(parser, _("there are at most %d conditions"), TRACE_TESTS_MAX);
	skip_blanks(&parser->rest);
	if (!take_name(&parser->rest, false, test->field))
		return refuse(parser, _("a condition has a field, a comparison and a value, as in if "
					"nr_sector > 8"));
	skip_blanks(&parser->rest);
	if (!relation_parse(&parser->rest, &test->relation))
		return refuse(parser, _("behind %s stands <, <=, >, >=, == or !="), test->field);
	skip_blanks(&parser->rest);
	if (!take_value(&parser->rest, test->value))
		return refuse(parser,
			      _("behind the comparison of %s stands a number, or a text of at most %d "
				"bytes, in quotes if it has blanks"),
			      test->field, TRACE_NAME_MAX - 1);
	spec->n_tests++;
	return true;
}

/* Takes a word that one of these bytes follows, or, if they are blanks, nothing. */
static bool eat(struct span *rest, const char *word, const char *next)
{
	struct span after = *rest;

	if (!span_starts(after, word))
		return false;
	after.at += strlen(word);
	if (span_length(after) > 0 ? !strchr(next, *after.at) : *next == '(')
		return false;
	*rest = after;
	return true;
}

static bool take_tests(struct parser *parser)
{
	do {
		if (!take_test(parser))
			return false;
		skip_blanks(&parser->rest);
	} while (eat(&parser->rest, "and", " \t"));
	return span_length(parser->rest) == 0 ||
	       refuse(parser, _("'%.*s': behind a condition only and follows, with another one"),
		      word_length(parser->rest), parser->rest.at);
}

static bool take_clause(struct parser *parser)
{
	struct trace_spec *spec = parser->spec;
	struct span *rest = &parser->rest;

	if (spec->n_keys == 0 && eat(rest, "by", " \t"))
		return take_keys(parser);
	if (eat(rest, "sum", "("))
		return take_field(parser, "sum", spec->sum);
	if (eat(rest, "max", "("))
		return take_field(parser, "max", spec->most);
	if (eat(rest, "hist", "("))
		return take_field(parser, "hist", spec->histogram);
	if (eat(rest, "hist", " \t"))
		return parser->bare_histogram = true;
	if (eat(rest, "if", " \t"))
		return take_tests(parser);
	return refuse(parser,
		      _("'%.*s': what follows is by KEY, sum(FIELD), max(FIELD), hist(FIELD), or if "
			"FIELD > NUMBER"),
		      word_length(*rest), rest->at);
}

static bool choose_histogram(struct parser *parser)
{
	struct trace_spec *spec = parser->spec;

	if (!parser->bare_histogram || spec->histogram[0])
		return true;
	if (!spec->sum[0] && !spec->most[0])
		return refuse(parser, _("hist alone is of the field of sum or max, and there is neither: "
					"hist(FIELD)"));
	memcpy(spec->histogram, spec->sum[0] ? spec->sum : spec->most, TRACE_NAME_MAX);
	return true;
}

bool trace_spec_parse(struct trace_spec *spec, const char *text, char *why, size_t room)
{
	struct parser parser = { .rest = span_text(text), .spec = spec, .why = why, .room = room };

	memset(spec, 0, sizeof(*spec));
	skip_blanks(&parser.rest);
	while (span_length(parser.rest) > 0 && strchr(" \t", parser.rest.end[-1]))
		parser.rest.end--;
	if (span_length(parser.rest) >= sizeof(spec->text))
		return refuse(&parser, _("it is longer than %zu bytes"), sizeof(spec->text) - 1);
	memcpy(spec->text, parser.rest.at, span_length(parser.rest));
	if (!take_event(&parser))
		return false;
	for (skip_blanks(&parser.rest); span_length(parser.rest) > 0; skip_blanks(&parser.rest))
		if (!take_clause(&parser))
			return false;
	return choose_histogram(&parser);
}

static bool has_name(const char *names, const char *name)
{
	struct span rest = span_text(names), word;

	while (span_word(&rest, &word))
		if (span_is(word, name))
			return true;
	return false;
}

static bool is_context(const char *name)
{
	unsigned i = 0;

	while (trace_context_names[i] && strcmp(trace_context_names[i], name) != 0)
		i++;
	return trace_context_names[i];
}

/* What could be in its place. */
static bool refuse_name(const char *name, const struct trace_fields *fields, bool is_number, char *why,
			size_t room)
{
	struct buffer names = { 0 };

	if (has_name(fields->others, name)) {
		snprintf(why, room, _("%s is an array or a structure, neither a number nor a text"), name);
		return false;
	}
	if (is_number && has_name(fields->texts, name)) {
		snprintf(why, room, _("%s is a text, not a number"), name);
		return false;
	}
	buffer_print(&names, "%s%s", *fields->numbers ? " " : "", fields->numbers);
	if (!is_number && *fields->texts)
		buffer_print(&names, " %s", fields->texts);
	for (unsigned i = 0; !is_number && trace_context_names[i]; i++)
		if (!has_name(fields->numbers, trace_context_names[i]) &&
		    !has_name(fields->texts, trace_context_names[i]))
			buffer_print(&names, " %s", trace_context_names[i]);
	if (names.length > 0)
		snprintf(why, room, _("no field %s; there are:%.*s"), name, (int)names.length, names.bytes);
	else
		snprintf(why, room, _("no field %s: this tracepoint has no numbers"), name);
	buffer_free(&names);
	return false;
}

bool trace_spec_fits(const struct trace_spec *spec, const struct trace_fields *fields, char *why, size_t room)
{
	const char *const numbers[] = { spec->sum, spec->most, spec->histogram };
	const char *names[TRACE_KEYS_MAX + TRACE_TESTS_MAX];
	unsigned n = 0;

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (*numbers[i] && !has_name(fields->numbers, numbers[i]))
			return refuse_name(numbers[i], fields, true, why, room);
	for (unsigned i = 0; i < spec->n_keys; i++)
		names[n++] = spec->keys[i];
	for (unsigned i = 0; i < spec->n_tests; i++)
		names[n++] = spec->tests[i].field;
	for (unsigned i = 0; i < n; i++)
		if (!has_name(fields->numbers, names[i]) && !has_name(fields->texts, names[i]) &&
		    (has_name(fields->others, names[i]) || !is_context(names[i])))
			return refuse_name(names[i], fields, false, why, room);
	return true;
}
