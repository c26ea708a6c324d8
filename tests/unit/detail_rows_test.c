/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what the page of a process says, over files of a process that is not there. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rig.h"
#include "still_clock.h"

static const char *const none[] = { NULL };

/* It began 100 s after boot and ran for 12.5 s, 2.5 of them in the kernel. */
static void put_process(struct rig *rig)
{
	rig_make(rig, "proc/42");
	rig_put(rig, "proc/42/stat",
		"42 (a worker) S 7 42 42 0 -1 4194304 11 0 2 0 1000 250 3 4 25 5 3 0 10000 104857600 2560 "
		"0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 6\n");
	rig_put(rig, "proc/42/status",
		"Name:\ta worker\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t42\nPid:\t42\nPPid:\t7\n"
		"Uid:\t1000\t1000\t1000\t1000\nGid:\t100\t100\t100\t100\nVmPeak:\t  204800 kB\n"
		"VmSize:\t  102400 kB\nVmLck:\t      64 kB\nVmHWM:\t   20480 kB\nVmRSS:\t   10240 kB\n"
		"VmData:\t    4096 kB\nVmStk:\t     132 kB\nVmSwap:\t     512 kB\nThreads:\t3\n"
		"SigQ:\t5/200\nSigPnd:\t0000000000000200\nShdPnd:\t0000000000000800\n"
		"SigBlk:\t0000000000000201\nSigIgn:\t0000000000001000\nSigCgt:\t8000000000000002\n"
		"voluntary_ctxt_switches:\t9\nnonvoluntary_ctxt_switches:\t8\n");
	rig_put(rig, "proc/42/limits",
		"Limit                     Soft Limit           Hard Limit           Units     \n"
		"Max cpu time              50                   unlimited            seconds   \n"
		"Max file size             unlimited            unlimited            bytes     \n"
		"Max data size             8388608              unlimited            bytes     \n"
		"Max stack size            8388608              unlimited            bytes     \n"
		"Max resident set          unlimited            unlimited            bytes     \n"
		"Max open files            8                    4096                 files     \n"
		"Max locked memory         131072               131072               bytes     \n"
		"Max address space         209715200            unlimited            bytes     \n"
		"Max pending signals       200                  200                  signals   \n");
}

static const struct frame *sample_page(struct rig *rig)
{
	rig_open(rig, "empty", none);
	still_clock_ns = UINT64_C(1000000000000);
	rig->request.processes = "42";
	put_process(rig);
	rig_add(rig, "process_detail");
	rig_add(rig, "limit");
	rig_add(rig, "signal");
	return rig_sample(rig, 0);
}

START_TEST(limits_are_compared_with_what_is_used)
{
#define LIMIT "pid=42 start_seconds=100 name="
	static const char *const rows[] = {
		LIMIT "Max cpu time used_text=12 used_ratio=0.24 soft_text=50 hard_text=unlimited "
		      "unit=seconds used=12 soft=50",
		LIMIT "Max file size soft_text=unlimited hard_text=unlimited unit=bytes",
		LIMIT "Max data size used_text=4.0M used_ratio=0.5 soft_text=8.0M hard_text=unlimited "
		      "unit=bytes used=4194304 soft=8388608",
		LIMIT "Max stack size used_text=132K used_ratio=0.01611328125 soft_text=8.0M "
		      "hard_text=unlimited unit=bytes used=135168 soft=8388608",
		LIMIT "Max resident set used_text=10.0M soft_text=unlimited hard_text=unlimited unit=bytes "
		      "used=10485760",
		LIMIT "Max open files soft_text=8 hard_text=4096 unit=files soft=8 hard=4096",
		LIMIT "Max locked memory used_text=64.0K used_ratio=0.5 soft_text=128K hard_text=128K "
		      "unit=bytes used=65536 soft=131072 hard=131072",
		LIMIT "Max address space used_text=100M used_ratio=0.5 soft_text=200M hard_text=unlimited "
		      "unit=bytes used=104857600 soft=209715200",
		LIMIT "Max pending signals used_text=5 used_ratio=0.025 soft_text=200 hard_text=200 "
		      "unit=signals used=5 soft=200 hard=200",
	};
	const struct frame *frame;
	struct rig rig;

	frame = sample_page(&rig);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(frame, "limit", rows[i]);
	ck_assert_uint_eq(frame_table(frame, "limit")->n_rows, sizeof(rows) / sizeof(rows[0]));
	rig_close(&rig);
}

START_TEST(signals_are_told_with_what_becomes_of_them)
{
#define SIGNAL "pid=42 start_seconds=100 number="
	static const char *const rows[] = {
		SIGNAL "1 name=HUP action=default blocked=yes pending=no",
		SIGNAL "2 name=INT action=caught blocked=no pending=no",
		SIGNAL "10 name=USR1 action=default blocked=yes pending=yes",
		SIGNAL "12 name=USR2 action=default blocked=no pending=yes", /* of the process */
		SIGNAL "13 name=PIPE action=ignored blocked=no pending=no",
		SIGNAL "31 name=SYS action=default blocked=no pending=no",
		SIGNAL "64 name=RTMIN+30 action=caught blocked=no pending=no",
	};
	const struct frame *frame;
	struct rig rig;

	frame = sample_page(&rig);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(frame, "signal", rows[i]);
	rig_close(&rig);
}

START_TEST(details_are_those_of_the_files)
{
	const struct frame *frame;
	struct rig rig;

	frame = sample_page(&rig);
	check_row(frame, "process_detail",
		  "pid=42 start_seconds=100 name=a worker state=S main_thread=lives user=1000 uid=1000 "
		  "ppid=7 parents= process_group=42 session=42 threads=3 nice=5 cpu_seconds=12.5 "
		  "resident_bytes=10485760 resident_peak_bytes=20971520 swapped_bytes=524288 executable= "
		  "executable_state= directory= root=");
	rig_close(&rig);
}

static void link_to(struct rig *rig, const char *target, const char *path)
{
	char full[SCRATCH_PATH_MAX + 64];

	snprintf(full, sizeof(full), "%s/%s", rig->root, path);
	ck_assert_int_eq(symlink(target, full), 0);
}

/* Of a thread of 42: its state, its policy, and the ticks that it waited for devices. */
static void put_thread(struct rig *rig, unsigned tid, char state, unsigned policy, unsigned ticks)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/42/task/%u", tid);
	rig_make(rig, path);
	strcat(path, "/stat");
	rig_put(rig, path,
		"%u (a worker) %c 7 42 42 0 -1 64 0 0 0 0 1 1 0 0 20 0 4 0 10000 4096 1 0 0 0 0 0 0 0 0 0 0 "
		"0 0 0 17 1 0 %u %u 0 0\n",
		tid, state, policy, ticks);
}

static void put_call(struct rig *rig, int call, unsigned first)
{
	rig_put(rig, "proc/42/syscall", "%d 0x%x 0x2 0x0 0x0 0x0 0x0 0x7ffc12345678 0x7f0012345678\n", call,
		first);
}

#define GROUPS "sys/fs/cgroup/"

/* It waits for the lock of a file that 7 holds, in a group below one with 1.5 CPUs. */
static void put_waiting(struct rig *rig)
{
	rig_put(rig, "proc/42/status",
		"Name:\ta worker\nTracerPid:\t7\nUid:\t1000\t33\t33\t33\nVmHWM:\t20480 kB\n"
		"VmRSS:\t10240 kB\nRssAnon:\t6144 kB\nRssFile:\t3072 kB\nRssShmem:\t1024 kB\n"
		"VmSwap:\t512 kB\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,6\n");
	put_thread(rig, 42, 'S', 3, 150);
	put_thread(rig, 43, 'R', 0, 30);
	put_thread(rig, 44, 'D', 0, 20);
	put_thread(rig, 45, 'T', 0, 0);
	put_thread(rig, 46, 't', 0, 0);
	rig_make(rig, "proc/sys/kernel");
	rig_put(rig, "proc/sys/kernel/task_delayacct", "1\n");
	rig_put(rig, "proc/42/wchan", "locks_lock_inode_wait");
	put_call(rig, SYS_flock, 5);
	rig_make(rig, "proc/42/fd");
	link_to(rig, "/srv/data/lock", "proc/42/fd/5");
	rig_put(rig, "proc/locks",
		"1: FLOCK  ADVISORY  WRITE 9 fe:00:122 0 EOF\n2: FLOCK  ADVISORY  WRITE 7 fe:00:123 0 EOF\n"
		"2: -> FLOCK  ADVISORY  WRITE 42 fe:00:123 0 EOF\n");
	rig_make(rig, "proc/7");
	rig_make(rig, "proc/1");
	rig_put(rig, "proc/7/stat", "7 (holder) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0\n");
	rig_put(rig, "proc/1/stat", "1 (init) S 0 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0\n");
	rig_put(rig, "proc/42/oom_score", "666\n");
	rig_put(rig, "proc/42/oom_score_adj", "-500\n");
	rig_put(rig, "proc/42/io", "rchar: 1000\nwchar: 2000\nread_bytes: 1\nwrite_bytes: 2\n");
	rig_put(rig, "proc/42/cmdline", "worker%c--all%cx\ny%c", 0, 0, 0);
	link_to(rig, "/usr/bin/worker (deleted)", "proc/42/exe");
	link_to(rig, "/srv/data", "proc/42/cwd");
	link_to(rig, "/", "proc/42/root");
	rig_make(rig, "proc/self");
	rig_put(rig, "proc/self/mountinfo", "24 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	rig_put(rig, "proc/42/cgroup", "0::/jobs/one\n");
	rig_make(rig, GROUPS "jobs/one");
	rig_put(rig, GROUPS "jobs/one/cgroup.events", "populated 1\nfrozen 0\n");
	rig_put(rig, GROUPS "jobs/one/cpu.weight", "100\n");
	rig_put(rig, GROUPS "jobs/one/cpu.max", "max 100000\n");
	rig_put(rig, GROUPS "jobs/cpu.max", "150000 100000\n");
	rig_put(rig, GROUPS "jobs/cpu.stat", "usage_usec 1\nnr_periods 20\nnr_throttled 5\n");
}

static const char *detail(const struct frame *frame, const char *column)
{
	return cell_text(frame, "process_detail", NULL, column);
}

/* A helper reads the command line. */
static const struct frame *sample_with_command(struct rig *rig)
{
	const struct frame *frame;

	do
		frame = rig_sample(rig, 0);
	while (!detail(frame, "command"));
	return frame;
}

START_TEST(details_of_a_process_that_waits)
{
	static const char *const one[] = { "process_detail", NULL };
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", one);
	still_clock_ns = UINT64_C(1000000000000);
	rig.request.processes = "42";
	put_process(&rig);
	put_waiting(&rig);
	sample_with_command(&rig);
	still_clock_ns += 2 * STILL_SECOND_NS;
	put_thread(&rig, 44, 'D', 0, 40);
	rig_put(&rig, GROUPS "jobs/cpu.stat", "usage_usec 1\nnr_periods 30\nnr_throttled 8\n");
	rig_put(&rig, "proc/42/io", "rchar: 1600\nwchar: 2100\nread_bytes: 1\nwrite_bytes: 2\n");
	rig_put(&rig, "proc/42/stat",
		"42 (a worker) S 7 41 40 0 -1 4194304 11 0 2 0 1040 260 3 4 25 5 5 0 10000 104857600 2560 "
		"0 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 3 150 0 0\n");
	frame = rig_sample(&rig, 2);
	check_row(frame, "process_detail",
		  "pid=42 start_seconds=100 name=a worker state=S main_thread=lives user=33 uid=33 ppid=7 "
		  "parents=holder 7 < init 1 process_group=41 session=40 threads=5 running_threads=1 "
		  "waiting_threads=1 stopped_threads=2 disk_seconds=2.2 disk_ratio=0.1 "
		  "wait_channel=locks_lock_inode_wait system_call=flock system_call_file=/srv/data/lock "
		  "lock_holder=holder lock_holder_pid=7 tracer_pid=7 frozen=no group_periods=30 "
		  "group_throttled_periods=8 throttled_ratio=0.3 group_limit_ratio=1.5 nice=5 "
		  "nice_within=group policy=batch cpus=0-3,6 oom_score=666 oom_adjustment=-500 "
		  "cpu_seconds=13 cpu_ratio=0.25 resident_bytes=10485760 resident_peak_bytes=20971520 "
		  "anonymous_bytes=6291456 file_bytes=3145728 shared_memory_bytes=1048576 "
		  "swapped_bytes=524288 call_read_bytes=1600 call_write_bytes=2100 "
		  "call_read_bytes_per_second=300 call_write_bytes_per_second=50 executable=/usr/bin/worker "
		  "executable_state=deleted directory=/srv/data root=/ cgroup=/jobs/one "
		  "command=worker --all x\ny");
	rig_close(&rig);
}

/* What is not there, or hidden, is not made up. */
START_TEST(details_that_are_missing)
{
	static const char *const one[] = { "process_detail", NULL };
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", one);
	still_clock_ns = UINT64_C(1000000000000);
	rig.request.processes = "42";
	put_process(&rig);
	put_waiting(&rig);
	sample_with_command(&rig);
	rig_put(&rig, "proc/42/wchan", "0");
	rig_put(&rig, "proc/42/syscall", "running\n");
	rig_put(&rig, "proc/sys/kernel/task_delayacct", "0\n");
	rig_put(&rig, "proc/42/task/45/stat", "45 (a wor");
	frame = rig_sample(&rig, 1);
	ck_assert_ptr_null(detail(frame, "wait_channel"));
	ck_assert_ptr_null(detail(frame, "system_call"));
	ck_assert_ptr_null(detail(frame, "lock_holder"));
	ck_assert_uint_eq(cell_u64(frame, "process_detail", NULL, "running_threads"), U64_UNKNOWN);
	put_thread(&rig, 45, 'I', 0, 0);
	rig_put(&rig, "proc/42/wchan", "fcntl_setlk");
	rig_put(&rig, "proc/7/stat", NULL);
	frame = rig_sample(&rig, 1);
	ck_assert_str_eq(detail(frame, "lock_holder"), ""); /* it has ended */
	ck_assert_uint_eq(cell_u64(frame, "process_detail", NULL, "lock_holder_pid"), 7);
	ck_assert_str_eq(detail(frame, "parents"), "");
	ck_assert_uint_eq(cell_u64(frame, "process_detail", NULL, "stopped_threads"), 1);
	ck_assert(isnan(cell_f64(frame, "process_detail", NULL, "disk_seconds")));
	rig_put(&rig, "proc/42/wchan", "futex_wait");
	put_call(&rig, SYS_getpid, 5);
	frame = rig_sample(&rig, 1);
	ck_assert_ptr_null(detail(frame, "lock_holder"));
	ck_assert_str_eq(detail(frame, "system_call"), "getpid");
	ck_assert_ptr_null(detail(frame, "system_call_file")); /* its argument is no file */
	put_call(&rig, SYS_fcntl, 3);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(cell_u64(frame, "process_detail", NULL, "lock_holder_pid"), 7);
	rig_close(&rig);
}

static const char *frozen(struct rig *rig)
{
	return detail(rig_sample(rig, 1), "frozen");
}

START_TEST(what_is_frozen)
{
	static const char *const one[] = { "process_detail", NULL };
	struct rig rig;

	rig_open(&rig, "empty", one);
	still_clock_ns = UINT64_C(1000000000000);
	rig.request.processes = "42";
	put_process(&rig);
	put_waiting(&rig);
	ck_assert_str_eq(frozen(&rig), "no");
	rig_put(&rig, GROUPS "jobs/one/cgroup.events", "populated 1\nfrozen 1\n");
	ck_assert_str_eq(frozen(&rig), "yes");
	rig_put(&rig, GROUPS "jobs/one/cgroup.events", "populated 1\n"); /* before Linux 5.2 */
	ck_assert_ptr_null(frozen(&rig));
	rig_put(&rig, "proc/self/mountinfo",
		"25 1 0:23 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n");
	rig_put(&rig, "proc/42/cgroup", "3:freezer:/f\n");
	rig_make(&rig, GROUPS "freezer/f");
	rig_put(&rig, GROUPS "freezer/f/cgroup.events", "frozen 1\n"); /* of no meaning there */
	ck_assert_ptr_null(frozen(&rig));
	rig_put(&rig, GROUPS "freezer/f/freezer.state", "THAWED\n");
	ck_assert_str_eq(frozen(&rig), "no");
	rig_put(&rig, GROUPS "freezer/f/freezer.state", "FREEZING\n");
	ck_assert_str_eq(frozen(&rig), "yes");
	rig_close(&rig);
}

START_TEST(commands_of_kernel_threads_and_of_none)
{
	static const char *const one[] = { "process_detail", NULL };
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", one);
	still_clock_ns = UINT64_C(1000000000000);
	rig.request.processes = "9";
	rig_make(&rig, "proc/9");
	rig_put(&rig, "proc/9/cmdline", "%s", "");
	rig_put(&rig, "proc/9/stat",
		"9 (kworker/0:1) I 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 50 0 0\n");
	frame = sample_with_command(&rig);
	ck_assert_str_eq(detail(frame, "command"), "[kworker/0:1]");
	ck_assert_str_eq(detail(frame, "state"), "I");
	rig_put(&rig, "proc/9/stat", "9 (bare) S 2 0 0 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 50 0 0\n");
	ck_assert_ptr_null(detail(rig_sample(&rig, 1), "command"));
	rig_put(&rig, "proc/9/cmdline", "x%c", 0);
	ck_assert_str_eq(detail(sample_with_command(&rig), "command"), "x");
	rig_close(&rig);
}

static void put_threads(struct rig *rig, unsigned tick)
{
	rig_put(rig, "proc/7/stat", "7 (a) R (b) R 1 1 1 0 -1 0 0 0 0 0 %u 0 0 0 20 0 2 0 500 0 0\n",
		300 + 90 * tick);
	rig_make(rig, "proc/7/task/7");
	rig_make(rig, "proc/7/task/8");
	rig_put(rig, "proc/7/task/7/stat",
		"7 (first) R 1 1 1 0 -1 0 0 0 0 0 150 30 0 0 20 0 2 0 500 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
		"17 3 0 0\n");
	rig_put(rig, "proc/7/task/7/schedstat", "%u %u %u\n", 1500000000 + 500000000 * tick,
		250000000 + 1000000000 * tick, 40 + 6 * tick);
	rig_put(rig, "proc/7/task/8/stat",
		"8 (second) S 1 1 1 0 -1 0 0 0 0 0 %u 30 0 0 20 0 2 0 650 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
		"17 1 0 0\n",
		120 + 40 * tick);
	still_clock_ns += 2 * STILL_SECOND_NS;
}

/* Of 7: one thread with a schedstat, and one with ticks alone. */
START_TEST(threads_have_their_times_and_names)
{
	static const char *const names[] = { "thread", NULL };
	const struct frame *frame;
	struct rig rig;

	still_clock_ns = UINT64_C(1000000000000);
	rig_open(&rig, "readers", names);
	put_threads(&rig, 0);
	rig_sample(&rig, 2);
	put_threads(&rig, 1);
	frame = rig_sample(&rig, 2);
	check_row(frame, "thread",
		  "cpu_ratio=0.25 tid=7 start_seconds=5 pid=7 state=R processor=3 cpu_seconds=2 "
		  "wait_ratio=0.5 switches_per_second=3 wait_seconds=1.25 switches=46 name=first "
		  "process=a) R (b");
	check_row(frame, "thread",
		  "cpu_ratio=0.2 tid=8 start_seconds=6.5 pid=7 state=S processor=1 cpu_seconds=1.9 "
		  "name=second process=a) R (b");
	ck_assert_uint_eq(frame_table(frame, "thread")->n_rows, 2);
	rig_close(&rig);
}

/* They stay with what does not change. */
START_TEST(threads_that_cannot_be_listed_for_a_while)
{
	static const char *const names[] = { "thread", NULL };
	const struct frame *frame;
	struct rig rig;

	still_clock_ns = UINT64_C(1000000000000);
	rig_open(&rig, "readers", names);
	rig.env.pids.kept_max = 0;
	put_threads(&rig, 0);
	rig_sample(&rig, 2);
	put_threads(&rig, 1);
	rig_remove(&rig, "proc/7/task");
	rig_put(&rig, "proc/7/task", "%s", "");
	frame = rig_sample(&rig, 2);
	check_row(frame, "thread", "tid=7 start_seconds=5 pid=7 name=first process=a) R (b");
	check_row(frame, "thread", "tid=8 start_seconds=6.5 pid=7 name=second process=a) R (b");
	ck_assert_uint_eq(frame_table(frame, "thread")->n_rows, 2);
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert_str_eq(frame->notices[0].text, "2 threads could not be read: Not a directory");
	rig_remove(&rig, "proc/7/task");
	put_threads(&rig, 2);
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(frame->n_notices, 0);
	check_row(frame, "thread",
		  "tid=7 start_seconds=5 pid=7 state=R processor=3 cpu_seconds=2.5 wait_seconds=2.25 "
		  "switches=52 name=first process=a) R (b");
	check_row(frame, "thread",
		  "tid=8 start_seconds=6.5 pid=7 state=S processor=1 cpu_seconds=2.3 name=second "
		  "process=a) R (b");
	put_threads(&rig, 3);
	rig_remove(&rig, "proc/7/task/8");
	frame = rig_sample(&rig, 2);
	check_row(frame, "thread",
		  "cpu_ratio=0.25 tid=7 start_seconds=5 pid=7 state=R processor=3 cpu_seconds=3 "
		  "wait_ratio=0.5 switches_per_second=3 wait_seconds=3.25 switches=58 name=first "
		  "process=a) R (b");
	ck_assert_uint_eq(frame_table(frame, "thread")->n_rows, 1);
	rig_close(&rig);
}
