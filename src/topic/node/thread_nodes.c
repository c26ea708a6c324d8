/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU time since the last look counts for the node that a thread is on now, which is where it ran last. */
#include <config.h>

#include "topic/node/thread_nodes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/pid/pid_stat.h"
#include "sys/pids.h"

#define LOOK_MAX 256 /* threads */
#define HALF_LIFE_NS 30e9
#define FIRST_LOOK_TICKS                                                                                     \
	0.01 /* what a first look counts for all threads: any time that is seen later is more */

void thread_nodes_free(struct thread_nodes *process)
{
	free(process->threads);
	free(process->room);
	free(process->cpu);
}

/* The list of its threads, with what is known of those that it had before. */
static void match(struct thread_nodes *process, const uint32_t *tids, size_t n_tids)
{
	struct node_thread *before = process->threads;
	size_t capacity = process->capacity, at = 0;

	VECTOR_RESERVE(process->room, n_tids, process->room_capacity);
	for (size_t i = 0; i < n_tids; i++) {
		while (at < process->n_threads && before[at].tid < tids[i])
			at++;
		process->room[i] = at < process->n_threads && before[at].tid == tids[i]
					   ? before[at]
					   : (struct node_thread){ .tid = tids[i],
								   .node = NODE_NONE,
								   .ticks = U64_UNKNOWN };
	}
	process->threads = process->room;
	process->capacity = process->room_capacity;
	process->n_threads = n_tids;
	process->room = before;
	process->room_capacity = capacity;
}

static void set_name(struct node_thread *thread, struct span comm)
{
	size_t length = span_length(comm) < THREAD_NAME_ROOM ? span_length(comm) : THREAD_NAME_ROOM - 1;

	memcpy(thread->name, comm.at, length);
	thread->name[length] = '\0';
}

/* CPU time that it used since the last look; of one that was not seen before, if it began since the first. */
static double used(const struct thread_nodes *process, const struct node_thread *thread,
		   const struct pid_stat *stat)
{
	uint64_t ticks = stat->user_ticks + stat->system_ticks;

	if (process->looked_ns == 0)
		return (double)ticks + 1;
	if (thread->ticks == U64_UNKNOWN)
		return stat->start_ticks >= process->began_ticks ? (double)ticks : 0;
	return ticks > thread->ticks ? (double)(ticks - thread->ticks) : 0;
}

static void look_at(struct thread_nodes *process, struct env *env, const struct node_list *nodes,
		    uint32_t pid, struct node_thread *thread)
{
	char bytes[1024], name[48];
	struct pid_stat stat;
	uint32_t node;
	long length;

	snprintf(name, sizeof(name), "task/%u/stat", thread->tid);
	length = pids_read(env, pid, name, bytes, sizeof(bytes));
	if (length < 0 || !pid_stat_parse(span_of(bytes, (size_t)length), &stat))
		return;
	if (thread->ticks != U64_UNKNOWN && thread->start_ticks != stat.start_ticks)
		*thread = (struct node_thread){ .tid = thread->tid, .node = NODE_NONE, .ticks = U64_UNKNOWN };
	node = node_list_of_cpu(nodes, stat.processor);
	if (node != NODE_NONE)
		process->cpu[node] += used(process, thread, &stat);
	if (node != NODE_NONE && thread->node != NODE_NONE && thread->node != node) {
		thread->moves++;
		process->moves++;
	}
	if (node != NODE_NONE)
		thread->node = node;
	thread->start_ticks = stat.start_ticks;
	thread->ticks = stat.user_ticks + stat.system_ticks;
	set_name(thread, stat.comm);
}

static void scale(struct thread_nodes *process, const struct node_list *nodes, double factor)
{
	for (size_t i = 0; i < nodes->n_nodes; i++)
		process->cpu[i] *= factor;
}

static double sum(const struct thread_nodes *process, const struct node_list *nodes)
{
	double ticks = 0;

	for (size_t i = 0; i < nodes->n_nodes; i++)
		ticks += process->cpu[i];
	return ticks;
}

int thread_nodes_look(struct thread_nodes *process, struct env *env, const struct node_list *nodes,
		      uint32_t pid, uint64_t now_ns)
{
	const uint32_t *tids;
	size_t n_tids, n;
	int error = pids_threads(env, pid, &tids, &n_tids);

	if (error)
		return error;
	if (!process->cpu)
		process->cpu = alloc_zeroed(nodes->n_nodes, sizeof(*process->cpu));
	if (process->looked_ns == 0)
		process->began_ticks =
			(uint64_t)((double)env_boot_ns(env) * 1e-9 * (double)env->ticks_per_second);
	else
		scale(process, nodes, exp2(-(double)(now_ns - process->looked_ns) / HALF_LIFE_NS));
	match(process, tids, n_tids);
	n = n_tids < LOOK_MAX ? n_tids : LOOK_MAX;
	/* cppcheck-suppress knownConditionTrueFalse ; there are threads */
	for (size_t i = 0; i < n; i++)
		look_at(process, env, nodes, pid, &process->threads[(process->next + i) % n_tids]);
	process->next = n_tids > 0 ? (process->next + n) % n_tids : 0;
	if (process->looked_ns == 0 && sum(process, nodes) > 0)
		scale(process, nodes, FIRST_LOOK_TICKS / sum(process, nodes));
	process->looked_ns = now_ns;
	return 0;
}

size_t thread_nodes_wandering(const struct thread_nodes *process)
{
	size_t n = 0;

	for (size_t i = 0; i < process->n_threads; i++)
		n += process->threads[i].moves > 0;
	return n;
}

double thread_nodes_share(const struct thread_nodes *process, const struct node_list *nodes, size_t node)
{
	double all = process->cpu ? sum(process, nodes) : 0;

	return all > 0 ? process->cpu[node] / all : NAN;
}
