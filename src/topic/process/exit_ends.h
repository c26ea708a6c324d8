/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last processes that ended, one by one, with what is known of each. */
#ifndef PANETOP_TOPIC_PROCESS_EXIT_ENDS_H
#define PANETOP_TOPIC_PROCESS_EXIT_ENDS_H

#include "core/buffer.h"
#include "topic/process/process_entry.h"

#define EXIT_ENDS_MAX 512u /* that are kept: the newest */

/* Numbers are unknown as U64_UNKNOWN or U32_UNKNOWN, texts as "". */
struct exit_end {
	uint64_t number;      /* counts up with each end, from 1 */
	uint64_t start_ticks; /* known where it was seen alive */
	uint64_t seen_ns;     /* since 1970: of the sample that found it ended */
	uint64_t lived_ns, cpu_ns, peak_kib, disk_bytes;
	uint32_t pid, parent_pid, uid;
	uint32_t status; /* as of wait(2) */
	char name[PROCESS_NAME_MAX], parent[PROCESS_NAME_MAX];
};

/* All zero is empty. */
struct exit_ends {
	struct exit_end all[EXIT_ENDS_MAX];      /* in a circle */
	struct buffer commands[EXIT_ENDS_MAX];   /* arguments joined by spaces; empty: unknown */
	uint64_t newest;                         /* its number; 0: none */
};

/* Gives it a number. command: its arguments joined by spaces; NULL: unknown. */
void exit_ends_add(struct exit_ends *ends, const struct exit_end *end, const char *command);

/* NULL: there is none with this number, or it has made room for newer ones. */
const struct exit_end *exit_ends_get(const struct exit_ends *ends, uint64_t number);

/* "": unknown; valid until the next one is added. */
const char *exit_ends_command(const struct exit_ends *ends, const struct exit_end *end);

/*
 * The process with this PID, and start if that is known, else the first that ended at this time (since 1970)
 * or later. NULL: it is not among them.
 */
const struct exit_end *exit_ends_find(const struct exit_ends *ends, uint32_t pid, uint64_t start_ticks,
				      uint64_t lived_at_ns);

/* The last one with this PID started then, if that was not known. */
void exit_ends_date(struct exit_ends *ends, uint32_t pid, uint64_t start_ticks);
void exit_ends_clear(struct exit_ends *ends);
void exit_ends_free(struct exit_ends *ends);

#endif
