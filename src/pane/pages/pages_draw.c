/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing of the pages pane: the process in one line, its map, and the cell under the cursor in words. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "model/units.h"
#include "pane/pages/pages.h"
#include "screen/graph.h"

#define ROW_BYTES 16
#define TITLE_CELLS_MIN 12
#define VALUE_CELLS 16

/* Compares the digits of a row with the previous sample, and stores them. */
static void note_row(struct pages_state *pages, size_t row, const char *hex, bool comparable)
{
	size_t width = 2 * ROW_BYTES, digits = 0;
	char *last = pages->last_bytes + row * width;
	bool *changed = pages->changed_bytes + row * ROW_BYTES;

	memset(changed, false, ROW_BYTES * sizeof(*changed)); /* hex may be shorter than a row */
	for (; *hex && digits < width; hex++) {
		if (*hex == ' ')
			continue;
		changed[digits / 2] |= comparable && last[digits] != *hex;
		last[digits++] = *hex;
	}
	memset(last + digits, 0, width - digits);
}

void pages_note_bytes(struct pages_state *pages, const struct frame *frame)
{
	const struct table *table = frame_table(frame, "page_bytes");
	uint64_t page =
		table && table->n_rows > 0 ? table_u64(table, table_row(table, 0), "byte_address") : 0;
	bool comparable = table && page == pages->last_page && pages->last_length == table->n_rows;

	if (!table || table->n_rows == 0) {
		pages->last_length = pages->n_changed = 0;
		return;
	}
	if (pages->last_length < table->n_rows) {
		pages->last_bytes = alloc_resize(pages->last_bytes, table->n_rows, 2 * ROW_BYTES);
		pages->changed_bytes = alloc_resize(pages->changed_bytes, table->n_rows,
						    ROW_BYTES * sizeof(*pages->changed_bytes));
	}
	for (size_t i = 0; i < table->n_rows; i++)
		note_row(pages, i, table_text(table, table_row(table, i), "hex"), comparable);
	pages->last_length = table->n_rows;
	pages->n_changed = table->n_rows * ROW_BYTES;
	pages->last_page = page;
}

static void draw_row(const struct pages_state *pages, const struct canvas *canvas, int y,
		     const struct table *table, size_t index)
{
	const void *row = table_row(table, index);
	uint64_t address = table_u64(table, row, "byte_address");
	const char *hex = table_text(table, row, "hex");
	int x = 2 + (address == U64_UNKNOWN ? canvas_print(canvas, y, 0, STYLE_DIM, "%12s", "-")
					    : canvas_print(canvas, y, 0, STYLE_DIM, "%012" PRIx64, address));

	canvas_text(canvas, y, x, STYLE_NORMAL, hex, -1);
	canvas_text(canvas, y, x + 3 * ROW_BYTES + 1, STYLE_NORMAL, table_text(table, row, "text"), -1);
	for (size_t i = 0; i < ROW_BYTES; i++) {
		size_t byte = index * ROW_BYTES + i;

		if (byte >= pages->n_changed || !pages->changed_bytes[byte])
			continue;
		canvas_restyle(canvas, y, x + 3 * (int)i, 2, STYLE_NEW);
		canvas_restyle(canvas, y, x + 3 * ROW_BYTES + 1 + (int)i, 1, STYLE_NEW);
	}
}

/* The last line is drawn at the bottom, or above it. */
static void limit_scroll(struct pages_state *pages, int n_lines, int room)
{
	int last = n_lines > room ? n_lines - room : 0;

	pages->page_lines = room;
	if (pages->scroll > last)
		pages->scroll = last;
}

static void draw_bytes(const struct pane_context *context, const struct canvas *canvas)
{
	const struct pages_state *pages = context->state;
	const struct table *table = context_table(context, PAGES_TABLE_BYTES);
	int n_rows = table ? (int)table->n_rows : 0;

	if (n_rows == 0)
		canvas_text(
			canvas, 0, 0, STYLE_DIM,
			_("its bytes are not read: it is absent, and reading would populate it, or it may "
			  "not be read"),
			-1);
	for (int y = 0; y < canvas->height && pages->scroll + y < n_rows; y++)
		draw_row(pages, canvas, y, table, (size_t)(pages->scroll + y));
}

/* Its bits, and below them its bytes. */
static void draw_page(const struct pane_context *context, const struct canvas *canvas)
{
	const struct table *table = context_table(context, PAGES_TABLE_PAGE);
	const void *row = table && table->n_rows > 0 ? table_row(table, 0) : NULL;
	const struct value_format format = { .ascii = canvas->ascii };
	struct canvas rest = canvas_below(canvas, 1);
	int x = 0;

	for (unsigned i = 2; row && i < table->schema->n_columns; i++) {
		const struct column *column = &table->schema->columns[i];
		char number[VALUE_TEXT_MAX];

		if (!row_is_known(row, column))
			continue;
		x += canvas_print(canvas, 0, x, STYLE_DIM, "%s ", column_title(column));
		x += 2 + canvas_text(canvas, 0, x, STYLE_NORMAL,
				     value_text(number, table->schema, column, row, &format), -1);
	}
	if (!row)
		canvas_text(canvas, 0, 0, STYLE_DIM, _("nothing is known of it"), -1);
	draw_bytes(context, &rest);
}

/* of the process, that are known */
static unsigned pages_n_values(const struct pane_context *context)
{
	const struct table *table = context_table(context, PAGES_TABLE_TOTAL);
	const void *row = table_row(table, 0);
	unsigned n_known = 0;

	for (unsigned i = 0; i < table->schema->n_columns; i++)
		n_known += row_is_known(row, &table->schema->columns[i]);
	return n_known;
}

static int title_cells(const struct table *table, const void *row, bool ascii)
{
	int most = TITLE_CELLS_MIN;

	for (unsigned i = 0; i < table->schema->n_columns; i++) {
		const struct column *column = &table->schema->columns[i];
		int cells = row_is_known(row, column) ? utf8_cells(column_title(column), ascii) : 0;

		most = cells > most ? cells : most;
	}
	return most;
}

static void draw_value(const struct pane_context *context, const struct canvas *line, int titles,
		       const struct table *table, const struct column *column, const void *row)
{
	const struct value_format format = { .unit = context->unit, .ascii = line->ascii };
	const struct pages_state *pages = context->state;
	char number[VALUE_TEXT_MAX];
	const char *text = number;
	struct span key = span_text(column->key);

	/* people read them as bytes, as everywhere */
	if (span_take_end(&key, "_pages"))
		size_short(number, row_number(row, column) * (double)pages->page_bytes);
	else
		text = value_text(number, table->schema, column, row, &format);
	canvas_text(line, 0, 0, STYLE_STRONG, column_title(column), titles);
	canvas_right(line, 0, titles, VALUE_CELLS, STYLE_NORMAL, text);
	canvas_text(line, 0, titles + VALUE_CELLS + 2, STYLE_DIM, _(column->help), -1);
}

/* They stand beside each other where there is much room. */
static int value_columns(const struct canvas *canvas)
{
	return canvas->width >= 160 ? 2 : 1;
}

static void pages_draw_values(const struct pane_context *context, const struct canvas *canvas)
{
	const struct pages_state *pages = context->state;
	const struct table *table = context_table(context, PAGES_TABLE_TOTAL);
	const void *row = table_row(table, 0);
	int columns = value_columns(canvas), width = canvas->width / columns;
	int room = columns * canvas->height, y = -pages->scroll;
	int titles = title_cells(table, row, canvas->ascii);

	for (unsigned i = 0; i < table->schema->n_columns && y < room; i++) {
		const struct column *column = &table->schema->columns[i];

		if (!row_is_known(row, column))
			continue;
		if (y >= 0) {
			struct canvas part =
				canvas_part(canvas, y % canvas->height, y / canvas->height * width, 1, width);

			draw_value(context, &part, titles, table, column, row);
		}
		y++;
	}
}

/* Current, or last known: an exited process has only a past. */
static double latest(const struct pane_context *context, unsigned series)
{
	const struct history *history = &context->history;
	double value = NAN;

	for (size_t i = history->count; i-- > 0 && isnan(value);)
		if (history_time(history, i) <= context->frame->mono_ns)
			value = history_value(history, series, i);
	return value;
}

static void pages_draw_history(const struct pane_context *context, const struct canvas *canvas)
{
	struct canvas graph = canvas_rows(canvas, 0, canvas->height - 1);
	struct graph_part parts[] = {
		{ 'A', 0, _("anon"), PAGES_SERIES_ANONYMOUS, 0 },
		{ 'F', 2, _("file"), PAGES_SERIES_FILE, 0 },
		{ 'S', 5, _("swapped"), PAGES_SERIES_SWAPPED, 0 },
	};
	double peak = latest(context, PAGES_SERIES_PEAK);
	char size[VALUE_TEXT_MAX];
	struct graph_scale scale = {
		.whole = PAGES_SERIES_PEAK,
		.top_label = size_short(size, peak),
		.now_ns = context->frame->mono_ns,
		.step_seconds = context_step_seconds(context),
	};

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		parts[i].value = latest(context, parts[i].series);
	graph_stacked(&graph, &context->history, parts, sizeof(parts) / sizeof(parts[0]), &scale);
	graph_legend(canvas, canvas->height - 1, parts, sizeof(parts) / sizeof(parts[0]), peak,
		     _("below its peak"));
}

#define ADDRESS_CELLS 13      /* with a blank */
#define ADDRESS_CELLS_LONG 17 /* where addresses have more than 48 bits */
#define ADDRESSES_FROM_WIDTH 40
#define GRAPH_FROM_LINES 34
#define GRAPH_LINES 8
#define LEGEND_FROM_LINES 6
#define RULE_FROM_LINES 8

/* What most of a cell is, in the order of the legend. */
enum kind { ANONYMOUS, FILES, SWAPPED, WRITTEN, HUGE_PAGES, ZERO, KSM, N_KINDS };

static const struct {
	char letter; /* upper case when at least half of the cell is resident */
	unsigned look;
	const char *name; /* N_() */
} kinds[N_KINDS] = {
	[ANONYMOUS] = { 'A', 0, N_("anon") },  [FILES] = { 'F', 2, N_("file") },
	[SWAPPED] = { 'S', 5, N_("swapped") }, [WRITTEN] = { 'D', 1, N_("written") },
	[HUGE_PAGES] = { 'H', 3, N_("huge") }, [ZERO] = { 'Z', 7, N_("zero") },
	[KSM] = { 'K', 6, N_("ksm") },
};

static uint64_t known(uint64_t count)
{
	return count == U64_UNKNOWN ? 0 : count;
}

/* The most frequent kind of its pages; a resident page counts for its rarest kind. */
static enum kind kind_of(const struct map_cell *cell)
{
	uint64_t huge = known(cell->huge), zero = known(cell->zero), ksm = known(cell->ksm),
		 file = known(cell->file);
	uint64_t others = huge + zero + ksm + file, most = 0;
	const uint64_t counts[N_KINDS] = {
		[ANONYMOUS] = cell->present > others ? cell->present - others : 0,
		[FILES] = file,
		[SWAPPED] = cell->swapped,
		[HUGE_PAGES] = huge,
		[ZERO] = zero,
		[KSM] = ksm,
	};
	enum kind kind = ANONYMOUS;

	if (known(cell->soft_dirty) > 0 && known(cell->soft_dirty) * 2 >= cell->present + cell->swapped)
		return WRITTEN;
	for (unsigned i = 0; i < N_KINDS; i++) {
		if (counts[i] > most) {
			most = counts[i];
			kind = (enum kind)i;
		}
	}
	return kind;
}

/* Private data is shaded by the resident share; other kinds are a letter, lower case below one half. */
static uint32_t glyph_of(const struct canvas *canvas, enum kind kind, double share)
{
	static const uint32_t shades[] = { 0x2591, 0x2592, 0x2593, 0x2588 };
	char letter = kinds[kind].letter;

	if (kind == ANONYMOUS && !canvas->glyphs->ascii)
		return shades[share >= 1 ? 3 : (unsigned)(share * 4)];
	return (uint32_t)(share >= 0.5 ? letter : letter - 'A' + 'a');
}

static void draw_cell(const struct canvas *canvas, const struct map_cell *cell)
{
	double share;
	enum kind kind;

	if (cell->present == U64_UNKNOWN || cell->pages == 0 || cell->pages == U64_UNKNOWN) {
		canvas_fill(canvas, cell->y, cell->x, STYLE_DIM, '?', 1);
		return;
	}
	share = (double)(cell->present + cell->swapped) / (double)cell->pages;
	kind = kind_of(cell);
	if (!(share > 0))
		canvas_fill(canvas, cell->y, cell->x, cell->changed ? STYLE_NEW : STYLE_DIM,
			    canvas->glyphs->empty, 1);
	else
		canvas_fill(canvas, cell->y, cell->x,
			    cell->changed ? STYLE_NEW : (enum style)(STYLE_SERIES + kinds[kind].look),
			    glyph_of(canvas, kind, share), 1);
}

/* Changes of the cells since the mark, as far as they are the same. */
struct difference {
	char since[CLOCK_TEXT_MAX];
	const char *mark;                 /* since */
	uint64_t appeared, went, swapped; /* pages; a minimum, as a cell may have both */
};

#define DIFFERENCE(field, what)                                                                              \
	COLUMN(struct difference, field, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = "",              \
	       .help = what, .source = "changes of the table cell since the mark, summed over its cells")

static const struct column difference_columns[] = {
	COLUMN(struct difference, mark, .kind = COLUMN_KEY, .title = "", .help = N_("time of the mark"),
	       .source = "key m"),
	DIFFERENCE(appeared, N_("pages that became present, at least: a cell may also have lost some")),
	DIFFERENCE(went, N_("pages that are no longer present, at least")),
	DIFFERENCE(swapped, N_("pages that were swapped out, at least")),
};

static const struct schema difference_schema = {
	.name = "pages_marked",
	.help = N_("changes since the mark"),
	.row_size = sizeof(struct difference),
	SCHEMA_COLUMNS(difference_columns),
};

static void compute_difference(const struct pages_state *pages, struct difference *sum)
{
	size_t next = 0;

	*sum = (struct difference){ 0 };
	clock_local(sum->since, pages->mark.wall_ns, "%H:%M:%S");
	sum->mark = sum->since;
	for (size_t i = 0; i < pages->n_cells; i++) {
		const struct map_cell *cell = &pages->cells[i];
		const struct map_cell *then = map_marked(&pages->mark, cell, &next);
		uint64_t present = known(cell->present), swapped = known(cell->swapped);
		uint64_t had = then ? known(then->present) : 0;
		uint64_t had_swapped = then ? known(then->swapped) : 0;

		sum->appeared += present > had ? present - had : 0;
		sum->went += present < had ? had - present : 0;
		sum->swapped += swapped > had_swapped ? swapped - had_swapped : 0;
	}
}

static uint32_t unchanged_glyph(const struct canvas *canvas)
{
	return canvas->glyphs->ascii ? 'o' : 0x2591;
}

static void draw_difference(const struct canvas *canvas, const struct map_cell *cell,
			    const struct map_cell *then)
{
	uint64_t present = known(cell->present), swapped = known(cell->swapped);
	uint64_t had = then ? known(then->present) : 0, had_swapped = then ? known(then->swapped) : 0;
	char glyph = swapped > had_swapped ? 's' : present > had ? '+' : present < had ? '-' : ' ';

	if (glyph == ' ')
		canvas_fill(canvas, cell->y, cell->x, STYLE_DIM,
			    present + swapped > 0 ? unchanged_glyph(canvas) : canvas->glyphs->empty, 1);
	else
		canvas_fill(canvas, cell->y, cell->x, STYLE_NEW, (uint32_t)glyph, 1);
}

static void draw_hole(const struct pages_state *pages, const struct canvas *canvas, size_t index)
{
	const struct map_cell *cell = &pages->cells[index];
	uint64_t hole = index > pages->first ? map_hole(pages, index) : 0;
	char text[VALUE_TEXT_MAX];
	int cells;

	if (hole == 0)
		return;
	map_hole_text(pages, text, hole, canvas->glyphs->ascii);
	cells = map_hole_cells(pages, hole);
	if (cell->x >= cells)
		canvas_text(canvas, cell->y, cell->x - cells, STYLE_DIM, text, cells);
	else if (cell->y > 0 &&
		 pages->cells[index - 1].x + 1 + cells <= canvas->width) /* in the previous line */
		canvas_text(canvas, cell->y - 1, pages->cells[index - 1].x + 1, STYLE_DIM, text, cells);
	else if (cell->y > 0)
		canvas_fill(canvas, cell->y - 1, pages->cells[index - 1].x + 1, STYLE_DIM, '~', 1);
}

static void draw_addresses(const struct pages_state *pages, const struct canvas *canvas)
{
	int last = -1;

	for (size_t i = pages->first; i < pages->n_cells; i++) {
		const struct map_cell *cell = &pages->cells[i];

		if (cell->y <= last)
			continue;
		last = cell->y;
		canvas_print(canvas, cell->y, 0, STYLE_DIM, "%012llx", (unsigned long long)cell->start);
	}
}

static void draw_cells(const struct pages_state *pages, const struct canvas *canvas)
{
	bool marked = pages->mark.set && map_mark_fits(pages);
	size_t next = 0;

	for (size_t i = 0; i < pages->n_cells; i++) {
		const struct map_cell *cell = &pages->cells[i];

		if (cell->y < 0)
			continue;
		draw_hole(pages, canvas, i);
		if (marked)
			draw_difference(canvas, cell, map_marked(&pages->mark, cell, &next));
		else
			draw_cell(canvas, cell);
	}
}

/* Beside the addresses. */
static struct canvas cells_of(const struct pages_state *pages, const struct canvas *canvas)
{
	bool long_ones = pages->n_cells > 0 && pages->cells[pages->n_cells - 1].end >> 48;
	int addresses = canvas->width < ADDRESSES_FROM_WIDTH ? 0
			: long_ones                          ? ADDRESS_CELLS_LONG
							     : ADDRESS_CELLS;

	return canvas_part(canvas, 0, addresses, canvas->height, canvas->width - addresses);
}

static void draw_map(const struct pane_context *context, const struct canvas *canvas)
{
	const struct pages_state *pages = context->state;
	struct canvas cells = cells_of(pages, canvas);
	size_t selected;

	if (pages->n_cells == 0)
		return;
	if (cells.width < canvas->width)
		draw_addresses(pages, canvas);
	draw_cells(pages, &cells);
	selected = map_selected(pages);
	if (pages->cells[selected].y >= 0)
		canvas_restyle(&cells, pages->cells[selected].y, pages->cells[selected].x, 1, STYLE_CELL);
}

static int draw_size(const struct pane_context *context, const struct canvas *canvas, int x, const char *name,
		     const char *column)
{
	double bytes = pages_total(context, column);
	char text[TEXT_MAX], size[VALUE_TEXT_MAX];

	snprintf(text, sizeof(text), "%s %s", name, isnan(bytes) ? "-" : size_short(size, bytes));
	return canvas_piece(canvas, 0, x, STYLE_NORMAL, text);
}

static int draw_exit(const struct pane_context *context, const struct canvas *canvas, int x, const char *name)
{
	const struct pages_state *pages = context->state;
	char text[TEXT_MAX];

	if (screen_replays(context))
		snprintf(text, sizeof(text), "%s",
			 pages->n_cells > 0 ? _("exited; last map shown") : _("exited"));
	else if (pages->n_cells > 0)
		snprintf(text, sizeof(text), _("exited; last map shown; Follow (F9) waits for the next %s"),
			 name);
	else
		snprintf(text, sizeof(text), _("exited; Follow (F9) waits for the next %s"), name);
	return canvas_piece(canvas, 0, x, STYLE_STRONG, text);
}

static void draw_header(const struct pane_context *context, const struct canvas *canvas)
{
	const struct pages_state *pages = context->state;
	const struct table *table = context_table(context, PAGES_TABLE_TOTAL);
	const void *row = table_row(table, 0);
	bool gone = strcmp(table_text(table, row, "state"), "gone") == 0;
	char text[TEXT_MAX], pid[VALUE_TEXT_MAX], minor[VALUE_TEXT_MAX], major[VALUE_TEXT_MAX];
	double done = pages_total(context, "map_done_ratio");
	int x = canvas_piece(canvas, 0, 0, STYLE_STRONG, table_text(table, row, "command"));

	snprintf(text, sizeof(text), "PID %s", fixed_text(pid, table_number(table, row, "pid"), 0));
	x = canvas_piece(canvas, 0, x, STYLE_NORMAL, text);
	if (gone)
		x = draw_exit(context, canvas, x, table_text(table, row, "command"));
	x = draw_size(context, canvas, x, _("RSS"), "vm_resident_bytes");
	x = draw_size(context, canvas, x, _("SWAP"), "vm_swap_bytes");
	x = draw_size(context, canvas, x, _("VIRT"), "vm_size_bytes");
	if (!isnan(pages_total(context, "proportional_bytes")))
		x = draw_size(context, canvas, x, _("PSS"), "proportional_bytes");
	if (context->view == PAGES_VIEW_MAP && pages->n_cells > 0 && canvas->height < RULE_FROM_LINES)
		x = canvas_piece(canvas, 0, x, STYLE_NORMAL, map_cell_text(pages, text, sizeof(text)));
	snprintf(text, sizeof(text), _("faults minor %s/s major %s/s"),
		 rate_text(minor, pages_total(context, "minor_faults_per_second")),
		 rate_text(major, pages_total(context, "major_faults_per_second")));
	if (!gone)
		x = canvas_piece(canvas, 0, x, STYLE_NORMAL, text);
	if (done < 1) {
		snprintf(text, sizeof(text), _("next map %.0f %%"), 100 * done);
		canvas_piece(canvas, 0, x, STYLE_NOTICE, text);
	}
}

/* The legend omits kinds that this kernel cannot distinguish. */
static bool can_be(const struct pages_state *pages, enum kind kind)
{
	const struct map_cell *cell = &pages->cells[0];

	return kind == WRITTEN                      ? cell->soft_dirty != U64_UNKNOWN
	       : kind == HUGE_PAGES || kind == ZERO ? cell->huge != U64_UNKNOWN
	       : kind == KSM                        ? cell->ksm != U64_UNKNOWN
						    : true;
}

static int draw_sign(const struct canvas *canvas, int y, int x, enum style style, uint32_t glyph,
		     const char *name)
{
	char text[TEXT_MAX], sign[UTF8_BYTES_MAX + 1];

	sign[utf8_put(sign, glyph)] = '\0';
	snprintf(text, sizeof(text), "%s %s", sign, name);
	return canvas_piece(canvas, y, x, style, text);
}

static int draw_kinds(const struct pages_state *pages, const struct canvas *canvas, int y)
{
	char shades[TEXT_MAX];
	int x = 0;

	snprintf(shades, sizeof(shades), "░▒▓█ %s", /* xgettext:no-c-format */ _("anon 0 to 100 %"));
	for (unsigned i = 0; i < N_KINDS && pages->n_cells > 0; i++) {
		enum style style = (enum style)(STYLE_SERIES + kinds[i].look);

		if (!can_be(pages, (enum kind)i))
			continue;
		if (i == ANONYMOUS && !canvas->glyphs->ascii)
			x = canvas_piece(canvas, y, x, style, shades);
		else
			x = draw_sign(canvas, y, x, style, (uint32_t)kinds[i].letter, _(kinds[i].name));
	}
	return draw_sign(canvas, y, x, STYLE_DIM, canvas->glyphs->empty, _("absent"));
}

/* A cell that has changed keeps its glyph. */
static void draw_signs(const struct canvas *canvas, int y, int x)
{
	char hole[TEXT_MAX];

	x = draw_sign(canvas, y, x, STYLE_NEW, canvas->glyphs->ascii ? 'A' : 0x2588,
		      _("changed since the last sample"));
	x = canvas_piece(canvas, y, x, STYLE_DIM, _("small letter: less than half is there"));
	snprintf(hole, sizeof(hole), "%s %s", canvas->glyphs->ascii ? "~ |" : "~ ╎", _("hole"));
	canvas_piece(canvas, y, x, STYLE_DIM, hole);
}

static char *pages_size(const struct pages_state *pages, char *out, uint64_t count)
{
	return size_short(out, (double)count * (double)pages->page_bytes);
}

static void draw_marked(const struct pages_state *pages, const struct canvas *canvas)
{
	char appeared[VALUE_TEXT_MAX], went[VALUE_TEXT_MAX], swapped[VALUE_TEXT_MAX];
	struct difference sum;
	int x;

	compute_difference(pages, &sum);
	canvas_print(canvas, 0, 0, STYLE_NORMAL,
		     _("since %s: + %s new  - %s gone  s %s swapped out (at least)"), sum.mark,
		     pages_size(pages, appeared, sum.appeared), pages_size(pages, went, sum.went),
		     pages_size(pages, swapped, sum.swapped));
	x = draw_sign(canvas, 1, 0, STYLE_DIM, unchanged_glyph(canvas), _("unchanged"));
	draw_sign(canvas, 1, x, STYLE_DIM, canvas->glyphs->empty, _("absent"));
}

/* ", 12.0K swapped"; of a single page only what it is. */
static void add_size(const struct pages_state *pages, const struct map_cell *cell, char *text, size_t room,
		     const char *name, uint64_t count)
{
	size_t length = strlen(text);
	char size[VALUE_TEXT_MAX];

	if (count == U64_UNKNOWN || count == 0)
		return;
	if (cell->pages == 1)
		snprintf(text + length, room - length, ", %s", name);
	else
		snprintf(text + length, room - length, ", %s %s", pages_size(pages, size, count), name);
}

static void add_contents(const struct pages_state *pages, const struct map_cell *cell, char *text,
			 size_t room)
{
	size_t length = strlen(text);
	char size[VALUE_TEXT_MAX];

	snprintf(text + length, room - length, "  %s", pages_size(pages, size, cell->pages));
	length = strlen(text);
	if (cell->present == U64_UNKNOWN) {
		snprintf(text + length, room - length, "%s", _(": not known"));
		return;
	}
	if (cell->present == 0)
		snprintf(text + length, room - length, ", %s", _("absent"));
	add_size(pages, cell, text, room, _("present"), cell->present);
	add_size(pages, cell, text, room, _(kinds[SWAPPED].name), cell->swapped);
	add_size(pages, cell, text, room, _(kinds[FILES].name), cell->file);
	add_size(pages, cell, text, room, _(kinds[WRITTEN].name), cell->soft_dirty);
	add_size(pages, cell, text, room, _(kinds[HUGE_PAGES].name), cell->huge);
	add_size(pages, cell, text, room, _(kinds[ZERO].name), cell->zero);
	add_size(pages, cell, text, room, _(kinds[KSM].name), cell->ksm);
}

/* The frame of a single page, if known. */
static void add_frame(const struct pane_context *context, const struct map_cell *cell, char *text,
		      size_t room)
{
	const struct table *table = context_table(context, PAGES_TABLE_PAGE);
	const void *row = table && table->n_rows > 0 ? table_row(table, 0) : NULL;
	double frame = row ? table_number(table, row, "frame") : NAN,
	       node = row ? table_number(table, row, "node") : NAN;
	size_t length = strlen(text);

	if (cell->pages != 1 || !row || table_number(table, row, "page_address") != (double)cell->start)
		return;
	if (!isnan(frame))
		snprintf(text + length, room - length, _("  frame %.0f"), frame);
	length = strlen(text);
	if (!isnan(node))
		snprintf(text + length, room - length, _("  node %.0f"), node);
}

static void draw_cursor_line(const struct pane_context *context, const struct canvas *canvas, int y)
{
	const struct pages_state *pages = context->state;
	size_t index = map_selected(pages);
	const struct map_cell *cell = &pages->cells[index];
	const struct table *regions = context_table(context, PAGES_TABLE_REGION);
	const struct table *cells = context_table(context, PAGES_TABLE_CELL);
	const void *region = map_region(context, cell->start);
	const char *path = region ? table_text(regions, region, "path") : "";
	uint64_t file_offset = table_u64(cells, table_row(cells, index), "offset_bytes");
	char text[TEXT_MAX], size[VALUE_TEXT_MAX];
	size_t length;

	snprintf(text, sizeof(text), "%012llx  %s %s", (unsigned long long)cell->start,
		 region ? table_text(regions, region, "permissions") : "", *path ? path : _("anonymous"));
	length = strlen(text);
	if (region && file_offset != U64_UNKNOWN)
		snprintf(text + length, sizeof(text) - length, "+0x%llx", (unsigned long long)file_offset);
	add_contents(pages, cell, text, sizeof(text));
	add_frame(context, cell, text, sizeof(text));
	if (map_hole(pages, index) > 0) {
		length = strlen(text);
		snprintf(text + length, sizeof(text) - length, _("  behind a hole of %s"),
			 size_short(size, (double)map_hole(pages, index)));
	}
	canvas_fill(canvas, y, 0, STYLE_KEY, '>', 1);
	canvas_text(canvas, y, 2, STYLE_NORMAL, text, -1);
}

/* Lines by priority: the map, the cell in words, the legend, the history. */
struct map_view {
	struct canvas map, history, legend;
	int cursor; /* line of the cell in words; -1: none */
};

static struct map_view map_view_of(const struct canvas *canvas)
{
	int bottom = canvas->height, cursor = bottom >= 3 ? --bottom : -1;
	int legend = bottom >= LEGEND_FROM_LINES * 2 ? 2 : bottom >= LEGEND_FROM_LINES ? 1 : 0;
	int history = bottom - legend >= GRAPH_FROM_LINES ? GRAPH_LINES : 0;
	int map = bottom - legend - history;

	return (struct map_view){
		.map = canvas_rows(canvas, 0, map),
		.history = canvas_rows(canvas, map, history),
		.legend = canvas_rows(canvas, map + history, legend),
		.cursor = cursor,
	};
}

static void draw_map_view(const struct pane_context *context, const struct canvas *canvas)
{
	const struct pages_state *pages = context->state;
	const struct map_view view = map_view_of(canvas);
	const struct notice *why = context->tables[PAGES_TABLE_CELL].notice;

	if (view.history.height > 0)
		pages_draw_history(context, &view.history);
	draw_map(context, &view.map);
	if (pages->n_cells == 0) {
		int y = canvas_wrapped(canvas, 0, why ? STYLE_NOTICE : STYLE_DIM,
				       span_text(why ? why->text : _("no map yet")));

		if (why && why->remedy)
			canvas_wrapped(canvas, y, STYLE_DIM, span_text(why->remedy));
		return;
	}
	if (pages->mark.set && map_mark_fits(pages)) {
		draw_marked(pages, &view.legend);
	} else {
		int x = draw_kinds(pages, &view.legend, 0);
		bool two = view.legend.height > 1;

		draw_signs(&view.legend, two, two ? 0 : x);
	}
	if (view.cursor >= 0)
		draw_cursor_line(context, canvas, view.cursor);
}

static void clock_text(char *out, size_t room, const char *format, uint64_t wall_ns)
{
	char time[CLOCK_TEXT_MAX];

	clock_local(time, wall_ns, "%H:%M:%S");
	snprintf(out, room, format, time);
}

static void title_map(const struct pane_context *context, char *title, char *right, size_t room)
{
	const struct pages_state *pages = context->state;
	double present = pages_total(context, "present_pages"), mapped = pages_total(context, "mapped_pages");
	char cell[TEXT_MAX], since[TEXT_MAX] = "", some[VALUE_TEXT_MAX], all[VALUE_TEXT_MAX];

	if (pages->n_cells == 0) {
		snprintf(title, room, "%s", _("map"));
		return;
	}
	if (pages->mark.set && map_mark_fits(pages))
		clock_text(since, sizeof(since), _(", changes since %s"), pages->mark.wall_ns);
	snprintf(title, room, _("map: %s%s"), map_cell_text(pages, cell, sizeof(cell)), since);
	if (pages->mark.set && !map_mark_fits(pages))
		snprintf(right, room, "%s", _("zoom changed since the mark: press m to mark again"));
	else if (!isnan(present) && !isnan(mapped))
		snprintf(right, room, _("%s of %s present"),
			 size_short(some, present * (double)pages->page_bytes),
			 size_short(all, mapped * (double)pages->page_bytes));
}

static void title_page(const struct pane_context *context, char *title, char *right, size_t room)
{
	const struct pages_state *pages = context->state;
	const struct table *regions = context_table(context, PAGES_TABLE_REGION);
	const void *region = map_region(context, pages->cursor);
	const char *path = region ? table_text(regions, region, "path") : NULL;
	char size[VALUE_TEXT_MAX];

	snprintf(title, room, _("page %012llx  %s %s"), (unsigned long long)map_page(pages),
		 region ? table_text(regions, region, "permissions") : "",
		 !path   ? _("not mapped")
		 : *path ? path
			 : _("anonymous"));
	snprintf(right, room, "%s", size_short(size, (double)pages->page_bytes));
}

static void title_history(const struct pane_context *context, char *title, char *right, size_t room)
{
	const struct history *history = &context->history;
	const struct frame *frame = context->frame;

	snprintf(title, room, "%s", _("memory over time"));
	if (history->count > 0 && frame->mono_ns >= history_time(history, 0))
		clock_text(right, room, _("since %s"),
			   frame->wall_ns - (frame->mono_ns - history_time(history, 0)));
}

/* Of the views of events and of processes. */
void pages_heading(const struct pane_context *context, char *text, size_t room)
{
	const struct pages_state *pages = context->state;

	if (context->view == PAGES_VIEW_LIST)
		snprintf(text, room, "%s", _("processes: Enter opens the map of one"));
	else if (pages->events_since_ns)
		clock_text(text, room, _("page events of the whole machine since %s"),
			   pages->events_since_ns);
	else
		snprintf(text, room, "%s", _("page events of the whole machine"));
}

static bool has_header(const struct canvas *canvas)
{
	return canvas->height >= 3;
}

/* That of regions is above their table. */
static bool has_title(const struct pane_context *context, const struct canvas *canvas)
{
	bool above_table = context->view == PAGES_VIEW_REGIONS || context->view == PAGES_VIEW_TOUCHED;

	return !above_table && canvas->height >= RULE_FROM_LINES;
}

/* What is left for the view. */
static struct canvas view_canvas(const struct pane_context *context, const struct canvas *canvas)
{
	const struct canvas shown = context_above_notice(context, canvas);

	return canvas_below(&shown, has_header(canvas) + has_title(context, canvas));
}

static void draw_above(const struct pane_context *context, const struct canvas *canvas)
{
	char title[TEXT_MAX] = "", right[TEXT_MAX] = "";

	if (has_header(canvas))
		draw_header(context, canvas);
	if (context->view == PAGES_VIEW_MAP)
		title_map(context, title, right, sizeof(title));
	else if (context->view == PAGES_VIEW_PAGE)
		title_page(context, title, right, sizeof(title));
	else if (context->view == PAGES_VIEW_HISTORY)
		title_history(context, title, right, sizeof(title));
	else if (context->view == PAGES_VIEW_VALUES)
		snprintf(title, sizeof(title), "%s", _("all numbers of the process"));
	if (context->view == PAGES_VIEW_VALUES)
		snprintf(right, sizeof(right), "%u", pages_n_values(context));
	if (has_title(context, canvas))
		canvas_rule(canvas, has_header(canvas), title, right);
}

static void draw_no_process(const struct pane_context *context, const struct canvas *canvas)
{
	int y = canvas->height >= RULE_FROM_LINES ? 1 : 0;

	if (y > 0)
		canvas_rule(canvas, 0, _(context->pane->views[context->view].title), "");
	canvas_text(canvas, y, 0, STYLE_DIM,
		    screen_replays(context) ? pages_no_process(context)
					    : _("no process yet: choose one in the view Processes"),
		    -1);
}

void pages_draw(const struct pane_context *context, struct canvas *canvas)
{
	struct canvas rest;

	if (!pages_has_process(context)) {
		draw_no_process(context, canvas);
		return;
	}
	draw_above(context, canvas);
	rest = view_canvas(context, canvas);
	if (context->view == PAGES_VIEW_MAP)
		draw_map_view(context, &rest);
	else if (context->view == PAGES_VIEW_REGIONS)
		context_draw_titled(context, &rest, PAGES_TABLE_REGION, _("regions"));
	else if (context->view == PAGES_VIEW_TOUCHED)
		pages_draw_touched(context, &rest);
	else if (context->view == PAGES_VIEW_PAGE)
		draw_page(context, &rest);
	else if (context->view == PAGES_VIEW_VALUES)
		pages_draw_values(context, &rest);
	else
		pages_draw_history(context, &rest);
}

void pages_layout(struct pane_context *context, const struct canvas *canvas)
{
	struct pages_state *pages = context_state(context);
	const struct table *bytes = context_table(context, PAGES_TABLE_BYTES);
	const struct canvas rest = view_canvas(context, canvas);
	struct canvas map;

	if (!pages_has_process(context))
		return;
	if (context->view == PAGES_VIEW_MAP) {
		map = map_view_of(&rest).map;
		map = cells_of(pages, &map);
		if (map_layout(pages, &map))
			map_want(context);
	} else if (context->view == PAGES_VIEW_PAGE) {
		limit_scroll(pages, bytes ? (int)bytes->n_rows : 0, rest.height - 1);
	} else if (context->view == PAGES_VIEW_VALUES) {
		limit_scroll(pages, (int)pages_n_values(context), value_columns(&rest) * rest.height);
	}
}

static void why_row(struct buffer *out, const struct table *table, const void *row)
{
	for (unsigned i = 0; table && row && i < table->schema->n_columns; i++)
		if (table->schema->columns[i].kind != COLUMN_KEY &&
		    table->schema->columns[i].type != VALUE_TEXT)
			why_number(out, table->schema, row, table->schema->columns[i].key);
}

static const void *first_row(const struct table *table)
{
	return table && table->n_rows > 0 ? table_row(table, 0) : NULL;
}

static void why_map(const struct pane_context *context, struct buffer *out)
{
	const struct pages_state *pages = context->state;
	const struct table *cells = context_table(context, PAGES_TABLE_CELL);
	const struct table *page = context_table(context, PAGES_TABLE_PAGE);
	const struct map_cell *cell;
	struct difference sum;

	if (pages->n_cells == 0)
		return;
	cell = &pages->cells[map_selected(pages)];
	why_row(out, cells, table_row(cells, map_selected(pages)));
	if (cell->pages == 1 && first_row(page) &&
	    table_u64(page, first_row(page), "page_address") == cell->start)
		why_row(out, page, first_row(page));
	if (!pages->mark.set)
		return;
	compute_difference(pages, &sum);
	for (unsigned i = 1; i < difference_schema.n_columns; i++)
		why_number(out, &difference_schema, &sum, difference_columns[i].key);
}

/* The cell, page or process that is shown. */
void pages_why(const struct pane_context *context, struct buffer *out)
{
	const struct table *page = context_table(context, PAGES_TABLE_PAGE);
	const struct table *total = context_table(context, PAGES_TABLE_TOTAL);
	const struct table *touched, *damon = context_table(context, PAGES_TABLE_DAMON);
	const void *sum = pages_touched_sum(context, &touched);

	if (context->view == PAGES_VIEW_MAP)
		why_map(context, out);
	else if (context->view == PAGES_VIEW_PAGE)
		why_row(out, page, first_row(page));
	else if (context->view == PAGES_VIEW_VALUES)
		why_row(out, total, first_row(total));
	else if (context->view == PAGES_VIEW_TOUCHED)
		why_row(out, touched, sum);
	/* what is known of the machine is not of the row under the cursor either */
	if (context->view == PAGES_VIEW_TOUCHED)
		why_row(out, damon, first_row(damon));
}
