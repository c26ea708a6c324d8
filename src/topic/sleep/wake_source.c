/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "wake_source": what may wake up the machine, or keep it awake, and how often it did. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "sys/attribute.h"
#include "topic/sleep/wake_list.h"
#include "topic/topic.h"

#define PLACE "/sys/class/wakeup/*/"

struct wake_source_row {
	uint64_t events, activations, wakeups;
	double awake_seconds, total_seconds, prevented_seconds, age_seconds;
	const char *name, *source, *state, *device;
};

#define ROW(field, ...) COLUMN(struct wake_source_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(events, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("events"), .width = 8,
	    .help = N_("events since boot, also while the machine was awake"), .source = PLACE "event_count"),
	ROW(activations, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("active"), .width = 8,
	    .rank = 3, .help = N_("how often it began to keep the machine awake"),
	    .source = PLACE "active_count"),
	ROW(wakeups, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("aborts"), .width = 9, .rank = 2,
	    .help = N_("how often it may have aborted a suspend that programs had begun"),
	    .source = PLACE "wakeup_count"),
	ROW(age_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = N_("ago"), .width = 7,
	    .whole = true, .help = N_("time awake since its last change; unknown: it never had one"),
	    .source = PLACE "last_change_ms"),
	ROW(state, .kind = COLUMN_LABEL, .title = N_("state"), .width = 8, .words = true, .rank = 1,
	    .help = N_("active: it keeps the machine awake now"), .source = PLACE "active_time_ms"),
	ROW(awake_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = N_("since"), .width = 7,
	    .rank = 4, .help = N_("active: for how long it has been so; else 0"),
	    .source = PLACE "active_time_ms"),
	ROW(total_seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS, .title = N_("total"), .width = 9,
	    .rank = 4, .help = N_("time active since boot"), .source = PLACE "total_time_ms"),
	ROW(prevented_seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS, .title = N_("prevented"),
	    .width = 9, .rank = 5,
	    .help = N_("time for which it kept the machine from sleeping by itself (autosleep)"),
	    .source = PLACE "prevent_suspend_time_ms"),
	ROW(name, .kind = COLUMN_KEY, .title = N_("name"), .width = 20,
	    .help = N_("name of the device, or what a driver or program calls it"), .source = PLACE "name"),
	ROW(device, .kind = COLUMN_LABEL, .title = N_("device"), .width = 13, .rank = 1, .optional = true,
	    .words = true, .help = N_("what people call it, where that is known"),
	    .source = PLACE "name, " PLACE "device/id"),
	ROW(source, .kind = COLUMN_KEY, .title = N_("source"), .width = 9, .hidden = true,
	    .help = N_("its directory in /sys/class/wakeup, as names may not be unique"),
	    .source = "/sys/class/wakeup"),
};

static const struct schema schema = {
	.name = "wake_source",
	.is_public = true,
	.help = N_("what may wake up the machine, or keep it awake"),
	.none = N_("no wakeup sources here: this kernel cannot sleep, or is older than 5.4"),
	.row_size = sizeof(struct wake_source_row),
	SCHEMA_COLUMNS(columns),
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
	row->name = arena_copy(&sample->frame->arena, name, strlen(name));
	row->source = arena_copy(&sample->frame->arena, directory, strlen(directory));
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
