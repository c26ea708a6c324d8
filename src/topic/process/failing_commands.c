/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts exits by pairs of names, in a few places of a table without lists. */
#include <config.h>

#include "topic/process/failing_commands.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"

#define PLACES 4u /* that a pair may have */
#define RECENT_NS (UINT64_C(60) * 1000000000)
#define SHELL_SIGNAL 128u /* a shell adds the signal to this */
#define SIGNALS 32u       /* but for those of real time */

/* Signals that a process causes itself. */
static bool is_crash(unsigned number)
{
	static const unsigned crashes = 1U << SIGILL | 1U << SIGTRAP | 1U << SIGABRT | 1U << SIGBUS |
					1U << SIGFPE | 1U << SIGSEGV | 1U << SIGXCPU | 1U << SIGXFSZ |
					1U << SIGSYS;

	return number < SIGNALS && (crashes >> number & 1);
}

bool exit_is_failure(uint32_t exit_code)
{
	unsigned number = exit_code & 0x7f, code = exit_code >> 8 & 0xff;

	if (number > 0)
		return is_crash(number);
	if (code > SHELL_SIGNAL && code < SHELL_SIGNAL + SIGNALS)
		return is_crash(code - SHELL_SIGNAL);
	return code > 0;
}

/* The first argument that is not an option; -C and -c of git have a value. False: there is none. */
static bool find_subcommand(const char *command, struct span *word)
{
	struct span rest = span_text(command), value;

	if (!span_word(&rest, word))
		return false;
	while (span_word(&rest, word)) {
		if (!span_starts(*word, "-"))
			return true;
		if (span_is(*word, "-C") || span_is(*word, "-c"))
			span_word(&rest, &value);
	}
	return false;
}

/* A word of letters, as all of theirs are. */
static bool is_plain(struct span word)
{
	return strspn(word.at, "abcdefghijklmnopqrstuvwxyz-") >= span_length(word);
}

const char *failing_command_name(char whole[PROCESS_NAME_MAX], const char *name, const char *command)
{
	struct span word;

	if (!command || (strcmp(name, "git") != 0 && strcmp(name, "systemctl") != 0) ||
	    !find_subcommand(command, &word) || !is_plain(word))
		return name;
	snprintf(whole, PROCESS_NAME_MAX, "%s %.*s", name, (int)span_length(word), word.at);
	return whole;
}

bool failing_command_is_recent(const struct failing_command *command, uint64_t now_ns)
{
	return command->failed_ns > 0 && now_ns <= command->failed_ns + RECENT_NS;
}

static bool is_pair(const struct failing_command *command, const char *name, const char *parent)
{
	return strcmp(command->name, name) == 0 && strcmp(command->parent, parent) == 0;
}

/* May another pair have its place? */
static bool is_free(const struct failing_command *command, uint64_t now_ns)
{
	return !command->name[0] || !failing_command_is_recent(command, now_ns);
}

/* Of the places that are free the one whose pair exited first; NULL: none is. */
static struct failing_command *find_or_add(struct failing_commands *commands, uint64_t now_ns,
					   const char *name, const char *parent)
{
	uint64_t hash = hash_bytes(hash_bytes(HASH_SEED, span_text(name)), span_text(parent));
	struct failing_command *chosen = NULL;

	for (unsigned i = 0; i < PLACES; i++) {
		struct failing_command *place = &commands->all[(hash + i) % FAILING_COMMANDS_MAX];

		if (is_pair(place, name, parent))
			return place;
		if (is_free(place, now_ns) && (!chosen || place->exited_ns < chosen->exited_ns))
			chosen = place;
	}
	if (chosen) {
		*chosen = (struct failing_command){ 0 };
		strncpy(chosen->name, name, sizeof(chosen->name) - 1);
		strncpy(chosen->parent, parent, sizeof(chosen->parent) - 1);
	}
	return chosen;
}

void failing_commands_add(struct failing_commands *commands, uint64_t now_ns, const char *name,
			  const char *parent, uint32_t parent_pid, uint32_t exit_code)
{
	struct failing_command *command = find_or_add(commands, now_ns, name, parent);

	if (!command) {
		commands->lost++;
		return;
	}
	command->exits++;
	command->exited_ns = now_ns;
	if (!exit_is_failure(exit_code))
		return;
	command->failures++;
	command->failed_ns = now_ns;
	command->parent_pid = parent_pid;
	command->exit_code = exit_code;
}
