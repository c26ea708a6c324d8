/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics "locality", "node_process" and "node_thread": is the memory of processes where they run? */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "sys/pids.h"
#include "topic/node/locality_list.h"
#include "topic/process/process_entry.h"
#include "topic/topic.h"

#define BY_LOOKS "/proc/PID/task/TID/stat processor, looked at in each sample"
#define BY_PAGES "move_pages(2) of 4096 random pages, or /proc/PID/numa_maps"
#define SHARES_ROOM 512
#define SHARE_ROOM 16     /* " 1023:100" */
#define UNSEEN_NOTABLY 0.05
#define LEAST_SHARE 0.005 /* of a node, in a text of whole percents */

struct locality_row {
	uint64_t pid;
	double start_seconds;
	double local_ratio, error_ratio, far_bytes, resident_bytes, distance, age_seconds, moves_per_second;
	double best_ratio;
	uint64_t best_node, threads, wandering, moves;
	const char *memory, *cpus, *how, *command;
};

struct part_row {
	uint64_t pid;
	double start_seconds;
	uint64_t node;
	double bytes, share_ratio, cpu_ratio, local_ratio, error_ratio, age_seconds;
	const char *how, *command;
};

struct thread_row {
	uint64_t pid;
	double start_seconds;
	uint64_t tid, node, moves;
	double moves_per_second;
	const char *thread, *command;
};

#define LOCAL(type)                                                                                          \
	COLUMN(type, local_ratio, A_GAUGE(RATIO, N_("%local"), 6),                                           \
	       .help = N_("part of its memory that is on the node where it runs: the sum over the nodes "    \
			  "of its share of memory times its share of CPU time"),                             \
	       .source = "sum of share_ratio * cpu_ratio")

#define HOW(type)                                                                                            \
	COLUMN(type, how, .kind = COLUMN_LABEL, .title = N_("how"), .width = 10, .rank = 5,                  \
	       .help = N_("sample: 4096 pages chosen at random; all: all pages of a small process; "         \
			  "numa_maps: all pages, counted on request"),                                       \
	       .source = "panetop")

#define AGE(type)                                                                                            \
	COLUMN(type, age_seconds, A_GAUGE(SECONDS, N_("age"), 4), .rank = 4, .whole = true,                  \
	       .help = N_("how long ago its pages were looked at: processes take turns"),                    \
	       .source = "panetop")

static const struct column locality_columns[] = {
	LOCAL(struct locality_row),
	COLUMN(struct locality_row, error_ratio, A_GAUGE(RATIO, N_("%error"), 6), .rank = 2,
	       .help = N_("by how much %local may be off because only some pages were looked at (2 sigma), "
			  "and some of these not located; 0: all were"),
	       .source = "2 * sqrt(variance of cpu_ratio over the pages / pages), 3 / pages if all are "
			 "alike; + the part not located * max(local_ratio, 1 - local_ratio)"),
	COLUMN(struct locality_row, far_bytes, A_GAUGE(BYTES, N_("far"), 7),
	       .help = N_("memory that is on other nodes than it runs on"),
	       .source = "(1 - local_ratio) * resident_bytes"),
	COLUMN(struct locality_row, resident_bytes, A_GAUGE(BYTES, N_("resident"), 8), .rank = 1,
	       .help = N_("its resident memory and huge pages (hugetlb), when its pages were looked at"),
	       .source = "/proc/PID/statm resident, /proc/PID/status HugetlbPages; counted: numa_maps"),
	COLUMN(struct locality_row, memory, A_LABEL(N_("memory by node"), 14), .fleeting = true, .rank = 1,
	       .help = N_("node and its percent of the memory, for nodes with at least 0.5 %"),
	       .source = BY_PAGES),
	COLUMN(struct locality_row, cpus, A_LABEL(N_("ran by node"), 14), .fleeting = true, .rank = 1,
	       .help = N_("node and its percent of the CPU time since it was first watched, of which half is "
			  "forgotten in 30 s; as long as it used none: where its threads ran last"),
	       .source = BY_LOOKS),
	COLUMN(struct locality_row, distance, A_GAUGE(NONE, N_("distance"), 8), .rank = 3,
	       .help = N_("mean distance from where it runs to its memory: 10 if all is local"),
	       .source = "sum of share_ratio * cpu_ratio * distances of node"),
	COLUMN(struct locality_row, best_node, A_GAUGE(NONE, N_("best"), 4), .rank = 4,
	       .help = N_("of the nodes with CPUs, the one that has most of its memory"),
	       .source = "the node with CPUs that has the highest share_ratio"),
	COLUMN(struct locality_row, best_ratio, A_GAUGE(RATIO, N_("%best"), 6), .rank = 4,
	       .help = N_("what %local would be if it ran on that node only"),
	       .source = "the highest share_ratio of a node with CPUs"),
	COLUMN(struct locality_row, wandering, A_GAUGE(COUNT, N_("wander"), 6), .rank = 2,
	       .help = N_("its threads that were seen on more than one node"), .source = BY_LOOKS),
	COLUMN(struct locality_row, threads, A_GAUGE(COUNT, N_("threads"), 7), .rank = 4,
	       .help = N_("its threads"), .source = "/proc/PID/task"),
	COLUMN(struct locality_row, moves_per_second, A_RATE(PER_SECOND, N_("moves/s"), 7), .rank = 3,
	       .rate_of = offsetof(struct locality_row, moves),
	       .help = N_("moves of its threads to another node, as far as seen: at most one for each thread "
			  "and sample"),
	       .source = "growth of moves / time"),
	COLUMN(struct locality_row, moves, A_COUNTER(COUNT, N_("moves"), 7), .hidden = true,
	       .help = N_("the same since it was first watched"), .source = BY_LOOKS),
	AGE(struct locality_row),
	HOW(struct locality_row),
	COLUMN(struct locality_row, pid, A_PROCESS_ID, .help = N_("process ID")),
	COLUMN(struct locality_row, start_seconds, A_PROCESS_START),
	COLUMN(struct locality_row, command, A_PROCESS_NAME),
};

static const char one_node[] = N_("there is one NUMA node, or no process was looked at");

static const struct schema locality_schema = {
	.name = "locality",
	.help = N_("is the memory of processes on the nodes where they run? those with the most memory"),
	.none = one_node, .of_run = true, SCHEMA_ROWS(struct locality_row, locality_columns),
};

static const struct column part_columns[] = {
	COLUMN(struct part_row, pid, A_PROCESS_ID, .help = N_("process ID")),
	COLUMN(struct part_row, start_seconds, A_PROCESS_START),
	COLUMN(struct part_row, node, A_KEY(N_("node"), 4),
	       .help = N_("number of a NUMA node where it has memory or runs"), .source = "/" NODE_ONLINE),
	COLUMN(struct part_row, bytes, A_GAUGE(BYTES, N_("memory"), 7), .additive = true,
	       .help = N_("its resident memory there, with huge pages (hugetlb)"),
	       .source = "share_ratio * resident memory; counted: numa_maps"),
	COLUMN(struct part_row, share_ratio, A_GAUGE(RATIO, N_("%mem"), 6),
	       .help = N_("share of its resident memory that is there"), .source = BY_PAGES),
	COLUMN(struct part_row, error_ratio, A_GAUGE(RATIO, N_("%error"), 6), .rank = 2,
	       .help = N_("by how much %mem may be off because only some pages were looked at (2 sigma), and "
			  "some of these not located; 0: all were"),
	       .source = "2 * sqrt(p * (1 - p) / pages), p: share_ratio; 3 / pages if all are alike; + the "
			 "part not located * max(p, 1 - p)"),
	COLUMN(struct part_row, cpu_ratio, A_GAUGE(RATIO, N_("%ran"), 6),
	       .help = N_("share of its CPU time there since it was first watched, of which half is "
			  "forgotten in 30 s; as long as it used none: where its threads ran last"),
	       .source = BY_LOOKS),
	LOCAL(struct part_row),
	AGE(struct part_row),
	HOW(struct part_row),
	COLUMN(struct part_row, command, A_PROCESS_NAME),
};

static const struct schema part_schema = {
	.name = "node_process", .help = N_("memory and CPU time of processes by NUMA node"), .none = one_node,
	SCHEMA_ROWS(struct part_row, part_columns),
};

static const struct column thread_columns[] = {
	COLUMN(struct thread_row, moves_per_second, A_RATE(PER_SECOND, N_("moves/s"), 7),
	       .rate_of = offsetof(struct thread_row, moves),
	       .help = N_("moves to another node, as far as seen: at most one in a sample"),
	       .source = "growth of moves / time"),
	COLUMN(struct thread_row, moves, A_COUNTER(COUNT, N_("moves"), 7),
	       .help = N_("the same since its process was first watched"), .source = BY_LOOKS),
	COLUMN(struct thread_row, node, A_LABEL(N_("node"), 4), .fleeting = true,
	       .help = N_("where it ran last"), .source = "/proc/PID/task/TID/stat processor"),
	COLUMN(struct thread_row, pid, A_PROCESS_ID, .help = N_("process ID")),
	COLUMN(struct thread_row, start_seconds, A_PROCESS_START),
	COLUMN(struct thread_row, tid, A_KEY(N_("TID"), 7), .fleeting = true, .help = N_("thread ID"),
	       .source = "/proc/PID/task"),
	COLUMN(struct thread_row, thread, A_LABEL(N_("thread"), 16), .help = N_("name of the thread"),
	       .source = "/proc/PID/task/TID/stat comm"),
	COLUMN(struct thread_row, command, A_PROCESS_NAME),
};

static const struct schema thread_schema = {
	.name = "node_thread",
	.help = N_("threads that wander from node to node, of the processes with the most memory"),
	.none = N_("no thread was seen on more than one node"), .from_zero = true, .of_run = true,
	SCHEMA_ROWS(struct thread_row, thread_columns),
};

/* A page of panetop's own. */
static int test_move_pages(struct env *env)
{
	int node = env->live ? page_file_node(env_self_pid(), (uintptr_t)&env) : -ENOTSUP;

	return node < 0 ? node : 0;
}

static const struct source_spec sources[] = {
	{ .path = NODE_ONLINE, .gives = N_("NUMA nodes: their memory, CPUs and distances"), .optional = true,
	  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_NUMA"), .unused = true } } },
	{ .path = "move_pages(2)", .gives = N_("on which nodes pages of processes are"), .optional = true,
	  .test = test_move_pages,
	  .remedies = { { ENOSYS, N_("this kernel was built without CONFIG_NUMA"), .unused = true },
			{ EPERM, REMEDY_OF_FILTER } } },
	{ .path = "proc/self/numa_maps", .gives = N_("the same of all pages, on request"), .optional = true,
	  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_NUMA"), .unused = true } } },
	{ 0 },
};

static const char *copy_name(struct sample *sample, const struct located *process)
{
	return arena_copy(&sample->frame->arena, process->process->name, strlen(process->process->name));
}

static const char *how(const struct located *process)
{
	if (process->error)
		return NULL;
	return process->by_maps ? "numa_maps" : process->part.whole ? "all" : "sample";
}

static double age(const struct sample *sample, const struct located *process)
{
	return process->error ? NAN : (double)(sample_mono_ns(sample) - process->looked_ns) * 1e-9;
}

/* "0:71 1:29"; NULL: not known. Of a machine with very many nodes those that fit. */
static const char *shares(struct sample *sample, const struct located *process,
			  double (*share)(const struct locality_list *list, const struct located *process,
					  size_t node))
{
	const struct locality_list *list = sample->state;
	char text[SHARES_ROOM];
	size_t length = 0;

	for (size_t i = 0; i < list->nodes->n_nodes && length < sizeof(text) - SHARE_ROOM; i++) {
		double part = share(list, process, i);

		if (part >= LEAST_SHARE)
			length += (size_t)snprintf(text + length, SHARE_ROOM, "%s%u:%.0f", length ? " " : "",
						   (unsigned)list->nodes->nodes[i].number, 100 * part);
	}
	return length > 0 ? arena_copy(&sample->frame->arena, text, length) : NULL;
}

static double memory_share(const struct locality_list *list, const struct located *process, size_t node)
{
	double error;

	return located_share(list, process, node, &error);
}

static double cpu_share(const struct locality_list *list, const struct located *process, size_t node)
{
	return thread_nodes_share(&process->threads, list->nodes, node);
}

static void notice_hidden(struct sample *sample)
{
	const struct locality_list *list = sample->state;
	size_t n_hidden = 0, n_unseen = 0;

	for (size_t i = 0; i < list->n_list; i++) {
		n_hidden += list->list[i]->error == -EPERM || list->list[i]->error == -EACCES;
		n_unseen += !list->list[i]->error && !(list->list[i]->part.unseen < UNSEEN_NOTABLY);
	}
	if (n_unseen > 0)
		frame_notice(sample->frame, sample->topic->schema->name,
			     _("--numa-maps counts all of those that --pid names, as F9 does"),
			     P_("this kernel does not locate many pages of %zu process (see %%error)",
				"this kernel does not locate many pages of %zu processes (see %%error)",
				n_unseen),
			     n_unseen);
	if (list->request->numa_maps && !list->request->processes)
		frame_notice(sample->frame, sample->topic->schema->name, NULL, "%s",
			     _("--numa-maps counts only the processes that --pid names"));
	if (n_hidden > 0)
		frame_notice(sample->frame, sample->topic->schema->name,
			     remedy_for_user(N_("run it as root, or give it the capability cap_sys_ptrace")),
			     P_("the nodes of the memory of %zu process are hidden",
				"the nodes of the memory of %zu processes are hidden", n_hidden),
			     n_hidden);
}

static int sample_locality(struct sample *sample)
{
	const struct locality_list *list = sample->state;

	for (size_t i = 0; i < list->n_list; i++) {
		const struct located *process = list->list[i];
		struct locality locality = locality_of(list, process);
		struct locality_row *row = table_add(sample->table);

		row->pid = process->pid;
		row->start_seconds = process_start_seconds(sample->env, process->start_ticks);
		row->command = copy_name(sample, process);
		row->local_ratio = locality.local_ratio;
		row->error_ratio = locality.error_ratio;
		row->distance = locality.distance;
		row->best_ratio = locality.best_ratio;
		if (!isnan(locality.best_ratio))
			row->best_node = list->nodes->nodes[locality.best_node].number;
		row->resident_bytes = process->error ? NAN : (double)process->resident_bytes;
		row->far_bytes = (1 - locality.local_ratio) * row->resident_bytes;
		row->memory = shares(sample, process, memory_share);
		row->cpus = shares(sample, process, cpu_share);
		if (process->threads.looked_ns > 0) {
			row->threads = process->threads.n_threads;
			row->wandering = thread_nodes_wandering(&process->threads);
			row->moves = process->threads.moves;
		}
		row->age_seconds = age(sample, process);
		row->how = how(process);
	}
	notice_hidden(sample);
	return 0;
}

static void add_part(struct sample *sample, const struct located *process, size_t node, double local)
{
	const struct locality_list *list = sample->state;
	double error, share = located_share(list, process, node, &error);
	double cpu = thread_nodes_share(&process->threads, list->nodes, node);
	struct part_row *row;

	if (!(share > 0) && !(cpu > 0))
		return;
	row = table_add(sample->table);
	row->pid = process->pid;
	row->start_seconds = process_start_seconds(sample->env, process->start_ticks);
	row->command = copy_name(sample, process);
	row->node = list->nodes->nodes[node].number;
	row->bytes = located_bytes(list, process, node);
	row->share_ratio = share;
	row->error_ratio = error;
	row->cpu_ratio = cpu;
	row->local_ratio = local;
	row->age_seconds = age(sample, process);
	row->how = how(process);
}

static int sample_parts(struct sample *sample)
{
	const struct locality_list *list = sample->state;

	for (size_t i = 0; i < list->n_list; i++) {
		double local = locality_of(list, list->list[i]).local_ratio;

		for (size_t node = 0; node < list->nodes->n_nodes; node++)
			add_part(sample, list->list[i], node, local);
	}
	notice_hidden(sample);
	return 0;
}

static void add_wanderers(struct sample *sample, const struct located *process)
{
	const struct locality_list *list = sample->state;

	for (size_t i = 0; i < process->threads.n_threads; i++) {
		const struct node_thread *thread = &process->threads.threads[i];
		struct thread_row *row;

		if (thread->moves == 0)
			continue;
		row = table_add(sample->table);
		row->pid = process->pid;
		row->start_seconds = process_start_seconds(sample->env, process->start_ticks);
		row->tid = thread->tid;
		row->node = list->nodes->nodes[thread->node].number;
		row->moves = thread->moves;
		row->thread = arena_copy(&sample->frame->arena, thread->name, strlen(thread->name));
		row->command = copy_name(sample, process);
	}
}

static int sample_threads(struct sample *sample)
{
	const struct locality_list *list = sample->state;

	for (size_t i = 0; i < list->n_list; i++)
		add_wanderers(sample, list->list[i]);
	return 0;
}

#define USES (PRIVILEGE_BIT(PRIVILEGE_NODE) | PRIVILEGE_BIT(PRIVILEGE_MAPS) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN))

const struct topic topic_locality = {
	.schema = &locality_schema, .sources = sources, .reads = READING_ONE(&locality_reader),
	.sample = sample_locality, .uses = USES,
};

const struct topic topic_node_process = {
	.schema = &part_schema, .sources = sources, .reads = READING_ONE(&locality_reader),
	.sample = sample_parts, .uses = USES,
};

const struct topic topic_node_thread = {
	.schema = &thread_schema, .sources = sources, .reads = READING_ONE(&locality_reader),
	.sample = sample_threads, .uses = USES,
};
