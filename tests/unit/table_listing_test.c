/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds, units and flags of all tables and columns, and what they use: tests/tables.txt. Columns of a kind
 * stand together: "gauge: used_bytes 1/9" is a u64 in bytes, of rank 1 and 9 cells. Types and units are said
 * where a key does not tell them: its end is its unit, other numbers are counts; counts and bytes are u64,
 * other numbers f64; keys and labels without a unit are texts.
 */
#include "suite.h"

#include "model/frame.h"
#include "sys/privilege.h"
#include "topic/topic.h"

#define COLUMNS_MAX 110
#define TAB 8

static void list_flag(FILE *file, bool flag, const char *name)
{
	if (flag)
		fprintf(file, " %s", name);
}

/* Things that have the same before them: "before: thing, thing", in as many lines as it takes. */
struct row {
	FILE *file;
	char before[64];
	size_t at;
};

static void list_in_row(struct row *row, const char *before, const char *thing)
{
	bool is_same = row->at > 0 && strcmp(row->before, before) == 0;

	if (is_same && row->at + strlen(", ") + strlen(thing) < COLUMNS_MAX) {
		row->at += (size_t)fprintf(row->file, ", %s", thing);
		return;
	}
	if (row->at > 0)
		fprintf(row->file, is_same ? ",\n" : "\n");
	if (is_same)
		row->at = 2 * TAB + (size_t)fprintf(row->file, "\t\t%s", thing) - 2;
	else
		row->at = TAB + (size_t)fprintf(row->file, "\t%s: %s", before, thing) - 1;
	snprintf(row->before, sizeof(row->before), "%s", before);
}

static void end_row(struct row *row)
{
	if (row->at > 0)
		fputc('\n', row->file);
}

static const char *key_at(const struct schema *schema, uint16_t offset)
{
	for (unsigned c = 0; c < schema->n_columns; c++)
		if (schema->columns[c].offset == offset && schema->columns[c].apart == 0)
			return schema->columns[c].key;
	return "a field without column";
}

/* Of KEY over the time, if it is KEY_per_second and nothing else is said. */
static void list_rate(FILE *file, const struct schema *schema, const struct column *column)
{
	const char *of = key_at(schema, column->rate_of);
	size_t bytes = strlen(of);

	if (strncmp(column->key, of, bytes) != 0 || strcmp(column->key + bytes, "_per_second") != 0)
		fprintf(file, " of %s", of);
	if (column->rate_over)
		fprintf(file, " over %s", key_at(schema, column->rate_over));
	if (column->scale > 0 && column->scale != 1)
		fprintf(file, " times %g", column->scale);
	if (column->ceiling > 0)
		fprintf(file, " at most %g", column->ceiling);
}

static enum unit unit_of_key(const struct column *column)
{
	bool is_name = column->kind == COLUMN_KEY || column->kind == COLUMN_LABEL;
	enum unit found = is_name ? UNIT_NONE : UNIT_COUNT;
	size_t longest = 0;

	for (enum unit unit = UNIT_BYTES; unit < N_UNITS; unit++) {
		const char *name = unit_name(unit);
		size_t bytes = strlen(name), length = strlen(column->key);

		if (bytes <= longest || bytes > length || strcmp(column->key + length - bytes, name) != 0 ||
		    (length > bytes && column->key[length - bytes - 1] != '_'))
			continue;
		longest = bytes;
		found = unit;
	}
	return found;
}

static enum value_type type_of_unit(enum unit unit)
{
	if (unit == UNIT_NONE)
		return VALUE_TEXT;
	return unit == UNIT_COUNT || unit == UNIT_BYTES ? VALUE_U64 : VALUE_F64;
}

/* "KEY RANK/WIDTH", and what else is said of it. */
static void list_column(struct row *row, const struct schema *schema, const struct column *column)
{
	char text[256];
	FILE *file = fmemopen(text, sizeof(text), "w");

	ck_assert_ptr_nonnull(file);
	fprintf(file, "%s %u/%d", column->key, column->rank, column->width);
	if (column->type != type_of_unit(column->unit))
		fprintf(file, " %s", type_name(column->type));
	if (column->unit != unit_of_key(column))
		fprintf(file, " %s", unit_name(column->unit));
	if (column->kind == COLUMN_RATE)
		list_rate(file, schema, column);
	if (column->aged_by)
		fprintf(file, " aged by %s", key_at(schema, column->aged_by));
	if (column->on_request)
		fprintf(file, " on request %u", column->on_request);
	if (column->grouping)
		fprintf(file, " summed by %s", column->grouping);
	list_flag(file, column->hidden, "hidden");
	list_flag(file, column->optional, "optional");
	list_flag(file, column->prose, "prose");
	list_flag(file, column->words, "words");
	list_flag(file, column->whole, "whole");
	list_flag(file, column->tiny, "tiny");
	list_flag(file, column->trend, "trend");
	list_flag(file, column->apart, "apart");
	list_flag(file, column->packed, "packed");
	list_flag(file, column->of_cpu, "of_cpu");
	list_flag(file, column->of_interval, "of_interval");
	list_flag(file, column->personal, "personal");
	list_flag(file, column->slow, "slow");
	list_flag(file, column->disturbs, "disturbs");
	list_flag(file, column->difference, "difference");
	list_flag(file, column->fleeting, "fleeting");
	list_flag(file, column->additive, "additive");
	ck_assert_int_eq(fclose(file), 0);
	list_in_row(row, kind_name(column->kind), text);
}

/* By what the kernel calls the first thing that each is about. */
static void list_uses(struct row *row, uint64_t uses, const char *when)
{
	for (unsigned i = 0, listed = 0; i < n_privilege_rows; i++) {
		unsigned use = privilege_rows[i].use;

		if (!(uses & ~listed & PRIVILEGE_BIT(use)))
			continue;
		list_in_row(row, textf("uses%s", when), privilege_rows[i].call);
		listed |= 1U << use;
	}
}

static void list_topic(struct row *row, const struct topic *topic)
{
	list_uses(row, topic->uses, "");
	list_uses(row, topic->opening_uses, " in its first sample");
	list_uses(row, topic->request_uses, " for columns on request");
	list_uses(row, topic->setting_uses, topic->setting ? " with its setting" : "");
	for (const struct source_spec *source = topic->sources; source && source->path; source++)
		list_in_row(row, source->optional ? "may read" : "reads", source->path);
}

static void list_table(FILE *file, const struct schema *schema)
{
	fprintf(file, "%s: %s", schema->name, shape_name(schema->shape));
	list_flag(file, schema->from_zero, "from_zero");
	list_flag(file, schema->over_interval, "over_interval");
	list_flag(file, schema->of_run, "of_run");
	list_flag(file, schema->derived, "derived");
	list_flag(file, schema->disturbs, "disturbs");
	list_flag(file, schema->has_secrets, "has_secrets");
	list_flag(file, schema->of_stacks, "of_stacks");
	list_flag(file, schema->sparse, "sparse");
	list_flag(file, schema->one_unit, "one_unit");
	if (schema->sum_row)
		fprintf(file, ", sum %s", schema->sum_row);
	if (schema->twice_row)
		fprintf(file, ", twice %s", schema->twice_row);
	if (schema->percent_base)
		fprintf(file, ", no percentage of %s", schema->columns[schema->percent_column].key);
	fprintf(file, "\n");
}

/*
 * What --listen shows to other users, in the order of topics.def. A table is added by hand, once none of its
 * rows has a process, a peer, a function or a file.
 */
static const char *const public_tables[] = {
	"memory", "memory_limit", "meminfo", "memory_check", "swap", "reclaim", "paging", "node", "pressure",
	"cpu", "cpu_limit", "account", "exited", "power_account", "distribution", "system", "event_source",
	"event_total", "event_lifetime", "counter", "latency", "latency_phase", "latency_bucket",
	"page_event", "damon_stat", "power", "program_power", "calibration", "temperature", "fan",
	"voltage", "frequency", "gpu", "battery", "idle_state", "trip_point", "cooling", "throttle",
	"suspend", "wake_source", "self", "build", "interrupt", "softirq", "backlog", "slab", "idle_exit",
	"tracing", "disk_health", "disk", "disk_latency", "disk_latency_bucket", "filesystem", "disk_account",
	"interface", "packet_loss", "network_account", "group", "kill", "tracepoint", "scope_use", "host",
	"finding",
};

START_TEST(a_table_is_public_once_it_is_listed)
{
	unsigned at = 0;

	for (unsigned i = 0; i < n_topics; i++) {
		const struct schema *schema = topics[i]->schema;
		bool listed = at < sizeof(public_tables) / sizeof(public_tables[0]) &&
			      strcmp(public_tables[at], schema->name) == 0;

		ck_assert_msg(listed == schema->is_public, "%s is %s", schema->name,
			      listed ? "listed, but not public" : "public, but not listed");
		ck_assert_msg(!listed || (!schema_find(schema, "pid") && !schema->has_secrets &&
					  schema->shape != SHAPE_EVENTS),
			      "%s is of processes", schema->name);
		at += listed;
	}
	ck_assert_uint_eq(at, sizeof(public_tables) / sizeof(public_tables[0]));
}

START_TEST(tables_are_those_that_are_stored)
{
	FILE *made = tmpfile();

	ck_assert_ptr_nonnull(made);
	for (unsigned i = 0; i < n_topics; i++) {
		struct row row = { .file = made };

		list_table(made, topics[i]->schema);
		for (unsigned c = 0; c < topics[i]->schema->n_columns; c++)
			list_column(&row, topics[i]->schema, &topics[i]->schema->columns[c]);
		list_topic(&row, topics[i]);
		end_row(&row);
	}
	check_listing(made, "tables.txt");
	fclose(made);
}
