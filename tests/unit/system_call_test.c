/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of system calls under filters; every test is a process of its own. */
#include "suite.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "sys/privilege.h"

static void set_filter(const long *numbers, unsigned n, unsigned action)
{
	struct sock_filter code[16];
	struct sock_fprog program = { .len = 0 };

	code[program.len++] =
		(struct sock_filter)BPF_STMT(BPF_LD | BPF_ABS | BPF_W, offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < n; i++) {
		code[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
								   (unsigned)numbers[i], 0, 1);
		code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	}
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.filter = code;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		skip_test("no filter of system calls can be set here");
}

static void assert_survived(unsigned action)
{
	const long ending[] = { SYS_bpf, SYS_move_pages, SYS_setns };

	set_filter(ending, 3, action);
	system_calls_try();
	ck_assert(system_calls_filtered());
	for (unsigned i = 0; i < 3; i++)
		ck_assert(system_call_kills(ending[i]));
	ck_assert(!system_call_kills(SYS_perf_event_open) && !system_call_kills(SYS_pidfd_open));
	errno = 0;
	ck_assert_int_eq(system_call(SYS_move_pages, 0, 0UL, NULL, NULL, NULL, 0), -1);
	ck_assert_int_eq(errno, EPERM);
	ck_assert_int_eq(system_call(SYS_setpriority, -1, 0, 0), -1);
	ck_assert_int_eq(errno, EINVAL); /* the kernel's own answer */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

START_TEST(what_ends_the_process_is_not_called)
{
	assert_survived(SECCOMP_RET_KILL_PROCESS);
}

START_TEST(what_ends_the_thread_is_not_called)
{
	assert_survived(SECCOMP_RET_KILL_THREAD);
}

START_TEST(what_ends_it_by_a_signal_is_not_called)
{
	assert_survived(SECCOMP_RET_TRAP);
}

START_TEST(what_a_filter_only_refuses_is_called)
{
	const long refused[] = { SYS_bpf, SYS_move_pages };

	set_filter(refused, 2, SECCOMP_RET_ERRNO | ENOSYS);
	system_calls_try();
	ck_assert(system_calls_filtered() && !system_call_kills(SYS_move_pages));
	ck_assert_int_eq(system_call(SYS_move_pages, 0, 0UL, NULL, NULL, NULL, 0), -1);
	ck_assert_int_eq(errno, ENOSYS);
}

START_TEST(without_a_filter_nothing_is_tried)
{
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0)
		skip_test("there is a filter of system calls here");
	system_calls_try();
	ck_assert(!system_calls_filtered() && !system_call_kills(SYS_bpf));
}
