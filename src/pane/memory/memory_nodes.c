/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes above, then the processes with the most memory by how much of it is not where they run. */
#include <config.h>

#include "pane/memory/memory.h"

#include <stdio.h>

#include "core/i18n.h"
#include "pane/memory/node_story.h"
#include "pane/process/process_open.h"
#include "pane/text.h"

#define LINES_FOR_STORY 6  /* from this height on there is the first sentence, … */
#define LINES_FOR_NODES 12 /* … the others, and the table of nodes, of at most … */
#define NODES_PART 2       /* … this part of the height … */
#define LINES_FOR_THREADS 30
#define THREADS_PART 4 /* … and of threads */

static int draw_story(const struct pane_context *context, const struct canvas *canvas)
{
	struct buffer text = BUFFER_HERE;
	int lines;

	node_story(&text, context_table(context, MEMORY_TABLE_NODE),
		   context_table(context, MEMORY_TABLE_LOCALITY), canvas->height >= LINES_FOR_NODES);
	lines = canvas_wrapped(canvas, 0, STYLE_STRONG, span_of(text.bytes, text.length));
	buffer_free(&text);
	return lines;
}

static int draw_nodes(const struct pane_context *context, const struct canvas *canvas, int y)
{
	int lines = table_height(&context->tables[MEMORY_TABLE_NODE]), most = canvas->height / NODES_PART;
	struct canvas part = canvas_rows(canvas, y, lines < most ? lines : most);

	context_draw_table(context, &part, MEMORY_TABLE_NODE);
	return y + part.height;
}

void memory_nodes_draw(const struct pane_context *context, struct canvas *canvas)
{
	int y = canvas->height >= LINES_FOR_STORY ? draw_story(context, canvas) : 0;
	int threads = canvas->height >= LINES_FOR_THREADS ? canvas->height / THREADS_PART : 0;
	struct canvas part;

	if (canvas->height >= LINES_FOR_NODES)
		y = draw_nodes(context, canvas, y);
	part = canvas_rows(canvas, y, canvas->height - y - threads);
	context_draw_titled(context, &part, MEMORY_TABLE_LOCALITY,
			    _("largest processes: is their memory on the nodes where they run?"));
	part = canvas_rows(canvas, canvas->height - threads, threads);
	if (threads > 0)
		context_draw_titled(context, &part, MEMORY_TABLE_NODE_THREAD,
				    _("threads that wander from node to node"));
}

void memory_shares_draw(const struct pane_context *context, struct canvas *canvas)
{
	context_draw_titled(context, canvas, MEMORY_TABLE_NODE_PROCESS,
			    _("memory and CPU time of processes by node"));
}

static void count_pages(struct pane_context *context, unsigned index)
{
	struct table_widget *widget = &context->tables[context->focus];
	const struct table *table = context_table(context, context->focus);
	struct sample_request *request = context_request(context);
	const struct column *column;
	const void *row = table ? table_cell(widget, &column) : NULL;

	(void)index;
	if (!row)
		return;
	request->counted =
		(struct process_choice){ .is_set = true,
					 .pid = (uint32_t)table_number(table, row, "pid"),
					 .start_seconds = table_number(table, row, "start_seconds") };
	request->n_counted++;
	screen_message(context->screen, MESSAGE_PANE, _("counting the pages of %s (%u) by node..."),
		       table_text(table, row, "command"), request->counted.pid);
	screen_sample_now(context);
}

static void show_actions(struct pane_context *context)
{
	struct table_widget *widget = &context->tables[context->focus];
	const struct table *table = context_table(context, context->focus);
	struct menu_item item = {
		.help = _("numa_maps: exact; its mmap and munmap calls wait meanwhile, 20 ms per GiB")
	};
	const struct column *column;
	char text[TEXT_MAX];
	const void *row;

	table_select(widget);
	row = widget->place.cursor_on && table ? table_cell(widget, &column) : NULL;
	if (!row || !schema_find(table->schema, "pid") || !schema_find(table->schema, "command")) {
		process_warn_unselected(context);
		return;
	}
	snprintf(text, sizeof(text), _("Count all pages of %s (%.0f)"), table_text(table, row, "command"),
		 table_number(table, row, "pid"));
	item.text = text;
	screen_menu(context, _("Actions"), &item, 1, 0, count_pages);
}

const struct pane_action memory_nodes_actions[] = {
	{ ACTION_OPEN, process_open_selected, NULL,
	  N_("open the selected process: all that is known of it") },
	{ ACTION_ACT, show_actions, NULL,
	  N_("menu of actions: count all pages of the selected process, not only a sample") },
	{ 0 },
};
