/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A message has the line for a while, then notices that were not shown yet, that of the view first. */
#include <config.h>

#include "screen/notices.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "core/i18n.h"
#include "core/utf8.h"

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

bool notices_draw(struct screen *screen, const struct canvas *canvas, int y)
{
	const struct notice *notice;

	if (screen_mono_ns(screen) < screen->message_until_ns) {
		draw_line(canvas, y, screen->message_warns ? STYLE_NOTICE : STYLE_NORMAL, screen->message,
			  false);
		return true;
	}
	notice = choose_notice(screen);
	if (notice)
		draw_notice(canvas, y, notice);
	return notice != NULL;
}

void notices_count(const struct screen *screen, bool brief, char *text, size_t room)
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
