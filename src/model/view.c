/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A view of one table: column choice, filter, partial sort, limit. */
#include <config.h>

#include "model/view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/process_pattern.h"
#include "core/span.h"
#include "model/view_memory.h"

void view_open(struct view *view, const struct schema *schema)
{
	*view = (struct view){ .schema = schema, .sort = VIEW_AS_SAMPLED, .least = NAN, .tree_key = -1 };
	for (unsigned i = 0; i < schema->n_columns && view->n_columns < VIEW_COLUMNS_MAX; i++)
		if (!schema->columns[i].hidden)
			view->columns[view->n_columns++] = i;
}

void view_choose_all(struct view *view)
{
	view->n_columns = 0;
	for (unsigned i = 0; i < view->schema->n_columns && i < VIEW_COLUMNS_MAX; i++)
		view->columns[view->n_columns++] = i;
}

void view_close(struct view *view)
{
	free(view->rows);
	free(view->before);
	places_free(&view->places);
	view_memory_free(&view->memory);
	tree_free(&view->tree);
	*view = (struct view){ 0 };
}

static bool is_among(const unsigned *columns, unsigned n_columns, unsigned wanted)
{
	for (unsigned i = 0; i < n_columns; i++)
		if (columns[i] == wanted)
			return true;
	return false;
}

int view_choose_columns(struct view *view, const char *list, const char **wrong)
{
	struct span rest = span_text(list), name;
	unsigned columns[VIEW_COLUMNS_MAX], n_columns = 0;

	*wrong = list;
	while (span_item(&rest, &name)) {
		int index = schema_column_span(view->schema, name);

		*wrong = name.at;
		if (index < 0)
			return -EINVAL;
		if (is_among(columns, n_columns, (unsigned)index))
			return -EEXIST;
		columns[n_columns++] = (unsigned)index;
	}
	if (n_columns == 0)
		return -EINVAL;
	memcpy(view->columns, columns, n_columns * sizeof(columns[0]));
	view->n_columns = n_columns;
	return 0;
}

int view_choose_sort(struct view *view, const char *name)
{
	bool ascending = name[0] == '+';
	int index = *name ? schema_column(view->schema, ascending ? name + 1 : name) : VIEW_AS_SAMPLED;

	if (*name && index < 0)
		return -EINVAL;
	view->sort = index;
	view->descending = *name && !ascending;
	return 0;
}

void view_dress(struct view *view, const char *columns, const char *sort)
{
	const char *wrong;

	if (columns)
		view_choose_columns(view, columns, &wrong);
	if (sort)
		view_choose_sort(view, sort);
}

/* The first column that is one of the forms; n_columns: none is. */
static unsigned find_form(const struct view *view, const char *const *forms)
{
	for (unsigned i = 0; i < view->n_columns; i++)
		for (const char *const *form = forms; *form; form++)
			if ((int)view->columns[i] == schema_column(view->schema, *form))
				return i;
	return view->n_columns;
}

void view_choose_form(struct view *view, const char *const *forms, const char *wanted)
{
	int index = schema_column(view->schema, wanted);
	unsigned position = find_form(view, forms);

	if (index < 0)
		return;
	if (position < view->n_columns && !is_among(view->columns, view->n_columns, (unsigned)index))
		view->columns[position] = (unsigned)index;
	for (const char *const *form = forms; *form; form++)
		if (view->sort >= 0 && view->sort == schema_column(view->schema, *form))
			view->sort = index;
}

static int column_of(const struct view *view, const char *key)
{
	return key ? schema_column(view->schema, key) : -1;
}

static void add_choice(struct view *view, struct view_choice choice)
{
	view_forget(view);
	if (view->n_choices < VIEW_CHOICES_MAX)
		view->choices[view->n_choices++] = choice;
}

void view_choose_rows(struct view *view, const char *list, const char *number, const char *text)
{
	add_choice(view, (struct view_choice){
				 .list = list,
				 .number = column_of(view, number),
				 .text = column_of(view, text),
			 });
}

void view_choose_processes(struct view *view, const char *list, const char *pid, const char *name,
			   const char *program)
{
	add_choice(view, (struct view_choice){
				 .list = list,
				 .number = column_of(view, pid),
				 .text = column_of(view, name),
				 .program = column_of(view, program),
				 .of_processes = true,
			 });
}

void view_leave_out(struct view *view, const char *list, const char *number)
{
	add_choice(view, (struct view_choice){
				 .list = list,
				 .number = schema_column(view->schema, number),
				 .text = -1,
				 .except = true,
			 });
}

void view_choose_least(struct view *view, const char *key, double least)
{
	view_forget(view);
	view->least_column = schema_column(view->schema, key);
	view->least = view->least_column < 0 ? NAN : least;
}

void view_choose_tree(struct view *view, const char *key, const char *parent)
{
	view->tree_key = key ? schema_column(view->schema, key) : -1;
	view->tree_parent = key ? schema_column(view->schema, parent) : -1;
	if (view->tree_parent < 0)
		view->tree_key = -1;
}

unsigned view_depth(const struct view *view, size_t index)
{
	return view->tree_key < 0 ? 0 : view->tree.depths[index];
}

void view_write_columns(const struct view *view, struct buffer *out)
{
	buffer_empty(out);
	for (unsigned i = 0; i < view->n_columns; i++)
		buffer_print(out, "%s%s", i > 0 ? "," : "", view->schema->columns[view->columns[i]].key);
	buffer_char(out, '\0');
}

void view_write_sort(const struct view *view, struct buffer *out)
{
	buffer_empty(out);
	if (view->sort != VIEW_AS_SAMPLED)
		buffer_print(out, "%s%s", view->descending ? "" : "+", view->schema->columns[view->sort].key);
	buffer_char(out, '\0');
}

bool view_has_rates(const struct view *view)
{
	const struct column *columns = view->schema->columns;

	if (view->schema->over_interval ||
	    (!isnan(view->least) && columns[view->least_column].kind == COLUMN_RATE) ||
	    (view->sort >= 0 && columns[view->sort].kind == COLUMN_RATE))
		return true;
	for (unsigned i = 0; i < view->n_columns; i++)
		if (view->schema->columns[view->columns[i]].kind == COLUMN_RATE)
			return true;
	return false;
}

static int compare_known(const struct column *column, const void *one, const void *other)
{
	if (column->type == VALUE_TEXT)
		return strcmp(row_text(one, column), row_text(other, column));
	if (column->type == VALUE_U64) {
		uint64_t a = row_u64(one, column), b = row_u64(other, column);

		return (a > b) - (a < b);
	}
	return (row_f64(one, column) > row_f64(other, column)) -
	       (row_f64(one, column) < row_f64(other, column));
}

/* Shares that are the same in the tenths of a percent that people see. */
static bool looks_same(const struct column *column, const void *one, const void *other)
{
	return column->unit == UNIT_RATIO && column->type == VALUE_F64 &&
	       rint(1000 * row_f64(one, column)) == rint(1000 * row_f64(other, column));
}

static uint32_t place_before(const struct view *view, const void *row)
{
	return view->before[(size_t)((const char *)row - view->table->rows) / view->schema->row_size];
}

/* Of two that the sort does not tell apart; rows lie in one array, so their addresses break all ties. */
static bool stood_above(const struct view *view, const void *one, const void *other)
{
	uint32_t place = view->steady ? place_before(view, one) : PLACE_NONE;
	uint32_t other_place = view->steady ? place_before(view, other) : PLACE_NONE;

	return place != other_place ? place < other_place : one < other;
}

/* Does one stand above other? A total order. */
static bool stands_above(const struct view *view, const void *one, const void *other)
{
	const struct column *column;
	bool known, other_known;
	int order;

	if (view->sort == VIEW_AS_SAMPLED)
		return view->descending ? one > other : one < other;
	column = &view->schema->columns[view->sort];
	known = row_is_known(one, column);
	other_known = row_is_known(other, column);
	if (known != other_known)
		return known;
	order = known && !(view->steady && looks_same(column, one, other)) ? compare_known(column, one, other)
									    : 0;
	if (order == 0)
		return stood_above(view, one, other);
	return view->descending ? order > 0 : order < 0;
}

static void swap_rows(const void **rows, size_t one, size_t other)
{
	const void *row = rows[one];

	rows[one] = rows[other];
	rows[other] = row;
}

/* Restores the heap, whose root is the row that stands lowest. */
static void sink_down(const struct view *view, const void **rows, size_t n_rows, size_t at)
{
	for (;;) {
		size_t lowest = at, child = 2 * at + 1;

		if (child < n_rows && stands_above(view, rows[lowest], rows[child]))
			lowest = child;
		if (child + 1 < n_rows && stands_above(view, rows[lowest], rows[child + 1]))
			lowest = child + 1;
		if (lowest == at)
			return;
		swap_rows(rows, at, lowest);
		at = lowest;
	}
}

/* The keep rows that stand highest come first and in order; what follows them is of no use. */
static void sort_first(const struct view *view, const void **rows, size_t n_rows, size_t keep)
{
	for (size_t i = keep / 2; i-- > 0;)
		sink_down(view, rows, keep, i);
	for (size_t i = keep; i < n_rows; i++) {
		if (stands_above(view, rows[i], rows[0])) {
			rows[0] = rows[i];
			sink_down(view, rows, keep, 0);
		}
	}
	for (size_t n = keep; n > 1; n--) {
		swap_rows(rows, 0, n - 1);
		sink_down(view, rows, n - 1, 0);
	}
}

/* NULL: there is no such column, or nothing in it. */
static const char *text_in(const struct view *view, int column, const void *row)
{
	return column < 0 ? NULL : row_text(row, &view->schema->columns[column]);
}

static bool is_process_on_list(const struct view *view, const struct view_choice *choice, const void *row)
{
	const char *name = text_in(view, choice->text, row), *program = text_in(view, choice->program, row);

	return listed_process(span_text(choice->list), row_u64(row, &view->schema->columns[choice->number]),
			      span_text(name ? name : ""), span_text(program ? program : ""));
}

static bool is_on_list(const struct view *view, const struct view_choice *choice, const void *row)
{
	const struct column *number = choice->number < 0 ? NULL : &view->schema->columns[choice->number];
	const char *text = text_in(view, choice->text, row);
	struct span rest = span_text(choice->list), item;
	uint64_t value;

	if (choice->of_processes)
		return is_process_on_list(view, choice, row);
	while (span_item(&rest, &item)) {
		if (text && span_is(item, text))
			return true;
		if (number && span_is_u64(item, &value) &&
		    row_number(row, number) == (double)value)
			return true;
	}
	return false;
}

bool view_wants(const struct view *view, const void *row)
{
	if (!isnan(view->least) && row != view->kept &&
	    !(row_number(row, &view->schema->columns[view->least_column]) >= view->least))
		return false;
	for (unsigned i = 0; i < view->n_choices; i++)
		if (is_on_list(view, &view->choices[i], row) == view->choices[i].except)
			return false;
	return !view->filter || filter_matches(view->filter, view->schema, row);
}

static void find_places(struct view *view, const struct table *table)
{
	view->table = table;
	for (size_t i = 0; i < view->n_rows; i++) {
		size_t index = (size_t)((const char *)view->rows[i] - table->rows) / view->schema->row_size;

		view->before[index] = places_find(&view->places, view->schema, view->rows[i]);
	}
}

static void make_room(struct view *view, size_t n_rows)
{
	if (view->capacity >= n_rows)
		return;
	view->capacity = n_rows;
	view->rows = alloc_resize(view->rows, view->capacity, sizeof(*view->rows));
	if (view->steady)
		view->before = alloc_resize(view->before, view->capacity, sizeof(*view->before));
}

static void collect(struct view *view, const struct table *table)
{
	make_room(view, table->n_rows > view->capacity ? table->capacity : 0);
	view->n_rows = 0;
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (view_wants(view, row))
			view->rows[view->n_rows++] = row;
	}
	if (view->steady)
		find_places(view, table);
}

/* What happened stands still by itself: its order needs no help. */
static void collect_remembered(struct view *view)
{
	const struct view_memory *memory = &view->memory;

	view->steady = false;
	make_room(view, memory->capacity);
	view->n_rows = memory->n_rows;
	if (memory->n_rows > 0)
		memcpy(view->rows, memory->rows, memory->n_rows * sizeof(*view->rows));
}

/* Of a log as it was sampled the newest are seen, which are the last. */
static void cut(struct view *view, size_t keep)
{
	if (view->memory.of_log && view->sort == VIEW_AS_SAMPLED && !view->descending && keep < view->n_rows)
		memmove(view->rows, view->rows + view->n_rows - keep, keep * sizeof(*view->rows));
	view->n_rows = keep;
}

void view_apply(struct view *view, const struct table *table)
{
	size_t keep;

	if (table->is_log) {
		if (!view_remember(view, table))
			return;
		collect_remembered(view);
	} else {
		collect(view, table);
	}
	view->n_matching = view->n_rows;
	keep = view->limit && view->limit < view->n_rows ? view->limit : view->n_rows;
	if (view->sort != VIEW_AS_SAMPLED || view->descending)
		sort_first(view, view->rows, view->n_rows, view->tree_key < 0 ? keep : view->n_rows);
	if (view->tree_key >= 0)
		tree_order(&view->tree, &view->schema->columns[view->tree_key],
			   &view->schema->columns[view->tree_parent], view->rows, view->n_rows);
	cut(view, keep);
	if (view->steady)
		places_note(&view->places, view->schema, view->rows, view->n_rows);
}

bool view_shows(const struct view *view, const struct column *column)
{
	bool shows = !column->optional;

	if (!shows && view->memory.of_log)
		return view->memory.known >> (column - view->schema->columns) & 1;
	for (size_t i = 0; i < view->n_rows && !shows; i++)
		shows = column_has_value(column, view->rows[i]);
	return shows;
}

static bool has_capital(const char *text)
{
	for (; *text; text++)
		if (*text >= 'A' && *text <= 'Z')
			return true;
	return false;
}

int filter_compile(regex_t *filter, const char *pattern)
{
	return regcomp(filter, pattern, REG_EXTENDED | REG_NOSUB | (has_capital(pattern) ? 0 : REG_ICASE));
}

bool filter_matches(const regex_t *filter, const struct schema *schema, const void *row)
{
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];
		const char *text =
			column->type == VALUE_TEXT ? column_words(column, row_text(row, column)) : NULL;

		if (text && regexec(filter, text, 0, NULL, 0) == 0)
			return true;
	}
	return false;
}
