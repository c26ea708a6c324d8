/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which binding, pane or table handles a key. */
#include <config.h>

#include "screen/keymap.h"

#include "screen/session.h"

/* NULL: it works. */
static const char *why_not(const struct pane_context *context, const struct binding *binding)
{
	return context->pane->refuses_key ? context->pane->refuses_key(context, binding) : NULL;
}

static bool take_binding(struct pane_context *context, const struct binding *bindings, int key)
{
	for (; bindings && bindings->act; bindings++) {
		const char *refusal;

		if (bindings->key != key && bindings->other_key != key)
			continue;
		refusal = why_not(context, bindings);
		if (refusal)
			screen_message(context->screen, MESSAGE_PANE, "%s", refusal);
		else
			bindings->act(context);
		return true;
	}
	return false;
}

void keymap_bindings(const struct pane_context *context, const struct binding *lists[N_KEYMAP_LISTS])
{
	const struct keymap *keymap = &context->screen->keymap;
	const struct pane *pane = context->pane;

	lists[KEYMAP_VIEW] = pane->view_bindings ? pane->view_bindings(context) : NULL;
	lists[KEYMAP_SOURCE] = keymap->source;
	lists[KEYMAP_PANE] = pane->bindings;
	lists[KEYMAP_SECONDARY] = pane->secondary_bindings;
	lists[KEYMAP_COMMON] = keymap->common;
}

static bool is_taken(const struct binding *const *lists, unsigned n_lists, int key)
{
	for (unsigned i = 0; i < n_lists; i++)
		for (const struct binding *binding = lists[i]; binding && binding->act; binding++)
			if (binding->key == key || binding->other_key == key)
				return true;
	return false;
}

unsigned keymap_keys(const struct pane_context *context, const struct binding *const *lists, unsigned index,
		      const struct binding *binding, int keys[2])
{
	unsigned n = 0;

	if (why_not(context, binding))
		return 0;
	if (!is_taken(lists, index, binding->key))
		keys[n++] = binding->key;
	if (binding->other_key && !is_taken(lists, index, binding->other_key))
		keys[n++] = binding->other_key;
	return n;
}

static bool take_command(struct pane_context *context, int key)
{
	const struct binding *lists[N_KEYMAP_LISTS];
	bool taken = false;

	keymap_bindings(context, lists);
	for (unsigned i = 0; i < N_KEYMAP_LISTS && !taken; i++)
		taken = take_binding(context, lists[i], key);
	return taken;
}

static bool click_tab(struct screen *screen, const struct input *input)
{
	if (input->key != K_CLICK || input->y != screen->tabs_y)
		return false;
	for (unsigned i = 0; i < screen->setup->n_panes && i < SCREEN_TABS_MAX; i++)
		if (input->x >= screen->tabs[i].x && input->x < screen->tabs[i].end)
			session_choose_pane(screen, i);
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

/* Without a frame the only key is quit. */
static bool early_key(struct screen *screen, int key)
{
	if (key == 'q' || key == K_F10)
		loop_stop(&screen->loop);
	return true;
}

bool keymap_key(struct screen *screen, const struct input *input)
{
	struct pane_context *context = session_context(screen);

	if (!session_frame(screen))
		return early_key(screen, input->key);
	session_update(screen);
	if (screen->overlay) {
		screen->overlay->key(screen, input);
		return true;
	}
	if (input->key >= '1' && input->key <= '9') {
		session_choose_pane(screen, (unsigned)(input->key - '1'));
		return true;
	}
	return click_tab(screen, input) || take_command(context, input->key) ||
	       (context->pane->key && context->pane->key(context, input)) || click_table(context, input) ||
	       table_key(session_table(screen), input);
}
