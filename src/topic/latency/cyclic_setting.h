/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a user asked for about the measuring of latency: settings "latency.*" to a plan. */
#ifndef PANETOP_TOPIC_LATENCY_CYCLIC_SETTING_H
#define PANETOP_TOPIC_LATENCY_CYCLIC_SETTING_H

#include "core/settings.h"
#include "sys/env.h"
#include "sys/latency_probe.h"

extern const char *const cyclic_policies[N_CYCLIC_POLICIES], *const cyclic_methods[N_CYCLIC_METHODS];

/* A value that makes no sense counts as not set. */
void cyclic_setting_plan(const struct settings *settings, struct cyclic_plan *plan);

/*
 * The CPUs that are asked for, each once, else those that we may run on: so many, at least one. -ENODEV in
 * *errors for those that this machine lacks. Both lists are owned.
 */
size_t cyclic_setting_cpus(const struct env *env, const struct settings *settings, uint32_t **cpus,
			   int **errors);

#endif
