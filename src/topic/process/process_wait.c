/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/PID/schedstat is of the first thread only: of others their own files are read. What a thread waited
 * between the last read and its exit is lost.
 */
#include <config.h>

#include "topic/process/process_wait.h"

#include <errno.h>
#include <stdio.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "sys/pids.h"
#include "topic/process/first_read.h"

#define KEPT_THREADS_MAX 64 /* an open file holds a page of the kernel */

const struct process_wait *process_wait_of(const struct process *process)
{
	return process->wait && process->wait->complete ? process->wait : NULL;
}

/* 0 or -errno. keep: file stays open for the next time. */
static int read_schedstat(struct env *env, uint32_t pid, const char *name, bool keep, int *file,
			  struct pid_schedstat *schedstat)
{
	char bytes[128];
	long length = keep ? pids_read_kept(env, file, pid, name, bytes, sizeof(bytes)) :
			     pids_read(env, pid, name, bytes, sizeof(bytes));

	if (length < 0)
		return (int)length;
	return pid_schedstat_parse(span_of(bytes, (size_t)length), schedstat) ? 0 : -EBADMSG;
}

static struct thread_wait *known_thread(const struct process_wait *wait, size_t *at, uint32_t tid)
{
	while (*at < wait->n_threads && wait->threads[*at].tid < tid)
		++*at;
	return *at < wait->n_threads && wait->threads[*at].tid == tid ? &wait->threads[*at] : NULL;
}

static void add_growth(struct process_wait *wait, const struct pid_schedstat *now,
		       const struct pid_schedstat *before)
{
	bool same = before && now->wait_ns >= before->wait_ns && now->runs >= before->runs;

	wait->wait_ns += now->wait_ns - (same ? before->wait_ns : 0);
	wait->runs += now->runs - (same ? before->runs : 0);
}

/* Makes room the new list of threads, which the old one becomes. */
static void swap_threads(struct process_list *list, struct process_wait *wait, size_t n_threads)
{
	struct thread_wait *threads = wait->threads;
	size_t capacity = wait->capacity;

	for (size_t i = 0; i < wait->n_threads; i++)
		pids_release(list->env, &threads[i].file);
	wait->threads = list->wait_room;
	wait->capacity = list->wait_capacity;
	wait->n_threads = n_threads;
	list->wait_room = threads;
	list->wait_capacity = capacity;
}

/*
 * A file stays open from the second read on: most processes sleep and are read once. tid 0: the first thread
 * is the only one.
 */
static int read_thread(struct process_list *list, const struct process *process, uint32_t tid, bool keep,
		       struct thread_wait *known, struct thread_wait *thread)
{
	char name[48];
	int error;

	thread->tid = tid == 0 ? process->pid : tid;
	thread->file = known ? known->file : -1;
	if (tid == 0)
		snprintf(name, sizeof(name), "schedstat");
	else
		snprintf(name, sizeof(name), "task/%u/schedstat", tid);
	error = read_schedstat(list->env, process->pid, name, keep && known, &thread->file, &thread->seen);
	if (known)
		known->file = -1;
	return error;
}

/* tids {0}: the first thread is the only one. */
static void read_threads(struct process_list *list, struct process *process, const uint32_t *tids,
			 size_t n_tids)
{
	struct process_wait *wait = process->wait;
	bool keep = n_tids <= KEPT_THREADS_MAX;
	size_t at = 0, n_threads = 0;

	VECTOR_RESERVE(list->wait_room, n_tids, list->wait_capacity);
	for (size_t i = 0; i < n_tids; i++) {
		struct thread_wait *thread = &list->wait_room[n_threads];
		struct thread_wait *known = known_thread(wait, &at, tids[i] == 0 ? process->pid : tids[i]);
		int error = read_thread(list, process, tids[i], keep, known, thread);

		if (error == -ENOENT || error == -ESRCH) {
			pids_release(list->env, &thread->file);
			continue;
		}
		wait->complete &= error == 0;
		if (error && !known)
			continue;
		if (error)
			thread->seen = known->seen;
		else
			add_growth(wait, &thread->seen, known ? &known->seen : NULL);
		n_threads++;
	}
	swap_threads(list, wait, n_threads);
}

/* A kernel that does not count has zeros for a process that ran. */
static bool counts(const struct process *process)
{
	return process->wait->runs > 0 || process->cpu_ns == 0;
}

static void read_process(struct process_list *list, struct process *process)
{
	static const uint32_t first = 0;
	struct process_wait *wait = process->wait;
	const uint32_t *tids = &first;
	size_t n_tids = 1;

	wait->complete =
		process->stat.threads == 1 || pids_threads(list->env, process->pid, &tids, &n_tids) == 0;
	if (wait->complete)
		read_threads(list, process, tids, n_tids);
	wait->complete = wait->complete && wait->n_threads > 0 && counts(process);
	wait->tick = list->env->tick;
}

static bool is_due(const struct process_list *list, const struct process *process, size_t *turns)
{
	if (process->wait->tick == 0)
		return first_read_is_due(list, process, turns);
	return !list->clocks || !process->wait->complete || process->ran_tick > process->wait->tick;
}

static void update(struct process_list *list)
{
	size_t turns = first_read_turns(list);

	for (size_t i = 0; i < list->n_all; i++) {
		struct process *process = list->all[i];

		if (!process->wait)
			process->wait = alloc_zeroed(1, sizeof(*process->wait));
		if (is_due(list, process, &turns))
			read_process(list, process);
	}
}

void process_wait_update(struct process_list *list)
{
	if (list->wait_tick != list->env->tick)
		update(list);
	list->wait_tick = list->env->tick;
}
