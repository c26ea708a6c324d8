/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of app/sample_file: what is lost is counted and reported, in few messages. */
#include "suite.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "app/sampling.h"
#include "output/sink.h"
#include "sys/descriptor.h"

#define LOST "File too large; samples are lost until it can be written again"

#define SECOND_NS UINT64_C(1000000000)

static struct still_clock now;
static char path[SCRATCH_PATH_MAX + 8];
static struct sample_file file;

static void open_file(const struct sink_format *format, bool arguments)
{
	const struct options options = {
		.clock = &now.clock, .write = path, .format = format, .arguments = arguments
	};
	char directory[SCRATCH_PATH_MAX];

	now = still_clock_at(1000 * SECOND_NS);
	signal(SIGXFSZ, SIG_IGN);
	umask(0);
	scratch_directory(directory, "sample-file");
	snprintf(path, sizeof(path), "%s/file", directory);
	ck_assert_int_eq(sample_file_open(&file, &options), 0);
	ck_assert_int_eq(sample_file_check(&file), 0);
}

/* Each letter is a sample: l is lost, as files may not be longer than nothing then, w is written. */
static void write_samples(const char *samples)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	for (; *samples; samples++) {
		struct buffer sample = { 0 };

		buffer_text(&sample, "sample");
		limit.rlim_cur = *samples == 'l' ? 0 : limit.rlim_max;
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
		ck_assert_int_eq(sample_file_replace(&file, &sample), 0);
		buffer_free(&sample);
	}
	limit.rlim_cur = limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* All messages since the last call, without the path. */
static const char *messages(void)
{
	static char texts[4096];
	static size_t start;
	const char *log = error_message_log() + start, *line;

	start += strlen(log);
	*texts = '\0';
	for (line = strstr(log, path); line; line = strstr(line, path)) {
		const char *text = line + strlen(path) + 2, *end = strchr(text, '\n');

		strncat(texts, text, (size_t)(end - text) + 1);
		line = end;
	}
	return texts;
}

/* What is written and lost, some time after what is above, and what is said of it. */
START_TEST(a_file_that_fails_now_and_then_gives_few_messages)
{
	static const struct {
		unsigned seconds;
		const char *samples, *messages;
	} steps[] = {
		{ 0, "w", "" },
		{ 0, "lll", LOST "\n" },
		{ 0, "www", "written again; 3 samples were lost\n" },
		{ 59, "lwwlwlww", "" },
		{ 1, "w", "" },
		{ 0, "lw", LOST "\nwritten again; 4 samples were lost\n" },
		{ 0, "lwlw", "" },
	};

	open_file(&sink_json, false);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		now.ns += steps[i].seconds * SECOND_NS;
		write_samples(steps[i].samples);
		ck_assert_str_eq(messages(), steps[i].messages);
	}
	ck_assert_int_eq(sample_file_close(&file), 0);
	ck_assert_str_eq(messages(), "2 samples were lost\n");
}

START_TEST(what_lasts_is_reported_again_after_a_minute)
{
	open_file(&sink_json, false);
	for (unsigned second = 0; second <= 120; second++) {
		write_samples("l");
		ck_assert_str_eq(messages(), second % 60 == 0 ? LOST "\n" : "");
		now.ns += SECOND_NS;
	}
	write_samples("w");
	ck_assert_str_eq(messages(), "written again; 121 samples were lost\n");
	ck_assert_int_eq(sample_file_close(&file), 0);
}

START_TEST(the_status_is_that_of_the_last_sample)
{
	open_file(&sink_json, false);
	write_samples("wl");
	ck_assert_str_eq(messages(), LOST "\n");
	ck_assert_int_eq(sample_file_close(&file), 1);
	ck_assert_str_eq(messages(), "1 sample was lost\n");
}

START_TEST(all_may_read_what_has_no_command_lines)
{
	static const struct {
		const struct sink_format *format;
		bool arguments;
		mode_t mode;
	} cases[] = {
		{ &sink_prometheus, false, 0644 }, { &sink_openmetrics, false, 0644 },
		{ &sink_prometheus, true, 0640 },  { &sink_json, false, 0640 },
		{ &sink_text, false, 0640 },
	};
	struct stat status;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_file(cases[i].format, cases[i].arguments);
		write_samples("w");
		sample_file_close(&file);
		ck_assert_int_eq(stat(path, &status), 0);
		ck_assert_uint_eq(status.st_mode & 07777, cases[i].mode);
	}
}

START_TEST(a_file_needs_its_directory)
{
	struct options options = { .write = path, .format = &sink_json };
	char directory[SCRATCH_PATH_MAX];

	scratch_directory(directory, "sample-file");
	snprintf(path, sizeof(path), "%s/a/f", directory);
	ck_assert_int_eq(sample_file_open(&file, &options), 1);
	ck_assert_ptr_nonnull(strstr(said_now(), "there is no directory"));
	ck_assert_int_eq(sample_file_close(&file), 0);
}

START_TEST(what_is_replayed_is_not_written)
{
	struct options options = { .write = path, .format = &sink_json };

	open_file(&sink_json, false);
	write_samples("w");
	sample_file_close(&file);
	ck_assert_int_eq(sample_file_open(&file, &options), 0);
	sample_file_close(&file);
	ck_assert_str_eq(messages(), "");
	options.replay = path;
	ck_assert_int_eq(sample_file_open(&file, &options), 1);
	sample_file_close(&file);
	ck_assert_str_eq(messages(), "this recording is being replayed; choose another file\n");
	options.replay = NULL;
	options.against = path;
	ck_assert_int_eq(sample_file_open(&file, &options), 1);
	sample_file_close(&file);
}

/* The directory of the file gets this name. */
static void move_directory(const char *to)
{
	char from[sizeof(path)];

	snprintf(from, sizeof(from), "%.*s", (int)(strrchr(path, '/') - path), path);
	ck_assert_int_eq(rename(from, to), 0);
}

START_TEST(samples_stay_in_their_directory)
{
	char moved[sizeof(path) + 8];
	struct stat status;

	open_file(&sink_json, false);
	write_samples("w");
	snprintf(moved, sizeof(moved), "%.*s-moved", (int)(strrchr(path, '/') - path), path);
	move_directory(moved);
	write_samples("w");
	ck_assert_ptr_nonnull(strstr(messages(), "no longer leads to the directory"));
	write_samples("ww");
	ck_assert_str_eq(messages(), ""); /* it is said once */
	strcat(moved, "/file");
	ck_assert_int_eq(stat(moved, &status), 0);
	ck_assert_int_eq(status.st_size, strlen("sample"));
	ck_assert_int_eq(unlink(moved), 0);
	ck_assert_int_eq(sample_file_check(&file), 0);
	*strrchr(moved, '/') = '\0';
	ck_assert_int_eq(rmdir(moved), 0);
	ck_assert_int_eq(sample_file_check(&file), 1);
	ck_assert_ptr_nonnull(strstr(said_now(), "no file can be made in its directory"));
	for (unsigned i = 0; i < 2; i++) {
		struct buffer sample = { 0 };

		buffer_text(&sample, "sample");
		ck_assert_int_eq(sample_file_replace(&file, &sample), -ENOENT);
		ck_assert_ptr_nonnull(strstr(said_now(), "its directory was removed"));
		buffer_free(&sample);
	}
	ck_assert_int_eq(sample_file_close(&file), 0); /* nothing more was tried */
}

/* In a file system of its own without room for another file. */
static int check_full(const char *directory)
{
	const struct options options = { .write = path, .format = &sink_json };

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", directory, "tmpfs", 0, "nr_inodes=1") < 0)
		return 77;
	snprintf(path, sizeof(path), "%s/file", directory);
	if (open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0 || errno != ENOSPC)
		return 77;
	return sample_file_open(&file, &options) || sample_file_check(&file);
}

START_TEST(there_may_be_room_later)
{
	char directory[SCRATCH_PATH_MAX];
	int status;
	pid_t child;

	scratch_directory(directory, "sample-file");
	child = begin_child();
	if (child == 0)
		_exit(check_full(directory));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip_test("no file system can be mounted here");
	ck_assert_int_eq(status, 0);
}
