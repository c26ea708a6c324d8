/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/vmstat: "name number" lines, with the names of current kernels. */
#ifndef PANETOP_KERNEL_VMSTAT_H
#define PANETOP_KERNEL_VMSTAT_H

#include <stddef.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

/*
 * Fills values[i] with the counter names[i], U64_UNKNOWN where the kernel has none. Counters that were
 * split by zone in older kernels are added up: "allocstall" is allocstall_normal + allocstall_movable + …
 * and, before 4.8, "pgscan_kswapd" is pgscan_kswapd_normal + … .
 */
void vmstat_parse(struct span text, const char *const *names, size_t n_names, uint64_t *values);

#endif
