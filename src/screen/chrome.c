/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What surrounds every pane: headline, names of the panes, notice, keys. */
#include <config.h>

#include "screen/chrome.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "screen/keymap.h"
#include "screen/session.h"
#include "sys/env.h"

#define FILTER_CELLS 40
#define MORE " (i)"

/* Before the clock: why the time is not the current one. */
static void clock_text(const struct screen *screen, const struct frame *frame, char *text, size_t room)
{
	char time[CLOCK_TEXT_MAX];

	clock_local(time, frame->wall_ns, "%H:%M:%S");
	if (screen->setup->source->seek)
		snprintf(text, room, "%s %s",
			 !screen->playing     ? _("paused")
			 : screen->caught_up ? _("following")
					     : _("replay"),
			 time);
	else
		snprintf(text, room, "%s%s%s", screen->frozen ? _("frozen") : "", screen->frozen ? " " : "",
			 time);
}

/* Longer than the chosen delay if samples are expensive. */
static double real_delay(const struct screen *screen)
{
	double paced = (double)screen->rate_limit.delay_ns / 1e9;

	return paced > screen->delay_seconds ? paced : screen->delay_seconds;
}

static void draw_headline(const struct screen *screen, const struct canvas *canvas)
{
	char pieces[HEADLINE_PIECES_MAX][HEADLINE_PIECE_MAX], text[TEXT_MAX];
	const struct frame *frame = session_frame(screen);
	unsigned n_pieces = screen->setup->headline(frame, pieces);
	double delay;
	int room, x = 0;

	clock_text(screen, frame, text, sizeof(text));
	delay = real_delay(screen);
	snprintf(pieces[n_pieces++], HEADLINE_PIECE_MAX, delay < 100 ? "%.3g s" : "%.0f s", delay);
	room = canvas->width - utf8_cells(text, canvas->ascii) - 1;
	if (room < 8)
		room = canvas->width;
	else
		canvas_right(canvas, 0, 0, canvas->width, screen->frozen ? STYLE_NOTICE : STYLE_NORMAL, text);
	for (unsigned i = 0; i < n_pieces; i++) {
		int cells = utf8_cells(pieces[i], canvas->ascii);

		if (x + cells > room)
			continue;
		canvas_text(canvas, 0, x, i == 0 ? STYLE_HEADLINE : STYLE_NORMAL, pieces[i], -1);
		x += cells + 2;
	}
}

/* The beginning of a text; a mark replaces the end if it does not fit. */
static void begin_cells(const struct canvas *canvas, const char *whole, int most,
			char text[FILTER_CELLS * UTF8_BYTES_MAX + 1])
{
	struct utf8_reader reader = { .rest = span_text(whole), .ascii = canvas->ascii };
	bool fits = utf8_cells(whole, canvas->ascii) <= most;
	int left = fits ? most : most - 1, width;
	size_t length = 0;
	uint32_t code;

	while (utf8_visible(&reader, &code, &width) && width <= left &&
	       length < (FILTER_CELLS - 1) * UTF8_BYTES_MAX) {
		length += utf8_put(text + length, code);
		left -= width;
	}
	if (!fits)
		length += utf8_put(text + length, canvas->glyphs->cut);
	text[length] = '\0';
}

/* The filter in at most most cells and its number of rows; returns the cells of both, 0 without a filter. */
static int filter_text(const struct table_widget *widget, const struct canvas *canvas, int most,
		       char text[TEXT_MAX])
{
	char filter[FILTER_CELLS * UTF8_BYTES_MAX + 1];

	*text = '\0';
	if (!widget->has_filter)
		return 0;
	begin_cells(canvas, widget->filter_text.bytes, most < FILTER_CELLS ? most : FILTER_CELLS, filter);
	snprintf(text, TEXT_MAX, P_("filter %s: %zu row", "filter %s: %zu rows", widget->view.n_matching),
		 filter, widget->view.n_matching);
	return utf8_cells(text, canvas->ascii);
}

/* The line of panes: which ones are shown, and with how much of their names. */
struct tabs {
	unsigned first, end;
	enum { TABS_NAMED, TABS_BRIEF, TABS_NUMBERED } look; /* brief: only the current one has its name */
};

static int tab_text(const struct screen *screen, const struct tabs *tabs, unsigned pane, bool ascii,
		    char text[TEXT_MAX])
{
	bool on = pane == screen->current;
	bool named = tabs->look == TABS_NAMED || (tabs->look == TABS_BRIEF && on);
	const char *title = named ? _(screen->setup->panes[pane]->title) : "";

	snprintf(text, TEXT_MAX, "%s%u%s%s%s", on ? "[" : " ", pane + 1, *title ? " " : "", title,
		 on ? "]" : " ");
	return utf8_cells(text, ascii);
}

/* With a blank between them. */
static int tabs_cells(const struct screen *screen, const struct tabs *tabs, bool ascii)
{
	char text[TEXT_MAX];
	int cells = -1;

	for (unsigned i = tabs->first; i < tabs->end; i++)
		cells += tab_text(screen, tabs, i, ascii, text) + 1;
	return cells;
}

/* The current one stays, with its name if it fits. */
static void fit_tabs(const struct screen *screen, struct tabs *tabs, int room, bool ascii)
{
	if (tabs_cells(screen, tabs, ascii) > room && tabs->look == TABS_NAMED)
		tabs->look = TABS_BRIEF;
	while (tabs_cells(screen, tabs, ascii) > room && tabs->end - tabs->first > 1) {
		if (tabs->end > screen->current + 1)
			tabs->end--;
		else
			tabs->first++;
	}
	if (tabs_cells(screen, tabs, ascii) > room)
		tabs->look = TABS_NUMBERED;
}

/* On the right: the filter, as much as fits, and the CPU time of panetop itself. */
static void draw_corner(struct screen *screen, const struct canvas *canvas, int y, int x)
{
	const struct table_widget *widget = session_table(screen);
	char text[TEXT_MAX];
	int end = canvas->width, cells = filter_text(widget, canvas, 1, text);
	int most = end - x - cells + 1, own;

	cells = filter_text(widget, canvas, most, text);
	canvas_right(canvas, y, x, end - x, STYLE_NORMAL, text);
	screen->setup->corner(session_frame(screen), text, sizeof(text));
	own = utf8_cells(text, canvas->ascii);
	if (x + cells + (cells ? CANVAS_GAP : 0) + own > end)
		return;
	canvas_fill(canvas, y, x, STYLE_NORMAL, ' ', end - x);
	canvas_right(canvas, y, x, end - x, STYLE_NORMAL, text);
	filter_text(widget, canvas, most, text);
	canvas_right(canvas, y, x, end - x - own - CANVAS_GAP, STYLE_NORMAL, text);
}

static void draw_tabs(struct screen *screen, const struct canvas *canvas, int y)
{
	const struct table_widget *widget = session_table(screen);
	unsigned n_panes = screen->setup->n_panes;
	struct tabs tabs = { .end = n_panes < SCREEN_TABS_MAX ? n_panes : SCREEN_TABS_MAX };
	int widest, narrowest, x = 0;
	char text[TEXT_MAX];

	screen->tabs_y = canvas->top + y;
	memset(screen->tabs, 0, sizeof(screen->tabs));
	widest = filter_text(widget, canvas, FILTER_CELLS, text);
	narrowest = filter_text(widget, canvas, 1, text);
	if (tabs_cells(screen, &tabs, canvas->ascii) + widest >= canvas->width && widest)
		tabs.look = TABS_BRIEF;
	fit_tabs(screen, &tabs, canvas->width - narrowest - (narrowest ? 1 : 0), canvas->ascii);
	for (unsigned i = tabs.first; i < tabs.end; i++) {
		screen->tabs[i].x = canvas->left + x;
		tab_text(screen, &tabs, i, canvas->ascii, text);
		x += canvas_text(canvas, y, x, i == screen->current ? STYLE_TAB_ON : STYLE_TAB, text, -1);
		screen->tabs[i].end = canvas->left + x++;
	}
	draw_corner(screen, canvas, y, x);
}

/* Is it only about a table of other panes? They show it themselves; the key i lists all. */
static bool is_of_others(const struct screen *screen, const struct notice *notice)
{
	bool others = false;

	for (unsigned i = 0; i < screen->setup->n_panes; i++)
		others |= pane_has_table(screen->setup->panes[i], notice->topic);
	return others && !pane_has_table(screen->contexts[screen->current].pane, notice->topic);
}

/* The newest notice about a table of this pane, else about no pane; NULL when all are about other panes. */
static const struct notice *choose_notice(const struct screen *screen, const struct frame *frame)
{
	const struct notice *newest = NULL;

	for (unsigned i = frame->n_notices; i-- > 0;) {
		const struct notice *notice = &frame->notices[i];

		if (pane_has_table(screen->contexts[screen->current].pane, notice->topic))
			return notice;
		if (!newest && !is_of_others(screen, notice))
			newest = notice;
	}
	return newest;
}

/* A message first, else a notice and how many more there are. */
static bool notice_text(struct screen *screen, char *text, size_t room)
{
	const struct frame *frame = session_frame(screen);
	const struct notice *notice;

	if (env_mono_ns() < screen->message_until_ns) {
		snprintf(text, room, "%s", screen->message);
		return true;
	}
	notice = choose_notice(screen, frame);
	if (!notice)
		return false;
	snprintf(text, room, "%s: %s%s%s", notice->topic, notice->text, notice->remedy ? "; " : "",
		 notice->remedy ? notice->remedy : "");
	if (frame->n_notices > 1)
		snprintf(text + strlen(text), room - strlen(text), " (+%u, i)", frame->n_notices - 1);
	return true;
}

struct footer {
	const struct pane_context *context;
	const struct binding *lists[N_KEYMAP_LISTS];
	int reserved; /* cells reserved at the end for help and quit; 0 once they are drawn */
	int x;
	bool full; /* something was omitted */
};

/* Neighbours with the same label share it. */
struct footer_entry {
	char names[4 * KEY_NAME_MAX];
	const char *label;
};

/* label is translated. */
static int key_cells(const struct canvas *canvas, const char *name, const char *label)
{
	return utf8_cells(name, canvas->ascii) + 1 + utf8_cells(label, canvas->ascii);
}

static void draw_entry(const struct canvas *canvas, int y, struct footer *footer,
		       const struct footer_entry *entry)
{
	const char *label = entry->label ? _(entry->label) : NULL;

	if (!label)
		return;
	if (footer->x + key_cells(canvas, entry->names, label) + footer->reserved > canvas->width) {
		footer->full = true;
		return;
	}
	footer->x += canvas_text(canvas, y, footer->x, STYLE_KEY, entry->names, -1) + 1;
	footer->x += canvas_text(canvas, y, footer->x, STYLE_NORMAL, label, -1) + CANVAS_GAP;
}

static void draw_keys_of(const struct canvas *canvas, int y, struct footer *footer, unsigned index)
{
	struct footer_entry entry = { .label = NULL };
	const struct binding *binding = footer->lists[index];
	char name[KEY_NAME_MAX];
	size_t used = 0;
	int keys[2];

	for (; binding && binding->act; binding++) {
		if (!binding->label ||
		    keymap_keys(footer->context, footer->lists, index, binding, keys) == 0)
			continue;
		if (!entry.label || strcmp(entry.label, binding->label) != 0 ||
		    used + 1 + KEY_NAME_MAX > sizeof(entry.names)) {
			draw_entry(canvas, y, footer, &entry);
			entry.label = binding->label;
			used = 0;
		}
		used += (size_t)snprintf(entry.names + used, sizeof(entry.names) - used, "%s%s",
					 used ? " " : "", key_label(name, keys[0]));
	}
	draw_entry(canvas, y, footer, &entry);
}

/* The first two common keys are help and quit. */
static int reserved_cells(const struct canvas *canvas, const struct binding *common)
{
	char name[KEY_NAME_MAX];
	int cells = 0;

	for (unsigned i = 0; i < 2; i++)
		cells += CANVAS_GAP + key_cells(canvas, key_label(name, common[i].key), _(common[i].label));
	return cells;
}

/*
 * The keys of the pane first, then the common ones, as many as fit; help and quit always. The secondary keys
 * of the pane follow if everything else fitted.
 */
static void draw_footer(struct screen *screen, const struct canvas *canvas, int y)
{
	struct footer footer = { .context = session_context(screen) };

	keymap_bindings(footer.context, footer.lists);
	footer.reserved = reserved_cells(canvas, footer.lists[KEYMAP_COMMON]);
	draw_keys_of(canvas, y, &footer, KEYMAP_VIEW);
	draw_keys_of(canvas, y, &footer, KEYMAP_PANE);
	draw_keys_of(canvas, y, &footer, KEYMAP_SOURCE);
	footer.reserved = 0;
	draw_keys_of(canvas, y, &footer, KEYMAP_COMMON);
	if (!footer.full)
		draw_keys_of(canvas, y, &footer, KEYMAP_SECONDARY);
}

static void draw_pane(struct screen *screen, struct canvas *canvas)
{
	struct pane_context *context = session_context(screen);

	if (context->pane->draw)
		context->pane->draw(context, canvas);
	else
		context_draw_table(context, canvas, 0);
}

static void forget_places(struct screen *screen)
{
	struct pane_context *context = session_context(screen);

	screen->tabs_y = -1;
	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		context->tables[i].heading_y = -1;
}

/* Truncated text ends with the key that shows the rest. */
static void draw_notice(const struct canvas *canvas, int y, const char *text)
{
	int more = (int)strlen(MORE);

	canvas_text(canvas, y, 0, STYLE_NOTICE, "! ", -1);
	if (2 + utf8_cells(text, canvas->ascii) <= canvas->width) {
		canvas_text(canvas, y, 2, STYLE_NOTICE, text, -1);
		return;
	}
	canvas_text(canvas, y, 2, STYLE_NOTICE, text, canvas->width - 2 - more);
	canvas_text(canvas, y, canvas->width - more, STYLE_NOTICE, MORE, -1);
}

/* Small screens lose the line of panes first, then the headline, then the keys. */
static void draw_all(struct screen *screen, const struct canvas *canvas)
{
	int height = canvas->height, top = 0, bottom = height;
	struct canvas pane;
	char text[TEXT_MAX];

	forget_places(screen);
	session_update(screen);
	if (height >= 3) {
		draw_headline(screen, canvas);
		top = 1;
	}
	if (height >= 6)
		draw_tabs(screen, canvas, top++);
	if (height >= 5)
		draw_footer(screen, canvas, --bottom);
	if (height >= 6 && notice_text(screen, text, sizeof(text)))
		draw_notice(canvas, --bottom, text);
	pane = canvas_rows(canvas, top, bottom - top);
	draw_pane(screen, &pane);
	if (screen->overlay)
		screen->overlay->draw(screen, canvas);
}

static void draw_nothing(struct screen *screen, const struct canvas *canvas)
{
	bool told = env_mono_ns() < screen->message_until_ns;

	canvas_text(canvas, 0, 0, STYLE_NOTICE, told ? screen->message : _("nothing to show yet"), -1);
	canvas_text(canvas, 1, 0, STYLE_KEY, _("q leaves"), -1);
}

void chrome_draw(struct screen *screen)
{
	struct canvas canvas = terminal_canvas(&screen->terminal, screen->glyphs);

	screen->changed = false;
	terminal_erase();
	if (session_frame(screen))
		draw_all(screen, &canvas);
	else
		draw_nothing(screen, &canvas);
	terminal_show();
}
