/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pane gets when it draws or handles a key, and what it can request from the screen. */
#ifndef PANETOP_SCREEN_CONTEXT_H
#define PANETOP_SCREEN_CONTEXT_H

#include "model/history.h"
#include "model/settings.h"
#include "screen/canvas.h"
#include "screen/pane.h"
#include "screen/table.h"

struct screen;

#define PAGES_BEFORE_MAX 16

struct pane_context {
	const struct pane *pane;
	const void *state;           /* of the pane, pane->state_size bytes */
	const struct frame *frame;   /* the frame that is shown */
	const struct settings *settings;   /* borrowed; call screen_adjust() after a change that pane->adjust
				      * reads */
	const struct findings *findings; /* borrowed: the rules, by which rows are marked */
	const struct sample_request *request; /* borrowed; also in a replay, where no topic reads it */
	struct history history;      /* of pane->series, up to the shown sample or further */
	struct history other_history; /* the one that session_show_earlier() has put away */
	struct table_widget *tables; /* one for each of pane->tables, updated to frame */
	unsigned focus;              /* the one that gets keys */
	unsigned view;               /* of pane->views: the one that is shown */
	bool *requested;             /* the tables that are lazy or on request, and sampled */
	enum size_unit unit;
	double delay_seconds;
	int came_from;            /* pane from which this one was opened for a process; -1: none */
	struct page_before {      /* what it showed before it opened another process itself, for Esc */
		struct process_choice process;
		unsigned view;
	} before[PAGES_BEFORE_MAX];
	unsigned n_before;
	int notice_y;                /* the last line of the pane, over which a notice is drawn; 0: none */
	struct process_choice given; /* by another pane, whose action is done: the subject of that */
	struct screen *screen;
};

/*
 * For those that may change them: drawing gets a const context, and so none of these. It only records where
 * tables are on the terminal, in their widgets, for keys and the mouse.
 */
static inline void *context_state(struct pane_context *context)
{
	return (void *)context->state;
}

static inline struct settings *context_settings(struct pane_context *context)
{
	return (struct settings *)context->settings;
}

static inline struct sample_request *context_request(struct pane_context *context)
{
	return (struct sample_request *)context->request;
}

/*
 * The table of pane->tables[index] in the shown frame; NULL when it was not sampled. Of a topic of events:
 * its log, with the events of earlier frames. The pane may have its own (struct pane, table).
 */
const struct table *context_table(const struct pane_context *context, unsigned index);

/* Why the table of a topic is not in the shown frame: "not recorded". */
void screen_absence(const struct pane_context *context, const char *topic, char *text, size_t room);

/* A canvas without the line that a notice covers: for what has to be seen meanwhile. */
struct canvas context_above_notice(const struct pane_context *context, const struct canvas *canvas);

/* Draws that table with cursor and headings on the whole canvas, but for the line of a notice. */
void context_draw_table(const struct pane_context *context, const struct canvas *canvas, unsigned index);

/* As context_draw_table(), below a rule with this title and the number of rows. */
void context_draw_titled(const struct pane_context *context, const struct canvas *canvas, unsigned index,
			 const char *title);

/* Draws the table of the view below this title, and where that leaves room those below it, each titled by the
 * help of its own view. */
void context_draw_view(const struct pane_context *context, const struct canvas *canvas, const char *title);

/* The title of a view whose numbers are those of the last interval. */
void context_heading(const struct pane_context *context, char *text, size_t room);

/* Time between the shown frame and the one before; of the first frame, the delay. */
double context_step_seconds(const struct pane_context *context);

/* For pane->why: adds name, value, help and source of a number; nothing where it is unknown or blank. */
void why_number(struct buffer *out, const struct schema *schema, const void *row, const char *column);

enum message_scope {
	MESSAGE_PANE,   /* gone when another pane or view is shown */
	MESSAGE_SCREEN, /* stays then */
};

/*
 * A sentence in the line of notices: that something was done, for a moment; or a warning, which stays longer
 * and is marked: that it was not done and why, or that something is wrong.
 */
void screen_message(struct screen *screen, enum message_scope scope, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void screen_warn(struct screen *screen, enum message_scope scope, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Takes one sample without waiting for the delay, as a key has changed what the pane wants of it. Behind it
 * the delay holds again. Keys that repeat get ten samples a second, or as many as take a tenth of the time.
 */
void screen_sample_now(struct pane_context *context);

/* Shows a view of this pane, by its index in pane->views. */
void screen_show_view(struct pane_context *context, unsigned view);

/* The process that an action is about. */
struct subject {
	struct process_choice process;
	unsigned table;  /* of the pane, that shows it … */
	const void *row; /* … in this row; NULL: the whole view is about it */
};

/*
 * The one that the view is about, or of the selected row, or of the first row that is shown. NULL, or why
 * there is none, translated.
 */
const char *screen_subject(const struct pane_context *context, struct subject *subject);

/* So that the screen shows whom an action is about. */
void screen_select_subject(struct pane_context *context, const struct subject *subject);

/* Does this action of the pane of processes to it, over the pane that is shown. */
void screen_act_on_subject(struct pane_context *context, int action);

/* Shows the pane with this name for this process; does nothing if there is no such pane. */
void screen_open(struct pane_context *context, const char *pane, const struct process_choice *process);

/* Did another pane open this one? Then Esc goes back there. */
bool screen_was_opened(const struct pane_context *context);

/* Does this action as if its key was pressed. */
void screen_do(struct pane_context *context, enum action action);

/*
 * Shows the pane with this name and does this action there, as if its key was pressed, with the row selected
 * that is selected here if the table is the same. Esc comes back.
 */
void screen_hand_over(struct pane_context *context, const char *pane, enum action action);

/*
 * From now on all panes show only these processes (NULL: all), first the pane of this name. Esc comes back.
 */
void screen_open_scope(struct pane_context *context, const struct scope_term *term, const char *pane);

/*
 * Shows this view ("": its home) of the pane with this name, and selects the row of the topic with this first
 * key, if it is there; "": none. Esc comes back.
 */
void screen_show_row(struct pane_context *context, const char *pane, const char *view, const char *topic,
		     const char *row);

/*
 * From now on all panes show this machine, if there are several, first the pane of this name. Esc comes back.
 */
void screen_show_host(struct pane_context *context, const char *host, const char *pane);

/* Lets the pane adjust its tables to the settings again. */
void screen_adjust(struct pane_context *context);

/* Sets "PANE.NAME", lets the pane adjust its tables to it, and shows this message. */
void screen_set(struct pane_context *context, const char *name, const char *value, const char *said);

/*
 * Reads a line of text in the bottom line; Enter calls accepts with it. If that returns false, the prompt
 * stays open and shows the error that it wrote.
 */
void screen_prompt(struct pane_context *context, const char *label, const char *text,
		   bool (*accepts)(struct pane_context *context, const char *text, char *error, size_t room));

/* The same with a text that is edited: what is typed does not replace it. */
void screen_edit(struct pane_context *context, const char *label, const char *text,
		 bool (*accepts)(struct pane_context *context, const char *text, char *error, size_t room));

/* A line of a menu. */
struct menu_item {
	const char *text, *help; /* translated, copied; help may be NULL */
};

/*
 * A list to choose one item from, with the cursor on current; typing goes to the first item that begins with
 * the text. Enter or a click calls chosen with its index.
 */
void screen_menu(struct pane_context *context, const char *title, const struct menu_item *items,
		 unsigned n_items, unsigned current,
		 void (*chosen)(struct pane_context *context, unsigned index));

/* Asks a question in the bottom line; the key y calls yes. question is copied. */
void screen_ask(struct pane_context *context, const char *question,
		void (*yes)(struct pane_context *context));

/* Is this pane shown, with no prompt, menu or other pages over it? Then it may ask by itself. */
bool screen_may_ask(const struct pane_context *context);

#define CHECKLIST_MAX 16

struct checklist_item {
	const char *word, *help; /* help: N_() */
};

/*
 * Lets the user toggle at most CHECKLIST_MAX words; Enter calls accepted with the result, Esc cancels. title
 * and items are borrowed until then.
 */
void screen_choose(struct pane_context *context, const char *title, const struct checklist_item *items,
		   const bool *on, unsigned n_items,
		   void (*accepted)(struct pane_context *context, const bool *on));

/* Starts or stops sampling a table that is lazy or on request from the next tick on. */
void screen_request(struct pane_context *context, unsigned table, bool wanted);

/* Is this a recording? Then no action and no measurement is possible. */
bool screen_replays(const struct pane_context *context);

/* Are all frames those of a recording? The live screen goes back to others. */
bool screen_is_of_recording(const struct pane_context *context);

/* As struct source's restart; does nothing if the topic has nothing to reset. */
void screen_restart(struct pane_context *context, const char *topic);

/* As struct source's act; done gets the context. Without done it only checks whether it is possible. */
int screen_act(struct pane_context *context, const char *topic, const char *action,
	       void (*done)(struct pane_context *context, int error), const char **remedy);

#endif
