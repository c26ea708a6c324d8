/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of proc and sys for which more than the kernel answers: lxcfs gives containers a /proc/meminfo of
 * their own, drivers of graphics cards ask these. Who reads such a file may wait for ever, so a helper does.
 */
#ifndef PANETOP_SYS_SERVED_H
#define PANETOP_SYS_SERVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/root.h"

#define SERVED_BY_DRIVER UINT64_MAX /* only its bytes are slow: the kernel knows what there is */

/* Places below proc, sys and etc of a root where something is mounted. All zero: no server. */
struct served {
	struct served_place {
		char *path; /* relative to the root; "" is the root itself */
		bool by_server;
		uint64_t device; /* as in mountinfo: its mounts hang together; or SERVED_BY_DRIVER */
	} *places;
	size_t n_places, capacity;
};

void served_add(struct served *served, const char *path, bool by_server, uint64_t device);
void served_free(struct served *served);

/* Is path place, or below it? */
bool served_is_in(const char *path, const char *place);

bool served_has(const struct served *served, const char *path);
bool served_by_server(const struct served *served, const char *path); /* not by a driver */

/*
 * The bytes of a file, or with names the names in a directory, each with a NUL: a descriptor, or -errno.
 * -ETIMEDOUT and -EBUSY: its server does not answer.
 */
int served_open(const struct served *served, const struct root *root, const char *path, bool names);

/* The same of any file: where one of this thing hangs, others are not read. */
int served_open_thing(const struct root *root, const char *path, bool names, uint64_t thing);

#endif
