/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions, stacks and lines, under numbers of panetop: those of one process that unwinds end with it, and
 * begin again where its own tables are full. What nothing refers to any more goes.
 *
 * Entries below a count that was read under the lock of the caller stay in their place, and may be read
 * without it until profile_tables_tidy().
 */
#ifndef PANETOP_TOPIC_PROFILE_PROFILE_TABLES_H
#define PANETOP_TOPIC_PROFILE_PROFILE_TABLES_H

#include "core/arena.h"
#include "core/hash.h"
#include "topic/profile/profile_results.h"

/* Twice what the process that unwinds has: its tables before the last time that they began again, too. */
#define PROFILE_TABLES_FUNCTIONS_MAX (2 * PROFILE_FUNCTIONS_MAX)
#define PROFILE_TABLES_NODES_MAX (2 * PROFILE_NODES_MAX)
#define PROFILE_TABLES_LINES_MAX (2 * PROFILE_LINES_MAX)
#define PROFILE_OTHERS 0 /* the function, and the stack, that stand for all that have no room */

struct profile_function {
	const char *name, *file, *path; /* clean text, without control characters and ';' */
	enum profile_names names;
};

struct profile_call {
	uint32_t parent, function; /* parent: PROFILE_NO_NODE, or a smaller number than its own */
};

struct profile_line {
	uint32_t function, number;
	const char *source; /* clean text */
};

/* By the number of the process that unwinds. */
struct profile_numbers {
	uint32_t *list;
	size_t n, capacity;
};

struct profile_tables {
	struct profile_function *functions;
	struct profile_call *nodes;
	struct profile_line *lines;
	size_t n_functions, n_nodes, n_lines;
	struct hash by_name, by_call, by_line, by_text;
	const char **texts; /* each one once */
	size_t n_texts, text_capacity, text_bytes;
	struct arena arena;
	uint64_t seed; /* of hashes: strangers choose the names */
	struct profile_numbers functions_of, nodes_of, lines_of;
	size_t tidy_at; /* of the fullest table, in parts of PROFILE_TABLES_WHOLE */
	uint32_t *kept_nodes, *kept_lines; /* while it is tidied: 1, then the new number */
};

void profile_tables_open(struct profile_tables *tables);
void profile_tables_free(struct profile_tables *tables);

/* A function, a node or a line. False: it cannot be. */
bool profile_tables_add(struct profile_tables *tables, const struct profile_result *result);

/* Gives a count the numbers of panetop. False: it cannot be. */
bool profile_tables_translate(const struct profile_tables *tables, struct profile_count *count);

/* Another process unwinds now, or the same has begun again. */
void profile_tables_renumber(struct profile_tables *tables);

/*
 * Where they have grown much: begin, keep() for all that is referred to, tidy, move() all of it, end.
 */
bool profile_tables_are_full(const struct profile_tables *tables);
void profile_tables_begin(struct profile_tables *tables);
void profile_tables_keep(struct profile_tables *tables, const struct profile_count *count);
void profile_tables_tidy(struct profile_tables *tables);
void profile_tables_move(const struct profile_tables *tables, struct profile_count *count);
void profile_tables_end(struct profile_tables *tables);

#endif
