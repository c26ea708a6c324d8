/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of a process: why it is slow, what it is, what it uses, and its past. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error_name.h"
#include "core/utf8.h"
#include "pane/common.h"
#include "pane/process/process.h"

#define MEAN_SECONDS 10
#define EARLY_SECONDS 0.5 /* by which the first sample of a mean may be younger */
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
#define N_PAST (N_MEANS + 7)

/* The facts of the story: means of the past, then what the shown frame has. */
struct past_facts {
	struct facts facts;
	const struct facts *now;
	struct made_fact made[N_PAST];
	size_t n_made;
};

static struct fact past_fact(const struct facts *facts, struct span name)
{
	const struct past_facts *of = (const struct past_facts *)facts;

	for (size_t i = 0; i < of->n_made; i++)
		if (span_is(name, of->made[i].name))
			return made_fact_of(&of->made[i]);
	return of->now->find(of->now, name);
}

/* A number by column of this part of its time account; NaN: unknown. */
static double process_time_part(const struct frame *frame, double pid, const char *part, const char *column)
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

/* Does io_uring wait for anything, which the kernel's own account takes for storage? */
static bool process_waits_in_ring(const struct process_rows *rows)
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
	  times[] = { { PROCESS_SERIES_TIME_DISK, "disk" },
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
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		history_set(&context->history, times[i].series, frame,
			    process_time_part(frame, pid, times[i].name, "seconds"));
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
		if (age >= MEAN_SECONDS - EARLY_SECONDS)
			break;
	}
	return *seconds >= LEAST_SECONDS ? last - first : NAN;
}

/* Of the time of each thread that it has now: others may have ended meanwhile. */
static double of_threads(const struct process_rows *rows, double ratio)
{
	double threads = process_number(rows, "threads");

	return threads >= 1 && ratio > threads ? threads : ratio;
}

static double mean_level(const struct history *history, unsigned series, size_t now)
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
		return mean_level(history, mean->series, now);
	grown = growth(history, mean->series, now, &seconds);
	if (mean->over) {
		seconds = growth(history, mean->over, now, &seconds);
		return seconds > 0 ? grown / seconds : NAN;
	}
	return grown / seconds;
}

/* The system call in which it slept in at least half of the last samples that saw it asleep; NULL: none. */
static const char *call_of(const struct process_state *state, const struct history *history, size_t now)
{
	double most = NAN;
	unsigned votes = 0, n = 0, slept = 0;

	for (size_t i = now + 1; i-- > 0 && age_seconds(history, now, i) < MEAN_SECONDS;) {
		double call = history_value(history, PROCESS_SERIES_CALL, i);

		if (isnan(call))
			continue;
		if (votes == 0)
			most = call;
		votes = votes == 0 || most == call ? votes + 1 : votes - 1;
	}
	for (size_t i = now + 1; i-- > 0 && age_seconds(history, now, i) < MEAN_SECONDS;) {
		n += isnan(history_value(history, PROCESS_SERIES_CALL, i)) ? 0 : 1;
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

/* Its row of the topic that dates such sleeps; NULL: it has none. */
static const void *stuck_row(const struct table *stuck, const struct process_rows *rows)
{
	double pid = process_number(rows, "pid");

	for (size_t i = 0; stuck && i < stuck->n_rows; i++)
		if (table_number(stuck, table_row(stuck, i), "tid") == pid)
			return table_row(stuck, i);
	return NULL;
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

/* Those of the ten seconds up to this sample of the history. */
static void make_past_facts(struct past_facts *of, const struct pane_context *context,
		       const struct process_rows *rows, size_t now)
{
	const struct history *history = &context->history;
	const struct table *stuck = frame_table(context->frame, "stuck");
	const void *row = stuck_row(stuck, rows);
	long shown = shown_sample(context, rows);
	const char *begun;
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
	for (size_t i = 0; i < N_MEANS; i++)
		if (means[i].series == PROCESS_SERIES_WAIT_SECONDS ||
		    (means[i].series >= PROCESS_SERIES_TIME_DISK &&
		     means[i].series <= PROCESS_SERIES_TIME_OTHER))
			of->made[i].fact.number = of_threads(rows, of->made[i].fact.number);
	growth(history, PROCESS_SERIES_CPU_SECONDS, now, &seconds);
	add(of, "mean_seconds", number_fact(seconds >= LEAST_SECONDS ? seconds : NAN, UNIT_SECONDS));
	seconds = stuck_seconds(history, now);
	if (!isnan(seconds) && row) /* which sees whether it ran in between */
		seconds = table_number(stuck, row, "stuck_seconds") -
			  age_seconds(history, (size_t)shown, now);
	add(of, "stuck_seconds", number_fact(seconds, UNIT_SECONDS));
	begun = row ? row_text(row, schema_find(stuck->schema, "begun")) : NULL;
	add(of, "stuck_dated", yes_fact(begun && *begun == '\0'));
	add(of, "sleep_call", text_fact(call_of(context->state, history, now)));
}

static void make_more_past_facts(struct past_facts *of, const struct process_rows *rows)
{
	const char *call = of->facts.find(&of->facts, span_text("sleep_call")).text;
	const char *now = of->facts.find(&of->facts, span_text("system_call")).text;
	bool other = call && *call && now && strcmp(call, now) != 0;

	add_from(of, "wanted_ratio",
		 number_fact(of_threads(rows, made_number(of, "cpu_ratio") + made_number(of, "wait_ratio")),
			     UNIT_RATIO),
		 "cpu_ratio + wait_ratio, at most its threads");
	if (other)
		add(of, "system_call_file", text_fact(NULL));
	add(of, "waits_for", text_fact(process_waits_for(&of->facts)));
}

/* The story at the shown frame; facts: of that frame alone. */
static enum process_level process_past_story(struct buffer *out, const struct pane_context *context,
					     const struct process_rows *rows, const struct facts *facts)
{
	struct past_facts of = { .facts = { past_fact }, .now = facts };
	const struct history *history = &context->history;
	long now = shown_sample(context, rows), before = -1, at;
	bool first = now == 0 || (now > 0 && isnan(history_value(history, PROCESS_SERIES_CPU_SECONDS,
								  (size_t)now - 1)));
	size_t held = PROCESS_NOT_HELD;

	if (now >= 0)
		make_past_facts(&of, context, rows, (size_t)now);
	/* what was not measured then: by its interval alone, as where a recording is opened in the middle */
	if (now < 0 ? screen_replays(context) : screen_is_of_recording(context) && first) {
		of.n_made = 0;
		add(&of, "sleep_call", facts->find(facts, span_text("system_call")));
		make_more_past_facts(&of, rows);
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
		make_past_facts(&of, context, rows, (size_t)at);
		make_more_past_facts(&of, rows);
		held = process_story_held(&of.facts, held);
	}
	make_past_facts(&of, context, rows, (size_t)now);
	make_more_past_facts(&of, rows);
	return process_story(out, &of.facts, held);
}

const char *process_waits_for(const struct facts *facts)
{
	static const struct remark waits[] = {
		{ "sleep_call == epoll_wait|epoll_pwait|epoll_pwait2|poll|ppoll|select|pselect6",
		  N_("for input or a timer") },
		{ "sleep_call == futex", N_("for a lock or another thread") },
		{ "sleep_call == nanosleep|clock_nanosleep", N_("on a timer") },
		{ "sleep_call == wait4|waitid", N_("until a child ends") },
		{ "sleep_call == accept|accept4", N_("for a connection") },
		{ "sleep_call == connect", N_("for an answer of the other side") },
		{ "sleep_call == flock|fcntl", N_("for a lock of a file") },
		{ "sleep_call == pause|rt_sigsuspend|rt_sigtimedwait", N_("for a signal") },
		{ "sleep_call == read|readv|recvfrom|recvmsg", N_("for data") },
		{ "sleep_call == write|writev|sendto|sendmsg", N_("until its data is taken") },
		{ "sleep_call == io_uring_enter", N_("for completions of io_uring") },
	};

	return remarks_first(REMARKS(waits), facts);
}

#define SLOW(condition, while_held, sentence)                                                                \
	{ .when = condition, .stays = while_held, .text = (sentence), .level = PROCESS_SLOW }
#define STUCK(condition, while_held, sentence)                                                               \
	{ .when = condition, .stays = while_held, .text = (sentence), .level = PROCESS_STUCK }
#define CALM(condition, while_held, sentence)                                                                \
	{ .when = condition, .stays = while_held, .text = (sentence), .level = PROCESS_CALM }
#define ENDED "state == X|Z, not main_ended"
#define UNREAD                                                                                               \
	{ .when = "state == Z",                                                                              \
	  .text = N_("Its parent has not read its exit status yet (zombie)."),                               \
	  .more = true }
#define NICE(where, sentence)                                                                                \
	{ .when = "policy == other|batch, nice > 0, nice_within == " where, .text = (sentence), .more = true }
#define HOT                                                                                                  \
	{ .when = "hot_ratio > 0.5, hot_function",                                                           \
	  .text = N_("Over half of that in {hot_function}."),                                                \
	  .more = true }
/* Less than this of a CPU counts as no work. */
#define SLEEPS "cpu_ratio < 0.05, waits_for"
#define SLEEPS_ON "cpu_ratio < 0.08, waits_for"

#define CONTENDED "lock_threads >= 2, lock_threads >= 0.5 * threads, not lock_ratio < 0.4 * threads"
#define CONTENDED_ON "lock_threads >= 1.5, lock_threads >= 0.4 * threads, not lock_ratio < 0.3 * threads"

static const struct remark remarks[] = {
	SLOW(ENDED ", oom_limit == /", NULL,
	     N_("Killed by SIGKILL[ at {ended_time:clock}]: the OOM killer, the machine was out of memory.")),
	UNREAD,
	SLOW(ENDED ", oom_limit", NULL,
	     N_("Killed by SIGKILL[ at {ended_time:clock}]: the OOM killer, at the memory limit of "
		"{oom_limit}.")),
	UNREAD,
	SLOW(ENDED ", exit_name", NULL, N_("Killed by SIG{exit_name}[ at {ended_time:clock}].")),
	UNREAD,
	SLOW(ENDED ", exit_signal >= 0", NULL, N_("Killed by signal {exit_signal}[ at {ended_time:clock}].")),
	UNREAD,
	SLOW(ENDED ", exit_code >= 0", NULL, N_("Exited with code {exit_code}[ at {ended_time:clock}].")),
	UNREAD,
	SLOW(ENDED, NULL, N_("Exited[ at {ended_time:clock}].")),
	UNREAD,
	SLOW("frozen", NULL, N_("Frozen with its control group: it does not run.")),
	SLOW("state == t", NULL, N_("Stopped by its tracer, process {tracer_pid}.")),
	SLOW("state == T, tracer_pid > 0", NULL, N_("Stopped by its tracer, process {tracer_pid}.")),
	SLOW("state == T, stop_name", NULL, N_("Stopped by SIG{stop_name}; SIGCONT continues it.")),
	SLOW("state == T", NULL, N_("Stopped by a signal; SIGCONT continues it.")),
	SLOW("quota, cpu_ratio >= 0.05", "quota, cpu_ratio >= 0.03", "{quota}"),
	SLOW("throttled_ratio >= throttled_limit, cpu_ratio >= 0.05",
	     "throttled_ratio >= 0.8 * throttled_limit, cpu_ratio >= 0.03",
	     N_("CPU quota of its group[ {limit_group}], {group_limit_ratio:.2} CPUs: throttled in "
		"{throttled_ratio} of periods[ (last {mean_seconds:.0} s)].")),
	/* before the wait for a CPU, which such threads have, too; idle threads of a pool wait otherwise */
	SLOW("convoy, " CONTENDED, "convoy, " CONTENDED_ON, N_("Lock contention: {convoy}")),
	SLOW(CONTENDED, CONTENDED_ON,
	     N_("Lock contention: about {lock_threads:.0} of {threads:.0} threads wait for one lock, "
		"futex[ {lock_address}][ (last {mean_seconds:.0} s)].")),
	SLOW("wait_ratio >= 0.2, not cpu_ratio > 4 * wait_ratio, not disk_ratio > wait_ratio",
	     "wait_ratio >= 0.15, not cpu_ratio > 5 * wait_ratio, not disk_ratio > 1.25 * wait_ratio",
	     N_("Waiting for CPU: wants {wanted_ratio:.1} CPUs, gets {cpu_ratio:cpus}"
		"[ (last {mean_seconds:.0} s)].")),
	NICE("machine", N_("(nice {nice} lets others go first)")),
	NICE("session, rivals_within >= rivals_elsewhere", N_("(nice {nice} lets others go first)")),
	NICE("session, rivals_within < rivals_elsewhere",
	     N_("(nice {nice} only applies within its session: autogroup)")),
	NICE("group", N_("(nice {nice} only applies within its control group)")),
	/* of waits, more than the time of one thread */
	SLOW("memory_ratio > 1, not disk_ratio > memory_ratio",
	     "memory_ratio > 0.9, not disk_ratio > 1.25 * memory_ratio",
	     N_("{memory_ratio:.1} of {threads:.0} threads wait for memory, for reclaim or evicted pages"
		"[ (last {mean_seconds:.0} s)].")),
	SLOW("memory_ratio >= 0.2, not disk_ratio > memory_ratio",
	     "memory_ratio >= 0.15, not disk_ratio > 1.25 * memory_ratio",
	     N_("Waiting for memory {memory_ratio} of the time, for reclaim or evicted pages"
		"[ (last {mean_seconds:.0} s)].")),
	SLOW("disk_ratio > 1, major_faults_per_second >= 20",
	     "disk_ratio > 0.9, major_faults_per_second >= 15",
	     N_("{disk_ratio:.1} of {threads:.0} threads wait for pages of the process: "
		"{major_faults_per_second} from storage[ (last {mean_seconds:.0} s)].")),
	SLOW("disk_ratio >= 0.2, major_faults_per_second >= 20",
	     "disk_ratio >= 0.15, major_faults_per_second >= 15",
	     N_("Waiting for its own pages {disk_ratio} of the time: {major_faults_per_second} from storage"
		"[ (last {mean_seconds:.0} s)].")),
	SLOW("disk_ratio > 1", "disk_ratio > 0.9",
	     N_("{disk_ratio:.1} of {threads:.0} threads wait for storage[ (last {mean_seconds:.0} s)].")),
	SLOW("disk_ratio >= 0.2", "disk_ratio >= 0.15",
	     N_("Waiting for storage {disk_ratio} of the time[ (last {mean_seconds:.0} s)].")),
	STUCK("stuck_seconds >= 10, stuck_dated", NULL,
	     N_("Stuck in uninterruptible sleep (D) for {stuck_seconds}[ in {system_call}]"
		"[: {wait_channel}].")),
	STUCK("stuck_seconds >= 10", NULL,
	     N_("Stuck in uninterruptible sleep (D) for at least {stuck_seconds}[ in {system_call}]"
		"[: {wait_channel}].")),
	SLOW("other_ratio > 1", "other_ratio > 0.9",
	     N_("{other_ratio:.1} of {threads:.0} threads wait in the kernel, not for storage"
		"[ (last {mean_seconds:.0} s)].")),
	SLOW("other_ratio >= 0.2", "other_ratio >= 0.15",
	     N_("Waiting in the kernel {other_ratio} of the time, not for storage"
		"[ (last {mean_seconds:.0} s)].")),
	CALM("cpu_ratio >= 0.9, threads <= 1", "cpu_ratio >= 0.85, threads <= 1",
	     N_("Computing: {cpu_ratio} of one CPU, user {user_ratio}, system {system_ratio}"
		"[ (last {mean_seconds:.0} s)]; one thread cannot use more.")),
	HOT,
	CALM("cpu_ratio >= 0.9", "cpu_ratio >= 0.85",
	     N_("Computing: {cpu_ratio:.1} CPUs, user {user_ratio:.1}, system {system_ratio:.1}"
		"[ (last {mean_seconds:.0} s)].")),
	HOT,
	/* of several threads some may have no work */
	CALM("lock_ratio >= 0.5, threads <= 1", "lock_ratio >= 0.4, threads <= 1",
	     N_("Waiting for a lock or another process {lock_ratio} of the time"
		"[ (last {mean_seconds:.0} s)].")),
	CALM(SLEEPS ", lock_holder_pid > 0, not lock_holder",
	     SLEEPS_ON ", lock_holder_pid > 0, not lock_holder",
	     N_("Sleeping {waits_for} ({sleep_call}[ {system_call_file}]), taken by {lock_holder_pid}, which "
		"has ended: a child holds it.")),
	CALM(SLEEPS ", main_ended", SLEEPS_ON ", main_ended",
	     N_("Main thread ended; the first that lives sleeps {waits_for} ({sleep_call}"
		"[ {system_call_file}])[, held by {lock_holder} {lock_holder_pid}].")),
	CALM(SLEEPS ", threads > 1", SLEEPS_ON ", threads > 1",
	     N_("Main thread sleeping {waits_for} ({sleep_call}[ {system_call_file}])"
		"[, held by {lock_holder} {lock_holder_pid}].")),
	CALM(SLEEPS, SLEEPS_ON,
	     N_("Sleeping {waits_for} ({sleep_call}[ {system_call_file}])"
		"[, held by {lock_holder} {lock_holder_pid}].")),
	CALM("cpu_ratio >= 0.05, waits_for, threads <= 1", "cpu_ratio >= 0.03, waits_for, threads <= 1",
	     N_("Computing {cpu_ratio} of the time, else mostly sleeping {waits_for} ({sleep_call})"
		"[ (last {mean_seconds:.0} s)].")),
	{ "main_ended, others >= 1",
	  PN_("Main thread ended; {others} thread goes on.", "Main thread ended; {others} threads go on."),
	  "others", .level = PROCESS_CALM },
	CALM("cpu_ratio", NULL, N_("no obvious cause")),
	CALM(NULL, NULL, N_("measuring ...")),
};

size_t process_story_held(const struct facts *facts, size_t held)
{
	return remarks_find(REMARKS(remarks), facts, held);
}

enum process_level process_story(struct buffer *out, const struct facts *facts, size_t held)
{
	return (enum process_level)remarks_say_at(out, REMARKS(remarks), facts,
						  process_story_held(facts, held));
}

#define LABEL_CELLS 10 /* at least */
#define WHY_LINES 2 /* at most */
#define GRAPHS_LINES 7 /* with axes, below the text */
#define GRAPHS_CELLS 40
#define LINE_CELLS_MIN 8

struct summary {
	const struct pane_context *context;
	struct process_rows rows;
};

static double number(const struct summary *summary, const char *column)
{
	return process_number(&summary->rows, column);
}

static const char *text_of(const struct summary *summary, const char *column)
{
	return process_text(&summary->rows, column);
}

/* Of the process that is sampled in detail, which in a recording may be another one: then NULL. */
static const struct table *own_table(const struct summary *summary, enum process_table table)
{
	return summary->rows.detail ? context_table(summary->context, table) : NULL;
}

static double how_ended(const struct summary *summary, const char *column, const char *of_event)
{
	bool known = !isnan(number(summary, "exit_code")) || !isnan(number(summary, "exit_signal"));

	return known ? number(summary, column)
		     : table_number(context_table(summary->context, PROCESS_TABLE_EVENT),
				    process_exit_event(summary->context, &summary->rows), of_event);
}

double process_rivals(const struct process_rows *rows, bool within)
{
	const struct table *all = rows->processes;
	const struct column *sessions = rows->process ? schema_find(all->schema, "session") : NULL;
	const struct column *ratios = sessions ? schema_find(all->schema, "cpu_ratio") : NULL;
	double session = ratios ? row_number(rows->process, sessions) : NAN, used = 0;

	for (size_t i = 0; !isnan(session) && i < all->n_rows; i++) {
		const void *row = table_row(all, i);
		double ratio = row_number(row, ratios);

		if (row != rows->process && ratio > 0 && (row_number(row, sessions) == session) == within)
			used += ratio;
	}
	return isnan(session) ? NAN : used;
}

/* A part of its time account. */
static double time_part(const struct summary *summary, const char *part)
{
	return of_threads(&summary->rows, process_time_part(summary->context->frame, number(summary, "pid"),
							    part, "ratio"));
}

/* At whose memory limit the OOM killer ended it; "": it did not, or that is not known. */
static const char *oom_limit(const struct summary *summary)
{
	const struct table *kills = context_table(summary->context, PROCESS_TABLE_KILL);
	double now_ns = (double)summary->context->frame->wall_ns, began_ns = number(summary, "started_time");
	char killed[TEXT_MAX];

	snprintf(killed, sizeof(killed), "%s %.0f", text_of(summary, "name"), number(summary, "pid"));
	for (size_t i = 0; kills && i < kills->n_rows; i++) {
		const void *row = table_row(kills, i);

		if (strcmp(table_text(kills, row, "killed"), killed) == 0 &&
		    !(table_number(kills, row, "age_seconds") - 1 > (now_ns - began_ns) / 1e9))
			return table_text(kills, row, "path");
	}
	return "";
}

/* The row of the function that runs most, of a profile of this process alone; NULL: there is none. */
static const void *hot_row(const struct summary *summary, const struct table *profile)
{
	const struct table *cost = frame_table(summary->context->frame, "profile_cost");

	if (!profile || !cost || cost->n_rows == 0 ||
	    table_number(cost, table_row(cost, 0), "pid") != number(summary, "pid"))
		return NULL;
	return table_most(profile, "self_ratio", NAN);
}

static double files_of(const struct summary *summary, const char *kind)
{
	const struct table *files = own_table(summary, PROCESS_TABLE_FILE);
	unsigned count = 0;

	for (size_t i = 0; files && i < files->n_rows; i++)
		count += strcmp(table_text(files, table_row(files, i), "kind"), kind) == 0;
	return count > 0 ? (double)count : NAN;
}

enum signals { PENDING, BLOCKED, IGNORED, CAUGHT, N_SIGNALS };

#define N_MADE 50

/* The rows of the process, and what is made of them. */
struct page_facts {
	struct facts facts;
	struct row_facts detail, process, exit, end; /* exit: its event; end: of its exit record */
	struct made_fact made[N_MADE];
	struct buffer why, quota, signals[N_SIGNALS];
};

/* Process rows have rates sooner, those in detail know more. */
static struct fact find_fact(const struct facts *facts, struct span name)
{
	const struct page_facts *of = (const struct page_facts *)facts;
	struct fact detail = row_fact(&of->detail.facts, name), process = row_fact(&of->process.facts, name);

	if (detail.text ? *detail.text || !process.text : !process.text && isnan(process.number))
		process = detail;
	if (!fact_is_known(&process) && of->exit.row)
		process = row_fact(&of->exit.facts, name);
	return fact_is_known(&process) || !of->end.row ? process : row_fact(&of->end.facts, name);
}

static struct fact signal_fact(double signal)
{
	return text_fact(signal > 0 ? signal_name((unsigned)signal) : NULL);
}

/* Names of the signals in which a column has this text. */
static struct fact signals_fact(const struct summary *summary, struct buffer *names, const char *column,
				const char *wanted)
{
	const struct table *signals = own_table(summary, PROCESS_TABLE_SIGNAL);

	for (size_t i = 0; signals && i < signals->n_rows; i++) {
		const void *row = table_row(signals, i);

		if (strcmp(table_text(signals, row, column), wanted) == 0)
			buffer_print(names, "%s%s", names->length > 0 ? " " : "",
				     table_text(signals, row, "name"));
	}
	buffer_char(names, '\0');
	return text_fact(names->bytes);
}

/* What it does now. */
static struct fact doing_fact(const struct facts *facts)
{
	static const struct remark doings[] = {
		{ "frozen", N_("frozen") },       { "state == R", N_("running") },
		{ "state == S", N_("sleeping") }, { "state == D", N_("uninterruptible sleep") },
		{ "state == T", N_("stopped") },  { "state == t", N_("traced") },
		{ "state == Z", N_("zombie") },   { "state == I", N_("idle") },
		{ "state == X", N_("exited") },
	};

	return text_fact(remarks_first(REMARKS(doings), facts));
}

#define WHOLE_SECONDS 9.95 /* from which on sentences have whole seconds */
#define LATE_SECONDS 10    /* if a sample finds an end later than this, the record has another one */

/* A record has the life of the main thread, which may have ended before others, without time in suspend. */
struct process_life process_life_of(double started_ns, double exit_ns, double seen_ns,
				    double lived_seconds)
{
	double recorded_ns = started_ns + lived_seconds * 1e9;
	bool is_other = isnan(exit_ns) && seen_ns - recorded_ns > LATE_SECONDS * 1e9;
	struct process_life life = {
		.end_ns = !isnan(exit_ns) ? exit_ns : is_other ? seen_ns : fmin(recorded_ns, seen_ns),
		.is_about = isnan(lived_seconds) || is_other,
	};

	life.seconds = life.is_about ? (life.end_ns - started_ns) / 1e9 : lived_seconds;
	if (life.seconds >= WHOLE_SECONDS && !isnan(started_ns))
		life.seconds = floor(life.end_ns / 1e9) - floor(started_ns / 1e9);
	return life;
}

#define FILES_OF(kind) "rows of open_file of the kind " kind

static void make_facts(const struct summary *summary, struct page_facts *of)
{
	const struct table *profile = frame_table(summary->context->frame, "profile");
	const struct table *limits = own_table(summary, PROCESS_TABLE_LIMIT);
	const void *hot = hot_row(summary, profile), *limit = table_most(limits, "used_ratio", NAN);
	double wall_ns = (double)summary->context->frame->wall_ns, started = number(summary, "started_time");
	double exit_signal = how_ended(summary, "exit_signal", "signal");
	bool has_ended = *text_of(summary, "state") == 'X';
	double age = wall_ns > started && !has_ended ? floor((wall_ns - started) / 1e9) : NAN;
	const struct row_facts *record = of->exit.row ? &of->exit : &of->end;
	const struct process_life life = process_life_of(
		started, table_number(of->exit.table, of->exit.row, "time"),
		fmin(number(summary, "exited_time"), table_number(of->end.table, of->end.row, "time")),
		table_number(record->table, record->row, "duration_seconds"));
	/* by the function that waits, where that is counted; else as the kernel accounts delays */
	bool accounted = !isnan(time_part(summary, "disk")) || process_waits_in_ring(&summary->rows);
	double disk = accounted ? time_part(summary, "disk")
				: of_threads(&summary->rows, number(summary, "disk_ratio"));
	const char *limited = text_of(summary, "limit_group");
	const struct made_fact made[] = {
		{ "memory_ratio", number_fact(time_part(summary, "memory"), UNIT_RATIO),
		  "ratio of time_account, part memory" },
		{ "lock_ratio", number_fact(time_part(summary, "lock"), UNIT_RATIO),
		  "ratio of time_account, part lock" },
		{ "other_ratio", number_fact(time_part(summary, "other"), UNIT_RATIO),
		  "ratio of time_account, part other" },
		{ "disk_ratio", number_fact(disk, UNIT_RATIO),
		  "ratio of time_account, part disk, else of the kernel's delay accounting" },
		{ "frozen", yes_fact(strcmp(text_of(summary, "frozen"), "yes") == 0) },
		{ "main_ended", yes_fact(strcmp(text_of(summary, "main_thread"), "ended") == 0) },
		{ "others", number_fact(number(summary, "threads") - 1, UNIT_NONE), "threads - 1" },
		{ "rivals_within", number_fact(process_rivals(&summary->rows, true), UNIT_RATIO) },
		{ "rivals_elsewhere", number_fact(process_rivals(&summary->rows, false), UNIT_RATIO) },
		{ "oom_limit", text_fact(oom_limit(summary)), "path of kill" },
		{ "throttled_limit",
		  number_fact(findings_limit(summary->context->findings, "group_cpu_throttled"),
			      UNIT_RATIO) },
		{ "limited_elsewhere",
		  text_fact(strcmp(limited, text_of(summary, "cgroup")) != 0 ? limited : NULL),
		  "limit_group" },
		{ "exit_code", number_fact(how_ended(summary, "exit_code", "exit_code"), UNIT_NONE) },
		{ "exit_signal", number_fact(exit_signal, UNIT_NONE) },
		{ "exit_name", signal_fact(exit_signal) },
		{ "stop_name", signal_fact(number(summary, "stop_signal")) },
		{ "hot_function", text_fact(table_text(profile, hot, "function")) },
		{ "hot_ratio",
		  number_fact(table_number(profile, hot, "self_ratio") -
				      table_number(profile, hot, "error_ratio"),
			      UNIT_RATIO),
		  "self_ratio - error_ratio of profile, the function that runs most" },
		{ "age_seconds", number_fact(age, UNIT_SECONDS), "time of the sample - started_time" },
		{ "lived_seconds", number_fact(life.is_about ? NAN : life.seconds, UNIT_SECONDS),
		  "duration_seconds of event, else of ended" },
		{ "lived_about_seconds", number_fact(life.is_about ? life.seconds : NAN, UNIT_SECONDS),
		  "exited_time - started_time" },
		{ "ended_time", number_fact(life.end_ns, UNIT_TIME) },
		{ "limit_name", text_fact(table_text(limits, limit, "name")) },
		{ "limit_used", text_fact(table_text(limits, limit, "used_text")) },
		{ "limit", text_fact(table_text(limits, limit, "soft_text")) },
		{ "limit_ratio", column_fact(limits, limit, "used_ratio") },
		{ "files", number_fact(files_of(summary, "file"), UNIT_NONE), FILES_OF("file") },
		{ "directories", number_fact(files_of(summary, "directory"), UNIT_NONE),
		  FILES_OF("directory") },
		{ "sockets", number_fact(files_of(summary, "socket"), UNIT_NONE), FILES_OF("socket") },
		{ "pipes", number_fact(files_of(summary, "pipe"), UNIT_NONE), FILES_OF("pipe") },
		{ "devices", number_fact(files_of(summary, "device"), UNIT_NONE), FILES_OF("device") },
		{ "pending", signals_fact(summary, &of->signals[PENDING], "pending", "yes") },
		{ "blocked", signals_fact(summary, &of->signals[BLOCKED], "blocked", "yes") },
		{ "ignored", signals_fact(summary, &of->signals[IGNORED], "action", "ignored") },
		{ "caught", signals_fact(summary, &of->signals[CAUGHT], "action", "caught") },
	};
	size_t n = sizeof(made) / sizeof(made[0]);

	_Static_assert(sizeof(made) / sizeof(made[0]) + 8 <= N_MADE, "too many");
	memcpy(of->made, made, sizeof(made));
	of->detail.n_made = of->process.n_made = n;
}

/* Other policies do not go by it. */
#define NICED "policy == other|batch, nice != 0"

/* Ranks: where lines are few, those of a higher one are left out. */
#define WHY 0
#define COMMAND 8
#define N_LINES 17 /* the highest rank, and one */

#define NO_PAST (-1)
#define NEAREST N_("nearest: {limit_name}, {limit_used} of {limit} ({limit_ratio:%})")

/* In the order of the screen: all that hold, one behind the other. */
static const struct part {
	const char *label; /* N_(); NULL: it goes on with the line before */
	int rank;
	int series; /* its past */
	struct remark remark; /* level: style of the line */
} parts[] = {
	{ N_("why"), WHY, NO_PAST, { NULL, "{why}" } },
	{ N_("process"), 1, NO_PAST,
	  { NULL, N_("{pid}[ {name}][  user {user}][  since {started_time:date}][ ({age_seconds})]"
	     "[  lived {lived_seconds}][  lived about {lived_about_seconds}]"),
	    .level = STYLE_STRONG } },
	{ N_("command"), COMMAND, NO_PAST, { NULL, "[{command}]" } },
	{ N_("program"), 11, NO_PAST, { NULL, "[{executable}]" } },
	{ .remark = { "executable_state", " ({executable_state})", .level = STYLE_STRONG } },
	{ .remark = { "directory", N_("  in {directory}") } },
	{ N_("parents"), 10, NO_PAST, { "parents", "{parents}" } },
	{ .remark = { "not parents, ppid > 0", "[{parent} ]{ppid}" } },
	{ .remark = { "not parents, ppid == 0", N_("none") } },
	{ .remark = { "not parents, ppid > 0, parent_ended", N_(" (has ended)") } },
	{ N_("group"), 9, NO_PAST, { NULL, "[{cgroup}]" } },
	{ .remark = { "group_limit_ratio > 0",
		      N_("  limit {group_limit_ratio:.2} CPUs[ of {limited_elsewhere}]") } },
	{ .remark = { "throttled_ratio", N_("  throttled {throttled_ratio:.1%}") } },
	{ N_("state"), 2, NO_PAST, { "stop_name", N_("{state} stopped by SIG{stop_name}") } },
	{ .remark = { "not stop_name", "[{state} ]{doing}" } },
	{ .remark = { "main_ended", N_(", but its main thread has ended") } },
	{ .remark = { "system_call", N_("  in {system_call}") } },
	{ .remark = { NULL, "[ ({wait_channel})][  {system_call_file}]" } },
	{ N_("threads"), 7, NO_PAST, { "frozen", N_("[{threads:.0}, frozen with their "
						"control group]") } },
	/* the kernel shows such threads in state D or S */
	{ .remark = { "not frozen", N_("[{threads:.0}][: running {running_threads:.0}, in D "
				       "{waiting_threads:.0}]") } },
	{ .remark = { "not frozen, disk_ratio <= 1", N_("  waits for storage {disk_ratio:.1%}") } },
	{ .remark = { "not frozen, disk_ratio > 1", N_("  {disk_ratio:.1} wait for storage") } },
	{ N_("CPU"), 3, PROCESS_SERIES_CPU,
	  { NULL, N_("[{cpu_ratio:.1%}][  user {user_ratio:100.1}][  system {system_ratio:100.1}]"
		     "[  waiting for CPU {wait_ratio:.1%}][  time {cpu_seconds:short}]") } },
	{ N_("memory"), 4, PROCESS_SERIES_MEMORY,
	  { NULL, N_("[{resident_bytes:short}][  anon {anonymous_bytes:short}][  file "
		     "{file_bytes:short}]") } },
	{ .remark = { "shared_memory_bytes > 0", N_("  shared {shared_memory_bytes:short}") } },
	{ .remark = { NULL, N_("[  swap {swapped_bytes:short}][  peak "
					 "{resident_peak_bytes:short}]") } },
	{ N_("I/O"), 5, NO_PAST,
	  { NULL, N_("[disk read {read_bytes_per_second:short} write {write_bytes_per_second:short}]"
		     "[  system calls: read {call_read_bytes_per_second:short}, write "
		     "{call_write_bytes_per_second:short}]") } },
	{ .remark = { "total_disk_bytes > 0", N_("  storage {total_disk_bytes:short} read and written") } },
	{ .remark = { "children_faults_per_second > 0, disk_bytes_per_second > 0",
		      N_("  also by children that ended") } },
	/* by its sockets, which is cheap; to count what other protocols move costs each send and receive */
	{ N_("network"), 6, NO_PAST,
	  { NULL, N_("[TCP received {tcp_received_bytes_per_second:short} sent "
		     "{tcp_sent_bytes_per_second:short}]") } },
	{ N_("faults"), 14, NO_PAST,
	  { NULL, N_("[major {major_faults_per_second:short}  minor "
		     "{minor_faults_per_second:short}]") } },
	{ N_("priority"), 15, NO_PAST,
	  { NULL, N_("[nice {nice}][  policy {policy}][  on CPUs {cpus}][  OOM score "
		     "{oom_score:.0}]") } },
	{ .remark = { NICED ", nice_within == session", N_("  nice counts within its session") } },
	{ .remark = { NICED ", nice_within == group", N_("  nice counts within its control group") } },
	{ N_("limits"), 12, NO_PAST, { "limit_ratio >= 0.5, limit_ratio < 0.8", NEAREST } },
	{ .remark = { "limit_ratio >= 0.8", NEAREST, .level = STYLE_STRONG } },
	{ N_("open"), 13, NO_PAST,
	  { "open_files", N_("{open_files:.0}[: files {files}][  directories {directories}]"
			     "[  sockets {sockets}][  pipes {pipes}][  devices {devices}]") } },
	{ N_("signals"), 16, NO_PAST, { "pending", N_("pending {pending}"), .level = STYLE_STRONG } },
	{ .remark = { NULL, N_("[  blocked {blocked}][  ignored {ignored}][  caught {caught}]") } },
};

/* Findings about rows of these are about groups. */
#define GROUP_TOPICS "group|kill|cpu_limit|memory_limit"

static void add_made(struct page_facts *of, const char *name, struct fact fact)
{
	of->made[of->detail.n_made++] = (struct made_fact){ name, fact };
	of->process.n_made++;
}

/* The record of its end knows more than the last sample in which it lived. */
static void add_end_facts(const struct summary *summary, struct page_facts *of)
{
	const struct process_rows *rows = &summary->rows;
	struct fact used = column_fact(rows->ends, rows->end, "cpu_seconds");

	if (!rows->end)
		return;
	add_made(of, "state", text_fact("X"));
	add_made(of, "total_disk_bytes", column_fact(rows->ends, rows->end, "disk_bytes"));
	add_made(of, "parent_ended",
		 yes_fact(rows->processes && !process_parent(summary->context, rows)));
	if (fact_is_known(&used))
		add_made(of, "cpu_seconds", used);
}

/* Is this finding about a row of the process, as of one of its threads? */
static bool is_about(const struct frame *frame, const struct table *findings, size_t index, double pid)
{
	const void *finding = table_row(findings, index);
	const struct table *table = frame_table(frame, table_text(findings, finding, "topic"));

	for (size_t i = 0; table && schema_find(table->schema, "pid") && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		size_t at = index;

		if (table_number(table, row, "pid") == pid &&
		    finding_about(frame, table->schema, row, &at) == finding)
			return true;
	}
	return false;
}

/* The root has no limits. */
static bool is_within(const char *group, const char *above)
{
	size_t length;

	group += *group == '/';
	above += *above == '/';
	length = strlen(above);
	return length > 0 && strncmp(group, above, length) == 0 &&
	       (group[length] == '\0' || group[length] == '/');
}

/* Does it hold for one of these groups, or one above them? */
static bool is_about_group(const struct table *findings, const void *finding, const char *const *groups)
{
	if (schema_row_is_over(findings->schema, finding) ||
	    !text_is_one_of(table_text(findings, finding, "topic"), span_text(GROUP_TOPICS)))
		return false;
	for (unsigned i = 0; i < PROCESS_GROUPS && groups[i]; i++)
		if (is_within(groups[i], table_text(findings, finding, "row")))
			return true;
	return false;
}

static void add_of_group(struct buffer *out, const struct table *findings, const void *finding)
{
	const struct row_facts facts = { { row_fact }, findings, finding };

	sentence_add(out, _("Its group {subject}: {text}"), &facts.facts);
}

void process_quota_finding(struct buffer *out, const struct frame *frame,
			   const struct process_subject *subject)
{
	const struct table *findings = frame_table(frame, "finding");

	for (size_t i = 0; findings && i < findings->n_rows && out->length == 0; i++) {
		const void *finding = table_row(findings, i);

		if (text_is_one_of(table_text(findings, finding, "rule"), span_text("group_cpu|cpu_limit")) &&
		    is_about_group(findings, finding, subject->groups))
			add_of_group(out, findings, finding);
	}
	buffer_char(out, '\0');
}

const char *process_convoy_finding(const struct frame *frame, double pid)
{
	const struct table *findings = frame_table(frame, "finding");

	for (size_t i = 0; findings && i < findings->n_rows; i++) {
		const void *finding = table_row(findings, i);

		if (strcmp(table_text(findings, finding, "rule"), "lock_convoy") == 0 &&
		    is_about(frame, findings, i, pid))
			return table_text(findings, finding, "text");
	}
	return "";
}

static bool says(struct buffer *out, const char *text)
{
	bool found;

	buffer_char(out, '\0');
	found = strstr(out->bytes, text) != NULL;
	out->length--;
	return found;
}

enum grade process_findings(struct buffer *out, const struct frame *frame,
			    const struct process_subject *subject, enum process_level level)
{
	static const enum grade grades[] = {
		[PROCESS_CALM] = GRADE_CALM, [PROCESS_SLOW] = GRADE_BUSY, [PROCESS_STUCK] = GRADE_ALARM
	};
	const struct table *findings = frame_table(frame, "finding");
	enum grade worst = grades[level], grade;

	for (size_t i = 0; findings && i < findings->n_rows; i++) {
		const void *finding = table_row(findings, i);
		const char *text = table_text(findings, finding, "text");
		bool of_group = is_about_group(findings, finding, subject->groups);

		if ((level == PROCESS_STUCK && text_is_one_of(table_text(findings, finding, "rule"),
							      span_text("stuck|stuck_process"))) ||
		    (!of_group && !is_about(frame, findings, i, subject->pid)))
			continue;
		grade = grade_of_severity(table_text(findings, finding, "severity"));
		worst = grade > worst ? grade : worst;
		if (says(out, text))
			continue;
		buffer_text(out, out->length > 0 ? " " : "");
		if (of_group)
			add_of_group(out, findings, finding);
		else
			buffer_text(out, text);
	}
	return worst;
}

/* What has ended is in no group. */
struct process_subject process_subject_of(const struct process_rows *rows)
{
	static const char *const columns[PROCESS_GROUPS] = { "cgroup", "limit_group", "memory_limit_group" };
	struct process_subject subject = { .pid = process_number(rows, "pid") };

	if (!rows->end && !text_is_one_of(process_text(rows, "state"), span_text("X|Z")))
		for (unsigned i = 0; i < PROCESS_GROUPS; i++)
			subject.groups[i] = process_text(rows, columns[i]);
	return subject;
}

struct line {
	const struct part *part; /* its first */
	struct buffer text;
	enum style style;
};

static void fill_lines(const struct summary *summary, struct line lines[N_LINES])
{
	const struct process_rows *rows = &summary->rows;
	struct page_facts of = {
		.facts = { find_fact },
		.detail = { { row_fact }, rows->details, rows->detail, of.made },
		.process = { { row_fact }, rows->processes, rows->process, of.made },
		.exit = { { row_fact }, context_table(summary->context, PROCESS_TABLE_EVENT),
			  process_exit_event(summary->context, rows) },
		.end = { { row_fact }, rows->ends, rows->end },
	};
	const struct process_subject subject = process_subject_of(rows);
	struct line *line;
	unsigned n = 0;
	enum grade grade;

	make_facts(summary, &of);
	add_end_facts(summary, &of);
	process_quota_finding(&of.quota, summary->context->frame, &subject);
	add_made(&of, "quota", text_fact(of.quota.bytes));
	add_made(&of, "convoy", text_fact(process_convoy_finding(summary->context->frame, subject.pid)));
	add_made(&of, "doing", doing_fact(&of.facts));
	grade = process_findings(&of.why, summary->context->frame, &subject,
				 process_past_story(&of.why, summary->context, rows, &of.facts));
	buffer_char(&of.why, '\0');
	add_made(&of, "why", text_fact(of.why.bytes));
	for (const struct part *part = parts; part < parts + sizeof(parts) / sizeof(parts[0]); part++) {
		if (part->label)
			lines[n++] = (struct line){ .part = part, .style = STYLE_NORMAL };
		line = &lines[n - 1];
		if (remark_say(&line->text, &part->remark, &of.facts) && part->remark.level)
			line->style = (enum style)part->remark.level;
		if (line->part->rank == WHY)
			line->style = graph_grade_style(grade, STYLE_STRONG);
	}
	for (unsigned i = 0; i < N_SIGNALS; i++)
		buffer_free(&of.signals[i]);
	buffer_free(&of.quota);
	buffer_free(&of.why);
}

/* The history may be that of another process, and it is empty if no sample saw this one alive. */
static bool has_past(const struct summary *summary)
{
	const struct process_state *state = summary->context->state;
	const struct history *history = &summary->context->history;

	if (state->pid != number(summary, "pid"))
		return false;
	for (size_t i = 0; summary->rows.end && i < history->count; i++)
		if (!isnan(history_value(history, PROCESS_SERIES_CPU, i)))
			return true;
	return !summary->rows.end;
}

/* In at most most lines; returns how many. */
static int draw_line(const struct pane_context *context, const struct canvas *canvas, int y, int label_cells,
		     const struct line *line, int most, bool has_line)
{
	struct canvas rest = canvas_part(canvas, y, label_cells, most, canvas->width - label_cells);
	const char *text = line->text.bytes + strspn(line->text.bytes, " ");
	const struct graph_line_scale scale = past_scale(context, NAN, STYLE_USAGE);
	int past = canvas->width / 4, used, series = line->part->series;

	canvas_text(canvas, y, 0, STYLE_DIM, _(line->part->label), label_cells - 1);
	if (most > 1)
		return canvas_wrapped(&rest, 0, line->style, span_text(text));
	used = canvas_text(&rest, 0, 0, line->style, text, -1) + CANVAS_GAP;
	past = past < rest.width - used ? past : rest.width - used;
	rest = canvas_part(&rest, 0, rest.width - past, 1, past);
	if (series != NO_PAST && has_line && past >= LINE_CELLS_MIN)
		graph_line(&rest, &context->history, (unsigned)series, &scale);
	return 1;
}

static const struct past_graph {
	const char *title; /* N_() */
	unsigned series;
	char *(*label)(char *text, double value);
	bool decimal;
	double least; /* end of its axis */
} graphs[] = {
	{ N_("CPU"), PROCESS_SERIES_CPU, percent_label, true, 0.05 },
	{ N_("memory"), PROCESS_SERIES_MEMORY, size_short, false, 1 << 20 },
	{ N_("read by calls"), PROCESS_SERIES_READ, bytes_rate_label, false, 1 << 12 },
	{ N_("written by calls"), PROCESS_SERIES_WRITE, bytes_rate_label, false, 1 << 12 },
};

static void draw_graph(const struct pane_context *context, const struct canvas *canvas,
		       const struct past_graph *graph)
{
	struct graph_line_scale scale = past_scale(context, NAN, STYLE_USAGE);
	struct canvas plot = canvas_rows(canvas, 1, canvas->height - 1), inner = graph_area_plot(&plot);
	struct graph_range range = graph_line_range(&inner, &context->history, graph->series, &scale);

	canvas_rule(canvas, 0, _(graph->title), "");
	if (isnan(range.most)) {
		canvas_text(&plot, 0, 0, STYLE_DIM, _("not known yet"), -1);
		return;
	}
	scale.most = axis_end(range.most, graph->least, graph->decimal);
	graph_area(&plot, &context->history, graph->series, &scale, graph->label);
}

/* In two columns, and in one or two rows. */
static void draw_graphs(const struct pane_context *context, const struct canvas *canvas)
{
	int rows = canvas->height >= 2 * GRAPHS_LINES ? 2 : 1;
	int height = canvas->height / rows;

	for (int i = 0; i < 2 * rows; i++) {
		struct canvas part = canvas_rows(canvas, i / 2 * height, height);

		part = graph_beside(&part, i % 2, 2, CANVAS_GAP);
		draw_graph(context, &part, &graphs[i]);
	}
}

/* Cells for the longest label and a gap. */
static int label_width(bool ascii)
{
	int most = LABEL_CELLS;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int cells = parts[i].label ? utf8_cells(_(parts[i].label), ascii) + 1 : 0;

		most = cells > most ? cells : most;
	}
	return most;
}

/* Of a line: the command gets those that neither others nor graphs take. */
static int lines_of(const struct canvas *canvas, int rank, int n_lines, bool has_graphs)
{
	int spare = canvas->height - (n_lines + WHY_LINES - 1) - (has_graphs ? 1 + GRAPHS_LINES : 0);

	if (rank == WHY)
		return canvas->height > 2 ? WHY_LINES : 1;
	return rank == COMMAND && spare > 0 ? 1 + spare : 1;
}

static void draw_lines(const struct summary *summary, const struct canvas *canvas)
{
	bool past = has_past(summary), has_graphs = past && canvas->height >= N_LINES + 2 + GRAPHS_LINES &&
						    canvas->width >= 2 * GRAPHS_CELLS;
	int label_cells = label_width(canvas->ascii), y = 0, most = canvas->height - (canvas->height > 2);
	struct line lines[N_LINES];
	struct canvas rest;

	fill_lines(summary, lines);
	for (int i = 0; i < N_LINES; i++) {
		int rank = lines[i].part->rank;
		bool known;

		buffer_char(&lines[i].text, '\0');
		known = lines[i].text.bytes[strspn(lines[i].text.bytes, " ")] != '\0';
		if (known && y < canvas->height && rank < most)
			y += draw_line(summary->context, canvas, y, label_cells, &lines[i],
				       lines_of(canvas, rank, most < N_LINES ? most : N_LINES, has_graphs),
				       past && !has_graphs);
		buffer_free(&lines[i].text);
	}
	rest = canvas_rows(canvas, y + 1, canvas->height - y - 1);
	if (has_graphs && rest.height >= GRAPHS_LINES)
		draw_graphs(summary->context, &rest);
}

void process_draw_summary(const struct pane_context *context, struct canvas *canvas)
{
	const struct summary summary = { context, process_shown_rows(context) };

	if (summary.rows.detail || summary.rows.process || summary.rows.end)
		draw_lines(&summary, canvas);
	else
		canvas_text(canvas, 0, 0, STYLE_DIM, _("no process is selected, or it is not in this sample"),
			    -1);
}

static void why_all(struct buffer *out, const struct table *table, const void *row)
{
	for (unsigned i = 0; row && i < table->schema->n_columns; i++)
		why_number(out, table->schema, row, table->schema->columns[i].key);
}

void process_why(const struct pane_context *context, struct buffer *out)
{
	const struct process_rows rows = process_shown_rows(context);

	if (rows.process) /* first what is too long for the summary */
		why_number(out, rows.processes->schema, rows.process, "command");
	why_all(out, rows.details, rows.detail);
	why_all(out, rows.processes, rows.process);
	why_all(out, rows.ends, rows.end);
}
