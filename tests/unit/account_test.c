/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the account of CPU time on virtual machines whose host takes some of it. */
#include <config.h>

#include <math.h>

#include "kernel/cpu_times.h"
#include "rig.h"
#include "suite.h"
#include "topic/topic.h"

#define KERNEL_THREAD 0x200000

static const char *const topic_names[] = { "account", NULL };

/* A machine of one busy CPU, whose only task has run since time 0. */
struct guest {
	struct rig rig;
	const struct frame *now;
	double seconds, stolen, interrupts; /* since then */
	double clock;                       /* of the tasks */
	double run;                         /* time of the task */
};

static void write_guest(struct guest *guest)
{
	struct rig *rig = &guest->rig;
	double stolen = 100 * guest->stolen, interrupts = 100 * guest->interrupts;
	double user = 100 * guest->seconds - stolen - interrupts;

	rig_put(rig, "proc/stat", "cpu  %.0f 0 0 0 0 %.0f 0 %.0f 0 0\ncpu0 %.0f 0 0 0 0 %.0f 0 %.0f 0 0\n",
		user, interrupts, stolen, user, interrupts, stolen);
	rig_put(rig, "proc/self/stat", "9 (panetop) R 1 9 9 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0 %s\n",
		"0 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0");
	rig_put(rig, "proc/self/sched", "panetop (9, #threads: 1)\n---\nse.exec_start    :    %.6f\n",
		guest->clock * 1e3);
	rig_put(rig, "proc/7/stat", "7 (make) R 1 7 7 0 -1 0 0 0 0 0 %.0f 0 0 0 20 0 1 0 1 0 0\n",
		guest->run * 100);
}

static void guest_open(struct guest *guest, double interrupts)
{
	*guest = (struct guest){ .seconds = 1000, .stolen = 50, .interrupts = interrupts };
	guest->clock = 1003;
	guest->run = 900;
	rig_open(&guest->rig, "empty", topic_names);
	rig_make(&guest->rig, "proc/self");
	rig_make(&guest->rig, "proc/7");
	write_guest(guest);
	guest->now = rig_sample(&guest->rig, 1);
}

/* As many seconds of these were stolen and spent in interrupts; this much of both is in the clocks. */
static void pass_seconds(struct guest *guest, double seconds, double stolen, double interrupts,
			 double in_clocks)
{
	double clock = seconds - stolen - interrupts + in_clocks;

	guest->seconds += seconds;
	guest->stolen += stolen;
	guest->interrupts += interrupts;
	guest->clock += clock;
	guest->run += clock;
	write_guest(guest);
	guest->now = rig_sample(&guest->rig, seconds);
}

static void pass(struct guest *guest, double stolen, double interrupts, double in_clocks)
{
	pass_seconds(guest, 10, stolen, interrupts, in_clocks);
}

static double seconds_of(const struct guest *guest, const char *part)
{
	return frame_number(guest->now, "account", part, "cpu_seconds");
}

static void assert_account(const struct guest *guest, double tasks, double steal, double unaccounted)
{
	ck_assert_double_eq_tol(seconds_of(guest, "tasks"), tasks, 1e-6);
	if (isnan(steal))
		ck_assert(isnan(seconds_of(guest, "steal")));
	else
		ck_assert_double_eq_tol(seconds_of(guest, "steal"), steal, 1e-6);
	ck_assert_double_eq_tol(seconds_of(guest, "unaccounted"), unaccounted, 1e-6);
}

/* CONFIG_PARAVIRT_TIME_ACCOUNTING: stolen time is taken off the clocks. */
START_TEST(stolen_time_is_a_part_where_the_clocks_leave_it_out)
{
	struct guest guest;

	guest_open(&guest, 0);
	for (unsigned i = 1; i < 4; i++) {
		pass(&guest, 2, 0, 0);
		assert_account(&guest, 8 * i, 2 * i, 0);
	}
	ck_assert_str_eq(cell_text(guest.now, "account", "steal", "from"), "/proc/stat steal");
	rig_close(&guest.rig);
}

/* Without it, as on Debian: what the host took while a task ran is time of the task. */
START_TEST(stolen_time_in_the_clocks_counts_once)
{
	struct guest guest;

	guest_open(&guest, 0);
	pass(&guest, 0, 0, 0);
	assert_account(&guest, 10, 0, 0);
	pass(&guest, 2, 0, 2);
	assert_account(&guest, 20, NAN, 0);
	ck_assert_str_eq(cell_text(guest.now, "account", "steal", "from"), "in tasks and exited");
	pass(&guest, 4, 0, 4);
	assert_account(&guest, 30, NAN, 0);
	rig_close(&guest.rig);
}

/* Half a second is too little: it stays a part, and is not taken back later. */
START_TEST(little_stolen_time_decides_nothing)
{
	struct guest guest;

	guest_open(&guest, 0);
	pass(&guest, 0.5, 0, 0.5);
	assert_account(&guest, 10, 0.5, -0.5);
	pass(&guest, 0.5, 0, 0.5);
	assert_account(&guest, 20, NAN, -0.5);
	rig_close(&guest.rig);
}

/* Measured interrupts are taken off the clocks as well: with as many of them it could be either. */
START_TEST(interrupts_are_not_taken_for_stolen_time)
{
	const struct cpu_times measured = { .irq = 1 };
	struct guest guest;

	if (!cpu_times_measures_interrupts(&measured))
		skip_test("this architecture has clocks of its own");
	guest_open(&guest, 20);
	pass(&guest, 2, 2, 2); /* steal is in the clocks, which are 2 s behind all the same */
	assert_account(&guest, 8, 2, -2);
	pass(&guest, 2, 0, 2);
	ck_assert(isnan(seconds_of(&guest, "steal")));
	assert_account(&guest, 18, NAN, -2);
	rig_close(&guest.rig);
}

#define TASK " S %u 0 0 0 -1 %u 0 0 0 0 0 %u 0 0 0 20 0 1 0 1 0 0\n"

/* Ticks of soft interrupts and of tasks: a thread that serves them, a worker, a program of that name. */
static void put_softirqs(struct rig *rig, unsigned softirq, unsigned thread, unsigned worker,
			 unsigned program)
{
	unsigned user = worker + program;

	rig_put(rig, "proc/stat", "cpu  %u 0 0 0 0 100 %u 0 0 0\ncpu0 %u 0 0 0 0 100 %u 0 0 0\n", user,
		softirq, user, softirq);
	rig_put(rig, "proc/15/stat", "15 (ksoftirqd/0)" TASK, 2, KERNEL_THREAD, thread);
	rig_put(rig, "proc/16/stat", "16 (kworker/0:1)" TASK, 2, KERNEL_THREAD, worker);
	rig_put(rig, "proc/17/stat", "17 (ksoftirqd/1)" TASK, 1, 0, program);
}

/* The kernel counts it as softirq, too; no other task is taken off. */
START_TEST(time_of_the_softirq_threads_counts_once)
{
	const struct cpu_times measured = { .irq = 1 };
	const struct frame *frame;
	struct rig rig;

	if (!cpu_times_measures_interrupts(&measured))
		skip_test("this architecture has clocks of its own");
	rig_open(&rig, "empty", topic_names);
	rig_make(&rig, "proc/15");
	rig_make(&rig, "proc/16");
	rig_make(&rig, "proc/17");
	put_softirqs(&rig, 700, 100, 2000, 3000);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq_tol(frame_number(frame, "account", "softirq", "cpu_seconds"), 0, 1e-6);
	put_softirqs(&rig, 700 + 800, 100 + 50, 2000 + 200, 3000 + 125);
	frame = rig_sample(&rig, 20);
	ck_assert_double_eq_tol(frame_number(frame, "account", "tasks", "cpu_seconds"), 3.75, 1e-6);
	ck_assert_double_eq_tol(frame_number(frame, "account", "softirq", "cpu_seconds"), 7.5, 1e-6);
	ck_assert_double_eq_tol(frame_number(frame, "account", "unaccounted", "cpu_seconds"), 0, 1e-6);
	put_softirqs(&rig, 1500, 150 + 1000, 2200, 3125); /* more than there was */
	frame = rig_sample(&rig, 20);
	ck_assert_double_eq_tol(frame_number(frame, "account", "softirq", "cpu_seconds"), 0, 1e-6);
	rig_close(&rig);
}

/* In hours the clocks drift apart by as much. */
START_TEST(stolen_time_within_hours_decides_nothing)
{
	struct guest guest;

	guest_open(&guest, 0);
	pass_seconds(&guest, 10000, 1, 0, 1);
	assert_account(&guest, 10000, 1, -1);
	pass(&guest, 1, 0, 1);
	assert_account(&guest, 10010, NAN, -1);
	rig_close(&guest.rig);
}
