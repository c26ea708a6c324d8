/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a CPU did, of the two times in which it did nothing. */
#ifndef PANETOP_MODEL_BUSY_H
#define PANETOP_MODEL_BUSY_H

/*
 * The rest of both shares, never below 0: the kernel counts each for itself, so that they may add up to more
 * than the time. NaN when idle is; iowait may be NaN: not counted apart.
 */
double cpu_busy_ratio(double idle, double iowait);

#endif
