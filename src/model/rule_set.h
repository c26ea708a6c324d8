/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judges rules frame by frame: each fires when it begins to hold, once for each row that it is about. */
#ifndef PANETOP_MODEL_RULE_SET_H
#define PANETOP_MODEL_RULE_SET_H

#include "core/hash.h"
#include "model/frame.h"
#include "model/rule.h"

/* Without a limit of its own a rule fires so often at most: as often in a burst, and in a minute. */
#define RULE_FIRES_PER_MINUTE 60

/* A row that a rule holds of, or whose growth it follows; of a rule about the number of rows, that. */
struct rule_subject {
	uint64_t key;      /* hash of the keys of the row; 0 */
	uint64_t since_ns; /* CLOCK_MONOTONIC of the first frame in which it held */
	unsigned seen;     /* the last frame in which it held … */
	const void *row;   /* … and its row there */
	bool fired, late;  /* late: there was no room yet */
	double value;
	double before; /* of growth: the value when it fired last */
};

struct watched_rule {
	struct rule rule;
	size_t next; /* rule with the same value to choose rows by; SIZE_MAX: none */
	struct rule_subject *subjects;
	size_t n_subjects, capacity;
	struct hash by_key;
	uint64_t since_ns;         /* what holds does so since then, though frames came later; 0: not known */
	double n_counted;          /* rows in this frame */
	bool judged;               /* in some frame; of rules on growth alone */
	double budget;      /* firings that are left … */
	uint64_t budget_ns; /* … at this time */
	uint64_t fired;
	uint64_t n_dropped; /* since it fired last: what ceased to hold before there was room */
	size_t n_late;      /* what fires as soon as there is room */
};

/* What fires. Valid during the call. */
struct rule_firing {
	size_t rule; /* its place in the set */
	const struct schema *schema;
	const void *row; /* NULL: the number of rows */
	double value;    /* that holds; NaN: the rule is about rows, not numbers */
	double held_seconds;
	uint64_t n_dropped; /* of this rule, before it */
};

struct rule_set {
	struct watched_rule *rules;
	size_t n_rules, capacity;
	struct rule_choice { /* rules that choose the rows of a table by the same column */
		const struct schema *schema;
		const struct column *by; /* NULL: each row counts */
		struct hash by_value;    /* of the first rule of each value */
		size_t first;            /* rule, without by */
	} * choices;
	size_t n_choices, choice_capacity;
	unsigned frame;
};

/* All zero is empty. Adds a rule; one whose conditions are not bound is about events. */
void rule_set_add(struct rule_set *set, const struct rule *rule);
void rule_set_free(struct rule_set *set);

/* Rates of the frame are derived. What was not sampled in it, or failed, stays as it was. */
void rule_set_judge(struct rule_set *set, const struct frame *frame,
		    void (*fire)(void *context, const struct rule_firing *firing), void *context);

/* True: there is room for a firing, which takes it; *n_dropped are those that were dropped before it. */
bool rule_set_may_fire(struct rule_set *set, size_t rule, uint64_t mono_ns, uint64_t *n_dropped);

#endif
