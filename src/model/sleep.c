/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the rows of the topic sleep, live or recorded, and adds them up. */
#include <config.h>

#include "model/sleep.h"

#include <math.h>
#include <string.h>

#define SECONDS_MAX 4e9                           /* a recording may say anything */
#define SLEPT_MAX_NS UINT64_C(100000000000000000) /* three years: the sum of SLEEP_SPANS_MAX is a time, too  \
						   */

struct sleep_span sleep_of_frame(const struct frame *frame)
{
	const struct table *table = frame_table(frame, SLEEP_TOPIC);
	double slept = 0, set = 0;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		const char *kind = table_text(table, row, "kind");
		double seconds = table_number(table, row, "seconds");

		if (strcmp(kind, SLEEP_SUSPEND) == 0 && seconds > 0)
			slept += seconds;
		else if (strcmp(kind, SLEEP_CLOCK) == 0 && !isnan(seconds))
			set += seconds;
	}
	return (struct sleep_span){
		.mono_ns = frame->mono_ns,
		.slept_ns = slept < SLEPT_MAX_NS / 1e9 ? (uint64_t)(slept * 1e9) : 0,
		.set_ns = fabs(set) < SECONDS_MAX ? (int64_t)(set * 1e9) : 0,
	};
}

static uint64_t shorter(uint64_t one_ns, uint64_t other_ns)
{
	return one_ns < other_ns ? one_ns : other_ns;
}

static void join_oldest(struct sleep_past *past)
{
	past->spans[1].slept_ns = shorter(past->spans[1].slept_ns + past->spans[0].slept_ns, SLEPT_MAX_NS);
	past->spans[1].set_ns = (int64_t)((uint64_t)past->spans[1].set_ns + (uint64_t)past->spans[0].set_ns);
	memmove(past->spans, past->spans + 1, --past->n * sizeof(past->spans[0]));
}

void sleep_past_take(struct sleep_past *past, const struct frame *frame)
{
	struct sleep_span span = sleep_of_frame(frame);

	if ((span.slept_ns == 0 && span.set_ns == 0) ||
	    (past->n > 0 && span.mono_ns <= past->spans[past->n - 1].mono_ns))
		return;
	if (past->n == SLEEP_SPANS_MAX)
		join_oldest(past);
	past->spans[past->n++] = span;
}

void sleep_past_rewind(struct sleep_past *past, uint64_t mono_ns)
{
	while (past->n > 0 && past->spans[past->n - 1].mono_ns > mono_ns)
		past->n--;
}

uint64_t sleep_past_between_ns(const struct sleep_past *past, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t between_ns = to_ns - from_ns;

	for (unsigned i = past->n; i-- > 0 && past->spans[i].mono_ns > from_ns;)
		if (past->spans[i].mono_ns <= to_ns)
			between_ns += past->spans[i].slept_ns;
	return between_ns;
}

uint64_t sleep_past_wall_ns(const struct sleep_past *past, const struct frame *frame, uint64_t awake_ns)
{
	uint64_t from_ns = awake_ns < frame->mono_ns ? frame->mono_ns - awake_ns : 0;
	double ago_ns = (double)awake_ns;

	for (unsigned i = past->n; i-- > 0 && past->spans[i].mono_ns > from_ns;)
		if (past->spans[i].mono_ns <= frame->mono_ns)
			ago_ns += (double)past->spans[i].slept_ns + (double)past->spans[i].set_ns;
	if (ago_ns < 0)
		return frame->wall_ns + (uint64_t)fmin(-ago_ns, SECONDS_MAX * 1e9);
	return ago_ns < (double)frame->wall_ns ? frame->wall_ns - (uint64_t)ago_ns : 0;
}
