/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what the page of a process says, over files of a process that is not there. */
#include <config.h>

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
