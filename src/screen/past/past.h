/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live screen goes back: it shows a kept sample, while sampling continues behind it. */
#ifndef PANETOP_SCREEN_PAST_H
#define PANETOP_SCREEN_PAST_H

#include "screen/state.h"

void past_step(struct screen *screen, int step); /* 1 or -1 sample; from the newest one on it is live */
void past_step_minute(struct screen *screen, int step); /* 1 or -1 */

/* The last sample at or before this time. */
void past_show_at(struct screen *screen, uint64_t wall_ns);

/* The clocks of the first and the last sample that is kept now; false: there is none. */
bool past_extent(struct screen *screen, uint64_t *first_ns, uint64_t *last_ns);

/* Where the shown sample is in past_source, which is opened unless it is in use; false: nothing is kept. */
bool past_locate(struct screen *screen, size_t *index);

void past_leave(struct screen *screen); /* live again */
void past_close(struct screen *screen); /* at the end of the screen */

/* "-00:03:12 of 41 min" */
void past_position(struct screen *screen, char *text, size_t room);

/* Writes all that is kept as a recording. */
void past_save(struct screen *screen);

#endif
