/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Feeds a scope from the tables of a frame. */
#ifndef PANETOP_MODEL_SCOPE_FRAME_H
#define PANETOP_MODEL_SCOPE_FRAME_H

#include "model/frame.h"
#include "model/settings.h"

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

#define SCOPE_OF_GROUP N_("control group")
#define SCOPE_OF_PROCESSES N_("processes") /* their sum */

extern const struct schema scope_use_schema;

/*
 * Fills the table of the scope from the other tables of this frame, whose rates are derived: a row if there
 * is a scope, and none else. Live and in a replay it is the same.
 */
void scope_use_derive(const struct scope *scope, struct frame *frame);

/*
 * Marks the topics that it reads, by index of the schema, if the table is wanted; of a recording always, as
 * they show who is in the scope.
 */
void scope_use_want(const struct sample_request *request, const struct schema *const *schemas,
		    unsigned n_schemas, bool *wanted);

/* Requests their columns. */
void scope_use_request(struct sample_request *request, const struct schema *const *schemas,
		       unsigned n_schemas, const bool *wanted);

#endif
