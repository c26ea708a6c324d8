/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line. */
#ifndef PANETOP_APP_OPTIONS_H
#define PANETOP_APP_OPTIONS_H

#include <stdbool.h>

#include "app/option_table.h"
#include "model/settings.h"

/*
 * Parses the command line; pane options go into settings. Returns -1 to go on, else the exit status: 0 after
 * --help and --version, 2 after an error message about wrong usage.
 */
int options_parse(struct options *options, struct settings *settings, int argc, char **argv);

/*
 * Returns 2 after an error message about an option of a pane that conflicts with other settings, else -1. The
 * screen calls it after it has read the configuration file.
 */
int options_check_conflicts(const struct settings *settings);

/* Prints an error message about an unknown pane. */
void options_refuse_pane(const char *what, const char *name);

/* Are the samples those of a recording, or of other machines, and not of this one? */
bool options_are_recorded(const struct options *options);

/* Is this open file (-1: none) the recording that is replayed, so that writing it would destroy it? */
bool options_would_destroy(const struct options *options, int fd);

/* The panes to print or open: the named ones, or the default ones. */
unsigned options_panes(const struct options *options, const struct pane **chosen);

struct topic;

/*
 * The topics of --describe and --probe: that of --table, else those of the named panes and the named ones,
 * else all. Free it with free().
 */
const struct topic **options_topics(const struct options *options, unsigned *n_chosen);

#endif
