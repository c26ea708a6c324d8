/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Styles by meaning, and glyph sets by what the font can draw. */
#ifndef PANETOP_SCREEN_THEME_H
#define PANETOP_SCREEN_THEME_H

#include <stdbool.h>
#include <stdint.h>

enum style {
	STYLE_NORMAL,
	STYLE_DIM,
	STYLE_STRONG,
	STYLE_HEADLINE, /* first line of the screen */
	STYLE_TAB,
	STYLE_TAB_ON,
	STYLE_HEADING, /* of a table */
	STYLE_ROW,     /* the selected row */
	STYLE_CELL,    /* the selected cell */
	STYLE_NOTICE,
	STYLE_KEY,
	STYLE_WARN,
	STYLE_BAD,
	STYLE_NEW,    /* changed since the previous sample */
	STYLE_SERIES, /* first of STYLE_SERIES_COUNT */
};

#define STYLE_SERIES_COUNT 8
#define N_STYLES (STYLE_SERIES + STYLE_SERIES_COUNT)

enum glyph_set { GLYPHS_BLOCK, GLYPHS_BRAILLE, GLYPHS_ASCII, N_GLYPH_SETS };

/* Code points; each is one cell wide. */
struct glyphs {
	const char *name;
	uint32_t fill[STYLE_SERIES_COUNT]; /* of the parts of a bar or stacked graph; 0: the part's own letter
					    */
	uint32_t empty;               /* of a bar */
	uint32_t axis, tick, corner;
	uint32_t gap;                 /* corner of an axis that does not begin at 0 */
	uint32_t rule;                /* horizontal line */
	uint32_t rising, falling;     /* sort marks */
	uint32_t mark;                /* vertical line of a history mark */
	uint32_t cut;                 /* end of truncated text */
	bool braille;                 /* graphs use dots */
	bool ascii;                   /* these are all ASCII; draw only ASCII elsewhere, too */
};

extern const struct glyphs glyph_sets[N_GLYPH_SETS];

/* Finds the set with this name; false, and no change, when there is none. */
bool glyph_set_parse(const char *name, enum glyph_set *set);

/*
 * Sets up the styles in curses, in colours that colour-blind people can distinguish, if colours are wanted
 * and available; false when only attributes are used.
 */
bool theme_open(bool color);

/* Attributes and colour pair for curses. */
void theme_look(enum style style, bool color, unsigned long *attributes, short *pair);

/*
 * Colour pair for a cell of two series, below STYLE_SERIES_COUNT: front for its glyph, back behind it; 0: the
 * terminal has too few colours.
 */
short theme_blend(bool color, unsigned front, unsigned back);

#endif
