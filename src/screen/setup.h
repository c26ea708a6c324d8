/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the screen gets at the start: source, panes, settings, options. */
#ifndef PANETOP_SCREEN_SETUP_H
#define PANETOP_SCREEN_SETUP_H

#include <stdbool.h>

#include "model/explanation.h"
#include "model/finding.h"
#include "model/frame.h"
#include "model/history.h"
#include "model/settings.h"
#include "screen/pane.h"
#include "screen/theme.h"
#include "sys/loop.h"
#include "sys/machine.h"
#include "sys/machine_thread.h"

#define HEADLINE_PIECES_MAX 12
#define HEADLINE_PIECE_MAX 128

/* What a live source gave, for going back. */
struct past {
	/* Rates are not kept. A warning where samples are lost, now and then; else NULL. */
	const char *(*keep)(void *state, const struct frame *frame);
	int (*open)(void *state, struct source *source);      /* on all that was kept so far: 0 or -errno */
	/* As a recording with this name: 0, or -errno and what went wrong. */
	int (*save)(void *state, const char *name, char *error, size_t room);
	/*
	 * Puts what a service recorded before the first sample of an opened source in front of it: 0. Else
	 * the source is as it was: -ENOENT, there is nothing of the kind, or -errno. why: translated, where a
	 * part or all of it cannot be used; else empty.
	 */
	int (*reach_back)(void *state, struct source *source, char *why, size_t room);
	void *state;
};

/* Rules that are watched meanwhile. */
struct screen_rules {
	void (*take)(void *state, struct frame *frame); /* each sample, which gets findings of what holds */
	int (*join)(void *state, struct loop *loop);    /* has it wait for them: 0 or -errno */
	void (*want)(const void *state, bool *wanted);  /* marks the topics that they need, by index */
	void *state;
};

/* All borrowed. */
struct screen_setup {
	const struct machine_clock *clock;
	struct source *source;
	const struct past *past;             /* NULL: a recording, or nothing is kept */
	const struct screen_rules *rules;    /* NULL: there are none */
	struct series load;                  /* a share, which the line of the past shows */
	const struct schema *const *schemas; /* of all topics; the order of source->want() */
	unsigned n_schemas;
	const struct explained_series *explained; /* see explanation_take() */
	const struct finding_rule *finding_rules;
	unsigned n_finding_rules;
	const struct pane *const *panes;
	unsigned n_panes;
	const char *const *headline_topics;  /* ended by NULL */
	/* Writes the pieces of the first line, most important first; returns how many. */
	unsigned (*headline)(const struct frame *frame, char pieces[][HEADLINE_PIECE_MAX]);
	/* Writes the right end of the second line; may be empty. */
	void (*corner)(const struct frame *frame, char *text, size_t room);
	const char *faults; /* found before the start, a line each, such as those of the configuration */
	struct settings *settings;           /* from file and options; changed by the key w */
	struct sample_request *request;
	/* A page for others about all samples of a recording or of the past, into a new file: 0, or -errno
	 * and what went wrong. The source is left at another place, and wants other topics. */
	int (*save_page)(const struct screen_setup *setup, const struct source *source, const char *name,
			 char *error, size_t room);
	bool page_names; /* … with command lines, users and addresses */
	/* 0 and the path, or -errno and what went wrong. */
	int (*save)(const struct settings *settings, char *text, size_t room);
	struct worker *worker;               /* may be NULL */
	unsigned first_pane;
	bool first_asked_for; /* by name: report if a replay has no table of it */
	size_t first_sample;  /* of a recording; usually SIZE_MAX, its last one */
	double delay_seconds;
	unsigned long count;                 /* quit after this many samples; 0: never */
	size_t limit;                        /* rows of a table, as of a view */
	enum size_unit unit;
	enum glyph_set glyphs;
	bool ask_ground;                     /* the terminal, for a theme: none is chosen */
	enum theme theme, usual_theme;       /* usual: by what the terminal reports */
	char theme_file[80];                 /* name of THEME_FILE; "": there is none */
	bool color, ascii;
	const char *filter, *sort, *columns; /* for the first table of the first pane; may be NULL; valid */
};

/* Takes over the terminal, runs, restores it. 0, or -errno when the terminal cannot be used. */
int screen_run(const struct screen_setup *setup);

#endif
