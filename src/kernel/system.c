/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers of /proc/loadavg, /proc/uptime and the totals of /proc/stat. */
#include <config.h>

#include "kernel/system.h"

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

	*totals = (struct stat_totals){
		.cpus = U64_UNKNOWN,
		.context_switches = U64_UNKNOWN,
		.interrupts = U64_UNKNOWN,
		.forks = U64_UNKNOWN,
		.running = U64_UNKNOWN,
		.blocked = U64_UNKNOWN,
	};
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
