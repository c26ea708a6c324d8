/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the process page: its parsers, what it says of a process, and a child with known files and limits.
 */
#include "rig.h"

#include <dirent.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "core/i18n.h"
#include "given_facts.h"
#include "kernel/mounts.h"
#include "kernel/pid/pid_fd.h"
#include "kernel/pid/pid_stat.h"
#include "kernel/pid/pid_syscall.h"
#include "pane/process/process.h"
#include "scene.h"
#include "topic/topic.h"

START_TEST(positions_and_flags)
{
	struct pid_fd_info info;
	char flags[PID_FD_FLAGS_MAX];

	pid_fd_info_parse(span_text("pos:\t4096\nflags:\t02102001\nmnt_id:\t29\nino:\t11\n"), &info);
	ck_assert(info.position == 4096 && info.mount == 29 && info.inode == 11 && info.flags == 02102001);
	ck_assert_str_eq(pid_fd_flags_text(O_WRONLY | O_APPEND | O_CLOEXEC, flags), "w,append,cloexec");
	ck_assert_str_eq(pid_fd_flags_text(O_RDONLY, flags), "r");
	ck_assert_str_eq(pid_fd_flags_text(O_RDWR | O_NONBLOCK, flags), "rw,nonblock");
	ck_assert(pid_fd_is_directory(O_DIRECTORY) && !pid_fd_is_directory(0) &&
		  !pid_fd_is_directory(U64_UNKNOWN));
	pid_fd_info_parse(span_text("pos\nnothing"), &info);
	ck_assert(info.position == U64_UNKNOWN && info.flags == U64_UNKNOWN && info.inode == U64_UNKNOWN);
}

/* A stack that is not where ours is means that the number is of another table of calls. */
START_TEST(system_calls)
{
	static const char low[] = "0xffff0000", high[] = "0x7ffc00000000";
	const char *stack = sizeof(void *) == 8 ? high : low, *other_stack = stack == high ? low : high;
	const struct {
		const char *text, *name;
		int fd;
	} cases[] = {
		{ "running\n", NULL, -1 },
		{ "-1 0x7ffc0f0 0x7f00aa\n", NULL, -1 },
		{ textf("%d 0x5 0x1 0x2 0x0 0x0 0x0 %s 0x7f00\n", (int)SYS_read, stack), "read", 5 },
		{ textf("%d 0x5 0x1 0x2 0x0 0x0 0x0 %s 0x7f00\n", (int)SYS_futex, stack), "futex", -1 },
		{ textf("%d 0x5 0x5 0x13 0x0 0x0 0x0 %s 0x7f00\n", (int)SYS_tgkill, stack), "tgkill", -1 },
		{ textf("%d 0x5 0x1 0x2 0x0 0x0 0x0 %s 0xf7f0\n", (int)SYS_read, other_stack), NULL, -1 },
	};
	struct pid_syscall call;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(pid_syscall_parse(span_text(cases[i].text), &call), "%s", cases[i].text);
		ck_assert_int_eq(call.running, i == 0);
		ck_assert_pstr_eq(pid_syscall_name(&call), cases[i].name);
		ck_assert_int_eq(pid_syscall_fd(&call), cases[i].fd);
	}
	ck_assert(!pid_syscall_parse(span_text("5 0x1 0x2\n"), &call));
	ck_assert(!pid_syscall_parse(span_text(""), &call));
	ck_assert(!pid_syscall_parse(span_text("x\n"), &call));
}

/* A condition without work is no lock. */
START_TEST(locks_of_system_calls)
{
	static const struct {
		unsigned number, operation, value;
		bool is_lock;
	} cases[] = {
		{ SYS_futex, 0x80, 2, true },  /* FUTEX_WAIT_PRIVATE: a contended mutex */
		{ SYS_futex, 0, 2, true },     /* between processes */
		{ SYS_futex, 0x80, 0, false }, /* a thread of Go without work */
		{ SYS_futex, 0x189, 0, false }, /* FUTEX_WAIT_BITSET_PRIVATE with a clock: a condition */
		{ SYS_futex, 0x189, 2, false },
		{ SYS_futex, 0x86, 0, true },  /* FUTEX_LOCK_PI_PRIVATE */
		{ SYS_futex, 0x8d, 0, true },  /* FUTEX_LOCK_PI2_PRIVATE */
		{ SYS_futex, 0x81, 2, false }, /* FUTEX_WAKE_PRIVATE */
		{ SYS_read, 0x80, 2, false },
	};
	const char *stack = sizeof(void *) == 8 ? "0x7ffc00000000" : "0xffff0000";
	struct pid_syscall call;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert(pid_syscall_parse(span_text(textf("%u 0x5581 0x%x 0x%x 0x0 0x0 0x0 %s 0x7f00\n",
							     cases[i].number, cases[i].operation,
							     cases[i].value, stack)),
					    &call));
		ck_assert_msg(pid_syscall_lock(&call) == (cases[i].is_lock ? 0x5581 : 0), "case %zu", i);
	}
}

START_TEST(last_fields_of_stat)
{
	const struct span text =
		span_text("77 (a) b) Z 1 77 77 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 900 0 0 "
			  "18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 2 45 0 0 0 0 0 "
			  "0 0 0 0 768\n");
	uint64_t policy, disk_ticks;
	int status;

	ck_assert(pid_stat_exit_status(text, &status));
	ck_assert_int_eq(WEXITSTATUS(status), 3);
	ck_assert(pid_stat_late_fields(text, &policy, &disk_ticks));
	ck_assert(policy == 2 && disk_ticks == 45);
	ck_assert(!pid_stat_exit_status(span_text("77 (a) Z 1 77"), &status));
}

/* In seconds after one of the clock; what is not known is NaN. */
START_TEST(start_life_and_end_add_up)
{
	static const struct {
		double started, exit, seen, lived;
		const char *said;
	} cases[] = {
		{ 17.9, NAN, 32.6, NAN, "about 15, to 32" },
		{ 17.9, NAN, 33.1, 14.45, "15, to 32" },    /* and then by its exit record */
		{ 17.1, NAN, 33.1, 14.45, "14, to 31" },
		{ 17.9, 32.35, 33.1, 14.45, "15, to 32" },  /* by an event */
		{ 17.9, NAN, 32.1, 14.45, "15, to 32" },    /* not after it was seen */
		{ 17.9, NAN, 27.8, 9.4, "9.4, to 27" },
		{ NAN, NAN, 33.1, 14.45, "14.45, to 33" },
		{ NAN, NAN, 33.1, NAN, "about nan, to 33" },
		{ 17.9, NAN, NAN, 14.45, "15, to 32" },
		{ 17.9, NAN, 99.5, 14.45, "about 82, to 99" }, /* its main thread alone ended then */
	};
	const double base_ns = 1.7e18;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct process_life life = process_life_of(
			base_ns + cases[i].started * 1e9, base_ns + cases[i].exit * 1e9,
			base_ns + cases[i].seen * 1e9, cases[i].lived);

		ck_assert_str_eq(textf("%s%g, to %g", life.is_about ? "about " : "", fabs(life.seconds),
				       floor((life.end_ns - base_ns) / 1e9)),
				 cases[i].said);
	}
}

#define NONE PROCESS_CALM, "no obvious cause"
#define CALM PROCESS_CALM,
#define SLOW PROCESS_SLOW,
#define STUCK PROCESS_STUCK,

#define SLEEPING                                                                                             \
	"state=S threads=1 group_limit_ratio=0.5 throttled_limit=0.25 user_ratio=0 system_ratio=0 cpu_ratio=0"
#define READY "wait_ratio=0.6 cpu_ratio=0.02 wanted_ratio=0.62"
#define WAITING "Waiting for CPU: wants 0.6 CPUs, gets 0.02."
#define QUOTA "CPU quota of its group, 0.50 CPUs: throttled in 60 % of periods."
#define STORAGE "Waiting for storage 61 % of the time."
#define CONVOY "Lock contention: about 9 of 12 threads wait for one lock, futex 0x5581."

/* Each sentence, and near misses in which it stays silent; without facts it sleeps. */
static const struct {
	enum process_level level;
	const char *text, *facts;
} stories[] = {
	{ NONE, "" },
	{ NONE, "state=R cpu_ratio=0.5" },
	{ CALM "measuring ...", "cpu_ratio=- threads=-" },
	{ CALM "measuring ...", "cpu_ratio=- system_call=read" },
	/* how it ended */
	{ SLOW "Exited.", "state=X" },
	{ SLOW "Exited.", "state=X cpu_ratio=-" },
	{ SLOW "Exited with code 3.", "state=X exit_code=3" },
	{ SLOW "Killed by SIGKILL.", "state=X exit_name=KILL" },
	{ SLOW "Killed by signal 40.", "state=X exit_signal=40" },
	{ SLOW "Killed by SIGKILL: the OOM killer, the machine was out of memory.", "state=X oom_limit=/" },
	{ SLOW "Killed by SIGKILL: the OOM killer, at the memory limit of /a.",
	  "state=X exit_name=KILL oom_limit=/a" },
	{ NONE, "oom_limit=/a" },
	{ SLOW "Exited with code 0. Its parent has not read its exit status yet (zombie).",
	  "state=Z exit_code=0" },
	/* without its main thread */
	{ CALM "Main thread ended; 1 thread goes on.", "threads=2 others=1 main_ended=yes" },
	{ CALM "Main thread ended; 3 threads go on.", "threads=4 others=3 main_ended=yes" },
	{ CALM "Main thread ended; 3 threads go on.", "threads=4 others=3 main_ended=yes state=-" },
	{ CALM "Main thread ended; the first that lives sleeps on a timer (nanosleep).",
	  "threads=4 others=3 main_ended=yes sleep_call=nanosleep" },
	{ CALM "Computing: 1.2 CPUs, user 0.0, system 0.0.",
	  "threads=4 others=3 main_ended=yes state=R cpu_ratio=1.2" },
	/* where it computes */
	{ CALM "Computing: 1.2 CPUs, user 0.0, system 0.0. Over half of that in shade.",
	  "cpu_ratio=1.2 threads=2 hot_function=shade hot_ratio=0.51" },
	{ CALM "Computing: 1.2 CPUs, user 0.0, system 0.0.",
	  "cpu_ratio=1.2 threads=2 hot_function=shade hot_ratio=0.5" },
	{ CALM "Computing: 1.2 CPUs, user 0.0, system 0.0.", "cpu_ratio=1.2 threads=2 hot_ratio=0.9" },
	{ NONE, "cpu_ratio=0.5 threads=2 hot_function=shade hot_ratio=0.9" },
	{ CALM "Computing: 99 % of one CPU, user 90 %, system 9.0 % (last 10 s); one thread cannot use "
	       "more.", "state=R cpu_ratio=0.99 user_ratio=0.9 system_ratio=0.09 mean_seconds=10.2" },
	{ NONE, "state=R cpu_ratio=0.89 user_ratio=0.8 system_ratio=0.09" },
	/* what stops it */
	{ SLOW "Stopped by a signal; SIGCONT continues it.", "state=T" },
	{ SLOW "Stopped by SIGTTIN; SIGCONT continues it.", "state=T stop_name=TTIN" },
	{ SLOW "Stopped by its tracer, process 12.", "state=T stop_name=TTIN tracer_pid=12" },
	{ NONE, "stop_name=TTIN tracer_pid=12" },
	{ SLOW "Frozen with its control group: it does not run.", "frozen=yes" },
	/* its limit; where others of its group are throttled it asks for nothing */
	{ SLOW QUOTA, "cpu_ratio=0.5 throttled_ratio=0.6" },
	{ SLOW "FOUND", "cpu_ratio=0.5 throttled_ratio=0.6 quota=FOUND" },
	{ NONE, "cpu_ratio=0.01 quota=FOUND" },
	{ SLOW "CPU quota of its group /a, 0.50 CPUs: throttled in 60 % of periods.",
	  "limit_group=/a cpu_ratio=0.5 throttled_ratio=0.6" },
	{ NONE, "cpu_ratio=0.5 throttled_ratio=0.24" },
	{ NONE, "cpu_ratio=0.01 throttled_ratio=0.6" },
	/* one lock, rather than the CPU that its threads wait for, too */
	{ SLOW CONVOY, "threads=12 lock_threads=9 lock_address=0x5581 lock_ratio=8.7" },
	{ SLOW CONVOY, "threads=12 lock_threads=9 lock_address=0x5581 wait_ratio=3 cpu_ratio=0.3" },
	{ SLOW "Lock contention: FOUND", "threads=12 lock_threads=9 lock_ratio=8.7 convoy=FOUND" },
	{ NONE, "threads=12 lock_threads=5.9 lock_ratio=8.7 convoy=FOUND" },
	{ SLOW "Lock contention: about 2 of 2 threads wait for one lock, futex (last 10 s).",
	  "threads=2 lock_threads=2 mean_seconds=10" },
	{ NONE, "threads=12 lock_threads=5.9 lock_ratio=8.7" },
	{ NONE, "threads=2 lock_threads=1.9 lock_ratio=2" },
	{ NONE, "threads=12 lock_threads=0 lock_ratio=11" }, /* a pool without work */
	{ NONE, "threads=12 lock_threads=9 lock_ratio=4.7" }, /* samples alone */
	/* waits for a CPU; a little of much is none */
	{ SLOW "Waiting for CPU: wants 1.0 CPUs, gets 0.4 (last 10 s).",
	  "cpu_ratio=0.4 wait_ratio=0.6 wanted_ratio=1 mean_seconds=10" },
	{ NONE, "cpu_ratio=0.4 wait_ratio=0.19" },
	{ CALM "Computing: 4.0 CPUs, user 0.0, system 0.0.", "cpu_ratio=4 threads=8 wait_ratio=0.3" },
	{ SLOW WAITING, READY " policy=other nice=19" },
	{ SLOW WAITING " (nice 19 lets others go first)", READY " policy=other nice=19 nice_within=machine" },
	{ SLOW WAITING, READY " policy=other nice=19 nice_within=session" },
	{ SLOW WAITING " (nice 19 only applies within its session: autogroup)",
	  READY " policy=other nice=19 nice_within=session rivals_within=0.8 rivals_elsewhere=0.9" },
	{ SLOW WAITING " (nice 19 lets others go first)",
	  READY " policy=other nice=19 nice_within=session rivals_within=0.9 rivals_elsewhere=0.8" },
	{ SLOW WAITING " (nice 19 only applies within its control group)",
	  READY " policy=other nice=19 nice_within=group" },
	{ SLOW WAITING, READY " policy=fifo nice=19 nice_within=machine" },
	{ SLOW WAITING, READY " policy=other nice=-5 nice_within=machine" },
	/* the longer wait */
	{ SLOW STORAGE, READY " disk_ratio=0.61" },
	{ SLOW WAITING, READY " disk_ratio=0.59" },
	/* its time account */
	{ SLOW "Waiting for memory 60 % of the time, for reclaim or evicted pages.",
	  "memory_ratio=0.6 disk_ratio=0.3" },
	{ SLOW STORAGE, "memory_ratio=0.6 disk_ratio=0.61" },
	{ NONE, "memory_ratio=0.19 disk_ratio=0.1" },
	{ SLOW "3.2 of 9 threads wait for memory, for reclaim or evicted pages.",
	  "memory_ratio=3.2 disk_ratio=3 threads=9" },
	{ SLOW "5.5 of 9 threads wait for storage (last 10 s).", "disk_ratio=5.5 threads=9 mean_seconds=10" },
	{ SLOW "Waiting for storage 100 % of the time.", "disk_ratio=1 threads=9" },
	{ CALM "Waiting for a lock or another process 80 % of the time.", "lock_ratio=0.8" },
	{ NONE, "lock_ratio=0.49" },
	{ NONE, "lock_ratio=7 threads=8" }, /* of a pool without work */
	{ SLOW "Waiting in the kernel 40 % of the time, not for storage.", "other_ratio=0.4" },
	{ NONE, "other_ratio=0.19" },
	{ SLOW "3.0 of 9 threads wait in the kernel, not for storage.", "other_ratio=3 threads=9" },
	/* storage and the kernel */
	{ SLOW "Waiting for its own pages 85 % of the time: 200/s from storage.",
	  "disk_ratio=0.85 major_faults_per_second=200" },
	{ SLOW "2.0 of 9 threads wait for pages of the process: 200/s from storage.",
	  "disk_ratio=2 threads=9 major_faults_per_second=200" },
	{ NONE, "disk_ratio=0.19 major_faults_per_second=200" },
	{ STUCK "Stuck in uninterruptible sleep (D) for at least 12 s.", "state=D stuck_seconds=12" },
	{ STUCK "Stuck in uninterruptible sleep (D) for 3 min.",
	  "state=D stuck_seconds=190 stuck_dated=yes" },
	{ STUCK "Stuck in uninterruptible sleep (D) for at least 12 s in openat: percpu_rwsem_wait.",
	  "state=D stuck_seconds=12 wait_channel=percpu_rwsem_wait system_call=openat" },
	{ NONE, "state=D stuck_seconds=9" },
	{ NONE, "state=D wait_channel=percpu_rwsem_wait system_call=openat" },
	/* what it sleeps for, unless its other threads work */
	{ CALM "Sleeping on a timer (clock_nanosleep).", "sleep_call=clock_nanosleep" },
	{ CALM "Sleeping for data (read pipe:[7]).", "sleep_call=read system_call_file=pipe:[7]" },
	{ CALM "Sleeping for a lock of a file (flock /run/x.lock).",
	  "sleep_call=flock system_call_file=/run/x.lock" },
	{ CALM "Sleeping for a lock of a file (flock /run/x.lock), held by rsync 4711.",
	  "sleep_call=flock system_call_file=/run/x.lock lock_holder_pid=4711 lock_holder=rsync" },
	{ CALM "Sleeping for a lock of a file (flock /run/x.lock), taken by 4711, which has ended: a child "
	       "holds it.", "sleep_call=flock system_call_file=/run/x.lock lock_holder_pid=4711" },
	{ CALM "Sleeping for completions of io_uring (io_uring_enter).", "sleep_call=io_uring_enter" },
	{ CALM "Main thread sleeping for a lock or another thread (futex).", "threads=3 sleep_call=futex" },
	{ NONE, "threads=3 sleep_call=futex cpu_ratio=0.3" },
	{ NONE, "sleep_call=23" },
	{ NONE, "system_call=read" }, /* only now */
};

static struct fact find_given(const struct facts *facts, struct span name)
{
	if (span_is(name, "waits_for"))
		return text_fact(process_waits_for(facts));
	return given_fact(facts, name);
}

static size_t check_story(const char *facts, size_t held, enum process_level level, const char *text)
{
	const struct given_facts of = { { find_given }, facts, SLEEPING };
	struct buffer said = { 0 };
	enum process_level told = process_story(&said, &of.facts, held);

	buffer_char(&said, '\0');
	ck_assert_msg(told == level && strcmp(said.bytes, text) == 0,
		      "facts \"%s\": \"%s\" of level %d, not \"%s\"", facts, said.bytes, (int)told, text);
	buffer_free(&said);
	return process_story_held(&of.facts, held);
}

START_TEST(what_a_process_does_is_one_sentence)
{
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++)
		check_story(stories[i].facts, PROCESS_NOT_HELD, stories[i].level, stories[i].text);
}

/* What has held goes on to a lower limit; below it, and of another sentence, it does not. */
START_TEST(a_sentence_is_left_at_a_lower_limit)
{
	static const struct {
		const char *enters, *stays, *leaves;
	} cases[] = {
		{ "cpu_ratio=0.5 throttled_ratio=0.25", "cpu_ratio=0.5 throttled_ratio=0.2",
		  "cpu_ratio=0.5 throttled_ratio=0.19" },
		{ "threads=12 lock_threads=6", "threads=12 lock_threads=5", "threads=12 lock_threads=4" },
		{ "wait_ratio=0.2", "wait_ratio=0.15", "wait_ratio=0.14" },
		{ "wait_ratio=0.5 disk_ratio=0.5", "wait_ratio=0.5 disk_ratio=0.6",
		  "wait_ratio=0.5 disk_ratio=0.63" },
		{ "memory_ratio=0.2", "memory_ratio=0.15", "memory_ratio=0.14" },
		{ "disk_ratio=0.2", "disk_ratio=0.15", "disk_ratio=0.14" },
		{ "other_ratio=0.2", "other_ratio=0.15", "other_ratio=0.14" },
		{ "cpu_ratio=0.9", "cpu_ratio=0.85", "cpu_ratio=0.84" },
		{ "lock_ratio=0.5", "lock_ratio=0.4", "lock_ratio=0.39" },
		{ "sleep_call=read cpu_ratio=0.04", "sleep_call=read cpu_ratio=0.07",
		  "sleep_call=read cpu_ratio=0.08" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct given_facts enters = { { find_given }, cases[i].enters, SLEEPING },
					 stays = { { find_given }, cases[i].stays, SLEEPING },
					 leaves = { { find_given }, cases[i].leaves, SLEEPING };
		size_t held = process_story_held(&enters.facts, PROCESS_NOT_HELD);

		ck_assert_msg(process_story_held(&stays.facts, held) == held, "%s", cases[i].stays);
		ck_assert_msg(process_story_held(&stays.facts, PROCESS_NOT_HELD) != held, "%s",
			      cases[i].stays);
		ck_assert_msg(process_story_held(&leaves.facts, held) != held, "%s", cases[i].leaves);
	}
}

/* Of its session, and of others. */
START_TEST(who_competes_for_the_cpus)
{
	static const struct {
		const char *more;
		double within, elsewhere;
	} cases[] = {
		{ "0 process 1 session=5 cpu_ratio=0.4", 0.25, 0.5 },
		{ "0 process 2 session=6", 0, 0.75 },
		{ "0 process 4 session=5 cpu_ratio=1", 1.25, 0.5 },
		{ "0 process 4 session=- cpu_ratio=1", 0.25, 1.5 },
		{ "0 process 1 session=-", NAN, NAN },
	};
	struct frame frame;

	frame_open(&frame, topic_schemas(), n_topics);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[] = "0 process 1 session=5 cpu_ratio=0.4;0 process 2 session=5 cpu_ratio=0.25;"
			      "0 process 3 session=7 cpu_ratio=0.5", more[64];
		struct process_rows rows;
		struct scene scene = { 0 };

		snprintf(more, sizeof(more), "%s", cases[i].more);
		for (char *at = text, *line; (line = strsep(&at, ";"));)
			scene_add(&scene, line);
		scene_add(&scene, more);
		scene_fill(&scene, &frame, 0);
		rows = (struct process_rows){ .processes = frame_table(&frame, "process") };
		rows.process = table_row(rows.processes, 0);
		ck_assert_double_eq(fmax(process_rivals(&rows, true), -1), fmax(cases[i].within, -1));
		ck_assert_double_eq(fmax(process_rivals(&rows, false), -1), fmax(cases[i].elsewhere, -1));
		scene_empty(&scene);
	}
	frame_close(&frame);
}

START_TEST(who_holds_a_lock)
{
	static const char locks[] = "1: OFDLCK ADVISORY  READ -1 fe:00:5677129 100 100\n"
				    "1: -> POSIX  ADVISORY  WRITE 9 fe:00:5677129 100 100\n"
				    "2: FLOCK  ADVISORY  WRITE 4711 fe:00:10051891 0 EOF\n"
				    "2: -> FLOCK  ADVISORY  WRITE 42 fe:00:10051891 0 EOF\n"
				    "2:  -> FLOCK  ADVISORY  READ 43 fe:00:10051891 0 EOF\n"
				    "3: POSIX  ADVISORY  WRITE 4712 fe:00:7 0 EOF\n"
				    "4: LEASE  ACTIVE    READ 42 fe:00:8 0 EOF\n";
	static const struct {
		const char *locks;
		uint64_t pid, holder; /* holder: 0: none */
	} cases[] = {
		{ locks, 42, 4711 },
		{ locks, 43, 4711 }, /* behind 42, which waits, too */
		{ locks, 9, 0 },     /* of an open file description */
		{ locks, 4711, 0 },  /* it holds one */
		{ "", 42, 0 },
		{ "2: -> FLOCK  ADVISORY  WRITE 42 fe:00:1 0 EOF\n", 42, 0 },
		{ "1: FLOCK  ADVISORY  WRITE 7 fe:00:1 0 EOF\n"
		  "2: -> FLOCK  ADVISORY  WRITE 42 fe:00:1 0 EOF\n", 42, 0 },
		{ "1: FLOCK  ADVISORY  WRITE 7 fe:00:1 0 EOF\ntorn\n"
		  "1: -> FLOCK  ADVISORY  WRITE 42 fe:00:1 0 EOF\n", 42, 0 },
		/* of another PID namespace */
		{ "1: FLOCK ADVISORY WRITE 0 fe:00:1 0 EOF\n1: -> FLOCK ADVISORY WRITE 42 fe:00:1 0 EOF\n",
		  42, 0 }, };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t holder = 0;
		bool found = file_locks_holder(span_text(cases[i].locks), cases[i].pid, &holder);

		ck_assert_msg((found ? holder : 0) == cases[i].holder, "case %zu", i);
	}
}

static struct rig rig;

/* A child that waits in a read of its first pipe. */
static struct {
	pid_t pid;
	int hold; /* closing it ends the child with code 3 */
	char directory[SCRATCH_PATH_MAX];
	char file[SCRATCH_PATH_MAX + 16];
	uint16_t port;
} known_child;

#define FILE_FD 40
#define PIPE_FD 41
#define PAIR_FD 42
#define TCP_FD 43
#define EPOLL_FD 44
#define MEMFD_FD 45
#define DIRECTORY_FD 46

static void put(int fd, int at)
{
	if (fd < 0 || dup2(fd, at) != at)
		_exit(9);
	close(fd);
}

static void become_known(int listener, int ready, int hold)
{
	const struct rlimit files = { 123, 456 };
	sigset_t blocked;
	int pipes[2], pair[2];
	char byte = 'r';

	put(open(known_child.file, O_RDWR | O_APPEND), FILE_FD);
	if (lseek(FILE_FD, 1234, SEEK_SET) != 1234 || pipe(pipes) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 || chdir(known_child.directory) < 0)
		_exit(9);
	put(pipes[0], PIPE_FD);
	put(pair[0], PAIR_FD);
	put(listener, TCP_FD);
	put(epoll_create1(EPOLL_CLOEXEC), EPOLL_FD);
	put((int)syscall(SYS_memfd_create, "known", 0), MEMFD_FD);
	put(open(known_child.directory, O_RDONLY | O_DIRECTORY), DIRECTORY_FD);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	signal(SIGUSR2, SIG_IGN);
	kill(getpid(), SIGUSR1);
	setrlimit(RLIMIT_NOFILE, &files);
	prctl(PR_SET_NAME, "known (x) \n", 0, 0, 0);
	if (write(ready, &byte, 1) != 1 || read(hold, &byte, 1) != 0)
		_exit(9);
	_exit(3);
}

static int listen_on_loopback(uint16_t *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(fd, 1), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	*port = ntohs(address.sin_port);
	return fd;
}

static void start_known(void)
{
	int ready[2], hold[2], listener, file;
	char byte;

	scratch_directory(known_child.directory, "known");
	snprintf(known_child.file, sizeof(known_child.file), "%s/a\nfile", known_child.directory);
	file = open(known_child.file, O_RDWR | O_CREAT, 0600);
	ck_assert_int_eq(ftruncate(file, 5000), 0);
	close(file);
	listener = listen_on_loopback(&known_child.port);
	ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(hold, O_CLOEXEC), 0);
	known_child.pid = fork();
	if (known_child.pid == 0) {
		close(hold[1]);
		become_known(listener, ready[1], hold[0]);
	}
	close(listener);
	close(hold[0]);
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	known_child.hold = hold[1];
}

/* Samples these topics of the child until its main thread waits in its read. */
static void open_known(const char *const *names)
{
	static char pid[16];

	start_known();
	snprintf(pid, sizeof(pid), "%d", known_child.pid);
	rig_open_live(&rig, names);
	rig.request = (struct sample_request){ .batch = true, .processes = pid };
	rig_next(&rig);
}

static void end_known(void)
{
	close(known_child.hold);
	waitpid(known_child.pid, NULL, 0);
	rig_close(&rig);
}

static double detail_number(const char *column)
{
	return frame_number(rig.now, "process_detail", NULL, column);
}

static const char *detail_text(const char *column)
{
	const struct table *table = frame_table(rig.now, "process_detail");

	return table_text(table, table_row(table, 0), column);
}

/* wanted: its kind and flags, and maybe its path. */
static void assert_file(int fd, const char *wanted)
{
	const struct table *table = frame_table(rig.now, "open_file");
	const void *row = find_number(rig.now, "open_file", "fd", fd);
	bool with_path = count_of(wanted, " ") == 2;

	ck_assert_ptr_nonnull(row);
	ck_assert_str_eq(textf("%s %s%s%s", table_text(table, row, "kind"), table_text(table, row, "flags"),
			       with_path ? " " : "", with_path ? table_text(table, row, "path") : ""),
			 wanted);
}

static const char *file_text(int fd, const char *column)
{
	return table_text(frame_table(rig.now, "open_file"),
			  find_number(rig.now, "open_file", "fd", fd), column);
}

START_TEST(open_files_of_a_known_child)
{
	const struct table *files;

	open_known(TOPICS("open_file", "process_detail"));
	files = frame_table(rig.now, "open_file");
	assert_file(FILE_FD, textf("file rw,append %s", known_child.file));
	ck_assert_double_eq(table_number(files, find_number(rig.now, "open_file", "fd", FILE_FD),
					 "position_bytes"),
			    1234);
	assert_file(PIPE_FD, "pipe r");
	assert_file(PAIR_FD, "socket rw");
	assert_file(TCP_FD, textf("socket rw 127.0.0.1:%u", known_child.port));
	ck_assert_str_eq(file_text(TCP_FD, "socket_state"), "listening");
	ck_assert_str_eq(file_text(TCP_FD, "protocol"), "tcp");
	ck_assert_str_eq(file_text(PAIR_FD, "protocol"), "unix");
	assert_file(EPOLL_FD, "eventpoll rw anon_inode:[eventpoll]");
	assert_file(MEMFD_FD, "memfd rw /memfd:known");
	assert_file(DIRECTORY_FD, textf("directory r %s", known_child.directory));
	if (!isnan(detail_number("open_files"))) /* since Linux 6.2 */
		ck_assert_int_eq((int)detail_number("open_files"), (int)files->n_rows);
	end_known();
}

#define START_TICK_NS 2e7 /* starts are told in hundredths of a second, by another clock */

START_TEST(a_known_child_in_detail)
{
	const struct table *table;
	const void *row;
	double before_ns;

	before_ns = (double)clock_wall_ns(&real_clock);
	open_known(TOPICS("process_detail", "limit", "signal", "environment"));
	ck_assert_double_ge(detail_number("started_time"), before_ns - START_TICK_NS);
	ck_assert_double_le(detail_number("started_time"),
			    (double)clock_wall_ns(&real_clock) + START_TICK_NS);
	ck_assert_str_eq(textf("%.0f %.0f %.0f %.0f %s %s", detail_number("pid"),
			       detail_number("ppid"), detail_number("threads"),
			       detail_number("uid"), detail_text("name"),
			       detail_text("directory")),
			 textf("%d %d 1 %d known (x) \n %s", known_child.pid, getpid(), (int)geteuid(),
			       known_child.directory));
	ck_assert_str_eq(detail_text("executable_state"), "");
	for (int i = 0; i < 1000 && strcmp(detail_text("state"), "S") != 0; i++)
		rig_next(&rig);
	if (*detail_text("system_call")) { /* a container may hide it */
		ck_assert_str_eq(detail_text("system_call"), "read");
		ck_assert(strncmp(detail_text("system_call_file"), "pipe:[", 6) == 0);
	}
	table = frame_table(rig.now, "limit");
	row = table_find(table, "Max open files", NULL);
	ck_assert(table_u64(table, row, "soft") == 123 && table_u64(table, row, "hard") == 456);
	ck_assert_str_eq(table_text(table, row, "soft_text"), "123");
	ck_assert_double_gt(table_number(table, row, "used"), 2);
	row = table_find(table, "Max data size", NULL);
	ck_assert_double_gt(table_number(table, row, "used"), 4096);
	row = table_find(table, "Max file size", NULL);
	ck_assert(isnan(table_number(table, row, "used")));
	table = frame_table(rig.now, "signal");
	for (int number = SIGUSR1; number <= SIGUSR2; number += SIGUSR2 - SIGUSR1) {
		row = find_number(rig.now, "signal", "number", number);
		ck_assert_str_eq(textf("%s %s %s", table_text(table, row, "blocked"),
				       table_text(table, row, "pending"), table_text(table, row, "action")),
				 number == SIGUSR1 ? "yes yes default" : "no no ignored");
	}
	ck_assert(frame_table(rig.now, "environment")->n_rows > 0);
	end_known();
}

/* Its rows stay, and say how it ended. */
START_TEST(a_child_that_exits_stays_on_its_page)
{
	size_t n_files, n_limits;

	open_known(TOPICS("process_detail", "limit", "open_file"));
	n_files = frame_table(rig.now, "open_file")->n_rows;
	n_limits = frame_table(rig.now, "limit")->n_rows;
	close(known_child.hold);
	for (int i = 0; i < 1000 && strcmp(detail_text("state"), "X") != 0; i++) {
		usleep(1000);
		rig_next(&rig);
	}
	ck_assert_str_eq(detail_text("state"), "X"); /* a zombie of ours */
	ck_assert_int_eq((int)detail_number("exit_code"), 3);
	ck_assert(!isnan(detail_number("exited_time")));
	ck_assert_str_eq(detail_text("directory"), known_child.directory);
	/* it closes them before it exits: a sample may fall between */
	ck_assert(frame_table(rig.now, "open_file")->n_rows <= n_files);
	ck_assert(frame_table(rig.now, "limit")->n_rows == n_limits && n_limits > 10);
	waitpid(known_child.pid, NULL, 0);
	rig_next(&rig);
	ck_assert_int_eq((int)detail_number("exit_code"), 3);
	rig_close(&rig);
}

START_TEST(a_child_that_is_killed_and_reaped_at_once)
{
	open_known(TOPICS("process_detail"));
	end_child(known_child.pid);
	rig_next(&rig);
	ck_assert_str_eq(detail_text("state"), "X");
	ck_assert(isnan(detail_number("exit_code")));
	if (!isnan(detail_number("exit_signal"))) /* since Linux 6.15 */
		ck_assert_int_eq((int)detail_number("exit_signal"), SIGKILL);
	close(known_child.hold);
	rig_close(&rig);
}

#define MANY 2500 /* more than are read in one sample */

static void open_many(int ready, int hold)
{
	const struct rlimit limit = { MANY + 64, MANY + 64 };
	char byte = 'r';

	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		_exit(9);
	for (int i = 0; i < MANY; i++)
		if (open("/dev/null", O_RDONLY) < 0)
			_exit(9);
	if (write(ready, &byte, 1) != 1 || read(hold, &byte, 1) != 0)
		_exit(9);
	_exit(0);
}

static size_t count_files(pid_t pid)
{
	size_t count = 0;
	DIR *directory;

	directory = opendir(textf("/proc/%d/fd", pid));
	ck_assert_ptr_nonnull(directory);
	for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
		count += *entry->d_name != '.';
	closedir(directory);
	return count;
}

START_TEST(many_files_are_read_in_turns)
{
	int ready[2], hold[2];
	char byte, pid[16], notice[96];
	size_t n_files;
	pid_t child;

	ck_assert_int_eq(pipe2(ready, 0), 0);
	ck_assert_int_eq(pipe2(hold, 0), 0);
	child = fork();
	if (child == 0) {
		close(hold[1]);
		open_many(ready[1], hold[0]);
	}
	close(ready[1]);
	close(hold[0]);
	if (read(ready[0], &byte, 1) != 1)
		skip_test("%d files cannot be opened here", MANY);
	snprintf(pid, sizeof(pid), "%d", child);
	rig_open_live(&rig, TOPICS("open_file"));
	rig.request = (struct sample_request){ .batch = true, .processes = pid };
	rig_next(&rig);
	ck_assert_int_eq((int)frame_table(rig.now, "open_file")->n_rows, 1000);
	ck_assert_int_eq((int)rig.now->n_notices, 1);
	ck_assert_str_eq(rig.now->notices[0].text,
			 "1000 open files are read so far; the others follow in turn");
	rig_next(&rig);
	n_files = count_files(child);
	snprintf(notice, sizeof(notice), "%zu open files: 1000 are read in each sample, the others in turn",
		 n_files);
	for (int i = 0; i < 5; i++) { /* the rest of them, and then all again */
		rig_next(&rig);
		ck_assert_uint_eq(frame_table(rig.now, "open_file")->n_rows, n_files);
		ck_assert_int_eq((int)rig.now->n_notices, 1);
		ck_assert_str_eq(rig.now->notices[0].text, notice);
	}
	close(hold[1]);
	close(ready[0]);
	waitpid(child, NULL, 0);
	rig_close(&rig);
}

/* Two open file descriptions of one file. */
static pid_t start_waiter(const char *path, int held)
{
	pid_t child = fork();

	if (child == 0) {
		int file = open(path, O_RDWR | O_CLOEXEC);

		close(held); /* else it held the lock, too */
		_exit(flock(file, LOCK_EX) == 0 ? 0 : 9);
	}
	return child;
}

START_TEST(the_holder_of_a_lock_is_named)
{
	char directory[SCRATCH_PATH_MAX], path[SCRATCH_PATH_MAX + 16], pid[16], name[16];
	int file, status;
	pid_t child;

	scratch_directory(directory, "lock");
	snprintf(path, sizeof(path), "%s/lock", directory);
	file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(flock(file, LOCK_EX), 0);
	prctl(PR_GET_NAME, name, 0, 0, 0);
	child = start_waiter(path, file);
	snprintf(pid, sizeof(pid), "%d", child);
	rig_open_live(&rig, TOPICS("process_detail"));
	rig.request = (struct sample_request){ .batch = true, .processes = pid };
	rig_next(&rig);
	for (int i = 0; i < 1000 && strcmp(detail_text("state"), "S") != 0; i++)
		rig_next(&rig);
	if (*detail_text("system_call") || *detail_text("wait_channel")) {
		ck_assert_int_eq((int)detail_number("lock_holder_pid"), getpid());
		ck_assert_str_eq(detail_text("lock_holder"), name);
	}
	close(file);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	rig_close(&rig);
}
