/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is on the screen, as text or as a picture. */
#ifndef PANETOP_SCREEN_SNAPSHOT_H
#define PANETOP_SCREEN_SNAPSHOT_H

#include <stdbool.h>

#include "core/buffer.h"

/* Appends the lines that were drawn last, without trailing blanks, in UTF-8. */
void snapshot_text(struct buffer *out);

/* Appends them as SVG, in their colours; light: the terminal's own are black on white. */
void snapshot_svg(struct buffer *out, bool light);

#endif
