/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks, as flame graphs take them: "main;work;read 17", a line for each stack of a sample. */
#include <config.h>

#include <inttypes.h>

#include "core/utf8.h"
#include "output/sink.h"

static int frame(struct sink *sink, const struct frame *frame)
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
	.frame = frame,
};
