/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "cache_group": what the groups of resctrl get and use of caches and of memory bandwidth. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "sys/descriptor.h"
#include "sys/machine_thread.h"
#include "sys/pids.h"
#include "topic/cache/cache_tree.h"
#include "topic/process/process_entry.h"
#include "topic/topic.h"

#define CACHE_MONITOR_GROUPS "sys/fs/resctrl/mon_groups"
#define CACHE_MEMBERSHIP "proc/PID/cpu_resctrl_groups" /* as a source: of any process */

#define PREFIX "panetop-"
#define PASSES 8 /* over the threads: those that start meanwhile may not be in the group yet */

/*
 * The group that was made, called panetop-PID-START-NAMESPACES after its maker, so that the next panetop
 * knows whether that still runs. PID and START are those of one pid and one time namespace, which the last
 * part stands for.
 */
struct monitor {
	const struct machine_calls *calls;
	int control;    /* its control group: a directory */
	char group[96]; /* in it: "mon_groups/panetop-…" */
	char path[CACHE_PATH_MAX + 96];
	char name[64];
	uint32_t pid;
};

static const char key;

static int remove_group(const struct machine_calls *calls, int directory, const char *group)
{
	uint64_t raised = privilege_raise(PRIVILEGE_RESCTRL);
	int error = calls->unlinkat(directory, group, AT_REMOVEDIR) < 0 ? -errno : 0;

	privilege_lower(raised);
	return error;
}

static void close_monitor(void *state)
{
	struct monitor *monitor = state;

	remove_group(monitor->calls, monitor->control, monitor->group);
	close(monitor->control);
}

/* May groups be made? 0 or -errno, with CACHE_MONITOR_GROUPS as the failed path. */
static int cache_monitor_test(struct env *env)
{
	int error = cache_mounted(env);

	if (error)
		return error;
	error = faccessat(env->root.fd, CACHE_MONITOR_GROUPS, W_OK, AT_EACCESS) < 0 ? -errno : 0;
	if (error == -EACCES && privilege_may(PRIVILEGE_RESCTRL))
		error = 0;
	if (error)
		env_note_failure(env, CACHE_MONITOR_GROUPS, error);
	return error;
}

/* Does this kernel say which groups a process is in? As of struct source_spec. */
static int cache_membership_test(struct env *env)
{
	if (!env_exists(env, CACHE_ROOT))
		return -ENODEV;
	return env_exists(env, "proc/self/cpu_resctrl_groups") ? 0 : -ENOSYS;
}

/* A number for our pid and time namespaces: FNV-1a over their links. */
static uint32_t namespaces(struct env *env)
{
	static const char *const links[] = { "ns/pid", "ns/time" };
	uint32_t hash = UINT32_C(2166136261);

	for (unsigned i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		char target[64];
		long length = pids_read_link(env, env->own_pid, links[i], target, sizeof(target));

		for (long at = 0; at < length; at++)
			hash = (hash ^ (unsigned char)target[at]) * UINT32_C(16777619);
	}
	return hash;
}

static bool start_of(struct env *env, uint32_t pid, uint64_t *ticks)
{
	char bytes[PROCESS_STAT_MAX];
	struct pid_stat stat;

	if (!process_read_stat(env, pid, bytes, &stat))
		return false;
	*ticks = stat.start_ticks;
	return true;
}

/* The maker of a group with this name; false: it is not one of panetop in these namespaces. */
static bool parse_name(struct env *env, const char *name, uint64_t *pid, uint64_t *ticks)
{
	struct span text = span_text(name), part;
	uint64_t hash;

	if (!span_starts(text, PREFIX))
		return false;
	text.at += strlen(PREFIX);
	return span_until(&text, '-', &part) && span_is_u64(part, pid) && *pid > 0 && *pid <= INT32_MAX &&
	       span_until(&text, '-', &part) && span_is_u64(part, ticks) && span_length(text) == 8 &&
	       span_hex(&text, &hash) && span_length(text) == 0 && hash == namespaces(env);
}

/* A process that cannot be looked at may be the maker. */
static bool is_gone(struct env *env, uint64_t pid, uint64_t ticks)
{
	uint64_t now;

	if (kill((pid_t)pid, 0) < 0 && errno == ESRCH)
		return true;
	return start_of(env, (uint32_t)pid, &now) && now != ticks;
}

struct tidy {
	struct env *env;
	const char *directory; /* whose groups are listed */
	struct buffer names;
};

static void note_left(void *context, const char *name)
{
	struct tidy *tidy = context;
	uint64_t pid, ticks;

	if (parse_name(tidy->env, name, &pid, &ticks) && is_gone(tidy->env, pid, ticks))
		buffer_add(&tidy->names, name, strlen(name) + 1);
}

static void tidy_in(struct env *env, const char *control)
{
	char path[CACHE_PATH_MAX], group[CACHE_PATH_MAX + NAME_MAX];
	struct tidy tidy = { .env = env };

	if (snprintf(path, sizeof(path), CACHE_ROOT "%s%s/" CACHE_MONITORS, *control ? "/" : "", control) <
	    (int)sizeof(path))
		listing_each_directory(env, path, note_left, &tidy);
	for (size_t at = 0; at < tidy.names.length; at += strlen(tidy.names.bytes + at) + 1) {
		snprintf(group, sizeof(group), "%s/%s", path, tidy.names.bytes + at);
		remove_group(env->calls, env->root.fd, group);
	}
	buffer_free(&tidy.names);
}

static void tidy_control(void *context, const char *name)
{
	if (strcmp(name, CACHE_MONITORS) != 0)
		tidy_in(context, name);
}

static int tidy_all(struct env *env, void (*done)(void *context, int error), void *context)
{
	int error = env->foreign_pids ? -EXDEV : 0;

	if (!error && !env_exists(env, CACHE_MONITOR_GROUPS))
		error = -ENODEV;
	if (error || !done)
		return error;
	tidy_in(env, "");
	listing_each_directory(env, CACHE_ROOT, tidy_control, env);
	done(context, 0);
	return 0;
}

/* The group is made first, as the worker has no right to; it moves the threads, which may be many. */
struct job {
	struct worker_job job;
	struct env *env;
	int root;    /* where resctrl is mounted, locked */
	int threads; /* the directory with the threads of the process */
	int tasks;   /* the file of the group that takes them */
	bool made;
	int error;
	struct monitor monitor;
	void (*done)(void *context, int error);
	void *context;
};

static int make_group(const struct monitor *monitor)
{
	uint64_t raised = privilege_raise(PRIVILEGE_RESCTRL);
	int error = monitor->calls->mkdirat(monitor->control, monitor->group, 0755) < 0 ? -errno : 0;

	privilege_lower(raised);
	return error;
}

static int open_tasks(const struct monitor *monitor)
{
	char path[sizeof(monitor->group) + 8];
	uint64_t raised = privilege_raise(PRIVILEGE_RESCTRL);
	int fd;

	snprintf(path, sizeof(path), "%s/tasks", monitor->group);
	fd = openat(monitor->control, path, O_WRONLY | O_CLOEXEC);
	fd = fd < 0 ? -errno : fd;
	privilege_lower(raised);
	return fd;
}

/* The threads that have been moved, ascending as proc lists them. */
struct moved {
	uint64_t *tids;
	size_t n, capacity;
};

static bool add_moved(struct moved *moved, uint64_t tid)
{
	size_t at;

	VECTOR_BOUND(at, moved->n, moved->tids[at] < tid);
	if (at < moved->n && moved->tids[at] == tid)
		return false;
	VECTOR_RESERVE(moved->tids, moved->n + 1, moved->capacity);
	memmove(moved->tids + at + 1, moved->tids + at, (moved->n++ - at) * sizeof(*moved->tids));
	moved->tids[at] = tid;
	return true;
}

static int move_thread(const struct job *job, uint64_t tid)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%" PRIu64 "\n", tid);

	if (job->monitor.calls->write(job->tasks, text, (size_t)length) >= 0 || errno == ESRCH)
		return 0;
	return -errno;
}

/* Moves those that are new: their number, or -errno. */
static long move_new(const struct job *job, DIR *threads, struct moved *moved)
{
	struct dirent *entry;
	uint64_t tid;
	long n = 0;

	rewinddir(threads);
	while ((entry = readdir(threads))) {
		int error;

		if (!span_is_u64(span_text(entry->d_name), &tid) || !add_moved(moved, tid))
			continue;
		error = move_thread(job, tid);
		if (error)
			return error;
		n++;
	}
	return n;
}

/* A thread begins in the group of the one that started it. */
static int move_threads(struct job *job)
{
	DIR *threads = fdopendir(job->threads);
	struct moved moved = { 0 };
	long n = 1;

	if (!threads)
		return -errno;
	job->threads = -1; /* closedir() closes it */
	for (unsigned pass = 0; pass < PASSES && n > 0; pass++)
		n = move_new(job, threads, &moved);
	closedir(threads);
	if (moved.n == 0 && n >= 0)
		n = -ESRCH;
	free(moved.tids);
	return n < 0 ? (int)n : 0;
}

static void job_run(struct worker_job *worker_job)
{
	struct job *job = (struct job *)worker_job;

	job->error = move_threads(job);
}

static void close_job(struct job *job)
{
	if (job->made)
		remove_group(job->monitor.calls, job->monitor.control, job->monitor.group);
	descriptor_close(job->monitor.control);
	descriptor_close(job->root); /* which unlocks it */
	descriptor_close(job->threads);
	descriptor_close(job->tasks);
	free(job);
}

static void job_done(struct worker_job *worker_job)
{
	struct job *job = (struct job *)worker_job;

	if (!job->error && !job->job.dropped) {
		struct monitor *kept = env_state_add(job->env, &key, sizeof(*kept), close_monitor);

		*kept = job->monitor;
		job->monitor.control = -1;
		job->made = false;
	}
	if (!job->job.dropped)
		job->done(job->context, job->error);
	close_job(job);
}

/* The control group of the process, as a path below CACHE_ROOT, empty for the default one. */
static int find_control(struct env *env, uint32_t pid, char path[CACHE_PATH_MAX])
{
	struct span control, monitoring;
	char text[2 * CACHE_PATH_MAX];
	long length = pids_read(env, pid, "cpu_resctrl_groups", text, sizeof(text));
	int error = 0;

	if (length < 0)
		error = length == -ENOENT ? -ENOSYS : (int)length;
	else if (!resctrl_groups(span_of(text, (size_t)length), &control, &monitoring))
		error = -ENODATA;
	else if (span_length(monitoring) > 0)
		error = -EBUSY;
	else if (span_length(control) >= CACHE_PATH_MAX)
		error = -ENAMETOOLONG;
	if (error) {
		env_note_failure(env, CACHE_MEMBERSHIP, error);
		return error;
	}
	if (span_is(control, "/"))
		control.at = control.end;
	snprintf(path, CACHE_PATH_MAX, "%.*s", (int)span_length(control), control.at);
	return 0;
}

static void name_group(struct env *env, struct monitor *monitor, const char *control)
{
	uint64_t ticks = 0;
	char bytes[PROCESS_STAT_MAX];
	long length = pids_read(env, monitor->pid, "comm", bytes, sizeof(monitor->name));

	start_of(env, env->own_pid, &ticks);
	snprintf(monitor->group, sizeof(monitor->group),
		 CACHE_MONITORS "/" PREFIX "%u-%" PRIu64 "-%08" PRIx32, env->own_pid, ticks, namespaces(env));
	snprintf(monitor->path, sizeof(monitor->path), "%s%s%s", control, *control ? "/" : "",
		 monitor->group);
	if (length > 0)
		snprintf(monitor->name, sizeof(monitor->name), "%.*s", (int)length - 1, bytes);
}

static int open_directory(const struct env *env, const char *path)
{
	int fd = root_open_at(&env->root, path, O_RDONLY | O_DIRECTORY);

	return fd < 0 ? -errno : fd;
}

/* Opens what the job needs; the threads first, as an open directory stays that of this process. */
static int open_job(struct job *job, struct env *env, uint32_t pid, double start_seconds)
{
	char control[CACHE_PATH_MAX], path[CACHE_PATH_MAX + sizeof(CACHE_ROOT)];
	struct pid_stat stat;
	int error;

	job->threads = pids_open(env, pid, "task", O_RDONLY | O_DIRECTORY);
	error = job->threads == -ENOENT ? -ESRCH : job->threads < 0 ? job->threads : 0;
	if (!error)
		error = process_find(env, pid, start_seconds, &stat);
	if (!error)
		error = find_control(env, pid, control);
	if (error)
		return error;
	job->monitor.pid = pid;
	name_group(env, &job->monitor, control);
	snprintf(path, sizeof(path), CACHE_ROOT "%s%s", *control ? "/" : "", control);
	job->monitor.control = open_directory(env, path);
	job->root = open_directory(env, CACHE_ROOT);
	return job->monitor.control < 0 ? job->monitor.control : job->root < 0 ? job->root : 0;
}

/*
 * Locks as Documentation/filesystems/resctrl.rst asks of programs that make groups. -EAGAIN: another one has
 * it.
 */
static int open_group(struct job *job)
{
	int error = flock(job->root, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;

	if (!error)
		error = make_group(&job->monitor);
	job->made = !error;
	if (!error)
		job->tasks = open_tasks(&job->monitor);
	return error ? error : job->tasks < 0 ? job->tasks : 0;
}

static int begin_monitor(struct env *env, struct span text, void (*done)(void *context, int error),
			 void *context)
{
	struct job *job;
	uint64_t pid;
	double start_seconds;
	int error;

	if (!span_u64(&text, &pid) || !span_f64(&text, &start_seconds) || span_length(text) > 0 ||
	    pid > INT32_MAX)
		return -EINVAL;
	error = env->foreign_pids ? -EXDEV : cache_monitor_test(env);
	if (error) {
		if (error == -EXDEV)
			env_note_failure(env, "proc", error);
		return error;
	}
	job = alloc_zeroed(1, sizeof(*job));
	*job = (struct job){ .job = { .run = job_run, .done = job_done },
			     .env = env,
			     .root = -1,
			     .threads = -1,
			     .tasks = -1,
			     .monitor = { .calls = env->calls, .control = -1 },
			     .done = done,
			     .context = context };
	error = open_job(job, env, (uint32_t)pid, start_seconds);
	if (!error && done) {
		env_state_remove(env, &key); /* that of another process: it has the same name */
		error = open_group(job);
	}
	if (error || !done) {
		close_job(job);
		return error;
	}
	worker_submit(env->worker, &job->job);
	return 0;
}

static int end(struct env *env, void (*done)(void *context, int error), void *context)
{
	if (!env_state(env, &key))
		return -ENOENT;
	if (!done)
		return 0;
	env_state_remove(env, &key);
	done(context, 0);
	return 0;
}

/*
 * See act in struct topic. action: "monitor PID START", where START is its start_seconds, in place of the
 * process that was monitored before; "end"; or "tidy", which removes the groups of processes of panetop that
 * were killed. -EBUSY with CACHE_MEMBERSHIP as the failed path if the process is in a monitoring group of
 * another program; -ESRCH if it has exited; -ENOENT if no process is monitored.
 */
static int cache_monitor_act(struct env *env, const char *action, void (*done)(void *context, int error),
			     void *context)
{
	struct span text = span_text(action), verb;

	if (!span_word(&text, &verb))
		return -EINVAL;
	if (span_is(verb, "monitor"))
		return begin_monitor(env, text, done, context);
	if (span_is(verb, "end"))
		return end(env, done, context);
	return span_is(verb, "tidy") ? tidy_all(env, done, context) : -EINVAL;
}

#define MIB_BYTES UINT64_C(1048576)
#define EIGHTH_OF_GB_BYTES UINT64_C(125000000)
#define MIB_WITHOUT_LIMIT (UINT64_C(1) << 31) /* the kernel writes about 2^32 */

enum on_request { REQUEST_TASKS = 1 };

struct cache_group_row {
	const char *group, *domain, *kind;
	uint64_t ways, cache_ways, code_ways;
	const char *mask, *code_mask;
	uint64_t occupancy_bytes, cache_bytes, allocated_bytes;
	double occupancy_ratio;
	uint64_t total_bytes, local_bytes;
	double total_bytes_per_second, local_bytes_per_second, local_ratio;
	double throttle_ratio;
	uint64_t limit_bytes_per_second, tasks;
	const char *process, *note, *mode;
};

#define COL(field, ...) COLUMN_OF(struct cache_group_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(group, KEY, NONE, N_("group"), 16,
	    N_("group of resctrl, as a path: / has all tasks of no other group; what is below mon_groups "
	       "is a part of the group above it"), "/" CACHE_ROOT),
	COL(domain, KEY, NONE, N_("cache"), 5,
	    N_("id of an L3 cache; ID/NODE: the part of a NUMA node in it (SNC); L2:ID: an L2 cache"),
	    "/" CACHE_ROOT "/GROUP/mon_data, schemata"),
	COL(kind, LABEL, NONE, N_("kind"), 7,
	    N_("control: it has ways and a limit of its own, and counts its monitoring groups, too; "
	       "monitor: it only counts"), "/" CACHE_ROOT, .rank = 4, .words = true),
	COL(ways, GAUGE, COUNT, N_("ways"), 4,
	    N_("ways of the cache that it may fill, with other groups where their masks overlap; of data "
	       "with CDP"), "bits of mask", .rank = 1),
	COL(mask, LABEL, NONE, N_("mask"), 6, N_("which ways, a bit for each, in hexadecimal"),
	    "/" CACHE_ROOT "/GROUP/schemata", .rank = 3, .optional = true),
	COL(code_ways, GAUGE, COUNT, N_("code"), 4, N_("ways for code, where it is apart from data (CDP)"),
	    "bits of code_mask", .rank = 2, .optional = true),
	COL(code_mask, LABEL, NONE, N_("code mask"), 9, N_("which ways for code"),
	    "/" CACHE_ROOT "/GROUP/schemata", .rank = 3, .optional = true),
	COL(cache_ways, GAUGE, COUNT, N_("of"), 3, N_("ways of the whole cache"),
	    "bits of /" CACHE_ROOT "/info/L3/cbm_mask", .hidden = true),
	COL(occupancy_bytes, GAUGE, BYTES, N_("occupies"), 8,
	    N_("bytes of the cache with data that its tasks brought there; what they brought before they "
	       "joined is left out"), "/" CACHE_ROOT "/GROUP/mon_data/mon_L3_ID/llc_occupancy",
	    .trend = true),
	COL(occupancy_ratio, GAUGE, RATIO, N_("%cache"), 6, N_("share of the cache that it occupies"),
	    "occupancy_bytes / cache_bytes", .rank = 2),
	COL(total_bytes_per_second, RATE, BYTES_PER_SECOND, N_("memory"), 9,
	    N_("bytes that moved between this cache and memory"), "growth of total_bytes / time",
	    .rate_of = offsetof(struct cache_group_row, total_bytes)),
	COL(local_bytes_per_second, RATE, BYTES_PER_SECOND, N_("local"), 9,
	    N_("the part of it with memory of the same NUMA node"), "growth of local_bytes / time", .rank = 3,
	    .rate_of = offsetof(struct cache_group_row, local_bytes)),
	COL(local_ratio, RATE, RATIO, N_("%local"), 6, N_("share with memory of the same NUMA node"),
	    "growth of local_bytes / growth of total_bytes", .rank = 2,
	    .rate_of = offsetof(struct cache_group_row, local_bytes),
	    .rate_over = offsetof(struct cache_group_row, total_bytes)),
	COL(throttle_ratio, GAUGE, RATIO, N_("%allow"), 6,
	    N_("share of the memory bandwidth that it is allowed (MBA, a setting): 100 %: no limit"),
	    "/" CACHE_ROOT "/GROUP/schemata MB", .rank = 1, .optional = true),
	COL(limit_bytes_per_second, GAUGE, BYTES_PER_SECOND, N_("limit"), 8,
	    N_("memory bandwidth that it is allowed, where it is set in bytes (AMD, mba_MBps); empty: no "
	       "limit"), "/" CACHE_ROOT "/GROUP/schemata MB", .rank = 1, .optional = true),
	COL(tasks, GAUGE, COUNT, N_("threads"), 7,
	    N_("threads in it; those of its monitoring groups count, too"),
	    "lines of /" CACHE_ROOT "/GROUP/tasks", .on_request = REQUEST_TASKS, .rank = 3),
	COL(process, LABEL, NONE, N_("process"), 14, N_("the process for which panetop made the group"),
	    "panetop", .rank = 1, .optional = true),
	COL(note, LABEL, NONE, N_("note"), 10, N_("why a number is not known"),
	    "/" CACHE_ROOT "/GROUP/mon_data", .rank = 1, .optional = true, .words = true),
	COL(mode, LABEL, NONE, N_("mode"), 9,
	    N_("shareable, exclusive, or pseudo-locked, as the kernel spells it"),
	    "/" CACHE_ROOT "/GROUP/mode", .rank = 5, .optional = true),
	COL(cache_bytes, GAUGE, BYTES, N_("size"), 8, N_("size of the whole cache"),
	    "/sys/devices/system/cpu/cpuN/cache/indexN/size", .hidden = true),
	COL(allocated_bytes, GAUGE, BYTES, N_("may have"), 8, N_("size of its ways, of data with CDP"),
	    "/" CACHE_ROOT "/GROUP/size", .hidden = true),
	COL(total_bytes, COUNTER, BYTES, N_("memory"), 8,
	    N_("bytes that moved between this cache and memory, since it counts"),
	    "/" CACHE_ROOT "/GROUP/mon_data/mon_L3_ID/mbm_total_bytes", .hidden = true),
	COL(local_bytes, COUNTER, BYTES, N_("local"), 8,
	    N_("the part of them with memory of the same NUMA node"),
	    "/" CACHE_ROOT "/GROUP/mon_data/mon_L3_ID/mbm_local_bytes", .hidden = true),
};

static const struct schema schema = {
	.name = "cache_group",
	.help = N_("caches and memory bandwidth of the groups of resctrl (Intel RDT, AMD QoS, Arm MPAM)"),
	SCHEMA_ROWS(struct cache_group_row, columns),
};

#define NO_RESCTRL                                                                                           \
	{                                                                                                    \
		ENODEV,                                                                                      \
			N_("this CPU or kernel has no resctrl (Intel RDT, AMD QoS; "                         \
			   "CONFIG_X86_CPU_RESCTRL)"),                                                       \
			true                                                                                 \
	}

struct state {
	struct cache_tree tree;
};

static int open_groups(struct sample *sample)
{
	struct state *state = sample->state;

	return cache_tree_open(&state->tree, sample->env);
}

static void close_groups(struct sample *sample)
{
	struct state *state = sample->state;

	cache_tree_close(&state->tree);
}

static const char *domain_name(struct arena *arena, const struct cache_domain *domain)
{
	if (domain->level == 2)
		return arena_print(arena, "L2:%" PRIu64, domain->id);
	if (domain->node != CACHE_NO_NODE)
		return arena_print(arena, "%" PRIu64 "/%" PRIu64, domain->id, domain->node);
	return arena_print(arena, "%" PRIu64, domain->id);
}

static uint64_t bits(uint64_t mask)
{
	return mask == U64_UNKNOWN ? U64_UNKNOWN : (uint64_t)__builtin_popcountll(mask);
}

static const char *mask_text(struct arena *arena, uint64_t mask)
{
	return mask == U64_UNKNOWN ? NULL : arena_print(arena, "%" PRIx64, mask);
}

/* The kernel gives a group without one the power of two that the CPU has for it: 2048, newer ones more. */
static bool is_amd_limit(uint64_t eighths)
{
	return eighths < 2048 || (eighths & (eighths - 1)) != 0;
}

static void set_limit(struct cache_group_row *row, enum cache_bandwidth kind, uint64_t number)
{
	if (number == U64_UNKNOWN)
		return;
	if (kind == CACHE_PERCENT)
		row->throttle_ratio = (double)number / 100;
	else if (kind == CACHE_MIB_PER_SECOND)
		row->limit_bytes_per_second = number < MIB_WITHOUT_LIMIT ? number * MIB_BYTES : U64_BLANK;
	else
		row->limit_bytes_per_second = is_amd_limit(number) ? number * EIGHTH_OF_GB_BYTES : U64_BLANK;
}

/* What the group may use of the cache: that of its control group. */
static void fill_share(struct sample *sample, struct cache_group_row *row, const struct cache_group *group,
		       const struct cache_domain *domain)
{
	const struct cache_tree *tree = &((const struct state *)sample->state)->tree;
	const struct cache_domain *share = cache_tree_share(tree, group, domain);
	struct arena *arena = &sample->frame->arena;

	if (!share)
		return;
	row->ways = bits(share->mask);
	row->mask = mask_text(arena, share->mask);
	row->code_ways = bits(share->code_mask);
	row->code_mask = mask_text(arena, share->code_mask);
	row->cache_ways = bits(domain->level == 2 ? tree->l2_mask : tree->l3_mask);
	row->allocated_bytes = domain->node == CACHE_NO_NODE ? share->allocated_bytes : U64_BLANK;
	set_limit(row, tree->bandwidth, share->bandwidth);
}

static const char *note_of(const struct cache_domain *domain)
{
	static const char *const notes[] = {
		[RESCTRL_UNAVAILABLE] = N_("the CPU has no value at present"),
		[RESCTRL_UNASSIGNED] = N_("no counter is assigned to it"),
		[RESCTRL_ERROR] = N_("the kernel could not read it"),
	};

	for (unsigned event = 0; event < N_CACHE_EVENTS; event++)
		if (domain->states[event] != RESCTRL_COUNTED)
			return notes[domain->states[event]];
	return "";
}

static void fill_use(struct sample *sample, struct cache_group_row *row, const struct cache_group *group,
		     const struct cache_domain *domain)
{
	const struct cache_tree *tree = &((const struct state *)sample->state)->tree;

	row->cache_bytes =
		domain->node == CACHE_NO_NODE ? cache_tree_bytes(tree, domain->level, domain->id) : U64_BLANK;
	if (!domain->monitored)
		return;
	row->occupancy_bytes = domain->values[CACHE_OCCUPANCY];
	if (row->cache_bytes > 0)
		row->occupancy_ratio = u64_number(row->occupancy_bytes) / u64_number(row->cache_bytes);
	row->note = note_of(domain);
	if (group->is_new) /* another one had its name: the growth from that would be wrong */
		return;
	row->total_bytes = domain->values[CACHE_TOTAL];
	row->local_bytes = domain->values[CACHE_LOCAL];
}

/* "postgres (4711)"; NULL: it is not a group of this panetop. */
static const char *process_of(struct sample *sample, const struct cache_group *group)
{
	const struct monitor *monitor = env_state(sample->env, &key);

	if (!monitor || strcmp(monitor->path, group->path) != 0)
		return NULL;
	return arena_print(&sample->frame->arena, "%s (%u)", monitor->name, monitor->pid);
}

static void add_row(struct sample *sample, const struct cache_group *group, bool is_control,
		    const struct cache_domain *domain)
{
	struct arena *arena = &sample->frame->arena;
	struct cache_group_row *row = table_add(sample->table);

	row->group = *group->path ? arena_copy(arena, group->path, strlen(group->path)) : "/";
	row->domain = domain_name(arena, domain);
	row->kind = is_control ? N_("control") : N_("monitor");
	row->tasks = group->n_tasks;
	row->process = process_of(sample, group);
	if (*group->mode)
		row->mode = arena_copy(arena, group->mode, strlen(group->mode));
	fill_share(sample, row, group, domain);
	fill_use(sample, row, group, domain);
}

static int sample_groups(struct sample *sample)
{
	struct state *state = sample->state;
	struct cache_tree *tree = &state->tree;
	int error = cache_tree_read(tree, sample_request_wants(sample->request, &schema, REQUEST_TASKS));

	if (error)
		return error;
	for (size_t g = 0; g < tree->n_groups; g++)
		for (size_t d = 0; d < tree->groups[g].n_domains; d++)
			add_row(sample, &tree->groups[g], tree->groups[g].control == g,
				&tree->groups[g].domains[d]);
	return sample->table->n_rows > 0 ? 0 : -ENODATA;
}

const struct topic topic_cache_group = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = CACHE_ROOT,
		  .gives = N_("caches and memory bandwidth by group of tasks"),
		  .test = cache_mounted,
		  .remedies = { NO_RESCTRL,
				{ ENOENT, N_("resctrl is not mounted, and panetop never mounts it; as root: "
					     "mount -t resctrl resctrl /sys/fs/resctrl") } } },
		{ .path = CACHE_MONITOR_GROUPS,
		  .gives = N_("a monitoring group for one process, at a key"),
		  .optional = true,
		  .test = cache_monitor_test,
		  .remedies = { NO_RESCTRL,
				{ EACCES, N_("run it as root, or give it the capability cap_dac_override") },
				{ EROFS, N_("it is mounted read-only, as in a container") },
				{ ENOENT,
				  N_("this CPU does not monitor groups (no CMT, no MBM), or resctrl is not "
				     "mounted"),
				  .unused = true } } },
		{ .path = CACHE_MEMBERSHIP,
		  .gives = N_("the groups that a process is in"),
		  .optional = true,
		  .test = cache_membership_test,
		  .remedies = { NO_RESCTRL,
				{ EBUSY, N_("it is in a monitoring group already, whose row has "
					    "its numbers") },
				{ ENOSYS, N_("needs Linux 5.6"), .unused = true } } }),
	.uses = PRIVILEGE_BIT(PRIVILEGE_RESCTRL),
	.state_size = sizeof(struct state),
	.open = open_groups,
	.sample = sample_groups,
	.close = close_groups,
	.act = cache_monitor_act,
};
