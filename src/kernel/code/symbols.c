/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of functions, and the texts that fill it. */
#include <config.h>

#include "kernel/code/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "core/vector.h"

/* A sorted list of functions that do not overlap: where some do, it is cut into pieces. */
#define DEPTH_MAX 32 /* functions that cover the same address */
#define NONE UINT32_MAX
#define DIGIT_BITS 8
#define N_DIGITS (1 << DIGIT_BITS)
#define PLACE_MASK 0x1fffffffU /* of a name */

/* Up to a NUL, and not longer than names are; never ends inside a character. */
static struct span visible_name(struct span name, bool *cut)
{
	const char *end = name.at;
	size_t length = span_length(name), most = SYMBOL_NAME_MAX;

	if (length > 0)
		end = memchr(name.at, '\0', length <= most ? length : most + 1);
	if (end)
		length = (size_t)(end - name.at);
	*cut = length > most;
	if (!*cut)
		return span_of(name.at, length);
	for (unsigned i = 0; i < 3 && ((unsigned char)name.at[most] & 0xc0) == 0x80; i++)
		most--;
	return span_of(name.at, most);
}

/* Is it in the strings, up to a NUL? *place: where. */
static bool is_borrowed(const struct symbols *symbols, struct span name, uint32_t *place)
{
	uintptr_t first = (uintptr_t)symbols->strings.at, end = (uintptr_t)symbols->strings.end;
	uintptr_t from = (uintptr_t)name.at, to = (uintptr_t)name.end;

	*place = (uint32_t)(from - first) & PLACE_MASK;
	return from >= first && to < end && *name.end == '\0' && from - first <= PLACE_MASK;
}

void symbols_add(struct symbols *symbols, uint64_t address, uint64_t bytes, struct span name, bool is_local)
{
	struct symbol symbol = { .address = address, .is_local = is_local };
	uint32_t place;
	bool cut;

	if (bytes > UINT64_MAX - address)
		bytes = UINT64_MAX - address;
	symbol.bytes = bytes <= UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
	name = visible_name(name, &cut);
	if (span_length(name) == 0)
		return;
	if (symbols->count >= SYMBOLS_MAX || symbols->names.length + span_length(name) >= SYMBOLS_NAMES_MAX) {
		symbols->n_left_out++;
		return;
	}
	symbols->n_cut += cut;
	symbol.is_borrowed = is_borrowed(symbols, name, &place);
	symbol.name = (symbol.is_borrowed ? place : (uint32_t)symbols->names.length) & PLACE_MASK;
	if (!symbol.is_borrowed) {
		buffer_add(&symbols->names, name.at, span_length(name));
		buffer_char(&symbols->names, '\0');
	}
	*VECTOR_ADD(symbols->list, symbols->count, symbols->capacity) = symbol;
}

static size_t digit_of(const struct symbol *symbol, unsigned shift)
{
	return symbol->address >> shift & (N_DIGITS - 1);
}

/* By address, digit by digit; functions at the same one stay in the order in which they were added. */
static void sort_by_address(struct symbols *symbols)
{
	struct symbol *from = symbols->list, *to = alloc_zeroed(symbols->count, sizeof(*to)), *sorted;

	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		size_t starts[N_DIGITS] = { 0 }, start = 0;

		for (size_t i = 0; i < symbols->count; i++)
			starts[digit_of(&from[i], shift)]++;
		if (starts[digit_of(&from[0], shift)] == symbols->count)
			continue; /* all have the same one */
		for (size_t digit = 0; digit < N_DIGITS; digit++) {
			size_t count = starts[digit];

			starts[digit] = start;
			start += count;
		}
		for (size_t i = 0; i < symbols->count; i++)
			to[starts[digit_of(&from[i], shift)]++] = from[i];
		sorted = to;
		to = from;
		from = sorted;
	}
	free(to);
	symbols->list = from;
	symbols->capacity = symbols->count;
}

static const char *name_of(const struct symbols *symbols, const struct symbol *symbol)
{
	return (symbol->is_borrowed ? symbols->strings.at : symbols->names.bytes) + symbol->name;
}

/* Of two at the same address. */
static bool is_better(const struct symbols *symbols, const struct symbol *a, const struct symbol *b)
{
	const char *name = name_of(symbols, a), *other = name_of(symbols, b);
	size_t underscores = strspn(name, "_"), others = strspn(other, "_");
	size_t length = strlen(name), others_length = strlen(other);

	if (a->is_local != b->is_local)
		return b->is_local;
	if (underscores != others)
		return underscores < others;
	if (length != others_length)
		return length < others_length;
	return strcmp(name, other) < 0;
}

static uint32_t guessed_bytes(const struct symbols *symbols, uint64_t address, size_t next)
{
	uint64_t gap = next < symbols->count ? symbols->list[next].address - address : UINT64_MAX - address;

	return gap < SYMBOL_GUESS_MAX ? (uint32_t)gap : SYMBOL_GUESS_MAX;
}

/* One function of each address. */
static void merge_aliases(struct symbols *symbols)
{
	size_t n_kept = 0, next;

	for (size_t i = 0; i < symbols->count; i = next) {
		struct symbol best = symbols->list[i];

		for (next = i + 1; next < symbols->count; next++) {
			const struct symbol *other = &symbols->list[next];
			uint32_t bytes = best.bytes > other->bytes ? best.bytes : other->bytes;

			if (other->address != best.address)
				break;
			if (is_better(symbols, other, &best))
				best = *other;
			best.bytes = bytes;
		}
		if (best.bytes == 0)
			best.bytes = guessed_bytes(symbols, best.address, next);
		symbols->list[n_kept++] = best;
	}
	symbols->count = n_kept;
}

static uint64_t end_of(const struct symbol *symbol)
{
	return symbol->address + symbol->bytes;
}

static bool is_overlapping(const struct symbols *symbols)
{
	for (size_t i = 1; i < symbols->count; i++)
		if (end_of(&symbols->list[i - 1]) > symbols->list[i].address)
			return true;
	return false;
}

/* From address to address: which functions cover it, and the pieces so far. */
struct painting {
	struct symbols *symbols;
	uint64_t at;
	uint32_t open[DEPTH_MAX]; /* the last one is seen; the others go on behind it */
	unsigned n_open;
	uint32_t last; /* the function of the last piece */
	struct symbol *pieces;
	size_t n_pieces, capacity;
};

static void add_piece(struct painting *painting, uint32_t index, uint64_t end)
{
	struct symbols *symbols = painting->symbols;
	struct symbol piece = symbols->list[index];
	uint32_t before = (uint32_t)(painting->at - piece.address), at = (uint32_t)painting->n_pieces;

	if (index == painting->last && end_of(&painting->pieces[at - 1]) == painting->at) {
		painting->pieces[at - 1].bytes += (uint32_t)(end - painting->at);
		return;
	}
	if (painting->n_pieces >= SYMBOLS_MAX) {
		symbols->n_left_out++;
		return;
	}
	piece.address = painting->at;
	piece.bytes = (uint32_t)(end - painting->at);
	piece.is_rest = before > 0;
	if (before > 0)
		*VECTOR_ADD(symbols->rests, symbols->n_rests, symbols->rests_capacity) =
			(struct symbol_rest){ .index = at, .before_bytes = before };
	*VECTOR_ADD(painting->pieces, painting->n_pieces, painting->capacity) = piece;
	painting->last = index;
}

/* Makes pieces of the open functions up to this address. */
static void paint(struct painting *painting, uint64_t until)
{
	while (painting->n_open > 0 && painting->at < until) {
		uint32_t index = painting->open[painting->n_open - 1];
		uint64_t end = end_of(&painting->symbols->list[index]);

		if (end <= painting->at) {
			painting->n_open--;
			continue;
		}
		end = end < until ? end : until;
		add_piece(painting, index, end);
		painting->at = end;
	}
	painting->at = until;
}

/* Closes those that have ended, and where there is still no room the one that is seen last. */
static void make_room(struct painting *painting)
{
	unsigned n_kept = 0;

	for (unsigned i = 0; i < painting->n_open; i++)
		if (end_of(&painting->symbols->list[painting->open[i]]) > painting->at)
			painting->open[n_kept++] = painting->open[i];
	painting->n_open = n_kept;
	if (n_kept < DEPTH_MAX)
		return;
	memmove(painting->open, painting->open + 1, (DEPTH_MAX - 1) * sizeof(painting->open[0]));
	painting->n_open--;
	painting->symbols->n_left_out++;
}

static void open_function(struct painting *painting, uint32_t index)
{
	const struct symbol *list = painting->symbols->list;
	bool by_name = painting->symbols->later_wins;
	unsigned at;

	if (painting->n_open == DEPTH_MAX)
		make_room(painting);
	for (at = painting->n_open++; at > 0; at--) {
		uint32_t below = painting->open[at - 1];

		if (by_name ? list[index].name > list[below].name : index > below)
			break;
		painting->open[at] = painting->open[at - 1];
	}
	painting->open[at] = index;
}

static void cut_into_pieces(struct symbols *symbols)
{
	struct painting painting = { .symbols = symbols, .last = NONE };

	for (uint32_t i = 0; i < symbols->count; i++) {
		paint(&painting, symbols->list[i].address);
		open_function(&painting, i);
	}
	paint(&painting, UINT64_MAX);
	free(symbols->list);
	symbols->list = painting.pieces;
	symbols->count = painting.n_pieces;
	symbols->capacity = painting.capacity;
}

/* Nothing is added any more: gives back the room for it. */
static void shrink(struct symbols *symbols)
{
	symbols->list = alloc_resize(symbols->list, symbols->count, sizeof(symbols->list[0]));
	symbols->capacity = symbols->count;
	if (symbols->names.length == 0)
		return;
	symbols->names.bytes = alloc_resize(symbols->names.bytes, symbols->names.length, 1);
	symbols->names.capacity = symbols->names.length;
}

void symbols_sort(struct symbols *symbols)
{
	if (symbols->count == 0)
		return;
	sort_by_address(symbols);
	if (!symbols->later_wins)
		merge_aliases(symbols);
	if (is_overlapping(symbols))
		cut_into_pieces(symbols);
	shrink(symbols);
}

const char *symbols_find(const struct symbols *symbols, uint64_t address, uint64_t *offset)
{
	const struct symbol *symbol = symbols->list;

	if (symbols->count == 0)
		return NULL;
	for (size_t n = symbols->count, half; n > 1; n -= half) { /* twice as fast as VECTOR_BOUND */
		half = n / 2;
		symbol = symbol[half].address <= address ? symbol + half : symbol;
	}
	if (address < symbol->address || address - symbol->address >= symbol->bytes)
		return NULL;
	*offset = address - symbol->address;
	if (symbol->is_rest) {
		size_t index = (size_t)(symbol - symbols->list), at;

		VECTOR_BOUND(at, symbols->n_rests, symbols->rests[at].index < index);
		*offset += symbols->rests[at].before_bytes;
	}
	return name_of(symbols, symbol);
}

size_t symbols_bytes(const struct symbols *symbols)
{
	return symbols->capacity * sizeof(symbols->list[0]) + symbols->names.capacity +
	       symbols->rests_capacity * sizeof(symbols->rests[0]);
}

void symbols_free(struct symbols *symbols)
{
	free(symbols->list);
	free(symbols->rests);
	buffer_free(&symbols->names);
	*symbols = (struct symbols){ 0 };
}

/* "ffffffff81000000 T _text", and "\t[module]" where it is from one. Data have other letters. */
bool kallsyms_next(struct span *text, struct kallsyms_line *line)
{
	struct span rest, type;

	while (span_line(text, &rest))
		if (span_hex(&rest, &line->address) && span_word(&rest, &type) && span_length(type) == 1 &&
		    strchr("tTwW", *type.at) && span_word(&rest, &line->name))
			return true;
	return false;
}

/* Some write 0x before it. */
static bool eat_hex(struct span *line, uint64_t *value)
{
	struct span rest = *line;

	while (span_char(&rest, ' '))
		;
	if (span_char(&rest, '0') && (span_char(&rest, 'x') || span_char(&rest, 'X')))
		*line = rest;
	return span_hex(line, value);
}

size_t perf_map_functions(struct span text, struct symbols *symbols)
{
	struct span rest = text, line;
	uint64_t address, bytes;

	symbols->later_wins = true;
	while (span_until(&rest, '\n', &line))
		if (eat_hex(&line, &address) && span_char(&line, ' ') && eat_hex(&line, &bytes) &&
		    span_char(&line, ' ') && bytes > 0)
			symbols_add(symbols, address, bytes, line, false);
	return (size_t)(rest.at - text.at);
}
