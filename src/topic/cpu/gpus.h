/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast graphics processors run, where their driver tells: i915, xe, amdgpu. One that sleeps is let sleep.
 */
#ifndef PANETOP_TOPIC_CPU_GPUS_H
#define PANETOP_TOPIC_CPU_GPUS_H

#include "sys/attribute.h"
#include "sys/listing.h"

struct gpu {
	char name[32]; /* "card0" */
	double scale;  /* hertz of what its files count in */
	struct attribute runtime, now_file, low_file, high_file;
	double now, low, high; /* hertz; NaN: not known, or asleep */
};

struct gpus {
	struct listing cards;
	struct gpu *list;
	size_t count, capacity;
};

void gpus_open(struct gpus *gpus);
void gpus_close(struct gpus *gpus, struct env *env);
void gpus_update(struct gpus *gpus, struct env *env);

#endif
