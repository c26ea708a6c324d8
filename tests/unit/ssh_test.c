/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ssh is started with, where in its bytes a recording begins, and what its end means. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "fleet/ssh_trouble.h"
#include "fleet/ssh_words.h"
#include "fleet/stream_start.h"
#include "recording/block.h"
#include "suite.h"

static bool is_host(const char *text)
{
	return ssh_host_is_valid(span_text(text));
}

START_TEST(a_host_is_no_option_and_one_word)
{
	char longest[SSH_HOST_MAX + 2];

	ck_assert(is_host("web1"));
	ck_assert(is_host("user@web1.example.org"));
	ck_assert(is_host("ssh://user@[::1]:22"));
	ck_assert(!is_host(""));
	ck_assert(!is_host("-oProxyCommand=x"));
	ck_assert(!is_host("a b"));
	memset(longest, 'a', SSH_HOST_MAX);
	longest[SSH_HOST_MAX] = '\0';
	ck_assert(is_host(longest));
	strcat(longest, "a");
	ck_assert(!is_host(longest));
	ck_assert(!is_host("a\nb"));
	ck_assert(!is_host("a\x1b[2J"));
}

static unsigned count_words(const struct ssh_words *words)
{
	unsigned n = 0;

	while (words->words[n])
		n++;
	return n;
}

static unsigned place_of(const struct ssh_words *words, const char *word)
{
	unsigned n = 0;

	while (words->words[n] && strcmp(words->words[n], word) != 0)
		n++;
	ck_assert_msg(words->words[n] != NULL, "no word '%s'", word);
	return n;
}

START_TEST(what_follows_the_host_is_of_panetop)
{
	const struct ssh_record record = { .delay_seconds = 0.5,
					   .panes = { "overview", "cpu" },
					   .n_panes = 2,
					   .tables = { "process" },
					   .n_tables = 1,
					   .no_bpf = true,
					   .no_arguments = true };
	struct ssh_words words;
	unsigned host;

	ssh_words_make(&words, "web1", &record);
	ck_assert_str_eq(words.words[0], "ssh");
	host = place_of(&words, "web1");
	ck_assert_str_eq(words.words[host - 1], "--");
	ck_assert_uint_lt(place_of(&words, "-oBatchMode=yes"), host - 1);
	ck_assert_uint_lt(place_of(&words, "-T"), host - 1);
	ck_assert_str_eq(words.words[host + 1], "env");
	ck_assert_str_eq(words.words[host + 2], "PATH=\"$PATH\"\":$HOME\"");
	ck_assert_str_eq(words.words[host + 3], "panetop");
	ck_assert_str_eq(words.words[host + 4], "--record=-");
	ck_assert_str_eq(words.words[host + 5], "--delay=0.5");
	ck_assert_str_eq(words.words[host + 6], "--no-bpf");
	ck_assert_str_eq(words.words[host + 7], "--no-arguments");
	ck_assert_str_eq(words.words[host + 8], "--table=process");
	ck_assert_str_eq(words.words[host + 9], "overview");
	ck_assert_str_eq(words.words[host + 10], "cpu");
	ck_assert_uint_eq(count_words(&words), host + 11);
}

START_TEST(the_most_words_have_room)
{
	struct ssh_record record = { .no_bpf = true, .no_arguments = true };
	struct ssh_words words;

	for (unsigned i = 0; i < SSH_NAMES_MAX; i++)
		record.panes[record.n_panes++] = record.tables[record.n_tables++] = "name";
	ssh_words_make(&words, "web1", &record);
	ck_assert_uint_lt(count_words(&words), SSH_WORDS_MAX);
}

/* A header and a description block with this many bytes behind its header. */
static void make_start(struct buffer *out, size_t rest)
{
	static struct block_builder builder;
	struct buffer raw = { 0 };
	struct block_header header = { .kind = BLOCK_DESCRIPTION };

	block_builder_open(&builder);
	recording_header_add(out);
	for (size_t i = 0; i < rest; i++)
		buffer_char(&raw, (char)random());
	block_add_section(&builder, SECTION_TOPICS, &raw);
	block_finish(&builder, &header, NULL, out);
	buffer_free(&raw);
	block_builder_close(&builder);
}

static enum stream_start found(const struct buffer *bytes, size_t length, size_t *at)
{
	return stream_find_start(span_of(bytes->bytes, length), at);
}

START_TEST(a_recording_begins_once_its_columns_are_there)
{
	struct buffer bytes = { 0 };
	size_t at;

	make_start(&bytes, 300);
	for (size_t length = 0; length < bytes.length; length++)
		ck_assert_int_eq(found(&bytes, length, &at), STREAM_MORE);
	ck_assert_int_eq(found(&bytes, bytes.length, &at), STREAM_WHOLE);
	ck_assert_uint_eq(at, 0);
	buffer_free(&bytes);
}

START_TEST(what_a_login_prints_is_passed)
{
	struct buffer bytes = { 0 };
	size_t at;

	buffer_text(&bytes, "Welcome to web1\n\x89pt");
	make_start(&bytes, 10);
	ck_assert_int_eq(found(&bytes, bytes.length, &at), STREAM_WHOLE);
	ck_assert_uint_eq(at, strlen("Welcome to web1\n\x89pt"));
	ck_assert_int_eq(found(&bytes, bytes.length - 1, &at), STREAM_MORE);
	buffer_free(&bytes);
}

START_TEST(what_is_no_recording_is_refused_in_the_end)
{
	struct buffer bytes = { 0 };
	size_t at;

	while (bytes.length <= STREAM_STRANGE_MAX)
		buffer_text(&bytes, "y\n");
	ck_assert_int_eq(found(&bytes, STREAM_STRANGE_MAX, &at), STREAM_MORE);
	ck_assert_int_eq(found(&bytes, bytes.length, &at), STREAM_STRANGE);
	buffer_free(&bytes);
}

START_TEST(damage_and_newer_forms_are_told_apart)
{
	struct buffer bytes = { 0 };
	uint32_t sum;
	size_t at;

	make_start(&bytes, 10);
	bytes.bytes[RECORDING_HEADER_BYTES + 4] ^= 1; /* the kind of the block */
	ck_assert_int_eq(found(&bytes, bytes.length, &at), STREAM_DAMAGED);
	bytes.bytes[8]++; /* its version, and the sum again */
	ck_assert_int_eq(found(&bytes, bytes.length, &at), STREAM_DAMAGED);
	sum = block_sum(bytes.bytes, 12);
	for (unsigned i = 0; i < 4; i++)
		bytes.bytes[12 + i] = (char)(sum >> 8 * i);
	ck_assert_int_eq(found(&bytes, bytes.length, &at), STREAM_NEWER);
	buffer_free(&bytes);
}

static struct buffer said;

static const char *end_of(int code, const char *errors)
{
	ssh_trouble_of_end(&said, &(struct ssh_end){ .host = "web1",
						     .status = code << 8,
						     .line = ssh_last_line(span_text(errors)) });
	return said.bytes;
}

START_TEST(the_status_says_who_failed)
{
	ck_assert_str_eq(end_of(255, "Warning: new key\r\nweb1: Permission denied (publickey).\r\n"),
			 "no connection: web1: Permission denied (publickey).");
	ck_assert_ptr_nonnull(strstr(end_of(127, "sh: panetop: not found\n"), "copy it: scp "));
	ck_assert_ptr_nonnull(strstr(said.bytes, " web1:"));
	ck_assert_str_eq(
		end_of(127, "panetop: error while loading shared libraries: libz.so.1: no such file\n"),
		"panetop there lacks a library; install its package: panetop: error while loading "
		"shared libraries: libz.so.1: no such file");
	ck_assert_str_eq(end_of(2, "panetop: --tabel: unknown option\n\n"),
			 "panetop ended there: panetop: --tabel: unknown option");
	ck_assert_str_eq(end_of(0, ""), "the connection has ended");
	ck_assert_str_eq(end_of(255, ""), "the connection has ended");
	ssh_trouble_of_end(&said, &(struct ssh_end){ .host = "web1", .status = 9 });
	ck_assert_str_eq(said.bytes, "ssh was ended by signal 9");
	buffer_free(&said);
	said = (struct buffer){ 0 };
}

START_TEST(a_url_of_a_host_is_one_of_scp)
{
	static const struct {
		const char *host, *end;
	} cases[] = {
		{ "web1", " web1:" },
		{ "me@web1", " me@web1:" },
		{ "ssh://me@web1:22", " scp://me@web1:22/" },
		{ "ssh:/web1", " ssh:/web1:" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t length = strlen(cases[i].end);

		ssh_trouble_of_end(&said, &(struct ssh_end){ .host = cases[i].host, .status = 127 << 8 });
		ck_assert_uint_gt(strlen(said.bytes), length);
		ck_assert_str_eq(said.bytes + strlen(said.bytes) - length, cases[i].end);
	}
	buffer_free(&said);
	said = (struct buffer){ 0 };
}

START_TEST(the_last_line_with_anything_in_it_counts)
{
	static const struct {
		const char *text, *line;
	} cases[] = {
		{ "", "" },
		{ "\n\n", "" },
		{ "one", "one" },
		{ "one\ntwo", "two" },
		{ "one\n \r\n", "one" },
		{ "one  \r \n\n", "one" },
		{ " one\n", " one" },
		{ "\r", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span line = ssh_last_line(span_text(cases[i].text));

		ck_assert(span_is(line, cases[i].line));
	}
}

START_TEST(what_a_host_writes_is_cleaned)
{
	ck_assert_ptr_null(strchr(end_of(255, "\x1b[2J\x07 red"), '\x1b'));
	ck_assert_ptr_nonnull(strstr(said.bytes, " red"));
	buffer_free(&said);
	said = (struct buffer){ 0 };
}
