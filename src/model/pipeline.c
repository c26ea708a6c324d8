/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stages of a frame, in their order. */
#include <config.h>

#include "model/pipeline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/vector.h"
#include "model/host.h"
#include "model/scope.h"

#define LOOK_AHEAD ((size_t)4)

/* Finds rows of a table before by key: first next to the last hit, as they keep their order, else by hash. */
struct joiner {
	const struct table *table;
	const struct schema *schema;               /* of the rows to be found there */
	const struct column *keys[DERIVE_KEYS_MAX]; /* of schema */
	const struct column *there[DERIVE_KEYS_MAX]; /* the same of table */
	unsigned n_keys;
	size_t next;      /* index of the last hit plus one */
	struct hash rows; /* by key; filled on demand */
};

/* The same column of a table before, which may have fewer; NULL: it lacks it. */
static const struct column *column_before(const struct schema *now, const struct schema *before,
					  const struct column *column)
{
	return now == before || !column ? column : schema_find(before, column->key);
}

static struct joiner join(const struct table *now, const struct table *before)
{
	const struct schema *schema = now->schema;
	struct joiner joiner = { .table = before, .schema = schema };

	for (unsigned i = 0; i < schema->n_columns && joiner.n_keys < DERIVE_KEYS_MAX; i++) {
		if (schema->columns[i].kind != COLUMN_KEY)
			continue;
		joiner.keys[joiner.n_keys] = &schema->columns[i];
		joiner.there[joiner.n_keys++] = column_before(schema, before->schema, &schema->columns[i]);
	}
	return joiner;
}

/* row_same_key() without a look at all columns: it runs for every process. columns: the keys of other. */
static bool has_key(const struct joiner *joiner, const void *there, const struct column *const *columns,
		    const void *other)
{
	for (unsigned i = 0; i < joiner->n_keys; i++)
		if (!rows_same_value(joiner->there[i], there, columns[i], other))
			return false;
	return true;
}

static const void *near_row(struct joiner *joiner, const void *row)
{
	for (size_t i = joiner->next; i < joiner->table->n_rows && i < joiner->next + LOOK_AHEAD; i++) {
		const void *candidate = table_row(joiner->table, i);

		if (has_key(joiner, candidate, joiner->keys, row)) {
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
			  has_key(joiner, table_row(table, same), joiner->there, table_row(table, i)));
		if (same == HASH_NONE)
			hash_add(&joiner->rows, hash, (uint32_t)i);
	}
}

static const void *joined_row(struct joiner *joiner, const void *row)
{
	const void *found = near_row(joiner, row);
	uint32_t at;

	if (found)
		return found;
	if (joiner->rows.count == 0)
		index_rows(joiner);
	HASH_FIND(at, &joiner->rows, row_hash_key(joiner->schema, row),
		  has_key(joiner, table_row(joiner->table, at), joiner->keys, row));
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

/* A column of two tables. */
struct pair {
	const struct column *now, *before; /* NULL: this table lacks it */
};

/* The field of a counter as it is. */
static uint64_t bits_of(const void *row, const struct column *counter)
{
	uint64_t bits;
	double number;

	if (counter->type == VALUE_U64)
		return row_u64(row, counter);
	number = row_f64(row, counter);
	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* Exact for integers. */
static double bits_growth(const struct column *counter, uint64_t now, uint64_t before)
{
	double one, other;

	if (counter->type == VALUE_U64)
		return now < before ? -(double)(before - now) : (double)(now - before);
	memcpy(&one, &now, sizeof(one));
	memcpy(&other, &before, sizeof(other));
	return one - other;
}

static bool is_known_before(const struct pair *counter, const void *before)
{
	return counter->before && row_is_known(before, counter->before);
}

/*
 * The growth of a counter, from 0 without before; NaN when unknown or decreased. A gauge may decrease, and
 * was not 0 before.
 */
static double growth(const struct pair *counter, const void *now, const void *before)
{
	double grown;

	if (!counter->now || !row_is_known(now, counter->now) ||
	    (before && !is_known_before(counter, before)))
		return NAN;
	if (!before)
		return counter->now->kind == COLUMN_GAUGE ? NAN : row_number(now, counter->now);
	grown = bits_growth(counter->now, bits_of(now, counter->now), bits_of(before, counter->before));
	return grown < 0 && counter->now->kind != COLUMN_GAUGE ? NAN : grown;
}

/* A RATE column and what it is derived from. */
struct derived {
	const struct column *rate;
	struct pair counter, over; /* over: of no column for the time */
};

static struct pair pair_at(const struct table *now, const struct table *before, uint16_t offset)
{
	const struct column *column = column_at(now->schema, offset);

	return (struct pair){ column, column_before(now->schema, before->schema, column) };
}

static unsigned find_derived(const struct table *now, const struct table *before, struct derived *derived)
{
	const struct schema *schema = now->schema;
	unsigned n_derived = 0;

	for (unsigned i = 0; i < schema->n_columns && n_derived < DERIVE_RATES_MAX; i++) {
		const struct column *column = &schema->columns[i];

		if (column->kind == COLUMN_RATE)
			derived[n_derived++] = (struct derived){
				.rate = column,
				.counter = pair_at(now, before, column->rate_of),
				.over = column->rate_over ? pair_at(now, before, column->rate_over)
							  : (struct pair){ 0 },
			};
	}
	return n_derived;
}

static double age_of(const struct column *counter, const void *row)
{
	double seconds = 0;

	if (counter->aged_by)
		memcpy(&seconds, (const char *)row + counter->aged_by, sizeof(seconds));
	return seconds;
}

/* Time between the moments at which the counter was read, of which the newer one is in this interval. */
static double seconds_between(const struct pair *counter, const void *now, const void *before, double seconds)
{
	bool aged = before && counter->before && counter->now->aged_by;
	double more = aged ? age_of(counter->before, before) - age_of(counter->now, now) : 0;

	return more > 0 ? seconds + more : seconds;
}

/* Did the counter of this row grow by more than can be? The row of the sum has that of all others. */
static bool is_impossible(const struct derived *derived, const struct table *table, const void *row,
			  double grown, double seconds)
{
	const struct column *column = derived->rate;
	double ceiling = column->ceiling > 0 ? column->ceiling : column->of_cpu ? DERIVE_CPUS_MAX : INFINITY;
	double most = ceiling * (seconds + DERIVE_LATE_SECONDS);

	if (derived->over.now || !(grown > most))
		return false;
	return !schema_row_is_sum(table->schema, row) || grown > most * (double)table->n_rows;
}

#define ROUNDING 1e-9

/* Without what the clocks of the counter and of the sample differ by, and what sums are rounded by. */
static double at_most(const struct derived *derived, const struct table *table, const void *row, double rate)
{
	const struct column *column = derived->rate;
	bool limited = column->ceiling > 0 && !derived->over.now && !schema_row_is_sum(table->schema, row);
	double most = limited ? column->ceiling : INFINITY;

	if (column->unit == UNIT_RATIO && rate > 1 && rate < 1 + ROUNDING)
		return 1;
	return rate > most ? most : rate;
}

static double quotient(const struct derived *derived, const struct table *table, const void *now,
		       double grown, double over)
{
	if (!(over > 0) || is_impossible(derived, table, now, grown, over))
		return NAN;
	return at_most(derived, table, now,
		       grown / over * (derived->rate->scale > 0 ? derived->rate->scale : 1));
}

static double rate(const struct derived *derived, const struct table *table, const void *now,
		   const void *before, double seconds)
{
	const struct pair *counter = &derived->counter;
	double over = derived->over.now ? growth(&derived->over, now, before)
					: seconds_between(counter, now, before, seconds);

	if (!(over > 0))
		return NAN;
	if (before && counter->before && rows_same_value(counter->now, now, counter->before, before) &&
	    row_is_known(now, counter->now))
		return 0; /* true for most of 10,000 processes */
	return quotient(derived, table, now, growth(counter, now, before), over);
}

/* Of the row at index; NULL: none. */
static struct doubt *find_doubt(const struct table *table, size_t index, const char *key)
{
	size_t at;

	VECTOR_BOUND(at, table->n_doubts, table->doubts[at].row < index);
	for (; at < table->n_doubts && table->doubts[at].row == index; at++)
		if (strcmp(table->doubts[at].key, key) == 0)
			return &table->doubts[at];
	return NULL;
}

/* A row of two tables, and where it is. */
struct joined {
	struct table *table;
	const struct table *table_before;
	void *now;
	const void *before;
	size_t index, index_before;
};

/* The value before is kept for one sample, and what fell is unknown until then. */
static void leave_out(const struct joined *row, const struct pair *counter)
{
	struct table *table = row->table;
	struct doubt *doubt;

	if (find_doubt(table, row->index, counter->now->key))
		return;
	doubt = VECTOR_ADD(table->doubts, table->n_doubts, table->doubts_capacity);
	*doubt = (struct doubt){
		.row = row->index,
		.key = counter->now->key,
		.value = bits_of(row->before, counter->before),
		.fallen = bits_of(row->now, counter->now),
		.has_fallen = row_is_known(row->now, counter->now),
		.seconds = (double)row->table_before->mono_ns / 1e9 - age_of(counter->before, row->before),
	};
	if (doubt->has_fallen && counter->now->type == VALUE_U64)
		row_set_u64(row->now, counter->now, U64_UNKNOWN);
	else if (doubt->has_fallen)
		row_set_f64(row->now, counter->now, NAN);
}

/*
 * Where a reading was left out, the growth since the one before that, and in how many seconds; where the
 * counter began again, since the one that was left out. NaN: there was none.
 */
static double growth_again(const struct joined *row, const struct pair *counter, double *seconds)
{
	bool before = is_known_before(counter, row->before);
	const struct doubt *doubt;
	uint64_t now;

	if (before || !row_is_known(row->now, counter->now))
		return NAN;
	doubt = find_doubt(row->table_before, row->index_before, counter->now->key);
	if (!doubt)
		return NAN;
	now = bits_of(row->now, counter->now);
	if (bits_growth(counter->now, now, doubt->value) >= 0) {
		*seconds = (double)row->table->mono_ns / 1e9 - doubt->seconds -
			   age_of(counter->now, row->now);
		return bits_growth(counter->now, now, doubt->value);
	}
	if (!doubt->has_fallen || bits_growth(counter->now, now, doubt->fallen) < 0)
		return NAN;
	return bits_growth(counter->now, now, doubt->fallen);
}

static bool is_doubtful(const struct joined *row, const struct pair *counter)
{
	return counter->now && counter->now->kind == COLUMN_COUNTER &&
	       is_known_before(counter, row->before) &&
	       (row_is_known(row->now, counter->now) ? isnan(growth(counter, row->now, row->before))
						     : row->table->schema->goes_on);
}

/* A rate that could not be known from the two rows alone. */
static double rate_again(const struct derived *derived, const struct joined *row, double seconds)
{
	const struct pair *counter = &derived->counter, *over = &derived->over;
	double grown, whole;

	if (is_doubtful(row, counter))
		leave_out(row, counter);
	if (is_doubtful(row, over))
		leave_out(row, over);
	if (!counter->now || counter->now->kind != COLUMN_COUNTER)
		return NAN;
	grown = growth_again(row, counter, &seconds);
	whole = over->now ? growth_again(row, over, &seconds) : seconds;
	return isnan(grown) ? NAN : quotient(derived, row->table, row->now, grown, whole);
}

/*
 * A column on request that was not read, so that its rate is unknown already; or a rate that the source has
 * itself, without what it is of.
 */
static bool is_settled(const struct derived *derived, const void *row)
{
	const struct column *counter = derived->counter.now;

	return ((derived->rate->on_request && counter) || row_is_known(row, derived->rate)) &&
	       !(counter && row_is_known(row, counter));
}

static void derive_table(struct table *now, const struct table *before)
{
	const struct schema *schema = now->schema;
	struct joiner joiner = join(now, before);
	bool timed = before->mono_ns > 0 && now->mono_ns > before->mono_ns;
	double seconds = timed ? (double)(now->mono_ns - before->mono_ns) / 1e9 : 0;
	struct derived derived[DERIVE_RATES_MAX];
	unsigned n_derived = find_derived(now, before, derived);

	now->interval_ns = timed ? now->mono_ns - before->mono_ns : 0;
	VECTOR_RESERVE(now->fresh, now->n_rows, now->n_fresh);
	now->joined = true;
	now->n_doubts = 0;
	for (size_t i = 0; i < now->n_rows; i++) {
		void *row = table_row(now, i);
		const void *last = joined_row(&joiner, row);
		struct joined joined = { now, before, row, last, i, joiner.next - 1 };

		now->fresh[i] = !last;
		for (unsigned d = 0; (last || schema->from_zero) && d < n_derived; d++) {
			double value;

			if (is_settled(&derived[d], row))
				continue;
			value = rate(&derived[d], now, row, last, seconds);
			if (isnan(value) && last)
				value = rate_again(&derived[d], &joined, seconds);
			row_set_f64(row, derived[d].rate, value);
		}
	}
	hash_free(&joiner.rows);
}

/* As it was sampled: rates, and what is judged by them, are not over what a scope left of it. */
static struct table whole_of(const struct table *table)
{
	struct table whole = *table;

	if (table->is_split) {
		whole.rows = table->whole;
		whole.n_rows = table->n_whole;
	}
	return whole;
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
	if (!before || before->mono_ns == 0 || before->boot != now->boot)
		return;
	if (now->mono_ns > before->mono_ns)
		now->interval_ns = now->mono_ns - before->mono_ns;
	for (unsigned i = 0; i < now->n_tables; i++) {
		struct table *table = &now->tables[i];
		const struct table *last;
		struct table whole;

		if (!table->present || !has_rates(table->schema))
			continue;
		last = frame_table(before, table->schema->name);
		if (!last || last->failed)
			continue;
		whole = whole_of(last);
		derive_table(table, &whole);
	}
}

/* The rows of a base. A column on request, or apart, is one of them once it has a value. */
struct base_schema {
	struct schema schema;
	struct column *columns;         /* of schema; owned, as the following. NULL: no rows so far */
	const struct column **from;     /* the same of the frames */
	bool *chosen;                   /* of the columns of the frames */
	const struct column **waiting;  /* such columns without a value so far, of the frames */
	unsigned n_waiting;
};

static void need(struct base_schema *narrow, const struct schema *schema, uint16_t offset)
{
	const struct column *column = column_at(schema, offset);
	bool *chosen = column ? &narrow->chosen[column - schema->columns] : NULL;

	if (!column || *chosen)
		return;
	*chosen = true;
	if (column->aged_by)
		need(narrow, schema, column->aged_by);
}

static void add_columns(struct base_schema *narrow, const struct schema *schema, bool keys)
{
	for (unsigned i = 0; i < schema->n_columns; i++) {
		unsigned n = narrow->schema.n_columns;

		if (!narrow->chosen[i] || (schema->columns[i].kind == COLUMN_KEY) != keys)
			continue;
		narrow->columns[n] = schema->columns[i];
		narrow->columns[n].offset = (uint16_t)(n * sizeof(uint64_t));
		narrow->columns[n].apart = 0;
		narrow->from[n] = &schema->columns[i];
		narrow->schema.n_columns++;
	}
}

/* Keys first: the age of a counter has another offset than 0, which stands for none. */
static void lay_out(struct base_schema *narrow, const struct schema *schema)
{
	narrow->schema.n_columns = 0;
	add_columns(narrow, schema, true);
	add_columns(narrow, schema, false);
	narrow->schema.row_size = narrow->schema.n_columns * sizeof(uint64_t);
	for (unsigned i = 0; i < narrow->schema.n_columns; i++) {
		struct column *column = &narrow->columns[i];
		const struct column *aging = column->aged_by ? column_at(schema, column->aged_by) : NULL;

		column->aged_by = aging ? schema_find(&narrow->schema, aging->key)->offset : 0;
	}
}

static void choose_columns(struct base_schema *narrow, const struct schema *schema)
{
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i], *counter;

		narrow->chosen[i] |= column->kind == COLUMN_KEY;
		if (column->kind != COLUMN_RATE)
			continue;
		counter = column_at(schema, column->rate_of);
		if (column->rate_over)
			need(narrow, schema, column->rate_over);
		if (counter && (counter->on_request || counter->apart))
			narrow->waiting[narrow->n_waiting++] = counter;
		else
			need(narrow, schema, column->rate_of);
	}
}

static void open_schema(struct base_schema *narrow, const struct schema *schema)
{
	narrow->schema = *schema;
	narrow->columns = alloc_zeroed(schema->n_columns, sizeof(*narrow->columns));
	narrow->from = alloc_zeroed(schema->n_columns, sizeof(*narrow->from));
	narrow->chosen = alloc_zeroed(schema->n_columns, sizeof(*narrow->chosen));
	narrow->waiting = alloc_zeroed(schema->n_columns, sizeof(*narrow->waiting));
	narrow->schema.columns = narrow->columns;
	narrow->schema.apart_size = 0;
	choose_columns(narrow, schema);
	lay_out(narrow, schema);
}

void derive_base_open(struct derive_base *base, const struct schema *const *schemas, unsigned n_schemas)
{
	const struct schema **narrow = alloc_zeroed(n_schemas, sizeof(*narrow));

	base->schemas = alloc_zeroed(n_schemas, sizeof(*base->schemas));
	for (unsigned i = 0; i < n_schemas; i++) {
		base->schemas[i].schema.name = schemas[i]->name;
		narrow[i] = &base->schemas[i].schema;
	}
	frame_open(&base->frame, narrow, n_schemas);
	free(narrow);
}

void derive_base_close(struct derive_base *base)
{
	for (unsigned i = 0; i < base->frame.n_tables; i++) {
		free(base->schemas[i].columns);
		free(base->schemas[i].from);
		free(base->schemas[i].chosen);
		free(base->schemas[i].waiting);
	}
	free(base->schemas);
	frame_close(&base->frame);
}

/* Does a column that waits have a value? Then it is one of the rows from now on. */
static bool find_values(struct base_schema *narrow, const struct table *table)
{
	unsigned n_before = narrow->n_waiting;

	for (size_t i = 0; narrow->n_waiting > 0 && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		for (unsigned w = narrow->n_waiting; w-- > 0;) {
			if (!row_is_known(row, narrow->waiting[w]))
				continue;
			need(narrow, table->schema, narrow->waiting[w]->offset);
			narrow->waiting[w] = narrow->waiting[--narrow->n_waiting];
		}
	}
	return narrow->n_waiting < n_before;
}

static void take_rows(struct base_schema *narrow, struct table *to, const struct table *from)
{
	uint64_t *fields;

	if (find_values(narrow, from)) {
		lay_out(narrow, from->schema);
		free(to->rows);
		to->rows = NULL;
		to->capacity = 0;
	}
	to->rows = vector_reserve(to->rows, &to->capacity, from->n_rows, narrow->schema.row_size);
	fields = (uint64_t *)(void *)to->rows;
	for (size_t i = 0; i < from->n_rows; i++) {
		const void *row = table_row(from, i);

		for (unsigned c = 0; c < narrow->schema.n_columns; c++)
			memcpy(fields++, row_field(row, narrow->from[c]), sizeof(*fields));
	}
	to->n_rows = from->n_rows;
}

void derive_base_take(struct derive_base *base, struct frame *frame)
{
	struct arena texts = frame->arena;

	frame_clear(&base->frame);
	frame->arena = base->frame.arena;
	base->frame.arena = texts;
	base->frame.mono_ns = frame->mono_ns;
	for (unsigned i = 0; i < frame->n_tables; i++) {
		const struct table *from = &frame->tables[i];
		struct table *to = &base->frame.tables[i];

		if (!from->present || !has_rates(from->schema))
			continue;
		if (!base->schemas[i].columns)
			open_schema(&base->schemas[i], from->schema);
		to->present = true;
		to->failed = from->failed;
		to->mono_ns = from->mono_ns;
		VECTOR_RESERVE(to->doubts, from->n_doubts, to->doubts_capacity);
		if (from->n_doubts > 0)
			memcpy(to->doubts, from->doubts, from->n_doubts * sizeof(*to->doubts));
		to->n_doubts = from->n_doubts;
		take_rows(&base->schemas[i], to, from);
	}
}

static void judge(const struct pipeline *pipeline, struct frame *frame, const struct frame *before)
{
	bool recorded = source_is_recording(pipeline->source);
	bool judged = pipeline->has_findings && frame_table(frame, finding_schema.name);

	if (pipeline->source->judged)
		return;
	frame_derive(frame, before);
	if (pipeline->findings && before && before->boot != frame->boot)
		findings_begin(pipeline->findings, FINDINGS_FROM_FIRST);
	if (pipeline->findings && judged)
		findings_find_rows(pipeline->findings, frame);
	else if (pipeline->findings)
		findings_derive(pipeline->findings, frame,
				recorded	       ? FINDINGS_EVERYWHERE
				: pipeline->judges_all ? FINDINGS_WHERE_KNOWN
						       : FINDINGS_WHERE_ASKED);
	host_derive(frame, recorded);
}

/* Of a frame as the source gave it. */
static void pass(const struct pipeline *pipeline, struct frame *frame, const struct frame *before)
{
	bool recorded = source_is_recording(pipeline->source);

	if (!pipeline->scope_is_live)
		scope_read_frame(pipeline->scope, frame, recorded);
	judge(pipeline, frame, before);
	if (pipeline->judge)
		pipeline->judge(pipeline->judge_state, frame);
	if (pipeline->keep)
		pipeline->keep(pipeline->keep_state, frame);
	scope_split_frame(pipeline->scope, frame, recorded);
}

int pipeline_next(const struct pipeline *pipeline, struct frame *frame, const struct frame *before)
{
	const struct source *source = pipeline->source;
	int got;

	frame_clear(frame);
	got = source->next(source->state, frame);
	if (got != 1)
		return got;
	if (frame->cut)
		return -EINTR;
	if (!before && source_is_recording(source) && pipeline->scope && !pipeline->scope_is_live)
		scope_forget(pipeline->scope);
	pass(pipeline, frame, before);
	alloc_tidy();
	return 1;
}

int pipeline_read(const struct pipeline *pipeline, size_t index, struct frame *frame, struct frame *base)
{
	bool based = index > 0 && source_read(pipeline->source, index - 1, base) == 1;
	int got = source_read(pipeline->source, index, frame);

	if (got == 1)
		pass(pipeline, frame, based ? base : NULL);
	return got;
}

int pipeline_derive(const struct pipeline *pipeline, size_t index, struct frame *frame,
		   const struct frame *before)
{
	int got = source_read(pipeline->source, index, frame);

	if (got == 1)
		judge(pipeline, frame, before);
	return got;
}

#define SPARE_SECONDS 60     /* more frames than these are needed: steps back need no others */
#define MOST_SECONDS 3600    /* what has held for longer has its age from then on */
#define MORE_SECONDS 5       /* times as many, if they are not settled */
#define MOST_ROWS 1000000    /* of all frames: about a second on a slow machine */

static size_t count_rows(const struct frame *frame)
{
	size_t n_rows = 0;

	for (unsigned i = 0; i < frame->n_tables; i++)
		n_rows += frame->tables[i].n_rows;
	return n_rows;
}

/* The sums of its scope begin with this frame. */
static void begin_scope(const struct pipeline *pipeline, struct frame *frame, const struct frame *before)
{
	if (pipeline->scope && !pipeline->scope_is_live)
		scope_forget(pipeline->scope);
	pass(pipeline, frame, before);
}

/* The frames from first on, up to the one before this index: the last one; NULL: one cannot be read. */
static const struct frame *judge_all(const struct pipeline *pipeline, size_t first, size_t index,
				     struct frame *const frames[2],
				     void (*each)(void *state, const struct frame *frame,
						  const struct frame *before),
				     void *state)
{
	const struct source *source = pipeline->source;
	const struct frame *before = NULL;

	if (source->seek(source->state, first) != 0)
		return NULL;
	for (size_t i = first; i < index; i++) {
		struct frame *frame = before == frames[0] ? frames[1] : frames[0];

		frame_clear(frame);
		if (source->next(source->state, frame) != 1)
			return NULL;
		if (i + 1 < index)
			judge(pipeline, frame, before);
		else
			begin_scope(pipeline, frame, before);
		if (each)
			each(state, frame, before);
		before = frame;
	}
	return before;
}

size_t pipeline_first_before(size_t index, size_t n_most, const struct frame *last)
{
	size_t n_bearable = MOST_ROWS / (count_rows(last) + 1);

	n_most = n_most < n_bearable ? n_most : n_bearable;
	return index > n_most ? index - n_most : 0;
}

const struct frame *pipeline_judge_before(const struct pipeline *pipeline, size_t index,
					  struct frame *const frames[2],
					  void (*each)(void *state, const struct frame *frame,
						       const struct frame *before),
					  void *state)
{
	const struct source *source = pipeline->source;
	double seconds = findings_depend_on_seconds(pipeline->findings) + SPARE_SECONDS;
	const struct frame *before;
	enum findings_begin begin;
	uint64_t wall_ns, ago_ns;
	size_t first, least;

	if (source->judged || source->near_frames > 0 || source_read(source, index, frames[0]) != 1) {
		findings_begin(pipeline->findings, FINDINGS_FROM_FIRST);
		return NULL;
	}
	if (findings_are_kept(pipeline->findings, frames[0]->mono_ns))
		return NULL;
	wall_ns = frames[0]->wall_ns;
	least = pipeline_first_before(index, index, frames[0]);
	do {
		ago_ns = (uint64_t)(seconds * 1e9);
		first = ago_ns < wall_ns ? source->find(source->state, wall_ns - ago_ns) : 0;
		first = first > index ? index : first > least ? first : least;
		begin = first == 0					   ? FINDINGS_FROM_FIRST
			: first == least || seconds >= MOST_SECONDS ? FINDINGS_CUT
								     : FINDINGS_WITHIN;
		findings_begin(pipeline->findings, begin);
		before = judge_all(pipeline, first, index, frames, each, state);
		seconds *= MORE_SECONDS;
	} while (before && begin == FINDINGS_WITHIN && !findings_are_settled(pipeline->findings));
	return before;
}
