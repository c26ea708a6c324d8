/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of the source by address, by .debug_line, which libdw reads. */
#ifndef PANETOP_TOPIC_PROFILE_SOURCE_LINES_H
#define PANETOP_TOPIC_PROFILE_SOURCE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

struct source_lines; /* of one file */
struct dw_library;

/*
 * library: NULL: libdw, which is loaded. bytes: the whole file, which must stay, and can be written, as
 * libelf notes in it what it has decompressed. NULL: it has no such tables, or libdw is not installed.
 */
struct source_lines *source_lines_open(const struct dw_library *library, struct span bytes);
void source_lines_close(struct source_lines *lines); /* NULL is fine */

struct source_line {
	struct span file; /* as the compiler was given it, valid until source_lines_close() */
	uint32_t number;
};

/* Of the code at this address, as in the file, also of a function that was compiled into another one. */
bool source_lines_find(const struct source_lines *lines, uint64_t address, struct source_line *line);

#endif
