/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages pane: its tables, options, views and keys, and the cells of its map; pages_draw.c draws them. */
#include <config.h>

#include "pane/pages/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "pane/common.h"
#include "pane/processes.h"
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

/* The cells of the shown frame; false: it has them already. */
static bool map_load(struct pane_context *context)
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

/* updates the cells of the sample request: are they others? */
static bool map_ask(struct pane_context *context)
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

static void map_zoom_in(struct pane_context *context)
{
	uint64_t zoom = present_zoom(context), power = 1;

	while (power * 2 < zoom)
		power *= 2;
	zoom_to(context, power);
}

static void map_zoom_out(struct pane_context *context)
{
	uint64_t zoom = present_zoom(context), power = 1;

	while (power <= zoom)
		power *= 2;
	zoom_to(context, power);
}

static void map_zoom_to_page(struct pane_context *context)
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

static void map_zoom_to_all(struct pane_context *context)
{
	fit(context, true, _("all of it fits; the cells keep this size"));
}

static void map_zoom_automatic(struct pane_context *context)
{
	fit(context, false, _("fit all of it, also when it grows"));
}

static void map_go(struct pane_context *context, uint64_t address)
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

/* before or after the one with the cursor */
static void map_go_region(struct pane_context *context, bool back)
{
	struct pages_state *pages = context_state(context);
	const struct table *table = of_frame(context, PAGES_TABLE_REGION);
	uint64_t found = U64_UNKNOWN, cursor;

	map_load(context);
	map_place(pages);
	if (pages->n_cells == 0)
		return;
	/* outside all regions, as before it is first moved and at either end, it selects the marked cell */
	cursor = map_region(context, pages->cursor) ? pages->cursor : pages->cells[map_selected(pages)].start;
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

static bool map_key(struct pane_context *context, const struct input *input)
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
		break;
	case K_RIGHT:
		select_cell(context, index + 1);
		break;
	case K_UP:
	case K_WHEEL_UP:
		select_cell(context, row_below(pages, index, -1));
		break;
	case K_DOWN:
	case K_WHEEL_DOWN:
		select_cell(context, row_below(pages, index, 1));
		break;
	case K_PAGE_UP:
		select_cell(context, row_below(pages, index, -pages->map_height));
		break;
	case K_PAGE_DOWN:
		select_cell(context, row_below(pages, index, pages->map_height));
		break;
	case K_HOME:
		map_go(context, 0);
		break;
	case K_END:
		map_go(context, U64_UNKNOWN - 1);
		break;
	case K_CLICK:
		click(context, input);
		break;
	default:
		return false;
	}
	return true;
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

const char *pages_process_text(const struct pane_context *context, char *out, size_t room)
{
	const struct table *table = context_table(context, PAGES_TABLE_TOTAL);
	const void *row = table && table->n_rows > 0 ? table_row(table, 0) : NULL;

	snprintf(out, room, "%.0f %s", row ? table_number(table, row, "pid") : 0,
		 table_text(table, row, "command"));
	return out;
}

static void say_failed(struct pane_context *context, int error, const char *remedy)
{
	char text[TEXT_MAX];

	screen_warn(context->screen, MESSAGE_PANE, "%s", failure_text(text, error, remedy));
}

/* Without done it only checks whether it is possible. */
static bool act_on_process(struct pane_context *context, const char *verb,
			   void (*done)(struct pane_context *context, int error))
{
	const char *remedy;
	char action[64];
	int error;

	snprintf(action, sizeof(action), "%s %.0f", verb, pages_total(context, "pid"));
	error = screen_act(context, "page_total", action, done, &remedy);
	if (error)
		say_failed(context, error, remedy);
	return !error;
}

static bool has_process(struct pane_context *context)
{
	const char *why = pages_no_process(context);

	if (why)
		screen_warn(context->screen, MESSAGE_PANE, "%s", why);
	return !why;
}

static void forced(struct pane_context *context, int error)
{
	const struct pages_state *pages = context->state;

	if (error)
		say_failed(context, error, NULL);
	else
		screen_message(context->screen, MESSAGE_PANE,
			       _("populated: all readable pages of %s were read in"), pages->forced);
}

static void force(struct pane_context *context)
{
	struct pages_state *pages = context_state(context);

	pages_process_text(context, pages->forced, sizeof(pages->forced));
	if (act_on_process(context, "force", forced))
		screen_message(context->screen, MESSAGE_PANE, _("populating %s ..."), pages->forced);
}

static void pages_force(struct pane_context *context)
{
	double absent = pages_total(context, "mapped_pages") - pages_total(context, "present_pages");
	const struct pages_state *pages = context->state;
	char question[TEXT_MAX], name[64], size[VALUE_TEXT_MAX], count[VALUE_TEXT_MAX];

	if (!has_process(context) || !act_on_process(context, "force", NULL))
		return;
	snprintf(question, sizeof(question),
		 P_("Populate %s? It reads a byte of up to %s absent page (%s), which then takes memory; "
		    "swapped pages are read back",
		    "Populate %s? It reads a byte of each of up to %s absent pages (%s), which then take "
		    "memory; swapped pages are read back",
		    absent > 0 ? (unsigned long)absent : 0),
		 pages_process_text(context, name, sizeof(name)), fixed_text(count, absent, 0),
		 size_text(size, absent * (double)pages->page_bytes));
	screen_ask(context, question, force);
}

static void cleared(struct pane_context *context, int error)
{
	if (error)
		say_failed(context, error, NULL);
	else
		screen_message(context->screen, MESSAGE_PANE, "%s", _("soft-dirty bits reset"));
}

static void clear(struct pane_context *context)
{
	act_on_process(context, "clear", cleared);
}

static void pages_clear(struct pane_context *context)
{
	char question[TEXT_MAX], name[64];

	if (!has_process(context) || !act_on_process(context, "clear", NULL))
		return;
	snprintf(question, sizeof(question),
		 _("Reset the soft-dirty bits of %s? Its next write to each page is a little slower"),
		 pages_process_text(context, name, sizeof(name)));
	screen_ask(context, question, clear);
}

static void pages_mark(struct pane_context *context)
{
	struct pages_state *pages = context_state(context);
	struct map_mark *mark = &pages->mark;

	map_load(context);
	mark->set = pages->n_cells > 0 && (!mark->set || !map_mark_fits(pages));
	if (!mark->set) {
		screen_message(context->screen, MESSAGE_PANE, "%s",
			       _("mark removed: the map shows the current state"));
		return;
	}
	mark->cells = alloc_resize(mark->cells, pages->n_cells, sizeof(*mark->cells));
	memcpy(mark->cells, pages->cells, pages->n_cells * sizeof(*mark->cells));
	mark->n_cells = pages->n_cells;
	mark->wall_ns = context->frame->wall_ns;
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       _("marked: from now on + is new, - is gone, s is swapped out; m removes the mark"));
}

static const struct pane_table tables[] = {
	[PAGES_TABLE_TOTAL] = { .topic = "page_total", .of_one = true, .headline = true },
	[PAGES_TABLE_REGION] = { .topic = "region", .of_one = true, .headline = true },
	[PAGES_TABLE_CELL] = { .topic = "cell", .of_one = true },
	[PAGES_TABLE_LEVEL] = { .topic = "page_level", .of_one = true },
	[PAGES_TABLE_PAGE] = { .topic = "page", .of_one = true, .lazy = true },
	[PAGES_TABLE_BYTES] = { .topic = "page_bytes", .of_one = true, .lazy = true },
	[PAGES_TABLE_EVENT] = { .topic = "page_event", .of_one = true, .lazy = true },
	[PAGES_TABLE_LIST] = { .topic = "process", .lazy = true,
			       .columns = "pid,user,state,resident_bytes,threads,command",
			       .sort = "resident_bytes" },
	[PAGES_TABLE_TOUCHED] = { .topic = "touched", .of_one = true, .lazy = true, .sort = "touched_bytes" },
	[PAGES_TABLE_DAMON] = { .topic = "damon_stat", .lazy = true, .of_machine = true },
	{ 0 },
};

static const struct series series[] = {
	[PAGES_SERIES_ANONYMOUS] = { "page_level", NULL, "anonymous_bytes" },
	[PAGES_SERIES_FILE] = { "page_level", NULL, "file_bytes" },
	[PAGES_SERIES_SWAPPED] = { "page_level", NULL, "swapped_bytes" },
	[PAGES_SERIES_PEAK] = { "page_level", NULL, "peak_bytes" },
};

bool pages_has_process(const struct pane_context *context)
{
	const struct table *table = context_table(context, PAGES_TABLE_TOTAL);

	return table && table->n_rows > 0;
}

const char *pages_no_process(const struct pane_context *context)
{
	if (pages_has_process(context))
		return NULL;
	if (screen_replays(context))
		return context_table(context, PAGES_TABLE_TOTAL) ? _("no process was selected then")
								 : context->tables[PAGES_TABLE_TOTAL].absent;
	return context->view == PAGES_VIEW_LIST ? _("select a process first, with the arrows or the mouse")
						: _("select a process first, in the view Processes");
}

double pages_total(const struct pane_context *context, const char *column)
{
	return frame_number(context->frame, "page_total", NULL, column);
}

/* Requests the one page of a cell, for the line below the map, and of the view of a page: another one? */
static bool ask_page(struct pane_context *context)
{
	struct pages_state *pages = context_state(context);
	uint64_t before = context->request->page_address;
	bool whole = context->view == PAGES_VIEW_PAGE;
	bool single = context->view == PAGES_VIEW_MAP && pages->n_cells > 0 && pages->cell_pages == 1;

	if (whole)
		context_request(context)->page_address = map_page(pages);
	else if (single)
		context_request(context)->page_address = pages->cells[map_selected(pages)].start;
	if (context->requested[PAGES_TABLE_PAGE] != (single || whole))
		screen_request(context, PAGES_TABLE_PAGE, single || whole);
	if (context->requested[PAGES_TABLE_BYTES] != whole)
		screen_request(context, PAGES_TABLE_BYTES, whole);
	return (whole || single) && context->request->page_address != before;
}

/* After a key. */
static void want_page(struct pane_context *context)
{
	if (ask_page(context))
		screen_sample_now(context);
}

/* The page that is shown is the one under the cursor of the map. */
static void viewed(struct pane_context *context)
{
	struct pages_state *pages = context_state(context);

	map_load(context);
	if (context->view == PAGES_VIEW_PAGE && !map_region(context, pages->cursor) && pages->n_cells > 0)
		pages->cursor = pages->cells[map_selected(pages)].start;
	if (context->view == PAGES_VIEW_MAP)
		map_go(context, pages->cursor);
	pages->scroll = 0;
	want_page(context);
}

static unsigned home(const struct pane_context *context)
{
	return process_is_chosen(context) || screen_replays(context) ? PAGES_VIEW_MAP : PAGES_VIEW_LIST;
}

static int above(const struct pane_context *context)
{
	return process_above(context, home(context), PAGES_VIEW_LIST);
}

static void open_map(struct pane_context *context)
{
	const struct table *table;
	const void *row = process_select_row(context, &table);

	if (row)
		process_open(context, "pages", table, row);
	else
		process_warn_unselected(context);
}

static void show_region_in_map(struct pane_context *context)
{
	struct pages_state *pages = context_state(context);
	const void *row = context_selected_row(context, PAGES_TABLE_REGION);

	if (row)
		pages->cursor = table_u64(context_table(context, PAGES_TABLE_REGION), row, "start_address");
	screen_show_view(context, PAGES_VIEW_MAP);
}

static void show_region(struct pane_context *context)
{
	const struct pages_state *pages = context->state;
	const void *region = NULL;

	map_load(context);
	if (pages->n_cells > 0)
		region = map_region(context, pages->cells[map_selected(pages)].start);
	screen_show_view(context, PAGES_VIEW_REGIONS);
	if (region)
		table_select_row(&context->tables[PAGES_TABLE_REGION], region);
}

static void wait_for_next(struct pane_context *context)
{
	context_request(context)->n_next++;
	screen_sample_now(context);
}

static void region_before(struct pane_context *context)
{
	map_go_region(context, true);
	want_page(context);
}

static void region_behind(struct pane_context *context)
{
	map_go_region(context, false);
	want_page(context);
}

static void sort_by_present(struct pane_context *context)
{
	view_choose_sort(&context->tables[PAGES_TABLE_REGION].view, "present_bytes");
}

static const struct pane_action map_actions[] = {
	{ ACTION_OPEN, show_region, N_("Regions"), N_("the region under the cursor, among all regions") },
	{ ACTION_MORE, map_zoom_in, N_("Zoom"), N_("fewer pages in a cell") },
	{ ACTION_LESS, map_zoom_out, N_("Zoom"), N_("more pages in a cell") },
	{ ACTION_REGION_BACK, region_before, N_("Region"), NULL },
	{ ACTION_REGION_ON, region_behind, N_("Region"), NULL },
	{ ACTION_MARK, pages_mark, NULL, N_("mark: show changes from now on; again: remove the mark") },
	{ 0 },
};

static const struct pane_action region_actions[] = {
	{ ACTION_OPEN, show_region_in_map, N_("Map"), N_("the selected region in the map") },
	{ ACTION_SORT_MEMORY, sort_by_present, N_("Largest"), N_("sort by memory that is present") },
	{ 0 },
};

static const struct pane_action touched_actions[] = {
	{ ACTION_OPEN, pages_touch_once, N_("Measure"),
	  N_("measure what the process uses in a window; asks first") },
	{ 0 },
};

static const struct pane_action list_actions[] = {
	{ ACTION_OPEN, open_map, N_("Map"), N_("show the map of the selected process") },
	{ ACTION_ACT, process_signal, N_("Signal"), N_("send a signal to the selected process") },
	{ 0 },
};

static const struct pane_view views[] = {
	[PAGES_VIEW_MAP] = { "map", N_("Map"), N_("where the pages of the process are"), PAGES_TABLE_REGION,
			     .actions = map_actions, .no_table = true, .draw = pages_draw },
	[PAGES_VIEW_REGIONS] = { "regions", N_("Regions"), N_("the mappings of the process, in numbers"),
				 PAGES_TABLE_REGION, .actions = region_actions, .draw = pages_draw },
	[PAGES_VIEW_PAGE] = { "page", N_("Page"), N_("the page under the cursor: its bits, its bytes"),
			      PAGES_TABLE_REGION, .no_table = true, .draw = pages_draw },
	[PAGES_VIEW_VALUES] = { "values", N_("Values"), N_("all numbers of the process"), PAGES_TABLE_REGION,
				.no_table = true, .draw = pages_draw },
	[PAGES_VIEW_HISTORY] = { "history", N_("History"), N_("its memory over time"), PAGES_TABLE_REGION,
				 .no_table = true, .draw = pages_draw },
	[PAGES_VIEW_TOUCHED] = { "touched", N_("Touched"),
				 N_("how much of its memory it uses, measured after a question"),
				 PAGES_TABLE_TOUCHED, .also = 1UL << PAGES_TABLE_DAMON,
				 .actions = touched_actions, .draw = pages_draw },
	[PAGES_VIEW_EVENTS] = { "events", N_("Page events"),
				N_("page faults, allocations and reclaim of the whole machine"),
				PAGES_TABLE_EVENT, .heading = pages_heading },
	[PAGES_VIEW_LIST] = { "processes", N_("Processes"), N_("choose another process"), PAGES_TABLE_LIST,
			      .actions = list_actions, .heading = pages_heading },
	{ 0 },
};

static void act(struct pane_context *context, unsigned index)
{
	static void (*const acts[])(struct pane_context * context) = {
		map_zoom_to_page, map_zoom_to_all,   map_zoom_automatic, wait_for_next,     pages_clear,
		pages_force,      pages_touch_once,  pages_touch_again,  pages_touch_stop, pages_touch_window,
	};

	acts[index](context);
}

static void show_actions(struct pane_context *context)
{
	const struct menu_item items[] = {
		{ _("One page"), _("zoom: a cell is one page") },
		{ _("Fit"), _("zoom: all of it, and keep this size of a cell") },
		{ _("Auto fit"), _("zoom: all of it, also when it grows") },
		{ _("Follow"), _("after the process has exited: wait for the next of its name") },
		{ _("Reset soft-dirty"),
		  _("clear the soft-dirty bits, to see what is written from then on") },
		{ _("Populate"), _("read all of its pages in; asks first") },
		{ _("Touched: one window"), _("what it uses from now on, in the view Touched; asks first") },
		{ _("Touched: watch"), _("the same again and again, until the view is left; asks first") },
		{ _("Touched: stop"), _("no further window") },
		{ _("Touched: window ..."), _("how long a window is") },
	};

	screen_menu(context, _("Actions"), items, sizeof(items) / sizeof(items[0]), 0, act);
}

static const struct pane_action pane_actions[] = {
	{ ACTION_ACT, show_actions, NULL, N_("menu of actions: zoom, follow, reset soft-dirty, populate") },
	{ 0 },
};

static const char *const share_labels[] = { N_("not read"), N_("read") };

static const struct pane_setting choices[] = {
	{ "shares", N_("Proportional set size (PSS)"), share_labels },
	{ 0 },
};

static const char *refuses(const struct pane_context *context, enum action action)
{
	bool listed = context->view == PAGES_VIEW_LIST, touched = context->view == PAGES_VIEW_TOUCHED;
	bool reads = action == ACTION_REGION_BACK || action == ACTION_REGION_ON || action == ACTION_MARK ||
		     action == ACTION_SORT_MEMORY || (action == ACTION_OPEN && !listed && !touched);

	if (screen_replays(context))
		return reads ? NULL : _("a recording has only the process and the map it was made with");
	return listed || process_is_chosen(context) ? NULL : pages_no_process(context);
}

static bool scroll_key(struct pages_state *pages, int key)
{
	int page = pages->page_lines > 0 ? pages->page_lines : 1;
	int lines = key == K_UP || key == K_WHEEL_UP       ? -1
		    : key == K_DOWN || key == K_WHEEL_DOWN ? 1
		    : key == K_PAGE_UP                     ? -page
		    : key == K_PAGE_DOWN                   ? page
							   : 0;

	pages->scroll = pages->scroll + lines > 0 ? pages->scroll + lines : 0;
	return lines != 0;
}

/* Left and right: the neighbours of the page. */
static bool page_key(struct pane_context *context, int key)
{
	struct pages_state *pages = context_state(context);
	uint64_t page = map_page(pages);

	if (key == K_LEFT)
		pages->cursor = page >= pages->page_bytes ? page - pages->page_bytes : 0;
	else if (key == K_RIGHT)
		pages->cursor = page + pages->page_bytes;
	else
		return scroll_key(pages, key);
	want_page(context);
	return true;
}

static bool key(struct pane_context *context, const struct input *input)
{
	if (context->view == PAGES_VIEW_PAGE)
		return page_key(context, input->key);
	if (context->view == PAGES_VIEW_VALUES)
		return scroll_key(context_state(context), input->key);
	if (context->view != PAGES_VIEW_MAP || !map_key(context, input))
		return false;
	want_page(context);
	return true;
}

static void open_pages(struct pane_context *context)
{
	struct pages_state *pages = context_state(context);

	pages->page_bytes = 4096;
	context->view = home(context);
	context->focus = views[context->view].table;
	context->requested[PAGES_TABLE_LIST] = context->view == PAGES_VIEW_LIST;
}

static void close_pages(void *state)
{
	struct pages_state *pages = state;

	free(pages->cells);
	free(pages->mark.cells);
	free(pages->last_bytes);
	free(pages->changed_bytes);
}

static void entered(struct pane_context *context)
{
	struct pages_state *pages = context_state(context);

	pages->cursor = pages->top = pages->zoom = 0;
	pages->mark.set = false;
	screen_show_view(context, PAGES_VIEW_MAP);
	map_want(context);
	screen_sample_now(context);
}

/* All pages of a small region have the same size; regions and cells have bytes and pages. */
static void note_page_bytes(struct pages_state *pages)
{
	for (size_t i = 0; i < pages->n_cells; i++) {
		const struct map_cell *cell = &pages->cells[i];
		uint64_t bytes = cell->pages > 0 && cell->pages != U64_UNKNOWN
					 ? (cell->end - cell->start) / cell->pages
					 : 0;

		if (bytes > 0 && (bytes & (bytes - 1)) == 0) {
			pages->page_bytes = bytes;
			return;
		}
	}
}

static void sampled(struct pane_context *context, const struct frame *frame)
{
	struct pages_state *pages = context_state(context);
	const struct table *total = frame_table(frame, "page_total"), *cells = frame_table(frame, "cell");

	if (!frame_table(frame, "page_event"))
		pages->events_since_ns = 0;
	else if (pages->events_since_ns == 0)
		pages->events_since_ns = frame->wall_ns;
	if (!cells && !total)
		return;
	pages_note_bytes(pages, frame);
	note_page_bytes(pages);
	if (pages->keep_fit && pages->zoom == 0 && !pages->settle && pages->n_cells > 0) {
		pages->zoom = pages->cell_pages;
		pages->top = 0;
		pages->keep_fit = false;
	}
	pages->settle = false;
	if (context->view == PAGES_VIEW_MAP)
		ask_page(context);
	map_ask(context);
}

/* The cells of the frame that a key requested decide what else is to be read. */
static void update(struct pane_context *context)
{
	struct pages_state *pages = context_state(context);
	bool others;

	if (!map_load(context) || pages->n_following == 0 || screen_replays(context) ||
	    context->view != PAGES_VIEW_MAP)
		return;
	pages->n_following--;
	others = map_ask(context);
	if (ask_page(context) || others)
		screen_sample_now(context);
}

const struct pane pane_pages = {
	.name = "pages",
	.digit = '0',
	.title = N_("Pages"),
	.question = N_("Where is the memory of this process, and what is moving?"),
	.of_process = true,
	.tables = tables,
	.series = series,
	.n_series = N_PAGES_SERIES,
	.why = pages_why,
	.views = views,
	.actions = pane_actions,
	.choices = choices,
	.refuses = refuses,
	.viewed = viewed,
	.home = home,
	.above = above,
	.state_size = sizeof(struct pages_state),
	.open = open_pages,
	.close = close_pages,
	.entered = entered,
	.key = key,
	.update = update,
	.layout = pages_layout,
	.sampled = sampled,
};
