/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --probe-call names, a file and a function in it; files whose code processes have mapped; and where in
 * a file a function begins, or the probes of its authors (USDT) are.
 */
#ifndef PANETOP_TOPIC_PROBE_PROBE_CODE_H
#define PANETOP_TOPIC_PROBE_PROBE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/buffer.h"
#include "core/span.h"
#include "kernel/pid/maps.h"
#include "sys/process.h"
#include "sys/profile_files.h"

/* Appends its /proc/PID/maps. 0 or -errno. */
int mapped_code_read_maps(uint32_t pid, struct buffer *maps);

/* The next region that has code of a file; false: there is none. */
bool mapped_code_next(struct span *maps, struct maps_region *region);

/* The file of a region, for profile_file_open(). */
struct profile_file mapped_code_file(uint32_t pid, const struct maps_region *region);

#define MAPPED_CODE_MAX ((size_t)512 << 20)

/*
 * Reads all of it in place of what the buffer has. 0 or -errno: -EFBIG, it has more bytes than most;
 * -ECANCELED.
 */
int mapped_code_read(const struct profile_file *file, struct buffer *bytes, size_t most,
		     struct progress *progress);

struct probe_name {
	struct span file;     /* a path, or … */
	bool is_path;         /* … the name of a file that processes have mapped */
	struct span provider; /* of a probe of the program's authors (USDT); empty: any */
	struct span function; /* or the name of such a probe */
};

/* "FILE:FUNCTION", "FILE:PROVIDER:PROBE". False: a part is missing. */
bool probe_name_parse(struct probe_name *name, struct span text);

/* How well a name without a slash names the file with this path; "libfoo" stands for libfoo.so.1. */
enum probe_file_match { PROBE_FILE_OTHER, PROBE_FILE_BEGINS, PROBE_FILE_IS };
enum probe_file_match probe_name_matches(const struct probe_name *name, struct span path);

#define PROBE_PLACES_MAX 64
#define PROBE_NEAR_MAX 128

enum probe_fault {
	PROBE_FAULT_NONE,
	PROBE_FAULT_NO_ELF,    /* it is not a program or library of a supported machine */
	PROBE_FAULT_NOTHING,   /* it has neither a function nor a probe of this name … */
	PROBE_FAULT_NO_NAMES,  /* … nor any other: they were stripped */
	PROBE_FAULT_ELSEWHERE, /* it only calls a function of this name */
	PROBE_FAULT_CHOOSER,   /* STT_GNU_IFUNC: it returns which function is called by this name */
	PROBE_FAULT_DATA,
	PROBE_FAULT_NOT_CODE, /* the function is not in the file */
	PROBE_FAULT_PLACES,   /* more than PROBE_PLACES_MAX */
};

struct probe_code {
	enum probe_fault fault;
	char near[PROBE_NEAR_MAX]; /* of NOTHING: a name that is like it; empty: none */
	bool is_function;          /* it returns, and has a time */
	struct probe_place {
		uint64_t offset, semaphore_offset;
		bool is_nop; /* of 5 bytes, where newer kernels need no trap */
	} places[PROBE_PLACES_MAX];
	unsigned n_places;
};

/*
 * bytes: all of the file. Functions come before probes of the same name. Where it is cancelled, what it has
 * found means nothing.
 */
void probe_code_find(struct probe_code *code, struct span bytes, const struct probe_name *name,
		     struct progress *progress);

#endif
