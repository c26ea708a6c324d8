/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of control groups of version 2 by the numbers that programs in the kernel have for them. */
#ifndef PANETOP_SYS_CGROUP_PATH_H
#define PANETOP_SYS_CGROUP_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The path of the group with this number below mount, a descriptor of the directory where they are mounted;
 * "/": the top. False: it is gone, or the kernel is older than Linux 5.5, or a right is missing.
 */
bool cgroup_path_by_number(int mount, uint64_t number, char *path, size_t room);

#endif
