/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists over the pane: a menu, of which one item is chosen with the arrows, by typing its beginning, or with
 * the mouse; columns; words to toggle. Prompts in the bottom line: a line of text, or yes and no.
 */
#include <config.h>

#include "screen/overlay.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/typed_name.h"
#include "core/utf8.h"
#include "core/vector.h"

#define WHEEL_LINES 3

void list_draw(struct list *list, const struct canvas *canvas, const char *title, const char *keys,
	       void (*draw)(const void *state, unsigned i, const struct canvas *line, enum style style),
	       const void *state)
{
	struct canvas page = canvas_rows(canvas, canvas->height >= 6 ? 2 : 0, canvas->height);

	list->page = page.height > 2 ? page.height - 2 : 1;
	list->top = list->cursor >= (unsigned)list->page ? list->cursor - (unsigned)list->page + 1 : 0;
	list->top_y = page.top + 1;
	for (int i = 0; i < page.height; i++)
		canvas_fill(&page, i, 0, STYLE_NORMAL, ' ', page.width);
	canvas_text(&page, 0, 0, STYLE_HEADING, title, -1);
	for (int y = 0; y < list->page && list->top + (unsigned)y < list->n_items; y++) {
		unsigned i = list->top + (unsigned)y;
		enum style style = i == list->cursor ? STYLE_ROW : STYLE_NORMAL;
		struct canvas line = canvas_rows(&page, y + 1, 1);

		canvas_fill(&line, 0, 0, style, ' ', line.width);
		draw(state, i, &line, style);
	}
	canvas_text(&page, page.height - 1, 0, STYLE_KEY, keys, -1);
}

static long step_of(const struct list *list, int key)
{
	long all = (long)list->n_items;

	return key == K_UP           ? -1
	       : key == K_DOWN       ? 1
	       : key == K_PAGE_UP    ? -list->page
	       : key == K_PAGE_DOWN  ? list->page
	       : key == K_HOME       ? -all
	       : key == K_END        ? all
	       : key == K_WHEEL_UP   ? -WHEEL_LINES
	       : key == K_WHEEL_DOWN ? WHEEL_LINES
				     : 0;
}

bool list_click(struct list *list, int y)
{
	long i = (long)list->top + y - list->top_y;

	if (y < list->top_y || y >= list->top_y + list->page || i >= (long)list->n_items)
		return false;
	list->cursor = (unsigned)i;
	return true;
}

bool list_key(struct list *list, int key)
{
	long step = step_of(list, key), cursor = (long)list->cursor + step, last = (long)list->n_items - 1;

	list->cursor = (unsigned)(cursor < 0 ? 0 : cursor > last ? last : cursor);
	return step != 0;
}

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

static struct span typed_text(const struct screen *screen)
{
	return span_of(screen->menu.typed.bytes, screen->menu.typed.length - 1);
}

/* Moves to the first item that begins with the typed text, else has a word that does, else holds it. False:
 * there is none. */
static bool go_to_item(struct screen *screen)
{
	struct menu *menu = &screen->menu;
	struct span typed = typed_text(screen);
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

/* A character that no item has after the ones before begins a new text. False: it is none, or in no item. */
static bool type(struct screen *screen, int key, bool (*go_to)(struct screen *screen))
{
	struct buffer *typed = &screen->menu.typed;
	char bytes[UTF8_BYTES_MAX];

	if (key < ' ' || key >= K_NAMED || utf8_is_harmful((uint32_t)key))
		return false;
	for (int attempt = 0; attempt < 2; attempt++) {
		typed->length--;
		buffer_add(typed, bytes, utf8_put(bytes, (uint32_t)key));
		buffer_char(typed, '\0');
		if (go_to(screen))
			return true;
		empty_typed(&screen->menu);
	}
	return false;
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
		type(screen, input->key, go_to_item);
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

#define KEY_CELLS 26
#define TITLE_X 4 /* behind the mark */

static void apply(struct screen *screen)
{
	const struct chooser *chooser = &screen->chooser;
	struct view *view = &chooser->widget->view;

	view->n_columns = 0;
	for (unsigned i = 0; i < view->schema->n_columns; i++)
		if (chooser->shown[i])
			view->columns[view->n_columns++] = chooser->order[i];
}

static void draw_column(const void *state, unsigned i, const struct canvas *line, enum style style)
{
	const struct chooser *chooser = state;
	const struct column *column = &chooser->widget->view.schema->columns[chooser->order[i]];

	int key_x = TITLE_X + table_title_cells(chooser->widget) + 1;
	bool fits = !chooser->shown[i] || table_draws(chooser->widget, chooser->order[i]);
	enum style other = style == STYLE_ROW || fits ? style : STYLE_DIM;

	canvas_print(line, 0, 0, other, "[%c]", chooser->shown[i] ? 'x' : ' ');
	canvas_text(line, 0, TITLE_X, other, column_title(column), -1);
	canvas_cut(line, 0, key_x, other, column->key, KEY_CELLS);
	canvas_text(line, 0, key_x + KEY_CELLS + 1, other,
		    fits ? _(column->help) : _("does not fit, or has no value"), -1);
}

static void draw_chooser(struct screen *screen, const struct canvas *canvas)
{
	struct chooser *chooser = &screen->chooser;
	char title[TEXT_MAX];

	snprintf(title, sizeof(title), _("Columns of %s"), chooser->widget->view.schema->name);
	if (chooser->typed)
		snprintf(title + strlen(title), sizeof(title) - strlen(title), ": %s",
			 screen->menu.typed.bytes);
	list_draw(&chooser->list, canvas, title,
		  _("type a name, Enter adds it  Space toggle  < > move up and down  Esc close"), draw_column,
		  chooser);
}

static void toggle(struct screen *screen)
{
	struct chooser *chooser = &screen->chooser;
	bool was = chooser->shown[chooser->list.cursor];

	if (was && chooser->widget->view.n_columns == 1)
		return; /* a table without columns would be invisible */
	chooser->shown[chooser->list.cursor] = !was;
}

static void move(struct screen *screen, int step)
{
	struct chooser *chooser = &screen->chooser;
	unsigned from = chooser->list.cursor, to = from + (unsigned)step;
	unsigned column = chooser->order[from];
	bool shown = chooser->shown[from];

	if (to >= chooser->widget->view.schema->n_columns)
		return;
	chooser->order[from] = chooser->order[to];
	chooser->shown[from] = chooser->shown[to];
	chooser->order[to] = column;
	chooser->shown[to] = shown;
	chooser->list.cursor = to;
}

/* By its heading or its key; of columns that match alike one that is not shown. */
static bool go_to_column(struct screen *screen)
{
	struct chooser *chooser = &screen->chooser;
	struct span typed = typed_text(screen);
	unsigned best = 2 * MATCH_NONE;

	for (unsigned i = 0; i < chooser->list.n_items; i++) {
		const struct column *column = &chooser->widget->view.schema->columns[chooser->order[i]];
		enum match title = match_of(column_title(column), typed), key = match_of(column->key, typed);
		unsigned match = 2 * (title < key ? title : key) + chooser->shown[i];

		if (match < best) {
			best = match;
			chooser->list.cursor = i;
		}
	}
	return best < 2 * MATCH_NONE;
}

/* Shows the column under the cursor as the last one, but for a text, which names the rows. */
static void add_column(struct screen *screen)
{
	struct chooser *chooser = &screen->chooser;
	const struct column *columns = chooser->widget->view.schema->columns;
	struct list *list = &chooser->list;
	unsigned column = chooser->order[list->cursor], place = list->n_items;

	if (!chooser->shown[list->cursor]) {
		while (!chooser->shown[place - 1])
			place--;
		place -= column_is_left(&columns[chooser->order[place - 1]]);
		while (list->cursor > place)
			move(screen, -1);
		while (list->cursor + 1 < place)
			move(screen, 1);
		chooser->shown[list->cursor] = true;
		chooser->widget->added = column + 1;
	}
	screen_message(screen, MESSAGE_PANE, "%s: %s", column_name(&columns[column]),
		       _(columns[column].help));
}

static void chooser_key(struct screen *screen, const struct input *input)
{
	struct chooser *chooser = &screen->chooser;

	switch (input->key) {
	case ' ':
		toggle(screen);
		break;
	case '<':
		move(screen, -1);
		break;
	case '>':
		move(screen, 1);
		break;
	case K_ENTER:
		if (chooser->typed)
			add_column(screen);
		screen->overlay = NULL;
		break;
	case K_ESCAPE:
		screen->overlay = NULL;
		return;
	default:
		chooser->typed =
			!list_key(&chooser->list, input->key) && type(screen, input->key, go_to_column);
		return;
	}
	apply(screen);
}

void chooser_open(struct pane_context *context)
{
	static const struct overlay overlay = { .draw = draw_chooser, .key = chooser_key };
	struct screen *screen = context->screen;
	struct chooser *chooser = &screen->chooser;
	const struct view *view;
	unsigned n = 0;

	*chooser = (struct chooser){ .widget = screen_table(screen) };
	empty_typed(&screen->menu);
	view = &chooser->widget->view;
	chooser->list.n_items = view->schema->n_columns;
	for (unsigned i = 0; i < view->n_columns; i++) {
		chooser->shown[n] = true;
		chooser->order[n++] = view->columns[i];
	}
	for (unsigned c = 0; c < view->schema->n_columns && n < VIEW_COLUMNS_MAX; c++) {
		bool chosen = false;

		for (unsigned i = 0; i < view->n_columns; i++)
			chosen |= view->columns[i] == c;
		if (!chosen)
			chooser->order[n++] = c;
	}
	screen->overlay = &overlay;
}

static void draw_checked(const void *state, unsigned i, const struct canvas *line, enum style style)
{
	const struct checklist *checklist = state;

	canvas_print(line, 0, 0, style, "[%c] %-12s %s", checklist->on[i] ? 'x' : ' ',
		     checklist->items[i].word, _(checklist->items[i].help));
}

static void draw_checklist(struct screen *screen, const struct canvas *canvas)
{
	struct checklist *checklist = &screen->checklist;

	list_draw(&checklist->list, canvas, checklist->title,
		  _("Space toggle  a all  Enter apply  Esc cancel"), draw_checked, checklist);
}

static void turn_all(struct checklist *checklist)
{
	bool all = true;

	for (unsigned i = 0; i < checklist->list.n_items; i++)
		all &= checklist->on[i];
	for (unsigned i = 0; i < checklist->list.n_items; i++)
		checklist->on[i] = !all;
}

static void checklist_key(struct screen *screen, const struct input *input)
{
	struct checklist *checklist = &screen->checklist;

	if (list_key(&checklist->list, input->key))
		return;
	switch (input->key) {
	case ' ':
		checklist->on[checklist->list.cursor] = !checklist->on[checklist->list.cursor];
		return;
	case 'a':
		turn_all(checklist);
		return;
	case K_ENTER:
		screen->overlay = NULL;
		checklist->accepted(checklist->context, checklist->on);
		return;
	case K_ESCAPE:
	case 'q':
		screen->overlay = NULL;
		return;
	default:
		return;
	}
}

void screen_choose(struct pane_context *context, const char *title, const struct checklist_item *items,
		   const bool *on, unsigned n_items,
		   void (*accepted)(struct pane_context *context, const bool *on))
{
	static const struct overlay overlay = { .draw = draw_checklist, .key = checklist_key };
	struct checklist *checklist = &context->screen->checklist;

	*checklist = (struct checklist){ .title = title, .items = items, .context = context };
	checklist->accepted = accepted;
	checklist->list.n_items = n_items < CHECKLIST_MAX ? n_items : CHECKLIST_MAX;
	for (unsigned i = 0; i < checklist->list.n_items; i++)
		checklist->on[i] = on[i];
	context->screen->overlay = &overlay;
}

#define ROOM_TO_TYPE 12
#define CTRL(letter) ((letter) - '@')

/* A long label leaves room for the input. */
static int draw_label(const struct prompt *prompt, const struct canvas *canvas, int y)
{
	int room = canvas->width > 2 * ROOM_TO_TYPE ? canvas->width - ROOM_TO_TYPE : canvas->width / 2;
	int x = canvas_text(canvas, y, 0, STYLE_KEY, prompt->label.bytes, room);

	return x + canvas_text(canvas, y, x, STYLE_KEY, ":", 1) + 1;
}

/* Behind the answer, which ends at x; where there is no room, in the line above. */
static void draw_error(const struct prompt *prompt, const struct canvas *canvas, int y, int x)
{
	if (x + CANVAS_GAP + utf8_cells(prompt->error, canvas->ascii) <= canvas->width || y == 0) {
		canvas_text(canvas, y, x + CANVAS_GAP, STYLE_BAD, prompt->error, -1);
		return;
	}
	canvas_fill(canvas, y - 1, 0, STYLE_NORMAL, ' ', canvas->width);
	canvas_cut(canvas, y - 1, 0, STYLE_BAD, prompt->error, canvas->width);
}

static void draw_prompt(struct screen *screen, const struct canvas *canvas)
{
	const struct prompt *prompt = &screen->prompt;
	int behind = utf8_cells(prompt->text.bytes + prompt->at, canvas->ascii);
	int y = canvas->height - 1, x, cells = utf8_cells(prompt->text.bytes, canvas->ascii) - behind;
	struct utf8_reader reader = { .rest = span_text(prompt->text.bytes), .ascii = canvas->ascii };
	uint32_t code;
	int width;

	canvas_fill(canvas, y, 0, STYLE_NORMAL, ' ', canvas->width);
	x = draw_label(prompt, canvas, y);
	/* of long input what is before the cursor is visible */
	while (cells > canvas->width - x - 1 && utf8_visible(&reader, &code, &width))
		cells -= width;
	terminal_cursor(canvas->top + y, canvas->left + x + cells);
	x += canvas_text(canvas, y, x, prompt->suggested ? STYLE_DIM : STYLE_STRONG, reader.rest.at, -1);
	if (*prompt->error)
		draw_error(prompt, canvas, y, x);
}

/* Replaces what is between two places, and puts the cursor behind the new bytes. */
static void replace(struct prompt *prompt, size_t from, size_t to, const char *bytes, size_t length)
{
	char *text;
	size_t rest = prompt->text.length - to, end = from + length;

	buffer_fill(&prompt->text, '\0', length);
	text = prompt->text.bytes;
	memmove(text + end, text + to, rest);
	memcpy(text + from, bytes, length);
	prompt->text.length = end + rest;
	prompt->at = end;
}

static void add_character(struct prompt *prompt, int key)
{
	char bytes[UTF8_BYTES_MAX];
	size_t length;

	if (key >= K_NAMED || key < ' ' || utf8_is_harmful((uint32_t)key) || prompt->text.length > 1000)
		return;
	if (prompt->suggested)
		replace(prompt, 0, prompt->text.length - 1, "", 0);
	length = utf8_put(bytes, (uint32_t)key);
	replace(prompt, prompt->at, prompt->at, bytes, length);
}

static bool is_inside_character(const struct prompt *prompt, size_t at)
{
	return ((unsigned char)prompt->text.bytes[at] & 0xc0) == 0x80;
}

static size_t character_before(const struct prompt *prompt, size_t at)
{
	at -= at > 0;
	while (at > 0 && is_inside_character(prompt, at))
		at--;
	return at;
}

static size_t character_after(const struct prompt *prompt, size_t at)
{
	at += at < prompt->text.length - 1;
	while (is_inside_character(prompt, at))
		at++;
	return at;
}

static size_t word_before(const struct prompt *prompt, size_t at)
{
	while (at > 0 && prompt->text.bytes[at - 1] == ' ')
		at--;
	while (at > 0 && prompt->text.bytes[at - 1] != ' ')
		at--;
	return at;
}

/* As in a shell. */
static void edit(struct prompt *prompt, int key)
{
	size_t at = prompt->at, end = prompt->text.length - 1;

	switch (key) {
	case K_LEFT:
		prompt->at = character_before(prompt, at);
		break;
	case K_RIGHT:
		prompt->at = character_after(prompt, at);
		break;
	case K_HOME:
	case CTRL('A'):
		prompt->at = 0;
		break;
	case K_END:
	case CTRL('E'):
		prompt->at = end;
		break;
	case K_BACKSPACE:
		replace(prompt, character_before(prompt, at), at, "", 0);
		break;
	case K_DELETE:
		replace(prompt, at, character_after(prompt, at), "", 0);
		break;
	case CTRL('W'):
		replace(prompt, word_before(prompt, at), at, "", 0);
		break;
	case CTRL('U'):
		replace(prompt, 0, at, "", 0);
		break;
	case CTRL('K'):
		replace(prompt, at, end, "", 0);
		break;
	default:
		add_character(prompt, key);
	}
}

static void prompt_key(struct screen *screen, const struct input *input);

static const struct overlay prompt_overlay = { .draw = draw_prompt, .key = prompt_key };

static void prompt_key(struct screen *screen, const struct input *input)
{
	struct prompt *prompt = &screen->prompt;

	prompt->error[0] = '\0';
	switch (input->key) {
	case K_ESCAPE:
		screen->overlay = NULL;
		if (prompt->cancelled)
			prompt->cancelled(screen);
		return;
	case K_ENTER:
		screen->overlay = NULL;
		if (!prompt->accepts(screen, prompt->text.bytes))
			screen->overlay = &prompt_overlay;
		return;
	default:
		edit(prompt, input->key);
		prompt->suggested = false;
	}
	if (prompt->changed)
		prompt->changed(screen, prompt->text.bytes);
}

void prompt_open(struct screen *screen, const char *label, const char *text,
		 void (*changed)(struct screen *screen, const char *text),
		 void (*cancelled)(struct screen *screen),
		 bool (*accepts)(struct screen *screen, const char *text))
{
	struct prompt *prompt = &screen->prompt;

	buffer_empty(&prompt->label);
	buffer_add(&prompt->label, label, strlen(label) + 1);
	prompt->widget = screen_table(screen);
	table_place_copy(&prompt->place, &prompt->widget->place);
	prompt->changed = changed;
	prompt->cancelled = cancelled;
	prompt->accepts = accepts;
	prompt->error[0] = '\0';
	prompt->suggested = false;
	buffer_empty(&prompt->text);
	buffer_add(&prompt->text, text, strlen(text) + 1);
	prompt->at = strlen(text);
	screen->overlay = &prompt_overlay;
}

static bool hand_on(struct screen *screen, const char *text)
{
	struct prompt *prompt = &screen->prompt;

	return prompt->pane_accepts(prompt->context, text, prompt->error, sizeof(prompt->error));
}

void screen_prompt(struct pane_context *context, const char *label, const char *text,
		   bool (*accepts)(struct pane_context *context, const char *text, char *error, size_t room))
{
	context->screen->prompt.context = context;
	context->screen->prompt.pane_accepts = accepts;
	prompt_open(context->screen, label, text, NULL, NULL, hand_on);
	context->screen->prompt.suggested = *text;
}

void screen_edit(struct pane_context *context, const char *label, const char *text,
		 bool (*accepts)(struct pane_context *context, const char *text, char *error, size_t room))
{
	screen_prompt(context, label, text, accepts);
	context->screen->prompt.suggested = false;
}

/* A long question takes as many of the last lines as necessary. */
static void draw_question(struct screen *screen, const struct canvas *canvas)
{
	struct span text = span_text(screen->question.text.bytes);
	int lines = canvas_lines(canvas, text);
	struct canvas bottom = canvas_rows(canvas, canvas->height - lines, lines);

	for (int y = 0; y < bottom.height; y++)
		canvas_fill(&bottom, y, 0, STYLE_NORMAL, ' ', bottom.width);
	canvas_wrapped(&bottom, 0, STYLE_WARN, text);
}

static void question_key(struct screen *screen, const struct input *input)
{
	struct question question = screen->question;

	if (input->key != 'y' && input->key != 'Y' && input->key != 'n' && input->key != 'N' &&
	    input->key != K_ESCAPE && input->key != 'q')
		return;
	screen->overlay = NULL;
	if (input->key == 'y' || input->key == 'Y')
		question.yes(question.context);
}

void screen_ask(struct pane_context *context, const char *question, void (*yes)(struct pane_context *context))
{
	static const struct overlay overlay = { .draw = draw_question, .key = question_key };
	struct screen *screen = context->screen;

	screen->question.context = context;
	screen->question.yes = yes;
	buffer_empty(&screen->question.text);
	buffer_print(&screen->question.text, "%s [y/n]", question);
	buffer_char(&screen->question.text, '\0');
	screen->overlay = &overlay;
}

bool screen_may_ask(const struct pane_context *context)
{
	return context == screen_context(context->screen) && !context->screen->overlay;
}
