/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf(2): maps, programs, and what they are attached to. All end with their descriptors. by is env->bpf,
 * NULL: the kernel.
 */
#ifndef PANETOP_SYS_BPF_SYSCALL_H
#define PANETOP_SYS_BPF_SYSCALL_H

#include <stddef.h>

#include "sys/bpf/program.h"

/* A script of a test in the place of the kernel. */
struct bpf_calls {
	long (*call)(enum bpf_cmd command, union bpf_attr *attr); /* bpf(2), or -errno */
	int (*attach)(int program, uint64_t id); /* to a tracepoint, as bpf_attach_tracepoint() */
};

/* Each gives a descriptor, which the caller closes, or -errno. */
int bpf_map_open(const struct bpf_calls *by, enum bpf_map_type type, size_t key_bytes, size_t value_bytes,
		 size_t n_entries);
int bpf_program_open(const struct bpf_calls *by, enum bpf_prog_type type, const struct bpf_code *code,
		     const char *name);

/* Its arguments are those of this type of the kernel's BTF: of a tracepoint, or of an iterator. */
int bpf_typed_program_open(const struct bpf_calls *by, const struct bpf_code *code, const char *name,
			   uint32_t type, bool iterates);

/* Runs a program that nothing starts. 0 or -errno. */
int bpf_run(const struct bpf_calls *by, int program);

/* Runs an iterator over all that it iterates over. 0 or -errno. */
int bpf_iterate(const struct bpf_calls *by, int program);

/*
 * To a raw tracepoint, by its name without its system, NULL: that of its type; and to a tracepoint, by its
 * number in tracefs.
 */
int bpf_attach_raw(const struct bpf_calls *by, int program, const char *tracepoint);
int bpf_attach_tracepoint(const struct bpf_calls *by, int program, uint64_t id);

/* How often the kernel did not run a program because it already ran on that CPU; 0 before Linux 5.12. */
uint64_t bpf_program_misses(const struct bpf_calls *by, int program);

/*
 * An array that programs and the caller share, all of whose values are 0; *memory is of the caller, who
 * unmaps it. A descriptor or -errno: before Linux 5.5 there are none.
 */
int bpf_shared_array_open(const struct bpf_calls *by, size_t value_bytes, size_t n_values, void **memory);

/* Sets the value of this key. 0 or -errno. */
int bpf_map_set(const struct bpf_calls *by, int map, const void *key, const void *value);

/* The value of this key, of a map for each CPU an array of all possible ones. 0 or -errno. */
int bpf_map_value(const struct bpf_calls *by, int map, const void *key, void *value);

/* Removes the element with this key, if there is one. */
void bpf_map_remove(const struct bpf_calls *by, int map, const void *key);

/*
 * Reads entries of a hash: the number of those in keys and values, which have room for n_room, or -errno.
 * token: 8 bytes, kept by the caller between two calls, which go on while *goes_on; false before the first.
 * -ENOSPC: there must be more room.
 */
long bpf_map_entries(const struct bpf_calls *by, int map, uint64_t *token, bool *goes_on, void *keys,
		     void *values, size_t n_room);

#endif
