/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unknown values: a value that was not read is never 0. */
#ifndef PANETOP_CORE_UNKNOWN_H
#define PANETOP_CORE_UNKNOWN_H

#include <stdint.h>

/* Unknown integers. Unknown doubles are NaN, unknown texts NULL. */
#define U64_UNKNOWN UINT64_MAX

#endif
