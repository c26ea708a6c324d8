/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The disks pane: devices, who uses them, and the file systems on them; disks_draw.c draws it. */
#include <config.h>

#include "pane/disks/disks.h"

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "pane/process_below.h"
#include "pane/process_rows.h"

#define DISKS_VIEW_DEVICES 0

static const struct pane_table tables[] = {
	[DISKS_TABLE_DISK] = { .topic = "disk", .headline = true },
	[DISKS_TABLE_FILESYSTEM] = { .topic = "filesystem",
				     .headline = true,
				     .cell_style = disks_filesystem_style },
	[DISKS_TABLE_PRESSURE] = { .topic = "pressure", .own_columns = true },
	[DISKS_TABLE_PROCESS] = { .topic = "process",
				  .lazy = true,
				  .recorded = true,
				  .own_columns = true,
				  .threshold = "disk_bytes_per_second",
				  .least = 0, /* without rows that are unknown, as in the first sample */
				  .columns = "disk_bytes_per_second,read_bytes_per_second,"
					     "write_bytes_per_second,pid,state,user,command",
				  .sort = "disk_bytes_per_second",
				  .setting = "disks.processes" },
	[DISKS_TABLE_ACCOUNT] = { .topic = "disk_account", .lazy = true, .recorded = true },
	[DISKS_TABLE_LATENCY] = { .topic = "disk_latency", .lazy = true, .recorded = true },
	[DISKS_TABLE_USER] = { .topic = "disk_user",
			       .lazy = true,
			       .recorded = true,
			       .sort = "bytes_per_second" },
	[DISKS_TABLE_BUCKET] = { .topic = "disk_latency_bucket", .lazy = true, .recorded = true },
	[DISKS_TABLE_BELOW] = { .topic = "process",
				.lazy = true,
				.own_columns = true,
				.threshold = "disk_bytes_per_second",
				.least = 1,
				.columns = "disk_bytes_per_second,read_bytes_per_second,"
					   "write_bytes_per_second,pid,state,user,command",
				.sort = "disk_bytes_per_second" },
	{ 0 },
};

static const char *refuses(const struct pane_context *context, enum action action)
{
	bool of_process = action == ACTION_ACT || action == ACTION_OPEN;

	if (of_process && context->view == DISKS_VIEW_DEVICES)
		return process_below_refuses(context, action);
	return action == ACTION_ACT && screen_replays(context)
		       ? _("processes in a recording cannot be changed")
		       : NULL;
}

static const struct pane_view views[] = {
	{ "devices", N_("Devices"), N_("what each device reads and writes, and how long that takes"),
	  DISKS_TABLE_DISK, .below = 1UL << DISKS_TABLE_BELOW, .actions = process_below_actions,
	  .draw = disks_draw },
	{ "processes", N_("Processes"), N_("what each process reads from storage and writes to it"),
	  DISKS_TABLE_PROCESS, .actions = process_below_actions, .draw = disks_draw_processes },
	{ "users", N_("By device"),
	  N_("who reads from each device and writes to it, also what the kernel writes later"),
	  DISKS_TABLE_USER, .actions = process_below_actions, .draw = disks_draw_users },
	{ "latency", N_("Latency"), N_("how long requests are queued, and how long the device takes"),
	  DISKS_TABLE_LATENCY, .also = 1UL << DISKS_TABLE_BUCKET, .draw = disks_draw_latency },
	{ "filesystems", N_("File systems"), N_("space and inodes, growth, and when it is full"),
	  DISKS_TABLE_FILESYSTEM, .draw = disks_draw_filesystems },
	{ "account", N_("Account"),
	  N_("whose bytes the devices read and wrote, and what is the kernel's own"), DISKS_TABLE_ACCOUNT,
	  .heading = context_heading },
	{ 0 },
};

static void sampled(struct pane_context *context, const struct frame *frame)
{
	struct disks_state *state = context_state(context);

	followed_rows_add(&state->disks, &context->history, frame, "disk", disks_graph_columns,
			  N_DISKS_GRAPHS);
	disks_latency_sampled(context, frame);
}

/* Read while the pane is hidden, so that its graphs go on. */
static const struct series series[] = {
	{ "disk", "all", "read_bytes_per_second" },
	{ "disk", "all", "write_bytes_per_second" },
};

/* The rows that the list of processes shows. */
static void sampling(struct pane_context *context)
{
	context_request(context)->n_visible = 0;
	process_rows_request(context, DISKS_TABLE_PROCESS);
	process_rows_request(context, DISKS_TABLE_BELOW);
}

static bool key(struct pane_context *context, const struct input *input)
{
	return context->view == DISKS_VIEW_DEVICES &&
	       process_below_key(context, input, false);
}

const struct pane pane_disks = {
	.name = "disks",
	.digit = '4',
	.title = N_("Disks"),
	.question = N_("Which disk is slow or full, and who uses it?"),
	.unscoped = N_("devices and file systems are the machine's: their counters have no process"),
	.tables = tables,
	.series = series,
	.n_series = sizeof(series) / sizeof(series[0]),
	.views = views,
	.state_size = sizeof(struct disks_state),
	.refuses = refuses,
	.sampling = sampling,
	.sampled = sampled,
	.key = key,
};
