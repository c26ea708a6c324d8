/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A view of one table: its columns, rows and order. Used by the outputs and the screen. */
#ifndef PANETOP_MODEL_VIEW_H
#define PANETOP_MODEL_VIEW_H

#include <regex.h>

#include "core/buffer.h"
#include "core/hash.h"
#include "model/frame.h"
#include "model/scope.h"

/*
 * A row is wanted when its number or its text is in a comma-separated list. A negative index: no such column.
 */
struct view_choice {
	const char *list; /* borrowed; NULL: rows whose number is excluded do not pass */
	int number, text; /* indices of columns */
	int other;        /* a second number that may be in the list */
	uint64_t excluded;
};

#define VIEW_CHOICES_MAX 4

struct view_filter {
	const regex_t *pattern; /* borrowed; NULL: every row */
	const char *digits; /* borrowed; if it is a number, PIDs that begin with it pass, too; NULL: none */
	struct view_choice choices[VIEW_CHOICES_MAX];
	unsigned n_choices;
	int threshold_column; /* rows whose number here is below threshold or unknown are excluded */
	double threshold;     /* NaN: none */
	const struct scope *scope;  /* borrowed; NULL: rows of all processes */
	int scope_pid, scope_start; /* indices of columns; start -1: none, pid: rows without one pass */
	int scope_path;             /* in place of scope_pid, of tables of control groups; -1: none */
	const char *group;    /* borrowed: path of a control group that processes are in; NULL: any … */
	int group_column;     /* … of those of the rows, by index */
	bool group_alone;     /* not those in groups below it */
	const void *pinned;   /* borrowed: the threshold does not exclude this row; NULL: none */
};

/* Is the row of what the scope is about? */
bool view_filter_scopes(const struct view_filter *filter, const struct schema *schema, const void *row);

/* Extended regular expression; case matters only if it contains a capital. 0 or an error of regcomp(3). */
int pattern_compile(regex_t *pattern, const char *text);

/* Is the text a number with which the PID of the row begins? */
bool pid_begins_with(const char *text, const struct schema *schema, const void *row);

/* Does any text column of the row match? */
bool pattern_matches(const regex_t *pattern, const struct schema *schema, const void *row);

/* The rows of a log that a filter accepted, so that each row is examined only once. */
struct log_filter_cache {
	const void **rows; /* accepted, as sampled; owned */
	size_t n_rows, capacity;
	uint64_t n_examined; /* rows of the log, including those it has dropped */
	uint64_t n_dropped;  /* as struct table's at the last update */
	unsigned epoch;      /* likewise */
	uint64_t columns_with_values; /* bit per optional column: some accepted row has a value there */
	bool changed; /* since the last update */
};

#define TREE_LINES_MAX 64 /* depths with lines */

/* Rows by the hashes of their KEY columns. */
struct row_set {
	uint64_t *list;
	size_t n, capacity;
};

/* Rows as a tree: each row after the one that its parent column names. All zero is ready to use. */
struct tree {
	uint16_t *depths;    /* of the rows as last ordered: 0 if the parent is not among them */
	uint64_t *more;      /* bit d: a sibling of the row, or of its ancestor at depth d, follows */
	uint32_t *n_folded;  /* rows below this one that are not shown; 0: all are */
	struct row_set folds; /* the folded rows; owned, as all of this */
	bool all_folded;      /* … those that are not */
	double least;         /* rows with less in this column are shown only below … */
	unsigned least_column;
	struct row_set opened; /* … one of these */
	bool all_opened;
	uint32_t *scratch;
	const void **before;
	struct hash index; /* of rows by key */
	size_t capacity;
};

/*
 * Folds a row with this hash of its KEY columns, or unfolds it, at first without rows that have less than is
 * worth a line: effective from the next view_apply() on. False: it was so already.
 */
bool tree_set_fold(struct tree *tree, uint64_t key_hash, bool folded);

/* The same of all rows, also those that are to come. */
void tree_fold_all(struct tree *tree, bool folded);

#define VIEW_COLUMNS_MAX 72
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

/* Does its filter let this row through? */
bool view_accepts(const struct view *view, const void *row);

/* Only rows with at least this number in the column with this key; NaN: all. */
void view_set_threshold(struct view *view, const char *key, double threshold);

/* Only rows with a text that matches (borrowed); NULL: all. */
void view_set_pattern(struct view *view, const regex_t *pattern);

/* Removes all choices, the scope and the threshold. */
void view_clear_choices(struct view *view);

/* Rows follow their parents, which the column parent names by their key; NULL: no tree. */
void view_choose_tree(struct view *view, const char *key, const char *parent);

/* In a tree, rows with less than this in the column are folded into their parents. */
void view_fold_less(struct view *view, const char *column, double least);

/* Depth of the row with this index in the tree; 0 without one. */
unsigned view_depth(const struct view *view, size_t index);

/* Is there a row below this one in the tree, shown or folded? */
bool view_has_children(const struct view *view, size_t index);

/* Is one shown? */
bool view_shows_children(const struct view *view, size_t index);

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
