/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Touched memory, against a process of our own that touches pages which we name. */
#include "rig.h"

#include "kernel/meminfo.h"
#include "kernel/pid/maps.h"
#include "model/frame.h"
#include "sys/machine_thread.h"
#include "topic/pages/touch_list.h"
#include "topic/process/process_entry.h"
#include "topic/topic.h"

#define N_PAGES 16384
#define HUGE_PAGES 512 /* 4 KiB pages in a huge one */

static const char *const touched_alone[] = { "touched", NULL };
static const char *const process_alone[] = { "process", NULL };
static const char *const both[] = { "process", "touched", NULL };
static struct rig rig;

/* Touches as many pages as ordered, or with 0 becomes another program; first it answers their address. */
static struct {
	struct ordered_child child;
	int advice;
	uint64_t address;
	uint64_t page;
} worked;

/* Aligned for huge pages, and alone: other memory would become part of the same region. */
static char *make_memory(uint64_t page, int advice)
{
	size_t bytes = N_PAGES * page, huge = HUGE_PAGES * page;
	char *room = mmap(NULL, bytes + 2 * huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *memory = (char *)(((uintptr_t)room + huge) / huge * huge);

	if (room == MAP_FAILED || mprotect(memory, bytes, PROT_READ | PROT_WRITE) < 0)
		_exit(3);
	madvise(memory, bytes, advice);
	memset(memory, 1, bytes);
	return memory;
}

static void work(int orders, int answers)
{
	char *memory = make_memory(worked.page, worked.advice);
	uint64_t n = (uint64_t)(uintptr_t)memory;

	while (write(answers, &n, sizeof(n)) == (ssize_t)sizeof(n) &&
	       read(orders, &n, sizeof(n)) == (ssize_t)sizeof(n)) {
		if (n == 0)
			execl("/bin/sleep", "sleep", "100", (char *)NULL);
		for (uint64_t i = 0; i < n; i++)
			((volatile char *)memory)[i * worked.page]++;
	}
}

static void start_work(int advice)
{
	if (access("/proc/self/clear_refs", W_OK) < 0 || access("/proc/self/smaps_rollup", R_OK) < 0)
		skip_test("this kernel has no accessed bits to clear");
	worked.page = (uint64_t)sysconf(_SC_PAGESIZE);
	worked.advice = advice;
	worked.child = start_ordered_child(work, &worked.address, sizeof(worked.address));
}

static void touch(uint64_t n)
{
	uint64_t done;

	give_order(&worked.child, &n, sizeof(n));
	if (n > 0)
		take_answer(&worked.child, &done, sizeof(done));
}

static char processes[32]; /* of one machine at a time */

static void open_batch(pid_t pid, const char *const *names)
{
	snprintf(processes, sizeof(processes), "%d", (int)pid);
	rig_open_live(&rig, names);
	rig.request.processes = processes;
	rig.request.batch = rig.request.touches = rig.request.touches_all = true;
	if (names != touched_alone)
		sample_request_add(&rig.request, topic_find("process")->schema, ~0UL);
	rig.env.worker = worker_open();
	rig_next(&rig);
}

static void close_batch(void)
{
	struct worker *worker = rig.env.worker;

	rig_close(&rig);
	worker_close(worker);
}

static void close_all(void)
{
	close_batch();
	end_ordered_child(&worked.child);
}

static const void *row_at(uint64_t address)
{
	return find_number(rig.now, "touched", "start_address", (double)address);
}

static double number_at(uint64_t address, const char *column)
{
	const void *row = row_at(address);

	ck_assert_msg(row != NULL, "no row for %llx", (unsigned long long)address);
	return table_number(frame_table(rig.now, "touched"), row, column);
}

static double pages_at(const char *column)
{
	return number_at(worked.address, column) / (double)worked.page;
}

static const char *state_of(void)
{
	return table_text(frame_table(rig.now, "touched"), row_at(0), "state");
}

static void check_pages(double touched, double truth)
{
	ck_assert_msg(fabs(touched - truth) <= 0.03 * truth + 20, "%g pages, not %g", touched, truth);
}

START_LIVE_TEST(pages_that_a_program_touches)
{
	static const uint64_t truths[] = { 1500, 0, 8000, 1, N_PAGES };

	start_work(MADV_NOHUGEPAGE);
	open_batch(worked.child.pid, touched_alone);
	ck_assert(isnan(number_at(0, "touched_bytes")));
	for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++) {
		uint64_t before_ns, after_ns = real_mono_ns();
		double window;

		if (truths[i] > 0)
			touch(truths[i]);
		before_ns = real_mono_ns();
		rig_next(&rig);
		check_pages(pages_at("touched_bytes"), (double)truths[i]);
		check_pages(pages_at("resident_bytes"), N_PAGES);
		ck_assert_double_eq(pages_at("untouched_bytes"),
				    pages_at("resident_bytes") - pages_at("touched_bytes"));
		window = number_at(0, "window_seconds");
		ck_assert_double_ge(window, (double)(before_ns - after_ns) / 1e9);
		ck_assert_double_gt(number_at(0, "cost_seconds"), 0);
		ck_assert_double_lt(number_at(0, "cost_seconds"), 3600);
		ck_assert_double_le(number_at(0, "file_touched_bytes"),
				    number_at(0, "touched_bytes") -
					    number_at(worked.address, "touched_bytes"));
		ck_assert_double_ge(number_at(0, "touched_bytes"),
				    number_at(worked.address, "touched_bytes"));
	}
	ck_assert_double_eq(number_at(0, "windows"), sizeof(truths) / sizeof(truths[0]));
	close_all();
}

/* Each is touched whole, or not. */
START_LIVE_TEST(huge_pages_that_a_program_touches)
{
	double whole;

	start_work(MADV_HUGEPAGE);
	open_batch(worked.child.pid, touched_alone);
	touch(1500);
	rig_next(&rig);
	if (!(number_at(worked.address, "huge_bytes") >= (double)(N_PAGES / 2 * worked.page))) {
		close_all();
		skip_test("the kernel gives no huge pages here");
	}
	whole = ceil(1500.0 / HUGE_PAGES) * HUGE_PAGES;
	check_pages(pages_at("touched_bytes"), whole);
	close_all();
}

/* Of a new program all pages are young: they are not taken for touched ones. */
START_LIVE_TEST(an_exec_begins_the_window_again)
{
	char byte;

	start_work(MADV_NOHUGEPAGE);
	open_batch(worked.child.pid, touched_alone);
	touch(1500);
	rig_next(&rig);
	touch(0);
	ck_assert_int_eq(read(worked.child.answers, &byte, 1), 0); /* closed by the exec */
	rig_next(&rig);
	ck_assert_str_eq(state_of(), "replaced");
	ck_assert(isnan(number_at(0, "touched_bytes")));
	ck_assert(isnan(number_at(0, "window_seconds")));
	ck_assert_ptr_null(row_at(worked.address));
	ck_assert(has_notice(rig.now, "has executed another program"));
	for (int i = 0; i < 500 && isnan(number_at(0, "touched_bytes")); i++)
		rig_next(&rig);
	ck_assert_str_ne(state_of(), "replaced");
	ck_assert(!has_notice(rig.now, "has executed another program"));
	ck_assert_double_gt(number_at(0, "resident_bytes"), 0);
	close_all();
}

START_LIVE_TEST(one_that_ends_has_no_rows)
{
	start_work(MADV_NOHUGEPAGE);

	open_batch(worked.child.pid, touched_alone);
	end_ordered_child(&worked.child);
	rig_next(&rig);
	ck_assert_uint_eq(frame_table(rig.now, "touched")->n_rows, 0);
	ck_assert(has_notice(rig.now, "has exited"));
	close_batch();
}

START_LIVE_TEST(without_memory_there_is_nothing_to_touch)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0);
	open_batch(pid, touched_alone);
	ck_assert(has_notice(rig.now, "zombie"));
	ck_assert_uint_eq(frame_table(rig.now, "touched")->n_rows, 0);
	close_batch();
	waitpid(pid, NULL, 0);
	open_batch(2, touched_alone);
	if (!has_notice(rig.now, "kernel thread"))
		skip_test("no thread of the kernel is seen here");
	ck_assert_uint_eq(frame_table(rig.now, "touched")->n_rows, 0);
	close_batch();
}

static double referenced_pages(void)
{
	static char bytes[1 << 20]; /* under a sanitizer there are many */
	struct maps_region region;
	struct smaps_sizes sizes;
	struct span text;
	FILE *file;

	file = fopen(textf("/proc/%d/smaps", (int)worked.child.pid), "r");
	ck_assert_ptr_nonnull(file);
	text = span_of(bytes, fread(bytes, 1, sizeof(bytes), file));
	fclose(file);
	while (smaps_next(&text, &region, &sizes))
		if (region.start == worked.address)
			return (double)sizes.referenced_bytes / (double)worked.page;
	return NAN;
}

/* A rule, a finding or a listener may want the table: it is empty then, and no bit is cleared. */
START_LIVE_TEST(nothing_is_cleared_unless_it_is_named)
{
	start_work(MADV_NOHUGEPAGE);

	open_batch(worked.child.pid, both);
	close_batch();
	touch(N_PAGES);
	rig_open_live(&rig, both);
	rig.request.processes = processes;
	rig.request.batch = rig.request.named_columns = true; /* another column than that */
	sample_request_add(&rig.request, topic_find("process")->schema, ~0UL);
	for (int i = 0; i < 3; i++)
		rig_next(&rig);
	check_pages(referenced_pages(), N_PAGES);
	ck_assert_uint_eq(frame_table(rig.now, "touched")->n_rows, 0);
	ck_assert(has_notice(rig.now, "-t touched"));
	rig_close(&rig);
	end_ordered_child(&worked.child);
}

static double of_process(pid_t pid, const char *column)
{
	const void *row = find_number(rig.now, "process", "pid", pid);

	return row ? table_number(frame_table(rig.now, "process"), row, column) : NAN;
}

START_LIVE_TEST(the_column_of_processes)
{
	double least;

	start_work(MADV_NOHUGEPAGE);
	open_batch(worked.child.pid, process_alone);
	ck_assert(isnan(of_process(worked.child.pid, "touched_bytes")));
	touch(8000);
	rig_next(&rig);
	least = 8000 * (double)worked.page;
	ck_assert_double_ge(of_process(worked.child.pid, "touched_bytes"), least);
	ck_assert_double_lt(of_process(worked.child.pid, "touched_bytes"), N_PAGES * (double)worked.page);
	ck_assert_double_gt(of_process(worked.child.pid, "touched_window_seconds"), 0);
	ck_assert(isnan(of_process(getpid(), "touched_bytes"))); /* --pid does not name it */
	close_batch();
	open_batch(worked.child.pid, both); /* both read one window */
	for (int i = 0; i < 3; i++) {
		touch(1500);
		rig_next(&rig);
	}
	check_pages(pages_at("touched_bytes"), 1500);
	ck_assert_double_eq(of_process(worked.child.pid, "touched_bytes"), number_at(0, "touched_bytes"));
	close_all();
}

static int answer;

static void answered(void *context, int error)
{
	(void)context;
	answer = error;
}

static double start_of(pid_t pid)
{
	char bytes[PROCESS_STAT_MAX];
	struct pid_stat stat;

	ck_assert(process_read_stat(&rig.env, (uint32_t)pid, bytes, &stat));
	return process_start_seconds(&rig.env, stat.start_ticks);
}

/* When it started. */
static double open_screen(void)
{
	snprintf(processes, sizeof(processes), "%d", (int)worked.child.pid);
	rig_open_live(&rig, touched_alone);
	rig.request.processes = processes;
	rig.env.worker = worker_open();
	rig_next(&rig);
	return start_of(worked.child.pid);
}

static int order(const char *verb, pid_t pid, double start_seconds, bool check, const char **remedy)
{
	answer = 1;
	return rig.source.act(rig.source.state, "touched",
				   textf("%s %d %.6f", verb, (int)pid, start_seconds),
				   check ? NULL : answered, NULL, remedy);
}

/* Until this many windows are complete. */
static void wait_for_windows(double n)
{
	while (!row_at(0) || !(number_at(0, "windows") >= n)) {
		rig_next(&rig);
		usleep(5000);
	}
}

static void wait_for_window(void)
{
	while (!row_at(0) || isnan(number_at(0, "open_seconds"))) {
		rig_next(&rig);
		usleep(1000);
	}
}

START_LIVE_TEST(the_screen_measures_when_it_is_told_to)
{
	double start;

	start_work(MADV_NOHUGEPAGE);
	start = open_screen();
	touch(N_PAGES);
	ck_assert_int_eq(order("look 0.2", worked.child.pid, start, true, NULL), 0);
	rig_next(&rig);
	ck_assert_uint_eq(frame_table(rig.now, "touched")->n_rows, 0);
	check_pages(referenced_pages(), N_PAGES); /* it only asked */
	ck_assert_int_eq(order("look 0.2", worked.child.pid, start, false, NULL), 0);
	ck_assert_int_eq(answer, 0);
	wait_for_window();
	touch(1500);
	wait_for_windows(1);
	check_pages(pages_at("touched_bytes"), 1500);
	ck_assert_double_ge(number_at(0, "window_seconds"), 0.2);
	ck_assert_str_eq(state_of(), "measured");
	touch(N_PAGES);
	rig_next(&rig);
	check_pages(pages_at("touched_bytes"), 1500); /* no other window has begun */
	check_pages(referenced_pages(), N_PAGES);
	ck_assert_int_eq(order("look 0.2", worked.child.pid, start, false, NULL), 0);
	rig_next(&rig);
	wait_for_windows(1);
	ck_assert_double_lt(pages_at("touched_bytes"), 1500); /* of that window alone */
	ck_assert_double_ge(number_at(0, "watched_seconds"), 0.2);
	ck_assert_double_lt(number_at(0, "watched_seconds"),
			    number_at(0, "window_seconds") + 0.2); /* not since the first one */
	ck_assert_int_eq(order("stop", worked.child.pid, start, true, NULL), 0);
	rig_next(&rig);
	ck_assert_uint_gt(frame_table(rig.now, "touched")->n_rows, 0);
	ck_assert_int_eq(order("stop", worked.child.pid, start, false, NULL), 0);
	rig_next(&rig);
	ck_assert_uint_eq(frame_table(rig.now, "touched")->n_rows, 0);
	close_all();
}

START_LIVE_TEST(ages_come_from_one_window_after_the_other)
{
	double start, windows;

	start_work(MADV_NOHUGEPAGE);
	start = open_screen();
	ck_assert_int_eq(order("watch 0.05", worked.child.pid, start, false, NULL), 0);
	wait_for_window();
	touch(1500);
	while (!row_at(worked.address) || !(pages_at("last_touched_bytes") >= 1500))
		rig_next(&rig);
	windows = number_at(0, "windows");
	wait_for_windows(windows + 3);
	ck_assert_double_lt(pages_at("touched_bytes"), 20);
	check_pages(pages_at("last_touched_bytes"), 1500);
	ck_assert_double_ge(number_at(worked.address, "age_seconds"), 0.1);
	ck_assert_double_ge(number_at(0, "watched_seconds"), number_at(worked.address, "age_seconds"));
	close_all();
}

START_LIVE_TEST(what_is_refused_on_the_screen)
{
	const char *remedy = NULL;
	double start;

	start_work(MADV_NOHUGEPAGE);
	start = open_screen();
	ck_assert_int_eq(order("look 1", worked.child.pid, start - 1, false, NULL), -ESRCH); /* reused */
	if (start_of(1) >= 0 &&
	    order("look 1", 2, start_of(1), true, &remedy) == -ENXIO)
		ck_assert_ptr_nonnull(strstr(remedy, "kernel thread"));
	rig.request.read_only = true;
	ck_assert_int_eq(order("look 1", worked.child.pid, start, false, &remedy), -EPERM);
	ck_assert_ptr_nonnull(strstr(remedy, "--read-only"));
	ck_assert_int_eq(answer, 1);
	close_all();
}

/* The topic is open only where the view or the column is shown. */
START_LIVE_TEST(it_ends_with_the_view)
{
	bool *none = calloc(n_topics, sizeof(*none));
	double start;

	start_work(MADV_NOHUGEPAGE);
	start = open_screen();
	ck_assert_int_eq(order("watch 0.1", worked.child.pid, start, false, NULL), 0);
	wait_for_windows(2);
	rig.source.want(rig.source.state, none);
	usleep(300000); /* a helper may be about to clear them */
	touch(N_PAGES);
	for (int i = 0; i < 5; i++) {
		usleep(100000);
		rig_next(&rig);
	}
	check_pages(referenced_pages(), N_PAGES);
	ck_assert_int_eq(order("look 1", worked.child.pid, start, false, NULL), -EAGAIN);
	close_batch();
	end_ordered_child(&worked.child);
	free(none);
}

START_LIVE_TEST(of_others_it_says_what_it_lacks)
{
	const char *remedy = NULL;
	double start;

	start_work(MADV_NOHUGEPAGE);
	if (!is_root()) {
		end_ordered_child(&worked.child);
		skip_test("only root can give up capabilities");
	}
	ck_assert(setegid(65534) == 0 && seteuid(65534) == 0);
	open_batch(worked.child.pid, touched_alone);
	ck_assert(has_notice(rig.now, "cap_sys_ptrace and cap_dac_override"));
	ck_assert_uint_eq(frame_table(rig.now, "touched")->n_rows, 0);
	close_batch();
	open_batch(worked.child.pid, process_alone);
	ck_assert(has_notice(rig.now, "touched memory of 1 process is hidden"));
	ck_assert(isnan(of_process(worked.child.pid, "touched_bytes")));
	close_batch();
	start = open_screen();
	ck_assert_int_eq(order("look 1", worked.child.pid, start, true, &remedy), -EACCES);
	ck_assert_ptr_nonnull(strstr(remedy, "cap_sys_ptrace and cap_dac_override"));
	close_batch();
	ck_assert(seteuid(0) == 0);
	end_ordered_child(&worked.child);
}

/* Below 0 are those of before; one too many, and what does not ascend, are none. */
START_TEST(percentiles_that_are_none)
{
	static const char *const wrong[] = { "", "\n", "0,1,2\n", "x", "3,2,1" };
	int64_t idle[DAMON_PERCENTILES];
	struct buffer text = { 0 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert(!damon_percentiles_parse(span_text(wrong[i]), idle));
	for (int i = 0; i < DAMON_PERCENTILES; i++)
		buffer_print(&text, "%s%d", i > 0 ? "," : "", i - 40);
	ck_assert(damon_percentiles_parse(span_of(text.bytes, text.length), idle));
	ck_assert_int_eq(idle[0], -40);
	ck_assert(!damon_percentiles_are_new(idle));
	ck_assert(!damon_percentiles_parse(span_of(text.bytes, text.length - 1), idle));
	buffer_text(&text, ",99");
	ck_assert(!damon_percentiles_parse(span_of(text.bytes, text.length), idle));
	buffer_free(&text);
}

/* --- Over files of a rig, read at once. */

#define START 500 /* ticks */

static void put_file(unsigned pid, const char *name, const char *text)
{
	rig_put(&rig, textf("proc/%u/%s", pid, name), "%s", text);
}

static void put_stat(unsigned pid, char state, unsigned start)
{
	put_file(pid, "stat", textf("%u (it) %c 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %u 0 0\n", pid,
		 state, start));
}

static void put_memory(unsigned pid)
{
	rig_make(&rig, textf("proc/%u", pid));
	put_stat(pid, 'S', START);
	put_file(pid, "clear_refs", "");
	put_file(pid, "smaps",
		 "00010000-00020000 r--p 00000000 00:00 0 \nRss: 4 kB\nReferenced: 4 kB\n");
	put_file(pid, "smaps_rollup",
		 "00010000-7fff00000000 ---p 00000000 00:00 0 [rollup]\nRss: 100 kB\nReferenced: 30 kB\n"
		 "AnonHugePages: 8 kB\n");
}

static struct touch_list *open_touches(void)
{
	struct sample sample;

	rig_open(&rig, "empty", NULL);
	rig.env.clock = &real_clock; /* what it costs decides when it is read */
	put_memory(7);
	sample = rig_sample_for(&rig, NULL);
	rig.env.tick = 1;
	return reader_open(&touch_reader, &sample, NULL);
}

static void close_touches(void)
{
	reader_close(&touch_reader, &rig.env);
	rig_close(&rig);
}

/* Of process 7, at the end of the next tick. */
static struct touch_look *next_look(struct touch_list *list, bool by_region)
{
	struct touch_look *look;

	rig.env.tick++;
	look = touch_list_want(list, 7, 7, START, by_region);
	touch_list_wait(list);
	return look;
}

struct mapped {
	const char *line;
	unsigned resident, touched, huge; /* KiB */
};

/* Ended by one without a line. */
static void put_regions(const struct mapped *mapped)
{
	char text[2048] = "";

	for (; mapped->line; mapped++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s\nSize: 64 kB\nRss: %u kB\nReferenced: %u kB\nAnonHugePages: %u kB\n",
			 mapped->line, mapped->resident, mapped->touched, mapped->huge);
	put_file(7, "smaps", text);
}

/* In KiB: the sums; each region with what was touched of it and seen before, and in which look, from 1 on. */
static void check_report(const struct touch_look *look, const uint64_t looks_ns[3], const char *wanted)
{
	const struct touch_report *report = &look->report;
	struct buffer text = { 0 };

	buffer_print(&text, "%u touched %u", (unsigned)(report->resident_bytes / 1024),
		     (unsigned)(report->touched_bytes / 1024));
	if (report->file_touched_bytes != U64_UNKNOWN)
		buffer_print(&text, " files %u", (unsigned)(report->file_touched_bytes / 1024));
	if (report->huge_bytes != U64_UNKNOWN)
		buffer_print(&text, " huge %u", (unsigned)(report->huge_bytes / 1024));
	for (size_t i = 0; i < report->n_regions; i++) {
		const struct touch_region *region = &report->regions[i];
		unsigned at = 3;

		while (at > 0 && region->seen_ns != looks_ns[at - 1])
			at--;
		buffer_print(&text, "; %x %s %u %u at %u %.*s", (unsigned)region->start, region->permissions,
			     (unsigned)(region->touched_bytes / 1024), (unsigned)(region->seen_bytes / 1024),
			     at, (int)region->path_length, report->paths.bytes + region->path);
	}
	buffer_char(&text, '\0');
	ck_assert_str_eq(text.bytes, wanted);
	buffer_free(&text);
}

/* What was seen before is that of what lay there, of which the latest counts. */
START_TEST(regions_keep_what_was_seen_of_them)
{
	static const struct mapped maps[3][6] = {
		{ { "00010000-00020000 r-xp 00000000 08:01 77 /bin/it", 40, 12, 0 },
			{ "00020000-00030000 rw-p 00000000 00:00 0 [heap]", 0, 0, 0 },
			{ "00040000-00050000 rw-p 00000000 00:00 0 [stack]", 20, 8, 4 },
			{ "00060000-00070000 rw-p 00000000 08:01 78 /lib/it", 16, 16, 0 },
			{ "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]", 4, 4, 0 },
		},
		/* the stack has grown downwards, and what is new begins where the code ended */
		{ { "00010000-00020000 r-xp 00000000 08:01 77 /bin/it", 40, 0, 0 },
			{ "00020000-00030000 rw-p 00000000 00:00 0 [heap]", 8, 0, 0 },
			{ "0003f000-00050000 rw-p 00000000 00:00 0 [stack]", 24, 4, 4 },
			{ "0006f000-00080000 rw-p 00000000 08:01 78 /lib/it", 16, 0, 0 }, },
		/* one that spans several has the latest of them */
		{ { "00010000-00050000 rw-p 00000000 00:00 0 ", 40, 0, 0 },
			{ "00050000-0006f000 rw-p 00000000 00:00 0 ", 40, 0, 0 }, },
	};
	static const char *const wanted[] = {
		"76 touched 36 files 28 huge 4; 10000 r-xp 12 12 at 1 /bin/it; 40000 rw-p 8 8 at 1 [stack]; "
		"60000 rw-p 16 16 at 1 /lib/it",
		"88 touched 4 files 0 huge 4; 10000 r-xp 0 12 at 1 /bin/it; 20000 rw-p 0 0 at 0 [heap]; "
		"3f000 rw-p 4 4 at 2 [stack]; 6f000 rw-p 0 16 at 1 /lib/it",
		"80 touched 0 files 0 huge 0; 10000 rw-p 0 4 at 2 ; 50000 rw-p 0 0 at 0 ",
	};
	uint64_t looks_ns[3] = { 1, 2, 3 };
	struct touch_list *list;
	struct touch_look *look;

	list = open_touches();
	put_regions(maps[0]);
	look = next_look(list, true);
	ck_assert_int_eq(look->state, TOUCH_OPEN);
	ck_assert_uint_eq(look->report.read_ns, 0);
	ck_assert_uint_gt(look->cleared_ns, 0);
	for (unsigned i = 0; i < 3; i++) {
		put_regions(maps[i]);
		look = next_look(list, true);
		looks_ns[i] = look->report.read_ns;
		ck_assert_int_eq(look->state, TOUCH_OPEN); /* of the next window */
		ck_assert_uint_eq(look->n_windows, i + 1);
		ck_assert_uint_ge(look->cleared_ns, looks_ns[i]);
		check_report(look, looks_ns, wanted[i]);
	}
	rig.request.once = true; /* no other window follows */
	look = next_look(list, true);
	ck_assert_int_eq(look->state, TOUCH_DONE);
	ck_assert(look->smaps == -1 && look->clear_refs == -1);
	close_touches();
}

/* Sums alone, until regions are wanted. */
START_TEST(sums_of_a_process_need_no_regions)
{
	const uint64_t none[3] = { 1, 1, 1 };
	struct touch_list *list;
	struct touch_look *look;

	list = open_touches();
	next_look(list, false);
	look = next_look(list, false);
	ck_assert(!look->by_region);
	check_report(look, none, "100 touched 30 huge 8");
	next_look(list, true);
	look = next_look(list, true);
	ck_assert(look->by_region);
	ck_assert_uint_eq(look->report.resident_bytes, 4 * 1024);
	ck_assert_uint_eq(look->report.n_regions, 1);
	close_touches();
}

/* As many as there may be; another topic may want them later in the same tick. */
START_TEST(looks_end_when_they_are_wanted_no_more)
{
	struct touch_list *list;

	list = open_touches();
	next_look(list, true);
	for (unsigned pid = 100; pid < 100 + TOUCH_LOOKS_MAX; pid++) {
		put_memory(pid);
		ck_assert((touch_list_want(list, pid, pid, START, true) != NULL) ==
			  (pid < 99 + TOUCH_LOOKS_MAX));
	}
	ck_assert_uint_eq(list->n_left_out, 1);
	ck_assert_uint_eq(list->n_looks, TOUCH_LOOKS_MAX);
	touch_list_wait(list);
	ck_assert_ptr_nonnull(touch_list_find(list, 100, START));
	ck_assert_ptr_null(touch_list_find(list, 100, START + 1));
	next_look(list, true);
	ck_assert_uint_eq(list->n_looks, TOUCH_LOOKS_MAX);
	next_look(list, true);
	ck_assert_uint_eq(list->n_looks, 1);
	ck_assert_ptr_nonnull(touch_list_find(list, 7, START));
	close_touches();
}

/* As long as it lives its memory is that of another program; else it has ended. */
START_TEST(why_a_look_ends)
{
	static const struct {
		const char *gone; /* a file; NULL: one is read without anything in it, later */
		char state;
		unsigned start;
		enum touch_state then;
		int error;
	} cases[] = {
		{ "smaps", 'S', START, TOUCH_FAILED, -ENOENT },
		{ "clear_refs", 'S', START, TOUCH_FAILED, -ENOENT },
		{ "stat", 'S', START, TOUCH_ENDED, -ESRCH },
		{ "", 'Z', START, TOUCH_ENDED, -ESRCH },
		{ "", 'S', START + 1, TOUCH_ENDED, -ESRCH },
		{ "", 'S', START, TOUCH_OPEN, 0 },
		{ NULL, 'S', START, TOUCH_CLEARING, 0 }, /* it begins again at once */
		{ NULL, 'Z', START, TOUCH_ENDED, -ESRCH },
		{ NULL, 'S', START + 1, TOUCH_ENDED, -ESRCH },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct touch_look *look;
		struct touch_list *list;
		const char *path;

		list = open_touches();
		if (!cases[i].gone) {
			next_look(list, true);
			ck_assert_uint_eq(next_look(list, true)->n_windows, 1);
			put_file(7, "smaps", "");
		}
		put_stat(7, cases[i].state, cases[i].start);
		if (cases[i].gone && *cases[i].gone)
			rig_put(&rig, textf("proc/7/%s", cases[i].gone), NULL);
		if (cases[i].gone)
			ck_assert_int_eq(touch_look_try(&rig.env, 7, 7, START, &path), cases[i].error);
		look = next_look(list, true);
		ck_assert_msg(look->state == cases[i].then && look->error == cases[i].error, "case %zu", i);
		ck_assert_int_eq(look->replaced, cases[i].then == TOUCH_CLEARING);
		if (look->replaced)
			ck_assert(look->n_windows == 0 && look->report.n_regions == 0);
		else if (!cases[i].gone)
			ck_assert(look->smaps == -1 && look->clear_refs == -1);
		close_touches();
	}
}

static unsigned n_done;

static void note_order(void *context, int error)
{
	(void)context;
	ck_assert_int_eq(error, 0);
	n_done++;
}

static int tell(const char *action)
{
	n_done = 0;
	env_forget_failures(&rig.env);
	return touch_list_act(&rig.env, action, note_order, NULL);
}

static void next_step(struct touch_list *list)
{
	rig.env.tick++;
	touch_list_step(list);
}

START_TEST(orders_that_are_none)
{
	static const struct {
		const char *action;
		int error;
	} cases[] = {
		{ "", -EINVAL },	   { "look", -EINVAL },	       { "look 1", -EINVAL },
		{ "look 1 7", -EINVAL },   { "look x 7 5", -EINVAL },  { "look 1 x 5", -EINVAL },
		{ "look 1 7 x", -EINVAL }, { "look 1 7 5 ", -EINVAL }, { "look 1 7 5 6", -EINVAL },
		{ "gaze 1 7 5", -EINVAL }, { "stop 1 7 5", -EINVAL },  { "stop7 5", -EINVAL },
		{ "stop 7", -EINVAL },	   { "look 1 -7 5", -EINVAL },
		{ "look 1 4294967296 5", -EINVAL },
		{ "look 1 7 6", -ESRCH },  { "look 1 4294967295 5", -ESRCH },
		{ "look 1 8 5", -ENXIO }, /* a thread of the kernel */
	};
	struct touch_list *list;

	list = open_touches();
	rig_make(&rig, "proc/8");
	put_file(8, "stat", "8 (kworker) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 500 0 0\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(tell(cases[i].action) == cases[i].error && n_done == 0, "%s",
			      cases[i].action);
	ck_assert_int_eq(touch_list_act(&rig.env, "look 1 7 5", NULL, NULL), 0); /* may it be? */
	ck_assert_uint_eq(list->n_looks, 0);
	close_touches();
}

START_TEST(orders_of_the_screen)
{
	struct touch_list *list;
	struct touch_look *look;

	list = open_touches();
	put_memory(8);
	ck_assert_int_eq(tell("look 1000 7 5"), 0);
	ck_assert_uint_eq(n_done, 1);
	look = touch_list_find(list, 7, START);
	ck_assert(!look->again && look->by_region);
	ck_assert_double_eq(look->window_wanted_seconds, 1000);
	next_step(list);
	look->clear_cpu_ns = UINT64_MAX / 1000; /* early numbers would cost too much */
	next_step(list);
	ck_assert_uint_eq(look->report.read_ns, 0);
	look->clear_cpu_ns = 0;
	next_step(list);
	next_step(list); /* what it read is taken */
	ck_assert_uint_gt(look->report.read_ns, 0);
	ck_assert_uint_eq(look->n_windows, 0);
	ck_assert_int_eq(look->state, TOUCH_OPEN);
	look->window_wanted_seconds = 0;
	next_step(list);
	next_step(list);
	ck_assert_uint_eq(look->n_windows, 1);
	ck_assert_int_eq(look->state, TOUCH_DONE);
	ck_assert_int_eq(tell("watch 0 7 5"), 0);
	ck_assert_int_eq(tell("watch 0.5 8 5"), 0);
	ck_assert_ptr_eq(touch_list_find(list, 7, START), look);
	ck_assert(look->again && look->n_windows == 0 && look->report.read_ns == 0);
	for (unsigned i = 0; i < 4; i++) {
		next_step(list);
		touch_list_step(list); /* once in a tick */
	}
	ck_assert_uint_eq(look->n_windows, 3);
	ck_assert_int_eq(tell("stop 7 5"), 0);
	ck_assert_uint_eq(list->n_looks, 1);
	ck_assert_ptr_nonnull(touch_list_find(list, 8, START));
	close_touches();
}

/* The one that began first makes room. */
START_TEST(the_oldest_look_makes_room)
{
	struct touch_list *list;

	list = open_touches();
	for (unsigned i = 0; i <= TOUCH_LOOKS_MAX; i++) {
		put_memory(100 + i);
		for (unsigned k = 0; i == TOUCH_LOOKS_MAX && k < TOUCH_LOOKS_MAX; k++)
			list->looks[k]->begun_ns = k == 2 ? 5 : 6 + k;
		ck_assert_int_eq(tell(textf("look 1000 %u 5", 100 + i)), 0);
	}
	for (unsigned i = 0; i <= TOUCH_LOOKS_MAX; i++)
		ck_assert((touch_list_find(list, 100 + i, START) != NULL) == (i != 2));
	close_touches();
}

/* By the files of panetop itself, which are left as they are. */
START_TEST(what_a_probe_says_of_touched_memory)
{
	const struct topic *topic = topic_find("touched");
	const struct source_spec *marks = topic_source(topic, "proc/PID/clear_refs");
	const struct source_spec *sizes = topic_source(topic, "proc/PID/smaps");

	open_touches();
	rig.env.own_pid = 7;
	ck_assert_int_eq(marks->test(&rig.env), -ENOTSUP);
	ck_assert_int_eq(sizes->test(&rig.env), -ENOTSUP);
	rig.env.live = true;
	ck_assert_int_eq(marks->test(&rig.env), 0);
	ck_assert_int_eq(sizes->test(&rig.env), 0);
	rig_put(&rig, "proc/7/clear_refs", NULL);
	ck_assert_int_eq(marks->test(&rig.env), -ENOENT);
	ck_assert_int_eq(sizes->test(&rig.env), 0);
	rig_put(&rig, "proc/7/smaps", NULL);
	ck_assert_int_eq(sizes->test(&rig.env), -ENOENT);
	rig.env.live = false;
	close_touches();
}
