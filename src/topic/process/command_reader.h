/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command lines of processes, read by a worker: one that is stuck keeps its reader for ever. */
#ifndef PANETOP_TOPIC_PROCESS_COMMAND_READER_H
#define PANETOP_TOPIC_PROCESS_COMMAND_READER_H

#include "sys/env.h"

#define COMMAND_READER_MAX ((size_t)256)

struct command_reader;

struct command_line {
	uint32_t pid;
	uint64_t tag;          /* as it was asked for */
	const char *text;      /* arguments joined by blanks, cut when very long; "" when there is none */
	size_t length;
	size_t program_length; /* of its first argument */
};

/* worker is borrowed; NULL: they are read at once, and a stuck one is waited for. */
struct command_reader *command_reader_open(struct env *env, struct worker *worker);
void command_reader_close(struct command_reader *reader);

/* May more be asked for? Not while the worker reads, nor until what it read was taken. */
bool command_reader_is_free(const struct command_reader *reader);

/* False when there is no room for more. */
bool command_reader_ask(struct command_reader *reader, uint32_t pid, uint64_t tag);

/* Has them read; waits a moment, so that they are normally there, but never for one that is stuck. */
void command_reader_submit(struct command_reader *reader, struct env *env);

/* The next one that was read, valid until the next command_reader_ask(); false after the last. */
bool command_reader_next(struct command_reader *reader, struct command_line *line);

/* The process that has kept the worker for seconds; 0: none. */
uint32_t command_reader_stuck(const struct command_reader *reader);

#endif
