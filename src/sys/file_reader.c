/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One job of the worker at a time: a list of paths in, their bytes out. */
#include <config.h>

#include "sys/file_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "sys/worker.h"

#define PATH_BYTES_MAX 160

struct entry {
	uint32_t number;
	uint64_t tag;
	long length; /* of bytes, or -errno */
	char path[PATH_BYTES_MAX];
	char bytes[FILE_READER_BYTES_MAX + 1];
};

struct file_reader {
	struct worker_job job;
	struct worker *worker;
	int root_fd; /* owned: the job may outlive env */
	sem_t finished;
	struct entry *entries;
	size_t n_entries, most;
	size_t taken; /* of them, results */
	bool sent;    /* the job is the worker's, until done */
	bool ready;   /* it has read them all */
	bool orphan;  /* nobody waits any more: done frees it */
	uint64_t sent_ns;
	_Atomic int64_t reading; /* number of the one that the worker is at; -1: none */
};

static long read_entry(int root_fd, struct entry *entry)
{
	int fd = openat(root_fd, entry->path, O_RDONLY | O_CLOEXEC | O_NOCTTY), error;
	ssize_t length;

	if (fd < 0)
		return -errno;
	length = read(fd, entry->bytes, FILE_READER_BYTES_MAX);
	error = errno;
	close(fd);
	return length < 0 ? -error : length;
}

static void run(struct worker_job *job)
{
	struct file_reader *reader = (struct file_reader *)job;

	for (size_t i = 0; i < reader->n_entries; i++) {
		struct entry *entry = &reader->entries[i];

		atomic_store(&reader->reading, (int64_t)entry->number);
		entry->length = read_entry(reader->root_fd, entry);
	}
	atomic_store(&reader->reading, -1);
	sem_post(&reader->finished);
}

static void free_reader(struct file_reader *reader)
{
	close(reader->root_fd);
	sem_destroy(&reader->finished);
	free(reader->entries);
	free(reader);
}

static void done(struct worker_job *job)
{
	struct file_reader *reader = (struct file_reader *)job;

	reader->sent = false;
	if (reader->orphan)
		free_reader(reader);
}

struct file_reader *file_reader_open(struct env *env, struct worker *worker, size_t most)
{
	struct file_reader *reader = alloc_zeroed(1, sizeof(*reader));

	reader->job = (struct worker_job){ .run = run, .done = done };
	reader->worker = worker;
	reader->root_fd = fcntl(env->root_fd, F_DUPFD_CLOEXEC, 0);
	sem_init(&reader->finished, 0, 0);
	reader->entries = alloc_zeroed(most, sizeof(*reader->entries));
	reader->most = most;
	atomic_store(&reader->reading, -1);
	return reader;
}

void file_reader_close(struct file_reader *reader)
{
	if (reader->sent)
		reader->orphan = true;
	else
		free_reader(reader);
}

bool file_reader_is_free(const struct file_reader *reader)
{
	return !reader->sent && !reader->ready;
}

bool file_reader_ask(struct file_reader *reader, uint32_t number, uint64_t tag, const char *path)
{
	struct entry *entry;

	if (!file_reader_is_free(reader) || reader->n_entries == reader->most ||
	    strlen(path) >= sizeof(entry->path))
		return false;
	entry = &reader->entries[reader->n_entries++];
	entry->number = number;
	entry->tag = tag;
	strcpy(entry->path, path);
	return true;
}

static bool wait_a_moment(struct file_reader *reader, uint64_t wait_ns)
{
	const struct timespec deadline = env_timespec(env_mono_ns() + wait_ns);

	while (sem_clockwait(&reader->finished, CLOCK_MONOTONIC, &deadline) < 0)
		if (errno != EINTR)
			return false;
	return true;
}

void file_reader_submit(struct file_reader *reader, struct env *env, uint64_t wait_ns)
{
	if (reader->n_entries == 0 || !file_reader_is_free(reader))
		return;
	reader->sent = true;
	reader->taken = 0;
	reader->sent_ns = env_mono_ns();
	env->reads += reader->n_entries;
	worker_submit(reader->worker, &reader->job);
	reader->ready = wait_a_moment(reader, wait_ns);
}

bool file_reader_next(struct file_reader *reader, struct file_text *text)
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
	*text = (struct file_text){ entry->number, entry->tag, entry->length, entry->bytes };
	entry->bytes[entry->length > 0 ? entry->length : 0] = '\0';
	return true;
}

int64_t file_reader_stuck(const struct file_reader *reader, uint64_t ns)
{
	return reader->sent && env_mono_ns() - reader->sent_ns > ns ? atomic_load(&reader->reading) : -1;
}
