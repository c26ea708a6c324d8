/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine as lines of text. */
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
struct said {
	unsigned second, until;
	char topic[32], key[64], column[40], value[128];
	unsigned number; /* of a key with a range */
	size_t row;      /* number of its row */
	enum { FACT_ROW, FACT_RESTS, FACT_FAILS, FACT_WORKS } kind;
};

#define COPY(to, text) copy(to, sizeof(to), text)
static void copy(char *to, size_t room, const char *text)
{
	if ((size_t)snprintf(to, room, "%s", text) >= room)
		refuse_case("%s is too long", text);
}

static bool is_pair(const char *text)
{
	return text[strcspn(text, " =")] == '=';
}

/* The next COLUMN=VALUE, whose value may have blanks, in two; it ends before the next one. */
static bool take_pair(char **text, char **column, char **value)
{
	char *end = *column = *text;

	if (!*end)
		return false;
	if (!is_pair(end))
		refuse_case("%s has no =", end);
	do
		end += 1 + strcspn(end + 1, " ");
	while (*end && !is_pair(end + 1));
	*text = *end ? end + 1 : end;
	*end = '\0';
	*value = strchr(*column, '=');
	*(*value)++ = '\0';
	return true;
}

static bool same_row(const struct said *a, const struct said *b)
{
	return strcmp(a->key, b->key) == 0 && strcmp(a->topic, b->topic) == 0;
}

/* Behind those of earlier seconds, and of its own. */
static void add(struct scene *scene, const struct said *fact)
{
	size_t at = scene->n_facts;

	VECTOR_ADD(scene->facts, scene->n_facts, scene->capacity);
	for (; at > 0 && scene->facts[at - 1].second > fact->second; at--)
		scene->facts[at] = scene->facts[at - 1];
	scene->facts[at] = *fact;
}

/* The '@' of "@SECOND:", before another value; NULL: there is none. */
static const char *find_later(const char *values, unsigned *second, int *length)
{
	const char *at = values;

	*length = 0;
	while ((at = strchr(at, '@')) && (sscanf(at, "@%u:%n", second, length) < 1 || *length == 0))
		at++;
	return at;
}

/* "VALUE@SECOND:VALUE...": another one from that second on. */
static void add_values(struct scene *scene, struct said fact, const char *column, const char *values)
{
	const char *later;
	unsigned second = 0;
	int length = 0;

	COPY(fact.column, column);
	for (; values; values = later ? later + length : NULL) {
		later = find_later(values, &second, &length);
		COPY(fact.value, textf("%.*s", (int)(later ? later - values : INT_MAX), values));
		add(scene, &fact);
		fact.second = second;
	}
}

static void add_row(struct scene *scene, const struct said *fact, const char *text)
{
	char pairs[1024], *rest = pairs, *column, *value;

	if (strcmp(text, "gone") == 0) {
		for (size_t i = 0; i < scene->n_facts; i++)
			if (same_row(&scene->facts[i], fact) && scene->facts[i].until > fact->second)
				scene->facts[i].until = fact->second;
		return;
	}
	add(scene, fact);
	COPY(pairs, text);
	while (take_pair(&rest, &column, &value))
		add_values(scene, *fact, column, value);
}

void scene_add(struct scene *scene, char *text)
{
	static const char *const states[] = { "", "rests", "fails", "works" };
	const char *seconds = take_word(&text);
	struct said fact = { .until = UINT_MAX };
	unsigned first, last;
	char *key, *range;

	if (sscanf(seconds, "%u..%u", &fact.second, &fact.until) == 2)
		fact.until++;
	COPY(fact.topic, take_word(&text));
	key = take_word(&text);
	for (unsigned i = FACT_RESTS; i <= FACT_WORKS; i++)
		if (strcmp(key, states[i]) == 0) {
			fact.kind = i;
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
		struct said *fact = &scene->facts[i];

		if (strcmp(fact->column, column) == 0 && (!*key || strcmp(fact->key, key) == 0)) {
			COPY(fact->value, value);
			return;
		}
	}
	refuse_case("no row%s%s has a column %s", *key ? " " : "", key, column);
}

void scene_change(struct scene *scene, char *text)
{
	char *column, *value;

	while (take_pair(&text, &column, &value)) {
		char *dot = strrchr(column, '.');

		if (dot)
			*dot = '\0';
		change(scene, dot ? column : "", dot ? dot + 1 : column, value);
	}
}

void scene_empty(struct scene *scene)
{
	free(scene->facts);
	free(scene->rows);
	*scene = (struct scene){ 0 };
}

unsigned scene_last_second(const struct scene *scene)
{
	return scene->n_facts > 0 ? scene->facts[scene->n_facts - 1].second : 0;
}

static double take_number(char **at)
{
	double number = strtod(*at, at);
	const char *units = "KMG", *unit = **at ? strchr(units, **at) : NULL;

	if (!unit || strncmp(*at + 1, "iB", 2) != 0)
		return number;
	*at += strlen("KiB");
	return ldexp(number, 10 * (int)(unit + 1 - units));
}

/* What it is in this second. */
static double number_of(const struct scene *scene, const struct said *fact, unsigned second)
{
	const struct said *before = fact;
	char *at = (char *)fact->value;
	double number = 0, rate = 0;

	if (strcmp(at, "-") == 0)
		return NAN;
	if (*at != '+')
		number = take_number(&at);
	else
		while (before-- > scene->facts)
			if (same_row(before, fact) && strcmp(before->column, fact->column) == 0) {
				number = number_of(scene, before, fact->second);
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
		number += take_number(&at) * sin(second * 2.1) * cos(second * 0.7);
	}
	if (*at)
		refuse_case("%s=%s is no number", fact->column, fact->value);
	return number + rate * (second - fact->second);
}

static const char *text_of(struct frame *frame, const struct said *fact)
{
	const char *text = fact->value, *place = strchr(text, '#');

	if (strcmp(text, "-") == 0)
		return NULL;
	if (!place)
		return arena_copy(&frame->arena, text, strlen(text));
	return arena_print(&frame->arena, "%.*s%u%s", (int)(place - text), text, fact->number, place + 1);
}

static void set_value(const struct scene *scene, const struct said *fact, unsigned second,
		      struct frame *frame, void *row, const struct column *column)
{
	double number;

	if (column->type == VALUE_TEXT) {
		row_set_text(row, column, text_of(frame, fact));
	} else if (*fact->value == '@') {
		row_set_u64(row, column, SCENE_WALL_NS + (uint64_t)(int64_t)(atof(fact->value + 1) * 1e9));
	} else {
		number = number_of(scene, fact, second);
		if (column->type == VALUE_F64)
			row_set_f64(row, column, number);
		else
			row_set_u64(row, column, isnan(number) ? U64_UNKNOWN : (uint64_t)number);
	}
}

/* A new row with what KEY[/OTHER] says; a path is one key, and one that begins with - none. */
static void *add_keyed_row(struct frame *frame, struct table *table, const char *key)
{
	void *row = table_add(table);
	char rest[64];

	COPY(rest, *key == '-' ? "" : key);
	for (unsigned c = 0; *rest && c < table->schema->n_columns; c++) {
		const struct column *column = &table->schema->columns[c];
		size_t length = *rest == '/' ? strlen(rest) : strcspn(rest, "/");

		if (column->kind != COLUMN_KEY)
			continue;
		if (column->type == VALUE_TEXT)
			row_set_text(row, column, arena_copy(&frame->arena, rest, length));
		else if (column->type == VALUE_U64)
			row_set_u64(row, column, strtoull(rest, NULL, 10));
		else
			row_set_f64(row, column, atof(rest));
		memmove(rest, rest + length + (rest[length] != '\0'), strlen(rest + length) + 1);
	}
	return row;
}

/* Each row has a number. */
static void number_rows(struct scene *scene)
{
	size_t n = 0;

	for (size_t i = 0; i < scene->n_facts; i++) {
		struct said *fact = &scene->facts[i], *before = fact;

		while (before > scene->facts && !same_row(before - 1, fact))
			before--;
		fact->row = before > scene->facts ? before[-1].row : n++;
	}
	scene->rows = alloc_resize(scene->rows, n + 1, sizeof(*scene->rows));
	scene->n_rows = n;
}

static void set_fact(const struct scene *scene, const struct said *fact, unsigned second, struct frame *frame)
{
	struct table *table = frame_slot(frame, fact->topic);
	const struct column *column = schema_find(table->schema, fact->column);
	size_t *row = &scene->rows[fact->row];

	if (*row == 0) {
		add_keyed_row(frame, table, fact->key);
		*row = table->n_rows;
	}
	if (column)
		set_value(scene, fact, second, frame, table_row(table, *row - 1), column);
	else if (*fact->column)
		refuse_case("there is no column %s.%s", fact->topic, fact->column);
}

static void set_clock(struct frame *frame, const char *clock, double ahead)
{
	uint64_t ns = (uint64_t)(int64_t)(ahead * 1e9);

	if (strcmp(clock, "mono") == 0)
		frame->mono_ns += ns;
	else if (strcmp(clock, "wall") == 0)
		frame->wall_ns += ns;
	else if (strcmp(clock, "boot") == 0)
		frame->boot += (unsigned)ahead;
}

static void set_state(struct table *table, const struct said *fact, unsigned second)
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
	for (const struct said *fact = scene->facts; fact < scene->facts + scene->n_facts; fact++) {
		bool holds = fact->second <= second && fact->until > second;
		struct table *table = frame_slot(frame, fact->topic);

		if (!table && strcmp(fact->topic, "clock") != 0)
			refuse_case("there is no topic %s", fact->topic);
		if (table && fact->kind == FACT_ROW)
			table->present = true; /* even if it has no row yet */
		if (holds && !table)
			set_clock(frame, fact->column, number_of(scene, fact, second));
		else if (holds && fact->kind == FACT_ROW)
			set_fact(scene, fact, second, frame);
	}
	for (const struct said *fact = scene->facts; fact < scene->facts + scene->n_facts; fact++)
		if (fact->kind != FACT_ROW && fact->second <= second)
			set_state(frame_slot(frame, fact->topic), fact, second);
	for (unsigned i = 0; i < frame->n_tables; i++) {
		frame->tables[i].mono_ns = frame->mono_ns;
		if (!frame->tables[i].present)
			frame->tables[i].n_rows = 0;
	}
}
