/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of calibration against a simulated machine, whose watts are a known line of its load, plus noise. */
#include "rig.h"

#include <time.h>

#include "model/calibration.h"
#include "sys/latency_thread.h"

#define IDLE_WATTS 11.5
#define WATTS_PER_CPU 6.25
#define OPERATIONS_PER_CPU 40000.0
#define CPUS 8

/* A machine that does what it is told, a sample a second; it needs a while to follow. */
struct simulated {
	uint64_t seed, mono_ns;
	double noise, busy;
	bool watts_known, counts;
};

static double random_share(struct simulated *machine)
{
	machine->seed = machine->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(machine->seed >> 11) / 0x1p53;
}

static void machine_open(struct simulated *machine, double noise)
{
	*machine = (struct simulated){ .noise = noise, .watts_known = true, .seed = 7 };
}

/* The next second, with this load. */
static struct calibration_sample machine_run(struct simulated *machine, unsigned cpus, double share)
{
	struct calibration_sample sample = { .interval_ns = 1000000000, .watts = NAN };

	machine->busy = 0.2 * machine->busy + 0.8 * cpus * share; /* half a second behind what it was told */
	machine->mono_ns += 1000000000;
	sample.end_ns = machine->mono_ns;
	if (machine->watts_known)
		sample.watts = IDLE_WATTS + WATTS_PER_CPU * machine->busy +
			       machine->noise * (random_share(machine) - 0.5);
	sample.measures[CALIBRATION_LOAD] = machine->busy;
	sample.measures[CALIBRATION_OPERATIONS] = OPERATIONS_PER_CPU * machine->busy;
	sample.measures[CALIBRATION_CYCLES] = machine->counts ? 1e9 + 3e9 * machine->busy : NAN;
	sample.measures[CALIBRATION_INSTRUCTIONS] = NAN;
	return sample;
}

/* All of it; returns how many samples it took. */
static unsigned run(struct calibration *calibration, struct simulated *machine)
{
	unsigned samples = 0;

	while (calibration->state == CALIBRATION_RUNS && samples++ < 10000) {
		struct calibration_sample sample =
			machine_run(machine, calibration_cpus(calibration), calibration_share(calibration));

		calibration_feed(calibration, &sample);
	}
	ck_assert_int_ne(calibration->state, CALIBRATION_RUNS);
	return samples;
}

START_TEST(the_line_is_found_again)
{
	const struct calibration_plan plan = { CPUS, CPUS, 5, 3 };
	struct calibration calibration;
	struct simulated machine;
	const struct regression *lines;

	machine_open(&machine, 0.3);
	machine.counts = true;
	calibration_open(&calibration, &plan);
	ck_assert_uint_eq(calibration_total(&calibration), 11);
	ck_assert_uint_le(run(&calibration, &machine), 11 * (5 + 3 + 1) + 1);
	lines = calibration.fits[0].lines;
	ck_assert_int_eq(calibration.state, CALIBRATION_DONE);
	ck_assert_uint_eq(lines[CALIBRATION_LOAD].count, 11);
	ck_assert_double_eq_tol(regression_slope(&lines[CALIBRATION_LOAD]), WATTS_PER_CPU, 0.02);
	ck_assert_double_eq_tol(regression_intercept(&lines[CALIBRATION_LOAD]), IDLE_WATTS, 0.1);
	ck_assert_double_ge(regression_r_squared(&lines[CALIBRATION_LOAD]), 0.999);
	ck_assert_double_eq_tol(regression_slope(&lines[CALIBRATION_OPERATIONS]),
				WATTS_PER_CPU / OPERATIONS_PER_CPU, 1e-6);
	ck_assert_double_eq_tol(regression_slope(&lines[CALIBRATION_CYCLES]), WATTS_PER_CPU / 3e9, 1e-11);
	ck_assert(isnan(regression_slope(&lines[CALIBRATION_INSTRUCTIONS]))); /* nobody counts them */
	ck_assert_uint_eq(calibration_cpus(&calibration), 0);
	calibration_close(&calibration);
}

START_TEST(each_number_of_cpus_has_a_line)
{
	const struct calibration_plan plan = { 1, 3, 2, 2 };
	struct calibration calibration;
	struct simulated machine;

	machine_open(&machine, 0);
	calibration_open(&calibration, &plan);
	ck_assert_uint_eq(calibration_total(&calibration), 33);
	run(&calibration, &machine);
	ck_assert_uint_eq(calibration.n_fits, 3);
	for (unsigned i = 0; i < 3; i++) {
		const struct regression *line = &calibration.fits[i].lines[CALIBRATION_LOAD];

		ck_assert_uint_eq(calibration.fits[i].cpus, i + 1);
		ck_assert_double_eq_tol(regression_slope(line), WATTS_PER_CPU, 1e-6);
		ck_assert_double_eq_tol(regression_intercept(line), IDLE_WATTS, 1e-6);
	}
	calibration_close(&calibration);
}

/* Noise, and a counter that stands still whatever is done. */
START_TEST(what_has_nothing_to_do_with_load_is_a_poor_fit)
{
	const struct calibration_plan plan = { 1, 1, 1, 0 };
	struct regression constant = { 0 };
	struct calibration calibration;
	struct simulated machine;
	double r_squared;

	machine_open(&machine, 200);
	calibration_open(&calibration, &plan);
	run(&calibration, &machine);
	r_squared = regression_r_squared(&calibration.fits[0].lines[CALIBRATION_LOAD]);
	ck_assert_double_lt(r_squared, 0.7);
	ck_assert_str_eq(calibration_word(r_squared), "poor");
	ck_assert_str_eq(calibration_word(0.99), "excellent");
	ck_assert_str_eq(calibration_word(NAN), "none");
	for (int i = 0; i <= 10; i++)
		regression_add(&constant, i, 12.5);
	ck_assert_double_eq(regression_slope(&constant), 0);
	ck_assert_double_eq(regression_r_squared(&constant), 0);
	calibration_close(&calibration);
}

START_TEST(without_watts_it_gives_up)
{
	const struct calibration_plan plan = { CPUS, CPUS, 5, 1 };
	struct calibration calibration;
	struct simulated machine;

	machine_open(&machine, 0);
	machine.watts_known = false;
	calibration_open(&calibration, &plan);
	ck_assert_uint_le(run(&calibration, &machine), 12);
	ck_assert_int_eq(calibration.state, CALIBRATION_FAILED);
	calibration_close(&calibration);
}

static void sleep_ms(long ms)
{
	nanosleep(&(const struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* Do the threads come to rest? One that is kept from running ends its work later. */
static bool comes_to_rest(const struct cpu_load *load)
{
	uint64_t before = cpu_load_operations(load), now;

	for (unsigned i = 0; i < 50; i++, before = now) {
		sleep_ms(300);
		now = cpu_load_operations(load);
		if (now == before)
			return true;
	}
	return false;
}

/* The threads do what they are told: nothing at first, then something. */
START_LIVE_TEST(loads_work_and_rest)
{
	struct cpu_load *load = cpu_load_open();

	ck_assert(load != NULL);
	ck_assert_uint_eq(cpu_load_operations(load), 0);
	cpu_load_set(load, cpu_load_cpus(), 1);
	for (unsigned i = 0; i < 500 && cpu_load_operations(load) == 0; i++)
		sleep_ms(10);
	ck_assert_uint_gt(cpu_load_operations(load), 0);
	cpu_load_set(load, 0, 0);
	ck_assert(comes_to_rest(load));
	cpu_load_close(load);
}

/* What is kept as text is read again, and of several numbers of CPUs the greatest. */
START_TEST(what_is_kept_is_read_again)
{
	const struct calibration_plan plan = { 1, 3, 2, 2 };
	struct calibration calibration;
	struct simulated machine;
	struct power_fit taken, read;
	struct buffer text = { 0 };

	machine_open(&machine, 0.3);
	machine.counts = true;
	calibration_open(&calibration, &plan);
	run(&calibration, &machine);
	power_fit_take(&taken, &calibration.fits[calibration.n_fits - 1]);
	power_fit_write(&taken, &text);
	ck_assert(memchr(text.bytes, '\n', text.length) == NULL);
	ck_assert(power_fit_parse(&read, span_of(text.bytes, text.length)));
	ck_assert_uint_eq(read.cpus, 3);
	for (int i = 0; i < N_CALIBRATION_MEASURES; i++) {
		const struct power_fit_line *one = &taken.lines[i], *other = &read.lines[i];

		ck_assert_str_eq(
			textf("%.7g %.7g %.7g", other->slope, other->intercept_watts, other->r_squared),
			textf("%.7g %.7g %.7g", one->slope, one->intercept_watts, one->r_squared));
		ck_assert(i == CALIBRATION_INSTRUCTIONS ? isnan(other->slope) : other->points == 11);
	}
	buffer_free(&text);
	calibration_close(&calibration);
}

START_TEST(json_is_read)
{
	static const char json[] =
		"{\"fits\":[{\"cpus\":1,\"measure\":\"load\",\"slope\":1,\"intercept_watts\":2,\"r_squared\":"
		"1,"
		"\"fit\":\"excellent\",\"points\":11},{\"cpus\":2,\"measure\":\"load\",\"slope\":6.25,"
		"\"intercept_watts\":-1.5,\"r_squared\":0.99,\"fit\":\"excellent\",\"points\":11},{\"cpus\":"
		"2,"
		"\"measure\":\"cycles\",\"slope\":2.5e-09,\"intercept_watts\":3,\"r_squared\":0.5},"
		"{\"cpus\":2,\"measure\":\"instructions\",\"slope\":null,\"intercept_watts\":null}]}\n";
	static const char *const none[] = {
		"",
		"{\"calibration\":[]}\n",
		"CPUs  slope is  slope\n   2  watts per busy CPU  10\n",
		"cpus: 2\nmeasure: load\nslope: 1e999\nintercept_watts: 2\nr_squared: 1\n",
		"cpus: 2\nmeasure: cycles\nslope: 1\nintercept_watts: 2\nr_squared: 1\n",
		"measure: load\nslope: 1\nintercept_watts: 2\nr_squared: 1\n",
		"cpus: 2\nmeasure: load\nslope: -\nintercept_watts: 2\nr_squared: 1\n",
	};
	struct power_fit fit;

	ck_assert(power_fit_parse(&fit, span_text(json)));
	ck_assert_uint_eq(fit.cpus, 2);
	ck_assert_double_eq(fit.lines[CALIBRATION_LOAD].slope, 6.25);
	ck_assert_double_eq(fit.lines[CALIBRATION_LOAD].intercept_watts, -1.5);
	ck_assert_double_eq_tol(fit.lines[CALIBRATION_CYCLES].slope, 2.5e-9, 1e-18);
	ck_assert(isnan(fit.lines[CALIBRATION_INSTRUCTIONS].slope));
	ck_assert_uint_eq(fit.lines[CALIBRATION_LOAD].points, 11);
	ck_assert_uint_eq(fit.lines[CALIBRATION_CYCLES].points, U64_UNKNOWN);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		ck_assert_msg(!power_fit_parse(&fit, span_text(none[i])), "%s", none[i]);
}

/* Each known line is a row, of the calibration that is in use. */
START_TEST(lines_in_use_are_rows)
{
	const struct power_fit fit = {
		.cpus = 4,
		.lines = { [CALIBRATION_LOAD] = { 6.25, 11.5, 0.95, 12 },
			   [CALIBRATION_OPERATIONS] = { 0.5, 10, 0.9499, 7 },
			   [CALIBRATION_CYCLES] = { NAN, NAN, NAN, 0 },
			   [CALIBRATION_INSTRUCTIONS] = { 2e-9, 9, 0.5, 3 } },
	};
	const struct topic *topic = topic_find("calibration");
	const struct frame *frame;
	struct rig rig;

	ck_assert_ptr_null(topic->sources[0].path);
	rig_open(&rig, "empty", TOPICS("calibration"));
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "calibration")->n_rows, 0);
	rig.settings.topic.fit = fit;
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "calibration")->n_rows, 3);
	check_row(frame, "calibration",
		  "cpus=4 measure=load slope=6.25 slope_unit=watts per busy CPU intercept_watts=11.5 "
		  "r_squared=0.95 fit=excellent points=12");
	check_row(frame, "calibration",
		  "cpus=4 measure=operations slope=0.5 slope_unit=joules per operation intercept_watts=10 "
		  "r_squared=0.9499 fit=good points=7");
	check_row(frame, "calibration",
		  "cpus=4 measure=instructions slope=2e-09 slope_unit=joules per instruction "
		  "intercept_watts=9 r_squared=0.5 fit=poor points=3");
	rig.settings.topic.fit.cpus = 1;
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "calibration")->n_rows, 3);
	rig.settings.topic.fit.cpus = 0;
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "calibration")->n_rows, 0);
	rig_close(&rig);
}
