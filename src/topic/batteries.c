/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading of power supplies: what flows, in which direction, by the best source that each has. */
#include <config.h>

#include "topic/batteries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"

static const char key;

static void *open_batteries(struct env *env)
{
	struct batteries *batteries = alloc_zeroed(1, sizeof(*batteries));

	batteries->env = env;
	batteries->supplies.path = POWER_SUPPLIES;
	batteries->tick = ENV_NEVER;
	return batteries;
}

static void forget(struct batteries *batteries)
{
	for (size_t i = 0; i < batteries->count; i++) {
		attribute_close(&batteries->list[i].uevent, batteries->env);
		free(batteries->list[i].name);
	}
	free(batteries->list);
	batteries->list = NULL;
	batteries->count = 0;
}

static void close_batteries(void *state)
{
	struct batteries *batteries = state;

	forget(batteries);
	listing_free(&batteries->supplies);
	free(batteries);
}

struct batteries *batteries_open(struct env *env)
{
	return env_share(env, &key, open_batteries, close_batteries);
}

void batteries_close(struct batteries *batteries)
{
	env_unshare(batteries->env, &key);
}

static void find_supplies(struct batteries *batteries)
{
	forget(batteries);
	batteries->findings++;
	batteries->count = batteries->supplies.n_names;
	batteries->list = alloc_zeroed(batteries->count, sizeof(*batteries->list));
	for (size_t i = 0; i < batteries->count; i++) {
		struct battery *battery = &batteries->list[i];
		char path[512];

		battery->name = alloc_text(batteries->supplies.names[i]);
		battery->changed_joules = battery->change_watts = NAN;
		snprintf(path, sizeof(path), POWER_SUPPLIES "/%.256s/uevent", battery->name);
		attribute_open(&battery->uevent, path);
	}
}

static void copy_span(char *text, size_t room, struct span span)
{
	snprintf(text, room, "%.*s", (int)span_length(span), span.at);
}

static double millionths(int64_t number)
{
	return number == SUPPLY_UNKNOWN ? NAN : (double)number / 1e6;
}

/* What it holds changes in steps, seconds or minutes apart: power is what flowed between two of them. */
static void follow_change(struct battery *battery, uint64_t mono_ns)
{
	double grown = battery->joules - battery->changed_joules;

	if (isnan(battery->joules) || grown == 0)
		return;
	if (!isnan(grown) && battery->changed_ns > 0 && mono_ns > battery->changed_ns)
		battery->change_watts = fabs(grown) / ((double)(mono_ns - battery->changed_ns) / 1e9);
	if (!isnan(grown))
		battery->changed_ns = mono_ns;
	battery->changed_joules = battery->joules;
}

static double choose_watts(struct battery *battery, const struct power_supply *supply)
{
	double watts = power_supply_watts(supply);
	bool flows = battery->flow == BATTERY_GIVES || battery->flow == BATTERY_TAKES;

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
		return BATTERY_GIVES;
	if (strcmp(status, "Charging") == 0)
		return BATTERY_TAKES;
	return strcmp(status, "Full") == 0 || strcmp(status, "Not charging") == 0 ? BATTERY_RESTS
										  : BATTERY_UNCLEAR;
}

static void take_supply(struct battery *battery, const struct power_supply *supply, uint64_t mono_ns)
{
	double watts;

	battery->is_battery = power_supply_is_battery(supply);
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
	battery->volts = millionths(supply->voltage_uv);
	battery->cycles = supply->cycles;
	follow_change(battery, mono_ns);
	watts = choose_watts(battery, supply);
	battery->watts = battery->flow == BATTERY_GIVES   ? watts
			 : battery->flow == BATTERY_TAKES ? -watts
			 : battery->flow == BATTERY_RESTS ? (isnan(watts) ? 0 : -watts)
							  : NAN;
}

static void read_supply(struct batteries *batteries, struct battery *battery, uint64_t mono_ns)
{
	char text[ATTRIBUTE_TEXT_MAX];
	struct power_supply supply;
	long length = attribute_read(&battery->uevent, batteries->env, text, sizeof(text));

	battery->watts = battery->charge = battery->health = battery->joules = battery->volts = NAN;
	battery->full_joules = NAN;
	battery->cycles = battery->online = SUPPLY_UNKNOWN;
	battery->status[0] = '\0';
	battery->flow = BATTERY_UNCLEAR;
	battery->how = NULL;
	if (length < 0)
		return; /* a battery that is being taken out */
	power_supply_parse(span_of(text, (size_t)length), &supply);
	take_supply(battery, &supply, mono_ns);
}

void batteries_update(struct batteries *batteries, uint64_t mono_ns)
{
	bool changed;

	if (batteries->tick == batteries->env->tick)
		return;
	batteries->tick = batteries->env->tick;
	listing_read(&batteries->supplies, batteries->env, &changed);
	if (changed)
		find_supplies(batteries);
	for (size_t i = 0; i < batteries->count; i++)
		read_supply(batteries, &batteries->list[i], mono_ns);
}
