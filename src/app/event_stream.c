/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One frame of its own for what comes between two samples, with the time since the last of either. */
#include <config.h>

#include "app/event_stream.h"

#include <sys/epoll.h>

void event_stream_open(struct event_stream *stream, struct source *source,
		       const struct schema *const *schemas, unsigned n_schemas)
{
	*stream = (struct event_stream){ .source = source, .fd = -1 };
	frame_open(&stream->frame, schemas, n_schemas);
}

void event_stream_close(struct event_stream *stream)
{
	frame_close(&stream->frame);
}

void event_stream_watch(struct event_stream *stream, struct loop *loop,
			void (*ready)(void *context, uint32_t events), void *context)
{
	const struct source *source = stream->source;

	if (stream->fd >= 0 || !source->event_fd)
		return;
	stream->fd = source->event_fd(source->state);
	if (stream->fd >= 0 && loop_watch(loop, stream->fd, EPOLLIN, ready, context) < 0)
		stream->fd = -1;
}

bool event_stream_has_events(const struct frame *frame)
{
	for (unsigned i = 0; i < frame->n_tables; i++)
		if (frame->tables[i].schema->shape == SHAPE_EVENTS && frame->tables[i].present &&
		    frame->tables[i].n_rows > 0)
			return true;
	return false;
}

const struct frame *event_stream_take(struct event_stream *stream, uint64_t before_ns)
{
	const struct source *source = stream->source;
	struct frame *frame = &stream->frame;
	uint64_t last_ns = frame->mono_ns > before_ns ? frame->mono_ns : before_ns;

	frame_clear(frame);
	if (!source->next_events || source->next_events(source->state, frame) != 1)
		return NULL;
	frame->interval_ns = last_ns && frame->mono_ns > last_ns ? frame->mono_ns - last_ns : 0;
	return event_stream_has_events(frame) || frame->n_notices > 0 ? frame : NULL;
}

bool event_stream_is_quiet(const struct table *table)
{
	return table->schema->shape == SHAPE_EVENTS && table->n_rows == 0 && !table->failed;
}
