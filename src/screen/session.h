/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The session behind the screen: frames, panes, logs, the delay, messages, and what is sampled. */
#ifndef PANETOP_SCREEN_SESSION_H
#define PANETOP_SCREEN_SESSION_H

#include "screen/state.h"

/* At the start and for new tables the second sample follows this soon, so that rates are known early. */
#define SESSION_WARM_UP_NS UINT64_C(250000000)

void session_open(struct screen *screen);
void session_close(struct screen *screen);

struct pane_context *session_context(struct screen *screen);    /* of the current pane */
struct table_widget *session_table(struct screen *screen);      /* the one that has the focus */
const struct frame *session_frame(const struct screen *screen); /* shown; NULL before the first */

/* The recording or the past that the shown sample was read from, standing behind it; NULL: it is live. */
const struct source *session_recording(const struct screen *screen);

/* Takes the next frame from the source and shows it unless frozen: 1, 0 at the end, or -errno. */
int session_sample(struct screen *screen);

/* Lets the source sample what panes and scope want now. */
void session_update_subscriptions(struct screen *screen);

/* Of a recording or of the past: it reads only this topic, or with NULL again what the screen wants. */
void session_want_only(const struct screen *screen, const struct source *source, const char *topic);

/* Takes the next two samples without waiting for the delay. */
void session_sample_soon(struct screen *screen);

/* Lets the panes prepare a frame that will be shown. */
void session_prepare(struct screen *screen, const struct frame *frame);

/* Shows this one of the frames. */
void session_show(struct screen *screen, int index);

/* Freezes what is shown, while events are still collected; or shows the latest frame again. */
void session_freeze(struct screen *screen, bool frozen);

/* Updates the tables of the current pane to the shown frame, before they are drawn or get a key. */
void session_update(struct screen *screen);

void session_choose_pane(struct screen *screen, unsigned index);

/* From the current pane into another one, which Esc leaves again; false: it was not opened from another. */
void session_enter_pane(struct screen *screen, unsigned index);
bool session_go_back(struct screen *screen);

/* A row of a table, by its first key that is a text, or as a process. */
struct row_wish {
	const char *topic, *key; /* key "": none */
	uint64_t pid;            /* U64_UNKNOWN: by the key */
	double start_seconds;
};

/* Enters this view ("": its home) of the pane with this name, and selects the row if it is there. */
void session_show_row(struct screen *screen, const char *pane, const char *view, const struct row_wish *wish);

/* Is it in the line of panes? */
bool session_has_tab(const struct screen *screen, unsigned index);

/* How many views the pane has; at least 1. */
unsigned session_views(const struct pane_context *context);

/* Its home among them. */
unsigned session_home(const struct pane_context *context);

/* Has the shown view no table to search, filter or sort? */
bool session_lacks_table(const struct pane_context *context);

/* A recording need not contain the first pane; then the first pane that it contains is shown. */
void session_choose_recorded_pane(struct screen *screen);

void session_set_delay(struct screen *screen, double seconds);
void session_choose_delay(struct screen *screen, double seconds); /* by the user */
void session_follow_delay(struct screen *screen);                 /* what the current pane prefers */

/* Samples that cost more than a tenth of the time, drawing included, are taken less often. */
void session_keep_pace(struct screen *screen, uint64_t cost_ns);

/* "filter make: ", the expression in at most a quarter of the width; empty without one. */
void session_filter_text(const struct table_widget *widget, const struct canvas *canvas, char *text,
			 size_t room);

void session_clear_logs(struct screen *screen);
void session_undo_logs(struct screen *screen, const struct frame *frame); /* the frame added last */

/* Gives a view the default columns and order of this table of the pane. */
void session_apply_defaults(const struct pane_context *context, unsigned index, struct view *view);

/* The settings of its columns and order are NAME.columns and NAME.sort. */
const char *session_table_setting(const struct pane_context *context, unsigned index);

/* Is this the home of the table? Only there the configured columns and order apply and are saved. */
bool session_owns_table(const struct pane_context *context, unsigned index);

#endif
