/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what the page of a process says, over files of a process that is not there. */
#include <config.h>

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rig.h"

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

/* A group and session of 0 are those of tasks of the kernel; below, the process sees none. */
START_TEST(groups_and_sessions_of_others_than_its_own)
{
	const struct frame *frame;
	struct rig rig;

	sample_page(&rig);
	rig_put(&rig, "proc/42/stat",
		"42 (a worker) S 7 0 -1 0 -1 4194304 11 0 2 0 1000 250 3 4 25 5 3 0 10000 104857600 2560 "
		"0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 6\n");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(cell_u64(frame, "process_detail", NULL, "process_group"), 0);
	ck_assert(isnan(frame_number(frame, "process_detail", NULL, "session")));
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
	rig.request.processes = "42";
	put_process(&rig);
	put_waiting(&rig);
	sample_with_command(&rig);
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
}

/* Of 7: one thread with a schedstat, and one with ticks alone. */
START_TEST(threads_have_their_times_and_names)
{
	static const char *const names[] = { "thread", NULL };
	const struct frame *frame;
	struct rig rig;

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

START_TEST(a_limit_of_nothing_has_no_share)
{
	const struct frame *frame;
	struct rig rig;

	sample_page(&rig);
	rig_put(&rig, "proc/42/limits",
		"Limit                     Soft Limit           Hard Limit           Units     \n"
		"Max locked memory         0                    0                    bytes     \n"
		"Max address space         1                    2                    bytes     \n"
		"Max pending signals       5                    0                    signals   \n");
	frame = rig_sample(&rig, 1);
	check_row(frame, "limit",
		  LIMIT "Max locked memory used_text=64.0K soft_text=0B hard_text=0B unit=bytes used=65536 "
			"soft=0 hard=0");
	check_row(frame, "limit",
		  LIMIT "Max address space used_text=100M used_ratio=104857600 soft_text=1B hard_text=2B "
			"unit=bytes used=104857600 soft=1 hard=2");
	check_row(frame, "limit",
		  LIMIT "Max pending signals used_text=5 used_ratio=1 soft_text=5 hard_text=0 unit=signals "
			"used=5 soft=5 hard=0");
	rig_close(&rig);
}

/* Real-time signals have a row where something is known of them. */
START_TEST(real_time_signals_of_all_sets)
{
	static const char *const rows[] = {
		SIGNAL "31 name=SYS action=default blocked=no pending=no",
		SIGNAL "32 name=32 action=caught blocked=no pending=no", /* the C library has this one … */
		SIGNAL "33 name=33 action=caught blocked=no pending=no", /* … and this one */
		SIGNAL "34 name=RTMIN+0 action=caught blocked=no pending=no",
		SIGNAL "60 name=RTMIN+26 action=default blocked=no pending=yes",
		SIGNAL "61 name=RTMIN+27 action=default blocked=no pending=yes",
		SIGNAL "62 name=RTMIN+28 action=default blocked=yes pending=no",
		SIGNAL "63 name=RTMIN+29 action=ignored blocked=no pending=no",
		SIGNAL "64 name=RTMIN+30 action=caught blocked=no pending=no",
	};
	const struct frame *frame;
	struct rig rig;

	sample_page(&rig);
	rig_put(&rig, "proc/42/status",
		"SigQ:\t5/200\nSigPnd:\t0800000000000000\nShdPnd:\t1000000000000000\n"
		"SigBlk:\t2000000000000000\nSigIgn:\t4000000000000000\nSigCgt:\t8000000380000000\n");
	frame = rig_sample(&rig, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(frame, "signal", rows[i]);
	ck_assert_uint_eq(frame_table(frame, "signal")->n_rows, 31 + 8);
	rig_close(&rig);
}

static void open_42(struct rig *rig, const char *topic)
{
	rig_open(rig, "empty", none);
	rig->request.processes = "42";
	put_process(rig);
	rig_add(rig, topic);
}

static void put_file(struct rig *rig, unsigned fd, const char *target, unsigned position, int flags,
		     const char *rest)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/42/fd/%u", fd);
	rig_put(rig, path, NULL);
	link_to(rig, target, path);
	snprintf(path, sizeof(path), "proc/42/fdinfo/%u", fd);
	rig_put(rig, path, "pos:\t%u\nflags:\t0%o\nmnt_id:\t9\n%s", position, (unsigned)flags, rest);
}

#define TCP_HEAD                                                                                             \
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
#define TCP_TAIL "00000000:00000000 00:00000000 00000000  0  0 "
#define V6 "0B0B0B0B0B0B0B0B0B0B0B0B0B0B0B0B:0016"

/* Addresses that read the same in both byte orders. */
static void put_sockets(struct rig *rig, const char *state)
{
	rig_make(rig, "proc/42/net");
	rig_put(rig, "proc/42/net/tcp",
		TCP_HEAD "   0: 0B0B0B0B:1F90 0C0C0C0C:0050 %s " TCP_TAIL "500 1 0\n"
			 "   1: 0B0B0B0B:1F91 0C0C0C0C:0050 0A " TCP_TAIL "499 1 0\n",
		state);
	rig_put(rig, "proc/42/net/tcp6", TCP_HEAD "   0: " V6 " " V6 " 0A " TCP_TAIL "410 1 0\n");
	rig_put(rig, "proc/42/net/udp",
		TCP_HEAD "   0: 0B0B0B0B:0035 00000000:0000 07 " TCP_TAIL "420 1 0\n");
	rig_put(rig, "proc/42/net/udp6", TCP_HEAD "   0: " V6 " " V6 " 01 " TCP_TAIL "430 1 0\n");
	rig_put(rig, "proc/42/net/unix",
		"Num       RefCount Protocol Flags    Type St Inode Path\n"
		"0000000000000000: 00000002 00000000 00010000 0001 01 300 /run/a b\n"
		"0000000000000000: 00000003 00000000 00000000 0001 03 310\n");
}

static void put_files(struct rig *rig)
{
	rig_make(rig, "proc/42/fd");
	rig_make(rig, "proc/42/fdinfo");
	put_file(rig, 3, "/srv/data/file (deleted)", 4096, O_RDWR, "ino:\t11\n");
	put_file(rig, 4, "/srv/data", 0, O_DIRECTORY, "ino:\t12\n");
	put_file(rig, 5, "socket:[500]", 0, O_RDWR, "");
	put_file(rig, 7, "socket:[300]", 0, O_RDWR, "");
	put_file(rig, 8, "socket:[310]", 0, O_RDWR, "");
	put_file(rig, 9, "socket:[700]", 0, O_RDWR, "");
	put_file(rig, 10, "socket:[410]", 0, O_RDWR, "");
	put_file(rig, 11, "socket:[420]", 0, O_RDWR, "");
	put_file(rig, 12, "socket:[430]", 0, O_RDWR, "");
	put_file(rig, 20, "anon_inode:[eventpoll]", 0, O_RDWR, "ino:\t13\n");
	put_file(rig, 300, "pipe:[800]", 0, O_WRONLY, "");
	put_sockets(rig, "01");
}

/* They are by descriptor. */
static void check_order(const struct frame *frame, const unsigned *fds, size_t n_fds)
{
	const struct table *table = frame_table(frame, "open_file");

	ck_assert_uint_eq(table->n_rows, n_fds);
	for (size_t i = 0; i < n_fds; i++)
		ck_assert_uint_eq(table_u64(table, table_row(table, i), "fd"), fds[i]);
}

START_TEST(open_files_of_all_kinds)
{
#define FD "pid=42 start_seconds=100 fd="
#define NO_SOCKET "protocol= socket_state= local= remote= age_seconds=0 path="
#define V6_TEXT "[b0b:b0b:b0b:b0b:b0b:b0b:b0b:b0b]:22"
	static const char *const rows[] = {
		FD "3 kind=file flags=rw position_bytes=6144 position_bytes_per_second=1024 inode=11 "
		   "file_state=deleted " NO_SOCKET "/srv/data/file",
		FD "4 kind=directory flags=r position_bytes=0 position_bytes_per_second=0 inode=12 "
		   "file_state= " NO_SOCKET "/srv/data",
		FD "5 kind=socket flags=rw inode=500 file_state= protocol=tcp socket_state=close-wait "
		   "local=11.11.11.11:8080 remote=12.12.12.12:80 age_seconds=0 "
		   "path=11.11.11.11:8080 -> 12.12.12.12:80",
		FD "7 kind=socket flags=rw inode=300 file_state= protocol=unix socket_state=listening "
		   "local=/run/a b remote= age_seconds=0 path=/run/a b",
		FD "8 kind=socket flags=rw inode=310 file_state= protocol=unix socket_state=connected local= "
		   "remote= age_seconds=0 path=socket:[310]",
		FD "9 kind=socket flags=rw inode=700 file_state= age_seconds=0 path=socket:[700]",
		FD "10 kind=socket flags=rw inode=410 file_state= protocol=tcp6 socket_state=listening "
		   "local=" V6_TEXT " remote=" V6_TEXT " age_seconds=0 path=" V6_TEXT " -> " V6_TEXT,
		FD "11 kind=socket flags=rw inode=420 file_state= protocol=udp socket_state= "
		   "local=11.11.11.11:53 remote= age_seconds=0 path=11.11.11.11:53",
		FD "20 kind=eventpoll flags=rw inode=13 file_state= " NO_SOCKET "anon_inode:[eventpoll]",
		FD "300 kind=pipe flags=w inode=800 file_state= " NO_SOCKET "pipe:[800]",
	};
	static const unsigned fds[] = { 3, 4, 5, 7, 8, 9, 10, 11, 12, 20, 300 };
	const struct frame *frame;
	struct rig rig;

	open_42(&rig, "open_file");
	put_files(&rig);
	rig_sample(&rig, 2);
	put_sockets(&rig, "08");
	put_file(&rig, 3, "/srv/data/file (deleted)", 6144, O_RDWR, "ino:\t11\n");
	frame = rig_sample(&rig, 2);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(frame, "open_file", rows[i]);
	check_order(frame, fds, sizeof(fds) / sizeof(fds[0]));
	ck_assert_uint_eq(frame->n_notices, 0);
	rig_close(&rig);
}

START_TEST(files_that_are_closed_and_opened)
{
	static const unsigned fewer[] = { 3, 300 }, more[] = { 2, 3, 6, 300 };
	const struct frame *frame;
	struct rig rig;

	open_42(&rig, "open_file");
	rig_make(&rig, "proc/42/fd");
	rig_make(&rig, "proc/42/fdinfo");
	put_file(&rig, 3, "/a", 1, O_RDONLY, "ino:\t1\n");
	put_file(&rig, 4, "/b", 2, O_RDONLY, "ino:\t2\n");
	put_file(&rig, 300, "/c", 3, O_RDONLY, "ino:\t3\n");
	rig_sample(&rig, 2);
	rig_put(&rig, "proc/42/fd/4", NULL);
	check_order(rig_sample(&rig, 2), fewer, 2);
	put_file(&rig, 2, "/d", 4, O_RDONLY, "ino:\t4\n");
	put_file(&rig, 6, "/e", 5, O_RDONLY, "ino:\t5\n");
	put_file(&rig, 3, "/b", 1, O_RDONLY, "ino:\t2\n"); /* as long as before */
	put_file(&rig, 300, "/c (deleted)", 3, O_RDONLY, "ino:\t3\n");
	frame = rig_sample(&rig, 2);
	check_order(frame, more, 4);
	check_row(frame, "open_file",
		  FD "3 kind=file flags=r position_bytes=1 position_bytes_per_second=0 inode=2 file_state= "
		     "" NO_SOCKET "/b");
	check_row(frame, "open_file",
		  FD "300 kind=file flags=r position_bytes=3 position_bytes_per_second=0 inode=3 "
		     "file_state=deleted " NO_SOCKET "/c");
	put_file(&rig, 3, "socket:[77]", 0, O_RDONLY, "");
	check_row(rig_sample(&rig, 2), "open_file",
		  FD "3 kind=socket flags=r inode=77 file_state= age_seconds=0 path=socket:[77]");
	for (size_t i = 0; i < 4; i++) {
		char path[32];

		snprintf(path, sizeof(path), "proc/42/fd/%u", more[i]);
		rig_put(&rig, path, NULL);
	}
	check_order(rig_sample(&rig, 2), NULL, 0);
	rig_close(&rig);
}

START_TEST(variables_of_the_environment)
{
#define VARIABLE "pid=42 start_seconds=100 number="
	static const char *const rows[] = {
		VARIABLE "1 name=A value=1",   VARIABLE "2 name= value=B",     VARIABLE "3 name= value=x",
		VARIABLE "4 name=C value=a=b", VARIABLE "5 name=EMPTY value=", VARIABLE "6 name=D value=cut",
	};
	const struct frame *frame;
	struct rig rig;

	open_42(&rig, "environment");
	rig_put(&rig, "proc/42/environ", "A=1%cB%c%c%c=x%cC=a=b%cEMPTY=%cD=cut", 0, 0, 0, 0, 0, 0, 0);
	rig_sample(&rig, 1);
	frame = rig_sample(&rig, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(frame, "environment", rows[i]);
	ck_assert_uint_eq(frame_table(frame, "environment")->n_rows, sizeof(rows) / sizeof(rows[0]));
	ck_assert_uint_eq(frame->n_notices, 0);
	rig_close(&rig);
}

#define ENVIRONMENT_MAX (256 * 1024)

static size_t shown_value(const struct frame *frame)
{
	const struct table *table = frame_table(frame, "environment");

	ck_assert_uint_eq(table->n_rows, 1);
	return strlen(table_text(table, table_row(table, 0), "value"));
}

START_TEST(a_long_environment_is_cut)
{
	const struct frame *frame;
	struct rig rig;

	open_42(&rig, "environment");
	rig_put(&rig, "proc/42/environ", "A=%0*d", ENVIRONMENT_MAX - 2, 0);
	rig_sample(&rig, 1);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(shown_value(frame), ENVIRONMENT_MAX - 2);
	ck_assert_uint_eq(frame->n_notices, 0);
	rig_put(&rig, "proc/42/environ", "A=%0*d", ENVIRONMENT_MAX - 1, 0);
	rig_sample(&rig, 1);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(shown_value(frame), ENVIRONMENT_MAX - 2);
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert_str_eq(frame->notices[0].text,
			 "the environment is longer than 256 KiB; the rest is not shown");
	rig_close(&rig);
}

START_TEST(memory_of_a_process_by_kind)
{
#define MEMORY "pid=42 start_seconds=100 key="
	const struct frame *frame;
	struct rig rig;

	open_42(&rig, "process_memory");
	rig_put(&rig, "proc/42/smaps_rollup",
		"55d0c0000000-7ffd00000000 ---p 00000000 00:00 0                          [rollup]\n"
		"Rss:               10000 kB\nPss:                6000 kB\nNewKind:               1 kB\n");
	rig_sample(&rig, 1);
	frame = rig_sample(&rig, 1);
	check_row(frame, "process_memory",
		  MEMORY "Rss value_bytes=10240000 meaning=resident, shared pages in full");
	check_row(frame, "process_memory",
		  MEMORY "Pss value_bytes=6144000 "
			 "meaning=resident, shared pages divided by the number of sharers");
	check_row(frame, "process_memory", MEMORY "NewKind value_bytes=1024 meaning=");
	check_row(frame, "process_memory",
		  MEMORY "VmPeak value_bytes=209715200 "
			 "meaning=highest virtual size so far");
	check_row(frame, "process_memory",
		  MEMORY "VmSwap value_bytes=524288 meaning=anonymous memory in swap");
	ck_assert_uint_eq(frame_table(frame, "process_memory")->n_rows, 3 + 8);
	rig_close(&rig);
}

START_TEST(policies_of_the_scheduler)
{
	static const char *const names[] = { "other", "fifo",     "rr",  "batch", NULL,
					     "idle",  "deadline", "ext", NULL };
	struct rig rig;

	open_42(&rig, "process_detail");
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		put_thread(&rig, 42, 'S', i, 0);
		ck_assert_pstr_eq(detail(rig_sample(&rig, 1), "policy"), names[i]);
	}
	rig_close(&rig);
}

/* Before Linux 5.14 there is no switch for it. */
START_TEST(delays_are_accounted_without_a_switch)
{
	struct rig rig;

	open_42(&rig, "process_detail");
	put_thread(&rig, 42, 'S', 0, 150);
	put_thread(&rig, 43, 'S', 0, 7);
	ck_assert_double_eq_tol(cell_f64(rig_sample(&rig, 1), "process_detail", NULL, "disk_seconds"), 1.57,
				1e-9);
	put_call(&rig, 9999, 5);
	ck_assert_str_eq(detail(rig_sample(&rig, 1), "system_call"), "9999");
	rig_close(&rig);
}

START_TEST(sixteen_parents)
{
	char expected[600] = "";
	struct rig rig;

	open_42(&rig, "process_detail");
	for (unsigned pid = 7; pid < 30; pid++) {
		char path[32];

		snprintf(path, sizeof(path), "proc/%u", pid);
		rig_make(&rig, path);
		strcat(path, "/stat");
		rig_put(&rig, path, "%u (p) S %u 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0\n", pid, pid + 1);
		if (pid < 7 + 16)
			snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), "%sp %u",
				 pid > 7 ? " < " : "", pid);
	}
	ck_assert_str_eq(detail(rig_sample(&rig, 1), "parents"), expected);
	rig_put(&rig, "proc/9/stat", "9 (top) S 0 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0\n");
	ck_assert_str_eq(detail(rig_sample(&rig, 1), "parents"), "p 7 < p 8 < top 9");
	rig_close(&rig);
}

/* All fields up to the last one, its exit code. */
static void put_state(struct rig *rig, char state, unsigned start_ticks, int code)
{
	rig_put(rig, "proc/42/stat",
		"42 (a worker) %c 7 42 42 0 -1 4194304 11 0 2 0 1000 250 3 4 25 5 1 0 %u 104857600 2560 "
		"0 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 %d\n",
		state, start_ticks, code);
}

START_TEST(signals_that_stop)
{
	static const struct {
		char state;
		int code;
		bool stops;
	} cases[] = {
		{ 'T', SIGSTOP, true },  { 'T', SIGTSTP, true },  { 'T', SIGTTIN, true },
		{ 'T', SIGTTOU, true },  { 'T', 0, false },       { 'T', SIGINT, false },
		{ 'S', SIGSTOP, false }, { 't', SIGSTOP, false },
	};
	struct rig rig;

	open_42(&rig, "process_detail");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_state(&rig, cases[i].state, 10000, cases[i].code);
		ck_assert_uint_eq(cell_u64(rig_sample(&rig, 1), "process_detail", NULL, "stop_signal"),
				  cases[i].stops ? (uint64_t)cases[i].code : U64_UNKNOWN);
	}
	rig_close(&rig);
}

/* A zombie that is there for a sample, and then reaped. */
static void check_exit(int status, unsigned start_ticks, uint64_t code, uint64_t killed_by)
{
	const struct frame *frame;
	struct rig rig;

	open_42(&rig, "process_detail");
	ck_assert_uint_eq(cell_u64(rig_sample(&rig, 0), "process_detail", NULL, "exited_time"), U64_UNKNOWN);
	put_state(&rig, 'Z', start_ticks, status);
	for (unsigned i = 0; i < 2; i++) {
		frame = rig_sample(&rig, 1);
		ck_assert_str_eq(detail(frame, "state"), "X");
		ck_assert_uint_eq(cell_u64(frame, "process_detail", NULL, "exit_code"), code);
		ck_assert_uint_eq(cell_u64(frame, "process_detail", NULL, "exit_signal"), killed_by);
		ck_assert_uint_eq(cell_u64(frame, "process_detail", NULL, "exited_time"),
				  UINT64_C(1001000000000));
		if (i == 0)
			rig_remove(&rig, "proc/42");
	}
	rig_close(&rig);
}

START_TEST(how_a_process_has_ended)
{
	check_exit(3 << 8, 10000, 3, U64_UNKNOWN);
	check_exit(0, 10000, 0, U64_UNKNOWN);
	check_exit(SIGKILL, 10000, U64_UNKNOWN, SIGKILL);
	check_exit(3 << 8, 10001, U64_UNKNOWN, U64_UNKNOWN); /* another process */
}

/* One that was chosen from a list, and is gone: when it began is known from there, or not at all. */
START_TEST(the_start_of_one_that_is_gone)
{
	static const struct {
		double chosen, shown;
	} cases[] = { { 12.5, 12.5 }, { 0, 0 }, { -1, NAN } };
	struct rig rig;

	open_42(&rig, "process_detail");
	rig.request.processes = NULL;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame;
		double start;

		rig.request.mapped = (struct process_choice){ .is_set = true,
							      .pid = 4711,
							      .start_seconds = cases[i].chosen,
							      .seen_ns = rig.clock.ns,
							      .name = "gone" };
		frame = rig_sample(&rig, 1);
		ck_assert_uint_eq(cell_u64(frame, "process_detail", NULL, "pid"), 4711);
		ck_assert_str_eq(detail(frame, "name"), "gone");
		start = cell_f64(frame, "process_detail", NULL, "start_seconds");
		ck_assert(start == cases[i].shown || (isnan(start) && isnan(cases[i].shown)));
	}
	rig_close(&rig);
}

/* The first and the last of all that match, by name or the program of the command line; the newest is shown.
 */
START_TEST(the_newest_of_those_that_match)
{
	static const struct {
		const char *list;
		uint64_t pid, others; /* others: that match, too */
	} cases[] = {
		{ "42", 42, 0 },        { "7", 7, 0 },      { "worker", 12, 2 }, { "a worker", 42, 0 },
		{ "deamon", 0, 0 },     { "daemon", 9, 0 }, { "zombie", 0, 0 },  { "13", 13, 0 },
		{ "worker,42", 42, 3 }, { "12", 12, 0 },
	};
	struct rig rig;

	open_42(&rig, "process_detail");
	for (unsigned pid = 7; pid <= 13; pid++) {
		static const char *const names[] = { "worker", "worker", "python3", "other",
						     "worker", "worker", "zombie" };
		static const unsigned starts[] = { 500, 900, 600, 8000, 100, 900, 950 };
		char path[32];

		snprintf(path, sizeof(path), "proc/%u", pid);
		rig_make(&rig, path);
		strcat(path, "/stat");
		rig_put(&rig, path, "%u (%s) %c 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %u 0 0\n", pid,
			pid == 7 ? "elder" : names[pid - 7], pid == 13 ? 'Z' : 'S', starts[pid - 7]);
	}
	rig_put(&rig, "proc/9/cmdline", "/usr/bin/daemon%cx", 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame;
		char text[64];

		rig.request.processes = cases[i].list;
		frame = rig_sample(&rig, 1);
		if (cases[i].pid == 0) {
			ck_assert_uint_eq(frame_table(frame, "process_detail")->n_rows, 0);
			ck_assert(!frame->named_there);
			continue;
		}
		ck_assert_uint_eq(cell_u64(frame, "process_detail", NULL, "pid"), cases[i].pid);
		ck_assert(frame->named_there);
		snprintf(text, sizeof(text), "%u processes match; showing the newest, %u",
			 (unsigned)cases[i].others + 1, (unsigned)cases[i].pid);
		ck_assert_int_eq(frame->n_notices > 0 && strcmp(frame->notices[0].text, text) == 0,
				 cases[i].others > 0);
	}
	rig_close(&rig);
}

/* Of one that is gone the next one with its name is awaited on request; an older one is none. */
START_TEST(the_next_process_of_a_name)
{
	const struct frame *frame;
	struct rig rig;

	open_42(&rig, "process_detail");
	rig_sample(&rig, 1);
	rig.request.n_next++; /* while it lives this means nothing */
	ck_assert_uint_eq(cell_u64(rig_sample(&rig, 1), "process_detail", NULL, "pid"), 42);
	rig_remove(&rig, "proc/42");
	rig_make(&rig, "proc/43");
	rig_put(&rig, "proc/43/stat", "43 (a worker) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 10000 0 0\n");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(cell_u64(frame, "process_detail", NULL, "pid"), 42);
	ck_assert(frame->named_there);
	rig.request.n_next++;
	frame = rig_sample(&rig, 10);
	ck_assert_uint_eq(frame_table(frame, "process_detail")->n_rows, 0);
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert_str_eq(frame->notices[0].text, "waiting for the next process called a worker");
	rig_put(&rig, "proc/43/stat", "43 (a worker) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 10001 0 0\n");
	frame = rig_sample(&rig, 10);
	ck_assert_uint_eq(cell_u64(frame, "process_detail", NULL, "pid"), 43);
	ck_assert_uint_eq(frame->n_notices, 0);
	rig_close(&rig);
}

/* In a batch it is told that none was chosen; a kernel thread has no memory, a zombie no more. */
START_TEST(notices_of_what_is_selected)
{
	static const struct {
		const char *stat, *notice; /* NULL: none */
	} cases[] = {
		{ "42 (a worker) S 2 0 0 0 -1 2097152 0 0 0 0 0 0 0 0 20 0 1 0 10000 0 0\n",
		  "42 a worker is a kernel thread: it has no memory of its own" },
		{ "42 (a worker) Z 2 0 0 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 10000 0 0\n",
		  "42 a worker is a zombie: it has exited and has no memory; its parent has not read its "
		  "exit "
		  "status yet" },
		{ "42 (a worker) S 2 0 0 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 10000 0 0\n", NULL },
	};
	const struct frame *frame;
	struct rig rig;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_42(&rig, "process_detail");
		rig_put(&rig, "proc/42/stat", "%s", cases[i].stat);
		frame = rig_sample(&rig, 1);
		ck_assert_uint_eq(frame->n_notices, cases[i].notice != NULL);
		if (cases[i].notice)
			ck_assert_str_eq(frame->notices[0].text, cases[i].notice);
		rig_close(&rig);
	}
	for (unsigned batch = 0; batch < 2; batch++) {
		open_42(&rig, "process_detail");
		rig.request.processes = NULL;
		rig.request.batch = batch;
		frame = rig_sample(&rig, 1);
		ck_assert_uint_eq(frame->n_notices, batch);
		ck_assert_uint_eq(frame_table(frame, "process_detail")->n_rows, 0);
		rig_close(&rig);
	}
}

/* What was known of it stays; it waits for nothing any more. Of another one nothing is left of that. */
START_TEST(the_page_of_one_that_is_gone)
{
	static const char *const one[] = { "process_detail", NULL };
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", one);
	rig.request.processes = "42";
	put_process(&rig);
	put_waiting(&rig);
	sample_with_command(&rig);
	rig_remove(&rig, "proc/42");
	rig_sample(&rig, 3);
	frame = rig_sample(&rig, 3);
	check_row(frame, "process_detail",
		  "pid=42 start_seconds=100 name=a worker state=X user=33 uid=33 ppid=7 process_group=42 "
		  "session=42 threads=3 tracer_pid=7 nice=5 cpus=0-3,6 oom_score=666 oom_adjustment=-500 "
		  "cpu_seconds=12.5 resident_bytes=10485760 resident_peak_bytes=20971520 "
		  "anonymous_bytes=6291456 file_bytes=3145728 shared_memory_bytes=1048576 "
		  "swapped_bytes=524288 call_read_bytes=1000 call_write_bytes=2000 "
		  "executable=/usr/bin/worker executable_state=deleted directory=/srv/data root=/ "
		  "cgroup=/jobs/one exited_time=1003000000000 command=worker --all x\ny");
	rig.request.processes = "7";
	frame = rig_sample(&rig, 3);
	check_row(frame, "process_detail",
		  "pid=7 start_seconds=0.05 name=holder state=S main_thread=lives ppid=1 parents=init 1 "
		  "process_group=7 session=7 threads=1 nice=0 cpu_seconds=0 executable= executable_state= "
		  "directory= root=");
	rig_close(&rig);
}
