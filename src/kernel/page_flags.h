/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/kpageflags: 64 bits per page frame of the machine, and their names. */
#ifndef PANETOP_KERNEL_PAGE_FLAGS_H
#define PANETOP_KERNEL_PAGE_FLAGS_H

#include <stddef.h>
#include <stdint.h>

#define PAGE_FLAGS_HUGE 17
#define PAGE_FLAGS_KSM 21
#define PAGE_FLAGS_THP 22
#define PAGE_FLAGS_ZERO 24

#define PAGE_FLAGS_TEXT_MAX 512

/*
 * "uptodate lru anon": the names of the bits that are set, or their numbers; returns out, which has
 * PAGE_FLAGS_TEXT_MAX bytes.
 */
char *page_flags_text(char *out, uint64_t flags);

#endif
