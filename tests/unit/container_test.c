/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the overview shows in a container: its limits, with the machine beside them; elsewhere the machine. */
#include "rig.h"

#include "pane/overview/overview_gauge.h"
#include "pane/panes.h"

#define GROUP "sys/fs/cgroup/system.slice/docker-1f.scope/"

static struct rig rig;

static const char *const names[] = {
	"system", "cpu", "memory", "cpu_limit", "memory_limit", "pressure", NULL
};

/* The group of panetop may use 1.5 CPUs and 512 MiB; the slice above it has little memory left. */
static void open_rig(const char *pids)
{
	rig_open(&rig, "cgroup-v2", names);
	rig_put(&rig, "sys/fs/cgroup/system.slice/memory.max", "max\n");
	rig_put(&rig, GROUP "cpu.stat", "usage_usec 1000000\nnr_periods 100\nnr_throttled 12\n");
	if (pids)
		rig_link(&rig, "proc/self/ns/pid", pids);
}

/* Two seconds later; three quarters of what it may use are used. */
static const struct frame *sample_later(void)
{
	rig_sample(&rig, 1);
	rig_put(&rig, GROUP "cpu.stat", "usage_usec 3250000\nnr_periods 120\nnr_throttled 17\n");
	rig_put(&rig, "proc/stat",
		"cpu  1100 20 500 90300 40 0 12 0 0 0\ncpu0 600 10 250 45100 20 0 6 0 0 0\n"
		"cpu1 500 10 250 45200 20 0 6 0 0 0\n");
	return rig_sample(&rig, 2);
}

static void assert_line(const struct frame *frame, unsigned index, double ratio, const char *text)
{
	struct overview_gauge gauges[OVERVIEW_GAUGES_MAX];

	ck_assert_uint_gt(overview_gauges(frame, gauges), index);
	ck_assert_double_eq_tol(gauges[index].ratio, ratio, 0.005);
	ck_assert_str_eq(gauges[index].text, text);
}

static void assert_cpus(const struct frame *frame, const char *text)
{
	char pieces[HEADLINE_PIECES_MAX][HEADLINE_PIECE_MAX];
	unsigned n = headline_pieces(frame, pieces);

	ck_assert_str_eq(pieces[n - 1], text);
}

START_TEST(a_container_has_its_limits)
{
	const struct frame *frame;

	open_rig("pid:[4026532190]");
	frame = sample_later();
	assert_line(frame, 0, 0.75, "container 1.12 of 1.50 CPUs, throttled 25 %  (machine 25 %)");
	assert_line(frame, 1, 0.49, "container 261M of 512M available  (machine 26 %)");
	assert_line(frame, 2, 0.04, "machine: 65.0M of 1.5G used");
	assert_cpus(frame, "1.50 of 2 CPUs");
	ck_assert(!overview_shows_cpus(frame));
	rig_close(&rig);
}

START_TEST(what_is_left_is_that_of_the_tightest_limit)
{
	open_rig("pid:[4026532190]");
	rig_put(&rig, "sys/fs/cgroup/system.slice/memory.max", "1073741824\n");
	rig_put(&rig, "sys/fs/cgroup/system.slice/memory.stat", "active_file 0\ninactive_file 0\n");
	rig_put(&rig, "sys/fs/cgroup/system.slice/cpu.max", "50000 100000\n");
	assert_line(sample_later(), 1, 0.99, "container 9.5M of 1.0G available  (machine 26 %)");
	assert_cpus(rig.now, "0.50 of 2 CPUs");
	rig_close(&rig);
}

/* --cpuset-cpus limits without a quota. */
START_TEST(a_cpuset_is_a_limit)
{
	open_rig("pid:[4026532190]");
	rig_put(&rig, GROUP "cpu.max", "max 100000\n");
	rig_put(&rig, GROUP "cpuset.cpus.effective", "1\n");
	rig_put(&rig, GROUP "memory.max", "max\n");
	assert_line(sample_later(), 0, 1.125, "container 1.12 of 1 CPU  (machine 25 %)");
	assert_line(rig.now, 1, 0.26, "machine: 1.7G of 2.4G available");
	assert_cpus(rig.now, "1 of 2 CPUs");
	rig_close(&rig);
}

/* In a limited service of the machine all processes are seen; nor is it known without the link. */
START_TEST(the_machine_is_no_container)
{
	static const char *const pids[] = { "pid:[4026531836]", NULL };

	for (unsigned i = 0; i < 2; i++) {
		open_rig(pids[i]);
		assert_line(sample_later(), 0, 0.25, "user 25  system 0  wait 0  steal 0");
		assert_line(rig.now, 1, 0.26, "1.7G of 2.4G available");
		assert_cpus(rig.now, "2 CPUs");
		ck_assert(overview_shows_cpus(rig.now));
		rig_close(&rig);
	}
}

START_TEST(a_container_without_limits_has_the_machine)
{
	open_rig("pid:[4026532190]");
	rig_put(&rig, GROUP "cpu.max", "max 100000\n");
	rig_put(&rig, GROUP "memory.max", "max\n");
	rig_put(&rig, GROUP "cpuset.cpus.effective", "0-1\n");
	assert_line(sample_later(), 0, 0.25, "machine: user 25  system 0  wait 0  steal 0");
	assert_cpus(rig.now, "2 CPUs");
	rig_close(&rig);
}

