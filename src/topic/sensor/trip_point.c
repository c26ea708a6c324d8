/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "trip_point": at which temperature each thermal zone does what. */
#include <config.h>

#include "core/i18n.h"
#include "topic/sensor/sensors.h"
#include "topic/topic.h"

struct trip_row {
	const char *zone;
	uint64_t trip;
	const char *does;
	double celsius, hysteresis_celsius, below_celsius;
};

static const struct column columns[] = {
	COLUMN(struct trip_row, zone, .kind = COLUMN_KEY, .title = N_("zone"), .width = 16,
	       .help = N_("type of the thermal zone"), .source = "/sys/class/thermal/thermal_zoneN/type"),
	COLUMN(struct trip_row, trip, .kind = COLUMN_KEY, .title = N_("trip"), .width = 4,
	       .help = N_("number of the trip point"), .source = "trip_point_N_type"),
	COLUMN(struct trip_row, does, .kind = COLUMN_LABEL, .title = N_("does"), .width = 9,
	       .help = N_("active: fans; passive: slows down; hot: tells; critical: switches off"),
	       .source = "trip_point_N_type"),
	COLUMN(struct trip_row, celsius, .kind = COLUMN_GAUGE, .unit = UNIT_CELSIUS, .title = N_("at"),
	       .width = 6, .help = N_("temperature from which it does so"), .source = "trip_point_N_temp"),
	COLUMN(struct trip_row, hysteresis_celsius, .kind = COLUMN_GAUGE, .unit = UNIT_CELSIUS,
	       .title = N_("back"), .width = 6, .rank = 1,
	       .help = N_("so far below it the zone must come for it to end"), .source = "trip_point_N_hyst"),
	COLUMN(struct trip_row, below_celsius, .kind = COLUMN_GAUGE, .unit = UNIT_CELSIUS,
	       .title = N_("away"), .width = 6, .rank = 1,
	       .help = N_("how far the zone is below it now; below 0: it is above"),
	       .source = "trip_point_N_temp - temp"),
};

static const struct schema schema = {
	.name = "trip_point",
	.help = N_("trip points of the thermal zones"),
	.row_size = sizeof(struct trip_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = { { 0 } };

static void add_trips(const struct sensor_chip *chip, const struct sensor *sensor, struct frame *frame,
		      struct table *table)
{
	for (unsigned i = 0; i < chip->n_trips; i++) {
		const struct trip_point *trip = &chip->trips[i];
		struct trip_row *row = table_add(table);

		row->zone = sensor_text(frame, sensor->key);
		row->trip = i;
		row->does = sensor_text(frame, trip->does);
		row->celsius = trip->celsius;
		row->hysteresis_celsius = trip->hysteresis_celsius;
		row->below_celsius = row->celsius - sensor->value;
	}
}

static int sample(struct sample *sample)
{
	struct sensors *sensors = sample->state;

	sensors_read(sensors, SENSOR_TEMPERATURE);
	for (size_t i = 0; i < sensors->n_sensors; i++)
		add_trips(&sensors->chips[sensors->list[i].chip], &sensors->list[i], sample->frame,
			  sample->table);
	return 0;
}

const struct topic topic_trip_point = {
	.schema = &schema,
	.sources = sources,
	.open = sensors_topic_open,
	.sample = sample,
	.close = sensors_topic_close,
};
