/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions and probes in the code that a process has mapped, read by a thread. */
#ifndef PANETOP_TOPIC_PROBE_FUNCTION_H
#define PANETOP_TOPIC_PROBE_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buffer.h"
#include "sys/machine.h"
#include "sys/machine_thread.h"

#define LISTED_FUNCTIONS_MAX 20000

/* Texts are at these places in texts. */
struct listed_function {
	uint32_t name, provider; /* provider: of a probe (USDT); empty: it is a function */
	uint32_t file;           /* of files */
};

struct listed_functions {
	struct listed_function *list;
	size_t n, capacity;
	size_t n_left_out; /* beyond LISTED_FUNCTIONS_MAX */
	uint32_t *files;   /* paths */
	size_t n_files, files_capacity;
	struct buffer texts;
	int error;       /* -errno: the maps cannot be read */
	uint64_t mapped; /* a hash of the files: what it was read from */
};

/* All zero but the clock and threads is empty. */
struct function_list {
	const struct machine_clock *clock;     /* borrowed */
	const struct machine_threads *threads; /* the same */
	uint32_t pid;
	uint64_t start_ticks;
	struct listed_functions now;    /* complete once … */
	bool known;                     /* … */
	struct function_search *search; /* of the thread; NULL: none runs */
	uint64_t begun_ns, ended_ns;
	unsigned n_left; /* threads that hang */
};

/*
 * Brings it up to date for this process, from time to time, without waiting; whole: waits until it is known,
 * unless a file does not answer.
 */
void function_list_update(struct function_list *list, uint32_t pid, uint64_t start_ticks, bool whole);

void function_list_close(struct function_list *list);

#endif
