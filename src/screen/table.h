/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table on the screen: sort, filter, search, column choice, scrolling, and a cursor that keeps its row. */
#ifndef PANETOP_SCREEN_TABLE_H
#define PANETOP_SCREEN_TABLE_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/buffer.h"
#include "model/units.h"
#include "model/view.h"
#include "screen/canvas.h"
#include "screen/row_memory.h"

/* A column as last drawn, for the mouse and for drawing beside it. */
struct table_slot {
	unsigned column; /* position in view.columns */
	int x, width;
};

/* Position of cursor and rows of a widget. */
struct table_place {
	bool cursor_on;    /* a row is selected */
	bool stays;        /* it was moved up: it does not follow the end of a log */
	uint64_t key_hash; /* of the selected row's KEY columns */
	struct buffer key; /* their values, in case hashes are equal; owned */
	size_t row;        /* index of the selected row in view.rows */
	size_t top;        /* first row shown */
};

#define TABLE_GROWTHS 4 /* of a column that are remembered */

struct table_widget {
	struct view view;
	regex_t filter;
	bool has_filter;
	struct buffer filter_text;  /* NUL-terminated when has_filter */
	regex_t found;              /* what was searched for: marked while a row is selected */
	bool has_found;
	struct table_place place;
	struct buffer scratch;      /* the values of the KEY columns of a candidate for the selected row */
	unsigned column;            /* selected column: position in view.columns */
	int text_from;              /* the texts of the selected column begin at this cell */
	bool is_log;                /* new rows come at its end */
	unsigned added;             /* 1 + the column of the schema that the user added last, which is
				     * shown rather than others; 0: none */
	unsigned scroll;            /* the column after the first one; 0: the most important ones are shown */
	int page;                   /* rows that fitted in the last drawing */
	int heading_y, left, width; /* on the terminal, in the last drawing; heading_y -1: not drawn */
	uint64_t shown_ns;          /* time of the frame it is from */
	int widths[VIEW_COLUMNS_MAX]; /* of the schema's columns, in the last drawing */
	struct table_growth {       /* since when a column is so wide: the past has the widths of then */
		uint64_t since_ns;
		int cells;
	} growths[VIEW_COLUMNS_MAX][TABLE_GROWTHS]; /* the widest first; unused ones have no cells */
	enum size_unit widths_unit;
	double cpus;                /* see struct value_format */
	struct table_value {        /* of the rows on the page by the columns of the view; owned */
		const char *text;   /* number, or a text of the frame */
		int cells;
		char number[VALUE_TEXT_MAX];
	} *values;
	size_t n_values;            /* capacity */
	struct row_trends trends;   /* of the column that it is sorted by, or of the first with a trend */
	int trend_x;                /* in the last drawing; 0: not drawn */
	struct row_tags *tags;      /* of the pane; borrowed; NULL: its rows cannot be tagged */
	char absent[128];           /* shown if there is no table */
	const char *waits;          /* N_(): … if there are no rows yet; may be NULL */
	const struct findings *findings; /* borrowed: those of … */
	const struct frame *frame;       /* … the shown frame; NULL: none yet */
	enum style (*cell_style)(const struct findings *findings, const struct schema *schema,
				 const struct column *column, const void *row);
	const struct notice *notice; /* of the shown frame: why the table is empty; NULL: there
				     * is none */
	struct table_slot slots[VIEW_COLUMNS_MAX];
	unsigned n_slots;
};

void table_open(struct table_widget *widget, const struct schema *schema);
void table_forget_widths(struct table_widget *widget);
void table_close(struct table_widget *widget);

/* Filters, sorts and finds the selected row again; table may be NULL (not sampled yet). */
void table_update(struct table_widget *widget, const struct table *table);

/* For its trend alone: an earlier sample, before table_update() with the one that is drawn. */
void table_note_trend(struct table_widget *widget, const struct table *table);

/* Is it a log in order of time, with the newest row at the end? */
bool table_is_tail(const struct table_widget *widget);

/* Does it scroll with new rows of the log? */
bool table_follows_tail(const struct table_widget *widget);

/* Draws heading and rows of the last table_update(). unit is the user's choice. */
void table_draw(struct table_widget *widget, const struct canvas *canvas, const struct table *table,
		enum size_unit unit);

/* Lines for heading and all rows. */
int table_height(const struct table_widget *widget);

/* Without a value in its first KEY column it stands for what is gone: drawn dim, and not counted. */
bool table_row_is_gone(const struct schema *schema, const void *row);

/* Handles a key or mouse event for a table; false for any other. */
struct input;
bool table_key(struct table_widget *widget, const struct input *input);

/* Moves to the next row with a text that matches needle (case as in filters); false when there is none. */
bool table_search(struct table_widget *widget, const char *needle, bool from_next);

/* No row is selected, and the first rows are shown; a log stays where it is. */
void table_deselect(struct table_widget *widget);

/* Copies the position, to restore it later. */
void table_place_copy(struct table_place *place, const struct table_place *other);

/* An empty pattern removes the filter. 0, or an error of regcomp(3): the old filter stays. */
int table_set_filter(struct table_widget *widget, const char *pattern);

/* A column that is not drawn, but for which the filter accepts a row of the page; NULL: none. */
const struct column *table_hidden_match(const struct table_widget *widget);

/* Sorts by the next column to the right (step 1) or left (step -1); reverses the order. */
bool table_sort_step(struct table_widget *widget, int step);             /* false: there is none */
void table_sort_by_column(struct table_widget *widget, unsigned column); /* of the schema; again: reverses */
void table_sort_reverse(struct table_widget *widget);

/* Cells of the longest heading of its schema, for lists of columns. */
int table_title_cells(const struct table_widget *widget);

/* Was this column of the schema in the last drawing? */
bool table_draws(const struct table_widget *widget, unsigned column);

/*
 * Folds the selected row of a tree, or the one above it if nothing below is shown; or unfolds it. The next
 * table_update() shows it. False: there is nothing to do.
 */
bool table_fold(struct table_widget *widget, bool folded);

/* Folds the whole tree, or unfolds it if anything is folded; returns whether it is folded then. */
bool table_fold_all(struct table_widget *widget);

/* The number in this KEY column of the selected row; NaN when none is selected. */
double table_selected(const struct table_widget *widget, const char *key_column);

/* The same of a text; NULL when none is selected. The widget's, until another row is selected. */
const char *table_selected_text(const struct table_widget *widget, const char *key_column);

/* If no row is selected, selects the first visible one, or the last one of a log that is followed. */
void table_select(struct table_widget *widget);

/* Selects this row of the table, if the view has it. */
void table_select_row(struct table_widget *widget, const void *row);

/* The row and column under the cursor, or the first number of the first row; NULL: none. */
const void *table_cell(const struct table_widget *widget, const struct column **column);

#endif
