/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what a view shows: columns, forms, rows by list, group, scope and threshold; what it requests. */
#include "suite.h"

#include "model/history.h"
#include "model/scope.h"
#include "model/view.h"

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
	.name = "thing", .help = "things", .row_size = sizeof(struct thing_row), SCHEMA_COLUMNS(columns)
};

static struct frame frame;
static struct view view;
static struct scope scope;
static regex_t pattern;

static struct thing_row *add(const char *name, uint64_t pid, uint64_t owner, const char *path)
{
	struct thing_row *row = table_add(&frame.tables[0]);

	row->name = name;
	row->pid = pid;
	row->owner = owner;
	row->path = path;
	row->start_seconds = (double)pid * 10;
	row->reads = pid * 100;
	return row;
}

static void open_things(const struct schema *of)
{
	const struct schema *const schemas[] = { &schema };

	frame_close(&frame);
	view_close(&view);
	frame_open(&frame, schemas, 1);
	frame.tables[0].present = true;
	add("a", 1, 7, "/x");
	add("b", 2, 8, "/x/y");
	add("c", 3, 7, "/xy");
	add("d", 4, 2, NULL);
	add("e", U64_UNKNOWN, 9, "/");
	view_open(&view, of);
}

/* Of the processes 2 and 3 of the user bob, and of the group /x. */
static struct scope *open_scope(const char *of)
{
	struct scope_term term;
	char why[256];

	scope_free(&scope);
	memset(&scope, 0, sizeof(scope));
	ck_assert_msg(scope_term_parse(&term, of, why, sizeof(why)), "%s", why);
	ck_assert(scope_add(&scope, &term));
	scope_begin(&scope);
	for (uint64_t pid = 1; pid <= 4; pid++) {
		const struct scope_process process = {
			.pid = pid, .parent_pid = U64_UNKNOWN, .start_seconds = (double)pid * 10,
			.uid = pid == 2 || pid == 3 ? 1000 : 0, .user = pid == 2 || pid == 3 ? "bob" : "root",
			.name = span_text("x")
		};

		scope_look(&scope, &process);
	}
	scope_end(&scope);
	return &scope;
}

#define THINGS(of) { .name = "thing", .help = "h", .row_size = sizeof(struct thing_row), SCHEMA_COLUMNS(of) }

static const struct column group_columns[] = {
	ROW(path, .kind = COLUMN_KEY, .title = "path", .help = "h"),
	ROW(name, .kind = COLUMN_LABEL, .title = "name", .help = "h"),
	ROW(tasks, .kind = COLUMN_GAUGE, .title = "tasks", .help = "h"),
};

static const struct column nameless_columns[] = { ROW(name, .kind = COLUMN_KEY, .title = "name",
						      .help = "h") };
static const struct column numbered_columns[] = { ROW(pid, .kind = COLUMN_KEY, .title = "pid", .help = "h") };

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

static const struct schema groups = THINGS(group_columns), nameless = THINGS(nameless_columns);
static const struct schema numbered = THINGS(numbered_columns), pid_first = THINGS(pid_first_columns);
static const struct schema owner_first = THINGS(owner_first_columns);

/* Words of an action; "-" is NULL. */
static const char *word(const char *line, unsigned n)
{
	for (; n > 0 && *line; n--)
		line += strcspn(line, " ") + (line[strcspn(line, " ")] == ' ');
	return strcmp(line, "-") == 0 || strncmp(line, "- ", 2) == 0
		       ? NULL
		       : arena_copy(&frame.arena, line, strcspn(line, " "));
}

/* One choice, as "rows 2,c pid name", "least 300 reads" or "sort +pid"; is it taken? "" is none. */
static bool choose(const char *line)
{
	static const char *const forms[] = { "nothing", "size_bytes", "size_ratio", NULL };
	const char *what = word(line, 0), *a = word(line, 1), *b = word(line, 2), *c = word(line, 3), *wrong;
	uint64_t number = a ? strtoull(a, NULL, 10) : 0;
	bool is_taken = true;

	if (strcmp(what, "columns") == 0)
		is_taken = view_choose_columns(&view, a, &wrong) == 0;
	else if (strcmp(what, "sort") == 0)
		is_taken = view_choose_sort(&view, a) == 0;
	else if (strcmp(what, "fold") == 0)
		is_taken = tree_set_fold(&view.tree, row_hash_key(view.schema, view.rows[number]), true);
	else if (strcmp(what, "unfold") == 0)
		is_taken = tree_set_fold(&view.tree, row_hash_key(view.schema, view.rows[number]), false);
	else if (strcmp(what, "all") == 0)
		tree_fold_all(&view.tree, number);
	else if (strcmp(what, "less") == 0)
		view_fold_less(&view, a, strtod(b, NULL));
	else if (strcmp(what, "form") == 0)
		view_choose_form(&view, forms, a);
	else if (strcmp(what, "lead") == 0)
		view_lead_with(&view, a);
	else if (strcmp(what, "limit") == 0)
		view.limit = *a ? number : VIEW_ALL_ROWS;
	else if (strcmp(what, "descending") == 0)
		view.descending = number;
	else if (strcmp(what, "rows") == 0)
		view_choose_rows(&view, a, b, c);
	else if (strcmp(what, "related") == 0)
		view_choose_related(&view, a, b, c);
	else if (strcmp(what, "exclude") == 0)
		view_exclude(&view, number, b);
	else if (strcmp(what, "least") == 0)
		view_set_threshold(&view, b, a ? (double)number : NAN);
	else if (strcmp(what, "group") == 0 || strcmp(what, "below") == 0)
		view_choose_group(&view, a, b, *what == 'g');
	else if (strcmp(what, "tree") == 0)
		view_choose_tree(&view, a, b);
	else if (strcmp(what, "pattern") == 0)
		view_set_pattern(&view, *a && pattern_compile(&pattern, a) == 0 ? &pattern : NULL);
	else if (strcmp(what, "digits") == 0)
		view.filter.digits = *a ? a : NULL;
	else if (strcmp(what, "add") == 0)
		add(a, 6, 1, NULL)->note = b;
	else if (strcmp(what, "clear") == 0)
		view_clear_choices(&view);
	else if (strcmp(what, "in") == 0)
		view_choose_scope(&view, open_scope(a));
	else
		ck_assert_msg(!*what, "%s is no choice", what);
	return is_taken;
}

/* Names of rows that are shown from then on. */
static void shows(const char *choice, const char *expected)
{
	char names[16] = "";

	ck_assert_msg(choose(choice), "%s", choice);
	view_apply(&view, &frame.tables[0]);
	for (size_t i = 0; i < view.n_rows; i++)
		strcat(names, ((const struct thing_row *)view.rows[i])->name);
	ck_assert_str_eq(textf("%s: %s", choice, names), textf("%s: %s", choice, expected));
}

/* Its columns, and what it is sorted by. */
static void lists(const char *choice, const char *keys, const char *sort)
{
	struct buffer text = { 0 };

	ck_assert_msg(choose(choice), "%s", choice);
	view_write_columns(&view, &text);
	ck_assert_str_eq(text.bytes, keys);
	buffer_empty(&text);
	view_write_sort(&view, &text);
	ck_assert_str_eq(text.bytes, sort);
	buffer_free(&text);
}

START_TEST(columns_are_chosen_and_written)
{
	const char *list = "pid,name,pid", *wrong = NULL;

	open_things(&schema);
	lists("", "name,pid,owner,size_bytes,note", "");
	ck_assert_int_eq(view_choose_columns(&view, list, &wrong), -EEXIST);
	ck_assert_ptr_eq(wrong, list + 9);
	list = "pid,nothing";
	ck_assert_int_eq(view_choose_columns(&view, list, &wrong), -EINVAL);
	ck_assert_ptr_eq(wrong, list + 4);
	lists("", "name,pid,owner,size_bytes,note", "");
	lists("columns reads,pid", "reads,pid", "");
	view_apply_defaults(&view, NULL, "+pid");
	lists("", "reads,pid", "+pid");
	view_apply_defaults(&view, "name", NULL);
	lists("", "name", "+pid");
	lists("sort reads", "name", "reads");
	ck_assert(!choose("sort +nothing") && !choose("sort +"));
	lists("", "name", "reads");
	lists("sort", "name", "");
	view_choose_all(&view);
	ck_assert_uint_eq(view.n_columns, schema.n_columns);
	view_close(&view);
	ck_assert(!view.schema && view.n_columns == 0);
}

/* What is not sorted has no column, and neither has a form that this table lacks. */
START_TEST(one_form_takes_the_place_of_another)
{
	open_things(&schema);
	lists("form size_ratio", "name,pid,owner,size_ratio,note", "");
	choose("form size_bytes");
	choose("sort size_bytes");
	lists("form nothing", "name,pid,owner,size_bytes,note", "size_bytes");
	lists("form size_ratio", "name,pid,owner,size_ratio,note", "size_ratio");
	choose("columns size_bytes,name,size_ratio");
	lists("form size_ratio", "size_bytes,name,size_ratio", "size_ratio"); /* it is there already */
	choose("columns size_bytes,name");
	choose("sort +size_bytes");
	lists("form size_ratio", "size_ratio,name", "+size_ratio");
	choose("columns note,name");
	lists("form size_bytes", "note,name", "+size_bytes"); /* none is shown */
}

START_TEST(a_column_leads)
{
	open_things(&schema);
	lists("lead owner", "owner,name,pid,size_bytes,note", "");
	lists("lead owner", "owner,name,pid,size_bytes,note", "");
	lists("lead reads", "reads,owner,name,pid,size_bytes,note", ""); /* a hidden one */
	lists("lead note", "note,reads,owner,name,pid,size_bytes", "");  /* the last one */
	lists("lead nothing", "note,reads,owner,name,pid,size_bytes", "");
	choose("columns pid");
	lists("lead name", "name,pid", ""); /* the first of the schema */
}

START_TEST(differences_have_a_mark_in_front)
{
	open_things(&schema);
	choose("sort reads");
	choose("least 300 reads");
	for (unsigned again = 0; again < 2; again++) { /* once */
		view_show_difference(&view);
		lists("", "change,name,pid,owner,size_bytes,note", "reads");
	}
	ck_assert(isnan(view.filter.threshold));
	view_hide_difference(&view);
	lists("", "name,pid,owner,size_bytes,note", "reads");
	choose("columns name,change,pid");
	choose("sort change");
	view_show_difference(&view);
	lists("", "change,name,pid", "change");
	view_hide_difference(&view);
	lists("", "name,pid", "");
	choose("columns change");
	view_hide_difference(&view);
	lists("", "name", ""); /* something is shown */
}

/* Of as many columns as a view has room for, the last one makes room for the mark. */
START_TEST(no_more_columns_than_there_is_room_for)
{
	struct column many[VIEW_COLUMNS_MAX + 1];
	struct schema wide = schema;

	for (unsigned i = 0; i <= VIEW_COLUMNS_MAX; i++)
		many[i] = columns[1 + i % 2]; /* every second one is hidden */
	wide.columns = many;
	wide.n_columns = VIEW_COLUMNS_MAX + 1;
	open_things(&wide);
	ck_assert_uint_eq(view.n_columns, VIEW_COLUMNS_MAX / 2 + 1);
	ck_assert_uint_eq(view.columns[VIEW_COLUMNS_MAX / 2], VIEW_COLUMNS_MAX);
	view_choose_all(&view);
	ck_assert_uint_eq(view.n_columns, VIEW_COLUMNS_MAX);
	view_show_difference(&view);
	ck_assert_uint_eq(view.n_columns, VIEW_COLUMNS_MAX);
	ck_assert_uint_eq(view.columns[0], VIEW_COLUMNS_MAX);
	for (unsigned i = 1; i < VIEW_COLUMNS_MAX; i++)
		ck_assert_uint_eq(view.columns[i], i - 1);
	view_close(&view);
}

START_TEST(rows_by_list_and_group)
{
	open_things(&schema);
	shows("rows 2,c,x pid name", "bc");
	choose("clear");
	shows("rows 3,b pid -", "c");
	choose("clear");
	shows("rows a,2 - name", "a");
	choose("clear");
	shows("related 2,7 pid owner", "abcd");
	shows("exclude 7 owner", "bd");
	choose("clear");
	shows("exclude 4 pid", "abce");
	shows("exclude 4 nothing", "abce"); /* what is not there excludes nothing */
	choose("clear");
	shows("group path /x", "a");
	shows("below path /x", "ab");
	shows("below path /", "abce"); /* the path of one is not known */
	shows("below - /x", "");
	shows("below path -", "abcde");
	choose("group path /x");
	shows("clear", "abcde");
}

START_TEST(rows_by_threshold)
{
	open_things(&schema);
	choose("least 300 reads");
	ck_assert(!view_has_rates(&view));
	view.filter.pinned = table_row(&frame.tables[0], 0);
	shows("", "acde"); /* the pinned one stays; the last one has a large number */
	view.filter.pinned = NULL;
	shows("least - reads", "abcde");
	shows("least 300 nothing", "abcde");
	shows("least 1 reads_per_second", ""); /* unknown is not enough */
	ck_assert(view_has_rates(&view));
	shows("clear", "abcde");
	ck_assert(!view_has_rates(&view));
}

/* Also where the PID is the first column, or the only one. */
START_TEST(rows_by_scope)
{
	struct scope none = { 0 };

	open_things(&numbered);
	choose("in user=bob");
	ck_assert(view_is_scoped(&view));
	open_things(&schema);
	view_choose_scope(&view, &none);
	ck_assert(!view_is_scoped(&view));
	shows("in user=bob", "bce"); /* one without a PID is of several */
	ck_assert(view_is_scoped(&view));
	((struct thing_row *)table_row(&frame.tables[0], 1))->start_seconds = 5000;
	shows("", "ce"); /* another process with that PID */
	shows("clear", "abcde");
	ck_assert(!view_is_scoped(&view));
	open_things(&groups);
	ck_assert(schema_is_of_groups(&groups) && !schema_is_of_groups(&nameless));
	choose("in user=bob");
	ck_assert(!view_is_scoped(&view)); /* users have no groups */
	shows("in cgroup=/x", "ab");
	ck_assert(view_is_scoped(&view));
	open_things(&nameless);
	shows("in cgroup=/x", "abcde");
	ck_assert(!view_is_scoped(&view));
}

START_TEST(each_choice_turns_rows_away)
{
	open_things(&schema);
	choose("rows a,b,c,d - name");
	shows("rows b,c,d,e - name", "bcd");
	shows("in user=bob", "bc");
	shows("below path /x", "b");
	shows("least 200 reads", "b");
	shows("least 201 reads", "");
	choose("clear");
	choose("digits 1");
	shows("pattern ^[bc]$", "abc"); /* a PID that begins so is as good */
	choose("digits 4");
	shows("exclude 2 pid", "cd");
	choose("digits");
	choose("clear");
	regfree(&pattern);
	shows("pattern ^B$", "");
	regfree(&pattern);
	((struct thing_row *)table_row(&frame.tables[0], 1))->name = "B";
	shows("pattern ^b$", "B"); /* without a capital in the pattern case does not count */
	regfree(&pattern);
	choose("pattern");
	for (unsigned i = 0; i < VIEW_CHOICES_MAX; i++)
		choose("rows 1,3 pid -");
	shows("exclude 3 pid", "ac"); /* one list too many turns none of the others round */
}

static void check_requested(const char *choice, unsigned long expected)
{
	choose(choice);
	ck_assert_uint_eq(view_requested_columns(&view), expected);
}

START_TEST(columns_on_request_are_requested)
{
	open_things(&schema);
	check_requested("", 1 << 3);
	check_requested("sort size_ratio", 1 << 3 | 1 << 5);
	check_requested("columns name", 1 << 5);
	check_requested("sort name", 0);
	check_requested("sort", 0);
	check_requested("columns size_ratio,name", 1 << 5);
	ck_assert_uint_eq(schema_requested_columns(&schema, "pid,size_ratio,name"), 1 << 5);
	ck_assert_uint_eq(schema_requested_columns(&schema, "size_bytes,size_ratio"), 1 << 3 | 1 << 5);
	ck_assert_uint_eq(schema_requested_columns(&schema, NULL), 0);
	open_things(&pid_first);
	check_requested("", 1 << 4);
	view.n_columns = 0;
	check_requested("", 0);
	check_requested("sort pid", 1 << 4);
}

START_TEST(rates_take_two_samples)
{
	struct schema over = schema;

	open_things(&schema);
	ck_assert(!view_has_rates(&view));
	ck_assert(choose("sort reads_per_second") && view_has_rates(&view));
	ck_assert(choose("sort reads") && !view_has_rates(&view));
	ck_assert(choose("columns name,reads_per_second") && view_has_rates(&view));
	over.over_interval = true;
	open_things(&over);
	ck_assert(view_has_rates(&view));
	view_close(&view);
}

/* Also in a log, where all rows but the new ones are remembered. */
START_TEST(optional_columns_are_shown_with_a_value)
{
	const struct column *note = schema_find(&schema, "note");

	for (int is_log = 0; is_log < 2; is_log++) {
		open_things(&schema);
		table_reserve(&frame.tables[0], 64);
		frame.tables[0].is_log = is_log;
		shows("", "abcde");
		ck_assert(view_shows(&view, schema_find(&schema, "owner")) && !view_shows(&view, note));
		shows("add f x", "abcdef");
		ck_assert(view_shows(&view, note));
		shows("rows a - name", "a");
		ck_assert(!view_shows(&view, note));
	}
}

START_TEST(shares_of_all_cpus_take_their_number)
{
	static const struct series tasks = { "thing", "b", "tasks" };

	open_things(&schema);
	((struct thing_row *)table_row(&frame.tables[0], 1))->tasks = 6;
	ck_assert_double_eq(view_cpus(&view, &frame), 0);
	view.cpu_count = &tasks;
	ck_assert_double_eq(view_cpus(&view, &frame), 6);
}

/* A table whose rows are remembered, and where more may be added. */
static struct table *open_log(void)
{
	struct table *log;

	open_things(&schema);
	log = &frame.tables[0];
	table_reserve(log, 64);
	log->is_log = true;
	return log;
}

static void remembers_all(const struct table *log)
{
	ck_assert_uint_eq(view.log_cache.n_rows, log->n_rows);
	for (size_t i = 0; i < log->n_rows; i++)
		ck_assert_ptr_eq(view.log_cache.rows[i], table_row(log, i));
}

/* Whole and unsorted, a log is shown by the rows that are remembered; else by a copy of them. */
START_TEST(rows_of_a_log)
{
	const struct table *log = open_log();

	shows("", "abcde");
	shows("limit 5", "abcde");
	ck_assert(view.rows == view.log_cache.rows && !view.room);
	shows("limit 4", "bcde"); /* the newest */
	ck_assert(view.rows == view.room && view.n_matching == 5);
	shows("limit 0", "");
	shows("limit", "abcde");
	ck_assert(!view.room && view.capacity == 0);
	shows("sort pid", "dcbae");
	shows("limit 2", "dc");
	shows("sort +pid", "ab");
	choose("sort");
	shows("descending 1", "ed");
	remembers_all(log);
	choose("descending 0");
	shows("limit 64", "abcde");
	shows("add f", "abcdef");
	remembers_all(log);
	log = open_log();
	shows("tree pid owner", "abdce");
	ck_assert_ptr_eq(view.rows, view.room);
	choose("fold 1");
	shows("add f", "afbce");
	remembers_all(log);
}

START_TEST(the_order_as_sampled_and_its_reverse)
{
	open_things(&schema);
	shows("limit 2", "ab"); /* the first, which are no log */
	shows("descending 1", "ed");
	shows("limit", "edcba");
	shows("limit 0", "");
	ck_assert_uint_eq(view.n_matching, 5);
	choose("limit");
	shows("sort +pid", "abcde"); /* unknown last in either order */
	shows("sort pid", "dcbae");
	shows("sort +path", "eabcd");
}

/* By key or parent in the first column, too; cut after all rows have been ordered. */
START_TEST(trees_have_both_columns)
{
	static const struct schema *const any[] = { &schema, &pid_first, &owner_first };
	static const char *const wrong[] = { "tree pid nothing", "tree nothing owner", "tree - owner" };

	for (size_t i = 0; i < LENGTH(any); i++) {
		open_things(any[i]);
		choose("tree pid owner");
		shows("sort name", "ecbda");
		ck_assert_uint_eq(view_depth(&view, 3), 1);
		ck_assert(view_has_children(&view, 2) && !view_has_children(&view, 3));
		shows("limit 3", "ecb");
		ck_assert_uint_eq(view.n_matching, 5);
		ck_assert(!view_has_children(&view, 2)); /* not among the rows */
		shows("limit 4", "ecbd");
		shows("fold 2", "ecba");
		ck_assert(view_folded(&view, 2) == 1 && view_has_children(&view, 2));
		choose("limit");
		for (size_t w = 0; w < LENGTH(wrong); w++) {
			choose("tree pid owner");
			shows(wrong[w], "edcba");
			ck_assert(view_depth(&view, 3) == 0 && view_folded(&view, 2) == 0);
			ck_assert(!view_has_children(&view, 2));
		}
	}
}

/* A filter, and unfolding their parent once more, shows them. */
START_TEST(rows_with_little_are_folded_into_their_parent)
{
	static const uint64_t sizes[] = { 9, 8, 3, 2, 1 };

	open_things(&schema);
	for (unsigned r = 0; r < 5; r++)
		((struct thing_row *)table_row(&frame.tables[0], r))->size_bytes = sizes[r];
	for (unsigned r = 1; r < 4; r++)
		((struct thing_row *)table_row(&frame.tables[0], r))->owner = r == 3 ? 3 : 1;
	choose("sort size_bytes");
	shows("tree pid owner", "abcde");
	choose("less size_bytes 4");
	choose("limit");
	shows("sort size_bytes", "abe");
	ck_assert(view_folded(&view, 0) == 2 && view_shows_children(&view, 0) && view_folded(&view, 1) == 0);
	shows("pattern b|d", "bd");
	shows("pattern ", "abe");
	shows("unfold 0", "abce");
	shows("unfold 2", "abcde");
	ck_assert(!choose("unfold 2"));
	shows("fold 0", "ae");
	shows("unfold 0", "abe");
	shows("all 1", "ae");
	ck_assert_uint_eq(view_folded(&view, 0), 3);
	shows("all 0", "abcde");
}

/* Whatever the type of the column. */
START_TEST(rows_of_one_value_stand_in_their_order)
{
	static const char *const keys[] = { "size_bytes", "size_ratio", "note" };

	for (size_t i = 0; i < LENGTH(keys); i++) {
		open_things(&schema);
		for (unsigned r = 0; r < 5; r++) {
			struct thing_row *row = table_row(&frame.tables[0], r);

			row->size_bytes = r == 2 ? 9 : 4;
			row->size_ratio = r == 2 ? 0.9 : 0.4;
			row->note = r == 2 ? "z" : "k";
		}
		shows(textf("sort %s", keys[i]), "cabde");
		shows("limit 1", "c");
		shows("limit 3", "cab");
		shows(textf("sort +%s", keys[i]), "abd");
		shows("limit", "abdec");
	}
}
