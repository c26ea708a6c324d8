/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds, units and flags of all tables and columns, and what they use: tests/tables.txt. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "model/column.h"
#include "suite.h"
#include "sys/privilege.h"
#include "topic/topic.h"

static void list_flag(FILE *file, bool flag, const char *name)
{
	if (flag)
		fprintf(file, " %s", name);
}

static const char *key_at(const struct schema *schema, uint16_t offset)
{
	for (unsigned c = 0; c < schema->n_columns; c++)
		if (schema->columns[c].offset == offset && schema->columns[c].apart == 0)
			return schema->columns[c].key;
	return "a field without column";
}

static void list_column(FILE *file, const struct schema *schema, const struct column *column)
{
	fprintf(file, "\t%s: %s %s %s", column->key, type_name(column->type), kind_name(column->kind),
		unit_name(column->unit));
	if (column->kind == COLUMN_RATE)
		fprintf(file, ", of %s over %s, times %g, at most %g", key_at(schema, column->rate_of),
			column->rate_over ? key_at(schema, column->rate_over) : "time",
			column->scale > 0 ? column->scale : 1, column->ceiling);
	if (column->aged_by)
		fprintf(file, ", aged by %s", key_at(schema, column->aged_by));
	if (column->on_request)
		fprintf(file, ", on request %u", column->on_request);
	if (column->grouping)
		fprintf(file, ", summed by %s", column->grouping);
	fprintf(file, ", rank %u, width %d", column->rank, column->width);
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
	fprintf(file, "\n");
}

/* By what the kernel calls the first thing that each is about. */
static void list_uses(FILE *file, uint64_t uses, const char *when)
{
	for (unsigned i = 0, listed = 0; i < n_privilege_rows; i++) {
		unsigned use = privilege_rows[i].use;

		if (!(uses & ~listed & PRIVILEGE_BIT(use)))
			continue;
		fprintf(file, "\tuses%s: %s\n", when, privilege_rows[i].call);
		listed |= 1U << use;
	}
}

static void list_topic(FILE *file, const struct topic *topic)
{
	list_uses(file, topic->uses, "");
	list_uses(file, topic->opening_uses, " in its first sample");
	list_uses(file, topic->request_uses, " for columns on request");
	list_uses(file, topic->setting_uses, topic->setting ? " with its setting" : "");
	for (const struct source_spec *source = topic->sources; source && source->path; source++)
		fprintf(file, "\tsource: %s%s\n", source->path, source->optional ? " optional" : "");
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
	for (unsigned c = 0; c < schema->n_columns; c++)
		list_column(file, schema, &schema->columns[c]);
}

/*
 * What --listen shows to other users, in the order of topics.def. A table is added by hand, once none of its
 * rows has a process, a peer, a function or a file.
 */
static const char *const public_tables[] = {
	"memory", "memory_limit", "meminfo", "memory_check", "reclaim", "paging", "node", "pressure",
	"cpu", "cpu_limit", "account", "exited", "power_account", "distribution", "system", "event_source",
	"event_total", "event_lifetime", "counter", "latency", "latency_phase", "latency_bucket",
	"page_event", "damon_stat", "power", "program_power", "calibration", "temperature", "fan",
	"voltage", "frequency", "gpu", "battery", "idle_state", "trip_point", "cooling", "throttle",
	"suspend", "wake_source", "self", "build", "interrupt", "softirq", "backlog", "slab", "idle_exit",
	"tracing", "disk", "disk_latency", "disk_latency_bucket", "filesystem", "disk_account",
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
		list_table(made, topics[i]->schema);
		list_topic(made, topics[i]);
	}
	check_listing(made, "tables.txt");
	fclose(made);
}
