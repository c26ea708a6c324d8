/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws the list and the whole sentence of the line under the cursor, and goes to the sample and row it is
 * about.
 */
#include <config.h>

#include "screen/past/explaining.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "model/explanation.h"
#include "screen/canvas.h"
#include "screen/navigation.h"
#include "screen/overlay.h"
#include "screen/past/player.h"
#include "screen/subscriptions.h"

#define SENTENCE_LINES 3 /* of the line under the cursor, below a rule … */
#define LIST_LINES_MIN 8 /* … where the list keeps these */
#define KEYS _("Enter show it in its pane  i how it was compared  Esc back")
#define WHEN_CELLS_MIN 72

struct columns {
	const struct explaining *explaining;
	int subject, change; /* cells */
};

#define BELOW_CELLS 2 /* by which a process is indented below what it has a part in */

/* Without a cause, there is nothing that others could be folded below. */
static bool has_fold(const struct explaining *explaining)
{
	const struct explanation *explanation = &explaining->explanation;

	return explanation->n_causes > 0 && explanation->n_causes < explanation->n_lines;
}

static unsigned count_items(const struct explaining *explaining)
{
	const struct explanation *explanation = &explaining->explanation;

	if (!has_fold(explaining))
		return (unsigned)explanation->n_lines;
	return (unsigned)(explaining->others ? explanation->n_lines : explanation->n_causes) + 1;
}

/* The line of an item of the list; NULL: the item opens or closes the other changes. */
static const struct explained_line *line_at(const struct explaining *explaining, unsigned item)
{
	const struct explanation *explanation = &explaining->explanation;

	if (!has_fold(explaining) || item < explanation->n_causes)
		return &explanation->lines[item];
	return item == explanation->n_causes ? NULL : &explanation->lines[item - 1];
}

static int widest(const char *text, const struct canvas *canvas, int most)
{
	int cells = utf8_cells(text, canvas->ascii) + CANVAS_GAP;

	return cells > most ? cells : most;
}

/* The sentence of the line says all that a small screen leaves out. */
static struct columns columns_of(const struct explaining *explaining, const struct canvas *canvas)
{
	struct columns columns = { .explaining = explaining };
	int third = canvas->width / 3;

	for (unsigned i = 0; i < count_items(explaining); i++) {
		const struct explained_line *line = line_at(explaining, i);

		if (!line)
			continue;
		columns.subject = widest(line->subject, canvas, columns.subject);
		columns.change = widest(line->change, canvas, columns.change);
	}
	columns.subject += BELOW_CELLS;
	columns.subject = columns.subject < third ? columns.subject : third;
	if (canvas->width < WHEN_CELLS_MIN)
		columns.change = canvas->width - columns.subject;
	else if (columns.change > canvas->width / 2)
		columns.change = canvas->width / 2;
	return columns;
}

static void draw_line(const void *state, unsigned i, const struct canvas *line, enum style style)
{
	const struct columns *columns = state;
	const struct explanation *explanation = &columns->explaining->explanation;
	const struct explained_line *of = line_at(columns->explaining, i);
	int when = columns->subject + columns->change, indent = of && of->below ? BELOW_CELLS : 0;
	char others[TEXT_MAX];

	if (!of) {
		snprintf(others, sizeof(others), _("%s Other changes: %zu"),
			 columns->explaining->others ? "-" : "+",
			 explanation->n_lines - explanation->n_causes);
		canvas_cut(line, 0, 0, style == STYLE_ROW ? style : STYLE_DIM, others, line->width);
		return;
	}
	canvas_cut(line, 0, indent, style == STYLE_ROW || indent > 0 ? style : STYLE_STRONG, of->subject,
		   columns->subject - CANVAS_GAP - indent);
	canvas_cut(line, 0, columns->subject, style, of->change, columns->change - CANVAS_GAP);
	if (when < line->width)
		canvas_cut(line, 0, when, style == STYLE_ROW ? style : STYLE_DIM, of->when,
			   line->width - when);
}

/* "12 changes around 14:03:07, compared with the 5 min before" */
static void title(const struct explanation *explanation, char *text, size_t room)
{
	char time[CLOCK_TEXT_MAX];

	clock_local(time, explanation->wall_ns, "%H:%M:%S");
	if (explanation->n_lines == 0 && explanation->n_samples == 0)
		snprintf(text, room, _("No samples to compare %s with"), time);
	else if (explanation->n_lines == 0 && explanation->n_samples < DEPARTURE_SAMPLES_MIN)
		snprintf(text, room, _("Too few samples to compare %s with"), time);
	else if (explanation->n_lines == 0)
		snprintf(text, room, _("No change around %s, compared with the %s before"), time,
			 explanation->span);
	else
		snprintf(text, room,
			 P_("%zu change around %s, compared with the %s before",
			    "%zu changes around %s, compared with the %s before", explanation->n_lines),
			 explanation->n_lines, time, explanation->span);
}

/* Word by word. */
static void draw_sentence(const struct canvas *canvas, int y, enum style style, const char *text)
{
	struct text_flow flow = text_flow_on(canvas, y, canvas->height - y);
	char word[TEXT_MAX];

	flow.gap = 1;
	while (*text) {
		size_t length = strcspn(text, " ");

		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		if (*word && !text_flow_add(&flow, style, word))
			return;
		text += length + strspn(text + length, " ");
	}
}

/* The other changes are folded where they do not all fit. */
static void fold(struct explaining *explaining)
{
	explaining->others = true;
	explaining->others = count_items(explaining) <= (unsigned)explaining->list.page;
	explaining->list.n_items = count_items(explaining);
	explaining->is_folded = true;
}

static void draw_list(struct explaining *explaining, const struct canvas *canvas, const char *keys)
{
	struct columns columns = columns_of(explaining, canvas);
	char text[TEXT_MAX];

	title(&explaining->explanation, text, sizeof(text));
	list_draw(&explaining->list, canvas, text, keys, draw_line, &columns);
}

/* The whole sentence of the line under the cursor; without lines, what could not be compared. */
static void draw(struct screen *screen, const struct canvas *canvas)
{
	struct explaining *explaining = &screen->explaining;
	const struct explanation *explanation = &explaining->explanation;
	int remarks = *explanation->remarks != '\0', below = SENTENCE_LINES + 1 + 2 * remarks;
	bool has_rest = canvas->height >= LIST_LINES_MIN + below;
	struct canvas list = canvas_rows(canvas, 0, canvas->height - (has_rest ? below : 0)), rest;
	const struct explained_line *line;
	char text[TEXT_MAX];

	draw_list(explaining, &list, has_rest ? "" : KEYS);
	if (!explaining->is_folded) {
		fold(explaining);
		draw_list(explaining, &list, has_rest ? "" : KEYS);
	}
	if (!has_rest)
		return;
	line = explanation->n_lines > 0 ? line_at(explaining, explaining->list.cursor) : NULL;
	canvas_fill(canvas, canvas->height - 1, 0, STYLE_NORMAL, ' ', canvas->width);
	canvas_text(canvas, canvas->height - 1, 0, STYLE_KEY, KEYS, -1);
	rest = canvas_rows(canvas, list.height - 1, below);
	for (int y = 0; y < rest.height; y++)
		canvas_fill(&rest, y, 0, STYLE_NORMAL, ' ', rest.width);
	canvas_rule(&rest, 0, line ? line->subject : _("compared"), "");
	if (line) {
		snprintf(text, sizeof(text), "%s %s", line->sentence,
			 explaining->counted ? line->counted : "");
		draw_sentence(&rest, 1, STYLE_NORMAL, text);
	}
	draw_sentence(&rest, line ? 1 + SENTENCE_LINES : 1, STYLE_DIM, explanation->remarks);
}

/* The pane and the row of a line, in the sample that has it; or the other changes. */
static void show(struct screen *screen)
{
	struct explaining *explaining = &screen->explaining;
	const struct explained_line *line = line_at(explaining, explaining->list.cursor);
	struct row_wish wish;

	if (!line) {
		explaining->others = !explaining->others;
		explaining->list.n_items = count_items(explaining);
		return;
	}
	wish = (struct row_wish){ line->topic, line->row, line->pid, line->start_seconds };
	screen->overlay = NULL;
	if (screen_frame(screen)->wall_ns != line->wall_ns)
		player_go_to(screen, line->wall_ns);
	navigation_show_row(screen, line->pane, line->view, &wish);
}

static void take_key(struct screen *screen, const struct input *input)
{
	struct explaining *explaining = &screen->explaining;

	if (list_key(&explaining->list, input->key))
		return;
	if (action_of_key(input->key) == ACTION_WHY)
		explaining->counted = !explaining->counted;
	else if (input->key == K_ESCAPE || input->key == K_F10 || action_of_key(input->key) == ACTION_EXPLAIN)
		screen->overlay = NULL;
	else if (explaining->list.n_items > 0 &&
		 (input->key == K_ENTER ||
		  (input->key == K_CLICK && list_click(&explaining->list, input->y))))
		show(screen);
}

void explaining_open(struct pane_context *context)
{
	static const struct overlay overlay = { .draw = draw, .key = take_key };
	struct screen *screen = context->screen;
	const struct screen_setup *setup = screen->setup;
	struct explaining *explaining = &screen->explaining;
	const struct source *source = screen->player->open(screen, false);
	size_t index;

	if (!source)
		return;
	index = screen->player->index(screen);
	explanation_take(&explaining->explanation, source, index, setup->schemas, setup->n_schemas,
			 setup->explained);
	subscriptions_return(screen, source, index);
	explaining->others = explaining->counted = explaining->is_folded = false;
	explaining->list = (struct list){ .n_items = count_items(explaining) };
	screen->message_until_ns = 0; /* what was done before it */
	screen->overlay = &overlay;
}

void explaining_close(struct screen *screen)
{
	explanation_free(&screen->explaining.explanation);
}
