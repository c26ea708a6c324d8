/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The row of a machine: which numbers it takes, and its worst finding. */
#include "suite.h"

#include "model/host.h"
#include "topic/topic.h"

struct given {
	const char *topic, *key, *other, *column;
	double value;
};

/* Beside each number one that must not be taken. */
static const struct given machine[] = {
	{ "cpu", "0", NULL, "busy_ratio", 0.9 },
	{ "cpu", "all", NULL, "busy_ratio", 0.5 },
	{ "memory", "mem", NULL, "total_bytes", 8000 },
	{ "memory", "mem", NULL, "used_bytes", 7000 },
	{ "memory", "available", NULL, "used_bytes", 2000 },
	{ "memory", "swap", NULL, "total_bytes", 400 },
	{ "memory", "swap", NULL, "used_bytes", 50 },
	{ "pressure", "cpu", "full", "avg10_ratio", 0.91 },
	{ "pressure", "cpu", "some", "avg10_ratio", 0.01 },
	{ "pressure", "memory", "full", "avg10_ratio", 0.92 },
	{ "pressure", "memory", "some", "avg10_ratio", 0.02 },
	{ "pressure", "io", "full", "avg10_ratio", 0.93 },
	{ "pressure", "io", "some", "avg10_ratio", 0.03 },
	{ "system", NULL, NULL, "load1", 1.5 },
	{ "system", NULL, NULL, "load5", 2.5 },
	{ "system", NULL, NULL, "uptime_seconds", 77 },
	{ "system", NULL, NULL, "cpus", 4 },
	{ "system", NULL, NULL, "tasks", 321 },
	{ "disk", "all", NULL, "busy_ratio", 0.95 },
	{ "disk", "all", NULL, "read_bytes_per_second", 1001 },
	{ "disk", "all", NULL, "write_bytes_per_second", 1002 },
	{ "disk", "sda", NULL, "busy_ratio", 0.3 },
	{ "disk", "sda", NULL, "read_bytes_per_second", 2001 },
	{ "disk", "sda", NULL, "write_bytes_per_second", 2002 },
	{ "disk", "sdb", NULL, "busy_ratio", 0.7 },
	{ "disk", "sdc", NULL, "busy_ratio", NAN },
	{ "interface", "eth0", NULL, "received_bits_per_second", 4001 },
	{ "interface", "eth0", NULL, "sent_bits_per_second", 4002 },
	{ "interface", "all", NULL, "received_bits_per_second", 3001 },
	{ "interface", "all", NULL, "sent_bits_per_second", 3002 },
	{ "power", "package", NULL, "watts", 30 },
	{ "power", "total", NULL, "watts", 20 },
	{ "temperature", "one", NULL, "celsius", 40 },
	{ "temperature", "other", NULL, "celsius", 80 },
	{ "temperature", "third", NULL, "celsius", 60 },
	{ 0 },
};

static void *add_row(struct frame *frame, const char *topic, const char *key, const char *other)
{
	struct table *table = frame_slot(frame, topic);
	const struct schema *schema = table->schema;
	const char *keys[] = { key, other };
	void *row = table_add(table);

	table->present = true;
	for (unsigned c = 0, k = 0; c < schema->n_columns && k < 2; c++)
		if (keys[k] && schema->columns[c].kind == COLUMN_KEY && schema->columns[c].type == VALUE_TEXT)
			row_set_text(row, &schema->columns[c], keys[k++]);
	return row;
}

static void give(struct frame *frame, const struct given *given)
{
	for (; given->topic; given++) {
		struct table *table = frame_slot(frame, given->topic);
		const struct column *column = schema_find(table->schema, given->column);
		const void *found = given->key          ? table_find(table, given->key, given->other)
				    : table->n_rows > 0 ? table_row(table, 0)
							: NULL;
		void *row = found ? table_row(table, table->n_rows - 1)
				  : add_row(frame, given->topic, given->key, given->other);

		ck_assert_ptr_nonnull(column);
		ck_assert(!found || found == row);
		if (column->type == VALUE_U64)
			row_set_u64(row, column, (uint64_t)given->value);
		else
			row_set_f64(row, column, given->value);
	}
}

static void open_frame(struct frame *frame)
{
	frame_open(frame, topic_schemas(), n_topics);
	frame->mono_ns = 5000;
}

/* The row of a machine of which this is known. */
static void check_host(const struct given *given, const char *name, const char *failed, const char *row)
{
	struct frame frame;

	open_frame(&frame);
	give(&frame, given);
	frame.host = name;
	if (failed)
		frame_slot(&frame, failed)->failed = true;
	host_derive(&frame, true);
	ck_assert_uint_eq(frame_table(&frame, "host")->n_rows, 1);
	ck_assert_uint_eq(frame_table(&frame, "host")->mono_ns, 5000);
	check_row(&frame, "host", row);
	frame_close(&frame);
}

static const char *text(const struct frame *frame, size_t index, const char *column)
{
	const struct table *table = frame_table(frame, "host");

	ck_assert_uint_lt(index, table->n_rows);
	return table_text(table, table_row(table, index), column);
}

/* Findings were not sampled: they are unknown. */
START_TEST(each_number_has_its_row)
{
	check_host(machine, NULL, NULL,
		   "host=localhost age_seconds=0 busy_ratio=0.5 memory_used_ratio=0.25 swap_used_ratio=0.125 "
		   "cpu_pressure_ratio=0.01 memory_pressure_ratio=0.02 io_pressure_ratio=0.03 load1=1.5 "
		   "cpus=4 disk_busy_ratio=0.7 read_bytes_per_second=1001 write_bytes_per_second=1002 "
		   "received_bits_per_second=3001 sent_bits_per_second=3002 watts=20 celsius=80 "
		   "uptime_seconds=77 tasks=321");
}

START_TEST(what_is_not_there_is_unknown)
{
	static const struct given other_rows[] = {
		{ "cpu", "0", NULL, "busy_ratio", 0.9 },
		{ "memory", "mem", NULL, "total_bytes", 8000 },
		{ "memory", "swap", NULL, "total_bytes", 0 }, /* there is none */
		{ "memory", "swap", NULL, "used_bytes", 0 },
		{ "disk", "all", NULL, "busy_ratio", 0.95 }, /* only the sum of disks */
		{ "temperature", "one", NULL, "celsius", 40 },
		{ 0 },
	};
	static const struct given none[] = {
		{ "system", NULL, NULL, "cpus", 0 }, { "system", NULL, NULL, "tasks", 0 }, { 0 }
	};

	check_host(other_rows, "db1", "temperature", "host=db1 age_seconds=0");
	check_host(none, NULL, NULL, "host=localhost age_seconds=0 cpus=0 tasks=0"); /* 0 is known */
}

START_TEST(a_row_is_made_where_it_is_wanted)
{
	struct frame frame;

	open_frame(&frame);
	host_derive(&frame, false);
	ck_assert_ptr_null(frame_table(&frame, "host"));
	frame_slot(&frame, "host")->present = true;
	host_derive(&frame, false);
	host_derive(&frame, false);
	ck_assert_uint_eq(frame_table(&frame, "host")->n_rows, 1);
	frame_close(&frame);
}

static void find(struct frame *frame, const char *severity, const char *subject, const char *words)
{
	const struct schema *schema = frame_slot(frame, "finding")->schema;
	void *row = add_row(frame, "finding", NULL, NULL);

	row_set_text(row, schema_find(schema, "severity"), severity);
	row_set_text(row, schema_find(schema, "subject"), subject);
	row_set_text(row, schema_find(schema, "text"), words);
}

START_TEST(the_first_of_the_worst_findings_stands_there)
{
	static const struct {
		const char *severity, *subject, *text, *host; /* one more, and what the machine has then */
	} cases[] = {
		{ NULL, NULL, NULL, "none ; 0" },
		{ "note", "clock", "steps", "note clock: steps; 1" },
		{ "warning", "disk", "", "warning disk; 2" },
		{ "warning", "memory", "is low", "warning disk; 3" },
		{ "critical", "swap", "is full", "critical swap: is full; 4" },
		{ "note", "load", "is high", "critical swap: is full; 5" },
	};
	struct frame frame;

	open_frame(&frame);
	frame_slot(&frame, "finding")->present = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (i > 0)
			find(&frame, cases[i].severity, cases[i].subject, cases[i].text);
		host_derive(&frame, true);
		ck_assert_str_eq(textf("%s %s; %g", text(&frame, 0, "severity"), text(&frame, 0, "finding"),
				       frame_number(&frame, "host", "localhost", "findings")),
				 cases[i].host);
	}
	frame_close(&frame);
}

/* Of those that are as bad as each other the first one stays first. */
START_TEST(machines_are_sorted_by_their_findings)
{
	static const char *const severities[] = { NULL,       "note",    "warning", "none",
						  "critical", "warning", "note",    "critical" };
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	static const char sorted[] = "ehcfbgad";
	struct frame of, frame;

	open_frame(&frame);
	for (unsigned i = 0; i < 8; i++) {
		open_frame(&of);
		if (severities[i])
			frame_slot(&of, "finding")->present = true;
		if (severities[i] && strcmp(severities[i], "none") != 0)
			find(&of, severities[i], "x", "y");
		host_add(&frame, &of, &(struct host_state){ .name = names[i], .age_seconds = i });
		frame_close(&of);
	}
	frame_slot(&frame, "host")->present = true;
	host_sort(&frame);
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_int_eq(*text(&frame, i, "host"), sorted[i]);
		ck_assert_double_eq(frame_number(&frame, "host", text(&frame, i, "host"), "age_seconds"),
				    sorted[i] - 'a');
	}
	frame_close(&frame);
}

/* Why nothing comes is worse than what came last. */
START_TEST(trouble_is_critical)
{
	struct host_state state = { .name = "gone", .clock_offset_seconds = -2, .trouble = "no route" };
	static const struct given load[] = { { "system", NULL, NULL, "load1", 1.5 }, { 0 } };
	struct frame of, frame;

	open_frame(&of);
	open_frame(&frame);
	give(&of, load);
	find(&of, "note", "clock", "steps");
	host_add(&frame, &of, &state);
	frame_slot(&frame, "host")->present = true;
	check_row(&frame, "host",
		  "host=gone age_seconds=0 clock_offset_seconds=-2 severity=critical load1=1.5 findings=1 "
		  "finding=no route");
	frame_close(&frame);
	frame_close(&of);
}

START_TEST(its_topics_are_wanted)
{
	static const char *const parts[] = { "cpu",       "memory", "pressure",    "system", "disk",
					     "interface", "power",  "temperature", "finding" };
	const struct schema *const *schemas = topic_schemas();
	bool *wanted = calloc(n_topics, sizeof(*wanted));
	unsigned n_wanted = 0;

	host_want(schemas, n_topics, wanted);
	for (unsigned i = 0; i < n_topics; i++)
		ck_assert(!wanted[i]);
	wanted[schema_index(schemas, n_topics, "host")] = true;
	host_want(schemas, n_topics, wanted);
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		ck_assert_msg(wanted[schema_index(schemas, n_topics, parts[i])], "%s", parts[i]);
	for (unsigned i = 0; i < n_topics; i++)
		n_wanted += wanted[i];
	ck_assert_uint_eq(n_wanted, 1 + sizeof(parts) / sizeof(parts[0]));
	free(wanted);
}
