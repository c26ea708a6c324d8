/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of counters for each CPU, which follows CPUs as they come online and go, and sums over all of them.
 */
#include <config.h>

#include "topic/counter/counter_machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/system.h"
#include "sys/perf_ring.h"

#define CORE_TYPE_SHIFT 32 /* of the PMU type in the config of a generic event */

/* Counted in kernel mode only: without it they would stay at 0. */
static bool is_of_kernel(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT ||
	       (attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
						     attr->config == PERF_COUNT_SW_CPU_MIGRATIONS));
}

int counter_open(const struct machine_perf *perf, const struct counter_event *event,
		 const struct counter_pmus *pmus, const struct counter_place *place, int leader)
{
	struct perf_event_attr attr = event->attr;
	int fd;

	if (place->user_only && is_of_kernel(&attr))
		return -EACCES;
	if (!place->tid && !counter_pmu_counts_on(pmus, attr.type, place->cpu))
		return -ENODEV;
	attr.size = sizeof(attr);
	attr.read_format = PERF_READ_FORMAT;
	attr.disabled = leader < 0;
	attr.inherit = attr.inherit_thread = place->inherited;
	attr.exclude_kernel |= place->user_only;
	if (!place->tid && (attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_HW_CACHE))
		attr.config |= (uint64_t)counter_pmu_of_core(pmus, place->cpu) << CORE_TYPE_SHIFT;
	fd = place->tid ? perf_open(perf, &attr, (int)place->tid, -1, leader)
			: perf_open(perf, &attr, -1, (int)place->cpu, leader);
	return fd == -ENOENT || fd == -EOPNOTSUPP ? -ENODEV : fd;
}

static int leader_of(const struct counter_set *set, const struct counter_events *events, unsigned group)
{
	for (unsigned i = 0; i < events->count; i++)
		if (events->list[i].group == group && set->cells[i].fd >= 0)
			return (int)i;
	return -1;
}

bool counter_is_lost(int fd)
{
	return fd < 0 && fd != -ENODEV && fd != -EINVAL;
}

/* Calls act with the leader of every group; false when one fails. */
static bool each_group(struct counter_set *set, const struct counter_events *events,
		       bool (*act)(struct counter_set *set, const struct counter_events *events,
				   unsigned leader))
{
	for (unsigned i = 0; i < events->count; i++)
		if (set->cells[i].fd >= 0 && leader_of(set, events, events->list[i].group) == (int)i &&
		    !act(set, events, i))
			return false;
	return true;
}

static void close_cells(struct counter_set *set, int reason)
{
	for (unsigned i = 0; set->files > 0 && i < COUNTER_EVENTS_MAX; i++) {
		struct counter_cell *cell = &set->cells[i];

		if (cell->fd < 0)
			continue;
		close(cell->fd);
		*cell = (struct counter_cell){ .fd = reason };
		set->files--;
		set->env->counters.n_open--;
	}
}

static bool start_group(struct counter_set *set, const struct counter_events *events, unsigned leader)
{
	(void)events;
	return perf_start(set->env->perf, set->cells[leader].fd) == 0;
}

void counter_set_open(struct counter_set *set, const struct counter_events *events,
		      const struct counter_pmus *pmus)
{
	struct env_counters *counters = &set->env->counters;

	if (set->files > 0)
		return;
	for (unsigned i = 0; i < events->count; i++)
		set->cells[i] = (struct counter_cell){ .fd = -ENODEV };
	for (unsigned i = 0; i < events->count; i++) {
		int leader = leader_of(set, events, events->list[i].group);

		if (events->list[i].why)
			continue;
		set->cells[i].fd = counters->n_open >= counters->max
					   ? -EMFILE
					   : counter_open(set->env->perf, &events->list[i], pmus, &set->place,
							  leader < 0 ? -1 : set->cells[leader].fd);
		if (set->cells[i].fd < 0)
			continue;
		set->files++;
		counters->n_open++;
	}
	if (!each_group(set, events, start_group))
		close_cells(set, -EAGAIN);
}

void counter_set_close(struct counter_set *set)
{
	close_cells(set, -ENODEV);
}

/*
 * Only the growth since the last read is scaled: scaling the whole count at each read would make totals
 * shrink. An event that did not run waits for the next read. Counts of a thread are not scaled here: those of
 * all threads of a process are scaled together.
 */
static void advance(struct counter_cell *cell, uint64_t value, struct perf_times now, bool of_thread)
{
	cell->grown_times = (struct perf_times){
		.enabled_ns = now.enabled_ns - cell->seen.enabled_ns,
		.running_ns = now.running_ns - cell->seen.running_ns,
	};
	cell->grown = of_thread ? value - cell->last : perf_scaled(value - cell->last, cell->grown_times);
	cell->known = cell->grown != U64_UNKNOWN;
	if (!cell->known)
		return;
	cell->total += cell->grown;
	cell->last = value;
	cell->seen = now;
}

static bool read_group(struct counter_set *set, const struct counter_events *events, unsigned leader)
{
	struct counter_cell *members[COUNTER_EVENTS_MAX] = { &set->cells[leader] };
	uint64_t words[COUNTER_EVENTS_MAX + 3], values[COUNTER_EVENTS_MAX];
	struct perf_times now;
	size_t n_members = 1;
	long length;

	for (unsigned i = leader + 1; i < events->count; i++)
		if (events->list[i].group == events->list[leader].group && set->cells[i].fd >= 0)
			members[n_members++] = &set->cells[i];
	length = perf_read(members[0]->fd, words, sizeof(words));
	if (length < 0 ||
	    !perf_read_parse(span_of((const char *)words, (size_t)length), values, n_members, &now) ||
	    (!set->place.tid && members[0]->seen.enabled_ns > 0 &&
	     now.enabled_ns <= members[0]->seen.enabled_ns))
		return false; /* or it has stopped */
	for (size_t i = 0; i < n_members; i++)
		advance(members[i], values[i], now, set->place.tid != 0);
	return true;
}

void counter_set_read(struct counter_set *set, const struct counter_events *events)
{
	if (!each_group(set, events, read_group))
		close_cells(set, -EAGAIN);
}

void counter_sets_drop(struct counter_set **sets, size_t *n, size_t index)
{
	counter_set_close(sets[index]);
	free(sets[index]);
	--*n;
	memmove(&sets[index], &sets[index + 1], (*n - index) * sizeof(*sets));
}

static void insert_cpu(struct counter_machine *machine, size_t index, uint32_t number)
{
	VECTOR_RESERVE(machine->cpus, machine->n_cpus + 1, machine->capacity);
	memmove(&machine->cpus[index + 1], &machine->cpus[index],
		(machine->n_cpus - index) * sizeof(*machine->cpus));
	machine->cpus[index] = alloc_zeroed(1, sizeof(**machine->cpus));
	machine->cpus[index]->env = machine->env;
	machine->cpus[index]->place.cpu = number;
	machine->n_cpus++;
}

/* Adds CPUs that came online, and removes those that went offline. */
static void update_cpus(struct counter_machine *machine, struct span online)
{
	uint32_t first, last;
	size_t at = 0;

	while (cpu_list_next(&online, &first, &last)) {
		for (uint32_t number = first; number <= last; number++, at++) {
			while (at < machine->n_cpus && machine->cpus[at]->place.cpu < number)
				counter_sets_drop(machine->cpus, &machine->n_cpus, at);
			if (at == machine->n_cpus || machine->cpus[at]->place.cpu != number)
				insert_cpu(machine, at, number);
		}
	}
	while (at < machine->n_cpus)
		counter_sets_drop(machine->cpus, &machine->n_cpus, at);
}

static void open_cpus(struct counter_machine *machine)
{
	for (size_t i = 0; i < machine->n_cpus; i++)
		counter_set_open(machine->cpus[i], &machine->events, &machine->pmus);
}

static void add_up(struct counter_sum *sum, const struct counter_cell *cell)
{
	sum->known &= cell->fd >= 0 ? cell->known : !counter_is_lost(cell->fd);
	if (cell->fd < 0) {
		sum->error = sum->error ? sum->error : cell->fd;
		return;
	}
	sum->n_open++;
	if (!cell->known)
		return;
	sum->total += cell->grown;
	sum->times.enabled_ns += cell->grown_times.enabled_ns;
	sum->times.running_ns += cell->grown_times.running_ns;
}

/* False when no CPU counts any event. */
static bool read_cpus(struct counter_machine *machine)
{
	bool any = false;

	for (unsigned e = 0; e < machine->events.count; e++)
		machine->sums[e] = (struct counter_sum){ .total = machine->sums[e].total, .known = true };
	for (size_t i = 0; i < machine->n_cpus; i++) {
		counter_set_read(machine->cpus[i], &machine->events);
		for (unsigned e = 0; e < machine->events.count; e++)
			if (!machine->events.list[e].why)
				add_up(&machine->sums[e], &machine->cpus[i]->cells[e]);
	}
	for (unsigned e = 0; e < machine->events.count; e++)
		any |= machine->sums[e].n_open > 0;
	return any;
}

static int first_error(const struct counter_machine *machine)
{
	for (unsigned e = 0; e < machine->events.count; e++)
		if (machine->sums[e].error)
			return machine->sums[e].error;
	return -ENODATA;
}

static void choose(struct counter_machine *machine, enum counter_choice choice)
{
	counter_events_free(&machine->events);
	memset(machine->sums, 0, sizeof(machine->sums));
	machine->choice = choice;
	if (choice == COUNTER_HARDWARE)
		counter_events_hardware(&machine->events);
	else
		counter_events_software(&machine->events);
}

/* Only opening shows whether an event exists. */
static int count(struct counter_machine *machine)
{
	int error;

	open_cpus(machine);
	if (read_cpus(machine) || machine->choice == COUNTER_NAMED)
		return 0;
	error = first_error(machine);
	if (machine->choice == COUNTER_HARDWARE) {
		machine->no_hardware = error;
		choose(machine, COUNTER_SOFTWARE);
		open_cpus(machine);
		if (read_cpus(machine))
			return 0;
		error = first_error(machine);
	}
	choose(machine, COUNTER_HARDWARE);
	return error;
}

int counter_machine_read(struct counter_machine *machine, struct span online)
{
	update_cpus(machine, online);
	return count(machine);
}

int counter_machine_test(struct env *env, void (*fill)(struct counter_events *events))
{
	struct counter_events events = { 0 };
	struct counter_pmus pmus;
	struct span online;
	uint32_t cpu, last;
	int error = env->live ? env_read(env, env_file(env, COUNTER_ONLINE), &online) : -ENOTSUP;
	int fd = -ENODEV;

	if (error)
		return error;
	if (!cpu_list_next(&online, &cpu, &last))
		return -EBADMSG;
	fill(&events);
	counter_pmus_read(&pmus, env);
	for (unsigned i = 0; i < events.count && fd == -ENODEV; i++)
		fd = counter_open(env->perf, &events.list[i], &pmus, &(struct counter_place){ .cpu = cpu },
				  -1);
	counter_pmus_free(&pmus);
	counter_events_free(&events);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

void counter_machine_open(struct counter_machine *machine, struct env *env, const char *names)
{
	*machine = (struct counter_machine){ .env = env, .choice = COUNTER_NAMED };
	counter_pmus_read(&machine->pmus, env);
	if (names)
		counter_events_named(&machine->events, env, names);
	if (machine->events.count == 0)
		choose(machine, COUNTER_HARDWARE);
}

void counter_machine_close(struct counter_machine *machine)
{
	while (machine->n_cpus > 0)
		counter_sets_drop(machine->cpus, &machine->n_cpus, machine->n_cpus - 1);
	free(machine->cpus);
	counter_pmus_free(&machine->pmus);
	counter_events_free(&machine->events);
}
