/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --describe: the topic of --table, those of the named panes, or all. */
#ifndef PANETOP_APP_DESCRIBE_H
#define PANETOP_APP_DESCRIBE_H

#include "app/options.h"

/* Adds them as JSON or as text. */
void describe_topics(const struct options *options, bool json, struct buffer *out);

/* Prints them in the selected format; returns the exit status. */
int describe_run(const struct options *options);

#endif
