/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the disks pane. */
#ifndef PANETOP_PANE_DISKS_DISKS_H
#define PANETOP_PANE_DISKS_DISKS_H

#include "pane/followed_rows.h"
#include "pane/time_chart.h"
#include "screen/context.h"

enum disks_table {
	DISKS_TABLE_DISK,
	DISKS_TABLE_FILESYSTEM,
	DISKS_TABLE_PRESSURE,
	DISKS_TABLE_PROCESS,
	DISKS_TABLE_ACCOUNT,
	DISKS_TABLE_LATENCY,
	DISKS_TABLE_USER,
	DISKS_TABLE_BUCKET,
	DISKS_TABLE_BELOW, /* processes below the devices */
};

/* The graphs of a device, side by side as far as there is room. */
enum disks_graph {
	DISKS_READ,
	DISKS_WRITE,
	DISKS_READ_WAIT,
	DISKS_WRITE_WAIT,
	DISKS_QUEUE,
	N_DISKS_GRAPHS,
};

#define DISK_KIND_MAX 96
#define DISK_KINDS_MAX 64

struct disks_state {
	struct followed_rows disks; /* series by enum disks_graph */
	char kinds[DISK_KINDS_MAX][DISK_KIND_MAX]; /* "vda read device": their numbers are keys of past */
	unsigned n_kinds;
	struct bucket_past past; /* of the time of requests */
};

/* disks_draw.c */
extern const char *const disks_graph_columns[N_DISKS_GRAPHS]; /* of the table disk */
void disks_draw(const struct pane_context *context, struct canvas *canvas);
void disks_draw_filesystems(const struct pane_context *context, struct canvas *canvas);
int disks_draw_story(const struct pane_context *context, const struct canvas *canvas); /* returns its lines */
void disks_draw_users(const struct pane_context *context, struct canvas *canvas);
/* disks_latency.c */
void disks_latency_sampled(struct pane_context *context, const struct frame *frame);
void disks_draw_latency(const struct pane_context *context, struct canvas *canvas);
void disks_draw_processes(const struct pane_context *context, struct canvas *canvas);
enum style disks_filesystem_style(const struct findings *findings, const struct schema *schema,
				  const struct column *column, const void *row);

#endif
