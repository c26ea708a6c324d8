/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where files are sought in vain, and counting calls of functions from the screen. */
#ifndef PANETOP_PANE_CALLS_CALLS_H
#define PANETOP_PANE_CALLS_CALLS_H

#include "core/hash.h"
#include "model/frame.h"
#include "screen/context.h"

/* Texts are those of the table. */
struct failing_directory {
	struct span directory; /* of the paths, without the last slash; "/", or empty: of relative ones */
	const char *result, *command;       /* command: of the path that is tried most often */
	double per_second, most_per_second; /* most: of that path */
};

/* All zero is ready for use. */
struct failing_directories {
	struct failing_directory *list;
	size_t n, capacity;
	struct hash by_directory; /* and result */
};

/* The directory and error with the most attempts in the last interval; NULL: nothing failed. */
const struct failing_directory *failing_directory_find(struct failing_directories *directories,
						       const struct table *table);
void failing_directories_free(struct failing_directories *directories);

/* Of a pane that has the table of the topic probe: the first member of its state. */
struct probes_state {
	unsigned asked[PROBE_CALLS_MAX]; /* numbers of the request for which it was asked */
	char text[PROBE_CALL_TEXT_MAX];  /* of the one that is asked about */
};

/* Begins to count FILE:FUNCTION, of this process alone (0: of the scope). table: of the pane. */
void probes_add(struct pane_context *context, unsigned table, const char *text, uint32_t pid);

/* Asks whether to count what costs too much nevertheless, once for each; for pane->sampled. */
void probes_ask(struct pane_context *context, struct probes_state *state, const struct frame *frame);

#endif
