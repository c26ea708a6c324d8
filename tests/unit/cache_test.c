/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of pages asked of the page cache, against readers that know what they ask for: to the page. */
#include "rig.h"

#include <sys/vfs.h>

#include "topic/memory/cache_list.h"

#define page_bytes ((size_t)sysconf(_SC_PAGESIZE))
#define TMPFS 0x01021994
#define PAGES 1000
#define TAIL 100 /* bytes in one more page */
#define WARM 3
#define ROUNDS 4

static struct env env;
static const struct sample_request request;
static const struct sample sample = { .env = &env, .request = &request };
static struct cache_list *list;
static char path[SCRATCH_PATH_MAX];
static struct stat status;
static char *bytes;

static bool counts_at(uint64_t tick)
{
	env.tick = tick;
	ck_assert_int_eq(reader_update(&cache_reader, &sample), 0);
	return list->counts;
}

/* A file of so many pages that is not in the cache, and a list that counts from now on; or skips the test. */
static int open_cold(size_t length)
{
	struct statfs system;
	int fd;

	scratch_template(path, "cache");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	bytes = calloc(1, 4 * PAGES * page_bytes);
	ck_assert_int_eq(write(fd, bytes, length), (ssize_t)length);
	ck_assert_int_eq(fsync(fd), 0);
	ck_assert_int_eq(fstatfs(fd, &system), 0);
	ck_assert_int_eq(fstat(fd, &status), 0);
	if (system.f_type == TMPFS)
		skip_test("/tmp is a tmpfs: all its pages are in memory");
	ck_assert_int_eq(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	ck_assert_int_eq(env_open(&env, "/"), 0);
	list = reader_open(&cache_reader, &sample, NULL);
	if (!counts_at(1))
		skip_test("not counted here: %s", strerror(-list->trace.error));
	return fd;
}

static void close_list(void)
{
	reader_close(&cache_reader, &env);
	env_close(&env);
	free(bytes);
}

static const struct cache_file *file(void)
{
	for (size_t i = 0; i < list->n_files; i++)
		if (list->files[i].inode == status.st_ino)
			return &list->files[i];
	ck_abort_msg("the file is not counted");
	return NULL;
}

static void close_round(int fd)
{
	close(fd);
	close_list();
}

/* Runs of programs that the kernel left out, as an interrupt came while another one ran on the CPU. */
static uint64_t runs_lost(void)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < list->trace.n_running; i++)
		lost += trace_self(&list->trace, i).lost;
	return lost;
}

/* False, and the round is closed: not all that the child did was counted. */
static bool finish(int fd, pid_t child)
{
	int end;

	ck_assert_int_eq(waitpid(child, &end, 0), child);
	ck_assert_int_eq(end, 0);
	ck_assert(counts_at(env.tick + 1));
	if (runs_lost() == 0)
		return true;
	close_round(fd);
	return false;
}

/* False, and the round is closed: a run was lost that the kernel does not report, as now and then beside
 * other programs. */
static bool asked_all(int fd, uint64_t pages)
{
	uint64_t asked = file()->total.asked;

	ck_assert_uint_le(asked, pages);
	if (asked == pages)
		return true;
	close_round(fd);
	return false;
}

/* Reads it from the beginning to the end, so many bytes at a time. */
static void read_all(int fd, size_t piece)
{
	ssize_t length;
	off_t at = 0;

	while ((length = pread(fd, bytes, piece, at)) > 0)
		at += length;
	if (length < 0 || at != status.st_size)
		_exit(1);
}

/* How many pages were missed; 0: not all that happened was counted. */
static uint64_t count_passes(size_t piece)
{
	uint64_t missed;
	int fd = open_cold(PAGES * page_bytes + TAIL);
	struct cache_process *process;
	pid_t child = fork();

	if (child == 0) {
		for (unsigned pass = 0; pass <= WARM; pass++)
			read_all(fd, piece);
		_exit(0);
	}
	if (!finish(fd, child) || !asked_all(fd, (WARM + 1) * (PAGES + 1)))
		return 0;
	process = cache_list_find(list, (uint32_t)child);
	ck_assert_ptr_nonnull(process);
	ck_assert_uint_eq(file()->total.added, file()->total.missed);
	ck_assert_uint_ge(process->total.asked, (WARM + 1) * (PAGES + 1));
	ck_assert_uint_ge(process->total.missed, PAGES + 1);
	ck_assert_uint_eq(process->ahead, process->total.added - process->total.missed);
	missed = file()->total.missed;
	close_round(fd);
	return missed;
}

/*
 * Page by page, in pieces, and in one read, for whose pages the kernel looks in several steps. What it takes
 * back meanwhile is missed again, and runs may be lost: not in each of some rounds.
 */
START_LIVE_TEST(one_cold_and_three_warm_passes)
{
	const size_t pieces[] = { 1, 16, 4 * PAGES };

	for (unsigned i = 0; i < 3; i++) {
		uint64_t missed = 0;

		for (unsigned round = 0; round < ROUNDS && missed != PAGES + 1; round++) {
			missed = count_passes(pieces[i] * page_bytes);
			ck_assert(missed == 0 || missed >= PAGES + 1);
		}
		ck_assert_uint_eq(missed, PAGES + 1);
	}
}

/* What a child does with a file that is not in the cache, and what is counted of it. */
struct round {
	size_t bytes; /* of the file */
	void (*act)(int fd);
	uint64_t asked, missed, dirtied;
	uint64_t faults_max;   /* and one at least, unless it is 0 */
	uint64_t added_beyond; /* more than these */
};

static bool play(const struct round *round)
{
	int fd = open_cold(round->bytes);
	pid_t child = fork();
	const struct cache_pages *total;

	if (child == 0) {
		round->act(fd);
		_exit(0);
	}
	if (!finish(fd, child))
		return false;
	total = &file()->total;
	ck_assert_uint_ge(total->faults, round->faults_max > 0);
	ck_assert(round->faults_max == 0 || total->faults <= round->faults_max);
	ck_assert(round->dirtied == 0 || total->dirtied == round->dirtied);
	if (!asked_all(fd, round->asked))
		return false;
	ck_assert_uint_eq(total->missed, round->missed);
	ck_assert(round->added_beyond == 0 || total->added > round->added_beyond);
	ck_assert(round->added_beyond == 0 ||
		  cache_list_find(list, (uint32_t)child)->ahead >= total->added - round->missed);
	close_round(fd);
	return true;
}

/* Not in each of some rounds are runs lost. */
static void check_round(const struct round *round)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		if (play(round))
			return;
	ck_abort_msg("runs were lost in each of %d rounds", ROUNDS);
}

static void read_tail(int fd)
{
	read_all(fd, 32 * page_bytes);
}

START_LIVE_TEST(a_read_counts_what_the_file_has)
{
	check_round(&(struct round){ TAIL, read_tail, .asked = 1, .missed = 1 });
}

static void read_pages(int fd, size_t first, size_t n)
{
	if (pread(fd, bytes, n * page_bytes, (off_t)(first * page_bytes)) != (ssize_t)(n * page_bytes))
		_exit(1);
}

/* 8 pages in the middle, then 32 of which these are a part. */
static void read_twice(int fd)
{
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	read_pages(fd, 8, 8);
	read_pages(fd, 0, 32);
}

START_LIVE_TEST(a_read_of_some_pages_that_are_there)
{
	check_round(&(struct round){ PAGES * page_bytes, read_twice, .asked = 8 + 32, .missed = 32 });
}

static void read_one_page(int fd)
{
	read_pages(fd, 0, 1);
}

START_LIVE_TEST(what_is_read_ahead_is_not_missed)
{
	check_round(&(struct round){
		PAGES * page_bytes, read_one_page, .asked = 1, .missed = 1, .added_beyond = 1 });
}

static void read_what_is_mapped(int fd)
{
	volatile const char *map = mmap(NULL, PAGES * page_bytes, PROT_READ, MAP_SHARED, fd, 0);

	for (size_t i = 0; i < PAGES; i++)
		(void)map[i * page_bytes];
	read_all(fd, 16 * page_bytes);
}

START_LIVE_TEST(pages_that_faults_add_count_for_no_read)
{
	check_round(&(struct round){
		PAGES * page_bytes, read_what_is_mapped, .asked = PAGES, .faults_max = PAGES });
}

static void read_what_was_written(int fd)
{
	if (pwrite(fd, bytes, PAGES * page_bytes, 0) != (ssize_t)(PAGES * page_bytes))
		_exit(1);
	status.st_size = (off_t)(PAGES * page_bytes);
	read_all(fd, 16 * page_bytes);
}

START_LIVE_TEST(pages_that_writes_add_count_for_no_read)
{
	check_round(&(struct round){ TAIL, read_what_was_written, .asked = PAGES, .dirtied = PAGES });
}

START_LIVE_TEST(an_open_file_has_a_path)
{
	int fd = open_cold(TAIL), ends[2];
	pid_t child;
	char byte;

	ck_assert_int_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		for (unsigned i = 0; i < 10 * PAGES; i++) /* more than others read meanwhile */
			read_all(fd, page_bytes);
		close(ends[0]);
		close(ends[1]);
		pause();
	}
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &byte, 1), 0); /* it has read */
	ck_assert(counts_at(env.tick + 1));
	for (unsigned turn = 0; turn < 3 && !file()->path; turn++)
		cache_list_find_paths(list);
	ck_assert_ptr_nonnull(file()->path);
	ck_assert_str_eq(file()->path, path);
	end_child(child);
	close_round(fd);
}

START_LIVE_TEST(without_bpf_it_is_an_estimate)
{
	static struct rig rig;

	const struct table *table;

	rig_open_live(&rig, TOPICS("cache_use"));
	rig.request.no_bpf = true;
	do { /* processes are read in turns */
		rig_next(&rig);
		table = frame_table(rig.now, "cache_use");
		ck_assert_ptr_nonnull(table);
	} while (table->n_rows == 0);
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		ck_assert_str_eq(table_text(table, row, "how"), "proc");
		ck_assert_str_eq(table_text(table, row, "note"), "estimate");
		ck_assert_double_gt(table_number(table, row, "pid"), 0);
		ck_assert(isnan(table_number(table, row, "mapped_faults")));
	}
	rig_close(&rig);
}

/* Of a pid that several processes have had, one after the other. */
START_TEST(pages_of_an_earlier_process_are_left_out)
{
	static const struct {
		uint64_t start_ticks, start_then;
		struct cache_pages pages;
	} cases[] = {
		{ U64_UNKNOWN, 0, { 1000, 300, 500, 70, 9 } }, { 50, 50, { 1000, 300, 500, 70, 9 } },
		{ 50, 50, { 1000, 300, 500, 70, 9 } },         { 60, 60, { 900, 280, 440, 63, 8 } },
		{ U64_UNKNOWN, 60, { 900, 280, 440, 63, 8 } }, { 60, 60, { 900, 280, 440, 63, 8 } },
	};
	struct cache_process process = { .total = { 1000, 300, 500, 70, 9 },
					 .before = { 100, 20, 60, 7, 1 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cache_pages pages = cache_pages_of(&process, cases[i].start_ticks);

		ck_assert_uint_eq(process.start_ticks, cases[i].start_then);
		ck_assert_uint_eq(pages.asked, cases[i].pages.asked);
		ck_assert_uint_eq(pages.missed, cases[i].pages.missed);
		ck_assert_uint_eq(pages.added, cases[i].pages.added);
		ck_assert_uint_eq(pages.faults, cases[i].pages.faults);
		ck_assert_uint_eq(pages.dirtied, cases[i].pages.dirtied);
	}
}
