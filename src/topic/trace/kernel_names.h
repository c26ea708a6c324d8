/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BTF of the running kernel, while programs are made; and names of its functions by address, which are
 * looked up when they are first needed, in slices.
 */
#ifndef PANETOP_TOPIC_TRACE_KERNEL_NAMES_H
#define PANETOP_TOPIC_TRACE_KERNEL_NAMES_H

#include "core/hash.h"
#include "kernel/btf.h"
#include "kernel/code/symbols.h"
#include "sys/bpf/program.h"
#include "sys/env.h"

#define FUNCTION_NAMES_SOURCE "proc/kallsyms"

int kernel_names_open(const struct env *env); /* whether addresses are shown is decided now */

/* All of it takes the kernel 50 ms. All zero: at the begin. */
struct kernel_text {
	size_t begun, n_rest; /* of a line that goes on in the next part */
	char bytes[65536];
};

/* Reads a part, of which it gives the whole lines. False: at the end. */
bool kernel_text_read(struct kernel_text *text, int fd, struct span *lines);
void kernel_text_add(struct symbols *symbols, struct span lines); /* which have an address */

struct kernel_types {
	struct btf btf;
	char *bytes; /* owned */
	size_t length;
	bool mapped;
};

/*
 * 0 or -errno; -ENOEXEC: this is a 32-bit program in a 64-bit kernel, whose calls have other numbers, and
 * whose pointers another size.
 */
int kernel_types_open(struct kernel_types *types, const struct env *env);
void kernel_types_close(struct kernel_types *types);

/*
 * Where a member is, on the way from a pointer: "task_struct.group_leader.tgid", or
 * "mm_struct.rss_stat[1].count". 0, or -ENODATA: this kernel has no such way.
 */
int kernel_types_member(struct btf *btf, const char *way, struct bpf_place *place);

/* The same for a bit field of one bit: the offset of its byte, and its value there. */
int kernel_types_bit(struct btf *btf, const char *way, uint32_t *offset, uint8_t *bit);

#define FUNCTION_NAME_BYTES 64
#define FUNCTION_NAMES_REMEDY N_("run it as root, or give it the capability cap_syslog")

enum function_state { FUNCTION_NEW, FUNCTION_SOUGHT, FUNCTION_FOUND, FUNCTION_UNKNOWN };

struct function_name {
	uint64_t address;
	enum function_state state;
	char name[FUNCTION_NAME_BYTES];
};

struct function_names {
	struct env *env;
	struct function_name *list; /* owned */
	size_t count, capacity, n_new;
	struct hash by_address;
	int fd, error; /* fd: while it is read, else -1; error: -errno why there are no names, or 0 */
	struct kernel_text *text; /* owned, while it is read */
};

void function_names_open(struct function_names *names, struct env *env);
void function_names_close(struct function_names *names);

/* Its element, in the order in which they were first wanted. */
size_t function_names_find(struct function_names *names, uint64_t address);

/* Goes on looking up; whole: to the end of the file. */
void function_names_update(struct function_names *names, bool whole);

/* For --probe: 0, -EACCES: addresses are hidden from this user, or -errno. */
int function_names_test(struct env *env);

#endif
