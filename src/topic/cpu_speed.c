/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The present speed of a CPU. */
#include <config.h>

#include "topic/cpu_speed.h"

#include <math.h>
#include <stdio.h>

double cpu_speed_read(struct env *env, struct env_file **file, unsigned cpu)
{
	struct span text;
	uint64_t kilohertz;
	char path[96];

	if (!*file) {
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);
		*file = env_file(env, path);
	}
	if (env_read(env, *file, &text) < 0 || !span_u64(&text, &kilohertz))
		return NAN;
	return (double)kilohertz * 1e3;
}
