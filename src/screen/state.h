/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the screen, shared by its own files only. */
#ifndef PANETOP_SCREEN_STATE_H
#define PANETOP_SCREEN_STATE_H

#include <time.h>

#include "core/i18n.h"
#include "core/rate_limit.h"
#include "model/event_log.h"
#include "screen/context.h"
#include "screen/list.h"
#include "screen/setup.h"
#include "screen/terminal.h"
#include "sys/loop.h"

#define SCREEN_FRAMES 3
#define SCREEN_TABS_MAX 9 /* each has a digit */
#define SCREEN_MARGIN_LINES 4 /* headline, panes, notice, keys */

struct screen;

/* Something that lies over the pane and takes all keys. */
struct overlay {
	void (*draw)(struct screen *screen, const struct canvas *canvas);
	void (*key)(struct screen *screen, const struct input *input);
};

/* A line of input at the bottom. */
struct prompt {
	struct buffer label;   /* translated */
	struct table_widget *widget; /* the table it was opened for */
	struct buffer text;    /* always NUL-terminated */
	char error[TEXT_MAX];
	struct table_place place;    /* where it was then: changed() moves it, Esc brings it back */
	void (*changed)(struct screen *screen, const char *text); /* at every key; may be NULL */
	bool (*accepts)(struct screen *screen, const char *text); /* on Enter; false: it set error, ask on */
	struct pane_context *context; /* of screen_prompt() */
	void (*accepted)(struct pane_context *context, const char *text);
};

/* A question in the bottom line. */
struct question {
	struct buffer text;
	struct pane_context *context;
	void (*yes)(struct pane_context *context);
};

/* Pages of text: help, and the why of a number. */
struct pager {
	struct buffer text; /* lines; a leading '*' marks a heading */
	int top, lines, page;
};

struct chooser {
	struct table_widget *widget; /* the table it was opened for */
	struct list list;
	bool shown[VIEW_COLUMNS_MAX];
	unsigned order[VIEW_COLUMNS_MAX];
};

/* Words that are on or off. */
struct checklist {
	const char *title;                  /* translated */
	const struct checklist_item *items; /* borrowed */
	struct list list;
	bool on[CHECKLIST_MAX];
	struct pane_context *context;
	void (*accepted)(struct pane_context *context, const bool *on);
};

/* Bindings beside those of the panes, each ended by one without act. */
struct keymap {
	const struct binding *source; /* live or replay */
	const struct binding *common; /* the first two are help and quit: the footer keeps room for them */
};

struct screen {
	const struct screen_setup *setup;
	struct terminal terminal;
	struct loop loop;
	struct frame frames[SCREEN_FRAMES];
	int latest, shown;        /* of frames; -1: none yet */
	struct event_log *logs;   /* one for each schema; only those of SHAPE_EVENTS are used */
	unsigned long n_counted;  /* samples after the first one that were asked for */
	struct pane_context *contexts; /* one for each pane */
	unsigned current;
	bool *wanted;             /* for each schema: as the source was told last */
	unsigned n_soon;          /* live: this many samples do not wait for the delay */
	bool frozen;              /* live: shown stays while latest goes on */
	double usual_seconds;     /* delay as the user wants it */
	bool delay_chosen;        /* … and has said so */
	double delay_seconds;     /* the present one: that, or what the pane prefers */
	struct rate_limit rate_limit; /* … and as the cost of samples allows */
	enum size_unit unit;
	enum glyph_set glyphs;
	char message[TEXT_MAX];
	enum message_scope message_scope;
	uint64_t message_until_ns;
	const struct overlay *overlay; /* NULL: none */
	struct prompt prompt;
	struct question question;
	struct pager pager;
	struct chooser chooser;
	struct checklist checklist;
	struct buffer search;     /* NUL-terminated once used */
	bool playing;             /* replay */
	bool caught_up;           /* playing has to wait for the pipe */
	int follow_fd;            /* of a recording that comes through a pipe; -1: none */
	struct keymap keymap;
	bool changed;             /* an action has ended: draw its result */
	int tabs_y;               /* where the names of the panes stand, for the mouse; -1: nowhere */
	struct screen_tab {
		int x, end;
	} tabs[SCREEN_TABS_MAX];
	struct pending {          /* an action whose end is awaited */
		struct pane_context *context;
		void (*done)(struct pane_context *context, int error);
	} pending;
};

#endif
