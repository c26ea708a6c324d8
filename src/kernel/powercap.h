/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sys/class/powercap: names of zones, and the growth of energy counters that wrap. */
#ifndef PANETOP_KERNEL_POWERCAP_H
#define PANETOP_KERNEL_POWERCAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

/* "intel-rapl:0:1" is zone 1 of zone 0 of the control type intel-rapl, also on AMD processors. */
struct powercap_zone {
	struct span control; /* "intel-rapl" */
	struct span parent;  /* "intel-rapl:0"; empty: a top-level zone */
};

/* False for other names, such as the control type itself. */
bool powercap_zone_parse(struct span name, struct powercap_zone *zone);

/*
 * Preference among control types with the same zones: the lowest is read. msr (0) is on every machine, tpmi
 * (1) is newer, mmio (2) is another way to the same counters; 3: not RAPL.
 */
unsigned powercap_rank(struct span control);

/* The part of the machine that a zone measures, by the zone's name. */
enum powercap_part {
	POWERCAP_PACKAGE,  /* "package-0", "package-1-die-0" */
	POWERCAP_DRAM,     /* not included in its package */
	POWERCAP_PLATFORM, /* "psys": the whole machine */
	POWERCAP_OTHER,    /* "core", "uncore": included in its package */
};
enum powercap_part powercap_part(struct span name);

/*
 * The growth of an energy counter in an interval. A smaller value means that it passed its maximum range_uj
 * once and wrapped to 0, or was reset: a growth that needs more than most_watts was a reset.
 */
struct energy_step {
	uint64_t grown_uj; /* U64_UNKNOWN: it was reset, or it wrapped and range_uj is unknown */
	bool wrapped;
	bool may_have_wrapped; /* unnoticed: at most_watts it could have passed range_uj */
};
struct energy_step energy_step(uint64_t before_uj, uint64_t now_uj, uint64_t range_uj, double seconds,
			       double most_watts);

#endif
