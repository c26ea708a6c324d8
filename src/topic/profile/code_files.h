/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files with code: names of their functions and rules of their frames, read when they are first needed. */
#ifndef PANETOP_TOPIC_PROFILE_CODE_FILES_H
#define PANETOP_TOPIC_PROFILE_CODE_FILES_H

#include "core/arena.h"
#include "core/buffer.h"
#include "kernel/code/symbols.h"
#include "sys/machine_clock.h"
#include "topic/profile/code_space.h"
#include "topic/profile/frame_rules.h"
#include "topic/profile/profile_results.h"
#include "topic/profile/source_lines.h"

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
	int channel; /* to the process that opens files; borrowed */
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
struct function_name {
	struct span name, file, path;
	enum profile_names names;
};

void code_files_name(struct code_files *files, uint32_t pid, const struct code_map *map, uint64_t address,
		     struct function_name *name);
void code_files_kernel_name(struct code_files *files, uint64_t address, struct function_name *name);
void code_files_unknown_name(struct function_name *name);
void code_files_unknown_callers(struct function_name *name); /* above what could be unwound */

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
struct span code_files_shown_name(struct code_files *files, const struct function_name *kept);

/* A copy that stays until code_files_forget(), as files and paths of names do. */
struct span code_files_keep_text(struct code_files *files, struct span text);

/* What was read of files leaves memory, and comes back from the page cache where it is wanted again. */
void code_files_let_go(struct code_files *files);

/* The process has ended, or is another program now. */
void code_files_forget_jit(struct code_files *files, uint32_t pid);

#endif
