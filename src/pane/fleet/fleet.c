/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fleet pane: a row for each machine, and which of them the other panes show. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/frame.h"
#include "screen/context.h"
#include "screen/graph.h"

enum { TABLE_HOSTS };

static enum style cell_style(const struct findings *findings, const struct schema *schema,
			     const struct column *column, const void *row)
{
	const struct column *severity = schema_known_column(schema, "severity");
	const char *word = severity ? row_text(row, severity) : NULL;

	(void)findings;
	if (!word || (strcmp(column->key, "severity") != 0 && strcmp(column->key, "finding") != 0))
		return STYLE_NORMAL;
	return graph_grade_style(grade_of_severity(word), STYLE_NORMAL);
}

static const struct pane_table tables[] = {
	[TABLE_HOSTS] = { .topic = "host", .headline = true, .cell_style = cell_style },
	{ 0 },
};

/* Its overview. */
static void open_host(struct pane_context *context)
{
	const struct table *table = context_table(context, TABLE_HOSTS);
	const struct column *column;
	const void *row = table_cell(&context->tables[TABLE_HOSTS], &column);

	if (!row || !table) {
		screen_warn(context->screen, MESSAGE_PANE, "%s",
			    _("select a machine with the arrow keys first"));
		return;
	}
	screen_show_host(context, table_text(table, row, "host"), "overview");
}

static const struct pane_action host_actions[] = {
	{ ACTION_OPEN, open_host, N_("Machine"), N_("all panes show this machine") },
	{ 0 },
};

static void heading(const struct pane_context *context, char *text, size_t room)
{
	const struct sample_request *request = context->request;

	if (*request->host)
		snprintf(text, room, _("machines; the panes show %s"), request->host);
	else
		snprintf(text, room, "%s", _("machines"));
}

static const struct pane_view views[] = {
	{ "machines", N_("Machines"), N_("machines, worst first"), TABLE_HOSTS, .heading = heading },
	{ 0 },
};

const struct pane pane_fleet = {
	.name = "fleet",
	.title = N_("Fleet"),
	.of_hosts = true,
	.question = N_("Which machine is in trouble?"),
	.tables = tables,
	.views = views,
	.actions = host_actions,
};
