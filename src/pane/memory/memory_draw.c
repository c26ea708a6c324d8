/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing of the memory pane: as much of the answer as the screen has lines for. */
#include <config.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "model/units.h"
#include "pane/memory/memory.h"
#include "pane/text.h"
#include "screen/graph.h"

#define NARROW 30
#define N_PARTS 4
#define STALLED_NOTABLY 0.01
#define REFAULTS_NOTABLY 10.0 /* pages per second */
#define SECONDS_ENOUGH 5.0
#define CALM_ENOUGH 30.0

enum look { LOOK_ANONYMOUS, LOOK_KERNEL, LOOK_CACHES, LOOK_OTHERS };

static double number(const struct pane_context *context, const char *topic, const char *row,
		     const char *column)
{
	return frame_number(context->frame, topic, row, column);
}

static double paging(const struct pane_context *context, const char *column)
{
	return number(context, "paging", NULL, column);
}

static void fill_parts(const struct pane_context *context, struct graph_part *parts)
{
	parts[0] = (struct graph_part){ 'A', LOOK_ANONYMOUS, _("anonymous"), MEMORY_SERIES_ANONYMOUS, 0 };
	parts[1] = (struct graph_part){ 'K', LOOK_KERNEL, _("kernel"), MEMORY_SERIES_KERNEL, 0 };
	parts[2] = (struct graph_part){ 'c', LOOK_CACHES, _("caches"), MEMORY_SERIES_CACHES, 0 };
	parts[3] = (struct graph_part){ 'o', LOOK_OTHERS, _("others"), MEMORY_SERIES_OTHERS, 0 };
	for (unsigned i = 0; i < N_PARTS; i++) {
		const struct series *series = &memory_series[parts[i].series];

		parts[i].value = number(context, series->topic, series->row, series->column);
	}
}

/* The whole answer in one line, for screens where nothing else fits. */
static void draw_short(const struct pane_context *context, const struct canvas *canvas)
{
	double available = number(context, "memory", "available", "free_bytes");
	double total = number(context, "memory", "mem", "total_bytes");
	double swap_used = number(context, "memory", "swap", "used_bytes");
	struct graph_part parts[N_PARTS];
	char size[VALUE_TEXT_MAX];

	if (isnan(available) || !(total > 0)) {
		canvas_text(canvas, 0, 0, STYLE_STRONG, _("avail -"), -1);
		return;
	}
	canvas_print(canvas, 0, 0, STYLE_STRONG, _("avail %s %.0f %%"), size_text(size, available),
		     100 * available / total);
	fill_parts(context, parts);
	graph_bar(canvas, 1, 0, canvas->width, parts, N_PARTS, total);
	if (swap_used > 0)
		canvas_print(canvas, 2, 0, STYLE_NORMAL, _("swap %s used"), size_text(size, swap_used));
}

/* Explains the row "available" in its right half, which is blank. */
static void draw_available_note(struct pane_context *context, const struct canvas *canvas)
{
	const struct table_widget *widget = &context->tables[MEMORY_TABLE_MEMORY];
	double available = number(context, "memory", "available", "free_bytes");
	double total = number(context, "memory", "mem", "total_bytes");
	char text[TEXT_MAX];
	int x = -1;

	for (unsigned i = 0; i < widget->n_slots; i++) {
		unsigned column = widget->view.columns[widget->slots[i].column];

		if (strcmp(widget->view.schema->columns[column].key, "free_bytes") == 0)
			x = widget->slots[i].x + widget->slots[i].width + 2;
	}
	if (x < 0 || !(total > 0) || isnan(available) || widget->view.n_rows < 2 || widget->place.top > 0 ||
	    widget->view.sort != VIEW_AS_SAMPLED || widget->has_filter)
		return;
	snprintf(text, sizeof(text), _("%.0f %% can be given to programs"), 100 * available / total);
	if (x + utf8_cells(text, canvas->ascii) <= canvas->width)
		canvas_text(canvas, 2, x, STYLE_DIM, text, -1);
}

static int draw_table(struct pane_context *context, const struct canvas *canvas, int y)
{
	struct table_widget *widget = &context->tables[MEMORY_TABLE_MEMORY];
	int height = table_height(widget);
	struct canvas part = canvas_rows(canvas, y, height);

	context_draw_table(context, &part, MEMORY_TABLE_MEMORY);
	draw_available_note(context, &part);
	return y + height;
}

/* The nearest limit: the row of this resource with the least left. */
static const void *nearest_limit(const struct table *table, const char *resource)
{
	const void *nearest = NULL;
	double least = INFINITY;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double left = table_number(table, row, "free_bytes");

		if (strcmp(table_text(table, row, "resource"), resource) != 0)
			continue;
		if (!nearest || left < least) {
			least = isnan(left) ? INFINITY : left;
			nearest = row;
		}
	}
	return nearest;
}

/* A second bar for the limit of a container: its use, with caches separate. */
static int draw_limit(const struct pane_context *context, const struct canvas *canvas, int y,
		      const char *resource)
{
	const struct table *table = context_table(context, MEMORY_TABLE_LIMIT);
	const void *row = nearest_limit(table, resource);
	struct graph_part parts[2] = { { 'u', LOOK_ANONYMOUS, "", 0, 0 }, { 'c', LOOK_CACHES, "", 0, 0 } };
	char limit_text[VALUE_TEXT_MAX], used_text[VALUE_TEXT_MAX], left_text[VALUE_TEXT_MAX];
	double limit, used, caches;
	int x;

	if (!row)
		return y;
	limit = table_number(table, row, "limit_bytes");
	used = table_number(table, row, "used_bytes");
	caches = table_number(table, row, "caches_bytes");
	x = canvas_print(canvas, y, 0, STYLE_STRONG, _("%s limit %s: used %s, free %s"), resource,
			 size_text(limit_text, limit), size_text(used_text, used),
			 size_text(left_text, table_number(table, row, "free_bytes")));
	parts[1].value = isnan(caches) ? 0 : fmin(caches, used);
	parts[0].value = used - parts[1].value;
	if (limit > 0 && !isnan(used) && canvas->width - x > 12)
		graph_bar(canvas, y, x + 1, canvas->width - x - 1, parts, 2, limit);
	return y + 1;
}

/* "name 1.2k/s" if the rate is known; advances x. */
static int draw_rate(const struct canvas *canvas, int y, int x, const char *name, double rate,
		     char *(*format)(char *text, double value))
{
	char text[TEXT_MAX], value[VALUE_TEXT_MAX];

	if (isnan(rate))
		snprintf(text, sizeof(text), "%s -", name);
	else
		snprintf(text, sizeof(text), "%s %s/s", name, format(value, rate));
	return canvas_piece(canvas, y, x, STYLE_NORMAL, text);
}

static double pressure_now(const struct pane_context *context, const char *kind)
{
	const struct table *table = context_table(context, MEMORY_TABLE_PRESSURE);

	return table ? table_number(table, table_find(table, "memory", kind), "avg10_ratio") : NAN;
}

static int draw_pressure(const struct pane_context *context, const struct canvas *canvas, int y, int x)
{
	double some = pressure_now(context, "some"), full = pressure_now(context, "full");
	enum style style = some >= 0.1 ? STYLE_BAD : some > 0.01 ? STYLE_WARN : STYLE_NORMAL;
	char text[TEXT_MAX];

	if (isnan(some))
		return x;
	if (isnan(full))
		snprintf(text, sizeof(text), _("pressure %.2f %%"), 100 * some);
	else
		snprintf(text, sizeof(text), _("pressure %.2f/%.2f %%"), 100 * some, 100 * full);
	return canvas_piece(canvas, y, x, style, text);
}

static void draw_rates(const struct pane_context *context, const struct canvas *canvas, int y)
{
	int x = draw_rate(canvas, y, 0, _("page-in"), paging(context, "page_in_bytes_per_second"), size_text);

	x = draw_rate(canvas, y, x, _("swap-in"), paging(context, "swap_ins_per_second"), rate_text);
	x = draw_rate(canvas, y, x, _("refault"), paging(context, "refaults_per_second"), rate_text);
	x = draw_pressure(context, canvas, y, x);
	draw_rate(canvas, y, x, _("scan"), paging(context, "scans_per_second"), rate_text);
}

/* For the plural form of a sentence. */
static unsigned long count_of(double pages)
{
	return pages < (double)ULONG_MAX ? (unsigned long)pages : ULONG_MAX;
}

/* Tasks wait for memory, and dropped pages are needed again. */
static void describe_shortage(const struct memory_facts *facts, const char *time, char *text, size_t room)
{
	snprintf(text, room,
		 P_("Memory is short: %.0f page wanted again in %s (%.0f/s), %.0f read back from swap, tasks "
		    "waited %.0f %% of the time.",
		    "Memory is short: %.0f pages wanted again in %s (%.0f/s), %.0f read back from swap, "
		    "tasks waited %.0f %% of the time.",
		    count_of(facts->refaulted_pages)),
		 facts->refaulted_pages, time, facts->refaulted_pages / facts->seconds,
		 facts->swapped_in_pages, 100 * facts->stalled_ratio);
}

static void describe_past(const struct memory_facts *facts, const char *time, const char *caches, char *text,
			  size_t room)
{
	snprintf(text, room,
		 P_("%.0f page was dropped and wanted again in %s, none in the last %.0f s; %s of cache.",
		    "%.0f pages were dropped and wanted again in %s, none in the last %.0f s; %s of cache.",
		    count_of(facts->refaulted_pages)),
		 facts->refaulted_pages, time, facts->calm_seconds, caches);
}

static void describe_refaults(const struct memory_facts *facts, const char *time, const char *caches,
			      char *text, size_t room)
{
	double rate = facts->refaulted_pages / facts->seconds;
	unsigned long count = count_of(facts->refaulted_pages);

	if (facts->evicted_pages == 0)
		snprintf(text, room,
			 P_("%.0f page was wanted again in %s, though the machine dropped none of itself: a "
			    "user dropped the caches, or a container reached its limit.",
			    "%.0f pages were wanted again in %s, though the machine dropped none of itself: "
			    "a user dropped the caches, or a container reached its limit.",
			    count),
			 facts->refaulted_pages, time);
	else if (rate < REFAULTS_NOTABLY)
		snprintf(text, room,
			 P_("Only %.0f page was dropped and wanted again in %s: %s of cache is about what is "
			    "in use.",
			    "Only %.0f pages were dropped and wanted again in %s: %s of cache is about what "
			    "is in use.",
			    count),
			 facts->refaulted_pages, time, caches);
	else
		snprintf(
			text, room,
			P_("%.0f page was dropped and wanted again in %s (%.0f/s): more is in use than %s of "
			   "cache can hold.",
			   "%.0f pages were dropped and wanted again in %s (%.0f/s): more is in use than %s "
			   "of cache can hold.",
			   count),
			facts->refaulted_pages, time, rate, caches);
}

/* Without a refault, the dropped pages were not needed; if nothing was dropped, nothing is proved. */
static void describe_calm(const struct memory_facts *facts, const char *time, const char *caches, char *text,
			  size_t room)
{
	if (facts->evicted_pages > 0)
		snprintf(text, room,
			 P_("No refault in %s, though %.0f page was dropped: %s of cache could go and hardly "
			    "anything would be read again.",
			    "No refault in %s, though %.0f pages were dropped: %s of cache could go and "
			    "hardly anything would be read again.",
			    count_of(facts->evicted_pages)),
			 time, facts->evicted_pages, caches);
	else if (isnan(facts->evicted_pages))
		snprintf(text, room, _("No refault in %s; what was dropped is not known. %s of cache."), time,
			 caches);
	else
		snprintf(text, room,
			 _("No refault in %s and nothing had to be dropped: %s of cache could go to programs "
			   "at once; D tries what would be read again."),
			 time, caches);
}

char *memory_story(const struct memory_facts *facts, char *text, size_t room)
{
	char time[STRETCH_MAX], caches[VALUE_TEXT_MAX];

	*text = '\0';
	if (!(facts->seconds > 0) || isnan(facts->refaulted_pages) || isnan(facts->caches_bytes))
		return text;
	stretch_text(time, facts->seconds);
	size_text(caches, facts->caches_bytes);
	if (facts->seconds < SECONDS_ENOUGH)
		snprintf(text, room, _("Watching for refaults since %s."), time);
	else if (facts->refaulted_pages > 0 && facts->calm_seconds >= CALM_ENOUGH)
		describe_past(facts, time, caches, text, room);
	else if (facts->refaulted_pages > 0 && facts->stalled_ratio >= STALLED_NOTABLY)
		describe_shortage(facts, time, text, room);
	else if (facts->refaulted_pages > 0)
		describe_refaults(facts, time, caches, text, room);
	else
		describe_calm(facts, time, caches, text, room);
	return text;
}

static const char *story(const struct pane_context *context, char text[TEXT_MAX])
{
	const struct memory_facts facts = {
		.seconds = paging(context, "window_seconds"),
		.calm_seconds = paging(context, "calm_seconds"),
		.refaulted_pages = paging(context, "window_refaults"),
		.evicted_pages = paging(context, "window_evictions"),
		.swapped_in_pages = paging(context, "window_swap_ins"),
		.caches_bytes = number(context, "memory", "mem", "caches_bytes"),
		.stalled_ratio = pressure_now(context, "some"),
	};

	return memory_story(&facts, text, TEXT_MAX);
}

/* At the bottom, in one line or two; returns how many. */
static int draw_story(const struct pane_context *context, const struct canvas *canvas, int y)
{
	int most = canvas->height - y >= 4 ? 2 : 1, lines;
	char text[TEXT_MAX];
	struct canvas part;

	lines = canvas_lines(canvas, span_text(story(context, text)));
	lines = lines < most ? lines : most;
	part = canvas_rows(canvas, canvas->height - lines, lines);
	if (canvas->height - y >= 1)
		canvas_wrapped(&part, 0, STYLE_STRONG, span_text(text));
	return lines;
}

static void draw_graph(const struct pane_context *context, const struct canvas *canvas,
		       const struct graph_part *parts, double total)
{
	char label[VALUE_TEXT_MAX];
	struct graph_scale scale = {
		.whole = MEMORY_SERIES_TOTAL,
		.top_label = size_short(label, total),
		.now_ns = context->frame->mono_ns,
		.span_seconds = memory_span(context),
		.step_seconds = context_step_seconds(context),
	};

	if (canvas->height >= 3)
		graph_stacked(canvas, &context->history, parts, N_PARTS, &scale);
}

static void draw_formula(const struct pane_context *context, const struct canvas *canvas, int y)
{
	double span = memory_span(context);
	char text[TEXT_MAX];

	snprintf(text, sizeof(text), "%s%s", memory_formula(context),
		 span >= 3600 ? _("; graph: 1 h")
		 : span > 0   ? _("; graph: 5 min")
			      : "");
	canvas_right(canvas, y, 0, canvas->width, STYLE_DIM, text);
}

/* Lines by priority: table, bar, story, rates, legend, graph, formula. */
static void draw_summary(struct pane_context *context, const struct canvas *canvas)
{
	double total = number(context, "memory", "mem", "total_bytes");
	int height = canvas->height, y = draw_table(context, canvas, 0);
	struct graph_part parts[N_PARTS];
	struct canvas graph;

	fill_parts(context, parts);
	if (total > 0 && y < height)
		graph_bar(canvas, y++, 0, canvas->width, parts, N_PARTS, total);
	y = draw_limit(context, canvas, y, "memory");
	y = draw_limit(context, canvas, y, "swap");
	if (total > 0 && height - y >= 3)
		graph_legend(canvas, y++, parts, N_PARTS, total, _("free"));
	height -= draw_story(context, canvas, y);
	if (height - y >= 1)
		draw_rates(context, canvas, --height);
	if (height - y >= 6)
		draw_formula(context, canvas, y++);
	graph = canvas_rows(canvas, y, height - y);
	draw_graph(context, &graph, parts, total);
}

/* The part of Cached that can be dropped, and the part that is shared memory and tmpfs. */
static void draw_extended(struct pane_context *context, const struct canvas *canvas)
{
	double cached = number(context, "meminfo", "Cached", "value_bytes");
	double shared = number(context, "meminfo", "Shmem", "value_bytes");
	double page_cache = number(context, "memory", "mem", "page_cache_bytes");
	char sizes[3][VALUE_TEXT_MAX], text[TEXT_MAX];
	struct canvas rest = *canvas;

	if (canvas->height > 10 && !isnan(page_cache)) {
		snprintf(text, sizeof(text),
			 _("Cached %s = %s page cache of files + %s shared memory and tmpfs, which cannot be "
			   "dropped"),
			 size_text(sizes[0], cached), size_text(sizes[1], page_cache),
			 size_text(sizes[2], shared));
		rest = canvas_rows(canvas, canvas_wrapped(canvas, 0, STYLE_STRONG, span_text(text)),
				   canvas->height);
	}
	context_draw_table(context, &rest, MEMORY_TABLE_MEMINFO);
}

static const char *check_format(double error_bytes)
{
	return isnan(error_bytes) ? _("%s: not known")
	       : error_bytes < 0  ? _("%s: %s not accounted for")
	       : error_bytes > 0  ? _("%s: %s too much")
				  : _("%s: exact");
}

/* The formulas in full, and what no line accounts for. */
static void draw_checks(struct pane_context *context, const struct canvas *canvas)
{
	const struct table_widget *widget = &context->tables[MEMORY_TABLE_CHECK];
	const struct table *checks = context_table(context, MEMORY_TABLE_CHECK);
	struct canvas table = canvas_rows(canvas, 0, table_height(widget));
	char size[VALUE_TEXT_MAX], text[TEXT_MAX];
	int y = table.height + 1;

	context_draw_table(context, &table, MEMORY_TABLE_CHECK);
	for (size_t i = 0; i < widget->view.n_rows; i++) {
		const void *row = widget->view.rows[i];
		double bytes = table_number(checks, row, "error_bytes");

		snprintf(text, sizeof(text), check_format(bytes), table_text(checks, row, "formula"),
			 size_text(size, fabs(bytes)));
		y += canvas_wrapped(canvas, y, STYLE_DIM, span_text(text));
	}
}

static void draw_paging(struct pane_context *context, const struct canvas *canvas)
{
	int below = table_height(&context->tables[MEMORY_TABLE_PRESSURE]);
	struct canvas top = canvas_rows(canvas, 0, canvas->height - below - 1);
	struct canvas bottom = canvas_rows(canvas, canvas->height - below, below);

	if (canvas->height < below + 8) {
		context_draw_table(context, canvas, MEMORY_TABLE_RECLAIM);
		return;
	}
	context_draw_table(context, &top, MEMORY_TABLE_RECLAIM);
	context_draw_table(context, &bottom, MEMORY_TABLE_PRESSURE);
}

static int draw_regrowth(const struct pane_context *context, const struct canvas *canvas)
{
	const struct memory_drop *drop = &((const struct memory_state *)context->state)->drop;
	char before[VALUE_TEXT_MAX], after[VALUE_TEXT_MAX], now[VALUE_TEXT_MAX], read[VALUE_TEXT_MAX];
	struct history_span span = { .first = NAN };
	char when[CLOCK_TEXT_MAX], text[512];

	history_between(&context->history, MEMORY_SERIES_PAGE_IN, drop->mono_ns, context->frame->mono_ns,
			&span);
	snprintf(text, sizeof(text),
		 _("Dropped at %s: caches %s -> %s. In the %.0f s since: grown to %s, %s read in."),
		 clock_local(when, drop->wall_ns, "%H:%M:%S"), size_text(before, drop->before_bytes),
		 size_text(after, drop->after_bytes),
		 (double)(context->frame->mono_ns - drop->mono_ns) / 1e9,
		 size_text(now, number(context, "memory", "mem", "caches_bytes")),
		 size_text(read, span.last - span.first));
	return canvas_wrapped(canvas, 0, STYLE_STRONG, span_text(text));
}

static void draw_readers(struct pane_context *context, const struct canvas *canvas)
{
	const struct memory_state *memory = context->state;
	bool after_drop =
		memory->drop.state == DROP_MEASURED && context->frame->mono_ns >= memory->drop.mono_ns;
	int graph_lines = canvas->height >= 16 ? canvas->height / 3 : 0;
	int top = after_drop ? draw_regrowth(context, canvas) : 0;
	struct canvas graph = canvas_rows(canvas, canvas->height - graph_lines, graph_lines);
	struct canvas table = canvas_rows(canvas, top, canvas->height - graph_lines - top);
	struct graph_part parts[N_PARTS];

	context_draw_table(context, &table, MEMORY_TABLE_READER);
	fill_parts(context, parts);
	draw_graph(context, &graph, parts, number(context, "memory", "mem", "total_bytes"));
}

void memory_draw(struct pane_context *context, struct canvas *canvas)
{
	switch (context->view) {
	case MEMORY_EXTENDED:
		draw_extended(context, canvas);
		break;
	case MEMORY_CHECKS:
		draw_checks(context, canvas);
		break;
	case MEMORY_PAGING:
		draw_paging(context, canvas);
		break;
	case MEMORY_READERS:
		draw_readers(context, canvas);
		break;
	case MEMORY_SUMMARY:
		if (canvas->height < 5 || canvas->width < NARROW)
			draw_short(context, canvas);
		else
			draw_summary(context, canvas);
	}
}
