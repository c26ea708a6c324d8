/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For samplers: the present speed of a CPU as cpufreq tells it. */
#ifndef PANETOP_TOPIC_CPU_SPEED_H
#define PANETOP_TOPIC_CPU_SPEED_H

#include "core/env.h"

/* In hertz; NaN where there is no cpufreq. *file is NULL at first, and then keeps the look-up. */
double cpu_speed_read(struct env *env, struct env_file **file, unsigned cpu);

#endif
