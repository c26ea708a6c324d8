/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps processes and what they wait for as long as an interval of the window has them. */
#include <config.h>

#include "topic/profile/wait_ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"

#define ITEMS_SPARE 256 /* unused ones are left out when there are more, and twice as many as before */

void wait_ledger_free(struct wait_ledger *ledger)
{
	free(ledger->processes);
	free(ledger->items);
	free(ledger->growth);
	free(ledger->intervals);
	hash_free(&ledger->by_pid);
	hash_free(&ledger->by_what);
	intern_free(&ledger->names);
	*ledger = (struct wait_ledger){ 0 };
}

static uint64_t hash_of(uint32_t process, uint32_t state, uint32_t stack, int32_t call)
{
	return hash_u64(hash_u64((uint64_t)process << 32 | stack) ^ ((uint64_t)(uint32_t)call << 32 | state));
}

void wait_ledger_begin(struct wait_ledger *ledger)
{
	for (size_t i = 0; i < ledger->n_processes; i++) {
		struct wait_process *process = &ledger->processes[i];

		process->seen = false;
		process->threads = 0;
		process->counted_ns = process->most_ns = 0;
		process->most_item = HASH_NONE;
		memcpy(process->now_ns, process->gone_ns, sizeof(process->now_ns));
	}
	for (size_t i = 0; i < ledger->n_items; i++)
		ledger->items[i].now_ns = ledger->items[i].now_waits = 0;
}

uint32_t wait_ledger_find(const struct wait_ledger *ledger, uint32_t pid)
{
	uint32_t at;

	HASH_FIND(at, &ledger->by_pid, hash_u64(pid),
		  ledger->processes[at].pid == pid && !ledger->processes[at].ended);
	return at;
}

uint32_t wait_ledger_process(struct wait_ledger *ledger, uint32_t pid, uint64_t start_ticks)
{
	uint32_t at = wait_ledger_find(ledger, pid);

	if (at != HASH_NONE && ledger->processes[at].start_ticks == start_ticks) {
		ledger->processes[at].seen = true;
		return at;
	}
	if (at != HASH_NONE)
		ledger->processes[at].ended = true;
	hash_add(&ledger->by_pid, hash_u64(pid), (uint32_t)ledger->n_processes);
	*VECTOR_ADD(ledger->processes, ledger->n_processes, ledger->process_capacity) = (struct wait_process){
		.pid = pid,
		.start_ticks = start_ticks,
		.seen = true,
		.most_item = HASH_NONE,
	};
	return (uint32_t)(ledger->n_processes - 1);
}

uint32_t wait_ledger_item(struct wait_ledger *ledger, uint32_t process, uint32_t state, uint32_t stack,
			  int32_t call)
{
	uint64_t hash = hash_of(process, state, stack, call);
	uint32_t at;

	HASH_FIND(at, &ledger->by_what, hash,
		  ledger->items[at].process == process && ledger->items[at].state == state &&
			  ledger->items[at].stack == stack && ledger->items[at].call == call);
	if (at != HASH_NONE)
		return at;
	hash_add(&ledger->by_what, hash, (uint32_t)ledger->n_items);
	*VECTOR_ADD(ledger->items, ledger->n_items, ledger->item_capacity) =
		(struct wait_item){ .process = process, .stack = stack, .state = state, .call = call };
	return (uint32_t)(ledger->n_items - 1);
}

void wait_ledger_add(struct wait_ledger *ledger, uint32_t number, uint64_t ns, uint64_t waits)
{
	struct wait_item *item = &ledger->items[number];
	struct wait_process *process = &ledger->processes[item->process];

	item->now_ns += ns;
	item->now_waits += waits;
	if (item->state == BPF_STATE_RUNNING || item->state == BPF_STATE_READY)
		return;
	process->counted_ns += ns;
	if (process->most_item == HASH_NONE || item->now_ns > process->most_ns) {
		process->most_item = number;
		process->most_ns = item->now_ns;
	}
}

void wait_ledger_name(struct wait_ledger *ledger, uint32_t number, enum wait_cause cause,
		      struct span function)
{
	struct wait_item *item = &ledger->items[number];
	char name[128];

	item->is_known = true;
	item->cause = cause;
	item->function = NULL;
	if (span_length(function) == 0)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)span_length(function), function.at);
	item->function = intern_text(&ledger->names, name);
}

static void leave_out(struct wait_ledger *ledger, uint64_t keep_ns)
{
	size_t n_old = 0, n_growth = 0;

	while (n_old < ledger->n_intervals && ledger->intervals[n_old].to_ns <= keep_ns)
		n_growth += ledger->intervals[n_old++].n;
	if (n_old == 0)
		return;
	ledger->n_intervals -= n_old;
	ledger->n_growth -= n_growth;
	memmove(ledger->intervals, ledger->intervals + n_old,
		ledger->n_intervals * sizeof(*ledger->intervals));
	memmove(ledger->growth, ledger->growth + n_growth, ledger->n_growth * sizeof(*ledger->growth));
}

static void add_interval(struct wait_ledger *ledger, uint64_t now_ns)
{
	struct wait_interval interval = { .from_ns = ledger->last_ns, .to_ns = now_ns };

	for (size_t i = 0; i < ledger->n_items; i++) {
		struct wait_item *item = &ledger->items[i];
		int64_t ns = (int64_t)(item->now_ns - item->before_ns);
		int64_t waits = (int64_t)(item->now_waits - item->before_waits);

		item->before_ns = item->now_ns;
		item->before_waits = item->now_waits;
		if (ledger->last_ns == 0 || !ledger->processes[item->process].seen || (ns == 0 && waits == 0))
			continue;
		*VECTOR_ADD(ledger->growth, ledger->n_growth, ledger->growth_capacity) =
			(struct wait_growth){ (uint32_t)i, ns, waits };
		interval.n++;
	}
	if (ledger->last_ns > 0)
		*VECTOR_ADD(ledger->intervals, ledger->n_intervals, ledger->interval_capacity) = interval;
	ledger->last_ns = now_ns;
}

static void end_processes(struct wait_ledger *ledger)
{
	for (size_t i = 0; i < ledger->n_processes; i++)
		if (!ledger->processes[i].seen)
			ledger->processes[i].ended = true;
	for (size_t i = 0; i < ledger->n_items; i++)
		if (ledger->processes[ledger->items[i].process].ended)
			ledger->items[i].before_ns = ledger->items[i].before_waits = 0;
}

/* Marks in numbers what is in use, then gives that its new number. */
static size_t number_used(uint32_t *numbers, size_t n)
{
	uint32_t next = 0;

	for (size_t i = 0; i < n; i++)
		numbers[i] = numbers[i] ? next++ : HASH_NONE;
	return next;
}

static void move_items(struct wait_ledger *ledger, const uint32_t *new_items, const uint32_t *new_processes)
{
	hash_clear(&ledger->by_what);
	hash_clear(&ledger->by_pid);
	for (size_t i = 0; i < ledger->n_processes; i++)
		if (new_processes[i] != HASH_NONE) {
			ledger->processes[new_processes[i]] = ledger->processes[i];
			hash_add(&ledger->by_pid, hash_u64(ledger->processes[i].pid), new_processes[i]);
		}
	for (size_t i = 0; i < ledger->n_items; i++)
		if (new_items[i] != HASH_NONE) {
			struct wait_item *item = &ledger->items[new_items[i]];

			*item = ledger->items[i];
			item->process = new_processes[item->process];
			hash_add(&ledger->by_what,
				 hash_of(item->process, item->state, item->stack, item->call), new_items[i]);
		}
	for (size_t i = 0; i < ledger->n_growth; i++)
		ledger->growth[i].item = new_items[ledger->growth[i].item];
}

static void drop_unused(struct wait_ledger *ledger)
{
	uint32_t *items, *processes;
	size_t n_processes;

	if (ledger->n_items < ITEMS_SPARE || ledger->n_items < 2 * ledger->n_items_kept)
		return;
	items = alloc_zeroed(ledger->n_items, sizeof(*items));
	processes = alloc_zeroed(ledger->n_processes, sizeof(*processes));
	for (size_t i = 0; i < ledger->n_growth; i++)
		items[ledger->growth[i].item] = 1;
	for (size_t i = 0; i < ledger->n_items; i++) {
		items[i] |= ledger->items[i].before_ns > 0 || ledger->items[i].before_waits > 0;
		processes[ledger->items[i].process] |= items[i];
	}
	for (size_t i = 0; i < ledger->n_processes; i++)
		processes[i] |= !ledger->processes[i].ended;
	ledger->n_items_kept = number_used(items, ledger->n_items);
	n_processes = number_used(processes, ledger->n_processes);
	move_items(ledger, items, processes);
	ledger->n_items = ledger->n_items_kept;
	ledger->n_processes = n_processes;
	free(items);
	free(processes);
}

void wait_ledger_end(struct wait_ledger *ledger, uint64_t now_ns, uint64_t keep_ns)
{
	leave_out(ledger, keep_ns < ledger->last_ns ? keep_ns : ledger->last_ns);
	add_interval(ledger, now_ns);
	end_processes(ledger);
	drop_unused(ledger);
}

double wait_ledger_sum(struct wait_ledger *ledger)
{
	for (size_t i = 0; i < ledger->n_items; i++)
		ledger->items[i].window_ns = ledger->items[i].window_waits = 0;
	for (size_t i = 0; i < ledger->n_growth; i++) {
		struct wait_item *item = &ledger->items[ledger->growth[i].item];

		item->window_ns += ledger->growth[i].ns;
		item->window_waits += ledger->growth[i].waits;
	}
	return ledger->n_intervals > 0 ? (double)(ledger->last_ns - ledger->intervals[0].from_ns) / 1e9 : 0;
}
