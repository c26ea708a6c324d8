/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what is read of CPUs in turns, or not at all; what is in files is in tests/rows/cpu_state.txt. */
#include "rig.h"

#include "topic/cpu/frequency.h"
#include "topic/reader.h"

static struct rig rig;

#define CPU "sys/devices/system/cpu/cpu%u/"

static const char *const throttle_only[] = { "throttle", NULL };

static void put_number(const char *format, unsigned cpu, uint64_t number)
{
	rig_put(&rig, textf(format, cpu), "%llu\n", (unsigned long long)number);
}

static void put_online(unsigned n_cpus)
{
	const char *text = "cpu 4 4 4 4\n";

	for (unsigned cpu = 0; cpu < n_cpus; cpu++)
		text = textf("%scpu%u 1 1 1 1\n", text, cpu);
	rig_put(&rig, "proc/stat", "%s", text);
}

static void put_throttling(unsigned cpu, const char *part, unsigned count, unsigned ms)
{
	rig_put(&rig, textf(CPU "thermal_throttle/%s_throttle_count", cpu, part), "%u\n", count);
	rig_put(&rig, textf(CPU "thermal_throttle/%s_throttle_total_time_ms", cpu, part), "%u\n", ms);
}

#define MANY 10
#define SECOND_PACKAGE 6
#define UNKNOWN_PACKAGE 8

/* Of two packages, but for the last two, of which no package is known; none was throttled. */
static void put_many(void)
{
	put_online(MANY);
	for (unsigned cpu = 0; cpu < MANY; cpu++) {
		put_throttling(cpu, "core", 0, 0);
		put_throttling(cpu, "package", 0, 0);
		if (cpu < UNKNOWN_PACKAGE)
			put_number(CPU "topology/physical_package_id", cpu,
				   cpu < SECOND_PACKAGE ? 3 : 0);
	}
}

static uint64_t package_count(const struct frame *frame, unsigned cpu)
{
	return cell_u64(frame, "throttle", textf("%u", cpu), "package_throttles");
}

/* All but the first of each package count this much more than their number. */
static void throttle_others(unsigned more)
{
	for (unsigned cpu = 1; cpu < UNKNOWN_PACKAGE; cpu++)
		if (cpu != SECOND_PACKAGE)
			put_throttling(cpu, "package", more + cpu, 1000 * cpu);
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

	rig_open(&rig, "power-laptop", throttle_only);
	put_many();
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "throttle")->n_rows, MANY);
	rig_sample(&rig, 1);
	throttle_others(5);
	for (unsigned passed = 1; passed <= 8; passed++) {
		unsigned n;

		put_throttling(MANY - 1, "package", passed, 0); /* alone, as far as known */
		frame = rig_sample(&rig, 1);
		n = n_seen(frame, false, 5) + n_seen(frame, true, 5);
		ck_assert_uint_le(n, passed);
		ck_assert_uint_ge(n + 2, passed); /* the first ones have turns, too, and show nothing */
		ck_assert_uint_eq(package_count(frame, MANY - 1), passed);
	}
	ck_assert_uint_eq(package_count(frame, 0), 0);
	ck_assert_uint_eq(n_seen(frame, false, 5), 5);
	ck_assert_uint_eq(n_seen(frame, true, 5), 1);
	ck_assert_double_eq(cell_f64(frame, "throttle", "7", "package_throttled_seconds"), 7);
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

	rig_open(&rig, "power-laptop", throttle_only);
	put_many();
	rig_sample(&rig, 1);
	for (unsigned i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		unsigned more = 20 * (i + 1);
		const struct frame *frame;

		put_throttling(ticks[i].first, "package", ticks[i].count, ticks[i].ms);
		throttle_others(more);
		frame = rig_sample(&rig, 1);
		ck_assert_uint_eq(package_count(frame, ticks[i].first), ticks[i].count);
		ck_assert_double_eq(
			cell_f64(frame, "throttle", ticks[i].first ? "6" : "0", "package_throttled_seconds"),
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

static uint64_t reads_of_a_sample(void)
{
	uint64_t before = rig.env.reads;

	rig_sample(&rig, 1);
	return rig.env.reads - before;
}

START_TEST(who_needs_no_speeds_reads_none)
{
	static const char *const both[] = { "idle_state", "throttle", NULL };
	uint64_t with_speeds;

	rig_open(&rig, "power-laptop", both);
	rig_sample(&rig, 1);
	with_speeds = reads_of_a_sample();
	rig_close(&rig);
	rig_open(&rig, "power-laptop", both);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		rig_remove(&rig, textf(CPU "cpufreq", cpu));
	rig_sample(&rig, 1);
	ck_assert_uint_eq(reads_of_a_sample(), with_speeds);
	rig_close(&rig);
}

static void put_speed(unsigned khz)
{
	rig_put(&rig, "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "%u\n", khz);
	rig_put(&rig, "proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: %u.000\n", khz / 1000);
}

/* Of a single CPU it is read when it is asked for, once a tick where all were read; else from a list. */
START_TEST(a_speed_is_that_of_the_tick)
{
	for (unsigned listed = 0; listed < 2; listed++) {
		struct frequencies *frequencies;
		struct sample sample;

		rig_open(&rig, "power-laptop", NULL);
		for (unsigned cpu = 0; cpu < 4 && listed; cpu++)
			rig_remove(&rig, textf(CPU "cpufreq", cpu));
		if (listed)
			rig_make(&rig, "sys/devices/system/cpu/cpu0/cpufreq");
		put_speed(1500000);
		sample = rig_sample_for(&rig, NULL);
		frequencies = reader_open(&frequency_reader, &sample, NULL);
		rig.env.tick++;
		ck_assert_double_eq(frequency_hertz(frequencies, &sample, 0), 1.5e9);
		ck_assert(isnan(frequency_hertz(frequencies, &sample, 99)));
		put_speed(1700000);
		ck_assert_double_eq(frequency_hertz(frequencies, &sample, 0), 1.5e9);
		rig.env.tick++;
		ck_assert_double_eq(frequency_hertz(frequencies, &sample, 0), 1.7e9);
		reader_close(&frequency_reader, &rig.env);
		rig_close(&rig);
	}
}

static void put_frequency(unsigned cpu, const char *name, unsigned khz)
{
	rig_put(&rig, textf(CPU "cpufreq/%s", cpu, name), "%u\n", khz);
}

static void put_limits(unsigned least, unsigned most)
{
	for (unsigned cpu = 0; cpu < MANY; cpu++) {
		put_frequency(cpu, "cpuinfo_max_freq", 4000000); /* it has a driver */
		put_frequency(cpu, "scaling_min_freq", least + cpu);
		put_frequency(cpu, "scaling_max_freq", most + cpu);
	}
}

/* Each is read in every eighth sample, and at once where it was unknown. */
START_TEST(limits_of_speeds_have_their_turn)
{
	const struct frame *frame;

	rig_open(&rig, "power-laptop", TOPICS("frequency"));
	put_online(MANY);
	put_limits(500000, 3000000);
	put_frequency(9, "scaling_min_freq", 0);
	rig_put(&rig, "sys/devices/system/cpu/cpu9/cpufreq/scaling_max_freq", "?\n");
	frame = rig_sample(&rig, 1);
	ck_assert(isnan(cell_f64(frame, "frequency", "9", "max_hertz")));
	put_limits(600000, 3500000);
	for (unsigned passed = 1; passed <= 8; passed++) {
		unsigned n_low = 0, n_high = 0;

		frame = rig_sample(&rig, 1);
		for (unsigned cpu = 0; cpu < 8; cpu++) {
			const char *name = textf("%u", cpu);

			n_low += cell_f64(frame, "frequency", name, "min_hertz") == (600000 + cpu) * 1e3;
			n_high += cell_f64(frame, "frequency", name, "max_hertz") == (3500000 + cpu) * 1e3;
		}
		ck_assert_uint_eq(n_low, passed);
		ck_assert_uint_eq(n_high, passed);
		ck_assert_double_eq(cell_f64(frame, "frequency", "9", "max_hertz"), 3500009000);
	}
	rig_close(&rig);
}

#define STATES 20 /* more than the kernel may have: it has at most 10 */

START_TEST(a_cpu_has_few_states)
{
	size_t n_rows;

	rig_open(&rig, "empty", TOPICS("idle_state"));
	put_online(1);
	for (unsigned i = 0; i < STATES; i++)
		rig_put(&rig, textf(CPU "cpuidle/state%u/name", 0, i), "C%u\n", i);
	n_rows = frame_table(rig_sample(&rig, 1), "idle_state")->n_rows;
	ck_assert_uint_ge(n_rows, 2 * 10);
	ck_assert_uint_lt(n_rows, 2 * STATES);
	rig_close(&rig);
}
