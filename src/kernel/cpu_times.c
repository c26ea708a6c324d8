/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of the CPU lines of /proc/stat and of the speeds in /proc/cpuinfo. */
#include <config.h>

#include "kernel/cpu_times.h"

static bool parse_name(struct span name, uint64_t *cpu)
{
	if (!span_starts(name, "cpu"))
		return false;
	name.at += 3;
	*cpu = CPU_ALL;
	return name.at == name.end || span_is_u64(name, cpu);
}

bool cpu_times_next(struct span *text, struct cpu_times *times)
{
	struct span line, name;

	while (span_line(text, &line)) {
		uint64_t *const fields[] = { &times->user,    &times->nice, &times->system, &times->idle,
					     &times->iowait,  &times->irq,  &times->softirq, &times->steal,
					     &times->guest,   &times->guest_nice };
		bool whole = true;

		if (!span_word(&line, &name) || !parse_name(name, &times->cpu))
			continue;
		for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
			whole = whole && span_u64(&line, fields[i]);
			if (!whole)
				*fields[i] = U64_UNKNOWN;
		}
		if (times->idle != U64_UNKNOWN)
			return true;
	}
	return false;
}

/* user and nice include guests */
double cpu_times_busy(const struct cpu_times *times)
{
	const uint64_t parts[] = { times->user, times->nice,    times->system,
				   times->irq,  times->softirq, times->steal };
	double sum = 0;

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sum += parts[i] == U64_UNKNOWN ? 0 : (double)parts[i];
	return sum;
}

bool cpu_times_measures_interrupts(const struct cpu_times *times)
{
#if defined(__powerpc__) || defined(__s390__)
	(void)times;
	return false;
#else
	return times->irq != U64_UNKNOWN && times->irq > 0;
#endif
}

/* "name	: value"; the name without trailing blanks. */
static bool split(struct span line, struct span *name, struct span *value)
{
	if (!span_until(&line, ':', name))
		return false;
	while (name->end > name->at && (name->end[-1] == ' ' || name->end[-1] == '\t'))
		name->end--;
	*value = line;
	return true;
}

bool cpuinfo_next_speed(struct span *text, uint64_t *cpu, double *hertz)
{
	struct span line, name, value;
	uint64_t number = U64_UNKNOWN;
	double megahertz;

	while (span_line(text, &line)) {
		if (!split(line, &name, &value))
			continue;
		if (span_is(name, "processor") && !span_u64(&value, &number))
			number = U64_UNKNOWN;
		if (!span_is(name, "cpu MHz") || number == U64_UNKNOWN || !span_f64(&value, &megahertz))
			continue;
		*cpu = number;
		*hertz = megahertz * 1e6;
		return true;
	}
	return false;
}

bool cpuinfo_is_virtual(struct span text)
{
	struct span line, key, word;

	while (span_line(&text, &line))
		if (span_starts(line, "flags") && span_until(&line, ':', &key))
			while (span_word(&line, &word))
				if (span_is(word, "hypervisor"))
					return true;
	return false;
}
