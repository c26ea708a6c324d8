/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that a list may show now come first, the others in turns: no tick reads all of them. */
#include <config.h>

#include "topic/process/first_read.h"

#include "kernel/pid/pid_stat.h"

#define TURNS_MIN ((size_t)512) /* a machine with fewer processes has all of them read at once */
#define TURN_TICKS 16           /* after which all had their turn */
#define BUSY 1000               /* a process that ran for more than a part in BUSY of its life is busy */

size_t first_read_turns(const struct process_list *list)
{
	size_t turns = list->n_all / TURN_TICKS + 1;

	if (!list->clocks || !list->request || list->request->batch)
		return SIZE_MAX;
	return turns > TURNS_MIN ? turns : TURNS_MIN;
}

static bool was_busy(const struct process_list *list, const struct process *process)
{
	uint64_t start_ns = process->start_ticks * (UINT64_C(1000000000) / list->env->ticks_per_second);

	return list->boot_ns > start_ns && process->cpu_ns > (list->boot_ns - start_ns) / BUSY;
}

/* A busy one may be in a list of the next tick. In the first tick all are new, so that ran says nothing. */
bool first_read_is_due(const struct process_list *list, const struct process *process, size_t *turns)
{
	char state = process->stat.state;

	if ((process->ran && list->updates > 1) || state == 'R' || state == 'D' || was_busy(list, process))
		return true;
	if (*turns == 0)
		return false;
	--*turns;
	return true;
}
