/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPUs are online, looked up once per tick for all topics that have a row for each. */
#ifndef PANETOP_TOPIC_CPU_ONLINE_CPUS_H
#define PANETOP_TOPIC_CPU_ONLINE_CPUS_H

#include "sys/env.h"

struct online_cpus {
	struct env *env; /* borrowed */
	uint32_t *list;  /* ascending */
	size_t count;
	unsigned long findings; /* how often the list was made anew */
	uint64_t tick;
	int error; /* -errno of the last look; the list is then as before */
};

/* Shared by all samplers of env; each that opens it closes it. */
struct online_cpus *online_cpus_open(struct env *env);
void online_cpus_close(struct online_cpus *online);

/* Looks them up, once per tick. 0, or -errno when it is not known which there are. */
int online_cpus_update(struct online_cpus *online);

#endif
