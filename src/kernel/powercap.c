/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of power zones, and the arithmetic of their counters. */
#include <config.h>

#include "kernel/powercap.h"

#include <string.h>

static bool is_number(struct span text)
{
	uint64_t number;

	return span_length(text) > 0 && *text.at != ' ' && *text.at != '\t' && span_u64(&text, &number) &&
	       text.at == text.end;
}

bool powercap_zone_parse(struct span name, struct powercap_zone *zone)
{
	struct span rest = name, part, control;
	const char *last;

	if (!span_until(&rest, ':', &control) || span_length(control) == 0)
		return false;
	last = rest.at - 1;
	for (struct span left = rest; span_until(&left, ':', &part); rest = left) {
		if (!is_number(part))
			return false;
		last = left.at - 1;
	}
	if (!is_number(rest))
		return false;
	zone->control = control;
	zone->parent =
		last > control.end ? (struct span){ name.at, last } : (struct span){ name.at, name.at };
	return true;
}

unsigned powercap_rank(struct span control)
{
	if (span_is(control, "intel-rapl"))
		return 0;
	if (span_is(control, "intel-rapl-tpmi"))
		return 1;
	return span_starts(control, "intel-rapl") ? 2 : 3;
}

enum powercap_part powercap_part(struct span name)
{
	if (span_starts(name, "package"))
		return POWERCAP_PACKAGE;
	if (span_is(name, "dram"))
		return POWERCAP_DRAM;
	return span_starts(name, "psys") ? POWERCAP_PLATFORM : POWERCAP_OTHER;
}

struct energy_step energy_step(uint64_t before_uj, uint64_t now_uj, uint64_t range_uj, double seconds,
			       double most_watts)
{
	double most_uj = most_watts * seconds * 1e6;
	bool has_range = range_uj != U64_UNKNOWN && range_uj > 0;
	struct energy_step step = { .may_have_wrapped = has_range && most_uj >= (double)range_uj };

	if (now_uj >= before_uj) {
		step.grown_uj = now_uj - before_uj;
		return step;
	}
	step.grown_uj = U64_UNKNOWN;
	if (!has_range || before_uj > range_uj)
		return step;
	step.wrapped = (double)(range_uj - before_uj) + (double)now_uj <= most_uj;
	if (step.wrapped)
		step.grown_uj = range_uj - before_uj + now_uj;
	return step;
}
