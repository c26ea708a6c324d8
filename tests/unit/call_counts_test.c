/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of sums of system calls, of what is sent of an opened file, and of the directory where most opens
 * fail. */
#include "suite.h"

#include <sys/syscall.h>

#include "core/error_name.h"
#include "core/histogram.h"
#include "pane/calls/calls.h"
#include "topic/call/call_counts.h"

#define WORD(pid, number, error, bucket)                                                                     \
	((uint64_t)(pid) << BPF_CALL_PROCESS_SHIFT | (uint64_t)(number) << BPF_CALL_NUMBER_SHIFT |           \
	 (uint64_t)(error) << BPF_CALL_ERROR_SHIFT | (bucket))

/* The bucket of a time, as programs count it. */
static uint64_t bucket_of(uint64_t ns)
{
	return (histogram_index(0, ns) >> BPF_CALL_BUCKET_SHIFT) + 1;
}

/* The sums one after the other: "PID NUMBER: CALLS calls, ERRORS errors, TIMED timed, SUM, MOST". */
static void check_sums(const struct call_count *counts, size_t n, const char *expected)
{
	const char *text = "";
	struct call_sum sum;
	size_t at = 0;

	while (call_counts_next(counts, n, &at, &sum))
		text = textf("%s%u %u: %lu calls, %lu errors, %lu timed, %lu, %lu\n", text, sum.pid,
			     sum.number, (unsigned long)sum.calls, (unsigned long)sum.errors,
			     (unsigned long)sum.timed, (unsigned long)sum.sum_ns, (unsigned long)sum.most_ns);
	ck_assert_uint_eq(at, n);
	ck_assert_str_eq(text, expected);
}

/* Of the same key the longest is that of any of them; so it is of all keys of a call. */
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
		{ WORD(7, SYS_read, 0, bucket_of(9000)), 4, 30, 8 },
	};
	size_t n = call_counts_sort(counts, 8);

	ck_assert_uint_eq(n, 6);
	ck_assert_uint_eq(call_counts_find(counts, n, WORD(7, SYS_write, ENOSPC, 0))->count, 40);
	ck_assert_ptr_null(call_counts_find(counts, n, WORD(7, SYS_write, EIO, 0)));
	check_sums(counts, n, textf("7 %d: 8 calls, 0 errors, 8 timed, 10530, 9000\n"
				    "7 %d: 45 calls, 40 errors, 0 timed, 0, 0\n"
				    "7 %u: 2 calls, 0 errors, 0 timed, 0, 0\n"
				    "4194303 %d: 1 calls, 0 errors, 0 timed, 0, 0\n",
				    SYS_read, SYS_write, SYS_read | BPF_CALL_FOREIGN, SYS_read));
	ck_assert_uint_eq(call_counts_sort(counts, 0), 0);
	ck_assert_ptr_null(call_counts_find(counts, 0, 1));
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
	ck_assert_double_ge(call_sum_percentile(&sum, 50), 0.015);
	ck_assert_double_le(call_sum_percentile(&sum, 50), 0.015 * 1.07);
	ck_assert_double_ge(call_sum_percentile(&sum, 99), 0.0297);
	ck_assert_double_le(call_sum_percentile(&sum, 99), 0.03);
	ck_assert_double_eq(call_sum_percentile(&sum, 100), 0.03);
	counts[0] = (struct call_count){ WORD(7, SYS_read, 0, 0), 1, 0, 0 };
	at = 0;
	ck_assert(call_counts_next(counts, 1, &at, &sum));
	ck_assert(isnan(call_sum_percentile(&sum, 50)));
}

/* As many as there is room for, the most first; of as many, in their order. */
START_TEST(errors_are_named_the_most_first)
{
	static const struct {
		struct {
			unsigned error, count;
		} counts[8];
		size_t room;
		const char *text;
	} cases[] = {
		{ { { 0, 1000 }, { ENOENT, 7 }, { EAGAIN, 12 }, { 512, 2 }, { 4095, 1 } }, 100,
		  "EAGAIN 12, ENOENT 7, interrupted 2, 4095 1" },
		{ { { 0, 1000 }, { ENOENT, 7 }, { EAGAIN, 12 } }, 12, "EAGAIN 12, " },
		{ { { 511, 4 }, { 512, 3 }, { 516, 2 }, { 517, 1 } }, 100,
		  "511 4, interrupted 3, interrupted 2, 517 1" }, /* that make a call begin again */
		{ { { 1, 5 }, { 2, 5 }, { 3, 5 }, { 4, 5 }, { 5, 5 }, { 6, 5 }, { 7, 6 } }, 100,
		  "E2BIG 6, EPERM 5, ENOENT 5, ESRCH 5, EINTR 5, EIO 5" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct call_count counts[8];
		struct call_sum sum;
		char text[100];
		size_t at = 0, n = 0;

		for (; n < 8 && cases[i].counts[n].count; n++)
			counts[n] = (struct call_count){ WORD(7, SYS_openat, cases[i].counts[n].error, 0),
							 cases[i].counts[n].count, 0, 0 };
		ck_assert(call_counts_next(counts, n, &at, &sum));
		call_sum_errors(&sum, text, cases[i].room);
		ck_assert_str_eq(text, cases[i].text);
	}
}

START_TEST(calls_and_errors_have_names)
{
	static const struct {
		unsigned number;
		const char *name;
	} calls[] = {
		{ SYS_openat, "openat" },         { 5000, "5000" },
		{ BPF_CALL_NONE, "(sigreturn)" }, { BPF_CALL_NONE | BPF_CALL_FOREIGN, "(sigreturn)" },
		{ BPF_CALL_ODD, "(invalid)" },    { BPF_CALL_ODD | BPF_CALL_FOREIGN, "(invalid)" },
	}, errors[] = {
		{ EAGAIN, "EAGAIN" }, /* EWOULDBLOCK is the same */
		{ EDEADLK, "EDEADLK" },
		{ ENOTRECOVERABLE, "ENOTRECOVERABLE" },
		{ 524, "524" },
	};
	char name[CALL_NAME_BYTES > ERROR_NAME_BYTES ? CALL_NAME_BYTES : ERROR_NAME_BYTES];

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		call_name(calls[i].number, name);
		ck_assert_str_eq(name, calls[i].name);
	}
	call_name(5 | BPF_CALL_FOREIGN, name);
	ck_assert_ptr_nonnull(strstr(name, ":5"));
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		error_name((int)errors[i].number, name);
		ck_assert_str_eq(name, errors[i].name);
	}
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
		{ "/etc/ssl/a.pem", "ENOENT", "postgres", 30 }, { "/etc/ssl/b.pem", "ENOENT", "cron", 20 },
		{ "/etc/ssl/b.pem", "EACCES", "cron", 45 },     { "/etc/passwd", "opened", "sshd", 500 },
		{ "/vmlinuz", "ENOENT", "grub", NAN },          { "relative", "ENOENT", "sh", 49 },
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
