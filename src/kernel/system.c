/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The load of the machine, times of its CPUs, its interrupts, and what is waited for. */
#include <config.h>

#include "kernel/system.h"

#include <string.h>

bool loadavg_parse(struct span text, struct loadavg *loadavg)
{
	struct loadavg parsed;
	uint64_t running;

	if (!span_f64(&text, &parsed.load1) || !span_f64(&text, &parsed.load5) ||
	    !span_f64(&text, &parsed.load15) || !span_u64(&text, &running) ||
	    !span_char(&text, '/') || !span_u64(&text, &parsed.threads))
		return false;
	if (!span_u64(&text, &parsed.last_pid))
		parsed.last_pid = U64_UNKNOWN;
	*loadavg = parsed;
	return true;
}

bool uptime_parse(struct span text, double *seconds)
{
	return span_f64(&text, seconds);
}

void stat_totals_parse(struct span text, struct stat_totals *totals)
{
	struct span line, name, rest;
	uint64_t value, cpus = 0;

	memset(totals, 0xff, sizeof(*totals)); /* all U64_UNKNOWN */
	while (span_line(&text, &line)) {
		if (!span_pair_u64(line, &name, &value, &rest))
			continue;
		if (span_starts(name, "cpu") && span_length(name) > 3)
			cpus++;
		else if (span_is(name, "ctxt"))
			totals->context_switches = value;
		else if (span_is(name, "intr"))
			totals->interrupts = value;
		else if (span_is(name, "processes"))
			totals->forks = value;
		else if (span_is(name, "procs_running"))
			totals->running = value;
		else if (span_is(name, "procs_blocked"))
			totals->blocked = value;
	}
	if (cpus > 0)
		totals->cpus = cpus;
}

bool cpu_list_next(struct span *list, uint32_t *first, uint32_t *last)
{
	struct span rest = *list;
	uint64_t from, to;

	if (!span_u64(&rest, &from))
		return false;
	to = from;
	if (span_char(&rest, '-') && !span_u64(&rest, &to))
		return false;
	if (from > to || to >= CPU_LIST_MAX)
		return false;
	span_char(&rest, ',');
	*list = rest;
	*first = (uint32_t)from;
	*last = (uint32_t)to;
	return true;
}

bool cpu_list_has(struct span list, uint32_t cpu)
{
	uint32_t first, last;

	while (cpu_list_next(&list, &first, &last))
		if (cpu >= first && cpu <= last)
			return true;
	return false;
}

static bool parse_cpu_name(struct span name, uint64_t *cpu)
{
	if (!span_take_start(&name, "cpu"))
		return false;
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

		if (!span_word(&line, &name) || !parse_cpu_name(name, &times->cpu))
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
static bool split_cpuinfo(struct span line, struct span *name, struct span *value)
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
		if (!split_cpuinfo(line, &name, &value))
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

bool interrupt_cpu_next(struct span *heading, uint32_t *cpu)
{
	struct span rest = *heading, word;
	uint64_t number;

	if (!span_word(&rest, &word) || !span_take_start(&word, "CPU") ||
	    !span_is_u64(word, &number) || number >= CPU_LIST_MAX)
		return false;
	*heading = rest;
	*cpu = (uint32_t)number;
	return true;
}

bool interrupt_next(struct span *text, struct interrupt_line *line)
{
	struct span rest;

	while (span_line(text, &rest)) {
		if (!span_word(&rest, &line->label) || span_length(line->label) < 2 ||
		    line->label.end[-1] != ':')
			continue;
		line->label.end--;
		line->counts = rest;
		return true;
	}
	return false;
}

/* With several names, "eth0, usb1", the last word but one is the first of them. */
struct span interrupt_name(const struct interrupt_line *line)
{
	struct span rest = line->counts, word, name = line->label;

	if (*line->label.at < '0' || *line->label.at > '9')
		return line->label;
	while (span_word(&rest, &word)) {
		bool goes_on = name.end > name.at && name.end[-1] == ',' && name.at != line->label.at;

		name = (struct span){ .at = goes_on ? name.at : word.at, .end = word.end };
	}
	return name;
}

static bool named(struct span *rest, const char *name, struct span *value)
{
	struct span word, key;

	if (!span_word(rest, &word) || !span_until(&word, '=', &key) || !span_is(key, name))
		return false;
	*value = word;
	return true;
}

static bool named_f64(struct span *rest, const char *name, double *number)
{
	struct span value;

	return named(rest, name, &value) && span_f64(&value, number);
}

bool pressure_next(struct span *text, struct pressure_line *line)
{
	struct span row, value;

	while (span_line(text, &row)) {
		if (span_word(&row, &line->kind) && named_f64(&row, "avg10", &line->avg10) &&
		    named_f64(&row, "avg60", &line->avg60) && named_f64(&row, "avg300", &line->avg300) &&
		    named(&row, "total", &value) && span_u64(&value, &line->total_us))
			return true;
	}
	return false;
}
