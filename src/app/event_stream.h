/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the events of a live source as they happen, between two samples. */
#ifndef PANETOP_APP_EVENT_STREAM_H
#define PANETOP_APP_EVENT_STREAM_H

#include "model/frame.h"
#include "sys/loop.h"

struct event_stream {
	struct source *source; /* borrowed */
	struct frame frame;    /* the latest events */
	int fd;                /* watched; -1: none yet */
};

void event_stream_open(struct event_stream *stream, struct source *source,
		       const struct schema *const *schemas, unsigned n_schemas);
void event_stream_close(struct event_stream *stream);

/* Calls ready when there are events, once the source can signal them. Call it after each sample. */
void event_stream_watch(struct event_stream *stream, struct loop *loop,
			void (*ready)(void *context, uint32_t events), void *context);

/*
 * The events since the last frame, which was taken at before_ns (CLOCK_MONOTONIC) if it was a sample; NULL if
 * there are none. Valid until the next call.
 */
const struct frame *event_stream_take(struct event_stream *stream, uint64_t before_ns);

/* Is it a table of events in which nothing happened? That is not a failure. */
bool event_stream_is_quiet(const struct table *table);

/* Are there rows in a table of events? */
bool event_stream_has_events(const struct frame *frame);

#endif
