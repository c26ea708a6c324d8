/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a scheduling policy is not allowed, and what to measure with instead. */
#ifndef PANETOP_TOPIC_LATENCY_CYCLIC_RIGHTS_H
#define PANETOP_TOPIC_LATENCY_CYCLIC_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>

#include "sys/env.h"
#include "sys/latency_probe.h"

/* Writes the reason why asked failed with error (-EPERM, -EBUSY); returns the remedy. */
const char *cyclic_rights_explain(struct env *env, const struct cyclic_plan *asked, int error, char *reason,
				  size_t room);

/* The step-th thing to try when asked is not allowed, best first; false when there is no more. */
bool cyclic_rights_next(const struct cyclic_plan *asked, unsigned step, struct cyclic_plan *plan);

/* What to do about an error of /dev/cpu_dma_latency, and about one of a CPU; NULL when there is nothing to
 * say. */
const char *cyclic_rights_of_awake(int error);
const char *cyclic_rights_of_cpu(int error);

#endif
