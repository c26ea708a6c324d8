/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pane is given when it draws or takes a key, and what it may ask of the screen. */
#ifndef PANETOP_SCREEN_CONTEXT_H
#define PANETOP_SCREEN_CONTEXT_H

#include "model/history.h"
#include "model/sample_request.h"
#include "screen/canvas.h"
#include "screen/pane.h"
#include "screen/table.h"

struct screen;

struct pane_context {
	const struct pane *pane;
	void *state;                 /* of the pane, pane->state_size bytes */
	const struct frame *frame;   /* the one that is shown */
	struct settings *settings;   /* borrowed; screen_adjust() after a change that pane->adjust looks at */
	struct sample_request *request; /* borrowed; of a recording, too, where no topic reads it */
	struct history history;      /* of pane->series */
	struct table_widget *tables; /* one for each of pane->tables, updated to frame */
	unsigned focus;              /* which of them takes keys */
	bool *requested;             /* which of those on request are sampled */
	enum size_unit unit;
	double delay_seconds;
	double preferred_seconds; /* see screen_prefer_delay() */
	struct screen *screen;
};

/*
 * The table that pane->tables[index] names in the shown frame; NULL when it was not sampled. Of a topic of
 * events it is the log: those of all frames that came before, too.
 */
const struct table *context_table(const struct pane_context *context, unsigned index);

/* Draws that table, with its cursor and headings, on all of canvas. */
void context_draw_table(struct pane_context *context, const struct canvas *canvas, unsigned index);

/* How long the shown frame was sampled after the one before; of the first one, how long it should be. */
double context_step_seconds(const struct pane_context *context);

/* For pane->explain: adds name, value, help and source of a number; nothing where it is unknown or blank. */
void explain_number(struct buffer *out, const struct schema *schema, const void *row, const char *column);

enum message_scope {
	MESSAGE_PANE,   /* it goes when another pane is shown */
	MESSAGE_SCREEN, /* it stays then */
};

/* Shows a sentence in the line of notices for some seconds. */
void screen_message(struct screen *screen, enum message_scope scope, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * How often this pane wants to be sampled while it is shown, unless the user chose a delay; 0: as the others.
 */
void screen_prefer_delay(struct pane_context *context, double seconds);

/* Shows the pane with this name for this process; does nothing where there is no such pane. */
void screen_open(struct pane_context *context, const char *pane, const struct process_choice *process);

/* Lets the pane adjust its tables to the settings anew. */
void screen_adjust(struct pane_context *context);

/* Sets "PANE.NAME", lets the pane adjust its tables to it, and says this sentence. */
void screen_set(struct pane_context *context, const char *name, const char *value, const char *said);

/* Asks for a line of text in the bottom line; accepted is called with it when the answer is Enter. */
void screen_prompt(struct pane_context *context, const char *label, const char *text,
		   void (*accepted)(struct pane_context *context, const char *text));

/* Asks a question in the bottom line; yes is called when the answer is y. question is copied. */
void screen_ask(struct pane_context *context, const char *question,
		void (*yes)(struct pane_context *context));

#define CHECKLIST_MAX 16

struct checklist_item {
	const char *word, *help; /* help: N_() */
};

/*
 * Lets the user turn words on and off, at most CHECKLIST_MAX; accepted is called with what is on then, unless
 * it is left as it was. title and items are borrowed until then.
 */
void screen_choose(struct pane_context *context, const char *title, const struct checklist_item *items,
		   const bool *on, unsigned n_items,
		   void (*accepted)(struct pane_context *context, const bool *on));

/* Samples a table that is on request from the next tick on, or no longer. */
void screen_request(struct pane_context *context, unsigned table, bool wanted);

/* Is this a recording? Then nothing can be done to the machine, and nothing measured otherwise. */
bool screen_replays(const struct pane_context *context);

/* As struct source's restart; nothing happens where nothing can be forgotten. */
void screen_restart(struct pane_context *context, const char *topic);

/* As struct source's act; done gets the context, without it this only tells whether it could be done. */
int screen_act(struct pane_context *context, const char *topic, const char *action,
	       void (*done)(struct pane_context *context, int error), const char **remedy);

#endif
