/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libpfm4, loaded when somebody names events: its tables of all processors weigh two megabytes. */
#ifndef PANETOP_TOPIC_COUNTER_PFM_H
#define PANETOP_TOPIC_COUNTER_PFM_H

#include <stdbool.h>

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

/* The functions of pfmlib(3) that we call; their texts last as long as the program. */
struct pfm {
	pfm_err_t (*initialize)(void);
	void (*terminate)(void);
	pfm_err_t (*encode)(const char *name, int levels, pfm_os_t os, void *arguments);
	const char *(*strerror)(int code);
	pfm_err_t (*pmu_info)(pfm_pmu_t pmu, pfm_pmu_info_t *info);
};

/* False where the library is not installed. */
bool pfm_load(struct pfm *pfm);

#endif
