/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sample of a topic: flags, clock, rows. Rows that are the same ones in the same order are a list of those
 *that changed; else each is an operation, on a place in the rows before that moves on by one behind each row
 *found:
 *
 *	RUN n		n + 1 rows unchanged
 *	CHANGED n	skips n rows before; the next one with changes
 *	NEW		changes against the row above it, or against zeros
 *	MOVE n		the place moves by n, of either sign
 *
 * Changes are a mask with a bit for each column, and the new values as differences.
 */
#include <config.h>

#include "recording/row_coding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"

#define LOOK_AHEAD 4
#define EVENT_TEXT_BYTES ((size_t)256 << 10) /* of events, whose texts mostly do not come again */
#define SPARE_CELLS ((size_t)8192) /* memory that is kept even when few rows use it */
#define SPARE_BYTES ((size_t)1 << 20)
#define STEPS 1024 /* rows or texts */

enum { SAMPLED = 1, FAILED = 2, IN_PLACE = 4 };
enum { OP_RUN, OP_CHANGED, OP_NEW, OP_MOVE };

/*
 * A double: 0 to 9 is a decimal exponent, followed by the difference of the scaled numbers; else DIGITS, the
 * number of low zero bytes and of bytes of the XOR, followed by those bytes.
 */
#define DIGITS 0x40
#define EXPONENTS 10

static const double scales[EXPONENTS] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };

static double double_of(uint64_t cell)
{
	double number;

	memcpy(&number, &cell, sizeof(number));
	return number;
}

static uint64_t cell_of(double number)
{
	uint64_t cell;

	memcpy(&cell, &number, sizeof(cell));
	return cell;
}

/* The nearest whole number after scaling; false where there is none that is exact. */
static bool scaled(uint64_t cell, unsigned exponent, int64_t *number)
{
	double product = double_of(cell) * scales[exponent];

	if (!(fabs(product) < 9e15))
		return false;
	*number = (int64_t)(product + (product < 0 ? -0.5 : 0.5));
	return true;
}

static uint64_t scaled_base(uint64_t cell, unsigned exponent)
{
	int64_t number;

	return scaled(cell, exponent, &number) ? (uint64_t)number : 0;
}

static size_t mask_bytes(unsigned n_columns)
{
	return (n_columns + 7) / 8;
}

/* The encoder. */

void row_encoder_open(struct row_encoder *encoder, const struct schema *schema)
{
	*encoder = (struct row_encoder){ .joins = schema->shape != SHAPE_EVENTS };
	encoder->columns = alloc_zeroed(schema->n_columns, sizeof(*encoder->columns));
	encoder->keys = alloc_zeroed(schema->n_columns, sizeof(*encoder->keys));
	encoder->exponents = alloc_zeroed(schema->n_columns, sizeof(*encoder->exponents));
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->kind == COLUMN_RATE)
			continue;
		if (column->kind == COLUMN_KEY)
			encoder->keys[encoder->n_keys++] = encoder->n_columns;
		encoder->columns[encoder->n_columns++] = column;
	}
	encoder->cells = alloc_zeroed(encoder->n_columns, sizeof(*encoder->cells));
}

void row_encoder_close(struct row_encoder *encoder)
{
	free(encoder->columns);
	free(encoder->keys);
	free(encoder->exponents);
	free(encoder->before.cells);
	free(encoder->places);
	free(encoder->other);
	free(encoder->matches);
	free(encoder->matched);
	free(encoder->cells);
	hash_free(&encoder->by_key);
	intern_free(&encoder->texts);
}

void row_encoder_restart(struct row_encoder *encoder)
{
	encoder->before.n_rows = 0;
	encoder->clock = (struct table_clock){ 0 };
	encoder->n_told = encoder->n_forgotten = 0;
	encoder->forgotten_bytes = 0;
	intern_clear(&encoder->texts);
}

size_t row_encoder_text_bytes(const struct row_encoder *encoder)
{
	return encoder->forgotten_bytes + encoder->texts.n_bytes;
}

/* Codes count on: a text that comes again gets another one, and a decoder learns it again. */
static void forget_old_texts(struct row_encoder *encoder)
{
	if (encoder->joins || encoder->texts.n_bytes <= EVENT_TEXT_BYTES)
		return;
	encoder->n_forgotten = encoder->n_told;
	encoder->forgotten_bytes += encoder->texts.n_bytes;
	intern_clear(&encoder->texts);
}

static const char *text_of(const struct row_encoder *encoder, uint64_t code)
{
	return encoder->texts.texts[code - encoder->n_forgotten - 1];
}

static bool is_text(const struct row_encoder *encoder, const char *text, uint64_t code)
{
	return code > encoder->n_forgotten && strcmp(text_of(encoder, code), text) == 0;
}

static uint64_t code_of(const struct row_encoder *encoder, uint32_t number)
{
	return encoder->n_forgotten + number + 1;
}

/* likely is the code of the same column in the row that is likely the same one. */
static uint64_t text_code(struct row_encoder *encoder, const char *text, uint64_t likely)
{
	if (!text)
		return 0;
	return is_text(encoder, text, likely) ? likely
					      : code_of(encoder, intern_number(&encoder->texts, text));
}

static void read_row(struct row_encoder *encoder, const void *row, const uint64_t *likely)
{
	for (unsigned c = 0; c < encoder->n_columns; c++) {
		const struct column *column = encoder->columns[c];

		if (column->type == VALUE_TEXT)
			encoder->cells[c] = text_code(encoder, row_text(row, column), likely ? likely[c] : 0);
		else
			encoder->cells[c] = row_u64(row, column);
	}
}

/* False: one of its texts was never seen, so that no row before has this key. Texts become known in the order
 * of the rows, later. */
static bool read_key(const struct row_encoder *encoder, const void *row, const uint64_t *likely)
{
	for (unsigned k = 0; k < encoder->n_keys; k++) {
		unsigned c = encoder->keys[k];
		const struct column *column = encoder->columns[c];
		const char *text = column->type == VALUE_TEXT ? row_text(row, column) : NULL;
		uint32_t number;

		if (column->type != VALUE_TEXT) {
			encoder->cells[c] = row_u64(row, column);
		} else if (!text || (likely && is_text(encoder, text, likely[c]))) {
			encoder->cells[c] = text ? likely[c] : 0;
		} else {
			number = intern_find(&encoder->texts, text);
			if (number == HASH_NONE)
				return false;
			encoder->cells[c] = code_of(encoder, number);
		}
	}
	return true;
}

static uint64_t *cells_at(const struct cell_rows *rows, size_t index, unsigned n_columns)
{
	return rows->cells + index * n_columns;
}

/* Of a row before. */
static uint64_t *cells_before(const struct row_encoder *encoder, size_t index)
{
	return cells_at(&encoder->before, encoder->places[index], encoder->n_columns);
}

static bool same_key(const struct row_encoder *encoder, size_t index, const uint64_t *other)
{
	const uint64_t *cells = cells_before(encoder, index);

	for (unsigned k = 0; k < encoder->n_keys; k++)
		if (cells[encoder->keys[k]] != other[encoder->keys[k]])
			return false;
	return true;
}

static uint64_t hash_key(const struct row_encoder *encoder, const uint64_t *cells)
{
	uint64_t hash = HASH_SEED;

	for (unsigned k = 0; k < encoder->n_keys; k++)
		hash = hash_u64(hash ^ cells[encoder->keys[k]]);
	return hash;
}

static void index_rows(struct row_encoder *encoder)
{
	hash_reserve(&encoder->by_key, encoder->before.n_rows);
	for (size_t i = 0; i < encoder->before.n_rows; i++) {
		const uint64_t *cells = cells_before(encoder, i);
		uint64_t hash = hash_key(encoder, cells);
		uint32_t same;

		HASH_FIND(same, &encoder->by_key, hash, same_key(encoder, same, cells));
		if (same == HASH_NONE)
			hash_add(&encoder->by_key, hash, (uint32_t)i);
	}
}

/* First next to the last hit, as tables keep their order, else by hash. */
static uint32_t find_before(struct row_encoder *encoder, size_t next)
{
	const struct cell_rows *before = &encoder->before;
	uint32_t at;

	for (size_t i = next; i < before->n_rows && i < next + LOOK_AHEAD; i++)
		if (same_key(encoder, i, encoder->cells))
			return (uint32_t)i;
	if (before->n_rows == 0)
		return HASH_NONE;
	if (encoder->by_key.count == 0)
		index_rows(encoder);
	HASH_FIND(at, &encoder->by_key, hash_key(encoder, encoder->cells),
		  same_key(encoder, at, encoder->cells));
	return at;
}

/* The row before of this one, at most once. */
static uint32_t match(struct row_encoder *encoder, const void *row, size_t next)
{
	const uint64_t *likely = next < encoder->before.n_rows ? cells_before(encoder, next) : NULL;
	uint32_t at = HASH_NONE;

	if (encoder->joins && read_key(encoder, row, likely))
		at = find_before(encoder, next);
	if (at == HASH_NONE || encoder->matched[at])
		return HASH_NONE;
	encoder->matched[at] = true;
	return at;
}

/* Fills matches; true: they are the same rows in the same order. */
static bool match_rows(struct row_encoder *encoder, const struct table *table)
{
	size_t n_before = encoder->before.n_rows, next = 0;
	bool in_place = encoder->joins && n_before == table->n_rows;

	VECTOR_RESERVE(encoder->matches, table->n_rows, encoder->n_matches);
	VECTOR_RESERVE(encoder->matched, n_before, encoder->n_matched);
	for (size_t i = 0; i < n_before; i++)
		encoder->matched[i] = false;
	hash_clear(&encoder->by_key);
	for (size_t i = 0; i < table->n_rows; i++) {
		encoder->matches[i] = match(encoder, table_row(table, i), next);
		in_place &= encoder->matches[i] == i;
		if (encoder->matches[i] != HASH_NONE)
			next = encoder->matches[i] + 1;
	}
	return in_place;
}

/* The next place, from *at on, whose cells are of no row now. */
static uint32_t take_place(struct row_encoder *encoder, size_t *at)
{
	while (*at < encoder->before.n_rows && encoder->matched[*at])
		++*at;
	if (*at == encoder->n_placed) {
		encoder->places[*at] = (uint32_t)*at;
		encoder->n_placed++;
	}
	return encoder->places[(*at)++];
}

/* Rows keep their cells; new ones get those of rows that are gone. The other places stay behind them. */
static void place_rows(struct row_encoder *encoder, size_t n_rows)
{
	size_t most = encoder->n_placed + n_rows, free_place = 0, i;
	uint32_t *swapped;

	VECTOR_RESERVE(encoder->places, most, encoder->n_places);
	VECTOR_RESERVE(encoder->other, most, encoder->n_other);
	for (i = 0; i < n_rows; i++)
		encoder->other[i] = encoder->matches[i] == HASH_NONE ? take_place(encoder, &free_place)
								      : encoder->places[encoder->matches[i]];
	for (; i < encoder->n_placed; i++)
		encoder->other[i] = take_place(encoder, &free_place);
	VECTOR_RESERVE(encoder->before.cells, encoder->n_placed * encoder->n_columns,
		       encoder->before.capacity);
	swapped = encoder->places;
	encoder->places = encoder->other;
	encoder->other = swapped;
	most = encoder->n_places;
	encoder->n_places = encoder->n_other;
	encoder->n_other = most;
}

static void put_xor(unsigned char *bytes, size_t *length, uint64_t difference)
{
	unsigned low = (unsigned)__builtin_ctzll(difference) / 8;
	unsigned count = 8 - low - (unsigned)__builtin_clzll(difference) / 8;

	bytes[(*length)++] = (unsigned char)(DIGITS | low << 3 | (count - 1));
	for (unsigned i = 0; i < count; i++)
		bytes[(*length)++] = (unsigned char)(difference >> 8 * (low + i));
}

static bool put_decimal(unsigned char *bytes, size_t *length, unsigned exponent, uint64_t now,
			uint64_t before)
{
	int64_t number;

	if (!scaled(now, exponent, &number) || cell_of((double)number / scales[exponent]) != now)
		return false;
	bytes[0] = (unsigned char)exponent;
	*length = 1 + varint_write(bytes + 1, zigzag((uint64_t)number - scaled_base(before, exponent)));
	return true;
}

static void put_double(struct buffer *out, unsigned char *exponent, uint64_t now, uint64_t before)
{
	unsigned char digits[VARINT_MAX + 1], decimal[VARINT_MAX + 1];
	size_t n_digits = 0, n_decimal = sizeof(decimal);

	put_xor(digits, &n_digits, now ^ before);
	if (!put_decimal(decimal, &n_decimal, *exponent, now, before)) {
		for (unsigned e = 0; e < EXPONENTS; e++) {
			if (put_decimal(decimal, &n_decimal, e, now, before)) {
				*exponent = (unsigned char)e;
				break;
			}
		}
	}
	if (n_decimal < n_digits)
		buffer_add(out, (const char *)decimal, n_decimal);
	else
		buffer_add(out, (const char *)digits, n_digits);
}

/* The mask and the values of what differs from base. */
static void put_changes(struct row_encoder *encoder, struct buffer *out, const uint64_t *cells,
			const uint64_t *base)
{
	size_t mask = out->length;

	buffer_fill(out, 0, mask_bytes(encoder->n_columns));
	for (unsigned c = 0; c < encoder->n_columns; c++) {
		uint64_t before = base ? base[c] : 0;

		if (cells[c] == before)
			continue;
		out->bytes[mask + c / 8] = (char)(out->bytes[mask + c / 8] | 1 << c % 8);
		if (encoder->columns[c]->type == VALUE_U64)
			put_difference(out, cells[c], before);
		else if (encoder->columns[c]->type == VALUE_F64)
			put_double(out, &encoder->exponents[c], cells[c], before);
		else
			put_varint(out, cells[c]);
		if (encoder->columns[c]->type == VALUE_TEXT && cells[c] > encoder->n_told) {
			put_name(out, text_of(encoder, cells[c]));
			encoder->n_told++;
		}
	}
}

/* Reads row i, for which cells_before() gives the cells before already, unless it is new. */
static void read_row_now(struct row_encoder *encoder, const struct table *table, size_t i)
{
	const uint64_t *likely = encoder->matches[i] != HASH_NONE ? cells_before(encoder, i)
				 : i > 0                         ? cells_before(encoder, i - 1)
								 : NULL;

	read_row(encoder, table_row(table, i), likely);
}

static void keep_row(struct row_encoder *encoder, size_t i)
{
	memcpy(cells_before(encoder, i), encoder->cells, encoder->n_columns * sizeof(*encoder->cells));
}

static bool differs(const struct row_encoder *encoder, size_t i)
{
	return memcmp(cells_before(encoder, i), encoder->cells,
		      encoder->n_columns * sizeof(*encoder->cells)) != 0;
}

static void put_in_place(struct row_encoder *encoder, const struct table *table, struct buffer *out)
{
	size_t next = 0;

	for (size_t i = 0; i < table->n_rows; i++) {
		read_row_now(encoder, table, i);
		if (!differs(encoder, i))
			continue;
		put_varint(out, i - next + 1);
		put_changes(encoder, out, encoder->cells, cells_before(encoder, i));
		keep_row(encoder, i);
		next = i + 1;
	}
	put_varint(out, 0);
}

static void put_operation(struct buffer *out, unsigned operation, uint64_t number)
{
	put_varint(out, number << 2 | operation);
}

static void put_run(struct buffer *out, size_t *run)
{
	if (*run > 0)
		put_operation(out, OP_RUN, *run - 1);
	*run = 0;
}

static void put_operations(struct row_encoder *encoder, const struct table *table, struct buffer *out)
{
	size_t next = 0, run = 0;

	put_varint(out, table->n_rows);
	for (size_t i = 0; i < table->n_rows; i++) {
		size_t from = encoder->matches[i];
		bool is_new = from == HASH_NONE, same;

		read_row_now(encoder, table, i);
		same = !is_new && !differs(encoder, i);
		if (!same || from != next)
			put_run(out, &run);
		if (is_new) {
			put_operation(out, OP_NEW, 0);
			put_changes(encoder, out, encoder->cells,
				    i > 0 ? cells_before(encoder, i - 1) : NULL);
			keep_row(encoder, i);
			continue;
		}
		if (from < next || (same && from > next)) {
			put_operation(out, OP_MOVE, zigzag((uint64_t)from - next));
			next = from;
		}
		if (same) {
			run++;
		} else {
			put_operation(out, OP_CHANGED, from - next);
			put_changes(encoder, out, encoder->cells, cells_before(encoder, i));
			keep_row(encoder, i);
		}
		next = from + 1;
	}
	put_run(out, &run);
}

void rows_encode(struct row_encoder *encoder, const struct table *table, struct buffer *out)
{
	struct table_clock *clock = &encoder->clock;
	bool in_place = match_rows(encoder, table);
	uint64_t step_ns = table->mono_ns - clock->mono_ns;

	forget_old_texts(encoder);
	put_varint(out, SAMPLED | (table->failed ? FAILED : 0) | (in_place ? IN_PLACE : 0));
	put_difference(out, step_ns, clock->step_ns);
	*clock = (struct table_clock){ table->mono_ns, step_ns };
	place_rows(encoder, table->n_rows);
	if (in_place)
		put_in_place(encoder, table, out);
	else
		put_operations(encoder, table, out);
	encoder->before.n_rows = table->n_rows;
}

/* The decoder. */

void row_decoder_close(struct row_decoder *decoder)
{
	free(decoder->rows.cells);
	free(decoder->other.cells);
	free(decoder->texts);
	arena_free(&decoder->arena);
}

/* Gives back memory of which this many cells would use little. */
static void shrink(struct cell_rows *rows, size_t n_cells)
{
	if (rows->capacity <= SPARE_CELLS || rows->capacity / 4 <= n_cells)
		return;
	free(rows->cells);
	*rows = (struct cell_rows){ 0 };
}

static void forget_texts(struct row_decoder *decoder)
{
	decoder->n_texts = 0;
	if (decoder->arena.held <= SPARE_BYTES) {
		arena_reset(&decoder->arena);
		return;
	}
	arena_free(&decoder->arena);
	free(decoder->texts);
	decoder->texts = NULL;
	decoder->capacity = 0;
}

void row_decoder_restart(struct row_decoder *decoder)
{
	decoder->present = decoder->failed = false;
	decoder->rows.n_rows = 0;
	decoder->clock = (struct table_clock){ 0 };
	shrink(&decoder->rows, 0);
	shrink(&decoder->other, 0);
	forget_texts(decoder);
}

static bool is_interrupted(struct row_decoder *decoder)
{
	if (++decoder->n_steps % STEPS != 0)
		return false;
	return decoder->shared->interrupted && decoder->shared->interrupted();
}

static bool refuse(struct row_decoder *decoder)
{
	decoder->shared->too_large = true;
	return false;
}

static bool take_double(struct span *in, uint64_t *cell)
{
	uint64_t number, difference = 0;
	unsigned how, low, count;

	if (in->at == in->end)
		return false;
	how = (unsigned char)*in->at++;
	if (how < EXPONENTS) {
		number = scaled_base(*cell, how);
		if (!take_difference(in, &number))
			return false;
		*cell = cell_of((double)(int64_t)number / scales[how]);
		return true;
	}
	low = how >> 3 & 7;
	count = (how & 7) + 1;
	if ((how & ~0x3fu) != DIGITS || low + count > 8 || span_length(*in) < count)
		return false;
	for (unsigned i = 0; i < count; i++)
		difference |= (uint64_t)(unsigned char)*in->at++ << 8 * (low + i);
	*cell ^= difference;
	return true;
}

bool text_decode(struct row_decoder *decoder, struct span *in, uint64_t *code)
{
	struct span text;

	if (!take_varint(in, code) || *code > decoder->n_texts + 1)
		return false;
	if (*code <= decoder->n_texts)
		return true;
	if (!take_bytes(in, &text) || memchr(text.at, '\0', span_length(text)) || is_interrupted(decoder))
		return false;
	decoder->shared->text_bytes += span_length(text) + sizeof(*decoder->texts);
	if (decoder->shared->text_bytes > decoder->shared->text_bytes_max)
		return refuse(decoder);
	*VECTOR_ADD(decoder->texts, decoder->n_texts, decoder->capacity) = (struct known_text){
		.text = arena_copy(&decoder->arena, text.at, span_length(text)),
		.length = (uint32_t)span_length(text),
	};
	return true;
}

static bool take_changes(struct row_decoder *decoder, struct span *in, uint64_t *cells)
{
	const char *mask = in->at;
	size_t length = mask_bytes(decoder->n_columns);

	if (span_length(*in) < length)
		return false;
	in->at += length;
	for (unsigned c = 0; c < decoder->n_columns; c++) {
		bool good;

		if (c % 8 == 0 && mask[c / 8] == 0) {
			c += 7;
			continue;
		}
		if (!(mask[c / 8] >> c % 8 & 1))
			continue;
		switch (decoder->types[c]) {
		case VALUE_U64:
			good = take_difference(in, &cells[c]);
			break;
		case VALUE_F64:
			good = take_double(in, &cells[c]);
			break;
		default:
			good = text_decode(decoder, in, &cells[c]);
		}
		if (!good)
			return false;
	}
	return true;
}

static bool take_in_place(struct row_decoder *decoder, struct span *in)
{
	uint64_t skip;
	size_t next = 0;

	for (;;) {
		if (!take_varint(in, &skip))
			return false;
		if (skip == 0)
			return true;
		if (skip > decoder->rows.n_rows - next || is_interrupted(decoder))
			return false;
		next += skip;
		if (!take_changes(decoder, in, cells_at(&decoder->rows, next - 1, decoder->n_columns)))
			return false;
	}
}

static uint64_t *add_rows(struct row_decoder *decoder, size_t n_rows)
{
	struct cell_rows *rows = &decoder->other;

	VECTOR_RESERVE(rows->cells, (rows->n_rows + n_rows) * decoder->n_columns, rows->capacity);
	rows->n_rows += n_rows;
	return cells_at(rows, rows->n_rows - n_rows, decoder->n_columns);
}

/* Copies n_rows from the place on, which must exist, and moves it behind them. */
static uint64_t *keep_rows(struct row_decoder *decoder, size_t *next, size_t n_rows)
{
	uint64_t *cells;

	if (*next > decoder->rows.n_rows || n_rows > decoder->rows.n_rows - *next)
		return NULL;
	cells = add_rows(decoder, n_rows);
	memcpy(cells, cells_at(&decoder->rows, *next, decoder->n_columns),
	       n_rows * decoder->n_columns * sizeof(*cells));
	*next += n_rows;
	return cells;
}

static uint64_t *new_row(struct row_decoder *decoder)
{
	uint64_t *cells = add_rows(decoder, 1);

	if (decoder->other.n_rows > 1)
		memcpy(cells, cells - decoder->n_columns, decoder->n_columns * sizeof(*cells));
	else
		memset(cells, 0, decoder->n_columns * sizeof(*cells));
	return cells;
}

static bool take_operation(struct row_decoder *decoder, struct span *in, size_t *next, size_t rest)
{
	uint64_t *cells;
	uint64_t number;

	if (!take_varint(in, &number))
		return false;
	switch (number & 3) {
	case OP_RUN:
		return number >> 2 < rest && keep_rows(decoder, next, (number >> 2) + 1);
	case OP_CHANGED:
		if (number >> 2 >= decoder->rows.n_rows || *next >= decoder->rows.n_rows)
			return false;
		*next += number >> 2;
		cells = keep_rows(decoder, next, 1);
		return cells && take_changes(decoder, in, cells);
	case OP_NEW:
		return take_changes(decoder, in, new_row(decoder));
	default:
		*next += unzigzag(number >> 2);
		return *next <= decoder->rows.n_rows;
	}
}

static bool take_operations(struct row_decoder *decoder, struct span *in)
{
	struct cell_rows before = decoder->rows;
	uint64_t n_rows;
	size_t next = 0;

	if (!take_varint(in, &n_rows))
		return false;
	if (n_rows > decoder->n_rows_max)
		return refuse(decoder);
	decoder->other.n_rows = 0;
	shrink(&decoder->other, n_rows * decoder->n_columns);
	while (decoder->other.n_rows < n_rows)
		if (is_interrupted(decoder) ||
		    !take_operation(decoder, in, &next, n_rows - decoder->other.n_rows))
			return false;
	decoder->rows = decoder->other;
	decoder->other = before;
	shrink(&decoder->other, n_rows * decoder->n_columns);
	return true;
}

bool rows_decode(struct row_decoder *decoder, struct span *in)
{
	struct table_clock *clock = &decoder->clock;
	uint64_t flags;

	decoder->present = false;
	if (!take_varint(in, &flags))
		return false;
	if (flags == 0)
		return true;
	if (!(flags & SAMPLED) || flags > (SAMPLED | FAILED | IN_PLACE) ||
	    !take_difference(in, &clock->step_ns))
		return false;
	clock->mono_ns += clock->step_ns;
	decoder->present = true;
	decoder->failed = flags & FAILED;
	return flags & IN_PLACE ? take_in_place(decoder, in) : take_operations(decoder, in);
}
