/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files about pages: pagemap of a process, by reads and PAGEMAP_SCAN, mem, and page frames. */
#ifndef PANETOP_SYS_PAGE_FILE_H
#define PANETOP_SYS_PAGE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/env.h"

/* Categories of pages in PAGEMAP_SCAN. */
#define PAGE_SCAN_PRESENT (UINT64_C(1) << 3)
#define PAGE_SCAN_SWAPPED (UINT64_C(1) << 4)
#define PAGE_SCAN_ZERO (UINT64_C(1) << 5)
#define PAGE_SCAN_HUGE (UINT64_C(1) << 6)

#define PAGE_SCAN_RANGES 512 /* per call: with more, Linux 6.18 reports some twice */

/* Addresses of pages that are equal in all requested categories. */
struct page_range {
	uint64_t start, end;
	uint64_t what; /* PAGE_SCAN_* */
};

/* Opens a file with 64 bits per frame, such as proc/kpageflags: a descriptor, or -errno. */
int page_file_open(const struct env *env, const char *path);
int page_file_try(const struct env *env, const char *path); /* Can it be opened? 0 or -errno */

/*
 * Reads the entries of pages or frames, starting at first: their number, or -errno. Fewer at the end of the
 * file; 0 when the process no longer has memory.
 */
long page_file_read(struct env *env, int fd, uint64_t first, uint64_t *entries, size_t n);

/* The first entry with data, at or after this one, in a file with holes; its end. False: unknown. */
bool page_file_data(int fd, uint64_t first, uint64_t *entry);

/*
 * The next ranges of pages from *start to end that are in a category of any, with their categories among
 * tell. Returns their number, at most PAGE_SCAN_RANGES, or -errno, and sets *start to where to continue; end:
 * all done. -ENOTTY before Linux 6.7, or when fd is not a pagemap.
 */
long page_file_scan(struct env *env, int fd, uint64_t *start, uint64_t end, uint64_t any, uint64_t tell,
		    struct page_range *ranges);

bool page_file_has_scan(struct env *env, int fd); /* Does page_file_scan() work on this pagemap? */

/* Reads memory of a process at this address: the length, or -errno. fd is of its mem file. */
long page_file_bytes(int fd, uint64_t address, void *bytes, size_t n);

/* Does this kernel track written pages? Tries a page of its own, as clear_refs never fails. */
bool page_file_has_soft_dirty(void);

/* Has it surely none? Both are false where that cannot be found out. */
bool page_file_lacks_soft_dirty(void);

/*
 * Does the KSM flag in /proc/kpageflags tell merged pages? Some kernels, such as Linux 6.12, set it for all
 * anonymous pages: tries a page of its own. True where that cannot be read.
 */
bool page_file_has_ksm_flag(const struct env *env);

/* The NUMA node of the page at this address of a process, or -errno; -ENOENT when it is absent. */
int page_file_node(uint32_t pid, uint64_t address);

/* The same of n pages, in nodes: 0 or -errno. */
int page_file_nodes(uint32_t pid, void **addresses, int *nodes, size_t n);

/*
 * Does the kernel say of pages that NUMA balancing has marked for a fault that they are absent, as Linux 6.1
 * to 6.5 do? Tries a page of its own.
 */
bool page_file_hides_marked(void);

#endif
