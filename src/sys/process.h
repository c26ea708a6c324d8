/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes and threads: starts, looks at, controls and ends them, and waits for none without a limit. */
#ifndef PANETOP_SYS_PROCESS_H
#define PANETOP_SYS_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/span.h"
#include "sys/machine.h"

uint64_t child_cpu_ns(pid_t child); /* 0: not known */

/* Does the kernel keep it waiting, for a disk or a file system? */
bool child_waits_for_disk(pid_t child);

/* Does it run, or wait for a CPU? Also of a thread, and of another process. */
bool child_runs(pid_t child);

/* What /proc has in the file of this name of a process, with a NUL, cut; its length, 0: it cannot be read. */
size_t process_read(pid_t pid, const char *name, char *text, size_t room);

/* Its name, or that of another process; empty: it has ended. */
void process_name(pid_t pid, char *name, size_t room);

/* Kills and reaps it. False: it has not ended yet, as the kernel keeps it waiting. */
bool child_end(pid_t child);
bool child_has_ended(pid_t child); /* and is reaped */

/* Starts a command with the signals and limits that it would get from a shell. */

/* All borrowed. */
struct spawn_plan {
	char *const *words;     /* the first one is found in PATH, if it has no slash; ends with NULL */
	char *const *variables; /* ends with NULL */
	size_t files;           /* its limit of open files; 0: ours */
	bool own_group;         /* it leads a process group */
	bool own_session;       /* … and a session without a terminal */
	bool ends_with_us;      /* it is killed when this process ends */
	uint64_t lends;         /* PRIVILEGE_BITs of what the program gets, see privilege_lend() */
	int in, out, err;       /* become its descriptors 0, 1 and 2; 0, 1 and 2: they are ours */
};

/* 0, or an errno: ENOENT where there is no such program. 0 too where its file does not answer. */
int spawn_command(const struct spawn_plan *plan, pid_t *pid);

/*
 * Runs the program at a path, as privilege_lend() with these uses, without variables and other files, and has
 * what it writes to standard output, at most room bytes: their number, and its status of wait(2). -EPERM: not
 * all that it needs can be lent; -ETIMEDOUT: it was killed, as it took so long; -EFBIG; or another -errno.
 */
ssize_t program_output(const char *const *words, uint64_t lends, uint64_t ns, char *bytes, size_t room,
		       int *status);

/* To a child that was not reaped, and to the group that it leads, which it may have left. */
void spawn_signal(pid_t pid, int number);

/* SIGKILL; reaps it. False: it does not end, such as in a call that the kernel holds: it is left behind. */
bool spawn_kill(pid_t pid, int *status);

/* How long panetop waits for threads and processes that should end: in all about a second at most. */

/* All zero begins with the first use. */
struct patience {
	uint64_t until_ns, pause_ns;
	const struct machine_clock *clock; /* NULL: the kernel's */
};

/*
 * Sleeps for a moment, at first a short one. False: it has lasted long enough; after that, others last less
 * for a while, so that many that hang take no longer than one.
 */
bool patience_lasts(struct patience *patience);

/*
 * Joins a thread that was asked to end; one that runs, or waits for a CPU, has five seconds of CPU time.
 * False: it hangs; it and all that it uses are left to the end of the process.
 */
bool patience_join(pthread_t thread);

/* Locks what a thread holds while it looks at something. False: it hangs there. */
bool patience_lock(pthread_mutex_t *lock);

/* What a thread shares with the one that waits for its results. All zero at its start. */
struct progress {
	atomic_bool ready;     /* they are there */
	atomic_bool cancelled; /* they are of no use any more */
	atomic_uint steps;     /* grows as long as it gets on */
	const struct machine_clock *clock; /* of who waits; NULL: the kernel's */
};

/* Of the thread, after every step. False: it was cancelled. */
bool progress_goes_on(struct progress *progress);

/* Waits until it is ready. False: it makes no progress, takes too long, or a signal may end the run. */
bool patience_await(struct progress *progress);

/* Holds a process by a descriptor, to learn how it ended without being its parent. */

/* The descriptor, which the caller closes, or -errno. The process is in our own pid namespace. */
int exit_watch_open(uint32_t pid);

/* It has ended, and may be a zombie still. */
bool exit_watch_ended(int fd);

/* Its parent has waited for it, so that its number is free: it is not a zombie any more. */
bool exit_watch_reaped(int fd);

/* Its status as of wait(2), once it has ended; false before, and before Linux 6.15. */
bool exit_watch_status(int fd, int *status);

/* Says to the service manager that started panetop how far it is: sd_notify(3). */

/* "READY=1", "STOPPING=1". Without a manager that asks for it (NOTIFY_SOCKET) it does nothing. */
void service_notify(const char *state);

/* On which CPUs a thread may run, and by which rules it gets them and the disk. */

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
