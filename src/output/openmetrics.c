/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OpenMetrics: each sample is an exposition that ends in "# EOF". KEY columns are the labels; other texts,
 * such as the command of a process, are labels of one info metric per row, to be joined on the key labels.
 */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/utf8.h"
#include "output/sink.h"

#define FAMILY_MAX 160

/* "panetop_TOPIC_KEY", without the "_total" that samples of counters end in. */
static void name_family(char *family, const struct schema *schema, const struct column *column)
{
	size_t length;

	snprintf(family, FAMILY_MAX, "panetop_%s_%s", schema->name, column->key);
	length = strlen(family);
	if (column->kind == COLUMN_COUNTER && length > 6 && strcmp(family + length - 6, "_total") == 0)
		family[length - 6] = '\0';
}

/*
 * Harmful characters and invalid UTF-8 become \xHH, byte by byte, and so does a backslash before an x:
 * different keys must not become the same label.
 */
static void add_escaped(struct buffer *out, const char *text)
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
		else if (code == '"' || code == '\\')
			buffer_print(out, "\\%c", (char)code);
		else
			buffer_add(out, at, (size_t)(rest.at - at));
	}
}

static void add_number(struct buffer *out, const struct column *column, const void *row)
{
	if (column->type == VALUE_U64)
		buffer_print(out, "%" PRIu64, row_u64(row, column));
	else
		buffer_f64(out, row_f64(row, column));
}

/* An unknown value is an empty label. */
static void add_label_value(struct buffer *out, const struct column *column, const void *row)
{
	if (!row_is_known(row, column))
		return;
	if (column->type == VALUE_TEXT)
		add_escaped(out, row_text(row, column));
	else
		add_number(out, column, row);
}

/* The lower bound of a bucket is a key but not a label: "le" has the bounds. */
static bool is_label(const struct schema *schema, const struct column *column)
{
	return column->kind == COLUMN_KEY && !(schema->shape == SHAPE_HISTOGRAM && column->type == VALUE_F64);
}

/* before: '{' or ','; returns the separator of the next label. */
static char add_label(struct buffer *out, char before, const struct column *column, const void *row)
{
	buffer_print(out, "%c%s=\"", before, column->key);
	add_label_value(out, column, row);
	buffer_char(out, '"');
	return ',';
}

static char add_keys(struct buffer *out, const struct schema *schema, const void *row)
{
	char before = '{';

	for (unsigned c = 0; c < schema->n_columns; c++)
		if (is_label(schema, &schema->columns[c]))
			before = add_label(out, before, &schema->columns[c], row);
	return before;
}

/* Adds {key="value",…}, with one more label if given. */
static void add_labels(struct buffer *out, const struct schema *schema, const void *row, const char *more)
{
	char before = add_keys(out, schema, row);

	if (more)
		buffer_print(out, "%c%s", before, more);
	if (more || before == ',')
		buffer_char(out, '}');
}

static void add_family(struct buffer *out, const char *family, const char *type, const char *unit,
		       const char *help)
{
	buffer_print(out, "# TYPE %s %s\n", family, type);
	if (unit)
		buffer_print(out, "# UNIT %s %s\n", family, unit);
	buffer_print(out, "# HELP %s ", family);
	add_escaped(out, help);
	buffer_char(out, '\n');
}

/* The format allows a UNIT line only if the name ends in the unit. */
static const char *family_unit(const char *family, enum unit unit)
{
	const char *suffix = unit_suffix(unit);
	size_t length = strlen(family);

	if (!suffix || unit == UNIT_PER_SECOND || unit == UNIT_BYTES_PER_SECOND || length < strlen(suffix) ||
	    strcmp(family + length - strlen(suffix), suffix) != 0)
		return NULL;
	return suffix;
}

static void add_column(struct buffer *out, const struct view *view, const struct column *column)
{
	bool counter = column->kind == COLUMN_COUNTER, headed = false;
	char family[FAMILY_MAX];

	if (column->type == VALUE_TEXT)
		return;
	name_family(family, view->schema, column);
	for (size_t r = 0; r < view->n_rows; r++) {
		if (!row_is_known(view->rows[r], column))
			continue;
		if (!headed)
			add_family(out, family, counter ? "counter" : "gauge",
				   family_unit(family, column->unit), column->help);
		headed = true;
		buffer_print(out, "%s%s", family, counter ? "_total" : "");
		add_labels(out, view->schema, view->rows[r], NULL);
		buffer_char(out, ' ');
		add_number(out, column, view->rows[r]);
		buffer_char(out, '\n');
	}
}

/*
 * Adds the selected text columns that are not labels, except those that change so often that each change
 * would start a new series.
 */
static void add_info(struct buffer *out, const struct view *view)
{
	const struct schema *schema = view->schema;
	char family[FAMILY_MAX];
	bool headed = false;

	snprintf(family, sizeof(family), "panetop_%s_row", schema->name);
	for (size_t r = 0; r < view->n_rows; r++) {
		const void *row = view->rows[r];
		char before = 0;

		for (unsigned c = 0; c < view->n_columns; c++) {
			const struct column *column = &schema->columns[view->columns[c]];

			if (column->kind != COLUMN_LABEL || column->fleeting ||
			    !column_has_value(column, row))
				continue;
			if (!headed)
				add_family(out, family, "info", NULL, schema->help);
			headed = true;
			if (!before) {
				buffer_print(out, "%s_info", family);
				before = add_keys(out, schema, row);
			}
			before = add_label(out, before, column, row);
		}
		if (before)
			buffer_text(out, "} 1\n");
	}
}

static void add_table(struct buffer *out, const struct view *view)
{
	add_info(out, view);
	for (unsigned c = 0; c < view->n_columns; c++) {
		const struct column *column = &view->schema->columns[view->columns[c]];

		if (column->kind == COLUMN_GAUGE || column->kind == COLUMN_COUNTER ||
		    column->kind == COLUMN_RATE)
			add_column(out, view, column);
	}
}

/* The columns that make a histogram of a table of buckets. */
struct buckets {
	const struct column *from, *bound, *samples;
	char family[FAMILY_MAX];
};

static bool find_buckets(const struct schema *schema, struct buckets *buckets)
{
	size_t length = strlen(schema->name);
	const char *unit;

	*buckets = (struct buckets){ 0 };
	for (unsigned c = 0; c < schema->n_columns; c++) {
		const struct column *column = &schema->columns[c];

		if (column->kind == COLUMN_KEY && !is_label(schema, column))
			buckets->from = column;
		else if (column->kind == COLUMN_BOUND)
			buckets->bound = column;
		else if (column->kind == COLUMN_COUNTER && !buckets->samples)
			buckets->samples = column;
	}
	if (!buckets->from || !buckets->bound || !buckets->samples)
		return false;
	if (length > 7 && strcmp(schema->name + length - 7, "_bucket") == 0)
		length -= 7;
	unit = unit_suffix(buckets->bound->unit);
	snprintf(buckets->family, FAMILY_MAX, "panetop_%.*s%s%s", (int)length, schema->name, unit ? "_" : "",
		 unit ? unit : "");
	return true;
}

static bool same_labels(const struct schema *schema, const void *one, const void *other)
{
	for (unsigned c = 0; c < schema->n_columns; c++)
		if (is_label(schema, &schema->columns[c]) && !row_same_value(&schema->columns[c], one, other))
			return false;
	return true;
}

static void add_bucket(struct buffer *out, const struct schema *schema, const struct buckets *buckets,
		       const void *row, const char *bound, double count)
{
	char more[64];

	snprintf(more, sizeof(more), "le=\"%s\"", bound);
	buffer_print(out, "%s_bucket", buckets->family);
	add_labels(out, schema, row, more);
	buffer_print(out, " %.0f\n", count);
}

/* A bucket without an upper bound is the overflow; one without a lower bound counts unknown values. */
static double bucket_count(const struct buckets *buckets, const void *row)
{
	bool placed = row_is_known(row, buckets->from) || row_is_known(row, buckets->bound);

	return placed && row_is_known(row, buckets->samples) ? row_number(row, buckets->samples) : 0;
}

/*
 * The rows of a histogram are consecutive, with ascending buckets; their counts become cumulative here.
 * Filter and limit are ignored: part of a histogram would be a different histogram.
 */
static void add_histograms(struct buffer *out, const struct table *table, const struct buckets *buckets)
{
	const struct schema *schema = table->schema;
	double count = 0;

	add_family(out, buckets->family, "histogram", family_unit(buckets->family, buckets->bound->unit),
		   schema->help);
	for (size_t r = 0; r < table->n_rows; r++) {
		const void *row = table_row(table, r);
		bool last = r + 1 == table->n_rows || !same_labels(schema, row, table_row(table, r + 1));
		char bound[40];

		count += bucket_count(buckets, row);
		if (row_is_known(row, buckets->samples) && row_is_known(row, buckets->bound)) {
			snprintf(bound, sizeof(bound), "%.12g", row_number(row, buckets->bound));
			add_bucket(out, schema, buckets, row, bound, count);
		}
		if (!last)
			continue;
		add_bucket(out, schema, buckets, row, "+Inf", count);
		count = 0;
	}
}

static int frame(struct sink *sink, const struct frame *frame)
{
	for (unsigned i = 0; i < sink->print->n_views; i++) {
		struct view *view = &sink->print->views[i];
		const struct table *table = frame_table(frame, view->schema->name);
		struct buckets buckets;

		if (!table || !print_wants(sink->print, view, frame) || view->schema->shape == SHAPE_EVENTS)
			continue;
		view_apply(view, table);
		if (view->schema->shape != SHAPE_HISTOGRAM)
			add_table(&sink->buffer, view);
		else if (table->n_rows > 0 && find_buckets(view->schema, &buckets))
			add_histograms(&sink->buffer, table, &buckets);
	}
	buffer_text(&sink->buffer, "# EOF\n");
	return sink_flush(sink);
}

const struct sink_format sink_openmetrics = { .name = "openmetrics", .frame = frame };
