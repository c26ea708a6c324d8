/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the page, in the order in which they are read. */
#include <config.h>

#include "output/report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "model/explanation.h"
#include "model/units.h"
#include "output/report/chart.h"
#include "output/report/page.h"
#include "output/report/report_table.h"
#include "output/report/stretch.h"

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
	switch (fault) {
	case REPORT_EMPTY:
		return _("the recording has no samples");
	case REPORT_ONE_SAMPLE:
		return _("the recording has only one sample; rates need two");
	case REPORT_UNREADABLE:
		return _("no sample of that time can be read");
	default:
		return "";
	}
}

/* "2026-11-22 14:00:00 to 14:30:00: 1800 samples, usually 1.0 s apart, 2 gaps" */
static void add_head(struct report *report)
{
	const struct stretch *stretch = &report->stretch;
	struct page *page = &report->page;
	char first[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX], step[VALUE_TEXT_MAX], text[TEXT_MAX];

	clock_local(first, stretch->first_ns, "%Y-%m-%d %H:%M:%S");
	page_markup(page, "<h1>");
	page_foreign(page, stretch->moment.host ? stretch->moment.host : PACKAGE);
	page_markup(page, "</h1>\n");
	snprintf(text, sizeof(text), _("%s to %s: %zu samples, usually %s apart"), first,
		 page_time(page, last, stretch->last_ns), stretch->n_samples,
		 amount_text(step, UNIT_SECONDS, stretch->step_seconds));
	page_markup(page, "<p>");
	page_text(page, text);
	if (stretch->n_gaps > 0) {
		snprintf(text, sizeof(text), P_(", %zu gap", ", %zu gaps", stretch->n_gaps), stretch->n_gaps);
		page_text(page, text);
	}
	if (stretch->n_boots > 0) {
		snprintf(text, sizeof(text), P_(", %zu restart", ", %zu restarts", stretch->n_boots),
			 stretch->n_boots);
		page_text(page, text);
	}
	if (stretch->step > 1) {
		snprintf(text, sizeof(text), _(", of which one in %zu was read"), stretch->step);
		page_text(page, text);
	}
	page_markup(page, "</p>\n");
	if (!page->names)
		page_element(
			page, "p class=\"dim\"",
			_("Command lines, users and addresses are hidden (*)."));
}

static const char *rule_column(const struct finding_rule *rule)
{
	return rule->called ? rule->called : rule->key;
}

/* Is its subject a text of a column that others are not to see? */
static bool is_personal(const struct report_plan *plan, const struct stretch_finding *finding)
{
	for (unsigned i = 0; i < plan->n_rules; i++) {
		const struct finding_rule *rule = &plan->rules[i];
		int topic = schema_index(plan->schemas, plan->n_schemas, rule->topic);
		const struct column *column =
			topic < 0 || !rule->key ? NULL : schema_find(plan->schemas[topic], rule_column(rule));

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

/* "warning memory: Tasks wait … 17:40:22 to the end, in 12 of 46 samples" */
static void add_finding(struct report *report, const struct stretch_finding *finding)
{
	const struct stretch *stretch = &report->stretch;
	struct page *page = &report->page;
	char text[TEXT_MAX], since[CLOCK_TEXT_MAX], until[CLOCK_TEXT_MAX], span[VALUE_TEXT_MAX];
	bool to_end = finding->until_ns >= stretch->last_ns;

	page_print(page, "<li><span class=\"%s\">", finding->severity);
	page_text(page, _(finding->severity));
	page_markup(page, "</span> <b>");
	add_subject(report, finding);
	page_markup(page, "</b>: ");
	page_foreign(page, finding->text);
	page_time(page, since, finding->since_ns);
	page_time(page, until, finding->until_ns);
	stretch_text(span, (double)(finding->until_ns - finding->since_ns) / 1e9);
	if (finding->until_ns == finding->since_ns)
		snprintf(text, sizeof(text), _("%s, in one sample"), since);
	else
		snprintf(text, sizeof(text), _("%s to %s (%s, in %zu samples)"), since,
			 to_end ? _("the end") : until, span, finding->n_samples);
	page_markup(page, " <span class=\"dim\">");
	page_text(page, text);
	page_markup(page, "</span></li>\n");
}

static void add_findings(struct report *report)
{
	const struct stretch *stretch = &report->stretch;
	struct page *page = &report->page;
	const struct notice *lack;
	char text[TEXT_MAX];

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
	snprintf(text, sizeof(text), _("These are the first %d; others are left out."), STRETCH_FINDINGS_MAX);
	page_element(page, "p", text);
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
	char text[TEXT_MAX], time[CLOCK_TEXT_MAX];

	page_time(page, time, explanation->wall_ns);
	snprintf(text, sizeof(text), _("What changed around %s"), time);
	page_element(page, "h2", text);
	if (report->plan->moment == REPORT_WORST)
		page_element(page, "p",
			     report->stretch.n_findings > 0
				     ? _("Chosen because it has the worst findings.")
				     : _("Chosen because most tasks waited then."));
	if (n_lines == 0)
		snprintf(text, sizeof(text),
			 _("No change, compared with the %s before (%zu samples)."), explanation->span,
			 explanation->n_samples);
	else
		snprintf(text, sizeof(text),
			 _("Compared with the %s before (%zu samples). Times are before or after this "
			   "moment."),
			 explanation->span, explanation->n_samples);
	page_element(page, "p class=\"dim\"", text);
	if (n_causes > CHANGES_MAX)
		n_causes = CHANGES_MAX;
	if (n_lines > n_causes + OTHER_CHANGES_MAX)
		n_lines = n_causes + OTHER_CHANGES_MAX;
	add_changes(report, 0, n_causes);
	if (n_causes > 0 && n_causes < n_lines)
		page_element(page, "p", _("Other changes:"));
	add_changes(report, n_causes, n_lines);
	if (n_lines < explanation->n_lines) {
		snprintf(text, sizeof(text), _("%zu more are left out."), explanation->n_lines - n_lines);
		page_element(page, "p", text);
	}
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
	char text[TEXT_MAX], time[CLOCK_TEXT_MAX];

	page_element(page, "h2", _("Graphs"));
	page_time(page, time, stretch->moment.wall_ns);
	if (stretch->n_samples > stretch->n_points)
		snprintf(text, sizeof(text),
			 _("A point is the highest of about %.0f samples. The dotted line is at %s."),
			 (double)stretch->n_samples / (double)stretch->n_points, time);
	else
		snprintf(text, sizeof(text), _("A point is a sample. The dotted line is at %s."), time);
	page_element(page, "p class=\"dim\"", text);
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
	char text[TEXT_MAX], time[CLOCK_TEXT_MAX];

	snprintf(text, sizeof(text), _("The machine at %s"), page_time(page, time, frame->wall_ns));
	page_element(page, "h2", text);
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
	char mean[VALUE_TEXT_MAX], most[VALUE_TEXT_MAX], text[TEXT_MAX];

	page_element(&report->page, "h2", _("What panetop itself used"));
	if (isnan(stretch->own_mean))
		snprintf(text, sizeof(text), "%s", _("That was not recorded."));
	else
		snprintf(text, sizeof(text), _("%s of a CPU, at most %s."),
			 amount_text(mean, UNIT_RATIO, stretch->own_mean),
			 amount_text(most, UNIT_RATIO, stretch->own_most));
	page_element(&report->page, "p", text);
	snprintf(text, sizeof(text), _("Page made by %s %s."), PACKAGE, PACKAGE_VERSION);
	page_element(&report->page, "p class=\"dim\"", text);
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

static bool is_of_one_day(const struct stretch *stretch)
{
	char first[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX];

	return strcmp(clock_local(first, stretch->first_ns, "%F"),
		      clock_local(last, stretch->last_ns, "%F")) == 0;
}

static void write_page(struct report *report)
{
	struct page *page = &report->page;
	char title[TEXT_MAX];

	page->dated = !is_of_one_day(&report->stretch);
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
