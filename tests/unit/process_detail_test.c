/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the topic process_detail: main threads that ended, signals that stop. */
#include "rig.h"

#include <pthread.h>
#include <sys/syscall.h>

#define HELD_BYTES ((size_t)8 << 20)

static struct rig rig;

static double detail_number(const char *column)
{
	return frame_number(rig.now, "process_detail", NULL, column);
}

static const char *detail_text(const char *column)
{
	const struct table *table = frame_table(rig.now, "process_detail");

	return table_text(table, table_row(table, 0), column);
}

static void *hold_a_file(void *to)
{
	const int *fds = to;
	char *memory = malloc(HELD_BYTES), byte = 'r';

	memset(memory, 1, HELD_BYTES);
	if (write(fds[0], &byte, 1) != 1 || read(fds[1], &byte, 1) != 0)
		_exit(9);
	free(memory);
	_exit(3);
}

/* The thread lives until the returned descriptor is closed. */
static pid_t start_without_main(int *hold)
{
	int ready[2], held[2], fds[2];
	pthread_t thread;
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(held, O_CLOEXEC), 0);
	fds[0] = ready[1];
	fds[1] = held[0];
	pid = fork();
	if (pid == 0) {
		close(held[1]);
		if (pthread_create(&thread, NULL, hold_a_file, fds) == 0)
			syscall(SYS_exit, 0); /* without its cleanups: fds are on this stack */
		_exit(9);
	}
	close(ready[1]);
	close(held[0]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	*hold = held[1];
	return pid;
}

START_TEST(a_main_thread_ends_before_the_others)
{
	const struct table *table;
	const void *row;
	int hold;
	pid_t child = start_without_main(&hold);
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", child);
	rig_open_live(&rig, TOPICS("process_detail", "process", "open_file"));
	rig.request = (struct sample_request){ .batch = true, .processes = pid };
	do { /* both tables, which are not of one moment */
		rig_next(&rig);
		table = frame_table(rig.now, "process");
		row = find_number(rig.now, "process", "pid", child);
		ck_assert_ptr_nonnull(row);
	} while (strcmp(detail_text("main_thread"), "ended") != 0 ||
		 strcmp(detail_text("state"), "S") != 0 ||
		 strcmp(table_text(table, row, "state"), "S") != 0);
	ck_assert(isnan(detail_number("exit_code")));
	ck_assert(isnan(detail_number("exited_time")));
	ck_assert_int_eq((int)detail_number("threads"), 2);
	ck_assert(detail_number("resident_bytes") > HELD_BYTES);
	ck_assert(*detail_text("executable") && *detail_text("directory"));
	ck_assert(frame_table(rig.now, "open_file")->n_rows >= 4);
	ck_assert(table_number(table, row, "resident_bytes") > HELD_BYTES);
	ck_assert(table_number(table, row, "virtual_bytes") > HELD_BYTES);
	close(hold);
	ck_assert_int_eq(waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT), 0);
	rig_next(&rig);
	ck_assert_str_eq(detail_text("state"), "X");
	ck_assert_str_eq(detail_text("main_thread"), "");
	ck_assert_int_eq((int)detail_number("exit_code"), 3);
	waitpid(child, NULL, 0);
	rig_close(&rig);
}

START_TEST(a_stopped_child_names_the_signal)
{
	pid_t child = fork();
	char pid[16];

	if (child == 0) {
		kill(getpid(), SIGSTOP);
		_exit(0);
	}
	ck_assert_int_eq(waitid(P_PID, (id_t)child, NULL, WSTOPPED | WNOWAIT), 0);
	snprintf(pid, sizeof(pid), "%d", child);
	rig_open_live(&rig, TOPICS("process_detail"));
	rig.request = (struct sample_request){ .batch = true, .processes = pid };
	rig_next(&rig);
	ck_assert_str_eq(detail_text("state"), "T");
	if (*detail_text("system_call")) /* a container may hide it */
		ck_assert(strstr(detail_text("system_call"), "kill"));
	if (!isnan(detail_number("stop_signal"))) /* since Linux 5.17 */
		ck_assert_int_eq((int)detail_number("stop_signal"), SIGSTOP);
	ck_assert_int_eq(waitpid(child, NULL, WUNTRACED), child);
	rig_next(&rig);
	ck_assert(isnan(detail_number("stop_signal"))); /* its parent has read it */
	kill(child, SIGCONT);
	waitpid(child, NULL, 0);
	rig_close(&rig);
}
