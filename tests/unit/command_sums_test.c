/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by command: nothing is lost or counted twice, and names do not change with every sample. */
#include "suite.h"

#include "output/command_sums.h"
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

static const struct schema nameless = { .name = "thing",
					.row_size = sizeof(struct row),
					.columns = columns,
					.n_columns = 4 };

struct scene {
	struct row rows[ROWS];
	char texts[ROWS][3][32]; /* each row has its own */
	const void *pointers[ROWS];
	size_t n_rows;
	uint64_t second;
};

static void add(struct scene *sample, const char *name, double cpu_ratio, uint64_t resident_bytes)
{
	char (*texts)[32] = sample->texts[sample->n_rows];

	strcpy(texts[0], "x");
	snprintf(texts[1], sizeof(texts[1]), "%s", name);
	snprintf(texts[2], sizeof(texts[2]), "x --of=%s", name);
	sample->rows[sample->n_rows] = (struct row){ .pid = sample->n_rows + 1,
						     .part = texts[0],
						     .name = texts[1],
						     .command = texts[2],
						     .cpu_ratio = cpu_ratio,
						     .resident_bytes = resident_bytes,
						     .age_seconds = 5 };
	sample->pointers[sample->n_rows] = &sample->rows[sample->n_rows];
	sample->n_rows++;
}

/* Rows "NAME CPU BYTES [PART]" parted by semicolons; ? is unknown, - is blank. */
static void add_all(struct scene *sample, const char *rows)
{
	char copy[512], *rest = copy;

	snprintf(copy, sizeof(copy), "%s", rows);
	for (char *one; (one = strsep(&rest, ";"));) {
		char name[32], cpu[16], bytes[16], part[2] = "x";

		sscanf(one, " %31s %15s %15s %1s", name, cpu, bytes, part);
		add(sample, name, *cpu == '?' ? NAN : atof(cpu),
		    *bytes == '?' ? U64_UNKNOWN : *bytes == '-' ? U64_BLANK : strtoull(bytes, NULL, 10));
		strcpy(sample->texts[sample->n_rows - 1][0], part);
	}
}

static void take(struct command_sums *sums, struct scene *sample, size_t top)
{
	command_sums_take(sums, sample->pointers, sample->n_rows, top, sample->second * SECOND_NS,
			  15 * SECOND_NS);
	sample->second += 15;
	sample->n_rows = 0;
}

/* "NAME CPU BYTES ROWS" of each sum, in their order; then how many are others. */
static const char *text_of(const struct command_sums *sums)
{
	const char *text = "";

	for (size_t i = 0; i < sums->n_sums; i++) {
		const struct row *row = sums->sums[i].row;
		const char *name = row->name ? row->name : row->command ? row->command : row->part;
		const char *bytes = row->resident_bytes == U64_UNKNOWN
					    ? "?"
					    : textf("%u", (unsigned)row->resident_bytes);

		text = textf("%s%s %s %s %zu; ", text, name,
			     isnan(row->cpu_ratio) ? "?" : textf("%g", row->cpu_ratio), bytes,
			     (size_t)sums->sums[i].n_rows);
	}
	return textf("%s%zu", text, (size_t)sums->n_others);
}

static const struct command_sum *find(const struct command_sums *sums, const char *name)
{
	for (size_t i = 0; i < sums->n_sums; i++)
		if (strcmp(((const struct row *)sums->sums[i].row)->name, name) == 0)
			return &sums->sums[i];
	return NULL;
}

/* Names may be whole command lines; of a schema without names the keys that stay are. */
START_TEST(sums_of_a_sample)
{
	static const struct {
		const struct schema *schema;
		bool whole;
		size_t top;
		const char *rows, *sums;
	} cases[] = {
		/* the costliest have names, and the rest is one; what does not apply adds nothing */
		{ &schema, false, 3, "busy 0.5 1000; busy 0.25 1000; large 0 1000000; kworker/0:1 0.125 0; "
		  "kworker/1:2-x 0.125 0; small 0.0625 10; small2 0.0625 -",
		  "busy 0.75 2000 2; large 0 1000000 1; kworker 0.25 0 2; (others) 0.125 10 2; 2" },
		/* a sum is unknown if a part is: neither 0, nor a part of it */
		{ &schema, false, 3, "a 0.5 ?; a ? 10; b 0 10", "a ? ? 2; b 0 10 1; 0" },
		/* keys that stay divide the sums */
		{ &schema, false, 3, "a 0.5 1; a 0.25 2 y; a 0.125 4", "a 0.625 5 2; a 0.25 2 1; 0" },
		{ &schema, true, 3, "a 0.5 1; b 0.25 2; a 0.25 3",
		  "x --of=a 0.75 4 2; x --of=b 0.25 2 1; 0" },
		/* a slash at the beginning parts nothing */
		{ &schema, false, 3, "a 0.5 -; a 0.25 -; /sbin/init 0.25 7",
		  "a 0.75 0 2; /sbin/init 0.25 7 1; 0" },
		/* what is called as the rest is of the rest */
		{ &schema, false, 1, "(others) 0.75 5; a 0.125 7; b 0.0625 1",
		  "(others) 0.8125 6 2; a 0.125 7 1; 2" },
		{ &nameless, true, 0, "a 0.5 1; b 0.25 2 y; b 0.25 4", "a 0.75 5 2; b 0.25 2 1; 0" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene sample = { 0 };
		struct command_sums sums;

		command_sums_open(&sums, cases[i].schema, cases[i].whole);
		add_all(&sample, cases[i].rows);
		take(&sums, &sample, cases[i].top);
		ck_assert_msg(strcmp(text_of(&sums), cases[i].sums) == 0, "case %zu: wanted %s, came %s", i,
			      cases[i].sums, text_of(&sums));
		take(&sums, &sample, cases[i].top); /* of a sample without rows */
		ck_assert_str_eq(text_of(&sums), "0");
		command_sums_close(&sums);
	}
}

/* What does not add up is unknown of a sum; the next sample is apart. */
START_TEST(sums_have_what_adds_up)
{
	struct scene sample = { 0 };
	struct command_sums sums;
	const struct row *row;

	command_sums_open(&sums, &schema, false);
	ck_assert_str_eq(sums.label, "command");
	ck_assert_uint_eq(sums.n_columns, 2);
	add_all(&sample, "a 0.5 1; a 0.25 2");
	take(&sums, &sample, 3);
	row = find(&sums, "a")->row;
	ck_assert_uint_eq(row->pid, U64_UNKNOWN);
	ck_assert(isnan(row->age_seconds));
	ck_assert_str_eq(row->part, "x");
	ck_assert_ptr_null(row->command);
	add_all(&sample, "a 0.5 9");
	take(&sums, &sample, 3);
	ck_assert_str_eq(text_of(&sums), "a 0.5 9 1; 0");
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
