/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What NVIDIA's library says of devices and their processes, asked by a helper, since it may block. */
#ifndef PANETOP_TOPIC_GPU_NVIDIA_H
#define PANETOP_TOPIC_GPU_NVIDIA_H

#include "core/i18n.h"
#include "topic/gpu/nvml_library.h"
#include "topic/process/process_list.h"

#define NVIDIA_NO_LIBRARY N_("install the library that belongs to the driver, in Debian libnvidia-ml1")

/* A process on a device. */
struct nvidia_user {
	uint32_t pid;
	uint64_t start_ticks;
	char device[GPU_NAME_MAX];
	uint64_t answer;       /* number of the last answer that had it */
	uint64_t memory_bytes; /* U64_UNKNOWN */
	bool knows_ratios;
	double busy_seconds[N_NVIDIA_ENGINES]; /* since it was first seen … */
	double busiest_seconds;                /* … and of the busiest one of each interval */
	int busiest;                           /* of the last interval; -1: none */
};

struct nvidia {
	struct env *env;
	struct process_list *processes;
	bool present;       /* the driver is loaded … */
	uint64_t look_tick; /* … as it was seen last; ENV_NEVER */
	struct nvidia_name {
		char name[GPU_NAME_MAX];
		bool asleep;
	} * names; /* its devices, sorted; owned */
	size_t n_names, name_capacity;
	struct nvidia_poll *poll;
	struct nvidia_answer *last; /* owned; NULL: none yet */
	uint64_t n_answers;
	uint64_t read_ns;          /* when the last one was begun; 0: none */
	double seconds;            /* between the last two answers; NaN */
	int error;                 /* 0; -ELIBACC: no library; or an enum nvml_result */
	bool asleep, resting;      /* a device sleeps, or is left alone so that it may: nothing is asked */
	uint64_t rest_until;       /* a tick */
	unsigned n_idle;           /* answers in a row without anything in use */
	uint64_t credited;         /* number of the last answer that is in users */
	struct nvidia_user *users; /* owned */
	size_t n_users, capacity;
};

/* Where there is no such driver, it is looked for in every 16th tick. */
extern const struct reader nvidia_reader;

/* What is known of the device now; NULL: it is not in the last answer, that is too old, or nothing is asked.
 */
const struct nvidia_device *nvidia_find(const struct nvidia *nvidia, const char *name);

/* Adds what the last answer says to the sums of the processes. */
void nvidia_update_users(struct nvidia *nvidia, const struct sample *sample);

/* Why nothing is known, translated, and *remedy; NULL: something is, or there is no such device. */
const char *nvidia_trouble(const struct nvidia *nvidia, const char **remedy);

extern const char *const nvidia_engine_names[N_NVIDIA_ENGINES];

/* For --probe: 0, -ENOENT without the driver, or why its library cannot be asked. */
int nvidia_test(struct env *env);

#endif
