/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bars, stacked graphs, areas and lines of the past, in eighths of cells, braille dots or letters. */
#include <config.h>

#include "screen/graph.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "model/units.h"

#define GAPS_MAX 9
#define RECENT_COLUMNS 100 /* fewer have two samples each */
#define JITTER 1.12 /* of a step: below the steps of the ladder */
#define SAMPLES_IN_ONE 1.25 /* a column of so few is one of a single sample: the span is a little shorter */

/* Seconds of a column are one of these. */
static const double ladder[] = { 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 };

static double ladder_up(double seconds)
{
	double decade = pow(10, floor(log10(seconds)));

	for (unsigned i = 0; i < sizeof(ladder) / sizeof(ladder[0]); i++)
		if (ladder[i] * decade >= seconds * (1 - 1e-9))
			return ladder[i] * decade;
	return 10 * decade;
}

static double gap_after(const struct history *history, size_t index)
{
	return (double)(history_time(history, index + 1) - history_time(history, index)) / 1e9;
}

/* The median of the newest gaps: a pause or a late sample changes nothing. */
static double usual_step(const struct history *history, long newest, double otherwise)
{
	double gaps[GAPS_MAX] = { 0 };
	unsigned n_gaps = 0;

	for (long i = newest - 1; i >= 0 && n_gaps < GAPS_MAX; i--) {
		double gap = gap_after(history, (size_t)i);
		unsigned at = n_gaps++;

		for (; at > 0 && gaps[at - 1] > gap; at--)
			gaps[at] = gaps[at - 1];
		gaps[at] = gap;
	}
	return n_gaps > 0 ? gaps[n_gaps / 2] : otherwise;
}

struct graph_time graph_time_of(const struct history *history, uint64_t mono_ns, double span_seconds,
				double step_seconds, int columns)
{
	struct graph_time time = {
		.now_ns = history_clock(history, mono_ns),
		.mono_ns = mono_ns,
		.by_sample = true,
		.columns = columns,
	};
	double per_column, step;

	if (time.columns > GRAPH_COLUMNS_MAX)
		time.columns = GRAPH_COLUMNS_MAX;
	time.step_seconds = usual_step(history, history_find(history, mono_ns), step_seconds);
	if (!(time.step_seconds > 0))
		time.step_seconds = 1;
	time.seconds = time.step_seconds;
	if (time.columns < 2 || span_seconds == 0)
		return time;
	step = ladder_up(time.step_seconds / JITTER);
	per_column = span_seconds != GRAPH_RECENT    ? span_seconds / time.columns / step
		     : time.columns < RECENT_COLUMNS ? 2
						     : 1;
	time.by_sample = per_column > 0.5 && per_column <= SAMPLES_IN_ONE;
	if (per_column <= 0.5)
		time.seconds /= floor(1 / per_column);
	else if (!time.by_sample)
		time.seconds = ladder_up(per_column * step);
	return time;
}

/* Samples of one column stay together as time goes on, so that no column changes after its time. */
long graph_time_column(const struct graph_time *time, uint64_t clock_ns)
{
	double now = (double)time->now_ns / 1e9, then = (double)clock_ns / 1e9, ago;

	ago = time->by_sample ? round((now - then) / time->seconds)
			      : floor(now / time->seconds) - floor(then / time->seconds);
	return time->columns - 1 - (long)fmin(fmax(ago, 0), 1e15);
}

uint64_t graph_time_end(const struct graph_time *time, long column)
{
	double ago = (double)(time->columns - 1 - column), now = (double)time->now_ns / 1e9, end;

	end = time->by_sample ? now - (ago - 0.5) * time->seconds
			      : (floor(now / time->seconds) - ago + 1) * time->seconds;
	end -= time->seconds / 1000; /* it belongs to the next one */
	return end >= now ? time->now_ns : end > 0 ? (uint64_t)(end * 1e9) : 0;
}

/* A sample is valid a little longer than the time between samples, so that only a pause leaves a gap. */
static long columns_held(const struct graph_time *time, const struct history *history, size_t index)
{
	double gap = index > 0 ? gap_after(history, index - 1) : 0;

	return (long)(HISTORY_HOLD_STEPS * fmax(gap, time->step_seconds) / time->seconds);
}

static double folded(enum graph_fold fold, double before, double value, unsigned n_before)
{
	if (n_before == 0 || isnan(before))
		return value;
	if (isnan(value))
		return before;
	return fold == GRAPH_MOST ? fmax(before, value) : before + (value - before) / (n_before + 1);
}

static void fill_held(const struct graph_time *time, long from, long to, double value, double *values)
{
	for (long column = from < 0 ? 0 : from; column <= to && column < time->columns; column++)
		values[column] = value;
}

void graph_time_values(const struct graph_time *time, const struct history *history, unsigned series,
		       enum graph_fold fold, double *values)
{
	uint64_t shown_ns = (uint64_t)((time->columns + 2) * time->seconds * 1e9);
	long newest = history_find(history, time->mono_ns), last = -1, i;
	unsigned n_here = 0;

	for (i = 0; i < time->columns; i++)
		values[i] = NAN;
	i = time->mono_ns > shown_ns ? history_find(history, time->mono_ns - shown_ns) : 0;
	for (i = i < 0 ? 0 : i; i <= newest; i++) {
		uint64_t clock_ns = history_clock(history, history_time(history, (size_t)i));
		long column = graph_time_column(time, clock_ns);
		double value = history_value(history, series, (size_t)i);

		n_here = column == last ? n_here + 1 : 0;
		last = column;
		if (column >= 0)
			values[column] = folded(fold, values[column], value, n_here);
		fill_held(time, column + 1, column + columns_held(time, history, (size_t)i), value, values);
	}
}

#define RANGE_LEAST (1.0 / 256) /* of the whole */
#define STEADY 0.9              /* the least is at least this share of the most: it begins to be constant */
#define STEPS_IN_RANGE 4        /* the ends of a range are multiples of a step */

double levels_top(double least, double most)
{
	double steady = (least / most - STEADY) / (1 - STEADY);

	if (!(most > 0))
		return 1;
	return most * (1 + fmin(fmax(steady, 0), 1));
}

int level_of(double value, double least, double most, int levels)
{
	double share = most > least ? (value - least) / (most - least) : 0;

	if (isnan(value) || levels <= 0)
		return LEVEL_UNKNOWN;
	return 1 + (int)lround(fmin(fmax(share, 0), 1) * (levels - 1));
}

void levels_stack(const double *shares, unsigned n_parts, int levels, int *ends)
{
	double sum = 0;

	for (unsigned i = 0; i < n_parts; i++) {
		sum += shares[i] > 0 ? shares[i] : 0;
		ends[i] = (int)lround(fmin(sum, 1) * levels);
		if (ends[i] == 0 && sum > 0 && i + 1 == n_parts)
			ends[i] = 1;
	}
}

/* The last level at which the part before one that ends here may end, when at most two share a cell. */
static int latest_start(int end, int per_cell)
{
	return end % per_cell == 0 ? end - 1 : (end - 1) / per_cell * per_cell;
}

void levels_bar(const double *shares, unsigned n_parts, int cells, int per_cell, int *ends)
{
	int before = 0, latest = cells * per_cell;
	double sum = 0;

	for (unsigned i = 0; i < n_parts; before = ends[i++]) {
		int cell_end = (before / per_cell + 1) * per_cell, wanted;

		ends[i] = before;
		if (!(shares[i] > 0))
			continue;
		sum += shares[i];
		wanted = (int)lround(fmin(sum, 1) * cells * per_cell);
		ends[i] = wanted > before ? wanted : before + 1;
		if (before % per_cell > 0 && ends[i] < cell_end)
			ends[i] = cell_end;
	}
	for (unsigned i = n_parts; i-- > 0;) {
		ends[i] = ends[i] < latest ? ends[i] : latest > 0 ? latest : 0;
		latest = shares[i] > 0 ? latest_start(ends[i], per_cell) : ends[i];
	}
}

static int overlap(const int *ends, unsigned part, int from, int to)
{
	int begin = part > 0 ? ends[part - 1] : 0, end = ends[part];

	begin = begin > from ? begin : from;
	end = end < to ? end : to;
	return end > begin ? end - begin : 0;
}

struct levels_cell levels_cell(const int *ends, unsigned n_parts, int cell, int per_cell)
{
	struct levels_cell found = { LEVELS_NO_PART, LEVELS_NO_PART, 0 };
	int from = cell * per_cell, most = 0, second = 0, sum = 0;

	for (unsigned i = 0; i < n_parts; i++) {
		int here = overlap(ends, i, from, from + per_cell);

		sum += here;
		if (here > most) {
			second = most;
			found.other = found.part;
			most = here;
			found.part = (int)i;
		} else if (here > second) {
			second = here;
			found.other = (int)i;
		}
	}
	found.filled = sum;
	if (sum < per_cell)
		found.other = LEVELS_NO_PART;
	if (found.other == LEVELS_NO_PART)
		return found;
	if (found.other < found.part) {
		int larger = found.part;

		found.part = found.other;
		found.other = larger;
	}
	found.filled =
		overlap(ends, (unsigned)found.part, from, from + per_cell) * per_cell / (most + second);
	found.filled = found.filled > 0 ? found.filled : 1;
	return found;
}

struct levels_range levels_fit(double least, double most, double whole)
{
	double range = fmax(most - least, whole * RANGE_LEAST), middle = (least + most) / 2, step;
	struct levels_range fit = { 0, whole };

	if (isnan(middle) || !(range > 0))
		return fit;
	least = fmax(middle - range / 2, 0);
	most = middle + range / 2;
	if (least < range)
		range = most;
	step = exp2(floor(log2(range))) / STEPS_IN_RANGE;
	fit.bottom = least < range ? 0 : floor(least / step) * step;
	fit.top = ceil(most / step) * step;
	if (whole > 0 && fit.top > whole && middle <= whole)
		fit.top = whole;
	return fit;
}

#define LABEL_CELLS 8
#define EIGHTHS 8
#define DOTS 4 /* of a braille cell, one above the other */
#define BRAILLE 0x2800
#define AXIS_LINES_MIN 5 /* a graph of fewer lines has no axis of time */
#define TICK_CELLS_MIN 8
#define TICK_CELLS_GOOD 14
#define SECONDS_AXIS_MAX 180 /* a longer axis of time is in minutes or hours */

static bool has_eighths(const struct canvas *canvas)
{
	return !canvas->ascii && !canvas->glyphs->ascii && !canvas->glyphs->braille;
}

/* Colours alone distinguish parts: whole cells then look like part of one. */
static uint32_t fill_of(const struct canvas *canvas, const struct graph_part *part)
{
	bool solid = canvas->color && !canvas->ascii && !canvas->glyphs->ascii;
	uint32_t glyph = canvas->glyphs->fill[solid ? 0 : part->look];

	return glyph ? glyph : (unsigned char)part->letter;
}

static enum style style_of(const struct graph_part *part)
{
	return (enum style)(STYLE_SERIES + part->look);
}

static uint32_t from_below(int eighths)
{
	return 0x2580 + (uint32_t)eighths;
}

static uint32_t from_left(int eighths)
{
	return 0x2590 - (uint32_t)eighths;
}

/* A cell of a bar or stack, for which glyph gives the glyph of its filled eighths. */
static void draw_cell(const struct canvas *canvas, int y, int x, const struct graph_part *parts,
		      const struct levels_cell *cell, int per_cell, uint32_t (*glyph)(int eighths))
{
	const struct graph_part *part = &parts[cell->part];

	if (cell->other != LEVELS_NO_PART) {
		const struct graph_part *other = &parts[cell->other];

		if (canvas_blend(canvas, y, x, part->look, other->look, glyph(cell->filled)))
			return;
		part = 2 * cell->filled < per_cell ? other : part;
	}
	canvas_fill(canvas, y, x, style_of(part),
		    cell->other == LEVELS_NO_PART && cell->filled < per_cell ? glyph(cell->filled)
									     : fill_of(canvas, part),
		    1);
}

/* The scale of a bar: its last cell also stands for 100 %. */
static bool ends_quarter(int cell, int width)
{
	return (cell + 1) * 4 / width > cell * 4 / width;
}

void graph_bar(const struct canvas *canvas, int y, int x, int width, const struct graph_part *parts,
	       unsigned n_parts, double whole)
{
	int per_cell = has_eighths(canvas) && canvas_blends(canvas) ? EIGHTHS : 1, ends[GRAPH_PARTS_MAX];
	double shares[GRAPH_PARTS_MAX];

	for (unsigned i = 0; i < n_parts; i++)
		shares[i] = whole > 0 ? parts[i].value / whole : NAN;
	levels_bar(shares, n_parts, width, per_cell, ends);
	for (int at = 0; at < width; at++) {
		struct levels_cell cell = levels_cell(ends, n_parts, at, per_cell);

		if (cell.part != LEVELS_NO_PART)
			draw_cell(canvas, y, x + at, parts, &cell, per_cell, from_left);
		else if (ends_quarter(at, width))
			canvas_fill(canvas, y, x + at, STYLE_NORMAL, canvas->glyphs->empty, 1);
	}
}

enum style graph_grade_style(enum grade grade, enum style calm)
{
	const enum style styles[] = { calm, STYLE_USAGE_BUSY, STYLE_WARN, STYLE_BAD };

	return styles[grade];
}

/* Without colours they are not reversed, as text is: it would turn what is filled into what is not. */
enum style graph_grade_fill(enum grade grade, enum style calm)
{
	const enum style styles[] = { calm, STYLE_USAGE_BUSY, STYLE_USAGE_ALARM, STYLE_USAGE_CRITICAL };

	return styles[grade];
}

void graph_bar_share(const struct canvas *canvas, int y, int x, int width, double share, enum style style)
{
	int per_cell = has_eighths(canvas) ? EIGHTHS : 1, end;
	uint32_t whole = canvas->glyphs->fill[0] ? canvas->glyphs->fill[0] : '#';

	levels_bar(&share, 1, width, per_cell, &end);
	for (int at = 0; at < width; at++) {
		int filled = levels_cell(&end, 1, at, per_cell).filled;

		if (filled > 0)
			canvas_fill(canvas, y, x + at, style, filled < per_cell ? from_left(filled) : whole,
				    1);
		else if (ends_quarter(at, width))
			canvas_fill(canvas, y, x + at, STYLE_NORMAL, canvas->glyphs->empty, 1);
	}
}

void graph_bar_graded(const struct canvas *canvas, int y, int x, int width, double share, enum grade grade)
{
	graph_bar_share(canvas, y, x, width, share, graph_grade_fill(grade, STYLE_USAGE));
	if (grade >= GRADE_ALARM)
		canvas_fill(canvas, y, x - 1, graph_grade_style(grade, STYLE_NORMAL), '!', 1);
	if (grade == GRADE_CRITICAL)
		canvas_fill(canvas, y, x + width, graph_grade_style(grade, STYLE_NORMAL), '!', 1);
}

void graph_key(const struct canvas *canvas, int y, int x, const struct graph_part *part)
{
	canvas_fill(canvas, y, x, style_of(part), fill_of(canvas, part), 1);
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
	bool signs;        /* "9 %", not "9" */
};

static int legend_text(const struct canvas *canvas, const struct legend_entry *entry, bool valued,
		       const struct legend_form *form, char *text, size_t room)
{
	char value[16] = "-";

	if (!isnan(entry->share))
		snprintf(value, sizeof(value), "%.0f%s", 100 * entry->share, form->signs ? " %" : "");
	if (valued)
		snprintf(text, room, "%s%s %-*s", entry->glyph ? " " : "", entry->label,
			 form->padded ? 4 : 0, value);
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
		width += legend_text(canvas, &entries[i], i < form.n_valued, &form, text, sizeof(text)) +
			 form.gap;
	return width <= canvas->width;
}

static void draw_legend(const struct canvas *canvas, int y, const struct legend_entry *entries, unsigned n,
			struct legend_form form)
{
	char text[TEXT_MAX];
	int x = 0;

	for (unsigned i = 0; i < n; i++) {
		int cells = legend_text(canvas, &entries[i], i < form.n_valued, &form, text, sizeof(text));

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
	struct legend_form form = { .gap = LEGEND_GAP_MAX, .padded = true, .signs = true };
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
	form.signs = legend_fits(canvas, entries, n, form);
	while (form.n_valued > 0 && !legend_fits(canvas, entries, n, form))
		form.n_valued--;
	draw_legend(canvas, y, entries, n, form);
}

/* An axis in column cells, as high as the canvas, with labels for both ends before it. */
static void draw_axis(const struct canvas *canvas, int cells, const char *top, const char *bottom)
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

/* In the one unit of the axis. */
static const char *tick_text(char text[VALUE_TEXT_MAX], double seconds, double step)
{
	if (step >= 3600)
		snprintf(text, VALUE_TEXT_MAX, _("-%g h"), seconds / 3600);
	else if (step >= 60)
		snprintf(text, VALUE_TEXT_MAX, _("-%g min"), seconds / 60);
	else
		snprintf(text, VALUE_TEXT_MAX, _("-%g s"), seconds);
	return text;
}

static double tick_seconds(const struct graph_time *time, int cells)
{
	static const double steps[] = {
		1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400
	};
	double span = time->seconds * time->columns, apart = fmin(TICK_CELLS_GOOD, cells / 2 - 1);
	double least = fmax(apart, TICK_CELLS_MIN) * span / cells;

	if (span > SECONDS_AXIS_MAX)
		least = fmax(least, 60);
	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] >= least)
			return steps[i];
	return 0;
}

/* "-2 min        -1 min           now": each text begins at its moment. */
static void draw_time_axis(const struct canvas *line, const struct graph_time *time)
{
	const char *now = _("now");
	int end = line->width - utf8_cells(now, line->ascii);
	double step = tick_seconds(time, line->width);
	char text[VALUE_TEXT_MAX];

	canvas_right(line, 0, 0, line->width, STYLE_DIM, now);
	for (int i = 1; step > 0; i++) {
		int x = line->width - 1 - (int)lround(i * step / time->seconds * line->width / time->columns);
		int cells = utf8_cells(tick_text(text, i * step, step), line->ascii);

		if (x < 0)
			return;
		if (x + cells < end)
			canvas_text(line, 0, x, STYLE_DIM, text, cells);
	}
}

/* The plot of a graph, without its axes. */
struct plot {
	struct canvas canvas;
	struct graph_time time;
	int halves; /* columns of time in a cell */
};

static void remember_place(const struct canvas *canvas, const struct graph_time *time)
{
	struct graph_places *places = canvas->graphs;

	if (!places || places->count == GRAPH_PLACES_MAX)
		return;
	places->list[places->count++] = (struct graph_place){
		canvas->top, canvas->left, canvas->height, canvas->width, *time,
	};
}

static struct plot plot_of(const struct canvas *canvas, const struct history *history, uint64_t now_ns,
			   double span_seconds, double step_seconds)
{
	struct plot plot = { .canvas = *canvas, .halves = canvas->glyphs->braille ? 2 : 1 };
	int most = GRAPH_COLUMNS_MAX / 2;

	if (canvas->width > most)
		plot.canvas = canvas_part(canvas, 0, canvas->width - most, canvas->height, most);
	plot.time =
		graph_time_of(history, now_ns, span_seconds, step_seconds, plot.canvas.width * plot.halves);
	remember_place(&plot.canvas, &plot.time);
	return plot;
}

bool graph_ago_at(const struct graph_places *places, int y, int x, uint64_t *ago_ns)
{
	for (unsigned i = 0; i < places->count; i++) {
		const struct graph_place *place = &places->list[i];

		if (y < place->top || y >= place->top + place->height || x < place->left ||
		    x >= place->left + place->width)
			continue;
		*ago_ns =
			place->time.now_ns -
			graph_time_end(&place->time,
				       (long)(x - place->left + 1) * place->time.columns / place->width - 1);
		return true;
	}
	return false;
}

static void draw_marks(const struct plot *plot, const struct history *history)
{
	for (unsigned i = 0; i < history->n_marks; i++) {
		const struct history_mark *mark = &history->marks[i];
		char letter[2] = { mark->letter, '\0' };
		long x;

		if (mark->mono_ns > plot->time.mono_ns)
			continue;
		x = graph_time_column(&plot->time, history_clock(history, mark->mono_ns)) / plot->halves;
		if (x < 0)
			continue;
		canvas_text(&plot->canvas, 0, (int)x, STYLE_WARN, letter, 1);
		for (int y = 1; y < plot->canvas.height; y++)
			canvas_fill(&plot->canvas, y, (int)x, STYLE_WARN, plot->canvas.glyphs->mark, 1);
	}
}

/* At the end of each gap that has a cell of its own. */
static void draw_sleeps(const struct plot *plot, const struct history *history)
{
	for (unsigned i = 0; i < history->slept.n; i++) {
		const struct sleep_span *slept = &history->slept.spans[i];
		uint64_t end_ns = history_clock(history, slept->mono_ns);
		long from, end;

		if (slept->mono_ns > plot->time.mono_ns || slept->slept_ns == 0)
			continue;
		end = graph_time_column(&plot->time, end_ns) / plot->halves;
		from = graph_time_column(&plot->time, end_ns - slept->slept_ns) / plot->halves;
		if (end > 0 && end - from > 1)
			canvas_text(&plot->canvas, 0, (int)end - 1, STYLE_DIM, "z", 1);
	}
}

/* The stacks of all columns. */
struct stacks {
	double values[GRAPH_PARTS_MAX + 1][GRAPH_COLUMNS_MAX]; /* the last one: the whole */
	unsigned n_parts;
};

static void fold_stacks(struct stacks *stacks, const struct plot *plot, const struct history *history,
			const struct graph_part *parts, unsigned n_parts, const struct graph_scale *scale)
{
	unsigned whole = scale->whole;

	stacks->n_parts = n_parts;
	for (unsigned i = 0; i < n_parts; i++)
		graph_time_values(&plot->time, history, parts[i].series, GRAPH_MEAN, stacks->values[i]);
	if (whole != GRAPH_OF_ONE)
		graph_time_values(&plot->time, history, whole, GRAPH_MEAN, stacks->values[n_parts]);
	for (int x = 0; whole == GRAPH_OF_ONE && x < plot->time.columns; x++)
		stacks->values[n_parts][x] = scale->top > 0 ? scale->top : 1;
}

/* Where the parts of a column end, in levels. */
static void stack_ends(const struct stacks *stacks, int column, int levels, int *ends)
{
	double shares[GRAPH_PARTS_MAX], whole = stacks->values[stacks->n_parts][column];

	for (unsigned i = 0; i < stacks->n_parts; i++)
		shares[i] = whole > 0 ? stacks->values[i][column] / whole : NAN;
	levels_stack(shares, stacks->n_parts, levels, ends);
}

static void draw_blocks(const struct plot *plot, const struct stacks *stacks, const struct graph_part *parts)
{
	const struct canvas *canvas = &plot->canvas;
	int per_cell = has_eighths(canvas) ? EIGHTHS : 1, ends[GRAPH_PARTS_MAX];

	for (int x = 0; x < canvas->width; x++) {
		stack_ends(stacks, x, canvas->height * per_cell, ends);
		for (int up = 0; up < canvas->height; up++) {
			struct levels_cell cell = levels_cell(ends, stacks->n_parts, up, per_cell);

			if (cell.part != LEVELS_NO_PART)
				draw_cell(canvas, canvas->height - 1 - up, x, parts, &cell, per_cell,
					  from_below);
		}
	}
}

/* Bits of the dots of a braille cell from below, by half; the glyph of a part is its texture. */
static const unsigned char dot_bits[DOTS][2] = {
	{ 0x40, 0x80 }, { 0x04, 0x20 }, { 0x02, 0x10 }, { 0x01, 0x08 }
};

/* The dots of a cell: those of one part; the part with most of them gives the colour. */
static void draw_dots_cell(const struct plot *plot, int up, int x, const int (*ends)[GRAPH_PARTS_MAX],
			   const struct graph_part *parts, unsigned n_parts)
{
	const struct canvas *canvas = &plot->canvas;
	unsigned counts[GRAPH_PARTS_MAX] = { 0 }, most = 0;
	uint32_t bits = 0, textured = 0;

	for (int half = 0; half < 2; half++) {
		for (int dot = 0; dot < DOTS; dot++) {
			unsigned part = 0;

			while (part < n_parts && ends[half][part] <= up * DOTS + dot)
				part++;
			if (part == n_parts)
				break;
			counts[part]++;
			bits |= dot_bits[dot][half];
			textured |= dot_bits[dot][half] & (fill_of(canvas, &parts[part]) - BRAILLE);
		}
	}
	for (unsigned i = 1; i < n_parts; i++)
		most = counts[i] > counts[most] ? i : most;
	if (bits)
		canvas_fill(canvas, canvas->height - 1 - up, x, style_of(&parts[most]),
			    BRAILLE + (textured ? textured : bits), 1);
}

static void draw_dots(const struct plot *plot, const struct stacks *stacks, const struct graph_part *parts)
{
	int ends[2][GRAPH_PARTS_MAX];

	for (int x = 0; x < plot->canvas.width; x++) {
		for (int half = 0; half < 2; half++)
			stack_ends(stacks, 2 * x + half, plot->canvas.height * DOTS, ends[half]);
		for (int up = 0; up < plot->canvas.height; up++)
			draw_dots_cell(plot, up, x, ends, parts, stacks->n_parts);
	}
}

/* The lines of a graph above its axis of time, if it has the lines for one. */
static struct canvas above_time_axis(const struct canvas *canvas)
{
	return canvas_rows(canvas, 0, canvas->height - (canvas->height >= AXIS_LINES_MIN));
}

static void draw_below(const struct canvas *canvas, const struct plot *plot)
{
	struct canvas line = canvas_part(canvas, plot->canvas.height, plot->canvas.left - canvas->left, 1,
					 plot->canvas.width);

	if (plot->canvas.height < canvas->height)
		draw_time_axis(&line, &plot->time);
}

void graph_stacked(const struct canvas *canvas, const struct history *history, const struct graph_part *parts,
		   unsigned n_parts, const struct graph_scale *scale)
{
	struct canvas above = above_time_axis(canvas);
	struct canvas right = canvas_part(&above, 0, LABEL_CELLS + 1, above.height, above.width);
	struct plot plot = plot_of(&right, history, scale->now_ns, scale->span_seconds, scale->step_seconds);
	struct stacks stacks;

	if (right.width <= 0 || right.height <= 1)
		return;
	draw_axis(&above, LABEL_CELLS, scale->top_label, "0");
	fold_stacks(&stacks, &plot, history, parts, n_parts, scale);
	if (right.glyphs->braille)
		draw_dots(&plot, &stacks, parts);
	else
		draw_blocks(&plot, &stacks, parts);
	draw_sleeps(&plot, history);
	draw_marks(&plot, history);
	draw_below(canvas, &plot);
}

static int levels_per_cell(const struct canvas *canvas)
{
	return has_eighths(canvas) ? EIGHTHS : DOTS;
}

/* The other way round there are only an eighth and a half. */
static uint32_t from_above(int eighths)
{
	return eighths <= 2 ? 0x2594 : eighths < 7 ? 0x2580 : 0x2588;
}

/* The glyph of a cell of which the levels, of each half, are filled; down: from above; 0: none. */
static uint32_t line_glyph(const struct canvas *canvas, const int *levels, bool down)
{
	static const char ramps[2][DOTS] = { { '_', '-', '=', '#' }, { '\'', '"', '=', '#' } };
	uint32_t bits = 0;

	if (!canvas->glyphs->braille || canvas->ascii)
		return levels[0] <= 0         ? 0
		       : !has_eighths(canvas) ? (uint32_t)ramps[down][levels[0] - 1]
		       : down                 ? from_above(levels[0])
					      : from_below(levels[0]);
	for (int half = 0; half < 2; half++)
		for (int dot = 0; dot < levels[half]; dot++)
			bits |= dot_bits[down ? DOTS - 1 - dot : dot][half];
	return bits ? BRAILLE + bits : 0;
}

/* How draw_area() fills its canvas. */
struct area {
	double least, most;
	enum style style;
	bool down;
};

static void draw_area(const struct plot *plot, const double *values, const struct area *area)
{
	const struct canvas *canvas = &plot->canvas;
	int per_cell = levels_per_cell(canvas), all = canvas->height * per_cell, levels[2] = { 0 };

	if (canvas->height == 1 && has_eighths(canvas))
		all--; /* a full cell would join that of the line above */
	for (int x = 0; x < canvas->width; x++) {
		for (int from = 0; from < canvas->height; from++) {
			int y = area->down ? from : canvas->height - 1 - from;
			uint32_t glyph;

			for (int half = 0; half < plot->halves; half++) {
				int level = level_of(values[plot->halves * x + half], area->least, area->most,
						     all) -
					    from * per_cell;

				levels[half] = level < per_cell ? level : per_cell;
			}
			glyph = line_glyph(canvas, levels, area->down);
			if (glyph)
				canvas_fill(canvas, y, x, area->style, glyph, 1);
		}
	}
}

void graph_level(const struct canvas *canvas, int y, int x, enum style style, double share)
{
	int level = level_of(share, 0, 1, levels_per_cell(canvas));
	uint32_t glyph = line_glyph(canvas, (const int[]){ level, level }, false);

	if (glyph)
		canvas_fill(canvas, y, x, style, glyph, 1);
}

static struct graph_range range_of(const struct history *history, unsigned series,
				   const struct graph_time *time)
{
	struct graph_range range = { NAN, NAN, NAN };

	for (long i = history_find(history, time->mono_ns); i >= 0; i--) {
		double value = history_value(history, series, (size_t)i);

		if (graph_time_column(time, history_clock(history, history_time(history, (size_t)i))) < 0)
			break;
		range.least = fmin(range.least, value);
		range.most = fmax(range.most, value);
		range.latest = isnan(range.latest) ? value : range.latest;
	}
	return range;
}

static struct plot line_plot(const struct canvas *canvas, const struct history *history,
			     const struct graph_line_scale *scale)
{
	return plot_of(canvas, history, scale->now_ns, scale->span_seconds, scale->step_seconds);
}

struct graph_range graph_line_range(const struct canvas *canvas, const struct history *history,
				    unsigned series, const struct graph_line_scale *scale)
{
	struct plot plot = line_plot(canvas, history, scale);

	return range_of(history, series, &plot.time);
}

static void draw_line(const struct plot *plot, const struct history *history, unsigned series,
		      const struct graph_line_scale *scale)
{
	struct graph_range range = range_of(history, series, &plot->time);
	struct area area = { .style = scale->style };
	double values[GRAPH_COLUMNS_MAX];

	graph_time_values(&plot->time, history, series, GRAPH_MOST, values);
	area.least = isnan(scale->least) ? range.least : scale->least;
	area.most = !isnan(scale->most)   ? scale->most
		    : isnan(scale->least) ? range.most
					  : levels_top(range.least, range.most);
	draw_area(plot, values, &area);
	draw_sleeps(plot, history);
}

void graph_line(const struct canvas *canvas, const struct history *history, unsigned series,
		const struct graph_line_scale *scale)
{
	struct plot plot = line_plot(canvas, history, scale);

	draw_line(&plot, history, series, scale);
}

void graph_time_line(const struct canvas *line, const struct history *history,
		     const struct graph_line_scale *scale)
{
	struct canvas nowhere = *line;
	struct plot plot;

	nowhere.graphs = NULL;
	plot = line_plot(&nowhere, history, scale);
	draw_time_axis(&plot.canvas, &plot.time);
}

struct canvas graph_area_plot(const struct canvas *canvas)
{
	struct canvas above = above_time_axis(canvas);

	return canvas_part(&above, 0, LABEL_CELLS + 1, above.height, above.width);
}

void graph_area(const struct canvas *canvas, const struct history *history, unsigned series,
		const struct graph_line_scale *scale, char *(*label)(char *text, double value))
{
	struct canvas above = above_time_axis(canvas), right = graph_area_plot(canvas);
	struct plot plot = line_plot(&right, history, scale);
	char top[VALUE_TEXT_MAX], bottom[VALUE_TEXT_MAX];

	if (right.width <= 0 || right.height <= 1)
		return;
	draw_axis(&above, LABEL_CELLS, label(top, scale->most),
		   scale->least > 0 ? label(bottom, scale->least) : "0");
	if (scale->least > 0)
		canvas_fill(&above, above.height - 1, LABEL_CELLS, STYLE_DIM, canvas->glyphs->gap, 1);
	draw_line(&plot, history, series, scale);
	draw_marks(&plot, history);
	draw_below(canvas, &plot);
}

void graph_mirrored(const struct canvas *canvas, const struct history *history,
		    const struct graph_half halves[2], const struct graph_line_scale *scale,
		    char *(*label)(char *text, double value))
{
	struct canvas above = above_time_axis(canvas), right = graph_area_plot(canvas);
	struct plot plot = line_plot(&right, history, scale);
	int middle = (above.height + 1) / 2, last = above.height - 1;
	double values[GRAPH_COLUMNS_MAX];
	char top[VALUE_TEXT_MAX];

	if (right.width <= 0 || right.height <= 1)
		return;
	label(top, scale->most);
	draw_axis(&above, LABEL_CELLS, top, top);
	canvas_fill(&above, last, LABEL_CELLS, STYLE_DIM, canvas->glyphs->tick, 1);
	if (above.height > 2) {
		canvas_right(&above, middle - 1, 0, LABEL_CELLS - 1, STYLE_DIM, "0");
		canvas_fill(&above, middle - 1, LABEL_CELLS, STYLE_DIM, canvas->glyphs->tick, 1);
	}
	for (int i = 0; i < 2; i++) {
		const struct area area = { 0, scale->most, halves[i].style, i > 0 };
		struct plot half = plot;

		half.canvas = canvas_rows(&plot.canvas, i * middle, i > 0 ? last + 1 - middle : middle);
		graph_time_values(&plot.time, history, halves[i].series, GRAPH_MOST, values);
		draw_area(&half, values, &area);
	}
	draw_sleeps(&plot, history);
	draw_marks(&plot, history);
	draw_below(canvas, &plot);
}
