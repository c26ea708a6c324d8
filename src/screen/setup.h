/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the screen gets when it starts: source, panes, settings, options. */
#ifndef PANETOP_SCREEN_SETUP_H
#define PANETOP_SCREEN_SETUP_H

#include <stdbool.h>

#include "core/settings.h"
#include "model/sample_request.h"
#include "model/source.h"
#include "screen/pane.h"
#include "screen/theme.h"
#include "sys/worker.h"

#define HEADLINE_PIECES_MAX 12
#define HEADLINE_PIECE_MAX 128

/* All borrowed. */
struct screen_setup {
	struct source *source;
	const struct schema *const *schemas; /* of all topics; the order of source->want() */
	unsigned n_schemas;
	const struct pane *const *panes;
	unsigned n_panes;
	const char *const *headline_topics;  /* ended by NULL */
	/* Writes the pieces of the first line, the most important first; returns how many. */
	unsigned (*headline)(const struct frame *frame, char pieces[][HEADLINE_PIECE_MAX]);
	/* Writes what stands at the right of the second line; may be empty. */
	void (*corner)(const struct frame *frame, char *text, size_t room);
	struct settings *settings;           /* as read from file and options; changed by key w */
	struct sample_request *request;
	int (*save)(const struct settings *settings, char *path,
		    size_t room);            /* 0 or -errno; tells the path */
	struct worker *worker;               /* may be NULL */
	unsigned first_pane;
	bool first_asked_for;                /* a replay that has nothing of it says so */
	double delay_seconds;
	bool delay_chosen;                   /* by the user: panes have no wish of their own */
	unsigned long count;                 /* quit after so many samples; 0: never */
	size_t limit;                        /* rows of a table; 0: all */
	enum size_unit unit;
	enum glyph_set glyphs;
	bool color, ascii;
	const char *filter, *sort, *columns; /* of the first pane's first table; may be NULL, valid */
};

#endif
