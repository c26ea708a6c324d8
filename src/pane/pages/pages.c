/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages pane: its tables, options and keys; pages_map.c places the cells, pages_draw.c draws them. */
#include <config.h>

#include "pane/pages/pages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "pane/pages/pages_open.h"
#include "screen/keys.h"

#define MAP_SECONDS 0.1 /* between maps, unless the user chose a delay */

static const struct pane_table tables[] = {
	[PAGES_TABLE_TOTAL] = { .topic = "page_total", .headline = true },
	[PAGES_TABLE_REGION] = { .topic = "region", .headline = true },
	[PAGES_TABLE_CELL] = { .topic = "cell" },
	[PAGES_TABLE_LEVEL] = { .topic = "page_level" },
	[PAGES_TABLE_PAGE] = { .topic = "page", .lazy = true },
	[PAGES_TABLE_BYTES] = { .topic = "page_bytes", .lazy = true },
	[PAGES_TABLE_EVENT] = { .topic = "page_event", .lazy = true },
	[PAGES_TABLE_LIST] = { .topic = "process",
			       .lazy = true,
			       .columns = "pid,user,state,resident_bytes,threads,command",
			       .sort = "resident_bytes" },
	{ 0 },
};

const struct series pages_series[] = {
	[PAGES_SERIES_ANONYMOUS] = { "page_level", NULL, "anonymous_bytes" },
	[PAGES_SERIES_FILE] = { "page_level", NULL, "file_bytes" },
	[PAGES_SERIES_SWAPPED] = { "page_level", NULL, "swapped_bytes" },
	[PAGES_SERIES_PEAK] = { "page_level", NULL, "peak_bytes" },
};

static bool valid_address(const char *value)
{
	struct span span = span_text(value);
	uint64_t address;

	if (span_starts(span, "0x"))
		span.at += 2;
	return *value != ' ' && *span.at != ' ' && span_hex(&span, &address) && span.at == span.end;
}

static bool valid_cells(const char *value)
{
	uint64_t cells;

	return span_whole_number(value, 1, 1000000, &cells);
}

static const char an_address[] = N_("use an address in hexadecimal digits, such as 0x7f96d3e36000");

static const struct pane_option options[] = {
	{ "cells", N_("N"), N_("size of the map in the table cell: at most N cells (default 1024)"),
	  valid_cells, N_("use a whole number from 1 to 1000000") },
	{ "from", N_("ADDRESS"),
	  N_("map only from this address on; the page that -t page and page_bytes show"), valid_address,
	  an_address },
	{ "to", N_("ADDRESS"), N_("map only below this address"), valid_address, an_address },
	{ "shares", NULL, N_("show proportional set size (PSS), which is slow to read"), NULL, NULL },
	{ 0 },
};

bool pages_has_process(const struct pane_context *context)
{
	const struct table *table = context_table(context, PAGES_TABLE_TOTAL);

	return table && table->n_rows > 0;
}

static const char *select_first(void)
{
	return _("select a process first, with the arrows or the mouse");
}

const char *pages_no_process(const struct pane_context *context)
{
	const struct pages_state *pages = context->state;

	return pages_has_process(context)       ? NULL
	       : screen_replays(context)        ? _("the recording has no pages of a process")
	       : pages->view == PAGES_VIEW_LIST ? select_first()
						: _("select a process first: l lists them");
}

double pages_total(const struct pane_context *context, const char *column)
{
	const struct table *table = context_table(context, PAGES_TABLE_TOTAL);

	return table && table->n_rows > 0 ? table_number(table, table_row(table, 0), column) : NAN;
}

static bool is_chosen(const struct pane_context *context)
{
	return context->request->mapped.is_set || context->request->processes;
}

static uint64_t cursor_page(const struct pages_state *pages)
{
	return pages->view == PAGES_VIEW_PAGE ? pages->page
	       : pages->n_cells > 0           ? pages->cells[map_selected(pages)].start
					      : 0;
}

/* Looks up one page: for the line below the map when a cell is a page, and for the view of a page. */
static void ask_page(struct pane_context *context)
{
	struct pages_state *pages = context->state;
	bool single = pages->view == PAGES_VIEW_MAP && pages->n_cells > 0 && pages->cell_pages == 1;

	if (single || pages->view == PAGES_VIEW_PAGE)
		context->request->page_address = cursor_page(pages);
	if (context->requested[PAGES_TABLE_PAGE] != (single || pages->view == PAGES_VIEW_PAGE))
		screen_request(context, PAGES_TABLE_PAGE, single || pages->view == PAGES_VIEW_PAGE);
	if (context->requested[PAGES_TABLE_BYTES] != (pages->view == PAGES_VIEW_PAGE))
		screen_request(context, PAGES_TABLE_BYTES, pages->view == PAGES_VIEW_PAGE);
}

void pages_show(struct pane_context *context, enum pages_view view)
{
	struct pages_state *pages = context->state;

	pages->view = view;
	context->focus = view == PAGES_VIEW_LIST     ? PAGES_TABLE_LIST
			 : view == PAGES_VIEW_EVENTS ? PAGES_TABLE_EVENT
						     : PAGES_TABLE_REGION;
	screen_request(context, PAGES_TABLE_LIST, view == PAGES_VIEW_LIST);
	screen_request(context, PAGES_TABLE_EVENT, view == PAGES_VIEW_EVENTS);
	screen_prefer_delay(context, MAP_SECONDS); /* soon after it is opened, then more slowly */
	ask_page(context);
}

static void toggle(struct pane_context *context, enum pages_view view)
{
	const struct pages_state *pages = context->state;

	pages_show(context, pages->view == view ? PAGES_VIEW_MAP : view);
}

void pages_open(struct pane_context *context, const struct table *processes, const void *row)
{
	struct process_choice process = { .is_set = true,
					  .pid = (uint32_t)table_number(processes, row, "pid"),
					  .start_seconds = table_number(processes, row, "start_seconds") };

	snprintf(process.name, sizeof(process.name), "%s", table_text(processes, row, "name"));
	screen_open(context, "pages", &process);
}

/* From the map to the regions, from a region to its place in the map, from the list to a process. */
static void enter(struct pane_context *context)
{
	struct pages_state *pages = context->state;
	struct table_widget *widget = &context->tables[context->focus];
	const struct column *column;
	const void *row = widget->place.cursor_on ? table_cell(widget, &column) : NULL;
	const struct table *table = context_table(context, context->focus);

	if (pages->view == PAGES_VIEW_LIST && row && table) {
		pages_open(context, table, row);
	} else if (pages->view == PAGES_VIEW_LIST) {
		screen_message(context->screen, MESSAGE_PANE, "%s", select_first());
	} else if (pages->view == PAGES_VIEW_REGIONS) {
		pages_show(context, PAGES_VIEW_MAP);
		if (row && table)
			map_go(context, (uint64_t)table_number(table, row, "start_address"));
	} else {
		pages_show(context, PAGES_VIEW_REGIONS);
	}
}

static void show_page(struct pane_context *context)
{
	struct pages_state *pages = context->state;

	if (pages->view == PAGES_VIEW_PAGE) {
		map_go(context, pages->page);
		pages_show(context, PAGES_VIEW_MAP);
		return;
	}
	map_load(context);
	pages->page = cursor_page(pages);
	pages->scroll = 0;
	pages_show(context, PAGES_VIEW_PAGE);
}

static void show_list(struct pane_context *context)
{
	toggle(context, PAGES_VIEW_LIST);
}

static void show_statistics(struct pane_context *context)
{
	struct pages_state *pages = context->state;

	pages->scroll = 0;
	toggle(context, PAGES_VIEW_STATISTICS);
}

static void show_history(struct pane_context *context)
{
	toggle(context, PAGES_VIEW_HISTORY);
}

static void show_events(struct pane_context *context)
{
	toggle(context, PAGES_VIEW_EVENTS);
}

static void toggle_shares(struct pane_context *context)
{
	bool shares = !settings_get(context->settings, "pages.shares");

	settings_set(context->settings, "pages.shares", shares ? "yes" : NULL);
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       shares ? _("reading proportional set size, from smaps")
			      : _("not reading proportional set size"));
}

static void wait_for_next(struct pane_context *context)
{
	context->request->n_next++;
}

static void region_before(struct pane_context *context)
{
	map_go_region(context, true);
	ask_page(context);
}

static void region_behind(struct pane_context *context)
{
	map_go_region(context, false);
	ask_page(context);
}

static const struct binding list_bindings[] = {
	{ K_ENTER, 0, N_("Open"), N_("show the map of the selected process"), enter },
	{ 0 },
};

static const struct binding *view_bindings(const struct pane_context *context)
{
	const struct pages_state *pages = context->state;

	return pages->view == PAGES_VIEW_LIST ? list_bindings : NULL;
}

static const struct binding bindings[] = {
	{ K_ENTER, 0, N_("Regions"), N_("regions or map; a region in the map"), enter },
	{ 'z', 0, N_("Zoom"), N_("fewer pages in a cell"), map_zoom_in },
	{ K_TAB, 0, N_("Page"), N_("the page under the cursor: its bits, its bytes; and back"), show_page },
	{ 'v', 0, N_("Values"), N_("all numbers of the process"), show_statistics },
	{ 'H', 0, N_("History"), N_("its memory over time"), show_history },
	{ 'p', 0, N_("Perf"), N_("page faults, allocations and reclaim of the whole machine"), show_events },
	{ 'l', 0, N_("List"), N_("choose another process"), show_list },
	{ 'm', 0, N_("Mark"), N_("mark: show changes from now on; again: remove the mark"), pages_mark },
	{ 0 },
};

static const struct binding secondary_bindings[] = {
	{ '{', 0, N_("Region"), N_("the previous region"), region_before },
	{ '}', 0, N_("Region"), N_("the next region"), region_behind },
	{ 'Z', 0, N_("Zoom out"), N_("more pages in a cell"), map_zoom_out },
	{ '[', 0, N_("One page"), N_("a cell is one page"), map_zoom_to_page },
	{ ']', 0, N_("Fit"), N_("fit all of it"), map_zoom_to_all },
	{ 'a', 0, N_("Auto fit"), N_("fit all of it, also when it grows"), map_zoom_automatic },
	{ 's', 0, N_("Shares"), N_("proportional set size (PSS), or not"), toggle_shares },
	{ 'r', 0, N_("Wait"), N_("after the process has exited: wait for the next with its name"),
	  wait_for_next },
	{ 'C', 0, N_("Clear"), N_("clear the soft-dirty marks"), pages_clear },
	{ 'R', 0, N_("Force in"), N_("force all its pages in: this changes the process"), pages_force },
	{ 0 },
};

/* What a key requires. */
enum {
	NEEDS_MACHINE = 1,
	NEEDS_PROCESS = 2,
	NEEDS_MAP = 4,
	NEEDS_LIVE_MAP = NEEDS_MACHINE | NEEDS_MAP,
	NEEDS_LIVE_PROCESS = NEEDS_MACHINE | NEEDS_PROCESS,
};

static unsigned needs_of(const struct binding *binding)
{
	static const struct {
		void (*act)(struct pane_context *context);
		unsigned needs;
	} all[] = {
		{ map_zoom_in, NEEDS_LIVE_MAP },          { map_zoom_out, NEEDS_LIVE_MAP },
		{ map_zoom_to_page, NEEDS_LIVE_MAP },     { map_zoom_to_all, NEEDS_LIVE_MAP },
		{ map_zoom_automatic, NEEDS_LIVE_MAP },   { pages_mark, NEEDS_MAP },
		{ region_before, NEEDS_MAP },             { region_behind, NEEDS_MAP },
		{ show_page, NEEDS_PROCESS },             { show_statistics, NEEDS_PROCESS },
		{ show_history, NEEDS_PROCESS },          { show_list, NEEDS_MACHINE },
		{ toggle_shares, NEEDS_MACHINE },         { wait_for_next, NEEDS_LIVE_PROCESS },
		{ pages_clear, NEEDS_LIVE_PROCESS },      { pages_force, NEEDS_LIVE_PROCESS },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].act == binding->act)
			return all[i].needs;
	return 0;
}

static const char *refuses_key(const struct pane_context *context, const struct binding *binding)
{
	const struct pages_state *pages = context->state;
	bool leaves_list = binding->act == show_list && pages->view == PAGES_VIEW_LIST;
	unsigned needs = needs_of(binding);

	if ((needs & NEEDS_MACHINE) && screen_replays(context))
		return _("a recording has only the process and the map it was made with");
	if (((needs & NEEDS_PROCESS) || leaves_list) && !is_chosen(context))
		return pages_no_process(context);
	return (needs & NEEDS_MAP) && pages->view != PAGES_VIEW_MAP ? _("this key works in the map") : NULL;
}

static bool page_key(struct pane_context *context, const struct input *input)
{
	struct pages_state *pages = context->state;
	uint64_t page = (uint64_t)pages->page_bytes;
	int most = pages->page_lines > 0 ? pages->page_lines : 1;

	if (pages->view != PAGES_VIEW_PAGE && (input->key == K_LEFT || input->key == K_RIGHT))
		return false; /* no neighbours among values */
	switch (input->key) {
	case K_LEFT:
		pages->page -= pages->page >= page ? page : 0;
		break;
	case K_RIGHT:
		pages->page += page;
		break;
	case K_UP:
	case K_WHEEL_UP:
		pages->scroll -= pages->scroll > 0 ? 1 : 0;
		break;
	case K_DOWN:
	case K_WHEEL_DOWN:
		pages->scroll++;
		break;
	case K_PAGE_UP:
		pages->scroll = pages->scroll > most ? pages->scroll - most : 0;
		break;
	case K_PAGE_DOWN:
		pages->scroll += most;
		break;
	default:
		return false;
	}
	if (pages->view == PAGES_VIEW_PAGE)
		ask_page(context);
	return true;
}

static bool key(struct pane_context *context, const struct input *input)
{
	struct pages_state *pages = context->state;
	bool taken;

	if (pages->view == PAGES_VIEW_PAGE || pages->view == PAGES_VIEW_STATISTICS)
		return page_key(context, input);
	if (pages->view != PAGES_VIEW_MAP)
		return false;
	taken = map_key(context, input);
	if (taken)
		ask_page(context);
	return taken;
}

static void open_pages(struct pane_context *context)
{
	struct pages_state *pages = context->state;
	bool chosen = is_chosen(context) || screen_replays(context);

	pages->page_bytes = 4096;
	pages->view = chosen ? PAGES_VIEW_MAP : PAGES_VIEW_LIST;
	context->focus = chosen ? PAGES_TABLE_REGION : PAGES_TABLE_LIST;
	context->requested[PAGES_TABLE_LIST] = !chosen;
	context->preferred_seconds = chosen ? MAP_SECONDS : 0;
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
	struct pages_state *pages = context->state;

	pages->cursor = pages->top = pages->zoom = 0;
	pages->mark.set = false;
	pages_show(context, PAGES_VIEW_MAP);
	map_ask(context);
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
	struct pages_state *pages = context->state;
	const struct table *total = frame_table(frame, "page_total"), *cells = frame_table(frame, "cell");

	if (!cells && !total)
		return;
	if (pages->view == PAGES_VIEW_LIST && frame_table(frame, "process"))
		screen_prefer_delay(context, 0);
	pages_note_bytes(pages, frame);
	note_page_bytes(pages);
	if (pages->keep_fit && pages->zoom == 0 && !pages->settle && pages->n_cells > 0) {
		pages->zoom = pages->cell_pages;
		pages->top = 0;
		pages->keep_fit = false;
	}
	pages->settle = false;
	if (pages->view == PAGES_VIEW_MAP)
		ask_page(context);
	map_ask(context);
}

static const struct series explained[] = {
	{ "page_total", NULL, "vm_resident_bytes" },
	{ "page_total", NULL, "vm_swap_bytes" },
	{ "page_total", NULL, "vm_size_bytes" },
	{ "page_total", NULL, "proportional_bytes" },
	{ "page_total", NULL, "minor_faults_per_second" },
	{ "page_total", NULL, "major_faults_per_second" },
	{ "page_total", NULL, "map_done_ratio" },
	{ "page_level", NULL, "anonymous_bytes" },
	{ "page_level", NULL, "file_bytes" },
	{ "page_level", NULL, "swapped_bytes" },
	{ "page_level", NULL, "peak_bytes" },
	{ 0 },
};

const struct pane pane_pages = {
	.name = "pages",
	.title = N_("Pages"),
	.question = N_("Where is the memory of this process, and what is moving?"),
	.takes_pid = true,
	.tables = tables,
	.options = options,
	.series = pages_series,
	.n_series = N_PAGES_SERIES,
	.explained = explained,
	.explain = pages_explain,
	.bindings = bindings,
	.secondary_bindings = secondary_bindings,
	.view_bindings = view_bindings,
	.refuses_key = refuses_key,
	.state_size = sizeof(struct pages_state),
	.open = open_pages,
	.close = close_pages,
	.entered = entered,
	.key = key,
	.sampled = sampled,
	.draw = pages_draw,
};
