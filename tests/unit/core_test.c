/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of core: scanning, text cleaning, arena, buffer, settings, env, worker, loop. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/ascii.h"
#include "core/buffer.h"
#include "core/clock.h"
#include "core/process_pattern.h"
#include "core/rate_limit.h"
#include "core/signal_name.h"
#include "core/typed_name.h"
#include "core/utf8.h"
#include "kernel/system.h"
#include "suite.h"
#include "sys/buffer_io.h"
#include "sys/error_message.h"
#include "sys/loop.h"
#include "sys/pids.h"
#include "sys/worker.h"

static bool is_listed(const char *list, uint64_t pid, const char *name, const char *program)
{
	return process_pattern_matches(span_text(list), pid, span_text(name), span_text(program));
}

static void assert_time(const char *text, uint64_t near_seconds, uint64_t from_seconds, uint64_t whole_ns)
{
	struct clock_time time;

	ck_assert_msg(clock_parse(text, near_seconds * 1000000000, &time), "%s", text);
	ck_assert_uint_eq(time.from_ns / 1000000000, from_seconds);
	ck_assert_uint_eq(time.whole_ns, whole_ns);
}

START_TEST(times_of_day_and_dates)
{
	static const char *const wrong[] = {
		"",          "12",         "24:00",            "12:60",   "12:3",   "12:03:",  "12:03x",
		"12:03:07.", "2026-11-22", "2026-13-01T00:00", "12:03Z",  "-12:03", " 12:03",
		"2026-11-22T12:03+1",
	};
	struct clock_time time;

	setenv("TZ", "XXX-02:30", 1);
	tzset();
	assert_time("12:03", 1732095000, 1732060800 + 9 * 3600 + 33 * 60, UINT64_C(60000000000));
	assert_time("9:30:01", 1732095000, 1732060800 + 7 * 3600 + 1, 1000000000);
	assert_time("2024-11-20T12:00:00", 5, 1732095000, 1000000000);
	assert_time("2024-11-20 12:00", 5, 1732095000, UINT64_C(60000000000));
	assert_time("2024-11-20T09:30:00Z", 5, 1732095000, 1000000000);
	assert_time("2024-11-20T10:30:00.250+01:00", 5, 1732095000, 1000000);
	setenv("TZ", "UTC", 1);
	tzset();
	ck_assert(clock_parse("2024-11-20T09:30:00.123456789Z", 5, &time));
	ck_assert_uint_eq(time.from_ns % 1000000000, 123456789);
	ck_assert_uint_eq(time.whole_ns, 1);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!clock_parse(wrong[i], UINT64_C(1732095000000000000), &time), "%s", wrong[i]);
}

START_TEST(processes_are_listed_by_pid_name_and_program)
{
	ck_assert(is_listed("7,sh,42", 42, "bash", "") && is_listed("7,sh", 1, "sh", ""));
	ck_assert(!is_listed("7,sh,42", 4, "s", "42") && !is_listed("7x", 7, "y", "7") &&
		  !is_listed("42", 1, "42", "42"));
	ck_assert(!is_listed("", 0, "", "") && !is_listed(",", 0, "", "/bin/"));
	ck_assert(is_listed("python3", 1, "x.py", "/usr/bin/python3") && is_listed("sh", 1, "", "sh"));
	ck_assert(!is_listed("/usr/bin/python3", 1, "", "/usr/bin/python3") &&
		  !is_listed("bin", 1, "", "/bin/sh"));
	ck_assert(is_listed("gnome-terminal-server", 1, "gnome-terminal-", "") &&
		  is_listed("gnome-terminal-", 1, "gnome-terminal-", ""));
	ck_assert(!is_listed("gnome-terminal-server", 1, "gnome-terminal", "") &&
		  !is_listed("gnome-terminal", 1, "gnome-terminal-", "") &&
		  !is_listed("gnome-terminal-server", 1, "gnome", "gnome-terminal-"));
	ck_assert(process_pattern_has_name(span_text("7,sh")) &&
		  !process_pattern_has_name(span_text("7,42")));
}

START_TEST(parts_of_text_end_where_they_should)
{
	struct span text = span_text("a,,b"), part, rest;
	uint64_t value = 7;

	ck_assert(span_item(&text, &part) && span_is(part, "a"));
	ck_assert(span_item(&text, &part) && span_is(part, ""));
	ck_assert(span_item(&text, &part) && span_is(part, "b"));
	ck_assert(!span_item(&text, &part));
	ck_assert(span_list_has(span_text("io,cpu"), "cpu") && span_list_has(span_text("io,cpu"), "io"));
	ck_assert(!span_list_has(span_text("io,cpu"), "cp") && !span_list_has(span_text("io,cpu"), "cpus"));
	ck_assert(span_is(span_trimmed(span_text("\n\t a b\t \n")), "a b"));
	ck_assert(span_is(span_trimmed(span_text(" \t\n")), "") &&
		  span_is(span_trimmed(span_text("x")), "x"));
	text = span_text("a=b");
	ck_assert(!span_until(&text, ':', &part) && span_is(text, "a=b"));
	ck_assert(span_until(&text, '=', &part) && span_is(part, "a") && span_is(text, "b"));
	text.end = text.at; /* what stands behind it is not seen */
	ck_assert(!span_until(&text, 'b', &part) && !span_char(&text, 'b'));
	ck_assert(!span_line(&text, &part) && !span_word(&text, &part) && !span_u64(&text, &value));
	text = span_text("\t x\ty");
	ck_assert(!span_char(&text, 'x') && span_char(&text, '\t') && span_is(text, " x\ty"));
	ck_assert(span_word(&text, &part) && span_is(part, "x") && span_is(text, "\ty"));
	ck_assert(span_starts(span_text("ab"), "ab") && !span_starts(span_text("a"), "ab"));
	ck_assert(!span_starts(span_text("ba"), "a") && !span_is(span_text("ab"), "a"));
	text = span_text("ab");
	ck_assert(!span_take_end(&text, "ab") && !span_take_end(&text, "a") && span_is(text, "ab"));
	ck_assert(span_take_end(&text, "b") && span_is(text, "a"));
	ck_assert(span_pair_u64(span_text("cpu 3 4"), &part, &value, &rest));
	ck_assert(span_is(part, "cpu") && value == 3 && span_is(rest, " 4"));
	ck_assert(span_pair_u64(span_text("a:\t9"), &part, &value, &rest) && span_is(part, "a") &&
		  value == 9);
	ck_assert(!span_pair_u64(span_text("a::9"), &part, &value, &rest));
	ck_assert(!span_pair_u64(span_text("a :9"), &part, &value, &rest));
	ck_assert(!span_pair_u64(span_text("a"), &part, &value, &rest) && value == 9);
	ck_assert(span_is_u64(span_text(" 8"), &value) && value == 8);
	ck_assert(!span_is_u64(span_text("7 "), &value) && !span_is_u64(span_text(""), &value) && value == 8);
}

/* A unit is taken whole, and what stands behind it stays. */
START_TEST(times_have_units)
{
	static const struct {
		const char *text;
		double seconds;
		const char *rest;
	} cases[] = {
		{ "3", 3, "" },         { "3s", 3, "" },          { "50ns", 50e-9, "" },
		{ "50us", 50e-6, "" },  { "50µs", 50e-6, "" },    { "50ms", 50e-3, "" },
		{ "2min", 120, "" },    { "2m", 120, "" },        { "2h", 7200, "" },
		{ "2d", 172800, "" },   { "1.5h", 5400, "" },     { "1minute", 60, "ute" },
		{ "1mi", 60, "i" },     { "1hour", 3600, "our" }, { "1sec", 1, "ec" },
		{ "1nsx", 1e-9, "x" },  { "1ms2", 1e-3, "2" },    { "1n", 1, "n" },
		{ "1u", 1, "u" },       { "1 s", 1, " s" },       { " \t2s", 2, "" },
		{ "2e3ms", 2, "" },     { "2E+3s", 2000, "" },    { "5e0s", 5, "" },
		{ "20e-1s", 2, "" },    { "1e30", 1e30, "" },     { "1e31s", 1, "e31s" },
		{ "1es", 1, "es" },     { "1e+s", 1, "e+s" },     { "1e- 2", 1, "e- 2" },
		{ "1e+-2", 1, "e+-2" }, { "1 e2", 1, " e2" },
	};
	static const char *const wrong[] = { "", "s", "-1s", ".s", "e3" };
	double seconds;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span span = span_text(cases[i].text);

		seconds = -1;
		ck_assert_msg(span_seconds(&span, &seconds), "%s", cases[i].text);
		ck_assert_msg(fabs(seconds - cases[i].seconds) <= 1e-14 * cases[i].seconds, "%s is %.17g",
			      cases[i].text, seconds);
		ck_assert_msg(span_is(span, cases[i].rest), "%s: '%.*s'", cases[i].text,
			      (int)span_length(span), span.at);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct span span = span_text(wrong[i]);

		ck_assert_msg(!span_seconds(&span, &seconds) && span_is(span, wrong[i]), "'%s'", wrong[i]);
	}
}

START_TEST(parts_of_bytes_are_inside)
{
	struct span bytes = span_of("\x01\x02\x03\x04\x85\x06\x07\x88\x09", 9), part = bytes;
	uint64_t value = 7;

	ck_assert(span_little(bytes, 0, 1, &value) && value == 1);
	ck_assert(span_little(bytes, 1, 2, &value) && value == 0x302);
	ck_assert(span_little(bytes, 1, 4, &value) && value == 0x85040302);
	ck_assert(span_little(bytes, 0, 8, &value) && value == 0x8807068504030201);
	ck_assert(!span_little(bytes, 2, 8, &value) && !span_little(bytes, 9, 1, &value) &&
		  !span_little(bytes, UINT64_MAX, 1, &value) && value == 0x8807068504030201);
	ck_assert(!span_part(bytes, 10, 0, &part) && !span_part(bytes, 1, 9, &part) &&
		  !span_part(bytes, 1, UINT64_MAX, &part) && !span_part(bytes, UINT64_MAX, 2, &part));
	ck_assert(part.at == bytes.at && part.end == bytes.end);
	ck_assert(span_part(bytes, 9, 0, &part) && part.at == bytes.end && span_length(part) == 0);
	ck_assert(span_part(bytes, 2, 3, &part) && span_is(part, "\x03\x04\x85"));
}

START_TEST(span_peek_takes_all_or_nothing)
{
	struct span bytes = span_of("abcde", 5);
	uint32_t value = 7;

	ck_assert(!span_peek(bytes, 2, &value, sizeof(value)) && value == 7);
	ck_assert(!span_peek(bytes, SIZE_MAX, &value, sizeof(value)) &&
		  !span_peek(bytes, 0, &value, SIZE_MAX));
	ck_assert(span_peek(bytes, 1, &value, sizeof(value)) && memcmp(&value, "bcde", sizeof(value)) == 0);
	ck_assert(span_length(bytes) == 5);
	ck_assert(span_eat(&bytes, &value, 4) && memcmp(&value, "abcd", 4) == 0 && span_is(bytes, "e"));
	ck_assert(!span_eat(&bytes, &value, 2) && span_is(bytes, "e"));
}

/* Nothing stands around it, and its ends are part of the range. */
START_TEST(whole_numbers_of_options)
{
	static const char *const wrong[] = { "", " 5", "5 ", "+5", "-5", "5x", "0x5", "2", "10", "5.0",
					     "99999999999999999999" };
	uint64_t number = 0;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!span_whole_number(wrong[i], 3, 9, &number), "'%s'", wrong[i]);
	ck_assert(span_whole_number("3", 3, 9, &number) && number == 3);
	ck_assert(span_whole_number("09", 3, 9, &number) && number == 9);
	ck_assert(span_whole_number("18446744073709551615", 0, UINT64_MAX, &number) && number == UINT64_MAX);
}

START_TEST(scans_lines_words_and_pairs)
{
	struct span text = span_text("a: 5 kB\n\nlast"), line, name, rest, word;
	uint64_t value;

	ck_assert(span_line(&text, &line) && span_is(line, "a: 5 kB"));
	ck_assert(span_pair_u64(line, &name, &value, &rest));
	ck_assert(span_is(name, "a") && value == 5);
	ck_assert(span_word(&rest, &word) && span_is(word, "kB"));
	ck_assert(!span_word(&rest, &word));
	ck_assert(span_line(&text, &line) && span_length(line) == 0);
	ck_assert(span_line(&text, &line) && span_is(line, "last"));
	ck_assert(!span_line(&text, &line));
	ck_assert(!span_pair_u64(span_text(": 5"), &name, &value, &rest));
}

/* Every byte string is decoded to its end, and what is no UTF-8 costs one byte at a time. */
START_TEST(decodes_only_valid_utf8)
{
	static const struct {
		const char *bytes;
		uint32_t codes[4];
	} cases[] = {
		{ "a\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80", { 'a', 0xe9, 0x6f22, 0x1f600 } },
		{ "\xff" "a", { UTF8_INVALID, 'a' } },
		{ "\xc0\x80", { UTF8_INVALID, UTF8_INVALID } },             /* overlong NUL */
		{ "\xe0\x80\xaf", { UTF8_INVALID, UTF8_INVALID, UTF8_INVALID } },
		{ "\xed\xa0\x80", { UTF8_INVALID, UTF8_INVALID, UTF8_INVALID } }, /* surrogate */
		{ "\xf4\x90\x80\x80", { UTF8_INVALID, UTF8_INVALID, UTF8_INVALID, UTF8_INVALID } },
		{ "\xe6\xbc", { UTF8_INVALID, UTF8_INVALID } },             /* cut off */
		{ "\x7f\xc2\x80\xdf\xbf", { 0x7f, 0x80, 0x7ff } },           /* the ends of each length */
		{ "\xe0\xa0\x80\xef\xbf\xbf", { 0x800, 0xffff } },
		{ "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", { 0x10000, 0x10ffff } },
		{ "\xc1\xbf", { UTF8_INVALID, UTF8_INVALID } },
		{ "\xe0\x9f\xbf", { UTF8_INVALID, UTF8_INVALID, UTF8_INVALID } },
		{ "\xf0\x8f\xbf\xbf", { UTF8_INVALID, UTF8_INVALID, UTF8_INVALID, UTF8_INVALID } },
		{ "\xf5\x80\x80\x80", { UTF8_INVALID, UTF8_INVALID, UTF8_INVALID, UTF8_INVALID } },
		{ "\xed\x9f\xbf\xee\x80\x80", { 0xd7ff, 0xe000 } }, /* around surrogates */
		{ "\xed\xbf\xbf", { UTF8_INVALID, UTF8_INVALID, UTF8_INVALID } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span rest = span_text(cases[i].bytes);

		for (size_t c = 0; rest.at < rest.end; c++)
			ck_assert_uint_eq(utf8_next(&rest), cases[i].codes[c]);
	}
}

START_TEST(a_nul_is_a_character)
{
	static const char bytes[] = { '\0', 'a', '\xc0', '\x80' }; /* the last two are no form of it */
	struct span rest = span_of(bytes, sizeof(bytes));

	ck_assert_uint_eq(utf8_next(&rest), 0);
	ck_assert_uint_eq(utf8_next(&rest), 'a');
	ck_assert_uint_ne(utf8_next(&rest), 0);
}

/* The last ones that Unicode calls a control, a format or a private character, and those beside them. */
START_TEST(what_is_harmful_ends_where_text_begins)
{
	static const uint32_t harmful[] = { 0,      0x1f,   0x7f,   0x9f,   0xad,    0x61c,
					    0x180e, 0x200b, 0x200f, 0x2028, 0x202e,  0x2060,
					    0x206f, 0xe000, 0xf8ff, 0xfe00, 0xfe0f,  0xfeff,
					    0xfff9, 0xfffb, 0xfffe, 0xffff, 0xe0000, 0x10ffff };
	static const uint32_t text[] = { ' ',    '~',    0xa0,   0xac,   0xae,   0x61b,  0x61d,   0x180d,
					 0x180f, 0x200a, 0x2010, 0x2027, 0x202f, 0x205f, 0x2070,  0xf900,
					 0xfdff, 0xfe10, 0xfefe, 0xff00, 0xfffc, 0xfffd, 0x10000, 0xdffff };

	for (size_t i = 0; i < sizeof(harmful) / sizeof(harmful[0]); i++)
		ck_assert_msg(utf8_is_harmful(harmful[i]), "U+%04X", harmful[i]);
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		ck_assert_msg(!utf8_is_harmful(text[i]), "U+%04X", text[i]);
}

static void assert_clean(const char *text, int cells, bool ascii, const char *expected)
{
	struct buffer out = { 0 };

	utf8_clean(&out, text, cells, ascii);
	buffer_char(&out, '\0');
	ck_assert_str_eq(out.bytes, expected);
	buffer_free(&out);
}

START_TEST(numbers_without_a_minus_before_0)
{
	static const struct {
		double number;
		const char *text;
	} cases[] = { { -0.0, "0" }, { 0, "0" }, { -1e-300, "-1e-300" }, { -0.5, "-0.5" }, { 0.1, "0.1" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer buffer = { 0 };

		buffer_f64(&buffer, cases[i].number);
		buffer_char(&buffer, '\0');
		ck_assert_str_eq(buffer.bytes, cases[i].text);
		buffer_free(&buffer);
	}
}

START_TEST(a_buffer_grows_is_emptied_and_used_again)
{
	struct buffer out = { 0 };

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 1000; i++)
			buffer_print(&out, "%u,", i);
		ck_assert_uint_eq(out.length, 10 * 2 + 90 * 3 + 900 * 4);
		ck_assert_int_eq(strncmp(out.bytes, "0,1,2,3,", 8), 0);
		ck_assert_int_eq(memcmp(out.bytes + out.length - 4, "999,", 4), 0);
		buffer_empty(&out);
		buffer_text(&out, "end");
		buffer_char(&out, '\0');
		ck_assert_str_eq(out.bytes, "end");
		buffer_free(&out);
		ck_assert(!out.bytes && out.length == 0 && out.capacity == 0);
	}
}

START_TEST(cleans_what_could_harm_a_terminal)
{
	assert_clean("a\033[31mb\nc\td\x7f", -1, false, "a?[31mb c d?");
	assert_clean("\xc2\x9b" "31m", -1, false, "?31m");               /* CSI as one C1 character */
	assert_clean("x\xe2\x80\xae" "fdp.exe", -1, false, "x?fdp.exe"); /* right-to-left override */
	assert_clean("\xff\xfe", -1, false, "??");
	assert_clean("e\xcc\x81\xcc\x81\xcc\x81\xcc\x81", -1, false, "e\xcc\x81\xcc\x81"); /* stacked marks */
	assert_clean("\xc3\xa9", -1, true, "?");
	assert_clean("\xe6\xbc\xa2\xe5\xad\x97", 3, false,
		     "\xe6\xbc\xa2"); /* a wide character is not cut in half */
	ck_assert_int_eq(utf8_cells("\xe6\xbc\xa2\xe5\xad\x97", false), 4);
	ck_assert_int_eq(utf8_cells("e\xcc\x81", false), 1);
	ck_assert_int_eq(utf8_cells("\001\033\177", false), 3); /* a ? for each */
}

/* At most two marks in a row for each character, also behind wide ones and blanks. */
START_TEST(marks_belong_to_their_character)
{
	assert_clean("e\xcc\x81\xcc\x81\xcc\x81o\xcc\x81\xcc\x81\xcc\x81", -1, false,
		     "e\xcc\x81\xcc\x81o\xcc\x81\xcc\x81");
	assert_clean("e\xcc\x81\xcc\x81\xcc\x81\xe6\xbc\xa2\xcc\x81\xcc\x81\xcc\x81z", -1, false,
		     "e\xcc\x81\xcc\x81\xe6\xbc\xa2\xcc\x81\xcc\x81z");
	assert_clean("e\xcc\x81", -1, true, "e?");
}

START_TEST(clean_text_is_cut_to_its_cells)
{
	struct buffer out = { 0 };

	assert_clean("abc", 0, false, "");
	assert_clean("abc", 1, false, "a");
	assert_clean("abc", 3, false, "abc");
	assert_clean("abc", 4, false, "abc");
	assert_clean("", -1, false, "");
	assert_clean("a\xcc\x81"
		     "b",
		     1, false, "a\xcc\x81"); /* a mark needs no cell */
	assert_clean("\xe6\xbc\xa2"
		     "b",
		     1, false, "");
	ck_assert_int_eq(utf8_clean(&out,
				    "\xe6\xbc\xa2"
				    "bc",
				    3, false),
			 3);
	ck_assert_int_eq(utf8_clean(&out, "\xe6\xbc\xa2\xe6\xbc\xa2", 3, false), 2);
	ck_assert_int_eq(utf8_clean(&out, "a", 0, false), 0);
	buffer_free(&out);
}

/* The blanks of a command line are those of isspace(); a times sign is an x. */
START_TEST(blanks_and_signs_that_have_a_form_in_ascii)
{
	assert_clean("a\tb\nc\vd\fe\rf", -1, false, "a b c d e f");
	assert_clean("\x08\x0e\x1f ~\x7f", -1, false, "??? ~?");
	assert_clean("\xc3\x97"
		     "9",
		     -1, true, "x9");
	assert_clean("\xc3\x97"
		     "9",
		     -1, false,
		     "\xc3\x97"
		     "9");
	assert_clean("\xc3\x96~\xc2\xa0", -1, true, "?~?");
	assert_clean("\xef\xbf\xbd", -1, false, "?");
	ck_assert_int_eq(utf8_cells("\xc3\x97"
				    "9\t",
				    true),
			 3);
}

static const char *padded(void (*pad)(struct buffer *, const char *, int, bool), const char *text, int cells)
{
	static char padded[64];
	struct buffer buffer = { 0 };

	pad(&buffer, text, cells, false);
	snprintf(padded, sizeof(padded), "%.*s", (int)buffer.length, buffer.bytes ? buffer.bytes : "");
	buffer_free(&buffer);
	return padded;
}

START_TEST(text_is_padded_and_not_cut)
{
	ck_assert_str_eq(padded(utf8_padded, "ab", 4), "ab  ");
	ck_assert_str_eq(padded(utf8_padded, "abc", 3), "abc");
	ck_assert_str_eq(padded(utf8_padded, "abc", 2), "abc");
	ck_assert_str_eq(padded(utf8_padded, "\xe6\xbc\xa2", 3), "\xe6\xbc\xa2 ");
	ck_assert_str_eq(padded(utf8_padded_left, "ab", 4), "  ab");
	ck_assert_str_eq(padded(utf8_padded_left, "abc", 3), "abc");
	ck_assert_str_eq(padded(utf8_padded_left, "abc", 2), "abc");
	ck_assert_str_eq(padded(utf8_padded_left, "\xe6\xbc\xa2", 3), " \xe6\xbc\xa2");
}

static const char *wrapped(const char *text, int at, int indent, int cells)
{
	static char lines[256];
	struct buffer buffer = { 0 };

	utf8_wrapped(&buffer, text, at, indent, cells, false);
	snprintf(lines, sizeof(lines), "%.*s", (int)buffer.length, buffer.bytes ? buffer.bytes : "");
	buffer_free(&buffer);
	return lines;
}

START_TEST(sentences_are_wrapped)
{
	ck_assert_str_eq(wrapped("", 0, 2, 10), "");
	ck_assert_str_eq(wrapped("run it as root", 0, 2, 14), "run it as root");
	ck_assert_str_eq(wrapped("run it as root", 0, 2, 13), "run it as\n  root");
	ck_assert_str_eq(wrapped("run it as root", 8, 2, 13), "run\n  it as root");
	ck_assert_str_eq(wrapped("cap_a,cap_b,cap_c", 0, 2, 12), "cap_a,cap_b,\n  cap_c");
	ck_assert_str_eq(wrapped("a verylongword", 0, 1, 6), "a\n veryl\n ongwo\n rd");
	ck_assert_str_eq(wrapped("読み取れません", 0, 2, 8), "読み取れ\n  ません");
	ck_assert_str_eq(wrapped("a\tb", 0, 2, 8), "a b");
}

START_TEST(utf8_put_and_next_agree)
{
	for (uint32_t code = 1; code < 0x110000; code += code < 0x3000 ? 1 : 251) {
		char bytes[UTF8_BYTES_MAX];
		struct span span = span_of(bytes, utf8_put(bytes, code));

		if (code >= 0xd800 && code <= 0xdfff)
			continue;
		ck_assert_uint_eq(utf8_next(&span), code);
		ck_assert_ptr_eq(span.at, span.end);
	}
}

START_TEST(arena_keeps_its_chunks)
{
	struct arena arena = { 0 };
	const char *text;
	char *first, *large;

	first = arena_take(&arena, 10);
	large = arena_take(&arena, 100000);
	memset(large, 7, 100000);
	text = arena_print(&arena, "%s-%d", "x", 42);
	ck_assert_str_eq(text, "x-42");
	ck_assert_str_eq(arena_copy(&arena, "abc", 2), "ab");
	arena_reset(&arena);
	ck_assert_ptr_eq(arena_take(&arena, 10), first);
	ck_assert_ptr_eq(arena_take(&arena, 100000), large);
	arena_free(&arena);
}

START_TEST(an_arena_gives_back_what_a_peak_took)
{
	struct arena arena = { 0 };
	const char *text;

	for (unsigned round = 0; round < 50; round++) {
		for (unsigned i = 0; i < (round ? 10 : 100000); i++)
			memset(arena_take(&arena, 100), 7, 100);
		ck_assert_uint_ge(arena.held, round ? 1000 : 10000000);
		arena_reset(&arena);
		if (round == 2)
			ck_assert_uint_ge(arena.held, 10000000);
	}
	ck_assert_uint_le(arena.held, 100000);
	text = arena_copy(&arena, "still of use", 12);
	ck_assert_str_eq(text, "still of use");
	arena_free(&arena);
}

static void ignore_signal(int number)
{
	(void)number;
}

START_TEST(a_byte_is_all_there_is)
{
	struct buffer buffer = { 0 };
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], "x", 1), 1);
	close(fds[1]);
	ck_assert_int_eq(buffer_read(&buffer, fds[0], 100), 0);
	ck_assert(buffer.length == 1 && buffer.bytes[0] == 'x');
	close(fds[0]);
	buffer_free(&buffer);
}

/* A signal that comes while it waits is no end and no error; what is too long is not read to its end. */
START_TEST(buffer_reads_all_in_spite_of_signals)
{
	const struct sigaction interrupt = { .sa_handler = ignore_signal };
	const struct itimerval soon = { .it_value = { .tv_usec = 100000 } };
	char bytes[10000] = "";
	struct buffer buffer = { 0 };
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(sigaction(SIGALRM, &interrupt, NULL), 0);
	if (fork() == 0) {
		usleep(300000);
		_exit(write(fds[1], bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes));
	}
	close(fds[1]);
	setitimer(ITIMER_REAL, &soon, NULL);
	ck_assert_int_eq(buffer_read(&buffer, fds[0], sizeof(bytes) + 1), 0);
	ck_assert_uint_eq(buffer.length, sizeof(bytes));
	ck_assert_int_eq(buffer_read(&buffer, fds[0], sizeof(bytes)), 0);
	close(fds[0]);
	ck_assert_int_eq(buffer_read(&buffer, fds[0], SIZE_MAX), -EBADF);
	buffer_free(&buffer);
}

START_TEST(buffer_grows_and_writes_all)
{
	struct buffer buffer = { 0 };
	int fds[2];
	char bytes[64];

	for (int i = 0; i < 10000; i++)
		buffer_print(&buffer, "%d,", i);
	ck_assert_int_eq(strncmp(buffer.bytes, "0,1,2,", 6), 0);
	buffer_empty(&buffer);
	buffer_fill(&buffer, 'x', 0);
	buffer_fill(&buffer, 'x', 3);
	buffer_text(&buffer, "yz");
	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(buffer_write(&buffer, fds[1], -1), 0);
	ck_assert_int_eq(read(fds[0], bytes, sizeof(bytes)), 5);
	ck_assert_int_eq(memcmp(bytes, "xxxyz", 5), 0);
	ck_assert_uint_eq(buffer.length, 0);
	buffer_text(&buffer, "a");
	ck_assert_int_eq(buffer_write(&buffer, -1, -1), -EBADF);
	buffer_free(&buffer);
}

/* A pipe that takes nothing more; its room. */
static size_t fill_pipe(int fds[2])
{
	size_t room = 0;

	ck_assert_int_eq(pipe2(fds, O_NONBLOCK), 0);
	while (write(fds[1], "x", 1) == 1)
		room++;
	return room;
}

START_TEST(a_wait_to_write_is_cancelled)
{
	struct buffer buffer = { 0 };
	int full[2], cancel[2];

	fill_pipe(full);
	ck_assert_int_eq(pipe(cancel), 0);
	ck_assert_int_eq(write(cancel[1], "x", 1), 1);
	buffer_text(&buffer, "abc");
	ck_assert_int_eq(buffer_write(&buffer, full[1], cancel[0]), -ECANCELED);
	fcntl(full[1], F_SETFL, 0);
	ck_assert_int_eq(buffer_write(&buffer, full[1], cancel[0]), -ECANCELED);
	ck_assert_int_eq(buffer_write(&buffer, cancel[1], cancel[0]), 0); /* without a wait */
	ck_assert_uint_eq(buffer.length, 0);
	ck_assert_int_eq(buffer_write(&buffer, -1, -1), 0); /* nothing */
	for (int i = 0; i < 2; i++)
		ck_assert(close(full[i]) == 0 && close(cancel[i]) == 0);
	buffer_free(&buffer);
}

/* The reader starts when the pipe is full. */
START_TEST(writing_goes_on_when_there_is_room)
{
	struct buffer written = { 0 }, got = { 0 };
	int fds[2], status;
	pid_t writer;

	for (unsigned i = 0; written.length < 200000; i++)
		buffer_print(&written, "%u,", i);
	ck_assert_int_eq(pipe(fds), 0);
	writer = fork();
	if (writer == 0) {
		close(fds[0]);
		_exit(buffer_write(&written, fds[1], -1) != 0 || written.length != 0);
	}
	close(fds[1]);
	ck_assert_int_eq(buffer_read(&got, fds[0], SIZE_MAX), 0);
	ck_assert(waitpid(writer, &status, 0) == writer && status == 0);
	ck_assert_uint_eq(got.length, written.length);
	ck_assert_int_eq(memcmp(got.bytes, written.bytes, got.length), 0);
	close(fds[0]);
	buffer_free(&written);
	buffer_free(&got);
}

START_TEST(what_a_pipe_does_not_take_now_is_kept)
{
	struct buffer buffer = { 0 }, got = { 0 };
	int fds[2];
	size_t room = fill_pipe(fds);

	buffer_text(&buffer, "abc");
	ck_assert_int_eq(buffer_write_now(&buffer, fds[1]), 0);
	ck_assert(buffer.length == 3 && memcmp(buffer.bytes, "abc", 3) == 0);
	ck_assert_int_eq(buffer_read(&got, fds[0], SIZE_MAX), -EAGAIN);
	ck_assert_uint_eq(got.length, room);
	buffer_fill(&buffer, '.', room - 3);
	buffer_text(&buffer, "rest");
	ck_assert_int_eq(buffer_write_now(&buffer, fds[1]), 0);
	ck_assert(buffer.length == 4 && memcmp(buffer.bytes, "rest", 4) == 0);
	buffer_empty(&got);
	ck_assert_int_eq(buffer_read(&got, fds[0], SIZE_MAX), -EAGAIN);
	ck_assert(got.length == room && memcmp(got.bytes, "abc.", 4) == 0);
	ck_assert_int_eq(buffer_write_now(&buffer, fds[1]), 0);
	ck_assert_uint_eq(buffer.length, 0);
	buffer_empty(&got);
	ck_assert_int_eq(buffer_read(&got, fds[0], SIZE_MAX), -EAGAIN);
	ck_assert(got.length == 4 && memcmp(got.bytes, "rest", 4) == 0);
	close(fds[0]);
	signal(SIGPIPE, SIG_IGN);
	buffer_text(&buffer, "abc");
	ck_assert_int_eq(buffer_write_now(&buffer, fds[1]), -EPIPE);
	ck_assert_uint_eq(buffer.length, 3);
	ck_assert_int_eq(buffer_write(&buffer, fds[1], -1), -EPIPE);
	close(fds[1]);
	buffer_free(&buffer);
	buffer_free(&got);
}

/* A file that may not grow takes a part of what it is given, and refuses the rest. */
START_TEST(what_was_written_before_a_failure_is_gone)
{
	static const struct {
		rlim_t room;
		const char *rest;
	} cases[] = { { 0, "abcd" }, { 1, "bcd" }, { 2, "cd" }, { 3, "d" } };
	struct rlimit before, limit;
	FILE *file;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer buffer = { 0 };
		char bytes[8] = "";
		int error, limited, restored;

		file = tmpfile();
		ck_assert_ptr_nonnull(file);
		buffer_text(&buffer, "abcd");
		limit = (struct rlimit){ .rlim_cur = cases[i].room, .rlim_max = before.rlim_max };
		limited = setrlimit(RLIMIT_FSIZE, &limit); /* of what assertions write, too */
		error = buffer_write_now(&buffer, fileno(file));
		restored = setrlimit(RLIMIT_FSIZE, &before);
		ck_assert(limited == 0 && restored == 0);
		ck_assert_int_eq(error, -EFBIG);
		ck_assert_uint_eq(buffer.length, strlen(cases[i].rest));
		ck_assert_int_eq(memcmp(buffer.bytes, cases[i].rest, buffer.length), 0);
		ck_assert_int_eq(pread(fileno(file), bytes, sizeof(bytes), 0), (long)cases[i].room);
		ck_assert_int_eq(memcmp(bytes, "abcd", cases[i].room), 0);
		fclose(file);
		buffer_free(&buffer);
	}
}

/* It is ready as long as it has room for one byte; nobody reads from it. */
START_TEST(a_terminal_that_takes_no_more_keeps_nobody)
{
	struct buffer buffer = { 0 };
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), side, cancel[2];
	struct termios raw;
	size_t left;

	if (terminal < 0 || grantpt(terminal) < 0 || unlockpt(terminal) < 0)
		skip_test("there are no pseudo-terminals: %s", strerror(errno));
	side = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(side, 0);
	ck_assert_int_eq(tcgetattr(side, &raw), 0);
	cfmakeraw(&raw);
	ck_assert_int_eq(tcsetattr(side, TCSANOW, &raw), 0);
	buffer_fill(&buffer, 'x', 1 << 21);
	ck_assert_int_eq(buffer_write_now(&buffer, side), 0);
	left = buffer.length;
	ck_assert(left > 0 && left < 1 << 21);
	ck_assert_int_eq(pipe(cancel), 0);
	ck_assert_int_eq(write(cancel[1], "x", 1), 1);
	ck_assert_int_eq(buffer_write(&buffer, side, cancel[0]), -ECANCELED);
	close(side);
	close(terminal);
	close(cancel[0]);
	close(cancel[1]);
	buffer_free(&buffer);
}

/* What comes of messages while nobody reads them: those that fit are kept, the others counted. */
START_TEST(messages_never_wait)
{
	enum { MESSAGES = 2000 };
	struct buffer text = { 0 };
	unsigned long lines = 0, dropped = 0;
	int fds[2], before = dup(STDERR_FILENO);
	const char *report;

	ck_assert_int_eq(pipe2(fds, O_NONBLOCK), 0);
	while (write(fds[1], "x", 1) == 1)
		;
	fcntl(fds[1], F_SETFL, 0);
	dup2(fds[1], STDERR_FILENO);
	for (int i = 0; i < MESSAGES; i++)
		error_message("test", "message %d", i);
	for (int i = 0; i < 3; i++) { /* a pipe takes less at once than was kept */
		ck_assert_int_eq(buffer_read(&text, fds[0], (size_t)1 << 20), -EAGAIN);
		error_message_retry();
	}
	ck_assert_int_eq(buffer_read(&text, fds[0], (size_t)1 << 20), -EAGAIN);
	dup2(before, STDERR_FILENO);
	buffer_char(&text, '\0');
	for (const char *at = text.bytes; (at = strstr(at, "panetop: test: message ")); at++)
		lines++;
	report = strstr(text.bytes, "blocked; ");
	ck_assert_ptr_nonnull(report);
	ck_assert_int_eq(sscanf(report, "blocked; %lu messages were dropped\n", &dropped), 1);
	ck_assert(lines > 100 && dropped > 0);
	ck_assert_uint_eq(lines + dropped, MESSAGES);
	buffer_free(&text);
	close(before);
	close(fds[0]);
	close(fds[1]);
}

/* Does a message that a full pipe kept out come through at the end, when somebody begins to read? */
static bool is_taken_at_the_end(void)
{
	int fds[2], before = dup(STDERR_FILENO), status;
	pid_t reads;

	ck_assert_int_eq(pipe2(fds, O_NONBLOCK), 0);
	while (write(fds[1], "x", 1) == 1)
		;
	dup2(fds[1], STDERR_FILENO);
	error_message("test", "the last one");
	fcntl(fds[0], F_SETFL, 0);
	reads = fork();
	if (reads == 0) {
		struct buffer text = { 0 };

		close(fds[1]);
		close(STDERR_FILENO);
		while (buffer_read(&text, fds[0], (size_t)1 << 20) == -EINTR)
			;
		buffer_char(&text, '\0');
		_exit(strstr(text.bytes, "xpanetop: test: the last one\n") ? 0 : 1);
	}
	error_message_close();
	dup2(before, STDERR_FILENO);
	close(before);
	close(fds[1]);
	ck_assert_int_eq(waitpid(reads, &status, 0), reads);
	close(fds[0]);
	return status == 0;
}

/* It is waited for a second at most, in which a busy machine may not get to read. */
START_TEST(kept_messages_are_taken_at_the_end)
{
	bool taken = false;

	for (unsigned i = 0; i < 20 && !taken; i++)
		taken = is_taken_at_the_end();
	ck_assert(taken);
}

/* For who asks later: without the name of the program, clean, a line each, and not for ever. */
START_TEST(messages_are_kept_for_a_report)
{
	int before = dup(STDERR_FILENO), fds[2];
	struct buffer text = { 0 };
	size_t length;

	ck_assert_str_eq(error_message_log(), "");
	ck_assert_int_eq(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	dup2(fds[1], STDERR_FILENO);
	error_message("file", "%s %d", "why", 7);
	error_message(NULL, "alone");
	error_message("a\nb", "c\033d");
	ck_assert_int_eq(buffer_read(&text, fds[0], SIZE_MAX), -EAGAIN);
	dup2(before, STDERR_FILENO);
	buffer_char(&text, '\0');
	ck_assert_ptr_nonnull(strstr(text.bytes, "panetop: file: why 7\npanetop: alone\npanetop: a"));
	ck_assert_int_eq(strncmp(error_message_log(), "file: why 7\nalone\na", 19), 0);
	ck_assert_ptr_null(strstr(error_message_log(), "panetop"));
	ck_assert_ptr_null(strchr(error_message_log(), '\033'));
	length = strlen(error_message_log());
	ck_assert_int_eq(error_message_log()[length - 1], '\n');
	dup2(fds[1], STDERR_FILENO);
	for (int i = 0; i < 2000; i++) {
		error_message("many", "message");
		buffer_empty(&text);
		buffer_read(&text, fds[0], SIZE_MAX);
	}
	dup2(before, STDERR_FILENO);
	length = strlen(error_message_log());
	ck_assert(length > 8192 && length <= 16384);
	ck_assert_str_eq(error_message_log() + length - 14, "many: message\n");
	error_message_close();
	ck_assert_str_eq(error_message_log(), "");
	close(before);
	close(fds[0]);
	close(fds[1]);
	buffer_free(&text);
}

START_TEST(a_thread_can_be_started)
{
	ck_assert_int_eq(worker_try_thread(), 0);
}

/* One costly sample is none too many; three are, and the delay stays ten times their cost. */
START_TEST(costly_samples_come_less_often)
{
	static const struct {
		uint64_t cost, delay;
		bool changed;
	} steps[] = {
		{ 500, 5000, true }, /* the first, alone */
		{ 50, 1000, true },  { 900, 1000, false }, { 900, 1000, false },
		{ 800, 8000, true }, { 810, 8000, false }, { 790, 8000, false },
		{ 10, 1000, true },  { 10, 1000, false },
	};
	struct rate_limit rate_limit = { .costs_ns = { UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	bool changed;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		ck_assert_uint_eq(rate_limit_delay(&rate_limit, steps[i].cost, 1000, &changed),
				  steps[i].delay);
		ck_assert_int_eq(changed, steps[i].changed);
		if (steps[i].delay > 1000)
			ck_assert_uint_le(rate_limit.cost_ns, steps[i].delay / 10);
	}
	rate_limit = (struct rate_limit){ 0 };
	ck_assert_uint_eq(rate_limit_delay(&rate_limit, 500, 1000, &changed),
			  1000); /* from zero three are needed */
	ck_assert_uint_eq(rate_limit_delay(&rate_limit, 500, 1000, &changed), 1000);
	ck_assert_uint_eq(rate_limit_delay(&rate_limit, 500, 1000, &changed), 5000);
	rate_limit = (struct rate_limit){ .share = 110, .costs_ns = { UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	ck_assert_uint_eq(rate_limit_delay(&rate_limit, 9, 1000, &changed), 1000);
	ck_assert_uint_eq(rate_limit_delay(&rate_limit, 20, 1000, &changed), 1000); /* the cheapest counts */
	rate_limit_delay(&rate_limit, 20, 1000, &changed);
	ck_assert_uint_eq(rate_limit_delay(&rate_limit, 20, 1000, &changed), 2200);
}

START_TEST(the_cheapest_of_three_samples_counts)
{
	bool changed;

	for (unsigned before = 0; before < 4; before++) {
		struct rate_limit limit = { 0 };

		for (unsigned i = 0; i < before + 3; i++)
			rate_limit_delay(&limit, 900, 1, &changed);
		rate_limit_delay(&limit, 300, 1, &changed);
		for (unsigned i = 0; i < 2; i++) {
			rate_limit_delay(&limit, 900, 1, &changed);
			ck_assert_uint_eq(limit.cost_ns, 300);
		}
		rate_limit_delay(&limit, 900, 1, &changed);
		ck_assert_uint_eq(limit.cost_ns, 900);
	}
}

/* Up to a tenth of the delay; a longer one changes when it is to be twice or half as long. */
START_TEST(edges_of_costly_samples)
{
	struct rate_limit limit = { .costs_ns = { UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	bool changed;

	ck_assert_uint_eq(rate_limit_delay(&limit, 100, 1000, &changed), 1000);
	limit.costs_ns[0] = UINT64_MAX;
	ck_assert_uint_eq(rate_limit_delay(&limit, 101, 1000, &changed), 1010);
	ck_assert(changed);
	limit.costs_ns[1] = UINT64_MAX;
	ck_assert_uint_eq(rate_limit_delay(&limit, 201, 1000, &changed), 1010);
	ck_assert(!changed);
	limit.costs_ns[2] = UINT64_MAX;
	ck_assert_uint_eq(rate_limit_delay(&limit, 202, 1000, &changed), 2020);
	limit.costs_ns[0] = UINT64_MAX;
	ck_assert_uint_eq(rate_limit_delay(&limit, 102, 1000, &changed), 2020);
	limit.costs_ns[1] = limit.costs_ns[0] = UINT64_MAX;
	ck_assert_uint_eq(rate_limit_delay(&limit, 101, 1000, &changed), 1010);
}

/* As many as a large file may hold: looking one up must not take longer for it. */
START_TEST(lines_may_be_many)
{
	struct config_lines lines = { 0 };
	struct buffer text = { 0 };
	char name[32];

	for (unsigned i = 0; i < 200000; i++)
		buffer_print(&text, "name%u = %u\n", i, i);
	ck_assert_uint_eq(config_lines_parse(&lines, span_of(text.bytes, text.length)), 0);
	ck_assert_uint_eq(config_lines_parse(&lines, span_text("name7 = other")), 0);
	ck_assert_uint_eq(lines.n_items, 200000);
	for (unsigned i = 8; i < 200000; i++) {
		snprintf(name, sizeof(name), "name%u", i);
		ck_assert_str_eq(config_lines_get(&lines, name), name + 4);
	}
	ck_assert_str_eq(config_lines_get(&lines, "name7"), "other");
	ck_assert_str_eq(config_lines_get(&lines, "name199998"), "199998");
	config_lines_set(&lines, "name0", NULL, 0);
	ck_assert_ptr_null(config_lines_get(&lines, "name0"));
	ck_assert_str_eq(config_lines_get(&lines, "name12"), "12");
	ck_assert_str_eq(lines.items[0].name, "name1"); /* in their order */
	config_lines_free(&lines);
	buffer_free(&text);
}

START_TEST(lines_survive_their_file)
{
	struct config_lines lines = { 0 }, again = { 0 };
	struct buffer file = { 0 };

	ck_assert_uint_eq(config_lines_parse(&lines, span_text("# note\n a = b = c \r\n\nx=\n")), 0);
	ck_assert_str_eq(config_lines_get(&lines, "a"), "b = c");
	ck_assert_str_eq(config_lines_get(&lines, "x"), "");
	ck_assert_ptr_null(config_lines_get(&lines, "y"));
	ck_assert_uint_eq(config_lines_parse(&lines, span_text("a = 1\nnonsense\n= 2\na = 3")), 2);
	ck_assert_str_eq(config_lines_get(&lines, "a"), "3");
	config_lines_set(&lines, "y", "line\nbreak", 0);
	config_lines_set(&lines, "x", NULL, 0);
	config_lines_rewrite(&lines, span_text(""), NULL, &file);
	ck_assert_uint_eq(config_lines_parse(&again, span_of(file.bytes, file.length)), 0);
	ck_assert_uint_eq(again.n_items, 2);
	ck_assert_str_eq(config_lines_get(&again, "y"), "line break");
	buffer_free(&file);
	config_lines_free(&lines);
	config_lines_free(&again);
}

static bool is_short(const char *name)
{
	return strlen(name) == 1;
}

START_TEST(lines_are_written_into_their_file)
{
	static const char old[] =
		"# mine\n\n a =  1\nb = 2 # two\n  # more\nc=3\nlater = 4\na = 5\nnonsense\n";
	struct config_lines lines = { 0 };
	struct buffer file = { 0 };

	ck_assert_uint_eq(config_lines_parse(&lines, span_text(old)), 9);
	ck_assert_uint_eq(config_lines_find(&lines, "a")->number, 8);
	ck_assert_uint_eq(config_lines_find(&lines, "c")->number, 6);
	config_lines_set(&lines, "later", NULL, 0); /* it is of another version, which alone knows it */
	config_lines_set(&lines, "a", "1", 0);
	config_lines_rewrite(&lines, span_text(old), is_short, &file);
	buffer_char(&file, '\0');
	ck_assert_str_eq(file.bytes,
			 "# mine\n\n a =  1\nb = 2 # two\n  # more\nc=3\nlater = 4\nnonsense\n");
	config_lines_set(&lines, "b", "7", 0);
	config_lines_set(&lines, "c", NULL, 0);
	config_lines_set(&lines, "d", "new", 0);
	buffer_empty(&file);
	config_lines_rewrite(&lines, span_text(old), is_short, &file);
	buffer_char(&file, '\0');
	ck_assert_str_eq(file.bytes,
			 "# mine\n\n a =  1\nb = 7\n  # more\nlater = 4\nnonsense\nd = new\n");
	ck_assert_uint_eq(config_lines_find(&lines, "d")->number, 0);
	buffer_free(&file);
	config_lines_free(&lines);
}

static void write_file(const char *directory, const char *name, const char *text)
{
	int fd;

	fd = open(textf("%s/%s", directory, name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void make_root(char *directory)
{
	scratch_directory(directory, "core");
	ck_assert_int_eq(mkdir(textf("%s/proc", directory), 0700), 0);
}

/* What a caller's buffer held is told when the buffer is gone. */
START_TEST(env_keeps_failed_paths)
{
	char root[SCRATCH_PATH_MAX], path[] = "sys/one";
	struct env env;

	make_root(root);
	ck_assert_int_eq(env_open(&env, root), 0);
	env_note_failure(&env, path, -EIO);
	memset(path, 'x', sizeof(path) - 1);
	ck_assert_str_eq(env_failed_path(&env, -EIO), "sys/one");
	for (int i = 0; i < 2 * ENV_FAILURES_MAX; i++)
		env_note_failure(&env, "more", -EPERM);
	env_forget_failures(&env);
	ck_assert_ptr_null(env_failed_path(&env, -EIO));
	env_close(&env);
}

/* One read per tick, the same text for all who ask; a file that appears later is found. */
START_TEST(env_reads_once_per_tick)
{
	char root[SCRATCH_PATH_MAX];
	struct env env;
	struct env_file *file;
	struct span text;

	make_root(root);
	ck_assert_int_eq(env_open(&env, root), 0);
	env.tick = 1;
	file = env_file(&env, "proc/x");
	ck_assert_ptr_eq(env_file(&env, "proc/x"), file);
	ck_assert_int_eq(env_read(&env, file, &text), -ENOENT);
	ck_assert_str_eq(env_failed_path(&env, -ENOENT), "proc/x");
	ck_assert_ptr_null(env_failed_path(&env, -EACCES));
	write_file(root, "proc/x", "one");
	ck_assert_int_eq(env_read(&env, file, &text), -ENOENT);
	env.tick = 2;
	ck_assert_int_eq(env_read(&env, file, &text), 0);
	ck_assert(span_is(text, "one"));
	write_file(root, "proc/x", "two");
	ck_assert_int_eq(env_read(&env, file, &text), 0);
	ck_assert(span_is(text, "one"));
	env.tick = 3;
	ck_assert_int_eq(env_read(&env, file, &text), 0);
	ck_assert(span_is(text, "two"));
	ck_assert(!env.live);
	env_close(&env);
}

static bool is_in(struct span text, const char *name)
{
	return memmem(text.at, span_length(text), name, strlen(name));
}

/* The list of mounts is read at first, and when it has changed. */
START_TEST(env_reads_announced_changes)
{
	char place[] = "/tmp/announced.XXXXXX";
	struct env env;
	struct env_file *file;
	struct span text;
	uint64_t reads;

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		skip_test("a mount namespace cannot be made: %s", strerror(errno));
	ck_assert_ptr_nonnull(mkdtemp(place));
	ck_assert_int_eq(env_open(&env, "/"), 0);
	env.tick = 1;
	file = env_file_announced(&env, "proc/self/mountinfo");
	ck_assert_int_eq(env_read(&env, file, &text), 0);
	ck_assert(!is_in(text, place));
	reads = env.reads;
	env.tick = 2;
	ck_assert_int_eq(env_read(&env, file, &text), 0);
	ck_assert_uint_eq(env.reads, reads);
	ck_assert_int_eq(mount("none", place, "tmpfs", 0, NULL), 0);
	env.tick = 3;
	ck_assert_int_eq(env_read(&env, file, &text), 0);
	ck_assert_uint_gt(env.reads, reads);
	ck_assert(is_in(text, place));
	umount(place);
	rmdir(place);
	env_close(&env);
}

/* What proc/self is: of this namespace, of one further out, a copy, or from before Linux 4.1. */
START_TEST(env_finds_its_own_pid)
{
	static const struct {
		const char *status; /* of proc/self, with our pid for each %1$d */
		bool ours;
		uint32_t pid; /* 0: as we call it */
	} cases[] = {
		{ "Name:\tpanetop\nPid:\t%1$d\nNSpid:\t%1$d\n", true, 0 },
		{ "Pid:\t4321\nPPid:\t%1$d\nNSpid:\t4321\t77\t%1$d\n", true, 4321 },
		{ "Pid:\t%1$d\n", true, 0 },
		{ "Pid:\t1%1$d\nNSpid:\t1%1$d\n", false, 0 },
		{ "Pid:\t%1$d\nNSpid:\t%1$d\t1%1$d\n", false, 0 },
		{ "NSpid:\t\n", false, 0 },
		{ "", false, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char root[SCRATCH_PATH_MAX], text[160];
		uint32_t pid = cases[i].pid ? cases[i].pid : (uint32_t)getpid();
		struct env env;

		make_root(root);
		ck_assert_int_eq(mkdir(textf("%s/proc/self", root), 0755), 0);
		snprintf(text, sizeof(text), cases[i].status, (int)getpid()); /* NOLINT */
		write_file(root, "proc/self/status", text);
		ck_assert_int_eq(env_open(&env, root), 0);
		ck_assert_msg(env.own_pid == (cases[i].ours ? pid : 0), "case %zu: %u", i, env.own_pid);
		ck_assert(!env.foreign_pids); /* nothing is done to processes of another root */
		env_close(&env);
	}
}

START_TEST(env_knows_this_machine)
{
	struct env env;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	ck_assert_uint_eq(env.own_pid, (uint32_t)getpid());
	ck_assert(!env.foreign_pids);
	env_close(&env);
}

/* Neither a pipe nor a directory nor a huge file in the place of a kernel file stops the program. */
START_TEST(env_refuses_strange_files)
{
	char root[SCRATCH_PATH_MAX], path[128];
	struct env env;
	struct span text;

	make_root(root);
	ck_assert_int_eq(env_open(&env, root), 0);
	snprintf(path, sizeof(path), "%s/proc/fifo", root);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_lt(env_read(&env, env_file(&env, "proc/fifo"), &text), 0);
	ck_assert_int_eq(env_read(&env, env_file(&env, "proc"), &text), -EISDIR);
	snprintf(path, sizeof(path), "%s/proc/huge", root);
	ck_assert_int_eq(close(creat(path, 0600)), 0);
	ck_assert_int_eq(truncate(path, (off_t)1 << 30), 0);
	ck_assert_int_eq(env_read(&env, env_file(&env, "proc/huge"), &text), -EFBIG);
	env_close(&env);
	snprintf(path, sizeof(path), "%s/none", root);
	ck_assert_int_eq(env_open(&env, path), -ENOENT);
}

START_TEST(lists_pids_and_reads_their_files)
{
	struct env env;
	const uint32_t *pids;
	size_t n_pids, mask = 0;
	char bytes[64];

	ck_assert_int_eq(env_open(&env, fixture_root("readers", 0)), 0);
	ck_assert_int_eq(pids_list(&env, &pids, &n_pids), 0);
	ck_assert_uint_eq(n_pids, 4);
	for (size_t i = 0; i < n_pids; i++)
		mask |= pids[i] == 1 ? 1u : pids[i] == 7 ? 2u : pids[i] == 42 ? 4u : pids[i] == 99 ? 8u : 16u;
	ck_assert_uint_eq(mask, 15);
	ck_assert_int_eq(pids_read(&env, 7, "io", bytes, sizeof(bytes)), 64);
	ck_assert_int_eq(pids_read(&env, 8, "io", bytes, sizeof(bytes)), -ENOENT);
	env_close(&env);
	ck_assert_int_eq(env_open(&env, "/var"), 0);
	ck_assert_int_eq(pids_list(&env, &pids, &n_pids), -ENOENT);
	env_close(&env);
}

/* In a copy of /proc, in any order; other names that begin as numbers are none. */
START_TEST(pids_are_whole_numbers_in_order)
{
	static const char *const names[] = { "10", "9",          "1",  "2147483647", "0",
					     "01", "2147483648", "7x", "+3",         "self" };
	static const uint32_t wanted[] = { 1, 9, 10, INT32_MAX };
	char root[SCRATCH_PATH_MAX];
	const uint32_t *pids;
	struct env env;
	size_t n_pids;

	scratch_directory(root, "pids");
	ck_assert_int_eq(mkdir(textf("%s/proc", root), 0700), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_int_eq(mkdir(textf("%s/proc/%s", root, names[i]), 0700), 0);
	ck_assert_int_eq(mkdir(textf("%s/proc/9/task", root), 0700), 0);
	for (int tid = 11; tid >= 9; tid--)
		ck_assert_int_eq(mkdir(textf("%s/proc/9/task/%d", root, tid), 0700), 0);
	ck_assert_int_eq(env_open(&env, root), 0);
	ck_assert_int_eq(pids_list(&env, &pids, &n_pids), 0);
	ck_assert_uint_eq(n_pids, sizeof(wanted) / sizeof(wanted[0]));
	ck_assert_int_eq(memcmp(pids, wanted, sizeof(wanted)), 0);
	ck_assert_int_eq(pids_threads(&env, 9, &pids, &n_pids), 0);
	ck_assert(n_pids == 3 && pids[0] == 9 && pids[1] == 10 && pids[2] == 11);
	ck_assert_int_eq(pids_threads(&env, 10, &pids, &n_pids), -ENOENT);
	env_close(&env);
}

START_TEST(long_files_of_a_process_are_read_in_parts)
{
	char root[SCRATCH_PATH_MAX], line[64];
	struct buffer text = { 0 };
	struct env env;
	uint32_t uid = 7;
	int kept = -1;
	FILE *file;

	scratch_directory(root, "pids");
	ck_assert_int_eq(mkdir(textf("%s/proc", root), 0700), 0);
	ck_assert_int_eq(mkdir(textf("%s/proc/9", root), 0700), 0);
	file = fopen(textf("%s/proc/9/maps", root), "w");
	for (int i = 0; i < 2500; i++)
		fprintf(file, "%04d\n", i);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(env_open(&env, root), 0);
	buffer_text(&text, "before");
	ck_assert_int_eq(pids_read_text(&env, 9, "maps", &text), 0);
	ck_assert(text.length == 12500 && memcmp(text.bytes, "0000\n", 5) == 0);
	ck_assert_int_eq(memcmp(text.bytes + 12495, "2499\n", 5), 0);
	ck_assert_int_eq(pids_read_most(&env, 9, "maps", 4096, &text), 0);
	ck_assert_uint_eq(text.length, 4096);
	ck_assert_int_eq(pids_read_most(&env, 9, "maps", 4097, &text), 0);
	ck_assert_uint_eq(text.length, 8192);
	ck_assert_int_eq(pids_read_text(&env, 9, "io", &text), -ENOENT);
	for (int i = 0; i < 2; i++) { /* from the start each time, though it stays open */
		ck_assert_int_eq(pids_read_kept(&env, &kept, 9, "maps", line, 5), 5);
		ck_assert_int_eq(memcmp(line, "0000\n", 5), 0);
		ck_assert(kept >= 0 && env.pids.n_kept == 1);
	}
	pids_release(&env, &kept);
	ck_assert(kept == -1 && env.pids.n_kept == 0);
	pids_release(&env, &kept);
	ck_assert_uint_eq(env.pids.n_kept, 0);
	ck_assert_int_eq(pids_read_kept(&env, &kept, 9, "io", line, 5), -ENOENT);
	ck_assert(kept == -1 && env.pids.n_kept == 0);
	env.pids.kept_max = 0; /* it is read nevertheless */
	ck_assert_int_eq(pids_read_kept(&env, &kept, 9, "maps", line, 5), 5);
	ck_assert(kept == -1 && env.pids.n_kept == 0);
	ck_assert(pids_owner(&env, 9, &uid) && uid == geteuid());
	ck_assert(!pids_owner(&env, 8, &uid) && uid == geteuid());
	env_close(&env);
	buffer_free(&text);
}

/* A process of another root, with a link and a file. */
START_TEST(links_and_files_of_a_process)
{
	char root[SCRATCH_PATH_MAX], path[SCRATCH_PATH_MAX + 32], bytes[64];
	int first = -1, second = -1, fd;
	struct env env;

	make_root(root);
	snprintf(path, sizeof(path), "%s/proc/9", root);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	write_file(root, "proc/9/io", "0123456789");
	snprintf(path, sizeof(path), "%s/proc/9/cwd", root);
	ck_assert_int_eq(symlink("/somewhere/else", path), 0);
	ck_assert_int_eq(env_open(&env, root), 0);
	env.reads = 0;
	ck_assert_int_eq(pids_read_link(&env, 9, "cwd", bytes, sizeof(bytes)), 15);
	ck_assert_int_eq(memcmp(bytes, "/somewhere/else", 15), 0);
	ck_assert_int_eq(pids_read_link(&env, 9, "cwd", bytes, 5), 5);
	ck_assert_uint_eq(env.reads, 2);
	ck_assert_int_eq(pids_read_link(&env, 9, "none", bytes, sizeof(bytes)), -ENOENT);
	ck_assert_int_eq(pids_read_link(&env, 8, "cwd", bytes, sizeof(bytes)), -ENOENT);
	env.reads = 0;
	ck_assert_int_eq(pids_read(&env, 9, "io", bytes, sizeof(bytes)), 10);
	ck_assert_int_eq(pids_read(&env, 9, "io", bytes, 4), 4);
	ck_assert_uint_eq(env.reads, 2);
	fd = pids_open(&env, 9, "io", O_RDONLY);
	ck_assert(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
	ck_assert_int_eq(fcntl(fd, F_GETFL) & (O_NONBLOCK | O_ACCMODE), O_NONBLOCK | O_RDONLY);
	close(fd);
	ck_assert_int_eq(pids_open(&env, 9, "io", O_RDONLY | O_DIRECTORY), -ENOTDIR);
	ck_assert_int_eq(pids_open(&env, 9, "none", O_RDONLY), -ENOENT);
	env.pids.kept_max = 1;
	for (int i = 0; i < 2; i++) { /* there is room for one that stays open */
		ck_assert_int_eq(pids_read_kept(&env, &first, 9, "io", bytes, 3), 3);
		ck_assert(first >= 0 && env.pids.n_kept == 1);
		ck_assert_int_eq(pids_read_kept(&env, &second, 9, "io", bytes, 3), 3);
		ck_assert(second == -1 && env.pids.n_kept == 1);
	}
	snprintf(path, sizeof(path), "%s/proc/9/io", root);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(pids_read_kept(&env, &first, 9, "io", bytes, 3), 3); /* it is open */
	ck_assert_int_eq(pids_read_kept(&env, &second, 9, "io", bytes, 3), -ENOENT);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	env.pids.kept_max = 9;
	ck_assert_int_eq(pids_read_kept(&env, &second, 9, "io", bytes, 3), -EISDIR);
	ck_assert(second == -1 && env.pids.n_kept == 1); /* what fails is closed */
	pids_release(&env, &first);
	env_close(&env);
}

/* How far the giving out of pids has come on this machine. */
static struct env_pids_mark mark_now(struct env *env)
{
	struct stat_totals totals;
	struct loadavg loadavg;
	struct span text;

	ck_assert_int_eq(env_read(env, env_file(env, "proc/loadavg"), &text), 0);
	ck_assert(loadavg_parse(text, &loadavg));
	ck_assert_int_eq(env_read(env, env_file(env, "proc/stat"), &text), 0);
	stat_totals_parse(text, &totals);
	return (struct env_pids_mark){ .forks = totals.forks, .last_pid = loadavg.last_pid };
}

static bool lists(struct env *env, uint32_t wanted)
{
	struct env_pids_mark mark = mark_now(env);
	const uint32_t *pids;
	size_t n_pids;
	bool found = false;

	ck_assert_int_eq(pids_list_new(env, &mark, &pids, &n_pids), 0);
	for (size_t i = 0; i < n_pids; i++) {
		ck_assert(i == 0 || pids[i - 1] < pids[i]);
		found |= pids[i] == wanted;
	}
	return found;
}

START_TEST(lists_new_processes_in_parts)
{
	struct env_pids_mark before = { 0 };
	struct env env;
	unsigned n_parts = 0;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	for (env.tick = 1; env.tick <= 40; env.tick++) {
		pid_t child = env.tick % 3 == 0 ? 0 : fork();

		if (child == 0 && env.tick % 3 != 0) {
			pause();
			_exit(0);
		}
		ck_assert(lists(&env, (uint32_t)(child ? child : getpid())));
		ck_assert_uint_eq(env.pids.marks[1].forks, before.forks);
		before = env.pids.marks[0];
		n_parts += env.pids.n_parts > 0;
		if (child) {
			kill(child, SIGKILL);
			waitpid(child, NULL, 0);
		}
	}
	ck_assert_uint_gt(n_parts, 0);
	env_close(&env);
}

/* Of what came two listings before; the one before was a full one. */
static bool is_partial(struct env *env, struct env_pids_mark then, struct env_pids_mark now, unsigned n_parts)
{
	const uint32_t *pids;
	size_t n_pids;

	env->tick++;
	ck_assert_int_eq(pids_list(env, &pids, &n_pids), 0);
	env->pids.marks[1] = then;
	env->pids.n_parts = n_parts;
	if (env->pids.offset < 0)
		env->pids.offset = 0;
	env->tick++;
	ck_assert_int_eq(pids_list_new(env, &now, &pids, &n_pids), 0);
	return env->pids.n_parts == n_parts + 1;
}

#define MARK(forks, last_pid) ((struct env_pids_mark){ forks, last_pid })

/* Up to 1024 new processes are listed alone, seven times; not where PIDs may have wrapped. */
START_TEST(few_new_processes_are_listed_alone)
{
	struct env env;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	ck_assert(is_partial(&env, MARK(1000, 5), MARK(1000, 5), 0));
	ck_assert(is_partial(&env, MARK(1000, 5), MARK(2024, 1029), 0));
	ck_assert(!is_partial(&env, MARK(1000, 5), MARK(2025, 1029), 0));
	ck_assert(!is_partial(&env, MARK(1000, 5), MARK(2024, 1030), 0));
	ck_assert(!is_partial(&env, MARK(1000, 5), MARK(1001, 4), 0));
	ck_assert(!is_partial(&env, MARK(1000, 5), MARK(999, 6), 0));
	ck_assert(!is_partial(&env, MARK(0, 5), MARK(1, 6), 0));
	ck_assert(is_partial(&env, MARK(1, 5), MARK(2, 6), 6));
	ck_assert(!is_partial(&env, MARK(1, 5), MARK(2, 6), 7));
	env.pids.exits_known = true;
	ck_assert(is_partial(&env, MARK(1, 5), MARK(2, 6), 59));
	ck_assert(!is_partial(&env, MARK(1, 5), MARK(2, 6), 60));
	env_close(&env);
}

/* The other reasons, each of them alone, why all are listed: how the last listing was, and when. */
START_TEST(after_an_odd_listing_all_processes_are_listed)
{
	struct env_pids_mark now = MARK(2, 6);
	const uint32_t *pids;
	struct env env;
	size_t n_pids;

	for (int odd = 0; odd < 7; odd++) {
		ck_assert_int_eq(env_open(&env, "/"), 0);
		env.tick = 1;
		ck_assert_int_eq(pids_list(&env, &pids, &n_pids), 0);
		env.pids.marks[1] = MARK(1, 5);
		env.pids.offset = odd == 1 ? -1 : 0;
		env.pids.error = odd == 2 ? -EIO : 0;
		env.pids.sorted = odd != 3;
		env.pids.n_parts = odd == 4 ? 7 : 0;
		env.tick += odd == 5 ? 2 : 1;
		ck_assert_int_eq(pids_list_new(&env, odd == 6 ? NULL : &now, &pids, &n_pids), 0);
		ck_assert_msg(env.pids.n_parts == (odd == 0), "%d", odd);
		env_close(&env);
	}
	ck_assert_int_eq(env_open(&env, "/"), 0);
	for (env.tick = 1; env.tick <= 3; env.tick++) /* no mark is none, and begins no part */
		ck_assert_int_eq(pids_list_new(&env, env.tick == 3 ? &now : NULL, &pids, &n_pids), 0);
	ck_assert_uint_eq(env.pids.n_parts, 0);
	env_close(&env);
}

/* Sets what was listed to this process less one, this process, and others that do not exist. */
static size_t list_part(struct env *env, uint32_t first, uint32_t last, const uint32_t **pids)
{
	const uint32_t own = env->own_pid, before[] = { 1, own - 1, own + 1, INT32_MAX };
	struct env_pids_mark now = MARK(1001, last);
	size_t n_pids;

	env->tick++;
	ck_assert_int_eq(pids_list(env, pids, &n_pids), 0);
	if (!env->pids.sorted || env->pids.offset < 0)
		skip_test("this /proc has no places for processes");
	ck_assert_uint_ge(env->pids.capacity, 4);
	memcpy(env->pids.pids, before, sizeof(before));
	env->pids.count = 4;
	env->pids.marks[1] = MARK(1000, first);
	env->tick++;
	ck_assert_int_eq(pids_list_new(env, &now, pids, &n_pids), 0);
	ck_assert_uint_eq(env->pids.n_parts, 1);
	return n_pids;
}

/* What is read takes the place of what was listed there; below and above nothing changes. */
START_TEST(a_part_of_the_list_is_read_again)
{
	const uint32_t *pids;
	struct env env;
	uint32_t own;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	own = env.own_pid;
	if (own < 3)
		skip_test("this process is among the first ones");
	ck_assert_uint_eq(list_part(&env, own - 1, own, &pids), 5);
	ck_assert(pids[0] == 1 && pids[1] == own - 1 && pids[2] == own && pids[3] == own + 1);
	ck_assert_uint_eq(pids[4], INT32_MAX);
	ck_assert_uint_eq(list_part(&env, own, own, &pids), 4);
	ck_assert(pids[0] == 1 && pids[1] == own - 1 && pids[2] == own + 1 && pids[3] == INT32_MAX);
	env_close(&env);
}

/* What a loop told, a letter each. */
struct told {
	struct loop loop;
	char letters[32];
	unsigned n, stop_at; /* letters */
	int fds[2], test_fd, number;
	bool of_terminal;
};

static void tell(struct told *told, char letter)
{
	if (told->n < sizeof(told->letters) - 1)
		told->letters[told->n++] = letter;
	if (told->n == told->stop_at)
		loop_stop(&told->loop);
}

static void tell_tick(void *context)
{
	tell(context, 't');
}

static void tell_wake(void *context)
{
	tell(context, 'w');
}

static void tell_signal(void *context, int number, bool of_terminal)
{
	struct told *told = context;

	told->number = number;
	told->of_terminal = of_terminal;
	tell(context, 's');
}

static void tell_ready(void *context, uint32_t events)
{
	ck_assert_uint_eq(events, POLLIN);
	tell(context, 'r');
}

static void tell_once(void *context, uint32_t events)
{
	struct told *told = context;

	loop_unwatch(&told->loop, told->fds[0]);
	tell_ready(context, events);
	loop_wake_in(&told->loop, 1000);
}

static void open_loop(struct told *told, unsigned stop_at)
{
	static const int signals[] = { SIGUSR1, SIGUSR2, 0 };

	*told = (struct told){
		.loop = { .tick = tell_tick, .wake = tell_wake, .signal = tell_signal, .context = told },
		.stop_at = stop_at,
	};
	ck_assert_int_eq(loop_open(&told->loop, signals), 0);
	ck_assert_int_eq(pipe(told->fds), 0);
}

static void close_loop(struct told *told)
{
	loop_close(&told->loop);
	ck_assert(told->loop.epoll_fd == -1 && told->loop.tick_fd == -1);
	ck_assert(told->loop.wake_fd == -1 && told->loop.signal_fd == -1);
	close(told->fds[0]);
	close(told->fds[1]);
}

START_TEST(a_loop_ticks_until_it_is_stopped)
{
	struct told told;

	open_loop(&told, 3);
	ck_assert_int_eq(loop_set_tick(&told.loop, 1000000), 0);
	ck_assert_int_eq(loop_run(&told.loop), 0);
	ck_assert_str_eq(told.letters, "ttt");
	told.loop.stopped = false;
	told.stop_at = 4;
	ck_assert_int_eq(loop_set_tick(&told.loop, 0), 0);
	loop_wake_in(&told.loop, UINT64_C(3600000000000));
	loop_wake_in(&told.loop, 1); /* in its place */
	ck_assert_int_eq(loop_run(&told.loop), 0);
	ck_assert_str_eq(told.letters, "tttw");
	ck_assert_int_eq(loop_run(&told.loop), 0); /* it is stopped */
	ck_assert_str_eq(told.letters, "tttw");
	close_loop(&told);
}

START_TEST(a_loop_calls_what_is_ready)
{
	struct told told;

	open_loop(&told, 2);
	ck_assert_int_eq(loop_watch(&told.loop, told.fds[0], POLLIN, tell_ready, &told), 0);
	ck_assert_int_eq(loop_watch(&told.loop, told.fds[0], POLLIN, tell_ready, &told), -EEXIST);
	ck_assert_int_eq(write(told.fds[1], "x", 1), 1);
	ck_assert_int_eq(loop_run(&told.loop), 0);
	ck_assert_str_eq(told.letters, "rr"); /* it was not read */
	close_loop(&told);
	open_loop(&told, 2);
	ck_assert_int_eq(loop_watch(&told.loop, told.fds[0], POLLIN, tell_once, &told), 0);
	ck_assert_int_eq(write(told.fds[1], "x", 1), 1);
	ck_assert_int_eq(loop_run(&told.loop), 0);
	ck_assert_str_eq(told.letters, "rw");
	close_loop(&told);
}

/* A byte of a pipe in each call, and no answer yet. */
static void tell_byte(void *context, uint32_t events)
{
	struct told *told = context;
	char byte;

	ck_assert_int_eq(read(told->fds[0], &byte, 1), 1);
	ck_assert_int_eq(recv(told->test_fd, &byte, 1, MSG_DONTWAIT), -1);
	tell_ready(told, events);
}

START_TEST(a_loop_answers_a_test_when_nothing_is_left)
{
	int sockets[2];
	char bytes[4];
	struct told told;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	ck_assert_int_eq(setenv("PANETOP_TEST_FD", textf("%d", sockets[1]), 1), 0);
	open_loop(&told, 4);
	unsetenv("PANETOP_TEST_FD");
	told.test_fd = sockets[0];
	ck_assert_int_eq(recv(sockets[0], bytes, sizeof(bytes), MSG_DONTWAIT), 1);
	ck_assert_int_eq(bytes[0], 0);
	ck_assert_int_eq(loop_watch(&told.loop, told.fds[0], POLLIN, tell_byte, &told), 0);
	ck_assert_int_eq(write(sockets[0], "x", 1), 1);
	ck_assert_int_eq(write(told.fds[1], "abc", 3), 3);
	loop_wake_in(&told.loop, 100000000);
	ck_assert_int_eq(loop_run(&told.loop), 0);
	ck_assert_str_eq(told.letters, "rrrw");
	ck_assert_int_eq(recv(sockets[0], bytes, sizeof(bytes), MSG_DONTWAIT), 1);
	ck_assert_int_eq(bytes[0], 'x');
	close(sockets[0]);
	close(sockets[1]);
	close_loop(&told);
}

START_TEST(a_loop_hears_signals)
{
	struct told told;

	open_loop(&told, 2);
	ck_assert(loop_poll_signals(&told.loop));
	ck_assert_int_eq(kill(getpid(), SIGUSR1), 0);
	ck_assert(loop_poll_signals(&told.loop));
	ck_assert(told.number == SIGUSR1 && !told.of_terminal && told.n == 1);
	ck_assert(loop_poll_signals(&told.loop));
	ck_assert_uint_eq(told.n, 1);
	ck_assert_int_eq(kill(getpid(), SIGUSR2), 0);
	ck_assert_int_eq(loop_run(&told.loop), 0);
	ck_assert_str_eq(told.letters, "ss");
	ck_assert_int_eq(told.number, SIGUSR2);
	ck_assert(!loop_poll_signals(&told.loop));
	close_loop(&told);
}

/* As those of nohup. */
START_TEST(a_loop_leaves_ignored_signals_ignored)
{
	struct told told;

	signal(SIGUSR1, SIG_IGN);
	open_loop(&told, 1);
	ck_assert_int_eq(kill(getpid(), SIGUSR1), 0);
	ck_assert(loop_poll_signals(&told.loop));
	ck_assert_int_eq(kill(getpid(), SIGUSR2), 0);
	ck_assert(!loop_poll_signals(&told.loop));
	ck_assert(told.n == 1 && told.number == SIGUSR2);
	close_loop(&told);
}

START_TEST(a_loop_refuses_files_and_more_than_it_has_room_for)
{
	struct told told;
	int fd = open("/proc/self/exe", O_RDONLY), last;
	unsigned n;

	open_loop(&told, 1);
	n = told.loop.n_watches;
	ck_assert_int_eq(loop_watch(&told.loop, fd, POLLIN, tell_ready, &told), -EPERM);
	ck_assert_uint_eq(told.loop.n_watches, n);
	for (; n < LOOP_WATCHES_MAX; n++)
		ck_assert_int_eq(loop_watch(&told.loop, dup(told.fds[0]), POLLIN, tell_ready, &told), 0);
	last = dup(told.fds[0]);
	ck_assert_int_eq(loop_watch(&told.loop, last, POLLIN, tell_ready, &told), -ENOSPC);
	close(last);
	close(fd);
	ck_assert_int_eq(write(told.fds[1], "x", 1), 1);
	ck_assert_int_eq(loop_run(&told.loop), 0);
	ck_assert_str_eq(told.letters, "r"); /* the others are not called when it is stopped */
	close_loop(&told);
}

START_TEST(signals_that_would_end_a_run_are_seen_waiting)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	const struct timespec now = { 0 };
	sigset_t set;

	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	ck_assert(!loop_signal_waits());
	ck_assert_int_eq(kill(getpid(), SIGUSR1), 0);
	ck_assert(!loop_signal_waits());
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_int_eq(kill(getpid(), numbers[i]), 0);
		ck_assert_msg(loop_signal_waits(), "%d", numbers[i]);
		sigemptyset(&set);
		sigaddset(&set, numbers[i]);
		ck_assert_int_eq(sigtimedwait(&set, NULL, &now), numbers[i]);
		ck_assert(!loop_signal_waits());
	}
}

struct sum_job {
	struct worker_job job;
	int value, sum;
	bool done;
};

static void sum_run(struct worker_job *job)
{
	struct sum_job *sum = (struct sum_job *)job;

	sum->sum = sum->value + 1;
}

static void sum_done(struct worker_job *job)
{
	((struct sum_job *)job)->done = true;
}

START_TEST(worker_gives_every_job_back)
{
	struct sum_job jobs[20] = { 0 };
	struct worker *worker = worker_open();
	struct pollfd wait = { .fd = worker_fd(worker), .events = POLLIN };
	int finished = 0;

	for (int i = 0; i < 20; i++) {
		jobs[i] = (struct sum_job){ .job = { .run = sum_run, .done = sum_done }, .value = i };
		worker_submit(worker, &jobs[i].job);
	}
	while (finished < 20) {
		ck_assert_int_eq(poll(&wait, 1, 10000), 1);
		worker_collect(worker);
		finished = 0;
		for (int i = 0; i < 20; i++)
			finished += jobs[i].done;
	}
	for (int i = 0; i < 20; i++)
		ck_assert_int_eq(jobs[i].sum, i + 1);
	worker_close(worker);
}

/* A single helper sleeps until the next job. */
START_TEST(an_idle_worker_is_woken)
{
	struct worker *worker = worker_open();
	struct pollfd wait = { .fd = worker_fd(worker), .events = POLLIN };

	for (int i = 0; i < 20; i++) {
		struct sum_job job = { .job = { .run = sum_run, .done = sum_done }, .value = i };

		worker_submit(worker, &job.job);
		ck_assert_int_eq(poll(&wait, 1, 10000), 1);
		worker_collect(worker);
		ck_assert(job.done);
		usleep(1000); /* it goes to sleep meanwhile, but need not */
	}
	worker_close(worker);
}

static void slow_run(struct worker_job *job)
{
	usleep(50000);
	sum_run(job);
}

START_TEST(a_closed_worker_gives_back_what_waited)
{
	struct sum_job jobs[4] = { 0 };
	struct worker *worker = worker_open();

	for (int i = 0; i < 4; i++) {
		jobs[i] = (struct sum_job){ .job = { .run = slow_run, .done = sum_done }, .value = i };
		worker_submit(worker, &jobs[i].job);
	}
	worker_close(worker);
	for (int i = 0; i < 4; i++) {
		ck_assert(jobs[i].done);
		ck_assert(jobs[i].job.dropped);
	}
	ck_assert_int_eq(jobs[3].sum, 0);
}

static void stuck_run(struct worker_job *job)
{
	struct sum_job *stuck = (struct sum_job *)job;
	char byte;

	stuck->sum = (int)read(stuck->value, &byte, 1);
}

/* One job is at its pipe for ever: what waits behind it is done all the same, and soon. */
START_TEST(a_team_goes_on_when_one_is_stuck)
{
	struct sum_job jobs[6] = { 0 };
	struct worker *team = worker_open_team();
	uint64_t until_ns = real_mono_ns() + UINT64_C(10000000000);
	int finished = 0, pipes[2];
	char byte = 0;

	ck_assert_int_eq(pipe(pipes), 0);
	jobs[0].job = (struct worker_job){ .run = stuck_run, .done = sum_done };
	jobs[0].value = pipes[0];
	for (int i = 1; i < 6; i++)
		jobs[i] = (struct sum_job){ .job = { .run = sum_run, .done = sum_done }, .value = i };
	for (int i = 0; i < 6; i++)
		worker_submit(team, &jobs[i].job);
	while (finished < 5 && real_mono_ns() < until_ns) {
		worker_wait(team, until_ns);
		finished = 0;
		for (int i = 1; i < 6; i++)
			finished += jobs[i].done && jobs[i].sum == i + 1;
	}
	ck_assert_int_eq(finished, 5);
	ck_assert(!jobs[0].done);
	ck_assert_int_eq(write(pipes[1], &byte, 1), 1);
	ck_assert(worker_close(team));
	ck_assert(jobs[0].done);
	close(pipes[0]);
	close(pipes[1]);
}

START_TEST(without_a_worker_jobs_run_at_once)
{
	struct sum_job job = { .job = { .run = sum_run, .done = sum_done }, .value = 4 };

	worker_submit(NULL, &job.job);
	ck_assert(job.done);
	ck_assert_int_eq(job.sum, 5);
}

static const char *nearest(const char *typed)
{
	static const char *const names[] = { "memory", "events", "resident_bytes", "RSS", "pid", "S" };
	struct near_name near = { .typed = span_text(typed) };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		near_name_try(&near, names[i]);
	return near.name ? near.name : "";
}

START_TEST(misspelt_names_are_recognized)
{
	ck_assert_str_eq(nearest("memroy"), "memory");
	ck_assert_str_eq(nearest("Event"), "events");
	ck_assert_str_eq(nearest("residnet_byte"), "resident_bytes");
	ck_assert_str_eq(nearest("rs"), "RSS");
	ck_assert_str_eq(nearest("residentt"), "resident_bytes"); /* of a name that goes on */
	ck_assert_str_eq(nearest("resid_ent"), "resident_bytes");
	ck_assert_str_eq(nearest("redidemd"), "");
	ck_assert_str_eq(nearest("pdi"), "pid");
	ck_assert_str_eq(nearest("nonsense"), "");
	ck_assert_str_eq(nearest("x"), "");
	ck_assert_str_eq(nearest(""), "");
	ck_assert_str_eq(nearest("a_name_that_is_far_too_long_for_any_of_these_names"), "");
}

START_TEST(typed_names_are_taken_in_any_case)
{
	ck_assert(typed_is(span_text("MEMory"), "memory"));
	ck_assert(!typed_is(span_text("memor"), "memory"));
	ck_assert(!typed_is(span_text("memoryx"), "memory"));
	ck_assert(typed_begins(span_text("MEM"), "memory"));
	ck_assert(!typed_begins(span_text(""), "memory"));
	ck_assert(!typed_begins(span_text("memoryx"), "memory"));
}

/* Also where the locale says otherwise, as the Turkish one of i: i is not I there. */
START_TEST(letters_of_ascii)
{
	for (int byte = -128; byte < 128; byte++) {
		bool capital = byte >= 'A' && byte <= 'Z', small = byte >= 'a' && byte <= 'z';

		ck_assert_int_eq(ascii_lower((char)byte), capital ? byte + ('a' - 'A') : byte);
		ck_assert_int_eq(ascii_upper((char)byte), small ? byte - ('a' - 'A') : byte);
	}
	ck_assert(ascii_same("INFINITE", "infinitive", 7));
	ck_assert(!ascii_same("INFINITE", "infinitive", 8));
	ck_assert(ascii_same("ii", "II", 3) && !ascii_same("ii", "IIi", 3) && !ascii_same("iii", "II", 3));
	ck_assert(!ascii_same("\xc4\xb0", "i", 1) && !ascii_same("@[", "`{", 2));
}

START_TEST(signals_have_names)
{
	ck_assert_str_eq(signal_name(SIGTERM), "TERM");
	ck_assert_str_eq(signal_name(SIGABRT), "ABRT");
	for (unsigned number = 1; number < 32; number++)
		ck_assert_int_eq(signal_number(signal_name(number)), (int)number);
	ck_assert_ptr_null(signal_name(0));
	ck_assert_ptr_null(signal_name(32));
	ck_assert_ptr_null(signal_name(UINT32_MAX));
	ck_assert_int_eq(signal_number("winch"), SIGWINCH);
	ck_assert_int_eq(signal_number("SIGTERM"), 0);
	ck_assert_int_eq(signal_number(""), 0);
}
