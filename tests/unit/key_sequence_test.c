/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Key sequences that curses passes on byte by byte: which are keys, and that no part of the others is one. */
#include "suite.h"

#include "screen/keys.h"
#include "screen/terminal.h"

/*
 * The keys of a text, in which '|' is a moment without input: "27 104 ";
 * those with names count above K_NAMED: "+1 ".
 */
static const char *keys_of(const char *text, uint64_t ns_apart)
{
	static char out[256];
	struct key_sequence sequence = { 0 };
	uint64_t now_ns = 0;
	size_t used = 0;

	*out = '\0';
	for (; *text; text++, now_ns += ns_apart) {
		int key = *text == '|' ? key_sequence_pause(&sequence)
				       : key_sequence_feed(&sequence, (unsigned char)*text, now_ns);

		if (key > K_NAMED)
			used += (size_t)snprintf(out + used, sizeof(out) - used, "+%d ", key - K_NAMED);
		else if (key)
			used += (size_t)snprintf(out + used, sizeof(out) - used, "%d ", key);
	}
	return out;
}

static void check(const char *text, const char *expected)
{
	const char *keys = keys_of(text, 0);

	ck_assert_msg(strcmp(keys, expected) == 0, "%s: '%s', not '%s'", text, keys, expected);
}

static void check_key(const char *text, int key)
{
	check(text, textf("+%d 97 ", key - K_NAMED));
}

START_TEST(home_and_end_in_all_forms)
{
	static const char *const homes[] = { "\033[1~a", "\033[7~a", "\033[Ha", "\033OHa" };
	static const char *const ends[] = { "\033[4~a", "\033[8~a", "\033[Fa", "\033OFa" };

	for (unsigned i = 0; i < 4; i++) {
		check_key(homes[i], K_HOME);
		check_key(ends[i], K_END);
	}
	check_key("\033[|1~a", K_HOME);
	check_key("\033[1|~a", K_HOME);
	check_key("\033O|Ha", K_HOME);
	check_key("\033[Aa", K_UP);
	check_key("\033ODa", K_LEFT);
}

START_TEST(unknown_sequences_are_no_keys)
{
	static const char *const unknown[] = {
		"\033[1;5Ha", "\033[99~a", "\033[10~a", "\033[?1;2ca", "\033[>4;2ma", "\033[1 qa", "\033[Ia",
		"\033O5Ca", "\033[[Aa", "\033ka", "\033\303a", "\033]11;rgb:1/2\aa", "\033Pq1\033\\a",
		"\033[1|;|5|Ha", "\033[99999999999999999999~a"
	};

	for (size_t i = 0; i < LENGTH(unknown); i++)
		check(unknown[i], "97 ");
}

START_TEST(an_escape_alone_stays_one)
{
	check("\033|", "27 ");
	check("\033|a", "27 97 ");
	check("\033\033|", "27 27 ");
	check("\033\033[Ha", "27 +7 97 ");
	check("\033|[", "27 91 ");
	check("ab", "97 98 ");
}

/* Alt+[, and later a letter: no terminal sends a sequence so slowly. */
START_TEST(an_unfinished_sequence_is_forgotten)
{
	ck_assert_str_eq(keys_of("\033[q", KEY_SEQUENCE_NS), "113 ");
	ck_assert_str_eq(keys_of("\033[q", KEY_SEQUENCE_NS / 2), "");
	ck_assert_str_eq(keys_of("\033]11;q", KEY_SEQUENCE_NS / 2), "49 59 113 ");
	check("\033[1\rq", "13 113 ");
	check("\033[1\033|q", "27 113 ");
}

START_TEST(what_the_terminal_answers)
{
	static const char bytes[] = "a\033]11;rgb:ffff/ffff/ffff\033\\\033[?62;22cq";
	struct key_sequence sequence = { 0 };
	int keys[8], n_keys = 0, n_devices = 0, n_strings = 0;

	for (size_t i = 0; i + 1 < sizeof(bytes); i++) {
		int key = key_sequence_feed(&sequence, (unsigned char)bytes[i], 0);

		if (key)
			keys[n_keys++] = key;
		n_devices += sequence.answer == ANSWER_DEVICE;
		if (sequence.answer == ANSWER_STRING) {
			n_strings++;
			ck_assert_str_eq(sequence.text, "11;rgb:ffff/ffff/ffff");
		}
		sequence.answer = ANSWER_NONE;
	}
	ck_assert_int_eq(n_keys, 2);
	ck_assert_int_eq(keys[0], 'a');
	ck_assert_int_eq(keys[1], 'q');
	ck_assert_int_eq(n_strings, 1);
	ck_assert_int_eq(n_devices, 1);
}

START_TEST(a_long_answer_is_cut)
{
	struct key_sequence sequence = { 0 };

	key_sequence_feed(&sequence, 27, 0);
	key_sequence_feed(&sequence, ']', 0);
	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(key_sequence_feed(&sequence, 'x', 0), 0);
	ck_assert_int_eq(key_sequence_feed(&sequence, 7, 0), 0);
	ck_assert_uint_eq(strlen(sequence.text), KEY_ANSWER_MAX - 1);
	ck_assert_int_eq(key_sequence_feed(&sequence, 'k', 0), 'k');
}
