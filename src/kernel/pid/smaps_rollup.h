/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/smaps_rollup: sums over all mappings of a process, for which the kernel walks its pages. */
#ifndef PANETOP_KERNEL_SMAPS_ROLLUP_H
#define PANETOP_KERNEL_SMAPS_ROLLUP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

/* The next line "Name:   123 kB"; skips others. */
bool smaps_rollup_next(struct span *text, struct span *name, uint64_t *bytes);

/* The line Pss, in bytes; false when missing. */
bool smaps_rollup_parse(struct span text, uint64_t *proportional_bytes);

#endif
