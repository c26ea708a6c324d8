/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "battery": power, charge and wear of each battery. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/power/power_supplies.h"
#include "topic/topic.h"

struct battery_row {
	const char *battery, *status;
	double watts, charge_ratio, remaining_seconds, joules, health_ratio, volts, age_seconds;
	uint64_t cycles;
	const char *from, *model;
};

#define UEVENT "/sys/class/power_supply/NAME/uevent "

static const struct column columns[] = {
	COLUMN(struct battery_row, battery, .kind = COLUMN_KEY, .title = N_("battery"), .width = 8,
	       .help = N_("name in the kernel"), .source = "/sys/class/power_supply"),
	COLUMN(struct battery_row, status, .kind = COLUMN_LABEL, .title = N_("status"), .width = 12,
	       .words = true, .help = N_("Discharging, Charging, Full, Not charging, Unknown"),
	       .source = UEVENT "STATUS"),
	COLUMN(struct battery_row, watts, .kind = COLUMN_GAUGE, .unit = UNIT_WATTS, .title = N_("watts"),
	       .width = 8, .help = N_("power that it delivers; negative: power that it takes"),
	       .source = UEVENT
	       "POWER_NOW, else CURRENT_NOW * VOLTAGE_NOW, else change of ENERGY_NOW or "
	       "CHARGE_NOW * VOLTAGE_NOW / time between changes; the sign is that of the status"),
	COLUMN(struct battery_row, charge_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO,
	       .title = N_("%charge"), .width = 7, .help = N_("charge, as a share of the current full "
							      "charge"),
	       .source = UEVENT "ENERGY_NOW / ENERGY_FULL, else CHARGE_NOW / CHARGE_FULL, else CAPACITY"),
	COLUMN(struct battery_row, remaining_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS,
	       .title = N_("left"), .width = 9, .rank = 1,
	       .help = N_("estimated time until it is empty or full at the present power"),
	       .source = "joules / watts; what is missing to full / watts"),
	COLUMN(struct battery_row, joules, .kind = COLUMN_GAUGE, .unit = UNIT_JOULES, .title = N_("joules"),
	       .width = 8, .rank = 2, .help = N_("energy that it holds (3600 joules are a watt-hour)"),
	       .source = UEVENT "ENERGY_NOW, else CHARGE_NOW * VOLTAGE_NOW"),
	COLUMN(struct battery_row, health_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO,
	       .title = N_("%health"), .width = 7, .rank = 2,
	       .help = N_("current full charge, as a share of that when new"),
	       .source = UEVENT "ENERGY_FULL / ENERGY_FULL_DESIGN, else the same of CHARGE"),
	COLUMN(struct battery_row, volts, .kind = COLUMN_GAUGE, .unit = UNIT_VOLTS, .title = N_("volts"),
	       .width = 7, .rank = 3, .help = N_("current voltage"), .source = UEVENT "VOLTAGE_NOW"),
	COLUMN(struct battery_row, cycles, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("cycles"),
	       .width = 6, .rank = 3, .help = N_("charge cycles reported by the battery"),
	       .source = UEVENT "CYCLE_COUNT"),
	COLUMN(struct battery_row, age_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS,
	       .title = N_("age"), .width = 7, .rank = 4,
	       .help = N_("age of the reading: 0 unless the device answers late"), .source = "panetop"),
	COLUMN(struct battery_row, from, .kind = COLUMN_LABEL, .title = N_("from"), .width = 12, .rank = 3,
	       .words = true, .help = N_("source of the watts"), .source = "panetop"),
	COLUMN(struct battery_row, model, .kind = COLUMN_LABEL, .title = N_("model"), .width = 10, .rank = 4,
	       .help = N_("model name from the manufacturer"), .source = UEVENT "MODEL_NAME"),
};

static const struct schema schema = {
	.name = "battery",
	.is_public = true,
	.help = N_("batteries of the machine"),
	.none = N_("this machine has no battery"),
	.row_size = sizeof(struct battery_row),
	SCHEMA_COLUMNS(columns),
};

static int test_batteries(struct env *env)
{
	const struct sample here = { .env = env };
	const struct power_supplies *supplies = reader_open(&power_supply_reader, &here, NULL);
	int found = -ENODATA;

	reader_update(&power_supply_reader, &here);
	for (size_t i = 0; i < supplies->count; i++)
		if (supplies->list[i].is_battery)
			found = 0;
	if (!env_exists(env, POWER_SUPPLIES))
		found = -ENOENT;
	reader_close(&power_supply_reader, env);
	return found;
}

static const struct source_spec sources[] = {
	{ .path = POWER_SUPPLIES,
	  .gives = N_("power and charge of batteries"),
	  .optional = true,
	  .test = test_batteries,
	  .remedies = { { ENODATA, N_("not used here (no battery)"), .unused = true },
			{ ENOENT, N_("not used here (no battery)"), .unused = true } } },
	{ 0 },
};

/* A longer time, as at a few microwatts, and a negative one, above full, are no estimates. */
#define REMAINING_MAX (99 * 3600.0)

static double remaining(const struct battery *battery)
{
	double seconds = NAN;

	if (battery->watts > 0)
		seconds = battery->joules / battery->watts;
	else if (battery->watts < 0)
		seconds = (battery->full_joules - battery->joules) / -battery->watts;
	return seconds >= 0 && seconds <= REMAINING_MAX ? seconds : NAN;
}

/* The statuses of every kernel, which can be translated. */
static const char *status_text(struct frame *frame, const char *status)
{
	static const char *const known[] = { N_("Discharging"), N_("Charging"), N_("Full"),
					     N_("Not charging"), N_("Unknown") };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i], status) == 0)
			return known[i];
	return arena_copy(&frame->arena, status, strlen(status));
}

static int sample(struct sample *sample)
{
	struct frame *frame = sample->frame;
	struct power_supplies *supplies = sample->state;

	for (size_t i = 0; i < supplies->count; i++) {
		const struct battery *battery = &supplies->list[i];
		struct battery_row *row;

		if (!battery->is_battery)
			continue;
		row = table_add(sample->table);
		row->battery = arena_copy(&frame->arena, battery->name, strlen(battery->name));
		if (battery->status[0])
			row->status = status_text(frame, battery->status);
		row->watts = battery->watts;
		row->charge_ratio = battery->charge;
		row->remaining_seconds = remaining(battery);
		row->joules = battery->joules;
		row->health_ratio = battery->health;
		row->volts = battery->volts;
		row->age_seconds = battery_age_seconds(supplies, battery);
		row->cycles = battery->cycles > 0 ? (uint64_t)battery->cycles : U64_UNKNOWN;
		row->from = battery->how;
		if (battery->model[0])
			row->model = arena_copy(&frame->arena, battery->model, strlen(battery->model));
	}
	return 0;
}

const struct topic topic_battery = {
	.schema = &schema,
	.sources = sources,
	.reads = READING_ONE(&power_supply_reader),
	.sample = sample,
};
