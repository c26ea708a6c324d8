/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sys/bus/event_source/devices/PMU/events: how an event is asked for, and what one count of it is. */
#ifndef PANETOP_KERNEL_PMU_EVENT_H
#define PANETOP_KERNEL_PMU_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

/* "event=0x02": the number. False when it takes more than an event, or is none. */
bool pmu_event_parse(struct span text, uint64_t *event);

/* "2.3283064365386962890625e-10": how much of its unit a count is. False when it is no positive number. */
bool pmu_scale_parse(struct span text, double *scale);

#endif
