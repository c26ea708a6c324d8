/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of rows that come and go, by command. */
#include <config.h>

#include "output/command_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"

#define CHANGE_NS (UINT64_C(60) * 1000000000) /* between changes of a name */
#define COST_SECONDS 60 /* over which costs are means */
#define COST_FORGOTTEN 0.01
#define COST_STEP 0.01 /* a name that takes another's place costs twice as much, and this */

static bool is_kept(const struct column *column)
{
	return column->kind == COLUMN_KEY && !column->fleeting && !column->grouping;
}

bool command_sums_apply(const struct schema *schema)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].grouping ||
		    (schema->columns[i].kind == COLUMN_KEY && schema->columns[i].fleeting))
			return true;
	return false;
}

void command_sums_open(struct command_sums *sums, const struct schema *schema, bool arguments)
{
	*sums = (struct command_sums){ .schema = schema };
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->grouping && !sums->name) {
			sums->name = column;
			sums->label = column->grouping;
		}
		if (column->additive && sums->n_columns < COMMAND_SUMS_COLUMNS_MAX)
			sums->columns[sums->n_columns++] = column;
	}
	for (unsigned i = 0; arguments && i < schema->n_columns; i++) {
		if (schema->columns[i].text == TEXT_COMMAND) {
			sums->name = &schema->columns[i];
			break;
		}
	}
}

/* Without what tells apart the workers of the kernel: "kworker" of "kworker/0:1". */
static struct span name_of(const struct command_sums *sums, const void *row)
{
	const char *text = sums->name ? row_text(row, sums->name) : NULL;
	const char *slash = text && sums->name->text != TEXT_COMMAND ? strchr(text, '/') : NULL;

	if (slash && slash > text)
		return span_of(text, (size_t)(slash - text));
	return span_text(text ? text : "");
}

static struct command_cost *find_command(const struct command_sums *sums, struct span name)
{
	uint32_t at;

	HASH_FIND(at, &sums->by_name, hash_bytes(HASH_SEED, name), span_is(name, sums->commands[at].name));
	return at == HASH_NONE ? NULL : &sums->commands[at];
}

static struct command_cost *command_of(struct command_sums *sums, struct span name)
{
	struct command_cost *command = find_command(sums, name);

	if (command)
		return command;
	hash_add(&sums->by_name, hash_bytes(HASH_SEED, name), (uint32_t)sums->n_commands);
	command = VECTOR_ADD(sums->commands, sums->n_commands, sums->command_capacity);
	*command = (struct command_cost){ .name = alloc_zeroed(1, span_length(name) + 1) };
	memcpy(command->name, name.at, span_length(name));
	return command;
}

/* Adds up what each command uses, and what all use. */
static void add_costs(struct command_sums *sums, const void *const *rows, size_t n_rows, double *totals)
{
	for (size_t r = 0; r < n_rows; r++) {
		struct command_cost *command = command_of(sums, name_of(sums, rows[r]));

		command->present = true;
		for (unsigned c = 0; c < sums->n_columns; c++) {
			double number = row_number(rows[r], sums->columns[c]);

			if (!(number > 0))
				continue;
			command->sums[c] += number;
			totals[c] += number;
		}
	}
}

/* The share of the column that it has most of, as a mean. */
static void set_cost(const struct command_sums *sums, struct command_cost *command, const double *totals,
		     double weight)
{
	double share = 0;

	for (unsigned c = 0; c < sums->n_columns; c++)
		if (command->sums[c] > share * totals[c])
			share = command->sums[c] / totals[c];
	command->cost += (share - command->cost) * weight;
}

static bool may_be_listed(const struct command_cost *command)
{
	return command->present && !command->listed && strcmp(command->name, ROW_OF_OTHERS) != 0;
}

static struct command_cost *costliest(const struct command_sums *sums)
{
	struct command_cost *found = NULL;

	for (size_t i = 0; i < sums->n_commands; i++)
		if (may_be_listed(&sums->commands[i]) && (!found || sums->commands[i].cost > found->cost))
			found = &sums->commands[i];
	return found;
}

static struct command_cost *least_listed(const struct command_sums *sums)
{
	struct command_cost *found = NULL;

	for (size_t i = 0; i < sums->n_commands; i++)
		if (sums->commands[i].listed && (!found || sums->commands[i].cost < found->cost))
			found = &sums->commands[i];
	return found;
}

static void choose(struct command_sums *sums, size_t top, uint64_t mono_ns)
{
	struct command_cost *next = costliest(sums), *least;

	for (; next && sums->n_listed < top; next = costliest(sums)) {
		next->listed = true;
		sums->n_listed++;
	}
	least = least_listed(sums);
	if (!next || !least || mono_ns < sums->next_change_ns || next->cost < 2 * least->cost + COST_STEP)
		return;
	least->listed = false;
	next->listed = true;
	sums->next_change_ns = mono_ns + CHANGE_NS;
}

/* Begins a sample: forgets names that are gone and cost nothing. */
static void forget(struct command_sums *sums)
{
	size_t n_kept = 0;

	hash_clear(&sums->by_name);
	for (size_t i = 0; i < sums->n_commands; i++) {
		struct command_cost command = sums->commands[i];

		if (!command.present && !command.listed && command.cost < COST_FORGOTTEN) {
			free(command.name);
			continue;
		}
		command.present = false;
		memset(command.sums, 0, sizeof(command.sums));
		hash_add(&sums->by_name, hash_bytes(HASH_SEED, span_text(command.name)), (uint32_t)n_kept);
		sums->commands[n_kept++] = command;
	}
	sums->n_commands = n_kept;
}

static uint64_t hash_kept(const struct command_sums *sums, const void *row, const char *name)
{
	uint64_t hash = hash_bytes(HASH_SEED, span_text(name));

	for (unsigned i = 0; i < sums->schema->n_columns; i++) {
		const struct column *column = &sums->schema->columns[i];

		if (!is_kept(column))
			continue;
		if (column->type != VALUE_TEXT)
			hash ^= hash_u64(row_u64(row, column));
		else if (row_text(row, column))
			hash = hash_bytes(hash, span_text(row_text(row, column)));
	}
	return hash;
}

static bool has_key(const struct command_sums *sums, const void *sum, const void *row, const char *name)
{
	if (sums->name && strcmp(row_text(sum, sums->name), name) != 0)
		return false;
	for (unsigned i = 0; i < sums->schema->n_columns; i++)
		if (is_kept(&sums->schema->columns[i]) &&
		    !row_same_value(&sums->schema->columns[i], sum, row))
			return false;
	return true;
}

/* With sums of nothing, which are 0. */
static void begin_sum(struct command_sums *sums, struct command_sum *sum, const void *row, const char *name)
{
	row_copy(sum->row, row, sums->schema);
	for (unsigned i = 0; i < sums->schema->n_columns; i++) {
		const struct column *column = &sums->schema->columns[i];

		if (is_kept(column))
			continue;
		if (column->type == VALUE_TEXT)
			row_set_text(sum->row, column, NULL);
		else if (column->type == VALUE_U64)
			row_set_u64(sum->row, column, column->additive ? 0 : U64_UNKNOWN);
		else
			row_set_f64(sum->row, column, column->additive ? 0 : NAN);
	}
	if (sums->name)
		row_set_text(sum->row, sums->name, name);
	sum->n_rows = 0;
}

static struct command_sum *sum_of(struct command_sums *sums, const void *row, const char *name)
{
	uint64_t hash = hash_kept(sums, row, name);
	struct command_sum *sum;
	uint32_t at;

	HASH_FIND(at, &sums->by_key, hash, has_key(sums, sums->sums[at].row, row, name));
	if (at != HASH_NONE)
		return &sums->sums[at];
	hash_add(&sums->by_key, hash, (uint32_t)sums->n_sums);
	if (sums->n_sums == sums->n_made) {
		sum = VECTOR_ADD(sums->sums, sums->n_made, sums->sum_capacity);
		sum->row = row_new(sums->schema);
	}
	sum = &sums->sums[sums->n_sums++];
	begin_sum(sums, sum, row, name);
	return sum;
}

/* Unknown, if a part is; a part that does not apply adds nothing. */
static void add_row(const struct command_sums *sums, struct command_sum *sum, const void *row)
{
	sum->n_rows++;
	for (unsigned c = 0; c < sums->n_columns; c++) {
		const struct column *column = sums->columns[c];

		if (column->type == VALUE_F64)
			row_set_f64(sum->row, column, row_f64(sum->row, column) + row_f64(row, column));
		else if (row_u64(row, column) != U64_BLANK)
			row_set_u64(sum->row, column,
				    u64_sum(row_u64(sum->row, column), row_u64(row, column)));
	}
}

void command_sums_take(struct command_sums *sums, const void *const *rows, size_t n_rows, size_t top,
		       uint64_t mono_ns, uint64_t interval_ns)
{
	double totals[COMMAND_SUMS_COLUMNS_MAX] = { 0 };
	bool first = sums->n_listed == 0;

	forget(sums);
	add_costs(sums, rows, n_rows, totals);
	for (size_t i = 0; i < sums->n_commands; i++)
		set_cost(sums, &sums->commands[i], totals,
			 first ? 1 : 1 - exp(-(double)interval_ns / 1e9 / COST_SECONDS));
	choose(sums, top, mono_ns);
	sums->n_sums = sums->n_others = 0;
	hash_clear(&sums->by_key);
	for (size_t i = 0; i < sums->n_commands && sums->name; i++)
		sums->n_others += sums->commands[i].present && !sums->commands[i].listed;
	for (size_t r = 0; r < n_rows; r++) {
		const struct command_cost *command = find_command(sums, name_of(sums, rows[r]));

		add_row(sums, sum_of(sums, rows[r], command->listed ? command->name : ROW_OF_OTHERS),
			rows[r]);
	}
}

void command_sums_close(struct command_sums *sums)
{
	for (size_t i = 0; i < sums->n_commands; i++)
		free(sums->commands[i].name);
	for (size_t i = 0; i < sums->n_made; i++)
		free(sums->sums[i].row);
	free(sums->commands);
	free(sums->sums);
	hash_free(&sums->by_name);
	hash_free(&sums->by_key);
}
