/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of output formats, and what they share. */
#include <config.h>

#include "output/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recording/writer.h"
#include "sys/descriptor.h"

#define ROWS 256 /* written before it is asked whether to go on */

const struct sink_format *sink_format_find(const char *name)
{
	static const struct sink_format *const formats[] = {
		&sink_text,       &sink_csv,    &sink_json, &sink_openmetrics,
		&sink_prometheus, &sink_folded, &sink_pprof
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

void sink_open(struct sink *sink, const struct sink_format *format, struct print_plan *print, int fd,
	       const char *name)
{
	*sink = (struct sink){ .format = format, .print = print, .fd = fd, .cancel_fd = -1, .name = name };
}

static bool holds_back(const struct sink *sink)
{
	return sink->replace || sink->format->only_last;
}

bool sink_breaks_off(struct sink *sink)
{
	if (sink->interrupted && ++sink->n_asked % ROWS == 0)
		sink->broken_off |= sink->interrupted();
	return sink->broken_off;
}

int sink_flush(struct sink *sink)
{
	if (sink->broken_off) {
		buffer_empty(&sink->buffer);
		return -ECANCELED;
	}
	return holds_back(sink) ? 0 : buffer_write(&sink->buffer, sink->fd, sink->cancel_fd);
}

int sink_begin(struct sink *sink)
{
	return sink->format->begin && !sink->replace ? sink->format->begin(sink) : 0;
}

/* A sample that stands alone. */
static int replace(struct sink *sink, const struct frame *frame)
{
	int error = sink->format->begin ? sink->format->begin(sink) : 0;

	if (!error)
		error = sink->format->frame(sink, frame);
	return error ? error : sink->replace(sink->replace_context, &sink->buffer);
}

int sink_frame(struct sink *sink, const struct frame *frame)
{
	int error;

	if (holds_back(sink))
		buffer_empty(&sink->buffer);
	if (sink->replace)
		return replace(sink, frame);
	error = sink->format->frame(sink, frame);
	if (!error)
		sink->frames++;
	return error;
}

int sink_end(struct sink *sink)
{
	if (sink->replace)
		return 0;
	if (sink->format->only_last)
		return buffer_write(&sink->buffer, sink->fd, sink->cancel_fd);
	return sink->format->end ? sink->format->end(sink) : 0;
}

void sink_close(struct sink *sink)
{
	buffer_free(&sink->buffer);
	free(sink->widths);
	free(sink->summary);
	exposition_free(sink->exposition);
	pprof_free(sink->pprof);
	recording_writer_close(sink->recording);
	*sink = (struct sink){ 0 };
}

bool print_wants(const struct print_plan *print, const struct view *view, const struct frame *frame)
{
	if (frame->only_events && view->schema->shape != SHAPE_EVENTS)
		return false;
	return print->phase == PRINT_LAST || !view->at_end;
}

void print_plan_close(struct print_plan *print)
{
	for (unsigned i = 0; i < print->n_views; i++)
		view_close(&print->views[i]);
	free(print->views);
	print->views = NULL;
	print->n_views = 0;
}
