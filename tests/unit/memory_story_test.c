/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what the memory pane says: each sentence where it is true, and where it nearly is. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "pane/memory/memory_growth.h"
#include "model/finding.h"
#include "pane/memory/memory_story.h"
#include "suite.h"
#include "topic/topic.h"

#define MIB 1048576.0
#define GIB (1024 * MIB)
#define SECOND UINT64_C(1000000000)

static const struct memory_facts calm = {
	.total_bytes = 23.5 * GIB,
	.available_bytes = 22.6 * GIB,
	.caches_bytes = 14 * GIB,
	.seconds = 300,
	.calm_seconds = 300,
	.stalled_limit = FINDING_MEMORY_STALLED_RATIO,
};

static void assert_verdict(const struct memory_facts *facts, enum memory_level level, const char *expected)
{
	char text[TEXT_MAX];

	ck_assert_msg(memory_verdict(facts, text, sizeof(text)) == level, "wrong level of '%s'", text);
	ck_assert_str_eq(text, expected);
}

static void assert_story(const struct memory_facts *facts, const char *expected)
{
	char text[TEXT_MAX];

	ck_assert_str_eq(memory_story(facts, text, sizeof(text)), expected);
}

/* The story does not contain these words. */
static void assert_silent(const struct memory_facts *facts, const char *words)
{
	char text[TEXT_MAX];

	memory_story(facts, text, sizeof(text));
	ck_assert_msg(strstr(text, words) == NULL, "'%s' says '%s'", text, words);
}

START_TEST(enough_memory)
{
	struct memory_facts facts = calm;

	assert_verdict(&facts, MEMORY_OK,
		       "96 % available: 22.6 GiB of 23.5 GiB. Nothing reclaimed, no task waits for it.");
	facts.evicted_pages = 1;
	assert_verdict(&facts, MEMORY_OK, "96 % available: 22.6 GiB of 23.5 GiB. No task waits for it.");
	facts = calm;
	facts.refaulted_pages = 1; /* something must have been evicted */
	assert_verdict(&facts, MEMORY_OK, "96 % available: 22.6 GiB of 23.5 GiB. No task waits for it.");
	facts = calm;
	facts.evicted_pages = NAN;
	assert_verdict(&facts, MEMORY_OK, "96 % available: 22.6 GiB of 23.5 GiB. No task waits for it.");
	facts = calm;
	facts.stalled_ratio = 0.0002;
	assert_verdict(&facts, MEMORY_OK, "96 % available: 22.6 GiB of 23.5 GiB. Nothing reclaimed.");
	facts.stalled_ratio = NAN;
	assert_verdict(&facts, MEMORY_OK, "96 % available: 22.6 GiB of 23.5 GiB. Nothing reclaimed.");
	facts.seconds = 3;
	assert_verdict(&facts, MEMORY_OK, "96 % available: 22.6 GiB of 23.5 GiB.");
}

START_TEST(little_memory)
{
	struct memory_facts facts = calm;

	facts.total_bytes = 10 * GIB;
	facts.available_bytes = 1.1 * GIB;
	assert_verdict(&facts, MEMORY_OK,
		       "11 % available: 1.1 GiB of 10.0 GiB. Nothing reclaimed, no task waits for it.");
	facts.available_bytes = 0.9 * GIB;
	assert_verdict(&facts, MEMORY_HIGH, "9 % available: 921 MiB of 10.0 GiB.");
	facts.available_bytes = 0.2 * GIB;
	assert_verdict(&facts, MEMORY_BAD, "2 % available: 204 MiB of 10.0 GiB.");
	facts.available_bytes = NAN;
	assert_verdict(&facts, MEMORY_UNKNOWN, "");
	facts = calm;
	facts.total_bytes = 0;
	assert_verdict(&facts, MEMORY_UNKNOWN, "");
}

/* In a container the machine may have enough. */
START_TEST(a_limit_is_near)
{
	struct memory_facts facts = calm;

	facts.limit_bytes = 6 * GIB;
	facts.limit_left_bytes = 5.9 * GIB; /* more of it than of the machine */
	assert_verdict(&facts, MEMORY_OK,
		       "96 % available: 22.6 GiB of 23.5 GiB. Nothing reclaimed, no task waits for it.");
	facts.limit_left_bytes = 0.5 * GIB;
	assert_verdict(&facts, MEMORY_HIGH, "8 % left of the cgroup limit, 6.0 GiB.");
	facts.limit_left_bytes = 0.1 * GIB;
	assert_verdict(&facts, MEMORY_BAD, "1 % left of the cgroup limit, 6.0 GiB.");
	facts.limit_left_bytes = NAN;
	assert_verdict(&facts, MEMORY_OK,
		       "96 % available: 22.6 GiB of 23.5 GiB. Nothing reclaimed, no task waits for it.");
}

START_TEST(tasks_wait)
{
	struct memory_facts facts = calm;

	facts.stalled_ratio = 0.009;
	assert_verdict(&facts, MEMORY_OK, "96 % available: 22.6 GiB of 23.5 GiB. Nothing reclaimed.");
	facts.stalled_ratio = 0.02;
	assert_verdict(&facts, MEMORY_HIGH,
		       "96 % available: 22.6 GiB of 23.5 GiB. Tasks wait for it 2 % of the time.");
	facts.stalled_ratio = 0.12;
	assert_verdict(&facts, MEMORY_HIGH,
		       "96 % available: 22.6 GiB of 23.5 GiB. Tasks wait for it 12 % of the time.");
	facts.stalled_ratio = 0.15; /* from here on it is a finding, too */
	assert_verdict(&facts, MEMORY_BAD,
		       "96 % available: 22.6 GiB of 23.5 GiB. Tasks wait for it 15 % of the time.");
	facts.stalled_limit = 0.5;
	assert_verdict(&facts, MEMORY_HIGH,
		       "96 % available: 22.6 GiB of 23.5 GiB. Tasks wait for it 15 % of the time.");
}

START_TEST(memory_ran_out)
{
	struct memory_facts facts = calm;

	facts.stalls = 7;
	facts.killed = 1;
	assert_verdict(&facts, MEMORY_BAD,
		       "96 % available: 22.6 GiB of 23.5 GiB. Memory ran out, 1 process was killed.");
	facts.killed = 3;
	facts.killed_at_limits = 1;
	assert_verdict(&facts, MEMORY_BAD,
		       "96 % available: 22.6 GiB of 23.5 GiB. Memory ran out, 2 processes were killed.");
	facts.killed_at_limits = 3;
	assert_verdict(&facts, MEMORY_OK,
		       "96 % available: 22.6 GiB of 23.5 GiB. Nothing reclaimed, no task waits for it.");
	facts.killed_at_limits = NAN;
	facts.stalls = 0; /* at the limit of a group that is not watched */
	assert_verdict(&facts, MEMORY_OK,
		       "96 % available: 22.6 GiB of 23.5 GiB. Nothing reclaimed, no task waits for it.");
	facts.stalls = 7;
	facts.killed = NAN;
	assert_verdict(&facts, MEMORY_OK,
		       "96 % available: 22.6 GiB of 23.5 GiB. Nothing reclaimed, no task waits for it.");
}

START_TEST(no_refault)
{
	struct memory_facts facts = calm;

	assert_story(&facts, "No refault in 5 min, and nothing reclaimed: whether 14.0 GiB of cache are "
			     "needed is not known.");
	facts.evicted_pages = NAN;
	assert_story(&facts, "No refault in 5 min; what was reclaimed is not known.");
	facts.evicted_pages = 3402;
	assert_story(&facts, "No refault in 5 min, though 3402 pages were reclaimed: of 14.0 GiB of cache "
			     "hardly anything would be read again.");
	facts.swapped_in_pages = 600; /* before Linux 5.9 these are no refaults */
	assert_story(&facts, "600 pages read back from swap in 5 min (2.0/s).");
	facts.refaulted_pages = NAN;
	assert_story(&facts, "");
}

START_TEST(a_run_begins)
{
	struct memory_facts facts = calm;

	facts.refaulted_pages = 1000;
	facts.seconds = 3;
	assert_story(&facts, "Watching for refaults (3 s so far).");
	facts.seconds = 0;
	assert_story(&facts, "");
}

START_TEST(refaults_with_reclaim)
{
	struct memory_facts facts = calm;

	facts.calm_seconds = 0;
	facts.evicted_pages = 60000;
	facts.refaulted_pages = 30;
	assert_story(&facts, "Only 30 pages refaulted (were read again after eviction) in 5 min: 14.0 GiB of "
			     "cache is about what is in use.");
	facts.refaulted_pages = 30000;
	assert_story(&facts, "30000 pages refaulted (were read again after eviction) in 5 min (100/s): more "
			     "is in use than 14.0 GiB of cache can hold.");
	assert_silent(&facts, "memory is short");
	facts.stalled_ratio = 0.14;
	assert_silent(&facts, "memory is short");
	facts.stalled_ratio = 0.25;
	facts.swapped_in_pages = 77;
	assert_story(&facts, "30000 pages refaulted (were read again after eviction) in 5 min (100/s), 77 "
			     "read back from swap: memory is short.");
	facts.calm_seconds = 60;
	assert_story(&facts, "30000 pages refaulted (were read again after eviction) in 5 min, none in the "
			     "last 60 s.");
}

/* Dropped caches leave no refaults; what is paged out on purpose does, and no reclaim. */
START_TEST(refaults_without_reclaim)
{
	struct memory_facts facts = calm;

	facts.calm_seconds = 0;
	facts.refaulted_pages = 10121;
	facts.seconds = 88;
	assert_story(&facts, "10121 pages refaulted in 88 s without reclaim: paged out on purpose (DAMON, "
			     "MADV_PAGEOUT, memory.reclaim), by a memory.high or memory.max of a cgroup, or "
			     "evicted before this run.");
	assert_silent(&facts, "drop");
	facts.evicted_pages = 5; /* too few to be the cause */
	assert_silent(&facts, "more is in use");
	facts.pager = "kdamond.0";
	facts.pager_ratio = 0.174;
	assert_story(&facts, "10121 pages refaulted in 88 s without reclaim: likely paged out by DAMON "
			     "(kdamond.0 runs, 17.4 % of a CPU).");
	facts.group = "web.service";
	assert_story(&facts, "10121 pages refaulted in 88 s without reclaim of the machine: web.service is "
			     "at its limit.");
	facts.seconds = 7; /* the group is known at once, … */
	assert_silent(&facts, "too early");
	facts.group = NULL;
	assert_story(&facts, "10121 pages refaulted (were read again after eviction) in 7 s: too early to "
			     "tell what evicted them.");
	facts.seconds = 88; /* … all else takes a minute */
	facts.evicted_pages = 10000; /* reclaim explains it, whatever kdamond does */
	assert_silent(&facts, "DAMON");
	assert_silent(&facts, "without reclaim");
	facts.evicted_pages = NAN;
	assert_story(&facts, "10121 pages refaulted in 88 s; what was reclaimed is not known.");
	facts = calm;
	facts.pager = "kdamond.0";
	facts.pager_ratio = 0.174;
	assert_silent(&facts, "DAMON");
}

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
