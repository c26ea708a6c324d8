/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions on the tables of a frame, as users write them: TOPIC(SELECT).COLUMN OP NUMBER[UNIT]; and rules
 * of --when: CONDITION [for DURATION] [until CONDITION] [at most once per DURATION].
 */
#ifndef PANETOP_MODEL_RULE_H
#define PANETOP_MODEL_RULE_H

#include "core/hash.h"
#include "model/frame.h"

#define CONDITION_SELECTS_MAX 8
#define CONDITION_VALUE_MAX 256

enum relation {
	RELATION_LESS,
	RELATION_LESS_EQUAL,
	RELATION_GREATER,
	RELATION_GREATER_EQUAL,
	RELATION_EQUAL,
	RELATION_NOT_EQUAL,
};

/* Takes one of < <= > >= == != from the front of rest; false: there is none. */
bool relation_parse(struct span *rest, enum relation *relation);

/* NaN is in no relation to a number. */
bool relation_holds(double value, enum relation relation, double limit);

/* Only rows with this value. */
struct condition_select {
	struct span column; /* empty: the KEY column at this place among them */
	char value[CONDITION_VALUE_MAX];
	const struct column *bound;
};

struct condition {
	struct span text;   /* as written; borrowed, as the other spans are */
	struct span topic;
	struct span column; /* empty: the number of rows */
	struct condition_select selects[CONDITION_SELECTS_MAX];
	unsigned n_selects;
	enum relation relation;
	double limit;
	enum unit unit;     /* of the limit as written: UNIT_SECONDS, UNIT_BYTES, UNIT_RATIO (%), UNIT_NONE */
	/* set by condition_bind() */
	const struct schema *schema;
	const struct column *measured; /* NULL: the number of rows */
};

enum condition_error {
	CONDITION_GOOD,
	CONDITION_NO_TOPIC,       /* it does not begin with a name */
	CONDITION_OPEN,           /* a bracket or quote is not closed */
	CONDITION_TOO_LONG,       /* more than CONDITION_SELECTS_MAX values, or a value is too long */
	CONDITION_NO_COMPARISON,
	CONDITION_NO_NUMBER,
	/* of condition_bind() */
	CONDITION_UNKNOWN_COLUMN,
	CONDITION_NOT_NUMERIC,
	CONDITION_TOO_MANY_KEYS,
	CONDITION_OTHER_UNIT,     /* of the number, than the column has */
};

/*
 * Takes one condition, with the blanks around it, from the front of rest. After an error *wrong is what comes
 * next, or, without a comparison, what is there.
 */
enum condition_error condition_parse(struct span *rest, struct condition *condition, struct span *wrong);

/* Finds its columns in the schema of its topic. */
enum condition_error condition_bind(struct condition *condition, const struct schema *schema,
				    struct span *wrong);

struct condition_result {
	bool holds;       /* of every row; never where something is not known */
	double value;     /* that does not hold, or the last one; NaN: not known, or no such row */
	const void *row;  /* with that value; NULL: none, or it is the number of rows */
};

/* A missing table or row, a table that failed and an unknown value hold no condition. */
struct condition_result condition_judge(const struct condition *condition, const struct frame *frame);

/* Is it one of the rows that the condition is about? A sum of shares is none where no row is chosen. */
bool condition_selects(const struct condition *condition, const void *row);

/* Does it hold of this number? NaN: no. */
bool condition_compares(const struct condition *condition, double value);

struct rule {
	struct span text; /* as written, without blanks around it; borrowed, as those of its conditions are */
	struct condition when;
	bool of_rows;   /* it has no comparison: it holds of each row that is there … */
	bool of_growth; /* … or, of a counter, it fires whenever that has grown */
	bool has_until;
	struct condition until;
	double hold_seconds; /* it fires after it has held for so long */
	bool has_hold, has_rest;
	double rest_seconds; /* it fires once in this time at most; 0: each time */
};

enum rule_error {
	RULE_GOOD = CONDITION_GOOD,
	/* those of enum condition_error, then: */
	RULE_NO_DURATION = CONDITION_OTHER_UNIT + 1,
	RULE_UNEXPECTED, /* none of the words that may follow a condition */
	RULE_TWICE,      /* a word that was there before */
};

/* After an error *wrong is what comes next, or, without a comparison, what is there. */
enum rule_error rule_parse(struct span text, struct rule *rule, struct span *wrong);

/* Is it about the number of rows, rather than about each row? */
static inline bool rule_counts_rows(const struct rule *rule)
{
	return !rule->of_rows && !rule->when.measured;
}

#define FIRING_TOPIC "watch" /* its rows have the columns rule and time */
#define FIRING_NO_COMMAND (-1)

/* What a rule fired, until a sample takes it. */
struct firing {
	uint64_t wall_ns;
	const char *rule;      /* as written; borrowed */
	char *subject;         /* owned */
	double value;          /* NaN: none */
	uint64_t pid;          /* U64_UNKNOWN */
	int exit_code, signal; /* of the process that ended; -1: not known, or none did */
	uint64_t n_dropped;    /* firings of the rule that were too many before it */
	int status;            /* of its command, as in a shell, or FIRING_NO_COMMAND */
};

void firing_free(struct firing *firing);

/* In the order in which they are complete: a command has ended. All zero is empty. */
struct firing_log {
	struct firing **firings;
	size_t n, capacity;
};

void firing_log_add(struct firing_log *log, struct firing *firing); /* owns it */
void firing_log_clear(struct firing_log *log);
void firing_log_free(struct firing_log *log);

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

/*
 * Judges rules frame by frame: each fires when it begins to hold, once for each row that it is about. All
 * zero is empty. Adds a rule; one whose conditions are not bound is about events.
 */
void rule_set_add(struct rule_set *set, const struct rule *rule);
void rule_set_free(struct rule_set *set);

/* Rates of the frame are derived. What was not sampled in it, or failed, stays as it was. */
void rule_set_judge(struct rule_set *set, const struct frame *frame,
		    void (*fire)(void *context, const struct rule_firing *firing), void *context);

/* True: there is room for a firing, which takes it; *n_dropped are those that were dropped before it. */
bool rule_set_may_fire(struct rule_set *set, size_t rule, uint64_t mono_ns, uint64_t *n_dropped);

#define TRACE_SPECS_MAX 8
#define TRACE_SPEC_TEXT_MAX 512
#define TRACE_NAME_MAX 64
#define TRACE_KEYS_MAX 4
#define TRACE_TESTS_MAX 8

/* Compared with memcmp(): all zero before it is filled. */
struct trace_test {
	char field[TRACE_NAME_MAX];
	enum relation relation;
	char value[TRACE_NAME_MAX]; /* without quotes */
};

/*
 * What a user wants to have counted at a tracepoint: GROUP:EVENT [by KEY[,…]] [sum(FIELD)] [max(FIELD)]
 * [hist(FIELD)] [if FIELD OP VALUE [and …]].
 */
struct trace_spec {
	char text[TRACE_SPEC_TEXT_MAX]; /* as it was given, without blanks around it */
	char group[TRACE_NAME_MAX], event[TRACE_NAME_MAX];
	char keys[TRACE_KEYS_MAX][TRACE_NAME_MAX];
	unsigned n_keys;
	char sum[TRACE_NAME_MAX], most[TRACE_NAME_MAX], histogram[TRACE_NAME_MAX]; /* fields; "": none */
	struct trace_test tests[TRACE_TESTS_MAX];                                  /* all must hold */
	unsigned n_tests;
};

/* Those of a run; whoever changes them counts epoch up. */
struct trace_specs {
	struct trace_spec list[TRACE_SPECS_MAX];
	unsigned n;
	unsigned epoch;
};

/* False: why, translated, is what is wrong, and what to write. Knows no kernel: names may be of nothing. */
bool trace_spec_parse(struct trace_spec *spec, const char *text, char *why, size_t room);

/* Names of fields of a tracepoint, with blanks between them; others: of no use. */
struct trace_fields {
	const char *numbers, *texts, *others;
};

/* Are its names those of these fields, each where such a field may be? False: as above. */
bool trace_spec_fits(const struct trace_spec *spec, const struct trace_fields *fields, char *why,
		     size_t room);

#endif
