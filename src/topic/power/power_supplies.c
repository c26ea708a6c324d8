/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "battery": power, its direction, from the best source of each, charge and wear. */
#include <config.h>

#include "topic/power/energy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/unknown.h"

static int open_supplies(void *state, const struct sample *sample)
{
	struct power_supplies *supplies = state;

	supplies->env = sample->env;
	supplies->listing.path = POWER_SUPPLIES;
	supplies->tick = ENV_NEVER;
	return 0;
}

static void forget(struct power_supplies *supplies)
{
	for (size_t i = 0; i < supplies->count; i++) {
		device_attribute_drop(supplies->list[i].uevent);
		free(supplies->list[i].name);
	}
	free(supplies->list);
	supplies->list = NULL;
	supplies->count = 0;
}

static void close_supplies(void *state)
{
	struct power_supplies *supplies = state;

	forget(supplies);
	listing_free(&supplies->listing);
}

static void copy_span(char *text, size_t room, struct span span)
{
	snprintf(text, room, "%.*s", (int)span_length(span), span.at);
}

static void forget_change(struct battery *battery)
{
	battery->held = SUPPLY_UNKNOWN;
	battery->changed_ns = 0;
	battery->change_watts = NAN;
}

/*
 * The charge changes in steps, seconds or minutes apart: the power is the energy between two steps in the
 * same direction. A charge is multiplied by the voltage of the later step only, as the voltage fluctuates.
 */
static void follow_change(struct battery *battery, const struct power_supply *supply, uint64_t mono_ns)
{
	bool has_energy = supply->energy_uwh != SUPPLY_UNKNOWN;
	int64_t held = has_energy ? supply->energy_uwh : supply->charge_uah;
	double grown;

	if (battery->flow != battery->followed)
		forget_change(battery);
	battery->followed = battery->flow;
	if (held == SUPPLY_UNKNOWN || held == battery->held)
		return;
	if (battery->held != SUPPLY_UNKNOWN) {
		grown = ((double)held - (double)battery->held) * JOULES_PER_UWH *
			(has_energy ? 1 : battery->volts);
		if (battery->changed_ns > 0 && mono_ns > battery->changed_ns)
			battery->change_watts = fabs(grown) / ((double)(mono_ns - battery->changed_ns) / 1e9);
		battery->changed_ns = mono_ns;
	}
	battery->held = held;
}

static double choose_watts(struct battery *battery, const struct power_supply *supply)
{
	double watts = power_supply_watts(supply);
	bool flows = battery->flow == BATTERY_DISCHARGES || battery->flow == BATTERY_CHARGES;

	battery->how = NULL;
	if (!isnan(watts) && (watts > 0 || !flows)) {
		battery->how = supply->power_uw != SUPPLY_UNKNOWN ? N_("power_now")
								  : N_("current_now * voltage_now");
		return watts;
	}
	if (flows && !isnan(battery->change_watts))
		battery->how = supply->energy_uwh != SUPPLY_UNKNOWN ? N_("change of energy_now")
								    : N_("change of charge_now");
	return flows ? battery->change_watts : NAN;
}

static enum battery_flow flow_of(const char *status)
{
	if (strcmp(status, "Discharging") == 0)
		return BATTERY_DISCHARGES;
	if (strcmp(status, "Charging") == 0)
		return BATTERY_CHARGES;
	return strcmp(status, "Full") == 0 || strcmp(status, "Not charging") == 0 ? BATTERY_IDLE
										  : BATTERY_UNKNOWN;
}

static void set_values(struct battery *battery, const struct power_supply *supply, uint64_t mono_ns)
{
	double watts;

	battery->online = span_is(supply->type, "Battery") ? SUPPLY_UNKNOWN : supply->online;
	if (!battery->is_battery)
		return;
	copy_span(battery->status, sizeof(battery->status), supply->status);
	copy_span(battery->model, sizeof(battery->model), supply->model);
	battery->flow = flow_of(battery->status);
	battery->charge = power_supply_charge(supply);
	battery->health = power_supply_health(supply);
	battery->joules = power_supply_joules(supply);
	battery->full_joules = battery->joules / battery->charge;
	battery->volts = supply->voltage_uv == SUPPLY_UNKNOWN ? NAN : (double)supply->voltage_uv / 1e6;
	battery->cycles = supply->cycles;
	follow_change(battery, supply, mono_ns);
	watts = choose_watts(battery, supply);
	battery->watts = battery->flow == BATTERY_DISCHARGES   ? watts
			 : battery->flow == BATTERY_CHARGES ? 0 - watts
			 : battery->flow == BATTERY_IDLE ? (isnan(watts) ? 0 : 0 - watts)
							  : NAN;
}

static void forget_values(struct battery *battery)
{
	battery->watts = battery->charge = battery->health = battery->joules = battery->volts = NAN;
	battery->full_joules = NAN;
	battery->cycles = battery->online = SUPPLY_UNKNOWN;
	battery->status[0] = '\0';
	battery->flow = BATTERY_UNKNOWN;
	battery->how = NULL;
}

static uint64_t age_ns(const struct power_supplies *supplies, const struct battery *battery)
{
	return device_poll_age_ns(supplies->env, battery->read_ns);
}

static void finished(void *owner, size_t number, const struct device_attribute *attribute)
{
	struct power_supplies *supplies = owner;
	struct battery *battery = &supplies->list[number];
	struct power_supply supply;
	bool was_battery = battery->is_battery;

	forget_values(battery);
	battery->read_ns = attribute->poll.read_ns;
	if (attribute->length < 0)
		return; /* a battery that is being removed */
	power_supply_parse(span_of(attribute->bytes, (size_t)attribute->length), &supply);
	battery->is_battery = power_supply_is_battery(&supply);
	supplies->generation += battery->is_battery != was_battery;
	set_values(battery, &supply, supplies->mono_ns + battery->read_ns - supplies->asked_ns);
}

/* A guess before it answers, without waking it: batteries of peripherals such as mice have a scope. */
static bool seems_battery(struct env *env, const char *name)
{
	char path[512], type[32];

	snprintf(path, sizeof(path), POWER_SUPPLIES "/%.256s/type", name);
	if (attribute_once(env, path, type, sizeof(type)) <= 0 || strcmp(type, "Battery") != 0)
		return false;
	snprintf(path, sizeof(path), POWER_SUPPLIES "/%.256s/scope", name);
	return !env_exists(env, path);
}

static void find_supplies(struct power_supplies *supplies)
{
	forget(supplies);
	supplies->generation++;
	supplies->count = supplies->listing.n_names;
	supplies->list = alloc_zeroed(supplies->count, sizeof(*supplies->list));
	for (size_t i = 0; i < supplies->count; i++) {
		struct battery *battery = &supplies->list[i];
		char path[512];

		battery->name = alloc_text(supplies->listing.names[i]);
		battery->followed = BATTERY_UNKNOWN;
		forget_change(battery);
		battery->is_battery = seems_battery(supplies->env, battery->name);
		forget_values(battery);
		snprintf(path, sizeof(path), POWER_SUPPLIES "/%.256s/uevent", battery->name);
		battery->uevent =
			device_attribute_open(supplies->env, path, ATTRIBUTE_TEXT_MAX, finished, supplies, i);
	}
}

void power_supplies_submit(struct power_supplies *supplies, uint64_t mono_ns)
{
	bool changed;

	if (supplies->tick == supplies->env->tick)
		return;
	supplies->tick = supplies->env->tick;
	listing_read(&supplies->listing, supplies->env, &changed);
	if (changed)
		find_supplies(supplies);
	device_poll_collect(supplies->env);
	supplies->mono_ns = mono_ns;
	supplies->asked_ns = env_mono_ns(supplies->env);
	/* what flowed during suspend says nothing about the present power: the monotonic clock stood still */
	if (clock_watch_slept_ns(&supplies->clocks, supplies->env) > 0)
		for (size_t i = 0; i < supplies->count; i++)
			forget_change(&supplies->list[i]);
	for (size_t i = 0; i < supplies->count; i++)
		device_attribute_submit(supplies->list[i].uevent);
}

static int update(void *state, const struct sample *sample)
{
	struct power_supplies *supplies = state;

	power_supplies_submit(supplies, sample_mono_ns(sample));
	device_poll_wait(supplies->env);
	for (size_t i = 0; i < supplies->count; i++)
		if (age_ns(supplies, &supplies->list[i]) == U64_UNKNOWN)
			forget_values(&supplies->list[i]);
	return 0;
}

const struct reader power_supply_reader = {
	.name = "power supplies",
	.state_size = sizeof(struct power_supplies),
	.open = open_supplies,
	.update = update,
	.close = close_supplies,
};

struct battery_row {
	const char *battery, *status;
	double watts, charge_ratio, remaining_seconds, joules, health_ratio, volts, age_seconds;
	uint64_t cycles;
	const char *from, *model;
};

#define UEVENT "/sys/class/power_supply/NAME/uevent "
#define COL(field, ...) COLUMN_OF(struct battery_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(battery, KEY, NONE, N_("battery"), 8, N_("name in the kernel"), "/sys/class/power_supply"),
	COL(status, LABEL, NONE, N_("status"), 12, N_("Discharging, Charging, Full, Not charging, Unknown"),
	    UEVENT "STATUS", .words = true),
	COL(watts, GAUGE, WATTS, N_("watts"), 8, N_("power that it delivers; negative: power that it takes"),
	    UEVENT "POWER_NOW, else CURRENT_NOW * VOLTAGE_NOW, else change of ENERGY_NOW or CHARGE_NOW * "
		   "VOLTAGE_NOW / time between changes; the sign is that of the status"),
	COL(charge_ratio, GAUGE, RATIO, N_("%charge"), 7, N_("charge, as a share of the current full charge"),
	    UEVENT "ENERGY_NOW / ENERGY_FULL, else CHARGE_NOW / CHARGE_FULL, else CAPACITY"),
	COL(remaining_seconds, GAUGE, SECONDS, N_("left"), 9,
	    N_("estimated time until it is empty or full at the present power"),
	    "joules / watts; what is missing to full / watts", .rank = 1),
	COL(joules, GAUGE, JOULES, N_("joules"), 8, N_("energy that it holds (3600 joules are a watt-hour)"),
	    UEVENT "ENERGY_NOW, else CHARGE_NOW * VOLTAGE_NOW", .rank = 2),
	COL(health_ratio, GAUGE, RATIO, N_("%health"), 7,
	    N_("current full charge, as a share of that when new"),
	    UEVENT "ENERGY_FULL / ENERGY_FULL_DESIGN, else the same of CHARGE", .rank = 2),
	COL(volts, GAUGE, VOLTS, N_("volts"), 7, N_("current voltage"), UEVENT "VOLTAGE_NOW", .rank = 3),
	COL(cycles, GAUGE, COUNT, N_("cycles"), 6, N_("charge cycles reported by the battery"),
	    UEVENT "CYCLE_COUNT", .rank = 3),
	COL(age_seconds, GAUGE, SECONDS, N_("age"), 7,
	    N_("age of the reading: 0 unless the device answers late"), "panetop", .rank = 4),
	COL(from, LABEL, NONE, N_("from"), 12, N_("source of the watts"), "panetop", .rank = 3,
	    .words = true),
	COL(model, LABEL, NONE, N_("model"), 10, N_("model name from the manufacturer"), UEVENT "MODEL_NAME",
	    .rank = 4),
};

static const struct schema schema = {
	.name = "battery",
	.is_public = true,
	.help = N_("batteries of the machine"),
	.none = N_("this machine has no battery"),
	SCHEMA_ROWS(struct battery_row, columns),
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
	return frame_text(frame, status);
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
		row->battery = frame_text(frame, battery->name);
		if (battery->status[0])
			row->status = status_text(frame, battery->status);
		row->watts = battery->watts;
		row->charge_ratio = battery->charge;
		row->remaining_seconds = remaining(battery);
		row->joules = battery->joules;
		row->health_ratio = battery->health;
		row->volts = battery->volts;
		row->age_seconds = u64_number(age_ns(supplies, battery)) / 1e9;
		row->cycles = battery->cycles > 0 ? (uint64_t)battery->cycles : U64_UNKNOWN;
		row->from = battery->how;
		if (battery->model[0])
			row->model = frame_text(frame, battery->model);
	}
	return 0;
}

const struct topic topic_battery = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = POWER_SUPPLIES,
		  .gives = N_("power and charge of batteries"),
		  .optional = true,
		  .test = test_batteries,
		  .remedies = { { ENODATA, N_("not used here (no battery)"), .unused = true },
				{ ENOENT, N_("not used here (no battery)"), .unused = true } } }),
	.reads = READING_ONE(&power_supply_reader),
	.sample = sample,
};
