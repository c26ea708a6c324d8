/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --describe: every topic and column with key, unit, kind, help and source. */
#include <config.h>

#include "output/describe.h"

#include "core/i18n.h"
#include "output/exposition.h"
#include "output/json_writer.h"

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

	jsonw_key(json, "metric");
	jsonw_text(json, exposition_metric(schema, column, name) ? name : NULL);
	jsonw_key(json, "rate_of");
	jsonw_text(json, counter ? counter->key : NULL);
	jsonw_key(json, "label");
	jsonw_text(json, exposition_label(schema, column));
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
	jsonw_key(json, "key");
	jsonw_text(json, column->key);
	jsonw_key(json, "title");
	jsonw_text(json, column->title);
	jsonw_key(json, "unit");
	jsonw_text(json, unit_name(column->unit));
	jsonw_key(json, "kind");
	jsonw_text(json, kind_name(column->kind));
	jsonw_key(json, "type");
	jsonw_text(json, type_name(column->type));
	jsonw_key(json, "help");
	jsonw_text(json, column->help);
	jsonw_key(json, "source");
	jsonw_text(json, column->source);
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
	jsonw_key(json, "name");
	jsonw_text(json, schema->name);
	jsonw_key(json, "shape");
	jsonw_text(json, shape_name(schema->shape));
	jsonw_key(json, "help");
	jsonw_text(json, schema->help);
	jsonw_key(json, "panes");
	jsonw_open(json, '[');
	for (unsigned i = 0; topic->panes[i]; i++)
		jsonw_text(json, topic->panes[i]);
	jsonw_close(json, ']');
	jsonw_key(json, "info_metric");
	jsonw_text(json, exposition_info(schema, name) ? name : NULL);
	jsonw_key(json, "columns");
	jsonw_open(json, '[');
	for (unsigned c = 0; c < schema->n_columns; c++)
		describe_column(json, schema, &schema->columns[c]);
	jsonw_close(json, ']');
	jsonw_close(json, '}');
}

void describe_json(struct buffer *out, const struct described *topics, unsigned n_topics)
{
	struct json_writer json = { .out = out };

	jsonw_open(&json, '{');
	jsonw_key(&json, "version");
	jsonw_text(&json, PACKAGE_VERSION);
	jsonw_key(&json, "topics");
	jsonw_open(&json, '[');
	for (unsigned i = 0; i < n_topics; i++)
		describe_topic(&json, &topics[i]);
	jsonw_close(&json, ']');
	jsonw_close(&json, '}');
	buffer_char(out, '\n');
}
