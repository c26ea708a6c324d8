/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands of rules: their words, what they get, and that each ends. */
#include "suite.h"

#include <poll.h>

#include "app/rule_list.h"
#include "core/alloc.h"
#include "core/unknown.h"
#include "sys/privilege.h"

static struct rule_command command;

START_TEST(words_of_a_command)
{
	static const char *const cases[][2] = { /* NULL: it has none */
		{ " /bin/echo  a\tb ", "[/bin/echo][a][b]" },
		{ "x 'a b' \"c 'd'\" e\\ f '' \"\\\"\"", "[x][a b][c 'd'][e f][][\"]" },
		{ "x '\\' a\"b\"c $HOME `no` ; | >", "[x][\\][abc][$HOME][`no`][;][|][>]" },
		{ "", NULL },
		{ "  ", NULL },
		{ "'' a", NULL },
		{ "x 'a", NULL },
		{ "x \"a", NULL },
		{ "a\nb\\", "[a][b\\]" }, /* there is nothing that it could be before */
		{ "'a\\' b", "[a\\][b]" },
		{ "\"a' \\\"b\" 'c\" d'", "[a' \"b][c\" d]" },
		{ "x a''b", "[x][ab]" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *joined = "";

		ck_assert_msg(rule_command_parse(&command, cases[i][0]) == (cases[i][1] != NULL), "%s",
			      cases[i][0]);
		for (char **word = command.words; cases[i][1] && *word; word++)
			joined = textf("%s[%s]", joined, *word);
		ck_assert(!cases[i][1] || strcmp(joined, cases[i][1]) == 0);
		rule_command_free(&command);
	}
}

START_TEST(a_command_has_so_many_words_at_most)
{
	for (unsigned more = 0; more < 2; more++) {
		char text[4 * RULE_COMMAND_WORDS + 8] = "";
		unsigned n = 0;

		for (unsigned i = 0; i < RULE_COMMAND_WORDS + more; i++)
			strcat(text, i % 2 ? "ab " : "c ");
		ck_assert_int_eq(rule_command_parse(&command, text), !more);
		while (!more && command.words[n])
			n++;
		ck_assert_uint_eq(n, more ? 0 : RULE_COMMAND_WORDS);
		rule_command_free(&command);
	}
}

/* Commands that have ended, in their order. */
struct ended {
	int status[RULE_COMMANDS_MAX * 3];
	unsigned n;
};

static void take(void *context, struct firing *firing)
{
	struct ended *to = context;

	to->status[to->n++] = firing->status;
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

static struct ended ended;
static struct rule_commands *commands;

/* So many runs of it, each of which may take so long. */
static void begin(const char *text, double seconds, unsigned n)
{
	user_variables_open();
	ended.n = 0;
	commands = rule_commands_open(&real_clock, false, 0, seconds, take, &ended);
	ck_assert(rule_command_parse(&command, text));
	for (unsigned i = 0; i < n; i++)
		rule_commands_add(commands, &command, fired());
}

static void await(unsigned n)
{
	struct pollfd poll_fd = { .fd = rule_commands_fd(commands), .events = POLLIN };

	while (ended.n < n) {
		poll(&poll_fd, 1, -1);
		rule_commands_go_on(commands);
	}
}

static void finish(void)
{
	rule_commands_close(commands);
	rule_command_free(&command);
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
		  "$PANETOP_SIGNAL\" = \"a rule,subject,,,,9\"'", 0 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(cases[i].text, 60, 1);
		await(1);
		ck_assert_msg(ended.status[0] == cases[i].status, "%s: %d", cases[i].text, ended.status[0]);
		finish();
	}
}

START_TEST(many_wait_for_each_other)
{
	begin("/bin/true", 60, RULE_COMMANDS_MAX * 2);
	rule_commands_add(commands, NULL, fired()); /* only noted, at once */
	ck_assert_int_eq(ended.status[ended.n - 1], FIRING_NO_COMMAND);
	await(RULE_COMMANDS_MAX * 2 + 1);
	finish();
}

/* What the command prints on its standard output and error, with this firing. */
static const char *printed(const char *text, struct firing *firing, bool output)
{
	static char said[512];
	int fd = memfd_create("said", MFD_CLOEXEC), before = dup(STDERR_FILENO);
	ssize_t length;

	user_variables_open();
	dup2(fd, STDERR_FILENO);
	ended.n = 0;
	commands = rule_commands_open(&real_clock, output, 0, 60, take, &ended);
	ck_assert(rule_command_parse(&command, text));
	rule_commands_add(commands, &command, firing);
	await(1);
	finish();
	dup2(before, STDERR_FILENO);
	close(before);
	length = pread(fd, said, sizeof(said) - 1, 0);
	said[length > 0 ? length : 0] = '\0';
	close(fd);
	return said;
}

START_TEST(a_command_knows_what_fired)
{
	struct firing *firing = fired();

	setenv("PANETOP_RULE", "another", 1);
	setenv("PANETOP_OWN", "secret", 1);
	setenv("PANETO", "stays", 1);
	firing->value = 2.5;
	firing->pid = 4711;
	firing->exit_code = 0;
	firing->signal = -1;
	firing->n_dropped = 70;
	firing->wall_ns = UINT64_C(1732095000000000000);
	ck_assert_str_eq(
		printed("/bin/sh -c 'echo $PANETO,$PANETOP_OWN,$PANETOP_RULE,$PANETOP_SUBJECT,$PANETOP_VALUE,"
			"$PANETOP_PID,$PANETOP_EXIT_CODE,$PANETOP_SIGNAL,$PANETOP_DROPPED,$PANETOP_TIME'",
			firing, true),
		"stays,,a rule,subject,2.5,4711,0,,70,2024-11-20T09:30:00.000000000Z\n");
	firing = fired();
	firing->pid = 0;
	firing->exit_code = 3;
	firing->signal = 0;
	firing->value = INFINITY;
	ck_assert_str_eq(printed("/bin/sh -c 'echo "
				 "$PANETOP_VALUE,$PANETOP_PID,$PANETOP_EXIT_CODE,$PANETOP_SIGNAL >&2'",
				 firing, true),
			 ",0,3,0\n");
	ck_assert_str_eq(printed("/bin/sh -c 'echo out; echo err >&2'", fired(), false), "");
}

/* A name of a process may have any byte; a command gets one line of text. */
START_TEST(a_subject_is_clean)
{
	struct firing *firing = fired();

	free(firing->subject);
	firing->subject = alloc_text("a\nb\033[31m \xc2\x9b \xe2\x80\xae \xff \xc3\xa9$(x)");
	ck_assert_str_eq(printed("/bin/sh -c 'echo \"$PANETOP_SUBJECT\"'", firing, true),
			 "a\xef\xbf\xbd"
			 "b\xef\xbf\xbd[31m \xef\xbf\xbd \xef\xbf\xbd \xef\xbf\xbd \xc3\xa9$(x)\n");
}

START_TEST(those_that_wait_never_run_after_the_end)
{
	begin("/bin/sleep 1000", 60, RULE_COMMANDS_MAX + 3);
	ck_assert_uint_eq(ended.n, 0);
	finish();
	ck_assert_uint_eq(ended.n, RULE_COMMANDS_MAX + 3);
	for (unsigned i = 0; i < ended.n; i++)
		ck_assert_int_eq(ended.status[i], i < RULE_COMMANDS_MAX ? 128 + SIGKILL : FIRING_NO_COMMAND);
}

/*
 * One that ignores SIGTERM gets SIGKILL, with what it has started; so does one that runs at the end. On a
 * busy machine SIGTERM may come before the shell ignores it: then it gets twice the time.
 */
START_TEST(none_runs_for_ever)
{
	for (double seconds = 0.05;; seconds *= 2) {
		begin("/bin/sh -c 'trap : TERM; while :; do sleep 100 & wait; done'", seconds, 1);
		await(1);
		if (ended.status[0] != 128 + SIGTERM)
			break;
		finish();
	}
	ck_assert_int_eq(ended.status[0], 128 + SIGKILL);
	rule_commands_add(commands, &command, fired());
	finish();
	ck_assert_uint_eq(ended.n, 2);
	ck_assert_int_eq(ended.status[1], 128 + SIGKILL);
}

START_TEST(a_log_keeps_the_first_firings_in_their_order)
{
	struct firing_log log = { 0 };

	for (unsigned turn = 0; turn < 2; turn++) {
		unsigned n_added = turn == 0 ? 3 : 100002; /* more than it has room for */

		firing_log_clear(&log);
		ck_assert_uint_eq(log.n, 0);
		for (unsigned i = 0; i < n_added; i++) {
			struct firing *firing = fired();

			firing->value = i;
			firing_log_add(&log, firing);
		}
		ck_assert_uint_eq(log.n, n_added < 100000 ? n_added : 100000);
		for (unsigned i = 0; i < log.n; i++)
			ck_assert_double_eq(log.firings[i]->value, i);
	}
	firing_log_free(&log);
}
