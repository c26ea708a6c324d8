/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory for each wakeup source, of which every file has one value. */
#include <config.h>

#include "topic/sleep/wake_list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/span.h"
#include "core/unknown.h"
#include "sys/attribute.h"
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

/* The rest of an identifier is the number of the device; a device of PNP has it in a file alone: 00:05. */
static const char *device_of_identifier(const char *identifier)
{
	static const struct {
		const char *begin, *device;
	} known[] = {
		{ "PNP0B0", N_("clock (RTC)") },   { "PNP0C0D", N_("lid") },
		{ "PNP0C0C", N_("power button") }, { "LNXPWRBN", N_("power button") },
		{ "PNP0C0E", N_("sleep button") }, { "LNXSLPBN", N_("sleep button") },
		{ "PNP0C0A", N_("battery") },      { "ACPI0003", N_("power supply") },
		{ "PNP03", N_("keyboard") },       { "PNP0F", N_("mouse") },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (ascii_same(identifier, known[i].begin, strlen(known[i].begin)))
			return known[i].device;
	return "";
}

const char *wake_source_device(struct env *env, const char *directory, const char *name)
{
	const char *device = device_of_identifier(name);
	char path[PATH_ROOM], bytes[64];

	if (*device || attribute_once(env, path_of(path, directory, "device/id"), bytes, sizeof(bytes)) <= 0)
		return device;
	return device_of_identifier(bytes);
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
