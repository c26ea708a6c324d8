/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of sums of system calls, of what is sent of an opened file, and of the directory where most opens
 * fail. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/syscall.h>

#include "core/error_name.h"
#include "core/histogram.h"
#include "pane/calls/failing_directory.h"
#include "suite.h"
#include "topic/call/call_counts.h"
#include "topic/call/opened_rings.h"

#define WORD(pid, number, error, bucket)                                                                     \
	((uint64_t)(pid) << BPF_CALL_PROCESS_SHIFT | (uint64_t)(number) << BPF_CALL_NUMBER_SHIFT |           \
	 (uint64_t)(error) << BPF_CALL_ERROR_SHIFT | (bucket))

/* The bucket of a time, as programs count it. */
static uint64_t bucket_of(uint64_t ns)
{
	return (histogram_index(0, ns) >> BPF_CALL_BUCKET_SHIFT) + 1;
}

START_TEST(counts_are_summed_by_process_and_call)
{
	struct call_count counts[] = {
		{ WORD(4194303, SYS_read, 0, 0), 1, 0, 0 },
		{ WORD(7, SYS_write, ENOSPC, 0), 10, 0, 0 },
		{ WORD(7, SYS_read, 0, bucket_of(500)), 3, 1500, 520 },
		{ WORD(7, SYS_write, 0, 0), 5, 0, 0 },
		{ WORD(7, SYS_read, 0, bucket_of(9000)), 1, 9000, 9000 },
		{ WORD(7, SYS_write, ENOSPC, 0), 30, 0, 0 },
		{ WORD(7, SYS_read | BPF_CALL_FOREIGN, 0, 0), 2, 0, 0 },
	};
	size_t n = call_counts_sort(counts, 7), at = 0;
	struct call_sum sum;

	ck_assert_uint_eq(n, 6);
	ck_assert_uint_eq(call_counts_find(counts, n, WORD(7, SYS_write, ENOSPC, 0))->count, 40);
	ck_assert_ptr_null(call_counts_find(counts, n, WORD(7, SYS_write, EIO, 0)));
	ck_assert(call_counts_next(counts, n, &at, &sum));
	ck_assert_uint_eq(sum.pid, 7);
	ck_assert_uint_eq(sum.number, SYS_read);
	ck_assert_uint_eq(sum.calls, 4);
	ck_assert_uint_eq(sum.timed, 4);
	ck_assert_uint_eq(sum.errors, 0);
	ck_assert_uint_eq(sum.sum_ns, 10500);
	ck_assert_uint_eq(sum.most_ns, 9000);
	ck_assert(call_counts_next(counts, n, &at, &sum));
	ck_assert_uint_eq(sum.number, SYS_write);
	ck_assert_uint_eq(sum.calls, 45);
	ck_assert_uint_eq(sum.errors, 40);
	ck_assert_uint_eq(sum.timed, 0);
	ck_assert(isnan(call_sum_percentile(&sum, 50)));
	ck_assert(call_counts_next(counts, n, &at, &sum));
	ck_assert_uint_eq(sum.number, SYS_read | BPF_CALL_FOREIGN);
	ck_assert(call_counts_next(counts, n, &at, &sum));
	ck_assert_uint_eq(sum.pid, 4194303);
	ck_assert(!call_counts_next(counts, n, &at, &sum));
	ck_assert_uint_eq(call_counts_sort(counts, 0), 0);
	ck_assert_ptr_null(call_counts_find(counts, 0, 1));
}

/* Of the same key the longest is that of any of them; so it is of all keys of a call. */
START_TEST(the_longest_is_that_of_all)
{
	const uint64_t word = WORD(7, SYS_read, 0, bucket_of(9000));
	struct call_count counts[] = {
		{ word, 1, 10, 7 },
		{ WORD(7, SYS_read, EIO, bucket_of(500)), 1, 5, 5 },
		{ word, 2, 20, 9 },
		{ word, 4, 30, 8 },
	};
	struct call_sum sum;
	size_t at = 0;

	ck_assert_uint_eq(call_counts_sort(counts, 4), 2);
	ck_assert_uint_eq(counts[0].count, 7);
	ck_assert_uint_eq(counts[0].sum_ns, 60);
	ck_assert_uint_eq(counts[0].most_ns, 9);
	ck_assert(call_counts_next(counts, 2, &at, &sum));
	ck_assert_uint_eq(sum.n, 2);
	ck_assert_uint_eq(sum.calls, 8);
	ck_assert_uint_eq(sum.errors, 1);
	ck_assert_uint_eq(sum.sum_ns, 65);
	ck_assert_uint_eq(sum.most_ns, 9);
	ck_assert_uint_eq(at, 2);
	ck_assert_uint_eq(call_counts_sort(counts, 1), 1);
}

/* Too long by at most 7 %, and never longer than the longest. */
START_TEST(percentiles_are_those_of_the_buckets)
{
	struct call_count counts[300];
	struct call_sum sum;
	size_t at = 0, n;

	for (uint64_t i = 0; i < 300; i++) { /* 100 µs, 200 µs … 30 ms, with two errors */
		uint64_t ns = 100000 * (i + 1);

		counts[i] = (struct call_count){ WORD(7, SYS_read, i % 3 ? EAGAIN : 0, bucket_of(ns)), 1, ns,
						 ns };
	}
	n = call_counts_sort(counts, 300);
	ck_assert(call_counts_next(counts, n, &at, &sum));
	ck_assert_uint_eq(sum.timed, 300);
	ck_assert_double_ge(call_sum_percentile(&sum, 50), 0.015);
	ck_assert_double_le(call_sum_percentile(&sum, 50), 0.015 * 1.07);
	ck_assert_double_ge(call_sum_percentile(&sum, 99), 0.0297);
	ck_assert_double_le(call_sum_percentile(&sum, 99), 0.03);
	ck_assert_double_eq(call_sum_percentile(&sum, 100), 0.03);
	counts[0] = (struct call_count){ WORD(7, SYS_read, 0, bucket_of(UINT64_MAX)), 1, 1,
					 100 * HISTOGRAM_LONGEST_NS };
	at = 0;
	ck_assert(call_counts_next(counts, 1, &at, &sum));
	ck_assert_double_gt(call_sum_percentile(&sum, 50), 60);
}

START_TEST(errors_are_named_the_most_first)
{
	const struct call_count counts[] = {
		{ WORD(7, SYS_openat, 0, 0), 1000, 0, 0 },     { WORD(7, SYS_openat, ENOENT, 0), 3, 0, 0 },
		{ WORD(7, SYS_openat, ENOENT, 5), 4, 10, 10 }, { WORD(7, SYS_openat, EAGAIN, 0), 12, 0, 0 },
		{ WORD(7, SYS_openat, 512, 0), 2, 0, 0 },      { WORD(7, SYS_openat, 4095, 0), 1, 0, 0 },
	};
	char text[100], short_text[12];
	struct call_sum sum;
	size_t at = 0;

	ck_assert(call_counts_next(counts, 6, &at, &sum));
	call_sum_errors(&sum, text, sizeof(text));
	ck_assert_str_eq(text, "EAGAIN 12, ENOENT 7, interrupted 2, 4095 1");
	call_sum_errors(&sum, short_text, sizeof(short_text));
	ck_assert_str_eq(short_text, "EAGAIN 12, ");
	ck_assert_uint_eq(sum.errors, 22);
}

/* The numbers of the kernel that make a call begin again. */
START_TEST(restarts_are_interrupted)
{
	const struct call_count counts[] = {
		{ WORD(7, SYS_read, 511, 0), 4, 0, 0 },
		{ WORD(7, SYS_read, 512, 0), 3, 0, 0 },
		{ WORD(7, SYS_read, 516, 0), 2, 0, 0 },
		{ WORD(7, SYS_read, 517, 0), 1, 0, 0 },
	};
	struct call_sum sum;
	char text[100];
	size_t at = 0;

	ck_assert(call_counts_next(counts, 4, &at, &sum));
	call_sum_errors(&sum, text, sizeof(text));
	ck_assert_str_eq(text, "511 4, interrupted 3, interrupted 2, 517 1");
}

START_TEST(errors_that_are_as_many_keep_their_order)
{
	struct call_count counts[7];
	struct call_sum sum;
	char text[100];
	size_t at = 0;

	for (unsigned i = 0; i < 7; i++)
		counts[i] = (struct call_count){ WORD(7, SYS_openat, i + 1, 0), 5, 0, 0 };
	ck_assert(call_counts_next(counts, 7, &at, &sum));
	call_sum_errors(&sum, text, sizeof(text));
	ck_assert_str_eq(text, "EPERM 5, ENOENT 5, ESRCH 5, EINTR 5, EIO 5, ENXIO 5");
	counts[6].count = 6;
	at = 0;
	ck_assert(call_counts_next(counts, 7, &at, &sum));
	call_sum_errors(&sum, text, sizeof(text));
	ck_assert_str_eq(text, "E2BIG 6, EPERM 5, ENOENT 5, ESRCH 5, EINTR 5, EIO 5");
}

START_TEST(of_many_errors_the_most_frequent_are_named)
{
	struct call_count counts[40];
	struct call_sum sum;
	char text[200];
	size_t at = 0;

	for (unsigned i = 0; i < 40; i++)
		counts[i] =
			(struct call_count){ WORD(7, SYS_openat, i + 1, 0), i == 20 ? 1000 : i + 1, 0, 0 };
	ck_assert(call_counts_next(counts, 40, &at, &sum));
	call_sum_errors(&sum, text, sizeof(text));
	ck_assert_str_eq(text, "EISDIR 1000, ELOOP 40, ENOTEMPTY 39, ENOSYS 38, ENOLCK 37, ENAMETOOLONG 36");
}

START_TEST(calls_have_names)
{
	char name[CALL_NAME_BYTES];

	call_name(SYS_openat, name);
	ck_assert_str_eq(name, "openat");
	call_name(5000, name);
	ck_assert_str_eq(name, "5000");
	call_name(5 | BPF_CALL_FOREIGN, name);
	ck_assert_ptr_nonnull(strstr(name, ":5"));
	call_name(BPF_CALL_NONE, name);
	ck_assert_str_eq(name, "(sigreturn)");
	call_name(BPF_CALL_NONE | BPF_CALL_FOREIGN, name);
	ck_assert_str_eq(name, "(sigreturn)");
	call_name(BPF_CALL_ODD, name);
	ck_assert_str_eq(name, "(invalid)");
	call_name(BPF_CALL_ODD | BPF_CALL_FOREIGN, name);
	ck_assert_str_eq(name, "(invalid)");
}

START_TEST(errors_have_one_name_each)
{
	char name[ERROR_NAME_BYTES];

	error_name(EAGAIN, name); /* EWOULDBLOCK is the same */
	ck_assert_str_eq(name, "EAGAIN");
	error_name(EDEADLK, name);
	ck_assert_str_eq(name, "EDEADLK");
	error_name(ENOTRECOVERABLE, name);
	ck_assert_str_eq(name, "ENOTRECOVERABLE");
	error_name(524, name);
	ck_assert_str_eq(name, "524");
}

START_TEST(an_opened_file_is_parsed)
{
	struct bpf_opened opened = { .result = -ENOENT, .copied_bytes = 9, .command = "0123456789abcdef" };
	struct opened_file file;

	memcpy(opened.path, "/a\0\033[31mx", 9);
	ck_assert(opened_file_parse(span_of((const char *)&opened, BPF_OPENED_HEAD + 9), &file));
	ck_assert_int_eq(file.result, -ENOENT);
	ck_assert(span_is(file.path, "/a")); /* up to the 0, whatever the head says */
	ck_assert(span_is(file.command, "0123456789abcdef"));
	ck_assert(!file.is_unread);
	ck_assert(!opened_file_parse(span_of((const char *)&opened, BPF_OPENED_HEAD + 8), &file));
	ck_assert(!opened_file_parse(span_of((const char *)&opened, BPF_OPENED_HEAD - 1), &file));
	ck_assert(!opened_file_parse(span_of(NULL, 0), &file));
	opened.copied_bytes = UINT32_MAX;
	ck_assert(!opened_file_parse(span_of((const char *)&opened, sizeof(opened)), &file));
	opened.copied_bytes = 0;
	ck_assert(opened_file_parse(span_of((const char *)&opened, BPF_OPENED_HEAD), &file));
	ck_assert(file.is_unread);
	opened.copied_bytes = BPF_TEXT_MAX;
	memset(opened.path, 'x', sizeof(opened.path)); /* without a 0 */
	ck_assert(opened_file_parse(span_of((const char *)&opened, sizeof(opened)), &file));
	ck_assert_uint_eq(span_length(file.path), BPF_TEXT_MAX);
}

struct opens_row {
	const char *path, *result, *command;
	double opens_per_second;
};

static const struct column opens_columns[] = {
	COLUMN(struct opens_row, path, .kind = COLUMN_KEY),
	COLUMN(struct opens_row, result, .kind = COLUMN_KEY),
	COLUMN(struct opens_row, command, .kind = COLUMN_LABEL),
	COLUMN(struct opens_row, opens_per_second, .kind = COLUMN_GAUGE),
};

START_TEST(the_directory_where_most_opens_fail)
{
	static const struct schema schema = { .name = "opens",
					      .row_size = sizeof(struct opens_row),
					      SCHEMA_COLUMNS(opens_columns) };
	struct opens_row rows[] = {
		{ "/etc/ssl/a.pem", "ENOENT", "postgres", 30 },
		{ "/etc/ssl/b.pem", "ENOENT", "cron", 20 },
		{ "/etc/ssl/b.pem", "EACCES", "cron", 45 },
		{ "/etc/passwd", "opened", "sshd", 500 },
		{ "/vmlinuz", "ENOENT", "grub", NAN },
		{ "relative", "ENOENT", "sh", 49 },
		{ "(others)", "", "", 900 },
	};
	struct table table = { .schema = &schema, .rows = (char *)rows, .n_rows = 7, .present = true };
	struct failing_directories directories = { 0 };
	const struct failing_directory *worst = failing_directory_find(&directories, &table);

	ck_assert(span_is(worst->directory, "/etc/ssl"));
	ck_assert_str_eq(worst->result, "ENOENT");
	ck_assert_str_eq(worst->command, "postgres");
	ck_assert_double_eq(worst->per_second, 50);
	rows[4].opens_per_second = 51;
	ck_assert(span_is(failing_directory_find(&directories, &table)->directory, "/"));
	rows[4].opens_per_second = 0;  /* cppcheck-suppress redundantAssignment ; read by way of the table */
	rows[5].opens_per_second = 52; /* cppcheck-suppress unreadVariable */
	ck_assert_uint_eq(span_length(failing_directory_find(&directories, &table)->directory), 0);
	table.n_rows = 0;
	ck_assert_ptr_null(failing_directory_find(&directories, &table));
	ck_assert_ptr_null(failing_directory_find(&directories, NULL));
	failing_directories_free(&directories);
}
