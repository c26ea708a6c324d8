/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of which supplies are batteries, and of their numbers; what flows is in tests/rows/battery.txt. */
#include "rig.h"

static struct rig rig;

#define UEVENT "sys/class/power_supply/BAT0/uevent"

static const char *const names[] = { "battery", "power", NULL };

/* Above full nothing is missing; no power is not less than 0. */
START_TEST(a_battery_above_full)
{
	const struct frame *frame;

	rig_open(&rig, "power-laptop", names);
	for (unsigned i = 0; i < 2; i++) {
		rig_put(&rig, UEVENT,
			"POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_STATUS=%s\nPOWER_SUPPLY_POWER_NOW=%u\n"
			"POWER_SUPPLY_ENERGY_NOW=52000000\nPOWER_SUPPLY_ENERGY_FULL=50000000\n",
			i ? "Full" : "Charging", i ? 0 : 5000000);
		frame = rig_sample(&rig, 10);
		ck_assert(isnan(cell_f64(frame, "battery", "BAT0", "remaining_seconds")));
		ck_assert_double_eq(cell_f64(frame, "battery", "BAT0", "watts"), i ? 0 : -5);
		ck_assert(!signbit(cell_f64(frame, "battery", "BAT0", "watts")) == (i == 1));
	}
	rig_close(&rig);
}

START_TEST(which_supplies_are_batteries)
{
	const struct source_spec *source = &topic_find("battery")->sources[0];
	const struct frame *frame;

	rig_open(&rig, "empty", names);
	ck_assert_int_eq(source->test(&rig.env), -ENOENT);
	rig_put(&rig, "sys/class/power_supply/AC/uevent",
		"POWER_SUPPLY_TYPE=Mains\nPOWER_SUPPLY_ONLINE=1\nPOWER_SUPPLY_STATUS=Charging\n");
	rig.env.tick++;
	ck_assert_int_eq(source->test(&rig.env), -ENODATA);
	rig_put(&rig, "sys/class/power_supply/mouse/uevent",
		"POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_SCOPE=Device\nPOWER_SUPPLY_CAPACITY=50\n");
	rig.env.tick++;
	ck_assert_int_eq(source->test(&rig.env), -ENODATA);
	rig_put(&rig, "sys/class/power_supply/CMB0/uevent",
		"POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_STATUS=Full\nPOWER_SUPPLY_CAPACITY=98\n"
		"POWER_SUPPLY_MODEL_NAME=of it\n");
	rig.env.tick++;
	ck_assert_int_eq(source->test(&rig.env), 0);
	frame = rig_sample(&rig, 10);
	ck_assert_uint_eq(frame_table(frame, "battery")->n_rows, 1);
	check_row(frame, "battery",
		  "battery=CMB0 status=Full watts=0 charge_ratio=0.98 age_seconds=0 model=of it");
	rig_put(&rig, "sys/class/power_supply/CMB0/uevent", "\n");
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 10), "battery")->n_rows, 0);
	rig_close(&rig);
}
