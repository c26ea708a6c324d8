/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this run requests from the topics besides the settings: set by options and the screen, never by a
 * file.
 */
#ifndef PANETOP_MODEL_SAMPLE_REQUEST_H
#define PANETOP_MODEL_SAMPLE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DELAY_MIN 0.05 /* seconds between samples */
#define DELAY_MAX 86400
#define PROCESS_CHOICE_NAME_MAX 64
#define PROCESSES_VISIBLE_MAX 256

/* A process as a table showed it. */
struct process_choice {
	bool is_set;
	uint32_t pid;
	double start_seconds; /* after boot */
	char name[PROCESS_CHOICE_NAME_MAX];
};

static inline bool process_choice_is_same(const struct process_choice *one,
					  const struct process_choice *other)
{
	return one->is_set == other->is_set &&
	       (!one->is_set || (one->pid == other->pid && one->start_seconds == other->start_seconds &&
				 strcmp(one->name, other->name) == 0));
}

struct sample_request {
	bool batch, once, read_only;
	uint32_t own_pid;               /* of panetop; 0: a recording, or another machine's files */
	const char *processes;          /* --pid; NULL: not given */
	const char *users;              /* --user; NULL: not given */
	const char *shown_user;         /* chosen on the screen: only tables are filtered; NULL: all */
	struct process_choice selected; /* under the cursor of the CPU pane: its counters are read; no name */
	uint32_t visible[PROCESSES_VISIBLE_MAX]; /* pids in the CPU pane, ascending: they are read again */
	size_t n_visible;
	bool all_commands; /* a search or a filter may want the command lines of idle processes */

	/* The pages pane. */
	struct process_choice mapped; /* chosen on the screen; not set: processes */
	unsigned n_next;       /* each change requests the next process with the name of the last one */
	uint64_t page_address; /* 0: none */
	struct {
		uint64_t cell_pages; /* 0: the smallest at which everything fits */
		uint64_t anchor;     /* with cell_pages: address of a cell … */
		size_t before;       /* … and the cells wanted before it */
		size_t most;         /* cells wanted from the anchor on; 0: as the options request */
	} cells;
};

#endif
