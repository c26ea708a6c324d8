/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics and rules that scenes alone have: what a rule can ask for that those of panetop do not all need. */
#ifndef PANETOP_TESTS_SCENE_RULES_H
#define PANETOP_TESTS_SCENE_RULES_H

#include "model/finding.h"

#define KEY_OF(row, field) COLUMN(struct row, field, .kind = COLUMN_KEY)
#define LABEL_OF(row, field) COLUMN(struct row, field, .kind = COLUMN_LABEL)
#define GAUGE_OF(row, field, measure) COLUMN(struct row, field, .kind = COLUMN_GAUGE, .unit = measure)
#define SCHEMA(topic, sum) \
	{ \
		.name = #topic, .row_size = sizeof(struct topic##_row), .sum_row = sum, \
		SCHEMA_COLUMNS(topic##_columns) \
	}

/* Rows with a load, a name of their own, and another row that they are of. */
struct thing_row {
	const char *name, *called, *kind;
	uint64_t id, owner;
	double load, spare, most;
};

static const struct column thing_columns[] = {
	KEY_OF(thing_row, name), KEY_OF(thing_row, id), LABEL_OF(thing_row, called),
	LABEL_OF(thing_row, kind), LABEL_OF(thing_row, owner), GAUGE_OF(thing_row, load, UNIT_RATIO),
	GAUGE_OF(thing_row, spare, UNIT_RATIO), GAUGE_OF(thing_row, most, UNIT_BYTES),
};

static const struct schema thing_schema = SCHEMA(thing, "all");

static const char *const ordinary_kinds[] = { "plain", "usual", NULL };

#define SET_BY(name, measure, much) .at_least = { .setting = name, .unit = measure, .number = much }
#define LIMIT_OF(measure, much) SET_BY("s", measure, much)

static const struct finding_rule thing_rules[] = {
	{ .name = "loaded", .topic = "thing", .key = "name", .called = "called",
	  .text = "{load} load[ of {most}], spare", .severity = FINDING_WARNING,
	  .unless_column = "kind", .unless = ordinary_kinds, .unless_setting = "kinds",
	  .values = { { .name = "load", .column = "load", SET_BY("load", UNIT_RATIO, 0.5), .critical = 0.75 },
		      { .name = "most", .column = "most" } } },
	{ .name = "scarce", .topic = "thing", .key = "name", .subject = "thing", .text = "{spare} left",
	  .hold = { .number = 2 },
	  .values = { { .name = "spare", .column = "spare", .at_most = true,
			SET_BY("spare", UNIT_RATIO, 0.25), .critical = 0.125 } } },
	{ .name = "many", .topic = "thing", .subject = "things", .text = "{n} are bad[; {who}][, of {whose}]",
	  .values = { { .name = "n", .column = "kind", .with = "bad", SET_BY("bad_things", UNIT_COUNT, 2) },
		      { .name = "who", .column = "name", .most = "load", .most_least = 0.25 },
		      { .name = "whose", .column = "name", .most = "owner", .with_column = "kind",
			.with = "bad" } } },
	{ .name = "full", .topic = "thing", .key = "name", .text = "{a} {b} {c} {d} {e} {f}",
	  .values = { { .name = "a", .column = "most" }, { .name = "b", .column = "load" },
		      { .name = "c", .column = "spare" }, { .name = "d", .column = "load" },
		      { .name = "e", .column = "spare" },
		      { .name = "f", .column = "most", SET_BY("full_bytes", UNIT_BYTES, 1 << 20) } } },
};

/* A second topic, whose numbers have all units that sentences tell; and rules of both. */
struct place_row {
	const char *name, *floor;
	double size, wait, heat, speed, hits, plain, share;
	uint64_t count;
};

static const struct column place_columns[] = {
	KEY_OF(place_row, name), KEY_OF(place_row, floor), GAUGE_OF(place_row, size, UNIT_BYTES),
	GAUGE_OF(place_row, wait, UNIT_SECONDS), GAUGE_OF(place_row, heat, UNIT_CELSIUS),
	GAUGE_OF(place_row, speed, UNIT_BYTES_PER_SECOND), GAUGE_OF(place_row, hits, UNIT_PER_SECOND),
	GAUGE_OF(place_row, plain, UNIT_NONE), GAUGE_OF(place_row, share, UNIT_RATIO),
	GAUGE_OF(place_row, count, UNIT_COUNT),
};

static const struct schema place_schema = SCHEMA(place, NULL);

static const struct finding_rule house_rules[] = {
	{ .name = "ranked", .topic = "thing", .key = "name", .text = "{spare} {load} {most}",
	  .values = { { .name = "spare", .column = "spare" },
		      { .name = "load", .column = "load", LIMIT_OF(UNIT_RATIO, 0.5) },
		      { .name = "most", .column = "most", LIMIT_OF(UNIT_BYTES, 1024) } } },
	{ .name = "either", .topic = "place", .key = "name", .text = "{size} or {wait}, and {heat}",
	  .values = { { .name = "size", .column = "size", LIMIT_OF(UNIT_BYTES, 2048), .or_next = true },
		      { .name = "wait", .column = "wait", LIMIT_OF(UNIT_SECONDS, 30), .or_unknown = true },
		      { .name = "heat", .column = "heat", LIMIT_OF(UNIT_CELSIUS, 20) } } },
	{ .name = "units", .topic = "place", .key = "name",
	  .text = "{size} {wait} {heat} {speed}/s {hits} {n}",
	  .values = { { .name = "size", .column = "size" }, { .name = "wait", .column = "wait" },
		      { .name = "heat", .column = "heat" }, { .name = "speed", .column = "speed" },
		      { .name = "hits", .column = "hits" },
		      { .name = "n", .column = "count", LIMIT_OF(UNIT_COUNT, 100) } } },
	{ .name = "plain", .topic = "place", .key = "name",
	  .text = "{plain} {part} {whole} {there} {hall} {floor}",
	  .values = { { .name = "plain", .column = "plain", LIMIT_OF(UNIT_NONE, 1000) },
		      { .name = "part", .column = "wait", .over = "plain" },
		      { .name = "whole", .column = "plain", .over_topic = "thing", .over_row = "a",
			.over = "most" },
		      { .name = "there", .topic = "thing", .column = "load" },
		      { .name = "hall", .topic = "place", .row = "hall", .other = "2", .column = "size" },
		      { .name = "floor", .column = "floor" } } },
};

struct meter_row {
	const char *name;
	uint64_t total;
	double level;
};

static const struct column meter_columns[] = {
	KEY_OF(meter_row, name),
	COLUMN(struct meter_row, total, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT),
	GAUGE_OF(meter_row, level, UNIT_COUNT),
};

static const struct schema meter_schema = SCHEMA(meter, NULL);

#define GROWS(of) .column = of, .window_seconds = 1

static const struct finding_rule meter_rules[] = {
	{ .name = "total", .topic = "meter", .key = "name", .text = "total {n}",
	  .values = { { .name = "n", GROWS("total"), LIMIT_OF(UNIT_COUNT, 5), .at_most = true } } },
	{ .name = "level", .topic = "meter", .key = "name", .text = "level {n}",
	  .values = { { .name = "n", GROWS("level"), LIMIT_OF(UNIT_COUNT, 5), .at_most = true } } },
};

#define RULE_SET(name, rules) { name, rules, sizeof(rules) / sizeof((rules)[0]) }
static const struct rule_set {
	const char *name;
	const struct finding_rule *rules;
	unsigned n;
} rule_sets[] = { RULE_SET("things", thing_rules), RULE_SET("house", house_rules),
		  RULE_SET("meters", meter_rules) };

#endif
