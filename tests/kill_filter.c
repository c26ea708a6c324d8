/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kill_filter kill|trap LIST COMMAND...: the command under a filter that ends it at these system calls.
 * LIST: names with commas; "newer": those that came with Linux 4.11 and later; "all": all of the table.
 */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name) { #name, SYS_##name, false }
#define NEWER(name) { #name, SYS_##name, true }

/* What systemd's groups privileged, resources, debug and mount have, and what glibc does without. */
static const struct {
	const char *name;
	unsigned number;
	bool newer;
} calls[] = {
	CALL(acct),          CALL(add_key),           CALL(bpf),
	CALL(capset),        CALL(chroot),            CALL(clock_adjtime),
	CALL(clock_settime), CALL(delete_module),     CALL(fanotify_init),
	NEWER(fsconfig),     NEWER(fsmount),          NEWER(fsopen),
	CALL(get_mempolicy), CALL(init_module),       CALL(ioprio_get),
	CALL(ioprio_set),    CALL(kcmp),              CALL(keyctl),
	CALL(mbind),         CALL(migrate_pages),     CALL(mlock),
	CALL(mlockall),      CALL(mount),             CALL(move_pages),
	CALL(name_to_handle_at), CALL(open_by_handle_at), CALL(perf_event_open),
	NEWER(pidfd_open),   NEWER(pidfd_send_signal), CALL(pivot_root),
	CALL(process_vm_readv), CALL(ptrace),         CALL(quotactl),
	CALL(reboot),        CALL(sched_setaffinity), CALL(sched_setattr),
	CALL(sched_setscheduler), CALL(setfsgid),     CALL(setfsuid),
	CALL(setns),         CALL(setpriority),       NEWER(statx),
	CALL(swapon),        CALL(syslog),            CALL(umount2),
	CALL(unshare),       CALL(userfaultfd),       CALL(vhangup),
#ifdef SYS_close_range
	NEWER(close_range),
#endif
#ifdef SYS_openat2
	NEWER(openat2),
#endif
#ifdef SYS_io_uring_setup
	NEWER(io_uring_setup),
#endif
};

#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

static bool is_in(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += length)
		if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct sock_filter code[2 * N_CALLS + 2];
	struct sock_fprog program = { .filter = code };
	unsigned action;

	if (argc < 4)
		return 2;
	action = strcmp(argv[1], "trap") == 0 ? SECCOMP_RET_TRAP : SECCOMP_RET_KILL_PROCESS;
	code[program.len++] =
		(struct sock_filter)BPF_STMT(BPF_LD | BPF_ABS | BPF_W, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < N_CALLS; i++) {
		if (strcmp(argv[2], "all") != 0 && !(calls[i].newer && strcmp(argv[2], "newer") == 0) &&
		    !is_in(argv[2], calls[i].name))
			continue;
		code[program.len++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1);
		code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	}
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("seccomp");
		return 77;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 127;
}
