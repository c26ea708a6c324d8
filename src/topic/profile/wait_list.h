/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the threads of the selected process, or of those of the scope, were in, and how long. */
#ifndef PANETOP_TOPIC_PROFILE_WAIT_LIST_H
#define PANETOP_TOPIC_PROFILE_WAIT_LIST_H

#include "topic/profile/wait_ledger.h"
#include "topic/reader.h"

struct wait_row {
	uint32_t pid;
	uint64_t start_ticks;
	enum wait_cause cause; /* also running, and ready */
	const char *function;  /* of the kernel, or a system call; "": there is none */
	const char *command;   /* of the process */
	double seconds;        /* of all its threads, in the interval; NAN: switches of it are missing */
	uint64_t waits;        /* that began in it; blank where it does not wait, or unknown */
	const char *how;       /* N_(): as of topic "waiting" */
};

struct wait_list;
extern const struct reader wait_reader;

/* Before the processes are listed: those that are then seen were counted from their start. */
void wait_list_prepare(struct wait_list *list, const struct sample *sample);

/* Rows by process, cause and function, valid until the next tick; what they and the list have are of *now_ns,
 * 0: nothing is counted. */
const struct wait_row *wait_list_rows(const struct wait_list *list, size_t *n, uint64_t *now_ns);

/* Length of the interval. */
double wait_list_seconds(const struct wait_list *list);

/* How causes are known without BPF, and for which threads they are not. */
void wait_list_notices(const struct wait_list *list, struct frame *frame);

/* Does it count for one process, or for a scope? */
bool wait_list_is_wanted(const struct sample_request *request);

#endif
