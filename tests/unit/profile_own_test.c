/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of which events a profile opens, with the rights that a kernel of the test gives. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kernel/profile_record.h"
#include "rig.h"
#include "sys/perf_ring.h"
#include "topic/profile/profile_events.h"

#define OPENED_MAX 2048

/* --- The kernel. */

static struct opened {
	struct perf_event_attr attr;
	int tid, cpu, fd, joined; /* joined: to the ring of this descriptor */
} opened[OPENED_MAX];
static unsigned n_opened;
static int all_error, own_error, task_error; /* of events of all tasks, of this thread, of other ones */
static bool no_cycles;
static uint64_t period;
static unsigned n_periods;
static int period_error;

int perf_open(const struct perf_event_attr *attr, int tid, int cpu, int leader)
{
	int error = tid < 0 ? all_error : tid == 0 ? (cpu < 0 ? own_error : 0) : task_error;

	ck_assert_int_eq(leader, -1);
	if (attr->type == PERF_TYPE_HARDWARE && no_cycles)
		error = -ENOENT;
	if (error)
		return error;
	ck_assert_uint_lt(n_opened, OPENED_MAX);
	opened[n_opened] = (struct opened){ *attr, tid, cpu, open("/dev/null", O_RDONLY | O_CLOEXEC), -1 };
	return opened[n_opened++].fd;
}

static struct opened *opened_as(int fd)
{
	for (unsigned i = n_opened; i > 0; i--)
		if (opened[i - 1].fd == fd)
			return &opened[i - 1];
	ck_abort_msg("%d is not open", fd);
}

int perf_ring_join(int event, int owner)
{
	opened_as(event)->joined = owner;
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list list;

	ck_assert(request == PERF_EVENT_IOC_PERIOD);
	opened_as(fd);
	va_start(list, request);
	period = *va_arg(list, const uint64_t *);
	va_end(list);
	n_periods++;
	errno = -period_error;
	return period_error ? -1 : 0;
}

bool perf_takes_admin(struct env *env)
{
	(void)env;
	return false;
}

int perf_start(int leader)
{
	(void)leader;
	return -ENOTSUP;
}

long perf_read(int leader, void *bytes, size_t room)
{
	(void)leader;
	(void)bytes;
	(void)room;
	return -ENOTSUP;
}

int perf_ring_open(struct perf_ring *ring, int event, size_t bytes)
{
	(void)ring;
	(void)event;
	(void)bytes;
	return -ENOTSUP;
}

void perf_ring_close(struct perf_ring *ring)
{
	(void)ring;
}

/* cppcheck-suppress constParameter */
struct span perf_ring_take(struct perf_ring *ring, char *room)
{
	(void)ring;
	return span_of(room, 0);
}

/* cppcheck-suppress constParameter */
size_t perf_ring_add(struct perf_ring *ring, struct buffer *out)
{
	(void)ring;
	(void)out;
	return 0;
}

struct perf_ring_state perf_ring_state(int event)
{
	(void)event;
	return (struct perf_ring_state){ 0 };
}

/* --- A machine with CPUs 0, 1 and 3. */

static struct rig rig;
static struct profile_events events;

static void open_rig(const char *online)
{
	static const char *const none[] = { NULL };
	static const char *const pids[] = { "proc/1", "proc/7", "proc/42", "proc/99" };

	if (PROFILE_REGISTERS == 0)
		skip_test("profiles need registers that this architecture does not have");
	rig_open(&rig, "readers", none);
	for (size_t i = 0; i < sizeof(pids) / sizeof(pids[0]); i++)
		rig_remove(&rig, pids[i]);
	rig_make(&rig, "sys/devices/system/cpu");
	rig_put(&rig, "sys/devices/system/cpu/online", "%s\n", online);
	rig.env.live = true;
}

static void close_rig(void)
{
	profile_events_close(&events);
	for (unsigned i = 0; i < n_opened; i++)
		ck_assert_int_eq(fcntl(opened[i].fd, F_GETFD), -1);
	rig_close(&rig);
}

static void put_process(unsigned pid, unsigned parent, unsigned ticks, unsigned n_threads)
{
	char path[64];

	for (unsigned i = 0; i < n_threads; i++) {
		snprintf(path, sizeof(path), "proc/%u/task/%u", pid, pid + i);
		rig_make(&rig, path);
	}
	snprintf(path, sizeof(path), "proc/%u/stat", pid);
	rig_put(&rig, path, "%u (x) S %u 1 1 0 -1 0 0 0 0 0 %u %u 0 0 20 0 1 0 500 0 0\n", pid, parent,
		ticks / 3, ticks - ticks / 3);
}

static void remove_process(unsigned pid)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%u", pid);
	rig_remove(&rig, path);
}

static void follow(void)
{
	rig.env.tick++;
	profile_events_follow(&events);
}

START_TEST(with_rights_all_tasks_are_sampled)
{
	static const uint32_t cpus[] = { 0, 1, 3 };

	open_rig("0-1,3");
	ck_assert_int_eq(profile_events_open(&events, &rig.env, 97), 0);
	ck_assert(!events.own_only);
	ck_assert(events.by_cycles);
	ck_assert_uint_eq(events.ring_bytes, 524288);
	ck_assert_uint_eq(events.n_rings, 3);
	for (unsigned i = 0; i < 3; i++) {
		const struct opened *one = opened_as(events.rings[i]);

		ck_assert_int_eq(one->tid, -1);
		ck_assert_int_eq(one->cpu, (int)cpus[i]);
		ck_assert_uint_eq(events.cpus[i], cpus[i]);
		ck_assert_uint_eq(one->attr.type, PERF_TYPE_HARDWARE);
		ck_assert_uint_eq(one->attr.config, PERF_COUNT_HW_CPU_CYCLES);
		ck_assert(one->attr.freq);
		ck_assert_uint_eq(one->attr.sample_period, 97);
		ck_assert_uint_eq(one->attr.sample_type, PROFILE_SAMPLE_TYPE);
		ck_assert_uint_eq(one->attr.sample_regs_user, PROFILE_REGISTERS);
		ck_assert_uint_eq(one->attr.sample_stack_user, 8192);
		ck_assert_uint_eq(one->attr.wakeup_watermark, 262144);
		ck_assert(one->attr.watermark && one->attr.exclude_idle && one->attr.exclude_callchain_user);
		ck_assert(one->attr.mmap && one->attr.mmap2 && one->attr.comm && one->attr.comm_exec);
		ck_assert(one->attr.task && one->attr.sample_id_all);
		ck_assert(!one->attr.exclude_kernel && !one->attr.exclude_hv && !one->attr.inherit);
	}
	put_process(500, 1, 5, 1);
	follow(); /* they are in already */
	ck_assert_uint_eq(events.n_tasks, 0);
	ck_assert_uint_eq(n_opened, 3);
	close_rig();
}

START_TEST(without_cycles_time_is_sampled)
{
	open_rig("0");
	no_cycles = true;
	ck_assert_int_eq(profile_events_open(&events, &rig.env, 997), 0);
	ck_assert(!events.by_cycles);
	ck_assert_uint_eq(events.n_rings, 1);
	ck_assert_uint_eq(opened[0].attr.type, PERF_TYPE_SOFTWARE);
	ck_assert_uint_eq(opened[0].attr.config, PERF_COUNT_SW_CPU_CLOCK);
	ck_assert(!opened[0].attr.freq);
	ck_assert_uint_eq(opened[0].attr.sample_period, 1003009);
	close_rig();
}

/* The dummy that owns a ring has half of what such a user may lock for each CPU. */
START_TEST(without_rights_own_tasks_are_sampled)
{
	static const int errors[] = { -EACCES, -EPERM };

	open_rig("0-1,3");
	for (unsigned i = 0; i < 2; i++) {
		n_opened = 0;
		all_error = errors[i];
		ck_assert_int_eq(profile_events_open(&events, &rig.env, 97), 0);
		ck_assert(events.own_only);
		ck_assert_uint_eq(events.ring_bytes, 262144);
		ck_assert_uint_eq(events.n_rings, 3);
		ck_assert_uint_eq(n_opened, 4);
		ck_assert_int_eq(opened[0].cpu, -1); /* tried, and closed */
		ck_assert_uint_eq(opened[0].attr.type, PERF_TYPE_HARDWARE);
		ck_assert(opened[0].attr.exclude_kernel && opened[0].attr.exclude_hv);
		ck_assert(opened[0].attr.inherit);
		for (unsigned ring = 0; ring < 3; ring++) {
			const struct opened *one = opened_as(events.rings[ring]);

			ck_assert_int_eq(one->tid, 0);
			ck_assert_int_eq(one->cpu, (int)events.cpus[ring]);
			ck_assert_uint_eq(one->attr.type, PERF_TYPE_SOFTWARE);
			ck_assert_uint_eq(one->attr.config, PERF_COUNT_SW_DUMMY);
			ck_assert_uint_eq(one->attr.wakeup_watermark, 131072);
			ck_assert_uint_eq(one->attr.sample_period, 0);
			ck_assert(!one->attr.freq && !one->attr.inherit && !one->attr.mmap);
			ck_assert(!one->attr.mmap2 && !one->attr.comm && !one->attr.task);
		}
		profile_events_close(&events);
	}
	close_rig();
}

START_TEST(errors_open_nothing)
{
	open_rig("0-1");
	all_error = -EMFILE; /* that is not of rights */
	ck_assert_int_eq(profile_events_open(&events, &rig.env, 97), -EMFILE);
	ck_assert_uint_eq(n_opened, 0);
	profile_events_close(&events);
	all_error = own_error = -EACCES;
	ck_assert_int_eq(profile_events_open(&events, &rig.env, 97), -EACCES);
	ck_assert_uint_eq(events.n_rings, 0);
	profile_events_close(&events);
	all_error = own_error = 0;
	rig_put(&rig, "sys/devices/system/cpu/online", "\n");
	rig.env.tick++;
	ck_assert_int_eq(profile_events_open(&events, &rig.env, 97), -ENODEV);
	profile_events_close(&events);
	rig_put(&rig, "sys/devices/system/cpu/online", "0\n");
	rig.env.tick++;
	rig.env.foreign_pids = true;
	ck_assert_int_eq(profile_events_open(&events, &rig.env, 97), -ENOTSUP);
	rig.env.foreign_pids = rig.env.live = false;
	ck_assert_int_eq(profile_events_open(&events, &rig.env, 97), -ENOTSUP);
	ck_assert_uint_eq(n_opened, 0);
	close_rig();
}

static void open_own_only(void)
{
	all_error = -EACCES;
	ck_assert_int_eq(profile_events_open(&events, &rig.env, 97), 0);
	ck_assert(events.own_only);
}

START_TEST(own_tasks_have_an_event_for_each_cpu)
{
	open_rig("0-1,3");
	open_own_only();
	put_process(500, 1, 5, 2);
	put_process(600, 1, 9, 1);
	follow();
	ck_assert_uint_eq(events.n_tasks, 3);
	ck_assert_uint_eq(events.tasks[0].tid, 600); /* it has used more */
	ck_assert_uint_eq(events.tasks[1].tid, 500);
	ck_assert_uint_eq(events.tasks[2].tid, 501);
	ck_assert_uint_eq(events.tasks[2].pid, 500);
	for (unsigned i = 0; i < 3; i++) {
		const struct opened *one = opened_as(events.tasks[2].fds[i]);

		ck_assert_int_eq(one->tid, 501);
		ck_assert_int_eq(one->cpu, (int)events.cpus[i]);
		ck_assert_int_eq(one->joined, -1);
		ck_assert(one->attr.inherit && one->attr.exclude_kernel);
		ck_assert_uint_eq(one->attr.sample_period, 97);
	}
	profile_events_join(&events);
	for (unsigned i = 0; i < 9; i++)
		ck_assert_int_eq(opened_as(events.tasks[i / 3].fds[i % 3])->joined, events.rings[i % 3]);
	ck_assert_int_eq(profile_events_set_rate(&events, 200), 0);
	ck_assert_uint_eq(n_periods, 9); /* those that own the rings count nothing */
	ck_assert_uint_eq(period, 200);
	ck_assert_uint_eq(events.rate, 200);
	period_error = -EINVAL;
	ck_assert_int_eq(profile_events_set_rate(&events, 97), -EINVAL);
	ck_assert_uint_eq(n_periods, 10);
	close_rig();
}

START_TEST(rings_of_all_tasks_have_the_rate)
{
	open_rig("0-1,3");
	no_cycles = true;
	ck_assert_int_eq(profile_events_open(&events, &rig.env, 97), 0);
	ck_assert_int_eq(profile_events_set_rate(&events, 1000), 0);
	ck_assert_uint_eq(n_periods, 3);
	ck_assert_uint_eq(period, 1000000);
	period_error = -EINVAL;
	ck_assert_int_eq(profile_events_set_rate(&events, 97), -EINVAL);
	ck_assert_uint_eq(n_periods, 4);
	close_rig();
}

/* Those that are forked by one that is in are counted with it. */
START_TEST(later_ones_are_those_that_others_began)
{
	char path[256], first[256];

	open_rig("0");
	open_own_only();
	put_process(400, 1, 5, 1);
	put_process(500, 1, 5, 1);
	follow();
	ck_assert_uint_eq(events.n_tasks, 2);
	profile_events_join(&events);
	put_process(600, 500, 5, 1); /* a child */
	put_process(601, 1, 5, 1);   /* whose parent ended */
	put_process(1, 0, 5, 1);
	put_process(800, 1, 5, 1); /* of another user, if this test may do that */
	put_process(603, 800, 5, 1);
	follow();
	ck_assert_uint_eq(events.n_tasks, 2);
	snprintf(path, sizeof(path), "%s/proc/800", rig.root);
	snprintf(first, sizeof(first), "%s/proc/1", rig.root);
	if (chown(path, 65534, (gid_t)-1) == 0 && chown(first, 65534, (gid_t)-1) == 0) {
		follow();
		ck_assert_uint_eq(events.n_tasks, 3);
		ck_assert_uint_eq(events.tasks[2].pid, 603);
		ck_assert_int_eq(opened_as(events.tasks[2].fds[0])->joined, events.rings[0]);
		follow();
		ck_assert_uint_eq(events.n_tasks, 3);
		remove_process(603);
	}
	remove_process(400);
	follow();
	ck_assert_uint_eq(events.n_tasks, 1);
	ck_assert_uint_eq(events.tasks[0].pid, 500);
	close_rig();
}

/* 512 events: of 2 CPUs, 256 threads. */
START_TEST(there_are_at_most_so_many_events)
{
	static const char *const online[] = { "0", "0-1" };

	for (unsigned i = 0; i < 2; i++) {
		unsigned most = 512 / (i + 1);

		n_opened = 0;
		open_rig(online[i]);
		open_own_only();
		put_process(1000, 1, 50, most - 1);
		put_process(2000, 1, 40, 2); /* left out */
		put_process(3000, 1, 30, 1);
		put_process(4000, 1, 20, 1); /* left out */
		follow();
		ck_assert_uint_eq(events.n_tasks, most);
		ck_assert_uint_eq(events.n_left_out, 2);
		ck_assert_uint_eq(events.tasks[0].pid, 1000);
		ck_assert_uint_eq(events.tasks[most - 1].pid, 3000);
		close_rig();
	}
}

START_TEST(tasks_that_cannot_be_opened_are_left)
{
	open_rig("0-1");
	open_own_only();
	task_error = -ESRCH;
	put_process(500, 1, 5, 2);
	follow();
	ck_assert_uint_eq(events.n_tasks, 0);
	ck_assert_uint_eq(events.n_left_out, 0);
	close_rig();
}

START_TEST(rings_fit_the_cpus_that_are_online)
{
	static const struct {
		const char *online;
		bool fit;
	} cases[] = {
		{ "0-1,3", true }, { "0-1", false },     { "0-1,4", false }, { "0-3", false },
		{ "1,3", false },  { "0-1,3-4", false }, { "0,1,3", true },
	};

	open_rig("0-1,3");
	ck_assert_int_eq(profile_events_open(&events, &rig.env, 97), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rig_put(&rig, "sys/devices/system/cpu/online", "%s\n", cases[i].online);
		rig.env.tick++;
		ck_assert_msg(profile_events_fit(&events) == cases[i].fit, "%s", cases[i].online);
	}
	close_rig();
}
