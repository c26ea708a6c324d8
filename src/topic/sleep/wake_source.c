/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "wake_source": what may wake up the machine, or keep it awake, and how often it did. */
#include <config.h>

#include "topic/sleep/wake_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/ascii.h"
#include "core/i18n.h"
#include "core/unknown.h"
#include "sys/attribute.h"
#include "sys/listing.h"
#include "topic/kernel_clock.h"
#include "topic/topic.h"

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

#define PLACE "/sys/class/wakeup/*/"

struct wake_source_row {
	uint64_t events, activations, wakeups;
	double awake_seconds, total_seconds, prevented_seconds, age_seconds;
	const char *name, *source, *state, *device;
};

#define ROW(field, ...) COLUMN(struct wake_source_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(events, A_COUNTER(COUNT, N_("events"), 8),
	    .help = N_("events since boot, also while the machine was awake"), .source = PLACE "event_count"),
	ROW(activations, A_COUNTER(COUNT, N_("active"), 8), .rank = 3,
	    .help = N_("how often it began to keep the machine awake"), .source = PLACE "active_count"),
	ROW(wakeups, A_COUNTER(COUNT, N_("aborts"), 9), .rank = 2,
	    .help = N_("how often it may have aborted a suspend that programs had begun"),
	    .source = PLACE "wakeup_count"),
	ROW(age_seconds, A_GAUGE(SECONDS, N_("ago"), 7), .whole = true,
	    .help = N_("time awake since its last change; unknown: it never had one"),
	    .source = PLACE "last_change_ms"),
	ROW(state, A_LABEL(N_("state"), 8), .words = true, .rank = 1,
	    .help = N_("active: it keeps the machine awake now"), .source = PLACE "active_time_ms"),
	ROW(awake_seconds, A_GAUGE(SECONDS, N_("since"), 7), .rank = 4,
	    .help = N_("active: for how long it has been so; else 0"), .source = PLACE "active_time_ms"),
	ROW(total_seconds, A_COUNTER(SECONDS, N_("total"), 9), .rank = 4,
	    .help = N_("time active since boot"), .source = PLACE "total_time_ms"),
	ROW(prevented_seconds, A_COUNTER(SECONDS, N_("prevented"), 9), .rank = 5,
	    .help = N_("time for which it kept the machine from sleeping by itself (autosleep)"),
	    .source = PLACE "prevent_suspend_time_ms"),
	ROW(name, A_KEY(N_("name"), 20),
	    .help = N_("name of the device, or what a driver or program calls it"), .source = PLACE "name"),
	ROW(device, A_LABEL(N_("device"), 13), .rank = 1, .optional = true, .words = true,
	    .help = N_("what people call it, where that is known"),
	    .source = PLACE "name, " PLACE "device/id"),
	ROW(source, A_KEY(N_("source"), 9), .hidden = true,
	    .help = N_("its directory in /sys/class/wakeup, as names may not be unique"),
	    .source = "/sys/class/wakeup"),
};

static const struct schema schema = {
	.name = "wake_source",
	.is_public = true,
	.help = N_("what may wake up the machine, or keep it awake"),
	.none = N_("no wakeup sources here: this kernel cannot sleep, or is older than 5.4"),
	SCHEMA_ROWS(struct wake_source_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = WAKE_SOURCES,
	  .gives = N_("wakeup sources"),
	  .optional = true,
	  .test = wake_sources_test,
	  .remedies = { { ENOENT,
			  N_("this kernel cannot sleep (CONFIG_PM_SLEEP), or is older than 5.4") } } },
	{ 0 },
};

static double seconds_of(struct env *env, const char *directory, const char *attribute)
{
	return u64_number(wake_source_number(env, directory, attribute)) / 1e3;
}

static void add_row(void *context, const char *directory)
{
	struct sample *sample = context;
	struct env *env = sample->env;
	char bytes[ATTRIBUTE_TEXT_MAX];
	const char *name = wake_source_name(env, directory, bytes, sizeof(bytes));
	uint64_t now_ns = sample->table->mono_ns, changed_ns;
	struct wake_source_row *row;

	if (!name)
		return; /* its device was removed */
	row = table_add(sample->table);
	row->name = sample_text(sample, name);
	row->source = sample_text(sample, directory);
	row->events = wake_source_number(env, directory, "event_count");
	row->activations = wake_source_number(env, directory, "active_count");
	row->wakeups = wake_source_number(env, directory, "wakeup_count");
	row->total_seconds = seconds_of(env, directory, "total_time_ms");
	row->prevented_seconds = seconds_of(env, directory, "prevent_suspend_time_ms");
	row->awake_seconds = seconds_of(env, directory, "active_time_ms");
	row->device = wake_source_device(env, directory, row->name);
	row->state = row->awake_seconds > 0 ? N_("active") : "";
	changed_ns = wake_source_changed_ns(env, directory);
	if (changed_ns != U64_UNKNOWN)
		row->age_seconds = changed_ns < now_ns ? (double)(now_ns - changed_ns) / 1e9 : 0;
}

static int sample_sources(struct sample *sample)
{
	wake_sources_each(sample->env, add_row, sample);
	return 0;
}

const struct topic topic_wake_source = { .schema = &schema, .sources = sources, .sample = sample_sources };
