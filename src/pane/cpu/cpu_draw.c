/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The views of the CPU pane: the machine above its processes, their time, graphics processors. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/utf8.h"
#include "model/calibration.h"
#include "model/statistics.h"
#include "pane/cpu/cpu.h"

#define LABEL_CELLS 6 /* minimum: "CPU99" and a gap */
#define PERCENT_CELLS 8
#define PERCENT_TEXT_MAX 32
#define BAR_CELLS_MIN 12
#define BAR_CELLS_GOOD 24 /* a cell for 4 %; the number beside it is exact */
#define BAR_GAP 2
#define FEW_CPUS 4 /* have lines of their own where there is room */
#define RULER_STEP ((size_t)8) /* cells */
#define RATE_CELLS 7           /* " 6311/s": the following text does not move up to this width */
#define SECOND_NS UINT64_C(1000000000)
#define TABLE_LINES_MIN 4
#define TALL 30             /* lines: there is room for more than the usual */
#define GRAPH_FROM_LINES 22 /* left for it and the table */
#define GRAPH_LINES_MAX 12
#define GRAPH_LINES_MIN 5 /* when the user turned it on */
#define NOTICEABLE_WATTS 0.005
#define NOTICEABLE 0.005  /* of a CPU */
#define WORTH_SAYING 0.05 /* of what is busy, and of a CPU: unaccounted */
#define LARGE_EXITED 0.2  /* of what is busy */
#define LEGEND_SAMPLES 60

/* Where the legend has no room for all: user time includes nice, too. */
static void fold_parts(struct graph_part *parts)
{
	cpu_part_join(parts, CPU_PART_NICE, CPU_PART_USER);
	cpu_parts_fold(parts);
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
		snprintf(text, PERCENT_TEXT_MAX, "%.*f %%", interval_ns < 5 * SECOND_NS ? 0 : 1, 100 * ratio);
}

/* "CPU 100 %" and a gap: what follows does not move. */
static int total_cells(const struct pane_context *context)
{
	return context->frame->interval_ns < 5 * SECOND_NS ? 11 : 13;
}

static enum style percent_style(const struct pane_context *context, double ratio)
{
	return graph_grade_style(cpu_grade(context->findings, context->frame, ratio), STYLE_NORMAL);
}

static void draw_name(const struct canvas *canvas, int y, const struct table *table, const void *row)
{
	canvas_print(canvas, y, 0, STYLE_DIM, "CPU%s", table_text(table, row, "cpu"));
}

/* For the longest name of a CPU and a gap. */
static int label_cells(const struct table *table)
{
	int most = LABEL_CELLS;

	for (size_t i = 1; i < table->n_rows; i++) {
		int cells =
			(int)strlen("CPU") + 1 + (int)strlen(table_text(table, table_row(table, i), "cpu"));

		most = cells > most ? cells : most;
	}
	return most;
}

/* How the CPUs are drawn. */
struct plan {
	int lines, columns, label, cells; /* columns 0: each CPU is a cell */
	int past;                         /* cells of its history, with a gap before it */
	bool folded;
};

static void draw_past(const struct pane_context *context, const struct canvas *canvas,
		      const struct plan *plan, const char *name)
{
	const struct cpu_state *cpu = context->state;
	const struct followed_row *row = plan->past > 0 ? followed_rows_find(&cpu->cpus, name) : NULL;
	const struct graph_line_scale scale = past_scale(context, 1, STYLE_USAGE);
	struct canvas past =
		canvas_part(canvas, 0, canvas->width - plan->past + BAR_GAP, 1, plan->past - BAR_GAP);

	if (row)
		graph_line(&past, &context->history, row->series[0], &scale);
}

static void draw_bar(const struct pane_context *context, const struct canvas *canvas,
		     const struct table *table, const void *row, const struct plan *plan)
{
	struct graph_part parts[N_CPU_PARTS];
	double busy = busy_ratio(table, row);
	char text[PERCENT_TEXT_MAX];

	draw_name(canvas, 0, table, row);
	cpu_parts_fill(table, row, cpu_series, 0, parts);
	if (plan->folded)
		fold_parts(parts);
	graph_bar(canvas, 0, plan->label, plan->cells, parts, N_CPU_PARTS, 1);
	percent_text(text, busy, context->frame->interval_ns);
	canvas_right(canvas, 0, plan->label + plan->cells, PERCENT_CELLS, percent_style(context, busy), text);
	draw_past(context, canvas, plan, table_text(table, row, "cpu"));
}

/* Cells for each bar and its history, with this many side by side. */
static int bar_cells(const struct canvas *canvas, int label, int columns)
{
	return (canvas->width - BAR_GAP * (columns - 1)) / columns - label - PERCENT_CELLS;
}

/*
 * A bar for each CPU in as few columns as the lines allow, or a cell for each if bars would be too narrow.
 * Where there is much room, half of it is the history of each CPU.
 */
static struct plan plan_cpus(const struct canvas *canvas, const struct table *table, int lines_max)
{
	int n_cpus = (int)table->n_rows - 1, cells;
	struct plan plan = { .columns = 1, .label = label_cells(table) };
	bool tall = canvas->height >= TALL;

	if (n_cpus > (tall ? FEW_CPUS : 1) && bar_cells(canvas, plan.label, 2) >= BAR_CELLS_GOOD)
		plan.columns = 2;
	while ((n_cpus + plan.columns - 1) / plan.columns > lines_max)
		plan.columns++;
	cells = bar_cells(canvas, plan.label, plan.columns);
	plan.cells = cells / 4 * 4; /* four equal quarters */
	plan.lines = (n_cpus + plan.columns - 1) / plan.columns;
	if (plan.cells < BAR_CELLS_MIN) {
		plan.columns = 0;
		plan.lines = lines_max;
	} else if (tall && n_cpus <= FOLLOWED_ROWS_MAX && cells / 2 >= BAR_CELLS_MIN) {
		plan.cells = cells / 8 * 4;
		plan.past = cells - plan.cells;
	}
	return plan;
}

static void draw_bars(const struct pane_context *context, const struct canvas *canvas,
		      const struct table *table, const struct plan *plan)
{
	int width = plan->cells + plan->label + PERCENT_CELLS + plan->past;

	for (int i = 0; i + 1 < (int)table->n_rows; i++) {
		int left = i / plan->lines * (width + BAR_GAP);
		struct canvas part = canvas_part(canvas, i % plan->lines, left, 1, width);

		draw_bar(context, &part, table, table_row(table, (size_t)i + 1), plan);
	}
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

static void draw_cell(const struct pane_context *context, const struct canvas *canvas, int y, int x,
		      double busy)
{
	int level = !(busy > 0) ? 0 : busy >= 1 ? 7 : (int)(busy * 8);
	enum style usage = (enum style)(STYLE_USAGE + (busy >= 0.5));
	enum grade grade = cpu_grade(context->findings, context->frame, busy);

	canvas_fill(canvas, y, x, busy >= NOTICEABLE ? graph_grade_fill(grade, usage) : STYLE_DIM,
		    isnan(busy)             ? '-'
		    : canvas->glyphs->ascii ? (uint32_t)('0' + level)
					    : (uint32_t)(0x2581 + level),
		    1);
}

/* Cells of CPUs, or of several CPUs that share one, in lines. */
struct cells {
	size_t share, n, per_line;
	bool ruled; /* with the numbers of CPUs above every line */
};

static struct cells plan_cells(const struct canvas *canvas, size_t n_cpus, const struct plan *plan)
{
	size_t room = (size_t)(canvas->width > plan->label ? canvas->width - plan->label : 1);
	size_t lines = plan->lines > 0 ? (size_t)plan->lines : 1;
	struct cells cells = { .ruled = lines >= 2 && n_cpus > RULER_STEP };

	if (cells.ruled && 2 * ((n_cpus + room - 1) / room) > lines)
		cells.ruled = false;
	lines = cells.ruled ? lines / 2 : lines;
	cells.share = (n_cpus + room * lines - 1) / (room * lines);
	cells.n = (n_cpus + cells.share - 1) / cells.share;
	cells.per_line = room < 16 ? room : room / 16 * 16;
	if ((cells.n + cells.per_line - 1) / cells.per_line > lines)
		cells.per_line = room;
	return cells;
}

/* "0       8       16": the number of a CPU above its cell. */
static void draw_ruler(const struct canvas *canvas, int y, int x, const struct table *table,
		       const struct cells *cells, size_t first)
{
	for (size_t cell = first; cell < cells->n && cell < first + cells->per_line; cell += RULER_STEP) {
		const char *name = table_text(table, table_row(table, 1 + cell * cells->share), "cpu");

		if (strlen(name) < RULER_STEP)
			canvas_text(canvas, y, x + (int)(cell - first), STYLE_DIM, name, -1);
	}
}

/* The higher and the warmer a cell, the busier. Returns the lines. */
static int draw_cells(const struct pane_context *context, const struct canvas *canvas,
		      const struct table *table, const struct plan *plan)
{
	struct cells cells = plan_cells(canvas, table->n_rows - 1, plan);
	int y = 0;

	for (size_t first = 0; first < cells.n; first += cells.per_line, y++) {
		if (cells.ruled)
			draw_ruler(canvas, y++, plan->label, table, &cells, first);
		draw_name(canvas, y, table, table_row(table, 1 + first * cells.share));
		for (size_t cell = first; cell < cells.n && cell < first + cells.per_line; cell++)
			draw_cell(context, canvas, y, plan->label + (int)(cell - first),
				  mean_busy(table, 1 + cell * cells.share, cells.share));
	}
	return y;
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
	return series == CPU_PART_USER || series == CPU_PART_SYSTEM || series == CPU_PART_IOWAIT;
}

/* These are always listed, so that they do not move; then those that exist or existed lately. */
static unsigned choose_parts(const struct pane_context *context, const struct graph_part *parts, bool folded,
			     struct graph_part *shown)
{
	unsigned n_shown = 0;

	for (unsigned i = 0; i < N_CPU_PARTS; i++)
		if (is_looked_for(i))
			shown[n_shown++] = parts[i];
	for (unsigned i = 0; i < N_CPU_PARTS; i++)
		if (!is_looked_for(i) && (!folded || i == CPU_PART_STEAL) && was_noticeable(context, i))
			shown[n_shown++] = parts[i];
	return n_shown;
}

/* Does every glyph find its name in the legend? */
static bool names_fit(const struct pane_context *context, const struct canvas *canvas,
		      const struct graph_part *parts)
{
	struct graph_part shown[N_CPU_PARTS];
	unsigned n_shown = choose_parts(context, parts, false, shown);
	int cells = -1;

	for (unsigned i = 0; i < n_shown; i++)
		cells += utf8_cells(shown[i].label, canvas->ascii) + 3;
	return cells <= canvas->width - total_cells(context);
}

static void draw_legend(const struct pane_context *context, const struct canvas *canvas,
			const struct graph_part *parts, bool folded)
{
	struct canvas rest = canvas_part(canvas, 0, total_cells(context), 1, canvas->width);
	struct graph_part shown[N_CPU_PARTS], all[N_CPU_PARTS];
	unsigned n_shown;

	memcpy(all, parts, sizeof(all));
	if (folded)
		fold_parts(all);
	n_shown = choose_parts(context, all, folded, shown);
	graph_legend(&rest, 0, shown, n_shown, 1, NULL);
}

/* "CPU  70 %"; the cells it took. */
static int cpu_machine_draw_total(const struct pane_context *context, const struct canvas *canvas)
{
	double busy = cpu_busy_ratio(frame_number(context->frame, "cpu", "all", "idle_ratio"),
				     frame_number(context->frame, "cpu", "all", "iowait_ratio"));
	enum grade grade = grade_of_rules(context->frame, RULES_OF_CPU, false);
	char text[PERCENT_TEXT_MAX];
	int cells;

	percent_text(text, busy, context->frame->interval_ns);
	cells = canvas_text(canvas, 0, 0, STYLE_STRONG, "CPU", -1) + 1;
	return cells + canvas_print(canvas, 0, cells, graph_grade_style(grade, STYLE_NORMAL), "%5s", text);
}

static const void *busiest(const struct table *table)
{
	const void *most = NULL;

	for (size_t i = 1; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (!isnan(busy_ratio(table, row)) &&
		    (!most || busy_ratio(table, row) > busy_ratio(table, most)))
			most = row;
	}
	return most;
}

/* Where CPUs are cells, nothing has the glyphs of the parts: "user 48 %  sys 11 %  …  max CPU17 100 %". */
static void draw_shares(const struct pane_context *context, const struct canvas *canvas,
			const struct table *table, const struct graph_part *parts)
{
	struct graph_part shown[N_CPU_PARTS];
	unsigned n_shown = choose_parts(context, parts, false, shown);
	char text[TEXT_MAX], percent[PERCENT_TEXT_MAX];
	const void *most = busiest(table);
	int x = total_cells(context);

	if (most) {
		percent_text(percent, busy_ratio(table, most), context->frame->interval_ns);
		snprintf(text, sizeof(text), _("max CPU%s %s"), table_text(table, most, "cpu"), percent);
		x = canvas_piece(canvas, 0, x, percent_style(context, busy_ratio(table, most)), text);
	}
	for (unsigned i = 0; i < n_shown; i++) {
		percent_text(percent, shown[i].value, context->frame->interval_ns);
		snprintf(text, sizeof(text), "%s %s", shown[i].label, percent);
		x = canvas_piece(canvas, 0, x, STYLE_NORMAL, text);
	}
}

/* As canvas_piece(), but with a minimum width, so that the following text does not move with the number. */
static int add_piece(const struct canvas *canvas, int y, int x, const char *text, int least)
{
	int end = canvas_piece(canvas, y, x, STYLE_NORMAL, text);

	return end > x && end < x + least + CANVAS_GAP ? x + least + CANVAS_GAP : end;
}

/* "mem 1.7G of 23.5G  swap none"; nothing of what is not known. */
static int draw_memory(const struct pane_context *context, const struct canvas *canvas, int y)
{
	static const struct {
		const char *name, *row, *row_of_used;
	} kinds[] = { { N_("mem"), "mem", "available" }, { N_("swap"), "swap", "swap" } };
	int x = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		double used = frame_number(context->frame, "memory", kinds[i].row_of_used, "used_bytes");
		double total = frame_number(context->frame, "memory", kinds[i].row, "total_bytes");
		char text[TEXT_MAX], number[VALUE_TEXT_MAX], whole[VALUE_TEXT_MAX];

		if (total > 0)
			snprintf(text, sizeof(text), _("%s %s of %s"), _(kinds[i].name),
				 size_short(number, used), size_short(whole, total));
		else
			snprintf(text, sizeof(text), _("%s none"), _(kinds[i].name));
		if (!isnan(total))
			x = add_piece(canvas, y, x, text, 0);
	}
	return x;
}

/* How long tasks waited in the last 10 seconds: "pressure cpu 55 io 1 mem 0 %". */
static int draw_pressure(const struct pane_context *context, const struct canvas *canvas, int y, int x)
{
	const struct row_facts facts = { { row_fact }, .frame = context->frame };
	const struct table *pressure = context_table(context, CPU_TABLE_PRESSURE);
	char text[TEXT_MAX], numbers[TEXT_MAX];

	if (!pressure || pressure->n_rows == 0)
		return x;
	snprintf(text, sizeof(text), "%s%s", _("pressure"),
		 sentence_text(numbers,
			       " cpu {pressure.cpu/some.avg10_ratio:100.1} io "
			       "{pressure.io/some.avg10_ratio:100.1} mem "
			       "{pressure.memory/some.avg10_ratio:100.1} %",
			       &facts.facts));
	return add_piece(canvas, y, x, text, 0);
}

static int draw_rate(const struct pane_context *context, const struct canvas *canvas, int y, int x,
		     const char *name, const char *column)
{
	double per_second = frame_number(context->frame, "system", NULL, column);
	char text[TEXT_MAX], number[VALUE_TEXT_MAX];

	/* count in the interval: with intervals of about a second, tenths per second would be meaningless */
	if (per_second < 10 && context->frame->interval_ns < 2 * SECOND_NS)
		fixed_text(number, per_second, 0);
	else
		rate_short(number, per_second);
	snprintf(text, sizeof(text), "%s %s/s", name, number);
	return add_piece(canvas, y, x, text, utf8_cells(name, canvas->ascii) + RATE_CELLS);
}

/* Queue, rates and speed of the machine. */
static void draw_rates(const struct pane_context *context, const struct canvas *canvas, int y)
{
	const struct table *system = context_table(context, CPU_TABLE_SYSTEM);
	double hertz = frame_number(context->frame, "cpu", "all", "frequency_hertz");
	char text[TEXT_MAX], number[VALUE_TEXT_MAX];
	int x = 0;

	if (!system || system->n_rows == 0)
		return;
	snprintf(text, sizeof(text), _("runnable %-3s"),
		 fixed_text(number, frame_number(context->frame, "system", NULL, "running"), 0));
	x = add_piece(canvas, y, x, text, 0);
	snprintf(text, sizeof(text), _("blocked on I/O %-2s"),
		 fixed_text(number, frame_number(context->frame, "system", NULL, "blocked"), 0));
	x = add_piece(canvas, y, x, text, 0);
	x = draw_rate(context, canvas, y, x, _("ctx switches"), "context_switches_per_second");
	x = draw_rate(context, canvas, y, x, _("forks"), "forks_per_second");
	if (!isnan(hertz))
		x = add_piece(canvas, y, x, hertz_text(number, hertz), 0);
	x = draw_rate(context, canvas, y, x, _("interrupts"), "interrupts_per_second");
	snprintf(text, sizeof(text), _("threads %-4s"),
		 fixed_text(number, frame_number(context->frame, "system", NULL, "threads"), 0));
	add_piece(canvas, y, x, text, 0);
}

/* Is much unaccounted, or of processes that exited? Otherwise the sum is in its own view only. */
static bool account_is_worth_saying(const struct pane_context *context, double busy)
{
	double unaccounted = fabs(frame_number(context->frame, "account", "unaccounted", "cpu_ratio"));
	double exited = frame_number(context->frame, "account", "exited", "cpu_ratio");

	return (unaccounted > WORTH_SAYING && unaccounted > WORTH_SAYING * busy) ||
	       (exited > WORTH_SAYING && exited > LARGE_EXITED * busy);
}

static const char account_brief[] =
	N_("{busy:.2} CPUs busy: ended processes {ended:.2}, unaccounted {unaccounted:.2}");

/* What is behind the first three comes and goes. */
static const struct remark account_lines[] = {
	{ "scoped", N_("{busy:.2} CPUs busy: running processes {tasks:.2}, ended {ended:.2}"
		       "[, outside the scope {outside:.2}][, outside or ended {rest:.2}]") },
	{ NULL, N_("{busy:.2} CPUs busy: running processes {tasks:.2}, ended {ended:.2}, unaccounted "
		   "{unaccounted:.2}[, irq {irq:.2}][, softirq {softirq:.2}][, steal {steal:.2}]") },
};

/* Unknown where it is too little to be noticed, or 0. */
static struct fact share_of(const struct frame *frame, const char *part, bool always)
{
	double share = frame_number(frame, "account", part, "cpu_ratio");

	return number_fact(fabs(share) >= NOTICEABLE ? share : always && !isnan(share) ? 0 : NAN, UNIT_RATIO);
}

/*
 * "0.94 CPUs busy: running processes 0.71, ended 0.19, unaccounted 0.02", or less of it, uncut, at the
 * bottom, where it moves nothing; false: it is not worth it.
 */
static bool draw_account(const struct pane_context *context, const struct canvas *canvas)
{
	const struct frame *frame = context->frame;
	double busy = frame_number(frame, "account", "busy", "cpu_ratio");
	bool scoped = scope_is_set(context->request->scope);
	const struct made_fact made[] = {
		{ "busy", number_fact(busy, UNIT_RATIO) },
		{ "tasks", share_of(frame, "tasks", true) },
		{ "ended", share_of(frame, "exited", true) },
		{ "unaccounted", share_of(frame, "unaccounted", true) },
		{ "irq", share_of(frame, "irq", false) },
		{ "softirq", share_of(frame, "softirq", false) },
		{ "steal", share_of(frame, "steal", false) },
		{ "outside", share_of(frame, OUTSIDE_SCOPE, false) },
		{ "rest", share_of(frame, OUTSIDE_OR_EXITED, false) },
		{ "scoped", yes_fact(scoped) },
	};
	const struct row_facts facts = { { row_fact }, NULL, NULL, made, sizeof(made) / sizeof(made[0]) };
	struct buffer text = BUFFER_HERE;
	bool drawn;

	if (isnan(busy) || !(scoped || account_is_worth_saying(context, busy)))
		return false;
	remarks_say(&text, REMARKS(account_lines), &facts.facts);
	buffer_char(&text, '\0');
	if (utf8_cells(text.bytes, canvas->ascii) > canvas->width && !scoped) {
		buffer_empty(&text);
		sentence_add(&text, _(account_brief), &facts.facts);
		buffer_char(&text, '\0');
	}
	drawn = canvas_piece(canvas, canvas->height - 1, 0, STYLE_NORMAL, text.bytes) > 0;
	buffer_free(&text);
	return drawn;
}

/* The nearest limit of the container or service. False when there is none. */
static bool draw_limit(const struct pane_context *context, const struct canvas *canvas, int y)
{
	const struct table *limits = context_table(context, CPU_TABLE_LIMIT);
	struct row_facts facts = { { row_fact }, .table = limits };
	double least = INFINITY;
	char text[TEXT_MAX];

	for (size_t i = 0; limits && i < limits->n_rows; i++) {
		double limit = table_number(limits, table_row(limits, i), "limit_ratio");

		if (!(limit < least))
			continue;
		least = limit;
		facts.row = table_row(limits, i);
	}
	if (!facts.row)
		return false;
	canvas_text(canvas, y, 0,
		    graph_grade_style(grade_of_fact(context->findings, context->frame, "cpu_limit",
						    limits->schema, facts.row),
				      STYLE_NORMAL),
		    sentence_text(text,
				  _("limit of {cgroup}: {limit_ratio:.2} CPUs[, had to wait in "
				    "{throttled_ratio:%} of the periods]"),
				  &facts.facts),
		    -1);
	return true;
}

/* Of the lines left. */
static int graph_lines(const struct pane_context *context, int left)
{
	int lines = left / 4 < GRAPH_LINES_MAX ? left / 4 : GRAPH_LINES_MAX;

	if (context->settings->cpu.graph)
		return left < TABLE_LINES_MIN + GRAPH_LINES_MIN ? 0
		       : lines < GRAPH_LINES_MIN                ? GRAPH_LINES_MIN
								: lines;
	return left >= GRAPH_FROM_LINES ? lines : 0;
}

/* " + tasks 2.10", " - unexplained 0.40": parts that are always listed, and others that are noticeable. */
static void add_watts(const struct frame *frame, const char *part, char *text, size_t room)
{
	double watts = frame_number(frame, "power_account", part, "watts");
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
		add_watts(context->frame, table_text(account, table_row(account, i), "part"), text,
			  sizeof(text));
	length = strlen(text);
	snprintf(text + length, sizeof(text) - length, _(", an estimate (R squared %s, %s)"),
		 fixed_text(number, r_squared, 2),
		 _(table_text(account, table_find(account, "tasks", NULL), "fit")));
	canvas_wrapped(&lines, 0, r_squared < CALIBRATION_FAIR ? STYLE_NOTICE : STYLE_NORMAL,
		       span_text(text));
	return lines.height;
}

/* Total and CPUs; the lines they took. */
static int draw_load(const struct pane_context *context, const struct canvas *canvas,
		     const struct table *cpus, struct plan *plan)
{
	struct canvas rest = canvas_rows(canvas, 1, canvas->height - 1);
	int height = canvas->height;
	struct graph_part parts[N_CPU_PARTS];

	*plan = plan_cpus(canvas, cpus, height >= TALL ? height / 3 : height >= 10 ? height / 5 : 2);
	cpu_parts_fill(cpus, table_row(cpus, 0), cpu_series, 0, parts);
	plan->folded = !names_fit(context, canvas, parts);
	if (plan->columns == 0) {
		draw_shares(context, canvas, cpus, parts);
		return 1 + draw_cells(context, &rest, cpus, plan);
	}
	draw_legend(context, canvas, parts, plan->folded);
	draw_bars(context, &rest, cpus, plan);
	return 1 + plan->lines;
}

static bool has_room(const struct canvas *canvas, int y, int more)
{
	return canvas->height - y >= TABLE_LINES_MIN + more;
}

/* Lines by priority: the table, total, CPUs, memory, rates, watts, limit, graph. */
static int cpu_machine_draw(const struct pane_context *context, const struct canvas *canvas)
{
	const struct table *cpus = context_table(context, CPU_TABLE_CPU);
	struct graph_part parts[N_CPU_PARTS];
	struct plan plan = { 0 };
	int y = 1, lines;

	cpu_machine_draw_total(context, canvas);
	if (cpus && cpus->n_rows > 1 && has_room(canvas, y, 2))
		y = draw_load(context, canvas, cpus, &plan);
	if (has_room(canvas, y, 2))
		y += draw_pressure(context, canvas, y, draw_memory(context, canvas, y)) > 0;
	if (has_room(canvas, y, 4))
		draw_rates(context, canvas, y++);
	if (has_room(canvas, y, 4))
		y += draw_watts(context, canvas, y);
	if (has_room(canvas, y, 2) && draw_limit(context, canvas, y))
		y++;
	lines = graph_lines(context, canvas->height - y);
	if (cpus && cpus->n_rows > 1 && lines > 0) {
		struct canvas graph = canvas_rows(canvas, y, lines);

		cpu_parts_fill(cpus, table_row(cpus, 0), cpu_series, 0, parts);
		if (plan.folded)
			fold_parts(parts);
		cpu_parts_draw(context, &graph, parts);
		y += lines;
	}
	return y;
}

#define TIME_LINES_MIN 8
#define BARS_MAX 64
#define NAME_CELLS 16
#define NUMBER_CELLS 7
#define LEAST 0.0005 /* of one thread */

/* Without sleep, which is what a bar leaves out. */
static const struct graph_part time_parts[] = {
	{ .letter = 'R', .look = 0, .label = N_("running") },
	{ .letter = 'W', .look = 1, .label = N_("ready") },
	{ .letter = 'D', .look = 2, .label = N_("disk") },
	{ .letter = 'M', .look = 3, .label = N_("memory") },
	{ .letter = 'L', .look = 4, .label = N_("lock") },
	{ .letter = 'O', .look = 5, .label = N_("other") },
};
#define N_PARTS (sizeof(time_parts) / sizeof(time_parts[0]))
#define LOCK 4

struct time_bar {
	double pid, awake; /* awake: threads that did not sleep, on average … */
	double busy;       /* … and did not wait for a lock, as idle ones of a pool do, too */
	const char *command;
	double values[N_PARTS];
};

static void add_part(struct time_bar *bar, const struct table *table, const void *row)
{
	const char *name = table_text(table, row, "part");
	double value = table_number(table, row, "ratio");

	for (unsigned part = 0; part < N_PARTS; part++)
		if (strcmp(name, time_parts[part].label) == 0 && value > 0) {
			bar->values[part] = value;
			bar->awake += value;
			bar->busy += part == LOCK ? 0 : value;
		}
}

/* Keeps those that did most, in order. */
static unsigned insert(struct time_bar *bars, unsigned n_bars, unsigned room, const struct time_bar *bar)
{
	unsigned at = n_bars < room ? n_bars++ : n_bars;

	for (; at > 0 && bars[at - 1].busy < bar->busy; at--)
		if (at < room)
			bars[at] = bars[at - 1];
	if (at < room)
		bars[at] = *bar;
	return n_bars;
}

/* The rows of a process follow each other. */
static unsigned find_bars(const struct table *table, struct time_bar *bars, unsigned room)
{
	struct time_bar bar = { .pid = NAN };
	unsigned n_bars = 0;

	for (size_t i = 0; i <= table->n_rows; i++) {
		const void *row = i < table->n_rows ? table_row(table, i) : NULL;
		double pid = table_number(table, row, "pid");

		if (pid != bar.pid) {
			if (bar.busy >= LEAST)
				n_bars = insert(bars, n_bars, room, &bar);
			bar = (struct time_bar){ .pid = pid, .command = table_text(table, row, "command") };
		}
		if (row)
			add_part(&bar, table, row);
	}
	return n_bars;
}

static void draw_time_bar(const struct canvas *canvas, int y, const struct time_bar *bar, double whole)
{
	struct graph_part parts[N_PARTS];
	char number[VALUE_TEXT_MAX];
	int x = NAME_CELLS + 1;

	for (unsigned part = 0; part < N_PARTS; part++) {
		parts[part] = time_parts[part];
		parts[part].value = bar->values[part];
	}
	canvas_cut(canvas, y, 0, STYLE_NORMAL, bar->command, NAME_CELLS);
	canvas_right(canvas, y, x, NUMBER_CELLS, STYLE_DIM, fixed_text(number, bar->pid, 0));
	x += NUMBER_CELLS + 1;
	canvas_right(canvas, y, x, NUMBER_CELLS, STYLE_NORMAL, fixed_text(number, bar->awake, 2));
	x += NUMBER_CELLS + 1;
	if (canvas->width > x)
		graph_bar(canvas, y, x, canvas->width - x, parts, N_PARTS, whole);
}

static void draw_time_legend(const struct canvas *canvas, const struct time_bar *bars, unsigned n_bars)
{
	struct graph_part parts[N_PARTS];
	double whole = 0;

	for (unsigned part = 0; part < N_PARTS; part++) {
		parts[part] = time_parts[part];
		parts[part].label = _(time_parts[part].label);
		parts[part].value = 0;
		for (unsigned i = 0; i < n_bars; i++)
			parts[part].value += bars[i].values[part];
		whole += parts[part].value;
	}
	graph_legend(canvas, 0, parts, N_PARTS, whole, NULL);
}

void cpu_draw_time(const struct pane_context *context, struct canvas *canvas)
{
	const struct table *table = context_table(context, CPU_TABLE_TIME);
	/* below the legend, in at most half of the lines */
	int left = canvas->height - TIME_LINES_MIN, half = canvas->height / 2;
	int lines = left < half ? left : half;
	unsigned room = lines <= 1 ? 0 : lines - 1 < BARS_MAX ? (unsigned)lines - 1 : BARS_MAX;
	struct time_bar bars[BARS_MAX];
	struct canvas rest;
	unsigned n_bars;
	double whole = 1;
	int y;

	n_bars = table && room > 0 ? find_bars(table, bars, room) : 0;
	for (unsigned i = 0; i < n_bars; i++)
		whole = fmax(whole, bars[i].awake);
	if (n_bars > 0)
		draw_time_legend(canvas, bars, n_bars);
	for (unsigned i = 0; i < n_bars; i++)
		draw_time_bar(canvas, (int)i + 1, &bars[i], whole);
	y = n_bars > 0 ? (int)n_bars + 1 : 0;
	rest = canvas_rows(canvas, y, canvas->height - y);
	context_draw_titled(context, &rest, CPU_TABLE_TIME,
			    _("time of the threads of each process, by part"));
}

#define DEVICES_MIN 3 /* lines, with title and heading */
#define PROCESSES_MIN 4

/* Adds " in the last 1.0 s", or " in 1.0 s" where it is not wide. */
static void cpu_add_interval(const struct pane_context *context, bool wide, char *text, size_t room)
{
	double seconds = (double)context->frame->interval_ns / 1e9;
	size_t length = strlen(text);

	if (context->frame->interval_ns > 0)
		snprintf(text + length, room - length, wide ? _(" in the last %.1f s") : _(" in %.1f s"),
			 seconds);
}

void cpu_note_gpu(struct cpu_state *cpu, const struct frame *frame)
{
	const struct table *table = frame_table(frame, "gpu");

	if (table)
		cpu->has_gpu = table->n_rows > 0;
}

bool cpu_lacks_gpu(const struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;

	return !cpu->has_gpu;
}

void cpu_draw_gpus(const struct pane_context *context, struct canvas *canvas)
{
	const struct table *table = frame_table(context->frame, "gpu");
	int wanted = 2 + table_height(&context->tables[CPU_TABLE_GPU]), most = canvas->height / 2;
	struct canvas devices, processes;
	char title[TEXT_MAX];

	if (!table || table->n_rows == 0) {
		context_draw_titled(context, canvas, CPU_TABLE_GPU, _("graphics processors"));
		return;
	}
	wanted = wanted < most ? wanted : most;
	if (wanted < DEVICES_MIN || canvas->height - wanted < PROCESSES_MIN)
		wanted = 0;
	devices = canvas_rows(canvas, 0, wanted);
	processes = canvas_below(canvas, wanted);
	if (wanted > 0)
		context_draw_titled(context, &devices, CPU_TABLE_GPU, _("graphics processors"));
	snprintf(title, sizeof(title), "%s",
		 context->view == CPU_VIEW_GPU ? _("processes that use them") : _("engines by process"));
	cpu_add_interval(context, true, title, sizeof(title));
	context_draw_titled(context, &processes, context->pane->views[context->view].table, title);
}

#define COUNTED_LINES_MIN 5 /* with its title; to explain why there are no counters */
#define WIDE 60             /* cells: titles may be sentences */

/* "since 06:32:09" */
static void add_since(uint64_t wall_ns, char *text, size_t room)
{
	size_t length = strlen(text);
	char time[CLOCK_TEXT_MAX];

	if (wall_ns > 0) {
		clock_local(time, wall_ns, "%H:%M:%S");
		snprintf(text + length, room - length, _(" since %s"), time);
	}
}

void cpu_heading(const struct pane_context *context, char *text, size_t room)
{
	static const char *const titles[] = {
		[CPU_VIEW_CPUS] = N_("each CPU"),
		[CPU_VIEW_ACCOUNT] = N_("what used the CPUs"),
		[CPU_VIEW_DISTRIBUTION] = N_("processes by CPU use"),
		[CPU_VIEW_WATTS] = N_("what used the watts, an estimate"),
		[CPU_VIEW_COUNTERS] = N_("performance counters of every CPU"),
		[CPU_VIEW_SELF] = N_("cost of panetop itself"),
	};
	const struct cpu_state *cpu = context->state;

	if (context->view == CPU_VIEW_EXITED) {
		snprintf(text, room, "%s", _("exited"));
		add_since(cpu->exited_wall_ns, text, room);
		snprintf(text + strlen(text), room - strlen(text), "%s", _(", rates"));
		cpu_add_interval(context, true, text, room);
	} else if (context->view == CPU_VIEW_MEANS) {
		snprintf(text, room, "%s", _("means"));
		add_since(cpu->totals_wall_ns, text, room);
	} else if (context->view == CPU_VIEW_FAILING) {
		snprintf(text, room, "%s",
			 _("commands that failed within a minute; all their exits since the start"));
	} else if (context->view == CPU_VIEW_STUCK) {
		snprintf(text, room, "%s", _("tasks in uninterruptible sleep (D), and for how long"));
	} else if (context->view == CPU_VIEW_CONVOYS) {
		snprintf(text, room, "%s", _("mutexes that most threads of a process wait for"));
	} else {
		snprintf(text, room, "%s", _(titles[context->view]));
		cpu_add_interval(context, true, text, room);
	}
}

static const char *view_title(const struct pane_context *context, bool wide)
{
	switch (context->view) {
	case CPU_VIEW_MEMORY:
		return wide ? N_("memory of all processes") : N_("memory");
	case CPU_VIEW_IO:
		return wide ? N_("what all processes read and wrote") : N_("I/O");
	case CPU_VIEW_WAITING:
		return wide ? N_("all processes, waiting for a CPU") : N_("waiting");
	case CPU_VIEW_NETWORK:
		return wide ? N_("payload of all processes") : N_("payload");
	default:
		return N_("all processes");
	}
}

/* Which processes the list has. */
static void chosen_title(const struct pane_context *context, bool wide, const char *user, char *text,
			 size_t room)
{
	const char *threshold = settings_text(context->settings, "cpu.threshold");

	if (context->view == CPU_VIEW_THREADS)
		snprintf(text, room, "%s", _("threads"));
	else if (context->request->processes)
		snprintf(text, room, "%s", _("chosen processes"));
	else if (context->settings->cpu.tree)
		snprintf(text, room, "%s", wide ? _("all processes as a tree") : _("tree"));
	else if (threshold)
		snprintf(text, room, _("from %s %% on"), threshold);
	else if (context->view != CPU_VIEW_PROCESSES)
		snprintf(text, room, "%s", _(view_title(context, wide)));
	else
		snprintf(text, room, "%s", wide && !user ? _("processes that ran") : _("ran"));
}

static void list_title(const struct pane_context *context, bool wide, char *text, size_t room)
{
	const struct cpu_state *cpu = context->state;
	const char *user = context->request->shown_user;
	size_t length;

	*text = '\0';
	if (user)
		snprintf(text, room, "%s: ", user);
	length = strlen(text);
	chosen_title(context, wide, user, text + length, room - length);
	if ((wide || !user) && context->view != CPU_VIEW_NETWORK)
		cpu_add_interval(context, wide, text, room);
	if (cpu->tags.n > 0 && cpu_has_processes(context->focus))
		snprintf(text + strlen(text), room - strlen(text), _("; %zu tagged"), cpu->tags.n);
	/* the view All shows more */
	if (wide && context->view == CPU_VIEW_PROCESSES && !context->request->processes &&
	    !context->settings->cpu.tree && isnan(context->settings->cpu.threshold) &&
	    !context->tables[context->focus].has_filter)
		snprintf(text + strlen(text), room - strlen(text), "%s", _("; Tab: all"));
}

static char *number_of_percent(char *out, double ratio)
{
	return fixed_text(out, 100 * ratio, 1);
}

void cpu_draw_list(const struct pane_context *context, struct canvas *canvas)
{
	struct canvas shown, rest;
	char title[TEXT_MAX];
	int y;

	if (canvas->height < TABLE_LINES_MIN && context->view >= CPU_VIEW_MEMORY) {
		context_draw_table(context, canvas, context->focus);
	} else if (canvas->height < TABLE_LINES_MIN) {
		/* the total, and a line for each of the first processes */
		cpu_machine_draw_total(context, canvas);
		rest = canvas_below(canvas, 1);
		process_rows_draw_short(context, &rest, context->focus, "cpu_ratio", number_of_percent);
	} else {
		y = cpu_machine_draw(context, canvas);
		shown = context_above_notice(context, canvas);
		rest = canvas_below(canvas, y);
		if (has_room(canvas, y, 6) && draw_account(context, &shown))
			rest.height = shown.height - y - 1;
		list_title(context, canvas->width >= WIDE, title, sizeof(title));
		context_draw_titled(context, &rest, context->focus, title);
	}
}

/* The counters of the selected process above the list. */
void cpu_draw_counters(const struct pane_context *context, struct canvas *canvas)
{
	int most = canvas->height / 2;
	int height = 1 + table_height(&context->tables[CPU_TABLE_COUNTER_PROCESS]);
	int lines = height < COUNTED_LINES_MIN ? COUNTED_LINES_MIN : height;
	struct canvas counters, processes;
	char title[TEXT_MAX];

	lines = lines < most ? lines : most;
	counters = canvas_rows(canvas, 0, lines);
	processes = canvas_rows(canvas, lines, canvas->height - lines);
	snprintf(title, sizeof(title), "%s", _("counters of the selected process"));
	if (context->request->selected.is_set)
		snprintf(title, sizeof(title), _("counters of process %u"), context->request->selected.pid);
	cpu_add_interval(context, canvas->width >= WIDE, title, sizeof(title));
	context_draw_titled(context, &counters, CPU_TABLE_COUNTER_PROCESS, title);
	list_title(context, canvas->width >= WIDE, title, sizeof(title));
	context_draw_titled(context, &processes, CPU_TABLE_PROCESS, title);
}

/* The ranges that have processes, the highest first, with a bar beside each. */
void cpu_draw_distribution(const struct pane_context *context, struct canvas *canvas)
{
	struct table_widget *widget = &context->tables[CPU_TABLE_DISTRIBUTION];
	const struct table *table = context_table(context, CPU_TABLE_DISTRIBUTION);
	const struct view *view = &widget->view;
	char title[TEXT_MAX] = "";
	double most = 0;
	int left;

	cpu_heading(context, title, sizeof(title));
	context_draw_titled(context, canvas, CPU_TABLE_DISTRIBUTION, title);
	if (!table || widget->n_slots == 0)
		return;
	for (size_t i = 0; i < view->n_rows; i++)
		most = fmax(most, table_number(table, view->rows[i], "processes"));
	left = widget->slots[widget->n_slots - 1].x + widget->slots[widget->n_slots - 1].width + CANVAS_GAP;
	for (int y = 0; y < widget->page && widget->place.top + (size_t)y < view->n_rows; y++) {
		const void *row = view->rows[widget->place.top + (size_t)y];
		double share = table_number(table, row, "processes") / most;
		int cells = share > 0 ? (int)ceil(share * (canvas->width - left)) : 0;

		canvas_fill(canvas, widget->heading_y - canvas->top + 1 + y, left, STYLE_SERIES,
			    canvas->glyphs->ascii ? '#' : 0x2588, cells);
	}
}
