/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --describe: every topic and column with key, unit, kind, help and source. */
#include <config.h>

#include "output/describe.h"

#include "core/i18n.h"
#include "output/exposition.h"
#include "output/json.h"

static void add_panes(struct buffer *out, const struct described *topic)
{
	for (unsigned i = 0; topic->panes[i]; i++)
		buffer_print(out, "%s%s%s", i == 0 ? "  panes: " : ", ", topic->panes[i],
			     topic->panes[i + 1] ? "" : "\n");
}

void describe_text(struct buffer *out, const struct described *topics, unsigned n_topics)
{
	for (unsigned i = 0; i < n_topics; i++) {
		const struct schema *schema = topics[i].schema;

		buffer_print(out, "%s%s: %s\n", i > 0 ? "\n" : "", schema->name, _(schema->help));
		add_panes(out, &topics[i]);
		for (unsigned c = 0; c < schema->n_columns; c++) {
			const struct column *column = &schema->columns[c];

			buffer_print(out, "  %-30s %-8s %-16s %s%s\n", column->key, kind_name(column->kind),
				     unit_name(column->unit), _(column->help),
				     column->hidden ? _(" (shown with --columns)") : "");
			buffer_print(out, "  %30s %-8s %-16s = %s\n", "", "", "", column->source);
		}
	}
}

/* What Prometheus gets of a column, and from when on its value is critical. */
static void describe_metric(struct json_writer *json, const struct schema *schema,
			    const struct column *column)
{
	const struct column *counter = exposition_counter(schema, column);
	char name[EXPOSITION_NAME_MAX];

	jsonw_key_text(json, "metric", exposition_metric(schema, column, name) ? name : NULL);
	jsonw_key_text(json, "rate_of", counter ? counter->key : NULL);
	jsonw_key_text(json, "label", exposition_label(schema, column));
	jsonw_key(json, "critical");
	if (column->alarming > 0)
		jsonw_f64(json, column->alarming);
	else
		jsonw_null(json);
}

static void describe_column(struct json_writer *json, const struct schema *schema,
			    const struct column *column)
{
	jsonw_open(json, '{');
	jsonw_key_text(json, "key", column->key);
	jsonw_key_text(json, "title", column->title);
	jsonw_key_text(json, "unit", unit_name(column->unit));
	jsonw_key_text(json, "kind", kind_name(column->kind));
	jsonw_key_text(json, "type", type_name(column->type));
	jsonw_key_text(json, "help", column->help);
	jsonw_key_text(json, "source", column->source);
	jsonw_key(json, "hidden");
	jsonw_bool(json, column->hidden);
	describe_metric(json, schema, column);
	jsonw_close(json, '}');
}

static void describe_topic(struct json_writer *json, const struct described *topic)
{
	const struct schema *schema = topic->schema;
	char name[EXPOSITION_NAME_MAX];

	jsonw_open(json, '{');
	jsonw_key_text(json, "name", schema->name);
	jsonw_key_text(json, "shape", shape_name(schema->shape));
	jsonw_key_text(json, "help", schema->help);
	jsonw_key_open(json, "panes", '[');
	for (unsigned i = 0; topic->panes[i]; i++)
		jsonw_text(json, topic->panes[i]);
	jsonw_close(json, ']');
	jsonw_key_text(json, "info_metric", exposition_info(schema, name) ? name : NULL);
	jsonw_key_open(json, "columns", '[');
	for (unsigned c = 0; c < schema->n_columns; c++)
		describe_column(json, schema, &schema->columns[c]);
	jsonw_close(json, ']');
	jsonw_close(json, '}');
}

void describe_json(struct buffer *out, const struct described *topics, unsigned n_topics)
{
	struct json_writer json = { .out = out };

	jsonw_open(&json, '{');
	jsonw_key_text(&json, "version", PACKAGE_VERSION);
	jsonw_key_open(&json, "topics", '[');
	for (unsigned i = 0; i < n_topics; i++)
		describe_topic(&json, &topics[i]);
	jsonw_close(&json, ']');
	jsonw_close(&json, '}');
	buffer_char(out, '\n');
}
