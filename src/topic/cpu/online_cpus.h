/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The online CPUs, listed once per tick for all topics that have a row for each; and their topology. */
#ifndef PANETOP_TOPIC_CPU_ONLINE_CPUS_H
#define PANETOP_TOPIC_CPU_ONLINE_CPUS_H

#include "topic/reader.h"

struct online_cpus {
	struct env *env; /* borrowed */
	uint32_t *list;  /* ascending */
	size_t count, capacity;
	unsigned long generation; /* of the list: grows when CPUs come or go */
};

/* A failed update leaves the list as it was. */
extern const struct reader online_cpus_reader;

/* The number in this file of a CPU's topology ("physical_package_id", "core_id"); -1: not known. */
long online_cpus_topology(struct env *env, uint32_t cpu, const char *name);

#endif
