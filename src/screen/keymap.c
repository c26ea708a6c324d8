/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a key or click to what gets it, the innermost first, or to the sentence why nothing does. */
#include <config.h>

#include "screen/keymap.h"

#include <string.h>

#include "screen/commands.h"
#include "screen/navigation.h"
#include "screen/pane_tables.h"
#include "screen/past/player.h"
#include "screen/past/timeline.h"

static const struct pane_action *find_in(const struct pane_action *list, enum action action)
{
	for (; list && list->act; list++)
		if (list->action == action)
			return list;
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
	return commands_refuse(context, action);
}

bool keymap_works(const struct pane_context *context, enum action action)
{
	return (keymap_bound(context, action) || commands_act(action)) && !why_not(context, action);
}

const char *keymap_label(const struct pane_context *context, enum action action)
{
	const struct pane_action *bound = keymap_bound(context, action);
	const char *label = bound && bound->label ? bound->label : actions[action].label;

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
	const struct pane_action *bound;
	void (*act)(struct pane_context * context);
	const char *refusal;

	if (action == N_ACTIONS)
		return false;
	bound = keymap_bound(context, action);
	act = bound ? bound->act : commands_act(action);
	if (!act)
		return false;
	refusal = why_not(context, action);
	if (refusal)
		screen_warn(context->screen, MESSAGE_PANE, "%s", refusal);
	else
		act(context);
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

/* Without a frame the only key is quit. */
static void early_key(struct screen *screen, int key)
{
	if (action_of_key(key) == ACTION_QUIT)
		loop_stop(&screen->loop);
}

void keymap_key(struct screen *screen, const struct input *input)
{
	struct pane_context *context = screen_context(screen);

	if (!screen_frame(screen)) {
		early_key(screen, input->key);
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
