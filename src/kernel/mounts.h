/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/mounts: where file systems of a type are mounted. */
#ifndef PANETOP_KERNEL_MOUNTS_H
#define PANETOP_KERNEL_MOUNTS_H

#include <stdbool.h>

#include "core/span.h"

/* The directory of the first mount of this type, with "\040" for blanks. False when there is none. */
bool mounts_find(struct span text, const char *type, struct span *directory);

/*
 * The value of an option, "2" for "hidepid=2", of the topmost mount of this type at directory. False without
 * such a mount or option.
 */
bool mounts_option(struct span text, const char *type, const char *directory, const char *option,
		   struct span *value);

#endif
