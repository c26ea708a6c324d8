/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way of a frame: what it passes, in which order, live and recorded; and that a jump equals a run. */
#include "suite.h"

#include "model/pipeline.h"
#include "topic/topic.h"

#define SECOND_NS UINT64_C(1000000000)
#define N_FRAMES 12

/* Every second a process that uses a tenth of a CPU, and at last all memory is full. */
struct reel {
	size_t next;
	int answer; /* of next(), in place of a frame; 0: none */
	bool cuts;  /* a signal breaks the frame off */
};

static void put(const struct table *table, void *row, const char *key, double value)
{
	const struct column *column = schema_find(table->schema, key);

	if (column->type == VALUE_U64)
		row_set_u64(row, column, (uint64_t)value);
	else
		row_set_f64(row, column, value);
}

static struct table *open_table(struct frame *frame, const char *topic)
{
	struct table *table = frame_slot(frame, topic);

	table->present = true;
	table->mono_ns = frame->mono_ns;
	return table;
}

static int next(void *state, struct frame *frame)
{
	struct reel *reel = state;
	double second = (double)reel->next;
	struct table *table;
	void *row;

	ck_assert_uint_eq(frame->n_notices, 0);
	ck_assert(!frame_table(frame, "process")); /* it was cleared */
	if (reel->answer)
		return reel->answer;
	if (reel->next >= N_FRAMES)
		return 0;
	frame->mono_ns = (1000 + reel->next++) * SECOND_NS;
	frame->wall_ns = frame->mono_ns;
	frame->cut = reel->cuts;
	table = open_table(frame, "process");
	row = table_add(table);
	put(table, row, "pid", 7);
	put(table, row, "ppid", 1);
	put(table, row, "uid", 1000);
	put(table, row, "start_seconds", 5);
	put(table, row, "cpu_seconds", 0.1 * second);
	table = open_table(frame, "account");
	row = table_add(table);
	row_set_text(row, schema_find(table->schema, "part"), "busy");
	put(table, row, "cpu_seconds", 0.5 * second);
	row = table_add(table);
	row_set_text(row, schema_find(table->schema, "part"), "tasks");
	put(table, row, "cpu_seconds", 100 + 0.2 * second);
	table = open_table(frame, "exited");
	row = table_add(table);
	row_set_text(row, schema_find(table->schema, "command"), "cc1");
	put(table, row, "cpu_seconds", 100 + 0.3 * second);
	return 1;
}

static int seek(void *state, size_t index)
{
	if (index >= 100)
		return -EIO;
	((struct reel *)state)->next = index;
	return 0;
}

static const struct finding_rule rules[] = {
	{ .name = "used", .topic = "process", .subject = "process", .text = "{used}",
	  .hold = { .setting = "used_hold", .unit = UNIT_SECONDS, .number = 5 },
	  .values = { { .name = "used", .column = "cpu_seconds",
			.at_least = { .setting = "used", .unit = UNIT_SECONDS, .number = 0.2 } } } },
};

static struct {
	struct reel reel;
	struct source source;
	struct scope scope;
	struct frame frames[2], base;
	struct pipeline pipeline;
	unsigned n_kept;
	double kept_busy, kept_rate, kept_tasks, kept_exited; /* of the frame kept last */
	bool kept_finding;
} stage;

static void keep(void *state, const struct frame *frame)
{
	(void)state;
	stage.n_kept++;
	stage.kept_busy = frame_number(frame, "account", "busy", "cpu_seconds");
	stage.kept_rate = frame_number(frame, "process", NULL, "cpu_ratio");
	stage.kept_tasks = frame_number(frame, "account", "tasks", "cpu_ratio");
	stage.kept_exited = frame_number(frame, "exited", "cc1", "cpu_ratio");
	stage.kept_finding = frame_table(frame, "finding") != NULL;
}

static void open_stage(bool recorded, const char *in)
{
	struct scope_term term;
	char why[256];

	for (int i = 0; i < 3; i++)
		frame_close(i < 2 ? &stage.frames[i] : &stage.base);
	if (stage.pipeline.findings)
		findings_close(stage.pipeline.findings);
	scope_free(&stage.scope);
	memset(&stage, 0, sizeof(stage));
	stage.source = (struct source){ .next = next, .seek = recorded ? seek : NULL, .state = &stage.reel };
	for (int i = 0; i < 3; i++)
		frame_open(i < 2 ? &stage.frames[i] : &stage.base, topic_schemas(), n_topics);
	if (in)
		ck_assert(scope_term_parse(&term, in, why, sizeof(why)) && scope_add(&stage.scope, &term));
	stage.pipeline = (struct pipeline){ .source = &stage.source,
					    .scope = &stage.scope,
					    .keep = keep,
					    .findings = findings_open(rules, 1, NULL) };
}

static double rate_of(const struct frame *frame)
{
	return frame_number(frame, "process", NULL, "cpu_ratio");
}

/* The last of the first n frames. */
static const struct frame *run(size_t n)
{
	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(pipeline_next(&stage.pipeline, &stage.frames[i % 2],
					       i > 0 ? &stage.frames[(i + 1) % 2] : NULL),
				 1);
	return &stage.frames[(n + 1) % 2];
}

static double since(const struct frame *frame)
{
	return frame_number(frame, "finding", NULL, "since_seconds");
}

START_TEST(a_recorded_frame_gets_rates_findings_and_its_scope)
{
	const struct frame *frame;

	open_stage(true, "user=1000");
	frame = run(9);
	ck_assert_double_eq_tol(rate_of(frame), 0.1, 1e-9);
	ck_assert_double_eq_tol(since(frame), 6, 1e-9);
	ck_assert(scope_has(&stage.scope, 7, 5));
	ck_assert_double_eq_tol(frame_number(frame, "account", "tasks", "cpu_ratio"), 0.1, 1e-9);
	ck_assert_int_eq(pipeline_next(&stage.pipeline, &stage.base, frame), 1);
}

START_TEST(what_is_kept_is_whole_judged_and_not_split)
{
	open_stage(true, "user=0");
	run(5);
	ck_assert_uint_eq(stage.n_kept, 5);
	ck_assert(fabs(stage.kept_busy - 2) < 1e-9 && fabs(stage.kept_rate - 0.1) < 1e-9);
	ck_assert(stage.kept_finding);
}

/* What is judged of a recording are rates of all processes: those of the frame before, split as it is. */
START_TEST(rates_of_sums_are_the_same_in_any_scope)
{
	static const char *const scopes[] = { NULL, "user=0", "user=1000" };

	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		open_stage(true, scopes[i]);
		run(5);
		ck_assert_msg(fabs(stage.kept_exited - 0.3) < 1e-9, "%zu: %g", i, stage.kept_exited);
		ck_assert_msg(fabs(stage.kept_tasks - 0.2) < 1e-9, "%zu: %g", i, stage.kept_tasks);
	}
}

/* Live the sampler feeds the scope, and findings are judged only where they are sampled. */
START_TEST(a_live_frame_is_not_read_again)
{
	const struct frame *frame;

	open_stage(false, "user=1000");
	frame = run(9);
	ck_assert(!stage.scope.has_looked && !frame_table(frame, "finding"));
	ck_assert_double_eq_tol(frame_number(frame, "account", "tasks", "cpu_ratio"), 0.2, 1e-9);
	open_stage(true, "user=1000");
	stage.pipeline.scope_is_live = true; /* the past of a live screen: the sampler goes on feeding it */
	frame = run(3);
	ck_assert(!stage.scope.has_looked);
	ck_assert_double_eq_tol(rate_of(frame), 0.1, 1e-9);
}

START_TEST(a_frame_by_its_index_is_the_one_of_a_run)
{
	struct frame *frame = &stage.frames[0];

	open_stage(true, NULL);
	for (size_t i = 0; i < 8; i += 2)
		ck_assert_int_eq(pipeline_derive(&stage.pipeline, i, &stage.frames[1], NULL), 1);
	ck_assert_uint_eq(stage.n_kept, 0);
	ck_assert_int_eq(pipeline_read(&stage.pipeline, 8, frame, &stage.base), 1);
	ck_assert_double_eq_tol(rate_of(frame), 0.1, 1e-9);
	ck_assert_double_eq_tol(since(frame), 6, 1e-9);
	ck_assert_int_eq(pipeline_read(&stage.pipeline, 0, frame, &stage.base), 1);
	ck_assert(isnan(rate_of(frame)));
	ck_assert_int_eq(pipeline_read(&stage.pipeline, 100, frame, &stage.base), -EIO);
	ck_assert_int_eq(pipeline_derive(&stage.pipeline, 100, frame, NULL), -EIO);
}

/* What it was about is forgotten: the first frame, and another place in a recording. */
START_TEST(a_scope_begins_again_without_the_frame_before)
{
	open_stage(true, "user=1000");
	run(3);
	ck_assert(stage.scope.tasks_seconds > 0.15);
	ck_assert_int_eq(pipeline_next(&stage.pipeline, &stage.base, NULL), 1);
	ck_assert(scope_has(&stage.scope, 7, 5) && stage.scope.tasks_seconds < 0.05);
}

START_TEST(without_a_frame_nothing_is_passed_on)
{
	open_stage(true, NULL);
	stage.reel.answer = -EAGAIN;
	ck_assert_int_eq(pipeline_next(&stage.pipeline, &stage.base, NULL), -EAGAIN);
	stage.reel.answer = 0;
	stage.reel.cuts = true;
	ck_assert_int_eq(pipeline_next(&stage.pipeline, &stage.base, NULL), -EINTR);
	stage.reel.next = N_FRAMES;
	ck_assert_int_eq(pipeline_next(&stage.pipeline, &stage.base, NULL), 0);
	ck_assert_uint_eq(stage.n_kept, 0);
}
