/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Room, cursor and actions of the processes below what a pane shows. */
#include <config.h>

#include "pane/process_below.h"

#include "core/i18n.h"
#include "pane/process/process_open.h"
#include "screen/keys.h"

int process_below_table(const struct pane_context *context)
{
	unsigned long below = context->pane->views[context->view].below;

	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		if ((below >> i & 1) && context->requested[i])
			return (int)i;
	return -1;
}

int process_below_lines(const struct pane_context *context, const struct canvas *canvas)
{
	bool shown = process_below_table(context) >= 0 && canvas->height >= 3 * PROCESS_BELOW_LINES;

	return shown ? PROCESS_BELOW_LINES : 0;
}

bool process_below_key(struct pane_context *context, const struct input *input, bool of_selected)
{
	const struct table_widget *widget = &context->tables[context->focus];
	unsigned above = context->pane->views[context->view].table;
	int table = process_below_table(context);
	bool down = context->focus == above && input->key == K_DOWN &&
		    widget->place.row + 1 >= widget->view.n_rows && table >= 0 &&
		    context->tables[table].view.n_rows > 0;
	bool up = (int)context->focus == table && input->key == K_UP && widget->place.row == 0;

	if (table < 0 || !widget->place.cursor_on || !(down || up))
		return false;
	if (up || !of_selected)
		table_deselect(&context->tables[context->focus]);
	context->focus = down ? (unsigned)table : above;
	table_select(&context->tables[context->focus]);
	return true;
}

const char *process_below_refuses(const struct pane_context *context, enum action action)
{
	int table = process_below_table(context);

	if (table < 0)
		return _("no processes are shown here");
	return (int)context->focus != table ? _("select a process first")
	       : action == ACTION_ACT && screen_replays(context)
		       ? _("processes in a recording cannot be changed")
		       : NULL;
}

void process_below_signal(struct pane_context *context)
{
	screen_hand_over(context, "cpu", ACTION_ACT);
}

const struct pane_action process_below_actions[] = {
	{ ACTION_OPEN, process_open_selected, NULL,
	  N_("open the selected process: all that is known of it") },
	{ ACTION_ACT, process_below_signal, N_("Signal"), N_("send a signal to the selected process") },
	{ 0 },
};
