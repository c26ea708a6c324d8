/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The colours of a theme by their RGB. */
#include <config.h>

#include "screen/palette.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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
