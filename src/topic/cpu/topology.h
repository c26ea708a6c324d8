/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For samplers: where a CPU sits. */
#ifndef PANETOP_TOPIC_CPU_TOPOLOGY_H
#define PANETOP_TOPIC_CPU_TOPOLOGY_H

#include "sys/env.h"

/* The number in this file of the topology of a CPU ("physical_package_id", "core_id"); -1: not known. */
long topology_read(struct env *env, uint32_t cpu, const char *name);

#endif
