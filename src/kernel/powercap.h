/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sys/class/powercap: names of zones, and what a counter of energy grew by that starts again at 0. */
#ifndef PANETOP_KERNEL_POWERCAP_H
#define PANETOP_KERNEL_POWERCAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

/* "intel-rapl:0:1" is zone 1 of zone 0 of the control type intel-rapl, which AMD's processors use too. */
struct powercap_zone {
	struct span control; /* "intel-rapl" */
	struct span parent;  /* "intel-rapl:0"; empty for a zone that stands alone */
};

/* False for what is no zone, such as the control type itself. */
bool powercap_zone_parse(struct span name, struct powercap_zone *zone);

/*
 * Which control type of several that tell of the same zones is read: the lowest. Those of msr (0) are on
 * every machine, tpmi (1) is newer, mmio (2) is another way to the same counters; 3 is none of RAPL.
 */
unsigned powercap_rank(struct span control);

/* Parts of a machine that zones stand for, by the zone's name alone. */
enum powercap_part {
	POWERCAP_PACKAGE,  /* "package-0", "package-1-die-0" */
	POWERCAP_DRAM,     /* beside its package, not in it */
	POWERCAP_PLATFORM, /* "psys": all of the machine */
	POWERCAP_OTHER,    /* "core", "uncore": in its package */
};
enum powercap_part powercap_part(struct span name);

/*
 * What an energy counter says of an interval. Smaller than before it has either passed its greatest value
 * range_uj once and started again at 0, or it was reset: what would take more than most_watts was a reset.
 */
struct energy_step {
	uint64_t grown_uj; /* U64_UNKNOWN: it was reset, or range_uj would be needed and is not known */
	bool wrapped;
	bool may_have_wrapped; /* most_watts for so long would have passed range_uj: it may have wrapped unseen */
};
struct energy_step energy_step(uint64_t before_uj, uint64_t now_uj, uint64_t range_uj, double seconds,
			       double most_watts);

#endif
