/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Why" is about the last ten seconds, and depends on the last thirty alone: two panetops agree from their
 * thirtieth second on, and a step back shows what was shown then. Which sentence held before is found by
 * going through the ten-second means of the last twenty seconds.
 */
#include <config.h>

#include "pane/process/process.h"

#include <math.h>
#include <string.h>

#define MEAN_SECONDS 10
#define LEAST_SECONDS 5  /* of a mean */
#define MOST_SECONDS 15  /* of one with several samples */
#define HELD_STEPS 20    /* of a second, back to where nothing had held yet */
#define STUCK_CPU_RATIO 0.001 /* a process that uses more has not waited all the time */

/* A mean of the last seconds, and what it is called in sentences. */
static const struct mean {
	const char *name;
	enum unit unit;
	enum process_series series, over; /* over: the counter that it is a share of; 0: time */
	bool level;                       /* a gauge: the mean of samples */
} means[] = {
	{ "cpu_ratio", UNIT_RATIO, PROCESS_SERIES_CPU_SECONDS },
	{ "user_ratio", UNIT_RATIO, PROCESS_SERIES_USER_SECONDS },
	{ "system_ratio", UNIT_RATIO, PROCESS_SERIES_SYSTEM_SECONDS },
	{ "wait_ratio", UNIT_RATIO, PROCESS_SERIES_WAIT_SECONDS },
	{ "disk_ratio", UNIT_RATIO, PROCESS_SERIES_TIME_DISK },
	{ "memory_ratio", UNIT_RATIO, PROCESS_SERIES_TIME_MEMORY },
	{ "lock_ratio", UNIT_RATIO, PROCESS_SERIES_TIME_LOCK },
	{ "other_ratio", UNIT_RATIO, PROCESS_SERIES_TIME_OTHER },
	{ "major_faults_per_second", UNIT_PER_SECOND, PROCESS_SERIES_MAJOR_FAULTS },
	{ "throttled_ratio", UNIT_RATIO, PROCESS_SERIES_THROTTLED, PROCESS_SERIES_PERIODS },
	{ "lock_threads", UNIT_NONE, PROCESS_SERIES_LOCK_THREADS, .level = true },
};

#define N_MEANS (sizeof(means) / sizeof(means[0]))
#define N_MADE (N_MEANS + 6)

/* The facts of the story: means of the past, then what the shown frame has. */
struct past_facts {
	struct facts facts;
	const struct facts *now;
	struct made_fact made[N_MADE];
	size_t n_made;
};

static struct fact find_fact(const struct facts *facts, struct span name)
{
	const struct past_facts *of = (const struct past_facts *)facts;

	for (size_t i = 0; i < of->n_made; i++)
		if (span_is(name, of->made[i].name))
			return made_fact_of(&of->made[i]);
	return of->now->find(of->now, name);
}

double process_time_part(const struct frame *frame, double pid, const char *part, const char *column)
{
	const struct table *table = frame_table(frame, "time_account");

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (table_number(table, row, "pid") == pid &&
		    strcmp(table_text(table, row, "part"), part) == 0)
			return table_number(table, row, column);
	}
	return NAN;
}

bool process_waits_in_ring(const struct process_rows *rows)
{
	return strcmp(process_text(rows, "system_call"), "io_uring_enter") == 0 ||
	       strcmp(process_text(rows, "wait_channel"), "io_cqring_wait") == 0;
}

void process_past_note(struct pane_context *context, const struct process_rows *rows,
		       const struct frame *frame)
{
	static const struct {
		enum process_series series;
		const char *name;
	} counters[] = { { PROCESS_SERIES_CPU_SECONDS, "cpu_seconds" },
			 { PROCESS_SERIES_DISK_SECONDS, "disk_seconds" },
			 { PROCESS_SERIES_PERIODS, "group_periods" },
			 { PROCESS_SERIES_THROTTLED, "group_throttled_periods" },
			 { PROCESS_SERIES_LOCK_THREADS, "lock_threads" },
			 { PROCESS_SERIES_USER_SECONDS, "user_seconds" },
			 { PROCESS_SERIES_SYSTEM_SECONDS, "system_seconds" },
			 { PROCESS_SERIES_WAIT_SECONDS, "wait_seconds" },
			 { PROCESS_SERIES_MAJOR_FAULTS, "major_faults" } },
	  parts[] = { { PROCESS_SERIES_TIME_DISK, "disk" },
		      { PROCESS_SERIES_TIME_MEMORY, "memory" },
		      { PROCESS_SERIES_TIME_LOCK, "lock" },
		      { PROCESS_SERIES_TIME_OTHER, "other" } };
	struct process_state *state = context_state(context);
	const char *code = process_text(rows, "state"), *call = process_text(rows, "system_call");
	double pid = process_number(rows, "pid");

	if (!rows->detail && !screen_is_of_recording(context)) /* the page is hidden: waits are not counted */
		return;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		history_set(&context->history, counters[i].series, frame,
			    process_number(rows, counters[i].name));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		history_set(&context->history, parts[i].series, frame,
			    process_time_part(frame, pid, parts[i].name, "seconds"));
	history_set(&context->history, PROCESS_SERIES_STATE, frame, *code ? *code : NAN);
	history_set(&context->history, PROCESS_SERIES_CALL, frame,
		    *code == 'S' && *call ? (double)intern_number(&state->calls, call) : NAN);
}

static double age_seconds(const struct history *history, size_t now, size_t index)
{
	return (double)(history_time(history, now) - history_time(history, index)) / 1e9;
}

/* The growth of a counter up to this sample, and the seconds of it; NaN: not known. */
static double growth(const struct history *history, unsigned series, size_t now, double *seconds)
{
	double last = NAN, first = NAN;
	size_t newest = now;

	*seconds = NAN;
	for (size_t i = now + 1; i-- > 0;) {
		double value = history_value(history, series, i), age = age_seconds(history, now, i);

		if (age > MOST_SECONDS && i + 1 < now) /* but one long interval counts */
			break;
		if (isnan(value))
			continue;
		if (isnan(last)) {
			if (age >= LEAST_SECONDS)
				break;
			last = first = value;
			newest = i;
			continue;
		}
		if (value > first) /* counting began again */
			break;
		first = value;
		*seconds = age_seconds(history, newest, i);
		if (age >= MEAN_SECONDS)
			break;
	}
	return *seconds >= LEAST_SECONDS ? last - first : NAN;
}

static double level(const struct history *history, unsigned series, size_t now)
{
	double sum = 0, age = 0;
	unsigned n = 0;

	for (size_t i = now + 1; i-- > 0 && (i + 1 >= now || age_seconds(history, now, i) < MEAN_SECONDS);) {
		if (isnan(history_value(history, series, i)))
			continue;
		sum += history_value(history, series, i);
		age = age_seconds(history, now, i);
		n++;
	}
	return age >= LEAST_SECONDS ? sum / n : NAN;
}

static double mean_of(const struct history *history, const struct mean *mean, size_t now)
{
	double seconds, grown;

	if (mean->level)
		return level(history, mean->series, now);
	grown = growth(history, mean->series, now, &seconds);
	if (mean->over) {
		seconds = growth(history, mean->over, now, &seconds);
		return seconds > 0 ? grown / seconds : NAN;
	}
	return grown / seconds;
}

/* The system call in which it slept in at least half of the last samples; NULL: there is none. */
static const char *call_of(const struct process_state *state, const struct history *history, size_t now)
{
	double most = NAN;
	unsigned votes = 0, n = 0, slept = 0;

	for (size_t i = now + 1; i-- > 0 && age_seconds(history, now, i) < MEAN_SECONDS;) {
		double call = history_value(history, PROCESS_SERIES_CALL, i);

		if (votes == 0)
			most = call;
		votes = votes == 0 || most == call ? votes + 1 : votes - 1;
	}
	for (size_t i = now + 1; i-- > 0 && age_seconds(history, now, i) < MEAN_SECONDS;) {
		n += isnan(history_value(history, PROCESS_SERIES_STATE, i)) ? 0 : 1;
		slept += history_value(history, PROCESS_SERIES_CALL, i) == most ? 1 : 0;
	}
	return slept > 0 && 2 * slept >= n ? state->calls.texts[(size_t)most] : NULL;
}

/* For how long each sample has found it in uninterruptible sleep, and it has used no CPU; NaN: it is not. */
static double stuck_seconds(const struct history *history, size_t now)
{
	double used = history_value(history, PROCESS_SERIES_CPU_SECONDS, now), seconds = NAN;

	for (size_t i = now + 1; i-- > 0 && history_value(history, PROCESS_SERIES_STATE, i) == 'D';) {
		double age = age_seconds(history, now, i);

		if (!(used - history_value(history, PROCESS_SERIES_CPU_SECONDS, i) <= STUCK_CPU_RATIO * age))
			break;
		seconds = age;
	}
	return seconds;
}

static void add_from(struct past_facts *of, const char *name, struct fact fact, const char *from)
{
	of->made[of->n_made++] = (struct made_fact){ name, fact, from };
}

static void add(struct past_facts *of, const char *name, struct fact fact)
{
	add_from(of, name, fact, NULL);
}

static double made_number(const struct past_facts *of, const char *name)
{
	return of->facts.find(&of->facts, span_text(name)).number;
}

/* Those of the ten seconds up to this sample of the history. */
static void make_facts(struct past_facts *of, const struct pane_context *context,
		       const struct process_rows *rows, size_t now)
{
	const struct history *history = &context->history;
	double seconds;

	of->n_made = 0;
	for (size_t i = 0; i < N_MEANS; i++)
		add_from(of, means[i].name, number_fact(mean_of(history, &means[i], now), means[i].unit),
			 "its mean over about the last 10 s");
	if (isnan(made_number(of, "disk_ratio")) && !process_waits_in_ring(rows)) {
		double blocked = growth(history, PROCESS_SERIES_DISK_SECONDS, now, &seconds);

		for (size_t i = 0; i < N_MEANS; i++)
			if (means[i].series == PROCESS_SERIES_TIME_DISK)
				of->made[i].fact.number = blocked / seconds;
	}
	growth(history, PROCESS_SERIES_CPU_SECONDS, now, &seconds);
	add(of, "mean_seconds", number_fact(seconds >= LEAST_SECONDS ? seconds : NAN, UNIT_SECONDS));
	add(of, "stuck_seconds", number_fact(stuck_seconds(history, now), UNIT_SECONDS));
	add(of, "sleep_call", text_fact(call_of(context->state, history, now)));
}

static void make_more_facts(struct past_facts *of)
{
	const char *call = of->facts.find(&of->facts, span_text("sleep_call")).text;
	const char *now = of->facts.find(&of->facts, span_text("system_call")).text;
	bool other = call && *call && now && strcmp(call, now) != 0;

	add_from(of, "wanted_ratio",
		 number_fact(made_number(of, "cpu_ratio") + made_number(of, "wait_ratio"), UNIT_RATIO),
		 "cpu_ratio + wait_ratio");
	if (other)
		add(of, "system_call_file", text_fact(NULL));
	add(of, "waits_for", text_fact(process_waits_for(&of->facts)));
}

/* The sample of the history that is shown; -1: none that has the numbers of this process. */
static long shown_sample(const struct pane_context *context, const struct process_rows *rows)
{
	const struct process_state *state = context->state;
	const struct history *history = &context->history;
	long now = history_find(history, context->frame->mono_ns);

	return state->pid == process_number(rows, "pid") && now >= 0 &&
			       history_time(history, (size_t)now) == context->frame->mono_ns &&
			       !isnan(history_value(history, PROCESS_SERIES_CPU_SECONDS, (size_t)now))
		       ? now
		       : -1;
}

static bool is_first(const struct history *history, long now)
{
	return now == 0 || isnan(history_value(history, PROCESS_SERIES_CPU_SECONDS, (size_t)now - 1));
}

enum process_level process_past_story(struct buffer *out, const struct pane_context *context,
				      const struct process_rows *rows, const struct facts *facts)
{
	struct past_facts of = { .facts = { find_fact }, .now = facts };
	const struct history *history = &context->history;
	long now = shown_sample(context, rows), before = -1, at;
	size_t held = PROCESS_NOT_HELD;

	if (now >= 0)
		make_facts(&of, context, rows, (size_t)now);
	/* what was not measured then: by its interval alone, as where a recording is opened in the middle */
	if (now < 0 ? screen_replays(context) : screen_is_of_recording(context) && is_first(history, now)) {
		of.n_made = 0;
		add(&of, "sleep_call", facts->find(facts, span_text("system_call")));
		make_more_facts(&of);
		return process_story(out, &of.facts, held);
	}
	if (now < 0) { /* it was opened a moment ago */
		for (size_t i = 0; i < N_MEANS; i++)
			add(&of, means[i].name, number_fact(NAN, means[i].unit));
		return process_story(out, &of.facts, held);
	}
	for (uint64_t step = HELD_STEPS; step > 0; step--, before = at) {
		uint64_t ago_ns = step * UINT64_C(1000000000), now_ns = context->frame->mono_ns;

		at = ago_ns < now_ns ? history_find(history, now_ns - ago_ns) : -1;
		if (at < 0 || at == before)
			continue;
		make_facts(&of, context, rows, (size_t)at);
		make_more_facts(&of);
		held = process_story_held(&of.facts, held);
	}
	make_facts(&of, context, rows, (size_t)now);
	make_more_facts(&of);
	return process_story(out, &of.facts, held);
}
