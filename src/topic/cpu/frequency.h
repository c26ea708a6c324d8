/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast each CPU runs, read once per tick for all topics that show it. */
#ifndef PANETOP_TOPIC_CPU_FREQUENCY_H
#define PANETOP_TOPIC_CPU_FREQUENCY_H

#include "sys/attribute.h"
#include "topic/cpu/online_cpus.h"

#define CPUFREQ "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"

/* In hertz; NaN: not known. */
struct cpu_frequency {
	uint32_t cpu;
	struct attribute now_file, low_file, high_file;
	double now, low, high; /* low and high: between which it may run at the moment */
	double least, most;    /* what the hardware can do; with turbo, where there is one */
	double base;           /* without turbo */
};

struct frequencies {
	struct env *env; /* borrowed */
	struct online_cpus *online;
	unsigned long seen;         /* its generation of which cpus were made */
	struct cpu_frequency *cpus; /* those that are online, ascending */
	size_t n_cpus;
	bool by_cpuinfo; /* cpufreq does not tell, /proc/cpuinfo does */
	uint64_t tick;
};

/* Shared by all samplers of env; each that opens it closes it. */
struct frequencies *frequency_open(struct env *env);
void frequency_close(struct frequencies *frequencies);

/* Reads them, once per tick. 0, or -errno when it is not known which CPUs there are. */
int frequency_update(struct frequencies *frequencies);

/* Of one CPU in this tick; NaN. Reads no more than that, where nobody had all of them read. */
double frequency_hertz(struct frequencies *frequencies, uint64_t cpu);

/* Of this CPU; NULL when it is not online. */
const struct cpu_frequency *frequency_find(const struct frequencies *frequencies, uint64_t cpu);

#endif
