/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that every pane shares, as one table for parser and --help. */
#ifndef PANETOP_APP_OPTION_TABLE_H
#define PANETOP_APP_OPTION_TABLE_H

#include "app/options.h"

/* What it makes sense with in place of samples. */
enum option_use {
	WITH_SAMPLES = 0,
	WITH_DESCRIBE = 1,
	WITH_PROBE = 2,
	WITH_CALIBRATION = 4,
	WITH_ALL = WITH_DESCRIBE | WITH_PROBE | WITH_CALIBRATION,
};

struct option_entry {
	char letter;          /* 0: long only */
	const char *name;
	const char *argument; /* N_(); NULL: takes none */
	const char *help;     /* N_() */
	bool (*set)(struct options *options, const char *value); /* false: not a value it takes */
	const char *expected; /* N_(): what it takes, for the message */
	unsigned uses;        /* of enum option_use: otherwise it is refused */
};

extern const struct option_entry option_entries[];
extern const unsigned n_option_entries;

void print_help(void);
void print_version(void);

#endif
