/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash of processes by PID, a ring of exited ones, and names that children share with their parents. */
#include <config.h>

#include "topic/event/event_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/arena.h"
#include "core/unknown.h"

#define BUCKETS ((size_t)16384)

struct event_processes {
	struct event_process *buckets[BUCKETS];
	struct pool pool;
	size_t count;
	struct {
		uint32_t pid;
		uint64_t end_ns;
	} dead[EVENT_PROCESSES_EXITED]; /* a ring */
	size_t next_dead;
	struct event_name *unknown_name;
};

static struct event_name *new_name(const char *comm, const char *command)
{
	size_t length = strlen(command);
	struct event_name *name = alloc_zeroed(1, sizeof(*name) + length + 1);

	name->users = 1;
	name->known = true;
	memcpy(name->comm, comm, strnlen(comm, EVENT_COMM_BYTES));
	memcpy(name->command, command, length);
	return name;
}

void event_name_drop(struct event_name *name)
{
	if (--name->users == 0)
		free(name);
}

static void set_name(struct event_process *process, struct event_name *name)
{
	if (process->name)
		event_name_drop(process->name);
	process->name = name;
}

static void take_name(struct event_process *process, struct event_name *name)
{
	name->users++;
	set_name(process, name);
}

struct event_processes *event_processes_open(void)
{
	struct event_processes *processes = alloc_zeroed(1, sizeof(*processes));

	processes->pool.size = sizeof(struct event_process);
	processes->unknown_name = new_name("", "");
	processes->unknown_name->known = false;
	return processes;
}

void event_processes_close(struct event_processes *processes)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		struct event_process *next;

		for (struct event_process *process = processes->buckets[i]; process; process = next) {
			next = process->next;
			event_name_drop(process->name);
			pool_give(&processes->pool, process);
		}
	}
	pool_free(&processes->pool);
	event_name_drop(processes->unknown_name);
	free(processes);
}

static struct event_process **place_of(struct event_processes *processes, uint32_t pid)
{
	struct event_process **place = &processes->buckets[pid % BUCKETS];

	while (*place && (*place)->pid != pid)
		place = &(*place)->next;
	return place;
}

struct event_process *event_processes_find(struct event_processes *processes, uint32_t pid)
{
	return *place_of(processes, pid);
}

struct event_process *event_processes_add(struct event_processes *processes, uint32_t pid)
{
	struct event_process **place = place_of(processes, pid), *process = *place, *next = NULL;

	if (process) {
		next = process->next;
		set_name(process, NULL);
	} else {
		process = pool_take(&processes->pool);
		processes->count++;
	}
	*process = (struct event_process){
		.pid = pid,
		.start_ns = U64_UNKNOWN,
		.start_ticks = U64_UNKNOWN,
		.threads = 1,
		.real_uid = UINT32_MAX,
		.effective_uid = UINT32_MAX,
		.terminal = -1,
		.group = -1,
		.session = -1,
		.resident_bytes = U64_UNKNOWN,
		.page_table_bytes = U64_UNKNOWN,
		.name = processes->unknown_name,
		.next = next,
	};
	processes->unknown_name->users++;
	*place = process;
	return process;
}

static void forget(struct event_processes *processes, uint32_t pid, uint64_t end_ns)
{
	struct event_process **place = place_of(processes, pid), *process = *place;

	if (!process || process->end_ns != end_ns)
		return;
	*place = process->next;
	set_name(process, NULL);
	pool_give(&processes->pool, process);
	processes->count--;
}

void event_processes_exit(struct event_processes *processes, struct event_process *process, uint64_t time_ns)
{
	size_t at = processes->next_dead;

	if (processes->dead[at].end_ns)
		forget(processes, processes->dead[at].pid, processes->dead[at].end_ns);
	process->end_ns = time_ns ? time_ns : 1;
	processes->dead[at].pid = process->pid;
	processes->dead[at].end_ns = process->end_ns;
	processes->next_dead = (at + 1) % EVENT_PROCESSES_EXITED;
}

void event_process_inherit(struct event_process *child, const struct event_process *parent)
{
	take_name(child, parent->name);
	child->real_uid = parent->real_uid;
	child->effective_uid = parent->effective_uid;
	child->terminal = parent->terminal;
	child->group = parent->group;
	child->session = parent->session;
	child->places = parent->places;
}

void event_processes_unname(struct event_processes *processes, struct event_process *process)
{
	take_name(process, processes->unknown_name);
}

void event_process_call(struct event_process *process, const char *comm, const char *command,
			size_t program_length, enum event_name_from from)
{
	struct event_name *name = new_name(comm, command ? command : comm);

	name->from = command ? from : EVENT_NAME_COMM;
	name->program_length = command ? program_length : strlen(name->command);
	set_name(process, name);
}

void event_process_rename(struct event_process *process, const char *comm, bool kernel)
{
	const struct event_name *old = process->name;
	char bracketed[EVENT_COMM_BYTES + 3];
	struct event_name *name;

	kernel |= old->kernel;
	snprintf(bracketed, sizeof(bracketed), kernel ? "[%s]" : "%s", comm);
	name = new_name(comm, old->from == EVENT_NAME_COMM ? bracketed : old->command);
	name->kernel = kernel;
	name->from = old->from;
	name->program_length = old->from == EVENT_NAME_COMM ? strlen(name->command) : old->program_length;
	set_name(process, name);
}

static bool is_same_name(const struct event_name *one, const struct event_name *other)
{
	return one->known == other->known && one->from == other->from && one->kernel == other->kernel &&
	       one->program_length == other->program_length && strcmp(one->comm, other->comm) == 0 &&
	       strcmp(one->command, other->command) == 0;
}

void event_process_share_name(struct event_process *process, const struct event_process *other)
{
	if (process->name != other->name && is_same_name(process->name, other->name))
		take_name(process, other->name);
}
