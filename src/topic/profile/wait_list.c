/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts in the kernel, or by records of switches, and puts together what items of the ledger have in common.
 */
#include <config.h>

#include "topic/profile/wait_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "topic/process/process_list.h"
#include "topic/profile/wait_kernel.h"
#include "topic/profile/wait_scope.h"
#include "topic/profile/wait_switches.h"

struct wait_list {
	struct process_list *processes;
	bool opened, of_scope;
	uint32_t process; /* the one that is looked at; 0: the scope, or none */
	unsigned epoch;   /* of the scope */
	struct wait_kernel kernel;
	struct wait_switches *switches; /* where the kernel does not count; NULL */
	struct wait_ledger ledger;
	uint32_t *order; /* of items, for rows */
	size_t order_capacity;
	struct wait_row *rows;
	size_t n_rows, row_capacity;
	double seconds;
	uint64_t now_ns;
};

static uint32_t wanted_process(const struct sample_request *request)
{
	if (request->profiled_pid)
		return request->profiled_pid;
	if (scope_is_set(request->scope))
		return wait_scope_process(request);
	return request->mapped.is_set ? request->mapped.pid : 0;
}

static void close_counting(struct wait_list *list)
{
	wait_kernel_close(&list->kernel);
	wait_switches_close(list->switches);
	list->switches = NULL;
	wait_ledger_free(&list->ledger);
	list->opened = false;
}

void wait_list_prepare(struct wait_list *list, const struct sample *sample)
{
	uint32_t process = wanted_process(sample->request);
	bool of_scope = process == 0 && scope_is_set(sample->request->scope);
	unsigned epoch = of_scope ? sample->request->scope->epoch : 0;

	if (list->opened && (list->process != process || list->of_scope != of_scope || list->epoch != epoch))
		close_counting(list);
	if (list->opened || (!process && !of_scope))
		return;
	list->process = process;
	list->of_scope = of_scope;
	list->epoch = epoch;
	list->opened = true;
	wait_kernel_open(&list->kernel, sample, process);
	if (list->kernel.trace.error && sample->env->live)
		list->switches = wait_switches_open(sample->env);
	list->ledger.last_ns = env_mono_ns(sample->env);
}

static void close_list(void *state)
{
	struct wait_list *list = state;

	close_counting(list);
	wait_kernel_free(&list->kernel);
	free(list->order);
	free(list->rows);
}

static const struct wait_ledger *sorted; /* while it is */

static int by_row(const void *a, const void *b)
{
	const struct wait_item *one = &sorted->items[*(const uint32_t *)a];
	const struct wait_item *other = &sorted->items[*(const uint32_t *)b];

	if (one->process != other->process)
		return one->process < other->process ? -1 : 1;
	if (one->cause != other->cause)
		return one->cause < other->cause ? -1 : 1;
	return strcmp(one->function ? one->function : "", other->function ? other->function : "");
}

/* In scope now; what has ended was, when it was looked at. */
static bool is_shown(const struct wait_list *list, const struct wait_process *process)
{
	const struct process *listed = process_list_find(list->processes, process->pid);

	return !listed || listed->start_ticks != process->start_ticks || !listed->outside || list->process;
}

static const char *name_of(const struct wait_list *list, const struct wait_process *process)
{
	const struct process *listed = process_list_find(list->processes, process->pid);

	return listed && listed->start_ticks == process->start_ticks ? listed->name : process->command;
}

static struct wait_row *add_row(struct wait_list *list, const struct wait_item *item)
{
	const struct wait_process *process = &list->ledger.processes[item->process];
	struct wait_row *row = VECTOR_ADD(list->rows, list->n_rows, list->row_capacity);

	*row = (struct wait_row){
		.pid = process->pid,
		.start_ticks = process->start_ticks,
		.cause = item->cause,
		.function = item->function ? item->function : "",
		.command = name_of(list, process),
		.waits = item->cause <= WAIT_READY ? U64_BLANK : 0,
		.how = "bpf",
	};
	if (list->switches) {
		bool counted = wait_switches_has(list->switches, process->pid);

		row->how = counted ? "switches" : "proc";
		if (row->waits == 0 && !counted)
			row->waits = U64_UNKNOWN;
	}
	return row;
}

static void add_rows(struct wait_list *list)
{
	struct wait_row *row = NULL;
	size_t n = 0;

	list->seconds = wait_ledger_sum(&list->ledger);
	VECTOR_RESERVE(list->order, list->ledger.n_items + 1, list->order_capacity);
	for (uint32_t i = 0; i < list->ledger.n_items; i++) {
		const struct wait_item *item = &list->ledger.items[i];

		if ((item->window_ns != 0 || item->window_waits != 0) &&
		    is_shown(list, &list->ledger.processes[item->process]))
			list->order[n++] = i;
	}
	sorted = &list->ledger;
	qsort(list->order, n, sizeof(*list->order), by_row);
	for (size_t i = 0; i < n; i++) {
		const struct wait_item *item = &list->ledger.items[list->order[i]];
		const struct wait_process *process = &list->ledger.processes[item->process];

		if (i == 0 || by_row(&list->order[i - 1], &list->order[i]) != 0)
			row = add_row(list, item);
		row->seconds += process->is_broken ? NAN : (double)item->window_ns / 1e9;
		if (row->waits < U64_BLANK)
			row->waits += item->window_waits > 0 ? (uint64_t)item->window_waits : 0;
	}
}

static int update_list(void *state, const struct sample *sample)
{
	struct wait_list *list = state;
	uint64_t now_ns;

	list->n_rows = 0;
	list->now_ns = 0;
	if (!list->opened)
		return 0;
	wait_ledger_begin(&list->ledger);
	now_ns = list->switches
			 ? wait_switches_update(list->switches, list->processes, list->process, &list->ledger)
			 : wait_kernel_update(&list->kernel, sample, list->processes, &list->ledger);
	if (now_ns == 0)
		return 0;
	wait_ledger_end(&list->ledger, now_ns,
			sample->request->batch ? list->ledger.last_ns : now_ns - WAIT_WINDOW_NS);
	list->now_ns = now_ns;
	add_rows(list);
	return 0;
}

const struct wait_row *wait_list_rows(const struct wait_list *list, size_t *n, uint64_t *now_ns)
{
	*n = list->n_rows;
	*now_ns = list->now_ns;
	return list->rows;
}

double wait_list_seconds(const struct wait_list *list)
{
	return list->seconds;
}

void wait_list_notices(const struct wait_list *list, struct frame *frame)
{
	size_t left_out = list->switches ? wait_switches_left_out(list->switches) : 0;

	trace_notice(&list->kernel.trace, frame,
		     _("causes are sampled, of processes that may be read, and short waits have those of "
		       "others"));
	if (left_out > 0)
		frame_notice(frame, "waiting", _("choose a scope with less of them"),
			     P_("%zu thread is not followed", "%zu threads are not followed", left_out),
			     left_out);
}

bool wait_list_is_wanted(const struct sample_request *request)
{
	return request->profiled_pid != 0 || scope_is_set(request->scope);
}

static const struct reading reads[] = {
	READING(struct wait_list, processes, &process_reader),
	{ 0 },
};

const struct reader wait_reader = {
	.name = "waits of threads",
	.state_size = sizeof(struct wait_list),
	.reads = reads,
	.update = update_list,
	.close = close_list,
};
