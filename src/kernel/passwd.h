/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /etc/passwd: user names. Not a file of the kernel, but read like one, below the chosen root. */
#ifndef PANETOP_KERNEL_PASSWD_H
#define PANETOP_KERNEL_PASSWD_H

#include "core/span.h"

/* The name of the first entry with this UID, a part of text; false when there is none. */
bool passwd_find(struct span text, uint32_t uid, struct span *name);

/* The UID of the user with this name; false when there is none. */
bool passwd_number(struct span text, struct span name, uint32_t *uid);

#endif
