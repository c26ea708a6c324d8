/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of core: scanning, text cleaning, arena, buffer, settings, env, worker, loop. */
#include "rig.h"

#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include "core/buffer.h"
#include "core/clock.h"
#include "core/error_name.h"
#include "core/rate_limit.h"
#include "core/typed_name.h"
#include "core/utf8.h"
#include "kernel/system.h"
#include "sys/descriptor.h"
#include "sys/loop.h"
#include "sys/machine_thread.h"
#include "sys/pids.h"

START_TEST(times_of_day_and_dates)
{
	enum { DAY = 1732060800 };
	static const struct {
		const char *text;
		uint64_t near_seconds, from_seconds, whole_ns;
	} cases[] = {
		{ "12:03", 1732095000, DAY + 9 * 3600 + 33 * 60, UINT64_C(60000000000) },
		{ "9:30:01", 1732095000, DAY + 7 * 3600 + 1, 1000000000 },
		{ "2024-11-20T12:00:00", 5, 1732095000, 1000000000 },
		{ "2024-11-20 12:00", 5, 1732095000, UINT64_C(60000000000) },
		{ "2024-11-20T09:30:00Z", 5, 1732095000, 1000000000 },
		{ "2024-11-20T10:30:00.250+01:00", 5, 1732095000, 1000000 },
	};
	static const char *const wrong[] = {
		"", "12", "24:00", "12:60", "12:3", "12:03:", "12:03x", "12:03:07.", "2026-11-22",
		"2026-13-01T00:00", "12:03Z", "-12:03", " 12:03", "2026-11-22T12:03+1"
	};
	struct clock_time time;

	setenv("TZ", "XXX-02:30", 1);
	tzset();
	for (size_t i = 0; i < LENGTH(cases); i++) {
		ck_assert_msg(clock_parse(cases[i].text, cases[i].near_seconds * 1000000000, &time), "%s",
			      cases[i].text);
		ck_assert_uint_eq(time.from_ns / 1000000000, cases[i].from_seconds);
		ck_assert_uint_eq(time.whole_ns, cases[i].whole_ns);
	}
	ck_assert(clock_parse("2024-11-20T09:30:00.123456789Z", 5, &time));
	ck_assert(time.from_ns % 1000000000 == 123456789 && time.whole_ns == 1);
	for (size_t i = 0; i < LENGTH(wrong); i++)
		ck_assert_msg(!clock_parse(wrong[i], UINT64_C(1732095000000000000), &time), "%s", wrong[i]);
}

START_TEST(processes_are_listed_by_pid_name_and_program)
{
	static const struct {
		const char *list;
		uint64_t pid;
		const char *name, *program;
		bool listed;
	} cases[] = {
		{ "7,sh,42", 42, "bash", "", true },
		{ "7,sh", 1, "sh", "", true },
		{ "7,sh,42", 4, "s", "42", false },
		{ "7x", 7, "y", "7", false },
		{ "42", 1, "42", "42", false },
		{ "", 0, "", "", false },
		{ ",", 0, "", "/bin/", false },
		{ "python3", 1, "x.py", "/usr/bin/python3", true },
		{ "sh", 1, "", "sh", true },
		{ "/usr/bin/python3", 1, "", "/usr/bin/python3", false },
		{ "bin", 1, "", "/bin/sh", false },
		{ "gnome-terminal-server", 1, "gnome-terminal-", "", true }, /* cut by the kernel */
		{ "gnome-terminal-", 1, "gnome-terminal-", "", true },
		{ "gnome-terminal-server", 1, "gnome-terminal", "", false },
		{ "gnome-terminal", 1, "gnome-terminal-", "", false },
		{ "gnome-terminal-server", 1, "gnome", "gnome-terminal-", false },
	};

	for (size_t i = 0; i < LENGTH(cases); i++)
		ck_assert_msg(process_pattern_matches(span_text(cases[i].list), cases[i].pid,
						      span_text(cases[i].name),
						      span_text(cases[i].program)) == cases[i].listed,
			      "%s of %s", cases[i].name, cases[i].list);
	ck_assert(process_pattern_has_name(span_text("7,sh")) &&
		  !process_pattern_has_name(span_text("7,42")));
}

START_TEST(parts_of_text_end_where_they_should)
{
	struct span text = span_text("a,,b"), part, rest;
	uint64_t value = 7;

	ck_assert(span_item(&text, &part) && span_is(part, "a"));
	ck_assert(span_item(&text, &part) && span_is(part, ""));
	ck_assert(span_item(&text, &part) && span_is(part, "b") && !span_item(&text, &part));
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
	text = span_text("a\n\nlast");
	ck_assert(span_line(&text, &part) && span_is(part, "a") && span_line(&text, &part) &&
		  span_is(part, ""));
	ck_assert(span_line(&text, &part) && span_is(part, "last") && !span_line(&text, &part));
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
	ck_assert(!span_pair_u64(span_text(": 5"), &part, &value, &rest));
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
		{ "3", 3, "" },           { "3s", 3, "" },          { "50ns", 50e-9, "" },
		{ "50us", 50e-6, "" },    { "50µs", 50e-6, "" },    { "50ms", 50e-3, "" },
		{ "2min", 120, "" },      { "2m", 120, "" },        { "2h", 7200, "" },
		{ "2d", 172800, "" },     { "1.5h", 5400, "" },     { "1minute", 60, "ute" },
		{ "1mi", 60, "i" },       { "1hour", 3600, "our" }, { "1sec", 1, "ec" },
		{ "1nsx", 1e-9, "x" },    { "1ms2", 1e-3, "2" },    { "1n", 1, "n" },
		{ "1u", 1, "u" },         { "1 s", 1, " s" },       { " \t2s", 2, "" },
		{ "2e3ms", 2, "" },       { "2E+3s", 2000, "" },    { "5e0s", 5, "" },
		{ "20e-1s", 2, "" },      { "1e30", 1e30, "" },     { "1e31s", 1, "e31s" },
		{ "1es", 1, "es" },       { "1e+s", 1, "e+s" },     { "1e- 2", 1, "e- 2" },
		{ "1e+-2", 1, "e+-2" },   { "1 e2", 1, " e2" },
	};
	static const char *const wrong[] = { "", "s", "-1s", ".s", "e3" };
	double seconds;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct span span = span_text(cases[i].text);

		seconds = -1;
		ck_assert_msg(span_seconds(&span, &seconds), "%s", cases[i].text);
		ck_assert_msg(fabs(seconds - cases[i].seconds) <= 1e-14 * cases[i].seconds, "%s is %.17g",
			      cases[i].text, seconds);
		ck_assert_msg(span_is(span, cases[i].rest), "%s: '%.*s'", cases[i].text,
			      (int)span_length(span), span.at);
	}
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		struct span span = span_text(wrong[i]);

		ck_assert_msg(!span_seconds(&span, &seconds) && span_is(span, wrong[i]), "'%s'", wrong[i]);
	}
}

/* Nothing stands around it, and its ends are part of the range. */
START_TEST(whole_numbers_of_options)
{
	static const char *const wrong[] = {
		"", " 5", "5 ", "+5", "-5", "5x", "0x5", "2", "10", "5.0", "99999999999999999999"
	};
	uint64_t number = 0;

	for (size_t i = 0; i < LENGTH(wrong); i++)
		ck_assert_msg(!span_whole_number(wrong[i], 3, 9, &number), "'%s'", wrong[i]);
	ck_assert(span_whole_number("3", 3, 9, &number) && number == 3);
	ck_assert(span_whole_number("09", 3, 9, &number) && number == 9);
	ck_assert(span_whole_number("18446744073709551615", 0, UINT64_MAX, &number) && number == UINT64_MAX);
}

/* Every byte string is decoded to its end, and what is no UTF-8 costs one byte at a time. */
START_TEST(decodes_only_valid_utf8)
{
	static const struct {
		const char *bytes, *codes;
	} cases[] = {
		{ "a\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80", "61 e9 6f22 1f600" },
		{ "\377a", "? 61" },
		{ "\xc0\x80", "? ?" }, /* overlong NUL */
		{ "\xe0\x80\xaf", "? ? ?" },
		{ "\xed\xa0\x80\xed\xbf\xbf", "? ? ? ? ? ?" }, /* surrogates */
		{ "\xed\x9f\xbf\xee\x80\x80", "d7ff e000" },   /* around them */
		{ "\xe6\xbc", "? ?" },                         /* cut off */
		{ "\x7f\xc2\x80\xdf\xbf", "7f 80 7ff" },       /* the ends of each length */
		{ "\xe0\xa0\x80\xef\xbf\xbf", "800 ffff" },
		{ "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "10000 10ffff" },
		{ "\xc1\xbf\xe0\x9f\xbf", "? ? ? ? ?" },
		{ "\xf0\x8f\xbf\xbf\xf4\x90\x80\x80\xf5\x80\x80\x80", "? ? ? ? ? ? ? ? ? ? ? ?" },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct span rest = span_text(cases[i].bytes);
		char codes[64] = "";

		while (rest.at < rest.end) {
			uint32_t code = utf8_next(&rest);

			strcat(codes, *codes ? " " : "");
			strcat(codes, code == UTF8_INVALID ? "?" : textf("%x", code));
		}
		ck_assert_str_eq(codes, cases[i].codes);
	}
}

/* The last ones that Unicode calls a control, a format or a private character, and those beside them. */
START_TEST(what_is_harmful_ends_where_text_begins)
{
	static const uint32_t harmful[] = {
		0, 0x1f, 0x7f, 0x9f, 0xad, 0x61c, 0x180e, 0x200b, 0x200f, 0x2028, 0x202e, 0x2060, 0x206f,
		0xe000, 0xf8ff, 0xfe00, 0xfe0f, 0xfeff, 0xfff9, 0xfffb, 0xfffe, 0xffff, 0xe0000, 0x10ffff
	};
	static const uint32_t text[] = { ' ',    '~',    0xa0,   0xac,   0xae,   0x61b,  0x61d,   0x180d,
					 0x180f, 0x200a, 0x2010, 0x2027, 0x202f, 0x205f, 0x2070,  0xf900,
					 0xfdff, 0xfe10, 0xfefe, 0xff00, 0xfffc, 0xfffd, 0x10000, 0xdffff };

	for (size_t i = 0; i < LENGTH(harmful); i++)
		ck_assert_msg(utf8_is_harmful(harmful[i]), "U+%04X", harmful[i]);
	for (size_t i = 0; i < LENGTH(text); i++)
		ck_assert_msg(!utf8_is_harmful(text[i]), "U+%04X", text[i]);
}

/* What came into a buffer; it is empty then. */
static struct buffer out;

static const char *taken(void)
{
	const char *text = textf("%.*s", (int)out.length, out.bytes ? out.bytes : "");

	buffer_free(&out);
	return text;
}

START_TEST(clean_texts_cannot_harm_a_terminal)
{
	static const struct {
		const char *text;
		int cells;
		bool ascii;
		const char *expected;
	} cases[] = {
		{ "a\033[31mb\nc\td\x7f", -1, false, "a?[31mb c d?" },
		{ "\xc2\23331m", -1, false, "?31m" },               /* CSI as one C1 character */
		{ "x\xe2\x80\256fdp.exe", -1, false, "x?fdp.exe" }, /* right-to-left override */
		{ "\xff\xfe\xef\xbf\xbd", -1, false, "???" },
		{ "\xc3\xa9", -1, true, "?" },
		{ "a\tb\nc\vd\fe\rf", -1, false, "a b c d e f" }, /* the blanks of isspace() */
		{ "\x08\x0e\x1f ~\x7f", -1, false, "??? ~?" },
		{ "×9", -1, true, "x9" },
		{ "×9", -1, false, "×9" },
		{ "47 °C, 58 µs", -1, true, "47 C, 58 us" },
		{ "\xc3\x96~\xc2\xa0", -1, true, "?~?" },
		/* at most two marks in a row for each character, also behind wide ones and blanks */
		{ "e\xcc\x81\xcc\x81\xcc\x81o\xcc\x81\xcc\x81\xcc\x81", -1, false,
		  "e\xcc\x81\xcc\x81o\xcc\x81\xcc\x81" },
		{ "漢\xcc\x81\xcc\x81\xcc\x81z", -1, false, "漢\xcc\x81\xcc\x81z" },
		{ "e\xcc\x81", -1, true, "e?" },
		{ "abc", 0, false, "" },
		{ "abc", 1, false, "a" },
		{ "abc", 4, false, "abc" },
		{ "a\xcc\x81z", 1, false, "a\xcc\x81" }, /* a mark needs no cell */
		{ "漢字", 3, false, "漢" },              /* a wide character is not cut in half */
		{ "漢b", 1, false, "" },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		utf8_clean(&out, cases[i].text, cases[i].cells, cases[i].ascii);
		ck_assert_str_eq(taken(), cases[i].expected);
	}
	ck_assert_int_eq(utf8_clean(&out, "漢bc", 3, false), 3);
	ck_assert_int_eq(utf8_clean(&out, "漢漢", 3, false), 2);
	buffer_free(&out);
	ck_assert_int_eq(utf8_cells("漢字", false), 4);
	ck_assert_int_eq(utf8_cells("e\xcc\x81", false), 1);
	ck_assert_int_eq(utf8_cells("\001\033\177", false), 3); /* a ? for each */
}

START_TEST(text_is_padded_and_not_cut)
{
	static const struct {
		void (*pad)(struct buffer *, const char *, int, bool);
		const char *text;
		int cells;
		const char *padded;
	} cases[] = {
		{ utf8_padded, "ab", 4, "ab  " },      { utf8_padded, "abc", 2, "abc" },
		{ utf8_padded, "漢", 3, "漢 " },         { utf8_padded_left, "ab", 4, "  ab" },
		{ utf8_padded_left, "abc", 2, "abc" }, { utf8_padded_left, "漢", 3, " 漢" },
	};
	static const struct {
		const char *text;
		int at, indent, cells;
		const char *wrapped;
	} sentences[] = {
		{ "", 0, 2, 10, "" },
		{ "run it as root", 0, 2, 14, "run it as root" },
		{ "run it as root", 0, 2, 13, "run it as\n  root" },
		{ "run it as root", 8, 2, 13, "run\n  it as root" },
		{ "cap_a,cap_b,cap_c", 0, 2, 12, "cap_a,cap_b,\n  cap_c" },
		{ "a verylongword", 0, 1, 6, "a\n veryl\n ongwo\n rd" },
		{ "読み取れません", 0, 2, 8, "読み取れ\n  ません" },
		{ "a\tb", 0, 2, 8, "a b" },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		cases[i].pad(&out, cases[i].text, cases[i].cells, false);
		ck_assert_str_eq(taken(), cases[i].padded);
	}
	for (size_t i = 0; i < LENGTH(sentences); i++) {
		utf8_wrapped(&out, sentences[i].text, sentences[i].at, sentences[i].indent,
			     sentences[i].cells, false);
		ck_assert_str_eq(taken(), sentences[i].wrapped);
	}
}

static void ignore_signal(int number)
{
	(void)number;
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
	static const double numbers[] = { -0.0, 0, -1e-300, -0.5, 0.1 };
	struct buffer buffer = { 0 };
	int fds[2];
	char bytes[64] = "";

	for (unsigned i = 0; i < 1000; i++)
		buffer_print(&buffer, "%u,", i);
	ck_assert_uint_eq(buffer.length, 10 * 2 + 90 * 3 + 900 * 4);
	ck_assert_mem_eq(buffer.bytes, "0,1,2,3,", 8);
	ck_assert_mem_eq(buffer.bytes + buffer.length - 4, "999,", 4);
	buffer_empty(&buffer);
	buffer_fill(&buffer, 'x', 0);
	buffer_fill(&buffer, 'x', 3);
	for (size_t i = 0; i < LENGTH(numbers); i++) {
		buffer_text(&buffer, " ");
		buffer_f64(&buffer, numbers[i]);
	}
	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(buffer_write(&buffer, fds[1], -1), 0);
	ck_assert_int_gt(read(fds[0], bytes, sizeof(bytes) - 1), 0);
	ck_assert_str_eq(bytes, "xxx 0 0 -1e-300 -0.5 0.1");
	ck_assert_uint_eq(buffer.length, 0);
	buffer_text(&buffer, "a");
	ck_assert_int_eq(buffer_write(&buffer, -1, -1), -EBADF);
	buffer_free(&buffer);
	ck_assert(!buffer.bytes && buffer.length == 0 && buffer.capacity == 0);
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

static void check_bytes(const struct buffer *buffer, size_t length, const char *begin)
{
	ck_assert_uint_eq(buffer->length, length);
	ck_assert_mem_eq(buffer->bytes, begin, strlen(begin));
}

START_TEST(what_a_pipe_does_not_take_now_is_kept)
{
	struct buffer buffer = { 0 }, got = { 0 };
	int fds[2];
	size_t room = fill_pipe(fds);

	buffer_text(&buffer, "abc");
	ck_assert_int_eq(buffer_write_now(&buffer, fds[1]), 0);
	check_bytes(&buffer, 3, "abc");
	ck_assert_int_eq(buffer_read(&got, fds[0], SIZE_MAX), -EAGAIN);
	check_bytes(&got, room, "xxx");
	buffer_fill(&buffer, '.', room - 3);
	buffer_text(&buffer, "rest");
	ck_assert_int_eq(buffer_write_now(&buffer, fds[1]), 0);
	check_bytes(&buffer, 4, "rest");
	buffer_empty(&got);
	ck_assert_int_eq(buffer_read(&got, fds[0], SIZE_MAX), -EAGAIN);
	check_bytes(&got, room, "abc.");
	ck_assert_int_eq(buffer_write_now(&buffer, fds[1]), 0);
	ck_assert_uint_eq(buffer.length, 0);
	close(fds[0]);
	signal(SIGPIPE, SIG_IGN);
	buffer_text(&buffer, "abc");
	ck_assert_int_eq(buffer_write_now(&buffer, fds[1]), -EPIPE);
	check_bytes(&buffer, 3, "abc");
	ck_assert_int_eq(buffer_write(&buffer, fds[1], -1), -EPIPE);
	close(fds[1]);
	buffer_free(&buffer);
	buffer_free(&got);
}

/* What comes of messages while nobody reads them: those that fit are kept, the others counted. */
START_TEST(messages_never_wait)
{
	enum { MESSAGES = 2000 };
	struct buffer text = { 0 };
	unsigned long lines, dropped = 0;
	int fds[2], before = dup(STDERR_FILENO);
	const char *report;

	fill_pipe(fds);
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
	lines = count_of(text.bytes, "panetop: test: message ");
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
	check_has(text.bytes, "panetop: file: why 7\npanetop: alone\npanetop: a");
	ck_assert_ptr_eq(strstr(error_message_log(), "file: why 7\nalone\na"), error_message_log());
	check_lacks(error_message_log(), "panetop", "\033");
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

/*
 * One costly sample is none too many; three are, of which the cheapest counts. The delay stays ten times
 * their cost, and changes when it is to be twice or half as long.
 */
START_TEST(costly_samples_come_less_often)
{
	static const struct {
		uint64_t first;
		unsigned share;
		const char *steps; /* cost and delay */
	} cases[] = {
		{ UINT64_MAX, 0,
		  "500:5000 50:1000 900:1000 900:1000 800:8000 810:8000 790:8000 10:1000 10:1000" },
		{ 0, 0, "500:1000 500:1000 500:5000" }, /* from zero three are needed */
		{ UINT64_MAX, 110, "9:1000 20:1000 20:1000 20:2200" },
		{ UINT64_MAX, 0, "100:1000 101:1000 101:1000 101:1010 201:1010 201:1010 201:1010" },
		{ UINT64_MAX, 0, "101:1010 202:1010 202:1010 202:2020 102:2020 101:1010" },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		const uint64_t first = cases[i].first;
		struct rate_limit limit = { .share = cases[i].share, .costs_ns = { first, first, first } };
		uint64_t last = 1000;
		char *rest = NULL;
		bool changed;

		for (const char *at = cases[i].steps; *at; at = rest + strspn(rest, " ")) {
			uint64_t cost = strtoull(at, &rest, 10), delay = strtoull(rest + 1, &rest, 10);

			ck_assert_msg(rate_limit_delay(&limit, cost, 1000, &changed) == delay, "%zu: %s", i,
				      at);
			ck_assert_msg(changed == (delay != last), "%zu: %s", i, at);
			last = delay;
		}
	}
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

	ck_assert_uint_eq(config_lines_parse(&lines, span_text(old)), 9);
	ck_assert_uint_eq(config_lines_find(&lines, "a")->number, 8);
	config_lines_set(&lines, "later", NULL, 0); /* it is of another version, which alone knows it */
	config_lines_set(&lines, "a", "1", 0);
	config_lines_rewrite(&lines, span_text(old), is_short, &out);
	ck_assert_str_eq(taken(), "# mine\n\n a =  1\nb = 2 # two\n  # more\nc=3\nlater = 4\nnonsense\n");
	config_lines_set(&lines, "b", "7", 0);
	config_lines_set(&lines, "c", NULL, 0);
	config_lines_set(&lines, "d", "new", 0);
	config_lines_rewrite(&lines, span_text(old), is_short, &out);
	ck_assert_str_eq(taken(), "# mine\n\n a =  1\nb = 7\n  # more\nlater = 4\nnonsense\nd = new\n");
	config_lines_free(&lines);
}

static struct rig rig;

/* One read per tick, the same text for all who ask; a file that appears later is found. */
START_TEST(env_reads_once_per_tick)
{
	struct env_file *file;
	struct span text;

	rig_open(&rig, "empty", NULL);
	rig.env.tick = 1;
	file = env_file(&rig.env, "proc/x");
	ck_assert_ptr_eq(env_file(&rig.env, "proc/x"), file);
	ck_assert_int_eq(env_read(&rig.env, file, &text), -ENOENT);
	ck_assert_str_eq(env_failed_path(&rig.env, -ENOENT), "proc/x");
	ck_assert_ptr_null(env_failed_path(&rig.env, -EACCES));
	rig_put(&rig, "proc/x", "one");
	ck_assert_int_eq(env_read(&rig.env, file, &text), -ENOENT);
	rig.env.tick = 2;
	ck_assert(env_read(&rig.env, file, &text) == 0 && span_is(text, "one"));
	rig_put(&rig, "proc/x", "two");
	ck_assert(env_read(&rig.env, file, &text) == 0 && span_is(text, "one"));
	rig.env.tick = 3;
	ck_assert(env_read(&rig.env, file, &text) == 0 && span_is(text, "two"));
	ck_assert(!rig.env.live);
	rig_close(&rig);
}

static bool is_in(struct span text, const char *name)
{
	return memmem(text.at, span_length(text), name, strlen(name));
}

/* The list of mounts is read at first, and when it has changed. */
START_TEST(env_reads_announced_changes)
{
	char place[] = "/tmp/announced.XXXXXX";
	struct env_file *file;
	struct span text;
	uint64_t reads;

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		skip_test("a mount namespace cannot be made: %s", strerror(errno));
	ck_assert_ptr_nonnull(mkdtemp(place));
	rig_open_live(&rig, NULL);
	rig.env.tick = 1;
	file = env_file_announced(&rig.env, "proc/self/mountinfo");
	ck_assert_int_eq(env_read(&rig.env, file, &text), 0);
	ck_assert(!is_in(text, place));
	reads = rig.env.reads;
	rig.env.tick = 2;
	ck_assert_int_eq(env_read(&rig.env, file, &text), 0);
	ck_assert_uint_eq(rig.env.reads, reads);
	ck_assert_int_eq(mount("none", place, "tmpfs", 0, NULL), 0);
	rig.env.tick = 3;
	ck_assert_int_eq(env_read(&rig.env, file, &text), 0);
	ck_assert_uint_gt(rig.env.reads, reads);
	ck_assert(is_in(text, place));
	umount(place);
	rmdir(place);
	rig_close(&rig);
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

	for (size_t i = 0; i < LENGTH(cases); i++) {
		char text[160];
		struct env env;
		uint32_t pid = cases[i].pid ? cases[i].pid : (uint32_t)getpid();

		rig_open(&rig, "empty", NULL);
		snprintf(text, sizeof(text), cases[i].status, (int)getpid()); /* NOLINT */
		rig_put(&rig, "proc/self/status", "%s", text);
		ck_assert_int_eq(env_open(&env, rig.root), 0);
		ck_assert_msg(env.own_pid == (cases[i].ours ? pid : 0), "case %zu: %u", i, env.own_pid);
		ck_assert(!env.foreign_pids); /* nothing is done to processes of another root */
		env_close(&env);
		rig_close(&rig);
	}
	rig_open_live(&rig, NULL);
	ck_assert(rig.env.own_pid == (uint32_t)getpid() && !rig.env.foreign_pids);
	rig_close(&rig);
}

/* Neither a pipe nor a directory nor a huge file in the place of a kernel file stops the program. */
START_TEST(env_refuses_strange_files)
{
	struct span text;
	struct env none;

	rig_open(&rig, "empty", NULL);
	ck_assert_int_eq(mkfifo(textf("%s/proc/fifo", rig.root), 0600), 0);
	ck_assert_int_lt(env_read(&rig.env, env_file(&rig.env, "proc/fifo"), &text), 0);
	ck_assert_int_eq(env_read(&rig.env, env_file(&rig.env, "proc"), &text), -EISDIR);
	rig_put(&rig, "proc/huge", "%s", "");
	ck_assert_int_eq(truncate(textf("%s/proc/huge", rig.root), (off_t)1 << 30), 0);
	ck_assert_int_eq(env_read(&rig.env, env_file(&rig.env, "proc/huge"), &text), -EFBIG);
	ck_assert_int_eq(env_open(&none, textf("%s/none", rig.root)), -ENOENT);
	rig_close(&rig);
}

/* In a copy of /proc, in any order; other names that begin as numbers are none. */
START_TEST(pids_are_whole_numbers_in_order)
{
	static const char *const names[] = { "10",     "9",          "1",         "2147483647", "0",
					     "01",     "2147483648", "7x",        "+3",         "self",
					     "9/task", "9/task/11",  "9/task/10", "9/task/9" };
	static const uint32_t wanted[] = { 1, 9, 10, INT32_MAX };
	const uint32_t *pids;
	size_t n_pids;

	rig_open(&rig, "empty", NULL);
	for (size_t i = 0; i < LENGTH(names); i++)
		rig_make(&rig, textf("proc/%s", names[i]));
	ck_assert_int_eq(pids_list(&rig.env, &pids, &n_pids), 0);
	ck_assert_uint_eq(n_pids, LENGTH(wanted));
	ck_assert_mem_eq(pids, wanted, sizeof(wanted));
	ck_assert_int_eq(pids_threads(&rig.env, 9, &pids, &n_pids), 0);
	ck_assert(n_pids == 3 && pids[0] == 9 && pids[1] == 10 && pids[2] == 11);
	ck_assert_int_eq(pids_threads(&rig.env, 10, &pids, &n_pids), -ENOENT);
	rig_close(&rig);
	rig_open(&rig, "empty", NULL);
	rig_remove(&rig, "proc");
	ck_assert_int_eq(pids_list(&rig.env, &pids, &n_pids), -ENOENT);
	rig_close(&rig);
}

START_TEST(long_files_of_a_process_are_read_in_parts)
{
	struct buffer text = { 0 };
	uint32_t uid = 7;

	rig_open(&rig, "empty", NULL);
	rig_make(&rig, "proc/9");
	for (int i = 0; i < 2500; i++)
		buffer_print(&text, "%04d\n", i);
	buffer_char(&text, '\0');
	rig_put(&rig, "proc/9/maps", "%s", text.bytes);
	ck_assert_int_eq(pids_read_text(&rig.env, 9, "maps", &text), 0);
	check_bytes(&text, 12500, "0000\n");
	ck_assert_mem_eq(text.bytes + 12495, "2499\n", 5);
	ck_assert_int_eq(pids_read_most(&rig.env, 9, "maps", 4096, &text), 0);
	ck_assert_uint_eq(text.length, 4096);
	ck_assert_int_eq(pids_read_most(&rig.env, 9, "maps", 4097, &text), 0);
	ck_assert_uint_eq(text.length, 8192);
	ck_assert_int_eq(pids_read_text(&rig.env, 9, "io", &text), -ENOENT);
	ck_assert(pids_owner(&rig.env, 9, &uid) && uid == geteuid());
	ck_assert(!pids_owner(&rig.env, 8, &uid) && uid == geteuid());
	buffer_free(&text);
	rig_close(&rig);
}

/* A process of another root, with a link and a file; one that stays open is read from the start each time. */
START_TEST(links_and_files_of_a_process)
{
	char bytes[64];
	int first = -1, second = -1, fd;

	rig_open(&rig, "empty", NULL);
	rig_make(&rig, "proc/9");
	rig_put(&rig, "proc/9/io", "0123456789");
	rig_link(&rig, "proc/9/cwd", "/somewhere/else");
	rig.env.reads = 0;
	ck_assert_int_eq(pids_read_link(&rig.env, 9, "cwd", bytes, sizeof(bytes)), 15);
	ck_assert_mem_eq(bytes, "/somewhere/else", 15);
	ck_assert_int_eq(pids_read_link(&rig.env, 9, "cwd", bytes, 5), 5);
	ck_assert_int_eq(pids_read(&rig.env, 9, "io", bytes, sizeof(bytes)), 10);
	ck_assert_int_eq(pids_read(&rig.env, 9, "io", bytes, 4), 4);
	ck_assert_uint_eq(rig.env.reads, 4);
	ck_assert_int_eq(pids_read_link(&rig.env, 9, "none", bytes, sizeof(bytes)), -ENOENT);
	ck_assert_int_eq(pids_read_link(&rig.env, 8, "cwd", bytes, sizeof(bytes)), -ENOENT);
	fd = pids_open(&rig.env, 9, "io", O_RDONLY);
	ck_assert(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
	ck_assert_int_eq(fcntl(fd, F_GETFL) & (O_NONBLOCK | O_ACCMODE), O_NONBLOCK | O_RDONLY);
	close(fd);
	ck_assert_int_eq(pids_open(&rig.env, 9, "io", O_RDONLY | O_DIRECTORY), -ENOTDIR);
	ck_assert_int_eq(pids_open(&rig.env, 9, "none", O_RDONLY), -ENOENT);
	rig.env.pids.kept_max = 1;
	for (int i = 0; i < 2; i++) { /* there is room for one that stays open; the other one is read, too */
		ck_assert_int_eq(pids_read_kept(&rig.env, &first, 9, "io", bytes, 3), 3);
		ck_assert_mem_eq(bytes, "012", 3);
		ck_assert_int_eq(pids_read_kept(&rig.env, &second, 9, "io", bytes, 3), 3);
		ck_assert(first >= 0 && second == -1 && rig.env.pids.n_kept == 1);
	}
	rig_remove(&rig, "proc/9/io");
	ck_assert_int_eq(pids_read_kept(&rig.env, &first, 9, "io", bytes, 3), 3); /* it is open */
	ck_assert_int_eq(pids_read_kept(&rig.env, &second, 9, "io", bytes, 3), -ENOENT);
	rig_make(&rig, "proc/9/io");
	rig.env.pids.kept_max = 9;
	ck_assert_int_eq(pids_read_kept(&rig.env, &second, 9, "io", bytes, 3), -EISDIR);
	ck_assert(second == -1 && rig.env.pids.n_kept == 1); /* what fails is closed */
	for (int i = 0; i < 2; i++) {
		pids_release(&rig.env, &first);
		ck_assert(first == -1 && rig.env.pids.n_kept == 0);
	}
	rig_close(&rig);
}

/* How far the giving out of pids has come on this machine. */
static struct env_pids_mark mark_now(void)
{
	struct stat_totals totals;
	struct loadavg loadavg;
	struct span text;

	ck_assert_int_eq(env_read(&rig.env, env_file(&rig.env, "proc/loadavg"), &text), 0);
	ck_assert(loadavg_parse(text, &loadavg));
	ck_assert_int_eq(env_read(&rig.env, env_file(&rig.env, "proc/stat"), &text), 0);
	stat_totals_parse(text, &totals);
	return (struct env_pids_mark){ .forks = totals.forks, .last_pid = loadavg.last_pid };
}

static bool lists(uint32_t wanted)
{
	struct env_pids_mark mark = mark_now();
	const uint32_t *pids;
	size_t n_pids;
	bool found = false;

	ck_assert_int_eq(pids_list_new(&rig.env, &mark, &pids, &n_pids), 0);
	for (size_t i = 0; i < n_pids; i++) {
		ck_assert(i == 0 || pids[i - 1] < pids[i]);
		found |= pids[i] == wanted;
	}
	return found;
}

START_TEST(lists_new_processes_in_parts)
{
	struct env_pids_mark before = { 0 };
	unsigned n_parts = 0;

	rig_open_live(&rig, NULL);
	for (rig.env.tick = 1; rig.env.tick <= 40; rig.env.tick++) {
		pid_t child = rig.env.tick % 3 == 0 ? 0 : begin_child();

		if (child == 0 && rig.env.tick % 3 != 0) {
			pause();
			_exit(0);
		}
		ck_assert(lists((uint32_t)(child ? child : getpid())));
		ck_assert_uint_eq(rig.env.pids.marks[1].forks, before.forks);
		before = rig.env.pids.marks[0];
		n_parts += rig.env.pids.n_parts > 0;
		if (child)
			end_child(child);
	}
	ck_assert_uint_gt(n_parts, 0);
	rig_close(&rig);
}

/* What a loop told, a letter each. */
static struct {
	struct loop loop;
	char letters[32];
	unsigned n, stop_at; /* letters */
	int fds[2], number;
	bool of_terminal;
} told;

static void tell(char letter)
{
	if (told.n < sizeof(told.letters) - 1)
		told.letters[told.n++] = letter;
	if (told.n == told.stop_at)
		loop_stop(&told.loop);
}

static void tell_tick(void *context)
{
	(void)context;
	tell('t');
}

static void tell_wake(void *context)
{
	(void)context;
	tell('w');
}

static void tell_signal(void *context, int number, bool of_terminal)
{
	(void)context;
	told.number = number;
	told.of_terminal = of_terminal;
	tell('s');
}

static void tell_ready(void *context, uint32_t events)
{
	(void)context;
	ck_assert_uint_eq(events, POLLIN);
	tell('r');
}

static void tell_once(void *context, uint32_t events)
{
	loop_unwatch(&told.loop, told.fds[0]);
	tell_ready(context, events);
	loop_wake_in(&told.loop, 1000);
}

static void open_loop(unsigned stop_at)
{
	static const int signals[] = { SIGUSR1, SIGUSR2, 0 };

	memset(&told, 0, sizeof(told));
	told.loop = (struct loop){ .tick = tell_tick, .wake = tell_wake, .signal = tell_signal };
	told.stop_at = stop_at;
	ck_assert_int_eq(loop_open(&told.loop, signals), 0);
	ck_assert_int_eq(pipe(told.fds), 0);
}

static void close_loop(void)
{
	loop_close(&told.loop);
	ck_assert(told.loop.epoll_fd == -1 && told.loop.tick_fd == -1);
	ck_assert(told.loop.wake_fd == -1 && told.loop.signal_fd == -1);
	close(told.fds[0]);
	close(told.fds[1]);
}

START_TEST(a_loop_ticks_until_it_is_stopped)
{
	open_loop(3);
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
	close_loop();
}

START_TEST(a_loop_calls_what_is_ready)
{
	open_loop(2);
	ck_assert_int_eq(loop_watch(&told.loop, told.fds[0], POLLIN, tell_ready, NULL), 0);
	ck_assert_int_eq(loop_watch(&told.loop, told.fds[0], POLLIN, tell_ready, NULL), -EEXIST);
	ck_assert_int_eq(write(told.fds[1], "x", 1), 1);
	ck_assert_int_eq(loop_run(&told.loop), 0);
	ck_assert_str_eq(told.letters, "rr"); /* it was not read */
	close_loop();
	open_loop(2);
	ck_assert_int_eq(loop_watch(&told.loop, told.fds[0], POLLIN, tell_once, NULL), 0);
	ck_assert_int_eq(write(told.fds[1], "x", 1), 1);
	ck_assert_int_eq(loop_run(&told.loop), 0);
	ck_assert_str_eq(told.letters, "rw");
	close_loop();
}

/* A byte of the pipe in each call, and no answer to the test yet. */
static void tell_byte(void *context, uint32_t events)
{
	char byte;

	ck_assert_int_eq(read(told.fds[0], &byte, 1), 1);
	ck_assert_int_eq(recv(*(int *)context, &byte, 1, MSG_DONTWAIT), -1);
	tell_ready(NULL, events);
}

START_TEST(a_loop_answers_a_test_when_nothing_is_left)
{
	int sockets[2];
	char bytes[4];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	ck_assert_int_eq(setenv("PANETOP_TEST_FD", textf("%d", sockets[1]), 1), 0);
	open_loop(4);
	ck_assert_int_eq(recv(sockets[0], bytes, sizeof(bytes), MSG_DONTWAIT), 1);
	ck_assert_int_eq(bytes[0], 0);
	ck_assert_int_eq(loop_watch(&told.loop, told.fds[0], POLLIN, tell_byte, sockets), 0);
	ck_assert_int_eq(write(sockets[0], "x", 1), 1);
	ck_assert_int_eq(write(told.fds[1], "abc", 3), 3);
	loop_wake_in(&told.loop, 100000000);
	ck_assert_int_eq(loop_run(&told.loop), 0);
	ck_assert_str_eq(told.letters, "rrrw");
	ck_assert_int_eq(recv(sockets[0], bytes, sizeof(bytes), MSG_DONTWAIT), 1);
	ck_assert_int_eq(bytes[0], 'x');
	close_loop();
}

/* No second passes: 131 is 0.3 s, 255 is 12.7 s. Its own ticks end, and CPU time is the kernel's. */
START_TEST(a_test_says_how_time_goes_on)
{
	uint64_t begun_ns = real_mono_ns(), first_ns, cpu_ns;
	int sockets[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	ck_assert_int_eq(setenv("PANETOP_TEST_FD", textf("%d", sockets[1]), 1), 0);
	open_loop(1);
	ck_assert_int_eq(loop_set_tick(&told.loop, UINT64_C(3600000000000)), 0);
	ck_assert_uint_ge(clock_mono_ns(&stepped_clock), begun_ns);
	ck_assert_int_eq(write(sockets[0], "\x83", 1), 1);
	ck_assert_int_eq(loop_run(&told.loop), 0);
	first_ns = clock_mono_ns(&stepped_clock);
	ck_assert_uint_ge(first_ns, begun_ns + 300000000);
	told.loop.stopped = false;
	told.stop_at = 2;
	ck_assert_int_eq(loop_set_tick(&told.loop, 1), 0); /* in vain */
	ck_assert_int_eq(write(sockets[0], "\xff", 1), 1);
	ck_assert_int_eq(loop_run(&told.loop), 0);
	ck_assert_str_eq(told.letters, "tt");
	ck_assert_uint_eq(clock_mono_ns(&stepped_clock), first_ns + UINT64_C(12700000000));
	cpu_ns = clock_self_cpu_ns(&real_clock);
	ck_assert_uint_ge(clock_self_cpu_ns(&stepped_clock), cpu_ns);
	close_loop();
}

START_TEST(a_loop_hears_signals)
{
	open_loop(2);
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
	close_loop();
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

/* Also one by one, when its helper sleeps; without a worker jobs run at once. */
START_TEST(worker_gives_every_job_back)
{
	struct sum_job jobs[20] = { 0 }, job = { .job = { .run = sum_run, .done = sum_done }, .value = 4 };
	struct worker *worker = worker_open();
	struct pollfd wait = { .fd = worker_fd(worker), .events = POLLIN };
	int finished = 0;

	worker_submit(NULL, &job.job);
	ck_assert(job.done && job.sum == 5);
	for (int i = 0; i < 20; i++) {
		jobs[i] = (struct sum_job){ .job = { .run = sum_run, .done = sum_done }, .value = i };
		worker_submit(worker, &jobs[i].job);
	}
	while (finished < 20) {
		ck_assert_int_eq(poll(&wait, 1, 10000), 1);
		worker_collect(worker);
		finished = 0;
		for (int i = 0; i < 20; i++)
			finished += jobs[i].done && jobs[i].sum == i + 1;
	}
	for (int i = 0; i < 20; i++) {
		job.done = false;
		worker_submit(worker, &job.job);
		while (!job.done) {
			ck_assert_int_eq(poll(&wait, 1, 10000), 1);
			worker_collect(worker);
		}
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
	for (int i = 0; i < 4; i++)
		ck_assert(jobs[i].done && jobs[i].job.dropped);
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

START_TEST(typed_names_are_taken_in_any_case)
{
	ck_assert(typed_is(span_text("MEMory"), "memory") && typed_begins(span_text("MEM"), "memory"));
	ck_assert(!typed_is(span_text("memor"), "memory") && !typed_is(span_text("memoryx"), "memory"));
	ck_assert(!typed_begins(span_text(""), "memory") && !typed_begins(span_text("memoryx"), "memory"));
}

START_TEST(signals_have_names)
{
	ck_assert_str_eq(signal_name(SIGTERM), "TERM");
	ck_assert_str_eq(signal_name(SIGABRT), "ABRT");
	for (unsigned number = 1; number < 32; number++)
		ck_assert_ptr_nonnull(signal_name(number));
	ck_assert(!signal_name(0) && !signal_name(32) && !signal_name(UINT32_MAX));
}
