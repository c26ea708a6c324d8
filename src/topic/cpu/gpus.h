/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GPU frequencies from the drivers i915, xe and amdgpu. A suspended GPU is not woken. */
#ifndef PANETOP_TOPIC_CPU_GPUS_H
#define PANETOP_TOPIC_CPU_GPUS_H

#include "sys/attribute.h"
#include "sys/listing.h"

struct gpu {
	char name[32]; /* "card0" */
	double scale;  /* Hz per unit of its files */
	struct attribute runtime, now_file, low_file, high_file;
	double now, low, high; /* Hz; NaN: not known, or suspended */
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
