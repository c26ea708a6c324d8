/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passes over the samples once, as a replay does, and keeps what is bounded. */
#include <config.h>

#include "output/report/stretch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"
#include "model/explanation.h"
#include "model/pipeline.h"

#define COMPARED 10.0 /* more than tasks can wait */
#define GAP_STEPS 3.0 /* a time between samples that is longer than this many usual ones */

/* The pass itself. */
struct pass {
	const struct report_plan *plan;
	struct stretch *stretch;
	struct pipeline pipeline;
	struct frame frames[2];
	uint64_t *times; /* CLOCK_REALTIME of each sample, in the order of the recording */
	size_t n_times, times_capacity;
	struct sleep_past slept;
	double worst, most_waiting; /* of the samples so far */
	double moment_waiting;
	size_t n_judged; /* samples with findings so far */
	size_t index; /* of the sample in the source */
	double own_sum;
	size_t n_own;
};

static size_t count_lines(const struct reported *reported)
{
	size_t n_lines = 0;

	for (const struct reported_chart *chart = reported->charts; chart->title; chart++)
		for (size_t i = 0; i < REPORTED_LINES_MAX && chart->lines[i].name; i++)
			n_lines++;
	return n_lines;
}

const double *stretch_line(const struct stretch *stretch, const struct reported *reported, size_t chart,
			   size_t line)
{
	size_t before = line;

	for (size_t c = 0; c < chart; c++)
		for (size_t i = 0; i < REPORTED_LINES_MAX && reported->charts[c].lines[i].name; i++)
			before++;
	return stretch->values + before * stretch->n_points;
}

size_t stretch_point(const struct stretch *stretch, uint64_t wall_ns)
{
	double share;

	if (wall_ns <= stretch->first_ns || stretch->last_ns <= stretch->first_ns)
		return 0;
	share = (double)(wall_ns - stretch->first_ns) / (double)(stretch->last_ns - stretch->first_ns);
	return (size_t)(fmin(share, 1) * (double)(stretch->n_points - 1) + 0.5);
}

uint64_t stretch_time(const struct stretch *stretch, size_t point)
{
	double span_ns = (double)(stretch->last_ns - stretch->first_ns);

	if (stretch->n_points < 2)
		return stretch->first_ns;
	return stretch->first_ns + (uint64_t)(span_ns * (double)point / (double)(stretch->n_points - 1));
}

static void want(const struct pass *pass)
{
	const struct report_plan *plan = pass->plan;
	bool *wanted = alloc_zeroed(plan->n_schemas, sizeof(*wanted));

	if (!plan->source->want) {
		free(wanted);
		return;
	}
	schema_want(plan->schemas, plan->n_schemas, finding_schema.name, wanted);
	for (const struct reported_chart *chart = plan->reported->charts; chart->title; chart++)
		for (size_t i = 0; i < REPORTED_LINES_MAX && chart->lines[i].name; i++)
			schema_want(plan->schemas, plan->n_schemas, chart->lines[i].series.topic, wanted);
	for (const struct reported_table *table = plan->reported->tables; table->title; table++)
		schema_want(plan->schemas, plan->n_schemas, table->topic, wanted);
	for (const char *const *topic = plan->reported->also; *topic; topic++)
		schema_want(plan->schemas, plan->n_schemas, *topic, wanted);
	findings_want(plan->rules, plan->n_rules, plan->schemas, plan->n_schemas,
		      plan->source->near_frames == 0, wanted);
	plan->source->want(plan->source->state, wanted);
	free(wanted);
}

static enum finding_severity level_of(const char *severity)
{
	return strcmp(severity, "critical") == 0  ? FINDING_CRITICAL
	       : strcmp(severity, "warning") == 0 ? FINDING_WARNING
						  : FINDING_NOTE;
}

/* Time in which some task waited, of each strained resource; all is all. */
static double waiting_share(const struct reported *reported, const struct frame *frame)
{
	const struct series *pressure = &reported->pressure;
	double waiting = 0;

	for (const char *const *row = reported->strained; *row; row++) {
		double ratio = frame_number(frame, pressure->topic, *row, pressure->column);

		waiting += ratio > 0 ? fmin(ratio, 1) : 0;
	}
	return waiting;
}

/* Worst finding first, then how many of that kind; 0: none is there now. */
static double findings_badness(const struct frame *frame)
{
	const struct table *table = frame_table(frame, finding_schema.name);
	double kinds[FINDING_CRITICAL + 1] = { 0 };
	unsigned worst = FINDING_CRITICAL;

	for (size_t i = 0; table && i < table->n_rows; i++)
		if (!schema_row_is_over(table->schema, table_row(table, i)))
			kinds[level_of(table_text(table, table_row(table, i), "severity"))]++;
	while (worst > FINDING_NOTE && kinds[worst] == 0)
		worst--;
	return kinds[worst] == 0 ? 0 : 1e6 * (worst + 1) + 1e2 * fmin(kinds[worst], 1e3);
}

static struct stretch_finding *find(struct pass *pass, const char *rule, const char *subject)
{
	struct stretch *stretch = pass->stretch;
	struct stretch_finding *finding;

	for (size_t i = 0; i < stretch->n_findings; i++) {
		finding = &stretch->findings[i];
		if (strcmp(finding->rule, rule) == 0 && strcmp(finding->subject, subject) == 0)
			return finding;
	}
	if (stretch->n_findings == STRETCH_FINDINGS_MAX)
		return NULL;
	finding = VECTOR_ADD(stretch->findings, stretch->n_findings, stretch->capacity);
	*finding = (struct stretch_finding){
		.rule = arena_print(&stretch->arena, "%s", rule),
		.subject = arena_print(&stretch->arena, "%s", subject),
	};
	return finding;
}

static bool has_happened(const struct report_plan *plan, const char *rule)
{
	for (unsigned i = 0; i < plan->n_rules; i++)
		if (strcmp(plan->rules[i].name, rule) == 0)
			return plan->rules[i].age >= FINDING_HAPPENED;
	return false;
}

static void set_text(struct stretch_finding *finding, const char *text, uint64_t wall_ns)
{
	if (finding->text_ns > 0 || (finding->n_samples > 0 && strcmp(finding->text, text) != 0))
		finding->text_ns = wall_ns;
	snprintf(finding->text, sizeof(finding->text), "%s", text);
}

/* A sentence leaves out what is not known, such as the cause. */
static unsigned count_parts(const char *text)
{
	unsigned n_parts = 1;

	while ((text = strchr(text, ';')) != NULL) {
		n_parts++;
		text++;
	}
	return n_parts;
}

static void take_finding(struct pass *pass, const struct frame *frame, const struct table *table,
			 const void *row)
{
	const char *severity = table_text(table, row, "severity"), *text = table_text(table, row, "text");
	enum finding_severity level = level_of(severity);
	bool over = schema_row_is_over(table->schema, row);
	double held = table_number(table, row, "since_seconds");
	uint64_t held_ns = held > 0 && held < 1e9 ? (uint64_t)(held * 1e9) : 0;
	uint64_t until_ns = table_u64(table, row, "until_time");
	struct stretch_finding *finding =
		find(pass, table_text(table, row, "rule"), table_text(table, row, "subject"));

	if (!finding) {
		pass->stretch->has_more_findings = true;
		return;
	}
	finding->has_ended = over;
	if (finding->n_samples == 0 || level > finding->level || over ||
	    (level == finding->level && count_parts(text) >= count_parts(finding->text)))
		set_text(finding, text, frame->wall_ns);
	else if (level == finding->level && finding->text_ns == 0)
		finding->text_ns = finding->until_ns;
	if (finding->n_samples > 0 && over) {
		if (finding->happened)
			finding->until_ns = until_ns;
		return;
	}
	if (finding->n_samples == 0) {
		finding->since_ns = sleep_past_wall_ns(&pass->slept, frame, held_ns);
		finding->is_least = *table_text(table, row, "begun") != '\0';
		finding->happened = has_happened(pass->plan, finding->rule);
	}
	if (finding->n_samples == 0 || level > finding->level) {
		finding->level = level;
		finding->severity = arena_print(&pass->stretch->arena, "%s", severity);
	}
	finding->until_ns = until_ns == U64_UNKNOWN ? frame->wall_ns : until_ns;
	finding->n_samples++;
	finding->n_episodes += finding->judged + 1 < pass->n_judged || finding->n_episodes == 0;
	finding->judged = pass->n_judged;
}

static void take_values(struct pass *pass, const struct frame *frame)
{
	const struct reported *reported = pass->plan->reported;
	double *value = pass->stretch->values + stretch_point(pass->stretch, frame->wall_ns);
	double own =
		frame_number(frame, reported->own_cpu.topic, reported->own_cpu.row, reported->own_cpu.column);

	for (const struct reported_chart *chart = reported->charts; chart->title; chart++) {
		for (size_t i = 0; i < REPORTED_LINES_MAX && chart->lines[i].name; i++) {
			const struct series *series = &chart->lines[i].series;

			*value =
				fmax(*value, frame_number(frame, series->topic, series->row, series->column));
			value += pass->stretch->n_points;
		}
	}
	if (isnan(own))
		return;
	pass->own_sum += own;
	pass->n_own++;
	pass->stretch->own_most = fmax(pass->stretch->own_most, own);
}

/*
 * Findings first, then whether there is enough before it to compare it with, then how much tasks wait. A
 * sample without one before it has no rates: it is not the worst.
 */
static void choose(struct pass *pass, const struct frame *frame, bool has_rates)
{
	struct stretch *stretch = pass->stretch;
	double found = findings_badness(frame), waiting = waiting_share(pass->plan->reported, frame);
	double bad = found + (pass->n_times < DEPARTURE_SAMPLES_MIN ? 0 : COMPARED) + waiting;
	size_t moment = pass->plan->moment;

	pass->most_waiting = fmax(pass->most_waiting, waiting);
	if (moment == REPORT_WORST ? !has_rates || bad <= pass->worst : moment != pass->index)
		return;
	pass->worst = bad;
	frame_copy(&stretch->moment, frame);
	stretch->moment_index = pass->index;
	stretch->has_findings = found > 0;
	pass->moment_waiting = waiting;
}

static void take(struct pass *pass, const struct frame *frame, const struct frame *before)
{
	const struct table *table = frame_table(frame, finding_schema.name);
	struct stretch *stretch = pass->stretch;

	choose(pass, frame, before != NULL);
	*VECTOR_ADD(pass->times, pass->n_times, pass->times_capacity) = frame->wall_ns;
	if (before && before->boot != frame->boot) {
		stretch->n_boots++;
		pass->slept.n = 0;
	}
	sleep_past_take(&pass->slept, frame);
	take_values(pass, frame);
	pass->n_judged += table != NULL;
	for (size_t i = 0; table && i < table->n_rows; i++)
		take_finding(pass, frame, table, table_row(table, i));
}

/* How many samples further on the next one is: also on the way to the moment. */
static size_t step_from(const struct pass *pass, size_t index)
{
	size_t step = pass->stretch->step, moment = pass->plan->moment;

	return index < moment && index + step > moment ? moment - index : step;
}

/* The sample before the first one gives its rates. */
static enum report_fault read_all(struct pass *pass, size_t first, size_t last)
{
	const struct report_plan *plan = pass->plan;
	struct frame *const frames[] = { &pass->frames[0], &pass->frames[1] };
	const struct frame *before = pipeline_judge_before(&pass->pipeline, first, frames, NULL, NULL);
	size_t from = first > 0 && !before ? first - 1 : first;
	bool sought = false;
	int error = 0;

	for (pass->index = from; pass->index <= last; pass->index += step_from(pass, pass->index)) {
		struct frame *frame = before == frames[0] ? frames[1] : frames[0];
		int got;

		if (plan->interrupted && plan->interrupted())
			return REPORT_INTERRUPTED;
		if (!sought || pass->stretch->step > 1)
			error = plan->source->seek(plan->source->state, pass->index);
		sought = true;
		got = error ? error : pipeline_next(&pass->pipeline, frame, before);
		if (got == -EINTR)
			return REPORT_INTERRUPTED;
		if (got != 1)
			break;
		if (pass->index >= first)
			take(pass, frame, before);
		before = frame;
	}
	return pass->stretch->moment.wall_ns > 0 ? REPORT_FAULTLESS : REPORT_UNREADABLE;
}

static int by_size(const void *left, const void *right)
{
	double one = *(const double *)left, other = *(const double *)right;

	return one < other ? -1 : one > other;
}

/* The usual time between samples, and the times that are longer. */
static void find_gaps(struct pass *pass)
{
	struct stretch *stretch = pass->stretch;
	size_t n_steps = pass->n_times - 1;
	double *steps = alloc_zeroed(n_steps + 1, sizeof(*steps));

	for (size_t i = 0; i < n_steps; i++)
		steps[i] = ((double)pass->times[i + 1] - (double)pass->times[i]) / 1e9;
	qsort(steps, n_steps, sizeof(*steps), by_size);
	stretch->step_seconds = n_steps > 0 ? steps[n_steps / 2] : NAN;
	free(steps);
	for (size_t i = 1; i < pass->n_times; i++) {
		double step = ((double)pass->times[i] - (double)pass->times[i - 1]) / 1e9;

		if (!(step > GAP_STEPS * stretch->step_seconds))
			continue;
		stretch->n_gaps++;
		stretch->apart[stretch_point(stretch, pass->times[i])] = true;
	}
}

/* A point without a sample has the value of the one before it, but for gaps. */
static void fill_points(struct pass *pass)
{
	struct stretch *stretch = pass->stretch;
	size_t n_lines = count_lines(pass->plan->reported);

	for (size_t i = 1; i < pass->n_times; i++) {
		size_t from = stretch_point(stretch, pass->times[i - 1]);
		size_t to = stretch_point(stretch, pass->times[i]);

		for (size_t at = from + 1; at < to && !stretch->apart[to]; at++)
			for (size_t line = 0; line < n_lines; line++)
				stretch->values[line * stretch->n_points + at] =
					stretch->values[line * stretch->n_points + from];
	}
}

/* Findings that are as bad at the moment as ever, and tell as much, have the numbers of the moment. */
static void take_texts(struct pass *pass)
{
	const struct table *table = frame_table(&pass->stretch->moment, finding_schema.name);

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		struct stretch_finding *finding =
			find(pass, table_text(table, row, "rule"), table_text(table, row, "subject"));

		if (finding && !finding->has_ended && !finding->happened &&
		    level_of(table_text(table, row, "severity")) == finding->level &&
		    count_parts(table_text(table, row, "text")) >= count_parts(finding->text))
			set_text(finding, table_text(table, row, "text"), pass->stretch->moment.wall_ns);
	}
}

static int worst_first(const void *left, const void *right)
{
	const struct stretch_finding *one = left, *other = right;

	if (one->level != other->level)
		return one->level > other->level ? -1 : 1;
	if (one->n_samples != other->n_samples)
		return one->n_samples > other->n_samples ? -1 : 1;
	return one->since_ns < other->since_ns ? -1 : one->since_ns > other->since_ns;
}

/* The clocks of the first and the last sample, and memory for as many points as there is use for. */
static bool open_points(struct pass *pass, size_t first, size_t last)
{
	struct stretch *stretch = pass->stretch;
	size_t n_values;

	if (source_read(pass->plan->source, first, &pass->frames[0]) != 1 ||
	    source_read(pass->plan->source, last, &pass->frames[1]) != 1)
		return false;
	stretch->first_ns = pass->frames[0].wall_ns;
	stretch->last_ns = pass->frames[1].wall_ns;
	if (stretch->last_ns < stretch->first_ns)
		stretch->last_ns = stretch->first_ns;
	stretch->n_points = last - first + 1 < STRETCH_POINTS_MAX ? last - first + 1 : STRETCH_POINTS_MAX;
	n_values = count_lines(pass->plan->reported) * stretch->n_points;
	stretch->values = alloc_zeroed(n_values, sizeof(*stretch->values));
	stretch->apart = alloc_zeroed(stretch->n_points, sizeof(*stretch->apart));
	for (size_t i = 0; i < n_values; i++)
		stretch->values[i] = NAN;
	return true;
}

static enum report_fault read_stretch(struct pass *pass)
{
	const struct report_plan *plan = pass->plan;
	uint64_t first_ns, last_ns;
	size_t n_frames = source_extent(plan->source, &first_ns, &last_ns), last = plan->last;
	enum report_fault fault;

	if (n_frames == 0)
		return REPORT_EMPTY;
	if (n_frames == 1)
		return REPORT_ONE_SAMPLE;
	last = last < n_frames ? last : n_frames - 1;
	pass->stretch->step = plan->n_read > 0 ? (last - plan->first) / plan->n_read + 1 : 1;
	want(pass);
	if (plan->first > last || !open_points(pass, plan->first, last))
		return REPORT_UNREADABLE;
	fault = read_all(pass, plan->first, last);
	if (fault != REPORT_FAULTLESS)
		return fault;
	pass->stretch->n_samples = pass->n_times;
	pass->stretch->own_mean = pass->n_own > 0 ? pass->own_sum / (double)pass->n_own : NAN;
	pass->stretch->waited_most = pass->moment_waiting > 0 && pass->moment_waiting >= pass->most_waiting;
	find_gaps(pass);
	fill_points(pass);
	take_texts(pass);
	if (pass->stretch->n_findings > 0)
		qsort(pass->stretch->findings, pass->stretch->n_findings, sizeof(*pass->stretch->findings),
		      worst_first);
	return REPORT_FAULTLESS;
}

enum report_fault stretch_read(struct stretch *stretch, const struct report_plan *plan)
{
	struct pass pass = { .plan = plan, .stretch = stretch, .worst = -1 };
	enum report_fault fault;

	*stretch = (struct stretch){ .own_most = NAN, .own_mean = NAN };
	frame_open(&stretch->moment, plan->schemas, plan->n_schemas);
	for (int i = 0; i < 2; i++)
		frame_open(&pass.frames[i], plan->schemas, plan->n_schemas);
	pass.pipeline = (struct pipeline){
		.source = plan->source,
		.scope = plan->scope,
		.findings = findings_open(plan->rules, plan->n_rules, plan->settings),
	};
	fault = read_stretch(&pass);
	findings_note_lack(pass.pipeline.findings, &stretch->moment);
	findings_close(pass.pipeline.findings);
	for (int i = 0; i < 2; i++)
		frame_close(&pass.frames[i]);
	free(pass.times);
	return fault;
}

void stretch_free(struct stretch *stretch)
{
	frame_close(&stretch->moment);
	free(stretch->values);
	free(stretch->apart);
	free(stretch->findings);
	arena_free(&stretch->arena);
	*stretch = (struct stretch){ 0 };
}
