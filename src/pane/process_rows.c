/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of processes that are on the screen. */
#include <config.h>

#include "pane/process_rows.h"

#include <math.h>

/* The list is sorted and holds each process once. */
static void add(struct sample_request *request, uint32_t pid)
{
	size_t at = request->n_visible;

	while (at > 0 && request->visible[at - 1] > pid)
		at--;
	if (request->n_visible == PROCESSES_VISIBLE_MAX || (at > 0 && request->visible[at - 1] == pid))
		return;
	for (size_t i = request->n_visible++; i > at; i--)
		request->visible[i] = request->visible[i - 1];
	request->visible[at] = pid;
}

void process_rows_request(struct pane_context *context, unsigned index)
{
	const struct table_widget *widget = &context->tables[index];
	const struct table *table = context_table(context, index);
	size_t end = widget->place.top + (size_t)widget->page;

	for (size_t i = widget->place.top; table && i < end && i < widget->view.n_rows; i++) {
		double pid = table_number(table, widget->view.rows[i], "pid");

		if (!isnan(pid))
			add(context->request, (uint32_t)pid);
	}
}
