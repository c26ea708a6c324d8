/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of numbered files in a directory: their order, what goes, and whose files are read; and of what tells
 * that files have changed.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/empty.h"
#include "suite.h"
#include "sys/file_changes.h"
#include "sys/file_series.h"
#include "sys/oom_watch.h"

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
	ck_assert_int_eq(file_series_open(series, open_place(), ".recording", recording_is_empty, false), 0);
}

/* Of one byte. */
static int add_file_open(struct file_series *series)
{
	struct buffer first = { 0 };
	int fd;

	buffer_char(&first, 'x');
	fd = file_series_add(series, &first);
	buffer_free(&first);
	return fd;
}

static void add_file(struct file_series *series)
{
	int fd = add_file_open(series);

	ck_assert_int_ge(fd, 0);
	close(fd);
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

static mode_t mode_of_new(mode_t directory)
{
	struct file_series series;
	struct stat status;
	int fd;

	make_place(directory);
	open_series(&series);
	fd = add_file_open(&series);
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

START_TEST(only_the_owner_may_write_there)
{
	struct file_series series;

	make_place(0770);
	ck_assert_int_eq(file_series_open(&series, open_place(), ".recording", recording_is_empty, false),
			 -EPERM);
	make_place(0703);
	ck_assert_int_eq(file_series_open(&series, open_place(), ".recording", recording_is_empty, false),
			 -EPERM);
}

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
	if (is_root() && chown(link, 0, 0) == 0) {
		snprintf(link, sizeof(link), "%s/00000004.recording", place);
		ck_assert_int_eq(chown(link, 65534, 0), 0);
		check_read(&series, 3, -EPERM);
	}
	file_series_close(&series);
}

START_TEST(oldest_files_go_by_size)
{
	struct file_series series;

	make_place(0700);
	write_file("00000001.recording", 0600);
	write_file("00000002.recording", 0600);
	open_series(&series);
	add_file(&series);
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

START_TEST(oldest_files_go_by_age)
{
	struct file_series series;

	make_place(0700);
	write_file("00000001.recording", 0600);
	write_file("00000002.recording", 0600);
	open_series(&series);
	series.files[0].end_ns = 100;
	series.files[1].end_ns = 200;
	add_file(&series);
	file_series_keep(&series, 0, 100);
	ck_assert_uint_eq(series.n_files, 3);
	file_series_keep(&series, 0, 101);
	ck_assert(!exists("00000001.recording") && exists("00000002.recording"));
	file_series_close(&series);
}

START_TEST(there_are_not_too_many)
{
	struct file_series series;

	make_place(0700);
	open_series(&series);
	for (unsigned i = 0; i < FILE_SERIES_MAX + 5; i++) {
		add_file(&series);
		file_series_keep(&series, 0, 0);
	}
	ck_assert_uint_eq(series.n_files, FILE_SERIES_MAX);
	ck_assert(!exists("00000005.recording") && exists("00000006.recording"));
	file_series_close(&series);
}

/* What is over goes only when the newest file is on the disk; what others have removed makes nothing go. */
START_TEST(files_that_others_removed_do_not_count)
{
	struct file_series series;

	make_place(0700);
	open_series(&series);
	for (unsigned number = 1; number <= 4; number++) {
		add_file(&series);
		file_series_note(&series, 10, 100);
	}
	ck_assert_int_eq(unlink(textf("%s/00000002.recording", place)), 0);
	ck_assert_int_eq(file_series_keep(&series, 30, 0), 0);
	ck_assert(series.n_files == 3 && exists("00000001.recording"));
	ck_assert_int_eq(unlink(textf("%s/00000004.recording", place)), 0);
	ck_assert_int_eq(file_series_keep(&series, 20, 0), -ENOENT); /* it was not written */
	ck_assert(exists("00000001.recording") && exists("00000003.recording"));
	file_series_close(&series);
}

static const char magic[] = "\x89ptop\r\n\x1a";

static void write_bytes(const char *name, const char *bytes, size_t length)
{
	int directory = open_place(), fd = openat(directory, name, O_WRONLY | O_CREAT, 0600);

	ck_assert_int_eq(write(fd, bytes, length), (ssize_t)length);
	close(fd);
	close(directory);
}

/* They are no files of the series, and the writer removes them; what may be of somebody else stays. */
START_TEST(what_is_empty_does_not_count)
{
	struct file_series series;

	make_place(0700);
	for (unsigned number = 2; number <= FILE_SERIES_MAX + 2; number++)
		write_bytes(textf("%08u.recording", number), magic, number % 2 ? 0 : 8);
	write_file("00000001.recording", 0600);
	write_file("00000900.recording", 0600);
	write_file(".00000901.recording.4711", 0600);
	write_file(".00000902.recording.4711x", 0600);
	write_file(".hidden", 0600);
	open_series(&series);
	ck_assert(series.n_files == 2 && series.files[1].number == 900);
	ck_assert(exists("00000002.recording") && exists(".00000901.recording.4711"));
	ck_assert_int_eq(file_series_lock(&series), 0);
	ck_assert(series.n_files == 2 && series.files[0].number == 1);
	ck_assert(exists("00000001.recording") && exists("00000900.recording"));
	ck_assert(!exists("00000002.recording") && !exists("00000003.recording"));
	ck_assert(!exists(".00000901.recording.4711") && exists(".00000902.recording.4711x") &&
		  exists(".hidden"));
	add_file(&series);
	ck_assert(exists("00000901.recording") && !exists(".00000901.recording.4711"));
	file_series_close(&series);
}

/* What a clock that was wrong then, or is now, says of files is not used: they seem younger, never older. */
START_TEST(files_have_possible_times)
{
	static const struct {
		uint64_t now_ns, times[4], judged[4];
	} cases[] = {
		{ 500, { 100, 200, 300, 400 }, { 100, 200, 300, 400 } },
		{ 500, { 100, 5, 300, 400 }, { 100, 300, 300, 400 } },
		{ 500, { 100, 200, 300, 7 }, { 100, 200, 300, 500 } },
		{ 500, { 100, 900, 900, 400 }, { 100, 400, 400, 400 } },
		{ 50, { 100, 200, 300, 400 }, { 50, 50, 50, 50 } },
		{ 500, { 0, 0, 0, 0 }, { 500, 500, 500, 500 } },
	};
	struct series_file files[4];
	struct file_series series = { .files = files, .n_files = 4 };

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		for (unsigned i = 0; i < 4; i++)
			files[i].end_ns = cases[c].times[i];
		file_series_judge(&series, cases[c].now_ns);
		for (unsigned i = 0; i < 4; i++)
			ck_assert_uint_eq(files[i].end_ns, cases[c].judged[i]);
	}
}

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

START_TEST(a_new_file_is_written_and_never_an_old_one)
{
	struct file_series series;
	char path[SCRATCH_PATH_MAX + 32];
	int fd;

	make_place(0700);
	open_series(&series);
	fd = add_file_open(&series);
	ck_assert_int_eq(write(fd, "abc", 3), 3);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert(series.n_files == 1 && series.files[0].number == 1);
	close(fd);
	file_series_note(&series, 4, 7);
	ck_assert(series.files[0].bytes == 4 && series.files[0].end_ns == 7);
	fd = file_series_read(&series, 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(read(fd, path, sizeof(path)), 4);
	close(fd);
	write_file("00000002.recording", 0600); /* of somebody else, meanwhile */
	snprintf(path, sizeof(path), "%s/00000003.recording", place);
	ck_assert_int_eq(symlink("elsewhere", path), 0);
	add_file(&series);
	ck_assert(series.n_files == 2 && series.files[1].number == 4);
	ck_assert(exists("00000004.recording") && exists("00000003.recording") && !exists("elsewhere"));
	file_series_close(&series);
}

START_TEST(numbers_have_32_bits_and_no_more_digits_than_they_need)
{
	struct file_series series;

	make_place(0700);
	write_file("4294967295.recording", 0600);
	write_file("4294967296.recording", 0600);
	write_file("000000001.recording", 0600);
	write_file("00000001.recording", 0600);
	open_series(&series);
	ck_assert_uint_eq(series.n_files, 2);
	ck_assert_uint_eq(series.files[0].number, 1);
	ck_assert_uint_eq(series.files[1].number, UINT32_MAX);
	file_series_close(&series);
	ck_assert_int_eq(series.directory, -1);
}

START_TEST(only_regular_files_are_listed)
{
	struct file_series series;
	char path[SCRATCH_PATH_MAX + 32];

	make_place(0700);
	write_file("target", 0600);
	for (int number = 1; number <= 3; number++) {
		snprintf(path, sizeof(path), "%s/%08d.recording", place, number);
		ck_assert_int_eq(number == 1   ? symlink("target", path)
				 : number == 2 ? mkdir(path, 0700)
					       : mkfifo(path, 0600),
				 0);
	}
	open_series(&series);
	ck_assert_uint_eq(series.n_files, 0);
	file_series_close(&series);
}

/* The descriptor is closed all the same. */
START_TEST(what_is_no_directory_is_refused)
{
	struct file_series series;
	int directory, fd;

	make_place(0700);
	write_file("file", 0600);
	ck_assert_int_eq(file_series_open(&series, -1, ".recording", recording_is_empty, false), -EBADF);
	directory = open_place();
	fd = openat(directory, "file", O_RDONLY);
	ck_assert_int_ge(fd, 0);
	close(directory);
	ck_assert_int_eq(file_series_open(&series, fd, ".recording", recording_is_empty, false), -ENOTDIR);
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
	make_place(0770);
	fd = open_place();
	ck_assert_int_eq(file_series_open(&series, fd, ".recording", recording_is_empty, false), -EPERM);
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
}

START_TEST(one_process_writes_at_a_time)
{
	struct file_series first, second;

	make_place(0700);
	open_series(&first);
	open_series(&second);
	ck_assert_int_eq(file_series_lock(&first), 0);
	ck_assert_int_eq(file_series_lock(&second), -EWOULDBLOCK);
	file_series_close(&first);
	ck_assert_int_eq(file_series_lock(&second), 0);
	file_series_close(&second);
}

/* Who owns the directory may have written it, and root. */
START_TEST(files_of_the_owner_of_the_directory_are_read)
{
	static const struct {
		uid_t directory, file;
		int error;
	} cases[] = {
		{ 65534, 65534, 0 },
		{ 65534, 0, 0 },
		{ 65534, 65533, -EPERM },
		{ 0, 65534, -EPERM },
	};
	struct file_series series;
	char path[SCRATCH_PATH_MAX + 32];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_place(0700);
		write_file("00000001.recording", 0600);
		open_series(&series);
		snprintf(path, sizeof(path), "%s/00000001.recording", place);
		if (chown(path, cases[i].file, (gid_t)-1) < 0 ||
		    chown(place, cases[i].directory, (gid_t)-1) < 0)
			skip_test("files cannot be given to others");
		check_read(&series, 0, cases[i].error);
		file_series_close(&series);
	}
}

/* Of the oldest ones only as many go as must, and what went does not count any more. */
START_TEST(files_go_one_by_one)
{
	struct file_series series;

	make_place(0700);
	open_series(&series);
	for (uint64_t number = 1; number <= 5; number++) {
		add_file(&series);
		file_series_note(&series, 10 * number, 100 * number);
	}
	file_series_keep(&series, 0, 0);
	file_series_keep(&series, 150, 0);
	ck_assert_uint_eq(series.n_files, 5);
	file_series_keep(&series, 120, 200); /* 10 and 20 go */
	ck_assert(series.n_files == 3 && series.files[0].number == 3 && series.files[2].number == 5);
	ck_assert(!exists("00000002.recording") && exists("00000003.recording"));
	file_series_keep(&series, 120, 400);
	ck_assert(series.n_files == 2 && series.files[0].number == 4);
	file_series_keep(&series, 90, 0);
	ck_assert_uint_eq(series.n_files, 2);
	file_series_keep(&series, 89, 0);
	ck_assert(series.n_files == 1 && series.files[0].bytes == 50);
	file_series_keep(&series, 1, UINT64_MAX);
	ck_assert(series.n_files == 1 && exists("00000005.recording"));
	ck_assert_int_ge(add_file_open(&series), 0);
	ck_assert_uint_eq(series.files[1].number, 6);
	file_series_close(&series);
}

static bool seen[10];

static void see(void *context, size_t file)
{
	ck_assert_ptr_eq(context, seen);
	ck_assert_uint_lt(file, sizeof(seen));
	seen[file] = true;
}

/* The numbers of what changed since the last look, in order, each once. */
static const char *changed(struct file_changes *changes)
{
	static char text[sizeof(seen) + 1];
	char *to = text;

	memset(seen, 0, sizeof(seen));
	file_changes_read(changes, see, seen);
	for (size_t i = 0; i < sizeof(seen); i++)
		if (seen[i])
			*to++ = (char)('0' + i);
	*to = '\0';
	return text;
}

static void path_of(char path[SCRATCH_PATH_MAX + 32], const char *name)
{
	snprintf(path, SCRATCH_PATH_MAX + 32, "%s/%s", place, name);
}

static int add_watched(struct file_changes *changes, const char *name)
{
	char path[SCRATCH_PATH_MAX + 32];

	path_of(path, name);
	return file_changes_add(changes, path);
}

static void change_name(const char *from, const char *to)
{
	char path[SCRATCH_PATH_MAX + 32], target[SCRATCH_PATH_MAX + 32];

	path_of(path, from);
	if (!to) {
		ck_assert_int_eq(remove(path), 0);
		return;
	}
	path_of(target, to);
	ck_assert_int_eq(rename(path, target), 0);
}

static struct file_changes *open_changes(void)
{
	struct file_changes *changes = file_changes_open();

	if (!changes)
		skip_test("there are no more inotify instances");
	return changes;
}

/* Two files of one directory, one of which is not there yet, and what lies beside them. */
START_TEST(files_change_when_they_are_written_made_replaced_or_removed)
{
	struct file_changes *changes = open_changes();
	struct pollfd ready = { .fd = file_changes_fd(changes), .events = POLLIN };
	char path[SCRATCH_PATH_MAX + 32];
	int fd;

	make_place(0700);
	write_file("one", 0600);
	write_file("beside", 0600);
	ck_assert_int_eq(add_watched(changes, "one"), 0);
	ck_assert_int_eq(add_watched(changes, "two"), 0);
	ck_assert_str_eq(changed(changes), "");
	ck_assert_int_eq(poll(&ready, 1, 0), 0);
	write_file("beside", 0600);
	ck_assert_int_eq(poll(&ready, 1, 0), 0); /* it wakes nobody */
	write_file("one", 0600);
	ck_assert_int_eq(poll(&ready, 1, 0), 1);
	ck_assert_str_eq(changed(changes), "0");
	ck_assert_str_eq(changed(changes), "");
	path_of(path, "one");
	fd = open(path, O_RDONLY);
	close(fd);
	ck_assert_str_eq(changed(changes), "");
	fd = open(path, O_WRONLY);
	ck_assert_str_eq(changed(changes), "");
	close(fd);
	ck_assert_str_eq(changed(changes), "0");
	write_file("two", 0600);
	ck_assert_str_eq(changed(changes), "1");
	write_file("two", 0600); /* it is watched from now on */
	ck_assert_str_eq(changed(changes), "1");
	change_name("two", "one");
	ck_assert_str_eq(changed(changes), "01");
	write_file("one", 0600); /* another file with that name */
	ck_assert_ptr_nonnull(strchr(changed(changes), '0'));
	change_name("one", NULL);
	ck_assert_str_eq(changed(changes), "0");
	change_name("beside", "three");
	ck_assert_str_eq(changed(changes), "");
	change_name("three", "two");
	ck_assert_str_eq(changed(changes), "1");
	ck_assert_uint_eq(file_changes_lost(changes), 0);
	file_changes_close(changes);
	file_changes_close(NULL);
}

START_TEST(a_directory_changes_with_what_is_in_it)
{
	struct file_changes *changes = open_changes();
	char path[SCRATCH_PATH_MAX + 32];

	make_place(0700);
	path_of(path, "d");
	ck_assert_int_eq(mkdir(path, 0700), 0);
	path_of(path, "d/below");
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(add_watched(changes, "d"), 0);
	ck_assert_int_eq(add_watched(changes, "d/file"), 0);
	write_file("d/other", 0600);
	ck_assert_str_eq(changed(changes), "0");
	write_file("d/other", 0600);
	ck_assert_str_eq(changed(changes), "0");
	write_file("d/file", 0600);
	ck_assert_str_eq(changed(changes), "01");
	write_file("d/below/file", 0600);
	ck_assert_str_eq(changed(changes), "");
	change_name("d/other", NULL);
	ck_assert_str_eq(changed(changes), "0");
	write_file("beside", 0600);
	ck_assert_str_eq(changed(changes), "");
	ck_assert_uint_eq(file_changes_lost(changes), 0);
	change_name("d", "e"); /* what happens at its place is not seen any more */
	ck_assert_str_eq(changed(changes), "01");
	ck_assert_uint_eq(file_changes_lost(changes), 2);
	file_changes_close(changes);
}

/* More than the kernel keeps; what it dropped counts once. */
START_TEST(lost_changes_are_counted)
{
	FILE *limit = fopen("/proc/sys/fs/inotify/max_queued_events", "r");
	struct file_changes *changes = open_changes();
	char path[SCRATCH_PATH_MAX + 32];
	unsigned most = 0;

	if (!limit || fscanf(limit, "%u", &most) != 1 || most > 20000)
		skip_test("it is not known how many events the kernel keeps, or they are very many");
	fclose(limit);
	scratch_directory_in_memory(place, "series");
	ck_assert_int_eq(add_watched(changes, "file"), 0);
	path_of(path, "other");
	for (unsigned n = 0; n <= most / 2; n++) /* a new name and its end are two events */
		ck_assert(symlink("x", path) == 0 && unlink(path) == 0);
	ck_assert_str_eq(changed(changes), "");
	ck_assert_uint_eq(file_changes_lost(changes), 1);
	write_file("file", 0600);
	ck_assert_str_eq(changed(changes), "0");
	ck_assert_uint_eq(file_changes_lost(changes), 1);
	file_changes_close(changes);
}

START_TEST(what_cannot_be_watched_is_refused)
{
	struct file_changes *changes = open_changes();
	char *longest = calloc(1, PATH_MAX + 1);

	make_place(0700);
	write_file("file", 0600);
	ck_assert_int_eq(file_changes_add(changes, "relative"), -EINVAL);
	ck_assert_int_eq(file_changes_add(changes, ""), -EINVAL);
	ck_assert_int_eq(add_watched(changes, "none/file"), -ENOENT);
	ck_assert_int_eq(add_watched(changes, "file/below"), -ENOTDIR);
	memset(longest, '/', PATH_MAX);
	ck_assert_int_eq(file_changes_add(changes, longest), -EINVAL);
	longest[PATH_MAX - 1] = '\0';
	ck_assert_int_eq(file_changes_add(changes, longest), 0); /* the root */
	ck_assert_int_eq(add_watched(changes, "file"), 0);
	write_file("file", 0600); /* it has the next number: what was refused has none */
	ck_assert_ptr_nonnull(strchr(changed(changes), '1'));
	free(longest);
	file_changes_close(changes);
}

/* Files as those of a control group; what an eventfd counts is gone when it was read. */
START_TEST(groups_tell_that_they_ran_out_of_memory)
{
	uint32_t events = 0;
	uint64_t count = 3;
	char path[SCRATCH_PATH_MAX + 32], bytes[64] = "";
	struct pollfd ready = { .events = POLLIN };
	unsigned event_fd = 0, file = 0;
	FILE *control;
	int fd;

	make_place(0700);
	ck_assert_int_eq(oom_watch_open(place, 2, &events), -ENOENT);
	ck_assert_int_eq(oom_watch_open(place, 1, &events), -ENOENT);
	write_file("memory.events", 0600);
	fd = oom_watch_open(place, 2, &events);
	ck_assert(fd >= 0 && events == EPOLLPRI);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	oom_watch_reset(fd);
	close(fd);
	write_file("memory.oom_control", 0600);
	ck_assert_int_eq(oom_watch_open(place, 1, &events), -ENOENT);
	write_file("cgroup.event_control", 0600);
	path_of(path, "cgroup.event_control");
	ck_assert_int_eq(truncate(path, 0), 0);
	fd = oom_watch_open(place, 1, &events);
	ck_assert(fd >= 0 && events == EPOLLIN);
	control = fopen(path, "r");
	ck_assert_ptr_nonnull(fgets(bytes, sizeof(bytes), control));
	fclose(control);
	ck_assert_int_eq(sscanf(bytes, "%u %u", &event_fd, &file), 2);
	ck_assert(event_fd == (unsigned)fd && file != event_fd);
	ready.fd = fd;
	ck_assert_int_eq(poll(&ready, 1, 0), 0);
	ck_assert_int_eq(write(fd, &count, sizeof(count)), sizeof(count));
	ck_assert_int_eq(poll(&ready, 1, 0), 1);
	oom_watch_reset(fd);
	ck_assert_int_eq(poll(&ready, 1, 0), 0);
	close(fd);
}
