/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pane is: its tables, views and keys, and how it draws. */
#ifndef PANETOP_SCREEN_PANE_H
#define PANETOP_SCREEN_PANE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/buffer.h"
#include "model/finding.h"
#include "model/history.h"
#include "model/settings.h"
#include "model/units.h"
#include "model/view.h"
#include "screen/keys.h"
#include "screen/theme.h"

struct canvas;
struct frame;
struct input;
struct notice;
struct pane_context;

struct pane_table {
	const char *topic;
	bool headline;   /* batch text prints it; if it has rates, a batch sample covers one whole delay */
	bool above;      /* batch text prints it above the others */
	bool at_end;     /* batch prints it in the last sample only */
	bool lazy;       /* sampled only while the pane requests it, with --table, its option, when … */
	bool recorded;   /* … or while a recording of the pane is written */
	bool on_request; /* on the screen sampled only from screen_request() on, then also while the pane is
			  * hidden; at once if the pane is named on the command line; if it is lazy, too,
			  * from when its view is first shown on */
	const char *option; /* batch text also prints it with this option of the pane; may be NULL */
	bool (*when)(const struct sample_request *request); /* … but only if this holds; may be NULL */
	bool of_one;         /* its rows are of one chosen process, whatever the scope is */
	bool scoped;         /* of the scope: neither printed nor sampled without one */
	bool of_machine;     /* batch text does not print it with a scope, which does not limit it */
	bool own_columns;    /* another pane is the table's home: -t and the configuration mean that one */
	unsigned text_rows;  /* batch text prints at most this many without --limit; 0: all */
	const char *threshold; /* only rows in which this column, by key, has … */
	double least;          /* … at least this; NULL: all rows */
	const char *columns; /* keys shown at first; NULL: all columns that are not hidden */
	const char *text_columns; /* the same in batch text; NULL: those */
	const char *sort;    /* as of --sort; NULL: as sampled */
	const char *reads;   /* keys of columns on request that are read although it does not show them; NULL:
				none */
	bool without_self;   /* live it does not list panetop itself */
	const char *only_column, *only; /* on the screen only rows with one of these texts in this column */
	const char *setting; /* on the screen: where its columns and order are kept; NULL: its topic */
	const char *waits;   /* N_(): what an empty table waits for; may be NULL */
	/* The look of a cell; NULL: normal. */
	enum style (*cell_style)(const struct findings *findings, const struct schema *schema,
				 const struct column *column, const void *row);
};

/* What conditions of --assert without a topic are about, and what is reported about a COMMAND that runs
 * meanwhile. */
struct pane_assertion {
	const char *topic, *row;     /* the row by its first key */
	const char *phases;          /* topic with a row for before, during and after COMMAND */
	const char *during, *after;  /* names of its rows, and actions of topic when they begin */
};

/* What an action means in a pane or a view. */
struct pane_action {
	enum action action;
	void (*act)(struct pane_context *context);
	const char *label, *help; /* N_(); NULL: as in the table of actions */
};

#define PANE_BELOW_LINES 36

/* What a pane can show, in the strip of views; the first one is its home. */
struct pane_view {
	const char *name;   /* in tests and settings */
	const char *title;  /* N_(): in the strip */
	const char *help;   /* N_(): what it answers */
	unsigned table;     /* of pane->tables: gets the keys, and is sampled if it is lazy */
	unsigned long also; /* bits of more lazy tables to sample */
	unsigned long below; /* … below the rest, lazy ones only on a screen of PANE_BELOW_LINES or more */
	const struct pane_action
		*actions; /* before those of the pane; ended by one without act; may be NULL */
	enum action opened_by; /* ACTION_FILES …: opens it, from any list of processes */
	bool no_table;    /* its table is not drawn: no keys of tables */
	bool more;        /* in the menu of views; in the strip only while it is shown */
	bool (*is_more)(const struct pane_context *context); /* the same while this holds; may be NULL */
	/* Writes what stands above its table, with the span of its numbers; NULL: the title. */
	void (*heading)(const struct pane_context *context, char *text, size_t room);
	void (*draw)(const struct pane_context *context,
		     struct canvas *canvas); /* NULL: its table fills the pane */
};

/* Does the view show this table of the pane? */
static inline bool pane_view_has(const struct pane_view *view, unsigned table)
{
	return view->table == table || (view->also >> table & 1);
}

/* A setting that the menu of options changes. */
struct pane_setting {
	const char *name;
	const char *title;         /* N_() */
	const char *const *labels; /* N_(): one for each of its choices; of a set only that of the usual one,
				    * and pane->ask_setting() asks for another */
};

/* What the pane draws beside tables and graphs, for the help. */
struct pane_sign {
	const char *sign, *help; /* N_() */
};

struct pane {
	const char *name;                /* on the command line */
	char digit;                      /* the key that shows it; 0: none */
	const char *title;               /* N_() */
	const char *question;            /* N_(): the question it answers */
	bool late; /* its tab is left out, unless it is shown, where all names do not fit whole */
	bool of_hosts; /* it is of several machines: where there is one, it has no tab */
	bool of_process;                 /* it shows the one process that --pid names */
	bool kept; /* its tables are sampled whatever pane is shown: the past has them */
	const char *unscoped;            /* N_(): what of it no scope limits, and why; NULL: nothing */
	bool takes_groups;               /* … but one of control groups does */
	const struct pane_assertion *assertion;    /* --assert, -- COMMAND; NULL: it runs no command */
	const struct pane_table *tables; /* ended by an entry without topic; the first is the pane's main
					  * table */
	const struct summary_column *summary; /* batch text instead of tables; ended by an entry without
					       * topic; may be NULL */
	/* Batch text has these lines below the tables above, instead of those that are not headlines. */
	void (*lines)(const struct frame *frame, bool ascii, struct buffer *out); /* may be NULL */
	const struct series *series; /* kept in the history, most even while the pane is hidden */
	unsigned n_series;
	const struct pane_sign *signs; /* ended by one without sign; may be NULL */
	/* Adds by why_number() what the key i explains though no sentence and no graph has it. */
	void (*why)(const struct pane_context *context, struct buffer *out); /* may be NULL */
	/* Adds sentences about the selected row for the key i. May be NULL. */
	void (*why_row)(const struct pane_context *context, const void *row, struct buffer *out);
	const struct pane_view *views; /* ended by an entry without name; NULL: the pane has one, untitled */
	const struct pane_action *actions;  /* in all views; ended by an entry without act; may be NULL */
	const struct pane_setting *choices; /* ended by an entry without name; may be NULL */
	size_t state_size;

	/*
	 * Why an action of the pane has no effect now, translated: footer and help omit it
	 * then, and its key shows this. NULL: it has one. May be NULL.
	 */
	const char *(*refuses)(const struct pane_context *context, enum action action);

	/* The home among its views, for Esc and the pane's digit; NULL: the first. */
	unsigned (*home)(const struct pane_context *context);

	/* Shows again what a choice of its own left out, for Esc; false: there is none. May be NULL. */
	bool (*widen)(struct pane_context *context);

	/* The view that Esc goes up to; -1: there is none. NULL: home. */
	int (*above)(const struct pane_context *context);

	/* Asks for the value of a setting that is a set. May be NULL. */
	void (*ask_setting)(struct pane_context *context, const char *name);

	/* Does the pane itself show what this notice says? Then its line is not shown. May be NULL. */
	bool (*tells)(const struct pane_context *context, const struct notice *notice);

	/* Does it measure now, also while another pane is shown? Its tab gets a mark then. May be NULL. */
	bool (*goes_on)(const struct pane_context *context);

	/* The user has chosen another view: context->view. May be NULL. */
	void (*viewed)(struct pane_context *context);

	/* Why an option has no effect with the other options, translated; NULL: it has one. May be NULL. */
	const char *(*refuses_option)(const struct settings *settings, const char *name);

	/* May be NULL; the state is zeroed. It may set focus and requested of the context. */
	void (*open)(struct pane_context *context);
	void (*close)(void *state); /* frees what the state owns; may be NULL */
	void (*save)(const void *state, struct settings *settings);

	/*
	 * Applies the settings of the pane to a view of one of its tables: in batch before the column
	 * options, on the screen whenever the settings change. May be NULL.
	 */
	void (*adjust)(const struct settings *settings, const struct sample_request *request,
		       struct view *view);

	/*
	 * What its settings want of each sample, even while the pane is hidden: called at the start, and on
	 * the screen whenever the settings change. May be NULL.
	 */
	void (*wants)(const struct settings *settings, struct sample_request *request);

	/* Called before each sample while the pane is shown; it may update the request. May be NULL. */
	void (*sampling)(struct pane_context *context);

	/* Called when another pane opened this one for a process. May be NULL. */
	void (*entered)(struct pane_context *context);

	/* A key that is neither in bindings nor works everywhere; false: a table gets it. May be NULL. */
	bool (*key)(struct pane_context *context, const struct input *input);

	/*
	 * In batch: how long to wait before the first sample, according to this frame; and why a sample is
	 * not the requested one, so that it is discarded and repeated; NULL: it is. May be NULL.
	 */
	double (*settle_seconds)(const struct settings *settings, const struct frame *frame);
	const char *(*rejects)(const struct settings *settings, const struct frame *frame);

	/*
	 * Called for every frame that may be shown, also of the past, before any table of it is. May be NULL.
	 */
	void (*prepare)(struct pane_context *context, const struct frame *frame);

	/* Called for every new frame, even while the pane is hidden or frozen. May be NULL. */
	void (*sampled)(struct pane_context *context, const struct frame *frame);

	/*
	 * Called before tables of the shown frame are drawn or get a key; context->frame may be another one
	 * than before. Here is computed what drawing needs of it, such as what table() returns. Not in a
	 * comparison, which draws tables of differences itself. May be NULL.
	 */
	void (*update)(struct pane_context *context);

	/*
	 * The table that is shown in place of the frame's own, with its schema; NULL: that one. May be NULL.
	 */
	const struct table *(*table)(const struct pane_context *context, unsigned index);

	/*
	 * Where a row of such a table comes from: the row of another topic that has its numbers, and its
	 * schema; NULL: the row itself. May be NULL.
	 */
	const void *(*origin)(const struct pane_context *context, const void *row,
			      const struct schema **schema);

	/*
	 * Called before each drawing, with the canvas that it gets: sets what depends on the room,
	 * as how far a list is scrolled. May be NULL.
	 */
	void (*layout)(struct pane_context *context, const struct canvas *canvas);

	/* For panes without views. NULL: the first table fills the pane. Drawing changes nothing. */
	void (*draw)(const struct pane_context *context, struct canvas *canvas);
};

/* Is it in the line of panes also while another one is shown? The page of a process is not. */
bool pane_has_tab(const struct pane *pane, const struct sample_request *request);

bool pane_has_table(const struct pane *pane, const char *topic);

struct frame;

/* Adds a notice about what the pane shows of the whole machine, if there is a scope. */
void pane_notice_scope(const struct pane *pane, const struct scope *scope, struct frame *frame);

#endif
