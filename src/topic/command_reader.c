/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One job of the worker at a time: a list of pids in, their command lines out. */
#include <config.h>

#include "topic/command_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/worker.h"

#define COMMAND_BYTES_MAX ((size_t)1024)
#define WAIT_NS UINT64_C(20000000) /* for what is read in microseconds */
#define STUCK_NS UINT64_C(2000000000)

struct entry {
	uint32_t pid;
	uint64_t tag;
	long length; /* of bytes, or -errno */
	char bytes[COMMAND_BYTES_MAX + 1];
};

struct command_reader {
	struct worker_job job;
	struct worker *worker;
	int root_fd;              /* owned: the job may outlive env */
	sem_t finished;
	struct entry *entries;
	size_t n_entries;
	size_t taken;             /* of them, results */
	bool sent;                /* the job is the worker's, until done */
	bool ready;               /* it has read them all */
	bool orphan;              /* nobody waits any more: done frees it */
	uint64_t sent_ns;
	_Atomic uint32_t reading; /* pid that the worker is at */
};

static long read_command(int root_fd, struct entry *entry)
{
	char path[64];
	ssize_t length;
	int fd, error;

	snprintf(path, sizeof(path), "proc/%u/cmdline", entry->pid);
	fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	length = read(fd, entry->bytes, COMMAND_BYTES_MAX);
	error = errno;
	close(fd);
	return length < 0 ? -error : length;
}

static void run(struct worker_job *job)
{
	struct command_reader *reader = (struct command_reader *)job;

	for (size_t i = 0; i < reader->n_entries; i++) {
		struct entry *entry = &reader->entries[i];

		atomic_store(&reader->reading, entry->pid);
		entry->length = read_command(reader->root_fd, entry);
	}
	atomic_store(&reader->reading, 0);
	sem_post(&reader->finished);
}

static void free_reader(struct command_reader *reader)
{
	close(reader->root_fd);
	sem_destroy(&reader->finished);
	free(reader->entries);
	free(reader);
}

static void done(struct worker_job *job)
{
	struct command_reader *reader = (struct command_reader *)job;

	reader->sent = false;
	if (reader->orphan)
		free_reader(reader);
}

struct command_reader *command_reader_open(struct env *env, struct worker *worker)
{
	struct command_reader *reader = alloc_zeroed(1, sizeof(*reader));

	reader->job = (struct worker_job){ .run = run, .done = done };
	reader->worker = worker;
	reader->root_fd = fcntl(env->root_fd, F_DUPFD_CLOEXEC, 0);
	sem_init(&reader->finished, 0, 0);
	reader->entries = alloc_zeroed(COMMAND_READER_MAX, sizeof(*reader->entries));
	return reader;
}

void command_reader_close(struct command_reader *reader)
{
	if (reader->sent)
		reader->orphan = true;
	else
		free_reader(reader);
}

bool command_reader_is_free(const struct command_reader *reader)
{
	return !reader->sent && !reader->ready;
}

bool command_reader_ask(struct command_reader *reader, uint32_t pid, uint64_t tag)
{
	struct entry *entry;

	if (!command_reader_is_free(reader) || reader->n_entries == COMMAND_READER_MAX)
		return false;
	entry = &reader->entries[reader->n_entries++];
	entry->pid = pid;
	entry->tag = tag;
	return true;
}

static bool wait_a_moment(struct command_reader *reader)
{
	uint64_t until_ns = env_mono_ns() + WAIT_NS;
	struct timespec deadline = {
		.tv_sec = (time_t)(until_ns / UINT64_C(1000000000)),
		.tv_nsec = (long)(until_ns % UINT64_C(1000000000)),
	};

	while (sem_clockwait(&reader->finished, CLOCK_MONOTONIC, &deadline) < 0)
		if (errno != EINTR)
			return false;
	return true;
}

void command_reader_submit(struct command_reader *reader, struct env *env)
{
	if (reader->n_entries == 0 || !command_reader_is_free(reader))
		return;
	reader->sent = true;
	reader->taken = 0;
	reader->sent_ns = env_mono_ns();
	env->reads += reader->n_entries;
	worker_submit(reader->worker, &reader->job);
	reader->ready = wait_a_moment(reader);
}

/* Arguments end in a NUL each; what a program wrote over them may not. Blanks part them for people. */
static void join_arguments(struct entry *entry, struct command_line *line)
{
	size_t length = entry->length > 0 ? (size_t)entry->length : 0;

	while (length > 0 && entry->bytes[length - 1] == '\0')
		length--;
	line->program_length = strnlen(entry->bytes, length);
	for (size_t i = 0; i < length; i++)
		if (entry->bytes[i] == '\0')
			entry->bytes[i] = ' ';
	entry->bytes[length] = '\0';
	line->text = entry->bytes;
	line->length = length;
}

bool command_reader_next(struct command_reader *reader, struct command_line *line)
{
	struct entry *entry;

	if (!reader->ready && reader->n_entries > 0)
		reader->ready = sem_trywait(&reader->finished) == 0;
	if (!reader->ready)
		return false;
	if (reader->taken == reader->n_entries) {
		reader->ready = false;
		reader->n_entries = 0;
		return false;
	}
	entry = &reader->entries[reader->taken++];
	line->pid = entry->pid;
	line->tag = entry->tag;
	join_arguments(entry, line);
	return true;
}

uint32_t command_reader_stuck(const struct command_reader *reader)
{
	return reader->sent && env_mono_ns() - reader->sent_ns > STUCK_NS ? atomic_load(&reader->reading) : 0;
}
