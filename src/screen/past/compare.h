/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A marked moment, and the difference between it and the shown one in place of every table. */
#ifndef PANETOP_SCREEN_COMPARE_H
#define PANETOP_SCREEN_COMPARE_H

#include "screen/state.h"

void compare_mark(struct pane_context *context); /* the shown moment; it replaces the one before */

/* All tables show differences from it, or their own rows again. */
void compare_turn(struct screen *screen, bool on);

/* All tables of the view, in place of what the pane draws. */
void compare_draw(const struct pane_context *context, const struct canvas *canvas);

/* For the first line: "12:05:03 compared with 12:04:58 (5.0 s)", or "12:05:03-12:04:58". */
void compare_text(const struct screen *screen, bool brief, char *text, size_t room);

/* For the key i. */
void compare_why(const struct screen *screen, struct buffer *out);

#endif
