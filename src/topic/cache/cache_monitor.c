/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The group is called panetop-PID-START-NAMESPACES after its maker, so that the next panetop knows whether
 * that still runs. PID and START are those of one pid and one time namespace, which the last part stands for.
 */
#include <config.h>

#include "topic/cache/cache_monitor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/vector.h"
#include "kernel/resctrl.h"
#include "sys/attribute.h"
#include "sys/machine_thread.h"
#include "sys/pids.h"
#include "sys/privilege.h"
#include "topic/cache/cache_tree.h"
#include "topic/process/process_find.h"

#define PREFIX "panetop-"
#define PASSES 8 /* over the threads: those that start meanwhile may not be in the group yet */

/* The group that was made. */
struct monitor {
	int control;    /* its control group: a directory */
	char group[96]; /* in it: "mon_groups/panetop-…" */
	char path[CACHE_PATH_MAX + 96];
	char name[64];
	uint32_t pid;
};

static const char key;

static int remove_group(int directory, const char *group)
{
	uint64_t raised = privilege_raise(PRIVILEGE_RESCTRL);
	int error = unlinkat(directory, group, AT_REMOVEDIR) < 0 ? -errno : 0;

	privilege_lower(raised);
	return error;
}

static void close_monitor(void *state)
{
	struct monitor *monitor = state;

	remove_group(monitor->control, monitor->group);
	close(monitor->control);
}

bool cache_monitored(const struct env *env, struct cache_monitored *monitored)
{
	const struct monitor *monitor = env_state(env, &key);

	if (!monitor)
		return false;
	*monitored = (struct cache_monitored){ .pid = monitor->pid, .path = monitor->path };
	memcpy(monitored->name, monitor->name, sizeof(monitored->name));
	return true;
}

int cache_monitor_test(struct env *env)
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

int cache_membership_test(struct env *env)
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
		remove_group(env->root.fd, group);
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

/* As Documentation/filesystems/resctrl.rst asks of programs that make groups. -EAGAIN: another one has it. */
static int lock_root(int root)
{
	return flock(root, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
}

static int make_group(const struct monitor *monitor)
{
	uint64_t raised = privilege_raise(PRIVILEGE_RESCTRL);
	int error = mkdirat(monitor->control, monitor->group, 0755) < 0 ? -errno : 0;

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

static int move_thread(int tasks, uint64_t tid)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%" PRIu64 "\n", tid);

	if (write(tasks, text, (size_t)length) >= 0 || errno == ESRCH)
		return 0;
	return -errno;
}

/* Moves those that are new: their number, or -errno. */
static long move_new(DIR *threads, int tasks, struct moved *moved)
{
	struct dirent *entry;
	uint64_t tid;
	long n = 0;

	rewinddir(threads);
	while ((entry = readdir(threads))) {
		int error;

		if (!span_is_u64(span_text(entry->d_name), &tid) || !add_moved(moved, tid))
			continue;
		error = move_thread(tasks, tid);
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
		n = move_new(threads, job->tasks, &moved);
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
		remove_group(job->monitor.control, job->monitor.group);
	if (job->monitor.control >= 0)
		close(job->monitor.control);
	if (job->root >= 0)
		close(job->root); /* which unlocks it */
	if (job->threads >= 0)
		close(job->threads);
	if (job->tasks >= 0)
		close(job->tasks);
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

static int open_group(struct job *job)
{
	int error = lock_root(job->root);

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
			     .monitor = { .control = -1 },
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

int cache_monitor_act(struct env *env, const char *action, void (*done)(void *context, int error),
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
