/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at some processes in each tick, those first whose last look is the longest ago. */
#include <config.h>

#include "topic/node/locality_list.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/pid/pid_stat.h"
#include "sys/pids.h"
#include "topic/node/maps_count.h"

#define PROCESSES_MAX 32      /* whose pages may be looked at */
#define LIST_MAX ((size_t)96) /* with those whose pages are hidden */
#define SEED 1
#define TICK_NS UINT64_C(5000000) /* CPU time for pages, and likewise for threads, in a second … */
#define TICK_SHARE 200            /* … or in a shorter tick this part of it */
#define LOOK_AGAIN_NS UINT64_C(1000000000)
#define KEEP_COUNT_NS UINT64_C(30000000000) /* a count by numa_maps is better than a new look */

static int open_list(void *state, const struct sample *sample)
{
	struct locality_list *list = state;

	list->env = sample->env;
	list->request = sample->request;
	list->n_counted = sample->request->n_counted;
	list->look = (struct page_nodes){ .env = list->env, .nodes = list->nodes, .random = SEED };
	list->count = maps_count_open(list->env);
	return 0;
}

static void free_located(struct located *process)
{
	thread_nodes_free(&process->threads);
	free(process->pages);
	free(process);
}

static void forget_all(struct locality_list *list)
{
	for (size_t i = 0; i < list->n_list; i++)
		free_located(list->list[i]);
	list->n_list = 0;
}

static void close_list(void *state)
{
	struct locality_list *list = state;

	forget_all(list);
	maps_count_close(list->count);
	page_nodes_free(&list->look);
	free(list->list);
	free(list->largest);
}

static bool is_hidden(int error)
{
	return error == -EPERM || error == -EACCES;
}

static struct located *find(const struct locality_list *list, uint32_t pid, uint64_t start_ticks)
{
	for (size_t i = 0; i < list->n_list; i++)
		if (list->list[i]->pid == pid && list->list[i]->start_ticks == start_ticks)
			return list->list[i];
	return NULL;
}

static uint64_t resident(const struct process *process)
{
	return process->stat.resident_pages == U64_UNKNOWN ? 0 : process->stat.resident_pages;
}

/* The LIST_MAX with the most resident memory in the scope, the largest first. */
static size_t find_largest(struct locality_list *list)
{
	const struct process_list *processes = list->processes;
	size_t n = 0;

	VECTOR_RESERVE(list->largest, LIST_MAX, list->largest_capacity);
	for (size_t i = 0; i < processes->n_all; i++) {
		const struct process *process = processes->all[i];
		size_t at = n;

		if (process->outside || process_is_kernel_thread(process) || resident(process) == 0 ||
		    process->start_ticks == U64_UNKNOWN ||
		    (n == LIST_MAX && resident(process) <= resident(list->largest[n - 1])))
			continue;
		for (at = n < LIST_MAX ? n++ : n - 1;
		     at > 0 && resident(list->largest[at - 1]) < resident(process); at--)
			list->largest[at] = list->largest[at - 1];
		list->largest[at] = process;
	}
	return n;
}

static struct located *located_new(const struct locality_list *list, const struct process *process)
{
	struct located *located = alloc_zeroed(1, sizeof(*located));

	located->pid = process->pid;
	located->start_ticks = process->start_ticks;
	located->error = -EAGAIN;
	located->pages = alloc_zeroed(list->nodes->n_nodes, sizeof(*located->pages));
	return located;
}

static bool is_larger(const struct located *one, const struct located *other)
{
	return resident(one->process) > resident(other->process);
}

static void sort(struct locality_list *list)
{
	for (size_t i = 1; i < list->n_list; i++) {
		struct located *moved = list->list[i];
		size_t at = i;

		for (; at > 0 && is_larger(moved, list->list[at - 1]); at--)
			list->list[at] = list->list[at - 1];
		list->list[at] = moved;
	}
}

/* Which ones are looked at in this tick: at most PROCESSES_MAX whose pages are not known to be hidden. */
static void choose(struct locality_list *list)
{
	size_t n_largest = find_largest(list), n_open = 0, n_kept = 0;

	for (size_t i = 0; i < list->n_list; i++)
		list->list[i]->kept = false;
	for (size_t i = 0; i < n_largest && n_open < PROCESSES_MAX; i++) {
		const struct process *process = list->largest[i];
		struct located *located = find(list, process->pid, process->start_ticks);

		if (!located)
			*VECTOR_ADD(list->list, list->n_list, list->capacity) = located =
				located_new(list, process);
		located->process = process;
		located->kept = true;
		n_open += !is_hidden(located->error);
	}
	for (size_t i = 0; i < list->n_list; i++)
		if (list->list[i]->kept)
			list->list[n_kept++] = list->list[i];
		else
			free_located(list->list[i]);
	list->n_list = n_kept;
	sort(list);
}

/* CPU time of panetop at which looks of this tick end. */
static uint64_t limit(const struct locality_list *list, uint64_t now_ns)
{
	uint64_t share = list->last_ns ? (now_ns - list->last_ns) / TICK_SHARE : TICK_NS;

	if (list->request->batch)
		return UINT64_MAX;
	return env_self_cpu_ns(list->env) + (share < TICK_NS ? share : TICK_NS);
}

/* One at least, so that all get their turn. */
static void look_at_threads(struct locality_list *list, uint64_t now_ns)
{
	uint64_t until_ns = limit(list, now_ns);
	size_t n = 0;

	for (; n < list->n_list && (n == 0 || env_self_cpu_ns(list->env) < until_ns); n++) {
		struct located *process = list->list[(list->turn + n) % list->n_list];

		if (process->process->ran || process->threads.looked_ns == 0)
			thread_nodes_look(&process->threads, list->env, list->nodes, process->pid, now_ns);
	}
	list->turn = list->n_list > 0 ? (list->turn + n) % list->n_list : 0;
}

static uint64_t huge_bytes(struct env *env, uint32_t pid)
{
	char bytes[4096];
	long length = pids_read(env, pid, "status", bytes, sizeof(bytes));
	struct pid_status status;

	if (length < 0)
		return 0;
	pid_status_parse(span_of(bytes, (size_t)length), &status);
	return status.huge_pages == U64_UNKNOWN ? 0 : status.huge_pages;
}

static void set_counted(struct locality_list *list, struct located *process, int error, uint64_t now_ns)
{
	process->looked_ns = now_ns;
	process->error = error;
	process->part = (struct page_nodes_part){ .whole = true };
	process->by_maps = true;
	process->resident_bytes = 0;
	for (size_t i = 0; i < list->nodes->n_nodes; i++)
		process->resident_bytes += process->pages[i];
}

static void count_now(struct locality_list *list, struct located *process, uint64_t now_ns)
{
	int error = maps_count_now(list->count, list->nodes, process->pid, process->pages);

	set_counted(list, process, error, now_ns);
}

static void sample_pages(struct locality_list *list, struct located *process, uint64_t now_ns)
{
	uint64_t pages = resident(process->process);

	process->looked_ns = now_ns;
	process->by_maps = false;
	process->error = page_nodes_look(&list->look, process->pid, pages, process->pages, &process->part);
	process->resident_bytes = pages * list->env->page_bytes + huge_bytes(list->env, process->pid);
}

/* Files of another root cost the process nothing. */
static void look_at_pages(struct locality_list *list, struct located *process, uint64_t now_ns)
{
	bool named = list->request->numa_maps && list->request->processes;

	if (!list->env->live || (named && list->request->batch)) {
		count_now(list, process, now_ns);
	} else if (list->env->foreign_pids) {
		process->looked_ns = now_ns;
		process->error = -EXDEV;
	} else {
		sample_pages(list, process, now_ns);
	}
}

static bool is_due(const struct locality_list *list, const struct located *process, uint64_t now_ns)
{
	uint64_t wait_ns = process->by_maps && list->env->live ? KEEP_COUNT_NS : LOOK_AGAIN_NS;

	if (process->process->stat.state == 'D') /* perhaps with its memory locked */
		return false;
	return process->looked_ns == 0 || list->request->batch || now_ns - process->looked_ns >= wait_ns;
}

static struct located *most_due(const struct locality_list *list, uint64_t now_ns)
{
	struct located *oldest = NULL;

	for (size_t i = 0; i < list->n_list; i++) {
		struct located *process = list->list[i];

		if (process->looked_ns != now_ns && is_due(list, process, now_ns) &&
		    (!oldest || process->looked_ns < oldest->looked_ns))
			oldest = process;
	}
	return oldest;
}

static void look_at_all_pages(struct locality_list *list, uint64_t now_ns)
{
	uint64_t until_ns = limit(list, now_ns);
	struct located *process;

	do {
		process = most_due(list, now_ns);
		if (process)
			look_at_pages(list, process, now_ns);
	} while (process && env_self_cpu_ns(list->env) < until_ns);
}

/* What the user has requested on the screen. */
static void count_requested(struct locality_list *list)
{
	uint32_t pid = list->request->counted.pid;
	int error = 0;

	if (list->n_counted == list->request->n_counted)
		return;
	for (size_t i = 0; i < list->n_list; i++)
		if (list->list[i]->pid == pid)
			error = maps_count_begin(list->count, pid, list->list[i]->start_ticks);
	if (error != -EBUSY) /* else in the next tick */
		list->n_counted = list->request->n_counted;
}

static void take_count(struct locality_list *list, uint64_t now_ns)
{
	uint64_t start_ticks, bytes[NODES_MAX];
	struct located *process;
	uint32_t pid;
	int error;

	if (!maps_count_take(list->count, list->nodes, &pid, &start_ticks, bytes, &error))
		return;
	process = find(list, pid, start_ticks);
	if (!process || error) /* what the sample said stays */
		return;
	for (size_t i = 0; i < list->nodes->n_nodes; i++)
		process->pages[i] = bytes[i];
	set_counted(list, process, error, now_ns);
}

static int update(void *state, const struct sample *sample)
{
	struct locality_list *list = state;
	uint64_t now_ns = sample_mono_ns(sample);

	if (list->generation != list->nodes->generation) {
		forget_all(list);
		list->generation = list->nodes->generation;
	}
	if (list->nodes->n_nodes < 2)
		return 0;
	choose(list);
	look_at_threads(list, now_ns);
	take_count(list, now_ns);
	count_requested(list);
	look_at_all_pages(list, now_ns);
	take_count(list, now_ns);
	list->last_ns = now_ns;
	return 0;
}

const struct reader locality_reader = {
	.name = "nodes of processes",
	.state_size = sizeof(struct locality_list),
	.reads = READINGS(READING(struct locality_list, nodes, &node_reader),
			  READING(struct locality_list, processes, &process_reader)),
	.open = open_list,
	.update = update,
	.close = close_list,
};

/* Pages, or bytes. */
static double looked_at(const struct locality_list *list, const struct located *process)
{
	double all = 0;

	for (size_t i = 0; i < list->nodes->n_nodes; i++)
		all += (double)process->pages[i];
	return all;
}

/*
 * Of a mean of n pages, from 0 to 1. Where all that were chosen are the same, the others may differ
 * nevertheless: 3 / n with 95 %. What was not located may be all 0, or all 1.
 */
static double error_of(const struct located *process, double mean, double variance, double n)
{
	double sampling = process->part.whole ? 0 : variance > 0 ? 2 * sqrt(variance / n) : 3 / n;

	return sampling + process->part.unseen * fmax(mean, 1 - mean);
}

double located_share(const struct locality_list *list, const struct located *process, size_t node,
		     double *error)
{
	double n = looked_at(list, process), share = (double)process->pages[node] / n;

	*error = NAN;
	if (process->error)
		return NAN;
	*error = error_of(process, share, share * (1 - share), n);
	return share;
}

double located_bytes(const struct locality_list *list, const struct located *process, size_t node)
{
	double error, share = located_share(list, process, node, &error);

	if (process->by_maps && !process->error)
		return (double)process->pages[node];
	if (process->part.whole && process->part.unseen == 0 && !process->error)
		return (double)process->pages[node] * (double)list->env->page_bytes;
	return share * (double)process->resident_bytes;
}

static double mean_distance(const struct locality_list *list, const struct located *process)
{
	double mean = 0, n = process->error ? NAN : looked_at(list, process);

	for (size_t from = 0; from < list->nodes->n_nodes; from++) {
		double cpu = thread_nodes_share(&process->threads, list->nodes, from);

		if (isnan(cpu))
			return NAN;
		for (size_t to = 0; to < list->nodes->n_nodes && cpu > 0; to++) {
			unsigned distance = node_list_distance(list->nodes, from, to);
			double weight = cpu * (double)process->pages[to] / n;

			if (weight > 0 && distance == 0)
				return NAN;
			mean += weight * distance;
		}
	}
	return mean;
}

struct locality locality_of(const struct locality_list *list, const struct located *process)
{
	struct locality locality = { .local_ratio = 0, .best_ratio = NAN };
	double squares = 0, n = looked_at(list, process), error;

	for (size_t i = 0; i < list->nodes->n_nodes; i++) {
		double share = located_share(list, process, i, &error);
		double cpu = thread_nodes_share(&process->threads, list->nodes, i);

		locality.local_ratio += share * cpu;
		squares += share * cpu * cpu;
		if (span_length(list->nodes->nodes[i].cpus) > 0 &&
		    (isnan(locality.best_ratio) || share > locality.best_ratio)) {
			locality.best_ratio = share;
			locality.best_node = i;
		}
	}
	locality.error_ratio = isnan(locality.local_ratio)
				       ? NAN
				       : error_of(process, locality.local_ratio,
						  squares - locality.local_ratio * locality.local_ratio, n);
	locality.distance = mean_distance(list, process);
	return locality;
}
