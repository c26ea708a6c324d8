/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The topic kill: who was killed, at whose limit and when, by a kernel's log in a file. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"

#define RECORD(us, limit, who)                                                                               \
	"6,811," us ",-;oom-kill:constraint=X,nodemask=(null),cpuset=/,mems_allowed=0," limit                \
	",task_memcg=/x,task=" who ",uid=0\n SUBSYSTEM=memory\n"
#define SERVICE "/system.slice/ssh.service"
#define FIRST                                                                                                \
	RECORD("900000000", "global_oom", "java,pid=4711")                                                   \
	RECORD("700000000", "oom_memcg=" SERVICE, "sshd,pid=1")                                              \
	RECORD("800000000", "oom_memcg=" SERVICE, "a,pid=7,task=b,pid=2")

/* log: NULL: there is none. */
static void open_with(struct rig *rig, const char *vmstat, const char *log)
{
	static const char *const none[] = { NULL };

	rig_open(rig, "empty", none);
	rig_make(rig, "proc");
	rig_make(rig, "dev");
	rig_put(rig, "proc/vmstat", "%s", vmstat);
	if (log)
		rig_put(rig, "dev/kmsg", "%s", log);
	rig_add(rig, "kill");
}

static void open_kill(struct rig *rig, const char *vmstat)
{
	open_with(rig, vmstat, FIRST);
}

START_TEST(the_log_has_what_was_before)
{
	const struct frame *frame;
	struct rig rig;

	open_kill(&rig, "oom_kill 3\n");
	frame = rig_sample(&rig, 1); /* at 1001 s */
	ck_assert_uint_eq(frame_table(frame, "kill")->n_rows, 2);
	ck_assert_str_eq(cell_text(frame, "kill", "/", "killed"), "java 4711");
	ck_assert_double_eq(cell_f64(frame, "kill", "/", "earlier_age_seconds"), 101);
	ck_assert_str_eq(cell_text(frame, "kill", SERVICE, "killed"), "b 2");
	ck_assert_str_eq(cell_text(frame, "kill", SERVICE, "name"), "ssh.service");
	ck_assert_double_eq(cell_f64(frame, "kill", SERVICE, "age_seconds"), 201);
	rig_close(&rig);
}

/* What the run has seen is not from before; one that follows takes the place of that before it. */
START_TEST(what_follows_is_new)
{
	const struct frame *frame;
	struct rig rig;

	open_kill(&rig, "oom_kill 3\n");
	rig_sample(&rig, 1);
	rig_put(&rig, "dev/kmsg", FIRST RECORD("1001500000", "global_oom", "perl,pid=8"));
	rig_put(&rig, "proc/vmstat", "oom_kill 4\n");
	frame = rig_sample(&rig, 1);
	ck_assert_str_eq(cell_text(frame, "kill", "/", "killed"), "perl 8");
	ck_assert_double_eq(cell_f64(frame, "kill", "/", "age_seconds"), 0.5);
	ck_assert(isnan(cell_f64(frame, "kill", "/", "earlier_age_seconds")));
	ck_assert_uint_eq(frame_table(frame, "kill")->n_rows, 2);
	rig_close(&rig);
}

/* Where the kernel has counted no kill the log is not read. */
START_TEST(no_kill_no_log)
{
	struct rig rig;

	open_kill(&rig, "oom_kill 0\n");
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "kill")->n_rows, 0);
	rig_close(&rig);
}

static const char *path_at(const struct frame *frame, size_t index)
{
	const struct table *table = frame_table(frame, "kill");

	ck_assert_uint_lt(index, table->n_rows);
	return table_text(table, table_row(table, index), "path");
}

/* The latest is the first. */
START_TEST(the_latest_comes_first)
{
	const struct frame *frame;
	struct rig rig;

	open_kill(&rig, "oom_kill 3\n");
	frame = rig_sample(&rig, 1);
	ck_assert_str_eq(path_at(frame, 0), SERVICE);
	ck_assert_str_eq(path_at(frame, 1), "/");
	ck_assert_str_eq(cell_text(frame, "kill", "/", "name"), "all");
	rig_put(&rig, "dev/kmsg", FIRST RECORD("1001500000", "global_oom", "perl,pid=8"));
	frame = rig_sample(&rig, 1); /* the kernel has counted nothing */
	ck_assert_str_eq(path_at(frame, 0), SERVICE);
	rig_put(&rig, "proc/vmstat", "oom_kill 4\n");
	frame = rig_sample(&rig, 1);
	ck_assert_str_eq(path_at(frame, 0), "/");
	ck_assert_str_eq(path_at(frame, 1), SERVICE);
	ck_assert_uint_eq(frame_table(frame, "kill")->n_rows, 2);
	rig_close(&rig);
}

/* The clock of the log may be ahead. */
START_TEST(a_kill_is_not_in_the_future)
{
	const struct frame *frame;
	struct rig rig;

	open_with(&rig, "oom_kill 2\n",
		  RECORD("1001000000", "global_oom", "now,pid=1")
			  RECORD("1001000001", "oom_memcg=/a", "ahead,pid=2"));
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(cell_f64(frame, "kill", "/", "age_seconds"), 0);
	ck_assert(isnan(cell_f64(frame, "kill", "/a", "age_seconds")));
	rig_close(&rig);
}

/* Of more limits those at which one was killed last. */
START_TEST(the_last_sixteen_limits)
{
	char log[17 * 256] = "", path[32];
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 17; i++)
		snprintf(log + strlen(log), sizeof(log) - strlen(log),
			 RECORD("900000000", "oom_memcg=/group-%u", "p,pid=%u"), i, i);
	open_with(&rig, "oom_kill 17\n", log);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "kill")->n_rows, 16);
	for (unsigned i = 0; i < 16; i++) {
		snprintf(path, sizeof(path), "/group-%u", 16 - i);
		ck_assert_str_eq(path_at(frame, i), path);
	}
	rig_close(&rig);
}
