/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings: judges the rules in each frame, and knows since when they hold. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "model/finding_parts.h"
#include "model/sentence.h"
#include "model/view.h"

#define PREFIX "finding."

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

const char *finding_setting(const struct settings *settings, const char *name)
{
	char whole[96];

	snprintf(whole, sizeof(whole), PREFIX "%s", name);
	return settings ? settings_text(settings, whole) : NULL;
}

double finding_number(const struct settings *settings, const struct finding_limit *limit)
{
	const char *text = limit->setting ? finding_setting(settings, limit->setting) : NULL;
	double number;

	return text && parse_limit(limit, text, &number) ? number : limit->number;
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

/* The rule that has it as its name, as a limit, or as a list of names; NULL: none. */
static const struct finding_rule *rule_of_setting(const struct finding_rule *rules, unsigned n_rules,
						  const char *name)
{
	for (unsigned i = 0; i < n_rules; i++)
		if (strcmp(rules[i].name, name) == 0 || find_limit(&rules[i], name) ||
		    (rules[i].unless_setting && strcmp(rules[i].unless_setting, name) == 0))
			return &rules[i];
	return NULL;
}

bool finding_setting_known(const struct finding_rule *rules, unsigned n_rules, const char *name)
{
	return strncmp(name, PREFIX, strlen(PREFIX)) == 0 &&
	       rule_of_setting(rules, n_rules, name + strlen(PREFIX));
}

bool finding_setting_valid(const struct finding_rule *rules, unsigned n_rules, const char *name,
			   const char *value)
{
	const struct finding_rule *rule = rule_of_setting(rules, n_rules, name += strlen(PREFIX));
	const struct finding_limit *limit = rule ? find_limit(rule, name) : NULL;
	double number;

	if (rule && strcmp(rule->name, name) == 0)
		return strcmp(value, "off") == 0 || strcmp(value, "on") == 0;
	return rule && (!limit || parse_limit(limit, value, &number));
}

#define FRESH_SECONDS 30 /* for which what has happened holds */
#define APART_SECONDS 1  /* by which clocks of topics may differ */
#define CUT_SECONDS 30   /* after which findings are taken as they are where earlier frames are too many */
#define SHARE_SECONDS_MIN 1 /* of time that a share of it is of, unless the rule says more */

void findings_begin(struct findings *findings, enum findings_begin begin)
{
	finding_past_empty(&findings->past);
	findings->past.begin = begin;
	for (unsigned i = 0; i < findings->n_culprits; i++)
		culprits_forget(findings->culprits[i]);
	for (unsigned i = 0; i < findings->n_rules; i++)
		findings->limits[i].judged = (struct judged_at){ 0 };
	for (unsigned i = 0; findings->kept && i < FINDING_KEPT; i++)
		findings->kept[i].mono_ns = 0;
}

void findings_keep(struct findings *findings)
{
	findings->kept = alloc_zeroed(FINDING_KEPT, sizeof(*findings->kept));
}

void findings_close(struct findings *findings)
{
	for (unsigned i = 0; i < findings->n_culprits; i++)
		culprits_close(findings->culprits[i]);
	finding_past_free(&findings->past);
	free(findings->limits);
	free(findings->candidates);
	free(findings->tallies);
	buffer_free(&findings->text);
	buffer_free(&findings->user_name);
	for (unsigned i = 0; findings->kept && i < FINDING_KEPT; i++) {
		free(findings->kept[i].rows);
		buffer_free(&findings->kept[i].texts);
	}
	free(findings->kept);
	free(findings);
}

static struct rule_limits limits_of(const struct settings *settings, const struct finding_rule *rule)
{
	const char *own = finding_setting(settings, rule->name);
	const char *wish = own || !rule->stands_for ? own : finding_setting(settings, rule->stands_for);
	struct rule_limits limits = {
		.off = wish && strcmp(wish, "off") == 0,
		.unless = rule->unless_setting ? finding_setting(settings, rule->unless_setting) : NULL,
		.hold = finding_number(settings, &rule->hold),
	};

	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
		const struct finding_limit *limit = &rule->values[i].at_least;
		bool set = limit->setting && finding_setting(settings, limit->setting);
		bool keeps = rule->values[i].keeps > 0 && !set;

		limits.values[i] = finding_number(settings, limit);
		limits.keeps[i] = keeps ? rule->values[i].keeps : limits.values[i];
		limits.window = fmax(limits.window, rule->values[i].window_seconds);
	}
	return limits;
}

struct culprits *finding_culprits(const struct findings *findings, const struct culprit_kind *kind)
{
	for (unsigned i = 0; i < findings->n_culprits; i++)
		if (findings->kinds[i] == kind)
			return findings->culprits[i];
	return NULL;
}

struct findings *findings_open(const struct finding_rule *rules, unsigned n_rules,
			       const struct settings *settings)
{
	struct findings *findings = alloc_zeroed(1, sizeof(*findings));

	findings->rules = rules;
	findings->n_rules = n_rules;
	for (unsigned i = 0; i < n_rules; i++) {
		const struct culprit_kind *kind = rules[i].culprit;

		if (!kind || finding_culprits(findings, kind) || findings->n_culprits == FINDING_CULPRITS_MAX)
			continue;
		findings->kinds[findings->n_culprits] = kind;
		findings->culprits[findings->n_culprits++] = culprits_open(kind);
	}
	findings->limits = alloc_zeroed(n_rules, sizeof(*findings->limits));
	for (unsigned i = 0; i < n_rules; i++)
		findings->limits[i] = limits_of(settings, &rules[i]);
	return findings;
}

/* What rules read is marked; or where there is a request, columns that are read on request are added. */
struct findings_needs {
	const struct schema *const *schemas;
	unsigned n_schemas;
	const bool *wanted;
	bool *marked;
	struct sample_request *request;
};

/* topic NULL: it reads nothing there; columns: with commas; NULL: none. */
static void need(const struct findings_needs *needs, const char *topic, const char *columns)
{
	int index = topic ? schema_index(needs->schemas, needs->n_schemas, topic) : -1;

	if (index >= 0 && needs->request)
		sample_request_add(needs->request, needs->schemas[index],
				   schema_requested_columns(needs->schemas[index], columns));
	else if (index >= 0)
		needs->marked[index] = true;
}

static void need_values(const struct findings_needs *needs, const struct finding_rule *rule)
{
	need(needs, rule->topic, NULL);
	for (unsigned i = 0; rule->culprit && i < CULPRIT_SOURCES_MAX; i++) {
		const struct culprit_source *source = &rule->culprit->sources[i];

		need(needs, source->topic, source->used);
		need(needs, source->topic, source->less);
		need(needs, source->topic, source->unless);
	}
	if (rule->culprit) {
		need(needs, rule->culprit->whole.topic, rule->culprit->whole.columns[0]);
		need(needs, rule->culprit->whole.times_topic, rule->culprit->whole.times);
	}
	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
		const struct finding_value *value = &rule->values[i];
		const char *topic = value->topic ? value->topic : rule->topic;

		need(needs, topic, value->column);
		need(needs, value->less_topic, value->less);
		need(needs, value->over_topic ? value->over_topic : topic, value->over);
	}
}

static void need_all(const struct findings_needs *needs, const struct finding_rule *rules, unsigned n_rules,
		     bool recorded)
{
	int own = schema_index(needs->schemas, needs->n_schemas, finding_schema.name), with;

	for (unsigned r = 0; own >= 0 && needs->wanted[own] && r < n_rules; r++) {
		with = rules[r].with ? schema_index(needs->schemas, needs->n_schemas, rules[r].with) : own;
		if (recorded || (with >= 0 && needs->wanted[with]))
			need_values(needs, &rules[r]);
	}
}

void findings_want(const struct finding_rule *rules, unsigned n_rules, const struct schema *const *schemas,
		   unsigned n_schemas, bool recorded, bool *wanted)
{
	need_all(&(struct findings_needs){ schemas, n_schemas, wanted, .marked = wanted }, rules, n_rules,
		 recorded);
}

void findings_request(const struct finding_rule *rules, unsigned n_rules, const struct schema *const *schemas,
		      unsigned n_schemas, const bool *wanted, struct sample_request *request)
{
	int own = schema_index(schemas, n_schemas, finding_schema.name);

	if (own >= 0 && !(request->resting && request->resting[own]))
		need_all(&(struct findings_needs){ schemas, n_schemas, wanted, .request = request }, rules,
			 n_rules, false);
}

/* A table with rates that cover an interval; one that failed has nothing to say. */
static const struct table *finding_table(const struct frame *frame, const char *topic)
{
	const struct table *table = frame_table(frame, topic);

	return table && !table->failed ? table : NULL;
}

bool finding_row_has(const void *row, const struct column *column, const char *wanted)
{
	const char *text = row_text(row, column);

	return text && strcmp(text, wanted) == 0;
}

static double count_rows(const struct table *table, const struct finding_value *value)
{
	const struct column *column = schema_known_column(table->schema, value->column);
	double n = 0;

	for (size_t i = 0; column && i < table->n_rows; i++)
		n += finding_row_has(table_row(table, i), column, value->with);
	return n;
}

/* The row that a value is of; table is that of the rule, and becomes that of the value. */
const void *finding_value_row(const struct frame *frame, const struct finding_value *value,
			     const struct table **table, const void *row)
{
	if (value->topic)
		*table = finding_table(frame, value->topic);
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
	const struct table *other = value->over_topic ? finding_table(frame, value->over_topic) : table;

	if (!value->over_topic)
		return table_number(table, row, value->over);
	return other ? frame_number(frame, value->over_topic, value->over_row, value->over) : NAN;
}

/* Identifies a value of a row, to find what it was. */
static uint64_t identity(const struct finding_rule *rule, unsigned value, const struct table *table,
			 const void *row)
{
	uint64_t hash = hash_bytes(hash_bytes(HASH_SEED, span_text(rule->name)), span_text(rule->topic));
	uint64_t of_row = rule->key && row ? row_hash_key(table->schema, row) : 0;

	return hash_u64(hash ^ hash_u64(of_row + value));
}

/* What the numbers of a value are read from. */
struct place {
	const struct table *table;
	const void *row;
	const struct column *column;
};

static struct finding_growth growth(struct findings *findings, const struct finding_value *value,
				    uint64_t identity, const struct place *place, double number)
{
	const struct finding_window window = {
		.seconds = value->window_seconds,
		.counter = place->column->kind == COLUMN_COUNTER,
		.from_zero = place->table->schema->from_zero && !value->mean,
		.mean = value->mean,
	};

	return finding_past_growth(&findings->past, identity, number, &window);
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
	struct place place = { .table = value->less ? finding_table(frame, value->less_topic) : NULL };

	place.row = place.table ? table_find(place.table, value->less_row, NULL) : NULL;
	place.column = place.row ? schema_known_column(place.table->schema, value->less) : NULL;
	if (!place.column)
		return 0;
	return growth(findings, value, hash_u64(identity), &place, row_number(place.row, place.column))
		.number;
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

/* What most of the rows with a text name, as they have for long enough; NaN: nothing. */
static double named_most(struct findings *findings, unsigned rule, const struct finding_value *value,
			 const struct table *table)
{
	const struct column *names = table ? schema_known_column(table->schema, value->most) : NULL;
	const struct column *with = names ? schema_known_column(table->schema, value->with_column) : NULL;
	struct judged_at *judged = &findings->limits[rule].judged;
	struct tally most = { .key = NAN };

	findings->n_tallies = 0;
	for (size_t i = 0; with && i < table->n_rows; i++)
		if (finding_row_has(table_row(table, i), with, value->with))
			tally(findings, row_number(table_row(table, i), names));
	for (size_t i = 0; i < findings->n_tallies; i++)
		if (findings->tallies[i].n > most.n)
			most = findings->tallies[i];
	if (judged->most != most.key)
		judged->most_ns = findings->past.now_ns;
	judged->most = most.key;
	return (double)(findings->past.now_ns - judged->most_ns) / 1e9 < value->most_seconds ? NAN : most.key;
}

static double value_now(struct findings *findings, const struct frame *frame, struct candidate *candidate,
			unsigned index, const struct table *of_rule)
{
	unsigned rule = candidate->rule;
	const struct finding_value *value = &findings->rules[rule].values[index];
	struct place place = { .table = of_rule };
	struct finding_growth grown;
	double number, over = 1;
	uint64_t key;

	candidate->is_young = false;
	place.row = finding_value_row(frame, value, &place.table, candidate->row);
	if (value->with_column)
		return named_most(findings, rule, value, place.table);
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
		grown = growth(findings, value, key, &place, number);
		if (value->over && !value->over_topic)
			over = growth(findings, value, ~key, &place, over).number;
		if (value->per_second)
			over = grown.covered;
		if ((value->over || value->per_second) && !value->mean &&
		    grown.covered < fmax(SHARE_SECONDS_MIN, findings->rules[rule].least_seconds))
			grown.number = NAN;
		candidate->is_young = !isnan(number) && isnan(grown.number);
		number = grown.number - taken_off(findings, frame, value, key);
		candidate->covered = fmax(candidate->covered, grown.covered);
		if (index == 0) {
			candidate->changed_ns = grown.changed_ns;
			candidate->before_ns = grown.before_ns;
		}
	}
	return number / over;
}

static bool is_worse(const struct finding_value *value, double number, double limit)
{
	return value->at_most ? number <= limit : number >= limit;
}

static bool holds(const struct finding_value *value, double limit, double number, bool is_young)
{
	return (!value->at_least.setting && limit == 0) || is_worse(value, number, limit) ||
	       (value->or_unknown && isnan(number) && !is_young);
}

/*
 * May it have held before the first frame, as far as earlier frames say? Until one of them had the whole time
 * that the numbers are of, and so much more.
 */
static bool is_early(const struct rule_limits *limits, double more_seconds)
{
	const struct judged_at *judged = &limits->judged;

	return judged->before_ns == 0 || (double)(judged->before_ns - judged->first_ns) / 1e9 <
						 limits->window * FINDING_WINDOW_MOST + more_seconds;
}

static bool is_critical(const struct finding_value *value, double limit, double number,
			const struct table *table)
{
	if (!(value->critical > 0) || !is_worse(value, number, value->critical))
		return false;
	for (size_t i = 0; value->critical_in_all && i < table->n_rows; i++) {
		double other = table_number(table, table_row(table, i), value->column);

		if (!isnan(other) && !is_worse(value, other, limit))
			return false;
	}
	return true;
}

/* Do all limits hold? Reads all values, as those of the past must not get gaps. */
static bool judge(struct findings *findings, const struct frame *frame, struct candidate *candidate,
		  const struct table *table)
{
	const struct finding_rule *rule = &findings->rules[candidate->rule];
	const struct rule_limits *limits = &findings->limits[candidate->rule];
	bool early = is_early(limits, 0);
	const double *limit_of = finding_past_held(&findings->past, candidate->identity) ||
						 (findings->past.begin == FINDINGS_WITHIN && early)
					 ? limits->keeps
					 : limits->values;
	bool all = true, before = false;         /* before: an alternative holds */
	bool may = early, before_may = false; /* the same, for all that is known */

	candidate->severity = rule->severity;
	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
		const struct finding_value *value = &rule->values[i];
		double number = value->most && !(value->with_column && all)
					? NAN
					: value_now(findings, frame, candidate, i, table);
		bool good = holds(value, limit_of[i], number, candidate->is_young) || before;

		candidate->values[i] = number;
		if (is_critical(value, limit_of[i], number, table))
			candidate->severity = FINDING_CRITICAL;
		if (value->at_least.setting && isnan(candidate->rank))
			candidate->rank = value->at_most ? -number : number;
		before = value->or_next && good;
		all &= good || value->or_next;
		good = value->window_seconds > 0 || before_may ||
		       holds(value, limits->keeps[i], number, candidate->is_young);
		before_may = value->or_next && good;
		may &= good || value->or_next;
	}
	if (may && !all)
		finding_past_be_unsure(&findings->past, candidate->identity);
	return all;
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

/* Of a share of the time before it held: that share of it; or the whole time. */
static double lead_seconds(const struct finding_rule *rule, const struct candidate *candidate)
{
	const struct finding_value *first = &rule->values[0];
	double share = candidate->values[0];

	if (rule->from_window)
		return candidate->covered;
	return first->window_seconds > 0 && first->at_least.unit == UNIT_RATIO && share > 0 && share <= 1
		       ? share * candidate->covered
		       : 0;
}

#define LEAD_SECONDS 25 /* and the first seconds, in which growth is not known, are half a minute */

/* What a column says of the time before; as it said it first. */
static void look_back(struct finding_spell *spell, const struct finding_rule *rule, const struct table *table,
		      const void *row, double held)
{
	double seconds = NAN;

	if (rule->lead && held >= LEAD_SECONDS && spell->lead_seconds == 0)
		seconds = table_number(table, row, rule->lead);
	if (!(seconds > held))
		return;
	spell->lead_seconds = seconds - held;
	spell->unseen = false;
}

bool finding_began_before(const struct finding_rule *rule, const struct table *table, const void *row)
{
	const char *begun = "";

	if (rule->age == FINDING_LASTS)
		begun = row_text(row, schema_known_column(table->schema, "begun"));
	return rule->age == FINDING_SEEN || !begun || *begun != '\0';
}

/* Is its age the first value, which the frame has? */
static bool has_age(const struct finding_rule *rule)
{
	return rule->age == FINDING_LASTS || rule->age == FINDING_SEEN || rule->age >= FINDING_HAPPENED;
}

/* Since when, and whether that is over; false: not for long enough. */
static bool date(struct findings *findings, struct candidate *candidate, const struct table *table)
{
	const struct finding_rule *rule = &findings->rules[candidate->rule];
	const struct rule_limits *limits = &findings->limits[candidate->rule];
	struct finding_spell *spell =
		finding_past_hold(&findings->past, candidate->identity, candidate->rule);
	double held = (double)(findings->past.now_ns - spell->begin_ns) / 1e9;
	double stored = stored_since(findings, rule, table, candidate->row);
	bool happened = rule->age >= FINDING_HAPPENED;
	bool recurs = rule->age == FINDING_RECURS && !isnan(candidate->values[1]);

	if (held == 0) {
		spell->lead_seconds = lead_seconds(rule, candidate);
		spell->is_early = is_early(limits, FINDING_BACK_SECONDS);
		spell->unseen = limits->judged.before_ns == 0 ||
				(is_early(limits, 0) &&
				 finding_past_was_unsure(&findings->past, candidate->identity));
	}
	look_back(spell, rule, table, candidate->row, held);
	candidate->since_seconds = held + spell->lead_seconds;
	candidate->since_time = finding_time_before(spell->begin_wall_ns, spell->lead_seconds);
	candidate->is_least = spell->unseen;
	if (rule->lead)
		held = candidate->since_seconds;
	if (has_age(rule) || stored > candidate->since_seconds) {
		held = has_age(rule) ? candidate->values[0] : stored;
		candidate->since_seconds = recurs ? candidate->values[1] : held;
		candidate->is_least = finding_began_before(rule, table, candidate->row);
		candidate->since_time =
			finding_time_before(findings->past.wall_ns,
					    finding_past_seconds(&findings->past, candidate->since_seconds));
		held = held < 0 ? 0 : held;
		candidate->since_seconds = candidate->since_seconds < 0 ? 0 : candidate->since_seconds;
	}
	candidate->ago_seconds = finding_past_seconds(&findings->past, candidate->values[0]);
	candidate->is_over = happened && candidate->ago_seconds >= FRESH_SECONDS;
	if (candidate->is_over)
		candidate->severity = FINDING_NOTE;
	spell->was_found |= held >= limits->hold;
	return held >= limits->hold;
}

static void judge_row(struct findings *findings, const struct frame *frame, unsigned index,
		      const struct table *table, const void *row)
{
	const struct finding_rule *rule = &findings->rules[index];
	struct candidate candidate = { .rule = index, .row = row, .rank = NAN };

	if (row && is_ordinary(findings, index, table, row))
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

/* topic NULL: any. */
static const struct finding_rule *find_rule(const struct findings *findings, const char *name,
					    const char *topic)
{
	for (unsigned i = 0; findings && i < findings->n_rules; i++)
		if (strcmp(findings->rules[i].name, name) == 0 &&
		    (!topic || strcmp(findings->rules[i].topic, topic) == 0))
			return &findings->rules[i];
	return NULL;
}

/* A table has thousands of rows. This column alone excludes most of them, by its limit; NULL: none does. */
static const struct column *first_look(const struct findings *findings, unsigned index,
				       const struct table *table)
{
	const struct finding_rule *rule = &findings->rules[index];
	const struct finding_value *first = &rule->values[0];

	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++)
		if (rule->values[i].window_seconds > 0)
			return NULL;
	if (!first->at_least.setting || first->topic || first->over || first->with || first->or_unknown ||
	    first->or_next || first->keeps > 0)
		return NULL;
	return schema_known_column(table->schema, first->column);
}

static void note_judged(struct judged_at *judged, uint64_t now_ns)
{
	if (judged->first_ns == 0)
		judged->first_ns = now_ns;
	else if (judged->last_ns < now_ns)
		judged->before_ns = judged->last_ns;
	judged->last_ns = now_ns;
}

static void judge_rule(struct findings *findings, const struct frame *frame, unsigned index, bool partial)
{
	const struct finding_rule *rule = &findings->rules[index];
	const struct table *table = finding_table(frame, rule->topic);
	double limit = findings->limits[index].values[0];
	const struct column *first;

	if (rule->stands_for && frame_table(frame, find_rule(findings, rule->stands_for, NULL)->topic))
		return;
	if (!table || findings->limits[index].off || (partial && !is_known(frame, rule)))
		return;
	note_judged(&findings->limits[index].judged, findings->past.now_ns);
	if (!rule->key)
		judge_row(findings, frame, index, table, NULL);
	first = first_look(findings, index, table);
	for (size_t i = 0; rule->key && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (first && !is_worse(&rule->values[0], row_number(row, first), limit))
			continue;
		if (!schema_row_is_sum(table->schema, row))
			judge_row(findings, frame, index, table, row);
	}
	finding_past_end(&findings->past, index);
}

/* Which row it is about; NULL: the machine. */
static const char *key_of(const struct findings *findings, const struct frame *frame,
			  const struct candidate *candidate)
{
	const struct finding_rule *rule = &findings->rules[candidate->rule];

	return rule->key ? table_text(frame_table(frame, rule->topic), candidate->row, rule->key) : NULL;
}

static bool yields(const struct finding_rule *rule, const struct finding_rule *to)
{
	for (unsigned i = 0; i < FINDING_YIELDS_MAX && rule->yields_to[i]; i++)
		if (rule != to && strcmp(rule->yields_to[i], to->name) == 0)
			return true;
	return false;
}

/* Are they about the same? One without a key is about the whole machine. */
static bool is_same_key(const char *one, const char *other)
{
	return !one || !other || strcmp(one, other) == 0;
}

bool findings_say_it(const struct findings *findings, const struct frame *frame,
		     const struct finding_rule *rule, const char *key, bool is_over)
{
	for (size_t i = 0; i < findings->n_candidates; i++) {
		const struct candidate *other = &findings->candidates[i];

		if ((is_over || !other->is_over) && yields(rule, &findings->rules[other->rule]) &&
		    is_same_key(key, key_of(findings, frame, other)))
			return true;
	}
	return false;
}

bool findings_said_it(const struct findings *findings, const struct finding_rule *rule, const char *key)
{
	const struct finding_spell *spell;
	size_t at = 0;

	while ((spell = finding_past_over(&findings->past, FINDING_OVER_SECONDS, &at)))
		if (yields(rule, &findings->rules[spell->rule]) && is_same_key(key, spell->told.row))
			return true;
	return false;
}

/* Did what is over happen when this counter grew last, or later? If not, it counted what the other lacks. */
static bool counts_it(const struct findings *findings, const struct candidate *candidate,
		      const struct candidate *other)
{
	double ago = (double)(findings->past.now_ns - candidate->before_ns) / 1e9;

	return findings->rules[candidate->rule].age == FINDING_COUNTS && candidate->changed_ns > 0 &&
	       other->is_over && other->values[0] <= ago + APART_SECONDS;
}

/* Does another entry of its rule know when that happened, and have it as over? */
static bool is_counted_elsewhere(const struct findings *findings, const struct frame *frame,
				 const struct candidate *candidate)
{
	const struct finding_rule *rule = &findings->rules[candidate->rule];
	const char *key = key_of(findings, frame, candidate);

	for (size_t i = 0; i < findings->n_candidates; i++) {
		const struct candidate *other = &findings->candidates[i];
		const struct finding_rule *its = &findings->rules[other->rule];

		if (strcmp(rule->name, its->name) == 0 && yields(rule, its) &&
		    counts_it(findings, candidate, other) && is_same_key(key, key_of(findings, frame, other)))
			return true;
	}
	return false;
}

/* Does another rule speak of the same fact, or, where both are over, has it done so? */
static bool is_of_another(const struct findings *findings, const struct frame *frame,
			  const struct candidate *candidate)
{
	const struct finding_rule *rule = &findings->rules[candidate->rule];
	const char *key = key_of(findings, frame, candidate);

	return findings_say_it(findings, frame, rule, key, candidate->is_over) ||
	       is_counted_elsewhere(findings, frame, candidate) ||
	       (candidate->is_over && findings_said_it(findings, rule, key));
}

static void leave_to_others(struct findings *findings, const struct frame *frame)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < findings->n_candidates; i++)
		findings->candidates[i].is_left =
			is_of_another(findings, frame, &findings->candidates[i]);
	for (size_t i = 0; i < findings->n_candidates; i++)
		if (!findings->candidates[i].is_left)
			findings->candidates[n_kept++] = findings->candidates[i];
	findings->n_candidates = n_kept;
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

/* Not sampled, or failed with a notice: without a notice the machine lacks what it is about. */
static bool is_lacking(const struct frame *frame, const char *topic)
{
	const struct table *table = frame_table(frame, topic);

	return !table || (table->failed && frame_newest_notice(frame, topic));
}

/* Where its topic failed, does another rule speak of the same? */
static bool has_another(const struct findings *findings, const struct frame *frame,
			const struct finding_rule *rule)
{
	const struct table *table = frame_table(frame, rule->topic);

	for (unsigned i = 0; table && table->failed && i < findings->n_rules; i++) {
		const struct finding_rule *other = &findings->rules[i];

		if ((strcmp(other->name, rule->name) == 0 ||
		     (other->stands_for && strcmp(other->stands_for, rule->name) == 0)) &&
		    !findings->limits[i].off && finding_table(frame, other->topic))
			return true;
	}
	return false;
}

/* Adds it to a list with commas, once. */
static void add_lack(struct buffer *names, const struct frame *frame, const char *topic)
{
	struct span rest = { names->bytes, names->bytes + names->length }, name;

	if (!topic || !is_lacking(frame, topic))
		return;
	while (names->length > 0 && span_item(&rest, &name))
		if (span_is(span_trimmed(name), topic))
			return;
	buffer_print(names, names->length > 0 ? ", %s" : "%s", topic);
}

/* It has no rows for a reason. */
static const struct notice *why_empty(const struct frame *frame, const struct table *table)
{
	return table && table->n_rows == 0 ? frame_newest_notice(frame, table->schema->name) : NULL;
}

static void note_not_judged(struct frame *frame, const struct notice *why)
{
	if (why)
		frame_notice(frame, NOTICE_NOT_JUDGED, why->remedy, "%s", why->text);
}

void findings_note_lack(const struct findings *findings, struct frame *frame)
{
	struct buffer names = { 0 };

	for (unsigned i = 0; i < findings->n_rules; i++) {
		const struct finding_rule *rule = &findings->rules[i];

		if (rule->with || findings->limits[i].off || has_another(findings, frame, rule))
			continue;
		add_lack(&names, frame, rule->topic);
		note_not_judged(frame, why_empty(frame, finding_table(frame, rule->topic)));
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

void findings_note_empty(const struct findings *findings, struct frame *frame, const bool *asked)
{
	for (unsigned i = 0; i < findings->n_rules; i++) {
		const struct table *table = frame_table(frame, findings->rules[i].topic);

		if (table && !asked[table - frame->tables])
			note_not_judged(frame, why_empty(frame, table));
	}
}

void findings_derive(struct findings *findings, struct frame *frame, enum findings_where where)
{
	struct table *table = frame_slot(frame, finding_schema.name);
	bool any = false;

	if (!table || !(table->present || where != FINDINGS_WHERE_ASKED) ||
	    finding_rows_recall(findings, frame, table))
		return;
	if (frame->mono_ns < findings->past.now_ns)
		findings_begin(findings, FINDINGS_FROM_FIRST);
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
	sleep_past_take(&findings->past.slept, frame);
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
	finding_rows_add(findings, frame, table);
	finding_rows_keep(findings, table);
}

double findings_depend_on_seconds(const struct findings *findings)
{
	double most = 0;

	for (unsigned i = 0; i < findings->n_rules; i++) {
		const struct rule_limits *limits = &findings->limits[i];

		if (!limits->off)
			most = fmax(most, limits->window * FINDING_WINDOW_MOST + limits->hold);
	}
	return most + FINDING_OVER_SECONDS;
}

double findings_awaited_seconds(const struct findings *findings, uint64_t mono_ns)
{
	const struct finding_past *past = &findings->past;
	double most = 0;

	for (size_t i = 0; past->now_ns == mono_ns && i < past->n_spells; i++) {
		const struct finding_spell *spell = &past->spells[i];

		if (!spell->ended && !spell->was_found && spell->end_ns == mono_ns)
			most = fmax(most, findings->limits[spell->rule].hold);
	}
	return most;
}

bool findings_are_settled(const struct findings *findings)
{
	const struct finding_past *past = &findings->past;
	double seconds = (double)(past->now_ns - past->first_ns) / 1e9;

	if (past->begin == FINDINGS_FROM_FIRST)
		return true;
	if (past->begin == FINDINGS_CUT)
		return seconds >= CUT_SECONDS;
	if (seconds < findings_depend_on_seconds(findings))
		return false;
	for (size_t i = 0; i < past->n_spells; i++) {
		const struct finding_spell *spell = &past->spells[i];
		double ago = (double)(past->now_ns - spell->end_ns) / 1e9;

		if (spell->is_early && !has_age(&findings->rules[spell->rule]) &&
		    (!spell->ended || (spell->told.subject && ago < FINDING_OVER_SECONDS)))
			return false;
	}
	for (unsigned i = 0; i < findings->n_culprits; i++)
		if (!culprits_are_settled(findings->culprits[i]))
			return false;
	return true;
}

bool findings_are_kept(const struct findings *findings, uint64_t mono_ns)
{
	const struct kept_rows *kept = finding_rows_kept(findings, mono_ns);

	return kept && kept->is_exact;
}

/* "growth of cpu.busy_seconds / total_seconds in 10 s" */
static void describe_value(const struct finding_rule *rule, const struct finding_value *value,
			   struct buffer *out)
{
	char seconds[VALUE_TEXT_MAX];

	buffer_print(out, "%s = ", value->name);
	if (value->window_seconds > 0)
		buffer_text(out, value->mean ? "mean of " : "growth of ");
	buffer_print(out, "%s.%s", value->topic ? value->topic : rule->topic, value->column);
	if (value->over)
		buffer_print(out, value->over_topic ? " / %s.%s" : " / %s%s",
			     value->over_topic ? value->over_topic : "", value->over);
	if (value->window_seconds > 0)
		buffer_print(out, " in %s", stretch_text(seconds, value->window_seconds));
}

void findings_describe(const struct findings *findings, const char *name, const char *topic,
		       struct buffer *out)
{
	const struct finding_rule *rule = find_rule(findings, name, topic);

	for (unsigned i = 0; rule && i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
		const struct finding_value *value = &rule->values[i];
		const struct finding_limit *limit = &value->at_least;
		char number[VALUE_TEXT_MAX];

		describe_value(rule, value, out);
		if (limit->setting)
			buffer_print(out, "; finding.%s = %s: %s", limit->setting,
				     finding_limit_text(number, limit,
							findings->limits[rule - findings->rules].values[i]),
				     _(limit->help));
		buffer_char(out, '\n');
	}
}

bool findings_judge_row(const struct findings *findings, const char *name, const struct schema *schema,
			const void *row, enum finding_severity *severity)
{
	const struct table table = { .schema = schema };
	const struct finding_rule *rule = find_rule(findings, name, schema->name);
	unsigned index = rule ? (unsigned)(rule - findings->rules) : 0;

	if (!rule || findings->limits[index].off || is_ordinary(findings, index, &table, row))
		return false;
	*severity = rule->severity;
	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
		const struct finding_value *value = &rule->values[i];
		double number = NAN;

		if (!value->topic && !value->with && !value->most && value->window_seconds == 0)
			number = table_number(&table, row, value->column);
		if (!holds(value, findings->limits[index].values[i], number, false))
			return false;
		if (value->critical > 0 && !value->critical_in_all &&
		    is_worse(value, number, value->critical))
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

enum grade grade_of_severity(const char *severity)
{
	return strcmp(severity, "critical") == 0  ? GRADE_CRITICAL
	       : strcmp(severity, "warning") == 0 ? GRADE_ALARM
	       : strcmp(severity, "note") == 0    ? GRADE_BUSY
						  : GRADE_CALM;
}

const char *grade_mark(enum grade grade)
{
	static const char *const marks[] = { "", "*", "!", "!!" };

	return marks[grade];
}

enum grade grade_of_rules(const struct frame *frame, const char *rules, bool of_scope)
{
	const struct table *table = frame_table(frame, finding_schema.name);
	enum grade worst = GRADE_CALM;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		const char *of = table_text(table, row, "of");
		enum grade grade = grade_of_severity(table_text(table, row, "severity"));

		if (schema_row_is_over(table->schema, row) ||
		    (*of != '\0' && (strcmp(of, "scope") == 0) != of_scope))
			continue;
		if (grade > worst && text_is_one_of(table_text(table, row, "rule"), span_text(rules)))
			worst = grade;
	}
	return worst;
}

enum grade grade_of_row(const struct findings *findings, const char *rule, const struct schema *schema,
			const void *row)
{
	enum finding_severity severity;

	if (!findings || !row || !findings_judge_row(findings, rule, schema, row, &severity))
		return GRADE_CALM;
	return (enum grade)(GRADE_BUSY + severity);
}

/* Is it by its key about the group that the row is of? */
static bool is_about_group(const struct finding_row *finding, const struct schema *schema, const void *row)
{
	const char *path = finding->of_group && finding->row && schema_is_of_groups(schema)
				   ? row_text(row, schema_find(schema, "path"))
				   : NULL;

	return path && strcmp(path, finding->row) == 0;
}

const void *finding_about(const struct frame *frame, const struct schema *schema, const void *row, size_t *at)
{
	const struct table *table = frame_table(frame, finding_schema.name);
	uint64_t key = 0;

	for (; table && *at < table->n_rows; ++*at) {
		const struct finding_row *finding = table_row(table, *at);

		if (schema_row_is_over(table->schema, finding))
			continue;
		if (is_about_group(finding, schema, row))
			return table_row(table, (*at)++);
		if (finding->row_key == 0 || strcmp(finding->topic, schema->name) != 0)
			continue;
		key = key != 0 ? key : row_hash_key(schema, row);
		if (finding->row_key == key)
			return table_row(table, (*at)++);
	}
	return NULL;
}

/* Is it the row of an earlier finding of this rule? */
static bool is_taken(const struct table *table, const struct finding_row *finding, uint64_t key)
{
	const struct finding_row *rows = (const struct finding_row *)(const void *)table->rows;

	for (; rows < finding; rows++)
		if (rows->row_key == key && strcmp(rows->rule, finding->rule) == 0)
			return true;
	return false;
}

/* Of rows with the same name the one that has the finding's own, or that its rule speaks of. */
static uint64_t find_row_key(const struct findings *findings, const struct frame *frame,
			     const struct table *table, const struct finding_row *finding)
{
	const struct finding_rule *rule = find_rule(findings, finding->rule, finding->topic);
	const struct table *of = rule && rule->key ? frame_table(frame, rule->topic) : NULL;
	enum finding_severity severity;
	uint64_t first = 0;

	for (size_t i = 0; of && finding->row && i < of->n_rows; i++) {
		const void *row = table_row(of, i);
		const char *called = rule->called ? table_text(of, row, rule->called) : "";
		uint64_t key;

		if (strcmp(table_text(of, row, rule->key), finding->row) != 0)
			continue;
		key = row_hash_key(of->schema, row);
		if ((*called && strcmp(called, finding->subject) == 0) ||
		    (findings_judge_row(findings, rule->name, of->schema, row, &severity) &&
		     !is_taken(table, finding, key)))
			return key;
		first = first ? first : key;
	}
	return first;
}

void findings_find_rows(const struct findings *findings, struct frame *frame)
{
	struct table *table = frame_slot(frame, finding_schema.name);
	struct finding_row *rows = (struct finding_row *)(void *)table->rows;

	for (size_t i = 0; i < table->n_rows; i++) {
		const struct finding_rule *rule = find_rule(findings, rows[i].rule, rows[i].topic);

		rows[i].row_key = find_row_key(findings, frame, table, &rows[i]);
		rows[i].of_group = rule && rule->of_group;
	}
}

static enum grade worse_grade(enum grade worst, const struct finding_row *finding)
{
	enum grade grade = grade_of_severity(finding->severity);

	return grade > worst ? grade : worst;
}

enum grade grade_of_fact(const struct findings *findings, const struct frame *frame, const char *rules,
			 const struct schema *schema, const void *row)
{
	enum grade worst = GRADE_CALM;

	for (unsigned i = 0; findings && i < findings->n_rules; i++) {
		const struct finding_rule *rule = &findings->rules[i];
		enum grade grade = GRADE_CALM;

		if (!text_is_one_of(rule->name, span_text(rules)))
			continue;
		if (!rule->key)
			grade = grade_of_rules(frame, rule->name, false);
		else if (strcmp(rule->topic, schema->name) == 0)
			grade = grade_of_row(findings, rule->name, schema, row);
		worst = grade > worst ? grade : worst;
	}
	for (size_t at = 0; row;) {
		const struct finding_row *finding = finding_about(frame, schema, row, &at);

		if (!finding)
			break;
		if (text_is_one_of(finding->rule, span_text(rules)))
			worst = worse_grade(worst, finding);
	}
	return worst;
}

/* Does a limit of the rule test this column, or the counter that it is the rate of? */
static bool judges_column(const struct finding_rule *rule, const struct schema *schema,
			  const struct column *column)
{
	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
		const struct finding_value *value = &rule->values[i];
		const struct column *judged = value->topic ? NULL : schema_find(schema, value->column);

		if (judged && value->at_least.setting &&
		    (judged == column ||
		     (column->kind == COLUMN_RATE && column->rate_of == judged->offset)))
			return true;
	}
	return false;
}

enum grade grade_of_cell(const struct findings *findings, const struct frame *frame,
			 const struct schema *schema, const void *row, const struct column *column)
{
	enum grade worst = GRADE_CALM;
	const struct finding_row *finding;
	size_t at = 0;

	while ((finding = finding_about(frame, schema, row, &at))) {
		const struct finding_rule *rule = find_rule(findings, finding->rule, schema->name);

		if (!column || (rule && judges_column(rule, schema, column)))
			worst = worse_grade(worst, finding);
	}
	return worst;
}
