/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU frequencies, read once per tick for all topics. */
#ifndef PANETOP_TOPIC_CPU_FREQUENCY_H
#define PANETOP_TOPIC_CPU_FREQUENCY_H

#include "sys/attribute.h"
#include "topic/cpu/proc_stat.h"

#define CPUFREQ "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"

/* In Hz; NaN: not known. */
struct cpu_frequency {
	uint32_t cpu;
	struct attribute now_file, low_file, high_file;
	double now, low, high; /* low and high: the range allowed now */
	double least, most;    /* of the hardware, with turbo */
	double base;           /* without turbo */
};

struct frequencies {
	struct env *env; /* borrowed */
	struct online_cpus *online;
	unsigned long seen;         /* generation of online that cpus were made from */
	struct cpu_frequency *cpus; /* online ones, ascending */
	size_t n_cpus;
	bool by_cpuinfo; /* from /proc/cpuinfo, as there is no cpufreq */
	uint64_t tick;
};

/* Reads all frequencies. Fails when the online CPUs are not known. */
extern const struct reader frequency_reader;

/* The frequency of one CPU in this tick; NaN. Reads only that one, unless all were read already. */
double frequency_hertz(struct frequencies *frequencies, const struct sample *sample, uint64_t cpu);

/* NULL: this CPU is not online. */
const struct cpu_frequency *frequency_find(const struct frequencies *frequencies, uint64_t cpu);

#endif
