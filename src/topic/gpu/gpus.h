/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The graphics cards of the machine, and what drivers say of them in sysfs. A sleeping card is not woken. */
#ifndef PANETOP_TOPIC_GPU_GPUS_H
#define PANETOP_TOPIC_GPU_GPUS_H

#include "sys/attribute.h"
#include "topic/reader.h"

#define GPU_NAME_MAX 64

/* Files of one card. */
enum gpu_file {
	GPU_FREQUENCY,
	GPU_FREQUENCY_LOW,
	GPU_FREQUENCY_HIGH,
	GPU_BUSY,
	GPU_MEMORY_USED,
	GPU_MEMORY_TOTAL,
	GPU_SYSTEM_USED, /* memory of the machine that it uses */
	N_GPU_FILES,
};

struct gpu {
	char card[32];           /* "card0" */
	char name[GPU_NAME_MAX]; /* of its device: "0000:03:00.0", which stays from boot to boot */
	char driver[32];         /* empty: not known */
	char render[32];         /* "renderD128"; empty: it only displays */
	double hertz;            /* per unit of its files of frequencies; 0: it has none */
	struct attribute runtime, files[N_GPU_FILES];
	bool asleep; /* in this tick: its files are not read */
};

struct gpus {
	struct env *env; /* borrowed */
	struct listing cards;
	uint64_t tick; /* when they were listed last; ENV_NEVER */
	struct gpu *list;
	size_t count, capacity;
};

/* Where the machine has no card, it is looked for again every 16 ticks only. */
extern const struct reader gpus_reader;

/* NULL: no card has this name, is called so in /dev/dri, or has this node for rendering. */
const struct gpu *gpus_find(const struct gpus *gpus, struct span name);

/* Does it have NVIDIA's own driver, which counts nothing for its clients? */
bool gpu_is_of_nvidia(const struct gpu *gpu);

/* A number from one of its files, times scale; NaN: not known, or it sleeps. */
double gpu_read(struct gpus *gpus, struct gpu *gpu, enum gpu_file file, double scale);
uint64_t gpu_read_bytes(struct gpus *gpus, struct gpu *gpu, enum gpu_file file); /* U64_UNKNOWN */

#endif
