/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Styles by meaning, what a theme names, and glyph sets by what the font can draw. */
#ifndef PANETOP_SCREEN_THEME_H
#define PANETOP_SCREEN_THEME_H

#include <stdbool.h>
#include <stdint.h>

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

enum style {
	STYLE_NORMAL,
	STYLE_DIM, /* also zeros, unit letters, kernel threads */
	STYLE_STRONG,
	STYLE_HEADLINE, /* first line of the screen */
	STYLE_TAB,
	STYLE_TAB_ON,
	STYLE_HEADING, /* of a table */
	STYLE_ROW,     /* the selected row */
	STYLE_CELL,    /* the selected cell */
	STYLE_NOTICE,
	STYLE_KEY,
	STYLE_OK,
	STYLE_WARN,    /* look here … */
	STYLE_BAD,     /* … first of all */
	STYLE_NEW,     /* a cell that changed since the previous sample */
	STYLE_FRESH,   /* the name of a row that the previous sample did not have */
	STYLE_PROGRAM, /* in a command line … */
	STYLE_PATH,    /* … its path */
	STYLE_MATCH,   /* what a search or filter found */
	STYLE_ENDED,   /* a process that exited */
	STYLE_FAILED,  /* … with an error */
	STYLE_FORK,    /* an event that is rarely looked for */
	STYLE_USAGE,   /* first of STYLE_USAGE_LEVELS, from little to busy and critical */
	STYLE_SERIES = STYLE_USAGE + 5, /* first of STYLE_SERIES_COUNT; neighbours differ in lightness */
};

#define STYLE_USAGE_LEVELS 5
#define STYLE_USAGE_BUSY (STYLE_USAGE + 2)
#define STYLE_USAGE_ALARM (STYLE_USAGE + 3)
#define STYLE_USAGE_CRITICAL (STYLE_USAGE + 4)
#define STYLE_SERIES_COUNT 8
#define N_STYLES (STYLE_SERIES + STYLE_SERIES_COUNT)

/*
 * contrast: at least 7 to 1 on black; warm: a light text on dark grey; terminal: its own 16 colours, which
 * terminals with fewer than 256 colours always use; file: of theme_set_file().
 */
enum theme { THEME_DARK, THEME_LIGHT, THEME_CONTRAST, THEME_WARM, THEME_TERMINAL, THEME_FILE, N_THEMES };

/* For the ground that a terminal reports in COLORFGBG ("15;0"; may be NULL); dark if it is unknown. */
enum theme theme_of_terminal(const char *colorfgbg);

/*
 * For the ground that a terminal answers when it is asked ("11;rgb:ffff/ffff/dddd"); false: that is not an
 * answer to this.
 */
bool theme_of_answer(const char *answer, enum theme *theme);

/* Colours of the xterm palette; PALETTE_OWN: the terminal's own. */
struct theme_colors {
	short front, back;
};
struct theme_colors theme_colors(enum theme theme, enum style style);

/* The colours of THEME_FILE, copied; before that they are those of THEME_DARK, as far as nine say them. */
void theme_set_file(const struct palette *palette);
const struct palette *theme_file(void);

/* Is it for a light background? */
bool theme_is_light(enum theme theme);

enum glyph_set { GLYPHS_BLOCK, GLYPHS_BRAILLE, GLYPHS_ASCII, N_GLYPH_SETS };

/* Code points; each is one cell wide. */
struct glyphs {
	/* of the parts of a bar or stacked graph, of blocks only without colours; 0: the part's own letter */
	uint32_t fill[STYLE_SERIES_COUNT];
	uint32_t empty;               /* of a bar */
	uint32_t axis, tick, corner;
	uint32_t gap;                 /* corner of an axis that does not begin at 0 */
	uint32_t rule;                /* horizontal line */
	uint32_t branch, last_branch; /* of a tree */
	uint32_t rising, falling;     /* sort marks */
	uint32_t mark;                /* vertical line of a history mark */
	uint32_t cut;                 /* end of truncated text */
	bool braille;                 /* graphs use dots */
	bool ascii;                   /* these are all ASCII; draw only ASCII elsewhere, too */
};

extern const struct glyphs glyph_sets[N_GLYPH_SETS];

/*
 * Sets up the styles in curses, in colours that colour-blind people can distinguish, if colours are wanted
 * and available; false when only attributes are used. May be called again for another theme.
 */
bool theme_open(enum theme theme, bool color);

/* 0xrrggbb of a colour as curses has it of a pair that was opened here. */
unsigned theme_rgb(int color);

/* Attributes and colour pair for curses. */
void theme_look(enum style style, bool color, unsigned long *attributes, short *pair);

/*
 * Colour pair for a cell of two series, below STYLE_SERIES_COUNT: front for its glyph, back behind it; 0: the
 * terminal has too few colours.
 */
short theme_blend(bool color, unsigned front, unsigned back);

#endif
