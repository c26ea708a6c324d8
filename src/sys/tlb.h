/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translations of pages that a CPU keeps (TLB): use of a page through one sets no bit in the page table. */
#ifndef PANETOP_SYS_TLB_H
#define PANETOP_SYS_TLB_H

/*
 * Has each CPU on which this thread may run replace the translations it keeps by those of other pages. Those
 * of instructions may stay, which some CPUs keep apart. 0 or -errno.
 */
int tlb_evict(void);

#endif
