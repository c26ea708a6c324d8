/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges every series by the samples before the moment, and joins what changed of a resource with the
 * processes that changed the same way: the causes. The other lines follow them.
 */
#include <config.h>

#include "model/explanation_study.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "model/pipeline.h"
#include "model/units.h"

#define SPREADS 4
#define SPREAD_OF_NOISE 1.4826 /* a normal distribution's standard deviation, in median distances */
#define OFTEN 0.02

static int by_size(const void *left, const void *right)
{
	double one = *(const double *)left, other = *(const double *)right;

	return (one > other) - (one < other);
}

/* Sorts them. */
static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_size);
	return count % 2 > 0 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static size_t copy_known(double *out, const double *values, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (isfinite(values[i]))
			out[n++] = values[i];
	return n;
}

/* The last numbers at least half as far away as the last one, on its side. */
static size_t count_since(const double *values, size_t count, double usual)
{
	double half = (values[count - 1] - usual) / 2;
	size_t n = 1;

	while (n < count &&
	       (half > 0 ? values[count - 1 - n] - usual >= half : values[count - 1 - n] - usual <= half))
		n++;
	return n;
}

/* By the median distance from the median, which a spike does not widen. known has room for all values. */
static enum departure_verdict judge(const double *values, size_t count, double least, double *known,
				    struct departure *departure)
{
	double change;
	size_t n = copy_known(known, values, count - 1), n_as_far = 0;

	if (n < DEPARTURE_SAMPLES_MIN)
		return DEPARTURE_TOO_FEW;
	departure->now = values[count - 1];
	departure->usual = median(known, n);
	departure->n_since = 1;
	departure->n_usual = n;
	if (fabs(departure->now - departure->usual) < least)
		return DEPARTURE_NONE;
	departure->n_since = count_since(values, count, departure->usual);
	n = copy_known(known, values, count - departure->n_since);
	departure->n_usual = n;
	if (n < DEPARTURE_SAMPLES_MIN)
		return DEPARTURE_TOO_FEW;
	departure->usual = median(known, n);
	change = departure->now - departure->usual;
	departure->extreme = change > 0 ? known[n - 1] : known[0];
	for (size_t i = 0; i < n; i++) {
		double other = known[i] - departure->usual;

		n_as_far += change > 0 ? other >= change / 2 : other <= change / 2;
		known[i] = fabs(other);
	}
	departure->spread = SPREAD_OF_NOISE * median(known, n);
	if ((double)n_as_far > OFTEN * (double)n || fabs(change) < SPREADS * departure->spread)
		return DEPARTURE_NONE;
	return change > 0 ? DEPARTURE_ROSE : DEPARTURE_FELL;
}

enum departure_verdict departure_judge(const double *values, size_t count, double least,
				       struct departure *departure)
{
	enum departure_verdict verdict;
	double *known;

	memset(departure, 0, sizeof(*departure));
	if (count == 0 || !isfinite(values[count - 1]))
		return DEPARTURE_UNKNOWN;
	known = alloc_zeroed(count, sizeof(*known));
	verdict = judge(values, count, least, known, departure);
	free(known);
	return verdict;
}

void study_want(const struct study *study, const char *const *topics, size_t n_topics)
{
	bool *wanted = alloc_zeroed(study->n_schemas, sizeof(*wanted));

	for (size_t t = 0; t < n_topics; t++)
		schema_want(study->schemas, study->n_schemas, topics[t], wanted);
	source_want(study->source, wanted);
	free(wanted);
}

bool study_read(const struct study *study, struct frame *frame, size_t index)
{
	return source_read(study->source, index, frame) == 1;
}

const char *study_print(const struct study *study, const char *format, ...)
{
	char text[512];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	return arena_copy(&study->out->arena, text, strlen(text));
}

const char *study_when(const struct study *study, double seconds_before)
{
	char span[VALUE_TEXT_MAX];

	amount_text(span, UNIT_SECONDS, fabs(seconds_before));
	return study_print(study, seconds_before < 0 ? _("%s after") : _("%s before"), span);
}

struct explained_line *study_line(const struct study *study)
{
	struct explanation *out = study->out;
	struct explained_line *line = VECTOR_ADD(out->lines, out->n_lines, out->capacity);

	*line = (struct explained_line){ .counted = "",
					 .view = "",
					 .row = "",
					 .pid = U64_UNKNOWN,
					 .wall_ns = study_moment(study)->wall_ns };
	return line;
}

void study_part(struct study *study, struct study_part part)
{
	part.line = study->out->n_lines - 1;
	*VECTOR_ADD(study->parts, study->n_parts, study->part_capacity) = part;
}

#define SECOND_NS UINT64_C(1000000000)
#define BEFORE_MIN 30       /* samples that are compared, where there are as many … */
#define BEFORE_MAX 900      /* … and about these at most: of a longer time, one of several */
#define SUSPENDED_SECONDS 2 /* by which the clock of the boot runs ahead of the other one */
#define SERIES_MAX 4096     /* of up to 7 KiB */

/*
 * The time that is compared: a longer one where no use of a resource rose in the one before, as on a machine
 * that is busy all the while.
 */
static const uint64_t before_ns[] = { 300 * SECOND_NS, 1800 * SECOND_NS, 14400 * SECOND_NS };
#define N_BEFORE (sizeof(before_ns) / sizeof(before_ns[0]))

/* The series of this row; a new one has no values yet. NULL: too many. */
static struct studied_series *series_of(struct study *study, const struct explained_series *of,
					const struct table *table, const void *row)
{
	uint64_t hash = row_hash_key(table->schema, row), place = hash_u64(hash + (uintptr_t)of);
	struct studied_series *series;
	const char *key = NULL;
	uint32_t at;

	HASH_FIND(at, &study->by_row, place, study->series[at].of == of && study->series[at].row == hash);
	if (at != HASH_NONE)
		return &study->series[at];
	if (study->n_series == SERIES_MAX)
		return NULL;
	hash_add(&study->by_row, place, (uint32_t)study->n_series);
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

	study->n_left += !series;
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
		if (!schema_row_is_sum(table->schema, table_row(table, i)))
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
	study->n_left = 0;
	for (const struct explained_series *of = series; of->topic; of++)
		take_series(study, of, frame);
	return true;
}

/* The last two are neighbours, so that the rates of the moment are its own. */
static bool take_samples(struct study *study, size_t index, const struct explained_series *series,
			 uint64_t span_ns)
{
	uint64_t wall_ns;
	size_t first, step;

	if (!study_read(study, &study->frames[0], index))
		return false;
	wall_ns = study->frames[0].wall_ns;
	first = study->source->find(study->source->state, wall_ns > span_ns ? wall_ns - span_ns : 0);
	if (first > index || index - first < BEFORE_MIN) /* as far as it is kept */
		first = index > BEFORE_MIN ? index - BEFORE_MIN : 0;
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
	study_part(study,
		   (struct study_part){ .resource = series->of->resource,
					.rose = rose,
					.whole = true,
					.size = fabs(departure->now - departure->usual) / series->of->least,
					.n_since = departure->n_since });
	line->rank = fmin(study->parts[study->n_parts - 1].size, STUDY_RANK_MAX);
	line->away_seconds = seconds_before(study, departure->n_since - 1);
}

/* Did the use of a resource rise? */
static bool judge_series(struct study *study)
{
	struct explanation *out = study->out;
	double most = 0;
	bool rose = false;

	for (size_t i = 0; i < study->n_series; i++) {
		struct studied_series *series = &study->series[i];
		enum explained_resource resource = series->of->resource;
		double rank;

		series->verdict =
			departure_judge(series->values + study->from, study->n_samples - study->from,
					series->of->least, &series->departure);
		if (series->verdict != DEPARTURE_ROSE && series->verdict != DEPARTURE_FELL)
			continue;
		rose |= series->verdict == DEPARTURE_ROSE && resource >= EXPLAINED_CPU &&
			resource <= EXPLAINED_NETWORK;
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

static void study_end(struct study *study)
{
	for (size_t i = 0; i < study->n_series; i++)
		free(study->series[i].values);
	free(study->series);
	hash_free(&study->by_row);
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
	if (study->n_left > 0)
		buffer_print(&study->remarks, _("Not compared: %zu numbers more than %d. "), study->n_left,
			     SERIES_MAX);
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
	study->n_since = 1;
	study->out->n_lines = study->out->n_causes = study->out->n_samples = 0;
	study->out->span = "";
	arena_reset(&study->out->arena);
	for (int i = 0; i < 2; i++)
		frame_open(&study->frames[i], study->schemas, study->n_schemas);
	want_series(study, series);
	if (!take_samples(study, index, series, span_ns))
		return UNREAD;
	remark_numbers(study, series);
	if (judge_series(study))
		return ROSE;
	return study->samples[study->from].index == 0 || study->from > 0 ? WHOLE : WIDER;
}

#define USERS_MAX 3     /* lines below a cause */
#define USERS_SHARE 0.1 /* of the largest one's change, at least */

/* A change of a resource, and those who have a part in it. */
struct cause {
	const struct study_part *part;
	const struct study_part *users[USERS_MAX]; /* the largest first */
	unsigned n_users;
};

struct causes {
	struct study *study;
	struct cause *all;
	size_t n, capacity;
	bool *placed; /* of each line */
};

static const struct explained_line *line_of(const struct study *study, const struct study_part *part)
{
	return &study->out->lines[part->line];
}

/*
 * What is about this resource: of the first topic in the list of series, as the others follow from it, what
 * changed most. A rise comes before a fall.
 */
static bool is_better(const struct study *study, const struct study_part *part, const struct study_part *best)
{
	if (!best)
		return true;
	if (part->rose != best->rose)
		return part->rose;
	return part->size > best->size &&
	       strcmp(line_of(study, part)->topic, line_of(study, best)->topic) == 0;
}

static void add_cause(struct causes *causes, const struct study_part *part)
{
	*VECTOR_ADD(causes->all, causes->n, causes->capacity) = (struct cause){ .part = part };
	causes->placed[part->line] = true;
}

/* Who changed a resource most where all of it did not change, as on a machine that was busy before. */
static const struct study_part *largest_rise(const struct causes *causes, int resource)
{
	const struct study *study = causes->study;
	const struct study_part *most = NULL;

	for (size_t i = 0; i < study->n_parts; i++) {
		const struct study_part *part = &study->parts[i];

		if ((int)part->resource == resource && part->rose && !causes->placed[part->line] &&
		    (!most || part->size > most->size))
			most = part;
	}
	return most;
}

static void find_causes(struct causes *causes)
{
	const struct study *study = causes->study;

	for (int resource = EXPLAINED_ALONE; resource < EXPLAINED_OTHER; resource++) {
		const struct study_part *best = NULL;

		for (size_t i = 0; i < study->n_parts; i++) {
			const struct study_part *part = &study->parts[i];

			if (!part->whole || (int)part->resource != resource)
				continue;
			if (resource == EXPLAINED_ALONE)
				add_cause(causes, part);
			else if (is_better(study, part, best))
				best = part;
		}
		if (!best && resource != EXPLAINED_ALONE)
			best = largest_rise(causes, resource);
		if (best)
			add_cause(causes, best);
	}
}

/* The rows were compared over the time since the first departure: what changed before is not theirs. */
static bool is_user(const struct causes *causes, const struct study_part *part, const struct cause *cause)
{
	const struct study_part *whole = cause->part;

	return whole->whole && whole->n_since <= causes->study->n_since + 1 && !part->whole &&
	       part->resource == whole->resource && part->rose == whole->rose &&
	       !causes->placed[part->line];
}

static void find_users(struct causes *causes, struct cause *cause)
{
	const struct study *study = causes->study;
	double least = 0;

	while (cause->n_users < USERS_MAX) {
		const struct study_part *most = NULL;

		for (size_t i = 0; i < study->n_parts; i++)
			if (is_user(causes, &study->parts[i], cause) &&
			    (!most || study->parts[i].size > most->size))
				most = &study->parts[i];
		if (!most || most->size < least)
			return;
		if (cause->n_users == 0)
			least = USERS_SHARE * most->size;
		cause->users[cause->n_users++] = most;
		causes->placed[most->line] = true;
	}
}

/* 0: within ten seconds of the moment, 1: within twenty, 2: forty, … */
static int distance_of(const struct explained_line *line)
{
	return line->away_seconds > 10 ? 1 + ilogb(fmin(line->away_seconds, 1e9) / 10) : 0;
}

/* What is nearer to the moment first, then what has users, then by rank. */
static bool comes_before(const struct causes *causes, const struct cause *cause, const struct cause *other)
{
	const struct explained_line *one = line_of(causes->study, cause->part);
	const struct explained_line *two = line_of(causes->study, other->part);

	if (distance_of(one) != distance_of(two))
		return distance_of(one) < distance_of(two);
	if ((cause->n_users > 0) != (other->n_users > 0))
		return cause->n_users > 0;
	return one->rank > two->rank;
}

/* Of those that have not been taken. */
static struct cause *next_cause(const struct causes *causes)
{
	struct cause *next = NULL;

	for (size_t i = 0; i < causes->n; i++) {
		struct cause *cause = &causes->all[i];

		if (cause->part && (!next || comes_before(causes, cause, next)))
			next = cause;
	}
	return next;
}

static int by_importance(const void *left, const void *right)
{
	const struct explained_line *one = left, *other = right;

	if (one->related != other->related)
		return other->related - one->related;
	if (distance_of(one) != distance_of(other))
		return distance_of(one) - distance_of(other);
	return (one->rank < other->rank) - (one->rank > other->rank);
}

static void order(const struct causes *causes, struct explained_line *ordered)
{
	struct explanation *out = causes->study->out;
	struct cause *cause = next_cause(causes);
	size_t n = 0;

	for (size_t i = 0; cause && i < causes->study->n_parts; i++) {
		const struct study_part *part = &causes->study->parts[i];

		out->lines[part->line].related |= part->resource == cause->part->resource &&
						  part->resource != EXPLAINED_ALONE;
	}
	for (; cause; cause = next_cause(causes)) {
		ordered[n++] = out->lines[cause->part->line];
		for (unsigned i = 0; i < cause->n_users; i++) {
			ordered[n] = out->lines[cause->users[i]->line];
			ordered[n++].below = true;
		}
		cause->part = NULL;
	}
	out->n_causes = n;
	for (size_t i = 0; i < out->n_lines; i++)
		if (!causes->placed[i])
			ordered[n++] = out->lines[i];
	qsort(ordered + out->n_causes, n - out->n_causes, sizeof(*ordered), by_importance);
	memcpy(out->lines, ordered, n * sizeof(*ordered));
}

/* Sorts the lines, those that have the same cause together. */
static void sort_by_cause(struct study *study)
{
	size_t n_lines = study->out->n_lines;
	struct causes causes = { .study = study };
	struct explained_line *ordered;

	if (n_lines == 0)
		return;
	causes.placed = alloc_zeroed(n_lines, sizeof(*causes.placed));
	ordered = alloc_zeroed(n_lines, sizeof(*ordered));
	find_causes(&causes);
	for (size_t i = 0; i < causes.n; i++)
		find_users(&causes, &causes.all[i]);
	order(&causes, ordered);
	free(ordered);
	free(causes.all);
	free(causes.placed);
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
		sort_by_cause(&study);
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
