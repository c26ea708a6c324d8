/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the screen, shared by its own files only. */
#ifndef PANETOP_SCREEN_STATE_H
#define PANETOP_SCREEN_STATE_H

#include <time.h>

#include "core/i18n.h"
#include "core/rate_limit.h"
#include "model/event_log.h"
#include "screen/context.h"
#include "screen/list.h"
#include "screen/screen.h"
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
	bool *wanted;             /* for each schema: the source was told so last */
	unsigned n_soon;          /* live: so many samples do not wait for the delay */
	bool frozen;              /* live: shown stays while latest goes on */
	double usual_seconds;     /* delay as the user wants it */
	bool delay_chosen;        /* … and has said so */
	double delay_seconds;     /* the present one: that, or what the pane prefers */
	struct pace pace;         /* … and as the cost of samples allows */
	enum size_unit unit;
	enum glyph_set glyphs;
	char message[TEXT_MAX];
	bool message_of_all;      /* panes; else it goes with the one that is shown */
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
	int tabs_y;               /* where the names of the panes stand, for the mouse; -1: nowhere */
	struct screen_tab {
		int x, end;
	} tabs[SCREEN_TABS_MAX];
	struct pending {          /* an action whose end is awaited */
		struct pane_context *context;
		void (*done)(struct pane_context *context, int error);
	} pending;
};

struct pane_context *screen_context(struct screen *screen);        /* of the current pane */
struct table_widget *screen_table(struct screen *screen);          /* the one that takes keys */
const struct frame *screen_frame(const struct screen *screen);     /* shown; NULL before the first */

void screen_draw(struct screen *screen);
void screen_choose_pane(struct screen *screen, unsigned index);
void screen_set_delay(struct screen *screen, double seconds);
void screen_choose_delay(struct screen *screen, double seconds); /* on the user's word */
void screen_follow_delay(struct screen *screen);                 /* as the current pane prefers it */
void screen_want(struct screen *screen); /* tells the source what is needed now */
void screen_hasten(struct screen *screen); /* what was not sampled before does not wait for the delay */

void screen_show(struct screen *screen, int index); /* of the frames */

/* Takes the next frame from the source and shows it unless frozen: 1, 0 at the end, or -errno. */
int screen_sample(struct screen *screen);

void screen_freeze(struct screen *screen, bool frozen); /* events are still collected behind what is shown */

/* Makes the tables of the current pane those of the shown frame: before they are drawn or take a key. */
void screen_update(struct screen *screen);

/* contexts.c */
void contexts_open(struct screen *screen);
bool context_is_sampled(const struct pane_context *context); /* the pane's own table is in the shown frame */
void contexts_close(struct screen *screen);

/* Gives a view the columns and the order that the pane shows this table with, unless the user chose. */
void context_dress(const struct pane_context *context, unsigned index, struct view *view);

/* Is this the first pane with this table? Only there it is shown, and saved, as the configuration says. */
bool context_owns(const struct pane_context *context, unsigned index);

/* logs.c: what happened, from all frames */
void logs_open(struct screen *screen);
void logs_close(struct screen *screen);
void logs_clear(struct screen *screen);
void logs_add(struct screen *screen, const struct frame *frame);
void logs_undo(struct screen *screen, const struct frame *frame); /* the one that was added last */
void logs_freeze(struct screen *screen, bool frozen);
struct event_log *logs_find(const struct screen *screen, const char *topic); /* NULL: it has no events */

/* commands.c */
bool command_key(struct screen *screen, const struct input *input);

/* Who gets a key, the first one first. */
enum {
	COMMANDS_OF_VIEW, /* of what the pane shows just now; NULL: none */
	COMMANDS_OF_SOURCE,
	COMMANDS_OF_PANE,      /* NULL: none */
	COMMANDS_LATE_OF_PANE, /* NULL: none */
	COMMANDS_COMMON,
	N_COMMAND_LISTS,
};
void command_bindings(const struct pane_context *context, const struct binding *lists[N_COMMAND_LISTS]);

/* The keys by which a binding of list index acts now, and that no list before it takes; returns how many. */
unsigned command_keys(const struct pane_context *context, const struct binding *const *lists, unsigned index,
		      const struct binding *binding, int keys[2]);

/* overlays */
void prompt_open(struct screen *screen, const char *label, const char *text,
		 void (*changed)(struct screen *screen, const char *text),
		 bool (*accepts)(struct screen *screen, const char *text));
void pager_help(struct screen *screen);
void pager_why(struct screen *screen);
void chooser_open(struct screen *screen);

/* player.c: a recording on the screen */
void player_step(struct screen *screen, long step);
void player_toggle(struct screen *screen);
void player_ask_time(struct screen *screen);
bool player_wants_frame(const struct screen *screen); /* at a tick */
bool player_follows(const struct screen *screen);     /* shows what comes at once */
void player_took(struct screen *screen, int got);     /* what screen_sample() returned */

#endif
