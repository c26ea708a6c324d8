/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The overview pane: the machine in a few lines, and the processes that cost most. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/utf8.h"
#include "pane/overview/overview_gauge.h"
#include "pane/panes.h"
#include "pane/processes.h"
#include "screen/keys.h"

#define SUBJECT_CELLS_MAX 24
#define SUBJECT_PART 6 /* of a line */
#define TEXT_CELLS_MIN 40 /* with less room only the sentence is drawn */
#define MARK_CELLS 2
#define WATCH_SECONDS 30 /* most rules wait no longer for numbers that no kernel keeps */
#define FINDINGS_SHARE 10 /* lines of the screen for each line of findings … */
#define OTHER_LINES 4     /* … with those above and below the pane, a notice among them */

/*
 * Lines for the findings of this table of the pane, by the height of the canvas alone: nothing below them
 * moves when one comes or goes. While one is selected, for all. At most room, at least one.
 */
static int overview_findings_height(const struct pane_context *context, unsigned index,
				    const struct canvas *canvas, int room)
{
	const struct table_widget *widget = &context->tables[index];
	int lines = (canvas->height + OTHER_LINES) / FINDINGS_SHARE;

	if (context->focus == index && widget->place.cursor_on && widget->view.n_rows > (size_t)lines)
		lines = widget->view.n_rows < (size_t)room ? (int)widget->view.n_rows : room;
	lines = lines < room ? lines : room;
	return lines > 1 ? lines : 1;
}

static const char *text_of(const struct pane_context *context, unsigned index, const void *row,
			   const char *column)
{
	return table_text(context_table(context, index), row, column);
}

/* "machine: memory" where there is a scope, "host: memory" in a container, and it is not about that. */
static const char *subject_of(const struct pane_context *context, unsigned index, const void *row, char *text,
			      size_t room)
{
	const char *subject = text_of(context, index, row, "subject");
	const char *of = text_of(context, index, row, "of");

	if (strcmp(of, "machine") != 0 && strcmp(of, "host") != 0)
		return subject;
	snprintf(text, room, strcmp(of, "host") == 0 ? _("host: %s") : _("machine: %s"), subject);
	return text;
}

/* "5 min", "≥ 5 min" if it may have begun earlier; "32 s ago" of what is over. */
static void age_of(const struct table *table, const void *row, bool ascii, char *out, size_t room)
{
	bool over = schema_row_is_over(table->schema, row), least = *table_text(table, row, "begun") != '\0';
	char age[VALUE_TEXT_MAX];

	stretch_text(age, table_number(table, row, over ? "ended_seconds" : "since_seconds"));
	if (over)
		snprintf(out, room, _("%s ago"), age);
	else
		snprintf(out, room, "%s%s", !least ? "" : ascii ? ">= " : "≥ ", age);
}

/* "! memory  Memory is short: …  5 min"; the sentence stays longest. */
static void draw_finding(const struct pane_context *context, const struct canvas *line, unsigned index,
			 size_t i, int subject_cells)
{
	const struct table_widget *widget = &context->tables[index];
	const struct table *table = context_table(context, index);
	const void *row = widget->view.rows[i];
	bool selected = context->focus == index && widget->place.cursor_on && widget->place.row == i;
	bool over = schema_row_is_over(table->schema, row);
	char age[TEXT_MAX], subject[TEXT_MAX], text[TEXT_MAX];
	int x = MARK_CELLS + 1, end = line->width;
	enum grade grade = over ? GRADE_CALM : grade_of_severity(text_of(context, index, row, "severity"));
	enum style style = graph_grade_style(grade, STYLE_DIM); /* without colours the mark is left */
	enum style plain = selected ? STYLE_ROW : over ? STYLE_DIM : STYLE_NORMAL;

	canvas_fill(line, 0, 0, plain, ' ', line->width);
	canvas_text(line, 0, 0, style, grade_mark(grade), MARK_CELLS);
	if (line->width >= subject_cells + TEXT_CELLS_MIN) {
		canvas_cut(line, 0, x, selected ? STYLE_ROW : style,
			   subject_of(context, index, row, subject, sizeof(subject)), subject_cells);
		x += subject_cells + CANVAS_GAP;
		age_of(table, row, line->ascii, age, sizeof(age));
		end -= utf8_cells(age, line->ascii);
		canvas_text(line, 0, end, selected ? STYLE_ROW : STYLE_DIM, age, -1);
		end -= CANVAS_GAP;
	}
	snprintf(text, sizeof(text), over ? _("earlier: %s") : "%s", text_of(context, index, row, "text"));
	canvas_cut(line, 0, x, plain, text, end - x);
}

/* Green only once all rules have had the time to speak that may be about to, and if all were judged. */
static void draw_none(const struct pane_context *context, const struct canvas *canvas, unsigned index,
		      double seconds)
{
	bool scoped = scope_is_set(context->request->scope);
	const struct history *history = &context->history;
	long now = history_find(history, context->frame->mono_ns);
	double awaited = now < 0 ? 0 : -1 - history_value(history, OVERVIEW_SERIES_AWAITED, (size_t)now);
	const struct notice *lack = frame_newest_notice(context->frame, NOTICE_NOT_JUDGED);
	int x;

	awaited = awaited > WATCH_SECONDS ? awaited : WATCH_SECONDS;
	if (seconds < awaited)
		x = canvas_print(canvas, 0, 0, STYLE_NORMAL,
				 scoped ? _("machine and scope: nothing out of the ordinary so far "
					    "(watched %.0f of %d s)")
					: _("nothing out of the ordinary so far (watched %.0f of %d s)"),
				 seconds, (int)awaited);
	else
		x = canvas_text(canvas, 0, 0, lack ? STYLE_NORMAL : STYLE_OK,
				scoped ? _("machine and scope: nothing out of the ordinary")
				       : _(context->tables[index].view.schema->none),
				-1);
	if (lack)
		canvas_print(canvas, 0, x, STYLE_NORMAL, "; %s", lack->text);
}

/* Those of the table from first on that are over, or are not. */
static size_t count_over(const struct pane_context *context, unsigned index, size_t first, bool over)
{
	const struct view *view = &context->tables[index].view;
	size_t n = 0;

	for (size_t i = first; i < view->n_rows; i++)
		n += schema_row_is_over(view->schema, view->rows[i]) == over;
	return n;
}

/* "+3 more: disks, CPU, /srv; +2 earlier" in the last row. */
static void draw_more(const struct pane_context *context, const struct canvas *line, unsigned index,
		      size_t first)
{
	size_t n_more = count_over(context, index, first, false);
	size_t n_over = count_over(context, index, first, true);
	char subject[TEXT_MAX];
	int x = MARK_CELLS + 1;

	if (n_more > 0)
		x += canvas_print(line, 0, x, STYLE_STRONG, _("+%zu more:"), n_more);
	for (size_t i = first; i < first + n_more && x < line->width; i++)
		x += canvas_print(line, 0, x, STYLE_NORMAL, i > first ? ", %s" : " %s",
				  subject_of(context, index, context->tables[index].view.rows[i], subject,
					     sizeof(subject)));
	if (n_over > 0)
		canvas_print(line, 0, x, STYLE_DIM, n_more > 0 ? _("; +%zu earlier") : _("+%zu earlier"),
			     n_over);
}

/* Draws as many as there are lines, and what the others are about. */
static void overview_findings_draw(const struct pane_context *context, const struct canvas *canvas,
				   unsigned index, double watched_seconds)
{
	struct table_widget *widget = &context->tables[index];
	const struct notice *lack = frame_newest_notice(context->frame, "finding");
	size_t n = widget->view.n_rows, page = n < (size_t)canvas->height ? n : (size_t)canvas->height;
	/* the same however long the subjects are, so that the sentences do not move */
	int part = canvas->width / SUBJECT_PART, cells = part < SUBJECT_CELLS_MAX ? part : SUBJECT_CELLS_MAX;
	const struct table_place *place = &widget->place;
	struct canvas line;
	size_t first;

	if (n == 0 && lack)
		canvas_text(canvas, 0, 0, STYLE_DIM, lack->text, -1);
	else if (n == 0 && context_table(context, index))
		draw_none(context, canvas, index, watched_seconds);
	if (n == 0)
		return;
	page -= page < n && page > 1; /* the last line is for the others */
	/* they scroll for the selected one */
	first = context->focus == index && place->cursor_on && place->row >= page ? place->row - page + 1 : 0;
	/* for its keys and the mouse: a table without a heading */
	widget->heading_y = canvas->top - 1;
	widget->left = canvas->left;
	widget->width = canvas->width;
	widget->page = n < (size_t)canvas->height ? (int)n : canvas->height;
	widget->place.top = first;
	for (size_t i = 0; i < page; i++) {
		line = canvas_rows(canvas, (int)i, 1);
		draw_finding(context, &line, index, first + i, cells);
	}
	line = canvas_rows(canvas, (int)page, 1);
	if (first + page < n && page < (size_t)canvas->height)
		draw_more(context, &line, index, first + page);
}

#define REPORT_ROWS 12

static const struct reported_chart reported_charts[] = {
	{ .title = N_("CPU"),
	  .lines = { { N_("busy"), { "cpu", "all", "busy_ratio" } },
		     { N_("kernel"), { "cpu", "all", "system_ratio" } },
		     { N_("wait for disks"), { "cpu", "all", "iowait_ratio" } },
		     { N_("steal"), { "cpu", "all", "steal_ratio" } } },
	  .least_end = 1 },
	{ .title = N_("Memory"),
	  .lines = { { N_("used"), { "memory", "available", "used_bytes" } },
		     { N_("swap used"), { "memory", "swap", "used_bytes" } } },
	  .whole = { "memory", "mem", "total_bytes" } },
	{ .title = N_("Time in which some task waited"),
	  .lines = { { N_("for a CPU"), { "pressure", "cpu", "avg10_ratio" } },
		     { N_("for memory"), { "pressure", "memory", "avg10_ratio" } },
		     { N_("for disks"), { "pressure", "io", "avg10_ratio" } } },
	  .least_end = 0.1 },
	{ .title = N_("Load"), .lines = { { N_("load"), { "system", NULL, "load1" } } }, .least_end = 1 },
	{ .title = N_("Disks"),
	  .lines = { { N_("read"), { "disk", "all", "read_bytes_per_second" } },
		     { N_("write"), { "disk", "all", "write_bytes_per_second" } } },
	  .least_end = 1 << 20 },
	{ .title = N_("Network"),
	  .lines = { { N_("receive"), { "interface", "all", "received_bits_per_second" } },
		     { N_("send"), { "interface", "all", "sent_bits_per_second" } } },
	  .least_end = 1e6 },
	{ .title = N_("Power"), .lines = { { N_("power"), { "power", "total", "watts" } } } },
	{ .title = N_("Limit of CPU time"),
	  .lines = { { N_("used"), { "cpu_limit", NULL, "cpu_ratio" } },
		     { N_("limit"), { "cpu_limit", NULL, "limit_ratio" } } } },
	{ .title = N_("Limit of memory"),
	  .lines = { { N_("used"), { "memory_limit", "memory", "used_bytes" } },
		     { N_("limit"), { "memory_limit", "memory", "limit_bytes" } } } },
	{ .title = N_("Scope: CPUs"), .lines = { { N_("used"), { "scope_use", NULL, "cpu_ratio" } } } },
	{ .title = N_("Scope: memory"), .lines = { { N_("used"), { "scope_use", NULL, "memory_bytes" } } } },
	{ 0 },
};

#define PROCESSES(title_, column, others, least_)                                                            \
	{                                                                                                    \
		.title = (title_), .topic = "process", .columns = column "," others ",pid,name",             \
		.with_names = column "," others ",pid,user,command", .sort = (column),                       \
		.threshold = (column), .least = (least_), .rows = REPORT_ROWS                                \
	}

static const struct reported_table reported_tables[] = {
	PROCESSES(N_("Most CPU"), "cpu_ratio", "resident_bytes", 0.0005),
	PROCESSES(N_("Most memory"), "resident_bytes", "cpu_ratio", 1),
	PROCESSES(N_("Waited most for a CPU"), "wait_ratio", "cpu_ratio", 0.0005),
	PROCESSES(N_("Growing"), "growth_bytes_per_second", "resident_bytes", 1),
	PROCESSES(N_("Most disk"), "disk_bytes_per_second", "write_bytes_per_second,read_bytes_per_second",
		  1),
	PROCESSES(N_("Most TCP"), "tcp_bytes_per_second",
		  "tcp_received_bytes_per_second,tcp_sent_bytes_per_second", 1),
	{ .title = N_("Exited within a minute"),
	  .topic = "exited",
	  .columns = "recent_exits,recent_failures,command",
	  .sort = "recent_exits",
	  .threshold = "recent_exits",
	  .least = 1,
	  .rows = REPORT_ROWS },
	{ .title = N_("Groups"),
	  .topic = "group",
	  .columns = "cpu_ratio,throttled_ratio,memory_bytes,memory_limit_bytes,tasks,name",
	  .sort = "cpu_ratio",
	  .rows = REPORT_ROWS },
	{ .title = N_("Disks"),
	  .topic = "disk",
	  .columns = "device,busy_ratio,queue,read_bytes_per_second,write_bytes_per_second,read_wait_seconds,"
		     "write_wait_seconds",
	  .sort = "busy_ratio",
	  .rows = REPORT_ROWS },
	{ .title = N_("File systems"),
	  .topic = "filesystem",
	  .columns = "used_ratio,available_bytes,total_bytes,inodes_used_ratio,type,mount",
	  .sort = "used_ratio",
	  .rows = REPORT_ROWS },
	{ .title = N_("Interfaces"),
	  .topic = "interface",
	  .columns = "name,state,received_bits_per_second,sent_bits_per_second,errors_per_second,"
		     "drops_per_second,used_ratio",
	  .sort = "received_bits_per_second",
	  .rows = REPORT_ROWS },
	{ .title = N_("What panetop used for a sample"),
	  .topic = "self",
	  .columns = "topic,sample_seconds,lost",
	  .sort = "sample_seconds",
	  .rows = REPORT_ROWS },
	{ 0 },
};

/* Of the lines: the rest of what the gauges read. */
static const char *const also[] = { "power",     "temperature", "cpu_limit", "memory_limit",
				    "scope_use", "account",     NULL };

/* As at the top of the screen, without the names of program and host. */
static void add_lines(const struct frame *frame, bool ascii, struct buffer *out)
{
	char pieces[HEADLINE_PIECES_MAX][HEADLINE_PIECE_MAX];
	unsigned n_pieces = headline_pieces(frame, pieces);

	for (unsigned i = frame->host ? 2 : 1; i < n_pieces; i++)
		buffer_print(out, "%s%s", pieces[i], i + 1 < n_pieces ? ", " : "\n");
	overview_lines(frame, ascii, out);
}

static const char *const strained[] = { "cpu", "memory", "io", NULL };

const struct reported reported_overview = {
	.charts = reported_charts,
	.tables = reported_tables,
	.also = also,
	.strained = strained,
	.pressure = { "pressure", NULL, "avg10_ratio" },
	.own_cpu = { "self", "all", "cpu_ratio" },
	.lines = add_lines,
};

enum overview_table {
	OVERVIEW_TABLE_BUSY,
	OVERVIEW_TABLE_LARGE,
	OVERVIEW_TABLE_DISK_USERS,
	OVERVIEW_TABLE_EXITED,
	OVERVIEW_TABLE_TALKERS,
	OVERVIEW_TABLE_WAITING,
	OVERVIEW_TABLE_GROWING,
	OVERVIEW_TABLE_FINDING,
	OVERVIEW_TABLE_CPU,
	OVERVIEW_TABLE_MEMORY,
	OVERVIEW_TABLE_PRESSURE,
	OVERVIEW_TABLE_SYSTEM,
	OVERVIEW_TABLE_DISK,
	OVERVIEW_TABLE_INTERFACE,
	OVERVIEW_TABLE_POWER,
	OVERVIEW_TABLE_TEMPERATURE,
	OVERVIEW_TABLE_SCOPE,
	OVERVIEW_TABLE_ACCOUNT,
	OVERVIEW_TABLE_GPU,
	OVERVIEW_TABLE_ENDED,
};

/* The lists, in the order of the screen. */
#define N_LISTS OVERVIEW_TABLE_FINDING
#define N_STOPS (OVERVIEW_TABLE_FINDING + 1) /* of the cursor */

#define LIST_ROWS 10     /* of a list in batch text */
#define LIST_LINES_MIN 5 /* title, heading, rows */
#define LIST_CELLS_MIN 36
#define EMPTY_LINES 3    /* of one that leaves the rest to others */
#define EMPTY_SAMPLES 10 /* then it does */
#define RULE_CELLS 8 /* above a list, for its line and blanks */
#define LIST_COLUMNS_MAX 4
#define LIST_CELLS_GOOD 48 /* of a fourth column */
#define LIST_LINES_GOOD 7  /* of a list below charts */
#define NAME_CELLS 9       /* at least */
#define VALUE_CELLS 6
#define GRAPH_CELLS_MIN 8

struct overview_state {
	struct ended_rows ended; /* the first, as its functions for struct pane want it */
	uint64_t watched_ns;    /* since when findings are looked for; 0: they are not … */
	uint64_t judged_ns;     /* … and the last time; behind other panes that is not in every sample */
};

static const struct pane_table tables[] = {
	[OVERVIEW_TABLE_BUSY] = { .topic = "process",
				  .headline = true,
				  .own_columns = true,
				  .text_rows = LIST_ROWS,
				  .threshold = "cpu_ratio",
				  .least = 0.0005, /* what shows as 0.1 % */
				  .columns = "cpu_ratio,resident_bytes,pid,user,command",
				  .text_columns = "cpu_ratio,resident_bytes,pid,user,name",
				  .sort = "cpu_ratio" },
	[OVERVIEW_TABLE_GROWING] = { .topic = "process", .lazy = true, .own_columns = true,
				     .without_self = true, .threshold = "growth_bytes_per_second", .least = 1,
				     .columns = "growth_bytes_per_second,resident_bytes,pid,user,command",
				     .sort = "growth_bytes_per_second" },
	[OVERVIEW_TABLE_DISK_USERS] = PROCESSES_BY(
		"disk_bytes_per_second", 1, "write_bytes_per_second,read_bytes_per_second,pid,user,command"),
	[OVERVIEW_TABLE_TALKERS] =
		PROCESSES_BY("tcp_bytes_per_second", 1,
			     "tcp_received_bytes_per_second,tcp_sent_bytes_per_second,pid,user,command"),
	[OVERVIEW_TABLE_EXITED] = { .topic = "exited", .headline = true, .own_columns = true,
				    .text_rows = LIST_ROWS, .threshold = "recent_exits", .least = 1,
				    .columns = "recent_exits,recent_failures,command",
				    .sort = "recent_exits" },
	[OVERVIEW_TABLE_LARGE] = { .topic = "process", .lazy = true, .own_columns = true,
				   .columns = "resident_bytes,cpu_ratio,pid,user,command",
				   .sort = "resident_bytes" },
	[OVERVIEW_TABLE_WAITING] = PROCESSES_BY("wait_ratio", 0.0005, "cpu_ratio,pid,user,command"),
	[OVERVIEW_TABLE_FINDING] = { .topic = "finding", .headline = true, .above = true },
	[OVERVIEW_TABLE_CPU] = { .topic = "cpu", .own_columns = true },
	[OVERVIEW_TABLE_MEMORY] = { .topic = "memory", .own_columns = true },
	[OVERVIEW_TABLE_PRESSURE] = { .topic = "pressure", .own_columns = true },
	[OVERVIEW_TABLE_SYSTEM] = { .topic = "system", .own_columns = true },
	[OVERVIEW_TABLE_DISK] = { .topic = "disk", .own_columns = true },
	[OVERVIEW_TABLE_INTERFACE] = { .topic = "interface", .own_columns = true,
				       .columns = "received_bits_per_second,sent_bits_per_second" },
	[OVERVIEW_TABLE_POWER] = { .topic = "power", .own_columns = true },
	[OVERVIEW_TABLE_TEMPERATURE] = { .topic = "temperature", .own_columns = true },
	[OVERVIEW_TABLE_SCOPE] = { .topic = "scope_use", .own_columns = true, .scoped = true },
	[OVERVIEW_TABLE_ACCOUNT] = { .topic = "account", .own_columns = true, .scoped = true },
	[OVERVIEW_TABLE_GPU] = { .topic = "gpu", .own_columns = true },
	[OVERVIEW_TABLE_ENDED] = { .topic = "ended", .lazy = true, .recorded = true },
	{ 0 },
};

static const struct series series[] = {
	[OVERVIEW_SERIES_BUSY] = { "cpu", "all", "busy_ratio" },
	[OVERVIEW_SERIES_USED] = { "memory", "available", "used_bytes" },
	[OVERVIEW_SERIES_LOAD] = { "system", NULL, "load1" },
	[OVERVIEW_SERIES_DISK] = { "disk", "all", "busy_ratio" },
	[OVERVIEW_SERIES_READ] = { "disk", "all", "read_bytes_per_second" },
	[OVERVIEW_SERIES_WRITTEN] = { "disk", "all", "write_bytes_per_second" },
	[OVERVIEW_SERIES_POWER] = { "power", "total", "watts" },
	[OVERVIEW_SERIES_GPU] = { "gpu", NULL, "busy_ratio",
				  .while_shown = true }, /* it may look into processes */
	[OVERVIEW_SERIES_SCOPE_CPU] = { "scope_use", NULL, "cpu_ratio" },
	[OVERVIEW_SERIES_SCOPE_MEMORY] = { "scope_use", NULL, "memory_bytes" },
	[OVERVIEW_SERIES_SCOPE_READ] = { "scope_use", NULL, "read_bytes_per_second" },
	[OVERVIEW_SERIES_CONTAINER_CPU] = { "cpu_limit", NULL, "cpu_ratio", .while_shown = true },
	[OVERVIEW_SERIES_CONTAINER_MEMORY] = { "memory_limit", "memory", "used_bytes", .while_shown = true },
	[OVERVIEW_SERIES_EMPTY] = { "system", NULL, "cpus" }, /* none, in samples without rows of lists */
	[OVERVIEW_SERIES_AWAITED] = { "system", NULL, "cpus" }, /* none, in samples of a service */
	[OVERVIEW_SERIES_NETWORK] = { "interface", "all", "received_bits_per_second" },
	[OVERVIEW_SERIES_SENT] = { "interface", "all", "sent_bits_per_second" },
	CPU_PART_SERIES(OVERVIEW_SERIES_PARTS),
};

/* Name, value, bar, text, and the past where there is room and no chart has it. */
static void draw_gauge(const struct pane_context *context, const struct canvas *line, int name_cells,
		       const struct overview_gauge *gauge, bool with_past)
{
	int bar = line->width / 8, x = name_cells + VALUE_CELLS + 1, past = line->width / 4;
	const struct graph_line_scale scale = past_scale(context, gauge->most, STYLE_USAGE);
	struct canvas graph;

	canvas_text(line, 0, 0, STYLE_STRONG, gauge->name, name_cells);
	canvas_right(line, 0, name_cells, VALUE_CELLS, graph_grade_style(gauge->grade, STYLE_STRONG),
		     gauge->value);
	if (line->width < x + LIST_CELLS_MIN)
		bar = 0;
	if (bar > 0 && !isnan(gauge->ratio))
		graph_bar_graded(line, 0, x, bar, gauge->ratio, gauge->grade);
	x += bar + (bar ? 2 : 0);
	x += canvas_text(line, 0, x, STYLE_NORMAL, gauge->text, -1) + CANVAS_GAP;
	past = past < line->width - x ? past : line->width - x;
	graph = canvas_part(line, 0, line->width - past, 1, past);
	if (with_past && gauge->series >= 0 && past >= GRAPH_CELLS_MIN)
		graph_line(&graph, &context->history, (unsigned)gauge->series, &scale);
}

/* Cells for the longest name and a gap. */
static int name_width(const struct overview_gauge *gauges, unsigned n_gauges, bool ascii)
{
	int most = NAME_CELLS;

	for (unsigned i = 0; i < n_gauges; i++) {
		int cells = utf8_cells(gauges[i].name, ascii) + 1;

		most = cells > most ? cells : most;
	}
	return most;
}

static const char *list_title(unsigned table)
{
	static const char *const titles[N_STOPS] = {
		[OVERVIEW_TABLE_FINDING] = N_("findings"),
		[OVERVIEW_TABLE_BUSY] = N_("most CPU"),
		[OVERVIEW_TABLE_GROWING] = N_("growing"),
		[OVERVIEW_TABLE_DISK_USERS] = N_("most disk I/O"),
		[OVERVIEW_TABLE_TALKERS] = N_("most TCP"),
		[OVERVIEW_TABLE_LARGE] = N_("most memory"),
		[OVERVIEW_TABLE_WAITING] = N_("waiting for CPU"),
		[OVERVIEW_TABLE_EXITED] = N_("exited"),
	};

	return _(titles[table]);
}

/* Processes whose reads and writes may not be read: the list does without them. */
static size_t n_hidden(const struct pane_context *context)
{
	const struct table *table = context_table(context, OVERVIEW_TABLE_DISK_USERS);
	const struct column *bytes = table ? schema_known_column(table->schema, "disk_bytes") : NULL;
	size_t n = 0;

	for (size_t i = 0; bytes && frame_newest_notice(context->frame, NOTICE_STORAGE) && i < table->n_rows;
	     i++)
		n += !row_is_known(table_row(table, i), bytes);
	return n;
}

/* "614 exits in 60 s", as far as this is known. They are kept in steps of 5 s. */
static void exits_title(const struct pane_context *context, char *title, size_t room)
{
	const struct table *table = context_table(context, OVERVIEW_TABLE_EXITED);
	double seconds = NAN, exits = 0;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		seconds = table_number(table, table_row(table, i), "recent_seconds");
		exits += table_number(table, table_row(table, i), "recent_exits");
	}
	if (isnan(seconds) || isnan(exits))
		snprintf(title, room, "%s", list_title(OVERVIEW_TABLE_EXITED));
	else
		snprintf(title, room, P_("%.0f exit in %.0f s", "%.0f exits in %.0f s", (size_t)exits), exits,
			 seconds >= 55 ? 60 : seconds);
}

/* Short rather than cut: the number of those it leaves out stays. */
static void disk_title(const struct pane_context *context, const struct canvas *canvas, char *title,
		       size_t room)
{
	size_t hidden = n_hidden(context);
	const struct view *view = &context->tables[OVERVIEW_TABLE_DISK_USERS].view;
	const struct table *table = context_table(context, OVERVIEW_TABLE_DISK_USERS);
	/* beside "10 of 151" in the rule above the list */
	int cells = canvas->width - RULE_CELLS -
		    snprintf(NULL, 0, _("%zu of %zu"), view->n_matching, table ? table->n_rows : 0);

	snprintf(title, room, hidden > 0 ? _("%s (%zu unreadable)") : "%s",
		 list_title(OVERVIEW_TABLE_DISK_USERS), hidden);
	if (hidden > 0 && utf8_cells(title, canvas->ascii) > cells)
		snprintf(title, room, _("disk: %zu unreadable"), hidden);
	if (hidden > 0 && utf8_cells(title, canvas->ascii) > cells)
		snprintf(title, room, _("%zu unreadable"), hidden);
}

static void draw_list(const struct pane_context *context, const struct canvas *canvas, unsigned index)
{
	char title[TEXT_MAX];
	struct canvas rest;

	if (index == OVERVIEW_TABLE_DISK_USERS)
		disk_title(context, canvas, title, sizeof(title));
	else if (index == OVERVIEW_TABLE_TALKERS && frame_newest_notice(context->frame, NOTICE_SOCKETS))
		snprintf(title, sizeof(title), "%s", _("TCP: too many sockets"));
	else if (index == OVERVIEW_TABLE_EXITED)
		exits_title(context, title, sizeof(title));
	else
		snprintf(title, sizeof(title), "%s", list_title(index));
	if (canvas->height != EMPTY_LINES || context->tables[index].view.n_rows > 0) {
		context_draw_titled(context, canvas, index, title);
		return;
	}
	canvas_rule(canvas, 0, title, "0");
	rest = canvas_below(canvas, 1);
	context_draw_table(context, &rest, index);
}

/*
 * A list shows its first rows: a selected process that has fallen behind them would take the list with it. It
 * is no longer selected: no action may be on a row that is not shown.
 */
static void deselect_unseen(struct pane_context *context, const struct canvas *canvas)
{
	(void)canvas;
	for (int i = 0; i < N_LISTS; i++) {
		struct table_widget *widget = &context->tables[i];

		if (widget->place.cursor_on && widget->page > 0 && widget->place.row >= (size_t)widget->page)
			table_deselect(widget);
	}
}

/* The lists that fit, and in how many columns they are side by side. */
static int lists_that_fit(const struct canvas *canvas, int lines_min, int *columns)
{
	int n_lists = N_LISTS;

	*columns = canvas->width / LIST_CELLS_MIN;
	*columns = *columns < 1 ? 1 : *columns > LIST_COLUMNS_MAX ? LIST_COLUMNS_MAX : *columns;
	if (*columns == LIST_COLUMNS_MAX && canvas->width < LIST_COLUMNS_MAX * LIST_CELLS_GOOD)
		(*columns)--;
	while ((n_lists + *columns - 1) / *columns * lines_min > canvas->height && n_lists > 1)
		n_lists--;
	*columns = *columns < n_lists ? *columns : n_lists;
	return n_lists;
}

/* Has it had no rows for so long that others may have its place? The same in each step to the frame. */
static bool is_long_empty(const struct pane_context *context, unsigned index)
{
	const struct history *history = &context->history;
	long now = history_find(history, context->frame->mono_ns);

	if (now < EMPTY_SAMPLES - 1 || context->tables[index].view.n_rows > 0)
		return false;
	for (long i = 0; i < EMPTY_SAMPLES; i++) {
		double empty = history_value(history, OVERVIEW_SERIES_EMPTY, (size_t)(now - i));

		if (!(empty < 0) || !((unsigned)-empty >> index & 1))
			return false;
	}
	return true;
}

/* Where the lists are: row by row. */
struct list_layout {
	int n, columns;
	unsigned of[N_LISTS];  /* the list in each place */
	bool empty[N_LISTS];   /* nothing but its title is needed */
};

/* Lists that do not fit have the places of empty ones, but not of one that says why it has no rows. */
static struct list_layout lay_out_lists(const struct pane_context *context, const struct canvas *canvas,
					int lines_min)
{
	struct list_layout layout;
	unsigned next;

	layout.n = lists_that_fit(canvas, lines_min, &layout.columns);
	next = (unsigned)layout.n;
	for (unsigned i = 0; i < (unsigned)layout.n; i++) {
		layout.of[i] = i;
		layout.empty[i] = is_long_empty(context, i) && !context->tables[i].notice;
		while (layout.empty[i] && next < N_LISTS && is_long_empty(context, next))
			next++;
		if (!layout.empty[i] || next == N_LISTS)
			continue;
		layout.of[i] = next++;
		layout.empty[i] = false;
	}
	return layout;
}

static bool has_list(const struct list_layout *layout, unsigned index)
{
	for (int i = 0; i < layout->n; i++)
		if (layout->of[i] == index)
			return true;
	return false;
}

/* Are the lists of this row empty, or of those the one in this column? -1: all. */
static bool row_is_empty(const struct list_layout *layout, int row, int column)
{
	int first = row * layout->columns;

	for (int i = first; i < first + layout->columns && i < layout->n; i++)
		if (!layout->empty[i] && (column < 0 || i == first + column))
			return false;
	return true;
}

/* The first line of each row, and the end of the last one. Empty rows leave their lines to the others. */
static void stack_rows(const bool *empty, int n_rows, int height, int *tops)
{
	int n_empty = 0, n_full, rest;

	for (int i = 0; i < n_rows; i++)
		n_empty += empty[i];
	if (n_empty == n_rows || height < n_empty * EMPTY_LINES + (n_rows - n_empty) * LIST_LINES_MIN)
		n_empty = 0;
	n_full = n_rows - n_empty;
	rest = height - n_empty * EMPTY_LINES;
	tops[0] = 0;
	for (int i = 0; i < n_rows; i++) {
		bool is_short = n_empty > 0 && empty[i];
		int lines = is_short ? EMPTY_LINES : (rest + n_full - 1) / n_full;

		tops[i + 1] = tops[i] + lines;
		rest -= is_short ? 0 : lines;
		n_full -= !is_short;
	}
}

static void draw_lists(const struct pane_context *context, const struct canvas *canvas,
		       const struct list_layout *layout)
{
	int n_rows = (layout->n + layout->columns - 1) / layout->columns, tops[N_LISTS + 1];
	bool in_columns = layout->n % layout->columns == 0, empty[N_LISTS];

	for (int i = 0; i < layout->n; i++) {
		int row = i / layout->columns, column = i % layout->columns;
		int left = layout->n - row * layout->columns;
		int beside = left < layout->columns ? left : layout->columns;
		int width = (canvas->width - 2 * (beside - 1)) / beside;
		struct canvas part;

		for (int r = 0; r < n_rows; r++)
			empty[r] = row_is_empty(layout, r, in_columns ? column : -1);
		stack_rows(empty, n_rows, canvas->height, tops);
		part = canvas_part(canvas, tops[row], column * (width + 2), tops[row + 1] - tops[row], width);
		draw_list(context, &part, layout->of[i]);
	}
}

/* "receive 9.6Mb/s  send 212kb/s  curl": the first process of a list that has no room. */
static void name_talker(const struct pane_context *context, struct overview_gauge *gauge,
			const struct list_layout *layout)
{
	const struct view *view = &context->tables[OVERVIEW_TABLE_TALKERS].view;
	const struct table *table = context_table(context, OVERVIEW_TABLE_TALKERS);
	size_t length = strlen(gauge->text);

	if (gauge->names_talker && !has_list(layout, OVERVIEW_TABLE_TALKERS) && table && view->n_rows > 0 &&
	    table_number(table, view->rows[0], "tcp_bytes_per_second") >= 1)
		snprintf(gauge->text + length, sizeof(gauge->text) - length, "  %s",
			 table_text(table, view->rows[0], "name"));
}

/* The gauges that fit, with a place for each CPU below the first one. Returns the lines used. */
static int draw_gauges(const struct pane_context *context, const struct canvas *canvas,
		       const struct overview_gauge *gauges, unsigned n_gauges,
		       const struct overview_charts *charts, int cpu_lines)
{
	int name_cells = name_width(gauges, n_gauges, canvas->ascii), y = 0;
	struct canvas line;

	for (unsigned i = 0; i < n_gauges; i++) {
		line = canvas_rows(canvas, y++, 1);
		draw_gauge(context, &line, name_cells, &gauges[i], !overview_charts_show(charts, i));
		if (i > 0 || cpu_lines == 0)
			continue;
		line = canvas_rows(canvas, y, cpu_lines);
		overview_cpus_draw(context, &line, name_cells, charts->large);
		y += cpu_lines;
	}
	return y;
}

/* What is known of it is why nothing is. */
static void say_absent(const struct pane_context *context, struct overview_gauge *gauge)
{
	if (!gauge->absent)
		return;
	strcpy(gauge->value, "-");
	screen_absence(context, gauge->absent, gauge->text, sizeof(gauge->text));
	gauge->names_talker = false;
	if (screen_replays(context)) /* live its graph goes on */
		gauge->series = -1;
}

/*
 * Findings above, the gauges, and the lists in the rest: two rows of lists are left whatever is found; on a
 * small screen the worst finding, the CPUs and the first process.
 */
static void draw(const struct pane_context *context, struct canvas *canvas)
{
	struct overview_gauge gauges[OVERVIEW_GAUGES_MAX];
	int n_gauges = (int)overview_gauges(context->frame, gauges);
	bool whole = canvas->height >= n_gauges + 2 + LIST_LINES_MIN, large = overview_charts_fit(canvas);
	int name_cells = name_width(gauges, (unsigned)n_gauges, canvas->ascii);
	int n_cpus = whole ? overview_cpus_lines(context, canvas, name_cells, large) : 0;
	const struct overview_state *overview = context->state;
	const struct table *busy = context_table(context, OVERVIEW_TABLE_BUSY);
	const struct view *first = &context->tables[OVERVIEW_TABLE_BUSY].view;
	int room, y, lines_min;
	int64_t watched_ns = (int64_t)(context->frame->mono_ns - overview->watched_ns); /* < 0: not yet */
	struct list_layout layout;
	struct overview_charts charts;
	struct canvas part;

	for (int i = 0; i < n_gauges; i++)
		say_absent(context, &gauges[i]);
	if (!whole)
		n_gauges = canvas->height > LIST_LINES_MIN ? 2 : 1;
	room = whole ? canvas->height - n_gauges - 1 - 2 * LIST_LINES_MIN : canvas->height / 4;
	y = overview_findings_height(context, OVERVIEW_TABLE_FINDING, canvas, room);
	part = canvas_rows(canvas, 0, y);
	overview_findings_draw(context, &part, OVERVIEW_TABLE_FINDING,
			       watched_ns > 0 ? (double)watched_ns / 1e9 : 0);
	charts = overview_charts_choose(context, canvas, canvas->height - y - n_gauges - n_cpus, gauges,
					(unsigned)n_gauges);
	lines_min = charts.lines > 0 ? LIST_LINES_GOOD : LIST_LINES_MIN;
	part = canvas_below(canvas, y + n_gauges + n_cpus + charts.lines);
	layout = lay_out_lists(context, &part, lines_min);
	for (int i = 0; whole && i < n_gauges; i++)
		name_talker(context, &gauges[i], &layout);
	part = canvas_below(canvas, y);
	y += draw_gauges(context, &part, gauges, (unsigned)n_gauges, &charts, n_cpus);
	part = canvas_below(canvas, y);
	overview_charts_draw(context, &part, &charts, gauges);
	part = canvas_below(canvas, y + charts.lines);
	if (part.height >= 2)
		draw_lists(context, &part, &layout);
	else if (busy && first->n_rows > 0) /* "49.0 yes" */
		canvas_print(&part, 0, 0, STYLE_NORMAL, "%.1f %s",
			     100 * table_number(busy, first->rows[0], "cpu_ratio"),
			     table_text(busy, first->rows[0], "name"));
}

/* The rule of a finding, and how to silence it. */
static void why_row(const struct pane_context *context, const void *row, struct buffer *out)
{
	const struct table *table = frame_table(context->frame, "finding");
	const char *rule, *topic;

	if (context->focus != OVERVIEW_TABLE_FINDING)
		return;
	rule = table_text(table, row, "rule");
	topic = table_text(table, row, "topic");
	if (strcmp(rule, FINDING_OF_OPTION) == 0) {
		buffer_print(out, _("A rule of --when, which judges the topic %s\n"), topic);
		return;
	}
	buffer_print(out,
		     _("Rule: %s, which judges the topic %s; finding.%s = off in the "
		       "configuration silences it\n"),
		     rule, topic, rule);
	findings_describe(context->findings, rule, topic, out);
}

/* The name in the selected row, if it is of processes that ended; NULL: it is not. */
static const char *ended_name(const struct pane_context *context)
{
	const struct overview_state *overview = context->state;
	const void *row = context_selected_row(context, context->focus);

	if (row && context->focus == OVERVIEW_TABLE_EXITED)
		return text_of(context, OVERVIEW_TABLE_EXITED, row, "command");
	return row && context->focus == OVERVIEW_TABLE_BUSY ? ended_rows_name(&overview->ended, row) : NULL;
}

static const void *last_ended(const struct pane_context *context)
{
	const char *name = ended_name(context);

	return name ? process_last_ended(context_table(context, OVERVIEW_TABLE_ENDED), name) : NULL;
}

/* The process (of a name the last that ended), or the pane and the row that the selected finding is about. */
static void open_row(struct pane_context *context)
{
	const unsigned findings = OVERVIEW_TABLE_FINDING;
	const struct view *view = &context->tables[findings].view;
	size_t selected = context->tables[findings].place.row;
	const void *ended = last_ended(context);

	if (ended)
		process_open_ended(context, context_table(context, OVERVIEW_TABLE_ENDED), ended);
	else if (context->focus != findings)
		process_open_selected(context);
	else if (selected < view->n_rows)
		screen_show_row(context, text_of(context, findings, view->rows[selected], "pane"),
				text_of(context, findings, view->rows[selected], "view"),
				text_of(context, findings, view->rows[selected], "topic"),
				text_of(context, findings, view->rows[selected], "row"));
}

/* To the next list that is drawn, or the one before. */
static void step_list(struct pane_context *context, unsigned step)
{
	unsigned next = context->focus;

	do
		next = (next + step) % N_STOPS;
	while (next != context->focus && context->tables[next].heading_y < 0);
	table_deselect(&context->tables[context->focus]);
	context->focus = next;
	table_select(&context->tables[next]);
	if (!context->tables[next].place.cursor_on)
		screen_message(context->screen, MESSAGE_PANE, _("%s: no rows"), list_title(next));
}

static void next_list(struct pane_context *context)
{
	step_list(context, 1);
}

static void previous_list(struct pane_context *context)
{
	step_list(context, N_STOPS - 1);
}

/* What the pane cpu does better: it gets the selected process, or its own first one. */
#define HAND_OVER(name, action)                                                                              \
	static void name(struct pane_context *context)                                                       \
	{                                                                                                    \
		screen_hand_over(context, "cpu", action);                                                    \
	}

HAND_OVER(search, ACTION_SEARCH)
HAND_OVER(filter, ACTION_FILTER)
HAND_OVER(tree, ACTION_TREE)
HAND_OVER(threads, ACTION_THREADS)
HAND_OVER(user, ACTION_USER)
HAND_OVER(sort_by_memory, ACTION_SORT_MEMORY)
HAND_OVER(sort_by_cpu, ACTION_SORT_CPU)
HAND_OVER(sort_by_time, ACTION_SORT_TIME)

static void prepare(struct pane_context *context, const struct frame *frame)
{
	struct overview_state *overview = context_state(context);

	overview->ended.brief = true;
	ended_rows_begin(&overview->ended, frame);
}

/* A bit for each list without rows in this frame. The first ones have some on any machine. */
static unsigned empty_lists(const struct pane_context *context, const struct frame *frame)
{
	unsigned empty = 0;

	for (unsigned i = OVERVIEW_TABLE_DISK_USERS; i < N_LISTS; i++) {
		const struct table *table = frame_table(frame, tables[i].topic);
		size_t row = 0;

		while (table && row < table->n_rows &&
		       !view_accepts(&context->tables[i].view, table_row(table, row)))
			row++;
		empty |= (unsigned)(table && row == table->n_rows) << i;
	}
	return empty;
}

static void sampled(struct pane_context *context, const struct frame *frame)
{
	struct overview_state *overview = context_state(context);
	const struct table *findings = frame_table(frame, "finding");

	history_set(&context->history, OVERVIEW_SERIES_GPU, frame, overview_gpu_busy(frame));
	history_set(&context->history, OVERVIEW_SERIES_EMPTY, frame, -(double)empty_lists(context, frame));
	history_set(&context->history, OVERVIEW_SERIES_AWAITED, frame,
		    -1 - findings_awaited_seconds(context->findings, frame->mono_ns));
	if (!findings || findings->partial) {
		if (frame->mono_ns - overview->judged_ns > FINDINGS_REST_NS)
			overview->watched_ns = 0;
		return;
	}
	if (overview->watched_ns == 0 || frame->mono_ns < overview->watched_ns)
		overview->watched_ns = frame->mono_ns;
	overview->judged_ns = frame->mono_ns;
}

/* The rows that the lists show. */
static void sampling(struct pane_context *context)
{
	process_rows_request(context, ((1UL << N_LISTS) - 1) & ~(1UL << OVERVIEW_TABLE_EXITED));
}

static const struct table *with_ended(const struct pane_context *context, unsigned index)
{
	const struct overview_state *overview = context->state;

	return index == OVERVIEW_TABLE_BUSY ? ended_rows_table(&overview->ended, context->frame) : NULL;
}

static const struct pane_action pane_actions[] = {
	{ ACTION_OPEN, open_row, NULL, N_("open the selected process, or what a finding is about") },
	{ ACTION_NEXT_VIEW, next_list, NULL, N_("the next list") },
	{ ACTION_PREVIOUS_VIEW, previous_list, NULL, N_("the previous list") },
	{ ACTION_SEARCH, search, NULL, NULL },
	{ ACTION_FILTER, filter, NULL, NULL },
	{ ACTION_TREE, tree, NULL, NULL },
	{ ACTION_THREADS, threads, NULL, NULL },
	{ ACTION_USER, user, NULL, NULL },
	{ ACTION_SORT_MEMORY, sort_by_memory, NULL, NULL },
	{ ACTION_SORT_CPU, sort_by_cpu, NULL, NULL },
	{ ACTION_SORT_TIME, sort_by_time, NULL, NULL },
	{ 0 },
};

static const char *refuses(const struct pane_context *context, enum action action)
{
	return action == ACTION_OPEN && context->focus == OVERVIEW_TABLE_EXITED && !last_ended(context)
		       ? _("it has exited")
		       : NULL;
}

/* From the end of a list the cursor goes on in the next one. */
static bool key(struct pane_context *context, const struct input *input)
{
	const struct table_widget *widget = &context->tables[context->focus];

	if (!widget->place.cursor_on)
		return false;
	if (input->key == K_DOWN && widget->place.row + 1 >= widget->view.n_rows)
		next_list(context);
	else if (input->key == K_UP && widget->place.row == 0)
		previous_list(context);
	else
		return false;
	return true;
}

/* The gauge of power and heat is there, or it is not; the line of findings says what they lack. */
static bool tells(const struct pane_context *context, const struct notice *notice)
{
	(void)context;
	return strcmp(notice->topic, "power") == 0 || strcmp(notice->topic, NOTICE_STORAGE) == 0 ||
	       strcmp(notice->topic, NOTICE_SOCKETS) == 0 || strcmp(notice->topic, "temperature") == 0 ||
	       strcmp(notice->topic, "group") == 0 || strcmp(notice->topic, "failing") == 0 ||
	       strcmp(notice->topic, "finding") == 0 || strcmp(notice->topic, "ended") == 0;
}

static const struct pane_view views[] = {
	{ "overview", N_("Overview"), N_("the machine and the top processes"), OVERVIEW_TABLE_BUSY,
	  1UL << OVERVIEW_TABLE_GROWING | 1UL << OVERVIEW_TABLE_DISK_USERS | 1UL << OVERVIEW_TABLE_TALKERS |
		  1UL << OVERVIEW_TABLE_LARGE | 1UL << OVERVIEW_TABLE_WAITING | 1UL << OVERVIEW_TABLE_ENDED,
	  .draw = draw },
	{ 0 },
};

static const struct pane_sign signs[] = {
	{ "!! ! *", N_("a finding: critical, a warning, a note; in grey one that is over") },
	{ N_("bars"), N_("have the colour of the worst finding about them; ! before one: a warning, on both "
			 "sides: critical") },
	{ 0 },
};

const struct pane pane_overview = {
	.name = "overview",
	.digit = '1',
	.kept = true,
	.title = N_("Overview"),
	.question = N_("What is wrong with this machine?"),
	.unscoped = N_("pressure, load, network and power are of the machine: the kernel counts them only as "
		       "a whole"),
	.tables = tables,
	.series = series,
	.n_series = N_OVERVIEW_SERIES,
	.signs = signs,
	.why_row = why_row,
	.views = views,
	.actions = pane_actions,
	.refuses = refuses,
	.state_size = sizeof(struct overview_state),
	.close = ended_rows_free,
	.prepare = prepare,
	.sampled = sampled,
	.sampling = sampling,
	.update = ended_rows_update,
	.layout = deselect_unseen,
	.table = with_ended,
	.origin = ended_rows_origin_of,
	.key = key,
	.tells = tells,
	.lines = overview_lines,
};
