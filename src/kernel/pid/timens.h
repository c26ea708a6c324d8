/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/timens_offsets: how far the clocks of a time namespace are ahead of the kernel's. */
#ifndef PANETOP_KERNEL_TIMENS_H
#define PANETOP_KERNEL_TIMENS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

/* The offset of this clock, "monotonic" or "boottime". False: it is not listed, or not within a century. */
bool timens_offset(struct span text, const char *clock, int64_t *ahead_ns);

#endif
