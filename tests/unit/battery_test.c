/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of batteries without a power reading: their power is derived from changes of the charge. */
#include <config.h>

#include <errno.h>
#include <math.h>

#include "rig.h"

#define UEVENT "sys/class/power_supply/BAT0/uevent"
#define MW 1e-3
#define JOULES_PER_MAH_VOLT 3.6

static const char *const names[] = { "battery", "power", NULL };

static void open_battery(struct rig *rig)
{
	rig_open(rig, "power-laptop", names);
	rig_remove(rig, "sys/class/powercap");
}

/* A battery of charge after ten seconds; its watts. */
static double charge(struct rig *rig, const char *status, unsigned mah, unsigned millivolts)
{
	rig_put(rig, UEVENT,
		"POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_STATUS=%s\nPOWER_SUPPLY_CURRENT_NOW=0\n"
		"POWER_SUPPLY_VOLTAGE_NOW=%u000\nPOWER_SUPPLY_CHARGE_NOW=%u000\n"
		"POWER_SUPPLY_CHARGE_FULL=4000000\n",
		status, millivolts, mah);
	return cell_f64(rig_sample(rig, 10), "battery", "BAT0", "watts");
}

START_TEST(batteries_by_current_and_by_change)
{
	const struct frame *frame = NULL;
	struct rig rig;

	rig_open(&rig, "power-batteries", names);
	for (int tick = 0; tick < 4; tick++) {
		rig_tick(&rig, tick);
		frame = rig_sample(&rig, 2);
	}
	/* BAT0: |-0.8 A| * 11 V; BAT1 fell by 1 mAh at 12 V, 43.2 J, between two changes 4 s apart */
	ck_assert_double_eq_tol(cell_f64(frame, "battery", "BAT0", "watts"), 8.8, MW);
	ck_assert_double_eq_tol(cell_f64(frame, "battery", "BAT1", "watts"), 10.8, MW);
	ck_assert_str_eq(cell_text(frame, "battery", "BAT1", "from"), "change of charge_now");
	ck_assert_double_eq_tol(cell_f64(frame, "battery", "BAT0", "charge_ratio"), 0.5, 1e-9);
	ck_assert_double_eq_tol(cell_f64(frame, "battery", "BAT1", "health_ratio"), 0.8, 1e-9);
	ck_assert_double_eq_tol(cell_f64(frame, "battery", "BAT0", "joules"), 2 * 11 * 3600, 1e-6);
	rig_tick(&rig, 4);
	frame = rig_sample(&rig, 2);
	ck_assert_double_eq_tol(cell_f64(frame, "power", "total", "watts"), 9.9 + 10.8, MW);
	ck_assert_str_eq(cell_text(frame, "power", "battery/BAT1", "counted_in"), "total");
	rig_close(&rig);
}

START_TEST(voltage_that_trembles_is_no_flow)
{
	struct rig rig;

	open_battery(&rig);
	for (unsigned i = 0; i < 10; i++)
		ck_assert(isnan(charge(&rig, "Discharging", 2000, 12000 + 3 * (i % 3))));
	charge(&rig, "Discharging", 1999, 12003);
	charge(&rig, "Discharging", 1999, 12000);
	ck_assert_double_eq_tol(charge(&rig, "Discharging", 1997, 12000),
				2 * 12 * JOULES_PER_MAH_VOLT / 20, MW);
	ck_assert_double_eq_tol(charge(&rig, "Discharging", 1997, 11990),
				2 * 12 * JOULES_PER_MAH_VOLT / 20, MW);
	rig_close(&rig);
}

START_TEST(what_was_taken_is_not_given)
{
	struct rig rig;

	open_battery(&rig);
	charge(&rig, "Charging", 2000, 12000);
	charge(&rig, "Charging", 2010, 12000);
	ck_assert_double_eq_tol(charge(&rig, "Charging", 2020, 12000), -12 * JOULES_PER_MAH_VOLT, MW);
	ck_assert(isnan(charge(&rig, "Discharging", 2020, 12000)));
	ck_assert(isnan(cell_f64(&rig.frames[rig.present], "power", "total", "watts")));
	ck_assert(isnan(charge(&rig, "Discharging", 2019, 12000))); /* how long that took is not known */
	ck_assert_double_eq_tol(charge(&rig, "Discharging", 2018, 12000), 12 * JOULES_PER_MAH_VOLT / 10,
				MW);
	rig_close(&rig);
}

START_TEST(what_went_while_the_machine_slept_is_no_flow_of_now)
{
	struct rig rig;

	open_battery(&rig);
	charge(&rig, "Discharging", 2000, 12000);
	charge(&rig, "Discharging", 1999, 12000);
	ck_assert(!isnan(charge(&rig, "Discharging", 1998, 12000)));
	rig.clock.slept_ns = 8 * 3600 * UINT64_C(1000000000);
	ck_assert(isnan(charge(&rig, "Discharging", 1700, 12000)));
	charge(&rig, "Discharging", 1699, 12000);
	ck_assert_double_eq_tol(charge(&rig, "Discharging", 1698, 12000), 12 * JOULES_PER_MAH_VOLT / 10,
				MW);
	rig_close(&rig);
}

/* Joules that RAPL counted in a s2idle of 8 hours are not those of two seconds; in S3 it begins again. */
START_TEST(energy_of_a_sleep_is_no_power_of_now)
{
	static const char *const path = "sys/class/powercap/intel-rapl:0/energy_uj";
	static const uint64_t after[] = { 7100000000, 3000000 };
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 2; i++) {
		rig_open(&rig, "power-server", names);
		rig_put(&rig, path, "5000000000\n");
		rig_sample(&rig, 2);
		rig_put(&rig, path, "5010000000\n");
		ck_assert_double_eq_tol(cell_f64(rig_sample(&rig, 2), "power", "package-0", "watts"), 5, MW);
		rig.clock.slept_ns = 8 * 3600 * UINT64_C(1000000000);
		rig_put(&rig, path, "%llu\n", (unsigned long long)after[i]);
		ck_assert(isnan(cell_f64(rig_sample(&rig, 2), "power", "package-0", "watts")));
		rig_put(&rig, path, "%llu\n", (unsigned long long)after[i] + 8000000);
		rig_sample(&rig, 2);
		rig_put(&rig, path, "%llu\n", (unsigned long long)after[i] + 16000000);
		frame = rig_sample(&rig, 2);
		ck_assert_double_eq_tol(cell_f64(frame, "power", "package-0", "watts"), 4, MW);
		ck_assert_double_eq_tol(cell_f64(frame, "power", "package-0", "max_watts"), 5, MW);
		rig_close(&rig);
	}
}

/* The sign is that of the status; what flows without a number is not known, what rests draws nothing. */
START_TEST(flows_are_those_of_the_status)
{
	static const struct {
		const char *lines;
		double watts, left;
		const char *from; /* NULL: not known */
	} cases[] = {
#define STATUS(status) "POWER_SUPPLY_STATUS=" status "\n"
#define POWER(uw) "POWER_SUPPLY_POWER_NOW=" uw "\n"
#define CURRENT(ua) "POWER_SUPPLY_CURRENT_NOW=" ua "\n"
		{ STATUS("Discharging") POWER("5000000"), 5, 20000, "power_now" },
		{ STATUS("Discharging") CURRENT("500000"), 5, 20000, "current_now * voltage_now" },
		{ STATUS("Discharging") POWER("0"), NAN, NAN, NULL },
		{ STATUS("Discharging"), NAN, NAN, NULL },
		{ STATUS("Charging") POWER("20000000"), -20, 5000, "power_now" },
		{ STATUS("Full") POWER("1000000"), -1, 100000, "power_now" },
		{ STATUS("Full") POWER("0"), 0, NAN, "power_now" },
		{ STATUS("Full"), 0, NAN, NULL },
		{ STATUS("Not charging") POWER("2000000"), -2, 50000, "power_now" },
		{ STATUS("Not charging"), 0, NAN, NULL },
		{ STATUS("Unknown") POWER("3000000"), NAN, NAN, "power_now" },
		{ STATUS("Discharged") POWER("3000000"), NAN, NAN, "power_now" },
		{ STATUS("Discharging") POWER("5"), 5e-6, NAN, "power_now" }, /* 633 years */
		{ STATUS("Discharging") POWER("280584"), 0.280584, 356399.51, "power_now" },
		{ STATUS("Discharging") POWER("280582"), 0.280582, NAN, "power_now" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame;
		double watts, left;
		struct rig rig;

		open_battery(&rig);
		rig_put(&rig, UEVENT,
			"POWER_SUPPLY_TYPE=Battery\n%sPOWER_SUPPLY_VOLTAGE_NOW=10000000\n"
			"POWER_SUPPLY_ENERGY_NOW=27777778\nPOWER_SUPPLY_ENERGY_FULL=55555556\n"
			"POWER_SUPPLY_ENERGY_FULL_DESIGN=111111112\nPOWER_SUPPLY_CYCLE_COUNT=%zu\n",
			cases[i].lines, i);
		frame = rig_sample(&rig, 10);
		watts = cell_f64(frame, "battery", "BAT0", "watts");
		left = cell_f64(frame, "battery", "BAT0", "remaining_seconds");
		ck_assert_msg(isnan(cases[i].watts) ? isnan(watts) : fabs(watts - cases[i].watts) < MW,
			      "case %zu: %g W", i, watts);
		ck_assert_msg(isnan(cases[i].left) ? isnan(left) : fabs(left - cases[i].left) < 0.1,
			      "case %zu: %g s", i, left);
		ck_assert_pstr_eq(cell_text(frame, "battery", "BAT0", "from"), cases[i].from);
		ck_assert_double_eq_tol(cell_f64(frame, "battery", "BAT0", "joules"), 100000, 0.01);
		ck_assert_double_eq_tol(cell_f64(frame, "battery", "BAT0", "charge_ratio"), 0.5, 1e-9);
		ck_assert_double_eq_tol(cell_f64(frame, "battery", "BAT0", "health_ratio"), 0.5, 1e-9);
		ck_assert_double_eq(cell_f64(frame, "battery", "BAT0", "volts"), 10);
		ck_assert_uint_eq(cell_u64(frame, "battery", "BAT0", "cycles"), i > 0 ? i : U64_UNKNOWN);
		rig_close(&rig);
	}
}

/* The energy itself needs no voltage. */
START_TEST(energy_that_changes_is_power)
{
	static const unsigned long energies_mwh[] = { 30000, 29990, 29980, 29980, 29960 };
	static const double expected[] = { NAN, NAN, 3.6, 3.6, 3.6 };
	struct rig rig;

	open_battery(&rig);
	for (unsigned i = 0; i < 5; i++) {
		const struct frame *frame;
		double watts;

		rig_put(&rig, UEVENT,
			"POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_STATUS=Discharging\n"
			"POWER_SUPPLY_VOLTAGE_NOW=12000000\nPOWER_SUPPLY_ENERGY_NOW=%lu000\n"
			"POWER_SUPPLY_ENERGY_FULL=60000000\nPOWER_SUPPLY_CHARGE_NOW=%u\n",
			energies_mwh[i], 1000000 - i * 5000);
		frame = rig_sample(&rig, 10);
		watts = cell_f64(frame, "battery", "BAT0", "watts");
		ck_assert_msg(isnan(expected[i]) ? isnan(watts) : fabs(watts - expected[i]) < MW, "%u: %g W",
			      i, watts);
		ck_assert_pstr_eq(cell_text(frame, "battery", "BAT0", "from"),
				  isnan(expected[i]) ? NULL : "change of energy_now");
	}
	rig_close(&rig);
}

/* Above full nothing is missing; no power is not less than 0. */
START_TEST(a_battery_above_full)
{
	const struct frame *frame;
	struct rig rig;

	open_battery(&rig);
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
	struct rig rig;

	rig_open(&rig, "empty", names);
	ck_assert_int_eq(source->test(&rig.env), -ENOENT);
	rig_make(&rig, "sys/class/power_supply/AC");
	rig_put(&rig, "sys/class/power_supply/AC/uevent",
		"POWER_SUPPLY_TYPE=Mains\nPOWER_SUPPLY_ONLINE=1\nPOWER_SUPPLY_STATUS=Charging\n");
	rig.env.tick++;
	ck_assert_int_eq(source->test(&rig.env), -ENODATA);
	rig_make(&rig, "sys/class/power_supply/mouse");
	rig_put(&rig, "sys/class/power_supply/mouse/uevent",
		"POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_SCOPE=Device\nPOWER_SUPPLY_CAPACITY=50\n");
	rig.env.tick++;
	ck_assert_int_eq(source->test(&rig.env), -ENODATA);
	rig_make(&rig, "sys/class/power_supply/CMB0");
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
