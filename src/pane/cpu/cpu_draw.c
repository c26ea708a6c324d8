/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing of the CPU pane: the machine above its processes, as far as there are lines for both. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "model/calibration.h"
#include "model/statistics.h"
#include "model/units.h"
#include "pane/cpu/cpu.h"
#include "pane/process_rows.h"
#include "screen/graph.h"

#define BARS_MAX 16      /* with more CPUs each is one cell */
#define LABEL_CELLS 6 /* minimum: "CPU99" and a gap */
#define HEAT_LABEL_CELLS 9
#define PERCENT_CELLS 8
#define PERCENT_TEXT_MAX 32
#define BAR_CELLS_MIN 12
#define BAR_CELLS_GOOD 24 /* a cell for 4 %; the number beside it is exact */
#define BAR_GAP 2
#define RATE_CELLS 7 /* " 6311/s": the following text does not move up to this width */
#define SECOND_NS UINT64_C(1000000000)
#define TABLE_LINES_MIN 4
#define COUNTED_LINES_MIN 4 /* to explain why there are no counters */
#define GRAPH_FROM_LINES 22 /* left for it and the table */
#define GRAPH_LINES_MAX 10
#define GRAPH_LINES_MIN 5 /* when the user turned it on */
#define NOTICEABLE_WATTS 0.005
#define NOTICEABLE 0.005 /* of a CPU */
#define LEGEND_SAMPLES 60

static void fill_parts(const struct table *table, const void *row, struct graph_part *parts)
{
	static const char letters[N_CPU_SERIES] = { 'u', 'n', 's', 'i', 'f', 'x', 'g', 'w' };
	const char *const labels[N_CPU_SERIES] = { _("user"),	 _("nice"),  _("system"), _("irq"),
						   _("softirq"), _("steal"), _("guest"),  _("iowait") };

	for (unsigned i = 0; i < N_CPU_SERIES; i++)
		parts[i] = (struct graph_part){ letters[i], i, labels[i], i,
						table_number(table, row, cpu_series[i].column) };
}

/* All that a CPU did, including guests; NaN until there are rates. */
static double busy_ratio(const struct table *table, const void *row)
{
	return cpu_busy_ratio(table_number(table, row, "idle_ratio"),
			      table_number(table, row, "iowait_ratio"));
}

/* The kernel counts in hundredths of a second: decimal places that this can resolve in the interval. */
static void percent_text(char text[PERCENT_TEXT_MAX], double ratio, uint64_t interval_ns)
{
	if (isnan(ratio))
		snprintf(text, PERCENT_TEXT_MAX, "-");
	else
		snprintf(text, PERCENT_TEXT_MAX, "%.*f %%", interval_ns < 5 * SECOND_NS ? 0 : 1,
			 100 * ratio);
}

static void draw_name(const struct canvas *canvas, int y, const struct table *table, const void *row)
{
	canvas_print(canvas, y, 0, STYLE_STRONG, "CPU%s", table_text(table, row, "cpu"));
}

/* For the longest name of a CPU and a gap. */
static int label_cells(const struct table *table)
{
	int most = LABEL_CELLS;

	for (size_t i = 1; i < table->n_rows; i++) {
		int cells = (int)strlen("CPU") + 1 +
			    (int)strlen(table_text(table, table_row(table, i), "cpu"));

		most = cells > most ? cells : most;
	}
	return most;
}

static void draw_bar(const struct canvas *canvas, const struct table *table, const void *row, int label,
		     uint64_t interval_ns)
{
	struct graph_part parts[N_CPU_SERIES];
	double busy = busy_ratio(table, row);
	char text[PERCENT_TEXT_MAX];

	draw_name(canvas, 0, table, row);
	fill_parts(table, row, parts);
	graph_bar(canvas, 0, label, canvas->width - label - PERCENT_CELLS, parts, N_CPU_SERIES, 1);
	percent_text(text, busy, interval_ns);
	canvas_right(canvas, 0, canvas->width - PERCENT_CELLS, PERCENT_CELLS,
		     busy >= 0.9 ? STYLE_WARN : STYLE_NORMAL, text);
}

/* Cells for each bar, in four equal quarters, with this many side by side; 0: no room. */
static int bar_cells(const struct canvas *canvas, int label, int columns)
{
	return ((canvas->width - BAR_GAP * (columns - 1)) / columns - label - PERCENT_CELLS) / 4 * 4;
}

/* A bar for each CPU, in one or more columns; false when they would be too narrow. */
static bool draw_bars(const struct canvas *canvas, const struct table *table, uint64_t interval_ns,
		      int lines_max, int *lines)
{
	int n_cpus = (int)table->n_rows - 1, columns = 1, label = label_cells(table), width;

	if (n_cpus > 1 && bar_cells(canvas, label, 2) >= BAR_CELLS_GOOD)
		columns = 2;
	while ((n_cpus + columns - 1) / columns > lines_max)
		columns++;
	if (n_cpus > BARS_MAX || bar_cells(canvas, label, columns) < BAR_CELLS_MIN)
		return false;
	width = bar_cells(canvas, label, columns) + label + PERCENT_CELLS;
	*lines = (n_cpus + columns - 1) / columns;
	for (int i = 0; i < n_cpus; i++) {
		int left = i / *lines * (width + BAR_GAP);
		struct canvas part = canvas_part(canvas, i % *lines, left, 1, width);

		draw_bar(&part, table, table_row(table, (size_t)i + 1), label, interval_ns);
	}
	return true;
}

static double mean_busy(const struct table *table, size_t first, size_t count)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = first; i < first + count && i < table->n_rows; i++) {
		double busy = busy_ratio(table, table_row(table, i));

		if (isnan(busy))
			continue;
		sum += busy;
		known++;
	}
	return known > 0 ? sum / (double)known : NAN;
}

/* A cell for each CPU, or for several that share one: the higher, the busier. */
static int draw_heat(const struct canvas *canvas, const struct table *table, int lines_max)
{
	size_t n_cpus = table->n_rows - 1;
	size_t room = (size_t)(canvas->width > HEAT_LABEL_CELLS ? canvas->width - HEAT_LABEL_CELLS : 1);
	size_t share = (n_cpus + room * (size_t)lines_max - 1) / (room * (size_t)lines_max);
	size_t cells = (n_cpus + share - 1) / share, per_line = room < 64 ? room : room / 16 * 16;

	if ((cells + per_line - 1) / per_line > (size_t)lines_max)
		per_line = room;
	for (size_t cell = 0; cell < cells; cell++) {
		double busy = mean_busy(table, 1 + cell * share, share);
		int level = isnan(busy) ? 0 : busy < 0 ? 0 : busy >= 1 ? 7 : (int)(busy * 8);
		int y = (int)(cell / per_line), x = (int)(cell % per_line);

		if (x == 0)
			draw_name(canvas, y, table, table_row(table, 1 + cell * share));
		canvas_fill(canvas, y, HEAT_LABEL_CELLS + x, busy >= 0.9 ? STYLE_WARN : STYLE_NORMAL,
			    isnan(busy)	    ? '-'
			    : canvas->glyphs->ascii ? (uint32_t)('0' + level)
					    : (uint32_t)(0x2581 + level),
			    1);
	}
	return (int)((cells + per_line - 1) / per_line);
}

static int draw_machine(const struct canvas *canvas, const struct table *table, uint64_t interval_ns)
{
	int lines_max = canvas->height >= 10 ? canvas->height / 5 : canvas->height >= 7 ? 2 : 1, lines;

	if (draw_bars(canvas, table, interval_ns, lines_max, &lines))
		return lines;
	return draw_heat(canvas, table, lines_max);
}

/* Was there any of it lately? Parts that come and go stay listed for a while, so that nothing jumps. */
static bool was_noticeable(const struct pane_context *context, unsigned series)
{
	long now = history_find(&context->history, context->frame->mono_ns);

	for (long i = now; i >= 0 && i > now - LEGEND_SAMPLES; i--)
		if (history_value(&context->history, series, (size_t)i) >= NOTICEABLE)
			return true;
	return false;
}

/* The three that people look for. */
static bool is_looked_for(unsigned series)
{
	return series == CPU_SERIES_USER || series == CPU_SERIES_SYSTEM || series == CPU_SERIES_IOWAIT;
}

/* The legend always lists these, so that they do not move, then those that exist or existed lately. */
static void draw_legend(const struct pane_context *context, const struct canvas *canvas, int y,
			const struct graph_part *parts)
{
	struct graph_part shown[N_CPU_SERIES];
	unsigned n_shown = 0;

	for (unsigned i = 0; i < N_CPU_SERIES; i++)
		if (is_looked_for(i))
			shown[n_shown++] = parts[i];
	for (unsigned i = 0; i < N_CPU_SERIES; i++)
		if (!is_looked_for(i) && was_noticeable(context, i))
			shown[n_shown++] = parts[i];
	graph_legend(canvas, y, shown, n_shown, 1, NULL);
}

/*
 * As canvas_piece(), but with a minimum distance to the following text, which then does not move with the
 * number.
 */
static int draw_piece(const struct canvas *canvas, int y, int x, const char *text, int least)
{
	int end = canvas_piece(canvas, y, x, STYLE_NORMAL, text);

	return end > x && end < x + least + CANVAS_GAP ? x + least + CANVAS_GAP : end;
}

/* Count in the interval: with intervals of about a second, tenths per second would be meaningless. */
static const char *counted_text(char number[VALUE_TEXT_MAX], const struct pane_context *context,
				double per_second)
{
	if (!(per_second < 10 && context->frame->interval_ns < 2 * SECOND_NS))
		return rate_short(number, per_second);
	snprintf(number, VALUE_TEXT_MAX, "%.0f", per_second);
	return number;
}

static int draw_rate(const struct pane_context *context, const struct canvas *canvas, int y, int x,
		     const char *name, const char *column)
{
	double per_second = frame_number(context->frame, "system", NULL, column);
	char text[TEXT_MAX], number[VALUE_TEXT_MAX];

	snprintf(text, sizeof(text), "%s %s/s", name, counted_text(number, context, per_second));
	return draw_piece(canvas, y, x, text, utf8_cells(name, canvas->ascii) + RATE_CELLS);
}

/* Speed, queue, rates and pressure of the machine. */
static void draw_rates(const struct pane_context *context, const struct canvas *canvas, int y)
{
	const struct table *system = context_table(context, CPU_TABLE_SYSTEM);
	const struct table *pressure = context_table(context, CPU_TABLE_PRESSURE);
	const void *row = system && system->n_rows > 0 ? table_row(system, 0) : NULL;
	double hertz = frame_number(context->frame, "cpu", "all", "frequency_hertz"), waiting;
	char text[TEXT_MAX], number[VALUE_TEXT_MAX], running[VALUE_TEXT_MAX], blocked[VALUE_TEXT_MAX];
	int x = 0;

	if (!row)
		return;
	if (!isnan(hertz))
		x = draw_piece(canvas, y, x, hertz_text(number, hertz), 0);
	snprintf(text, sizeof(text), _("threads %-4s  run %-2s  blocked %s"),
		 fixed_text(number, table_number(system, row, "threads"), 0),
		 fixed_text(running, table_number(system, row, "running"), 0),
		 fixed_text(blocked, table_number(system, row, "blocked"), 0));
	x = draw_piece(canvas, y, x, text, 0);
	x = draw_rate(context, canvas, y, x, _("forks"), "forks_per_second");
	x = draw_rate(context, canvas, y, x, _("switches"), "context_switches_per_second");
	waiting = pressure ? table_number(pressure, table_find(pressure, "cpu", "some"), "avg10_ratio") : NAN;
	if (!isnan(waiting)) {
		snprintf(text, sizeof(text), _("pressure %.2f %%"), 100 * waiting);
		x = draw_piece(canvas, y, x, text, 0);
	}
	draw_rate(context, canvas, y, x, _("interrupts"), "interrupts_per_second");
}

/* These are always listed, so that the others come and go after them. */
static bool is_always_named(const char *part)
{
	return strcmp(part, "tasks") == 0 || strcmp(part, "exited") == 0 || strcmp(part, "unaccounted") == 0;
}

/* Adds the parts that are always listed, or those of the others that are noticeable. */
static void add_parts(const struct table *account, bool always, char *text, size_t room)
{
	for (size_t i = 0; i < account->n_rows; i++) {
		const void *row = table_row(account, i);
		double share = table_number(account, row, "cpu_ratio");
		const char *part = table_text(account, row, "part");
		char number[VALUE_TEXT_MAX];
		size_t length = strlen(text);

		if (strcmp(part, "busy") == 0 || is_always_named(part) != always ||
		    !(always || fabs(share) >= NOTICEABLE))
			continue;
		snprintf(text + length, room - length, " %s%s %s", strcmp(part, "tasks") == 0 ? "" : "+ ",
			 _(part), fixed_text(number, fabs(share) < NOTICEABLE ? 0 : share, 2));
	}
}

/* "busy 0.94 CPUs = tasks 0.71 + exited 0.19 + unaccounted 0.02 + softirq 0.02". Returns its lines. */
static int draw_account(const struct pane_context *context, const struct canvas *canvas, int y)
{
	const struct table *account = context_table(context, CPU_TABLE_ACCOUNT);
	double busy = frame_number(context->frame, "account", "busy", "cpu_ratio");
	struct canvas lines = canvas_rows(canvas, y, canvas->height >= 14 ? 2 : 1);
	char text[TEXT_MAX];

	if (!account || isnan(busy))
		return 0;
	snprintf(text, sizeof(text), _("busy %.2f CPUs ="), busy);
	add_parts(account, true, text, sizeof(text));
	add_parts(account, false, text, sizeof(text));
	return canvas_wrapped(&lines, 0, STYLE_NORMAL, span_text(text));
}

/* The nearest limit of the container or service. False when there is none. */
static bool draw_limit(const struct pane_context *context, const struct canvas *canvas, int y)
{
	const struct table *limits = context_table(context, CPU_TABLE_LIMIT);
	double least = INFINITY, throttled = NAN;
	const char *group = "";

	for (size_t i = 0; limits && i < limits->n_rows; i++) {
		const void *row = table_row(limits, i);
		double limit = table_number(limits, row, "limit_ratio");

		if (!(limit < least))
			continue;
		least = limit;
		throttled = table_number(limits, row, "throttled_ratio");
		group = table_text(limits, row, "cgroup");
	}
	if (isinf(least))
		return false;
	if (isnan(throttled))
		canvas_print(canvas, y, 0, STYLE_NORMAL, _("limit of %s: %.2f CPUs"), group, least);
	else
		canvas_print(canvas, y, 0, throttled > 0 ? STYLE_WARN : STYLE_NORMAL,
			     _("limit of %s: %.2f CPUs, had to wait in %.0f %% of the periods"), group, least,
			     100 * throttled);
	return true;
}

/* The largest of those that used less than the previous one, or as much and come after it. */
static const void *next_exited(const struct table *exited, const void *before)
{
	double below = before ? table_number(exited, before, "cpu_ratio") : INFINITY, most = 0;
	const void *next = NULL;
	bool behind = false;

	for (size_t i = 0; i < exited->n_rows; i++) {
		const void *row = table_row(exited, i);
		double share = table_number(exited, row, "cpu_ratio");

		if (share >= NOTICEABLE && (share < below || (behind && share == below)) && share > most) {
			most = share;
			next = row;
		}
		behind = behind || row == before;
	}
	return next;
}

/* "exited: cc1 12.1 % (38/s) as 4.0 % (12/s)": exited commands, which no process list shows. */
static void draw_exited(const struct pane_context *context, const struct canvas *canvas, int y)
{
	const struct table *exited = context_table(context, CPU_TABLE_EXITED);
	int x = canvas_text(canvas, y, 0, STYLE_STRONG, _("exited:"), -1);
	const void *row = NULL;
	bool named = false;

	if (isnan(frame_number(context->frame, "account", "exited", "cpu_ratio")))
		return; /* no rates yet */
	while (exited && (row = next_exited(exited, row))) {
		double exits = table_number(exited, row, "exits_per_second");
		char number[VALUE_TEXT_MAX], text[TEXT_MAX];

		named = true;
		snprintf(text, sizeof(text), " %s %.1f %%", table_text(exited, row, "command"),
			 100 * table_number(exited, row, "cpu_ratio"));
		if (!isnan(exits))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), " (%s/s)",
				 counted_text(number, context, exits));
		if (x + utf8_cells(text, canvas->ascii) > canvas->width)
			return;
		x += canvas_text(canvas, y, x, STYLE_NORMAL, text, -1) + 1;
	}
	if (!named)
		canvas_text(canvas, y, x, STYLE_DIM, _(" nothing that mattered"), -1);
}

static void draw_graph(const struct pane_context *context, const struct canvas *canvas,
		       const struct graph_part *parts)
{
	struct graph_scale scale = {
		.whole = GRAPH_OF_ONE,
		.top_label = "100%",
		.now_ns = context->frame->mono_ns,
		.span_seconds = 300,
		.step_seconds = context_step_seconds(context),
	};

	graph_stacked(canvas, &context->history, parts, N_CPU_SERIES, &scale);
	canvas_right(canvas, 0, 0, canvas->width, STYLE_DIM, _("5 min"));
}

/* Of the lines left. */
static int graph_lines(bool graph, int left)
{
	int lines = left / 4 < GRAPH_LINES_MAX ? left / 4 : GRAPH_LINES_MAX;

	if (graph)
		return left < TABLE_LINES_MIN + GRAPH_LINES_MIN ? 0
		       : lines < GRAPH_LINES_MIN		 ? GRAPH_LINES_MIN
								 : lines;
	return left >= GRAPH_FROM_LINES ? lines : 0;
}

/* One line for a screen where nothing else fits. */
static void draw_short(const struct pane_context *context, const struct canvas *canvas)
{
	const struct table *table = context_table(context, CPU_TABLE_CPU);
	double busy = table && table->n_rows > 0 ? busy_ratio(table, table_row(table, 0)) : NAN;
	char text[PERCENT_TEXT_MAX];

	percent_text(text, busy, context->frame->interval_ns);
	canvas_print(canvas, 0, 0, STYLE_STRONG, isnan(busy) ? _("CPU -") : _("CPU %s busy"), text);
}

/* " + tasks 2.10", " - unexplained 0.40": parts that are always listed, and others that are noticeable. */
static void add_part(const struct table *account, const void *row, char *text, size_t room)
{
	const char *part = table_text(account, row, "part");
	double watts = table_number(account, row, "watts");
	bool first = strcmp(part, "baseline") == 0;
	char number[VALUE_TEXT_MAX];
	size_t length = strlen(text);

	if (strcmp(part, "total") == 0 || (strcmp(part, "others") == 0 && fabs(watts) < NOTICEABLE_WATTS))
		return;
	snprintf(text + length, room - length, " %s%s %s",
		 watts <= -NOTICEABLE_WATTS ? "- "
		 : first                    ? ""
					    : "+ ",
		 _(part), fixed_text(number, fabs(watts), 2));
}

/* The watts of the machine as a sum: idle, what runs, and what is unexplained. Returns the lines used. */
static int draw_watts(const struct pane_context *context, const struct canvas *canvas, int y)
{
	const struct table *account = context_table(context, CPU_TABLE_POWER_ACCOUNT);
	double watts = frame_number(context->frame, "power_account", "total", "watts");
	double r_squared = frame_number(context->frame, "power_account", "tasks", "r_squared");
	struct canvas lines = canvas_rows(canvas, y, canvas->height >= 14 ? 2 : 1);
	char text[TEXT_MAX], number[VALUE_TEXT_MAX];
	size_t length;

	if (!account || isnan(watts))
		return 0;
	snprintf(text, sizeof(text), "%.2f W =", watts);
	for (size_t i = 0; i < account->n_rows; i++)
		add_part(account, table_row(account, i), text, sizeof(text));
	length = strlen(text);
	snprintf(text + length, sizeof(text) - length, _(", an estimate (R squared %s, %s)"),
		 fixed_text(number, r_squared, 2),
		 _(table_text(account, table_find(account, "tasks", NULL), "fit")));
	return canvas_wrapped(&lines, 0, r_squared < CALIBRATION_FAIR ? STYLE_WARN : STYLE_NORMAL,
			      span_text(text));
}

/* Lines by priority: processes, bars, account, exited, legend, rates, graph. */
static void draw_processes(struct pane_context *context, const struct canvas *canvas)
{
	const struct table *cpus = context_table(context, CPU_TABLE_CPU);
	const struct cpu_state *cpu = context->state;
	struct graph_part parts[N_CPU_SERIES];
	struct canvas rest;
	int y = 0, height = canvas->height, lines;

	if (cpus && cpus->n_rows > 1 && height >= TABLE_LINES_MIN + 2) {
		y = draw_machine(canvas, cpus, context->frame->interval_ns);
		fill_parts(cpus, table_row(cpus, 0), parts);
		if (height - y >= TABLE_LINES_MIN + 5)
			draw_legend(context, canvas, y++, parts);
		if (height - y >= TABLE_LINES_MIN + 4)
			draw_rates(context, canvas, y++);
	}
	if (height - y >= TABLE_LINES_MIN + 3)
		y += draw_account(context, canvas, y);
	if (height - y >= TABLE_LINES_MIN + 3)
		y += draw_watts(context, canvas, y);
	if (height - y >= TABLE_LINES_MIN + 2 && draw_limit(context, canvas, y))
		y++;
	if (height - y >= TABLE_LINES_MIN + 2)
		draw_exited(context, canvas, y++);
	lines = graph_lines(settings_get(context->settings, "cpu.graph") != NULL, height - y);
	if (cpus && cpus->n_rows > 1 && lines > 0) {
		struct canvas graph = canvas_rows(canvas, y, lines);

		draw_graph(context, &graph, parts);
		y += lines;
	}
	rest = canvas_rows(canvas, y, height - y);
	context_draw_titled(context, &rest, cpu->view,
			    cpu->view == CPU_TABLE_THREAD ? _("threads") : _("processes"));
}

/* The counters of the selected process above the list. */
static void draw_counted(struct pane_context *context, const struct canvas *canvas)
{
	int most = canvas->height / 2, height = table_height(&context->tables[CPU_TABLE_COUNTER_PROCESS]);
	int lines = height < COUNTED_LINES_MIN ? COUNTED_LINES_MIN : height;
	struct canvas counters, processes;

	lines = lines < most ? lines : most;
	counters = canvas_rows(canvas, 0, lines);
	processes = canvas_rows(canvas, lines, canvas->height - lines);
	context_draw_table(context, &counters, CPU_TABLE_COUNTER_PROCESS);
	context_draw_table(context, &processes, CPU_TABLE_PROCESS);
}

void cpu_draw(struct pane_context *context, struct canvas *canvas)
{
	const struct cpu_state *cpu = context->state;

	context->request->n_visible = 0;
	if (cpu->view == CPU_TABLE_COUNTER_PROCESS)
		draw_counted(context, canvas);
	else if (canvas->height < TABLE_LINES_MIN)
		draw_short(context, canvas);
	else
		draw_processes(context, canvas);
	if (cpu->view == CPU_TABLE_PROCESS || cpu->view == CPU_TABLE_COUNTER_PROCESS)
		process_rows_request(context, CPU_TABLE_PROCESS);
}
