/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's wakeup sources: devices and parts of the kernel that may wake up the machine, or keep it
 * awake. */
#ifndef PANETOP_TOPIC_SLEEP_WAKE_SOURCE_H
#define PANETOP_TOPIC_SLEEP_WAKE_SOURCE_H

#include "sys/env.h"

#define WAKE_SOURCES "sys/class/wakeup"

/*
 * Calls each for every one of them, with the name of its directory; 0 or -errno, -ENOENT also before
 * Linux 5.4.
 */
int wake_sources_each(struct env *env, void (*each)(void *context, const char *directory), void *context);

/* Are there some? 0 or -ENOENT, for --probe. */
int wake_sources_test(struct env *env);

/* Its name, or that of its directory where it has none. NULL: it is gone. bytes have room for an attribute.
 */
const char *wake_source_name(struct env *env, const char *directory, char *bytes, size_t room);

/* What people call the device, N_(), by its name or its identifier of ACPI; "": that is not known. */
const char *wake_source_device(struct env *env, const char *directory, const char *name);

/* One of its numbers; U64_UNKNOWN. */
uint64_t wake_source_number(struct env *env, const char *directory, const char *attribute);

/*
 * When it last had an event, or began or ended to keep the machine awake, by our CLOCK_MONOTONIC to a
 * millisecond; U64_UNKNOWN: never.
 */
uint64_t wake_source_changed_ns(struct env *env, const char *directory);

#endif
