/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The map of the pages pane: its cells, their positions, the cursor, and the request for them. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "model/units.h"
#include "pane/pages/pages.h"
#include "screen/keys.h"

#define CELLS_MIN 16
#define FOLLOWING 2 /* samples after that of a key: of the page under the cursor, and once all of it fits */
#define ZOOM_MAX (UINT64_C(1) << 40)

/* Also while differences are shown in its place. */
static const struct table *of_frame(const struct pane_context *context, unsigned index)
{
	return context->frame ? frame_table(context->frame, context->pane->tables[index].topic) : NULL;
}

static bool moved(const struct table *table, const void *row, const char *key)
{
	double change = table_number(table, row, key);

	return change > 0 || change < 0;
}

static void read_cell(struct map_cell *cell, const struct table *table, const void *row)
{
	*cell = (struct map_cell){
		.start = table_u64(table, row, "start_address"),
		.end = table_u64(table, row, "end_address"),
		.pages = table_u64(table, row, "pages"),
		.present = table_u64(table, row, "present"),
		.swapped = table_u64(table, row, "swapped"),
		.file = table_u64(table, row, "file"),
		.soft_dirty = table_u64(table, row, "soft_dirty"),
		.huge = table_u64(table, row, "huge"),
		.zero = table_u64(table, row, "zero"),
		.ksm = table_u64(table, row, "ksm"),
		.hole = table_u64(table, row, "hole_bytes"),
		.changed = moved(table, row, "present_per_second") ||
			   moved(table, row, "swapped_per_second") || moved(table, row, "file_per_second") ||
			   moved(table, row, "soft_dirty_per_second"),
	};
}

/* The first cell on the screen; near the end the last ones fill it. */
static void find_first(struct pages_state *pages)
{
	size_t capacity = (size_t)pages->map_height * (size_t)pages->map_width;

	pages->first = 0;
	if (pages->n_cells <= capacity)
		return;
	while (pages->first + 1 < pages->n_cells && pages->cells[pages->first].end <= pages->top)
		pages->first++;
	if (pages->n_cells - pages->first < capacity)
		pages->first = pages->n_cells > capacity ? pages->n_cells - capacity : 0;
}

/* sets their positions, from first on */
static void map_place(struct pages_state *pages)
{
	size_t n_holes = 0; /* few enough to show their sizes in the map? */
	int y = 0, x = 0;

	if (pages->first >= pages->n_cells)
		pages->first = 0;
	for (size_t i = pages->first + 1; i < pages->n_cells; i++)
		n_holes += map_hole(pages, i) > 0;
	pages->hole_sizes = n_holes * 8 * 4 <= (size_t)pages->map_height * (size_t)pages->map_width;
	for (size_t i = 0; i < pages->n_cells; i++) {
		struct map_cell *cell = &pages->cells[i];
		uint64_t hole = i > pages->first ? map_hole(pages, i) : 0;

		cell->y = -1;
		if (i < pages->first)
			continue;
		if (hole > 0)
			x += map_hole_cells(pages, hole);
		if (x >= pages->map_width) {
			y++;
			x = 0;
		}
		if (y >= pages->map_height)
			continue;
		cell->y = y;
		cell->x = x++;
	}
}

bool map_load(struct pane_context *context)
{
	struct pages_state *pages = context_state(context);
	const struct table *table = of_frame(context, PAGES_TABLE_CELL);
	size_t n_rows = table ? table->n_rows : 0;

	if (table == pages->loaded && table && context->frame->mono_ns == pages->loaded_ns &&
	    n_rows == pages->loaded_rows)
		return false;
	if (n_rows > pages->cell_capacity) {
		pages->cell_capacity = n_rows;
		pages->cells = alloc_resize(pages->cells, n_rows, sizeof(*pages->cells));
	}
	for (size_t i = 0; i < n_rows; i++)
		read_cell(&pages->cells[i], table, table_row(table, i));
	pages->n_cells = n_rows;
	pages->loaded_rows = n_rows;
	pages->cell_pages = n_rows > 0 ? table_u64(table, table_row(table, 0), "cell_pages") : 0;
	if (pages->cell_pages == 0 || pages->cell_pages == U64_UNKNOWN)
		pages->cell_pages = 1;
	pages->loaded = table;
	pages->loaded_ns = context->frame ? context->frame->mono_ns : 0;
	find_first(pages);
	return true;
}

uint64_t map_hole(const struct pages_state *pages, size_t index)
{
	return pages->cells[index].hole != U64_UNKNOWN ? pages->cells[index].hole : 0;
}

char *map_hole_text(const struct pages_state *pages, char *out, uint64_t bytes, bool ascii)
{
	char size[VALUE_TEXT_MAX];

	if (pages->hole_sizes)
		snprintf(out, VALUE_TEXT_MAX, "~%s~", size_short(size, (double)bytes));
	else
		snprintf(out, VALUE_TEXT_MAX, "%s", ascii ? "|" : "╎");
	return out;
}

int map_hole_cells(const struct pages_state *pages, uint64_t bytes)
{
	char text[VALUE_TEXT_MAX];

	return pages->hole_sizes ? (int)strlen(map_hole_text(pages, text, bytes, true)) : 1;
}

bool map_layout(struct pages_state *pages, const struct canvas *cells)
{
	bool same = pages->placed && pages->map_width == cells->width;

	pages->map_height = cells->height;
	pages->map_width = cells->width > 0 ? cells->width : 1;
	pages->map_top = cells->top;
	pages->map_left = cells->left;
	pages->placed = true;
	map_place(pages);
	return !same;
}

uint64_t map_page(const struct pages_state *pages)
{
	return pages->cursor - pages->cursor % pages->page_bytes;
}

size_t map_selected(const struct pages_state *pages)
{
	size_t at;

	VECTOR_BOUND(at, pages->n_cells, pages->cells[at].end <= pages->cursor);
	return at < pages->n_cells ? at : pages->n_cells > 0 ? pages->n_cells - 1 : 0;
}

const void *map_region(const struct pane_context *context, uint64_t address)
{
	const struct table *table = of_frame(context, PAGES_TABLE_REGION);

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (table_u64(table, row, "start_address") <= address &&
		    address < table_u64(table, row, "end_address"))
			return row;
	}
	return NULL;
}

static size_t count_holes(const struct pane_context *context)
{
	const struct table *table = of_frame(context, PAGES_TABLE_REGION);
	uint64_t end = 0;
	size_t n_holes = 0;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		n_holes += i > 0 && table_u64(table, table_row(table, i), "start_address") > end;
		end = table_u64(table, table_row(table, i), "end_address");
	}
	return n_holes;
}

/* Cells that fit in the map, without those for the marks of holes when all fits. */
static size_t room(const struct pane_context *context)
{
	const struct pages_state *pages = context->state;
	size_t all = (size_t)pages->map_height * (size_t)pages->map_width, holes = count_holes(context);

	if (pages->zoom == 0)
		holes *= holes * 8 * 4 <= all ? 8 : 1;
	else
		holes = 0;
	return holes + CELLS_MIN < all ? all - holes : CELLS_MIN;
}

bool map_ask(struct pane_context *context)
{
	struct pages_state *pages = context_state(context);
	struct sample_request *request = context_request(context);
	size_t cells = room(context), before = pages->zoom ? cells : 0,
	       most = pages->zoom ? 2 * cells : cells;
	uint64_t anchor = pages->zoom ? pages->top : 0;

	if (!pages->placed)
		return false;
	if (request->cells.cell_pages == pages->zoom && request->cells.anchor == anchor &&
	    request->cells.before == before && request->cells.most == most)
		return false;
	request->cells.cell_pages = pages->zoom;
	request->cells.anchor = anchor;
	request->cells.before = before;
	request->cells.most = most;
	pages->settle = true;
	return true;
}

void map_want(struct pane_context *context)
{
	struct pages_state *pages = context_state(context);

	if (!map_ask(context))
		return;
	pages->n_following = FOLLOWING;
	screen_sample_now(context);
}

char *map_cell_text(const struct pages_state *pages, char *out, size_t room)
{
	char size[VALUE_TEXT_MAX];

	size_short(size, (double)pages->cell_pages * (double)pages->page_bytes);
	snprintf(out, room, pages->cell_pages == 1 ? _("1 cell = 1 page, %s") : _("1 cell = %s"), size);
	return out;
}

static void zoom_to(struct pane_context *context, uint64_t pages_of_cell)
{
	struct pages_state *pages = context_state(context);

	pages->zoom = pages_of_cell < 1 ? 1 : pages_of_cell > ZOOM_MAX ? ZOOM_MAX : pages_of_cell;
	pages->top = pages->cursor;
	pages->keep_fit = false;
	map_want(context);
}

static uint64_t present_zoom(struct pane_context *context)
{
	struct pages_state *pages = context_state(context);

	map_load(context);
	return pages->zoom > 0 ? pages->zoom : pages->cell_pages;
}

void map_zoom_in(struct pane_context *context)
{
	uint64_t zoom = present_zoom(context), power = 1;

	while (power * 2 < zoom)
		power *= 2;
	zoom_to(context, power);
}

void map_zoom_out(struct pane_context *context)
{
	uint64_t zoom = present_zoom(context), power = 1;

	while (power <= zoom)
		power *= 2;
	zoom_to(context, power);
}

void map_zoom_to_page(struct pane_context *context)
{
	zoom_to(context, 1);
}

static void fit(struct pane_context *context, bool keep, const char *said)
{
	struct pages_state *pages = context_state(context);

	pages->zoom = pages->top = 0;
	pages->keep_fit = keep;
	map_want(context);
	screen_message(context->screen, MESSAGE_PANE, "%s", said);
}

void map_zoom_to_all(struct pane_context *context)
{
	fit(context, true, _("all of it fits; the cells keep this size"));
}

void map_zoom_automatic(struct pane_context *context)
{
	fit(context, false, _("fit all of it, also when it grows"));
}

void map_go(struct pane_context *context, uint64_t address)
{
	struct pages_state *pages = context_state(context);

	pages->cursor = address;
	if (pages->n_cells == 0 || address < pages->cells[0].start ||
	    address >= pages->cells[pages->n_cells - 1].end || pages->cells[map_selected(pages)].y < 0) {
		pages->top = address;
		pages->loaded = NULL;
	}
	map_want(context);
}

/* Scrolls until the cell is visible. */
static void show(struct pages_state *pages, size_t index)
{
	while (index < pages->first)
		pages->first -=
			pages->first < (size_t)pages->map_width ? pages->first : (size_t)pages->map_width;
	map_place(pages);
	for (size_t guard = 0; pages->cells[index].y < 0 && guard < pages->n_cells; guard++) {
		size_t next = pages->first + 1;

		while (next < pages->n_cells && pages->cells[next].y == 0)
			next++;
		if (next >= pages->n_cells)
			break;
		pages->first = next;
		map_place(pages);
	}
}

static void select_cell(struct pane_context *context, size_t index)
{
	struct pages_state *pages = context_state(context);

	if (pages->n_cells == 0)
		return;
	index = index < pages->n_cells ? index : pages->n_cells - 1;
	pages->cursor = pages->cells[index].start;
	show(pages, index);
	pages->top = pages->cells[pages->first].start;
	map_want(context);
}

/* The cell this many rows below, nearest to the same column; beyond the edges it scrolls. */
static size_t row_below(struct pages_state *pages, size_t index, int rows)
{
	int y = pages->cells[index].y + rows, x = pages->cells[index].x;
	size_t nearest = index;
	int least = INT32_MAX;

	if (y < 0 && pages->first > 0) {
		size_t back = (size_t)(-rows) * (size_t)pages->map_width;

		return index > back ? index - back : 0;
	}
	if (y >= pages->map_height && pages->cells[pages->n_cells - 1].y < 0)
		return index + (size_t)rows * (size_t)pages->map_width;
	y = y < 0 ? 0 : y;
	for (size_t i = 0; i < pages->n_cells; i++) {
		int distance = abs(pages->cells[i].y - y) * 4096 + abs(pages->cells[i].x - x);

		if (pages->cells[i].y >= 0 && distance < least) {
			least = distance;
			nearest = i;
		}
	}
	return nearest;
}

void map_go_region(struct pane_context *context, bool back)
{
	struct pages_state *pages = context_state(context);
	const struct table *table = of_frame(context, PAGES_TABLE_REGION);
	uint64_t found = U64_UNKNOWN, cursor;

	map_load(context);
	map_place(pages);
	if (pages->n_cells == 0)
		return;
	/* outside all regions, as before it is first moved and at either end, it selects the marked cell */
	cursor = map_region(context, pages->cursor) ? pages->cursor
						    : pages->cells[map_selected(pages)].start;
	for (size_t i = 0; table && i < table->n_rows; i++) {
		uint64_t start = table_u64(table, table_row(table, i), "start_address");

		if (back && start < cursor)
			found = start;
		else if (!back && start > cursor && found == U64_UNKNOWN)
			found = start;
	}
	if (found != U64_UNKNOWN)
		map_go(context, found);
}

static void click(struct pane_context *context, const struct input *input)
{
	const struct pages_state *pages = context->state;
	int y = input->y - pages->map_top, x = input->x - pages->map_left;

	for (size_t i = 0; i < pages->n_cells; i++)
		if (pages->cells[i].y == y && pages->cells[i].x == x)
			select_cell(context, i);
}

bool map_key(struct pane_context *context, const struct input *input)
{
	struct pages_state *pages = context_state(context);
	size_t index;

	map_load(context);
	map_place(pages);
	if (pages->n_cells == 0)
		return false;
	index = map_selected(pages);
	switch (input->key) {
	case K_LEFT:
		select_cell(context, index > 0 ? index - 1 : 0);
		return true;
	case K_RIGHT:
		select_cell(context, index + 1);
		return true;
	case K_UP:
	case K_WHEEL_UP:
		select_cell(context, row_below(pages, index, -1));
		return true;
	case K_DOWN:
	case K_WHEEL_DOWN:
		select_cell(context, row_below(pages, index, 1));
		return true;
	case K_PAGE_UP:
	case K_PAGE_DOWN:
		select_cell(context,
			    row_below(pages, index,
				      input->key == K_PAGE_UP ? -pages->map_height : pages->map_height));
		return true;
	case K_HOME:
		map_go(context, 0);
		return true;
	case K_END:
		map_go(context, U64_UNKNOWN - 1);
		return true;
	case K_CLICK:
		click(context, input);
		return true;
	default:
		return false;
	}
}

const struct map_cell *map_marked(const struct map_mark *mark, const struct map_cell *cell, size_t *next)
{
	while (*next < mark->n_cells && mark->cells[*next].start < cell->start)
		(*next)++;
	return *next < mark->n_cells && mark->cells[*next].start == cell->start &&
			       mark->cells[*next].end == cell->end
		       ? &mark->cells[*next]
		       : NULL;
}

bool map_mark_fits(const struct pages_state *pages)
{
	size_t next = 0, n_same = 0;

	for (size_t i = 0; i < pages->n_cells; i++)
		n_same += map_marked(&pages->mark, &pages->cells[i], &next) != NULL;
	return 2 * n_same >= pages->n_cells;
}
