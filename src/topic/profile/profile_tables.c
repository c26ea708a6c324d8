/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays of the largest size, of which the kernel gives the pages that are used; so nothing moves. */
#include <config.h>

#include "topic/profile/profile_tables.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/vector.h"

#define FIELD(member)                                                                                        \
	{ offsetof(struct profile_result, member), sizeof(((const struct profile_result *)NULL)->member) }
#define TEXT(member) { offsetof(struct profile_result, member), 0 }

/* What a message has of a result, behind its kind. bytes: 0: a text, behind its length; at: 0: no more. */
static const struct part {
	size_t at, bytes;
} layouts[][5] = {
	[PROFILE_RESULT_FUNCTION] = { FIELD(names), TEXT(name), TEXT(file), TEXT(path) },
	[PROFILE_RESULT_NODE] = { FIELD(parent), FIELD(function) },
	[PROFILE_RESULT_LINE] = { FIELD(function), FIELD(line), TEXT(name) },
	[PROFILE_RESULT_COUNT] = { FIELD(count) },
	[PROFILE_RESULT_FORK] = { FIELD(pid), FIELD(parent_pid) },
	[PROFILE_RESULT_AGAIN] = { { 0, 0 } },
	[PROFILE_RESULT_STATE] = { FIELD(state) },
};

void profile_results_add(struct buffer *out, const struct profile_result *result)
{
	buffer_char(out, (char)result->kind);
	for (const struct part *part = layouts[result->kind]; part->at > 0; part++) {
		const char *from = (const char *)result + part->at;
		const struct span *text = (const void *)from;
		uint16_t length;

		if (part->bytes > 0) {
			buffer_add(out, from, part->bytes);
			continue;
		}
		length = (uint16_t)(span_length(*text) < PROFILE_NAME_MAX ? span_length(*text)
									  : PROFILE_NAME_MAX);
		buffer_add(out, (const char *)&length, sizeof(length));
		buffer_add(out, text->at, length);
	}
}

static bool eat_text(struct span *rest, struct span *text)
{
	uint16_t length;

	if (!span_eat(rest, &length, sizeof(length)) || length > PROFILE_NAME_MAX ||
	    length > span_length(*rest))
		return false;
	*text = span_of(rest->at, length);
	rest->at += length;
	return true;
}

bool profile_results_next(struct span *message, struct profile_result *result)
{
	struct span rest = *message;
	uint8_t kind;

	*result = (struct profile_result){ .kind = PROFILE_RESULT_STATE };
	if (!span_eat(&rest, &kind, sizeof(kind)) || kind > PROFILE_RESULT_STATE)
		return false;
	result->kind = (enum profile_result_kind)kind;
	for (const struct part *part = layouts[kind]; part->at > 0; part++) {
		void *to = (char *)result + part->at;

		if (part->bytes > 0 ? !span_eat(&rest, to, part->bytes) : !eat_text(&rest, to))
			return false;
	}
	if (result->names >= N_PROFILE_NAMES)
		return false;
	*message = rest;
	return true;
}

#define TEXTS_BYTES_MAX (2 * PROFILE_TEXTS_MAX)
#define PARTS 64 /* of a full table */

static bool has_room(const struct profile_tables *tables)
{
	return tables->text_bytes < TEXTS_BYTES_MAX;
}

static const char *keep_text(struct profile_tables *tables, struct span text)
{
	char bytes[PROFILE_NAME_MAX + 1];
	size_t length = span_length(text);
	uint64_t hash;
	uint32_t at;

	if (length > PROFILE_NAME_MAX)
		length = PROFILE_NAME_MAX;
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)text.at[i];

		/* names are of files that others wrote; ';' parts the functions of a stack */
		bytes[i] = byte < ' ' || byte == ';' || byte == 0x7f ? '?' : text.at[i];
	}
	bytes[length] = '\0';
	hash = hash_bytes(tables->seed, span_text(bytes));
	HASH_FIND(at, &tables->by_text, hash, strcmp(tables->texts[at], bytes) == 0);
	if (at != HASH_NONE)
		return tables->texts[at];
	hash_add(&tables->by_text, hash, (uint32_t)tables->n_texts);
	tables->text_bytes += length + 1;
	return *VECTOR_ADD(tables->texts, tables->n_texts, tables->text_capacity) =
		       arena_copy(&tables->arena, bytes, length);
}

static uint64_t hash_of_texts(const char *one, const char *other)
{
	return hash_u64((uint64_t)(uintptr_t)one ^ hash_u64((uint64_t)(uintptr_t)other));
}

/* Its number. Texts are those of keep_text(). */
static uint32_t add_function(struct profile_tables *tables, const struct profile_function *function)
{
	uint64_t hash = hash_of_texts(function->name, function->file);
	uint32_t at;

	HASH_FIND(at, &tables->by_name, hash,
		  tables->functions[at].name == function->name &&
			  tables->functions[at].file == function->file);
	if (at != HASH_NONE)
		return at;
	if (tables->n_functions == PROFILE_TABLES_FUNCTIONS_MAX || !has_room(tables))
		return PROFILE_OTHERS;
	at = (uint32_t)tables->n_functions++;
	tables->functions[at] = *function;
	hash_add(&tables->by_name, hash, at);
	return at;
}

static uint32_t add_node(struct profile_tables *tables, struct profile_call node)
{
	uint64_t hash = hash_u64((uint64_t)node.parent << 32 | node.function);
	uint32_t at;

	if (node.parent == PROFILE_OTHERS)
		return PROFILE_OTHERS;
	HASH_FIND(at, &tables->by_call, hash,
		  tables->nodes[at].parent == node.parent && tables->nodes[at].function == node.function);
	if (at != HASH_NONE)
		return at;
	if (tables->n_nodes == PROFILE_TABLES_NODES_MAX)
		return PROFILE_OTHERS;
	at = (uint32_t)tables->n_nodes++;
	tables->nodes[at] = node;
	hash_add(&tables->by_call, hash, at);
	return at;
}

static uint32_t add_line(struct profile_tables *tables, struct profile_line line)
{
	uint64_t hash =
		hash_of_texts(line.source, NULL) ^ hash_u64((uint64_t)line.function << 32 | line.number);
	uint32_t at;

	HASH_FIND(at, &tables->by_line, hash,
		  tables->lines[at].source == line.source && tables->lines[at].function == line.function &&
			  tables->lines[at].number == line.number);
	if (at != HASH_NONE)
		return at;
	if (tables->n_lines == PROFILE_TABLES_LINES_MAX || !has_room(tables))
		return PROFILE_NO_LINE;
	at = (uint32_t)tables->n_lines++;
	tables->lines[at] = line;
	hash_add(&tables->by_line, hash, at);
	return at;
}

static void add_others(struct profile_tables *tables)
{
	const char *none = keep_text(tables, span_text("(unknown)"));
	const struct profile_function others = {
		.name = keep_text(tables, span_text("(too many functions)")),
		.file = none,
		.path = keep_text(tables, span_text("")),
	};

	add_node(tables, (struct profile_call){ PROFILE_NO_NODE, add_function(tables, &others) });
}

void profile_tables_open(struct profile_tables *tables)
{
	*tables = (struct profile_tables){
		.functions = alloc_zeroed(PROFILE_TABLES_FUNCTIONS_MAX, sizeof(*tables->functions)),
		.nodes = alloc_zeroed(PROFILE_TABLES_NODES_MAX, sizeof(*tables->nodes)),
		.lines = alloc_zeroed(PROFILE_TABLES_LINES_MAX, sizeof(*tables->lines)),
		.seed = HASH_SEED,
		.tidy_at = PARTS / 4,
	};
	if (getrandom(&tables->seed, sizeof(tables->seed), GRND_NONBLOCK) < 0)
		tables->seed = HASH_SEED;
	add_others(tables);
}

static void free_indexes(struct profile_tables *tables)
{
	hash_free(&tables->by_name);
	hash_free(&tables->by_call);
	hash_free(&tables->by_line);
	hash_free(&tables->by_text);
	free(tables->texts);
	arena_free(&tables->arena);
}

void profile_tables_free(struct profile_tables *tables)
{
	free_indexes(tables);
	free(tables->functions);
	free(tables->nodes);
	free(tables->lines);
	free(tables->functions_of.list);
	free(tables->nodes_of.list);
	free(tables->lines_of.list);
	*tables = (struct profile_tables){ 0 };
}

static void number(struct profile_numbers *numbers, uint32_t is)
{
	*VECTOR_ADD(numbers->list, numbers->n, numbers->capacity) = is;
}

static bool take_function(struct profile_tables *tables, const struct profile_result *result)
{
	struct profile_function function = { .names = result->names };

	if (tables->functions_of.n == PROFILE_FUNCTIONS_MAX)
		return false;
	if (!has_room(tables)) {
		number(&tables->functions_of, PROFILE_OTHERS);
		return true;
	}
	function.name = keep_text(tables, result->name);
	function.file = keep_text(tables, result->file);
	function.path = keep_text(tables, result->path);
	number(&tables->functions_of, add_function(tables, &function));
	return true;
}

static bool take_node(struct profile_tables *tables, const struct profile_result *result)
{
	struct profile_call node = { .parent = PROFILE_NO_NODE };

	if (tables->nodes_of.n == PROFILE_NODES_MAX || result->function >= tables->functions_of.n ||
	    (result->parent != PROFILE_NO_NODE && result->parent >= tables->nodes_of.n))
		return false;
	if (result->parent != PROFILE_NO_NODE)
		node.parent = tables->nodes_of.list[result->parent];
	node.function = tables->functions_of.list[result->function];
	number(&tables->nodes_of, add_node(tables, node));
	return true;
}

static bool take_line(struct profile_tables *tables, const struct profile_result *result)
{
	struct profile_line line = { .number = result->line };

	if (tables->lines_of.n == PROFILE_LINES_MAX || result->function >= tables->functions_of.n)
		return false;
	line.function = tables->functions_of.list[result->function];
	if (line.function == PROFILE_OTHERS || !has_room(tables)) {
		number(&tables->lines_of, PROFILE_NO_LINE);
		return true;
	}
	line.source = keep_text(tables, result->name);
	number(&tables->lines_of, add_line(tables, line));
	return true;
}

bool profile_tables_add(struct profile_tables *tables, const struct profile_result *result)
{
	switch (result->kind) {
	case PROFILE_RESULT_FUNCTION:
		return take_function(tables, result);
	case PROFILE_RESULT_NODE:
		return take_node(tables, result);
	case PROFILE_RESULT_LINE:
		return take_line(tables, result);
	default:
		return false;
	}
}

bool profile_tables_translate(const struct profile_tables *tables, struct profile_count *count)
{
	if (count->node >= tables->nodes_of.n ||
	    (count->line < PROFILE_ANY_LINE && count->line >= tables->lines_of.n))
		return false;
	count->node = tables->nodes_of.list[count->node];
	if (count->line < PROFILE_ANY_LINE)
		count->line = tables->lines_of.list[count->line];
	return true;
}

void profile_tables_renumber(struct profile_tables *tables)
{
	tables->functions_of.n = tables->nodes_of.n = tables->lines_of.n = 0;
}

static size_t parts(size_t n, size_t most)
{
	return n * PARTS / most;
}

/* How full the fullest is. */
static size_t fullness(const struct profile_tables *tables)
{
	const size_t of[] = { parts(tables->n_functions, PROFILE_TABLES_FUNCTIONS_MAX),
			      parts(tables->n_nodes, PROFILE_TABLES_NODES_MAX),
			      parts(tables->n_lines, PROFILE_TABLES_LINES_MAX),
			      parts(tables->text_bytes, TEXTS_BYTES_MAX) };
	size_t most = 0;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		most = of[i] > most ? of[i] : most;
	return most;
}

bool profile_tables_are_full(const struct profile_tables *tables)
{
	return fullness(tables) > tables->tidy_at;
}

void profile_tables_begin(struct profile_tables *tables)
{
	tables->kept_nodes = alloc_zeroed(tables->n_nodes + 1, sizeof(*tables->kept_nodes));
	tables->kept_lines = alloc_zeroed(tables->n_lines + 1, sizeof(*tables->kept_lines));
	tables->kept_nodes[PROFILE_OTHERS] = 1;
	for (size_t i = 0; i < tables->nodes_of.n; i++)
		tables->kept_nodes[tables->nodes_of.list[i]] = 1;
	for (size_t i = 0; i < tables->lines_of.n; i++)
		if (tables->lines_of.list[i] < PROFILE_ANY_LINE)
			tables->kept_lines[tables->lines_of.list[i]] = 1;
}

void profile_tables_keep(struct profile_tables *tables, const struct profile_count *count)
{
	tables->kept_nodes[count->node] = 1;
	if (count->line < PROFILE_ANY_LINE)
		tables->kept_lines[count->line] = 1;
}

/* Marks the functions of what is kept, and the nodes above. */
static uint32_t *kept_functions(const struct profile_tables *tables)
{
	uint32_t *kept = alloc_zeroed(tables->n_functions + 1, sizeof(*kept));

	for (size_t i = tables->n_nodes; i-- > 0;) {
		const struct profile_call *node = &tables->nodes[i];

		if (!tables->kept_nodes[i])
			continue;
		kept[node->function] = 1;
		if (node->parent != PROFILE_NO_NODE)
			tables->kept_nodes[node->parent] = 1;
	}
	for (size_t i = 0; i < tables->n_lines; i++)
		if (tables->kept_lines[i])
			kept[tables->lines[i].function] = 1;
	for (size_t i = 0; i < tables->functions_of.n; i++)
		kept[tables->functions_of.list[i]] = 1;
	kept[PROFILE_OTHERS] = 1;
	return kept;
}

/* Adds the kept entries again, in their order, to empty tables, where none comes later than before. */
static void add_again(struct profile_tables *tables, size_t n_functions, size_t n_nodes, size_t n_lines,
		      uint32_t *functions)
{
	for (size_t i = 0; i < n_functions; i++) {
		struct profile_function function = tables->functions[i];

		if (!functions[i])
			continue;
		function.name = keep_text(tables, span_text(function.name));
		function.file = keep_text(tables, span_text(function.file));
		function.path = keep_text(tables, span_text(function.path));
		functions[i] = add_function(tables, &function);
	}
	for (size_t i = 0; i < n_nodes; i++) {
		struct profile_call node = tables->nodes[i];

		if (!tables->kept_nodes[i])
			continue;
		node.function = functions[node.function];
		if (node.parent != PROFILE_NO_NODE)
			node.parent = tables->kept_nodes[node.parent];
		tables->kept_nodes[i] = add_node(tables, node);
	}
	for (size_t i = 0; i < n_lines; i++) {
		struct profile_line line = tables->lines[i];

		if (!tables->kept_lines[i])
			continue;
		line.function = functions[line.function];
		line.source = keep_text(tables, span_text(line.source));
		tables->kept_lines[i] = add_line(tables, line);
	}
}

static void move_all(struct profile_numbers *numbers, const uint32_t *to)
{
	for (size_t i = 0; i < numbers->n; i++)
		if (numbers->list[i] < PROFILE_ANY_LINE)
			numbers->list[i] = to[numbers->list[i]];
}

void profile_tables_tidy(struct profile_tables *tables)
{
	size_t n_functions = tables->n_functions, n_nodes = tables->n_nodes, n_lines = tables->n_lines;
	uint32_t *functions = kept_functions(tables);
	struct profile_tables old = *tables;

	tables->n_functions = tables->n_nodes = tables->n_lines = 0;
	tables->by_name = tables->by_call = tables->by_line = tables->by_text = (struct hash){ 0 };
	tables->texts = NULL;
	tables->n_texts = tables->text_capacity = tables->text_bytes = 0;
	tables->arena = (struct arena){ 0 };
	add_again(tables, n_functions, n_nodes, n_lines, functions);
	free_indexes(&old);
	move_all(&tables->functions_of, functions);
	move_all(&tables->nodes_of, tables->kept_nodes);
	move_all(&tables->lines_of, tables->kept_lines);
	free(functions);
	tables->tidy_at = fullness(tables) + PARTS / 4;
	if (tables->tidy_at >= PARTS)
		tables->tidy_at = PARTS - 1;
}

void profile_tables_move(const struct profile_tables *tables, struct profile_count *count)
{
	count->node = tables->kept_nodes[count->node];
	if (count->line < PROFILE_ANY_LINE)
		count->line = tables->kept_lines[count->line];
}

void profile_tables_end(struct profile_tables *tables)
{
	free(tables->kept_nodes);
	free(tables->kept_lines);
	tables->kept_nodes = tables->kept_lines = NULL;
}
