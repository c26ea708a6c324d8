/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace of values for each number that a rule needs the growth of, and the spells in which rules held;
 * both bounded.
 */
#include <config.h>

#include "model/finding_past.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"

#define POINTS 32 /* of a trace: two windows, so that steps back find a past */
#define TRACES_MAX 2048
#define SPELLS_MAX 256
#define LATE 5 /* part of a window by which the frame at its start may be too early, if there is no other */
#define NEAR 20 /* and this part in any case: no two frames are exactly a window apart */
#define BRIDGED_NS (UINT64_C(300) * 1000000000) /* behind another pane, for example */

struct finding_trace {
	uint64_t identity;
	double last; /* the value in the last frame */
	uint64_t changed_ns;
	size_t n_points;
	struct point {
		uint64_t ns;
		double value;
	} points[POINTS];
};

void finding_past_begin(struct finding_past *past, uint64_t mono_ns, uint64_t wall_ns)
{
	past->before_ns = mono_ns > past->now_ns ? past->now_ns : 0;
	past->now_ns = mono_ns;
	past->wall_ns = wall_ns;
}

/* First behind the one found last: rows keep their order. */
static struct finding_trace *find_trace(struct finding_past *past, uint64_t identity)
{
	for (size_t i = 0; i < past->n_traces; i++) {
		size_t at = (past->next_trace + i) % past->n_traces;

		if (past->traces[at].identity == identity) {
			past->next_trace = at + 1;
			return &past->traces[at];
		}
	}
	return NULL;
}

static uint64_t newest_ns(const struct finding_trace *trace)
{
	return trace->n_points > 0 ? trace->points[trace->n_points - 1].ns : 0;
}

/* A new one, in the place of the one that was not seen for longest if there are too many. */
static struct finding_trace *add_trace(struct finding_past *past, uint64_t identity)
{
	struct finding_trace *trace = past->traces;

	if (past->n_traces < TRACES_MAX)
		trace = VECTOR_ADD(past->traces, past->n_traces, past->trace_capacity);
	else
		for (size_t i = 1; i < past->n_traces; i++)
			if (newest_ns(&past->traces[i]) < newest_ns(trace))
				trace = &past->traces[i];
	trace->identity = identity;
	trace->last = NAN;
	trace->changed_ns = 0;
	trace->n_points = 0;
	return trace;
}

static void add_point(struct finding_trace *trace, uint64_t ns, double value)
{
	if (trace->n_points == POINTS) {
		memmove(trace->points, trace->points + 1, (POINTS - 1) * sizeof(trace->points[0]));
		trace->n_points--;
	}
	trace->points[trace->n_points++] = (struct point){ .ns = ns, .value = value };
}

/*
 * The point at the start of the window that ends now; NULL: unknown. Where frames are as far apart as the
 * window is long, the last one before it counts.
 */
static const struct point *base(const struct finding_trace *trace, uint64_t now_ns, uint64_t window_ns)
{
	const struct point *before = NULL;

	for (size_t i = 0; i < trace->n_points && trace->points[i].ns < now_ns; i++) {
		uint64_t age_ns = now_ns - trace->points[i].ns;

		if (age_ns <= window_ns + window_ns / NEAR)
			return &trace->points[i];
		if (age_ns <= window_ns + window_ns / LATE)
			before = &trace->points[i];
	}
	return before;
}

/* That of the live frames, at this moment; NULL: there is none, or its points of that window are gone. */
static const struct finding_trace *live_trace(const struct finding_past *past, uint64_t identity,
					      uint64_t window_ns)
{
	for (size_t i = 0; past->live && i < past->live->n_traces; i++) {
		const struct finding_trace *trace = &past->live->traces[i];

		if (trace->identity == identity)
			return trace->n_points == POINTS &&
					       trace->points[0].ns + window_ns > past->now_ns
				       ? NULL
				       : trace;
	}
	return NULL;
}

/* From its base on, which may be NULL. */
static double mean(const struct finding_trace *trace, const struct point *from, uint64_t now_ns, double now)
{
	double sum = now;
	unsigned n = 1;

	for (; from && from < trace->points + trace->n_points && from->ns < now_ns; from++) {
		sum += from->value;
		n++;
	}
	return sum / n;
}

struct finding_growth finding_past_growth(struct finding_past *past, uint64_t identity, double now,
					  const struct finding_window *window)
{
	struct finding_growth growth = { .number = NAN };
	struct finding_trace *trace = find_trace(past, identity);
	uint64_t window_ns = (uint64_t)(window->seconds * 1e9);
	const struct finding_trace *seen = live_trace(past, identity, window_ns);
	const struct point *live = seen ? base(seen, past->now_ns, window_ns) : NULL, *before;

	if (isnan(now))
		return growth;
	if (!trace && now == 0 && window->from_zero) {
		growth.number = 0;
		return growth;
	}
	if (!trace) {
		trace = add_trace(past, identity);
		if (window->from_zero && past->before_ns > 0)
			add_point(trace, past->before_ns, trace->last = 0);
	}
	before = base(trace, past->now_ns, window_ns);
	if (window->counter && before && now < before->value) {
		trace->n_points = 0;
		before = NULL;
	}
	if (live || !before)
		before = live;
	else
		seen = trace;
	if (before)
		growth.covered = (double)(past->now_ns - before->ns) / 1e9;
	if (window->mean)
		growth.number = mean(seen, before, past->now_ns, now);
	else if (before)
		growth.number = now - before->value;
	if (now > trace->last)
		trace->changed_ns = past->now_ns;
	trace->last = now;
	growth.changed_ns = trace->changed_ns;
	if (past->now_ns >= newest_ns(trace) + window_ns / (POINTS / 2))
		add_point(trace, past->now_ns, now);
	return growth;
}

/* The spell that covers this moment, or ended just before it. */
static struct finding_spell *find_spell(const struct finding_past *past, uint64_t identity, uint64_t now_ns)
{
	for (size_t i = past->n_spells; i-- > 0;) {
		struct finding_spell *spell = &past->spells[i];

		if (spell->identity == identity && spell->begin_ns <= now_ns &&
		    (now_ns <= spell->end_ns ||
		     (!spell->ended && now_ns - spell->end_ns <= BRIDGED_NS)))
			return spell;
	}
	return NULL;
}

static void free_told(struct finding_told *told)
{
	free((char *)told->subject);
	free((char *)told->text);
	free((char *)told->row);
	*told = (struct finding_told){ 0 };
}

/* In the place of the oldest one; of one that has ended without a sentence, if there is any. */
static struct finding_spell *add_spell(struct finding_past *past)
{
	size_t oldest = 0;

	if (past->n_spells == SPELLS_MAX) {
		while (oldest < SPELLS_MAX &&
		       (!past->spells[oldest].ended || past->spells[oldest].told.subject))
			oldest++;
		oldest = oldest < SPELLS_MAX ? oldest : 0;
		free_told(&past->spells[oldest].told);
		memmove(&past->spells[oldest], &past->spells[oldest + 1],
			(SPELLS_MAX - 1 - oldest) * sizeof(*past->spells));
		past->n_spells--;
	}
	return VECTOR_ADD(past->spells, past->n_spells, past->spell_capacity);
}

/* As the live frames have it, where they are known. */
static const struct finding_spell *spell_now(const struct finding_past *past, uint64_t identity)
{
	const struct finding_spell *live = past->live ? find_spell(past->live, identity, past->now_ns) : NULL;

	return live ? live : find_spell(past, identity, past->now_ns);
}

bool finding_past_held(const struct finding_past *past, uint64_t identity)
{
	const struct finding_spell *spell = spell_now(past, identity);

	return spell && spell->begin_ns < past->now_ns;
}

struct finding_spell *finding_past_hold(struct finding_past *past, uint64_t identity, unsigned rule)
{
	struct finding_spell *spell = find_spell(past, identity, past->now_ns);
	const struct finding_spell *live =
		past->live ? find_spell(past->live, identity, past->now_ns) : NULL;

	if (!spell) {
		spell = add_spell(past);
		*spell = (struct finding_spell){
			.identity = identity, .rule = rule, .begin_ns = past->now_ns,
			.begin_wall_ns = past->wall_ns, .end_ns = past->now_ns, .end_wall_ns = past->wall_ns,
		};
	}
	if (live) {
		spell->begin_ns = live->begin_ns;
		spell->begin_wall_ns = live->begin_wall_ns;
	}
	if (spell->end_ns < past->now_ns) {
		spell->end_ns = past->now_ns;
		spell->end_wall_ns = past->wall_ns;
	}
	return spell;
}

static const char *copy_text(const char *text)
{
	return text ? memcpy(alloc_resize(NULL, strlen(text) + 1, 1), text, strlen(text) + 1) : NULL;
}

void finding_spell_tell(struct finding_spell *spell, const struct finding_told *told)
{
	uint64_t until_wall_ns = told->until_wall_ns;

	if (!spell->told.subject || isnan(spell->told.rank) || told->rank > spell->told.rank) {
		free_told(&spell->told);
		spell->told = *told;
		spell->told.subject = copy_text(told->subject);
		spell->told.text = copy_text(told->text);
		spell->told.row = copy_text(told->row);
	}
	spell->told.until_wall_ns = until_wall_ns;
}

const struct finding_spell *finding_past_over(const struct finding_past *past, double seconds, size_t *at)
{
	while (*at < past->n_spells) {
		const struct finding_spell *spell = &past->spells[past->n_spells - ++*at];

		if (spell->ended && spell->told.subject && spell->end_ns < past->now_ns &&
		    (double)(past->now_ns - spell->end_ns) / 1e9 < seconds)
			return spell;
	}
	return NULL;
}

void finding_past_end(struct finding_past *past, unsigned rule)
{
	for (size_t i = 0; i < past->n_spells; i++)
		if (past->spells[i].rule == rule && past->spells[i].end_ns < past->now_ns)
			past->spells[i].ended = true;
}

void finding_past_empty(struct finding_past *past)
{
	for (size_t i = 0; i < past->n_spells; i++)
		free_told(&past->spells[i].told);
	past->n_traces = past->n_spells = 0;
	past->now_ns = past->before_ns = 0;
}

void finding_past_free(struct finding_past *past)
{
	finding_past_empty(past);
	free(past->traces);
	free(past->spells);
	*past = (struct finding_past){ 0 };
}
