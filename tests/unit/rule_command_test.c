/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands of rules: their words, what they get, and that each ends. */
#include <config.h>

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/rule_command.h"
#include "core/alloc.h"
#include "core/unknown.h"
#include "suite.h"
#include "sys/user_variables.h"

static void words(const char *text, const char *expected)
{
	struct rule_command command;
	char joined[512] = "";

	ck_assert_msg(rule_command_parse(&command, text), "%s", text);
	for (char **word = command.words; *word; word++)
		snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "[%s]", *word);
	ck_assert_str_eq(joined, expected);
	rule_command_free(&command);
}

static void no_words(const char *text)
{
	struct rule_command command;

	ck_assert_msg(!rule_command_parse(&command, text), "%s", text);
	rule_command_free(&command);
}

START_TEST(words_of_a_command)
{
	words(" /bin/echo  a\tb ", "[/bin/echo][a][b]");
	words("x 'a b' \"c 'd'\" e\\ f '' \"\\\"\"", "[x][a b][c 'd'][e f][][\"]");
	words("x '\\' a\"b\"c $HOME `no` ; | >", "[x][\\][abc][$HOME][`no`][;][|][>]");
	no_words("");
	no_words("  ");
	no_words("'' a");
	no_words("x 'a");
	no_words("x \"a");
}
END_TEST

/* Commands that have ended, in their order. */
struct ended {
	int status[RULE_COMMANDS_MAX * 3];
	unsigned n;
};

static void take(void *context, struct firing *firing)
{
	struct ended *ended = context;

	ended->status[ended->n++] = firing->status;
	firing_free(firing);
}

static struct firing *fired(void)
{
	struct firing *firing = alloc_zeroed(1, sizeof(*firing));

	*firing = (struct firing){
		.rule = "a rule",
		.subject = alloc_text("subject"),
		.value = NAN,
		.pid = U64_UNKNOWN,
		.exit_code = -1,
		.signal = 9,
	};
	return firing;
}

static void await(struct rule_commands *commands, const struct ended *ended, unsigned n)
{
	struct pollfd poll_fd = { .fd = rule_commands_fd(commands), .events = POLLIN };

	while (ended->n < n) {
		poll(&poll_fd, 1, -1);
		rule_commands_go_on(commands);
	}
}

START_TEST(each_tells_how_it_ended)
{
	static const struct {
		const char *text;
		int status;
	} cases[] = {
		{ "/bin/sh -c 'exit 7'", 7 },
		{ "/bin/sh -c 'kill -TERM $$'", 128 + SIGTERM },
		{ "/nothing/at/all", 127 },
		{ "/etc/passwd", 126 },
		{ "/bin/sh -c 'test "
		  "\"$PANETOP_RULE,$PANETOP_SUBJECT,$PANETOP_VALUE,$PANETOP_PID,$PANETOP_EXIT_CODE,"
		  "$PANETOP_SIGNAL\" = \"a rule,subject,,,,9\"'",
		  0 },
	};

	user_variables_open();
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ended ended = { .n = 0 };
		struct rule_commands *commands = rule_commands_open(false, 0, 60, take, &ended);
		struct rule_command command;

		ck_assert(rule_command_parse(&command, cases[i].text));
		rule_commands_add(commands, &command, fired());
		await(commands, &ended, 1);
		ck_assert_msg(ended.status[0] == cases[i].status, "%s: %d", cases[i].text, ended.status[0]);
		rule_commands_close(commands);
		rule_command_free(&command);
	}
}
END_TEST

START_TEST(many_wait_for_each_other)
{
	struct ended ended = { .n = 0 };
	struct rule_commands *commands = rule_commands_open(false, 0, 60, take, &ended);
	struct rule_command command;

	user_variables_open();
	ck_assert(rule_command_parse(&command, "/bin/true"));
	for (unsigned i = 0; i < RULE_COMMANDS_MAX * 2; i++)
		rule_commands_add(commands, &command, fired());
	rule_commands_add(commands, NULL, fired()); /* only noted, at once */
	ck_assert_int_eq(ended.status[ended.n - 1], FIRING_NO_COMMAND);
	await(commands, &ended, RULE_COMMANDS_MAX * 2 + 1);
	rule_commands_close(commands);
	rule_command_free(&command);
}
END_TEST

/* One that ignores SIGTERM gets SIGKILL, with what it has started; so does one that runs at the end. */
START_TEST(none_runs_for_ever)
{
	struct ended ended = { .n = 0 };
	struct rule_commands *commands = rule_commands_open(false, 0, 0.05, take, &ended);
	struct rule_command command;

	user_variables_open();
	ck_assert(
		rule_command_parse(&command, "/bin/sh -c 'trap : TERM; while :; do sleep 100 & wait; done'"));
	rule_commands_add(commands, &command, fired());
	await(commands, &ended, 1);
	ck_assert_int_eq(ended.status[0], 128 + SIGKILL);
	rule_commands_add(commands, &command, fired());
	rule_commands_close(commands);
	ck_assert_uint_eq(ended.n, 2);
	ck_assert_int_eq(ended.status[1], 128 + SIGKILL);
	rule_command_free(&command);
}
END_TEST

static void log_firing(struct firing_log *log, double value)
{
	struct firing *firing = fired();

	firing->value = value;
	firing_log_add(log, firing);
}

START_TEST(a_log_keeps_the_first_firings_in_their_order)
{
	struct firing_log log = { 0 };

	firing_log_clear(&log); /* of none */
	ck_assert_uint_eq(log.n, 0);
	for (unsigned i = 0; i < 3; i++)
		log_firing(&log, i);
	ck_assert_uint_eq(log.n, 3);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_double_eq(log.firings[i]->value, i);
	firing_log_clear(&log);
	ck_assert_uint_eq(log.n, 0);
	for (unsigned i = 0; i < 100002; i++) /* more than it has room for */
		log_firing(&log, i);
	ck_assert_uint_eq(log.n, 100000);
	ck_assert_double_eq(log.firings[0]->value, 0);
	ck_assert_double_eq(log.firings[99999]->value, 99999);
	firing_log_free(&log);
}
END_TEST
