/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules: their words, when they fire, and when they must not. */
#include "suite.h"

#include "core/buffer.h"
#include "model/rule.h"

struct row {
	const char *name;
	double number;
};

static const struct column columns[] = {
	COLUMN(struct row, name, .kind = COLUMN_KEY),
	COLUMN(struct row, number, .kind = COLUMN_COUNTER),
};

static const struct schema schema = { .name = "thing",
				      .row_size = sizeof(struct row),
				      SCHEMA_COLUMNS(columns) };
static const struct schema other = { .name = "other",
				     .row_size = sizeof(struct row),
				     SCHEMA_COLUMNS(columns) };
static const struct schema *const schemas[] = { &schema, &other };

static struct rule parsed(const char *text)
{
	struct rule rule;
	struct span wrong;

	ck_assert_int_eq(rule_parse(span_text(text), &rule, &wrong), RULE_GOOD);
	return rule;
}

static void refuses(const char *text, enum rule_error error, const char *wrong)
{
	struct rule rule;
	struct span at;

	ck_assert_msg(rule_parse(span_text(text), &rule, &at) == error, "%s", text);
	ck_assert_msg(span_is(at, wrong), "%s: '%.*s'", text, (int)span_length(at), at.at);
}

START_TEST(words_around_conditions)
{
	struct rule rule =
		parsed("  thing(a).number < 5  for  30s until thing(a).number > 7 at most once per 5min ");

	ck_assert(span_is(rule.text,
			  "thing(a).number < 5  for  30s until thing(a).number > 7 at most once per 5min"));
	ck_assert_double_eq(rule.hold_seconds, 30);
	ck_assert_double_eq(rule.rest_seconds, 300);
	ck_assert(rule.has_until && rule.until.relation == RELATION_GREATER && !rule.of_rows);
	rule = parsed("thing(a) at most once per 0s for 1.5s");
	ck_assert(rule.of_rows && rule.has_rest && !rule.has_until);
	ck_assert_double_eq(rule.rest_seconds, 0);
	ck_assert_double_eq(rule.hold_seconds, 1.5);
	rule = parsed("process(command=nginx).exits");
	ck_assert(rule.of_rows && span_is(rule.when.column, "exits"));
	refuses("thing.number < 5 forever", RULE_UNEXPECTED, "forever");
	refuses("thing.number < 5 for ever", RULE_NO_DURATION, "ever");
	refuses("thing.number < 5 for", RULE_NO_DURATION, "");
	refuses("thing.number < 5 for 3s for 4s", RULE_TWICE, "for 4s");
	refuses("thing.number < 5 until thing", (enum rule_error)CONDITION_NO_COMPARISON, "thing");
	refuses("thing.number < 5 at most 3", RULE_UNEXPECTED, "at most 3");
	refuses("thing.number forty", (enum rule_error)CONDITION_NO_COMPARISON, "thing.number");
	refuses("", (enum rule_error)CONDITION_NO_TOPIC, "");
}

/* Rules and the frames that they judge, a second apart; what fires is noted as text. */
static struct {
	struct rule_set set;
	struct frame frame;
	struct buffer fired;
} judge;

static void add_rule(const char *text)
{
	struct rule rule = parsed(text);
	struct span wrong;

	ck_assert_int_eq(
		condition_bind(&rule.when, span_is(rule.when.topic, "thing") ? &schema : &other, &wrong), 0);
	if (rule.has_until)
		ck_assert_int_eq(condition_bind(&rule.until, &schema, &wrong), 0);
	rule_set_add(&judge.set, &rule);
}

static void begin(const char *rule)
{
	rule_set_free(&judge.set);
	frame_close(&judge.frame);
	memset(&judge.set, 0, sizeof(judge.set));
	frame_open(&judge.frame, schemas, 2);
	judge.frame.mono_ns = UINT64_C(1000000000000);
	add_rule(rule);
}

static void note(void *context, const struct rule_firing *firing)
{
	(void)context;
	buffer_print(&judge.fired, "%zu:%s=%g/%.0f+%u ", firing->rule,
		     firing->row ? row_text(firing->row, &columns[0]) : "#", firing->value,
		     firing->held_seconds, (unsigned)firing->n_dropped);
}

/* "a=1 b=2": a row each; "a*=1": a new one; "=1": without a name; "-": the topic was not sampled, "!": it
 * failed. Returns what fired. */
static const char *judge_rows(const char *rows)
{
	struct table *table = frame_slot(&judge.frame, "thing");
	uint64_t mono_ns = judge.frame.mono_ns + UINT64_C(1000000000);
	char text[2048], *rest = NULL;

	frame_clear(&judge.frame);
	judge.frame.mono_ns = mono_ns;
	snprintf(text, sizeof(text), "%s", rows);
	table->present = *rows != '-';
	table->failed = *rows == '!';
	for (char *word = strtok_r(text, " -!", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *equal = strchr(word, '=');
		struct row *row = table_add(table);

		VECTOR_RESERVE(table->fresh, table->n_rows, table->n_fresh);
		table->joined = true;
		table->fresh[table->n_rows - 1] = equal > word && equal[-1] == '*';
		equal[table->fresh[table->n_rows - 1] ? -1 : 0] = '\0';
		row->name = *word ? arena_copy(&judge.frame.arena, word, strlen(word)) : NULL;
		row->number = equal[1] == '?' ? NAN : strtod(equal + 1, NULL);
	}
	buffer_empty(&judge.fired);
	rule_set_judge(&judge.set, &judge.frame, note, NULL);
	buffer_char(&judge.fired, '\0');
	return judge.fired.bytes;
}

static void judges(const char *rows, const char *fired)
{
	ck_assert_str_eq(textf("%s: %s", rows, judge_rows(rows)), textf("%s: %s", rows, fired));
}

START_TEST(a_rule_fires_once_for_each_row)
{
	begin("thing.number > 5");
	judges("a=5 b=4", "");
	judges("a=6 b=4", "0:a=6/0+0 ");
	judges("a=7 b=9", "0:b=9/0+0 ");
	judges("-", ""); /* not sampled: it still holds */
	judges("!", "");
	judges("a=7 b=9", "");
	judges("a=? b=5", ""); /* what is not known holds nothing */
	judges("a=6 b=6", "0:a=6/0+0 0:b=6/0+0 ");
	judges("b=6", "");
	judges("a=6 b=6", "0:a=6/0+0 "); /* a new row of the name */
}

START_TEST(it_holds_for_some_time)
{
	begin("thing(a).number > 5 for 2s");
	judges("a=6", "");
	judges("a=6", "");
	judges("a=4", ""); /* it begins again */
	judges("a=6 b=6", "");
	judges("a=6 b=6", "");
	judges("a=8 b=6", "0:a=8/2+0 ");
	judge.set.rules[0].since_ns = judge.frame.mono_ns - UINT64_C(500000000);
	judges("a=1", "");
	judge.set.rules[0].since_ns = judge.frame.mono_ns - UINT64_C(1500000000);
	judges("a=9", "0:a=9/2+0 "); /* the kernel said since when */
}

START_TEST(until_keeps_it_from_firing_again)
{
	begin("thing(a).number < 5 until thing(a).number > 7");
	judges("a=4", "0:a=4/0+0 ");
	judges("a=6", "");
	judges("a=4", "");
	judges("a=7", "");
	judges("a=8", "");
	judges("a=4", "0:a=4/0+0 ");
}

START_TEST(rows_are_counted)
{
	begin("thing >= 2");
	add_rule("thing(b) == 0");
	add_rule("thing(c)");
	judges("b=1", "");
	judges("b=1 d=1", "0:#=2/0+0 ");
	judges("c=1 d=1", "1:#=0/0+0 2:c=nan/0+0 ");
	judges("d=1", "");
	judges("b=1 c=1", "0:#=2/0+0 2:c=nan/0+0 ");
}

START_TEST(growth_fires)
{
	begin("thing(a).number");
	judge.set.rules[0].rule.of_growth = true;
	judges("a=4 b=1", ""); /* what it had before is not known */
	judges("a=4 b=2", "");
	judges("a=6", "0:a=2/0+0 ");
	judges("a=? b=9", "");
	judges("-", "");
	judges("a=2", ""); /* it was set back */
	judges("a=3", "0:a=1/0+0 ");
}

/* What ceases to hold before there is room is dropped; what holds on fires. */
START_TEST(firings_are_limited)
{
	unsigned fired = 0;
	uint64_t dropped;

	begin("thing.number > 5 at most once per 3s");
	judges("a=6 b=6", "0:a=6/0+0 ");
	judges("c=6", "");
	judges("d=1", "");
	judges("a=6", "0:a=6/0+2 ");
	ck_assert_uint_eq(judge.set.rules[0].fired, 2);
	judges("a=6 b=7 c=8", "");
	judges("c=9 b=8", "");
	ck_assert_uint_eq(judge.set.rules[0].n_late, 2);
	judges("-", "");                 /* room, but no sample */
	judges("c=9 b=9", "0:b=9/3+0 "); /* it held first */
	judges("c=9 b=5", "");
	judges("c=9 b=9", "");
	judges("c=9 b=9", "0:c=9/6+0 ");
	judges("c=9", "");
	judges("c=9", "");
	judges("c=9", ""); /* once */
	judges("d=9", "0:d=9/0+1 ");
	add_rule("thing(a)"); /* the usual limit */
	for (unsigned i = 0; i < 3 * RULE_FIRES_PER_MINUTE; i++)
		fired += rule_set_may_fire(&judge.set, 1, judge.frame.mono_ns, &dropped);
	ck_assert_uint_eq(fired, RULE_FIRES_PER_MINUTE);
	ck_assert(rule_set_may_fire(&judge.set, 1, judge.frame.mono_ns + UINT64_C(1000000000), &dropped));
	add_rule("thing(a) at most once per 0s"); /* none */
	for (unsigned i = 0; i < 10000; i++)
		ck_assert(rule_set_may_fire(&judge.set, 2, judge.frame.mono_ns, &dropped));
}

/* 130 others, anew in each sample, use up the limit; one that holds on gets its turn. */
START_TEST(decoys_keep_none_from_firing)
{
	unsigned fired = 0, dropped = 0;
	bool found = false;

	begin("thing.number > 5");
	for (unsigned second = 0; second < 10 && !found; second++) {
		struct buffer rows = { 0 };
		const char *said;

		for (unsigned i = 0; i < 130; i++)
			buffer_print(&rows, "d%u=6 ", second * 130 + i);
		buffer_print(&rows, "%s%c", second > 0 ? "real=7" : "d=1", '\0');
		said = judge_rows(rows.bytes);
		buffer_free(&rows);
		found = strstr(said, "real=7") != NULL;
		for (const char *at = said; (at = strchr(at, '+')); at++) {
			fired++;
			dropped += (unsigned)strtoul(at + 1, NULL, 10);
		}
	}
	ck_assert(found);
	ck_assert_uint_ge(fired, RULE_FIRES_PER_MINUTE);
	ck_assert_uint_ge(dropped, 130 - RULE_FIRES_PER_MINUTE);
}

/* What a new row has, it has grown to since the last frame; in the first frame nobody knows since when. */
START_TEST(new_rows_grow_from_nothing)
{
	begin("thing(a).number");
	add_rule("thing.number");
	judge.set.rules[0].rule.of_growth = judge.set.rules[1].rule.of_growth = true;
	judges("a*=4 b*=0", "");
	judges("a=4 b=0 c*=3 d=7", "1:c=3/0+0 ");
	judges("b=2 c=4 d=7", "1:b=2/0+0 1:c=1/0+0 ");
	judges("a*=5 b=2 c=4 d=8", "0:a=5/0+0 1:d=1/0+0 1:a=5/0+0 ");
	judges("a=5 e*=0 b=2", "");
	judges("a=5 e=1 b=2", "1:e=1/0+0 ");
}

/* A count may have to hold for a time, and is judged wherever its topic is sampled. */
START_TEST(counts_hold_for_some_time)
{
	begin("thing >= 2 for 2s");
	add_rule("thing(a) == 0 until thing(a).number > 5");
	judges("a=1 b=1", "");
	judges("a=1 b=1", "");
	judges("a=1 b=1 c=1", "0:#=3/2+0 ");
	judges("b=1", "1:#=0/0+0 ");
	judges("a=1 b=1", "");
	judges("-", "");
	judges("b=1", ""); /* "until" has not held yet */
	judges("a=6 b=1", "");
	judges("a=1 b=1", "");
	judges("a=1 b=1", "0:#=2/2+0 ");
	judges("!", "");
	judges("b=1", "1:#=0/0+0 ");
}
