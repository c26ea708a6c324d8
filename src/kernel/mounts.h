/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/mounts: where a file system of some type is mounted. */
#ifndef PANETOP_KERNEL_MOUNTS_H
#define PANETOP_KERNEL_MOUNTS_H

#include <stdbool.h>

#include "core/span.h"

/* The directory of the first mount of this type, blanks in it are "\040". False when there is none. */
bool mounts_find(struct span text, const char *type, struct span *directory);

/*
 * The value of an option, as "2" of "hidepid=2", of the mount of this type that lies on top at directory.
 * False when there is no such mount, or it has no such option.
 */
bool mounts_option(struct span text, const char *type, const char *directory, const char *option,
		   struct span *value);

#endif
