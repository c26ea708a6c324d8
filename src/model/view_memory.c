/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a view of a log has found out about its rows already. */
#include <config.h>

#include "model/view_memory.h"

#include <stdlib.h>

#include "core/alloc.h"

void view_memory_free(struct view_memory *memory)
{
	free(memory->rows);
	*memory = (struct view_memory){ 0 };
}

void view_forget(struct view *view)
{
	struct view_memory *memory = &view->memory;

	memory->n_rows = 0;
	memory->n_decided = 0;
	memory->known = 0;
	memory->stale = true;
}

/* The log has taken away its first rows and moved the others down. */
static void follow_rows(struct view *view, const struct table *log)
{
	struct view_memory *memory = &view->memory;
	size_t size = log->schema->row_size, step = (size_t)(log->gone - memory->gone), lost = 0;

	while (lost < memory->n_rows &&
	       (size_t)((const char *)memory->rows[lost] - log->rows) / size < step)
		lost++;
	for (size_t i = lost; i < memory->n_rows; i++)
		memory->rows[i - lost] = (const char *)memory->rows[i] - step * size;
	memory->n_rows -= lost;
	memory->gone = log->gone;
	memory->stale = true;
	view->n_lost = lost;
}

static void note_known(struct view *view, const void *row)
{
	const struct schema *schema = view->schema;

	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].optional && column_has_value(&schema->columns[i], row))
			view->memory.known |= UINT64_C(1) << i;
}

static void remember_row(struct view *view, const void *row)
{
	struct view_memory *memory = &view->memory;

	if (memory->n_rows == memory->capacity) {
		memory->capacity = memory->capacity ? memory->capacity * 2 : 1024;
		memory->rows = alloc_resize(memory->rows, memory->capacity, sizeof(*memory->rows));
	}
	memory->rows[memory->n_rows++] = row;
	memory->stale = true;
	note_known(view, row);
}

bool view_remember(struct view *view, const struct table *log)
{
	struct view_memory *memory = &view->memory;
	bool stale;

	view->n_lost = 0;
	memory->of_log = true;
	if (memory->version != log->version)
		view_forget(view);
	else if (memory->gone != log->gone)
		follow_rows(view, log);
	memory->version = log->version;
	memory->gone = log->gone;
	if (memory->n_decided < log->gone)
		memory->n_decided = log->gone;
	for (; memory->n_decided < log->gone + log->n_rows; memory->n_decided++) {
		const void *row = table_row(log, (size_t)(memory->n_decided - log->gone));

		if (view_wants(view, row))
			remember_row(view, row);
	}
	stale = memory->stale || memory->sort != view->sort || memory->descending != view->descending ||
		memory->limit != view->limit;
	memory->stale = false;
	memory->sort = view->sort;
	memory->descending = view->descending;
	memory->limit = view->limit;
	return stale;
}
