/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /etc/passwd: names of users. No file of the kernel, but read like one, below the root that was chosen. */
#ifndef PANETOP_KERNEL_PASSWD_H
#define PANETOP_KERNEL_PASSWD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

/* The name of the first entry with this number, a part of text; false when there is none. */
bool passwd_find(struct span text, uint32_t uid, struct span *name);

/* The number of the user with this name; false when there is none. */
bool passwd_number(struct span text, struct span name, uint32_t *uid);

#endif
