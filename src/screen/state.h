/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the screen, shared by its own files only. */
#ifndef PANETOP_SCREEN_STATE_H
#define PANETOP_SCREEN_STATE_H

#include "core/i18n.h"
#include "core/rate_limit.h"
#include "model/difference.h"
#include "model/event_log.h"
#include "model/explanation.h"
#include "model/history.h"
#include "model/pipeline.h"
#include "screen/context.h"
#include "screen/graph.h"
#include "screen/setup.h"
#include "screen/terminal.h"
#include "sys/loop.h"

#define SCREEN_FRAMES 3
#define SCREEN_PAST_FRAME SCREEN_FRAMES /* of the past: the shown one, and the base of its rates */
#define SCREEN_PAST_BASE (SCREEN_FRAMES + 1)
#define SCREEN_ALL_FRAMES (SCREEN_FRAMES + 2)
#define SCREEN_TABS_MAX 16
#define SCREEN_TABS_MORE SCREEN_TABS_MAX /* the place of "+2" behind the line of panes */
#define SCREEN_VIEWS_MAX 24
#define SCREEN_VIEWS_MORE SCREEN_VIEWS_MAX /* the place of their menu in the strip */
#define SCREEN_FOOTER_MAX 32

struct screen;
struct player;
struct timeline;

/* A scrollable list over the pane. */
struct list {
	unsigned cursor, n_items;
	int page;     /* lines that fitted in the last drawing */
	int top_y;    /* line of the terminal with the first visible item then, … */
	unsigned top; /* … and its index */
};

/* An overlay covers the pane and gets all keys. */
struct overlay {
	void (*draw)(struct screen *screen, const struct canvas *canvas);
	void (*key)(struct screen *screen, const struct input *input);
};

/* A line of input at the bottom. */
struct prompt {
	struct buffer label;   /* translated */
	struct table_widget *widget; /* the table it was opened for */
	struct buffer text;    /* always NUL-terminated */
	size_t at;             /* the cursor: bytes of text before it */
	bool suggested;        /* nothing is typed yet: the first character replaces the text */
	char error[TEXT_MAX];
	struct table_place place;                                 /* where it was then, … */
	struct buffer filter;                                     /* … and its filter: Esc restores both */
	void (*changed)(struct screen *screen, const char *text); /* at every key; may be NULL */
	void (*cancelled)(struct screen *screen);                 /* by Esc; may be NULL */
	bool (*accepts)(struct screen *screen, const char *text); /* on Enter; false: it set error, the
								   * prompt stays open */
	struct pane_context *context; /* of screen_prompt() */
	bool (*pane_accepts)(struct pane_context *context, const char *text, char *error, size_t room);
};

/* A question in the bottom line. */
struct question {
	struct buffer text;
	struct pane_context *context;
	void (*yes)(struct pane_context *context);
};

/* Pages of text: the help, and what a number is. */
struct pager {
	struct buffer text; /* lines; a leading '*' marks a heading */
	int row_y;          /* line of the terminal with the row that it is about; -1: none */
	int top, lines, page;
};

struct chooser {
	struct table_widget *widget; /* the table it was opened for */
	struct list list;
	bool typed; /* the beginning of a name: Enter adds the column under the cursor */
	bool shown[VIEW_COLUMNS_MAX];
	unsigned order[VIEW_COLUMNS_MAX];
};

/* Items to choose one from. */
struct menu {
	const char *title;   /* translated */
	struct buffer texts; /* of each item its text and its help, each with its NUL */
	struct menu_line {
		size_t text, help; /* offsets in texts */
	} * lines;                 /* owned */
	size_t n_lines;            /* capacity */
	int text_cells;            /* of the longest text */
	unsigned dim_from;         /* items that are less likely to be wanted, in dim style */
	struct list list;
	struct buffer typed; /* NUL-terminated once used */
	struct pane_context *context;
	void (*chosen)(struct pane_context *context, unsigned index);
};

/* Words to toggle. */
struct checklist {
	const char *title;                  /* translated */
	const struct checklist_item *items; /* borrowed */
	struct list list;
	bool on[CHECKLIST_MAX];
	struct pane_context *context;
	void (*accepted)(struct pane_context *context, const bool *on);
};

#define SHOWN_NOTICES_MAX 32

/* Notices that were shown, in whatever pane. */
struct shown_notices {
	uint64_t identities[SHOWN_NOTICES_MAX];
	unsigned next;
	uint64_t current, until_ns; /* the one on show */
};

#define SCOPING_MAX 6

/* The menu of the key @. */
struct scoping {
	char texts[SCOPING_MAX][TEXT_MAX];
	struct scope_term terms[SCOPING_MAX];
	unsigned n_items;
	char title[TEXT_MAX];
};

/* A marked moment, and its difference from the shown one. */
struct compare {
	struct differences *differences; /* owned; NULL: nothing was marked yet */
	struct frame marked, difference;
	bool on;           /* tables show differences */
	bool taken;        /* difference is of … */
	uint64_t shown_ns; /* … the frame of this time */
};

/* What was seen when the key S was pressed. */
struct saving {
	struct buffer text, svg;
};

/* What changed around a moment. */
struct explaining {
	struct explanation explanation;
	struct list list;
	bool others;    /* changes that are part of no cause are shown, too */
	bool is_folded; /* whether they are was set by the room there is */
	bool counted;   /* how numbers were compared is shown */
};

/* How often a sample has the tables of kept panes that the shown pane does not need, by their cost. */
#define KEPT_SHARE 0.015      /* of a CPU, for those tables */
#define KEPT_PERIOD_SECONDS 8 /* at most; the next sample comes when the delay permits, mostly within 10 */

enum kept_turn {
	KEPT_REST,  /* a sample without them */
	KEPT_FIRST, /* with them, but they have no rates yet */
	KEPT_RATES, /* with them; the sample before had them, too */
};

/* CPU time from a sample to the next one, smoothed: with what is drawn and what workers read. */
struct kept_cost {
	uint64_t ns;
	unsigned n_samples;
};

/* All zero is ready to use. */
struct kept_pace {
	struct kept_cost with, without; /* these tables */
	enum kept_turn turn;            /* of the last sample; … */
	uint64_t cpu_ns;                /* … the CPU time before it; 0: there was none */
	unsigned n_with;                /* samples in a row that had them */
	uint64_t rates_ns, rest_ns;     /* monotonic clock of the last KEPT_RATES and KEPT_REST; 0: none */
};

struct screen {
	const struct screen_setup *setup;
	struct terminal terminal;
	struct loop loop;
	struct pipeline pipeline; /* of the source */
	struct frame frames[SCREEN_ALL_FRAMES];
	int latest, shown;        /* of frames; -1: none yet */
	struct event_logs logs;
	unsigned long n_counted;  /* requested samples after the first one */
	struct pane_context *contexts; /* one for each pane */
	unsigned current;
	bool sample_follows;      /* at once: it has what is wanted now, and needs not be read again */
	bool *wanted;             /* for each schema: the last request to the source … */
	bool keeps_tables;        /* … with the tables of panes that are kept, and not shown: … */
	bool *only_kept;          /* … those that nothing else wants … */
	bool *resting;            /* … and of them those that the last sample does not have */
	bool *has_rested;         /* … or some sample so far */
	struct kept_pace kept_pace;
	unsigned n_soon;          /* live: this many samples do not wait for the delay */
	bool frozen;              /* live: shown stays while latest advances */
	const struct player *player;
	bool in_past;             /* live: shown is of past_source, which is open then */
	struct source past_source;
	bool reaches_back;        /* … beyond the start of the screen: its first n_earlier samples … */
	size_t n_earlier;         /* … are those of a service, before the kept one of … */
	uint64_t own_first_ns;    /* … this wall clock */
	bool shows_earlier;       /* shown is one of those, and histories are of those around it */
	struct pipeline past_pipeline; /* … of its frames */
	uint64_t *kept_from_ns; /* for each schema: the first sample that the past had of it; 0: none yet */
	size_t past_judged;             /* the last one that was judged; SIZE_MAX: none since it was opened */
	struct trends_place {           /* what trends were last drawn of, in the past or a recording */
		size_t position;        /* SIZE_MAX: none, or live */
		unsigned pane, view;
		int sorts; /* a sum over the tables, to see a change */
	} trends;
	size_t past_index; /* of the shown sample in it; SIZE_MAX: not known since it was opened */
	struct timeline *timeline; /* NULL until it is drawn */
	struct graph_places graphs;
	double delay_seconds;     /* that the user wants … */
	struct rate_limit rate_limit; /* … and as the cost of samples permits */
	enum size_unit unit;
	enum glyph_set glyphs;
	enum theme theme, usual_theme;
	char message[TEXT_MAX];
	bool message_warns;
	enum message_scope message_scope;
	uint64_t message_until_ns;
	struct shown_notices shown_notices;
	const struct overlay *overlay; /* NULL: none */
	struct prompt prompt;
	struct question question;
	struct pager pager;
	struct chooser chooser;
	struct checklist checklist;
	struct buffer search;     /* NUL-terminated once used */
	bool playing;             /* replay */
	bool caught_up;           /* playing waits for the pipe */
	int follow_fd;            /* of a recording that comes through a pipe; -1: none */
	struct menu menu;
	struct scoping scoping;
	struct compare compare;
	struct marks marks;
	struct explaining explaining;
	struct saving saving;
	bool changed;             /* an action has ended: draw its result */
	bool filter_shown;        /* by the rule above a table, in the present drawing */
	int tabs_y;               /* line with the names of the panes, for the mouse; -1: not drawn */
	struct screen_place {
		int x, end, key; /* cells on its line; key: of the footer */
	} tabs[SCREEN_TABS_MAX + 1], views[SCREEN_VIEWS_MAX + 1], footer[SCREEN_FOOTER_MAX];
	int views_y, footer_y; /* as tabs_y, of the strip of views and of the keys */
	unsigned n_footer;
	struct pending {          /* an action that has not ended yet */
		struct pane_context *context;
		void (*done)(struct pane_context *context, int error);
	} pending;
};

static inline bool screen_is_live(const struct screen *screen)
{
	return !source_is_recording(screen->setup->source);
}

static inline uint64_t screen_mono_ns(const struct screen *screen)
{
	return clock_mono_ns(screen->setup->clock);
}

/* Of the current pane. */
static inline struct pane_context *screen_context(const struct screen *screen)
{
	return &screen->contexts[screen->current];
}

/* The one that has the focus. */
static inline struct table_widget *screen_table(const struct screen *screen)
{
	return &screen_context(screen)->tables[screen_context(screen)->focus];
}

/* The one that is shown; NULL before the first. */
static inline const struct frame *screen_frame(const struct screen *screen)
{
	return screen->shown < 0 ? NULL : &screen->frames[screen->shown];
}

/* The recording or the past that the shown frame was read from, standing behind it; NULL: it is live. */
static inline const struct source *screen_recording(const struct screen *screen)
{
	if (screen->in_past)
		return &screen->past_source;
	return screen_is_live(screen) || screen->shown < 0 ? NULL : screen->setup->source;
}

#endif
