/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the map of pages: parsers, cells, and on this machine a process with memory as we made it. */
#include "rig.h"

#include <pthread.h>
#include <sys/syscall.h>

#include "kernel/pid/maps.h"
#include "sys/pids.h"
#include "topic/pages/page_snapshot.h"
#include "topic/topic.h"

#define PAGE UINT64_C(4096)

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
		struct pagemap_entry entry;

		pagemap_decode(entries[i], &entry);
		wanted.present += entry.present;
		wanted.swapped += entry.swapped;
		wanted.file += entry.present && entry.file;
		wanted.soft_dirty += (entry.present || entry.swapped) && entry.soft_dirty;
		wanted.exclusive += entry.present && entry.exclusive;
		wanted.maybe_zero += entry.present && !entry.file && !entry.exclusive;
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

#define SMALL "10-11 11-12 12-13 13-14 14-15 15-16 16-17 17-18 18-19 19-1a 1a-1b"

static const char readable[] = "00010000-0001a000 rw-p 0 0:0 0 a\n0001a000-0001b000 r--p 0 0:0 0 b\n"
			       "10000000-103e8000 r--p 0 0:0 0 c\n";
static const char between[] = "00010000-00013000 rw-p 0 0:0 0\n00100000-004e8000 r--p 0 0:0 0\n"
			      "01000000-01003000 rw-p 0 0:0 0\n";

/* As numbers of pages, and how many pages a cell has at most. */
static const struct {
	const char *maps;
	struct cell_layout layout;
	uint64_t cell_pages;
	const char *cells;
} cuts[] = {
	/* as few pages in a cell as make no more cells than wanted; across regions where cells are few */
	{ three_regions, { .most = 0 }, 1011, "10-103e8" },
	{ three_regions, { .most = 1 }, 1011, "10-103e8" },
	{ three_regions, { .most = 3 }, 337, "10-10146 10146-10297 10297-103e8" },
	{ three_regions, { .most = 5 }, 203, "10-100c0 100c0-1018b 1018b-10256 10256-10321 10321-103e8" },
	{ three_regions, { .most = 6 }, 250, "10-1a 1a-1b 10000-100fa 100fa-101f4 101f4-102ee 102ee-103e8" },
	{ three_regions, { .most = 4, .from = 0x12000, .to = 0x10002000 }, 3,
	  "12-15 15-18 18-1b 10000-10002" },
	{ three_regions, { .most = 8, .from = 0x12000, .to = 0x10002000 }, 2,
	  "12-14 14-16 16-18 18-1a 1a-1b 10000-10002" },
	{ three_regions, { .most = 8, .from = 0x1a000, .to = 0x10000000 }, 1, "1a-1b" },
	{ three_regions, { .most = 8, .from = 0x1b000, .to = 0x10000000 }, 1, "" },
	{ three_regions, { .most = 8, .from = 0x103e7000 }, 1, "103e7-103e8" },
	/* large regions are folded; what nobody may access is one cell */
	{ three_regions, { .most = 40, .fold_pages = 64 }, 1, SMALL " 10000-103e8" },
	{ three_regions, { .most = 40, .fold_pages = 5000 }, 1, SMALL " 10000-103e8" },
	{ readable, { .most = 40, .fold_pages = 64 }, 1,
	  SMALL " 10000-100c8 100c8-10190 10190-10258 10258-10320 10320-103e8" },
	{ readable, { .most = 6, .fold_pages = 1000 }, 250,
	  "10-1a 1a-1b 10000-100fa 100fa-101f4 101f4-102ee 102ee-103e8" },
	{ readable, { .most = 5, .fold_pages = 64 }, 3, "10-13 13-16 16-19 19-1b 10000-103e8" },
	{ between, { .most = 5, .fold_pages = 64 }, 2, "10-12 12-13 100-4e8 1000-1002 1002-1003" },
	/* around an address: one cell before the one with it, and one behind it */
	{ three_regions, { .cell_pages = 4, .before = 1, .most = 2, .anchor = 0 }, 4, "10-14 14-18" },
	{ three_regions, { .cell_pages = 4, .before = 1, .most = 2, .anchor = 0x13fff }, 4, "10-14 14-18" },
	{ three_regions, { .cell_pages = 4, .before = 1, .most = 2, .anchor = 0x14000 }, 4,
	  "10-14 14-18 18-1a" },
	{ three_regions, { .cell_pages = 4, .before = 1, .most = 2, .anchor = 0x1a000 }, 4,
	  "18-1a 1a-1b 10000-10004" },
	{ three_regions, { .cell_pages = 4, .before = 1, .most = 2, .anchor = 0x1b000 }, 4,
	  "1a-1b 10000-10004 10004-10008" },
	{ three_regions, { .cell_pages = 4, .before = 1, .most = 2, .anchor = 0x103e4000 }, 4,
	  "103dc-103e0 103e0-103e4 103e4-103e8" },
	{ three_regions, { .cell_pages = 4, .before = 1, .most = 2, .anchor = UINT64_MAX }, 4,
	  "103dc-103e0 103e0-103e4 103e4-103e8" },
	{ three_regions, { .cell_pages = 4, .most = 1, .anchor = 0x18000 }, 4, "18-1a" },
	{ three_regions, { .cell_pages = 1000, .before = 3, .most = 10, .anchor = UINT64_MAX }, 1000,
	  "10-1a 1a-1b 10000-103e8" },
	{ three_regions, { .cell_pages = 500, .fold_pages = 64, .most = 10 }, 500,
	  "10-1a 1a-1b 10000-103e8" },
};

START_TEST(memory_is_cut_into_cells)
{
	for (size_t c = 0; c < sizeof(cuts) / sizeof(cuts[0]); c++) {
		struct page_snapshot view = { .page_bytes = PAGE };
		struct buffer text = { 0 };

		page_snapshot_parse(&view, span_text(cuts[c].maps));
		page_snapshot_cut(&view, &cuts[c].layout);
		for (size_t i = 0; i < view.n_cells; i++)
			buffer_print(&text, "%s%llx-%llx", i > 0 ? " " : "",
				     (unsigned long long)(view.cells[i].start / PAGE),
				     (unsigned long long)(view.cells[i].end / PAGE));
		buffer_char(&text, '\0');
		ck_assert_msg(strcmp(text.bytes, cuts[c].cells) == 0, "case %zu: %s", c, text.bytes);
		ck_assert_uint_eq(view.cell_pages, cuts[c].cell_pages);
		buffer_free(&text);
		page_snapshot_free(&view);
	}
}

START_TEST(regions_of_a_snapshot)
{
	static const char maps[] = "00010000-00012000 rw-p 0 0:0 0 a\n"
				   "00011000-00013000 rw-p 0 0:0 0 overlaps\n"
				   "00012000-00013000 r-xp 00005000 08:02 4711 /b c\n"
				   "00013800-00015000 rw-p 0 0:0 0 begins within a page\n"
				   "00014000-00015800 rw-p 0 0:0 0 ends within a page\n"
				   "00014000-00016000 ---s 0 0:0 0\n"
				   "ffffffffff600000-ffffffffff601000 --xp 0 00:00 0 [vsyscall]\n";
	static const char *const wanted[] = {
		"10000-12000 0 0 rw-p 0 a", "12000-13000 5000 4711 r-xp 0 /b c", "14000-16000 0 0 ---s 0 ",
		"ffffffffff600000-ffffffffff601000 0 0 --xp 1 [vsyscall]",
	};
	static const uint64_t nowhere[] = { 0, 0x11000, 0x12001, 0x13000, 0x13800, 0x16000, UINT64_MAX };
	struct page_snapshot view = { .page_bytes = PAGE };

	page_snapshot_parse(&view, span_text(maps));
	ck_assert_uint_eq(view.n_regions, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct page_region *region = &view.regions[i];

		ck_assert_str_eq(textf("%llx-%llx %llx %llu %s %d %s", (unsigned long long)region->start,
				       (unsigned long long)region->end, (unsigned long long)region->offset,
				       (unsigned long long)region->inode, region->permissions,
				       region->special, page_snapshot_path(&view, region)), wanted[i]);
		ck_assert_uint_eq(region->counts.pages, (region->end - region->start) / PAGE);
		ck_assert_uint_eq(region->proportional_bytes, U64_UNKNOWN);
		ck_assert_ptr_eq(page_snapshot_find(&view, region->start), region);
	}
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
		ck_assert_ptr_null(page_snapshot_find(&view, nowhere[i]));
	ck_assert_uint_eq(view.total.pages, 5); /* but for what is of the kernel */
	page_snapshot_cut(&view, &(struct cell_layout){ .most = 3 });
	view.complete = true;
	view.next = view.cpu_ns = view.total.present = 7;
	page_snapshot_parse(&view, span_text("00020000-00021000 rw-p 0 0:0 0 new\n"));
	ck_assert(view.n_regions == 1 && view.n_cells == 0 && view.total.pages == 1);
	ck_assert(!view.complete && view.next == 0 && view.cpu_ns == 0 && view.total.present == 0);
	ck_assert_str_eq(page_snapshot_path(&view, &view.regions[0]), "new");
	page_snapshot_free(&view);
}

/* Of the total, of regions a, b and c, and of the second and last of ten cells: what is not 0. */
static void check_counts(const struct page_snapshot *view, const char *const wanted[6])
{
	const struct page_counts *counts[] = { &view->total,		 &view->regions[0].counts,
					       &view->regions[1].counts, &view->regions[2].counts,
					       &view->cells[1].counts,	 &view->cells[9].counts };

	for (size_t i = 0; i < 6; i++) {
		const struct page_counts *of = counts[i];
		const struct {
			const char *name;
			uint64_t n;
		} all[] = {
			{ "pages", of->pages },	      { "present", of->present },
			{ "swapped", of->swapped },   { "file", of->file },
			{ "soft_dirty", of->soft_dirty }, { "maybe_zero", of->maybe_zero },
			{ "zero", of->zero },	      { "huge", of->huge },
			{ "ksm", of->ksm },
		};
		struct buffer text = { 0 };

		for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
			if (all[k].n > 0)
				buffer_print(&text, "%s%s %llu", k > 0 ? " " : "", all[k].name,
					     (unsigned long long)all[k].n);
		buffer_char(&text, '\0');
		ck_assert_str_eq(text.bytes, wanted[i]);
		buffer_free(&text);
	}
}

/* Entries from before the first region on, whose first page no cell has; in one call or two. */
START_TEST(entries_are_those_of_regions_and_cells)
{
	static const char *const wanted[] = {
		"pages 1011 present 10 swapped 1 file 1 soft_dirty 1 maybe_zero 9",
		"pages 10 present 9 swapped 1 soft_dirty 1 maybe_zero 9",
		"pages 1 present 1 file 1",
		"pages 1000",
		"pages 1 swapped 1 soft_dirty 1",
		"pages 1 present 1 file 1",
	};

	for (size_t first = 0; first <= 14; first++) {
		struct page_snapshot view = { 0 };
		struct page_walk walk = { 0 };
		uint64_t entries[14];

		cut(&view, (struct cell_layout){ .most = 100, .from = 0x11000, .to = 0x1b000 });
		for (size_t i = 0; i < 14; i++)
			entries[i] = PAGEMAP_PRESENT;
		entries[3] = PAGEMAP_SWAPPED | PAGEMAP_SOFT_DIRTY;
		entries[11] = PAGEMAP_PRESENT | PAGEMAP_FILE;
		page_snapshot_count(&view, &walk, 0xf000, entries, first);
		page_snapshot_count(&view, &walk, 0xf000 + first * PAGE, entries + first, 14 - first);
		check_counts(&view, wanted);
		page_snapshot_count(&view, &walk, 0x10000000, entries, 3); /* behind the last cell */
		ck_assert_uint_eq(view.regions[2].counts.present, 3);
		ck_assert_uint_eq(view.total.present, 13);
		ck_assert_uint_eq(view.cells[9].counts.present, 1);
		page_snapshot_free(&view);
	}
}

/* As PAGEMAP_SCAN has pages of hugetlb: absent ones are huge, too, and are not counted. */
START_TEST(ranges_are_those_of_regions_and_cells)
{
	const uint64_t present = PAGE_SCAN_PRESENT, huge = PAGE_SCAN_HUGE;
	const struct page_range ranges[] = {
		{ 0xf000, 0x11000, present | PAGE_SCAN_ZERO },
		{ 0x12000, 0x13000, present | huge },
		{ 0x13000, 0x15000, huge },
		{ 0x19000, 0x1d000, present | PAGE_SCAN_ZERO | huge },
		{ 0x10000000, 0x10003000, present | PAGE_SCAN_KSM },
		{ 0x10003000, 0x10004000, PAGE_SCAN_KSM | PAGE_SCAN_ZERO | huge },
		{ 0x10004000, 0x10009000, present | huge },
		{ 0x10009000, 0x1000a000, present },
		{ 0x1000a000, 0x1000c000, huge | PAGE_SCAN_SWAPPED },
	};
	static const char *const wanted[] = {
		"pages 1011 zero 3 huge 8 ksm 3", "pages 10 zero 2 huge 2", "pages 1 zero 1 huge 1",
		"pages 1000 huge 5 ksm 3",	  "pages 1 huge 1",	    "pages 1 zero 1 huge 1",
	};
	struct page_snapshot view = { 0 };
	struct page_walk walk = { 0 };

	cut(&view, (struct cell_layout){ .most = 100, .from = 0x11000, .to = 0x1b000 });
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		page_snapshot_count_range(&view, &walk, &ranges[i]);
	check_counts(&view, wanted);
	page_snapshot_free(&view);
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

static struct rig rig;

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

/* A read maps what lies around it, too, up to the end of the mapping: the second half is mapped later. */
static void map_file(void)
{
	char path[] = "/tmp/panetop-pages-\nXXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || unlink(path) < 0)
		_exit(3);
	for (uint64_t i = 0; i < 64; i++)
		if (pwrite(fd, "x", 1, (off_t)(i * page)) != 1)
			_exit(3);
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

static pid_t child;  /* the process, … */
static int to_child; /* … which becomes another program on a byte through this pipe */

static void live_in_memory(int orders, int answers)
{
	char byte;

	make_memory();
	if (write(answers, "x", 1) != 1 || read(orders, &byte, 1) != 1)
		return;
	execl("/bin/sleep", "sleep", "100", (char *)NULL);
	_exit(3);
}

static void start_process(void)
{
	char byte;
	struct ordered_child started = start_ordered_child(live_in_memory, &byte, 1);

	child = started.pid;
	to_child = started.orders;
	close(started.answers);
}

static void open_pages(const char *pid)
{
	static char processes[64]; /* of one machine at a time */

	snprintf(processes, sizeof(processes), "%s", pid ? pid : "");
	rig_open_live(&rig, topic_names);
	rig.request.processes = pid ? processes : NULL;
	rig.request.batch = true;
}

static void map_pid(pid_t pid)
{
	open_pages(textf("%d", (int)pid));
	rig_next(&rig);
}

static void open_process(void)
{
	start_process();
	map_pid(child);
}

static void end_process(void)
{
	close(to_child);
	end_child(child);
	rig_close(&rig);
}

static _Noreturn void skip_process(const char *why)
{
	end_process();
	skip_test("%s", why);
}

static const void *region_at(uint64_t address)
{
	return find_number(rig.now, "region", "start_address", (double)address);
}

static double pages_in(uint64_t address, const char *column)
{
	const struct table *table = frame_table(rig.now, "region");
	const void *row = region_at(address);

	ck_assert_msg(row != NULL, "no region at %llx", (unsigned long long)address);
	return table_number(table, row, column) / (double)rig.env.page_bytes;
}

static double total(const char *column)
{
	return frame_number(rig.now, "page_total", NULL, column);
}

static double sum_of_cells(const char *column)
{
	const struct table *table = frame_table(rig.now, "cell");
	double sum = 0;

	for (size_t i = 0; i < table->n_rows; i++)
		sum += table_number(table, table_row(table, i), column);
	return sum;
}

static void check_pages(uint64_t address, const char *column, double wanted)
{
	double pages = pages_in(address, column);

	ck_assert_msg(pages == wanted, "%s at %llx: %g, not %g", column, (unsigned long long)address, pages,
		      wanted);
}

/* The kernel counts no pages of zeros, and adds up what each CPU counted for itself only now and then. */
static void check_totals(void)
{
	double zeros = total("zero_pages"), slack = 64, bytes = (double)page;

	if (isnan(zeros)) {
		zeros = 64;
		slack += 64; /* libraries have some, too */
	}
	ck_assert_double_eq_tol((total("present_pages") - zeros) * bytes,
				total("vm_resident_bytes"), slack * bytes);
	ck_assert_double_eq_tol(total("file_pages") * bytes,
				total("resident_file_bytes") +
					total("resident_shared_bytes"), slack * bytes);
	ck_assert_double_eq(total("swapped_pages") * bytes, total("vm_swap_bytes"));
	ck_assert_double_eq(frame_number(rig.now, "page_level", NULL, "present_bytes"),
			    total("vm_resident_bytes"));
}

START_LIVE_TEST(patterns_are_counted_exactly)
{
	static const char *const sums[][2] = {
		{ "pages", "mapped_pages" }, { "present", "present_pages" }, { "swapped", "swapped_pages" },
		{ "file", "file_pages" },    { "huge", "huge_pages" },	     { "zero", "zero_pages" },
		{ "ksm", "ksm_pages" },	     { "exclusive", "exclusive_pages" },
	};
	const char *path;

	open_process();
	check_pages(EVERY_SECOND, "present_bytes", 512);
	check_pages(EVERY_SECOND, "anonymous_bytes", 512);
	check_pages(EVERY_SECOND, "exclusive_bytes", 512);
	check_pages(OF_FILE, "present_bytes", 32);
	check_pages(OF_FILE, "file_bytes", 32);
	check_pages(SHARED, "file_bytes", 16);
	check_pages(SHARED, "anonymous_bytes", 0);
	check_pages(ZEROS, "present_bytes", 64);
	check_pages(SPARSE, "present_bytes", 100);
	check_pages(UNTOUCHED, "present_bytes", 0);
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		if (!isnan(total(sums[i][1])))
			ck_assert_msg(sum_of_cells(sums[i][0]) == total(sums[i][1]),
				      "%s: %g, %s: %g", sums[i][0], sum_of_cells(sums[i][0]),
				      sums[i][1], total(sums[i][1]));
	path = table_text(frame_table(rig.now, "region"), region_at(OF_FILE), "path");
	ck_assert_msg(strncmp(path, "/tmp/panetop-pages-\\012", 23) == 0, "%s", path);
	ck_assert_msg(strstr(path, " (deleted)") != NULL, "%s", path);
	check_totals();
	end_process();
}

START_LIVE_TEST(huge_and_zero_pages_are_told)
{
	open_process();
	if (isnan(total("huge_pages")))
		skip_process("this kernel has no PAGEMAP_SCAN (before 6.7)");
	check_pages(ZEROS, "zero_bytes", 64);
	check_pages(ZEROS, "anonymous_bytes", 0);
	check_pages(EVERY_SECOND, "huge_bytes", 0);
	if (pages_in(HUGE_ONE, "present_bytes") <= 1)
		skip_process("the kernel gave no huge page");
	check_pages(HUGE_ONE, "huge_bytes", 512);
	end_process();
}

START_LIVE_TEST(swapped_pages_are_told)
{
	double swapped;

	open_process();
	swapped = pages_in(SWAPPED, "swapped_bytes");
	check_pages(SWAPPED, "present_bytes", 256 - swapped);
	if (swapped == 0)
		skip_process("nothing was swapped out, is there swap?");
	end_process();
}

START_LIVE_TEST(a_cell_of_one_page)
{
	const struct table *table;

	start_process();
	open_pages(textf("%d", (int)child));
	ck_assert(settings_set(&rig.settings, "pages.from",
			       textf("0x%llx", (unsigned long long)EVERY_SECOND), 0));
	ck_assert(settings_set(&rig.settings, "pages.to",
			       textf("%llx", (unsigned long long)(EVERY_SECOND + 1024 * page)), 0));
	rig_next(&rig);
	table = frame_table(rig.now, "cell");
	ck_assert_uint_eq(table->n_rows, 1024);
	for (size_t i = 0; i < table->n_rows; i++) {
		ck_assert_double_eq(table_number(table, table_row(table, i), "pages"), 1);
		ck_assert_double_eq(table_number(table, table_row(table, i), "present"), i % 2 == 0);
	}
	end_process();
}

/* Until a file or a link of the process has this in it. */
static void wait_for(pid_t pid, const char *name, const char *wanted)
{
	const char *path = textf("/proc/%d/%s", (int)pid, name);
	static char text[65536];

	do {
		ssize_t length = readlink(path, text, sizeof(text) - 1);
		FILE *file = length < 0 ? fopen(path, "r") : NULL;

		if (file) {
			length = (ssize_t)fread(text, 1, sizeof(text) - 1, file);
			fclose(file);
		}
		text[length > 0 ? length : 0] = '\0';
		usleep(1000);
	} while (!strstr(text, wanted));
}

START_LIVE_TEST(an_exec_gives_another_map)
{
	open_process();
	ck_assert_ptr_nonnull(region_at(EVERY_SECOND));
	ck_assert_int_eq(write(to_child, "x", 1), 1);
	wait_for(child, "exe", "sleep");
	rig_next(&rig);
	ck_assert_ptr_null(region_at(EVERY_SECOND));
	ck_assert_str_eq(cell_text(rig.now, "page_total", NULL, "command"), "sleep");
	ck_assert_double_gt(total("present_pages"), 0);
	end_process();
}

START_LIVE_TEST(the_last_map_stays)
{
	open_process();
	rig_next(&rig);
	ck_assert_double_eq(total("major_faults_per_second"), 0);
	end_child(child);
	for (int i = 0; i < 2; i++) {
		rig_next(&rig);
		ck_assert(isnan(total("minor_faults_per_second")));
		ck_assert(isnan(total("major_faults_per_second")));
	}
	ck_assert_str_eq(cell_text(rig.now, "page_total", NULL, "state"), "gone");
	check_pages(EVERY_SECOND, "present_bytes", 512);
	ck_assert_double_gt(total("minor_faults"), 0);
	close(to_child);
	rig_close(&rig);
}

/* As the screen chooses one from a list. */
static void choose_seen(double start_seconds, const char *name)
{
	rig.request.mapped = (struct process_choice){ .is_set = true,
							   .pid = (uint32_t)child,
							   .start_seconds = start_seconds };
	strcpy(rig.request.mapped.name, name);
	rig_next(&rig);
}

/* It is not waited for, nor taken for another that has its pid by now. */
START_LIVE_TEST(one_that_was_seen_has_ended)
{
	double start_seconds;

	open_process();
	start_seconds = total("start_seconds");
	choose_seen(start_seconds, "mapped, and more");
	check_pages(EVERY_SECOND, "present_bytes", 512);
	choose_seen(start_seconds - 1, "earlier one");
	ck_assert_str_eq(cell_text(rig.now, "page_total", NULL, "state"), "gone");
	ck_assert_str_eq(cell_text(rig.now, "page_total", NULL, "command"), "earlier one");
	ck_assert_double_eq(total("start_seconds"), start_seconds - 1);
	ck_assert(isnan(total("vm_resident_bytes")) && isnan(total("minor_faults")));
	ck_assert_uint_eq(frame_table(rig.now, "region")->n_rows, 0);
	ck_assert(has_notice(rig.now, "earlier one has exited"));
	rig_next(&rig);
	ck_assert(has_notice(rig.now, "earlier one has exited"));
	choose_seen(start_seconds, "mapped");
	check_pages(EVERY_SECOND, "present_bytes", 512);
	end_process();
}

START_LIVE_TEST(those_without_memory_are_explained)
{
	pid_t pid = fork();
	const struct {
		const char *process, *notice;
	} cases[] = {
		{ textf("%d", (int)pid), "zombie" },
		{ textf("no such %d", (int)pid), "there is no process no such" },
		{ NULL, "--pid" },
		{ "kthreadd", "kernel thread" },
	};

	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_pages(cases[i].process);
		rig_next(&rig);
		if (i == 3 && frame_table(rig.now, "page_total")->n_rows == 0)
			skip_test("no thread of the kernel is seen here");
		ck_assert_msg(has_notice(rig.now, cases[i].notice), "%s", cases[i].notice);
		ck_assert_uint_eq(frame_table(rig.now, "region")->n_rows, 0);
		rig_close(&rig);
	}
	waitpid(pid, NULL, 0);
}

/* Its leader loads a library to exit, into the room that the memory is going to have. */
static void *live_on(void *to)
{
	wait_for(getpid(), "stat", ") Z ");
	make_memory();
	if (write((int)(intptr_t)to, "x", 1) == 1)
		pause();
	return NULL;
}

START_LIVE_TEST(a_thread_has_the_memory_of_its_leader)
{
	int pipes[2];
	char byte;

	ck_assert_int_eq(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, live_on, (void *)(intptr_t)pipes[1]) == 0)
			pthread_exit(NULL);
		_exit(3);
	}
	close(pipes[1]);
	ck_assert_int_eq(read(pipes[0], &byte, 1), 1);
	map_pid(child);
	rig_next(&rig);
	ck_assert(!has_notice(rig.now, "zombie"));
	check_pages(EVERY_SECOND, "present_bytes", 512);
	ck_assert_double_eq(total("pid"), child);
	ck_assert_double_gt(total("vm_resident_bytes"), 0);
	ck_assert_double_eq(frame_number(rig.now, "page_level", NULL, "present_bytes"),
			    total("vm_resident_bytes"));
	kill(child, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT), 0);
	rig_next(&rig);
	ck_assert_str_eq(cell_text(rig.now, "page_total", NULL, "state"), "gone");
	waitpid(child, NULL, 0);
	close(pipes[0]);
	rig_close(&rig);
}

static const struct table *sample_page(const char *from, const char *topic)
{
	if (from)
		ck_assert(settings_set(&rig.settings, "pages.from", from, 0));
	rig_next(&rig);
	return frame_table(rig.now, topic);
}

START_LIVE_TEST(a_page_is_selected_by_its_address)
{
	const struct table *table;
	const char *address;
	char pid[16];

	start_process();
	rig_open_live(&rig, TOPICS("page", "page_bytes"));
	rig.request.batch = true;
	ck_assert_uint_eq(sample_page(NULL, "page")->n_rows, 0);
	ck_assert(has_notice(rig.now, "no process selected"));
	snprintf(pid, sizeof(pid), "%d", (int)child);
	rig.request.processes = pid;
	ck_assert_uint_eq(sample_page(NULL, "page_bytes")->n_rows, 0);
	ck_assert(has_notice(rig.now, "no page selected") && has_notice(rig.now, "--from=ADDRESS"));
	table = sample_page(textf("0x%llx", (unsigned long long)EVERY_SECOND + 8), "page");
	ck_assert_uint_eq(table->n_rows, 1);
	ck_assert_uint_eq(table_u64(table, table_row(table, 0), "page_address"), EVERY_SECOND);
	ck_assert_str_eq(table_text(table, table_row(table, 0), "bits"), "present anonymous exclusive");
	table = frame_table(rig.now, "page_bytes");
	ck_assert_uint_eq(table->n_rows, page / 16);
	ck_assert_ptr_nonnull(strstr(table_text(table, table_row(table, 0), "hex"), "01 00 00"));
	ck_assert_uint_eq(rig.now->n_notices, 0);
	address = textf("%llx", (unsigned long long)(EVERY_SECOND + page));
	ck_assert_uint_eq(sample_page(address, "page_bytes")->n_rows, 0);
	ck_assert(has_notice(rig.now, textf("page 0x%s is not present", address)));
	end_process();
}

/* Of several with a name the newest is taken; one that begins later is left alone until it is asked for. */
START_LIVE_TEST(the_newest_of_a_name)
{
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
		wait_for(pids[i], "exe", "pagesleeper");
		usleep(20000); /* starts are told apart by hundredths of a second */
		if (i != 1)
			continue;
		open_pages("pagesleeper");
		rig_next(&rig);
		ck_assert_double_eq(total("pid"), pids[1]);
		ck_assert(has_notice(rig.now, "2 processes match"));
	}
	end_child(pids[1]);
	rig_next(&rig);
	ck_assert_double_eq(total("pid"), pids[1]);
	rig.request.n_next++;
	rig_next(&rig);
	ck_assert_double_eq(total("pid"), pids[2]);
	rig_close(&rig);
	end_child(pids[0]);
	end_child(pids[2]);
}

static void write_file(const char *root, const char *name, const void *bytes, size_t length)
{
	FILE *file = fopen(textf("%s/%s", root, name), "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
	fclose(file);
}

/* As an ordinary user: 0 or a positive errno. */
static int probe_memory(const char *root)
{
	const struct source_spec *source = topic_source(topic_find("page_bytes"), "proc/PID/mem");
	int status;
	pid_t pid = begin_child();

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
	static const struct {
		const char *scope;
		int error;
	} cases[] = { { NULL, 0 }, { "0\n", 0 }, { "1\n", EACCES }, { "3\n", EPERM } };
	char root[SCRATCH_PATH_MAX];

	if (geteuid() == 0 && !is_root())
		skip_test("there is no other user");
	scratch_directory(root, "yama");
	ck_assert_int_eq(system(textf("mkdir -p '%s/proc/1' '%s/proc/sys/kernel/yama' && chmod -R a+rX '%s'",
				      root, root, root)), 0);
	write_file(root, "proc/1/mem", "x", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cases[i].scope)
			write_file(root, "proc/sys/kernel/yama/ptrace_scope", cases[i].scope, 2);
		ck_assert_int_eq(probe_memory(root), cases[i].error);
	}
}

START_LIVE_TEST(without_rights_it_is_said_how_to_get_them)
{
	start_process();
	if (!is_root()) {
		end_child(child);
		skip_test("only root can give up capabilities");
	}
	ck_assert(setegid(65534) == 0 && seteuid(65534) == 0);
	map_pid(child);
	ck_assert(has_notice(rig.now, "cap_sys_ptrace"));
	ck_assert_uint_eq(frame_table(rig.now, "region")->n_rows, 0);
	ck_assert_double_eq(total("pid"), child); /* the kernel says this all the same */
	ck_assert_double_gt(total("vm_resident_bytes"), 0);
	ck_assert(isnan(total("present_pages")));
	ck_assert(seteuid(0) == 0);
	end_process();
}

static int act_error = 1;

static void acted(void *context, int error)
{
	(void)context;
	act_error = error;
}

static int act(const char *verb, pid_t pid, bool only_asks, const char **remedy)
{
	return rig.source.act(rig.source.state, "page_total", textf("%s %d", verb, (int)pid),
				   only_asks ? NULL : acted, NULL, remedy);
}

START_LIVE_TEST(pages_are_forced_in_on_demand_only)
{
	open_process();
	ck_assert_int_eq(act("force", child, true, NULL), 0);
	rig_next(&rig);
	check_pages(UNTOUCHED, "present_bytes", 0);
	ck_assert_int_eq(act("force", 1, false, NULL), -ESRCH);
	rig.request.read_only = true;
	ck_assert_int_eq(act("force", child, false, NULL), -EPERM);
	ck_assert_int_eq(act_error, 1);
	end_process();
}

/* Of the region that is called so. */
static double absent_bytes(const char *path)
{
	const struct table *table = frame_table(rig.now, "region");

	for (size_t i = 0; i < table->n_rows; i++)
		if (strcmp(table_text(table, table_row(table, i), "path"), path) == 0)
			return table_number(table, table_row(table, i), "size_bytes") -
			       table_number(table, table_row(table, i), "present_bytes");
	ck_abort_msg("no region is called %s", path);
}

/* 64 GiB are not for a test, and sanitizers reserve more: a small program. */
START_LIVE_TEST(all_readable_pages_are_forced_in)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/sleep", "sleep", "100", (char *)NULL);
		_exit(3);
	}
	wait_for(pid, "exe", "sleep");
	wait_for(pid, "maps", "[heap]");
	map_pid(pid);
	ck_assert_double_gt(absent_bytes("[heap]"), 0);
	ck_assert_int_eq(act("force", pid, false, NULL), 0);
	ck_assert_int_eq(act_error, 0);
	rig_next(&rig);
	ck_assert_double_eq(absent_bytes("[heap]"), 0);
	ck_assert_double_eq(absent_bytes("[stack]"), 0);
	end_child(pid);
	rig_close(&rig);
}

START_LIVE_TEST(marks_of_writing_are_cleared)
{
	const char *remedy = NULL;
	int error;

	open_process();
	error = act("clear", child, false, &remedy);
	if (error == -ENOTSUP) {
		ck_assert_ptr_nonnull(strstr(remedy, "CONFIG_MEM_SOFT_DIRTY"));
		ck_assert(isnan(total("soft_dirty_pages")));
		skip_process("this kernel has no soft-dirty bits");
	}
	ck_assert_int_eq(error, 0);
	check_pages(EVERY_SECOND, "soft_dirty_bytes", 512);
	rig_next(&rig);
	check_pages(EVERY_SECOND, "soft_dirty_bytes", 0);
	end_process();
}

#define SHARED_ANONYMOUS PAGEMAP_PRESENT
#define OWN_ANONYMOUS (PAGEMAP_PRESENT | PAGEMAP_EXCLUSIVE)

/*
 * The fixture with other pages, as root sees them before Linux 6.7: in the heap 4 zero pages, 2 merged by
 * KSM, and 3 of a parent; on the stack 16 of a huge page; hides: without their frames, as for others.
 */
static void open_old_kernel(const char *const *names, bool hides)
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
	rig_open(&rig, "pages", names);
	rig.request.processes = "mapped";
	rig.request.batch = true;
	write_file(rig.root, "proc/77/pagemap", pagemap, sizeof(pagemap));
	write_file(rig.root, "proc/kpageflags", flags, sizeof(flags));
	rig_next(&rig);
}

/* Zero pages look like pages that processes share: where there are none of both, all is known. */
START_TEST(flags_of_frames_tell_what_pagemap_does_not)
{
	open_old_kernel(topic_names, false);
	ck_assert_double_eq(total("present_pages"), 25);
	ck_assert_double_eq(total("zero_pages"), 4);
	ck_assert_double_eq(total("ksm_pages"), 2);
	ck_assert_double_eq(total("huge_pages"), 16);
	ck_assert_double_eq(total("anonymous_pages"), 21);
	check_pages(0x20000, "zero_bytes", 4);
	check_pages(0x20000, "anonymous_bytes", 5);
	check_pages(0x40000, "huge_bytes", 16);
	ck_assert_double_eq(sum_of_cells("zero"), 4);
	ck_assert_double_eq(sum_of_cells("huge"), 16);
	rig_close(&rig);
	open_old_kernel(topic_names, true);
	ck_assert_double_eq(total("present_pages"), 25);
	ck_assert(isnan(total("zero_pages")) && isnan(total("anonymous_pages")));
	ck_assert(isnan(total("huge_pages")) && isnan(total("ksm_pages")));
	ck_assert(isnan(pages_in(0x20000, "anonymous_bytes")));
	check_pages(0x40000, "anonymous_bytes", 16);
	check_pages(0x40000, "zero_bytes", 0);
	ck_assert(isnan(pages_in(0x40000, "huge_bytes")));
	rig_close(&rig);
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
	int before;

	open_old_kernel(TOPICS("page"), false);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		pagemap[0x20 + i] = cases[i].entry;
	write_file(rig.root, "proc/77/pagemap", pagemap, sizeof(pagemap));
	sample_page("0x20008", "page");
	check_row(rig.now, "page",
		  "pid=77 page_address=131072 bits=present file or shared exclusive frame=2049 flags=thp");
	counts[0x801] = 3;
	counts[0x222] = 9;
	counts[0xfff] = 8;
	write_file(rig.root, "proc/kpagecount", counts, sizeof(counts));
	before = lowest_free_descriptor();
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sample_page(textf("0x%x", 0x20008 + 0x1000 * i), "page");
		check_row(rig.now, "page",
			  textf("pid=77 page_address=%u %s", 0x20000 + 0x1000 * i, cases[i].row));
	}
	ck_assert_int_eq(lowest_free_descriptor(), before);
	rig_close(&rig);
}

static void write_memory(size_t n)
{
	FILE *file = fopen(textf("%s/proc/77/mem", rig.root), "w");

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
		{ 2, "20 21 22 23 24 25 26 27 28 29 2a 2b 2c 2d 2e 2f", " !\"#$%&'()*+,-./" },
		{ 7, "70 71 72 73 74 75 76 77 78 79 7a 7b 7c 7d 7e 7f", "pqrstuvwxyz{|}~." },
		{ 8, "80 81 82 83 84 85 86 87 88 89 8a 8b 8c 8d 8e 8f", "................" },
		{ 255, "ff 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e", "................" },
	};
	const struct table *table;
	int before;

	open_old_kernel(TOPICS("page_bytes"), false);
	ck_assert_uint_eq(sample_page("0x20010", "page_bytes")->n_rows, 0);
	ck_assert(has_notice(rig.now, "/proc/77/mem: No such file or directory"));
	write_memory(PAGE + 32);
	before = lowest_free_descriptor();
	table = sample_page("0x20010", "page_bytes");
	ck_assert_uint_eq(rig.now->n_notices, 0);
	ck_assert_uint_eq(table->n_rows, PAGE / 16);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const void *row = table_row(table, rows[i].row);

		ck_assert_uint_eq(table_u64(table, row, "byte_address"), 0x20000 + 16 * rows[i].row);
		ck_assert_str_eq(table_text(table, row, "hex"), rows[i].hex);
		ck_assert_str_eq(table_text(table, row, "text"), rows[i].text);
	}
	write_memory(47); /* it ends within a row */
	ck_assert_uint_eq(sample_page(NULL, "page_bytes")->n_rows, 2);
	ck_assert_uint_eq(sample_page("0x2f000", "page_bytes")->n_rows, 0);
	ck_assert(has_notice(rig.now, "page 0x2f000 is not present"));
	ck_assert_int_eq(lowest_free_descriptor(), before);
	rig.request.batch = false; /* on the screen it is not told */
	rig.request.page_address = 0x2f000;
	ck_assert_uint_eq(sample_page(NULL, "page_bytes")->n_rows, 0);
	ck_assert(!has_notice(rig.now, "is not present"));
	rig.request.page_address = 0x20fff;
	ck_assert_uint_eq(sample_page(NULL, "page_bytes")->n_rows, 2);
	rig_close(&rig);
}

/* The fixture with a region up to the end of 64 bits, and a pagemap that is one hole. */
START_TEST(a_hole_larger_than_any_memory)
{
	rig_open(&rig, "pages", topic_names);
	rig.request.processes = "mapped";
	rig.request.batch = true;
	if (system(textf("truncate -s 36028797018963960 '%s/proc/77/pagemap' 2>/dev/null", rig.root)) != 0)
		skip_test("no file can be that long here");
	rig_put(&rig, "proc/77/maps", "ff00000000000000-fffffffffffff000 rw-p 0 0:0 0\n");
	rig_next(&rig);
	ck_assert_double_eq(total("present_pages"), 0);
	ck_assert_double_eq(total("mapped_pages"), (double)((UINT64_C(1) << 44) - 1));
	ck_assert_double_eq(sum_of_cells("pages"), (double)((UINT64_C(1) << 44) - 1));
	rig_close(&rig);
}

START_LIVE_TEST(a_signal_breaks_off_a_map)
{
	sigset_t signals;

	start_process();
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, &signals, NULL), 0);
	ck_assert_int_eq(kill(getpid(), SIGTERM), 0);
	map_pid(child);
	ck_assert(rig.now->cut);
	ck_assert(isnan(total("present_pages")));
	ck_assert_int_eq(sigwaitinfo(&signals, NULL), SIGTERM);
	rig_next(&rig);
	ck_assert(!rig.now->cut);
	ck_assert_double_eq(pages_in(EVERY_SECOND, "present_bytes"), 512);
	end_process();
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
	int fd;

	if (n_frames == 0 || !sees_frames())
		skip_test("only root sees the frames of its pages");
	if (n_frames > UINT64_C(16) << 20)
		skip_test("the flags of all frames would take more than 128 MiB");
	scratch_directory(root, "flags");
	ck_assert_int_eq(mkdir(textf("%s/proc", root), 0700), 0);
	fd = open(textf("%s/proc/kpageflags", root), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(env_open(&env, root), 0);
	ck_assert(page_file_has_ksm_flag(&env)); /* it is empty */
	for (size_t i = 0; i < 65536; i++)
		flags[i] = UINT64_C(1) << PAGE_FLAGS_KSM;
	for (uint64_t done = 0; done < n_frames; done += 65536)
		ck_assert_int_eq(write(fd, flags, sizeof(flags)), sizeof(flags));
	ck_assert(!page_file_has_ksm_flag(&env));
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)(n_frames * 8)), 0);
	ck_assert(page_file_has_ksm_flag(&env));
	close(fd);
	env_close(&env);
}
