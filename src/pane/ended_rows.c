/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables process and exited as one. */
#include <config.h>

#include "pane/ended_rows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/i18n.h"
#include "core/vector.h"

#define QUIET_NAN UINT64_C(0x7ff8000000000000)
#define NAN_PAYLOAD UINT64_C(0x0007ffffffffffff)

/* The start is unknown; a NaN of its own for each command still keeps the rows apart. */
static double unknown_start(const char *command)
{
	uint64_t bits = QUIET_NAN | (hash_bytes(HASH_SEED, span_text(command)) & NAN_PAYLOAD);
	double start;

	memcpy(&start, &bits, sizeof(start));
	return start;
}

static void set_number(struct table *table, void *row, const char *key, double number)
{
	row_set_f64(row, schema_known_column(table->schema, key), number);
}

/* The growth of a counter in the interval, from its rate; exact, as both divide by the same time. */
static double growth(const struct table *exited, const void *origin, const char *rate)
{
	return rint(table_number(exited, origin, rate) * (double)exited->interval_ns / 1e9);
}

/*
 * "cc1 ×9 ended, 2 failed"; CPU time may come without an exit, when a parent was late to wait for its child.
 */
static const char *ended_text(struct arena *texts, const char *command, double count, double failed)
{
	if (count >= 1 && failed >= 1)
		return arena_print(texts, _("%s %s%.0f ended, %.0f failed"), command, "×", count, failed);
	return count >= 1 ? arena_print(texts, _("%s %s%.0f ended"), command, "×", count)
			  : arena_print(texts, _("%s ended"), command);
}

static void add_ended(struct ended_rows *ended, const struct table *exited, const void *origin)
{
	/* every column of which the user may choose one to see the command */
	static const char *const forms[] = { "command", "command_base", "program", "program_base", "name" };
	struct table *table = &ended->table;
	const char *command = table_text(exited, origin, "command");
	double share = table_number(exited, origin, "cpu_ratio");
	double count = growth(exited, origin, "exits_per_second");
	double failed = ended->brief ? 0 : growth(exited, origin, "failures_per_second");
	const char *text;
	void *row;

	if (!(count >= 1) && !(share > 0))
		return;
	assert(table->n_rows < table->capacity);
	row = table_add(table);
	table->fresh[table->n_rows - 1] = false; /* each of these is new */
	set_number(table, row, "start_seconds", unknown_start(command));
	set_number(table, row, "cpu_ratio", share);
	set_number(table, row, "watts", table_number(exited, origin, "watts"));
	row_set_text(row, schema_known_column(table->schema, "state"), "X");
	text = ended_text(&ended->texts, command, count, failed);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		row_set_text(row, schema_known_column(table->schema, forms[i]), text);
	*VECTOR_ADD(ended->origins, ended->n_origins, ended->capacity) = origin;
}

void ended_rows_begin(struct ended_rows *ended, const struct frame *frame)
{
	struct table *processes = frame_table(frame, "process");
	const struct table *exited = frame_table(frame, "exited");

	ended->frame = NULL;
	if (processes && exited)
		table_reserve(processes, processes->n_rows + exited->n_rows);
}

static bool is_merged(const struct ended_rows *ended, const struct frame *frame)
{
	return ended->frame == frame && ended->mono_ns == frame->mono_ns;
}

void ended_rows_merge(struct ended_rows *ended, const struct frame *frame)
{
	const struct table *processes = frame_table(frame, "process"), *exited = frame_table(frame, "exited");

	if (!processes || !exited || is_merged(ended, frame))
		return;
	ended->frame = frame;
	ended->mono_ns = frame->mono_ns;
	ended->table = *processes;
	ended->n_processes = processes->n_rows;
	ended->n_origins = 0;
	ended->origin_schema = exited->schema;
	arena_reset(&ended->texts);
	for (size_t i = 0; i < exited->n_rows; i++)
		add_ended(ended, exited, table_row(exited, i));
}

const struct table *ended_rows_table(const struct ended_rows *ended, const struct frame *frame)
{
	return is_merged(ended, frame) && ended->n_origins > 0 ? &ended->table
							       : frame_table(frame, "process");
}

const void *ended_rows_origin(const struct ended_rows *ended, const void *row, const struct schema **schema)
{
	for (size_t i = 0; i < ended->n_origins; i++) {
		if (table_row(&ended->table, ended->n_processes + i) != row)
			continue;
		*schema = ended->origin_schema;
		return ended->origins[i];
	}
	return NULL;
}

void ended_rows_prepare(struct pane_context *context, const struct frame *frame)
{
	ended_rows_begin(context_state(context), frame);
}

void ended_rows_update(struct pane_context *context)
{
	ended_rows_merge(context_state(context), context->frame);
}

const void *ended_rows_origin_of(const struct pane_context *context, const void *row,
				 const struct schema **schema)
{
	return ended_rows_origin(context->state, row, schema);
}

void ended_rows_free(void *state)
{
	struct ended_rows *ended = state;

	free(ended->origins);
	arena_free(&ended->texts);
	*ended = (struct ended_rows){ 0 };
}
