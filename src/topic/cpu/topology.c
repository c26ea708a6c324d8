/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The topology of the CPUs, as sys tells it. */
#include <config.h>

#include "topic/cpu/topology.h"

#include <stdio.h>

#include "sys/attribute.h"

long topology_read(struct env *env, uint32_t cpu, const char *name)
{
	char path[128];
	uint64_t number;

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);
	return attribute_once_u64(env, path, &number) < 0 || number > INT16_MAX ? -1 : (long)number;
}
