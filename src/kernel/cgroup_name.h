/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the path of a control group says about it: a unit, a container, a pod, and its name. */
#ifndef PANETOP_KERNEL_CGROUP_NAME_H
#define PANETOP_KERNEL_CGROUP_NAME_H

#include "core/span.h"

enum cgroup_kind {
	CGROUP_GROUP,
	CGROUP_UNIT, /* of systemd, other than slices and scopes */
	CGROUP_SLICE,
	CGROUP_SCOPE,
	CGROUP_CONTAINER,
	CGROUP_POD,
};

enum container_engine {
	ENGINE_UNKNOWN,
	ENGINE_DOCKER,
	ENGINE_PODMAN,
	ENGINE_CONTAINERD,
	ENGINE_CRIO,
};

#define CGROUP_NAME_MAX 256
#define CONTAINER_ID_LENGTH 64 /* hexadecimal digits */

struct cgroup_name {
	enum cgroup_kind kind;
	enum container_engine engine; /* of a container with an id */
	struct span id; /* within the path: of a container its digits, of a pod its uid; else empty */
	char name[CGROUP_NAME_MAX]; /* unit names without escapes; ids as 12 digits */
};

/* Reads the last part of a path: "/system.slice/docker-4f….scope". */
void cgroup_name_parse(struct span path, struct cgroup_name *name);

/* "unit", "slice", "scope", "container", "pod", "group"; marked with N_(). */
const char *cgroup_kind_name(enum cgroup_kind kind);

#endif
