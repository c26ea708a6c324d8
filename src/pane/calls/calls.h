/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls pane: its tables and views, and what its files share. */
#ifndef PANETOP_PANE_CALLS_CALLS_H
#define PANETOP_PANE_CALLS_CALLS_H

#include "core/i18n.h"
#include "pane/calls/failing_directory.h"
#include "pane/probes.h"
#include "screen/pane.h"

enum calls_table {
	CALLS_TABLE_CALLS,
	CALLS_TABLE_TOTAL,
	CALLS_TABLE_STREAM,
	CALLS_TABLE_PROBE,
	CALLS_TABLE_TRACE,
	CALLS_TABLE_TRACE_BUCKET,
	CALLS_TABLE_TRACEPOINT,
	CALLS_TABLE_COST,
};

enum calls_view {
	CALLS_VIEW_CALLS,
	CALLS_VIEW_OPENED,
	CALLS_VIEW_STREAM,
	CALLS_VIEW_FUNCTIONS,
	CALLS_VIEW_TRACES, /* from here on of tracepoints */
	CALLS_VIEW_HISTOGRAMS,
	CALLS_VIEW_TRACEPOINTS,
};

struct calls_state {
	struct probes_state probes;
	struct failing_directories directories;
	char failing[TEXT_MAX]; /* "ENOENT 77/s below /etc/ssl, by postgres" */
	unsigned edited; /* of the request's traces: which one the prompt changes; their number: a new one */
};

extern const struct pane_action functions_actions[];

/* As of struct pane. */
void functions_open(struct pane_context *context);
void functions_sampled(struct pane_context *context, const struct frame *frame);
const char *functions_refuse(const struct pane_context *context, enum action action);

/* Of the views of tracepoints. */
extern const struct pane_action traces_actions[], tracepoints_actions[];

/* As of struct pane. */
void traces_open(struct pane_context *context);
bool traces_are_counted(const struct sample_request *request);
bool traces_go_on(const struct pane_context *context);
const char *traces_refuse(const struct pane_context *context, enum action action);

#endif
