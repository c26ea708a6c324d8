/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of a process: why it is slow, what it is, what it uses, and its past. */
#include <config.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "core/signal_name.h"
#include "core/utf8.h"
#include "model/units.h"
#include "pane/process/process.h"
#include "pane/process/process_story.h"
#include "screen/graph.h"
#include "screen/levels.h"

#define PAST_SECONDS 300
#define LABEL_CELLS 10 /* at least */
#define WHY_LINES 2 /* at most */
#define GRAPHS_LINES 7 /* with axes, below the text */
#define GRAPHS_CELLS 40
#define LINE_CELLS_MIN 8
#define NEAR 0.8 /* share of a limit from which it is named */

struct line {
	const char *label; /* translated */
	char text[TEXT_MAX];
	const char *whole; /* in its place, however long; NULL: text */
	enum style style;
	int series;  /* its past; -1: none */
	double most; /* upper end of that; NaN: the highest value shown */
};

struct summary {
	const struct pane_context *context;
	struct process_rows rows;
};

static double number(const struct summary *summary, const char *column)
{
	return process_number(&summary->rows, column);
}

static const char *text_of(const struct summary *summary, const char *column)
{
	return process_text(&summary->rows, column);
}

static bool is_frozen(const struct summary *summary)
{
	return strcmp(text_of(summary, "frozen"), "yes") == 0;
}

/* Of the process that is sampled in detail, which in a recording may be another one: then NULL. */
static const struct table *own_table(const struct summary *summary, enum process_table table)
{
	return summary->rows.detail ? context_table(summary->context, table) : NULL;
}

static const char *state_words(char state)
{
	switch (state) {
	case 'R':
		return _("running");
	case 'S':
		return _("sleeping");
	case 'D':
		return _("waiting, uninterruptibly");
	case 'T':
		return _("stopped");
	case 't':
		return _("traced");
	case 'Z':
		return _("zombie");
	case 'I':
		return _("idle");
	case 'X':
		return _("exited");
	default:
		return "-";
	}
}

/* Its exit among the events, if they are collected; the newest, and none from before its start. */
static double of_exit_event(const struct summary *summary, const char *column)
{
	const struct table *events = context_table(summary->context, PROCESS_TABLE_EVENT);
	double pid = number(summary, "pid"), started = number(summary, "started_time");

	for (size_t i = events ? events->n_rows : 0; i > 0; i--) {
		const void *row = table_row(events, i - 1);

		if (table_number(events, row, "pid") != pid ||
		    strcmp(table_text(events, row, "event"), "exit") != 0)
			continue;
		return table_number(events, row, "time") >= started || isnan(started)
			       ? table_number(events, row, column)
			       : NAN;
	}
	return NAN;
}

static double how_ended(const struct summary *summary, const char *column, const char *of_event)
{
	bool known = !isnan(number(summary, "exit_code")) || !isnan(number(summary, "exit_signal"));

	return known || *text_of(summary, "state") != 'X' ? number(summary, column)
						       : of_exit_event(summary, of_event);
}

/* A part of its time account. */
static double time_part(const struct summary *summary, const char *part)
{
	const struct table *table = context_table(summary->context, PROCESS_TABLE_TIME);
	double pid = number(summary, "pid");

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (table_number(table, row, "pid") == pid &&
		    strcmp(table_text(table, row, "part"), part) == 0)
			return table_number(table, row, "ratio");
	}
	return NAN;
}

static double either(double best, double otherwise)
{
	return isnan(best) ? otherwise : best;
}

static bool main_ended(const struct summary *summary)
{
	return strcmp(text_of(summary, "main_thread"), "ended") == 0;
}

/* Other scheduling policies do not go by it. */
static double nice_of(const struct summary *summary)
{
	const char *policy = text_of(summary, "policy");
	bool counts = strcmp(policy, "other") == 0 || strcmp(policy, "batch") == 0;

	return counts ? number(summary, "nice") : NAN;
}

/* The row of the function that runs most, of a profile of this process alone; NULL: there is none. */
static const void *hot_row(const struct summary *summary, const struct table *profile)
{
	const struct table *cost = frame_table(summary->context->frame, "profile_cost");
	const void *hot = NULL;

	if (!profile || !cost || cost->n_rows == 0 ||
	    table_number(cost, table_row(cost, 0), "pid") != number(summary, "pid"))
		return NULL;
	for (size_t i = 0; i < profile->n_rows; i++)
		if (!hot || table_number(profile, table_row(profile, i), "self_ratio") >
				    table_number(profile, hot, "self_ratio"))
			hot = table_row(profile, i);
	return hot;
}

/* The rows of the process, and what is made of them once. */
struct story_facts {
	struct facts facts;
	const struct summary *summary;
	const struct table *profile;
	const void *hot; /* its row there; NULL: there is none */
};

static struct fact number_fact(double number, enum unit unit)
{
	return (struct fact){ .number = number, .unit = unit };
}

static struct fact text_fact(const char *text)
{
	return (struct fact){ .text = text ? text : "" };
}

static const char *name_of_signal(double signal)
{
	return signal > 0 ? signal_name((unsigned)signal) : NULL;
}

/* What no column of its rows has, or one that is made of several. */
static bool find_made(const struct story_facts *of, struct span name, struct fact *fact)
{
	const struct summary *summary = of->summary;

	if (span_is(name, "memory_ratio") || span_is(name, "lock_ratio") || span_is(name, "other_ratio"))
		*fact = number_fact(time_part(summary, span_is(name, "memory_ratio") ? "memory"
							: span_is(name, "lock_ratio") ? "lock"
										      : "other"),
				    UNIT_RATIO);
	else if (span_is(name, "disk_ratio"))
		*fact = number_fact(either(number(summary, "disk_ratio"), time_part(summary, "disk")),
				    UNIT_RATIO);
	else if (span_is(name, "wanted_ratio"))
		*fact = number_fact(number(summary, "cpu_ratio") + number(summary, "wait_ratio"), UNIT_RATIO);
	else if (span_is(name, "frozen"))
		*fact = text_fact(is_frozen(summary) ? "yes" : NULL);
	else if (span_is(name, "main_ended"))
		*fact = text_fact(main_ended(summary) ? "yes" : NULL);
	else if (span_is(name, "nice"))
		*fact = number_fact(nice_of(summary), UNIT_NONE);
	else if (span_is(name, "others"))
		*fact = number_fact(number(summary, "threads") - 1, UNIT_COUNT);
	else if (span_is(name, "exit_code"))
		*fact = number_fact(how_ended(summary, "exit_code", "exit_code"), UNIT_NONE);
	else if (span_is(name, "exit_signal"))
		*fact = number_fact(how_ended(summary, "exit_signal", "signal"), UNIT_NONE);
	else if (span_is(name, "exit_name"))
		*fact = text_fact(name_of_signal(how_ended(summary, "exit_signal", "signal")));
	else if (span_is(name, "stop_name"))
		*fact = text_fact(name_of_signal(number(summary, "stop_signal")));
	else if (span_is(name, "waits_for"))
		*fact = text_fact(process_waits_for(text_of(summary, "system_call")));
	else if (span_is(name, "hot_function"))
		*fact = text_fact(of->hot ? table_text(of->profile, of->hot, "function") : NULL);
	else if (span_is(name, "hot_ratio"))
		*fact = number_fact(of->hot ? table_number(of->profile, of->hot, "self_ratio") -
						      table_number(of->profile, of->hot, "error_ratio")
					    : NAN,
				    UNIT_RATIO);
	else
		return false;
	return true;
}

static struct fact find_fact(const struct facts *facts, struct span name)
{
	const struct story_facts *of = (const struct story_facts *)facts;
	const struct column *column;
	struct fact fact;

	if (find_made(of, name, &fact))
		return fact;
	column = process_column(&of->summary->rows, name);
	if (!column)
		return FACT_UNKNOWN;
	return column->type == VALUE_TEXT ? text_fact(text_of(of->summary, column->key))
					  : number_fact(number(of->summary, column->key), column->unit);
}

static char *percent(char out[VALUE_TEXT_MAX], double ratio)
{
	fixed_text(out, 100 * ratio, 1);
	return out;
}

/* Appends " label value" with its own gap. */
static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct line *line, const char *format, ...)
{
	size_t length = strlen(line->text);
	va_list list;

	va_start(list, format);
	vsnprintf(line->text + length, sizeof(line->text) - length, format, list);
	va_end(list);
}

static void line_why(const struct summary *summary, struct line *line)
{
	const struct table *profile = frame_table(summary->context->frame, "profile");
	struct story_facts of = { { find_fact }, summary, profile, hot_row(summary, profile) };
	double exited = number(summary, "exited_time");
	struct buffer text = { 0 };
	enum process_level level;
	char time[CLOCK_TEXT_MAX];

	level = process_story(&text, &of.facts);
	snprintf(line->text, sizeof(line->text), "%.*s", (int)text.length, text.length > 0 ? text.bytes : "");
	buffer_free(&text);
	line->label = _("why");
	line->style = level == PROCESS_SLOW ? STYLE_WARN : STYLE_STRONG;
	if (!isnan(exited))
		add(line, _(" Its exit was seen at %s."), clock_local(time, (uint64_t)exited, "%H:%M:%S"));
	else if (level == PROCESS_SILENT)
		snprintf(line->text, sizeof(line->text), "%s", _("nothing stands out"));
}

static void line_process(const struct summary *summary, struct line *line)
{
	double started = number(summary, "started_time");
	char time[CLOCK_TEXT_MAX], stretch[VALUE_TEXT_MAX];

	line->label = _("process");
	line->style = STYLE_STRONG;
	add(line, "%.0f %s", number(summary, "pid"), text_of(summary, "name"));
	if (*text_of(summary, "user"))
		add(line, _("  user %s"), text_of(summary, "user"));
	if (isnan(started))
		return;
	add(line, _("  since %s"), clock_local(time, (uint64_t)started, "%Y-%m-%d %H:%M:%S"));
	if (summary->context->frame->wall_ns > (uint64_t)started)
		add(line, " (%s)",
		    stretch_text(stretch,
				 (double)(summary->context->frame->wall_ns - (uint64_t)started) / 1e9));
}

static void line_command(const struct summary *summary, struct line *line)
{
	line->label = _("command");
	line->whole = text_of(summary, "command");
}

static void line_program(const struct summary *summary, struct line *line)
{
	line->label = _("program");
	add(line, "%s", text_of(summary, "executable"));
	if (*text_of(summary, "executable_state")) {
		line->style = STYLE_WARN;
		add(line, " (%s)", _(text_of(summary, "executable_state")));
	}
	if (*text_of(summary, "directory"))
		add(line, _("  in %s"), text_of(summary, "directory"));
}

/* Behind the text of a number, unless that is unknown. */
static const char *with_unit(char number[VALUE_TEXT_MAX], const char *unit)
{
	size_t length = strlen(number);

	if (strcmp(number, "-") != 0)
		snprintf(number + length, VALUE_TEXT_MAX - length, "%s", unit);
	return number;
}

static void line_parents(const struct summary *summary, struct line *line)
{
	line->label = _("parents");
	if (*text_of(summary, "parents"))
		add(line, "%s", text_of(summary, "parents"));
	else if (number(summary, "ppid") > 0)
		add(line, "%.0f", number(summary, "ppid"));
	else if (!isnan(number(summary, "ppid")))
		add(line, "%s", _("none"));
}

static void line_group(const struct summary *summary, struct line *line)
{
	double limit = number(summary, "group_limit_ratio"), throttled = number(summary, "throttled_ratio");
	char value[VALUE_TEXT_MAX];

	line->label = _("group");
	add(line, "%s", text_of(summary, "cgroup"));
	if (limit > 0)
		add(line, _("  limit %s CPUs"), fixed_text(value, limit, 2));
	if (throttled >= 0)
		add(line, _("  throttled %s %%"), percent(value, throttled));
}

static void line_state(const struct summary *summary, struct line *line)
{
	const char *state = text_of(summary, "state"), *call = text_of(summary, "system_call");
	double stopped_by = number(summary, "stop_signal");
	const char *signal = stopped_by > 0 ? signal_name((unsigned)stopped_by) : NULL;

	line->label = _("state");
	if (signal)
		add(line, _("%s stopped by SIG%s"), state, signal);
	else
		add(line, "%s %s", state, is_frozen(summary) ? _("frozen") : state_words(*state));
	if (main_ended(summary))
		add(line, "%s", _(", but its main thread has ended"));
	if (*call)
		add(line, _("  in %s"), call);
	if (*text_of(summary, "wait_channel"))
		add(line, " (%s)", text_of(summary, "wait_channel"));
	if (*text_of(summary, "system_call_file"))
		add(line, "  %s", text_of(summary, "system_call_file"));
}

static void line_threads(const struct summary *summary, struct line *line)
{
	char value[4][VALUE_TEXT_MAX];

	line->label = _("threads");
	if (is_frozen(summary)) { /* the kernel shows such threads in state D or S */
		add(line, _("%s, frozen with their control group"),
		    fixed_text(value[0], number(summary, "threads"), 0));
		return;
	}
	add(line, _("%s: running %s, in disk wait %s  waits for storage %s"),
	    fixed_text(value[0], number(summary, "threads"), 0),
	    fixed_text(value[1], number(summary, "running_threads"), 0),
	    fixed_text(value[2], number(summary, "waiting_threads"), 0),
	    with_unit(percent(value[3], either(number(summary, "disk_ratio"), time_part(summary, "disk"))),
		      " %"));
}

static void line_cpu(const struct summary *summary, struct line *line)
{
	char value[5][VALUE_TEXT_MAX];

	line->label = _("CPU");
	line->series = PROCESS_SERIES_CPU;
	add(line, _("%s %%  user %s  system %s  ready, waiting %s  time %s"),
	    percent(value[0], number(summary, "cpu_ratio")), percent(value[1], number(summary, "user_ratio")),
	    percent(value[2], number(summary, "system_ratio")),
	    percent(value[3], number(summary, "wait_ratio")),
	    duration_short(value[4], number(summary, "cpu_seconds"), false));
}

static void line_memory(const struct summary *summary, struct line *line)
{
	char value[4][VALUE_TEXT_MAX];

	line->label = _("memory");
	line->series = PROCESS_SERIES_MEMORY;
	add(line, _("%s  anon %s  file %s"), size_short(value[0], number(summary, "resident_bytes")),
	    size_short(value[1], number(summary, "anonymous_bytes")),
	    size_short(value[2], number(summary, "file_bytes")));
	if (number(summary, "shared_memory_bytes") > 0)
		add(line, _("  shared %s"), size_short(value[0], number(summary, "shared_memory_bytes")));
	add(line, _("  swap %s  peak %s"), size_short(value[0], number(summary, "swapped_bytes")),
	    size_short(value[1], number(summary, "resident_peak_bytes")));
}

static void line_disk(const struct summary *summary, struct line *line)
{
	char value[5][VALUE_TEXT_MAX];

	line->label = _("I/O");
	add(line, _("disk read %s write %s  calls read %s write %s"),
	    with_unit(size_short(value[0], number(summary, "read_bytes_per_second")), "/s"),
	    with_unit(size_short(value[1], number(summary, "write_bytes_per_second")), "/s"),
	    with_unit(size_short(value[2], number(summary, "call_read_bytes_per_second")), "/s"),
	    with_unit(size_short(value[3], number(summary, "call_write_bytes_per_second")), "/s"));
}

/* By its sockets, which is cheap; to count what other protocols move would cost each send and receive. */
static void line_network(const struct summary *summary, struct line *line)
{
	char value[2][VALUE_TEXT_MAX];

	line->label = _("network");
	add(line, _("TCP received %s sent %s"),
	    with_unit(size_short(value[0], number(summary, "tcp_received_bytes_per_second")), "/s"),
	    with_unit(size_short(value[1], number(summary, "tcp_sent_bytes_per_second")), "/s"));
}

static void line_faults(const struct summary *summary, struct line *line)
{
	char value[2][VALUE_TEXT_MAX];

	line->label = _("faults");
	add(line, _("major %s  minor %s"),
	    with_unit(rate_short(value[0], number(summary, "major_faults_per_second")), "/s"),
	    with_unit(rate_short(value[1], number(summary, "minor_faults_per_second")), "/s"));
}

static void line_priority(const struct summary *summary, struct line *line)
{
	const char *within = fabs(nice_of(summary)) > 0 ? text_of(summary, "nice_within") : "";
	char value[2][VALUE_TEXT_MAX];

	line->label = _("priority");
	add(line, _("nice %s  policy %s  on CPUs %s  OOM score %s"),
	    fixed_text(value[0], number(summary, "nice"), 0),
	    *text_of(summary, "policy") ? text_of(summary, "policy") : "-",
	    *text_of(summary, "cpus") ? text_of(summary, "cpus") : "-",
	    fixed_text(value[1], number(summary, "oom_score"), 0));
	if (strcmp(within, "session") == 0)
		add(line, "%s", _("  nice counts within its session"));
	else if (strcmp(within, "group") == 0)
		add(line, "%s", _("  nice counts within its control group"));
}

/* The limit that is nearest. */
static void line_limits(const struct summary *summary, struct line *line)
{
	const struct table *limits = own_table(summary, PROCESS_TABLE_LIMIT);
	const void *nearest = NULL;
	double most = -1;

	line->label = _("limits");
	for (size_t i = 0; limits && i < limits->n_rows; i++) {
		const void *row = table_row(limits, i);
		double ratio = table_number(limits, row, "used_ratio");

		if (ratio > most) {
			most = ratio;
			nearest = row;
		}
	}
	if (!nearest)
		return;
	line->style = most >= NEAR ? STYLE_WARN : STYLE_NORMAL;
	add(line, _("nearest: %s, %s of %s (%.0f %%)"), table_text(limits, nearest, "name"),
	    table_text(limits, nearest, "used_text"), table_text(limits, nearest, "soft_text"), 100 * most);
}

static void line_files(const struct summary *summary, struct line *line)
{
	static const char *const kinds[] = { "file", "directory", "socket", "pipe", "device" };
	static const char *const words[] = { N_("files %zu"), N_("directories %zu"), N_("sockets %zu"),
					     N_("pipes %zu"), N_("devices %zu") };
	const struct table *files = own_table(summary, PROCESS_TABLE_FILE);
	size_t counts[sizeof(kinds) / sizeof(kinds[0])] = { 0 };
	char value[VALUE_TEXT_MAX];

	line->label = _("open");
	add(line, "%s", fixed_text(value, number(summary, "open_files"), 0));
	for (size_t i = 0; files && i < files->n_rows; i++)
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
			counts[k] += strcmp(table_text(files, table_row(files, i), "kind"), kinds[k]) == 0;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		if (counts[k] == 0)
			continue;
		add(line, k == 0 ? ": " : "  ");
		add(line, _(words[k]), counts[k]);
	}
}

/* Names of the signals in which a column has this text. */
static void add_signals(const struct summary *summary, struct line *line, const char *label,
			const char *column, const char *wanted)
{
	const struct table *signals = own_table(summary, PROCESS_TABLE_SIGNAL);
	bool any = false;

	for (size_t i = 0; signals && i < signals->n_rows; i++) {
		const void *row = table_row(signals, i);

		if (strcmp(table_text(signals, row, column), wanted) != 0)
			continue;
		add(line, "%s%s %s",
		    any           ? ""
		    : *line->text ? "  "
				  : "",
		    any ? "" : label, table_text(signals, row, "name"));
		any = true;
	}
}

static void line_signals(const struct summary *summary, struct line *line)
{
	line->label = _("signals");
	add_signals(summary, line, _("pending"), "pending", "yes");
	line->style = *line->text ? STYLE_WARN : STYLE_NORMAL;
	add_signals(summary, line, _("blocked"), "blocked", "yes");
	add_signals(summary, line, _("ignored"), "action", "ignored");
	add_signals(summary, line, _("caught"), "action", "caught");
}

/* In the order of the screen; where lines are few, those of a higher rank are left out. */
static const struct {
	void (*fill)(const struct summary *summary, struct line *line);
	int rank;
} parts[] = {
	{ line_why, 0 },      { line_process, 1 },   { line_command, 8 }, { line_program, 11 },
	{ line_parents, 10 }, { line_group, 9 },     { line_state, 2 },   { line_threads, 7 },
	{ line_cpu, 3 },      { line_memory, 4 },    { line_disk, 5 },    { line_network, 6 },
	{ line_faults, 14 },  { line_priority, 15 }, { line_limits, 12 }, { line_files, 13 },
	{ line_signals, 16 },
};

#define N_PARTS ((int)(sizeof(parts) / sizeof(parts[0])))

static void draw_past(const struct pane_context *context, const struct canvas *canvas, unsigned series,
		      double most)
{
	const struct graph_line_scale scale = {
		.now_ns = context->frame->mono_ns,
		.span_seconds = PAST_SECONDS,
		.step_seconds = context_step_seconds(context),
		.least = 0,
		.most = most,
		.style = STYLE_USAGE,
	};

	graph_line(canvas, &context->history, series, &scale);
}

/* In at most most lines; returns how many. */
static int draw_line(const struct summary *summary, const struct canvas *canvas, int y, int label_cells,
		     const struct line *line, int most)
{
	struct canvas rest = canvas_part(canvas, y, label_cells, most, canvas->width - label_cells);
	const char *text = line->whole ? line->whole : line->text;
	int past = canvas->width / 4, used;

	canvas_text(canvas, y, 0, STYLE_DIM, line->label, label_cells - 1);
	if (most > 1)
		return canvas_wrapped(&rest, 0, line->style, span_text(text));
	used = canvas_text(&rest, 0, 0, line->style, text, -1) + CANVAS_GAP;
	past = past < rest.width - used ? past : rest.width - used;
	rest = canvas_part(&rest, 0, rest.width - past, 1, past);
	if (line->series >= 0 && past >= LINE_CELLS_MIN)
		draw_past(summary->context, &rest, (unsigned)line->series, line->most);
	return 1;
}

static char *percent_label(char *out, double ratio)
{
	snprintf(out, VALUE_TEXT_MAX, "%.0f %%", 100 * ratio);
	return out;
}

static void draw_graph(const struct pane_context *context, const struct canvas *canvas, const char *title,
		       unsigned series, char *(*label)(char *text, double value))
{
	struct graph_line_scale scale = {
		.now_ns = context->frame->mono_ns,
		.span_seconds = PAST_SECONDS,
		.step_seconds = context_step_seconds(context),
		.least = 0,
		.most = NAN,
		.style = STYLE_USAGE,
	};
	struct canvas plot = canvas_rows(canvas, 1, canvas->height - 1), inner = graph_area_plot(&plot);
	struct graph_range range;

	range = graph_line_range(&inner, &context->history, series, &scale);
	canvas_rule(canvas, 0, title, "");
	if (isnan(range.most)) {
		canvas_text(&plot, 0, 0, STYLE_DIM, _("not known yet"), -1);
		return;
	}
	scale.most = levels_top(range.least, range.most);
	graph_area(&plot, &context->history, series, &scale, label);
}

static const struct past_graph {
	const char *title; /* N_() */
	unsigned series;
	char *(*label)(char *text, double value);
} graphs[] = {
	{ N_("CPU"), PROCESS_SERIES_CPU, percent_label },
	{ N_("memory"), PROCESS_SERIES_MEMORY, size_short },
	{ N_("read by calls, bytes/s"), PROCESS_SERIES_READ, size_short },
	{ N_("written by calls, bytes/s"), PROCESS_SERIES_WRITE, size_short },
};

/* In two columns, and in one or two rows. */
static void draw_graphs(const struct pane_context *context, const struct canvas *canvas)
{
	int rows = canvas->height >= 2 * GRAPHS_LINES ? 2 : 1;
	int width = (canvas->width - CANVAS_GAP) / 2, height = canvas->height / rows;

	for (int i = 0; i < 2 * rows; i++) {
		struct canvas part =
			canvas_part(canvas, i / 2 * height, i % 2 * (width + CANVAS_GAP), height, width);

		draw_graph(context, &part, _(graphs[i].title), graphs[i].series, graphs[i].label);
	}
}

/* Cells for the longest label and a gap. */
static int label_width(const struct line *lines, bool ascii)
{
	int most = LABEL_CELLS;

	for (int i = 0; i < N_PARTS; i++) {
		int cells = utf8_cells(lines[i].label, ascii) + 1;

		most = cells > most ? cells : most;
	}
	return most;
}

/* Of a part: the command gets the lines that neither other parts nor graphs take. */
static int lines_of(const struct canvas *canvas, int part, int n_parts, bool has_graphs)
{
	int spare = canvas->height - (n_parts + WHY_LINES - 1) - (has_graphs ? 1 + GRAPHS_LINES : 0);

	if (parts[part].fill == line_why)
		return canvas->height > 2 ? WHY_LINES : 1;
	return parts[part].fill == line_command && spare > 0 ? 1 + spare : 1;
}

static void draw_lines(const struct summary *summary, const struct canvas *canvas, bool has_graphs)
{
	struct line lines[N_PARTS];
	struct canvas rest;
	int label_cells, y = 0, most = canvas->height - (canvas->height > 2);

	for (int i = 0; i < N_PARTS; i++) {
		lines[i] = (struct line){ .series = -1, .most = NAN, .style = STYLE_NORMAL };
		parts[i].fill(summary, &lines[i]);
		lines[i].series = has_graphs ? -1 : lines[i].series;
	}
	label_cells = label_width(lines, canvas->ascii);
	for (int i = 0; i < N_PARTS && y < canvas->height; i++)
		if (parts[i].rank < most)
			y += draw_line(summary, canvas, y, label_cells, &lines[i],
				       lines_of(canvas, i, most < N_PARTS ? most : N_PARTS, has_graphs));
	rest = canvas_rows(canvas, y + 1, canvas->height - y - 1);
	if (has_graphs && rest.height >= GRAPHS_LINES)
		draw_graphs(summary->context, &rest);
}

void process_draw_summary(const struct pane_context *context, struct canvas *canvas)
{
	const struct summary summary = { context, process_rows_of(context, context->frame) };
	bool has_graphs = canvas->height >= N_PARTS + 2 + GRAPHS_LINES && canvas->width >= 2 * GRAPHS_CELLS;

	if (summary.rows.detail || summary.rows.process)
		draw_lines(&summary, canvas, has_graphs);
	else
		canvas_text(canvas, 0, 0, STYLE_DIM, _("no process is selected, or it is not in this sample"),
			    -1);
}

static void why_all(struct buffer *out, const struct table *table, const void *row)
{
	for (unsigned i = 0; row && i < table->schema->n_columns; i++)
		why_number(out, table->schema, row, table->schema->columns[i].key);
}

void process_why(const struct pane_context *context, struct buffer *out)
{
	const struct process_rows rows = process_rows_of(context, context->frame);

	if (rows.process) /* first what is too long for the summary */
		why_number(out, rows.processes->schema, rows.process, "command");
	why_all(out, rows.details, rows.detail);
	why_all(out, rows.processes, rows.process);
}
