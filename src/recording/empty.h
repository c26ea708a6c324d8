/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings that were begun, and no more. */
#ifndef PANETOP_RECORDING_EMPTY_H
#define PANETOP_RECORDING_EMPTY_H

#include <stdbool.h>

/* Is the file the beginning of a recording without one whole sample? False: no, or it is something else. */
bool recording_is_empty(int fd);

#endif
