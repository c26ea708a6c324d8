/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A view of one table: its columns, rows and order. Used by the outputs and the screen. */
#ifndef PANETOP_MODEL_VIEW_H
#define PANETOP_MODEL_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "core/buffer.h"
#include "model/frame.h"
#include "model/log_filter_cache.h"
#include "model/tree.h"
#include "model/view_filter.h"

#define VIEW_COLUMNS_MAX 64
#define VIEW_ALL_ROWS SIZE_MAX
#define VIEW_AS_SAMPLED (-1) /* unsorted: the order of the kernel, or its reverse */

struct series;

struct view {
	const struct schema *schema;
	unsigned columns[VIEW_COLUMNS_MAX]; /* indices into the schema, in the order shown */
	unsigned n_columns;
	int sort;                           /* index of a column, or VIEW_AS_SAMPLED */
	bool descending;
	struct view_filter filter;          /* changed by the functions below */
	const struct series *cpu_count;     /* columns of_cpu are shares of this many CPUs; NULL: of one */
	size_t limit;                       /* rows at most; VIEW_ALL_ROWS: no limit */
	bool at_end;                        /* batch prints it in the last sample only */
	int tree_key, tree_parent;          /* columns by which rows follow their parents; -1: they do not */
	struct tree tree;
	bool as_seen;                       /* for people: shares that look the same are equal */
	bool of_log;                        /* it was applied to one; these are of a log alone: */
	struct log_filter_cache log_cache;
	size_t n_dropped;                   /* rows that the log dropped from the front of the last result */
	int log_sort;                       /* of the result as it stands … */
	bool log_descending;
	size_t log_limit;
	const void **rows;                  /* the result of view_apply(): room, or that of log_cache */
	size_t n_rows;
	const void **room;                  /* owned */
	size_t capacity;
	size_t n_matching;                  /* rows before the limit */
};

/* All columns that are not hidden, in the order of the schema, unsorted. */
void view_open(struct view *view, const struct schema *schema);
void view_close(struct view *view);
void view_choose_all(struct view *view); /* including hidden columns, for programs */

/* Shows this column first, whatever is chosen. */
void view_lead_with(struct view *view, const char *key);

/*
 * "key,key,…", as schema_match() takes them. 0; -EINVAL for an unknown or ambiguous name or an empty list,
 * -EEXIST for a name listed twice: *wrong is then the start of that name. Unchanged on failure.
 */
int view_choose_columns(struct view *view, const char *list, const char **wrong);

/* "key" or "+key" (ascending), "" for the order as sampled. 0 or -EINVAL. */
int view_choose_sort(struct view *view, const char *name);

/* Columns and sort chosen by a pane, all in the schema; NULL leaves them. */
void view_apply_defaults(struct view *view, const char *columns, const char *sort);

/*
 * forms: keys of columns that show the same thing in different ways, ended by NULL. Shows wanted instead of
 * the first one, unless it is shown already, and sorts by it if the view was sorted by one of them.
 */
void view_choose_form(struct view *view, const char *const *forms, const char *wanted);

/* Only rows whose number or text, in the columns with these keys (NULL: none), is on list (borrowed). */
void view_choose_rows(struct view *view, const char *list, const char *number, const char *text);

/* Only rows with one of these numbers in either of these columns. */
void view_choose_related(struct view *view, const char *list, const char *number, const char *other);

/* Is each row a control group, named by the column path? */
bool schema_is_of_groups(const struct schema *schema);

/* Only rows of processes in the scope (borrowed), if the rows are of processes. */
void view_choose_scope(struct view *view, const struct scope *scope);

/*
 * Only rows with this path of a control group in the column with this key, or unless alone one below it;
 * NULL: all. Borrowed.
 */
void view_choose_group(struct view *view, const char *key, const char *path, bool alone);

/* Are its rows only those of the scope? */
bool view_is_scoped(const struct view *view);

/* Excludes rows with this number in the column with this key. */
void view_exclude(struct view *view, uint64_t excluded, const char *number);

/* Only rows with at least this number in the column with this key; NaN: all. */
void view_set_threshold(struct view *view, const char *key, double threshold);

/* Only rows with a text that matches (borrowed); NULL: all. */
void view_set_pattern(struct view *view, const regex_t *pattern);

/* Removes all choices, the scope and the threshold. */
void view_clear_choices(struct view *view);

/* Rows follow their parents, which the column parent names by their key; NULL: no tree. */
void view_choose_tree(struct view *view, const char *key, const char *parent);

/* Depth of the row with this index in the tree; 0 without one. */
unsigned view_depth(const struct view *view, size_t index);

/* Is there a row below this one in the tree, shown or folded? */
bool view_has_children(const struct view *view, size_t index);

/* How many rows below this one are folded into it; 0 without a tree. */
size_t view_folded(const struct view *view, size_t index);

/* As view_choose_columns() and view_choose_sort() take them; replaces the text, which ends in a NUL. */
void view_write_columns(const struct view *view, struct buffer *out);
void view_write_sort(const struct view *view, struct buffer *out);

/* For struct value_format: the number of CPUs of which this view shows shares. */
double view_cpus(const struct view *view, const struct frame *frame);

/* Bits of the columns on request (column.on_request) that it shows or sorts by. */
unsigned long view_requested_columns(const struct view *view);

/* The same of a list of keys in the program's source; NULL: none. */
unsigned long schema_requested_columns(const struct schema *schema, const char *keys);

/* Does it show anything that takes two samples? */
bool view_has_rates(const struct view *view);

/*
 * Makes view->rows from the table: filtered, sorted (unknown values last, ties as sampled), limited. Of a log
 * only new rows are examined.
 */
void view_apply(struct view *view, const struct table *table);

/* Of a schema of differences: the mark of new and ended rows comes first, and no row is too small. */
void view_show_difference(struct view *view);

/* Before the schema is that of samples again. The choices of rows are to be made again, too. */
void view_hide_difference(struct view *view);

/* Is the column shown? An optional one only when some accepted row has a value there. */
bool view_shows(const struct view *view, const struct column *column);

#endif
