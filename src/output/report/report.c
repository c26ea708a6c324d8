/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the page, in the order in which they are read. */
#include <config.h>

#include "output/report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "model/explanation.h"
#include "model/history.h"
#include "model/units.h"
#include "model/view.h"
#include "output/report/page.h"

#define PLOT_X 480.0
#define PLOT_Y 100.0
#define ROUNDING 1e-6 /* of rates: a little more than all is all */

struct plot {
	struct page *page;
	const struct stretch *stretch;
	const struct reported_chart *chart;
	enum unit unit;
	double top;
	const double *lines[REPORTED_LINES_MAX]; /* NULL: without any value */
};

static double highest(const double *values, size_t n_values)
{
	double most = NAN;

	for (size_t i = 0; i < n_values; i++)
		most = fmax(most, values[i]);
	return most;
}

/* The next number of one digit, or and a half; of bytes in units of 1024. A whole share stays one. */
static double round_up(double most, bool binary)
{
	double unit, step;

	if (!(most > 0))
		return 1;
	unit = binary ? exp2(10 * floor(log2(most) / 10)) : 1;
	step = pow(10, floor(log10(most / unit))) / 2;
	return ceil(most / unit / step - ROUNDING) * step * unit;
}

/* Known lines, their unit and the end of the axis; false: no line has a value. */
static bool measure(struct plot *plot, const struct report_plan *plan, size_t index)
{
	const struct reported_chart *chart = plot->chart;
	const struct series *whole = &chart->whole;
	double most = chart->least_end;
	bool any = false;
	int of;

	for (size_t i = 0; i < REPORTED_LINES_MAX && chart->lines[i].name; i++) {
		const double *values = stretch_line(plot->stretch, plan->reported, index, i);
		double end = highest(values, plot->stretch->n_points);

		plot->lines[i] = isnan(end) ? NULL : values;
		any |= !isnan(end);
		most = fmax(most, end);
	}
	of = schema_index(plan->schemas, plan->n_schemas, chart->lines[0].series.topic);
	if (!any || of < 0)
		return false;
	plot->unit = schema_known_column(plan->schemas[of], chart->lines[0].series.column)->unit;
	plot->top = whole->topic
			    ? frame_number(&plot->stretch->moment, whole->topic, whole->row, whole->column)
			    : NAN;
	if (!(plot->top >= most))
		plot->top = round_up(most, plot->unit == UNIT_BYTES || plot->unit == UNIT_BYTES_PER_SECOND);
	return true;
}

static double x_of(const struct plot *plot, size_t point)
{
	return plot->stretch->n_points < 2 ? 0
					   : PLOT_X * (double)point / (double)(plot->stretch->n_points - 1);
}

static double y_of(const struct plot *plot, double value)
{
	return PLOT_Y * (1 - fmin(fmax(value, 0), plot->top) / plot->top);
}

/* Points without a gap between them; area: down to the axis. */
static void add_runs(const struct plot *plot, const double *values, bool area)
{
	size_t n = plot->stretch->n_points, from = 0;

	for (size_t i = 0; i <= n; i++) {
		bool ends = i == n || isnan(values[i]) || plot->stretch->apart[i];

		if (ends && area && i > from)
			page_print(plot->page, "V%.0fH%.1fZ", PLOT_Y, x_of(plot, from));
		else if (ends && i == from + 1) /* a single point is a dash */
			page_markup(plot->page, "h1");
		if (i == n)
			break;
		if (isnan(values[i])) {
			from = i + 1;
			continue;
		}
		if (ends)
			from = i;
		page_print(plot->page, "%c%.1f %.1f", i == from ? 'M' : 'L', x_of(plot, i),
			   y_of(plot, values[i]));
	}
}

static void add_line(const struct plot *plot, size_t line)
{
	const double *values = plot->lines[line];
	char text[VALUE_TEXT_MAX];

	if (line == 0) {
		page_markup(plot->page, "<path class=\"area\" d=\"");
		add_runs(plot, values, true);
		page_markup(plot->page, "\"/>\n");
	}
	page_print(plot->page, "<path class=\"l%zu\" data-name=\"", line);
	page_text(plot->page, _(plot->chart->lines[line].name));
	page_markup(plot->page, "\" data-values=\"");
	for (size_t i = 0; i < plot->stretch->n_points; i++) {
		page_markup(plot->page, i > 0 ? "|" : "");
		page_text(plot->page, amount_text(text, plot->unit, values[i]));
	}
	page_markup(plot->page, "\" d=\"");
	add_runs(plot, values, false);
	page_markup(plot->page, "\"/>\n");
}

/* What the lines are, each with its highest value. */
static void add_keys(const struct plot *plot)
{
	char text[VALUE_TEXT_MAX];

	page_markup(plot->page, "<p>");
	for (size_t i = 0; i < REPORTED_LINES_MAX; i++) {
		if (!plot->lines[i])
			continue;
		page_print(plot->page,
			   "<span class=\"key\"><svg viewBox=\"0 0 24 10\"><path class=\"l%zu\" d=\"M0 "
			   "5H24\"/></svg>",
			   i);
		amount_text(text, plot->unit, highest(plot->lines[i], plot->stretch->n_points));
		page_say(plot->page, _("%s, at most %s"), _(plot->chart->lines[i].name), text);
		page_markup(plot->page, "</span> ");
	}
	page_markup(plot->page, "</p>\n");
}

/* What stands at the begin, the middle and the end of an axis. */
static void add_axis(const struct plot *plot, const char *axis, const char *begin, const char *middle,
		     const char *end)
{
	const char *const texts[] = { begin, middle, end };

	page_print(plot->page, "<div class=\"%s\">", axis);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		page_element(plot->page, "span", texts[i]);
	page_markup(plot->page, "</div>\n");
}

/* Times with their day are long: two have room. */
static void add_time_axis(const struct plot *plot)
{
	const struct stretch *stretch = plot->stretch;
	uint64_t middle_ns = stretch->first_ns + (stretch->last_ns - stretch->first_ns) / 2;
	char first[CLOCK_TEXT_MAX], middle[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX];

	add_axis(plot, "ends", page_time(plot->page, first, stretch->first_ns),
		 plot->page->dated ? "" : page_time(plot->page, middle, middle_ns),
		 page_time(plot->page, last, stretch->last_ns));
}

/* Adds a figure with the lines that have a value; nothing if none has. */
static void chart_add(struct page *page, const struct report_plan *plan, const struct stretch *stretch,
		      size_t chart)
{
	struct plot plot = { .page = page, .stretch = stretch, .chart = &plan->reported->charts[chart] };
	char top[VALUE_TEXT_MAX], half[VALUE_TEXT_MAX];
	double moment;

	if (!measure(&plot, plan, chart))
		return;
	moment = x_of(&plot, stretch_point(stretch, stretch->moment.wall_ns));
	page_markup(page, "<figure tabindex=\"0\">\n");
	page_element(page, "h3", _(plot.chart->title));
	add_keys(&plot);
	page_markup(page, "<div class=\"axes\">\n");
	add_axis(&plot, "scale", amount_text(top, plot.unit, plot.top),
		 amount_text(half, plot.unit, plot.top / 2), "0");
	page_print(page,
		   "<svg class=\"plot\" viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=\"none\" role=\"img\" "
		   "aria-label=\"",
		   PLOT_X, PLOT_Y);
	page_text(page, _(plot.chart->title));
	page_print(page, "\">\n<line class=\"half\" x1=\"0\" x2=\"%.0f\" y1=\"%.0f\" y2=\"%.0f\"/>\n", PLOT_X,
		   PLOT_Y / 2, PLOT_Y / 2);
	for (size_t i = 0; i < REPORTED_LINES_MAX; i++)
		if (plot.lines[i])
			add_line(&plot, i);
	page_print(page, "<line class=\"moment\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%.0f\"/>\n", moment,
		   moment, PLOT_Y);
	page_print(page, "<line class=\"at\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"%.0f\"/>\n</svg>\n</div>\n",
		   PLOT_Y);
	add_time_axis(&plot);
	page_markup(page, "<output></output>\n</figure>\n");
}

#define REPORT_COLUMNS_MAX 100

/* Columns of tables on a page, each once. */
struct report_columns {
	const struct column *list[REPORT_COLUMNS_MAX];
	unsigned n;
};

static const struct column *column_of(const struct view *view, unsigned index)
{
	return &view->schema->columns[view->columns[index]];
}

/* Columns that are shown, without those that others are not to see. */
static void leave_out(const struct page *page, struct view *view)
{
	unsigned n_columns = 0;

	for (unsigned c = 0; c < view->n_columns; c++) {
		const struct column *column = column_of(view, c);

		if (view_shows(view, column) && (page->names || !column->personal))
			view->columns[n_columns++] = view->columns[c];
	}
	view->n_columns = n_columns;
}

static void add_class(struct page *page, const char *tag, const struct column *column)
{
	page_print(page, "<%s%s", tag,
		   column->prose            ? " class=\"prose\""
		   : column_is_left(column) ? " class=\"left\""
					    : "");
}

static void add_heading(struct page *page, const struct view *view)
{
	page_markup(page, "<tr>");
	for (unsigned c = 0; c < view->n_columns; c++) {
		const struct column *column = column_of(view, c);

		add_class(page, "th", column);
		page_markup(page, " title=\"");
		page_text(page, column->help ? _(column->help) : "");
		page_markup(page, "\">");
		page_text(page, column_name(column));
		page_markup(page, "</th>");
	}
	page_markup(page, "</tr>\n");
}

static void add_table_rows(struct page *page, const struct view *view, const struct value_format *format)
{
	char number[VALUE_TEXT_MAX];

	for (size_t r = 0; r < view->n_rows; r++) {
		page_markup(page, "<tr>");
		for (unsigned c = 0; c < view->n_columns; c++) {
			const struct column *column = column_of(view, c);

			add_class(page, "td", column);
			page_markup(page, ">");
			page_foreign(page, value_text(number, view->schema, column, view->rows[r], format));
			page_markup(page, "</td>");
		}
		page_markup(page, "</tr>\n");
	}
}

/* The same title may mean something else in another table. */
static void note_columns(const struct view *view, struct report_columns *columns)
{
	for (unsigned c = 0; c < view->n_columns; c++) {
		const struct column *column = column_of(view, c);
		bool known = !column->help;

		for (unsigned i = 0; i < columns->n && !known; i++)
			known = strcmp(column_name(columns->list[i]), column_name(column)) == 0 &&
				strcmp(columns->list[i]->help, column->help) == 0;
		if (!known && columns->n < REPORT_COLUMNS_MAX)
			columns->list[columns->n++] = column;
	}
}

/* What the columns of the tables so far mean, and the units of their numbers. */
static void report_columns_add(struct page *page, const struct report_columns *columns)
{
	if (columns->n == 0)
		return;
	page_element(page, "h3", _("What the columns mean"));
	page_element(page, "p", _("K, M, G and T are KiB, MiB, GiB and TiB; /s is in a second."));
	page_markup(page, "<dl>\n");
	for (unsigned i = 0; i < columns->n; i++) {
		page_markup(page, "<div>");
		page_element(page, "dt", column_name(columns->list[i]));
		page_element(page, "dd", _(columns->list[i]->help));
		page_markup(page, "</div>\n");
	}
	page_markup(page, "</dl>\n");
}

static void add_view(struct page *page, const struct reported_table *table, struct view *view,
		     const struct frame *frame, struct report_columns *columns)
{
	const struct table *rows = frame_table(frame, table->topic);
	const struct value_format format = { .unit = size_unit_of_table(rows, SIZE_AUTO),
					     .cpus = view_cpus(view, frame) };

	view_apply(view, rows);
	if (view->n_rows == 0)
		return;
	leave_out(page, view);
	note_columns(view, columns);
	page_markup(page, "<div>\n");
	page_element(page, "h3", _(table->title));
	page_markup(page, "<div class=\"wide\"><table>\n");
	add_heading(page, view);
	add_table_rows(page, view, &format);
	page_markup(page, "</table></div>\n</div>\n");
}

/* Adds the rows of this frame with their title; nothing if there are none. Personal columns need names. */
static void report_table_add(struct page *page, const struct reported_table *table, const struct frame *frame,
			     const struct scope *scope, struct report_columns *columns)
{
	const struct table *rows = frame_table(frame, table->topic);
	struct view view;

	if (!rows || rows->failed)
		return;
	view_open(&view, rows->schema);
	view_apply_defaults(&view, page->names && table->with_names ? table->with_names : table->columns,
			    table->sort);
	if (table->threshold)
		view_set_threshold(&view, table->threshold, table->least);
	view_choose_scope(&view, scope);
	view.limit = table->rows;
	add_view(page, table, &view, frame, columns);
	view_close(&view);
}

#define CHANGES_MAX 60
#define OTHER_CHANGES_MAX 12

struct report {
	const struct report_plan *plan;
	struct page page;
	struct stretch stretch;
	struct explanation explanation;
};

const char *report_fault_text(enum report_fault fault)
{
	return fault == REPORT_EMPTY        ? _("the recording has no samples")
	       : fault == REPORT_ONE_SAMPLE ? _("the recording has only one sample; rates need two")
	       : fault == REPORT_UNREADABLE ? _("no sample of that time can be read")
					    : "";
}

/* "2026-11-22 14:00:00 to 14:30:00: 1800 samples, usually 1.0 s apart, 2 gaps" */
static void add_head(struct report *report)
{
	const struct stretch *stretch = &report->stretch;
	struct page *page = &report->page;
	char first[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX], step[VALUE_TEXT_MAX];

	clock_local(first, stretch->first_ns, "%Y-%m-%d %H:%M:%S");
	page_markup(page, "<h1>");
	page_foreign(page, stretch->moment.host ? stretch->moment.host : PACKAGE);
	page_markup(page, "</h1>\n");
	page_markup(page, "<p>");
	page_say(page, _("%s to %s: %zu samples, usually %s apart"), first,
		 page_time(page, last, stretch->last_ns), stretch->n_samples,
		 amount_text(step, UNIT_SECONDS, stretch->step_seconds));
	if (stretch->n_gaps > 0)
		page_say(page, P_(", %zu gap", ", %zu gaps", stretch->n_gaps), stretch->n_gaps);
	if (stretch->n_boots > 0)
		page_say(page, P_(", %zu restart", ", %zu restarts", stretch->n_boots), stretch->n_boots);
	if (stretch->step > 1)
		page_say(page, _(", of which one in %zu was read"), stretch->step);
	page_markup(page, "</p>\n");
	if (!page->names)
		page_element(page, "p class=\"dim\"",
			     _("Command lines, users and addresses are hidden (*)."));
}

/* Is its subject a text of a column that others are not to see? */
static bool is_personal(const struct report_plan *plan, const struct stretch_finding *finding)
{
	for (unsigned i = 0; i < plan->n_rules; i++) {
		const struct finding_rule *rule = &plan->rules[i];
		int topic = schema_index(plan->schemas, plan->n_schemas, rule->topic);
		const struct column *column =
			topic < 0 || !rule->key
				? NULL
				: schema_find(plan->schemas[topic], rule->called ? rule->called : rule->key);

		if (strcmp(rule->name, finding->rule) == 0)
			return column && column->personal;
	}
	return false;
}

/* Of a command only its name is left. */
static void add_subject(struct report *report, const struct stretch_finding *finding)
{
	char text[TEXT_MAX];

	snprintf(text, sizeof(text), "%s", finding->subject);
	if (!report->page.names && is_personal(report->plan, finding))
		text[strcspn(text, " ")] = '\0';
	page_foreign(&report->page, text);
}

/* "warning memory: at 17:41:00: Tasks wait … 17:40:22 to the end (2 min, in 46 samples)" */
static void add_finding(struct report *report, const struct stretch_finding *finding)
{
	const struct stretch *stretch = &report->stretch;
	struct page *page = &report->page;
	char since[CLOCK_TEXT_MAX], until[CLOCK_TEXT_MAX], span[VALUE_TEXT_MAX], lasted[TEXT_MAX];
	bool to_end = finding->until_ns >= stretch->last_ns;

	page_print(page, "<li><span class=\"%s\">", finding->severity);
	page_text(page, _(finding->severity));
	page_markup(page, "</span> <b>");
	add_subject(report, finding);
	page_markup(page, "</b>: ");
	if (finding->text_ns > 0 && !finding->happened)
		page_say(page, finding->has_ended ? _("at its worst: ") : _("at %s: "),
			 page_time(page, since, finding->text_ns));
	page_foreign(page, finding->text);
	page_time(page, since, finding->since_ns);
	page_time(page, until, finding->until_ns);
	stretch_text(span, (double)(finding->until_ns - finding->since_ns) / 1e9);
	snprintf(lasted, sizeof(lasted), finding->is_least ? _("at least %s") : "%s", span);
	page_markup(page, " <span class=\"dim\">");
	if (finding->happened &&
	    (finding->until_ns < finding->since_ns + 1000000000 || finding->until_ns < stretch->first_ns))
		page_say(page, finding->since_ns < stretch->first_ns ? _("%s, before the recording") : "%s",
			 since);
	else if (finding->happened)
		page_say(page, _("%s to %s"), since, until);
	else if (finding->until_ns == finding->since_ns)
		page_say(page, _("%s, in one sample"), since);
	else if (finding->n_episodes == 1)
		page_say(page,
			 P_("%s to %s (%s, in %zu sample)", "%s to %s (%s, in %zu samples)",
			    finding->n_samples),
			 since, to_end ? _("the end") : until, lasted, finding->n_samples);
	else
		page_say(page, _("%s to %s (%zu times, in %zu samples)"), since,
			 to_end ? _("the end") : until, finding->n_episodes, finding->n_samples);
	page_markup(page, "</span></li>\n");
}

static void add_findings(struct report *report)
{
	const struct stretch *stretch = &report->stretch;
	struct page *page = &report->page;
	const struct notice *lack;

	page_element(page, "h2", _("Out of the ordinary"));
	if (stretch->n_findings == 0) {
		lack = frame_newest_notice(&stretch->moment, finding_schema.name);
		page_element(page, "p", lack ? lack->text : _("nothing out of the ordinary"));
		return;
	}
	page_markup(page, "<ul class=\"findings\">\n");
	for (size_t i = 0; i < stretch->n_findings; i++)
		add_finding(report, &stretch->findings[i]);
	page_markup(page, "</ul>\n");
	if (!stretch->has_more_findings)
		return;
	page_sentence(page, "p", _("These are the first %d; others are left out."), STRETCH_FINDINGS_MAX);
}

/* Its sentence; those of a part of it follow in a list of their own. */
static void add_change(struct report *report, const struct explained_line *line)
{
	page_markup(&report->page, "<li>");
	page_foreign(&report->page, line->sentence);
	if (!*line->counted)
		return;
	page_markup(&report->page, " <span class=\"dim\">");
	page_foreign(&report->page, line->counted);
	page_markup(&report->page, "</span>");
}

static void add_changes(struct report *report, size_t from, size_t to)
{
	const struct explained_line *lines = report->explanation.lines;
	struct page *page = &report->page;
	bool below = false;

	if (from == to)
		return;
	page_markup(page, "<ul>\n");
	for (size_t i = from; i < to; i++) {
		if (lines[i].below && !below && i > from)
			page_markup(page, "<ul>\n");
		else if (!lines[i].below && below)
			page_markup(page, "</ul></li>\n");
		else if (i > from)
			page_markup(page, "</li>\n");
		below = lines[i].below && i > from;
		add_change(report, &lines[i]);
	}
	page_markup(page, below ? "</li></ul></li></ul>\n" : "</li></ul>\n");
}

static void add_explanation(struct report *report)
{
	const struct explanation *explanation = &report->explanation;
	struct page *page = &report->page;
	size_t n_lines = explanation->n_lines, n_causes = explanation->n_causes;
	char time[CLOCK_TEXT_MAX];

	page_time(page, time, explanation->wall_ns);
	page_sentence(page, "h2", _("What changed around %s"), time);
	if (report->plan->moment == REPORT_WORST && report->stretch.has_findings)
		page_element(page, "p", _("Chosen because it has the worst findings."));
	else if (report->plan->moment == REPORT_WORST && report->stretch.waited_most)
		page_element(page, "p", _("Chosen because most tasks waited then."));
	if (n_lines == 0 && explanation->n_samples >= DEPARTURE_SAMPLES_MIN) /* else the remarks tell */
		page_sentence(page, "p class=\"dim\"",
			      _("No change, compared with the %s before (%zu samples)."), explanation->span,
			      explanation->n_samples);
	else if (n_lines > 0)
		page_sentence(page, "p class=\"dim\"",
			      _("Compared with the %s before (%zu samples). Times are before or after this "
				"moment."),
			      explanation->span, explanation->n_samples);
	if (n_causes > CHANGES_MAX)
		n_causes = CHANGES_MAX;
	if (n_lines > n_causes + OTHER_CHANGES_MAX)
		n_lines = n_causes + OTHER_CHANGES_MAX;
	add_changes(report, 0, n_causes);
	if (n_causes > 0 && n_causes < n_lines)
		page_element(page, "p", _("Other changes:"));
	add_changes(report, n_causes, n_lines);
	if (n_lines < explanation->n_lines)
		page_sentence(page, "p", _("%zu more are left out."), explanation->n_lines - n_lines);
	if (!*explanation->remarks)
		return;
	page_markup(page, "<p class=\"dim\">");
	page_foreign(page, explanation->remarks);
	page_markup(page, "</p>\n");
}

static void add_charts(struct report *report)
{
	const struct stretch *stretch = &report->stretch;
	struct page *page = &report->page;
	char time[CLOCK_TEXT_MAX];

	page_element(page, "h2", _("Graphs"));
	page_time(page, time, stretch->moment.wall_ns);
	if (stretch->n_samples > stretch->n_points)
		page_sentence(page, "p class=\"dim\"",
			      _("A point is the highest of about %.0f samples. The dotted line is at %s."),
			      fmax(2, (double)stretch->n_samples / (double)stretch->n_points), time);
	else
		page_sentence(page, "p class=\"dim\"", _("A point is a sample. The dotted line is at %s."),
			      time);
	page_markup(page, "<div class=\"grid\">\n");
	for (size_t i = 0; report->plan->reported->charts[i].title; i++)
		chart_add(page, report->plan, stretch, i);
	page_markup(page, "</div>\n");
}

/* What is missing in its tables, and why. */
static void add_notices(struct report *report)
{
	const struct frame *frame = &report->stretch.moment;
	struct page *page = &report->page;

	if (frame->n_notices == 0)
		return;
	page_element(page, "h3", _("What could not be sampled"));
	page_markup(page, "<ul>\n");
	for (unsigned i = 0; i < frame->n_notices; i++) {
		page_markup(page, "<li>");
		page_foreign(page, frame->notices[i].topic);
		page_text(page, ": ");
		page_foreign(page, frame->notices[i].text);
		page_markup(page, "</li>\n");
	}
	page_markup(page, "</ul>\n");
}

static void add_moment(struct report *report)
{
	const struct frame *frame = &report->stretch.moment;
	struct page *page = &report->page;
	struct buffer lines = { 0 };
	struct report_columns columns = { 0 };
	char time[CLOCK_TEXT_MAX];

	page_sentence(page, "h2", _("The machine at %s"), page_time(page, time, frame->wall_ns));
	report->plan->reported->lines(frame, false, &lines);
	page_markup(page, "<pre>");
	for (char *line = lines.bytes; line && line < lines.bytes + lines.length;) {
		size_t length = strcspn(line, "\n");

		line[length] = '\0';
		page_foreign(page, line);
		page_markup(page, "\n");
		line += length + 1;
	}
	page_markup(page, "</pre>\n<div class=\"grid\">\n");
	buffer_free(&lines);
	for (const struct reported_table *table = report->plan->reported->tables; table->title; table++)
		report_table_add(page, table, frame, report->plan->scope, &columns);
	page_markup(page, "</div>\n");
	report_columns_add(page, &columns);
	add_notices(report);
}

static void add_own_cost(struct report *report)
{
	const struct stretch *stretch = &report->stretch;
	char mean[VALUE_TEXT_MAX], most[VALUE_TEXT_MAX];

	page_element(&report->page, "h2", _("What panetop itself used"));
	if (isnan(stretch->own_mean))
		page_element(&report->page, "p", _("That was not recorded."));
	else
		page_sentence(&report->page, "p", _("%s of a CPU, at most %s."),
			      amount_text(mean, UNIT_RATIO, stretch->own_mean),
			      amount_text(most, UNIT_RATIO, stretch->own_most));
	page_sentence(&report->page, "p class=\"dim\"", _("Page made by %s %s."), PACKAGE, PACKAGE_VERSION);
}

/* For the readout of all graphs. */
static void add_times(struct report *report)
{
	const struct stretch *stretch = &report->stretch;
	char time[CLOCK_TEXT_MAX];

	page_markup(&report->page, "<body data-times=\"");
	for (size_t i = 0; i < stretch->n_points; i++) {
		page_markup(&report->page, i > 0 ? "|" : "");
		page_text(&report->page, page_time(&report->page, time, stretch_time(stretch, i)));
	}
	page_markup(&report->page, "\">\n");
}

static void write_page(struct report *report)
{
	struct page *page = &report->page;
	char title[TEXT_MAX], first[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX];

	page->dated = strcmp(clock_local(first, report->stretch.first_ns, "%F"),
			     clock_local(last, report->stretch.last_ns, "%F")) != 0;
	snprintf(title, sizeof(title), "%s: %s", PACKAGE,
		 report->stretch.moment.host ? report->stretch.moment.host : "");
	page_begin(page, title);
	add_times(report);
	add_head(report);
	add_findings(report);
	add_explanation(report);
	add_charts(report);
	add_moment(report);
	add_own_cost(report);
	page_end(page);
}

enum report_fault report_make(const struct report_plan *plan, struct buffer *page)
{
	struct report report = { .plan = plan, .page = { .names = plan->names } };
	enum report_fault fault = stretch_read(&report.stretch, plan);

	if (fault == REPORT_FAULTLESS) {
		explanation_take(&report.explanation, plan->source, report.stretch.moment_index,
				 plan->schemas, plan->n_schemas, plan->explained);
		write_page(&report);
		buffer_add(page, report.page.out.bytes, report.page.out.length);
	}
	explanation_free(&report.explanation);
	stretch_free(&report.stretch);
	page_free(&report.page);
	return fault;
}
