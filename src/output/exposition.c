/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Prometheus reads: OpenMetrics, and its older text format 0.0.4. KEY columns are the labels; other
 * texts, such as the model of a disk, are labels of one info metric per row, to be joined on the key labels.
 * Rows that come and go are summed by command, and each topic has a limit: series must not explode.
 */
#include <config.h>

#include "output/exposition.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "core/vector.h"
#include "output/command_sums.h"
#include "output/sink.h"
#include "sys/descriptor.h"

#define BOUNDS_MAX 64
#define HELP_MAX 1024
#define POWER_BOUND_MAX 1e12
#define SERIES_MAX 200 /* of a topic, unless --limit or --top say how many */

/* A row that is written, and its labels: an offset into the text of all. */
struct labelled_row {
	const void *row;
	size_t labels;
	bool is_sum; /* of the other rows */
};

/* Cumulated when it is written: counts[i] is what fits bounds[i] but not the bound before. */
struct histogram_group {
	size_t labels;
	double counts[BOUNDS_MAX + 1]; /* the last one is without a bound */
	double count, sum;             /* of all of them; NaN: unknown */
};

struct exposition {
	struct buffer *out;
	bool openmetrics;
	bool one_shot; /* what counts from the start of this run does not go on in the next exposition */
	bool reported;
	struct command_sums *sums; /* of the topics that have them, in the order of their first sample */
	size_t n_sums, sum_capacity;
	struct cut {
		const char *topic;
		size_t n_rows;
	} *cuts; /* of each table, what has no series of its own */
	size_t n_cuts, cut_capacity;
	/* of the table that is being written */
	const struct schema *schema;
	struct view *view;
	struct command_sums *of_commands; /* NULL: its rows stay */
	struct buffer labels; /* texts without braces, each with its NUL */
	struct hash by_labels;
	struct labelled_row *rows;
	size_t n_rows, row_capacity;
	struct histogram_group *groups;
	size_t n_groups, group_capacity;
	unsigned long n_dropped;
};

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* The base unit is the byte. */
static bool is_of_bits(enum unit unit)
{
	return unit == UNIT_BITS || unit == UNIT_BITS_PER_SECOND;
}

/* In a text with room for one more. */
static void name_bytes(char *text)
{
	char *bits = strstr(text, "bits");

	if (!bits)
		return;
	memmove(bits + strlen("bytes"), bits + strlen("bits"), strlen(bits + strlen("bits")) + 1);
	memcpy(bits, "bytes", strlen("bytes"));
}

/*
 * "panetop_TOPIC_KEY", without the "_total" that samples of counters, and no others, end in. Only parts of
 * histograms may end in "_count".
 */
static void name_family(char *family, const struct schema *schema, const struct column *column)
{
	bool counter = column->kind == COLUMN_COUNTER;

	snprintf(family, EXPOSITION_NAME_MAX, "panetop_%s_%s%s", schema->name, column->key,
		 !counter && strcmp(column->key, "count") == 0 ? "s" : "");
	if (ends_in(family, "_total"))
		family[strlen(family) - strlen("_total")] = '\0';
	if (is_of_bits(column->unit))
		name_bytes(family);
}

/*
 * Harmful characters and invalid UTF-8 become \xHH, byte by byte, and so does a backslash before an x:
 * different keys must not become the same label.
 */
static void add_escaped(struct buffer *out, const char *text, bool escapes_quotes)
{
	struct span rest = span_text(text);

	while (rest.at < rest.end) {
		const char *at = rest.at;
		uint32_t code = utf8_next(&rest);

		if (code == '\n')
			buffer_text(out, "\\n");
		else if (utf8_is_harmful(code) || (code == '\\' && rest.at < rest.end && *rest.at == 'x'))
			for (; at < rest.at; at++)
				buffer_print(out, "\\\\x%02x", (unsigned char)*at);
		else if (code == '\\' || (code == '"' && escapes_quotes))
			buffer_print(out, "\\%c", (char)code);
		else
			buffer_add(out, at, (size_t)(rest.at - at));
	}
}

static void add_number(struct buffer *out, const struct column *column, const void *row)
{
	if (is_of_bits(column->unit))
		buffer_f64(out, row_number(row, column) / 8);
	else if (column->type == VALUE_U64)
		buffer_print(out, "%" PRIu64, row_u64(row, column));
	else
		buffer_f64(out, row_f64(row, column));
}

/* An unknown value is an empty label. */
static void add_label(struct buffer *out, bool first, const char *name, const struct column *column,
		      const void *row)
{
	buffer_print(out, "%s%s=\"", first ? "" : ",", name);
	if (row_is_known(row, column) && column->type == VALUE_TEXT)
		add_escaped(out, row_text(row, column), true);
	else if (row_is_known(row, column))
		add_number(out, column, row);
	buffer_char(out, '"');
}

/* The lower bound of a bucket is a key but not a label: "le" has the bounds. */
static bool is_label(const struct schema *schema, const struct column *column)
{
	return column->kind == COLUMN_KEY && !column->fleeting && !column->grouping &&
	       !(schema->shape == SHAPE_HISTOGRAM && column->type == VALUE_F64);
}

const char *exposition_label(const struct schema *schema, const struct column *column)
{
	return is_label(schema, column) ? column->key : column->grouping;
}

/* Returns where the labels of this row begin in the text of all. */
static size_t add_labels(struct exposition *exposition, const void *row)
{
	const struct schema *schema = exposition->schema;
	const struct column *name = exposition->of_commands ? exposition->of_commands->name : NULL;
	struct buffer *labels = &exposition->labels;
	size_t start = labels->length;

	for (unsigned c = 0; c < schema->n_columns; c++)
		if (is_label(schema, &schema->columns[c]))
			add_label(labels, labels->length == start, schema->columns[c].key,
				  &schema->columns[c], row);
	if (name)
		add_label(labels, labels->length == start, exposition->of_commands->label, name, row);
	buffer_char(labels, '\0');
	return start;
}

static const char *labels_at(const struct exposition *exposition, size_t start)
{
	return exposition->labels.bytes + start;
}

static uint64_t hash_labels(const struct exposition *exposition, size_t start)
{
	return hash_bytes(HASH_SEED, span_text(labels_at(exposition, start)));
}

/* Adds NAME{LABELS,MORE}; either may be empty. */
static void add_series(struct exposition *exposition, const char *family, const char *suffix, size_t labels,
		       const char *more)
{
	const char *text = labels_at(exposition, labels);

	buffer_print(exposition->out, "%s%s", family, suffix);
	if (*text || *more)
		buffer_print(exposition->out, "{%s%s%s}", text, *text && *more ? "," : "", more);
}

/* The format allows a UNIT line only if the name ends in the unit. */
static const char *family_unit(const char *family, enum unit unit)
{
	const char *suffix = unit_suffix(unit);

	if (!suffix || unit == UNIT_PER_SECOND || unit == UNIT_BYTES_PER_SECOND ||
	    unit == UNIT_BITS_PER_SECOND || !ends_in(family, suffix))
		return NULL;
	return suffix;
}

static void add_family(struct exposition *exposition, const char *family, const char *suffix,
		       const char *type, enum unit unit, const char *help)
{
	const char *unit_text = exposition->openmetrics ? family_unit(family, unit) : NULL;
	struct buffer *out = exposition->out;
	char text[HELP_MAX];

	snprintf(text, sizeof(text) - 1, "%s", help);
	if (is_of_bits(unit))
		name_bytes(text);
	buffer_print(out, "# TYPE %s%s %s\n", family, suffix, type);
	if (unit_text)
		buffer_print(out, "# UNIT %s %s\n", family, unit_text);
	buffer_print(out, "# HELP %s%s ", family, suffix);
	add_escaped(out, text, exposition->openmetrics);
	buffer_char(out, '\n');
}

/*
 * Two rows with the same labels, as in a damaged recording, would be one series with two values: then the
 * first one counts.
 */
static void collect_row(struct exposition *exposition, const void *row, bool is_sum)
{
	struct labelled_row added = { .row = row, .labels = add_labels(exposition, row), .is_sum = is_sum };
	uint64_t hash = hash_labels(exposition, added.labels);
	uint32_t at;

	HASH_FIND(at, &exposition->by_labels, hash,
		  strcmp(labels_at(exposition, exposition->rows[at].labels),
			 labels_at(exposition, added.labels)) == 0);
	if (at != HASH_NONE) {
		exposition->labels.length = added.labels;
		exposition->n_dropped++;
		return;
	}
	hash_add(&exposition->by_labels, hash, (uint32_t)exposition->n_rows);
	*VECTOR_ADD(exposition->rows, exposition->n_rows, exposition->row_capacity) = added;
}

static void collect_rows(struct exposition *exposition, const struct table *table)
{
	const char *sum = exposition->schema->sum_row;

	for (size_t r = 0; r < exposition->view->n_rows; r++) {
		const void *row = exposition->view->rows[r];

		if (schema_row_is_over(table->schema, row))
			continue;
		collect_row(exposition, row, sum && table_row_has_key(table, row, sum));
	}
}

/* Has the column metrics, if its topic has? */
static bool has_metric(const struct column *column, bool of_commands)
{
	if (column->type == VALUE_TEXT)
		return false;
	if (of_commands) /* counters would go back when a process ends */
		return column->additive;
	return column->kind == COLUMN_COUNTER || column->kind == COLUMN_GAUGE || column->kind == COLUMN_RATE;
}

static bool is_metric(const struct exposition *exposition, const struct column *column)
{
	bool other_run = column->kind == COLUMN_COUNTER && !exposition->of_commands && exposition->one_shot &&
			 exposition->schema->of_run;

	return has_metric(column, exposition->of_commands) && !other_run;
}

/* Does a row have a value that the format allows? A counter below 0 comes from a damaged recording. */
static bool has_value(const struct labelled_row *row, const struct column *column)
{
	return row_is_known(row->row, column) &&
	       (column->kind != COLUMN_COUNTER || row_number(row->row, column) >= 0);
}

/* With a counter of the sum of the other rows, sum() would be twice too high. */
static bool leaves_out_sums(const struct exposition *exposition, const struct column *column)
{
	for (size_t r = 0; r < exposition->n_rows && column->kind == COLUMN_COUNTER; r++)
		if (!exposition->rows[r].is_sum && row_is_known(exposition->rows[r].row, column))
			return true;
	return false;
}

/* The counter among the columns that are written which this one is the rate of; NULL: none. */
static const struct column *counter_of(const struct exposition *exposition, const struct column *column)
{
	const struct view *view = exposition->view;

	for (unsigned c = 0; c < view->n_columns && column->kind == COLUMN_RATE; c++) {
		const struct column *counter = &view->schema->columns[view->columns[c]];

		if (counter->kind == COLUMN_COUNTER && counter->offset == column->rate_of)
			return is_metric(exposition, counter) ? counter : NULL;
	}
	return NULL;
}

/* How a column is written. */
struct series_rule {
	const struct column *column, *counter; /* of which rows the value is not written twice, as its rate */
	bool without_sums, counter_without_sums;
};

static struct series_rule rule_of(const struct exposition *exposition, const struct column *column)
{
	struct series_rule rule = { .column = column, .counter = counter_of(exposition, column) };

	rule.without_sums = leaves_out_sums(exposition, column);
	rule.counter_without_sums = rule.counter && leaves_out_sums(exposition, rule.counter);
	return rule;
}

static bool is_written(const struct series_rule *rule, const struct labelled_row *row)
{
	if (rule->counter && !(row->is_sum && rule->counter_without_sums) && has_value(row, rule->counter))
		return false;
	return !(row->is_sum && rule->without_sums) && has_value(row, rule->column);
}

static void add_column(struct exposition *exposition, const struct column *column)
{
	bool counter = column->kind == COLUMN_COUNTER, headed = false;
	struct series_rule rule = rule_of(exposition, column);
	const char *suffix = counter ? "_total" : "";
	char family[EXPOSITION_NAME_MAX];

	name_family(family, exposition->schema, column);
	for (size_t r = 0; r < exposition->n_rows; r++) {
		const struct labelled_row *row = &exposition->rows[r];

		if (counter && row_is_known(row->row, column) && !has_value(row, column))
			exposition->n_dropped++;
		if (!is_written(&rule, row))
			continue;
		if (!headed)
			add_family(exposition, family, exposition->openmetrics ? "" : suffix,
				   counter ? "counter" : "gauge", column->unit, column->help);
		headed = true;
		add_series(exposition, family, suffix, row->labels, "");
		buffer_char(exposition->out, ' ');
		add_number(exposition->out, column, row->row);
		buffer_char(exposition->out, '\n');
	}
}

/*
 * Of the selected columns that are not labels, but for those that change from sample to sample, and for
 * arguments of commands.
 */
static bool may_be_info(const struct column *column)
{
	return column->kind == COLUMN_LABEL && !column->fleeting && column->text != TEXT_COMMAND;
}

static bool is_info(const struct column *column, const void *row)
{
	return may_be_info(column) && column_has_value(column, row);
}

static void add_info(struct exposition *exposition)
{
	const struct schema *schema = exposition->schema;
	const struct view *view = exposition->view;
	struct buffer *out = exposition->out;
	char family[EXPOSITION_NAME_MAX];
	bool headed = false;

	snprintf(family, sizeof(family), "panetop_%s_row", schema->name);
	for (size_t r = 0; r < exposition->n_rows; r++) {
		const struct labelled_row *row = &exposition->rows[r];
		const char *keys = labels_at(exposition, row->labels);
		bool begun = false;

		for (unsigned c = 0; c < view->n_columns; c++) {
			const struct column *column = &schema->columns[view->columns[c]];

			if (!is_info(column, row->row))
				continue;
			if (!headed)
				add_family(exposition, family, exposition->openmetrics ? "" : "_info",
					   exposition->openmetrics ? "info" : "gauge", UNIT_NONE,
					   schema->help);
			if (!begun)
				buffer_print(out, "%s_info{%s", family, keys);
			add_label(out, !begun && !*keys, column->key, column, row->row);
			headed = begun = true;
		}
		if (begun)
			buffer_text(out, "} 1\n");
	}
}

/* Series of the first n_rows rows, up to the one that goes over the limit; it becomes *n_fit. */
static size_t count_series(const struct exposition *exposition, size_t *n_fit)
{
	const struct view *view = exposition->view;
	struct series_rule rules[VIEW_COLUMNS_MAX];
	size_t n_rules = 0, n_series = 0;

	for (unsigned c = 0; c < view->n_columns; c++)
		if (is_metric(exposition, &view->schema->columns[view->columns[c]]))
			rules[n_rules++] = rule_of(exposition, &view->schema->columns[view->columns[c]]);
	for (*n_fit = 0; *n_fit < exposition->n_rows; ++*n_fit) {
		const struct labelled_row *row = &exposition->rows[*n_fit];
		bool info = false;

		for (size_t i = 0; i < n_rules; i++)
			n_series += is_written(&rules[i], row);
		for (unsigned c = 0; c < view->n_columns; c++)
			info |= is_info(&view->schema->columns[view->columns[c]], row->row);
		n_series += info;
		if (n_series > SERIES_MAX)
			break;
	}
	return n_series;
}

static void note_cut(struct exposition *exposition, size_t n_rows)
{
	*VECTOR_ADD(exposition->cuts, exposition->n_cuts, exposition->cut_capacity) =
		(struct cut){ .topic = exposition->schema->name, .n_rows = n_rows };
}

/* Of rows that do not all fit their sum stays, or the first ones. */
static void cut_rows(struct exposition *exposition)
{
	size_t n_rows = exposition->n_rows, n_fit, n_sums = 0;

	if (exposition->view->limit == VIEW_ALL_ROWS && count_series(exposition, &n_fit) > SERIES_MAX) {
		for (size_t r = 0; r < n_rows; r++)
			if (exposition->rows[r].is_sum)
				exposition->rows[n_sums++] = exposition->rows[r];
		exposition->n_rows = n_sums > 0 ? n_sums : n_fit;
	}
	note_cut(exposition, exposition->view->n_matching - exposition->n_rows);
}

static void add_table(struct exposition *exposition, const struct table *table)
{
	const struct view *view = exposition->view;

	collect_rows(exposition, table);
	cut_rows(exposition);
	add_info(exposition);
	for (unsigned c = 0; c < view->n_columns; c++)
		if (is_metric(exposition, &exposition->schema->columns[view->columns[c]]))
			add_column(exposition, &exposition->schema->columns[view->columns[c]]);
}

static struct command_sums *sums_of(struct exposition *exposition, bool arguments)
{
	struct command_sums *sums;

	for (size_t i = 0; i < exposition->n_sums; i++)
		if (exposition->sums[i].schema == exposition->schema)
			return &exposition->sums[i];
	sums = VECTOR_ADD(exposition->sums, exposition->n_sums, exposition->sum_capacity);
	command_sums_open(sums, exposition->schema, arguments);
	return sums;
}

/* How many rows each sum is made of. */
static void add_row_counts(struct exposition *exposition)
{
	const struct command_sums *sums = exposition->of_commands;
	char family[EXPOSITION_NAME_MAX];

	snprintf(family, sizeof(family), "panetop_%s_rows", exposition->schema->name);
	if (exposition->n_rows > 0)
		add_family(exposition, family, "", "gauge", UNIT_NONE, _("rows that its values are sums of"));
	for (size_t r = 0; r < exposition->n_rows; r++) {
		add_series(exposition, family, "", exposition->rows[r].labels, "");
		buffer_print(exposition->out, " %" PRIu64 "\n", sums->sums[r].n_rows);
	}
}

/* Is it counted elsewhere, too? */
static bool is_twice(const struct table *table, const void *row)
{
	const struct schema *schema = table->schema;

	return (schema->sum_row && table_row_has_key(table, row, schema->sum_row)) ||
	       (schema->twice_row && table_row_has_key(table, row, schema->twice_row));
}

/* Without rows that are sums already. Where no column adds up, there is nothing to write. */
static void add_command_sums(struct exposition *exposition, const struct print_plan *print,
			     const struct frame *frame, const struct table *table)
{
	struct command_sums *sums = sums_of(exposition, print->arguments);
	struct view *view = exposition->view;
	size_t n_rows = 0;

	if (sums->n_columns == 0)
		return;
	for (size_t r = 0; r < view->n_rows; r++)
		if (!is_twice(table, view->rows[r]))
			view->rows[n_rows++] = view->rows[r];
	command_sums_take(sums, view->rows, n_rows, print->top, frame->mono_ns, frame->interval_ns);
	exposition->of_commands = sums;
	for (size_t i = 0; i < sums->n_sums; i++)
		collect_row(exposition, sums->sums[i].row, false);
	note_cut(exposition, sums->n_others);
	add_row_counts(exposition);
	for (unsigned c = 0; c < view->n_columns; c++)
		if (is_metric(exposition, &view->schema->columns[view->columns[c]]))
			add_column(exposition, &view->schema->columns[view->columns[c]]);
}

/* The columns that make a histogram of a table of buckets, and the bounds that it is written with. */
struct buckets {
	const struct column *from, *to, *samples;
	double bounds[BOUNDS_MAX];
	size_t n_bounds;
	char family[EXPOSITION_NAME_MAX];
};

/* Buckets of times are narrow; others, of whole numbers, are as wide as a power of two. */
static bool are_times(const struct buckets *buckets)
{
	return buckets->to->unit == UNIT_SECONDS;
}

/* The greatest value of a row, which ends before the next one begins: a bound belongs to its bucket. */
static double greatest(const struct buckets *buckets, const void *row)
{
	return row_number(row, buckets->to) - !are_times(buckets);
}

/*
 * Series must not come and go: where only buckets with samples are rows, their counts go into buckets that
 * are the same in every exposition: of times 1, 1.5, 2, 3, 5 and 7 a decade from 1 µs to 10 s, of others
 * up to before every second power of two.
 */
static void set_fixed_bounds(struct buckets *buckets)
{
	static const double steps[] = { 10, 15, 20, 30, 50, 70 };
	double decade = 1;

	buckets->n_bounds = 0;
	for (double bound = 1; !are_times(buckets) && bound <= POWER_BOUND_MAX; bound *= 4)
		buckets->bounds[buckets->n_bounds++] = bound - 1;
	if (!are_times(buckets))
		return;
	for (unsigned d = 0; d < 7; d++, decade *= 10)
		for (unsigned s = 0; s < sizeof(steps) / sizeof(steps[0]); s++)
			buckets->bounds[buckets->n_bounds++] = steps[s] * decade / 1e7;
	buckets->bounds[buckets->n_bounds++] = 10;
}

static void set_own_bounds(struct buckets *buckets, const struct table *table)
{
	for (size_t r = 0; r < table->n_rows && buckets->n_bounds < BOUNDS_MAX; r++) {
		const void *row = table_row(table, r);
		double bound = greatest(buckets, row);

		if (buckets->n_bounds == 0 ? row_number(row, buckets->to) > 0 :
					     bound > buckets->bounds[buckets->n_bounds - 1])
			buckets->bounds[buckets->n_bounds++] = bound;
	}
}

static bool find_columns(const struct schema *schema, struct buckets *buckets)
{
	for (unsigned c = 0; c < schema->n_columns; c++) {
		const struct column *column = &schema->columns[c];

		if (column->kind == COLUMN_KEY && !is_label(schema, column))
			buckets->from = column;
		else if (column->kind == COLUMN_BOUND)
			buckets->to = column;
		else if (column->kind == COLUMN_COUNTER && !buckets->samples)
			buckets->samples = column;
	}
	return buckets->from && buckets->to && buckets->samples;
}

static bool find_buckets(const struct table *table, struct buckets *buckets)
{
	const struct schema *schema = table->schema;
	const char *name = schema->histogram ? schema->histogram : schema->name, *unit;
	int length = (int)strlen(name);

	*buckets = (struct buckets){ 0 };
	if (!find_columns(schema, buckets))
		return false;
	schema->sparse ? set_fixed_bounds(buckets) : set_own_bounds(buckets, table);
	if (ends_in(name, "_bucket"))
		length -= (int)strlen("_bucket");
	unit = unit_suffix(buckets->to->unit);
	snprintf(buckets->family, EXPOSITION_NAME_MAX, "panetop_%.*s%s%s", length, name,
		 unit ? "_" : "", unit ? unit : "");
	return true;
}

static struct histogram_group *group_of(struct exposition *exposition, const void *row)
{
	size_t labels = add_labels(exposition, row);
	uint64_t hash = hash_labels(exposition, labels);
	struct histogram_group *group;
	uint32_t at;

	HASH_FIND(at, &exposition->by_labels, hash,
		  strcmp(labels_at(exposition, exposition->groups[at].labels),
			 labels_at(exposition, labels)) == 0);
	if (at != HASH_NONE) {
		exposition->labels.length = labels;
		return &exposition->groups[at];
	}
	hash_add(&exposition->by_labels, hash, (uint32_t)exposition->n_groups);
	group = VECTOR_ADD(exposition->groups, exposition->n_groups, exposition->group_capacity);
	*group = (struct histogram_group){ .labels = labels };
	return group;
}

/*
 * A bucket without an upper bound is the overflow; one without a lower bound counts unknown values. What may
 * be longer than a bound does not count as shorter, so quantiles are never too low.
 */
static void add_to_group(struct histogram_group *group, const struct buckets *buckets, const void *row,
			 bool is_narrow)
{
	double from = row_number(row, buckets->from), to = greatest(buckets, row);
	double count = row_number(row, buckets->samples);
	size_t at = buckets->n_bounds;

	if (!(count > 0) || (isnan(from) && isnan(to)))
		return;
	if (!isnan(to))
		VECTOR_BOUND(at, buckets->n_bounds, buckets->bounds[at] < to);
	group->counts[at] += count;
	group->count += count;
	group->sum += is_narrow ? count * (from + to) / 2 : NAN; /* others are too wide to tell */
}

static void collect_groups(struct exposition *exposition, const struct buckets *buckets,
			   const struct table *table, bool sums)
{
	const struct schema *schema = table->schema;

	for (size_t r = 0; r < table->n_rows; r++) {
		const void *row = table_row(table, r);
		bool is_sum = schema->sum_row && table_row_has_key(table, row, schema->sum_row);

		if (is_sum == sums)
			add_to_group(group_of(exposition, row), buckets, row,
				     schema->sparse && are_times(buckets));
	}
}

/* The sum, if there is one, is enough; else as many of the others as fit. */
static void collect_sum_groups(struct exposition *exposition, const struct buckets *buckets,
			       const struct table *table)
{
	size_t n_others = exposition->n_groups, n_fit = SERIES_MAX / (buckets->n_bounds + 3), n_sums;

	collect_groups(exposition, buckets, table, true);
	n_sums = exposition->n_groups - n_others;
	if (n_sums > 0)
		memmove(exposition->groups, exposition->groups + n_others,
			n_sums * sizeof(*exposition->groups));
	exposition->n_groups = n_sums > 0 ? n_sums : n_others < n_fit ? n_others : n_fit;
	note_cut(exposition, n_sums > 0 ? n_others : n_others - exposition->n_groups);
}

static void add_sample(struct exposition *exposition, const char *family, const char *suffix, size_t labels,
		       double value)
{
	add_series(exposition, family, suffix, labels, "");
	if (isnan(value))
		buffer_text(exposition->out, " NaN");
	else {
		buffer_char(exposition->out, ' ');
		buffer_f64(exposition->out, value);
	}
	buffer_char(exposition->out, '\n');
}

static void add_group_buckets(struct exposition *exposition, const struct buckets *buckets,
			      const struct histogram_group *group)
{
	double count = 0;

	for (size_t i = 0; i <= buckets->n_bounds; i++) {
		char bound[64] = "le=\"+Inf\"";

		count += group->counts[i];
		if (i < buckets->n_bounds)
			snprintf(bound, sizeof(bound), "le=\"%.12g\"", buckets->bounds[i]);
		add_series(exposition, buckets->family, "_bucket", group->labels, bound);
		buffer_print(exposition->out, " %.0f\n", count);
	}
}

/* OpenMetrics leaves out an unknown sum, and then the count, too; elsewhere a missing sum would become 0. */
static void add_group(struct exposition *exposition, const struct buckets *buckets, bool is_level,
		      const struct histogram_group *group)
{
	add_group_buckets(exposition, buckets, group);
	if (exposition->openmetrics && isnan(group->sum))
		return;
	add_sample(exposition, buckets->family, is_level ? "_gcount" : "_count", group->labels,
		   group->count);
	add_sample(exposition, buckets->family, is_level ? "_gsum" : "_sum", group->labels, group->sum);
}

/* Text format 0.0.4 has no histogram that is a level: its parts are families of their own. */
static void add_untyped(struct exposition *exposition, const struct buckets *buckets, const char *help)
{
	const char *family = buckets->family;

	add_family(exposition, family, "_bucket", "untyped", UNIT_NONE, help);
	for (size_t g = 0; g < exposition->n_groups; g++)
		add_group_buckets(exposition, buckets, &exposition->groups[g]);
	add_family(exposition, family, "_gcount", "untyped", UNIT_NONE, help);
	for (size_t g = 0; g < exposition->n_groups; g++)
		add_sample(exposition, family, "_gcount", exposition->groups[g].labels,
			   exposition->groups[g].count);
	add_family(exposition, family, "_gsum", "untyped", UNIT_NONE, help);
	for (size_t g = 0; g < exposition->n_groups; g++)
		add_sample(exposition, family, "_gsum", exposition->groups[g].labels,
			   exposition->groups[g].sum);
}

/*
 * Filter and limit are ignored: part of a histogram would be a different histogram. Of a run of its own a
 * histogram is a level, not something that grows.
 */
static void add_histogram(struct exposition *exposition, const struct table *table)
{
	const struct schema *schema = table->schema;
	bool is_level = exposition->one_shot && schema->of_run;
	struct buckets buckets;

	if (!find_buckets(table, &buckets))
		return;
	collect_groups(exposition, &buckets, table, false);
	if (exposition->n_groups == 0 || exposition->n_groups * (buckets.n_bounds + 3) > SERIES_MAX)
		collect_sum_groups(exposition, &buckets, table);
	if (exposition->n_groups == 0)
		return;
	if (is_level && !exposition->openmetrics) {
		add_untyped(exposition, &buckets, schema->help);
		return;
	}
	add_family(exposition, buckets.family, "", is_level ? "gaugehistogram" : "histogram",
		   buckets.to->unit, schema->help);
	for (size_t g = 0; g < exposition->n_groups; g++)
		add_group(exposition, &buckets, is_level, &exposition->groups[g]);
}

/* What has no series of its own, by topic. */
static void add_cuts(struct exposition *exposition)
{
	static const char family[] = "panetop_exposition_cut_rows";

	if (exposition->n_cuts > 0)
		add_family(exposition, family, "", "gauge", UNIT_NONE,
			   _("rows beyond the limit of their topic, and commands that are in (others)"));
	for (size_t i = 0; i < exposition->n_cuts; i++)
		buffer_print(exposition->out, "%s{topic=\"%s\"} %zu\n", family, exposition->cuts[i].topic,
			     exposition->cuts[i].n_rows);
}

/* Once is enough. */
static void report_dropped(struct exposition *exposition, const char *format)
{
	if (exposition->n_dropped > 0 && !exposition->reported)
		error_message(format,
			      P_("%lu value was left out: it is negative, or another row has its labels",
				 "%lu values were left out: negative ones, or another row has their labels",
				 exposition->n_dropped),
			      exposition->n_dropped);
	exposition->reported |= exposition->n_dropped > 0;
}

static int begin(struct sink *sink)
{
	if (!sink->exposition)
		sink->exposition = alloc_zeroed(1, sizeof(*sink->exposition));
	sink->exposition->out = &sink->buffer;
	sink->exposition->openmetrics = sink->format == &sink_openmetrics;
	sink->exposition->one_shot = !sink->replace || !sink->print->repeated;
	return 0;
}

static int frame(struct sink *sink, const struct frame *frame)
{
	struct exposition *exposition = sink->exposition;

	exposition->n_dropped = 0;
	exposition->n_cuts = 0;
	for (unsigned i = 0; i < sink->print->n_views; i++) {
		struct view *view = &sink->print->views[i];
		const struct table *table = frame_table(frame, view->schema->name);

		if (!table || !print_wants(sink->print, view, frame) || view->schema->shape == SHAPE_EVENTS)
			continue;
		exposition->schema = view->schema;
		exposition->view = view;
		exposition->of_commands = NULL;
		exposition->n_rows = exposition->n_groups = 0;
		buffer_empty(&exposition->labels);
		hash_clear(&exposition->by_labels);
		view_apply(view, table);
		if (view->schema->shape == SHAPE_HISTOGRAM)
			add_histogram(exposition, table);
		else if (command_sums_apply(view->schema))
			add_command_sums(exposition, sink->print, frame, table);
		else
			add_table(exposition, table);
	}
	add_cuts(exposition);
	if (exposition->openmetrics)
		buffer_text(&sink->buffer, "# EOF\n");
	report_dropped(exposition, sink->format->name);
	return sink_flush(sink);
}

/* Those of a histogram are of its upper bounds. */
static bool name_buckets(const struct schema *schema, const struct column *column, char *name)
{
	const struct table none = { .schema = schema };
	struct buckets buckets;

	if (!find_buckets(&none, &buckets) || buckets.to != column)
		return false;
	snprintf(name, EXPOSITION_NAME_MAX, "%.*s_bucket", EXPOSITION_NAME_MAX - 8, buckets.family);
	return true;
}

bool exposition_metric(const struct schema *schema, const struct column *column,
		       char name[EXPOSITION_NAME_MAX])
{
	if (schema->shape == SHAPE_HISTOGRAM)
		return name_buckets(schema, column, name);
	if (schema->shape == SHAPE_EVENTS || !has_metric(column, command_sums_apply(schema)))
		return false;
	if (!schema->sum_row && exposition_counter(schema, column))
		return false;
	name_family(name, schema, column);
	if (column->kind == COLUMN_COUNTER)
		snprintf(name + strlen(name), EXPOSITION_NAME_MAX - strlen(name), "_total");
	return true;
}

bool exposition_info(const struct schema *schema, char name[EXPOSITION_NAME_MAX])
{
	if (schema->shape != SHAPE_TABLE || command_sums_apply(schema))
		return false;
	for (unsigned c = 0; c < schema->n_columns; c++)
		if (may_be_info(&schema->columns[c])) {
			snprintf(name, EXPOSITION_NAME_MAX, "panetop_%s_row_info", schema->name);
			return true;
		}
	return false;
}

const struct column *exposition_counter(const struct schema *schema, const struct column *rate)
{
	bool of_time = rate->kind == COLUMN_RATE && rate->rate_over == 0 &&
		       (rate->scale == 0 || rate->scale == 1);

	if (schema->shape != SHAPE_TABLE || command_sums_apply(schema))
		return NULL;
	for (unsigned c = 0; c < schema->n_columns && of_time; c++)
		if (schema->columns[c].kind == COLUMN_COUNTER && schema->columns[c].offset == rate->rate_of)
			return &schema->columns[c];
	return NULL;
}

void exposition_free(struct exposition *exposition)
{
	if (!exposition)
		return;
	buffer_free(&exposition->labels);
	hash_free(&exposition->by_labels);
	free(exposition->rows);
	free(exposition->groups);
	for (size_t i = 0; i < exposition->n_sums; i++)
		command_sums_close(&exposition->sums[i]);
	free(exposition->sums);
	free(exposition->cuts);
	free(exposition);
}

const struct sink_format sink_openmetrics = {
	.name = "openmetrics",
	.only_last = true,
	.metrics = true,
	.begin = begin,
	.frame = frame,
};

const struct sink_format sink_prometheus = {
	.name = "prometheus",
	.only_last = true,
	.metrics = true,
	.begin = begin,
	.frame = frame,
};
