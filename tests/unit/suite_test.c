/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests share, when a test fails. */
#include "rig.h"

#define FAILING "PANETOP_TESTS_FAIL" /* set in the run within this one, in which the first two fail */

/* Both print where they are, and go no further. */
START_TEST(fails)
{
	struct rig rig;

	if (!getenv(FAILING))
		return;
	rig_open(&rig, "empty", NULL);
	printf("# root %s\n", rig.root);
	fflush(stdout);
	ck_abort();
}

START_TEST(crashes)
{
	char root[SCRATCH_PATH_MAX];

	if (!getenv(FAILING))
		return;
	scratch_directory(root, "crash");
	printf("# root %s\n", root);
	fflush(stdout);
	abort();
}

static void run_failing(int out)
{
	dup2(out, STDOUT_FILENO);
	setenv(FAILING, "yes", 1);
	execl("/proc/self/exe", "failing", NULL);
	_exit(127);
}

START_TEST(tests_that_fail_leave_nothing_behind)
{
	int fds[2], status, n_roots = 0;
	char line[256], root[256];
	FILE *told;
	pid_t pid;

	if (getenv(FAILING))
		skip_test("it is not for the run within");
	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (pid == 0)
		run_failing(fds[1]);
	close(fds[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), EXIT_FAILURE);
	told = fdopen(fds[0], "r");
	while (fgets(line, sizeof(line), told)) {
		if (sscanf(line, "# root %255s", root) != 1)
			continue;
		n_roots++;
		ck_assert_msg(access(root, F_OK) < 0, "%s", root);
	}
	fclose(told);
	ck_assert_int_eq(n_roots, 2);
}
