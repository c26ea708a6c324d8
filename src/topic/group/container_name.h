/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of containers, from the files in which their engines keep them. */
#ifndef PANETOP_TOPIC_GROUP_CONTAINER_NAME_H
#define PANETOP_TOPIC_GROUP_CONTAINER_NAME_H

#include <stdbool.h>

#include "kernel/cgroup.h"
#include "sys/machine.h"

struct container_name {
	char name[CGROUP_NAME_MAX];
	char pod[CGROUP_NAME_MAX]; /* "namespace/name" of its pod; empty: none */
};

/* False: no engine names it, or its files may not be read. */
bool container_name_find(const struct root *root, enum container_engine engine, const char *id,
			 struct container_name *name);

/* From the text that Docker keeps of a container, or that a runtime got for it. */
bool container_name_parse(const char *text, size_t length, struct container_name *name);

#endif
