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

static void show(struct pane_context *context, unsigned table)
{
	struct events_state *events = context->state;

	events->view = events->view == table ? EVENTS_TABLE_EVENT : table;
	context->focus = events->view;
}

static void show_totals(struct pane_context *context)
{
	show(context, EVENTS_TABLE_TOTAL);
}

static void show_parents(struct pane_context *context)
{
	show(context, EVENTS_TABLE_PARENT);
}

static void show_lifetimes(struct pane_context *context)
{
	show(context, EVENTS_TABLE_LIFETIME);
}

static void show_sources(struct pane_context *context)
{
	show(context, EVENTS_TABLE_SOURCE);
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

static const struct binding bindings[] = {
	{ 'e', 0, N_("Events"), N_("choose the kinds of events"), ask_kinds },
	{ 's', 0, N_("Statistics"), N_("events by command, or one by one"), show_totals },
	{ 'P', 0, N_("Parents"), N_("the parents of new processes, and the memory per fork"), show_parents },
	{ 'L', 0, N_("Lives"), N_("lifetimes of processes"), show_lifetimes },
	{ 'o', 0, N_("Sources"), N_("sources of events, and losses"), show_sources },
	{ 0 },
};

static const struct binding secondary_bindings[] = {
	{ 'l', 0, N_("Command"), N_("full command lines"), command_form_lines },
	{ 'b', 0, N_("Command"), N_("only the first word of command lines"), command_form_programs },
	{ 'C', 0, N_("Command"), N_("only the names of processes"), command_form_names },
	{ 'd', 0, N_("Command"), N_("programs with or without their directories"), command_form_directories },
	{ 0 },
};

static const char *refuses_key(const struct pane_context *context, const struct binding *binding)
{
	return binding->act == ask_kinds && screen_replays(context)
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
	struct events_state *events = context->state;

	events->view = context->focus = settings_get(context->settings, "events.statistics")
						? EVENTS_TABLE_TOTAL
						: EVENTS_TABLE_EVENT;
}

static const char *const settings[] = { "command", "directories", NULL };

const struct pane pane_events = {
	.name = "events",
	.title = N_("Events"),
	.question = N_("Who starts what, and what ends how?"),
	.takes_pid = true,
	.takes_user = true,
	.tables = tables,
	.options = options,
	.settings = settings,
	.explained = explained,
	.bindings = bindings,
	.secondary_bindings = secondary_bindings,
	.refuses_key = refuses_key,
	.state_size = sizeof(struct events_state),
	.open = open_events,
	.adjust = adjust,
	.draw = events_draw,
};
