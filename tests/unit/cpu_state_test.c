/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of idle states and throttling of CPUs that come and go. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"
#include "topic/cpu/frequency.h"
#include "topic/reader.h"

#define CPU "sys/devices/system/cpu/cpu%u/"

static const char *const idle_only[] = { "idle_state", NULL };
static const char *const throttle_only[] = { "throttle", NULL };

static void put_number(struct rig *rig, const char *format, unsigned cpu, uint64_t number)
{
	rig_put(rig, textf(format, cpu), "%llu\n", (unsigned long long)number);
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

static double throttled(const struct frame *frame, const char *cpu, const char *part)
{
	char column[64];

	snprintf(column, sizeof(column), "%s_throttled_seconds", part);
	return cell_f64(frame, "throttle", cpu, column);
}

static void put_throttling(struct rig *rig, unsigned cpu, const char *part, unsigned count, unsigned ms)
{
	rig_put(rig, textf(CPU "thermal_throttle/%s_throttle_count", cpu, part), "%u\n", count);
	rig_put(rig, textf(CPU "thermal_throttle/%s_throttle_total_time_ms", cpu, part), "%u\n", ms);
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
		rig_make(&rig, textf(CPU "topology", cpu));
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

#define MANY 10
#define SECOND_PACKAGE 6
#define UNKNOWN_PACKAGE 8

/* Of two packages, but for the last two, of which no package is known; none was throttled. */
static void put_many(struct rig *rig)
{
	put_online(rig, MANY);
	for (unsigned cpu = 0; cpu < MANY; cpu++) {
		rig_make(rig, textf(CPU "topology", cpu));
		rig_make(rig, textf(CPU "thermal_throttle", cpu));
		put_throttling(rig, cpu, "core", 0, 0);
		put_throttling(rig, cpu, "package", 0, 0);
		if (cpu < UNKNOWN_PACKAGE)
			put_number(rig, CPU "topology/physical_package_id", cpu,
				   cpu < SECOND_PACKAGE ? 3 : 0);
	}
}

static uint64_t package_count(const struct frame *frame, unsigned cpu)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", cpu);
	return cell_u64(frame, "throttle", name, "package_throttles");
}

/* All but the first of each package count this much more than their number. */
static void throttle_others(struct rig *rig, unsigned more)
{
	for (unsigned cpu = 1; cpu < UNKNOWN_PACKAGE; cpu++)
		if (cpu != SECOND_PACKAGE)
			put_throttling(rig, cpu, "package", more + cpu, 1000 * cpu);
}

/* How many of the first or second package show that. */
static unsigned n_seen(const struct frame *frame, bool second, unsigned more)
{
	unsigned n = 0;

	for (unsigned cpu = second ? SECOND_PACKAGE + 1 : 1;
	     cpu < (second ? UNKNOWN_PACKAGE : SECOND_PACKAGE); cpu++)
		n += package_count(frame, cpu) == more + cpu;
	return n;
}

/* The first of a package tells for all; what the others count alone is seen within eight samples. */
START_TEST(each_cpu_of_a_package_has_its_turn)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "power-laptop", throttle_only);
	put_many(&rig);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "throttle")->n_rows, MANY);
	rig_sample(&rig, 1);
	throttle_others(&rig, 5);
	for (unsigned passed = 1; passed <= 8; passed++) {
		unsigned n;

		put_throttling(&rig, MANY - 1, "package", passed, 0); /* alone, as far as known */
		frame = rig_sample(&rig, 1);
		n = n_seen(frame, false, 5) + n_seen(frame, true, 5);
		ck_assert_uint_le(n, passed);
		ck_assert_uint_ge(n + 2, passed); /* the first ones have turns, too, and show nothing */
		ck_assert_uint_eq(package_count(frame, MANY - 1), passed);
	}
	ck_assert_uint_eq(package_count(frame, 0), 0);
	ck_assert_uint_eq(n_seen(frame, false, 5), 5);
	ck_assert_uint_eq(n_seen(frame, true, 5), 1);
	ck_assert_double_eq(throttled(frame, "7", "package"), 7);
	rig_close(&rig);
}

/* All of its package are read when the first one begins, and when it ends; not while it stays as it was. */
START_TEST(a_package_that_is_throttled_is_read_whole)
{
	static const struct {
		unsigned first, count, ms;
		bool read[2]; /* the first and the second package */
	} ticks[] = {
		{ 0, 1, 0, { true, false } },
		{ 0, 1, 0, { false, false } },
		{ 0, 1, 500, { true, false } },
		{ 0, 1, 500, { false, false } },
		{ SECOND_PACKAGE, 4, 900, { false, true } },
		{ SECOND_PACKAGE, 4, 900, { false, false } },
	};
	struct rig rig;

	rig_open(&rig, "power-laptop", throttle_only);
	put_many(&rig);
	rig_sample(&rig, 1);
	for (unsigned i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		unsigned more = 20 * (i + 1);
		const struct frame *frame;

		put_throttling(&rig, ticks[i].first, "package", ticks[i].count, ticks[i].ms);
		throttle_others(&rig, more);
		frame = rig_sample(&rig, 1);
		ck_assert_uint_eq(package_count(frame, ticks[i].first), ticks[i].count);
		ck_assert_double_eq(throttled(frame, ticks[i].first ? "6" : "0", "package"),
				    ticks[i].ms / 1e3);
		for (unsigned second = 0; second < 2; second++) {
			unsigned n = n_seen(frame, second, more);

			if (ticks[i].read[second])
				ck_assert_uint_eq(n, second ? 1 : 5);
			else
				ck_assert_uint_le(n, 1); /* its turn */
		}
	}
	rig_close(&rig);
}

/* Where nothing was counted there is no time; what cannot be read is unknown, and read again. */
START_TEST(time_is_read_where_throttling_was_counted)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "power-laptop", throttle_only);
	put_many(&rig);
	rig_sample(&rig, 1);
	put_throttling(&rig, 2, "core", 0, 7000);
	put_throttling(&rig, 9, "package", 0, 7000);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(throttled(frame, "2", "core"), 0);
	ck_assert_double_eq(throttled(frame, "9", "package"), 0);
	rig_put(&rig, "sys/devices/system/cpu/cpu2/thermal_throttle/core_throttle_count", "?\n");
	rig_put(&rig, "sys/devices/system/cpu/cpu2/thermal_throttle/core_throttle_total_time_ms", "?\n");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(cell_u64(frame, "throttle", "2", "core_throttles"), U64_UNKNOWN);
	ck_assert(isnan(throttled(frame, "2", "core")));
	put_throttling(&rig, 2, "core", 4, 8000);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(cell_u64(frame, "throttle", "2", "core_throttles"), 4);
	ck_assert_double_eq(throttled(frame, "2", "core"), 8);
	put_throttling(&rig, 2, "core", 0, 9000); /* counted again from 0 */
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(throttled(frame, "2", "core"), 9);
	rig_close(&rig);
}

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
	for (unsigned cpu = 0; cpu < 4; cpu++)
		rig_remove(&rig, textf(CPU "cpufreq", cpu));
	rig_sample(&rig, 1);
	ck_assert_uint_eq(reads_of_a_sample(&rig), with_speeds);
	rig_close(&rig);
}

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
		for (unsigned cpu = 0; cpu < 4 && listed; cpu++)
			rig_remove(&rig, textf(CPU "cpufreq", cpu));
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

static const char *const cpu_alone[] = { "cpu", NULL };

/* At most a minute more than passed is growth, at most a second back is waited for. */
START_TEST(growth_of_a_cpu_is_that_of_the_interval)
{
	static const struct {
		unsigned seconds, ticks;
		double sum; /* in the row */
	} cases[] = {
		{ 1, 10000, 100 },           { 1, 10000 + 6100, 161 },    { 1, 16100 + 6101, 161 },
		{ 1, 22201 + 50, 161.5 },    { 30, 22251 + 9000, 251.5 }, { 1, 31251 - 100, 251.5 },
		{ 1, 31251 + 10, 251.6 },    { 1, 31261 - 101, 251.6 },   { 1, 31160 + 10, 251.7 },
		{ 30, 31170 + 9001, 251.7 },
	};
	struct rig rig;

	rig_open(&rig, "empty", cpu_alone);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame;

		rig_put(&rig, "proc/stat", "cpu  %u 0 0 0 0 0 0 0 0 0\ncpu0 %u 0 0 0 0 0 0 0 0 0\n",
			cases[i].ticks, cases[i].ticks);
		frame = rig_sample(&rig, cases[i].seconds);
		ck_assert_double_eq_tol(cell_f64(frame, "cpu", "0", "user_seconds"), cases[i].sum, 1e-9);
		ck_assert_double_eq_tol(cell_f64(frame, "cpu", "all", "user_seconds"), cases[i].sum, 1e-9);
	}
	rig_close(&rig);
}

static const char *const frequency_alone[] = { "frequency", NULL };

static void put_frequency(struct rig *rig, unsigned cpu, const char *name, unsigned khz)
{
	char path[96];

	snprintf(path, sizeof(path), CPU "cpufreq", cpu);
	rig_make(rig, path);
	strcat(strcat(path, "/"), name);
	rig_put(rig, path, "%u\n", khz);
}

/* Ten CPUs with speeds and limits of their own. */
static void put_frequencies(struct rig *rig)
{
	put_online(rig, MANY);
	for (unsigned cpu = 0; cpu < MANY; cpu++) {
		put_frequency(rig, cpu, "scaling_cur_freq", 1000000 + cpu);
		put_frequency(rig, cpu, "scaling_min_freq", 500000 + cpu);
		put_frequency(rig, cpu, "scaling_max_freq", 3000000 + cpu);
		put_frequency(rig, cpu, "cpuinfo_min_freq", 400000 + cpu);
		put_frequency(rig, cpu, "cpuinfo_max_freq", 4000000 + cpu);
		put_frequency(rig, cpu, "base_frequency", 2000000 + cpu);
	}
}

START_TEST(frequencies_of_each_cpu)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "power-laptop", frequency_alone);
	put_frequencies(&rig);
	put_frequency(&rig, 1, "scaling_cur_freq", 2000001); /* exactly its base */
	put_frequency(&rig, 2, "scaling_cur_freq", 2000003);
	frame = rig_sample(&rig, 1);
	check_row(frame, "frequency",
		  "cpu=0 hertz=1000000000 min_hertz=500000000 max_hertz=3000000000 least_hertz=400000000 "
		  "base_hertz=2000000000 most_hertz=4000000000 turbo=");
	check_row(frame, "frequency",
		  "cpu=1 hertz=2000001000 min_hertz=500001000 max_hertz=3000001000 least_hertz=400001000 "
		  "base_hertz=2000001000 most_hertz=4000001000 turbo=");
	check_row(frame, "frequency",
		  "cpu=2 hertz=2000003000 min_hertz=500002000 max_hertz=3000002000 least_hertz=400002000 "
		  "base_hertz=2000002000 most_hertz=4000002000 turbo=used");
	ck_assert_double_eq(cell_f64(frame, "frequency", "all", "min_hertz"), 500000000);
	ck_assert_double_eq(cell_f64(frame, "frequency", "all", "max_hertz"), 3000009000);
	ck_assert(isnan(cell_f64(frame, "frequency", "all", "least_hertz")));
	rig_close(&rig);
}

/* Each is read in every eighth sample, and at once where it was unknown. */
START_TEST(limits_of_speeds_have_their_turn)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "power-laptop", frequency_alone);
	put_frequencies(&rig);
	put_frequency(&rig, 9, "scaling_min_freq", 0);
	rig_put(&rig, "sys/devices/system/cpu/cpu9/cpufreq/scaling_max_freq", "?\n");
	frame = rig_sample(&rig, 1);
	ck_assert(isnan(cell_f64(frame, "frequency", "9", "max_hertz")));
	for (unsigned cpu = 0; cpu < MANY; cpu++) {
		put_frequency(&rig, cpu, "scaling_min_freq", 600000 + cpu);
		put_frequency(&rig, cpu, "scaling_max_freq", 3500000 + cpu);
	}
	for (unsigned passed = 1; passed <= 8; passed++) {
		unsigned n_low = 0, n_high = 0;

		frame = rig_sample(&rig, 1);
		for (unsigned cpu = 0; cpu < 8; cpu++) {
			char name[16];

			snprintf(name, sizeof(name), "%u", cpu);
			n_low += cell_f64(frame, "frequency", name, "min_hertz") == (600000 + cpu) * 1e3;
			n_high += cell_f64(frame, "frequency", name, "max_hertz") == (3500000 + cpu) * 1e3;
		}
		ck_assert_uint_eq(n_low, passed);
		ck_assert_uint_eq(n_high, passed);
		ck_assert_double_eq(cell_f64(frame, "frequency", "9", "max_hertz"), 3500009000);
	}
	rig_close(&rig);
}

/* Without a driver the speeds are in a list; a CPU that comes may have one. */
START_TEST(speeds_from_a_list)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", frequency_alone);
	put_online(&rig, 3);
	rig_put(&rig, "proc/cpuinfo",
		"processor\t: 0\ncpu MHz\t\t: 1000.000\n\nprocessor\t: 2\ncpu MHz\t\t: 2000.500\n\n"
		"processor\t: 7\ncpu MHz\t\t: 9000.000\n");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "frequency")->n_rows, 4);
	check_row(frame, "frequency", "cpu=0 hertz=1000000000");
	check_row(frame, "frequency", "cpu=1");
	check_row(frame, "frequency", "cpu=2 hertz=2000500000");
	rig_put(&rig, "proc/cpuinfo", "processor\t: 1\ncpu MHz\t\t: 1500.000\n");
	frame = rig_sample(&rig, 1);
	check_row(frame, "frequency", "cpu=0");
	check_row(frame, "frequency", "cpu=1 hertz=1500000000");
	rig_put(&rig, "proc/cpuinfo", "\n");
	ck_assert(isnan(cell_f64(rig_sample(&rig, 1), "frequency", "1", "hertz")));
	put_frequency(&rig, 3, "scaling_cur_freq", 1200000);
	put_online(&rig, 4);
	frame = rig_sample(&rig, 1);
	check_row(frame, "frequency", "cpu=3 hertz=1200000000");
	check_row(frame, "frequency", "cpu=1");
	ck_assert_double_eq_tol(cell_f64(frame, "frequency", "all", "hertz"), 1.2e9, 1);
	rig_close(&rig);
}

/* Of Intel's driver 1 says that it is off, of the others that it is on; Intel's comes first. */
START_TEST(whether_turbo_is_allowed)
{
	static const struct {
		const char *no_turbo, *boost, *said;
	} cases[] = {
		{ "0", NULL, "allowed" }, { "1", NULL, "off" },    { NULL, "1", "allowed" },
		{ NULL, "0", "off" },     { "0", "0", "allowed" }, { "1", "1", "off" },
		{ NULL, NULL, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig rig;

		rig_open(&rig, "empty", frequency_alone);
		put_online(&rig, 1);
		rig_make(&rig, "sys/devices/system/cpu/intel_pstate");
		rig_make(&rig, "sys/devices/system/cpu/cpufreq");
		if (cases[i].no_turbo)
			rig_put(&rig, "sys/devices/system/cpu/intel_pstate/no_turbo", "%s\n",
				cases[i].no_turbo);
		if (cases[i].boost)
			rig_put(&rig, "sys/devices/system/cpu/cpufreq/boost", "%s\n", cases[i].boost);
		ck_assert_pstr_eq(cell_text(rig_sample(&rig, 1), "frequency", "all", "turbo"), cases[i].said);
		rig_close(&rig);
	}
}

static void put_state(struct rig *rig, unsigned cpu, unsigned number, const char *name, unsigned usage,
		      unsigned time_us)
{
	rig_make(rig, textf(CPU "cpuidle/state%u", cpu, number));
	rig_put(rig, textf(CPU "cpuidle/state%u/name", cpu, number), "%s\n", name);
	rig_put(rig, textf(CPU "cpuidle/state%u/usage", cpu, number), "%u\n", usage);
	rig_put(rig, textf(CPU "cpuidle/state%u/time", cpu, number), "%u\n", time_us);
}

/* Hybrid machines: each CPU has states of its own, and two of them one name. */
START_TEST(states_of_unlike_cpus)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", idle_only);
	put_online(&rig, 2);
	put_state(&rig, 0, 0, "C1", 10, 1000000);
	put_state(&rig, 0, 1, "C1", 20, 2000000);
	put_state(&rig, 0, 2, "C6", 30, 3000000);
	put_state(&rig, 1, 0, "C6", 40, 5000000);
	put_state(&rig, 1, 1, "C8", 50, 7000000);
	put_state(&rig, 1, 3, "C9", 1, 1); /* there is no state 2: the states end there */
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "idle_state")->n_rows, 4 + 3 + 2);
	check_row(frame, "idle_state", "cpu=all state=C1 entries=10 residency_seconds=0.5");
	check_row(frame, "idle_state", "cpu=all state=C1#1 entries=20 residency_seconds=1");
	check_row(frame, "idle_state", "cpu=all state=C6 entries=70 residency_seconds=4");
	check_row(frame, "idle_state", "cpu=all state=C8 entries=50 residency_seconds=3.5");
	check_row(frame, "idle_state", "cpu=0 state=C1 entries=10 residency_seconds=1");
	check_row(frame, "idle_state", "cpu=0 state=C1#1 entries=20 residency_seconds=2");
	check_row(frame, "idle_state", "cpu=1 state=C6 entries=40 residency_seconds=5");
	check_row(frame, "idle_state", "cpu=1 state=C8 entries=50 residency_seconds=7");
	put_online(&rig, 1);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "idle_state")->n_rows, 3 + 3); /* C8 is that of the other one */
	put_online(&rig, 2);
	put_state(&rig, 1, 1, "C8", 90, 9000000);
	frame = rig_sample(&rig, 1);
	check_row(frame, "idle_state", "cpu=all state=C8"); /* nothing to compare it with */
	put_state(&rig, 1, 1, "C8", 95, 9500000);
	frame = rig_sample(&rig, 1);
	check_row(frame, "idle_state", "cpu=all state=C8 entries=55 residency_seconds=3.75");
	rig_close(&rig);
}

#define STATES 20 /* more than the kernel may have: it has at most 10 */

START_TEST(a_cpu_has_few_states)
{
	struct rig rig;
	size_t n_rows;

	rig_open(&rig, "empty", idle_only);
	put_online(&rig, 1);
	for (unsigned i = 0; i < STATES; i++)
		put_state(&rig, 0, i, textf("C%u", i), i, i);
	n_rows = frame_table(rig_sample(&rig, 1), "idle_state")->n_rows;
	ck_assert_uint_ge(n_rows, 2 * 10);
	ck_assert_uint_lt(n_rows, 2 * STATES);
	rig_close(&rig);
}
