/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what a view shows: columns, forms, rows by list, group, scope and threshold; what it requests. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "model/history.h"
#include "model/scope.h"
#include "model/view.h"
#include "suite.h"

struct thing_row {
	const char *name, *path;
	uint64_t pid, owner;
	double start_seconds;
	uint64_t size_bytes, reads;
	double size_ratio, reads_per_second;
	const char *note;
	double tasks;
	const char *change;
};

#define ROW(field, ...) COLUMN(struct thing_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(name, .kind = COLUMN_KEY, .title = "name", .help = "h"),
	ROW(pid, .kind = COLUMN_KEY, .title = "pid", .help = "h"),
	ROW(start_seconds, .kind = COLUMN_KEY, .title = "start", .hidden = true, .help = "h"),
	ROW(owner, .kind = COLUMN_LABEL, .title = "owner", .help = "h"),
	ROW(path, .kind = COLUMN_LABEL, .title = "path", .hidden = true, .help = "h"),
	ROW(size_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = "size", .on_request = 3,
	    .help = "h"),
	ROW(size_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = "%size", .on_request = 5,
	    .hidden = true, .help = "h"),
	ROW(reads, .kind = COLUMN_COUNTER, .title = "reads", .hidden = true, .help = "h"),
	ROW(reads_per_second, .kind = COLUMN_RATE, .title = "r/s", .hidden = true, .help = "h",
	    .rate_of = offsetof(struct thing_row, reads)),
	ROW(note, .kind = COLUMN_LABEL, .title = "note", .optional = true, .help = "h"),
	ROW(tasks, .kind = COLUMN_GAUGE, .title = "tasks", .hidden = true, .help = "h"),
	ROW(change, .kind = COLUMN_LABEL, .title = "", .hidden = true, .help = "h"),
};

static const struct schema schema = {
	.name = "thing",
	.help = "things",
	.row_size = sizeof(struct thing_row),
	SCHEMA_COLUMNS(columns),
};

static const struct schema *const schemas[] = { &schema };

static struct thing_row *add(struct frame *frame, const char *name, uint64_t pid, uint64_t owner,
			     const char *path)
{
	struct thing_row *row = table_add(&frame->tables[0]);

	row->name = name;
	row->pid = pid;
	row->owner = owner;
	row->path = path;
	row->start_seconds = (double)pid * 10;
	row->reads = pid * 100;
	return row;
}

static void open_things(struct frame *frame)
{
	frame_open(frame, schemas, 1);
	frame->tables[0].present = true;
	add(frame, "a", 1, 7, "/x");
	add(frame, "b", 2, 8, "/x/y");
	add(frame, "c", 3, 7, "/xy");
	add(frame, "d", 4, 2, NULL);
	add(frame, "e", U64_UNKNOWN, 9, "/");
}

static void shows(struct view *view, const struct frame *frame, const char *expected)
{
	char names[16] = "";

	view_apply(view, &frame->tables[0]);
	for (size_t i = 0; i < view->n_rows; i++)
		strcat(names, ((const struct thing_row *)view->rows[i])->name);
	ck_assert_str_eq(names, expected);
}

static void has_columns(const struct view *view, const char *keys)
{
	struct buffer text = { 0 };

	view_write_columns(view, &text);
	ck_assert_str_eq(text.bytes, keys);
	buffer_free(&text);
}

static void has_sort(const struct view *view, const char *sort)
{
	struct buffer text = { 0 };

	view_write_sort(view, &text);
	ck_assert_str_eq(text.bytes, sort);
	buffer_free(&text);
}

START_TEST(columns_are_chosen_and_written)
{
	const char *list = "pid,name,pid", *wrong = NULL;
	struct view view;

	view_open(&view, &schema);
	has_columns(&view, "name,pid,owner,size_bytes,note");
	has_sort(&view, "");
	ck_assert_int_eq(view_choose_columns(&view, list, &wrong), -EEXIST);
	ck_assert_ptr_eq(wrong, list + 9);
	list = "pid,nothing";
	ck_assert_int_eq(view_choose_columns(&view, list, &wrong), -EINVAL);
	ck_assert_ptr_eq(wrong, list + 4);
	has_columns(&view, "name,pid,owner,size_bytes,note");
	ck_assert_int_eq(view_choose_columns(&view, "reads,pid", &wrong), 0);
	has_columns(&view, "reads,pid");
	view_apply_defaults(&view, NULL, "+pid");
	has_columns(&view, "reads,pid");
	has_sort(&view, "+pid");
	view_apply_defaults(&view, "name", NULL);
	has_columns(&view, "name");
	has_sort(&view, "+pid");
	ck_assert_int_eq(view_choose_sort(&view, "reads"), 0);
	has_sort(&view, "reads");
	ck_assert_int_eq(view_choose_sort(&view, "+nothing"), -EINVAL);
	has_sort(&view, "reads");
	ck_assert_int_eq(view_choose_sort(&view, ""), 0);
	has_sort(&view, "");
	view_choose_all(&view);
	ck_assert_uint_eq(view.n_columns, schema.n_columns);
	view_close(&view);
	ck_assert(!view.schema && view.n_columns == 0);
}

START_TEST(one_form_takes_the_place_of_another)
{
	static const char *const forms[] = { "size_bytes", "size_ratio", NULL };
	const char *wrong;
	struct view view;

	view_open(&view, &schema);
	view_choose_sort(&view, "size_bytes");
	view_choose_form(&view, forms, "nothing");
	has_columns(&view, "name,pid,owner,size_bytes,note");
	view_choose_form(&view, forms, "size_ratio");
	has_columns(&view, "name,pid,owner,size_ratio,note");
	has_sort(&view, "size_ratio");
	ck_assert_int_eq(view_choose_columns(&view, "size_bytes,name,size_ratio", &wrong), 0);
	view_choose_form(&view, forms, "size_ratio"); /* it is there already */
	has_columns(&view, "size_bytes,name,size_ratio");
	ck_assert_int_eq(view_choose_columns(&view, "pid,name", &wrong), 0);
	view_choose_sort(&view, "pid");
	view_choose_form(&view, forms, "size_bytes"); /* none is */
	has_columns(&view, "pid,name");
	has_sort(&view, "pid");
	view_close(&view);
}

START_TEST(rows_by_list)
{
	struct frame frame;
	struct view view;

	open_things(&frame);
	view_open(&view, &schema);
	view_choose_rows(&view, "2,c,x", "pid", "name");
	shows(&view, &frame, "bc");
	view_clear_choices(&view);
	view_choose_rows(&view, "3,b", "pid", NULL);
	shows(&view, &frame, "c");
	view_clear_choices(&view);
	view_choose_rows(&view, "a,2", NULL, "name");
	shows(&view, &frame, "a");
	view_clear_choices(&view);
	view_choose_related(&view, "2,7", "pid", "owner");
	shows(&view, &frame, "abcd");
	view_exclude(&view, 7, "owner");
	shows(&view, &frame, "bd");
	view_clear_choices(&view);
	view_exclude(&view, 4, "pid");
	shows(&view, &frame, "abce");
	view_exclude(&view, 4, "nothing"); /* what is not there excludes nothing */
	shows(&view, &frame, "abce");
	view_close(&view);
	frame_close(&frame);
}

START_TEST(rows_by_threshold)
{
	struct frame frame;
	struct view view;

	open_things(&frame);
	view_open(&view, &schema);
	view_set_threshold(&view, "reads", 300);
	ck_assert(!view_has_rates(&view));
	view.filter.pinned = table_row(&frame.tables[0], 0);
	shows(&view, &frame, "acde"); /* the pinned one stays; the last one has a large number */
	view.filter.pinned = NULL;
	view_set_threshold(&view, "reads", NAN);
	shows(&view, &frame, "abcde");
	view_set_threshold(&view, "nothing", 300);
	shows(&view, &frame, "abcde");
	view_set_threshold(&view, "reads_per_second", 1);
	ck_assert(view_has_rates(&view));
	shows(&view, &frame, ""); /* unknown is not enough */
	view_clear_choices(&view);
	ck_assert(!view_has_rates(&view));
	shows(&view, &frame, "abcde");
	view_close(&view);
	frame_close(&frame);
}

START_TEST(rows_by_group)
{
	struct frame frame;
	struct view view;

	open_things(&frame);
	view_open(&view, &schema);
	view_choose_group(&view, "path", "/x", true);
	shows(&view, &frame, "a");
	view_choose_group(&view, "path", "/x", false);
	shows(&view, &frame, "ab");
	view_choose_group(&view, "path", "/", false);
	shows(&view, &frame, "abce"); /* the path of one is not known */
	view_choose_group(&view, NULL, "/x", false);
	shows(&view, &frame, "");
	view_choose_group(&view, "path", NULL, false);
	shows(&view, &frame, "abcde");
	view_choose_group(&view, "path", "/x", true);
	view_clear_choices(&view);
	shows(&view, &frame, "abcde");
	view_close(&view);
	frame_close(&frame);
}

/* Of the processes 2 and 3 of the user bob, and of the group /x. */
static void open_scope(struct scope *scope, const char *of)
{
	struct scope_term term;
	char why[256];

	*scope = (struct scope){ 0 };
	ck_assert_msg(scope_term_parse(&term, of, why, sizeof(why)), "%s", why);
	ck_assert(scope_add(scope, &term));
	scope_begin(scope);
	for (uint64_t pid = 1; pid <= 4; pid++) {
		const struct scope_process process = { .pid = pid,
						       .parent_pid = U64_UNKNOWN,
						       .start_seconds = (double)pid * 10,
						       .uid = pid == 2 || pid == 3 ? 1000 : 0,
						       .user = pid == 2 || pid == 3 ? "bob" : "root",
						       .name = span_text("x") };

		scope_look(scope, &process);
	}
	scope_end(scope);
}

static const struct column group_columns[] = {
	ROW(path, .kind = COLUMN_KEY, .title = "path", .help = "h"),
	ROW(name, .kind = COLUMN_LABEL, .title = "name", .help = "h"),
	ROW(tasks, .kind = COLUMN_GAUGE, .title = "tasks", .help = "h"),
};

static const struct schema groups = {
	.name = "thing", .help = "h", .row_size = sizeof(struct thing_row), SCHEMA_COLUMNS(group_columns),
};

static const struct column nameless_columns[] = {
	ROW(name, .kind = COLUMN_KEY, .title = "name", .help = "h"),
};

static const struct schema nameless = {
	.name = "thing", .help = "h", .row_size = sizeof(struct thing_row), SCHEMA_COLUMNS(nameless_columns),
};

static const struct column numbered_columns[] = {
	ROW(pid, .kind = COLUMN_KEY, .title = "pid", .help = "h"),
};

static const struct schema numbered = {
	.name = "thing", .help = "h", .row_size = sizeof(struct thing_row), SCHEMA_COLUMNS(numbered_columns),
};

/* Also where the PID is the first column, or the only one. */
START_TEST(a_pid_is_enough_for_a_scope)
{
	struct scope scope;
	struct view view;

	open_scope(&scope, "user=bob");
	view_open(&view, &numbered);
	view_choose_scope(&view, &scope);
	ck_assert(view_is_scoped(&view));
	view_close(&view);
	view_open(&view, &nameless);
	view_choose_scope(&view, &scope);
	ck_assert(!view_is_scoped(&view));
	view_close(&view);
	scope_free(&scope);
}

START_TEST(rows_by_scope)
{
	struct scope scope, none = { 0 };
	struct frame frame;
	struct view view;

	open_things(&frame);
	open_scope(&scope, "user=bob");
	view_open(&view, &schema);
	view_choose_scope(&view, &none);
	ck_assert(!view_is_scoped(&view));
	view_choose_scope(&view, &scope);
	ck_assert(view_is_scoped(&view));
	shows(&view, &frame, "bce"); /* one without a PID is of several */
	((struct thing_row *)table_row(&frame.tables[0], 1))->start_seconds = 5000;
	shows(&view, &frame, "ce"); /* another process with that PID */
	view_clear_choices(&view);
	ck_assert(!view_is_scoped(&view));
	shows(&view, &frame, "abcde");
	view_close(&view);
	view_open(&view, &groups);
	ck_assert(schema_is_of_groups(&groups) && !schema_is_of_groups(&nameless));
	view_choose_scope(&view, &scope);
	ck_assert(!view_is_scoped(&view)); /* users have no groups */
	scope_free(&scope);
	open_scope(&scope, "cgroup=/x");
	view_choose_scope(&view, &scope);
	ck_assert(view_is_scoped(&view));
	shows(&view, &frame, "ab");
	view_close(&view);
	view_open(&view, &nameless);
	view_choose_scope(&view, &scope);
	ck_assert(!view_is_scoped(&view));
	shows(&view, &frame, "abcde");
	view_close(&view);
	scope_free(&scope);
	frame_close(&frame);
}

START_TEST(columns_on_request_are_requested)
{
	const char *wrong;
	struct view view;

	view_open(&view, &schema);
	ck_assert_uint_eq(view_requested_columns(&view), 1 << 3);
	view_choose_sort(&view, "size_ratio");
	ck_assert_uint_eq(view_requested_columns(&view), 1 << 3 | 1 << 5);
	ck_assert_int_eq(view_choose_columns(&view, "name", &wrong), 0);
	ck_assert_uint_eq(view_requested_columns(&view), 1 << 5);
	view_choose_sort(&view, "name");
	ck_assert_uint_eq(view_requested_columns(&view), 0);
	view_choose_sort(&view, "");
	ck_assert_uint_eq(view_requested_columns(&view), 0);
	ck_assert_int_eq(view_choose_columns(&view, "size_ratio,name", &wrong), 0);
	ck_assert_uint_eq(view_requested_columns(&view), 1 << 5);
	ck_assert_uint_eq(schema_requested_columns(&schema, "pid,size_ratio,name"), 1 << 5);
	ck_assert_uint_eq(schema_requested_columns(&schema, "size_bytes,size_ratio"), 1 << 3 | 1 << 5);
	ck_assert_uint_eq(schema_requested_columns(&schema, NULL), 0);
	view_close(&view);
}

START_TEST(rates_take_two_samples)
{
	struct schema over = schema;
	const char *wrong;
	struct view view;

	view_open(&view, &schema);
	ck_assert(!view_has_rates(&view));
	view_choose_sort(&view, "reads_per_second");
	ck_assert(view_has_rates(&view));
	view_choose_sort(&view, "reads");
	ck_assert(!view_has_rates(&view));
	ck_assert_int_eq(view_choose_columns(&view, "name,reads_per_second", &wrong), 0);
	ck_assert(view_has_rates(&view));
	ck_assert_int_eq(view_choose_columns(&view, "reads_per_second,name", &wrong), 0);
	ck_assert(view_has_rates(&view));
	view_close(&view);
	over.over_interval = true;
	view_open(&view, &over);
	ck_assert(view_has_rates(&view));
	view_close(&view);
}

START_TEST(differences_have_a_mark_in_front)
{
	const char *wrong;
	struct view view;

	view_open(&view, &schema);
	view_choose_sort(&view, "reads");
	view_set_threshold(&view, "reads", 300);
	view_show_difference(&view);
	has_columns(&view, "change,name,pid,owner,size_bytes,note");
	ck_assert(isnan(view.filter.threshold));
	view_show_difference(&view); /* once */
	has_columns(&view, "change,name,pid,owner,size_bytes,note");
	view_hide_difference(&view);
	has_columns(&view, "name,pid,owner,size_bytes,note");
	has_sort(&view, "reads");
	ck_assert_int_eq(view_choose_columns(&view, "name,change,pid", &wrong), 0);
	view_choose_sort(&view, "change");
	view_show_difference(&view);
	has_columns(&view, "change,name,pid");
	view_hide_difference(&view);
	has_columns(&view, "name,pid");
	has_sort(&view, "");
	ck_assert_int_eq(view_choose_columns(&view, "change", &wrong), 0);
	view_hide_difference(&view);
	has_columns(&view, "name"); /* something is shown */
	view_close(&view);
}

/* Of as many columns as a view has room for, the last one makes room for the mark. */
START_TEST(a_mark_takes_the_place_of_the_last_of_many)
{
	struct column many[VIEW_COLUMNS_MAX + 1];
	struct schema wide = schema;
	struct view view;

	for (unsigned i = 0; i <= VIEW_COLUMNS_MAX; i++)
		many[i] = columns[i % 2];
	wide.columns = many;
	wide.n_columns = VIEW_COLUMNS_MAX + 1;
	view_open(&view, &wide);
	ck_assert_uint_eq(view.n_columns, VIEW_COLUMNS_MAX);
	view_show_difference(&view);
	ck_assert_uint_eq(view.n_columns, VIEW_COLUMNS_MAX);
	ck_assert_uint_eq(view.columns[0], VIEW_COLUMNS_MAX);
	for (unsigned i = 1; i < VIEW_COLUMNS_MAX; i++)
		ck_assert_uint_eq(view.columns[i], i - 1);
	view_close(&view);
}

START_TEST(optional_columns_are_shown_with_a_value)
{
	const struct column *note = schema_find(&schema, "note");
	struct thing_row *last;
	struct frame frame;
	struct view view;

	open_things(&frame);
	view_open(&view, &schema);
	view_apply(&view, &frame.tables[0]);
	ck_assert(view_shows(&view, schema_find(&schema, "owner")) && !view_shows(&view, note));
	last = table_row(&frame.tables[0], 4);
	last->note = "x";
	view_apply(&view, &frame.tables[0]);
	ck_assert(view_shows(&view, note));
	view_choose_rows(&view, "a", NULL, "name");
	view_apply(&view, &frame.tables[0]);
	ck_assert(!view_shows(&view, note));
	view_close(&view);
	frame_close(&frame);
}

START_TEST(shares_of_all_cpus_take_their_number)
{
	static const struct series tasks = { "thing", "b", "tasks" };
	struct frame frame;
	struct view view;

	open_things(&frame);
	((struct thing_row *)table_row(&frame.tables[0], 1))->tasks = 6;
	view_open(&view, &schema);
	ck_assert_double_eq(view_cpus(&view, &frame), 0);
	view.cpu_count = &tasks;
	ck_assert_double_eq(view_cpus(&view, &frame), 6);
	view_close(&view);
	frame_close(&frame);
}

/* A table whose rows are remembered, and where more may be added. */
static struct table *open_log(struct frame *frame)
{
	struct table *log;

	open_things(frame);
	log = &frame->tables[0];
	table_reserve(log, 64);
	log->is_log = true;
	return log;
}

static void remembers_all(const struct view *view, const struct table *log)
{
	ck_assert_uint_eq(view->log_cache.n_rows, log->n_rows);
	for (size_t i = 0; i < log->n_rows; i++)
		ck_assert_ptr_eq(view->log_cache.rows[i], table_row(log, i));
}

/* Whole and unsorted, a log is shown by the rows that are remembered; else by a copy of them. */
START_TEST(rows_of_a_log)
{
	struct frame frame;
	struct table *log = open_log(&frame);
	struct view view;

	view_open(&view, &schema);
	shows(&view, &frame, "abcde");
	ck_assert_ptr_eq(view.rows, view.log_cache.rows);
	ck_assert_ptr_null(view.room);
	view.limit = 5;
	shows(&view, &frame, "abcde");
	ck_assert_ptr_eq(view.rows, view.log_cache.rows);
	view.limit = 4;
	shows(&view, &frame, "bcde"); /* the newest */
	ck_assert_ptr_eq(view.rows, view.room);
	ck_assert_uint_eq(view.n_matching, 5);
	view.limit = 0;
	shows(&view, &frame, "");
	view.limit = VIEW_ALL_ROWS;
	shows(&view, &frame, "abcde");
	ck_assert_ptr_null(view.room);
	ck_assert_uint_eq(view.capacity, 0);
	view_choose_sort(&view, "pid");
	shows(&view, &frame, "dcbae");
	view.limit = 2;
	shows(&view, &frame, "dc");
	view_choose_sort(&view, "+pid");
	shows(&view, &frame, "ab");
	view_choose_sort(&view, "");
	view.descending = true;
	shows(&view, &frame, "ed");
	remembers_all(&view, log);
	view.descending = false;
	view.limit = 64;
	shows(&view, &frame, "abcde");
	add(&frame, "f", 6, 1, NULL);
	shows(&view, &frame, "abcdef");
	remembers_all(&view, log);
	view_close(&view);
	frame_close(&frame);
}

START_TEST(a_tree_of_a_log)
{
	struct frame frame;
	struct table *log = open_log(&frame);
	struct view view;

	view_open(&view, &schema);
	view_choose_tree(&view, "pid", "owner");
	shows(&view, &frame, "abdce");
	ck_assert_ptr_eq(view.rows, view.room);
	remembers_all(&view, log);
	ck_assert(tree_set_fold(&view.tree, row_hash_key(&schema, view.rows[1]), true));
	add(&frame, "f", 6, 1, NULL);
	shows(&view, &frame, "afbce");
	remembers_all(&view, log);
	view_close(&view);
	frame_close(&frame);
}

START_TEST(choices_change_what_is_shown_of_a_log)
{
	struct scope scope;
	struct frame frame;
	struct view view;
	regex_t pattern;

	open_log(&frame);
	open_scope(&scope, "user=bob");
	view_open(&view, &schema);
	shows(&view, &frame, "abcde");
	view_choose_rows(&view, "2,c", "pid", "name");
	shows(&view, &frame, "bc");
	view_exclude(&view, 2, "pid");
	shows(&view, &frame, "c");
	view_clear_choices(&view);
	shows(&view, &frame, "abcde");
	view_choose_related(&view, "2", "pid", "owner");
	shows(&view, &frame, "bd");
	view_clear_choices(&view);
	view_set_threshold(&view, "reads", 300);
	shows(&view, &frame, "cde");
	view_clear_choices(&view);
	view_choose_scope(&view, &scope);
	shows(&view, &frame, "bce");
	view_clear_choices(&view);
	ck_assert_int_eq(pattern_compile(&pattern, "^[ad]$"), 0);
	view_set_pattern(&view, &pattern);
	shows(&view, &frame, "ad");
	view_set_pattern(&view, NULL);
	shows(&view, &frame, "abcde");
	regfree(&pattern);
	view_close(&view);
	scope_free(&scope);
	frame_close(&frame);
}

START_TEST(optional_columns_of_a_log)
{
	const struct column *note = schema_find(&schema, "note");
	struct frame frame;
	struct view view;

	open_log(&frame);
	view_open(&view, &schema);
	view_apply(&view, &frame.tables[0]);
	ck_assert(view_shows(&view, schema_find(&schema, "owner")) && !view_shows(&view, note));
	add(&frame, "f", 6, 1, NULL)->note = "x";
	view_apply(&view, &frame.tables[0]);
	ck_assert(view_shows(&view, note));
	view_choose_rows(&view, "a", NULL, "name");
	view_apply(&view, &frame.tables[0]);
	ck_assert(!view_shows(&view, note));
	view_close(&view);
	frame_close(&frame);
}

START_TEST(the_order_as_sampled_and_its_reverse)
{
	struct frame frame;
	struct view view;

	open_things(&frame);
	view_open(&view, &schema);
	view.limit = 2;
	shows(&view, &frame, "ab"); /* the first, which are no log */
	view.descending = true;
	shows(&view, &frame, "ed");
	view.limit = VIEW_ALL_ROWS;
	shows(&view, &frame, "edcba");
	view.limit = 0;
	shows(&view, &frame, "");
	ck_assert_uint_eq(view.n_matching, 5);
	view.limit = VIEW_ALL_ROWS;
	view_choose_sort(&view, "+pid");
	shows(&view, &frame, "abcde"); /* unknown last in either order */
	view_choose_sort(&view, "pid");
	shows(&view, &frame, "dcbae");
	view_choose_sort(&view, "+path");
	shows(&view, &frame, "eabcd");
	view_close(&view);
	frame_close(&frame);
}

START_TEST(trees_have_both_columns)
{
	static const char *const wrong[][2] = { { "pid", "nothing" },
						{ "nothing", "owner" },
						{ NULL, "owner" } };
	struct frame frame;
	struct view view;

	open_things(&frame);
	view_open(&view, &schema);
	view_choose_tree(&view, "pid", "owner");
	view_choose_sort(&view, "name");
	shows(&view, &frame, "ecbda");
	ck_assert_uint_eq(view_depth(&view, 3), 1);
	ck_assert(view_has_children(&view, 2) && !view_has_children(&view, 3));
	view.limit = 3;
	shows(&view, &frame, "ecb");
	ck_assert_uint_eq(view.n_matching, 5);
	ck_assert(!view_has_children(&view, 2)); /* not among the rows */
	view.limit = VIEW_ALL_ROWS;
	ck_assert(tree_set_fold(&view.tree, row_hash_key(&schema, view.rows[2]), true));
	shows(&view, &frame, "ecba");
	ck_assert_uint_eq(view_folded(&view, 2), 1);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		view_choose_tree(&view, "pid", "owner");
		view_choose_tree(&view, wrong[i][0], wrong[i][1]);
		shows(&view, &frame, "edcba");
		ck_assert_uint_eq(view_depth(&view, 3), 0);
		ck_assert_uint_eq(view_folded(&view, 2), 0);
		ck_assert(!view_has_children(&view, 2));
	}
	view_close(&view);
	frame_close(&frame);
}

START_TEST(a_column_leads)
{
	const char *wrong;
	struct view view;

	view_open(&view, &schema);
	view_lead_with(&view, "owner");
	has_columns(&view, "owner,name,pid,size_bytes,note");
	view_lead_with(&view, "owner");
	has_columns(&view, "owner,name,pid,size_bytes,note");
	view_lead_with(&view, "reads"); /* a hidden one */
	has_columns(&view, "reads,owner,name,pid,size_bytes,note");
	view_lead_with(&view, "note"); /* the last one */
	has_columns(&view, "note,reads,owner,name,pid,size_bytes");
	view_lead_with(&view, "nothing");
	has_columns(&view, "note,reads,owner,name,pid,size_bytes");
	ck_assert_int_eq(view_choose_columns(&view, "pid", &wrong), 0);
	view_lead_with(&view, "name"); /* the first of the schema */
	has_columns(&view, "name,pid");
	view_close(&view);
}

START_TEST(no_more_columns_than_there_is_room_for)
{
	struct column many[VIEW_COLUMNS_MAX + 1];
	struct schema wide = schema;
	struct view view;

	for (unsigned i = 0; i <= VIEW_COLUMNS_MAX; i++)
		many[i] = columns[1 + i % 2]; /* every second one is hidden */
	wide.columns = many;
	wide.n_columns = VIEW_COLUMNS_MAX + 1;
	view_open(&view, &wide);
	ck_assert_uint_eq(view.n_columns, VIEW_COLUMNS_MAX / 2 + 1);
	ck_assert_uint_eq(view.columns[VIEW_COLUMNS_MAX / 2], VIEW_COLUMNS_MAX);
	view_choose_all(&view);
	ck_assert_uint_eq(view.n_columns, VIEW_COLUMNS_MAX);
	ck_assert_uint_eq(view.columns[VIEW_COLUMNS_MAX - 1], VIEW_COLUMNS_MAX - 1);
	view_close(&view);
}

/* What is not sorted has no column, and neither has a form that this table lacks. */
START_TEST(forms_that_a_table_lacks)
{
	static const char *const forms[] = { "nothing", "size_bytes", NULL };
	const char *wrong;
	struct view view;

	view_open(&view, &schema);
	view_choose_form(&view, forms, "size_ratio");
	has_columns(&view, "name,pid,owner,size_ratio,note");
	has_sort(&view, "");
	ck_assert_int_eq(view_choose_sort(&view, "+"), -EINVAL);
	ck_assert_int_eq(view_choose_sort(&view, "+size_bytes"), 0);
	ck_assert_int_eq(view_choose_columns(&view, "size_bytes,name", &wrong), 0);
	view_choose_form(&view, forms, "size_ratio");
	has_columns(&view, "size_ratio,name");
	has_sort(&view, "+size_ratio");
	view_close(&view);
}

/* A column of each use stands first here, where its index is 0. */
static const struct column pid_first_columns[] = {
	ROW(pid, .kind = COLUMN_KEY, .title = "pid", .on_request = 4, .help = "h"),
	ROW(owner, .kind = COLUMN_LABEL, .title = "owner", .help = "h"),
	ROW(name, .kind = COLUMN_LABEL, .title = "name", .help = "h"),
};

static const struct column owner_first_columns[] = {
	ROW(owner, .kind = COLUMN_LABEL, .title = "owner", .help = "h"),
	ROW(pid, .kind = COLUMN_KEY, .title = "pid", .help = "h"),
	ROW(name, .kind = COLUMN_LABEL, .title = "name", .help = "h"),
};

static const struct column rate_first_columns[] = {
	ROW(reads_per_second, .kind = COLUMN_RATE, .title = "r/s", .help = "h",
	    .rate_of = offsetof(struct thing_row, reads)),
	ROW(reads, .kind = COLUMN_COUNTER, .title = "reads", .hidden = true, .help = "h"),
};

#define THINGS(of)                                                                                           \
	{                                                                                                    \
		.name = "thing", .help = "h", .row_size = sizeof(struct thing_row), SCHEMA_COLUMNS(of)       \
	}

static const struct schema pid_first = THINGS(pid_first_columns), owner_first = THINGS(owner_first_columns),
			   rate_first = THINGS(rate_first_columns);

START_TEST(the_first_column_is_a_column_as_others_are)
{
	static const char *const forms[] = { "pid", "owner", NULL };
	struct frame frame;
	struct view view;

	open_things(&frame);
	view_open(&view, &pid_first);
	ck_assert_uint_eq(view_requested_columns(&view), 1 << 4);
	ck_assert_uint_eq(schema_requested_columns(&pid_first, "pid"), 1 << 4);
	view.n_columns = 0;
	ck_assert_uint_eq(view_requested_columns(&view), 0);
	view_choose_sort(&view, "pid");
	ck_assert_uint_eq(view_requested_columns(&view), 1 << 4);
	shows(&view, &frame, "dcbae");
	view_choose_form(&view, forms, "owner"); /* no column is shown, but one is sorted by */
	has_sort(&view, "owner");
	view_choose_form(&view, forms, "pid");
	has_sort(&view, "pid");
	view_choose_sort(&view, "");
	view_set_threshold(&view, "pid", 3);
	shows(&view, &frame, "cd"); /* unknown is not enough */
	view_clear_choices(&view);
	view_choose_rows(&view, "2,7", "pid", NULL);
	shows(&view, &frame, "b");
	view_clear_choices(&view);
	view_choose_related(&view, "1,8", "owner", "pid");
	shows(&view, &frame, "ab");
	view_clear_choices(&view);
	view_exclude(&view, 3, "pid");
	shows(&view, &frame, "abde");
	view_close(&view);
	view_open(&view, &rate_first);
	view.n_columns = 0;
	ck_assert(!view_has_rates(&view));
	view_choose_sort(&view, "reads_per_second");
	ck_assert(view_has_rates(&view));
	view_choose_sort(&view, "");
	view_set_threshold(&view, "reads_per_second", 1);
	ck_assert(view_has_rates(&view));
	view_close(&view);
	view_open(&view, &groups);
	view_choose_rows(&view, "/x,/", NULL, "path");
	shows(&view, &frame, "ae");
	view_clear_choices(&view);
	view_choose_group(&view, "path", "/x", false);
	shows(&view, &frame, "ab");
	view_close(&view);
	frame_close(&frame);
}

/* By key or parent in the first column; cut after all rows have been ordered, and from a log, too. */
START_TEST(trees_by_the_first_column)
{
	static const struct schema *const either[] = { &pid_first, &owner_first };

	for (size_t i = 0; i < 2; i++) {
		struct frame frame;
		struct view view;

		open_things(&frame);
		view_open(&view, either[i]);
		view_choose_tree(&view, "pid", "owner");
		view_choose_sort(&view, "+name");
		view.limit = 3;
		shows(&view, &frame, "abd");
		ck_assert_uint_eq(view_depth(&view, 2), 1);
		ck_assert(view_has_children(&view, 1) && !view_has_children(&view, 0));
		view_choose_sort(&view, "name");
		view.limit = 2;
		shows(&view, &frame, "ec");
		view.limit = 4;
		shows(&view, &frame, "ecbd");
		ck_assert(tree_set_fold(&view.tree, row_hash_key(either[i], view.rows[2]), true));
		shows(&view, &frame, "ecba");
		ck_assert_uint_eq(view_folded(&view, 2), 1);
		ck_assert(view_has_children(&view, 2));
		view_close(&view);
		frame.tables[0].is_log = true;
		view_open(&view, either[i]);
		view_choose_tree(&view, "pid", "owner");
		shows(&view, &frame, "abdce");
		ck_assert_ptr_eq(view.rows, view.room); /* not the rows that the log remembers */
		view_close(&view);
		frame_close(&frame);
	}
}

/* Whatever the type of the column. */
START_TEST(rows_of_one_value_stand_in_their_order)
{
	static const char *const keys[] = { "size_bytes", "size_ratio", "note" };
	struct frame frame;
	struct view view;

	open_things(&frame);
	for (unsigned i = 0; i < 5; i++) {
		struct thing_row *row = table_row(&frame.tables[0], i);

		row->size_bytes = i == 2 ? 9 : 4;
		row->size_ratio = i == 2 ? 0.9 : 0.4;
		row->note = i == 2 ? "z" : "k";
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char ascending[24] = "+";

		strcat(ascending, keys[i]);
		view_open(&view, &schema);
		view_choose_sort(&view, keys[i]);
		shows(&view, &frame, "cabde");
		view.limit = 1;
		shows(&view, &frame, "c");
		view.limit = 3;
		shows(&view, &frame, "cab");
		view_choose_sort(&view, ascending);
		shows(&view, &frame, "abd");
		view.limit = 1;
		shows(&view, &frame, "a");
		view.limit = VIEW_ALL_ROWS;
		shows(&view, &frame, "abdec");
		view_close(&view);
	}
	frame_close(&frame);
}

/* Every order of four rows, and each number of rows that is kept. */
START_TEST(any_number_of_rows_is_the_highest_of_any_order)
{
	for (unsigned code = 0; code < 256; code++) {
		unsigned order[4] = { code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 & 3 };
		unsigned seen = 1U << order[0] | 1U << order[1] | 1U << order[2] | 1U << order[3];
		struct frame frame;
		struct view view;

		if (seen != 15)
			continue;
		frame_open(&frame, schemas, 1);
		frame.tables[0].present = true;
		for (unsigned i = 0; i < 4; i++)
			add(&frame, (const char *const[]){ "a", "b", "c", "d" }[order[i]], order[i] + 1, 0,
			    NULL);
		view_open(&view, &schema);
		view_choose_sort(&view, "+pid");
		for (size_t keep = 0; keep <= 4; keep++) {
			char expected[5] = "abcd";

			expected[keep] = '\0';
			view.limit = keep;
			shows(&view, &frame, expected);
			ck_assert_uint_eq(view.n_matching, 4);
		}
		view_close(&view);
		frame_close(&frame);
	}
}

START_TEST(each_choice_turns_rows_away)
{
	struct scope scope;
	struct frame frame;
	struct view view;
	regex_t pattern;

	open_things(&frame);
	open_scope(&scope, "user=bob");
	view_open(&view, &schema);
	view_choose_rows(&view, "a,b,c,d", NULL, "name");
	view_choose_rows(&view, "b,c,d,e", NULL, "name");
	shows(&view, &frame, "bcd");
	view_choose_scope(&view, &scope);
	shows(&view, &frame, "bc");
	view_choose_group(&view, "path", "/x", false);
	shows(&view, &frame, "b");
	view_set_threshold(&view, "reads", 200);
	shows(&view, &frame, "b");
	view_set_threshold(&view, "reads", 201);
	shows(&view, &frame, "");
	view_clear_choices(&view);
	ck_assert_int_eq(pattern_compile(&pattern, "^[bc]$"), 0);
	view_set_pattern(&view, &pattern);
	view.filter.digits = "1";
	shows(&view, &frame, "abc"); /* a PID that begins so is as good */
	view.filter.digits = "4";
	view_exclude(&view, 2, "pid");
	shows(&view, &frame, "cd");
	view_set_pattern(&view, NULL);
	view.filter.digits = NULL;
	regfree(&pattern);
	view_close(&view);
	scope_free(&scope);
	frame_close(&frame);
}
