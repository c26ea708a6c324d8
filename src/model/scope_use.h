/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the scope of a run uses: the account of its control group, or the sum of its processes. */
#ifndef PANETOP_MODEL_SCOPE_USE_H
#define PANETOP_MODEL_SCOPE_USE_H

#include "model/frame.h"
#include "model/sample_request.h"

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
