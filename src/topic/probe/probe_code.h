/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in a file a function begins, or the probes of its authors (USDT) are. */
#ifndef PANETOP_TOPIC_PROBE_PROBE_CODE_H
#define PANETOP_TOPIC_PROBE_PROBE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "sys/child.h"
#include "topic/probe/probe_name.h"

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
