/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the kernel keeps a system call: members by architecture. A way that no kernel has is -ENODATA. */
#ifndef PANETOP_SYS_BPF_REGISTERS_H
#define PANETOP_SYS_BPF_REGISTERS_H

/* Its number; the low 32 bits of it. -1: no call, as after the return from a signal handler. */
#if defined(__x86_64__) || defined(__i386__)
#define REGISTER_OF_CALL "pt_regs.orig_ax"
#elif defined(__aarch64__)
#define REGISTER_OF_CALL "pt_regs.syscallno"
#else
#define REGISTER_OF_CALL "pt_regs.(unknown here)"
#endif

/*
 * The bit of a member that a thread has while it is in a call of 32 bits, in a kernel of 64: TS_COMPAT of
 * arch/x86/include/asm/thread_info.h, TIF_32BIT of that of arm64.
 */
#if defined(__x86_64__) || defined(__i386__)
#define MEMBER_OF_FOREIGN "task_struct.thread_info.status"
#define BIT_OF_FOREIGN 1
#elif defined(__aarch64__)
#define MEMBER_OF_FOREIGN "task_struct.thread_info.flags"
#define BIT_OF_FOREIGN 22
#else
#define MEMBER_OF_FOREIGN "task_struct.(unknown here)"
#define BIT_OF_FOREIGN 0
#endif

#endif
