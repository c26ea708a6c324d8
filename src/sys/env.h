/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine as samplers see it: its root directory, its clocks, its sizes, and its kept-open files. */
#ifndef PANETOP_SYS_ENV_H
#define PANETOP_SYS_ENV_H

#include <linux/perf_event.h>
#include <pwd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/statvfs.h>
#include <time.h>

#include "core/span.h"
#include "sys/machine.h"
#include "sys/machine_thread.h"

/*
 * Files of proc and sys for which more than the kernel answers: lxcfs gives containers a /proc/meminfo of
 * their own, drivers of graphics cards ask these. Who reads such a file may wait for ever, so a helper does.
 */

#define SERVED_BY_DRIVER UINT64_MAX /* only its bytes are slow: the kernel knows what there is */

/* Places below proc, sys and etc of a root where something is mounted. All zero: no server. */
struct served {
	struct served_place {
		char *path; /* relative to the root; "" is the root itself */
		bool by_server;
		uint64_t device; /* as in mountinfo: its mounts hang together; or SERVED_BY_DRIVER */
	} *places;
	size_t n_places, capacity;
};

void served_add(struct served *served, const char *path, bool by_server, uint64_t device);
void served_free(struct served *served);

/* Is path place, or below it? */
bool served_is_in(const char *path, const char *place);

bool served_has(const struct served *served, const char *path);
bool served_by_server(const struct served *served, const char *path); /* not by a driver */

/*
 * The bytes of a file, or with names the names in a directory, each with a NUL: a descriptor, or -errno.
 * -ETIMEDOUT and -EBUSY: its server does not answer.
 */
int served_open(const struct served *served, const struct root *root, const char *path, bool names);

/* The same of any file: where one of this thing hangs, others are not read. */
int served_open_thing(const struct root *root, const char *path, bool names, uint64_t thing);

/* Perf events of a machine: the kernel's in the program, a script's in a test. */

/* Events are descriptors, which are read, mapped and closed as those of files; see perf_ring.h. */
struct machine_perf {
	/* perf_event_open(2): the descriptor, or -errno */
	int (*open)(const struct machine_perf *perf, const struct perf_event_attr *attr, int tid, int cpu,
		    int leader);

	/* A request of ioctl(2) for an event, with a number, a descriptor or an address. 0 or -errno. */
	int (*control)(const struct machine_perf *perf, int event, unsigned long request,
		       unsigned long argument);
};

extern const struct machine_perf real_perf;

/* Calls that may hang, or change files: those of the C library in the program, a script's in a test. */

/* For helpers, too: what they use is in memory that is shared with them. */
struct machine_calls {
	/* Id in mountinfo of the mount to which a path leads; UINT64_MAX: unknown, as before Linux 5.8. */
	uint64_t (*mount_at)(const char *path);
	int (*space)(const char *path, struct statvfs *space); /* as statvfs(3) */
	/* As the functions of their names. */
	void (*sync)(void);
	int (*getpwnam_r)(const char *name, struct passwd *entry, char *bytes, size_t room,
			  struct passwd **found);
	int (*mkdirat)(int directory, const char *path, mode_t mode);
	int (*unlinkat)(int directory, const char *path, int flags);
	ssize_t (*write)(int fd, const void *bytes, size_t length);
	ssize_t (*program_output)(const char *const *words, uint64_t lends, uint64_t ns, char *bytes,
				  size_t room, int *status); /* see sys/process.h */
};

extern const struct machine_calls real_calls;

#define ENV_NEVER UINT64_MAX /* not a tick */
#define ENV_FAILURES_MAX 8
#define ENV_FAILED_PATH_MAX 256

struct worker;
struct trace_counting;
struct exit_source;
struct event_sources_of;
struct bpf_calls;

/* The cost of a sampler. */
struct env_cost {
	const char *name;
	bool active;     /* it is being sampled */
	uint64_t cpu_ns; /* CPU time of the last sample */
	uint64_t reads;  /* reads of kernel files since start */
	uint64_t lost;   /* samples that failed since start */
};

/* How far the kernel has allocated pids. */
struct env_pids_mark {
	uint64_t forks, last_pid; /* since boot, including threads; and the pid of the last fork */
};

/* The pids that /proc lists; see sys/pids.h. */
struct env_pids {
	int fd;        /* of /proc; -1: not opened */
	uint64_t tick; /* when it was read; ENV_NEVER */
	int error;     /* -errno of that */
	uint32_t *pids;
	size_t count, capacity;
	bool sorted;             /* as listed */
	long offset;             /* of a process in the directory, minus its pid; -1: unknown */
	unsigned n_parts;        /* partial listings since the last full one */
	bool exits_known;        /* the user of the list finds out itself which have exited */
	struct env_pids_mark marks[2]; /* of the last tick, and of the one before */
	size_t n_kept, kept_max; /* files of processes, and attributes, that stay open, and their limit */
};

/* The descriptors of perf_open() for counters, in all topics. */
struct env_counters {
	size_t n_open, max;
};

struct env_file;

struct env_state;

struct env {
	struct root root;          /* "/" or the directory of --root */
	struct served served;      /* files that the kernel does not answer for */
	const struct machine_clock *clock; /* borrowed; env_open() takes the kernel's */
	const struct machine_threads *own_threads; /* borrowed; env_open() takes real ones */
	const struct machine_perf *perf; /* borrowed; env_open() takes the kernel's */
	const struct machine_calls *calls; /* likewise */
	const struct trace_counting *counting; /* borrowed; NULL: the kernel */
	const struct exit_source *exits; /* borrowed; NULL: the kernel; see topic/process/exit_reader.h */
	const struct event_sources_of *events; /* likewise; see topic/event/event_source.h */
	const struct bpf_calls *bpf; /* likewise; see sys/bpf/syscall.h */
	bool live;                 /* root is "/": actions on the machine are possible */
	bool in_snap;              /* panetop runs as a confined snap */
	bool no_libraries;         /* those of drivers are not loaded: libsensors and NVML */
	uint32_t own_pid;          /* of panetop in the /proc of root; 0: it is not there */
	bool foreign_pids;         /* live, but /proc is of another pid namespace: see env_error_text() */
	size_t files_before;       /* RLIMIT_NOFILE before it was raised; 0: not known */
	uint64_t page_bytes;
	uint64_t ticks_per_second; /* USER_HZ of /proc/stat and /proc/PID/stat */
	uint64_t tick;             /* number of the current frame: a file is read once per tick */
	uint64_t reads;            /* reads of kernel files since start */
	struct env_failure {       /* failed reads, until env_forget_failures() */
		char path[ENV_FAILED_PATH_MAX];
		int error;         /* -errno */
	} failures[ENV_FAILURES_MAX];
	unsigned n_failures;
	bool finished;             /* a sampler has completed what was requested */
	bool cut;                  /* a signal broke off the sample of this tick */
	struct worker *worker;     /* borrowed; NULL: jobs run synchronously */
	const struct env_cost *costs; /* kept by the live source, one for each topic */
	unsigned n_costs;
	struct env_file **files;
	size_t n_files;
	struct env_pids pids, threads; /* threads: of the last process of pids_threads() */
	struct env_counters counters;
	struct env_state **states; /* see env_state_add() */
	size_t n_states, states_capacity;
};

/* root is a directory with proc and sys. 0 or -errno; env_close() releases everything. */
int env_open(struct env *env, const char *root);
void env_close(struct env *env);

static inline uint64_t env_mono_ns(const struct env *env)
{
	return clock_mono_ns(env->clock);
}

static inline uint64_t env_wall_ns(const struct env *env)
{
	return clock_wall_ns(env->clock);
}

static inline uint64_t env_boot_ns(const struct env *env)
{
	return clock_boot_ns(env->clock);
}

static inline uint64_t env_self_cpu_ns(const struct env *env)
{
	return clock_self_cpu_ns(env->clock);
}

static inline bool env_process_cpu_ns(const struct env *env, uint32_t pid, uint64_t *ns)
{
	return clock_process_cpu_ns(env->clock, pid, ns);
}

unsigned env_cpus(void); /* configured on this machine, at least 1 */

/* Does env_process_cpu_ns() accept the pids in the /proc of root? */
bool env_has_process_clocks(const struct env *env);

/* The host name: from the files of another root, if they have it. */
void env_host(struct env *env, char *host, size_t room);

uint32_t env_self_pid(void); /* for system calls; files have env->own_pid */

/*
 * strerror(3), and a text for EXDEV, which stands for foreign_pids: pids in /proc then are not those of
 * system calls and kernel events, where the same number is another process.
 */
const char *env_error_text(int error);

/* Resident memory of this process now; 0: unknown. */
uint64_t env_self_resident_bytes(const struct env *env);

/*
 * State that outlives its makers: size zeroed bytes with this key, which has none yet. They are freed after
 * close (may be NULL), by env_state_remove() or by env_close(), which removes the newest first.
 */
void *env_state_add(struct env *env, const void *key, size_t size, void (*close)(void *state));
void env_state_remove(struct env *env, const void *key);

/* NULL: there is none with this key. */
void *env_state(const struct env *env, const void *key);

bool env_exists(const struct env *env, const char *path);

/*
 * Opens path for reading: the descriptor, which the caller closes, or -errno. On the live machine, also files
 * of /proc and /sys that only root may read, as far as privileges allow.
 */
int env_open_file(const struct env *env, const char *path);

/*
 * The file at path ("proc/meminfo", relative to the root), shared by all callers and kept open between reads.
 * Never NULL, also when it does not exist. Copies path.
 */
struct env_file *env_file(struct env *env, const char *path);

/*
 * The same for a file whose changes the kernel announces to poll(2), such as proc/self/mountinfo: on the live
 * machine it is read again after a change only.
 */
struct env_file *env_file_announced(struct env *env, const char *path);

/*
 * Its text as read in this tick, the same for all callers; valid until the next tick. 0 or -errno, which is
 * noted as a failure. Tries to open a missing file again in each tick.
 */
int env_read(struct env *env, struct env_file *file, struct span *text);

/* The first file that failed with this -errno, valid until env_forget_failures(), or NULL. Copies paths. */
const char *env_failed_path(const struct env *env, int error);

/* The first one that failed for want of descriptors or memory, and that -errno, or NULL. */
const char *env_lacking_path(const struct env *env, int *error);
void env_note_failure(struct env *env, const char *path, int error);
void env_forget_failures(struct env *env);

/* Paths of control groups of version 2 by the numbers that programs in the kernel have for them. */

/*
 * The path of the group with this number below mount, a descriptor of the directory where they are mounted;
 * "/": the top. False: it is gone, or the kernel is older than Linux 5.5, or a right is missing.
 */
bool cgroup_path_by_number(int mount, uint64_t number, char *path, size_t room);

#endif
