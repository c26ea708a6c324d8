/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A view of one table: which columns, which rows, in which order. Shared by the sinks and the screen. */
#ifndef PANETOP_MODEL_VIEW_H
#define PANETOP_MODEL_VIEW_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/buffer.h"
#include "model/frame.h"
#include "model/row_positions.h"
#include "model/tree.h"

#define VIEW_COLUMNS_MAX 64
#define VIEW_AS_SAMPLED (-1) /* no sorting: the order of the kernel, or its reverse */

/*
 * A row is wanted when its number or its text is on a list with commas, or its process as --pid means it; a
 * negative index is not looked at.
 */
struct view_choice {
	const char *list; /* borrowed */
	int number, text; /* indices of columns: of a process its pid and name … */
	int program;      /* … and the first word of its command line */
	bool of_processes;
	bool except;      /* it is wanted when it is not on the list */
};

#define VIEW_CHOICES_MAX 4

/* Of a log: its rows that were found to be wanted, so that no row is looked at twice. */
struct view_memory {
	bool of_log;       /* it was applied to one */
	bool stale;        /* the result is not of these rows */
	const void **rows; /* as sampled; owned */
	size_t n_rows, capacity;
	uint64_t n_decided; /* rows of the log that were looked at, those that are gone too */
	uint64_t gone;      /* as struct table's, when it was looked at last */
	unsigned version;   /* likewise */
	uint64_t known;     /* bit per optional column: some row that was wanted had a value there */
	int sort;           /* of the result as it stands … */
	bool descending;
	size_t limit;
};

struct view {
	const struct schema *schema;
	unsigned columns[VIEW_COLUMNS_MAX]; /* indices into the schema, in the order shown */
	unsigned n_columns;
	int sort;                           /* index of a column, or VIEW_AS_SAMPLED */
	bool descending;
	const regex_t *filter;              /* borrowed; NULL: every row */
	struct view_choice choices[VIEW_CHOICES_MAX];
	unsigned n_choices;
	int least_column; /* rows whose number here is below least, or not known, are left out */
	double least;                       /* … unless this is NaN */
	const void *kept; /* borrowed: a row that this does not leave out; NULL: none */
	size_t limit;                       /* at most so many rows; 0: all */
	bool at_end;                        /* batch prints it in the last sample alone */
	int tree_key, tree_parent; /* columns by which rows are put behind their parents; -1: they are not */
	struct tree tree;
	/*
	 * For people: rows whose shares look the same keep the places that they had, so that the screen is at
	 * rest; no order that can be seen to be wrong comes of it. Else the order is that of the numbers.
	 */
	bool steady;
	struct places places;               /* of the rows when it was applied last */
	uint32_t *before;                   /* by index of the row in the table: where it stood */
	const struct table *table;          /* borrowed, while it is applied */
	struct view_memory memory;
	size_t n_lost; /* of a log: rows at the front of the result before that it has no longer */
	const void **rows;                  /* the result of view_apply(); owned */
	size_t n_rows, capacity;
	size_t n_matching;                  /* rows before the limit */
};

/* All columns that are not hidden, in the order of the schema, unsorted. */
void view_open(struct view *view, const struct schema *schema);
void view_close(struct view *view);
void view_choose_all(struct view *view); /* hidden columns too, as machines want them */

/*
 * "key,key,…". 0; -EINVAL for a name that the schema lacks or for an empty list, -EEXIST for a name that
 * stands there twice: *wrong is then where that name starts. Untouched on failure.
 */
int view_choose_columns(struct view *view, const char *list, const char **wrong);

/* "key" or "+key" (ascending), "" for the order as sampled. 0 or -EINVAL. */
int view_choose_sort(struct view *view, const char *name);

/* Columns and sort that a program chose, which the schema has; NULL leaves them. */
void view_dress(struct view *view, const char *columns, const char *sort);

/*
 * Of columns that tell the same in other forms, whose keys end with NULL: shows wanted in place of the first
 * one, unless it is shown already, and sorts by it where the order was by one of them.
 */
void view_choose_form(struct view *view, const char *const *forms, const char *wanted);

/* Only rows whose number or text, in the columns with these keys (NULL: none), is on list (borrowed). */
void view_choose_rows(struct view *view, const char *list, const char *number, const char *text);

/* Only rows of processes on list (borrowed), known by the columns with these keys: see listed_process(). */
void view_choose_processes(struct view *view, const char *list, const char *pid, const char *name,
			   const char *program);

/* Only rows whose number in this column is not on list (borrowed). */
void view_leave_out(struct view *view, const char *list, const char *number);

/* Only rows with at least so much in the column with this key; NaN: all. */
void view_choose_least(struct view *view, const char *key, double least);

/* Rows behind their parents, which the column parent names by their key; NULL: no tree. */
void view_choose_tree(struct view *view, const char *key, const char *parent);

/* How deep the row with this index stands in the tree; 0 without one. */
unsigned view_depth(const struct view *view, size_t index);

/* As view_choose_columns() and view_choose_sort() take them; replaces the text, which ends in a NUL. */
void view_write_columns(const struct view *view, struct buffer *out);
void view_write_sort(const struct view *view, struct buffer *out);

/* Does it show what takes two samples to know? */
bool view_has_rates(const struct view *view);

/*
 * Makes view->rows from the table: filtered, sorted (unknown values last, ties as sampled), limited. Of a log
 * only new rows are looked at: view_forget() says that filter or choices have changed.
 */
void view_apply(struct view *view, const struct table *table);

void view_forget(struct view *view);

/* Is it left by choices, least number and filter? */
bool view_wants(const struct view *view, const void *row);

/* Is the column shown? One that is optional only when some row that was chosen has something in it. */
bool view_shows(const struct view *view, const struct column *column);

/* Extended regular expression; case counts only if it holds a capital. 0 or an error of regcomp(3). */
int filter_compile(regex_t *filter, const char *pattern);

/* Does some text column of the row match? */
bool filter_matches(const regex_t *filter, const struct schema *schema, const void *row);

#endif
