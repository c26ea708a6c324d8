/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The integer that says nothing: what was not read is never 0. */
#ifndef PANETOP_CORE_UNKNOWN_H
#define PANETOP_CORE_UNKNOWN_H

#include <stdint.h>

/* Not known. For doubles NaN, for texts NULL. */
#define U64_UNKNOWN UINT64_MAX

#endif
