/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prompts in the bottom line: a line of text, or yes and no. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "screen/overlay.h"

#define ROOM_TO_TYPE 12
#define CTRL(letter) ((letter) - '@')

static void clear_line(const struct canvas *canvas)
{
	canvas_fill(canvas, canvas->height - 1, 0, STYLE_NORMAL, ' ', canvas->width);
}

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

	clear_line(canvas);
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
