/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files with code, and where in which process they are mapped: names of their functions and rules of their
 * frames, read when they are first needed.
 */
#ifndef PANETOP_TOPIC_PROFILE_CODE_FILES_H
#define PANETOP_TOPIC_PROFILE_CODE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/buffer.h"
#include "core/hash.h"
#include "core/span.h"
#include "kernel/code/symbols.h"
#include "sys/machine.h"
#include "topic/profile/debug_info.h"
#include "topic/profile/profile_tables.h"

#define CXX_NAME_MAX ((size_t)512) /* bytes; a longer name is cut */

/* Sets the handler of SIGVTALRM, which ends a name that takes too long. In a process with one thread. */
void cxx_names_open(void);

/*
 * Replaces the contents of the buffer. False: another kind of symbol, or it takes too long. A symbol of a few
 * hundred bytes may stand for a name of 2^45 characters, or take years to look through.
 */
bool cxx_name(const char *symbol, struct buffer *name);

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
	} use;                              /* of the caller */
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

struct code_file;

/* What it works on, for panetop, which shares this memory. */
struct code_work {
	_Atomic uint64_t file; /* key of it; 0: none yet */
	char path[PROFILE_NAME_MAX];
};

/* What this process was ended over before: until then it is not touched. */
struct code_shunned {
	uint64_t file; /* key; 0: none */
	uint32_t pid;
	uint64_t until_ns;
};

struct code_files {
	const struct machine_clock *clock;
	struct code_work *work;
	const struct code_shunned *shunned;
	size_t n_shunned;
	uint64_t now_ns; /* set by the caller, from time to time */
	uint64_t seed;   /* of hashes: strangers choose the paths */
	size_t mapped_bytes, names_bytes, lines_bytes, kept_bytes;
	bool are_full; /* one more was wanted than there is room, or a share, for */
	int channel;   /* to the process that opens files; borrowed */
	struct code_file *list;
	size_t n, capacity, n_open;
	struct hash by_path;
	struct jit *jits; /* of processes that make code at run time */
	size_t n_jits, jit_capacity;
	struct symbols kernel;
	bool has_kernel;  /* it was tried */
	int kernel_error; /* 0 or -errno */
	struct span vdso; /* of this process: the kernel maps the same bytes everywhere */
	uint64_t uses;
	struct buffer text; /* of a name that is put together */
	struct arena kept;
};

/* Before rights are given up, since it reads the maps of this process, and sets handlers of signals. */
void code_files_open(struct code_files *files, const struct machine_clock *clock, int channel,
		     struct code_work *work);

/* The number of a file that is mapped in the process of this use, or CODE_NO_FILE. */
uint32_t code_files_place(struct code_files *files, struct code_use *use, uint64_t device, uint64_t inode,
			  struct span path);

/* All of them, with the texts that were kept: their numbers end. */
void code_files_forget(struct code_files *files);

/* Adds what a process has mapped, as far as it can be executed. */
void code_files_read_maps(struct code_files *files, struct code_space *space);

/* Of the file of this map in this process. NULL: it has none. *bias: as for frame_rules_step(). */
struct frame_rules *code_files_rules(struct code_files *files, uint32_t pid, const struct code_map *map,
				     uint64_t address, uint64_t *bias);

/* Is it known of the file that its code keeps the frame pointer? */
bool code_files_keeps_frame_pointer(struct code_files *files, uint32_t pid, const struct code_map *map);

/* The text of a name is valid until the next call. */
struct code_name {
	struct span name, file, path;
	enum profile_names names;
};

void code_files_name(struct code_files *files, uint32_t pid, const struct code_map *map, uint64_t address,
		     struct code_name *name);
void code_files_kernel_name(struct code_files *files, uint64_t address, struct code_name *name);
void code_files_unknown_name(struct code_name *name);
void code_files_unknown_callers(struct code_name *name); /* above what could be unwound */

/*
 * The line of the source, by the file, or by one with debug information; false: neither has it. Valid until
 * the next call.
 */
bool code_files_line(struct code_files *files, uint32_t pid, const struct code_map *map, uint64_t address,
		     struct source_line *line);

/*
 * Of a name whose text was kept: as the source has it, where it is of C++. Names are symbols until then, as
 * this takes its time.
 */
struct span code_files_shown_name(struct code_files *files, const struct code_name *kept);

/* A copy that stays until code_files_forget(), as files and paths of names do. */
struct span code_files_keep_text(struct code_files *files, struct span text);

/* What was read of files leaves memory, and comes back from the page cache where it is wanted again. */
void code_files_let_go(struct code_files *files);

/* The process has ended, or is another program now. */
void code_files_forget_jit(struct code_files *files, uint32_t pid);

#endif
