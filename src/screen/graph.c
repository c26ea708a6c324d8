/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bar of the current values and a stacked graph of the past, in blocks, braille dots or letters. */
#include <config.h>

#include "screen/graph.h"

#include <math.h>
#include <stdio.h>

#include "core/i18n.h"
#include "core/utf8.h"

#define LABEL_CELLS 8
#define NOTHING (-1)

static uint32_t fill_of(const struct canvas *canvas, const struct graph_part *part)
{
	uint32_t glyph = canvas->glyphs->fill[part->look];

	return glyph ? glyph : (unsigned char)part->letter;
}

static enum style style_of(const struct graph_part *part)
{
	return (enum style)(STYLE_SERIES + part->look);
}

/* The part that covers the share at (0 to 1) of the whole; NOTHING above all parts. */
static int part_at(const double *shares, unsigned n_parts, double at)
{
	double sum = 0;

	for (unsigned i = 0; i < n_parts; i++) {
		sum += isnan(shares[i]) ? 0 : shares[i];
		if (at < sum)
			return (int)i;
	}
	return NOTHING;
}

/* The scale of a bar: its last cell also stands for 100 %. */
static bool ends_quarter(int cell, int width)
{
	return (cell + 1) * 4 / width > cell * 4 / width;
}

void graph_bar(const struct canvas *canvas, int y, int x, int width, const struct graph_part *parts,
	       unsigned n_parts, double whole)
{
	double shares[GRAPH_PARTS_MAX];

	for (unsigned i = 0; i < n_parts; i++)
		shares[i] = whole > 0 ? parts[i].value / whole : NAN;
	for (int cell = 0; cell < width; cell++) {
		int part = part_at(shares, n_parts, (cell + 0.5) / width);

		if (part == NOTHING && ends_quarter(cell, width))
			canvas_fill(canvas, y, x + cell, STYLE_NORMAL, canvas->glyphs->empty, 1);
		else if (part != NOTHING)
			canvas_fill(canvas, y, x + cell, style_of(&parts[part]),
				    fill_of(canvas, &parts[part]), 1);
	}
}

#define LEGEND_MAX (GRAPH_PARTS_MAX + 1)
#define LEGEND_GAP_MAX 2
#define LEGEND_GAP_MIN 1

struct legend_entry {
	uint32_t glyph; /* 0: none, for what belongs to no part */
	enum style style;
	const char *label;
	double share;
};

/* How a legend is laid out. */
struct legend_form {
	unsigned n_valued; /* this many entries have values */
	int gap;           /* cells between entries */
	bool padded;       /* 9 % is as wide as 10 %, so that the following text does not move */
};

static int legend_text(const struct canvas *canvas, const struct legend_entry *entry, bool valued,
		       bool padded, char *text, size_t room)
{
	char value[16] = "-";

	if (!isnan(entry->share))
		snprintf(value, sizeof(value), "%.0f %%", 100 * entry->share);
	if (valued)
		snprintf(text, room, "%s%s %-*s", entry->glyph ? " " : "", entry->label, padded ? 4 : 0,
			 value);
	else
		snprintf(text, room, "%s%s", entry->glyph ? " " : "", entry->label);
	return (entry->glyph ? 1 : 0) + utf8_cells(text, canvas->ascii);
}

static bool legend_fits(const struct canvas *canvas, const struct legend_entry *entries, unsigned n,
			struct legend_form form)
{
	int width = -form.gap;
	char text[TEXT_MAX];

	for (unsigned i = 0; i < n; i++)
		width +=
			legend_text(canvas, &entries[i], i < form.n_valued, form.padded, text, sizeof(text)) +
			form.gap;
	return width <= canvas->width;
}

static void draw_legend(const struct canvas *canvas, int y, const struct legend_entry *entries, unsigned n,
			struct legend_form form)
{
	char text[TEXT_MAX];
	int x = 0;

	for (unsigned i = 0; i < n; i++) {
		int cells = legend_text(canvas, &entries[i], i < form.n_valued, form.padded, text,
					sizeof(text));

		if (x + cells > canvas->width)
			return;
		if (entries[i].glyph)
			canvas_fill(canvas, y, x, entries[i].style, entries[i].glyph, 1);
		canvas_text(canvas, y, x + (entries[i].glyph ? 1 : 0), STYLE_NORMAL, text, -1);
		x += cells + form.gap;
	}
}

void graph_legend(const struct canvas *canvas, int y, const struct graph_part *parts, unsigned n_parts,
		  double whole, const char *rest_label)
{
	struct legend_entry entries[LEGEND_MAX] = { 0 };
	struct legend_form form = { .gap = LEGEND_GAP_MAX, .padded = true };
	unsigned n = 0;
	double rest = 1;

	for (; n < n_parts; n++) {
		double share = whole > 0 ? parts[n].value / whole : NAN;

		rest -= share;
		entries[n] = (struct legend_entry){ fill_of(canvas, &parts[n]), style_of(&parts[n]),
						    parts[n].label, share };
	}
	if (rest_label)
		entries[n++] =
			(struct legend_entry){ 0, STYLE_NORMAL, rest_label, rest < 0 ? 0 : rest };
	form.n_valued = n;
	while (form.gap > LEGEND_GAP_MIN && !legend_fits(canvas, entries, n, form))
		form.gap--;
	form.padded = legend_fits(canvas, entries, n, form);
	while (form.n_valued > 0 && !legend_fits(canvas, entries, n, form))
		form.n_valued--;
	draw_legend(canvas, y, entries, n, form);
}

/*
 * How long a sample is valid: a little longer than the time between samples, so that a late one leaves no gap
 * but a pause does.
 */
static double hold_seconds(const struct history *history, size_t index, double step_seconds)
{
	size_t first = index > 0 ? index - 1 : 0;
	double gap = 0;

	if (first + 1 < history->count)
		gap = (double)(history_time(history, first + 1) - history_time(history, first)) / 1e9;
	return HISTORY_HOLD_STEPS * fmax(gap, step_seconds);
}

/* The sample that is valid at time: the last one before it unless it is too old; NOTHING if there is none. */
static long sample_at(const struct history *history, uint64_t time, double step_seconds)
{
	long found = history_find(history, time);

	if (found < 0 || (double)(time - history_time(history, (size_t)found)) >
				 hold_seconds(history, (size_t)found, step_seconds) * 1e9)
		return NOTHING;
	return found;
}

/* Shares of the parts in column cells (or half cells) from the right edge; false when unknown. */
static bool shares_at(const struct history *history, const struct graph_part *parts, unsigned n_parts,
		      const struct graph_scale *scale, double seconds_ago, double *shares)
{
	uint64_t ago = (uint64_t)(seconds_ago * 1e9);
	long sample = ago > scale->now_ns ? NOTHING
					  : sample_at(history, scale->now_ns - ago, scale->step_seconds);
	double whole = sample == NOTHING	      ? NAN
		       : scale->whole == GRAPH_OF_ONE ? 1
						      : history_value(history, scale->whole, (size_t)sample);

	if (!(whole > 0))
		return false;
	for (unsigned i = 0; i < n_parts; i++)
		shares[i] = history_value(history, parts[i].series, (size_t)sample) / whole;
	return true;
}

void graph_axis(const struct canvas *canvas, int cells, const char *top, const char *bottom)
{
	int last = canvas->height - 1;

	canvas_right(canvas, 0, 0, cells - 1, STYLE_DIM, top);
	canvas_right(canvas, last, 0, cells - 1, STYLE_DIM, bottom);
	for (int y = 0; y <= last; y++)
		canvas_fill(canvas, y, cells, STYLE_DIM,
			    y == 0      ? canvas->glyphs->tick
			    : y == last ? canvas->glyphs->corner
					: canvas->glyphs->axis,
			    1);
}

static void draw_cells(const struct canvas *plot, const struct history *history,
		       const struct graph_part *parts, unsigned n_parts, const struct graph_scale *scale,
		       double column_seconds)
{
	double shares[GRAPH_PARTS_MAX];

	for (int x = 0; x < plot->width; x++) {
		if (!shares_at(history, parts, n_parts, scale, (plot->width - 1 - x) * column_seconds,
			       shares))
			continue;
		for (int y = 0; y < plot->height; y++) {
			int part = part_at(shares, n_parts, (plot->height - y - 0.5) / plot->height);

			if (part != NOTHING)
				canvas_fill(plot, y, x, style_of(&parts[part]), fill_of(plot, &parts[part]),
					    1);
		}
	}
}

/* Bits of the dots of a braille cell by line and half; the glyph of a part is its texture. */
static const unsigned char dot_bits[4][2] = {
	{ 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
};

struct dots {
	uint32_t bits;
	unsigned counts[GRAPH_PARTS_MAX]; /* dots of each part: the largest number gives the colour */
};

static void add_dots(struct dots *dots, const struct canvas *plot, const struct graph_part *parts,
		     const double *shares, unsigned n_parts, int y, int half)
{
	for (int dot = 0; dot < 4; dot++) {
		double at = (4 * (plot->height - y) - dot - 0.5) / (4 * plot->height);
		int part = part_at(shares, n_parts, at);

		if (part == NOTHING)
			continue;
		dots->counts[part]++;
		dots->bits |= dot_bits[dot][half] & (plot->glyphs->fill[parts[part].look] - 0x2800);
	}
}

static void draw_dot_cell(const struct canvas *plot, int y, int x, const struct dots *dots,
			  const struct graph_part *parts, unsigned n_parts)
{
	unsigned most = 0;

	for (unsigned i = 1; i < n_parts; i++)
		if (dots->counts[i] > dots->counts[most])
			most = i;
	if (dots->bits)
		canvas_fill(plot, y, x, style_of(&parts[most]), 0x2800 + dots->bits, 1);
}

static void draw_dots(const struct canvas *plot, const struct history *history,
		      const struct graph_part *parts, unsigned n_parts, const struct graph_scale *scale,
		      double column_seconds)
{
	double shares[2][GRAPH_PARTS_MAX];

	for (int x = 0; x < plot->width; x++) {
		bool known[2];

		for (int half = 0; half < 2; half++)
			known[half] = shares_at(history, parts, n_parts, scale,
						(plot->width - x - 0.5 * (half + 1)) * column_seconds,
						shares[half]);
		for (int y = 0; y < plot->height; y++) {
			struct dots dots = { 0 };

			for (int half = 0; half < 2; half++)
				if (known[half])
					add_dots(&dots, plot, parts, shares[half], n_parts, y, half);
			draw_dot_cell(plot, y, x, &dots, parts, n_parts);
		}
	}
}

static void draw_marks(const struct canvas *plot, const struct history *history,
		       const struct graph_scale *scale, double column_seconds)
{
	for (unsigned i = 0; i < history->n_marks; i++) {
		const struct history_mark *mark = &history->marks[i];
		char letter[2] = { mark->letter, '\0' };
		int x;

		if (mark->mono_ns > scale->now_ns)
			continue;
		x = plot->width - 1 - (int)((double)(scale->now_ns - mark->mono_ns) / 1e9 / column_seconds);
		if (x < 0)
			continue;
		canvas_text(plot, 0, x, STYLE_WARN, letter, 1);
		for (int y = 1; y < plot->height; y++)
			canvas_fill(plot, y, x, STYLE_WARN, plot->glyphs->mark, 1);
	}
}

void graph_stacked(const struct canvas *canvas, const struct history *history, const struct graph_part *parts,
		   unsigned n_parts, const struct graph_scale *scale)
{
	struct canvas plot = canvas_part(canvas, 0, LABEL_CELLS + 1, canvas->height, canvas->width);
	double seconds;

	if (plot.width <= 0 || plot.height <= 1)
		return;
	seconds = scale->span_seconds > 0 ? scale->span_seconds / plot.width : scale->step_seconds;
	graph_axis(canvas, LABEL_CELLS, scale->top_label, "0");
	if (canvas->glyphs->braille)
		draw_dots(&plot, history, parts, n_parts, scale, seconds);
	else
		draw_cells(&plot, history, parts, n_parts, scale, seconds);
	draw_marks(&plot, history, scale, seconds);
}
