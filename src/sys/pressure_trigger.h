/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lets the kernel say when tasks have waited for a resource for a share of some time (PSI triggers). */
#ifndef PANETOP_SYS_PRESSURE_TRIGGER_H
#define PANETOP_SYS_PRESSURE_TRIGGER_H

#include <stdbool.h>

/*
 * resource: cpu, memory, io or irq; full: all tasks at once, else some. A descriptor that reports EPOLLPRI
 * once in each window_seconds in which they waited for this share (0 to 1), or -errno: -ENOENT where the
 * kernel counts no pressure, -EPERM and -EINVAL where it refuses this user or this window. The window is made
 * one of those that it accepts: 0.5 to 10 s; for users without CAP_SYS_RESOURCE 2, 4, 6, 8 or 10 s.
 */
int pressure_trigger_open(const char *resource, bool full, double share, double *window_seconds);

#endif
