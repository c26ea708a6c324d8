/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of which events a profile opens, with the rights that a kernel of the test gives; of waits, by the
 * switches of threads in its rings; and of calls that threads are seen in.
 */
#include "rig.h"

#include <sys/syscall.h>

#include "held_threads.h"
#include "kernel/perf_record.h"
#include "sys/bpf/program.h"
#include "sys/perf_ring.h"
#include "topic/call/call_counts.h"
#include "topic/profile/profile_events.h"
#include "topic/profile/wait_switches.h"

#define OPENED_MAX 2048
#define RING_NAME "ring-of-the-test"
#define RING_BYTES 16384
#define PAGE_BYTES sysconf(_SC_PAGESIZE)

/* --- The kernel. */

static struct opened {
	struct perf_event_attr attr;
	int tid, cpu, fd, joined; /* joined: to the ring of this descriptor */
} opened[OPENED_MAX];
static unsigned n_opened;
static int all_error, own_error, task_error; /* of events of all tasks, of this thread, of other ones */
static int starting, joinless; /* with the event of this thread another one starts; of this one none joins */
static void put_process(unsigned pid, unsigned parent, unsigned ticks, unsigned n_threads);
static bool no_cycles, no_rings; /* no_rings: they cannot be mapped */
static uint64_t period;
static unsigned n_periods;
static int period_error;

static int open_event(const struct machine_perf *perf, const struct perf_event_attr *attr, int tid, int cpu,
		      int leader)
{
	int error = tid < 0 ? all_error : tid == 0 ? (cpu < 0 ? own_error : 0) : task_error, fd;

	(void)perf;
	ck_assert_int_eq(leader, -1);
	if (attr->type == PERF_TYPE_HARDWARE && no_cycles)
		error = -ENOENT;
	if (error)
		return error;
	fd = no_rings ? open("/dev/null", O_RDONLY | O_CLOEXEC) : memfd_create(RING_NAME, MFD_CLOEXEC);
	ck_assert(no_rings || ftruncate(fd, PAGE_BYTES + RING_BYTES) == 0);
	ck_assert_uint_lt(n_opened, OPENED_MAX);
	opened[n_opened++] = (struct opened){ *attr, tid, cpu, fd, -1 };
	if (tid > 0 && tid == starting) {
		put_process((unsigned)tid, 1, 0, 2);
		starting = 0;
	}
	return fd;
}

static struct opened *opened_as(int fd)
{
	for (unsigned i = n_opened; i > 0; i--)
		if (opened[i - 1].fd == fd)
			return &opened[i - 1];
	ck_abort_msg("%d is not open", fd);
}

static int control_event(const struct machine_perf *perf, int fd, unsigned long request,
			 unsigned long argument)
{
	struct opened *one = opened_as(fd);

	(void)perf;
	if (request == PERF_EVENT_IOC_SET_OUTPUT) {
		one->joined = (int)argument;
		return one->tid == joinless ? -EINVAL : 0;
	}
	ck_assert(request == PERF_EVENT_IOC_PERIOD);
	period = *(const uint64_t *)argument;
	n_periods++;
	return period_error;
}

static const struct machine_perf perf = { open_event, control_event };

/* How many rings are mapped. */
static unsigned n_mapped(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned n = 0;

	while (fgets(line, sizeof(line), file))
		n += strstr(line, "memfd:" RING_NAME) != NULL;
	fclose(file);
	return n;
}

/* --- A machine with CPUs 0, 1 and 3. */

static struct rig rig;
static struct held_threads threads;
static struct profile_events events;

static void open_rig(const char *online)
{
	static const char *const pids[] = { "proc/1", "proc/7", "proc/42", "proc/99" };

	if (PROFILE_REGISTERS == 0)
		skip_test("profiles need registers that this architecture does not have");
	rig_open(&rig, "readers", NULL);
	for (size_t i = 0; i < sizeof(pids) / sizeof(pids[0]); i++)
		rig_remove(&rig, pids[i]);
	rig_make(&rig, "sys/devices/system/cpu");
	rig_put(&rig, "sys/devices/system/cpu/online", "%s\n", online);
	rig.env.live = true;
	rig.env.perf = &perf;
	hold_threads(&threads, &rig.env);
}

static void close_rig(void)
{
	profile_events_close(&events);
	for (unsigned i = 0; i < n_opened; i++)
		ck_assert_int_eq(fcntl(opened[i].fd, F_GETFD), -1);
	rig_close(&rig);
}

static unsigned waited_ticks; /* of children */

static void put_process(unsigned pid, unsigned parent, unsigned ticks, unsigned n_threads)
{
	for (unsigned i = 0; i < n_threads; i++)
		rig_make(&rig, textf("proc/%u/task/%u", pid, pid + i));
	rig_put(&rig, textf("proc/%u/stat", pid),
		"%u (x) S %u 1 1 0 -1 0 0 0 0 0 %u 0 %u 0 20 0 1 0 500 0 0\n",
		pid, parent, ticks, waited_ticks);
}

static struct profile_look look;

static void follow(void)
{
	rig.env.tick++;
	look.read_ns = look.now_ns + 1;
	look.now_ns += 2;
	ck_assert_int_eq(profile_events_follow(&events, &look), 0);
}

/* Of which task on which CPU, how often, and all that is set of what it samples. */
static const char *opened_text(int fd)
{
	const struct opened *one = opened_as(fd);
	const struct perf_event_attr *attr = &one->attr;
	const char *text = textf("task %d on %d: %u/%lu %s%lu wakes %u", one->tid, one->cpu, attr->type,
				 (unsigned long)attr->config, attr->freq ? "Hz " : "",
				 (unsigned long)attr->sample_period, attr->wakeup_watermark);

#define SET(flag) text = textf("%s%s", text, attr->flag ? " " #flag : "")
	SET(exclude_kernel);
	SET(exclude_hv);
	SET(exclude_idle);
	SET(exclude_callchain_user);
	SET(inherit);
	SET(mmap);
	SET(mmap2);
	SET(comm);
	SET(comm_exec);
	SET(task);
	SET(sample_id_all);
	return text;
}

static void open_events(unsigned rate, bool own_only)
{
	ck_assert_int_eq(profile_events_open(&events, &rig.env, rate), 0);
	ck_assert_int_eq(events.own_only, own_only);
}

#define OF_ALL                                                                                               \
	" wakes 262144 exclude_idle exclude_callchain_user mmap mmap2 comm comm_exec task sample_id_all"
#define OF_RING(cpu)                                                                                         \
	"task 0 on " cpu ": 1/9 0 wakes 131072 exclude_kernel exclude_hv exclude_idle "                      \
	"exclude_callchain_user sample_id_all"

/* The dummy that owns a ring has half of what a user without rights may lock for each CPU. */
START_TEST(all_tasks_are_sampled_with_rights_and_own_ones_without)
{
	static const struct {
		const char *online;
		int all_error;
		bool no_cycles;
		unsigned rate, n_opened;
		size_t ring_bytes;
		const char *first, *last; /* of the rings */
	} cases[] = {
		{ "0-1,3", 0, false, 97, 3, 524288,
		  "task -1 on 0: 0/0 Hz 97" OF_ALL, "task -1 on 3: 0/0 Hz 97" OF_ALL },
		{ "0", 0, true, 997, 1, 524288,
		  "task -1 on 0: 1/0 1003009" OF_ALL, "task -1 on 0: 1/0 1003009" OF_ALL },
		{ "0-1,3", -EACCES, false, 97, 4, 262144, OF_RING("0"), OF_RING("3") },
		{ "0-1,3", -EPERM, false, 97, 4, 262144, OF_RING("0"), OF_RING("3") },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		n_opened = 0;
		all_error = cases[i].all_error;
		no_cycles = cases[i].no_cycles;
		open_rig(cases[i].online);
		open_events(cases[i].rate, all_error != 0);
		ck_assert_int_eq(events.by_cycles, !no_cycles);
		ck_assert_uint_eq(events.ring_bytes, cases[i].ring_bytes);
		ck_assert_uint_eq(n_opened, cases[i].n_opened);
		ck_assert_str_eq(opened_text(events.rings[0]), cases[i].first);
		ck_assert_str_eq(opened_text(events.rings[events.n_rings - 1]), cases[i].last);
		if (!all_error) {
			ck_assert_uint_eq(opened[0].attr.sample_type, PROFILE_SAMPLE_TYPE);
			ck_assert_uint_eq(opened[0].attr.sample_regs_user, PROFILE_REGISTERS);
			ck_assert_uint_eq(opened[0].attr.sample_stack_user, 8192);
			put_process(500, 1, 5, 1);
			follow(); /* they are in already */
			ck_assert(events.n_tasks == 0 && n_opened == cases[i].n_opened);
		} else
			ck_assert(opened[0].cpu == -1 && opened[0].attr.inherit); /* tried, and closed */
		close_rig();
	}
}

START_TEST(errors_open_nothing)
{
	static const struct {
		int all, own;
		const char *online;
		bool foreign, live;
		int error;
	} cases[] = {
		{ -EMFILE, 0, "0-1\n", false, true, -EMFILE }, /* that is not of rights */
		{ -EACCES, -EACCES, "0-1\n", false, true, -EACCES },
		{ 0, 0, "\n", false, true, -ENODEV },
		{ 0, 0, "0\n", true, true, -ENOTSUP },
		{ 0, 0, "0\n", false, false, -ENOTSUP },
	};

	open_rig("0-1");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		all_error = cases[i].all;
		own_error = cases[i].own;
		rig_put(&rig, "sys/devices/system/cpu/online", "%s", cases[i].online);
		rig.env.tick++;
		rig.env.foreign_pids = cases[i].foreign;
		rig.env.live = cases[i].live;
		ck_assert_int_eq(profile_events_open(&events, &rig.env, 97), cases[i].error);
		ck_assert(n_opened == 0 && events.n_rings == 0);
		profile_events_close(&events);
	}
	close_rig();
}

static void open_own_only(void)
{
	all_error = -EACCES;
	open_events(97, true);
}

START_TEST(own_tasks_have_an_event_for_each_cpu)
{
	open_rig("0-1,3");
	open_own_only();
	put_process(500, 1, 5, 2);
	put_process(600, 1, 9, 1);
	follow();
	ck_assert_uint_eq(events.n_tasks, 3); /* that which has used more is the first */
	ck_assert_str_eq(textf("%u %u %u", events.tasks[0].tid, events.tasks[1].tid, events.tasks[2].tid),
			 "600 500 501");
	ck_assert_uint_eq(events.tasks[2].pid, 500);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_ptr_nonnull(strstr(opened_text(events.tasks[2].fds[i]),
					     textf("task 501 on %u: 0/0 Hz 97 ", events.cpus[i])));
	ck_assert(opened_as(events.tasks[2].fds[0])->attr.inherit);
	profile_events_join(&events);
	for (unsigned i = 0; i < 9; i++)
		ck_assert_int_eq(opened_as(events.tasks[i / 3].fds[i % 3])->joined, events.rings[i % 3]);
	ck_assert_int_eq(profile_events_set_rate(&events, 200), 0);
	ck_assert_uint_eq(n_periods, 9); /* those that own the rings count nothing */
	ck_assert(period == 200 && events.rate == 200);
	period_error = -EINVAL;
	ck_assert_int_eq(profile_events_set_rate(&events, 97), -EINVAL);
	ck_assert(n_periods == 10 && events.rate == 200);
	joinless = 500;
	profile_events_join(&events);
	ck_assert(events.n_tasks == 1 && events.tasks[0].pid == 600); /* not one thread alone */
	close_rig();
}

START_TEST(later_ones_are_those_that_others_began)
{
	open_rig("0");
	open_own_only();
	put_process(400, 1, 5, 1);
	put_process(500, 1, 5, 1);
	starting = 500;
	follow();
	ck_assert_uint_eq(n_opened - 1 - 1, 2 + 2); /* beside a ring and a try; 500 twice, with its thread */
	ck_assert_uint_eq(events.n_tasks, 3);
	profile_events_join(&events);
	put_process(600, 500, 5, 1); /* a child */
	put_process(601, 1, 5, 1);   /* whose parent ended */
	put_process(1, 0, 5, 1);
	put_process(800, 1, 5, 1); /* of another user, if this test may do that */
	follow();
	ck_assert_uint_eq(events.n_tasks, 3);
	if (is_root() && chown(textf("%s/proc/800", rig.root), 65534, (gid_t)-1) == 0) {
		put_process(603, 800, 5, 1);
		follow();
		ck_assert_uint_eq(events.n_tasks, 4);
		ck_assert_uint_eq(events.tasks[3].pid, 603);
		ck_assert_int_eq(opened_as(events.tasks[3].fds[0])->joined, events.rings[0]);
	}
	rig_remove(&rig, "proc/500"); /* its events are those of 600, too */
	follow();
	ck_assert(events.tasks[1].pid == 500 && events.tasks[2].pid == 500);
	close_rig();
}

/* 700 is a child of 500, which is in. Of 97 samples a second, 20 take 20 ticks. */
START_TEST(what_runs_without_a_sample_is_taken_in)
{
	static const struct {
		unsigned pid;
		int error;         /* of opening it, until an o */
		const char *looks; /* before each it runs, s: a sample of it comes, f: of a fork, c: … */
		const char *lacks; /* … a child of it ran, g: there is a gap, l: not all is read, .: … */
		unsigned n_opened; /* … nothing; after each m: samples may be missing, N: they are */
	} cases[] = {
		{ 700, 0, "+++s", "mmm.", 1 },         { 700, 0, ".s++", "..mm", 1 },
		{ 700, 0, "s+s+s", "mm.m.", 0 },       { 700, 0, ".+g++", ".m.mm", 1 },
		{ 700, 0, ".+lll", ".mmmm", 0 },       { 700, 0, "ccc", "mmm", 1 },
		{ 700, 0, ".fcc", "....", 0 },         { 700, -ESRCH, "+++", "mmm", 0 },
		{ 700, -EMFILE, "+++oo", "mmNNm", 1 }, { 500, 0, "++++s+", "mNNN.m", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned before, ticks = 0;

		n_opened = 0;
		open_rig("0");
		open_own_only();
		put_process(500, 1, waited_ticks = 0, 1);
		follow();
		profile_events_join(&events);
		before = n_opened;
		task_error = cases[i].error;
		for (const char *at = cases[i].looks; *at; at++) {
			char lack;

			ticks += strchr(".cf", *at) ? 0 : 30;
			waited_ticks += strchr("cf", *at) ? 30 : 0;
			put_process(cases[i].pid, cases[i].pid == 700 ? 500 : 1, ticks, 1);
			if (strchr("sf", *at))
				profile_events_saw(&events, cases[i].pid);
			task_error = *at == 'o' ? 0 : task_error;
			look.has_gap = *at == 'g';
			look.now_ns -= *at == 'l' ? 2 : 0; /* as if it were the look before */
			follow();
			lack = events.n_missed > 0 ? 'N' : events.lack_wanted ? 'm' : '.';
			ck_assert_msg(lack == cases[i].lacks[at - cases[i].looks], "%s: %c at %s",
				      cases[i].looks, lack, at);
			ck_assert_int_eq(events.missed_error, lack != 'N' ? events.missed_error
							      : cases[i].error ? cases[i].error : -ENODATA);
		}
		ck_assert_msg(n_opened == before + cases[i].n_opened, "%s", cases[i].looks);
		task_error = 0;
		close_rig();
	}
}

/* 512 events: of 2 CPUs, 256 threads. What is wanted comes first, then what runs more. */
START_TEST(there_are_at_most_so_many_events)
{
	open_rig("0-1");
	open_own_only();
	look.pid = 2000;
	for (unsigned ticks = 20; ticks <= 140; ticks += 20) {
		put_process(1000, 1, 50 + ticks, 255);
		put_process(2000, 1, 5, 2);
		put_process(3000, 1, 30 + 2 * ticks, 1);
		put_process(4000, 1, 2 * ticks, 1);
		profile_events_saw(&events, 1000);
		profile_events_saw(&events, 3000);
		follow();
		if (ticks == 20) {
			ck_assert(events.n_tasks == 4 && events.tasks[0].pid == 2000);
			profile_events_close(&events);
			open_own_only();
			look.pid = 0;
		} else if (ticks <= 80) {
			ck_assert(events.n_tasks == 256 && events.tasks[0].pid == 3000);
			ck_assert_uint_eq(events.n_left_out, ticks == 80);
			look.pid = ticks == 80 ? 4000 : 0;
		}
	}
	ck_assert(events.n_left_out == 0 && events.n_tasks == 2);
	ck_assert_uint_eq(events.tasks[1].pid, 4000); /* in place of the one that used less */
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
	const uint64_t counted[] = { 0, 7 }; /* enabled for that long, and so at two looks: it was offline */

	open_rig("0-1,3");
	ck_assert_int_eq(profile_events_open(&events, &rig.env, 97), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rig_put(&rig, "sys/devices/system/cpu/online", "%s\n", cases[i].online);
		rig.env.tick++;
		ck_assert_msg(profile_events_fit(&events) == cases[i].fit, "%s", cases[i].online);
	}
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_gt(pwrite(events.rings[1], counted, sizeof(counted), 0), 0);
		ck_assert_int_eq(lseek(events.rings[1], 0, SEEK_SET), 0);
		ck_assert_int_eq(profile_events_fit(&events), i == 0);
	}
	close_rig();
}

/* --- Waits by switches: the thread that looks does so when the test wants it. */

static void look_once(void)
{
	held_threads_go_on(&threads);
}

#define MS UINT64_C(1000000)
#define START (1000 * 1000 * MS)

static struct wait_switches *switches;
static struct wait_ledger ledger;
static struct process processes[3], *listed[3];
static char names[3][8];
static struct process_list list = { .all = listed };

static void put_thread_file(unsigned pid, unsigned tid, const char *name, const char *text)
{
	rig_put(&rig, textf("proc/%u/task/%u/%s", pid, tid, name), "%s", text);
}

/* call < 0: it runs. */
static void put_wait(unsigned pid, unsigned tid, const char *channel, long call)
{
	put_thread_file(pid, tid, "wchan", channel);
	put_thread_file(pid, tid, "syscall",
			call < 0 ? "running\n"
				 : textf("%ld 0x7 0x0 0x0 0x0 0x0 0x0 0x7ffc00000000 0x7f0000\n", call));
}

static void put_ran(unsigned pid, unsigned tid, unsigned run_ms, unsigned ready_ms)
{
	put_thread_file(pid, tid, "schedstat", textf("%u000000 %u000000 7\n", run_ms, ready_ms));
}

/* A process with its threads, which sleep. */
static void put_waiting(unsigned at, unsigned pid, unsigned n_threads)
{
	put_process(pid, 1, 0, n_threads);
	rig_make(&rig, textf("proc/%u/fd", pid));
	for (unsigned i = 0; i < n_threads; i++) {
		put_wait(pid, pid + i, "hrtimer_nanosleep", SYS_nanosleep);
		put_ran(pid, pid + i, 1000, 100);
	}
	snprintf(names[at], sizeof(names[at]), "p%u", pid);
	processes[at] = (struct process){ .pid = pid, .start_ticks = 500, .name = names[at] };
	listed[at] = &processes[at];
	list.n_all = at + 1;
}

static void open_switches(void)
{
	open_rig("0");
	rig.env.own_pid = 1;
	rig.clock.ns = START;
	switches = wait_switches_open(&rig.env);
	ck_assert_ptr_nonnull(switches);
	ledger.last_ns = START;
}

static void update(unsigned pid)
{
	rig.env.tick++;
	wait_ledger_begin(&ledger);
	ck_assert_uint_eq(wait_switches_update(switches, &list, pid, &ledger), rig.clock.ns);
	wait_ledger_end(&ledger, rig.clock.ns, 0);
}

static void close_switches(void)
{
	wait_switches_close(switches);
	wait_ledger_free(&ledger);
	ck_assert_uint_eq(n_mapped(), 0);
	close_rig();
}

/* What a process waited for until now: "CAUSE FUNCTION MS WAITS" of each, in this order. */
static void check_waits(unsigned pid, const char *expected)
{
	uint32_t process = wait_ledger_find(&ledger, pid);
	const char *text = "";

	for (int cause = 0; cause < N_WAIT_CAUSES; cause++)
		for (size_t i = 0; i < ledger.n_items; i++) {
			const struct wait_item *item = &ledger.items[i];

			if (item->process == process && (int)item->cause == cause &&
			    item->now_ns + item->now_waits > 0)
				text = textf("%s%s%s %s %.0f %u", text, *text ? ", " : "",
					     wait_cause_words[cause], item->function ? item->function : "-",
					     (double)item->now_ns / 1e6, (unsigned)item->now_waits);
		}
	ck_assert_str_eq(text, expected);
}

/* The kernel's part of a ring: it appends, up to its end. */
static void add_record(int tid, uint32_t type, unsigned misc, uint16_t size, uint64_t time_ns)
{
	const struct perf_event_header header = { .type = type, .misc = (uint16_t)misc, .size = size };
	const off_t head_at = offsetof(struct perf_event_mmap_page, data_head);
	char record[24] = "";
	unsigned i = n_opened;
	uint64_t head;

	while (i > 0 && opened[i - 1].tid != tid)
		i--;
	ck_assert_uint_gt(i, 0);
	memcpy(record, &header, sizeof(header));
	if (size >= sizeof(time_ns) + sizeof(header))
		memcpy(record + size - sizeof(time_ns), &time_ns, sizeof(time_ns));
	ck_assert_int_eq(pread(opened[i - 1].fd, &head, sizeof(head), head_at), sizeof(head));
	size = size ? size : sizeof(header);
	ck_assert_int_eq(pwrite(opened[i - 1].fd, record, size, PAGE_BYTES + (off_t)head), size);
	head += size;
	ck_assert_int_eq(pwrite(opened[i - 1].fd, &head, sizeof(head), head_at), sizeof(head));
}

#define IN 0
#define OUT PERF_RECORD_MISC_SWITCH_OUT
#define PREEMPTED (PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)

/* after_ms: the start. */
static void add_switch(int tid, unsigned misc, unsigned after_ms)
{
	add_record(tid, PERF_RECORD_SWITCH, misc, 24, START + after_ms * MS);
}

START_TEST(waits_are_from_switch_to_switch)
{
	open_switches();
	put_waiting(0, 500, 1);
	update(0);
	ck_assert(wait_switches_has(switches, 500) && !wait_switches_has(switches, 501));
	ck_assert_uint_eq(wait_switches_left_out(switches), 0);
	ck_assert_str_eq(opened_text(opened[0].fd),
			 "task 500 on -1: 1/9 0 wakes 0 exclude_kernel exclude_hv sample_id_all");
	ck_assert(opened[0].attr.context_switch);
	ck_assert(opened[0].attr.use_clockid && opened[0].attr.clockid == CLOCK_MONOTONIC);
	ck_assert_uint_eq(opened[0].attr.sample_type, PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	check_waits(500, "");

	/* the wait of before ends; another one that no look meets is like it; it is preempted for 10 ms */
	rig.clock.ns = START + 1000 * MS;
	add_switch(500, IN, 400);
	add_switch(500, OUT, 500);
	add_record(500, PERF_RECORD_LOST_SAMPLES, OUT, 24, START + 600 * MS);
	add_record(500, PERF_RECORD_SWITCH, OUT, 16, START + 700 * MS); /* without a time */
	add_switch(500, IN, 900);
	add_switch(500, PREEMPTED, 950);
	add_switch(500, IN, 960);
	put_ran(500, 500, 1190, 110);
	update(0);
	check_waits(500, "running - 190 0, ready - 10 0, sleep hrtimer_nanosleep 800 1");

	/* a look meets it at once, or the end of the tick does */
	rig.clock.ns = START + 1300 * MS;
	add_switch(500, OUT, 1200);
	put_wait(500, 500, "futex_do_wait", SYS_futex);
	look_once();
	put_wait(500, 500, "anon_pipe_read", SYS_read); /* it is not looked at again */
	rig.clock.ns = START + 1400 * MS;
	look_once();
	rig.clock.ns = START + 2000 * MS;
	add_switch(500, IN, 1500);
	add_switch(500, OUT, 1600);
	put_ran(500, 500, 1490, 110);
	update(0);
	check_waits(500,
		    "running - 490 0, ready - 10 0, lock futex_do_wait 300 1, pipe anon_pipe_read 400 1, "
		    "sleep hrtimer_nanosleep 800 1");

	/* it goes on, and is no new one; what follows a broken record is not read */
	rig.clock.ns = START + 3000 * MS;
	add_record(500, PERF_RECORD_SWITCH, IN, 0, 0);
	add_switch(500, IN, 2500);
	update(0);
	check_waits(500,
		    "running - 490 0, ready - 10 0, lock futex_do_wait 300 1, pipe anon_pipe_read 1400 1, "
		    "sleep hrtimer_nanosleep 800 1");

	/* preempted it is ready, not waiting, and no look is at it */
	rig.clock.ns = START + 3500 * MS;
	add_switch(500, IN, 3100);
	add_switch(500, PREEMPTED, 3200);
	put_wait(500, 500, "do_sys_poll", SYS_read);
	look_once();
	rig.clock.ns = START + 4000 * MS;
	put_ran(500, 500, 1590, 910);
	update(0);
	check_waits(500,
		    "running - 590 0, ready - 810 0, lock futex_do_wait 300 1, pipe anon_pipe_read 1500 1, "
		    "sleep hrtimer_nanosleep 800 1");
	close_switches();
}

static void look_after(unsigned ms)
{
	rig.clock.ns += ms * MS;
	look_once();
}

/* The thread 500 is in this then. */
static void look_in(const char *channel, long call, unsigned ms)
{
	put_wait(500, 500, channel, call);
	look_after(ms);
}

/* Then what it is in at a look stands for the time since the one before. */
START_TEST(without_switches_waits_are_looked_at)
{
	open_switches();
	task_error = -EACCES;
	put_waiting(0, 500, 1);
	update(0);
	ck_assert(!wait_switches_has(switches, 500));
	look_once(); /* the first one */
	look_after(100);
	look_in("0", SYS_futex, 40); /* without a function the call counts only if none has one */
	look_in("futex_do_wait", SYS_futex, 50);
	look_in("", -1, 30);
	put_ran(500, 500, 1060, 110);
	update(0);
	check_waits(500,
		    "running - 60 0, ready - 10 0, lock futex_do_wait 50 0, sleep hrtimer_nanosleep 100 0");
	ck_assert_uint_eq(n_mapped(), 0);
	close_switches();
}

START_TEST(threads_and_processes_come_and_go)
{
	open_switches();
	put_waiting(0, 500, 2);
	put_waiting(1, 600, 1);
	put_waiting(2, 700, 1);
	processes[1].outside = true;
	update(0);
	ck_assert_uint_eq(n_mapped(), 3);
	ck_assert(wait_switches_has(switches, 500) && wait_switches_has(switches, 700));
	ck_assert(!wait_switches_has(switches, 600));
	rig.clock.ns += 100 * MS;
	rig_remove(&rig, "proc/500/task/501");
	rig_make(&rig, "proc/500/task/502"); /* without a schedstat: another user's */
	list.n_all = 2;                      /* 700 has ended */
	update(0);
	ck_assert(wait_switches_left_out(switches) == 1 && n_mapped() == 1);
	ck_assert(!wait_switches_has(switches, 700));
	check_waits(500, "sleep hrtimer_nanosleep 200 0"); /* of both threads, up to the end of one */
	put_ran(500, 502, 0, 0);
	put_wait(500, 502, "ep_poll", SYS_read);
	update(0);
	ck_assert(wait_switches_left_out(switches) == 0 && n_mapped() == 2);
	rig.clock.ns += 50 * MS;
	no_rings = true; /* no more memory may be locked */
	rig_make(&rig, "proc/500/task/503");
	put_ran(500, 503, 0, 0);
	put_wait(500, 503, "ep_poll", SYS_read);
	update(0);
	ck_assert(!wait_switches_has(switches, 500)); /* not all its threads have theirs */
	check_waits(500, "poll ep_poll 50 0, sleep hrtimer_nanosleep 250 0");
	no_rings = false;
	update(600); /* that alone, even outside of the scope */
	ck_assert(wait_switches_has(switches, 600) && !wait_switches_has(switches, 500));
	processes[1].start_ticks++; /* another one that has its number */
	update(600);
	ck_assert_uint_eq(n_mapped(), 1);
	ck_assert_uint_eq(ledger.processes[wait_ledger_find(&ledger, 600)].start_ticks, 501);
	ck_assert_str_eq(ledger.processes[wait_ledger_find(&ledger, 600)].command, "p600");
	close_switches();
}

/* --- Calls, by looks alone. */

static struct call_looks *call_looks;

static void open_call_looks(void)
{
	open_rig("0");
	rig.clock.ns = START;
	call_looks = call_looks_open(&rig.env);
	ck_assert_ptr_nonnull(call_looks);
}

/* Is this seen so often, for so long? */
static void check_call(unsigned pid, uint64_t number, unsigned looks_in_it, unsigned ms)
{
	uint64_t word = (uint64_t)pid << BPF_CALL_PROCESS_SHIFT | number << BPF_CALL_NUMBER_SHIFT;
	struct call_count *counts = NULL, found = { 0 };
	size_t capacity = 0, n = call_looks_counts(call_looks, &counts, &capacity);

	for (size_t i = 0; i < n; i++)
		if (counts[i].word == word)
			found = counts[i];
	free(counts);
	ck_assert_msg(found.count == looks_in_it && found.sum_ns == ms * MS, "%u %lu: %lu looks, %lu ns", pid,
		      (unsigned long)number, (unsigned long)found.count, (unsigned long)found.sum_ns);
}

static void follow_calls(unsigned pid)
{
	ck_assert_uint_eq(call_looks_follow(call_looks, &list, pid), 0);
}

START_TEST(calls_are_those_that_threads_are_seen_in)
{
	struct process *exited[1];

	open_call_looks();
	put_waiting(0, 500, 3);
	put_thread_file(500, 502, "syscall", ""); /* it may not be read */
	put_waiting(1, 600, 1);
	put_waiting(2, 700, 1);
	processes[1].outside = true;
	processes[2].stat.kernel_thread = true;
	follow_calls(0);
	look_once(); /* the first look stands for nothing */
	check_call(500, SYS_nanosleep, 0, 0);
	look_after(20);
	check_call(500, SYS_nanosleep, 2, 40);
	check_call(600, SYS_nanosleep, 0, 0);
	check_call(700, SYS_nanosleep, 0, 0);
	put_wait(500, 501, "", -1); /* it runs */
	look_after(30);
	look_in("", SYS_read, 10);
	check_call(500, SYS_read, 1, 10);
	check_call(500, SYS_nanosleep, 3, 70);
	put_thread_file(500, 500, "syscall", "-1 0x7ffc00000000 0x7f0000\n"); /* outside of a call */
	look_after(10);
	look_in("", BPF_CALL_ODD, 2);
	look_in("", 1000000, 4);
	check_call(500, BPF_CALL_ODD, 2, 6);
	put_thread_file(500, 500, "syscall", "3 0x7 0x0 0x0 0x0 0x0 0x0 0x7ffc0000 0x7f0000\n");
	look_after(8);
	check_call(500, sizeof(void *) == 8 ? 3 | BPF_CALL_FOREIGN : 3, 1, 8);

	follow_calls(600); /* that alone */
	look_in("", SYS_read, 10);
	check_call(500, SYS_read, 1, 10);
	check_call(600, SYS_nanosleep, 1, 10);
	exited[0] = &processes[0]; /* what has ended is forgotten, others go on */
	listed[0] = &processes[1];
	list.n_all = list.n_exited = 1;
	list.exited = exited;
	follow_calls(600);
	look_after(10);
	check_call(500, SYS_read, 0, 0);
	check_call(600, SYS_nanosleep, 2, 20);
	exited[0] = &processes[1]; /* a new process has its number */
	processes[1].start_ticks++;
	follow_calls(600);
	check_call(600, SYS_nanosleep, 0, 0);
	call_looks_close(call_looks);
	close_rig();
}

START_TEST(as_many_threads_are_looked_at_as_there_is_room_for)
{
	open_call_looks();
	put_waiting(0, 500, 257);
	ck_assert_uint_eq(call_looks_follow(call_looks, &list, 0), 1);
	ck_assert_uint_eq(call_looks_follow(call_looks, &list, 0), 1);
	look_once();
	look_after(1);
	check_call(500, SYS_nanosleep, 256, 256);
	rig_remove(&rig, "proc/500/task/501"); /* one that is looked at, or the other one */
	call_looks_follow(call_looks, &list, 0);
	ck_assert_uint_eq(call_looks_follow(call_looks, &list, 0), 0);
	look_after(1);
	check_call(500, SYS_nanosleep, 2 * 256, 2 * 256);
	call_looks_close(call_looks);
	threads.error = EAGAIN;
	ck_assert_ptr_null(call_looks_open(&rig.env));
	call_looks_close(NULL);
	close_rig();
}
