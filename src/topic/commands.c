/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One job of the worker at a time: a list of pids in, their command lines out. */
#include <config.h>

#include "topic/commands.h"

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
#include "topic/tasks.h"

#define ENTRIES_MAX ((size_t)256)
#define COMMAND_BYTES_MAX ((size_t)1024)
#define WAIT_NS UINT64_C(20000000) /* for what is read in microseconds */
#define STUCK_NS UINT64_C(2000000000)
#define AGAIN_TICKS 10         /* programs may change their command line */

struct entry {
	uint32_t pid;
	uint64_t start_ticks;
	long length; /* of bytes, or -errno */
	char bytes[COMMAND_BYTES_MAX];
};

struct commands {
	struct worker_job job;
	int root_fd;              /* owned: the job may outlive env */
	sem_t finished;
	struct entry *entries;
	size_t n_entries;
	size_t next;              /* index of the task from which on command lines are still asked for */
	bool sent;                /* the job is the worker's, until done */
	bool taken;               /* its results have been */
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
	length = read(fd, entry->bytes, sizeof(entry->bytes));
	error = errno;
	close(fd);
	return length < 0 ? -error : length;
}

static void run(struct worker_job *job)
{
	struct commands *commands = (struct commands *)job;

	for (size_t i = 0; i < commands->n_entries; i++) {
		struct entry *entry = &commands->entries[i];

		atomic_store(&commands->reading, entry->pid);
		entry->length = read_command(commands->root_fd, entry);
	}
	atomic_store(&commands->reading, 0);
	sem_post(&commands->finished);
}

static void free_commands(struct commands *commands)
{
	close(commands->root_fd);
	sem_destroy(&commands->finished);
	free(commands->entries);
	free(commands);
}

static void done(struct worker_job *job)
{
	struct commands *commands = (struct commands *)job;

	commands->sent = false;
	if (commands->orphan)
		free_commands(commands);
}

struct commands *commands_open(struct env *env)
{
	struct commands *commands = alloc_zeroed(1, sizeof(*commands));

	commands->job = (struct worker_job){ .run = run, .done = done };
	commands->root_fd = fcntl(env->root_fd, F_DUPFD_CLOEXEC, 0);
	sem_init(&commands->finished, 0, 0);
	commands->entries = alloc_zeroed(ENTRIES_MAX, sizeof(*commands->entries));
	commands->taken = true;
	return commands;
}

void commands_close(struct commands *commands)
{
	if (commands->sent)
		commands->orphan = true;
	else
		free_commands(commands);
}

uint32_t commands_stuck(const struct commands *commands)
{
	return commands->sent && env_mono_ns() - commands->sent_ns > STUCK_NS
		       ? atomic_load(&commands->reading)
		       : 0;
}

/* Arguments end in a NUL each; what a program wrote over them may not. Blanks part them for people. */
static void take_command(struct task *task, struct entry *entry)
{
	size_t length = entry->length > 0 ? (size_t)entry->length : 0, program;

	while (length > 0 && entry->bytes[length - 1] == '\0')
		length--;
	program = strnlen(entry->bytes, length);
	for (size_t i = 0; i < length; i++)
		if (entry->bytes[i] == '\0')
			entry->bytes[i] = ' ';
	if (task->command && strlen(task->command) == length &&
	    memcmp(task->command, entry->bytes, length) == 0)
		return;
	free(task->command);
	task->command = NULL;
	if (length == 0)
		return;
	task->command = alloc_zeroed(length + 1, 1);
	memcpy(task->command, entry->bytes, length);
	task->program_length = program;
}

static void take_results(struct commands *commands, struct tasks *tasks)
{
	for (size_t i = 0; i < commands->n_entries; i++) {
		struct task *task = tasks_find(tasks, commands->entries[i].pid);

		if (task && task->start_ticks == commands->entries[i].start_ticks)
			take_command(task, &commands->entries[i]);
	}
	commands->taken = true;
}

static void ask(struct commands *commands, struct task *task, uint64_t tick)
{
	if (commands->n_entries == ENTRIES_MAX || task_is_kernel(task))
		return;
	task->command_tick = tick;
	commands->entries[commands->n_entries++] =
		(struct entry){ .pid = task->pid, .start_ticks = task->start_ticks };
}

static void choose(struct commands *commands, const struct tasks *tasks, uint64_t tick)
{
	size_t tried = 0;

	commands->n_entries = 0;
	for (size_t i = 0; i < tasks->n_all; i++) {
		struct task *task = tasks->all[i];

		if (task->moved && (task->command_tick == 0 || tick - task->command_tick >= AGAIN_TICKS))
			ask(commands, task, tick);
	}
	for (; tasks->all_commands && tried < tasks->n_all && commands->n_entries < ENTRIES_MAX / 4;
	     tried++) {
		struct task *task = tasks->all[(commands->next + tried) % tasks->n_all];

		if (task->command_tick == 0)
			ask(commands, task, tick);
	}
	commands->next = tasks->n_all > 0 ? (commands->next + tried) % tasks->n_all : 0;
}

static bool wait_a_moment(struct commands *commands)
{
	uint64_t until_ns = env_mono_ns() + WAIT_NS;
	struct timespec deadline = {
		.tv_sec = (time_t)(until_ns / UINT64_C(1000000000)),
		.tv_nsec = (long)(until_ns % UINT64_C(1000000000)),
	};

	while (sem_clockwait(&commands->finished, CLOCK_MONOTONIC, &deadline) < 0)
		if (errno != EINTR)
			return false;
	return true;
}

void commands_update(struct commands *commands, struct tasks *tasks, struct env *env)
{
	if (!commands->taken && sem_trywait(&commands->finished) == 0)
		take_results(commands, tasks);
	if (commands->sent || !commands->taken)
		return;
	choose(commands, tasks, env->tick);
	if (commands->n_entries == 0)
		return;
	commands->sent = true;
	commands->taken = false;
	commands->sent_ns = env_mono_ns();
	env->reads += commands->n_entries;
	worker_submit(env->worker, &commands->job);
	if (wait_a_moment(commands))
		take_results(commands, tasks);
}
