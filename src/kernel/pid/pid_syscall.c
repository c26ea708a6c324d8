/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "kernel/pid/pid_syscall.h"

#include <stddef.h>
#include <sys/syscall.h>

#define CALL(call, of_file)                          \
	{                                            \
		SYS_##call, #call, .first_is_fd = of_file \
	}

/* System calls that may wait. Not every architecture has all of them. */
static const struct {
	uint64_t number;
	const char *name;
	bool first_is_fd;
} names[] = {
#ifdef SYS_read
	CALL(read, true),
#endif
#ifdef SYS_pread64
	CALL(pread64, true),
#endif
#ifdef SYS_readv
	CALL(readv, true),
#endif
#ifdef SYS_preadv
	CALL(preadv, true),
#endif
#ifdef SYS_preadv2
	CALL(preadv2, true),
#endif
#ifdef SYS_write
	CALL(write, true),
#endif
#ifdef SYS_pwrite64
	CALL(pwrite64, true),
#endif
#ifdef SYS_writev
	CALL(writev, true),
#endif
#ifdef SYS_pwritev
	CALL(pwritev, true),
#endif
#ifdef SYS_pwritev2
	CALL(pwritev2, true),
#endif
#ifdef SYS_recvfrom
	CALL(recvfrom, true),
#endif
#ifdef SYS_recvmsg
	CALL(recvmsg, true),
#endif
#ifdef SYS_recvmmsg
	CALL(recvmmsg, true),
#endif
#ifdef SYS_sendto
	CALL(sendto, true),
#endif
#ifdef SYS_sendmsg
	CALL(sendmsg, true),
#endif
#ifdef SYS_sendmmsg
	CALL(sendmmsg, true),
#endif
#ifdef SYS_accept
	CALL(accept, true),
#endif
#ifdef SYS_accept4
	CALL(accept4, true),
#endif
#ifdef SYS_connect
	CALL(connect, true),
#endif
#ifdef SYS_fsync
	CALL(fsync, true),
#endif
#ifdef SYS_fdatasync
	CALL(fdatasync, true),
#endif
#ifdef SYS_sync_file_range
	CALL(sync_file_range, true),
#endif
#ifdef SYS_flock
	CALL(flock, true),
#endif
#ifdef SYS_fcntl
	CALL(fcntl, true),
#endif
#ifdef SYS_ioctl
	CALL(ioctl, true),
#endif
#ifdef SYS_ftruncate
	CALL(ftruncate, true),
#endif
#ifdef SYS_fallocate
	CALL(fallocate, true),
#endif
#ifdef SYS_getdents
	CALL(getdents, true),
#endif
#ifdef SYS_getdents64
	CALL(getdents64, true),
#endif
#ifdef SYS_epoll_wait
	CALL(epoll_wait, true),
#endif
#ifdef SYS_epoll_pwait
	CALL(epoll_pwait, true),
#endif
#ifdef SYS_epoll_pwait2
	CALL(epoll_pwait2, true),
#endif
#ifdef SYS_splice
	CALL(splice, true),
#endif
#ifdef SYS_tee
	CALL(tee, true),
#endif
#ifdef SYS_vmsplice
	CALL(vmsplice, true),
#endif
#ifdef SYS_fstat
	CALL(fstat, true),
#endif
#ifdef SYS_close
	CALL(close, true),
#endif
#ifdef SYS_io_uring_enter
	CALL(io_uring_enter, true),
#endif
#ifdef SYS_readahead
	CALL(readahead, true),
#endif
#ifdef SYS_fadvise64
	CALL(fadvise64, true),
#endif
#ifdef SYS_syncfs
	CALL(syncfs, true),
#endif
#ifdef SYS_lseek
	CALL(lseek, true),
#endif
#ifdef SYS_mq_timedreceive
	CALL(mq_timedreceive, true),
#endif
#ifdef SYS_mq_timedsend
	CALL(mq_timedsend, true),
#endif
#ifdef SYS_poll
	CALL(poll, false),
#endif
#ifdef SYS_ppoll
	CALL(ppoll, false),
#endif
#ifdef SYS_select
	CALL(select, false),
#endif
#ifdef SYS_pselect6
	CALL(pselect6, false),
#endif
#ifdef SYS_futex
	CALL(futex, false),
#endif
#ifdef SYS_futex_waitv
	CALL(futex_waitv, false),
#endif
#ifdef SYS_futex_wait
	CALL(futex_wait, false),
#endif
#ifdef SYS_nanosleep
	CALL(nanosleep, false),
#endif
#ifdef SYS_clock_nanosleep
	CALL(clock_nanosleep, false),
#endif
#ifdef SYS_wait4
	CALL(wait4, false),
#endif
#ifdef SYS_waitid
	CALL(waitid, false),
#endif
#ifdef SYS_pause
	CALL(pause, false),
#endif
#ifdef SYS_rt_sigsuspend
	CALL(rt_sigsuspend, false),
#endif
#ifdef SYS_rt_sigtimedwait
	CALL(rt_sigtimedwait, false),
#endif
#ifdef SYS_msync
	CALL(msync, false),
#endif
#ifdef SYS_open
	CALL(open, false),
#endif
#ifdef SYS_openat
	CALL(openat, false),
#endif
#ifdef SYS_openat2
	CALL(openat2, false),
#endif
#ifdef SYS_creat
	CALL(creat, false),
#endif
#ifdef SYS_stat
	CALL(stat, false),
#endif
#ifdef SYS_lstat
	CALL(lstat, false),
#endif
#ifdef SYS_newfstatat
	CALL(newfstatat, false),
#endif
#ifdef SYS_statx
	CALL(statx, false),
#endif
#ifdef SYS_access
	CALL(access, false),
#endif
#ifdef SYS_faccessat
	CALL(faccessat, false),
#endif
#ifdef SYS_faccessat2
	CALL(faccessat2, false),
#endif
#ifdef SYS_readlink
	CALL(readlink, false),
#endif
#ifdef SYS_readlinkat
	CALL(readlinkat, false),
#endif
#ifdef SYS_rename
	CALL(rename, false),
#endif
#ifdef SYS_renameat
	CALL(renameat, false),
#endif
#ifdef SYS_renameat2
	CALL(renameat2, false),
#endif
#ifdef SYS_unlink
	CALL(unlink, false),
#endif
#ifdef SYS_unlinkat
	CALL(unlinkat, false),
#endif
#ifdef SYS_mkdir
	CALL(mkdir, false),
#endif
#ifdef SYS_mkdirat
	CALL(mkdirat, false),
#endif
#ifdef SYS_rmdir
	CALL(rmdir, false),
#endif
#ifdef SYS_link
	CALL(link, false),
#endif
#ifdef SYS_linkat
	CALL(linkat, false),
#endif
#ifdef SYS_symlink
	CALL(symlink, false),
#endif
#ifdef SYS_symlinkat
	CALL(symlinkat, false),
#endif
#ifdef SYS_truncate
	CALL(truncate, false),
#endif
#ifdef SYS_chmod
	CALL(chmod, false),
#endif
#ifdef SYS_chown
	CALL(chown, false),
#endif
#ifdef SYS_statfs
	CALL(statfs, false),
#endif
#ifdef SYS_fstatfs
	CALL(fstatfs, false),
#endif
#ifdef SYS_mount
	CALL(mount, false),
#endif
#ifdef SYS_umount2
	CALL(umount2, false),
#endif
#ifdef SYS_sync
	CALL(sync, false),
#endif
#ifdef SYS_io_getevents
	CALL(io_getevents, false),
#endif
#ifdef SYS_io_pgetevents
	CALL(io_pgetevents, false),
#endif
#ifdef SYS_msgrcv
	CALL(msgrcv, false),
#endif
#ifdef SYS_msgsnd
	CALL(msgsnd, false),
#endif
#ifdef SYS_semop
	CALL(semop, false),
#endif
#ifdef SYS_semtimedop
	CALL(semtimedop, false),
#endif
#ifdef SYS_mmap
	CALL(mmap, false),
#endif
#ifdef SYS_munmap
	CALL(munmap, false),
#endif
#ifdef SYS_mremap
	CALL(mremap, false),
#endif
#ifdef SYS_mprotect
	CALL(mprotect, false),
#endif
#ifdef SYS_madvise
	CALL(madvise, false),
#endif
#ifdef SYS_brk
	CALL(brk, false),
#endif
#ifdef SYS_mlock
	CALL(mlock, false),
#endif
#ifdef SYS_mlock2
	CALL(mlock2, false),
#endif
#ifdef SYS_mlockall
	CALL(mlockall, false),
#endif
#ifdef SYS_munlock
	CALL(munlock, false),
#endif
#ifdef SYS_execve
	CALL(execve, false),
#endif
#ifdef SYS_execveat
	CALL(execveat, false),
#endif
#ifdef SYS_clone
	CALL(clone, false),
#endif
#ifdef SYS_clone3
	CALL(clone3, false),
#endif
#ifdef SYS_fork
	CALL(fork, false),
#endif
#ifdef SYS_vfork
	CALL(vfork, false),
#endif
#ifdef SYS_exit
	CALL(exit, false),
#endif
#ifdef SYS_exit_group
	CALL(exit_group, false),
#endif
#ifdef SYS_ptrace
	CALL(ptrace, false),
#endif
#ifdef SYS_process_vm_readv
	CALL(process_vm_readv, false),
#endif
#ifdef SYS_process_vm_writev
	CALL(process_vm_writev, false),
#endif
#ifdef SYS_sendfile
	CALL(sendfile, false),
#endif
#ifdef SYS_copy_file_range
	CALL(copy_file_range, false),
#endif
#ifdef SYS_restart_syscall
	CALL(restart_syscall, false),
#endif
#ifdef SYS_sched_yield
	CALL(sched_yield, false),
#endif
#ifdef SYS_getrandom
	CALL(getrandom, false),
#endif
#ifdef SYS_setxattr
	CALL(setxattr, false),
#endif
#ifdef SYS_getxattr
	CALL(getxattr, false),
#endif
#ifdef SYS_bpf
	CALL(bpf, false),
#endif
#ifdef SYS_perf_event_open
	CALL(perf_event_open, false),
#endif
#ifdef SYS_userfaultfd
	CALL(userfaultfd, false),
#endif
#ifdef SYS_migrate_pages
	CALL(migrate_pages, false),
#endif
#ifdef SYS_move_pages
	CALL(move_pages, false),
#endif
#ifdef SYS_mbind
	CALL(mbind, false),
#endif
#ifdef SYS_swapon
	CALL(swapon, false),
#endif
#ifdef SYS_swapoff
	CALL(swapoff, false),
#endif
#ifdef SYS_finit_module
	CALL(finit_module, false),
#endif
#ifdef SYS_init_module
	CALL(init_module, false),
#endif
#ifdef SYS_delete_module
	CALL(delete_module, false),
#endif
#ifdef SYS_quotactl
	CALL(quotactl, false),
#endif
#ifdef SYS_reboot
	CALL(reboot, false),
#endif
#ifdef SYS_sendfile64
	CALL(sendfile64, false),
#endif
};

/* A process of 32 bits in a kernel of 64 has its stack below 4 GiB. */
static bool is_foreign(uint64_t stack)
{
	return sizeof(void *) == 8 && stack <= UINT32_MAX;
}

static bool take_hex(struct span *text, uint64_t *value)
{
	struct span word;

	if (!span_word(text, &word) || !span_starts(word, "0x"))
		return false;
	word.at += 2;
	return span_hex(&word, value) && word.at == word.end;
}

bool pid_syscall_parse(struct span text, struct pid_syscall *call)
{
	struct span line = text, word;
	uint64_t stack, address;
	int64_t number;

	*call = (struct pid_syscall){ 0 };
	if (span_line(&text, &line))
		text = line;
	if (!span_word(&text, &word))
		return false;
	if (span_is(word, "running")) {
		call->running = true;
		return true;
	}
	if (!span_i64(&word, &number) || word.at != word.end)
		return false;
	call->none = number < 0;
	call->number = call->none ? 0 : (uint64_t)number;
	for (size_t i = 0; !call->none && i < 6; i++)
		if (!take_hex(&text, &call->arguments[i]))
			return false;
	if (!take_hex(&text, &stack) || !take_hex(&text, &address))
		return false;
	call->foreign = is_foreign(stack);
	return true;
}

static size_t find(const struct pid_syscall *call)
{
	size_t i = 0;

	while (i < sizeof(names) / sizeof(names[0]) && names[i].number != call->number)
		i++;
	return call->running || call->none || call->foreign ? sizeof(names) / sizeof(names[0]) : i;
}

const char *pid_syscall_name(const struct pid_syscall *call)
{
	size_t at = find(call);

	return at < sizeof(names) / sizeof(names[0]) ? names[at].name : NULL;
}

int64_t pid_syscall_fd(const struct pid_syscall *call)
{
	size_t at = find(call);

	return at < sizeof(names) / sizeof(names[0]) && names[at].first_is_fd &&
			       call->arguments[0] <= INT32_MAX
		       ? (int64_t)call->arguments[0]
		       : -1;
}
