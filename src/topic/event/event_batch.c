/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Consecutive events of processes that share a name also share its texts in the batch. Texts of events are
 * not translated: scripts parse these words.
 */
#include <config.h>

#include "topic/event/event_batch.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error_name.h"
#include "core/unknown.h"

size_t event_batch_text(struct event_batch *batch, const char *text, size_t length)
{
	size_t at;

	VECTOR_RESERVE(batch->texts, batch->n_texts + length + 2, batch->texts_capacity);
	if (batch->n_texts == 0)
		batch->texts[batch->n_texts++] = '\0';
	if (length == 0)
		return 0;
	at = batch->n_texts;
	memcpy(batch->texts + at, text, length);
	batch->texts[at + length] = '\0';
	batch->n_texts += length + 1;
	return at;
}

/* Replaces a name whose texts are in the batch. */
static void hold_name(struct event_name **held, struct event_name *name)
{
	if (name)
		name->users++;
	if (*held)
		event_name_drop(*held);
	*held = name;
}

struct event *event_batch_add(struct event_batch *batch, const struct event_process *process)
{
	struct event_name *name = process->name;
	struct event *event;

	if (batch->last != name) {
		hold_name(&batch->last, name);
		batch->last_comm = event_batch_text(batch, name->comm, strlen(name->comm));
		batch->last_command = event_batch_text(batch, name->command, strlen(name->command));
	}
	event = VECTOR_ADD(batch->list, batch->count, batch->capacity);
	*event = (struct event){
		.named = name->known,
		.comm = batch->last_comm,
		.command = batch->last_command,
		.program_length = name->program_length,
	};
	return event;
}

size_t event_batch_parent(struct event_batch *batch, const struct event_process *parent)
{
	struct event_name *name = parent->name;

	if (!name->known)
		return 0;
	if (batch->last_parent != name) {
		hold_name(&batch->last_parent, name);
		batch->last_parent_comm = event_batch_text(batch, name->comm, strlen(name->comm));
	}
	return batch->last_parent_comm;
}

size_t event_batch_append(struct event_batch *batch, struct event_batch *from)
{
	size_t room = EVENT_BATCH_MAX - batch->count, count = from->count < room ? from->count : room;
	size_t shift, lost = from->count - count;

	if (count > 0) {
		VECTOR_RESERVE(batch->list, batch->count + count, batch->capacity);
		VECTOR_RESERVE(batch->texts, batch->n_texts + from->n_texts + 1, batch->texts_capacity);
		if (batch->n_texts == 0)
			batch->texts[batch->n_texts++] = '\0';
		shift = batch->n_texts - 1;
		memcpy(batch->texts + batch->n_texts, from->texts + 1, from->n_texts - 1);
		batch->n_texts += from->n_texts - 1;
		for (size_t i = 0; i < count; i++) {
			struct event *event = &batch->list[batch->count++];

			*event = from->list[i];
			event->comm += event->comm ? shift : 0;
			event->command += event->command ? shift : 0;
			event->was += event->was ? shift : 0;
			event->parent += event->parent ? shift : 0;
		}
	}
	event_batch_empty(from);
	return lost;
}

void event_batch_empty(struct event_batch *batch)
{
	hold_name(&batch->last, NULL);
	hold_name(&batch->last_parent, NULL);
	VECTOR_EMPTY(batch->list, batch->count, batch->capacity, &batch->recent_list);
	VECTOR_EMPTY(batch->texts, batch->n_texts, batch->texts_capacity, &batch->recent_texts);
}

void event_batch_free(struct event_batch *batch)
{
	event_batch_empty(batch);
	free(batch->list);
	free(batch->texts);
	*batch = (struct event_batch){ 0 };
}

void event_ended_add(struct event_ended_list *ended, const struct event_process *process, uint64_t end_ns)
{
	struct event_ended *added;

	if (ended->count == EVENT_ENDED_MAX)
		return;
	added = VECTOR_ADD(ended->list, ended->count, ended->capacity);
	*added = (struct event_ended){
		.pid = process->pid,
		.parent_pid = process->parent_pid,
		.uid = process->effective_uid,
		.start_ns = process->start_ns,
		.end_ns = end_ns,
	};
	strcpy(added->comm, process->name->comm);
}

void event_ended_free(struct event_ended_list *ended)
{
	free(ended->list);
}

void event_statistics_open(struct event_statistics *statistics)
{
	*statistics = (struct event_statistics){ 0 };
	statistics->parents = alloc_zeroed(EVENT_PARENTS_MAX, sizeof(*statistics->parents));
}

void event_statistics_free(struct event_statistics *statistics)
{
	free(statistics->commands);
	free(statistics->parents);
	hash_free(&statistics->by_command);
	*statistics = (struct event_statistics){ 0 };
}

static struct event_counts *counts_of(struct event_statistics *statistics, const char *command)
{
	uint64_t hash = hash_bytes(HASH_SEED, span_text(command));
	struct event_counts *counts;
	uint32_t at;

	HASH_FIND(at, &statistics->by_command, hash, strcmp(statistics->commands[at].command, command) == 0);
	if (at != HASH_NONE)
		return &statistics->commands[at];
	if (statistics->n_commands == EVENT_COMMANDS_MAX)
		return &statistics->others;
	hash_add(&statistics->by_command, hash, (uint32_t)statistics->n_commands);
	counts = VECTOR_ADD(statistics->commands, statistics->n_commands, statistics->command_capacity);
	*counts = (struct event_counts){ 0 };
	strcpy(counts->command, command);
	return counts;
}

static void count_event(struct event_counts *counts, enum event_kind kind, bool of_thread, bool failed)
{
	if (kind != EVENT_EXIT || !of_thread)
		counts->kinds[kind]++;
	counts->failures += failed;
}

void event_statistics_count(struct event_statistics *statistics, const struct event_process *process,
			    enum event_kind kind, bool of_thread, bool failed)
{
	count_event(counts_of(statistics, process->name->comm), kind, of_thread, failed);
	count_event(&statistics->all, kind, of_thread, failed);
}

/* When the list is full, exited processes are replaced first, those with the fewest forks before others. */
static struct event_parent *replaceable_parent(struct event_statistics *statistics)
{
	struct event_parent *least = &statistics->parents[0];

	for (size_t i = 1; i < statistics->n_parents; i++) {
		struct event_parent *parent = &statistics->parents[i];

		if (parent->ended != least->ended ? parent->ended : parent->forks < least->forks)
			least = parent;
	}
	return least;
}

static struct event_parent *find_parent(struct event_statistics *statistics,
					const struct event_process *process)
{
	for (size_t i = statistics->n_parents; i-- > 0;)
		if (statistics->parents[i].pid == process->pid &&
		    statistics->parents[i].start_ns == process->start_ns)
			return &statistics->parents[i];
	return NULL;
}

void event_statistics_fork(struct event_statistics *statistics, const struct event_process *process)
{
	struct event_parent *parent = find_parent(statistics, process);

	if (!parent) {
		parent = statistics->n_parents < EVENT_PARENTS_MAX
				 ? &statistics->parents[statistics->n_parents++]
				 : replaceable_parent(statistics);
		*parent = (struct event_parent){
			.pid = process->pid,
			.start_ns = process->start_ns,
			.start_ticks = process->start_ticks,
		};
	}
	parent->forks++;
	parent->resident_bytes = process->resident_bytes;
	parent->page_table_bytes = process->page_table_bytes;
	memcpy(parent->command, process->name->comm, sizeof(parent->command));
}

uint64_t event_lifetime_ns(unsigned bucket)
{
	uint64_t bound = bucket > 0 ? 1000000 : 0;

	for (unsigned i = 1; i < bucket && i < EVENT_LIFETIMES - 1; i++)
		bound *= 10;
	return bucket < EVENT_LIFETIMES ? bound : U64_UNKNOWN;
}

static void add_lifetime(struct event_counts *counts, uint64_t lifetime_ns)
{
	counts->lifetimes_ns += lifetime_ns;
	counts->n_lifetimes++;
}

void event_statistics_exit(struct event_statistics *statistics, const struct event_process *process,
			   uint64_t lifetime_ns)
{
	struct event_parent *parent = find_parent(statistics, process);
	unsigned bucket = 0;

	if (parent)
		parent->ended = true;
	if (lifetime_ns == U64_UNKNOWN) {
		statistics->lifetimes[EVENT_LIFETIMES]++;
		return;
	}
	add_lifetime(counts_of(statistics, process->name->comm), lifetime_ns);
	add_lifetime(&statistics->all, lifetime_ns);
	while (bucket + 1 < EVENT_LIFETIMES && lifetime_ns >= event_lifetime_ns(bucket + 1))
		bucket++;
	statistics->lifetimes[bucket]++;
}

#define SIGNAL_MASK 0x7f

const char *event_kind_text(enum event_kind kind)
{
	static const char *const texts[N_EVENT_KINDS] = {
		[EVENT_FORK] = "fork",     [EVENT_EXEC] = "exec", [EVENT_EXIT] = "exit",
		[EVENT_CORE] = "core",     [EVENT_COMM] = "comm", [EVENT_CLONE] = "clone",
		[EVENT_PTRACE] = "ptrace", [EVENT_UID] = "uid",   [EVENT_GID] = "gid",
		[EVENT_SID] = "sid",
	};

	return texts[kind];
}

const char *event_mark(const struct event *event)
{
	static const char *const marks[N_EVENT_KINDS] = {
		[EVENT_FORK] = "+", [EVENT_EXEC] = ">",  [EVENT_EXIT] = "-",   [EVENT_CORE] = "C",
		[EVENT_COMM] = "=", [EVENT_CLONE] = "t", [EVENT_PTRACE] = "P", [EVENT_UID] = "U",
		[EVENT_GID] = "G",  [EVENT_SID] = "S",
	};
	bool failed = event->exit_code != 0 && event->exit_code != UINT32_MAX;

	return event->kind != EVENT_EXIT  ? marks[event->kind]
	       : event->tid != event->pid ? "t"
	       : failed                   ? "!"
					  : "-";
}

uint64_t event_exit_code(uint32_t exit_code)
{
	return exit_code == UINT32_MAX || exit_code & SIGNAL_MASK ? U64_UNKNOWN : exit_code >> 8 & 0xff;
}

uint64_t event_exit_signal(uint32_t exit_code)
{
	return exit_code == UINT32_MAX || !(exit_code & SIGNAL_MASK) ? U64_UNKNOWN : exit_code & SIGNAL_MASK;
}

/* "1", "SIGSEGV core", "signal 40". */
const char *event_status(struct arena *arena, uint32_t exit_code)
{
	uint64_t number = event_exit_signal(exit_code);
	const char *core = exit_code & EVENT_CORE_DUMPED ? " core" : "", *name;

	if (exit_code == UINT32_MAX)
		return NULL;
	if (number == U64_UNKNOWN)
		return exit_code ? arena_print(arena, "%u", exit_code >> 8 & 0xff) : "0";
	name = signal_name((unsigned)number);
	return name ? arena_print(arena, "SIG%s%s", name, core)
		    : arena_print(arena, "signal %u%s", (unsigned)number, core);
}

static const char *exit_info(struct arena *arena, const struct event *event)
{
	const char *thread = event->tid != event->pid ? "thread " : "";
	const char *status = event_status(arena, event->exit_code);
	bool by_signal = event_exit_signal(event->exit_code) != U64_UNKNOWN;

	if (!status)
		return *thread ? "thread" : "";
	return arena_print(arena, "%s%s%s", thread, by_signal ? "" : "code ", status);
}

const char *event_info(struct arena *arena, const struct event *event, const char *texts)
{
	const char *verb = event->attached ? "attach" : "detach";

	switch (event->kind) {
	case EVENT_CLONE:
		return arena_print(arena, "thread %u", event->tid);
	case EVENT_EXIT:
		return exit_info(arena, event);
	case EVENT_COMM:
		return arena_print(arena, "%s%s", event->tid != event->pid ? "thread is " : "was ",
				   texts + event->was);
	case EVENT_PTRACE:
		return event->other_pid == event->pid ? arena_print(arena, "%sed", verb)
						      : arena_print(arena, "%s %u", verb, event->other_pid);
	case EVENT_UID:
	case EVENT_GID:
		return event->real_id == event->effective_id
			       ? arena_print(arena, "%u", event->real_id)
			       : arena_print(arena, "%u effective %u", event->real_id, event->effective_id);
	case EVENT_SID:
		return arena_print(arena, "%u", event->pid);
	case EVENT_FORK:
	case EVENT_EXEC:
	case EVENT_CORE:
	case N_EVENT_KINDS:
		break;
	}
	return "";
}
