/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of devices whose reads block: sensors, batteries, fans. No topic waits for them. */
#include "rig.h"

#include <sched.h>
#include <semaphore.h>
#include <sys/ioctl.h>

#include "sys/device_poll.h"
#include "sys/helper.h"
#include "topic/sensor/sensors.h"

#define TRIES_MAX 200     /* until an answer comes in time: on a busy machine one may not */
#define FIRST_SECONDS 1.9 /* 1 where helpers wait for a CPU, and some CPU time */
#define LATER_SECONDS 0.5 /* 0.02, likewise */

static const char *const sensor_topics[] = { "temperature", "fan", "voltage", "trip_point", NULL };

static struct rig rig;
static const struct frame *frame; /* of its last sample */

/* In place of a file a pipe: whoever reads it waits for answer(). The descriptor keeps it so. */
static int hang(const char *file)
{
	const char *path = textf("%s/%s", rig.root, file);
	int fifo;

	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	fifo = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_ge(fifo, 0);
	return fifo;
}

static void answer(int fifo, const char *text)
{
	ck_assert_int_eq(write(fifo, text, strlen(text)), (int)strlen(text));
}

/* With helpers, as the program has them; a file of it hangs. */
static int open_with_helpers(const char *fixture, const char *const *topic_names, const char *file)
{
	rig_open(&rig, fixture, topic_names);
	rig.env.clock = &real_clock; /* helpers take their time */
	ck_assert_int_eq(helper_start(rig.root), 0);
	return hang(file);
}

/* What hangs gets an answer, so that no helper is left behind. */
static void close_with_helpers(int fifo, const char *text)
{
	answer(fifo, text);
	rig_close(&rig);
	close(fifo);
	helper_stop();
}

/* How long this thread has waited for a CPU so far. */
static uint64_t waited_ns(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "r");
	unsigned long long waited = 0;

	if (file) {
		ck_assert_int_eq(fscanf(file, "%*u %llu", &waited), 1);
		fclose(file);
	}
	return waited;
}

/* A sample that must not wait for a device that hangs: at most this long, besides waiting for a CPU. */
static void sample_soon(double most_seconds)
{
	uint64_t start_ns = real_mono_ns() - waited_ns();

	frame = rig_sample(&rig, 1);
	ck_assert_double_le((double)(int64_t)(real_mono_ns() - waited_ns() - start_ns) / 1e9, most_seconds);
}

/* One of the last sample, and what it is. */
struct cell {
	const char *table, *row, *column; /* table NULL: the end of a list */
	double value;
};

static double number_of(const char *table, const char *row, const char *column)
{
	const struct table *of = frame_table(frame, table);
	const void *found = table_find(of, row, NULL);

	ck_assert_msg(found != NULL, "%s(%s)", table, row);
	return table_number(of, found, column);
}

/* Samples until the devices that do not hang were read: on a busy machine their helper may come late. */
static void sample_till_read(bool first, const struct cell *cells)
{
	double most_seconds = first ? FIRST_SECONDS : LATER_SECONDS;
	unsigned tries = 0;
	bool read;

	do {
		sample_soon(tries == 0 ? most_seconds : LATER_SECONDS);
		read = true;
		for (const struct cell *cell = cells; cell->table; cell++)
			read = read && !isnan(number_of(cell->table, cell->row, cell->column));
		ck_assert_uint_lt(tries++, TRIES_MAX);
	} while (!read);
	for (const struct cell *cell = cells; cell->table; cell++)
		ck_assert_double_eq(number_of(cell->table, cell->row, cell->column), cell->value);
}

/* Samples until this device, which gets answers, tells one of the same tick. */
static void sample_till_fresh(int fifo, const char *text, const char *table, const char *row)
{
	unsigned tries = 0;
	int unread;

	do {
		usleep(tries > 0 ? 2000 : 0);
		ck_assert_int_eq(ioctl(fifo, FIONREAD, &unread), 0);
		if (unread == 0)
			answer(fifo, text);
		sample_soon(FIRST_SECONDS);
		ck_assert_uint_lt(tries++, TRIES_MAX);
	} while (!(number_of(table, row, "age_seconds") <= 0));
}

/* The device that hangs gets an answer: then this is known, or at least some time later. */
static void answer_till_known(int fifo, const char *text, const struct cell *cell)
{
	answer(fifo, text);
	for (unsigned i = 0; i < 1000 && isnan(number_of(cell->table, cell->row, cell->column)); i++) {
		usleep(2000);
		frame = rig_sample(&rig, 1);
	}
	ck_assert_double_eq(number_of(cell->table, cell->row, cell->column), cell->value);
}

static const char *state_of(const char *row)
{
	return cell_text(frame, "temperature", row, "state");
}

#define UEVENT "sys/class/power_supply/BAT0/uevent"
#define BATTERY(status) \
	"POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_STATUS=" status "\nPOWER_SUPPLY_POWER_NOW=5000000\n"

/*
 * Others are read meanwhile; of itself all is unknown until it answers. A battery that never answered is
 * known by what needs no answer; the machine's total waits for it.
 */
START_TEST(what_hangs_stops_no_topic)
{
	static const char *const battery_topics[] = { "battery", "power", NULL };
	static const struct {
		const char *fixture, *const *topics, *file, *text;
		size_t n_rows;
		struct cell late, others[4], unknown[3];
	} cases[] = {
		{ "power-laptop", sensor_topics, "sys/class/hwmon/hwmon1/temp1_input", "45000\n", 7,
		  { "temperature", "coretemp.0/temp1", "celsius", 45 },
		  { { "fan", "thinkpad_hwmon/fan1", "rpm", 3210 },
		    { "temperature", "x86_pkg_temp", "celsius", 62 },
		    { "temperature", "acpitz", "critical_celsius", 100 } },
		  { { "temperature", "coretemp.0/temp1", "age_seconds" } } },
		{ "power-laptop", sensor_topics, "sys/class/thermal/thermal_zone0/trip_point_0_temp",
		  "90000\n", 7, { "temperature", "acpitz", "critical_celsius", 90 },
		  { { "temperature", "acpitz", "celsius", 63 },
		    { "temperature", "x86_pkg_temp", "critical_celsius", 100 } } },
		{ "power-batteries", battery_topics, UEVENT, BATTERY("Discharging"), 2,
		  { "battery", "BAT0", "watts", 5 }, { { "battery", "BAT1", "charge_ratio", 0.75 } },
		  { { "battery", "BAT0", "charge_ratio" }, { "power", "total", "watts" } } },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		const struct cell *late = &cases[c].late;
		int fifo = open_with_helpers(cases[c].fixture, cases[c].topics, cases[c].file);

		rig_put(&rig, "sys/class/power_supply/BAT0/type", "Battery\n");
		for (unsigned i = 0; i < 3; i++) {
			sample_till_read(i == 0, cases[c].others);
			ck_assert_uint_eq(frame_table(frame, late->table)->n_rows, cases[c].n_rows);
			ck_assert(isnan(number_of(late->table, late->row, late->column)));
			for (const struct cell *cell = cases[c].unknown; cell->table; cell++)
				ck_assert(isnan(number_of(cell->table, cell->row, cell->column)));
			ck_assert(c != 0 || strcmp(state_of(late->row), "slow") == 0);
			ck_assert(c != 1 || frame_table(frame, "trip_point")->n_rows == 2);
		}
		answer_till_known(fifo, cases[c].text, late);
		ck_assert(c == 1 || number_of(late->table, late->row, "age_seconds") > 0);
		ck_assert(c != 1 || number_of("trip_point", "acpitz", "celsius") == 90);
		close_with_helpers(fifo, cases[c].text);
	}
}

/* In case of a fault the kernel gives 0 without an error: late chips are checked for faults, too. */
START_TEST(a_fault_on_a_chip_that_hangs_is_no_reading)
{
	static const char key[] = "coretemp.0/temp3";
	int fifo = open_with_helpers("power-laptop", sensor_topics, "sys/class/hwmon/hwmon1/temp1_input");

	rig_put(&rig, "sys/class/hwmon/hwmon1/temp3_fault", "1\n");
	rig_put(&rig, "sys/class/hwmon/hwmon1/temp3_input", "0\n");
	sample_soon(FIRST_SECONDS);
	ck_assert_str_eq(state_of(key), "slow");
	answer(fifo, "45000\n");
	for (int i = 0; i < 1000 && strcmp(state_of(key), "slow") == 0; i++) {
		usleep(2000);
		frame = rig_sample(&rig, 1);
	}
	ck_assert_str_eq(state_of(key), "fault");
	ck_assert(isnan(number_of("temperature", key, "celsius")));
	close_with_helpers(fifo, "45000\n");
}

/* Each device that hangs holds a helper, and another one goes on; the pane may go and come back meanwhile. */
START_TEST(several_that_hang_stop_no_topic)
{
	static const struct cell others[] = {
		{ "fan", "thinkpad_hwmon/fan1", "rpm", 3210 },
		{ "voltage", "BAT0/in0", "volts", 12.1 },
		{ "temperature", "acpitz", "celsius", 63 },
		{ 0 },
	};
	int fifo = open_with_helpers("power-laptop", sensor_topics, "sys/class/hwmon/hwmon1/temp2_input");
	int second = hang("sys/class/hwmon/hwmon2/temp1_input");
	bool *nothing = calloc(n_topics, sizeof(*nothing));

	for (unsigned i = 0; i < 12; i++) { /* more often than there are helpers */
		rig.source.want(rig.source.state, nothing);
		rig.source.want(rig.source.state, rig.wanted);
		sample_till_read(true, others);
		ck_assert_str_eq(state_of("coretemp.0/temp2"), "slow");
		ck_assert_str_eq(state_of("nvme@0000:01:00.0/temp1"), "slow");
	}
	answer(second, "41000\n");
	close_with_helpers(fifo, "60000\n");
	close(second);
	free(nothing);
}

/* A minute later they are looked at again. */
START_TEST(trip_points_are_read_seldom)
{
	struct sensors *sensors;

	rig_open(&rig, "power-laptop", sensor_topics);
	rig_sample(&rig, 1);
	rig_put(&rig, "sys/class/thermal/thermal_zone0/trip_point_0_temp", "70000\n");
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(number_of("temperature", "acpitz", "critical_celsius"), 100);
	sensors = reader_state(&sensor_reader, &rig.env);
	for (size_t i = 0; i < sensors->n_chips; i++)
		sensors->chips[i].limits_ns -= UINT64_C(60000000000);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(number_of("temperature", "acpitz", "critical_celsius"), 70);
	ck_assert_double_eq(number_of("trip_point", "acpitz", "celsius"), 70);
	rig_close(&rig);
}

/* From its third reading on: as it was, with its age. */
START_TEST(what_begins_to_hang_is_told_as_it_was)
{
	static const struct {
		const char *fixture, *topics[2], *file, *text;
		struct cell hangs, goes_on;
	} cases[] = {
		{ "power-batteries", { "battery" }, UEVENT, BATTERY("Charging"),
		  { "battery", "BAT0", "watts", -5 }, { "battery", "BAT1", "charge_ratio", 0.75 } },
		{ "power-laptop", { "temperature" }, "sys/class/thermal/thermal_zone1/temp", "61000\n",
		  { "temperature", "x86_pkg_temp", "celsius", 61 },
		  { "temperature", "acpitz", "celsius", 63 } },
		{ "power-laptop", { "cooling" }, "sys/class/thermal/cooling_device1/cur_state", "1\n",
		  { "cooling", "cooling_device1", "level", 1 },
		  { "cooling", "cooling_device0", "level", 0 } },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		const struct cell *hangs = &cases[c].hangs, *goes_on = &cases[c].goes_on;
		int fifo = open_with_helpers(cases[c].fixture, cases[c].topics, cases[c].file);

		for (unsigned i = 0; i < 5; i++) {
			if (i < 2)
				sample_till_fresh(fifo, cases[c].text, hangs->table, hangs->row);
			else
				sample_soon(LATER_SECONDS);
			ck_assert_double_eq(number_of(hangs->table, hangs->row, hangs->column), hangs->value);
			ck_assert((number_of(hangs->table, hangs->row, "age_seconds") > 0) == (i >= 2));
			ck_assert_double_eq(number_of(goes_on->table, goes_on->row, goes_on->column),
					    goes_on->value);
		}
		close_with_helpers(fifo, cases[c].text);
	}
}

/* An old reading of a counter is not the energy of this sample: it is unknown, not 0. */
START_TEST(a_counter_that_hangs_gives_no_watts)
{
	static const char *const names[] = { "power", NULL };
	static const char domain[] = "k10temp@0000:00:18.3/energy1";
	int fifo = open_with_helpers("power-amd", names, "sys/class/hwmon/hwmon0/energy1_input");
	unsigned joules = 1000;

	do {
		ck_assert_uint_lt(joules, 1000 + 5 * TRIES_MAX);
		answer(fifo, textf("%u000000\n", joules += 5));
		sample_soon(FIRST_SECONDS);
	} while (!(number_of("power", domain, "watts") > 0));
	sample_soon(LATER_SECONDS); /* on a busy machine the last answer may come after its sample */
	for (unsigned i = 0; i < 3; i++) {
		sample_soon(LATER_SECONDS);
		ck_assert(isnan(number_of("power", domain, "watts")));
	}
	close_with_helpers(fifo, "1006000000\n");
}

/* A device of the test: who reads it sleeps until it may go on, or works until then. */
struct held_poll {
	struct device_poll poll;
	sem_t may_end;
	bool works;
	unsigned n_finished, n_lost;
};

static unsigned n_freed;

static void read_held(struct device_poll *poll)
{
	struct held_poll *held = (struct held_poll *)poll;

	while (held->works && sem_trywait(&held->may_end) < 0)
		;
	while (!held->works && sem_wait(&held->may_end) < 0)
		;
}

static void finish_held(struct device_poll *poll)
{
	((struct held_poll *)poll)->n_finished++;
}

static void lose_held(struct device_poll *poll)
{
	((struct held_poll *)poll)->n_lost++;
}

static void free_held(struct device_poll *poll)
{
	n_freed++;
	helper_free(poll);
}

static struct env env;

static struct held_poll *open_held(const char *key)
{
	struct held_poll *held = helper_alloc(sizeof(*held));

	held->poll = (struct device_poll){ .read = read_held, .finished = finish_held, .free = free_held };
	ck_assert_int_eq(sem_init(&held->may_end, 1, 0), 0);
	device_poll_open(&held->poll, &env, key);
	return held;
}

static void open_helpers(void)
{
	ck_assert_int_eq(env_open(&env, fixture_root("empty", 0)), 0);
	ck_assert_int_eq(helper_start(fixture_root("empty", 0)), 0);
}

static void close_helpers(void)
{
	env_close(&env);
	helper_stop();
}

static struct held_poll *open_one(void)
{
	open_helpers();
	return open_held("a");
}

static void close_one(struct held_poll *held)
{
	device_poll_drop(&held->poll);
	close_helpers();
}

static void wait_for(struct held_poll *held)
{
	for (unsigned i = 0; i < 10 && held->poll.in_flight; i++)
		device_poll_wait_for(&held->poll, UINT64_C(1000000000));
	ck_assert(!held->poll.in_flight);
}

/* It costs credit twice: when a sample goes on without it, and since its read took long. */
START_TEST(a_device_that_hangs_is_not_waited_for_again)
{
	struct held_poll *held = open_one();

	device_poll_submit(&held->poll);
	ck_assert(held->poll.awaited);
	device_poll_wait(&env);
	ck_assert(held->poll.in_flight && !held->poll.awaited);
	ck_assert_int_eq(held->poll.credit, 3);
	device_poll_wait(&env);
	ck_assert_int_eq(held->poll.credit, 3);
	sem_post(&held->may_end);
	wait_for(held);
	ck_assert_int_eq(held->poll.credit, -2);
	for (int credit = 0; credit <= 1; credit++) {
		held->poll.credit = credit;
		device_poll_submit(&held->poll);
		ck_assert_int_eq(held->poll.awaited, credit > 0);
		sem_post(&held->may_end);
		wait_for(held);
	}
	ck_assert(!held->poll.awaited);
	close_one(held);
}

/* Two that are one for the kernel, as a pane that was closed and opened again has them. */
START_TEST(a_device_is_read_once_at_a_time)
{
	struct held_poll *first, *again, *other;

	open_helpers();
	first = open_held("a");
	again = open_held("a");
	other = open_held("b");
	device_poll_submit(&first->poll);
	device_poll_submit(&other->poll);
	device_poll_submit(&again->poll);
	ck_assert(first->poll.in_flight && other->poll.in_flight && !again->poll.in_flight);
	device_poll_drop(&first->poll);
	ck_assert_uint_eq(n_freed, 0);
	sem_post(&first->may_end);
	for (unsigned i = 0; i < 1000 && n_freed == 0; i++)
		device_poll_wait_for(&other->poll, 10000000);
	ck_assert_uint_eq(n_freed, 1);
	device_poll_submit(&again->poll);
	ck_assert(again->poll.in_flight);
	sem_post(&other->may_end);
	sem_post(&again->may_end);
	wait_for(other);
	wait_for(again);
	ck_assert_uint_eq(again->n_finished, 1);
	device_poll_drop(&other->poll);
	device_poll_drop(&again->poll);
	ck_assert_uint_eq(n_freed, 3);
	close_helpers();
}

static bool comes_to_wait(const struct held_poll *held, bool for_cpu)
{
	for (unsigned i = 0; i < 10000; i++, usleep(1000))
		if (atomic_load(&held->poll.helper) != 0 && device_poll_waits_for_cpu(&held->poll) == for_cpu)
			return true;
	return false;
}

/* As an action has to hear that it was not done. */
START_TEST(whose_helper_was_killed_hears_of_it)
{
	struct held_poll *held = open_one();

	held->poll.lost = lose_held;
	device_poll_submit(&held->poll);
	while (atomic_load(&held->poll.helper) == 0)
		sched_yield();
	ck_assert_int_eq(kill(held->poll.helper, SIGKILL), 0);
	wait_for(held);
	ck_assert(held->n_lost == 1 && held->n_finished == 0);
	close_one(held);
}

/* A helper that works is not held up by the device. */
START_TEST(a_helper_that_sleeps_waits_for_the_device)
{
	struct held_poll *held = open_one();

	ck_assert(!device_poll_waits_for_cpu(&held->poll));
	for (unsigned works = 0; works < 2; works++) {
		held->works = works;
		device_poll_submit(&held->poll);
		ck_assert(comes_to_wait(held, works));
		sem_post(&held->may_end);
		wait_for(held);
		ck_assert(!device_poll_waits_for_cpu(&held->poll));
	}
	close_one(held);
}
