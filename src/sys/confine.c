/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits a process to memory and descriptors, by a filter of system calls. */
#include <config.h>

#include "sys/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sys/privilege.h"
#include "sys/system_call.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

void descriptors_close(int first, int last)
{
	struct rlimit limit;

	if (first > last || system_call(SYS_close_range, (unsigned)first, (unsigned)last, 0) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0) /* before Linux 5.9 */
		return;
	for (int fd = first; fd <= last && (rlim_t)fd < limit.rlim_cur; fd++)
		close(fd);
}

#ifdef ARCHITECTURE

static const int allowed[] = {
	SYS_read,        SYS_readv,        SYS_pread64,        SYS_write,
	SYS_sendto,      SYS_sendmsg,      SYS_recvfrom,       SYS_recvmsg,
	SYS_ppoll,
#ifdef SYS_poll
	SYS_poll,
#endif
	SYS_close,       SYS_fstat,        SYS_newfstatat,     SYS_lseek,
	SYS_mmap,        SYS_munmap,       SYS_mremap,         SYS_mprotect,
	SYS_madvise,     SYS_brk,          SYS_futex,          SYS_clock_gettime,
	SYS_getrandom,   SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_restart_syscall,
	SYS_setitimer,   SYS_sched_yield, SYS_getpid,       SYS_gettid,         SYS_exit,
	SYS_exit_group,
};

#define N_ALLOWED (sizeof(allowed) / sizeof(allowed[0]))

/* newfstatat() finds no file by a name, since it has no directory but that of /: what it says of one is no
 * secret. */
int confine_process(void)
{
	struct sock_filter code[2 * N_ALLOWED + 6];
	struct sock_fprog program = { .filter = code };

	program.filter[program.len++] =
		(struct sock_filter)BPF_STMT(BPF_LD | BPF_ABS | BPF_W, offsetof(struct seccomp_data, arch));
	program.filter[program.len++] =
		(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	program.filter[program.len++] =
		(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	program.filter[program.len++] =
		(struct sock_filter)BPF_STMT(BPF_LD | BPF_ABS | BPF_W, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < N_ALLOWED; i++) {
		program.filter[program.len++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
		program.filter[program.len++] =
			(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	program.filter[program.len++] =
		(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	if (privilege_limit(0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return -errno;
	return 0;
}

#else

int confine_process(void)
{
	return -ENOTSUP;
}

#endif
