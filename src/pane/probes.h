/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting calls of functions from the screen: adding a probe, asking where it costs too much, taking it off.
 */
#ifndef PANETOP_PANE_PROBES_H
#define PANETOP_PANE_PROBES_H

#include "screen/context.h"

/* Of a pane that has the table of the topic probe: the first member of its state. */
struct probes_state {
	unsigned asked[PROBE_CALLS_MAX]; /* numbers of the request for which it was asked */
	char text[PROBE_CALL_TEXT_MAX];  /* of the one that is asked about */
};

/* Begins to count FILE:FUNCTION, of this process alone (0: of the scope). table: of the pane. */
void probes_add(struct pane_context *context, unsigned table, const char *text, uint32_t pid);

/* Asks whether to count what costs too much nevertheless, once for each; for pane->sampled. */
void probes_ask(struct pane_context *context, struct probes_state *state, const struct frame *frame);

/* The same again, of this probe. */
void probes_ask_about(struct pane_context *context, struct probes_state *state, const char *text);

/* It is counted no longer. */
void probes_remove(struct pane_context *context, const char *text);

bool probes_any(const struct sample_request *request);

#endif
