/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters of the kernel's DAMON_STAT: how long the memory of the machine has been idle. */
#ifndef PANETOP_KERNEL_DAMON_STAT_H
#define PANETOP_KERNEL_DAMON_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

#define DAMON_PERCENTILES 101

/*
 * memory_idle_ms_percentiles, "0,0,5,...": element p is how long p percent of the memory have been idle at
 * most; below 0: in use for that long. False if there are not as many, or if they do not ascend.
 */
bool damon_percentiles_parse(struct span text, int64_t milliseconds[DAMON_PERCENTILES]);

/* Are all 0, as before the first numbers? */
bool damon_percentiles_are_new(const int64_t milliseconds[DAMON_PERCENTILES]);

#endif
