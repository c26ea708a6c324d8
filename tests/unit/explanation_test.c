/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explanations: each sentence where it is true, and silence where it is nearly so. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/explanation.h"
#include "pane/panes.h"
#include "suite.h"
#include "topic/topic.h"

#define SAMPLES 310u
#define MOMENT 300u /* the explained sample; one is taken each second */
#define SPIKE 295u  /* the first sample with it */
#define BOOT 5000.0 /* seconds since boot at the first sample */
#define SECOND_NS UINT64_C(1000000000)
#define WALL_NS (UINT64_C(1732095000) * SECOND_NS)

/* A machine, second by second. */
struct machine_story {
	double (*busy)(unsigned second); /* share of the CPUs in the second before */
	void (*rows)(struct frame *frame, unsigned second);
	unsigned n_samples;
	unsigned suspended_at, restarted_at; /* 0: not; for an hour; by another boot */
	unsigned another_boot_at, stands_at; /* 0: not; with a clock that goes on; without a second */
	double suspended_seconds;            /* 0: an hour */
	bool *first_wanted;                  /* NULL, or filled with the topics that are wanted first */
	size_t next;
};

static void put(struct frame *frame, const char *topic, void *row, const char *key, double value)
{
	const struct column *column = schema_find(frame_slot(frame, topic)->schema, key);

	ck_assert_msg(column, "no column %s.%s", topic, key);
	if (column->type == VALUE_U64)
		row_set_u64(row, column, isnan(value) ? U64_UNKNOWN : (uint64_t)value);
	else
		row_set_f64(row, column, value);
}

static void *add_row(struct frame *frame, const char *topic, const char *key, const char *text)
{
	struct table *table = frame_slot(frame, topic);
	void *row;

	table->present = true;
	table->mono_ns = frame->mono_ns;
	row = table_add(table);
	if (key)
		row_set_text(row, schema_find(table->schema, key),
			     arena_copy(&frame->arena, text, strlen(text)));
	return row;
}

static void add_process(struct frame *frame, unsigned pid, const char *name, double start, double cpu_seconds,
			double mib)
{
	void *row = add_row(frame, "process", "name", name);

	put(frame, "process", row, "pid", pid);
	put(frame, "process", row, "start_seconds", start);
	put(frame, "process", row, "cpu_seconds", cpu_seconds);
	put(frame, "process", row, "resident_bytes", mib * 1048576);
}

static void fill(const struct machine_story *story, struct frame *frame, unsigned second)
{
	bool again = story->restarted_at > 0 && second >= story->restarted_at;
	double slept = 0, busy = 0;
	unsigned first = again ? story->restarted_at : 0;
	void *row;

	if (story->suspended_at > 0 && second >= story->suspended_at)
		slept = story->suspended_seconds > 0 ? story->suspended_seconds : 3600;
	frame->mono_ns = (again ? second - first + 1 : 1000 + second) * SECOND_NS;
	if (story->stands_at > 0 && second >= story->stands_at)
		frame->mono_ns -= SECOND_NS;
	frame->boot = story->another_boot_at > 0 && second >= story->another_boot_at;
	frame->wall_ns = WALL_NS + (second + (uint64_t)slept) * SECOND_NS;
	put(frame, "system", add_row(frame, "system", NULL, NULL), "uptime_seconds", BOOT + second + slept);
	for (unsigned i = first + 1; i <= second; i++)
		busy += story->busy ? story->busy(i) : 0.03;
	row = add_row(frame, "cpu", "cpu", "all");
	put(frame, "cpu", row, "total_seconds", second - first);
	put(frame, "cpu", row, "busy_seconds", busy);
	if (story->rows)
		story->rows(frame, second);
}

static int next(void *state, struct frame *frame)
{
	struct machine_story *story = state;

	if (story->next >= story->n_samples)
		return 0;
	fill(story, frame, (unsigned)story->next++);
	return 1;
}

static int seek(void *state, size_t index)
{
	((struct machine_story *)state)->next = index;
	return 0;
}

static size_t find(void *state, uint64_t wall_ns)
{
	const struct machine_story *story = state;
	uint64_t second = wall_ns > WALL_NS ? (wall_ns - WALL_NS) / SECOND_NS : 0;

	return second < story->n_samples ? second : story->n_samples - 1;
}

static void want(void *state, const bool *wanted)
{
	struct machine_story *story = state;

	if (story->first_wanted)
		memcpy(story->first_wanted, wanted, n_topics * sizeof(*wanted));
	story->first_wanted = NULL;
}

static bool extent(void *state, size_t *n_frames, uint64_t *first_ns, uint64_t *last_ns)
{
	const struct machine_story *story = state;

	*n_frames = story->n_samples;
	*first_ns = WALL_NS;
	*last_ns = WALL_NS + (story->n_samples - 1) * SECOND_NS;
	return true;
}

static void explain_at(struct explanation *explanation, struct machine_story *story, size_t index)
{
	const struct source source = {
		.next = next, .want = want, .seek = seek, .find = find, .extent = extent, .state = story
	};

	if (story->n_samples == 0)
		story->n_samples = SAMPLES;
	explanation_take(explanation, &source, index, topic_schemas(), n_topics, explained_series);
}

static void explain(struct explanation *explanation, struct machine_story *story)
{
	explain_at(explanation, story, MOMENT);
}

static const struct explained_line *line_of(const struct explanation *explanation, const char *subject)
{
	for (size_t i = 0; i < explanation->n_lines; i++)
		if (strcmp(explanation->lines[i].subject, subject) == 0)
			return &explanation->lines[i];
	return NULL;
}

static void says(const struct explained_line *line, const char *part)
{
	ck_assert_ptr_nonnull(line);
	ck_assert_msg(strstr(line->sentence, part), "'%s' is not in: %s", part, line->sentence);
}

static void is_silent(const struct explanation *explanation)
{
	ck_assert_msg(explanation->n_lines == 0, "%s", explanation->lines[0].sentence);
}

static double spike(unsigned second)
{
	return second >= SPIKE && second <= MOMENT ? 0.98 : 0.03;
}

static void process_starts(struct frame *frame, unsigned second)
{
	double start = BOOT + MOMENT - 5.3;

	add_process(frame, 1, "init", 1, 10, 20);
	if (BOOT + second > start) /* it executes its program after the first sample */
		add_process(frame, 4711, BOOT + second < start + 1 ? "sh" : "yes", start,
			    BOOT + second - start, 2);
}

START_TEST(a_spike_and_the_process_that_started)
{
	struct machine_story story = { .busy = spike, .rows = process_starts };
	struct explanation explanation = { 0 };
	const struct explained_line *line;

	explain(&explanation, &story);
	ck_assert_uint_eq(explanation.n_lines, 2);
	line = line_of(&explanation, "CPU busy");
	says(line, "98 %, rose 5 s before; usually 3.0 %.");
	ck_assert_str_eq(line->counted, /* a rate needs two samples */
			 "Usually: median 3.0 % and spread 0.0 %, at most 3.0 %, in 294 samples of 300 s.");
	ck_assert_str_eq(line->pane, "cpu");
	ck_assert_str_eq(line->row, "all");
	line = line_of(&explanation, "yes 4711");
	says(line, "started 5.3 s before");
	ck_assert_str_eq(line->change, "CPU 100 % since its start, 2.0 MiB");
	ck_assert_uint_eq(line->pid, 4711);
	ck_assert_uint_eq(line->wall_ns, WALL_NS + MOMENT * SECOND_NS);
	ck_assert_str_eq(explanation.lines[0].subject, "CPU busy"); /* and who uses it below it */
	ck_assert(!explanation.lines[0].below && explanation.lines[1].below);
	ck_assert_uint_eq(explanation.n_causes, 2);
	explain_at(&explanation, &story, 200);
	is_silent(&explanation);
	explanation_free(&explanation);
}
END_TEST

static double noisy(unsigned second)
{
	return 0.5 + 0.3 * sin(second * 2.1) * cos(second * 0.7);
}

static void steady_processes(struct frame *frame, unsigned second)
{
	static double cpu[SAMPLES]; /* seconds, so far */

	for (unsigned i = 0; cpu[SAMPLES - 1] == 0 && i < SAMPLES; i++)
		cpu[i] = (i > 0 ? cpu[i - 1] : 0) + noisy(i);
	add_process(frame, 1, "init", 1, 10, 20);
	add_process(frame, 2, "busy", 2, cpu[second], 100 + 40 * sin(second));
}

START_TEST(steady_noise)
{
	struct machine_story story = { .busy = noisy, .rows = steady_processes };
	struct explanation explanation = { 0 };

	for (unsigned i = 0; i < SAMPLES; i += 7) {
		explain_at(&explanation, &story, i);
		is_silent(&explanation);
	}
	explanation_free(&explanation);
}
END_TEST

START_TEST(too_few_samples)
{
	struct machine_story story = { .busy = spike, .rows = process_starts, .n_samples = 1 };
	struct explanation explanation = { 0 };

	explain_at(&explanation, &story, 0);
	is_silent(&explanation);
	ck_assert_ptr_nonnull(strstr(explanation.remarks, "Too few samples before to know what is usual: 0"));
	explanation_free(&explanation);
}
END_TEST

static double negative(unsigned second)
{
	return second == MOMENT ? -100 : 0.03;
}

static double unknown(unsigned second)
{
	return second == MOMENT ? NAN : 0.03;
}

START_TEST(counters_that_are_reset_or_unknown)
{
	struct explanation explanation = { 0 };

	explain(&explanation, &(struct machine_story){ .busy = negative });
	ck_assert_ptr_null(line_of(&explanation, "CPU busy"));
	explain(&explanation, &(struct machine_story){ .busy = unknown });
	is_silent(&explanation);
	ck_assert_ptr_nonnull(strstr(explanation.remarks, "Processes were not sampled then."));
	ck_assert_ptr_nonnull(strstr(explanation.remarks, "Not sampled then: pressure, memory"));
	explanation_free(&explanation);
}
END_TEST

static void process_is_reset(struct frame *frame, unsigned second)
{
	add_process(frame, 1, "init", 1, second < MOMENT ? 1000 : 3, 20);
	add_process(frame, 2, "hidden", 2, NAN, NAN);
}

static void read_later(struct frame *frame, unsigned second)
{
	add_process(frame, 1, "init", 1, 10, 20);
	if (second >= SPIKE)
		add_process(frame, 4711, "late", 17, 40 + second, 900);
}

START_TEST(processes_that_are_reset_or_read_later)
{
	struct explanation explanation = { 0 };

	explain(&explanation, &(struct machine_story){ .rows = process_is_reset });
	is_silent(&explanation);
	explain(&explanation, &(struct machine_story){ .rows = read_later });
	is_silent(&explanation);
	explanation_free(&explanation);
}
END_TEST

static void many(struct frame *frame, unsigned second)
{
	add_process(frame, 1, "init", 1, 10, 20);
	if (second >= SPIKE - 1 && second <= MOMENT)
		add_process(frame, 500, "cc1", BOOT + SPIKE - 3, 0.2, 500); /* the largest */
	for (unsigned i = 0; i < 40 && second >= SPIKE; i++)
		if (second - SPIKE == i / 8)
			add_process(frame, 100 + i, "cc1", BOOT + second - 0.5, 0.5, 30);
	if (second < MOMENT - 2)
		add_process(frame, 77, "old", 50, 70, 10);
	if (second > MOMENT + 1)
		add_process(frame, 999, "next", BOOT + MOMENT + 1.5, 0.1, 10);
	if (second < 200)
		add_process(frame, 78, "long-gone", 50, 70, 10);
}

START_TEST(processes_by_name)
{
	struct explanation explanation = { 0 };
	const struct explained_line *line;

	explain(&explanation, &(struct machine_story){ .rows = many });
	ck_assert_uint_eq(explanation.n_lines, 3);
	line = line_of(&explanation, "cc1");
	ck_assert_str_eq(line->change, "41 started, 41 gone, CPU time 20 s, resident 500 MiB");
	ck_assert_str_eq(line->when, "from 8 s before");
	ck_assert_uint_eq(line->pid, 500);
	ck_assert_uint_eq(line->wall_ns, WALL_NS + MOMENT * SECOND_NS);
	ck_assert_ptr_eq(line, explanation.lines);
	says(line_of(&explanation, "old 77"), "last seen 3 s before, gone 2 s before");
	line = line_of(&explanation, "next 999");
	says(line, "started 1.5 s after");
	ck_assert_uint_eq(line->wall_ns, WALL_NS + (MOMENT + 2) * SECOND_NS);
	explanation_free(&explanation);
}
END_TEST

/* It has been there for long, and works from the spike on. */
static void process_rises(struct frame *frame, unsigned second)
{
	double more = second >= SPIKE ? second - SPIKE + 1 : 0;

	add_process(frame, 1, "init", 1, 10, 20);
	add_process(frame, 42, "worker", 90, 5 + 0.9 * more, 100);
	add_process(frame, 43, "hog", 91, 5, more > 0 ? 400 : 100);
	add_process(frame, 44, "young", BOOT + MOMENT - 60, 0.9 * more, 100);
}

/* It has its memory since a minute before the spike. */
static void process_is_larger(struct frame *frame, unsigned second)
{
	add_process(frame, 1, "init", 1, 10, 20);
	if (second >= MOMENT - 70)
		add_process(frame, 46, "image", BOOT + MOMENT - 70, 5, 800);
}

START_TEST(a_rise_is_as_old_as_it_is)
{
	struct explanation explanation = { 0 };
	const struct explained_line *line;

	explain(&explanation, &(struct machine_story){ .busy = spike, .rows = process_is_larger });
	line = line_of(&explanation, "image 46");
	ck_assert_str_eq(line->change, "resident 800 MiB, usually 0 B");
	ck_assert_str_eq(line->when, "rose in the last 71 s");
	explanation_free(&explanation);
}
END_TEST

START_TEST(processes_that_use_more)
{
	struct explanation explanation = { 0 };
	struct machine_story story = { .busy = spike, .rows = process_rises };
	const struct explained_line *line;

	explain(&explanation, &story);
	ck_assert_uint_eq(explanation.n_lines, 4);
	line = line_of(&explanation, "worker 42");
	ck_assert_str_eq(line->change, "CPU 90 %, usually 0.0 %");
	ck_assert_str_eq(line->when, "rose in the last 6 s");
	ck_assert(line->below);
	ck_assert_ptr_eq(line_of(&explanation, "CPU busy") + 1, line);
	ck_assert_ptr_nonnull(strstr(line->counted, "Over the last 6 s. Usually: median 0.0 %"));
	line = line_of(&explanation, "hog 43");
	ck_assert_str_eq(line->change, "resident 400 MiB, usually 100 MiB");
	ck_assert_str_eq(line->when, "rose in the last 6 s"); /* the machine's memory was not sampled */
	ck_assert_str_eq(line->view, "memory");
	ck_assert(!line->below);
	ck_assert_uint_eq(explanation.n_causes, 4);
	says(line_of(&explanation, "young 44"), "CPU 90 %"); /* it used nothing before its start */
	story.busy = NULL;
	explain(&explanation, &story);
	line = line_of(&explanation, "worker 42");
	ck_assert_str_eq(line->when, "rose in the last 6 s");
	ck_assert_ptr_null(line_of(&explanation, "CPU busy"));
	ck_assert(!line->below);
	ck_assert_uint_eq(explanation.n_causes, 2); /* the largest of CPU and memory */
	explanation_free(&explanation);
}
END_TEST

static void add_transfers(struct frame *frame, double disk_mib, double tcp_mib)
{
	void *row = table_row(frame_slot(frame, "process"), frame_slot(frame, "process")->n_rows - 1);

	put(frame, "process", row, "disk_bytes", disk_mib * 1048576);
	put(frame, "process", row, "tcp_bytes", tcp_mib * 1048576);
}

/* A reader that starts with the reads of the disk, a talker that was there before, and one that computes. */
static void disk_and_network(struct frame *frame, unsigned second)
{
	double more = second >= SPIKE ? second - SPIKE + 1 : 0;
	void *row;

	add_process(frame, 1, "init", 1, 10, 20);
	add_process(frame, 42, "talker", 90, 5, 100);
	add_transfers(frame, 0, 10 + 4 * more);
	add_process(frame, 43, "burner", 91, 5 + more, 100);
	add_transfers(frame, 0, 0);
	if (more > 0) {
		add_process(frame, 4711, "dd", BOOT + SPIKE - 1, 0.02 * more, 2);
		add_transfers(frame, 29 * more, 0);
	}
	row = add_row(frame, "disk", "device", "vda");
	put(frame, "disk", row, "read_bytes", 29.0 * 1048576 * more);
	row = add_row(frame, "interface", "name", "eth0");
	put(frame, "interface", row, "sent_bytes", 4.2 * 1048576 * more);
}

static const struct explained_line *below(const struct explanation *explanation, const char *subject)
{
	const struct explained_line *line = line_of(explanation, subject);

	ck_assert_msg(line && line < explanation->lines + explanation->n_lines - 1, "%s", subject);
	ck_assert(!line[0].below);
	return line + 1;
}

START_TEST(causes_have_the_same_resource)
{
	struct explanation explanation = { 0 };
	struct machine_story story = { .busy = spike, .rows = disk_and_network };
	const struct explained_line *line;

	explain(&explanation, &story);
	line = below(&explanation, "vda reads");
	ck_assert_str_eq(line->subject, "dd 4711");
	ck_assert_str_eq(line->change, "CPU 2.0 % since its start, 2.0 MiB, disk 29.0 MiB/s");
	ck_assert(line->below);
	line = below(&explanation, "eth0 sent");
	ck_assert_str_eq(line->subject, "talker 42");
	ck_assert_str_eq(line->change, "TCP 4.0 MiB/s, usually 0 B/s");
	ck_assert_str_eq(below(&explanation, "CPU busy")->subject, "burner 43");
	ck_assert_uint_eq(explanation.n_causes, 6);
	ck_assert_uint_eq(explanation.n_lines, 6);
	explanation_free(&explanation);
}
END_TEST

/* The machine's rise is long over when the process begins. */
static double rose_long_ago(unsigned second)
{
	return second >= 200 ? 0.98 : 0.03;
}

static void starts_late(struct frame *frame, unsigned second)
{
	double more = second >= SPIKE ? second - SPIKE + 1 : 0;
	void *row = add_row(frame, "disk", "device", "vda");

	put(frame, "disk", row, "read_bytes", 400.0 * 1048576 * more);
	add_process(frame, 1, "init", 1, 10, 20);
	add_transfers(frame, 0, 0);
	add_process(frame, 43, "late", 91, 5 + 0.9 * more, 100);
	add_transfers(frame, 0, 0);
}

START_TEST(no_cause_of_what_came_before)
{
	struct explanation explanation = { 0 };
	struct machine_story story = { .busy = rose_long_ago, .rows = starts_late };

	explain(&explanation, &story);
	says(line_of(&explanation, "CPU busy"), "rose 100 s before");
	says(line_of(&explanation, "vda reads"), "rose 5 s before");
	ck_assert(!line_of(&explanation, "late 43")->below);
	explanation_free(&explanation);
}
END_TEST

static double falls(unsigned second)
{
	return second < SPIKE ? 0.9 : 0.1;
}

START_TEST(what_falls)
{
	struct explanation explanation = { 0 };

	explain(&explanation, &(struct machine_story){ .busy = falls });
	says(line_of(&explanation, "CPU busy"), "10 %, fell 5 s before; usually 90 %.");
	ck_assert_ptr_nonnull(strstr(line_of(&explanation, "CPU busy")->counted, "at least 90 %"));
	explanation_free(&explanation);
}
END_TEST

static void commands(struct frame *frame, unsigned second)
{
	unsigned more = second >= SPIKE ? second - SPIKE + 1 : 0;
	void *row = add_row(frame, "exited", "command", "sh");

	put(frame, "exited", row, "exits", 2 * second + 50 * more);
	put(frame, "exited", row, "failures", 0);
	row = add_row(frame, "exited", "command", "cron");
	put(frame, "exited", row, "exits", 30 * second);
	row = add_row(frame, "exited", "command", "ls");
	put(frame, "exited", row, "exits", second < MOMENT ? 0 : 4); /* chance */
	if (more == 0)
		return;
	row = add_row(frame, "exited", "command", "false");
	put(frame, "exited", row, "exits", 40 * more);
	put(frame, "exited", row, "failures", 40 * more);
}

START_TEST(events_by_command)
{
	struct explanation explanation = { 0 };
	struct machine_story story = { .busy = spike, .rows = commands };

	explain(&explanation, &story);
	ck_assert_str_eq(line_of(&explanation, "sh")->change, "exits 52/s, usually 2.0/s");
	says(&explanation.lines[0], "false: failures 40/s, rose in the last 6 s"); /* it stands for itself */
	ck_assert_ptr_null(line_of(&explanation, "cron"));
	ck_assert_ptr_null(line_of(&explanation, "ls"));
	ck_assert_uint_eq(explanation.n_lines, 4); /* "false" by exits and by failures */
	explanation_free(&explanation);
}
END_TEST

/* As kept tables of a large machine are: two samples of ten. */
static void process_rises_at_times(struct frame *frame, unsigned second)
{
	if (second % 10 == 9 || second % 10 == 0)
		process_rises(frame, second);
}

START_TEST(tables_that_rest_at_times)
{
	struct explanation explanation = { 0 };

	explain(&explanation, &(struct machine_story){ .busy = spike, .rows = process_rises_at_times });
	says(line_of(&explanation, "CPU busy"), "rose 5 s before");
	ck_assert_str_eq(below(&explanation, "CPU busy")->subject, "worker 42");
	says(below(&explanation, "CPU busy"), "CPU 54 %, rose in the last 10 s; usually 0.0 %.");
	ck_assert_ptr_nonnull(line_of(&explanation, "hog 43"));
	explanation_free(&explanation);
}
END_TEST

/* Busy for long, and quiet before that; rows has who made it so. */
#define LONG_AGO 600u

static double busy_for_long(unsigned second)
{
	return second > LONG_AGO ? 0.97 : 0.05;
}

static double fell_lately(unsigned second)
{
	return second > LONG_AGO && second < 1195 ? 0.97 : 0.05;
}

static double busy_again_and_again(unsigned second)
{
	return second / 100 % 2 == 1 ? 0.97 : 0.05;
}

static void worker_is_busy_for_long(struct frame *frame, unsigned second)
{
	add_process(frame, 1, "init", 1, 10, 20);
	add_process(frame, 42, "worker", 90, 5 + 0.9 * (second > LONG_AGO ? second - LONG_AGO : 0), 100);
}

/* Five minutes that were all alike tell nothing: half an hour does. What rose in the five minutes needs no
 * more. */
START_TEST(a_machine_that_was_busy_before)
{
	struct machine_story story = { .busy = busy_for_long,
				       .rows = worker_is_busy_for_long,
				       .n_samples = 2000 };
	struct explanation explanation = { 0 };

	explain_at(&explanation, &story, LONG_AGO + 20);
	ck_assert_double_eq_tol(explanation.seconds, 300, 1e-6);
	says(line_of(&explanation, "CPU busy"), "rose 19 s before");
	explain_at(&explanation, &story, LONG_AGO + 240);
	ck_assert_double_eq_tol(explanation.seconds, LONG_AGO + 240, 1e-6);
	says(line_of(&explanation, "CPU busy"), "97 %, rose 3 min before; usually 5.0 %.");
	ck_assert_str_eq(below(&explanation, "CPU busy")->subject, "worker 42");
	explain_at(&explanation, &story, LONG_AGO + 1350); /* and now it is usual */
	is_silent(&explanation);
	ck_assert_double_eq_tol(explanation.seconds, 300, 1e-6);
	story = (struct machine_story){ .busy = fell_lately, .n_samples = 1201 };
	explain_at(&explanation, &story, 1200);
	ck_assert_double_eq_tol(explanation.seconds, 300, 1e-6);
	says(line_of(&explanation, "CPU busy"), "fell 5 s before; usually 97 %.");
	story = (struct machine_story){ .busy = busy_again_and_again, .n_samples = 1500 };
	explain_at(&explanation, &story, 1450);
	is_silent(&explanation);
	explanation_free(&explanation);
}
END_TEST

/* Before the suspend and after it is not one time. */
START_TEST(a_suspended_machine)
{
	struct machine_story story = { .busy = spike, .suspended_at = SPIKE, .rows = process_starts };
	struct explanation explanation = { 0 };

	explain(&explanation, &story);
	ck_assert_ptr_null(line_of(&explanation, "CPU busy"));
	ck_assert_ptr_nonnull(strstr(explanation.remarks, "suspended for 60 min, up to 5 s before"));
	ck_assert_ptr_nonnull(strstr(explanation.remarks, "Too few samples before to know what is usual: 5"));
	ck_assert_ptr_null(line_of(&explanation, "yes 4711")); /* started before it */
	story = (struct machine_story){ .busy = spike, .restarted_at = 280 };
	explain(&explanation, &story);
	ck_assert_ptr_nonnull(strstr(line_of(&explanation, "CPU busy")->counted, "in 14 samples of 20 s"));
	ck_assert_ptr_nonnull(strstr(explanation.remarks, "Another run ended 20 s before"));
	explanation_free(&explanation);
}
END_TEST

START_TEST(where_another_run_begins)
{
	struct machine_story story = { .busy = spike, .another_boot_at = 280 };
	struct explanation explanation = { 0 };

	explain(&explanation, &story);
	ck_assert_ptr_nonnull(strstr(line_of(&explanation, "CPU busy")->counted, "in 14 samples of 20 s"));
	ck_assert_ptr_nonnull(strstr(explanation.remarks, "Another run ended 20 s before"));
	story = (struct machine_story){ .busy = spike, .stands_at = 280 };
	explain(&explanation, &story);
	ck_assert_ptr_nonnull(strstr(line_of(&explanation, "CPU busy")->counted, "in 14 samples of 20 s"));
	ck_assert_ptr_nonnull(strstr(explanation.remarks, "Another run ended 20 s before"));
	explanation_free(&explanation);
}
END_TEST

START_TEST(two_seconds_are_no_suspend)
{
	struct machine_story story = { .busy = spike, .suspended_at = 280, .suspended_seconds = 2 };
	struct explanation explanation = { 0 };

	explain(&explanation, &story);
	ck_assert_ptr_null(strstr(explanation.remarks, "suspended"));
	ck_assert_ptr_nonnull(strstr(line_of(&explanation, "CPU busy")->counted, "of 298 s"));
	story.suspended_seconds = 3;
	explain(&explanation, &story);
	ck_assert_ptr_nonnull(strstr(explanation.remarks, "suspended for 3 s, up to 20 s before"));
	explanation_free(&explanation);
}
END_TEST

static bool has_view(const struct pane *pane, const char *name)
{
	for (const struct pane_view *view = pane->views; view && view->name; view++)
		if (strcmp(view->name, name) == 0)
			return true;
	return *name == '\0';
}

START_TEST(series_have_columns_and_views)
{
	const struct schema *const *schemas = topic_schemas();

	for (const struct explained_series *series = explained_series; series->topic; series++) {
		const struct pane *pane = pane_find(series->pane);
		const struct schema *schema = NULL;

		for (unsigned i = 0; i < n_topics; i++)
			if (strcmp(schemas[i]->name, series->topic) == 0)
				schema = schemas[i];
		ck_assert_msg(schema && schema_find(schema, series->column), "%s.%s", series->topic,
			      series->column);
		ck_assert_msg(pane && has_view(pane, series->view), "%s %s", series->pane, series->view);
		ck_assert_msg(pane_has_table(pane, series->topic), "%s does not show %s", series->pane,
			      series->topic);
		ck_assert_double_gt(series->least, 0);
	}
}
END_TEST

static bool is_of_series(const char *topic)
{
	for (const struct explained_series *series = explained_series; series->topic; series++)
		if (strcmp(series->topic, topic) == 0)
			return true;
	return strcmp(topic, "system") == 0; /* for the time since boot */
}

/* What would be compared is read from the recording, to the last series, and nothing else. */
START_TEST(what_is_compared_is_wanted)
{
	struct machine_story story = { .busy = spike };
	struct explanation explanation = { 0 };
	bool *wanted = calloc(n_topics, sizeof(*wanted));

	story.first_wanted = wanted;
	explain(&explanation, &story);
	for (unsigned i = 0; i < n_topics; i++)
		ck_assert_msg(wanted[i] == is_of_series(topics[i]->schema->name), "%s",
			      topics[i]->schema->name);
	explanation_free(&explanation);
	free(wanted);
}
END_TEST
