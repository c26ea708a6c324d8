/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/status: the lines about memory, the user, signals, and others by name. */
#ifndef PANETOP_KERNEL_PID_STATUS_H
#define PANETOP_KERNEL_PID_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

/* Bytes; U64_UNKNOWN for a missing line, as of a kernel thread or an older kernel. */
struct pid_status {
	uint64_t vm_peak, vm_size, vm_locked, vm_pinned, vm_resident_peak, vm_resident;
	uint64_t resident_anonymous, resident_file, resident_shared;
	uint64_t vm_data, vm_stack, vm_program, vm_library, vm_page_tables, vm_swap;
	uint64_t huge_pages; /* HugetlbPages */
};

void pid_status_parse(struct span text, struct pid_status *status);

/* The UIDs in the text of /proc/PID/status; false when missing. */
bool pid_status_uids(struct span text, uint32_t *real, uint32_t *effective);

/* The value of the line with this name, without blanks before it; false when missing. */
bool pid_status_line(struct span text, const char *name, struct span *value);

/* Sets of signals: bit N - 1 for signal N. */
struct pid_signals {
	uint64_t thread_pending, pending; /* of the main thread, and of the process */
	uint64_t blocked, ignored, caught;
	uint64_t queued, queued_max; /* of all processes of the user, and its limit; U64_UNKNOWN */
};

/* False unless all sets are there. */
bool pid_status_signals(struct span text, struct pid_signals *signals);

#endif
