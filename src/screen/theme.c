/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Styles in colours that colour-blind people can distinguish (after Okabe and Ito), and glyph sets. */
#include <config.h>

#include "screen/theme.h"

#include <curses.h>
#include <string.h>

#define NO_COLOR (-1)
#define OWN_PAIR (STYLE_NORMAL + 1) /* the terminal's own colours */

/* Foreground and background for 256 and for 8 colours; attributes for every terminal. */
static const struct look {
	attr_t attributes;
	short front, back, front8, back8;
	attr_t plain; /* attributes without colour */
} looks[N_STYLES] = {
	[STYLE_NORMAL] = { 0, NO_COLOR, NO_COLOR, NO_COLOR, NO_COLOR, 0 },
	[STYLE_DIM] = { 0, 245, NO_COLOR, NO_COLOR, NO_COLOR, A_DIM },
	[STYLE_STRONG] = { A_BOLD, NO_COLOR, NO_COLOR, NO_COLOR, NO_COLOR, A_BOLD },
	[STYLE_HEADLINE] = { A_BOLD, NO_COLOR, NO_COLOR, NO_COLOR, NO_COLOR, A_BOLD },
	[STYLE_TAB] = { 0, 245, NO_COLOR, NO_COLOR, NO_COLOR, 0 },
	[STYLE_TAB_ON] = { A_BOLD, 74, NO_COLOR, COLOR_CYAN, NO_COLOR, A_BOLD },
	[STYLE_HEADING] = { A_BOLD, 74, NO_COLOR, COLOR_CYAN, NO_COLOR, A_BOLD | A_UNDERLINE },
	[STYLE_ROW] = { 0, 255, 238, COLOR_WHITE, COLOR_BLUE, A_REVERSE },
	[STYLE_CELL] = { A_BOLD, 16, 214, COLOR_BLACK, COLOR_YELLOW, A_REVERSE | A_BOLD },
	[STYLE_NOTICE] = { 0, 214, NO_COLOR, COLOR_YELLOW, NO_COLOR, A_BOLD },
	[STYLE_KEY] = { A_BOLD, 74, NO_COLOR, COLOR_CYAN, NO_COLOR, A_REVERSE },
	[STYLE_WARN] = { 0, 214, NO_COLOR, COLOR_YELLOW, NO_COLOR, A_BOLD },
	[STYLE_BAD] = { A_BOLD, 166, NO_COLOR, COLOR_RED, NO_COLOR, A_BOLD | A_REVERSE },
	[STYLE_NEW] = { A_BOLD, 16, 227, COLOR_BLACK, COLOR_WHITE, A_REVERSE },
	[STYLE_SERIES] = { 0, 214, NO_COLOR, COLOR_YELLOW, NO_COLOR, 0 },
	[STYLE_SERIES + 1] = { 0, 175, NO_COLOR, COLOR_MAGENTA, NO_COLOR, 0 },
	[STYLE_SERIES + 2] = { 0, 74, NO_COLOR, COLOR_CYAN, NO_COLOR, 0 },
	[STYLE_SERIES + 3] = { 0, 36, NO_COLOR, COLOR_GREEN, NO_COLOR, 0 },
	[STYLE_SERIES + 4] = { 0, 227, NO_COLOR, COLOR_WHITE, NO_COLOR, 0 },
	[STYLE_SERIES + 5] = { 0, 166, NO_COLOR, COLOR_RED, NO_COLOR, 0 },
	[STYLE_SERIES + 6] = { 0, 33, NO_COLOR, COLOR_BLUE, NO_COLOR, 0 },
	[STYLE_SERIES + 7] = { 0, 250, NO_COLOR, NO_COLOR, NO_COLOR, 0 },
};

const struct glyphs glyph_sets[N_GLYPH_SETS] = {
	[GLYPHS_BLOCK] = {
		.name = "block",
		.fill = { 0x2588, 0x2593, 0x2592, 0x2591, 0x25a4, 0x25a5, 0x25a6, 0x25a7 },
		.empty = 0xb7, .axis = 0x2502, .tick = 0x2524, .corner = 0x2514, .gap = 0x2248,
		.rule = 0x2500,
		.rising = 0x25b2, .falling = 0x25bc, .mark = 0x2502, .cut = 0x2026,
	},
	[GLYPHS_BRAILLE] = {
		.name = "braille",
		.fill = { 0x28ff, 0x28db, 0x28a5, 0x2844, 0x28b6, 0x285a, 0x2895, 0x2840 },
		.empty = 0xb7, .axis = 0x2502, .tick = 0x2524, .corner = 0x2514, .gap = 0x2248,
		.rule = 0x2500,
		.rising = 0x25b2, .falling = 0x25bc, .mark = 0x2502, .cut = 0x2026,
		.braille = true,
	},
	[GLYPHS_ASCII] = {
		.name = "ascii",
		.empty = '.', .axis = '|', .tick = '+', .corner = '+', .gap = '~', .rule = '-',
		.rising = '^', .falling = 'v', .mark = '|', .cut = '~', .ascii = true,
	},
};

bool glyph_set_parse(const char *name, enum glyph_set *set)
{
	for (int i = 0; i < N_GLYPH_SETS; i++) {
		if (strcmp(glyph_sets[i].name, name) == 0) {
			*set = (enum glyph_set)i;
			return true;
		}
	}
	return false;
}

/* All styles in the terminal's own colours share one pair, blanks too: changing the pair costs bytes. */
static bool has_color(const struct look *look)
{
	return COLORS >= 256 ? look->front != NO_COLOR || look->back != NO_COLOR
			     : look->front8 != NO_COLOR || look->back8 != NO_COLOR;
}

static short blend_pair(unsigned front, unsigned back)
{
	return (short)(N_STYLES + 1 + front * STYLE_SERIES_COUNT + back);
}

static bool blends(void)
{
	return COLORS >= 256 && COLOR_PAIRS > blend_pair(STYLE_SERIES_COUNT - 1, STYLE_SERIES_COUNT - 1);
}

static void open_blends(void)
{
	for (unsigned front = 0; front < STYLE_SERIES_COUNT; front++)
		for (unsigned back = 0; back < STYLE_SERIES_COUNT; back++)
			init_pair(blend_pair(front, back), looks[STYLE_SERIES + front].front,
				  looks[STYLE_SERIES + back].front);
}

/* Curses sends more for pair 0 than for another pair of the same colours; style N has pair N + 1. */
bool theme_open(bool color)
{
	if (!color || !has_colors() || start_color() == ERR || COLORS < 8 || COLOR_PAIRS <= N_STYLES)
		return false;
	use_default_colors();
	for (short i = 0; i < N_STYLES; i++) {
		const struct look *look = &looks[i];
		bool many = COLORS >= 256;

		init_pair((short)(i + 1), many ? look->front : look->front8, many ? look->back : look->back8);
	}
	if (blends())
		open_blends();
	bkgdset((chtype)COLOR_PAIR(OWN_PAIR) | ' ');
	return true;
}

void theme_look(enum style style, bool color, unsigned long *attributes, short *pair)
{
	*attributes = color ? looks[style].attributes : looks[style].plain;
	*pair = !color ? 0 : has_color(&looks[style]) ? (short)(style + 1) : OWN_PAIR;
}

short theme_blend(bool color, unsigned front, unsigned back)
{
	return color && blends() ? blend_pair(front, back) : 0;
}
