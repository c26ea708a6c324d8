/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line. */
#ifndef PANETOP_APP_OPTIONS_H
#define PANETOP_APP_OPTIONS_H

#include <stdbool.h>

#include "app/option_table.h"
#include "core/settings.h"

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
