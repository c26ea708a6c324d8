/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a sample, and writes a line, for those who look for changes. */
#include <config.h>

#include "model/explanation_study.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "model/units.h"

void study_want(const struct study *study, const char *const *topics, size_t n_topics)
{
	bool *wanted;

	if (!study->source->want)
		return;
	wanted = alloc_zeroed(study->n_schemas, sizeof(*wanted));
	for (size_t t = 0; t < n_topics; t++)
		schema_want(study->schemas, study->n_schemas, topics[t], wanted);
	study->source->want(study->source->state, wanted);
	free(wanted);
}

bool study_read(const struct study *study, struct frame *frame, size_t index)
{
	const struct source *source = study->source;

	frame_clear(frame);
	return source->seek(source->state, index) == 0 && source->next(source->state, frame) == 1;
}

const char *study_print(const struct study *study, const char *format, ...)
{
	char text[512];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	return arena_copy(&study->out->arena, text, strlen(text));
}

const char *study_when(const struct study *study, double seconds_before)
{
	char span[VALUE_TEXT_MAX];

	amount_text(span, UNIT_SECONDS, fabs(seconds_before));
	return study_print(study, seconds_before < 0 ? _("%s after") : _("%s before"), span);
}

struct explained_line *study_line(const struct study *study)
{
	struct explanation *out = study->out;
	struct explained_line *line = VECTOR_ADD(out->lines, out->n_lines, out->capacity);

	*line = (struct explained_line){
		.counted = "",
		.view = "",
		.row = "",
		.pid = U64_UNKNOWN,
		.wall_ns = study_moment(study)->wall_ns,
	};
	return line;
}

void study_part(struct study *study, struct study_part part)
{
	part.line = study->out->n_lines - 1;
	*VECTOR_ADD(study->parts, study->n_parts, study->part_capacity) = part;
}
