/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash of processes by PID, a ring of exited ones, and names that children share with their parents.
 * Filters of processes are decided from what is already known: nothing is read from /proc here.
 */
#include <config.h>

#include "topic/event/event_process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/arena.h"
#include "core/typed_name.h"
#include "core/unknown.h"
#include "kernel/cgroup.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_scope.h"

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

#define SEARCH_NS UINT64_C(1000000000)

/* What each choice of the setting stands for. */
static const unsigned kinds_of[N_EVENT_CHOICES] = {
	[CHOSEN_FORK] = EVENT_BIT(EVENT_FORK),     [CHOSEN_EXEC] = EVENT_BIT(EVENT_EXEC),
	[CHOSEN_EXIT] = EVENT_BIT(EVENT_EXIT),     [CHOSEN_CORE] = EVENT_BIT(EVENT_CORE),
	[CHOSEN_PTRACE] = EVENT_BIT(EVENT_PTRACE), [CHOSEN_UID] = EVENT_BIT(EVENT_UID) | EVENT_BIT(EVENT_GID),
	[CHOSEN_SID] = EVENT_BIT(EVENT_SID),       [CHOSEN_EXITNONZERO] = EVENT_BIT(EVENT_EXIT),
	[CHOSEN_COMM] = EVENT_BIT(EVENT_COMM),     [CHOSEN_CLONE] = EVENT_BIT(EVENT_CLONE),
};

void event_filter_read(struct event_filter *filter, const struct topic_settings *settings,
		       const struct scope *scope)
{
	unsigned chosen = settings->event.kinds;

	memset(filter, 0, sizeof(*filter));
	for (unsigned i = 0; i < N_EVENT_CHOICES; i++)
		if (chosen >> i & 1)
			filter->kinds |= kinds_of[i];
	filter->failures_only = (chosen >> CHOSEN_EXITNONZERO & 1) && !(chosen >> CHOSEN_EXIT & 1);
	filter->group = (uint32_t)settings->event.group;
	filter->n_terms = scope ? scope->n_terms : 0;
	if (filter->n_terms > 0)
		memcpy(filter->terms, scope->terms, filter->n_terms * sizeof(filter->terms[0]));
}

bool event_filter_needs_groups(const struct event_filter *filter)
{
	for (unsigned i = 0; i < filter->n_terms; i++)
		if (scope_term_is_of_group(&filter->terms[i]))
			return true;
	return false;
}

unsigned event_filter_groups(const struct event_filter *filter, struct span path)
{
	char text[CGROUP_PATH_MAX];
	unsigned bits = 0;

	if (span_length(path) >= sizeof(text))
		return 0;
	span_copy(text, sizeof(text), path);
	for (unsigned i = 0; i < filter->n_terms; i++)
		if (scope_term_is_of_group(&filter->terms[i]) &&
		    scope_term_has_group(&filter->terms[i], text))
			bits |= 1U << i;
	return bits;
}

unsigned event_filter_trees(const struct event_filter *filter)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < filter->n_terms; i++)
		if (filter->terms[i].kind == SCOPE_TREE)
			bits |= 1U << i;
	return bits;
}

unsigned event_filter_roots(const struct event_filter *filter, uint32_t pid)
{
	unsigned bits = event_filter_trees(filter);

	for (unsigned i = 0; i < filter->n_terms; i++)
		if (filter->terms[i].pid != pid)
			bits &= ~(1U << i);
	return bits;
}

/* Everything except the list of processes. */
static bool matches_place(const struct event_filter *filter, const struct event_process *process)
{
	if (filter->group && process->group != (int64_t)filter->group)
		return false;
	for (unsigned i = 0; i < filter->n_terms; i++) {
		const struct scope_term *term = &filter->terms[i];
		uint64_t uid = process->effective_uid == UINT32_MAX ? U64_UNKNOWN : process->effective_uid;

		if (term->kind == SCOPE_USER ? !scope_term_has_user(term, uid, NULL)
					     : term->kind != SCOPE_PROCESSES && !(process->places >> i & 1))
			return false;
	}
	return true;
}

static bool is_listed(const struct event_filter *filter, uint32_t pid, struct span name, struct span program)
{
	for (unsigned i = 0; i < filter->n_terms; i++)
		if (filter->terms[i].kind == SCOPE_PROCESSES &&
		    !process_pattern_matches(span_text(filter->terms[i].text), pid, name, program))
			return false;
	return true;
}

bool event_filter_process(const struct event_filter *filter, const struct event_process *process)
{
	return matches_place(filter, process) &&
	       is_listed(filter, process->pid, span_text(process->name->comm),
			 span_of(process->name->command, process->name->program_length));
}

/* The comm that the kernel gives to a process that executes this file. */
static struct span comm_of_file(const char *file)
{
	const char *slash = strrchr(file, '/');
	struct span name = span_text(slash ? slash + 1 : file);

	if (span_length(name) > PROCESS_PATTERN_NAME_MAX)
		name.end = name.at + PROCESS_PATTERN_NAME_MAX;
	return name;
}

bool event_filter_start(const struct event_filter *filter, const struct event_process *process, uint32_t pid,
			const char *file)
{
	return filter->kinds & EVENT_BIT(EVENT_EXEC) && (!process || matches_place(filter, process)) &&
	       (!file || is_listed(filter, pid, comm_of_file(file), span_text(file)));
}

bool event_filter_kind(const struct event_filter *filter, enum event_kind kind, bool of_thread,
		       uint32_t exit_code)
{
	if (kind == EVENT_EXIT && of_thread)
		return filter->kinds & EVENT_BIT(EVENT_CLONE);
	return filter->kinds & EVENT_BIT(kind) &&
	       !(kind == EVENT_EXIT && filter->failures_only && exit_code == 0);
}

void event_targets_notices(struct event_targets *targets, struct sample *sample, bool any_event)
{
	uint64_t group = sample->settings->event.group, now_ns = env_mono_ns(sample->env);
	char text[24];

	if (!group || any_event ||
	    sample->env->foreign_pids) /* PIDs in /proc are those of another namespace */
		targets->group = true;
	if (!targets->group && (targets->searched_ns == 0 || now_ns - targets->searched_ns >= SEARCH_NS)) {
		targets->searched_ns = now_ns;
		targets->group = process_any_in_group(sample->env, group);
	}
	snprintf(text, sizeof(text), "%" PRIu64, group);
	if (!targets->group)
		missing_targets_add_group(sample->frame, sample->request, sample->topic->schema->name, text);
	sample->frame->named_there |= targets->group && (group || any_event);
}
