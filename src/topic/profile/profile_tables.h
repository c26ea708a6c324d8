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

#include <stdbool.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/buffer.h"
#include "core/hash.h"
#include "core/span.h"

#define PROFILE_MESSAGE_MAX ((size_t)48 * 1024)
#define PROFILE_NAME_MAX 512
/* What the process that unwinds has at most, until it begins again. */
#define PROFILE_FUNCTIONS_MAX 100000
#define PROFILE_NODES_MAX 400000
#define PROFILE_LINES_MAX 100000
#define PROFILE_TEXTS_MAX ((size_t)16 << 20) /* bytes of names */
#define PROFILE_NO_NODE UINT32_MAX           /* the parent of the first function of a stack */
#define PROFILE_NO_LINE UINT32_MAX           /* not known */
#define PROFILE_ANY_LINE (UINT32_MAX - 1)    /* lines were not asked for */

enum profile_result_kind {
	PROFILE_RESULT_FUNCTION, /* they are numbered in their order, from 0 */
	PROFILE_RESULT_NODE,     /* a function called from a stack; numbered likewise */
	PROFILE_RESULT_LINE,     /* a line of the source of a function; numbered likewise */
	PROFILE_RESULT_COUNT,
	PROFILE_RESULT_FORK,  /* pid is a child of parent */
	PROFILE_RESULT_AGAIN, /* functions, nodes and lines have numbers from 0 on again */
	PROFILE_RESULT_STATE,
};

/* Where the name of a function is from. */
enum profile_names {
	PROFILE_NAMES_NONE, /* it has none: it is its file and the address of its rules */
	PROFILE_NAMES_SYMTAB,
	PROFILE_NAMES_DYNSYM,
	PROFILE_NAMES_DEBUG,
	PROFILE_NAMES_GO,
	PROFILE_NAMES_JIT,
	PROFILE_NAMES_KERNEL,
	N_PROFILE_NAMES,
};

/* Samples of a process in which a node was innermost. */
struct profile_count {
	uint32_t pid, node;
	uint32_t line; /* where the function was; PROFILE_NO_LINE, PROFILE_ANY_LINE */
	uint32_t samples;
	uint64_t weight; /* sum of their periods */
	double squares;  /* … and of their squares */
};

/* Since the start of the process. */
struct profile_state {
	uint64_t cpu_ns;   /* that unwinding took … */
	uint64_t usual_ns; /* … for samples, without those of strangers that cost much */
	uint64_t samples, lost, throttled;
	uint64_t whole;      /* samples whose stack was followed up to its first function, or that have kernel
				frames alone */
	uint64_t unfollowed; /* samples whose stack was not, as that of their process costs too much */
	int32_t rules_error; /* why there are no rules of frames, as of dw_library_load(); 0 */
	int32_t kernel_error; /* why functions of the kernel have no names; 0 */
};

struct profile_result {
	enum profile_result_kind kind;
	struct span name, file, path; /* FUNCTION; path: of the file in its process; LINE: name, of a file */
	enum profile_names names;     /* FUNCTION */
	uint32_t parent, function;    /* NODE; LINE: function */
	uint32_t line;                /* LINE: its number in the file "name" */
	struct profile_count count;   /* COUNT */
	uint32_t pid, parent_pid;     /* FORK */
	struct profile_state state;   /* STATE */
};

/* Longer texts are cut. */
void profile_results_add(struct buffer *out, const struct profile_result *result);

/* False at the end, or with bytes left where the rest is malformed. */
bool profile_results_next(struct span *message, struct profile_result *result);

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
	size_t tidy_at;                    /* of the fullest table, in parts of PROFILE_TABLES_WHOLE */
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
