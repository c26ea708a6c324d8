/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What surrounds every pane: headline, names of the panes, views, notice, keys. */
#include <config.h>

#include "screen/chrome.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/hash.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "screen/keymap.h"
#include "screen/navigation.h"
#include "screen/pane_tables.h"
#include "screen/past/compare.h"
#include "screen/past/past.h"
#include "screen/past/player.h"
#include "screen/past/timeline.h"

#define MESSAGE_NS UINT64_C(2000000000)
#define WARNING_NS UINT64_C(6000000000)
#define MORE " (i)"
#define NOTICE_NS UINT64_C(10000000000) /* then only their number stays */

static void show_message(struct screen *screen, enum message_scope scope, bool warns, const char *format,
			 va_list list)
{
	uint64_t ns = warns ? WARNING_NS : MESSAGE_NS;

	vsnprintf(screen->message, sizeof(screen->message), format, list);
	screen->message_scope = scope;
	screen->message_warns = warns;
	screen->message_until_ns = screen_mono_ns(screen) + ns;
	loop_wake_in(&screen->loop, ns);
}

void screen_message(struct screen *screen, enum message_scope scope, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	show_message(screen, scope, false, format, list);
	va_end(list);
}

void screen_warn(struct screen *screen, enum message_scope scope, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	show_message(screen, scope, true, format, list);
	va_end(list);
}

/* Is it about what the pane shows of the machine in other views? */
static bool is_of_other_views(const struct pane_context *context, const struct notice *notice)
{
	const struct pane_view *views = context->pane->views;
	unsigned shown = views ? views[context->view].table : 0;

	return context->pane->unscoped && strcmp(notice->text, _(context->pane->unscoped)) == 0 &&
	       view_is_scoped(&context->tables[shown].view);
}

/* Is it only about a table of other panes? They show it themselves; the key i lists all. */
static bool is_of_others(const struct screen *screen, const struct notice *notice)
{
	const struct pane_context *context = &screen->contexts[screen->current];
	bool others = false;

	if (is_of_other_views(context, notice) ||
	    (context->pane->tells && context->pane->tells(context, notice)))
		return true;
	for (unsigned i = 0; i < screen->setup->n_panes; i++)
		others |= pane_has_table(screen->setup->panes[i], notice->topic);
	return others && !pane_has_table(screen->contexts[screen->current].pane, notice->topic);
}

/* The same for notices that differ in numbers only, which change with every sample. */
static uint64_t identity_of(const struct notice *notice)
{
	char text[TEXT_MAX];
	size_t length = 0;

	for (const char *at = notice->text; *at && length < sizeof(text); at++)
		if (*at < '0' || *at > '9')
			text[length++] = *at;
	return hash_bytes(HASH_SEED, span_of(text, length));
}

static bool was_shown(const struct shown_notices *shown, uint64_t identity)
{
	bool found = false;

	for (unsigned i = 0; i < SHOWN_NOTICES_MAX; i++)
		found |= shown->identities[i] == identity;
	return found;
}

/* Is it about the table that the view is of? */
static bool is_of_view(const struct pane_context *context, const struct notice *notice)
{
	const struct pane *pane = context->pane;
	unsigned shown = pane->views ? pane->views[context->view].table : 0;

	return strcmp(notice->topic, pane->tables[shown].topic) == 0;
}

/*
 * The newest of this pane that was not shown yet: at once if it is about the view, else when the time of the
 * one on show is over. NULL: none.
 */
static const struct notice *choose_notice(struct screen *screen)
{
	struct shown_notices *shown = &screen->shown_notices;
	const struct pane_context *context = &screen->contexts[screen->current];
	const struct frame *frame = screen_frame(screen);
	const struct notice *newest = NULL, *of_view = NULL, *current = NULL;
	uint64_t now_ns = screen_mono_ns(screen);

	for (unsigned i = frame->n_notices; i-- > 0;) {
		const struct notice *notice = &frame->notices[i];
		uint64_t identity = identity_of(notice);

		if (is_of_others(screen, notice))
			continue;
		if (now_ns < shown->until_ns && identity == shown->current)
			current = notice;
		else if (was_shown(shown, identity))
			continue;
		if (!newest)
			newest = notice;
		if (!of_view && is_of_view(context, notice))
			of_view = notice;
	}
	newest = of_view ? of_view : current ? current : newest;
	if (!newest)
		return NULL;
	if (newest != current) {
		shown->current = identity_of(newest);
		shown->identities[shown->next++ % SHOWN_NOTICES_MAX] = shown->current;
		shown->until_ns = now_ns + NOTICE_NS;
	}
	loop_wake_in(&screen->loop, shown->until_ns - now_ns);
	return newest;
}

/* Truncated text ends with the key that shows the rest. */
static void draw_line(const struct canvas *canvas, int y, enum style style, const char *text, bool more)
{
	int x = style == STYLE_NOTICE ? canvas_text(canvas, y, 0, style, "! ", -1) : 0;

	if (!more && x + utf8_cells(text, canvas->ascii) <= canvas->width) {
		canvas_text(canvas, y, x, style, text, -1);
		return;
	}
	x += canvas_text(canvas, y, x, style, text, canvas->width - x - (int)strlen(MORE));
	canvas_text(canvas, y, x, style, MORE, -1);
}

/* A remedy that does not fit is not begun. */
static void draw_notice(const struct canvas *canvas, int y, const struct notice *notice)
{
	char text[TEXT_MAX];
	bool more;

	snprintf(text, sizeof(text), "%s; %s", notice->text, notice->remedy ? notice->remedy : "");
	more = notice->remedy && utf8_cells(text, canvas->ascii) > canvas->width;
	draw_line(canvas, y, STYLE_DIM, notice->remedy && !more ? text : notice->text, more);
}

/* Is there something to show: a message, or else the notice? */
static bool notices_choose(struct screen *screen, const struct notice **notice)
{
	bool told = screen_mono_ns(screen) < screen->message_until_ns;

	*notice = told ? NULL : choose_notice(screen);
	return told || *notice;
}

/* Over what the pane has there. */
static void notices_draw(struct screen *screen, const struct canvas *canvas, int y,
			 const struct notice *notice)
{
	canvas_fill(canvas, y, 0, STYLE_NORMAL, ' ', canvas->width);
	if (notice)
		draw_notice(canvas, y, notice);
	else
		draw_line(canvas, y, screen->message_warns ? STYLE_NOTICE : STYLE_NORMAL, screen->message,
			  false);
}

/* "3 notices (i)" of this pane that are not shown at the moment, or shorter; "": none. */
static void notices_count(const struct screen *screen, bool brief, char *text, size_t room)
{
	const struct shown_notices *shown = &screen->shown_notices;
	const struct frame *frame = screen_frame(screen);
	unsigned n = 0;

	for (unsigned i = 0; i < frame->n_notices; i++)
		n += !is_of_others(screen, &frame->notices[i]) &&
		     was_shown(shown, identity_of(&frame->notices[i])) &&
		     !(screen_mono_ns(screen) < shown->until_ns &&
		       identity_of(&frame->notices[i]) == shown->current);
	*text = '\0';
	if (n > 0 && brief)
		snprintf(text, room, "%u i", n);
	else if (n > 0)
		snprintf(text, room, P_("%u notice (i)", "%u notices (i)", n), n);
}

#define STRIP_FROM_LINES 14 /* lower screens have only the title of the view */

#define HEADLINE_CELLS_MIN 8
#define TIMELINE_FROM_CELLS 60 /* narrower screens have it only where the panes leave room */
#define TIMELINE_CELLS 14      /* at least; names of panes that leave fewer are left out */
#define LONG_DELAY_SECONDS 10
#define NARROW_CELLS 80 /* here a comparison is named briefly */
#define DELAY_CELLS 80 /* with less room "every" is left out */
#define WIDE_CELLS 110 /* here a replay shows its times in the headline */
#define SCOPE_HINT_ROOM 30 /* cells beside the scope, of which a third names its key */

static void clock_text(struct screen *screen, const struct frame *frame, bool wide, char *text, size_t room)
{
	char time[CLOCK_TEXT_MAX], position[128];

	screen->player->position(screen, wide, position, sizeof(position));
	snprintf(text, room, "%s%s%s", position, *position ? " " : "",
		 clock_local(time, frame->wall_ns, "%H:%M:%S"));
}

/* "only nginx.service (14 tasks)"; empty: all processes. */
static void scope_text(const struct screen *screen, char *text, size_t room)
{
	const struct scope *scope = screen->setup->request->scope;
	char what[TEXT_MAX];

	*text = '\0';
	if (!scope_is_set(scope))
		return;
	scope_describe(scope, what, sizeof(what));
	if (scope->n_members == 1 && scope->n_terms == 1 && scope->terms[0].kind == SCOPE_PROCESSES)
		snprintf(text, room, _("only %s"), what);
	else if (scope->has_looked && !scope->unknown)
		snprintf(text, room, P_("only %s (%zu task)", "only %s (%zu tasks)", scope->n_members), what,
			 scope->n_members);
	else
		snprintf(text, room, _("only %s"), what);
}

/* The scope, and the key that leaves it where the machine's numbers still have room; returns the cells. */
static int draw_scope(struct screen *screen, const struct canvas *canvas, int room)
{
	char text[TEXT_MAX];
	int x;

	scope_text(screen, text, sizeof(text));
	if (!*text)
		return 0;
	x = canvas_text(canvas, 0, 0, STYLE_TAB_ON, text, room);
	if (room - x >= SCOPE_HINT_ROOM)
		x += canvas_text(canvas, 0, x + 1, STYLE_DIM, _("@ ends"), -1) + 1;
	return x + 2;
}

/* How many were shown, in the last cells of room; returns the cells that it takes. */
static int draw_notices(struct screen *screen, const struct canvas *canvas, int room)
{
	char text[TEXT_MAX];
	int cells;

	notices_count(screen, true, text, sizeof(text));
	cells = utf8_cells(text, canvas->ascii);
	if (!*text || room - cells < HEADLINE_CELLS_MIN + CANVAS_GAP)
		return 0;
	canvas_right(canvas, 0, 0, room, STYLE_DIM, text);
	return cells + CANVAS_GAP;
}

/* Last, so that it leaves first where there is no room; a long one comes early: what is shown may be old. */
static unsigned add_delay(const struct screen *screen, char pieces[][HEADLINE_PIECE_MAX], unsigned n_pieces,
			  bool brief)
{
	double paced = (double)screen->rate_limit.delay_ns / 1e9; /* longer if samples are expensive */
	double delay = paced > screen->delay_seconds ? paced : screen->delay_seconds;
	unsigned at = delay >= LONG_DELAY_SECONDS && n_pieces > 0 ? 1 : n_pieces;

	memmove(pieces[at + 1], pieces[at], (n_pieces - at) * HEADLINE_PIECE_MAX);
	if (brief)
		snprintf(pieces[at], HEADLINE_PIECE_MAX, delay < 100 ? "%.3g s" : "%.0f s", delay);
	else
		snprintf(pieces[at], HEADLINE_PIECE_MAX, delay < 100 ? _("every %.3g s") : _("every %.0f s"),
			 delay);
	return n_pieces + 1;
}

static void draw_headline(struct screen *screen, const struct canvas *canvas, bool with_notices)
{
	char pieces[HEADLINE_PIECES_MAX][HEADLINE_PIECE_MAX], text[TEXT_MAX];
	const struct frame *frame = screen_frame(screen);
	unsigned n_pieces = screen->setup->headline(frame, pieces);
	bool highlights = screen->frozen || screen->compare.on;
	int room, x;

	if (screen->compare.on)
		compare_text(screen, canvas->width < NARROW_CELLS, text, sizeof(text));
	else
		clock_text(screen, frame, canvas->width >= WIDE_CELLS, text, sizeof(text));
	room = canvas->width - utf8_cells(text, canvas->ascii) - 1;
	if (room < HEADLINE_CELLS_MIN) { /* so narrow: only the clock */
		snprintf(text, sizeof(text), "%s", strrchr(text, ' ') ? strrchr(text, ' ') + 1 : text);
		room = canvas->width - utf8_cells(text, canvas->ascii) - 1;
	}
	if (room < HEADLINE_CELLS_MIN)
		room = canvas->width;
	else
		canvas_right(canvas, 0, 0, canvas->width, highlights ? STYLE_NOTICE : STYLE_NORMAL, text);
	if (with_notices)
		room -= draw_notices(screen, canvas, room);
	n_pieces = add_delay(screen, pieces, n_pieces, room < DELAY_CELLS);
	x = draw_scope(screen, canvas, room);
	for (unsigned i = x > 0; i < n_pieces; i++) {
		int cells = utf8_cells(pieces[i], canvas->ascii);

		if (x + cells > room)
			continue;
		canvas_text(canvas, 0, x, i == 0 ? STYLE_HEADLINE : STYLE_NORMAL, pieces[i], -1);
		x += cells + 2;
	}
}

/*
 * The line of panes. Names are cut alike, whichever is shown: its brackets stand in the blanks between, and
 * there is room for its whole name. The page of a process has a tab only while it is shown, and so has a late
 * pane where all names do not fit whole. "+2": two panes are only in the list (F2).
 */
struct tabs {
	int gap;        /* blanks between two */
	bool spaced;    /* a blank behind each digit */
	int whole, cut; /* names of more cells than whole are cut to cut cells */
	bool leaves_out; /* late panes that are not shown */
	bool numbered;  /* only the shown one has its name, behind all digits */
	int end;        /* the cell behind the last one that fits */
	int names[SCREEN_TABS_MAX]; /* cells of each whole name */
};

#define TAB_NAME_MIN 3
#define TAB_MORE_CELLS 3 /* " +2" */

static unsigned count_tabs(const struct screen *screen)
{
	return screen->setup->n_panes < SCREEN_TABS_MAX ? screen->setup->n_panes : SCREEN_TABS_MAX;
}

static int cut_cells(const struct tabs *tabs, unsigned pane)
{
	return tabs->names[pane] > tabs->whole ? tabs->cut : tabs->names[pane];
}

static int name_cells(const struct screen *screen, const struct tabs *tabs, unsigned pane)
{
	return pane == screen->current ? tabs->names[pane] : cut_cells(tabs, pane);
}

/* With the blanks around them, whichever of those with a tab is shown. */
static int tabs_cells(const struct screen *screen, const struct tabs *tabs)
{
	int cells = 2 - tabs->gap, shown = 0;

	for (unsigned i = 0; i < count_tabs(screen); i++) {
		const struct pane *pane = screen->setup->panes[i];
		int digit = pane->digit ? 1 + tabs->spaced : 0, more = tabs->names[i] - cut_cells(tabs, i);

		if (tabs->leaves_out && (pane->late || !pane_has_tab(pane, screen->setup->request)))
			more = i == screen->current ? tabs->gap + digit + tabs->names[i] : 0;
		else
			cells += tabs->gap + digit + cut_cells(tabs, i);
		shown = more > shown ? more : shown;
	}
	return cells + shown + (tabs->leaves_out ? TAB_MORE_CELLS : 0);
}

/* The widest look that fits: names are cut, the longest first, before they are left out. */
static struct tabs fit_tabs(const struct screen *screen, int room, bool ascii)
{
	struct tabs tabs = { .gap = 2, .spaced = true };
	int longest;

	for (unsigned i = 0; i < count_tabs(screen); i++) {
		tabs.names[i] = utf8_cells(_(screen->setup->panes[i]->title), ascii);
		tabs.whole = tabs.names[i] > tabs.whole ? tabs.names[i] : tabs.whole;
	}
	if (tabs_cells(screen, &tabs) <= room)
		return tabs;
	tabs.gap = 1;
	if (tabs_cells(screen, &tabs) <= room)
		return tabs;
	tabs.leaves_out = true;
	tabs.spaced = false;
	longest = tabs.whole;
	for (tabs.cut = longest; tabs.cut >= TAB_NAME_MIN; tabs.cut--)
		for (tabs.whole = longest; tabs.whole >= tabs.cut; tabs.whole--)
			if (tabs_cells(screen, &tabs) <= room)
				return tabs;
	tabs.numbered = true;
	return tabs;
}

/* Appends what fits into most cells; returns its cells. */
static int add_cut(char text[TEXT_MAX], const char *name, int most, bool ascii)
{
	struct utf8_reader reader = { .rest = span_text(name), .ascii = ascii };
	size_t length = strlen(text);
	int used = 0, cells;
	uint32_t code;

	while (utf8_visible(&reader, &code, &cells) && used + cells <= most &&
	       length + UTF8_BYTES_MAX < TEXT_MAX) {
		length += utf8_put(text + length, code);
		used += cells;
	}
	text[length] = '\0';
	return used;
}

/* Returns its cells. */
static int tab_text(const struct screen *screen, const struct tabs *tabs, unsigned pane, bool ascii,
		    char text[TEXT_MAX])
{
	const struct pane *of = screen->setup->panes[pane];

	snprintf(text, TEXT_MAX, "%.1s%s", &of->digit, of->digit && tabs->spaced ? " " : "");
	if (!tabs->numbered)
		return (int)strlen(text) + add_cut(text, _(of->title), name_cells(screen, tabs, pane), ascii);
	return of->digit ? 1 : add_cut(text, _(of->title), 2, ascii);
}

static void draw_tab(const struct screen *screen, const struct canvas *canvas, int y, unsigned pane,
		     const struct tabs *tabs)
{
	const struct pane_context *context = &screen->contexts[pane];
	bool on = pane == screen->current;
	bool goes_on = context->pane->goes_on && context->pane->goes_on(context);
	int x = screen->tabs[pane].x - canvas->left + 1, end = screen->tabs[pane].end - canvas->left;
	char text[TEXT_MAX];

	tab_text(screen, tabs, pane, canvas->ascii, text);
	canvas_text(canvas, y, x, on ? STYLE_TAB_ON : STYLE_TAB, text, -1);
	if (on) {
		canvas_text(canvas, y, x - 1, STYLE_TAB_ON, "[", 1);
		canvas_text(canvas, y, end, STYLE_TAB_ON, "]", 1);
	} else if (goes_on) {
		canvas_text(canvas, y, end, STYLE_NOTICE, "*", 1);
	}
}

/* False: it does not fit. */
static bool draw_corner_text(const struct canvas *canvas, int y, int x, enum style style, const char *text)
{
	if (x + utf8_cells(text, canvas->ascii) >= canvas->width)
		return false;
	canvas_right(canvas, y, x, canvas->width - x, style, text);
	return true;
}

/*
 * On the right: where this is in time; else notices that were shown, or the CPU time of panetop itself.
 * False: there is no room for the notices.
 */
static bool draw_corner(const struct screen *screen, const struct canvas *canvas, int y, int x)
{
	char text[TEXT_MAX];

	if (screen_recording(screen)) {
		timeline_draw(screen, canvas);
		return false;
	}
	notices_count(screen, false, text, sizeof(text));
	if (!*text) {
		screen->setup->corner(screen_frame(screen), text, sizeof(text));
		draw_corner_text(canvas, y, x, STYLE_NORMAL, text);
		return true;
	}
	if (draw_corner_text(canvas, y, x, STYLE_DIM, text))
		return true;
	notices_count(screen, true, text, sizeof(text));
	return draw_corner_text(canvas, y, x, STYLE_DIM, text);
}

static const char *shown_title(const struct screen *screen)
{
	return _(screen->setup->panes[screen->current]->title);
}

static bool has_place(const struct screen *screen, const struct tabs *tabs, unsigned pane)
{
	bool left_out = tabs->leaves_out && screen->setup->panes[pane]->late;

	return pane == screen->current || (navigation_has_tab(screen, pane) && !left_out);
}

/* Where a line of digits is too long, it begins so that the shown one is in it. */
static unsigned first_tab(const struct screen *screen, const struct tabs *tabs, int room, bool ascii)
{
	unsigned first = screen->current;
	char text[TEXT_MAX];
	int cells = 2;

	for (unsigned i = screen->current + 1; i-- > 0;) {
		if (!has_place(screen, tabs, i))
			continue;
		cells += tab_text(screen, tabs, i, ascii, text) + tabs->gap;
		if (cells - tabs->gap > room)
			break;
		first = i;
	}
	return first;
}

/* How many panes the list has that have no place. */
static int count_more(const struct screen *screen)
{
	int n = 0;

	for (unsigned i = 0; i < count_tabs(screen); i++) {
		const struct pane *pane = screen->setup->panes[i];

		n += screen->tabs[i].end == 0 && (pane->of_process || navigation_has_tab(screen, i));
	}
	return n;
}

static int more_text(const struct screen *screen, char text[TEXT_MAX])
{
	return snprintf(text, TEXT_MAX, "+%d", count_more(screen));
}

/* Behind the last tab, if some are left out and there is room. */
static void place_more(struct screen *screen, const struct canvas *canvas, const struct tabs *tabs, int room,
		       int *x)
{
	char text[TEXT_MAX];
	int cells = more_text(screen, text);

	if (!tabs->leaves_out || *x + cells + 1 > room)
		return;
	screen->tabs[SCREEN_TABS_MORE].x = canvas->left + *x;
	screen->tabs[SCREEN_TABS_MORE].end = canvas->left + *x + cells;
	*x += cells + tabs->gap;
}

/* Before they are drawn on line y: where they stand, and behind them the timeline. */
static struct tabs place_tabs(struct screen *screen, const struct canvas *canvas, int y)
{
	int x = 1, room = canvas->width, cells;
	char text[TEXT_MAX];
	struct tabs tabs;

	screen->tabs_y = canvas->top + y;
	memset(screen->tabs, 0, sizeof(screen->tabs));
	if (screen_recording(screen) && canvas->width >= TIMELINE_FROM_CELLS)
		room -= TIMELINE_CELLS;
	tabs = fit_tabs(screen, room, canvas->ascii);
	for (unsigned i = first_tab(screen, &tabs, room, canvas->ascii); i < count_tabs(screen); i++) {
		if (!has_place(screen, &tabs, i))
			continue;
		cells = tab_text(screen, &tabs, i, canvas->ascii, text);
		if (x + cells + 1 > room)
			break;
		screen->tabs[i].x = canvas->left + x - 1;
		screen->tabs[i].end = canvas->left + x + cells;
		x += cells + tabs.gap;
	}
	place_more(screen, canvas, &tabs, room, &x);
	tabs.end = x;
	cells = tabs.numbered ? utf8_cells(shown_title(screen), canvas->ascii) : 0;
	if (tabs.numbered)
		x += 1 + (x + 1 + cells > canvas->width ? 0 : cells + CANVAS_GAP);
	timeline_update(screen, canvas->top + y, canvas->left + x + 1, canvas->left + canvas->width);
	return tabs;
}

/* As draw_corner(). */
static bool draw_tabs(const struct screen *screen, const struct canvas *canvas, int y,
		      const struct tabs *tabs)
{
	char text[TEXT_MAX];
	int x = tabs->end;

	for (unsigned i = 0; i < count_tabs(screen); i++)
		if (screen->tabs[i].end > screen->tabs[i].x)
			draw_tab(screen, canvas, y, i, tabs);
	if (screen->tabs[SCREEN_TABS_MORE].end > 0) {
		more_text(screen, text);
		canvas_text(canvas, y, screen->tabs[SCREEN_TABS_MORE].x - canvas->left, STYLE_TAB, text, -1);
	}
	if (tabs->numbered)
		x = canvas_piece(canvas, y, x + 1, STYLE_TAB_ON, shown_title(screen));
	return draw_corner(screen, canvas, y, x);
}

/* The title of a view as the strip shows it; returns its cells. */
static int view_text(const struct pane_context *context, unsigned index, bool ascii, char text[TEXT_MAX])
{
	bool on = index == context->view;

	snprintf(text, TEXT_MAX, "%s%s%s", on ? "[" : " ", _(context->pane->views[index].title),
		 on ? "]" : " ");
	return utf8_cells(text, ascii);
}

/* Which views the strip has. */
struct strip {
	unsigned views[SCREEN_VIEWS_MAX], n;
	unsigned shown; /* of them */
	bool more;      /* the menu of views has others */
};

static bool is_more(const struct pane_context *context, const struct pane_view *view)
{
	return view->more || (view->is_more && context->frame && view->is_more(context));
}

static struct strip strip_of(const struct pane_context *context)
{
	unsigned n_views = navigation_views(context);
	struct strip strip = { 0 };

	for (unsigned i = 0; i < n_views && i < SCREEN_VIEWS_MAX; i++) {
		if (i != context->view && is_more(context, &context->pane->views[i])) {
			strip.more = true;
			continue;
		}
		if (i == context->view)
			strip.shown = strip.n;
		strip.views[strip.n++] = i;
	}
	return strip;
}

/* The first view of the strip so that the shown one fits after it. */
static unsigned first_in_strip(const struct pane_context *context, const struct strip *strip, int room,
			       bool ascii)
{
	unsigned first = strip->shown;
	char text[TEXT_MAX];
	int cells = view_text(context, strip->views[first], ascii, text);

	while (first > 0 &&
	       (cells += view_text(context, strip->views[first - 1], ascii, text)) <= room)
		first--;
	return first;
}

static int draw_strip_item(struct screen *screen, const struct canvas *canvas, int y, int x, const char *text,
			   unsigned place)
{
	enum style style = place == screen_context(screen)->view ? STYLE_TAB_ON : STYLE_TAB;
	int cells = canvas_text(canvas, y, x, style, text, -1);

	screen->views[place].x = canvas->left + x;
	screen->views[place].end = canvas->left + x + cells;
	return x + cells;
}

/* The strip of views; marks at its ends where there are more, and at last the menu that has all. */
static void draw_views(struct screen *screen, const struct canvas *canvas, int y)
{
	const struct pane_context *context = screen_context(screen);
	struct strip strip = strip_of(context);
	char text[TEXT_MAX], more[TEXT_MAX] = "";
	int x, end = canvas->width - 1;
	unsigned i;

	screen->views_y = canvas->top + y;
	memset(screen->views, 0, sizeof(screen->views));
	x = canvas_text(canvas, y, 0, STYLE_DIM, _("View"), -1) + 1;
	if (strip.more) {
		snprintf(more, sizeof(more), " %s %c", _("More"), actions[ACTION_VIEWS].keys[0]);
		end -= utf8_cells(more, canvas->ascii);
	}
	i = first_in_strip(context, &strip, end - x, canvas->ascii);
	if (i > 0)
		canvas_text(canvas, y, x - 1, STYLE_DIM, "<", 1);
	for (; i < strip.n; i++) {
		int cells = view_text(context, strip.views[i], canvas->ascii, text);

		if (x + cells > end + (i + 1 == strip.n)) /* the last one needs no mark behind it */
			break;
		x = draw_strip_item(screen, canvas, y, x, text, strip.views[i]);
	}
	if (i < strip.n)
		x = end + canvas_text(canvas, y, end, STYLE_DIM, ">", 1);
	if (strip.more)
		draw_strip_item(screen, canvas, y, x, more, SCREEN_VIEWS_MORE);
}

struct footer {
	struct screen *screen;
	const struct canvas *canvas;
	int y, x;
	int reserved; /* cells at the end for help and quit */
	bool seen[N_ACTIONS];
};

static int entry_cells(const struct canvas *canvas, const char *keys, const char *label)
{
	return utf8_cells(keys, canvas->ascii) + 1 + utf8_cells(label, canvas->ascii);
}

/* Remembers where it is, for the mouse. */
static void draw_key(struct footer *footer, int key)
{
	struct screen *screen = footer->screen;
	char name[KEY_NAME_MAX];
	int x = footer->x;

	footer->x += canvas_text(footer->canvas, footer->y, x, STYLE_KEY, key_label(name, key), -1) + 1;
	if (screen->n_footer < SCREEN_FOOTER_MAX)
		screen->footer[screen->n_footer++] =
			(struct screen_place){ footer->canvas->left + x, footer->canvas->left + footer->x,
					       key };
}

/* Neighbours with the same label share it. False: it did not fit. */
static bool draw_entry(struct footer *footer, const enum action *shared, unsigned n_shared)
{
	struct screen *screen = footer->screen;
	const char *label = keymap_label(screen_context(screen), shared[0]);
	char names[N_ACTIONS + 4 * KEY_NAME_MAX] = "", name[KEY_NAME_MAX];

	for (unsigned i = 0; i < n_shared; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i > 0 ? " " : "",
			 key_label(name, actions[shared[i]].keys[0]));
	if (footer->x + entry_cells(footer->canvas, names, label) + footer->reserved > footer->canvas->width)
		return false;
	for (unsigned i = 0; i < n_shared; i++)
		draw_key(footer, actions[shared[i]].keys[0]);
	footer->x += canvas_text(footer->canvas, footer->y, footer->x, STYLE_NORMAL, label, -1);
	if (screen->n_footer > 0)
		screen->footer[screen->n_footer - 1].end = footer->canvas->left + footer->x;
	footer->x += CANVAS_GAP;
	return true;
}

/* The labelled ones that work now, each once. */
static void draw_actions(struct footer *footer, const enum action *list, unsigned n)
{
	const struct pane_context *context = screen_context(footer->screen);
	enum action shared[4];
	unsigned n_shared = 0;

	for (unsigned i = 0; i < n; i++) {
		const char *label = keymap_label(context, list[i]);

		if (footer->seen[list[i]] || !label || !keymap_works(context, list[i]))
			continue;
		footer->seen[list[i]] = true;
		if (n_shared == 4 || (n_shared > 0 && strcmp(keymap_label(context, shared[0]), label) != 0)) {
			draw_entry(footer, shared, n_shared);
			n_shared = 0;
		}
		shared[n_shared++] = list[i];
	}
	if (n_shared > 0)
		draw_entry(footer, shared, n_shared);
}

static void draw_bound(struct footer *footer, const struct pane_action *bound)
{
	enum action list[N_ACTIONS];
	unsigned n = 0;

	for (; bound && bound->act && n < N_ACTIONS; bound++)
		list[n++] = bound->action;
	draw_actions(footer, list, n);
}

/* The keys of the view first, then the common ones, then those of the pane, as many as fit; help and quit
 * always. */
static void draw_footer(struct screen *screen, const struct canvas *canvas, int y)
{
	static const enum action playing[] = { ACTION_PAUSE, ACTION_STEP_BACK, ACTION_STEP_ON, ACTION_GO_TO };
	static const enum action past[] = { ACTION_NOW, ACTION_STEP_BACK, ACTION_STEP_ON, ACTION_GO_TO };
	static const enum action first[] = { ACTION_OPEN,   ACTION_ACT,	 ACTION_SEARCH,
					     ACTION_FILTER, ACTION_SORT, ACTION_OPTIONS };
	static const enum action why[] = { ACTION_EXPLAIN, ACTION_WHY };
	static const enum action live[] = { ACTION_MINUTE_BACK };
	static const enum action rest[] = { ACTION_LESS_NICE, ACTION_NICER, ACTION_COLUMNS, ACTION_PANES,
					     ACTION_PAUSE };
	static const enum action last[] = { ACTION_HELP, ACTION_QUIT };
	static const enum action compares[] = { ACTION_COMPARE };
	const struct pane_context *context = screen_context(screen);
	struct footer footer = { .screen = screen, .canvas = canvas, .y = y };
	const char *label = keymap_label(context, ACTION_OPEN);
	bool waits = screen_replays(context) && label && strcmp(label, _(actions[ACTION_OPEN].label)) == 0;
	char name[KEY_NAME_MAX];

	screen->footer_y = canvas->top + y;
	screen->n_footer = 0;
	for (unsigned i = 0; i < 2; i++)
		footer.reserved += entry_cells(canvas, key_label(name, actions[last[i]].keys[0]),
					       _(actions[last[i]].label)) +
				   CANVAS_GAP;
	draw_actions(&footer, compares, marked_exists(screen));
	if (screen_replays(context))
		draw_actions(&footer, screen->in_past ? past : playing, 4);
	footer.seen[ACTION_OPEN] = waits; /* room is short: a plain Enter comes later */
	if (context->pane->views)
		draw_bound(&footer, context->pane->views[context->view].actions);
	draw_actions(&footer, first, sizeof(first) / sizeof(first[0]));
	if (waits)
		footer.seen[ACTION_OPEN] = false;
	draw_actions(&footer, first, sizeof(first) / sizeof(first[0]));
	draw_bound(&footer, context->pane->actions);
	draw_actions(&footer, why, sizeof(why) / sizeof(why[0]));
	draw_actions(&footer, live, !screen_replays(context));
	draw_actions(&footer, rest, sizeof(rest) / sizeof(rest[0]));
	footer.reserved = 0;
	draw_actions(&footer, last, 2);
}

static void draw_pane(struct screen *screen, struct canvas *canvas)
{
	struct pane_context *context = screen_context(screen);
	const struct pane_view *view = context->pane->views ? &context->pane->views[context->view] : NULL;
	char title[TEXT_MAX];

	if (context->pane->layout && !screen->compare.on)
		context->pane->layout(context, canvas);
	if (screen->compare.on) {
		compare_draw(context, canvas);
	} else if (view && view->draw) {
		view->draw(context, canvas);
	} else if (view) {
		snprintf(title, sizeof(title), "%s", _(view->title));
		if (view->heading)
			view->heading(context, title, sizeof(title));
		context_draw_view(context, canvas, title);
	} else if (context->pane->draw) {
		context->pane->draw(context, canvas);
	} else {
		context_draw_table(context, canvas, 0);
	}
}

/* At the right of the strip, where the pane does not show it above its table. */
static void draw_filter(struct screen *screen, const struct canvas *canvas, int y)
{
	const struct table_widget *widget = screen_table(screen);
	char text[TEXT_MAX] = " ";
	size_t length;

	if (!widget->has_filter || screen->filter_shown || y < 1)
		return;
	pane_table_filter_text(widget, canvas, text + 1, sizeof(text) - 1);
	length = strlen(text);
	snprintf(text + length, sizeof(text) - length, "%zu ", widget->view.n_matching);
	canvas_right(canvas, y, canvas->width / 3, canvas->width - canvas->width / 3, STYLE_NOTICE, text);
}

static void forget_places(struct screen *screen)
{
	struct pane_context *context = screen_context(screen);

	screen->tabs_y = screen->views_y = screen->footer_y = -1;
	timeline_hide(screen);
	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		context->tables[i].heading_y = -1;
}

/* Small screens lose the line of panes first, then the headline, then the keys. */
static void draw_all(struct screen *screen, const struct canvas *canvas, const struct origins *origins)
{
	int height = canvas->height, top = 0, bottom = height, footer_y = -1;
	const struct notice *notice = NULL;
	bool counted = false, noticed;
	struct tabs tabs;
	struct canvas pane;

	forget_places(screen);
	trends_update(screen);
	pane_tables_update(screen);
	if (height >= 3)
		top = 1;
	if (height >= 6) {
		tabs = place_tabs(screen, canvas, top);
		counted = draw_tabs(screen, canvas, top++, &tabs);
	}
	if (height >= STRIP_FROM_LINES && navigation_views(screen_context(screen)) > 1)
		draw_views(screen, canvas, top++);
	if (height >= 5)
		footer_y = --bottom;
	noticed = height >= 6 && notices_choose(screen, &notice);
	screen_context(screen)->notice_y = noticed ? canvas->top + bottom - 1 : 0;
	pane = canvas_rows(canvas, top, bottom - top);
	screen->filter_shown = false;
	origins_collect(origins);
	draw_pane(screen, &pane);
	if (noticed)
		notices_draw(screen, canvas, bottom - 1, notice);
	draw_filter(screen, canvas, top - 1);
	if (height >= 3)
		draw_headline(screen, canvas, !counted);
	origins_collect(NULL);
	if (footer_y >= 0) /* it shows keys for what was drawn */
		draw_footer(screen, canvas, footer_y);
	if (screen->overlay)
		screen->overlay->draw(screen, canvas);
}

static void draw(struct screen *screen, const struct origins *origins)
{
	struct canvas canvas = terminal_canvas(&screen->terminal, screen->glyphs);
	bool told = screen_mono_ns(screen) < screen->message_until_ns;

	screen->graphs.count = 0;
	canvas.graphs = &screen->graphs;
	terminal_erase();
	if (screen_frame(screen)) {
		draw_all(screen, &canvas, origins);
		return;
	}
	canvas_text(&canvas, 0, 0, STYLE_NOTICE, told ? screen->message : _("waiting for the first sample"),
		    -1);
	canvas_text(&canvas, 1, 0, STYLE_KEY, _("q Quit"), -1);
}

void chrome_draw(struct screen *screen)
{
	screen->changed = false;
	draw(screen, NULL);
	terminal_show();
}

void chrome_collect(struct screen *screen, const struct origins *origins)
{
	const struct overlay *overlay = screen->overlay;

	screen->overlay = NULL;
	draw(screen, origins);
	screen->overlay = overlay;
}
