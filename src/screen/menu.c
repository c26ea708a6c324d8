/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Menus over the pane: one item is chosen with the arrows, by typing its beginning, or with the mouse. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/typed_name.h"
#include "core/utf8.h"
#include "core/vector.h"
#include "screen/overlay.h"

static const char *text_of(const struct menu *menu, unsigned i)
{
	return menu->texts.bytes + menu->lines[i].text;
}

static void draw_item(const void *state, unsigned i, const struct canvas *line, enum style style)
{
	const struct menu *menu = state;

	canvas_text(line, 0, 1, i >= menu->dim_from && style != STYLE_ROW ? STYLE_DIM : style,
		    text_of(menu, i), -1);
	canvas_text(line, 0, menu->text_cells + 1 + CANVAS_GAP, style == STYLE_ROW ? style : STYLE_DIM,
		    menu->texts.bytes + menu->lines[i].help, -1);
}

static void draw_menu(struct screen *screen, const struct canvas *canvas)
{
	struct menu *menu = &screen->menu;

	list_draw(&menu->list, canvas, menu->title, _("Enter choose  letters: go to  Esc cancel"), draw_item,
		  menu);
}

enum match { MATCH_BEGIN, MATCH_WORD, MATCH_INSIDE, MATCH_NONE };

static bool is_letter(char byte)
{
	return isalnum((unsigned char)byte) || (byte & 0x80);
}

static enum match match_of(const char *text, struct span typed)
{
	enum match best = typed_begins(typed, text) ? MATCH_BEGIN : MATCH_NONE;

	for (const char *at = text; *at && best > MATCH_WORD; at++)
		if (typed_begins(typed, at))
			best = at > text && is_letter(at[-1]) ? MATCH_INSIDE : MATCH_WORD;
	return best;
}

/* Moves to the first item that begins with the typed text, else has a word that does, else holds it. False:
 * there is none. */
static bool go_to_typed(struct menu *menu)
{
	struct span typed = span_of(menu->typed.bytes, menu->typed.length - 1);
	enum match best = MATCH_NONE;

	for (unsigned i = 0; i < menu->list.n_items; i++) {
		enum match match = match_of(text_of(menu, i), typed);

		if (match < best) {
			best = match;
			menu->list.cursor = i;
		}
	}
	return best < MATCH_NONE;
}

static void empty_typed(struct menu *menu)
{
	buffer_empty(&menu->typed);
	buffer_char(&menu->typed, '\0');
}

/* A character that no item has after the ones before begins a new text. */
static void type(struct menu *menu, int key)
{
	char bytes[UTF8_BYTES_MAX];

	for (int attempt = 0; attempt < 2; attempt++) {
		menu->typed.length--;
		buffer_add(&menu->typed, bytes, utf8_put(bytes, (uint32_t)key));
		buffer_char(&menu->typed, '\0');
		if (go_to_typed(menu))
			return;
		empty_typed(menu);
	}
}

static void choose(struct screen *screen)
{
	struct menu *menu = &screen->menu;

	screen->overlay = NULL;
	if (menu->list.n_items > 0)
		menu->chosen(menu->context, menu->list.cursor);
}

static void menu_key(struct screen *screen, const struct input *input)
{
	struct menu *menu = &screen->menu;

	if (list_key(&menu->list, input->key))
		return;
	if (input->key == K_CLICK) {
		if (list_click(&menu->list, input->y))
			choose(screen);
		return;
	}
	switch (input->key) {
	case K_ENTER:
		choose(screen);
		return;
	case K_ESCAPE:
	case K_F10:
		screen->overlay = NULL;
		return;
	default:
		if (input->key >= ' ' && input->key < K_NAMED && !utf8_is_harmful((uint32_t)input->key))
			type(menu, input->key);
	}
}

static size_t add_text(struct menu *menu, const char *text)
{
	size_t at = menu->texts.length;

	buffer_add(&menu->texts, text, strlen(text) + 1);
	return at;
}

void screen_menu(struct pane_context *context, const char *title, const struct menu_item *items,
		 unsigned n_items, unsigned current,
		 void (*chosen)(struct pane_context *context, unsigned index))
{
	static const struct overlay overlay = { .draw = draw_menu, .key = menu_key };
	struct menu *menu = &context->screen->menu;

	VECTOR_RESERVE(menu->lines, n_items, menu->n_lines);
	buffer_empty(&menu->texts);
	menu->title = title;
	menu->text_cells = 0;
	menu->dim_from = n_items;
	menu->list = (struct list){ .cursor = current, .n_items = n_items };
	menu->context = context;
	menu->chosen = chosen;
	empty_typed(menu);
	for (unsigned i = 0; i < n_items; i++) {
		int cells = utf8_cells(items[i].text, false);

		menu->text_cells = cells > menu->text_cells ? cells : menu->text_cells;
		menu->lines[i].text = add_text(menu, items[i].text);
		menu->lines[i].help = add_text(menu, items[i].help ? items[i].help : "");
	}
	context->screen->overlay = &overlay;
}

void menu_dim_from(struct screen *screen, unsigned index)
{
	screen->menu.dim_from = index;
}
