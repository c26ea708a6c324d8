/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cursor of a table, its keys, search, filter and sort. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "core/utf8.h"
#include "screen/keys.h"
#include "screen/table.h"

/* The values of the KEY columns, one after the other. */
static void write_key(struct buffer *out, const struct schema *schema, const void *row)
{
	struct span bytes;
	unsigned next = 0;

	buffer_empty(out);
	while (row_next_key(schema, row, &next, &bytes))
		buffer_add(out, bytes.at, span_length(bytes));
}

static void select_row(struct table_widget *widget, size_t row)
{
	const struct view *view = &widget->view;

	if (view->n_rows == 0) {
		widget->place.cursor_on = false;
		return;
	}
	widget->place.cursor_on = widget->place.stays = true;
	widget->place.row = row < view->n_rows ? row : view->n_rows - 1;
	widget->place.key_hash = row_hash_key(view->schema, view->rows[widget->place.row]);
	write_key(&widget->place.key, view->schema, view->rows[widget->place.row]);
}

static bool is_selected(struct table_widget *widget, const void *row)
{
	struct buffer *scratch = &widget->scratch;

	if (row_hash_key(widget->view.schema, row) != widget->place.key_hash)
		return false;
	write_key(scratch, widget->view.schema, row);
	return scratch->length == widget->place.key.length &&
	       memcmp(scratch->bytes, widget->place.key.bytes, scratch->length) == 0;
}

/* Only unsorted the last row of a log is the newest. */
bool table_is_tail(const struct table_widget *widget)
{
	return widget->is_log && widget->view.sort == VIEW_AS_SAMPLED && !widget->view.descending;
}

bool table_follows_tail(const struct table_widget *widget)
{
	return table_is_tail(widget) && !widget->place.stays && !widget->place.cursor_on;
}

/* Rows that a log has dropped were above all others. */
static void keep_place(struct table_widget *widget)
{
	size_t lost = widget->view.n_dropped;

	if (!table_is_tail(widget))
		return;
	widget->place.top -= lost < widget->place.top ? lost : widget->place.top;
	widget->place.row -= lost < widget->place.row ? lost : widget->place.row;
}

/* The same row wherever it has moved; if it is gone, the row at its position. */
static void find_selected(struct table_widget *widget)
{
	size_t found = widget->view.n_rows;

	if (widget->place.row < found && is_selected(widget, widget->view.rows[widget->place.row]))
		return; /* most rows stay where they are */
	for (size_t i = 0; i < widget->view.n_rows && found == widget->view.n_rows; i++)
		if (is_selected(widget, widget->view.rows[i]))
			found = i;
	if (found < widget->view.n_rows)
		widget->place.row = found;
	else
		select_row(widget, widget->place.row);
}

/* It stays visible below the threshold; the filter and choices of the user still apply. */
static const void *pinned_row(struct table_widget *widget, const struct table *table)
{
	if (!widget->place.cursor_on || isnan(widget->view.filter.threshold))
		return NULL;
	for (size_t i = 0; i < table->n_rows; i++)
		if (is_selected(widget, table_row(table, i)))
			return table_row(table, i);
	return NULL;
}

/* The column whose trend is shown; NULL: none. */
static const struct column *trend_column(const struct view *view)
{
	const struct column *columns = view->schema->columns;

	if (view->sort >= 0 && columns[view->sort].trend)
		return &columns[view->sort];
	for (unsigned i = 0; i < view->n_columns; i++)
		if (columns[view->columns[i]].trend)
			return &columns[view->columns[i]];
	return NULL;
}

static void add_trend(struct table_widget *widget, const struct table *table)
{
	const struct column *column = trend_column(&widget->view);

	if (column)
		row_trends_add(&widget->trends, table, column, widget->view.rows, widget->view.n_rows);
}

void table_note_trend(struct table_widget *widget, const struct table *table)
{
	if (!table || !trend_column(&widget->view))
		return;
	view_apply(&widget->view, table);
	add_trend(widget, table);
}

void table_update(struct table_widget *widget, const struct table *table)
{
	if (!table) {
		widget->view.n_rows = widget->view.n_matching = 0;
		return;
	}
	widget->is_log = table->is_log;
	widget->view.filter.pinned = table->is_log ? NULL : pinned_row(widget, table);
	view_apply(&widget->view, table);
	keep_place(widget);
	add_trend(widget, table);
	if (widget->place.cursor_on)
		find_selected(widget);
}

void table_select(struct table_widget *widget)
{
	if (!widget->place.cursor_on)
		select_row(widget, table_follows_tail(widget) ? widget->view.n_rows : widget->place.top);
}

void table_select_row(struct table_widget *widget, const void *row)
{
	for (size_t i = 0; i < widget->view.n_rows; i++)
		if (widget->view.rows[i] == row)
			select_row(widget, i);
}

void table_deselect(struct table_widget *widget)
{
	widget->place.cursor_on = false;
	widget->text_from = 0;
	if (!widget->is_log)
		widget->place.top = 0;
}

static void move_row(struct table_widget *widget, long step)
{
	long row = (long)widget->place.row + step, last = (long)widget->view.n_rows - 1;
	bool followed = table_follows_tail(widget);

	if (followed && step > 0)
		return;
	if (!widget->place.cursor_on) {
		table_select(widget);
		if (!followed || step == -1)
			return;
		row = (long)widget->place.row + step;
	}
	select_row(widget, (size_t)(row < 0 ? 0 : row > last ? last : row));
}

static const struct table_slot *selected_slot(const struct table_widget *widget)
{
	for (unsigned i = 0; i < widget->n_slots; i++)
		if (widget->slots[i].column == widget->column)
			return &widget->slots[i];
	return NULL;
}

/* Half of the column on or back; false: its texts end there. */
static bool scroll_text(struct table_widget *widget, int step)
{
	const struct table_slot *slot = selected_slot(widget);
	unsigned column = widget->view.columns[widget->column];
	int from = widget->text_from;

	if (!slot || widget->view.schema->columns[column].type != VALUE_TEXT)
		return false;
	if (step < 0 || from + slot->width < widget->widths[column])
		from += step * (slot->width / 2 > 0 ? slot->width / 2 : 1);
	from = from > 0 ? from : 0;
	if (from == widget->text_from)
		return false;
	widget->text_from = from;
	return true;
}

/* Beyond the last column its texts scroll. */
static void move_column(struct table_widget *widget, int step)
{
	const struct view *view = &widget->view;
	int column = (int)widget->column + step;

	while (column >= 0 && column < (int)view->n_columns &&
	       !view_shows(view, &view->schema->columns[view->columns[column]]))
		column += step;
	if (!widget->place.cursor_on) {
		table_select(widget);
	} else if ((step < 0 || column >= (int)view->n_columns) && scroll_text(widget, step)) {
		return;
	} else if (column >= 0 && column < (int)view->n_columns) {
		widget->column = (unsigned)column;
		widget->text_from = 0;
	}
}

static void scroll_wheel(struct table_widget *widget, long step)
{
	long top = (long)widget->place.top + step;

	if (widget->place.cursor_on) {
		move_row(widget, step);
	} else {
		widget->place.top = (size_t)(top < 0 ? 0 : top);
		widget->place.stays = widget->place.top + (size_t)widget->page < widget->view.n_rows;
	}
}

/* From then on the end of a log is followed. */
static void go_to_end(struct table_widget *widget)
{
	widget->place.stays = false;
	widget->place.cursor_on = widget->place.cursor_on && !table_is_tail(widget);
	if (!table_is_tail(widget))
		select_row(widget, widget->view.n_rows);
}

void table_sort_by_column(struct table_widget *widget, unsigned column)
{
	if (widget->view.sort == (int)column) {
		widget->view.descending = !widget->view.descending;
		return;
	}
	widget->view.sort = (int)column;
	widget->view.descending = widget->view.schema->columns[column].type != VALUE_TEXT;
}

static bool click(struct table_widget *widget, int y, int x)
{
	int line = y - widget->heading_y;
	unsigned i = 0;

	if (widget->heading_y < 0 || line < 0 || line > widget->page || x < widget->left ||
	    x >= widget->left + widget->width)
		return false;
	while (i + 1 < widget->n_slots && widget->slots[i + 1].x <= x - widget->left)
		i++;
	if (widget->n_slots == 0)
		return false;
	if (line == 0) {
		table_sort_by_column(widget, widget->view.columns[widget->slots[i].column]);
		return true;
	}
	if (widget->place.top + (size_t)line > widget->view.n_rows)
		return false;
	if (widget->column != widget->slots[i].column)
		widget->text_from = 0;
	widget->column = widget->slots[i].column;
	select_row(widget, widget->place.top + (size_t)line - 1);
	return true;
}

bool table_key(struct table_widget *widget, const struct input *input)
{
	long page = widget->page > 1 ? widget->page - 1 : 1;

	switch (input->key) {
	case K_UP:
	case K_DOWN:
		move_row(widget, input->key == K_UP ? -1 : 1);
		return true;
	case K_PAGE_UP:
	case K_PAGE_DOWN:
		move_row(widget, input->key == K_PAGE_UP ? -page : page);
		return true;
	case K_HOME:
		select_row(widget, 0);
		return true;
	case K_END:
		go_to_end(widget);
		return true;
	case K_LEFT:
	case K_RIGHT:
		move_column(widget, input->key == K_LEFT ? -1 : 1);
		return true;
	case K_WHEEL_UP:
	case K_WHEEL_DOWN:
		scroll_wheel(widget, input->key == K_WHEEL_UP ? -3 : 3);
		return true;
	case K_CLICK:
		return click(widget, input->y, input->x);
	default:
		return false;
	}
}

static bool is_called(const struct table_widget *widget, size_t row, const char *name)
{
	const struct column *names = schema_find(widget->view.schema, "name");

	return names && names->type == VALUE_TEXT && row_is_known(widget->view.rows[row], names) &&
	       strcmp(row_text(widget->view.rows[row], names), name) == 0;
}

static bool is_sought(const struct table_widget *widget, size_t row, const char *needle)
{
	return pattern_matches(&widget->found, widget->view.schema, widget->view.rows[row]) ||
	       pid_begins_with(needle, widget->view.schema, widget->view.rows[row]);
}

/* First what is called so, then what has it in any of its texts. */
bool table_search(struct table_widget *widget, const char *needle, bool from_next)
{
	size_t n_rows = widget->view.n_rows;
	size_t start = widget->place.cursor_on ? widget->place.row + (from_next ? 1 : 0)
		       : widget->is_log  ? widget->place.top
					 : 0;
	bool found = false;

	if (widget->has_found)
		regfree(&widget->found);
	widget->has_found = *needle && pattern_compile(&widget->found, needle) == 0;
	if (!widget->has_found)
		return false;
	for (size_t i = from_next ? n_rows : 0; i < 2 * n_rows && !found; i++) {
		size_t row = (start + i) % n_rows;

		found = i < n_rows ? is_called(widget, row, needle) : is_sought(widget, row, needle);
		if (found)
			select_row(widget, row);
	}
	return found;
}

void table_place_copy(struct table_place *place, const struct table_place *other)
{
	struct buffer key = place->key;

	*place = *other;
	place->key = key;
	buffer_empty(&place->key);
	buffer_add(&place->key, other->key.bytes, other->key.length);
}

static bool column_matches(const struct table_widget *widget, const struct column *column, const void *row)
{
	const char *text = column->type == VALUE_TEXT ? column_words(column, row_text(row, column)) : NULL;

	return text && regexec(&widget->filter, text, 0, NULL, 0) == 0;
}

/* NULL: the match is seen. */
static const struct column *hidden_match(const struct table_widget *widget, const void *row)
{
	const struct schema *schema = widget->view.schema;
	const struct column *hidden = NULL;

	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (!column_matches(widget, column, row))
			continue;
		if (table_draws(widget, i))
			return NULL;
		hidden = hidden ? hidden : column;
	}
	return hidden;
}

const struct column *table_hidden_match(const struct table_widget *widget)
{
	const struct column *hidden = NULL;
	size_t end = widget->place.top + (size_t)widget->page;

	for (size_t i = widget->place.top;
	     widget->has_filter && i < end && i < widget->view.n_rows && !hidden; i++)
		hidden = hidden_match(widget, widget->view.rows[i]);
	return hidden;
}

int table_set_filter(struct table_widget *widget, const char *pattern)
{
	regex_t filter;
	int error = *pattern ? pattern_compile(&filter, pattern) : 0;

	if (error)
		return error;
	if (widget->has_filter)
		regfree(&widget->filter);
	widget->has_filter = *pattern != '\0';
	if (widget->has_filter)
		widget->filter = filter;
	buffer_empty(&widget->filter_text);
	buffer_add(&widget->filter_text, pattern, strlen(pattern) + 1);
	view_set_pattern(&widget->view, widget->has_filter ? &widget->filter : NULL);
	widget->view.filter.digits = widget->has_filter ? widget->filter_text.bytes : NULL;
	return 0;
}

int table_title_cells(const struct table_widget *widget)
{
	const struct schema *schema = widget->view.schema;
	int most = 0;

	for (unsigned i = 0; i < schema->n_columns; i++) {
		int cells = utf8_cells(column_title(&schema->columns[i]), false);

		most = cells > most ? cells : most;
	}
	return most;
}

bool table_draws(const struct table_widget *widget, unsigned column)
{
	for (unsigned i = 0; i < widget->n_slots; i++)
		if (widget->view.columns[widget->slots[i].column] == column)
			return true;
	return false;
}

bool table_sort_step(struct table_widget *widget, int step)
{
	const struct view *view = &widget->view;
	int position = step > 0 ? -1 : (int)view->n_columns;

	for (unsigned i = 0; i < view->n_columns; i++)
		if ((int)view->columns[i] == view->sort)
			position = (int)i;
	do /* a column that did not fit could be sorted by, but not be seen */
		position += step;
	while (position >= 0 && position < (int)view->n_columns &&
	       !table_draws(widget, view->columns[position]));
	if (position < 0 || position >= (int)view->n_columns)
		return false;
	table_sort_by_column(widget, view->columns[position]);
	return true;
}

/* The nearest row that this one is below, in a tree. */
static size_t row_above(const struct view *view, size_t row)
{
	size_t above = row;

	while (above > 0 && view_depth(view, above) >= view_depth(view, row))
		above--;
	return above;
}

bool table_fold(struct table_widget *widget, bool folded)
{
	struct view *view = &widget->view;
	size_t row = widget->place.row;

	if (!widget->place.cursor_on || view->tree_key < 0)
		return false;
	if (folded && view_depth(view, row) > 0 && !view_shows_children(view, row))
		row = row_above(view, row);
	if (!view_has_children(view, row) ||
	    !tree_set_fold(&view->tree, row_hash_key(view->schema, view->rows[row]), folded))
		return false;
	select_row(widget, row);
	return true;
}

bool table_fold_all(struct table_widget *widget)
{
	struct view *view = &widget->view;
	size_t row = widget->place.row;
	bool any = false;

	for (size_t i = 0; i < view->n_rows; i++)
		any |= view_folded(view, i) > 0;
	while (!any && widget->place.cursor_on && view_depth(view, row) > 0)
		row = row_above(view, row);
	if (widget->place.cursor_on)
		select_row(widget, row);
	tree_fold_all(&view->tree, !any);
	return !any;
}

void table_sort_reverse(struct table_widget *widget)
{
	widget->view.descending = !widget->view.descending;
}

/* The value of a KEY column of the selected row; NULL: none is selected. */
static const char *selected_key(const struct table_widget *widget, const char *key_column,
				enum value_type *type)
{
	const struct schema *schema = widget->view.schema;
	const char *at = widget->place.key.bytes;

	for (unsigned i = 0; widget->place.cursor_on && i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->kind != COLUMN_KEY)
			continue;
		*type = column->type;
		if (strcmp(column->key, key_column) == 0)
			return at;
		at += column->type == VALUE_TEXT ? strlen(at) + 1 : sizeof(uint64_t);
	}
	return NULL;
}

double table_selected(const struct table_widget *widget, const char *key_column)
{
	enum value_type type;
	const char *key = selected_key(widget, key_column, &type);
	uint64_t number;
	double value;

	if (!key || type == VALUE_TEXT)
		return NAN;
	memcpy(&number, key, sizeof(number));
	memcpy(&value, key, sizeof(value));
	return type == VALUE_F64 ? value : u64_number(number);
}

const char *table_selected_text(const struct table_widget *widget, const char *key_column)
{
	enum value_type type;
	const char *key = selected_key(widget, key_column, &type);

	return key && type == VALUE_TEXT ? key : NULL;
}

const void *table_cell(const struct table_widget *widget, const struct column **column)
{
	const struct view *view = &widget->view;
	const struct table_place *place = &widget->place;
	size_t row = place->cursor_on ? place->row : table_follows_tail(widget) ? view->n_rows - 1 : 0;
	unsigned position = place->cursor_on ? widget->column : 0;

	if (row >= view->n_rows || view->n_columns == 0)
		return NULL;
	while (!widget->place.cursor_on && position + 1 < view->n_columns &&
	       view->schema->columns[view->columns[position]].type == VALUE_TEXT)
		position++;
	*column = &view->schema->columns[view->columns[position]];
	return view->rows[row];
}
