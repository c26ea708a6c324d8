/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view of touched memory: questions before it is measured, a sentence, a map of regions by age, and their
 * table. The kernel has accessed bits by region only: cells of the map say how much, not where in the region.
 */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/span.h"
#include "core/utf8.h"
#include "pane/common.h"
#include "pane/pages/pages.h"

/* CPU time that clearing and reading take, of 4 KiB pages: 20 ms for each, measured on Linux 6.18 */
#define COST_SECONDS_PER_GIB 0.04

static const struct remark sum_remarks[] = {
	{ "state == replaced", N_("it has executed another program: the window begins again") },
	{ "state == ended, not touched_bytes", N_("it has exited before the window ended") },
	{ "state == clearing, not touched_bytes", N_("the accessed bits are being cleared ...") },
	{ "not touched_bytes", N_("nothing was read yet: to read costs as much as to clear") },
	{ "windows > 0", N_("{resident_bytes} resident, {touched_bytes} used in {window_seconds}"
			    "[ ({file_touched_bytes} in files, by it or by others)]"
			    "[; the rest, {untouched_bytes}, was not]") },
	{ NULL, N_("so far {touched_bytes} of {resident_bytes} used, in {window_seconds}") },
};

/* From here on it is worth a word. */
static const char files_notable[] = "file_touched_bytes > 0, file_touched_bytes >= 0.1 * touched_bytes";
static const char rest_notable[] = "untouched_bytes >= 16777216, untouched_bytes >= 0.1 * resident_bytes";

static size_t hide(struct made_fact hidden[2], const struct facts *facts)
{
	size_t n = 0;

	if (!sentence_holds(files_notable, facts))
		hidden[n++] = (struct made_fact){ "file_touched_bytes", FACT_UNKNOWN };
	if (!sentence_holds(rest_notable, facts))
		hidden[n++] = (struct made_fact){ "untouched_bytes", FACT_UNKNOWN };
	return n;
}

void touched_sentence(struct buffer *out, const struct table *table, const void *row)
{
	const struct row_facts all = { { row_fact }, table, row };
	struct made_fact hidden[2];
	const struct row_facts facts = { { row_fact }, table, row, hidden, hide(hidden, &all.facts) };

	remarks_say(out, REMARKS(sum_remarks), &facts.facts);
}

#define MAP_LINES_MAX 8
#define MAP_PART 3 /* of the lines */
#define MAP_FROM_LINES 10
#define MACHINE_FROM_LINES 12
#define CELL_BYTES_MIN 4096
#define MINUTE 60
#define LONG (10 * MINUTE)

enum age { AGE_NOW, AGE_MINUTE, AGE_LONG, AGE_EARLIER, AGE_REST, N_AGES };

static const struct {
	uint32_t glyph;
	char letter; /* without Unicode */
	unsigned look;
	const char *name; /* N_() */
} ages[N_AGES] = {
	[AGE_NOW] = { 0x2588, '#', 1, N_("in the last window") },
	[AGE_MINUTE] = { 0x2593, '+', 0, N_("1 min ago at most") },
	[AGE_LONG] = { 0x2592, '-', 2, N_("10 min") },
	[AGE_EARLIER] = { 0x2591, ':', 7, N_("earlier") },
	[AGE_REST] = { 0, '.', 0, N_("not used") },
};

const void *pages_touched_sum(const struct pane_context *context, const struct table **table)
{
	*table = context_table(context, PAGES_TABLE_TOUCHED);
	for (size_t i = 0; *table && i < (*table)->n_rows; i++)
		if (table_number(*table, table_row(*table, i), "start_address") == 0)
			return table_row(*table, i);
	return NULL;
}

static double window_of(const struct pane_context *context)
{
	return context->settings->pages.touched_window_seconds;
}

/* A sentence about the process and the window to come; returns text. */
static char *sentence_of(const struct pane_context *context, char *text, const char *sentence)
{
	double resident = pages_total(context, "vm_resident_bytes");
	char process[128];
	const struct made_fact made[] = {
		{ "process", { .text = pages_process_text(context, process, sizeof(process)) } },
		{ "bytes", number_fact(resident, UNIT_BYTES) },
		{ "cost", number_fact(resident / 0x1p30 * COST_SECONDS_PER_GIB, UNIT_SECONDS),
		  "page_total.vm_resident_bytes / 1 GiB * 0.04 s, an estimate" },
		{ "window", { .number = window_of(context), .unit = UNIT_SECONDS } },
	};
	const struct row_facts facts = { { row_fact }, .made = made, .n_made = 4, .frame = context->frame };

	return sentence_text(text, sentence, &facts.facts);
}

/* Before there is a window. */
static void draw_question(const struct pane_context *context, const struct canvas *canvas)
{
	const struct {
		enum style style;
		const char *text;
	} lines[] = {
		{ STYLE_NORMAL,
		  _("Enter measures it, after a question: the accessed bits of its pages are cleared, and "
		    "read {window} later; F9 has more: another window, one window after the other.") },
		{ STYLE_NORMAL,
		  _("Cost: about {cost} of CPU time for {bytes} in 4 KiB pages, less for huge pages; the "
		    "process is blocked in mmap() and munmap() meanwhile, and its next access to each page "
		    "is slower.") },
		{ STYLE_NORMAL,
		  _("This clears the kernel's accessed bits, so reclaim may pick these pages until they are "
		    "used again; it is never done in the background.") },
		{ STYLE_DIM,
		  _("The kernel shows what was used by region, not by page; huge pages count whole, pages of "
		    "files also when others use them, hugetlb not at all.") },
	};
	char text[TEXT_MAX];
	int y = canvas_wrapped(canvas, 0, STYLE_STRONG,
			       span_text(_("How much memory does this process really use?")));

	if (screen_replays(context)) {
		canvas_wrapped(
			canvas, y, STYLE_DIM,
			span_text(_("Nothing was measured then: this is never done in the background.")));
		return;
	}
	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		y += 1 + canvas_wrapped(canvas, y + 1, lines[i].style,
					span_text(sentence_of(context, text, lines[i].text)));
}

/* Bytes of one age, in the order of addresses, which cells are cut from. */
struct piece {
	double bytes;
	enum age age;
};

/* What was used of a region, and the rest of it. */
static void split_region(const struct table *table, const void *row, struct piece pieces[2])
{
	double resident = table_number(table, row, "resident_bytes");
	double used = table_number(table, row, "last_touched_bytes");
	double age = table_number(table, row, "age_seconds");

	used = used > 0 ? fmin(used, resident) : 0;
	pieces[0] = (struct piece){ used, table_number(table, row, "touched_bytes") > 0 ? AGE_NOW
					  : age <= MINUTE                               ? AGE_MINUTE
					  : age <= LONG                                 ? AGE_LONG
					  : age > LONG                                  ? AGE_EARLIER
											: AGE_REST };
	pieces[1] = (struct piece){ resident - used, AGE_REST };
}

struct cutter {
	const struct canvas *canvas;
	double cell_bytes, filled;
	double by_age[N_AGES];
	int n_cells;
};

static void draw_cell(struct cutter *cutter)
{
	const struct canvas *canvas = cutter->canvas;
	enum age most = AGE_NOW;
	bool ascii = canvas->glyphs->ascii;

	for (unsigned i = 0; i < N_AGES; i++)
		if (cutter->by_age[i] > cutter->by_age[most])
			most = (enum age)i;
	canvas_fill(canvas, cutter->n_cells / canvas->width, cutter->n_cells % canvas->width,
		    most == AGE_REST ? STYLE_DIM : (enum style)(STYLE_SERIES + ages[most].look),
		    ascii              ? (uint32_t)ages[most].letter
		    : most == AGE_REST ? canvas->glyphs->empty
				       : ages[most].glyph,
		    1);
	cutter->n_cells++;
	cutter->filled = 0;
	memset(cutter->by_age, 0, sizeof(cutter->by_age));
}

static void cut_piece(struct cutter *cutter, struct piece piece)
{
	while (piece.bytes > 0 && cutter->n_cells < cutter->canvas->width * cutter->canvas->height) {
		double part = fmin(piece.bytes, cutter->cell_bytes - cutter->filled);

		cutter->by_age[piece.age] += part;
		cutter->filled += part;
		piece.bytes -= part;
		if (cutter->filled >= cutter->cell_bytes)
			draw_cell(cutter);
	}
}

static void draw_ages(const struct table *table, const struct canvas *canvas, double cell_bytes)
{
	struct cutter cutter = { .canvas = canvas, .cell_bytes = cell_bytes };
	struct piece pieces[2];

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (table_number(table, row, "start_address") == 0)
			continue;
		split_region(table, row, pieces);
		cut_piece(&cutter, pieces[0]);
		cut_piece(&cutter, pieces[1]);
	}
	if (cutter.filled > 0)
		draw_cell(&cutter);
}

static void draw_legend(const struct canvas *canvas, double cell_bytes)
{
	char text[TEXT_MAX], size[VALUE_TEXT_MAX], sign[UTF8_BYTES_MAX + 1];
	bool ascii = canvas->glyphs->ascii;
	int x;

	snprintf(text, sizeof(text), _("1 cell = %s"), size_short(size, cell_bytes));
	x = canvas_piece(canvas, 0, 0, STYLE_NORMAL, text);
	for (unsigned i = 0; i < N_AGES; i++) {
		uint32_t glyph = ascii           ? (uint32_t)ages[i].letter
				 : i == AGE_REST ? canvas->glyphs->empty
						 : ages[i].glyph;

		sign[utf8_put(sign, glyph)] = '\0';
		snprintf(text, sizeof(text), "%s %s", sign, _(ages[i].name));
		x = canvas_piece(canvas, 0, x,
				 i == AGE_REST ? STYLE_DIM : (enum style)(STYLE_SERIES + ages[i].look), text);
	}
}

/* Returns the lines that it took. */
static int draw_map(const struct table *table, const void *sum, const struct canvas *canvas)
{
	int lines = canvas->height / MAP_PART < MAP_LINES_MAX ? canvas->height / MAP_PART : MAP_LINES_MAX;
	struct canvas map = canvas_rows(canvas, 0, lines), legend;
	double resident = table_number(table, sum, "resident_bytes");
	double cell_bytes = CELL_BYTES_MIN;

	if (canvas->height < MAP_FROM_LINES || !(resident > 0) || canvas->width <= 0)
		return 0;
	/* a power of two, so that the cells do not change with every page */
	while (cell_bytes * lines * canvas->width < resident)
		cell_bytes *= 2;
	lines = (int)ceil(ceil(resident / cell_bytes) / canvas->width);
	legend = canvas_rows(canvas, lines, 1);
	draw_ages(table, &map, cell_bytes);
	draw_legend(&legend, cell_bytes);
	return lines + 1;
}

static int draw_sentence(const struct pane_context *context, const struct table *table, const void *sum,
			 const struct canvas *canvas)
{
	static const struct remark remarks[] = {
		{ "state == ended, touched_bytes", N_("it has exited since") },
		{ "live, open_seconds", N_("window open: {open_seconds} of {window}") },
	};
	const struct made_fact made[] = {
		{ "live", { .text = screen_replays(context) ? "" : "yes" } },
		{ "window", { .number = window_of(context), .unit = UNIT_SECONDS } },
	};
	const struct row_facts facts = { { row_fact }, table, sum, made, 2 };
	struct buffer text = BUFFER_HERE;
	int y;

	touched_sentence(&text, table, sum);
	y = canvas_wrapped(canvas, 0, STYLE_STRONG, span_of(text.bytes, text.length));
	buffer_free(&text);
	return y + draw_remarks(canvas, y, STYLE_DIM, REMARKS(remarks), &facts.facts);
}

/* Of the whole machine, where the kernel keeps it: on the last line. */
static struct canvas draw_machine(const struct pane_context *context, const struct canvas *canvas)
{
	static const struct remark remarks[] = {
		{ "p50_seconds > 0, p90_seconds",
		  /* xgettext:no-c-format */
		  N_("the machine, by DAMON_STAT: half of its memory not used for {p50_seconds}, 10 % of it "
		     "for {p90_seconds}") },
		{ "p50_seconds, p90_seconds > 0",
		  /* xgettext:no-c-format */
		  N_("the machine, by DAMON_STAT: half of its memory is in use, 10 % not used for "
		     "{p90_seconds}") },
		{ "p50_seconds, p90_seconds",
		  /* xgettext:no-c-format */
		  N_("the machine, by DAMON_STAT: 90 % of its memory is in use") },
	};
	const struct table *table = context_table(context, PAGES_TABLE_DAMON);
	const struct row_facts facts = { { row_fact }, table,
					 table && table->n_rows > 0 ? table_row(table, 0) : NULL };
	struct buffer text = BUFFER_HERE;
	struct canvas rest = *canvas;

	if (canvas->height >= MACHINE_FROM_LINES && remarks_say(&text, REMARKS(remarks), &facts.facts) >= 0) {
		buffer_char(&text, '\0');
		canvas_text(canvas, canvas->height - 1, 0, STYLE_DIM, text.bytes, -1);
		rest = canvas_rows(canvas, 0, canvas->height - 1);
	}
	buffer_free(&text);
	return rest;
}

void pages_draw_touched(const struct pane_context *context, const struct canvas *canvas)
{
	const struct notice *notice = context->tables[PAGES_TABLE_TOUCHED].notice;
	const struct table *table;
	const void *sum = pages_touched_sum(context, &table);
	struct canvas rest = draw_machine(context, canvas);
	int y = 0;

	if (!sum) {
		if (notice)
			y = canvas_wrapped(&rest, 0, STYLE_NOTICE, span_text(notice->text));
		rest = canvas_below(&rest, y);
		draw_question(context, &rest);
		return;
	}
	rest = canvas_below(&rest, draw_sentence(context, table, sum, &rest));
	rest = canvas_below(&rest, draw_map(table, sum, &rest));
	context_draw_titled(context, &rest, PAGES_TABLE_TOUCHED, _("touched memory by region"));
}

/* Without done it only checks whether it is possible. */
static bool act(struct pane_context *context, const char *verb, bool timed,
		void (*done)(struct pane_context *context, int error))
{
	char action[128], seconds[32] = "", why[TEXT_MAX];
	const char *remedy;
	int error;

	if (timed)
		snprintf(seconds, sizeof(seconds), " %.3f", window_of(context));
	snprintf(action, sizeof(action), "%s%s %.0f %.6f", verb, seconds, pages_total(context, "pid"),
		 pages_total(context, "start_seconds"));
	error = screen_act(context, "touched", action, done, &remedy);
	if (error == -EAGAIN)
		screen_warn(
			context->screen, MESSAGE_PANE, "%s",
			context->view == PAGES_VIEW_TOUCHED
				? _("not yet: the next sample prepares it")
				: _("not in this view: touched memory is measured while the view Touched is "
				    "shown"));
	else if (error == -EBUSY)
		screen_warn(context->screen, MESSAGE_PANE, "%s", _("its page tables are still being read"));
	else if (error)
		screen_warn(context->screen, MESSAGE_PANE, "%s", failure_text(why, error, remedy));
	return !error;
}

static void started(struct pane_context *context, int error)
{
	char text[TEXT_MAX];

	if (error)
		return;
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       sentence_of(context, text, _("a window of {window} has begun")));
	screen_sample_now(context);
}

static void start_once(struct pane_context *context)
{
	act(context, "look", true, started);
}

static void start_again(struct pane_context *context)
{
	act(context, "watch", true, started);
}

static void ask(struct pane_context *context, const char *verb, const char *question,
		void (*yes)(struct pane_context *context))
{
	const char *why = pages_no_process(context);
	char text[TEXT_MAX];

	if (why)
		screen_warn(context->screen, MESSAGE_PANE, "%s", why);
	else if (act(context, verb, true, NULL))
		screen_ask(context, sentence_of(context, text, question), yes);
}

void pages_touch_once(struct pane_context *context)
{
	ask(context, "look",
	    _("Clear the accessed bits of {process} ({bytes}: about {cost} of CPU time) and read them "
	      "{window} later? Reclaim sees its pages as idle meanwhile"),
	    start_once);
}

void pages_touch_again(struct pane_context *context)
{
	ask(context, "watch",
	    _("Clear the accessed bits of {process} ({bytes}: about {cost} of CPU time) every {window} while "
	      "this view is shown? Reclaim sees its pages as idle"),
	    start_again);
}

static void stopped(struct pane_context *context, int error)
{
	if (error)
		return;
	screen_message(context->screen, MESSAGE_PANE, "%s", _("stopped: no window is open"));
	screen_sample_now(context);
}

void pages_touch_stop(struct pane_context *context)
{
	act(context, "stop", false, stopped);
}

static bool take_window(struct pane_context *context, const char *text, char *error, size_t room)
{
	double seconds;
	char message[TEXT_MAX], window[VALUE_TEXT_MAX];

	if (!span_whole_seconds(text, 0.2, 86400, &seconds)) {
		snprintf(error, room, "%s", _("use 0.2 to 86400 seconds, or a unit, as in 2m"));
		return false;
	}
	snprintf(message, sizeof(message), _("the next window has %s"), stretch_text(window, seconds));
	screen_set(context, "touched-window", text, message);
	return true;
}

void pages_touch_window(struct pane_context *context)
{
	char text[32];

	snprintf(text, sizeof(text), "%g", window_of(context));
	screen_prompt(context, _("window in seconds:"), text, take_window);
}
