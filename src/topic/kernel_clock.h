/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clocks as the kernel counts them, which differ from ours in a time namespace. */
#ifndef PANETOP_TOPIC_KERNEL_CLOCK_H
#define PANETOP_TOPIC_KERNEL_CLOCK_H

#include "sys/env.h"

/* Added to a time of perf events, the proc connector or BPF, it gives ours; 0 outside of a time namespace. */
uint64_t kernel_clock_lag_ns(struct env *env);

/* The same for the kernel's CLOCK_BOOTTIME. */
uint64_t kernel_clock_boot_lag_ns(struct env *env);

#endif
