/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Themes in colours that colour-blind people can distinguish: usage in blue and green, amber and red for what
 * needs a look. Also glyph sets.
 */
#include <config.h>

#include "screen/theme.h"

#include <curses.h>
#include <math.h>
#include <string.h>
#include <term.h>

#include "core/span.h"

#define USERS 16       /* the first ones, which each terminal has in its own way */
#define GREYS 232      /* the first of the greys behind the cube of 6 x 6 x 6 */
#define FLARE 0.05     /* of the definition of contrast */
#define DARK_TEXT 0.18 /* luminance of the middle grey */

const char *const palette_names[N_PALETTE_NAMES] = {
	[PALETTE_BACKGROUND] = "background", [PALETTE_TEXT] = "text",         [PALETTE_DIM] = "dim",
	[PALETTE_ACCENT] = "accent",         [PALETTE_SELECTED] = "selected", [PALETTE_CALM] = "calm",
	[PALETTE_BUSY] = "busy",             [PALETTE_CRITICAL] = "critical", [PALETTE_GOOD] = "good",
};

int palette_find(const char *name)
{
	for (int i = 0; i < N_PALETTE_NAMES; i++)
		if (strcmp(name, palette_names[i]) == 0)
			return i;
	return -1;
}

unsigned palette_rgb(short color)
{
	static const unsigned named[USERS] = {
		0x1c1c1c, 0xe06c75, 0x98c379, 0xe5c07b, 0x61afef, 0xc678dd, 0x56b6c2, 0xd0d0d0,
		0x6c6c6c, 0xff8087, 0xb5e090, 0xffe090, 0x80c8ff, 0xe090ff, 0x70d8e0, 0xffffff,
	};
	static const unsigned levels[] = { 0, 95, 135, 175, 215, 255 };
	unsigned n = (unsigned)color;

	if (n < USERS)
		return named[n];
	if (n >= GREYS)
		return (8 + 10 * (n - GREYS)) * 0x10101;
	n -= USERS;
	return levels[n / 36] << 16 | levels[n / 6 % 6] << 8 | levels[n % 6];
}

struct linear {
	double parts[3]; /* red, green, blue: 0 to 1 */
};

static struct linear linear_of(unsigned rgb)
{
	struct linear linear;

	for (int i = 0; i < 3; i++) {
		double value = (rgb >> (16 - 8 * i) & 255) / 255.0;

		linear.parts[i] = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
	}
	return linear;
}

static unsigned rgb_of(const struct linear *linear)
{
	unsigned rgb = 0;

	for (int i = 0; i < 3; i++) {
		double part = linear->parts[i];
		double value = part <= 0.0031308 ? 12.92 * part : 1.055 * pow(part, 1 / 2.4) - 0.055;

		rgb = rgb << 8 | (unsigned)lround(255 * value);
	}
	return rgb;
}

static double luminance_of(const struct linear *linear)
{
	return 0.2126 * linear->parts[0] + 0.7152 * linear->parts[1] + 0.0722 * linear->parts[2];
}

double palette_luminance(short color)
{
	struct linear linear = linear_of(palette_rgb(color));

	return luminance_of(&linear);
}

static short nearest(unsigned rgb)
{
	unsigned least = UINT32_MAX;
	short found = PALETTE_BLACK;

	for (short color = USERS; color < 256; color++) {
		unsigned of = palette_rgb(color), distance = 0;

		for (int shift = 0; shift < 24; shift += 8) {
			int apart = (int)(rgb >> shift & 255) - (int)(of >> shift & 255);

			distance += (unsigned)(apart * apart);
		}
		if (distance < least) {
			least = distance;
			found = color;
		}
	}
	return found;
}

bool palette_set(struct palette *palette, enum palette_name name, const char *text)
{
	struct span rest = span_text(text + (*text == '#'));
	uint64_t number;

	if (strcmp(text, "default") == 0 && name <= PALETTE_TEXT) {
		palette->colors[name] = PALETTE_OWN;
		return true;
	}
	if (*text == '#') {
		if (span_length(rest) != 6 || !span_hex(&rest, &number) || number > 0xffffff ||
		    rest.at != rest.end || strchr(text, ' '))
			return false;
		palette->colors[name] = nearest((unsigned)number);
		return true;
	}
	if (!span_whole_number(text, 0, 255, &number))
		return false;
	palette->colors[name] = (short)number;
	return true;
}

/* Where the background is the terminal's own, the text says what it may be. */
static double ground_luminance(const struct palette *palette)
{
	short back = palette->colors[PALETTE_BACKGROUND], text = palette->colors[PALETTE_TEXT];

	if (back != PALETTE_OWN)
		return palette_luminance(back);
	return text != PALETTE_OWN && palette_luminance(text) < DARK_TEXT ? 1 : 0;
}

bool palette_is_light(const struct palette *palette)
{
	return ground_luminance(palette) >= DARK_TEXT;
}

short palette_text_on(short back)
{
	return palette_luminance(back) >= DARK_TEXT ? PALETTE_BLACK : PALETTE_WHITE;
}

/* Darker colours keep the proportions of their parts, lighter ones get white. */
short palette_contrasting(const struct palette *palette, short color, double contrast)
{
	double ground = ground_luminance(palette) + FLARE;
	double wanted = (palette_is_light(palette) ? ground / contrast : ground * contrast) - FLARE;
	struct linear linear = linear_of(palette_rgb(color));
	double now = luminance_of(&linear);

	wanted = fmin(fmax(wanted, 0), 1);
	for (int i = 0; i < 3; i++) {
		double *part = &linear.parts[i];

		*part = now > wanted ? *part * wanted / now
			: now < 1    ? *part + (1 - *part) * (wanted - now) / (1 - now)
				     : *part;
	}
	return nearest(rgb_of(&linear));
}

#define OWN PALETTE_OWN
#define OWN_PAIR (STYLE_NORMAL + 1) /* the terminal's own colours */

#ifndef A_ITALIC
#define A_ITALIC 0
#endif

/* In 256 colours. Three levels of lightness alternate: neighbouring series differ, whatever their hue. */
static const struct theme_colors dark[N_STYLES] = {
	[STYLE_NORMAL] = { OWN, OWN },     [STYLE_DIM] = { 245, OWN },
	[STYLE_STRONG] = { OWN, OWN },     [STYLE_HEADLINE] = { OWN, OWN },
	[STYLE_TAB] = { 245, OWN },        [STYLE_TAB_ON] = { 74, OWN },
	[STYLE_HEADING] = { 74, OWN },     [STYLE_ROW] = { 255, 238 },
	[STYLE_CELL] = { 16, 74 },         [STYLE_NOTICE] = { 214, OWN },
	[STYLE_KEY] = { 74, OWN },         [STYLE_OK] = { 78, OWN },
	[STYLE_WARN] = { 214, OWN },       [STYLE_BAD] = { 203, OWN },
	[STYLE_NEW] = { 16, 227 },         [STYLE_FRESH] = { 78, OWN },
	[STYLE_PROGRAM] = { OWN, OWN },    [STYLE_PATH] = { 245, OWN },
	[STYLE_MATCH] = { 16, 115 },       [STYLE_ENDED] = { 245, OWN },
	[STYLE_FAILED] = { 203, OWN },     [STYLE_FORK] = { 245, OWN },
	[STYLE_USAGE] = { 68, OWN },       [STYLE_USAGE + 1] = { 74, OWN },
	[STYLE_USAGE + 2] = { 80, OWN },   [STYLE_USAGE + 3] = { 214, OWN },
	[STYLE_USAGE + 4] = { 203, OWN },
	[STYLE_SERIES] = { 68, OWN },      [STYLE_SERIES + 1] = { 114, OWN },
	[STYLE_SERIES + 2] = { 73, OWN },  [STYLE_SERIES + 3] = { 102, OWN },
	[STYLE_SERIES + 4] = { 117, OWN }, [STYLE_SERIES + 5] = { 176, OWN },
	[STYLE_SERIES + 6] = { 33, OWN },  [STYLE_SERIES + 7] = { 188, OWN },
};

static const struct theme_colors light[N_STYLES] = {
	[STYLE_NORMAL] = { OWN, OWN },    [STYLE_DIM] = { 242, OWN },
	[STYLE_STRONG] = { OWN, OWN },    [STYLE_HEADLINE] = { OWN, OWN },
	[STYLE_TAB] = { 242, OWN },       [STYLE_TAB_ON] = { 25, OWN },
	[STYLE_HEADING] = { 25, OWN },    [STYLE_ROW] = { 16, 153 },
	[STYLE_CELL] = { 231, 25 },       [STYLE_NOTICE] = { 130, OWN },
	[STYLE_KEY] = { 25, OWN },        [STYLE_OK] = { 28, OWN },
	[STYLE_WARN] = { 130, OWN },      [STYLE_BAD] = { 124, OWN },
	[STYLE_NEW] = { 231, 90 },        [STYLE_FRESH] = { 28, OWN },
	[STYLE_PROGRAM] = { OWN, OWN },   [STYLE_PATH] = { 242, OWN },
	[STYLE_MATCH] = { 16, 121 },      [STYLE_ENDED] = { 242, OWN },
	[STYLE_FAILED] = { 124, OWN },    [STYLE_FORK] = { 242, OWN },
	[STYLE_USAGE] = { 26, OWN },      [STYLE_USAGE + 1] = { 25, OWN },
	[STYLE_USAGE + 2] = { 54, OWN },  [STYLE_USAGE + 3] = { 130, OWN },
	[STYLE_USAGE + 4] = { 88, OWN },
	[STYLE_SERIES] = { 25, OWN },     [STYLE_SERIES + 1] = { 55, OWN },
	[STYLE_SERIES + 2] = { 29, OWN }, [STYLE_SERIES + 3] = { 58, OWN },
	[STYLE_SERIES + 4] = { 21, OWN }, [STYLE_SERIES + 5] = { 243, OWN },
	[STYLE_SERIES + 6] = { 59, OWN }, [STYLE_SERIES + 7] = { 56, OWN },
};

static const struct theme_colors few[N_STYLES] = {
	[STYLE_NORMAL] = { OWN, OWN },                [STYLE_DIM] = { OWN, OWN },
	[STYLE_STRONG] = { OWN, OWN },                [STYLE_HEADLINE] = { OWN, OWN },
	[STYLE_TAB] = { OWN, OWN },                   [STYLE_TAB_ON] = { COLOR_CYAN, OWN },
	[STYLE_HEADING] = { COLOR_CYAN, OWN },        [STYLE_ROW] = { COLOR_WHITE, COLOR_BLUE },
	[STYLE_CELL] = { COLOR_BLACK, COLOR_CYAN },   [STYLE_NOTICE] = { COLOR_YELLOW, OWN },
	[STYLE_KEY] = { COLOR_CYAN, OWN },            [STYLE_OK] = { COLOR_GREEN, OWN },
	[STYLE_WARN] = { COLOR_YELLOW, OWN },         [STYLE_BAD] = { COLOR_RED, OWN },
	[STYLE_NEW] = { COLOR_BLACK, COLOR_WHITE },   [STYLE_FRESH] = { COLOR_GREEN, OWN },
	[STYLE_PROGRAM] = { OWN, OWN },               [STYLE_PATH] = { OWN, OWN },
	[STYLE_MATCH] = { COLOR_BLACK, COLOR_GREEN }, [STYLE_ENDED] = { OWN, OWN },
	[STYLE_FAILED] = { COLOR_RED, OWN },          [STYLE_FORK] = { OWN, OWN },
	[STYLE_USAGE] = { COLOR_BLUE, OWN },          [STYLE_USAGE + 1] = { COLOR_CYAN, OWN },
	[STYLE_USAGE + 2] = { COLOR_GREEN, OWN },     [STYLE_USAGE + 3] = { COLOR_YELLOW, OWN },
	[STYLE_USAGE + 4] = { COLOR_RED, OWN },       [STYLE_SERIES] = { COLOR_CYAN, OWN },
	[STYLE_SERIES + 1] = { COLOR_MAGENTA, OWN },  [STYLE_SERIES + 2] = { COLOR_GREEN, OWN },
	[STYLE_SERIES + 3] = { OWN, OWN },            [STYLE_SERIES + 4] = { COLOR_BLUE, OWN },
	[STYLE_SERIES + 5] = { COLOR_MAGENTA, OWN },  [STYLE_SERIES + 6] = { COLOR_GREEN, OWN },
	[STYLE_SERIES + 7] = { OWN, OWN },
};

/* The values were computed: theme_test has what must hold. */
static const struct palette contrast = { {
	[PALETTE_BACKGROUND] = PALETTE_BLACK, [PALETTE_TEXT] = PALETTE_WHITE, [PALETTE_DIM] = 250,
	[PALETTE_ACCENT] = 51,                [PALETTE_SELECTED] = 19,        [PALETTE_CALM] = 38,
	[PALETTE_BUSY] = 220,                 [PALETTE_CRITICAL] = 210,       [PALETTE_GOOD] = 120,
} };

static const struct palette warm = { {
	[PALETTE_BACKGROUND] = 235, [PALETTE_TEXT] = 223,     [PALETTE_DIM] = 246,
	[PALETTE_ACCENT] = 108,     [PALETTE_SELECTED] = 239, [PALETTE_CALM] = 72,
	[PALETTE_BUSY] = 221,       [PALETTE_CRITICAL] = 209, [PALETTE_GOOD] = 148,
} };

static struct palette of_file = { {
	[PALETTE_BACKGROUND] = OWN, [PALETTE_TEXT] = OWN,     [PALETTE_DIM] = 245,
	[PALETTE_ACCENT] = 74,      [PALETTE_SELECTED] = 238, [PALETTE_CALM] = 68,
	[PALETTE_BUSY] = 214,       [PALETTE_CRITICAL] = 203, [PALETTE_GOOD] = 78,
} };

#define TEXT_ON (-1) /* black or white, whichever is easier to read there */

/* What a style has of nine colours, of which the first is its back unless another is named. Series and the
 * first levels of usage are computed. */
static const struct {
	int front;
	enum palette_name back;
} roles[STYLE_SERIES] = {
	[STYLE_NORMAL] = { PALETTE_TEXT },             [STYLE_DIM] = { PALETTE_DIM },
	[STYLE_STRONG] = { PALETTE_TEXT },             [STYLE_HEADLINE] = { PALETTE_TEXT },
	[STYLE_TAB] = { PALETTE_DIM },                 [STYLE_TAB_ON] = { PALETTE_ACCENT },
	[STYLE_HEADING] = { PALETTE_ACCENT },          [STYLE_ROW] = { TEXT_ON, PALETTE_SELECTED },
	[STYLE_CELL] = { TEXT_ON, PALETTE_ACCENT },    [STYLE_NOTICE] = { PALETTE_BUSY },
	[STYLE_KEY] = { PALETTE_ACCENT },              [STYLE_OK] = { PALETTE_GOOD },
	[STYLE_WARN] = { PALETTE_BUSY },               [STYLE_BAD] = { PALETTE_CRITICAL },
	[STYLE_NEW] = { TEXT_ON, PALETTE_BUSY },       [STYLE_FRESH] = { PALETTE_GOOD },
	[STYLE_PROGRAM] = { PALETTE_TEXT },            [STYLE_PATH] = { PALETTE_DIM },
	[STYLE_MATCH] = { TEXT_ON, PALETTE_GOOD },     [STYLE_ENDED] = { PALETTE_DIM },
	[STYLE_FAILED] = { PALETTE_CRITICAL },         [STYLE_FORK] = { PALETTE_DIM },
	[STYLE_USAGE] = { PALETTE_CALM },              [STYLE_USAGE + 1] = { PALETTE_CALM },
	[STYLE_USAGE_BUSY] = { PALETTE_GOOD },         [STYLE_USAGE_ALARM] = { PALETTE_BUSY },
	[STYLE_USAGE_CRITICAL] = { PALETTE_CRITICAL },
};

/* Attributes with 256, with few and without colours. */
static const struct attributes {
	attr_t many, few, none;
} attributes_of[N_STYLES] = {
	[STYLE_DIM] = { 0, A_DIM, A_DIM },
	[STYLE_STRONG] = { A_BOLD, A_BOLD, A_BOLD },
	[STYLE_HEADLINE] = { A_BOLD, A_BOLD, A_BOLD },
	[STYLE_TAB_ON] = { A_BOLD, A_BOLD, A_BOLD },
	[STYLE_HEADING] = { A_BOLD, A_BOLD, A_BOLD | A_UNDERLINE },
	[STYLE_ROW] = { 0, 0, A_REVERSE },
	[STYLE_CELL] = { A_BOLD, 0, A_REVERSE | A_BOLD },
	[STYLE_NOTICE] = { 0, 0, A_BOLD },
	[STYLE_KEY] = { A_BOLD, A_BOLD, A_REVERSE },
	[STYLE_OK] = { 0, 0, A_BOLD },
	[STYLE_WARN] = { 0, 0, A_BOLD },
	[STYLE_BAD] = { A_BOLD, A_BOLD, A_BOLD | A_REVERSE },
	[STYLE_NEW] = { A_BOLD, 0, A_REVERSE },
	[STYLE_FRESH] = { A_UNDERLINE, A_UNDERLINE, A_UNDERLINE },
	[STYLE_PROGRAM] = { A_BOLD, A_BOLD, A_BOLD },
	[STYLE_PATH] = { 0, A_DIM, 0 },
	[STYLE_MATCH] = { 0, 0, A_REVERSE },
	[STYLE_ENDED] = { A_ITALIC, A_DIM, A_DIM },
	[STYLE_FAILED] = { 0, 0, A_BOLD },
	[STYLE_FORK] = { 0, A_DIM, A_DIM },
	[STYLE_USAGE + 2] = { 0, 0, A_BOLD },
	[STYLE_USAGE + 3] = { 0, A_BOLD, A_BOLD },
	[STYLE_USAGE + 4] = { 0, A_BOLD, A_BOLD },
	[STYLE_SERIES + 5] = { 0, A_BOLD, 0 },
	[STYLE_SERIES + 6] = { 0, A_BOLD, 0 },
	[STYLE_SERIES + 7] = { 0, A_BOLD, 0 },
};

const struct glyphs glyph_sets[N_GLYPH_SETS] = {
	[GLYPHS_BLOCK] = {
		.fill = { 0x2588, 0x2593, 0x2592, 0x2591, 0x25a4, 0x25a5, 0x25a6, 0x25a7 },
		.empty = 0xb7, .axis = 0x2502, .tick = 0x2524, .corner = 0x2514, .gap = 0x2248,
		.rule = 0x2500, .branch = 0x251c, .last_branch = 0x2514,
		.rising = 0x25b2, .falling = 0x25bc, .mark = 0x2502, .cut = 0x2026,
	},
	[GLYPHS_BRAILLE] = {
		.fill = { 0x28ff, 0x28db, 0x28a5, 0x2844, 0x28b6, 0x285a, 0x2895, 0x2840 },
		.empty = 0xb7, .axis = 0x2502, .tick = 0x2524, .corner = 0x2514, .gap = 0x2248,
		.rule = 0x2500, .branch = 0x251c, .last_branch = 0x2514,
		.rising = 0x25b2, .falling = 0x25bc, .mark = 0x2502, .cut = 0x2026,
		.braille = true,
	},
	[GLYPHS_ASCII] = {
		.empty = '.', .axis = '|', .tick = '+', .corner = '+', .gap = '~', .rule = '-',
		.branch = '|', .last_branch = '`',
		.rising = '^', .falling = 'v', .mark = '|', .cut = '~', .ascii = true,
	},
};

/* Its last number is the ground, in the order of the 16 colours: 7 is light grey, 8 dark grey. */
enum theme theme_of_terminal(const char *colorfgbg)
{
	const char *last = colorfgbg ? strrchr(colorfgbg, ';') : NULL;
	uint64_t ground;

	if (!last || !span_whole_number(last + 1, 0, 255, &ground))
		return THEME_DARK;
	return ground == 7 || (ground >= 9 && ground <= 15) ? THEME_LIGHT : THEME_DARK;
}

/* Of one to four hexadecimal digits: a share of the highest value. */
static bool read_share(struct span *rest, double *share)
{
	const char *begin = rest->at;
	uint64_t value;
	long digits;

	if (!span_hex(rest, &value))
		return false;
	digits = rest->at - begin;
	if (digits > 4)
		return false;
	*share = (double)value / ((1u << 4 * digits) - 1);
	return true;
}

bool theme_of_answer(const char *answer, enum theme *theme)
{
	static const char *const prefixes[] = { "11;rgb:", "11;rgba:" };
	double red, green, blue;

	for (unsigned i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t length = strlen(prefixes[i]);
		struct span rest;

		if (strncmp(answer, prefixes[i], length) != 0)
			continue;
		rest = span_text(answer + length);
		if (!read_share(&rest, &red) || !span_char(&rest, '/') || !read_share(&rest, &green) ||
		    !span_char(&rest, '/') || !read_share(&rest, &blue))
			return false;
		*theme = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? THEME_LIGHT : THEME_DARK;
		return true;
	}
	return false;
}

void theme_set_file(const struct palette *palette)
{
	of_file = *palette;
}

const struct palette *theme_file(void)
{
	return &of_file;
}

/* NULL: it has a table of its own. */
static const struct palette *palette_of(enum theme theme)
{
	return theme == THEME_CONTRAST ? &contrast
	       : theme == THEME_WARM   ? &warm
	       : theme == THEME_FILE   ? &of_file
				       : NULL;
}

bool theme_is_light(enum theme theme)
{
	const struct palette *palette = palette_of(theme);

	return palette ? palette_is_light(palette) : theme == THEME_LIGHT;
}

/* Three levels of contrast alternate, so that neighbours differ, whatever their hue. */
static short series_of(const struct palette *palette, unsigned series)
{
	static const enum palette_name hues[] = { PALETTE_CALM, PALETTE_GOOD, PALETTE_ACCENT, PALETTE_DIM };
	static const double levels[] = { 5, 8, 12 };

	return palette_contrasting(palette, palette->colors[hues[series % 4]], levels[series % 3]);
}

static struct theme_colors colors_from(const struct palette *palette, enum style style)
{
	short back = palette->colors[style < STYLE_SERIES ? roles[style].back : PALETTE_BACKGROUND];
	int front = style < STYLE_SERIES ? roles[style].front : 0;

	if (style >= STYLE_SERIES)
		return (struct theme_colors){ series_of(palette, style - STYLE_SERIES), back };
	if (front == TEXT_ON)
		return (struct theme_colors){ palette_text_on(back), back };
	return (struct theme_colors){ palette->colors[front], back };
}

struct theme_colors theme_colors(enum theme theme, enum style style)
{
	const struct palette *palette = palette_of(theme);

	if (palette)
		return colors_from(palette, style);
	return theme == THEME_DARK ? dark[style] : theme == THEME_LIGHT ? light[style] : few[style];
}

/* Bright colours cannot be read on a light ground. */
static short on_light(short color)
{
	return color == COLOR_YELLOW ? COLOR_MAGENTA : color == COLOR_CYAN ? COLOR_BLUE : color;
}

/* The theme that was opened, as this terminal can show it. */
static struct {
	enum theme theme;
	bool direct; /* its colours are RGB, as of xterm-direct, and not a palette */
	struct theme_colors colors[N_STYLES];
} opened;

/* On a light ground few colours are others. */
static void choose_colors(bool on_light_ground)
{
	for (unsigned style = 0; style < N_STYLES; style++) {
		struct theme_colors colors = theme_colors(opened.theme, (enum style)style);

		if (on_light_ground && colors.back == OWN)
			colors.front = on_light(colors.front);
		opened.colors[style] = colors;
	}
}

/* All styles in the colours of plain text share one pair, blanks too: changing the pair costs bytes. */
static short pair_of(enum style style)
{
	struct theme_colors colors = opened.colors[style], plain = opened.colors[STYLE_NORMAL];

	return colors.front == plain.front && colors.back == plain.back ? OWN_PAIR : (short)(style + 1);
}

/* Terminals with direct colours take the first 8 or 256 from a palette nevertheless: black gets some red. */
static int terminal_color(short color)
{
	unsigned rgb = opened.direct && color >= 8 ? palette_rgb(color) : 0;

	return !opened.direct || color < 8 ? color : rgb < 256 ? (int)(rgb | 0x010000) : (int)rgb;
}

unsigned theme_rgb(int color)
{
	return color < 256 ? palette_rgb((short)color) : (unsigned)color;
}

static void open_pair(short pair, short front, short back)
{
	init_extended_pair(pair, terminal_color(front), terminal_color(back));
}

static short blend_pair(unsigned front, unsigned back)
{
	return (short)(N_STYLES + 1 + front * STYLE_SERIES_COUNT + back);
}

/* The terminal's own foreground cannot be a background. */
static bool blends(void)
{
	return opened.theme != THEME_TERMINAL &&
	       COLOR_PAIRS > blend_pair(STYLE_SERIES_COUNT - 1, STYLE_SERIES_COUNT - 1);
}

static short series_color(unsigned series)
{
	return opened.colors[STYLE_SERIES + series].front;
}

static void open_blends(void)
{
	for (unsigned front = 0; front < STYLE_SERIES_COUNT; front++)
		for (unsigned back = 0; back < STYLE_SERIES_COUNT; back++)
			open_pair(blend_pair(front, back), series_color(front), series_color(back));
}

/* Curses sends more for pair 0 than for another pair of the same colours; style N has pair N + 1. */
bool theme_open(enum theme theme, bool color)
{
	if (!color || !has_colors() || start_color() == ERR || COLORS < 8 || COLOR_PAIRS <= N_STYLES)
		return false;
	use_default_colors();
	opened.direct = tigetflag("RGB") > 0;
	opened.theme = COLORS >= 256 ? theme : THEME_TERMINAL;
	choose_colors(COLORS < 256 && theme_is_light(theme));
	for (short i = 0; i < N_STYLES; i++)
		open_pair((short)(i + 1), opened.colors[i].front, opened.colors[i].back);
	if (blends())
		open_blends();
	bkgdset((chtype)COLOR_PAIR(OWN_PAIR) | ' ');
	return true;
}

void theme_look(enum style style, bool color, unsigned long *attributes, short *pair)
{
	const struct attributes *of = &attributes_of[style];

	*attributes = !color ? of->none : opened.theme == THEME_TERMINAL ? of->few : of->many;
	*pair = color ? pair_of(style) : 0;
}

short theme_blend(bool color, unsigned front, unsigned back)
{
	return color && blends() ? blend_pair(front, back) : 0;
}
