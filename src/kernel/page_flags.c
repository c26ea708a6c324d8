/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the bits of /proc/kpageflags, as in include/uapi/linux/kernel-page-flags.h of Linux. */
#include <config.h>

#include "kernel/page_flags.h"

#include <stdio.h>

#define LONGEST 16 /* name, blank, NUL */

static const char *const names[] = {
	"locked",     "error",     "referenced", "uptodate", "dirty",       "lru",      "active",
	"slab",       "writeback", "reclaim",    "buddy",    "mmap",        "anon",     "swapcache",
	"swapbacked", "head",      "tail",       "huge",     "unevictable", "hwpoison", "nopage",
	"ksm",        "thp",       "offline",    "zero",     "idle",        "pgtable",
};

char *page_flags_text(char *out, uint64_t flags)
{
	int used = 0;

	out[0] = '\0';
	for (unsigned bit = 0; bit < 64 && used < PAGE_FLAGS_TEXT_MAX - LONGEST; bit++) {
		size_t room = PAGE_FLAGS_TEXT_MAX - (size_t)used;

		if (!(flags >> bit & 1))
			continue;
		if (bit < sizeof(names) / sizeof(names[0]))
			used += snprintf(out + used, room, "%s%s", used > 0 ? " " : "", names[bit]);
		else
			used += snprintf(out + used, room, "%sbit%u", used > 0 ? " " : "", bit);
	}
	return out;
}
