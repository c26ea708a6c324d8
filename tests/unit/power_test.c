/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the power topics beside tests/rows/power.txt: real events, rights, polls, restarts, the order of
 * rows.
 */
#include "rig.h"

#include <poll.h>
#include <sys/timerfd.h>

static struct rig rig;

#define MW 1e-3
#define POWERCAP_PATH(zone) "sys/class/powercap/" zone "/energy_uj"

static const char *const power_only[] = { "power", NULL };

static double watts(const struct frame *frame, const char *domain)
{
	return cell_f64(frame, "power", domain, "watts");
}

static void put_event(const char *pmu, const char *event)
{
	/* of the kernel: its clocks run on any machine */
	rig_put(&rig, textf("sys/bus/event_source/devices/%s/type", pmu), "1\n");
	rig_put(&rig, textf("sys/bus/event_source/devices/%s/cpumask", pmu), "0\n");
	rig_put(&rig, textf("sys/bus/event_source/devices/%s/events/%s", pmu, event), "event=0x00\n");
	rig_put(&rig, textf("sys/bus/event_source/devices/%s/events/%s.scale", pmu, event), "1e-9\n");
}

/* The PMUs are made of files that lead to a clock of this machine, which counts a joule in each second. */
START_TEST(events_are_of_packages_and_of_cores)
{
	const struct frame *frame;
	double joules;

	rig_open(&rig, "power-nothing", power_only);
	rig.env.live = true;
	put_event("power", "energy-pkg");
	put_event("power_core", "energy-core");
	rig_put(&rig, "sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
	rig_put(&rig, "sys/devices/system/cpu/cpu0/topology/core_id", "7\n");
	frame = rig_sample(&rig, 1);
	if (frame_table(frame, "power")->n_rows == 1) { /* events of CPUs take rights */
		ck_assert_uint_eq(frame->n_notices, 1);
		rig_close(&rig);
		skip_test("events of CPUs take privileges");
	}
	ck_assert_uint_eq(frame_table(frame, "power")->n_rows, 3);
	check_values(frame, "power", "domain=package-0 counted_in=total");
	check_values(
		frame, "power",
		"domain=package-0/core-7 source=perf power_core/energy-core/ CPU 0 counted_in=package-0");
	joules = cell_f64(frame, "power", "package-0/core-7", "joules");
	usleep(2000);
	frame = rig_sample(&rig, 1);
	ck_assert_double_gt(cell_f64(frame, "power", "package-0/core-7", "joules"), joules + 0.0015);
	ck_assert_double_gt(watts(frame, "total"), 0);
	rig_close(&rig);
}

START_TEST(what_is_refused_names_the_capability)
{
	const struct frame *frame;

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
	uint64_t range = UINT64_C(65532610987), energy = range - 1000000000;

	rig_open(&rig, "power-amd", power_only);
	rig_put(&rig, POWERCAP_PATH("intel-rapl:0"), "%llu\n", (unsigned long long)energy);
	rig_sample(&rig, 1);
	for (unsigned minute = 1; minute <= 40;
	     minute++) { /* 100 W for 40 minutes: three and a half ranges */
		energy = (energy + UINT64_C(100000000) * 60) % range;
		rig_put(&rig, POWERCAP_PATH("intel-rapl:0"), "%llu\n", (unsigned long long)energy);
		rig.clock.ns += UINT64_C(60000000000);
		timerfd_settime(rig.source.poll_fd, 0, &(struct itimerspec){ .it_value.tv_nsec = 1 }, NULL);
		ck_assert_int_eq(poll(&(struct pollfd){ rig.source.poll_fd, POLLIN, 0 }, 1, -1), 1);
		rig.source.poll(rig.source.state, 0);
	}
	frame = rig_sample(&rig, 0);
	ck_assert_double_eq_tol(watts(frame, "package-0"), 100, MW);
	rig_close(&rig);
}

START_TEST(statistics_start_anew)
{
	const struct frame *frame;

	rig_open(&rig, "power-amd", power_only);
	rig_sample(&rig, 1);
	rig_sample(&rig, 2); /* nothing was used */
	rig.source.restart(rig.source.state, NULL);
	rig_tick(&rig, 1);
	frame = rig_sample(&rig, 2);
	check_values(frame, "power", "domain=total mean_watts=21 geometric_mean_watts=21 stddev_watts=0");
	rig_close(&rig);
}

START_TEST(the_number_of_a_chip_does_not_matter)
{
	const struct frame *frame;

	rig_open(&rig, "power-laptop", TOPICS("temperature"));
	rig_sample(&rig, 1);
	ck_assert_int_eq(chdir(rig.root), 0);
	ck_assert_int_eq(rename("sys/class/hwmon/hwmon2", "sys/class/hwmon/hwmon20"), 0);
	rig_put(&rig, "sys/class/hwmon/hwmon20/temp1_input", "55000\n");
	frame = rig_sample(&rig, 1);
	check_values(frame, "temperature",
		     "sensor=nvme@0000:01:00.0/temp1 celsius=55 min_celsius=41.85 max_celsius=55");
	rig.source.restart(rig.source.state, NULL);
	check_values(rig_sample(&rig, 1), "temperature", "sensor=nvme@0000:01:00.0/temp1 min_celsius=55");
	ck_assert_int_eq(chdir("/"), 0);
	rig_close(&rig);
}

/* Where there is room for one temperature only; of two alike the first. */
START_TEST(the_first_temperature_is_that_of_the_cpu)
{
	static const char *const ranked[][2] = {
		{ "x86_pkg_temp", "" }, { "coretemp", "Package id 0" },
		{ "k10temp", "Tdie" },  { "k10temp", "Tctl" },
		{ "zenpower", "Tdie" }, { "cpu_thermal", "x" },
		{ "cpu-thermal", "x" }, { "coretemp", "Core 1" },
		{ "k10temp", "Tccd1" }, { "soc_thermal", "x" },
		{ "acpitz", "x" },      { "zenpower", "Tctl" },
	};

	for (unsigned i = 0; i + 1 < sizeof(ranked) / sizeof(ranked[0]); i++)
		for (unsigned first = 0; first < 2; first++) {
			const struct table *table;

			rig_open(&rig, "empty", TOPICS("temperature"));
			for (unsigned chip = 0; chip < 2; chip++) {
				unsigned at = i + (chip != first);

				rig_put(&rig, textf("sys/class/hwmon/hwmon%u/name", chip), "%s\n",
					ranked[at][0]);
				rig_put(&rig, textf("sys/class/hwmon/hwmon%u/temp1_label", chip), "%s\n",
					ranked[at][1]);
				rig_put(&rig, textf("sys/class/hwmon/hwmon%u/temp1_input", chip), "%u\n",
					chip == first ? 45000 : 50000);
			}
			table = frame_table(rig_sample(&rig, 1), "temperature");
			ck_assert_uint_eq(table->n_rows, 2);
			ck_assert_msg(table_number(table, table_row(table, 0), "celsius") == 45, "%s %s",
				      ranked[i][0], ranked[i][1]);
			rig_close(&rig);
		}
}
