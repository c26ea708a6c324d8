/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lets the kernel say when a control group ran out of memory. */
#ifndef PANETOP_SYS_OOM_WATCH_H
#define PANETOP_SYS_OOM_WATCH_H

#include <stdint.h>

/*
 * A descriptor that reports *events of epoll when the memory of the group in this directory has run out, or
 * -errno: version 2 reports each change of memory.events, version 1 by memory.oom_control what leads to a
 * kill.
 */
int oom_watch_open(const char *directory, int version, uint32_t *events);

/* After a report: lets it report the next one. */
void oom_watch_reset(int fd);

#endif
