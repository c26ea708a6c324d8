/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by command: nothing is lost or counted twice, and names do not change with every sample. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/command_sums.h"
#include "suite.h"
#include "topic/topic.h"

#define SECOND_NS UINT64_C(1000000000)
#define ROWS 64

struct row {
	uint64_t pid;
	const char *part, *name, *command;
	double cpu_ratio;
	uint64_t resident_bytes;
	double age_seconds;
};

static const struct column columns[] = {
	COLUMN(struct row, pid, .kind = COLUMN_KEY, .fleeting = true),
	COLUMN(struct row, part, .kind = COLUMN_KEY),
	COLUMN(struct row, cpu_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .additive = true),
	COLUMN(struct row, resident_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .additive = true),
	COLUMN(struct row, command, .kind = COLUMN_LABEL, .text = TEXT_COMMAND),
	COLUMN(struct row, name, .kind = COLUMN_LABEL, .grouping = "command"),
	COLUMN(struct row, age_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS),
};

static const struct schema schema = { .name = "thing",
				      .row_size = sizeof(struct row),
				      SCHEMA_COLUMNS(columns) };

struct scene {
	struct row rows[ROWS];
	char parts[ROWS][2]; /* each row has its own text */
	const void *pointers[ROWS];
	size_t n_rows;
	uint64_t second;
};

static void add(struct scene *sample, const char *name, double cpu_ratio, uint64_t resident_bytes)
{
	strcpy(sample->parts[sample->n_rows], "x");
	sample->rows[sample->n_rows] = (struct row){ .pid = sample->n_rows + 1,
						     .part = sample->parts[sample->n_rows],
						     .name = name,
						     .command = "x --password=y",
						     .cpu_ratio = cpu_ratio,
						     .resident_bytes = resident_bytes,
						     .age_seconds = 5 };
	sample->pointers[sample->n_rows] = &sample->rows[sample->n_rows];
	sample->n_rows++;
}

static void take(struct command_sums *sums, struct scene *sample, size_t top)
{
	command_sums_take(sums, sample->pointers, sample->n_rows, top, sample->second * SECOND_NS,
			  15 * SECOND_NS);
	sample->second += 15;
	sample->n_rows = 0;
}

static const struct command_sum *find(const struct command_sums *sums, const char *name)
{
	for (size_t i = 0; i < sums->n_sums; i++)
		if (strcmp(((const struct row *)sums->sums[i].row)->name, name) == 0)
			return &sums->sums[i];
	return NULL;
}

static double cpu_of(const struct command_sums *sums, const char *name)
{
	return ((const struct row *)find(sums, name)->row)->cpu_ratio;
}

static uint64_t bytes_of(const struct command_sums *sums, const char *name)
{
	return ((const struct row *)find(sums, name)->row)->resident_bytes;
}

START_TEST(the_costliest_have_names_and_the_rest_is_one)
{
	struct scene sample = { 0 };
	struct command_sums sums;

	command_sums_open(&sums, &schema, false);
	add(&sample, "busy", 0.5, 1000);
	add(&sample, "busy", 0.25, 1000);
	add(&sample, "large", 0, 1000000);
	add(&sample, "kworker/0:1", 0.125, 0);
	add(&sample, "kworker/1:2-x", 0.125, 0);
	add(&sample, "small", 0.0625, 10);
	add(&sample, "small2", 0.0625, U64_BLANK);
	take(&sums, &sample, 3);
	ck_assert_uint_eq(sums.n_sums, 4);
	ck_assert_uint_eq(sums.n_others, 2);
	ck_assert_double_eq(cpu_of(&sums, "busy"), 0.75);
	ck_assert_uint_eq(bytes_of(&sums, "large"), 1000000);
	ck_assert_double_eq(cpu_of(&sums, "kworker"), 0.25);
	ck_assert_double_eq(cpu_of(&sums, "(others)"), 0.125);
	ck_assert_uint_eq(bytes_of(&sums, "(others)"), 10);
	ck_assert_uint_eq(find(&sums, "(others)")->n_rows, 2);
	command_sums_close(&sums);
}

/* Not 0, nor a part of it. */
START_TEST(a_sum_is_unknown_if_a_part_is)
{
	struct scene sample = { 0 };
	struct command_sums sums;

	command_sums_open(&sums, &schema, false);
	add(&sample, "a", 0.5, U64_UNKNOWN);
	add(&sample, "a", NAN, 10);
	add(&sample, "b", 0, 10);
	take(&sums, &sample, 3);
	ck_assert(isnan(cpu_of(&sums, "a")) && bytes_of(&sums, "a") == U64_UNKNOWN);
	ck_assert(cpu_of(&sums, "b") == 0 && bytes_of(&sums, "b") == 10);
	command_sums_close(&sums);
}

/* Keys that stay divide the sums; the whole command line is the name only when it is wanted. */
START_TEST(keys_that_stay_are_kept)
{
	struct scene sample = { 0 };
	struct command_sums sums;

	command_sums_open(&sums, &schema, false);
	add(&sample, "a", 0.5, 1);
	add(&sample, "a", 0.25, 2);
	add(&sample, "a", 0.125, 4);
	sample.rows[1].part = "y";
	take(&sums, &sample, 3);
	ck_assert_uint_eq(sums.n_sums, 2);
	ck_assert_uint_eq(bytes_of(&sums, "a"), 5);
	ck_assert(!((const struct row *)sums.sums[0].row)->command);
	command_sums_close(&sums);
	command_sums_open(&sums, &schema, true);
	add(&sample, "a", 0.5, 1);
	take(&sums, &sample, 3);
	ck_assert_str_eq(((const struct row *)sums.sums[0].row)->command, "x --password=y");
	ck_assert(!((const struct row *)sums.sums[0].row)->name);
	command_sums_close(&sums);
}

/* Other commands in every sample, each busier than what is listed: at most one a minute gets a name. */
START_TEST(names_change_at_most_once_a_minute)
{
	char names[10][16], seen[ROWS][16];
	unsigned n_seen = 0;
	struct scene sample = { 0 };
	struct command_sums sums;

	command_sums_open(&sums, &schema, false);
	for (unsigned s = 0; s < 20; s++) { /* of 15 s: 5 min */
		double listed = 0;

		for (unsigned i = 0; i < 5; i++) {
			snprintf(names[i], sizeof(names[i]), "n%u", 5 * s + i);
			add(&sample, names[i], 1, 1);
		}
		for (unsigned i = 5; i < 10; i++) {
			snprintf(names[i], sizeof(names[i]), "s%u", i);
			add(&sample, names[i], 0.001, 100);
		}
		take(&sums, &sample, 4);
		for (size_t i = 0; i < sums.n_sums; i++) {
			const struct row *row = sums.sums[i].row;
			unsigned at = 0;

			listed += row->cpu_ratio;
			while (at < n_seen && strcmp(seen[at], row->name) != 0)
				at++;
			if (at == n_seen)
				snprintf(seen[n_seen++], sizeof(seen[0]), "%s", row->name);
		}
		ck_assert_double_eq_tol(listed, 5.005, 1e-9);
	}
	ck_assert_uint_le(n_seen, 4 + 5 + 1);
	ck_assert_uint_lt(sums.n_commands, ROWS);
	command_sums_close(&sums);
}

/* One that goes on using more than another that is listed takes its place. */
START_TEST(a_new_hog_gets_a_name)
{
	struct scene sample = { 0 };
	struct command_sums sums;

	command_sums_open(&sums, &schema, false);
	for (unsigned s = 0; s < 9; s++) {
		add(&sample, "one", 0.01, 100);
		add(&sample, "two", 0.01, 10);
		if (s >= 1)
			add(&sample, "hog", 1, 1);
		take(&sums, &sample, 2);
	}
	ck_assert(find(&sums, "hog") && find(&sums, "one") && !find(&sums, "two"));
	command_sums_close(&sums);
}

/* What does not add up is unknown of a sum; what does not apply adds nothing. */
START_TEST(sums_have_what_adds_up)
{
	struct scene sample = { 0 };
	struct command_sums sums;
	const struct row *row;

	command_sums_open(&sums, &schema, false);
	ck_assert_str_eq(sums.label, "command");
	ck_assert_uint_eq(sums.n_columns, 2);
	add(&sample, "a", 0.5, U64_BLANK);
	add(&sample, "a", 0.25, U64_BLANK);
	add(&sample, "/sbin/init", 0.25, 7); /* a slash at the beginning parts nothing */
	take(&sums, &sample, 3);
	ck_assert_uint_eq(sums.n_sums, 2);
	row = find(&sums, "a")->row;
	ck_assert_uint_eq(row->pid, U64_UNKNOWN);
	ck_assert(isnan(row->age_seconds));
	ck_assert_str_eq(row->part, "x");
	ck_assert_uint_eq(row->resident_bytes, 0);
	ck_assert_uint_eq(find(&sums, "a")->n_rows, 2);
	ck_assert_uint_eq(bytes_of(&sums, "/sbin/init"), 7);
	add(&sample, "a", 0.5, 9); /* of the next sample alone */
	take(&sums, &sample, 3);
	ck_assert_uint_eq(sums.n_sums, 1);
	ck_assert_double_eq(cpu_of(&sums, "a"), 0.5);
	ck_assert_uint_eq(find(&sums, "a")->n_rows, 1);
	command_sums_close(&sums);
}

START_TEST(command_lines_are_whole_names)
{
	struct scene sample = { 0 };
	struct command_sums sums;

	command_sums_open(&sums, &schema, true);
	add(&sample, "a", 0.5, 1);
	sample.rows[0].command = "x /etc/one";
	add(&sample, "a", 0.5, 2);
	sample.rows[1].command = "x /etc/other";
	take(&sums, &sample, 3);
	ck_assert_uint_eq(sums.n_sums, 2);
	ck_assert_str_eq(((const struct row *)sums.sums[0].row)->command, "x /etc/one");
	ck_assert_str_eq(((const struct row *)sums.sums[1].row)->command, "x /etc/other");
	command_sums_close(&sums);
}

/* One that is called as the rest is of the rest. */
START_TEST(nobody_is_listed_as_others)
{
	struct scene sample = { 0 };
	struct command_sums sums;

	command_sums_open(&sums, &schema, false);
	add(&sample, "(others)", 0.75, 5);
	add(&sample, "a", 0.125, 7);
	add(&sample, "b", 0.0625, 1);
	take(&sums, &sample, 1);
	ck_assert_uint_eq(sums.n_sums, 2);
	ck_assert_uint_eq(bytes_of(&sums, "a"), 7);
	ck_assert_uint_eq(bytes_of(&sums, "(others)"), 6);
	ck_assert_uint_eq(sums.n_others, 2);
	take(&sums, &sample, 1); /* of a sample without rows */
	ck_assert_uint_eq(sums.n_sums + sums.n_others, 0);
	command_sums_close(&sums);
}

START_TEST(rows_without_names_are_summed_by_their_keys)
{
	static const struct schema nameless = { .name = "thing", .row_size = sizeof(struct row),
						.columns = columns, .n_columns = 4 };
	struct scene sample = { 0 };
	struct command_sums sums;

	command_sums_open(&sums, &nameless, true);
	ck_assert_ptr_null(sums.name);
	add(&sample, "a", 0.5, 1);
	add(&sample, "b", 0.25, 2);
	add(&sample, "b", 0.25, 4);
	sample.parts[1][0] = 'y';
	take(&sums, &sample, 0);
	ck_assert_uint_eq(sums.n_sums, 2);
	ck_assert_uint_eq(sums.n_others, 0);
	ck_assert_uint_eq(((const struct row *)sums.sums[0].row)->resident_bytes, 5);
	ck_assert_uint_eq(((const struct row *)sums.sums[1].row)->resident_bytes, 2);
	command_sums_close(&sums);
}

static const struct column kinds[] = {
	COLUMN(struct row, part, .kind = COLUMN_KEY),
	COLUMN(struct row, command, .kind = COLUMN_LABEL, .fleeting = true),
	COLUMN(struct row, pid, .kind = COLUMN_KEY, .fleeting = true),
	COLUMN(struct row, name, .kind = COLUMN_LABEL, .grouping = "command"),
};

START_TEST(only_what_comes_and_goes_is_summed)
{
	struct schema some = { .name = "some", .columns = kinds, .n_columns = 2 };

	ck_assert(!command_sums_apply(&some));
	some.n_columns = 3;
	ck_assert(command_sums_apply(&some));
	some.columns = kinds + 3;
	some.n_columns = 1;
	ck_assert(command_sums_apply(&some));
}

START_TEST(no_more_columns_than_fit_are_summed)
{
	struct column many[COMMAND_SUMS_COLUMNS_MAX + 1];
	struct schema wide = { .name = "wide", .row_size = sizeof(struct row), .columns = many };
	struct command_sums sums;

	for (unsigned i = 0; i <= COMMAND_SUMS_COLUMNS_MAX; i++) {
		many[i] = columns[2]; /* cppcheck-suppress unreadVariable ; through wide */
		wide.n_columns = i + 1;
		command_sums_open(&sums, &wide, false);
		ck_assert_uint_eq(sums.n_columns,
				  i < COMMAND_SUMS_COLUMNS_MAX ? i + 1 : COMMAND_SUMS_COLUMNS_MAX);
		command_sums_close(&sums);
	}
}

static const struct command_cost *cost_of(const struct command_sums *sums, const char *name)
{
	for (size_t i = 0; i < sums->n_commands; i++)
		if (strcmp(sums->commands[i].name, name) == 0)
			return &sums->commands[i];
	return NULL;
}

/* Of the column of which it has most, over a minute. */
START_TEST(costs_are_means_of_shares)
{
	struct scene sample = { 0 };
	struct command_sums sums;

	command_sums_open(&sums, &schema, false);
	add(&sample, "a", 0.75, 100);
	add(&sample, "b", 0.25, 900);
	add(&sample, "c", -5, U64_UNKNOWN);
	take(&sums, &sample, 3);
	ck_assert_double_eq_tol(cost_of(&sums, "a")->cost, 0.75, 1e-12);
	ck_assert_double_eq_tol(cost_of(&sums, "b")->cost, 0.9, 1e-12);
	ck_assert_double_eq(cost_of(&sums, "c")->cost, 0);
	add(&sample, "a", 0.5, 500);
	add(&sample, "b", 0.5, 500);
	take(&sums, &sample, 3); /* 15 s later */
	ck_assert_double_eq_tol(cost_of(&sums, "a")->cost, 0.75 - 0.25 * (1 - exp(-0.25)), 1e-12);
	ck_assert_double_eq_tol(cost_of(&sums, "b")->cost, 0.9 - 0.4 * (1 - exp(-0.25)), 1e-12);
	command_sums_close(&sums);
}

/* A sample of two commands at this time, in which only the present counts; gives the one that is listed. */
static const char *listed_of(struct command_sums *sums, double second, double one, double other)
{
	struct scene sample = { 0 };

	add(&sample, "one", one, 0);
	add(&sample, "other", other, 0);
	command_sums_take(sums, sample.pointers, 2, 1, (uint64_t)(second * 1e9), 1000000 * SECOND_NS);
	return cost_of(sums, "one")->listed ? "one" : "other";
}

/* Twice as much and a hundredth. */
START_TEST(a_name_takes_the_place_of_one_that_costs_half)
{
	struct command_sums sums;

	command_sums_open(&sums, &schema, false);
	ck_assert_str_eq(listed_of(&sums, 100, 1, 0), "one");
	ck_assert_str_eq(listed_of(&sums, 101, 0.3301, 0.6699), "one");
	ck_assert_str_eq(listed_of(&sums, 102, 0.3299, 0.6701), "other");
	ck_assert_str_eq(listed_of(&sums, 161.9, 0.9, 0.1), "other");
	ck_assert_str_eq(listed_of(&sums, 162, 0.9, 0.1), "one");
	ck_assert_uint_eq(sums.n_listed, 1);
	command_sums_close(&sums);
}

/* Of equal ones the first one is listed, and the first one goes. */
START_TEST(names_that_cost_the_same)
{
	struct command_sums sums;
	struct scene sample = { 0 };

	command_sums_open(&sums, &schema, false);
	add(&sample, "a", 0.25, 0);
	add(&sample, "b", 0.25, 0);
	add(&sample, "c", 0.25, 0);
	take(&sums, &sample, 2);
	ck_assert(cost_of(&sums, "a")->listed && cost_of(&sums, "b")->listed && !cost_of(&sums, "c")->listed);
	add(&sample, "a", 0.125, 0);
	add(&sample, "b", 0.125, 0);
	add(&sample, "c", 0.75, 0);
	command_sums_take(&sums, sample.pointers, 3, 2, 100 * SECOND_NS, 1000000 * SECOND_NS);
	ck_assert(!cost_of(&sums, "a")->listed && cost_of(&sums, "b")->listed && cost_of(&sums, "c")->listed);
	command_sums_close(&sums);
}

START_TEST(names_that_are_gone_and_cost_nothing_are_forgotten)
{
	struct command_sums sums;
	struct scene sample = { 0 };

	command_sums_open(&sums, &schema, false);
	add(&sample, "a", 0.98, 0);
	add(&sample, "b", 0.0101, 0);
	add(&sample, "c", 0.0099, 0);
	take(&sums, &sample, 1);
	ck_assert_uint_eq(sums.n_commands, 3);
	for (unsigned i = 0; i < 2; i++) {
		add(&sample, "d", 1, 0);
		command_sums_take(&sums, sample.pointers, 1, 1, 100 * SECOND_NS, 0); /* no time passed */
		sample.n_rows = 0;
		ck_assert_uint_eq(sums.n_commands, i == 0 ? 4 : 3);
		ck_assert_uint_eq(sums.n_others, 1); /* of those that are there */
	}
	ck_assert(cost_of(&sums, "a") && cost_of(&sums, "b") && cost_of(&sums, "d"));
	ck_assert(!cost_of(&sums, "c"));
	command_sums_close(&sums);
}

static bool comes_and_goes(const char *key)
{
	static const char *const keys[] = { "pid",   "tid",  "start_seconds", "start_address",
					    "inode", "path", "local",         "remote" };

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

/* In the schemas: no process, connection or file is a label, and what is summed can be summed. */
START_TEST(schemas_say_what_comes_and_goes)
{
	for (unsigned t = 0; t < n_topics; t++) {
		const struct schema *of = topics[t]->schema;
		unsigned n_groupings = 0, n_additive = 0;

		for (unsigned c = 0; c < of->n_columns; c++) {
			const struct column *column = &of->columns[c];

			if (column->kind == COLUMN_KEY && of->shape != SHAPE_EVENTS)
				ck_assert_msg(column->fleeting || !comes_and_goes(column->key), "%s.%s",
					      of->name, column->key);
			ck_assert(!column->grouping || column->type == VALUE_TEXT);
			ck_assert(!column->grouping || column->text != TEXT_COMMAND);
			if (column->additive && command_sums_apply(of))
				ck_assert_msg(column->kind == COLUMN_RATE || column->kind == COLUMN_GAUGE,
					      "%s.%s", of->name, column->key);
			n_groupings += column->grouping != NULL;
			n_additive += column->additive;
		}
		ck_assert_uint_le(n_groupings, 1);
		ck_assert_uint_le(n_additive, COMMAND_SUMS_COLUMNS_MAX);
	}
}
