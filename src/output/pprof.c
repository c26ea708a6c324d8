/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks as pprof reads them: a message Profile of profile.proto, not compressed. Its lists may be written in
 * parts: each sample when it is taken, and before it the functions and texts that are new in it.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "core/hash.h"
#include "core/utf8.h"
#include "core/vector.h"
#include "output/sink.h"

/* Numbers of the fields. */
enum { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT };
enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE };
enum { MAPPING_ID = 1, MAPPING_FILENAME = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_ID = 1, LOCATION_MAPPING_ID, LOCATION_LINE = 4 };
enum { LINE_FUNCTION_ID = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME };
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING_TABLE,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
};

#define NANOSECONDS_MAX 1e18

/* What was written so far. */
struct pprof {
	char **texts; /* owned */
	size_t n_texts, text_capacity;
	struct hash by_text;
	struct place { /* a function of a file: its location and function have its index + 1 as their number
			*/
		uint32_t name, file; /* texts */
	} * places;
	size_t n_places, place_capacity;
	struct hash by_place;
	uint32_t *files; /* texts: a mapping has its index + 1 as its number */
	size_t n_files, file_capacity;
	uint64_t *stack;
	size_t n_stack, stack_capacity;
	struct buffer message, inner; /* empty between uses */
	bool begun, timed;            /* timed: samples have nanoseconds, too */
	uint64_t first_ns,
		last_ns; /* of the clock: when its first interval began, and its last one ended; 0 */
};

void pprof_free(struct pprof *pprof)
{
	if (!pprof)
		return;
	for (size_t i = 0; i < pprof->n_texts; i++)
		free(pprof->texts[i]);
	free(pprof->texts);
	free(pprof->places);
	free(pprof->files);
	free(pprof->stack);
	hash_free(&pprof->by_text);
	hash_free(&pprof->by_place);
	buffer_free(&pprof->message);
	buffer_free(&pprof->inner);
	free(pprof);
}

/* Its number in the table of texts, to which it is added if it is new. */
static uint32_t text_of(struct pprof *pprof, struct span text, struct buffer *out)
{
	uint64_t hash = hash_bytes(HASH_SEED, text);
	size_t length = span_length(text);
	struct buffer harmless = { 0 };
	uint32_t at;
	char *copy;

	HASH_FIND(at, &pprof->by_text, hash, span_is(text, pprof->texts[at]));
	if (at != HASH_NONE)
		return at;
	copy = alloc_zeroed(length + 1, 1);
	memcpy(copy, text.at, length);
	at = (uint32_t)pprof->n_texts;
	*VECTOR_ADD(pprof->texts, pprof->n_texts, pprof->text_capacity) = copy;
	hash_add(&pprof->by_text, hash, at);
	utf8_harmless(&harmless, text);
	protobuf_bytes(out, PROFILE_STRING_TABLE, harmless.bytes, harmless.length);
	buffer_free(&harmless);
	return at;
}

/* The message that was written into pprof->message becomes a field. */
static void add_message(struct pprof *pprof, unsigned field, struct buffer *out)
{
	protobuf_bytes(out, field, pprof->message.bytes, pprof->message.length);
	buffer_empty(&pprof->message);
}

static void add_type(struct pprof *pprof, unsigned field, const char *type, const char *unit,
		     struct buffer *out)
{
	uint32_t type_text = text_of(pprof, span_text(type), out);
	uint32_t unit_text = text_of(pprof, span_text(unit), out);

	protobuf_number(&pprof->message, VALUE_TYPE_TYPE, type_text);
	protobuf_number(&pprof->message, VALUE_TYPE_UNIT, unit_text);
	add_message(pprof, field, out);
}

/* 0: not known, or nothing that the file of a recording may say of a time. */
static uint64_t whole_nanoseconds(double nanoseconds)
{
	return nanoseconds > 0 && nanoseconds < NANOSECONDS_MAX ? (uint64_t)(nanoseconds + 0.5) : 0;
}

/* Recordings of earlier versions do not know the time that samples stand for. */
static void begin_profile(struct pprof *pprof, double period_ns, struct buffer *out)
{
	pprof->begun = true;
	pprof->timed = whole_nanoseconds(period_ns) > 0;
	text_of(pprof, span_text(""), out);
	add_type(pprof, PROFILE_SAMPLE_TYPE, "samples", "count", out);
	if (!pprof->timed)
		return;
	add_type(pprof, PROFILE_SAMPLE_TYPE, "cpu", "nanoseconds", out);
	add_type(pprof, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds", out);
	protobuf_number(out, PROFILE_PERIOD, whole_nanoseconds(period_ns));
}

/* Number of its mapping; 0: its file is not known. */
static uint64_t mapping_of(struct pprof *pprof, struct span file, struct buffer *out)
{
	uint32_t text;
	size_t at = 0;

	if (span_length(file) == 0)
		return 0;
	text = text_of(pprof, file, out);
	while (at < pprof->n_files && pprof->files[at] != text)
		at++;
	if (at < pprof->n_files)
		return at + 1;
	*VECTOR_ADD(pprof->files, pprof->n_files, pprof->file_capacity) = text;
	protobuf_number(&pprof->message, MAPPING_ID, at + 1);
	protobuf_number(&pprof->message, MAPPING_FILENAME, text);
	protobuf_number(&pprof->message, MAPPING_HAS_FUNCTIONS, true);
	add_message(pprof, PROFILE_MAPPING, out);
	return at + 1;
}

/*
 * Names of C++ and Rust are readable already. pprof leaves a name alone if that of the system is another one,
 * and would take template arguments away; here the latter is not known any more.
 */
static bool is_readable(const char *name)
{
	return strpbrk(name, "<>[]") || strstr(name, "::");
}

static void add_place(struct pprof *pprof, uint64_t number, uint32_t name, uint64_t mapping,
		      struct buffer *out)
{
	protobuf_number(&pprof->message, FUNCTION_ID, number);
	protobuf_number(&pprof->message, FUNCTION_NAME, name);
	if (!is_readable(pprof->texts[name]))
		protobuf_number(&pprof->message, FUNCTION_SYSTEM_NAME, name);
	add_message(pprof, PROFILE_FUNCTION, out);
	protobuf_number(&pprof->inner, LINE_FUNCTION_ID, number);
	protobuf_number(&pprof->message, LOCATION_ID, number);
	if (mapping > 0)
		protobuf_number(&pprof->message, LOCATION_MAPPING_ID, mapping);
	protobuf_bytes(&pprof->message, LOCATION_LINE, pprof->inner.bytes, pprof->inner.length);
	buffer_empty(&pprof->inner);
	add_message(pprof, PROFILE_LOCATION, out);
}

/* Number of its location. */
static uint64_t place_of(struct pprof *pprof, struct span name, struct span file, struct buffer *out)
{
	uint64_t mapping = mapping_of(pprof, file, out);
	struct place place = { text_of(pprof, name, out), mapping > 0 ? pprof->files[mapping - 1] : 0 };
	uint64_t hash = hash_u64((uint64_t)place.name << 32 | place.file);
	uint32_t at;

	HASH_FIND(at, &pprof->by_place, hash,
		  pprof->places[at].name == place.name && pprof->places[at].file == place.file);
	if (at != HASH_NONE)
		return (uint64_t)at + 1;
	hash_add(&pprof->by_place, hash, (uint32_t)pprof->n_places);
	*VECTOR_ADD(pprof->places, pprof->n_places, pprof->place_capacity) = place;
	add_place(pprof, pprof->n_places, place.name, mapping, out);
	return pprof->n_places;
}

/* From the function that runs to the first one. */
static void take_stack(struct pprof *pprof, struct span names, struct span files, struct buffer *out)
{
	struct span name, file;

	pprof->n_stack = 0;
	while (span_item_of(&names, ';', &name)) {
		if (!span_item_of(&files, ';', &file))
			file = span_text("");
		*VECTOR_ADD(pprof->stack, pprof->n_stack, pprof->stack_capacity) =
			place_of(pprof, name, file, out);
	}
	for (size_t i = 0; i < pprof->n_stack / 2; i++) {
		uint64_t other = pprof->stack[i];

		pprof->stack[i] = pprof->stack[pprof->n_stack - 1 - i];
		pprof->stack[pprof->n_stack - 1 - i] = other;
	}
}

static void add_sample(struct pprof *pprof, const struct table *table, const void *row, struct buffer *out)
{
	uint64_t samples = table_u64(table, row, "samples");
	double nanoseconds = 1e9 * table_number(table, row, "seconds");
	const char *names = table_text(table, row, "stack"), *files = table_text(table, row, "files");
	uint64_t values[] = { samples, whole_nanoseconds(nanoseconds) };

	if (!*names || samples - 1 >= INT64_MAX) /* numbers are signed there */
		return;
	if (!pprof->begun)
		begin_profile(pprof, nanoseconds / (double)samples, out);
	take_stack(pprof, span_text(names), span_text(files), out);
	protobuf_numbers(&pprof->message, SAMPLE_LOCATION_ID, pprof->stack, pprof->n_stack);
	protobuf_numbers(&pprof->message, SAMPLE_VALUE, values, pprof->timed ? 2 : 1);
	add_message(pprof, PROFILE_SAMPLE, out);
}

static int begin(struct sink *sink)
{
	pprof_free(sink->pprof);
	sink->pprof = alloc_zeroed(1, sizeof(*sink->pprof));
	return 0;
}

/* Of the whole profile, which has these fields once; one without samples is a profile, too. */
static void finish(struct pprof *pprof, struct buffer *out)
{
	if (!pprof->begun)
		begin_profile(pprof, NAN, out);
	if (pprof->last_ns == 0)
		return;
	protobuf_number(out, PROFILE_TIME_NANOS, pprof->first_ns);
	protobuf_number(out, PROFILE_DURATION_NANOS, pprof->last_ns - pprof->first_ns);
}

static int frame(struct sink *sink, const struct frame *frame)
{
	struct view *view = &sink->print->views[0];
	const struct table *table = frame_table(frame, view->schema->name);

	if (table && print_wants(sink->print, view, frame)) {
		view_apply(view, table);
		for (size_t r = 0; r < view->n_rows && !sink_breaks_off(sink); r++)
			add_sample(sink->pprof, table, view->rows[r], &sink->buffer);
		if (sink->pprof->last_ns == 0)
			sink->pprof->first_ns = frame->wall_ns - frame->interval_ns;
		if (frame->wall_ns > sink->pprof->first_ns)
			sink->pprof->last_ns = frame->wall_ns;
	}
	if (sink->replace)
		finish(sink->pprof, &sink->buffer);
	return sink_flush(sink);
}

static int end(struct sink *sink)
{
	finish(sink->pprof, &sink->buffer);
	return sink_flush(sink);
}

const struct sink_format sink_pprof = {
	.name = "pprof",
	.one_table = true,
	.of_stacks = true,
	.binary = true,
	.begin = begin,
	.frame = frame,
	.end = end,
};

/* As flame graphs take them: "main;work;read 17", a line for each stack of a sample. */
static int add_folded(struct sink *sink, const struct frame *frame)
{
	struct view *view = &sink->print->views[0];
	const struct table *table = frame_table(frame, view->schema->name);

	if (!table || !print_wants(sink->print, view, frame))
		return 0;
	view_apply(view, table);
	for (size_t r = 0; r < view->n_rows && !sink_breaks_off(sink); r++) {
		const char *stack = table_text(table, view->rows[r], "stack");
		uint64_t samples = table_u64(table, view->rows[r], "samples");

		if (!*stack || samples == U64_UNKNOWN)
			continue;
		utf8_harmless(&sink->buffer, span_text(stack));
		buffer_print(&sink->buffer, " %" PRIu64 "\n", samples);
	}
	return sink_flush(sink);
}

const struct sink_format sink_folded = {
	.name = "folded",
	.one_table = true,
	.of_stacks = true,
	.frame = add_folded,
};
