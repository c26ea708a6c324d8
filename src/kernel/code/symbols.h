/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions by address: which one has this address; those of the kernel and of JIT compilers. */
#ifndef PANETOP_KERNEL_CODE_SYMBOLS_H
#define PANETOP_KERNEL_CODE_SYMBOLS_H

#include "core/buffer.h"
#include "core/span.h"

/* Functions by address: which one has this address, and how far from its start it is. */

#define SYMBOLS_MAX 2000000u
#define SYMBOL_NAME_MAX 512                          /* bytes; a longer name is cut */
#define SYMBOLS_NAMES_MAX ((size_t)64 * 1024 * 1024) /* bytes of all names */
#define SYMBOL_GUESS_MAX (UINT32_C(1) << 20)         /* bytes of a function of unknown size, at most */

struct symbol {
	uint64_t address;
	uint32_t bytes;
	uint32_t name : 29; /* where it begins in names, or … */
	uint32_t is_borrowed : 1; /* … in strings */
	uint32_t is_local : 1;
	uint32_t is_rest : 1; /* of a function that another one interrupts: see rests */
};

/*
 * Add all functions of a file, sort once, then find. All zero is empty.
 *
 * Of functions with the same address one name is kept: global (or weak) before local, then the one with fewer
 * leading underscores, then the shorter one, then the first in the order of bytes; its size is the largest.
 * Where functions overlap, the one that starts last has the address: a part inside another one has its own
 * name, and behind it that of the outer one goes on. With later_wins, for files that grow while addresses are
 * used again, the one that was added last has the address, in both cases: those have no strings.
 *
 * Names are as in the file, which others wrote: clean them before they are shown.
 */
struct symbols {
	struct symbol *list;
	size_t count, capacity;
	/* Names in there that end with a NUL are not copied; it must stay; empty: all are. */
	struct span strings;
	struct buffer names; /* each one ends with a NUL */
	struct symbol_rest {
		uint32_t index;        /* in list */
		uint32_t before_bytes; /* from the start of its function */
	} *rests;
	size_t n_rests, rests_capacity;
	bool later_wins;
	size_t n_left_out; /* functions beyond a limit */
	size_t n_cut;      /* names that were longer */
};

/*
 * bytes 0: not known, up to the next function; only for sources without sizes. The name goes up to a NUL or
 * its end. One without a name is left out, and not counted.
 */
void symbols_add(struct symbols *symbols, uint64_t address, uint64_t bytes, struct span name, bool is_local);

void symbols_sort(struct symbols *symbols);

/*
 * The name of the function that has this address, valid until symbols_free(), and how many bytes from its
 * start; NULL where no function is known, also between two.
 */
const char *symbols_find(const struct symbols *symbols, uint64_t address, uint64_t *offset);

/* What it holds. */
size_t symbols_bytes(const struct symbols *symbols);

void symbols_free(struct symbols *symbols);

/* /proc/kallsyms: which function of the kernel is at which address. */
struct kallsyms_line {
	uint64_t address; /* 0: not shown to this user */
	struct span name; /* without its module */
};

/* The next function; false at the end. */
bool kallsyms_next(struct span *text, struct kallsyms_line *line);

/* perf-PID.map, in which JIT compilers list the functions that they have made. */

/*
 * Adds the functions of the whole lines "START SIZE NAME" of a file that may still be written; START and SIZE
 * are hexadecimal. Other lines are skipped. Where functions overlap, the later line has the address: memory
 * of discarded code is used again. symbols must have no functions from elsewhere. Returns how many bytes it
 * read.
 */
size_t perf_map_functions(struct span text, struct symbols *symbols);

#endif
