/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of how long requests take: a table, and the charts of the row that is selected. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/units.h"
#include "pane/disks/disks.h"

#define CHART_LINES_MIN 7
#define HEAT_FROM_CELLS 76 /* with fewer there are only bars */
#define BARS_CELLS_MAX 72

static void kind_text(char text[DISK_KIND_MAX], const struct table *table, const void *row)
{
	snprintf(text, DISK_KIND_MAX, "%s %s %s", table_text(table, row, "device"),
		 table_text(table, row, "operation"), table_text(table, row, "phase"));
}

static uint16_t key_of(const void *context, const struct table *table, const void *row)
{
	const struct disks_state *disks = context;
	char text[DISK_KIND_MAX];

	kind_text(text, table, row);
	for (unsigned i = 0; i < disks->n_kinds; i++)
		if (strcmp(disks->kinds[i], text) == 0)
			return (uint16_t)i;
	return PAST_ALL;
}

static struct past_table buckets_of(const struct disks_state *disks)
{
	return (struct past_table){ "disk_latency_bucket", "requests", "requests_per_second", key_of, disks };
}

void disks_latency_sampled(struct pane_context *context, const struct frame *frame)
{
	const struct table *table = frame_table(frame, "disk_latency");
	struct disks_state *disks = context_state(context);
	const struct past_table buckets = buckets_of(disks);

	for (size_t i = 0; table && i < table->n_rows && disks->n_kinds < DISK_KINDS_MAX; i++) {
		const void *row = table_row(table, i);

		if (key_of(disks, table, row) == PAST_ALL)
			kind_text(disks->kinds[disks->n_kinds++], table, row);
	}
	past_add(&disks->past, frame, &buckets, 0, 0);
}

/* The selected row, or the first with the device's own time. */
static const void *chosen_row(const struct pane_context *context, const struct table *table)
{
	const struct table_widget *widget = &context->tables[DISKS_TABLE_LATENCY];

	if (widget->place.cursor_on && widget->place.row < widget->view.n_rows)
		return widget->view.rows[widget->place.row];
	for (size_t i = 0; i < widget->view.n_rows; i++)
		if (strcmp(table_text(table, widget->view.rows[i], "phase"), "device") == 0)
			return widget->view.rows[i];
	return widget->view.n_rows > 0 ? widget->view.rows[0] : NULL;
}

static void draw_charts(const struct pane_context *context, const struct canvas *canvas,
			const struct table *table, const void *row)
{
	const struct disks_state *disks = context->state;
	const struct past_table buckets = buckets_of(disks);
	uint16_t key = key_of(disks, table, row);
	bool heat = canvas->width >= HEAT_FROM_CELLS;
	int width = heat ? canvas->width * 5 / 8 : canvas->width;
	const struct heat_of of = {
		.past = &disks->past,
		.key = key,
		.now_ns = disks->past.last_mono_ns,
		.step_seconds = context_step_seconds(context),
		.unit = _("requests per cell"),
	};
	struct histogram shown;
	struct time_axis axis;
	struct canvas part;

	histogram_clear(&shown, 0);
	past_since_start(context->frame, &buckets, key, &shown);
	time_axis_make(&axis, &shown, canvas->height - 2, false);
	width = heat && width > BARS_CELLS_MAX ? BARS_CELLS_MAX : width;
	canvas_text(canvas, 0, 0, STYLE_DIM, _("    time  requests"), width);
	part = canvas_part(canvas, 1, 0, canvas->height - 1, width);
	time_bars(&part, &axis, &shown, false);
	part = canvas_part(canvas, 0, width + 1, canvas->height, canvas->width - width - 1);
	if (heat)
		time_heat(&part, &axis, &of);
}

/* "vda, read, device" */
static void chart_title(char title[TEXT_MAX], const struct table *table, const void *row)
{
	snprintf(title, TEXT_MAX, "%s, %s, %s", table_text(table, row, "device"),
		 _(table_text(table, row, "operation")), _(table_text(table, row, "phase")));
}

void disks_draw_latency(const struct pane_context *context, struct canvas *canvas)
{
	const struct table *table = context_table(context, DISKS_TABLE_LATENCY);
	const void *row = table ? chosen_row(context, table) : NULL;
	int wanted = 2 + table_height(&context->tables[DISKS_TABLE_LATENCY]), lines;
	bool measured = row && strcmp(table_text(table, row, "how"), "bpf") == 0;
	char title[TEXT_MAX];
	struct canvas part, rest = canvas_below(canvas, disks_draw_story(context, canvas));

	canvas = &rest;
	lines = wanted < canvas->height / 2 ? wanted : canvas->height / 2;
	if (!measured || canvas->height - lines < CHART_LINES_MIN)
		lines = canvas->height;
	part = canvas_rows(canvas, 0, lines);
	context_draw_titled(context, &part, DISKS_TABLE_LATENCY, _("time of requests since counting began"));
	part = canvas_below(canvas, lines);
	if (part.height < CHART_LINES_MIN)
		return;
	chart_title(title, table, row);
	canvas_rule(&part, 0, title, "");
	part = canvas_below(&part, 1);
	draw_charts(context, &part, table, row);
}
