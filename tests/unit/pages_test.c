/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the map of pages: parsers, cells, and on this machine a process with memory as we made it. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/mounts.h"
#include "kernel/page_flags.h"
#include "kernel/pid/maps.h"
#include "kernel/pid/pid_status.h"
#include "rig.h"
#include "suite.h"
#include "sys/page_file.h"
#include "topic/pages/page_snapshot.h"
#include "topic/topic.h"

#define PAGE UINT64_C(4096)

START_TEST(entries_are_counted)
{
	static uint64_t entries[10000];
	struct page_counts counts = { 0 };
	struct pagemap_entry page;

	for (size_t i = 0; i < 10000; i++)
		entries[i] = i % 10 == 0   ? PAGEMAP_PRESENT | PAGEMAP_FILE | 77
			     : i % 10 == 1 ? PAGEMAP_PRESENT | PAGEMAP_EXCLUSIVE | PAGEMAP_SOFT_DIRTY
			     : i % 10 == 2 ? PAGEMAP_SWAPPED | PAGEMAP_SOFT_DIRTY | UINT64_C(9) << 5 | 3
					   : PAGEMAP_SOFT_DIRTY; /* absent: the bit means nothing */
	pagemap_count(entries, 10000, &counts);
	ck_assert_uint_eq(counts.pages, 10000);
	ck_assert_uint_eq(counts.present, 2000);
	ck_assert_uint_eq(counts.file, 1000);
	ck_assert_uint_eq(counts.swapped, 1000);
	ck_assert_uint_eq(counts.exclusive, 1000);
	ck_assert_uint_eq(counts.soft_dirty, 2000);
	pagemap_decode(entries[0], &page);
	ck_assert(page.present && page.file && page.frame == 77);
	pagemap_decode(entries[2], &page);
	ck_assert(page.swapped && page.swap_type == 3 && page.swap_offset == 9 && page.frame == 0);
}

/* The same entries one by one, and in groups of eight that are alike but for one of them. */
START_TEST(entries_are_counted_as_they_are_decoded)
{
	static const uint64_t bits[] = { 0,
					 PAGEMAP_PRESENT,
					 PAGEMAP_PRESENT | PAGEMAP_FILE,
					 PAGEMAP_PRESENT | PAGEMAP_EXCLUSIVE,
					 PAGEMAP_PRESENT | PAGEMAP_FILE | PAGEMAP_EXCLUSIVE,
					 PAGEMAP_PRESENT | PAGEMAP_SOFT_DIRTY,
					 PAGEMAP_PRESENT | PAGEMAP_SWAPPED,
					 PAGEMAP_SWAPPED,
					 PAGEMAP_SWAPPED | PAGEMAP_SOFT_DIRTY,
					 PAGEMAP_SWAPPED | PAGEMAP_FILE | PAGEMAP_EXCLUSIVE,
					 PAGEMAP_SOFT_DIRTY | PAGEMAP_FILE | PAGEMAP_EXCLUSIVE };
	enum { N = sizeof(bits) / sizeof(bits[0]) };
	static uint64_t entries[N * N * 8 + 7];
	struct page_counts counts = { 0 }, wanted = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < N; i++)
		for (size_t other = 0; other < N; other++)
			for (size_t k = 0; k < 8; k++, n++)
				entries[n] = bits[k == (i + other) % 8 ? other : i] | (n & 1);
	while (n < sizeof(entries) / sizeof(entries[0]))
		entries[n++] = PAGEMAP_PRESENT;
	for (size_t i = 0; i < n; i++) {
		struct pagemap_entry page;

		pagemap_decode(entries[i], &page);
		wanted.present += page.present;
		wanted.swapped += page.swapped;
		wanted.file += page.present && page.file;
		wanted.soft_dirty += (page.present || page.swapped) && page.soft_dirty;
		wanted.exclusive += page.present && page.exclusive;
		wanted.maybe_zero += page.present && !page.file && !page.exclusive;
	}
	wanted.pages = n;
	pagemap_count(entries, n, &counts);
	ck_assert_mem_eq(&counts, &wanted, sizeof(counts));
}

/* More than a lane of the sum holds. */
START_TEST(many_entries_of_one_kind)
{
	static const struct {
		uint64_t entry;
		struct page_counts counts;
	} cases[] = {
		{ PAGEMAP_PRESENT, { .pages = 5000, .present = 5000, .maybe_zero = 5000 } },
		{ PAGEMAP_PRESENT | PAGEMAP_FILE | PAGEMAP_EXCLUSIVE | PAGEMAP_SOFT_DIRTY | 0x7fffffffffffff,
		  { .pages = 5000, .present = 5000, .file = 5000, .exclusive = 5000, .soft_dirty = 5000 } },
		{ PAGEMAP_SWAPPED, { .pages = 5000, .swapped = 5000 } },
		{ 0, { .pages = 5000 } },
	};
	static uint64_t entries[5000];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct page_counts counts = { 0 };

		for (size_t k = 0; k < 5000; k++)
			entries[k] = cases[i].entry;
		pagemap_count(entries, 1024, &counts);
		pagemap_count(entries, 5000 - 1024, &counts);
		ck_assert_msg(memcmp(&counts, &cases[i].counts, sizeof(counts)) == 0, "case %zu", i);
	}
}

/* Nothing behind them is read. */
START_TEST(entries_at_the_end_of_memory)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t *end = (uint64_t *)(void *)(memory + bytes);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_eq(mprotect(end, bytes, PROT_NONE), 0);
	for (size_t n = 0; n <= 33; n++) {
		struct page_counts counts = { 0 };

		for (size_t i = 1; i <= n; i++)
			end[-(ptrdiff_t)i] = PAGEMAP_PRESENT | PAGEMAP_EXCLUSIVE;
		pagemap_count(end - n, n, &counts);
		ck_assert_uint_eq(counts.present, n);
		ck_assert_uint_eq(counts.exclusive, n);
	}
	munmap(memory, 2 * bytes);
}

START_TEST(counts_are_added)
{
	const struct page_counts more = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	const struct page_counts wanted = { 101, 102, 103, 104, 105, 106, 107, 108, 109, 110 };
	struct page_counts sum = { 100, 100, 100, 100, 100, 100, 100, 100, 100, 100 };

	page_counts_add(&sum, &more);
	ck_assert_mem_eq(&sum, &wanted, sizeof(sum));
}

START_TEST(entries_are_decoded)
{
	const uint64_t place = UINT64_C(0x3ffffffffffff) << 5 | 31;
	struct pagemap_entry page;

	pagemap_decode(PAGEMAP_PRESENT | place, &page);
	ck_assert(page.present && page.frame == place && page.swap_type == 0 && page.swap_offset == 0);
	ck_assert(!page.swapped && !page.file && !page.guard && !page.write_watched && !page.exclusive &&
		  !page.soft_dirty);
	pagemap_decode(PAGEMAP_SWAPPED | place, &page);
	ck_assert(page.swapped && page.frame == 0 && page.swap_type == 31);
	ck_assert_uint_eq(page.swap_offset, 0x3ffffffffffff);
	pagemap_decode(PAGEMAP_PRESENT | PAGEMAP_SWAPPED | 5, &page);
	ck_assert(page.present && !page.swapped && page.frame == 5 && page.swap_type == 0);
	pagemap_decode(PAGEMAP_GUARD | 5, &page);
	ck_assert(page.guard && !page.present && page.frame == 0 && page.swap_type == 0);
	pagemap_decode(PAGEMAP_WRITE_WATCHED, &page);
	ck_assert(page.write_watched && !page.guard && !page.exclusive);
	pagemap_decode(PAGEMAP_EXCLUSIVE, &page);
	ck_assert(page.exclusive && !page.soft_dirty && !page.write_watched);
	pagemap_decode(PAGEMAP_SOFT_DIRTY, &page);
	ck_assert(page.soft_dirty && !page.exclusive && !page.file);
	pagemap_decode(PAGEMAP_FILE, &page);
	ck_assert(page.file && !page.present && !page.swapped);
}

START_TEST(flags_have_names)
{
	char text[PAGE_FLAGS_TEXT_MAX];

	ck_assert_str_eq(page_flags_text(text, 0), "");
	ck_assert_str_eq(page_flags_text(text, 1 << 5 | 1 << 12 | UINT64_C(1) << 40), "lru anon bit40");
	ck_assert_uint_lt(strlen(page_flags_text(text, UINT64_MAX)), PAGE_FLAGS_TEXT_MAX);
}

/* Regions of 10, 1 and 1000 pages, the last behind a hole. */
static const char three_regions[] = "00010000-0001a000 rw-p 0 0:0 0 a\n0001a000-0001b000 r--p 0 0:0 0 b\n"
				    "10000000-103e8000 ---p 0 0:0 0 c\n";

static uint64_t cut(struct page_snapshot *view, struct cell_layout layout)
{
	uint64_t pages = 0;

	view->page_bytes = PAGE;
	page_snapshot_parse(view, span_text(three_regions));
	page_snapshot_cut(view, &layout);
	for (size_t i = 0; i < view->n_cells; i++)
		pages += view->cells[i].counts.pages;
	return pages;
}

START_TEST(cells_hold_every_page_once)
{
	struct page_snapshot view = { 0 };

	for (size_t most = 1; most < 1200; most += 7) {
		ck_assert_uint_eq(cut(&view, (struct cell_layout){ .most = most }), 1011);
		ck_assert_uint_le(view.n_cells, most);
		ck_assert_uint_ge(view.n_cells, most < 1011 ? most / 3 : 1011);
	}
	ck_assert_uint_eq(cut(&view, (struct cell_layout){ .most = 100, .from = 0x11000, .to = 0x1b000 }),
			  10);
	ck_assert_uint_eq(view.n_cells, 10); /* one page each */
	ck_assert_uint_eq(view.cells[9].start, 0x1a000);
	ck_assert_uint_eq(cut(&view, (struct cell_layout){ .most = 100, .from = 0x1c000, .to = 0x10000000 }),
			  0);
	ck_assert_uint_eq(cut(&view, (struct cell_layout){ .most = 40, .fold_pages = 64 }), 1011);
	ck_assert_uint_eq(view.n_cells, 12); /* what nobody may access is one cell */
	page_snapshot_free(&view);
}

/* As numbers of pages, and how many pages a cell has at most. */
static void check_cells(const char *maps, struct cell_layout layout, uint64_t cell_pages, const char *wanted)
{
	struct page_snapshot view = { .page_bytes = PAGE };
	struct buffer text = { 0 };
	uint64_t pages = 0;

	page_snapshot_parse(&view, span_text(maps));
	page_snapshot_cut(&view, &layout);
	for (size_t i = 0; i < view.n_cells; i++) {
		buffer_print(&text, "%s%llx-%llx", i > 0 ? " " : "",
			     (unsigned long long)(view.cells[i].start / PAGE),
			     (unsigned long long)(view.cells[i].end / PAGE));
		pages += view.cells[i].counts.pages;
	}
	buffer_char(&text, '\0');
	ck_assert_str_eq(text.bytes, wanted);
	ck_assert_uint_eq(view.cell_pages, cell_pages);
	if (layout.cell_pages == 0 && layout.from == 0)
		ck_assert_uint_eq(pages, view.total.pages);
	buffer_free(&text);
	page_snapshot_free(&view);
}

static void check_three(struct cell_layout layout, uint64_t cell_pages, const char *wanted)
{
	check_cells(three_regions, layout, cell_pages, wanted);
}

/* As few pages in a cell as make no more cells than wanted; across regions where there are few cells. */
START_TEST(cells_of_the_least_size)
{
	check_three((struct cell_layout){ .most = 0 }, 1011, "10-103e8");
	check_three((struct cell_layout){ .most = 1 }, 1011, "10-103e8");
	check_three((struct cell_layout){ .most = 3 }, 337, "10-10146 10146-10297 10297-103e8");
	check_three((struct cell_layout){ .most = 5 }, 203,
		    "10-100c0 100c0-1018b 1018b-10256 10256-10321 10321-103e8");
	check_three((struct cell_layout){ .most = 6 }, 250,
		    "10-1a 1a-1b 10000-100fa 100fa-101f4 101f4-102ee 102ee-103e8");
	check_three((struct cell_layout){ .most = 4, .from = 0x12000, .to = 0x10002000 }, 3,
		    "12-15 15-18 18-1b 10000-10002");
	check_three((struct cell_layout){ .most = 8, .from = 0x12000, .to = 0x10002000 }, 2,
		    "12-14 14-16 16-18 18-1a 1a-1b 10000-10002");
	check_three((struct cell_layout){ .most = 8, .from = 0x1a000, .to = 0x10000000 }, 1, "1a-1b");
	check_three((struct cell_layout){ .most = 8, .from = 0x1b000, .to = 0x10000000 }, 1, "");
	check_three((struct cell_layout){ .most = 8, .from = 0x103e7000 }, 1, "103e7-103e8");
}

START_TEST(large_regions_are_folded)
{
	static const char readable[] = "00010000-0001a000 rw-p 0 0:0 0 a\n0001a000-0001b000 r--p 0 0:0 0 b\n"
				       "10000000-103e8000 r--p 0 0:0 0 c\n";
	static const char between[] = "00010000-00013000 rw-p 0 0:0 0\n00100000-004e8000 r--p 0 0:0 0\n"
				      "01000000-01003000 rw-p 0 0:0 0\n";
	const char *small = "10-11 11-12 12-13 13-14 14-15 15-16 16-17 17-18 18-19 19-1a 1a-1b";
	char wanted[256];

	snprintf(wanted, sizeof(wanted), "%s 10000-103e8", small);
	check_three((struct cell_layout){ .most = 40, .fold_pages = 64 }, 1, wanted);
	check_three((struct cell_layout){ .most = 40, .fold_pages = 5000 }, 1, wanted);
	snprintf(wanted, sizeof(wanted), "%s 10000-100c8 100c8-10190 10190-10258 10258-10320 10320-103e8",
		 small);
	check_cells(readable, (struct cell_layout){ .most = 40, .fold_pages = 64 }, 1, wanted);
	check_cells(readable, (struct cell_layout){ .most = 40, .fold_pages = 999 }, 1, wanted);
	check_cells(readable, (struct cell_layout){ .most = 6, .fold_pages = 1000 }, 250,
		    "10-1a 1a-1b 10000-100fa 100fa-101f4 101f4-102ee 102ee-103e8");
	check_cells(readable, (struct cell_layout){ .most = 5, .fold_pages = 64 }, 3,
		    "10-13 13-16 16-19 19-1b 10000-103e8");
	check_cells(between, (struct cell_layout){ .most = 5, .fold_pages = 64 }, 2,
		    "10-12 12-13 100-4e8 1000-1002 1002-1003");
}

/* Of cells of four pages: one before the one with an address, and one behind it. */
START_TEST(cells_around_an_address)
{
	static const struct {
		uint64_t anchor;
		const char *cells;
	} cases[] = {
		{ 0, "10-14 14-18" },
		{ 0x10000, "10-14 14-18" },
		{ 0x13fff, "10-14 14-18" },
		{ 0x14000, "10-14 14-18 18-1a" },
		{ 0x19fff, "14-18 18-1a 1a-1b" },
		{ 0x1a000, "18-1a 1a-1b 10000-10004" },
		{ 0x1afff, "18-1a 1a-1b 10000-10004" },
		{ 0x1b000, "1a-1b 10000-10004 10004-10008" },
		{ 0x10003fff, "1a-1b 10000-10004 10004-10008" },
		{ 0x10004000, "10000-10004 10004-10008 10008-1000c" },
		{ 0x103dc000, "103d8-103dc 103dc-103e0 103e0-103e4" },
		{ 0x103e0000, "103dc-103e0 103e0-103e4 103e4-103e8" },
		{ 0x103e4000, "103dc-103e0 103e0-103e4 103e4-103e8" },
		{ UINT64_MAX, "103dc-103e0 103e0-103e4 103e4-103e8" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_three(
			(struct cell_layout){
				.cell_pages = 4, .anchor = cases[i].anchor, .before = 1, .most = 2 },
			4, cases[i].cells);
	check_three((struct cell_layout){ .cell_pages = 4, .anchor = 0x18000, .most = 1 }, 4, "18-1a");
	check_three((struct cell_layout){ .cell_pages = 1000, .anchor = UINT64_MAX, .before = 3, .most = 10 },
		    1000, "10-1a 1a-1b 10000-103e8");
	check_three((struct cell_layout){ .cell_pages = 500, .fold_pages = 64, .most = 10 }, 500,
		    "10-1a 1a-1b 10000-103e8");
}

START_TEST(layouts_are_compared)
{
	const struct cell_layout one = { 1, 2, 3, 4, 5, 6, 7 };
	const struct cell_layout others[] = {
		{ 0, 2, 3, 4, 5, 6, 7 }, { 1, 0, 3, 4, 5, 6, 7 }, { 1, 2, 0, 4, 5, 6, 7 },
		{ 1, 2, 3, 0, 5, 6, 7 }, { 1, 2, 3, 4, 0, 6, 7 }, { 1, 2, 3, 4, 5, 0, 7 },
		{ 1, 2, 3, 4, 5, 6, 0 },
	};
	struct cell_layout same = one;

	ck_assert(cell_layout_is_same(&one, &same));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(!cell_layout_is_same(&one, &others[i]), "%zu", i);
}

#define VSYSCALL UINT64_C(0xffffffffff600000)

START_TEST(regions_of_a_snapshot)
{
	static const char maps[] = "00010000-00012000 rw-p 0 0:0 0 a\n"
				   "00011000-00013000 rw-p 0 0:0 0 overlaps\n"
				   "00012000-00013000 r-xp 00005000 08:02 4711 /b c\n"
				   "00013800-00015000 rw-p 0 0:0 0 begins within a page\n"
				   "00014000-00015800 rw-p 0 0:0 0 ends within a page\n"
				   "00014000-00016000 ---s 0 0:0 0\n"
				   "ffffffffff600000-ffffffffff601000 --xp 0 00:00 0 [vsyscall]\n";
	static const struct page_region wanted[] = {
		{ 0x10000, 0x12000, 0, 0, 0, "rw-p", false, { .pages = 2 }, U64_UNKNOWN },
		{ 0x12000, 0x13000, 0x5000, 4711, 2, "r-xp", false, { .pages = 1 }, U64_UNKNOWN },
		{ 0x14000, 0x16000, 0, 0, 7, "---s", false, { .pages = 2 }, U64_UNKNOWN },
		{ VSYSCALL, VSYSCALL + PAGE, 0, 0, 8, "--xp", true, { .pages = 1 }, U64_UNKNOWN },
	};
	static const char *const paths[] = { "a", "/b c", "", "[vsyscall]" };
	static const uint64_t nowhere[] = { 0, 0x11000, 0x12001, 0x13000, 0x13800, 0x16000, UINT64_MAX };
	struct page_snapshot view = { .page_bytes = PAGE };

	page_snapshot_parse(&view, span_text(maps));
	ck_assert_uint_eq(view.n_regions, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct page_region *region = &view.regions[i];

		ck_assert(region->start == wanted[i].start && region->end == wanted[i].end);
		ck_assert(region->offset == wanted[i].offset && region->inode == wanted[i].inode);
		ck_assert_uint_eq(region->path, wanted[i].path);
		ck_assert_str_eq(region->permissions, wanted[i].permissions);
		ck_assert_int_eq(region->special, wanted[i].special);
		ck_assert_mem_eq(&region->counts, &wanted[i].counts, sizeof(region->counts));
		ck_assert_uint_eq(region->proportional_bytes, wanted[i].proportional_bytes);
		ck_assert_str_eq(page_snapshot_path(&view, region), paths[i]);
		ck_assert_ptr_eq(page_snapshot_find(&view, region->start), region);
	}
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
		ck_assert_ptr_null(page_snapshot_find(&view, nowhere[i]));
	ck_assert_uint_eq(view.total.pages, 5); /* but for what is of the kernel */
	page_snapshot_cut(&view, &(struct cell_layout){ .most = 3 });
	ck_assert_uint_eq(view.n_cells, 3);
	view.complete = true;
	view.next = view.cpu_ns = view.total.present = 7;
	page_snapshot_parse(&view, span_text("00020000-00021000 rw-p 0 0:0 0 new\n"));
	ck_assert(view.n_regions == 1 && view.n_cells == 0 && view.total.pages == 1);
	ck_assert(!view.complete && view.next == 0 && view.cpu_ns == 0 && view.total.present == 0);
	ck_assert_str_eq(page_snapshot_path(&view, &view.regions[0]), "new");
	page_snapshot_free(&view);
}

/* Entries from before the first region on, whose first page no cell has; in one call or two. */
static void count_around(size_t first)
{
	struct page_snapshot view = { 0 };
	struct page_walk walk = { 0 };
	uint64_t entries[14];
	struct page_counts wanted = {
		.pages = 1011, .present = 10, .swapped = 1, .file = 1, .soft_dirty = 1, .maybe_zero = 9
	};

	cut(&view, (struct cell_layout){ .most = 100, .from = 0x11000, .to = 0x1b000 });
	for (size_t i = 0; i < 14; i++)
		entries[i] = PAGEMAP_PRESENT;
	entries[3] = PAGEMAP_SWAPPED | PAGEMAP_SOFT_DIRTY;
	entries[11] = PAGEMAP_PRESENT | PAGEMAP_FILE;
	page_snapshot_count(&view, &walk, 0xf000, entries, first);
	page_snapshot_count(&view, &walk, 0xf000 + first * PAGE, entries + first, 14 - first);
	ck_assert_mem_eq(&view.total, &wanted, sizeof(wanted));
	wanted = (struct page_counts){
		.pages = 10, .present = 9, .swapped = 1, .soft_dirty = 1, .maybe_zero = 9
	};
	ck_assert_mem_eq(&view.regions[0].counts, &wanted, sizeof(wanted));
	wanted = (struct page_counts){ .pages = 1, .present = 1, .file = 1 };
	ck_assert_mem_eq(&view.regions[1].counts, &wanted, sizeof(wanted));
	ck_assert_mem_eq(&view.cells[9].counts, &wanted, sizeof(wanted));
	wanted = (struct page_counts){ .pages = 1, .swapped = 1, .soft_dirty = 1 };
	ck_assert_mem_eq(&view.cells[1].counts, &wanted, sizeof(wanted));
	wanted = (struct page_counts){ .pages = 1, .present = 1, .maybe_zero = 1 };
	for (size_t i = 0; i < 9; i++)
		if (i != 1)
			ck_assert_mem_eq(&view.cells[i].counts, &wanted, sizeof(wanted));
	page_snapshot_count(&view, &walk, 0x10000000, entries, 3); /* behind the last cell */
	ck_assert_uint_eq(view.regions[2].counts.present, 3);
	ck_assert_uint_eq(view.total.present, 13);
	ck_assert_uint_eq(view.cells[9].counts.present, 1);
	page_snapshot_free(&view);
}

START_TEST(entries_are_those_of_regions_and_cells)
{
	for (size_t first = 0; first <= 14; first++)
		count_around(first);
}

START_TEST(pages_of_the_kernel_are_not_counted)
{
	static const char maps[] = "00010000-00012000 r--p 0 0:0 0 [vvar]\n"
				   "00012000-00014000 rw-p 0 0:0 0 a\n";
	const uint64_t entries[4] = { PAGEMAP_PRESENT, PAGEMAP_PRESENT, PAGEMAP_PRESENT, PAGEMAP_PRESENT };
	const struct page_range zeros = { 0x10000, 0x14000, PAGE_SCAN_PRESENT | PAGE_SCAN_ZERO };
	struct page_snapshot view = { .page_bytes = PAGE };
	struct page_walk walk = { 0 }, again = { 0 };

	page_snapshot_parse(&view, span_text(maps));
	page_snapshot_cut(&view, &(struct cell_layout){ .most = 10 });
	page_snapshot_count(&view, &walk, 0x10000, entries, 4);
	page_snapshot_count_range(&view, &again, &zeros);
	ck_assert(view.regions[0].counts.present == 0 && view.regions[1].counts.present == 2);
	ck_assert(view.regions[0].counts.zero == 0 && view.regions[1].counts.zero == 2);
	ck_assert(view.total.pages == 2 && view.total.present == 2 && view.total.zero == 2);
	ck_assert_uint_eq(view.n_cells, 2);
	ck_assert(view.cells[0].counts.present == 1 && view.cells[1].counts.zero == 1);
	page_snapshot_free(&view);
}

START_TEST(ranges_are_those_of_regions_and_cells)
{
	const uint64_t present = PAGE_SCAN_PRESENT;
	const struct page_range ranges[] = {
		{ 0xf000, 0x11000, present | PAGE_SCAN_ZERO },
		{ 0x19000, 0x1d000, present | PAGE_SCAN_ZERO | PAGE_SCAN_HUGE },
		{ 0x10000000, 0x10003000, present | PAGE_SCAN_KSM },
		{ 0x10003000, 0x10004000, PAGE_SCAN_KSM | PAGE_SCAN_ZERO | PAGE_SCAN_HUGE },
		{ 0x10004000, 0x10009000, present | PAGE_SCAN_HUGE },
		{ 0x10009000, 0x1000a000, present },
	};
	const struct page_counts sum = { .pages = 1011, .zero = 3, .huge = 7, .ksm = 3 };
	const struct page_counts regions[] = { { .pages = 10, .zero = 2, .huge = 1 },
					       { .pages = 1, .zero = 1, .huge = 1 },
					       { .pages = 1000, .huge = 5, .ksm = 3 } };
	const struct page_counts cell = { .pages = 1, .zero = 1, .huge = 1 };
	struct page_snapshot view = { 0 };
	struct page_walk walk = { 0 };

	cut(&view, (struct cell_layout){ .most = 100, .from = 0x11000, .to = 0x1b000 });
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		page_snapshot_count_range(&view, &walk, &ranges[i]);
	ck_assert_mem_eq(&view.total, &sum, sizeof(sum));
	for (size_t i = 0; i < 3; i++)
		ck_assert_mem_eq(&view.regions[i].counts, &regions[i], sizeof(regions[i]));
	ck_assert_uint_eq(view.cells[0].counts.zero, 0);
	ck_assert_mem_eq(&view.cells[8].counts, &cell, sizeof(cell));
	ck_assert_mem_eq(&view.cells[9].counts, &cell, sizeof(cell));
	page_snapshot_free(&view);
}

/* As PAGEMAP_SCAN tells pages of hugetlb: also the absent ones are huge. */
START_TEST(absent_pages_are_not_huge)
{
	const uint64_t huge = PAGE_SCAN_HUGE, present = PAGE_SCAN_PRESENT;
	const struct page_range ranges[] = {
		{ .start = 0x10000, .end = 0x14000, .what = huge | present },
		{ .start = 0x14000, .end = 0x18000, .what = huge },
		{ .start = 0x18000, .end = 0x19000, .what = present },
		{ .start = 0x19000, .end = 0x1b000, .what = PAGE_SCAN_ZERO | present },
		{ .start = 0x10000000, .end = 0x10004000, .what = huge | PAGE_SCAN_SWAPPED },
	};
	struct page_snapshot view = { 0 };
	struct page_walk walk = { 0 };

	cut(&view, (struct cell_layout){ .most = 100 });
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		page_snapshot_count_range(&view, &walk, &ranges[i]);
	ck_assert_uint_eq(view.total.huge, 4);
	ck_assert_uint_eq(view.total.zero, 2);
	page_snapshot_free(&view);
}

START_TEST(a_window_of_cells)
{
	struct page_snapshot view = { 0 };
	struct cell_layout layout = { .cell_pages = 1, .anchor = 0x10000000, .before = 4, .most = 20 };

	cut(&view, layout);
	ck_assert_uint_eq(view.n_cells, 24);
	ck_assert_uint_eq(view.cells[4].start, 0x10000000);
	ck_assert_uint_eq(view.cells[3].start, 0x1a000);
	ck_assert_uint_eq(view.cells[3].end, 0x1b000);
	layout.anchor = UINT64_MAX - 1; /* the end */
	cut(&view, layout);
	ck_assert_uint_eq(view.cells[view.n_cells - 1].end, 0x103e8000);
	ck_assert_uint_eq(view.n_cells, 24);
	layout.anchor = 0;
	cut(&view, layout);
	ck_assert_uint_eq(view.n_cells, 20);
	ck_assert_uint_eq(view.cells[0].start, 0x10000);
	page_snapshot_free(&view);
}

/* A process of our own with memory at addresses that we know, wherever this machine has room for it. */
#define GAP (2048 * page)          /* from one to the next */
#define EVERY_SECOND room          /* 1024 pages, every second one written */
#define HUGE_ONE (room + GAP)      /* two huge pages, if the kernel gives them */
#define OF_FILE (room + 2 * GAP)   /* 64 pages, 32 read */
#define SHARED (room + 3 * GAP)    /* 64 pages, 16 written */
#define ZEROS (room + 4 * GAP)     /* 64 pages, read only */
#define UNTOUCHED (room + 5 * GAP) /* 64 pages */
#define SWAPPED (room + 6 * GAP)   /* 256 pages, to be swapped out where there is swap */
#define SPARSE (room + 7 * GAP)    /* 100 pages written */
#define SPARSE_BYTES (sizeof(void *) > 4 ? UINT64_C(64) << 30 : UINT64_C(512) << 20)
#define ROOM_BYTES (7 * GAP + SPARSE_BYTES)
#define HUGE_BYTES (512 * page)

static uint64_t page, room; /* the room is kept free until it is used */

static void *at(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

__attribute__((constructor)) static void keep_room(void)
{
	void *kept;

	page = (uint64_t)sysconf(_SC_PAGESIZE);
	kept = mmap(NULL, (size_t)(ROOM_BYTES + HUGE_BYTES), PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (kept == MAP_FAILED)
		abort();
	room = ((uint64_t)(uintptr_t)kept + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
}

static void leave_room(void)
{
	munmap(at(room), (size_t)ROOM_BYTES);
}

static const char *const topic_names[] = { "page_total", "region", "cell", "page_level", NULL };

static volatile char *map(uint64_t address, uint64_t bytes, int flags, int fd)
{
	void *memory = mmap(at(address), (size_t)bytes, fd >= 0 ? PROT_READ : PROT_READ | PROT_WRITE,
			    flags | MAP_FIXED_NOREPLACE | MAP_NORESERVE, fd, 0);

	if (memory != at(address))
		_exit(3);
	return memory;
}

static void touch(volatile char *memory, uint64_t n, uint64_t step)
{
	for (uint64_t i = 0; i < n; i++)
		memory[i * step * page] = 1;
}

static int make_file(void)
{
	char path[] = "/tmp/panetop-pages-\nXXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || unlink(path) < 0)
		_exit(3);
	for (uint64_t i = 0; i < 64; i++)
		if (pwrite(fd, "x", 1, (off_t)(i * page)) != 1)
			_exit(3);
	return fd;
}

/* A read maps what lies around it, too, up to the end of the mapping: the second half is mapped later. */
static void map_file(void)
{
	int fd = make_file();

	map(OF_FILE, 32 * page, MAP_PRIVATE | MAP_POPULATE, fd);
	if (mmap(at(OF_FILE + 32 * page), (size_t)(32 * page), PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE,
		 fd, (off_t)(32 * page)) == MAP_FAILED)
		_exit(3);
}

static void make_memory(void)
{
	volatile char *memory;

	leave_room();
	memory = map(EVERY_SECOND, 1024 * page, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	madvise((void *)memory, 1024 * page, MADV_NOHUGEPAGE);
	touch(memory, 512, 2);
	memory = map(HUGE_ONE, 2 * HUGE_BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	madvise((void *)memory, 2 * HUGE_BYTES, MADV_HUGEPAGE);
	touch(memory, 1, 1);
	map_file();
	touch(map(SHARED, 64 * page, MAP_SHARED | MAP_ANONYMOUS, -1), 16, 1);
	memory = map(ZEROS, 64 * page, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	madvise((void *)memory, 64 * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < 64; i++)
		(void)memory[i * page]; /* it is read: the memory is volatile */
	memory = map(SPARSE, SPARSE_BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	madvise((void *)memory, SPARSE_BYTES, MADV_NOHUGEPAGE);
	touch(memory, 100, SPARSE_BYTES / page / 100);
	map(UNTOUCHED, 64 * page, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	memory = map(SWAPPED, 256 * page, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	madvise((void *)memory, 256 * page, MADV_NOHUGEPAGE);
	touch(memory, 256, 1);
	madvise((void *)memory, 256 * page, MADV_PAGEOUT);
}

/* Starts it; on a byte through the pipe it becomes another program. */
static pid_t start_process(int *to)
{
	int up[2], down[2];
	char byte;
	pid_t pid;

	ck_assert(pipe(up) == 0 && pipe(down) == 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		close(up[0]);
		close(down[1]);
		make_memory();
		if (write(up[1], "x", 1) != 1 || read(down[0], &byte, 1) != 1)
			_exit(0);
		execl("/bin/sleep", "sleep", "100", (char *)NULL);
		_exit(3);
	}
	close(up[1]);
	close(down[0]);
	ck_assert_int_eq(read(up[0], &byte, 1), 1);
	close(up[0]);
	*to = down[1];
	return pid;
}

static void open_pages(struct machine *machine, const char *pid)
{
	static char processes[64]; /* of one machine at a time */

	snprintf(processes, sizeof(processes), "%s", pid ? pid : "");
	*machine = (struct machine){ 0 };
	machine->request.processes = pid ? processes : NULL;
	machine->request.batch = true;
	open_machine(machine, topic_names);
}

static void open_process(struct machine *machine, pid_t pid)
{
	open_pages(machine, textf("%d", (int)pid));
	next_tick(machine);
}

static void end_process(struct machine *machine, pid_t pid, int to)
{
	close(to);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close_machine(machine);
}

static _Noreturn void skip_process(struct machine *machine, pid_t pid, int to, const char *why)
{
	end_process(machine, pid, to);
	skip_test("%s", why);
}

static const void *region_at(const struct machine *machine, uint64_t address)
{
	const struct table *table = frame_table(machine->now, "region");

	for (size_t i = 0; table && i < table->n_rows; i++)
		if (table_number(table, table_row(table, i), "start_address") == (double)address)
			return table_row(table, i);
	return NULL;
}

static double pages_in(const struct machine *machine, uint64_t address, const char *column)
{
	const struct table *table = frame_table(machine->now, "region");
	const void *row = region_at(machine, address);

	ck_assert_msg(row != NULL, "no region at %llx", (unsigned long long)address);
	return table_number(table, row, column) / (double)machine->env.page_bytes;
}

static double total(const struct machine *machine, const char *column)
{
	return frame_number(machine->now, "page_total", NULL, column);
}

static double sum_of_cells(const struct machine *machine, const char *column)
{
	const struct table *table = frame_table(machine->now, "cell");
	double sum = 0;

	for (size_t i = 0; i < table->n_rows; i++)
		sum += table_number(table, table_row(table, i), column);
	return sum;
}

static const void *cell_at(const struct machine *machine, uint64_t address)
{
	const struct table *table = frame_table(machine->now, "cell");

	for (size_t i = 0; i < table->n_rows; i++)
		if (table_u64(table, table_row(table, i), "start_address") == address)
			return table_row(table, i);
	ck_abort_msg("no cell at %llx", (unsigned long long)address);
}

static uint64_t in_cell(const struct machine *machine, uint64_t address, const char *column)
{
	return table_u64(frame_table(machine->now, "cell"), cell_at(machine, address), column);
}

START_LIVE_TEST(patterns_are_counted_exactly)
{
	struct machine machine;
	int to;
	pid_t pid = start_process(&to);

	open_process(&machine, pid);
	ck_assert_double_eq(pages_in(&machine, EVERY_SECOND, "present_bytes"), 512);
	ck_assert_double_eq(pages_in(&machine, EVERY_SECOND, "anonymous_bytes"), 512);
	ck_assert_double_eq(pages_in(&machine, EVERY_SECOND, "exclusive_bytes"), 512);
	ck_assert_double_eq(pages_in(&machine, OF_FILE, "present_bytes"), 32);
	ck_assert_double_eq(pages_in(&machine, OF_FILE, "file_bytes"), 32);
	ck_assert_double_eq(pages_in(&machine, SHARED, "file_bytes"), 16);
	ck_assert_double_eq(pages_in(&machine, SHARED, "anonymous_bytes"), 0);
	ck_assert_double_eq(pages_in(&machine, ZEROS, "present_bytes"), 64);
	ck_assert_double_eq(pages_in(&machine, SPARSE, "present_bytes"), 100);
	ck_assert_double_eq(pages_in(&machine, UNTOUCHED, "present_bytes"), 0);
	for (unsigned i = 0; i < 9; i++) {
		static const char *const sums[][2] = {
			{ "pages", "mapped_pages" },    { "present", "present_pages" },
			{ "swapped", "swapped_pages" }, { "file", "file_pages" },
			{ "huge", "huge_pages" },       { "zero", "zero_pages" },
			{ "ksm", "ksm_pages" },         { "exclusive", "exclusive_pages" },
			{ "pages", "mapped_pages" },
		};

		if (!isnan(total(&machine, sums[i][1])))
			ck_assert_msg(sum_of_cells(&machine, sums[i][0]) == total(&machine, sums[i][1]),
				      "%s: %g, %s: %g", sums[i][0], sum_of_cells(&machine, sums[i][0]),
				      sums[i][1], total(&machine, sums[i][1]));
	}
	end_process(&machine, pid, to);
}

START_LIVE_TEST(huge_and_zero_pages_are_told)
{
	struct machine machine;
	int to;
	pid_t pid = start_process(&to);

	open_process(&machine, pid);
	if (isnan(total(&machine, "huge_pages")))
		skip_process(&machine, pid, to, "this kernel has no PAGEMAP_SCAN (before 6.7)");
	ck_assert_double_eq(pages_in(&machine, ZEROS, "zero_bytes"), 64);
	ck_assert_double_eq(pages_in(&machine, ZEROS, "anonymous_bytes"), 0);
	ck_assert_double_eq(pages_in(&machine, EVERY_SECOND, "huge_bytes"), 0);
	if (pages_in(&machine, HUGE_ONE, "present_bytes") <= 1)
		skip_process(&machine, pid, to, "the kernel gave no huge page");
	ck_assert_double_eq(pages_in(&machine, HUGE_ONE, "huge_bytes"), 512);
	end_process(&machine, pid, to);
}

START_LIVE_TEST(swapped_pages_are_told)
{
	struct machine machine;
	int to;
	pid_t pid = start_process(&to);

	open_process(&machine, pid);
	ck_assert_double_eq(pages_in(&machine, SWAPPED, "present_bytes") +
				    pages_in(&machine, SWAPPED, "swapped_bytes"),
			    256);
	if (pages_in(&machine, SWAPPED, "swapped_bytes") == 0)
		skip_process(&machine, pid, to, "nothing was swapped out, is there swap?");
	ck_assert_double_eq(total(&machine, "swapped_pages") * (double)page,
			    total(&machine, "vm_swap_bytes"));
	end_process(&machine, pid, to);
}

/* The kernel counts no pages of zeros, and adds up what each CPU counted for itself only now and then. */
START_LIVE_TEST(the_kernel_says_the_same)
{
	struct machine machine;
	int to;
	pid_t pid = start_process(&to);
	double zeros, slack = 64;

	open_process(&machine, pid);
	zeros = total(&machine, "zero_pages");
	if (isnan(zeros)) {
		zeros = 64;
		slack += 64; /* libraries have some, too */
	}
	ck_assert_double_eq_tol((total(&machine, "present_pages") - zeros) * (double)page,
				total(&machine, "vm_resident_bytes"), slack * (double)page);
	ck_assert_double_eq_tol(total(&machine, "file_pages") * (double)page,
				total(&machine, "resident_file_bytes") +
					total(&machine, "resident_shared_bytes"),
				slack * (double)page);
	ck_assert_double_eq(total(&machine, "swapped_pages") * (double)page,
			    total(&machine, "vm_swap_bytes"));
	ck_assert_double_eq(frame_number(machine.now, "page_level", NULL, "present_bytes"),
			    total(&machine, "vm_resident_bytes"));
	end_process(&machine, pid, to);
}

START_LIVE_TEST(a_cell_of_one_page)
{
	struct machine machine;
	const struct table *table;
	int to;
	pid_t pid = start_process(&to);

	open_pages(&machine, textf("%d", (int)pid));
	ck_assert(settings_set(&machine.settings, "pages.from", textf("0x%llx",
		  (unsigned long long)EVERY_SECOND), 0));
	ck_assert(settings_set(&machine.settings, "pages.to", textf("%llx",
		  (unsigned long long)(EVERY_SECOND + 1024 * page)), 0));
	next_tick(&machine);
	table = frame_table(machine.now, "cell");
	ck_assert_uint_eq(table->n_rows, 1024);
	for (size_t i = 0; i < table->n_rows; i++) {
		ck_assert_double_eq(table_number(table, table_row(table, i), "pages"), 1);
		ck_assert_double_eq(table_number(table, table_row(table, i), "present"), i % 2 == 0);
	}
	end_process(&machine, pid, to);
}

START_LIVE_TEST(hostile_paths_are_kept)
{
	struct machine machine;
	const char *path;
	int to;
	pid_t pid = start_process(&to);

	open_process(&machine, pid);
	path = table_text(frame_table(machine.now, "region"), region_at(&machine, OF_FILE), "path");
	ck_assert_msg(strncmp(path, "/tmp/panetop-pages-\\012", 23) == 0, "%s", path);
	ck_assert_msg(strstr(path, " (deleted)") != NULL, "%s", path);
	end_process(&machine, pid, to);
}

static void wait_for_program(pid_t pid, const char *name)
{
	char path[64], link[256];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	do {
		usleep(1000);
		length = readlink(path, link, sizeof(link) - 1);
		link[length > 0 ? length : 0] = '\0';
	} while (!strstr(link, name));
}

START_LIVE_TEST(an_exec_gives_another_map)
{
	struct machine machine;
	const struct table *table;
	int to;
	pid_t pid = start_process(&to);

	open_process(&machine, pid);
	ck_assert_ptr_nonnull(region_at(&machine, EVERY_SECOND));
	ck_assert_int_eq(write(to, "x", 1), 1);
	wait_for_program(pid, "sleep");
	next_tick(&machine);
	ck_assert_ptr_null(region_at(&machine, EVERY_SECOND));
	table = frame_table(machine.now, "page_total");
	ck_assert_str_eq(table_text(table, table_row(table, 0), "command"), "sleep");
	ck_assert_double_gt(total(&machine, "present_pages"), 0);
	end_process(&machine, pid, to);
}

START_LIVE_TEST(the_last_map_stays)
{
	struct machine machine;
	const struct table *table;
	int to;
	pid_t pid = start_process(&to);

	open_process(&machine, pid);
	next_tick(&machine);
	ck_assert_double_eq(total(&machine, "major_faults_per_second"), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	next_tick(&machine);
	ck_assert(isnan(total(&machine, "minor_faults_per_second")));
	next_tick(&machine);
	table = frame_table(machine.now, "page_total");
	ck_assert_str_eq(table_text(table, table_row(table, 0), "state"), "gone");
	ck_assert_double_eq(pages_in(&machine, EVERY_SECOND, "present_bytes"), 512);
	ck_assert_double_gt(total(&machine, "minor_faults"), 0);
	ck_assert(isnan(total(&machine, "minor_faults_per_second")));
	ck_assert(isnan(total(&machine, "major_faults_per_second")));
	close(to);
	close_machine(&machine);
}

static void wait_for_region(pid_t pid, const char *name)
{
	char path[64], text[65536];
	size_t length;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	do {
		FILE *maps = fopen(path, "r");

		usleep(1000);
		length = maps ? fread(text, 1, sizeof(text) - 1, maps) : 0;
		text[length] = '\0';
		if (maps)
			fclose(maps);
	} while (!strstr(text, name));
}

static bool was_told(const struct machine *machine, const char *text)
{
	for (unsigned i = 0; i < machine->now->n_notices; i++)
		if (strstr(machine->now->notices[i].text, text) ||
		    (machine->now->notices[i].remedy && strstr(machine->now->notices[i].remedy, text)))
			return true;
	return false;
}

/* As the screen chooses one from a list. */
static void choose_seen(struct machine *machine, pid_t pid, double start_seconds, const char *name)
{
	struct process_choice *mapped = &machine->request.mapped;

	*mapped = (struct process_choice){ .is_set = true,
					   .pid = (uint32_t)pid,
					   .start_seconds = start_seconds };
	strcpy(mapped->name, name);
	next_tick(machine);
}

/* It is not waited for, nor taken for another that has its pid by now. */
START_LIVE_TEST(one_that_was_seen_has_ended)
{
	struct machine machine;
	const struct table *table;
	int to;
	pid_t pid = start_process(&to);
	double start_seconds;

	open_process(&machine, pid);
	start_seconds = total(&machine, "start_seconds");
	choose_seen(&machine, pid, start_seconds, "mapped, and more");
	ck_assert_double_eq(pages_in(&machine, EVERY_SECOND, "present_bytes"), 512);
	choose_seen(&machine, pid, start_seconds - 1, "earlier one");
	table = frame_table(machine.now, "page_total");
	ck_assert_str_eq(table_text(table, table_row(table, 0), "state"), "gone");
	ck_assert_str_eq(table_text(table, table_row(table, 0), "command"), "earlier one");
	ck_assert_double_eq(total(&machine, "start_seconds"), start_seconds - 1);
	ck_assert(isnan(total(&machine, "vm_resident_bytes")) && isnan(total(&machine, "minor_faults")));
	ck_assert_uint_eq(frame_table(machine.now, "region")->n_rows, 0);
	ck_assert(was_told(&machine, "earlier one has exited"));
	next_tick(&machine);
	ck_assert(was_told(&machine, "earlier one has exited"));
	choose_seen(&machine, pid, start_seconds, "mapped");
	ck_assert_double_eq(pages_in(&machine, EVERY_SECOND, "present_bytes"), 512);
	end_process(&machine, pid, to);
}

START_LIVE_TEST(those_without_memory_are_explained)
{
	struct machine machine;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0);
	open_process(&machine, pid);
	ck_assert(was_told(&machine, "zombie"));
	ck_assert_uint_eq(frame_table(machine.now, "region")->n_rows, 0);
	close_machine(&machine);
	waitpid(pid, NULL, 0);
	open_pages(&machine, textf("no such %d", (int)pid));
	next_tick(&machine);
	ck_assert(was_told(&machine, "there is no process no such"));
	ck_assert_uint_eq(frame_table(machine.now, "page_total")->n_rows, 0);
	close_machine(&machine);
	open_pages(&machine, NULL);
	next_tick(&machine);
	ck_assert(was_told(&machine, "--pid"));
	close_machine(&machine);
	open_pages(&machine, "kthreadd");
	next_tick(&machine);
	if (frame_table(machine.now, "page_total")->n_rows == 0)
		skip_test("no thread of the kernel is seen here");
	ck_assert(was_told(&machine, "kernel thread"));
	close_machine(&machine);
}

static void wait_for_state(pid_t pid, char state)
{
	char path[64], text[256];
	const char *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	do {
		FILE *stat = fopen(path, "r");

		ck_assert_ptr_nonnull(stat);
		text[fread(text, 1, sizeof(text) - 1, stat)] = '\0';
		fclose(stat);
		end = strrchr(text, ')');
		usleep(1000);
	} while (!end || end[2] != state);
}

/* Its leader loads a library to exit, into the room that the memory is going to have. */
static void *live_on(void *to)
{
	wait_for_state(getpid(), 'Z');
	make_memory();
	if (write((int)(intptr_t)to, "x", 1) == 1)
		pause();
	return NULL;
}

static _Noreturn void leave_a_thread(int to)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, live_on, (void *)(intptr_t)to) == 0)
		pthread_exit(NULL);
	_exit(3);
}

START_LIVE_TEST(a_thread_has_the_memory_of_its_leader)
{
	struct machine machine;
	int pipes[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(pipes), 0);
	pid = fork();
	if (pid == 0)
		leave_a_thread(pipes[1]);
	close(pipes[1]);
	ck_assert_int_eq(read(pipes[0], &byte, 1), 1);
	open_process(&machine, pid);
	next_tick(&machine);
	ck_assert(!was_told(&machine, "zombie"));
	ck_assert_double_eq(pages_in(&machine, EVERY_SECOND, "present_bytes"), 512);
	ck_assert_double_eq(total(&machine, "pid"), pid);
	ck_assert_double_gt(total(&machine, "vm_resident_bytes"), 0);
	ck_assert_double_eq(frame_number(machine.now, "page_level", NULL, "present_bytes"),
			    total(&machine, "vm_resident_bytes"));
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0);
	next_tick(&machine);
	ck_assert_str_eq(cell_text(machine.now, "page_total", NULL, "state"), "gone");
	waitpid(pid, NULL, 0);
	close(pipes[0]);
	close_machine(&machine);
}

static const struct table *sample_page(struct machine *machine, const char *from, const char *topic)
{
	if (from)
		ck_assert(settings_set(&machine->settings, "pages.from", from, 0));
	next_tick(machine);
	return frame_table(machine->now, topic);
}

START_LIVE_TEST(a_page_is_selected_by_its_address)
{
	struct machine machine = { .request = { .batch = true } };
	const struct table *table;
	char text[32], address[32];
	int to;
	pid_t pid = start_process(&to);

	open_machine(&machine, TOPICS("page", "page_bytes"));
	ck_assert_uint_eq(sample_page(&machine, NULL, "page")->n_rows, 0);
	ck_assert(was_told(&machine, "no process selected"));
	snprintf(text, sizeof(text), "%d", (int)pid);
	machine.request.processes = text;
	ck_assert_uint_eq(sample_page(&machine, NULL, "page_bytes")->n_rows, 0);
	ck_assert(was_told(&machine, "no page selected") && was_told(&machine, "--from=ADDRESS"));
	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)EVERY_SECOND + 8);
	table = sample_page(&machine, address, "page");
	ck_assert_uint_eq(table->n_rows, 1);
	ck_assert_uint_eq(table_u64(table, table_row(table, 0), "page_address"), EVERY_SECOND);
	ck_assert_str_eq(table_text(table, table_row(table, 0), "bits"), "present anonymous exclusive");
	table = frame_table(machine.now, "page_bytes");
	ck_assert_uint_eq(table->n_rows, page / 16);
	ck_assert_ptr_nonnull(strstr(table_text(table, table_row(table, 0), "hex"), "01 00 00"));
	ck_assert_uint_eq(machine.now->n_notices, 0);
	snprintf(address, sizeof(address), "%llx", (unsigned long long)(EVERY_SECOND + page));
	ck_assert_uint_eq(sample_page(&machine, address, "page_bytes")->n_rows, 0);
	ck_assert(was_told(&machine, textf("page 0x%s is not present", address)));
	end_process(&machine, pid, to);
}

/* Of several with a name the newest is taken; one that begins later is left alone until it is asked for. */
START_LIVE_TEST(the_newest_of_a_name)
{
	struct machine machine;
	pid_t pids[3];
	char copy[SCRATCH_PATH_MAX], program[SCRATCH_PATH_MAX + 16];

	scratch_directory(copy, "names");
	snprintf(program, sizeof(program), "%s/pagesleeper", copy);
	ck_assert_int_eq(system(textf("cp /bin/sleep %s", program)), 0);
	for (int i = 0; i < 3; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			execl(program, "pagesleeper", "100", (char *)NULL);
			_exit(3);
		}
		wait_for_program(pids[i], "pagesleeper");
		usleep(20000); /* starts are told apart by hundredths of a second */
		if (i != 1)
			continue;
		open_pages(&machine, "pagesleeper");
		next_tick(&machine);
		ck_assert_double_eq(total(&machine, "pid"), pids[1]);
		ck_assert(was_told(&machine, "2 processes match"));
	}
	kill(pids[1], SIGKILL);
	waitpid(pids[1], NULL, 0);
	next_tick(&machine);
	ck_assert_double_eq(total(&machine, "pid"), pids[1]);
	machine.request.n_next++;
	next_tick(&machine);
	ck_assert_double_eq(total(&machine, "pid"), pids[2]);
	close_machine(&machine);
	for (int i = 0; i < 3; i += 2) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

static void write_file(const char *root, const char *name, const char *text)
{
	FILE *file;

	file = fopen(textf("%s/%s", root, name), "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

/* As an ordinary user: 0 or a positive errno. */
static int probe_memory(const char *root)
{
	const struct source_spec *source = topic_source(topic_find("page_bytes"), "proc/PID/mem");
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		struct env env;

		if (is_root() && setuid(65534) < 0)
			_exit(255);
		_exit(env_open(&env, root) < 0 ? 254 : -source->test(&env));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

START_TEST(yama_closes_memory)
{
	char root[SCRATCH_PATH_MAX];

	if (geteuid() == 0 && !is_root())
		skip_test("there is no other user");
	scratch_directory(root, "yama");
	ck_assert_int_eq(system(textf("mkdir -p '%s/proc/1' '%s/proc/sys/kernel/yama' && chmod -R a+rX '%s'",
			 root, root, root)), 0);
	write_file(root, "proc/1/mem", "x");
	ck_assert_int_eq(probe_memory(root), 0);
	write_file(root, "proc/sys/kernel/yama/ptrace_scope", "0\n");
	ck_assert_int_eq(probe_memory(root), 0);
	write_file(root, "proc/sys/kernel/yama/ptrace_scope", "1\n");
	ck_assert_int_eq(probe_memory(root), EACCES);
	write_file(root, "proc/sys/kernel/yama/ptrace_scope", "3\n");
	ck_assert_int_eq(probe_memory(root), EPERM);
}

START_LIVE_TEST(without_rights_it_is_said_how_to_get_them)
{
	struct machine machine;
	int to;
	pid_t pid = start_process(&to);

	if (!is_root()) {
		kill(pid, SIGKILL);
		skip_test("only root can give up capabilities");
	}
	ck_assert(setegid(65534) == 0 && seteuid(65534) == 0);
	open_process(&machine, pid);
	ck_assert(was_told(&machine, "cap_sys_ptrace"));
	ck_assert_uint_eq(frame_table(machine.now, "region")->n_rows, 0);
	ck_assert_double_eq(total(&machine, "pid"), pid); /* what the kernel says of it works all the same */
	ck_assert_double_gt(total(&machine, "vm_resident_bytes"), 0);
	ck_assert(isnan(total(&machine, "present_pages")));
	ck_assert(seteuid(0) == 0);
	end_process(&machine, pid, to);
}

static int act_error = 1;

static void acted(void *context, int error)
{
	(void)context;
	act_error = error;
}

START_LIVE_TEST(pages_are_forced_in_on_demand_only)
{
	struct machine machine;
	char action[64];
	int to;
	pid_t pid = start_process(&to);

	snprintf(action, sizeof(action), "%d", (int)pid);
	open_pages(&machine, action);
	next_tick(&machine);
	snprintf(action, sizeof(action), "force %d", (int)pid);
	ck_assert_int_eq(machine.source.act(machine.source.state, "page_total", action, NULL, NULL, NULL), 0);
	next_tick(&machine);
	ck_assert_double_eq(pages_in(&machine, UNTOUCHED, "present_bytes"), 0);
	ck_assert_int_eq(machine.source.act(machine.source.state, "page_total", "force 1", acted, NULL, NULL),
			 -ESRCH);
	machine.request.read_only = true;
	ck_assert_int_eq(machine.source.act(machine.source.state, "page_total", action, acted, NULL, NULL),
			 -EPERM);
	ck_assert_int_eq(act_error, 1);
	end_process(&machine, pid, to);
}

static const void *region_called(const struct machine *machine, const char *path)
{
	const struct table *table = frame_table(machine->now, "region");

	for (size_t i = 0; i < table->n_rows; i++)
		if (strcmp(table_text(table, table_row(table, i), "path"), path) == 0)
			return table_row(table, i);
	ck_abort_msg("no region is called %s", path);
	return NULL;
}

static double absent_bytes(const struct machine *machine, const char *path)
{
	const struct table *table = frame_table(machine->now, "region");
	const void *row = region_called(machine, path);

	return table_number(table, row, "size_bytes") - table_number(table, row, "present_bytes");
}

/* 64 GiB are not for a test, and sanitizers reserve more: a small program. */
START_LIVE_TEST(all_readable_pages_are_forced_in)
{
	struct machine machine;
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/sleep", "sleep", "100", (char *)NULL);
		_exit(3);
	}
	wait_for_program(pid, "sleep");
	wait_for_region(pid, "[heap]");
	open_process(&machine, pid);
	ck_assert_double_gt(absent_bytes(&machine, "[heap]"), 0);
	ck_assert_int_eq(machine.source.act(machine.source.state, "page_total", textf("force %d", (int)pid),
			 acted, NULL, NULL), 0);
	ck_assert_int_eq(act_error, 0);
	next_tick(&machine);
	ck_assert_double_eq(absent_bytes(&machine, "[heap]"), 0);
	ck_assert_double_eq(absent_bytes(&machine, "[stack]"), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close_machine(&machine);
}

START_LIVE_TEST(marks_of_writing_are_cleared)
{
	struct machine machine;
	const char *remedy = NULL;
	int to, error;
	pid_t pid = start_process(&to);

	open_process(&machine, pid);
	error = machine.source.act(machine.source.state, "page_total", textf("clear %d", (int)pid), acted,
				   NULL, &remedy);
	if (error == -ENOTSUP) {
		ck_assert_ptr_nonnull(strstr(remedy, "CONFIG_MEM_SOFT_DIRTY"));
		ck_assert(isnan(total(&machine, "soft_dirty_pages")));
		skip_process(&machine, pid, to, "this kernel has no soft-dirty bits");
	}
	ck_assert_int_eq(error, 0);
	ck_assert_double_eq(pages_in(&machine, EVERY_SECOND, "soft_dirty_bytes"), 512);
	next_tick(&machine);
	ck_assert_double_eq(pages_in(&machine, EVERY_SECOND, "soft_dirty_bytes"), 0);
	end_process(&machine, pid, to);
}

static void open_fixture(struct machine *machine, int tick)
{
	*machine = (struct machine){ 0 };
	strcpy(machine->root, "files"); /* they have a clock of their own */
	machine->request.processes = "mapped";
	machine->request.batch = true;
	open_machine_at(machine, fixture_root("pages", tick), topic_names);
	machine->env.page_bytes = PAGE;
	next_tick(machine);
}

START_TEST(a_tree_of_files_is_a_process)
{
	struct machine machine;

	open_fixture(&machine, 0);
	ck_assert_double_eq(total(&machine, "mapped_pages"), 48);
	ck_assert_double_eq(total(&machine, "present_pages"), 25);
	ck_assert_double_eq(total(&machine, "swapped_pages"), 4);
	ck_assert_double_eq(total(&machine, "file_pages"), 8);
	ck_assert_double_eq(total(&machine, "anonymous_pages"), 17);
	ck_assert_double_eq(total(&machine, "ksm_pages"), 1);
	ck_assert_double_eq(total(&machine, "soft_dirty_pages"), 2);
	ck_assert_double_eq(total(&machine, "huge_pages"), 0);
	ck_assert_double_eq(total(&machine, "zero_pages"), 0);
	ck_assert_double_eq(total(&machine, "oom_adjustment"), -500);
	ck_assert_double_eq(total(&machine, "major_faults"), 3);
	ck_assert_double_eq(pages_in(&machine, 0x20000, "swapped_bytes"), 4);
	ck_assert_double_eq(sum_of_cells(&machine, "present"), 25);
	ck_assert_double_eq(sum_of_cells(&machine, "ksm"), 1);
	ck_assert_uint_eq(in_cell(&machine, 0x10000, "hole_bytes"), U64_UNKNOWN);
	ck_assert_uint_eq(in_cell(&machine, 0x20000, "hole_bytes"), 0);
	ck_assert_uint_eq(in_cell(&machine, 0x40000, "hole_bytes"), 0x10000);
	ck_assert_uint_eq(in_cell(&machine, 0x11000, "offset_bytes"), 0x1000);
	ck_assert_uint_eq(in_cell(&machine, 0x20000, "offset_bytes"), U64_UNKNOWN);
	close_machine(&machine);
	open_fixture(&machine, 1); /* its pagemap was cut off */
	ck_assert(isnan(total(&machine, "present_pages")));
	ck_assert_double_eq(total(&machine, "mapped_pages"), 48);
	ck_assert(was_told(&machine, "pagemap is shorter than the regions"));
	close_machine(&machine);
}

START_TEST(levels_of_the_selected_process)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "pages", TOPICS("page_level"));
	frame = rig_sample(&rig, 1);
	ck_assert(frame_table(frame, "page_level")->n_rows == 0); /* there is none */
	ck_assert(!frame_table(frame, "page_level")->failed);
	rig.request.processes = "mapped";
	rig_put(&rig, "proc/77/status",
		"VmHWM:\t104 kB\nVmRSS:\t96 kB\nRssAnon:\t64 kB\nRssFile:\t24 kB\nRssShmem:\t8 kB\n"
		"VmSwap:\t16 kB\n");
	check_row(rig_sample(&rig, 1), "page_level",
		  "pid=77 present_bytes=98304 anonymous_bytes=65536 file_bytes=32768 swapped_bytes=16384 "
		  "peak_bytes=122880");
	rig_put(&rig, "proc/77/status", NULL); /* it exits between two reads */
	frame = rig_sample(&rig, 1);
	ck_assert(frame_table(frame, "page_level")->n_rows == 0);
	ck_assert(!frame_table(frame, "page_level")->failed);
	rig_remove(&rig, "proc/77");
	frame = rig_sample(&rig, 1);
	ck_assert(frame_table(frame, "page_level")->n_rows == 0);
	ck_assert(!frame_table(frame, "page_level")->failed);
	rig_close(&rig);
}

#define SHARED_ANONYMOUS PAGEMAP_PRESENT
#define OWN_ANONYMOUS (PAGEMAP_PRESENT | PAGEMAP_EXCLUSIVE)

static void write_words(const char *root, const char *name, const uint64_t *words, size_t n)
{
	FILE *file;

	file = fopen(textf("%s/%s", root, name), "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(words, sizeof(*words), n, file), n);
	fclose(file);
}

/*
 * The fixture with other pages, as root sees them before Linux 6.7: in the heap 4 zero pages, 2 merged by
 * KSM, and 3 of a parent; on the stack 16 of a huge page; hides: without their frames, as for others.
 */
static void open_old_kernel(struct machine *machine, char root[SCRATCH_PATH_MAX], bool hides)
{
	static uint64_t pagemap[0x50], flags[0x1000];

	memset(pagemap, 0, sizeof(pagemap));
	memset(flags, 0, sizeof(flags));
	for (size_t i = 0; i < 4; i++)
		pagemap[0x20 + i] = SHARED_ANONYMOUS | 0x111;
	for (size_t i = 0; i < 2; i++)
		pagemap[0x24 + i] = SHARED_ANONYMOUS | 0x222;
	for (size_t i = 0; i < 3; i++)
		pagemap[0x28 + i] = SHARED_ANONYMOUS | (0x333 + i);
	for (size_t i = 0; i < 16; i++)
		pagemap[0x40 + i] = OWN_ANONYMOUS | (0x800 + i);
	for (size_t i = 0; hides && i < 0x50; i++)
		pagemap[i] &= ~PAGEMAP_FRAME;
	flags[0x111] = UINT64_C(1) << PAGE_FLAGS_ZERO;
	flags[0x222] = UINT64_C(1) << PAGE_FLAGS_KSM;
	for (size_t i = 0; i < 16; i++)
		flags[0x800 + i] = UINT64_C(1) << PAGE_FLAGS_THP;
	scratch_directory(root, "old-kernel");
	ck_assert_int_eq(system(textf("cp -r '%s/.' '%s'", fixture_root("pages", 0), root)), 0);
	write_words(root, "proc/77/pagemap", pagemap, 0x50);
	write_words(root, "proc/kpageflags", flags, 0x1000);
	*machine = (struct machine){ .request = { .processes = "mapped", .batch = true } };
	open_machine_at(machine, root, topic_names);
	next_tick(machine);
}

START_TEST(flags_of_frames_tell_what_pagemap_does_not)
{
	char root[SCRATCH_PATH_MAX];
	struct machine machine;

	open_old_kernel(&machine, root, false);
	ck_assert_double_eq(total(&machine, "present_pages"), 25);
	ck_assert_double_eq(total(&machine, "zero_pages"), 4);
	ck_assert_double_eq(total(&machine, "ksm_pages"), 2);
	ck_assert_double_eq(total(&machine, "huge_pages"), 16);
	ck_assert_double_eq(total(&machine, "anonymous_pages"), 21);
	ck_assert_double_eq(pages_in(&machine, 0x20000, "zero_bytes"), 4);
	ck_assert_double_eq(pages_in(&machine, 0x20000, "anonymous_bytes"), 5);
	ck_assert_double_eq(pages_in(&machine, 0x40000, "huge_bytes"), 16);
	ck_assert_double_eq(sum_of_cells(&machine, "zero"), 4);
	ck_assert_double_eq(sum_of_cells(&machine, "huge"), 16);
	close_machine(&machine);
}

START_TEST(a_page_has_flags_and_mappings_of_its_frame)
{
	static uint64_t counts[0x1000];
	char root[SCRATCH_PATH_MAX];
	struct machine machine;
	const struct table *table;

	open_old_kernel(&machine, root, false);
	close_machine(&machine);
	counts[0x801] = 3;
	write_words(root, "proc/kpagecount", counts, 0x1000);
	machine = (struct machine){ .request = { .processes = "mapped", .batch = true } };
	open_machine_at(&machine, root, TOPICS("page"));
	next_tick(&machine);
	table = sample_page(&machine, "0x41000", "page");
	ck_assert_uint_eq(table->n_rows, 1);
	ck_assert_uint_eq(table_u64(table, table_row(table, 0), "frame"), 0x801);
	ck_assert_uint_eq(table_u64(table, table_row(table, 0), "mappings"), 3);
	ck_assert_str_eq(table_text(table, table_row(table, 0), "flags"), "thp");
	ck_assert_str_eq(table_text(table, table_row(table, 0), "bits"), "present anonymous exclusive");
	close_machine(&machine);
}

/* Without mappings of frames, of one that is beyond the end of the files, and of what is in no frame. */
START_TEST(a_page_has_the_bits_of_its_entry)
{
	static const struct {
		uint64_t entry;
		const char *row;
	} cases[] = {
		{ OWN_ANONYMOUS | PAGEMAP_FILE | 0x801,
		  "bits=present file or shared exclusive frame=2049 mappings=3 flags=thp" },
		{ PAGEMAP_SWAPPED | 77 << 5 | 5, "bits=swapped anonymous swap_area=5 swap_page=77" },
		{ PAGEMAP_SWAPPED | 1 << 5, "bits=swapped anonymous swap_area=0 swap_page=1" },
		{ PAGEMAP_SWAPPED | PAGEMAP_FILE | PAGEMAP_EXCLUSIVE | PAGEMAP_SOFT_DIRTY,
		  "bits=swapped file or shared written" },
		{ 0, "bits=absent" },
		{ PAGEMAP_GUARD, "bits=absent guard" },
		{ PAGEMAP_FILE | PAGEMAP_EXCLUSIVE, "bits=absent" },
		{ SHARED_ANONYMOUS | PAGEMAP_SOFT_DIRTY | PAGEMAP_WRITE_WATCHED | 0x222,
		  "bits=present anonymous written write-watched frame=546 mappings=9 flags=ksm" },
		{ SHARED_ANONYMOUS, "bits=present anonymous" },
		{ SHARED_ANONYMOUS | 1, "bits=present anonymous frame=1 mappings=0 flags=" },
		{ SHARED_ANONYMOUS | 0xfff, "bits=present anonymous frame=4095 mappings=8 flags=" },
		{ SHARED_ANONYMOUS | 0x1000, "bits=present anonymous frame=4096" },
	};
	static uint64_t pagemap[0x50], counts[0x1000];
	char root[SCRATCH_PATH_MAX], address[16], row[256];
	struct machine machine;
	int before = -1;

	open_old_kernel(&machine, root, false);
	close_machine(&machine);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		pagemap[0x20 + i] = cases[i].entry;
	write_words(root, "proc/77/pagemap", pagemap, 0x50);
	machine = (struct machine){ .request = { .processes = "mapped", .batch = true } };
	open_machine_at(&machine, root, TOPICS("page"));
	machine.env.page_bytes = PAGE;
	next_tick(&machine);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(address, sizeof(address), "0x%x", 0x20008 + 0x1000 * i);
		if (i == 0) { /* there are no mappings yet */
			sample_page(&machine, address, "page");
			check_row(machine.now, "page",
				  "pid=77 page_address=131072 bits=present file or shared exclusive "
				  "frame=2049 flags=thp");
			counts[0x801] = 3;
			counts[0x222] = 9;
			counts[0xfff] = 8;
			write_words(root, "proc/kpagecount", counts, 0x1000);
			before = lowest_free_descriptor();
		}
		sample_page(&machine, address, "page");
		snprintf(row, sizeof(row), "pid=77 page_address=%u %s", 0x20000 + 0x1000 * i, cases[i].row);
		check_row(machine.now, "page", row);
	}
	ck_assert_int_eq(lowest_free_descriptor(), before);
	close_machine(&machine);
}

static void write_memory(const char *root, size_t n)
{
	FILE *file;

	file = fopen(textf("%s/proc/77/mem", root), "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fseek(file, 0x20000, SEEK_SET), 0);
	for (size_t i = 0; i < n; i++)
		ck_assert_int_ne(fputc((int)((i + i / 256) % 256), file), EOF);
	fclose(file);
}

/* All of them that can be read, sixteen in a row. */
START_TEST(bytes_of_a_page_are_rows)
{
	static const struct {
		unsigned row;
		const char *hex, *text;
	} rows[] = {
		{ 0, "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f", "................" },
		{ 1, "10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f", "................" },
		{ 2, "20 21 22 23 24 25 26 27 28 29 2a 2b 2c 2d 2e 2f", " !\"#$%&'()*+,-./" },
		{ 7, "70 71 72 73 74 75 76 77 78 79 7a 7b 7c 7d 7e 7f", "pqrstuvwxyz{|}~." },
		{ 8, "80 81 82 83 84 85 86 87 88 89 8a 8b 8c 8d 8e 8f", "................" },
		{ 15, "f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 fa fb fc fd fe ff", "................" },
		{ 18, "21 22 23 24 25 26 27 28 29 2a 2b 2c 2d 2e 2f 30", "!\"#$%&'()*+,-./0" },
		{ 255, "ff 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e", "................" },
	};
	char root[SCRATCH_PATH_MAX];
	struct machine machine;
	const struct table *table;
	int before;

	open_old_kernel(&machine, root, false);
	close_machine(&machine);
	machine = (struct machine){ .request = { .processes = "mapped", .batch = true } };
	open_machine_at(&machine, root, TOPICS("page_bytes"));
	machine.env.page_bytes = PAGE;
	next_tick(&machine);
	ck_assert_uint_eq(sample_page(&machine, "0x20010", "page_bytes")->n_rows, 0);
	ck_assert(was_told(&machine, "/proc/77/mem: No such file or directory"));
	write_memory(root, PAGE + 32);
	before = lowest_free_descriptor();
	table = sample_page(&machine, "0x20010", "page_bytes");
	ck_assert_uint_eq(machine.now->n_notices, 0);
	ck_assert_uint_eq(table->n_rows, PAGE / 16);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const void *row = table_row(table, rows[i].row);

		ck_assert_uint_eq(table_u64(table, row, "byte_address"), 0x20000 + 16 * rows[i].row);
		ck_assert_str_eq(table_text(table, row, "hex"), rows[i].hex);
		ck_assert_str_eq(table_text(table, row, "text"), rows[i].text);
	}
	write_memory(root, 47); /* it ends within a row */
	ck_assert_uint_eq(sample_page(&machine, NULL, "page_bytes")->n_rows, 2);
	write_memory(root, 48);
	ck_assert_uint_eq(sample_page(&machine, NULL, "page_bytes")->n_rows, 3);
	ck_assert_uint_eq(sample_page(&machine, "0x2f000", "page_bytes")->n_rows, 0);
	ck_assert(was_told(&machine, "page 0x2f000 is not present"));
	ck_assert_int_eq(lowest_free_descriptor(), before);
	machine.request.batch = false; /* on the screen it is not told */
	machine.request.page_address = 0x2f000;
	ck_assert_uint_eq(sample_page(&machine, NULL, "page_bytes")->n_rows, 0);
	ck_assert(!was_told(&machine, "is not present"));
	machine.request.page_address = 0x20fff;
	ck_assert_uint_eq(sample_page(&machine, NULL, "page_bytes")->n_rows, 3);
	close_machine(&machine);
}

/* Zero pages look like pages that processes share: where there are none of both, all is known. */
START_TEST(without_frames_zero_pages_are_not_known)
{
	char root[SCRATCH_PATH_MAX];
	struct machine machine;

	open_old_kernel(&machine, root, true);
	ck_assert_double_eq(total(&machine, "present_pages"), 25);
	ck_assert(isnan(total(&machine, "zero_pages")) && isnan(total(&machine, "anonymous_pages")));
	ck_assert(isnan(total(&machine, "huge_pages")) && isnan(total(&machine, "ksm_pages")));
	ck_assert(isnan(pages_in(&machine, 0x20000, "anonymous_bytes")));
	ck_assert_double_eq(pages_in(&machine, 0x40000, "anonymous_bytes"), 16);
	ck_assert_double_eq(pages_in(&machine, 0x40000, "zero_bytes"), 0);
	ck_assert(isnan(pages_in(&machine, 0x40000, "huge_bytes")));
	close_machine(&machine);
}

/* The fixture with a region up to the end of 64 bits, and a pagemap that is one hole. */
START_TEST(a_hole_larger_than_any_memory)
{
	char root[] = "/dev/shm/panetop-hole-XXXXXX", command[SCRATCH_PATH_MAX + 256];
	struct machine machine = { .request = { .processes = "mapped", .batch = true } };
	bool made;

	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(
		command, sizeof(command),
		"cp -r '%s/.' '%s' && cd '%s/proc/77' && truncate -s 36028797018963960 pagemap 2>/dev/null &&"
		"echo 'ff00000000000000-fffffffffffff000 rw-p 0 0:0 0' >maps",
		fixture_root("pages", 0), root, root);
	made = system(command) == 0;
	if (made) {
		open_machine_at(&machine, root, topic_names);
		next_tick(&machine);
	}
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	ck_assert_int_eq(system(command), 0);
	if (!made)
		skip_test("no file can be that long here");
	ck_assert_double_eq(total(&machine, "present_pages"), 0);
	ck_assert_double_eq(total(&machine, "mapped_pages"), (double)((UINT64_C(1) << 44) - 1));
	ck_assert_double_eq(sum_of_cells(&machine, "pages"), (double)((UINT64_C(1) << 44) - 1));
	close_machine(&machine);
}

START_LIVE_TEST(a_signal_breaks_off_a_map)
{
	struct machine machine;
	sigset_t signals;
	int to;
	pid_t pid = start_process(&to);

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, &signals, NULL), 0);
	ck_assert_int_eq(kill(getpid(), SIGTERM), 0);
	open_process(&machine, pid);
	ck_assert(machine.now->cut);
	ck_assert(isnan(total(&machine, "present_pages")));
	ck_assert_int_eq(sigwaitinfo(&signals, NULL), SIGTERM);
	next_tick(&machine);
	ck_assert(!machine.now->cut);
	ck_assert_double_eq(pages_in(&machine, EVERY_SECOND, "present_bytes"), 512);
	end_process(&machine, pid, to);
}

/* The kernel tells some ranges twice when more than 512 are asked for at a time. */
START_LIVE_TEST(ranges_are_told_once)
{
	struct page_range ranges[PAGE_SCAN_RANGES];
	uint64_t bytes = UINT64_C(512) << 20, start, last = 0, n_pages = 0;
	volatile char *memory;
	struct env env;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	ck_assert_int_eq(env_open(&env, "/"), 0);
	leave_room();
	start = SPARSE;
	memory = map(SPARSE, bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	madvise((void *)memory, bytes, MADV_NOHUGEPAGE);
	touch(memory, 3000, bytes / page / 3000);
	while (start < SPARSE + bytes) {
		long found = page_file_scan(&env, fd, &start, SPARSE + bytes, PAGE_SCAN_PRESENT, 0, ranges);

		if (found < 0)
			skip_test("this kernel has no PAGEMAP_SCAN (before 6.7)");
		for (long i = 0; i < found; i++) {
			ck_assert_uint_ge(ranges[i].start, last);
			last = ranges[i].end;
			n_pages += (ranges[i].end - ranges[i].start) / page;
		}
	}
	ck_assert_uint_eq(n_pages, 3000);
	close(fd);
	env_close(&env);
}

static int memory_file(void)
{
	int fd = memfd_create("pages", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

START_LIVE_TEST(entries_of_a_file_are_read)
{
	const uint64_t words[3] = { 11, 12, 13 };
	uint64_t entries[5] = { 0 };
	struct env env;
	int fd = memory_file();

	ck_assert_int_eq(env_open(&env, "/"), 0);
	env.reads = 0;
	ck_assert_int_eq(pwrite(fd, words, sizeof(words), 0), sizeof(words));
	ck_assert_int_eq(page_file_read(&env, fd, 0, entries, 0), 0);
	ck_assert_uint_eq(env.reads, 0);
	ck_assert_int_eq(page_file_read(&env, fd, 1, entries, 1), 1);
	ck_assert_uint_eq(env.reads, 1);
	ck_assert(entries[0] == 12 && entries[1] == 0);
	errno = EINTR; /* of an earlier call */
	ck_assert_int_eq(page_file_read(&env, fd, 0, entries, 3), 3);
	ck_assert_uint_eq(env.reads, 2);
	ck_assert_mem_eq(entries, words, sizeof(words));
	ck_assert_int_eq(ftruncate(fd, 20), 0); /* within the last one */
	ck_assert_int_eq(page_file_read(&env, fd, 1, entries, 4), 1);
	ck_assert_uint_eq(env.reads, 4); /* the last one finds its end */
	ck_assert_uint_eq(entries[0], 12);
	ck_assert_int_eq(page_file_read(&env, fd, 9, entries, 4), 0);
	close(fd);
	ck_assert_int_eq(page_file_read(&env, fd, 0, entries, 1), -EBADF);
	env_close(&env);
}

/* The kernel gives a page of them at a time. */
START_LIVE_TEST(entries_are_read_in_parts)
{
	static uint64_t entries[4096], wanted[2048];
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	struct env env;
	size_t got = 0;
	ssize_t length;

	if (fd < 0)
		skip_test("this kernel has no /proc/kallsyms");
	while (got < sizeof(wanted) && (length = read(fd, (char *)wanted + got, sizeof(wanted) - got)) > 0)
		got += (size_t)length;
	if (got < sizeof(wanted))
		skip_test("/proc/kallsyms is short here");
	ck_assert_int_eq(env_open(&env, "/"), 0);
	env.reads = 0;
	memset(entries, 7, sizeof(entries));
	ck_assert_int_eq(page_file_read(&env, fd, 0, entries + 1024, 2048), 2048);
	ck_assert_uint_ge(env.reads, 2);
	ck_assert_mem_eq(entries + 1024, wanted, sizeof(wanted));
	for (size_t i = 0; i < 1024; i++) /* nothing around them was written */
		ck_assert(entries[i] == 0x707070707070707 && entries[3072 + i] == 0x707070707070707);
	close(fd);
	env_close(&env);
}

START_TEST(data_behind_holes_is_found)
{
	const off_t hole = (off_t)4 << 20, end = (off_t)8 << 20; /* larger than any page */
	int fd = memory_file(), pipes[2];
	uint64_t entry = 7;

	ck_assert_int_eq(pwrite(fd, "x", 1, hole), 1);
	ck_assert_int_eq(ftruncate(fd, end), 0);
	ck_assert(page_file_data(fd, 0, &entry) && entry == 524288);
	ck_assert(page_file_data(fd, 1, &entry) && entry == 524288);
	ck_assert(page_file_data(fd, 524288, &entry) && entry == 524288);
	ck_assert(page_file_data(fd, 524289, &entry) && entry == 524289);
	ck_assert(page_file_data(fd, 786432, &entry) && entry == 1048576); /* up to its end is a hole */
	ck_assert(page_file_data(fd, 2000000, &entry) && entry == 1048576);
	close(fd);
	ck_assert_int_eq(pipe(pipes), 0);
	entry = 7;
	ck_assert(!page_file_data(pipes[0], 0, &entry) && entry == 7);
	close(pipes[0]);
	close(pipes[1]);
}

START_TEST(bytes_of_memory_are_read)
{
	char bytes[8] = "";
	int fd = memory_file();

	ck_assert_int_eq(pwrite(fd, "abcdef", 6, 4096), 6);
	ck_assert_int_eq(page_file_bytes(fd, 4098, bytes, 3), 3);
	ck_assert_str_eq(bytes, "cde");
	ck_assert_int_eq(page_file_bytes(fd, 4100, bytes, 8), 2);
	ck_assert_str_eq(bytes, "efe");
	ck_assert_int_eq(page_file_bytes(fd, 4102, bytes, 8), 0);
	close(fd);
	ck_assert_int_eq(page_file_bytes(fd, 4096, bytes, 8), -EBADF);
}

START_TEST(a_trial_leaves_nothing_open)
{
	char root[SCRATCH_PATH_MAX];
	struct env env;
	int before, fd;

	scratch_directory(root, "page-file");
	write_file(root, "there", "x");
	ck_assert_int_eq(env_open(&env, root), 0);
	before = lowest_free_descriptor();
	ck_assert_int_eq(page_file_try(&env, "there"), 0);
	ck_assert_int_eq(page_file_try(&env, "absent"), -ENOENT);
	ck_assert_int_eq(page_file_open(&env, "absent"), -ENOENT);
	ck_assert(page_file_has_ksm_flag(&env));
	ck_assert_int_eq(lowest_free_descriptor(), before);
	fd = page_file_open(&env, "there");
	ck_assert_int_ge(fd, 0);
	close(fd);
	close(STDIN_FILENO); /* the next one has its number */
	ck_assert_int_eq(page_file_try(&env, "there"), 0);
	ck_assert_int_eq(lowest_free_descriptor(), 0);
	ck_assert_int_eq(mkdir(textf("%s/proc", root), 0700), 0);
	write_file(root, "proc/kpageflags", "");
	ck_assert(page_file_has_ksm_flag(&env));
	ck_assert_int_eq(lowest_free_descriptor(), 0);
	env_close(&env);
}

/* Every second page of a few, and one that was only read. */
START_LIVE_TEST(ranges_have_their_categories)
{
	const uint64_t start = UNTOUCHED, end = UNTOUCHED + 8 * page;
	struct page_range ranges[PAGE_SCAN_RANGES];
	volatile char *memory;
	struct env env;
	int fd = open("/proc/self/pagemap", O_RDONLY), other = memory_file();
	uint64_t from = start;
	long found;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	env.reads = 0;
	leave_room();
	memory = map(start, 8 * page, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	madvise((void *)memory, 8 * page, MADV_NOHUGEPAGE);
	touch(memory, 2, 1);
	touch(memory + 3 * page, 1, 1);
	ck_assert_int_eq(memory[5 * page], 0);
	ck_assert_int_eq(page_file_scan(&env, other, &from, end, PAGE_SCAN_PRESENT, 0, ranges), -ENOTTY);
	ck_assert(from == start && env.reads == 1);
	ck_assert(!page_file_has_scan(&env, other));
	found = page_file_scan(&env, fd, &from, end, PAGE_SCAN_PRESENT, PAGE_SCAN_PRESENT | PAGE_SCAN_ZERO,
			       ranges);
	if (found == -ENOTTY)
		skip_test("this kernel has no PAGEMAP_SCAN (before 6.7)");
	ck_assert(page_file_has_scan(&env, fd));
	ck_assert_int_eq(found, 3);
	ck_assert_uint_eq(from, end);
	ck_assert(ranges[0].start == start && ranges[0].end == start + 2 * page);
	ck_assert(ranges[1].start == start + 3 * page && ranges[1].end == start + 4 * page);
	ck_assert(ranges[2].start == start + 5 * page && ranges[2].end == start + 6 * page);
	ck_assert(ranges[0].what == PAGE_SCAN_PRESENT && ranges[1].what == PAGE_SCAN_PRESENT);
	ck_assert_uint_eq(ranges[2].what, PAGE_SCAN_PRESENT | PAGE_SCAN_ZERO);
	from = start;
	ck_assert_int_eq(page_file_scan(&env, fd, &from, end, PAGE_SCAN_ZERO, 0, ranges), 1);
	ck_assert_uint_eq(from, end);
	ck_assert(ranges[0].start == start + 5 * page && ranges[0].what == 0);
	from = start + 6 * page;
	ck_assert_int_eq(page_file_scan(&env, fd, &from, end, PAGE_SCAN_PRESENT, 0, ranges), 0);
	ck_assert_uint_eq(from, end);
	close(fd);
	close(other);
	env_close(&env);
}

START_TEST(marks_of_writing_are_there_or_surely_not)
{
	struct rlimit before, none;
	bool has = page_file_has_soft_dirty();

	if (access("/proc/self/pagemap", R_OK) < 0)
		skip_test("a process may not read its own pagemap here");
	ck_assert_int_ne(has, page_file_lacks_soft_dirty());
	close(STDIN_FILENO); /* the next file has its number */
	ck_assert_int_eq(page_file_has_soft_dirty(), has);
	ck_assert_int_ne(has, page_file_lacks_soft_dirty());
	ck_assert_int_eq(lowest_free_descriptor(), STDIN_FILENO);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	has = page_file_has_soft_dirty() || page_file_lacks_soft_dirty();
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert(!has); /* it cannot be found out */
}

START_TEST(pages_have_a_node)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory =
		mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *addresses[] = { (void *)memory, (void *)(memory + bytes) };
	int nodes[2] = { 77, 77 }, node = -1, error;
	uint32_t own = (uint32_t)getpid();

	ck_assert_ptr_ne((void *)memory, MAP_FAILED);
	madvise((void *)memory, 2 * bytes, MADV_NOHUGEPAGE);
	*memory = 1;
	error = page_file_nodes(own, addresses, nodes, 1);
	if (error == -ENOSYS || error == -EPERM)
		skip_test("move_pages: %s", strerror(-error));
	ck_assert_int_eq(error, 0);
	ck_assert_int_eq(nodes[1], 77);
	ck_assert_int_eq(page_file_nodes(own, addresses, nodes, 2), 0);
	ck_assert_int_ge(nodes[0], 0);
	ck_assert_int_eq(nodes[1], -ENOENT);
	if (syscall(SYS_get_mempolicy, &node, NULL, 0, memory, 3 /* of the page there */) == 0)
		ck_assert_int_eq(nodes[0], node);
	ck_assert_int_eq(page_file_node(own, (uintptr_t)memory), nodes[0]);
	ck_assert_int_eq(page_file_node(own, (uintptr_t)memory + bytes), -ENOENT);
	ck_assert_int_eq(page_file_node(INT32_MAX, (uintptr_t)memory), -ESRCH);
	munmap((void *)memory, 2 * bytes);
}

/* One more than the highest frame of memory; 0: that is hidden. */
static uint64_t frames_of_memory(void)
{
	unsigned long long first, last, highest = 0;
	FILE *file = fopen("/proc/iomem", "r");
	char line[256], what[64];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx-%llx : %63[^\n]", &first, &last, what) == 3 &&
		    strcmp(what, "System RAM") == 0 && last > highest)
			highest = last;
	if (file)
		fclose(file);
	return highest / (uint64_t)sysconf(_SC_PAGESIZE) + (highest > 0);
}

static bool sees_frames(void)
{
	volatile char byte = 1;
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	bool read = fd >= 0 && pread(fd, &entry, sizeof(entry),
				     (off_t)((uintptr_t)&byte / (uintptr_t)sysconf(_SC_PAGESIZE) * 8)) == 8;

	if (fd >= 0)
		close(fd);
	return read && (entry & PAGEMAP_FRAME);
}

/* Linux 6.12 says it of every page of anonymous memory. */
START_TEST(a_flag_that_all_pages_have_tells_nothing)
{
	static uint64_t flags[65536];
	uint64_t n_frames = frames_of_memory();
	char root[SCRATCH_PATH_MAX];
	struct env env;
	int fd, before;

	if (n_frames == 0 || !sees_frames())
		skip_test("only root sees the frames of its pages");
	if (n_frames > UINT64_C(16) << 20)
		skip_test("the flags of all frames would take more than 128 MiB");
	scratch_directory(root, "flags");
	ck_assert_int_eq(mkdir(textf("%s/proc", root), 0700), 0);
	fd = open(textf("%s/proc/kpageflags", root), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(env_open(&env, root), 0);
	before = lowest_free_descriptor();
	ck_assert(page_file_has_ksm_flag(&env)); /* it is empty */
	for (size_t i = 0; i < 65536; i++)
		flags[i] = UINT64_C(1) << PAGE_FLAGS_KSM;
	for (uint64_t done = 0; done < n_frames; done += 65536)
		ck_assert_int_eq(write(fd, flags, sizeof(flags)), sizeof(flags));
	ck_assert(!page_file_has_ksm_flag(&env));
	ck_assert_int_eq(lowest_free_descriptor(), before);
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)(n_frames * 8)), 0);
	ck_assert(page_file_has_ksm_flag(&env));
	close(fd);
	env_close(&env);
}
