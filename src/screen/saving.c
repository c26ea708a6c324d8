/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saves the past as a recording or a page, or what was seen as text or a picture, under a name that the user
 * gives. */
#include <config.h>

#include "screen/saving.h"

#include <curses.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "screen/past/player.h"
#include "screen/subscriptions.h"
#include "screen/theme.h"
#include "sys/descriptor.h"
#include "sys/user_file.h"

#define CELL_X 8.4
#define CELL_Y 18
#define FONT 14
#define MARGIN 8
#define OWN (-1) /* the terminal's own colour */

struct cell {
	wchar_t code;
	int cells; /* 1 or 2 */
	attr_t attributes;
	int front, back; /* as curses has them, or OWN */
};

static struct cell cell_at(int y, int x)
{
	wchar_t codes[CCHARW_MAX + 1] = L"";
	struct cell cell = { .front = OWN, .back = OWN };
	cchar_t drawn;
	short pair = 0;

	mvin_wch(y, x, &drawn);
	if (getcchar(&drawn, codes, &cell.attributes, &pair, NULL) == ERR || codes[0] < L' ')
		codes[0] = L' ';
	if (has_colors() && pair > 0)
		extended_pair_content(pair, &cell.front, &cell.back);
	cell.code = codes[0];
	cell.cells = wcwidth(cell.code) == 2 ? 2 : 1;
	cell.attributes &= A_BOLD | A_DIM | A_REVERSE | A_UNDERLINE | A_ITALIC;
	return cell;
}

static void add_code(struct buffer *out, wchar_t code)
{
	char bytes[UTF8_BYTES_MAX];

	buffer_add(out, bytes, utf8_put(bytes, (uint32_t)code));
}

void snapshot_text(struct buffer *out)
{
	for (int y = 0; y < LINES; y++) {
		size_t end = out->length;

		for (int x = 0; x < COLS;) {
			struct cell cell = cell_at(y, x);

			add_code(out, cell.code);
			if (cell.code != L' ')
				end = out->length;
			x += cell.cells;
		}
		out->length = end;
		buffer_char(out, '\n');
	}
}

/* Colours of the terminal itself. */
struct ground {
	unsigned front, back;
};

static void look_of(const struct cell *cell, const struct ground *ground, unsigned *front, unsigned *back)
{
	unsigned one = cell->front == OWN ? ground->front : theme_rgb(cell->front);
	unsigned other = cell->back == OWN ? ground->back : theme_rgb(cell->back);
	bool swapped = cell->attributes & A_REVERSE;

	*front = swapped ? other : one;
	*back = swapped ? one : other;
}

static void add_escaped(struct buffer *out, wchar_t code)
{
	if (code == L'&')
		buffer_text(out, "&amp;");
	else if (code == L'<')
		buffer_text(out, "&lt;");
	else if (code == L'>')
		buffer_text(out, "&gt;");
	else
		add_code(out, code);
}

static void add_style(struct buffer *out, attr_t attributes)
{
	if (attributes & A_BOLD)
		buffer_text(out, " font-weight=\"bold\"");
	if (attributes & A_ITALIC)
		buffer_text(out, " font-style=\"italic\"");
	if (attributes & A_UNDERLINE)
		buffer_text(out, " text-decoration=\"underline\"");
	if (attributes & A_DIM)
		buffer_text(out, " opacity=\"0.6\"");
}

static bool is_same(const struct cell *one, const struct cell *other)
{
	return one->attributes == other->attributes && one->front == other->front && one->back == other->back;
}

/* Cells of one look, from x; returns where the next ones begin. */
static int add_run(struct buffer *out, int y, int x, const struct ground *ground)
{
	struct cell first = cell_at(y, x), cell = first;
	bool blank = !(first.attributes & A_UNDERLINE);
	unsigned front, back;
	int end = x;

	while (end < COLS && is_same(&first, &cell)) {
		blank &= cell.code == L' ';
		end += cell.cells;
		cell = cell_at(y, end < COLS ? end : x);
	}
	look_of(&first, ground, &front, &back);
	if (back != ground->back)
		buffer_print(out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#%06x\"/>\n",
			     MARGIN + x * CELL_X, MARGIN + y * CELL_Y, (end - x) * CELL_X, CELL_Y, back);
	if (blank)
		return end;
	buffer_print(out, "<text x=\"%.1f\" y=\"%d\" fill=\"#%06x\"", MARGIN + x * CELL_X,
		     MARGIN + y * CELL_Y + FONT, front);
	add_style(out, first.attributes);
	buffer_print(out, " xml:space=\"preserve\" textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\">",
		     (end - x) * CELL_X);
	for (int at = x; at < end; at += cell.cells) {
		cell = cell_at(y, at);
		add_escaped(out, cell.code);
	}
	buffer_text(out, "</text>\n");
	return end;
}

void snapshot_svg(struct buffer *out, bool light)
{
	const struct ground ground = light ? (struct ground){ 0x1c1c1c, 0xffffff }
					   : (struct ground){ 0xd0d0d0, 0x1c1c1c };

	buffer_print(out,
		     "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %d\" font-size=\"%d\" "
		     "font-family=\"DejaVu Sans Mono, Liberation Mono, Menlo, Consolas, monospace\">\n"
		     "<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n",
		     COLS * CELL_X + 2 * MARGIN, LINES * CELL_Y + 2 * MARGIN, FONT, ground.back);
	for (int y = 0; y < LINES; y++)
		for (int x = 0; x < COLS;)
			x = add_run(out, y, x, &ground);
	buffer_text(out, "</svg>\n");
}

static int save_past(struct screen *screen, const char *name, char *error, size_t room)
{
	const struct past *past = screen->setup->past;

	if (past)
		return past->save(past->state, name, error, room);
	snprintf(error, room, "%s", _("no past is kept that could be saved"));
	return -ENOENT;
}

/* The screen goes on from the sample that it shows. */
static int save_page(struct screen *screen, const char *name, char *error, size_t room)
{
	const struct screen_setup *setup = screen->setup;
	const struct source *source = player_refuses(screen) ? NULL : screen->player->open(screen, false);
	size_t index;
	int failed;

	if (!source) {
		snprintf(error, room, "%s", _("no past is kept that could be saved"));
		return -ENOENT;
	}
	index = screen->player->index(screen);
	failed = setup->save_page(setup, source, name, error, room);
	subscriptions_return(screen, source, index);
	return failed;
}

static int write_buffer(void *buffer, int fd)
{
	return buffer_write(buffer, fd, -1);
}

/* The buffer was filled when the key was pressed: now the prompt covers the last line. */
static int save_seen(struct buffer *seen, const char *name, char *text, size_t room)
{
	return user_file_save_new(name, write_buffer, seen, text, room);
}

static bool ends_in(const char *name, const char *ending)
{
	size_t length = strlen(name), of_ending = strlen(ending);

	return length > of_ending && strcmp(name + length - of_ending, ending) == 0;
}

static bool save(struct pane_context *context, const char *name, char *error, size_t room)
{
	struct screen *screen = context->screen;
	int failed;

	if (!*name)
		return true;
	if (ends_in(name, ".recording")) {
		failed = save_past(screen, name, error, room);
	} else if (ends_in(name, ".html")) {
		failed = save_page(screen, name, error, room);
	} else if (ends_in(name, ".txt")) {
		failed = save_seen(&screen->saving.text, name, error, room);
	} else if (ends_in(name, ".svg")) {
		failed = save_seen(&screen->saving.svg, name, error, room);
	} else {
		snprintf(error, room, "%s", _("end the name in .recording, .html, .txt or .svg"));
		return false;
	}
	if (!failed)
		screen_message(screen, MESSAGE_SCREEN, _("saved: %s"), name);
	return !failed;
}

void saving_ask(struct pane_context *context)
{
	struct screen *screen = context->screen;
	char time[CLOCK_TEXT_MAX], name[TEXT_MAX];

	buffer_empty(&screen->saving.text);
	snapshot_text(&screen->saving.text);
	buffer_empty(&screen->saving.svg);
	snapshot_svg(&screen->saving.svg, theme_is_light(screen->theme));
	clock_local(time, clock_wall_ns(screen->setup->clock), "%Y%m%d-%H%M%S");
	snprintf(name, sizeof(name), "panetop-%s%s", time, screen->setup->past ? ".recording" : ".svg");
	screen_prompt(context,
		      screen->setup->past
			      ? _("Save history (.recording, .html) or screen (.txt, .svg) as")
			      : _("Save page (.html) or screen (.txt, .svg) as"),
		      name, save);
}
