/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file is mapped where in which process: from /proc/PID/maps, and from what the kernel reports since.
 */
#ifndef PANETOP_TOPIC_PROFILE_CODE_SPACE_H
#define PANETOP_TOPIC_PROFILE_CODE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hash.h"
#include "core/span.h"

#define CODE_NO_FILE UINT32_MAX /* memory that is of no file: code that was made at run time */

struct code_map {
	uint64_t start, end;
	uint64_t offset; /* of start in the file */
	uint32_t file;   /* a number of the caller, or CODE_NO_FILE */
};

/* The executable memory of a process. */
struct code_space {
	uint32_t pid;
	bool is_whole; /* its maps were read, or it was seen from its exec on */
	bool ended;
	uint64_t used;         /* counts up, for the one that is dropped first */
	struct code_map *maps; /* sorted, and without overlaps */
	size_t n_maps, capacity;
	struct code_use {
		size_t n_functions, n_nodes, n_lines, n_files, text_bytes; /* its own in tables of all */
		int cheap; /* samples that cost little, up to some, less those that cost much */
		unsigned round, n_reported; /* maps that the kernel reported in this round */
	} use; /* of the caller */
};

struct code_spaces { /* all zero is empty */
	struct code_space *list;
	size_t n, capacity;
	struct hash by_pid;
	uint64_t uses;
};

/* Of this process, made where there is none yet; valid until the next call. */
struct code_space *code_spaces_get(struct code_spaces *spaces, uint32_t pid);

/* May a process with this many entries of its own add another? Its share is a quarter of what is left. */
static inline bool code_use_may_add(size_t own, size_t all, size_t most)
{
	return all < most && own <= (most - all) / 4;
}

/* Replaces what was mapped there. */
void code_space_add(struct code_space *space, const struct code_map *map);
void code_space_clear(struct code_space *space);

/* NULL: nothing is known to be there. */
const struct code_map *code_space_find(const struct code_space *space, uint64_t address);

void code_spaces_fork(struct code_spaces *spaces, uint32_t parent, uint32_t child);
void code_spaces_end(struct code_spaces *spaces, uint32_t pid); /* kept for samples that are still to come */
void code_spaces_free(struct code_spaces *spaces);

#endif
