/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What processes ask of the page cache, and what it lacked, counted in the kernel by process and file. */
#ifndef PANETOP_TOPIC_MEMORY_CACHE_LIST_H
#define PANETOP_TOPIC_MEMORY_CACHE_LIST_H

#include "core/hash.h"
#include "core/i18n.h"
#include "topic/reader.h"
#include "topic/trace/trace.h"

/* For the sources of topics. */
#define CACHE_GIVES N_("pages that processes read from the page cache, and those that it lacked")
#define CACHE_REMEDIES                                                                                       \
	TRACE_REMEDIES,                                                                                      \
		{ ENOENT, N_("this kernel has no tracepoints of the page cache: they came with 6.12") },     \
	{                                                                                                    \
		ENODATA, N_("this kernel has no BTF, has other structures of the page cache than Linux "     \
			    "6.12, or does not count the reads of tasks (CONFIG_TASK_XACCT)")                \
	}

/* Of added pages those are missed that reads have asked for; the others are ahead. */
struct cache_pages {
	uint64_t asked, missed, added, faults, dirtied;
};

struct cache_process {
	uint32_t pid;
	uint64_t start_ticks; /* 0: not known yet */
	struct cache_pages total, before,
		base;   /* in the last tick; base: of an older process with this pid */
	uint64_t ahead; /* added pages that none of its reads has asked for */
	uint64_t tick;  /* of its last growth */
};

struct cache_file {
	uint64_t device, inode; /* device: major << 32 | minor */
	uint32_t pid;           /* of the last process that asked for it */
	struct cache_pages total;
	uint64_t tick, grown; /* of its last growth; pages asked for in that tick */
	char *path;           /* owned; NULL: not found */
	uint64_t tried_tick;
	unsigned n_tries;
};

struct cache_list {
	struct env *env;
	const struct sample_request *request;
	struct trace_set trace;
	bool opened;
	bool counts; /* in this tick; false: nothing is counted here, for the reason that its trace has */
	uint64_t tick;
	struct cache_pages total;
	struct cache_pair {
		uint32_t pid;
		uint64_t device, inode, ahead, tick;
		uint64_t seen[BPF_CACHE_DIRTIED + 1], grown[BPF_CACHE_DIRTIED + 1];
	} * pairs;
	size_t n_pairs, pairs_capacity;
	struct hash by_pair;
	struct cache_process *processes;
	size_t n_processes, processes_capacity;
	struct hash by_pid;
	struct cache_file *files;
	size_t n_files, files_capacity;
	struct hash by_file;
};

extern const struct reader cache_reader;

/* NULL: it has asked for nothing. */
struct cache_process *cache_list_find(const struct cache_list *list, uint32_t pid);

/* Of the process that has its pid at present: what an older one asked for is left out. */
struct cache_pages cache_pages_of(struct cache_process *process, uint64_t start_ticks);

/* Looks for the paths of a few files that have none, among the open files of who asked for them. */
void cache_list_find_paths(struct cache_list *list);

#endif
