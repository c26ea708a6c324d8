/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events pane: its tables, options and keys; events_draw.c draws it. */
#include <config.h>

#include "pane/events/events.h"

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "pane/cpu/command_form.h"

static const struct pane_table tables[] = {
	[EVENTS_TABLE_EVENT] = { .topic = "event", .headline = true },
	[EVENTS_TABLE_SOURCE] = { .topic = "event_source", .at_end = true, .option = "statistics" },
	[EVENTS_TABLE_TOTAL] = { .topic = "event_total",
				 .at_end = true,
				 .option = "statistics",
				 .sort = "total" },
	[EVENTS_TABLE_PARENT] = { .topic = "event_parent",
				  .at_end = true,
				  .option = "statistics",
				  .sort = "forks" },
	[EVENTS_TABLE_LIFETIME] = { .topic = "event_lifetime", .at_end = true, .option = "statistics" },
	{ 0 },
};

/* As of --events; the first ones are the default. */
static const struct checklist_item kinds[] = {
	{ "fork", N_("a process is created") },
	{ "exec", N_("a process executes another program") },
	{ "exit", N_("a process exits") },
	{ "core", N_("a process dumps core") },
	{ "ptrace", N_("a process starts or stops tracing another") },
	{ "uid", N_("a process changes its user or group") },
	{ "sid", N_("a process starts a session") },
	{ "exitnonzero", N_("without exit: only nonzero codes, and signals") },
	{ "comm", N_("a process or thread changes its name") },
	{ "clone", N_("a thread starts or exits") },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))
#define USUAL_KINDS 7

/* The kinds on a list; false when a word on it is unknown. */
static bool parse_kinds(const char *list, bool *on)
{
	struct span rest = span_text(list), word;
	bool any = false;

	memset(on, 0, N_KINDS * sizeof(*on));
	while (span_item(&rest, &word)) {
		bool found = false;

		for (unsigned i = 0; i < N_KINDS; i++)
			if (span_is(word, kinds[i].word) ||
			    (span_is(word, "all") && strcmp(kinds[i].word, "exitnonzero") != 0))
				on[i] = found = true;
		if (!found)
			return false;
		any = true;
	}
	return any;
}

static bool valid_kinds(const char *value)
{
	bool on[N_KINDS];

	return parse_kinds(value, on);
}

static bool valid_number(const char *value)
{
	uint64_t number;

	return span_whole_number(value, 1, INT32_MAX, &number);
}

static bool valid_cgroup(const char *value)
{
	return *value == '/';
}

static const struct pane_option options[] = {
	{ "events", "fork,exec,exit,exitnonzero,core,comm,clone,ptrace,uid,sid|all",
	  N_("only these kinds of events"), valid_kinds,
	  N_("use fork, exec, exit, exitnonzero, core, comm, clone, ptrace, uid, sid, or all") },
	{ "group", N_("PGID"), N_("only processes of this process group"), valid_number,
	  N_("use the number of a process group") },
	{ "tree", N_("PID"), N_("only this process and its descendants"), valid_number,
	  N_("use the number of a process") },
	{ "cgroup", N_("CGROUP"), N_("only processes in this control group or below it"), valid_cgroup,
	  N_("use a path as in /proc/PID/cgroup, such as /system.slice") },
	{ "statistics", NULL, N_("print sums by command and parent, and lifetimes, at the end"), NULL, NULL },
	{ "real-time", NULL, N_("read events with real-time priority"), NULL, NULL },
	{ 0 },
};

static void adjust(const struct settings *settings, const struct sample_request *request, struct view *view)
{
	(void)request;
	command_form_apply(settings, "events", view);
}

static void choose_kinds(struct pane_context *context, const bool *on)
{
	char list[128] = "";
	bool usual = true;
	size_t used = 0;

	for (unsigned i = 0; i < N_KINDS; i++) {
		usual &= on[i] == (i < USUAL_KINDS);
		if (on[i])
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used ? "," : "",
						 kinds[i].word);
	}
	if (!*list) {
		screen_message(context->screen, MESSAGE_PANE, "%s", _("no kind selected: nothing changed"));
		return;
	}
	settings_set(context->settings, "events.events", usual ? NULL : list);
	screen_message(context->screen, MESSAGE_PANE, _("from the next sample on: %s"), list);
}

static void ask_kinds(struct pane_context *context)
{
	const char *list = settings_get(context->settings, "events.events");
	bool on[N_KINDS];

	if (!list || !parse_kinds(list, on))
		for (unsigned i = 0; i < N_KINDS; i++)
			on[i] = i < USUAL_KINDS;
	screen_choose(context, _("Events that are wanted"), kinds, on, N_KINDS, choose_kinds);
}

static void act(struct pane_context *context, unsigned index)
{
	(void)index;
	ask_kinds(context);
}

static void show_actions(struct pane_context *context)
{
	const struct menu_item items[] = {
		{ _("Event types"), _("choose the types of events to collect") },
	};

	screen_menu(context, _("Actions"), items, 1, 0, act);
}

static const struct pane_view views[] = {
	[EVENTS_TABLE_EVENT] = { "events", N_("Events"), N_("events one by one"), EVENTS_TABLE_EVENT,
				 .draw = events_draw },
	[EVENTS_TABLE_SOURCE] = { "sources", N_("Sources"), N_("sources of events, and losses"),
				  EVENTS_TABLE_SOURCE, .draw = events_draw },
	[EVENTS_TABLE_TOTAL] = { "totals", N_("By command"), N_("events by command"), EVENTS_TABLE_TOTAL,
				 .draw = events_draw },
	[EVENTS_TABLE_PARENT] = { "parents", N_("Parents"),
				  N_("the parents of new processes, and the memory per fork"),
				  EVENTS_TABLE_PARENT, .draw = events_draw },
	[EVENTS_TABLE_LIFETIME] = { "lifetimes", N_("Lifetimes"), N_("lifetimes of processes"),
				    EVENTS_TABLE_LIFETIME, .draw = events_draw },
	{ 0 },
};

static const struct pane_action pane_actions[] = {
	{ ACTION_ACT, show_actions, NULL, N_("menu of actions: choose the types of events") },
	{ 0 },
};

static const struct pane_setting choices[] = {
	{ "command", N_("Command"), command_form_values, command_form_labels },
	{ "directories", N_("Directories of programs"), command_directory_values, command_directory_labels },
	{ 0 },
};

static const char *refuses(const struct pane_context *context, enum action action)
{
	return action == ACTION_ACT && screen_replays(context)
		       ? _("a recording has only the kinds of events it was made with; \\ filters them")
		       : NULL;
}

static const struct series explained[] = {
	{ "event_total", "all", "forks_per_second" },  { "event_total", "all", "execs_per_second" },
	{ "event_total", "all", "exits_per_second" },  { "event_total", "all", "failures_per_second" },
	{ "event_source", "perf", "lost" },            { "event_source", "connector", "lost" },
	{ "event_source", "panetop", "lost" },         { "event_source", "panetop", "unnamed" },
	{ 0 },
};

static void open_events(struct pane_context *context)
{
	if (settings_get(context->settings, "events.statistics"))
		context->view = context->focus = EVENTS_TABLE_TOTAL;
}

static const char *const settings[] = { "command", "directories", NULL };

const struct pane pane_events = {
	.name = "events",
	.digit = '7',
	.title = N_("Events"),
	.question = N_("Who starts what, and what ends how?"),
	.takes_pid = true,
	.takes_user = true,
	.tables = tables,
	.options = options,
	.settings = settings,
	.explained = explained,
	.views = views,
	.actions = pane_actions,
	.choices = choices,
	.refuses = refuses,
	.open = open_events,
	.adjust = adjust,
};
