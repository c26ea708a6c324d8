/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of whole rows of the machine over two samples of a fixture, against values found by hand. */
#include <config.h>

#include "rig.h"

static const struct frame *check_meminfo(struct rig *rig, const char *text)
{
	rig_put(rig, "proc/meminfo", "%s", text);
	return rig_sample(rig, 2);
}

static void assert_not_checked(const struct frame *frame)
{
	const struct table *table = frame_slot((struct frame *)frame, "memory_check");

	ck_assert(table->failed);
	ck_assert_uint_eq(table->n_rows, 0);
}

/* A check needs its total and the parts that every kernel prints; other parts may be absent. */
START_TEST(checks_of_meminfo)
{
#define ACTIVE "formula=Active(anon) + Active(file) = Active "
	const char *const names[] = { "memory_check", NULL };
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "linux-6.1", names);
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(frame_table(frame, "memory_check")->n_rows, 5);
	check_row(frame, "memory_check",
		  ACTIVE "sum_bytes=681558016 total_bytes=681558016 error_bytes=0 error_ratio=0");
	check_row(frame, "memory_check",
		  "formula=MemFree + Active + Inactive + Slab + Unevictable + KernelStack + PageTables + "
		  "SecPageTables + Percpu + VmallocUsed + Hugetlb + Zswap + Bounce = MemTotal "
		  "sum_bytes=2612047872 total_bytes=2608857088 error_bytes=3190784 "
		  "error_ratio=0.001223058179");
	check_row(frame, "memory_check",
		  "formula=MemFree + Buffers + Cached + AnonPages + Slab + SwapCached + KernelStack + "
		  "PageTables + SecPageTables + Percpu + VmallocUsed + Hugetlb + Zswap + Bounce = MemTotal "
		  "sum_bytes=2612047872 total_bytes=2608857088 error_bytes=3190784 "
		  "error_ratio=0.001223058179");
	frame = check_meminfo(&rig, "Active: 30 kB\nActive(anon): 10 kB\nActive(file): 21 kB\n");
	ck_assert_uint_eq(frame_table(frame, "memory_check")->n_rows, 1);
	check_row(frame, "memory_check",
		  ACTIVE "sum_bytes=31744 total_bytes=30720 error_bytes=1024 error_ratio=0.03333333333");
	frame = check_meminfo(&rig, "Active: 0 kB\nActive(anon): 0 kB\nActive(file): 0 kB\n");
	check_row(frame, "memory_check", ACTIVE "sum_bytes=0 total_bytes=0 error_bytes=0");
	frame = check_meminfo(&rig, "Active: 1 kB\nActive(anon): 0 kB\nActive(file): 0 kB\n");
	check_row(frame, "memory_check",
		  ACTIVE "sum_bytes=0 total_bytes=1024 error_bytes=-1024 error_ratio=-1");
	frame = check_meminfo(&rig, "MemTotal: 100 kB\nMemFree: 10 kB\nActive: 20 kB\nInactive: 30 kB\n"
				    "Slab: 15 kB\n");
	ck_assert_uint_eq(frame_table(frame, "memory_check")->n_rows, 1);
	check_row(frame, "memory_check",
		  "formula=MemFree + Active + Inactive + Slab = MemTotal sum_bytes=76800 "
		  "total_bytes=102400 error_bytes=-25600 error_ratio=-0.25");
	assert_not_checked(check_meminfo(&rig, "MemTotal: 100 kB\nMemFree: 10 kB\nActive: 20 kB\n"
					       "Inactive: 30 kB\n"));
	assert_not_checked(check_meminfo(&rig, "Active: 30 kB\nActive(anon): 10 kB\n"));
	assert_not_checked(check_meminfo(&rig, "Active(anon): 10 kB\nActive(file): 21 kB\n"));
	rig_close(&rig);
}
