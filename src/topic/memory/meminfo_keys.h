/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the lines of /proc/meminfo mean. */
#ifndef PANETOP_TOPIC_MEMORY_MEMINFO_KEYS_H
#define PANETOP_TOPIC_MEMORY_MEMINFO_KEYS_H

#include "core/span.h"

struct meminfo_key {
	const char *key;
	const char *part_of; /* the keys that contain it; NULL: none does */
	const char *meaning; /* N_() */
};

/* NULL for a key that is not known here (a newer kernel). */
const struct meminfo_key *meminfo_key(struct span key);

#endif
