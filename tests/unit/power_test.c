/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the power topics: watts through wraps, resets and uneven intervals, one total, batteries, sensors.
 */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"

#define MW 1e-3
#define POWERCAP_PATH(zone) "sys/class/powercap/" zone "/energy_uj"

static const char *const power_only[] = { "power", NULL };
static const char *const sensor_topics[] = { "temperature", "fan", "voltage", "trip_point", "cooling", NULL };

static double watts(const struct frame *frame, const char *domain)
{
	return cell_f64(frame, "power", domain, "watts");
}

static const char *counted_in(const struct frame *frame, const char *domain)
{
	return cell_text(frame, "power", domain, "counted_in");
}

static void put_event(struct rig *rig, const char *pmu, const char *event)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s/type", pmu);
	rig_put(rig, path, "1\n"); /* of the kernel: its clocks run on any machine */
	snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s/cpumask", pmu);
	rig_put(rig, path, "0\n");
	snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s/events/%s", pmu, event);
	rig_put(rig, path, "event=0x00\n");
	strcat(path, ".scale");
	rig_put(rig, path, "1e-9\n");
}

/* The PMUs are made of files that lead to a clock of this machine, which counts a joule in each second. */
START_TEST(events_are_of_packages_and_of_cores)
{
	const struct frame *frame;
	struct rig rig;
	double joules;

	rig_open(&rig, "power-nothing", power_only);
	rig.env.live = true;
	rig_make(&rig, "sys/bus/event_source/devices/power/events");
	rig_make(&rig, "sys/bus/event_source/devices/power_core/events");
	rig_make(&rig, "sys/devices/system/cpu/cpu0/topology");
	put_event(&rig, "power", "energy-pkg");
	put_event(&rig, "power_core", "energy-core");
	rig_put(&rig, "sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
	rig_put(&rig, "sys/devices/system/cpu/cpu0/topology/core_id", "7\n");
	frame = rig_sample(&rig, 1);
	if (frame_table(frame, "power")->n_rows == 1) { /* events of CPUs take rights */
		ck_assert_uint_eq(frame->n_notices, 1);
		rig_close(&rig);
		skip_test("events of CPUs take privileges");
	}
	ck_assert_uint_eq(frame_table(frame, "power")->n_rows, 3);
	ck_assert_str_eq(counted_in(frame, "package-0"), "total");
	ck_assert_str_eq(counted_in(frame, "package-0/core-7"), "package-0");
	ck_assert_str_eq(cell_text(frame, "power", "package-0/core-7", "source"),
			 "perf power_core/energy-core/ CPU 0");
	joules = cell_f64(frame, "power", "package-0/core-7", "joules");
	usleep(2000);
	frame = rig_sample(&rig, 1);
	ck_assert_double_gt(cell_f64(frame, "power", "package-0/core-7", "joules"), joules + 0.0015);
	ck_assert_double_gt(watts(frame, "total"), 0);
	rig_close(&rig);
}

/* A psys that stands at 0 is passed over; when it begins to count, the total does not jump to it. */
START_TEST(the_psys_that_counts_is_the_total)
{
	static const unsigned first_uj[] = { 0, 0, 0, 40000000, 60000000, 80000000 };
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "power-laptop", power_only);
	rig_make(&rig, "sys/class/powercap/intel-rapl:2");
	rig_put(&rig, "sys/class/powercap/intel-rapl:2/name", "psys\n");
	for (unsigned i = 0; i < 6; i++) {
		rig_put(&rig, POWERCAP_PATH("intel-rapl:0"), "%u\n", 1000000000 + i * 10000000);
		rig_put(&rig, POWERCAP_PATH("intel-rapl:1"), "%u\n", first_uj[i]);
		rig_put(&rig, POWERCAP_PATH("intel-rapl:2"), "%u\n", 5000000 + i * 16000000);
		frame = rig_sample(&rig, 2);
		if (i == 2) {
			ck_assert_double_eq_tol(watts(frame, "total"), 8, MW);
			ck_assert_str_eq(counted_in(frame, "psys"), "");
			ck_assert_str_eq(counted_in(frame, "psys#2"), "total");
		}
		if (i == 3)
			ck_assert(isnan(watts(frame, "total")));
	}
	ck_assert_double_eq_tol(watts(frame, "total"), 10, MW);
	ck_assert_double_eq_tol(cell_f64(frame, "power", "total", "max_watts"), 10, MW);
	ck_assert_str_eq(counted_in(frame, "psys"), "total");
	rig_close(&rig);
}

START_TEST(what_is_refused_names_the_capability)
{
	const struct frame *frame;
	struct rig rig;

	if (geteuid() == 0) /* tests/power.test runs panetop without privileges */
		skip_test("nothing is refused to root");
	rig_open(&rig, "power-amd", power_only);
	ck_assert_int_eq(chmod(textf("%s/%s", rig.root, POWERCAP_PATH("intel-rapl:0")), 0), 0);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert_ptr_ne(strstr(frame->notices[0].remedy, "cap_dac_read_search"), NULL);
	rig_close(&rig);
}

START_TEST(polling_keeps_wraps_from_being_lost)
{
	const struct frame *frame;
	struct rig rig;
	uint64_t range = UINT64_C(65532610987), energy = range - 1000000000;

	rig_open(&rig, "power-amd", power_only);
	rig_put(&rig, POWERCAP_PATH("intel-rapl:0"), "%llu\n", (unsigned long long)energy);
	rig_sample(&rig, 1);
	for (unsigned minute = 1; minute <= 40;
	     minute++) { /* 100 W for 40 minutes: three and a half ranges */
		energy = (energy + UINT64_C(100000000) * 60) % range;
		rig_put(&rig, POWERCAP_PATH("intel-rapl:0"), "%llu\n", (unsigned long long)energy);
		rig.samples[0].topic->poll(&rig.samples[0], rig.clock.ns + minute * UINT64_C(60000000000));
	}
	frame = rig_sample(&rig, 2400);
	ck_assert_double_eq_tol(watts(frame, "package-0"), 100, MW);
	rig_close(&rig);
}

START_TEST(statistics_start_anew)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "power-amd", power_only);
	rig_sample(&rig, 1);
	rig_sample(&rig, 2); /* nothing was used */
	rig.samples[0].topic->restart(&rig.samples[0]);
	rig_tick(&rig, 1);
	frame = rig_sample(&rig, 2);
	ck_assert_double_eq_tol(cell_f64(frame, "power", "total", "mean_watts"), 21, MW);
	ck_assert_double_eq_tol(cell_f64(frame, "power", "total", "geometric_mean_watts"), 21, MW);
	ck_assert_double_eq_tol(cell_f64(frame, "power", "total", "stddev_watts"), 0, MW);
	rig_close(&rig);
}

START_TEST(the_number_of_a_chip_does_not_matter)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "power-laptop", sensor_topics);
	rig_sample(&rig, 1);
	ck_assert_int_eq(chdir(rig.root), 0);
	ck_assert_int_eq(rename("sys/class/hwmon/hwmon2", "sys/class/hwmon/hwmon20"), 0);
	rig_put(&rig, "sys/class/hwmon/hwmon20/temp1_input", "55000\n");
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(cell_f64(frame, "temperature", "nvme@0000:01:00.0/temp1", "celsius"), 55);
	ck_assert_double_eq(cell_f64(frame, "temperature", "nvme@0000:01:00.0/temp1", "min_celsius"), 41.85);
	ck_assert_double_eq(cell_f64(frame, "temperature", "nvme@0000:01:00.0/temp1", "max_celsius"), 55);
	rig.samples[0].topic->restart(&rig.samples[0]);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(cell_f64(frame, "temperature", "nvme@0000:01:00.0/temp1", "min_celsius"), 55);
	ck_assert_int_eq(chdir("/"), 0);
	rig_close(&rig);
}

START_TEST(frequencies_and_idle_states)
{
	static const char *const names[] = { "frequency", "idle_state", "throttle", "cpu", NULL };
	const struct table *table;
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "power-laptop", names);
	rig_sample(&rig, 1);
	rig_tick(&rig, 1);
	frame = rig_sample(&rig, 2);
	ck_assert_double_eq(cell_f64(frame, "frequency", "3", "hertz"), 2.4e9);
	ck_assert_double_eq_tol(cell_f64(frame, "frequency", "all", "hertz"),
				pow(1.8e9 * 2.0e9 * 2.2e9 * 2.4e9, 0.25), 1);
	ck_assert_double_eq(cell_f64(frame, "frequency", "0", "min_hertz"), 4e8);
	ck_assert_double_eq(cell_f64(frame, "frequency", "0", "max_hertz"), 4.2e9);
	ck_assert_str_eq(cell_text(frame, "frequency", "all", "turbo"), "allowed");
	ck_assert_str_eq(cell_text(frame, "frequency", "0", "turbo"), "");
	ck_assert_str_eq(cell_text(frame, "frequency", "1", "turbo"), "used");
	ck_assert_double_eq(cell_f64(frame, "frequency", "card0", "hertz"), 360e6);
	ck_assert_double_eq_tol(cell_f64(frame, "cpu", "all", "frequency_hertz"), 2.1e9, 1);
	table = frame_table(frame, "idle_state");
	ck_assert_uint_eq(table->n_rows, 3 + 4 * 3);
	ck_assert_double_eq_tol(table_number(table, table_find(table, "all", "C1E"), "residency_ratio"), 0.25,
				1e-9);
	ck_assert_double_eq_tol(table_number(table, table_find(table, "2", "C10"), "residency_ratio"), 0.45,
				1e-9);
	ck_assert_double_eq_tol(table_number(table, table_find(table, "all", "C10"), "entries_per_second"),
				180, 1e-9);
	ck_assert_double_eq_tol(cell_f64(frame, "throttle", "0", "package_throttles_per_second"), 1, 1e-9);
	rig_close(&rig);
}

static void put_chip(struct rig *rig, unsigned number, const char *name, const char *label, int millidegrees)
{
	rig_make(rig, textf("sys/class/hwmon/hwmon%u", number));
	rig_put(rig, textf("sys/class/hwmon/hwmon%u/name", number), "%s\n", name);
	rig_put(rig, textf("sys/class/hwmon/hwmon%u/temp1_label", number), "%s\n", label);
	rig_put(rig, textf("sys/class/hwmon/hwmon%u/temp1_input", number), "%d\n", millidegrees);
}

/* Where there is room for one temperature only; of two alike the first. */
START_TEST(the_first_temperature_is_that_of_the_cpu)
{
	static const struct {
		const char *chip, *label;
	} ranked[] = {
		{ "x86_pkg_temp", "" }, { "coretemp", "Package id 0" },
		{ "k10temp", "Tdie" },  { "k10temp", "Tctl" },
		{ "zenpower", "Tdie" }, { "cpu_thermal", "x" },
		{ "cpu-thermal", "x" }, { "coretemp", "Core 1" },
		{ "k10temp", "Tccd1" }, { "soc_thermal", "x" },
		{ "acpitz", "x" },      { "zenpower", "Tctl" },
	};
	static const char *const temperatures[] = { "temperature", NULL };

	for (unsigned i = 0; i + 1 < sizeof(ranked) / sizeof(ranked[0]); i++)
		for (unsigned first = 0; first < 2; first++) {
			const struct table *table;
			struct rig rig;

			rig_open(&rig, "empty", temperatures);
			for (unsigned chip = 0; chip < 2; chip++) {
				unsigned at = i + (chip == first ? 0 : 1);

				put_chip(&rig, chip, ranked[at].chip, ranked[at].label,
					 chip == first ? 45000 : 50000);
			}
			table = frame_table(rig_sample(&rig, 1), "temperature");
			ck_assert_uint_eq(table->n_rows, 2);
			ck_assert_msg(table_number(table, table_row(table, 0), "celsius") == 45, "%s %s",
				      ranked[i].chip, ranked[i].label);
			ck_assert_double_eq(table_number(table, table_row(table, 1), "celsius"), 50);
			rig_close(&rig);
		}
}

#define ZONE(file) "sys/class/thermal/thermal_zone0/" file

/* A zone has the lowest of its trip points of each kind, a chip its files. */
START_TEST(limits_are_those_of_chips_and_zones)
{
	static const struct {
		const char *types[4];
		double high, critical;
	} cases[] = {
		{ { "passive", "passive", "hot", "critical" }, 61, 64 },
		{ { "active", "hot", "hot", "critical" }, 62, 64 },
		{ { "critical", "passive", "critical", "active" }, 62, 61 },
		{ { "active", "active", "active", "active" }, NAN, NAN },
	};
	static const int trips[] = { 61, 62, 63, 64 };
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rig_open(&rig, "empty", sensor_topics);
		rig_make(&rig, "sys/class/thermal/thermal_zone0");
		rig_put(&rig, ZONE("type"), "zone\n");
		rig_put(&rig, ZONE("temp"), "50000\n");
		for (unsigned k = 0; k < 4; k++) {
			char path[96];

			snprintf(path, sizeof(path), ZONE("trip_point_%u_type"), k);
			rig_put(&rig, path, "%s\n", cases[i].types[k]);
			snprintf(path, sizeof(path), ZONE("trip_point_%u_temp"), k);
			rig_put(&rig, path, "%d000\n", trips[k]);
			snprintf(path, sizeof(path), ZONE("trip_point_%u_hyst"), k);
			if (k > 0)
				rig_put(&rig, path, "%u000\n", k);
		}
		frame = rig_sample(&rig, 1);
		ck_assert_uint_eq(frame_table(frame, "trip_point")->n_rows, 4);
		check_row(frame, "trip_point",
			  i == 0   ? "zone=zone trip=0 type=passive celsius=61 headroom_celsius=11"
			  : i == 2 ? "zone=zone trip=0 type=critical celsius=61 headroom_celsius=11"
				   : "zone=zone trip=0 type=active celsius=61 headroom_celsius=11");
		ck_assert_double_eq(table_number(frame_table(frame, "trip_point"),
						 table_row(frame_table(frame, "trip_point"), 3),
						 "hysteresis_celsius"),
				    3);
		ck_assert_msg(isnan(cases[i].high) ==
					      isnan(cell_f64(frame, "temperature", "zone", "high_celsius")) &&
				      (isnan(cases[i].high) || cell_f64(frame, "temperature", "zone",
									"high_celsius") == cases[i].high),
			      "case %u", i);
		ck_assert(isnan(cases[i].critical) ||
			  cell_f64(frame, "temperature", "zone", "critical_celsius") == cases[i].critical);
		rig_close(&rig);
	}
	rig_open(&rig, "empty", sensor_topics);
	put_chip(&rig, 0, "chip", "of it", 50000);
	rig_put(&rig, "sys/class/hwmon/hwmon0/temp1_min", "-5000\n");
	rig_put(&rig, "sys/class/hwmon/hwmon0/temp1_max", "80000\n");
	rig_put(&rig, "sys/class/hwmon/hwmon0/temp1_crit", "95000\n");
	rig_put(&rig, "sys/class/hwmon/hwmon0/temp1_fault", "0\n");
	rig_put(&rig, "sys/class/hwmon/hwmon0/temp2_input", "51000\n");
	rig_put(&rig, "sys/class/hwmon/hwmon0/temp2_fault", "1\n");
	rig_put(&rig, "sys/class/hwmon/hwmon0/in3_input", "1250\n");
	rig_put(&rig, "sys/class/hwmon/hwmon0/in3_min", "1100\n");
	rig_put(&rig, "sys/class/hwmon/hwmon0/in3_max", "1400\n");
	rig_put(&rig, "sys/class/hwmon/hwmon0/fan2_input", "900\n");
	rig_put(&rig, "sys/class/hwmon/hwmon0/fan2_min", "300\n");
	rig_sample(&rig, 1);
	rig_put(&rig, "sys/class/hwmon/hwmon0/temp1_input", "48000\n");
	rig_put(&rig, "sys/class/hwmon/hwmon0/in3_input", "1275\n");
	rig_put(&rig, "sys/class/hwmon/hwmon0/fan2_input", "1000\n");
	frame = rig_sample(&rig, 1);
	check_row(frame, "temperature",
		  "sensor=chip/temp1 label=of it celsius=48 min_celsius=48 max_celsius=50 high_celsius=80 "
		  "critical_celsius=95 chip=chip state=ok age_seconds=0");
	check_row(frame, "temperature", "sensor=chip/temp2 label=temp2 chip=chip state=fault age_seconds=0");
	check_row(frame, "voltage",
		  "input=chip/in3 label=in3 volts=1.275 min_volts=1.25 max_volts=1.275 low_volts=1.1 "
		  "high_volts=1.4 chip=chip state=ok age_seconds=0");
	/* what a chip has while nobody sets anything */
	rig_put(&rig, "sys/class/hwmon/hwmon0/temp1_input", "127000\n");
	rig_put(&rig, "sys/class/hwmon/hwmon0/fan2_input", "65535\n");
	frame = rig_sample(&rig, 1);
	check_row(frame, "temperature",
		  "sensor=chip/temp1 label=of it min_celsius=48 max_celsius=50 high_celsius=80 "
		  "critical_celsius=95 chip=chip state=impossible age_seconds=0");
	ck_assert(isnan(cell_f64(frame, "fan", "chip/fan2", "rpm")));
	rig_put(&rig, "sys/class/hwmon/hwmon0/fan2_input", "1000\n");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "fan")->n_rows, 1);
	ck_assert_double_eq(cell_f64(frame, "fan", "chip/fan2", "rpm"), 1000);
	ck_assert_double_eq(cell_f64(frame, "fan", "chip/fan2", "min_rpm"), 900);
	ck_assert_double_eq(cell_f64(frame, "fan", "chip/fan2", "max_rpm"), 1000);
	rig_close(&rig);
}

START_TEST(which_chips_measure_the_machine)
{
	static const struct {
		const char *chip, *label, *file, *domain, *from; /* from: of the total */
		double watts;
	} cases[] = {
		{ "power_meter", "any", "power1", "power_meter/power1", "meter of the machine", 25 },
		{ "macsmc_hwmon", "Total System Power", "power1", "macsmc_hwmon/power1",
		  "meter of the machine", 25 },
		{ "macsmc_hwmon", "Heatpipe Power", "power1", "macsmc_hwmon/power1",
		  "nothing here measures it", NAN },
		{ "corsairpsu", "power total", "power1", "corsairpsu/power1", "meter of the machine", 25 },
		{ "corsairpsu", "power +12v", "power1", "corsairpsu/power1", "nothing here measures it",
		  NAN },
		{ "other", "power total", "power1", "other/power1", "nothing here measures it", NAN },
		{ "amd_energy", "Esocket1", "energy1", "package-1", "packages + DRAM", 4 },
		{ "amd_energy", "Ecore001", "energy1", "amd_energy/energy1", "nothing here measures it",
		  NAN },
		{ "amd_energy", "Esocketx", "energy1", "amd_energy/energy1", "nothing here measures it",
		  NAN },
		{ "others_energy", "Esocket1", "energy1", "others_energy/energy1", "nothing here measures it",
		  NAN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool is_power = cases[i].file[0] == 'p';
		const struct frame *frame = NULL;
		char path[96];
		struct rig rig;

		rig_open(&rig, "empty", power_only);
		rig_make(&rig, "sys/class/hwmon/hwmon0");
		rig_put(&rig, "sys/class/hwmon/hwmon0/name", "%s\n", cases[i].chip);
		snprintf(path, sizeof(path), "sys/class/hwmon/hwmon0/%s_label", cases[i].file);
		rig_put(&rig, path, "%s\n", cases[i].label);
		snprintf(path, sizeof(path), "sys/class/hwmon/hwmon0/%s_input", cases[i].file);
		for (unsigned turn = 0; turn < 3; turn++) {
			rig_put(&rig, path, "%u\n", is_power ? 25000000 : 1000000 + 4000000 * turn);
			frame = rig_sample(&rig, 1);
		}
		ck_assert_str_eq(cell_text(frame, "power", "total", "source"), cases[i].from);
		ck_assert_msg(isnan(cases[i].watts) ? isnan(watts(frame, "total"))
						    : fabs(watts(frame, "total") - cases[i].watts) < MW,
			      "%s %s: %g W", cases[i].chip, cases[i].label, watts(frame, "total"));
		ck_assert_double_eq_tol(watts(frame, cases[i].domain), is_power ? 25 : 4, MW);
		ck_assert_str_eq(counted_in(frame, cases[i].domain), isnan(cases[i].watts) ? "" : "total");
		rig_close(&rig);
	}
}

/* Its last address on a bus tells which one it is. */
START_TEST(chips_are_called_as_their_devices)
{
	static const struct {
		const char *name, *place, *key; /* place: NULL: it is no link */
	} cases[] = {
		{ "coretemp", "platform/coretemp.0/hwmon/hwmon0", "coretemp.0/temp1" },
		{ "nvme", "pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0/hwmon0",
		  "nvme@0000:01:00.0/temp1" },
		{ "zone", "virtual/thermal/thermal_zone0/hwmon0", "zone@thermal_zone0/temp1" },
		{ "lm75", "platform/i2c-3/3-0048/hwmon/hwmon0", "lm75@3-0048/temp1" },
		{ "thinkpad", "platform/thinkpad_hwmon/hwmon/hwmon0", "thinkpad_hwmon/temp1" },
		{ "words", "platform/no-address/hwmon0", "words@no-address/temp1" },
		{ "alone", NULL, "alone/temp1" },
	};
	static const char *const temperatures[] = { "temperature", NULL };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char target[160], link[2 * SCRATCH_PATH_MAX];
		struct rig rig;

		rig_open(&rig, "empty", temperatures);
		rig_make(&rig, "sys/class/hwmon");
		rig_make(&rig, textf("sys/%s%s", cases[i].place ? "devices/" : "class/hwmon/hwmon0",
			 cases[i].place ? cases[i].place : ""));
		snprintf(target, sizeof(target), "../../devices/%s", cases[i].place ? cases[i].place : "");
		snprintf(link, sizeof(link), "%s/sys/class/hwmon/hwmon0", rig.root);
		ck_assert(!cases[i].place || symlink(target, link) == 0);
		rig_put(&rig, "sys/class/hwmon/hwmon0/name", "%s\n", cases[i].name);
		rig_put(&rig, "sys/class/hwmon/hwmon0/temp1_input", "50000\n");
		ck_assert_double_eq(cell_f64(rig_sample(&rig, 1), "temperature", cases[i].key, "celsius"),
				    50);
		rig_close(&rig);
	}
}
