/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of app/sample_file: what is lost is counted and reported, in few messages. */
#include <config.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/sample_file.h"
#include "output/sink.h"
#include "suite.h"
#include "sys/error_message.h"

#define LOST "File too large; samples are lost until it can be written again"

static char path[SCRATCH_PATH_MAX + 8];

static void open_file(struct sample_file *file, const struct sink_format *format, bool arguments)
{
	const struct options options = { .write = path, .format = format, .arguments = arguments };
	char directory[SCRATCH_PATH_MAX];

	signal(SIGXFSZ, SIG_IGN);
	umask(0);
	scratch_directory(directory, "sample-file");
	snprintf(path, sizeof(path), "%s/file", directory);
	ck_assert_int_eq(sample_file_open(file, &options), 0);
	ck_assert_int_eq(sample_file_check(file), 0);
}

/* Each letter is a sample: l is lost, as files may not be longer than nothing then, w is written. */
static void write_samples(struct sample_file *file, const char *samples)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	for (; *samples; samples++) {
		struct buffer sample = { 0 };

		buffer_text(&sample, "sample");
		limit.rlim_cur = *samples == 'l' ? 0 : limit.rlim_max;
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
		ck_assert_int_eq(sample_file_replace(file, &sample), 0);
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

START_TEST(each_sample_that_is_lost_is_counted)
{
	struct sample_file file;

	open_file(&file, &sink_json, false);
	write_samples(&file, "w");
	ck_assert_str_eq(messages(), "");
	write_samples(&file, "lll");
	ck_assert_str_eq(messages(), LOST "\n");
	write_samples(&file, "www");
	ck_assert_str_eq(messages(), "written again; 3 samples were lost\n");
	ck_assert_int_eq(sample_file_close(&file), 0);
	ck_assert_str_eq(messages(), "");
}
END_TEST

START_TEST(a_file_that_fails_now_and_then_gives_few_messages)
{
	struct sample_file file;

	open_file(&file, &sink_json, false);
	write_samples(&file, "lwl");
	ck_assert_str_eq(messages(), LOST "\nwritten again; 1 sample was lost\n" LOST "\n");
	write_samples(&file, "wlwl");
	ck_assert_str_eq(messages(), "");
	write_samples(&file, "ww");
	ck_assert_str_eq(messages(), "written again; 3 samples were lost\n");
	write_samples(&file, "lwwwl");
	ck_assert_str_eq(messages(), LOST "\n");
	write_samples(&file, "www");
	ck_assert_int_eq(sample_file_close(&file), 0);
	ck_assert_str_eq(messages(), "2 samples were lost\n");
}
END_TEST

START_TEST(the_status_is_that_of_the_last_sample)
{
	struct sample_file file;

	open_file(&file, &sink_json, false);
	write_samples(&file, "wl");
	ck_assert_str_eq(messages(), LOST "\n");
	ck_assert_int_eq(sample_file_close(&file), 1);
	ck_assert_str_eq(messages(), "1 sample was lost\n");
}
END_TEST

static mode_t mode_of_new(const struct sink_format *format, bool arguments)
{
	struct sample_file file;
	struct stat status;

	open_file(&file, format, arguments);
	write_samples(&file, "w");
	sample_file_close(&file);
	ck_assert_int_eq(stat(path, &status), 0);
	return status.st_mode & 07777;
}

START_TEST(all_may_read_what_has_no_command_lines)
{
	ck_assert_uint_eq(mode_of_new(&sink_prometheus, false), 0644);
	ck_assert_uint_eq(mode_of_new(&sink_openmetrics, false), 0644);
	ck_assert_uint_eq(mode_of_new(&sink_prometheus, true), 0640);
	ck_assert_uint_eq(mode_of_new(&sink_json, false), 0640);
	ck_assert_uint_eq(mode_of_new(&sink_text, false), 0640);
}
END_TEST
