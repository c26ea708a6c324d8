/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts, parts of CPU time, followed rows and commands: what must look the same in every pane. */
#include <config.h>

#include "pane/common.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/units.h"
#include "sys/env.h"

#define ROOM_ABOVE 1.1 /* the highest value does not touch the end of its axis */

char *failure_text(char text[TEXT_MAX], int error, const char *remedy)
{
	snprintf(text, TEXT_MAX, "%s%s%s",
		 error == -ENOTSUP && !remedy ? _("this is not the live machine")
		 : error == -ESRCH            ? _("the process has ended")
					      : env_error_text(-error),
		 remedy ? "; " : "", remedy ? remedy : "");
	return text;
}

#define CAUSES_MAX 32
#define CAUSES_SHOWN 6
#define CAUSE_LEAST 0.005 /* more is shown as 1 % */

void add_time_by_cause(const struct table *table, char *text, size_t room)
{
	struct {
		const char *cause;
		double ratio;
	} sums[CAUSES_MAX] = { 0 };
	size_t n = 0;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		const char *cause = table_text(table, row, "cause");
		double ratio = table_number(table, row, "ratio");
		size_t at = 0;

		while (at < n && strcmp(sums[at].cause, cause) != 0)
			at++;
		if (!(ratio > 0) || at == CAUSES_MAX)
			continue;
		n += at == n;
		sums[at].cause = cause;
		sums[at].ratio += ratio;
	}
	for (unsigned shown = 0; n > 0 && shown < CAUSES_SHOWN; shown++) {
		size_t most = 0, length = strlen(text);

		for (size_t i = 1; i < n; i++)
			most = sums[i].ratio > sums[most].ratio ? i : most;
		if (sums[most].ratio <= CAUSE_LEAST)
			break;
		snprintf(text + length, room - length, "%s%s %.0f %%", shown > 0 ? ", " : ": ",
			 _(sums[most].cause), 100 * sums[most].ratio);
		sums[most].ratio = 0;
	}
}

int draw_remarks(const struct canvas *canvas, int y, enum style style, const struct remark *remarks,
		 size_t n_remarks, const struct facts *facts)
{
	struct buffer text = BUFFER_HERE;
	int lines = remarks_say(&text, remarks, n_remarks, facts) < 0
			    ? 0
			    : canvas_wrapped(canvas, y, style, span_of(text.bytes, text.length));

	buffer_free(&text);
	return lines;
}

enum grade cpu_grade(const struct findings *findings, const struct frame *frame, double busy_ratio)
{
	return busy_ratio >= findings_limit(findings, "cpu_busy_ratio")
		       ? grade_of_rules(frame, RULES_OF_CPU, false)
		       : GRADE_CALM;
}

void story_say(struct story *story, const struct remark *remarks, size_t n_remarks, struct row_facts *facts,
	       size_t first)
{
	for (const struct remark *remark = remarks; remark < remarks + n_remarks; remark++)
		for (size_t i = first; facts->table && i < facts->table->n_rows; i++) {
			enum grade grade = GRADE_CALM;

			facts->row = table_row(facts->table, i);
			if (!sentence_holds(remark->when, &facts->facts))
				continue;
			if (remark->rules)
				grade = grade_of_fact(story->findings, story->frame, remark->rules,
						      facts->table->schema, facts->row);
			remark_say(&story->lines[grade], remark, &facts->facts);
			buffer_char(&story->lines[grade], '\n');
		}
}

int story_draw(struct story *story, const struct canvas *canvas)
{
	int y = 0;

	for (unsigned grade = GRADE_CRITICAL + 1; grade-- > GRADE_CALM;) {
		struct buffer *lines = &story->lines[grade];

		y += canvas_wrapped_lines(canvas, y, graph_grade_style((enum grade)grade, STYLE_STRONG),
					  span_of(lines->bytes, lines->length));
		buffer_free(lines);
	}
	return y;
}

int draw_text(const struct canvas *canvas, int y, int x, enum style style, const char *text,
	      const struct facts *facts)
{
	char made[TEXT_MAX];

	return canvas_text(canvas, y, x, style, sentence_text(made, _(text), facts), -1);
}

int draw_piece(const struct canvas *canvas, int y, int x, enum style style, const char *text,
	       const struct facts *facts)
{
	char made[TEXT_MAX];

	return canvas_piece(canvas, y, x, style, sentence_text(made, _(text), facts));
}

void cpu_parts_fill(const struct table *table, const void *row, const struct series *series, unsigned first,
		    struct graph_part parts[N_CPU_PARTS])
{
	static const char letters[N_CPU_PARTS] = { 'u', 'n', 's', 'i', 'f', 'x', 'g', 'w' };
	const char *const labels[N_CPU_PARTS] = { _("user"),    _("nice"),  _("sys"),   _("irq"),
						  _("softirq"), _("steal"), _("guest"), _("wait") };

	for (unsigned i = 0; i < N_CPU_PARTS; i++)
		parts[i] = (struct graph_part){ letters[i], i, labels[i], first + i,
						table_number(table, row, series[first + i].column) };
}

void cpu_part_join(struct graph_part *parts, enum cpu_part from, enum cpu_part to)
{
	if (!isnan(parts[from].value))
		parts[to].value += parts[from].value;
	parts[from].value = 0;
	parts[from].look = parts[to].look;
	parts[from].letter = parts[to].letter;
}

void cpu_parts_fold(struct graph_part parts[N_CPU_PARTS])
{
	cpu_part_join(parts, CPU_PART_GUEST, CPU_PART_USER);
	cpu_part_join(parts, CPU_PART_IRQ, CPU_PART_SYSTEM);
	cpu_part_join(parts, CPU_PART_SOFTIRQ, CPU_PART_SYSTEM);
}

void cpu_parts_draw(const struct pane_context *context, const struct canvas *canvas,
		    const struct graph_part parts[N_CPU_PARTS])
{
	const struct graph_scale scale = {
		.whole = GRAPH_OF_ONE,
		.top_label = "100%",
		.now_ns = context->frame->mono_ns,
		.span_seconds = GRAPH_RECENT,
		.step_seconds = context_step_seconds(context),
	};

	graph_stacked(canvas, &context->history, parts, N_CPU_PARTS, &scale);
}

const struct followed_row *followed_rows_find(const struct followed_rows *followed, const char *name)
{
	for (unsigned i = 0; i < followed->n_rows; i++)
		if (strcmp(followed->rows[i].name, name) == 0)
			return &followed->rows[i];
	return NULL;
}

void followed_rows_add(struct followed_rows *followed, struct history *history, const struct frame *frame,
		       const char *topic, size_t first, const char *const *columns, unsigned n_columns)
{
	const struct table *table = frame_table(frame, topic);

	for (size_t i = first; table && i < table->n_rows && followed->n_rows < FOLLOWED_ROWS_MAX; i++) {
		const char *name = table_text(table, table_row(table, i), table->schema->columns[0].key);
		struct followed_row *row = &followed->rows[followed->n_rows];

		if (strlen(name) >= FOLLOWED_NAME_MAX || followed_rows_find(followed, name))
			continue;
		strcpy(row->name, name);
		for (unsigned c = 0; c < n_columns; c++)
			row->series[c] = history_follow(
				history, &(struct series){ topic, name, columns[c] }, frame);
		followed->n_rows++;
	}
}

double axis_end(double most, double least, bool decimal)
{
	static const double rounds[] = { 1, 1.5, 2, 3, 4, 5, 6, 8, 10 };
	double wanted = fmax(most * ROOM_ABOVE, least), unit = pow(10, floor(log10(wanted)));

	if (!(wanted > 0))
		return 1;
	if (!decimal)
		return levels_fit(0, wanted, 0).top;
	for (unsigned i = 0; i + 1 < sizeof(rounds) / sizeof(rounds[0]); i++)
		if (rounds[i] * unit >= wanted)
			return rounds[i] * unit;
	return 10 * unit;
}

struct graph_line_scale past_scale(const struct pane_context *context, double most, enum style style)
{
	return (struct graph_line_scale){
		.now_ns = context->frame->mono_ns,
		.span_seconds = GRAPH_RECENT,
		.step_seconds = context_step_seconds(context),
		.least = 0,
		.most = most,
		.style = style,
	};
}

double followed_row_traffic(const struct pane_context *context, const struct canvas *canvas,
			    const struct followed_row *row)
{
	struct graph_line_scale scale = past_scale(context, NAN, STYLE_SERIES);
	double sum = 0;

	for (unsigned i = 0; i < 2; i++)
		sum += fmax(graph_line_range(canvas, &context->history, row->series[i], &scale).most, 0);
	return sum;
}

int followed_rows_rank(const struct followed_row **shown, double *ranks, int n_shown, int most,
		       const struct followed_row *row, double rank)
{
	int at = n_shown < most ? n_shown : most - 1;

	if (n_shown == most && rank <= ranks[at])
		return n_shown;
	for (; at > 0 && ranks[at - 1] < rank; at--) {
		shown[at] = shown[at - 1];
		ranks[at] = ranks[at - 1];
	}
	shown[at] = row;
	ranks[at] = rank;
	return n_shown + (n_shown < most);
}

struct canvas graph_beside(const struct canvas *canvas, int graph, int n_graphs, int gap)
{
	int width = (canvas->width + gap) / n_graphs;

	return canvas_part(canvas, 0, graph * width, canvas->height, width - gap);
}

/* The charts of a row that fit, and rows beside each other. */
static int charts_beside(const struct followed_charts *charts, const struct canvas *canvas, int *beside)
{
	int fit = canvas->width / FOLLOWED_CELLS, each = fit < 1 ? 1 : fit < charts->n ? fit : charts->n;

	*beside = fit / each < 1 ? 1 : fit / each;
	return each;
}

int followed_charts_fit(const struct followed_charts *charts, const struct canvas *canvas)
{
	int beside, n;

	(void)charts_beside(charts, canvas, &beside);
	n = (canvas->height - 1) / FOLLOWED_LINES_MIN * beside;
	return n < FOLLOWED_ROWS_MAX ? n : FOLLOWED_ROWS_MAX;
}

int followed_charts_draw(const struct followed_charts *charts, const struct pane_context *context,
			 const struct canvas *canvas, const struct followed_row *const *shown, int n,
			 int most)
{
	const struct graph_line_scale scale = past_scale(context, NAN, STYLE_NORMAL);
	int beside, each = charts_beside(charts, canvas, &beside), rows, lines, shared;

	if (n <= 0)
		return 0;
	beside = beside < n ? beside : n;
	rows = (n + beside - 1) / beside;
	lines = canvas->height / rows < most ? canvas->height / rows : most;
	shared = lines == FOLLOWED_LINES_MIN;
	for (int i = 0; i < each * beside; i++) {
		struct canvas column = graph_beside(canvas, i, each * beside, CANVAS_GAP), part;

		for (int row = 0; row < rows && row * beside + i / each < n; row++) {
			part = canvas_rows(&column, row * lines, lines);
			charts->draw(context, &part, shown[row * beside + i / each], (unsigned)(i % each));
		}
		part = canvas_rows(&column, rows * lines, shared);
		part = graph_area_plot(&part);
		if (shared)
			graph_time_line(&part, &context->history, &scale);
	}
	return rows * lines + shared;
}

char *percent_label(char *text, double ratio)
{
	snprintf(text, VALUE_TEXT_MAX, "%.0f%%", 100 * ratio);
	return text;
}

char *bytes_rate_label(char *text, double bytes_per_second)
{
	return strcat(size_short(text, bytes_per_second), "/s");
}

void command_form_apply(const struct command_settings *settings, struct view *view)
{
	static const char *const commands[] = { "command",      "command_base", "program",
						"program_base", "name",         NULL };
	bool base = settings->directories == 1;

	if (settings->shown == COMMAND_NAME)
		view_choose_form(view, commands, "name");
	else if (settings->shown == COMMAND_PROGRAM)
		view_choose_form(view, commands, base ? "program_base" : "program");
	else
		view_choose_form(view, commands, base ? "command_base" : "command");
}

const char *const command_form_labels[] = { N_("full command line"), N_("program only"), N_("name only") };
const char *const command_directory_labels[] = { N_("shown"), N_("hidden") };
