/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of the kernel by address, read once, in a thread, when they are first needed. */
#ifndef PANETOP_TOPIC_PROFILE_KERNEL_FUNCTIONS_H
#define PANETOP_TOPIC_PROFILE_KERNEL_FUNCTIONS_H

#include "kernel/code/symbols.h"
#include "sys/env.h"

/* All zero: not begun. */
struct kernel_functions {
	struct kernel_functions_reading *reading; /* of the thread; NULL: … */
	bool started;                             /* … it has ended */
	struct symbols symbols;                   /* when ready */
};

/* Begins to read; whole: waits for the end, unless it hangs. True: they are ready. */
bool kernel_functions_update(struct kernel_functions *functions, struct env *env, bool whole);

/* Of ready ones. Empty: no function is known to have this address. */
struct span kernel_functions_find(const struct kernel_functions *functions, uint64_t address);

void kernel_functions_close(struct kernel_functions *functions);

#endif
