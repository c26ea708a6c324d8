/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of text over the pane, and the help. */
#include <config.h>

#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "screen/keymap.h"
#include "screen/overlay.h"

#define KEYS_CELLS 9 /* minimum */

#define HALF_FROM_LINES 16 /* lower screens are covered whole */
#define PREFIX_MAX 128

/* Bytes before what a line explains, behind two blanks: "  F1 ? h    help"; else its leading blanks. */
static size_t prefix_length(struct span line)
{
	size_t length = span_length(line), leading = 0;

	while (leading < length && line.at[leading] == ' ')
		leading++;
	for (size_t i = leading; i + 2 < length; i++)
		if (line.at[i] == ' ' && line.at[i + 1] == ' ' && line.at[i + 2] != ' ')
			return i + 2;
	return leading;
}

/* Draws a line so that what wraps stands below what it explains; returns its lines. */
static int draw_hanging(const struct canvas *page, int y, enum style style, struct span line)
{
	size_t length = prefix_length(line);
	struct canvas rest = *page;
	char prefix[PREFIX_MAX];
	int cells;

	if (length >= sizeof(prefix))
		length = 0;
	memcpy(prefix, line.at, length);
	prefix[length] = '\0';
	cells = utf8_cells(prefix, page->ascii);
	if (cells > page->width / 2)
		return canvas_wrapped(page, y, style, line);
	rest.left += cells;
	rest.width -= cells;
	line.at += length;
	if (y >= 0 && y < page->height)
		canvas_text(page, y, 0, style, prefix, -1);
	return canvas_wrapped(&rest, y, style, line);
}

static int draw_lines(const struct pager *pager, const struct canvas *page, int y)
{
	struct span rest = span_of(pager->text.bytes, pager->text.length), line;

	while (span_line(&rest, &line)) {
		enum style style = span_char(&line, '*')         ? STYLE_HEADING
				   : span_char(&line, PAGER_DIM) ? STYLE_DIM
								 : STYLE_NORMAL;
		int lines = draw_hanging(page, y, style, line);

		y += lines > 0 ? lines : 1;
	}
	return y;
}

/* All below the panes; or the half of the screen in which the row is not that it is about. */
static struct canvas place_page(const struct pager *pager, const struct canvas *canvas)
{
	int first = canvas->height >= 6 ? 2 : 0, last = canvas->height - 1, middle = canvas->height / 2;
	struct canvas nothing = canvas_rows(canvas, 0, 0);
	int lines;

	if (pager->row_y < 0 || canvas->height < HALF_FROM_LINES)
		return canvas_rows(canvas, first, last - first);
	lines = draw_lines(pager, &nothing, 0);
	if (pager->row_y >= middle)
		return canvas_rows(canvas, first, lines < middle - first ? lines : middle - first);
	if (lines + 1 < last - middle)
		middle = last - lines - 1;
	canvas_rule(canvas, middle, _("Info"), "");
	return canvas_rows(canvas, middle + 1, last - middle - 1);
}

static void draw_pager(struct screen *screen, const struct canvas *canvas)
{
	struct pager *pager = &screen->pager;
	struct canvas page = place_page(pager, canvas);

	for (int i = 0; i < page.height; i++)
		canvas_fill(&page, i, 0, STYLE_NORMAL, ' ', page.width);
	pager->page = page.height;
	pager->lines = draw_lines(pager, &page, -pager->top) + pager->top;
	if (pager->row_y >= 0 && page.top == canvas->top + 2 && page.height < canvas->height - 3)
		canvas_rule(canvas, page.height + 2, _("Info"), "");
	canvas_fill(canvas, canvas->height - 1, 0, STYLE_NORMAL, ' ', canvas->width);
	canvas_text(canvas, canvas->height - 1, 0, STYLE_KEY,
		    pager->lines > pager->page ? _("arrows scroll, any other key closes")
					       : _("any key closes"),
		    -1);
}

static void scroll(struct pager *pager, int step)
{
	int last = pager->lines > pager->page ? pager->lines - pager->page : 0;

	pager->top += step;
	pager->top = pager->top < 0 ? 0 : pager->top > last ? last : pager->top;
}

static void pager_key(struct screen *screen, const struct input *input)
{
	struct pager *pager = &screen->pager;

	switch (input->key) {
	case K_UP:
	case K_WHEEL_UP:
		scroll(pager, -1);
		break;
	case K_DOWN:
	case K_WHEEL_DOWN:
		scroll(pager, 1);
		break;
	case K_PAGE_UP:
		scroll(pager, -pager->page);
		break;
	case K_PAGE_DOWN:
	case ' ':
		scroll(pager, pager->page);
		break;
	case K_HOME:
		scroll(pager, -pager->lines);
		break;
	case K_END:
		scroll(pager, pager->lines);
		break;
	default:
		screen->overlay = NULL;
	}
}

struct buffer *pager_open(struct screen *screen, int row_y)
{
	static const struct overlay overlay = { .draw = draw_pager, .key = pager_key };

	screen->overlay = &overlay;
	screen->pager.top = 0;
	screen->pager.row_y = row_y;
	buffer_empty(&screen->pager.text);
	return &screen->pager.text;
}

static void add_key(struct buffer *out, const char *keys, const char *help)
{
	int words = utf8_cells(_("arrows"), false), mouse = utf8_cells(_("mouse"), false);

	words = words > mouse ? words : mouse;
	buffer_text(out, "  ");
	utf8_padded(out, keys, words > KEYS_CELLS ? words : KEYS_CELLS, false);
	buffer_print(out, " %s\n", help);
}

static void add_actions(struct buffer *out, const struct pane_context *context, bool of_pane)
{
	char keys[ACTION_KEYS_TEXT_MAX];

	for (unsigned i = 0; i < N_ACTIONS; i++)
		if ((keymap_bound(context, (enum action)i) != NULL) == of_pane &&
		    keymap_works(context, (enum action)i))
			add_key(out, action_keys_text(keys, (enum action)i),
				keymap_help(context, (enum action)i));
}

static void add_views(struct buffer *out, const struct pane_view *views)
{
	int cells = 0;

	for (const struct pane_view *view = views; view->name; view++) {
		int width = utf8_cells(_(view->title), false);

		cells = width > cells ? width : cells;
	}
	buffer_print(out, "\n*%s\n", _("Views of this pane (Tab, or [ and ])"));
	for (const struct pane_view *view = views; view->name; view++) {
		buffer_text(out, "  ");
		utf8_padded(out, _(view->title), cells, false);
		buffer_print(out, "  %s\n", _(view->help));
	}
}

void pager_help(struct screen *screen)
{
	const struct pane_context *context = screen_context(screen);
	const struct pane *pane = context->pane;
	struct buffer *out = pager_open(screen, -1);

	buffer_print(out, "*panetop %s: %s\n%s\n", PACKAGE_VERSION, _(pane->title), _(pane->question));
	if (pane->views)
		add_views(out, pane->views);
	buffer_print(out, "\n*%s\n", _("Keys of this pane"));
	add_actions(out, context, true);
	buffer_print(out, "\n*%s\n", _("Keys everywhere"));
	add_actions(out, context, false);
	for (const struct other_keys *other = other_keys; other->keys; other++)
		add_key(out, _(other->keys), _(other->help));
}
