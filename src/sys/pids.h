/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that /proc lists, read once per tick, and one-off reads of their files. */
#ifndef PANETOP_SYS_PIDS_H
#define PANETOP_SYS_PIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buffer.h"
#include "sys/env.h"

/*
 * The pids, ascending, valid until the next tick; after pids_list_new() in this tick, its result. 0 or
 * -errno: an unreadable or missing /proc is an error, a /proc without processes is not.
 */
int pids_list(struct env *env, const uint32_t **pids, size_t *n_pids);

/* The threads of a process likewise, valid until the next call. -ENOENT or -ESRCH: it has exited. */
int pids_threads(struct env *env, uint32_t pid, const uint32_t **tids, size_t *n_tids);

/*
 * As pids_list(), but reads only the part of /proc with the processes that are new since the last tick, as
 * pids are allocated in ascending order. For up to 8 ticks, exited processes may still be listed, and
 * processes that chose their pid may be missing. now: the state in this tick, in our own pid namespace.
 */
int pids_list_new(struct env *env, const struct env_pids_mark *now, const uint32_t **pids, size_t *n_pids);

/* Reads proc/PID/NAME into bytes, cut at room: the length, or -errno. -ENOENT and -ESRCH: it has exited. */
long pids_read(struct env *env, uint32_t pid, const char *name, char *bytes, size_t room);

/* Opens proc/PID/NAME with flags as in open(2): the descriptor, which the caller closes, or -errno. */
int pids_open(struct env *env, uint32_t pid, const char *name, int flags);

/* The same for helpers, which have a root of their own. */
int pids_open_at(const struct root *root, uint32_t pid, const char *name, int flags);

/* The target of the link proc/PID/NAME, cut at room: the length, or -errno. No file system is asked. */
long pids_read_link(struct env *env, uint32_t pid, const char *name, char *target, size_t room);

/* Reads all of proc/PID/NAME, which may be long, into text, replacing its contents: 0 or -errno. */
int pids_read_text(struct env *env, uint32_t pid, const char *name, struct buffer *text);

/* The same, and stops after about most bytes. */
int pids_read_most(struct env *env, uint32_t pid, const char *name, size_t most, struct buffer *text);

/*
 * As pids_read(), for a file that is read repeatedly: it stays open in *file (initially -1), as far as
 * RLIMIT_NOFILE allows, and then cannot become the file of another process.
 */
long pids_read_kept(struct env *env, int *file, uint32_t pid, const char *name, char *bytes, size_t room);
void pids_release(struct env *env, int *file);

/*
 * The effective user of a process: the owner of its directory, also when its files belong to root because it
 * is not dumpable. False when there is no such process.
 */
bool pids_owner(const struct env *env, uint32_t pid, uint32_t *uid);

/* The open file descriptors of a process, in turns: a process may have hundreds of thousands. */

/* All from the kernel's own texts: no file system is asked, which might not answer. */
struct open_file {
	uint32_t fd;
	struct span link; /* where it points */
	int link_error;   /* 0 or -errno */
	struct span info; /* its fdinfo; empty: not readable */
};

/*
 * Passes at most most descriptors of the process to found, from where *cookie says, and moves it on; 0 is the
 * beginning, and again the end. Returns how many, or -errno.
 */
long open_files_read(struct env *env, uint32_t pid, uint64_t *cookie, size_t most,
		     void (*found)(void *context, const struct open_file *file), void *context);

/* The same, but passes only those whose link begins with prefix, without their fdinfo. */
long open_files_below(struct env *env, uint32_t pid, const char *prefix, uint64_t *cookie, size_t most,
		      void (*found)(void *context, const struct open_file *file), void *context);

/* The fdinfo of one descriptor, cut at room: the length, or -errno. */
long open_files_info(struct env *env, uint32_t pid, uint32_t fd, char *bytes, size_t room);

/* As open_files_read(), but passes only its sockets, and reads less for it. False: no more are wanted. */
typedef bool open_files_found(void *context, uint32_t fd, uint64_t inode);
long open_files_sockets(struct env *env, uint32_t pid, uint64_t *cookie, size_t most, open_files_found *found,
			void *context);

/*
 * Sockets among n of its descriptors from 0 on that have no bit in known, where those from n_known on have
 * none. Ends at limit as well. False: until_ns of env_self_cpu_ns() came before.
 */
bool open_files_new_sockets(struct env *env, uint32_t pid, const uint64_t *known, uint32_t n_known,
			    uint64_t n, uint32_t limit, uint64_t until_ns, open_files_found *found,
			    void *context);

/* How many it has, as the kernel counts them since Linux 6.2; U64_UNKNOWN. */
uint64_t open_files_count(struct env *env, uint32_t pid);

/* Files about pages: pagemap of a process, by reads and PAGEMAP_SCAN, mem, and page frames. */

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
