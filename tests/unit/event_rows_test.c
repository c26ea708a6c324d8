/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the rows of events, over events that the test gives in the place of their sources. */
#include <config.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "topic/event/event_reader.h"

struct event_reader {
	int n_collectors;
};

static struct event_reader *reader; /* that is open */
static const struct event *given;
static size_t n_given;
static const char *given_texts;
static size_t n_given_texts;

static int open_reader(void *state, const struct sample *sample)
{
	(void)sample;
	reader = state;
	return 0;
}

static int update_reader(void *state, const struct sample *sample)
{
	(void)state;
	(void)sample;
	return 0;
}

static void close_reader(void *state)
{
	ck_assert_int_eq(((struct event_reader *)state)->n_collectors, 0);
}

const struct reader process_event_reader = {
	.name = "given events",
	.state_size = sizeof(struct event_reader),
	.open = open_reader,
	.update = update_reader,
	.close = close_reader,
};

void event_reader_add_collector(struct event_reader *of, int change)
{
	of->n_collectors += change;
}

void event_reader_collect(struct event_reader *of, struct event_batch *taken)
{
	ck_assert_int_eq(of->n_collectors, 1);
	event_batch_empty(taken);
	for (size_t i = 0; i < n_given; i++)
		*VECTOR_ADD(taken->list, taken->count, taken->capacity) = given[i];
	VECTOR_RESERVE(taken->texts, n_given_texts, taken->texts_capacity);
	memcpy(taken->texts, given_texts, n_given_texts);
	taken->n_texts = n_given_texts;
}

void event_reader_collect_ended(struct event_reader *of, struct event_ended_list *taken)
{
	(void)of;
	taken->count = 0;
}

void event_reader_read_statistics(struct event_reader *of,
				  void (*read)(void *context, const struct event_statistics *statistics,
					       uint64_t since_ns),
				  void *context)
{
	(void)of;
	(void)read;
	(void)context;
}

void event_reader_sources(struct event_reader *of, struct event_sources *sources)
{
	(void)of;
	*sources = (struct event_sources){ 0 };
}

const struct trace_set *event_reader_arguments(const struct event_reader *of)
{
	static const struct trace_set none;

	(void)of;
	return &none;
}

int event_reader_bell(const struct event_reader *of)
{
	return of == reader ? 77 : -1;
}

#define TEXTS "\0make\0/usr/bin/make -j4 all\0bash\0cc1\0../x/cc1 a/b\0old\0bin/sh -c x/y\0"
enum { MAKE = 1, MAKE_ALL = 6, BASH = 28, CC1 = 33, CC1_ALL = 37, SH_ALL = 54 };

#define NO_USER .real_uid = UINT32_MAX, .effective_uid = UINT32_MAX
#define NO_TERMINAL .terminal = -1
#define GOES_ON .exit_code = UINT32_MAX, .duration_ns = U64_UNKNOWN

static const struct event events[] = {
	{ .kind = EVENT_EXIT, .number = 7, .wall_ns = 1000, .pid = 42, .tid = 43, .parent_pid = 1,
	  .real_uid = 1000, .effective_uid = 33, .exit_code = 3 << 8, .terminal = 136 << 8 | 5,
	  .duration_ns = 1500000000, .named = true, .comm = MAKE, .command = MAKE_ALL, .program_length = 13,
	  .parent = BASH },
	{ .kind = EVENT_EXIT, .number = 8, .wall_ns = 1001, .pid = 44, .tid = 44, NO_USER, NO_TERMINAL,
	  .exit_code = SIGKILL, .duration_ns = U64_UNKNOWN, .named = true, .comm = CC1, .command = CC1_ALL,
	  .program_length = 8, .parent = BASH },
	{ .kind = EVENT_FORK, .number = 9, .wall_ns = 1002, .pid = 45, .tid = 45, .parent_pid = 42, NO_USER,
	  NO_TERMINAL, GOES_ON, .named = true, .comm = MAKE, .command = MAKE_ALL, .program_length = 13 },
	{ .kind = EVENT_FORK, .number = 10, .wall_ns = 1003, .pid = 46, .tid = 46, .parent_pid = 42, NO_USER,
	  NO_TERMINAL, GOES_ON },
	{ .kind = EVENT_EXEC, .number = 11, .wall_ns = 1004, .pid = 46, .tid = 46, .parent_pid = 42, NO_USER,
	  NO_TERMINAL, GOES_ON, .named = true, .comm = MAKE, .command = SH_ALL, .program_length = 6,
	  .parent = MAKE },
};

START_TEST(each_event_is_a_row)
{
	static const char *const names[] = { "event", NULL };
	const struct frame *frame;
	struct rig rig;

	given = events;
	n_given = sizeof(events) / sizeof(events[0]);
	given_texts = TEXTS;
	n_given_texts = sizeof(TEXTS);
	rig_open(&rig, "readers", names);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "event")->n_rows, n_given);
	check_row(frame, "event",
		  "number=7 mark=t time=1000 event=exit pid=42 tid=43 ppid=1 uid=1000 euid=33 user=33 "
		  "tty=pts/5 info=thread code 3 exit_code=3 duration_seconds=1.5 status=3 parent=bash "
		  "name=make "
		  "program=/usr/bin/make program_base=make command=/usr/bin/make -j4 all "
		  "command_base=make -j4 all");
	check_row(frame, "event",
		  "number=8 mark=! time=1001 event=exit pid=44 tid=44 info=SIGKILL signal=9 status=SIGKILL "
		  "parent=bash name=cc1 program=../x/cc1 program_base=cc1 command=../x/cc1 a/b "
		  "command_base=cc1 a/b");
	check_row(frame, "event",
		  "number=9 mark=+ time=1002 event=fork pid=45 tid=45 ppid=42 info= status= name=make "
		  "program=/usr/bin/make program_base=make command=/usr/bin/make -j4 all "
		  "command_base=make -j4 all");
	check_row(frame, "event",
		  "number=10 mark=+ time=1003 event=fork pid=46 tid=46 ppid=42 info= status=");
	/* a relative path that does not begin with a dot may be anything */
	check_row(frame, "event",
		  "number=11 mark=> time=1004 event=exec pid=46 tid=46 ppid=42 info= status= parent=make "
		  "name=make program=bin/sh program_base=bin/sh command=bin/sh -c x/y "
		  "command_base=bin/sh -c x/y");
	n_given = 1;
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "event")->n_rows, 1); /* the texts are those of the new batch */
	check_row(frame, "event",
		  "number=7 mark=t time=1000 event=exit pid=42 tid=43 ppid=1 uid=1000 euid=33 user=33 "
		  "tty=pts/5 info=thread code 3 exit_code=3 duration_seconds=1.5 status=3 parent=bash "
		  "name=make "
		  "program=/usr/bin/make program_base=make command=/usr/bin/make -j4 all "
		  "command_base=make -j4 all");
	ck_assert_int_eq(topic_find("event")->event_fd(&rig.samples[0]), 77);
	rig_close(&rig);
}
