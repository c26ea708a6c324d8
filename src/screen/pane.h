/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pane is: the tables it shows, the keys and options it takes, and how it draws. */
#ifndef PANETOP_SCREEN_PANE_H
#define PANETOP_SCREEN_PANE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/buffer.h"
#include "core/settings.h"
#include "model/history.h"
#include "model/sample_request.h"
#include "model/summary_column.h"
#include "model/units.h"
#include "model/view.h"

struct canvas;
struct input;
struct pane_context;

struct pane_table {
	const char *topic;
	bool headline;   /* batch text prints it; if it has rates, a batch sample covers one whole delay */
	bool at_end;     /* batch prints it in the last sample alone */
	bool lazy;       /* sampled only while the pane asks for it, with --table, or with its option */
	const char *option; /* with this option of the pane batch text prints it, too; may be NULL */
	bool (*when)(const struct sample_request *request); /* … but only then; NULL: always */
	const char *columns; /* keys shown at first; NULL: all that are not hidden */
	const char *sort;    /* as of --sort; NULL: as sampled */
};

/* A long option that belongs to one pane; its value becomes the setting "PANE.NAME". */
struct pane_option {
	const char *name;
	const char *argument;            /* as in struct option_entry; NULL: none, and set to "yes" */
	const char *help;                /* N_() */
	bool (*valid)(const char *value);
	const char *expected;            /* N_(): valid values, for the error message */
};

/* What --assert judges, and what is told of a COMMAND that runs meanwhile. */
struct pane_assertion {
	const char *topic, *row;     /* the row by its first key */
	const char *phases;          /* topic of a row each before, during and after COMMAND */
	const char *during, *after;  /* names of its rows, and actions of topic when they begin */
};

/* A key of a pane, or one that works everywhere; footer and help page are made from these. */
struct binding {
	int key, other_key;              /* a character or one of enum key; 0: none */
	const char *label;               /* N_(): a word or two for the footer, one for those that follow each
					  * other with the same; NULL: help page only */
	const char *help;                /* N_() */
	void (*act)(struct pane_context *context);
};

struct pane {
	const char *name;                /* on the command line */
	const char *title;               /* N_() */
	const char *question;            /* N_(): what it answers */
	bool by_default;                 /* batch prints it when no pane is named */
	bool takes_pid, takes_user;      /* --pid, --user */
	const struct pane_assertion *assertion;    /* --assert, -- COMMAND; NULL: it takes neither */
	const struct pane_table *tables; /* ended by one without topic; the first one is the pane's own */
	const struct summary_column *summary; /* batch text instead of tables; ended like them; may be NULL */
	const struct pane_option *options; /* ended by one without name; may be NULL */
	const char *const *settings; /* what its keys set beside options, ended by NULL; a name that ends in a
				      * dot begins others; may be NULL */
	const struct series *series;     /* kept in the history even while the pane is hidden */
	unsigned n_series;
	const struct series *explained; /* numbers beside its tables, for the key i: ended by one without
					 * topic; a row of NULL is the first; may be NULL */
	/* Explains more numbers for the key i, those that depend on what is shown, by explain_number(). */
	void (*explain)(struct pane_context *context, struct buffer *out); /* may be NULL */
	const struct binding *bindings;  /* ended by one without act; may be NULL */
	const struct binding *secondary_bindings; /* others: in the footer only where all else has room */
	size_t state_size;

	/* Keys of what is shown just now, before all others; NULL: none. May be NULL. */
	const struct binding *(*view_bindings)(const struct pane_context *context);

	/*
	 * Why a key does nothing as things are, translated: footer and help leave it out then, and pressing
	 * it says this. NULL: it acts. May be NULL.
	 */
	const char *(*refuses_key)(const struct pane_context *context, const struct binding *binding);

	/* Why an option that was given has no use with the others, translated; NULL: it has. May be NULL. */
	const char *(*refuses_option)(const struct settings *settings, const char *name);

	/* May be NULL; the state is all zero before. It may set focus and requested of the context. */
	void (*open)(struct pane_context *context);
	void (*close)(void *state); /* gives back what the state owns; may be NULL */
	void (*save)(const void *state, struct settings *settings);

	/*
	 * Changes a view of one of its tables as the settings of the pane ask: in batch before the columns
	 * that are chosen by option, on the screen whenever settings changed. May be NULL.
	 */
	void (*adjust)(const struct settings *settings, const struct sample_request *request,
		       struct view *view);

	/* Called before each sample while the pane is shown: the request may follow the cursor. */
	void (*sampling)(struct pane_context *context);

	/* Another pane opened this one, for a process. May be NULL. */
	void (*entered)(struct pane_context *context);

	/* A key that is neither in bindings nor works everywhere; false: a table gets it. May be NULL. */
	bool (*key)(struct pane_context *context, const struct input *input);

	/*
	 * In batch: how long to wait before the first sample, which this frame tells; and why a sample is not
	 * one that was asked for, so that it is left out and taken again, NULL when it is. May be NULL.
	 */
	double (*settle_seconds)(const struct settings *settings, const struct frame *frame);
	const char *(*refuses)(const struct settings *settings, const struct frame *frame);

	/* Called for every new frame, even while the pane is hidden or frozen. May be NULL. */
	void (*sampled)(struct pane_context *context, const struct frame *frame);

	/* NULL: the first table fills the pane. */
	void (*draw)(struct pane_context *context, struct canvas *canvas);
};

bool pane_has_table(const struct pane *pane, const char *topic);

/* Can its configuration hold this name, which begins with that of the pane and a dot? */
bool pane_has_setting(const struct pane *pane, const char *name);

#endif
