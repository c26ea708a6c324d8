/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of a process from tick to tick; finding processes; and what users do to them. */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_ENTRY_H
#define PANETOP_TOPIC_PROCESS_PROCESS_ENTRY_H

#include "core/arena.h"
#include "kernel/pid/pid_stat.h"
#include "sys/env.h"

#define PROCESS_NAME_MAX 64
#define PROCESS_NAME_USUAL 16 /* only workers of the kernel have longer names */
#define PROCESS_NOT_A_SUM "%s (process name)" /* for a process whose name is that of a row of sums */

/* The kernel adds to a process what its children read and wrote, once it has waited for them. */
struct process_io {
	uint64_t read_bytes, write_bytes; /* without what children were seen to read and write themselves */
	struct pid_io seen;               /* as the kernel counts; of the last read */
	struct pid_io known;              /* of children that exited: they are part of the next growth */
	bool begun;                       /* it was read before */
	uint64_t tick;                    /* of the last attempt to read it */
	int error;                        /* -errno of that; 0: the numbers are known */
	int file;                         /* see pids_read_kept() */
};

struct process_wait {
	uint64_t counted_ns, runs; /* of all its threads, with those that exited since the first read */
	uint64_t wait_ns;          /* of these as much as there was time for, at mono_ns */
	uint64_t mono_ns;          /* 0: not read yet */
	struct thread_wait {
		uint32_t tid;
		int file; /* see pids_read_kept() */
		struct pid_schedstat seen;
	} *threads; /* by tid; owned */
	size_t n_threads, capacity;
	uint64_t tick; /* of the last attempt to read them */
	bool complete; /* all threads could be read, so that the sums are known */
};

/* What is kept of its stat file; see process_living_thread(). */
struct process_stat {
	uint64_t minor_faults, major_faults; /* since its start, as all times */
	uint64_t children_minor_faults; /* of children that were waited for */
	uint64_t user_ticks, system_ticks;
	uint64_t children_ticks; /* user and system, of children that were waited for */
	uint64_t resident_pages; /* U64_UNKNOWN */
	uint32_t parent_pid, threads;
	uint32_t processor; /* UINT32_MAX: unknown */
	int32_t session, terminal, priority, nice; /* as in struct pid_stat */
	char state; /* 0: its main thread has ended, and which other threads live is not known */
	bool kernel_thread;
};

/* Smallest last: there are thousands of them. */
struct process {
	uint64_t start_ticks;      /* since boot, in USER_HZ */
	uint64_t cpu_ns;           /* of all its threads, since its start */
	uint64_t system_ns;        /* part of cpu_ns, estimated from the ticks of its stat file */
	uint64_t used_ns;          /* growth of cpu_ns since the previous tick; U64_UNKNOWN: not seen then */
	struct process_stat stat;  /* as last read */
	uint64_t virtual_pages, shared_pages; /* read along with it; U64_UNKNOWN */
	uint64_t mark;             /* bpf_walked.mark when it was read; 0: unknown */
	uint64_t read_ns;          /* when it was read: mono_ns of that update */
	char *command;             /* arguments joined by spaces, truncated when very long; NULL: unknown */
	char *group;               /* path of its control group; NULL: not wanted, or unknown */
	uint64_t command_tick;     /* of the last request for command; 0: never */
	uint64_t ran_tick;         /* the last one with ran */
	struct process_io *io;     /* owned; NULL: not requested yet */
	struct process_wait *wait; /* owned; NULL: not requested yet */
	uint64_t proportional_bytes; /* as last read, see process_io.h; U64_UNKNOWN */
	double system_share;       /* of the CPU time, when it last used any */
	uint64_t dead_ns;          /* CPU time of threads that exited since the first sample, in its clock */
	uint64_t dead_bytes;       /* what these read from disks and wrote to them */
	uint64_t lived_ns, peak_kib; /* of the exit record of its main thread; 0: unknown */
	struct process_size {      /* resident bytes at a time, to tell growth from noise */
		uint64_t bytes, mono_ns;
	} older, newer;            /* ns 0: not known yet */
	uint64_t children_ns;      /* CPU time of children that it waited for, as counted so far */
	uint64_t known_children_ns; /* will be part of children_ns, but was counted while they were alive */
	uint32_t pid, uid;         /* uid: effective; UINT32_MAX: unknown */
	uint32_t living_tid;       /* 0, unless the main thread has ended before this one */
	uint32_t program_length;   /* of the first argument in command */
	uint32_t group_tick;       /* low bits of the tick when group was read last … */
	uint32_t outside_tick;     /* … and of the last one in which it was in the root of the groups */
	uint32_t looked_tick;      /* of the last look for threads that are stuck */
	int stat_file, statm_file; /* see pids_read_kept() */
	const char *name;          /* usual_name, or owned */
	char usual_name[PROCESS_NAME_USUAL];
	bool stale;                /* stat is from an earlier tick: the last read failed */
	bool ran;                  /* since the previous tick, or it is new */
	bool clock_valid;          /* cpu_ns is from this tick, and all its growth was used in it */
	bool shown;                /* it has a row also while it sleeps: its command line comes first */
	bool outside;              /* of the scope of this run */
	bool exit_code_known;      /* an exit record has its code, which may be 0 */
	bool found_ended;          /* it was a zombie when a list had it first, but for the first list */
	bool end_counted;          /* its exit was counted, as a zombie at first */
	uint32_t exit_code;        /* of an exit record, as in wait(2): the first other than 0 */
};

/* Does --pid select it? See process_pattern_matches(). */
bool process_matches(const struct process *process, struct span list);

/* list is sorted by pid. NULL: it has no such process. */
struct process *process_in_list(struct process *const *list, size_t n_list, uint32_t pid);

/* In a pool of struct process; process_free() gives it back there. */
struct process *process_new(struct pool *pool, uint32_t pid);
void process_free(struct pool *pool, struct process *process);
void process_set_name(struct process *process, struct span name); /* of fewer bytes than PROCESS_NAME_MAX */
void process_set_stat(struct process *process, const struct pid_stat *stat);

/*
 * Growth of its resident memory in bytes per second, over the last 10 to 20 s or since it was first asked
 * for: over an interval of a second growth in steps would come and go. NaN in the first 3 s.
 */
double process_growth(struct process *process, uint64_t bytes, uint64_t now_ns);

/* Closes them, unless they are closed. */
void process_release_files(struct env *env, struct process *process);

#define PROCESS_FILE_MAX 48

/* Where in its directory the file with this name shows its memory; name, or in path. */
const char *process_memory_file(const struct process *process, const char *name, char path[PROCESS_FILE_MAX]);

static inline bool process_is_kernel_thread(const struct process *process)
{
	return process->stat.kernel_thread;
}

#define PROCESS_STAT_MAX 1024

/* Seconds after boot: the column start_seconds. */
double process_start_seconds(const struct env *env, uint64_t start_ticks);
uint64_t process_start_ticks(const struct env *env, double start_seconds);

/*
 * Reads the stat file of the process with this pid and start time, without comm. 0, -ESRCH when it has
 * exited, even if the pid is in use, or -errno.
 */
int process_find(struct env *env, uint32_t pid, double start_seconds, struct pid_stat *stat);

/* Reads its stat file into bytes[PROCESS_STAT_MAX], and parses it. False when it has exited. */
bool process_read_stat(struct env *env, uint32_t pid, char *bytes, struct pid_stat *stat);

/*
 * Of a process whose main thread has ended before the others: the first thread that lives, whose state, CPU,
 * priority and memory replace those of stat. 0, and stat unchanged: the main thread lives, or none was found.
 */
uint32_t process_living_thread(struct env *env, uint32_t pid, struct pid_stat *stat);

/* The first argument of its command line, in bytes. */
struct span process_program(struct env *env, uint32_t pid, char *bytes, size_t room);

/* Does this process group have a process? */
bool process_any_in_group(struct env *env, uint64_t group);

/*
 * action is "signal NUMBER", "nice STEP", "affinity CPUS", "policy NAME PRIORITY" or "io CLASS LEVEL", each
 * with " PID START", where START is its start_seconds. All but nice change every thread. See struct topic.
 * -ESRCH when that process has exited, even if the pid is in use; -EXDEV when it is outside of our pid
 * namespace, or, for all but signals, when proc is of another namespace.
 */
int process_act(struct env *env, const char *action, void (*done)(void *context, int error), void *context);

#endif
