/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of command lines at a time, read in order by one helper. */
#include <config.h>

#include "topic/process/command_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "sys/device_poll.h"
#include "topic/process/process_entry.h"

#define BYTES_MAX ((size_t)1024)
#define STUCK_NS UINT64_C(2000000000)
#define STALL_NS UINT64_C(500000000) /* without a line read: waiting longer is of no use … */
#define BUSY_NS UINT64_C(10000000000) /* … but where CPUs are busy, the helper may not have run at all */

struct request {
	uint32_t pid;
	char file[PROCESS_FILE_MAX]; /* in its directory */
	uint64_t offset, tag;
	size_t length; /* of bytes; 0: none, or an error */
	char bytes[BYTES_MAX + 1];
};

struct command_reader {
	struct device_poll poll;
	struct env *env;  /* borrowed */
	size_t n_requests;
	size_t n_taken;   /* of them, after it has finished */
	bool submitted, finished; /* until all are taken */
	uint64_t submitted_ns;
	_Atomic uint32_t reading; /* pid that the helper reads; 0: none */
	_Atomic size_t n_read;    /* requests that the helper has read */
	struct request requests[COMMAND_READER_MAX];
};

static size_t read_line(const struct root *root, struct request *request)
{
	char path[2 * PROCESS_FILE_MAX];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "proc/%u/%s", request->pid, request->file);
	fd = root_open_at(root, path, O_RDONLY | O_NOCTTY);
	if (fd < 0)
		return 0;
	length = request->offset ? pread(fd, request->bytes, BYTES_MAX, (off_t)request->offset)
				 : read(fd, request->bytes, BYTES_MAX);
	close(fd);
	return length > 0 ? (size_t)length : 0;
}

static void read_lines(struct device_poll *poll)
{
	struct command_reader *reader = (struct command_reader *)poll;

	for (size_t i = 0; i < reader->n_requests; i++) {
		atomic_store(&reader->reading, reader->requests[i].pid);
		reader->requests[i].length = read_line(poll->root, &reader->requests[i]);
		atomic_store(&reader->n_read, i + 1);
	}
	atomic_store(&reader->reading, 0);
	poll->reads += reader->n_requests;
}

static void finish(struct device_poll *poll)
{
	struct command_reader *reader = (struct command_reader *)poll;

	reader->finished = true;
	reader->n_taken = 0;
}

static void free_reader(struct device_poll *poll)
{
	helper_free(poll);
}

struct command_reader *command_reader_open(struct env *env, const char *name)
{
	struct command_reader *reader = helper_alloc(sizeof(*reader));

	reader->env = env;
	reader->poll = (struct device_poll){ .read = read_lines, .finished = finish, .free = free_reader };
	device_poll_open(&reader->poll, env, name);
	return reader;
}

void command_reader_close(struct command_reader *reader)
{
	device_poll_drop(&reader->poll);
}

bool command_reader_is_free(const struct command_reader *reader)
{
	return !reader->submitted;
}

bool command_reader_ask(struct command_reader *reader, uint32_t pid, const char *file, uint64_t tag)
{
	return command_reader_ask_at(reader, pid, file, 0, tag);
}

bool command_reader_ask_at(struct command_reader *reader, uint32_t pid, const char *file, uint64_t offset,
			   uint64_t tag)
{
	struct request *request = &reader->requests[reader->n_requests];

	if (!command_reader_is_free(reader) || reader->n_requests == COMMAND_READER_MAX)
		return false;
	request->pid = pid;
	snprintf(request->file, sizeof(request->file), "%s", file);
	request->offset = offset;
	request->tag = tag;
	reader->n_requests++;
	return true;
}

/* Starts late where a helper is still blocked for a reader that was closed. */
static void start(struct command_reader *reader)
{
	reader->submitted_ns = env_mono_ns(reader->env);
	atomic_store(&reader->n_read, 0);
	reader->poll.credit = 1; /* a stuck process does not make others slow */
	device_poll_submit(&reader->poll);
}

void command_reader_submit(struct command_reader *reader)
{
	if (reader->n_requests == 0 || reader->submitted)
		return;
	reader->submitted = true;
	start(reader);
	device_poll_wait(reader->env);
}

/*
 * Waits until all lines are there, as long as the helper reads some or waits for a CPU: a stuck process costs
 * half a second.
 */
static void command_reader_wait(struct command_reader *reader)
{
	const struct env *env = reader->env;
	bool goes_on = reader->submitted;

	while (goes_on) {
		size_t n_read = atomic_load(&reader->n_read);

		device_poll_wait_for(&reader->poll, STALL_NS);
		goes_on = reader->poll.in_flight && (atomic_load(&reader->n_read) > n_read ||
						     (env_mono_ns(env) - reader->submitted_ns < BUSY_NS &&
						      device_poll_waits_for_cpu(&reader->poll)));
	}
}

/* Each argument ends in a NUL, unless the program has overwritten it. */
static void join_arguments(struct request *request, struct command_line *line)
{
	size_t length = request->length;

	while (!request->offset && length > 0 && request->bytes[length - 1] == '\0')
		length--;
	line->program_length = strnlen(request->bytes, length);
	for (size_t i = 0; i < length && !request->offset; i++)
		if (request->bytes[i] == '\0')
			request->bytes[i] = ' ';
	request->bytes[length] = '\0';
	line->text = request->bytes;
	line->length = length;
}

bool command_reader_next(struct command_reader *reader, struct command_line *line)
{
	struct request *request;

	if (reader->submitted && !reader->finished) {
		if (!reader->poll.in_flight)
			start(reader);
		device_poll_wait(reader->env);
	}
	if (!reader->finished)
		return false;
	if (reader->n_taken == reader->n_requests) {
		reader->submitted = reader->finished = false;
		reader->n_requests = 0;
		return false;
	}
	request = &reader->requests[reader->n_taken++];
	line->pid = request->pid;
	line->tag = request->tag;
	join_arguments(request, line);
	return true;
}

uint32_t command_reader_stuck(const struct command_reader *reader)
{
	bool slow = reader->poll.in_flight && env_mono_ns(reader->env) - reader->submitted_ns > STUCK_NS;

	return slow ? atomic_load(&reader->reading) : 0;
}

/* Chooses which command lines are read next, and stores them. */

#define AGAIN_TICKS 10 /* a program may change its command line */

struct command_lines {
	struct command_reader *reader;
	size_t next; /* index of the first process whose turn has not come yet */
};

struct command_lines *command_lines_open(struct env *env)
{
	struct command_lines *lines = alloc_zeroed(1, sizeof(*lines));

	lines->reader = command_reader_open(env, COMMAND_READER_LINES);
	return lines;
}

void command_lines_close(struct command_lines *lines)
{
	command_reader_close(lines->reader);
	free(lines);
}

bool command_lines_are_read(const struct command_lines *lines)
{
	return command_reader_is_free(lines->reader);
}

uint32_t command_lines_stuck(const struct command_lines *lines)
{
	return command_reader_stuck(lines->reader);
}

static void set_command(struct process *process, const struct command_line *line)
{
	if (process->command && strcmp(process->command, line->text) == 0)
		return;
	free(process->command);
	process->command = NULL;
	if (line->length == 0)
		return;
	process->command = alloc_text(line->text);
	process->program_length = (uint32_t)line->program_length;
}

static void collect(struct command_lines *lines, struct process *const *list, size_t n_list)
{
	struct command_line line;

	while (command_reader_next(lines->reader, &line)) {
		struct process *process = process_in_list(list, n_list, line.pid);

		if (process && process->start_ticks == line.tag)
			set_command(process, &line);
	}
}

static bool ask(struct command_lines *lines, struct process *process, uint64_t tick)
{
	char path[PROCESS_FILE_MAX];

	if (process_is_kernel_thread(process))
		return true;
	if (!command_reader_ask(lines->reader, process->pid, process_memory_file(process, "cmdline", path),
				process->start_ticks))
		return false;
	process->command_tick = tick;
	return true;
}

/* Requests up to most lines that were never requested before, in turn. How many it requested. */
static size_t ask_others(struct command_lines *lines, struct process *const *list, size_t n_list,
			 uint64_t tick, size_t most)
{
	size_t tried = 0, asked = 0;

	for (; tried < n_list && asked < most; tried++) {
		struct process *process = list[(lines->next + tried) % n_list];

		if (process->command_tick != 0 || process_is_kernel_thread(process))
			continue;
		if (!ask(lines, process, tick))
			break;
		asked++;
	}
	lines->next = n_list > 0 ? (lines->next + tried) % n_list : 0;
	return asked;
}

/* A read can come before the exec ends: what ran since is read again, though it sleeps by now. */
static bool is_due(const struct process *process, uint64_t tick)
{
	if (process->command_tick == 0)
		return process->ran || process->shown;
	return process->ran_tick >= process->command_tick &&
	       tick - process->command_tick >= (process->command ? AGAIN_TICKS : 1);
}

/*
 * Those with rows first: on a large machine there is no room for all that are new in the first tick. How many
 * it requested.
 */
static size_t ask_active(struct command_lines *lines, struct process *const *list, size_t n_list,
			 uint64_t tick)
{
	size_t asked = 0;

	for (int shown = 1; shown >= 0; shown--)
		for (size_t i = 0; i < n_list; i++)
			if (list[i]->shown == shown && is_due(list[i], tick))
				asked += ask(lines, list[i], tick) && list[i]->command_tick == tick;
	return asked;
}

void command_lines_update(struct command_lines *lines, struct env *env, struct process *const *list,
			  size_t n_list, enum command_lines_wanted wanted)
{
	static const size_t others[] = { [COMMANDS_IN_TURN] = COMMAND_READER_MAX / 4,
					 [COMMANDS_NOW] = COMMAND_READER_MAX };
	bool more = true;

	collect(lines, list, n_list);
	while (more && command_reader_is_free(lines->reader)) {
		size_t asked = ask_active(lines, list, n_list, env->tick);

		asked += ask_others(lines, list, n_list, env->tick, others[wanted]);
		more = asked > 0 && wanted == COMMANDS_NOW;
		command_reader_submit(lines->reader);
		if (wanted == COMMANDS_NOW)
			command_reader_wait(lines->reader);
		collect(lines, list, n_list);
	}
}
