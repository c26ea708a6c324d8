/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of idle states and throttling of CPUs that come and go. */
#include <config.h>

#include <math.h>
#include <stdio.h>

#include "rig.h"
#include "topic/cpu/frequency.h"
#include "topic/reader.h"

#define CPU "sys/devices/system/cpu/cpu%u/"

static const char *const idle_only[] = { "idle_state", NULL };
static const char *const throttle_only[] = { "throttle", NULL };

static void put_number(struct rig *rig, const char *format, unsigned cpu, uint64_t number)
{
	char path[128];

	snprintf(path, sizeof(path), format, cpu);
	rig_put(rig, path, "%llu\n", (unsigned long long)number);
}

static void put_online(struct rig *rig, unsigned n_cpus)
{
	char text[256];
	size_t length = 0;

	for (unsigned cpu = 0; cpu < n_cpus; cpu++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "cpu%u 1 1 1 1\n", cpu);
	rig_put(rig, "proc/stat", "cpu 4 4 4 4\n%s", text);
}

/* Each CPU slept a quarter of each second in state 1, in ten pieces; the last one slept long before that. */
static const struct frame *sleep_a_second(struct rig *rig, uint64_t seconds)
{
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		uint64_t before = cpu == 3 ? UINT64_C(9000000000) : 1000000;

		put_number(rig, CPU "cpuidle/state1/time", cpu, before + seconds * 250000);
		put_number(rig, CPU "cpuidle/state1/usage", cpu, before / 1000 + seconds * 10);
	}
	return rig_sample(rig, 1);
}

static double of_all(const struct frame *frame, const char *column)
{
	const struct table *table = frame_table(frame, "idle_state");

	return table_number(table, table_find(table, "all", "C1E"), column);
}

START_TEST(cpus_that_come_and_go_change_no_mean)
{
	static const unsigned online[] = { 4, 4, 3, 3, 4, 4, 1, 2 };
	struct rig rig;

	rig_open(&rig, "power-laptop", idle_only);
	for (unsigned i = 0; i < sizeof(online) / sizeof(online[0]); i++) {
		unsigned known = i > 0 && online[i] > online[i - 1] ? online[i - 1] : online[i];
		const struct frame *frame;

		put_online(&rig, online[i]);
		frame = sleep_a_second(&rig, i);
		ck_assert_uint_eq(frame_table(frame, "idle_state")->n_rows, 3 + online[i] * 3);
		if (i == 0) {
			ck_assert_double_eq_tol(of_all(frame, "residency_seconds"), 9003.0 / 4, 1e-9);
			ck_assert_double_eq(of_all(frame, "entries"), 9003000);
			continue;
		}
		ck_assert_double_eq_tol(of_all(frame, "residency_ratio"), 0.25, 1e-9);
		ck_assert_double_eq_tol(of_all(frame, "entries_per_second"), 10 * known, 1e-6);
	}
	rig_close(&rig);
}
END_TEST

/* A count that is unknown for a while is not missing from the sums later; a reset makes them unknown. */
START_TEST(sums_are_whole_or_unknown)
{
	const struct frame *frame;
	struct rig rig;
	double seconds;

	rig_open(&rig, "power-laptop", idle_only);
	frame = sleep_a_second(&rig, 0);
	seconds = of_all(frame, "residency_seconds");
	rig_put(&rig, "sys/devices/system/cpu/cpu2/cpuidle/state1/usage", "?\n");
	rig_put(&rig, "sys/devices/system/cpu/cpu2/cpuidle/state1/time", "?\n");
	frame = rig_sample(&rig, 1);
	ck_assert(isnan(of_all(frame, "residency_seconds")));
	ck_assert(isnan(of_all(frame, "entries")));
	frame = sleep_a_second(&rig, 2);
	ck_assert_double_eq_tol(of_all(frame, "residency_seconds"), seconds + 0.5, 1e-9);
	ck_assert(isnan(of_all(frame, "residency_ratio")));
	put_number(&rig, CPU "cpuidle/state1/usage", 1, 0);
	put_number(&rig, CPU "cpuidle/state1/time", 1, 0);
	frame = rig_sample(&rig, 1);
	ck_assert(isnan(of_all(frame, "residency_ratio")));
	ck_assert(isnan(of_all(frame, "entries_per_second")));
	rig_close(&rig);
}
END_TEST

START_TEST(without_a_cpu_that_was_there_before_nothing_is_known)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "power-laptop", idle_only);
	sleep_a_second(&rig, 0);
	rig_put(&rig, "proc/stat", "cpu 4 4 4 4\n");
	ck_assert_uint_eq(frame_table(sleep_a_second(&rig, 1), "idle_state")->n_rows, 0);
	put_online(&rig, 1);
	frame = sleep_a_second(&rig, 2);
	ck_assert(isnan(of_all(frame, "residency_seconds")));
	ck_assert(isnan(of_all(frame, "entries")));
	ck_assert_double_eq_tol(of_all(sleep_a_second(&rig, 3), "residency_seconds"), 9003.0 / 4 + 0.25,
				1e-9);
	rig_close(&rig);
}
END_TEST

static double of_cpu(const struct frame *frame, const char *column)
{
	const struct table *table = frame_table(frame, "idle_state");

	return table_number(table, table_find(table, "1", "C1E"), column);
}

/* Where entries cannot be read, the time is still known; where none came, it is as it was, and not read. */
START_TEST(idle_times_come_with_entries)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "power-laptop", idle_only);
	sleep_a_second(&rig, 0);
	put_number(&rig, CPU "cpuidle/state1/time", 1, 99);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq_tol(of_cpu(frame, "residency_seconds"), 1, 1e-9);
	ck_assert_double_eq(of_cpu(frame, "residency_ratio"), 0);
	put_number(&rig, CPU "cpuidle/state1/time", 1, 1500000);
	put_number(&rig, CPU "cpuidle/state1/usage", 1, 1001);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq_tol(of_cpu(frame, "residency_seconds"), 1.5, 1e-9);
	ck_assert_double_eq(of_cpu(frame, "entries"), 1001);
	rig_put(&rig, "sys/devices/system/cpu/cpu1/cpuidle/state1/usage", "?\n");
	for (unsigned i = 1; i < 4; i++) {
		put_number(&rig, CPU "cpuidle/state1/time", 1, 1500000 + i * 100000);
		frame = rig_sample(&rig, 1);
		ck_assert(isnan(of_cpu(frame, "entries")));
		ck_assert_double_eq_tol(of_cpu(frame, "residency_seconds"), 1.5 + 0.1 * i, 1e-9);
	}
	rig_close(&rig);
}
END_TEST

static double throttled(const struct frame *frame, const char *cpu, const char *part)
{
	char column[64];

	snprintf(column, sizeof(column), "%s_throttled_seconds", part);
	return cell_f64(frame, "throttle", cpu, column);
}

static void put_throttling(struct rig *rig, unsigned cpu, const char *part, unsigned count, unsigned ms)
{
	char path[128];

	snprintf(path, sizeof(path), CPU "thermal_throttle/%s_throttle_count", cpu, part);
	rig_put(rig, path, "%u\n", count);
	snprintf(path, sizeof(path), CPU "thermal_throttle/%s_throttle_total_time_ms", cpu, part);
	rig_put(rig, path, "%u\n", ms);
}

static const struct frame *throttle(struct rig *rig, unsigned count, unsigned ms)
{
	put_throttling(rig, 1, "core", count, ms);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		put_throttling(rig, cpu, "package", count, ms);
	return rig_sample(rig, 1);
}

/* The kernel counts when it begins; the time comes when it ends, and the count stands still then. */
START_TEST(time_of_a_throttling_is_told_when_it_ends)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "power-laptop", throttle_only);
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		char path[64];

		snprintf(path, sizeof(path), CPU "topology", cpu);
		rig_make(&rig, path);
		put_number(&rig, CPU "topology/physical_package_id", cpu, 0);
		put_throttling(&rig, cpu, "core", 0, 0);
	}
	frame = throttle(&rig, 0, 0);
	ck_assert_double_eq(throttled(frame, "1", "core"), 0);
	frame = throttle(&rig, 1, 0);
	ck_assert_uint_eq(cell_u64(frame, "throttle", "1", "core_throttles"), 1);
	ck_assert_double_eq(throttled(frame, "1", "core"), 0);
	frame = throttle(&rig, 1, 2000);
	ck_assert_double_eq(throttled(frame, "1", "core"), 2);
	ck_assert_double_eq(throttled(frame, "0", "package"), 2);
	ck_assert_double_eq(throttled(frame, "3", "package"), 2);
	ck_assert_double_eq(throttled(frame, "0", "core"), 0);
	rig_close(&rig);
}
END_TEST

static uint64_t reads_of_a_sample(struct rig *rig)
{
	uint64_t before = rig->env.reads;

	rig_sample(rig, 1);
	return rig->env.reads - before;
}

START_TEST(who_needs_no_speeds_reads_none)
{
	static const char *const both[] = { "idle_state", "throttle", NULL };
	uint64_t with_speeds;
	struct rig rig;

	rig_open(&rig, "power-laptop", both);
	rig_sample(&rig, 1);
	with_speeds = reads_of_a_sample(&rig);
	rig_close(&rig);
	rig_open(&rig, "power-laptop", both);
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		char path[64];

		snprintf(path, sizeof(path), CPU "cpufreq", cpu);
		rig_remove(&rig, path);
	}
	rig_sample(&rig, 1);
	ck_assert_uint_eq(reads_of_a_sample(&rig), with_speeds);
	rig_close(&rig);
}
END_TEST

static void put_speed(struct rig *rig, unsigned khz)
{
	rig_put(rig, "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "%u\n", khz);
	rig_put(rig, "proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: %u.000\n", khz / 1000);
}

/* Of a single CPU it is read when it is asked for, once a tick where all were read; else from a list. */
START_TEST(a_speed_is_that_of_the_tick)
{
	static const char *const none[] = { NULL };

	for (unsigned listed = 0; listed < 2; listed++) {
		struct frequencies *frequencies;
		struct sample sample;
		struct rig rig;

		rig_open(&rig, "power-laptop", none);
		for (unsigned cpu = 0; cpu < 4 && listed; cpu++) {
			char path[64];

			snprintf(path, sizeof(path), CPU "cpufreq", cpu);
			rig_remove(&rig, path);
		}
		if (listed)
			rig_make(&rig, "sys/devices/system/cpu/cpu0/cpufreq");
		put_speed(&rig, 1500000);
		sample = (struct sample){ .env = &rig.env,
					  .settings = &rig.settings.topic,
					  .request = &rig.request };
		frequencies = reader_open(&frequency_reader, &sample, NULL);
		rig.env.tick++;
		ck_assert_double_eq(frequency_hertz(frequencies, &sample, 0), 1.5e9);
		ck_assert(isnan(frequency_hertz(frequencies, &sample, 99)));
		put_speed(&rig, 1700000);
		ck_assert_double_eq(frequency_hertz(frequencies, &sample, 0), 1.5e9);
		rig.env.tick++;
		ck_assert_double_eq(frequency_hertz(frequencies, &sample, 0), 1.7e9);
		reader_close(&frequency_reader, &rig.env);
		rig_close(&rig);
	}
}
END_TEST
