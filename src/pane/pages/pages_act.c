/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Actions of the pages pane: populating, soft-dirty bits, and the mark of the map. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "model/units.h"
#include "pane/pages/pages.h"
#include "pane/text.h"

const char *pages_process_text(const struct pane_context *context, char *out, size_t room)
{
	const struct table *table = context_table(context, PAGES_TABLE_TOTAL);
	const void *row = table && table->n_rows > 0 ? table_row(table, 0) : NULL;

	snprintf(out, room, "%.0f %s", row ? table_number(table, row, "pid") : 0,
		 row ? table_text(table, row, "command") : "");
	return out;
}

static void say_failed(struct pane_context *context, int error, const char *remedy)
{
	char text[TEXT_MAX];

	screen_warn(context->screen, MESSAGE_PANE, "%s", failure_text(text, error, remedy));
}

/* Without done it only checks whether it is possible. */
static bool act(struct pane_context *context, const char *verb,
		void (*done)(struct pane_context *context, int error))
{
	const char *remedy;
	char action[64];
	int error;

	snprintf(action, sizeof(action), "%s %.0f", verb, pages_total(context, "pid"));
	error = screen_act(context, "page_total", action, done, &remedy);
	if (error)
		say_failed(context, error, remedy);
	return !error;
}

static bool has_process(struct pane_context *context)
{
	const char *why = pages_no_process(context);

	if (why)
		screen_warn(context->screen, MESSAGE_PANE, "%s", why);
	return !why;
}

static void forced(struct pane_context *context, int error)
{
	const struct pages_state *pages = context->state;

	if (error)
		say_failed(context, error, NULL);
	else
		screen_message(context->screen, MESSAGE_PANE,
			       _("populated: all readable pages of %s were read in"), pages->forced);
}

static void force(struct pane_context *context)
{
	struct pages_state *pages = context_state(context);

	pages_process_text(context, pages->forced, sizeof(pages->forced));
	if (act(context, "force", forced))
		screen_message(context->screen, MESSAGE_PANE, _("populating %s ..."), pages->forced);
}

void pages_force(struct pane_context *context)
{
	double absent = pages_total(context, "mapped_pages") - pages_total(context, "present_pages");
	const struct pages_state *pages = context->state;
	char question[TEXT_MAX], name[64], size[VALUE_TEXT_MAX], count[VALUE_TEXT_MAX];

	if (!has_process(context) || !act(context, "force", NULL))
		return;
	snprintf(question, sizeof(question),
		 P_("Populate %s? It reads a byte of up to %s absent page (%s), which then takes memory; "
		    "swapped pages are read back",
		    "Populate %s? It reads a byte of each of up to %s absent pages (%s), which then take "
		    "memory; swapped pages are read back",
		    absent > 0 ? (unsigned long)absent : 0),
		 pages_process_text(context, name, sizeof(name)), fixed_text(count, absent, 0),
		 size_text(size, absent * (double)pages->page_bytes));
	screen_ask(context, question, force);
}

static void cleared(struct pane_context *context, int error)
{
	if (error)
		say_failed(context, error, NULL);
	else
		screen_message(context->screen, MESSAGE_PANE, "%s", _("soft-dirty bits reset"));
}

static void clear(struct pane_context *context)
{
	act(context, "clear", cleared);
}

void pages_clear(struct pane_context *context)
{
	char question[TEXT_MAX], name[64];

	if (!has_process(context) || !act(context, "clear", NULL))
		return;
	snprintf(question, sizeof(question),
		 _("Reset the soft-dirty bits of %s? Its next write to each page is a little slower"),
		 pages_process_text(context, name, sizeof(name)));
	screen_ask(context, question, clear);
}

void pages_mark(struct pane_context *context)
{
	struct pages_state *pages = context_state(context);
	struct map_mark *mark = &pages->mark;

	map_load(context);
	mark->set = pages->n_cells > 0 && (!mark->set || !map_mark_fits(pages));
	if (!mark->set) {
		screen_message(context->screen, MESSAGE_PANE, "%s",
			       _("mark removed: the map shows the current state"));
		return;
	}
	mark->cells = alloc_resize(mark->cells, pages->n_cells, sizeof(*mark->cells));
	memcpy(mark->cells, pages->cells, pages->n_cells * sizeof(*mark->cells));
	mark->n_cells = pages->n_cells;
	mark->wall_ns = context->frame->wall_ns;
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       _("marked: from now on + is new, - is gone, s is swapped out; m removes the mark"));
}
