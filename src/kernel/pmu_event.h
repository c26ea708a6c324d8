/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sys/bus/event_source/devices/PMU/events: the config of an event, and the scale of its counts. */
#ifndef PANETOP_KERNEL_PMU_EVENT_H
#define PANETOP_KERNEL_PMU_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

/* "event=0x02": the number. False when there are other terms, or it is malformed. */
bool pmu_event_parse(struct span text, uint64_t *event);

/* "2.3283064365386962890625e-10": units per count. False unless it is a positive number. */
bool pmu_scale_parse(struct span text, double *scale);

#endif
