/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates what multiplexing leaves out on a CPU, from read to read. */
#include <config.h>

#include "topic/counter/counter_set.h"

#include <errno.h>
#include <unistd.h>

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

static bool has_stopped(const struct counter_cell *cell, struct perf_times now)
{
	return cell->seen.enabled_ns > 0 && now.enabled_ns <= cell->seen.enabled_ns;
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
	    (!set->place.tid && has_stopped(members[0], now)))
		return false;
	for (size_t i = 0; i < n_members; i++)
		advance(members[i], values[i], now, set->place.tid != 0);
	return true;
}

void counter_set_read(struct counter_set *set, const struct counter_events *events)
{
	if (!each_group(set, events, read_group))
		close_cells(set, -EAGAIN);
}
