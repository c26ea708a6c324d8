/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done to the chosen process on the user's word: pages brought in, marks of writing cleared. */
#ifndef PANETOP_TOPIC_PAGES_PAGE_ACT_H
#define PANETOP_TOPIC_PAGES_PAGE_ACT_H

#include "sys/env.h"

/*
 * action is "force PID" or "clear PID". See struct topic. -ESRCH when the process that is mapped is not that
 * one, or has ended; -ENOTSUP when this kernel keeps no marks of writing.
 */
int page_act(struct env *env, const char *action, void (*done)(void *context, int error), void *context);

#endif
