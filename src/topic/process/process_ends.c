/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends of processes, from exit records or from descriptors of processes. */
#include <config.h>

#include "topic/process/process_ends.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "sys/pids.h"
#include "sys/process.h"
#include "topic/process/exit_reader.h"

/* Names of programs, as the kernel cuts them. */

void program_names_add(struct program_names *names, const char *name)
{
	strncpy(names->list[names->n++], name, PROGRAM_NAME_BYTES - 1);
}

size_t program_names_find(const struct program_names *names, const char *name)
{
	size_t i = 0;

	while (i < names->n && strncmp(names->list[i], name, PROGRAM_NAME_BYTES) != 0)
		i++;
	return i;
}

size_t program_names_of(const struct program_names *names, struct env *env, uint32_t pid, int *error)
{
	char comm[PROGRAM_NAME_BYTES + 1];
	long length = pids_read(env, pid, "comm", comm, sizeof(comm) - 1);

	*error = length < 0 ? (int)length : 0;
	if (length <= 0)
		return names->n;
	comm[length] = '\0';
	comm[strcspn(comm, "\n")] = '\0';
	return program_names_find(names, comm);
}

#define READY_MAX 64
#define OF_RECORDS UINT32_MAX /* in place of a pid */

struct process_ends {
	struct env *env;
	struct program_names names;
	struct exit_reader *reader; /* NULL: there are no records */
	int epoll_fd;
	struct held {
		uint32_t pid;
		int fd;
		size_t name;
		int status; /* by the record of its main thread, which ended first */
		bool told;  /* held on while it is a zombie: it would be found again */
	} * held;
	size_t n_held, capacity;
	bool has_looked; /* what the first look finds as a zombie ended before it */
	void (*each)(void *context, const struct process_end *end); /* while it reads */
	void *context;
};

static bool watch(const struct process_ends *ends, int fd, uint32_t pid)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = pid };

	return epoll_ctl(ends->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static struct held *find_held(const struct process_ends *ends, uint32_t pid)
{
	for (size_t i = 0; i < ends->n_held; i++)
		if (ends->held[i].pid == pid)
			return &ends->held[i];
	return NULL;
}

/* False: it has ended already, or cannot be held. */
static bool hold(struct process_ends *ends, uint32_t pid, size_t name, int status)
{
	int fd = exit_watch_open(pid);

	if (fd < 0)
		return false;
	if (!watch(ends, fd, pid)) {
		close(fd);
		return false;
	}
	*VECTOR_ADD(ends->held, ends->n_held, ends->capacity) =
		(struct held){ .pid = pid, .fd = fd, .name = name, .status = status };
	return true;
}

static void drop(struct process_ends *ends, struct held *held)
{
	close(held->fd);
	*held = ends->held[--ends->n_held];
}

struct process_ends *process_ends_open(struct env *env, const struct program_names *names, int *error)
{
	struct process_ends *ends = alloc_zeroed(1, sizeof(*ends));

	ends->env = env;
	ends->names = *names;
	ends->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	ends->reader = exit_reader_open(env, error);
	if (ends->reader)
		*error = exit_reader_narrow(ends->reader, ends->names.list, ends->names.n);
	if (!*error && watch(ends, exit_reader_fd(ends->reader), OF_RECORDS))
		return ends;
	*error = *error ? *error : -errno;
	exit_reader_close(ends->reader);
	ends->reader = NULL;
	return ends;
}

void process_ends_close(struct process_ends *ends)
{
	if (!ends)
		return;
	while (ends->n_held > 0)
		drop(ends, &ends->held[0]);
	exit_reader_close(ends->reader);
	close(ends->epoll_fd);
	free(ends->held);
	free(ends);
}

int process_ends_fd(const struct process_ends *ends)
{
	return ends->epoll_fd;
}

static void keep_told(const struct process_ends *ends, struct held *held)
{
	epoll_ctl(ends->epoll_fd, EPOLL_CTL_DEL, held->fd, NULL);
	held->told = true;
}

/* Its name is read again: the number may be that of another process since. */
static void look_at(struct process_ends *ends, uint32_t pid)
{
	struct held *held;
	int error;
	size_t name = program_names_of(&ends->names, ends->env, pid, &error);

	if (name == ends->names.n || !hold(ends, pid, name, PROCESS_ENDS_STATUS_UNKNOWN))
		return;
	held = &ends->held[ends->n_held - 1];
	if (program_names_of(&ends->names, ends->env, pid, &error) != name)
		drop(ends, held);
	else if (!ends->has_looked && exit_watch_ended(held->fd))
		keep_told(ends, held);
}

static void drop_reaped(struct process_ends *ends)
{
	for (size_t i = ends->n_held; i-- > 0;)
		if (ends->held[i].told && exit_watch_reaped(ends->held[i].fd))
			drop(ends, &ends->held[i]);
}

int process_ends_look(struct process_ends *ends)
{
	const uint32_t *pids;
	size_t n_pids;
	int error;

	if (ends->reader)
		return 0;
	ends->env->tick++;
	drop_reaped(ends);
	error = pids_list(ends->env, &pids, &n_pids);
	for (size_t i = 0; !error && i < n_pids; i++)
		if (!find_held(ends, pids[i]))
			look_at(ends, pids[i]);
	ends->has_looked = true;
	return error;
}

static void give(const struct process_ends *ends, uint32_t pid, size_t name, int status)
{
	ends->each(ends->context, &(struct process_end){ .pid = pid, .name = name, .status = status });
}

/* A process ends with its last thread, which may not be the first one. */
static void take_record(void *context, const struct exit_record *record)
{
	struct process_ends *ends = context;
	size_t name = program_names_find(&ends->names, record->comm);
	int status = record->exit_code == U32_UNKNOWN ? PROCESS_ENDS_STATUS_UNKNOWN : (int)record->exit_code;

	if (name == ends->names.n || record->tid != record->tgid)
		return;
	if (record->last || !hold(ends, record->tgid, name, status))
		give(ends, record->tgid, name, status);
}

static void take_held(struct process_ends *ends, uint32_t pid)
{
	struct held *held = find_held(ends, pid);
	int status;

	if (!held)
		return;
	if (exit_watch_status(held->fd, &status))
		held->status = status;
	give(ends, pid, held->name, held->status);
	if (ends->reader)
		drop(ends, held);
	else
		keep_told(ends, held);
}

void process_ends_read(struct process_ends *ends, void (*each)(void *context, const struct process_end *end),
		       void *context)
{
	struct epoll_event ready[READY_MAX];
	int n_ready;

	ends->each = each;
	ends->context = context;
	do {
		n_ready = epoll_wait(ends->epoll_fd, ready, READY_MAX, 0);
		for (int i = 0; i < n_ready; i++) {
			if (ready[i].data.u32 == OF_RECORDS)
				exit_reader_drain(ends->reader, take_record, ends);
			else
				take_held(ends, ready[i].data.u32);
		}
	} while (n_ready == READY_MAX);
}

uint64_t process_ends_lost(const struct process_ends *ends)
{
	return ends->reader ? exit_reader_lost(ends->reader) : 0;
}
