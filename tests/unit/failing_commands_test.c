/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exits by pairs of names: what is a failure, and who makes room for whom. */
#include "suite.h"

#include "topic/process/exit_ledger.h"

#define SECOND UINT64_C(1000000000)
#define CODE(code) ((uint32_t)(code) << 8)

/*
 * What is the fault of the process: by their numbers on x86 and arm64, where no other signal is one that the
 * process itself has caused; with a core, too. A shell tells those below 32 as a status.
 */
START_TEST(signals_of_crashes_are_failures)
{
	static const unsigned crashes[] = { SIGILL,  SIGTRAP, SIGABRT, SIGBUS, SIGFPE,
					    SIGSEGV, SIGXCPU, SIGXFSZ, SIGSYS };

	for (unsigned number = 1; number <= 64; number++) {
		bool crash = false;

		for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
			crash |= crashes[i] == number;
		ck_assert_msg(exit_is_failure(number) == crash, "signal %u", number);
		ck_assert_msg(exit_is_failure(number | 0x80) == crash, "signal %u with a core", number);
	}
	ck_assert(!exit_is_failure(CODE(0)));
	for (unsigned code = 1; code <= 255; code++) {
		bool of_signal = code > 128 && code < 128 + 32;

		ck_assert_msg(exit_is_failure(CODE(code)) == (!of_signal || exit_is_failure(code - 128)),
			      "code %u", code);
	}
}

START_TEST(subcommands_belong_to_the_name)
{
	static const struct {
		const char *name, *command, *whole;
	} cases[] = {
		{ "git", "git push origin main", "git push" },
		{ "git", "/usr/bin/git -C /srv -c color.ui=never --no-pager diff --quiet", "git diff" },
		{ "git", "git --version", "git" },
		{ "git", "git", "git" },
		{ "git", NULL, "git" },
		{ "git", "git 1234", "git" },
		{ "git", "git push2", "git" },
		{ "git", "git Push", "git" },
		{ "git", "git cherry-pick", "git cherry-pick" },
		{ "git", "git -c", "git" },
		{ "git", "git -C push", "git" },
		{ "git", "", "git" },
		{ "systemctl", "systemctl --quiet is-active cron", "systemctl is-active" },
		{ "grep", "grep -q push", "grep" },
		{ "sh", "sh git push", "sh" },
	};
	char whole[PROCESS_NAME_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_str_eq(failing_command_name(whole, cases[i].name, cases[i].command),
				 cases[i].whole);
}

static const struct failing_command *find(const struct failing_commands *commands, const char *name,
					  const char *parent)
{
	for (unsigned i = 0; i < FAILING_COMMANDS_MAX; i++)
		if (strcmp(commands->all[i].name, name) == 0 && strcmp(commands->all[i].parent, parent) == 0)
			return &commands->all[i];
	return NULL;
}

START_TEST(pairs_are_counted_apart)
{
	struct failing_commands *commands = calloc(1, sizeof(*commands));
	const struct failing_command *loop, *good;
	uint64_t n_parents;

	for (uint32_t i = 0; i < 100; i++) {
		failing_commands_add(commands, SECOND, "sh", "make", 42, CODE(0));
		if (i % 10 == 0)
			failing_commands_add(commands, SECOND, "sh", "loop", 1000 + i, CODE(3));
	}
	good = find(commands, "sh", "make");
	loop = find(commands, "sh", "loop");
	ck_assert_uint_eq(good->exits, 100);
	ck_assert_uint_eq(good->failures, 0);
	ck_assert(!failing_command_is_recent(good, SECOND));
	ck_assert_uint_eq(loop->exits, 10);
	ck_assert_uint_eq(loop->failures, 10);
	ck_assert_uint_eq(failing_command_parent(loop, &n_parents), U64_UNKNOWN);
	ck_assert_uint_eq(n_parents, U64_UNKNOWN); /* one for each */
	ck_assert_uint_eq(loop->exit_code, CODE(3));
	ck_assert(failing_command_is_recent(loop, 61 * SECOND));
	ck_assert(!failing_command_is_recent(loop, 61 * SECOND + 1));
	ck_assert_uint_eq(commands->lost, 0);
	free(commands);
}

/* Of the last 16 failures, of which one parent may have a few that are not its own. */
START_TEST(a_parent_has_nearly_all_failures)
{
	struct failing_commands *commands = calloc(1, sizeof(*commands));
	const struct failing_command *command;
	uint64_t n_parents;

	for (uint32_t i = 0; i < 40; i++)
		failing_commands_add(commands, SECOND, "sh", "loop", i % 16 < 3 ? 8 : 7, CODE(3));
	command = find(commands, "sh", "loop");
	ck_assert_uint_eq(failing_command_parent(command, &n_parents), 7);
	ck_assert_uint_eq(n_parents, U64_UNKNOWN);
	failing_commands_add(commands, SECOND, "sh", "loop", 8, CODE(3));
	ck_assert_uint_eq(failing_command_parent(command, &n_parents), U64_UNKNOWN);
	ck_assert_uint_eq(n_parents, 2);
	/* each has another one: how many is not known */
	for (uint32_t i = 0; i < 16; i++)
		failing_commands_add(commands, SECOND, "sh", "loop", 100 + i, CODE(3));
	ck_assert_uint_eq(failing_command_parent(command, &n_parents), U64_UNKNOWN);
	ck_assert_uint_eq(n_parents, U64_UNKNOWN);
	/* a minute later all begins again */
	failing_commands_add(commands, 61 * SECOND + 1, "sh", "loop", 9, CODE(3));
	ck_assert_uint_eq(command->failures, 1);
	ck_assert_uint_eq(command->exits, 1);
	ck_assert_uint_eq(failing_command_parent(command, &n_parents), 9);
	free(commands);
}

/* However many pairs come, one that fails keeps its place; what finds none is counted. */
START_TEST(what_fails_is_kept)
{
	struct failing_commands *commands = calloc(1, sizeof(*commands));

	failing_commands_add(commands, SECOND, "loop", "cron", 1, CODE(1));
	for (unsigned i = 0; i < 20 * FAILING_COMMANDS_MAX; i++)
		failing_commands_add(commands, SECOND + i, textf("good%u", i), "make", 2, CODE(0));
	ck_assert_ptr_nonnull(find(commands, "loop", "cron"));
	for (unsigned i = 0; i < 20 * FAILING_COMMANDS_MAX; i++)
		failing_commands_add(commands, 2 * SECOND, textf("bad%u", i), "make", 2, CODE(1));
	ck_assert_ptr_nonnull(find(commands, "loop", "cron"));
	ck_assert_uint_ge(commands->lost, 19 * FAILING_COMMANDS_MAX);
	/* the others are long ago */
	failing_commands_add(commands, 90 * SECOND, "later", "make", 2, CODE(1));
	ck_assert_ptr_nonnull(find(commands, "later", "make"));
	ck_assert_uint_eq(find(commands, "later", "make")->exits, 1);
	free(commands);
}

/* Whoever exited last is not the one that makes room: of those that do not fail, the newest stay. */
START_TEST(the_newest_of_many_pairs_stay)
{
	struct failing_commands *commands = calloc(1, sizeof(*commands));
	unsigned n = 20 * FAILING_COMMANDS_MAX, n_kept = 0;

	for (unsigned i = 0; i < n; i++)
		failing_commands_add(commands, SECOND + i, textf("good%u", i), "make", 2, CODE(0));
	for (unsigned i = n - FAILING_COMMANDS_MAX / 2; i < n; i++)
		n_kept += find(commands, textf("good%u", i), "make") != NULL;
	ck_assert_uint_eq(commands->lost, 0);
	ck_assert_uint_gt(n_kept, FAILING_COMMANDS_MAX * 3 / 8);
	free(commands);
}
