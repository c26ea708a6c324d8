/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what process events are kept in: their order, the processes, batches and sums. */
#include <config.h>

#include <stdio.h>

#include "core/alloc.h"
#include "core/unknown.h"
#include "suite.h"
#include "topic/event/event_batch.h"
#include "topic/event/event_statistics.h"

#define SORTED 5000
#define RENAMES 10000
#define MS_NS UINT64_C(1000000)

/* A simple generator: the same numbers in every run. */
static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

START_TEST(events_are_sorted_by_time_and_else_stay)
{
	uint32_t state = 4;

	for (unsigned count = 0; count < SORTED; count = 3 * count + 1) {
		struct raw_events events = { 0 };
		uint64_t sum = 0, expected = 0;

		for (unsigned i = 0; i < count; i++) {
			struct raw_event *event = raw_events_add(&events);

			event->time_ns = next_random(&state) % (1 + count / 4);
			event->pid = i;
			expected += i;
		}
		raw_events_sort(&events);
		ck_assert_uint_eq(events.count, count);
		for (unsigned i = 0; i < count; i++)
			sum += events.list[i].pid;
		ck_assert_uint_eq(sum, expected);
		for (unsigned i = 1; i < count; i++)
			ck_assert_msg(events.list[i - 1].time_ns < events.list[i].time_ns ||
					      (events.list[i - 1].time_ns == events.list[i].time_ns &&
					       events.list[i - 1].pid < events.list[i].pid),
				      "event %u of %u", i, count);
		raw_events_free(&events);
	}
}

START_TEST(used_events_go_with_their_texts)
{
	struct raw_events events = { 0 };

	for (unsigned i = 0; i < 1000; i++) {
		struct raw_event *event = raw_events_add(&events);

		ck_assert_uint_eq(event->exit_code, UINT32_MAX);
		ck_assert_ptr_null(event->text);
		event->pid = i;
		event->text = alloc_text("/bin/true");
	}
	raw_events_drop(&events, 0);
	raw_events_drop(&events, 300);
	ck_assert_uint_eq(events.count, 700);
	ck_assert_uint_eq(events.list[0].pid, 300);
	ck_assert_uint_eq(events.list[699].pid, 999);
	ck_assert_str_eq(events.list[0].text, "/bin/true");
	raw_events_free(&events);
	ck_assert_uint_eq(events.count, 0);
}

START_TEST(after_a_storm_rounds_take_little)
{
	struct raw_events events = { 0 };

	for (unsigned round = 0; round < 50; round++) {
		for (unsigned i = 0; i < (round ? 10 : 100000); i++)
			raw_events_add(&events)->time_ns = i;
		raw_events_sort(&events);
		raw_events_drop(&events, events.count);
	}
	ck_assert_uint_le(events.capacity + events.room_capacity, 10000);
	raw_events_add(&events)->pid = 7;
	raw_events_sort(&events);
	ck_assert(events.count == 1 && events.list[0].pid == 7);
	raw_events_free(&events);
}

START_TEST(a_new_process_is_unknown_in_all)
{
	struct event_processes *processes = event_processes_open();
	struct event_process *process = event_processes_add(processes, 7);

	ck_assert_ptr_eq(event_processes_find(processes, 7), process);
	ck_assert_ptr_null(event_processes_find(processes, 7 + 16384));
	ck_assert(process->start_ns == U64_UNKNOWN && process->resident_bytes == U64_UNKNOWN &&
		  process->page_table_bytes == U64_UNKNOWN);
	ck_assert(process->real_uid == UINT32_MAX && process->effective_uid == UINT32_MAX);
	ck_assert(process->terminal == -1 && process->group == -1 && process->session == -1);
	ck_assert(!process->name->known && !*process->name->comm && !*process->name->command);
	event_processes_close(processes);
}

START_TEST(children_are_called_as_their_parents)
{
	struct event_processes *processes = event_processes_open();
	struct event_process *parent = event_processes_add(processes, 10), *child;

	event_process_call(parent, "cc1", "/usr/lib/cc1 -O2 a.c", 12, EVENT_NAME_COMMAND);
	parent->real_uid = 1000;
	parent->effective_uid = 0;
	parent->terminal = 34816;
	parent->group = 10;
	parent->session = 5;
	parent->places = 5;
	child = event_processes_add(processes, 11);
	event_process_inherit(child, parent);
	ck_assert_str_eq(child->name->command, "/usr/lib/cc1 -O2 a.c");
	ck_assert_uint_eq(child->name->program_length, 12);
	ck_assert(child->real_uid == 1000 && child->effective_uid == 0 && child->terminal == 34816);
	ck_assert(child->group == 10 && child->session == 5 && child->places == 5);
	event_process_call(child, "as", NULL, 0, EVENT_NAME_COMM);
	ck_assert_str_eq(child->name->command, "as");
	ck_assert_str_eq(parent->name->comm, "cc1");
	event_processes_add(processes, 10);
	ck_assert_str_eq(child->name->comm, "as");
	event_processes_close(processes);
}

START_TEST(a_pid_that_comes_back_is_another_process)
{
	struct event_processes *processes = event_processes_open();
	struct event_process *process = event_processes_add(processes, 42);

	event_process_call(process, "old", "old --way", 3, EVENT_NAME_COMMAND);
	process->start_ns = 1;
	event_processes_exit(processes, process, 1000);
	ck_assert_ptr_eq(event_processes_find(processes, 42), process);
	ck_assert_uint_eq(process->end_ns, 1000);
	process = event_processes_add(processes, 42);
	ck_assert(!process->name->known && process->end_ns == 0 && process->start_ns == U64_UNKNOWN);
	event_process_call(process, "new", NULL, 0, EVENT_NAME_COMM);
	for (unsigned i = 0; i < 2 * EVENT_PROCESSES_EXITED; i++)
		event_processes_exit(processes, event_processes_add(processes, 1000 + i), 2000 + i);
	process = event_processes_find(processes, 42);
	ck_assert_ptr_nonnull(process);
	ck_assert_str_eq(process->name->comm, "new");
	event_processes_close(processes);
}

START_TEST(only_so_many_dead_ones_are_kept)
{
	struct event_processes *processes = event_processes_open();
	struct event_process *alive = event_processes_add(processes, 3);

	event_process_call(alive, "alive", NULL, 0, EVENT_NAME_COMM);
	for (unsigned i = 0; i < 100000; i++) {
		struct event_process *child = event_processes_add(processes, 100 + i);

		event_process_inherit(child, alive);
		event_processes_exit(processes, child, 1 + i);
	}
	ck_assert_ptr_null(event_processes_find(processes, 100));
	ck_assert_ptr_nonnull(event_processes_find(processes, 100 + 99999));
	ck_assert_ptr_nonnull(
		event_processes_find(processes, 100 + 100000 - (uint32_t)EVENT_PROCESSES_EXITED));
	ck_assert_ptr_null(
		event_processes_find(processes, 100 + 100000 - (uint32_t)EVENT_PROCESSES_EXITED - 1));
	ck_assert_uint_eq(alive->name->users, 1 + EVENT_PROCESSES_EXITED);
	event_processes_close(processes);
}

/* Only a name that is the same in all that events show of it. */
START_TEST(equal_names_are_kept_once)
{
	struct event_processes *processes = event_processes_open();
	struct event_process *parent = event_processes_add(processes, 10);
	struct event_process *child = event_processes_add(processes, 11);
	const struct event_name *own;

	event_process_call(parent, "server", "/bin/server -d", 11, EVENT_NAME_COMMAND);
	event_process_call(child, "server", "/bin/server -d", 11, EVENT_NAME_COMMAND);
	ck_assert_ptr_ne(child->name, parent->name);
	event_process_share_name(child, parent);
	ck_assert_ptr_eq(child->name, parent->name);
	ck_assert_uint_eq(parent->name->users, 2);
	event_process_share_name(child, parent);
	ck_assert_uint_eq(parent->name->users, 2);
	event_process_call(child, "server", "/bin/server -e", 11, EVENT_NAME_COMMAND);
	own = child->name;
	event_process_share_name(child, parent);
	ck_assert_ptr_eq(child->name, own);
	ck_assert_uint_eq(parent->name->users, 1);
	event_process_call(child, "worker", "/bin/server -d", 11, EVENT_NAME_COMMAND);
	event_process_share_name(child, parent);
	ck_assert_ptr_ne(child->name, parent->name);
	event_processes_close(processes);
}

START_TEST(names_change_ten_thousand_times)
{
	struct event_processes *processes = event_processes_open();
	struct event_process *process = event_processes_add(processes, 8);
	char comm[EVENT_COMM_BYTES + 1];

	event_process_call(process, "start", "/bin/start -v", 10, EVENT_NAME_COMMAND);
	for (unsigned i = 0; i < RENAMES; i++) {
		snprintf(comm, sizeof(comm), "name %u", i);
		event_process_rename(process, comm, false);
		ck_assert_str_eq(process->name->comm, comm);
		ck_assert_str_eq(process->name->command, "/bin/start -v");
		ck_assert_uint_eq(process->name->program_length, 10);
		ck_assert_uint_eq(process->name->users, 1);
	}
	event_processes_close(processes);
}

START_TEST(threads_of_the_kernel_are_in_brackets)
{
	struct event_processes *processes = event_processes_open();
	struct event_process *process = event_processes_add(processes, 2);

	event_process_rename(process, "kthreadd", true);
	ck_assert_str_eq(process->name->comm, "kthreadd");
	ck_assert_str_eq(process->name->command, "[kthreadd]");
	event_process_rename(process, "kworker/0:1", false);
	ck_assert_str_eq(process->name->command, "[kworker/0:1]");
	ck_assert_uint_eq(process->name->program_length, 13);
	event_process_rename(process, "0123456789abcdef", false);
	ck_assert_str_eq(process->name->command, "[0123456789abcdef]");
	event_processes_close(processes);
}

/* count events of a process that is called so. */
static void fill(struct event_batch *batch, struct event_process *process, size_t count)
{
	for (size_t i = 0; i < count; i++)
		event_batch_add(batch, process)->pid = process->pid;
}

START_TEST(batches_are_appended_with_their_texts)
{
	struct event_processes *processes = event_processes_open();
	struct event_process *one = event_processes_add(processes, 1),
			     *other = event_processes_add(processes, 2);
	struct event_batch batch = { 0 }, from = { 0 };

	event_process_call(one, "one", "one -1", 3, EVENT_NAME_COMMAND);
	event_process_call(other, "other", "/bin/other -2", 10, EVENT_NAME_COMMAND);
	for (unsigned round = 0; round < 50; round++) {
		size_t first = batch.count, n_texts;

		fill(&from, one, 3);
		fill(&from, other, 2);
		from.list[4].was = event_batch_text(&from, "before", 6);
		from.list[1].parent = event_batch_parent(&from, other);
		from.list[2].parent = event_batch_parent(&from, other);
		ck_assert_uint_eq(from.list[1].parent, from.list[2].parent);
		fill(&from, one, 1);
		n_texts = from.n_texts + (round ? batch.n_texts - 1 : 0); /* both begin with an empty one */
		ck_assert_uint_eq(event_batch_append(&batch, &from), 0);
		ck_assert_uint_eq(batch.n_texts, n_texts);
		ck_assert(from.count == 0 && from.n_texts == 0);
		ck_assert_uint_eq(batch.count, first + 6);
		for (size_t i = 0; i < batch.count; i++) {
			const struct event *event = &batch.list[i];
			bool is_one = event->pid == 1;

			ck_assert_str_eq(batch.texts + event->comm, is_one ? "one" : "other");
			ck_assert_str_eq(batch.texts + event->command, is_one ? "one -1" : "/bin/other -2");
			ck_assert_uint_eq(event->program_length, is_one ? 3 : 10);
			ck_assert_str_eq(batch.texts + event->was, i % 6 == 4 ? "before" : "");
			ck_assert_str_eq(batch.texts + event->parent,
					 i % 6 == 1 || i % 6 == 2 ? "other" : "");
		}
	}
	fill(&from, event_processes_add(processes, 3), 1);
	ck_assert_uint_eq(event_batch_append(&batch, &from), 0);
	ck_assert(!batch.list[300].named && batch.list[300].comm == 0 && batch.list[300].command == 0);
	event_batch_free(&batch);
	event_batch_free(&from);
	event_processes_close(processes);
}

START_TEST(what_follows_one_another_has_one_text)
{
	struct event_processes *processes = event_processes_open();
	struct event_process *process = event_processes_add(processes, 1);
	struct event_batch batch = { 0 };
	size_t bytes;

	event_process_call(process, "one", "one -1", 3, EVENT_NAME_COMMAND);
	fill(&batch, process, 1);
	bytes = batch.n_texts;
	fill(&batch, process, 1000);
	ck_assert_uint_eq(batch.n_texts, bytes);
	event_process_rename(process, "two", false);
	fill(&batch, process, 1);
	ck_assert_str_eq(batch.texts + batch.list[1001].comm, "two");
	ck_assert_str_eq(batch.texts + batch.list[1000].comm, "one");
	event_batch_free(&batch);
	event_processes_close(processes);
}

START_TEST(after_a_storm_batches_take_little)
{
	struct event_processes *processes = event_processes_open();
	struct event_process *process = event_processes_add(processes, 1);
	struct event_batch batch = { 0 }, from = { 0 };
	char command[100];

	for (unsigned round = 0; round < 50; round++) {
		for (unsigned i = 0; i < (round ? 10 : 20000); i++) {
			snprintf(command, sizeof(command), "a command of its own, number %u", i);
			event_process_call(process, "one", command, 1, EVENT_NAME_COMMAND);
			fill(&from, process, 1);
		}
		event_batch_append(&batch, &from);
		event_batch_empty(&batch);
	}
	ck_assert_uint_le(batch.capacity + from.capacity, 4000);
	ck_assert_uint_le(batch.texts_capacity + from.texts_capacity, 300000);
	fill(&from, process, 1);
	event_batch_append(&batch, &from);
	ck_assert_str_eq(batch.texts + batch.list[0].command, command);
	event_batch_free(&batch);
	event_batch_free(&from);
	event_processes_close(processes);
}

START_TEST(what_does_not_fit_is_counted)
{
	struct event_processes *processes = event_processes_open();
	struct event_process *process = event_processes_add(processes, 1);
	struct event_batch batch = { 0 }, from = { 0 };
	size_t given = 0, lost = 0;

	event_process_call(process, "one", NULL, 0, EVENT_NAME_COMM);
	for (size_t count = 1; given <= 2 * EVENT_BATCH_MAX; count = 3 * count / 2 + 1) {
		fill(&from, process, count);
		given += count;
		lost += event_batch_append(&batch, &from);
		ck_assert_uint_eq(batch.count + lost, given);
		ck_assert_uint_le(batch.count, EVENT_BATCH_MAX);
	}
	ck_assert_uint_eq(batch.count, EVENT_BATCH_MAX);
	ck_assert_str_eq(batch.texts + batch.list[EVENT_BATCH_MAX - 1].comm, "one");
	event_batch_empty(&batch);
	fill(&from, process, 5);
	ck_assert_uint_eq(event_batch_append(&batch, &from), 0);
	event_batch_free(&batch);
	event_batch_free(&from);
	event_processes_close(processes);
}

START_TEST(events_are_counted_by_command)
{
	struct event_processes *processes = event_processes_open();
	struct event_process *process = event_processes_add(processes, 1);
	struct event_statistics statistics;

	event_statistics_open(&statistics);
	event_process_call(process, "one", NULL, 0, EVENT_NAME_COMM);
	event_statistics_count(&statistics, process, EVENT_FORK, false, false);
	event_statistics_count(&statistics, process, EVENT_EXIT, false, true);
	event_statistics_count(&statistics, process, EVENT_EXIT, false, false);
	event_statistics_count(&statistics, process, EVENT_EXIT, true, false);
	event_process_call(process, "two", NULL, 0, EVENT_NAME_COMM);
	event_statistics_count(&statistics, process, EVENT_EXEC, false, false);
	ck_assert_uint_eq(statistics.n_commands, 2);
	ck_assert_str_eq(statistics.commands[0].command, "one");
	ck_assert_uint_eq(statistics.commands[0].kinds[EVENT_FORK], 1);
	ck_assert_uint_eq(statistics.commands[0].kinds[EVENT_EXIT], 2);
	ck_assert_uint_eq(statistics.commands[0].failures, 1);
	ck_assert_uint_eq(statistics.commands[1].kinds[EVENT_EXEC], 1);
	ck_assert_uint_eq(statistics.all.kinds[EVENT_EXIT] + statistics.all.kinds[EVENT_EXEC], 3);
	event_statistics_free(&statistics);
	event_processes_close(processes);
}

START_TEST(more_commands_than_there_is_room_for_are_the_others)
{
	struct event_processes *processes = event_processes_open();
	struct event_process *process = event_processes_add(processes, 1);
	struct event_statistics statistics;
	uint64_t sum = 0;

	event_statistics_open(&statistics);
	for (unsigned i = 0; i < 10000; i++) {
		event_process_call(process, textf("%u", i), NULL, 0, EVENT_NAME_COMM);
		event_statistics_count(&statistics, process, EVENT_EXEC, false, false);
	}
	ck_assert_uint_eq(statistics.n_commands, EVENT_COMMANDS_MAX);
	for (size_t i = 0; i < statistics.n_commands; i++)
		sum += statistics.commands[i].kinds[EVENT_EXEC];
	ck_assert_uint_eq(sum, EVENT_COMMANDS_MAX);
	ck_assert_uint_eq(statistics.others.kinds[EVENT_EXEC], 10000 - EVENT_COMMANDS_MAX);
	ck_assert_uint_eq(statistics.all.kinds[EVENT_EXEC], 10000);
	event_statistics_free(&statistics);
	event_processes_close(processes);
}

START_TEST(parents_that_fork_most_are_kept)
{
	struct event_processes *processes = event_processes_open();
	struct event_process *busy = event_processes_add(processes, 1);
	struct event_statistics statistics;

	event_statistics_open(&statistics);
	busy->start_ns = 5;
	busy->resident_bytes = 4096;
	event_process_call(busy, "busy", NULL, 0, EVENT_NAME_COMM);
	for (unsigned i = 0; i < 10; i++)
		event_statistics_fork(&statistics, busy);
	for (unsigned i = 0; i < 3 * EVENT_PARENTS_MAX; i++) {
		struct event_process *other = event_processes_add(processes, 100 + i);

		event_statistics_fork(&statistics, other);
		event_statistics_exit(&statistics, other, U64_UNKNOWN);
	}
	ck_assert_uint_eq(statistics.n_parents, EVENT_PARENTS_MAX);
	ck_assert_str_eq(statistics.parents[0].command, "busy");
	ck_assert_uint_eq(statistics.parents[0].forks, 10);
	ck_assert_uint_eq(statistics.parents[0].resident_bytes, 4096);
	ck_assert_uint_eq(statistics.parents[0].page_table_bytes, U64_UNKNOWN);
	ck_assert_uint_eq(statistics.lifetimes[EVENT_LIFETIMES], 3 * EVENT_PARENTS_MAX);
	busy->start_ns = 6; /* its pid came back */
	event_statistics_fork(&statistics, busy);
	ck_assert_uint_eq(statistics.parents[0].forks, 10);
	event_statistics_free(&statistics);
	event_processes_close(processes);
}

START_TEST(life_times_are_counted_by_decades)
{
	static const struct {
		uint64_t lifetime_ns;
		unsigned bucket;
	} lives[] = {
		{ 0, 0 },
		{ MS_NS - 1, 0 },
		{ MS_NS, 1 },
		{ 10 * MS_NS - 1, 1 },
		{ 10 * MS_NS, 2 },
		{ 999 * MS_NS, 3 },
		{ 1000 * MS_NS, 4 },
		{ 100000000 * MS_NS, 9 },
		{ UINT64_MAX - 1, 9 },
		{ U64_UNKNOWN, EVENT_LIFETIMES },
	};
	struct event_processes *processes = event_processes_open();
	struct event_process *process = event_processes_add(processes, 1);
	struct event_statistics statistics;

	event_statistics_open(&statistics);
	for (size_t i = 0; i < sizeof(lives) / sizeof(lives[0]); i++) {
		uint64_t before = statistics.lifetimes[lives[i].bucket];

		event_statistics_exit(&statistics, process, lives[i].lifetime_ns);
		ck_assert_uint_eq(statistics.lifetimes[lives[i].bucket], before + 1);
	}
	ck_assert_uint_eq(event_lifetime_ns(0), 0);
	ck_assert_uint_eq(event_lifetime_ns(1), MS_NS);
	ck_assert_uint_eq(event_lifetime_ns(9), 100000000 * MS_NS);
	ck_assert_uint_eq(event_lifetime_ns(10), U64_UNKNOWN);
	event_statistics_free(&statistics);
	event_processes_close(processes);
}
