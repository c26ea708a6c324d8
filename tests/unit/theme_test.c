/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contrast of the themes on their grounds, and what is left of their colours for the colour-blind. */
#include "suite.h"

#include "screen/theme.h"

#define TEXT_CONTRAST 4.5
#define HIGH_CONTRAST 7.0
#define CELL_CONTRAST 3.0
#define LIGHTNESS_APART 8.0

struct rgb {
	double red, green, blue; /* linear, 0 to 1 */
};

static double linear(unsigned value)
{
	double v = value / 255.0;

	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static struct rgb rgb(unsigned red, unsigned green, unsigned blue)
{
	return (struct rgb){ linear(red), linear(green), linear(blue) };
}

/* Of the xterm palette; its first 16 are the user's, so no theme but "terminal" may have them. */
static struct rgb palette(short color)
{
	static const unsigned levels[] = { 0, 95, 135, 175, 215, 255 };
	unsigned of_cube = (unsigned)color - 16, grey = 8 + 10 * ((unsigned)color - 232);

	ck_assert_int_ge(color, 16);
	ck_assert_int_le(color, 255);
	return color >= 232 ? rgb(grey, grey, grey)
			    : rgb(levels[of_cube / 36], levels[of_cube / 6 % 6], levels[of_cube % 6]);
}

static double luminance(struct rgb color)
{
	return 0.2126 * color.red + 0.7152 * color.green + 0.0722 * color.blue;
}

static double contrast(struct rgb one, struct rgb other)
{
	double a = luminance(one) + 0.05, b = luminance(other) + 0.05;

	return a > b ? a / b : b / a;
}

/* L* of what deuteranopes see (Machado and others, 2009). */
static double seen_lightness(struct rgb color)
{
	struct rgb seen = {
		0.367322 * color.red + 0.860646 * color.green - 0.227968 * color.blue,
		0.280085 * color.red + 0.672501 * color.green + 0.047413 * color.blue,
		-0.011820 * color.red + 0.042940 * color.green + 0.968881 * color.blue,
	};

	return 116 * cbrt(luminance(seen)) - 16;
}

/* The terminal's own colours are an assumption: those of xterm. */
static void check_contrast(enum theme theme, struct rgb own_front, struct rgb ground)
{
	for (int style = 0; style < N_STYLES; style++) {
		struct theme_colors colors = theme_colors(theme, (enum style)style);
		struct rgb front = colors.front == PALETTE_OWN ? own_front : palette(colors.front);
		struct rgb back = colors.back == PALETTE_OWN ? ground : palette(colors.back);
		bool is_high = theme == THEME_CONTRAST && style < STYLE_SERIES;

		ck_assert_msg(contrast(front, back) >= (is_high ? HIGH_CONTRAST : TEXT_CONTRAST),
			      "theme %s, style %d: text has %.2f", theme_names[theme], style,
			      contrast(front, back));
		ck_assert_msg(style < STYLE_USAGE || contrast(front, ground) >= CELL_CONTRAST,
			      "theme %s, style %d: cells have %.2f", theme_names[theme], style,
			      contrast(front, ground));
	}
}

START_TEST(text_and_cells_stand_out)
{
	check_contrast(THEME_DARK, rgb(0xe5, 0xe5, 0xe5), rgb(0, 0, 0));
	check_contrast(THEME_DARK, rgb(0xe5, 0xe5, 0xe5), rgb(0x1e, 0x1e, 0x1e));
	check_contrast(THEME_LIGHT, rgb(0, 0, 0), rgb(0xff, 0xff, 0xff));
	check_contrast(THEME_CONTRAST, rgb(0xff, 0xff, 0xff), rgb(0, 0, 0));
	check_contrast(THEME_WARM, rgb(0xff, 0xff, 0xff), rgb(0x26, 0x26, 0x26));
}

/* The user has chosen these 16 in the terminal. */
START_TEST(the_theme_terminal_has_its_16_colors_alone)
{
	for (int style = 0; style < N_STYLES; style++) {
		struct theme_colors colors = theme_colors(THEME_TERMINAL, (enum style)style);

		ck_assert_int_lt(colors.front, 16);
		ck_assert_int_lt(colors.back, 16);
	}
}

START_TEST(colors_of_a_file)
{
	static const struct {
		enum palette_name name;
		const char *text;
		short color; /* -2: it is none */
	} cases[] = {
		{ PALETTE_BUSY, "#ffaf00", 214 },
		{ PALETTE_BUSY, "#FEAE02", 214 },
		{ PALETTE_BUSY, "#000000", 16 },
		{ PALETTE_BUSY, "#808080", 244 },
		{ PALETTE_BUSY, "0", 0 },
		{ PALETTE_BUSY, "255", 255 },
		{ PALETTE_BACKGROUND, "default", PALETTE_OWN },
		{ PALETTE_TEXT, "default", PALETTE_OWN },
		{ PALETTE_DIM, "default", -2 },
		{ PALETTE_BUSY, "256", -2 },
		{ PALETTE_BUSY, "-1", -2 },
		{ PALETTE_BUSY, "#fff", -2 },
		{ PALETTE_BUSY, "#ffaf000", -2 },
		{ PALETTE_BUSY, "#ffaf0g", -2 },
		{ PALETTE_BUSY, "# faf00", -2 },
		{ PALETTE_BUSY, "#", -2 },
		{ PALETTE_BUSY, "", -2 },
		{ PALETTE_BUSY, "amber", -2 },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct palette colors = *theme_file();
		short before = colors.colors[cases[i].name];
		bool known = cases[i].color != -2;

		ck_assert_msg(palette_set(&colors, cases[i].name, cases[i].text) == known, "'%s'",
			      cases[i].text);
		ck_assert_int_eq(colors.colors[cases[i].name], known ? cases[i].color : before);
	}
	ck_assert_int_eq(palette_find("critical"), PALETTE_CRITICAL);
	ck_assert_int_eq(palette_find("Critical"), -1);
}

/* A light ground is known by its own colour, or by a dark text on the terminal's. */
START_TEST(a_file_may_be_for_a_light_ground)
{
	struct palette colors = *theme_file();

	ck_assert(!palette_is_light(&colors));
	ck_assert(palette_set(&colors, PALETTE_TEXT, "#202020") && palette_is_light(&colors));
	ck_assert(palette_set(&colors, PALETTE_BACKGROUND, "#000000") && !palette_is_light(&colors));
	ck_assert(palette_set(&colors, PALETTE_BACKGROUND, "230") && palette_is_light(&colors));
	for (int i = 0; i < 3; i++)
		ck_assert_double_ge(
			contrast(palette(palette_contrasting(&colors, 68, 5 + 3 * i)), palette(230)),
			TEXT_CONTRAST);
}

static double lightness_of(int theme, int style)
{
	return seen_lightness(palette(theme_colors((enum theme)theme, (enum style)style).front));
}

static void check_apart(int theme, int one, int other)
{
	ck_assert_msg(fabs(lightness_of(theme, one) - lightness_of(theme, other)) >= LIGHTNESS_APART,
		      "theme %s: styles %d and %d have %.0f and %.0f", theme_names[theme], one, other,
		      lightness_of(theme, one), lightness_of(theme, other));
}

/*
 * For those who see no hue: calm, busy, alarm and critical, and neighbouring series. A part between two
 * others may vanish, so those two must differ as well.
 */
START_TEST(grades_and_neighbouring_series_differ_in_lightness)
{
	for (int theme = THEME_DARK; theme < THEME_TERMINAL; theme++) {
		check_apart(theme, STYLE_USAGE, STYLE_USAGE_BUSY);
		check_apart(theme, STYLE_USAGE, STYLE_USAGE_ALARM);
		check_apart(theme, STYLE_USAGE_ALARM, STYLE_USAGE_CRITICAL);
		check_apart(theme, STYLE_USAGE_CRITICAL, STYLE_USAGE);
		for (int i = 0; i < STYLE_SERIES_COUNT; i++)
			for (int before = i > 2 ? i - 2 : 0; before < i; before++)
				check_apart(theme, STYLE_SERIES + before, STYLE_SERIES + i);
	}
}

/* Amber and red have more red than blue and green: of series and levels only alarm and critical have. */
START_TEST(usage_is_calm)
{
	for (int theme = THEME_DARK; theme < THEME_TERMINAL; theme++) {
		for (int style = STYLE_USAGE; style < N_STYLES; style++) {
			struct rgb color = palette(theme_colors((enum theme)theme, (enum style)style).front);
			bool warm = color.red > color.green + 0.01 && color.red > color.blue + 0.01;

			ck_assert_msg(warm == (style == STYLE_USAGE_ALARM || style == STYLE_USAGE_CRITICAL),
				      "style %d", style);
		}
	}
}

START_TEST(the_ground_of_the_terminal)
{
	static const struct {
		const char *reported;
		enum theme theme;
	} cases[] = {
		{ NULL, THEME_DARK },              { "", THEME_DARK },
		{ "15;0", THEME_DARK },            { "0;15", THEME_LIGHT },
		{ "0;7", THEME_LIGHT },            { "7;8", THEME_DARK },
		{ "12;8", THEME_DARK },            { "0;default;15", THEME_LIGHT },
		{ "15;default", THEME_DARK },      { "15", THEME_DARK },
		{ "0;15x", THEME_DARK },           { "default;default", THEME_DARK },
		{ "0;231", THEME_DARK },           { "0;", THEME_DARK },
	};

	for (size_t i = 0; i < LENGTH(cases); i++)
		ck_assert_msg(theme_of_terminal(cases[i].reported) == cases[i].theme, "%s",
			      cases[i].reported);
}

START_TEST(the_ground_that_a_terminal_answers)
{
	static const struct {
		const char *answer;
		bool known;
		enum theme theme;
	} cases[] = {
		{ "11;rgb:ffff/ffff/ffff", true, THEME_LIGHT },
		{ "11;rgb:fdfd/f6f6/e3e3", true, THEME_LIGHT },
		{ "11;rgb:ff/ff/dd", true, THEME_LIGHT },
		{ "11;rgb:f/f/f", true, THEME_LIGHT },
		{ "11;rgba:ffff/ffff/ffff/8000", true, THEME_LIGHT },
		{ "11;rgb:0000/0000/0000", true, THEME_DARK },
		{ "11;rgb:0000/2b2b/3636", true, THEME_DARK },
		{ "11;rgb:0/0/f", true, THEME_DARK },
		{ "11;?", false, THEME_DARK },
		{ "10;rgb:ffff/ffff/ffff", false, THEME_DARK },
		{ "11;rgb:ffff/ffff", false, THEME_DARK },
		{ "11;rgb:ffff//ffff", false, THEME_DARK },
		{ "", false, THEME_DARK },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		enum theme theme = THEME_DARK;

		ck_assert_msg(theme_of_answer(cases[i].answer, &theme) == cases[i].known &&
				      theme == cases[i].theme,
			      "%s", cases[i].answer);
	}
}
