/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the pages pane. */
#ifndef PANETOP_PANE_PAGES_PAGES_H
#define PANETOP_PANE_PAGES_PAGES_H

#include "screen/context.h"

enum pages_table {
	PAGES_TABLE_TOTAL,
	PAGES_TABLE_REGION,
	PAGES_TABLE_CELL,
	PAGES_TABLE_LEVEL,
	PAGES_TABLE_PAGE,
	PAGES_TABLE_BYTES,
	PAGES_TABLE_EVENT,
	PAGES_TABLE_LIST,
	PAGES_TABLE_TOUCHED,
	PAGES_TABLE_DAMON,
};

/* In stacking order. */
enum pages_series {
	PAGES_SERIES_ANONYMOUS,
	PAGES_SERIES_FILE,
	PAGES_SERIES_SWAPPED,
	PAGES_SERIES_PEAK,
	N_PAGES_SERIES,
};

enum pages_view {
	PAGES_VIEW_MAP,
	PAGES_VIEW_REGIONS,
	PAGES_VIEW_PAGE,
	PAGES_VIEW_VALUES,
	PAGES_VIEW_HISTORY,
	PAGES_VIEW_TOUCHED,
	PAGES_VIEW_EVENTS,
	PAGES_VIEW_LIST,
};

/* A row of the table cell; U64_UNKNOWN: unknown. */
struct map_cell {
	uint64_t start, end;
	uint64_t pages, present, swapped, file, soft_dirty, huge, zero, ksm;
	uint64_t hole; /* unmapped bytes before it */
	bool changed;  /* since the previous sample */
	int y, x;      /* its position in cells of the map; y < 0: not visible */
};

/* The map at a moment that the user marked. */
struct map_mark {
	bool set;
	uint64_t wall_ns;
	struct map_cell *cells; /* owned */
	size_t n_cells;
};

struct pages_state {
	struct map_cell *cells; /* of the shown frame; owned */
	size_t n_cells, cell_capacity;
	const struct table *loaded; /* they were read from it … */
	uint64_t loaded_ns;         /* … in the frame of this time */
	uint64_t loaded_rows;
	size_t first;              /* index of the first cell on the screen */
	uint64_t cell_pages;       /* of a whole cell */
	uint64_t top, cursor;      /* addresses: of the first cell, and in the one that is selected */
	uint64_t zoom;             /* pages of a cell; 0: all fits */
	bool keep_fit;             /* all fits once: then the zoom stays */
	bool settle;               /* different cells than in the previous sample: no changes are known */
	unsigned n_following;      /* samples that a key may still request, as cells decide what is read */
	int map_height, map_width; /* as it is drawn, without the addresses */
	int map_top, map_left;     /* … and its position on the terminal, for the mouse */
	bool placed;               /* that is known */
	bool hole_sizes;           /* there is room for the sizes of holes */
	struct map_mark mark;
	char forced[64];          /* the process whose pages are being forced in, for the message */
	uint64_t page_bytes;      /* of every page */
	int scroll, page_lines;   /* of the bytes of a page, and of the values */
	uint64_t events_since_ns; /* wall clock of the first sample with page events; 0: none */
	char *last_bytes;         /* of the previous sample, as hexadecimal digits; owned */
	size_t last_length;
	uint64_t last_page;
	bool *changed_bytes; /* owned; a flag for each byte of the page */
	size_t n_changed;
};

/* pages.c */
bool pages_has_process(const struct pane_context *context);

/* Why no process is selected, and how to select one; NULL: one is. */
const char *pages_no_process(const struct pane_context *context);

/* The number in the row of the process; NaN: unknown. */
double pages_total(const struct pane_context *context, const char *column);

/* Sets the position of the map: is it new, or another width? A message above it changes its height. */
bool map_layout(struct pages_state *pages, const struct canvas *cells);
char *map_cell_text(const struct pages_state *pages, char *out, size_t room); /* "1 cell = 64.0K" */
uint64_t map_page(const struct pages_state *pages);                  /* address of the page with the cursor */
size_t map_selected(const struct pages_state *pages);                /* index of the cell with the cursor */
uint64_t map_hole(const struct pages_state *pages, size_t index);    /* bytes before this cell; 0: none */
int map_hole_cells(const struct pages_state *pages, uint64_t bytes); /* cells of the mark of a hole */
char *map_hole_text(const struct pages_state *pages, char *out, uint64_t bytes, bool ascii);

/* The same cell at the mark, looked for from *next on; NULL: there was none. */
const struct map_cell *map_marked(const struct map_mark *mark, const struct map_cell *cell, size_t *next);

/* After another zoom most cells are others than at the mark. */
bool map_mark_fits(const struct pages_state *pages);

/* Updates the cells of the sample request; others are sampled now. */
void map_want(struct pane_context *context);

/* The region at an address, in the shown frame; NULL when there is none. */
const void *map_region(const struct pane_context *context, uint64_t address);

/* pages_draw.c */
void pages_layout(struct pane_context *context, const struct canvas *canvas);
void pages_draw(const struct pane_context *context, struct canvas *canvas);
void pages_heading(const struct pane_context *context, char *text, size_t room);
void pages_why(const struct pane_context *context, struct buffer *out);
void pages_note_bytes(struct pages_state *pages, const struct frame *frame);

/* pages_touched.c: what the process used in a window */
/* The row of the sum; NULL: none was measured. */
const void *pages_touched_sum(const struct pane_context *context, const struct table **table);
void pages_draw_touched(const struct pane_context *context, const struct canvas *canvas);
void pages_touch_once(struct pane_context *context);  /* after a question, as the next one */
void pages_touch_again(struct pane_context *context); /* one window after the other */
void pages_touch_stop(struct pane_context *context);
void pages_touch_window(struct pane_context *context); /* asks how long it is */

const char *pages_process_text(const struct pane_context *context, char *out, size_t room); /* "812 nginx" */

#endif
