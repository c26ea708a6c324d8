/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of a machine: single numbers of other topics, and the greatest of some rows. */
#include <config.h>

#include "model/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "model/finding.h"

struct host_row {
	const char *host;
	double age_seconds, clock_offset_seconds;
	const char *severity, *finding;
	uint64_t findings;
	double busy_ratio, memory_used_ratio, swap_used_ratio;
	double cpu_pressure_ratio, memory_pressure_ratio, io_pressure_ratio;
	double load1;
	uint64_t cpus;
	double disk_busy_ratio, read_bytes_per_second, write_bytes_per_second;
	double received_bits_per_second, sent_bits_per_second;
	double watts, celsius, uptime_seconds;
	uint64_t tasks;
};

#define ROW(field, ...) COLUMN(struct host_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(host, A_KEY(N_("host"), 14),
	    .help = N_("machine, as --source names it, or as its recording does"),
	    .source = "--source; the recording"),
	ROW(age_seconds, A_GAUGE(SECONDS, N_("age"), 5), .rank = 2, .high = 10, .alarming = 60, .whole = true,
	    .help = N_("time since its newest sample"), .source = "the clocks of both machines, aligned"),
	ROW(clock_offset_seconds, A_GAUGE(SECONDS, N_("offset"), 7), .rank = 5, .hidden = true,
	    .difference = true,
	    .help = N_("its clock less ours, as samples show that come through a connection: too low by "
		       "the time that the quickest of the last ones took"),
	    .source = "the greatest of (time of a sample - time of its arrival)"),
	ROW(severity, A_LABEL(N_("severity"), 8), .rank = 1, .words = true,
	    .help = N_("of its worst finding; critical where it does not answer"),
	    .source = "finding severity"),
	ROW(busy_ratio, A_GAUGE(RATIO, N_("%CPU"), 5), .rank = 1,
	    .help = N_("share of the time of all its CPUs that was used"), .source = "cpu busy_ratio"),
	ROW(memory_used_ratio, A_GAUGE(RATIO, N_("%mem"), 5), .rank = 1,
	    .help = N_("share of its memory that is not available"),
	    .source = "memory used_bytes of available / total_bytes of mem"),
	ROW(swap_used_ratio, A_GAUGE(RATIO, N_("%swap"), 5), .rank = 4,
	    .help = N_("share of its swap that is used; unknown without swap"),
	    .source = "memory used_bytes / total_bytes of swap"),
	ROW(cpu_pressure_ratio, A_GAUGE(RATIO, N_("%PSI cpu"), 8), .rank = 5, .hidden = true,
	    .help = N_("share of 10 s in which some task waited for a CPU"),
	    .source = "pressure avg10_ratio of cpu some"),
	ROW(memory_pressure_ratio, A_GAUGE(RATIO, N_("%PSI mem"), 8), .rank = 5, .hidden = true,
	    .help = N_("share of 10 s in which some task waited for memory"),
	    .source = "pressure avg10_ratio of memory some"),
	ROW(io_pressure_ratio, A_GAUGE(RATIO, N_("%PSI io"), 8), .rank = 5, .hidden = true,
	    .help = N_("share of 10 s in which some task waited for a disk"),
	    .source = "pressure avg10_ratio of io some"),
	ROW(load1, A_GAUGE(NONE, N_("load"), 5), .rank = 2, .help = N_("load average of 1 minute"),
	    .source = "system load1"),
	ROW(cpus, A_GAUGE(COUNT, N_("CPUs"), 4), .rank = 4, .help = N_("online CPUs"),
	    .source = "system cpus"),
	ROW(disk_busy_ratio, A_GAUGE(RATIO, N_("%disk"), 5), .rank = 3,
	    .help = N_("share of the time in which its busiest disk had requests"),
	    .source = "disk busy_ratio, the greatest"),
	ROW(read_bytes_per_second, A_GAUGE(BYTES_PER_SECOND, N_("read/s"), 8), .rank = 5, .hidden = true,
	    .help = N_("read from its disks"), .source = "disk read_bytes_per_second of all"),
	ROW(write_bytes_per_second, A_GAUGE(BYTES_PER_SECOND, N_("write/s"), 8), .rank = 5, .hidden = true,
	    .help = N_("written to its disks"), .source = "disk write_bytes_per_second of all"),
	ROW(received_bits_per_second, A_GAUGE(BITS_PER_SECOND, N_("receive"), 8), .rank = 5, .hidden = true,
	    .help = N_("received by its interfaces"), .source = "interface received_bits_per_second of all"),
	ROW(sent_bits_per_second, A_GAUGE(BITS_PER_SECOND, N_("send"), 8), .rank = 5, .hidden = true,
	    .help = N_("sent by its interfaces"), .source = "interface sent_bits_per_second of all"),
	ROW(watts, A_GAUGE(WATTS, N_("watts"), 6), .rank = 5, .optional = true,
	    .help = N_("power that it takes"), .source = "power watts of total"),
	ROW(celsius, A_GAUGE(CELSIUS, N_("heat"), 5), .rank = 5, .optional = true,
	    .help = N_("its hottest sensor"), .source = "temperature celsius, the greatest"),
	ROW(uptime_seconds, A_GAUGE(SECONDS, N_("uptime"), 7), .rank = 6, .hidden = true, .whole = true,
	    .help = N_("time since it was started"), .source = "system uptime_seconds"),
	ROW(tasks, A_GAUGE(COUNT, N_("tasks"), 6), .rank = 6, .hidden = true, .help = N_("its processes"),
	    .source = "system tasks"),
	ROW(findings, A_GAUGE(COUNT, N_("findings"), 8), .rank = 6, .hidden = true,
	    .help = N_("how many there are"), .source = "rows of finding"),
	ROW(finding, A_LABEL(N_("finding"), 18), .prose = true, .fleeting = true,
	    .help = N_("its worst finding; or why nothing comes from it"),
	    .source = "finding subject and text; --source"),
};

const struct schema host_schema = {
	.name = "host",
	.is_public = true,
	.help = N_("machines, a row for each: gauges and the worst finding; worst first"),
	.over_interval = true,
	.derived = true,
	SCHEMA_ROWS(struct host_row, columns),
};

#define PART(to, ...) { .field = offsetof(struct host_row, to), __VA_ARGS__ }

/* Where the numbers come from. */
static const struct part {
	const char *topic, *row, *other, *column;
	size_t field;                /* a double of struct host_row */
	const char *over_row, *over; /* divided by this of the same topic; NULL: not divided */
	bool greatest;               /* of all rows but that of the sum */
} parts[] = {
	PART(busy_ratio, .topic = "cpu", .row = "all", .column = "busy_ratio"),
	PART(memory_used_ratio, .topic = "memory", .row = "available", .column = "used_bytes",
	     .over_row = "mem", .over = "total_bytes"),
	PART(swap_used_ratio, .topic = "memory", .row = "swap", .column = "used_bytes", .over_row = "swap",
	     .over = "total_bytes"),
	PART(cpu_pressure_ratio, .topic = "pressure", .row = "cpu", .other = "some", .column = "avg10_ratio"),
	PART(memory_pressure_ratio, .topic = "pressure", .row = "memory", .other = "some",
	     .column = "avg10_ratio"),
	PART(io_pressure_ratio, .topic = "pressure", .row = "io", .other = "some", .column = "avg10_ratio"),
	PART(load1, .topic = "system", .column = "load1"),
	PART(uptime_seconds, .topic = "system", .column = "uptime_seconds"),
	PART(disk_busy_ratio, .topic = "disk", .column = "busy_ratio", .greatest = true),
	PART(read_bytes_per_second, .topic = "disk", .row = "all", .column = "read_bytes_per_second"),
	PART(write_bytes_per_second, .topic = "disk", .row = "all", .column = "write_bytes_per_second"),
	PART(received_bits_per_second, .topic = "interface", .row = "all",
	     .column = "received_bits_per_second"),
	PART(sent_bits_per_second, .topic = "interface", .row = "all", .column = "sent_bits_per_second"),
	PART(watts, .topic = "power", .row = "total", .column = "watts"),
	PART(celsius, .topic = "temperature", .column = "celsius", .greatest = true),
};

#define N_PARTS (sizeof(parts) / sizeof(parts[0]))

void host_want_parts(const struct schema *const *schemas, unsigned n_schemas, bool *wanted)
{
	for (size_t i = 0; i < N_PARTS; i++)
		schema_want(schemas, n_schemas, parts[i].topic, wanted);
	schema_want(schemas, n_schemas, finding_schema.name, wanted);
}

void host_want(const struct schema *const *schemas, unsigned n_schemas, bool *wanted)
{
	int index = schema_index(schemas, n_schemas, host_schema.name);

	if (index >= 0 && wanted[index])
		host_want_parts(schemas, n_schemas, wanted);
}

static double number_of(const struct frame *of, const struct part *part)
{
	const struct table *table = frame_table(of, part->topic);
	const void *row;
	double number;

	if (!table || table->failed || table->n_rows == 0)
		return NAN;
	if (part->greatest)
		return table_number(table, table_most(table, part->column, NAN), part->column);
	row = part->row ? table_find(table, part->row, part->other) : table_row(table, 0);
	number = row ? table_number(table, row, part->column) : NAN;
	if (part->over)
		number /= frame_number(of, part->topic, part->over_row, part->over);
	return isfinite(number) ? number : NAN;
}

static const char *copy(struct frame *frame, const char *text)
{
	return arena_copy(&frame->arena, text, strlen(text));
}

/* 0: nothing is out of the ordinary, or nothing is known. */
static unsigned weight(const char *severity)
{
	static const char *const words[] = { "note", "warning", "critical" };

	for (unsigned i = 0; severity && i < 3; i++)
		if (strcmp(severity, words[i]) == 0)
			return i + 1;
	return 0;
}

/* The first one of those that weigh most, of n that hold; NULL: there is none. */
static const void *worst_finding(const struct table *table, uint64_t *n)
{
	const void *worst = NULL;

	*n = 0;
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (schema_row_is_over(table->schema, row))
			continue;
		++*n;
		if (!worst ||
		    weight(table_text(table, row, "severity")) > weight(table_text(table, worst, "severity")))
			worst = row;
	}
	return worst;
}

static void take_finding(struct host_row *row, struct frame *frame, const struct frame *of)
{
	const struct table *table = frame_table(of, finding_schema.name);
	const char *subject, *text;
	const void *worst;

	if (!table)
		return;
	worst = worst_finding(table, &row->findings);
	row->severity = worst ? copy(frame, table_text(table, worst, "severity")) : "none";
	row->finding = "";
	if (!worst)
		return;
	subject = table_text(table, worst, "subject");
	text = table_text(table, worst, "text");
	row->finding = arena_print(&frame->arena, "%s%s%s", subject, *text ? ": " : "", text);
}

void host_add(struct frame *frame, const struct frame *of, const struct host_state *state)
{
	struct table *table = frame_slot(frame, host_schema.name);
	struct host_row *row = table_add(table);

	row->host = copy(frame, state->name);
	row->age_seconds = state->age_seconds;
	row->clock_offset_seconds = state->clock_offset_seconds;
	for (size_t i = 0; of && i < N_PARTS; i++)
		*(double *)(void *)((char *)row + parts[i].field) = number_of(of, &parts[i]);
	if (of) {
		double cpus = frame_number(of, "system", NULL, "cpus");
		double tasks = frame_number(of, "system", NULL, "tasks");

		row->cpus = cpus >= 0 ? (uint64_t)cpus : U64_UNKNOWN;
		row->tasks = tasks >= 0 ? (uint64_t)tasks : U64_UNKNOWN;
		take_finding(row, frame, of);
	}
	if (!state->trouble)
		return;
	row->severity = "critical";
	row->finding = copy(frame, state->trouble);
}

/* By insertion: there are few, and they keep their order. */
void host_sort(struct frame *frame)
{
	struct table *table = frame_slot(frame, host_schema.name);
	struct host_row *rows = (struct host_row *)(void *)table->rows;

	for (size_t i = 1; i < table->n_rows; i++) {
		struct host_row row = rows[i];
		size_t at = i;

		for (; at > 0 && weight(rows[at - 1].severity) < weight(row.severity); at--)
			rows[at] = rows[at - 1];
		rows[at] = row;
	}
}

void host_derive(struct frame *frame, bool always)
{
	struct table *table = frame_slot(frame, host_schema.name);

	if (!table || !(table->present || always))
		return;
	table->present = true;
	table->n_rows = 0;
	table->mono_ns = frame->mono_ns;
	host_add(frame, frame,
		 &(struct host_state){ .name = frame->host ? frame->host : "localhost",
				       .clock_offset_seconds = NAN,
				       .age_seconds = 0 });
}

struct labelled {
	struct schema *schemas; /* owned, with their columns */
	const struct schema **list;
	unsigned n_schemas;
};

static void make_schema(struct schema *schema, const struct schema *of)
{
	bool has_one = schema_find(of, LABELLED_COLUMN) != NULL;
	struct column *labelled = alloc_zeroed(of->n_columns + 1, sizeof(*labelled));

	memcpy(labelled, of->columns, of->n_columns * sizeof(*labelled));
	*schema = *of;
	schema->columns = labelled;
	if (has_one)
		return;
	labelled[schema->n_columns++] = (struct column){
		.key = LABELLED_COLUMN,
		.title = N_("host"),
		.help = N_("machine that the row is of, where there are several"),
		.source = "--source; --replay",
		.type = VALUE_TEXT,
		.kind = COLUMN_KEY,
		.offset = (uint16_t)of->row_size,
		.width = 10,
	};
	schema->row_size = of->row_size + sizeof(const char *);
}

struct labelled *labelled_open(const struct schema *const *schemas, unsigned n_schemas)
{
	struct labelled *labelled = alloc_zeroed(1, sizeof(*labelled));

	labelled->n_schemas = n_schemas;
	labelled->schemas = alloc_zeroed(n_schemas, sizeof(*labelled->schemas));
	labelled->list = alloc_zeroed(n_schemas, sizeof(*labelled->list));
	for (unsigned i = 0; i < n_schemas; i++) {
		make_schema(&labelled->schemas[i], schemas[i]);
		labelled->list[i] = &labelled->schemas[i];
	}
	return labelled;
}

void labelled_close(struct labelled *labelled)
{
	if (!labelled)
		return;
	for (unsigned i = 0; i < labelled->n_schemas; i++)
		free((void *)labelled->schemas[i].columns);
	free(labelled->schemas);
	free(labelled->list);
	free(labelled);
}

const struct schema *const *labelled_schemas(const struct labelled *labelled)
{
	return labelled->list;
}

const struct schema *labelled_schema(const struct labelled *labelled, const char *name)
{
	int index = schema_index(labelled->list, labelled->n_schemas, name);

	return index < 0 ? NULL : labelled->list[index];
}

static void add_table(struct frame *to, struct table *table, const struct table *from, const char *host)
{
	const struct column *label = schema_find(table->schema, LABELLED_COLUMN);
	size_t first = table_append(to, table, from);

	table->present = true;
	table->mono_ns = from->mono_ns;
	table->interval_ns = from->interval_ns;
	for (size_t i = first; i < table->n_rows; i++)
		row_set_text(table_row(table, i), label, host);
}

void labelled_add(struct frame *to, const struct frame *from, const char *host, bool events)
{
	const char *name = arena_copy(&to->arena, host, strlen(host));

	for (unsigned i = 0; i < from->n_tables; i++) {
		const struct table *table = &from->tables[i];
		bool own = to->tables[i].schema->row_size == table->schema->row_size;

		if (table->present && !own && (table->schema->shape == SHAPE_EVENTS) == events)
			add_table(to, &to->tables[i], table, name);
	}
	for (unsigned i = 0; i < from->n_notices && !events; i++)
		frame_notice(to, from->notices[i].topic, from->notices[i].remedy, "%s: %s", host,
			     from->notices[i].text);
}
