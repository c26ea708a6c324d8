/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A perf event for each CPU that is online; where others come, all are opened again. */
#include <config.h>

#include "topic/call/opened_rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/perf_record.h"
#include "kernel/system.h"

#define ONLINE_CPUS "sys/devices/system/cpu/online"
#define ALL_BYTES ((size_t)16 << 20)
#define RING_BYTES_MIN ((size_t)64 << 10)
#define RING_BYTES_MAX ((size_t)2 << 20)

bool opened_file_parse(struct span raw, struct opened_file *file)
{
	uint32_t copied;

	if (!span_peek(raw, offsetof(struct bpf_opened, result), &file->result, sizeof(file->result)) ||
	    !span_peek(raw, offsetof(struct bpf_opened, copied_bytes), &copied, sizeof(copied)) ||
	    span_length(raw) < BPF_OPENED_HEAD || copied > span_length(raw) - BPF_OPENED_HEAD)
		return false;
	file->command = span_of(raw.at + offsetof(struct bpf_opened, command), BPF_COMMAND_BYTES);
	file->command.end = file->command.at + strnlen(file->command.at, BPF_COMMAND_BYTES);
	file->path = span_of(raw.at + BPF_OPENED_HEAD, copied);
	file->path.end = file->path.at + strnlen(file->path.at, copied);
	file->is_unread = copied == 0;
	return true;
}

static int open_ring(struct opened_rings *rings, const struct trace_set *set, uint32_t cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
		.sample_type = PERF_EXEC_SAMPLE_TYPE_BARE,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX,
	};
	struct opened_ring *ring = VECTOR_ADD(rings->rings, rings->n, rings->capacity);
	int error;

	*ring = (struct opened_ring){ .event = perf_open(set->env->perf, &attr, -1, (int)cpu, -1) };
	if (ring->event < 0) {
		rings->n--;
		return ring->event;
	}
	error = perf_ring_open(&ring->ring, ring->event, rings->bytes);
	return error ? error : trace_direct(set, cpu, ring->event);
}

static size_t bytes_of_each(struct span online)
{
	uint32_t first, last;
	size_t n = 0, bytes;

	while (cpu_list_next(&online, &first, &last))
		n += last - first + 1;
	bytes = n > 0 ? ALL_BYTES / n : RING_BYTES_MAX;
	return bytes < RING_BYTES_MIN ? RING_BYTES_MIN : bytes > RING_BYTES_MAX ? RING_BYTES_MAX : bytes;
}

static void close_rings(struct opened_rings *rings)
{
	for (size_t i = 0; i < rings->n; i++) {
		perf_ring_close(&rings->rings[i].ring);
		close(rings->rings[i].event);
	}
	free(rings->room);
	free(rings->online);
	rings->room = rings->online = NULL;
	rings->n = rings->n_files = 0;
}

static int open_rings(struct opened_rings *rings, const struct trace_set *set, struct span online)
{
	size_t length = span_length(online);
	uint32_t first, last;
	int error = 0;

	rings->online = alloc_zeroed(length + 1, 1);
	memcpy(rings->online, online.at, length);
	rings->bytes = bytes_of_each(online);
	while (!error && cpu_list_next(&online, &first, &last))
		for (uint32_t cpu = first; cpu <= last && !error; cpu++)
			error = open_ring(rings, set, cpu);
	if (error || rings->n == 0) {
		close_rings(rings);
		return error ? error : -ENODEV;
	}
	rings->room = alloc_zeroed(rings->n, rings->rings[0].ring.bytes);
	return 0;
}

static void parse_samples(struct opened_rings *rings, struct span bytes)
{
	struct perf_record record;

	while (perf_record_next(&bytes, &record)) {
		struct opened_file file = { .time_ns = record.time_ns, .pid = record.pid, .tid = record.tid };

		if (record.kind != PERF_RECORD_KIND_SAMPLE)
			continue;
		if (opened_file_parse(record.raw, &file))
			*VECTOR_ADD(rings->files, rings->n_files, rings->files_capacity) = file;
		else
			rings->malformed++;
	}
	rings->malformed += span_length(bytes) > 0;
}

static int by_time(const void *a, const void *b)
{
	const struct opened_file *one = a, *other = b;

	return (one->time_ns > other->time_ns) - (one->time_ns < other->time_ns);
}

int opened_rings_read(struct opened_rings *rings, struct trace_set *set)
{
	struct span online;
	int error = env_read(set->env, env_file(set->env, ONLINE_CPUS), &online);

	if (error)
		return error;
	if (rings->online && !span_is(online, rings->online))
		close_rings(rings);
	if (!rings->online)
		error = open_rings(rings, set, online);
	rings->n_files = 0;
	for (size_t i = 0; i < rings->n; i++)
		parse_samples(rings, perf_ring_take(&rings->rings[i].ring,
						    rings->room + i * rings->rings[0].ring.bytes));
	if (rings->n_files > 0)
		qsort(rings->files, rings->n_files, sizeof(*rings->files), by_time);
	return error;
}

void opened_rings_close(struct opened_rings *rings)
{
	close_rings(rings);
	free(rings->rings);
	free(rings->files);
	*rings = (struct opened_rings){ 0 };
}
