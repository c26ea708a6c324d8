/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks for what the next moment needs in a helper thread: a screen that follows does not wait for answers. */
#ifndef PANETOP_FLEET_STORED_AHEAD_H
#define PANETOP_FLEET_STORED_AHEAD_H

#include <stdbool.h>

#include "fleet/prometheus_api.h"

struct stored_ahead;

/* All borrowed. */
struct stored_wish {
	const char *selector;       /* of the machine … */
	struct stored_steps step;   /* … at one moment */
	const char *const *of_rows; /* constants: selectors of the rows of all; NULL: none are wanted … */
	struct stored_steps rows;   /* … at that moment and the one before */
};

/* NULL: that is not possible here. */
struct stored_ahead *stored_ahead_open(const struct machine_clock *clock, const char *url,
				       const struct schema *const *schemas, unsigned n_schemas);
void stored_ahead_close(struct stored_ahead *ahead);

/* Readable when stored_ahead_collect() has something to do. */
int stored_ahead_fd(const struct stored_ahead *ahead);
void stored_ahead_collect(struct stored_ahead *ahead);

/*
 * False: the answers are not here yet, and were requested. True: each takes the place of *machine or *rows;
 * or that stays, for a reason that api gives to whoever asks in the next seconds.
 */
bool stored_ahead_get(struct stored_ahead *ahead, const struct stored_wish *wish,
		      struct stored_series **machine, struct stored_series **rows,
		      struct prometheus_api *api);

#endif
