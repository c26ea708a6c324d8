/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of ended processes among the processes: which rows there are, what they know, and where they come
 * from. */
#include "suite.h"

#include "model/pipeline.h"
#include "pane/processes.h"
#include "topic/topic.h"

#define SECOND UINT64_C(1000000000)

static const struct schema *schemas[2];

static void open_frame(struct frame *frame, uint64_t seconds, const char *const *present)
{
	frame_open(frame, schemas, 2);
	frame->mono_ns = seconds * SECOND;
	for (; *present; present++) {
		struct table *table = frame_slot(frame, *present);

		table->present = true;
		table->mono_ns = frame->mono_ns + SECOND / 3; /* sampled a little later */
	}
}

static void set_number(struct table *table, void *row, const char *key, double number)
{
	const struct column *column = schema_find(table->schema, key);

	if (column->type == VALUE_U64)
		row_set_u64(row, column, (uint64_t)number);
	else
		row_set_f64(row, column, number);
}

static void add_process(struct frame *frame, double pid, double cpu_seconds)
{
	struct table *table = frame_slot(frame, "process");
	void *row = table_add(table);

	set_number(table, row, "pid", pid);
	set_number(table, row, "start_seconds", 1);
	set_number(table, row, "cpu_seconds", cpu_seconds);
	row_set_text(row, schema_find(table->schema, "name"), "alive");
}

static void add_exited(struct frame *frame, const char *command, double exits, double failures,
		       double cpu_seconds)
{
	struct table *table = frame_slot(frame, "exited");
	void *row = table_add(table);

	set_number(table, row, "exits", exits);
	set_number(table, row, "failures", failures);
	set_number(table, row, "cpu_seconds", cpu_seconds);
	row_set_text(row, schema_find(table->schema, "command"), command);
}

/* Two samples 2 s apart. */
struct stage {
	struct frame before, now;
	struct ended_rows ended;
};

static void stage_open(struct stage *stage)
{
	static const char *const both[] = { "process", "exited", NULL };

	*stage = (struct stage){ .ended = { .frame = NULL } };
	schemas[0] = topic_find("process")->schema;
	schemas[1] = topic_find("exited")->schema;
	open_frame(&stage->before, 10, both);
	open_frame(&stage->now, 12, both);
	add_process(&stage->before, 1, 0);
	add_process(&stage->now, 1, 1);
	add_exited(&stage->before, "old", 7, 1, 3);
	add_exited(&stage->now, "old", 7, 1, 3);
}

static void stage_close(struct stage *stage)
{
	ended_rows_free(&stage->ended);
	frame_close(&stage->before);
	frame_close(&stage->now);
}

static const struct table *merged_table(struct ended_rows *ended, const struct frame *frame)
{
	ended_rows_merge(ended, frame);
	return ended_rows_table(ended, frame);
}

static const struct table *merge(struct stage *stage)
{
	frame_derive(&stage->now, &stage->before);
	ended_rows_begin(&stage->ended, &stage->now);
	return merged_table(&stage->ended, &stage->now);
}

START_TEST(without_ends_it_is_the_table_of_the_frame)
{
	struct stage stage;

	stage_open(&stage);
	ck_assert_ptr_eq(merge(&stage), frame_table(&stage.now, "process"));
	stage_close(&stage);
}

START_TEST(ended_commands_are_rows_without_a_process)
{
	const struct schema *schema = NULL;
	const struct table *merged;
	struct stage stage;
	const void *row, *origin;

	stage_open(&stage);
	add_exited(&stage.now, "cc1", 9, 0, 0.5);
	add_exited(&stage.now, "make", 1000001, 2, 0);
	merged = merge(&stage);
	ck_assert_uint_eq(merged->n_rows, 3);
	ck_assert_str_eq(table_text(merged, table_row(merged, 0), "name"), "alive");
	ck_assert_ptr_null(ended_rows_origin(&stage.ended, table_row(merged, 0), &schema));
	ck_assert_ptr_null(schema);
	row = table_row(merged, 1);
	ck_assert_str_eq(table_text(merged, row, "command"), "cc1 ×9 ended");
	ck_assert_str_eq(table_text(merged, row, "name"), "cc1 ×9 ended");
	ck_assert_str_eq(table_text(merged, row, "state"), "X");
	ck_assert_double_eq_tol(table_number(merged, row, "cpu_ratio"), 0.25, 1e-9);
	ck_assert(isnan(table_number(merged, row, "pid")) &&
		  isnan(table_number(merged, row, "resident_bytes")));
	origin = ended_rows_origin(&stage.ended, row, &schema);
	ck_assert_ptr_eq(schema, frame_table(&stage.now, "exited")->schema);
	ck_assert_str_eq(table_text(frame_table(&stage.now, "exited"), origin, "command"), "cc1");
	ck_assert(!table_is_fresh(merged, table_row(merged, 0)) && !table_is_fresh(merged, row));
	row = table_row(merged, 2);
	ck_assert_str_eq(table_text(merged, row, "command"), "make ×1000001 ended, 2 failed");
	stage_close(&stage);
}

/* The cursor finds its row by the key. */
START_TEST(ended_commands_have_keys_of_their_own)
{
	const struct table *merged;
	uint64_t cc1, as;
	struct stage stage;

	stage_open(&stage);
	add_exited(&stage.now, "cc1", 9, 0, 0.5);
	add_exited(&stage.now, "as", 9, 0, 0.5);
	merged = merge(&stage);
	cc1 = row_hash_key(merged->schema, table_row(merged, 1));
	as = row_hash_key(merged->schema, table_row(merged, 2));
	ck_assert_uint_ne(cc1, as);
	ended_rows_begin(&stage.ended, &stage.now);
	merged = merged_table(&stage.ended, &stage.now);
	ck_assert_uint_eq(merged->n_rows, 3);
	ck_assert_uint_eq(frame_table(&stage.now, "process")->n_rows, 1);
	ck_assert_uint_eq(row_hash_key(merged->schema, table_row(merged, 1)), cc1);
	stage_close(&stage);
}

/* CPU time that a parent was late to wait for. */
START_TEST(time_without_an_end_has_no_count)
{
	const struct table *merged;
	struct stage stage;

	stage_open(&stage);
	add_exited(&stage.before, "late", 3, 0, 0);
	add_exited(&stage.now, "late", 3, 0, 1);
	merged = merge(&stage);
	ck_assert_uint_eq(merged->n_rows, 2);
	ck_assert_str_eq(table_text(merged, table_row(merged, 1), "command"), "late ended");
	stage_close(&stage);
}

START_TEST(the_first_sample_has_no_ends)
{
	struct stage stage;

	stage_open(&stage);
	ended_rows_begin(&stage.ended, &stage.before);
	ck_assert_ptr_eq(merged_table(&stage.ended, &stage.before),
			 frame_table(&stage.before, "process"));
	stage_close(&stage);
}

START_TEST(each_table_may_lack)
{
	static const char *const processes[] = { "process", NULL }, *const exited[] = { "exited", NULL };
	struct ended_rows ended = { .frame = NULL };
	struct frame frame;

	schemas[0] = topic_find("process")->schema;
	schemas[1] = topic_find("exited")->schema;
	open_frame(&frame, 10, processes);
	ended_rows_begin(&ended, &frame);
	ck_assert_ptr_eq(merged_table(&ended, &frame), frame_table(&frame, "process"));
	frame_close(&frame);
	open_frame(&frame, 10, exited);
	ck_assert_ptr_null(merged_table(&ended, &frame));
	frame_close(&frame);
	ended_rows_free(&ended);
}
