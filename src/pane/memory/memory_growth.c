/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes by pid in ascending order, so that two moments are compared in one pass. */
#include <config.h>

#include "pane/memory/memory_growth.h"

#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/vector.h"

#define KEEP_NS UINT64_C(30000000000)
#define OLD_ENOUGH_NS UINT64_C(5000000000)

struct size {
	double pid, start_seconds, bytes;
};

struct memory_sizes {
	uint64_t mono_ns;
	size_t n_sizes;
	struct size sizes[]; /* by pid */
};

static int compare(const void *one, const void *other)
{
	const struct size *left = one, *right = other;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

/* The columns of the table process, looked up once for all rows. */
struct reader {
	const struct column *pid, *start_seconds, *bytes;
};

static struct reader reader_of(const struct table *processes)
{
	return (struct reader){ schema_known_column(processes->schema, "pid"),
				schema_known_column(processes->schema, "start_seconds"),
				schema_known_column(processes->schema, "resident_bytes") };
}

static struct size size_of_row(const struct reader *reader, const void *row)
{
	return (struct size){ row_number(row, reader->pid), row_number(row, reader->start_seconds),
			      row_number(row, reader->bytes) };
}

static struct memory_sizes *take(const struct table *processes, uint64_t mono_ns)
{
	struct memory_sizes *taken =
		alloc_zeroed(1, sizeof(*taken) + processes->n_rows * sizeof(taken->sizes[0]));
	struct reader reader;

	taken->mono_ns = mono_ns;
	reader = reader_of(processes);
	for (size_t i = 0; i < processes->n_rows; i++) {
		struct size size = size_of_row(&reader, table_row(processes, i));

		if (!isnan(size.bytes))
			taken->sizes[taken->n_sizes++] = size;
	}
	qsort(taken->sizes, taken->n_sizes, sizeof(taken->sizes[0]), compare);
	return taken;
}

static const struct table *processes_of(const struct frame *frame)
{
	const struct table *processes = frame_table(frame, "process");

	return processes && processes->present && processes->n_rows > 0 ? processes : NULL;
}

void memory_growth_add(struct memory_growth *growth, const struct frame *frame)
{
	const struct table *processes = processes_of(frame);

	if (growth->newer && frame->mono_ns < growth->newer->mono_ns)
		memory_growth_free(growth); /* an earlier frame of a recording */
	if (!processes || (growth->newer && frame->mono_ns - growth->newer->mono_ns < KEEP_NS))
		return;
	free(growth->older);
	growth->older = growth->newer;
	growth->newer = take(processes, frame->mono_ns);
}

void memory_growth_free(struct memory_growth *growth)
{
	free(growth->older);
	free(growth->newer);
	*growth = (struct memory_growth){ 0 };
}

/* Bytes that it grew by; NaN: it is new, or its size is not known. */
static double growth_since(const struct memory_sizes *then, const struct size *now)
{
	size_t at;

	VECTOR_BOUND(at, then->n_sizes, then->sizes[at].pid < now->pid);
	if (at == then->n_sizes || then->sizes[at].pid > now->pid ||
	    fabs(then->sizes[at].start_seconds - now->start_seconds) > 0)
		return NAN;
	return now->bytes - then->sizes[at].bytes;
}

struct memory_grower memory_growth_most(const struct memory_growth *growth, const struct frame *frame)
{
	const struct memory_sizes *then = growth->older ? growth->older : growth->newer;
	const struct table *processes = processes_of(frame);
	struct memory_grower most = { 0 };
	struct reader reader;

	if (!then || !processes || frame->mono_ns < then->mono_ns + OLD_ENOUGH_NS)
		return most;
	most.since_ns = then->mono_ns;
	reader = reader_of(processes);
	for (size_t i = 0; i < processes->n_rows; i++) {
		const void *row = table_row(processes, i);
		struct size now = size_of_row(&reader, row);
		double bytes = growth_since(then, &now);

		if (bytes > most.bytes) {
			most.bytes = bytes;
			most.row = row;
		}
	}
	return most;
}
