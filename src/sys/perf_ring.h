/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf events, which the C library has no function for: groups of counters, and the record ring of a CPU. */
#ifndef PANETOP_SYS_PERF_RING_H
#define PANETOP_SYS_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buffer.h"
#include "core/span.h"
#include "sys/env.h"

/* The read_format that perf_read_parse() reads. */
#define PERF_READ_FORMAT \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/*
 * Opens an event of all tasks on this CPU (tid -1), or of this thread wherever it runs (cpu -1): the
 * descriptor, or -errno; -ESRCH when the thread has exited. leader is the descriptor of the group leader, -1
 * for the leader itself. Open the leader disabled and start the group when it is complete: on Linux 6.18 an
 * event of another kind (a tracepoint, task-clock) that joins a running group stays at 0.
 */
int perf_open(const struct machine_perf *perf, const struct perf_event_attr *attr, int tid, int cpu,
	      int leader);

/*
 * Does this kernel refuse all events to CAP_PERFMON? Debian's and Ubuntu's need CAP_SYS_ADMIN while
 * perf_event_paranoid is above 2. env must be live, and there must be no second thread.
 */
bool perf_takes_admin(struct env *env);

int perf_start(const struct machine_perf *perf, int leader); /* 0 or -errno */

/* Reads the whole group of this leader: the length, or -errno. -ENOSPC when room is too small. */
long perf_read(int leader, void *bytes, size_t room);

struct perf_ring {
	void *mapping; /* NULL: none; the first page is the kernel's header */
	size_t bytes;  /* of the data, a power of two */
};

/*
 * Maps the ring of this event; bytes is rounded down to a power of two. 0 or -errno: -EPERM when locked
 * memory is limited to less.
 */
int perf_ring_open(struct perf_ring *ring, int event, size_t bytes);
void perf_ring_close(struct perf_ring *ring);

/* Lets another event of the same CPU write into the ring of this one. 0 or -errno. */
int perf_ring_join(const struct machine_perf *perf, int event, int owner);

/* Moves the complete records that the ring holds into room, which has ring->bytes bytes. */
struct span perf_ring_take(struct perf_ring *ring, char *room);

/* The same, behind what the buffer has: how many bytes. */
size_t perf_ring_add(struct perf_ring *ring, struct buffer *out);

/* The read_format of perf_ring_state(); Linux 6.0 and later add PERF_FORMAT_LOST. */
#define PERF_RING_FORMAT PERF_FORMAT_TOTAL_TIME_ENABLED

struct perf_ring_state {
	uint64_t enabled_ns; /* stops for good when the CPU goes offline, even if it comes back */
	uint64_t lost;       /* records, since the event was opened; U64_UNKNOWN before Linux 6.0 */
};

/* Both are U64_UNKNOWN if the event cannot be read. */
struct perf_ring_state perf_ring_state(int event);

/* Uprobes: programs of bpf/ that run when a process comes to a place in a file that it has mapped. */

/* How this kernel wants them: sys/bus/event_source/devices/uprobe. */
struct uprobe_form {
	uint32_t type;
	uint64_t at_return; /* the bit in config */
	bool semaphores;    /* it counts them up: since Linux 4.20 */
};

struct uprobe_place {
	int file;                  /* open for reading */
	uint64_t offset;           /* in the file, of an instruction */
	uint64_t semaphore_offset; /* 0: none */
	bool at_return;            /* from the function that begins there: where it returns to */
};

/* 0 or -errno; -ENOENT: this kernel has none. */
int uprobe_form_read(struct env *env, struct uprobe_form *form);

/*
 * Runs the program in this process, in all its threads, from now on until the descriptor is closed, also when
 * it maps the file only later. A descriptor or -errno. Both take milliseconds, on a busy machine up to a
 * second; -EINVAL: the kernel has no probe there, such as in the middle of an instruction.
 */
int uprobe_open(const struct machine_perf *perf, const struct uprobe_form *form,
		const struct uprobe_place *place, uint32_t process, int program);

/* tracefs, also where it is not mounted. */

/*
 * Its directory, owned by the caller: path, relative to the root, else on the live machine a detached mount,
 * which needs root and Linux 5.2. -EACCES: not readable; -ENOENT: not mounted; or -errno.
 */
int tracefs_open(const struct env *env, const char *path);

/* Reads a file below it, such as "events/sched/sched_process_exec/id": the length, at most room, or -errno.
 */
long tracefs_read(int tracefs, const char *path, char *bytes, size_t room);

#endif
