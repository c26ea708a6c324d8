/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command lines as a worker reads them, their arguments joined. */
#include <config.h>

#include "topic/process/command_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "sys/file_reader.h"

#define WAIT_NS UINT64_C(20000000) /* for what is read in microseconds */
#define STUCK_NS UINT64_C(2000000000)

struct command_reader {
	struct file_reader *files;
};

struct command_reader *command_reader_open(struct env *env, struct worker *worker)
{
	struct command_reader *reader = alloc_zeroed(1, sizeof(*reader));

	reader->files = file_reader_open(env, worker, COMMAND_READER_MAX);
	return reader;
}

void command_reader_close(struct command_reader *reader)
{
	file_reader_close(reader->files);
	free(reader);
}

bool command_reader_is_free(const struct command_reader *reader)
{
	return file_reader_is_free(reader->files);
}

bool command_reader_ask(struct command_reader *reader, uint32_t pid, uint64_t tag)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%u/cmdline", pid);
	return file_reader_ask(reader->files, pid, tag, path);
}

void command_reader_submit(struct command_reader *reader, struct env *env)
{
	file_reader_submit(reader->files, env, WAIT_NS);
}

/* Arguments end in a NUL each; what a program wrote over them may not. Blanks part them for people. */
static void join_arguments(const struct file_text *text, struct command_line *line)
{
	size_t length = text->length > 0 ? (size_t)text->length : 0;

	while (length > 0 && text->bytes[length - 1] == '\0')
		length--;
	line->program_length = strnlen(text->bytes, length);
	for (size_t i = 0; i < length; i++)
		if (text->bytes[i] == '\0')
			text->bytes[i] = ' ';
	text->bytes[length] = '\0';
	line->text = text->bytes;
	line->length = length;
}

bool command_reader_next(struct command_reader *reader, struct command_line *line)
{
	struct file_text text;

	if (!file_reader_next(reader->files, &text))
		return false;
	line->pid = text.number;
	line->tag = text.tag;
	join_arguments(&text, line);
	return true;
}

uint32_t command_reader_stuck(const struct command_reader *reader)
{
	int64_t pid = file_reader_stuck(reader->files, STUCK_NS);

	return pid < 0 ? 0 : (uint32_t)pid;
}
