/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing of the memory pane: as much of the answer as the screen has lines for. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "model/finding.h"
#include "model/units.h"
#include "pane/memory/memory.h"
#include "pane/memory/memory_scope.h"
#include "pane/memory/memory_story.h"
#include "pane/process_rows.h"
#include "screen/graph.h"
#include "screen/levels.h"

#define NARROW 30
#define BAR_CELLS_MIN 8 /* of all parts together */
#define GRAPH_LINES_MIN 3
#define GRAPH_LINES_MAX 12
#define SLOPE_NOTABLY (1.0 / 1000) /* of the memory, in a minute */
#define SLOPE_SECONDS 60
#define SLOPE_SECONDS_MIN 5

/* From these heights on there is … */
#define LINES_FOR_PARTS 3
#define LINES_FOR_RATES 8
#define LINES_FOR_STORY 12
#define LINES_FOR_GRAPH 16
#define LINES_FOR_STORIES 20 /* a second line for it */
#define LINES_FOR_MORE_GRAPH 26

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

/* Of what is shown: of the machine, or of the scope at most. */
static double total_bytes(const struct pane_context *context)
{
	return memory_scope_row(context) ? memory_scope_most(context)
					 : number(context, "memory", "mem", "total_bytes");
}

/* Returns how many there are. */
static unsigned fill_parts(const struct pane_context *context, struct graph_part *parts)
{
	if (memory_scope_row(context))
		return memory_scope_parts(context, parts);
	parts[0] = (struct graph_part){ 'A', LOOK_ANONYMOUS, _("anonymous"), MEMORY_SERIES_ANONYMOUS, 0 };
	parts[1] = (struct graph_part){ 'K', LOOK_KERNEL, _("kernel"), MEMORY_SERIES_KERNEL, 0 };
	parts[2] = (struct graph_part){ 'c', LOOK_CACHES, _("cache"), MEMORY_SERIES_CACHES, 0 };
	parts[3] = (struct graph_part){ 'o', LOOK_OTHERS, _("other"), MEMORY_SERIES_OTHERS, 0 };
	for (unsigned i = 0; i < MEMORY_PARTS; i++) {
		const struct series *series = &memory_series[parts[i].series];

		parts[i].value = number(context, series->topic, series->row, series->column);
	}
	return MEMORY_PARTS;
}

static double pressure_now(const struct pane_context *context, const char *kind)
{
	const struct table *table = context_table(context, MEMORY_TABLE_PRESSURE);

	return table_number(table, table_find(table, "memory", kind), "avg10_ratio");
}

/* The kernel thread of DAMON, which can page out on purpose. */
static void find_pager(const struct pane_context *context, struct memory_facts *facts)
{
	const struct table *processes = context_table(context, MEMORY_TABLE_PROCESS);
	const struct column *names = processes ? schema_known_column(processes->schema, "name") : NULL;

	for (size_t i = 0; names && i < processes->n_rows; i++) {
		const void *row = table_row(processes, i);
		const char *name = row_text(row, names);

		if (!name || strncmp(name, "kdamond.", strlen("kdamond.")) != 0 ||
		    !(table_number(processes, row, "cpu_ratio") > 0))
			continue;
		facts->pager = name;
		facts->pager_ratio = table_number(processes, row, "cpu_ratio");
		return;
	}
}

/* The same evidence as on the overview: its finding. */
static const char *refaulting_group(const struct pane_context *context)
{
	const struct table *findings = frame_table(context->frame, "finding");

	for (size_t i = 0; findings && i < findings->n_rows; i++) {
		const void *row = table_row(findings, i);

		if (strcmp(table_text(findings, row, "rule"), "group_refaults") == 0)
			return table_text(findings, row, "subject");
	}
	return NULL;
}

/* Since the graph begins, or for as long as it goes back. */
static double grown(const struct pane_context *context, unsigned series)
{
	uint64_t now = context->frame->mono_ns, span = (uint64_t)(memory_span(context) * 1e9);
	struct history_span found;

	return history_between(&context->history, series, now > span && span > 0 ? now - span : 0, now,
			       &found)
		       ? found.last - found.first
		       : NAN;
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

static void find_limit(const struct pane_context *context, struct memory_facts *facts)
{
	const struct table *table = context_table(context, MEMORY_TABLE_LIMIT);
	const void *row = nearest_limit(table, "memory");
	double caches;

	if (!row)
		return;
	caches = table_number(table, row, "caches_bytes");
	facts->limit_bytes = table_number(table, row, "limit_bytes");
	facts->limit_left_bytes = table_number(table, row, "free_bytes") + (isnan(caches) ? 0 : caches);
}

static double stalled_limit(const struct pane_context *context)
{
	return context->grades->of[GRADED_MEMORY_PRESSURE].busy;
}

static struct memory_facts facts_of(const struct pane_context *context)
{
	struct memory_facts facts = {
		.total_bytes = total_bytes(context),
		.available_bytes = number(context, "memory", "available", "free_bytes"),
		.caches_bytes = number(context, "memory", "mem", "caches_bytes"),
		.stalled_ratio = pressure_now(context, "some"),
		.stalled_limit = stalled_limit(context),
		.killed = grown(context, MEMORY_SERIES_KILLED),
		.killed_at_limits = grown(context, MEMORY_SERIES_KILLED_AT_LIMITS),
		.stalls = grown(context, MEMORY_SERIES_STALLS),
		.seconds = paging(context, "window_seconds"),
		.calm_seconds = paging(context, "calm_seconds"),
		.refaulted_pages = paging(context, "window_refaults"),
		.evicted_pages = paging(context, "window_evictions"),
		.swapped_in_pages = paging(context, "window_swap_ins"),
	};

	if (!context_table(context, MEMORY_TABLE_PRESSURE))
		facts.unwatched = context->tables[MEMORY_TABLE_PRESSURE].absent;
	if (!context_table(context, MEMORY_TABLE_RECLAIM))
		facts.unwatched = context->tables[MEMORY_TABLE_RECLAIM].absent;
	find_limit(context, &facts);
	find_pager(context, &facts);
	facts.group = refaulting_group(context);
	return facts;
}

static const struct {
	const char *word;
	enum style style;
} levels[] = {
	[MEMORY_UNKNOWN] = { "-", STYLE_DIM },
	[MEMORY_OK] = { N_("OK"), STYLE_OK },
	[MEMORY_HIGH] = { N_("HIGH"), STYLE_WARN },
	[MEMORY_BAD] = { N_("BAD"), STYLE_BAD },
};

static int draw_level(const struct canvas *canvas, int y, enum memory_level level)
{
	return canvas_text(canvas, y, 0, levels[level].style, _(levels[level].word), -1);
}

static enum memory_level draw_verdict(const struct pane_context *context, const struct canvas *canvas, int y,
				      const struct memory_facts *facts)
{
	bool scoped = memory_scope_row(context) != NULL;
	char text[TEXT_MAX];
	enum memory_level level = scoped ? memory_scope_verdict(context, text, sizeof(text))
					 : memory_verdict(facts, text, sizeof(text));
	int x = scoped && level == MEMORY_UNKNOWN ? 0 : draw_level(canvas, y, level) + CANVAS_GAP;

	if (!scoped && !context_table(context, MEMORY_TABLE_MEMORY))
		snprintf(text, sizeof(text), "%s", context->tables[MEMORY_TABLE_MEMORY].absent);
	canvas_cut(canvas, y, x, STYLE_NORMAL, text, canvas->width - x);
	return level;
}

/* The same of a scope: the size is the answer. */
static void draw_short_scope(const struct pane_context *context, const struct canvas *canvas)
{
	double bytes = number(context, "scope_use", NULL, "memory_bytes");
	struct graph_part parts[MEMORY_PARTS];
	char size[VALUE_TEXT_MAX];
	unsigned n_parts = fill_parts(context, parts);

	canvas_print(canvas, 0, 0, STYLE_STRONG, _("in scope: %s"), size_text(size, bytes));
	if (bytes > 0)
		graph_bar(canvas, 1, 0, canvas->width, parts, n_parts, bytes);
}

/* The whole answer, for screens where little else fits. */
static void draw_short(const struct pane_context *context, const struct canvas *canvas)
{
	struct memory_facts facts = facts_of(context);
	double swap_used = number(context, "memory", "swap", "used_bytes");
	struct graph_part parts[MEMORY_PARTS];
	char text[TEXT_MAX], size[VALUE_TEXT_MAX];
	enum memory_level level = memory_verdict(&facts, text, sizeof(text));
	int x = draw_level(canvas, 0, level) + 1, y = 2;
	struct canvas rest;

	if (isnan(memory_left_ratio(&facts)))
		return;
	canvas_print(canvas, 0, x, STYLE_NORMAL, _("%.0f %% left"), floor(100 * memory_left_ratio(&facts)));
	fill_parts(context, parts);
	graph_bar(canvas, 1, 0, canvas->width, parts, MEMORY_PARTS, facts.total_bytes);
	if (swap_used > 0)
		canvas_print(canvas, y++, 0, STYLE_NORMAL, _("swap %s used"), size_text(size, swap_used));
	rest = canvas_below(canvas, y);
	process_rows_draw_short(context, &rest, MEMORY_TABLE_PROCESS, "resident_bytes", size_short);
}

static void swap_words(const struct pane_context *context, char *text, size_t room)
{
	double total = number(context, "memory", "swap", "total_bytes");
	char used[VALUE_TEXT_MAX], size[VALUE_TEXT_MAX];

	if (memory_scope_row(context))
		snprintf(text, room, _("swap %s"),
			 size_short(used, number(context, "scope_use", NULL, "swapped_bytes")));
	else if (total > 0)
		snprintf(text, room, _("swap %s of %s"),
			 size_short(used, number(context, "memory", "swap", "used_bytes")),
			 size_short(size, total));
	else
		snprintf(text, room, "%s", isnan(total) ? _("swap -") : _("swap none"));
}

static void part_words(const struct graph_part *part, char *text, size_t room)
{
	char size[VALUE_TEXT_MAX];

	snprintf(text, room, "%s %s", part->label, size_short(size, part->value));
}

/* "anonymous 482M ██  kernel 49M ▏  …  swap none": the bars together are what is used. */
static void draw_parts(const struct pane_context *context, const struct canvas *canvas, int y)
{
	struct graph_part parts[MEMORY_PARTS];
	char text[TEXT_MAX], swap[TEXT_MAX];
	int room = canvas->width, x = 0;
	unsigned n_parts = fill_parts(context, parts);
	double sum = 0;

	swap_words(context, swap, sizeof(swap));
	room -= utf8_cells(swap, canvas->ascii);
	for (unsigned i = 0; i < n_parts; i++) {
		part_words(&parts[i], text, sizeof(text));
		room -= utf8_cells(text, canvas->ascii) + 1 + CANVAS_GAP;
		sum += parts[i].value > 0 ? parts[i].value : 0;
	}
	room -= (int)n_parts; /* for fractions of cells */
	for (unsigned i = 0; i < n_parts; i++) {
		double value = parts[i].value > 0 ? room * parts[i].value / sum : 0;
		int cells = (int)ceil(value);

		part_words(&parts[i], text, sizeof(text));
		x = canvas_piece(canvas, y, x, STYLE_NORMAL, text);
		if (room < BAR_CELLS_MIN || value <= 0)
			continue;
		graph_bar_of(canvas, y, x - 1, cells, &parts[i], value);
		x += cells - 1 + CANVAS_GAP;
	}
	canvas_piece(canvas, y, x, STYLE_NORMAL, swap);
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

static enum style style_of_waiting(const struct pane_context *context, double some)
{
	return graph_grade_style(grade_of(context->grades, GRADED_MEMORY_PRESSURE, some), STYLE_NORMAL);
}

static int draw_pressure(const struct pane_context *context, const struct canvas *canvas, int y, int x)
{
	double some = pressure_now(context, "some"), full = pressure_now(context, "full");
	char text[TEXT_MAX];

	if (isnan(some))
		return x;
	if (isnan(full))
		snprintf(text, sizeof(text), _("waiting: some %.2f %%"), 100 * some);
	else
		snprintf(text, sizeof(text), _("waiting: some %.2f %%  all %.2f %%"), 100 * some, 100 * full);
	return canvas_piece(canvas, y, x, style_of_waiting(context, some), text);
}

/* What its control group waits for and reads again. */
static void draw_scope_rates(const struct pane_context *context, const struct canvas *canvas, int y)
{
	double stalled = number(context, "scope_use", NULL, "stalled_ratio");
	int x = draw_rate(canvas, y, 0, _("read"),
			  number(context, "scope_use", NULL, "read_bytes_per_second"), size_text);

	x = draw_rate(canvas, y, x, _("write"), number(context, "scope_use", NULL, "write_bytes_per_second"),
		      size_text);
	x = draw_rate(canvas, y, x, _("refault"), number(context, "scope_use", NULL, "refaults_per_second"),
		      rate_text);
	if (!isnan(stalled))
		canvas_print(canvas, y, x, style_of_waiting(context, stalled), _("waiting: some %.2f %%"),
			     100 * stalled);
}

static void draw_rates(const struct pane_context *context, const struct canvas *canvas, int y)
{
	int x;

	if (memory_scope_row(context)) {
		draw_scope_rates(context, canvas, y);
		return;
	}
	x = draw_rate(canvas, y, 0, _("page-in"), paging(context, "page_in_bytes_per_second"), size_text);
	x = draw_rate(canvas, y, x, _("refault"), paging(context, "refaults_per_second"), rate_text);
	x = draw_rate(canvas, y, x, _("swap-in"), paging(context, "swap_ins_per_second"), rate_text);
	x = draw_pressure(context, canvas, y, x);
	draw_rate(canvas, y, x, _("scan"), paging(context, "scans_per_second"), rate_text);
}

/* How fast used memory grows, and who it is: "+1.2 GiB/min, python3 3376 most of it". */
static void slope_words(const struct pane_context *context, bool with_name, char *text, size_t room)
{
	const struct memory_state *memory = context->state;
	const struct table *processes = context_table(context, MEMORY_TABLE_PROCESS);
	struct memory_grower grower = memory_growth_most(&memory->growth, context->frame);
	uint64_t now = context->frame->mono_ns, minute = SLOPE_SECONDS * UINT64_C(1000000000);
	uint64_t since = grower.since_ns ? grower.since_ns : now > minute ? now - minute : 0;
	struct history_span span;
	char size[VALUE_TEXT_MAX];
	double slope;

	*text = '\0';
	if (!history_between(&context->history, memory_used_series(context), since, now, &span) ||
	    span.seconds < SLOPE_SECONDS_MIN)
		return;
	slope = 60 * (span.last - span.first) / span.seconds;
	if (fabs(slope) < SLOPE_NOTABLY * total_bytes(context))
		return;
	if (with_name && !memory_scope_row(context) && grower.row &&
	    2 * grower.bytes > span.last - span.first && slope > 0)
		snprintf(text, room, _("+%s/min, %s %.0f most of it"), size_short(size, slope),
			 table_text(processes, grower.row, "name"),
			 table_number(processes, grower.row, "pid"));
	else
		snprintf(text, room, _("%s%s/min"), slope > 0 ? "+" : "", size_short(size, slope));
}

#define GIB 1073741824.0

/* With more digits than size_short(), for the ends of an axis that are near each other. */
static char *size_fine(char *out, double bytes)
{
	if (bytes < GIB || isnan(bytes))
		return size_short(out, bytes);
	if (bytes < 1024 * GIB)
		snprintf(out, VALUE_TEXT_MAX, "%.2fG", bytes / GIB);
	else
		snprintf(out, VALUE_TEXT_MAX, "%.3fT", bytes / (1024 * GIB));
	return out;
}

static void draw_used_rule(const struct pane_context *context, const struct canvas *canvas,
			   const struct graph_line_scale *scale, double used)
{
	char title[TEXT_MAX], slope[TEXT_MAX], sizes[4][VALUE_TEXT_MAX];

	if (scale->least > 0)
		snprintf(title, sizeof(title), _("%s %s: %s to %s of %s"), memory_used_words(context),
			 size_fine(sizes[0], used), size_fine(sizes[1], scale->least),
			 size_fine(sizes[2], scale->most), size_short(sizes[3], total_bytes(context)));
	else
		snprintf(title, sizeof(title), _("%s %s: 0 to %s of %s"), memory_used_words(context),
			 size_short(sizes[0], used), size_short(sizes[2], scale->most),
			 size_short(sizes[3], total_bytes(context)));
	slope_words(context, true, slope, sizeof(slope));
	if (utf8_cells(title, canvas->ascii) + utf8_cells(slope, canvas->ascii) > canvas->width - 10)
		slope_words(context, false, slope, sizeof(slope));
	canvas_rule(canvas, 0, title, slope);
}

/* The parts from zero on; or used memory alone, on an axis that fits its range. */
static void draw_graph(const struct pane_context *context, const struct canvas *canvas)
{
	struct canvas rest = canvas_rows(canvas, 1, canvas->height), plot = graph_area_plot(&rest);
	unsigned series = memory_used_series(context);
	struct graph_line_scale scale = {
		.now_ns = context->frame->mono_ns,
		.span_seconds = memory_span(context),
		.step_seconds = context_step_seconds(context),
		.style = STYLE_SERIES + LOOK_CACHES,
		.most = total_bytes(context),
	};
	struct graph_range range = graph_line_range(&plot, &context->history, series, &scale);
	struct levels_range fit = levels_fit(range.least, range.most, scale.most);
	struct graph_part parts[MEMORY_PARTS];
	char label[VALUE_TEXT_MAX];

	if (canvas->height < 1 + GRAPH_LINES_MIN || isnan(scale.most))
		return;
	if (context->settings->memory.axis && !memory_scope_row(context)) {
		struct graph_scale stacked = { MEMORY_SERIES_TOTAL, size_short(label, scale.most),
					       scale.now_ns, scale.span_seconds, scale.step_seconds };

		fill_parts(context, parts);
		graph_stacked(&rest, &context->history, parts, MEMORY_PARTS, &stacked);
	} else {
		if (!context->settings->memory.axis) {
			scale.least = fit.bottom;
			scale.most = fit.top;
		}
		graph_area(&rest, &context->history, series, &scale,
			   scale.least > 0 ? size_fine : size_short);
	}
	draw_used_rule(context, canvas, &scale, range.latest);
}

static void processes_title(const struct pane_context *context, char *text, size_t room)
{
	const struct table *processes = context_table(context, MEMORY_TABLE_PROCESS);
	const struct view *view = &context->tables[MEMORY_TABLE_PROCESS].view;
	unsigned long growing = 0, n_known = 0;

	for (size_t i = 0; processes && i < view->n_rows; i++) {
		double growth = table_number(processes, view->rows[i], "growth_bytes_per_second");

		growing += growth > 0;
		n_known += isnan(growth) ? 0 : 1;
	}
	if (!processes || (view->n_rows > 0 && n_known == 0))
		snprintf(text, room, "%s", _("who has it"));
	else
		snprintf(text, room, P_("who has it: %lu grows now", "who has it: %lu grow now", growing),
			 growing);
}

static void draw_processes(const struct pane_context *context, const struct canvas *canvas)
{
	char title[TEXT_MAX];

	processes_title(context, title, sizeof(title));
	context_draw_titled(context, canvas, MEMORY_TABLE_PROCESS, title);
}

static int graph_lines(int height)
{
	int lines = height < LINES_FOR_MORE_GRAPH ? GRAPH_LINES_MIN : height / 5;

	return height < LINES_FOR_GRAPH ? 0 : 1 + (lines < GRAPH_LINES_MAX ? lines : GRAPH_LINES_MAX);
}

/* The lines above the processes depend on the height only, so that these never jump. */
static void draw_summary(const struct pane_context *context, const struct canvas *canvas)
{
	struct memory_facts facts = facts_of(context);
	int height = canvas->height, y = 0, lines;
	enum memory_level level = draw_verdict(context, canvas, y++, &facts);
	bool scoped = memory_scope_row(context) != NULL;
	struct canvas part;
	char text[TEXT_MAX];

	if (height >= LINES_FOR_PARTS)
		draw_parts(context, canvas, y++);
	if (height >= LINES_FOR_RATES && !scoped) {
		y = draw_limit(context, canvas, y, "memory");
		y = draw_limit(context, canvas, y, "swap");
	}
	part = canvas_rows(canvas, y, graph_lines(height));
	draw_graph(context, &part);
	y += part.height;
	if (height >= LINES_FOR_RATES)
		draw_rates(context, canvas, y++);
	lines = height < LINES_FOR_STORY ? 0 : height < LINES_FOR_STORIES ? 1 : 2;
	part = canvas_rows(canvas, y, lines);
	if (lines > 0)
		canvas_wrapped(&part, 0, level > MEMORY_OK ? STYLE_STRONG : STYLE_NORMAL,
			       span_text(scoped ? memory_scope_story(context, text, sizeof(text))
						: memory_story(&facts, text, sizeof(text))));
	part = canvas_rows(canvas, y + lines, height - y - lines);
	draw_processes(context, &part);
}

/* Draws a table that no scope limits, and says so. */
static void draw_of_machine(const struct pane_context *context, const struct canvas *canvas, unsigned table,
			    const char *title)
{
	char text[TEXT_MAX];

	snprintf(text, sizeof(text), _("of the machine: %s"), title);
	context_draw_titled(context, canvas, table, memory_scope_row(context) ? text : title);
}

/* The meaning of the selected line in full. */
static void draw_meaning(const struct pane_context *context, const struct canvas *canvas)
{
	const struct table *table = context_table(context, MEMORY_TABLE_MEMINFO);
	const struct table_widget *widget = &context->tables[MEMORY_TABLE_MEMINFO];
	const struct column *column;
	const void *row = table ? table_cell(widget, &column) : NULL;
	char text[TEXT_MAX];

	if (!row)
		return;
	snprintf(text, sizeof(text), "%s: %s", table_text(table, row, "key"),
		 _(table_text(table, row, "meaning")));
	canvas_wrapped(canvas, 0, STYLE_STRONG, span_text(text));
}

/* The part of Cached that can be dropped, and the part that is shared memory and tmpfs. */
static void draw_extended(const struct pane_context *context, const struct canvas *canvas)
{
	double cached = number(context, "meminfo", "Cached", "value_bytes");
	double shared = number(context, "meminfo", "Shmem", "value_bytes");
	double page_cache = number(context, "memory", "mem", "page_cache_bytes");
	int below = canvas->height > LINES_FOR_STORY ? 2 : 0;
	struct canvas rest = canvas_rows(canvas, 0, canvas->height - below);
	struct canvas bottom = canvas_rows(canvas, canvas->height - below, below);
	char sizes[3][VALUE_TEXT_MAX], text[TEXT_MAX];

	if (canvas->height > LINES_FOR_STORY && !isnan(page_cache)) {
		snprintf(text, sizeof(text),
			 _("Cached %s = %s page cache of files + %s shared memory and tmpfs, which cannot be "
			   "dropped"),
			 size_text(sizes[0], cached), size_text(sizes[1], page_cache),
			 size_text(sizes[2], shared));
		rest = canvas_rows(&rest, canvas_wrapped(canvas, 0, STYLE_NORMAL, span_text(text)),
				   rest.height);
	}
	draw_of_machine(context, &rest, MEMORY_TABLE_MEMINFO, _("every line of /proc/meminfo"));
	draw_meaning(context, &bottom);
}

static const char *check_format(double error_bytes)
{
	return isnan(error_bytes) ? _("%s: not known")
	       : error_bytes < 0  ? _("%s: %s not accounted for")
	       : error_bytes > 0  ? _("%s: %s too much")
				  : _("%s: exact");
}

/* The formulas in full, and what no line accounts for. */
static void draw_checks(const struct pane_context *context, const struct canvas *canvas)
{
	const struct table_widget *widget = &context->tables[MEMORY_TABLE_CHECK];
	const struct table *checks = context_table(context, MEMORY_TABLE_CHECK);
	struct canvas table = canvas_rows(canvas, 0, table_height(widget) + 1);
	char size[VALUE_TEXT_MAX], text[TEXT_MAX];
	int y = table.height + 1;

	draw_of_machine(context, &table, MEMORY_TABLE_CHECK, _("do the lines of /proc/meminfo add up?"));
	for (size_t i = 0; i < widget->view.n_rows; i++) {
		const void *row = widget->view.rows[i];
		double bytes = table_number(checks, row, "error_bytes");

		snprintf(text, sizeof(text), check_format(bytes), table_text(checks, row, "formula"),
			 size_text(size, fabs(bytes)));
		y += canvas_wrapped(canvas, y, bytes < 0 || bytes > 0 ? STYLE_NORMAL : STYLE_DIM,
				    span_text(text));
	}
}

static void draw_paging(const struct pane_context *context, const struct canvas *canvas)
{
	int below = table_height(&context->tables[MEMORY_TABLE_PRESSURE]) + 1;
	bool both = canvas->height >= below + LINES_FOR_RATES;
	struct canvas top = canvas_rows(canvas, 0, canvas->height - (both ? below : 0));
	struct canvas bottom = canvas_rows(canvas, canvas->height - below, below);

	draw_of_machine(context, &top, MEMORY_TABLE_RECLAIM, _("paging and reclaim, since boot and now"));
	if (both)
		draw_of_machine(context, &bottom, MEMORY_TABLE_PRESSURE,
				_("pressure (PSI): time that tasks waited"));
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

static void draw_readers(const struct pane_context *context, const struct canvas *canvas)
{
	const struct memory_state *memory = context->state;
	bool after_drop =
		memory->drop.state == DROP_MEASURED && context->frame->mono_ns >= memory->drop.mono_ns;
	int lines = canvas->height >= LINES_FOR_GRAPH ? canvas->height / 3 : 0;
	int top = after_drop ? draw_regrowth(context, canvas) : 0;
	struct canvas graph = canvas_rows(canvas, canvas->height - lines, lines);
	struct canvas table = canvas_rows(canvas, top, canvas->height - lines - top);

	context_draw_titled(context, &table, MEMORY_TABLE_READER,
			    _("reads and writes of processes, and of their children that ended"));
	draw_graph(context, &graph);
}

static bool cache_is_estimated(const struct pane_context *context)
{
	const struct table *table = context_table(context, MEMORY_TABLE_CACHE_USE);

	return table && table->n_rows > 0 && *table_text(table, table_row(table, 0), "note");
}

/* One sentence of the whole machine. */
static int draw_cache_sum(const struct pane_context *context, const struct canvas *canvas)
{
	const struct table *table = context_table(context, MEMORY_TABLE_CACHE_USE);
	const void *row = table && table->n_rows > 0 ? table_row(table, 0) : NULL;
	double asked, missed, hit;
	char text[TEXT_MAX];

	if (!row || table_number(table, row, "pid") > 0)
		return 0;
	asked = table_number(table, row, "asked_pages_per_second");
	missed = table_number(table, row, "missed_pages_per_second");
	hit = table_number(table, row, "hit_ratio");
	if (isnan(asked) || isnan(missed) || (asked > 0 && isnan(hit)))
		return 0;
	if (asked > 0)
		snprintf(text, sizeof(text),
			 _("Reads ask for %.0f pages a second; %.1f %% of them are in the cache, %.0f are "
			   "not."),
			 asked, 100 * hit, missed);
	else
		snprintf(text, sizeof(text), "%s", _("No process reads a file at present."));
	return canvas_wrapped(canvas, 0, STYLE_STRONG, span_text(text));
}

static void draw_cache(const struct pane_context *context, const struct canvas *canvas)
{
	int sum = canvas->height >= LINES_FOR_RATES ? draw_cache_sum(context, canvas) : 0;
	bool estimated = cache_is_estimated(context);
	int files = canvas->height >= LINES_FOR_GRAPH && !estimated ? canvas->height / 3 : 0;
	struct canvas top = canvas_rows(canvas, sum, canvas->height - sum - files);
	struct canvas bottom = canvas_rows(canvas, canvas->height - files, files);

	context_draw_titled(context, &top, MEMORY_TABLE_CACHE_USE,
			    estimated ? _("pages that reads asked for: an estimate from bytes, also of pipes")
				      : _("pages that reads asked of the page cache"));
	if (files > 0)
		draw_of_machine(context, &bottom, MEMORY_TABLE_CACHE_FILE, _("files that were read"));
}

void memory_draw(const struct pane_context *context, struct canvas *canvas)
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
	case MEMORY_CACHE:
		draw_cache(context, canvas);
		break;
	case MEMORY_PROCESSES:
		draw_processes(context, canvas);
		break;
	case MEMORY_SUMMARY:
		if ((canvas->height < 5 || canvas->width < NARROW) && memory_scope_row(context))
			draw_short_scope(context, canvas);
		else if (canvas->height < 5 || canvas->width < NARROW)
			draw_short(context, canvas);
		else
			draw_summary(context, canvas);
	}
}
