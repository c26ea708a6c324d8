/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that several panes use, and sentences on the screen. */
#ifndef PANETOP_PANE_TEXT_H
#define PANETOP_PANE_TEXT_H

#include "core/i18n.h"
#include "model/sentence.h"
#include "screen/canvas.h"

/* Why an action failed: "the process has ended", "Permission denied; run it as root"; remedy may be NULL. */
char *failure_text(char text[TEXT_MAX], int error, const char *remedy);

/* Draws the first that holds, wrapped from line y on; returns how many lines it takes. */
int draw_remarks(const struct canvas *canvas, int y, enum style style, const struct remark *remarks,
		 size_t n_remarks, const struct facts *facts);

/* As canvas_text(), up to the edge, and canvas_piece(): a text with numbers, not translated yet. */
int draw_text(const struct canvas *canvas, int y, int x, enum style style, const char *text,
	      const struct facts *facts);
int draw_piece(const struct canvas *canvas, int y, int x, enum style style, const char *text,
	       const struct facts *facts);

#endif
