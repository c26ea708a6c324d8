/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of findings: rows of the rules that hold, with their sentences, and of those that are over. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "core/vector.h"
#include "model/finding_parts.h"
#include "model/sentence.h"
#include "model/units.h"

#define ROWS_MAX 3 /* findings of one rule; more are counted in the text of the last one */
#define STATE_NOW N_("now")
#define STATE_EARLIER N_("earlier")

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
	COLUMN(struct finding_row, state, .kind = COLUMN_LABEL, .fleeting = true, .title = N_("state"),
	       .width = 7, .rank = 2, .words = true,
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

static const char *const severities[] = {
	[FINDING_NOTE] = N_("note"),
	[FINDING_WARNING] = N_("warning"),
	[FINDING_CRITICAL] = N_("critical"),
};

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
	const struct column *key = names ? finding_first_key(table->schema, false) : NULL;
	struct tally most = { .key = NAN };

	if (!with || !key)
		return NULL;
	findings->n_tallies = 0;
	for (size_t i = 0; i < table->n_rows; i++)
		if (finding_row_has(table_row(table, i), with, value->with))
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
	const void *first = finding_value_row(frame, value, table, row);

	if (!value->most)
		return first;
	return value->with_column ? row_named_most(findings, *table, value)
				  : table_most(*table, value->most, value->most_least);
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
		     culprits_find(finding_culprits(of->findings, rule->culprit), &culprit);
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
	bool is_share;

	if (span_is(name, "window"))
		return number_fact(fmax(1, round(of->candidate->covered)), UNIT_SECONDS);
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
	is_share = value->over || (value->per_second && column && column->unit == UNIT_SECONDS);
	fact.unit = value->at_least.setting ? value->at_least.unit
		    : is_share              ? UNIT_RATIO
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

static void tell(struct findings *findings, const struct candidate *candidate, const struct finding_row *row)
{
	bool counts = findings->rules[candidate->rule].age == FINDING_COUNTS && candidate->changed_ns > 0;
	uint64_t ago_ns = counts ? findings->past.now_ns - candidate->changed_ns : 0;
	const struct finding_told told = {
		.subject = row->subject,
		.text = row->text,
		.row = row->row,
		.rank = candidate->rank,
		.until_wall_ns = findings->past.wall_ns - ago_ns,
	};

	finding_spell_tell(finding_past_hold(&findings->past, candidate->identity, candidate->rule), &told);
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
		tell(findings, candidate, row);
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

		if (finding_yields(&findings->rules[spell->rule], &findings->rules[candidate->rule]) &&
		    finding_is_same_key(spell->told.row, finding_key(findings, frame, candidate)))
			return true;
	}
	return false;
}

/* Warnings that have ended, unless the same, or a worse one, holds again. */
static void add_over(struct findings *findings, struct frame *frame, struct table *out)
{
	const struct finding_spell *spell;
	size_t at = 0;

	while ((spell = finding_past_over(&findings->past, FINDING_OVER_SECONDS, &at))) {
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
		row->until_time = told->until_wall_ns;
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

static void number_rows(struct table *table)
{
	struct finding_row *rows = (struct finding_row *)(void *)table->rows;

	for (size_t i = 0; i < table->n_rows; i++)
		rows[i].number = i + 1;
}

void finding_rows_add(struct findings *findings, struct frame *frame, struct table *table)
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
	add_over(findings, frame, table);
	number_rows(table);
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
	row.since_time = finding_time_before(frame->wall_ns, added->since_seconds);
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
