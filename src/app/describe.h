/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --describe: the topics of --table, of the panes that are named, or all. */
#ifndef PANETOP_APP_DESCRIBE_H
#define PANETOP_APP_DESCRIBE_H

#include "app/options.h"

/* Prints them in the format of the options; the exit status. */
int describe_run(const struct options *options);

#endif
