/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which process grew most, of those that the memory pane has seen. */
#include <config.h>

#include <math.h>

#include "pane/memory/memory_growth.h"
#include "suite.h"
#include "topic/topic.h"

#define MIB 1048576.0
#define SECOND UINT64_C(1000000000)

struct fake_size {
	unsigned pid;
	double start_seconds, bytes;
};

/* A frame at this second with these processes; ended by pid 0. */
static void open_processes(struct frame *frame, unsigned seconds, const struct fake_size *sizes)
{
	const struct schema *schema = topic_find("process")->schema;

	frame_open(frame, &schema, 1);
	frame->mono_ns = frame->tables[0].mono_ns = seconds * SECOND;
	frame->tables[0].present = true;
	for (; sizes->pid; sizes++) {
		void *row = table_add(&frame->tables[0]);

		row_set_u64(row, schema_find(schema, "pid"), sizes->pid);
		row_set_f64(row, schema_find(schema, "start_seconds"), sizes->start_seconds);
		if (!isnan(sizes->bytes))
			row_set_u64(row, schema_find(schema, "resident_bytes"), (uint64_t)sizes->bytes);
	}
}

static struct memory_grower grower_at(struct memory_growth *growth, unsigned seconds,
				      const struct fake_size *sizes, unsigned *pid)
{
	struct memory_grower most;
	struct frame frame;

	open_processes(&frame, seconds, sizes);
	memory_growth_add(growth, &frame);
	most = memory_growth_most(growth, &frame);
	*pid = most.row ? (unsigned)table_number(&frame.tables[0], most.row, "pid") : 0;
	most.row = NULL;
	frame_close(&frame);
	return most;
}

START_TEST(who_grew_most)
{
	static const struct fake_size before[] = {
		{ 9, 1, 100 * MIB }, { 7, 1, 100 * MIB }, { 8, 1, 900 * MIB }, { 5, 1, NAN }, { 0, 0, 0 }
	};
	static const struct fake_size after[] = { { 3, 1, 5000 * MIB }, /* new */
						  { 5, 1, 900 * MIB },  /* not known before */
						  { 7, 1, 110 * MIB },
						  { 8, 2, 4000 * MIB }, /* another process with its PID */
						  { 9, 1, 300 * MIB },
						  { 0, 0, 0 } };
	struct memory_growth growth = { 0 };
	unsigned pid;

	ck_assert(grower_at(&growth, 100, before, &pid).since_ns == 0 && pid == 0);
	ck_assert(grower_at(&growth, 103, after, &pid).since_ns == 0); /* too short a time */
	ck_assert(grower_at(&growth, 110, before, &pid).since_ns == 100 * SECOND && pid == 0);
	ck_assert_double_eq(grower_at(&growth, 120, after, &pid).bytes, 200 * MIB);
	ck_assert_uint_eq(pid, 9);
	ck_assert(grower_at(&growth, 130, after, &pid).since_ns == 100 * SECOND && pid == 9);
	ck_assert(grower_at(&growth, 161, after, &pid).since_ns == 130 * SECOND && pid == 0);
	ck_assert(grower_at(&growth, 50, after, &pid).since_ns == 0); /* back in a recording */
	memory_growth_free(&growth);
}
