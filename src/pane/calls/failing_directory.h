/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where files are sought in vain, from rows of the table opened_total. */
#ifndef PANETOP_PANE_CALLS_FAILING_DIRECTORY_H
#define PANETOP_PANE_CALLS_FAILING_DIRECTORY_H

#include "core/hash.h"
#include "model/frame.h"

/* Texts are those of the table. */
struct failing_directory {
	struct span directory; /* of the paths, without the last slash; "/", or empty: of relative ones */
	const char *result, *command;       /* command: of the path that is tried most often */
	double per_second, most_per_second; /* most: of that path */
};

/* All zero is ready for use. */
struct failing_directories {
	struct failing_directory *list;
	size_t n, capacity;
	struct hash by_directory; /* and result */
};

/* The directory and error with the most attempts in the last interval; NULL: nothing failed. */
const struct failing_directory *failing_directory_find(struct failing_directories *directories,
						       const struct table *table);
void failing_directories_free(struct failing_directories *directories);

#endif
