/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Room, cursor and actions of the processes below what a pane shows. */
#include <config.h>

#include "pane/process_below.h"

#include "core/i18n.h"
#include "pane/process/process_open.h"
#include "screen/keys.h"

static bool is_shown(const struct pane_context *context, unsigned table)
{
	return context->requested[table] && (context->pane->views[context->view].below >> table & 1);
}

int process_below_lines(const struct pane_context *context, const struct canvas *canvas, unsigned table)
{
	return is_shown(context, table) && canvas->height >= 3 * PROCESS_BELOW_LINES ? PROCESS_BELOW_LINES
										     : 0;
}

static void move(struct pane_context *context, unsigned to)
{
	table_deselect(&context->tables[context->focus]);
	context->focus = to;
	table_select(&context->tables[to]);
}

bool process_below_key(struct pane_context *context, const struct input *input, unsigned above,
		       unsigned table)
{
	const struct table_widget *widget = &context->tables[context->focus];
	bool down = context->focus == above && input->key == K_DOWN &&
		    widget->place.row + 1 >= widget->view.n_rows && context->tables[table].view.n_rows > 0;
	bool up = context->focus == table && input->key == K_UP && widget->place.row == 0;

	if (!is_shown(context, table) || !widget->place.cursor_on || !(down || up))
		return false;
	move(context, down ? table : above);
	return true;
}

const char *process_below_refuses(const struct pane_context *context, enum action action, unsigned table)
{
	if (!is_shown(context, table) && context->pane->views[context->view].below)
		return _("no processes are shown here");
	return context->focus != table ? _("select a process first")
	       : action == ACTION_ACT && screen_replays(context)
		       ? _("processes in a recording cannot be changed")
		       : NULL;
}

static void send_signal(struct pane_context *context)
{
	screen_hand_over(context, "cpu", ACTION_ACT);
}

const struct pane_action process_below_actions[] = {
	{ ACTION_OPEN, process_open_selected, NULL,
	  N_("open the selected process: all that is known of it") },
	{ ACTION_ACT, send_signal, N_("Signal"), N_("send a signal to the selected process") },
	{ 0 },
};
