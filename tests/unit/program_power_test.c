/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the watts of programs against simulated machines, whose programs draw known watts, beside a
 * baseline that drifts and noise of the measurement.
 */
#include "rig.h"

#include "model/program_power.h"
#include "model/scope.h"
#include "topic/process/process_list.h"

#define SEEDS 12
#define THREE_WATTS 3.0
#define NINE_WATTS 9.0
#define IDLE_WATTS 8.0
#define NOISE_WATTS 0.2
#define TURN_SECONDS 5

/* A test of each of as many seeds. */
#define FOR_SEEDS(test, count)                                                                               \
	static void test##_with(unsigned seed);                                                              \
	START_TEST(test)                                                                                     \
	{                                                                                                    \
		for (unsigned seed = 1; seed <= (count); seed++)                                             \
			test##_with(seed);                                                                   \
	}                                                                                                    \
	static void test##_with(unsigned seed)
#define FOR_ALL_SEEDS(test) FOR_SEEDS(test, SEEDS)

struct simulated {
	uint64_t seed;
	double noise_watts, wander_watts, more_watts, three_watts; /* more: of what is no program */
	double phase;
	double idle_watts; /* of the last second */
	unsigned second;
	struct program_power power;
};

static double random_share(struct simulated *machine)
{
	machine->seed = machine->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(machine->seed >> 11) / 0x1p53;
}

/* Of a normal distribution with a deviation of 1. */
static double random_normal(struct simulated *machine)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += random_share(machine);
	return sum;
}

static struct simulated machine_of(unsigned seed)
{
	return (struct simulated){
		.seed = seed * 977 + 5, .phase = seed, .noise_watts = NOISE_WATTS, .three_watts = THREE_WATTS
	};
}

/* A second in which the two programs keep this many CPUs busy; its joules. */
static double live(struct simulated *machine, double three, double nine)
{
	machine->second++;
	machine->wander_watts += 0.01 * random_normal(machine);
	machine->idle_watts = IDLE_WATTS + 0.8 * sin(machine->second / 150.0 + machine->phase) +
			      machine->wander_watts + machine->more_watts;
	program_power_use(&machine->power, "three", three);
	program_power_use(&machine->power, "nine", nine);
	program_power_use(&machine->power, "small", 0.03 * random_share(machine));
	return machine->idle_watts + machine->three_watts * three + NINE_WATTS * nine +
	       machine->noise_watts * random_normal(machine);
}

static void run(struct simulated *machine, double three, double nine)
{
	program_power_end(&machine->power, live(machine, three, nine), 1, 1);
}

/* One, none, the other, none. */
static unsigned turn(const struct simulated *machine)
{
	return machine->second / TURN_SECONDS % 4;
}

static void run_by_turns(struct simulated *machine, unsigned seconds)
{
	while (seconds-- > 0)
		run(machine, turn(machine) == 0, turn(machine) == 2);
}

/* Idle: NULL. */
static struct program_watts of(const struct simulated *machine, const char *name)
{
	struct program_watts list[POWER_TERMS];
	unsigned n = program_power_list(&machine->power, list);

	for (unsigned i = 0; i < n; i++)
		if (name ? list[i].name && strcmp(list[i].name, name) == 0 : list[i].term == POWER_OF_IDLE)
			return list[i];
	ck_abort_msg("no row of %s", name ? name : "idle");
}

static void check_near(const struct simulated *machine, const char *name, double watts)
{
	struct program_watts found = of(machine, name);

	ck_assert_double_eq_tol(found.per_cpu_watts, watts, 0.05 * watts);
	ck_assert_double_le(fabs(found.per_cpu_watts - watts), 4 * found.error_watts);
	ck_assert_double_le(found.error_watts, 0.05 * watts);
	ck_assert_uint_eq(found.like, found.term);
}

static void check_both(const struct simulated *machine)
{
	check_near(machine, "three", THREE_WATTS);
	check_near(machine, "nine", NINE_WATTS);
}

static void check_unknown(const struct simulated *machine, const char *name, const char *like)
{
	struct program_watts found = of(machine, name);

	ck_assert(isnan(found.per_cpu_watts));
	ck_assert_double_gt(found.error_watts, 20);
	ck_assert_uint_eq(found.like, of(machine, like).term);
}

FOR_ALL_SEEDS(two_programs_by_turns_have_their_watts)
{
	struct simulated machine = machine_of(seed);
	struct program_watts list[POWER_TERMS];

	ck_assert_uint_eq(program_power_list(&machine.power, list), 0);
	run_by_turns(&machine, 7);
	ck_assert(isnan(of(&machine, "three").per_cpu_watts) && isnan(of(&machine, NULL).per_cpu_watts));
	run_by_turns(&machine, 593);
	check_both(&machine);
	ck_assert_double_eq_tol(of(&machine, NULL).per_cpu_watts, machine.idle_watts, 0.05 * IDLE_WATTS);
	ck_assert(isnan(of(&machine, "small").per_cpu_watts)); /* lost in the noise */
	ck_assert_double_eq_tol(of(&machine, "nine").total_seconds, 150, 1e-9);
}

/* Of many estimates two thirds lie within their error, as those of a normal distribution do. */
START_TEST(errors_are_as_large_as_they_are_called)
{
	unsigned within = 0, n = 0;

	for (unsigned seed = 1; seed <= 100; seed++) {
		struct simulated machine = machine_of(seed);
		struct program_watts three, nine;

		run_by_turns(&machine, 240);
		three = of(&machine, "three");
		nine = of(&machine, "nine");
		within += fabs(three.per_cpu_watts - THREE_WATTS) < three.error_watts;
		within += fabs(nine.per_cpu_watts - NINE_WATTS) < nine.error_watts;
		n += 2;
	}
	ck_assert_uint_ge(within, n * 60 / 100);
	ck_assert_uint_le(within, n * 90 / 100);
}

FOR_ALL_SEEDS(programs_that_always_run_together_are_not_told_apart)
{
	struct simulated machine = machine_of(seed);

	for (unsigned i = 0; i < 600; i++) {
		double busy = turn(&machine) == 0;

		run(&machine, busy, busy);
	}
	check_unknown(&machine, "three", "nine");
	check_unknown(&machine, "nine", "three");
	ck_assert_double_eq_tol(of(&machine, NULL).per_cpu_watts, machine.idle_watts, 0.05 * IDLE_WATTS);
	for (unsigned i = 0; i < 60; i++)
		run(&machine, turn(&machine) == 0, 0); /* now one of them alone */
	check_both(&machine);
}

/* Of programs without a pause only the difference shows. */
FOR_ALL_SEEDS(programs_that_never_pause_are_not_told_from_the_idle_machine)
{
	struct simulated machine = machine_of(seed);

	for (unsigned i = 0; i < 600; i++)
		run(&machine, i / TURN_SECONDS % 2 == 0, i / TURN_SECONDS % 2 == 1);
	ck_assert(isnan(of(&machine, "three").per_cpu_watts) && isnan(of(&machine, "nine").per_cpu_watts) &&
		  isnan(of(&machine, NULL).per_cpu_watts));
	ck_assert_double_gt(of(&machine, "nine").error_watts, 20);
}

/* What ran once is known from its two edges, and less well each hour. */
FOR_SEEDS(what_ran_once_is_forgotten, 3) /* hours of each */
{
	struct simulated machine = machine_of(seed);
	double error;

	run_by_turns(&machine, 4);
	for (unsigned i = 0; i < 300; i++)
		run(&machine, turn(&machine) == 0, i >= 200 && i < 220);
	check_near(&machine, "nine", NINE_WATTS);
	error = of(&machine, "nine").error_watts;
	for (unsigned i = 0; i < 3600; i++)
		run(&machine, turn(&machine) == 0, 0);
	ck_assert_double_ge(of(&machine, "nine").error_watts, 3 * error);
	ck_assert_double_eq_tol(of(&machine, "nine").per_cpu_watts, NINE_WATTS, 0.5);
	for (unsigned i = 0; i < 8 * 3600; i++)
		run(&machine, turn(&machine) == 0, 0);
	ck_assert(isnan(of(&machine, "nine").per_cpu_watts));
	check_near(&machine, "three", THREE_WATTS);
}

/* Adds whether its watts are known, and then near enough by their error. */
static void check_within_error(const struct simulated *machine, const char *name, double watts,
			       unsigned *known)
{
	struct program_watts found = of(machine, name);

	if (isnan(found.per_cpu_watts))
		return;
	++*known;
	ck_assert_double_le(fabs(found.per_cpu_watts - watts), 4.5 * found.error_watts);
}

/* A device that no program's time shows goes on and off at random: errors hold. */
FOR_ALL_SEEDS(errors_hold_beside_an_unknown_consumer)
{
	struct simulated machine = machine_of(seed);
	unsigned known = 0;

	for (unsigned i = 0; i < 1000; i++) {
		if (random_share(&machine) < 0.05)
			machine.more_watts = 4 - machine.more_watts;
		run(&machine, turn(&machine) == 0, turn(&machine) == 2);
		if (i < 200 || i % 20 > 0)
			continue;
		check_within_error(&machine, "three", THREE_WATTS, &known);
		check_within_error(&machine, "nine", NINE_WATTS, &known);
	}
	ck_assert_uint_gt(known, 20);
}

/* While a program ran: it is in doubt until it pauses. The one that paused is not. */
FOR_ALL_SEEDS(a_step_puts_what_runs_in_doubt)
{
	struct simulated machine = machine_of(seed);

	run_by_turns(&machine, 402);
	ck_assert_uint_eq(turn(&machine), 0);
	machine.more_watts = 20;
	run_by_turns(&machine, 2);
	ck_assert(isnan(of(&machine, "three").per_cpu_watts));
	check_near(&machine, "nine", NINE_WATTS);
	run_by_turns(&machine, 200);
	check_both(&machine);
	ck_assert_double_eq_tol(of(&machine, NULL).per_cpu_watts, machine.idle_watts, 1);
}

/* In bursts of a second, each of which is far from what was known. */
FOR_ALL_SEEDS(a_program_that_changes_and_runs_in_bursts_is_followed)
{
	struct simulated machine = machine_of(seed);

	run_by_turns(&machine, 400);
	machine.three_watts = 6;
	for (unsigned i = 0; i < 300; i++)
		run(&machine, i % 5 == 0, turn(&machine) == 2);
	check_near(&machine, "three", 6);
	check_near(&machine, "nine", NINE_WATTS);
}

/* Not measured; and a counter that wrapped unseen, which has too few joules. */
FOR_ALL_SEEDS(missing_samples_and_unseen_wraps_are_left_out)
{
	struct simulated machine = machine_of(seed);

	for (unsigned i = 0; i < 600; i++) {
		double joules = live(&machine, turn(&machine) == 0, turn(&machine) == 2);

		if (i % 10 == 3)
			joules = NAN;
		if (i == 300 || i == 450)
			joules = 0.5;
		program_power_end(&machine.power, joules, 1, 1);
	}
	check_both(&machine);
	ck_assert_double_le(machine.power.fitted_seconds, 541);
}

FOR_ALL_SEEDS(short_samples_are_gathered)
{
	struct simulated machine = machine_of(seed);

	for (unsigned i = 0; i < 600; i++) {
		double three = turn(&machine) == 0, nine = turn(&machine) == 2;
		double joules = live(&machine, three / 2, nine / 2);

		joules += THREE_WATTS * three / 2 + NINE_WATTS * nine / 2;
		program_power_end(&machine.power, joules / 2, 0.5, 1);
		program_power_use(&machine.power, "three", three / 2);
		program_power_use(&machine.power, "nine", nine / 2);
		program_power_end(&machine.power, joules / 2, 0.5, 1);
	}
	check_both(&machine);
	ck_assert_double_eq_tol(of(&machine, "nine").ratio, 0, 1e-9);
	ck_assert_double_eq_tol(machine.power.fitted_seconds, 600, 1e-6);
}

/* A program whose time draws nothing is not found to give power. */
FOR_ALL_SEEDS(watts_are_never_negative)
{
	struct simulated machine = machine_of(seed);
	struct program_watts three;

	machine.three_watts = 0;
	run_by_turns(&machine, 600);
	three = of(&machine, "three");
	ck_assert_double_ge(three.per_cpu_watts, 0);
	ck_assert_double_le(three.per_cpu_watts, 4 * three.error_watts);
	check_near(&machine, "nine", NINE_WATTS);
}

/* What is always used shows in no sample: of 4 watts, 0.05 may be its own; where it may be half, neither is
 * known. */
FOR_ALL_SEEDS(a_little_that_is_always_used_leaves_idle_known)
{
	struct simulated little = machine_of(seed), much = machine_of(seed);

	for (unsigned i = 0; i < 60; i++) {
		program_power_use(&little.power, "steady", 0.01);
		program_power_end(&little.power, 4 + NOISE_WATTS * random_normal(&little), 1, 1);
		program_power_use(&much.power, "steady", 1);
		program_power_end(&much.power, 8 + 0.05 * random_normal(&much), 1, 1);
	}
	ck_assert_double_eq_tol(of(&little, NULL).per_cpu_watts, 4, 0.5);
	ck_assert_double_ge(of(&little, NULL).error_watts, 0.01 * 5);
	ck_assert(isnan(of(&little, "steady").per_cpu_watts) && isnan(of(&much, "steady").per_cpu_watts));
	ck_assert(isnan(of(&much, NULL).per_cpu_watts));
}

/* Names without end: two programs that use most keep their watts, and the list its length. */
FOR_ALL_SEEDS(memory_is_bounded)
{
	struct program_watts list[POWER_TERMS];
	struct simulated machine = machine_of(seed);
	unsigned name = 0;

	for (unsigned i = 0; i < 600; i++) {
		double joules = live(&machine, turn(&machine) == 0, turn(&machine) == 2);

		for (unsigned k = 0; k < 20; k++) {
			double seconds = 0.1 + 0.1 * random_share(&machine);
			char text[PROGRAM_POWER_NAME * 2];

			snprintf(text, sizeof(text), "%0*u", k == 0 ? PROGRAM_POWER_NAME + 9 : 5, name++);
			program_power_use(&machine.power, text, seconds);
			joules += 5 * seconds;
		}
		program_power_end(&machine.power, joules, 1, 1);
	}
	ck_assert_uint_eq(program_power_list(&machine.power, list), POWER_TERMS);
	check_both(&machine);
}

/*
 * The joules of a second of a machine with programs by turns, two that always run together, and one that
 * cools it; there is a wrong sample, a step, and then a drift.
 */
static double use_scripted(struct program_power *power, unsigned second, double seconds)
{
	double three = second / 5 % 4 == 0, nine = second / 5 % 4 == 2, both = second % 7 == 3;
	double cooler = second % 9 == 4, watts = 8 + 0.05 * ((int)(second * 7 % 11) - 5);

	program_power_use(power, "three", three);
	program_power_use(power, "nine", nine);
	program_power_use(power, "one", both / 2);
	program_power_use(power, "other", both / 2);
	program_power_use(power, "cooler", cooler / 4);
	program_power_use(power, NULL, 0.01 * (second % 5));
	watts += (3 * three + 9 * nine + 4 * both - cooler / 2) / seconds;
	if (second == 150)
		watts = 200;
	if (second >= 250)
		watts += 20;
	if (second >= 330)
		watts += 0.02 * (second - 330);
	return watts * seconds;
}

/* As other programs that solve the same equations find it. */
START_TEST(the_fit_is_that_of_its_equations)
{
	static const char *const names[] = { NULL, "three", "nine", "one", "cooler" }; /* NULL: idle */
	static const struct {
		unsigned second;
		double watts[5], error_watts[5];
	} found[] = {
		{ 14, { NAN, NAN, NAN, NAN, NAN },
		  { 0.5007162375, 0.3124034822, 0.3362226836, 125.7814493, 0.7956292831 } },
		{ 60, { 7.988636574, 2.859530965, 8.964541587, NAN, 0 },
		  { 0.04257392616, 0.0574751534, 0.08139958776, 116.1619642, 0.248277244 } },
		{ 151, { 7.958623628, 2.973033546, 8.905519686, NAN, 0 },
		  { 0.02669639644, 0.04680222923, 0.08193323013, 113.5084733, 0.152245214 } },
		{ 251, { NAN, 2.986511841, NAN, NAN, 0 },
		  { 14.26543859, 0.04493161785, 24.68276955, 112.0392652, 0.1174733591 } },
		{ 300, { 27.97479717, 2.98453198, 8.909663853, NAN, 0 },
		  { 0.04347230369, 0.04804280432, 0.6346456506, 112.5040441, 0.1092642125 } },
		{ 419, { 29.46350652, 2.962784778, 9.143708337, NAN, 0 },
		  { 0.06937492324, 0.05814097511, 0.09105169545, 139.9404529, 0.1157796576 } },
	};
	static struct simulated scripted;
	size_t next = 0, n = sizeof(found) / sizeof(found[0]);

	for (unsigned second = 0; second < 420; second++) {
		double seconds = second % 3 == 1 ? 0.9 : 1;

		program_power_end(&scripted.power, use_scripted(&scripted.power, second, seconds), seconds,
				  1);
		for (size_t i = 0; next < n && found[next].second == second && i < 5; i++) {
			struct program_watts watts = of(&scripted, names[i]);
			double error = found[next].error_watts[i], expected = found[next].watts[i];

			ck_assert_double_eq_tol(watts.error_watts, error, 1e-6 * error);
			ck_assert_int_eq(isnan(watts.per_cpu_watts), isnan(expected));
			if (!isnan(expected))
				ck_assert_double_eq_tol(watts.per_cpu_watts, expected, 1e-6);
		}
		next += next < n && found[next].second == second;
	}
	ck_assert_uint_eq(next, n);
	ck_assert_uint_eq(of(&scripted, "one").like, of(&scripted, "other").term);
	ck_assert_uint_eq(of(&scripted, "three").like, of(&scripted, "three").term);
}

/* Without a name in the list it is among the others. */
static bool has_watts(const struct program_power *power, const char *name)
{
	struct program_watts list[POWER_TERMS];
	unsigned n = program_power_list(power, list);

	for (unsigned i = 0; i < n; i++)
		if (list[i].name && strcmp(list[i].name, name) == 0)
			return true;
	return false;
}

static double others_ratio(const struct program_power *power)
{
	struct program_watts list[POWER_TERMS];
	unsigned n = program_power_list(power, list);

	ck_assert_uint_gt(n, 1);
	ck_assert_uint_eq(list[n - 1].term, POWER_OF_OTHERS);
	return list[n - 1].ratio;
}

START_TEST(a_tenth_of_a_second_gives_watts_of_its_own)
{
	static struct program_power power;

	program_power_use(&power, "enough", 0.1);
	program_power_use(&power, "less", 0.0999);
	program_power_use(&power, NULL, 0.5);
	program_power_use(&power, "none", 0);
	program_power_use(&power, "unknown", NAN);
	program_power_end(&power, 10, 1, 1);
	ck_assert(has_watts(&power, "enough") && !has_watts(&power, "less"));
	ck_assert_uint_eq(power.n_programs, 2);
	ck_assert_double_eq_tol(others_ratio(&power), 0.5999, 1e-12);
}

static bool is_followed(const struct program_power *power, const char *name)
{
	for (unsigned i = 0; i < power->n_programs; i++)
		if (strcmp(power->programs[i].name, name) == 0)
			return true;
	return false;
}

/* What the one used that is followed no more is the others'. */
START_TEST(the_program_that_uses_least_is_followed_no_more)
{
	static struct program_power power;

	for (unsigned i = 0; i < PROGRAM_POWER_PROGRAMS; i++)
		program_power_use(&power, textf("%u", i), 1);
	program_power_end(&power, 10, 1, 1);
	for (unsigned i = PROGRAM_POWER_PROGRAMS; i < PROGRAM_POWER_KNOWN; i++)
		program_power_use(&power, textf("%u", i), 0.001 * (i - PROGRAM_POWER_PROGRAMS + 1));
	program_power_end(&power, 10, 1, 1);
	program_power_use(&power, "as much", 0.001);
	ck_assert(!is_followed(&power, "as much") && is_followed(&power, "24"));
	program_power_use(&power, "more", 0.00175);
	ck_assert(is_followed(&power, "more") && !is_followed(&power, "24"));
	ck_assert_double_eq_tol(power.sample_others_seconds, 0.001, 1e-12);
	ck_assert_uint_eq(power.n_programs, PROGRAM_POWER_KNOWN);
	program_power_use(&power, "0", 0.5);
	program_power_use(&power, "strong", 3); /* more than twice as much as one that has watts of its own */
	program_power_end(&power, 10, 1, 1);
	ck_assert(has_watts(&power, "strong") && has_watts(&power, "0"));
}

/* Nine tenths of the time are enough; what is not measured between is left out, with what came before. */
START_TEST(samples_wait_until_they_are_long_enough)
{
	static struct program_power power;
	struct program_watts list[POWER_TERMS];

	program_power_end(&power, 85, 8.5, 10);
	program_power_end(&power, 4, 0.25, 10);
	ck_assert_uint_eq(program_power_list(&power, list), 0);
	program_power_end(&power, 4, 0.25, 10);
	ck_assert_double_eq(power.fitted_seconds, 9);
	for (unsigned i = 0; i < 4; i++) {
		static const double unmeasured[][2] = { { NAN, 0.5 }, { -1, 0.5 }, { 5, 0 }, { 5, NAN } };

		program_power_end(&power, 85, 8.5, 10);
		program_power_use(&power, "one", 1);
		program_power_end(&power, unmeasured[i][0], unmeasured[i][1], 10);
		ck_assert(power.seconds == 0 && power.joules == 0 && power.programs[0].seconds == 0);
		ck_assert_double_eq(power.programs[0].total_seconds, i + 1);
	}
	ck_assert_double_eq(power.fitted_seconds, 9);
	program_power_end(&power, 0, 9, 10); /* none at all is a number, too */
	ck_assert_double_eq(power.fitted_seconds, 18);
}

static const char *const program_power[] = { "program_power", NULL };

/* As files: two processes, and a counter that wraps. */
struct files {
	struct rig rig;
	struct simulated machine;
	double joules, three_ticks, nine_ticks;
};

#define RANGE_JOULES 65532.610987
#define ENERGY "sys/class/powercap/intel-rapl:0/energy_uj"

static void put_process(struct rig *rig, unsigned pid, const char *name, double ticks)
{
	rig_put(rig, textf("proc/%u/stat", pid),
		"%u (%s) S 1 1 1 0 -1 0 0 0 0 0 %.0f 0 0 0 20 0 1 0 10 0 0\n", pid, name, ticks);
}

static void put_files(struct files *files)
{
	put_process(&files->rig, 7, "three", files->three_ticks);
	put_process(&files->rig, 8, "nine", files->nine_ticks);
	rig_put(&files->rig, ENERGY, "%.0f\n", fmod(files->joules, RANGE_JOULES) * 1e6);
}

static void open_files(struct files *files, unsigned seed)
{
	*files = (struct files){ .machine = machine_of(seed), .joules = 64000 };
	rig_open(&files->rig, "power-amd", program_power);
	put_files(files);
}

static const struct frame *second_of_files(struct files *files)
{
	double three = turn(&files->machine) == 0, nine = turn(&files->machine) == 2;

	files->joules += live(&files->machine, three, nine);
	files->three_ticks += 100 * three;
	files->nine_ticks += 100 * nine;
	put_files(files);
	return rig_sample(&files->rig, 1);
}

static double of_file(const struct frame *frame, const char *command, const char *column)
{
	return cell_f64(frame, "program_power", command, column);
}

START_TEST(processes_are_fitted_through_wraps_and_gaps)
{
	const struct frame *frame = NULL;
	struct sample sample;
	struct files files;

	open_files(&files, 1);
	for (unsigned i = 0; i < 300; i++) {
		frame = second_of_files(&files);
		if (i == 100) { /* one look fails */
			rig_put(&files.rig, ENERGY, "busy\n");
			ck_assert(isnan(of_file(rig_sample(&files.rig, 1), "(others)", "per_cpu_watts")));
			files.joules += files.machine.idle_watts;
		}
		if (i == 150) { /* the processes are listed for others alone: their time in it is not known */
			files.three_ticks += 100;
			put_files(&files);
			files.rig.clock.ns += UINT64_C(1000000000);
			files.rig.env.tick++;
			sample = rig_sample_for(&files.rig, NULL);
			reader_update(&process_reader, &sample);
		}
	}
	ck_assert_double_gt(files.joules, RANGE_JOULES);
	ck_assert_double_eq_tol(of_file(frame, "three", "per_cpu_watts"), THREE_WATTS, 0.15);
	ck_assert_double_eq_tol(of_file(frame, "nine", "per_cpu_watts"), NINE_WATTS, 0.45);
	ck_assert_double_le(of_file(frame, "three", "per_cpu_error_watts"), 0.15);
	ck_assert_double_eq_tol(of_file(frame, "(idle)", "watts"), files.machine.idle_watts, 0.5);
	ck_assert_double_eq_tol(of_file(frame, "nine", "cpu_seconds"), 75, 1e-6);
	ck_assert_double_eq(of_file(frame, "three", "watts"), 0); /* it pauses */
	frame = second_of_files(&files);
	ck_assert_double_eq_tol(of_file(frame, "three", "watts"), THREE_WATTS, 0.15);
	ck_assert_double_eq_tol(of_file(frame, "three", "cpu_ratio"), 1, 1e-9);
	rig_close(&files.rig);
}

/* Batteries tell their power late: what is fitted is half a minute, less a tenth. */
START_TEST(of_batteries_longer_intervals_are_fitted)
{
	const struct frame *frame = NULL;
	struct rig rig;

	rig_open(&rig, "power-batteries", program_power);
	rig_put(&rig, "sys/class/power_supply/BAT1/uevent", "POWER_SUPPLY_TYPE=Mains\n"); /* unknown power */
	for (unsigned second = 0; second <= 27; second++) {
		put_process(&rig, 7, "seven", 20 * second);
		frame = rig_sample(&rig, 1);
		ck_assert_uint_eq(frame_table(frame, "program_power")->n_rows, second < 27 ? 0 : 3);
	}
	ck_assert_str_eq(textf("%g %g %g", of_file(frame, "seven", "fitted_seconds"),
			       of_file(frame, "seven", "cpu_seconds"), of_file(frame, "seven", "cpu_ratio")),
			 "27 5.4 0.2");
	rig_close(&rig);
}

START_TEST(without_a_meter_no_process_is_read)
{
	struct rig rig;

	rig_open(&rig, "power-nothing", program_power);
	rig_sample(&rig, 1);
	rig_sample(&rig, 1);
	ck_assert_uint_eq(((struct process_list *)reader_state(&process_reader, &rig.env))->updates, 0);
	rig_close(&rig);
}
