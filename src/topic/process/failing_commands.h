/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which commands fail, and under whom: exits by name of the process and of its parent. */
#ifndef PANETOP_TOPIC_PROCESS_FAILING_COMMANDS_H
#define PANETOP_TOPIC_PROCESS_FAILING_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "topic/process/process_entry.h"

#define FAILING_COMMANDS_MAX 256u

/* All zero is unused. */
struct failing_command {
	char name[PROCESS_NAME_MAX], parent[PROCESS_NAME_MAX]; /* parent "": not known */
	uint32_t parent_pid; /* of the one that failed last … */
	uint32_t exit_code;  /* … and how it ended, as in wait(2) */
	uint64_t exits, failures; /* since the pair is counted */
	uint64_t failed_ns, exited_ns; /* when it last did; failed_ns 0: never */
};

/* Pairs that do not fail, or no longer, make room for others. All zero is empty. */
struct failing_commands {
	struct failing_command all[FAILING_COMMANDS_MAX];
	uint64_t lost; /* exits of pairs for which there was no room */
};

/*
 * A code other than 0, or a crash, as in wait(2)? Not a signal from another process, nor the code of a shell
 * for such a signal.
 */
bool exit_is_failure(uint32_t exit_code);

/*
 * Its name; of git and systemctl with their subcommand, which says whether their exit code is an answer,
 * if its arguments, joined by spaces, are known (NULL: they are not).
 */
const char *failing_command_name(char whole[PROCESS_NAME_MAX], const char *name, const char *command);

void failing_commands_add(struct failing_commands *commands, uint64_t now_ns, const char *name,
			  const char *parent, uint32_t parent_pid, uint32_t exit_code);

/* Has it failed within the last minute? */
bool failing_command_is_recent(const struct failing_command *command, uint64_t now_ns);

#endif
