/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Charts of times: their axes, a histogram with its percentiles, a heat map of the past. */
#include <config.h>

#include "pane/time_chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "model/units.h"
#include "screen/graph.h"

static struct past_interval *interval_at(struct bucket_past *past, uint64_t number)
{
	return &past->intervals[number % PAST_INTERVALS];
}

/* A repeated frame removes what came after it. */
static bool rewind_to(struct bucket_past *past, uint64_t mono_ns)
{
	while (past->n_intervals > past->oldest &&
	       interval_at(past, past->n_intervals - 1)->mono_ns > mono_ns) {
		past->n_intervals--;
		past->n_entries = interval_at(past, past->n_intervals)->first;
	}
	return past->n_intervals > past->oldest &&
	       interval_at(past, past->n_intervals - 1)->mono_ns == mono_ns;
}

static unsigned bucket_of(uint64_t width_ns, const struct table *table, const void *row)
{
	double from = table_number(table, row, "from_seconds");

	return from >= 0 && from < 1e9 ? histogram_index(width_ns, (uint64_t)(from * 1e9 + 0.5)) : 0;
}

static void add_interval(struct bucket_past *past, const struct table *table, const struct past_table *of,
			 double seconds)
{
	uint64_t first = past->n_entries;

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double count = round(table_number(table, row, of->per_second) * seconds);
		uint16_t key = of->key(of->context, table, row);

		if (count >= 1 && count < UINT32_MAX && key != PAST_ALL)
			past->entries[past->n_entries++ % PAST_ENTRIES] = (struct past_entry){
				.key = key,
				.bucket = (uint16_t)bucket_of(past->width_ns, table, row),
				.count = (uint32_t)count,
			};
	}
	*interval_at(past, past->n_intervals++) = (struct past_interval){
		.mono_ns = table->mono_ns,
		.first = first,
		.n_entries = (uint32_t)(past->n_entries - first),
	};
	/* drops overwritten entries */
	if (past->n_intervals - past->oldest > PAST_INTERVALS)
		past->oldest = past->n_intervals - PAST_INTERVALS;
	while (past->oldest < past->n_intervals &&
	       interval_at(past, past->oldest)->first + PAST_ENTRIES < past->n_entries)
		past->oldest++;
}

void past_add(struct bucket_past *past, const struct frame *frame, const struct past_table *of,
	      uint64_t width_ns, double measured_seconds)
{
	const struct table *table = frame_table(frame, of->topic);
	uint64_t last;
	bool again;

	if (!table || table->mono_ns == 0)
		return;
	again = rewind_to(past, table->mono_ns);
	last = past->last_mono_ns;
	if (!again && table->mono_ns > last &&
	    (measured_seconds < past->measured_seconds || width_ns != past->width_ns)) {
		past->oldest = past->n_intervals; /* restarted: the counters began again */
		last = 0;
	}
	past->width_ns = width_ns;
	past->last_mono_ns = table->mono_ns;
	past->measured_seconds = measured_seconds;
	if (!again && last > 0 && table->mono_ns > last)
		add_interval(past, table, of, (double)(table->mono_ns - last) / 1e9);
}

/* Calls each for samples of a key, or of all, in intervals that ended in (from_ns, to_ns], newest first. */
static void past_visit(const struct bucket_past *past, uint16_t key, uint64_t from_ns, uint64_t to_ns,
		       void (*each)(void *context, uint64_t end_ns, const struct past_entry *entry),
		       void *context)
{
	for (uint64_t i = past->n_intervals; i-- > past->oldest;) {
		const struct past_interval *interval = &past->intervals[i % PAST_INTERVALS];

		if (interval->mono_ns <= from_ns)
			break;
		for (uint32_t e = 0; interval->mono_ns <= to_ns && e < interval->n_entries; e++) {
			const struct past_entry *entry = &past->entries[(interval->first + e) % PAST_ENTRIES];

			if (key == PAST_ALL || key == entry->key)
				each(context, interval->mono_ns, entry);
		}
	}
}

static void add_to(void *context, uint64_t end_ns, const struct past_entry *entry)
{
	(void)end_ns;
	histogram_add_bucket(context, entry->bucket, entry->count);
}

void past_sum(const struct bucket_past *past, uint16_t key, uint64_t from_ns, uint64_t to_ns,
	      struct histogram *histogram)
{
	past_visit(past, key, from_ns, to_ns, add_to, histogram);
}

void past_since_start(const struct frame *frame, const struct past_table *of, uint16_t key,
		      struct histogram *histogram)
{
	const struct table *table = frame_table(frame, of->topic);

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double samples = table_number(table, row, of->samples);

		if (samples >= 1 && of->key(of->context, table, row) == key)
			histogram_add_bucket(histogram, bucket_of(histogram->width_ns, table, row),
					     (uint64_t)samples);
	}
}

#define TIME_CELLS 8
#define COUNT_CELLS 10
#define BAR_CELLS_MIN 6
#define SHADES 4
#define HEAT_COLUMNS_MAX 512

/* Rows per power of ten: the first that is sufficient. */
static const int per_decade[] = { 48, 40, 32, 24, 20, 16, 12, 10, 8, 6, 5, 4, 3, 2, 1 };

static void log_axis(struct time_axis *axis, double least, double most, int n_rows)
{
	int first = 0, last = 0, density = 1;

	for (unsigned i = 0; i < sizeof(per_decade) / sizeof(per_decade[0]); i++) {
		density = per_decade[i];
		first = (int)floor(log10(least) * density + 1e-9);
		last = (int)floor(log10(most) * density + 1e-9);
		if (last - first < n_rows)
			break;
	}
	axis->n_rows = last - first < n_rows ? last - first + 1 : n_rows;
	for (int i = 0; i <= axis->n_rows; i++)
		axis->edges[i] = pow(10, (double)(first + i) / density);
	axis->open = last - first >= n_rows;
}

/* 1, 2 or 5 times a power of ten, not below this. */
static double round_up(double value)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double decade = pow(10, floor(log10(value)));

	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] * decade >= value * 0.999999)
			return steps[i] * decade;
	return value;
}

/* Up to the 99.9th percentile: the few longer times share the last row. */
static void linear_axis(struct time_axis *axis, double least, double most, double usual, int n_rows)
{
	double step = round_up(fmax(1, (usual - least) / fmax(1, n_rows - 2))),
	       from = floor(least / step) * step;
	double needed = floor((most - from) / step) + 1;

	axis->n_rows = needed < n_rows ? (int)needed : n_rows;
	axis->open = needed > n_rows;
	for (int i = 0; i <= axis->n_rows; i++)
		axis->edges[i] = from + i * step;
}

void time_axis_make(struct time_axis *axis, const struct histogram *histogram, int n_rows, bool linear)
{
	double least, most;

	*axis = (struct time_axis){ 0 };
	if (histogram->count == 0 || n_rows < 1)
		return;
	n_rows = n_rows < CHART_ROWS_MAX ? n_rows : CHART_ROWS_MAX;
	least = fmax(1, (double)histogram->min_ns);
	most = fmax(1, (double)histogram->max_ns);
	if (linear)
		linear_axis(axis, least, most, histogram_percentile(histogram, 99.9), n_rows);
	else
		log_axis(axis, least, most, n_rows);
}

/* The row of a time; times outside go to the first or the last. */
static int row_of(const struct time_axis *axis, double ns)
{
	int row = axis->n_rows - 1;

	while (row > 0 && ns < axis->edges[row])
		row--;
	return row;
}

/* A bucket counts at its middle. */
static int row_of_bucket(const struct time_axis *axis, uint64_t width_ns, unsigned bucket)
{
	return row_of(axis, ((double)histogram_from_ns(width_ns, bucket) +
			     (double)histogram_to_ns(width_ns, bucket)) /
				    2);
}

/* A word that does not fit is omitted. */
static void add_word(char text[TEXT_MAX], int cells, const char *word, bool ascii)
{
	size_t length = strlen(text);

	if (utf8_cells(text, ascii) + (length > 0 ? 1 : 0) + utf8_cells(word, ascii) <= cells)
		snprintf(text + length, TEXT_MAX - length, "%s%s", length > 0 ? " " : "", word);
}

/* "50% 90%": the percentiles in a row. */
static void name_marks(const struct time_axis *axis, const struct histogram *histogram, int row,
		       char text[TEXT_MAX], int cells, bool ascii)
{
	static const struct {
		const char *name;
		double percent;
	} marks[] = { { "50%", 50 }, { "90%", 90 }, { "99%", 99 }, { "99.9%", 99.9 }, { "99.99%", 99.99 } };

	*text = '\0';
	if (row_of(axis, (double)histogram->max_ns) == row)
		add_word(text, cells, _("max"), ascii);
	for (unsigned i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (row_of(axis, histogram_percentile(histogram, marks[i].percent)) == row)
			add_word(text, cells, marks[i].name, ascii);
}

void time_bars(const struct canvas *canvas, const struct time_axis *axis, const struct histogram *histogram,
	       bool log_counts)
{
	double rows[CHART_ROWS_MAX] = { 0 }, most = 0;
	int left = TIME_CELLS + 2, room = canvas->width - left;
	int marks = room > BAR_CELLS_MIN + COUNT_CELLS + 16 ? 16 : 0;
	char number[VALUE_TEXT_MAX];
	int counts, bar;

	for (unsigned i = 0; axis->n_rows > 0 && i < HISTOGRAM_BUCKETS; i++)
		if (histogram->buckets[i] > 0)
			rows[row_of_bucket(axis, histogram->width_ns, i)] += (double)histogram->buckets[i];
	for (int i = 0; i < axis->n_rows; i++)
		most = fmax(most, rows[i]);
	/* room for the largest count between gaps, with a minimum, so that bars keep their length */
	counts = (int)strlen(fixed_text(number, most, 0)) + 2;
	counts = counts > COUNT_CELLS ? counts : COUNT_CELLS;
	counts = room > BAR_CELLS_MIN + counts ? counts : 0;
	bar = room - marks - counts;
	for (int i = 0; i < axis->n_rows && i < canvas->height; i++) {
		double share = log_counts ? log1p(rows[i]) / log1p(most) : rows[i] / most;
		/* as long as this, without the marks of what is left */
		const struct graph_part part = { '#', 0, "", 0, rows[i] > 0 ? share * bar : 0 };
		char text[TEXT_MAX];

		snprintf(text, sizeof(text), "%s%s", axis->open && i + 1 == axis->n_rows ? ">" : "",
			 duration_short(number, axis->edges[i] / 1e9, canvas->ascii));
		canvas_right(canvas, i, 0, TIME_CELLS, STYLE_NORMAL, text);
		canvas_fill(canvas, i, TIME_CELLS + 1, STYLE_DIM, canvas->glyphs->axis, 1);
		if (part.value > 0)
			graph_bar(canvas, i, left, (int)ceil(part.value), &part, 1, ceil(part.value));
		snprintf(text, sizeof(text), "%.0f", rows[i]);
		if (counts > 0 && rows[i] > 0)
			canvas_right(canvas, i, left + bar + 1, counts - 2, STYLE_NORMAL, text);
		name_marks(axis, histogram, i, text, marks, canvas->ascii);
		if (marks > 0)
			canvas_text(canvas, i, left + bar + counts, STYLE_STRONG, text, marks);
	}
}

static uint32_t shade_glyph(const struct canvas *canvas, int level)
{
	static const uint32_t blocks[SHADES] = { 0x2591, 0x2592, 0x2593, 0x2588 },
			      ascii[SHADES] = { '.', ':', '+', '#' };

	return canvas->glyphs->ascii ? ascii[level] : blocks[level];
}

/* Up to this count a cell has this shade: equal steps of the logarithm. */
static uint32_t shade_most(int level, uint32_t most)
{
	return level + 1 >= SHADES ? most : (uint32_t)floor(expm1(log1p(most) * (level + 1) / SHADES) + 1e-9);
}

/* An entry of the legend at x; returns the cells that it takes. */
static int draw_shade(const struct canvas *canvas, int x, int level, uint32_t from, uint32_t to)
{
	char text[64];

	if (from == to)
		snprintf(text, sizeof(text), "%u", to);
	else
		snprintf(text, sizeof(text), "%u-%u", from, to);
	canvas_fill(canvas, 0, x, STYLE_SERIES + 1, shade_glyph(canvas, level), 1);
	canvas_text(canvas, 0, x + 2, STYLE_DIM, text, -1);
	return 2 + (int)strlen(text) + 1;
}

/* "░ 1-5 ▒ 6-36 ▓ 37-222 █ 223-1340 wake-ups per cell"; where that is too wide, only its ends. */
static void draw_legend(const struct canvas *canvas, uint32_t most, const char *unit)
{
	const struct canvas nowhere = { .glyphs = canvas->glyphs };
	uint32_t bounds[SHADES];
	int cells = 0, x = 0;

	for (int level = 0; level < SHADES; level++) {
		uint32_t from = level > 0 ? shade_most(level - 1, most) + 1 : 1;

		bounds[level] = shade_most(level, most);
		cells += bounds[level] < from ? 0 : draw_shade(&nowhere, 0, level, from, bounds[level]);
	}
	for (int level = 0; level < SHADES; level++) {
		uint32_t from = level > 0 ? bounds[level - 1] + 1 : 1;
		bool inner = level > 0 && level + 1 < SHADES;

		if (bounds[level] >= from && !(inner && cells > canvas->width))
			x += draw_shade(canvas, x, level, from, bounds[level]);
	}
	canvas_piece(canvas, 0, x, STYLE_DIM, unit);
}

/* "-30 s", "-5 min": in the one unit of an axis that is most long. */
static const char *age_text(char text[VALUE_TEXT_MAX], double seconds, double most)
{
	if (most < 120)
		snprintf(text, VALUE_TEXT_MAX, _("-%.0f s"), seconds);
	else
		snprintf(text, VALUE_TEXT_MAX, _("-%.0f min"), seconds / 60);
	return text;
}

/* Below the rows: how long ago. */
static void draw_ages(const struct canvas *canvas, int y, double column_seconds)
{
	double span = canvas->width * column_seconds;
	char text[VALUE_TEXT_MAX];

	canvas_text(canvas, y, 0, STYLE_DIM, age_text(text, span, span), -1);
	if (canvas->width >= 40)
		canvas_text(canvas, y, canvas->width / 2, STYLE_DIM,
			    age_text(text, (canvas->width - canvas->width / 2) * column_seconds, span), -1);
	canvas_right(canvas, y, 0, canvas->width, STYLE_DIM, _("now"));
}

/* Samples by the time before now, and by the row of the axis. */
struct heat {
	uint32_t cells[HEAT_COLUMNS_MAX][CHART_ROWS_MAX]; /* the newest column first */
	uint8_t rows[HISTOGRAM_BUCKETS];                  /* of the buckets */
	uint64_t now_ns, length_ns;                       /* of a column */
	bool grouped;                                     /* several intervals share a column */
	uint32_t most;
};

static void add_to_heat(void *context, uint64_t end_ns, const struct past_entry *entry)
{
	struct heat *heat = context;
	uint64_t age = heat->grouped ? heat->now_ns / heat->length_ns - end_ns / heat->length_ns
				     : (heat->now_ns - end_ns + heat->length_ns / 2) / heat->length_ns;
	uint32_t *cell;

	if (age >= HEAT_COLUMNS_MAX)
		return;
	cell = &heat->cells[age][heat->rows[entry->bucket]];
	*cell += entry->count;
	if (*cell > heat->most)
		heat->most = *cell;
}

static void fill_heat(struct heat *heat, const struct time_axis *axis, const struct heat_of *of)
{
	uint64_t past_ns;

	memset(heat->cells, 0, sizeof(heat->cells));
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		heat->rows[i] = (uint8_t)row_of_bucket(axis, of->past->width_ns, i);
	heat->now_ns = of->now_ns;
	heat->grouped = of->step_seconds < 0.75;
	heat->length_ns = of->step_seconds > 1 ? (uint64_t)(of->step_seconds * 1e9) : UINT64_C(1000000000);
	heat->most = 1;
	past_ns = heat->length_ns * HEAT_COLUMNS_MAX;
	past_visit(of->past, of->key, of->now_ns > past_ns ? of->now_ns - past_ns : 0, of->now_ns,
		   add_to_heat, heat);
}

/* Cells per column: a short past is drawn wider. */
static int column_cells(const struct heat *heat, const struct bucket_past *past, int width)
{
	uint64_t oldest = past->n_intervals > past->oldest
				  ? past->intervals[past->oldest % PAST_INTERVALS].mono_ns
				  : heat->now_ns;
	uint64_t columns = heat->now_ns > oldest ? (heat->now_ns - oldest) / heat->length_ns + 1 : 1;

	return columns * 4 <= (uint64_t)width ? 4 : columns * 2 <= (uint64_t)width ? 2 : 1;
}

void time_heat(const struct canvas *canvas, const struct time_axis *axis, const struct heat_of *of)
{
	struct canvas rows = canvas_rows(canvas, 1, canvas->height - 2);
	struct heat heat;
	int cells;

	if (axis->n_rows == 0)
		return;
	fill_heat(&heat, axis, of);
	cells = column_cells(&heat, of->past, canvas->width);
	for (int y = 0; y < axis->n_rows && y < rows.height; y++)
		for (int c = 0; c < HEAT_COLUMNS_MAX && (c + 1) * cells <= rows.width; c++) {
			uint32_t count = heat.cells[c][y];
			int level = 0;

			if (count == 0)
				continue;
			while (level + 1 < SHADES && count > shade_most(level, heat.most))
				level++;
			canvas_fill(&rows, y, rows.width - (c + 1) * cells, STYLE_SERIES + 1,
				    shade_glyph(&rows, level), cells);
		}
	draw_legend(canvas, heat.most, of->unit);
	draw_ages(canvas, 1 + (axis->n_rows < rows.height ? axis->n_rows : rows.height),
		  (double)heat.length_ns / 1e9 / cells);
}
