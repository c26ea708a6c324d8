/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules that choose rows by a text are found by that text, so that a table is walked once however many there
 * are.
 */
#include <config.h>

#include "model/rule_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"

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

/* The time of one firing; 0: they are not limited. */
static double seconds_each(const struct rule *rule)
{
	return rule->has_rest ? rule->rest_seconds : 60.0 / RULE_FIRES_PER_MINUTE;
}

static double budget_most(const struct rule *rule)
{
	return rule->has_rest ? 1 : RULE_FIRES_PER_MINUTE;
}

bool rule_set_may_fire(struct rule_set *set, size_t rule, uint64_t mono_ns, uint64_t *n_dropped)
{
	struct watched_rule *watched = &set->rules[rule];
	double each = seconds_each(&watched->rule), most = budget_most(&watched->rule);
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
	*subject = (struct rule_subject){
		.key = key,
		.since_ns =
			watched->since_ns > 0 && watched->since_ns < mono_ns ? watched->since_ns : mono_ns,
	};
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

static bool is_due(const struct watched_rule *watched, const struct rule_subject *subject, double held)
{
	if (watched->rule.of_growth)
		return subject->value > subject->before;
	return !subject->fired && held >= watched->rule.hold_seconds;
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
		subject->late = is_due(watched, subject, held);
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
