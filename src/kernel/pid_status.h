/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/status: the lines about memory, and the user. */
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

#endif
