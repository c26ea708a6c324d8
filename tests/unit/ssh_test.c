/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ssh is started with, where in its bytes a recording begins, and what its end means. */
#include "suite.h"

#include "fleet/ssh_member.h"
#include "recording/block.h"

static bool is_host(const char *text)
{
	return ssh_host_is_valid(span_text(text));
}

START_TEST(a_host_is_no_option_and_one_word)
{
	static const char *const good[] = { "web1", "user@web1.example.org", "ssh://user@[::1]:22" };
	static const char *const bad[] = { "", "-oProxyCommand=x", "a b", "a\nb", "a\x1b[2J" };
	char longest[SSH_HOST_MAX + 2] = "";

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_msg(is_host(good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!is_host(bad[i]), "%s", bad[i]);
	memset(longest, 'a', SSH_HOST_MAX);
	ck_assert(is_host(longest));
	strcat(longest, "a");
	ck_assert(!is_host(longest));
}

/* All of them, parted by blanks. */
static const char *joined(const struct ssh_words *words)
{
	const char *text = words->words[0];

	for (unsigned i = 1; words->words[i]; i++)
		text = textf("%s %s", text, words->words[i]);
	return text;
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
	const char *text, *host;

	ssh_words_make(&words, "web1", &record);
	text = joined(&words);
	host = strstr(text, " -- ");
	ck_assert_str_eq(host, " -- web1 env PATH=\"$PATH\"\":$HOME\" panetop --record=- --delay=0.5 "
			       "--no-bpf --no-arguments --table=process overview cpu");
	ck_assert(strncmp(text, "ssh ", 4) == 0);
	ck_assert(strstr(text, " -oBatchMode=yes ") < host && strstr(text, " -T ") < host);
}

START_TEST(the_most_words_have_room)
{
	struct ssh_record record = { .no_bpf = true, .no_arguments = true };
	struct ssh_words words;

	for (unsigned i = 0; i < SSH_NAMES_MAX; i++)
		record.panes[record.n_panes++] = record.tables[record.n_tables++] = "name";
	ssh_words_make(&words, "web1", &record);
	ck_assert_uint_lt(count_of(joined(&words), " ") + 1, SSH_WORDS_MAX);
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

/* What a login prints is passed. */
START_TEST(a_recording_begins_once_its_columns_are_there)
{
	static const char *const before[] = { "", "Welcome to web1\n\x89pt" };

	for (unsigned i = 0; i < 2; i++) {
		struct buffer bytes = { 0 };
		size_t at;

		buffer_text(&bytes, before[i]);
		make_start(&bytes, 300);
		for (size_t length = 0; length < bytes.length; length++)
			ck_assert_int_eq(found(&bytes, length, &at), STREAM_MORE);
		ck_assert_int_eq(found(&bytes, bytes.length, &at), STREAM_WHOLE);
		ck_assert_uint_eq(at, strlen(before[i]));
		buffer_free(&bytes);
	}
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

static const char *end_of(const char *host, int status, const char *errors)
{
	const struct ssh_end end = {
		.host = host, .status = status, .line = ssh_last_line(span_text(errors))
	};

	ssh_trouble_of_end(&said, &end);
	return said.bytes;
}

START_TEST(the_status_says_who_failed)
{
	static const struct {
		int status;
		const char *errors, *said;
	} cases[] = {
		{ 255 << 8, "Warning: new key\r\nweb1: Permission denied (publickey).\r\n",
		  "no connection: web1: Permission denied (publickey)." },
		{ 127 << 8, "panetop: error while loading shared libraries: libz.so.1: no such file\n",
		  "panetop there lacks a library; install its package: panetop: error while loading shared "
		  "libraries: libz.so.1: no such file" },
		{ 2 << 8, "panetop: --tabel: unknown option\n\n",
		  "panetop ended there: panetop: --tabel: unknown option" },
		{ 0, "", "the connection has ended" },
		{ 255 << 8, "", "the connection has ended" },
		{ 9, "", "ssh was ended by signal 9" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_str_eq(end_of("web1", cases[i].status, cases[i].errors), cases[i].said);
	ck_assert_ptr_nonnull(strstr(end_of("web1", 127 << 8, "sh: panetop: not found\n"), "copy it: scp "));
	ck_assert_ptr_nonnull(strstr(end_of("web1", 255 << 8, "\x1b[2J\x07 red"), " red"));
	ck_assert_ptr_null(strchr(said.bytes, '\x1b')); /* what a host writes is cleaned */
	buffer_free(&said);
}

START_TEST(a_url_of_a_host_is_one_of_scp)
{
	static const char *const cases[][2] = {
		{ "web1", " web1:" },
		{ "me@web1", " me@web1:" },
		{ "ssh://me@web1:22", " scp://me@web1:22/" },
		{ "ssh:/web1", " ssh:/web1:" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_str_eq(strrchr(end_of(cases[i][0], 127 << 8, ""), ' '), cases[i][1]);
	buffer_free(&said);
}

START_TEST(the_last_line_with_anything_in_it_counts)
{
	static const char *const cases[][2] = {
		{ "", "" },           { "\n\n", "" },           { "one", "one" },   { "one\ntwo", "two" },
		{ "one\n \r\n", "one" }, { "one  \r \n\n", "one" }, { " one\n", " one" }, { "\r", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(span_is(ssh_last_line(span_text(cases[i][0])), cases[i][1]), "%s", cases[i][0]);
}
