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
	unsigned apart;                      /* seconds between samples; 0: one */
	unsigned *n_reads;                   /* NULL, or of each sample how often it was read … */
	unsigned lost_at;                    /* … and one that can be read twice only; 0: none */
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
	unsigned first = again ? story->restarted_at : 0, apart = story->apart > 0 ? story->apart : 1;
	void *row;

	if (story->suspended_at > 0 && second >= story->suspended_at)
		slept = story->suspended_seconds > 0 ? story->suspended_seconds : 3600;
	frame->mono_ns = (again ? second - first + 1 : 1000 + second * apart) * SECOND_NS;
	if (story->stands_at > 0 && second >= story->stands_at)
		frame->mono_ns -= SECOND_NS;
	frame->boot = story->another_boot_at > 0 && second >= story->another_boot_at;
	frame->wall_ns = WALL_NS + (second * apart + (uint64_t)slept) * SECOND_NS;
	put(frame, "system", add_row(frame, "system", NULL, NULL), "uptime_seconds",
	    BOOT + second * apart + slept);
	for (unsigned i = first + 1; i <= second; i++)
		busy += (story->busy ? story->busy(i) : 0.03) * apart;
	row = add_row(frame, "cpu", "cpu", "all");
	put(frame, "cpu", row, "total_seconds", (second - first) * apart);
	put(frame, "cpu", row, "busy_seconds", busy);
	if (story->rows)
		story->rows(frame, second);
}

static int next(void *state, struct frame *frame)
{
	struct machine_story *story = state;

	if (story->next >= story->n_samples)
		return 0;
	if (story->n_reads && ++story->n_reads[story->next] > 2 && story->next == story->lost_at)
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

	second /= story->apart > 0 ? story->apart : 1;
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

START_TEST(too_few_samples)
{
	struct machine_story story = { .busy = spike, .rows = process_starts, .n_samples = 1 };
	struct explanation explanation = { 0 };

	explain_at(&explanation, &story, 0);
	is_silent(&explanation);
	ck_assert_ptr_nonnull(strstr(explanation.remarks, "Too few samples before to know what is usual: 0"));
	explanation_free(&explanation);
}

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

static unsigned times_read(unsigned restarted_at, unsigned moment, unsigned sample)
{
	unsigned n_reads[SAMPLES] = { 0 };
	struct machine_story story = { .restarted_at = restarted_at, .n_reads = n_reads };
	struct explanation explanation = { 0 };

	explain_at(&explanation, &story, moment);
	is_silent(&explanation);
	explanation_free(&explanation);
	return n_reads[sample];
}

/* A longer time is compared only where there is more of it: before the first sample and before a boot there
 * is none. */
START_TEST(what_there_is_is_read_once)
{
	ck_assert_uint_eq(times_read(0, 300, 250), 1);
	ck_assert_uint_gt(times_read(0, 301, 250), 1);
	ck_assert_uint_eq(times_read(0, 100, 50), 1);
	ck_assert_uint_eq(times_read(1, 100, 50), 1);
	ck_assert_uint_eq(times_read(6, 305, 250), 1);
}

/* Thirty, where they are so far apart that the time has fewer. */
START_TEST(samples_that_are_far_apart)
{
	static const unsigned cases[][3] = { { 40, 30, 1800 }, { 31, 30, 1800 }, { 30, 30, 1800 },
					     { 29, 29, 1740 }, { 10, 10, 600 },  { 9, 9, 540 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine_story story = { .apart = 60 };
		struct explanation explanation = { 0 };

		explain_at(&explanation, &story, cases[i][0]);
		ck_assert_uint_eq(explanation.n_samples, cases[i][1]);
		ck_assert_double_eq(explanation.seconds, cases[i][2]);
		ck_assert_uint_eq(explanation.wall_ns, WALL_NS + cases[i][0] * 60 * SECOND_NS);
		ck_assert(!strstr(explanation.remarks, "Too few samples") == (cases[i][1] >= 10));
		explanation_free(&explanation);
	}
}

static double busy_for_six_minutes(unsigned second)
{
	return second >= 1450 ? 0.97 : 0.05;
}

/* Of half an hour every third sample, and the two last ones. */
START_TEST(of_a_long_time_some_samples_are_compared)
{
	struct machine_story story = { .busy = busy_for_six_minutes, .n_samples = 1820 };
	struct explanation explanation = { 0 };
	const struct explained_line *line;

	explain_at(&explanation, &story, 1810);
	ck_assert_uint_eq(explanation.n_samples, 601);
	ck_assert_double_eq(explanation.seconds, 1800);
	line = line_of(&explanation, "CPU busy");
	says(line, "CPU busy: 97 %, rose 5 min before; usually 5.0 %.");
	ck_assert_str_eq(line->counted,
			 "Usually: median 5.0 % and spread 0.0 %, at most 36 %, in 480 samples of 1800 s.");
	explanation_free(&explanation);
}

static double rises_now(unsigned second)
{
	return second == MOMENT ? 0.93 : 0.03;
}

static double falls_now(unsigned second)
{
	return second == MOMENT ? 0.1 : 0.9;
}

static void is_line(const struct explained_line *line, const char *sentence, double rank)
{
	ck_assert_ptr_nonnull(line);
	ck_assert_str_eq(line->sentence, sentence);
	ck_assert_double_eq_tol(line->rank, rank, 1e-6);
}

START_TEST(what_departs_in_this_sample)
{
	struct explanation explanation = { 0 };
	const struct explained_line *line;

	explain(&explanation, &(struct machine_story){ .busy = rises_now });
	line = line_of(&explanation, "CPU busy");
	is_line(line, "CPU busy: 93 %, rose in this sample; usually 3.0 %.", 18);
	ck_assert_str_eq(line->counted,
			 "Usually: median 3.0 % and spread 0.0 %, at most 3.0 %, in 299 samples of 300 s.");
	ck_assert_str_eq(line->change, "93 %, usually 3.0 %");
	ck_assert_str_eq(line->topic, "cpu");
	ck_assert_str_eq(line->view, "cpus");
	ck_assert_uint_eq(line->pid, U64_UNKNOWN);
	ck_assert_uint_eq(line->wall_ns, WALL_NS + MOMENT * SECOND_NS);
	ck_assert(!line->below);
	explain(&explanation, &(struct machine_story){ .busy = falls_now });
	is_line(&explanation.lines[0], "CPU busy: 10 %, fell in this sample; usually 90 %.", 16);
	ck_assert_uint_eq(explanation.n_lines, 1);
	explanation_free(&explanation);
}

static void put_disk(struct frame *frame, const char *name, double read_mib, double written_mib)
{
	void *row = add_row(frame, "disk", "device", name);

	put(frame, "disk", row, "read_bytes", read_mib * 1048576);
	put(frame, "disk", row, "write_bytes", written_mib * 1048576);
}

static void two_disks(struct frame *frame, unsigned second)
{
	unsigned more = second >= SPIKE ? second - SPIKE + 1 : 0;

	put_disk(frame, "vda", second, 8 * more);
	put_disk(frame, "vdb", 100 * more, 0);
	put_disk(frame, "all", second + 100 * more, 8 * more);
}

/* Rows have series of their own, and the sum of them has none. */
START_TEST(each_disk_is_compared)
{
	struct explanation explanation = { 0 };

	explain(&explanation, &(struct machine_story){ .rows = two_disks });
	ck_assert_uint_eq(explanation.n_lines, 2);
	is_line(&explanation.lines[0], "vdb reads: 100 MiB/s, rose 5 s before; usually 0 B/s.", 20);
	is_line(&explanation.lines[1], "vda writes: 8.0 MiB/s, rose 5 s before; usually 0 B/s.", 2);
	ck_assert_str_eq(explanation.lines[1].row, "vda");
	ck_assert_str_eq(explanation.lines[1].view, "devices");
	ck_assert_uint_eq(explanation.n_causes, 1);
	explanation_free(&explanation);
}

static void disks_that_failed(struct frame *frame, unsigned second)
{
	two_disks(frame, second);
	frame_slot(frame, "disk")->failed = second > 99 && second < 290;
}

START_TEST(tables_that_failed_are_not_compared)
{
	struct explanation explanation = { 0 };
	const struct explained_line *line;

	explain(&explanation, &(struct machine_story){ .rows = disks_that_failed });
	line = line_of(&explanation, "vdb reads");
	ck_assert_ptr_nonnull(line);
	ck_assert_ptr_nonnull(strstr(line->counted, "in 103 samples of 300 s")); /* 99, and 291 to 294 */
	explanation_free(&explanation);
}

static void many_disks(struct frame *frame, unsigned second)
{
	for (unsigned i = 0; i < 300; i++)
		put_disk(frame, textf("d%u", i), second == 12 ? 100 : 0, second == 12 ? 50 : 0);
}

START_TEST(series_have_a_bound)
{
	struct machine_story story = { .rows = many_disks, .n_samples = 13 };
	struct explanation explanation = { 0 };

	explain_at(&explanation, &story, 12);
	ck_assert_ptr_nonnull(line_of(&explanation, "d0 reads"));
	ck_assert_ptr_nonnull(line_of(&explanation, "d299 reads"));
	ck_assert_ptr_null(line_of(&explanation, "d299 writes"));
	explanation_free(&explanation);
}

START_TEST(what_could_not_be_compared_is_said)
{
	struct machine_story story = { .n_samples = 9 };
	struct explanation explanation = { 0 };

	explain(&explanation, &(struct machine_story){ .rows = steady_processes });
	ck_assert_str_eq(explanation.remarks, "Not sampled then: pressure, memory, paging, disk, interface, "
					      "power, temperature. ");
	explain_at(&explanation, &story, 8);
	ck_assert_str_eq(explanation.remarks,
			 "Too few samples before to know what is usual: 8, at least 10 are needed. "
			 "Not sampled then: pressure, memory, paging, disk, interface, power, temperature. "
			 "Processes were not sampled then. ");
	explain_at(&explanation, &story, 9); /* behind the last one */
	ck_assert_str_eq(explanation.remarks, "This sample cannot be read.");
	ck_assert_uint_eq(explanation.n_lines, 0);
	ck_assert_uint_eq(explanation.n_causes, 0);
	explanation_free(&explanation);
}

START_TEST(lines_of_processes_in_whole)
{
	struct explanation explanation = { 0 };
	const struct explained_line *line;

	explain(&explanation, &(struct machine_story){ .busy = spike, .rows = process_rises });
	line = line_of(&explanation, "worker 42");
	is_line(line, "worker 42: CPU 90 %, rose in the last 6 s; usually 0.0 %.", 9);
	ck_assert_str_eq(line->counted,
			 "Over the last 6 s. Usually: median 0.0 %, at most 0.0 %, in 60 stretches as long.");
	ck_assert_str_eq(line->topic, "process");
	ck_assert_str_eq(line->pane, "cpu");
	ck_assert_str_eq(line->view, "all");
	ck_assert_str_eq(line->row, "");
	ck_assert_uint_eq(line->pid, 42);
	ck_assert_double_eq(line->start_seconds, 90);
	ck_assert_uint_eq(line->wall_ns, WALL_NS + MOMENT * SECOND_NS);
	line = line_of(&explanation, "hog 43");
	is_line(line, "hog 43: resident 400 MiB, rose in the last 6 s; usually 100 MiB.", 9.375);
	explanation_free(&explanation);
}

static double falls_at_the_end(unsigned second)
{
	return second < SPIKE ? 0.9 : 0.03;
}

/* It used 87 % of a CPU, until it ended. Another one works less from then on. */
static void process_ends(struct frame *frame, unsigned second)
{
	add_process(frame, 1, "init", 1, 10, 20);
	if (second < SPIKE)
		add_process(frame, 50, "build", BOOT - 100, 0.87 * (100 + second), 100);
	add_process(frame, 51, "helper", 90, 0.5 * (second < SPIKE ? second : SPIKE - 1), 100);
}

START_TEST(who_used_what_falls)
{
	struct explanation explanation = { 0 };
	const struct explained_line *line;

	explain(&explanation, &(struct machine_story){ .busy = falls_at_the_end, .rows = process_ends });
	ck_assert_uint_eq(explanation.n_lines, 3);
	ck_assert_uint_eq(explanation.n_causes, 3);
	says(&explanation.lines[0], "CPU busy: 3.0 %, fell 5 s before; usually 90 %.");
	line = &explanation.lines[1];
	is_line(line, "build 50: last seen 6 s before, gone 5 s before, CPU time 5 min, resident 100 MiB.",
		0);
	ck_assert_str_eq(line->change, "CPU 87 % since its start, 100 MiB");
	ck_assert_str_eq(line->when, "gone 5 s before");
	ck_assert_str_eq(line->counted, "");
	ck_assert_uint_eq(line->pid, 50);
	ck_assert_uint_eq(line->wall_ns, WALL_NS + (SPIKE - 1) * SECOND_NS);
	ck_assert(line->below);
	line = &explanation.lines[2];
	is_line(line, "helper 51: CPU 0.0 %, fell in the last 6 s; usually 50 %.", 5);
	ck_assert_str_eq(line->counted,
			 "Over the last 6 s. Usually: median 50 %, at least 50 %, in 60 stretches as long.");
	ck_assert(line->below);
	explanation_free(&explanation);
}

/* Four MiB/s and a quarter of one are the least that is told; six seconds since their start. */
static void started_transfers(struct frame *frame, unsigned second)
{
	add_process(frame, 1, "init", 1, 10, 20);
	if (second < SPIKE)
		return;
	add_process(frame, 60, "both", BOOT + SPIKE - 1, 0.02 * (second - SPIKE + 1), 2);
	add_transfers(frame, 4.0 * (second - SPIKE + 1), 0.25 * (second - SPIKE + 1));
	add_process(frame, 61, "neither", BOOT + SPIKE - 1, NAN, 2);
	add_transfers(frame, 3.99 * (second - SPIKE + 1), 0.249 * (second - SPIKE + 1));
}

START_TEST(transfers_of_what_started)
{
	struct explanation explanation = { 0 };
	const struct explained_line *line;

	explain(&explanation, &(struct machine_story){ .rows = started_transfers });
	line = line_of(&explanation, "both 60");
	ck_assert_str_eq(line->change, "CPU 2.0 % since its start, 2.0 MiB, disk 4.0 MiB/s, TCP 256 KiB/s");
	says(line, "both 60: started 6 s before, CPU time 120 ms, resident 2.0 MiB, disk 4.0 MiB/s, TCP 256 "
		   "KiB/s.");
	ck_assert_str_eq(line_of(&explanation, "neither 61")->change, "resident 2.0 MiB");
	explanation_free(&explanation);
}

/* One that started and ended, and of one name one of each. */
static void started_or_ended(struct frame *frame, unsigned second)
{
	add_process(frame, 1, "init", 1, 10, 20);
	if (second >= 292 && second <= 296)
		add_process(frame, 60, "short", BOOT + 291.5, 0.5, 3);
	if (second < 297)
		add_process(frame, 61, "pair", 50, 70, 5);
	if (second >= 298)
		add_process(frame, 62, "pair", BOOT + 297.5, 2, 7);
}

START_TEST(one_and_several_of_a_name)
{
	struct explanation explanation = { 0 };
	const struct explained_line *line;

	explain(&explanation, &(struct machine_story){ .rows = started_or_ended });
	ck_assert_uint_eq(explanation.n_lines, 2);
	line = line_of(&explanation, "short 60");
	says(line, "short 60: started 8.5 s before, last seen 4 s before, gone 3 s before, CPU time 500 ms, "
		   "resident 3.0 MiB.");
	ck_assert_str_eq(line->when, "started 8.5 s before");
	ck_assert_uint_eq(line->wall_ns, WALL_NS + 296 * SECOND_NS);
	line = line_of(&explanation, "pair");
	ck_assert_str_eq(line->change, "1 started, 1 gone, CPU time 2 s, resident 7.0 MiB");
	ck_assert_str_eq(line->when, "from 3 s before");
	says(line, "pair: 1 started and used 2 s of CPU time, 1 are gone. The largest, 62: started 2.5 s "
		   "before, CPU time 2 s, resident 7.0 MiB.");
	explanation_free(&explanation);
}

static unsigned n_names;

static void many_names(struct frame *frame, unsigned second)
{
	add_process(frame, 1, "init", 1, 10, 20);
	for (unsigned i = 0; i < n_names && second >= MOMENT - 2; i++)
		add_process(frame, 100 + i, textf("p%u", i), BOOT + MOMENT - 2.5, 0.01 * (i + 1), 1);
}

/* Lines of forty names, of those that used most; more are counted. */
START_TEST(names_that_started_have_a_bound)
{
	struct explanation explanation = { 0 };

	n_names = 40;
	explain(&explanation, &(struct machine_story){ .rows = many_names });
	ck_assert_uint_eq(explanation.n_lines, 40);
	ck_assert_ptr_null(strstr(explanation.remarks, "more names"));
	n_names = 42;
	explain(&explanation, &(struct machine_story){ .rows = many_names });
	ck_assert_uint_eq(explanation.n_lines, 40);
	ck_assert_ptr_nonnull(strstr(explanation.remarks, "Processes of 2 more names started or exited. "));
	ck_assert_ptr_null(line_of(&explanation, "p1 101"));
	ck_assert_ptr_nonnull(line_of(&explanation, "p2 102"));
	explanation_free(&explanation);
}

static double share_of_others; /* NaN: there is no row of them */

static void put_name(struct frame *frame, const char *name, double cpu_ratio)
{
	void *row = add_row(frame, "process", "name", name);

	put(frame, "process", row, "cpu_ratio", cpu_ratio);
}

/* Names without a PID, as others stored them: those that used little are one row. */
static void names_alone(struct frame *frame, unsigned second)
{
	put_name(frame, "init", 0.01);
	if (second >= SPIKE)
		put_name(frame, "make", 0.9);
	if (!isnan(share_of_others))
		put_name(frame, "(others)", share_of_others);
}

START_TEST(a_name_that_was_among_others)
{
	static const struct {
		double others;
		bool speaks;
	} cases[] = { { 0.05, true }, { 0.0999, true }, { 0.1, false }, { 0.5, false }, { NAN, true } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct explanation explanation = { 0 };

		share_of_others = cases[i].others;
		explain(&explanation, &(struct machine_story){ .rows = names_alone });
		ck_assert_uint_eq(explanation.n_lines, cases[i].speaks);
		if (cases[i].speaks) {
			is_line(&explanation.lines[0], "make: CPU 90 %, rose in the last 6 s; usually 0.0 %.",
				9);
			ck_assert_uint_eq(explanation.lines[0].pid, U64_UNKNOWN);
		}
		explanation_free(&explanation);
	}
}

static void put_rates(struct frame *frame, const char *command, double exits, double failures, double cpu)
{
	void *row = add_row(frame, "exited", "command", command);

	put(frame, "exited", row, "exits_per_second", exits);
	put(frame, "exited", row, "failures_per_second", failures);
	put(frame, "exited", row, "cpu_ratio", cpu);
}

/* Rates without what has been counted. */
static void rates_of_commands(struct frame *frame, unsigned second)
{
	bool more = second >= SPIKE;

	put_rates(frame, "sh", more ? 52 : 2, 0, 0);
	put_rates(frame, "cron", 30, 0, 0.5);
	put_rates(frame, "(others)", 1, 0.5, 0.01);
	if (more)
		put_rates(frame, "false", 1, 40, 0.7);
}

START_TEST(rates_of_commands_as_others_stored_them)
{
	struct explanation explanation = { 0 };
	const struct explained_line *line;

	explain(&explanation, &(struct machine_story){ .rows = rates_of_commands });
	ck_assert_uint_eq(explanation.n_lines, 3);
	line = line_of(&explanation, "sh");
	is_line(line, "sh: exits 52/s, rose in the last 6 s; usually 2.0/s.", 10);
	ck_assert_str_eq(line->topic, "exited");
	ck_assert_str_eq(line->pane, "cpu");
	ck_assert_str_eq(line->view, "exited");
	ck_assert_str_eq(line->row, "sh");
	is_line(&explanation.lines[0], "false: failures 40/s, rose in the last 6 s; usually 0/s.", 20);
	is_line(&explanation.lines[2], "false: CPU until exit 70 %, rose in the last 6 s; usually 0.0 %.", 7);
	explanation_free(&explanation);
}

static void put_events(struct frame *frame, const char *command, double execs, double exits, double failures)
{
	void *row = add_row(frame, "event_total", "command", command);

	put(frame, "event_total", row, "execs", execs);
	put(frame, "event_total", row, "exits", exits);
	put(frame, "event_total", row, "failures", failures);
}

static void events_and_exits(struct frame *frame, unsigned second)
{
	unsigned more = second >= SPIKE ? second - SPIKE + 1 : 0;

	commands(frame, second);
	put_events(frame, "sh", 2 * second + 50 * more, 2 * second, 0);
	put_events(frame, "cat", 3 * second, 3 * second + 30 * more, 5 * more);
	put_events(frame, "dog", 0, 0, 4 * more); /* in the last second that may be chance */
}

/* Where the log of events is kept, commands are counted by that alone. */
START_TEST(events_are_better_than_exits)
{
	struct explanation explanation = { 0 };
	const struct explained_line *line;

	explain(&explanation, &(struct machine_story){ .rows = events_and_exits });
	ck_assert_uint_eq(explanation.n_lines, 3);
	line = line_of(&explanation, "sh");
	is_line(line, "sh: execs 52/s, rose in the last 6 s; usually 2.0/s.", 10);
	ck_assert_str_eq(line->topic, "event_total");
	ck_assert_str_eq(line->pane, "events");
	ck_assert_str_eq(line->view, "statistics");
	is_line(&explanation.lines[1], "cat: failures 5.0/s, rose in the last 6 s; usually 0/s.", 5);
	is_line(&explanation.lines[2], "cat: exits 33/s, rose in the last 6 s; usually 3.0/s.", 6);
	ck_assert_uint_eq(explanation.n_causes, 2);
	explanation_free(&explanation);
}

static double rises_a_little(unsigned second)
{
	return second >= SPIKE ? 0.13 : 0.03;
}

static double more_since_spike(unsigned second)
{
	return second >= SPIKE ? second - SPIKE + 1 : 0;
}

static void put_load(struct frame *frame, unsigned second, double by)
{
	put(frame, "system", table_row(frame_slot(frame, "system"), 0), "load1",
	    second >= SPIKE ? 1 + by : 1);
}

static void both_disks_read(struct frame *frame, unsigned second)
{
	put_disk(frame, "vda", 8 * more_since_spike(second), 0);
	put_disk(frame, "vdb", 100 * more_since_spike(second), 0);
	put_load(frame, second, 5);
}

static void one_disk_rests(struct frame *frame, unsigned second)
{
	put_disk(frame, "vda", 100.0 * (second < SPIKE ? second : SPIKE - 1), 0);
	put_disk(frame, "vdb", 0, 8 * more_since_spike(second));
	put_load(frame, second, -0.5);
}

/* The largest change of the first topic of a resource stands for it, and a rise rather than a fall. */
START_TEST(one_change_stands_for_a_resource)
{
	static const struct {
		void (*rows)(struct frame *frame, unsigned second);
		const char *subjects[4]; /* two causes, and what is of the same resources */
	} cases[] = {
		{ both_disks_read, { "vdb reads", "CPU busy", "load", "vda reads" } },
		{ one_disk_rests, { "CPU busy", "vdb writes", "vda reads", "load" } },
	};

	for (size_t i = 0; i < 2; i++) {
		struct explanation explanation = { 0 };

		explain(&explanation,
			&(struct machine_story){ .busy = rises_a_little, .rows = cases[i].rows });
		ck_assert_uint_eq(explanation.n_causes, 2);
		ck_assert_uint_eq(explanation.n_lines, 4);
		for (size_t line = 0; line < 4; line++) {
			ck_assert_str_eq(explanation.lines[line].subject, cases[i].subjects[line]);
			ck_assert(!explanation.lines[line].below);
		}
		explanation_free(&explanation);
	}
}

static const double *shares; /* of CPUs from the spike on; ended by 0 */

static void use_shares(struct frame *frame, unsigned second)
{
	for (unsigned i = 0; shares[i] > 0; i++) {
		add_process(frame, 40 + i, textf("p%u", i), 90, 5 + shares[i] * more_since_spike(second),
			    100);
	}
	two_disks(frame, second);
}

/* The three that used most, if they used a tenth of what the first one did. Who has none comes later. */
START_TEST(those_who_used_most_stand_below)
{
	static const double several[] = { 0.2, 0.5, 0.9, 0.3, 0 }, unlike[] = { 0.85, 9, 0.95, 0 };
	static const char *const below_several[] = { "p2 42", "p1 41", "p3 43", NULL };
	static const char *const below_unlike[] = { "p1 41", "p2 42", NULL };

	for (unsigned i = 0; i < 2; i++) {
		const char *const *subjects = i == 0 ? below_several : below_unlike;
		struct explanation explanation = { 0 };
		size_t n = 1;

		shares = i == 0 ? several : unlike;
		explain(&explanation, &(struct machine_story){ .busy = spike, .rows = use_shares });
		ck_assert_str_eq(explanation.lines[0].subject, "CPU busy");
		for (; subjects[n - 1]; n++) {
			ck_assert_str_eq(explanation.lines[n].subject, subjects[n - 1]);
			ck_assert(explanation.lines[n].below);
		}
		ck_assert_str_eq(explanation.lines[n].subject, "vdb reads"); /* its rank is higher */
		ck_assert_uint_eq(explanation.n_causes, n + 1);
		ck_assert(!line_of(&explanation, "p0 40")->below);
		ck_assert_uint_eq(explanation.n_lines, n + 3);
		explanation_free(&explanation);
	}
}

static void commands_from_the_second_sample_on(struct frame *frame, unsigned second)
{
	if (second > 0)
		commands(frame, second);
}

/* A stretch that begins before the first table is of no known length. */
START_TEST(a_stretch_has_two_ends)
{
	static const struct {
		void (*rows)(struct frame *frame, unsigned second);
		const char *counted;
	} cases[] = { { commands, "in 60 stretches as long." },
		      { commands_from_the_second_sample_on, "in 59 stretches as long." } };

	for (size_t i = 0; i < 2; i++) {
		struct explanation explanation = { 0 };
		const struct explained_line *line;

		explain(&explanation, &(struct machine_story){ .busy = spike, .rows = cases[i].rows });
		line = line_of(&explanation, "sh");
		is_line(line, "sh: exits 52/s, rose in the last 6 s; usually 2.0/s.", 10);
		ck_assert_msg(strstr(line->counted, cases[i].counted), "%s", line->counted);
		explanation_free(&explanation);
	}
}

/* What cannot be read up to the moment leaves rows unknown, and what comes after it is not needed. */
START_TEST(samples_that_are_lost_meanwhile)
{
	for (unsigned lost_at = SPIKE - 1; lost_at <= MOMENT + 1; lost_at += MOMENT + 2 - SPIKE) {
		unsigned n_reads[SAMPLES] = { [MOMENT + 1] = 2 };
		struct machine_story story = {
			.busy = spike, .rows = process_starts, .n_reads = n_reads, .lost_at = lost_at
		};
		struct explanation explanation = { 0 };

		explain(&explanation, &story);
		ck_assert_ptr_nonnull(line_of(&explanation, "CPU busy"));
		ck_assert(!line_of(&explanation, "yes 4711") == (lost_at < MOMENT));
		explanation_free(&explanation);
	}
}

static unsigned n_commands; /* of the moment */

static void many_commands(struct frame *frame, unsigned second)
{
	commands(frame, second);
	for (unsigned i = (unsigned)frame_slot(frame, "exited")->n_rows; second == MOMENT && i < n_commands;
	     i++) {
		put(frame, "exited", add_row(frame, "exited", "command", textf("n%u", i)), "exits", 0);
	}
}

/* Of more than two thousand rows fewer stretches are read. */
START_TEST(large_tables_have_fewer_stretches)
{
	static const struct {
		unsigned n_rows;
		const char *counted;
	} cases[] = { { 2000, "in 60 stretches as long." }, { 2001, "in 20 stretches as long." } };

	for (size_t i = 0; i < 2; i++) {
		struct explanation explanation = { 0 };
		const struct explained_line *line;

		n_commands = cases[i].n_rows;
		explain(&explanation, &(struct machine_story){ .busy = spike, .rows = many_commands });
		line = line_of(&explanation, "sh");
		is_line(line, "sh: exits 52/s, rose in the last 6 s; usually 2.0/s.", 10);
		ck_assert_msg(strstr(line->counted, cases[i].counted), "%s", line->counted);
		explanation_free(&explanation);
	}
}

static unsigned rests_for; /* samples in a row, the last of them that before the spike */

static void process_rises_after_a_rest(struct frame *frame, unsigned second)
{
	if (second == MOMENT || (SPIKE - 1 - second % (rests_for + 1)) % (rests_for + 1) == rests_for)
		process_rises(frame, second);
}

/* As long as tables rest while another pane is shown. */
START_TEST(tables_that_rest_for_long)
{
	struct explanation explanation = { 0 };

	rests_for = 14;
	explain(&explanation, &(struct machine_story){ .busy = spike, .rows = process_rises_after_a_rest });
	says(below(&explanation, "CPU busy"), "worker 42: CPU 27 %, rose in the last 20 s; usually 0.0 %.");
	rests_for = 15;
	explain(&explanation, &(struct machine_story){ .busy = spike, .rows = process_rises_after_a_rest });
	ck_assert_ptr_nonnull(line_of(&explanation, "CPU busy"));
	ck_assert_ptr_null(line_of(&explanation, "worker 42"));
	explanation_free(&explanation);
}

static void around_the_moment(struct frame *frame, unsigned second)
{
	static const struct {
		const char *name;
		double start;
		unsigned first, last; /* seconds in which it is there */
	} all[] = {
		{ "earlier", 289.5, 290, 309 }, { "early", 290.5, 291, 309 }, { "late", 304.5, 305, 309 },
		{ "later", 305.5, 306, 309 },   { "left", -90, 0, 289 },      { "leaves", -90, 0, 290 },
		{ "leaving", -90, 0, 302 },     { "goes", -90, 0, 304 },      { "stays", -90, 0, 305 },
	};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (second >= all[i].first && second <= all[i].last)
			add_process(frame, 60 + i, all[i].name, BOOT + all[i].start, 1, 2);
}

/* From ten seconds before it to five after it. */
START_TEST(who_started_or_ended_around_the_moment)
{
	static const struct {
		const char *subject, *says; /* NULL: there is no line */
		unsigned second;            /* of the sample that shows it */
	} cases[] = {
		{ "earlier 60", NULL, 0 },
		{ "early 61", "started 9.5 s before, CPU", 300 },
		{ "late 62", "started 4.5 s after, CPU", 305 },
		{ "later 63", NULL, 0 },
		{ "left 64", NULL, 0 },
		{ "leaves 65", "last seen 10 s before, gone 9 s before, CPU", 290 },
		{ "leaving 66", "last seen 2 s after, gone 3 s after, CPU", 300 },
		{ "goes 67", "last seen 4 s after, gone 5 s after, CPU", 300 },
		{ "stays 68", NULL, 0 },
	};
	struct explanation explanation = { 0 };

	explain(&explanation, &(struct machine_story){ .rows = around_the_moment });
	ck_assert_uint_eq(explanation.n_lines, 5);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct explained_line *line = line_of(&explanation, cases[i].subject);

		ck_assert_msg(!line == !cases[i].says, "%s", cases[i].subject);
		if (!line)
			continue;
		says(line, cases[i].says);
		ck_assert_uint_eq(line->wall_ns, WALL_NS + cases[i].second * SECOND_NS);
	}
	explanation_free(&explanation);
}
