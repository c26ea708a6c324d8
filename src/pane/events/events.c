/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events pane: its tables, options and views, with rates and losses above them. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "pane/common.h"
#include "pane/processes.h"

/* Tables of the topics event, watch and sleep are the log of the whole run. */
enum events_table {
	EVENTS_TABLE_EVENT,
	EVENTS_TABLE_ENDED,  /* of its rows only the ends of processes */
	EVENTS_TABLE_FAILED, /* … only those that failed */
	EVENTS_TABLE_SOURCE,
	EVENTS_TABLE_TOTAL,
	EVENTS_TABLE_PARENT,
	EVENTS_TABLE_LIFETIME,
	EVENTS_TABLE_WATCH,
	EVENTS_TABLE_SLEEP,
	EVENTS_TABLE_SUSPEND,
	EVENTS_TABLE_WAKE_SOURCE,
};

struct events_state {
	uint64_t since_ns; /* wall clock of the first sample with events; 0: none yet */
};

#define TABLE_LINES_MIN 4
#define RULE_FROM_LINES 6
#define BOUNDS_CELLS 38 /* bounds, exits and share */
#define BAR_CELLS_MIN 10

static double sum(const struct table *table, const char *column)
{
	double all = NAN;

	for (size_t i = 0; i < table->n_rows; i++) {
		double value = table_number(table, table_row(table, i), column);

		if (!isnan(value))
			all = isnan(all) ? value : all + value;
	}
	return all;
}

/* "lost 3  fork 312/s  exec 148/s  exit 309/s  failed 4/s": where they come from is in the view Sources. */
static const struct remark headline[] = {
	{ "lost > 0", N_("lost {lost}"), .rules = "lost_events" },
	{ .text = N_("fork {forks_per_second}") },
	{ .text = N_("exec {execs_per_second}") },
	{ .text = N_("exit {exits_per_second}") },
	{ "failures_per_second > 0", N_("failed {failures_per_second}"), .rules = "failing_command" },
	{ "not failures_per_second > 0", N_("failed {failures_per_second}") },
};

static void draw_headline(const struct canvas *canvas, const struct frame *frame, const struct table *sources)
{
	const struct table *totals = frame_table(frame, "event_total");
	struct text_flow flow = text_flow_of_pieces(canvas, 0, 1);
	const struct made_fact lost = {
		"lost", { .number = sum(sources, "lost") },
		"event_source.perf.lost + event_source.connector.lost + event_source.panetop.lost"
	};
	const void *all = totals ? table_find(totals, "all", NULL) : NULL;
	const struct row_facts facts = { { row_fact }, totals, all, &lost, 1, frame };

	for (size_t i = 0; i < sizeof(headline) / sizeof(headline[0]); i++) {
		struct remark piece = headline[i];

		if (piece.rules)
			piece.level = (int)graph_grade_style(grade_of_rules(frame, piece.rules, false),
							     STYLE_STRONG);
		text_flow_say(&flow, &piece, 1, &facts.facts);
	}
}

/* Returns what is left below it. */
static struct canvas draw_rates(const struct pane_context *context, const struct canvas *canvas)
{
	const struct table *sources = frame_table(context->frame, "event_source");
	bool drawn = canvas->height > TABLE_LINES_MIN && sources && sources->n_rows > 0;

	if (drawn)
		draw_headline(canvas, context->frame, sources);
	return canvas_rows(canvas, drawn, canvas->height - drawn);
}

static void events_draw(const struct pane_context *context, struct canvas *canvas)
{
	const struct pane_view *view = &context->pane->views[context->view];
	struct canvas below = draw_rates(context, canvas);
	char title[TEXT_MAX];

	view->heading(context, title, sizeof(title));
	context_draw_titled(context, &below, view->table, title);
}

static bool is_key(const struct column *column, const char *key)
{
	return strcmp(column->key, key) == 0;
}

/* Failed ends show their code in red, forks are dim, execs bold. */
static enum style events_cell_style(const struct findings *findings, const struct schema *schema,
				    const struct column *column, const void *row)
{
	const char *mark = row_text(row, schema_known_column(schema, "mark"));
	bool status = is_key(column, "mark") || is_key(column, "status") || is_key(column, "info");

	(void)findings;
	switch (mark ? *mark : ' ') {
	case '!':
	case 'C':
		return status ? STYLE_FAILED : is_key(column, "parent") ? STYLE_DIM : STYLE_NORMAL;
	case '+':
		return STYLE_DIM;
	case '>':
		return is_key(column, "event") || strstr(column->key, "command") ||
				       strstr(column->key, "program")
			       ? STYLE_STRONG
			       : STYLE_NORMAL;
	default:
		return is_key(column, "parent") ? STYLE_DIM : STYLE_NORMAL;
	}
}

/* "1 ms", "100 s", "17 min", "2.8 h", "1.2 d". */
static void bound_text(char *out, size_t room, double seconds)
{
	static const struct {
		double from, unit;
		const char *format;
	} units[] = { { 86400, 86400, "%.2g d" },
		      { 3600, 3600, "%.2g h" },
		      { 300, 60, "%.2g min" },
		      { 1, 1, "%.3g s" },
		      { 0, 0.001, "%.3g ms" } };
	unsigned i = 0;

	*out = '\0';
	if (isnan(seconds))
		return;
	if (!(seconds > 0)) {
		snprintf(out, room, "0");
		return;
	}
	while (seconds < units[i].from)
		i++;
	snprintf(out, room, units[i].format, seconds / units[i].unit);
}

/* Over the numbers of the table, which are exact but hard to read. */
static void draw_bounds(const struct table_widget *widget, const struct canvas *canvas, int y,
			const void *row)
{
	bool selected = widget->place.cursor_on && widget->place.row == widget->place.top + (size_t)y - 1;

	for (unsigned i = 0; i < widget->n_slots; i++) {
		const struct table_slot *slot = &widget->slots[i];
		const struct column *column =
			&widget->view.schema->columns[widget->view.columns[slot->column]];
		enum style style = !selected                        ? STYLE_NORMAL
				   : slot->column == widget->column ? STYLE_CELL
								    : STYLE_ROW;
		char text[VALUE_TEXT_MAX];

		if (column->unit != UNIT_SECONDS || !row_is_known(row, column))
			continue;
		bound_text(text, sizeof(text), row_f64(row, column));
		canvas_fill(canvas, y, slot->x, style, ' ', slot->width);
		canvas_right(canvas, y, slot->x, slot->width, style, text);
	}
}

static void events_draw_lifetimes(const struct pane_context *context, struct canvas *canvas)
{
	struct table_widget *widget = &context->tables[EVENTS_TABLE_LIFETIME];
	struct canvas below = draw_rates(context, canvas);
	bool has_bars = canvas->width >= BOUNDS_CELLS + BAR_CELLS_MIN;
	struct canvas left;
	char title[TEXT_MAX];
	double most = 0;

	if (below.height >= RULE_FROM_LINES) {
		context->pane->views[context->view].heading(context, title, sizeof(title));
		canvas_rule(&below, 0, title, "");
		below = canvas_rows(&below, 1, below.height - 1);
	}
	left = canvas_part(&below, 0, 0, below.height, has_bars ? BOUNDS_CELLS : below.width);
	context_draw_table(context, &left, EVENTS_TABLE_LIFETIME);
	for (size_t i = 0; i < widget->view.n_rows; i++)
		most = fmax(most, row_number(widget->view.rows[i],
					     schema_known_column(widget->view.schema, "exits")));
	for (int y = 1; y <= widget->page && widget->place.top + (size_t)y <= widget->view.n_rows; y++) {
		const void *row = widget->view.rows[widget->place.top + (size_t)y - 1];
		double exits = row_number(row, schema_known_column(widget->view.schema, "exits"));
		const struct graph_part part = { .letter = '#', .value = exits };
		int x = BOUNDS_CELLS + CANVAS_GAP;

		draw_bounds(widget, &left, y, row);
		if (has_bars && exits > 0)
			graph_bar(&below, y, x, below.width - x, &part, 1, most);
	}
}

/* "asleep 3.2 h since boot  suspends 12  states freeze mem  mem is s2idle [deep]". */
static const struct remark pieces[] = {
	{ "asleep_seconds", N_("asleep {asleep_seconds} since boot"), .level = STYLE_STRONG },
	{ "suspends", N_("suspends {suspends}") },
	{ "failures > 0", N_("failed {failures}"), .level = STYLE_STRONG },
	{ "states", N_("states {states}"), .level = STYLE_DIM },
	{ "mem_sleep", N_("mem is {mem_sleep}"), .level = STYLE_DIM },
};

/* What it slept counts, whatever it can do now. */
static void draw_head(const struct canvas *canvas, const struct table *table, const void *row)
{
	const struct row_facts facts = { .facts = { row_fact }, .table = table, .row = row };
	bool known = row_is_known(row, schema_known_column(table->schema, "states"));
	struct text_flow flow = text_flow_of_pieces(canvas, 0, 1);

	if (sentence_holds("states", &facts.facts) || sentence_holds("asleep_seconds > 0", &facts.facts))
		text_flow_say(&flow, REMARKS(pieces), &facts.facts);
	else
		canvas_cut(canvas, 0, 0, STYLE_DIM,
			   known ? _("This machine cannot sleep (no sleep states), but its clock may be set.")
				 : _("Whether it can sleep is not known (/sys/power/state cannot be read)."),
			   canvas->width);
}

static void events_draw_sleep(const struct pane_context *context, struct canvas *canvas)
{
	const struct pane_view *view = &context->pane->views[context->view];
	const struct table *table = frame_table(context->frame, "suspend");
	bool headed = table && table->n_rows > 0 && canvas->height > TABLE_LINES_MIN;
	struct canvas below = canvas_rows(canvas, headed, canvas->height - headed);
	char title[TEXT_MAX];

	if (headed)
		draw_head(canvas, table, table_row(table, 0));
	view->heading(context, title, sizeof(title));
	context_draw_titled(context, &below, view->table, title);
}

#define KINDS_SETTING "events.events"

/* Only the ends of processes. */
#define ENDS(marks, kept, empty)                                                                             \
	{                                                                                                    \
		.topic = "event", .lazy = true,                                                              \
		.columns = "mark,time,duration_seconds,status,parent,command", .only_column = "mark",        \
		.only = (marks), .setting = (kept), .waits = (empty), .cell_style = events_cell_style        \
	}

static const struct pane_table tables[] = {
	[EVENTS_TABLE_EVENT] = { .topic = "event", .headline = true,
				 .waits = N_("waiting for the first event"),
				 .cell_style = events_cell_style },
	[EVENTS_TABLE_ENDED] = ENDS("-,!", "events.processes", N_("waiting for the first process to end")),
	[EVENTS_TABLE_FAILED] = ENDS("!", "events.failed", N_("no process has failed")),
	[EVENTS_TABLE_SOURCE] = { .topic = "event_source", .at_end = true, .option = "statistics" },
	[EVENTS_TABLE_TOTAL] = { .topic = "event_total", .at_end = true, .option = "statistics",
				 .sort = "total" },
	[EVENTS_TABLE_PARENT] = { .topic = "event_parent", .at_end = true, .option = "statistics",
				  .sort = "forks", .waits = N_("waiting for the first fork") },
	[EVENTS_TABLE_LIFETIME] = { .topic = "event_lifetime", .at_end = true, .option = "statistics" },
	[EVENTS_TABLE_WATCH] = { .topic = "watch", .lazy = true, .waits = N_("no rule has fired") },
	[EVENTS_TABLE_SLEEP] = { .topic = "sleep", .lazy = true,
				 .waits = N_("no sleep and no set clock so far") },
	[EVENTS_TABLE_SUSPEND] = { .topic = "suspend", .lazy = true },
	[EVENTS_TABLE_WAKE_SOURCE] = { .topic = "wake_source", .lazy = true, .sort = "events" },
	{ 0 },
};

static const char *const kinds_help[N_EVENT_CHOICES] = {
	[CHOSEN_FORK] = N_("a process is created"),
	[CHOSEN_EXEC] = N_("a process executes another program"),
	[CHOSEN_EXIT] = N_("a process exits"),
	[CHOSEN_CORE] = N_("a process dumps core"),
	[CHOSEN_PTRACE] = N_("a process starts or stops tracing another"),
	[CHOSEN_UID] = N_("a process changes its user or group"),
	[CHOSEN_SID] = N_("a process starts a session"),
	[CHOSEN_EXITNONZERO] = N_("without exit: only nonzero codes, and signals"),
	[CHOSEN_COMM] = N_("a process or thread changes its name"),
	[CHOSEN_CLONE] = N_("a thread starts or exits"),
};

static void adjust(const struct settings *settings, const struct sample_request *request, struct view *view)
{
	(void)request;
	command_form_apply(&settings->events.command, view);
}

static void choose_kinds(struct pane_context *context, const bool *on)
{
	const struct setting *setting = setting_find(KINDS_SETTING);
	unsigned bits = 0;
	char list[128] = "";
	size_t used = 0;

	for (unsigned i = 0; i < N_EVENT_CHOICES; i++) {
		if (!on[i])
			continue;
		bits |= 1U << i;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used ? "," : "",
					 setting->choices[i]);
	}
	if (!*list) {
		screen_warn(context->screen, MESSAGE_PANE, "%s", _("no type selected: nothing changed"));
		return;
	}
	settings_set(context_settings(context), KINDS_SETTING,
		     bits == (unsigned)setting->usual ? NULL : list, 0);
	screen_message(context->screen, MESSAGE_PANE, _("from the next sample on: %s"), list);
}

/* When listening began: so long ago that the mean rate gives the sum. 0: no event yet. */
static uint64_t listening_since(const struct pane_context *context)
{
	double total = frame_number(context->frame, "event_total", "all", "total");
	double rate = frame_number(context->frame, "event_total", "all", "mean_per_second");

	return total > 0 && rate > 0 ? context->frame->wall_ns - (uint64_t)(total / rate * 1e9) : 0;
}

/* A full log has lost its oldest rows. */
static uint64_t log_since(const struct pane_context *context)
{
	const struct table *log = context_table(context, EVENTS_TABLE_EVENT);

	return log && log->n_dropped > 0 && log->n_rows > 0 ? table_u64(log, table_row(log, 0), "time") : 0;
}

enum {
	VIEW_PROCESSES,
	VIEW_FAILED,
	VIEW_EVENTS,
	VIEW_TOTALS,
	VIEW_PARENTS,
	VIEW_LIFETIMES,
	VIEW_SOURCES,
	VIEW_RULES,
	VIEW_SLEEP,
};

static const struct heading {
	const char *title;
	uint64_t (*since_ns)(const struct pane_context *context); /* 0: since there are events */
} headings[] = {
	[VIEW_PROCESSES] = { N_("processes that ended"), log_since },
	[VIEW_FAILED] = { N_("processes that failed"), log_since },
	[VIEW_EVENTS] = { N_("events"), log_since },
	[VIEW_TOTALS] = { N_("by command"), listening_since },
	[VIEW_PARENTS] = { N_("processes that fork"), listening_since },
	[VIEW_LIFETIMES] = { N_("lifetimes of processes that ended"), listening_since },
	[VIEW_SOURCES] = { N_("sources of events"), listening_since },
	[VIEW_RULES] = { N_("rules of --when that fired"), NULL },
	[VIEW_SLEEP] = { N_("sleeps, and clocks that were set"), NULL },
};

static void head(const struct pane_context *context, char *text, size_t room)
{
	const struct heading *heading = &headings[context->view];
	const struct events_state *events = context->state;
	uint64_t since_ns = heading->since_ns ? heading->since_ns(context) : 0;
	char time[CLOCK_TEXT_MAX];

	since_ns = since_ns || !heading->since_ns ? since_ns : events->since_ns;
	clock_local(time, since_ns, "%H:%M:%S");
	if (since_ns)
		snprintf(text, room, _("%s since %s"), _(heading->title), time);
	else
		snprintf(text, room, "%s", _(heading->title));
}

/* The only setting that is not one of a few. */
static void ask_kinds(struct pane_context *context, const char *name)
{
	static struct checklist_item kinds[N_EVENT_CHOICES];
	unsigned chosen = context->settings->topic.event.kinds;
	bool on[N_EVENT_CHOICES];

	(void)name;
	if (screen_replays(context)) {
		screen_warn(context->screen, MESSAGE_PANE, "%s",
			    _("a recording has only the types of events it was made with; \\ filters them"));
		return;
	}
	for (unsigned i = 0; i < N_EVENT_CHOICES; i++) {
		kinds[i] = (struct checklist_item){ setting_find(KINDS_SETTING)->choices[i], kinds_help[i] };
		on[i] = chosen >> i & 1;
	}
	screen_choose(context, _("Event types"), kinds, on, N_EVENT_CHOICES, choose_kinds);
}

/* The newest one, if none is selected. */
static void open_process(struct pane_context *context)
{
	const struct table *table;
	const void *row = process_select_row(context, &table);

	if (!row || !process_open_of_event(context, table, row))
		screen_warn(context->screen, MESSAGE_PANE, "%s",
			    _("select an event of a process first, with the arrows or the mouse"));
}

static const struct pane_action log_actions[] = {
	{ ACTION_OPEN, open_process, NULL, N_("open the process of the selected event") },
	{ 0 },
};

static const struct pane_view views[] = {
	[VIEW_PROCESSES] = { "processes", N_("Processes"), N_("each process as it ends: how long, and how"),
			     EVENTS_TABLE_ENDED, .heading = head, .actions = log_actions,
			     .draw = events_draw },
	[VIEW_FAILED] = { "failed", N_("Failed"),
			  N_("processes that exited with a nonzero code or by a signal"), EVENTS_TABLE_FAILED,
			  .heading = head, .actions = log_actions, .draw = events_draw },
	[VIEW_EVENTS] = { "events", N_("Events"), N_("events one by one"), EVENTS_TABLE_EVENT,
			  .heading = head, .actions = log_actions, .draw = events_draw },
	[VIEW_TOTALS] = { "totals", N_("By command"), N_("forks, execs, exits and failures of each command"),
			  EVENTS_TABLE_TOTAL, .heading = head, .draw = events_draw },
	[VIEW_PARENTS] = { "parents", N_("Parents"),
			   N_("processes that fork, and the page tables that each fork copies"),
			   EVENTS_TABLE_PARENT, .heading = head, .draw = events_draw },
	[VIEW_LIFETIMES] = { "lifetimes", N_("Lifetimes"), N_("how long processes lived"),
			     EVENTS_TABLE_LIFETIME, .heading = head, .draw = events_draw_lifetimes },
	[VIEW_SOURCES] = { "sources", N_("Sources"), N_("sources of events, and losses"),
			   EVENTS_TABLE_SOURCE, .heading = head, .draw = events_draw },
	[VIEW_RULES] = { "rules", N_("Rules"),
			 N_("what rules of --when fired, and what became of their commands"),
			 EVENTS_TABLE_WATCH, .heading = head, .draw = events_draw },
	[VIEW_SLEEP] = { "sleep", N_("Sleep"),
			 N_("when the machine slept and what woke it up, and when its clock was set"),
			 EVENTS_TABLE_SLEEP, .also = 1UL << EVENTS_TABLE_SUSPEND, .heading = head,
			 .draw = events_draw_sleep },
	{ "wakesources", N_("Wake sources"), N_("what may wake up the machine, or keeps it awake now"),
	  EVENTS_TABLE_WAKE_SOURCE, .more = true },
	{ 0 },
};

static const char *const type_labels[] = { N_("the usual ones") };

static const struct pane_setting choices[] = {
	{ "events", N_("Event types"), type_labels },
	{ "command", N_("Command"), command_form_labels },
	{ "directories", N_("Directories of programs"), command_directory_labels },
	{ 0 },
};

static void open_events(struct pane_context *context)
{
	if (!context->settings->events.statistics)
		return;
	context->view = VIEW_TOTALS;
	context->focus = EVENTS_TABLE_TOTAL;
}

static void sampled(struct pane_context *context, const struct frame *frame)
{
	struct events_state *events = context_state(context);

	if (frame_table(frame, "event") && (events->since_ns == 0 || frame->wall_ns < events->since_ns))
		events->since_ns = frame->wall_ns;
}

const struct pane pane_events = {
	.name = "events",
	.digit = '7',
	.title = N_("Events"),
	.question = N_("Who starts what, and what ends how?"),
	.tables = tables,
	.views = views,
	.choices = choices,
	.ask_setting = ask_kinds,
	.state_size = sizeof(struct events_state),
	.open = open_events,
	.adjust = adjust,
	.sampled = sampled,
};
