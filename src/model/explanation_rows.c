/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes and commands around a moment: what started, exited, uses more, or was counted more often. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/hash.h"
#include "core/i18n.h"
#include "model/explanation_study.h"
#include "model/units.h"

#define AROUND_NS (UINT64_C(10) * 1000000000) /* before the moment, at least; after it half */
#define STRETCHES 60                          /* before it, as long as the one up to the moment … */
#define STRETCHES_OF_MANY 20                  /* … in tables of more rows than this */
#define MANY_ROWS 2000
#define SLOTS (2 * STRETCHES + 2) /* samples in which numbers of rows are kept */
#define VISITS_AROUND 32
#define VISITS_MAX (SLOTS + VISITS_AROUND)
#define EVENTS_MIN 5 /* fewer in the last stretch are chance */
#define CHURN_MAX 40 /* lines of names that started or exited; more are counted */
#define METRICS 5

/* A number of a row. */
struct row_metric {
	const char *column; /* NULL: none */
	bool gauge;         /* else its growth in a second counts */
	enum unit unit;     /* of that */
	double least;       /* the smallest change that is worth a line */
	const char *name;   /* N_() */
	const char *pane, *view;
	enum explained_resource resource;
	const char *rate; /* column of that growth, where others stored it without the counter; NULL: none */
};

enum { PROCESS_CPU, PROCESS_RESIDENT, PROCESS_DISK, PROCESS_TCP, PROCESS_CHILDREN };

static const struct row_metric process_metrics[METRICS] = {
	[PROCESS_CPU] = { "cpu_seconds", false, UNIT_RATIO, 0.1, N_("CPU"), "cpu", "all", EXPLAINED_CPU,
			  "cpu_ratio" },
	[PROCESS_RESIDENT] = { "resident_bytes", true, UNIT_BYTES, 32 << 20, N_("resident"), "cpu", "memory",
			       EXPLAINED_MEMORY },
	[PROCESS_DISK] = { "disk_bytes", false, UNIT_BYTES_PER_SECOND, 4 << 20, N_("disk"), "cpu", "io",
			   EXPLAINED_DISK },
	[PROCESS_TCP] = { "tcp_bytes", false, UNIT_BYTES_PER_SECOND, 1 << 18, N_("TCP"), "cpu", "network",
			  EXPLAINED_NETWORK },
	/* no line: where it grows, what was read and written may be of a child that has ended */
	[PROCESS_CHILDREN] = { "children_faults", .least = INFINITY },
};

/* Of the commands in the log of events where that is kept, else of those that exited. */
static const struct row_metric event_metrics[METRICS] = {
	{ "execs", false, UNIT_PER_SECOND, 5, N_("execs"), "events", "statistics", EXPLAINED_STARTS },
	{ "exits", false, UNIT_PER_SECOND, 5, N_("exits"), "events", "statistics", EXPLAINED_STARTS },
	{ "failures", false, UNIT_PER_SECOND, 1, N_("failures"), "events", "statistics", EXPLAINED_ALONE },
};

static const struct row_metric exit_metrics[METRICS] = {
	{ "exits", false, UNIT_PER_SECOND, 5, N_("exits"), "cpu", "exited", EXPLAINED_STARTS,
	  "exits_per_second" },
	{ "failures", false, UNIT_PER_SECOND, 1, N_("failures"), "cpu", "exited", EXPLAINED_ALONE,
	  "failures_per_second" },
	{ "cpu_seconds", false, UNIT_RATIO, 0.1, N_("CPU until exit"), "cpu", "exited", EXPLAINED_CPU,
	  "cpu_ratio" },
};

#define GOLDEN 0.618034
#define REST_MAX 14   /* samples in a row that a table may be missing in (screen/state.h) */
#define ABSENT (-1.0) /* the row was not in the table */

/* A sample that is read for its rows. */
struct visit {
	size_t index;
	int slot;     /* its numbers are kept there; -1: they are not */
	bool around;  /* it is near the moment */
	bool sampled; /* the table was */
	uint64_t mono_ns, wall_ns;
	double boot_seconds;
};

/* A process or a command. */
struct traced {
	uint64_t pid; /* U64_UNKNOWN: of a command, or of all processes of a name, as others stored them */
	double start_seconds;
	const char *name;       /* its last one */
	unsigned first, last;   /* visits in which it was, … */
	unsigned counted;       /* … and the last one up to the moment, or its last one */
	double newest[METRICS]; /* then */
	bool is_rate[METRICS];  /* its numbers are rates, not what has been counted */
};

struct trace {
	struct study *study;
	const char *topic;
	const struct row_metric *metrics;
	struct visit visits[VISITS_MAX];
	unsigned n_visits;
	unsigned moment; /* the visit of the explained sample */
	struct stretch {
		int begin, end;     /* slots */
	} stretches[STRETCHES + 1]; /* the last one ends at the moment */
	unsigned n_stretches;       /* without that */
	int n_slots;
	int slots[SLOTS]; /* their visits; -1: not sampled */
	struct traced *rows;
	size_t n_rows, capacity;
	uint32_t others; /* index of the row of all that were stored without a name; HASH_NONE: none is */
	double *values; /* of each row in each slot, by metric */
	size_t n_values, value_capacity;
	struct hash by_key;
};

/* Rows of the same name that started or exited near the moment. */
struct churn {
	const char *name;
	unsigned n_started, n_exited;
	const struct traced *row; /* the one that used most */
	double first_before;      /* from the first start or exit to the moment */
	double cpu_seconds;       /* that those which started have used */
	double resident_bytes;    /* of those that are there at the moment */
	double used[METRICS];     /* by those that started, and were there at the first departure or later */
	double freed[METRICS];    /* what those that are gone used before: in a second */
};

static bool is_process(const struct trace *trace)
{
	return trace->metrics == process_metrics;
}

static void add_visit(struct trace *trace, size_t index, int slot, bool around)
{
	if (trace->n_visits < VISITS_MAX)
		trace->visits[trace->n_visits++] =
			(struct visit){ .index = index, .slot = slot, .around = around };
}

/* The place of the last sample before the first departure. */
static size_t place_before(const struct study *study)
{
	size_t last = study->n_samples - 1;

	return study->n_since < last - study->from ? last - study->n_since : study->from;
}

/* What is known of a place, a sample of the study in the order of time. */
struct place {
	int slot;    /* -1: none */
	bool around; /* visited for those that started or ended */
	enum { NOT_KNOWN, SAMPLED, NOT_SAMPLED } table;
};

static bool is_sampled(const struct trace *trace, struct place *places, size_t place)
{
	struct frame *frame = &trace->study->frames[0];

	if (places[place].table == NOT_KNOWN) {
		bool read = study_read(trace->study, frame, trace->study->samples[place].index);

		places[place].table = read && frame_table(frame, trace->topic) ? SAMPLED : NOT_SAMPLED;
	}
	return places[place].table == SAMPLED;
}

/* The newest place up to this one whose sample has the table; this one, if that is too far back. */
static size_t sampled_place(const struct trace *trace, struct place *places, size_t place)
{
	for (size_t back = 0; back <= REST_MAX && place >= trace->study->from + back; back++)
		if (is_sampled(trace, places, place - back))
			return place - back;
	return place;
}

/* The slot of the sample at this place, which it gets now. */
static int slot_at(struct trace *trace, struct place *places, size_t place)
{
	if (places[place].slot < 0)
		places[place].slot = trace->n_slots++;
	return places[place].slot;
}

static void plan_stretch(struct trace *trace, struct place *places, struct stretch *stretch,
			 size_t begin, size_t end)
{
	size_t last = sampled_place(trace, places, end), length = end - begin;
	size_t first = last - trace->study->from < length ? begin : last - length;

	stretch->begin = slot_at(trace, places, sampled_place(trace, places, first));
	stretch->end = slot_at(trace, places, last);
}

/*
 * Stretches as long as the last one, so that their rates have the same noise, and not at equal distances, at
 * which something periodic could hide.
 */
static void plan_stretches(struct trace *trace, struct place *places, unsigned most)
{
	const struct study *study = trace->study;
	size_t from = study->from, last = study->n_samples - 1, before = place_before(study);
	size_t length = last - before, room = before - from;

	if (length > 0 && room >= length)
		trace->n_stretches = room - length + 1 < most ? (unsigned)(room - length + 1) : most;
	for (unsigned i = 0; i < trace->n_stretches; i++) {
		double at = trace->n_stretches < most ? i : i + fmod(i * GOLDEN, 1);
		size_t begin = from + (size_t)(at * (double)(room - length + 1) / trace->n_stretches);

		plan_stretch(trace, places, &trace->stretches[i], begin, begin + length);
	}
	plan_stretch(trace, places, &trace->stretches[trace->n_stretches], before, last);
}

/* From ten seconds before the moment, or from the first departure on. */
static void plan_around(const struct trace *trace, struct place *places)
{
	const struct study *study = trace->study;
	size_t last = study->n_samples - 1, begin = place_before(study), step;

	while (begin > study->from &&
	       study_moment(study)->mono_ns - study->samples[begin].mono_ns < AROUND_NS)
		begin--;
	step = (last - begin) / (VISITS_AROUND / 2) + 1;
	for (size_t i = begin; i <= last; i += step)
		places[sampled_place(trace, places, i)].around = true;
}

/* In the order of time: those of stretches, those around the moment, and those after it. */
static void plan_visits(struct trace *trace, size_t n_rows)
{
	const struct study *study = trace->study;
	uint64_t first_ns, last_ns;
	size_t n_kept = source_extent(study->source, &first_ns, &last_ns);
	struct place *places = alloc_zeroed(study->n_samples, sizeof(*places));
	bool around = false;

	for (size_t i = 0; i < study->n_samples; i++)
		places[i].slot = -1;
	plan_stretches(trace, places, n_rows > MANY_ROWS ? STRETCHES_OF_MANY : STRETCHES);
	plan_around(trace, places);
	for (size_t i = study->from; i < study->n_samples; i++) {
		around |= places[i].around;
		if (places[i].slot >= 0 || places[i].around)
			add_visit(trace, study->samples[i].index, places[i].slot, around);
	}
	trace->moment = trace->n_visits - 1;
	for (size_t i = study_moment(study)->index + 1; i < n_kept && trace->n_visits < VISITS_MAX; i++)
		add_visit(trace, i, -1, true);
	free(places);
}

/* The numbers of a row in a slot. */
static double *values_in(const struct trace *trace, const struct traced *row, int slot)
{
	return &trace->values[((size_t)(row - trace->rows) * (size_t)trace->n_slots + (size_t)slot) *
			      METRICS];
}

static struct traced *traced_row(struct trace *trace, const struct table *table, const void *row,
				 unsigned visit)
{
	bool process = is_process(trace);
	uint64_t pid = process ? table_u64(table, row, "pid") : U64_UNKNOWN, hash;
	double start = process ? table_number(table, row, "start_seconds") : NAN;
	const char *name = table_text(table, row, process ? "name" : "command");
	size_t n_values = (size_t)trace->n_slots * METRICS;
	struct traced *traced;
	uint32_t at;

	hash = pid == U64_UNKNOWN ? hash_bytes(HASH_SEED, span_text(name)) : row_hash_key(table->schema, row);
	HASH_FIND(at, &trace->by_key, hash,
		  trace->rows[at].pid == pid &&
			  (pid == U64_UNKNOWN ? strcmp(trace->rows[at].name, name) == 0
					      : fabs(trace->rows[at].start_seconds - start) < 1e-3));
	if (at != HASH_NONE) {
		traced = &trace->rows[at];
		if (strcmp(traced->name, name) != 0) /* it has executed another program since */
			traced->name = study_print(trace->study, "%s", name);
		return traced;
	}
	hash_add(&trace->by_key, hash, (uint32_t)trace->n_rows);
	if (pid == U64_UNKNOWN && strcmp(name, ROW_OF_OTHERS) == 0)
		trace->others = (uint32_t)trace->n_rows;
	traced = VECTOR_ADD(trace->rows, trace->n_rows, trace->capacity);
	*traced = (struct traced){ .pid = pid,
				   .start_seconds = start,
				   .name = study_print(trace->study, "%s", name),
				   .first = visit };
	VECTOR_RESERVE(trace->values, trace->n_values + n_values, trace->value_capacity);
	for (size_t i = 0; i < n_values; i++)
		trace->values[trace->n_values++] = ABSENT;
	return traced;
}

static void take_rows(struct trace *trace, const struct table *table, unsigned index)
{
	const struct visit *visit = &trace->visits[index];
	const struct column *columns[METRICS], *rates[METRICS];

	for (int m = 0; m < METRICS; m++) {
		const struct row_metric *metric = &trace->metrics[m];

		columns[m] = metric->column ? schema_known_column(table->schema, metric->column) : NULL;
		rates[m] = metric->rate ? schema_known_column(table->schema, metric->rate) : NULL;
	}
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		struct traced *traced;

		if (schema_row_is_sum(table->schema, row))
			continue;
		traced = traced_row(trace, table, row, index);
		traced->last = index;
		if (index <= trace->moment || traced->first > trace->moment)
			traced->counted = index;
		for (int m = 0; m < METRICS; m++) {
			double number = columns[m] ? row_number(row, columns[m]) : NAN;

			traced->is_rate[m] = isnan(number) && rates[m] && row_is_known(row, rates[m]);
			if (traced->is_rate[m])
				number = row_number(row, rates[m]);
			if (traced->counted == index)
				traced->newest[m] = number;
			if (visit->slot >= 0)
				values_in(trace, traced, visit->slot)[m] = number;
		}
	}
}

/* Half as long after the moment as before it. */
static bool is_late(const struct trace *trace, unsigned index, const struct frame *frame)
{
	return index > trace->moment &&
	       (frame->boot != study_moment(trace->study)->boot ||
		frame->mono_ns < study_moment(trace->study)->mono_ns ||
		frame->mono_ns - study_moment(trace->study)->mono_ns > AROUND_NS / 2);
}

static void visit_all(struct trace *trace, struct frame *frame)
{
	for (int i = 0; i < SLOTS; i++)
		trace->slots[i] = -1;
	for (unsigned i = 0; i < trace->n_visits; i++) {
		struct visit *visit = &trace->visits[i];
		const struct table *table;

		if (!study_read(trace->study, frame, visit->index) || is_late(trace, i, frame)) {
			trace->n_visits = i;
			break;
		}
		table = frame_table(frame, trace->topic);
		visit->sampled = table && !table->failed;
		visit->mono_ns = table ? table->mono_ns : frame->mono_ns;
		visit->wall_ns = frame->wall_ns;
		visit->boot_seconds = frame_number(frame, "system", NULL, "uptime_seconds");
		if (!visit->sampled)
			continue;
		if (visit->slot >= 0)
			trace->slots[visit->slot] = (int)i;
		take_rows(trace, table, i);
	}
}

/* A name that was not stored then is among all others: it used nothing that counts if they did not. */
static double value_among_others(const struct trace *trace, int slot, int metric)
{
	double others = trace->others == HASH_NONE
				? ABSENT
				: values_in(trace, &trace->rows[trace->others], slot)[metric];

	return others < trace->metrics[metric].least ? 0 : NAN;
}

/* What a row has not counted yet is 0: before its process started, and of a command before its first. */
static double value_at(const struct trace *trace, const struct traced *row, int slot, int metric)
{
	double value = values_in(trace, row, slot)[metric];

	if (trace->slots[slot] < 0)
		return NAN;
	if (value > ABSENT || isnan(value))
		return value;
	if (is_process(trace) ? row->pid == U64_UNKNOWN : row->is_rate[metric])
		return value_among_others(trace, slot, metric);
	return !is_process(trace) || row->start_seconds > trace->visits[trace->slots[slot]].boot_seconds
		       ? 0
		       : NAN;
}

static double seconds_of(const struct trace *trace, const struct stretch *stretch)
{
	int begin = trace->slots[stretch->begin], end = trace->slots[stretch->end];

	if (begin < 0 || end < 0)
		return NAN;
	return ((double)trace->visits[end].mono_ns - (double)trace->visits[begin].mono_ns) / 1e9;
}

static bool is_of_children(const struct trace *trace, int metric, double children)
{
	return is_process(trace) && metric == PROCESS_DISK && children > 0;
}

/* Its value at the end of a stretch, or its rate there. */
static double number_of(const struct trace *trace, const struct traced *row, const struct stretch *stretch,
			int metric)
{
	double end = value_at(trace, row, stretch->end, metric), growth;

	if (is_of_children(trace, metric, value_at(trace, row, stretch->end, PROCESS_CHILDREN) -
						  value_at(trace, row, stretch->begin, PROCESS_CHILDREN)))
		return NAN;
	if (trace->metrics[metric].gauge || row->is_rate[metric])
		return end;
	growth = end - value_at(trace, row, stretch->begin, metric);
	return growth >= 0 ? growth / seconds_of(trace, stretch) : NAN;
}

static const struct stretch *last_stretch(const struct trace *trace)
{
	return &trace->stretches[trace->n_stretches];
}

/* Its number in the explained sample; ABSENT: it was not there. */
static double value_now(const struct trace *trace, const struct traced *row, int metric)
{
	return values_in(trace, row, last_stretch(trace)->end)[metric];
}

static bool is_at_moment(const struct trace *trace, const struct traced *row)
{
	return value_now(trace, row, 0) > ABSENT || isnan(value_now(trace, row, 0));
}

static enum departure_verdict judge_row(const struct trace *trace, const struct traced *row, int metric,
					struct departure *departure)
{
	double values[STRETCHES + 1];

	for (unsigned i = 0; i <= trace->n_stretches; i++)
		values[i] = number_of(trace, row, &trace->stretches[i], metric);
	return departure_judge(values, trace->n_stretches + 1, trace->metrics[metric].least, departure);
}

static const char *subject_of(const struct trace *trace, const struct traced *row)
{
	return row->pid == U64_UNKNOWN ? row->name
				       : study_print(trace->study, "%s %.0f", row->name, (double)row->pid);
}

static void set_place(const struct trace *trace, struct explained_line *line, const struct traced *row,
		      const struct row_metric *metric)
{
	line->pane = metric->pane;
	line->view = metric->view;
	line->topic = trace->topic;
	line->row = is_process(trace) ? "" : row->name;
	line->pid = row->pid;
	line->start_seconds = row->start_seconds;
	if (!is_at_moment(trace, row))
		line->wall_ns = trace->visits[row->last < trace->moment ? row->last : row->first].wall_ns;
}

/* The time in which it departed: that of the last stretch, or since the end of the last usual one. */
static double seconds_away(const struct trace *trace, const struct departure *departure)
{
	struct stretch away = *last_stretch(trace);

	if (departure->n_since > 1)
		away.begin = trace->stretches[trace->n_stretches - departure->n_since].end;
	return seconds_of(trace, &away);
}

static void write_departure(const struct trace *trace, const struct traced *row, int metric, bool rose,
			    const struct departure *departure)
{
	const struct row_metric *of = &trace->metrics[metric];
	struct explained_line *line = study_line(trace->study);
	char now[VALUE_TEXT_MAX], usual[VALUE_TEXT_MAX], extreme[VALUE_TEXT_MAX], stretch[VALUE_TEXT_MAX];
	char away[VALUE_TEXT_MAX];
	double change = fabs(departure->now - departure->usual);

	amount_text(stretch, UNIT_SECONDS, seconds_of(trace, last_stretch(trace)));
	amount_text(away, UNIT_SECONDS, seconds_away(trace, departure));
	amount_text(now, of->unit, departure->now);
	amount_text(usual, of->unit, departure->usual);
	amount_text(extreme, of->unit, departure->extreme);
	line->subject = subject_of(trace, row);
	line->change = study_print(trace->study, _("%s %s, usually %s"), _(of->name), now, usual);
	line->when = study_print(trace->study, rose ? _("rose in the last %s") : _("fell in the last %s"),
				 away);
	line->sentence = study_print(trace->study, _("%s: %s %s, %s; usually %s."), line->subject,
				     _(of->name), now, line->when, usual);
	line->counted = study_print(trace->study,
				    rose ? _("In %zu stretches of %s before: median %s, at most %s.")
					 : _("In %zu stretches of %s before: median %s, at least %s."),
				    departure->n_usual, stretch, usual, extreme);
	set_place(trace, line, row, of);
	line->rank = fmin(change / of->least, STUDY_RANK_MAX);
	line->away_seconds = seconds_away(trace, departure);
	study_part(trace->study, (struct study_part){ .resource = of->resource,
						      .rose = rose,
						      .whole = of->resource == EXPLAINED_ALONE,
						      .size = change });
}

/* The visit in which it was gone; 0: it was not, or long before the moment. */
static unsigned gone_at(const struct trace *trace, const struct traced *row)
{
	unsigned next = row->last + 1;

	while (next < trace->n_visits && !trace->visits[next].sampled)
		next++;
	return trace->visits[row->last].around && next < trace->n_visits ? next : 0;
}

/* Seconds from its start to the moment; NaN: not known, or not near it. */
static double started_before(const struct trace *trace, const struct traced *row)
{
	double begin = NAN, end = trace->visits[trace->n_visits - 1].boot_seconds;

	for (unsigned i = 0; i < trace->n_visits && isnan(begin); i++)
		if (trace->visits[i].around)
			begin = trace->visits[i].boot_seconds;
	return row->start_seconds > begin && row->start_seconds <= end
		       ? trace->visits[trace->moment].boot_seconds - row->start_seconds
		       : NAN;
}

/* What started near the moment has a line of its own, and no past to compare with. */
static bool is_compared(const struct trace *trace, const struct traced *row)
{
	return !is_process(trace) || (is_at_moment(trace, row) && isnan(started_before(trace, row)));
}

/* A few events in a short stretch give a high rate. */
static bool is_chance(const struct trace *trace, int metric, const struct departure *departure)
{
	return trace->metrics[metric].unit == UNIT_PER_SECOND &&
	       fabs(departure->now - departure->usual) * seconds_of(trace, last_stretch(trace)) < EVENTS_MIN;
}

static void write_departures(const struct trace *trace)
{
	for (size_t i = 0; i < trace->n_rows; i++) {
		const struct traced *row = &trace->rows[i];

		for (int m = 0; m < METRICS && trace->metrics[m].column && is_compared(trace, row); m++) {
			struct departure departure;
			enum departure_verdict verdict = judge_row(trace, row, m, &departure);

			if (!is_chance(trace, m, &departure) &&
			    (verdict == DEPARTURE_ROSE || verdict == DEPARTURE_FELL))
				write_departure(trace, row, m, verdict == DEPARTURE_ROSE, &departure);
		}
	}
}

static double before_moment(const struct trace *trace, unsigned visit)
{
	return ((double)trace->visits[trace->moment].mono_ns - (double)trace->visits[visit].mono_ns) / 1e9;
}

/* What it has used of a metric, or has of it; NaN: not known. */
static double use_so_far(const struct trace *trace, const struct traced *row, int metric)
{
	return is_of_children(trace, metric, row->newest[PROCESS_CHILDREN]) ? NAN : row->newest[metric];
}

/* The same, in a second where that counts. */
static double mean_use(const struct trace *trace, const struct traced *row, int metric)
{
	double seconds = trace->visits[row->counted].boot_seconds - row->start_seconds;

	return use_so_far(trace, row, metric) / (trace->metrics[metric].gauge ? 1 : seconds);
}

/* ", resident 2.0 MiB, disk 29 MiB/s, TCP 3.0 MiB/s": what is worth a line. */
static const char *holds_of(const struct trace *trace, const struct traced *row)
{
	const char *text = "";
	char resident[VALUE_TEXT_MAX], rate[VALUE_TEXT_MAX];

	if (row->newest[PROCESS_RESIDENT] > 0)
		text = study_print(trace->study, ", %s %s", _("resident"),
				   amount_text(resident, UNIT_BYTES, row->newest[PROCESS_RESIDENT]));
	for (int m = PROCESS_DISK; m <= PROCESS_TCP; m++) {
		const struct row_metric *metric = &process_metrics[m];
		double use = mean_use(trace, row, m);

		if (isfinite(use) && use >= metric->least)
			text = study_print(trace->study, "%s, %s %s", text, _(metric->name),
					   amount_text(rate, metric->unit, use));
	}
	return text;
}

/* "started 6.2 s before, gone 1.0 s before; CPU time 4.1 s, resident 2.0 MiB" */
static const char *life_of(const struct trace *trace, const struct traced *row)
{
	double started = started_before(trace, row);
	unsigned gone = gone_at(trace, row);
	char cpu[VALUE_TEXT_MAX];
	const char *begin = isnan(started) ? ""
					   : study_print(trace->study, _("started %s, "),
							 study_when(trace->study, started));
	const char *end = gone ? study_print(trace->study, _("last seen %s, gone %s, "),
					     study_when(trace->study, before_moment(trace, row->last)),
					     study_when(trace->study, before_moment(trace, gone)))
			       : "";

	return study_print(trace->study, _("%s%sCPU time %s%s"), begin, end,
			   amount_text(cpu, UNIT_SECONDS, row->newest[PROCESS_CPU]), holds_of(trace, row));
}

static double first_time(const struct trace *trace, const struct traced *row)
{
	double started = started_before(trace, row);

	return isnan(started) ? before_moment(trace, gone_at(trace, row)) : started;
}

/* Each number only where it is known. */
static const char *use_of(const struct trace *trace, const struct traced *row)
{
	double share = mean_use(trace, row, PROCESS_CPU);
	const char *holds = holds_of(trace, row);
	char cpu[VALUE_TEXT_MAX];

	if (isfinite(share))
		return study_print(trace->study, _("CPU %s since its start%s"),
				   amount_text(cpu, UNIT_RATIO, share), holds);
	return *holds ? holds + strlen(", ") : holds;
}

static void add_part(const struct trace *trace, int metric, bool rose, double size)
{
	if (size >= process_metrics[metric].least)
		study_part(trace->study, (struct study_part){ .resource = process_metrics[metric].resource,
							      .rose = rose,
							      .size = size });
}

/* What it has a part in; and how much that is, in smallest changes. */
static double take_parts(const struct trace *trace, const struct churn *churn)
{
	double rank = 0, seconds = churn->first_before > 1 ? churn->first_before : 1;

	for (int m = 0; m < METRICS; m++) {
		double used = process_metrics[m].gauge ? churn->used[m] : churn->used[m] / seconds;
		double freed = churn->freed[m];

		add_part(trace, m, true, used);
		add_part(trace, m, false, freed);
		rank += used / process_metrics[m].least;
	}
	return fmin(rank, STUDY_RANK_MAX);
}

static void write_churn(const struct trace *trace, const struct churn *churn)
{
	struct explained_line *line = study_line(trace->study);
	double started = started_before(trace, churn->row);
	bool both = !isnan(started) && gone_at(trace, churn->row);
	bool of_one = churn->n_started + churn->n_exited == 1u + both;
	char resident[VALUE_TEXT_MAX], cpu[VALUE_TEXT_MAX];

	amount_text(cpu, UNIT_SECONDS, churn->cpu_seconds);
	set_place(trace, line, churn->row, &process_metrics[0]);
	line->rank = take_parts(trace, churn);
	line->away_seconds = fabs(of_one ? first_time(trace, churn->row) : churn->first_before);
	if (of_one) {
		line->subject = subject_of(trace, churn->row);
		line->change = use_of(trace, churn->row);
		line->when = study_print(trace->study, isnan(started) ? _("gone %s") : _("started %s"),
					 study_when(trace->study, first_time(trace, churn->row)));
		line->sentence = study_print(trace->study, "%s: %s.", line->subject,
					     life_of(trace, churn->row));
		return;
	}
	line->subject = churn->name;
	line->change = study_print(trace->study, _("at least %u started, %u ended, CPU time %s"),
				   churn->n_started, churn->n_exited, cpu);
	if (churn->resident_bytes > 0)
		line->change = study_print(trace->study, _("%s, resident %s"), line->change,
					   amount_text(resident, UNIT_BYTES, churn->resident_bytes));
	line->when = study_print(trace->study, _("from %s"), study_when(trace->study, churn->first_before));
	line->sentence =
		study_print(trace->study,
			    _("%s: at least %u started, %u ended, %s CPU time (largest: %.0f, %s)."),
			    line->subject, churn->n_started, churn->n_exited, cpu, (double)churn->row->pid,
			    life_of(trace, churn->row));
}

/* A process that started and was still there at the first departure, or one that had been there before it. */
static void take_use(const struct trace *trace, const struct traced *row, struct churn *churn)
{
	double started = started_before(trace, row);
	unsigned gone = gone_at(trace, row);
	double since = seconds_of(trace, last_stretch(trace));

	for (int m = 0; m < METRICS; m++) {
		double use = mean_use(trace, row, m);
		double now = process_metrics[m].gauge ? value_now(trace, row, m) : use_so_far(trace, row, m);

		if (started >= 0 && before_moment(trace, row->last) < since && now > 0)
			churn->used[m] += now;
		if (gone && gone <= trace->moment && !(started < since) && use > 0)
			churn->freed[m] += use;
	}
}

/* How much of the machine it used near the moment: of those that were there before, that is not known. */
static double weight_of(const struct trace *trace, const struct traced *row)
{
	double weight = 0;

	for (int m = 0; m < METRICS; m++) {
		bool known = process_metrics[m].gauge || !isnan(started_before(trace, row));

		if (known && use_so_far(trace, row, m) > 0)
			weight += use_so_far(trace, row, m) / process_metrics[m].least;
	}
	return weight;
}

static int by_cpu(const void *left, const void *right)
{
	const struct churn *one = left, *other = right;
	unsigned n_one = one->n_started + one->n_exited, n_other = other->n_started + other->n_exited;

	if (one->cpu_seconds < other->cpu_seconds || one->cpu_seconds > other->cpu_seconds)
		return one->cpu_seconds < other->cpu_seconds ? 1 : -1;
	return (n_one < n_other) - (n_one > n_other);
}

static struct churn *churn_of(struct churn **churns, size_t *n, size_t *capacity, const struct traced *row)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp((*churns)[i].name, row->name) == 0)
			return &(*churns)[i];
	*VECTOR_ADD(*churns, *n, *capacity) =
		(struct churn){ .name = row->name, .row = row, .first_before = -INFINITY };
	return &(*churns)[*n - 1];
}

/* Processes alone start and end: a name that is not stored any more may go on. */
static void write_churns(const struct trace *trace, struct buffer *remarks)
{
	struct churn *churns = NULL;
	size_t n = 0, capacity = 0;

	for (size_t i = 0; i < trace->n_rows; i++) {
		const struct traced *row = &trace->rows[i];
		bool started = !isnan(started_before(trace, row)), exited = gone_at(trace, row) > 0;
		struct churn *churn;

		if (row->pid == U64_UNKNOWN || (!started && !exited))
			continue;
		churn = churn_of(&churns, &n, &capacity, row);
		churn->n_started += started;
		churn->n_exited += exited;
		take_use(trace, row, churn);
		churn->cpu_seconds += started && row->newest[0] > 0 ? row->newest[0] : 0;
		churn->resident_bytes += value_now(trace, row, 1) > 0 ? value_now(trace, row, 1) : 0;
		churn->first_before = fmax(churn->first_before, first_time(trace, row));
		if (weight_of(trace, row) > weight_of(trace, churn->row))
			churn->row = row;
	}
	if (n > 1)
		qsort(churns, n, sizeof(*churns), by_cpu);
	for (size_t i = 0; i < n && i < CHURN_MAX; i++)
		write_churn(trace, &churns[i]);
	if (n > CHURN_MAX)
		buffer_print(remarks, _("Processes of %zu more names started or exited. "), n - CHURN_MAX);
	free(churns);
}

/* False: the explained sample lacks the topic. */
static bool explain_topic(struct study *study, const char *topic, const struct row_metric *metrics)
{
	const struct table *table;
	struct trace *trace;

	study_want(study, (const char *const[]){ topic, "system" }, 2);
	if (!study_read(study, &study->frames[0], study_moment(study)->index))
		return false;
	table = frame_table(&study->frames[0], topic);
	if (!table || table->failed)
		return false;
	trace = alloc_zeroed(1, sizeof(*trace));
	trace->study = study;
	trace->topic = topic;
	trace->metrics = metrics;
	trace->others = HASH_NONE;
	plan_visits(trace, table->n_rows);
	visit_all(trace, &study->frames[0]);
	if (trace->n_visits > trace->moment)
		write_departures(trace);
	if (trace->n_visits > trace->moment && is_process(trace))
		write_churns(trace, &study->remarks);
	hash_free(&trace->by_key);
	free(trace->rows);
	free(trace->values);
	free(trace);
	return true;
}

void study_rows(struct study *study)
{
	if (!explain_topic(study, "process", process_metrics))
		buffer_text(&study->remarks, _("Processes were not sampled then. "));
	if (!explain_topic(study, "event_total", event_metrics))
		explain_topic(study, "exited", exit_metrics);
}
