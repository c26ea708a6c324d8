/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rates from two frames: join rows on their keys, divide the growth by the time. */
#include <config.h>

#include "model/derive.h"

#include <math.h>

#include "core/hash.h"
#include "core/vector.h"

#define LOOK_AHEAD ((size_t)4)

/* Finds rows of a table by key: first next to the last hit, as tables keep their order, else by hash. */
struct joiner {
	const struct table *table;
	const struct column *keys[DERIVE_KEYS_MAX];
	unsigned n_keys;
	size_t next;      /* index of the last hit plus one */
	struct hash rows; /* by key; filled on demand */
};

static struct joiner join(const struct table *table)
{
	const struct schema *schema = table->schema;
	struct joiner joiner = { .table = table };

	for (unsigned i = 0; i < schema->n_columns && joiner.n_keys < DERIVE_KEYS_MAX; i++)
		if (schema->columns[i].kind == COLUMN_KEY)
			joiner.keys[joiner.n_keys++] = &schema->columns[i];
	return joiner;
}

/* row_same_key() without a look at all columns: it runs for every process. */
static bool has_key(const struct joiner *joiner, const void *one, const void *other)
{
	for (unsigned i = 0; i < joiner->n_keys; i++)
		if (!row_same_value(joiner->keys[i], one, other))
			return false;
	return true;
}

static const void *near_row(struct joiner *joiner, const void *row)
{
	for (size_t i = joiner->next; i < joiner->table->n_rows && i < joiner->next + LOOK_AHEAD; i++) {
		const void *candidate = table_row(joiner->table, i);

		if (has_key(joiner, candidate, row)) {
			joiner->next = i + 1;
			return candidate;
		}
	}
	return NULL;
}

static void index_rows(struct joiner *joiner)
{
	const struct table *table = joiner->table;

	hash_reserve(&joiner->rows, table->n_rows);
	for (size_t i = 0; i < table->n_rows; i++) {
		uint64_t hash = row_hash_key(table->schema, table_row(table, i));
		uint32_t same; /* in wrong recordings only; all of them in one chain would take hours */

		HASH_FIND(same, &joiner->rows, hash,
			  has_key(joiner, table_row(table, same), table_row(table, i)));
		if (same == HASH_NONE)
			hash_add(&joiner->rows, hash, (uint32_t)i);
	}
}

static const void *joined_row(struct joiner *joiner, const void *row)
{
	const struct schema *schema = joiner->table->schema;
	const void *found = near_row(joiner, row);
	uint32_t at;

	if (found)
		return found;
	if (joiner->rows.count == 0)
		index_rows(joiner);
	HASH_FIND(at, &joiner->rows, row_hash_key(schema, row),
		  has_key(joiner, table_row(joiner->table, at), row));
	if (at == HASH_NONE)
		return NULL;
	joiner->next = at + 1;
	return table_row(joiner->table, at);
}

static const struct column *column_at(const struct schema *schema, uint16_t offset)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].offset == offset)
			return &schema->columns[i];
	return NULL;
}

static bool shrank(const struct column *counter, const void *now, const void *before)
{
	if (counter->type == VALUE_U64)
		return row_u64(now, counter) < row_u64(before, counter);
	return row_f64(now, counter) < row_f64(before, counter);
}

/* Exact for integers; now is not less than before. */
static double difference(const struct column *counter, const void *now, const void *before)
{
	if (counter->type == VALUE_U64)
		return (double)(row_u64(now, counter) - row_u64(before, counter));
	return row_f64(now, counter) - row_f64(before, counter);
}

/*
 * The growth of a counter, from 0 without before; NaN when unknown or decreased. A gauge may decrease, and
 * was not 0 before.
 */
static double growth(const struct column *counter, const void *now, const void *before)
{
	if (!counter || !row_is_known(now, counter) || (before && !row_is_known(before, counter)))
		return NAN;
	if (!before)
		return counter->kind == COLUMN_GAUGE ? NAN : row_number(now, counter);
	if (!shrank(counter, now, before))
		return difference(counter, now, before);
	return counter->kind == COLUMN_GAUGE ? -difference(counter, before, now) : NAN;
}

/* A RATE column and what it is derived from. */
struct derived {
	const struct column *rate, *counter, *over; /* over: NULL for the time */
};

static unsigned find_derived(const struct schema *schema, struct derived *derived)
{
	unsigned n_derived = 0;

	for (unsigned i = 0; i < schema->n_columns && n_derived < DERIVE_RATES_MAX; i++) {
		const struct column *column = &schema->columns[i];

		if (column->kind == COLUMN_RATE)
			derived[n_derived++] = (struct derived){
				.rate = column,
				.counter = column_at(schema, column->rate_of),
				.over = column->rate_over ? column_at(schema, column->rate_over) : NULL,
			};
	}
	return n_derived;
}

static double age(const struct column *counter, const void *row)
{
	double seconds;

	memcpy(&seconds, (const char *)row + counter->aged_by, sizeof(seconds));
	return seconds;
}

/* Time between the moments at which the counter was read, of which the newer one is in this interval. */
static double seconds_between(const struct column *counter, const void *now, const void *before,
			      double seconds)
{
	double more = before && counter && counter->aged_by ? age(counter, before) - age(counter, now) : 0;

	return more > 0 ? seconds + more : seconds;
}

/* Did the counter of this row grow by more than can be? The row of the sum has that of all others. */
static bool is_impossible(const struct derived *derived, const struct table *table, const void *row,
			  double grown, double seconds)
{
	const struct column *column = derived->rate;
	double ceiling = column->ceiling > 0 ? column->ceiling : column->of_cpu ? DERIVE_CPUS_MAX : INFINITY;
	double most = ceiling * (seconds + DERIVE_LATE_SECONDS);

	if (derived->over || !(grown > most))
		return false;
	return !table->schema->sum_row || !table_row_is(table, row, table->schema->sum_row) ||
	       grown > most * (double)table->n_rows;
}

static double rate(const struct derived *derived, const struct table *table, const void *now,
		   const void *before, double seconds)
{
	double over = derived->over ? growth(derived->over, now, before)
				    : seconds_between(derived->counter, now, before, seconds);
	double grown;

	if (!(over > 0))
		return NAN;
	if (before && derived->counter && row_same_value(derived->counter, now, before) &&
	    row_is_known(now, derived->counter))
		return 0; /* true for most of 10,000 processes */
	grown = growth(derived->counter, now, before);
	if (is_impossible(derived, table, now, grown, over))
		return NAN;
	return grown / over * (derived->rate->scale > 0 ? derived->rate->scale : 1);
}

/* A column on request that was not read: its rate is unknown already. */
static bool is_absent(const struct derived *derived, const void *row)
{
	return derived->rate->on_request && derived->counter && !row_is_known(row, derived->counter);
}

static void derive_table(struct table *now, const struct table *before)
{
	const struct schema *schema = now->schema;
	struct joiner joiner = join(before);
	bool timed = before->mono_ns > 0 && now->mono_ns > before->mono_ns;
	double seconds = timed ? (double)(now->mono_ns - before->mono_ns) / 1e9 : 0;
	struct derived derived[DERIVE_RATES_MAX];
	unsigned n_derived = find_derived(schema, derived);

	now->interval_ns = timed ? now->mono_ns - before->mono_ns : 0;
	VECTOR_RESERVE(now->fresh, now->n_rows, now->n_fresh);
	now->joined = true;
	for (size_t i = 0; i < now->n_rows; i++) {
		void *row = table_row(now, i);
		const void *last = joined_row(&joiner, row);

		now->fresh[i] = !last;
		for (unsigned d = 0; (last || schema->from_zero) && d < n_derived; d++)
			if (!is_absent(&derived[d], row))
				row_set_f64(row, derived[d].rate, rate(&derived[d], now, row, last, seconds));
	}
	hash_free(&joiner.rows);
}

static bool has_rates(const struct schema *schema)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].kind == COLUMN_RATE)
			return true;
	return false;
}

void frame_derive(struct frame *now, const struct frame *before)
{
	if (!before || before->mono_ns == 0)
		return;
	if (now->mono_ns > before->mono_ns)
		now->interval_ns = now->mono_ns - before->mono_ns;
	for (unsigned i = 0; i < now->n_tables; i++) {
		struct table *table = &now->tables[i];
		const struct table *last = frame_table(before, table->schema->name);

		if (table->present && last && !last->failed && has_rates(table->schema))
			derive_table(table, last);
	}
}
