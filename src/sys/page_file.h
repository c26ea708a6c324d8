/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files about pages: pagemap of a process, by reading and by PAGEMAP_SCAN, mem, and page frames. */
#ifndef PANETOP_SYS_PAGE_FILE_H
#define PANETOP_SYS_PAGE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/env.h"

/* What a page may be, as PAGEMAP_SCAN counts it. */
#define PAGE_SCAN_PRESENT (UINT64_C(1) << 3)
#define PAGE_SCAN_SWAPPED (UINT64_C(1) << 4)
#define PAGE_SCAN_ZERO (UINT64_C(1) << 5)
#define PAGE_SCAN_HUGE (UINT64_C(1) << 6)

#define PAGE_SCAN_RANGES 512 /* at most so many at a time: with more Linux 6.18 tells some of them twice */

/* Pages that are the same in all that was asked for. Addresses. */
struct page_range {
	uint64_t start, end;
	uint64_t what; /* of PAGE_SCAN_* */
};

/* Opens a file of frames, such as proc/kpageflags, of 64 bits each: a descriptor, or -errno. */
int page_file_open(const struct env *env, const char *path);
int page_file_try(const struct env *env, const char *path); /* 0, or why it cannot be opened, as -errno */

/*
 * Reads the entries of so many pages, or frames, from the first on: how many there were, fewer at the end of
 * the file and none when the process has no memory any more; or -errno.
 */
long page_file_read(struct env *env, int fd, uint64_t first, uint64_t *entries, size_t n);

/*
 * The next ranges of pages from *start on, below end, of which something in any is true, with as much of tell
 * as is true of them. Their number, at most PAGE_SCAN_RANGES; *start is then where to go on, end when that
 * was all. -ENOTTY where this kernel cannot (before 6.7), or fd is no pagemap of a process; or -errno.
 */
long page_file_scan(struct env *env, int fd, uint64_t *start, uint64_t end, uint64_t any, uint64_t tell,
		    struct page_range *ranges);

/* Bytes of the memory of a process at this address: how many, or -errno. fd is of its mem. */
long page_file_bytes(int fd, uint64_t address, void *bytes, size_t n);

/* Does this kernel note which pages are written? A page of our own tells; clear_refs promises it always. */
bool page_file_has_soft_dirty(void);

/* The NUMA node of the page at this address of a process, or -errno; -ENOENT when it is absent. */
int page_file_node(uint32_t pid, uint64_t address);

#endif
