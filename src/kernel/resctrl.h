/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of resctrl: the parts of caches and of memory bandwidth that groups get, and what they use. */
#ifndef PANETOP_KERNEL_RESCTRL_H
#define PANETOP_KERNEL_RESCTRL_H

#include "core/span.h"

enum resctrl_resource {
	RESCTRL_OTHER,
	RESCTRL_L2,
	RESCTRL_L2_DATA, /* with code and data prioritization (CDP) */
	RESCTRL_L2_CODE,
	RESCTRL_L3,
	RESCTRL_L3_DATA,
	RESCTRL_L3_CODE,
	RESCTRL_BANDWIDTH, /* of memory; its domains are those of L3 */
};

/* What a group gets in one domain, a line of schemata or size having those of all domains. */
struct resctrl_share {
	enum resctrl_resource resource;
	uint64_t domain;   /* id of the cache */
	struct span value; /* without blanks around it */
};

/* What is left of such a file: begin with its text in rest. */
struct resctrl_shares {
	struct span rest, line;
	enum resctrl_resource resource; /* of line */
};

/* The next share; skips malformed ones. */
bool resctrl_share_next(struct resctrl_shares *shares, struct resctrl_share *share);

/* A bit mask of ways, in hexadecimal; false: it is not one. */
bool resctrl_mask(struct span text, uint64_t *mask);

enum resctrl_reading {
	RESCTRL_COUNTED,
	RESCTRL_UNAVAILABLE, /* the hardware has no value at present */
	RESCTRL_UNASSIGNED,  /* no hardware counter is assigned to the group */
	RESCTRL_ERROR,       /* the kernel could not read it, or it is not a number */
};

/* What a file in mon_data says; *value is U64_UNKNOWN unless it is counted. */
enum resctrl_reading resctrl_count(struct span text, uint64_t *value);

/* The id of "mon_L3_00" with the prefix "mon_L3_"; false: it is another name. */
bool resctrl_domain(struct span name, const char *prefix, uint64_t *id);

/*
 * The groups of a thread, of the text of cpu_resctrl_groups: its control group, "/" for the default one, and
 * its monitoring group, empty if it is in none. False where resctrl is not mounted.
 */
bool resctrl_groups(struct span text, struct span *control, struct span *monitoring);

#endif
