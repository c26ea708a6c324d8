/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The BTF of the running kernel, while programs are made. */
#ifndef PANETOP_TOPIC_TRACE_KERNEL_TYPES_H
#define PANETOP_TOPIC_TRACE_KERNEL_TYPES_H

#include "kernel/btf.h"
#include "sys/bpf_code.h"
#include "sys/env.h"

struct kernel_types {
	struct btf btf;
	char *bytes; /* owned */
	size_t length;
	bool mapped;
};

int kernel_types_open(struct kernel_types *types, const struct env *env); /* 0 or -errno */
void kernel_types_close(struct kernel_types *types);

/*
 * The offsets on the way from a pointer to a member: "task_struct.group_leader.tgid". Their number, and the
 * member's bytes; 0: this kernel has no such way.
 */
unsigned kernel_types_path(struct btf *btf, const char *way, uint32_t *offsets, unsigned room,
			   uint32_t *bytes);

/* Where ENTER finds what it needs. 0, or -ENODATA: this kernel has something else. */
int kernel_types_tasks(struct btf *btf, struct bpf_task_layout *layout);

/* Where CACHE does, likewise; not the size of a page. */
int kernel_types_cache(struct btf *btf, struct bpf_cache_layout *layout);

/* Where WALK does, likewise: from Linux 6.7 on. */
int kernel_types_walk(struct btf *btf, struct bpf_walk_layout *layout);

#endif
