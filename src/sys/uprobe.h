/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uprobes: programs of bpf/ that run when a process comes to a place in a file that it has mapped. */
#ifndef PANETOP_SYS_UPROBE_H
#define PANETOP_SYS_UPROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/env.h"

/* How this kernel wants them: sys/bus/event_source/devices/uprobe. */
struct uprobe_form {
	uint32_t type;
	uint64_t at_return; /* the bit in config */
	bool semaphores;    /* it counts them up: since Linux 4.20 */
};

struct uprobe_place {
	int file;                  /* open for reading */
	uint64_t offset;           /* in the file, of an instruction */
	uint64_t semaphore_offset; /* 0: none */
	bool at_return;            /* from the function that begins there: where it returns to */
};

/* 0 or -errno; -ENOENT: this kernel has none. */
int uprobe_form_read(struct env *env, struct uprobe_form *form);

/*
 * Runs the program in this process, in all its threads, from now on until the descriptor is closed, also when
 * it maps the file only later. A descriptor or -errno. Both take milliseconds, on a busy machine up to a
 * second; -EINVAL: the kernel has no probe there, such as in the middle of an instruction.
 */
int uprobe_open(const struct machine_perf *perf, const struct uprobe_form *form,
		const struct uprobe_place *place, uint32_t process, int program);

#endif
