/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory for each wakeup source, of which every file has one value. */
#include <config.h>

#include "topic/sleep/wake_list.h"

#include <errno.h>
#include <stdio.h>

#include "core/unknown.h"
#include "sys/attribute.h"
#include "sys/listing.h"
#include "topic/kernel_clock.h"

#define PATH_ROOM 512

int wake_sources_each(struct env *env, void (*each)(void *context, const char *directory), void *context)
{
	return listing_each_directory(env, WAKE_SOURCES, each, context);
}

int wake_sources_test(struct env *env)
{
	return env_exists(env, WAKE_SOURCES) ? 0 : -ENOENT;
}

static const char *path_of(char path[PATH_ROOM], const char *directory, const char *attribute)
{
	snprintf(path, PATH_ROOM, WAKE_SOURCES "/%.256s/%s", directory, attribute);
	return path;
}

const char *wake_source_name(struct env *env, const char *directory, char *bytes, size_t room)
{
	char path[PATH_ROOM];
	long length = attribute_once(env, path_of(path, directory, "name"), bytes, room);

	return length > 0 ? bytes : length == 0 ? directory : NULL;
}

uint64_t wake_source_number(struct env *env, const char *directory, const char *attribute)
{
	uint64_t number = U64_UNKNOWN;
	char path[PATH_ROOM];

	attribute_once_u64(env, path_of(path, directory, attribute), &number);
	return number;
}

uint64_t wake_source_changed_ns(struct env *env, const char *directory)
{
	uint64_t ms = wake_source_number(env, directory, "last_change_ms");

	return ms > 0 && ms < U64_UNKNOWN / 1000000 ? ms * 1000000 + kernel_clock_lag_ns(env) : U64_UNKNOWN;
}
