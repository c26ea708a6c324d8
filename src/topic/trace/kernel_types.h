/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The BTF of the running kernel, while programs are made. */
#ifndef PANETOP_TOPIC_TRACE_KERNEL_TYPES_H
#define PANETOP_TOPIC_TRACE_KERNEL_TYPES_H

#include "kernel/btf.h"
#include "sys/bpf/program.h"
#include "sys/env.h"

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

#endif
