/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The views of graphics processors: the devices above the processes that use them. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "pane/cpu/cpu.h"

#define DEVICES_MIN 3 /* lines, with title and heading */
#define PROCESSES_MIN 4

static size_t n_devices(const struct pane_context *context)
{
	const struct table *table = frame_table(context->frame, "gpu");

	return table ? table->n_rows : 0;
}

void cpu_note_gpu(struct cpu_state *cpu, const struct frame *frame)
{
	const struct table *table = frame_table(frame, "gpu");

	if (table)
		cpu->has_gpu = table->n_rows > 0;
}

bool cpu_lacks_gpu(const struct pane_context *context)
{
	const struct cpu_state *cpu = context->state;

	return !cpu->has_gpu;
}

void cpu_draw_gpus(const struct pane_context *context, struct canvas *canvas)
{
	int wanted = 2 + table_height(&context->tables[CPU_TABLE_GPU]), most = canvas->height / 2;
	struct canvas devices, processes;
	char title[TEXT_MAX];

	if (n_devices(context) == 0) {
		context_draw_titled(context, canvas, CPU_TABLE_GPU, _("graphics processors"));
		return;
	}
	wanted = wanted < most ? wanted : most;
	if (wanted < DEVICES_MIN || canvas->height - wanted < PROCESSES_MIN)
		wanted = 0;
	devices = canvas_rows(canvas, 0, wanted);
	processes = canvas_below(canvas, wanted);
	if (wanted > 0)
		context_draw_titled(context, &devices, CPU_TABLE_GPU, _("graphics processors"));
	snprintf(title, sizeof(title), "%s",
		 context->view == CPU_VIEW_GPU ? _("processes that use them") : _("engines by process"));
	cpu_add_interval(context, true, title, sizeof(title));
	context_draw_titled(context, &processes, context->pane->views[context->view].table, title);
}
