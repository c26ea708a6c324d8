/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the process page. */
#ifndef PANETOP_PANE_PROCESS_PROCESS_H
#define PANETOP_PANE_PROCESS_PROCESS_H

#include "pane/probes.h"

enum process_table {
	PROCESS_TABLE_DETAIL,
	PROCESS_TABLE_LIMIT,
	PROCESS_TABLE_FILE,
	PROCESS_TABLE_PROCESS, /* all processes: this one and its parent are among them */
	PROCESS_TABLE_THREAD,
	PROCESS_TABLE_REGION,
	PROCESS_TABLE_SIGNAL,
	PROCESS_TABLE_ENVIRONMENT,
	PROCESS_TABLE_MEMORY,
	PROCESS_TABLE_EVENT,
	PROCESS_TABLE_TIME,
	PROCESS_TABLE_CODE,
	PROCESS_TABLE_COST,
	PROCESS_TABLE_WAITS,
	PROCESS_TABLE_WALL,
	PROCESS_TABLE_CALLS,
	PROCESS_TABLE_FUNCTION,
	PROCESS_TABLE_PROBE,
	N_PROCESS_TABLES,
};

enum process_series {
	PROCESS_SERIES_CPU,
	PROCESS_SERIES_MEMORY,
	PROCESS_SERIES_READ,
	PROCESS_SERIES_WRITE,
	N_PROCESS_SERIES,
};

struct process_state {
	struct probes_state probes;
	uint32_t pid; /* of the process that the history is of */
	double start_seconds;
	char pid_text[16];
	bool asks_for_code; /* its code is sampled for the summary */
};

/* The rows of the process in the shown frame; NULL: there is none. */
struct process_rows {
	const struct table *details, *processes;
	const void *detail, *process;
};

struct process_rows process_rows_of(const struct pane_context *context, const struct frame *frame);

/* A number or text of it by a column of either table; NaN or "": unknown. */
double process_number(const struct process_rows *rows, const char *column);
const char *process_text(const struct process_rows *rows, const char *column);

/* process_draw.c */
void process_draw_summary(const struct pane_context *context, struct canvas *canvas);
void process_why(const struct pane_context *context, struct buffer *out);

#endif
