/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The open file descriptors of a process, in turns: a process may have hundreds of thousands. */
#ifndef PANETOP_SYS_OPEN_FILES_H
#define PANETOP_SYS_OPEN_FILES_H

#include "sys/env.h"

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

#endif
