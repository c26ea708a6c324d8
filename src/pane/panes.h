/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of all panes. */
#ifndef PANETOP_PANE_PANES_H
#define PANETOP_PANE_PANES_H

#include "model/history.h"
#include "screen/pane.h"
#include "screen/setup.h"

extern const struct pane *const panes[];
extern const unsigned n_panes;

/* Names of the panes that batch prints when none is given, ended by NULL. */
extern const char *const batch_panes[];

/* The same of a run that only records: what the screen, findings and a page for others need. */
extern const char *const recorded_panes[];

/* That of several machines, and the first one then. */
extern const char hosts_pane[];

/* Topics of the two top lines of the screen, and of gaps in all its graphs; ended by NULL. */
extern const char *const headline_topics[];

/* What the key x compares, the most important first; ended by one without a topic. */
extern const struct explained_series explained_series[];

/* What a page for others has. */
extern const struct reported reported_overview;

/* See struct screen_setup. */
unsigned headline_pieces(const struct frame *frame, char pieces[][HEADLINE_PIECE_MAX]);
void headline_corner(const struct frame *frame, char *text, size_t room);

/* As typed by a user: its name in any case, or the only one that begins with it; NULL: none or several. */
const struct pane *pane_find(const char *typed);

#endif
