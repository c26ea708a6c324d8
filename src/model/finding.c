/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings: judges the rules in each frame, and knows since when they hold. */
#include <config.h>

#include "model/finding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/hash.h"
#include "core/i18n.h"
#include "model/finding_past.h"
#include "model/sentence.h"
#include "model/units.h"

#define PREFIX "finding."
#define ROWS_MAX 3 /* findings of one rule; more are counted in the text of the last one */
#define CULPRITS_MAX 4
#define FRESH_SECONDS 60 /* for which what is dated holds */
#define OVER_SECONDS 300 /* for which a warning that has ended is shown as earlier */
#define STATE_NOW N_("now")
#define STATE_EARLIER N_("earlier")

struct finding_row {
	const char *rule, *subject;
	uint64_t number;
	const char *severity, *state, *text;
	double since_seconds;
	uint64_t since_time, until_time;
	const char *topic, *pane, *view, *row, *of;
};

static const struct column columns[] = {
	COLUMN(struct finding_row, rule, .kind = COLUMN_KEY, .title = N_("rule"), .width = 14, .hidden = true,
	       .help = N_("name of its rule, as in the settings"), .source = "panetop"),
	COLUMN(struct finding_row, number, .kind = COLUMN_LABEL, .fleeting = true, .unit = UNIT_COUNT,
	       .title = N_("no."), .width = 3, .rank = 3, .help = N_("1 is the worst"), .source = "panetop"),
	COLUMN(struct finding_row, severity, .kind = COLUMN_LABEL, .title = N_("severity"), .width = 8,
	       .words = true, .help = N_("note, warning or critical"), .source = "the limits of its rule"),
	COLUMN(struct finding_row, subject, .kind = COLUMN_KEY, .title = N_("subject"), .width = 8,
	       .help = N_("what it is about: a part of the machine, or a row of the topic"),
	       .source = "its rule"),
	COLUMN(struct finding_row, state, .kind = COLUMN_LABEL, .title = N_("state"), .width = 7, .rank = 2,
	       .words = true,
	       .help = N_("now: it holds; earlier: it has ended, and is shown for five minutes, or the "
			  "time of its rule"),
	       .source = "its rule"),
	COLUMN(struct finding_row, since_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS,
	       .title = N_("since"), .width = 6, .rank = 2, .whole = true,
	       .help = N_("time since it began, or happened, as far as it was observed"),
	       .source = "time between samples"),
	COLUMN(struct finding_row, since_time, .kind = COLUMN_LABEL, .fleeting = true, .unit = UNIT_TIME,
	       .title = N_("from"), .width = 8, .hidden = true,
	       .help = N_("time at which it began, or happened"), .source = "CLOCK_REALTIME"),
	COLUMN(struct finding_row, until_time, .kind = COLUMN_LABEL, .fleeting = true, .unit = UNIT_TIME,
	       .title = N_("until"), .width = 8, .hidden = true,
	       .help = N_("time at which it was seen last; while it holds, that of the sample"),
	       .source = "CLOCK_REALTIME"),
	COLUMN(struct finding_row, text, .kind = COLUMN_LABEL, .title = N_("finding"), .width = 40,
	       .prose = true, .fleeting = true, .help = N_("what is out of the ordinary, with its numbers"),
	       .source = "its rule, over the columns of the topic"),
	COLUMN(struct finding_row, topic, .kind = COLUMN_LABEL, .title = N_("topic"), .width = 10,
	       .hidden = true, .help = N_("topic that its rule judges"), .source = "its rule"),
	COLUMN(struct finding_row, pane, .kind = COLUMN_LABEL, .title = N_("pane"), .width = 8,
	       .hidden = true, .help = N_("pane that shows more of it"), .source = "its rule"),
	COLUMN(struct finding_row, view, .kind = COLUMN_LABEL, .title = N_("view"), .width = 8,
	       .hidden = true, .optional = true, .help = N_("view of the pane"), .source = "its rule"),
	COLUMN(struct finding_row, row, .kind = COLUMN_LABEL, .title = N_("row"), .width = 8, .hidden = true,
	       .optional = true, .help = N_("row of the topic"), .source = "its key"),
	COLUMN(struct finding_row, of, .kind = COLUMN_LABEL, .title = N_("of"), .width = 7, .optional = true,
	       .words = true, .rank = 2,
	       .help = N_("where there is a scope (--in, @): whether it is about that or the machine; in a "
			  "container: whether it is about its host"),
	       .source = "its topic and row"),
};

static bool is_over(const void *row)
{
	const char *state = ((const struct finding_row *)row)->state;

	return state && strcmp(state, STATE_EARLIER) == 0;
}

const struct schema finding_schema = {
	.name = "finding",
	.is_public = true,
	.help = N_("what is out of the ordinary, worst first"),
	.none = N_("nothing out of the ordinary"),
	.over_interval = true,
	.derived = true,
	.is_over = is_over,
	.row_size = sizeof(struct finding_row),
	SCHEMA_COLUMNS(columns),
};

/* A rule that holds for a row. */
struct candidate {
	unsigned rule;
	const void *row; /* NULL: of the machine */
	enum finding_severity severity;
	bool is_over;
	uint64_t identity;
	double since_seconds, rank;
	uint64_t since_time; /* 0: of a time that others know */
	double covered;      /* seconds that the growths of its values are of */
	bool is_young;       /* the value that was read last has no growth yet */
	double values[FINDING_VALUES_MAX];
};

/* What the settings make of a rule, and what frames had for it. */
struct rule_limits {
	bool off;
	const char *unless; /* of the settings; NULL: none */
	double hold, values[FINDING_VALUES_MAX], keeps[FINDING_VALUES_MAX];
	bool takes_off; /* some frame had what is taken off: without it, the rest says nothing */
};

/* How many rows name another one. */
struct tally {
	double key;
	size_t n;
};

struct findings {
	const struct finding_rule *rules;
	unsigned n_rules;
	struct rule_limits *limits; /* of each rule */
	struct finding_past past;
	struct culprits *culprits[CULPRITS_MAX]; /* by the kind of rules */
	const struct culprit_kind *kinds[CULPRITS_MAX];
	unsigned n_culprits;
	struct candidate *candidates;
	size_t n_candidates, capacity;
	const struct finding_row *stored; /* rows that the frame came with: Prometheus knows longer ago … */
	size_t n_stored;                  /* … since when they have held */
	const struct table *left_to; /* of the rule that is judged the table that has its own; NULL: none */
	struct hash left;            /* of its rows by name */
	struct tally *tallies;
	size_t n_tallies, tally_capacity;
	struct buffer text, user_name;
};

static const char *const severities[] = {
	[FINDING_NOTE] = N_("note"),
	[FINDING_WARNING] = N_("warning"),
	[FINDING_CRITICAL] = N_("critical"),
};

void findings_remember(struct findings *findings, const struct findings *live)
{
	findings->past.live = live ? &live->past : NULL;
}

void findings_forget(struct findings *findings)
{
	finding_past_empty(&findings->past);
	for (unsigned i = 0; i < findings->n_culprits; i++)
		culprits_forget(findings->culprits[i]);
}

void findings_close(struct findings *findings)
{
	for (unsigned i = 0; i < findings->n_culprits; i++)
		culprits_close(findings->culprits[i]);
	finding_past_free(&findings->past);
	hash_free(&findings->left);
	free(findings->limits);
	free(findings->candidates);
	free(findings->tallies);
	buffer_free(&findings->text);
	buffer_free(&findings->user_name);
	free(findings);
}

/* "0.15", "15%", "30", "5min": times may have their unit. */
static bool parse_limit(const struct finding_limit *limit, const char *text, double *number)
{
	struct span span = span_text(text);

	if (limit->unit == UNIT_SECONDS)
		return span_whole_seconds(text, 0, 1e9, number);
	if (!span_f64(&span, number))
		return false;
	while (span_char(&span, ' '))
		;
	if (span_char(&span, '%'))
		*number /= 100;
	return span.at == span.end;
}

char *finding_limit_text(char *out, const struct finding_limit *limit, double number)
{
	if (limit->unit == UNIT_RATIO)
		snprintf(out, VALUE_TEXT_MAX, "%.4g%%", 100 * number);
	else
		snprintf(out, VALUE_TEXT_MAX, "%.10g%s", number, limit->unit == UNIT_SECONDS ? "s" : "");
	return out;
}

static const char *setting(const struct settings *settings, const char *name)
{
	char whole[96];

	snprintf(whole, sizeof(whole), PREFIX "%s", name);
	return settings ? settings_text(settings, whole) : NULL;
}

double finding_number(const struct settings *settings, const struct finding_limit *limit)
{
	const char *text = limit->setting ? setting(settings, limit->setting) : NULL;
	double number;

	return text && parse_limit(limit, text, &number) ? number : limit->number;
}

static struct rule_limits limits_of(const struct settings *settings, const struct finding_rule *rule)
{
	const char *wish = setting(settings, rule->name);
	struct rule_limits limits = {
		.off = wish && strcmp(wish, "off") == 0,
		.unless = rule->unless_setting ? setting(settings, rule->unless_setting) : NULL,
		.hold = finding_number(settings, &rule->hold),
	};

	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
		const struct finding_limit *limit = &rule->values[i].at_least;
		bool set = limit->setting && setting(settings, limit->setting);
		bool keeps = rule->values[i].keeps > 0 && !set;

		limits.values[i] = finding_number(settings, limit);
		limits.keeps[i] = keeps ? rule->values[i].keeps : limits.values[i];
	}
	return limits;
}

static struct culprits *culprits_of(const struct findings *findings, const struct culprit_kind *kind)
{
	for (unsigned i = 0; i < findings->n_culprits; i++)
		if (findings->kinds[i] == kind)
			return findings->culprits[i];
	return NULL;
}

static void open_culprits(struct findings *findings, const struct culprit_kind *kind)
{
	if (culprits_of(findings, kind) || findings->n_culprits == CULPRITS_MAX)
		return;
	findings->kinds[findings->n_culprits] = kind;
	findings->culprits[findings->n_culprits++] = culprits_open(kind);
}

struct findings *findings_open(const struct finding_rule *rules, unsigned n_rules,
			       const struct settings *settings)
{
	struct findings *findings = alloc_zeroed(1, sizeof(*findings));

	findings->rules = rules;
	findings->n_rules = n_rules;
	for (unsigned i = 0; i < n_rules; i++)
		if (rules[i].culprit)
			open_culprits(findings, rules[i].culprit);
	findings->limits = alloc_zeroed(n_rules, sizeof(*findings->limits));
	for (unsigned i = 0; i < n_rules; i++)
		findings->limits[i] = limits_of(settings, &rules[i]);
	return findings;
}

static const struct finding_limit *find_limit(const struct finding_rule *rule, const char *name)
{
	if (rule->hold.setting && strcmp(rule->hold.setting, name) == 0)
		return &rule->hold;
	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
		const struct finding_limit *limit = &rule->values[i].at_least;

		if (limit->setting && strcmp(limit->setting, name) == 0)
			return limit;
	}
	return NULL;
}

static bool is_list(const struct finding_rule *rule, const char *name)
{
	return rule->unless_setting && strcmp(rule->unless_setting, name) == 0;
}

bool finding_setting_known(const struct finding_rule *rules, unsigned n_rules, const char *name)
{
	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return false;
	name += strlen(PREFIX);
	for (unsigned i = 0; i < n_rules; i++)
		if (strcmp(rules[i].name, name) == 0 || find_limit(&rules[i], name) ||
		    is_list(&rules[i], name))
			return true;
	return false;
}

bool finding_setting_valid(const struct finding_rule *rules, unsigned n_rules, const char *name,
			   const char *value)
{
	double number;

	name += strlen(PREFIX);
	for (unsigned i = 0; i < n_rules; i++) {
		const struct finding_limit *limit = find_limit(&rules[i], name);

		if (strcmp(rules[i].name, name) == 0)
			return strcmp(value, "off") == 0 || strcmp(value, "on") == 0;
		if (limit)
			return parse_limit(limit, value, &number);
		if (is_list(&rules[i], name))
			return true;
	}
	return false;
}

static void want_topic(const char *topic, const struct schema *const *schemas, unsigned n_schemas,
		       bool *wanted)
{
	if (topic)
		schema_want(schemas, n_schemas, topic, wanted);
}

static bool is_wanted(const char *topic, const struct schema *const *schemas, unsigned n_schemas,
		      const bool *wanted)
{
	int index = schema_index(schemas, n_schemas, topic);

	return index >= 0 && wanted[index];
}

void findings_want(const struct finding_rule *rules, unsigned n_rules, const struct schema *const *schemas,
		   unsigned n_schemas, bool recorded, bool *wanted)
{
	bool any = false;

	for (unsigned i = 0; i < n_schemas; i++)
		any |= wanted[i] && schemas[i] == &finding_schema;
	for (unsigned r = 0; any && r < n_rules; r++) {
		if (rules[r].with && !recorded && !is_wanted(rules[r].with, schemas, n_schemas, wanted))
			continue;
		want_topic(rules[r].topic, schemas, n_schemas, wanted);
		if (rules[r].culprit)
			want_topic(rules[r].culprit->sources[0].topic, schemas, n_schemas, wanted);
		for (unsigned i = 0; i < FINDING_VALUES_MAX && rules[r].values[i].name; i++) {
			want_topic(rules[r].values[i].topic, schemas, n_schemas, wanted);
			want_topic(rules[r].values[i].less_topic, schemas, n_schemas, wanted);
			want_topic(rules[r].values[i].over_topic, schemas, n_schemas, wanted);
		}
	}
}

/* A table with rates that cover an interval; one that failed has nothing to say. */
static const struct table *usable(const struct frame *frame, const char *topic)
{
	const struct table *table = frame_table(frame, topic);

	return table && !table->failed ? table : NULL;
}

static bool row_has(const void *row, const struct column *column, const char *wanted)
{
	const char *text = row_text(row, column);

	return text && strcmp(text, wanted) == 0;
}

static double count_rows(const struct table *table, const struct finding_value *value)
{
	const struct column *column = schema_known_column(table->schema, value->column);
	double n = 0;

	for (size_t i = 0; column && i < table->n_rows; i++)
		n += row_has(table_row(table, i), column, value->with);
	return n;
}

/* The row that a value is of; table is that of the rule, and becomes that of the value. */
static const void *value_row(const struct frame *frame, const struct finding_value *value,
			     const struct table **table, const void *row)
{
	if (value->topic)
		*table = usable(frame, value->topic);
	if (!*table || (*table)->n_rows == 0)
		return NULL;
	if (value->row)
		return table_find(*table, value->row, value->other);
	return row && !value->topic ? row : table_row(*table, 0);
}

/* What the value is divided by. */
static double divisor(const struct frame *frame, const struct finding_value *value, const struct table *table,
		      const void *row)
{
	const struct table *other = value->over_topic ? usable(frame, value->over_topic) : table;

	if (!value->over_topic)
		return table_number(table, row, value->over);
	return other ? frame_number(frame, value->over_topic, value->over_row, value->over) : NAN;
}

/* Identifies a value of a row, to find what it was. */
static uint64_t identity(const struct finding_rule *rule, unsigned value, const struct table *table,
			 const void *row)
{
	uint64_t hash = hash_bytes(HASH_SEED, span_text(rule->name));
	uint64_t of_row = rule->key && row ? row_hash_key(table->schema, row) : 0;

	return hash_u64(hash ^ hash_u64(of_row + value));
}

/* What the numbers of a value are read from. */
struct place {
	const struct table *table;
	const void *row;
	const struct column *column;
};

static double growth(struct findings *findings, const struct finding_value *value, uint64_t identity,
		     const struct place *place, double number, double *covered)
{
	const struct finding_window window = {
		.seconds = value->window_seconds,
		.counter = place->column->kind == COLUMN_COUNTER,
		.from_zero = place->table->schema->from_zero && !value->mean,
		.mean = value->mean,
	};

	return finding_past_growth(&findings->past, identity, number, &window, covered);
}

/* Is what must be taken off the value not sampled in this frame? */
static bool lacks_taken_off(struct findings *findings, const struct frame *frame, unsigned rule,
			    const struct finding_value *value)
{
	struct rule_limits *limits = &findings->limits[rule];

	limits->takes_off |= value->less && frame_table(frame, value->less_topic);
	return value->less && limits->takes_off && !frame_table(frame, value->less_topic);
}

/* What is taken off the value: 0 where nothing counts it. */
static double taken_off(struct findings *findings, const struct frame *frame,
			const struct finding_value *value, uint64_t identity)
{
	struct place place = { .table = value->less ? usable(frame, value->less_topic) : NULL };
	double covered;

	place.row = place.table ? table_find(place.table, value->less_row, NULL) : NULL;
	place.column = place.row ? schema_known_column(place.table->schema, value->less) : NULL;
	if (!place.column)
		return 0;
	return growth(findings, value, hash_u64(identity), &place, row_number(place.row, place.column),
		      &covered);
}

static double value_now(struct findings *findings, const struct frame *frame, struct candidate *candidate,
			unsigned index, const struct table *of_rule)
{
	unsigned rule = candidate->rule;
	const struct finding_value *value = &findings->rules[rule].values[index];
	struct place place = { .table = of_rule };
	double number, over = 1, covered = 0;
	uint64_t key;

	candidate->is_young = false;
	place.row = value_row(frame, value, &place.table, candidate->row);
	if (value->with)
		return place.table ? count_rows(place.table, value) : NAN;
	place.column = place.row ? schema_known_column(place.table->schema, value->column) : NULL;
	if (!place.column || lacks_taken_off(findings, frame, rule, value))
		return NAN;
	number = row_number(place.row, place.column);
	if (value->over)
		over = divisor(frame, value, place.table, place.row);
	if (value->window_seconds > 0) {
		key = identity(&findings->rules[rule], index, of_rule, candidate->row);
		candidate->is_young = !isnan(number);
		number = growth(findings, value, key, &place, number, &covered) -
			 taken_off(findings, frame, value, key);
		candidate->is_young &= isnan(number);
		if (value->over && !value->over_topic)
			over = growth(findings, value, ~key, &place, over, &covered);
		if (value->per_second)
			over = covered;
		candidate->covered = fmax(candidate->covered, fmin(covered, value->window_seconds));
	}
	return number / over;
}

static bool is_worse(const struct finding_value *value, double number, double limit)
{
	return value->at_most ? number <= limit : number >= limit;
}

static bool holds(const struct finding_value *value, double limit, double number, bool is_young)
{
	return !value->at_least.setting || is_worse(value, number, limit) ||
	       (value->or_unknown && isnan(number) && !is_young);
}

/* Do all limits hold? Reads all values, as those of the past must not get gaps. */
static bool judge(struct findings *findings, const struct frame *frame, struct candidate *candidate,
		  const struct table *table)
{
	const struct finding_rule *rule = &findings->rules[candidate->rule];
	const struct rule_limits *limits = &findings->limits[candidate->rule];
	const double *limit_of =
		finding_past_held(&findings->past, candidate->identity) ? limits->keeps : limits->values;
	bool all = true, before = false; /* before: an alternative holds */

	candidate->severity = rule->severity;
	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
		const struct finding_value *value = &rule->values[i];
		double number = value->most ? NAN : value_now(findings, frame, candidate, i, table);
		bool good = holds(value, limit_of[i], number, candidate->is_young) || before;

		candidate->values[i] = number;
		if (value->critical > 0 && is_worse(value, number, value->critical))
			candidate->severity = FINDING_CRITICAL;
		if (value->at_least.setting && isnan(candidate->rank))
			candidate->rank = value->at_most ? -number : number;
		before = value->or_next && good;
		all &= good || value->or_next;
	}
	return all;
}

/* Has the table that has its own rule a row of this name? */
static bool is_left(const struct findings *findings, const char *name)
{
	const struct table *other = findings->left_to;
	uint32_t at;

	if (!other)
		return false;
	HASH_FIND(at, &findings->left, hash_bytes(HASH_SEED, span_text(name)),
		  table_row_is(other, table_row(other, at), name));
	return at != HASH_NONE;
}

static const struct column *first_key(const struct schema *schema, bool is_text)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].kind == COLUMN_KEY &&
		    (schema->columns[i].type == VALUE_TEXT) == is_text)
			return &schema->columns[i];
	return NULL;
}

static void index_left(struct findings *findings, const struct table *other)
{
	const struct column *column = other ? first_key(other->schema, true) : NULL;

	findings->left_to = column ? other : NULL;
	hash_clear(&findings->left);
	for (size_t i = 0; findings->left_to && i < other->n_rows; i++) {
		const char *name = row_text(table_row(other, i), column);

		if (name && !is_left(findings, name))
			hash_add(&findings->left, hash_bytes(HASH_SEED, span_text(name)), (uint32_t)i);
	}
}

static bool is_ordinary(const struct findings *findings, unsigned index, const struct table *table,
			const void *row)
{
	const struct finding_rule *rule = &findings->rules[index];
	const struct row_facts facts = { { row_fact }, .table = table, .row = row };
	const char *text = rule->unless ? table_text(table, row, rule->unless_column) : NULL;
	const char *more = findings->limits[index].unless;
	struct span rest = span_text(more ? more : ""), item;

	if (!sentence_holds(rule->when, &facts.facts))
		return true;
	for (const char *const *one = rule->unless; one && *one; one++)
		if (strcmp(text, *one) == 0)
			return true;
	while (text && span_item(&rest, &item))
		if (span_is(item, text))
			return true;
	return false;
}

/* Is it about the row of this name? */
static bool is_about(const struct finding_row *finding, const char *name)
{
	size_t length = strlen(finding->subject), name_length = strlen(name);

	return length >= name_length &&
	       strcmp(finding->subject + length - name_length, name) == 0 &&
	       (length == name_length || finding->subject[length - name_length - 1] == ' ');
}

/* 0: not known. */
static double stored_since(const struct findings *findings, const struct finding_rule *rule,
			   const struct table *table, const void *row)
{
	for (size_t i = 0; i < findings->n_stored; i++) {
		const struct finding_row *finding = &findings->stored[i];

		if (finding->rule && finding->subject && finding->since_seconds >= 0 &&
		    strcmp(finding->rule, rule->name) == 0 &&
		    (!row || is_about(finding, table_text(table, row, rule->key)) ||
		     (rule->called && is_about(finding, table_text(table, row, rule->called)))))
			return finding->since_seconds;
	}
	return 0;
}

/* Since when, and whether that is over; false: not for long enough. */
static bool date(struct findings *findings, struct candidate *candidate, const struct table *table)
{
	const struct finding_rule *rule = &findings->rules[candidate->rule];
	const struct finding_spell *spell =
		finding_past_hold(&findings->past, candidate->identity, candidate->rule);
	double held = (double)(findings->past.now_ns - spell->begin_ns) / 1e9;
	double stored = stored_since(findings, rule, table, candidate->row);

	candidate->since_time = spell->begin_wall_ns;
	if (rule->age != FINDING_OBSERVED || stored > held) {
		held = rule->age != FINDING_OBSERVED ? candidate->values[0] : stored;
		candidate->since_time = findings->past.wall_ns - (uint64_t)(held * 1e9);
	}
	candidate->since_seconds = held;
	candidate->is_over = rule->age == FINDING_HAPPENED && held >= FRESH_SECONDS;
	if (candidate->is_over)
		candidate->severity = FINDING_NOTE;
	return held >= findings->limits[candidate->rule].hold;
}

static void judge_row(struct findings *findings, const struct frame *frame, unsigned index,
		      const struct table *table, const void *row)
{
	const struct finding_rule *rule = &findings->rules[index];
	struct candidate candidate = { .rule = index, .row = row, .rank = NAN };

	if (row && (is_ordinary(findings, index, table, row) ||
		    is_left(findings, table_text(table, row, rule->key)) != (rule->only_of != NULL)))
		return;
	candidate.identity = identity(rule, FINDING_VALUES_MAX, table, row);
	if (judge(findings, frame, &candidate, table) && date(findings, &candidate, table))
		*VECTOR_ADD(findings->candidates, findings->n_candidates, findings->capacity) = candidate;
}

/* What a rule cannot do without: all topics of limits, unless it speaks without them, too. */
static bool is_known(const struct frame *frame, const struct finding_rule *rule)
{
	bool optional = false;

	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
		const struct finding_value *value = &rule->values[i];

		optional = value->or_unknown || (optional && rule->values[i - 1].or_next);
		if (value->at_least.setting && !optional &&
		    ((value->topic && !frame_table(frame, value->topic)) ||
		     (value->less_topic && !frame_table(frame, value->less_topic)) ||
		     (value->over_topic && !frame_table(frame, value->over_topic))))
			return false;
	}
	return true;
}

static void judge_rule(struct findings *findings, const struct frame *frame, unsigned index, bool partial)
{
	const struct finding_rule *rule = &findings->rules[index];
	const char *left_to = rule->left_to ? rule->left_to : rule->only_of;
	const struct table *table = usable(frame, rule->topic);

	if (!table || findings->limits[index].off || (partial && !is_known(frame, rule)))
		return;
	index_left(findings, left_to ? usable(frame, left_to) : NULL);
	if (!rule->key)
		judge_row(findings, frame, index, table, NULL);
	for (size_t i = 0; rule->key && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (!table->schema->sum_row || !table_row_is(table, row, table->schema->sum_row))
			judge_row(findings, frame, index, table, row);
	}
	finding_past_end(&findings->past, index);
}

static const char *key_of(const struct findings *findings, const struct frame *frame,
			  const struct candidate *candidate)
{
	const struct finding_rule *rule = &findings->rules[candidate->rule];

	return rule->key ? table_text(frame_table(frame, rule->topic), candidate->row, rule->key) : NULL;
}

static bool yields(const struct finding_rule *rule, const struct finding_rule *to)
{
	for (unsigned i = 0; i < FINDING_YIELDS_MAX && rule->yields_to[i]; i++)
		if (strcmp(rule->yields_to[i], to->name) == 0)
			return true;
	return false;
}

/* Are they about the same? One without a key is about the whole machine. */
static bool same_key(const char *one, const char *other)
{
	return !one || !other || strcmp(one, other) == 0;
}

/* Does another rule speak of the same fact, or has it done so just now? */
static bool is_of_another(const struct findings *findings, const struct frame *frame,
			      const struct candidate *candidate)
{
	const struct finding_rule *rule = &findings->rules[candidate->rule];
	const char *key = key_of(findings, frame, candidate);
	const struct finding_spell *spell;
	size_t at = 0;

	for (size_t i = 0; i < findings->n_candidates; i++) {
		const struct candidate *other = &findings->candidates[i];

		if (yields(rule, &findings->rules[other->rule]) &&
		    same_key(key, key_of(findings, frame, other)))
			return true;
	}
	while (rule->age == FINDING_HAPPENED && (spell = finding_past_over(&findings->past, OVER_SECONDS, &at)))
		if (yields(rule, &findings->rules[spell->rule]) && same_key(key, spell->told.row))
			return true;
	return false;
}

static void leave_to_others(struct findings *findings, const struct frame *frame)
{
	struct candidate *kept = NULL;
	size_t n_kept = 0, capacity = 0;

	VECTOR_RESERVE(kept, findings->n_candidates + 1, capacity);
	for (size_t i = 0; i < findings->n_candidates; i++)
		if (!is_of_another(findings, frame, &findings->candidates[i]))
			kept[n_kept++] = findings->candidates[i];
	free(findings->candidates);
	findings->candidates = kept;
	findings->n_candidates = n_kept;
	findings->capacity = capacity;
}

/* What is over stands last; worst first; among equals in the order of the rules, then by what is judged. */
static int compare(const void *left, const void *right)
{
	const struct candidate *one = left, *other = right;

	if (one->is_over != other->is_over)
		return one->is_over ? 1 : -1;
	if (one->severity != other->severity)
		return one->severity > other->severity ? -1 : 1;
	if (one->rule != other->rule)
		return one->rule < other->rule ? -1 : 1;
	if (one->rank != other->rank)
		return one->rank > other->rank ? -1 : 1;
	return (const char *)one->row < (const char *)other->row ? -1 : one->row != other->row;
}

static const struct column *column_of(const struct frame *frame, const struct finding_rule *rule,
				      const struct finding_value *value)
{
	const struct table *table = frame_table(frame, value->topic ? value->topic : rule->topic);

	return table ? schema_find(table->schema, value->column) : NULL;
}

static const struct finding_value *find_value(const struct finding_rule *rule, struct span name)
{
	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++)
		if (span_is(name, rule->values[i].name))
			return &rule->values[i];
	return NULL;
}

/* The row in which a column is the greatest, but for those that are sums; NULL: none has enough. */
static const void *greatest_row(const struct table *table, const struct finding_value *value)
{
	const struct column *column = table ? schema_known_column(table->schema, value->most) : NULL;
	double most = value->most_least;
	const void *greatest = NULL;

	for (size_t i = 0; column && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double number = row_number(row, column);

		if (number >= most &&
		    !(table->schema->sum_row && table_row_is(table, row, table->schema->sum_row))) {
			most = number;
			greatest = row;
		}
	}
	return greatest;
}

/* Counts it once more; NaN is none. */
static void tally(struct findings *findings, double key)
{
	size_t i;

	if (isnan(key))
		return;
	for (i = 0; i < findings->n_tallies && findings->tallies[i].key != key; i++)
		;
	if (i == findings->n_tallies)
		*VECTOR_ADD(findings->tallies, findings->n_tallies, findings->tally_capacity) =
			(struct tally){ .key = key };
	findings->tallies[i].n++;
}

/* The row that most of those with a text name as theirs; NULL: they name none that is there. */
static const void *row_named_most(struct findings *findings, const struct table *table,
				  const struct finding_value *value)
{
	const struct column *names = table ? schema_known_column(table->schema, value->most) : NULL;
	const struct column *with = names ? schema_known_column(table->schema, value->with_column) : NULL;
	const struct column *key = names ? first_key(table->schema, false) : NULL;
	struct tally most = { .key = NAN };

	if (!with || !key)
		return NULL;
	findings->n_tallies = 0;
	for (size_t i = 0; i < table->n_rows; i++)
		if (row_has(table_row(table, i), with, value->with))
			tally(findings, row_number(table_row(table, i), names));
	for (size_t i = 0; i < findings->n_tallies; i++)
		if (findings->tallies[i].n > most.n)
			most = findings->tallies[i];
	for (size_t i = 0; i < table->n_rows; i++)
		if (row_number(table_row(table, i), key) == most.key)
			return table_row(table, i);
	return NULL;
}

/* The row that a value in a sentence is of; table is that of the rule, and becomes that of the value. */
static const void *sentence_row(struct findings *findings, const struct frame *frame,
				const struct finding_value *value, const struct table **table,
				const void *row)
{
	const void *first = value_row(frame, value, table, row);

	if (!value->most)
		return first;
	return value->with_column ? row_named_most(findings, *table, value) : greatest_row(*table, value);
}

/* The facts of a sentence of a finding. */
struct finding_facts {
	struct facts facts;
	struct findings *findings;
	const struct frame *frame;
	const struct candidate *candidate;
};

/* About the machine around the container in which panetop is: who does it is not seen from here. */
static bool is_of_host(const struct frame *frame, const struct finding_rule *rule)
{
	const struct row_facts facts = { .facts = { row_fact }, .frame = frame };

	return rule->of_host && sentence_holds(rule->of_host, &facts.facts);
}

/* "12 × cc1", "java (4711)" */
static const struct remark user_names[] = {
	{ "n > 1", "{n:.0} × {name}" },
	{ "id", "{name} ({id:.0})" },
	{ NULL, "{name}" },
};

/* {who}, and {use}: in units that the sentence names. */
static struct fact culprit_fact(const struct finding_facts *of, bool who)
{
	const struct finding_rule *rule = &of->findings->rules[of->candidate->rule];
	struct buffer *out = &of->findings->user_name;
	struct culprit culprit = { .name = "" };
	bool found = !is_of_host(of->frame, rule) &&
		     culprits_find(culprits_of(of->findings, rule->culprit), &culprit);
	const struct made_fact made[] = {
		{ "n", number_fact(culprit.n, UNIT_NONE) },
		{ "name", text_fact(culprit.name) },
		{ "id", number_fact(culprit.id, UNIT_NONE) },
	};
	const struct row_facts facts = { .facts = { row_fact }, .made = made, .n_made = 3 };

	if (!found)
		return FACT_UNKNOWN;
	if (!who)
		return number_fact(culprit.used, rule->culprit->unit);
	buffer_empty(out);
	remarks_say(out, REMARKS(user_names), &facts.facts);
	buffer_char(out, '\0');
	return text_fact(out->bytes);
}

static struct fact find_fact(const struct facts *facts, struct span name)
{
	const struct finding_facts *of = (const struct finding_facts *)facts;
	const struct finding_rule *rule = &of->findings->rules[of->candidate->rule];
	const struct finding_value *value = find_value(rule, name);
	const struct column *column = value ? column_of(of->frame, rule, value) : NULL;
	const struct table *table = frame_table(of->frame, rule->topic);
	struct fact fact = FACT_UNKNOWN;
	const void *row = NULL;

	if (span_is(name, "window"))
		return number_fact(of->candidate->covered, UNIT_SECONDS);
	if (rule->culprit && (span_is(name, "who") || span_is(name, "use")))
		return culprit_fact(of, span_is(name, "who"));
	if (value)
		row = sentence_row(of->findings, of->frame, value, &table, of->candidate->row);
	if (!value || (value->most && !row))
		return fact;
	if (column && column->type == VALUE_TEXT && (value->most || !value->with)) {
		fact.text = row ? table_text(table, row, value->column) : "";
		return fact;
	}
	fact.number = value->most && column ? row_number(row, column)
					    : of->candidate->values[value - rule->values];
	fact.unit = value->at_least.setting ? value->at_least.unit
		    : value->over           ? UNIT_RATIO
		    : column                ? column->unit
					    : UNIT_NONE;
	fact.unit = fact.unit == UNIT_BYTES_PER_SECOND ? UNIT_BYTES /* the sentence has "/s" */
		    : fact.unit == UNIT_PER_SECOND     ? UNIT_COUNT
						       : fact.unit;
	return fact;
}

static const char *sentence(struct findings *findings, struct frame *frame, const struct candidate *candidate,
			    size_t n_more)
{
	const struct finding_facts of = { { find_fact }, findings, frame, candidate };
	struct buffer *out = &findings->text;

	buffer_empty(out);
	sentence_add(out, _(findings->rules[candidate->rule].text), &of.facts);
	if (n_more > 0)
		buffer_print(out, _(" (and %zu more)"), n_more);
	return arena_copy(&frame->arena, out->bytes, out->length);
}

/* Its name for people, unless another finding of the rule is about a row of that name; or its key. */
static const char *name_of(const struct findings *findings, const struct candidate *candidate,
			   const struct table *table)
{
	const struct finding_rule *rule = &findings->rules[candidate->rule];
	const char *name = rule->called ? table_text(table, candidate->row, rule->called) : "";
	unsigned n_called = 0;

	for (size_t i = 0; *name && i < findings->n_candidates; i++) {
		const struct candidate *other = &findings->candidates[i];

		n_called += other->rule == candidate->rule &&
			    strcmp(table_text(table, other->row, rule->called), name) == 0;
	}
	return n_called == 1 ? name : table_text(table, candidate->row, rule->key);
}

static void add_row(struct findings *findings, struct frame *frame, struct table *out,
		    const struct candidate *candidate, size_t n_more)
{
	const struct finding_rule *rule = &findings->rules[candidate->rule];
	const struct table *table = frame_table(frame, rule->topic);
	const char *key = rule->key ? table_text(table, candidate->row, rule->key) : NULL;
	const char *name = key ? name_of(findings, candidate, table) : NULL;
	struct finding_row *row = table_add(out);

	row->severity = severities[candidate->severity];
	row->state = candidate->is_over ? STATE_EARLIER : STATE_NOW;
	row->since_time = candidate->since_time;
	row->until_time = candidate->is_over ? candidate->since_time : frame->wall_ns;
	row->subject = !key            ? _(rule->subject)
		       : rule->subject ? arena_print(&frame->arena, "%s %s", _(rule->subject), name)
				       : name;
	row->text = sentence(findings, frame, candidate, n_more);
	row->since_seconds = candidate->since_seconds;
	row->topic = rule->topic;
	row->rule = rule->name;
	row->pane = rule->pane;
	row->view = rule->view;
	row->row = key;
	row->of = is_of_host(frame, rule) ? N_("host") : NULL;
	if (candidate->severity >= FINDING_WARNING)
		finding_spell_tell(finding_past_hold(&findings->past, candidate->identity, candidate->rule),
				   row->subject, row->text, key);
}

static bool has_row(const struct table *table, const char *rule, const char *subject)
{
	for (size_t i = 0; i < table->n_rows; i++) {
		const struct finding_row *row = table_row(table, i);

		if (strcmp(row->rule, rule) == 0 && strcmp(row->subject, subject) == 0)
			return true;
	}
	return false;
}

static bool holds_again(const struct findings *findings, const struct frame *frame,
			const struct finding_spell *spell)
{
	for (size_t i = 0; i < findings->n_candidates; i++) {
		const struct candidate *candidate = &findings->candidates[i];

		if (yields(&findings->rules[spell->rule], &findings->rules[candidate->rule]) &&
		    same_key(spell->told.row, key_of(findings, frame, candidate)))
			return true;
	}
	return false;
}

/* Warnings that have ended, unless the same, or a worse one, holds again. */
static void add_over(struct findings *findings, struct frame *frame, struct table *out)
{
	const struct finding_spell *spell;
	size_t at = 0;

	while ((spell = finding_past_over(&findings->past, OVER_SECONDS, &at))) {
		const struct finding_rule *rule = &findings->rules[spell->rule];
		const struct finding_told *told = &spell->told;
		struct finding_row *row;

		if (findings->limits[spell->rule].off || rule->age == FINDING_HAPPENED ||
		    has_row(out, rule->name, told->subject) || holds_again(findings, frame, spell))
			continue;
		row = table_add(out);
		row->rule = rule->name;
		row->subject = arena_print(&frame->arena, "%s", told->subject);
		row->text = arena_print(&frame->arena, "%s", told->text);
		row->row = told->row ? arena_print(&frame->arena, "%s", told->row) : NULL;
		row->severity = severities[FINDING_NOTE];
		row->state = STATE_EARLIER;
		row->since_seconds = (double)(findings->past.now_ns - spell->begin_ns) / 1e9;
		row->since_time = spell->begin_wall_ns;
		row->until_time = spell->end_wall_ns;
		row->topic = rule->topic;
		row->pane = rule->pane;
		row->view = rule->view;
		row->of = is_of_host(frame, rule) ? N_("host") : NULL;
	}
}

static bool is_alike(const struct candidate *one, const struct candidate *other)
{
	return one->rule == other->rule && one->severity == other->severity && one->is_over == other->is_over;
}

/* Of each rule the worst rows. */
static void add_rows(struct findings *findings, struct frame *frame, struct table *table)
{
	const struct candidate *all = findings->candidates;
	size_t of_rule = 0;

	for (size_t i = 0; i < findings->n_candidates; i++) {
		size_t n_more = 0;

		of_rule = i > 0 && is_alike(&all[i], &all[i - 1]) ? of_rule + 1 : 1;
		if (of_rule > ROWS_MAX)
			continue;
		for (size_t j = i + 1; of_rule == ROWS_MAX && j < findings->n_candidates; j++)
			n_more += is_alike(&all[j], &all[i]);
		add_row(findings, frame, table, &all[i], n_more);
	}
}

/* Adds it to a list with commas, once. */
static void add_lack(struct buffer *names, const struct frame *frame, const char *topic)
{
	struct span rest = { names->bytes, names->bytes + names->length }, name;

	if (!topic || frame_table(frame, topic))
		return;
	while (names->length > 0 && span_item(&rest, &name))
		if (span_is(span_trimmed(name), topic))
			return;
	buffer_print(names, names->length > 0 ? ", %s" : "%s", topic);
}

void findings_note_lack(const struct findings *findings, struct frame *frame)
{
	struct buffer names = { 0 };

	for (unsigned i = 0; i < findings->n_rules; i++) {
		const struct finding_rule *rule = &findings->rules[i];

		if (rule->with || findings->limits[i].off)
			continue;
		add_lack(&names, frame, rule->topic);
		for (unsigned v = 0; v < FINDING_VALUES_MAX && rule->values[v].name; v++) {
			const struct finding_value *value = &rule->values[v];

			if (!value->at_least.setting || value->or_unknown)
				continue;
			add_lack(&names, frame, value->topic);
			add_lack(&names, frame, value->over_topic);
		}
	}
	if (names.length > 0)
		frame_notice(frame, finding_schema.name, NULL, _("not judged, since not sampled here: %.*s"),
			     (int)names.length, names.bytes);
	buffer_free(&names);
}

static void number_rows(struct table *table)
{
	struct finding_row *rows = (struct finding_row *)(void *)table->rows;

	for (size_t i = 0; i < table->n_rows; i++)
		rows[i].number = i + 1;
}

void findings_derive(struct findings *findings, struct frame *frame, enum findings_where where)
{
	struct table *table = frame_slot(frame, finding_schema.name);
	bool any = false;

	if (!table || !(table->present || where != FINDINGS_WHERE_ASKED))
		return;
	table->partial = !table->present && where == FINDINGS_WHERE_KNOWN;
	table->present = true;
	findings->n_stored = table->n_rows;
	findings->stored = memcpy(arena_take(&frame->arena, (table->n_rows + 1) * sizeof(struct finding_row)),
				  table->rows ? (const void *)table->rows : "",
				  table->n_rows * sizeof(struct finding_row));
	table->n_rows = 0;
	table->mono_ns = frame->mono_ns;
	findings->n_candidates = 0;
	finding_past_begin(&findings->past, frame->mono_ns, frame->wall_ns);
	for (unsigned i = 0; i < findings->n_culprits; i++)
		culprits_take(findings->culprits[i], frame);
	for (unsigned i = 0; i < findings->n_rules; i++) {
		judge_rule(findings, frame, i, table->partial);
		any |= frame_table(frame, findings->rules[i].topic) != NULL;
	}
	table->present = any; /* what cannot be judged is not free of findings */
	leave_to_others(findings, frame);
	if (findings->n_candidates > 1)
		qsort(findings->candidates, findings->n_candidates, sizeof(*findings->candidates), compare);
	add_rows(findings, frame, table);
	add_over(findings, frame, table);
	number_rows(table);
}

bool findings_judge_row(const struct findings *findings, const char *name, const struct schema *schema,
			const void *row, enum finding_severity *severity)
{
	const struct table table = { .schema = schema };
	const struct finding_rule *rule = findings->rules;
	unsigned index = 0;

	while (index < findings->n_rules && strcmp(findings->rules[index].name, name) != 0)
		index++;
	if (index == findings->n_rules || findings->limits[index].off ||
	    is_ordinary(findings, index, &table, row))
		return false;
	rule += index;
	*severity = rule->severity;
	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
		const struct finding_value *value = &rule->values[i];
		double number = NAN;

		if (!value->topic && !value->with && !value->most && value->window_seconds == 0)
			number = table_number(&table, row, value->column);
		if (!holds(value, findings->limits[index].values[i], number, false))
			return false;
		if (value->critical > 0 && is_worse(value, number, value->critical))
			*severity = FINDING_CRITICAL;
	}
	return true;
}

double findings_limit(const struct findings *findings, const char *setting)
{
	for (unsigned r = 0; findings && r < findings->n_rules; r++)
		for (unsigned i = 0; i < FINDING_VALUES_MAX && findings->rules[r].values[i].name; i++) {
			const char *name = findings->rules[r].values[i].at_least.setting;

			if (name && strcmp(name, setting) == 0)
				return findings->limits[r].values[i];
		}
	return NAN;
}

void findings_add(struct frame *frame, const struct finding_added *added)
{
	struct table *table = frame_slot(frame, finding_schema.name);
	struct finding_row *rows, row;
	size_t at = 0;

	if (!table || !table->present)
		return;
	row = *(struct finding_row *)table_add(table);
	row.rule = added->rule;
	row.subject = added->subject;
	row.text = added->text;
	row.severity = severities[FINDING_WARNING];
	row.state = STATE_NOW;
	row.since_seconds = added->since_seconds;
	row.since_time = frame->wall_ns - (uint64_t)(added->since_seconds * 1e9);
	row.until_time = frame->wall_ns;
	row.topic = added->topic;
	row.pane = added->pane;
	rows = (struct finding_row *)(void *)table->rows;
	while (at + 1 < table->n_rows && rows[at].severity == severities[FINDING_CRITICAL])
		at++;
	memmove(&rows[at + 1], &rows[at], (table->n_rows - 1 - at) * sizeof(*rows));
	rows[at] = row;
	number_rows(table);
}
