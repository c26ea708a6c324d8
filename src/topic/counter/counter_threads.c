/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows threads as they start and exit, and processes that execute a program with other privileges. */
#include <config.h>

#include "topic/counter/counter_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "sys/pids.h"
#include "topic/process/process_find.h"

#define OPENINGS_MAX 8 /* attempts, while the process starts threads faster than they are opened */

static int compare_tids(const void *one, const void *other)
{
	uint32_t a = (*(struct counter_set *const *)one)->place.tid;
	uint32_t b = (*(struct counter_set *const *)other)->place.tid;

	return (a > b) - (a < b);
}

/* Is it among the first n_sorted threads? */
static bool is_counted(const struct counter_threads *threads, size_t n_sorted, uint32_t tid)
{
	size_t at;

	VECTOR_BOUND(at, n_sorted, threads->list[at]->place.tid < tid);
	return at < n_sorted && threads->list[at]->place.tid == tid;
}

static void add_thread(struct counter_threads *threads, struct env *env, const struct counter_plan *plan,
		       uint32_t tid)
{
	struct counter_set *set = alloc_zeroed(1, sizeof(*set));

	set->env = env;
	set->place = (struct counter_place){ .tid = tid,
					     .inherited = plan->inherits,
					     .user_only = threads->user_only };
	counter_set_open(set, &plan->events, &plan->pmus);
	*VECTOR_ADD(threads->list, threads->n_threads, threads->capacity) = set;
	for (unsigned e = 0; e < plan->events.count; e++) {
		struct counter_sum *sum = &threads->sums[e];
		int fd = set->cells[e].fd;

		sum->n_open += fd >= 0;
		if (fd < 0 && fd != -ESRCH && !sum->error && !plan->events.list[e].why)
			sum->error = fd;
	}
}

static void drop_thread(struct counter_threads *threads, size_t index)
{
	struct counter_set *set = threads->list[index];

	counter_set_close(set);
	free(set);
	threads->n_threads--;
	memmove(&threads->list[index], &threads->list[index + 1],
		(threads->n_threads - index) * sizeof(struct counter_set *));
}

static void reset(struct counter_threads *threads)
{
	while (threads->n_threads > 0)
		drop_thread(threads, threads->n_threads - 1);
	memset(threads->sums, 0, sizeof(threads->sums));
	memset(threads->parts, 0, sizeof(threads->parts));
	threads->missed = false;
}

static int list_threads(struct env *env, uint32_t pid, const uint32_t **tids, size_t *n_tids)
{
	int error = pids_threads(env, pid, tids, n_tids);

	return error == -ENOENT ? -ESRCH : error;
}

/* Opens threads that are listed but not open. 0 or -errno. */
static int add_threads(struct counter_threads *threads, struct env *env, const struct counter_plan *plan)
{
	size_t n_sorted = threads->n_threads, n_tids;
	const uint32_t *tids;
	int error = list_threads(env, threads->pid, &tids, &n_tids);

	for (size_t i = 0; !error && i < n_tids; i++)
		if (!is_counted(threads, n_sorted, tids[i]))
			add_thread(threads, env, plan, tids[i]);
	if (threads->n_threads > n_sorted)
		qsort(threads->list, threads->n_threads, sizeof(struct counter_set *), compare_tids);
	return error;
}

/* Closes threads that are not on this list. False when the list has threads that are not open. */
static bool keep(struct counter_threads *threads, const uint32_t *tids, size_t n_tids)
{
	bool all = true;
	size_t at = 0;

	for (size_t i = 0; i < n_tids; i++) {
		while (at < threads->n_threads && threads->list[at]->place.tid < tids[i])
			drop_thread(threads, at);
		if (at < threads->n_threads && threads->list[at]->place.tid == tids[i])
			at++;
		else
			all = false;
	}
	while (at < threads->n_threads)
		drop_thread(threads, at);
	return all;
}

/* A thread that started before its parent was opened is not counted: then all are opened again. */
static int open_all(struct counter_threads *threads, struct env *env, const struct counter_plan *plan)
{
	struct pid_stat stat;
	const uint32_t *tids;
	size_t n_tids;
	int error;

	for (int i = 0; i < OPENINGS_MAX; i++) {
		reset(threads);
		error = add_threads(threads, env, plan);
		if (!error)
			error = process_find(env, threads->pid, threads->start_seconds, &stat);
		if (!error)
			error = list_threads(env, threads->pid, &tids, &n_tids);
		if (error)
			return error;
		/* a TID may have been reused by another process before it was opened */
		threads->missed = !keep(threads, tids, n_tids);
		if (!threads->missed)
			break;
	}
	return 0;
}

/* Why nothing is counted; 0 when something is, or when the machine lacks all of the events. */
static int refusal(const struct counter_threads *threads, const struct counter_plan *plan)
{
	int error = 0;

	for (unsigned e = 0; e < plan->events.count; e++) {
		if (threads->sums[e].n_open > 0)
			return 0;
		if (counter_is_lost(threads->sums[e].error) && !error)
			error = threads->sums[e].error;
	}
	return error;
}

static uint64_t clock_of(const struct counter_threads *threads, const struct env *env)
{
	uint64_t ns;

	return env_process_cpu_ns(env, threads->pid, &ns) ? ns : 0;
}

void counter_threads_open(struct counter_threads *threads, struct env *env, const struct counter_plan *plan)
{
	threads->user_only = false;
	threads->since_ns = threads->read_ns = env_mono_ns(env);
	threads->error = open_all(threads, env, plan);
	if (threads->error == 0)
		threads->error = refusal(threads, plan);
	if (threads->error == -EACCES) {
		threads->user_only = true;
		threads->error = open_all(threads, env, plan);
		if (threads->error == 0)
			threads->error = refusal(threads, plan);
	}
	if (threads->error)
		reset(threads);
	threads->clock_ns = clock_of(threads, env);
}

void counter_threads_close(struct counter_threads *threads)
{
	reset(threads);
	free(threads->list);
}

int counter_threads_try(const struct env *env, const struct counter_event *event,
			const struct counter_plan *plan)
{
	struct counter_place place = { .tid = env_self_pid(),
				       .inherited = plan->inherits,
				       .user_only = true };
	int fd = counter_open(env->perf, event, &plan->pmus, &place, -1);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static void add_up(struct counter_threads *threads, const struct counter_set *set, unsigned n_events)
{
	for (unsigned e = 0; e < n_events; e++) {
		const struct counter_cell *cell = &set->cells[e];
		struct counter_part *part = &threads->parts[e];

		if (cell->fd < 0) {
			if (counter_is_lost(cell->fd) && cell->fd != -ESRCH && threads->sums[e].n_open > 0) {
				threads->sums[e].known = false;
				threads->lost_error = cell->fd;
			}
			continue;
		}
		part->count += cell->grown;
		part->times.enabled_ns += cell->grown_times.enabled_ns;
		part->times.running_ns += cell->grown_times.running_ns;
	}
}

/* An event that did not run in any thread waits for the next read. */
static void estimate(struct counter_sum *sum, struct counter_part *part)
{
	uint64_t grown = part->times.enabled_ns > 0 ? perf_scaled(part->count, part->times) : part->count;

	sum->times = part->times;
	if (grown == U64_UNKNOWN) {
		sum->known = false;
		return;
	}
	sum->total += grown;
	*part = (struct counter_part){ 0 };
}

/* False when a thread can no longer be read. */
static bool read_all(struct counter_threads *threads, const struct env *env, const struct counter_plan *plan)
{
	bool read = true;

	threads->lost_error = 0;
	threads->read_ns = env_mono_ns(env);
	for (unsigned e = 0; e < plan->events.count; e++)
		threads->sums[e].known = true;
	for (size_t i = 0; i < threads->n_threads; i++) {
		struct counter_set *set = threads->list[i];
		size_t files = set->files;

		counter_set_read(set, &plan->events);
		read &= set->files == files;
		add_up(threads, set, plan->events.count);
	}
	for (unsigned e = 0; e < plan->events.count; e++)
		estimate(&threads->sums[e], &threads->parts[e]);
	return read;
}

static bool has_counted(const struct counter_threads *threads, const struct counter_plan *plan)
{
	for (unsigned e = 0; e < plan->events.count; e++)
		if (threads->sums[e].times.enabled_ns > 0)
			return true;
	return false;
}

/*
 * When a process executes a program with other privileges its counters stop, but stay readable. That shows in
 * the clock of the process, which goes on: it is read after a read and before the next, so that all of its
 * growth must have been counted.
 */
static bool read_and_check(struct counter_threads *threads, const struct env *env,
			   const struct counter_plan *plan)
{
	uint64_t clock_ns = clock_of(threads, env);
	bool read = read_all(threads, env, plan);

	read &= clock_ns <= threads->clock_ns || has_counted(threads, plan);
	threads->clock_ns = clock_of(threads, env);
	return read;
}

void counter_threads_read(struct counter_threads *threads, struct env *env, const struct counter_plan *plan)
{
	const uint32_t *tids;
	size_t n_tids, n_kept;
	bool listed;

	if (threads->error)
		return;
	listed = !plan->inherits && list_threads(env, threads->pid, &tids, &n_tids) == 0;
	threads->restarted = !read_and_check(threads, env, plan);
	if (threads->restarted) {
		counter_threads_open(threads, env, plan);
	} else if (listed) {
		keep(threads, tids, n_tids);
		n_kept = threads->n_threads;
		add_threads(threads, env, plan);
		threads->missed = threads->n_threads > n_kept;
	}
}
