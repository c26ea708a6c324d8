/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions and rules: their parser, and how they are judged. Rules that choose rows by a text are found by
 * that text, so that a table is walked once however many there are.
 */
#include <config.h>

#include "model/rule.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buffer.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/trace_format.h"

static void skip_blanks(struct span *rest)
{
	while (span_char(rest, ' ') || span_char(rest, '\t'))
		;
}

static bool is_name(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_';
}

static struct span take_name(struct span *rest)
{
	struct span name = { .at = rest->at };

	while (rest->at < rest->end && is_name(*rest->at))
		rest->at++;
	name.end = rest->at;
	return name;
}

/* Adds a byte to the value, of which used bytes are there; false when it is too long. */
static bool add_byte(char *value, size_t *used, char byte)
{
	if (*used + 1 >= CONDITION_VALUE_MAX)
		return false;
	value[(*used)++] = byte;
	value[*used] = '\0';
	return true;
}

/* Behind the first quote; in it a backslash takes the next byte as it is. */
static enum condition_error take_quoted(struct span *rest, char *value)
{
	size_t used = 0;

	while (rest->at < rest->end && *rest->at != '"') {
		if (*rest->at == '\\' && rest->at + 1 < rest->end)
			rest->at++;
		if (!add_byte(value, &used, *rest->at++))
			return CONDITION_TOO_LONG;
	}
	return span_char(rest, '"') ? CONDITION_GOOD : CONDITION_OPEN;
}

/* Up to a comma or bracket, without the blanks around it. */
static enum condition_error take_plain(struct span *rest, char *value)
{
	size_t used = 0;

	while (rest->at < rest->end && *rest->at != ',' && *rest->at != ')')
		if (!add_byte(value, &used, *rest->at++))
			return CONDITION_TOO_LONG;
	while (used > 0 && (value[used - 1] == ' ' || value[used - 1] == '\t'))
		value[--used] = '\0';
	return CONDITION_GOOD;
}

static enum condition_error take_select(struct span *rest, struct condition_select *select)
{
	struct span start, name;

	skip_blanks(rest);
	start = *rest;
	name = take_name(rest);
	skip_blanks(rest);
	if (span_length(name) > 0 && span_char(rest, '='))
		select->column = name;
	else
		*rest = start;
	skip_blanks(rest);
	return span_char(rest, '"') ? take_quoted(rest, select->value) : take_plain(rest, select->value);
}

/* Behind the bracket. */
static enum condition_error take_selects(struct span *rest, struct condition *condition)
{
	skip_blanks(rest);
	if (span_char(rest, ')'))
		return CONDITION_GOOD;
	do {
		enum condition_error error = CONDITION_TOO_LONG;

		if (condition->n_selects < CONDITION_SELECTS_MAX)
			error = take_select(rest, &condition->selects[condition->n_selects++]);
		if (error)
			return error;
		skip_blanks(rest);
	} while (span_char(rest, ','));
	return span_char(rest, ')') ? CONDITION_GOOD : CONDITION_OPEN;
}

bool relation_parse(struct span *rest, enum relation *relation)
{
	static const struct {
		const char *sign; /* those of two bytes first */
		enum relation relation;
	} signs[] = {
		{ "<=", RELATION_LESS_EQUAL }, { ">=", RELATION_GREATER_EQUAL },
		{ "==", RELATION_EQUAL },      { "!=", RELATION_NOT_EQUAL },
		{ "<", RELATION_LESS },        { ">", RELATION_GREATER },
	};

	for (unsigned i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (span_starts(*rest, signs[i].sign)) {
			rest->at += strlen(signs[i].sign);
			*relation = signs[i].relation;
			return true;
		}
	}
	return false;
}

static enum condition_error set_limit(struct condition *condition, double number, enum unit unit)
{
	condition->limit = unit == UNIT_RATIO ? number / 100 : number;
	condition->unit = unit;
	return CONDITION_GOOD;
}

/* "500", "-1e3", "15%", "100us", "1.5GiB". */
static enum condition_error take_number(struct span *rest, struct condition *condition)
{
	struct span word = { .at = rest->at }, unit;
	char text[64];
	uint64_t bytes;
	double number;

	while (rest->at < rest->end && !strchr(" \t,", *rest->at))
		rest->at++;
	word.end = rest->at;
	unit = word;
	if (span_length(word) >= sizeof(text))
		return CONDITION_NO_NUMBER;
	snprintf(text, sizeof(text), "%.*s", (int)span_length(word), word.at);
	if (span_real(&unit, &number) && (unit.at == unit.end || span_is(unit, "%"))) {
		if (unit.at == unit.end)
			skip_blanks(rest);
		return set_limit(condition, number,
				 unit.at < unit.end || span_char(rest, '%') ? UNIT_RATIO : UNIT_NONE);
	}
	if (span_whole_seconds(text, 0, HUGE_VAL, &number))
		return set_limit(condition, number, UNIT_SECONDS);
	if (span_whole_bytes(text, 0, UINT64_MAX / 2, &bytes))
		return set_limit(condition, (double)bytes, UNIT_BYTES);
	rest->at = word.at;
	return CONDITION_NO_NUMBER;
}

static enum condition_error parse(struct span *rest, struct condition *condition)
{
	enum condition_error error = CONDITION_GOOD;

	condition->topic = take_name(rest);
	if (span_length(condition->topic) == 0)
		return CONDITION_NO_TOPIC;
	skip_blanks(rest);
	if (span_char(rest, '('))
		error = take_selects(rest, condition);
	if (!error && span_char(rest, '.')) {
		condition->column = take_name(rest);
		if (span_length(condition->column) == 0)
			return CONDITION_UNKNOWN_COLUMN;
	}
	skip_blanks(rest);
	if (!error && !relation_parse(rest, &condition->relation))
		error = CONDITION_NO_COMPARISON;
	skip_blanks(rest);
	return error ? error : take_number(rest, condition);
}

enum condition_error condition_parse(struct span *rest, struct condition *condition, struct span *wrong)
{
	enum condition_error error;

	*condition = (struct condition){ 0 };
	skip_blanks(rest);
	condition->text.at = rest->at;
	error = parse(rest, condition);
	condition->text.end = rest->at;
	while (condition->text.end > condition->text.at && condition->text.end[-1] == ' ')
		condition->text.end--;
	*wrong = error == CONDITION_NO_COMPARISON ? condition->text : *rest;
	skip_blanks(rest);
	return error;
}

/* The KEY column at this place among them; NULL: there are not that many. */
static const struct column *key_at(const struct schema *schema, unsigned place)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].kind == COLUMN_KEY && place-- == 0)
			return &schema->columns[i];
	return NULL;
}

static bool has_unit(const struct column *column, enum unit unit)
{
	return unit == UNIT_NONE ||
	       (column && (column->unit == unit ||
			   (unit == UNIT_BYTES && column->unit == UNIT_BYTES_PER_SECOND)));
}

enum condition_error condition_bind(struct condition *condition, const struct schema *schema,
				    struct span *wrong)
{
	unsigned place = 0;

	condition->schema = schema;
	for (unsigned i = 0; i < condition->n_selects; i++) {
		struct condition_select *select = &condition->selects[i];
		bool named = span_length(select->column) > 0;

		*wrong = named ? select->column : span_text(select->value);
		select->bound = named ? schema_find_span(schema, select->column) : key_at(schema, place++);
		if (!select->bound)
			return named ? CONDITION_UNKNOWN_COLUMN : CONDITION_TOO_MANY_KEYS;
	}
	*wrong = condition->column;
	condition->measured = NULL;
	if (span_length(condition->column) > 0) {
		condition->measured = schema_find_span(schema, condition->column);
		if (!condition->measured)
			return CONDITION_UNKNOWN_COLUMN;
		if (condition->measured->type == VALUE_TEXT)
			return CONDITION_NOT_NUMERIC;
	}
	return has_unit(condition->measured, condition->unit) ? CONDITION_GOOD : CONDITION_OTHER_UNIT;
}

static bool has_value(const struct condition_select *select, const void *row)
{
	struct span text = span_text(select->value);
	double number;

	if (!row_is_known(row, select->bound))
		return false;
	if (select->bound->type == VALUE_TEXT)
		return strcmp(row_text(row, select->bound), select->value) == 0;
	return span_real(&text, &number) && text.at == text.end && number == row_number(row, select->bound);
}

bool condition_selects(const struct condition *condition, const void *row)
{
	const struct column *measured = condition->measured;

	if (schema_row_is_over(condition->schema, row))
		return false;
	/* the sum of shares of which none exceeds its ceiling may */
	if (condition->n_selects == 0 && measured && measured->ceiling > 0 &&
	    schema_row_is_sum(condition->schema, row))
		return false;
	for (unsigned i = 0; i < condition->n_selects; i++)
		if (!has_value(&condition->selects[i], row))
			return false;
	return true;
}

bool relation_holds(double value, enum relation relation, double limit)
{
	switch (relation) {
	case RELATION_LESS:
		return value < limit;
	case RELATION_LESS_EQUAL:
		return value <= limit;
	case RELATION_GREATER:
		return value > limit;
	case RELATION_GREATER_EQUAL:
		return value >= limit;
	case RELATION_EQUAL:
		return value == limit;
	case RELATION_NOT_EQUAL:
		return value < limit || value > limit;
	}
	return false;
}

bool condition_compares(const struct condition *condition, double value)
{
	return relation_holds(value, condition->relation, condition->limit);
}

struct condition_result condition_judge(const struct condition *condition, const struct frame *frame)
{
	const struct table *table = frame_table(frame, condition->schema->name);
	struct condition_result result = { .value = NAN };
	double n_rows = 0;

	if (!table || table->failed)
		return result;
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (!condition_selects(condition, row))
			continue;
		n_rows++;
		if (!condition->measured)
			continue;
		result.row = row;
		result.value = row_number(row, condition->measured);
		result.holds = condition_compares(condition, result.value);
		if (!result.holds)
			return result;
	}
	if (condition->measured)
		return result;
	result.value = n_rows;
	result.holds = condition_compares(condition, n_rows);
	return result;
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

/* Does it hold of this row? Not where the value is not known. Of a condition on the number of rows: false. */
static bool rule_holds_of(const struct rule *rule, const void *row)
{
	if (!condition_selects(&rule->when, row))
		return false;
	return rule->of_rows ||
	       (rule->when.measured && condition_compares(&rule->when, row_number(row, rule->when.measured)));
}

#define KEPT_MAX ((size_t)100000) /* where no sample takes them */

void firing_free(struct firing *firing)
{
	free(firing->subject);
	free(firing);
}

void firing_log_add(struct firing_log *log, struct firing *firing)
{
	if (log->n == KEPT_MAX)
		firing_free(firing);
	else
		*VECTOR_ADD(log->firings, log->n, log->capacity) = firing;
}

void firing_log_clear(struct firing_log *log)
{
	while (log->n > 0)
		firing_free(log->firings[--log->n]);
}

void firing_log_free(struct firing_log *log)
{
	firing_log_clear(log);
	free(log->firings);
}

#define NONE SIZE_MAX

/* What holds in this frame. */
struct judging {
	struct rule_set *set;
	const struct frame *frame;
	const struct table *table;
	void (*fire)(void *context, const struct rule_firing *firing);
	void *context;
};

static const struct condition_select *select_by_text(const struct condition *condition)
{
	for (unsigned i = 0; i < condition->n_selects; i++)
		if (condition->selects[i].bound->type == VALUE_TEXT)
			return &condition->selects[i];
	return NULL;
}

static struct rule_choice *choice_of(struct rule_set *set, const struct schema *schema,
				     const struct column *by)
{
	struct rule_choice *choice;

	for (size_t i = 0; i < set->n_choices; i++)
		if (set->choices[i].schema == schema && set->choices[i].by == by)
			return &set->choices[i];
	choice = VECTOR_ADD(set->choices, set->n_choices, set->choice_capacity);
	*choice = (struct rule_choice){ .schema = schema, .by = by, .first = NONE };
	return choice;
}

static size_t first_of_value(const struct rule_set *set, const struct rule_choice *choice, const char *text)
{
	uint32_t at;

	HASH_FIND(at, &choice->by_value, hash_bytes(HASH_SEED, span_text(text)),
		  strcmp(select_by_text(&set->rules[at].rule.when)->value, text) == 0);
	return at == HASH_NONE ? NONE : at;
}

void rule_set_add(struct rule_set *set, const struct rule *rule)
{
	const struct condition_select *select = rule->when.schema ? select_by_text(&rule->when) : NULL;
	size_t number = set->n_rules, first;
	struct watched_rule *watched = VECTOR_ADD(set->rules, set->n_rules, set->capacity);
	struct rule_choice *choice;

	*watched = (struct watched_rule){ .rule = *rule, .next = NONE, .budget = RULE_FIRES_PER_MINUTE };
	if (!rule->when.schema)
		return;
	choice = choice_of(set, rule->when.schema, select ? select->bound : NULL);
	first = select ? first_of_value(set, choice, select->value) : choice->first;
	if (first != NONE) {
		watched->next = set->rules[first].next;
		set->rules[first].next = number;
	} else if (select) {
		hash_add(&choice->by_value, hash_bytes(HASH_SEED, span_text(select->value)),
			 (uint32_t)number);
	} else {
		choice->first = number;
	}
}

void rule_set_free(struct rule_set *set)
{
	for (size_t i = 0; i < set->n_rules; i++) {
		free(set->rules[i].subjects);
		hash_free(&set->rules[i].by_key);
	}
	for (size_t i = 0; i < set->n_choices; i++)
		hash_free(&set->choices[i].by_value);
	free(set->rules);
	free(set->choices);
	*set = (struct rule_set){ 0 };
}

bool rule_set_may_fire(struct rule_set *set, size_t rule, uint64_t mono_ns, uint64_t *n_dropped)
{
	struct watched_rule *watched = &set->rules[rule];
	bool rests = watched->rule.has_rest;
	double each = rests ? watched->rule.rest_seconds : 60.0 / RULE_FIRES_PER_MINUTE; /* 0: any number */
	double most = rests ? 1 : RULE_FIRES_PER_MINUTE;
	double seconds = mono_ns > watched->budget_ns ? (double)(mono_ns - watched->budget_ns) / 1e9 : 0;

	watched->budget = each > 0 ? fmin(watched->budget + seconds / each, most) : most;
	watched->budget_ns = mono_ns;
	if (watched->budget < 1)
		return false;
	watched->budget--;
	watched->fired++;
	*n_dropped = watched->n_dropped;
	watched->n_dropped = 0;
	return true;
}

static struct rule_subject *subject_of(struct watched_rule *watched, uint64_t key, uint64_t mono_ns)
{
	struct rule_subject *subject;
	uint32_t at;

	HASH_FIND(at, &watched->by_key, key, watched->subjects[at].key == key);
	if (at != HASH_NONE)
		return &watched->subjects[at];
	hash_add(&watched->by_key, key, (uint32_t)watched->n_subjects);
	subject = VECTOR_ADD(watched->subjects, watched->n_subjects, watched->capacity);
	*subject = (struct rule_subject){ .key = key, .since_ns = mono_ns };
	if (watched->since_ns > 0 && watched->since_ns < mono_ns)
		subject->since_ns = watched->since_ns;
	return subject;
}

/* It holds. */
static struct rule_subject *hold(const struct judging *judging, size_t rule, const void *row, double value)
{
	uint64_t key = row ? row_hash_key(judging->table->schema, row) : 0;
	struct rule_subject *subject =
		subject_of(&judging->set->rules[rule], key, judging->frame->mono_ns);

	subject->seen = judging->set->frame;
	subject->row = row;
	subject->value = value;
	return subject;
}

/* A counter that has grown fires; of a row that is new since the last frame all that it has. */
static void grow(const struct judging *judging, size_t rule, const void *row)
{
	struct watched_rule *watched = &judging->set->rules[rule];
	double value = row_number(row, watched->rule.when.measured);
	size_t n_before = watched->n_subjects;
	struct rule_subject *subject;

	if (isnan(value))
		return;
	subject = hold(judging, rule, row, value);
	if (watched->n_subjects > n_before) /* cppcheck-suppress knownConditionTrueFalse ; hold() adds */
		subject->before = watched->judged && table_is_fresh(judging->table, row) ? 0 : value;
	if (value >= subject->before)
		return;
	watched->n_dropped += subject->late; /* it was set back */
	subject->before = value;
}

/* What holds now fires, the oldest first, so that those that come and go keep no other from it. */
static void fire_due(const struct judging *judging, size_t rule)
{
	struct watched_rule *watched = &judging->set->rules[rule];
	bool growth = watched->rule.of_growth;
	uint64_t mono_ns = judging->frame->mono_ns;

	watched->n_late = 0;
	for (size_t i = 0; i < watched->n_subjects; i++) {
		struct rule_subject *subject = &watched->subjects[i];
		double held = (double)(mono_ns - subject->since_ns) / 1e9;
		struct rule_firing firing = { .rule = rule,
					      .schema = judging->table->schema,
					      .row = subject->row,
					      .value = subject->value - (growth ? subject->before : 0),
					      .held_seconds = growth ? 0 : held };

		if (subject->seen != judging->set->frame)
			continue;
		subject->late = growth ? subject->value > subject->before
				       : !subject->fired && held >= watched->rule.hold_seconds;
		if (!subject->late)
			continue;
		if (!rule_set_may_fire(judging->set, rule, mono_ns, &firing.n_dropped)) {
			watched->n_late++;
			continue;
		}
		subject->late = false;
		subject->fired = !growth;
		subject->before = subject->value;
		judging->fire(judging->context, &firing);
	}
}

static void take_row(const struct judging *judging, size_t rule, const void *row)
{
	struct watched_rule *watched = &judging->set->rules[rule];
	const struct column *measured = watched->rule.when.measured;

	if (rule_counts_rows(&watched->rule))
		watched->n_counted += condition_selects(&watched->rule.when, row);
	else if (watched->rule.of_growth && condition_selects(&watched->rule.when, row))
		grow(judging, rule, row);
	else if (!watched->rule.of_growth && rule_holds_of(&watched->rule, row))
		hold(judging, rule, row, measured ? row_number(row, measured) : NAN);
}

static void take_rows(const struct judging *judging, const struct rule_choice *choice)
{
	for (size_t i = 0; i < judging->table->n_rows; i++) {
		const void *row = table_row(judging->table, i);
		size_t rule = choice->first;

		if (choice->by && !row_is_known(row, choice->by))
			continue;
		if (choice->by)
			rule = first_of_value(judging->set, choice, row_text(row, choice->by));
		for (; rule != NONE; rule = judging->set->rules[rule].next)
			take_row(judging, rule, row);
	}
}

/* What has ceased to hold may fire again, with "until" once that holds. */
static void forget_ended(const struct judging *judging, struct watched_rule *watched)
{
	bool lasts = watched->rule.has_until && !condition_judge(&watched->rule.until, judging->frame).holds;
	size_t kept = 0;

	for (size_t i = 0; i < watched->n_subjects; i++) {
		const struct rule_subject *subject = &watched->subjects[i];

		if (subject->seen == judging->set->frame || (subject->fired && lasts))
			watched->subjects[kept++] = *subject;
		else
			watched->n_dropped += subject->late;
	}
	if (kept == watched->n_subjects)
		return;
	watched->n_subjects = kept;
	hash_clear(&watched->by_key);
	for (size_t i = 0; i < kept; i++)
		hash_add(&watched->by_key, watched->subjects[i].key, (uint32_t)i);
}

static void end_rule(struct judging *judging, size_t rule)
{
	struct watched_rule *watched = &judging->set->rules[rule];
	const struct condition *when = &watched->rule.when;
	bool counts = rule_counts_rows(&watched->rule);

	if (watched->n_subjects == 0 && !counts && !watched->rule.of_growth)
		return;
	judging->table = when->schema ? frame_table(judging->frame, when->schema->name) : NULL;
	if (!judging->table || judging->table->failed)
		return;
	if (counts && condition_compares(when, watched->n_counted))
		hold(judging, rule, NULL, watched->n_counted);
	watched->n_counted = 0;
	watched->judged = true;
	if (watched->n_subjects > 0)
		forget_ended(judging, watched);
	fire_due(judging, rule);
}

void rule_set_judge(struct rule_set *set, const struct frame *frame,
		    void (*fire)(void *context, const struct rule_firing *firing), void *context)
{
	struct judging judging = { .set = set, .frame = frame, .fire = fire, .context = context };

	set->frame++;
	for (size_t i = 0; i < set->n_choices; i++) {
		judging.table = frame_table(frame, set->choices[i].schema->name);
		if (judging.table && !judging.table->failed)
			take_rows(&judging, &set->choices[i]);
	}
	for (size_t i = 0; i < set->n_rules; i++)
		end_rule(&judging, i);
}

/* Where the parser of what is to be counted at a tracepoint is, and what to say if it cannot go on. */
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

static bool is_of_name(char byte, bool dashes)
{
	return is_name(byte) || (byte >= 'A' && byte <= 'Z') || (dashes && (byte == '-' || byte == '.'));
}

/* Takes a name; false: there is none, or it is too long. Those of groups and events may have dashes. */
static bool take_trace_name(struct span *rest, bool dashes, char name[TRACE_NAME_MAX])
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

	if (take_trace_name(&parser->rest, true, spec->group) && span_char(&parser->rest, ':') &&
	    take_trace_name(&parser->rest, true, spec->event) &&
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
		if (!take_trace_name(&parser->rest, false, spec->keys[spec->n_keys++]))
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
	good = good && take_trace_name(&parser->rest, false, field);
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
	if (!take_trace_name(&parser->rest, false, test->field))
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
