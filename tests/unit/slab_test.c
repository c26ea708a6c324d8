/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of kernel objects by cache: over files, against /proc/meminfo, and with objects of our own; and of
 * the memory of the machine and its limits.
 */
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

/* A name that was looked for in vain stays a dentry. */
static void look_for_names(void)
{
	char directory[SCRATCH_PATH_MAX];
	struct stat found;

	scratch_directory(directory, "names");
	for (unsigned i = 0; i < NAMES; i++)
		ck_assert(stat(textf("%s/%u", directory, i), &found) != 0);
}

START_LIVE_TEST(the_machine_adds_up_and_grows_by_what_is_made)
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

START_LIVE_TEST(allocations_are_counted_with_who_makes_them)
{
	struct machine machine = { 0 };
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
	ck_assert_ptr_nonnull(strstr(table_text(frame_table(machine.now, "slab"), dentry, "allocator"),
			      textf("(%d)", (int)getpid())));
	ck_assert(isnan(number(machine.now, "kmalloc-64", "allocations")));
	close_machine(&machine);
}

START_LIVE_TEST(without_bpf_allocations_are_unknown)
{
	struct machine machine = { .request = { .no_bpf = true } };

	open_machine(&machine, slab_topic);
	next_tick(&machine);
	if (frame_table(machine.now, "slab")->n_rows > 1)
		ck_assert(isnan(number(machine.now, "dentry", "allocations")));
	close_machine(&machine);
}

/* --- Memory of the machine, and its limits. */

START_TEST(parts_of_memory_are_those_of_meminfo)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", TOPICS("memory"));
	rig_put(&rig, "proc/meminfo",
		"MemTotal: 100000 kB\nMemFree: 20001 kB\nMemAvailable: 50000 kB\nBuffers: 1002 kB\n"
		"Cached: 30004 kB\nShmem: 5008 kB\nActive(anon): 10016 kB\nInactive(anon): 1032 kB\n"
		"Active(file): 9064 kB\nInactive(file): 15128 kB\nSReclaimable: 2256 kB\nSUnreclaim: 512 kB\n"
		"KernelStack: 100 kB\nPageTables: 200 kB\nSwapTotal: 9000 kB\nSwapFree: 8001 kB\n");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame->n_notices, 0);
#define OF(row, column) (cell_u64(frame, "memory", row, column "_bytes") / 1024)
	ck_assert_uint_eq(OF("mem", "total"), 100000);
	ck_assert_uint_eq(OF("mem", "free"), 20001);
	ck_assert_uint_eq(OF("mem", "used"), 79999);
	ck_assert_uint_eq(OF("mem", "anonymous"), 11048);
	ck_assert_uint_eq(OF("mem", "kernel"), 812);
	ck_assert_uint_eq(OF("mem", "caches"), 26448);
	ck_assert_uint_eq(OF("mem", "others"), 41691);
	ck_assert_uint_eq(OF("mem", "used_procps"), 50000);
	ck_assert_uint_eq(OF("mem", "used_htop"), 46737);
	ck_assert_uint_eq(OF("mem", "page_cache"), 24996);
	ck_assert_uint_eq(OF("available", "free"), 50000);
	ck_assert_uint_eq(OF("available", "used"), 50000);
	ck_assert_str_eq(cell_text(frame, "memory", "available", "note"), "");
	ck_assert_uint_eq(OF("swap", "total"), 9000);
	ck_assert_uint_eq(OF("swap", "free"), 8001);
	ck_assert_uint_eq(OF("swap", "used"), 999);
	/* exactly all of it is no more than all of it; parts may be more than what is used */
	rig_put(&rig, "proc/meminfo",
		"MemTotal: 100 kB\nMemFree: 90 kB\nMemAvailable: 100 kB\nActive(anon): 1 kB\n"
		"Inactive(anon): 2 kB\nActive(file): 3 kB\nInactive(file): 4 kB\nSReclaimable: 5 kB\n"
		"SUnreclaim: 6 kB\nKernelStack: 7 kB\nPageTables: 8 kB\n");
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(OF("mem", "others"), 0);
	ck_assert_uint_eq(OF("available", "used"), 0);
	ck_assert_str_eq(cell_text(frame, "memory", "available", "note"), "");
	ck_assert_uint_eq(cell_u64(frame, "memory", "mem", "page_cache_bytes"), U64_UNKNOWN);
	ck_assert_uint_eq(cell_u64(frame, "memory", "swap", "used_bytes"), U64_UNKNOWN);
	rig_put(&rig, "proc/meminfo", "MemFree: 90 kB\n");
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "memory")->n_rows, 0);
	rig_close(&rig);
}

#define ZONE(low, high, managed, protection)                                                                 \
	"Node 0, zone Normal\n  pages free 1\n        min 1\n        low " #low "\n        high " #high      \
	"\n        managed " #managed "\n        protection: (0, " #protection ", 7)\n"

/* Of the kernel: free, and caches without the low watermark or half of them, above what is reserved. */
START_TEST(available_memory_is_estimated)
{
	static const struct {
		const char *lines, *zones; /* NULL: there is none */
		uint64_t available;        /* KiB */
	} cases[] = {
#define FREE "MemFree: 1000 kB\n"
#define FILES "Active(file): 400 kB\nInactive(file): 600 kB\n"
#define OLD_SLAB "SReclaimable: 300 kB\n"
#define SLAB OLD_SLAB "KReclaimable: 500 kB\n"
		{ FREE FILES SLAB, ZONE(50, 60, 900, 40), 1000 + 800 + 300 - 400 },
		{ FREE FILES SLAB, ZONE(100, 60, 900, 40), 1000 + 600 + 250 - 400 },
		{ FREE FILES OLD_SLAB, ZONE(50, 60, 900, 40), 1000 + 800 + 150 - 400 },
		{ FREE FILES SLAB, ZONE(200, 60, 900, 40), 1000 + 500 + 250 - 400 },
		{ FREE FILES SLAB, ZONE(30, 20, 900, 40) ZONE(20, 30, 900, 10), 1000 + 800 + 300 - 400 },
		{ FREE FILES SLAB, ZONE(50, 60, 900, 4000), 0 },
		{ FREE FILES SLAB, ZONE(50, 60, 90, 4000), 1000 + 800 + 300 - 360 },
		{ FREE FILES SLAB, ZONE(50, 60, 0, 40), U64_UNKNOWN },
		{ FREE SLAB, ZONE(50, 60, 900, 40), U64_UNKNOWN },
		{ FREE FILES, ZONE(50, 60, 900, 40), U64_UNKNOWN },
		{ FILES SLAB, ZONE(50, 60, 900, 40), U64_UNKNOWN },
		{ FREE FILES SLAB, NULL, U64_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool known = cases[i].available != U64_UNKNOWN;
		const struct frame *frame;
		struct rig rig;

		rig_open(&rig, "empty", TOPICS("memory"));
		rig.env.page_bytes = 4096;
		rig_put(&rig, "proc/meminfo", "MemTotal: 10000 kB\n%s", cases[i].lines);
		if (cases[i].zones)
			rig_put(&rig, "proc/zoneinfo", "%s", cases[i].zones);
		frame = rig_sample(&rig, 1);
		ck_assert_uint_eq(frame->n_notices, 1);
		ck_assert_str_eq(frame->notices[0].text,
				 cases[i].zones
					 ? "this kernel has no MemAvailable; it is estimated from "
					   "/proc/zoneinfo"
					 : "this kernel has no MemAvailable, and /proc/zoneinfo cannot be "
					   "read: No such file or directory");
		ck_assert_msg(cell_u64(frame, "memory", "available", "free_bytes") ==
				      (known ? cases[i].available * 1024 : U64_UNKNOWN),
			      "case %zu: %llu KiB", i, (unsigned long long)OF("available", "free"));
		ck_assert_uint_eq(cell_u64(frame, "memory", "available", "used_bytes"),
				  known ? (10000 - cases[i].available) * 1024 : U64_UNKNOWN);
		ck_assert_str_eq(cell_text(frame, "memory", "available", "note"), known ? "estimated" : "");
		rig_close(&rig);
	}
}

#define NONE UINT64_MAX

static void put_file(struct rig *rig, const char *directory, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (text)
		rig_put(rig, path, "%s\n", text);
}

/* Only what is less than the machine has is a limit: 1024000 bytes, and 512000 of swap. */
START_TEST(limits_are_those_of_the_group)
{
	static const struct {
		unsigned version;
		const char *limit, *usage, *swap_limit, *swap_usage; /* NULL: there is no such file */
		uint64_t memory[3], swap[3];                         /* limit, used, free; NONE: no row */
	} cases[] = {
		{ 2, "max", "5", "max", "6", { NONE }, { NONE } },
		{ 2, "1024000", "5", "512000", "6", { NONE }, { NONE } },
		{ 2,
		  "1023999",
		  "23999",
		  "511999",
		  "11999",
		  { 1023999, 23999, 1000000 },
		  { 511999, 11999, 500000 } },
		{ 2, "1000", "1001", "0", "0", { 1000, 1001, 0 }, { 0, 0, 0 } },
		{ 2,
		  "1000",
		  NULL,
		  "700",
		  NULL,
		  { 1000, U64_UNKNOWN, U64_UNKNOWN },
		  { 700, U64_UNKNOWN, U64_UNKNOWN } },
		{ 2, NULL, "5", "700", "100", { NONE }, { 700, 100, 600 } },
		{ 2, "1000", "10", NULL, "5", { 1000, 10, 990 }, { NONE } },
		{ 1, "1000", "600", "1500", "900", { 1000, 600, 400 }, { 500, 300, 200 } },
		{ 1, "1000", "600", "900", "500", { 1000, 600, 400 }, { 0, 0, 0 } },
		{ 1, "9223372036854771712", "600", "1500", "900", { NONE }, { NONE } },
		{ 1, "1024000", "600", "1025000", "900", { NONE }, { 1000, 300, 700 } },
		{ 1, "1000", "600", "9223372036854771712", "900", { 1000, 600, 400 }, { NONE } },
		{ 1, "1000", "600", "513000", "900", { 1000, 600, 400 }, { NONE } },
		{ 1, "1000", "600", "512999", "900", { 1000, 600, 400 }, { 511999, 300, 511699 } },
	};
	static const char *const none[] = { NULL };
	static const char *const columns[] = { "limit_bytes", "used_bytes", "free_bytes" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool old = cases[i].version == 1;
		const char *group = old ? "sys/fs/cgroup/memory/a" : "sys/fs/cgroup/a";
		const struct table *table;
		struct rig rig;

		rig_open(&rig, "empty", none);
		rig_make(&rig, "proc/self");
		rig_make(&rig, group);
		rig_put(&rig, "proc/meminfo", "MemTotal: 1000 kB\nSwapTotal: 500 kB\n");
		rig_put(&rig, "proc/self/cgroup", "%s", old ? "4:memory:/a\n" : "0::/a\n");
		rig_put(&rig, "proc/self/mountinfo", "%s",
			old ? "31 23 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
			    : "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
		put_file(&rig, group, old ? "memory.limit_in_bytes" : "memory.max", cases[i].limit);
		put_file(&rig, group, old ? "memory.usage_in_bytes" : "memory.current", cases[i].usage);
		put_file(&rig, group, old ? "memory.memsw.limit_in_bytes" : "memory.swap.max",
			 cases[i].swap_limit);
		put_file(&rig, group, old ? "memory.memsw.usage_in_bytes" : "memory.swap.current",
			 cases[i].swap_usage);
		rig_add(&rig, *TOPICS("memory_limit"));
		table = frame_table(rig_sample(&rig, 1), "memory_limit");
		for (unsigned swap = 0; swap < 2; swap++) {
			const uint64_t *expected = swap ? cases[i].swap : cases[i].memory;
			const void *row = table_find(table, swap ? "swap" : "memory", "/a");

			ck_assert_msg((row != NULL) == (expected[0] != NONE), "case %zu %u", i, swap);
			for (unsigned k = 0; row && k < 3; k++)
				ck_assert_msg(table_u64(table, row, columns[k]) == expected[k],
					      "case %zu: %s", i, columns[k]);
		}
		rig_close(&rig);
	}
}
