/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events pane: its tables, options and views; events_draw.c draws it. */
#include <config.h>

#include "pane/events/events.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "pane/cpu/command_form.h"
#include "pane/process/process_open.h"

#define KINDS_SETTING "events.events"

/* Only the ends of processes. */
#define ENDS(marks, kept, empty)                                                                             \
	{                                                                                                    \
		.topic = "event", .lazy = true,                                                              \
		.columns = "mark,time,duration_seconds,status,parent,command", .only_column = "mark",        \
		.only = (marks), .setting = (kept), .waits = (empty), .cell_style = events_cell_style        \
	}

static const struct pane_table tables[] = {
	[EVENTS_TABLE_EVENT] = { .topic = "event",
				 .headline = true,
				 .waits = N_("waiting for the first event"),
				 .cell_style = events_cell_style },
	[EVENTS_TABLE_ENDED] = ENDS("-,!", "events.processes", N_("waiting for the first process to end")),
	[EVENTS_TABLE_FAILED] = ENDS("!", "events.failed", N_("no process has failed")),
	[EVENTS_TABLE_SOURCE] = { .topic = "event_source", .at_end = true, .option = "statistics" },
	[EVENTS_TABLE_TOTAL] = { .topic = "event_total",
				 .at_end = true,
				 .option = "statistics",
				 .sort = "total" },
	[EVENTS_TABLE_PARENT] = { .topic = "event_parent",
				  .at_end = true,
				  .option = "statistics",
				  .sort = "forks",
				  .waits = N_("waiting for the first fork") },
	[EVENTS_TABLE_LIFETIME] = { .topic = "event_lifetime", .at_end = true, .option = "statistics" },
	[EVENTS_TABLE_WATCH] = { .topic = "watch", .lazy = true, .waits = N_("no rule has fired") },
	[EVENTS_TABLE_SLEEP] = { .topic = "sleep",
				 .lazy = true,
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
	struct table_widget *widget = &context->tables[context->focus];
	const struct table *table = context_table(context, context->focus);
	const struct column *column;
	const void *row;

	table_select(widget);
	row = widget->place.cursor_on && table ? table_cell(widget, &column) : NULL;
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
