/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "cooling": the cooling devices of the kernel and their levels. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "sys/attribute.h"
#include "sys/device_poll.h"
#include "topic/sensor/sensors.h"
#include "topic/topic.h"

struct cooling_row {
	const char *device, *type;
	uint64_t level, max_level;
	double age_seconds;
};

#define NUMBER_TEXT_MAX 32
#define PLACE "/sys/class/thermal/cooling_deviceN/"

static const struct column columns[] = {
	COLUMN(struct cooling_row, device, .kind = COLUMN_KEY, .title = N_("device"), .width = 17,
	       .help = N_("name and number in the kernel"), .source = "/sys/class/thermal"),
	COLUMN(struct cooling_row, type, .kind = COLUMN_LABEL, .title = N_("type"), .width = 20,
	       .help = N_("kind of device: a fan; Processor: the CPUs are throttled; intel_powerclamp ..."),
	       .source = PLACE "type"),
	COLUMN(struct cooling_row, level, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("level"),
	       .width = 5, .help = N_("current level; 0: not cooling"),
	       .source = PLACE "cur_state"),
	COLUMN(struct cooling_row, max_level, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("max"),
	       .width = 5, .help = N_("highest level"), .source = PLACE "max_state"),
	COLUMN(struct cooling_row, age_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS,
	       .title = N_("age"), .width = 7, .rank = 4,
	       .help = N_("age of the reading: 0 unless the device answers late"), .source = "panetop"),
};

static const struct schema schema = {
	.name = "cooling",
	.is_public = true,
	.help = N_("cooling devices and their levels"),
	.none = N_("no cooling devices here (normal in a virtual machine)"),
	.row_size = sizeof(struct cooling_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = { { 0 } };

struct device {
	char *name, *type;
	uint64_t level, most;
	uint64_t read_ns;            /* the level, see device_poll_age_ns() */
	struct device_attribute *level_text; /* slow for a fan: the firmware is asked */
};

struct state {
	struct env *env; /* borrowed */
	struct listing listed;
	struct device *devices;
	size_t count, capacity;
};

static void forget(struct state *state)
{
	for (size_t i = 0; i < state->count; i++) {
		device_attribute_drop(state->devices[i].level_text);
		free(state->devices[i].name);
		free(state->devices[i].type);
	}
	free(state->devices);
	state->devices = NULL;
	state->count = state->capacity = 0;
}

static void finished(void *owner, size_t number, const struct device_attribute *attribute)
{
	struct device *device = &((struct state *)owner)->devices[number];
	struct span span = span_of(attribute->bytes, attribute->length > 0 ? (size_t)attribute->length : 0);

	device->read_ns = attribute->poll.read_ns;
	if (!span_u64(&span, &device->level) || span.at != span.end)
		device->level = U64_UNKNOWN;
}

static void add_device(struct state *state, const char *name)
{
	char path[512], type[ATTRIBUTE_TEXT_MAX];
	struct device *device;
	int length = snprintf(path, sizeof(path), THERMAL_ZONES "/%.256s/", name);

	strcpy(path + length, "type");
	if (attribute_once(state->env, path, type, sizeof(type)) < 0)
		return;
	device = VECTOR_ADD(state->devices, state->count, state->capacity);
	*device = (struct device){ .name = alloc_text(name), .type = alloc_text(type), .most = U64_UNKNOWN };
	strcpy(path + length, "max_state");
	attribute_once_u64(state->env, path, &device->most);
	strcpy(path + length, "cur_state");
	device->level_text = device_attribute_open(state->env, path, NUMBER_TEXT_MAX, finished, state,
						   state->count - 1);
}

static void add_row(const struct state *state, const struct device *device, struct frame *frame,
		    struct table *table)
{
	struct cooling_row *row = table_add(table);
	uint64_t age_ns = device_poll_age_ns(state->env, device->read_ns);

	row->device = sensor_text(frame, device->name);
	row->type = sensor_text(frame, device->type);
	row->max_level = device->most;
	if (age_ns == U64_UNKNOWN)
		return;
	row->level = device->level;
	row->age_seconds = (double)age_ns / 1e9;
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;
	bool changed;

	listing_read(&state->listed, sample->env, &changed);
	if (changed)
		forget(state);
	for (size_t i = 0; changed && i < state->listed.n_names; i++)
		if (strncmp(state->listed.names[i], "cooling_device", 14) == 0)
			add_device(state, state->listed.names[i]);
	for (size_t i = 0; i < state->count; i++)
		device_attribute_submit(state->devices[i].level_text);
	device_poll_wait(sample->env);
	for (size_t i = 0; i < state->count; i++)
		add_row(state, &state->devices[i], sample->frame, sample->table);
	return 0;
}

static int open_cooling(struct sample *sample)
{
	struct state *state = sample->state;

	state->env = sample->env;
	state->listed.path = THERMAL_ZONES;
	return 0;
}

static void close_cooling(struct sample *sample)
{
	struct state *state = sample->state;

	forget(state);
	listing_free(&state->listed);
}

const struct topic topic_cooling = {
	.schema = &schema,
	.sources = sources,
	.state_size = sizeof(struct state),
	.open = open_cooling,
	.sample = sample,
	.close = close_cooling,
};
