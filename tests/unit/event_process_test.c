/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what process events are kept in: their order, the processes, batches and sums. */
#include "suite.h"

#include "core/alloc.h"
#include "core/unknown.h"
#include "topic/event/event_batch.h"

#define SORTED 5000

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

/* After a storm they take little. */
START_TEST(used_events_go_with_their_texts)
{
	struct raw_events events = { 0 };

	for (unsigned i = 0; i < 1000; i++) {
		struct raw_event *event = raw_events_add(&events);

		ck_assert(event->exit_code == UINT32_MAX && event->text == NULL);
		event->pid = i;
		event->text = alloc_text("/bin/true");
	}
	raw_events_drop(&events, 0);
	raw_events_drop(&events, 300);
	ck_assert_uint_eq(events.count, 700);
	ck_assert(events.list[0].pid == 300 && events.list[699].pid == 999);
	ck_assert_str_eq(events.list[0].text, "/bin/true");
	raw_events_free(&events);
	for (unsigned round = 0; round < 50; round++) {
		for (unsigned i = 0; i < (round ? 10 : 100000); i++)
			raw_events_add(&events)->time_ns = i;
		raw_events_sort(&events);
		raw_events_drop(&events, events.count);
	}
	ck_assert_uint_le(events.capacity + events.room_capacity, 10000);
	raw_events_free(&events);
}

/* Process 1 of some that are kept. */
static struct event_processes *processes;
static struct event_process *process;

static void open_process(const char *comm)
{
	processes = event_processes_open();
	process = event_processes_add(processes, 1);
	event_process_call(process, comm, NULL, 0, EVENT_NAME_COMM);
}

static void close_process(void)
{
	event_processes_close(processes);
}

START_TEST(a_pid_that_comes_back_is_another_process)
{
	struct event_process *again;

	open_process("old");
	event_processes_exit(processes, process, 1000);
	ck_assert_ptr_eq(event_processes_find(processes, 1), process);
	ck_assert_uint_eq(process->end_ns, 1000);
	again = event_processes_add(processes, 1);
	ck_assert(!again->name->known && again->end_ns == 0 && again->start_ns == U64_UNKNOWN);
	ck_assert(again->real_uid == UINT32_MAX && again->terminal == -1 && again->group == -1);
	event_process_call(again, "new", NULL, 0, EVENT_NAME_COMM);
	for (unsigned i = 0; i < 2 * EVENT_PROCESSES_EXITED; i++)
		event_processes_exit(processes, event_processes_add(processes, 1000 + i), 2000 + i);
	ck_assert_str_eq(event_processes_find(processes, 1)->name->comm, "new");
	close_process();
}

START_TEST(only_so_many_dead_ones_are_kept)
{
	const uint32_t n = 100000, first_kept = 100 + n - (uint32_t)EVENT_PROCESSES_EXITED;

	open_process("alive");
	for (unsigned i = 0; i < n; i++) {
		struct event_process *child = event_processes_add(processes, 100 + i);

		event_process_inherit(child, process);
		event_processes_exit(processes, child, 1 + i);
	}
	ck_assert(!event_processes_find(processes, 100) && event_processes_find(processes, 100 + n - 1));
	ck_assert(!event_processes_find(processes, first_kept - 1) &&
		  event_processes_find(processes, first_kept));
	ck_assert_uint_eq(process->name->users, 1 + EVENT_PROCESSES_EXITED);
	close_process();
}

/* count events of a process that is called so. */
static void fill(struct event_batch *batch, struct event_process *of, size_t count)
{
	for (size_t i = 0; i < count; i++)
		event_batch_add(batch, of)->pid = of->pid;
}

START_TEST(batches_are_appended_with_their_texts)
{
	struct event_batch batch = { 0 }, from = { 0 };
	struct event_process *other;

	open_process("one");
	other = event_processes_add(processes, 2);
	event_process_call(process, "one", "one -1", 3, EVENT_NAME_COMMAND);
	event_process_call(other, "other", "/bin/other -2", 10, EVENT_NAME_COMMAND);
	for (unsigned round = 0; round < 50; round++) {
		size_t first = batch.count;

		fill(&from, process, 3);
		fill(&from, other, 2);
		from.list[4].was = event_batch_text(&from, "before", 6);
		from.list[1].parent = event_batch_parent(&from, other);
		from.list[2].parent = event_batch_parent(&from, other);
		ck_assert_uint_eq(from.list[1].parent, from.list[2].parent);
		fill(&from, process, 1);
		ck_assert_uint_eq(event_batch_append(&batch, &from), 0);
		ck_assert(from.count == 0 && from.n_texts == 0 && batch.count == first + 6);
		for (size_t i = 0; i < batch.count; i++) {
			const struct event *event = &batch.list[i];

			ck_assert_str_eq(textf("%s (%s) %zu, was %s, of %s", batch.texts + event->comm,
					       batch.texts + event->command, event->program_length,
					       batch.texts + event->was, batch.texts + event->parent),
					 textf("%s, was %s, of %s",
					       event->pid == 1 ? "one (one -1) 3"
							       : "other (/bin/other -2) 10",
					       i % 6 == 4 ? "before" : "",
					       i % 6 == 1 || i % 6 == 2 ? "other" : ""));
		}
	}
	fill(&from, event_processes_add(processes, 3), 1);
	ck_assert_uint_eq(event_batch_append(&batch, &from), 0);
	ck_assert(!batch.list[300].named && batch.list[300].comm == 0 && batch.list[300].command == 0);
	event_batch_free(&batch);
	event_batch_free(&from);
	close_process();
}

/* What follows one another has one text, too. */
START_TEST(after_a_storm_batches_take_little)
{
	struct event_batch batch = { 0 }, from = { 0 };
	size_t bytes;

	open_process("one");
	for (unsigned round = 0; round < 50; round++) {
		for (unsigned i = 0; i < (round ? 10 : 20000); i++) {
			event_process_call(process, "one", textf("a command of its own, number %u", i), 1,
					   EVENT_NAME_COMMAND);
			fill(&from, process, 1);
		}
		event_batch_append(&batch, &from);
		event_batch_empty(&batch);
	}
	ck_assert_uint_le(batch.capacity + from.capacity, 4000);
	ck_assert_uint_le(batch.texts_capacity + from.texts_capacity, 300000);
	fill(&from, process, 1);
	bytes = from.n_texts;
	fill(&from, process, 1000);
	ck_assert_uint_eq(from.n_texts, bytes);
	event_batch_append(&batch, &from);
	ck_assert_str_eq(batch.texts + batch.list[0].command, "a command of its own, number 9");
	event_batch_free(&batch);
	event_batch_free(&from);
	close_process();
}

START_TEST(what_does_not_fit_is_counted)
{
	struct event_batch batch = { 0 }, from = { 0 };
	size_t given = 0, lost = 0;

	open_process("one");
	for (size_t count = 1; given <= 2 * EVENT_BATCH_MAX; count = 3 * count / 2 + 1) {
		fill(&from, process, count);
		given += count;
		lost += event_batch_append(&batch, &from);
		ck_assert_uint_eq(batch.count + lost, given);
		ck_assert_uint_le(batch.count, EVENT_BATCH_MAX);
	}
	ck_assert_uint_eq(batch.count, EVENT_BATCH_MAX);
	ck_assert_str_eq(batch.texts + batch.list[EVENT_BATCH_MAX - 1].comm, "one");
	event_batch_free(&batch);
	event_batch_free(&from);
	close_process();
}

START_TEST(events_are_counted_by_command)
{
	struct event_statistics statistics;
	uint64_t sum = 0;

	open_process("one");
	event_statistics_open(&statistics);
	event_statistics_count(&statistics, process, EVENT_FORK, false, false);
	event_statistics_count(&statistics, process, EVENT_EXIT, false, true);
	event_statistics_count(&statistics, process, EVENT_EXIT, false, false);
	event_statistics_count(&statistics, process, EVENT_EXIT, true, false);
	ck_assert_uint_eq(statistics.n_commands, 1);
	ck_assert_str_eq(statistics.commands[0].command, "one");
	ck_assert_uint_eq(statistics.commands[0].kinds[EVENT_FORK], 1);
	ck_assert_uint_eq(statistics.commands[0].kinds[EVENT_EXIT], 2);
	ck_assert(statistics.commands[0].failures == 1 && statistics.all.kinds[EVENT_EXIT] == 2);
	for (unsigned i = 0; i < 10000; i++) {
		event_process_call(process, textf("%u", i), NULL, 0, EVENT_NAME_COMM);
		event_statistics_count(&statistics, process, EVENT_EXEC, false, false);
	}
	ck_assert_uint_eq(statistics.n_commands, EVENT_COMMANDS_MAX);
	for (size_t i = 0; i < statistics.n_commands; i++)
		sum += statistics.commands[i].kinds[EVENT_EXEC];
	ck_assert_uint_eq(sum, EVENT_COMMANDS_MAX - 1);
	ck_assert_uint_eq(statistics.others.kinds[EVENT_EXEC], 10000 - sum);
	event_statistics_free(&statistics);
	close_process();
}

START_TEST(parents_that_fork_most_are_kept)
{
	struct event_statistics statistics;
	const struct event_parent *busy;

	open_process("busy");
	event_statistics_open(&statistics);
	process->start_ns = 5;
	process->resident_bytes = 4096;
	for (unsigned i = 0; i < 10; i++)
		event_statistics_fork(&statistics, process);
	for (unsigned i = 0; i < 3 * EVENT_PARENTS_MAX; i++) {
		struct event_process *other = event_processes_add(processes, 100 + i);

		event_statistics_fork(&statistics, other);
		event_statistics_exit(&statistics, other, U64_UNKNOWN);
	}
	busy = &statistics.parents[0];
	ck_assert_uint_eq(statistics.n_parents, EVENT_PARENTS_MAX);
	ck_assert_str_eq(busy->command, "busy");
	ck_assert(busy->forks == 10 && busy->resident_bytes == 4096 && busy->page_table_bytes == U64_UNKNOWN);
	ck_assert_uint_eq(statistics.lifetimes[EVENT_LIFETIMES], 3 * EVENT_PARENTS_MAX);
	process->start_ns = 6; /* its pid came back */
	event_statistics_fork(&statistics, process);
	ck_assert_uint_eq(busy->forks, 10);
	event_statistics_free(&statistics);
	close_process();
}

START_TEST(life_times_are_counted_by_decades)
{
	static const struct {
		uint64_t lifetime_ns;
		unsigned bucket;
	} lives[] = {
		{ 0, 0 },                  { MS_NS - 1, 0 },      { MS_NS, 1 },
		{ 10 * MS_NS - 1, 1 },     { 10 * MS_NS, 2 },     { 999 * MS_NS, 3 },
		{ 1000 * MS_NS, 4 },       { 100000000 * MS_NS, 9 }, { UINT64_MAX - 1, 9 },
		{ U64_UNKNOWN, EVENT_LIFETIMES },
	};
	struct event_statistics statistics;

	open_process("one");
	event_statistics_open(&statistics);
	for (size_t i = 0; i < sizeof(lives) / sizeof(lives[0]); i++) {
		uint64_t before = statistics.lifetimes[lives[i].bucket];

		event_statistics_exit(&statistics, process, lives[i].lifetime_ns);
		ck_assert_uint_eq(statistics.lifetimes[lives[i].bucket], before + 1);
	}
	event_statistics_free(&statistics);
	close_process();
}
