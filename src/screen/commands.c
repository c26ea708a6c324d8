/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys that work everywhere, and what they do. */
#include <config.h>

#include "screen/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "screen/overlay.h"
#include "screen/player.h"
#include "screen/session.h"

static void quit(struct pane_context *context)
{
	loop_stop(&context->screen->loop);
}

static void help(struct pane_context *context)
{
	pager_help(context->screen);
}

static void why(struct pane_context *context)
{
	pager_why(context->screen);
}

static void next_pane(struct pane_context *context)
{
	struct screen *screen = context->screen;

	session_choose_pane(screen, (screen->current + 1) % screen->setup->n_panes);
}

static void previous_pane(struct pane_context *context)
{
	struct screen *screen = context->screen;

	session_choose_pane(screen, (screen->current + screen->setup->n_panes - 1) % screen->setup->n_panes);
}

/* Sampling continues behind a frozen screen. */
static void freeze(struct pane_context *context)
{
	session_freeze(context->screen, !context->screen->frozen);
}

static const double delays[] = { 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 3600, 86400 };

#define N_DELAYS (sizeof(delays) / sizeof(delays[0]))

static void slower(struct pane_context *context)
{
	for (size_t i = 0; i < N_DELAYS; i++) {
		if (delays[i] > context->delay_seconds) {
			session_choose_delay(context->screen, delays[i]);
			return;
		}
	}
}

static void faster(struct pane_context *context)
{
	for (size_t i = N_DELAYS; i-- > 0;) {
		if (delays[i] < context->delay_seconds) {
			session_choose_delay(context->screen, delays[i]);
			return;
		}
	}
}

static void remember_search(struct screen *screen, const char *text)
{
	buffer_empty(&screen->search);
	buffer_add(&screen->search, text, strlen(text) + 1);
}

static bool take_search(struct screen *screen, const char *text)
{
	remember_search(screen, text);
	if (*text && !table_search(screen->prompt.widget, text, false)) {
		snprintf(screen->prompt.error, sizeof(screen->prompt.error), _("'%s' not found"), text);
		return false;
	}
	return true;
}

/* Always from where it began: earlier input may have moved the cursor. */
static void look_for(struct screen *screen, const char *text)
{
	remember_search(screen, text);
	table_place_copy(&screen->prompt.widget->place, &screen->prompt.place);
	table_search(screen->prompt.widget, text, false);
}

static void search(struct pane_context *context)
{
	prompt_open(context->screen, _("Search"), "", look_for, take_search);
}

static void search_next(struct pane_context *context)
{
	struct screen *screen = context->screen;

	if (screen->search.length == 0 || !table_search(session_table(screen), screen->search.bytes, true))
		screen_message(screen, MESSAGE_PANE, "%s", _("nothing found; / starts a search"));
}

static bool take_filter(struct screen *screen, const char *text)
{
	int error = table_set_filter(screen->prompt.widget, text);

	if (error)
		regerror(error, NULL, screen->prompt.error, sizeof(screen->prompt.error));
	return !error;
}

static void filter(struct pane_context *context)
{
	const struct table_widget *widget = session_table(context->screen);

	prompt_open(context->screen, _("Filter (regular expression, empty: all rows)"),
		    widget->has_filter ? widget->filter_text.bytes : "", NULL, take_filter);
}

static void sort_left(struct pane_context *context)
{
	table_sort_step(session_table(context->screen), -1);
}

static void sort_right(struct pane_context *context)
{
	table_sort_step(session_table(context->screen), 1);
}

static void reverse(struct pane_context *context)
{
	table_sort_reverse(session_table(context->screen));
}

/* Only those that are drawn. */
static void next_table(struct pane_context *context)
{
	unsigned n_tables = 0;

	while (context->pane->tables[n_tables].topic)
		n_tables++;
	for (unsigned i = 1; i < n_tables; i++) {
		unsigned index = (context->focus + i) % n_tables;
		struct table_widget *widget = &context->tables[index];

		if (widget->heading_y < 0 || widget->view.n_rows == 0)
			continue;
		context->focus = index;
		table_select(widget);
		return;
	}
}

static void choose_columns(struct pane_context *context)
{
	chooser_open(context->screen);
}

static void next_unit(struct pane_context *context)
{
	struct screen *screen = context->screen;

	screen->unit = (enum size_unit)((screen->unit + 1) % N_SIZE_UNITS);
	screen_message(screen, MESSAGE_SCREEN, _("sizes in %s"), size_unit_name(screen->unit));
}

static void next_glyphs(struct pane_context *context)
{
	struct screen *screen = context->screen;

	screen->glyphs = (enum glyph_set)((screen->glyphs + 1) % N_GLYPH_SETS);
	screen_message(screen, MESSAGE_SCREEN, _("glyphs: %s"), glyph_sets[screen->glyphs].name);
}

/* Defaults are not saved: a later version may improve them. */
static void set_changed(struct settings *settings, const char *name, const char *value, const char *usual)
{
	settings_set(settings, name, strcmp(value, usual) == 0 ? NULL : value);
}

static void save_table(struct pane_context *context, unsigned index)
{
	struct settings *settings = context->screen->setup->settings;
	const struct view *view = &context->tables[index].view;
	struct buffer text = { 0 }, usual_text = { 0 };
	struct view usual;
	char name[128];

	view_open(&usual, view->schema);
	session_apply_defaults(context, index, &usual);
	view_write_columns(view, &text);
	view_write_columns(&usual, &usual_text);
	snprintf(name, sizeof(name), "%s.columns", view->schema->name);
	set_changed(settings, name, text.bytes, usual_text.bytes);
	view_write_sort(view, &text);
	view_write_sort(&usual, &usual_text);
	snprintf(name, sizeof(name), "%s.sort", view->schema->name);
	set_changed(settings, name, text.bytes, usual_text.bytes);
	view_close(&usual);
	buffer_free(&usual_text);
	buffer_free(&text);
}

static void save_pane(struct pane_context *context)
{
	if (context->pane->save)
		context->pane->save(context->state, context->screen->setup->settings);
	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		if (session_owns_table(context, i))
			save_table(context, i);
}

static void write_configuration(struct pane_context *context)
{
	struct screen *screen = context->screen;
	const struct screen_setup *setup = screen->setup;
	char text[TEXT_MAX];
	int error;

	set_changed(setup->settings, "pane", context->pane->name, setup->panes[0]->name);
	snprintf(text, sizeof(text), "%g", screen->usual_seconds);
	set_changed(setup->settings, "delay", text, "1");
	set_changed(setup->settings, "unit", size_unit_name(screen->unit), size_unit_name(SIZE_AUTO));
	set_changed(setup->settings, "glyphs", glyph_sets[screen->glyphs].name,
		    glyph_sets[GLYPHS_BLOCK].name);
	for (unsigned p = 0; p < setup->n_panes; p++)
		save_pane(&screen->contexts[p]);
	error = setup->save(setup->settings, text, sizeof(text));
	if (error)
		screen_message(screen, MESSAGE_SCREEN, _("%s could not be written: %s"), text,
			       strerror(-error));
	else
		screen_message(screen, MESSAGE_SCREEN, _("written: %s"), text);
}

static void redraw(struct pane_context *context)
{
	(void)context;
	terminal_resize();
	terminal_redraw();
}

static void play(struct pane_context *context)
{
	player_toggle(context->screen);
}

static void step_back(struct pane_context *context)
{
	player_step(context->screen, -1);
}

static void step_on(struct pane_context *context)
{
	player_step(context->screen, 1);
}

static void go_to(struct pane_context *context)
{
	player_ask_time(context->screen);
}

static const struct binding live_bindings[] = {
	{ ' ', 0, N_("Freeze"), N_("freeze the screen while sampling continues"), freeze },
	{ 0 },
};

static const struct binding replay_bindings[] = {
	{ ' ', 0, N_("Play"), N_("play the recording, or pause"), play },
	{ ',', 0, N_("Back"), N_("one sample back"), step_back },
	{ '.', 0, N_("On"), N_("one sample forward"), step_on },
	{ 'g', 0, N_("Go"), N_("go to a time: 12:03:07, or seconds: +60, -60"), go_to },
	{ 0 },
};

/* The footer always shows the first two: help and quit. */
static const struct binding common_bindings[] = {
	{ K_F1, '?', N_("Help"), N_("all keys, and the purpose of this pane"), help },
	{ 'q', K_F10, N_("Quit"), N_("leave panetop"), quit },
	{ 'i', 0, N_("Why"), N_("source, formula and age of the number under the cursor; all notices"), why },
	{ '/', 0, N_("Search"), N_("search for a row"), search },
	{ 'n', 0, NULL, N_("search for the next match"), search_next },
	{ '\\', K_F4, N_("Filter"), N_("show only rows that match a regular expression"), filter },
	{ '<', 0, NULL, N_("sort by the next column to the left"), sort_left },
	{ '>', 0, N_("Sort"), N_("sort by the next column to the right"), sort_right },
	{ 'r', 'I', NULL, N_("reverse the order"), reverse },
	{ K_F6, 0, NULL, N_("move the cursor to the next table"), next_table },
	{ 'c', 0, N_("Columns"), N_("choose columns and their order"), choose_columns },
	{ 'u', 0, N_("Unit"), N_("unit of sizes"), next_unit },
	{ 'G', 0, NULL, N_("glyphs of graphs and bars: block, braille, ASCII"), next_glyphs },
	{ '+', '=', NULL, N_("longer delay between samples"), slower },
	{ '-', 0, NULL, N_("shorter delay between samples"), faster },
	{ K_TAB, 0, NULL, N_("next pane"), next_pane },
	{ K_BACK_TAB, 0, NULL, N_("previous pane"), previous_pane },
	{ 'w', 'W', NULL, N_("write the configuration file"), write_configuration },
	{ 'L' - '@', 0, NULL, N_("redraw the screen"), redraw },
	{ 'h', 0, NULL, N_("this help"), help },
	{ 0 },
};

struct keymap commands_keymap(bool replay)
{
	return (struct keymap){ .source = replay ? replay_bindings : live_bindings,
				.common = common_bindings };
}
