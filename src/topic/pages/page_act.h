/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Actions on the selected process at the request of the user: fault in pages, clear soft-dirty bits. */
#ifndef PANETOP_TOPIC_PAGES_PAGE_ACT_H
#define PANETOP_TOPIC_PAGES_PAGE_ACT_H

#include "sys/env.h"

/*
 * See act in struct topic. action: "force PID" or "clear PID". -ESRCH if another process is mapped or the
 * process has exited; -ENOTSUP if this kernel has no soft-dirty bits.
 */
int page_act(struct env *env, const char *action, void (*done)(void *context, int error), void *context);

#endif
