/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads smaps_rollup, for which the kernel walks all pages of a process. */
#include <config.h>

#include "topic/process/proportional.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/alloc.h"
#include "kernel/pid/maps.h"
#include "sys/device_poll.h"
#include "sys/pids.h"

#define MOST PROCESSES_VISIBLE_MAX
#define STALL_NS UINT64_C(2000000000) /* a process whose memory is locked must not stop the others */

struct proportional {
	struct device_poll poll;
	bool busy, finished;
	size_t n;
	struct rollup {
		uint32_t pid;
		int fd;                      /* opened where there are privileges; the helper has none */
		uint64_t start_ticks, bytes; /* U64_UNKNOWN: not known */
	} rollups[MOST];
};

static uint64_t read_rollup(int fd)
{
	char bytes[4096];
	ssize_t length = read(fd, bytes, sizeof(bytes));
	uint64_t found;

	return length > 0 && smaps_rollup_parse(span_of(bytes, (size_t)length), &found) ? found : U64_UNKNOWN;
}

static void read_all(struct device_poll *poll)
{
	struct proportional *reader = (struct proportional *)poll;

	for (size_t i = 0; i < reader->n; i++) {
		reader->rollups[i].bytes = read_rollup(reader->rollups[i].fd);
		close(reader->rollups[i].fd);
	}
	poll->reads += reader->n;
}

static void finish(struct device_poll *poll)
{
	((struct proportional *)poll)->finished = true;
}

static void free_reader(struct device_poll *poll)
{
	free((struct proportional *)poll);
}

struct proportional *proportional_open(struct env *env)
{
	struct proportional *reader = alloc_zeroed(1, sizeof(*reader));

	reader->poll = (struct device_poll){ .read = read_all, .finished = finish, .free = free_reader,
						.in_thread = true };
	device_poll_open(&reader->poll, env, "proc/PID/smaps_rollup");
	return reader;
}

void proportional_close(struct proportional *reader)
{
	if (reader)
		device_poll_drop(&reader->poll);
}

static void collect(struct proportional *reader, struct process_list *list)
{
	for (size_t i = 0; reader->finished && i < reader->n; i++) {
		struct process *process = process_list_find(list, reader->rollups[i].pid);

		if (process && process->start_ticks == reader->rollups[i].start_ticks)
			process->proportional_bytes = reader->rollups[i].bytes;
	}
	if (reader->finished)
		reader->busy = reader->finished = false;
}

static void ask(struct proportional *reader, struct env *env, struct process *process)
{
	char path[PROCESS_FILE_MAX];
	int fd;

	if (!process || process_is_kernel_thread(process) || reader->n == MOST)
		return;
	fd = pids_open(env, process->pid, process_memory_file(process, "smaps_rollup", path), O_RDONLY);
	if (fd >= 0)
		reader->rollups[reader->n++] =
			(struct rollup){ process->pid, fd, process->start_ticks, U64_UNKNOWN };
	else
		process->proportional_bytes = U64_UNKNOWN;
}

static void submit(struct proportional *reader, struct env *env)
{
	if (reader->n == 0)
		return;
	reader->busy = true;
	reader->poll.credit = 1;
	device_poll_submit(&reader->poll);
	device_poll_wait(env);
}

static void read_chosen(struct proportional *reader, struct process_list *list, const char *chosen)
{
	size_t i = 0;

	while (i < list->n_all && !reader->busy) {
		for (reader->n = 0; i < list->n_all && reader->n < MOST; i++)
			if (!chosen || process_matches(list->all[i], span_text(chosen)))
				ask(reader, list->env, list->all[i]);
		submit(reader, list->env);
		if (reader->busy && !reader->finished)
			device_poll_wait_for(&reader->poll, STALL_NS);
		collect(reader, list);
	}
}

void proportional_update(struct proportional *reader, struct process_list *list,
			 const struct sample_request *request, bool all)
{
	device_poll_collect(list->env);
	collect(reader, list);
	if (reader->busy)
		return;
	if (all) {
		read_chosen(reader, list, request->processes);
		return;
	}
	reader->n = 0;
	for (size_t i = 0; i < request->n_visible; i++)
		ask(reader, list->env, process_list_find(list, request->visible[i]));
	submit(reader, list->env);
	collect(reader, list);
}
