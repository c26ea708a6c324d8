/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of the selected process that a stuck process does not let one read: read by a helper. */
#ifndef PANETOP_TOPIC_DETAIL_SLOW_TEXT_H
#define PANETOP_TOPIC_DETAIL_SLOW_TEXT_H

#include "topic/process/target.h"

struct slow_text;

/* proc/PID/NAME, at most most bytes of it. */
struct slow_text *slow_text_open(struct env *env, const char *name, size_t most);
void slow_text_close(struct slow_text *slow);

/*
 * What was read of this process last, waiting a moment for it; it stays after its exit. Empty: nothing was
 * readable yet.
 */
struct span slow_text_get(struct slow_text *slow, const struct target *target);

/* 0, or -errno of the last reading. */
int slow_text_error(const struct slow_text *slow);

/* Is it longer than most? */
bool slow_text_is_cut(const struct slow_text *slow);

#endif
