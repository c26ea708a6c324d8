/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What raising and giving up share: the sets of this thread, and becoming another user. */
#ifndef PANETOP_SYS_PRIVILEGE_SETS_H
#define PANETOP_SYS_PRIVILEGE_SETS_H

#include "sys/privilege.h"

/* capget(2), capset(2): 0 or -errno. */
int privilege_read_sets(struct privilege_sets *sets);
int privilege_write_sets(const struct privilege_sets *sets);

/*
 * User and group, real, effective and saved, permitted capabilities kept; with groups set to this one
 * alone, or left. Each is read back. 0 or -errno.
 */
int privilege_become(uid_t user, gid_t group, bool set_groups);

/* With nothing effective and without user 0: from here on capabilities are raised. */
void privilege_user_is_ordinary(void);

/* Of the capabilities of these uses those that are effective all the time. */
uint64_t privilege_held(uint64_t uses);

#endif
