/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine as samplers see it; kernel files are kept open and read once per tick. */
#include <config.h>

#include "sys/env.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "sys/descriptor.h"
#include "sys/helper.h"
#include "sys/privilege.h"
#include "sys/process.h"

#define FILES_LEFT 64         /* for files that are opened once, or briefly */
#define FILES_LEFT_PER_CPU 4 /* event streams, timers */
#define FIRST_BYTES ((size_t)4096)
#define FILE_BYTES_MAX ((size_t)64 * 1024 * 1024)

struct env_file {
	char *path;
	int fd;        /* negative: could not be opened */
	int error;     /* -errno of the read in this tick */
	uint64_t tick; /* when it was read */
	bool announced; /* see env_file_announced() */
	char *bytes;
	size_t length, capacity;
};

struct env_state {
	const void *key;
	void (*close)(void *state);
	_Alignas(max_align_t) char bytes[];
};

unsigned env_cpus(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	return cpus > 0 ? (unsigned)cpus : 1;
}

uint32_t env_self_pid(void)
{
	return (uint32_t)getpid();
}

uint64_t env_self_resident_bytes(const struct env *env)
{
	char bytes[128];
	struct span text;
	uint64_t size_pages, resident_pages;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));

	descriptor_close(fd);
	if (length <= 0)
		return 0;
	text = span_of(bytes, (size_t)length);
	if (!span_u64(&text, &size_pages) || !span_u64(&text, &resident_pages))
		return 0;
	return resident_pages * env->page_bytes;
}

bool env_has_process_clocks(const struct env *env)
{
	uint64_t ns;

	return env->live && env->own_pid != 0 && !env->foreign_pids &&
	       env_process_cpu_ns(env, env->own_pid, &ns);
}

const char *env_error_text(int error)
{
	return error == EXDEV ? _("/proc is not that of panetop's own pid namespace") : strerror(error);
}

/*
 * The pids of a process in a line of its status file: the first is of the pid namespace of /proc, the last of
 * its own. Returns their number.
 */
static unsigned first_and_last(struct span status, const char *name, uint64_t *first, uint64_t *last)
{
	struct span line, key, rest;
	unsigned count = 0;

	while (span_line(&status, &line)) {
		if (!span_pair_u64(line, &key, first, &rest) || !span_is(key, name))
			continue;
		*last = *first;
		for (count = 1; span_u64(&rest, last);)
			count++;
		break;
	}
	return count;
}

/* Without NSpid, before Linux 4.1, a /proc that contains our pid counts as ours. */
static void find_own_pid(struct env *env)
{
	char bytes[4096];
	uint64_t first, last;
	unsigned count;
	struct span status;
	int fd = root_open_at(&env->root, "proc/self/status", O_RDONLY | O_NONBLOCK | O_NOCTTY);
	ssize_t length = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));

	descriptor_close(fd);
	status = span_of(bytes, length > 0 ? (size_t)length : 0);
	count = first_and_last(status, "NSpid", &first, &last);
	if (count == 0)
		count = first_and_last(status, "Pid", &first, &last);
	if (count > 0 && last == (uint64_t)getpid())
		env->own_pid = (uint32_t)first;
	env->foreign_pids = env->live && (env->own_pid == 0 || count > 1);
}

void *env_state_add(struct env *env, const void *key, size_t size, void (*close)(void *state))
{
	struct env_state *state = alloc_zeroed(1, sizeof(*state) + size);

	state->key = key;
	state->close = close;
	*VECTOR_ADD(env->states, env->n_states, env->states_capacity) = state;
	return state->bytes;
}

static size_t find_state(const struct env *env, const void *key)
{
	size_t i = 0;

	while (i < env->n_states && env->states[i]->key != key)
		i++;
	return i;
}

void *env_state(const struct env *env, const void *key)
{
	size_t i = find_state(env, key);

	return i < env->n_states ? env->states[i]->bytes : NULL;
}

static void free_state(struct env_state *state)
{
	if (state->close)
		state->close(state->bytes);
	free(state);
}

void env_state_remove(struct env *env, const void *key)
{
	size_t i = find_state(env, key);
	struct env_state *state;

	if (i == env->n_states)
		return;
	state = env->states[i];
	memmove(&env->states[i], &env->states[i + 1], (--env->n_states - i) * sizeof(*env->states));
	free_state(state); /* which may remove others */
}

/* Splits the limit of open files between kept files of processes and counters. */
static size_t raise_files(size_t *before)
{
	size_t left = FILES_LEFT + FILES_LEFT_PER_CPU * env_cpus();
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	*before = (size_t)limit.rlim_cur;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0 && getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	return limit.rlim_cur > left ? ((size_t)limit.rlim_cur - left) / 2 : 0;
}

int env_open(struct env *env, const char *root)
{
	const char *snap = secure_getenv("SNAP_NAME"); /* of another snap, where that has started it */
	size_t files, files_before = 0;
	struct root opened;
	int error = root_open(&opened, root);

	if (error)
		return error;
	files = raise_files(&files_before);
	*env = (struct env){
		.root = opened,
		.clock = &real_clock,
		.own_threads = &real_threads,
		.perf = &real_perf,
		.calls = &real_calls,
		.live = !opened.is_tree,
		.in_snap = !opened.is_tree && snap && strcmp(snap, PACKAGE) == 0,
		.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
		.ticks_per_second = (uint64_t)sysconf(_SC_CLK_TCK),
		.pids = { .fd = -1, .tick = ENV_NEVER, .kept_max = files },
		.counters = { .max = files },
		.files_before = files_before,
	};
	find_own_pid(env);
	return 0;
}

void env_close(struct env *env)
{
	while (env->n_states > 0)
		free_state(env->states[--env->n_states]);
	free(env->states);
	env->states = NULL;
	env->states_capacity = 0;
	for (size_t i = 0; i < env->n_files; i++) {
		struct env_file *file = env->files[i];

		descriptor_close(file->fd);
		free(file->bytes);
		free(file->path);
		free(file);
	}
	free(env->files);
	env->files = NULL;
	env->n_files = 0;
	free(env->threads.pids);
	free(env->pids.pids);
	descriptor_close(env->pids.fd);
	env->pids = (struct env_pids){ .fd = -1 };
	served_free(&env->served);
	close(env->root.fd);
	env->root.fd = -1;
}

bool env_exists(const struct env *env, const char *path)
{
	int fd;

	if (served_by_server(&env->served, path))
		return true; /* it would wait for the server */
	if (env->live)
		return faccessat(env->root.fd, path, F_OK, 0) == 0;
	fd = root_open_at(&env->root, path, O_PATH);
	descriptor_close(fd);
	return fd >= 0;
}

struct env_file *env_file(struct env *env, const char *path)
{
	struct env_file *file;

	for (size_t i = 0; i < env->n_files; i++)
		if (strcmp(env->files[i]->path, path) == 0)
			return env->files[i];
	file = alloc_zeroed(1, sizeof(*file));
	file->path = alloc_text(path);
	file->fd = -1;
	file->tick = ENV_NEVER;
	env->files = alloc_resize(env->files, env->n_files + 1, sizeof(*env->files));
	env->files[env->n_files++] = file;
	return file;
}

/* A read at offset 0 generates a kernel file again; a short read is not its end. */
static int read_whole(struct env *env, struct env_file *file)
{
	file->length = 0;
	for (;;) {
		ssize_t got;

		if (file->length == file->capacity) {
			size_t wanted = file->capacity ? file->capacity * 2 : FIRST_BYTES;

			if (wanted > FILE_BYTES_MAX)
				return -EFBIG;
			file->bytes = alloc_resize(file->bytes, wanted, 1);
			file->capacity = wanted;
		}
		got = pread(file->fd, file->bytes + file->length, file->capacity - file->length,
			    (off_t)file->length);
		env->reads++;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return 0;
		file->length += (size_t)got;
	}
}

int env_open_file(const struct env *env, const char *path)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
	bool served = served_has(&env->served, path);
	int fd = served ? served_open(&env->served, &env->root, path, false)
			: root_open_at(&env->root, path, flags);
	int error = fd >= 0 ? 0 : served ? fd : -errno;
	uint64_t raised = error == -EACCES && env->live && !served ? privilege_raise(PRIVILEGE_FILES) : 0;

	if (raised) {
		fd = root_open_at(&env->root, path, flags);
		error = fd < 0 ? -errno : 0;
		privilege_lower(raised);
	}
	return error ? error : fd;
}

struct env_file *env_file_announced(struct env *env, const char *path)
{
	struct env_file *file = env_file(env, path);

	file->announced = env->live;
	return file;
}

static bool is_unchanged(const struct env_file *file)
{
	struct pollfd change = { .fd = file->fd, .events = POLLPRI };
	struct statfs kind;

	return file->announced && fstatfs(file->fd, &kind) == 0 && kind.f_type == PROC_SUPER_MAGIC &&
	       poll(&change, 1, 0) >= 0 && !(change.revents & (POLLPRI | POLLERR));
}

static int refresh(struct env *env, struct env_file *file)
{
	int error;

	if (file->fd < 0) {
		file->fd = env_open_file(env, file->path);
		if (file->fd < 0)
			return file->fd;
	} else if (is_unchanged(file)) {
		return 0;
	}
	error = read_whole(env, file);
	if (error || served_has(&env->served, file->path)) { /* what is open is a copy */
		close(file->fd);
		file->fd = -1;
	}
	return error;
}

int env_read(struct env *env, struct env_file *file, struct span *text)
{
	if (file->tick != env->tick) {
		file->error = refresh(env, file);
		file->tick = env->tick;
	}
	if (file->error) {
		env_note_failure(env, file->path, file->error);
		return file->error;
	}
	*text = span_of(file->bytes, file->length);
	return 0;
}

void env_host(struct env *env, char *host, size_t room)
{
	struct span text, line;

	if (gethostname(host, room - 1) < 0)
		snprintf(host, room, "?");
	host[room - 1] = '\0';
	if (!env->live && env_read(env, env_file(env, "proc/sys/kernel/hostname"), &text) == 0 &&
	    span_line(&text, &line) && span_length(line) < room)
		snprintf(host, room, "%.*s", (int)span_length(line), line.at);
}

const char *env_failed_path(const struct env *env, int error)
{
	for (unsigned i = 0; i < env->n_failures; i++)
		if (env->failures[i].error == error)
			return env->failures[i].path;
	return NULL;
}

const char *env_lacking_path(const struct env *env, int *error)
{
	static const int errors[] = { -EMFILE, -ENFILE, -ENOMEM };
	const char *path = NULL;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]) && !path; i++) {
		*error = errors[i];
		path = env_failed_path(env, errors[i]);
	}
	return path;
}

void env_note_failure(struct env *env, const char *path, int error)
{
	struct env_failure *failure = &env->failures[env->n_failures];

	if (env->n_failures == ENV_FAILURES_MAX)
		return;
	snprintf(failure->path, sizeof(failure->path), "%s", path);
	failure->error = error;
	env->n_failures++;
}

void env_forget_failures(struct env *env)
{
	env->n_failures = 0;
}

static int real_open(const struct machine_perf *perf, const struct perf_event_attr *attr, int tid, int cpu,
		     int leader)
{
	long fd = system_call(SYS_perf_event_open, attr, tid, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	(void)perf;
	return fd < 0 ? -errno : (int)fd;
}

static int real_control(const struct machine_perf *perf, int event, unsigned long request,
			unsigned long argument)
{
	(void)perf;
	return ioctl(event, request, argument) < 0 ? -errno : 0;
}

const struct machine_perf real_perf = { real_open, real_control };

static uint64_t mount_at(const char *path)
{
#ifdef STATX_MNT_ID
	struct statx found;

	if (system_call_by(SYS_statx, statx(AT_FDCWD, path, AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
					    STATX_MNT_ID, &found)) == 0 &&
	    (found.stx_mask & STATX_MNT_ID))
		return found.stx_mnt_id;
#else
	(void)path;
#endif
	return UINT64_MAX;
}

const struct machine_calls real_calls = { mount_at, statvfs, sync, getpwnam_r,
					  mkdirat,  unlinkat, write, program_output };

/* The number of a group is the handle of its directory. */

#define HANDLE_KERNFS 0xfe /* FILEID_KERNFS of linux/exportfs.h */

static ssize_t name_of(int fd, char name[PATH_MAX])
{
	char link[32];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, name, PATH_MAX - 1);
	name[length < 0 ? 0 : length] = '\0';
	return length;
}

bool cgroup_path_by_number(int mount, uint64_t number, char *path, size_t room)
{
	union {
		struct file_handle handle;
		char bytes[sizeof(struct file_handle) + sizeof(number)];
	} of = { .handle = { .handle_bytes = sizeof(number), .handle_type = HANDLE_KERNFS } };
	char top[PATH_MAX], name[PATH_MAX];
	uint64_t raised = privilege_raise(PRIVILEGE_TRACING);
	ssize_t above;
	int fd;

	memcpy(of.handle.f_handle, &number, sizeof(number));
	fd = system_call_by(SYS_open_by_handle_at, open_by_handle_at(mount, &of.handle, O_PATH | O_CLOEXEC));
	privilege_lower(raised);
	if (fd < 0)
		return false;
	above = name_of(mount, top);
	if (name_of(fd, name) < above || above < 0 || memcmp(name, top, (size_t)above) != 0)
		above = -1;
	close(fd);
	return above >= 0 && snprintf(path, room, "%s", name[above] ? name + above : "/") < (int)room;
}

bool served_is_in(const char *path, const char *place)
{
	size_t length = strlen(place);

	return length == 0 ||
	       (strncmp(path, place, length) == 0 && (path[length] == '\0' || path[length] == '/'));
}

void served_add(struct served *served, const char *path, bool by_server, uint64_t device)
{
	*VECTOR_ADD(served->places, served->n_places, served->capacity) =
		(struct served_place){ .path = alloc_text(path), .by_server = by_server, .device = device };
}

void served_free(struct served *served)
{
	for (size_t i = 0; i < served->n_places; i++)
		free(served->places[i].path);
	free(served->places);
	*served = (struct served){ 0 };
}

/* The last mount at the longest path is what is seen. */
static const struct served_place *place_of(const struct served *served, const char *path)
{
	const struct served_place *best = NULL;

	for (size_t i = 0; i < served->n_places; i++)
		if (served_is_in(path, served->places[i].path) &&
		    (!best || strlen(served->places[i].path) >= strlen(best->path)))
			best = &served->places[i];
	return best;
}

bool served_has(const struct served *served, const char *path)
{
	const struct served_place *place = place_of(served, path);

	return place && place->by_server;
}

bool served_by_server(const struct served *served, const char *path)
{
	const struct served_place *place = place_of(served, path);

	return place && place->by_server && place->device != SERVED_BY_DRIVER;
}

struct reading {
	struct helper_job job;
	const struct root *root; /* in panetop */
	bool names;
	char path[];
};

static int copy_names(int directory)
{
	int copy = memfd_create("panetop-names", MFD_CLOEXEC);
	const struct dirent *entry;
	DIR *opened;

	if (copy < 0) {
		close(directory);
		return -errno;
	}
	opened = fdopendir(directory);
	while (opened && (entry = readdir(opened)))
		if (entry->d_name[0] != '.' && write(copy, entry->d_name, strlen(entry->d_name) + 1) < 0)
			break;
	if (opened)
		closedir(opened);
	return lseek(copy, 0, SEEK_SET) < 0 ? -errno : copy;
}

static void read_in_helper(struct helper_job *job)
{
	const struct reading *reading = (const struct reading *)job;
	int fd = root_open_at(helper_root(reading->root), reading->path,
			      O_RDONLY | O_NONBLOCK | O_NOCTTY | (reading->names ? O_DIRECTORY : 0));

	if (fd < 0)
		fd = -errno;
	else
		fd = reading->names ? copy_names(fd) : helper_copy(fd);
	job->error = fd < 0 ? fd : 0;
	job->fd = fd < 0 ? -1 : fd;
}

int served_open_thing(const struct root *root, const char *path, bool names, uint64_t thing)
{
	struct reading *reading = helper_alloc(sizeof(*reading) + strlen(path) + 1);

	*reading = (struct reading){ .job = { .run = read_in_helper,
					      .thing = thing },
				     .root = root,
				     .names = names };
	strcpy(reading->path, path);
	reading->job.name = reading->path;
	return helper_open(&reading->job);
}

int served_open(const struct served *served, const struct root *root, const char *path, bool names)
{
	const struct served_place *place = place_of(served, path);

	return served_open_thing(root, path, names, place ? place->device : 0);
}
