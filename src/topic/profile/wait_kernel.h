/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the threads of chosen processes wait for, as programs in the kernel count it. */
#ifndef PANETOP_TOPIC_PROFILE_WAIT_KERNEL_H
#define PANETOP_TOPIC_PROFILE_WAIT_KERNEL_H

#include "topic/process/process_list.h"
#include "topic/profile/kernel_functions.h"
#include "topic/profile/wait_ledger.h"
#include "topic/profile/wait_scope.h"
#include "topic/topic.h"
#include "topic/trace/trace.h"

struct wait_kernel {
	struct trace_set trace;
	struct kernel_functions functions;
	struct wait_scope scope;
};

/* Of one process, or of those that the scope has; trace.error says why it does not count. */
void wait_kernel_open(struct wait_kernel *kernel, const struct sample *sample, uint32_t process);
void wait_kernel_close(struct wait_kernel *kernel); /* keeps names of functions for the next one */
void wait_kernel_free(struct wait_kernel *kernel);

/*
 * Looks at the processes of the scope from now on, counts, and names what it can, all between begin and end
 * of a tick of the ledger. The moment that the sums are of; 0: nothing is counted.
 */
uint64_t wait_kernel_update(struct wait_kernel *kernel, const struct sample *sample,
			    const struct process_list *processes, struct wait_ledger *ledger);

#endif
