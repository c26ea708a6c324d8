/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel objects by cache, against /proc/meminfo and with objects of our own; limits of memory. */
#include "rig.h"

#define NAMES 20000
#define ROUNDS 10

static struct rig rig;

static const char *const slab_topic[] = { "slab", NULL };

static double number_of(const struct frame *frame, const char *cache, const char *column)
{
	return frame_number(frame, "slab", cache, column);
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
	const struct table *table;
	double active, grown = 0, bytes = 0;

	rig_open_live(&rig, slab_topic);
	rig_next(&rig);
	table = frame_table(rig.now, "slab");
	if (table->n_rows < 2) {
		rig_close(&rig);
		skip_test("/proc/slabinfo cannot be read here");
	}
	for (size_t i = 1; i < table->n_rows; i++)
		bytes += table_number(table, table_row(table, i), "bytes");
	ck_assert(bytes == number_of(rig.now, "all", "bytes"));
	/* Others free theirs meanwhile. */
	for (unsigned round = 0; round < ROUNDS && grown < 0.8 * NAMES; round++) {
		active = number_of(rig.now, "dentry", "active");
		look_for_names();
		rig_next(&rig);
		grown = number_of(rig.now, "dentry", "active") - active;
	}
	ck_assert_double_ge(grown, 0.8 * NAMES);
	rig_close(&rig);
}

START_LIVE_TEST(allocations_are_counted_with_who_makes_them)
{
	const void *dentry;
	double before = NAN;

	rig_open_live(&rig, slab_topic);
	for (unsigned tick = 0; tick < 5 && isnan(before); tick++) { /* names are found later */
		look_for_names();
		rig_next(&rig);
		if (frame_table(rig.now, "slab")->n_rows < 2)
			break;
		before = number_of(rig.now, "dentry", "allocations");
	}
	if (isnan(before)) {
		rig_close(&rig);
		skip_test("neither /proc/slabinfo nor BPF is permitted, or this kernel is older than 6.1");
	}
	look_for_names();
	rig_next(&rig);
	ck_assert_double_ge(number_of(rig.now, "dentry", "allocations") - before, NAMES);
	dentry = table_find(frame_table(rig.now, "slab"), "dentry", NULL);
	ck_assert_ptr_nonnull(strstr(table_text(frame_table(rig.now, "slab"), dentry, "allocator"),
			      textf("(%d)", (int)getpid())));
	ck_assert(isnan(number_of(rig.now, "kmalloc-64", "allocations")));
	rig_close(&rig);
}

START_LIVE_TEST(without_bpf_allocations_are_unknown)
{
	rig_open_live(&rig, slab_topic);
	rig.request.no_bpf = true;
	rig_next(&rig);
	if (frame_table(rig.now, "slab")->n_rows > 1)
		ck_assert(isnan(number_of(rig.now, "dentry", "allocations")));
	rig_close(&rig);
}

/* --- Memory of the machine, and its limits. */

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
				      (known ? cases[i].available * 1024 : U64_UNKNOWN), "case %zu", i);
		ck_assert_uint_eq(cell_u64(frame, "memory", "available", "used_bytes"),
				  known ? (10000 - cases[i].available) * 1024 : U64_UNKNOWN);
		ck_assert_str_eq(cell_text(frame, "memory", "available", "note"), known ? "estimated" : "");
		rig_close(&rig);
	}
}

#define NONE UINT64_MAX

static void put_file(const char *directory, const char *name, const char *text)
{
	if (text)
		rig_put(&rig, textf("%s/%s", directory, name), "%s\n", text);
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
		{ 2, "1023999", "23999", "511999", "11999",
		  { 1023999, 23999, 1000000 }, { 511999, 11999, 500000 } },
		{ 2, "1000", "1001", "0", "0", { 1000, 1001, 0 }, { 0, 0, 0 } },
		{ 2, "1000", NULL, "700", NULL,
		  { 1000, U64_UNKNOWN, U64_UNKNOWN }, { 700, U64_UNKNOWN, U64_UNKNOWN } },
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
	static const char *const columns[] = { "limit_bytes", "used_bytes", "free_bytes" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool old = cases[i].version == 1;
		const char *group = old ? "sys/fs/cgroup/memory/a" : "sys/fs/cgroup/a";
		const struct table *table;

		rig_open(&rig, "empty", TOPICS("memory_limit"));
		rig_make(&rig, "proc/self");
		rig_make(&rig, group);
		rig_put(&rig, "proc/meminfo", "MemTotal: 1000 kB\nSwapTotal: 500 kB\n");
		rig_put(&rig, "proc/self/cgroup", "%s", old ? "4:memory:/a\n" : "0::/a\n");
		rig_put(&rig, "proc/self/mountinfo", "%s",
			old ? "31 23 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
			    : "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
		put_file(group, old ? "memory.limit_in_bytes" : "memory.max", cases[i].limit);
		put_file(group, old ? "memory.usage_in_bytes" : "memory.current", cases[i].usage);
		put_file(group, old ? "memory.memsw.limit_in_bytes" : "memory.swap.max",
			 cases[i].swap_limit);
		put_file(group, old ? "memory.memsw.usage_in_bytes" : "memory.swap.current",
			 cases[i].swap_usage);
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
