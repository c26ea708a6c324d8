/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translations of pages that a CPU keeps (TLB): use of a page through one sets no bit in the page table. */
#ifndef PANETOP_SYS_TLB_H
#define PANETOP_SYS_TLB_H

#include <stdint.h>

/*
 * Has the CPUs on which this thread may run drop the translations of other processes; only on x86. For some
 * milliseconds there are copies of this process, which visit each CPU. 0 or -errno, and the CPU time
 * that it took beside that of this thread. Blocks as long as a real-time program keeps a CPU to itself.
 */
int tlb_drop(uint64_t *cpu_ns);

#endif
