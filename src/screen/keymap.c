/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a key or click to what gets it, the innermost first, or to the sentence why nothing does. */
#include <config.h>

#include "screen/keymap.h"

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/span.h"
#include "screen/navigation.h"
#include "screen/overlay.h"
#include "screen/pane_tables.h"
#include "screen/past/compare.h"
#include "screen/past/explaining.h"
#include "screen/past/past.h"
#include "screen/past/player.h"
#include "screen/past/timeline.h"
#include "screen/saving.h"
#include "screen/scoping.h"
#include "screen/subscriptions.h"

static const struct pane_action *find_in(const struct pane_action *list, enum action action)
{
	for (; list && list->act; list++)
		if (list->action == action)
			return list;
	return NULL;
}

static void quit(struct pane_context *context)
{
	loop_stop(&context->screen->loop);
}

static void step_pane(struct pane_context *context, int step)
{
	struct screen *screen = context->screen;
	unsigned n_panes = screen->setup->n_panes, index = screen->current;

	do
		index = (index + n_panes + (unsigned)step) % n_panes;
	while (!pane_has_tab(screen->setup->panes[index], screen->setup->request));
	navigation_choose_pane(screen, index);
}

static void take_pane(struct pane_context *context, unsigned index)
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
	screen_menu(context, _("Panes"), items, n, context->screen->current, take_pane);
}

static void step_view(struct pane_context *context, int step)
{
	unsigned n = navigation_views(context);

	screen_show_view(context, (context->view + n + (unsigned)step) % n);
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
		compare_turn(screen, false);
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

static void fold(struct pane_context *context, int step)
{
	if (!table_fold(screen_table(context->screen), step < 0))
		screen_message(context->screen, MESSAGE_PANE, "%s",
			       step < 0 ? _("nothing to fold here") : _("nothing is folded here"));
}

/* The first pane that binds this action for all its views. */
static struct pane_context *pane_that_binds(struct screen *screen, enum action action)
{
	unsigned p = 0;

	while (p + 1 < screen->setup->n_panes && !find_in(screen->setup->panes[p]->actions, action))
		p++;
	return &screen->contexts[p];
}

void screen_act_on_subject(struct pane_context *context, int action)
{
	struct pane_context *processes = pane_that_binds(context->screen, ACTION_NICER);
	const struct pane_action *bound = find_in(processes->pane->actions, (enum action)action);
	struct subject subject;

	if (!bound || screen_subject(context, &subject))
		return;
	screen_select_subject(context, &subject);
	processes->given = subject.process;
	bound->act(processes);
	processes->given.is_set = false;
}

/* The view of the page of a process that this action opens. */
static void open_view(struct pane_context *context, int action)
{
	struct screen *screen = context->screen;
	struct subject subject;

	if (screen_subject(context, &subject))
		return;
	screen_select_subject(context, &subject);
	for (unsigned p = 0; p < screen->setup->n_panes; p++) {
		const struct pane *pane = screen->setup->panes[p];

		for (unsigned v = 0; pane->views && pane->views[v].name; v++) {
			if (pane->views[v].opened_by != (enum action)action)
				continue;
			if (pane != context->pane || subject.row)
				screen_open(context, pane->name, &subject.process);
			screen_show_view(&screen->contexts[p], v);
			screen_message(screen, MESSAGE_PANE, "%s", _(pane->views[v].help));
		}
	}
}

static void fold_all(struct pane_context *context)
{
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       table_fold_all(screen_table(context->screen))
			       ? _("the whole tree is folded; + unfolds a row, * all of it")
			       : _("the whole tree is unfolded"));
}

/* In all panes. */
static void toggle_kernel_threads(struct pane_context *context)
{
	struct screen *screen = context->screen;
	bool hidden = !context->settings->kernel_threads;

	settings_set(context_settings(context), "kernel-threads", hidden ? "hidden" : NULL, 0);
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		screen_adjust(&screen->contexts[p]);
	screen_message(screen, MESSAGE_SCREEN, "%s",
		       hidden ? _("kernel threads are hidden; K shows them") : _("kernel threads are shown"));
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

static void go_to_now(struct pane_context *context)
{
	player_go_to_end(context->screen);
}

static void compare(struct pane_context *context)
{
	compare_turn(context->screen, !context->screen->compare.on);
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
		context->screen->glyphs = (enum glyph_set)((context->screen->glyphs + 1) % N_GLYPH_SETS);
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

/* What an action needs to have an effect. */
enum need {
	NEEDS_NOTHING,
	NEEDS_PAST,
	NEEDS_MARK,
	NEEDS_SAMPLES, /* no comparison */
	NEEDS_LIVE,
	NEEDS_TREE,
	NEEDS_TREE_ROW,
	NEEDS_ROW,
	NEEDS_VIEWS,
	NEEDS_TABLE,
	NEEDS_PROCESS,
	NEEDS_LIVE_PROCESS,
};

/* Without either function panes alone have this action. */
static const struct command {
	void (*act)(struct pane_context *context);
	enum need need;
	void (*move)(struct pane_context *context, int step);
	int step; /* or what it is done with */
} commands[N_ACTIONS] = {
	[ACTION_HELP] = { pager_help },
	[ACTION_PANES] = { list_panes },
	[ACTION_QUIT] = { quit },
	[ACTION_UP] = { go_up },
	[ACTION_NEXT_PANE] = { .move = step_pane, .step = 1 },
	[ACTION_PREVIOUS_PANE] = { .move = step_pane, .step = -1 },
	[ACTION_NEXT_VIEW] = { NULL, NEEDS_VIEWS, step_view, 1 },
	[ACTION_PREVIOUS_VIEW] = { NULL, NEEDS_VIEWS, step_view, -1 },
	[ACTION_OPEN] = { pager_why, NEEDS_ROW }, /* where a row leads nowhere: the whole of it */
	[ACTION_VIEWS] = { list_views, NEEDS_VIEWS },
	[ACTION_SEARCH] = { search, NEEDS_TABLE },
	[ACTION_SEARCH_NEXT] = { search_next, NEEDS_TABLE },
	[ACTION_FILTER] = { filter, NEEDS_TABLE },
	[ACTION_MORE] = { NULL, NEEDS_TREE_ROW, fold, 1 },
	[ACTION_LESS] = { NULL, NEEDS_TREE_ROW, fold, -1 },
	[ACTION_FOLD_ALL] = { fold_all, NEEDS_TREE },
	[ACTION_SORT] = { sorting_menu, NEEDS_TABLE },
	[ACTION_SORT_LEFT] = { NULL, NEEDS_TABLE, sorting_step, -1 },
	[ACTION_SORT_RIGHT] = { NULL, NEEDS_TABLE, sorting_step, 1 },
	[ACTION_REVERSE] = { sorting_reverse, NEEDS_TABLE },
	[ACTION_SORT_MEMORY] = { NULL, NEEDS_TABLE, sorting_by, SORTING_MEMORY },
	[ACTION_SORT_CPU] = { NULL, NEEDS_TABLE, sorting_by, SORTING_CPU },
	[ACTION_SORT_TIME] = { NULL, NEEDS_TABLE, sorting_by, SORTING_TIME },
	[ACTION_ACT] = { NULL, NEEDS_LIVE_PROCESS, screen_act_on_subject, ACTION_ACT },
	[ACTION_LESS_NICE] = { NULL, NEEDS_LIVE_PROCESS, screen_act_on_subject, ACTION_LESS_NICE },
	[ACTION_NICER] = { NULL, NEEDS_LIVE_PROCESS, screen_act_on_subject, ACTION_NICER },
	[ACTION_AFFINITY] = { NULL, NEEDS_LIVE_PROCESS, screen_act_on_subject, ACTION_AFFINITY },
	[ACTION_FILES] = { NULL, NEEDS_PROCESS, open_view, ACTION_FILES },
	[ACTION_ENVIRONMENT] = { NULL, NEEDS_PROCESS, open_view, ACTION_ENVIRONMENT },
	[ACTION_SCOPE] = { scoping_choose },
	[ACTION_KERNEL_THREADS] = { toggle_kernel_threads },
	[ACTION_COLUMNS] = { chooser_open, NEEDS_TABLE },
	[ACTION_OPTIONS] = { choose_options },
	[ACTION_UNIT] = { next_unit },
	[ACTION_DELAY] = { ask_delay, NEEDS_LIVE },
	[ACTION_WHY] = { pager_why },
	[ACTION_WRITE] = { write_configuration, NEEDS_SAMPLES },
	[ACTION_PAUSE] = { pause_display },
	[ACTION_STEP_BACK] = { NULL, NEEDS_PAST, player_step, -1 },
	[ACTION_STEP_ON] = { NULL, NEEDS_PAST, player_step, 1 },
	[ACTION_MINUTE_BACK] = { NULL, NEEDS_PAST, player_step_minute, -1 },
	[ACTION_MINUTE_ON] = { NULL, NEEDS_PAST, player_step_minute, 1 },
	[ACTION_GO_TO] = { player_ask_time, NEEDS_PAST },
	[ACTION_NOW] = { go_to_now },
	[ACTION_SAVE] = { saving_ask },
	[ACTION_MARK] = { compare_mark },
	[ACTION_COMPARE] = { compare, NEEDS_MARK },
	[ACTION_EXPLAIN] = { explaining_open, NEEDS_PAST },
	[ACTION_REDRAW] = { redraw },
};

/* Why it has no effect now, translated; NULL: it has one. */
static const char *lacks(const struct pane_context *context, enum need need)
{
	const struct table_widget *widget = screen_table(context->screen);
	bool selected = widget->place.cursor_on, no_table = navigation_lacks_table(context);
	struct subject subject;
	const char *refusal;

	switch (need) {
	case NEEDS_LIVE_PROCESS:
		if (screen_replays(context))
			return _("processes in a recording cannot be changed");
		refusal = lacks(context, NEEDS_PROCESS);
		return refusal ? refusal : scoping_has_ended(context) ? _("the process has ended") : NULL;
	case NEEDS_PROCESS:
		refusal = lacks(context, NEEDS_SAMPLES);
		return refusal ? refusal : screen_subject(context, &subject);
	case NEEDS_PAST:
		return player_refuses(context->screen);
	case NEEDS_MARK:
		return marked_exists(context->screen) ? NULL : _("no moment is marked (m marks one)");
	case NEEDS_SAMPLES:
		return context->screen->compare.on ? _("not in a comparison (= leaves it)") : NULL;
	case NEEDS_LIVE:
		return screen_is_live(context->screen) ? NULL
						       : _("a recording has the delay it was made with");
	case NEEDS_TREE:
	case NEEDS_TREE_ROW:
		return widget->view.tree_key < 0            ? _("not a tree (t shows one)")
		       : selected || need == NEEDS_TREE ? NULL
							: _("select a row of the tree first");
	case NEEDS_ROW:
		return selected && !no_table ? NULL : _("select a row first");
	case NEEDS_VIEWS:
		return navigation_views(context) > 1 ? NULL : _("this pane has one view");
	case NEEDS_TABLE:
		return no_table ? _("this view has no table") : NULL;
	case NEEDS_NOTHING:
		break;
	}
	return NULL;
}

const struct pane_action *keymap_bound(const struct pane_context *context, enum action action)
{
	const struct pane *pane = context->pane;
	const struct pane_action *bound =
		pane->views ? find_in(pane->views[context->view].actions, action) : NULL;

	return bound ? bound : find_in(pane->actions, action);
}

/* Why it has no effect, translated; NULL: it has one. */
static const char *why_not(const struct pane_context *context, enum action action)
{
	if (keymap_bound(context, action) && context->screen->compare.on)
		return _("not in a comparison (= leaves it)");
	if (keymap_bound(context, action))
		return context->pane->refuses ? context->pane->refuses(context, action) : NULL;
	return lacks(context, commands[action].need);
}

bool keymap_works(const struct pane_context *context, enum action action)
{
	const struct command *command = &commands[action];

	return (keymap_bound(context, action) || command->act || command->move) && !why_not(context, action);
}

const char *keymap_label(const struct pane_context *context, enum action action)
{
	const struct pane_action *bound = keymap_bound(context, action);
	const char *label = bound && bound->label ? bound->label : actions[action].label;

	if (action == ACTION_ACT && !bound)
		label = N_("Signal");
	if (action == ACTION_COMPARE && context->screen->compare.on)
		label = N_("Leave");
	if (action == ACTION_PAUSE && !screen_is_live(context->screen))
		label = context->screen->playing ? N_("Pause") : N_("Play");
	return label ? _(label) : NULL;
}

const char *keymap_help(const struct pane_context *context, enum action action)
{
	const struct pane_action *bound = keymap_bound(context, action);

	return _(bound && bound->help ? bound->help : actions[action].help);
}

static bool take_action(struct pane_context *context, enum action action)
{
	const struct command *command = &commands[action];
	const struct pane_action *bound;
	const char *refusal;

	if (action == N_ACTIONS)
		return false;
	bound = keymap_bound(context, action);
	if (!bound && !command->act && !command->move)
		return false;
	refusal = why_not(context, action);
	if (refusal)
		screen_warn(context->screen, MESSAGE_PANE, "%s", refusal);
	else if (bound)
		bound->act(context);
	else if (command->move)
		command->move(context, command->step);
	else
		command->act(context);
	return true;
}

void screen_do(struct pane_context *context, enum action action)
{
	pane_tables_update(context->screen);
	take_action(context, action);
}

void screen_hand_over(struct pane_context *context, const char *pane, enum action action)
{
	struct screen *screen = context->screen;
	const struct table_widget *from = screen_table(screen);
	struct table_widget *to;

	navigation_enter_named(screen, pane);
	to = screen_table(screen);
	if (from->place.cursor_on && from->view.schema == to->view.schema)
		table_place_copy(&to->place, &from->place);
	else
		table_deselect(to);
	screen_do(screen_context(screen), action);
}

static bool is_at(const struct screen_place *place, const struct input *input)
{
	return input->x >= place->x && input->x < place->end;
}

/* A click on the line of panes, the strip of views or the footer. */
static bool click_frame(struct screen *screen, const struct input *input)
{
	uint64_t wall_ns;

	if (input->key != K_CLICK)
		return false;
	if (timeline_time_at(screen, input->y, input->x, &wall_ns)) {
		player_go_to(screen, wall_ns);
		return true;
	}
	if (input->y == screen->tabs_y) {
		for (unsigned i = 0; i < screen->setup->n_panes && i < SCREEN_TABS_MAX; i++)
			if (is_at(&screen->tabs[i], input))
				navigation_choose_pane(screen, i);
		if (is_at(&screen->tabs[SCREEN_TABS_MORE], input))
			screen_do(screen_context(screen), ACTION_PANES);
		return true;
	}
	if (input->y == screen->views_y) {
		for (unsigned i = 0; i < SCREEN_VIEWS_MAX; i++)
			if (is_at(&screen->views[i], input))
				screen_show_view(screen_context(screen), i);
		if (is_at(&screen->views[SCREEN_VIEWS_MORE], input))
			screen_do(screen_context(screen), ACTION_VIEWS);
		return true;
	}
	if (input->y == screen->footer_y) {
		for (unsigned i = 0; i < screen->n_footer; i++)
			if (is_at(&screen->footer[i], input))
				keymap_key(screen, &(struct input){ .key = screen->footer[i].key });
		return true;
	}
	return false;
}

/* A click on a graph goes to that moment. */
static bool click_graph(struct screen *screen, const struct input *input)
{
	const struct frame *frame = screen_frame(screen);
	uint64_t ago_ns;

	if (input->key != K_CLICK || !graph_ago_at(&screen->graphs, input->y, input->x, &ago_ns))
		return false;
	if (player_refuses(screen))
		screen_message(screen, MESSAGE_SCREEN, "%s", player_refuses(screen));
	else
		player_go_to(screen, frame->wall_ns > ago_ns ? frame->wall_ns - ago_ns : 0);
	return true;
}

/* A clicked table gets the focus. */
static bool click_table(struct pane_context *context, const struct input *input)
{
	for (unsigned i = 0; input->key == K_CLICK && context->pane->tables[i].topic; i++) {
		if (table_key(&context->tables[i], input)) {
			context->focus = i;
			return true;
		}
	}
	return false;
}

/* A digit shows its pane, or the home view of the pane that is shown. */
static bool choose_pane(struct screen *screen, int key)
{
	for (unsigned i = 0; i < screen->setup->n_panes; i++) {
		if (!key || screen->setup->panes[i]->digit != key)
			continue;
		if (i == screen->current)
			screen_show_view(screen_context(screen), navigation_home(screen_context(screen)));
		else
			navigation_choose_pane(screen, i);
		return true;
	}
	return false;
}

/* Of a recording, where no row is selected. */
static bool jump(struct screen *screen, int key)
{
	if (screen_is_live(screen) || screen_table(screen)->place.cursor_on)
		return false;
	if (key == K_HOME)
		player_go_to_first(screen);
	else if (key == K_END)
		player_go_to_end(screen);
	return key == K_HOME || key == K_END;
}

static void say_unknown(struct screen *screen, int key)
{
	char name[KEY_NAME_MAX];

	if (key == K_CLICK || key == K_WHEEL_UP || key == K_WHEEL_DOWN || key == K_ESCAPE)
		return;
	if (key == ' ') {
		screen_warn(screen, MESSAGE_PANE, "%s",
			    screen_is_live(screen) ? _("Z pauses") : _("Z plays and pauses"));
		return;
	}
	screen_warn(screen, MESSAGE_PANE, _("%s does nothing here; ? lists the keys"),
		       key_label(name, key));
}

void keymap_key(struct screen *screen, const struct input *input)
{
	struct pane_context *context = screen_context(screen);

	if (!screen_frame(screen)) {
		if (action_of_key(input->key) == ACTION_QUIT)
			loop_stop(&screen->loop);
		return;
	}
	pane_tables_update(screen);
	if (screen->overlay) {
		screen->overlay->key(screen, input);
		return;
	}
	if (choose_pane(screen, input->key) || click_frame(screen, input) || click_graph(screen, input) ||
	    take_action(context, action_of_key(input->key)) ||
	    (context->pane->key && !screen->compare.on && context->pane->key(context, input)) ||
	    jump(screen, input->key) ||
	    click_table(context, input) || table_key(screen_table(screen), input))
		return;
	say_unknown(screen, input->key);
}
