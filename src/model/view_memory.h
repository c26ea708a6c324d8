/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a view of a log has found out about its rows already. */
#ifndef PANETOP_MODEL_VIEW_MEMORY_H
#define PANETOP_MODEL_VIEW_MEMORY_H

#include "model/view.h"

/* Looks at the rows of a log that are new; true when the view's result has to be made anew from the memory.
 */
bool view_remember(struct view *view, const struct table *log);

void view_memory_free(struct view_memory *memory);

#endif
