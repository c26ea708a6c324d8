/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the samples before the moment once, and judges every series by them. */
#include <config.h>

#include "model/explanation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "model/derive.h"
#include "model/explanation_study.h"
#include "model/units.h"

#define SECOND_NS UINT64_C(1000000000)
#define BEFORE_MIN 30       /* samples that are compared, where there are as many … */
#define BEFORE_MAX 900      /* … and about these at most: of a longer time, one of several */
#define SUSPENDED_SECONDS 2 /* by which the clock of the boot runs ahead of the other one */
#define SERIES_MAX 512

/*
 * The time that is compared: a longer one where no use of a resource rose in the one before, as on a machine
 * that is busy all the while.
 */
static const uint64_t before_ns[] = { 300 * SECOND_NS, 1800 * SECOND_NS, 14400 * SECOND_NS };
#define N_BEFORE (sizeof(before_ns) / sizeof(before_ns[0]))

/* The series of this row; a new one has no values yet. */
static struct studied_series *series_of(struct study *study, const struct explained_series *of,
					const struct table *table, const void *row)
{
	uint64_t hash = row_hash_key(table->schema, row);
	struct studied_series *series;
	const char *key = NULL;

	for (size_t i = 0; i < study->n_series; i++)
		if (study->series[i].of == of && study->series[i].row == hash)
			return &study->series[i];
	if (study->n_series == SERIES_MAX)
		return NULL;
	for (unsigned i = 0; i < table->schema->n_columns && !key; i++)
		if (table->schema->columns[i].kind == COLUMN_KEY &&
		    table->schema->columns[i].type == VALUE_TEXT)
			key = row_text(row, &table->schema->columns[i]);
	series = VECTOR_ADD(study->series, study->n_series, study->series_capacity);
	*series = (struct studied_series){
		.of = of,
		.row = hash,
		.column = schema_known_column(table->schema, of->column),
		.key = study_print(study, "%s", key ? key : ""),
		.name = of->row ? _(of->name) : study_print(study, "%s %s", key ? key : "", _(of->name)),
		.values = alloc_zeroed(study->room, sizeof(*series->values)),
	};
	for (size_t i = 0; i < study->room; i++)
		series->values[i] = NAN;
	return series;
}

static void take_value(struct study *study, const struct explained_series *of, const struct table *table,
		       const void *row)
{
	struct studied_series *series = series_of(study, of, table, row);

	if (series && series->column)
		series->values[study->n_samples - 1] = row_number(row, series->column);
}

static void take_series(struct study *study, const struct explained_series *of, const struct frame *frame)
{
	const struct table *table = frame_table(frame, of->topic);
	const void *row = NULL;

	if (!table || table->failed || table->n_rows == 0)
		return;
	if (of->row)
		row = *of->row ? table_find(table, of->row, of->other) : table_row(table, 0);
	if (row)
		take_value(study, of, table, row);
	for (size_t i = 0; !of->row && i < table->n_rows; i++)
		if (!table->schema->sum_row ||
		    !table_row_is(table, table_row(table, i), table->schema->sum_row))
			take_value(study, of, table, table_row(table, i));
}

/* Samples before another boot, another run or a suspended machine cannot be compared with those after it. */
static bool is_cut(struct study *study, const struct studied_sample *before, const struct studied_sample *now)
{
	double elapsed = ((double)now->mono_ns - (double)before->mono_ns) / 1e9;
	double suspended = now->boot_seconds - before->boot_seconds - elapsed;

	bool same_boot = elapsed > 0 && before->boot == now->boot;

	if (same_boot && !(suspended > SUSPENDED_SECONDS))
		return false;
	study->suspended_seconds = same_boot ? suspended : 0;
	return true;
}

/* False: it cannot be read. */
static bool take_sample(struct study *study, size_t index, const struct explained_series *series)
{
	struct frame *frame = &study->frames[study->n_samples % 2];
	const struct frame *before = &study->frames[(study->n_samples + 1) % 2];
	struct studied_sample *sample;
	bool cut;

	if (!study_read(study, frame, index))
		return false;
	sample = &study->samples[study->n_samples++];
	*sample = (struct studied_sample){ index, frame->mono_ns, frame->wall_ns,
					   frame_number(frame, "system", NULL, "uptime_seconds"),
					   frame->boot };
	cut = study->n_samples > 1 && is_cut(study, sample - 1, sample);
	if (cut)
		study->from = study->n_samples - 1;
	if (study->n_samples > 1 && !cut)
		frame_derive(frame, before);
	for (const struct explained_series *of = series; of->topic; of++)
		take_series(study, of, frame);
	return true;
}

/* Of the time before, as far as it is kept. */
static size_t first_index(const struct study *study, size_t index, uint64_t wall_ns, uint64_t span_ns)
{
	const struct source *source = study->source;
	size_t first = source->find(source->state, wall_ns > span_ns ? wall_ns - span_ns : 0);

	if (first > index || index - first < BEFORE_MIN)
		return index > BEFORE_MIN ? index - BEFORE_MIN : 0;
	return first;
}

/* The last two are neighbours, so that the rates of the moment are its own. */
static bool take_samples(struct study *study, size_t index, const struct explained_series *series,
			 uint64_t span_ns)
{
	size_t first, step;

	if (!study_read(study, &study->frames[0], index))
		return false;
	first = first_index(study, index, study->frames[0].wall_ns, span_ns);
	step = (index - first) / BEFORE_MAX + 1;
	study->room = (index - first) / step + 3;
	study->samples = alloc_zeroed(study->room, sizeof(*study->samples));
	for (size_t i = first; i + 1 < index; i += step)
		take_sample(study, i, series);
	if (index > first)
		take_sample(study, index - 1, series);
	return take_sample(study, index, series);
}

static void want_series(const struct study *study, const struct explained_series *series)
{
	const char **topics;
	size_t n_topics = 1;

	while (series[n_topics - 1].topic)
		n_topics++;
	topics = alloc_zeroed(n_topics, sizeof(*topics));
	topics[0] = "system";
	for (size_t i = 1; i < n_topics; i++)
		topics[i] = series[i - 1].topic;
	study_want(study, topics, n_topics);
	free(topics);
}

static double seconds_before(const struct study *study, size_t n_samples)
{
	const struct studied_sample *moment = study_moment(study);

	return (double)(moment->mono_ns - (moment - n_samples)->mono_ns) / 1e9;
}

static void write_series(struct study *study, const struct studied_series *series)
{
	const struct departure *departure = &series->departure;
	enum unit unit = series->column->unit;
	bool rose = series->verdict == DEPARTURE_ROSE;
	char now[VALUE_TEXT_MAX], usual[VALUE_TEXT_MAX], extreme[VALUE_TEXT_MAX], spread[VALUE_TEXT_MAX];
	struct explained_line *line = study_line(study);
	const char *back = study_when(study, seconds_before(study, departure->n_since - 1));

	amount_text(now, unit, departure->now);
	amount_text(usual, unit, departure->usual);
	amount_text(extreme, unit, departure->extreme);
	amount_text(spread, unit, departure->spread);
	line->subject = series->name;
	line->change = study_print(study, _("%s, usually %s"), now, usual);
	if (departure->n_since == 1)
		line->when = rose ? _("rose in this sample") : _("fell in this sample");
	else
		line->when = study_print(study, rose ? _("rose %s") : _("fell %s"), back);
	line->sentence =
		study_print(study, _("%s: %s, %s; usually %s."), line->subject, now, line->when, usual);
	line->counted = study_print(study,
				    rose ? _("In %zu samples of the %s before: median %s, spread %s, at most "
					     "%s.")
					 : _("In %zu samples of the %s before: median %s, spread %s, at "
					     "least %s."),
				    departure->n_usual, study->out->span, usual, spread, extreme);
	line->topic = series->of->topic;
	line->pane = series->of->pane;
	line->view = series->of->view;
	line->row = series->key;
	study_part(study, (struct study_part){
				  .resource = series->of->resource,
				  .rose = rose,
				  .whole = true,
				  .size = fabs(departure->now - departure->usual) / series->of->least,
				  .n_since = departure->n_since,
			  });
	line->rank = fmin(study->parts[study->n_parts - 1].size, STUDY_RANK_MAX);
	line->away_seconds = seconds_before(study, departure->n_since - 1);
}

static bool departs(const struct studied_series *series)
{
	return series->verdict == DEPARTURE_ROSE || series->verdict == DEPARTURE_FELL;
}

static bool is_of_resource(const struct explained_series *series)
{
	return series->resource >= EXPLAINED_CPU && series->resource <= EXPLAINED_NETWORK;
}

/* Did the use of a resource rise? */
static bool judge_series(struct study *study)
{
	struct explanation *out = study->out;
	double most = 0;
	bool rose = false;

	for (size_t i = 0; i < study->n_series; i++) {
		struct studied_series *series = &study->series[i];
		double rank;

		series->verdict =
			departure_judge(series->values + study->from, study->n_samples - study->from,
					series->of->least, &series->departure);
		if (!departs(series))
			continue;
		rose |= series->verdict == DEPARTURE_ROSE && is_of_resource(series->of);
		write_series(study, series);
		rank = out->lines[out->n_lines - 1].rank;
		if (rank > most) {
			most = rank;
			study->n_since = series->departure.n_since;
		}
	}
	return rose;
}

static void remark_cut(struct study *study)
{
	const char *when = study_when(study, study->out->seconds);
	char span[VALUE_TEXT_MAX];

	if (study->from == 0)
		return;
	if (study->suspended_seconds > 0)
		buffer_print(&study->remarks, _("The machine was suspended for %s, up to %s. "),
			     stretch_text(span, study->suspended_seconds), when);
	else
		buffer_print(&study->remarks, _("Another run ended %s. "), when);
}

/* Which topics of the list the moment lacks. */
static void remark_topics(struct study *study, const struct explained_series *series)
{
	const struct frame *frame = &study->frames[(study->n_samples + 1) % 2];
	bool any = false;

	for (const struct explained_series *of = series; of->topic; of++) {
		bool again = false;

		for (const struct explained_series *other = series; other != of; other++)
			again |= strcmp(other->topic, of->topic) == 0;
		if (again || frame_table(frame, of->topic))
			continue;
		buffer_print(&study->remarks, any ? ", %s" : _("Not sampled then: %s"), of->topic);
		any = true;
	}
	if (any)
		buffer_text(&study->remarks, ". ");
}

static void study_begin(struct study *study)
{
	study->n_since = 1;
	study->out->n_lines = study->out->n_causes = study->out->n_samples = 0;
	study->out->span = "";
	arena_reset(&study->out->arena);
	for (int i = 0; i < 2; i++)
		frame_open(&study->frames[i], study->schemas, study->n_schemas);
}

static void study_end(struct study *study)
{
	for (size_t i = 0; i < study->n_series; i++)
		free(study->series[i].values);
	free(study->series);
	free(study->parts);
	free(study->samples);
	buffer_free(&study->remarks);
	for (int i = 0; i < 2; i++)
		frame_close(&study->frames[i]);
	*study = (struct study){ .out = study->out,
				 .source = study->source,
				 .schemas = study->schemas,
				 .n_schemas = study->n_schemas };
}

static void remark_numbers(struct study *study, const struct explained_series *series)
{
	struct explanation *out = study->out;
	char span[VALUE_TEXT_MAX];

	out->wall_ns = study_moment(study)->wall_ns;
	out->n_samples = study->n_samples - 1 - study->from;
	out->seconds = seconds_before(study, out->n_samples);
	stretch_text(span, out->seconds < 120 ? out->seconds : 60 * round(out->seconds / 60));
	out->span = study_print(study, "%s", span);
	remark_cut(study);
	if (out->n_samples < DEPARTURE_SAMPLES_MIN)
		buffer_print(&study->remarks,
			     _("Too few samples before to know what is usual: %zu, at least %d are needed. "),
			     out->n_samples, DEPARTURE_SAMPLES_MIN);
	remark_topics(study, series);
}

enum comparison {
	UNREAD, /* the moment cannot be read */
	ROSE,   /* the use of some resource did */
	WIDER,  /* none did, and there is more to compare with */
	WHOLE,  /* none did, in all that there is */
};

static enum comparison compare(struct study *study, size_t index, const struct explained_series *series,
			       uint64_t span_ns)
{
	study_end(study);
	study_begin(study);
	want_series(study, series);
	if (!take_samples(study, index, series, span_ns))
		return UNREAD;
	remark_numbers(study, series);
	if (judge_series(study))
		return ROSE;
	return study->samples[study->from].index == 0 || study->from > 0 ? WHOLE : WIDER;
}

void explanation_take(struct explanation *explanation, const struct source *source, size_t index,
		      const struct schema *const *schemas, unsigned n_schemas,
		      const struct explained_series *series)
{
	struct study study = {
		.out = explanation, .source = source, .schemas = schemas, .n_schemas = n_schemas
	};
	enum comparison last = WIDER;
	size_t n = 0;

	while (last == WIDER && n < N_BEFORE)
		last = compare(&study, index, series, before_ns[n++]);
	if (n > 1 && last != ROSE) /* what fell lately is not lost in a long time */
		last = compare(&study, index, series, before_ns[0]);
	if (last == UNREAD) {
		buffer_text(&study.remarks, _("This sample cannot be read."));
	} else {
		study_rows(&study);
		study_causes(&study);
	}
	explanation->remarks = arena_copy(&explanation->arena, study.remarks.bytes ? study.remarks.bytes : "",
					  study.remarks.length);
	study_end(&study);
}

void explanation_free(struct explanation *explanation)
{
	arena_free(&explanation->arena);
	free(explanation->lines);
}
