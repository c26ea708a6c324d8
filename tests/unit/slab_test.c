/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of kernel objects by cache: over files, against /proc/meminfo, and with objects of our own. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/slabinfo.h"
#include "rig.h"

#define NAMES 20000
#define ROUNDS 10

static const char *const slab_topic[] = { "slab", NULL };

static double number(const struct frame *frame, const char *cache, const char *column)
{
	return frame_number(frame, "slab", cache, column);
}

static void put(struct rig *rig, unsigned slab_kb, unsigned active, unsigned slabs)
{
	rig_put(rig, "proc/meminfo", "MemTotal: 1000000 kB\nSlab: %u kB\n", slab_kb);
	rig_put(rig, "proc/slabinfo",
		"slabinfo - version: 2.1\n# name <active_objs> <num_objs>\n"
		"dentry %u 2100 192 21 1 : tunables 0 0 0 : slabdata %u %u 0\n"
		"big 3 4 8192 4 8 : tunables 0 0 0 : slabdata 1 1 0\n"
		"bare 0 0 64 64 1 : tunables 0 0 0 : slabdata 0 0 0\n",
		active, slabs, slabs);
}

START_TEST(caches_have_sizes_and_growth)
{
	const struct frame *frame;
	struct rig rig;
	double page;

	rig_open(&rig, "empty", slab_topic);
	page = (double)rig.env.page_bytes;
	put(&rig, 600, 2000, 100);
	rig_sample(&rig, 0);
	put(&rig, 680, 1400, 120);
	frame = rig_sample(&rig, 2);
	ck_assert(number(frame, "dentry", "bytes") == 120 * page);
	ck_assert(number(frame, "dentry", "growth_bytes_per_second") == 10 * page);
	ck_assert(number(frame, "dentry", "objects_per_second") == -300);
	ck_assert_double_eq_tol(number(frame, "dentry", "used_ratio"), 1400.0 / 2100, 1e-12);
	ck_assert(number(frame, "dentry", "object_bytes") == 192);
	ck_assert(number(frame, "big", "bytes") == 8 * page);
	ck_assert(number(frame, "big", "growth_bytes_per_second") == 0);
	ck_assert(isnan(number(frame, "bare", "used_ratio")));
	ck_assert(number(frame, "all", "bytes") == 680 * 1024);
	ck_assert(number(frame, "(not in a cache)", "bytes") == 680 * 1024 - 128 * page);
	rig_close(&rig);
}

START_TEST(caches_that_are_more_than_slab_are_the_sum)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", slab_topic);
	put(&rig, 20, 2000, 100);
	frame = rig_sample(&rig, 0);
	ck_assert(number(frame, "all", "bytes") == 108 * (double)rig.env.page_bytes);
	ck_assert_ptr_null(table_find(frame_table(frame, "slab"), "(not in a cache)", NULL));
	rig_close(&rig);
}

START_TEST(without_caches_the_sum_is_left)
{
	static const char *const bad[] = { "", "slabinfo - version: 2.1\n", "dentry 1 2 3\n",
					   "dentry 1 2 192 21 1 : slabdata 9 8 0\n" };

	for (size_t i = 0; i <= sizeof(bad) / sizeof(bad[0]); i++) {
		const struct frame *frame;
		struct rig rig;

		rig_open(&rig, "empty", slab_topic);
		put(&rig, 600, 2000, 100);
		if (i < sizeof(bad) / sizeof(bad[0]))
			rig_put(&rig, "proc/slabinfo", "%s", bad[i]);
		else
			rig_remove(&rig, "proc/slabinfo");
		frame = rig_sample(&rig, 0);
		ck_assert_uint_eq(frame_table(frame, "slab")->n_rows, 1);
		ck_assert(number(frame, "all", "bytes") == 600 * 1024);
		rig_close(&rig);
	}
}

START_TEST(malformed_lines_are_skipped)
{
	struct span text = span_text("a 1 2 3 4 5 : tunables 0 0 0 : slabdata 1 x 0\n"
				     "b 1 2 3 4 18446744073709551615 : slabdata 2 2 0\n"
				     "c -1 2 3 4 1 : slabdata 2 2 0\n"
				     "d 1 2 3 4 5 : slabdata 2 3 0\n");
	struct slabinfo_line line;

	ck_assert(slabinfo_next(&text, &line));
	ck_assert(span_is(line.name, "d") && line.active == 1 && line.objects == 2);
	ck_assert(line.object_bytes == 3 && line.pages == 15);
	ck_assert(!slabinfo_next(&text, &line));
}

/* A name that was looked for in vain stays a dentry. */
static void look_for_names(void)
{
	char directory[SCRATCH_PATH_MAX], path[SCRATCH_PATH_MAX + 32];
	struct stat found;

	scratch_directory(directory, "names");
	for (unsigned i = 0; i < NAMES; i++) {
		snprintf(path, sizeof(path), "%s/%u", directory, i);
		ck_assert(stat(path, &found) != 0);
	}
}

START_TEST(the_machine_adds_up_and_grows_by_what_is_made)
{
	struct machine machine = { 0 };
	const struct table *table;
	double active, grown = 0, bytes = 0;

	open_machine(&machine, slab_topic);
	next_tick(&machine);
	table = frame_table(machine.now, "slab");
	if (table->n_rows < 2) {
		close_machine(&machine);
		skip_test("/proc/slabinfo cannot be read here");
	}
	for (size_t i = 1; i < table->n_rows; i++)
		bytes += table_number(table, table_row(table, i), "bytes");
	ck_assert(bytes == number(machine.now, "all", "bytes"));
	/* Others free theirs meanwhile. */
	for (unsigned round = 0; round < ROUNDS && grown < 0.8 * NAMES; round++) {
		active = number(machine.now, "dentry", "active");
		look_for_names();
		next_tick(&machine);
		grown = number(machine.now, "dentry", "active") - active;
	}
	ck_assert_double_ge(grown, 0.8 * NAMES);
	close_machine(&machine);
}

START_TEST(allocations_are_counted_with_who_makes_them)
{
	struct machine machine = { 0 };
	char own[24];
	const void *dentry;
	double before = NAN;

	open_machine(&machine, slab_topic);
	for (unsigned tick = 0; tick < 5 && isnan(before); tick++) { /* names are found later */
		look_for_names();
		next_tick(&machine);
		if (frame_table(machine.now, "slab")->n_rows < 2)
			break;
		before = number(machine.now, "dentry", "allocations");
	}
	if (isnan(before)) {
		close_machine(&machine);
		skip_test("neither /proc/slabinfo nor BPF is permitted, or this kernel is older than 6.1");
	}
	look_for_names();
	next_tick(&machine);
	ck_assert_double_ge(number(machine.now, "dentry", "allocations") - before, NAMES);
	dentry = table_find(frame_table(machine.now, "slab"), "dentry", NULL);
	snprintf(own, sizeof(own), "(%d)", (int)getpid());
	ck_assert_ptr_nonnull(strstr(table_text(frame_table(machine.now, "slab"), dentry, "allocator"), own));
	ck_assert(isnan(number(machine.now, "kmalloc-64", "allocations")));
	close_machine(&machine);
}

START_TEST(without_bpf_allocations_are_unknown)
{
	struct machine machine = { .request = { .no_bpf = true } };

	open_machine(&machine, slab_topic);
	next_tick(&machine);
	if (frame_table(machine.now, "slab")->n_rows > 1)
		ck_assert(isnan(number(machine.now, "dentry", "allocations")));
	close_machine(&machine);
}
