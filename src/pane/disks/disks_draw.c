/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing of the disks pane: what stands out, the devices with their past, and the file systems. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "model/units.h"
#include "pane/disks/disks.h"
#include "pane/disks/disks_story.h"
#include "pane/process_below.h"
#include "pane/process_rows.h"
#include "screen/graph.h"

#define GRAPH_SECONDS 300
#define LOW 8 /* lines: no more than the table */
#define STORY_LINES_MAX 4
#define GRAPH_LINES_MIN 2 /* with its title */
#define GRAPH_LINES_GOOD 3 /* from here on there is an axis of time below them */
#define GRAPH_CELLS_MIN 18
#define SPACE_LINES_MIN 3 /* of file systems, with their rule */
#define NAME_CELLS_MAX 24

const char *const disks_graph_columns[N_DISKS_GRAPHS] = {
	[DISKS_READ] = "read_bytes_per_second",
	[DISKS_WRITE] = "write_bytes_per_second",
	[DISKS_READ_WAIT] = "read_wait_seconds",
	[DISKS_WRITE_WAIT] = "write_wait_seconds",
	[DISKS_QUEUE] = "queue",
};

/* "read 3.5M/s  write 1.2M/s  I/O stalls in 10 s: some 3.2 %, full 1.0 %" */
static int draw_machine(const struct pane_context *context, const struct canvas *canvas)
{
	const struct row_facts facts = { .facts = { row_fact }, .frame = context->frame };
	enum grade grade = grade_of_rules(context->frame, "io_wait", false);
	char text[TEXT_MAX];
	int x;

	sentence_text(text, _("read {disk.all.read_bytes_per_second:short}  "
			      "write {disk.all.write_bytes_per_second:short}"), &facts.facts);
	x = canvas_piece(canvas, 0, 0, STYLE_STRONG, text);
	sentence_text(text, _("[I/O stalls in 10 s: some {pressure.io/some.avg10_ratio:.1%}, "
			      "full {pressure.io/full.avg10_ratio:.1%}]"), &facts.facts);
	canvas_piece(canvas, 0, x, graph_grade_style(grade, STYLE_NORMAL), text);
	return 1;
}

int disks_draw_story(const struct pane_context *context, const struct canvas *canvas)
{
	struct canvas lines = canvas_rows(canvas, 0, STORY_LINES_MAX);
	struct buffer story = BUFFER_HERE;
	int y;

	disks_story(&story, context_table(context, DISKS_TABLE_DISK),
		    context_table(context, DISKS_TABLE_LATENCY));
	disks_space_story(&story, context_table(context, DISKS_TABLE_FILESYSTEM), context->findings);
	y = canvas_wrapped_lines(&lines, 0, STYLE_WARN, span_of(story.bytes, story.length));
	buffer_free(&story);
	return y;
}

static char *graph_value(char *text, enum disks_graph graph, double value, bool ascii)
{
	switch (graph) {
	case DISKS_READ:
	case DISKS_WRITE:
		return size_short(text, value);
	case DISKS_READ_WAIT:
	case DISKS_WRITE_WAIT:
		return duration_short(text, value, ascii);
	default:
		return fixed_text(text, value, 1);
	}
}

static struct graph_line_scale scale_of(const struct pane_context *context, enum disks_graph graph)
{
	return (struct graph_line_scale){
		.now_ns = context->frame->mono_ns,
		.span_seconds = GRAPH_SECONDS,
		.step_seconds = context_step_seconds(context),
		.least = 0,
		.most = NAN,
		.style = STYLE_SERIES + (graph == DISKS_WRITE || graph == DISKS_WRITE_WAIT),
	};
}

/* What it read and wrote a second at most in the time of a graph on this canvas. */
static double traffic(const struct pane_context *context, const struct canvas *canvas,
		      const struct followed_row *disk)
{
	struct canvas part = canvas_part(canvas, 0, 0, 1, GRAPH_CELLS_MIN);
	double sum = 0;

	for (enum disks_graph graph = DISKS_READ; graph <= DISKS_WRITE; graph++) {
		struct graph_line_scale scale = scale_of(context, graph);

		sum += fmax(graph_line_range(&part, &context->history, disk->series[graph], &scale).most, 0);
	}
	return sum;
}

/* Now and at most, above the past: "read 3.5M  max 12M". */
static void draw_graph(const struct pane_context *context, const struct canvas *canvas,
		       const struct followed_row *disk, enum disks_graph graph)
{
	static const char *const names[N_DISKS_GRAPHS] = {
		[DISKS_READ] = N_("read"),        [DISKS_WRITE] = N_("write"),
		[DISKS_READ_WAIT] = N_("r wait"), [DISKS_WRITE_WAIT] = N_("w wait"),
		[DISKS_QUEUE] = N_("queue"),
	};
	const struct table *table = context_table(context, DISKS_TABLE_DISK);
	const void *row = table ? table_find(table, disk->name, NULL) : NULL;
	struct canvas plot = canvas_rows(canvas, 1, canvas->height - 1);
	struct graph_line_scale scale = scale_of(context, graph);
	struct graph_range range = graph_line_range(&plot, &context->history, disk->series[graph], &scale);
	double now = table_number(table, row, disks_graph_columns[graph]);
	char value[VALUE_TEXT_MAX], text[TEXT_MAX];
	int x = 0;

	snprintf(text, sizeof(text), "%s %s", _(names[graph]), graph_value(value, graph, now, canvas->ascii));
	if (graph == DISKS_READ) {
		int cells = utf8_cells(disk->name, canvas->ascii);
		int room = canvas->width - utf8_cells(text, canvas->ascii) - 1;

		x = cells < room ? cells : room;
		canvas_cut(canvas, 0, 0, STYLE_STRONG, disk->name, x++);
	}
	x = canvas_piece(canvas, 0, x, STYLE_NORMAL, text);
	snprintf(text, sizeof(text), _("max %s"), graph_value(value, graph, range.most, canvas->ascii));
	if (!isnan(range.most))
		canvas_piece(canvas, 0, x, STYLE_DIM, text);
	graph_line(&plot, &context->history, disk->series[graph], &scale);
}

/* One of the graphs that stand side by side. */
static struct canvas beside(const struct canvas *canvas, int graph, int columns)
{
	int left = graph * canvas->width / columns, right = (graph + 1) * canvas->width / columns;

	return canvas_part(canvas, 0, left, canvas->height, right - left - (graph + 1 < columns));
}

static int graph_columns(const struct canvas *canvas)
{
	int columns = canvas->width / GRAPH_CELLS_MIN;

	return columns < 1 ? 1 : columns > N_DISKS_GRAPHS ? N_DISKS_GRAPHS : columns;
}

static void draw_disk(const struct pane_context *context, const struct canvas *canvas,
		      const struct followed_row *disk)
{
	int columns = graph_columns(canvas);

	for (int i = 0; i < columns; i++) {
		struct canvas part = beside(canvas, i, columns);

		draw_graph(context, &part, disk, (enum disks_graph)i);
	}
}

/* Below all graphs, which have the same times. */
static void draw_times(const struct pane_context *context, const struct canvas *line)
{
	int columns = graph_columns(line);

	for (int i = 0; i < columns; i++) {
		struct canvas part = beside(line, i, columns);
		struct graph_line_scale scale = scale_of(context, (enum disks_graph)i);

		graph_time_line(&part, &context->history, &scale);
	}
}

/* Devices that did something, the busiest first, as many as fit. */
static int draw_disks(const struct pane_context *context, const struct canvas *canvas)
{
	const struct disks_state *state = context->state;
	const struct table_widget *widget = &context->tables[DISKS_TABLE_DISK];
	const struct table *table = context_table(context, DISKS_TABLE_DISK);
	const struct followed_row *shown[FOLLOWED_ROWS_MAX];
	double ranks[FOLLOWED_ROWS_MAX];
	int n_shown = 0, lines, axis;

	for (size_t i = 0; table && i < widget->view.n_rows && n_shown < FOLLOWED_ROWS_MAX; i++) {
		const struct followed_row *disk = followed_rows_find(
			&state->disks, table_text(table, widget->view.rows[i], "device"));

		if (disk)
			followed_rows_rank(shown, ranks, &n_shown, disk, traffic(context, canvas, disk));
	}
	if (n_shown * GRAPH_LINES_MIN > canvas->height)
		n_shown = canvas->height / GRAPH_LINES_MIN;
	if (n_shown == 0)
		return 0;
	axis = canvas->height >= n_shown * GRAPH_LINES_GOOD + 1;
	lines = followed_rows_lines(canvas->height, axis, n_shown);
	for (int i = 0; i < n_shown; i++) {
		struct canvas part = canvas_rows(canvas, i * lines, lines);

		draw_disk(context, &part, shown[i]);
	}
	if (axis) {
		struct canvas line = canvas_rows(canvas, n_shown * lines, 1);

		draw_times(context, &line);
	}
	return n_shown * lines + axis;
}

/* How full it is, by what is nearer to its end; one that is read-only cannot fill up. */
static double used_most(const struct table *table, const void *row)
{
	if (strcmp(table_text(table, row, "mode"), "ro") == 0)
		return NAN;
	return fmax(table_number(table, row, "used_ratio"), table_number(table, row, "inodes_used_ratio"));
}

enum style disks_filesystem_style(const struct findings *findings, const struct schema *schema,
				  const struct column *column, const void *row)
{
	bool space = strcmp(column->key, "used_ratio") == 0, inodes = strcmp(column->key,
									     "inodes_used_ratio") == 0;

	if (!space && !inodes)
		return STYLE_NORMAL;
	return graph_grade_style(grade_of_row(findings, space ? "disk_full" : "inodes_full", schema, row),
				 STYLE_NORMAL);
}

/* On a device or a server; or memory that is in use. */
static bool is_notable(const struct table *table, const void *row)
{
	return strpbrk(table_text(table, row, "device"), "/:") || used_most(table, row) >= 0.01;
}

/* "inodes 97 %, 17.9G of 251G, 73.1G available, +1.2M/s, full in 3 h" */
static char *space_text(const struct pane_context *context, const struct table *table, const void *row,
			char *text)
{
	bool grows = table_number(table, row, "growth_bytes_per_second") > 0;
	bool few_inodes = grade_of_row(context->findings, "inodes_full", table->schema, row) > GRADE_CALM;
	const struct made_fact notable[] = {
		{ "inodes", few_inodes ? column_fact(table, row, "inodes_used_ratio") : FACT_UNKNOWN },
		{ "growth", grows ? column_fact(table, row, "growth_bytes_per_second") : FACT_UNKNOWN },
	};
	const struct row_facts facts = {
		.facts = { row_fact }, .table = table, .row = row, .made = notable, .n_made = 2
	};

	return sentence_text(text,
			     isnan(table_number(table, row, "total_bytes"))
				     ? _("not known")
				     : _("[inodes {inodes}, ]{used_bytes:short} of {total_bytes:short}, "
					 "{available_bytes:short} available[, +{growth:short}]"
					 "[, full in {full_in_seconds}]"),
			     &facts.facts);
}

static void draw_space(const struct pane_context *context, const struct canvas *line,
		       const struct table *table, const void *row, int name_cells)
{
	double ratio = table_number(table, row, "used_ratio");
	enum grade space = grade_of_row(context->findings, "disk_full", table->schema, row);
	enum grade inodes = grade_of_row(context->findings, "inodes_full", table->schema, row);
	int bar = line->width / 5, x = name_cells + 1;
	char text[TEXT_MAX];

	canvas_cut(line, 0, 0, STYLE_NORMAL, table_text(table, row, "mount"), name_cells);
	if (isnan(ratio))
		snprintf(text, sizeof(text), "-");
	else
		snprintf(text, sizeof(text), "%.0f %%", ratio < 1 ? fmin(100 * ratio, 99) : 100 * ratio);
	canvas_right(line, 0, x, 5, graph_grade_style(space, STYLE_NORMAL), text);
	x += 6;
	if (!isnan(ratio))
		graph_bar_graded(line, 0, x, bar, ratio, space);
	canvas_cut(line, 0, x + bar + 1, graph_grade_style(space > inodes ? space : inodes, STYLE_NORMAL),
		   space_text(context, table, row, text), line->width - x - bar - 1);
}

/* Bars, as many as fit; the lines used. */
static int draw_spaces(const struct pane_context *context, const struct canvas *canvas, bool all)
{
	const struct table_widget *widget = &context->tables[DISKS_TABLE_FILESYSTEM];
	const struct table *table = context_table(context, DISKS_TABLE_FILESYSTEM);
	int name_cells = 1, y = 0;

	for (size_t i = 0; table && i < widget->view.n_rows; i++) {
		int cells = utf8_cells(table_text(table, widget->view.rows[i], "mount"), canvas->ascii);

		name_cells = cells > name_cells ? cells : name_cells;
	}
	name_cells = name_cells < NAME_CELLS_MAX ? name_cells : NAME_CELLS_MAX;
	for (size_t i = 0; table && i < widget->view.n_rows && y < canvas->height; i++) {
		struct canvas line = canvas_rows(canvas, y, 1);

		if (!all && !is_notable(table, widget->view.rows[i]))
			continue;
		draw_space(context, &line, table, widget->view.rows[i], name_cells);
		y++;
	}
	return y;
}

static int n_notable(const struct pane_context *context)
{
	const struct table_widget *widget = &context->tables[DISKS_TABLE_FILESYSTEM];
	const struct table *table = context_table(context, DISKS_TABLE_FILESYSTEM);
	int count = 0;

	for (size_t i = 0; table && i < widget->view.n_rows; i++)
		count += is_notable(table, widget->view.rows[i]);
	return count;
}

/*
 * The table gets a third, or what it needs; graphs and file systems share the rest. Returns the lines
 * used.
 */
static int draw_devices(const struct pane_context *context, const struct canvas *canvas)
{
	int wanted = 2 + table_height(&context->tables[DISKS_TABLE_DISK]), spaces = n_notable(context) + 1, y;
	struct canvas part, rest;
	char title[TEXT_MAX];

	y = draw_machine(context, canvas);
	rest = canvas_below(canvas, y);
	y += disks_draw_story(context, &rest);
	rest = canvas_below(canvas, y);
	context_heading(context, title, sizeof(title));
	if (wanted > rest.height / 2)
		wanted = rest.height / 2 > 4 ? rest.height / 2 : rest.height;
	part = canvas_rows(&rest, 0, wanted);
	context_draw_titled(context, &part, DISKS_TABLE_DISK, title);
	rest = canvas_below(&rest, wanted);
	if (spaces > rest.height / 2 && rest.height / 2 >= SPACE_LINES_MIN)
		spaces = rest.height / 2;
	if (rest.height - spaces < GRAPH_LINES_MIN)
		spaces = rest.height >= SPACE_LINES_MIN ? rest.height : 0;
	part = canvas_rows(&rest, 0, rest.height - spaces);
	wanted = draw_disks(context, &part);
	rest = canvas_below(&rest, wanted);
	if (rest.height < 2)
		return canvas->height;
	canvas_rule(&rest, 0, _("file systems"), "");
	part = canvas_below(&rest, 1);
	return canvas->height - rest.height + 1 + draw_spaces(context, &part, false);
}

/* Below the devices stand the processes that use them, on a screen of many lines. */
void disks_draw(const struct pane_context *context, struct canvas *canvas)
{
	int below = process_below_lines(context, canvas), y;
	struct canvas part = canvas_rows(canvas, 0, canvas->height - below);

	if (canvas->height < LOW) {
		context_draw_table(context, canvas, DISKS_TABLE_DISK);
		return;
	}
	y = draw_devices(context, &part);
	part = canvas_below(canvas, y);
	if (below > 0)
		context_draw_titled(context, &part, DISKS_TABLE_BELOW, _("processes by I/O"));
}

void disks_draw_filesystems(const struct pane_context *context, struct canvas *canvas)
{
	int wanted = 1 + table_height(&context->tables[DISKS_TABLE_FILESYSTEM]), y = 0;
	struct canvas part = canvas_rows(canvas, 0, canvas->height - wanted - 1);

	if (part.height >= wanted - 2)
		y = draw_spaces(context, &part, true) + 1;
	part = canvas_below(canvas, y);
	context_draw_titled(context, &part, DISKS_TABLE_FILESYSTEM, _("file systems"));
}

void disks_draw_processes(const struct pane_context *context, struct canvas *canvas)
{
	char title[TEXT_MAX];

	context_heading(context, title, sizeof(title));
	context_draw_titled(context, canvas, DISKS_TABLE_PROCESS, title);
}

void disks_draw_users(const struct pane_context *context, struct canvas *canvas)
{
	const struct table_widget *widget = &context->tables[DISKS_TABLE_USER];
	const struct table *table = context_table(context, DISKS_TABLE_USER);
	struct canvas lines = canvas_rows(canvas, 0, canvas->height > LOW ? STORY_LINES_MAX : 0), part;
	struct buffer story = BUFFER_HERE;
	char text[TEXT_MAX];

	for (size_t i = 0; table && i < widget->view.n_rows; i++)
		disks_user_story(&story, table, widget->view.rows[i],
				 context_table(context, DISKS_TABLE_DISK));
	part = canvas_below(canvas, canvas_wrapped_lines(&lines, 0, STYLE_WARN,
							 span_of(story.bytes, story.length)));
	buffer_free(&story);
	context_heading(context, text, sizeof(text));
	context_draw_titled(context, &part, DISKS_TABLE_USER, text);
}
