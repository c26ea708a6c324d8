/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of one CPU. What multiplexing left out is estimated from read to read. */
#include <config.h>

#include "topic/counter_cpu.h"

#include <errno.h>
#include <unistd.h>

#include "core/perf.h"

#define CORE_TYPE_SHIFT 32 /* of the unit of a kind of core, in the config of a generic event */

int counter_open(const struct counter_event *event, const struct counter_pmus *pmus, uint32_t cpu,
		 int leader)
{
	struct perf_event_attr attr = event->attr;
	int fd;

	if (!counter_pmu_counts_on(pmus, attr.type, cpu))
		return -ENODEV;
	attr.size = sizeof(attr);
	attr.read_format = PERF_READ_FORMAT;
	attr.disabled = leader < 0;
	if (attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_HW_CACHE)
		attr.config |= (uint64_t)counter_pmu_of_core(pmus, cpu) << CORE_TYPE_SHIFT;
	fd = perf_open(&attr, (int)cpu, leader);
	return fd == -ENOENT || fd == -EOPNOTSUPP ? -ENODEV : fd;
}

static int leader_of(const struct counter_cpu *cpu, const struct counter_events *events, unsigned group)
{
	for (unsigned i = 0; i < events->count; i++)
		if (events->list[i].group == group && cpu->cells[i].fd >= 0)
			return (int)i;
	return -1;
}

bool counter_is_lost(int fd)
{
	return fd < 0 && fd != -ENODEV && fd != -EINVAL;
}

/* Starts or reads every group; false when one fails. */
static bool each_group(struct counter_cpu *cpu, const struct counter_events *events,
		       bool (*act)(struct counter_cpu *cpu, const struct counter_events *events,
				   unsigned leader))
{
	for (unsigned i = 0; i < events->count; i++)
		if (cpu->cells[i].fd >= 0 && leader_of(cpu, events, events->list[i].group) == (int)i &&
		    !act(cpu, events, i))
			return false;
	return true;
}

static void close_cells(struct counter_cpu *cpu, int reason)
{
	for (unsigned i = 0; cpu->files > 0 && i < COUNTER_EVENTS_MAX; i++) {
		struct counter_cell *cell = &cpu->cells[i];

		if (cell->fd < 0)
			continue;
		close(cell->fd);
		*cell = (struct counter_cell){ .fd = reason };
		cpu->files--;
	}
}

static bool start_group(struct counter_cpu *cpu, const struct counter_events *events, unsigned leader)
{
	(void)events;
	return perf_start(cpu->cells[leader].fd) == 0;
}

void counter_cpu_open(struct counter_cpu *cpu, const struct counter_events *events,
		      const struct counter_pmus *pmus, size_t room)
{
	if (cpu->files > 0)
		return;
	for (unsigned i = 0; i < events->count; i++)
		cpu->cells[i] = (struct counter_cell){ .fd = -ENODEV };
	for (unsigned i = 0; i < events->count; i++) {
		int leader = leader_of(cpu, events, events->list[i].group);

		if (events->list[i].why)
			continue;
		cpu->cells[i].fd = cpu->files == room ? -EMFILE
						      : counter_open(&events->list[i], pmus, cpu->number,
								     leader < 0 ? -1 : cpu->cells[leader].fd);
		cpu->files += cpu->cells[i].fd >= 0 ? 1 : 0;
	}
	if (!each_group(cpu, events, start_group))
		close_cells(cpu, -EAGAIN);
}

void counter_cpu_close(struct counter_cpu *cpu)
{
	close_cells(cpu, -ENODEV);
}

/*
 * The estimate is of the time since the last read in which the event ran: estimating the whole count anew
 * at each read would make totals shrink. What did not run at all waits for the next read.
 */
static void advance(struct counter_cell *cell, uint64_t value, struct perf_times now)
{
	cell->grown_times = (struct perf_times){
		.enabled_ns = now.enabled_ns - cell->seen.enabled_ns,
		.running_ns = now.running_ns - cell->seen.running_ns,
	};
	cell->grown = perf_scaled(value - cell->last, cell->grown_times);
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

static bool read_group(struct counter_cpu *cpu, const struct counter_events *events, unsigned leader)
{
	struct counter_cell *members[COUNTER_EVENTS_MAX] = { &cpu->cells[leader] };
	uint64_t words[COUNTER_EVENTS_MAX + 3], values[COUNTER_EVENTS_MAX];
	struct perf_times now;
	size_t n_members = 1;
	long length;

	for (unsigned i = leader + 1; i < events->count; i++)
		if (events->list[i].group == events->list[leader].group && cpu->cells[i].fd >= 0)
			members[n_members++] = &cpu->cells[i];
	length = perf_read(members[0]->fd, words, sizeof(words));
	if (length < 0 ||
	    !perf_read_parse(span_of((const char *)words, (size_t)length), values, n_members, &now) ||
	    has_stopped(members[0], now))
		return false;
	for (size_t i = 0; i < n_members; i++)
		advance(members[i], values[i], now);
	return true;
}

void counter_cpu_read(struct counter_cpu *cpu, const struct counter_events *events)
{
	if (!each_group(cpu, events, read_group))
		close_cells(cpu, -EAGAIN);
}
