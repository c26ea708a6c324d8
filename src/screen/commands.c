/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions behind the actions, and the table that joins the two. */
#include <config.h>

#include "screen/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/span.h"
#include "screen/delay.h"
#include "screen/navigation.h"
#include "screen/overlay.h"
#include "screen/pane_tables.h"
#include "screen/past/compare.h"
#include "screen/past/explaining.h"
#include "screen/past/marked.h"
#include "screen/past/past.h"
#include "screen/past/player.h"
#include "screen/saving.h"
#include "screen/scoping.h"
#include "screen/sorting.h"

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

static void step_pane(struct screen *screen, unsigned step)
{
	unsigned n_panes = screen->setup->n_panes, index = screen->current;

	do
		index = (index + step) % n_panes;
	while (!pane_has_tab(screen->setup->panes[index], screen->setup->request));
	navigation_choose_pane(screen, index);
}

static void next_pane(struct pane_context *context)
{
	step_pane(context->screen, 1);
}

static void previous_pane(struct pane_context *context)
{
	step_pane(context->screen, context->screen->setup->n_panes - 1);
}

static void choose_pane(struct pane_context *context, unsigned index)
{
	navigation_choose_pane(context->screen, index);
}

static void list_panes(struct pane_context *context)
{
	const struct screen_setup *setup = context->screen->setup;
	struct menu_item items[SCREEN_TABS_MAX];
	char texts[SCREEN_TABS_MAX][64];
	unsigned n = 0;

	for (; n < setup->n_panes && n < SCREEN_TABS_MAX; n++) {
		const struct pane *pane = setup->panes[n];

		if (pane->of_hosts && !pane_has_tab(pane, setup->request)) /* it is the last one */
			break;
		snprintf(texts[n], sizeof(texts[n]), "%c %s", pane->digit ? pane->digit : ' ',
			 _(pane->title));
		items[n] = (struct menu_item){ texts[n], _(pane->question) };
	}
	screen_menu(context, _("Panes"), items, n, context->screen->current, choose_pane);
}

static void step_view(struct pane_context *context, unsigned step)
{
	unsigned n = navigation_views(context);

	screen_show_view(context, (context->view + step) % n);
}

static void next_view(struct pane_context *context)
{
	step_view(context, 1);
}

static void previous_view(struct pane_context *context)
{
	step_view(context, navigation_views(context) - 1);
}

static void list_views(struct pane_context *context)
{
	const struct pane_view *views = context->pane->views;
	struct menu_item items[SCREEN_VIEWS_MAX];
	unsigned n = navigation_views(context);

	for (unsigned i = 0; i < n; i++)
		items[i] = (struct menu_item){ _(views[i].title), _(views[i].help) };
	screen_menu(context, _("Views"), items, n, context->view, screen_show_view);
}

/* The view above the shown one; -1: there is none. */
static int view_above(const struct pane_context *context)
{
	if (context->pane->above)
		return context->pane->above(context);
	return context->view == navigation_home(context) ? -1 : (int)navigation_home(context);
}

static void leave_home(struct screen *screen)
{
	if (screen->in_past)
		past_leave(screen);
	else if (screen->current != screen->setup->first_pane)
		navigation_choose_pane(screen, screen->setup->first_pane);
	else if (scope_is_set(screen->setup->request->scope))
		screen_message(screen, MESSAGE_PANE, "%s", _("@ leaves the scope"));
}

/* Out of a filter, of tags, then of a view or a selection, then of the pane. */
static void go_up(struct pane_context *context)
{
	struct screen *screen = context->screen;
	struct table_widget *widget = screen_table(screen);
	bool has_table = !navigation_lacks_table(context);
	bool selected = has_table && widget->place.cursor_on;
	int above = view_above(context);

	if (has_table && widget->has_filter) {
		table_set_filter(widget, "");
		return;
	}
	if (has_table && widget->tags && widget->tags->n > 0) {
		row_tags_clear(widget->tags);
		return;
	}
	if (context->pane->widen && context->pane->widen(context))
		return;
	if (screen->compare.on) {
		compare_leave(screen);
		return;
	}
	if (has_table)
		table_deselect(widget);
	if (above >= 0)
		screen_show_view(context, (unsigned)above);
	else if (!selected && !navigation_go_back(screen))
		leave_home(screen);
}

/* Sampling continues behind a frozen screen. */
static void pause_display(struct pane_context *context)
{
	context->screen->player->pause(context->screen);
}

static bool take_delay(struct screen *screen, const char *text)
{
	double seconds;

	if (*text && !span_whole_seconds(text, DELAY_MIN, DELAY_MAX, &seconds)) {
		snprintf(screen->prompt.error, sizeof(screen->prompt.error), "%s",
			 _("use seconds from 0.05 to 86400"));
		return false;
	}
	if (*text)
		delay_set(screen, seconds);
	return true;
}

static void ask_delay(struct pane_context *context)
{
	char label[TEXT_MAX];

	snprintf(label, sizeof(label), _("Delay in seconds [%g]"), context->delay_seconds);
	prompt_open(context->screen, label, "", NULL, NULL, take_delay);
}

static void remember_search(struct screen *screen, const char *text)
{
	buffer_empty(&screen->search);
	buffer_add(&screen->search, text, strlen(text) + 1);
}

static bool take_search(struct screen *screen, const char *text)
{
	const char *user = screen_context(screen)->request->shown_user;

	remember_search(screen, text);
	if (!*text || table_search(screen->prompt.widget, text, false))
		return true;
	if (user)
		snprintf(screen->prompt.error, sizeof(screen->prompt.error),
			 _("'%s' not found among the processes of %s"), text, user);
	else
		snprintf(screen->prompt.error, sizeof(screen->prompt.error), _("'%s' not found"), text);
	return false;
}

/* Always from where it began: earlier input may have moved the cursor. */
static void look_for(struct screen *screen, const char *text)
{
	remember_search(screen, text);
	table_place_copy(&screen->prompt.widget->place, &screen->prompt.place);
	table_search(screen->prompt.widget, text, false);
}

static void stop_looking(struct screen *screen)
{
	table_place_copy(&screen->prompt.widget->place, &screen->prompt.place);
}

static void search(struct pane_context *context)
{
	prompt_open(context->screen, _("Search"), "", look_for, stop_looking, take_search);
}

static void search_next(struct pane_context *context)
{
	struct screen *screen = context->screen;

	if (screen->search.length == 0 || !table_search(screen_table(screen), screen->search.bytes, true))
		screen_warn(screen, MESSAGE_PANE, "%s", _("nothing found; / starts a search"));
}

static bool take_filter(struct screen *screen, const char *text)
{
	int error = table_set_filter(screen->prompt.widget, text);

	if (error)
		regerror(error, NULL, screen->prompt.error, sizeof(screen->prompt.error));
	return error == 0;
}

/* At every key; what is not a regular expression yet changes nothing. */
static void filter_by(struct screen *screen, const char *text)
{
	table_set_filter(screen->prompt.widget, text);
}

static void restore_filter(struct screen *screen)
{
	table_set_filter(screen->prompt.widget, screen->prompt.filter.bytes);
	table_place_copy(&screen->prompt.widget->place, &screen->prompt.place);
}

static void filter(struct pane_context *context)
{
	const struct table_widget *widget = screen_table(context->screen);
	const char *text = widget->has_filter ? widget->filter_text.bytes : "";
	struct buffer *before = &context->screen->prompt.filter;

	buffer_empty(before);
	buffer_add(before, text, strlen(text) + 1);
	prompt_open(context->screen, _("Filter (regex)"), text, filter_by, restore_filter, take_filter);
}

static void set_fold(struct pane_context *context, bool folded)
{
	if (!table_fold(screen_table(context->screen), folded))
		screen_message(context->screen, MESSAGE_PANE, "%s",
			       folded ? _("nothing to fold here") : _("nothing is folded here"));
}

static void fold(struct pane_context *context)
{
	set_fold(context, true);
}

static void unfold(struct pane_context *context)
{
	set_fold(context, false);
}

static void choose_columns(struct pane_context *context)
{
	chooser_open(context->screen);
}

static void next_unit(struct pane_context *context)
{
	struct screen *screen = context->screen;

	screen->unit = (enum size_unit)((screen->unit + 1) % N_SIZE_UNITS);
	screen_message(screen, MESSAGE_SCREEN, _("sizes in %s"), size_unit_names[screen->unit]);
}

/* Defaults are not saved: a later version may improve them. */
static void set_changed(struct settings *settings, const char *name, const char *value, const char *usual)
{
	settings_set(settings, name, strcmp(value, usual) == 0 ? NULL : value, 0);
}

static void save_table(struct pane_context *context, unsigned index)
{
	struct settings *settings = context->screen->setup->settings;
	const struct view *view = &context->tables[index].view;
	struct buffer text = { 0 }, usual_text = { 0 };
	struct view usual;
	char name[128];

	view_open(&usual, view->schema);
	pane_table_apply_defaults(context, index, &usual);
	view_write_columns(view, &text);
	view_write_columns(&usual, &usual_text);
	snprintf(name, sizeof(name), "%s.columns", pane_table_setting(context, index));
	set_changed(settings, name, text.bytes, usual_text.bytes);
	view_write_sort(view, &text);
	view_write_sort(&usual, &usual_text);
	snprintf(name, sizeof(name), "%s.sort", pane_table_setting(context, index));
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
		if (pane_table_is_home(context, i))
			save_table(context, i);
}

/* The one that is shown, or from which its page was opened. */
static const struct pane *pane_to_start_with(const struct pane_context *context)
{
	const struct screen *screen = context->screen;

	if (pane_has_tab(context->pane, context->request) && !context->pane->of_hosts)
		return context->pane;
	return screen->setup->panes[context->came_from < 0 ? 0 : context->came_from];
}

static const char *theme_name(const struct screen *screen)
{
	return screen->theme == THEME_FILE ? screen->setup->theme_file : theme_names[screen->theme];
}

static void write_configuration(struct pane_context *context)
{
	struct screen *screen = context->screen;
	const struct screen_setup *setup = screen->setup;
	char text[TEXT_MAX];
	int error;

	set_changed(setup->settings, "pane", pane_to_start_with(context)->name, setup->panes[0]->name);
	snprintf(text, sizeof(text), "%g", screen->delay_seconds);
	set_changed(setup->settings, "delay", text, "1");
	set_changed(setup->settings, "unit", size_unit_names[screen->unit], size_unit_names[SIZE_AUTO]);
	set_changed(setup->settings, "glyphs", glyph_set_names[screen->glyphs],
		    glyph_set_names[GLYPHS_BLOCK]);
	set_changed(setup->settings, "theme", theme_name(screen), theme_names[screen->usual_theme]);
	for (unsigned p = 0; p < setup->n_panes; p++)
		save_pane(&screen->contexts[p]);
	error = setup->save(setup->settings, text, sizeof(text));
	if (error)
		screen_warn(screen, MESSAGE_SCREEN, "%s", text);
	else
		screen_message(screen, MESSAGE_SCREEN, _("written: %s"), text);
}

static void redraw(struct pane_context *context)
{
	(void)context;
	terminal_resize();
	terminal_redraw();
}

static void step_back(struct pane_context *context)
{
	player_step(context->screen, -1);
}

static void step_on(struct pane_context *context)
{
	player_step(context->screen, 1);
}

static void minute_back(struct pane_context *context)
{
	player_step_minute(context->screen, -1);
}

static void minute_on(struct pane_context *context)
{
	player_step_minute(context->screen, 1);
}

static void go_to_now(struct pane_context *context)
{
	player_go_to_end(context->screen);
}

static void mark(struct pane_context *context)
{
	compare_mark(context->screen);
}

static void compare(struct pane_context *context)
{
	if (context->screen->compare.on)
		compare_leave(context->screen);
	else
		compare_enter(context->screen);
}

static void explain(struct pane_context *context)
{
	explaining_open(context->screen);
}

static void go_to(struct pane_context *context)
{
	player_ask_time(context->screen);
}

/* As in the configuration file. */
static const char *setting_name(const struct pane_context *context, const struct pane_setting *choice,
				char *name, size_t room)
{
	snprintf(name, room, "%s.%s", context->pane->name, choice->name);
	return name;
}

/* Index of the chosen value; 0 is the default. */
static unsigned chosen_value(const struct settings *settings, const char *name)
{
	const char *const *values = setting_find(name)->choices, *text = settings_text(settings, name);
	unsigned i = 0;

	for (unsigned v = 0; text && values[v]; v++)
		if (strcmp(values[v], text) == 0)
			i = v;
	return i;
}

static void show_options(struct pane_context *context, unsigned current);

static void next_glyphs(struct pane_context *context)
{
	struct screen *screen = context->screen;

	screen->glyphs = (enum glyph_set)((screen->glyphs + 1) % N_GLYPH_SETS);
}

static void next_theme(struct pane_context *context)
{
	struct screen *screen = context->screen;
	unsigned n_themes = *screen->setup->theme_file ? N_THEMES : THEME_FILE;

	screen->theme = (enum theme)((screen->theme + 1) % n_themes);
	theme_open(screen->theme, screen->terminal.color);
	terminal_redraw();
}

static void next_choice(struct pane_context *context, const struct pane_setting *choice)
{
	char name[SETTING_NAME_MAX];
	const char *const *values = setting_find(setting_name(context, choice, name, sizeof(name)))->choices;

	settings_set(context_settings(context), name, values[chosen_value(context->settings, name) + 1], 0);
	screen_adjust(context);
}

static bool is_set_of_words(const struct pane_context *context, const struct pane_setting *choice)
{
	char name[SETTING_NAME_MAX];

	return setting_find(setting_name(context, choice, name, sizeof(name)))->type == SETTING_SET;
}

/* Options of the pane come first. */
static void next_option(struct pane_context *context, unsigned index)
{
	const struct pane_setting *choice = context->pane->choices;
	unsigned n_choices = 0;

	while (choice && choice[n_choices].name)
		n_choices++;
	if (index < n_choices && is_set_of_words(context, &choice[index])) {
		context->pane->ask_setting(context, choice[index].name);
		return;
	}
	if (index < n_choices)
		next_choice(context, &choice[index]);
	else if (index == n_choices)
		next_unit(context);
	else if (index == n_choices + 1)
		next_glyphs(context);
	else
		next_theme(context);
	show_options(context, index);
}

#define OPTIONS_MAX 16

static const char *setting_label(const struct pane_context *context, const struct pane_setting *choice)
{
	char name[SETTING_NAME_MAX];
	const char *text =
		settings_text(context->settings, setting_name(context, choice, name, sizeof(name)));

	if (is_set_of_words(context, choice))
		return text ? text : _(choice->labels[0]);
	return _(choice->labels[chosen_value(context->settings, name)]);
}

static void show_options(struct pane_context *context, unsigned current)
{
	const struct pane_setting *choice = context->pane->choices;
	const struct screen *screen = context->screen;
	struct menu_item items[OPTIONS_MAX];
	unsigned n = 0;

	for (; choice && choice->name && n < OPTIONS_MAX - 3; choice++)
		items[n++] = (struct menu_item){ _(choice->title), setting_label(context, choice) };
	items[n++] = (struct menu_item){ _("Unit of sizes"), size_unit_names[screen->unit] };
	items[n++] = (struct menu_item){ _("Glyphs of graphs and bars"), glyph_set_names[screen->glyphs] };
	items[n++] = (struct menu_item){ _("Colors"), theme_name(screen) };
	screen_menu(context, _("Options: Enter changes one, w on the screen saves them"), items, n, current,
		    next_option);
}

static void choose_options(struct pane_context *context)
{
	show_options(context, 0);
}

void (*commands_act(enum action action))(struct pane_context *context)
{
	/* cppcheck-suppress constVariable */
	static void (*const acts[N_ACTIONS])(struct pane_context * context) = {
		[ACTION_HELP] = help,
		[ACTION_PANES] = list_panes,
		[ACTION_QUIT] = quit,
		[ACTION_UP] = go_up,
		[ACTION_NEXT_PANE] = next_pane,
		[ACTION_PREVIOUS_PANE] = previous_pane,
		[ACTION_NEXT_VIEW] = next_view,
		[ACTION_PREVIOUS_VIEW] = previous_view,
		[ACTION_OPEN] = why, /* where a row leads nowhere: the whole of it */
		[ACTION_VIEWS] = list_views,
		[ACTION_SEARCH] = search,
		[ACTION_SEARCH_NEXT] = search_next,
		[ACTION_FILTER] = filter,
		[ACTION_MORE] = unfold,
		[ACTION_LESS] = fold,
		[ACTION_SORT] = sorting_menu,
		[ACTION_SORT_LEFT] = sorting_left,
		[ACTION_SORT_RIGHT] = sorting_right,
		[ACTION_REVERSE] = sorting_reverse,
		[ACTION_SORT_MEMORY] = sorting_by_memory,
		[ACTION_SORT_CPU] = sorting_by_cpu,
		[ACTION_SORT_TIME] = sorting_by_time,
		[ACTION_SCOPE] = scoping_choose,
		[ACTION_COLUMNS] = choose_columns,
		[ACTION_OPTIONS] = choose_options,
		[ACTION_UNIT] = next_unit,
		[ACTION_DELAY] = ask_delay,
		[ACTION_WHY] = why,
		[ACTION_WRITE] = write_configuration,
		[ACTION_PAUSE] = pause_display,
		[ACTION_STEP_BACK] = step_back,
		[ACTION_STEP_ON] = step_on,
		[ACTION_MINUTE_BACK] = minute_back,
		[ACTION_MINUTE_ON] = minute_on,
		[ACTION_GO_TO] = go_to,
		[ACTION_NOW] = go_to_now,
		[ACTION_SAVE] = saving_ask,
		[ACTION_MARK] = mark,
		[ACTION_COMPARE] = compare,
		[ACTION_EXPLAIN] = explain,
		[ACTION_REDRAW] = redraw,
	};

	return acts[action];
}

const char *commands_refuse(const struct pane_context *context, enum action action)
{
	switch (action) {
	case ACTION_STEP_BACK:
	case ACTION_STEP_ON:
	case ACTION_MINUTE_BACK:
	case ACTION_MINUTE_ON:
	case ACTION_GO_TO:
	case ACTION_EXPLAIN:
		return player_refuses(context->screen);
	case ACTION_COMPARE:
		return marked_exists(context->screen) ? NULL : _("no moment is marked (m marks one)");
	case ACTION_WRITE:
		return context->screen->compare.on ? _("not in a comparison (= leaves it)") : NULL;
	case ACTION_DELAY:
		return screen_is_live(context->screen) ? NULL
						       : _("a recording has the delay it was made with");
	case ACTION_MORE:
	case ACTION_LESS:
		if (screen_table(context->screen)->view.tree_key < 0)
			return _("not a tree (t shows one)");
		return screen_table(context->screen)->place.cursor_on ? NULL
								      : _("select a row of the tree first");
	case ACTION_OPEN:
		return screen_table(context->screen)->place.cursor_on && !navigation_lacks_table(context)
			       ? NULL
			       : _("select a row first");
	case ACTION_NEXT_VIEW:
	case ACTION_PREVIOUS_VIEW:
	case ACTION_VIEWS:
		return navigation_views(context) > 1 ? NULL : _("this pane has one view");
	case ACTION_SEARCH:
	case ACTION_SEARCH_NEXT:
	case ACTION_FILTER:
	case ACTION_SORT:
	case ACTION_SORT_LEFT:
	case ACTION_SORT_RIGHT:
	case ACTION_REVERSE:
	case ACTION_SORT_MEMORY:
	case ACTION_SORT_CPU:
	case ACTION_SORT_TIME:
	case ACTION_COLUMNS:
		return navigation_lacks_table(context) ? _("this view has no table") : NULL;
	default:
		return NULL;
	}
}
