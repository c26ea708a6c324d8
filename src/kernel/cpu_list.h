/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPUs as the kernel writes them: "0-3,8,10-11". */
#ifndef PANETOP_KERNEL_CPU_LIST_H
#define PANETOP_KERNEL_CPU_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

#define CPU_LIST_MAX 65536 /* all CPU numbers are lower */

/* The next range of CPUs; false at the end or where the list is malformed. */
bool cpu_list_next(struct span *list, uint32_t *first, uint32_t *last);

bool cpu_list_has(struct span list, uint32_t cpu);

#endif
