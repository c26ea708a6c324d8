/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The 256 colours of xterm by their RGB, and the nine from which a theme is made. */
#ifndef PANETOP_SCREEN_PALETTE_H
#define PANETOP_SCREEN_PALETTE_H

#include <stdbool.h>

#define PALETTE_OWN (-1) /* the terminal's own colour */
#define PALETTE_BLACK 16
#define PALETTE_WHITE 231

/* What a theme names. The first two may be PALETTE_OWN. */
enum palette_name {
	PALETTE_BACKGROUND,
	PALETTE_TEXT,
	PALETTE_DIM,
	PALETTE_ACCENT,   /* headings, keys, the shown pane */
	PALETTE_SELECTED, /* behind the selected row */
	PALETTE_CALM,     /* of bars, graphs and numbers, … */
	PALETTE_BUSY,     /* … also of notices, … */
	PALETTE_CRITICAL,
	PALETTE_GOOD,
	N_PALETTE_NAMES,
};

extern const char *const palette_names[N_PALETTE_NAMES];

struct palette {
	short colors[N_PALETTE_NAMES];
};

/* The index of a name in palette_names; -1: it is none. */
int palette_find(const char *name);

/* "#rrggbb" (the nearest colour), "0" to "255", and for the first two names "default". False: it is none. */
bool palette_set(struct palette *palette, enum palette_name name, const char *text);

/* 0xrrggbb; the first 16 are the user's, and an assumption. */
unsigned palette_rgb(short color);

/* Relative luminance as WCAG 2 defines it, 0 to 1. */
double palette_luminance(short color);

/* Is text dark on the background? */
bool palette_is_light(const struct palette *palette);

/* Black or white, whichever is easier to read on this colour. */
short palette_text_on(short back);

/* The hue of a colour, as light or dark as it must be for this contrast to the background. */
short palette_contrasting(const struct palette *palette, short color, double contrast);

#endif
