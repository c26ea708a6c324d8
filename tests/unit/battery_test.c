/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of batteries without a power reading: their power is derived from changes of the charge. */
#include <config.h>

#include <math.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rig.h"

#define UEVENT "sys/class/power_supply/BAT0/uevent"
#define MW 1e-3
#define JOULES_PER_MAH_VOLT 3.6

static const char *const names[] = { "battery", "power", NULL };

static time_t slept_seconds;

/* Instead of that of libc: the clocks stand still, however busy the machine is, but for a suspend. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME)
		return (int)syscall(SYS_clock_gettime, clock, now);
	*now = (struct timespec){ .tv_sec = 1000 + (clock == CLOCK_BOOTTIME ? slept_seconds : 0) };
	return 0;
}

static void open_battery(struct rig *rig)
{
	rig_open(rig, "power-laptop", names);
	rig_remove(rig, "sys/class/powercap");
	slept_seconds = 0;
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
END_TEST

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
END_TEST

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
END_TEST

START_TEST(what_went_while_the_machine_slept_is_no_flow_of_now)
{
	struct rig rig;

	open_battery(&rig);
	charge(&rig, "Discharging", 2000, 12000);
	charge(&rig, "Discharging", 1999, 12000);
	ck_assert(!isnan(charge(&rig, "Discharging", 1998, 12000)));
	slept_seconds = 8 * 3600;
	ck_assert(isnan(charge(&rig, "Discharging", 1700, 12000)));
	charge(&rig, "Discharging", 1699, 12000);
	ck_assert_double_eq_tol(charge(&rig, "Discharging", 1698, 12000), 12 * JOULES_PER_MAH_VOLT / 10,
				MW);
	rig_close(&rig);
}
END_TEST

START_TEST(what_is_not_told_is_not_known)
{
	const struct table *table;
	struct rig rig;

	open_battery(&rig);
	rig_put(&rig, UEVENT, "POWER_SUPPLY_TYPE=Battery\n");
	table = frame_table(rig_sample(&rig, 1), "battery");
	ck_assert_uint_eq(table->n_rows, 1);
	ck_assert(!row_is_known(table_row(table, 0), schema_find(table->schema, "status")));
	ck_assert(!row_is_known(table_row(table, 0), schema_find(table->schema, "model")));
	rig_close(&rig);
}
END_TEST

/* Joules that RAPL counted in a s2idle of 8 hours are not those of two seconds; in S3 it begins again. */
START_TEST(energy_of_a_sleep_is_no_power_of_now)
{
	static const char *const path = "sys/class/powercap/intel-rapl:0/energy_uj";
	static const uint64_t after[] = { 7100000000, 3000000 };
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 2; i++) {
		rig_open(&rig, "power-server", names);
		slept_seconds = 0;
		rig_put(&rig, path, "5000000000\n");
		rig_sample(&rig, 2);
		rig_put(&rig, path, "5010000000\n");
		ck_assert_double_eq_tol(cell_f64(rig_sample(&rig, 2), "power", "package-0", "watts"), 5, MW);
		slept_seconds = 8 * 3600;
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
END_TEST
