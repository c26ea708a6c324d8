/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine as samplers see it: its root directory, its clocks, its sizes, and its kept-open files. */
#ifndef PANETOP_SYS_ENV_H
#define PANETOP_SYS_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "core/span.h"

#define ENV_COSTS_MAX 64
#define ENV_NEVER UINT64_MAX /* no tick has this number */
#define ENV_FAILURES_MAX 8
#define ENV_SHARED_MAX 16
#define ENV_FAILED_PATH_MAX 256

struct worker;

/* What one sampler costs. */
struct env_cost {
	const char *name;
	bool active;     /* it is being sampled */
	uint64_t cpu_ns; /* CPU time of the last sample */
	uint64_t reads;  /* reads of kernel files since start */
	uint64_t lost;   /* samples that failed since start */
};

/* How far the giving out of pids has come. */
struct env_pids_mark {
	uint64_t forks, last_pid; /* since boot, threads included; of these the last */
};

/* The pids that proc lists; see core/pids.h. */
struct env_pids {
	int fd;        /* of proc, -1 until it is opened */
	uint64_t tick; /* when it was read; ENV_NEVER */
	int error;     /* -errno of that */
	uint32_t *pids;
	size_t count, capacity;
	bool sorted;             /* as listed */
	long offset;             /* of a process in the directory, less its pid; -1: not known */
	unsigned n_parts;        /* listings of parts since the last whole one */
	struct env_pids_mark marks[2]; /* of the tick before, and of the one before that */
	size_t n_kept, kept_max; /* files of processes, and attributes, that stay open, and how many may */
};

/* The descriptors of perf_open() for counters, of all topics together. */
struct env_counters {
	size_t n_open, max;
};

struct env_file;

/* State that several samplers share. */
struct env_shared {
	const void *key;
	void *state;
	void (*close)(void *state);
	unsigned users;
};

struct env {
	int root_fd;               /* owned; "/" or the directory of --root */
	bool live;                 /* root is "/": actions on the machine make sense */
	bool in_snap;              /* panetop runs as a snap, which the machine keeps things from */
	uint32_t own_pid;          /* of panetop in the root's proc; 0: it is not in it */
	bool foreign_pids;         /* live, but proc is of another pid namespace: see env_error_text() */
	size_t files_before;       /* RLIMIT_NOFILE before it was raised; 0: not known */
	uint64_t page_bytes;
	uint64_t ticks_per_second; /* USER_HZ of /proc/stat and /proc/PID/stat */
	uint64_t tick;             /* number of the present frame: a file is read once per tick */
	uint64_t reads;            /* reads of kernel files since start */
	struct env_failure {       /* the reads that failed, until env_forget_failures() */
		char path[ENV_FAILED_PATH_MAX];
		int error;         /* -errno */
	} failures[ENV_FAILURES_MAX];
	unsigned n_failures;
	bool finished;             /* a sampler has measured all that it was asked to */
	struct worker *worker;     /* borrowed; NULL: what may block runs at once */
	struct env_cost costs[ENV_COSTS_MAX];
	unsigned n_costs;
	struct env_file **files;
	size_t n_files;
	struct env_pids pids, threads; /* threads: of the process that was asked for last */
	struct env_counters counters;
	struct env_shared shared[ENV_SHARED_MAX];
	unsigned n_shared;
};

/* root is a directory that holds proc and sys. 0 or -errno; env_close() gives all back. */
int env_open(struct env *env, const char *root);
void env_close(struct env *env);

uint64_t env_mono_ns(void); /* CLOCK_MONOTONIC */
uint64_t env_wall_ns(void); /* CLOCK_REALTIME */
uint64_t env_boot_ns(void); /* CLOCK_BOOTTIME */

struct timespec env_timespec(uint64_t ns);

unsigned env_cpus(void); /* that this machine has, at least 1 */

/*
 * CPU time that a process has used since its start, all its threads and those that ended included, to the
 * nanosecond; any user may ask for any process. False when there is none with this pid in our namespace.
 */
bool env_process_cpu_ns(uint32_t pid, uint64_t *ns);

/* Are the pids below the root's proc those that env_process_cpu_ns() takes? */
bool env_has_process_clocks(const struct env *env);

/* The machine's name: another root has one of its own, if it says so. */
void env_host(struct env *env, char *host, size_t room);

uint32_t env_self_pid(void); /* for system calls; files have env->own_pid */

/*
 * strerror(3), and EXDEV is this: foreign_pids. Pids that proc tells then are not those of system calls and
 * of what the kernel tells by them, where the same number is another process.
 */
const char *env_error_text(int error);

/* CPU time of this process so far, and its resident memory now (0 where that cannot be read). */
uint64_t env_self_cpu_ns(void);
uint64_t env_self_resident_bytes(const struct env *env);

/*
 * The state with this key: made by open when there is none yet, given back when env_unshare() was called as
 * often as this. open must not fail.
 */
void *env_share(struct env *env, const void *key, void *(*open)(struct env *env), void (*close)(void *state));
void env_unshare(struct env *env, const void *key);

/* The state with this key if somebody shares it at the moment, else NULL. */
void *env_shared_state(const struct env *env, const void *key);

/* As env_share(), but it stays until env_close(), however often it is asked for. */
void *env_kept(struct env *env, const void *key, void *(*open)(struct env *env), void (*close)(void *state));

bool env_exists(const struct env *env, const char *path);

/*
 * Opens path for reading: the descriptor, which the caller closes, or -errno. On the live machine it may
 * be a file of proc or sys that only root may read.
 */
int env_open_file(const struct env *env, const char *path);

/* openat(2): that the files of a tree were read shall not show in them, as far as they are the user's own. */
int env_open_unmarked(int root_fd, const char *path, int flags);

/*
 * The file at path ("proc/meminfo", relative to the root), shared by all who ask for the same path and
 * kept open between reads. Never NULL; it need not exist. path is copied.
 */
struct env_file *env_file(struct env *env, const char *path);

/*
 * Its text as read in this tick, the same for every caller; valid until the next tick. 0 or -errno, and
 * then it is noted as a failure. A file that was not there is looked for again every tick.
 */
int env_read(struct env *env, struct env_file *file, struct span *text);

/*
 * Which file failed with this -errno first, valid until env_forget_failures(); NULL when none did. The paths
 * are copied.
 */
const char *env_failed_path(const struct env *env, int error);
void env_note_failure(struct env *env, const char *path, int error);
void env_forget_failures(struct env *env);

#endif
