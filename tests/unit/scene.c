/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "scene.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case_file.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "suite.h"

#define SECOND_NS UINT64_C(1000000000)

/* A value of a row, or without a column that the row is there; from this second on, and before the other. */
struct fact {
	unsigned second, until;
	char topic[32], key[64], column[40], value[128];
	unsigned number; /* of a key with a range */
	size_t row;      /* number of its row */
	enum { FACT_ROW, FACT_RESTS, FACT_FAILS, FACT_WORKS } kind;
};

static bool is_pair(const char *text)
{
	size_t length = strcspn(text, " =");

	return length > 0 && text[length] == '=';
}

/* The next COLUMN=VALUE, whose value may have blanks; it ends before the next one. NULL: there is none. */
static char *take_pair(char **text)
{
	char *pair = *text, *end = pair;

	if (!*pair)
		return NULL;
	if (!is_pair(pair))
		refuse_case("%s has no =", pair);
	do
		end += 1 + strcspn(end + 1, " ");
	while (*end && !is_pair(end + 1));
	*text = *end ? end + 1 : end;
	*end = '\0';
	return pair;
}

static void copy(char *to, size_t room, const char *text)
{
	if ((size_t)snprintf(to, room, "%s", text) >= room)
		refuse_case("%s is too long", text);
}
#define COPY(to, text) copy(to, sizeof(to), text)

/* Behind those of earlier seconds, and of its own. */
static void add(struct scene *scene, const struct fact *fact)
{
	size_t at = scene->n_facts;

	VECTOR_ADD(scene->facts, scene->n_facts, scene->capacity);
	for (; at > 0 && scene->facts[at - 1].second > fact->second; at--)
		scene->facts[at] = scene->facts[at - 1];
	scene->facts[at] = *fact;
}

static bool same_row(const struct fact *a, const struct fact *b)
{
	return strcmp(a->key, b->key) == 0 && strcmp(a->topic, b->topic) == 0;
}

static void add_row(struct scene *scene, const struct fact *of, const char *text)
{
	struct fact fact = *of;
	char pairs[1024], *rest = pairs, *pair;

	if (strcmp(text, "gone") == 0) {
		for (size_t i = 0; i < scene->n_facts; i++)
			if (same_row(&scene->facts[i], of) && scene->facts[i].until > of->second)
				scene->facts[i].until = of->second;
		return;
	}
	add(scene, &fact);
	COPY(pairs, text);
	while ((pair = take_pair(&rest))) {
		char *equals = strchr(pair, '=');

		*equals = '\0';
		COPY(fact.column, pair);
		COPY(fact.value, equals + 1);
		add(scene, &fact);
	}
}

void scene_add(struct scene *scene, char *text)
{
	static const char *const states[] = { "", "rests", "fails", "works" };
	struct fact fact = { .second = (unsigned)atoi(take_word(&text)), .until = UINT_MAX };
	unsigned first, last;
	char *key, *range;

	COPY(fact.topic, take_word(&text));
	key = take_word(&text);
	for (unsigned i = FACT_RESTS; i <= FACT_WORKS; i++)
		if (strcmp(key, states[i]) == 0)
			fact.kind = i;
	if (fact.kind != FACT_ROW) {
		COPY(fact.value, text);
		add(scene, &fact);
		return;
	}
	range = strchr(key, '{');
	if (!range || sscanf(range, "{%u..%u}", &first, &last) != 2) {
		COPY(fact.key, key);
		add_row(scene, &fact, text);
		return;
	}
	for (fact.number = first; fact.number <= last; fact.number++) {
		snprintf(fact.key, sizeof(fact.key), "%.*s%u", (int)(range - key), key, fact.number);
		add_row(scene, &fact, text);
	}
}

static void change(struct scene *scene, const char *key, const char *column, const char *value)
{
	for (size_t i = scene->n_facts; i-- > 0;) {
		struct fact *fact = &scene->facts[i];

		if (strcmp(fact->column, column) == 0 && (!*key || strcmp(fact->key, key) == 0)) {
			COPY(fact->value, value);
			return;
		}
	}
	refuse_case("no row %s has %s", key, column);
}

void scene_change(struct scene *scene, char *text)
{
	char *pair;

	while ((pair = take_pair(&text))) {
		char *equals = strchr(pair, '='), *dot;

		*equals = '\0';
		dot = strrchr(pair, '.');
		if (dot)
			*dot = '\0';
		change(scene, dot ? pair : "", dot ? dot + 1 : pair, equals + 1);
	}
}

/* Each row has a number. */
static void number_rows(struct scene *scene)
{
	size_t n = 0;

	for (size_t i = 0; i < scene->n_facts; i++) {
		struct fact *fact = &scene->facts[i], *before = fact;

		while (before > scene->facts && !same_row(before - 1, fact))
			before--;
		fact->row = before > scene->facts ? before[-1].row : n++;
	}
	scene->rows = alloc_resize(scene->rows, n + 1, sizeof(*scene->rows));
	scene->n_rows = n;
}

void scene_empty(struct scene *scene)
{
	free(scene->facts);
	free(scene->rows);
	*scene = (struct scene){ 0 };
}

unsigned scene_last_second(const struct scene *scene)
{
	unsigned last = 0;

	for (size_t i = 0; i < scene->n_facts; i++)
		last = scene->facts[i].second > last ? scene->facts[i].second : last;
	return last;
}

static double take_number(char **at)
{
	static const char *const units[] = { "KiB", "MiB", "GiB" };
	double number = strtod(*at, at);

	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strncmp(*at, units[i], strlen(units[i])) == 0) {
			*at += strlen(units[i]);
			return ldexp(number, 10 * (int)(i + 1));
		}
	return number;
}

/* What it is in this second. */
static double number_of(const struct scene *scene, size_t index, unsigned second)
{
	const struct fact *fact = &scene->facts[index], *before = fact;
	char *at = (char *)fact->value;
	double number = 0, rate = 0, noise = 0;

	if (strcmp(at, "-") == 0 || !*fact->column)
		return NAN;
	if (*at != '+')
		number = take_number(&at);
	else
		while (before-- > scene->facts)
			if (same_row(before, fact) && strcmp(before->column, fact->column) == 0) {
				number = number_of(scene, (size_t)(before - scene->facts), fact->second);
				break;
			}
	if (*at == '#') {
		number *= fact->number;
		at++;
	}
	if (*at == '+') {
		at++;
		rate = take_number(&at);
	}
	if (*at == '~') {
		at++;
		noise = take_number(&at);
	}
	if (*at)
		refuse_case("%s=%s is no number", fact->column, fact->value);
	number += rate * (second - fact->second);
	for (unsigned i = fact->second + 1; noise > 0 && i <= second; i++)
		number += noise * sin(i * 2.1) * cos(i * 0.7);
	return number;
}

static const char *text_of(struct frame *frame, const struct fact *fact)
{
	const char *place = strchr(fact->value, '#');

	if (strcmp(fact->value, "-") == 0)
		return NULL;
	if (!place)
		return arena_copy(&frame->arena, fact->value, strlen(fact->value));
	return arena_print(&frame->arena, "%.*s%u%s", (int)(place - fact->value), fact->value, fact->number,
			   place + 1);
}

static void set_value(const struct scene *scene, size_t index, unsigned second, struct frame *frame,
		      void *row, const struct column *column)
{
	const struct fact *fact = &scene->facts[index];
	double number;

	if (column->type == VALUE_TEXT) {
		row_set_text(row, column, text_of(frame, fact));
	} else if (*fact->value == '@') {
		row_set_u64(row, column, SCENE_WALL_NS + (uint64_t)(int64_t)(atof(fact->value + 1) * 1e9));
	} else {
		number = number_of(scene, index, second);
		if (column->type == VALUE_F64)
			row_set_f64(row, column, number);
		else
			row_set_u64(row, column, isnan(number) ? U64_UNKNOWN : (uint64_t)number);
	}
}

static const struct column *key_column(const struct schema *schema, unsigned number)
{
	for (unsigned c = 0; c < schema->n_columns; c++)
		if (schema->columns[c].kind == COLUMN_KEY && number-- == 0)
			return &schema->columns[c];
	return NULL;
}

static void set_key(struct frame *frame, void *row, const struct column *column, const char *key)
{
	if (!column || !*key)
		return;
	if (column->type == VALUE_TEXT)
		row_set_text(row, column, arena_copy(&frame->arena, key, strlen(key)));
	else if (column->type == VALUE_U64)
		row_set_u64(row, column, strtoull(key, NULL, 10));
	else
		row_set_f64(row, column, atof(key));
}

/* Its row, made if it is not there. */
static void *row_of(const struct scene *scene, const struct fact *fact, struct frame *frame, struct table *table)
{
	char key[64] = "", other[64] = "";
	void *row;

	if (scene->rows[fact->row] > 0)
		return table_row(table, scene->rows[fact->row] - 1);
	if (*fact->key == '/') /* a path */
		COPY(key, fact->key);
	else if (*fact->key != '-')
		sscanf(fact->key, "%63[^/]/%63s", key, other);
	row = table_add(table);
	scene->rows[fact->row] = table->n_rows;
	set_key(frame, row, key_column(table->schema, 0), key);
	set_key(frame, row, key_column(table->schema, 1), other);
	return row;
}

static void set_clock(struct frame *frame, const struct fact *fact, double number)
{
	if (strcmp(fact->column, "mono") == 0)
		frame->mono_ns += (uint64_t)(int64_t)(number * 1e9);
	else if (strcmp(fact->column, "wall") == 0)
		frame->wall_ns += (uint64_t)(int64_t)(number * 1e9);
	else if (strcmp(fact->column, "boot") == 0)
		frame->boot += (unsigned)number;
}

static void set_fact(const struct scene *scene, size_t index, unsigned second, struct frame *frame)
{
	const struct fact *fact = &scene->facts[index];
	struct table *table = frame_slot(frame, fact->topic);
	const struct column *column;
	void *row = row_of(scene, fact, frame, table);

	if (!*fact->column)
		return;
	column = schema_find(table->schema, fact->column);
	if (!column)
		refuse_case("there is no column %s.%s", fact->topic, fact->column);
	set_value(scene, index, second, frame, row, column);
}

static void set_state(struct table *table, const struct fact *fact, unsigned second)
{
	unsigned first, last, period;

	table->present = fact->kind != FACT_RESTS;
	table->failed = fact->kind == FACT_FAILS;
	if (sscanf(fact->value, "%u..%u of %u", &first, &last, &period) == 3)
		table->present = (second + period - first) % period <= last - first;
}

void scene_fill(struct scene *scene, struct frame *frame, unsigned second)
{
	if (!scene->rows)
		number_rows(scene);
	memset(scene->rows, 0, scene->n_rows * sizeof(*scene->rows));
	frame_clear(frame);
	frame->mono_ns = (1000 + (uint64_t)second) * SECOND_NS;
	frame->wall_ns = SCENE_WALL_NS + second * SECOND_NS;
	for (size_t i = 0; i < scene->n_facts; i++) {
		const struct fact *fact = &scene->facts[i];
		bool holds = fact->second <= second && fact->until > second;
		struct table *table = frame_slot(frame, fact->topic);

		if (!table && strcmp(fact->topic, "clock") != 0)
			refuse_case("there is no topic %s", fact->topic);
		if (table && fact->kind == FACT_ROW)
			table->present = true; /* even if it has no row yet */
		if (holds && !table)
			set_clock(frame, fact, number_of(scene, i, second));
		else if (holds && fact->kind == FACT_ROW)
			set_fact(scene, i, second, frame);
	}
	for (size_t i = 0; i < scene->n_facts; i++)
		if (scene->facts[i].kind != FACT_ROW && scene->facts[i].second <= second)
			set_state(frame_slot(frame, scene->facts[i].topic), &scene->facts[i], second);
	for (unsigned i = 0; i < frame->n_tables; i++) {
		frame->tables[i].mono_ns = frame->mono_ns;
		if (!frame->tables[i].present)
			frame->tables[i].n_rows = 0;
	}
}
