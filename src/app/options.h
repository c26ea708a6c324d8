/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line. */
#ifndef PANETOP_APP_OPTIONS_H
#define PANETOP_APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/settings.h"
#include "model/units.h"
#include "output/sink.h"
#include "screen/pane.h"

#define OPTIONS_PANES_MAX 16
#define DELAY_MIN 0.05
#define DELAY_MAX 86400.0

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

struct options {
	bool batch;            /* asked for, or implied by another option */
	bool describe, probe, ascii, read_only;
	bool print;            /* samples go to standard output, not only into a recording */
	const struct sink_format *format;
	double delay_seconds;  /* 0: not given */
	unsigned long count;   /* 0: until stopped */
	size_t limit;          /* 0: no limit */
	const char *pid, *user, *filter, *sort, *columns, *root, *record, *replay, *assertion;
	const char *table, *other_table; /* of several names the last two */
	char *const *command;  /* behind "--", ends with NULL; NULL: none */
	bool unit_given;
	enum size_unit unit;
	enum when color;
	const struct pane *panes[OPTIONS_PANES_MAX]; /* as named; none when n_panes is 0 */
	unsigned n_panes;
};

/*
 * Reads the command line; what it sets for panes goes into settings. Returns -1 to go on, else the exit
 * status: --help and --version print and give 0, wrong usage prints one line to stderr and gives 2.
 */
int options_parse(struct options *options, struct settings *settings, int argc, char **argv);

/*
 * An option of a pane that was given and has no use with all the settings is complained of: 2, else -1. For a
 * screen it waits for the settings of the configuration file.
 */
int options_check_conflicts(const struct settings *given, const struct settings *all);

/* Complains that there is no such pane. */
void options_refuse_pane(const char *name);

/* Would writing the recording destroy the one that is replayed? */
bool options_would_destroy(const struct options *options);

/* The panes a run prints or opens with: the named ones, or those by default. */
unsigned options_panes(const struct options *options, const struct pane **chosen);

struct topic;

/*
 * What --describe and --probe tell of: the topic of --table, else those of the named panes, in their order,
 * else all. There is room for TOPICS_MAX.
 */
unsigned options_topics(const struct options *options, const struct topic **chosen);

#endif
