/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of 32 bits, which begin again at 0 when they are full. */
#ifndef PANETOP_CORE_WRAP_H
#define PANETOP_CORE_WRAP_H

#include <stdbool.h>
#include <stdint.h>

#define WRAP_SPAN (UINT64_C(1) << 32)

/*
 * Did the counter wrap between these two readings? It then was in the upper half and is in the lower; any
 * other that is less was set back, or read while it was written.
 */
static inline bool wrapped(uint64_t before, uint64_t now)
{
	return now < before && before >= WRAP_SPAN / 2 && before < WRAP_SPAN && now < WRAP_SPAN / 2;
}

#endif
