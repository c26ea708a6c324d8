/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that were opened, as programs of bpf_open_record send them: a ring for each CPU. */
#ifndef PANETOP_TOPIC_CALL_OPENED_RINGS_H
#define PANETOP_TOPIC_CALL_OPENED_RINGS_H

#include "core/span.h"
#include "sys/perf_ring.h"
#include "topic/trace/trace.h"

struct opened_file {
	uint64_t time_ns; /* CLOCK_MONOTONIC of the kernel */
	uint32_t pid, tid;
	int32_t result;            /* a descriptor, or a negative error */
	struct span command, path; /* path: empty: it could not be read */
	bool is_unread;
};

/* What a sample of a ring holds; false: it is malformed. */
bool opened_file_parse(struct span raw, struct opened_file *file);

/* All zero: none is open. */
struct opened_rings {
	struct opened_ring {
		int event;
		struct perf_ring ring;
	} * rings;
	size_t n, capacity, bytes; /* bytes: of each ring */
	char *room;                /* for what all rings hold */
	char *online;              /* the CPUs that they are of */
	struct opened_file *files; /* in the order of time, until the next call */
	size_t n_files, files_capacity;
	uint64_t malformed;
};

/* Reads what came since the last call, in files. The first call opens them. 0 or -errno. */
int opened_rings_read(struct opened_rings *rings, struct trace_set *set);
void opened_rings_close(struct opened_rings *rings);

#endif
