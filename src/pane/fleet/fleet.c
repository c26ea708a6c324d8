/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fleet pane: a row for each machine, and which of them the other panes show. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/utf8.h"
#include "pane/common.h"

enum { TABLE_HOSTS };

#define TABLE_LINES_MIN 5 /* with its title */

struct fleet_state {
	struct followed_rows hosts; /* series as charts have them */
};

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

static const char *const charted[] = { "busy_ratio", "memory_used_ratio", "disk_busy_ratio" };

#define N_CHARTS (sizeof(charted) / sizeof(charted[0]))

static void draw_chart(const struct pane_context *context, const struct canvas *canvas,
		       const struct followed_row *host, unsigned chart)
{
	static const char *const texts[N_CHARTS] = { N_("CPU {busy_ratio:%}"),
						     N_("memory {memory_used_ratio:%}"),
						     N_("disk {disk_busy_ratio:%}") };
	const struct table *table = context_table(context, TABLE_HOSTS);
	const struct row_facts facts = { { row_fact }, table, table_find(table, host->name, NULL) };
	const struct graph_line_scale scale = past_scale(context, 1, FOLLOWED_STYLE(chart));
	struct canvas plot = canvas_below(canvas, 1);
	int cells = utf8_cells(host->name, canvas->ascii), x = 0;

	if (chart == 0) {
		cells = cells < canvas->width / 2 ? cells : canvas->width / 2;
		canvas_cut(canvas, 0, 0, STYLE_STRONG, host->name, cells);
		x = cells + CANVAS_GAP;
	}
	draw_piece(canvas, 0, x, STYLE_NORMAL, texts[chart], &facts.facts);
	graph_area(&plot, &context->history, host->series[chart], &scale, percent_label);
}

/* Below the table those of the first machines, as far as there is room. */
static void draw(const struct pane_context *context, struct canvas *canvas)
{
	static const struct followed_charts charts = { N_CHARTS, draw_chart };
	const struct view *view = &context->tables[TABLE_HOSTS].view;
	const struct table *table = context_table(context, TABLE_HOSTS);
	const struct followed_row *shown[FOLLOWED_ROWS_MAX];
	const struct fleet_state *fleet = context->state;
	int wanted = 2 + table_height(&context->tables[TABLE_HOSTS]), n = 0, fit;
	struct canvas part = canvas_below(canvas, wanted > TABLE_LINES_MIN ? wanted : TABLE_LINES_MIN);
	char title[TEXT_MAX];

	fit = followed_charts_fit(&charts, &part);
	for (size_t i = 0; table && i < view->n_rows && n < fit; i++) {
		shown[n] = followed_rows_find(&fleet->hosts, table_text(table, view->rows[i], "host"));
		n += shown[n] != NULL;
	}
	followed_charts_draw(&charts, context, &part, shown, n, part.height);
	part = canvas_rows(canvas, 0, n > 0 ? canvas->height - part.height : canvas->height);
	heading(context, title, sizeof(title));
	context_draw_titled(context, &part, TABLE_HOSTS, title);
}

/* Others follow, for each machine. */
static const struct series series[] = { { "host", NULL, "busy_ratio", .while_shown = true } };

static void sampled(struct pane_context *context, const struct frame *frame)
{
	struct fleet_state *fleet = context_state(context);

	followed_rows_add(&fleet->hosts, &context->history, frame, "host", 0, charted, N_CHARTS);
}

static const struct pane_view views[] = {
	{ "machines", N_("Machines"), N_("machines, worst first"), TABLE_HOSTS, .draw = draw },
	{ 0 },
};

const struct pane pane_fleet = {
	.name = "fleet",
	.title = N_("Fleet"),
	.of_hosts = true,
	.question = N_("Which machine is in trouble?"),
	.tables = tables,
	.series = series,
	.n_series = 1,
	.views = views,
	.actions = host_actions,
	.state_size = sizeof(struct fleet_state),
	.sampled = sampled,
};
