/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of numbered files in a directory: their order, what goes, and whose files are read; and of what tells
 * that files have changed.
 */
#include "suite.h"

#include <dirent.h>
#include <limits.h>
#include <poll.h>
#include <sys/epoll.h>

#include "recording/block.h"
#include "sys/file_changes.h"
#include "sys/user_file.h"

static char place[SCRATCH_PATH_MAX];
static struct file_series series;

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

static const char *in_place(const char *name)
{
	return textf("%s/%s", place, name);
}

static void write_bytes(const char *name, mode_t mode, const char *bytes, size_t length)
{
	int fd = open(in_place(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, length), (ssize_t)length);
	ck_assert_int_eq(fchmod(fd, mode), 0);
	close(fd);
}

static void write_file(const char *name, mode_t mode)
{
	write_bytes(name, mode, "0123456789", 10);
}

static bool exists(const char *name)
{
	return faccessat(AT_FDCWD, in_place(name), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int try_open(struct file_series *opened, int directory)
{
	return file_series_open(opened, directory, ".recording", recording_is_empty, false);
}

static void open_series(void)
{
	ck_assert_int_eq(try_open(&series, open_place()), 0);
}

/* Of one byte. */
static int add_file_open(void)
{
	struct buffer first = { 0 };
	int fd;

	buffer_char(&first, 'x');
	fd = file_series_add(&series, &first);
	ck_assert_int_ge(fd, 0);
	buffer_free(&first);
	return fd;
}

static void add_file(void)
{
	close(add_file_open());
}

/* Of the series, all of which are there. */
static const char *numbers(void)
{
	const char *text = "";

	for (size_t i = 0; i < series.n_files; i++) {
		ck_assert(exists(textf("%08u.recording", series.files[i].number)));
		text = textf("%s%s%u", text, i > 0 ? " " : "", series.files[i].number);
	}
	return text;
}

/* Files of the directory that have such a name. */
static unsigned n_recordings(void)
{
	DIR *directory = opendir(place);
	const struct dirent *entry;
	unsigned n = 0;

	while ((entry = readdir(directory)))
		n += entry->d_name[0] != '.' && strstr(entry->d_name, ".recording") != NULL;
	closedir(directory);
	return n;
}

static void check_read(size_t index, int expected)
{
	int fd = file_series_read(&series, index);

	ck_assert_int_eq(fd < 0 ? fd : 0, expected);
	if (fd >= 0)
		close(fd);
}

/*
 * By number, not by name or time; they have 32 bits and no more digits than they need. What has another name,
 * or is no regular file, is not looked at.
 */
START_TEST(numbers_are_the_order)
{
	static const char *const names[] = {
		"123456789.recording", "4294967295.recording", "00000002.recording",   "00000010.recording",
		"3.recording",         "00000004.jsonl",       "00000000.recording",   "x.recording",
		".recording",          "00000005.recording.gz", "4294967296.recording", "000000001.recording",
	};

	make_place(0700);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		write_file(names[i], 0600);
	ck_assert_int_eq(symlink("00000002.recording", in_place("00000006.recording")), 0);
	ck_assert_int_eq(mkdir(in_place("00000007.recording"), 0700), 0);
	ck_assert_int_eq(mkfifo(in_place("00000008.recording"), 0600), 0);
	open_series();
	ck_assert_str_eq(numbers(), "2 10 123456789 4294967295");
	ck_assert_uint_eq(series.files[0].bytes, 10);
	file_series_close(&series);
	ck_assert_int_eq(series.directory, -1);
}

START_TEST(the_group_reads_what_the_directory_lets_it)
{
	static const mode_t modes[][2] = { { 0700, 0600 }, { 0750, 0640 }, { 0755, 0640 } };

	for (unsigned i = 0; i < 3; i++) {
		struct stat status;

		make_place(modes[i][0]);
		open_series();
		add_file();
		ck_assert_int_eq(stat(in_place("00000001.recording"), &status), 0);
		ck_assert_uint_eq(status.st_mode & 0777, modes[i][1]);
		file_series_close(&series);
	}
}

/* Others may write there, or it is no directory; the descriptor is closed all the same. */
START_TEST(what_is_no_place_of_its_owner_is_refused)
{
	static const struct {
		mode_t mode;
		int error;
	} cases[] = { { 0770, -EPERM }, { 0703, -EPERM }, { 0700, -ENOTDIR } };

	ck_assert_int_eq(try_open(&series, -1), -EBADF);
	for (unsigned i = 0; i < 3; i++) {
		int fd;

		make_place(cases[i].mode);
		write_file("file", 0600);
		fd = cases[i].error == -ENOTDIR ? open(in_place("file"), O_RDONLY) : open_place();
		ck_assert_int_ge(fd, 0);
		ck_assert_int_eq(try_open(&series, fd), cases[i].error);
		ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
	}
}

/* A link, a pipe, what others may write; the last one is read. */
START_TEST(files_of_others_are_not_read)
{
	make_place(0750);
	write_file("00000001.recording", 0660);
	write_file("00000002.recording", 0602);
	write_file("00000003.recording", 0640);
	write_file("00000004.recording", 0640);
	open_series();
	ck_assert_int_eq(unlink(in_place("00000003.recording")), 0);
	ck_assert_int_eq(symlink("00000004.recording", in_place("00000003.recording")), 0);
	check_read(0, -EPERM);
	check_read(1, -EPERM);
	check_read(2, -ELOOP);
	check_read(3, 0);
	ck_assert_int_eq(unlink(in_place("00000003.recording")), 0);
	ck_assert_int_eq(mkfifo(in_place("00000003.recording"), 0640), 0);
	check_read(2, -EPERM);
	file_series_close(&series);
}

/* Who owns the directory may have written it, and root. */
START_TEST(files_of_the_owner_of_the_directory_are_read)
{
	static const struct {
		uid_t directory, file;
		int error;
	} cases[] = { { 65534, 65534, 0 }, { 65534, 0, 0 }, { 65534, 65533, -EPERM }, { 0, 65534, -EPERM } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_place(0700);
		write_file("00000001.recording", 0600);
		open_series();
		if (chown(in_place("00000001.recording"), cases[i].file, (gid_t)-1) < 0 ||
		    chown(place, cases[i].directory, (gid_t)-1) < 0)
			skip_test("files cannot be given to others");
		check_read(0, cases[i].error);
		file_series_close(&series);
	}
}

START_TEST(files_have_the_time_of_their_last_write)
{
	const struct timespec times[2] = { { .tv_sec = 7 }, { .tv_sec = 1000, .tv_nsec = 5 } };

	make_place(0700);
	write_file("00000001.recording", 0600);
	ck_assert_int_eq(utimensat(AT_FDCWD, in_place("00000001.recording"), times, 0), 0);
	open_series();
	ck_assert_uint_eq(series.files[0].end_ns, UINT64_C(1000000000005));
	file_series_close(&series);
}

/* Of the oldest ones only as many go as must, for size or age; the newest one stays. */
START_TEST(oldest_files_go)
{
	static const struct {
		uint64_t bytes, ns;
		const char *left;
	} steps[] = { /* they have ten bytes and a hundred nanoseconds more each */
		{ 0, 0, "1 2 3 4 5" },     { 150, 0, "1 2 3 4 5" }, { 0, 100, "1 2 3 4 5" },
		{ 0, 101, "2 3 4 5" },     { 120, 200, "3 4 5" },   { 120, 400, "4 5" },
		{ 90, 0, "4 5" },          { 89, 0, "5" },          { 1, UINT64_MAX, "5" },
	};

	make_place(0700);
	open_series();
	for (uint64_t number = 1; number <= 5; number++) {
		add_file();
		file_series_note(&series, 10 * number, 100 * number);
	}
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		file_series_keep(&series, steps[i].bytes, steps[i].ns);
		ck_assert_str_eq(numbers(), steps[i].left);
		ck_assert_uint_eq(n_recordings(), series.n_files);
	}
	add_file();
	ck_assert_str_eq(numbers(), "5 6");
	file_series_close(&series);
}

START_TEST(there_are_not_too_many)
{
	make_place(0700);
	open_series();
	for (unsigned i = 0; i < FILE_SERIES_MAX + 5; i++) {
		add_file();
		file_series_keep(&series, 0, 0);
	}
	ck_assert_uint_eq(series.n_files, FILE_SERIES_MAX);
	ck_assert(!exists("00000005.recording") && exists("00000006.recording"));
	file_series_close(&series);
}

/* What is over goes only when the newest file is on the disk; what others have removed makes nothing go. */
START_TEST(files_that_others_removed_do_not_count)
{
	make_place(0700);
	open_series();
	for (unsigned number = 1; number <= 4; number++) {
		add_file();
		file_series_note(&series, 10, 100);
	}
	ck_assert_int_eq(unlink(in_place("00000002.recording")), 0);
	ck_assert_int_eq(file_series_keep(&series, 30, 0), 0);
	ck_assert_str_eq(numbers(), "1 3 4");
	ck_assert_int_eq(unlink(in_place("00000004.recording")), 0);
	ck_assert_int_eq(file_series_keep(&series, 20, 0), -ENOENT); /* it was not written */
	ck_assert(exists("00000001.recording") && exists("00000003.recording"));
	file_series_close(&series);
}

/* They are no files of the series, and the writer removes them; what may be of somebody else stays. */
START_TEST(what_is_empty_does_not_count)
{
	make_place(0700);
	for (unsigned number = 2; number <= FILE_SERIES_MAX + 2; number++)
		write_bytes(textf("%08u.recording", number), 0600, "\x89ptop\r\n\x1a", number % 2 ? 0 : 8);
	write_file("00000001.recording", 0600);
	write_file("00000900.recording", 0600);
	write_file(".00000901.recording.4711", 0600);
	write_file(".00000902.recording.4711x", 0600);
	write_file(".hidden", 0600);
	open_series();
	ck_assert_str_eq(numbers(), "1 900");
	ck_assert(exists("00000002.recording") && exists(".00000901.recording.4711"));
	ck_assert_int_eq(file_series_lock(&series), 0);
	ck_assert_str_eq(numbers(), "1 900");
	ck_assert_uint_eq(n_recordings(), 2);
	ck_assert(!exists(".00000901.recording.4711") && exists(".00000902.recording.4711x"));
	ck_assert(exists(".hidden"));
	add_file();
	ck_assert_str_eq(numbers(), "1 900 901");
	file_series_close(&series);
}

/* What a clock that was wrong then, or is now, says of files is not used: they seem younger, never older. */
START_TEST(files_have_possible_times)
{
	static const struct {
		uint64_t now_ns, times[4], judged[4];
	} cases[] = {
		{ 500, { 100, 5, 300, 400 }, { 100, 300, 300, 400 } },
		{ 500, { 100, 200, 300, 7 }, { 100, 200, 300, 500 } },
		{ 500, { 100, 900, 900, 400 }, { 100, 400, 400, 400 } },
		{ 50, { 100, 200, 300, 400 }, { 50, 50, 50, 50 } },
	};
	struct series_file files[4];
	struct file_series four = { .files = files, .n_files = 4 };

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		for (unsigned i = 0; i < 4; i++)
			files[i].end_ns = cases[c].times[i];
		file_series_judge(&four, cases[c].now_ns);
		for (unsigned i = 0; i < 4; i++)
			ck_assert_msg(files[i].end_ns == cases[c].judged[i], "case %zu, file %u", c, i);
	}
}

START_TEST(one_process_writes)
{
	struct file_series other;

	make_place(0700);
	open_series();
	ck_assert_int_eq(try_open(&other, open_place()), 0);
	ck_assert_int_eq(file_series_lock(&series), 0);
	ck_assert_int_eq(file_series_lock(&other), -EWOULDBLOCK);
	file_series_close(&series);
	ck_assert_int_eq(file_series_lock(&other), 0);
	file_series_close(&other);
}

START_TEST(a_new_file_is_written_and_never_an_old_one)
{
	char bytes[8];
	int fd;

	make_place(0700);
	open_series();
	fd = add_file_open();
	ck_assert_int_eq(write(fd, "abc", 3), 3);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	file_series_note(&series, 4, 7);
	ck_assert(series.files[0].bytes == 4 && series.files[0].end_ns == 7);
	fd = file_series_read(&series, 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(read(fd, bytes, sizeof(bytes)), 4);
	close(fd);
	write_file("00000002.recording", 0600); /* of somebody else, meanwhile */
	ck_assert_int_eq(symlink("elsewhere", in_place("00000003.recording")), 0);
	add_file();
	ck_assert_str_eq(numbers(), "1 4");
	ck_assert(exists("00000003.recording") && !exists("elsewhere"));
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

static int add_watched(struct file_changes *changes, const char *name)
{
	return file_changes_add(changes, in_place(name));
}

/* NULL: it goes. */
static void change_name(const char *from, const char *to)
{
	ck_assert_int_eq(to ? rename(in_place(from), in_place(to)) : remove(in_place(from)), 0);
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
	int fd;

	make_place(0700);
	write_file("one", 0600);
	write_file("beside", 0600);
	ck_assert(add_watched(changes, "one") == 0 && add_watched(changes, "two") == 0);
	ck_assert_str_eq(changed(changes), "");
	write_file("beside", 0600);
	ck_assert_int_eq(poll(&ready, 1, 0), 0); /* it wakes nobody */
	write_file("one", 0600);
	ck_assert_int_eq(poll(&ready, 1, 0), 1);
	ck_assert_str_eq(changed(changes), "0");
	ck_assert_str_eq(changed(changes), "");
	close(open(in_place("one"), O_RDONLY));
	ck_assert_str_eq(changed(changes), "");
	fd = open(in_place("one"), O_WRONLY);
	ck_assert_str_eq(changed(changes), "");
	close(fd);
	ck_assert_str_eq(changed(changes), "0");
	for (unsigned i = 0; i < 2; i++) { /* once it is there it is watched, too */
		write_file("two", 0600);
		ck_assert_str_eq(changed(changes), "1");
	}
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
	static const char *const written[][2] = {
		{ "d/other", "0" }, { "d/other", "0" }, { "d/file", "01" }, { "d/below/a", "" }, { "b", "" }
	};
	struct file_changes *changes = open_changes();

	make_place(0700);
	ck_assert_int_eq(mkdir(in_place("d"), 0700), 0);
	ck_assert_int_eq(mkdir(in_place("d/below"), 0700), 0);
	ck_assert_int_eq(add_watched(changes, "d"), 0);
	ck_assert_int_eq(add_watched(changes, "d/file"), 0);
	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
		write_file(written[i][0], 0600);
		ck_assert_str_eq(changed(changes), written[i][1]);
	}
	change_name("d/other", NULL);
	ck_assert_str_eq(changed(changes), "0");
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
	unsigned most = 0;

	if (!limit || fscanf(limit, "%u", &most) != 1 || most > 20000)
		skip_test("it is not known how many events the kernel keeps, or they are very many");
	fclose(limit);
	scratch_directory_in_memory(place, "series");
	ck_assert_int_eq(add_watched(changes, "file"), 0);
	for (unsigned n = 0; n <= most / 2; n++) /* a new name and its end are two events */
		ck_assert(symlink("x", in_place("other")) == 0 && unlink(in_place("other")) == 0);
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
	char bytes[64] = "";
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
	ck_assert_int_eq(truncate(in_place("cgroup.event_control"), 0), 0);
	fd = oom_watch_open(place, 1, &events);
	ck_assert(fd >= 0 && events == EPOLLIN);
	control = fopen(in_place("cgroup.event_control"), "r");
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
