/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf-PID.map, in which JIT compilers list the functions that they have made. */
#ifndef PANETOP_KERNEL_PERF_MAP_H
#define PANETOP_KERNEL_PERF_MAP_H

#include <stddef.h>

#include "core/span.h"
#include "kernel/code/symbols.h"

/*
 * Adds the functions of the whole lines "START SIZE NAME" of a file that may still be written; START and SIZE
 * are hexadecimal. Other lines are skipped. Where functions overlap, the later line has the address: memory
 * of discarded code is used again. symbols must have no functions from elsewhere. Returns how many bytes it
 * read.
 */
size_t perf_map_functions(struct span text, struct symbols *symbols);

#endif
