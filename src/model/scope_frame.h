/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Feeds a scope from the tables of a frame. */
#ifndef PANETOP_MODEL_SCOPE_FRAME_H
#define PANETOP_MODEL_SCOPE_FRAME_H

#include "model/frame.h"
#include "model/scope.h"

/*
 * Of a live frame the events, as the sampler has looked at its processes already; of a recorded one both,
 * with a notice about what the recording lacks for this scope. Without a scope it does nothing.
 */
void scope_read_frame(struct scope *scope, struct frame *frame, bool recorded);

/* The living process with this pid, whose texts are those of the frame; false: the frame has none. */
bool scope_frame_process(const struct frame *frame, uint64_t pid, struct scope_process *process);

/*
 * Of a frame with rates: the row of what the scope uses, and whose each finding is. Of a recorded one: the
 * account of CPU time gets the parts of the scope, and tables of which only sums of all processes were
 * recorded lose their rows, with a notice. A recording that was made with the same scope stays as it is.
 */
void scope_split_frame(struct scope *scope, struct frame *frame, bool recorded);

#endif
