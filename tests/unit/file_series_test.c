/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of numbered files in a directory: their order, what goes, and whose files are read. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suite.h"
#include "sys/file_series.h"

static char place[SCRATCH_PATH_MAX];

static int open_place(void)
{
	return open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void make_place(mode_t mode)
{
	umask(022);
	scratch_template(place, "series");
	ck_assert_ptr_nonnull(mkdtemp(place));
	ck_assert_int_eq(chmod(place, mode), 0);
}

static void write_file(const char *name, mode_t mode)
{
	int directory = open_place(), fd = openat(directory, name, O_WRONLY | O_CREAT, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "0123456789", 10), 10);
	ck_assert_int_eq(fchmod(fd, mode), 0);
	close(fd);
	close(directory);
}

static bool exists(const char *name)
{
	int directory = open_place();
	bool is_there = faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;

	close(directory);
	return is_there;
}

static void open_series(struct file_series *series)
{
	ck_assert_int_eq(file_series_open(series, open_place(), ".recording"), 0);
}

static void check_read(const struct file_series *series, size_t index, int expected)
{
	int fd = file_series_read(series, index);

	ck_assert_int_eq(fd < 0 ? fd : 0, expected);
	if (fd >= 0)
		close(fd);
}

/* By number, not by name or time; what has another name is not looked at. */
START_TEST(numbers_are_the_order)
{
	static const char *const others[] = { "3.recording",  "00000004.jsonl", "00000000.recording",
					      "x.recording", ".recording",     "00000005.recording.gz" };
	struct file_series series;

	make_place(0700);
	write_file("123456789.recording", 0600);
	write_file("00000002.recording", 0600);
	write_file("00000010.recording", 0600);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		write_file(others[i], 0600);
	open_series(&series);
	ck_assert_uint_eq(series.n_files, 3);
	ck_assert_uint_eq(series.files[0].number, 2);
	ck_assert_uint_eq(series.files[1].number, 10);
	ck_assert_uint_eq(series.files[2].number, 123456789);
	ck_assert_uint_eq(series.files[0].bytes, 10);
	file_series_close(&series);
}
END_TEST

static mode_t mode_of_new(mode_t directory)
{
	struct file_series series;
	struct stat status;
	int fd;

	make_place(directory);
	open_series(&series);
	fd = file_series_add(&series);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &status), 0);
	ck_assert(exists("00000001.recording"));
	close(fd);
	file_series_close(&series);
	return status.st_mode & 0777;
}

START_TEST(the_group_reads_what_the_directory_lets_it)
{
	ck_assert_uint_eq(mode_of_new(0700), 0600);
	ck_assert_uint_eq(mode_of_new(0750), 0640);
	ck_assert_uint_eq(mode_of_new(0755), 0640);
}
END_TEST

START_TEST(only_the_owner_may_write_there)
{
	struct file_series series;

	make_place(0770);
	ck_assert_int_eq(file_series_open(&series, open_place(), ".recording"), -EPERM);
	make_place(0703);
	ck_assert_int_eq(file_series_open(&series, open_place(), ".recording"), -EPERM);
}
END_TEST

/* A link, a pipe, what others may write; the last one is read. */
START_TEST(files_of_others_are_not_read)
{
	struct file_series series;
	char link[SCRATCH_PATH_MAX + 32];

	make_place(0750);
	write_file("00000001.recording", 0660);
	write_file("00000002.recording", 0602);
	write_file("00000003.recording", 0640);
	write_file("00000004.recording", 0640);
	open_series(&series);
	snprintf(link, sizeof(link), "%s/00000003.recording", place);
	ck_assert_int_eq(unlink(link), 0);
	ck_assert_int_eq(symlink("00000004.recording", link), 0);
	check_read(&series, 0, -EPERM);
	check_read(&series, 1, -EPERM);
	check_read(&series, 2, -ELOOP);
	check_read(&series, 3, 0);
	ck_assert_int_eq(unlink(link), 0);
	ck_assert_int_eq(mkfifo(link, 0640), 0);
	check_read(&series, 2, -EPERM);
	if (geteuid() == 0 && chown(link, 0, 0) == 0) {
		snprintf(link, sizeof(link), "%s/00000004.recording", place);
		ck_assert_int_eq(chown(link, 65534, 0), 0);
		check_read(&series, 3, -EPERM);
	}
	file_series_close(&series);
}
END_TEST

START_TEST(oldest_files_go_by_size)
{
	struct file_series series;

	make_place(0700);
	write_file("00000001.recording", 0600);
	write_file("00000002.recording", 0600);
	open_series(&series);
	close(file_series_add(&series));
	file_series_note(&series, 10, 1);
	file_series_keep(&series, 30, 0);
	ck_assert_uint_eq(series.n_files, 3);
	file_series_note(&series, 11, 1);
	file_series_keep(&series, 30, 0);
	ck_assert_uint_eq(series.n_files, 2);
	ck_assert(!exists("00000001.recording") && exists("00000002.recording"));
	file_series_note(&series, 1000, 1);
	file_series_keep(&series, 30, 0);
	ck_assert_uint_eq(series.n_files, 1);
	ck_assert(exists("00000003.recording")); /* the newest one stays */
	file_series_close(&series);
}
END_TEST

START_TEST(files_have_the_time_of_their_last_write)
{
	const struct timespec times[2] = { { .tv_sec = 7 }, { .tv_sec = 1000, .tv_nsec = 5 } };
	struct file_series series;
	int directory;

	make_place(0700);
	write_file("00000001.recording", 0600);
	directory = open_place();
	ck_assert_int_eq(utimensat(directory, "00000001.recording", times, 0), 0);
	close(directory);
	open_series(&series);
	ck_assert_uint_eq(series.files[0].end_ns, UINT64_C(1000000000005));
	ck_assert_uint_eq(series.files[0].bytes, 10);
	file_series_close(&series);
}
END_TEST

START_TEST(oldest_files_go_by_age)
{
	struct file_series series;

	make_place(0700);
	write_file("00000001.recording", 0600);
	write_file("00000002.recording", 0600);
	open_series(&series);
	series.files[0].end_ns = 100;
	series.files[1].end_ns = 200;
	close(file_series_add(&series));
	file_series_keep(&series, 0, 100);
	ck_assert_uint_eq(series.n_files, 3);
	file_series_keep(&series, 0, 101);
	ck_assert(!exists("00000001.recording") && exists("00000002.recording"));
	file_series_close(&series);
}
END_TEST

START_TEST(there_are_not_too_many)
{
	struct file_series series;

	make_place(0700);
	open_series(&series);
	for (unsigned i = 0; i < FILE_SERIES_MAX + 5; i++) {
		close(file_series_add(&series));
		file_series_keep(&series, 0, 0);
	}
	ck_assert_uint_eq(series.n_files, FILE_SERIES_MAX);
	ck_assert(!exists("00000005.recording") && exists("00000006.recording"));
	file_series_close(&series);
}
END_TEST

START_TEST(one_process_writes)
{
	struct file_series series, other;

	make_place(0700);
	open_series(&series);
	open_series(&other);
	ck_assert_int_eq(file_series_lock(&series), 0);
	ck_assert_int_eq(file_series_lock(&other), -EWOULDBLOCK);
	file_series_close(&series);
	ck_assert_int_eq(file_series_lock(&other), 0);
	file_series_close(&other);
}
END_TEST
