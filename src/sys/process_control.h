/* SPDX-License-Identifier: GPL-2.0-or-later */
/* On which CPUs a thread may run, and by which rules it gets them and the disk. */
#ifndef PANETOP_SYS_PROCESS_CONTROL_H
#define PANETOP_SYS_PROCESS_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

#define CONTROL_CPUS_MAX 8192
#define CONTROL_LIST_MAX 256 /* bytes of a list of CPUs that is shown */

struct control_cpus {
	unsigned long bits[CONTROL_CPUS_MAX / (8 * sizeof(unsigned long))];
};

/* "0-3,8", at least one; false: it is not such a list. */
bool control_cpus_parse(struct span list, struct control_cpus *cpus);

/* As the list; a longer one is cut behind a comma. */
void control_cpus_text(const struct control_cpus *cpus, char text[CONTROL_LIST_MAX]);

/* These take a pid, which is that of the first thread, or a tid. 0 or -errno. */
int control_get_cpus(uint32_t tid, struct control_cpus *cpus);
int control_set_cpus(uint32_t tid, const struct control_cpus *cpus);

struct control_policy {
	int policy;        /* SCHED_OTHER … */
	unsigned priority; /* of fifo and rr: 1 to 99; else 0 */
};

const char *control_policy_name(int policy); /* "fifo"; "?" if unknown */
bool control_policy_find(struct span name, int *policy);
int control_get_policy(uint32_t tid, struct control_policy *policy);
int control_set_policy(uint32_t tid, const struct control_policy *policy);

/* Classes of I/O priority, in the kernel's order. */
enum control_io_class { CONTROL_IO_NONE, CONTROL_IO_REAL_TIME, CONTROL_IO_BEST_EFFORT, CONTROL_IO_IDLE };
#define CONTROL_IO_LEVELS 8

struct control_io {
	unsigned class, level; /* level: 0 is the highest; of real time and best effort */
};

int control_get_io(uint32_t tid, struct control_io *io);
int control_set_io(uint32_t tid, const struct control_io *io);

/* Translations of pages that a CPU keeps (TLB): use of a page through one sets no bit in the page table. */

/*
 * Has the CPUs on which this thread may run drop the translations of other processes; only on x86. For some
 * milliseconds there are copies of this process, which visit each CPU. 0 or -errno, and the CPU time
 * that it took beside that of this thread. Blocks as long as a real-time program keeps a CPU to itself.
 */
int tlb_drop(uint64_t *cpu_ns);

#endif
