/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A view of one table: column choice, filter, partial sort, limit. */
#include <config.h>

#include "model/view.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/span.h"
#include "core/vector.h"
#include "model/history.h"

/* NULL: no such column, or no value. */
static const char *text_in(const struct schema *schema, int column, const void *row)
{
	return column < 0 ? NULL : row_text(row, &schema->columns[column]);
}

static bool is_on_list(const struct view_choice *choice, const struct schema *schema, const void *row)
{
	const struct column *number = choice->number < 0 ? NULL : &schema->columns[choice->number];
	const struct column *other = choice->other < 0 ? NULL : &schema->columns[choice->other];
	const char *text = text_in(schema, choice->text, row);
	struct span rest = span_text(choice->list), item;
	uint64_t value;

	while (span_item(&rest, &item)) {
		if (text && span_is(item, text))
			return true;
		if (!span_is_u64(item, &value))
			continue;
		if ((number && row_number(row, number) == (double)value) ||
		    (other && row_number(row, other) == (double)value))
			return true;
	}
	return false;
}

/* A row without a pid is of several processes: its topic has chosen them. */
bool view_filter_scopes(const struct view_filter *filter, const struct schema *schema, const void *row)
{
	const struct column *pid;

	if (!filter->scope)
		return true;
	if (filter->scope_pid < 0)
		return scope_has_group(filter->scope, row_text(row, &schema->columns[filter->scope_path]));
	pid = &schema->columns[filter->scope_pid];
	if (!row_is_known(row, pid))
		return true;
	return scope_has(filter->scope, row_u64(row, pid),
			 filter->scope_start < 0 ? NAN
						 : row_number(row, &schema->columns[filter->scope_start]));
}

static bool is_of_group(const struct view_filter *filter, const struct schema *schema, const void *row)
{
	const char *path = text_in(schema, filter->group_column, row);

	if (!filter->group)
		return true;
	return path && (filter->group_alone ? strcmp(path, filter->group) == 0
					    : scope_path_is_below(path, filter->group));
}

int pattern_compile(regex_t *pattern, const char *text)
{
	bool has_capital = strpbrk(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	return regcomp(pattern, text, REG_EXTENDED | (has_capital ? 0 : REG_ICASE));
}

bool pid_begins_with(const char *text, const struct schema *schema, const void *row)
{
	const struct column *pid = schema_find(schema, "pid");
	size_t length = strspn(text, "0123456789");
	char digits[24];

	if (length == 0 || text[length] != '\0' || !pid || pid->type != VALUE_U64 || !row_is_known(row, pid))
		return false;
	snprintf(digits, sizeof(digits), "%" PRIu64, row_u64(row, pid));
	return strncmp(digits, text, length) == 0;
}

bool pattern_matches(const regex_t *pattern, const struct schema *schema, const void *row)
{
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];
		const char *text =
			column->type == VALUE_TEXT ? column_words(column, row_text(row, column)) : NULL;

		if (text && regexec(pattern, text, 0, NULL, 0) == 0)
			return true;
	}
	return false;
}

static bool is_accepted(const struct view_filter *filter, const struct schema *schema, const void *row)
{
	if (!isnan(filter->threshold) && row != filter->pinned &&
	    !(row_number(row, &schema->columns[filter->threshold_column]) >= filter->threshold))
		return false;
	if (filter->scope && !view_filter_scopes(filter, schema, row))
		return false;
	if (!is_of_group(filter, schema, row))
		return false;
	for (unsigned i = 0; i < filter->n_choices; i++) {
		const struct view_choice *choice = &filter->choices[i];

		if (choice->list ? !is_on_list(choice, schema, row)
				 : choice->number >= 0 && row_number(row, &schema->columns[choice->number]) ==
								  (double)choice->excluded)
			return false;
	}
	return !filter->pattern || pattern_matches(filter->pattern, schema, row) ||
	       (filter->digits && pid_begins_with(filter->digits, schema, row));
}

bool view_accepts(const struct view *view, const void *row)
{
	return is_accepted(&view->filter, view->schema, row);
}

/* The filter has changed. */
static void log_filter_cache_reset(struct log_filter_cache *cache)
{
	cache->n_rows = 0;
	cache->n_examined = 0;
	cache->columns_with_values = 0;
	cache->changed = true;
}

/* The log has dropped its first rows and moved the others down. Returns how many accepted rows went. */
static size_t move_rows(struct log_filter_cache *cache, const struct table *log)
{
	size_t size = log->schema->row_size, step = (size_t)(log->n_dropped - cache->n_dropped);
	size_t n_removed = 0;

	while (n_removed < cache->n_rows &&
	       (size_t)((const char *)cache->rows[n_removed] - log->rows) / size < step)
		n_removed++;
	for (size_t i = n_removed; i < cache->n_rows; i++)
		cache->rows[i - n_removed] = (const char *)cache->rows[i] - step * size;
	cache->n_rows -= n_removed;
	cache->changed = true;
	return n_removed;
}

/*
 * Examines the new rows of the log; true when the accepted rows or their addresses changed. *n_removed is the
 * number of accepted rows that the log has dropped from its front.
 */
static bool log_filter_cache_update(struct log_filter_cache *cache, const struct view_filter *filter,
				    const struct table *log, size_t *n_removed)
{
	bool changed;

	*n_removed = 0;
	if (cache->epoch != log->epoch)
		log_filter_cache_reset(cache);
	else if (cache->n_dropped != log->n_dropped)
		*n_removed = move_rows(cache, log);
	cache->epoch = log->epoch;
	cache->n_dropped = log->n_dropped;
	if (cache->n_examined < log->n_dropped)
		cache->n_examined = log->n_dropped;
	for (; cache->n_examined < log->n_dropped + log->n_rows; cache->n_examined++) {
		const void *row = table_row(log, (size_t)(cache->n_examined - log->n_dropped));

		if (!is_accepted(filter, log->schema, row))
			continue;
		*VECTOR_ADD(cache->rows, cache->n_rows, cache->capacity) = row;
		cache->changed = true;
		for (unsigned i = 0; i < log->schema->n_columns; i++) {
			const struct column *column = &log->schema->columns[i];

			if (column->optional && column_has_value(column, row))
				cache->columns_with_values |= UINT64_C(1) << i;
		}
	}
	changed = cache->changed;
	cache->changed = false;
	return changed;
}

#define NO_ROW HASH_NONE

/* Links between rows by index; each is n_rows long. */
struct links {
	uint32_t *parent, *first, *last, *next;
};

static void grow_tree(struct tree *tree, size_t n_rows)
{
	if (n_rows <= tree->capacity)
		return;
	tree->capacity = n_rows + n_rows / 4;
	tree->depths = alloc_resize(tree->depths, tree->capacity, sizeof(*tree->depths));
	tree->more = alloc_resize(tree->more, tree->capacity, sizeof(*tree->more));
	tree->n_folded = alloc_resize(tree->n_folded, tree->capacity, sizeof(*tree->n_folded));
	tree->before = alloc_resize(tree->before, tree->capacity, sizeof(*tree->before));
	tree->scratch = alloc_resize(tree->scratch, 4 * tree->capacity, sizeof(*tree->scratch));
}

/* Both columns have numbers, or both have texts. */
static uint64_t hash_value(const void *row, const struct column *column)
{
	return column->type == VALUE_TEXT ? hash_bytes(HASH_SEED, span_text(row_text(row, column)))
					  : hash_u64((uint64_t)row_number(row, column));
}

static bool is_same(const void *row, const struct column *key, const void *other, const struct column *column)
{
	return key->type == VALUE_TEXT ? strcmp(row_text(row, key), row_text(other, column)) == 0
				       : row_number(row, key) == row_number(other, column);
}

/* The row whose key is the value of this column of wanted, which is known. */
static uint32_t find_row(const struct hash *index, const struct column *key, const void **rows,
			 const void *wanted, const struct column *column)
{
	uint32_t at;

	HASH_FIND(at, index, hash_value(wanted, column), is_same(rows[at], key, wanted, column));
	return at;
}

/* Of rows with the same key the last counts. */
static void index_rows(struct hash *index, const struct column *key, const void **rows, size_t n_rows)
{
	hash_clear(index);
	hash_reserve(index, n_rows);
	for (size_t i = n_rows; i-- > 0;)
		if (row_is_known(rows[i], key) && find_row(index, key, rows, rows[i], key) == HASH_NONE)
			hash_add(index, hash_value(rows[i], key), (uint32_t)i);
}

static void link_rows(struct links *links, const struct hash *index, const struct column *key,
		      const struct column *parent, const void **rows, size_t n_rows)
{
	for (uint32_t i = 0; i < n_rows; i++) {
		uint32_t above =
			row_is_known(rows[i], parent) ? find_row(index, key, rows, rows[i], parent) : NO_ROW;

		if (above == NO_ROW || above == i)
			continue;
		links->parent[i] = above;
		if (links->first[above] == NO_ROW)
			links->first[above] = i;
		else
			links->next[links->last[above]] = i;
		links->last[above] = i;
	}
}

/* Places row and everything below it; returns the position after them. Placed rows leave the links. */
static size_t place(struct tree *tree, struct links *links, const void **rows, uint32_t row, size_t at)
{
	uint32_t top = row;
	unsigned depth = 0;

	for (;;) {
		if (tree->before[row]) {
			rows[at] = tree->before[row];
			tree->before[row] = NULL;
			tree->depths[at++] = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX);
		}
		if (links->first[row] != NO_ROW) {
			uint32_t child = links->first[row];

			links->first[row] = links->next[child];
			if (!tree->before[child])
				continue;
			row = child;
			depth++;
		} else if (row == top) {
			return at;
		} else {
			row = links->parent[row];
			depth--;
		}
	}
}

/*
 * Orders rows so that children follow their parents; siblings keep their order. key and parent are two
 * columns of numbers, or of texts. Rows that are their own ancestors, as in a damaged recording, are kept,
 * too.
 */
static void order_tree(struct tree *tree, const struct column *key, const struct column *parent,
		       const void **rows, size_t n_rows)
{
	uint32_t *scratch;
	struct links links;
	size_t at = 0;

	grow_tree(tree, n_rows);
	if (n_rows == 0)
		return;
	scratch = memset(tree->scratch, 0xff, 4 * n_rows * sizeof(*scratch));
	links = (struct links){ scratch, scratch + n_rows, scratch + 2 * n_rows, scratch + 3 * n_rows };
	memcpy(tree->before, rows, n_rows * sizeof(*rows));
	index_rows(&tree->index, key, rows, n_rows);
	link_rows(&links, &tree->index, key, parent, rows, n_rows);
	for (uint32_t i = 0; i < n_rows; i++)
		if (links.parent[i] == NO_ROW)
			at = place(tree, &links, rows, i, at);
	for (uint32_t i = 0; i < n_rows && at < n_rows; i++)
		if (tree->before[i])
			at = place(tree, &links, rows, i, at);
}

static size_t place_in(const struct row_set *set, uint64_t key_hash)
{
	size_t i = 0;

	while (i < set->n && set->list[i] != key_hash)
		i++;
	return i;
}

static bool has_row(const struct row_set *set, const struct schema *schema, const void *row)
{
	return set->n > 0 && place_in(set, row_hash_key(schema, row)) < set->n;
}

/* False: it was so already. */
static bool put_row(struct row_set *set, uint64_t key_hash, bool in)
{
	size_t at = place_in(set, key_hash);

	if (in == (at < set->n))
		return false;
	if (in)
		*VECTOR_ADD(set->list, set->n, set->capacity) = key_hash;
	else
		set->list[at] = set->list[--set->n];
	return true;
}

bool tree_set_fold(struct tree *tree, uint64_t key_hash, bool folded)
{
	bool is_changed = put_row(&tree->folds, key_hash, folded != tree->all_folded);

	if (folded)
		put_row(&tree->opened, key_hash, false);
	else if (!is_changed && tree->least > 0)
		is_changed = put_row(&tree->opened, key_hash, true);
	return is_changed;
}

void tree_fold_all(struct tree *tree, bool folded)
{
	tree->all_folded = folded;
	tree->all_opened = !folded;
	tree->folds.n = tree->opened.n = 0;
}

/* From the last row up: a row has a later sibling if one was met since the last row above it in the tree. */
static void find_lines(struct tree *tree, size_t n_rows)
{
	uint64_t met = 0;

	for (size_t i = n_rows; i-- > 0;) {
		unsigned depth = tree->depths[i];

		if (depth >= TREE_LINES_MAX - 1) {
			tree->more[i] = met;
			continue;
		}
		met &= (UINT64_C(2) << depth) - 1;
		tree->more[i] = met;
		met |= UINT64_C(1) << depth;
	}
}

/* It is worth no line of its own; above: that of its parent. */
static bool is_little(const struct tree *tree, const struct schema *schema, const void *row,
		      const void *above)
{
	return row_number(row, &schema->columns[tree->least_column]) < tree->least &&
	       !has_row(&tree->opened, schema, above);
}

/*
 * Removes the rows below folded ones, and those with little, and finds the lines; returns how many remain.
 * All that a filter with a pattern has found is shown.
 */
static size_t fold_tree(struct tree *tree, const struct schema *schema, const void **rows, size_t n_rows,
			bool is_found)
{
	bool folds_little = tree->least > 0 && !tree->all_opened && !is_found;
	uint32_t *last = tree->scratch; /* row that remains, by depth */
	size_t kept = 0;

	for (size_t i = 0; i < n_rows;) {
		uint16_t depth = tree->depths[i];
		uint32_t into = depth > 0 ? last[depth - 1] : 0;
		bool folded = folds_little && depth > 0 && is_little(tree, schema, rows[i], rows[into]);

		if (!folded) {
			folded = has_row(&tree->folds, schema, rows[i]) != tree->all_folded;
			into = last[depth] = (uint32_t)kept++;
			rows[into] = rows[i++];
			tree->depths[into] = depth;
			tree->n_folded[into] = 0;
		} else {
			tree->n_folded[into]++;
			i++;
		}
		for (; folded && i < n_rows && tree->depths[i] > depth; i++)
			tree->n_folded[into]++;
	}
	find_lines(tree, kept);
	return kept;
}

void view_open(struct view *view, const struct schema *schema)
{
	*view = (struct view){
		.schema = schema, .sort = VIEW_AS_SAMPLED, .limit = VIEW_ALL_ROWS, .tree_key = -1
	};
	view->filter.threshold = NAN;
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
	free(view->room);
	free(view->log_cache.rows);
	free(view->tree.depths);
	free(view->tree.more);
	free(view->tree.n_folded);
	free(view->tree.folds.list);
	free(view->tree.opened.list);
	free(view->tree.scratch);
	free(view->tree.before);
	hash_free(&view->tree.index);
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
		int index = schema_match(view->schema, name);

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
	int index = *name ? schema_match(view->schema, span_text(name + ascending)) : VIEW_AS_SAMPLED;

	if (*name && index < 0)
		return -EINVAL;
	view->sort = index;
	view->descending = *name && !ascending;
	return 0;
}

void view_apply_defaults(struct view *view, const char *columns, const char *sort)
{
	const char *wrong = NULL;
	bool known = !columns || view_choose_columns(view, columns, &wrong) == 0;

	known &= !sort || view_choose_sort(view, sort) == 0;
	assert(known);
	(void)known;
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
	log_filter_cache_reset(&view->log_cache);
	if (view->filter.n_choices < VIEW_CHOICES_MAX)
		view->filter.choices[view->filter.n_choices++] = choice;
}

void view_choose_rows(struct view *view, const char *list, const char *number, const char *text)
{
	add_choice(view, (struct view_choice){ .list = list,
					       .number = column_of(view, number),
					       .text = column_of(view, text),
					       .other = -1 });
}

void view_choose_related(struct view *view, const char *list, const char *number, const char *other)
{
	add_choice(view, (struct view_choice){ .list = list,
					       .number = column_of(view, number),
					       .text = -1,
					       .other = column_of(view, other) });
}

bool schema_is_of_groups(const struct schema *schema)
{
	return schema_find(schema, "path") && schema_find(schema, "tasks");
}

/* Threads began later than their process, which alone is a member. */
void view_choose_scope(struct view *view, const struct scope *scope)
{
	struct view_filter *filter = &view->filter;

	log_filter_cache_reset(&view->log_cache);
	filter->scope_pid = column_of(view, "pid");
	filter->scope_start = schema_find(view->schema, "tid") ? -1 : column_of(view, "start_seconds");
	filter->scope_path = schema_is_of_groups(view->schema) ? column_of(view, "path") : -1;
	filter->scope =
		scope_is_set(scope) && (filter->scope_pid >= 0 || filter->scope_path >= 0) ? scope : NULL;
}

void view_choose_group(struct view *view, const char *key, const char *path, bool alone)
{
	view->filter.group = path;
	view->filter.group_column = column_of(view, key);
	view->filter.group_alone = alone;
}

bool view_is_scoped(const struct view *view)
{
	const struct view_filter *filter = &view->filter;

	return filter->scope && (filter->scope_pid >= 0 || scope_needs_groups(filter->scope));
}

void view_exclude(struct view *view, uint64_t excluded, const char *number)
{
	add_choice(view, (struct view_choice){ .number = schema_column(view->schema, number),
					       .excluded = excluded });
}

void view_set_threshold(struct view *view, const char *key, double threshold)
{
	struct view_filter *filter = &view->filter;

	log_filter_cache_reset(&view->log_cache);
	filter->threshold_column = schema_column(view->schema, key);
	filter->threshold = filter->threshold_column < 0 ? NAN : threshold;
}

void view_set_pattern(struct view *view, const regex_t *pattern)
{
	log_filter_cache_reset(&view->log_cache);
	view->filter.pattern = pattern;
}

void view_clear_choices(struct view *view)
{
	log_filter_cache_reset(&view->log_cache);
	view->filter.n_choices = 0;
	view->filter.threshold = NAN;
	view->filter.scope = NULL;
	view->filter.group = NULL;
}

void view_choose_tree(struct view *view, const char *key, const char *parent)
{
	view->tree_key = key ? schema_column(view->schema, key) : -1;
	view->tree_parent = key ? schema_column(view->schema, parent) : -1;
	if (view->tree_parent < 0)
		view->tree_key = -1;
}

void view_fold_less(struct view *view, const char *column, double least)
{
	view->tree.least = least;
	view->tree.least_column = (unsigned)schema_column(view->schema, column);
}

unsigned view_depth(const struct view *view, size_t index)
{
	return view->tree_key < 0 ? 0 : view->tree.depths[index];
}

size_t view_folded(const struct view *view, size_t index)
{
	return view->tree_key < 0 ? 0 : view->tree.n_folded[index];
}

bool view_shows_children(const struct view *view, size_t index)
{
	return index + 1 < view->n_rows && view_depth(view, index + 1) > view_depth(view, index);
}

bool view_has_children(const struct view *view, size_t index)
{
	return view_folded(view, index) > 0 || view_shows_children(view, index);
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

double view_cpus(const struct view *view, const struct frame *frame)
{
	const struct series *count = view->cpu_count;

	return count ? frame_number(frame, count->topic, count->row, count->column) : 0;
}

static unsigned long requested_bit(const struct column *column)
{
	return column->on_request ? 1UL << column->on_request : 0;
}

unsigned long view_requested_columns(const struct view *view)
{
	unsigned long columns = view->sort < 0 ? 0 : requested_bit(&view->schema->columns[view->sort]);

	for (unsigned i = 0; i < view->n_columns; i++)
		columns |= requested_bit(&view->schema->columns[view->columns[i]]);
	return columns;
}

unsigned long schema_requested_columns(const struct schema *schema, const char *keys)
{
	struct span rest = span_text(keys ? keys : ""), key;
	unsigned long columns = 0;

	while (span_item(&rest, &key)) {
		int index = schema_column_span(schema, key);

		assert(index >= 0);
		columns |= index < 0 ? 0 : requested_bit(&schema->columns[index]);
	}
	return columns;
}

bool view_has_rates(const struct view *view)
{
	const struct column *columns = view->schema->columns;

	if (view->schema->over_interval ||
	    (!isnan(view->filter.threshold) && columns[view->filter.threshold_column].kind == COLUMN_RATE) ||
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

/* Shares that are equal in the tenths of a percent that people see. */
static bool looks_same(const struct column *column, const void *one, const void *other)
{
	return column->unit == UNIT_RATIO && column->type == VALUE_F64 &&
	       rint(1000 * row_f64(one, column)) == rint(1000 * row_f64(other, column));
}

/* Is one above other? A total order: rows are in one array, so their addresses break ties. */
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
	order = known && !(view->as_seen && looks_same(column, one, other))
			? compare_known(column, one, other)
			: 0;
	if (order == 0)
		return one < other;
	return view->descending ? order > 0 : order < 0;
}

static void swap_rows(const void **rows, size_t one, size_t other)
{
	const void *row = rows[one];

	rows[one] = rows[other];
	rows[other] = row;
}

/* Restores the heap, whose root is the lowest row. */
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

/* Orders the highest keep rows at the front; the rest is unordered. */
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

static void make_room(struct view *view, size_t n_rows)
{
	if (view->capacity < n_rows) {
		view->capacity = n_rows;
		view->room = alloc_resize(view->room, view->capacity, sizeof(*view->room));
	}
	view->rows = view->room;
}

static void collect(struct view *view, const struct table *table)
{
	make_room(view, table->n_rows > view->capacity ? table->capacity : 0);
	view->n_rows = 0;
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (is_accepted(&view->filter, view->schema, row))
			view->rows[view->n_rows++] = row;
	}
}

static bool takes_log_order(struct view *view)
{
	bool same = view->log_sort == view->sort && view->log_descending == view->descending &&
		    view->log_limit == view->limit;

	view->log_sort = view->sort;
	view->log_descending = view->descending;
	view->log_limit = view->limit;
	return !same;
}

/* False when the result is still valid. */
static bool collect_log(struct view *view, const struct table *log)
{
	struct log_filter_cache *cache = &view->log_cache;
	bool other_rows = log_filter_cache_update(cache, &view->filter, log, &view->n_dropped);
	bool other_order = takes_log_order(view);

	view->of_log = true;
	if (!other_rows && !other_order)
		return false;
	view->n_rows = cache->n_rows;
	if (view->sort == VIEW_AS_SAMPLED && !view->descending && view->tree_key < 0 &&
	    view->limit >= cache->n_rows) { /* as they are: there are many of them */
		free(view->room);
		view->room = NULL;
		view->capacity = 0;
		view->rows = cache->rows;
		return true;
	}
	make_room(view, cache->capacity);
	if (cache->n_rows > 0)
		memcpy(view->rows, cache->rows, cache->n_rows * sizeof(*view->rows));
	return true;
}

void view_apply(struct view *view, const struct table *table)
{
	size_t keep;

	if (table->is_log) {
		if (!collect_log(view, table))
			return;
	} else {
		collect(view, table);
	}
	view->n_matching = view->n_rows;
	keep = view->limit < view->n_rows ? view->limit : view->n_rows;
	if (keep > 0 && (view->sort != VIEW_AS_SAMPLED || view->descending))
		sort_first(view, view->rows, view->n_rows, view->tree_key < 0 ? keep : view->n_rows);
	if (view->tree_key >= 0) {
		order_tree(&view->tree, &view->schema->columns[view->tree_key],
			   &view->schema->columns[view->tree_parent], view->rows, view->n_rows);
		view->n_rows = fold_tree(&view->tree, view->schema, view->rows, view->n_rows,
					 view->filter.pattern != NULL);
		keep = keep < view->n_rows ? keep : view->n_rows;
	}
	/* of an unsorted log the newest rows are shown, which are the last */
	if (view->of_log && view->sort == VIEW_AS_SAMPLED && !view->descending && keep < view->n_rows)
		memmove(view->rows, view->rows + view->n_rows - keep, keep * sizeof(*view->rows));
	view->n_rows = keep;
}

static void lead_with(struct view *view, unsigned column)
{
	unsigned at = 0;

	while (at < view->n_columns && view->columns[at] != column)
		at++;
	if (at == VIEW_COLUMNS_MAX)
		at--;
	view->n_columns += at == view->n_columns;
	memmove(view->columns + 1, view->columns, at * sizeof(view->columns[0]));
	view->columns[0] = column;
}

void view_lead_with(struct view *view, const char *key)
{
	int column = schema_column(view->schema, key);

	if (column >= 0)
		lead_with(view, (unsigned)column);
}

void view_show_difference(struct view *view)
{
	view->filter.threshold = NAN;
	view->cpu_count = NULL;
	lead_with(view, view->schema->n_columns - 1);
}

void view_hide_difference(struct view *view)
{
	unsigned change = view->schema->n_columns - 1, n = 0;

	for (unsigned i = 0; i < view->n_columns; i++)
		if (view->columns[i] != change)
			view->columns[n++] = view->columns[i];
	view->n_columns = n;
	if (view->sort == (int)change)
		view->sort = VIEW_AS_SAMPLED;
	if (n == 0) /* the user had chosen the mark alone */
		view->columns[view->n_columns++] = 0;
}

bool view_shows(const struct view *view, const struct column *column)
{
	bool shows = !column->optional;

	if (!shows && view->of_log)
		return view->log_cache.columns_with_values >> (column - view->schema->columns) & 1;
	for (size_t i = 0; i < view->n_rows && !shows; i++)
		shows = column_has_value(column, view->rows[i]);
	return shows;
}
