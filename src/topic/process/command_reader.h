/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asynchronous reads of command lines and the like: a process that is stuck blocks who reads its memory. */
#ifndef PANETOP_TOPIC_PROCESS_COMMAND_READER_H
#define PANETOP_TOPIC_PROCESS_COMMAND_READER_H

#include "sys/env.h"
#include "topic/process/process_entry.h"

#define COMMAND_READER_MAX ((size_t)256)

struct command_reader;

struct command_line {
	uint32_t pid;
	uint64_t tag;          /* as requested */
	const char *text;      /* arguments joined by blanks, cut when very long; "": there are none */
	size_t length;
	size_t program_length; /* of its first argument */
};

/* What is read: of two readers with one name only one reads at a time. */
#define COMMAND_READER_LINES "proc/PID/cmdline"

/* Where env has no worker, lines are read at once, and a stuck process blocks. */
struct command_reader *command_reader_open(struct env *env, const char *name);
void command_reader_close(struct command_reader *reader);

/* Does it accept requests? Not while a helper reads, nor until command_reader_next() has given all lines. */
bool command_reader_is_free(const struct command_reader *reader);

/* Requests a line of this file in the directory of the process; false when there is no room for more. */
bool command_reader_ask(struct command_reader *reader, uint32_t pid, const char *file, uint64_t tag);

/* Bytes as they are, from this offset on: a text at an address of its file mem is then the first argument. */
bool command_reader_ask_at(struct command_reader *reader, uint32_t pid, const char *file, uint64_t offset,
			   uint64_t tag);

/* Starts reading what was requested, and waits a moment: normally the lines are there when it returns. */
void command_reader_submit(struct command_reader *reader);

/* The next line that was read, valid until the next command_reader_ask(); false after the last. */
bool command_reader_next(struct command_reader *reader, struct command_line *line);

/* The process that has blocked the helper for seconds; 0: none. */
uint32_t command_reader_stuck(const struct command_reader *reader);

struct command_lines;

enum command_lines_wanted {
	COMMANDS_OF_ACTIVE, /* of processes that ran or have rows */
	COMMANDS_IN_TURN,   /* then of the others, some per tick */
	COMMANDS_NOW,       /* of all others at once, waiting until they are there */
};

struct command_lines *command_lines_open(struct env *env);
void command_lines_close(struct command_lines *lines);

/*
 * Once per tick; list is sorted by pid. Waits a moment for what it requests, so that lines are normally there
 * when it returns, but never for a process that is stuck.
 */
void command_lines_update(struct command_lines *lines, struct env *env, struct process *const *list,
			  size_t n_list, enum command_lines_wanted wanted);

/* Are all that were requested there? Where a process is stuck, some are not known yet. */
bool command_lines_are_read(const struct command_lines *lines);

/* The process whose command line has blocked the reader for seconds; 0: none. */
uint32_t command_lines_stuck(const struct command_lines *lines);

#endif
