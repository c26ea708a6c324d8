/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The key S, and what is on the screen as text or as a picture. */
#ifndef PANETOP_SCREEN_SAVING_H
#define PANETOP_SCREEN_SAVING_H

#include "core/buffer.h"
#include "screen/state.h"

/* Appends the lines that were drawn last, without trailing blanks, in UTF-8. */
void snapshot_text(struct buffer *out);

/* Appends them as SVG, in their colours; light: the terminal's own are black on white. */
void snapshot_svg(struct buffer *out, bool light);

/* Asks for a name, and saves what its ending says: the past, or what is seen now as text or as a picture. */
void saving_ask(struct pane_context *context);

#endif
